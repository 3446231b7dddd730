use super::*;
use crate::blocks::{corners_of, velocities_of};
use crate::options::Integrator;
use crate::testing::{anisotropic, awake, damped, shake, solid};
use craze_element::Tetrahedron;
use craze_math::lanes::Instructions;
use craze_math::{Random, Vec3};

/// Forces, or their rates, of the first block by the reference and by the kernel in every
/// instruction set; the largest deviation.
fn deviation(material: craze_material::Material, amount: f64, rates: bool) -> (f64, f64) {
    let mut solid = solid([4, 4, 4], 0.15, material, awake(Integrator::Taylor));
    shake(&mut solid, amount, 0.5, 3);
    let block = &solid.layout.blocks[0];
    let nodes = &solid.layout.slot_nodes[block.slots.clone()];
    let mut random = Random::new(5);
    let accelerations: Vec<Vec3> = nodes.iter().map(|_| 30.0 * random.vector()).collect();
    let mut expected = vec![Vec3::zeros(); nodes.len()];
    let mut lowest = f64::INFINITY;
    for element in block.elements.clone() {
        let corners = &solid.mesh.elements()[element];
        let rest = solid.layout.rest(block, element);
        let f = rest.deformation(&corners_of(&solid.state, corners));
        let rate = rest.deformation(&velocities_of(&solid.state, corners));
        lowest = lowest.min(f.determinant());
        let local = corners.map(|corner| nodes.iter().position(|&node| node == corner).unwrap());
        let (law, guard) = (&solid.laws[solid.layout.law(block, element)], &solid.guards[0]);
        let forces = if rates {
            let second = rest.deformation(&local.map(|at| accelerations[at]));
            rest.force_rates(law, guard, &f, &rate, &second)
        } else {
            rest.forces(&f, &Tetrahedron::stress(law, guard, &f, &rate))
        };
        for (at, force) in local.into_iter().zip(forces) {
            expected[at] += force;
        }
    }
    let scale = expected.iter().map(Vec3::norm).fold(0.0, f64::max);
    let mut worst = 0.0f64;
    for instructions in Instructions::ALL {
        let mut local = Box::new(Local::new());
        let mut partial = vec![[f64::NAN; 4]; nodes.len()];
        let kernel = Forces {
            groups: &solid.layout.groups[block.groups.clone()],
            law: &solid.laws[0],
            guard: solid.guards[0],
            slots: nodes,
            pulls: true,
            next_groups: &[],
            next_slots: &[],
            nodes: &solid.state,
            local: &mut local,
            partial: &mut partial,
        };
        if rates {
            let mut all = vec![[0.0; 4]; solid.state.len()];
            for (&node, a) in nodes.iter().zip(&accelerations) {
                all[node as usize] = [a.x, a.y, a.z, 0.0];
            }
            instructions.run(ForceRates { forces: kernel, accelerations: &all });
        } else {
            let report = instructions.run(kernel);
            assert!((report.lowest_ratio - lowest.min(1.0)).abs() < 1e-12);
            assert_eq!(report.stiffening > 0.0, lowest < 0.5);
        }
        for (found, expected) in partial.iter().zip(&expected) {
            worst = worst.max((Vec3::from_column_slice(&found[..3]) - expected).norm() / scale);
        }
    }
    (worst, lowest)
}

#[test]
fn forces_agree_with_the_reference() {
    for material in [damped(), anisotropic()] {
        let (worst, _) = deviation(material, 0.3, false);
        assert!(worst < 1e-12, "{worst}");
    }
}

#[test]
fn force_rates_agree_with_the_reference() {
    for material in [damped(), anisotropic()] {
        let (worst, _) = deviation(material, 0.3, true);
        assert!(worst < 1e-12, "{worst}");
    }
}

#[test]
fn the_guard_agrees_with_the_reference() {
    for rates in [false, true] {
        let (worst, lowest) = deviation(damped(), 0.5, rates);
        assert!(lowest > 0.0 && lowest < 0.45, "the test must crush something: {lowest}");
        assert!(worst < 1e-12, "{worst}");
    }
}

#[test]
fn an_isotropic_law_written_out_gives_the_same_forces() {
    let plain = damped();
    let written_out = craze_material::Material {
        elasticity: craze_material::Elasticity::Anisotropic { stiffness: plain.elasticity.stiffness() },
        damping: craze_material::Damping {
            viscosity: Some(plain.damping.matrix(&plain.elasticity)),
            ..craze_material::Damping::default()
        },
        ..plain.clone()
    };
    let forces = |material| {
        let mut solid = solid([3, 3, 3], 0.1, material, awake(Integrator::Symplectic));
        shake(&mut solid, 0.3, 1.0, 9);
        solid.sum_forces().unwrap();
        (0..solid.state.len()).map(|node| solid.scratch.forces.of_node(&solid.layout, node)).collect::<Vec<_>>()
    };
    let (plain, written_out) = (forces(plain), forces(written_out));
    let scale = plain.iter().flatten().fold(0.0f64, |most, part| most.max(part.abs()));
    for (a, b) in plain.iter().flatten().zip(written_out.iter().flatten()) {
        assert!((a - b).abs() < 1e-13 * scale);
    }
}
