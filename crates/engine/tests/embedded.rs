//! Contact of surface points that are weighted sums of several degrees of freedom, as those of an
//! embedded surface or of an enriched element are.

use craze_contact::{CollisionGeometry, ContactPoints, ContactSurface, Impulse, RigidShape, SurfaceDof, SurfacePoint};
use craze_engine::{
    Account, Attachable, Body, Checked, CommitLog, Drive, Failure, FrameDetail, HoldId, MaterialPoint, Method, Mode,
    Motion, Obstacle, PairTable, Region, Settings, Step, Verdict, World,
};
use craze_frame::{BodyFrame, Piece, Pose, Surface};
use craze_math::{Isometry, Vec3};
use craze_spatial::Aabb;

/// Mass of each degree of freedom (kg).
const MASS: f64 = 0.5;

const DOFS: usize = 5;

/// Weights of the surface points: they share degrees of freedom.
const WEIGHTS: [[f64; DOFS]; 2] = [[0.1, 0.2, 0.3, 0.4, 0.0], [0.0, 0.1, 0.2, 0.3, 0.4]];

type Dofs = [(Vec3, Vec3); DOFS];

/// Free masses, position (m) and velocity (m/s) of each, under a surface of two points.
#[derive(Clone, Copy)]
struct Embedded {
    state: Dofs,
    predicted: Dofs,
}

impl Embedded {
    fn falling() -> Embedded {
        let dof = |k: usize| (Vec3::new(0.1 * k as f64, 0.2, 0.0), Vec3::zeros());
        let state = std::array::from_fn(dof);
        Embedded { state, predicted: state }
    }

    fn load(_: &[u8]) -> Result<Box<dyn Method>, String> {
        Err("embedded bodies are not saved".to_owned())
    }

    /// A surface point and its velocity.
    fn point(dofs: &Dofs, point: usize) -> (Vec3, Vec3) {
        let entries = dofs.iter().zip(WEIGHTS[point]);
        entries.fold((Vec3::zeros(), Vec3::zeros()), |(position, velocity), (dof, weight)| {
            (position + weight * dof.0, velocity + weight * dof.1)
        })
    }
}

impl Attachable for Embedded {
    fn attach(&mut self, _hold: HoldId, _region: &Region) -> Option<Vec3> {
        None
    }

    fn reaction(&self, _hold: HoldId) -> Vec3 {
        Vec3::zeros()
    }

    fn locate(&mut self, _position: &Vec3) -> MaterialPoint {
        MaterialPoint { element: 0, weights: [0.0; 4] }
    }

    fn observe(&self, point: &MaterialPoint) -> (Vec3, Vec3) {
        self.state[point.element as usize]
    }
}

impl ContactPoints for Embedded {
    fn add_points(&self, surface: &mut ContactSurface) {
        for (point, weights) in WEIGHTS.iter().enumerate() {
            let ((start, start_velocity), (end, velocity)) =
                (Embedded::point(&self.state, point), Embedded::point(&self.predicted, point));
            let inverse_mass = weights.iter().map(|weight| weight * weight / MASS).sum();
            let dof = point as u32;
            surface.points.push(SurfacePoint { dof, start, start_velocity, end, velocity, inverse_mass, radius: 0.0 });
            let entries = weights.iter().enumerate().filter(|(_, weight)| **weight != 0.0);
            surface.stencils.push(entries.map(|(dof, &weight)| SurfaceDof {
                dof: dof as u32,
                weight,
                velocity: self.predicted[dof].1,
                inverse_mass: 1.0 / MASS,
            }));
        }
    }
}

