use crate::write::{Sample, Storage, Vtu, base64, vtu, vtu_variants};
use crate::{check_cube, check_shell, message, parse};

#[test]
fn every_variant_gives_the_same_cube() {
    for variant in vtu_variants() {
        let model =
            parse(&vtu(&Sample::cube(), variant), "cube.vtu").unwrap_or_else(|error| panic!("{variant:?}: {error}"));
        check_cube(&model);
        assert_eq!(model.remarks[0], "regions taken from the cell array \"region_id\"");
        check_shell(&parse(&vtu(&Sample::shell(), variant), "cube.vtu").expect("a shell"));
    }
}

const TEXT: Vtu = Vtu { storage: Storage::Text, has_long_heads: false, is_big: false, block: None };

fn text() -> String {
    String::from_utf8(vtu(&Sample::cube(), TEXT)).expect("text")
}

/// A grid of one piece, with cells given by their points, end offsets and types.
fn grid(connectivity: &str, offsets: &str, types: &str) -> String {
    let cells = types.split_whitespace().count();
    format!(
        "<VTKFile type='UnstructuredGrid'><UnstructuredGrid><Piece NumberOfPoints='8' NumberOfCells='{cells}'>\
         <Points><DataArray type='Float32' NumberOfComponents='3'>0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1</DataArray></Points>\
         <Cells><DataArray type='Int32' Name='connectivity'>{connectivity}</DataArray>\
         <DataArray type='Int32' Name='offsets'><InformationKey name='a'>7</InformationKey>{offsets}</DataArray>\
         <DataArray type='UInt8' Name='types'>{types}</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>"
    )
}

#[test]
fn all_cell_types_are_recognised() {
    let model = parse(grid("0 1 2 4 0 1 3 2 4 5 7 6 0 1 3 2 4 0", "4 12 17 18", "10 12 14 1").as_bytes(), "a.vtu");
    let model = model.expect("one tetrahedron");
    assert_eq!(model.volume.expect("a volume").tetrahedra.len(), 1);
    assert_eq!(model.remarks[0], "1 hexahedron and 1 pyramid left out: only tetrahedra and triangles are supported");

    let curved = parse(grid("0 1 2 4 3 3 3 3 3 3", "10", "24").as_bytes(), "a.vtu").expect("one tetrahedron");
    assert_eq!(curved.remarks[0], "1 cell of higher order reduced to corner nodes");

    // A quadrilateral, a pixel, a polygon and a strip: four sides of the cube.
    let faces = parse(grid("0 1 3 2 4 5 6 7 0 1 5 4 2 3 6 7", "4 8 12 16", "9 8 7 6").as_bytes(), "a.vtu");
    let surface = faces.expect("faces").surface;
    assert_eq!((surface.triangles.len(), surface.area()), (8, 4.0));
}

#[test]
fn pieces_are_merged() {
    let text = text();
    let start = text.find("<Piece").expect("a piece");
    let end = text.find("</UnstructuredGrid>").expect("an end");
    let piece = text[start..end].replace("0 0 0 1 0 0", "5 5 5 1 0 0");
    let twice = format!("{}{piece}{}", &text[..end], &text[end..]);
    let model = parse(twice.as_bytes(), "a.vtu").expect("two pieces");
    let volume = model.volume.expect("a volume");
    assert_eq!((volume.nodes.len(), volume.tetrahedra.len()), (16, 12));
    assert_eq!(volume.regions.len(), 12);
}

/// A file whose header names an unsupported compressor.
fn with_compressor(text: &str) -> String {
    text.replacen("type=\"UnstructuredGrid\"", "type=\"UnstructuredGrid\" compressor=\"vtkLZ4DataCompressor\"", 1)
}

#[test]
fn a_compressor_of_text_does_not_matter() {
    check_cube(&parse(with_compressor(&text()).as_bytes(), "a.vtu").expect("a cube"));
}

#[test]
fn bad_files_are_refused_with_their_place() {
    let replaced = |from: &str, to: &str| {
        let text = text();
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    };
    for (text, expected) in [
        (String::new(), "a.vtu is empty: there is no model in it"),
        ("<html>".into(), "a.vtu looks like a web page, which is not supported: save it as GLB or OBJ"),
        ("<x>".into(), "a.vtu:1: the file does not begin with <VTKFile>"),
        ("<VTKFile type='UnstructuredGrid'/>".into(), "a.vtu:1: the file does not begin with <VTKFile>"),
        ("<VTKFile type='UnstructuredGrid'>".into(), "a.vtu:1: there is no <Piece> of a grid"),
        (
            with_compressor(
                &String::from_utf8(vtu(&Sample::cube(), Vtu { storage: Storage::Inline { head_alone: true }, ..TEXT }))
                    .expect("text"),
            ),
            "a.vtu uses the compressor \"vtkLZ4DataCompressor\", which is not supported: save it with zlib or uncompressed",
        ),
        (
            "<VTKFile type='UnstructuredGrid' byte_order='Middle'>".into(),
            "a.vtu:1: the byte order \"Middle\" is not known",
        ),
        (
            replaced("NumberOfPoints=\"8\"", "NumberOfPoints=\"many\""),
            "a.vtu:5: the piece has NumberOfPoints = \"many\", which is not a number",
        ),
        (
            replaced("NumberOfPoints=\"8\"", "NumberOfPoints=\"1000000000\""),
            "a.vtu:12: the array \"Points\" should have 3000000000 numbers, but has 49 bytes",
        ),
        (
            replaced("NumberOfPoints=\"8\"", "NumberOfPoints=\"7\""),
            "a.vtu:13: the array \"Points\" continues after its 21 numbers",
        ),
        (
            replaced("Name=\"offsets\"", "Name=\"offset\""),
            "a.vtu:5: the piece lacks one of the arrays of points, connectivity, offsets and types",
        ),
        (
            replaced("\"Float64\"", "\"Float16\""),
            "a.vtu:12: the array \"Points\" has numbers of type \"Float16\", which is not known",
        ),
        (grid("0 1 2 8", "4", "10"), "a.vtu, cell 0 from 0: it refers to point 8, but the piece has 8 points"),
        (grid("0 1 2 -1", "4", "10"), "a.vtu, cell 0 from 0: it refers to point -1, but the piece has 8 points"),
        (grid("0 1 2 4", "5 4", "10 10"), "a.vtu, cell 0 from 0: its nodes end at 5, but begin at 0 of 4"),
        (grid("0 1 2 4", "4 2 4", "10 10 10"), "a.vtu, cell 1 from 0: its nodes end at 2, but begin at 4 of 4"),
        (
            grid("", "-9", "10"),
            "a.vtu:1: the array \"connectivity\" should have 18446744073709551615 numbers, but has 0 bytes",
        ),
        (
            grid("0 1 2 4", "4", "10").replace("NumberOfPoints='8'", "NumberOfPoints='1000000000'"),
            "a.vtu:1: the array without a name should have 3000000000 numbers, but has 47 bytes",
        ),
    ] {
        assert_eq!(message(text.as_bytes(), "a.vtu"), expected);
    }
}

