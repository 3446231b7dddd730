//! Feature lines, the patches between them, and attributes of the source surface.

use craze_math::triangle::area_vector;
use craze_math::{DisjointSets, Vec3};
use craze_mesh::{TriMesh, TriangleId, VertexId};
use craze_spatial::{Closest, TriangleTree};

use super::SheetError;

/// Constraint on a vertex during remeshing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VertexClass {
    /// Moves on the surface.
    Surface,
    /// Moves along its feature line.
    Line,
    /// Fixed: lines end, meet or bend sharply here.
    Corner,
}

/// Attributes of the input triangles.
pub(super) struct SourceAttributes {
    /// Texture coordinates of the corners; empty without texture.
    pub(super) texture: Vec<[[f64; 2]; 3]>,
    /// Material index; empty without materials.
    pub(super) materials: Vec<u32>,
}

/// The source surface, divided by feature lines into patches.
pub(super) struct Original {
    /// The chain of each side (triangle · 3 + opposite corner), from 1; 0 for none.
    pub(super) chain_of_side: Vec<u32>,
    pub(super) vertex_classes: Vec<VertexClass>,
    pub(super) patch_of: Vec<u32>,
    /// The segments of each chain as degenerate triangles.
    chains: Vec<TriangleTree>,
    patches: Vec<Patch>,
}

struct Patch {
    tree: TriangleTree,
    /// The mesh triangles, in the tree's order.
    triangles: Vec<u32>,
}

impl Original {
    /// Finds feature lines by the angle (rad) between neighbours, texture seams and materials.
    /// Sharp lines shorter than `shortest` (m) are ignored as wrinkles.
    pub(super) fn new(
        mesh: &TriMesh,
        attributes: &SourceAttributes,
        angle: f64,
        shortest: f64,
    ) -> Result<Self, SheetError> {
        let is_line = line_sides(mesh, attributes, angle, shortest);
        let vertex_classes = vertex_classes(mesh, &is_line, angle);
        let (chain_of_side, chain_edges) = chains(mesh, &is_line, &vertex_classes);
        let positions = mesh.positions();
        let tree = |triangles: &[[u32; 3]]| -> Result<TriangleTree, SheetError> {
            // Renumbered points keep small trees small.
            let mut points: Vec<u32> = triangles.iter().flatten().copied().collect();
            points.sort_unstable();
            points.dedup();
            let local = |point: u32| points.partition_point(|&other| other < point) as u32;
            let own_positions: Vec<Vec3> = points.iter().map(|&point| positions[point as usize]).collect();
            let triangles: Vec<[u32; 3]> = triangles.iter().map(|corners| corners.map(local)).collect();
            Ok(TriangleTree::new(&own_positions, &triangles).map_err(crate::error::ShapeError::from)?)
        };
        let chains = (chain_edges.iter())
            .map(|edges| tree(&edges.iter().map(|&[a, b]| [a, b, b]).collect::<Vec<_>>()))
            .collect::<Result<Vec<_>, _>>()?;
        let (patch_of, members) = patches(mesh, &chain_of_side);
        let patches = members
            .into_iter()
            .map(|triangles| {
                let corners: Vec<[u32; 3]> = triangles.iter().map(|&t| mesh.elements()[t as usize]).collect();
                Ok(Patch { tree: tree(&corners)?, triangles })
            })
            .collect::<Result<Vec<_>, SheetError>>()?;
        Ok(Self { chain_of_side, vertex_classes, patch_of, chains, patches })
    }

    pub(super) fn patch_count(&self) -> usize {
        self.patches.len()
    }

    /// The closest point of a chain (from 1) within `reach` (m).
    pub(super) fn closest_on_chain(&self, chain: u32, position: &Vec3, reach: f64) -> Option<Vec3> {
        let tree = self.chains.get((chain as usize).checked_sub(1)?)?;
        tree.closest_within(position, reach).map(|closest| closest.point)
    }

