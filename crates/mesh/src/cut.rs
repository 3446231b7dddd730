//! Plane cut of a star: opens a crack at a point (O'Brien & Hodgins 1999, §4.3, Figs. 7 and 8).
//!
//! The plane passes through the point. Each point of the star is classified once as on either side
//! or in the plane; an edge is cut if its ends are on opposite sides. The elements at cut edges, in
//! the star and next to it, are subdivided edge by edge in descending order of the edges' sorted
//! ids. In a triangle with two cut edges the order decides the diagonal of the remaining
//! quadrilateral, which starts at its lowest id: of edges `(a, b)` and `(a, c)` with `b < c`, `(a,
//! c)` is split first (new points have higher ids than old ones). Both elements at a facet process
//! its edges in the same order, so their subdivisions conform.
//!
//! Finally the elements of the star on the negative side get a copy of the point, which opens the
//! crack. A cut edge with all of its elements in the star gets two points, one per side: there the
//! crack reaches the boundary.

use crate::edit::{Edit, Inheritance};
use crate::error::{EditError, Side};
use crate::id::Id;
use crate::measure::Measure;
use crate::mesh::SimplexMesh;
use crate::patch::{Blend, NewElement, Patch, facets_within};
use crate::tuning::{MIN_BACKWARD_COSINE, MIN_KINK_SINE};
use craze_math::Vec3;

/// When a point counts as in the plane; either condition suffices (O'Brien & Hodgins 1999, §4.3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Snap {
    /// Maximum distance from the plane (m). The paper uses 5 mm.
    pub distance: f64,
    /// Maximum angle between the plane and the line from the cut point (rad). The paper uses 0.1.
    pub angle: f64,
}

impl Snap {
    /// Only points exactly in the plane.
    pub const NEVER: Self = Self { distance: 0.0, angle: 0.0 };
    /// The thresholds of O'Brien & Hodgins 1999: 5 mm and 0.1 rad.
    pub const PAPER: Self = Self { distance: 0.005, angle: 0.1 };
}

/// The cut surface of a star: a plane through the point, or, at a crack tip, two half-planes that
/// meet at the point, that of the crack and a new one ahead. A full plane would cut again the
/// material behind the tip (back-cracking, O'Brien & Hodgins 1999, Figure 12 b).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutSurface<'a, P> {
    /// Normal of the plane ahead.
    pub normal: Vec3,
    /// The crack that ends at the point, if any.
    pub tip: Option<CrackTip<'a, P>>,
}

/// Local geometry of a crack that ends at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrackTip<'a, P> {
    /// Normal of the crack, on the same side as that of the plane ahead.
    pub normal: Vec3,
    /// Direction from the tip back along the crack.
    pub backward: Vec3,
    /// Points of the star on the crack faces, ascending, with the side of the face. They count as
    /// in the crack, however rough it is.
    pub face_points: &'a [(P, Side)],
}

impl<P: Copy + Ord> CutSurface<'_, P> {
    /// A plane.
    pub fn plane(normal: Vec3) -> Self {
        CutSurface { normal, tip: None }
    }

    /// Normal, pointing backward, of the plane that separates the material ahead of the tip from
    /// that behind. `None` if the crack continues straight, is twisted or reverses: then only the
    /// plane ahead cuts.
    fn separating_normal(&self) -> Option<Vec3> {
        let tip = self.tip.as_ref()?;
        let (ahead, behind) = (self.normal.try_normalize(0.0)?, tip.normal.try_normalize(0.0)?);
        let hinge = behind.cross(&ahead);
        if !(hinge.norm() > MIN_KINK_SINE && behind.dot(&ahead) > MIN_KINK_SINE) {
            return None;
        }
        let (hinge, backward) = (hinge.normalize(), tip.backward.try_normalize(0.0)?);
        // Directions of both half-planes, perpendicular to the hinge.
        let [one, other] = [behind, ahead].map(|normal| hinge.cross(&normal));
        let along = one.dot(&backward);
        (along.abs() > MIN_BACKWARD_COSINE).then(|| along.signum() * (one + other))
    }
}

struct ClassifiedPoint {
    point: u32,
    /// Signed distance from the surface (m).
    distance: f64,
    /// `None` if it counts as in the plane.
    side: Option<Side>,
}

struct CutEdge {
    ends: [u32; 2],
    /// Indices of its new points: on the positive and on the negative side.
    middle: [u32; 2],
}

