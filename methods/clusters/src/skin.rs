//! Surface of a body: tetrahedra around its particles at rest, which move with the particles and
//! are separated where these are.
//!
//! Every particle of the start has a *site*, its rest position, which belongs to one particle at a
//! time: where a split duplicates a particle, the copy on the site's own side of the plane gets it.
//! A vertex of the tetrahedra is anchored to the particle of the nearest site on its side of all
//! cuts. An edge is cut where its anchors no longer have a cluster in common and a split went
//! between them, at the plane of the split. Vertices move with the particles near them that have a
//! cluster in common with the anchor, so that nothing spans an open crack.

mod parts;
mod shells;

use crate::cluster::Plane;
use crate::grid::Grid;
use crate::model::{Clusters, to_world};
use crate::tuning::{ANCHOR_DISTANCE, CARRYING_DISTANCE, MAX_DRAWN_EDGE};
use craze_body::save::is_finite;
use craze_frame::{Data, Surface, names};
use craze_math::{Mat3, Vec3};
use craze_skin::{BackgroundMesh, EmbeddedSurface, SplitSurface, VertexMotion, bcc_tetrahedra};
use craze_spatial::{Aabb, WindingTree};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Distance in spacings for which a cut between a vertex and a site counts (1).
const CUT_DISTANCE: f64 = 3.0;
/// Stretch beyond which the deformation of a cluster is not used (1).
const STRETCH_RANGE: [f64; 2] = [0.2, 3.0];

/// Data of a surface.
pub(crate) struct Skin {
    pub background: BackgroundMesh,
    /// The source surface that the tetrahedra carry; without one their own surface is shown.
    pub drawn: Option<EmbeddedSurface>,
    /// Rest positions of the particles at the start, in the frame of the shape (m),
    pub sites: Vec<Vec3>,
    /// and the particle that each belongs to.
    pub owners: Vec<u32>,
    /// Planes that have split clusters, in order.
    pub cuts: Vec<Cut>,
    /// Background and sites as saved: they are constant.
    pub saved: Vec<u8>,
}

/// A plane that has split a cluster, in the rest frame, relative to the origin of rest offsets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Cut {
    pub plane: Plane,
    /// Bounding ball of the cluster that was split (m).
    pub centre: Vec3,
    pub radius: f64,
    /// Planes that had cut it before.
    pub earlier: Vec<Plane>,
}

impl Plane {
    /// Distance of an offset (m) in front of it (m).
    fn height(&self, offset: &Vec3) -> f64 {
        self.normal.dot(offset) - self.end
    }
}

impl Cut {
    /// Returns true if the cut cluster comes within `slack` (m) of an offset (m).
    fn reaches(&self, offset: &Vec3, slack: f64) -> bool {
        (offset - self.centre).norm() <= self.radius + slack
            && self.earlier.iter().all(|plane| plane.height(offset) <= slack)
    }

    /// Position of the plane between two offsets (m), as a share of their distance (1), if it is
    /// between them.
    fn between(&self, [from, to]: [&Vec3; 2], slack: f64) -> Option<f64> {
        let (near, far) = (self.plane.height(from), self.plane.height(to));
        let share = near / (near - far);
        ((near > 0.0) != (far > 0.0) && self.reaches(&(from + share * (to - from)), slack)).then_some(share)
    }
}

impl Skin {
    pub(crate) fn new(background: BackgroundMesh, drawn: Option<EmbeddedSurface>, sites: Vec<Vec3>) -> Skin {
        let owners = (0..sites.len() as u32).collect();
        let saved = crate::save::skin_bytes(&background, drawn.as_ref(), &sites);
        Skin { background, drawn, sites, owners, cuts: Vec::new(), saved }
    }

    /// Surfaces of the components; `parted` are the edges that are cut. Where a source surface
    /// cannot be cut because of rounding, the surface of the tetrahedra is shown.
    fn part(&self, parted: &[Option<f64>]) -> SplitSurface {
        let cut = self.drawn.as_ref().and_then(|drawn| self.background.split_embedded(parted, drawn).ok());
        cut.unwrap_or_else(|| self.background.split(parted))
    }

