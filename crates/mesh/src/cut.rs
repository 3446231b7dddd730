//! Plane cut of a star: how a crack opens at a point (O'Brien & Hodgins 1999, §4.3, Figs. 7 and 8).
//!
//! The plane passes through the point. Which side of it a point of the star lies on, or whether it counts as lying in it,
//! is decided once for each point, before anything is cut; a cut edge is one whose ends lie on opposite sides. The
//! elements around the cut edges, in the star and beside it, are then subdivided edge by edge in descending order of
//! the edges' sorted ids. In a triangle with two cut edges the order decides the diagonal of the quadrilateral that is
//! left: the edge split first owns it. Of two edges `(a, b)` and `(a, c)` with `b < c` the descending order takes
//! `(a, c)` first, so that the diagonal starts at `b`, the lowest id of the quadrilateral (new points have higher ids than
//! old ones). Both elements at a facet see the same edges in the same order and agree.
//!
//! At last the elements of the star behind the plane take the copy of the point, and with it the crack is open. A cut
//! edge all of whose elements belong to the star gets two points, one a side: there the crack reaches the boundary.

use crate::edit::{Edit, Inheritance};
use crate::error::{EditError, Side};
use crate::id::Id;
use crate::measure::Measure;
use crate::mesh::SimplexMesh;
use crate::patch::{Blend, NewElement, Patch, facets_within};
use craze_math::Vec3;

/// When a point counts as lying in the plane; either condition is enough (O'Brien & Hodgins 1999, §4.3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Snap {
    /// Up to this distance (m) from the plane. The paper uses 5 mm.
    pub distance: f64,
    /// Up to this angle (rad) between the plane and the line from the cut point. The paper uses 0.1.
    pub angle: f64,
}

impl Snap {
    /// Only points that lie exactly in the plane.
    pub const NEVER: Self = Self { distance: 0.0, angle: 0.0 };
    /// The thresholds of O'Brien & Hodgins 1999: 5 mm and 0.1 rad.
    pub const PAPER: Self = Self { distance: 0.005, angle: 0.1 };
}

/// Where a star is cut: in a plane through the point, or, if a crack ends there, in two half planes that meet at the point, the crack's own and a new
/// one ahead. A plane that goes on behind the tip of a crack would cut what the crack has passed by already (the back-cracking of O'Brien &
/// Hodgins 1999, Figure 12 b).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutSurface<'a, P> {
    /// Normal of the plane ahead.
    pub normal: Vec3,
    /// The crack that ends at the point, if there is one.
    pub tail: Option<Tail<'a, P>>,
}

/// A crack that ends at a point, as it looks from there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tail<'a, P> {
    /// Its normal, out of the side that lies behind the plane ahead.
    pub normal: Vec3,
    /// Where it comes from.
    pub back: Vec3,
    /// Points of the star on its lips, ascending, with the side of the lip. They lie in it, however rough it is.
    pub lips: &'a [(P, Side)],
}

/// How far a crack turns at least (sine of the angle) before what it left behind could be cut by the plane ahead.
const TURN: f64 = 0.2;
/// How straight back the tail has to point (cosine of the angle to the square of the hinge): one that is only twisted has no behind.
const STRAIGHT: f64 = 0.7;

impl<P: Copy + Ord> CutSurface<'_, P> {
    /// A plane.
    pub fn plane(normal: Vec3) -> Self {
        CutSurface { normal, tail: None }
    }

    /// The normal of the plane that divides what is ahead of the tip from what is behind, pointing back. Nothing if the crack goes straight on, or is
    /// twisted, or turns back: then the plane ahead is all.
    fn division(&self) -> Option<Vec3> {
        let tail = self.tail.as_ref()?;
        let (ahead, behind) = (self.normal.try_normalize(0.0)?, tail.normal.try_normalize(0.0)?);
        let hinge = behind.cross(&ahead);
        if !(hinge.norm() > TURN && behind.dot(&ahead) > TURN) {
            return None;
        }
        let (hinge, back) = (hinge.normalize(), tail.back.try_normalize(0.0)?);
        // Both half planes as seen from the hinge; turning about it takes one normal to the other, and so these.
        let [one, other] = [behind, ahead].map(|normal| hinge.cross(&normal));
        let along = one.dot(&back);
        (along.abs() > STRAIGHT).then(|| along.signum() * (one + other))
    }
}

/// A point of the star and where it lies.
struct Placed {
    point: u32,
    /// Signed distance from the surface (m), as measured.
    distance: f64,
    /// `None` if it counts as lying in the plane.
    side: Option<Side>,
}

/// An edge that the plane cuts.
struct CutEdge {
    ends: [u32; 2],
    /// Place in the patch of its new point, and of the one for the negative side.
    middle: [u32; 2],
}

