//! Isotropic remeshing to a uniform edge length.
//!
//! Botsch & Kobbelt 2004, "A Remeshing Approach to Multiresolution Modeling", section 4: split
//! edges longer than 4/3 of the length, collapse those shorter than 4/5, flip toward valence 6,
//! relax vertices tangentially and project them onto the source; repeat. Feature lines are split
//! and collapsed along themselves only.

use craze_math::Vec3;
use craze_math::triangle::{area_vector, centroid};
use craze_mesh::{
    ElementRule, Inherit, PointRule, TriMesh, TriangleId, Values, VertexId, morton_order, triangle_quality,
};
use craze_spatial::closest_on_triangle;
use rayon::prelude::*;

use super::SheetError;
use super::error::MAX_TRIANGLES;
use super::lines::{Original, VertexClass};

/// Rounds of all four steps.
const ROUNDS: usize = 8;
/// Mean edge length of the result over the nominal length.
const MEAN_EDGE_RATIO: f64 = 1.04;
/// Largest distance of collapsed edges from the source, over the length.
const MAX_COLLAPSE_DISTANCE: f64 = 0.15;
/// Vertices per parallel chunk.
const VERTICES_PER_CHUNK: usize = 4096;

/// Mesh attributes during remeshing.
const CHAIN: &str = "chain";
const PATCH: &str = "patch";
const VERTEX_CLASS: &str = "vertex_class";

pub(super) struct Remeshed {
    pub(super) mesh: TriMesh,
    pub(super) patch_of: Vec<u32>,
    /// The chain of each side, from 1; 0 for none.
    pub(super) chain_of_side: Vec<u32>,
}

impl Remeshed {
    /// Edges on feature lines other than the rim.
    pub(super) fn inner_lines(&self) -> Vec<[VertexId; 2]> {
        let sides = self.mesh.element_ids().flat_map(|triangle| (0..3).map(move |corner| (triangle, corner)));
        sides
            .filter(|&(triangle, corner)| {
                self.chain_of_side[triangle.index() * 3 + corner] != 0
                    && self.mesh.neighbour(triangle, corner).is_some()
            })
            .map(|(triangle, corner)| {
                let corners = self.mesh.points_of(triangle);
                [corners[(corner + 1) % 3], corners[(corner + 2) % 3]]
            })
            .collect()
    }
}

pub(super) fn remesh(mesh: TriMesh, original: &Original, edge: f64) -> Result<Remeshed, SheetError> {
    let mut remesher = Remesher::new(mesh, original, edge / MEAN_EDGE_RATIO)?;
    for round in 0..ROUNDS {
        remesher.split_long()?;
        remesher.collapse_short();
        if round == 0 {
            // The mesh now has about its final size; the order improves memory locality and cannot
            // be refused.
            remesher.mesh.renumber(&morton_order(remesher.mesh.positions(), remesher.mesh.elements())).ok();
        }
        remesher.flip_to_valence();
        remesher.relax();
        if round + 2 >= ROUNDS {
            remesher.flip_to_angle();
            remesher.relax();
        }
    }
    remesher.flip_to_angle();
    Ok(remesher.finish())
}

struct Remesher<'a> {
    mesh: TriMesh,
    original: &'a Original,
    length: f64,
}

impl<'a> Remesher<'a> {
    fn new(mut mesh: TriMesh, original: &'a Original, length: f64) -> Result<Self, SheetError> {
        let vertex_classes = original.vertex_classes.iter().map(|&vertex_class| vertex_class as u32).collect();
        let columns = [
            mesh.point_attributes_mut().add(VERTEX_CLASS, PointRule::Heaviest, Values::Labels(vertex_classes)),
            mesh.element_attributes_mut().add(PATCH, ElementRule::Copy, Values::Labels(original.patch_of.clone())),
            mesh.facet_attributes_mut().add(CHAIN, Inherit, Values::Labels(original.chain_of_side.clone())),
        ];
        for column in columns {
            column.map_err(craze_mesh::TriMeshError::from)?;
        }
        Ok(Self { mesh, original, length })
    }

