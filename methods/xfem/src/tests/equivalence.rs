//! The same cut by three models: side variables (the body), the enrichment of (2) with its mass
//! matrix (4) and READINGS 28, and duplicated elements (virtual nodes).

use super::{TIME_STEP, advance, block, cut, plain};
use crate::{Xfem, XfemOptions};
use craze_element::{CorotatedLaw, Corotation, Tetrahedron};
use craze_math::cut::cut_tetrahedron;
use craze_math::{Mat3, Vec3};
use nalgebra::{DMatrix, DVector};
use std::collections::BTreeMap;

const POINT: Vec3 = Vec3::new(0.41, 0.5, 0.5);
const NORMAL: Vec3 = Vec3::new(1.0, 0.1, 0.05);
const DENSITY: f64 = 1000.0;

fn level(position: &Vec3) -> f64 {
    NORMAL.normalize().dot(&(position - POINT))
}

/// Duplicated elements by Molino et al. 2004: each cut element twice, each copy with real nodes on
/// its own side and virtual nodes on the other, which copies share as their material does. Mass and
/// stiffness of a copy are those of its part.
struct Duplicated {
    /// Rest positions.
    nodes: Vec<Vec3>,
    /// Real node, and whether the copy belongs to the positive side; in the order of `nodes`.
    names: Vec<(u32, bool)>,
    elements: Vec<Copied>,
    positions: Vec<Vec3>,
    velocities: Vec<Vec3>,
}

/// A copy of an element: its nodes, the share of its part, that part's ∫N_i·N_j per volume, and the
/// geometry of the element.
struct Copied {
    nodes: [usize; 4],
    share: f64,
    second: [[f64; 4]; 4],
    rest: Tetrahedron,
}

impl Duplicated {
    fn new(body: &Xfem, law_of_motion: impl Fn(&Vec3, bool) -> (Vec3, Vec3)) -> Duplicated {
        let mesh = body.mesh();
        let mut numbers: BTreeMap<(u32, bool), usize> = BTreeMap::new();
        let (mut nodes, mut names, mut elements) = (Vec::new(), Vec::new(), Vec::new());
        for element in mesh.element_ids() {
            let corners = mesh.corners(element);
            let rest = Tetrahedron::new(&corners).expect("sound");
            let parts = cut_tetrahedron(1.0, &corners.map(|corner| level(&corner)));
            for (part, is_positive) in [(parts.positive, true), (parts.negative, false)] {
                if part.measure == 0.0 {
                    continue;
                }
                let copies = mesh.elements()[element.index()].map(|node| {
                    *numbers.entry((node, is_positive)).or_insert_with(|| {
                        nodes.push(mesh.positions()[node as usize]);
                        names.push((node, is_positive));
                        nodes.len() - 1
                    })
                });
                elements.push(Copied { nodes: copies, share: part.measure, second: part.second, rest });
            }
        }
        let motion: Vec<(Vec3, Vec3)> =
            nodes.iter().zip(&names).map(|(rest, (_, is_positive))| law_of_motion(rest, *is_positive)).collect();
        let (positions, velocities) = motion.into_iter().unzip();
        Duplicated { nodes, names, elements, positions, velocities }
    }

    fn advance(&mut self, law: &CorotatedLaw) {
        let count = 3 * self.nodes.len();
        let (mut matrix, mut right) = (DMatrix::zeros(count, count), DVector::zeros(count));
        for Copied { nodes: copies, share, second, rest } in &self.elements {
            let corotation = Corotation::of(&rest.deformation(&copies.map(|copy| self.positions[copy])));
            let (forces, stiffness) =
                (rest.corotated_forces(law, &corotation), rest.warped_stiffness(law, &corotation.rotation));
            for i in 0..4 {
                for j in 0..4 {
                    let mass = DENSITY * rest.volume * second[i][j];
                    let elastic = TIME_STEP * TIME_STEP * *share * stiffness[i][j];
                    let block = Mat3::from_diagonal_element(mass) + elastic;
                    let push = elastic * self.velocities[copies[j]];
                    for a in 0..3 {
                        right[3 * copies[i] + a] -= push[a];
                        for b in 0..3 {
                            matrix[(3 * copies[i] + a, 3 * copies[j] + b)] += block[(a, b)];
                        }
                    }
                }
                for a in 0..3 {
                    right[3 * copies[i] + a] += TIME_STEP * share * forces[i][a];
                }
            }
        }
        let change = matrix.cholesky().expect("positive definite").solve(&right);
        for (index, (position, velocity)) in self.positions.iter_mut().zip(&mut self.velocities).enumerate() {
            *velocity += Vec3::new(change[3 * index], change[3 * index + 1], change[3 * index + 2]);
            *position += TIME_STEP * *velocity;
        }
    }
}

