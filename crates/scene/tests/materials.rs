//! What each method says it reads of a material is what it reads: every listed key changes what a body does, no other does.

use craze_clusters::{Cloud, Clustering, Clusters};
use craze_descriptor::Descriptor;
use craze_engine::{Body, Checked, FrameDetail, Method, Mode, PairTable, Settings, Verdict, World};
use craze_material::{Elasticity, Key, Material, Overrides, Quantity};
use craze_math::{Isometry, Vec3};
use craze_mesh::kuhn_box;
use craze_scene::{METHODS, SceneDocument};
use craze_solid::{Solid, SolidOptions};
use craze_xfem::{Xfem, XfemOptions};

/// A material with every number, none of which another one hides.
fn full() -> Material {
    let mut material = Material::elastic("test", 1000.0, Elasticity::from_young(1e5, 0.3));
    for (quantity, value) in [
        (Quantity::Phi, 1.0),
        (Quantity::Psi, 2.0),
        (Quantity::DampingTime, 1e-4),
        (Quantity::MassDamping, 0.5),
        (Quantity::YieldStress, 1e3),
        (Quantity::YieldCurvature, 1.0),
        (Quantity::FlowRate, 10.0),
        (Quantity::Hardening, 1e3),
        (Quantity::TensileStrength, 1.5e4),
        (Quantity::CompressiveStrength, 3e3),
        (Quantity::Toughness, 1e3),
        (Quantity::Friction, 0.5),
        (Quantity::Restitution, 0.25),
        (Quantity::GoalStiffness, 0.8),
        (Quantity::ClusterYield, 0.01),
        (Quantity::ClusterFlow, 0.2),
        (Quantity::ClusterHardening, 0.5),
        (Quantity::ClusterToughness, 1.06),
    ] {
        quantity.assign(&mut material, value);
    }
    material
}

/// The material with one key changed.
fn changed(key: Key) -> Material {
    let mut material = full();
    match key {
        // Stricter than the strength, which it hides.
        Key::Number(Quantity::SeparationForce) => material.strength.separation_force = Some(20.0),
        Key::Number(Quantity::Density) => material.density *= 1.1,
        Key::Number(quantity) => {
            let value = quantity.of(&material).or_else(|| match quantity {
                Quantity::Lambda => Some(material.lame().0),
                Quantity::Mu => Some(material.lame().1),
                _ => None,
            });
            let factor = if quantity == Quantity::ClusterToughness { 1.5 } else { 0.9 };
            quantity.assign(&mut material, factor * value.unwrap_or(1e3));
        }
        Key::Stiffness => {
            let stiffness = material.elasticity.stiffness().map(|row| row.map(|entry| 1.1 * entry));
            material.elasticity = Elasticity::Anisotropic { stiffness };
        }
        Key::Viscosity => {
            let mut viscosity = [[0.0; 6]; 6];
            (0..6).for_each(|axis| viscosity[axis][axis] = 1.0);
            material.damping.viscosity = Some(viscosity);
        }
    }
    material.check().expect("a possible material");
    material
}

/// A block of a method that flies apart, turning.
fn block(method: &str, material: &Material) -> Box<dyn Method> {
    let (place, velocity, spin) = (Isometry::identity(), Vec3::x(), Vec3::new(1.0, 2.0, 30.0));
    match method {
        "solid" => {
            let mesh = kuhn_box([4, 1, 1], Vec3::new(0.4, 0.1, 0.1)).expect("a mesh");
            let solid = Solid::new(mesh, vec![material.clone()], SolidOptions::default(), place, velocity, spin);
            Box::new(solid.expect("a solid"))
        }
        "clusters" => {
            let grid = |n: usize| 0.02 * Vec3::new((n / 36) as f64, (n / 6 % 6) as f64, (n % 6) as f64);
            let positions: Vec<Vec3> = (0..20 * 36).map(grid).collect();
            let cloud = Cloud { volumes: vec![8e-6; positions.len()], positions, spacing: 0.02 };
            let clustering = Clustering::Count { count: 10, overlap: 2.0, seed: 1 };
            let options = craze_clusters::Options { clustering, rest_strain: None, ..Default::default() };
            Box::new(Clusters::new(cloud, material, options, &place, velocity, spin).expect("clusters"))
        }
        "xfem" => {
            let still = |material: &Material| {
                let mesh = kuhn_box([4, 1, 1], Vec3::new(0.4, 0.1, 0.1)).expect("a mesh");
                Xfem::new(mesh, vec![material.clone()], XfemOptions::default(), place, velocity, spin)
            };
            // It refuses other laws than isotropic ones.
            let isotropic = Material { elasticity: full().elasticity, ..material.clone() };
            Box::new(still(material).or_else(|_| still(&isotropic)).expect("a body"))
        }
        other => panic!("give a block of method {other}"),
    }
}