impl<P: Id, E: Id, const N: usize> SimplexMesh<P, E, N>
where
    [Vec3; N]: Measure,
{
    /// Cuts the elements at `point` by the plane through it with this normal and separates the two
    /// sides.
    ///
    /// The plane is in the current configuration: `current` holds a position (m) per point (pass
    /// [`Self::positions`] for the rest state). New points have the same parameter on their edges
    /// in the rest state. The positive side keeps `point`; the negative side gets the first of
    /// [`Edit::points_added`]. The crack facets are in [`Edit::crack`], positive side first.
    ///
    /// Elements connected by a point or an edge only may remain; [`Self::separate_at_points`] with
    /// [`Self::crack_points`] separates them.
    ///
    /// Fails, with the mesh unchanged, if one side is empty, or if an element would have no volume
    /// or area in floating point.
    pub fn cut_star(
        &mut self,
        point: P,
        normal: Vec3,
        current: &[Vec3],
        snap: Snap,
    ) -> Result<Edit<P, E>, EditError<P, E>> {
        if current.len() != self.positions.len() {
            return Err(EditError::PositionCount { expected: self.positions.len(), found: current.len() });
        }
        let patch = self.plan_cut(point, &CutSurface::plane(normal), |point| current[point.index()], snap)?;
        self.replace(&patch)
    }

    /// The patch of [`Self::cut_star`], for inspection before [`Self::replace`], along a surface
    /// that may be bent at the point. `current` gives the position (m) of a point of the star.
    pub fn plan_cut(
        &self,
        point: P,
        surface: &CutSurface<P>,
        current: impl Fn(P) -> Vec3,
        snap: Snap,
    ) -> Result<Patch<P, E, N>, EditError<P, E>> {
        let normal = self.check_cut(point, surface.normal, snap)?;
        let star: Vec<u32> = self.incidence.of(point.raw()).to_vec();
        let surface = CutSurface { normal, ..*surface };
        let classified = self.classify_star(point, &surface, current, snap, &star);
        if let Some(lost) = classified.iter().find(|classified| !classified.distance.is_finite()) {
            return Err(EditError::OutOfRange {
                what: "the distance of a point from the plane",
                value: lost.distance,
                range: "finite",
            });
        }
        let first_new = self.positions.len() as u32;
        let mut patch = Patch::new(Inheritance::Parent);
        patch.points.push(Blend::at(point));
        let edges = self.cut_edges(point, &star, &classified, &mut patch);
        let mut affected = star.clone();
        for edge in &edges {
            affected.extend(self.elements_with(&edge.ends));
        }
        affected.sort_unstable();
        affected.dedup();

        let mut found = [false; 2];
        let mut parts: Vec<[u32; N]> = Vec::new();
        for &element in &affected {
            let old = self.elements[element as usize];
            subdivide(old, &edges, &mut parts);
            patch.removed.push(E::new(element));
            for part in &mut parts {
                if old.contains(&point.raw()) {
                    match side_of_part(part, &classified) {
                        Side::Positive => found[0] = true,
                        Side::Negative => {
                            found[1] = true;
                            take_negative_points(part, point.raw(), first_new, &edges);
                        }
                    }
                }
                patch.added.push(NewElement {
                    points: part.map(P::new),
                    parent: E::new(element),
                    facets: facets_within(E::new(element), &old, part, first_new, &patch.points),
                });
            }
        }
        match found {
            [false, _] => Err(EditError::SideEmpty { point, side: Side::Positive }),
            [_, false] => Err(EditError::SideEmpty { point, side: Side::Negative }),
            _ => Ok(patch),
        }
    }

    fn check_cut(&self, point: P, normal: Vec3, snap: Snap) -> Result<Vec3, EditError<P, E>> {
        self.check_point(point)?;
        for (what, value) in [("the snapping distance", snap.distance), ("the snapping angle", snap.angle)] {
            if value.is_nan() || value < 0.0 {
                return Err(EditError::OutOfRange { what, value, range: "at least 0" });
            }
        }
        let length = normal.norm();
        if !(length > 0.0 && length.is_finite()) {
            return Err(EditError::OutOfRange {
                what: "the length of the plane's normal",
                value: length,
                range: "above 0",
            });
        }
        Ok(normal / length)
    }

    /// Classifies the points of the star, ascending, without the cut point.
    fn classify_star(
        &self,
        point: P,
        surface: &CutSurface<P>,
        current: impl Fn(P) -> Vec3,
        snap: Snap,
        star: &[u32],
    ) -> Vec<ClassifiedPoint> {
        let mut points: Vec<u32> = star.iter().flat_map(|&element| self.elements[element as usize]).collect();
        points.sort_unstable();
        points.dedup();
        points.retain(|&other| other != point.raw());
        let centre = current(point);
        let separating_normal = surface.separating_normal();
        let tip = separating_normal.and(surface.tip.as_ref());
        let behind = tip.and_then(|tip| tip.normal.try_normalize(0.0));
        let classify = |other: u32| {
            let line = current(P::new(other)) - centre;
            let is_behind = separating_normal.is_some_and(|separating_normal| line.dot(&separating_normal) > 0.0);
            let normal = behind.filter(|_| is_behind).unwrap_or(surface.normal);
            let distance = line.dot(&normal);
            let face = tip.filter(|_| is_behind).and_then(|tip| {
                let index = tip.face_points.binary_search_by_key(&P::new(other), |(point, _)| *point).ok()?;
                Some(tip.face_points[index].1)
            });
            if let Some(face) = face {
                let sign = if face == Side::Positive { 1.0 } else { -1.0 };
                return ClassifiedPoint { point: other, distance: sign * distance.abs(), side: None };
            }
            let away = distance.abs();
            let angle = away.atan2((line - normal * distance).norm());
            let side = match distance {
                _ if away <= snap.distance || angle <= snap.angle => None,
                above if above > 0.0 => Some(Side::Positive),
                below if below < 0.0 => Some(Side::Negative),
                _ => None,
            };
            ClassifiedPoint { point: other, distance, side }
        };
        points.into_iter().map(classify).collect()
    }

    /// The cut edges in descending order of their ids. Adds their new points to the patch.
    fn cut_edges(
        &self,
        point: P,
        star: &[u32],
        classified: &[ClassifiedPoint],
        patch: &mut Patch<P, E, N>,
    ) -> Vec<CutEdge> {
        let mut pairs: Vec<[u32; 2]> = Vec::new();
        for &element in star {
            let corners = self.elements[element as usize];
            for (index, &one) in corners.iter().enumerate() {
                for &other in &corners[index + 1..] {
                    let sides = [one, other].map(|end| find(classified, end).and_then(|classified| classified.side));
                    if let [Some(first), Some(second)] = sides
                        && first != second
                    {
                        pairs.push([one.min(other), one.max(other)]);
                    }
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        // New points are numbered in ascending order of their edges, independent of the order of
        // cutting.
        let first_new = self.positions.len() as u32;
        let mut edges: Vec<CutEdge> = (pairs.into_iter())
            .map(|ends| {
                let [start, end] = ends.map(|end| find(classified, end).map_or(0.0, |classified| classified.distance));
                let blend = Blend::on_edge(P::new(ends[0]), P::new(ends[1]), start / (start - end));
                let middle = first_new + patch.points.len() as u32;
                patch.points.push(blend);
                let reaches_boundary =
                    self.elements_with(&ends).all(|element| self.elements[element as usize].contains(&point.raw()));
                if reaches_boundary {
                    patch.points.push(blend);
                }
                CutEdge { ends, middle: [middle, middle + u32::from(reaches_boundary)] }
            })
            .collect();
        edges.reverse();
        edges
    }
}

fn find(classified: &[ClassifiedPoint], point: u32) -> Option<&ClassifiedPoint> {
    classified.binary_search_by_key(&point, |classified| classified.point).ok().map(|index| &classified[index])
}

fn subdivide<const N: usize>(element: [u32; N], edges: &[CutEdge], parts: &mut Vec<[u32; N]>) {
    parts.clear();
    parts.push(element);
    for CutEdge { ends, middle } in edges {
        if !ends.iter().all(|end| element.contains(end)) {
            continue;
        }
        for index in 0..parts.len() {
            let part = parts[index];
            if ends.iter().all(|end| part.contains(end)) {
                let without = |end: u32| part.map(|point| if point == end { middle[0] } else { point });
                parts[index] = without(ends[1]);
                parts.push(without(ends[0]));
            }
        }
    }
}

/// The side of a part of an element of the star. It has no points on both sides; a part with all
/// points in the plane belongs to the side with most of it.
fn side_of_part<const N: usize>(part: &[u32; N], classified: &[ClassifiedPoint]) -> Side {
    let known = || part.iter().filter_map(|&point| find(classified, point));
    known().find_map(|classified| classified.side).unwrap_or_else(|| {
        if known().map(|classified| classified.distance).sum::<f64>() < 0.0 { Side::Negative } else { Side::Positive }
    })
}

fn take_negative_points<const N: usize>(part: &mut [u32; N], point: u32, copy: u32, edges: &[CutEdge]) {
    for corner in part {
        if *corner == point {
            *corner = copy;
        } else if let Some(edge) = edges.iter().find(|edge| edge.middle[0] == *corner) {
            *corner = edge.middle[1];
        }
    }
}