    fn finish(mut self) -> Remeshed {
        let labels = |values: Option<Values>| match values {
            Some(Values::Labels(labels)) => labels,
            _ => Vec::new(),
        };
        self.mesh.point_attributes_mut().remove(VERTEX_CLASS);
        let patch_of = labels(self.mesh.element_attributes_mut().remove(PATCH));
        let chain_of_side = labels(self.mesh.facet_attributes_mut().remove(CHAIN));
        Remeshed { mesh: self.mesh, patch_of, chain_of_side }
    }

    fn vertex_class(&self, vertex: VertexId) -> VertexClass {
        match self.mesh.point_attributes().labels(VERTEX_CLASS).map(|labels| labels[vertex.index()]) {
            Some(0) => VertexClass::Surface,
            Some(1) => VertexClass::Line,
            _ => VertexClass::Corner,
        }
    }

    /// The chain of a side, equal on both sides.
    fn chain(&self, triangle: TriangleId, corner: usize) -> u32 {
        self.mesh.facet_attributes().labels(CHAIN).map_or(0, |chains| chains[triangle.index() * 3 + corner])
    }

    fn chain_between(&self, one: VertexId, other: VertexId) -> u32 {
        for triangle in self.mesh.elements_of(one) {
            let corners = self.mesh.points_of(triangle);
            if corners.contains(&other)
                && let Some(corner) = (0..3).find(|&corner| corners[corner] != one && corners[corner] != other)
            {
                return self.chain(triangle, corner);
            }
        }
        0
    }

    fn distance(&self, one: VertexId, other: VertexId) -> f64 {
        (self.mesh.position(one) - self.mesh.position(other)).norm()
    }

    /// Splits edges longer than 4/3 of the length at their midpoints, the longest first.
    fn split_long(&mut self) -> Result<(), SheetError> {
        let limit = 4.0 / 3.0 * self.length;
        // The bits of non-negative floats are ordered like their values.
        let entry = |remesher: &Self, [a, b]: [VertexId; 2]| (remesher.distance(a, b).to_bits(), [a, b]);
        let mut queue: std::collections::BinaryHeap<(u64, [VertexId; 2])> = self
            .mesh
            .edges()
            .into_iter()
            .map(|ends| entry(self, ends))
            .filter(|e| f64::from_bits(e.0) > limit)
            .collect();
        while let Some((_, [a, b])) = queue.pop() {
            // Splits do not renumber vertices; a missing edge was split.
            let chain = self.chain_between(a, b);
            let Ok(edit) = self.mesh.split_edge(a, b, 0.5) else { continue };
            let Some(middle) = edit.points_added.first().map(|added| added.point) else { continue };
            let vertex_class = if chain == 0 { VertexClass::Surface } else { VertexClass::Line };
            if let Some(labels) = self.mesh.point_attributes_mut().labels_mut(VERTEX_CLASS) {
                labels[middle.index()] = vertex_class as u32;
            }
            if self.mesh.element_count() as f64 > MAX_TRIANGLES {
                let count = self.mesh.element_count() as f64;
                return Err(SheetError::TooFine { edge: self.length * MEAN_EDGE_RATIO, count, limit: MAX_TRIANGLES });
            }
            for other in neighbours(&self.mesh, middle) {
                let next = entry(self, [middle, other]);
                if f64::from_bits(next.0) > limit {
                    queue.push(next);
                }
            }
        }
        Ok(())
    }