fn swirl(rest: &Vec3, is_positive: bool) -> (Vec3, Vec3) {
    let side = if is_positive { 1.0 } else { -1.0 };
    let bent = rest + 0.1 * Vec3::new(rest.y * rest.y, 0.3 * rest.z, rest.x * rest.y);
    (bent + side * Vec3::new(0.05, 0.0, 0.02), side * Vec3::new(1.0, rest.z, -rest.y))
}

#[test]
fn one_cut_moves_as_duplicated_elements_do() {
    // Validation 46.
    let mut body = block(3, XfemOptions::default());
    cut(&mut body, POINT, NORMAL);
    // Which side a degree of freedom is on: that of a part that moves with it.
    let mut side = vec![false; body.positions().len()];
    for part in &body.enrichment().parts {
        let nodes = body.mesh().elements()[part.element as usize];
        let whole = level(&body.mesh().positions()[nodes[0] as usize]) >= 0.0;
        let is_positive = part.sides.first().map_or(whole, |(_, side)| *side == crate::Side::Positive);
        part.dofs.iter().for_each(|&dof| side[dof as usize] = is_positive);
    }
    body.set_motion(|dof, rest| swirl(rest, side[dof as usize]));
    let mut duplicated = Duplicated::new(&body, swirl);
    assert_eq!(duplicated.nodes.len(), body.positions().len());
    let law = CorotatedLaw { lambda: body.laws[0].lambda, mu: body.laws[0].mu };
    for _ in 0..10 {
        advance(&mut body, &plain(&[]));
        duplicated.advance(&law);
    }
    let node_of = &body.enrichment().node_of;
    let (mut largest, mut moved) = (0.0f64, 0.0f64);
    for (name, position) in duplicated.names.iter().zip(&duplicated.positions) {
        let dof = (0..node_of.len()).find(|&dof| (node_of[dof], side[dof]) == *name).expect("the same copies");
        largest = largest.max((body.positions()[dof] - position).norm());
        moved = moved.max((swirl(&body.mesh().positions()[name.0 as usize], name.1).0 - position).norm());
    }
    assert!(largest < 1e-10 && moved > 0.05, "{largest} of {moved}");
}

/// Mass matrix in the variables u and a of (2), by (4) with m^aa, per unit density; entries by
/// (node, is_enrichment).
fn enriched_mass(body: &Xfem) -> BTreeMap<[(u32, bool); 2], f64> {
    let mesh = body.mesh();
    let crack = &body.enrichment().cracks[0];
    let jump = |positive: bool, node: u32| {
        let own = crack.levels.get(&node).copied().unwrap_or(0.0) >= 0.0;
        f64::from(u8::from(positive)) - f64::from(u8::from(own))
    };
    let mut mass = BTreeMap::new();
    for element in mesh.element_ids() {
        let corners = mesh.corners(element);
        let nodes = mesh.elements()[element.index()];
        let is_cut = crack.elements.contains(&element.0);
        let parts = cut_tetrahedron(mesh.measure(element), &corners.map(|corner| level(&corner)));
        for (part, positive) in [(parts.positive, true), (parts.negative, false)] {
            for i in 0..4 {
                for j in 0..4 {
                    let shared = part.second[i][j];
                    let of = |node: u32| if is_cut { jump(positive, node) } else { 0.0 };
                    let (one, other) = (of(nodes[i]), of(nodes[j]));
                    for (row, left) in [((nodes[i], false), 1.0), ((nodes[i], true), one)] {
                        for (column, right) in [((nodes[j], false), 1.0), ((nodes[j], true), other)] {
                            *mass.entry([row, column]).or_insert(0.0) += left * right * shared;
                        }
                    }
                }
            }
        }
    }
    mass
}

