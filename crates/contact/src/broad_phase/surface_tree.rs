//! Broad phase: a surface in a tree.
//!
//! Boxes hold the surface until it has moved by a margin, so that bodies which take ten thousand steps a second are searched a
//! hundred times. The tree follows its boxes: what has decayed and what has changed is built anew, the rest is fitted.

use crate::geometry::CrackFaces;
use crate::geometry::Features;
use crate::{ContactTriangles, SurfacePoint};
use craze_math::Vec3;
use craze_spatial::{Aabb, Bvh, REMOVED, SpatialError};
use rayon::prelude::*;

/// Surfaces with fewer triangles and points are boxed by one thread.
const FEW: usize = 4096;

/// A surface in a tree, with boxes that hold it until it has moved by a margin.
#[derive(Debug, Default)]
pub struct SurfaceTree {
    /// Its features.
    pub features: Features,
    version: Option<u64>,
    pub(crate) boxes: Vec<Aabb>,
    pub(crate) tree: Bvh,
    /// Freedoms of the corners of every triangle or lone point when the tree was made: what has the same ones is the same.
    identities: Vec<[u32; 3]>,
    /// Whether the features have changed since the tree was made.
    is_changed: bool,
    /// Where the points were when the boxes were made (m).
    pub(crate) anchors: Vec<Vec3>,
    /// By how much the boxes are larger than what they hold (m).
    margin: f64,
    /// Largest distance of what a box holds from what it was made around (m): radius, skin and margin; endless for boxes around a way.
    pub(crate) reach: f64,
    /// Largest radius of a point (m).
    radius: f64,
    /// Counts how often the boxes were made, so that others know when their candidates are old.
    generation: u64,
}

/// How a surface has moved as a whole and in itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Mean way of its points (m).
    pub drift: Vec3,
    /// Farthest that any point has come from where the drift alone would have taken it (m).
    pub spread: f64,
}

impl Motion {
    /// By how much two surfaces can have come closer at most (m): what moves along with the other comes no closer.
    pub fn approach(&self, other: &Motion) -> f64 {
        self.spread + other.spread + (self.drift - other.drift).norm()
    }
}

impl SurfaceTree {
    /// Takes over the triangles if they have changed.
    pub fn follow(&mut self, triangles: &ContactTriangles, points: usize) {
        if self.version != Some(triangles.version) || self.anchors.len() != points {
            self.features = Features::new(triangles.triangles, points);
            self.features.crack_faces = CrackFaces::new(triangles.triangles, triangles.origins, points);
            self.version = Some(triangles.version);
            self.anchors.clear();
            self.is_changed = true;
        }
    }

    /// How the points have moved since the boxes were made; none if they are other points.
    pub fn motion(&self, places: impl ExactSizeIterator<Item = Vec3> + Clone) -> Option<Motion> {
        if places.len() != self.anchors.len() || self.boxes.is_empty() {
            return None;
        }
        let ways = places.zip(&self.anchors).map(|(place, anchor)| place - anchor);
        let drift = ways.clone().sum::<Vec3>() / self.anchors.len() as f64;
        let spread = ways.map(|way| (way - drift).norm_squared()).fold(0.0, f64::max).sqrt();
        Some(Motion { drift, spread })
    }

    /// Makes the boxes anew around where the points start, each with its radius and the skin (m), with a margin (m) on all sides.
    pub fn refresh(&mut self, points: &[SurfacePoint], skin: f64, margin: f64) -> Result<(), SpatialError> {
        self.margin = margin;
        self.make_boxes(points, |corners, radius| {
            Aabb::from_points(corners.iter().map(|corner| &corner.start)).grown(radius + skin + margin)
        })?;
        self.reach = self.radius + skin + margin;
        Ok(())
    }

    /// Makes the boxes anew around the whole way of the points from start to end, grown by a reach (m): candidates found with them are all
    /// that come within twice the reach in this very step, and none beside.
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
        if count < FEW {
            self.boxes.clear();
            self.boxes.extend((0..count).map(one));
        } else {
            (0..count).into_par_iter().with_min_len(FEW).map(one).collect_into_vec(&mut self.boxes);
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

    /// Largest radius of a point (m) when the boxes were made.
    pub(crate) fn radius(&self) -> f64 {
        self.radius
    }

    /// By how much the boxes are larger than what they hold (m).
    pub fn margin(&self) -> f64 {
        self.margin
    }

    /// Changes whenever the boxes are made anew.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// A box around everything, margin included, rounded outward.
    pub fn bounds(&self) -> Aabb {
        self.tree.bounds()
    }
}

/// Where every former primitive stands now, by their identities; those that occur several times are paired off in order.
fn fates(former: &[[u32; 3]], present: &[[u32; 3]]) -> Vec<u32> {
    let mut fates = vec![REMOVED; former.len()];
    let same = |&place: &usize| former.get(place) == present.get(place);
    for place in (0..former.len()).filter(same) {
        fates[place] = place as u32;
    }
    // Most stand where they stood. What does not is searched for.
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
