//! Writers of small cell files in all variants that are read; shared with the fuzz seeds.

use miniz_oxide::deflate::compress_to_vec_zlib;

/// A mesh to write.
#[derive(Clone, Debug)]
pub struct Sample {
    pub points: Vec<[f64; 3]>,
    pub tetrahedra: Vec<[u32; 4]>,
    pub regions: Vec<i32>,
    pub triangles: Vec<[u32; 3]>,
}

impl Sample {
    /// The unit cube as six tetrahedra around a diagonal, in two regions, with one side as
    /// triangles.
    pub fn cube() -> Self {
        let bit = |k: u32, axis: u32| f64::from(k >> axis & 1);
        let points = (0..8).map(|k| [bit(k, 0), bit(k, 1), bit(k, 2)]).collect();
        // The fifth tetrahedron is inverted.
        let paths = [[1, 3], [3, 2], [2, 6], [6, 4], [5, 4], [5, 1]];
        Self {
            points,
            tetrahedra: paths.iter().map(|&[a, b]| [0, a, b, 7]).collect(),
            regions: vec![7, 7, 7, 9, 9, 9],
            triangles: vec![[0, 3, 1], [0, 2, 3]],
        }
    }

    /// The boundary of the cube alone.
    pub fn shell() -> Self {
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        Self { tetrahedra: Vec::new(), regions: Vec::new(), triangles, ..Self::cube() }
    }
}

/// Number encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    Text,
    Little,
    Big,
}

/// An output buffer.
struct Output {
    bytes: Vec<u8>,
    numbers: Numbers,
}

impl Output {
    fn text(&mut self, text: &str) {
        self.bytes.extend(text.as_bytes());
    }

    fn put<const N: usize>(&mut self, text: String, little: [u8; N]) {
        match self.numbers {
            Numbers::Text => self.bytes.extend(format!("{text} ").into_bytes()),
            Numbers::Little => self.bytes.extend(little),
            Numbers::Big => self.bytes.extend(little.iter().rev()),
        }
    }

    fn int(&mut self, value: i64) {
        self.put(value.to_string(), (value as i32).to_le_bytes());
    }

    fn long(&mut self, value: i64) {
        self.put(value.to_string(), value.to_le_bytes());
    }

    fn real(&mut self, value: f64) {
        self.put(value.to_string(), value.to_le_bytes());
    }

    fn single(&mut self, value: f64) {
        self.put(value.to_string(), (value as f32).to_le_bytes());
    }

    fn end_line(&mut self) {
        if self.numbers == Numbers::Text {
            self.bytes.push(b'\n');
        }
    }
}

/// A Gmsh file of version 2.2, 4.0 or 4.1; node numbers start at 11, with a gap before the last.
pub fn gmsh(sample: &Sample, version: &str, numbers: Numbers) -> Vec<u8> {
    let is_binary = numbers != Numbers::Text;
    let mut output = Output { bytes: Vec::new(), numbers };
    output.text(&format!("$MeshFormat\n{version} {} 8\n", u8::from(is_binary)));
    if is_binary {
        output.int(1);
        output.text("\n");
    }
    output.text("$EndMeshFormat\n$PhysicalNames\n1\n3 7 \"stone\"\n$EndPhysicalNames\n");
    let last = sample.points.len() as i64 - 1;
    let tag = |point: u32| if i64::from(point) == last { i64::from(point) + 20 } else { i64::from(point) + 11 };
    match version {
        "2.2" => gmsh_two(sample, &mut output, tag),
        _ => gmsh_four(sample, &mut output, tag, version == "4.1"),
    }
    output.text("$Periodic\n0\n$EndPeriodic\n");
    output.bytes
}

fn gmsh_two(sample: &Sample, output: &mut Output, tag: impl Fn(u32) -> i64) {
    output.text(&format!("$Nodes\n{}\n", sample.points.len()));
    for (place, point) in (0u32..).zip(&sample.points) {
        output.int(tag(place));
        point.iter().for_each(|&value| output.real(value));
        output.end_line();
    }
    output.text(&format!("\n$EndNodes\n$Elements\n{}\n", sample.triangles.len() + sample.tetrahedra.len()));
    let is_binary = output.numbers != Numbers::Text;
    let mut element = |number: usize, kind: i64, count: usize, place: usize, region: i64, nodes: &[u32]| {
        if is_binary {
            if place == 0 {
                [kind, count as i64, 2].iter().for_each(|&value| output.int(value));
            }
            output.int(number as i64);
        } else {
            [number as i64, kind, 2].iter().for_each(|&value| output.int(value));
        }
        [region, 1].iter().for_each(|&value| output.int(value));
        nodes.iter().for_each(|&node| output.int(tag(node)));
        output.end_line();
    };
    for (place, triangle) in sample.triangles.iter().enumerate() {
        element(place + 1, 2, sample.triangles.len(), place, 0, triangle);
    }
    for (place, (tetrahedron, &region)) in sample.tetrahedra.iter().zip(&sample.regions).enumerate() {
        let number = place + 1 + sample.triangles.len();
        element(number, 4, sample.tetrahedra.len(), place, i64::from(region), tetrahedron);
    }
    output.text("\n$EndElements\n");
}

