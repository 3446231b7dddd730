//! Collisions of two moving surfaces are found, whichever of them moves and however fast.

use craze_contact::collisions::features::{CollisionMesh, Detection, find_collisions};
use craze_contact::collisions::{Collision, PointSum};
use craze_contact::{Candidates, ContactMaterial, ContactSurface, ContactTriangles, SurfacePoint, SurfaceTree};
use craze_math::Vec3;

const SKIN: f64 = 1e-3;

struct Thing {
    surface: ContactSurface,
    tree: SurfaceTree,
    is_closed: bool,
    skin: f64,
}

impl Thing {
    /// Points that move from one position to another, and triangles over them.
    fn new(ways: &[(Vec3, Vec3)], triangles: &[[u32; 3]], is_closed: bool, radius: f64) -> Thing {
        let point = |&(start, end): &(Vec3, Vec3)| SurfacePoint {
            dof: 0,
            start,
            start_velocity: end - start,
            end,
            velocity: end - start,
            inverse_mass: 1.0,
            radius,
        };
        let surface = ContactSurface { points: ways.iter().map(point).collect(), ..ContactSurface::default() };
        let skin = if triangles.is_empty() { 0.0 } else { SKIN };
        let mut tree = SurfaceTree::default();
        tree.follow(&ContactTriangles { version: 1, triangles, is_closed, skin, origins: &[] }, ways.len());
        let longest = ways.iter().map(|(start, end)| (end - start).norm()).fold(0.0, f64::max);
        tree.refresh(&surface.points, skin, longest).expect("sound points");
        Thing { surface, tree, is_closed, skin }
    }

    /// A triangle of a size in the plane y = `height` that faces up and goes by `way`.
    fn triangle(size: f64, height: f64, way: Vec3, is_closed: bool) -> Thing {
        let corners = [Vec3::new(-size, height, -size), Vec3::new(0.0, height, size), Vec3::new(size, height, -size)];
        Thing::new(&corners.map(|corner| (corner, corner + way)), &[[0, 1, 2]], is_closed, 0.0)
    }

    fn ball(start: Vec3, end: Vec3, radius: f64) -> Thing {
        Thing::new(&[(start, end)], &[], false, radius)
    }

    fn participant(&self) -> CollisionMesh<'_> {
        CollisionMesh { surface: &self.surface, tree: &self.tree, is_closed: self.is_closed, skin: self.skin }
    }
}

fn between(first: &Thing, second: &Thing, look: Detection) -> Vec<Collision<PointSum>> {
    let mut candidates = Candidates::default();
    candidates.between(&first.tree, &second.tree);
    let (a, b) = (first.participant(), second.participant());
    let motion = |thing: &Thing| {
        thing.tree.motion(thing.surface.points.iter().map(|point| point.end)).expect("the points of the tree")
    };
    let mut found = Vec::new();
    let (approach, material) = (motion(first).approach(&motion(second)), ContactMaterial::default());
    find_collisions([&a, &b], &candidates, approach, look, material, &mut found);
    found
}

#[test]
fn a_fast_ball_hits_a_triangle_on_the_side_from_which_it_comes() {
    for speed in [0.3, 100.0] {
        let ball = Thing::ball(Vec3::new(0.0, 0.2, 0.0), Vec3::new(0.0, 0.2 - speed, 0.0), 0.05);
        let sheet = Thing::triangle(1.0, 0.0, Vec3::zeros(), false);
        let found = between(&ball, &sheet, Detection::Proximity);
        assert_eq!(found.len(), 1);
        assert!((found[0].normal - Vec3::y()).norm() < 1e-12);
        assert!((found[0].gap_at_end - (0.2 - speed - 0.05 - 0.5 * SKIN)).abs() < 1e-9, "{}", found[0].gap_at_end);
        let back = between(&sheet, &ball, Detection::Proximity);
        assert!((back[0].normal + found[0].normal).norm() < 1e-12 && back[0].sides[1].weights == [1.0, 0.0, 0.0]);
    }
}

#[test]
fn surfaces_that_move_together_or_pass_by_do_not_collide() {
    let way = Vec3::new(0.0, -50.0, 0.0);
    let above = Thing::ball(Vec3::new(0.0, 0.2, 0.0), Vec3::new(0.0, 0.2, 0.0) + way, 0.05);
    assert!(between(&above, &Thing::triangle(1.0, 0.0, way, false), Detection::Proximity).is_empty());
    let beside = Thing::ball(Vec3::new(2.0, 0.2, 0.0), Vec3::new(2.0, -0.2, 0.0), 0.05);
    assert!(between(&beside, &Thing::triangle(1.0, 0.0, Vec3::zeros(), false), Detection::Proximity).is_empty());
}

