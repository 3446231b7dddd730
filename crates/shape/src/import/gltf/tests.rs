//! Tests on generated glTF files.

use std::io;
use std::path::Path;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn read_with(bytes: &[u8], files: &ExternalFiles<'_>) -> Result<Model, ShapeError> {
    parse(bytes, Path::new("models/cube.gltf"), files)
}

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n image";

/// No external files except the material's image.
fn nothing(path: &Path) -> io::Result<Vec<u8>> {
    if path == Path::new("wood.png") { Ok(PNG.to_vec()) } else { Err(io::Error::other("it is not there")) }
}

fn read(document: &Value) -> Result<Model, ShapeError> {
    read_with(document.to_string().as_bytes(), &nothing)
}

fn refused(document: &Value) -> String {
    read(document).expect_err("refused").to_string()
}

/// A GLB file of a document and a binary chunk.
fn glb(document: &Value, binary: &[u8]) -> Vec<u8> {
    let mut json = document.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((12 + 8 + json.len() as u32 + 8 + binary.len() as u32).to_le_bytes());
    for (chunk, kind) in [(&json[..], b"JSON"), (binary, b"BIN\0")] {
        bytes.extend((chunk.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(chunk);
    }
    bytes
}

fn data_uri(bytes: &[u8]) -> String {
    let escaped: String = bytes.iter().map(|byte| format!("%{byte:02x}")).collect();
    format!("data:application/octet-stream,{escaped}")
}

/// Corners and normal of each side of the cube [−1, 1]³.
fn sides() -> [([[f32; 3]; 4], [f32; 3]); 6] {
    let side = |axis: usize, sign: f32| {
        let corner = |u: f32, v: f32| {
            let mut corner = [0.0; 3];
            corner[axis] = sign;
            corner[(axis + 1) % 3] = u * sign;
            corner[(axis + 2) % 3] = v;
            corner
        };
        let mut normal = [0.0; 3];
        normal[axis] = sign;
        ([corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)], normal)
    };
    [side(0, 1.0), side(0, -1.0), side(1, 1.0), side(1, -1.0), side(2, 1.0), side(2, -1.0)]
}

/// A cube of 24 points: positions at byte 0, normals at 288, texture coordinates (normalised bytes,
/// stride 4) at 576, indices (16 bits) at 672; 744 bytes.
fn buffer() -> Vec<u8> {
    let mut bytes = Vec::new();
    for (corners, _) in sides() {
        bytes.extend(corners.iter().flatten().flat_map(|value| value.to_le_bytes()));
    }
    for (_, normal) in sides() {
        (0..4).for_each(|_| bytes.extend(normal.iter().flat_map(|value| value.to_le_bytes())));
    }
    for _ in 0..6 {
        bytes.extend([0, 0, 9, 9, 255, 0, 9, 9, 255, 255, 9, 9, 0, 255, 9, 9]);
    }
    for side in 0..6u16 {
        bytes.extend([0, 1, 2, 0, 2, 3].iter().flat_map(|k| (4 * side + k).to_le_bytes()));
    }
    bytes
}

fn document(uri: Option<String>) -> Value {
    let mut document = json!({
        "asset": { "version": "2.0" },
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{
            "attributes": { "POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2 }, "indices": 3, "material": 0,
        }] }],
        "materials": [{ "name": "wood", "pbrMetallicRoughness": {
            "baseColorFactor": [1, 0.5, 0.25, 1], "baseColorTexture": { "index": 0 },
        } }],
        "textures": [{ "source": 0 }],
        "images": [{ "uri": "wood.png" }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 24, "type": "VEC3" },
            { "bufferView": 0, "byteOffset": 288, "componentType": 5126, "count": 24, "type": "VEC3" },
            { "bufferView": 1, "componentType": 5121, "normalized": true, "count": 24, "type": "VEC2" },
            { "bufferView": 2, "componentType": 5123, "count": 36, "type": "SCALAR" },
        ],
        "bufferViews": [
            { "buffer": 0, "byteLength": 576 },
            { "buffer": 0, "byteOffset": 576, "byteLength": 96, "byteStride": 4 },
            { "buffer": 0, "byteOffset": 672, "byteLength": 72 },
        ],
        "buffers": [{ "byteLength": 744 }],
    });
    if let Some(uri) = uri {
        document["buffers"][0]["uri"] = json!(uri);
    }
    document
}