/// For each node the degree of freedom on its own side, and that on the other side if it has one.
fn copies(body: &Xfem) -> BTreeMap<u32, [Option<u32>; 2]> {
    let mut found: BTreeMap<u32, [Option<u32>; 2]> = BTreeMap::new();
    for part in &body.enrichment().parts {
        let nodes = body.mesh().elements()[part.element as usize];
        for (&node, &dof) in nodes.iter().zip(&part.dofs) {
            let own = level(&body.mesh().positions()[node as usize]) >= 0.0;
            let there = part.sides.first().map_or(own, |(_, side)| *side == crate::Side::Positive);
            found.entry(node).or_default()[usize::from(there != own)] = Some(dof);
        }
    }
    found
}

#[test]
fn the_mass_of_side_variables_is_that_of_the_enrichment() {
    // u_I moves the matter on the node's own side and, with a_I = 0, that on the other; a_I moves
    // the other side by −1 or +1.
    let mut body = block(2, XfemOptions::default());
    cut(&mut body, POINT, NORMAL);
    let copies = copies(&body);
    let expected = enriched_mass(&body);
    let mut side_mass: BTreeMap<[u32; 2], f64> = BTreeMap::new();
    for part in &body.enrichment().parts {
        let volume = body.rest[part.element as usize].volume;
        for i in 0..4 {
            for j in 0..4 {
                *side_mass.entry([part.dofs[i], part.dofs[j]]).or_insert(0.0) += volume * part.second[i][j];
            }
        }
    }
    let columns = |(node, is_enrichment): (u32, bool)| -> Vec<(u32, f64)> {
        let [own, other] = copies[&node];
        let positive = level(&body.mesh().positions()[node as usize]) >= 0.0;
        let jump = if positive { -1.0 } else { 1.0 };
        let other = other.map(|dof| (dof, if is_enrichment { jump } else { 1.0 }));
        let own = own.filter(|_| !is_enrichment).map(|dof| (dof, 1.0));
        own.into_iter().chain(other).collect()
    };
    let mut checked = 0;
    for ([row, column], expected) in expected {
        let mut sum = 0.0;
        for (one, left) in columns(row) {
            for (other, right) in columns(column) {
                sum += left * right * side_mass.get(&[one, other]).copied().unwrap_or(0.0);
            }
        }
        assert!((sum - expected).abs() < 1e-15, "{row:?} {column:?}: {sum} {expected}");
        checked += usize::from(expected != 0.0);
    }
    assert!(checked > 300, "{checked}");
}

/// M + Δt²·K in u and a for a body of one cut, and the mass alone; `of_enrichment` gives the mass of
/// an enrichment from that of its node, with a diagonal mass matrix.
fn enriched_system(
    body: &Xfem,
    of_enrichment: impl Fn(f64) -> f64,
) -> (DMatrix<f64>, DVector<f64>, Vec<[Option<u32>; 2]>) {
    let copies: Vec<[Option<u32>; 2]> = copies(body).into_values().collect();
    let nodes = copies.len();
    let mut column_of = vec![Vec::new(); body.positions().len()];
    let mut count = nodes;
    for (node, [own, other]) in copies.iter().enumerate() {
        if let Some(own) = own {
            column_of[*own as usize].push((node, 1.0));
        }
        if let Some(other) = other {
            let positive = level(&body.mesh().positions()[node]) >= 0.0;
            column_of[*other as usize] = vec![(node, 1.0), (count, if positive { -1.0 } else { 1.0 })];
            count += 1;
        }
    }
    let mut matrix = DMatrix::zeros(3 * count, 3 * count);
    for part in &body.enrichment().parts {
        let rest = &body.rest[part.element as usize];
        let stiffness = rest.warped_stiffness(&body.laws[0], &Mat3::identity());
        for i in 0..4 {
            for j in 0..4 {
                for &(row, left) in &column_of[part.dofs[i] as usize] {
                    for &(column, right) in &column_of[part.dofs[j] as usize] {
                        let scale = TIME_STEP * TIME_STEP * part.share * left * right;
                        for a in 0..3 {
                            for b in 0..3 {
                                matrix[(3 * row + a, 3 * column + b)] += scale * stiffness[i][j][(a, b)];
                            }
                        }
                    }
                }
            }
        }
    }
    let node_mass = DENSITY / nodes as f64;
    let mut mass = DVector::zeros(3 * count);
    for row in 0..count {
        let own = if row < nodes { node_mass } else { of_enrichment(node_mass) };
        for axis in 0..3 {
            mass[3 * row + axis] = own;
            matrix[(3 * row + axis, 3 * row + axis)] += own;
        }
    }
    (matrix, mass, copies)
}

