use craze_export::Format;
use craze_math::Vec3;

use crate::sample::{self, BALL_VOLUME, EDGE};
use crate::{Reader, bytes_of, exported, volume_inside};

#[test]
fn triangles_and_volumes_come_through() {
    let (folder, report) = exported(sample::frame(4), Format::Stl);
    let bytes = bytes_of(folder.path(), "scene.0004.stl");
    assert!(!bytes.starts_with(b"solid"));
    let mut reader = Reader(&bytes[80..]);
    let count = reader.u32();
    assert_eq!(count, 24 + 2 + 8);
    let mut triangles = Vec::new();
    for _ in 0..count {
        let mut vector = || Vec3::new(reader.f32().into(), reader.f32().into(), reader.f32().into());
        let [normal, a, b, c] = [vector(), vector(), vector(), vector()];
        assert!((normal.dot(&(b - a).cross(&(c - a)).normalize()) - 1.0).abs() < 1e-5);
        triangles.push([a, b, c]);
        reader.take::<2>();
    }
    assert!(reader.0.is_empty());
    assert!((volume_inside(triangles[..24].iter().copied()) - 2.0 * EDGE.powi(3)).abs() < 1e-6);
    assert!((volume_inside(triangles[26..].iter().copied()) - BALL_VOLUME).abs() < 1e-6);
    assert!(report.left_out.iter().any(|phrase| phrase.contains("particles of body 'cloud of dust'")), "{report:?}");
}