fn sound() -> Value {
    document(Some(data_uri(&buffer())))
}

fn check_cube(model: &Model, volume: f64) {
    assert_eq!((model.surface.positions.len(), model.surface.triangles.len()), (8, 12));
    let found = model.surface.closed_volume().expect("closed");
    assert!((found - volume).abs() < 1e-6 * volume, "{found}");
    for ((triangle, normals), textures) in
        model.surface.triangles.iter().zip(&model.normals).zip(&model.texture_coordinates)
    {
        let [a, b, c] = model.surface.corners(triangle);
        let normal = (b - a).cross(&(c - a)).normalize();
        assert!(normals.iter().all(|got| (normal - Vec3::from(got.map(f64::from))).norm() < 1e-6), "{normals:?}");
        // Both triangles of a side contain its first and third corner.
        assert_eq!(textures[0], [0.0, 1.0], "the lower left of the image is where its last row is");
        assert!(textures.contains(&[1.0, 0.0]), "{textures:?}");
    }
    assert_eq!(model.materials[0].colour, Some([1.0, 0.5, 0.25, 1.0]));
    assert_eq!((&model.materials[0].name[..], model.materials[0].texture.as_deref()), ("wood", Some("wood.png")));
    assert_eq!(model.material_of_triangle, [0; 12]);
}

#[test]
fn buffers_are_read_from_uris_files_and_the_chunk() {
    check_cube(&read(&sound()).expect("inside"), 8.0);
    check_cube(&read_with(&glb(&document(None), &buffer()), &nothing).expect("in the chunk"), 8.0);
    let files = |path: &Path| match path.to_str() {
        Some("parts/my cube.bin") => Ok(buffer()),
        _ => nothing(path),
    };
    let beside = document(Some("./parts/my%20cube.bin".into())).to_string();
    check_cube(&read_with(beside.as_bytes(), &files).expect("beside"), 8.0);
}

#[test]
fn images_are_read_from_uris_files_and_the_chunk() {
    let png = PNG.to_vec();
    let beside = |path: &Path| {
        if path == Path::new("my wood.png") { Ok(png.clone()) } else { Err(io::Error::other("it is not there")) }
    };
    let mut in_chunk = document(None);
    in_chunk["images"] = json!([{ "bufferView": 3, "mimeType": "image/png", "name": "bark" }]);
    let view = json!({ "buffer": 0, "byteOffset": 744, "byteLength": png.len() });
    in_chunk["bufferViews"].as_array_mut().expect("a list").push(view);
    in_chunk["buffers"][0]["byteLength"] = json!(744 + png.len());
    let binary = [buffer(), png.clone()].concat();
    let model = read_with(&glb(&in_chunk, &binary), &nothing).expect("in the chunk");
    assert_eq!((model.materials[0].texture.as_deref(), model.remarks.len()), (Some("bark"), 0), "{:?}", model.remarks);
    assert_eq!(model.materials[0].image.as_ref().expect("an image").bytes()[..], png);

    for uri in [data_uri(&png), "my%20wood.png".to_owned()] {
        let mut other = sound();
        other["images"] = json!([{ "uri": uri }]);
        let model = read_with(other.to_string().as_bytes(), &beside).expect("a cube");
        assert_eq!(model.materials[0].image.as_ref().expect("an image").bytes()[..], png);
    }
    for (image, problem) in [
        (json!({ "uri": "other.png" }), "it is not there"),
        (json!({ "uri": "../wood.png" }), "is not a file in the model's folder"),
        (json!({ "bufferView": 9 }), "bufferViews[9], which does not exist"),
        (json!({ "bufferView": 2 }), "neither PNG nor JPEG"),
        (json!({}), "neither a uri nor a bufferView"),
    ] {
        let mut other = sound();
        other["images"] = json!([image]);
        let model = read_with(other.to_string().as_bytes(), &beside).expect("a cube without an image");
        assert_eq!(model.materials[0].image, None);
        assert!(model.remarks[0].contains(problem), "{:?}", model.remarks);
    }
}

