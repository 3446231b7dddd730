//! The description of the method, and how a body is built from a scene.

use crate::options::{Integrator, SolidOptions, SolidTable};
use crate::{KIND, MATERIAL, STRENGTH, Solid, load, strength};
use craze_body::contact_boundary;
use craze_descriptor::{BodyFacts, BodyKey, Built, Describe, Elements, Finding, Rejection, Response, Responses, Setup};
use craze_engine::Method;
use craze_material::{Material, MaterialUse};
use craze_math::Vec3;
use craze_mesh::{PointRule, TetMesh, Values};
use craze_shape::number_format::{grouped, short};

impl Describe for Solid {
    const NAME: &'static str = KIND;
    const LETTER: char = 'S';
    const SUMMARY: &'static str = "Tetrahedra with a separation tensor (O'Brien and Hodgins 1999).";
    const MATERIAL: &'static MaterialUse = &MATERIAL;
    const ELEMENTS: Elements = Elements::Tetrahedra { contact_boundary };
    const BODY_KEYS: &'static [BodyKey] = &[BodyKey::Integrator, BodyKey::Materials];
    const QUASI_STATIC: bool = true;
    const PENALTY: bool = true;
    const EXAMPLE: &'static str = "shape.box = { size = [0.1, 0.1, 0.2] }\nedge = 0.1\nmaterial.preset = \"rubber\"\n";
    const BENCHMARK: &'static str = "shape.box = { size = [0.25, 0.25, 0.25] }\nedge = 0.02\nsolid.rest_strain = 0\n\
        material = { density = 1013, lambda = 2.65e6, mu = 3.97e6, phi = 264, psi = 397 }\n";
    type Options = SolidTable;

    fn check_options(table: &SolidTable, body: &BodyFacts) -> Vec<Finding> {
        let mut findings = Vec::new();
        let implicit = body.integrator == Integrator::Implicit;
        if table.response != Response::Impulses && implicit {
            let message = "penalty forces need short steps, and those of this body are implicit";
            let help = "give it another `integrator`, or use \"impulses\"";
            findings.push(Finding::Impossible(Rejection::new("solid.response", message, help)));
        }
        for (index, seam) in table.seams.iter().enumerate() {
            let wrong = seam.region.check().err();
            findings
                .extend(wrong.map(|error| Finding::Impossible(error.below(&format!("solid.seams[{index}].region")))));
        }
        findings.extend(idle_keys(table, body));
        findings
    }

    fn responses(table: &SolidTable, body: &BodyFacts) -> Responses {
        // Crack faces coincide: overlap volumes distinguish their sides, distances do not.
        let by_volume = can_break(table, body) && body.integrator != Integrator::Implicit;
        let itself = if by_volume { Response::OverlapPenalty } else { Response::Impulses };
        Responses { others: table.response, itself }
    }

    fn build(mut setup: Setup, table: &SolidTable) -> Result<Built, Rejection> {
        let options = SolidOptions {
            integrator: setup.integrator,
            longest_time_step: setup.time_step.unwrap_or(f64::INFINITY),
            ..table.options
        };
        let paint = setup.painted(table.painted, "solid.painted")?;
        let mut mesh = setup.mesh.take().ok_or_else(|| Rejection::new("shape", "the shape has no tetrahedra", ""))?;
        let remarks = own_weight(&setup.materials, &mesh, setup.gravity).into_iter().collect();
        let (placement, seed) = (setup.placement, setup.seed);
        if let Some(factors) = strength::factors(table, mesh.positions(), &placement, seed, paint.as_deref()) {
            (mesh.point_attributes_mut().add(STRENGTH, PointRule::Interpolate, Values::Scalars(factors)))
                .map_err(|error| Rejection::new("", error, ""))?;
        }
        let elements = format!("{} tetrahedra", grouped(mesh.element_count()));
        let solid = Solid::new(mesh, setup.materials, options, placement, setup.velocity, setup.spin)
            .map_err(|error| Rejection::new("", error, ""))?;
        Ok(Built { method: Box::new(solid), elements, remarks })
    }

    fn load(bytes: &[u8]) -> Result<Box<dyn Method>, String> {
        load(bytes)
    }
}

