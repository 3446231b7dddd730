//! Test 30: five stacked boxes at rest; fast bodies against thin plates and edges.

use crate::ValidationError;
use crate::measure::largest;
use crate::outcome::{Expected, Findings};
use crate::run::{Depth, Test};
use crate::setup::run_frames;
use craze_contact::RigidShape;
use craze_engine::{Body, Checked, Drive, FrameDetail, Mode, Motion, Obstacle, PairTable, Settings, World};
use craze_frame::Surface;
use craze_material::{Damping, Elasticity, Material};
use craze_math::{Isometry, Vec3};
use craze_mesh::kuhn_box;
use craze_methods::solid::{Integrator, Solid, SolidOptions};
use craze_spatial::self_intersections;

pub(crate) const TEST: Test = Test {
    number: 30,
    method: craze_methods::solid::KIND,
    title: "Five boxes at rest on each other; a cube at 100 m/s against a thin plate, edge against edge",
    source: "statics; Bridson et al. 2002",
    conditions: "",
    measure,
};

/// Number of boxes.
const BOXES: usize = 5;
/// Size of each (m).
const SIZE: Vec3 = Vec3::new(0.2, 0.08, 0.2);
const DENSITY: f64 = 1000.0;
const GRAVITY: f64 = 9.81;

fn measure(depth: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    check_rest(depth, findings)?;
    check_springs(findings)?;
    let plate = (Vec3::new(0.4, 1e-3, 0.4), Isometry::identity());
    let cube = Isometry::translation(0.013, 0.05, 0.007);
    findings.compare(
        "corner against plate: crossing triangles",
        "",
        shoot(plate, cube)?,
        Expected::Zero { limit: 0.0 },
    );
    let eighth = std::f64::consts::FRAC_PI_4;
    let bar = (Vec3::new(0.4, 0.02, 0.02), Isometry::rotation(Vec3::new(eighth, 0.0, 0.0)));
    let edge = Isometry::new(Vec3::new(0.003, 0.05, 0.002), Vec3::new(0.0, 0.0, eighth));
    findings.compare("edge against edge: crossing triangles", "", shoot(bar, edge)?, Expected::Zero { limit: 0.0 });
    Ok(())
}

fn check_rest(depth: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    let (settling, seconds) = match depth {
        Depth::Quick => (3, 2),
        Depth::Full => (3, 10),
    };
    let cells = |index: usize| [[2, 1, 2], [3, 1, 3]][index % 2];
    let pose = |index: usize| Isometry::translation(0.0, 0.04 + 0.0801 * index as f64, 0.0);
    let options = SolidOptions::default();
    let bodies = (0..BOXES).map(|index| block(cells(index), SIZE, pose(index), Vec3::zeros(), options));
    let mut world = world(bodies.collect::<Result<_, _>>()?, vec![ground()], GRAVITY, 10.0);
    run_frames(&mut world, 10 * settling)?;
    let (before, mut energies, mut depths) = (centres(&world), vec![energy(&world)], Vec::new());
    for _ in 0..seconds {
        run_frames(&mut world, 10)?;
        energies.push(energy(&world));
        depths.push(contact_distance_used(&world));
    }
    let drift = largest(centres(&world).iter().zip(&before).map(|(now, then)| (now - then).norm()));
    findings.compare(format!("drift in {seconds} s"), "m", drift, Expected::Zero { limit: 1e-4 });
    let growth = largest(energies.windows(2).map(|pair| (pair[1] - pair[0]).max(0.0)));
    findings.compare(
        "largest growth of energy in a second over the energy",
        "",
        growth / energies[0],
        Expected::Zero { limit: 1e-6 },
    );
    // An impulse at the end of a step acts like a spring of stiffness k = m/Δt² on each node at the
    // bottom: the contact distance may decrease by at most m·g/k.
    let weight = GRAVITY * world.account().mass;
    let bottom = DENSITY * SIZE.x * SIZE.y * SIZE.z / 4.0;
    let stiffness = bottom / (world.last_time_step * world.last_time_step);
    findings.compare(
        "reduction of the contact distance to the ground over m·g/k, impulses",
        "",
        largest(depths) / (weight / stiffness),
        Expected::Zero { limit: 1.0 },
    );
    findings.compare("crossing triangles", "", intersections(&world)?, Expected::Zero { limit: 0.0 });
    Ok(())
}