impl<P: Id, E: Id, const N: usize> SimplexMesh<P, E, N>
where
    [Vec3; N]: Measure,
{
    /// Cuts the elements at `point` by the plane through it with the given normal and parts the two sides.
    ///
    /// The plane is one of the current configuration: `current` holds a position (m) for each point, in which sides and
    /// cut places are measured (pass [`Self::positions`] for the rest state). New points divide their edges in the
    /// rest state as they do in the current one. The positive side keeps `point`; the negative side takes the first of
    /// [`Edit::points_added`]. The crack's facets are in [`Edit::crack`], the positive side first.
    ///
    /// Elements that hang together in a point or an edge only may be left; [`Self::part_at_points`] with
    /// [`Self::crack_points`] parts them.
    ///
    /// Refused, with the mesh unchanged, if the plane leaves one side empty, or if an element would be so thin that it
    /// has no volume or area in floating point.
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

    /// The patch by which [`Self::cut_star`] would cut, so that a caller may look at the elements it makes before
    /// it lets [`Self::replace`] have it; along a surface that may be bent at the point. `current` gives the position (m) of a point of
    /// the star.
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
        let placed = self.place_star(point, &surface, current, snap, &star);
        if let Some(lost) = placed.iter().find(|placed| !placed.distance.is_finite()) {
            return Err(EditError::OutOfRange {
                what: "the distance of a point from the plane",
                value: lost.distance,
                range: "within what a number can hold",
            });
        }
        let first_new = self.positions.len() as u32;
        let mut patch = Patch::new(Inheritance::Parent);
        patch.points.push(Blend::at(point));
        let edges = self.cut_edges(point, &star, &placed, &mut patch);
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
                    match side_of_part(part, &placed) {
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

    /// Checks what was given and makes the normal a unit vector.
    fn check_cut(&self, point: P, normal: Vec3, snap: Snap) -> Result<Vec3, EditError<P, E>> {
        self.check_point(point)?;
        for (what, value) in [("the snapping distance", snap.distance), ("the snapping angle", snap.angle)] {
            if value.is_nan() || value < 0.0 {
                return Err(EditError::OutOfRange { what, value, range: "at zero or above" });
            }
        }
        let length = normal.norm();
        if !(length > 0.0 && length.is_finite()) {
            return Err(EditError::OutOfRange {
                what: "the length of the plane's normal",
                value: length,
                range: "above zero",
            });
        }
        Ok(normal / length)
    }

    /// Where each point of the star lies, ascending by point. The cut point itself is not among them.
    fn place_star(
        &self,
        point: P,
        surface: &CutSurface<P>,
        current: impl Fn(P) -> Vec3,
        snap: Snap,
        star: &[u32],
    ) -> Vec<Placed> {
        let mut points: Vec<u32> = star.iter().flat_map(|&element| self.elements[element as usize]).collect();
        points.sort_unstable();
        points.dedup();
        points.retain(|&other| other != point.raw());
        let centre = current(point);
        let division = surface.division();
        let tail = division.and(surface.tail.as_ref());
        let behind = tail.and_then(|tail| tail.normal.try_normalize(0.0));
        let place = |other: u32| {
            let line = current(P::new(other)) - centre;
            let is_behind = division.is_some_and(|division| line.dot(&division) > 0.0);
            let normal = behind.filter(|_| is_behind).unwrap_or(surface.normal);
            let distance = line.dot(&normal);
            let lip = tail.filter(|_| is_behind).and_then(|tail| {
                let place = tail.lips.binary_search_by_key(&P::new(other), |(point, _)| *point).ok()?;
                Some(tail.lips[place].1)
            });
            if let Some(lip) = lip {
                let sign = if lip == Side::Positive { 1.0 } else { -1.0 };
                return Placed { point: other, distance: sign * distance.abs(), side: None };
            }
            let away = distance.abs();
            let angle = away.atan2((line - normal * distance).norm());
            let side = match distance {
                _ if away <= snap.distance || angle <= snap.angle => None,
                above if above > 0.0 => Some(Side::Positive),
                below if below < 0.0 => Some(Side::Negative),
                _ => None,
            };
            Placed { point: other, distance, side }
        };
        points.into_iter().map(place).collect()
    }

    /// The cut edges in descending order of their ids; their new points are added to the patch.
    fn cut_edges(&self, point: P, star: &[u32], placed: &[Placed], patch: &mut Patch<P, E, N>) -> Vec<CutEdge> {
        let mut pairs: Vec<[u32; 2]> = Vec::new();
        for &element in star {
            let corners = self.elements[element as usize];
            for (place, &one) in corners.iter().enumerate() {
                for &other in &corners[place + 1..] {
                    let sides = [one, other].map(|end| find(placed, end).and_then(|placed| placed.side));
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
        // New points are numbered in ascending order of their edges, whatever the order of cutting.
        let first_new = self.positions.len() as u32;
        let mut edges: Vec<CutEdge> = (pairs.into_iter())
            .map(|ends| {
                let [start, end] = ends.map(|end| find(placed, end).map_or(0.0, |placed| placed.distance));
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

fn find(placed: &[Placed], point: u32) -> Option<&Placed> {
    placed.binary_search_by_key(&point, |placed| placed.point).ok().map(|place| &placed[place])
}

/// Splits an element at each cut edge that it has, in the order of the edges.
fn subdivide<const N: usize>(element: [u32; N], edges: &[CutEdge], parts: &mut Vec<[u32; N]>) {
    parts.clear();
    parts.push(element);
    for CutEdge { ends, middle } in edges {
        if !ends.iter().all(|end| element.contains(end)) {
            continue;
        }
        for place in 0..parts.len() {
            let part = parts[place];
            if ends.iter().all(|end| part.contains(end)) {
                let without = |end: u32| part.map(|point| if point == end { middle[0] } else { point });
                parts[place] = without(ends[1]);
                parts.push(without(ends[0]));
            }
        }
    }
}

/// The side of a part of an element of the star. It never has points on both sides; a part that lies in the plane with
/// all its points goes to the side where most of it is.
fn side_of_part<const N: usize>(part: &[u32; N], placed: &[Placed]) -> Side {
    let known = || part.iter().filter_map(|&point| find(placed, point));
    known().find_map(|placed| placed.side).unwrap_or_else(|| {
        if known().map(|placed| placed.distance).sum::<f64>() < 0.0 { Side::Negative } else { Side::Positive }
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
