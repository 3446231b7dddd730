//! A cube of springs that may break in two between two steps.

use craze_contact::{CollisionGeometry, ContactPoints, ContactSurface, ContactTriangles, Impulse, SurfacePoint};
use craze_engine::{
    Account, Attachable, Body, Checked, CommitLog, Failure, FrameDetail, HoldId, MaterialPoint, Method, Mode, Obstacle,
    PairTable, Region, Settings, Step, Verdict, World,
};
use craze_frame::BodyFrame;
use craze_math::Vec3;
use craze_spatial::Aabb;
use serde::{Deserialize, Serialize};

/// Points along each side of the cube.
pub const SIDE: u32 = 4;
/// Half its edge (m).
pub const HALF: f64 = 0.05;
/// Mass of a node (kg).
pub const MASS: f64 = 0.01;
/// Springs between all nodes of a half (N/m).
pub const STIFFNESS: f64 = 400.0;
/// Distance that is kept (m), each side.
pub const SKIN: f64 = 1e-5;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cube {
    pub positions: Vec<Vec3>,
    pub velocities: Vec<Vec3>,
    #[serde(skip)]
    pub ends: Vec<Vec3>,
    #[serde(skip)]
    pub end_velocities: Vec<Vec3>,
    /// Two nodes and the length at rest (m).
    pub springs: Vec<(u32, u32, f64)>,
    /// Nodes on the surface, ascending, and triangles over that list.
    pub surface: Vec<u32>,
    pub triangles: Vec<[u32; 3]>,
    pub origins: Vec<u32>,
    pub version: u64,
    pub splits_at: f64,
    /// Force on every node of the upper half, and the opposite on the lower ones, between two times (N, s, s).
    pub pushes: Vec<(Vec3, f64, f64)>,
    /// Work of all forces from outside, and that of contacts (J).
    pub work: [f64; 2],
    #[serde(skip)]
    pub outside: Vec<Vec3>,
    #[serde(skip)]
    pub impulses: Vec<Vec3>,
    /// Sum of the lengths of all impulses received (N·s).
    pub received: f64,
}

/// First node of the middle level, and of its upper copies.
pub const MIDDLE: u32 = SIDE * SIDE;
pub const UPPER: u32 = 3 * SIDE * SIDE;

/// The surface of a half between two levels given by the first node of each; without its top or bottom if told so.
pub fn half(bottom: u32, top: u32, is_lower: bool, broken: bool) -> Vec<[u32; 3]> {
    let at = |first: u32, i: u32, k: u32| first + k * SIDE + i;
    let mut quads = Vec::new();
    for (a, b) in (0..SIDE - 1).flat_map(|a| (0..SIDE - 1).map(move |b| (a, b))) {
        let level = |first: u32| [at(first, a, b), at(first, a, b + 1), at(first, a + 1, b + 1), at(first, a + 1, b)];
        let [p, q, r, s] = level(top);
        if !is_lower || broken {
            quads.push([p, q, r, s]);
        }
        let [p, q, r, s] = level(bottom);
        if is_lower || broken {
            // Turned such that both crack_faces are cut along the same diagonal.
            quads.push([p, s, r, q]);
        }
    }
    let last = SIDE - 1;
    for a in 0..last {
        quads.push([at(bottom, a, last), at(bottom, a + 1, last), at(top, a + 1, last), at(top, a, last)]);
        quads.push([at(bottom, a + 1, 0), at(bottom, a, 0), at(top, a, 0), at(top, a + 1, 0)]);
        quads.push([at(bottom, last, a + 1), at(bottom, last, a), at(top, last, a), at(top, last, a + 1)]);
        quads.push([at(bottom, 0, a), at(bottom, 0, a + 1), at(top, 0, a + 1), at(top, 0, a)]);
    }
    quads.iter().flat_map(|&[p, q, r, s]| [[p, q, r], [p, r, s]]).collect()
}

impl Cube {
    /// A cube whose middle is rough (m).
    pub fn new(roughness: f64) -> Cube {
        let step = 2.0 * HALF / f64::from(SIDE - 1);
        let grid = (0..3).flat_map(|level| (0..SIDE).flat_map(move |k| (0..SIDE).map(move |i| (i, level, k))));
        let place = |(i, level, k): (u32, u32, u32)| {
            let bump = if level == 1 { roughness * f64::from((7 * i + 3 * k + i * k) % 5) / 5.0 } else { 0.0 };
            let [x, y, z] = [i, level, k].map(f64::from);
            Vec3::new(step * x - HALF, HALF * (y - 1.0) + bump, step * z - HALF)
        };
        let positions: Vec<Vec3> = grid.map(place).collect();
        let mut springs = Vec::new();
        for nodes in [0..2 * MIDDLE, MIDDLE..3 * MIDDLE] {
            for (one, other) in nodes.clone().flat_map(|one| (one + 1..nodes.end).map(move |other| (one, other))) {
                let length = (positions[one as usize] - positions[other as usize]).norm();
                springs.push((one, other, length));
            }
        }
        let mut triangles = half(0, MIDDLE, true, false);
        triangles.extend(half(MIDDLE, 2 * MIDDLE, false, false));
        let velocities = vec![Vec3::zeros(); positions.len()];
        let mut cube = Cube {
            ends: positions.clone(),
            end_velocities: velocities.clone(),
            positions,
            velocities,
            springs,
            surface: Vec::new(),
            triangles: Vec::new(),
            origins: Vec::new(),
            version: 0,
            splits_at: 0.015,
            pushes: Vec::new(),
            work: [0.0; 2],
            outside: Vec::new(),
            impulses: Vec::new(),
            received: 0.0,
        };
        cube.show(triangles);
        cube
    }

