//! The surface of a body: a mesh of tetrahedra around its particles at rest, carried along by them and parted where they have.
//!
//! Every particle of the start has a *site*, its rest place, which belongs to one particle for good: where a split copies a particle, the copy on
//! its own side of the plane keeps the site. A vertex of the mesh is anchored to the particle of the nearest site on its side of all cuts.
//! An edge is parted where its anchors have no cluster in common any more and a split went between them, at the very plane that did it.
//! Vertices follow the particles near them that have a cluster in common with the anchor, so that nothing is drawn across an open crack.

use crate::cluster::Plane;
use crate::grid::Grid;
use crate::model::{Clusters, is_finite};
use craze_frame::{Data, Sets, Surface, names};
use craze_math::{Mat3, Vec3};
use craze_skin::{Background, Carried};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Sites within so many spacings of a vertex may be its anchor (1),
const ANCHOR_REACH: f64 = 1.75;
/// and particles within so many carry it (1).
const CARRYING_REACH: f64 = 1.7;
/// A cut between a vertex and a site counts as so many spacings (1).
const BEYOND_A_CUT: f64 = 3.0;
/// Parts of a piece with fewer vertices than this that do not hang together with the largest go over to their neighbours.
const STRAY: usize = 8;
/// How often that is tried.
const STRAY_ROUNDS: usize = 4;
/// An edge is not parted nearer to its ends than this share of it (1).
const NEAREST_TO_END: f64 = 0.02;
/// Particles that hang together and are farther apart than so many times their distance at rest, flow aside, have no skin between them (1).
const DRAWN_OUT: f64 = 2.5;
/// Stretches beyond which a cluster does not say how its surroundings are deformed (1).
const STRETCHES: [f64; 2] = [0.2, 3.0];

/// What a body needs to have a surface.
pub(crate) struct Skin {
    pub background: Background,
    /// Rest places of the particles at the start, in the world (m),
    pub sites: Vec<Vec3>,
    /// and the particle that each belongs to now.
    pub owners: Vec<u32>,
    /// Planes that have split clusters, in the order in which they did.
    pub cuts: Vec<Cut>,
    /// Background and sites as a checkpoint holds them: they never change.
    pub saved: Vec<u8>,
}

/// Where a plane has split a cluster, in the rest frame; places are reckoned from the origin of rest offsets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Cut {
    pub plane: Plane,
    /// The ball of the cluster that was split (m).
    pub centre: Vec3,
    pub radius: f64,
    /// Planes that had cut it before.
    pub earlier: Vec<Plane>,
}

impl Plane {
    /// How far an offset (m) lies before it (m).
    fn height(&self, offset: &Vec3) -> f64 {
        self.normal.dot(offset) - self.end
    }
}

impl Cut {
    /// Whether it comes within `slack` (m) of being at an offset (m), as far as the cluster reached.
    fn reaches(&self, offset: &Vec3, slack: f64) -> bool {
        (offset - self.centre).norm() <= self.radius + slack
            && self.earlier.iter().all(|plane| plane.height(offset) <= slack)
    }

    /// How far from the first of two offsets (m) to the second the plane is, if it is between them (1).
    fn between(&self, [from, to]: [&Vec3; 2], slack: f64) -> Option<f64> {
        let (near, far) = (self.plane.height(from), self.plane.height(to));
        let share = near / (near - far);
        ((near > 0.0) != (far > 0.0) && self.reaches(&(from + share * (to - from)), slack)).then_some(share)
    }
}

impl Skin {
    pub(crate) fn new(background: Background, sites: Vec<Vec3>) -> Skin {
        let owners = (0..sites.len() as u32).collect();
        let saved = crate::save::skin_bytes(&background, &sites);
        Skin { background, sites, owners, cuts: Vec::new(), saved }
    }

    /// Follows the renumbering of particles.
    pub(crate) fn renumber(&mut self, heirs: &[Option<u32>], numbers: &[Option<u32>]) {
        for owner in &mut self.owners {
            let heir = heirs[*owner as usize].unwrap_or(*owner);
            *owner = numbers[heir as usize].unwrap_or(0);
        }
    }

    /// What is wrong with one that was loaded, for a body of so many particles.
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
    /// Gives the body a surface: positively oriented tetrahedra around its particles, in the world where it was placed (m). To be called before the
    /// first step.
    pub fn set_skin(&mut self, positions: Vec<Vec3>, tetrahedra: Vec<[u32; 4]>) -> Result<(), craze_skin::SkinError> {
        let background = Background::new(positions, tetrahedra)?;
        self.skin = Some(Skin::new(background, self.particles.rest.clone()));
        Ok(())
    }

