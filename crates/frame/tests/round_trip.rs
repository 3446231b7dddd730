//! Frames survive their file bitwise; any damage to a file is detected.

use craze_frame::{
    Attributes, BodyFrame, Data, Frame, Line, LineKind, Look, ObstacleFrame, ObstacleShape, Particles, Piece, Pose,
    Sheet, Surface, Volume, decode_frame, encode_frame, names,
};
use craze_math::Vec3;
use proptest::prelude::*;

/// Any bits: NaN with any payload, infinities, subnormal numbers, both zeros.
fn number() -> impl Strategy<Value = f64> {
    any::<u64>().prop_map(f64::from_bits)
}

fn vector() -> impl Strategy<Value = Vec3> {
    (number(), number(), number()).prop_map(|(x, y, z)| Vec3::new(x, y, z))
}

fn data(count: usize) -> impl Strategy<Value = Data> {
    prop_oneof![
        prop::collection::vec(number(), count).prop_map(Data::Scalar),
        prop::collection::vec(vector(), count).prop_map(Data::Vector),
        prop::collection::vec(any::<u32>(), count).prop_map(Data::Index),
        prop::collection::vec(prop::array::uniform2(number()), count).prop_map(Data::Pair),
        prop::collection::vec([number(), number(), number(), number(), number(), number()], count)
            .prop_map(Data::Tensor),
    ]
}

fn attributes(count: usize) -> impl Strategy<Value = Attributes> {
    prop::collection::vec(("[a-oq-z]{0,6}|\\PC{1,3}", data(count)), 0..3).prop_map(|arrays| {
        let mut attributes = Attributes::default();
        arrays.into_iter().for_each(|(name, data)| attributes.set(&name, data));
        // Attributes that index lists are checked, so random values would be refused.
        let lists = [names::PIECE, names::MATERIAL, names::SLOT];
        attributes.0.retain(|attribute| !lists.contains(&attribute.name.as_str()));
        attributes
    })
}

/// Elements with `CORNERS` corners among `vertices` vertices; none without vertices.
fn elements<const CORNERS: usize>(vertices: usize) -> impl Strategy<Value = Vec<[u32; CORNERS]>> {
    let corner = 0..vertices.max(1) as u32;
    let most = if vertices == 0 { 1 } else { 6 };
    prop::collection::vec(prop::array::uniform(corner), 0..most)
}

/// Lines over `vertices` vertices; none without vertices.
fn lines(vertices: usize) -> impl Strategy<Value = Vec<Line>> {
    let kind = prop_oneof![Just(LineKind::Seam), Just(LineKind::Crack)];
    let line = (kind, prop::collection::vec(0..vertices.max(1) as u32, 1..5));
    let most = if vertices == 0 { 1 } else { 3 };
    prop::collection::vec(line.prop_map(|(kind, vertices)| Line { kind, vertices }), 0..most)
}

fn words() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(".{0,5}", 0..3)
}

fn surface() -> impl Strategy<Value = Surface> {
    (0usize..6)
        .prop_flat_map(|vertices| {
            (prop::collection::vec(vector(), vertices), elements::<3>(vertices), attributes(vertices))
        })
        .prop_flat_map(|(positions, triangles, vertex_attributes)| {
            let (faces, corners) = (attributes(triangles.len()), attributes(3 * triangles.len()));
            (faces, corners, lines(positions.len()), prop::option::of(1e-9..1e9), words()).prop_map(
                move |(face_attributes, corner_attributes, lines, thickness, slots)| Surface {
                    positions: positions.clone(),
                    triangles: triangles.clone(),
                    vertex_attributes: vertex_attributes.clone(),
                    face_attributes,
                    corner_attributes,
                    lines,
                    slots,
                    sheet: thickness.map(|thickness| Sheet { thickness }),
                },
            )
        })
}

