//! The description of the method, and how a body is built from a scene.

use crate::options::{ClusterError, ClustersTable, Options, TIME_STEP};
use crate::{Cloud, Clusters, KIND, MATERIAL, load};
use craze_descriptor::{BodyFacts, Built, Describe, Elements, Finding, Points, Rejection, Setup, Skin, SkinSource};
use craze_engine::{Method, Region};
use craze_material::MaterialUse;
use craze_shape::SampledPoints;
use craze_shape::number_format::grouped;

impl Describe for Clusters {
    const NAME: &'static str = KIND;
    const LETTER: char = 'C';
    const SUMMARY: &'static str = "Particles in clusters matched to shapes (Jones et al. 2016).";
    const MATERIAL: &'static MaterialUse = &MATERIAL;
    const ELEMENTS: Elements = Elements::Particles;
    const TIME_STEP: Option<f64> = Some(TIME_STEP);
    const EXAMPLE: &'static str =
        "shape.box = { size = [0.1, 0.1, 0.2] }\nspacing = 0.05\nmaterial.preset = \"rubber\"\n";
    const BENCHMARK: &'static str = "shape.box = { size = [0.46, 0.46, 0.46] }\nspacing = 0.01\n\
        material.density = 1000\nclusters = { rest_strain = 0, skin = false }\n";
    type Options = ClustersTable;

    fn check_options(table: &ClustersTable, body: &BodyFacts) -> Vec<Finding> {
        let mut findings = Vec::new();
        if table.count.is_some() && table.reach.is_some() {
            let message = "`count` and `reach` both say how large clusters are";
            findings.push(Finding::Impossible(Rejection::new("clusters.reach", message, "keep one of them")));
        }
        for (index, seam) in table.seams.iter().enumerate() {
            let wrong = seam.region.check().err();
            findings.extend(
                wrong.map(|error| Finding::Impossible(error.below(&format!("clusters.seams[{index}].region")))),
            );
        }
        findings.extend(idle_keys(table, body));
        findings
    }

    fn build(setup: Setup, table: &ClustersTable) -> Result<Built, Rejection> {
        let skin = if table.skin { Skin::With } else { Skin::Without };
        let Points { sampled, skin, remarks } = setup.points(table.sampling, skin)?;
        let SampledPoints { positions, volume, spacing } = sampled;
        let count = positions.len();
        let cloud = Cloud { volumes: vec![volume; count], positions, spacing: spacing.min() };
        let options = Options::of(table, setup.time_step, setup.seed);
        let placement = setup.placement;
        let refuse = |error: ClusterError| {
            let key = match error {
                ClusterError::TooFewParticles { .. } => "clusters.count",
                ClusterError::Uncovered { .. } if table.count.is_some() => "clusters.count",
                ClusterError::Uncovered { .. } => "clusters.reach",
                _ => "",
            };
            Rejection::new(key, error, "")
        };
        let cloud = cloud.along_a_curve();
        let mut clusters =
            Clusters::new(cloud, setup.material()?, options, &placement, setup.velocity, setup.spin).map_err(refuse)?;
        let seams: Vec<(Region, f64)> =
            table.seams.iter().map(|seam| (Region::from(&seam.region), seam.toughness)).collect();
        let paint = setup.painted(table.painted, "clusters.painted")?;
        clusters
            .set_toughness(|centre, own| {
                let inside = seams.iter().find(|(region, _)| region.contains(centre));
                let whole = inside.map_or(own, |(_, toughness)| Some(*toughness))?;
                let Some(paint) = &paint else { return Some(whole) };
                let factor = paint(&placement.inverse_transform_point(&(*centre).into()).coords);
                Some(1.0 + factor * (whole - 1.0))
            })
            .map_err(|error| Rejection::new("", error, ""))?;
        let given = match skin {
            Some(SkinSource::Tetrahedra(mesh)) => {
                clusters.set_skin(mesh.positions().to_vec(), mesh.elements().to_vec())
            }
            Some(SkinSource::Drawn(surface)) => clusters.set_drawn_skin(surface.positions, surface.triangles),
            None => Ok(()),
        };
        given.map_err(|error| Rejection::new("", error, "leave it out with `clusters.skin = false`"))?;
        let mut elements = format!("{} particles", grouped(count));
        if clusters.cluster_count() > 1 {
            let (clusters, memberships) = (grouped(clusters.cluster_count()), grouped(clusters.membership_count()));
            elements += &format!(" in {clusters} clusters ({memberships} memberships)");
        }
        Ok(Built { method: Box::new(clusters), elements, remarks })
    }

    fn load(bytes: &[u8]) -> Result<Box<dyn Method>, String> {
        load(bytes)
    }
}

/// Keys without effect in the rest of the scene.
fn idle_keys(table: &ClustersTable, body: &BodyFacts) -> Vec<Finding> {
    let usual = ClustersTable::default();
    let single = table.count.is_none() && table.reach.is_none() && table.overlap != usual.overlap;
    let reason = "there is only one cluster";
    let mut idle: Vec<Finding> =
        Finding::idle(KIND, reason, "give `count` or `reach`, too", [("overlap", single)]).collect();
    let unlimited = table.strain_limit == 0.0 && table.limit_rounds != usual.limit_rounds;
    let help = "give `strain_limit`, too";
    idle.extend(Finding::idle(KIND, "there is no strain limit", help, [("limit_rounds", unlimited)]));
    let level = table.boost == 0.0 && table.boost_decay != usual.boost_decay;
    idle.extend(Finding::idle(KIND, "there is no boost", "give `boost`, too", [("boost_decay", level)]));
    if body.material.as_ref().is_none_or(|material| material.cluster.toughness.is_some()) {
        return idle;
    }
    let help = "give the material a `cluster_toughness`";
    let varies = table.toughness_spread != usual.toughness_spread;
    idle.extend(Finding::idle(KIND, "the material has no toughness", help, [("toughness_spread", varies)]));
    if table.seams.is_empty() {
        let keys = [
            ("splits_a_step", table.splits_a_step != usual.splits_a_step),
            ("boost", table.boost != usual.boost),
            ("painted", table.painted.is_some()),
        ];
        let reason = "the body does not split, since its material has no toughness";
        idle.extend(Finding::idle(KIND, reason, help, keys));
    }
    idle
}