#[test]
fn other_files_of_vtk_are_named() {
    let text = message(b"<?xml version='1.0'?><VTKFile type='PolyData'>", "a.vtu");
    assert_eq!(text, "a.vtu looks like a VTK file of another type, which is not supported: save it as GLB or OBJ");
}

#[test]
fn compressed_blocks_are_limited_to_plausible_sizes() {
    // An array of zeros, compressed a thousandfold: a decompression bomb.
    let bomb = |declared: u32, points: u32, packed: &[u8]| {
        let head: Vec<u8> = [1, declared, 0, packed.len() as u32].iter().flat_map(|size| size.to_le_bytes()).collect();
        let array = base64(&head) + &base64(packed);
        format!(
            "<VTKFile type='UnstructuredGrid' compressor='vtkZLibDataCompressor'><UnstructuredGrid>\
             <Piece NumberOfPoints='{points}' NumberOfCells='0'>\
             <Points><DataArray type='Float32' Name='p' NumberOfComponents='3' format='binary'>{array}</DataArray></Points>\
             <Cells><DataArray type='Int32' Name='connectivity'/><DataArray type='Int32' Name='offsets'/>\
             <DataArray type='UInt8' Name='types'/></Cells></Piece></UnstructuredGrid></VTKFile>"
        )
    };
    let zeros = miniz_oxide::deflate::compress_to_vec_zlib(&vec![0; 12_000_000], 9);
    let text = message(bomb(12_000_000, 1_000_000, &zeros).as_bytes(), "a.vtu");
    assert!(
        text.ends_with("would decompress to 3000000 numbers, more than the limit for a file of this size"),
        "{text}"
    );
    let text = message(bomb(u32::MAX, 357_913_941, &zeros).as_bytes(), "a.vtu");
    assert!(
        text.ends_with("would decompress to 1073741823 numbers, more than the limit for a file of this size"),
        "{text}"
    );
    let text = message(bomb(13_000, 1_000, &zeros).as_bytes(), "a.vtu");
    assert!(text.ends_with("has 13000 bytes, but 12000 are needed"), "{text}");
    let text = message(bomb(120_000, 10_000, &zeros[..20]).as_bytes(), "a.vtu");
    assert!(text.ends_with("has a block of 20 bytes that cannot decompress to 120000"), "{text}");
    let text = message(bomb(12_000, 1_000, &zeros).as_bytes(), "a.vtu");
    assert!(text.ends_with("has an invalid zlib block, number 0 from 0"), "{text}");
    let mut damaged = miniz_oxide::deflate::compress_to_vec_zlib(&[7; 12_000], 9);
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    let text = message(bomb(12_000, 1_000, &damaged).as_bytes(), "a.vtu");
    assert!(text.ends_with("has an invalid zlib block, number 0 from 0"), "{text}");
}

#[test]
fn pieces_that_share_their_bytes_are_limited_too() {
    let piece = "<Piece NumberOfPoints='2000' NumberOfCells='0'>\
        <Points><DataArray type='Float32' Name='p' NumberOfComponents='3' format='appended' offset='0'/></Points>\
        <Cells><DataArray type='Int32' Name='connectivity'/><DataArray type='Int32' Name='offsets'/>\
        <DataArray type='UInt8' Name='types'/></Cells></Piece>";
    let head = "<VTKFile type='UnstructuredGrid'><UnstructuredGrid>";
    let mut bytes = format!("{head}{}<AppendedData encoding='raw'>_", piece.repeat(10)).into_bytes();
    let appended: Vec<u8> = 24_000u32.to_le_bytes().into_iter().chain([0; 24_000]).collect();
    bytes.extend(&appended);
    assert_eq!(message(&bytes, "a.vtu"), "a.vtu, cells: there are neither tetrahedra nor triangles");
    let mut bytes = format!("{head}{}<AppendedData encoding='raw'>_", piece.repeat(1000)).into_bytes();
    bytes.extend(&appended);
    let text = message(&bytes, "a.vtu");
    assert!(text.ends_with("would decompress to 6000 numbers, more than the limit for a file of this size"), "{text}");
}
