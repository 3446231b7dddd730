//! The trait [`Method`] for a body of enriched tetrahedra.

use crate::model::Xfem;
use craze_body::closest::closest_point;
use craze_contact::{
    CollisionGeometry, ContactPoints, ContactSurface, ContactTriangles, Impulse, SurfaceDof, SurfacePoint,
};
use craze_engine::{
    Account, Attachable, CommitLog, Failure, FrameDetail, HoldId, Implicit, MaterialPoint, Method, QuasiStatic, Region,
    Stage, Step,
};
use craze_frame::BodyFrame;
use craze_math::{Mat3, Vec3};

/// Bodies of up to this many degrees of freedom report their compliance to contact.
const MAX_DOFS_WITH_COMPLIANCE: usize = 1000;

impl Method for Xfem {
    fn kind(&self) -> &'static str {
        crate::KIND
    }

    fn time_step_limit(&self) -> f64 {
        self.options.longest_time_step
    }

    fn predict(&mut self, step: &Step) -> Result<(), Failure> {
        self.predict_step(step)
    }

    fn collision_geometry(&self) -> CollisionGeometry<'_> {
        let is_enriched = !self.enrichment.cracks.is_empty();
        CollisionGeometry {
            triangles: ContactTriangles {
                version: self.surface.version,
                triangles: &self.surface.triangles,
                is_closed: true,
                skin: self.surface.skin,
                origins: if is_enriched { &self.surface.origins } else { &[] },
            },
            touches_itself: is_enriched,
            ..CollisionGeometry::of_points(self.bounds, self)
        }
    }

    fn receive(&mut self, impulses: &[Impulse], step: &Step) {
        self.receive_impulses(impulses, step);
    }

    fn check(&self) -> Result<(), Failure> {
        self.check_prediction()
    }

    fn commit(&mut self, step: &Step, log: &mut CommitLog) {
        self.commit_step();
        log.end_stage(Stage::Commit);
        self.make_cuts(step.time + step.time_step);
        log.end_stage(Stage::Fracture);
    }

    fn account(&self, gravity: &Vec3) -> Account {
        self.ledger(gravity)
    }

    fn frame(&self, detail: FrameDetail) -> BodyFrame {
        self.body_frame(detail)
    }

    fn save(&self) -> Vec<u8> {
        self.to_bytes()
    }

    fn implicit(&mut self) -> Option<&mut dyn Implicit> {
        Some(self)
    }

    fn quasi_static(&mut self) -> Option<&mut dyn QuasiStatic> {
        Some(self)
    }
}

impl ContactPoints for Xfem {
    /// Vertices of the surface, each a weighted sum of the degrees of freedom of its part.
    fn add_points(&self, surface: &mut ContactSurface) {
        let is_enriched = !self.enrichment.cracks.is_empty();
        for (number, vertex) in (0u32..).zip(&self.surface.vertices) {
            let entry = |(dof, weight): (u32, f64)| SurfaceDof {
                dof,
                weight,
                velocity: self.prediction.velocities[dof as usize],
                inverse_mass: self.inverse_mass(dof),
            };
            let inverse_mass = vertex.entries().map(entry).map(|own| own.weight * own.weight * own.inverse_mass).sum();
            surface.points.push(SurfacePoint {
                dof: if is_enriched { number } else { vertex.dofs[0] },
                start: vertex.position(&self.state.positions),
                start_velocity: vertex.velocity(&self.state),
                end: vertex.position(&self.prediction.positions),
                velocity: vertex.velocity(&self.prediction),
                inverse_mass,
                radius: 0.0,
            });
            if is_enriched {
                surface.stencils.push(vertex.entries().map(entry));
            }
        }
    }
}

impl Implicit for Xfem {
    fn compliance(&mut self, dofs: &[u32], step: &Step) -> Option<Vec<Mat3>> {
        if self.positions().len() > MAX_DOFS_WITH_COMPLIANCE {
            return None;
        }
        self.system.as_mut()?.compliance(dofs, step.time_step)
    }
}

impl QuasiStatic for Xfem {
    /// Cuts that are due when the load step begins are made first: a repeated load step finds them
    /// made.
    fn balance(&mut self, step: &Step) -> Result<(), Failure> {
        self.make_cuts(step.time);
        self.find_balance(step)
    }

    /// Nothing breaks by itself.
    fn failure_ratio(&mut self) -> f64 {
        0.0
    }

    fn split_fronts(&mut self, _step: &Step, _log: &mut CommitLog) -> u64 {
        0
    }
}

impl Attachable for Xfem {
    /// The nodes of the tetrahedra inside the region, with all degrees of freedom that they have or
    /// will have.
    fn attach(&mut self, hold: HoldId, region: &Region) -> Option<Vec3> {
        let placed: Vec<Vec3> = self.mesh.positions().iter().map(|rest| self.placed(rest)).collect();
        let is_inside = |(_, position): &(u32, &Vec3)| region.contains(position);
        let nodes: Vec<u32> = (0..).zip(&placed).filter(is_inside).map(|(node, _)| node).collect();
        if nodes.is_empty() {
            self.constraints.remove(hold);
            return None;
        }
        let (mut mass, mut moment) = (0.0, Vec3::zeros());
        for &node in &nodes {
            let own: f64 = self.enrichment.dofs_of(node).map(|dof| self.masses[dof as usize]).sum();
            mass += own;
            moment += own * placed[node as usize];
        }
        self.constraints.attach(&mut self.mesh, hold, nodes, |_| 0);
        Some(moment / mass)
    }

    fn reaction(&self, hold: HoldId) -> Vec3 {
        self.constraints.reaction(hold)
    }

    fn locate(&mut self, position: &Vec3) -> MaterialPoint {
        let rest = self.placement.inverse_transform_point(&(*position).into()).coords;
        let point = closest_point(&self.mesh, &rest);
        self.tracked.track(point, point.weights)
    }

    fn observe(&self, point: &MaterialPoint) -> (Vec3, Vec3) {
        let Some(point) = self.tracked.get(point) else { return (Vec3::zeros(), Vec3::zeros()) };
        let part = self.enrichment.part_at(&self.mesh, point.element, &point.weights);
        let part = &self.enrichment.parts[part as usize];
        let corners = self.corners(part, &self.state.positions);
        let (mut position, mut velocity) = (Vec3::zeros(), Vec3::zeros());
        for (corner, weight) in point.weights.iter().enumerate() {
            position += *weight * corners[corner];
            velocity += *weight * self.state.velocities[part.dofs[corner] as usize];
        }
        (position, velocity)
    }
}

impl Xfem {
    /// One over the mass of a degree of freedom (1/kg); 0 where its position is prescribed.
    fn inverse_mass(&self, dof: u32) -> f64 {
        let is_placed = self.constraints.is_placed(self.enrichment.node_of[dof as usize] as usize);
        if is_placed { 0.0 } else { 1.0 / self.masses[dof as usize] }
    }
}
