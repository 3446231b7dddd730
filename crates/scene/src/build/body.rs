//! Bodies: shape, matter and method.

use super::filling::{Points, Regions, SkinSource, Solids, Source};
use super::{rejected, strength};
use crate::description::{self, Integrator, MethodKind};
use crate::document::SceneDocument;
use crate::report::SceneError;
use craze_clusters::{Cloud, ClusterError, Clustering, Clusters};
use craze_engine::{Body, Method, Region};
use craze_frame::{Look, names};
use craze_material::{Material, Overrides};
use craze_math::{Isometry, Vec3};
use craze_mesh::{ElementRule, PointRule, TetMesh, Values};
use craze_shape::number_format::{grouped, short};
use craze_shape::{SampledPoints, Tetrahedra};
use craze_solid::{Solid, SolidOptions};

/// A body, how it was read, and the number of places where it is too thin for its tetrahedra.
pub struct Read {
    pub body: Body,
    pub look: Option<Look>,
    pub line: String,
    pub lost: usize,
}

/// A body whose shape has been read and filled, before it is given to its method.
pub struct Filled<'scene> {
    index: usize,
    source: Source<'scene>,
    material: Material,
    /// The tetrahedra of a solid; none for a body of particles.
    solids: Option<Solids<'scene>>,
}

impl<'scene> Filled<'scene> {
    /// Reads the shape and the material of a body, and fills a solid with tetrahedra.
    pub fn read(document: &'scene SceneDocument, index: usize) -> Result<Self, SceneError> {
        let body = &document.scene.bodies[index];
        let path = format!("body[{index}]");
        let material = resolve(document, body, &body.material, &format!("{path}.material"))?;
        let source = Source::read(document, body, &path)?;
        let solids = match body.method {
            MethodKind::Solid => Some(source.tetrahedra(document, body, &path)?),
            MethodKind::Clusters => None,
        };
        Ok(Filled { index, source, material, solids })
    }

    /// The tetrahedra of a solid, and where it stands.
    pub fn mesh(&mut self, document: &SceneDocument) -> Option<(&mut TetMesh, Isometry)> {
        let placement = placed(&document.scene.bodies[self.index]).0;
        self.solids.as_mut().map(|solids| (&mut solids.tetrahedra.mesh, placement))
    }
}

/// Makes a body.
pub fn build(document: &SceneDocument, filled: Filled) -> Result<Read, SceneError> {
    let Filled { index, source, material, solids } = filled;
    let body = &document.scene.bodies[index];
    let path = format!("body[{index}]");
    let (method, elements, lost) = match solids {
        Some(solids) => solid(document, body, &path, &source, &material, solids)?,
        None => {
            let (method, elements) = clusters(document, body, &path, &source, &material)?;
            (method, elements, 0)
        }
    };
    let size = source.size();
    let mass = method.account(&Vec3::zeros()).mass;
    let matter = body.material.preset.as_ref().map_or(String::new(), |preset| format!(" of {preset}"));
    let line = format!(
        "{}: {} × {} × {} m, {} kg{matter}, {elements}",
        body.name,
        short(size.x),
        short(size.y),
        short(size.z),
        short(mass)
    );
    let own = || Look::for_material(&material.name).unwrap_or_else(|| Look::for_unknown(&body.name));
    let look = body.look.as_ref().map(|look| look.resolve(own()));
    let load: craze_engine::Loader = match body.method {
        MethodKind::Solid => craze_solid::load,
        MethodKind::Clusters => craze_clusters::load,
    };
    Ok(Read { body: Body::new(&body.name, method, load), look, line, lost })
}

