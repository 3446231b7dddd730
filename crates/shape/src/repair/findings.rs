//! What is wrong with a surface, in numbers and in words.

use craze_math::Vec3;

use crate::words::{grouped, short};

/// What an examination found. Counts are of the input; volume, area and size are those of the repaired surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// Triangles of the input.
    pub triangles: usize,
    /// Points of the input.
    pub points: usize,
    /// Points that coincide with earlier ones: seams of texture coordinates, or triangles that were stored apart.
    pub merged_points: usize,
    /// Parts that hang together through edges.
    pub components: usize,
    /// Edges with a triangle on one side only, or with more on one side than on the other.
    pub open_edges: usize,
    /// Loops that these form.
    pub open_loops: usize,
    /// Edges of three or more triangles.
    pub non_manifold_edges: usize,
    /// Triangles with a corner twice, which were dropped, or with all corners on one line, which stay.
    pub degenerate_triangles: usize,
    /// Triangles that repeat others, whichever way round; dropped.
    pub duplicate_triangles: usize,
    /// Triangles with points that are not numbers, too far off or missing; dropped.
    pub broken_triangles: usize,
    /// The first point that lies absurdly far from nearly all others, though triangles lead to it; or else the farthest that is strikingly
    /// far off.
    pub far_point: Option<FarPoint>,
    /// Triangles that were turned to agree with their neighbours.
    pub turned_triangles: usize,
    /// Patches that have one side only, like a Möbius strip.
    pub one_sided_patches: usize,
    /// Shells that faced inward and were turned as a whole.
    pub inside_out_shells: usize,
    /// Hollows: shells that face inward within others.
    pub cavities: usize,
    /// Shells that lie within others, facing outward; they change nothing.
    pub nested_shells: usize,
    /// Pairs of triangles that meet beyond the corners they share.
    pub intersections: usize,
    /// Whether the intersections are all that there are.
    pub intersections_complete: bool,
    /// Where the first of them is (m).
    pub first_intersection: Option<Vec3>,
    /// Whether every edge is run equally often both ways.
    pub closed: bool,
    /// Volume (m³) by the divergence theorem, of closed surfaces; where parts overlap they count twice.
    pub volume: Option<f64>,
    /// Area (m²).
    pub area: f64,
    /// Lengths of the smallest box around it (m).
    pub size: Vec3,
}

/// A point that lies far from nearly all others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FarPoint {
    /// Its number in the input, from 0.
    pub point: u32,
    /// Where it is (m).
    pub place: Vec3,
    /// The middle of the others (m),
    pub middle: Vec3,
    /// and how far (m) it is from there.
    pub distance: f64,
    /// How far (m) nearly all others are from there.
    pub others: f64,
    /// Whether it is so far off that the triangles that lead to it, and to others like it, were dropped.
    pub dropped: bool,
}

impl FarPoint {
    /// Which point, and how far off, in words.
    pub(crate) fn told(&self) -> String {
        let [x, y, z] = <[f64; 3]>::from(self.place).map(short);
        let (point, distance, others) = (grouped(self.point as usize + 1), short(self.distance), short(self.others));
        format!("point {point} at ({x}, {y}, {z}) m lies {distance} m off, the others within {others} m")
    }
}

impl Findings {
    /// Whether nothing was wrong.
    pub fn is_clean(&self) -> bool {
        self.warnings().is_empty()
    }

    /// What was wrong and what was done about it, a sentence each.
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
                "{} with points that are not numbers, too far off or missing were dropped",
                count(self.broken_triangles, "triangle")
            ),
        );
        if let Some(far) = self.far_point {
            let then = if far.dropped {
                "it is probably damaged, and the triangles that lead to it went"
            } else {
                "if that is not meant, the point is damaged"
            };
            say(true, format!("{}: {then}", far.told()));
        }
        say(
            self.degenerate_triangles > 0,
            format!("{} without area count for nothing", count(self.degenerate_triangles, "triangle")),
        );
        say(
            self.duplicate_triangles > 0,
            format!("{} that repeat others were dropped", count(self.duplicate_triangles, "triangle")),
        );
        say(
            self.turned_triangles > 0,
            format!("{} were turned to face the way their neighbours do", count(self.turned_triangles, "triangle")),
        );
        say(
            self.inside_out_shells > 0,
            format!("{} inside out and turned as a whole", was(self.inside_out_shells, "shell")),
        );
        say(
            self.one_sided_patches > 0,
            format!(
                "{} one side only, like a Möbius strip: no inside there",
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
        if let Some(place) = self.first_intersection {
            say(
                true,
                format!(
                    "{}{} meet where they should not, the first near ({:.4}, {:.4}, {:.4}) m; overlaps are joined",
                    if self.intersections_complete { "" } else { "at least " },
                    count(self.intersections, "pair") + " of triangles",
                    place.x,
                    place.y,
                    place.z
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
