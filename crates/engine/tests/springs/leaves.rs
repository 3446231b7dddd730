//! Light leaves between two heavy ones that close like a hammer and an anvil: impulses, found one contact at a time, do not get through
//! the pile, and impact zones do.

use craze_contact::{CollisionGeometry, ContactPoints, ContactSurface, ContactTriangles, Impulse, SurfacePoint};
use craze_engine::{
    Account, Attachable, Body, Checked, CommitLog, EventKind, Failure, FrameDetail, HoldId, MaterialPoint, Method,
    Mode, PairTable, Region, Settings, Step, Verdict, World,
};
use craze_frame::BodyFrame;
use craze_math::Vec3;
use craze_spatial::Aabb;

/// Triangles on top of each other that nothing but contact holds apart.
struct Leaves {
    positions: Vec<Vec3>,
    velocities: Vec<Vec3>,
    masses: Vec<f64>,
    triangles: Vec<[u32; 3]>,
    ends: Vec<Vec3>,
    end_velocities: Vec<Vec3>,
}

/// Distance between two leaves (m).
const APART: f64 = 0.01;

impl Leaves {
    fn new(light: u32, speed: f64) -> Leaves {
        let count = light + 2;
        let (mut positions, mut velocities, mut masses) = (Vec::new(), Vec::new(), Vec::new());
        for leaf in 0..count {
            let (mass, velocity) = match leaf {
                0 => (10.0, speed),
                leaf if leaf + 1 == count => (10.0, -speed),
                _ => (0.001, 0.0),
            };
            for corner in 0..3 {
                let angle = 2.0 * f64::from(corner) + 0.4 * f64::from(leaf);
                positions.push(Vec3::new(angle.cos(), APART * f64::from(leaf), angle.sin()));
                velocities.push(Vec3::new(0.0, velocity, 0.0));
                masses.push(mass);
            }
        }
        let triangles = (0..count).map(|leaf| [3 * leaf, 3 * leaf + 1, 3 * leaf + 2]).collect();
        Leaves { ends: positions.clone(), end_velocities: velocities.clone(), positions, velocities, masses, triangles }
    }
}

impl ContactPoints for Leaves {
    fn add_points(&self, surface: &mut ContactSurface) {
        surface.points.extend((0..self.positions.len()).map(|node| SurfacePoint {
            dof: node as u32,
            start: self.positions[node],
            start_velocity: self.velocities[node],
            end: self.ends[node],
            velocity: self.end_velocities[node],
            inverse_mass: 1.0 / self.masses[node],
            radius: 0.0,
        }));
    }
}

impl Method for Leaves {
    fn kind(&self) -> &'static str {
        "leaves"
    }

    fn time_step_limit(&self) -> f64 {
        0.01
    }

    fn predict(&mut self, step: &Step) -> Result<(), Failure> {
        self.end_velocities.clone_from(&self.velocities);
        let ends = self.positions.iter().zip(&self.velocities);
        self.ends = ends.map(|(place, velocity)| place + step.time_step * velocity).collect();
        Ok(())
    }

    fn collision_geometry(&self) -> CollisionGeometry<'_> {
        let triangles = ContactTriangles { triangles: &self.triangles, skin: 1e-4, ..ContactTriangles::default() };
        let bounds = Aabb::from_points(self.positions.iter().chain(&self.ends));
        CollisionGeometry { triangles, touches_itself: true, ..CollisionGeometry::of_points(bounds, self) }
    }

    fn receive(&mut self, impulses: &[Impulse], step: &Step) {
        for impulse in impulses {
            let node = impulse.dof as usize;
            let gain = impulse.impulse / self.masses[node];
            self.end_velocities[node] += gain;
            self.ends[node] += step.time_step * gain;
        }
    }

    fn check(&self) -> Result<(), Failure> {
        Ok(())
    }

    fn commit(&mut self, _step: &Step, _log: &mut CommitLog) {
        self.positions.clone_from(&self.ends);
        self.velocities.clone_from(&self.end_velocities);
    }

    fn account(&self, _gravity: &Vec3) -> Account {
        let mut account = Account::default();
        for ((position, velocity), &mass) in self.positions.iter().zip(&self.velocities).zip(&self.masses) {
            account.mass += mass;
            account.momentum += mass * velocity;
            account.angular_momentum += mass * position.cross(velocity);
            account.kinetic += 0.5 * mass * velocity.norm_squared();
        }
        account
    }

    fn frame(&self, _detail: FrameDetail) -> BodyFrame {
        BodyFrame::default()
    }

    fn save(&self) -> Vec<u8> {
        Vec::new()
    }
}

impl Attachable for Leaves {
    fn attach(&mut self, _hold: HoldId, _region: &Region) -> Option<Vec3> {
        None
    }

    fn locate(&mut self, _place: &Vec3) -> MaterialPoint {
        MaterialPoint { element: 0, weights: [1.0, 0.0, 0.0, 0.0] }
    }

    fn observe(&self, _point: &MaterialPoint) -> (Vec3, Vec3) {
        (Vec3::zeros(), Vec3::zeros())
    }

    fn reaction(&self, _hold: HoldId) -> Vec3 {
        Vec3::zeros()
    }
}

#[test]
fn what_impulses_leave_colliding_is_resolved_by_zones() {
    let settings = Settings {
        gravity: Vec3::zeros(),
        frames_per_second: 100.0,
        longest_time_step: f64::INFINITY,
        mode: Mode::Dynamic,
        detail: FrameDetail::Surface,
        pairs: PairTable::new(1, 0, 0.0, 0.0),
        check_intersections: Checked::Everything,
    };
    let leaves = Box::new(Leaves::new(12, 20.0));
    let load = |_: &[u8]| Err("leaves are not saved".to_owned());
    let body = Body::new("leaves", leaves, load);
    let mut world = World::new(settings, vec![body], Vec::new());
    let before = world.account();
    for _ in 0..3 {
        world.advance_frame(&mut |_| Verdict::Continue).expect("a frame");
        world.check_intersections().unwrap_or_else(|found| panic!("{found}"));
    }
    let zones = world.events.iter().filter(|event| matches!(event.kind, EventKind::Zones { .. })).count();
    assert!(zones > 0, "impulses alone have found a way: {:?}", world.events);
    let retries = world.events.iter().filter(|event| matches!(event.kind, EventKind::Retry { .. })).count();
    assert_eq!(retries, 0, "{:?}", world.events);
    let after = world.account();
    let scale = 10.0 * 3.0 * 20.0;
    assert!((after.momentum - before.momentum).norm() < 1e-9 * scale, "{}", after.momentum);
    assert!(after.kinetic < before.kinetic, "{} J of {} J", after.kinetic, before.kinetic);
}