    /// The surface as it is now, with the piece (of those present), rest place, velocity and crack faces; none without a skin. `pieces` are those of the
    /// particles.
    pub(crate) fn skin_surface(&self, positions: &[Vec3], pieces: &[u32]) -> Option<Surface> {
        let skin = self.skin.as_ref()?;
        let (anchors, parted) = self.parted_skin(skin, positions, pieces);
        let parted = skin.background.part(&parted);
        let (carried, motions) = self.carry(skin, &anchors, positions);
        let mut surface = Surface {
            positions: parted.carried(&skin.background, &carried),
            triangles: parted.triangles.clone(),
            ..Surface::default()
        };
        let of_face = |face: usize| pieces[anchors[parted.owners[face] as usize] as usize];
        let faces = 0..parted.triangles.len();
        surface.face_attributes.set(names::PIECE, Data::Index(faces.map(of_face).collect()));
        surface
            .face_attributes
            .set(names::CRACK, Data::Index(parted.cracks.iter().map(|&crack| u32::from(crack)).collect()));
        let attributes = &mut surface.vertex_attributes;
        attributes.set(names::REST, Data::Vector(parted.points.iter().map(|point| point.rest).collect()));
        let still = |of: Vec3| Carried { position: of, deformation: Mat3::zeros() };
        let mix = |values: Vec<Carried>| parted.carried(&skin.background, &values);
        attributes
            .set(names::VELOCITY, Data::Vector(mix(motions.iter().map(|motion| still(motion.velocity)).collect())));
        if self.matter.yield_strain.is_some() {
            let strains = mix(motions.iter().map(|motion| still(Vec3::repeat(motion.strain))).collect());
            attributes.set(names::PLASTIC_STRAIN, Data::Scalar(strains.iter().map(|strain| strain.x).collect()));
        }
        Some(surface)
    }

    /// The particle that each vertex is anchored to, and where edges are parted.
    fn parted_skin(&self, skin: &Skin, positions: &[Vec3], pieces: &[u32]) -> (Vec<u32>, Vec<Option<f64>>) {
        let mut anchors = self.anchors(skin);
        if skin.cuts.is_empty() && self.is_whole {
            return (anchors, Vec::new());
        }
        self.give_to_pieces_without(skin, &mut anchors, pieces);
        let mut parted = self.parted_edges(skin, &anchors, positions, pieces);
        for _ in 0..STRAY_ROUNDS {
            if !adopt_strays(skin, &mut anchors, &parted, pieces) {
                break;
            }
            parted = self.parted_edges(skin, &anchors, positions, pieces);
        }
        (anchors, parted)
    }

