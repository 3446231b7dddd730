//! Fronts inside elements and knives.

use super::{advance, block, cut, plain};
use crate::{Knife, PlannedCut, Xfem, XfemOptions, load};
use craze_engine::{Attachable, Effect, HoldId, Load, Method, QuasiStatic, Ramp, Region};
use craze_math::{Isometry, Vec3};

const POINT: Vec3 = Vec3::new(0.41, 0.0, 0.5);
const NORMAL: Vec3 = Vec3::new(1.0, 0.0, 0.12);

/// A knife that moves along y, and is `keys` (s, m) away from y = 0.
fn knife(keys: &[(f64, f64)]) -> Knife {
    let cut = PlannedCut { time: 0.0, point: POINT, normal: NORMAL, region: Region::All };
    Knife::new(cut, Vec3::y(), Ramp { keys: keys.to_vec() })
}

/// A block that is cut up to a front at this height (m), its sides pulled apart by 4 %: the energy in
/// equilibrium (J).
fn energy(front: f64) -> f64 {
    let mut body = block(3, XfemOptions::default());
    body.add_knife(knife(&[(0.0, front)]));
    body.move_knives(0.0);
    pulled_apart(&mut body)
}

fn pulled_apart(body: &mut Xfem) -> f64 {
    let side = |x: f64, normal: Vec3| Region::HalfSpace { point: Vec3::new(x, 0.0, 0.0), normal };
    body.attach(HoldId(0), &side(1e-3, -Vec3::x())).expect("nodes");
    body.attach(HoldId(1), &side(0.999, Vec3::x())).expect("nodes");
    let loads = [
        Load { hold: HoldId(0), effect: Effect::Place(Isometry::identity()) },
        Load { hold: HoldId(1), effect: Effect::Place(Isometry::translation(0.04, 0.0, 0.0)) },
    ];
    body.balance(&plain(&loads)).expect("equilibrium");
    body.account(&Vec3::zeros()).elastic
}

#[test]
fn energy_falls_steadily_as_a_front_passes_through() {
    let mut whole = block(3, XfemOptions::default());
    let uncut = pulled_apart(&mut whole);
    assert!((energy(-0.1) - uncut).abs() < 1e-12 * uncut, "a knife that has not arrived");
    let fronts: Vec<f64> = (0..=40).map(|step| 0.01 + 0.024 * f64::from(step)).collect();
    let energies: Vec<f64> = fronts.iter().map(|&front| energy(front)).collect();
    for pair in energies.windows(2) {
        assert!(pair[1] <= pair[0] * (1.0 + 1e-9), "{pair:?}");
    }
    assert!(energies[0] < uncut && energies[40] < 0.2 * uncut);
    // Continuous where the front enters an element and where it leaves it.
    for front in [1.0 / 3.0, 0.5, 2.0 / 3.0] {
        let (before, after) = (energy(front - 1e-7), energy(front + 1e-7));
        assert!((before - after).abs() < 1e-4 * uncut, "{front}: {before} {after}");
    }
    let mut cut_through = block(3, XfemOptions::default());
    cut(&mut cut_through, POINT, NORMAL);
    let nothing = energy(1.1);
    assert!(nothing < 1e-12 * uncut && pulled_apart(&mut cut_through) < 1e-12 * uncut);
}

#[test]
fn a_knife_cuts_as_it_moves_and_not_when_it_comes_back() {
    let mut body = block(3, XfemOptions::default());
    body.add_knife(knife(&[(0.0, -0.05), (0.1, 0.5), (0.15, 0.2), (0.3, 1.2)]));
    body.set_motion(|_, rest| (*rest, Vec3::new(0.1 * rest.x, 0.3, -0.2)));
    let start = body.account(&Vec3::zeros());
    let mut pieces = Vec::new();
    let mut dofs = Vec::new();
    for index in 0..32 {
        let step = craze_engine::Step { time: 0.01 * f64::from(index), ..plain(&[]) };
        advance(&mut body, &step);
        let account = body.account(&Vec3::zeros());
        assert!((account.momentum - start.momentum).norm() < 1e-10 * start.momentum.norm());
        assert!((account.mass - start.mass).abs() < 1e-12 * start.mass);
        pieces.push(account.pieces);
        dofs.push(body.positions().len());
        if index == 7 {
            let copy = load(&body.save()).expect("sound");
            assert_eq!(copy.save(), body.save());
        }
    }
    assert_eq!((pieces[0], pieces[31]), (1, 2));
    assert!(dofs[0] <= dofs[5] && dofs[5] < dofs[31]);
    assert_eq!(dofs[9], dofs[15], "it comes back");
    assert!(body.fronts.is_empty());
    assert_eq!(super::open_edges(&body), 0);
}