fn solid(
    document: &SceneDocument,
    body: &description::Body,
    path: &str,
    source: &Source,
    material: &Material,
    solids: Solids,
) -> Result<(Box<dyn Method>, String, usize), SceneError> {
    let Solids { tetrahedra: Tetrahedra { mut mesh, regions: region_of, .. }, regions, mut remarks, lost } = solids;
    let count = mesh.element_count();
    let mut materials = vec![material.clone()];
    match regions {
        Regions::Named(names) => {
            for name in &names[1..] {
                materials.push(match body.materials.as_ref().and_then(|materials| materials.of(name)) {
                    Some(matter) => resolve(document, body, matter, &format!("{path}.materials.{name}"))?,
                    None => material.clone(),
                });
            }
        }
        Regions::Listed => {
            for (place, region) in body.materials.iter().flat_map(|all| &all.regions).enumerate() {
                let key = format!("{path}.materials.regions[{place}].material");
                materials.push(resolve(document, body, &region.material, &key)?);
            }
        }
    }
    if materials.len() > 1 {
        let labels = Values::Labels(region_of.into_iter().map(u32::from).collect());
        mesh.element_attributes_mut()
            .add(names::MATERIAL, ElementRule::Copy, labels)
            .map_err(|error| rejected(document, path, error, ""))?;
    }
    let settings = body.solid.clone().unwrap_or_default();
    let options = SolidOptions {
        integrator: match body.integrator.unwrap_or_default() {
            Integrator::Symplectic => craze_solid::Integrator::SymplecticEuler,
            Integrator::Euler => craze_solid::Integrator::ForwardEuler,
            Integrator::Taylor => craze_solid::Integrator::Taylor,
            Integrator::Implicit => craze_solid::Integrator::Implicit,
        },
        collapse_guard: settings.collapse_guard,
        longest_time_step: body.time_step.unwrap_or(f64::INFINITY),
        rest_strain: settings.rest_strain,
        breaks: settings.breaks,
        snap_distance: settings.snap_distance,
        snap_angle: settings.snap_angle,
        thinnest: settings.thinnest,
        most_damping: settings.most_damping,
        turns_back: settings.turns_back,
        splits_a_step: settings.splits_a_step,
        look_every: settings.look_every,
        crack_speed: settings.crack_speed,
        smallest_piece: settings.smallest_piece,
        touches_itself: settings.touches_itself,
    };
    remarks.extend(own_weight(&materials, &mesh, document.scene.world.gravity.into()));
    let (placement, velocity, spin) = placed(body);
    let paint = painted(document, settings.painted, source, &format!("{path}.solid.painted"))?;
    let seed = document.scene.world.seed;
    if let Some(factors) = strength::factors(&settings, mesh.positions(), &placement, seed, paint.as_deref()) {
        (mesh.point_attributes_mut().add(craze_solid::STRENGTH, PointRule::Interpolate, Values::Scalars(factors)))
            .map_err(|error| rejected(document, path, error, ""))?;
    }
    let solid = Solid::new(mesh, materials, options, placement, velocity, spin)
        .map_err(|error| rejected(document, path, error, ""))?;
    Ok((Box::new(solid), with_remarks(format!("{} tetrahedra", grouped(count)), remarks), lost))
}