/// What a body of this material has done after some frames: events, pieces, accounts and every position, to the bit.
fn motion(method: &Descriptor, material: &Material) -> String {
    let settings = Settings {
        gravity: Vec3::new(0.0, -9.81, 0.0),
        frames_per_second: 100.0,
        longest_time_step: f64::INFINITY,
        mode: Mode::Dynamic,
        detail: FrameDetail::Surface,
        pairs: PairTable::default(),
        check_intersections: Checked::Nothing,
    };
    let body = Body::new("block", block(method.name, material), method.load);
    let mut world = World::new(settings, vec![body], Vec::new());
    for _ in 0..6 {
        world.advance_frame(&mut |_| Verdict::Continue).unwrap_or_else(|error| panic!("{error}"));
    }
    let surface = &world.frame().bodies[0].surface;
    format!("{:?} {:?} {:?} {:?}", world.events, world.account(), surface.positions, surface.triangles)
}

#[test]
fn methods_read_what_they_say_and_nothing_else() {
    for method in METHODS {
        let usage = method.material;
        assert_eq!(usage.method, method.name);
        let plain = motion(method, &full());
        let strengths = [Quantity::TensileStrength, Quantity::ClusterToughness];
        let can_break = strengths.into_iter().any(|strength| usage.reads.contains(&Key::Number(strength)));
        // Events stand first; accounts name counts of splits also where there are none.
        let breaks = plain.split("Account").next().is_some_and(|events| events.contains("Split"));
        assert_eq!(breaks, can_break, "{}: it must break to show what breaking reads: {plain}", method.name);
        for key in Key::all() {
            let (is_read, name) = (usage.reads.contains(&key), key.name());
            assert_eq!(motion(method, &changed(key)) != plain, is_read, "{} and `{name}`", method.name);
        }
    }
}

#[test]
fn keys_to_give_instead_are_read_and_those_they_replace_are_not() {
    for usage in METHODS.iter().map(|method| method.material) {
        for (key, ours) in usage.instead {
            assert!(!usage.accepts(*key), "{} reads `{}`", usage.method, key.name());
            assert!(usage.accepts(Key::Number(*ours)), "{} does not read `{}`", usage.method, ours.key());
        }
    }
}

#[test]
fn every_key_of_a_material_is_accepted_by_the_methods_that_use_it_and_refused_by_name_by_others() {
    for method in METHODS {
        for key in Key::all() {
            let name = key.name();
            let value = match key {
                Key::Number(Quantity::Poisson) => "0.25".to_owned(),
                Key::Number(Quantity::ClusterToughness) => "1.5".to_owned(),
                Key::Number(Quantity::ClusterFlow) => "0.5, cluster_yield = 0.5".to_owned(),
                Key::Number(Quantity::ClusterYield | Quantity::ClusterHardening) => {
                    let other = if name == "cluster_yield" { "" } else { ", cluster_yield = 0.5" };
                    format!("0.5{other}, cluster_flow = 0.5")
                }
                Key::Number(_) => "0.5".to_owned(),
                Key::Stiffness | Key::Viscosity => {
                    let row = |axis: usize| {
                        format!("{:?}", std::array::from_fn::<f64, 6, _>(|k| f64::from(u8::from(k == axis))))
                    };
                    format!("[{}]", (0..6).map(row).collect::<Vec<_>>().join(", "))
                }
            };
            let text = format!(
                "[[body]]\nname = \"a\"\nmethod = \"{}\"\nshape.sphere = {{ radius = 1 }}\n\
                 material = {{ preset = \"glass\", {name} = {value} }}\n",
                method.name
            );
            let report = SceneDocument::parse(&text, "a.toml", &[]).err().map(|errors| errors.to_string());
            if method.material.accepts(key) {
                assert_eq!(report, None);
            } else {
                let report = report.unwrap_or_default();
                let wanted = format!("a.toml:5:32: method {} does not use `{name}`", method.name);
                assert!(report.starts_with(&wanted), "{report}");
            }
        }
    }
}

#[test]
fn every_key_that_can_be_given_is_listed_as_given() {
    for key in Key::all() {
        let matrix = vec![vec![0.0; 6]; 6];
        let value = if matches!(key, Key::Number(_)) { serde_json::json!(0.25) } else { serde_json::json!(matrix) };
        let overrides: Overrides = serde_json::from_value(serde_json::json!({ key.name(): value })).expect("a key");
        assert_eq!(overrides.given().collect::<Vec<_>>(), [key]);
    }
}

#[test]
fn a_flag_that_sets_a_number_that_is_not_used_is_refused_at_the_flag() {
    let text =
        "[[body]]\nname = \"a\"\nmethod = \"clusters\"\nshape.sphere = { radius = 1 }\nmaterial.preset = \"clay\"\n";
    let flag = "body.a.material.young=1e5".to_owned();
    let report = SceneDocument::parse(text, "a.toml", &[flag]).expect_err("refused").to_string();
    assert!(report.starts_with("--set:1:1: method clusters does not use `young` (give `goal_stiffness`"), "{report}");
}
