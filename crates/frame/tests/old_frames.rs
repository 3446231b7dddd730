//! Frames of earlier versions still load.

use craze_frame::{ObstacleShape, decode_frame, encode_frame, names};
use craze_math::Vec3;

/// Frame 2 of a run of version 0.1.0 with payload version 3: a cube of ceramic in four pieces with
/// tetrahedra and a look, a cube of particles with a surface, a plane and a box. The numbers below
/// are those of the OBJ file that the same version exported.
const VERSION_3: &[u8] = include_bytes!("data/version-3.craze");

#[test]
fn a_frame_of_payload_version_3_loads_with_all_its_content() {
    assert_eq!(VERSION_3[10..12], 3_u16.to_le_bytes());
    let frame = decode_frame(VERSION_3).unwrap();
    assert_eq!((frame.number, frame.time), (2, 0.05));
    let [block, cloud] = &frame.bodies[..] else { panic!("two bodies") };
    assert_eq!((block.name.as_str(), block.method.as_str(), block.pieces.len()), ("block", "solid", 4));
    assert!(block.look.is_some() && cloud.look.is_none());
    let first = Vec3::new(0.17310937888534897, 0.25580308278199243, -0.08426895936957594);
    assert!(block.surface.positions.contains(&first));
    for name in [names::VELOCITY, names::REST] {
        assert!(block.surface.vertex_attributes.vectors(name).is_some(), "{name}");
    }
    assert!(block.surface.face_attributes.indices(names::CRACK).unwrap().contains(&1));
    assert!(block.volume.as_ref().unwrap().tetrahedra.len() >= 6);
    assert_eq!(cloud.particles.as_ref().unwrap().positions.len(), 27);
    let [ground, ramp] = &frame.obstacles[..] else { panic!("two obstacles") };
    assert!(matches!(ground.shape, ObstacleShape::Plane { .. }));
    let ObstacleShape::Surface(ramp) = &ramp.shape else { panic!("a box") };
    assert!(ramp.positions.contains(&Vec3::new(1.05, 0.05, 0.05)));
    // What version 3 did not have.
    for surface in [&block.surface, &cloud.surface, ramp] {
        assert!(surface.sheet.is_none() && surface.lines.is_empty() && surface.slots.is_empty());
        assert!(surface.corner_attributes.0.is_empty());
    }
    assert!(block.topology_changed(block), "frames without a mark count as different");
    // It is written in the present version and reads the same.
    let again = encode_frame(&frame);
    assert_eq!(again[10..12], 4_u16.to_le_bytes());
    assert_eq!(decode_frame(&again).unwrap(), frame);
}

#[test]
fn a_truncated_frame_of_version_3_is_refused() {
    let error = decode_frame(&VERSION_3[..VERSION_3.len() - 7]).unwrap_err();
    assert!(!error.to_string().is_empty());
}
