//! Fragments cut from a closed surface, for a body of four blocks.

use craze_frame::{Data, Surface, fans, is_manifold, names};
use craze_math::{Random, Vec3};
use craze_skin::{CornerAttributes, CrackDetail, Cracks, FragmentLocator, Shards, SkinError, cut, transfer_attributes};
use proptest::prelude::*;

/// A block of edge 2 m, split into four columns by the planes x = 0.1 m and z = −0.2 m. Every face
/// is a grid of `cells` × `cells` squares with different diagonals per piece if `crossed`.
fn columns(cells: usize, crossed: bool) -> (Surface, Vec<Vec3>) {
    let (xs, zs) = ([-1.0, 0.1, 1.0], [-1.0, -0.2, 1.0]);
    let (mut rest, mut triangles, mut pieces, mut cracks) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for piece in 0..4_usize {
        let (column, row) = (piece % 2, piece / 2);
        let low = Vec3::new(xs[column], -1.0, zs[row]);
        let high = Vec3::new(xs[column + 1], 1.0, zs[row + 1]);
        for axis in 0..3 {
            for side in 0..2 {
                let is_crack = axis == 0 && side != column || axis == 2 && side != row;
                let place = |u: usize, v: usize| {
                    let share = |step: usize| step as f64 / cells as f64;
                    let mut at = if side == 0 { low } else { high };
                    for (other, step) in [((axis + 1) % 3, u), ((axis + 2) % 3, v)] {
                        at[other] = low[other] + share(step) * (high[other] - low[other]);
                    }
                    at
                };
                for u in 0..cells {
                    for v in 0..cells {
                        let first = rest.len() as u32;
                        rest.extend([place(u, v), place(u + 1, v), place(u + 1, v + 1), place(u, v + 1)]);
                        let turned = crossed && piece % 3 == 0;
                        let halves = if turned { [[0, 1, 3], [1, 2, 3]] } else { [[0, 1, 2], [0, 2, 3]] };
                        for [a, b, c] in halves.map(|half| half.map(|corner| first + corner)) {
                            triangles.push(if side == 1 { [a, b, c] } else { [a, c, b] });
                            pieces.push(piece as u32);
                            cracks.push(u32::from(is_crack));
                        }
                    }
                }
            }
        }
    }
    let mut surface = Surface { positions: rest.clone(), triangles, ..Surface::default() };
    surface.face_attributes.set(names::PIECE, Data::Index(pieces));
    surface.face_attributes.set(names::CRACK, Data::Index(cracks));
    (surface, rest)
}

