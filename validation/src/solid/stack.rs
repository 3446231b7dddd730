//! Test 30: five boxes that rest on each other; thin plates and edges that a fast thing must not pass.

use crate::ValidationError;
use crate::measure::largest;
use crate::outcome::{Expected, Findings};
use crate::run::{Depth, MethodLetter, Test};
use crate::setup::run_frames;
use craze_contact::{ContactSurface, RigidShape};
use craze_engine::{Body, Checked, Drive, FrameDetail, Mode, Motion, Obstacle, PairTable, Settings, World};
use craze_frame::Surface;
use craze_material::{Damping, Elasticity, Material};
use craze_math::{Isometry, Vec3};
use craze_mesh::kuhn_box;
use craze_solid::{Integrator, Solid, SolidOptions};
use craze_spatial::self_intersections;

pub(crate) const TEST: Test = Test {
    number: 30,
    method: MethodLetter::Solid,
    title: "Five boxes at rest on each other; a cube at 100 m/s against a thin plate, edge against edge",
    source: "statics; Bridson et al. 2002",
    conditions: "",
    measure,
};

/// Boxes in the stack.
const BOXES: usize = 5;
/// Size of each (m).
const SIZE: Vec3 = Vec3::new(0.2, 0.08, 0.2);
const DENSITY: f64 = 1000.0;
const GRAVITY: f64 = 9.81;

fn measure(depth: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    rest(depth, findings)?;
    sink(findings)?;
    let plate = (Vec3::new(0.4, 1e-3, 0.4), Isometry::identity());
    let cube = Isometry::translation(0.013, 0.05, 0.007);
    findings.compare(
        "corner against plate: triangles that cross",
        "",
        shoot(plate, cube)?,
        Expected::Zero { limit: 0.0 },
    );
    let eighth = std::f64::consts::FRAC_PI_4;
    let bar = (Vec3::new(0.4, 0.02, 0.02), Isometry::rotation(Vec3::new(eighth, 0.0, 0.0)));
    let edge = Isometry::new(Vec3::new(0.003, 0.05, 0.002), Vec3::new(0.0, 0.0, eighth));
    findings.compare("edge against edge: triangles that cross", "", shoot(bar, edge)?, Expected::Zero { limit: 0.0 });
    Ok(())
}