#[test]
fn edges_collide_where_no_corner_does() {
    let upper = Thing::new(
        &[Vec3::new(-1.0, 0.1, 0.0), Vec3::new(1.0, 0.1, 0.0), Vec3::new(0.0, 1.0, 0.0)]
            .map(|corner| (corner, corner - Vec3::new(0.0, 0.3, 0.0))),
        &[[0, 1, 2]],
        false,
        0.0,
    );
    let lower = Thing::new(
        &[Vec3::new(0.0, 0.0, -1.0), Vec3::new(0.0, 0.0, 1.0), Vec3::new(0.0, -1.0, 0.0)]
            .map(|corner| (corner, corner)),
        &[[0, 1, 2]],
        false,
        0.0,
    );
    let found = between(&upper, &lower, Detection::Crossings);
    let crossing =
        found.iter().find(|collision| collision.sides[0].weights[2] == 0.0 && collision.sides[0].weights[0] < 1.0);
    let crossing = crossing.expect("the two edges");
    assert!((crossing.sides[0].weights[0] - 0.5).abs() < 1e-9 && (crossing.sides[1].weights[1] - 0.5).abs() < 1e-9);
    assert!((crossing.normal - Vec3::y()).norm() < 1e-6);
}

#[test]
fn crack_faces_that_coincide_collide_only_as_they_close() {
    // The lower crack face faces up; a corner of the upper one lies on it to the bit.
    let lower = Thing::triangle(1.0, 0.0, Vec3::zeros(), true);
    for (way, meets) in [(0.01, false), (-0.01, true)] {
        let upper = Thing::ball(Vec3::zeros(), Vec3::new(0.0, way, 0.0), 0.0);
        let found = between(&upper, &lower, Detection::Proximity);
        assert_eq!(found.len(), usize::from(meets));
        assert!(
            found
                .iter()
                .all(|collision| (collision.normal - Vec3::y()).norm() < 1e-12 && collision.gap_at_start == 0.0)
        );
    }
}

#[test]
fn a_ball_on_a_plate_thinner_than_its_radius_is_not_pulled_through() {
    let (a, b, c) = (Vec3::new(-1.0, -0.01, -1.0), Vec3::new(0.0, -0.01, 1.0), Vec3::new(1.0, -0.01, -1.0));
    let underside = Thing::new(&[a, c, b].map(|corner| (corner, corner)), &[[0, 1, 2]], true, 0.0);
    let ball = Thing::ball(Vec3::new(0.0, 0.09, 0.0), Vec3::new(0.0, 0.08, 0.0), 0.1);
    let found = between(&ball, &underside, Detection::Proximity);
    assert!(found.iter().all(|collision| collision.normal.y > 0.0), "{found:?}");
}

#[test]
fn positions_that_are_not_numbers_collide_with_nothing() {
    let mut ball = Thing::ball(Vec3::new(0.0, 0.2, 0.0), Vec3::new(0.0, -0.2, 0.0), 0.05);
    ball.surface.points[0].end.x = f64::NAN;
    let sheet = Thing::triangle(1.0, 0.0, Vec3::zeros(), false);
    let mut candidates = Candidates::default();
    candidates.between(&ball.tree, &sheet.tree);
    let mut found = Vec::new();
    let (meshes, material) = ([&ball.participant(), &sheet.participant()], ContactMaterial::default());
    find_collisions(meshes, &candidates, 1.0, Detection::Proximity, material, &mut found);
    assert!(
        found.iter().all(|collision| collision.normal.norm().is_finite() && collision.gap_at_end.is_finite()),
        "{found:?}"
    );
}

#[test]
fn a_rotating_triangle_is_kept_off_a_heavy_ball_by_a_few_impulses() {
    let mut state = 1u64;
    let mut random = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    for _ in 0..300 {
        let mut ball = Thing::ball(Vec3::new(1.0, 2.0, 3.0), Vec3::new(1.0, 2.0, 3.0), 0.5);
        ball.surface.points[0].inverse_mass = 0.0;
        // A small triangle that has been pressed to within a few nanometres of it, with corners
        // that move at random.
        let clear = 10f64.powf(-7.5 + random());
        let corners =
            [(-0.01, -0.01), (0.0, 0.01), (0.01, -0.01)].map(|(x, z)| Vec3::new(1.0 + x, 2.5 + clear, 3.0 + z));
        let ways =
            corners.map(|corner| (corner, corner + 40.0 * clear * Vec3::new(random(), random() - 0.2, random())));
        let masses = [(); 3].map(|()| 10f64.powf(2.0 * random()));
        let mut crumb = Thing::new(&ways, &[[0, 1, 2]], true, 0.0);
        let pushes = (0..5).find(|_| {
            let found = between(&crumb, &ball, Detection::Crossings);
            for Collision { sides: [side, _], normal, gap_at_end, .. } in &found {
                let share = |(point, weight): (u32, f64)| weight / masses[point as usize];
                let mobility: f64 = side.iter().map(|entry| entry.1 * share(entry)).sum();
                for entry in side.iter() {
                    crumb.surface.points[entry.0 as usize].end -= gap_at_end / mobility * share(entry) * normal;
                }
            }
            found.is_empty()
        });
        assert!(pushes.is_some(), "{ways:?} still cross after five pushes");
    }
}