fn gmsh_four(sample: &Sample, output: &mut Output, tag: impl Fn(u32) -> i64, is_newest: bool) {
    // One point, one surface and a volume per region; entity numbers are a tenth of their physical
    // groups.
    let mut regions = sample.regions.clone();
    regions.dedup();
    output.text("$Entities\n");
    [1, 0, 1, regions.len() as i64].iter().for_each(|&count| output.long(count));
    output.int(1);
    (0..if is_newest { 3 } else { 6 }).for_each(|_| output.real(0.5));
    output.long(0);
    output.end_line();
    output.int(1);
    (0..6).for_each(|_| output.real(0.5));
    output.long(0);
    output.long(1);
    output.int(1);
    output.end_line();
    for &region in &regions {
        output.int(i64::from(region) * 10);
        (0..6).for_each(|_| output.real(0.5));
        output.long(2);
        output.int(i64::from(region));
        output.int(99);
        output.long(1);
        output.int(-1);
        output.end_line();
    }
    output.text("\n$EndEntities\n$Nodes\n");
    let count = sample.points.len() as i64;
    output.long(2);
    output.long(count);
    if is_newest {
        output.long(11);
        output.long(count + 19);
    }
    output.end_line();
    // The first node on a point, the others with parameters on a surface.
    for (dimension, places) in [(0, 0..1), (2, 1..sample.points.len())] {
        let (first, second) = if is_newest { (dimension, 1) } else { (1, dimension) };
        [first, second, i64::from(dimension > 0)].iter().for_each(|&value| output.int(value));
        output.long(places.len() as i64);
        output.end_line();
        if is_newest {
            places.clone().for_each(|place| output.long(tag(place as u32)));
            output.end_line();
        }
        for place in places {
            if !is_newest {
                output.int(tag(place as u32));
            }
            sample.points[place].iter().for_each(|&value| output.real(value));
            (0..dimension).for_each(|_| output.real(0.25));
            output.end_line();
        }
    }
    output.text("\n$EndNodes\n$Elements\n");
    let elements = (sample.triangles.len() + sample.tetrahedra.len()) as i64;
    output.long(1 + regions.len() as i64);
    output.long(elements);
    if is_newest {
        output.long(1);
        output.long(elements);
    }
    output.end_line();
    let mut number = 0;
    let mut block = |dimension: i64, entity: i64, kind: i64, cells: Vec<&[u32]>| {
        let (first, second) = if is_newest { (dimension, entity) } else { (entity, dimension) };
        [first, second, kind].iter().for_each(|&value| output.int(value));
        output.long(cells.len() as i64);
        output.end_line();
        for nodes in cells {
            number += 1;
            let numbers = std::iter::once(number).chain(nodes.iter().map(|&node| tag(node)));
            numbers.for_each(|value| if is_newest { output.long(value) } else { output.int(value) });
            output.end_line();
        }
    };
    block(2, 1, 2, sample.triangles.iter().map(|triangle| &triangle[..]).collect());
    for &region in &regions {
        let of_region = sample.tetrahedra.iter().zip(&sample.regions).filter(|(_, other)| **other == region);
        block(3, i64::from(region) * 10, 4, of_region.map(|(tetrahedron, _)| &tetrahedron[..]).collect());
    }
    output.text("\n$EndElements\n");
}