fn volume() -> impl Strategy<Value = Volume> {
    (0usize..6)
        .prop_flat_map(|nodes| (prop::collection::vec(vector(), nodes), elements::<4>(nodes), attributes(nodes)))
        .prop_flat_map(|(positions, tetrahedra, node_attributes)| {
            attributes(tetrahedra.len()).prop_map(move |cell_attributes| Volume {
                positions: positions.clone(),
                tetrahedra: tetrahedra.clone(),
                node_attributes: node_attributes.clone(),
                cell_attributes,
            })
        })
}

fn particles() -> impl Strategy<Value = Particles> {
    (0usize..5).prop_flat_map(|count| {
        (prop::collection::vec(vector(), count), number(), attributes(count))
            .prop_map(|(positions, radius, attributes)| Particles { positions, radius, attributes })
    })
}

fn piece() -> impl Strategy<Value = Piece> {
    (number(), number(), any::<Option<u32>>(), vector(), prop::array::uniform4(number())).prop_map(
        |(volume, mass, parent, position, rotation)| Piece {
            id: 0,
            volume,
            mass,
            parent,
            pose: Pose { position, rotation },
        },
    )
}

fn body() -> impl Strategy<Value = BodyFrame> {
    let pieces = prop::collection::vec(piece(), 1..4);
    (".{0,8}", ".{0,8}", words(), surface(), prop::option::of(volume()), prop::option::of(particles()), pieces)
        .prop_map(|(name, method, materials, surface, volume, particles, pieces)| BodyFrame {
            name,
            method,
            look: materials.first().map(|name| Look::for_unknown(name)),
            materials,
            surface,
            volume,
            particles,
            pieces,
            topology: 7,
        })
}

fn obstacle() -> impl Strategy<Value = ObstacleFrame> {
    let shape = prop_oneof![
        (vector(), vector()).prop_map(|(point, normal)| ObstacleShape::Plane { point, normal }),
        surface().prop_map(ObstacleShape::Surface),
    ];
    (".{0,5}", shape).prop_map(|(name, shape)| ObstacleFrame { name, shape })
}

fn frame() -> impl Strategy<Value = Frame> {
    let bodies = prop_oneof![4 => prop::collection::vec(body(), 0..3), 1 => Just(vec![BodyFrame::default()])];
    (any::<u32>(), -1e9..1e9, bodies, prop::collection::vec(obstacle(), 0..3))
        .prop_map(|(number, time, bodies, obstacles)| Frame { number, time, bodies, obstacles })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_frame_comes_back_bit_for_bit(frame in frame()) {
        let bytes = encode_frame(&frame);
        let again = decode_frame(&bytes).unwrap();
        // Equality would ignore signs of zero and fail for NaN: compare structure by Debug and bits
        // by hash.
        prop_assert_eq!(again.state_hash(), frame.state_hash());
        prop_assert_eq!(encode_frame(&again), bytes);
        prop_assert_eq!(format!("{again:?}"), format!("{frame:?}"));
    }

    #[test]
    fn any_bytes_give_a_frame_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(decode_frame(&bytes).is_err());
    }

    /// A corrupt payload with a valid checksum reaches the decoder.
    #[test]
    fn any_payload_gives_a_consistent_frame_or_an_error(frame in frame(), position: prop::sample::Index, byte: u8) {
        let mut payload = postcard::to_stdvec(&frame).unwrap();
        let position = position.index(payload.len());
        payload[position] = byte;
        let bytes = craze_frame::container::encode(craze_frame::container::Kind::FRAME, 1, &payload);
        if let Ok(frame) = decode_frame(&bytes) {
            prop_assert!(frame.check().is_ok());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn every_truncation_and_every_changed_byte_is_an_error(frame in frame(), change in 1u8..) {
        let bytes = encode_frame(&frame);
        for length in 0..bytes.len() {
            prop_assert!(decode_frame(&bytes[..length]).is_err(), "cut to {} bytes", length);
        }
        for position in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[position] ^= change;
            prop_assert!(decode_frame(&changed).is_err(), "byte {} changed by {}", position, change);
        }
    }
}
