//! Small model files of every kind: a tetrahedron, whole and spoilt.

use std::error::Error;
use std::fs;
use std::path::Path;

const POINTS: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
const TRIANGLES: [[u8; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

/// Writes the seeds of all readers of models that are not texts by hand.
pub fn write(seeds: &Path) -> Result<(), Box<dyn Error>> {
    write_obj(&seeds.join("obj"))?;
    write_stl(&seeds.join("stl"))?;
    write_ply(&seeds.join("ply"))?;
    write_off(&seeds.join("off"))?;
    write_gltf(&seeds.join("gltf"))
}

fn write_all(folder: &Path, files: &[(&str, Vec<u8>)]) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(folder)?;
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes)?;
    }
    Ok(fs::write(folder.join("bad-empty"), [])?)
}

fn cut(bytes: &[u8]) -> Vec<u8> {
    bytes[..bytes.len() - 7].to_vec()
}

/// Two faces that take long to cut into triangles: one of 20,000 corners that runs two hundred
/// times round a star, and one of 5,000 corners that are all different and cross each other
/// everywhere.
fn write_obj(folder: &Path) -> Result<(), Box<dyn Error>> {
    let star = |corners: u32, rounds: usize, radius: &dyn Fn(u32) -> f64| {
        let mut text = String::new();
        for corner in 0..corners {
            let (sine, cosine) = (std::f64::consts::TAU * 0.37 * f64::from(corner)).sin_cos();
            text += &format!("v {:.4} {:.4} 0\n", cosine * radius(corner), sine * radius(corner));
        }
        let round: Vec<String> = (1..=corners).map(|corner| corner.to_string()).collect();
        text += &format!("f {}\n", vec![round.join(" "); rounds].join(" "));
        text.into_bytes()
    };
    let files = [
        ("sound-20000-corners", star(100, 200, &|_| 1.0)),
        ("sound-5000-different-corners", star(5000, 1, &|corner| 1.0 + 0.01 * f64::from(corner))),
    ];
    write_all(folder, &files)
}