    /// Collapses edges shorter than 4/5 of the length, the shortest of each vertex first. A vertex
    /// renumbered to an earlier index waits for the next round.
    fn collapse_short(&mut self) {
        let mut vertex = 0;
        while vertex < self.mesh.point_count() {
            let here = VertexId(vertex as u32);
            let mut short: Vec<(u64, VertexId)> = neighbours(&self.mesh, here)
                .into_iter()
                .map(|other| (self.distance(here, other).to_bits(), other))
                .filter(|entry| f64::from_bits(entry.0) < 0.8 * self.length)
                .collect();
            short.sort_unstable();
            let collapsed = short.iter().any(|&(_, other)| self.collapse(here, other) || self.collapse(other, here));
            vertex += usize::from(!collapsed);
        }
    }

    /// Collapses an edge if that keeps lines and shape and makes no edge too long.
    fn collapse(&mut self, kept: VertexId, removed: VertexId) -> bool {
        let parameter = match (self.vertex_class(kept), self.vertex_class(removed)) {
            (_, VertexClass::Corner) => return false,
            (VertexClass::Surface, VertexClass::Surface) => 0.5,
            (_, VertexClass::Surface) => 0.0,
            (VertexClass::Surface, VertexClass::Line) => return false,
            (onto, VertexClass::Line) => {
                if self.chain_between(kept, removed) == 0 {
                    return false;
                }
                if onto == VertexClass::Line { 0.5 } else { 0.0 }
            }
        };
        let mut position = self.mesh.position(kept).lerp(&self.mesh.position(removed), parameter);
        let mut at = parameter;
        // On a straight line this keeps it straight; relaxation corrects curved ones.
        for end in [kept, removed] {
            let far = neighbours(&self.mesh, end).into_iter().any(|other| {
                other != kept
                    && other != removed
                    && (self.mesh.position(other) - position).norm() > 4.0 / 3.0 * self.length
            });
            if far {
                return false;
            }
        }
        if self.merges_feature_line(kept, removed) {
            return false;
        }
        if !self.keeps_shape(kept, removed, position) {
            if parameter != 0.5 {
                return false;
            }
            (position, at) = (self.mesh.position(kept), 0.0);
            if !self.keeps_shape(kept, removed, position) {
                return false;
            }
        }
        let marked = self.mark_joining_lines(kept, removed);
        let collapsed = self.mesh.collapse_edge(kept, removed, at, f64::INFINITY).is_ok();
        if !collapsed {
            self.set_chains(marked.into_iter().map(|(side, _)| (side, 0)));
        }
        collapsed
    }

    /// The other two sides of a vanishing triangle become one edge. If one lies on a chain, the
    /// neighbour across the other is marked too, since the marked one may vanish next.
    fn mark_joining_lines(&mut self, kept: VertexId, removed: VertexId) -> Vec<(usize, u32)> {
        let mut marks = Vec::new();
        for triangle in self.mesh.elements_of(kept) {
            let corners = self.mesh.points_of(triangle);
            let [Some(at_kept), Some(at_removed)] =
                [kept, removed].map(|end| corners.iter().position(|&corner| corner == end))
            else {
                continue;
            };
            let chain = self.chain(triangle, at_removed);
            if chain != 0 {
                marks.extend(opposite_side(&self.mesh, triangle, at_kept).map(|side| (side, chain)));
            }
        }
        self.set_chains(marks.iter().copied());
        marks
    }

    fn set_chains(&mut self, marks: impl Iterator<Item = (usize, u32)>) {
        if let Some(labels) = self.mesh.facet_attributes_mut().labels_mut(CHAIN) {
            marks.for_each(|(side, chain)| labels[side] = chain);
        }
    }

    /// Whether a vanishing triangle has a feature line through the removed vertex, which the
    /// collapse would displace.
    fn merges_feature_line(&self, kept: VertexId, removed: VertexId) -> bool {
        self.mesh.elements_of(removed).any(|triangle| {
            let corners = self.mesh.points_of(triangle);
            let opposite = corners.iter().position(|&corner| corner == kept);
            opposite.is_some_and(|corner| self.chain(triangle, corner) != 0)
        })
    }

