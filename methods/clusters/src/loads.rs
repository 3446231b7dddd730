//! External forces: constraints, loads and contacts.

use crate::model::{Clusters, Particles, to_world};
use craze_body::ConstrainedRegion;
use craze_engine::{HoldId, Region, Step};
use craze_math::Vec3;

/// External impulses in the prediction.
pub(crate) struct External {
    /// Sum on each particle (N·s); zero but for those listed in `touched`.
    impulses: Vec<Vec3>,
    /// Particles with an external impulse, in the order of their first impulse.
    touched: Vec<u32>,
    is_touched: Vec<bool>,
    /// Workspace: impulses of loads (N·s).
    pushes: Vec<(usize, Vec3)>,
}

impl External {
    /// No impulses. Memory for all particles is allocated here, so that steps allocate nothing.
    pub(crate) fn new(count: usize) -> External {
        External {
            impulses: vec![Vec3::zeros(); count],
            touched: Vec::with_capacity(count),
            is_touched: vec![false; count],
            pushes: Vec::new(),
        }
    }

    /// Records an impulse (N·s).
    pub(crate) fn record(&mut self, particle: usize, impulse: &Vec3) {
        if !self.is_touched[particle] {
            self.is_touched[particle] = true;
            self.touched.push(particle as u32);
        }
        self.impulses[particle] += impulse;
    }

    /// Clears all impulses and resizes to another number of particles.
    fn resize(&mut self, count: usize) {
        self.clear();
        self.impulses.resize(count, Vec3::zeros());
        self.is_touched.resize(count, false);
        self.touched.reserve(count);
    }

    /// Clears all impulses.
    pub(crate) fn clear(&mut self) {
        for particle in self.touched.drain(..) {
            let particle = particle as usize;
            self.impulses[particle] = Vec3::zeros();
            self.is_touched[particle] = false;
        }
    }
}

impl Particles {
    /// Area (m²) on which a traction acts on a particle: one face of the cube of its volume.
    fn face_area(&self, particle: usize) -> f64 {
        let side = self.volumes[particle].cbrt();
        side * side
    }
}

impl Clusters {
    /// Lets a hold act on the particles inside a region; returns their centre of mass (m), or
    /// `None` if there are none.
    pub(crate) fn attach_hold(&mut self, id: HoldId, region: &Region) -> Option<Vec3> {
        let members: Vec<u32> = (0..self.count())
            .filter(|&particle| region.contains(&self.placed(particle)))
            .map(|index| index as u32)
            .collect();
        if members.is_empty() {
            self.constraints.remove(id);
            return None;
        }
        let (mut mass, mut moment) = (0.0, Vec3::zeros());
        for &member in &members {
            mass += self.particles.masses[member as usize];
            moment += self.particles.masses[member as usize] * self.placed(member as usize);
        }
        self.constraints.set(ConstrainedRegion::of_particles(id, members));
        Some(moment / mass)
    }

    /// Returns true if a load of this step acts on the body.
    pub(crate) fn is_loaded(&self, step: &Step) -> bool {
        step.loads.iter().any(|load| self.constraints.index(load.hold).is_some())
    }

    /// Applies forces to the prediction, then prescribed positions.
    ///
    /// A traction acts on one face of the cube of each particle's volume, since particles have no
    /// surface: for one layer of particles that is the area of the layer; in a deeper region it
    /// acts on every layer.
    pub(crate) fn apply_loads(&mut self, step: &Step) {
        let mut constraints = std::mem::take(&mut self.constraints);
        constraints.measure_particles(step.loads, |particle| self.particles.face_area(particle));
        let mut pushes = std::mem::take(&mut self.external.pushes);
        let mass = |particle: usize| self.particles.masses[particle];
        constraints.each_load(step.loads, mass, |particle, force| pushes.push((particle, step.time_step * force)));
        pushes.drain(..).for_each(|(particle, impulse)| self.push(particle, &impulse, step.time_step));
        self.external.pushes = pushes;
        constraints.record_loads(step.loads);
        let (placement, rest) = (self.placement, std::mem::take(&mut self.particles.rest));
        constraints.push_placed(
            step.loads,
            |particle| to_world(&placement, &rest[particle]),
            |particle, position| self.place(particle, position, step.time_step),
        );
        self.particles.rest = rest;
        self.constraints = constraints;
    }
    /// Moves a particle of the prediction to a position (m); returns the force that takes (N).
    fn place(&mut self, particle: usize, position: Vec3, time_step: f64) -> Vec3 {
        let velocity = (position - self.state.positions[particle]) / time_step;
        let impulse = self.particles.masses[particle] * (velocity - self.prediction.velocities[particle]);
        self.external.record(particle, &impulse);
        self.prediction.positions[particle] = position;
        self.prediction.velocities[particle] = velocity;
        self.note_change(particle);
        impulse / time_step
    }