#[test]
fn vertex_colours_become_brightness() {
    let mut painted = sound();
    // Red, green, blue and opacity; texture coordinates use the first two bytes.
    painted["accessors"]
        .as_array_mut()
        .expect("a list")
        .push(json!({ "bufferView": 1, "componentType": 5121, "normalized": true, "count": 24, "type": "VEC4" }));
    painted["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"] = json!(4);
    let model = read(&painted).expect("a cube");
    check_cube(&model, 8.0);
    let ends = [f32::min, f32::max].map(|pick| model.vertex_brightness.iter().copied().reduce(pick).expect("some"));
    assert_eq!((model.vertex_brightness.len(), ends), (8, [9.0, 519.0].map(|sum: f64| (sum / 765.0) as f32)));
    painted["accessors"][4]["count"] = json!(23);
    assert!(refused(&painted).contains("it has 23 COLOR_0 values for its 24 points"));
}

#[test]
fn nodes_rotate_scale_reflect_and_instantiate_meshes() {
    let mut cube = sound();
    // A quarter turn about z and a scale of 2 along x, below a reflection.
    let half = std::f64::consts::FRAC_1_SQRT_2;
    cube["nodes"] = json!([
        { "matrix": [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 10, 0, 0, 1], "children": [1] },
        { "mesh": 0, "scale": [2, 1, 1], "rotation": [0, 0, half, half], "translation": [5, 0, 0] },
    ]);
    let model = read(&cube).expect("a cube");
    check_cube(&model, 16.0);
    let bounds = model.surface.bounds();
    assert!((bounds.centre() - Vec3::new(5.0, 0.0, 0.0)).norm() < 1e-9, "10 − 5");
    assert!((bounds.size() - Vec3::new(2.0, 4.0, 2.0)).norm() < 1e-9);

    cube["nodes"] = json!([{ "mesh": 0 }, { "mesh": 0, "translation": [9, 0, 0] }, { "mesh": 0, "scale": [9, 9, 9] }]);
    cube["scenes"] = json!([{ "nodes": [0] }, { "nodes": [0, 1] }]);
    let twice = read(&cube).expect("two cubes").surface;
    assert_eq!((twice.triangles.len(), twice.positions.len()), (24, 16), "every scene, every node once");
    assert!((twice.closed_volume().expect("closed") - 16.0).abs() < 1e-9);

    let map = cube.as_object_mut().expect("an object");
    map.remove("scenes");
    assert_eq!(read(&cube).expect("three cubes").surface.triangles.len(), 36);
    let map = cube.as_object_mut().expect("an object");
    map.remove("nodes");
    check_cube(&read(&cube).expect("the bare mesh"), 8.0);
}

#[test]
fn strips_fans_and_bare_points_make_the_same_cube() {
    for (mode, order, kind) in
        [(5, vec![0, 1, 3, 2], 5121), (6, vec![0, 1, 2, 3], 5125), (4, vec![0, 1, 2, 0, 2, 3], 5123)]
    {
        let mut bytes = buffer();
        let mut cube = document(None);
        cube["meshes"][0]["primitives"] = (0..6)
            .map(|side| {
                json!({ "attributes": { "POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2 }, "indices": 3 + side, "mode": mode, "material": 0 })
            })
            .collect();
        let accessors = cube["accessors"].as_array_mut().expect("a list");
        accessors.truncate(3);
        for side in 0..6u32 {
            accessors.push(json!({ "bufferView": 3, "byteOffset": bytes.len() - 744, "componentType": kind,
                "count": order.len(), "type": "SCALAR" }));
            for k in &order {
                let index = (4 * side + k).to_le_bytes();
                bytes.extend(
                    &index[..match kind {
                        5121 => 1,
                        5123 => 2,
                        _ => 4,
                    }],
                );
            }
        }
        let views = cube["bufferViews"].as_array_mut().expect("a list");
        views.push(json!({ "buffer": 0, "byteOffset": 744, "byteLength": bytes.len() - 744 }));
        let model = read_with(&glb(&cube, &bytes), &nothing).expect("a cube");
        assert!((model.surface.closed_volume().expect("closed") - 8.0).abs() < 1e-9, "mode {mode}");
    }
    // Without indices: three points per triangle.
    let mut corners = Vec::new();
    for (side, _) in sides() {
        [0, 1, 2, 0, 2, 3]
            .iter()
            .for_each(|&k: &usize| corners.extend(side[k].iter().flat_map(|value| value.to_le_bytes())));
    }
    let bare = json!({
        "asset": { "version": "2.1" }, "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 36, "type": "VEC3" }],
        "bufferViews": [{ "buffer": 0, "byteLength": 432 }], "buffers": [{ "byteLength": 432, "uri": data_uri(&corners) }],
    });
    let model = read(&bare).expect("a cube");
    assert!((model.surface.closed_volume().expect("closed") - 8.0).abs() < 1e-9);
    assert!(model.normals.is_empty() && model.texture_coordinates.is_empty() && model.materials.is_empty());
}

#[test]
fn quantised_positions_are_read() {
    let bytes: Vec<u8> = sides()
        .iter()
        .flat_map(|(corners, _)| corners.map(|corner| corner.map(|value| (value * 127.0) as i8 as u8)))
        .flat_map(|[x, y, z]| [x, y, z, 77])
        .chain(buffer()[672..].iter().copied())
        .collect();
    let mut cube = json!({
        "asset": { "version": "2.0" }, "extensionsRequired": ["KHR_mesh_quantization"],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1 }] }],
        "accessors": [
            { "bufferView": 0, "componentType": 5120, "normalized": true, "count": 24, "type": "VEC3" },
            { "bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR" },
        ],
        "bufferViews": [
            { "buffer": 0, "byteLength": 96, "byteStride": 4 },
            { "buffer": 0, "byteOffset": 96, "byteLength": 72 },
        ],
        "buffers": [{ "byteLength": 168, "uri": data_uri(&bytes) }],
    });
    assert!((read(&cube).expect("a cube").surface.closed_volume().expect("closed") - 8.0).abs() < 1e-9);
    cube["accessors"][0]["normalized"] = json!(false);
    let volume = read(&cube).expect("a cube").surface.closed_volume().expect("closed");
    assert!((volume - 254f64.powi(3)).abs() < 1e-3);
}