    /// Whether no triangle rotates by more than 45° or becomes a sliver when both ends move to
    /// `position`, and the surface stays near the source.
    fn keeps_shape(&self, kept: VertexId, removed: VertexId, position: Vec3) -> bool {
        let mut star: Vec<(TriangleId, [Vec3; 3])> = Vec::with_capacity(12);
        let mut normal_sum = Vec3::zeros();
        for end in [kept, removed] {
            for triangle in self.mesh.elements_of(end) {
                let points = self.mesh.points_of(triangle);
                let before = self.mesh.corners(triangle);
                let old = area_vector(&before);
                normal_sum += old;
                if points.contains(&kept) && points.contains(&removed) {
                    continue;
                }
                let after: [Vec3; 3] = std::array::from_fn(|k| if points[k] == end { position } else { before[k] });
                let new = area_vector(&after);
                let quality = quality_of(&after);
                if !(quality > 0.1 || quality > quality_of(&before)) || !(old.dot(&new) > 0.7 * old.norm() * new.norm())
                {
                    return false;
                }
                star.push((triangle, after));
            }
        }
        let is_flat = star.iter().all(|(_, after)| {
            let new = area_vector(after);
            new.dot(&normal_sum) > 0.985 * new.norm() * normal_sum.norm()
        });
        is_flat || self.stays_near(&star, [kept, removed].map(|end| self.mesh.position(end)))
    }

    /// Whether the changed triangles are near the old vertices and the source.
    fn stays_near(&self, star: &[(TriangleId, [Vec3; 3])], vertices: [Vec3; 2]) -> bool {
        let limit = MAX_COLLAPSE_DISTANCE * self.length;
        let near_star = |vertex: &Vec3| {
            star.iter().any(|(_, after)| (closest_on_triangle(vertex, after).0 - vertex).norm() <= limit)
        };
        vertices.iter().all(near_star)
            && star.iter().all(|(triangle, after)| {
                self.original.closest_on_patch(self.patch(*triangle), &centroid(after), limit).is_some()
            })
    }

    fn patch(&self, triangle: TriangleId) -> u32 {
        self.mesh.element_attributes().labels(PATCH).map_or(0, |labels| labels[triangle.index()])
    }

    /// Flips edges if that brings valences closer to 6, or 4 on the rim.
    fn flip_to_valence(&mut self) {
        self.flip_where(|remesher, vertices| {
            let deviation = |change: i32, vertex: VertexId| {
                let triangles = remesher.mesh.elements_of(vertex).len() as i32;
                let on_rim = remesher.vertex_class(vertex) != VertexClass::Surface && is_on_rim(&remesher.mesh, vertex);
                // On the rim there is one more edge than triangles.
                let (edges, wanted) = if on_rim { (triangles + 1, 4) } else { (triangles, 6) };
                (edges + change - wanted).abs()
            };
            let [start, end, one, other] = vertices;
            let before = deviation(0, start) + deviation(0, end) + deviation(0, one) + deviation(0, other);
            let after = deviation(-1, start) + deviation(-1, end) + deviation(1, one) + deviation(1, other);
            let quad = (after < before).then(|| Quad::new(&remesher.mesh, vertices))?;
            (quad.quality_after > 0.3 || quad.quality_after >= quad.quality_before).then_some(quad)
        });
    }

    /// Flips edges if that improves the worse triangle.
    fn flip_to_angle(&mut self) {
        self.flip_where(|remesher, vertices| {
            let quad = Quad::new(&remesher.mesh, vertices);
            (quad.quality_after > quad.quality_before * (1.0 + 1e-9)).then_some(quad)
        });
    }

