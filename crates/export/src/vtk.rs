//! VTK XML: `.vtp` for surfaces and particles, `.vtu` for tetrahedra, and a `.pvd` collection with
//! the times.
//!
//! Numbers are appended raw and little-endian after the XML, each array preceded by its length in 8
//! bytes.

use craze_frame::{Attributes, BodyFrame, Data, Frame, ObstacleShape, Particles, Piece, Surface, Volume};
use craze_math::Vec3;

use crate::labels::Labels;
use crate::{ExportError, Output};

const TETRAHEDRON: u8 = 10;

/// Files of a sequence with their times.
#[derive(Default)]
pub(crate) struct Collection(String);

impl Collection {
    fn add(&mut self, time: f64, part: usize, name: &str, file: &str) {
        let (name, file) = (escaped(name), escaped(file));
        self.0 += &format!("    <DataSet timestep=\"{time:?}\" part=\"{part}\" name=\"{name}\" file=\"{file}\"/>\n");
    }

    pub(crate) fn encode(&self) -> String {
        format!(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n  \
             <Collection>\n{}  </Collection>\n</VTKFile>\n",
            self.0
        )
    }
}

/// Writes a file for each surface, volume and particle set that has points.
pub(crate) fn export(frame: &Frame, collection: &mut Collection, output: &mut Output) -> Result<(), ExportError> {
    let labels = Labels::new(frame);
    let number = frame.number;
    // Part numbers stay constant through the sequence, even for empty parts.
    let mut part = 0;
    let mut emit = |name: &str, suffix: &str, bytes: Option<Vec<u8>>| -> Result<(), ExportError> {
        if let Some(bytes) = bytes {
            let file = output.write(&format!("{name}.{number:04}.{suffix}"), &bytes)?;
            collection.add(frame.time, part, name, &file);
        }
        part += 1;
        Ok(())
    };
    for (body, label) in frame.bodies.iter().zip(&labels.bodies) {
        emit(label, "vtp", surface_file(frame, &body.surface, &body.pieces))?;
        emit(
            &format!("{label}.volume"),
            "vtu",
            body.volume.as_ref().and_then(|volume| volume_file(frame, volume, body)),
        )?;
        let particles = body.particles.as_ref();
        let particles = particles.and_then(|particles| particles_file(frame, particles, body));
        emit(&format!("{label}.particles"), "vtp", particles)?;
    }
    for (obstacle, label) in frame.obstacles.iter().zip(&labels.obstacles) {
        let file = match &obstacle.shape {
            ObstacleShape::Surface(surface) => surface_file(frame, surface, &[]),
            ObstacleShape::Plane { .. } => None,
        };
        emit(label, "vtp", file)?;
    }
    Ok(())
}

fn surface_file(frame: &Frame, surface: &Surface, pieces: &[Piece]) -> Option<Vec<u8>> {
    let counts = [surface.positions.len(), 0, surface.triangles.len()];
    let mut file = File::polygons(frame, pieces, counts)?;
    file.points(&surface.positions);
    file.cells("Polys", &surface.triangles);
    file.attributes("PointData", &surface.vertex_attributes);
    file.attributes("CellData", &surface.face_attributes);
    Some(file.finish("PolyData"))
}

fn particles_file(frame: &Frame, particles: &Particles, body: &BodyFrame) -> Option<Vec<u8>> {
    let count = particles.positions.len();
    let mut file = File::polygons(frame, &body.pieces, [count, count, 0])?;
    file.points(&particles.positions);
    let cells: Vec<[u32; 1]> = (0..count as u32).map(|particle| [particle]).collect();
    file.cells("Verts", &cells);
    let mut attributes = particles.attributes.clone();
    if attributes.get("radius").is_none() {
        attributes.set("radius", Data::Scalar(vec![particles.radius; count]));
    }
    file.attributes("PointData", &attributes);
    Some(file.finish("PolyData"))
}

fn volume_file(frame: &Frame, volume: &Volume, body: &BodyFrame) -> Option<Vec<u8>> {
    if volume.positions.is_empty() {
        return None;
    }
    let mut file = File::start("UnstructuredGrid", frame, &body.pieces);
    let (points, cells) = (volume.positions.len(), volume.tetrahedra.len());
    file.xml += &format!("    <Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{cells}\">\n");
    file.points(&volume.positions);
    file.xml += "      <Cells>\n";
    file.cell_arrays(&volume.tetrahedra);
    file.array("UInt8", "types", 1, vec![TETRAHEDRON; cells].into_iter());
    file.xml += "      </Cells>\n";
    file.attributes("PointData", &volume.node_attributes);
    file.attributes("CellData", &volume.cell_attributes);
    Some(file.finish("UnstructuredGrid"))
}

struct File {
    xml: String,
    appended: Vec<u8>,
}