/// Whether a node of the body can fail.
fn can_break(table: &SolidTable, body: &BodyFacts) -> bool {
    let has_strength =
        |material: &Material| material.strength.tensile.is_some() || material.strength.separation_force.is_some();
    table.options.breaks && body.materials().any(has_strength)
}

/// Keys without effect in the rest of the scene.
fn idle_keys(table: &SolidTable, body: &BodyFacts) -> Vec<Finding> {
    let (SolidTable { options, .. }, usual) = (table, SolidTable::default());
    let grain = table.strength_grain.is_some() && table.strength_spread == 0.0;
    let reason = "the strength does not vary";
    let mut idle: Vec<Finding> =
        Finding::idle(KIND, reason, "give `strength_spread`, too", [("strength_grain", grain)]).collect();
    let damping = body.integrator == Integrator::Implicit && options.most_damping != usual.options.most_damping;
    let help = "viscosity does not bound implicit steps: remove it";
    idle.extend(Finding::idle(KIND, "the body's steps are implicit", help, [("most_damping", damping)]));
    // Whoever turns fracture off by `breaks` may keep its settings for later.
    if options.breaks && !can_break(table, body) {
        let keys = [
            ("snap_distance", options.snap_distance != usual.options.snap_distance),
            ("snap_angle", options.snap_angle != usual.options.snap_angle),
            ("thinnest", options.thinnest != usual.options.thinnest),
            ("turns_back", options.turns_back != usual.options.turns_back),
            ("splits_a_step", options.splits_a_step != usual.options.splits_a_step),
            ("look_every", options.look_every != usual.options.look_every),
            ("crack_speed", options.crack_speed != usual.options.crack_speed),
            ("smallest_piece", options.smallest_piece != usual.options.smallest_piece),
            ("strength_spread", table.strength_spread != usual.strength_spread),
            ("seams", !table.seams.is_empty()),
            ("painted", table.painted.is_some()),
        ];
        let reason = "the body does not break, since its material has no strength";
        idle.extend(Finding::idle(KIND, reason, "give the material a `tensile_strength`", keys));
    }
    if body.is_quasi_static {
        let help = "remove it, or use dynamic mode";
        let contact = [
            ("touches_itself", options.touches_itself != usual.options.touches_itself),
            ("response", table.response != usual.response),
        ];
        idle.extend(Finding::idle(KIND, "quasi-static mode has no contact", help, contact));
        let flight = [("rest_strain", options.rest_strain != usual.options.rest_strain)];
        idle.extend(Finding::idle(KIND, "in quasi-static mode bodies are at rest", help, flight));
        let checks = [("look_every", options.look_every != usual.options.look_every)];
        let reason = "quasi-static mode checks for fracture after every load step";
        let help = "remove it; `world.steps` says how many load steps a frame has";
        idle.extend(Finding::idle(KIND, reason, help, checks));
    }
    idle
}

/// A remark on a body that cannot bear its own weight: held at one end it would tear.
fn own_weight(materials: &[Material], mesh: &TetMesh, gravity: Vec3) -> Option<String> {
    let points = mesh.positions().iter();
    let extent = points.clone().fold(Vec3::repeat(f64::NEG_INFINITY), |all, point| all.sup(point))
        - points.fold(Vec3::repeat(f64::INFINITY), |all, point| all.inf(point));
    let volume: f64 = mesh.element_ids().map(|element| mesh.measure(element)).sum();
    // Edge of a lattice with as many cells as six tetrahedra fill.
    let spacing = (6.0 * volume / mesh.element_count() as f64).cbrt();
    let weakest = materials.iter().filter_map(|material| {
        let by_force = material.strength.separation_force.map(|force| force / (spacing * spacing));
        let bears = by_force.or(material.strength.tensile)?;
        Some((material.density * gravity.norm() * extent.max(), bears))
    });
    let (weight, bears) = weakest.max_by(|one, other| (one.0 / one.1).total_cmp(&(other.0 / other.1)))?;
    (weight > bears).then(|| {
        format!(
            "it is too weak for its own weight, which strains it by up to {} Pa, and may fall apart by itself: it bears {} Pa",
            short(weight),
            short(bears)
        )
    })
}