    /// Flips interior edges off feature lines if `wanted` (given the edge's ends and the opposite
    /// vertices) returns a quad and the surface is kept.
    fn flip_where(&mut self, wanted: impl Fn(&Self, [VertexId; 4]) -> Option<Quad>) {
        for triangle in (0..self.mesh.element_count() as u32).map(TriangleId) {
            for corner in 0..3 {
                let Some(behind) = self.mesh.neighbour(triangle, corner).filter(|&behind| behind > triangle) else {
                    continue;
                };
                let corners = self.mesh.points_of(triangle);
                let [apex, start, end] = [0, 1, 2].map(|step| corners[(corner + step) % 3]);
                let far = self.mesh.points_of(behind).into_iter().find(|&vertex| vertex != start && vertex != end);
                let Some(far) = far else { continue };
                if self.chain(triangle, corner) != 0 {
                    continue;
                }
                let vertices = [start, end, apex, far];
                let Some(quad) = wanted(self, vertices) else { continue };
                if self.stays_on_surface(triangle, vertices, quad.bend) && self.mesh.flip_edge(start, end).is_ok() {
                    break;
                }
            }
        }
    }

    /// Whether the other diagonal is about as close to the source; measured only where the surface
    /// is bent.
    fn stays_on_surface(&self, triangle: TriangleId, [start, end, one, other]: [VertexId; 4], bend: f64) -> bool {
        if bend > 0.995 {
            return true;
        }
        if bend < 0.5 {
            return false;
        }
        let patch = self.patch(triangle);
        let off = |a: VertexId, b: VertexId| {
            let middle = (self.mesh.position(a) + self.mesh.position(b)) * 0.5;
            self.original
                .closest_on_patch(patch, &middle, self.length)
                .map_or(f64::INFINITY, |c| c.distance_squared.sqrt())
        };
        let after = off(one, other);
        after <= 0.03 * self.length || after <= off(start, end)
    }

    /// Moves vertices toward the centroid of their neighbourhood, tangentially or along their line,
    /// and projects them onto the source. Positions are computed in parallel and applied in order.
    fn relax(&mut self) {
        let count = self.mesh.point_count();
        let chunks: Vec<Vec<Option<Vec3>>> = (0..count.div_ceil(VERTICES_PER_CHUNK))
            .into_par_iter()
            .map(|chunk| {
                let vertices = chunk * VERTICES_PER_CHUNK..count.min((chunk + 1) * VERTICES_PER_CHUNK);
                vertices.map(|vertex| self.relaxed(VertexId(vertex as u32))).collect()
            })
            .collect();
        for (vertex, position) in chunks.into_iter().flatten().enumerate() {
            let Some(position) = position else { continue };
            let vertex = VertexId(vertex as u32);
            if self.distorts(vertex, position) {
                continue;
            }
            // A refused move changes nothing.
            self.mesh.move_point(vertex, position).ok();
        }
    }

    /// Whether a triangle at a vertex would rotate by more than 45° or become a sliver.
    fn distorts(&self, vertex: VertexId, position: Vec3) -> bool {
        self.mesh.elements_of(vertex).any(|triangle| {
            let before = self.mesh.corners(triangle);
            let points = self.mesh.points_of(triangle);
            let after: [Vec3; 3] = std::array::from_fn(|k| if points[k] == vertex { position } else { before[k] });
            let (old, new) = (area_vector(&before), area_vector(&after));
            let poor = quality_of(&after) < 0.3 && quality_of(&after) < quality_of(&before);
            poor || old.dot(&new) < 0.7 * old.norm() * new.norm()
        })
    }