/// A Medit text file, or a .meshb file of version 1 to 4.
pub fn medit(sample: &Sample, version: i64, numbers: Numbers) -> Vec<u8> {
    let mut output = Output { bytes: Vec::new(), numbers };
    if numbers == Numbers::Text {
        output.text(&format!("MeshVersionFormatted {version}\n# a comment\n\nDimension\n3\n"));
    } else {
        output.int(1);
        output.int(version);
    }
    let is_binary = numbers != Numbers::Text;
    let mut section = |name: &str, code: i64, rows: &[(Vec<f64>, Vec<i64>)]| {
        let whole = |output: &mut Output, value| if version == 4 { output.long(value) } else { output.int(value) };
        let mut next = None;
        if is_binary {
            output.int(code);
            next = Some(output.bytes.len());
            if version > 2 { output.long(0) } else { output.int(0) }
        } else {
            output.text(&format!("\n{name}\n"));
        }
        if code == 3 {
            output.int(3);
        } else {
            whole(&mut output, rows.len() as i64);
            output.end_line();
        }
        for (reals, wholes) in rows {
            reals.iter().for_each(|&value| if version == 1 { output.single(value) } else { output.real(value) });
            wholes.iter().for_each(|&value| whole(&mut output, value));
            output.end_line();
        }
        if let Some(next) = next {
            let mut place = Output { bytes: Vec::new(), numbers };
            let end = output.bytes.len() as i64;
            if version > 2 {
                place.long(end)
            } else {
                place.int(end)
            }
            output.bytes[next..next + place.bytes.len()].copy_from_slice(&place.bytes);
        }
    };
    if is_binary {
        section("Dimension", 3, &[]);
    }
    section("Vertices", 4, &sample.points.iter().map(|point| (point.to_vec(), vec![0])).collect::<Vec<_>>());
    // A section that cell readers ignore.
    section("RequiredVertices", 15, &[(vec![], vec![1]), (vec![], vec![2])]);
    let row = |nodes: &[u32], reference: i32| {
        let numbers = nodes.iter().map(|&node| i64::from(node) + 1);
        (Vec::new(), numbers.chain([i64::from(reference)]).collect::<Vec<i64>>())
    };
    section("Triangles", 6, &sample.triangles.iter().map(|nodes| row(nodes, 3)).collect::<Vec<_>>());
    let tetrahedra = sample.tetrahedra.iter().zip(&sample.regions);
    section("Tetrahedra", 8, &tetrahedra.map(|(nodes, &region)| row(nodes, region)).collect::<Vec<_>>());
    if is_binary {
        output.int(54);
        output.int(0);
    } else {
        output.text("\nEnd\n");
    }
    output.bytes
}

/// The .node and .ele files of TetGen, numbered from `first`.
pub fn tetgen(sample: &Sample, first: u32) -> (Vec<u8>, Vec<u8>) {
    let mut nodes = format!("# nodes\n\n{}  3  1  1 # head\n", sample.points.len());
    for (number, [x, y, z]) in (first..).zip(&sample.points) {
        nodes += &format!("  {number} {x} {y} {z}  0.5 -1 # node\n");
    }
    let mut elements = format!("{} 4 1\n", sample.tetrahedra.len());
    for (number, (tetrahedron, region)) in (first..).zip(sample.tetrahedra.iter().zip(&sample.regions)) {
        let [a, b, c, d] = tetrahedron.map(|node| node + first);
        elements += &format!("{number}  {a} {b} {c} {d}  {region}\n");
    }
    (nodes.into_bytes(), (elements + "# the end\n").into_bytes())
}

/// Storage of the arrays of a .vtu file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    Text,
    /// Base64 in the element; the header is encoded alone or with the data.
    Inline {
        head_alone: bool,
    },
    Raw,
    AppendedBase64,
}

/// A variant of a .vtu file.
#[derive(Clone, Copy, Debug)]
pub struct Vtu {
    pub storage: Storage,
    pub has_long_heads: bool,
    pub is_big: bool,
    /// Size of zlib blocks (bytes), if the arrays are compressed.
    pub block: Option<usize>,
}

/// A .vtu file with one piece.
pub fn vtu(sample: &Sample, variant: Vtu) -> Vec<u8> {
    let cells: Vec<(&[u32], u8, i32)> = sample
        .triangles
        .iter()
        .map(|nodes| (&nodes[..], 5, 0))
        .chain(sample.tetrahedra.iter().zip(&sample.regions).map(|(nodes, &region)| (&nodes[..], 10, region)))
        .collect();
    let mut end = 0;
    let offsets: Vec<i64> = cells
        .iter()
        .map(|cell| {
            end += cell.0.len() as i64;
            end
        })
        .collect();
    let connectivity = cells.iter().flat_map(|cell| cell.0).map(|&node| f64::from(node)).collect::<Vec<_>>();
    let mut file = VtuFile { variant, text: String::new(), appended: Vec::new() };
    let order = if variant.is_big { "BigEndian" } else { "LittleEndian" };
    let head = if variant.has_long_heads { "UInt64" } else { "UInt32" };
    let packer = if variant.block.is_some() { " compressor=\"vtkZLibDataCompressor\"" } else { "" };
    file.text += &format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"{order}\" header_type=\"{head}\"{packer}>\n\
         <UnstructuredGrid>\n<!-- a cube -->\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n",
        sample.points.len(),
        cells.len()
    );
    file.text += "<CellData>\n";
    file.array("region_id", "Int32", 1, &cells.iter().map(|cell| f64::from(cell.2)).collect::<Vec<_>>());
    file.text += "</CellData>\n<Points>\n";
    file.array("Points", "Float64", 3, sample.points.as_flattened());
    file.text += "</Points>\n<Cells>\n";
    file.array("connectivity", "Int64", 1, &connectivity);
    file.array("offsets", "UInt32", 1, &offsets.iter().map(|&offset| offset as f64).collect::<Vec<_>>());
    file.array("types", "UInt8", 1, &cells.iter().map(|cell| f64::from(cell.1)).collect::<Vec<_>>());
    file.text += "</Cells>\n</Piece>\n</UnstructuredGrid>\n";
    let mut bytes = file.text.into_bytes();
    if !file.appended.is_empty() {
        let encoding = if variant.storage == Storage::Raw { "raw" } else { "base64" };
        bytes.extend(format!("<AppendedData encoding=\"{encoding}\">\n   _").into_bytes());
        bytes.extend(file.appended);
        bytes.extend(b"\n</AppendedData>\n");
    }
    bytes.extend(b"</VTKFile>\n");
    bytes
}

