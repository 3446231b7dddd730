//! Model file formats, detected by extension and content.

use std::path::Path;

use crate::error::ShapeError;

/// A model file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Wavefront OBJ.
    Obj,
    /// STL, text or binary.
    Stl,
    /// PLY, text or binary of either byte order.
    Ply,
    /// Object File Format of Geomview.
    Off,
    /// glTF 2.0, binary container.
    Glb,
    /// glTF 2.0 as JSON.
    Gltf,
    /// Gmsh versions 2 and 4, text or binary: tetrahedra or triangles.
    Gmsh,
    /// VTK XML unstructured grid: tetrahedra or triangles.
    Vtu,
    /// Medit, text or binary: tetrahedra or triangles.
    Medit,
    /// TetGen: a .node and an .ele file; either may be given.
    Tetgen,
}

impl Format {
    /// All supported formats.
    pub const ALL: [Format; 10] = [
        Format::Obj,
        Format::Stl,
        Format::Ply,
        Format::Off,
        Format::Glb,
        Format::Gltf,
        Format::Gmsh,
        Format::Vtu,
        Format::Medit,
        Format::Tetgen,
    ];

    /// Its usual name.
    pub fn name(self) -> &'static str {
        match self {
            Format::Obj => "OBJ",
            Format::Stl => "STL",
            Format::Ply => "PLY",
            Format::Off => "OFF",
            Format::Glb => "GLB",
            Format::Gltf => "glTF",
            Format::Gmsh => "Gmsh",
            Format::Vtu => "VTU",
            Format::Medit => "Medit",
            Format::Tetgen => "TetGen",
        }
    }

    /// File extensions without the dot; the first is the usual one.
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Format::Obj => &["obj"],
            Format::Stl => &["stl"],
            Format::Ply => &["ply"],
            Format::Off => &["off"],
            Format::Glb => &["glb"],
            Format::Gltf => &["gltf"],
            Format::Gmsh => &["msh"],
            Format::Vtu => &["vtu"],
            Format::Medit => &["mesh", "meshb"],
            Format::Tetgen => &["node", "ele"],
        }
    }

    /// All extensions for messages: ".obj, .stl, …".
    pub fn all_extensions() -> String {
        let extensions = Format::ALL.iter().flat_map(|format| format.extensions());
        extensions.map(|extension| format!(".{extension}")).collect::<Vec<_>>().join(", ")
    }

    /// The format of a file extension; rejects unknown ones.
    pub fn of_path(path: &Path) -> Result<Format, ShapeError> {
        let extension = path.extension().unwrap_or_default();
        let is_named = |format: &Format| format.extensions().iter().any(|known| extension.eq_ignore_ascii_case(known));
        Format::ALL
            .into_iter()
            .find(is_named)
            .ok_or_else(|| ShapeError::UnknownExtension { path: path.to_owned(), known: Format::all_extensions() })
    }

    /// Rejects empty files and files that are clearly of another format.
    pub(crate) fn check_content(self, bytes: &[u8], path: &Path) -> Result<(), ShapeError> {
        if bytes.is_empty() {
            return Err(ShapeError::EmptyFile { path: path.to_owned() });
        }
        match detect(bytes) {
            Some(Detected::Known(other, looks_like)) if other != self => {
                let name = path.with_extension(other.extensions()[0]);
                let name = name.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
                Err(ShapeError::WrongExtension { path: path.to_owned(), looks_like, name })
            }
            Some(Detected::Unsupported(looks_like)) => {
                Err(ShapeError::UnsupportedFormat { path: path.to_owned(), looks_like })
            }
            _ => Ok(()),
        }
    }
}