fn rest(depth: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    let (settling, seconds) = match depth {
        Depth::Quick => (3, 2),
        Depth::Full => (3, 10),
    };
    let cells = |index: usize| [[2, 1, 2], [3, 1, 3]][index % 2];
    let place = |index: usize| Isometry::translation(0.0, 0.04 + 0.0801 * index as f64, 0.0);
    let options = SolidOptions::default();
    let bodies = (0..BOXES).map(|index| block(cells(index), SIZE, place(index), Vec3::zeros(), options));
    let mut world = world(bodies.collect::<Result<_, _>>()?, vec![ground()], GRAVITY, 10.0);
    run_frames(&mut world, 10 * settling)?;
    let (before, mut energies, mut depths) = (centres(&world), vec![energy(&world)], Vec::new());
    for _ in 0..seconds {
        run_frames(&mut world, 10)?;
        energies.push(energy(&world));
        depths.push(depth_in_ground(&world));
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
    // An impulse at the end of a step acts as a spring of stiffness m/Δt² on each of the bottom's nodes: m g/k is the most that may be used up
    // of the distance which bodies keep.
    let weight = GRAVITY * world.account().mass;
    let bottom = DENSITY * SIZE.x * SIZE.y * SIZE.z / 4.0;
    let stiffness = bottom / (world.last_time_step * world.last_time_step);
    findings.compare(
        "depth in the distance kept from the ground over m·g/k, impulses",
        "",
        largest(depths) / (weight / stiffness),
        Expected::Zero { limit: 1.0 },
    );
    findings.compare("triangles that cross", "", intersections(&world)?, Expected::Zero { limit: 0.0 });
    Ok(())
}

/// An implicit box on the ground: its springs carry it as deep in the distance which it keeps as its weight over their stiffness.
fn sink(findings: &mut Findings) -> Result<(), ValidationError> {
    let options = SolidOptions { integrator: Integrator::Implicit, ..SolidOptions::default() };
    let place = Isometry::translation(0.0, 0.041, 0.0);
    let mut world = world(vec![block([3, 1, 3], SIZE, place, Vec3::zeros(), options)?], vec![ground()], GRAVITY, 100.0);
    run_frames(&mut world, 100)?;
    let (kept, step) = (world.bodies[0].method.contact_triangles().skin, world.last_time_step);
    // See `World::contact_stiffness`: a hundred masses over Δt², or what leaves three quarters of the distance to ten times the mass.
    let stiffness = (100.0 / (step * step)).max(10.0 * GRAVITY / (0.25 * kept));
    let mut surface = ContactSurface::default();
    world.bodies[0].method.contact_surface(&mut surface);
    let pushes = surface.points.iter().map(|point| stiffness / point.inverse_mass * (kept - point.start.y).max(0.0));
    let (push, weight) = (pushes.sum::<f64>(), GRAVITY * world.account().mass);
    findings.compare(
        "depth in the ground over m·g/k, springs",
        "",
        push / weight,
        Expected::Relative { value: 1.0, tolerance: 0.01 },
    );
    Ok(())
}

/// Pairs of triangles that cross after a cube of 2 cm has come down at 100 m/s on a thin thing. Steps are as long as the two bear, 10 ms
/// at most.
fn shoot((size, place): (Vec3, Isometry), cube: Isometry) -> Result<f64, ValidationError> {
    let cells = size.map(|extent| (extent / 0.05).round().max(1.0) as usize);
    let options = SolidOptions::default();
    let target = block([cells.x, cells.y, cells.z], size, place, Vec3::zeros(), options)?;
    let bullet = block([1; 3], Vec3::repeat(0.02), cube, Vec3::new(0.0, -100.0, 0.0), options)?;
    let mut world = world(vec![target, bullet], Vec::new(), 0.0, 5000.0);
    let mut crossing = 0.0;
    for _ in 0..5 {
        run_frames(&mut world, 1)?;
        crossing += intersections(&world)?;
        // What has passed whole does not cross any more: the thin thing must be dragged along in front.
        let frame = world.frame();
        let [target, bullet] = [0, 1]
            .map(|body| frame.bodies[body].surface.positions.iter().map(|place| place.y).fold(f64::MAX, f64::min));
        crossing += f64::from(bullet < target);
    }
    Ok(crossing)
}

fn block(
    cells: [usize; 3],
    size: Vec3,
    place: Isometry,
    velocity: Vec3,
    options: SolidOptions,
) -> Result<Body, ValidationError> {
    let damping = Damping { phi: 20.0, psi: 20.0, ..Damping::default() };
    let material = Material { damping, ..Material::elastic("rubber", DENSITY, Elasticity::from_young(1e6, 0.3)) };
    let placement = place * Isometry::translation(-0.5 * size.x, -0.5 * size.y, -0.5 * size.z);
    let solid = Solid::new(kuhn_box(cells, size)?, vec![material], options, placement, velocity, Vec3::zeros())?;
    Ok(Body { name: "box".to_owned(), method: Box::new(solid), load: craze_solid::load })
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
    let centre = |places: &[Vec3]| places.iter().sum::<Vec3>() / places.len() as f64;
    world.frame().bodies.iter().map(|body| centre(&body.surface.positions)).collect()
}

fn energy(world: &World) -> f64 {
    let account = world.account();
    account.kinetic + account.elastic + account.potential
}

/// How much the lowest box uses up of the distance that it keeps from the ground (m).
fn depth_in_ground(world: &World) -> f64 {
    let kept = world.bodies[0].method.contact_triangles().skin;
    largest(world.frame().bodies[0].surface.positions.iter().map(|place| (kept - place.y).max(0.0)))
}

/// Pairs of triangles of all bodies that cross, exactly.
fn intersections(world: &World) -> Result<f64, ValidationError> {
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for body in world.frame().bodies {
        let first = positions.len() as u32;
        positions.extend(body.surface.positions);
        triangles.extend(body.surface.triangles.iter().map(|corners| corners.map(|corner| first + corner)));
    }
    Ok(self_intersections(&positions, &triangles, 1000)?.pairs.len() as f64)
}