/// A ball of `radius` (m) around the origin: a subdivided octahedron.
fn ball(radius: f64, levels: usize) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut positions: Vec<Vec3> =
        [Vec3::x(), -Vec3::x(), Vec3::y(), -Vec3::y(), Vec3::z(), -Vec3::z()].map(|axis| radius * axis).to_vec();
    let mut triangles = vec![[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    for _ in 0..levels {
        let mut middles = std::collections::BTreeMap::new();
        let mut next = Vec::new();
        for &[a, b, c] in &triangles {
            let [ab, bc, ca] = [[a, b], [b, c], [c, a]].map(|[from, to]: [u32; 2]| {
                *middles.entry([from.min(to), from.max(to)]).or_insert_with(|| {
                    positions.push(radius * (positions[from as usize] + positions[to as usize]).normalize());
                    positions.len() as u32 - 1
                })
            });
            next.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        triangles = next;
    }
    (positions, triangles)
}

fn locator(cells: usize, crossed: bool, owners: &[u32]) -> FragmentLocator {
    let (surface, rest) = columns(cells, crossed);
    FragmentLocator::new(&surface, &rest, owners).expect("owners")
}

fn shattered(
    cells: usize,
    crossed: bool,
    detail: Option<CrackDetail>,
    owners: &[u32],
) -> (Vec<Vec3>, Vec<[u32; 3]>, Shards) {
    let (positions, triangles) = ball(1.2, 4);
    let locator = locator(cells, crossed, owners);
    let mut cracks = Cracks::extract(&positions, &triangles, 0.2, |point| locator.locate(point)).expect("cracks");
    cracks.add_detail(detail.as_ref()).expect("prepared");
    cracks.perturb(1);
    let shards = cut(&positions, &triangles, &cracks, |_| panic!("every part is cut")).expect("shards");
    (positions, triangles, shards)
}

fn area(positions: &[Vec3], triangles: impl IntoIterator<Item = [u32; 3]>) -> f64 {
    let corner = |vertex: u32| positions[vertex as usize];
    let doubled = |[a, b, c]: [u32; 3]| (corner(b) - corner(a)).cross(&(corner(c) - corner(a))).norm();
    triangles.into_iter().map(doubled).sum::<f64>() / 2.0
}

fn check(positions: &[Vec3], triangles: &[[u32; 3]], shards: &Shards) {
    let whole = Surface { positions: positions.to_vec(), triangles: triangles.to_vec(), ..Surface::default() };
    let volume: f64 = shards.shards.iter().map(|shard| shard.volume).sum();
    assert!((volume / whole.enclosed_volume() - 1.0).abs() < 1e-9);
    let outside = shards.shards.iter().flat_map(|shard| shard.outside.iter().map(|part| part.corners));
    let whole_area = area(positions, triangles.iter().copied());
    assert!((area(&shards.positions, outside) / whole_area - 1.0).abs() < 1e-9);
    let mut faces: Vec<[u32; 3]> = Vec::new();
    for shard in &shards.shards {
        assert!(shard.volume > 0.0);
        let all: Vec<[u32; 3]> = shard.outside.iter().map(|part| part.corners).chain(shard.cracks.clone()).collect();
        let fans = fans(&all, |vertex| shards.positions[vertex as usize]);
        assert!(is_manifold(&fans.chunks(3).map(|fan| [fan[0], fan[1], fan[2]]).collect::<Vec<_>>()));
        faces.extend(shard.cracks.iter().map(|face| {
            let mut sorted = *face;
            sorted.sort_unstable();
            sorted
        }));
    }
    // Both sides of a crack share their vertices.
    faces.sort_unstable();
    assert!(faces.chunk_by(|one, other| one == other).all(|twins| twins.len() == 2));
}

#[test]
fn a_ball_is_cut_into_the_four_columns_that_cross_in_it() {
    let (positions, triangles, shards) = shattered(4, false, None, &[0, 1, 2, 3]);
    assert_eq!(shards.shards.iter().map(|shard| shard.label).collect::<Vec<_>>(), [0, 1, 2, 3]);
    check(&positions, &triangles, &shards);
    // The planes are off-centre: the largest fragment lies at low x and high z.
    let volumes: Vec<f64> = shards.shards.iter().map(|shard| shard.volume).collect();
    assert!(volumes[2] > volumes[3] && volumes[3] > volumes[1] && volumes[2] > volumes[0], "{volumes:?}");
    for shard in &shards.shards {
        for part in &shard.outside {
            let middle: Vec3 = part.corners.iter().map(|&vertex| shards.positions[vertex as usize]).sum::<Vec3>() / 3.0;
            let [x, z] = [middle.x - 0.1, middle.z + 0.2];
            let label = u32::from(x > 0.0) + 2 * u32::from(z > 0.0);
            // Near the planes, smoothing and the lattice may displace the cracks.
            assert!(label == shard.label || x.abs() < 0.05 || z.abs() < 0.05, "{x} {z}");
        }
    }
}

#[test]
fn differently_triangulated_sides_fit_together() {
    let (positions, triangles, shards) = shattered(3, true, None, &[0, 1, 2, 3]);
    assert_eq!(shards.shards.len(), 4);
    check(&positions, &triangles, &shards);
}

#[test]
fn rough_cracks_close_and_belong_to_both_sides() {
    let (positions, triangles, shards) = shattered(3, false, Some(CrackDetail::default()), &[0, 1, 2, 3]);
    assert_eq!(shards.shards.len(), 4);
    check(&positions, &triangles, &shards);
    let smooth = shattered(3, false, Some(CrackDetail::smooth()), &[0, 1, 2, 3]).2;
    let rough =
        |shards: &Shards| shards.shards.iter().map(|shard| area(&shards.positions, shard.cracks.clone())).sum::<f64>();
    assert!(rough(&shards) > 1.001 * rough(&smooth));
    assert_eq!(shards, shattered(3, false, Some(CrackDetail::default()), &[0, 1, 2, 3]).2, "the same every time");
    let other = shattered(3, false, Some(CrackDetail { seed: 2, ..CrackDetail::default() }), &[0, 1, 2, 3]).2;
    assert_ne!(shards.positions, other.positions);
}

#[test]
fn pieces_of_one_owner_have_no_crack_between_them() {
    let (positions, triangles, shards) = shattered(2, true, None, &[0, 0, 2, 2]);
    assert_eq!(shards.shards.iter().map(|shard| shard.label).collect::<Vec<_>>(), [0, 2]);
    check(&positions, &triangles, &shards);
}

#[test]
fn an_uncracked_body_is_its_surface() {
    let (positions, triangles) = ball(1.2, 2);
    let locator = locator(2, false, &[5; 4]);
    let cracks = Cracks::extract(&positions, &triangles, 0.3, |point| locator.locate(point)).expect("no cracks");
    let shards = cut(&positions, &triangles, &cracks, |_| 5).expect("one shard");
    let [shard] = shards.shards.as_slice() else { panic!("one shard") };
    assert_eq!((shard.label, shard.outside.len(), shard.cracks.len()), (5, triangles.len(), 0));
}

#[test]
fn barycentric_weights_reproduce_positions() {
    let (positions, triangles, shards) = shattered(3, true, None, &[0, 1, 2, 3]);
    for part in shards.shards.iter().flat_map(|shard| &shard.outside) {
        let source = triangles[part.source as usize].map(|vertex| positions[vertex as usize]);
        for (vertex, weights) in part.corners.iter().zip(&part.weights) {
            let place: Vec3 = source.iter().zip(weights).map(|(corner, weight)| *weight * corner).sum();
            assert!((place - shards.positions[*vertex as usize]).norm() < 1e-12);
            assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn every_point_has_a_fragment_and_points_inside_have_their_own() {
    let locator = locator(2, true, &[0, 1, 2, 2]);
    assert_eq!(locator.labels().collect::<Vec<_>>(), [0, 1, 2]);
    let at = |x: f64, y: f64, z: f64| locator.locate(&Vec3::new(x, y, z));
    // 1e-9 m beside a crack, deep inside, and outside.
    assert_eq!([at(0.1 - 1e-9, 0.3, -0.5), at(0.1 + 1e-9, 0.3, -0.5), at(0.1, 0.3, 0.9)], [0, 1, 2]);
    assert_eq!([at(-3.0, 0.1, -0.9), at(9.0, 0.2, -2.0), at(0.0, 0.0, 2.0)], [0, 1, 2]);
}

#[test]
fn islands_of_a_fragment_join_their_neighbour() {
    let (positions, triangles) = ball(1.0, 3);
    // Two halves, and an island of one inside the other.
    let label_at =
        |point: &Vec3| u32::from(point.x > 0.03) ^ u32::from((point - Vec3::new(0.5, 0.0, 0.0)).norm() < 0.15);
    let mut cracks = Cracks::extract(&positions, &triangles, 0.12, label_at).expect("cracks");
    cracks.add_detail(Some(&CrackDetail::default())).expect("prepared");
    cracks.perturb(1);
    let shards = cut(&positions, &triangles, &cracks, label_at).expect("shards");
    check(&positions, &triangles, &shards);
    let reach = cracks.positions.iter().map(|place| place.x.abs()).fold(0.0, f64::max);
    assert!(shards.shards.len() == 2 && reach < 0.25, "{reach}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Any number of planes that cross anywhere gives closed fragments that fill the surface.
    #[test]
    fn any_division_gives_closed_fragments(seed in 0u64..1_000_000, count in 1usize..7, is_rough in any::<bool>()) {
        let (positions, triangles) = ball(1.0, 2);
        let mut random = Random::new(seed);
        let planes: Vec<(Vec3, f64)> = (0..count).map(|_| (random.direction(), 0.7 * random.signed())).collect();
        let label_at = |point: &Vec3| {
            planes.iter().zip(0..).map(|((normal, height), bit)| u32::from(normal.dot(point) > *height) << bit).sum()
        };
        let mut cracks = Cracks::extract(&positions, &triangles, 0.25, label_at).expect("cracks");
        let detail = if is_rough { CrackDetail::default() } else { CrackDetail::smooth() };
        cracks.add_detail(Some(&detail)).expect("prepared");
        cracks.perturb(1);
        let shards = cut(&positions, &triangles, &cracks, label_at).expect("shards");
        check(&positions, &triangles, &shards);
    }
}

#[test]
fn open_surfaces_and_cracks_that_end_inside_are_refused() {
    let (positions, mut triangles) = ball(1.2, 2);
    let locator = locator(2, false, &[0, 1, 2, 3]);
    let mut cracks = Cracks::extract(&positions, &triangles, 0.3, |point| locator.locate(point)).expect("cracks");
    cracks.perturb(1);
    let inside = |corners: &[u32; 3]| {
        corners.iter().map(|&vertex| cracks.positions[vertex as usize].norm()).fold(0.0, f64::max) < 0.9
    };
    let (gone, _) = cracks.triangles.iter().enumerate().find(|(_, corners)| inside(corners)).expect("an inner face");
    let mut holed = cracks.clone();
    holed.triangles.remove(gone);
    holed.sides.remove(gone);
    assert!(matches!(cut(&positions, &triangles, &holed, |_| 0), Err(SkinError::NotClosed { .. })));
    triangles.pop();
    assert_eq!(cut(&positions, &triangles, &cracks, |_| 0), Err(SkinError::InvalidSurface));
    assert!(Cracks::extract(&positions, &triangles, 0.0, |_| 0).is_err());
}

#[test]
fn texture_is_transferred_without_crossing_a_seam() {
    // Two squares side by side in the plane z = 0, locator texture jumps at x = 1.
    let positions: Vec<Vec3> = (0..6).map(|index| Vec3::new(f64::from(index % 3), f64::from(index / 3), 0.0)).collect();
    let triangles = [[0, 1, 3], [1, 4, 3], [1, 2, 4], [2, 5, 4]];
    let at = |triangle: usize, corner: usize| {
        let place = positions[triangles[triangle][corner] as usize];
        [place.x as f32 + if triangle > 1 { 10.0 } else { 0.0 }, place.y as f32]
    };
    let texture: Vec<[[f32; 2]; 3]> = (0..4).map(|triangle| [0, 1, 2].map(|corner| at(triangle, corner))).collect();
    let model = CornerAttributes { texture, normals: vec![[[0.0, 0.0, 1.0]; 3]; 4], materials: vec![5, 6, 7, 8] };
    // A triangle above the seam with its centroid on the left.
    let above = [Vec3::new(0.3, 0.3, 0.1), Vec3::new(1.2, 0.4, 0.1), Vec3::new(0.3, 0.8, 0.1)];
    let got = transfer_attributes((&positions, &triangles), &model, &above, &[[0, 1, 2]]).expect("transferred");
    for (corner, place) in got.texture[0].iter().zip(&above) {
        assert!((corner[0] - place.x as f32).abs() < 2e-3 && (corner[1] - place.y as f32).abs() < 2e-3, "{corner:?}");
    }
    assert_eq!(got.normals, [[[0.0, 0.0, 1.0]; 3]]);
    assert_eq!(got.materials, [6], "that of the triangle nearest to the centroid");
}
