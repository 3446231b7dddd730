//! Lines that remeshing keeps, the patches between them, and what the user's surface carried.

use craze_math::triangle::area_vector;
use craze_math::{DisjointSets, Vec3};
use craze_mesh::{TriMesh, TriangleId, VertexId};
use craze_spatial::{Closest, TriangleTree};

use super::SheetError;

/// What a vertex may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Freedom {
    /// Moves on the surface.
    Surface,
    /// Moves along its line.
    Line,
    /// Stays: where lines end, meet or turn sharply.
    Corner,
}

/// What is known of each triangle of the input, in the order of the mesh.
pub(super) struct Carried {
    /// Texture coordinates of the corners; empty where the model has none.
    pub(super) texture: Vec<[[f64; 2]; 3]>,
    /// Number of the material; empty where the model has none.
    pub(super) materials: Vec<u32>,
}

/// The user's surface as remeshing sees it: lines, and the patches between them.
pub(super) struct Original {
    /// The chain that each side (triangle · 3 + opposite corner) lies on, from 1; 0 for none.
    pub(super) chain_of_side: Vec<u32>,
    /// What each vertex may do.
    pub(super) freedoms: Vec<Freedom>,
    /// The patch of each triangle.
    pub(super) patch_of: Vec<u32>,
    /// The segments of each chain, as flat triangles in a tree.
    chains: Vec<TriangleTree>,
    patches: Vec<Patch>,
}

struct Patch {
    tree: TriangleTree,
    /// The triangles of the mesh, in the order of the tree's.
    triangles: Vec<u32>,
}

impl Original {
    /// Finds lines by the angle (rad) between neighbours, by breaks in the texture coordinates and by materials. Sharp
    /// edges that form less than `shortest` (m) of a line are wrinkles, no lines.
    pub(super) fn new(mesh: &TriMesh, carried: &Carried, angle: f64, shortest: f64) -> Result<Self, SheetError> {
        let is_line = line_sides(mesh, carried, angle, shortest);
        let freedoms = freedoms(mesh, &is_line, angle);
        let (chain_of_side, chain_edges) = chains(mesh, &is_line, &freedoms);
        let positions = mesh.positions();
        let tree = |triangles: &[[u32; 3]]| -> Result<TriangleTree, SheetError> {
            // A tree of its own points, so that many small ones stay small.
            let mut points: Vec<u32> = triangles.iter().flatten().copied().collect();
            points.sort_unstable();
            points.dedup();
            let local = |point: u32| points.partition_point(|&other| other < point) as u32;
            let places: Vec<Vec3> = points.iter().map(|&point| positions[point as usize]).collect();
            let triangles: Vec<[u32; 3]> = triangles.iter().map(|corners| corners.map(local)).collect();
            Ok(TriangleTree::new(&places, &triangles).map_err(crate::error::ShapeError::from)?)
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
        Ok(Self { chain_of_side, freedoms, patch_of, chains, patches })
    }

    /// How many patches there are.
    pub(super) fn patch_count(&self) -> usize {
        self.patches.len()
    }

    /// The point of a chain (from 1) nearest to a place (m), if one is within `reach` (m).
    pub(super) fn on_chain(&self, chain: u32, place: &Vec3, reach: f64) -> Option<Vec3> {
        let tree = self.chains.get((chain as usize).checked_sub(1)?)?;
        tree.closest_within(place, reach).map(|closest| closest.point)
    }

    /// The point of a patch nearest to a place (m), if one is within `reach` (m); its triangle is the mesh's.
    pub(super) fn on_patch(&self, patch: u32, place: &Vec3, reach: f64) -> Option<Closest> {
        let patch = self.patches.get(patch as usize)?;
        let closest = patch.tree.closest_within(place, reach)?;
        Some(Closest { triangle: patch.triangles[closest.triangle as usize], ..closest })
    }
}

/// Which sides lie on a line or on the rim.
fn line_sides(mesh: &TriMesh, carried: &Carried, angle: f64, shortest: f64) -> Vec<bool> {
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
            let materials = !carried.materials.is_empty()
                && carried.materials[triangle.index()] != carried.materials[behind.index()];
            if materials || breaks(mesh, carried, [(triangle, corner), (behind, back)]) {
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
fn breaks(mesh: &TriMesh, carried: &Carried, [one, other]: [(TriangleId, usize); 2]) -> bool {
    let Some(texture) = carried.texture.get(one.0.index()) else { return false };
    let behind = &carried.texture[other.0.index()];
    [1, 2].iter().any(|step| {
        let corner = (one.1 + step) % 3;
        let vertex = mesh.points_of(one.0)[corner];
        let twin = mesh.points_of(other.0).iter().position(|&candidate| candidate == vertex).unwrap_or(0);
        let gap = (0..2).map(|axis| (texture[corner][axis] - behind[twin][axis]).abs()).fold(0.0, f64::max);
        gap > 1e-5
    })
}

/// The corner of `triangle` opposite its side towards `other`.
fn side_towards(mesh: &TriMesh, triangle: TriangleId, other: TriangleId) -> Option<usize> {
    (0..3).find(|&corner| mesh.neighbour(triangle, corner) == Some(other))
}

/// Sharp sides that hang together over a length of at least `shortest`, or with lines that are kept anyway.
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

/// What each vertex may do: corners are where not exactly two lines meet, or where a line turns by more than the angle.
fn freedoms(mesh: &TriMesh, is_line: &[bool], angle: f64) -> Vec<Freedom> {
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
                [] => Freedom::Surface,
                [a, b] => {
                    let here = position(vertex as u32);
                    let (to, from) = (position(b) - here, here - position(a));
                    let straight = to.dot(&from) > angle.cos() * to.norm() * from.norm();
                    if straight { Freedom::Line } else { Freedom::Corner }
                }
                _ => Freedom::Corner,
            }
        })
        .collect()
}

/// Numbers the chains between corners from 1 and lists their edges; loops without a corner are chains too.
fn chains(mesh: &TriMesh, is_line: &[bool], freedoms: &[Freedom]) -> (Vec<u32>, Vec<Vec<[u32; 2]>>) {
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
            if freedoms[end as usize] == Freedom::Corner {
                continue;
            }
            let before = std::mem::replace(&mut last[end as usize], index as u32);
            if before != u32::MAX {
                chains.join(before, index as u32);
            }
        }
    }
    let mut name = vec![0u32; edges.len()];
    let mut chain_of_side = vec![0u32; is_line.len()];
    let mut members: Vec<Vec<[u32; 2]>> = Vec::new();
    for index in 0..edges.len() {
        let root = chains.root(index as u32) as usize;
        if name[root] == 0 {
            members.push(Vec::new());
            name[root] = members.len() as u32;
        }
        chain_of_side[edges[index].1 as usize] = name[root];
        if index == 0 || edges[index].0 != edges[index - 1].0 {
            members[name[root] as usize - 1].push(edges[index].0);
        }
    }
    (chain_of_side, members)
}

/// Triangles that hang together without crossing a line: the patch of each, and the members of each patch.
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