/// The format detected from content, with a phrase for messages.
#[derive(Debug, PartialEq)]
enum Detected {
    Known(Format, &'static str),
    Unsupported(&'static str),
}

/// Unsupported formats by their first bytes.
const UNSUPPORTED_SIGNATURES: [(&[u8], &str); 12] = [
    (b"Kaydara FBX Binary", "a binary FBX file"),
    (b"; FBX", "an FBX file"),
    (b"PK\x03\x04", "a ZIP archive (3MF, USDZ and others are such)"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"PXR-USDC", "a USD file"),
    (b"#usda", "a USD file"),
    (b"BLENDER", "a Blender file"),
    (b"#VRML", "a VRML file"),
    (b"# vtk DataFile", "a legacy VTK file"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"ISO-10303-21", "a STEP file"),
];

/// Number of bytes searched in text files.
const DETECTION_BYTES: usize = 4096;

/// Detects a format from content; `None` if undecided.
fn detect(bytes: &[u8]) -> Option<Detected> {
    if let Some((_, name)) = UNSUPPORTED_SIGNATURES.iter().find(|(start, _)| bytes.starts_with(start)) {
        return Some(Detected::Unsupported(name));
    }
    if bytes.starts_with(b"glTF") {
        return Some(Detected::Known(Format::Glb, "a GLB file"));
    }
    if bytes.starts_with(b"ply\n") || bytes.starts_with(b"ply\r") {
        return Some(Detected::Known(Format::Ply, "a PLY file"));
    }
    if super::stl::has_binary_length(bytes) {
        return Some(Detected::Known(Format::Stl, "a binary STL file"));
    }
    detect_text(&bytes[..bytes.len().min(DETECTION_BYTES)])
}

fn detect_text(start: &[u8]) -> Option<Detected> {
    if start.contains(&0) {
        return None;
    }
    let text = String::from_utf8_lossy(start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start));
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let first = lines.next()?;
    let word = first.split_whitespace().next().unwrap_or_default();
    if word.eq_ignore_ascii_case("solid") && ["facet", "endsolid"].iter().any(|key| text.to_lowercase().contains(key)) {
        return Some(Detected::Known(Format::Stl, "an STL file"));
    }
    if super::off::variant_of(word).is_some() {
        return Some(Detected::Known(Format::Off, "an OFF file"));
    }
    if first.starts_with("$MeshFormat") {
        return Some(Detected::Known(Format::Gmsh, "a Gmsh file"));
    }
    if word.eq_ignore_ascii_case("MeshVersionFormatted") {
        return Some(Detected::Known(Format::Medit, "a Medit file"));
    }
    if let Some((_, head)) = text.split_once("<VTKFile") {
        let is_grid = head.split('>').next().unwrap_or_default().contains("UnstructuredGrid");
        return Some(if is_grid {
            Detected::Known(Format::Vtu, "a VTU file")
        } else {
            Detected::Unsupported("a VTK file of another type")
        });
    }
    if first.starts_with('{') {
        return text.contains("\"asset\"").then_some(Detected::Known(Format::Gltf, "a glTF file"));
    }
    if text.contains("<COLLADA") {
        return Some(Detected::Unsupported("a COLLADA file"));
    }
    if first.to_ascii_lowercase().starts_with("<!doctype html") || first.to_ascii_lowercase().starts_with("<html") {
        return Some(Detected::Unsupported("a web page"));
    }
    // The last line may be truncated.
    std::iter::once(first).chain(lines).find(|line| is_obj(line)).map(|_| Detected::Known(Format::Obj, "an OBJ file"))
}

/// Returns true for a vertex, face or material statement of OBJ.
fn is_obj(line: &str) -> bool {
    let mut words = line.split_whitespace();
    match words.next() {
        Some("v") => words.take(3).filter_map(super::text::number).count() == 3,
        Some("f") => {
            words.clone().count() >= 3 && words.all(|word| word.starts_with(|c: char| c.is_ascii_digit() || c == '-'))
        }
        Some("mtllib" | "usemtl") => words.next().is_some(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_case_insensitive() {
        assert_eq!(Format::of_path(Path::new("a/b.OBJ")).expect("known"), Format::Obj);
        assert_eq!(Format::of_path(Path::new("b.tar.glb")).expect("known"), Format::Glb);
        let error = Format::of_path(Path::new("b.fbx")).expect_err("unknown").to_string();
        assert!(error.starts_with("b.fbx: unsupported file extension; supported are .obj, .stl, "), "{error}");
        assert!(Format::of_path(Path::new("obj")).is_err());
    }

    #[test]
    fn content_that_contradicts_the_extension_is_reported() {
        let mut binary_stl = [0; 84 + 50];
        binary_stl[80] = 1;
        for (bytes, name) in [
            (&binary_stl[..], "bunny.obj looks like a binary STL file: rename it to bunny.stl"),
            (b"glTF\x02\0\0\0", "bunny.obj looks like a GLB file: rename it to bunny.glb"),
            (b"ply\nformat ascii 1.0\n", "bunny.obj looks like a PLY file: rename it to bunny.ply"),
            (b"# x\n\nCNOFF\n3 1 0\n", "bunny.obj looks like an OFF file: rename it to bunny.off"),
            (b"solid x\nfacet normal", "bunny.obj looks like an STL file: rename it to bunny.stl"),
            (b"{\"asset\":{}}", "bunny.obj looks like a glTF file: rename it to bunny.gltf"),
            (b"$MeshFormat\n4.1 0 8\n", "bunny.obj looks like a Gmsh file: rename it to bunny.msh"),
            (b"\nMeshVersionFormatted 1\n", "bunny.obj looks like a Medit file: rename it to bunny.mesh"),
            (
                b"<?xml version='1.0'?>\n<VTKFile type='UnstructuredGrid'>",
                "bunny.obj looks like a VTU file: rename it to bunny.vtu",
            ),
            (
                b"PK\x03\x04",
                "bunny.obj looks like a ZIP archive (3MF, USDZ and others are such), which is not supported: save it as GLB or OBJ",
            ),
        ] {
            let error = Format::Obj.check_content(bytes, Path::new("bunny.obj")).expect_err(name);
            assert_eq!(error.to_string(), name);
        }
        let obj = b"# written by hand\no x\nv 0 0 0\n";
        let error = Format::Stl.check_content(obj, Path::new("x.stl")).expect_err("an OBJ file");
        assert_eq!(error.to_string(), "x.stl looks like an OBJ file: rename it to x.obj");
        Format::Obj.check_content(obj, Path::new("x.obj")).expect("as its extension says");
        Format::Obj.check_content(b"\n", Path::new("x.obj")).expect("nothing says otherwise");
        let error = Format::Obj.check_content(b"", Path::new("x.obj")).expect_err("no bytes");
        assert_eq!(error.to_string(), "x.obj is empty: there is no model in it");
    }
}