fn clusters(
    document: &SceneDocument,
    body: &description::Body,
    path: &str,
    source: &Source,
    material: &Material,
) -> Result<(Box<dyn Method>, String), SceneError> {
    let settings = body.clusters.clone().unwrap_or_default();
    let Points { sampled, skin, remarks } = source.points(document, body, path, &settings)?;
    let SampledPoints { positions, volume, spacing } = sampled;
    let count = positions.len();
    let cloud = Cloud { volumes: vec![volume; count], positions, spacing: spacing.min() };
    let (overlap, seed) = (settings.overlap, document.scene.world.seed);
    let clustering = match (settings.count, settings.reach) {
        (None, None) => Clustering::One,
        (Some(count), _) => Clustering::Count { count, overlap, seed },
        (None, Some(radius)) => Clustering::Radius { radius, overlap, seed },
    };
    let options = craze_clusters::Options {
        time_step: body.time_step.unwrap_or(craze_clusters::Options::default().time_step),
        damping: settings.damping,
        rest_strain: (settings.rest_strain > 0.0).then_some(settings.rest_strain),
        clustering,
        strain_limit: (settings.strain_limit > 0.0).then_some(settings.strain_limit),
        limit_rounds: settings.limit_rounds,
        splits_a_step: settings.splits_a_step,
        boost: settings.boost,
        boost_decay: settings.boost_decay,
        toughness_spread: settings.toughness_spread,
        self_contact: settings.self_contact,
    };
    let (placement, velocity, spin) = placed(body);
    let refuse = |error: ClusterError| {
        let key = match error {
            ClusterError::TooFewParticles { .. } => ".clusters.count",
            ClusterError::Uncovered { .. } if settings.count.is_some() => ".clusters.count",
            ClusterError::Uncovered { .. } => ".clusters.reach",
            _ => "",
        };
        rejected(document, &format!("{path}{key}"), error, "")
    };
    let mut clusters =
        Clusters::new(cloud.along_a_curve(), material, options, &placement, velocity, spin).map_err(refuse)?;
    let seams: Vec<(Region, f64)> =
        settings.seams.iter().map(|seam| (super::load::region(&seam.region), seam.toughness)).collect();
    let paint = painted(document, settings.painted, source, &format!("{path}.clusters.painted"))?;
    clusters
        .set_toughness(|centre, own| {
            let inside = seams.iter().find(|(region, _)| region.contains(centre));
            let whole = inside.map_or(own, |(_, toughness)| Some(*toughness))?;
            let Some(paint) = &paint else { return Some(whole) };
            let factor = paint(&placement.inverse_transform_point(&(*centre).into()).coords);
            Some(1.0 + factor * (whole - 1.0))
        })
        .map_err(|error| rejected(document, path, error, ""))?;
    let given = match skin {
        Some(SkinSource::Tetrahedra(mesh)) => clusters.set_skin(mesh.positions().to_vec(), mesh.elements().to_vec()),
        Some(SkinSource::Drawn(surface)) => clusters.set_drawn_skin(surface.positions, surface.triangles),
        None => Ok(()),
    };
    given.map_err(|error| rejected(document, path, error, "leave it out with `clusters.skin = false`"))?;
    let mut elements = format!("{} particles", grouped(count));
    if clusters.cluster_count() > 1 {
        let (clusters, memberships) = (grouped(clusters.cluster_count()), grouped(clusters.membership_count()));
        elements += &format!(" in {clusters} clusters ({memberships} memberships)");
    }
    Ok((Box::new(clusters), with_remarks(elements, remarks)))
}

/// What something is multiplied by at a place (m) of a shape.
type Factor<'source> = Box<dyn Fn(&Vec3) -> f64 + 'source>;

/// What the strength of a body that asks for it at `path` is multiplied by at a place (m) of its shape, as it is painted there.
fn painted<'source>(
    document: &SceneDocument,
    settings: Option<description::Painted>,
    source: &'source Source,
    path: &str,
) -> Result<Option<Factor<'source>>, SceneError> {
    let Some(settings) = settings else { return Ok(None) };
    let brightness = source.brightness(document, path)?;
    Ok(Some(Box::new(move |place| settings.factor(brightness.at(place)))))
}

/// The material that a table of a body says. `path` is the key of the table.
fn resolve(
    document: &SceneDocument,
    body: &description::Body,
    table: &Overrides,
    path: &str,
) -> Result<Material, SceneError> {
    table.resolve_for(body.method.material_use()).map_err(|error| {
        rejected(document, &format!("{path}.{}", error.field()), error, "see `craze materials` for presets")
    })
}

