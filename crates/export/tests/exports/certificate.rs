//! Faults reported for exported shards: pinches, tunnels, several bodies.

use craze_export::{ShardReport, ShardSettings, export_shards};
use craze_frame::{BodyFrame, Data, FaultKind, Frame, Piece, Pose, Surface, names};
use craze_math::Vec3;

use crate::bytes_of;
use crate::glb::{Glb, parse};

/// Grid cells, by their lowest corners.
type Cells = Vec<[i32; 3]>;

fn cells(is_there: impl Fn([i32; 3]) -> bool) -> Cells {
    (0..27).map(|k| [k % 3, k / 3 % 3, k / 9]).filter(|&at| is_there(at)).collect()
}

/// Adds the surface of cells of 0.1 m, with a vertex per grid corner.
fn add(surface: &mut Surface, cells: &Cells, at: Vec3) {
    let first = surface.positions.len();
    let mut corners: Vec<[i32; 3]> = Vec::new();
    for &cell in cells {
        for (axis, side) in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)] {
            let mut next = cell;
            next[axis] += 2 * side - 1;
            if cells.contains(&next) {
                continue;
            }
            let face = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[u, v]| {
                let mut corner = cell;
                corner[axis] += side;
                corner[(axis + 1) % 3] += u;
                corner[(axis + 2) % 3] += v;
                let known = corners.iter().position(|other| *other == corner);
                let number = known.unwrap_or_else(|| {
                    corners.push(corner);
                    corners.len() - 1
                });
                (first + number) as u32
            });
            let [a, b, c, d] = if side == 1 { face } else { [face[0], face[3], face[2], face[1]] };
            surface.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    surface.positions.extend(corners.iter().map(|corner| at + 0.1 * Vec3::from(corner.map(f64::from))));
}

/// A body of these pieces, numbered from 1 and one metre apart.
fn body(pieces: &[Cells]) -> Frame {
    let mut surface = Surface::default();
    let mut numbers = Vec::new();
    for (index, cells) in pieces.iter().enumerate() {
        add(&mut surface, cells, Vec3::new(index as f64, 0.0, 0.0));
        numbers.resize(surface.triangles.len(), index as u32);
    }
    surface.vertex_attributes.set(names::REST, Data::Vector(surface.positions.clone()));
    surface.face_attributes.set(names::PIECE, Data::Index(numbers));
    let piece = |(index, cells): (usize, &Cells)| {
        let volume = 1e-3 * cells.len() as f64;
        Piece { id: index as u32 + 1, volume, mass: 1e3 * volume, parent: Some(0), pose: Pose::default() }
    };
    let pieces = pieces.iter().enumerate().map(piece).collect();
    let body = BodyFrame { name: "block".into(), surface, pieces, ..BodyFrame::default() };
    Frame { bodies: vec![body], ..Frame::default() }
}

fn exported(pieces: &[Cells]) -> (Glb, ShardReport) {
    let folder = tempfile::tempdir().unwrap();
    let report = export_shards(&body(pieces), &[], &ShardSettings::default(), folder.path()).unwrap();
    (parse(&bytes_of(folder.path(), "shards.glb")), report)
}

#[test]
fn shards_are_reported_with_their_faults() {
    let pieces = [
        cells(|_| true),
        cells(|at| at != [1, 1, 1]),
        vec![[0, 0, 0], [1, 1, 1]],
        vec![[0, 0, 0], [1, 1, 0]],
        cells(|[x, y, _]| [x, y] != [1, 1]),
        vec![[0, 0, 0], [2, 2, 2]],
    ];
    let (glb, report) = exported(&pieces);
    let found: Vec<Vec<(FaultKind, u32)>> = report
        .shards
        .iter()
        .map(|shard| shard.faults.iter().map(|fault| (fault.kind, fault.count)).collect())
        .collect();
    assert_eq!(
        found,
        [
            vec![],
            vec![],
            vec![(FaultKind::PinchPoint, 1)],
            vec![(FaultKind::PinchedEdge, 1)],
            vec![(FaultKind::Tunnel, 1)],
            vec![(FaultKind::SeparateBody, 2)],
        ]
    );
    assert!(report.shards.iter().all(|shard| shard.closed), "the file has a vertex for each fan");
    let is_manifold: Vec<bool> = report.shards.iter().map(|shard| shard.is_manifold()).collect();
    assert_eq!(is_manifold, [true, true, false, false, true, true]);
    // Positions are at rest in the world, here and in the file.
    let pinch = report.shards[2].faults[0];
    assert!((Vec3::from(pinch.at) - Vec3::new(2.1, 0.1, 0.1)).norm() < 1e-6, "{pinch:?}");
    let written = &glb.node("block-shard-3")["extras"]["faults"][0];
    assert_eq!((&written["kind"], &written["count"]), (&"pinch-point".into(), &1.into()));
    assert!(glb.node("block-shard-1")["extras"].get("faults").is_none());
}
