//! Bounding volume hierarchy of a surface.
//!
//! Its boxes contain the surface until it has moved by a margin, so that a body which takes ten
//! thousand steps per second is searched a hundred times. Subtrees that have become loose or have
//! changed are rebuilt, the rest is refitted.

use crate::geometry::CrackFaces;
use crate::geometry::Features;
use crate::{ContactTriangles, SurfacePoint};
use craze_math::Vec3;
use craze_spatial::{Aabb, Bvh, REMOVED, SpatialError};
use rayon::prelude::*;

/// Number of triangles and points below which one thread computes the boxes.
const SEQUENTIAL_PRIMITIVES: usize = 4096;

/// A bounding volume hierarchy of a surface, with boxes that contain it until it has moved by a
/// margin.
#[derive(Debug, Default)]
pub struct SurfaceTree {
    /// The features of the surface.
    pub features: Features,
    version: Option<u64>,
    pub(crate) boxes: Vec<Aabb>,
    pub(crate) tree: Bvh,
    /// Degrees of freedom of the corners of each triangle or single point when the tree was built:
    /// those of an unchanged primitive are the same.
    identities: Vec<[u32; 3]>,
    /// True if the features have changed since the tree was built.
    is_changed: bool,
    /// Positions of the points when the boxes were computed (m).
    pub(crate) anchors: Vec<Vec3>,
    /// Margin of the boxes on all sides (m).
    margin: f64,
    /// Largest distance of a box from the positions it was computed from (m): radius, skin and
    /// margin; infinite for swept boxes.
    pub(crate) reach: f64,
    /// Largest radius of a point (m).
    radius: f64,
    /// Number of times that the boxes were computed, by which candidates know that they are out of
    /// date.
    generation: u64,
}

/// Motion of a surface since its boxes were computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Mean displacement of its points (m).
    pub drift: Vec3,
    /// Largest difference of a point's displacement to the mean (m).
    pub spread: f64,
}

impl Motion {
    /// Upper bound of the distance by which two surfaces have approached (m): common motion does
    /// not count.
    pub fn approach(&self, other: &Motion) -> f64 {
        self.spread + other.spread + (self.drift - other.drift).norm()
    }
}

impl SurfaceTree {
    /// Updates the features if the triangles have changed.
    pub fn follow(&mut self, triangles: &ContactTriangles, points: usize) {
        if self.version != Some(triangles.version) || self.anchors.len() != points {
            self.features = Features::new(triangles.triangles, points);
            self.features.crack_faces = CrackFaces::new(triangles.triangles, triangles.origins, points);
            self.version = Some(triangles.version);
            self.anchors.clear();
            self.is_changed = true;
        }
    }

    /// Motion of the points since the boxes were computed; none for other points.
    pub fn motion(&self, places: impl ExactSizeIterator<Item = Vec3> + Clone) -> Option<Motion> {
        if places.len() != self.anchors.len() || self.boxes.is_empty() {
            return None;
        }
        let ways = places.zip(&self.anchors).map(|(place, anchor)| place - anchor);
        let drift = ways.clone().sum::<Vec3>() / self.anchors.len() as f64;
        let spread = ways.map(|way| (way - drift).norm_squared()).fold(0.0, f64::max).sqrt();
        Some(Motion { drift, spread })
    }

    /// Computes the boxes from the positions at the start of the step, with radius, skin (m) and a
    /// margin (m) on all sides.
    pub fn refresh(&mut self, points: &[SurfacePoint], skin: f64, margin: f64) -> Result<(), SpatialError> {
        self.margin = margin;
        self.make_boxes(points, |corners, radius| {
            Aabb::from_points(corners.iter().map(|corner| &corner.start)).grown(radius + skin + margin)
        })?;
        self.reach = self.radius + skin + margin;
        Ok(())
    }

    /// Computes the boxes from the whole path of the points in the step, grown by a reach (m):
    /// candidates found with them are exactly those that come within twice the reach in this step.
    pub fn sweep(&mut self, points: &[SurfacePoint], reach: f64) -> Result<(), SpatialError> {
        self.margin = 0.0;
        self.reach = f64::INFINITY;
        self.make_boxes(points, |corners, radius| {
            Aabb::from_points(corners.iter().flat_map(|corner| [&corner.start, &corner.end])).grown(radius + reach)
        })
    }

    fn make_boxes(
        &mut self,
        points: &[SurfacePoint],
        box_of: impl Fn(&[&SurfacePoint; 3], f64) -> Aabb + Sync,
    ) -> Result<(), SpatialError> {
        self.anchors.clear();
        self.anchors.extend(points.iter().map(|point| point.start));
        self.radius = points.iter().map(|point| point.radius).fold(0.0, f64::max);
        self.generation += 1;
        let features = &self.features;
        let one = |primitive: usize| {
            let corners = features.corners(primitive).map(|point| &points[point as usize]);
            box_of(&corners, corners.iter().map(|corner| corner.radius).fold(0.0, f64::max))
        };
        let count = features.primitives();
        if count < SEQUENTIAL_PRIMITIVES {
            self.boxes.clear();
            self.boxes.extend((0..count).map(one));
        } else {
            (0..count).into_par_iter().with_min_len(SEQUENTIAL_PRIMITIVES).map(one).collect_into_vec(&mut self.boxes);
        }
        if !self.is_changed {
            return self.tree.update(&self.boxes).map(|_| ());
        }
        let identity = |primitive: usize| features.corners(primitive).map(|point| points[point as usize].dof);
        let identities: Vec<[u32; 3]> = (0..count).map(identity).collect();
        self.tree.remap(&fates(&self.identities, &identities), &self.boxes)?;
        (self.identities, self.is_changed) = (identities, false);
        Ok(())
    }

    /// Largest radius of a point (m) when the boxes were computed.
    pub(crate) fn radius(&self) -> f64 {
        self.radius
    }

    /// Margin of the boxes on all sides (m).
    pub fn margin(&self) -> f64 {
        self.margin
    }

    /// Changes whenever the boxes are computed.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Bounding box with the margin, rounded outward.
    pub fn bounds(&self) -> Aabb {
        self.tree.bounds()
    }
}

/// New index of each former primitive, by identity; repeated identities are matched in order.
fn fates(former: &[[u32; 3]], present: &[[u32; 3]]) -> Vec<u32> {
    let mut fates = vec![REMOVED; former.len()];
    let same = |&place: &usize| former.get(place) == present.get(place);
    for place in (0..former.len()).filter(same) {
        fates[place] = place as u32;
    }
    // Most primitives keep their index; the others are searched for.
    let moved = |all: &[[u32; 3]]| {
        let mut rest: Vec<([u32; 3], u32)> =
            (0..all.len()).filter(|place| !same(place)).map(|place| (all[place], place as u32)).collect();
        rest.sort_unstable();
        rest
    };
    let (old, new) = (moved(former), moved(present));
    let mut next = new.iter().peekable();
    for (identity, place) in old {
        while next.next_if(|entry| entry.0 < identity).is_some() {}
        if let Some(entry) = next.next_if(|entry| entry.0 == identity) {
            fates[place as usize] = entry.1;
        }
    }
    fates
}
