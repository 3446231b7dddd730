//! Facts about a model, as text and JSON.

use craze_math::Vec3;
use craze_mesh::TetMesh;
use craze_render::Ground;
use craze_shape::number_format::{grouped, memory, rough, short};
use craze_shape::sheet::{default_edge, triangle_count};
use craze_shape::{Findings, StuffingOptions, StuffingReport, Thickness, TriangleSurface};
use serde_json::{Map, Value, json};

/// Memory of a solid with its mesh (bytes per tetrahedron), measured by `craze bench`.
const BYTES_PER_TETRAHEDRON: f64 = 190.0;

/// Peak memory of stuffing (bytes per background tetrahedron), measured on the bunny and the
/// armadillo.
const STUFFING_BYTES_PER_TETRAHEDRON: f64 = 290.0;

/// Origin of tetrahedra.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A file, or the shape's own lattice.
    Given,
    /// Cut from a background lattice.
    Cut,
}

/// Material for the mass.
pub struct Weight {
    pub name: String,
    /// Density (kg/m³).
    pub density: f64,
}

/// Facts about a model in order: a line of text and a JSON value each.
#[derive(Default)]
pub struct Facts {
    pub title: String,
    pub lines: Vec<(&'static str, String)>,
    pub values: Map<String, Value>,
    /// Content of the picture, and its ground.
    pub surface: TriangleSurface,
    pub ground: Ground,
}

impl Facts {
    pub fn add(&mut self, key: &'static str, line: impl Into<String>, value: impl Into<Value>) {
        self.lines.push((key, line.into()));
        self.values.insert(key.to_owned(), value.into());
    }

    pub fn size(&mut self, size: Vec3) {
        let [x, y, z] = [size.x, size.y, size.z].map(short);
        self.add("size", format!("{x} × {y} × {z} m"), json!([size.x, size.y, size.z]));
    }

    pub fn area(&mut self, area: f64) {
        self.add("area", format!("{} m²", short(area)), area);
    }

    pub fn volume(&mut self, volume: f64, material: Option<&Weight>) {
        self.add("volume", format!("{} m³", short(volume)), volume);
        if let Some(Weight { name, density }) = material {
            self.add("mass", format!("{} kg of {name}", short(volume * density)), volume * density);
        }
    }

    /// Faults of a surface.
    pub fn findings(&mut self, findings: &Findings) {
        self.size(findings.size);
        self.area(findings.area);
        let closed = if findings.closed { "closed" } else { "open" };
        let components = match findings.components {
            1 => "1 component".to_owned(),
            several => format!("{} components", grouped(several)),
        };
        let value = json!({ "closed": findings.closed, "components": findings.components });
        self.add("surface", format!("{closed}, {components}"), value);
        let warnings = findings.warnings();
        match warnings.is_empty() {
            true => self.lines.push(("repairs", "none needed".to_owned())),
            false => warnings.iter().for_each(|warning| self.lines.push(("repairs", warning.clone()))),
        }
        self.values.insert("repairs".into(), json!(warnings));
    }

    /// Thinnest wall, measured by rays through the solid.
    pub fn thinnest(&mut self, thickness: &Thickness) {
        let Thickness { thinnest, position, fifth_percentile, median } = *thickness;
        let [x, y, z] = [position.x, position.y, position.z].map(short);
        let mut line = format!("{} m at ({x}, {y}, {z})", short(thinnest));
        if median > 1.01 * thinnest {
            let (twentieth, half) = (short(fifth_percentile), short(median));
            line += &format!("; a twentieth of the walls is thinner than {twentieth} m, half of them than {half} m");
        }
        let value = json!({ "thickness": thinnest, "place": <[f64; 3]>::from(position),
            "twentieth": fifth_percentile, "median": median });
        self.add("thinnest", line, value);
    }

    /// Tetrahedra made, and their quality.
    pub fn mesh(&mut self, mesh: &TetMesh, edge: Option<f64>) {
        let (smallest, largest) =
            mesh.element_ids().map(|tet| mesh.quality(tet)).fold((180.0, 0.0), |range, quality| {
                let [small, large] = [quality.smallest_dihedral, quality.largest_dihedral].map(f64::to_degrees);
                (small.min(range.0), large.max(range.1))
            });
        let count = mesh.element_count();
        let at = edge.map_or(String::new(), |edge| format!(" at an edge of {} m", short(edge)));
        let line = format!("{}{at}, dihedral angles {smallest:.1}° to {largest:.1}°", grouped(count));
        let value = json!({ "edge": edge, "count": count, "nodes": mesh.point_count(),
            "volume": mesh.total_measure(), "dihedral": [smallest, largest] });
        self.add("tetrahedra", line, value);
    }