#[test]
fn sparse_accessors_replace_elements() {
    let mut bytes = buffer();
    bytes.extend([6, 0, 0, 0]);
    bytes.extend([0.0f32, 0.0, 9.0].iter().flat_map(|value| value.to_le_bytes()));
    let mut cube = document(None);
    cube["buffers"][0]["byteLength"] = json!(bytes.len());
    let views = cube["bufferViews"].as_array_mut().expect("a list");
    views.push(json!({ "buffer": 0, "byteOffset": 744, "byteLength": 16 }));
    cube["accessors"][0]["sparse"] = json!({
        "count": 1, "indices": { "bufferView": 3, "componentType": 5121 }, "values": { "bufferView": 3, "byteOffset": 4 },
    });
    let model = read_with(&glb(&cube, &bytes), &nothing).expect("a cube with a spike");
    assert_eq!((model.surface.positions.len(), model.surface.bounds().max.z), (9, 9.0));

    // Without a view the other elements are zero, so all triangles are degenerate.
    let accessor = cube["accessors"][0].as_object_mut().expect("an object");
    accessor.remove("bufferView");
    let error = read_with(&glb(&cube, &bytes), &nothing).expect_err("flat").to_string();
    assert!(error.contains("no usable faces among its 12"), "{error}");
    cube["accessors"][0]["count"] = json!(10_000_000);
    let error = read_with(&glb(&cube, &bytes), &nothing).expect_err("too many").to_string();
    assert!(error.contains("accessors[0]: its 10000000 elements have no bufferView"), "{error}");
    cube["accessors"][0]["count"] = json!(6);
    let error = read_with(&glb(&cube, &bytes), &nothing).expect_err("beyond").to_string();
    assert!(error.contains("accessors[0].sparse: it changes element 6, but there are only 6"), "{error}");
}