    /// The closest point of a patch within `reach` (m), with its triangle in the mesh.
    pub(super) fn closest_on_patch(&self, patch: u32, position: &Vec3, reach: f64) -> Option<Closest> {
        let patch = self.patches.get(patch as usize)?;
        let closest = patch.tree.closest_within(position, reach)?;
        Some(Closest { triangle: patch.triangles[closest.triangle as usize], ..closest })
    }
}

fn line_sides(mesh: &TriMesh, attributes: &SourceAttributes, angle: f64, shortest: f64) -> Vec<bool> {
    let mut is_line = vec![false; mesh.element_count() * 3];
    let mut sharp = Vec::new();
    let cosine = angle.cos();
    for triangle in mesh.element_ids() {
        for corner in 0..3 {
            let side = triangle.index() * 3 + corner;
            let Some(behind) = mesh.neighbour(triangle, corner) else {
                is_line[side] = true;
                continue;
            };
            if behind < triangle {
                continue;
            }
            let Some(back) = side_towards(mesh, behind, triangle) else { continue };
            let materials = !attributes.materials.is_empty()
                && attributes.materials[triangle.index()] != attributes.materials[behind.index()];
            if materials || has_texture_seam(mesh, attributes, [(triangle, corner), (behind, back)]) {
                (is_line[side], is_line[behind.index() * 3 + back]) = (true, true);
                continue;
            }
            let [one, other] = [triangle, behind].map(|t| area_vector(&mesh.corners(t)));
            if one.dot(&other) < cosine * one.norm() * other.norm() {
                sharp.push([side as u32, (behind.index() * 3 + back) as u32]);
            }
        }
    }
    for pair in long_lines(mesh, sharp, shortest, &is_line) {
        pair.iter().for_each(|&side| is_line[side as usize] = true);
    }
    is_line
}

/// Whether the texture coordinates differ across a side.
fn has_texture_seam(mesh: &TriMesh, attributes: &SourceAttributes, [one, other]: [(TriangleId, usize); 2]) -> bool {
    let Some(texture) = attributes.texture.get(one.0.index()) else { return false };
    let behind = &attributes.texture[other.0.index()];
    [1, 2].iter().any(|step| {
        let corner = (one.1 + step) % 3;
        let vertex = mesh.points_of(one.0)[corner];
        let twin = mesh.points_of(other.0).iter().position(|&candidate| candidate == vertex).unwrap_or(0);
        let gap = (0..2).map(|axis| (texture[corner][axis] - behind[twin][axis]).abs()).fold(0.0, f64::max);
        gap > 1e-5
    })
}

fn side_towards(mesh: &TriMesh, triangle: TriangleId, other: TriangleId) -> Option<usize> {
    (0..3).find(|&corner| mesh.neighbour(triangle, corner) == Some(other))
}

/// Sharp sides in components longer than `shortest` or connected with other lines.
fn long_lines(mesh: &TriMesh, sharp: Vec<[u32; 2]>, shortest: f64, is_line: &[bool]) -> Vec<[u32; 2]> {
    let ends = |side: u32| {
        let corners = mesh.elements()[side as usize / 3];
        [1, 2].map(|step| corners[(side as usize + step) % 3])
    };
    let mut chains = DisjointSets::new(mesh.point_count());
    for pair in &sharp {
        let [a, b] = ends(pair[0]);
        chains.join(a, b);
    }
    let mut lengths = vec![0.0; mesh.point_count()];
    for pair in &sharp {
        let [a, b] = ends(pair[0]);
        lengths[chains.root(a) as usize] += (mesh.positions()[a as usize] - mesh.positions()[b as usize]).norm();
    }
    for side in (0..is_line.len() as u32).filter(|&side| is_line[side as usize]) {
        for end in ends(side) {
            lengths[chains.root(end) as usize] += shortest;
        }
    }
    sharp.into_iter().filter(|pair| lengths[chains.root(ends(pair[0])[0]) as usize] >= shortest).collect()
}