    /// Applies an impulse (N·s) to the prediction of a free particle.
    pub(crate) fn push(&mut self, particle: usize, impulse: &Vec3, time_step: f64) {
        let change = impulse / self.particles.masses[particle];
        self.external.record(particle, impulse);
        self.prediction.velocities[particle] += change;
        self.prediction.positions[particle] += time_step * change;
        self.note_change(particle);
    }

    /// Forgets all impulses and prescribed positions, for another number of particles.
    pub(crate) fn forget_loads(&mut self) {
        self.external.resize(self.count());
        self.constraints.forget_placed();
    }

    /// External work (J) from state to prediction: impulses times the mean of the velocities before
    /// and after, so that the work of all impulses is the change of kinetic energy, and holding a
    /// particle still does no work.
    pub(crate) fn external_work(&self) -> f64 {
        let (before, after) = (self.view(&self.state), self.view(&self.prediction));
        let works = self.external.touched.iter().map(|&particle| {
            let particle = particle as usize;
            0.5 * self.external.impulses[particle].dot(&(before.at(particle).1 + after.at(particle).1))
        });
        works.sum()
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{TIME_STEP, advance, awake, block, body, loaded_step, plain_step};
    use crate::{Clusters, Options};
    use craze_contact::Impulse;
    use craze_engine::{Attachable, Effect, HoldId, Load, Method, Region, Step};
    use craze_math::{Isometry, Vec3};

    const GRAVITY: Vec3 = Vec3::new(0.0, -9.81, 0.0);

    fn bottom() -> Region {
        Region::HalfSpace { point: Vec3::zeros(), normal: -Vec3::y() }
    }

    fn place(hold: u32, motion: Isometry) -> Load {
        Load { hold: HoldId(hold), effect: Effect::Place(motion) }
    }

    fn standing() -> Clusters {
        let options = Options { damping: 30.0, ..awake() };
        let mut body = body(block([4, 4, 4]), 1.0, options);
        let center = body.attach(HoldId(3), &bottom()).unwrap();
        assert!((center - Vec3::new(0.15, 0.0, 0.15)).norm() < 1e-15);
        body
    }

    #[test]
    fn a_hold_carries_the_weight_and_does_no_work() {
        let mut body = standing();
        let loads = [place(3, Isometry::identity())];
        let step = Step { gravity: GRAVITY, ..loaded_step(&loads) };
        for _ in 0..600 {
            advance(&mut body, &step);
        }
        // 64 particles of 1 kg.
        let reaction = body.reaction(HoldId(3));
        assert!((reaction - Vec3::new(0.0, 64.0 * 9.81, 0.0)).norm() < 1e-6, "{reaction:?}");
        assert!(body.account(&GRAVITY).work.abs() < 1e-12);
        assert_eq!(body.positions()[0], Vec3::zeros());
    }

    #[test]
    fn a_hold_moves_its_particles_exactly_and_records_its_work() {
        let mut body = standing();
        let mut velocity = Vec3::zeros();
        for index in 1..=60 {
            let shift = 0.5 * (f64::from(index) * TIME_STEP).powi(2);
            let loads = [place(3, Isometry::translation(shift, 0.0, 0.0))];
            advance(&mut body, &loaded_step(&loads));
            assert_eq!(body.positions()[0].x, shift);
            velocity = body.velocities()[0];
        }
        assert!((velocity.x - 1.0).abs() < TIME_STEP);
        let account = body.account(&Vec3::zeros());
        assert!((account.work - (account.kinetic + account.elastic)).abs() < 0.15 * account.work, "{account:?}");
        assert!((body.reaction(HoldId(3)).x - 64.0).abs() < 5.0, "{:?}", body.reaction(HoldId(3)));

        advance(&mut body, &plain_step());
        assert_eq!(body.reaction(HoldId(3)), Vec3::zeros(), "released");
    }

    #[test]
    fn forces_are_spread_by_mass_and_do_their_work() {
        let mut cloud = block([3, 3, 3]);
        cloud.volumes[4] *= 5.0;
        let mut body = body(cloud, 1.0, Options::default());
        let center = body.attach(HoldId(0), &Region::All).unwrap();
        assert!((center - body.rest_center()).norm() < 1e-12);
        let force = Vec3::new(62.0, 0.0, -31.0);
        let loads = [Load { hold: HoldId(0), effect: Effect::Force(force) }];
        for _ in 0..60 {
            advance(&mut body, &loaded_step(&loads));
        }
        let account = body.account(&Vec3::zeros());
        assert!((account.momentum - force).norm() < 1e-10, "a second of force");
        assert!((account.work - account.kinetic).abs() < 1e-9 * account.kinetic);
        assert!((body.reaction(HoldId(0)) - force).norm() < 1e-10);
        assert!(account.elastic < 1e-20);
    }

    #[test]
    fn a_traction_acts_on_the_area_of_a_layer() {
        let mut body = body(block([4, 5, 3]), 1.0, Options::default());
        body.attach(HoldId(1), &bottom()).unwrap();
        let traction = Vec3::new(10.0, 300.0, 0.0);
        let loads = [Load { hold: HoldId(1), effect: Effect::Traction(traction) }];
        advance(&mut body, &loaded_step(&loads));
        assert!((body.reaction(HoldId(1)) - traction * (4.0 * 3.0 * 0.01)).norm() < 1e-10);
    }

    #[test]
    fn contact_on_a_placed_particle_is_a_reaction_of_its_hold() {
        let mut body = standing();
        let loads = [place(3, Isometry::identity())];
        let step = loaded_step(&loads);
        body.predict(&step).unwrap();
        let surface = body.collision_geometry().surface();
        assert_eq!(surface.points.iter().filter(|point| point.inverse_mass == 0.0).count(), 16);
        body.receive(&[Impulse { dof: 0, impulse: Vec3::new(2.0, 0.0, 0.0) }], &step);
        body.commit_motion();
        assert!((body.reaction(HoldId(3)) + Vec3::new(120.0, 0.0, 0.0)).norm() < 1e-9);
        assert_eq!(body.positions()[0], Vec3::zeros());
        assert_eq!(body.account(&Vec3::zeros()).work, 0.0);
    }

    #[test]
    fn the_first_of_two_holds_keeps_a_particle() {
        let mut body = standing();
        body.attach(HoldId(1), &Region::Ball { center: Vec3::zeros(), radius: 0.01 }).unwrap();
        let loads = [place(1, Isometry::translation(0.0, 0.0, 0.001)), place(3, Isometry::identity())];
        advance(&mut body, &loaded_step(&loads));
        assert_eq!(body.positions()[0], Vec3::new(0.0, 0.0, 0.001));
        assert_eq!(body.positions()[1], body.particles.rest[1]);
        assert!(body.reaction(HoldId(1)).z > 0.0);
    }

    #[test]
    fn a_region_without_particles_takes_nothing() {
        let mut body = standing();
        assert_eq!(body.attach(HoldId(7), &Region::Ball { center: Vec3::new(9.0, 9.0, 9.0), radius: 1.0 }), None);
        let loads = [Load { hold: HoldId(7), effect: Effect::Force(Vec3::x()) }];
        advance(&mut body, &loaded_step(&loads));
        // 64 kg at rest but for the rounding of their goals; the force would give them 0.017 N·s.
        assert!(body.account(&Vec3::zeros()).momentum.norm() < 1e-12);
        assert_eq!(body.reaction(HoldId(7)), Vec3::zeros());
    }
}