#[test]
fn unsupported_features_are_remarked_or_rejected_by_name() {
    let mut cube = sound();
    cube["skins"] = json!([{ "joints": [0] }]);
    cube["animations"] = json!([{}]);
    cube["extensionsRequired"] = json!(["KHR_texture_transform", "KHR_materials_unlit"]);
    cube["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["extensions"] =
        json!({ "KHR_texture_transform": {} });
    cube["meshes"][0]["primitives"][0]["targets"] = json!([{ "POSITION": 0 }]);
    let lines = json!({ "attributes": { "POSITION": 0 }, "mode": 1 });
    cube["meshes"][0]["primitives"].as_array_mut().expect("a list").push(lines);
    let model = read(&cube).expect("a cube");
    check_cube(&model, 8.0);
    assert_eq!(model.remarks.len(), 5, "{:?}", model.remarks);

    for (extension, help) in [
        ("KHR_draco_mesh_compression", "save it without compression"),
        ("EXT_meshopt_compression", "save it without compression"),
        ("EXT_mesh_gpu_instancing", "save it without that extension"),
    ] {
        let mut cube = sound();
        cube["extensionsRequired"] = json!([extension]);
        let message = format!("models/cube.gltf uses the extension {extension}, which is not supported: {help}");
        assert_eq!(refused(&cube), message);
    }
    let mut cube = sound();
    cube["meshes"][0]["primitives"][0]["extensions"] = json!({ "KHR_draco_mesh_compression": {} });
    check_cube(&read(&cube).expect("the bytes are there as well"), 8.0);
    cube["accessors"][0].as_object_mut().expect("an object").remove("bufferView");
    assert!(refused(&cube).contains("KHR_draco_mesh_compression"));
    let mut cube = sound();
    cube["bufferViews"][0]["extensions"] = json!({ "EXT_meshopt_compression": {} });
    assert!(refused(&cube).contains("EXT_meshopt_compression"));
    for version in ["1.0", "3.0"] {
        let mut cube = sound();
        cube["asset"]["version"] = json!(version);
        assert!(refused(&cube).ends_with("of glTF, which is not supported: save it as glTF 2.0"));
    }
}

#[test]
fn cycles_and_shared_children_are_rejected() {
    for (nodes, message) in [
        (json!([{ "children": [0] }]), "nodes[0]: it is its own ancestor"),
        (json!([{ "mesh": 0 }, { "children": [2] }, { "children": [1] }]), "nodes[1]: it is its own ancestor"),
        (
            json!([{ "children": [1, 2] }, { "children": [2] }, {}]),
            "nodes[2]: it is a child of nodes[0] and of nodes[1]",
        ),
        (json!([{ "children": [7] }]), "nodes[0]: its child nodes[7] does not exist"),
        (json!([{ "mesh": 7 }]), "meshes[7]: a node refers to it, but it does not exist"),
    ] {
        let mut cube = sound();
        cube["nodes"] = nodes;
        assert_eq!(refused(&cube), format!("models/cube.gltf, {message}"));
    }
}

#[test]
fn files_outside_the_folder_are_rejected() {
    for uri in [
        "../cube.bin",
        "/etc/passwd",
        "a/%2e%2e/%2e%2e/b",
        "https://example.com/cube.bin",
        "file:///etc/passwd",
        "C:\\cube.bin",
        "",
    ] {
        let error = refused(&document(Some(uri.into())));
        assert!(error.starts_with("models/cube.gltf, buffers[0]: \""), "{error}");
        assert!(error.ends_with("is not a file in the model's folder"), "{error}");
    }
    assert!(refused(&document(Some("cube.gltf".into()))).ends_with("buffers[0]: it names the model itself"));
    assert!(refused(&document(Some("cube.bin".into()))).ends_with("\"cube.bin\" cannot be read: it is not there"));
}

#[test]
fn inconsistent_numbers_are_reported_by_location() {
    for (pointer, value, message) in [
        ("/buffers/0/byteLength", json!(745), "buffers[0]: it declares 745 bytes, but has 744"),
        ("/buffers/0/uri", json!("data:;base64,!"), "buffers[0]: its data: is not base64"),
        ("/buffers/0/uri", Value::Null, "buffers[0]: it has no uri, and only the first buffer may be the binary chunk"),
        (
            "/bufferViews/0/byteLength",
            json!(u64::MAX),
            "bufferViews[0]: 18446744073709551615 bytes from byte 0 exceed the 744 bytes of buffers[0]",
        ),
        (
            "/bufferViews/2/byteOffset",
            json!(673),
            "bufferViews[2]: 72 bytes from byte 673 exceed the 744 bytes of buffers[0]",
        ),
        ("/bufferViews/0/buffer", json!(1), "bufferViews[0]: it uses buffers[1], which does not exist"),
        ("/bufferViews/1/byteStride", json!(1), "bufferViews[1]: its byteStride is 1, but an element has 2 bytes"),
        (
            "/accessors/0/count",
            json!(10_000_000),
            "accessors[0]: 10000000 elements from byte 0 exceed the 576 bytes of bufferViews[0]",
        ),
        (
            "/accessors/0/count",
            json!(u64::MAX),
            "nodes: its nodes reference more than 5e7 points and corners, the limit",
        ),
        (
            "/accessors/1/byteOffset",
            json!(u64::MAX),
            "accessors[1]: 24 elements from byte 18446744073709551615 exceed the 576 bytes of bufferViews[0]",
        ),
        ("/accessors/0/type", json!("VEC2"), "accessors[0]: its type is VEC2, but VEC3 is needed"),
        ("/accessors/0/componentType", json!(5124), "accessors[0]: unknown componentType 5124"),
        ("/accessors/3/componentType", json!(5126), "accessors[3]: componentType 5126 is not an index type"),
        ("/accessors/3/count", json!(35), "meshes[0].primitives[0]: 35 corners are not a multiple of 3"),
        ("/accessors/0/count", json!(23), "meshes[0].primitives[0]: it has 24 NORMAL values for its 23 points"),
        ("/accessors/2/count", json!(23), "meshes[0].primitives[0]: it has 23 TEXCOORD values for its 24 points"),
        ("/meshes/0/primitives/0/indices", json!(9), "accessors[9]: it does not exist"),
        ("/meshes/0/primitives/0/material", json!(1), "meshes[0].primitives[0]: materials[1] does not exist"),
        ("/scenes/0/nodes/0", json!(1), "scenes: nodes[1] is referenced, but does not exist"),
        ("/accessors/0/bufferView", json!(3), "accessors[0]: it uses bufferViews[3], which does not exist"),
    ] {
        let mut cube = sound();
        *cube.pointer_mut(pointer).expect(pointer) = value;
        assert_eq!(refused(&cube), format!("models/cube.gltf, {message}"), "{pointer}");
    }
    let mut bytes = buffer();
    bytes[672] = 24;
    let message = "models/cube.gltf, meshes[0].primitives[0]: it uses point 24, but has only 24";
    assert_eq!(refused(&document(Some(data_uri(&bytes)))), message);
    let mut empty = sound();
    empty["scenes"][0]["nodes"] = json!([]);
    assert_eq!(refused(&empty), "models/cube.gltf has no faces (0 points found)");
    let error = read_with(b"{\"asset\": {\"version\": 2}}", &nothing).expect_err("no text").to_string();
    assert!(error.starts_with("models/cube.gltf, JSON, line 1: invalid type"), "{error}");
}

#[test]
fn the_number_of_mesh_instances_is_limited() {
    let mut cube = sound();
    let primitive = cube["meshes"][0]["primitives"][0].clone();
    cube["meshes"][0]["primitives"] = vec![primitive; 1000].into();
    cube["nodes"] = vec![json!({ "mesh": 0 }); 1000].into();
    cube["scenes"][0]["nodes"] = (0..1000).collect();
    assert!(refused(&cube).contains("the limit"));
}

#[test]
fn triangles_with_invalid_coordinates_are_left_out() {
    let mut bytes = buffer();
    bytes[0..4].copy_from_slice(&f32::NAN.to_le_bytes());
    let model = read(&document(Some(data_uri(&bytes)))).expect("the rest");
    assert_eq!(model.surface.triangles.len(), 10);
    assert_eq!(model.remarks, ["2 triangles with points that are not numbers within ±1e18 were left out"]);
}

#[test]
fn truncated_files_are_rejected() {
    let whole = glb(&document(None), &buffer());
    for end in 0..whole.len() {
        read_with(&whole[..end], &nothing).expect_err("cut");
    }
    let text = document(Some("cube.bin".into())).to_string().into_bytes();
    for end in 0..text.len() {
        read_with(&text[..end], &|_| Ok(buffer())).expect_err("cut");
    }
    // Wrong chunk lengths in a file of correct length.
    for (offset, byte) in [(12, 0xff), (13, 0xff), (15, 0xff), (8, 0), (4, 3)] {
        let mut changed = whole.clone();
        changed[offset] = byte;
        read_with(&changed, &nothing).expect_err("changed");
    }
}

proptest! {
    #[test]
    fn corrupted_bytes_never_panic(
        changes in proptest::collection::vec((0usize..4000, any::<u8>()), 1..8),
        digits in proptest::collection::vec((0usize..4000, b'0'..=b'9'), 0..8),
    ) {
        let mut bytes = glb(&document(None), &buffer());
        let length = bytes.len();
        for (offset, byte) in changes {
            bytes[offset % length] = byte;
        }
        for (offset, digit) in digits {
            if bytes[offset % length].is_ascii_digit() {
                bytes[offset % length] = digit;
            }
        }
        let _ = read_with(&bytes, &nothing);
    }
}