    /// For every vertex the particle of the nearest site, where a cut between makes it farther.
    fn anchors(&self, skin: &Skin) -> Vec<u32> {
        let spacing = self.particles.spacing;
        let reach = ANCHOR_REACH * spacing;
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
                let far = distance + BEYOND_A_CUT * spacing * cuts as f64;
                if far < best.0 || (far == best.0 && site < best.1) {
                    best = (far, site);
                }
            });
            let site = if best.1 == u32::MAX { grid.nearest(vertex).0 } else { best.1 };
            skin.owners[site as usize]
        };
        skin.background.positions().par_iter().map(find).collect()
    }

    /// A piece that no vertex is anchored to gets the one nearest to its heaviest particle that it takes from nobody who has no other.
    fn give_to_pieces_without(&self, skin: &Skin, anchors: &mut [u32], pieces: &[u32]) {
        let count = pieces.iter().max().map_or(0, |last| *last as usize + 1);
        let mut vertices = vec![0u32; count];
        anchors.iter().for_each(|&anchor| vertices[pieces[anchor as usize] as usize] += 1);
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
                if vertices[from] > 1 && (distance < best.0 || (distance == best.0 && vertex < best.1)) {
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

    /// Where edges are parted, from their lower vertex (1).
    fn parted_edges(&self, skin: &Skin, anchors: &[u32], positions: &[Vec3], pieces: &[u32]) -> Vec<Option<f64>> {
        let spacing = self.particles.spacing;
        let part = |ends: &[u32; 2]| {
            let [one, other] = ends.map(|end| anchors[end as usize]);
            let is_drawn_out = self.is_drawn_out(one, other, positions);
            if !is_drawn_out && self.hang_together(one, other) {
                return None;
            }
            let [low, high] = ends.map(|end| skin.background.positions()[end as usize] - self.particles.centre);
            let middle = 0.5 * (low + high);
            let is_cut = || {
                let passes = |cut: &Cut| cut.plane.height(&middle).abs() < spacing && cut.reaches(&middle, spacing);
                skin.cuts.iter().any(passes)
            };
            if !is_drawn_out && pieces[one as usize] == pieces[other as usize] && !is_cut() {
                return None;
            }
            let shares = skin.cuts.iter().filter_map(|cut| cut.between([&low, &high], spacing));
            let share = shares.min_by(|one, other| (one - 0.5).abs().total_cmp(&(other - 0.5).abs())).unwrap_or(0.5);
            Some(share.clamp(NEAREST_TO_END, 1.0 - NEAREST_TO_END))
        };
        skin.background.edges().par_iter().map(part).collect()
    }

    /// Whether two particles have a cluster in common.
    fn hang_together(&self, one: u32, other: u32) -> bool {
        let others = self.memberships.of(other as usize);
        let is_common = |cluster: u32| others.iter().any(|share| share.cluster == cluster);
        one == other || self.memberships.of(one as usize).iter().any(|share| is_common(share.cluster))
    }

    /// Whether two particles are so far apart, by what they were at rest and have flown since, that no skin holds between them: matter that a
    /// cluster spans without being there.
    fn is_drawn_out(&self, one: u32, other: u32, positions: &[Vec3]) -> bool {
        let [one, other] = [one, other].map(|particle| particle as usize);
        let flown = |particle: usize| {
            let shares = self.memberships.of(particle).iter();
            let stretch = |cluster: u32| self.temper[cluster as usize].plastic.norm_squared() / 3.0;
            shares.map(|share| share.weight * stretch(share.cluster)).sum::<f64>().max(1.0)
        };
        let rest = (self.particles.rest[one] - self.particles.rest[other]).norm_squared();
        let now = (positions[one] - positions[other]).norm_squared();
        let square = DRAWN_OUT * DRAWN_OUT * rest.max(self.particles.spacing * self.particles.spacing);
        now > square && now > square * flown(one).max(flown(other))
    }

    /// How every vertex moves with the particles near it.
    fn carry(&self, skin: &Skin, anchors: &[u32], positions: &[Vec3]) -> (Vec<Carried>, Vec<Motion>) {
        let reach = CARRYING_REACH * self.particles.spacing;
        let grid = Grid::new(&self.particles.rest, reach);
        let deformations = self.deformations();
        let velocities = self.velocities();
        let flows = self.matter.yield_strain.is_some();
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
            let carried = Carried { position: place / sum, deformation: deformation / sum };
            (carried, Motion { velocity: motion.velocity / sum, strain: motion.strain / sum })
        };
        anchors.par_iter().enumerate().map(carry).unzip()
    }

    /// How the surroundings of every particle are deformed, by its clusters (1).
    fn deformations(&self) -> Vec<Mat3> {
        if self.is_flying() {
            return vec![self.matched().orientation().to_rotation_matrix().into_inner(); self.count()];
        }
        let of_cluster = |cluster: usize| {
            let fit = &self.fits.fits[cluster];
            let sigma = fit.elastic.sigma;
            let is_sound = !self.rest[cluster].is_flat && sigma.z > STRETCHES[0] && sigma.x < STRETCHES[1];
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

/// What else a vertex takes from the particles that carry it.
#[derive(Clone, Copy, Default)]
struct Motion {
    /// m/s.
    velocity: Vec3,
    /// Plastic strain (1).
    strain: f64,
}

/// Small parts of a piece that do not hang together with its largest go over to a neighbour; whether there were any.
fn adopt_strays(skin: &Skin, anchors: &mut [u32], parted: &[Option<f64>], pieces: &[u32]) -> bool {
    let mut sets = Sets::new(anchors.len());
    let edges = skin.background.edges();
    for (ends, _) in edges.iter().zip(parted).filter(|(_, share)| share.is_none()) {
        sets.join(ends[0], ends[1]);
    }
    let firsts: Vec<u32> = (0..anchors.len() as u32).map(|vertex| sets.first(vertex)).collect();
    let mut sizes = vec![0usize; anchors.len()];
    firsts.iter().for_each(|&first| sizes[first as usize] += 1);
    let piece = |vertex: u32| pieces[anchors[vertex as usize] as usize] as usize;
    let mut largest = vec![(0usize, u32::MAX); pieces.iter().max().map_or(0, |last| *last as usize + 1)];
    for first in (0..anchors.len() as u32).filter(|&first| firsts[first as usize] == first) {
        let own = &mut largest[piece(first)];
        if sizes[first as usize] > own.0 {
            *own = (sizes[first as usize], first);
        }
    }
    let is_stray = |first: u32| sizes[first as usize] < STRAY && largest[piece(first)].1 != first;
    // Of the neighbours the one in the largest part, and of those the first.
    let mut heirs = vec![(0usize, u32::MAX); anchors.len()];
    for &[one, other] in edges {
        for [from, to] in [[one, other], [other, one]] {
            let (stray, host) = (firsts[from as usize], firsts[to as usize]);
            if stray != host && is_stray(stray) && !is_stray(host) && sizes[host as usize] > heirs[stray as usize].0 {
                heirs[stray as usize] = (sizes[host as usize], to);
            }
        }
    }
    let adopted: Vec<Option<u32>> = firsts
        .iter()
        .map(|&first| (heirs[first as usize].1 != u32::MAX).then(|| anchors[heirs[first as usize].1 as usize]))
        .collect();
    for (anchor, adopted) in anchors.iter_mut().zip(&adopted) {
        *anchor = adopted.unwrap_or(*anchor);
    }
    adopted.iter().any(Option::is_some)
}

#[cfg(test)]
mod tests {
    use crate::testing::{TIME_STEP, awake, block, matter, plain_step};
    use crate::{Clustering, Clusters, Options};
    use craze_engine::{FrameDetail, Method, Step};
    use craze_frame::{BodyFrame, Sets, is_manifold, names};
    use craze_math::{Isometry, Vec3};

    /// Cubes of six tetrahedra around a block of particles: corner of the box, and cells along the axes.
    fn cubes(counts: [u32; 3]) -> (Vec<Vec3>, Vec<[u32; 4]>) {
        let number = |[x, y, z]: [u32; 3]| (z * (counts[1] + 1) + y) * (counts[0] + 1) + x;
        let (mut positions, mut tetrahedra) = (Vec::new(), Vec::new());
        for (z, y, x) in all(counts.map(|count| count + 1)) {
            positions.push(0.1 * Vec3::new(f64::from(x), f64::from(y), f64::from(z)).add_scalar(-0.5));
        }
        for (z, y, x) in all(counts) {
            for [one, two, odd] in [[0, 1, 0], [1, 0, 1], [1, 2, 0], [2, 1, 1], [2, 0, 0], [0, 2, 1]] {
                let mut way = [[x, y, z]; 4];
                way[1][one] += 1;
                way[2][one] += 1;
                way[2][two] += 1;
                way[3] = [x + 1, y + 1, z + 1];
                way.swap(2, 2 + odd);
                tetrahedra.push(way.map(number));
            }
        }
        (positions, tetrahedra)
    }

    fn all([nx, ny, nz]: [u32; 3]) -> impl Iterator<Item = (u32, u32, u32)> {
        (0..nz).flat_map(move |z| (0..ny).flat_map(move |y| (0..nx).map(move |x| (z, y, x))))
    }

    /// A bar of 13 × 5 × 5 particles whose ends part at so many of its lengths a second.
    fn bar(toughness: f64, yield_strain: Option<f64>, speed: f64) -> Clusters {
        let mut material = matter(0.8);
        material.cluster.toughness = Some(toughness);
        material.cluster.yield_strain = yield_strain;
        material.cluster.flow = 0.3;
        let clustering = Clustering::Count { count: 14, overlap: 3.0, seed: 1 };
        let options = Options { clustering, strain_limit: Some(0.5), ..awake() };
        let still = Vec3::zeros();
        let mut body =
            Clusters::new(block([13, 5, 5]), &material, options, &Isometry::identity(), still, still).unwrap();
        let (positions, tetrahedra) = cubes([13, 5, 5]);
        body.set_skin(positions, tetrahedra).unwrap();
        body.set_motion(|rest| (*rest, Vec3::new(speed * (rest.x - 0.6), 0.3 * rest.z, -0.2 * rest.y))).unwrap();
        body
    }

    fn steps(body: &mut dyn Method, range: std::ops::Range<u32>) {
        for index in range {
            let step = Step { time: TIME_STEP * f64::from(index), ..plain_step() };
            body.predict(&step).unwrap();
            body.commit(&step);
            body.flow(&step);
            body.fracture(&step, &mut Vec::new());
            body.settle();
        }
    }

    /// Checks that every piece's surface closes, that no triangle joins two, and that rest volumes sum to the whole; gives them.
    fn sound_volumes(frame: &BodyFrame) -> Vec<f64> {
        let surface = &frame.surface;
        let rest = surface.vertex_attributes.vectors(names::REST).unwrap();
        assert!(is_manifold(&surface.triangles));
        let mut sets = Sets::new(rest.len());
        for &[a, b, c] in &surface.triangles {
            sets.join(a, b);
            sets.join(a, c);
        }
        let mut piece_of = vec![None; rest.len()];
        let mut volumes = vec![0.0; frame.pieces.len()];
        for (triangle, &[a, b, c]) in surface.triangles.iter().enumerate() {
            let piece = surface.piece_of(triangle);
            let known = piece_of[sets.first(a) as usize].get_or_insert(piece);
            assert_eq!(*known, piece, "what hangs together is one piece");
            let [a, b, c] = [a, b, c].map(|vertex| rest[vertex as usize]);
            volumes[piece as usize] += a.dot(&b.cross(&c)) / 6.0;
        }
        let whole = 0.1 * 0.1 * 0.1 * f64::from(13 * 5 * 5);
        assert!((volumes.iter().sum::<f64>() / whole - 1.0).abs() < 1e-9);
        assert!(volumes.iter().all(|volume| *volume > 0.0), "{volumes:?}");
        volumes
    }

    #[test]
    fn the_skin_of_a_whole_body_is_its_outside_and_moves_with_it() {
        let mut body = bar(50.0, None, 0.0);
        let motion = Isometry::new(Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.0, 3.0, 0.5));
        body.set_motion(|rest| (motion.transform_point(&(*rest).into()).coords, Vec3::zeros())).unwrap();
        let frame = body.frame(FrameDetail::Surface);
        assert_eq!(frame.surface.triangles.len(), 2 * (2 * 13 * 5 + 2 * 13 * 5 + 2 * 5 * 5));
        assert_eq!(sound_volumes(&frame).len(), 1);
        let rest = frame.surface.vertex_attributes.vectors(names::REST).unwrap();
        for (rest, position) in rest.iter().zip(&frame.surface.positions) {
            assert!((motion.transform_point(&(*rest).into()).coords - position).norm() < 1e-12);
        }
        assert_eq!(craze_frame::Frame { bodies: vec![frame], ..Default::default() }.check(), Ok(()));
    }

    #[test]
    fn one_split_cuts_the_skin_along_its_plane() {
        let mut material = matter(0.8);
        material.cluster.toughness = Some(1.1);
        let (place, still) = (Isometry::identity(), Vec3::zeros());
        let mut whole = Clusters::new(block([13, 5, 5]), &material, awake(), &place, still, still).unwrap();
        let turn = Isometry::rotation(Vec3::z());
        let (positions, tetrahedra) = cubes([13, 5, 5]);
        whole.set_skin(positions, tetrahedra).unwrap();
        let stretched = |rest: &Vec3| turn * Vec3::new(1.3 * rest.x, rest.y, rest.z);
        whole.set_motion(|rest| (stretched(rest), Vec3::zeros())).unwrap();
        whole.fracture(&plain_step(), &mut Vec::new());
        let frame = whole.frame(FrameDetail::Surface);
        assert_eq!(sound_volumes(&frame).len(), 2);
        let rest = frame.surface.vertex_attributes.vectors(names::REST).unwrap();
        for (triangle, corners) in
            frame.surface.triangles.iter().enumerate().filter(|(one, _)| frame.surface.is_crack(*one))
        {
            assert!(corners.iter().all(|&vertex| (rest[vertex as usize].x - 0.6).abs() < 0.03), "{triangle}");
        }
        assert!((0..frame.surface.triangles.len()).any(|triangle| frame.surface.is_crack(triangle)));
    }

    #[test]
    fn whatever_tears_and_flows_every_piece_has_a_closed_surface() {
        for (toughness, yield_strain, speed) in [(1.1, Some(0.05), 8.0), (1.05, None, 12.0), (1.02, Some(0.02), 20.0)] {
            let mut body = bar(toughness, yield_strain, speed);
            for round in 0..6 {
                steps(&mut body, 8 * round..8 * round + 8);
                sound_volumes(&body.frame(FrameDetail::Surface));
            }
            assert!(body.piece_count() > 2);
        }
    }

    #[test]
    fn the_skin_has_the_same_bits_on_any_threads_and_after_a_restart() {
        let run = |threads: usize, restart: bool| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut body: Box<dyn Method> = Box::new(bar(1.05, Some(0.05), 10.0));
                steps(&mut *body, 0..12);
                if restart {
                    body = crate::load(&body.save()).unwrap();
                }
                steps(&mut *body, 12..24);
                body.frame(FrameDetail::Surface)
            })
        };
        let one = run(1, false);
        assert!(one.pieces.len() > 1);
        assert!(one == run(2, true) && one == run(3, false));
    }
}