impl File {
    /// Starts a file with time, frame number and the table of pieces.
    fn start(kind: &str, frame: &Frame, pieces: &[Piece]) -> File {
        let mut file = File { xml: String::from("<?xml version=\"1.0\"?>\n"), appended: Vec::new() };
        file.xml += &format!(
            "<VTKFile type=\"{kind}\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n  <{kind}>\n"
        );
        file.xml += "    <FieldData>\n";
        file.field("Float64", "TimeValue", [frame.time]);
        file.field("UInt32", "frame", [frame.number]);
        if !pieces.is_empty() {
            file.field("Float64", "piece_volume", pieces.iter().map(|piece| piece.volume));
            file.field("Float64", "piece_mass", pieces.iter().map(|piece| piece.mass));
            // VTK has no missing values: −1 marks pieces without parent.
            file.field("Int64", "piece_parent", pieces.iter().map(|piece| piece.parent.map_or(-1, i64::from)));
        }
        file.xml += "    </FieldData>\n";
        file
    }

    /// Starts a file with the given numbers of points, vertex cells and triangles; `None` without
    /// points.
    fn polygons(frame: &Frame, pieces: &[Piece], [points, vertices, triangles]: [usize; 3]) -> Option<File> {
        if points == 0 {
            return None;
        }
        let mut file = File::start("PolyData", frame, pieces);
        file.xml += &format!(
            "    <Piece NumberOfPoints=\"{points}\" NumberOfVerts=\"{vertices}\" NumberOfLines=\"0\" \
             NumberOfStrips=\"0\" NumberOfPolys=\"{triangles}\">\n"
        );
        Some(file)
    }

    fn points(&mut self, positions: &[Vec3]) {
        self.xml += "      <Points>\n";
        self.array("Float64", "Points", 3, positions.iter().flat_map(|position| position.iter().copied()));
        self.xml += "      </Points>\n";
    }

    fn cells<const CORNERS: usize>(&mut self, kind: &str, cells: &[[u32; CORNERS]]) {
        self.xml += &format!("      <{kind}>\n");
        self.cell_arrays(cells);
        self.xml += &format!("      </{kind}>\n");
    }

    fn cell_arrays<const CORNERS: usize>(&mut self, cells: &[[u32; CORNERS]]) {
        self.array("Int64", "connectivity", 1, cells.iter().flatten().map(|&vertex| i64::from(vertex)));
        self.array("Int64", "offsets", 1, (1..=cells.len()).map(|cell| (cell * CORNERS) as i64));
    }

    fn attributes(&mut self, kind: &str, attributes: &Attributes) {
        self.xml += &format!("      <{kind}>\n");
        for attribute in &attributes.0 {
            let name = &attribute.name;
            match &attribute.data {
                Data::Scalar(values) => self.array("Float64", name, 1, values.iter().copied()),
                Data::Index(values) => self.array("UInt32", name, 1, values.iter().copied()),
                Data::Vector(values) => {
                    self.array("Float64", name, 3, values.iter().flat_map(|value| value.iter().copied()));
                }
                Data::Pair(values) => self.array("Float64", name, 2, values.iter().flatten().copied()),
                // VTK has the same order of components.
                Data::Tensor(values) => self.array("Float64", name, 6, values.iter().flatten().copied()),
            }
        }
        self.xml += &format!("      </{kind}>\n");
    }

    /// Adds an array of points or cells.
    fn array<Number: LittleEndian>(
        &mut self,
        kind: &str,
        name: &str,
        components: usize,
        values: impl Iterator<Item = Number>,
    ) {
        let offset = self.append(values).0;
        let name = escaped(name);
        self.xml += &format!(
            "        <DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" \
             format=\"appended\" offset=\"{offset}\"/>\n"
        );
    }

    /// Adds an array of the whole file.
    fn field<Number: LittleEndian>(&mut self, kind: &str, name: &str, values: impl IntoIterator<Item = Number>) {
        let (offset, count) = self.append(values.into_iter());
        self.xml += &format!(
            "      <DataArray type=\"{kind}\" Name=\"{name}\" NumberOfTuples=\"{count}\" format=\"appended\" \
             offset=\"{offset}\"/>\n"
        );
    }

    /// Appends numbers; returns their offset (bytes) and count.
    fn append<Number: LittleEndian>(&mut self, values: impl Iterator<Item = Number>) -> (usize, usize) {
        let offset = self.appended.len();
        self.appended.extend([0; 8]);
        let mut count = 0;
        for value in values {
            value.append_to(&mut self.appended);
            count += 1;
        }
        let length = (self.appended.len() - offset - 8) as u64;
        self.appended[offset..offset + 8].copy_from_slice(&length.to_le_bytes());
        (offset, count)
    }

    fn finish(mut self, kind: &str) -> Vec<u8> {
        self.xml += &format!("    </Piece>\n  </{kind}>\n  <AppendedData encoding=\"raw\">\n_");
        let mut bytes = self.xml.into_bytes();
        bytes.extend(self.appended);
        bytes.extend(b"\n  </AppendedData>\n</VTKFile>\n");
        bytes
    }
}

/// Number types of VTK arrays.
trait LittleEndian {
    fn append_to(self, bytes: &mut Vec<u8>);
}

macro_rules! little_endian {
    ($($number:ty),*) => {$(
        impl LittleEndian for $number {
            fn append_to(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }
        }
    )*};
}
little_endian!(u8, u32, i64, f64);

/// Escapes XML's special characters and replaces those that XML forbids.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            control if control.is_control() => escaped.push('_'),
            other => escaped.push(other),
        }
    }
    escaped
}
