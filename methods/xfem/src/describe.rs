//! What the method says of itself, and how a body comes out of a scene.

use crate::knife::Knife;
use crate::model::PlannedCut;
use crate::options::{KnifeTable, TIME_STEP, XfemOptions, XfemTable};
use crate::{KIND, MATERIAL, Xfem, load};
use craze_body::contact_boundary;
use craze_descriptor::{BodyFacts, BodyKey, Built, Describe, Elements, Finding, Rejection, Setup};
use craze_engine::{Method, Ramp, Region};
use craze_material::MaterialUse;
use craze_math::Vec3;
use craze_shape::number_format::grouped;

impl Describe for Xfem {
    const NAME: &'static str = KIND;
    const LETTER: char = 'X';
    const SUMMARY: &'static str = "Tetrahedra that are cut without remeshing (Song et al. 2008).";
    const MATERIAL: &'static MaterialUse = &MATERIAL;
    const ELEMENTS: Elements = Elements::Tetrahedra { contact_boundary };
    const BODY_KEYS: &'static [BodyKey] = &[BodyKey::Materials];
    const QUASI_STATIC: bool = true;
    const TIME_STEP: Option<f64> = Some(TIME_STEP);
    const EXAMPLE: &'static str = "shape.box = { size = [0.1, 0.1, 0.2] }\nedge = 0.1\nmaterial.preset = \"rubber\"\n\
        xfem.cuts = [{ point = [0, 0, 0.02], normal = [0, 0.2, 1] }]\n";
    const BENCHMARK: &'static str = "shape.box = { size = [0.25, 0.25, 0.25] }\nedge = 0.02\n\
        material = { density = 1013, young = 1e5, poisson = 0.3 }\n\
        xfem.cuts = [{ point = [0, 0, 0], normal = [0.1, 0.2, 1] }]\n";
    type Options = XfemTable;

    fn check_options(table: &XfemTable, _body: &BodyFacts) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (index, cut) in table.cuts.iter().enumerate() {
            let wrong = cut.region.as_ref().and_then(|region| region.check().err());
            let below = wrong.map(|error| error.below(&format!("xfem.cuts[{index}].region")));
            findings.extend(below.map(Finding::Impossible));
            if !(cut.time.is_finite() && cut.time >= 0.0) {
                let rejection =
                    Rejection::new(format!("xfem.cuts[{index}].time"), "a cut has no such time", "use 0 or more");
                findings.push(Finding::Impossible(rejection));
            }
            let normal = Vec3::from(cut.normal).norm();
            if !(normal > 0.0 && normal.is_finite()) {
                let key = format!("xfem.cuts[{index}].normal");
                findings.push(Finding::Impossible(Rejection::new(&key, "the normal has no direction", "")));
            }
        }
        for (index, knife) in table.knives.iter().enumerate() {
            let refusal = refused(knife).map(|(key, message, help)| {
                Finding::Impossible(Rejection::new(format!("xfem.knives[{index}].{key}"), message, help))
            });
            findings.extend(refusal);
            let wrong = knife.region.as_ref().and_then(|region| region.check().err());
            let below = wrong.map(|error| error.below(&format!("xfem.knives[{index}].region")));
            findings.extend(below.map(Finding::Impossible));
        }
        findings
    }

    fn build(mut setup: Setup, table: &XfemTable) -> Result<Built, Rejection> {
        let longest_time_step = setup.time_step.unwrap_or(TIME_STEP);
        let options = XfemOptions { longest_time_step, ..table.options };
        let mesh = setup.mesh.take().ok_or_else(|| Rejection::new("shape", "the shape has no tetrahedra", ""))?;
        let mut elements = format!("{} tetrahedra", grouped(mesh.element_count()));
        let mut body = Xfem::new(mesh, setup.materials, options, setup.placement, setup.velocity, setup.spin)
            .map_err(|error| Rejection::new("", error, ""))?;
        let mut remarks = Vec::new();
        let mut later = Vec::new();
        for (index, cut) in table.cuts.iter().enumerate() {
            let region = cut.region.as_ref().map_or(Region::All, Region::from);
            let (point, normal) = (Vec3::from(cut.point), Vec3::from(cut.normal));
            let planned = PlannedCut { time: cut.time, point, normal, region };
            if cut.time > 0.0 {
                later.push(planned);
                continue;
            }
            let before = body.history.len();
            let refuse = |error| Rejection::new(format!("xfem.cuts[{index}]"), error, "");
            body.cut(&planned).map_err(refuse)?;
            if body.history.len() == before {
                remarks.push(format!("cut {} misses it", index + 1));
            }
        }
        later.sort_by(|one, other| one.time.total_cmp(&other.time));
        body.planned = later;
        for knife in &table.knives {
            let region = knife.region.as_ref().map_or(Region::All, Region::from);
            let (point, normal) = (Vec3::from(knife.point), Vec3::from(knife.normal));
            let keys = knife.travel.iter().map(|key| (key.t, key.at)).collect();
            let cut = PlannedCut { time: 0.0, point, normal, region };
            body.add_knife(Knife::new(cut, Vec3::from(knife.direction), Ramp { keys }));
        }
        if !body.history.is_empty() {
            let (dofs, pieces) = (3 * body.positions().len(), body.pieces.present().len());
            elements += &format!(", {} degrees of freedom, {} pieces", grouped(dofs), grouped(pieces));
        }
        Ok(Built { method: Box::new(body), elements, remarks })
    }

    fn load(bytes: &[u8]) -> Result<Box<dyn Method>, String> {
        load(bytes)
    }
}

/// What is wrong with a knife: key, message, help.
fn refused(knife: &KnifeTable) -> Option<(&'static str, &'static str, &'static str)> {
    let (normal, direction) = (Vec3::from(knife.normal), Vec3::from(knife.direction));
    let is_direction = |vector: &Vec3| vector.norm() > 0.0 && vector.norm().is_finite();
    if !is_direction(&normal) {
        return Some(("normal", "the normal has no direction", ""));
    }
    if !is_direction(&direction) || normal.normalize().cross(&direction.normalize()).norm() < 1e-6 {
        return Some(("direction", "the knife does not move in its plane", "give a direction across `normal`"));
    }
    let is_ordered = knife.travel.windows(2).all(|pair| pair[0].t < pair[1].t);
    let is_finite = knife.travel.iter().all(|key| key.t.is_finite() && key.at.is_finite());
    let is_wrong = knife.travel.is_empty() || !is_ordered || !is_finite;
    is_wrong.then_some(("travel", "the times of its keys do not increase", "give at least one key, by increasing `t`"))
}
