//! The body as the world knows it.

use crate::chunks::gather;
use crate::energy::Energy;
use crate::model::{Clusters, Phase};
use craze_contact::{ContactSurface, Impulse, SurfacePoint};
use craze_engine::{Account, Event, Failure, FrameDetail, HoldId, MaterialPoint, Method, Region, SplitCounts, Step};
use craze_frame::BodyFrame;
use craze_math::Vec3;
use craze_spatial::Aabb;

/// Squares of distances that differ by less than this share are the same (1).
const EQUALLY_FAR: f64 = 1e-9;

impl Method for Clusters {
    fn kind(&self) -> &'static str {
        crate::KIND
    }

    fn attach(&mut self, hold: HoldId, region: &Region) -> Option<Vec3> {
        self.attach_hold(hold, region)
    }

    /// The nearest particle; of several, the first. Its number is that of the list of followed ones, since particles are renumbered.
    fn locate(&mut self, place: &Vec3) -> MaterialPoint {
        let place = self.placement.inverse_transform_point(&(*place).into()).coords;
        let mut nearest = (f64::INFINITY, 0);
        for (particle, rest) in self.particles.rest.iter().enumerate() {
            let distance = (rest - place).norm_squared();
            // Where the body stands decides by rounding between particles that are equally far.
            if distance < (1.0 - EQUALLY_FAR) * nearest.0 {
                nearest = (distance, particle);
            }
        }
        self.tracked.track(nearest.1 as u32, [1.0, 0.0, 0.0, 0.0])
    }

    fn time_step_limit(&self) -> f64 {
        self.options.time_step
    }

    fn predict(&mut self, step: &Step) -> Result<(), Failure> {
        self.books.take();
        self.predict_step(step)
    }

    fn reach(&self) -> Aabb {
        self.bounds.grown(self.radius())
    }

    /// All particles: which of them lie outside may change once a body tears.
    fn contact_surface(&self, surface: &mut ContactSurface) {
        let start = self.view(&self.state);
        let end = match self.phase {
            Phase::Predicted => self.view(&self.prediction),
            Phase::Committed => self.view(&self.state),
        };
        let radius = self.radius();
        surface.points.extend(self.particles.masses.iter().enumerate().map(|(particle, mass)| SurfacePoint {
            dof: particle as u32,
            start: start.position(particle),
            start_velocity: start.velocity(particle),
            end: end.position(particle),
            velocity: end.velocity(particle),
            inverse_mass: if self.external.placed_by(particle).is_some() { 0.0 } else { 1.0 / mass },
            radius,
        }));
    }

    fn receive(&mut self, impulses: &[Impulse], step: &Step) {
        self.books.take();
        self.receive_impulses(impulses, step);
    }

    fn check(&self) -> Result<(), Failure> {
        self.check_prediction()
    }

    fn commit(&mut self, _step: &Step) {
        self.books.take();
        self.commit_prediction();
    }

    fn flow(&mut self, step: &Step) {
        self.books.take();
        self.flow_clusters(step);
    }

    fn fracture(&mut self, step: &Step, events: &mut Vec<Event>) {
        self.books.take();
        self.fracture_clusters(step, events);
    }

    /// Closes up lists that splits have left with gaps, and lays clusters over velocities that were calmed, as a loaded body does.
    fn settle(&mut self) {
        self.memberships.tidy();
        if self.fits.is_calmed {
            self.fit_state();
        }
    }

    /// Energies are those in the middle of the last step: see `energy.rs`. Whoever asks a second time in the same state gets what the first got.
    fn account(&self, gravity: &Vec3) -> Account {
        let books = self.books.get_or_init(|| (*gravity, self.add_up(gravity)));
        if books.0 == *gravity { books.1 } else { self.add_up(gravity) }
    }

    fn split_counts(&self) -> SplitCounts {
        self.counts
    }

    fn observe(&self, point: &MaterialPoint) -> (Vec3, Vec3) {
        let particle = self.tracked.get(point).map_or(0, |&particle| particle as usize);
        let view = self.view(&self.state);
        (view.position(particle), view.velocity(particle))
    }

    fn reaction(&self, hold: HoldId) -> Vec3 {
        self.constraints.reaction(hold)
    }

    fn frame(&self, _detail: FrameDetail) -> BodyFrame {
        self.body_frame()
    }

    fn keep(&mut self) -> bool {
        self.keep_state();
        true
    }

    fn go_back(&mut self) {
        self.books.take();
        self.return_to_kept();
    }

    fn save(&self) -> Vec<u8> {
        self.to_bytes()
    }
}

impl Clusters {
    fn add_up(&self, gravity: &Vec3) -> Account {
        let mass = self.whole.mass();
        let matched = self.matched();
        let center = matched.center();
        let momentum = mass * matched.velocity;
        let energy = match &self.state.flight {
            Some(flight) => Energy { kinetic: flight.kinetic_energy(), elastic: 0.0 },
            None => self.energy_of(&self.state, &self.fits),
        };
        Account {
            mass: gather(0..self.count(), &|range| self.particles.masses[range].iter().sum(), &|a: f64, b| a + b),
            volume: self.volume(),
            momentum,
            angular_momentum: matched.angular_momentum + center.cross(&momentum),
            kinetic: energy.kinetic,
            elastic: energy.elastic,
            potential: -mass * gravity.dot(&center),
            work: self.work,
            elements: self.cluster_count() as u64,
            nodes: self.count() as u64,
            pieces: self.piece_count() as u64,
        }
    }
}