    /// Returns true for a vertex inside the body.
    fn is_inside(&self, vertex: u32) -> bool {
        self.drawn.as_ref().is_none_or(|drawn| drawn.is_inside(vertex as usize))
    }

    /// Renumbers the particles.
    pub(crate) fn renumber(&mut self, heirs: &[Option<u32>], numbers: &[Option<u32>]) {
        for owner in &mut self.owners {
            let heir = heirs[*owner as usize].unwrap_or(*owner);
            *owner = numbers[heir as usize].unwrap_or(0);
        }
    }

    /// Checks a loaded surface of a body with so many particles.
    pub(crate) fn check(&self, particles: usize) -> Result<(), String> {
        let finite = |plane: &Plane| is_finite(&plane.normal) && plane.end.is_finite();
        let sound = |cut: &Cut| {
            finite(&cut.plane) && cut.earlier.iter().all(finite) && is_finite(&cut.centre) && cut.radius.is_finite()
        };
        let owned = self.owners.iter().all(|&owner| (owner as usize) < particles);
        let placed = self.sites.iter().chain(self.background.positions()).all(is_finite);
        if owned
            && placed
            && self.owners.len() == self.sites.len()
            && !self.sites.is_empty()
            && self.cuts.iter().all(sound)
        {
            Ok(())
        } else {
            Err("its skin has numbers that none has, or belongs to particles that are not there".to_owned())
        }
    }
}

impl Clusters {
    /// Adds a surface: positively oriented tetrahedra around the particles, in the frame of the
    /// rest shape (m). To be called before the first step.
    pub fn set_skin(&mut self, positions: Vec<Vec3>, tetrahedra: Vec<[u32; 4]>) -> Result<(), craze_skin::SkinError> {
        let background = BackgroundMesh::new(positions, tetrahedra)?;
        self.skin = Some(Skin::new(background, None, self.particles.rest.clone()));
        Ok(())
    }

    /// Adds a source surface: closed and manifold, around the particles, in the frame of the rest
    /// shape (m). It is carried by tetrahedra of about the spacing of particles, and cut where
    /// these separate. To be called before the first step.
    pub fn set_drawn_skin(
        &mut self,
        positions: Vec<Vec3>,
        triangles: Vec<[u32; 3]>,
    ) -> Result<(), craze_skin::SkinError> {
        let spacing = self.particles.spacing;
        let winding = WindingTree::new(&positions, &triangles).map_err(|_| craze_skin::SkinError::InvalidSurface)?;
        let (places, tetrahedra) = bcc_tetrahedra(&winding, &Aabb::from_points(&positions), spacing, 0.0)?;
        let background = BackgroundMesh::new(places, tetrahedra)?;
        let drawn = EmbeddedSurface::new(&background, positions, triangles, MAX_DRAWN_EDGE * spacing)?;
        self.skin = Some(Skin::new(background, Some(drawn), self.particles.rest.clone()));
        Ok(())
    }