    /// Takes triangles over nodes as the surface.
    fn show(&mut self, triangles: Vec<[u32; 3]>) {
        self.surface = triangles.iter().flatten().copied().collect();
        self.surface.sort_unstable();
        self.surface.dedup();
        let place = |node: u32| self.surface.binary_search(&node).expect("a node of the surface") as u32;
        self.triangles = triangles.iter().map(|corners| corners.map(place)).collect();
        self.origins =
            self.surface.iter().map(|&node| if node >= UPPER { node - UPPER + MIDDLE } else { node }).collect();
        self.version += 1;
    }

    fn split(&mut self) {
        let copies = MIDDLE as usize..2 * MIDDLE as usize;
        self.positions.extend_from_within(copies.clone());
        self.velocities.extend_from_within(copies);
        let from = self.springs.len() / 2;
        let moved = |node: u32| if node < 2 * MIDDLE { node - MIDDLE + UPPER } else { node };
        for (one, other, _) in &mut self.springs[from..] {
            (*one, *other) = (moved(*one), moved(*other));
        }
        let mut triangles = half(0, MIDDLE, true, true);
        triangles.extend(half(UPPER, 2 * MIDDLE, false, true));
        self.show(triangles);
        self.ends.clone_from(&self.positions);
        self.end_velocities.clone_from(&self.velocities);
    }

    fn is_upper(node: usize) -> bool {
        node >= 2 * MIDDLE as usize
    }

    fn load(bytes: &[u8]) -> Result<Box<dyn Method>, String> {
        let mut cube: Cube = postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
        cube.ends.clone_from(&cube.positions);
        cube.end_velocities.clone_from(&cube.velocities);
        Ok(Box::new(cube))
    }
}

/// Mass of a node: the middle ones have two halves' until they are split.
fn mass(nodes: usize, node: usize) -> f64 {
    let whole = nodes == UPPER as usize && (MIDDLE as usize..2 * MIDDLE as usize).contains(&node);
    if whole { 2.0 * MASS } else { MASS }
}

impl ContactPoints for Cube {
    fn add_points(&self, surface: &mut ContactSurface) {
        surface.points.extend(self.surface.iter().map(|&dof| {
            let node = dof as usize;
            SurfacePoint {
                dof,
                start: self.positions[node],
                start_velocity: self.velocities[node],
                end: self.ends[node],
                velocity: self.end_velocities[node],
                inverse_mass: 1.0 / mass(self.positions.len(), node),
                radius: 0.0,
            }
        }));
    }
}