/// An implicit box on the ground: contact springs support it at a depth in the contact distance of
/// its weight over their stiffness.
fn check_springs(findings: &mut Findings) -> Result<(), ValidationError> {
    let options = SolidOptions { integrator: Integrator::Implicit, ..SolidOptions::default() };
    let pose = Isometry::translation(0.0, 0.041, 0.0);
    let mut world = world(vec![block([3, 1, 3], SIZE, pose, Vec3::zeros(), options)?], vec![ground()], GRAVITY, 100.0);
    run_frames(&mut world, 100)?;
    let (contact_distance, step) = (world.bodies[0].method.collision_geometry().triangles.skin, world.last_time_step);
    // See `World::contact_stiffness`: a hundred masses over Δt², or the stiffness that leaves three
    // quarters of the distance at ten times the mass.
    let stiffness = (100.0 / (step * step)).max(10.0 * GRAVITY / (0.25 * contact_distance));
    let surface = world.bodies[0].method.collision_geometry().surface();
    let forces =
        surface.points.iter().map(|point| stiffness / point.inverse_mass * (contact_distance - point.start.y).max(0.0));
    let (force, weight) = (forces.sum::<f64>(), GRAVITY * world.account().mass);
    findings.compare(
        "reduction of the contact distance to the ground over m·g/k, springs",
        "",
        force / weight,
        Expected::Relative { value: 1.0, tolerance: 0.01 },
    );
    Ok(())
}

/// Number of crossing triangle pairs after a cube of 2 cm hits a thin body at 100 m/s. Steps are as
/// long as both bodies allow, at most 10 ms.
fn shoot((size, pose): (Vec3, Isometry), cube: Isometry) -> Result<f64, ValidationError> {
    let cells = size.map(|extent| (extent / 0.05).round().max(1.0) as usize);
    let options = SolidOptions::default();
    let target = block([cells.x, cells.y, cells.z], size, pose, Vec3::zeros(), options)?;
    let bullet = block([1; 3], Vec3::repeat(0.02), cube, Vec3::new(0.0, -100.0, 0.0), options)?;
    let mut world = world(vec![target, bullet], Vec::new(), 0.0, 5000.0);
    let mut crossing = 0.0;
    for _ in 0..5 {
        run_frames(&mut world, 1)?;
        crossing += intersections(&world)?;
        // Triangles that have passed completely no longer cross: the thin body must be pushed ahead
        // of the cube.
        let frame = world.frame();
        let [target, bullet] = [0, 1].map(|body| {
            frame.bodies[body].surface.positions.iter().map(|position| position.y).fold(f64::MAX, f64::min)
        });
        crossing += f64::from(bullet < target);
    }
    Ok(crossing)
}

fn block(
    cells: [usize; 3],
    size: Vec3,
    pose: Isometry,
    velocity: Vec3,
    options: SolidOptions,
) -> Result<Body, ValidationError> {
    let damping = Damping { phi: 20.0, psi: 20.0, ..Damping::default() };
    let material = Material { damping, ..Material::elastic("rubber", DENSITY, Elasticity::from_young(1e6, 0.3)) };
    let placement = pose * Isometry::translation(-0.5 * size.x, -0.5 * size.y, -0.5 * size.z);
    let solid = Solid::new(kuhn_box(cells, size)?, vec![material], options, placement, velocity, Vec3::zeros())?;
    Ok(Body::new("box", Box::new(solid), craze_methods::solid::load))
}

fn ground() -> Obstacle {
    Obstacle {
        name: "ground".to_owned(),
        shape: RigidShape::HalfSpace,
        surface: Surface::default(),
        place: Isometry::identity(),
        drive: Drive::Prescribed(Motion::still()),
    }
}

fn world(bodies: Vec<Body>, obstacles: Vec<Obstacle>, gravity: f64, frames_per_second: f64) -> World {
    let settings = Settings {
        gravity: Vec3::new(0.0, -gravity, 0.0),
        frames_per_second,
        longest_time_step: 0.01,
        mode: Mode::Dynamic,
        detail: FrameDetail::Surface,
        pairs: PairTable::new(bodies.len(), obstacles.len(), 0.5, 0.0),
        check_intersections: Checked::Everything,
    };
    World::new(settings, bodies, obstacles)
}

fn centres(world: &World) -> Vec<Vec3> {
    let centre = |positions: &[Vec3]| positions.iter().sum::<Vec3>() / positions.len() as f64;
    world.frame().bodies.iter().map(|body| centre(&body.surface.positions)).collect()
}

fn energy(world: &World) -> f64 {
    let account = world.account();
    account.kinetic + account.elastic + account.potential
}

/// Reduction of the contact distance between the lowest box and the ground (m).
fn contact_distance_used(world: &World) -> f64 {
    let contact_distance = world.bodies[0].method.collision_geometry().triangles.skin;
    largest(world.frame().bodies[0].surface.positions.iter().map(|position| (contact_distance - position.y).max(0.0)))
}

/// Number of crossing triangle pairs of all bodies, by an exact test.
fn intersections(world: &World) -> Result<f64, ValidationError> {
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for body in world.frame().bodies {
        let first = positions.len() as u32;
        positions.extend(body.surface.positions);
        triangles.extend(body.surface.triangles.iter().map(|corners| corners.map(|corner| first + corner)));
    }
    Ok(self_intersections(&positions, &triangles, 1000)?.pairs.len() as f64)
}