    /// The present surface, with piece (index among the present ones), rest position, velocity and
    /// crack faces; none without a surface. `pieces` are those of the particles.
    pub(crate) fn skin_surface(&self, positions: &[Vec3], pieces: &[u32]) -> Option<Surface> {
        let skin = self.skin.as_ref()?;
        let (anchors, parted) = self.parted_skin(skin, positions, pieces);
        let (carried, motions) = self.carry(skin, &anchors, positions);
        let mut surface = Surface {
            positions: parted.deformed(&skin.background, &carried),
            triangles: parted.triangles.clone(),
            ..Surface::default()
        };
        let of_face = |face: usize| pieces[anchors[parted.owners[face] as usize] as usize];
        let faces = 0..parted.triangles.len();
        surface.face_attributes.set(names::PIECE, Data::Index(faces.map(of_face).collect()));
        surface
            .face_attributes
            .set(names::CRACK, Data::Index(parted.cracks.iter().map(|&crack| u32::from(crack)).collect()));
        if !parted.sources.is_empty() {
            surface.face_attributes.set(names::SOURCE, Data::Index(parted.sources.clone()));
        }
        let attributes = &mut surface.vertex_attributes;
        attributes.set(
            names::REST,
            Data::Vector(parted.points.iter().map(|point| to_world(&self.placement, &point.rest)).collect()),
        );
        let still = |of: Vec3| VertexMotion { position: of, deformation: Mat3::zeros() };
        let mix = |values: Vec<VertexMotion>| parted.deformed(&skin.background, &values);
        attributes
            .set(names::VELOCITY, Data::Vector(mix(motions.iter().map(|motion| still(motion.velocity)).collect())));
        if self.parameters.yield_strain.is_some() {
            let strains = mix(motions.iter().map(|motion| still(Vec3::repeat(motion.strain))).collect());
            attributes.set(names::PLASTIC_STRAIN, Data::Scalar(strains.iter().map(|strain| strain.x).collect()));
        }
        Some(surface)
    }

    /// For every vertex the particle of the nearest site, where cuts between them add to the
    /// distance.
    fn anchors(&self, skin: &Skin) -> Vec<u32> {
        let spacing = self.particles.spacing;
        let reach = ANCHOR_DISTANCE * spacing;
        let grid = Grid::new(&skin.sites, reach);
        let find = |vertex: &Vec3| {
            let own = vertex - self.particles.centre;
            let is_near = |cut: &&Cut| cut.plane.height(&own).abs() < reach && cut.reaches(&own, reach);
            let near: Vec<&Cut> = skin.cuts.iter().filter(is_near).collect();
            let mut best = (f64::INFINITY, u32::MAX);
            grid.near(vertex, reach, |site| {
                let place = skin.sites[site as usize];
                let distance = (place - vertex).norm();
                if distance > reach {
                    return;
                }
                let offset = place - self.particles.centre;
                let cuts = near.iter().filter(|cut| cut.between([&own, &offset], 0.5 * spacing).is_some()).count();
                let far = distance + CUT_DISTANCE * spacing * cuts as f64;
                if far < best.0 || (far == best.0 && site < best.1) {
                    best = (far, site);
                }
            });
            let site = if best.1 == u32::MAX { grid.nearest(vertex).0 } else { best.1 };
            skin.owners[site as usize]
        };
        skin.background.positions().par_iter().map(find).collect()
    }

    /// Anchors at least one vertex to every piece: the vertex closest to its heaviest particle,
    /// unless it is the last one of another piece.
    fn give_to_pieces_without(&self, skin: &Skin, anchors: &mut [u32], pieces: &[u32]) {
        let count = pieces.iter().max().map_or(0, |last| *last as usize + 1);
        let mut vertices = vec![0u32; count];
        let inside = (0u32..).zip(&*anchors).filter(|(vertex, _)| skin.is_inside(*vertex));
        inside.for_each(|(_, &anchor)| vertices[pieces[anchor as usize] as usize] += 1);
        if !vertices.contains(&0) {
            return;
        }
        let mut heaviest = vec![(0.0, u32::MAX); count];
        for (particle, &piece) in pieces.iter().enumerate() {
            if self.particles.masses[particle] > heaviest[piece as usize].0 {
                heaviest[piece as usize] = (self.particles.masses[particle], particle as u32);
            }
        }
        let reach = 2.0 * self.particles.spacing;
        let grid = Grid::new(skin.background.positions(), reach);
        for piece in
            (0..count).filter(|&piece| vertices[piece] == 0 && heaviest[piece].1 != u32::MAX).collect::<Vec<_>>()
        {
            let particle = heaviest[piece].1;
            let place = self.particles.rest[particle as usize];
            let mut best = (f64::INFINITY, u32::MAX);
            grid.near(&place, reach, |vertex| {
                let distance = (skin.background.positions()[vertex as usize] - place).norm();
                let from = pieces[anchors[vertex as usize] as usize] as usize;
                let is_free = vertices[from] > 1 && skin.is_inside(vertex);
                if is_free && (distance < best.0 || (distance == best.0 && vertex < best.1)) {
                    best = (distance, vertex);
                }
            });
            if best.1 != u32::MAX {
                vertices[pieces[anchors[best.1 as usize] as usize] as usize] -= 1;
                vertices[piece] = 1;
                anchors[best.1 as usize] = particle;
            }
        }
    }