impl Method for Cube {
    fn kind(&self) -> &'static str {
        "cube"
    }

    fn time_step_limit(&self) -> f64 {
        5e-5
    }

    fn predict(&mut self, step: &Step) -> Result<(), Failure> {
        let count = self.positions.len();
        let mut forces: Vec<Vec3> = (0..count).map(|node| mass(count, node) * step.gravity).collect();
        self.outside = vec![Vec3::zeros(); count];
        self.impulses = vec![Vec3::zeros(); count];
        for &(one, other, length) in &self.springs {
            let way = self.positions[other as usize] - self.positions[one as usize];
            let force = STIFFNESS * (way.norm() - length) * way.normalize();
            forces[one as usize] += force;
            forces[other as usize] -= force;
        }
        for (push, _, _) in self.pushes.iter().filter(|push| push.1 <= step.time && step.time < push.2) {
            for (node, force) in forces.iter_mut().enumerate() {
                let push = if Cube::is_upper(node) { *push } else { -push };
                *force += push;
                self.outside[node] += step.time_step * push;
            }
        }
        for (node, force) in forces.iter().enumerate() {
            self.end_velocities[node] = self.velocities[node] + step.time_step / mass(count, node) * force;
            self.ends[node] = self.positions[node] + step.time_step * self.end_velocities[node];
        }
        Ok(())
    }

    fn collision_geometry(&self) -> CollisionGeometry<'_> {
        let Cube { version, triangles, origins, .. } = self;
        let triangles = ContactTriangles { version: *version, triangles, is_closed: true, skin: SKIN, origins };
        let bounds = Aabb::from_points(self.positions.iter().chain(&self.ends));
        CollisionGeometry { triangles, touches_itself: true, ..CollisionGeometry::of_points(bounds, self) }
    }

    fn receive(&mut self, impulses: &[Impulse], step: &Step) {
        for impulse in impulses {
            let node = impulse.dof as usize;
            let gain = impulse.impulse / mass(self.positions.len(), node);
            self.impulses[node] += impulse.impulse;
            self.end_velocities[node] += gain;
            self.ends[node] += step.time_step * gain;
        }
    }

    fn check(&self) -> Result<(), Failure> {
        Ok(())
    }

    fn commit(&mut self, step: &Step, _log: &mut CommitLog) {
        for node in 0..self.positions.len() {
            let mean = 0.5 * (self.velocities[node] + self.end_velocities[node]);
            self.work[0] += self.outside[node].dot(&mean);
            self.work[1] += self.impulses[node].dot(&mean);
            self.received += self.impulses[node].norm();
        }
        self.positions.clone_from(&self.ends);
        self.velocities.clone_from(&self.end_velocities);
        if self.positions.len() == UPPER as usize && step.time + step.time_step >= self.splits_at {
            self.split();
        }
    }

    fn account(&self, _gravity: &Vec3) -> Account {
        let mut account = Account { work: self.work[0] + self.work[1], pieces: 1, ..Account::default() };
        for (node, (position, velocity)) in self.positions.iter().zip(&self.velocities).enumerate() {
            let mass = mass(self.positions.len(), node);
            account.mass += mass;
            account.momentum += mass * velocity;
            account.angular_momentum += mass * position.cross(velocity);
            account.kinetic += 0.5 * mass * velocity.norm_squared();
        }
        for &(one, other, length) in &self.springs {
            let way = self.positions[other as usize] - self.positions[one as usize];
            account.elastic += 0.5 * STIFFNESS * (way.norm() - length).powi(2);
        }
        account
    }

    fn frame(&self, _detail: FrameDetail) -> BodyFrame {
        BodyFrame::default()
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("plain data")
    }
}

impl Attachable for Cube {
    fn attach(&mut self, _hold: HoldId, _region: &Region) -> Option<Vec3> {
        None
    }

    fn locate(&mut self, _place: &Vec3) -> MaterialPoint {
        MaterialPoint { element: 0, weights: [1.0, 0.0, 0.0, 0.0] }
    }

    fn observe(&self, _point: &MaterialPoint) -> (Vec3, Vec3) {
        // What the tests ask for.
        (
            Vec3::new(self.received, self.positions.len() as f64, self.lowest_lip()),
            Vec3::new(self.work[0], self.work[1], 0.0),
        )
    }

    fn reaction(&self, _hold: HoldId) -> Vec3 {
        Vec3::zeros()
    }
}

impl Cube {
    /// Smallest height of an upper copy over the node it was parted from (m).
    fn lowest_lip(&self) -> f64 {
        let pairs = self.positions[MIDDLE as usize..].iter().zip(self.positions.iter().skip(UPPER as usize));
        pairs.map(|(lower, upper)| upper.y - lower.y).fold(f64::INFINITY, f64::min)
    }
}

pub fn world(cube: Cube, obstacles: Vec<Obstacle>, friction: f64) -> World {
    world_of(vec![cube], obstacles, friction)
}

pub fn world_of(cubes: Vec<Cube>, obstacles: Vec<Obstacle>, friction: f64) -> World {
    let settings = Settings {
        gravity: Vec3::zeros(),
        frames_per_second: 100.0,
        longest_time_step: f64::INFINITY,
        mode: Mode::Dynamic,
        detail: FrameDetail::Surface,
        pairs: PairTable::new(cubes.len(), obstacles.len(), friction, 0.0),
        check_intersections: Checked::Everything,
    };
    let body = |cube: Cube| Body::new("cube", Box::new(cube), Cube::load);
    World::new(settings, cubes.into_iter().map(body).collect(), obstacles)
}

pub fn run(world: &mut World, frames: u32) {
    for _ in 0..frames {
        world.advance_frame(&mut |_| Verdict::Continue).expect("a frame");
        world.check_intersections().unwrap_or_else(|found| panic!("{found}"));
        assert_eq!(world.intersections(), []);
    }
}

pub fn observed(world: &World) -> Vec3 {
    world.bodies[0].method.observe(&MaterialPoint { element: 0, weights: [1.0, 0.0, 0.0, 0.0] }).0
}

/// Work done from outside, and by contacts (J).
pub fn work(world: &World) -> (f64, f64) {
    let work = world.bodies[0].method.observe(&MaterialPoint { element: 0, weights: [1.0, 0.0, 0.0, 0.0] }).1;
    (work.x, work.y)
}

pub fn energy(world: &World) -> f64 {
    let account = world.account();
    account.kinetic + account.elastic
}

/// Gives a cube a velocity field before it starts.
pub fn moving(mut cube: Cube, velocity: impl Fn(&Vec3) -> Vec3) -> Cube {
    cube.velocities = cube.positions.iter().map(velocity).collect();
    cube.end_velocities.clone_from(&cube.velocities);
    cube
}