#[test]
fn enrichments_without_mass_make_singular_systems() {
    // §3.3, the first choice that failed: a part that moves only by its enrichment has no mass, so
    // that it moves at no cost.
    let mut body = block(2, XfemOptions::default());
    cut(&mut body, Vec3::new(0.2, 0.5, 0.5), Vec3::new(1.0, 0.1, 0.05));
    cut(&mut body, Vec3::new(0.3, 0.5, 0.5), Vec3::new(1.0, 0.1, 0.05));
    // The slab between both cuts has no node: all that it has are enrichments.
    let slab: Vec<bool> = {
        let mut moves = vec![true; body.positions().len()];
        for part in &body.enrichment().parts {
            let between = part.sides.len() == 2 && part.sides[0].1 != part.sides[1].1;
            if !between {
                part.dofs.iter().for_each(|&dof| moves[dof as usize] = false);
            }
        }
        moves
    };
    let count = slab.iter().filter(|own| **own).count();
    assert!(count > 8, "the slab is a part without a node: {count}");
    let index: BTreeMap<u32, usize> =
        (0..).zip(&slab).filter(|(_, own)| **own).enumerate().map(|(index, (dof, _))| (dof, index)).collect();
    let (mut massless, mut with_mass) = (DMatrix::zeros(3 * count, 3 * count), DMatrix::zeros(3 * count, 3 * count));
    for part in body.enrichment().parts.iter().filter(|part| part.dofs.iter().all(|&dof| slab[dof as usize])) {
        let rest = &body.rest[part.element as usize];
        let stiffness = rest.warped_stiffness(&body.laws[0], &Mat3::identity());
        for i in 0..4 {
            for j in 0..4 {
                let (row, column) = (3 * index[&part.dofs[i]], 3 * index[&part.dofs[j]]);
                let mass = DENSITY * rest.volume * part.second[i][j];
                for a in 0..3 {
                    with_mass[(row + a, column + a)] += mass;
                    for b in 0..3 {
                        let elastic = TIME_STEP * TIME_STEP * part.share * stiffness[i][j][(a, b)];
                        massless[(row + a, column + b)] += elastic;
                        with_mass[(row + a, column + b)] += elastic;
                    }
                }
            }
        }
    }
    let smallest = |matrix: &DMatrix<f64>| matrix.clone().symmetric_eigenvalues().min();
    let largest = massless.clone().symmetric_eigenvalues().max();
    // Scaled by its own diagonal, as the preconditioner does.
    let scaled = |matrix: &DMatrix<f64>| {
        let root = DMatrix::from_diagonal(&matrix.diagonal().map(|entry| 1.0 / entry.sqrt()));
        &root * matrix * &root
    };
    assert!(smallest(&massless).abs() < 1e-12 * largest, "{}", smallest(&massless));
    assert!(smallest(&scaled(&with_mass)) > 1e-8, "{}", smallest(&scaled(&with_mass)));
}

#[test]
fn enrichments_with_the_mass_of_their_nodes_lose_independence() {
    // §3.3, the second choice that failed.
    let mut body = block(2, XfemOptions::default());
    cut(&mut body, POINT, NORMAL);
    let (matrix, mass, copies) = enriched_system(&body, |node| node);
    // A force on one real node of the positive side.
    let pushed = copies
        .iter()
        .enumerate()
        .position(|(node, _)| level(&body.mesh().positions()[node]) > 0.3)
        .expect("a node on the positive side");
    let mut right = DVector::zeros(mass.len());
    right[3 * pushed] = 1.0;
    let change = matrix.clone().cholesky().expect("positive definite").solve(&right);
    let elsewhere = |change: &DVector<f64>| {
        let nodes = (0..copies.len()).filter(|&node| level(&body.mesh().positions()[node]) < 0.0);
        nodes.map(|node| change[3 * node].abs()).fold(0.0, f64::max)
    };
    assert!(elsewhere(&change) > 1e-5 * change.amax(), "{} of {}", elsewhere(&change), change.amax());
    // The product, with the same force: the other side stays at rest.
    let pushed = copies[pushed][0].expect("its own side");
    body.set_motion(|dof, rest| (*rest, if dof == pushed { Vec3::x() } else { Vec3::zeros() }));
    advance(&mut body, &plain(&[]));
    let pieces = body.pieces().to_vec();
    for (dof, velocity) in body.velocities().iter().enumerate() {
        assert!(pieces[dof] == pieces[pushed as usize] || velocity.norm() < 1e-12);
    }
}
