//! Defects of a surface, as counts and as messages.

use craze_math::Vec3;

use crate::number_format::{grouped, short};

/// Result of examining a surface. Counts refer to the input; volume, area and size to the repaired
/// surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// Triangles of the input.
    pub triangles: usize,
    /// Points of the input.
    pub points: usize,
    /// Points merged with coincident earlier ones.
    pub merged_points: usize,
    /// Components connected through edges.
    pub components: usize,
    /// Edges not traversed equally often in both directions.
    pub open_edges: usize,
    /// Loops formed by the open edges.
    pub open_loops: usize,
    /// Edges of three or more triangles.
    pub non_manifold_edges: usize,
    /// Triangles with a repeated corner (dropped) or with collinear corners (kept).
    pub degenerate_triangles: usize,
    /// Triangles that repeat others in either orientation; dropped.
    pub duplicate_triangles: usize,
    /// Triangles with missing, non-finite or far too large points; dropped.
    pub broken_triangles: usize,
    /// The first damaged point or, if none, the farthest outlier.
    pub far_point: Option<FarPoint>,
    /// Triangles flipped to agree with their neighbours.
    pub flipped_triangles: usize,
    /// Non-orientable patches, such as a Möbius strip.
    pub one_sided_patches: usize,
    /// Shells that faced inward and were flipped.
    pub inside_out_shells: usize,
    /// Cavities: shells that face inward within others.
    pub cavities: usize,
    /// Shells that face outward within others; no effect.
    pub nested_shells: usize,
    /// Pairs of triangles that intersect beyond shared corners.
    pub intersections: usize,
    /// Whether the search for intersections was complete.
    pub intersections_complete: bool,
    /// Position of the first of them (m).
    pub first_intersection: Option<Vec3>,
    /// Whether every edge is traversed equally often in both directions.
    pub closed: bool,
    /// Volume (m³) of closed surfaces by the divergence theorem; overlaps count twice.
    pub volume: Option<f64>,
    /// Area (m²).
    pub area: f64,
    /// Size of the bounding box (m).
    pub size: Vec3,
}

/// A point far from nearly all others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FarPoint {
    /// Index in the input, from 0.
    pub point: u32,
    /// Position (m).
    pub position: Vec3,
    /// Median position of the points (m).
    pub middle: Vec3,
    /// Distance from `middle` (m).
    pub distance: f64,
    /// Distance (m) from `middle` within which nearly all points lie.
    pub others: f64,
    /// Whether triangles with this and other damaged points were dropped.
    pub dropped: bool,
}

impl FarPoint {
    pub(crate) fn description(&self) -> String {
        let [x, y, z] = <[f64; 3]>::from(self.position).map(short);
        let (point, distance, others) = (grouped(self.point as usize + 1), short(self.distance), short(self.others));
        format!("point {point} at ({x}, {y}, {z}) m lies {distance} m away, the others within {others} m")
    }
}

impl Findings {
    /// Returns true if there are no warnings.
    pub fn is_clean(&self) -> bool {
        self.warnings().is_empty()
    }

    /// Messages about the defects and how they were handled.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let mut say = |condition: bool, text: String| {
            if condition {
                warnings.push(text);
            }
        };
        say(
            self.broken_triangles > 0,
            format!(
                "{} with missing, non-finite or far too large points were dropped",
                count(self.broken_triangles, "triangle")
            ),
        );
        if let Some(far) = self.far_point {
            let then = if far.dropped {
                "it is probably damaged; its triangles were dropped"
            } else {
                "the point is damaged unless this is intended"
            };
            say(true, format!("{}: {then}", far.description()));
        }
        say(
            self.degenerate_triangles > 0,
            format!("{} without area have no effect", count(self.degenerate_triangles, "triangle")),
        );
        say(
            self.duplicate_triangles > 0,
            format!("{} that repeat others were dropped", count(self.duplicate_triangles, "triangle")),
        );
        say(
            self.flipped_triangles > 0,
            format!("{} were flipped to agree with their neighbours", count(self.flipped_triangles, "triangle")),
        );
        say(self.inside_out_shells > 0, format!("{} inside out and flipped", was(self.inside_out_shells, "shell")));
        say(
            self.one_sided_patches > 0,
            format!(
                "{} one side only, like a Möbius strip, and thus no inside",
                has(self.one_sided_patches, "patch", "patches")
            ),
        );
        say(
            self.non_manifold_edges > 0,
            format!("{} more than two triangles", has(self.non_manifold_edges, "edge", "edges")),
        );
        say(
            self.open_edges > 0,
            format!(
                "the surface is open: {} in {} border one triangle only; holes are closed where the winding number is ½",
                count(self.open_edges, "edge"),
                count(self.open_loops, "loop")
            ),
        );
        if let Some(position) = self.first_intersection {
            say(
                true,
                format!(
                    "{}{} intersect, the first near ({:.4}, {:.4}, {:.4}) m; overlaps are joined",
                    if self.intersections_complete { "" } else { "at least " },
                    count(self.intersections, "pair") + " of triangles",
                    position.x,
                    position.y,
                    position.z
                ),
            );
        }
        say(
            self.nested_shells > 0,
            format!(
                "{} within others, facing outward, and {} nothing",
                if self.nested_shells == 1 {
                    "1 shell lies".to_owned()
                } else {
                    format!("{} shells lie", self.nested_shells)
                },
                if self.nested_shells == 1 { "changes" } else { "change" }
            ),
        );
        warnings
    }
}

fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

fn was(number: usize, what: &str) -> String {
    format!("{} {}", count(number, what), if number == 1 { "was" } else { "were" })
}

fn has(number: usize, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one} has") } else { format!("{number} {many} have") }
}