struct VtuFile {
    variant: Vtu,
    text: String,
    appended: Vec<u8>,
}

impl VtuFile {
    fn array(&mut self, name: &str, kind: &str, components: usize, values: &[f64]) {
        let tag = format!("<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\"");
        let numbers = if self.variant.is_big { Numbers::Big } else { Numbers::Little };
        let mut plain = Output { bytes: Vec::new(), numbers };
        for &value in values {
            match kind {
                "Float64" => plain.real(value),
                "Int64" => plain.long(value as i64),
                "UInt8" => plain.bytes.push(value as u8),
                _ => plain.int(value as i64),
            }
        }
        let (head, data) = self.packed(&plain.bytes);
        match self.variant.storage {
            Storage::Text => {
                let words: Vec<String> = values.iter().map(f64::to_string).collect();
                self.text += &format!("{tag} format=\"ascii\">\n{}\n</DataArray>\n", words.join(" "));
            }
            Storage::Inline { head_alone } => {
                let text = encoded(&head, &data, head_alone || self.variant.block.is_some());
                self.text += &format!("{tag} format=\"binary\">\n  {text}\n</DataArray>\n");
            }
            Storage::Raw => {
                self.text += &format!("{tag} format=\"appended\" offset=\"{}\"/>\n", self.appended.len());
                self.appended.extend([head, data].concat());
            }
            Storage::AppendedBase64 => {
                self.text += &format!("{tag} format=\"appended\" offset=\"{}\"/>\n", self.appended.len());
                let text = encoded(&head, &data, self.variant.block.is_some());
                self.appended.extend(text.into_bytes());
            }
        }
    }

    /// Header and data of an array.
    fn packed(&self, plain: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let numbers = if self.variant.is_big { Numbers::Big } else { Numbers::Little };
        let mut head = Output { bytes: Vec::new(), numbers };
        let mut size =
            |value: usize| if self.variant.has_long_heads { head.long(value as i64) } else { head.int(value as i64) };
        let Some(block) = self.variant.block else {
            size(plain.len());
            return (head.bytes, plain.to_vec());
        };
        let packed: Vec<Vec<u8>> = plain.chunks(block).map(|block| compress_to_vec_zlib(block, 6)).collect();
        size(packed.len());
        if !packed.is_empty() {
            size(block);
            size(plain.len() % block);
        }
        packed.iter().for_each(|block| size(block.len()));
        (head.bytes, packed.concat())
    }
}

fn encoded(head: &[u8], data: &[u8], head_alone: bool) -> String {
    if head_alone { base64(head) + &base64(data) } else { base64(&[head, data].concat()) }
}

/// Base64 with padding.
pub fn base64(bytes: &[u8]) -> String {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let joined = group.iter().fold(0u32, |joined, &byte| joined << 8 | u32::from(byte)) << (8 * (3 - group.len()));
        for place in 0..4 {
            let letter = letters[(joined >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= group.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

/// All variants of .vtu files.
pub fn vtu_variants() -> Vec<Vtu> {
    let storages = [
        Storage::Text,
        Storage::Inline { head_alone: false },
        Storage::Inline { head_alone: true },
        Storage::Raw,
        Storage::AppendedBase64,
    ];
    let mut variants = Vec::new();
    for storage in storages {
        for has_long_heads in [false, true] {
            for is_big in [false, true] {
                for block in [None, Some(40), Some(32), Some(1 << 15)] {
                    variants.push(Vtu { storage, has_long_heads, is_big, block });
                }
            }
        }
    }
    variants
}
