//! The trait [`Method`] for a body of clusters.

use crate::chunks::gather;
use crate::energy::Energy;
use crate::model::{Clusters, Phase};
use craze_body::ledger::of_momenta;
use craze_contact::{CollisionGeometry, ContactPoints, ContactSurface, Impulse, SurfacePoint};
use craze_engine::{
    Account, Attachable, CommitLog, Event, Failure, FrameDetail, HoldId, LARGE_PIECE, MaterialPoint, Method, Region,
    Rewind, Stage, Step,
};
use craze_frame::BodyFrame;
use craze_math::Vec3;

/// Relative difference of squared distances below which they are equal.
const EQUAL_DISTANCE_TOLERANCE: f64 = 1e-9;

impl Method for Clusters {
    fn kind(&self) -> &'static str {
        crate::KIND
    }

    fn time_step_limit(&self) -> f64 {
        self.options.time_step
    }

    fn predict(&mut self, step: &Step) -> Result<(), Failure> {
        self.ledger.take();
        self.predict_step(step)
    }

    fn collision_geometry(&self) -> CollisionGeometry<'_> {
        CollisionGeometry::of_points(self.bounds.grown(self.radius()), self)
    }

    fn receive(&mut self, impulses: &[Impulse], step: &Step) {
        self.ledger.take();
        self.receive_impulses(impulses, step);
    }

    fn check(&self) -> Result<(), Failure> {
        self.check_prediction()
    }

    fn commit(&mut self, step: &Step, log: &mut CommitLog) {
        self.commit_motion();
        log.end_stage(Stage::Commit);
        self.flow(step);
        log.end_stage(Stage::Flow);
        self.fracture(step, &mut log.events);
        log.end_stage(Stage::Fracture);
    }

    /// Compacts lists in which splits have left gaps, and fits clusters to velocities from which
    /// energy was removed, as loading does.
    fn settle(&mut self) {
        self.memberships.tidy();
        if self.fits.is_calmed {
            self.fit_state();
        }
    }

    /// Energies are those in the middle of the last step: see `energy.rs`. The result is cached
    /// until the state changes.
    fn account(&self, gravity: &Vec3) -> Account {
        let ledger = self.ledger.get_or_init(|| (*gravity, self.compute_ledger(gravity)));
        if ledger.0 == *gravity { ledger.1 } else { self.compute_ledger(gravity) }
    }

    fn frame(&self, _detail: FrameDetail) -> BodyFrame {
        self.body_frame()
    }

    fn save(&self) -> Vec<u8> {
        self.to_bytes()
    }

    fn rewind(&mut self) -> Option<&mut dyn Rewind> {
        Some(self)
    }
}

impl ContactPoints for Clusters {
    /// All particles, since tearing exposes inner ones.
    fn add_points(&self, surface: &mut ContactSurface) {
        let start = self.view(&self.state);
        let end = match self.phase {
            Phase::Predicted => self.view(&self.prediction),
            Phase::Committed => self.view(&self.state),
        };
        let radius = self.radius();
        surface.points.extend(self.particles.masses.iter().enumerate().map(|(particle, mass)| {
            let ((start, start_velocity), (end, velocity)) = (start.at(particle), end.at(particle));
            let inverse_mass = if self.constraints.is_placed(particle) { 0.0 } else { 1.0 / mass };
            SurfacePoint { dof: particle as u32, start, start_velocity, end, velocity, inverse_mass, radius }
        }));
    }
}

impl Rewind for Clusters {
    fn snapshot(&mut self) {
        self.take_snapshot();
    }

    fn restore(&mut self) {
        self.ledger.take();
        self.restore_snapshot();
    }
}

impl Attachable for Clusters {
    fn attach(&mut self, hold: HoldId, region: &Region) -> Option<Vec3> {
        self.attach_hold(hold, region)
    }

    /// The closest particle; of several, the first. It is tracked by a number of its own, since
    /// particles are renumbered.
    fn locate(&mut self, place: &Vec3) -> MaterialPoint {
        let place = self.placement.inverse_transform_point(&(*place).into()).coords;
        let mut nearest = (f64::INFINITY, 0);
        for (particle, rest) in self.particles.rest.iter().enumerate() {
            let distance = (rest - place).norm_squared();
            // The placement must not decide by rounding between particles at equal distances.
            if distance < (1.0 - EQUAL_DISTANCE_TOLERANCE) * nearest.0 {
                nearest = (distance, particle);
            }
        }
        self.tracked.track(nearest.1 as u32, [1.0, 0.0, 0.0, 0.0])
    }

    fn observe(&self, point: &MaterialPoint) -> (Vec3, Vec3) {
        let particle = self.tracked.get(point).map_or(0, |&particle| particle as usize);
        self.view(&self.state).at(particle)
    }

    fn reaction(&self, hold: HoldId) -> Vec3 {
        self.constraints.reaction(hold)
    }
}

impl Clusters {
    /// Makes the prediction the state.
    pub fn commit_motion(&mut self) {
        self.ledger.take();
        self.commit_prediction();
    }

    /// Plastic flow at the end of `step`.
    pub fn flow(&mut self, step: &Step) {
        self.ledger.take();
        self.flow_clusters(step);
    }

    /// Splits clusters that fail in the state at the end of `step`, and adds what happened to `events`.
    pub fn fracture(&mut self, step: &Step, events: &mut Vec<Event>) {
        self.ledger.take();
        self.fracture_clusters(step, events);
    }

    fn compute_ledger(&self, gravity: &Vec3) -> Account {
        let (mass, matched) = (self.whole.mass(), self.matched());
        let energy = match &self.state.rigid {
            Some(rigid) => Energy { kinetic: rigid.kinetic_energy(), elastic: 0.0 },
            None => self.energy_of(&self.state, &self.fits),
        };
        Account {
            mass: gather(0..self.count(), &|range| self.particles.masses[range].iter().sum(), &|a: f64, b| a + b),
            volume: self.volume(),
            kinetic: energy.kinetic,
            elastic: energy.elastic,
            work: self.work,
            elements: self.cluster_count() as u64,
            nodes: self.count() as u64,
            pieces: self.piece_count() as u64,
            large_pieces: self.pieces_above(LARGE_PIECE) as u64,
            split_counts: self.counts,
            ..of_momenta(mass, &matched.center(), &matched.velocity, &matched.angular_momentum, gravity)
        }
    }
}
