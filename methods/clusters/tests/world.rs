//! A body of clusters in the world: it falls, bounces, comes to rest, and continues after a
//! restart.

use craze_clusters::{Cloud, Clusters, Options, load};
use craze_contact::RigidShape;
use craze_engine::{
    Body, Checked, Drive, EventKind, FrameDetail, Mode, Motion, Obstacle, PairTable, Settings, Verdict, World,
};
use craze_frame::Surface;
use craze_material::{Elasticity, Material};
use craze_math::{Isometry, Vec3};

const SPACING: f64 = 0.05;

/// A block that falls on the ground from half a metre, turned so that an edge meets it first.
fn world(goal_stiffness: f64, damping: f64, counts: [usize; 3]) -> World {
    let mut positions = Vec::new();
    for x in 0..counts[0] {
        for y in 0..counts[1] {
            for z in 0..counts[2] {
                positions.push(SPACING * Vec3::new(x as f64, y as f64, z as f64));
            }
        }
    }
    let cloud = Cloud { volumes: vec![SPACING.powi(3); positions.len()], positions, spacing: SPACING };
    let mut material = Material::elastic("dough", 1000.0, Elasticity::from_young(1e6, 0.3));
    material.cluster.goal_stiffness = goal_stiffness;
    let options = Options { damping, ..Options::default() };
    let placement = Isometry::new(Vec3::new(0.0, 0.5, 0.0), Vec3::new(0.3, 0.0, 0.5));
    let body = Clusters::new(cloud, &material, options, &placement, Vec3::x(), Vec3::zeros()).unwrap();
    let ground = Obstacle {
        name: "ground".into(),
        shape: RigidShape::HalfSpace,
        surface: Surface::default(),
        place: Isometry::identity(),
        drive: Drive::Prescribed(Motion::still()),
    };
    let settings = Settings {
        gravity: Vec3::new(0.0, -9.81, 0.0),
        frames_per_second: 30.0,
        longest_time_step: f64::INFINITY,
        mode: Mode::Dynamic,
        detail: FrameDetail::Surface,
        pairs: PairTable::new(1, 1, 0.5, 0.0),
        check_intersections: Checked::Nothing,
    };
    World::new(settings, vec![Body::new("block", Box::new(body), load)], vec![ground])
}

fn run(world: &mut World, frames: u32) {
    for _ in 0..frames {
        world.advance_frame(&mut |_| Verdict::Continue).unwrap();
    }
}

#[test]
fn a_block_falls_and_comes_to_rest_on_the_ground() {
    for (goal_stiffness, damping, counts) in [(1.0, 5.0, [4, 4, 4]), (1.0, 0.0, [8, 3, 2]), (0.1, 2.0, [4, 4, 4])] {
        let mut world = world(goal_stiffness, damping, counts);
        run(&mut world, 6);
        assert!(world.bodies[0].method.account(&world.settings.gravity).elastic == 0.0, "in flight");
        run(&mut world, 600);
        let retries = world.events.iter().filter(|event| matches!(event.kind, EventKind::Retry { .. })).count();
        assert_eq!(retries, 0, "at α = {goal_stiffness}: {:?}", world.events);
        let frame = world.frame();
        let lowest = frame.bodies[0]
            .particles
            .as_ref()
            .unwrap()
            .positions
            .iter()
            .map(|place| place.y)
            .fold(f64::INFINITY, f64::min);
        assert!((lowest - 0.5 * SPACING).abs() < 0.1 * SPACING, "{lowest} at α = {goal_stiffness}");
        let account = world.account();
        // Damping leaves rigid motion alone: what is left is a slow rocking on the bottom layer,
        // which friction holds.
        let allowed = if damping > 0.0 { 1e-3 } else { 0.5 };
        assert!(account.kinetic < allowed * account.mass, "{} J at α = {goal_stiffness}", account.kinetic);
    }
}

#[test]
fn a_restarted_world_goes_on_with_the_same_bits() {
    let mut straight = world(0.8, 1.0, [5, 4, 3]);
    run(&mut straight, 12);
    let mut resumed = world(0.8, 1.0, [5, 4, 3]);
    resumed.restore(&straight.save()).unwrap();
    run(&mut straight, 20);
    run(&mut resumed, 20);
    assert_eq!(straight.frame(), resumed.frame());
    assert_eq!(straight.account(), resumed.account());
}