fn write_stl(folder: &Path) -> Result<(), Box<dyn Error>> {
    let mut binary = vec![0; 80];
    binary.extend(4u32.to_le_bytes());
    let mut text = "solid seed\n".to_owned();
    for triangle in TRIANGLES {
        binary.extend([0; 12]);
        text += "facet normal 0 0 0\nouter loop\n";
        for [x, y, z] in triangle.map(|point| POINTS[usize::from(point)]) {
            binary.extend([x, y, z].iter().flat_map(|value| value.to_le_bytes()));
            text += &format!("vertex {x} {y} {z}\n");
        }
        binary.extend([0; 2]);
        text += "endloop\nendfacet\n";
    }
    let mut many = binary.clone();
    many[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    let unended = text.replace("endfacet\n", "");
    text += "endsolid seed\n";
    write_all(
        folder,
        &[
            ("bad-cut-off", cut(&binary)),
            ("bad-announces-too-many", many),
            ("bad-facet-unended", unended.into_bytes()),
            ("sound-text-nan", text.replacen("vertex 1 0 0", "vertex nan 0 1e99", 1).into_bytes()),
            ("sound-binary", binary),
            ("sound-text", text.into_bytes()),
        ],
    )
}

fn write_ply(folder: &Path) -> Result<(), Box<dyn Error>> {
    let header = |format: &str| {
        format!(
            "ply\nformat {format} 1.0\ncomment TextureFile a.png\nelement vertex 4\nproperty float x\nproperty float y\n\
             property float z\nproperty float s\nproperty float t\nproperty float nx\nproperty float ny\nproperty float nz\n\
             property uchar red\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n"
        )
    };
    let vertex = |[x, y, z]: [f32; 3]| [x, y, z, x, y, 0.0, 0.0, 1.0];
    let mut text = header("ascii");
    let (mut little, mut big) = (header("binary_little_endian").into_bytes(), header("binary_big_endian").into_bytes());
    for point in POINTS {
        for value in vertex(point) {
            text += &format!("{value} ");
            little.extend(value.to_le_bytes());
            big.extend(value.to_be_bytes());
        }
        text += "255\n";
        little.push(255);
        big.push(255);
    }
    for triangle in TRIANGLES {
        text += &format!("3 {} {} {}\n", triangle[0], triangle[1], triangle[2]);
        little.push(3);
        little.extend(triangle.iter().flat_map(|&point| u32::from(point).to_le_bytes()));
        big.push(3);
        big.extend(triangle.iter().flat_map(|&point| u32::from(point).to_be_bytes()));
    }
    let xyz = "property double x\nproperty double y\nproperty double z\n";
    let strip = format!(
        "ply\nformat ascii 1.0\nelement vertex 4\n{xyz}element tristrips 1\n\
         property list int int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n7 0 1 2 3 -1 1 0\n"
    );
    let wedges = format!(
        "ply\nformat ascii 1.0\nelement vertex 3\n{xyz}element face 1\nproperty list uchar uchar vertex_index\n\
         property list uchar float texcoord\nproperty int texnumber\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2 6 0 0 1 0 0 1 0\n"
    );
    let many = text.replace("vertex 4", "vertex 4000000000");
    write_all(
        folder,
        &[
            ("bad-cut-off", cut(&little)),
            ("bad-announces-too-many", many.into_bytes()),
            ("bad-index", text.replace("3 0 2 1", "3 0 2 9").into_bytes()),
            ("sound-little-endian", little),
            ("sound-big-endian", big),
            ("sound-text", text.into_bytes()),
            ("sound-strip", strip.into_bytes()),
            ("sound-wedges", wedges.into_bytes()),
        ],
    )
}

fn write_off(folder: &Path) -> Result<(), Box<dyn Error>> {
    let file = |first: &str, behind: &str| {
        let points = POINTS.map(|[x, y, z]| format!("{x} {y} {z}{behind}\n")).concat();
        let faces = TRIANGLES.map(|[a, b, c]| format!("3 {a} {b} {c}\n")).concat();
        format!("{first}\n{points}{faces}").into_bytes()
    };
    write_all(
        folder,
        &[
            ("sound-plain", file("OFF\n# a comment\n4 4 0", "")),
            ("sound-bare", file("4 4", "")),
            ("sound-all", file("STCNOFF\n4 4 6", " 0 0 1 255 0 0 0.5 0.25")),
            ("bad-binary", b"OFF BINARY\n\0\0\0\x04".to_vec()),
            ("bad-four", file("4OFF\n4 4 6", " 1")),
            ("bad-announces-too-many", file("OFF\n4000000000 4 0", "")),
            ("bad-cut-off", cut(&file("OFF\n4 4 0", ""))),
        ],
    )
}

fn write_gltf(folder: &Path) -> Result<(), Box<dyn Error>> {
    // Positions, texture coordinates as bytes, indices; two of the points are changed by a sparse
    // accessor.
    let mut buffer: Vec<u8> = POINTS.iter().flatten().flat_map(|value| value.to_le_bytes()).collect();
    buffer.extend([0, 0, 255, 0, 255, 255, 0, 255]);
    buffer.extend(TRIANGLES.as_flattened());
    buffer.extend([1, 3, 0, 0]);
    buffer.extend([2.0f32, 0.0, 0.0, 0.0, 0.0, 2.0].iter().flat_map(|value| value.to_le_bytes()));
    let json = |uri: &str, nodes: &str, more: &str| {
        format!(
            r#"{{"asset":{{"version":"2.0"}},{more}"scenes":[{{"nodes":[0]}}],"nodes":{nodes},"meshes":[{{"primitives":[
{{"attributes":{{"POSITION":0,"NORMAL":0,"TEXCOORD_0":1}},"indices":2,"material":0}},{{"attributes":{{"POSITION":0}},"mode":5}}]}}],
"materials":[{{"name":"a","pbrMetallicRoughness":{{"baseColorFactor":[1,0,0,1],"baseColorTexture":{{"index":0}}}}}}],
"textures":[{{"source":0}}],"images":[{{"uri":"a.png"}}],
"accessors":[{{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3","sparse":{{"count":2,
"indices":{{"bufferView":3,"componentType":5121}},"values":{{"bufferView":3,"byteOffset":4}}}}}},
{{"bufferView":1,"componentType":5121,"normalized":true,"count":4,"type":"VEC2"}},
{{"bufferView":2,"componentType":5121,"count":12,"type":"SCALAR"}}],
"bufferViews":[{{"buffer":0,"byteLength":48}},{{"buffer":0,"byteOffset":48,"byteLength":8,"byteStride":2}},
{{"buffer":0,"byteOffset":56,"byteLength":12}},{{"buffer":0,"byteOffset":68,"byteLength":28}}],
"buffers":[{{{uri}"byteLength":96}}]}}"#
        )
        .into_bytes()
    };
    let node = r#"[{"children":[1],"scale":[1,1,-1]},{"mesh":0,"rotation":[0,0.6,0,0.8],"translation":[1,0,0]}]"#;
    let escaped: String = buffer.iter().map(|byte| format!("%{byte:02x}")).collect();
    let inside = format!(r#""uri":"data:,{escaped}","#);
    let beside = r#""uri":"parts/a%20b.bin","#;
    let mut chunk = json("", node, "");
    chunk.resize(chunk.len().next_multiple_of(4), b' ');
    let mut glb = b"glTF\x02\0\0\0".to_vec();
    glb.extend((28 + chunk.len() as u32 + buffer.len() as u32).to_le_bytes());
    for (bytes, kind) in [(&chunk, b"JSON"), (&buffer, b"BIN\0")] {
        glb.extend((bytes.len() as u32).to_le_bytes());
        glb.extend(kind);
        glb.extend(bytes);
    }
    write_all(
        folder,
        &[
            ("sound-inside", json(&inside, node, "")),
            ("beside", json(beside, node, "")),
            ("sound-quantised", json(&inside, node, r#""extensionsRequired":["KHR_mesh_quantization"],"#)),
            ("bad-ring", json(beside, r#"[{"children":[1]},{"mesh":0,"children":[0]}]"#, "")),
            ("bad-outside", json(r#""uri":"../a.bin","#, node, "")),
            ("bad-compressed", json(beside, node, r#""extensionsRequired":["KHR_draco_mesh_compression"],"#)),
            ("bad-cut-off", cut(&glb)),
            ("sound-chunk", glb),
        ],
    )
}