/// What is to be said of a body that cannot bear its own weight: hung up by one end it would tear.
fn own_weight(materials: &[Material], mesh: &TetMesh, gravity: Vec3) -> Option<String> {
    let corners = mesh.positions().iter();
    let extent = corners.clone().fold(Vec3::repeat(f64::NEG_INFINITY), |all, place| all.sup(place))
        - corners.fold(Vec3::repeat(f64::INFINITY), |all, place| all.inf(place));
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

/// A count and what there is to say about it.
fn with_remarks(count: String, remarks: Vec<String>) -> String {
    std::iter::once(count).chain(remarks).collect::<Vec<_>>().join("; ")
}

fn placed(body: &description::Body) -> (Isometry, Vec3, Vec3) {
    let place = &body.place;
    let isometry = Isometry::from_parts(Vec3::from(place.at).into(), place.rotation());
    (isometry, place.velocity.into(), place.spin.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads, fills and makes a body.
    fn build(document: &SceneDocument, index: usize) -> Result<Read, SceneError> {
        super::build(document, Filled::read(document, index)?)
    }

    /// The line that says how a body of particles was read.
    fn particles(sampling: &str, seed: u64) -> String {
        let text = format!(
            "[world]\nseed = {seed}\n[[body]]\nname = \"ball\"\nmethod = \"clusters\"\nshape.sphere = {{ radius = 0.1 }}\n\
             spacing = 0.015\nmaterial.preset = \"rubber\"\nclusters.sampling = \"{sampling}\"\n"
        );
        let document = SceneDocument::parse(&text, "ball.toml", &[]).expect("a scene");
        build(&document, 0).expect("a body").line
    }

    #[test]
    fn sampling_and_seed_choose_the_particles_and_neither_the_mass() {
        let [grid, one, two, again] =
            [("grid", 1), ("poisson", 1), ("poisson", 2), ("poisson", 1)].map(|(way, seed)| particles(way, seed));
        assert_eq!(one, again);
        assert!(grid != one && one != two, "{grid} {one} {two}");
        let mass = |line: &str| line.split(", ").nth(1).map(str::to_owned);
        assert!([&grid, &one, &two].iter().all(|line| mass(line) == mass(&grid)), "{grid} {one} {two}");
    }

    /// A body of clusters of a plate 0.4 × 0.4 × 0.02 m.
    fn plate(keys: &str) -> SceneDocument {
        let text = format!(
            "[[body]]\nname = \"plate\"\nmethod = \"clusters\"\nshape.box = {{ size = [0.4, 0.4, 0.02] }}\n\
             material.preset = \"clay\"\n{keys}\n"
        );
        SceneDocument::parse(&text, "plate.toml", &[]).expect("a scene")
    }

    /// Why it is refused.
    fn refusal(keys: &str) -> String {
        match build(&plate(keys), 0) {
            Ok(read) => panic!("accepted: {}", read.line),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn clusters_that_particles_do_not_suffice_for_are_refused_with_what_would_do() {
        let few = refusal("spacing = 0.0125\nclusters.count = 600");
        assert!(
            few.contains("2048 particles are too few for 600 clusters")
                && few.contains("choose 512 clusters or fewer, or a spacing of 0.0091 m or less"),
            "{few}"
        );
    }

    #[test]
    fn a_shape_too_thin_for_the_spacing_is_refused_with_one_that_would_do() {
        for spacing in ["0.1", "0.02", "0.0161"] {
            let thin = refusal(&format!("spacing = {spacing}"));
            assert!(thin.contains("walls of 0.02 m are too thin for particles") && thin.contains(spacing), "{thin}");
            assert!(thin.contains("choose a spacing of 0.016 m or less"), "{thin}");
        }
        let line = build(&plate("spacing = 0.016"), 0).expect("two layers").line;
        assert!(line.contains("1,250 particles"), "{line}");
    }

    #[test]
    fn seams_and_clusters_are_read() {
        let text = "[[body]]\nname = \"bar\"\nmethod = \"clusters\"\nshape.box = { size = [0.4, 0.1, 0.1] }\n\
                    spacing = 0.02\nmaterial.preset = \"clay\"\nclusters = { count = 8, overlap = 2, \
                    seams = [{ region.half_space = { point = [0, 0, 0], normal = [1, 0, 0] }, toughness = 1.01 }] }\n";
        let document = SceneDocument::parse(text, "bar.toml", &[]).expect("a scene");
        let line = build(&document, 0).expect("a body").line;
        assert!(line.contains("500 particles in 8 clusters"), "{line}");
    }
}