    /// Estimated number of tetrahedra, if too many to make.
    pub fn estimate(&mut self, count: f64, edge: f64) {
        let most = StuffingOptions::default().limit;
        let mut line = format!("about {} at an edge of {} m", rough(count), short(edge));
        if count > most {
            line += &format!(": too fine, at most {} are made", grouped(most as usize));
        }
        let value = json!({ "edge": edge, "count": count, "estimated": true, "too_fine": count > most });
        self.add("tetrahedra", line, value);
    }

    /// Memory of these tetrahedra as a solid, and while meshing.
    pub fn memory(&mut self, count: f64, origin: Origin) {
        let solid = BYTES_PER_TETRAHEDRON * count;
        let mut line = format!("{} as a solid", memory(solid));
        let meshing = (origin == Origin::Cut).then_some(STUFFING_BYTES_PER_TETRAHEDRON * count);
        if let Some(meshing) = meshing {
            line += &format!(", about {} before that while it is meshed", memory(meshing));
        }
        self.add("memory", line, json!({ "solid": solid, "meshing": meshing }));
    }

    /// Regions of the file with their numbers of tetrahedra.
    pub fn regions(&mut self, regions: &[i32]) {
        let mut sorted = regions.to_vec();
        sorted.sort_unstable();
        let counts: Vec<(i32, usize)> = sorted.chunk_by(|a, b| a == b).map(|same| (same[0], same.len())).collect();
        let mut listed: Vec<String> =
            counts.iter().take(8).map(|(number, count)| format!("{number} ({} tetrahedra)", grouped(*count))).collect();
        if counts.len() > listed.len() {
            listed.push(format!("{} more", grouped(counts.len() - listed.len())));
        }
        let line = if listed.is_empty() { "none in the file".to_owned() } else { listed.join(", ") };
        let values = counts.iter().map(|(number, count)| json!({ "number": number, "tetrahedra": count }));
        self.add("regions", line, values.collect::<Vec<_>>());
    }

    /// Treatment of creases, corners and thin walls.
    pub fn stuffing(&mut self, report: &StuffingReport) {
        let StuffingReport { dihedral, snapped, features, thin, separated, .. } = report;
        let on_creases = features.crease_points + features.corner_points;
        if *snapped > 0 {
            let line = format!(
                "{} points moved onto creases and corners; the {} tetrahedra there are exempt from the bounds, the others have {:.1}° \
                 to {:.1}°",
                grouped(on_creases),
                grouped(*snapped),
                dihedral.smallest,
                dihedral.largest
            );
            self.add("creases", line, json!({ "points": on_creases, "snapped": snapped, "cut_off": features.edges_cut_off,
                "corners_missed": features.corners_missed, "dihedral_of_others": [dihedral.smallest, dihedral.largest] }));
        }
        if let Some(edge) = thin.shortened_edge {
            let line = format!("{} m for all of it: walls came out torn at the edge that was asked for", short(edge));
            self.add("shortened", line, edge);
        }
        if thin.under_resolved > 0 {
            let mut line = format!(
                "{} where the mesh missed the surface by more than an eighth of an edge",
                counted(thin.under_resolved, "place", "places")
            );
            match thin.halvings {
                0 => {}
                1 => line += ": cells were halved there",
                times => line += &format!(": cells were halved there, up to {times} times"),
            }
            if thin.unresolved > 0 {
                let are = if thin.unresolved == 1 { "is" } else { "are" };
                line += &format!("; {} {are} lost still, a shorter edge would show them", grouped(thin.unresolved));
            }
            self.add(
                "thin",
                line,
                json!({ "found": thin.under_resolved, "halvings": thin.halvings, "lost": thin.unresolved }),
            );
        }
        if *separated > 0 {
            let line = format!("{} where parts only touched", counted(*separated, "place", "places"));
            self.add("parted", line, *separated);
        }
    }

    /// Result of meshing an open surface as a sheet.
    pub fn sheet(&mut self, findings: &Findings, edge: Option<f64>) {
        let edge = edge.unwrap_or_else(|| default_edge(findings.area));
        let count = triangle_count(findings.area, edge);
        let mut line = counted(findings.open_loops, "rim", "rims");
        if findings.non_manifold_edges > 0 {
            let edges = counted(findings.non_manifold_edges, "edge", "edges");
            line += &format!(", {edges} of more than two triangles, to be parted");
        }
        line += &format!(", about {} triangles at an edge of {} m", rough(count), short(edge));
        let value = json!({ "rims": findings.open_loops, "non_manifold_edges": findings.non_manifold_edges,
            "edge": edge, "triangles": count });
        self.add("sheet", line, value);
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}
