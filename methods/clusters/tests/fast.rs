//! Particles and obstacles that are too fast for the step: nothing passes through anything.

use craze_clusters::{Cloud, Clusters, Options, load};
use craze_contact::RigidShape;
use craze_engine::{
    Body, Checked, Drive, FrameDetail, Keyframe, Mode, Motion, Obstacle, PairTable, Settings, Verdict, World,
};
use craze_frame::Surface;
use craze_material::{Elasticity, Material};
use craze_math::{Isometry, Vec3};

const SPACING: f64 = 0.05;

/// A cube of 27 particles at the origin.
fn cube(velocity: Vec3) -> Body {
    let place = |number: usize| Vec3::new((number % 3) as f64, (number / 3 % 3) as f64, (number / 9) as f64);
    let positions: Vec<Vec3> = (0..27).map(|number| SPACING * (place(number) - Vec3::repeat(1.0))).collect();
    let cloud = Cloud { volumes: vec![SPACING.powi(3); positions.len()], positions, spacing: SPACING };
    let mut material = Material::elastic("dough", 1000.0, Elasticity::from_young(1e6, 0.3));
    material.cluster.goal_stiffness = 0.9;
    let body = Clusters::new(cloud, &material, Options::default(), &Isometry::identity(), velocity, Vec3::zeros());
    Body::new("cube", Box::new(body.unwrap()), load)
}

fn world(body: Body, shape: RigidShape, place: Isometry, motion: Motion) -> World {
    let obstacle =
        Obstacle { name: "wall".into(), shape, surface: Surface::default(), place, drive: Drive::Prescribed(motion) };
    let settings = Settings {
        gravity: Vec3::zeros(),
        frames_per_second: 100.0,
        longest_time_step: f64::INFINITY,
        mode: Mode::Dynamic,
        detail: FrameDetail::Surface,
        pairs: PairTable::new(1, 1, 0.0, 0.0),
        check_intersections: Checked::Nothing,
    };
    World::new(settings, vec![body], vec![obstacle])
}

/// Heights of the lowest and the highest particle (m).
fn heights(world: &World) -> [f64; 2] {
    let mut surface = craze_contact::ContactSurface::default();
    world.bodies[0].method.collision_geometry().points.add_points(&mut surface);
    let heights = || surface.points.iter().map(|point| point.start.y);
    [heights().fold(f64::MAX, f64::min), heights().fold(f64::MIN, f64::max)]
}

fn run(world: &mut World, frames: u32) {
    for _ in 0..frames {
        world.advance_frame(&mut |_| Verdict::Continue).unwrap();
    }
}

#[test]
fn a_fast_cube_of_particles_stops_at_a_thin_plate() {
    let plate = RigidShape::Cuboid { half_size: Vec3::new(1.0, 5e-5, 1.0) };
    let mut world =
        world(cube(Vec3::new(0.0, -100.0, 0.0)), plate, Isometry::translation(0.0, -0.3, 0.0), Motion::still());
    run(&mut world, 5);
    let [lowest, _] = heights(&world);
    assert!(lowest > -0.3, "a particle is {} m behind the plate", -0.3 - lowest);
}

#[test]
fn fast_obstacles_push_particles_before_them() {
    for (shape, thickness) in
        [(RigidShape::HalfSpace, 0.0), (RigidShape::Cuboid { half_size: Vec3::new(1.0, 5e-4, 1.0) }, 5e-4)]
    {
        // From below, a metre in a hundredth of a second.
        let way = [0.0, 1.0].map(|y| Vec3::new(0.0, y, 0.0));
        let key = |time: f64, shift: Vec3| Keyframe { time, shift, turn: Vec3::zeros() };
        let motion = Motion::Keyframes(vec![key(0.0, way[0]), key(0.01, way[1])]);
        let mut world = world(cube(Vec3::zeros()), shape, Isometry::translation(0.0, -0.3, 0.0), motion);
        run(&mut world, 1);
        let [lowest, _] = heights(&world);
        assert!(lowest > 0.7 + thickness - 1e-9, "a particle is {} m behind the obstacle", 0.7 - lowest);
    }
}