    fn relaxed(&self, vertex: VertexId) -> Option<Vec3> {
        let here = self.mesh.position(vertex);
        match self.vertex_class(vertex) {
            VertexClass::Corner => None,
            VertexClass::Line => {
                let mut line = neighbours(&self.mesh, vertex).into_iter().filter_map(|other| {
                    let chain = self.chain_between(vertex, other);
                    (chain != 0).then_some((other, chain))
                });
                let ((one, chain), (other, _)) = (line.next()?, line.next()?);
                let middle = (self.mesh.position(one) + self.mesh.position(other)) * 0.5;
                self.original.closest_on_chain(chain, &middle, 2.0 * self.length)
            }
            VertexClass::Surface => {
                let (mut middle, mut areas, mut normal) = (Vec3::zeros(), 0.0, Vec3::zeros());
                for triangle in self.mesh.elements_of(vertex) {
                    let corners = self.mesh.corners(triangle);
                    let vector = area_vector(&corners);
                    let area = vector.norm();
                    middle += centroid(&corners) * area;
                    areas += area;
                    normal += vector;
                }
                let patch = self.patch(self.mesh.elements_of(vertex).next()?);
                let offset = middle / areas - here;
                let normal = normal.try_normalize(0.0)?;
                let tangential = here + offset - normal * offset.dot(&normal);
                self.original.closest_on_patch(patch, &tangential, 2.0 * self.length).map(|closest| closest.point)
            }
        }
    }
}

/// Two triangles at an interior edge.
struct Quad {
    /// Cosine of the angle between their normals.
    bend: f64,
    /// Quality of the worse triangle before and after a flip; negative if inverted.
    quality_before: f64,
    quality_after: f64,
}

impl Quad {
    /// The triangles at an edge, given its ends and the opposite vertices.
    fn new(mesh: &TriMesh, vertices: [VertexId; 4]) -> Self {
        let [p, q, a, b] = vertices.map(|vertex| mesh.position(vertex));
        let [one, other] = [area_vector(&[a, p, q]), area_vector(&[b, q, p])];
        let normal_sum = one + other;
        let signed =
            |corners: [Vec3; 3]| if area_vector(&corners).dot(&normal_sum) > 0.0 { quality_of(&corners) } else { -1.0 };
        Self {
            bend: one.dot(&other) / (one.norm() * other.norm()),
            quality_before: signed([a, p, q]).min(signed([b, q, p])),
            quality_after: signed([p, b, a]).min(signed([q, a, b])),
        }
    }
}

/// Quality from 0 (flat) to 1 (equilateral): area over squared edges.
fn quality_of([a, b, c]: &[Vec3; 3]) -> f64 {
    let squares = (b - a).norm_squared() + (c - b).norm_squared() + (a - c).norm_squared();
    let quality = 48f64.sqrt() * area_vector(&[*a, *b, *c]).norm() / squares;
    if quality.is_nan() { 0.0 } else { quality }
}

/// The same edge seen from the neighbour, as triangle · 3 + corner.
fn opposite_side(mesh: &TriMesh, triangle: TriangleId, corner: usize) -> Option<usize> {
    let behind = mesh.neighbour(triangle, corner)?;
    let back = (0..3).find(|&back| mesh.neighbour(behind, back) == Some(triangle))?;
    Some(behind.index() * 3 + back)
}

fn neighbours(mesh: &TriMesh, vertex: VertexId) -> Vec<VertexId> {
    let mut others: Vec<VertexId> = mesh
        .elements_of(vertex)
        .flat_map(|triangle| mesh.points_of(triangle))
        .filter(|&other| other != vertex)
        .collect();
    others.sort_unstable();
    others.dedup();
    others
}

fn is_on_rim(mesh: &TriMesh, vertex: VertexId) -> bool {
    mesh.elements_of(vertex).any(|triangle| {
        let corners = mesh.points_of(triangle);
        (0..3).any(|corner| corners[corner] != vertex && mesh.neighbour(triangle, corner).is_none())
    })
}

pub(super) fn mean_edge_and_smallest_angle(mesh: &TriMesh) -> (f64, f64) {
    let edges = mesh.edges();
    let length: f64 = edges.iter().map(|ends| (mesh.position(ends[0]) - mesh.position(ends[1])).norm()).sum();
    let angle = |triangle: TriangleId| triangle_quality(&mesh.corners(triangle)).smallest_angle;
    (length / edges.len().max(1) as f64, mesh.element_ids().map(angle).fold(f64::INFINITY, f64::min))
}