    /// Motion of every vertex, interpolated from the particles near it.
    fn carry(&self, skin: &Skin, anchors: &[u32], positions: &[Vec3]) -> (Vec<VertexMotion>, Vec<Motion>) {
        let reach = CARRYING_DISTANCE * self.particles.spacing;
        let grid = Grid::new(&self.particles.rest, reach);
        let deformations = self.deformations();
        let velocities = self.velocities();
        let flows = self.parameters.yield_strain.is_some();
        let strain = |particle: usize| if flows { self.plastic_strain(particle) } else { 0.0 };
        let strains: Vec<f64> = (0..self.count()).map(strain).collect();
        let carry = |(vertex, &anchor): (usize, &u32)| {
            let rest = skin.background.positions()[vertex];
            let (mut sum, mut place, mut deformation) = (0.0, Vec3::zeros(), Mat3::zeros());
            let mut motion = Motion::default();
            let mut add = |particle: u32, share: f64| {
                let particle = particle as usize;
                let weight = share * self.particles.masses[particle];
                sum += weight;
                let arm = rest - self.particles.rest[particle];
                place += weight * (positions[particle] + deformations[particle] * arm);
                deformation += weight * deformations[particle];
                motion.velocity += weight * velocities[particle];
                motion.strain += weight * strains[particle];
            };
            // Also where none is near.
            add(anchor, 1e-3);
            grid.near(&rest, reach, |particle| {
                let near = (rest - self.particles.rest[particle as usize]).norm_squared() / (reach * reach);
                let follows =
                    || self.hang_together(anchor, particle) && !self.is_drawn_out(anchor, particle, positions);
                if near < 1.0 && (self.is_whole || follows()) {
                    add(particle, (1.0 - near).powi(3));
                }
            });
            let carried = VertexMotion { position: place / sum, deformation: deformation / sum };
            (carried, Motion { velocity: motion.velocity / sum, strain: motion.strain / sum })
        };
        anchors.par_iter().enumerate().map(carry).unzip()
    }

    /// Deformation of the surroundings of every particle, from its clusters (1).
    fn deformations(&self) -> Vec<Mat3> {
        if self.is_rigid() {
            return vec![self.matched().orientation().to_rotation_matrix().into_inner(); self.count()];
        }
        let of_cluster = |cluster: usize| {
            let fit = &self.fits.fits[cluster];
            let sigma = fit.elastic.sigma;
            let is_sound = !self.rest[cluster].is_flat && sigma.z > STRETCH_RANGE[0] && sigma.x < STRETCH_RANGE[1];
            if is_sound { fit.deformation } else { self.fits.guides[cluster].map() }
        };
        let clusters: Vec<Mat3> = (0..self.cluster_count()).map(of_cluster).collect();
        let of_particle = |particle: usize| {
            let shares = self.memberships.of(particle).iter();
            shares.map(|share| share.weight * clusters[share.cluster as usize]).sum()
        };
        (0..self.count()).map(of_particle).collect()
    }
}

/// Attributes that a vertex interpolates from its particles.
#[derive(Clone, Copy, Default)]
struct Motion {
    /// m/s.
    velocity: Vec3,
    /// Plastic strain (1).
    strain: f64,
}

#[cfg(test)]
mod tests;