impl Method for Embedded {
    fn kind(&self) -> &'static str {
        "embedded"
    }

    fn time_step_limit(&self) -> f64 {
        0.005
    }

    fn predict(&mut self, step: &Step) -> Result<(), Failure> {
        self.predicted = self.state.map(|(position, velocity)| {
            let velocity = velocity + step.time_step * step.gravity;
            (position + step.time_step * velocity, velocity)
        });
        Ok(())
    }

    fn collision_geometry(&self) -> CollisionGeometry<'_> {
        CollisionGeometry::of_points(
            Aabb::from_points(self.state.iter().chain(&self.predicted).map(|dof| &dof.0)),
            self,
        )
    }

    fn receive(&mut self, impulses: &[Impulse], step: &Step) {
        for Impulse { dof, impulse } in impulses {
            let (position, velocity) = &mut self.predicted[*dof as usize];
            *velocity += impulse / MASS;
            *position += step.time_step * impulse / MASS;
        }
    }

    fn check(&self) -> Result<(), Failure> {
        Ok(())
    }

    fn commit(&mut self, _step: &Step, _log: &mut CommitLog) {
        self.state = self.predicted;
    }

    fn account(&self, gravity: &Vec3) -> Account {
        let sum = |of: &dyn Fn(&(Vec3, Vec3)) -> f64| -> f64 { self.state.iter().map(of).sum() };
        Account {
            mass: MASS * DOFS as f64,
            kinetic: sum(&|dof| 0.5 * MASS * dof.1.norm_squared()),
            potential: sum(&|dof| -MASS * gravity.dot(&dof.0)),
            pieces: 1,
            ..Account::default()
        }
    }

    fn frame(&self, _detail: FrameDetail) -> BodyFrame {
        let piece = Piece { id: 0, volume: 0.0, mass: MASS * DOFS as f64, parent: None, pose: Pose::default() };
        BodyFrame { pieces: vec![piece], ..BodyFrame::default() }
    }

    fn save(&self) -> Vec<u8> {
        Vec::new()
    }
}

/// Positions and velocities of all degrees of freedom.
fn dofs(world: &World) -> Dofs {
    std::array::from_fn(|dof| world.bodies[0].method.observe(&MaterialPoint { element: dof as u32, weights: [0.0; 4] }))
}

#[test]
fn points_of_several_degrees_of_freedom_rest_on_the_ground() {
    let settings = Settings {
        gravity: Vec3::new(0.0, -10.0, 0.0),
        frames_per_second: 20.0,
        longest_time_step: f64::INFINITY,
        mode: Mode::Dynamic,
        detail: FrameDetail::Surface,
        pairs: PairTable::new(1, 1, 0.5, 0.0),
        check_intersections: Checked::Nothing,
    };
    let body = Body::new("embedded", Box::new(Embedded::falling()), Embedded::load);
    let ground = Obstacle {
        name: "ground".to_owned(),
        shape: RigidShape::HalfSpace,
        surface: Surface::default(),
        place: Isometry::identity(),
        drive: Drive::Prescribed(Motion::still()),
    };
    let mut world = World::new(settings, vec![body], vec![ground]);
    for _ in 0..6 {
        world.advance_frame(&mut |_| Verdict::Continue).expect("a frame");
    }
    let now = dofs(&world);
    for point in 0..WEIGHTS.len() {
        let (position, velocity) = Embedded::point(&now, point);
        assert!(position.y.abs() < 1e-6 && velocity.y.abs() < 1e-4, "{position} m, {velocity} m/s");
    }
    // The first and the last are in one point each: the impulses on that point, by their weights.
    let fallen = -10.0 * world.time;
    let gained = now.map(|dof| dof.1.y - fallen);
    let [first, second] = [gained[0] / WEIGHTS[0][0], gained[4] / WEIGHTS[1][4]];
    assert!(first > 0.0 && second > 0.0, "{first} {second}");
    for dof in 0..DOFS {
        let expected = WEIGHTS[0][dof] * first + WEIGHTS[1][dof] * second;
        assert!((gained[dof] - expected).abs() < 1e-9 * expected, "{} m/s instead of {expected}", gained[dof]);
    }
}