/// Corners are vertices where not exactly two feature edges meet, or where a line bends by more
/// than the angle.
fn vertex_classes(mesh: &TriMesh, is_line: &[bool], angle: f64) -> Vec<VertexClass> {
    let mut others: Vec<Vec<u32>> = vec![Vec::new(); mesh.point_count()];
    for side in (0..is_line.len()).filter(|&side| is_line[side]) {
        let corners = mesh.elements()[side / 3];
        let [a, b] = [1, 2].map(|step| corners[(side + step) % 3]);
        others[a as usize].push(b);
        others[b as usize].push(a);
    }
    let position = |point: u32| mesh.position(VertexId(point));
    (others.iter_mut().enumerate())
        .map(|(vertex, others)| {
            others.sort_unstable();
            others.dedup();
            match others[..] {
                [] => VertexClass::Surface,
                [a, b] => {
                    let here = position(vertex as u32);
                    let (to, from) = (position(b) - here, here - position(a));
                    let straight = to.dot(&from) > angle.cos() * to.norm() * from.norm();
                    if straight { VertexClass::Line } else { VertexClass::Corner }
                }
                _ => VertexClass::Corner,
            }
        })
        .collect()
}

/// Chains of feature edges between corners (or closed loops), numbered from 1, and their edges.
fn chains(mesh: &TriMesh, is_line: &[bool], vertex_classes: &[VertexClass]) -> (Vec<u32>, Vec<Vec<[u32; 2]>>) {
    let mut edges: Vec<([u32; 2], u32)> = (0..is_line.len())
        .filter(|&side| is_line[side])
        .map(|side| {
            let corners = mesh.elements()[side / 3];
            let [a, b] = [1, 2].map(|step| corners[(side + step) % 3]);
            ([a.min(b), a.max(b)], side as u32)
        })
        .collect();
    edges.sort_unstable();
    let mut chains = DisjointSets::new(edges.len());
    let mut last = vec![u32::MAX; mesh.point_count()];
    for index in 0..edges.len() {
        if index > 0 && edges[index].0 == edges[index - 1].0 {
            chains.join(index as u32 - 1, index as u32);
            continue;
        }
        for end in edges[index].0 {
            if vertex_classes[end as usize] == VertexClass::Corner {
                continue;
            }
            let before = std::mem::replace(&mut last[end as usize], index as u32);
            if before != u32::MAX {
                chains.join(before, index as u32);
            }
        }
    }
    let mut chain_number = vec![0u32; edges.len()];
    let mut chain_of_side = vec![0u32; is_line.len()];
    let mut members: Vec<Vec<[u32; 2]>> = Vec::new();
    for index in 0..edges.len() {
        let root = chains.root(index as u32) as usize;
        if chain_number[root] == 0 {
            members.push(Vec::new());
            chain_number[root] = members.len() as u32;
        }
        chain_of_side[edges[index].1 as usize] = chain_number[root];
        if index == 0 || edges[index].0 != edges[index - 1].0 {
            members[chain_number[root] as usize - 1].push(edges[index].0);
        }
    }
    (chain_of_side, members)
}

/// The patch of each triangle, connected without crossing a feature line, and the members of each
/// patch.
fn patches(mesh: &TriMesh, chain_of_side: &[u32]) -> (Vec<u32>, Vec<Vec<u32>>) {
    let mut patch_of = vec![u32::MAX; mesh.element_count()];
    let mut members: Vec<Vec<u32>> = Vec::new();
    for start in 0..mesh.element_count() {
        if patch_of[start] != u32::MAX {
            continue;
        }
        let patch = members.len() as u32;
        patch_of[start] = patch;
        let mut found = vec![start as u32];
        let mut next = 0;
        while let Some(&triangle) = found.get(next) {
            next += 1;
            for corner in 0..3 {
                let Some(behind) = mesh.neighbour(TriangleId(triangle), corner) else { continue };
                if chain_of_side[triangle as usize * 3 + corner] == 0 && patch_of[behind.index()] == u32::MAX {
                    patch_of[behind.index()] = patch;
                    found.push(behind.0);
                }
            }
        }
        members.push(found);
    }
    (patch_of, members)
}
