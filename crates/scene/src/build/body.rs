//! Bodies: shape, material and method.

use super::{at_key, crack, rejected};
use crate::description::Body;
use crate::document::SceneDocument;
use crate::report::SceneError;
use craze_descriptor::{BodyKey, Descriptor, Elements, Regions, Setup, Solids, Source};
use craze_frame::{Look, names};
use craze_material::{Material, Overrides};
use craze_math::{Isometry, Vec3};
use craze_mesh::{ElementRule, TetMesh, Values};
use craze_shape::number_format::short;

/// A body, how it was read, and the number of regions that are too thin for its tetrahedra.
pub struct Read {
    pub body: craze_engine::Body,
    pub look: Option<Look>,
    pub line: String,
    pub lost: usize,
}

/// A body whose shape has been read and filled, before it is given to its method.
pub struct Filled<'scene> {
    index: usize,
    method: &'static Descriptor,
    source: Source<'scene>,
    material: Material,
    /// None where the method has no tetrahedra.
    solids: Option<Solids>,
}

/// The outward triangles of a mesh, and half of the distance (m) that its body will keep from others.
type ContactBoundary = fn(&TetMesh) -> (Vec<[u32; 3]>, f64);

impl<'scene> Filled<'scene> {
    /// Reads the shape and the material of a body, and fills it with tetrahedra if its method has them.
    pub fn read(document: &'scene SceneDocument, index: usize) -> Result<Self, SceneError> {
        let body = &document.scene.bodies[index];
        let path = format!("body[{index}]");
        let method = document.methods().iter().find(|method| method.name == body.method);
        let unknown = || rejected(document, &format!("{path}.method"), "there is no such method", "");
        let method = method.ok_or_else(unknown)?;
        let material = resolve(document, method, &body.material, &format!("{path}.material"))?;
        let source = Source::read(&body.shape).map_err(|error| at_key(document, &path, error))?;
        let solids = match method.elements {
            Elements::Tetrahedra { .. } => {
                let regions = body.materials.iter().flat_map(|materials| &materials.regions);
                let listed: Vec<i32> = regions.map(|region| region.number).collect();
                Some(
                    source
                        .tetrahedra(body.edge, &body.meshing.unwrap_or_default(), &listed)
                        .map_err(|error| at_key(document, &path, error))?,
                )
            }
            Elements::Particles => None,
        };
        Ok(Filled { index, method, source, material, solids })
    }

    /// The tetrahedra of the body, where it stands, and what gives their surface.
    pub fn mesh(&mut self, document: &SceneDocument) -> Option<(&mut TetMesh, Isometry, ContactBoundary)> {
        let Elements::Tetrahedra { contact_boundary } = self.method.elements else { return None };
        let placement = placed(&document.scene.bodies[self.index]);
        self.solids.as_mut().map(|solids| (&mut solids.tetrahedra.mesh, placement, contact_boundary))
    }
}

/// Makes a body.
pub fn build(document: &SceneDocument, filled: Filled) -> Result<Read, SceneError> {
    let Filled { index, method, source, material, solids } = filled;
    let body = &document.scene.bodies[index];
    let path = format!("body[{index}]");
    let own = || Look::for_material(&material.name).unwrap_or_else(|| Look::for_unknown(&body.name));
    let look = body.look.as_ref().map(|look| look.resolve(own()));
    let (mut materials, mut mesh, mut remarks, mut lost) = (vec![material], None, Vec::new(), 0);
    if let Some(solids) = solids {
        materials = region_materials(document, body, method, &path, &materials[0], solids.regions)?;
        let (mut filled, mut region_of) = (solids.tetrahedra.mesh, solids.tetrahedra.regions);
        let mut findings = solids.remarks;
        if let Some(cracked) = crack::open(document, &body.name, &filled, &placed(body))? {
            region_of = cracked.parents.iter().map(|&parent| region_of[parent as usize]).collect();
            filled = cracked.mesh;
            findings.extend(cracked.remarks);
        }
        if materials.len() > 1 {
            let labels = Values::Labels(region_of.into_iter().map(u32::from).collect());
            (filled.element_attributes_mut().add(names::MATERIAL, ElementRule::Copy, labels))
                .map_err(|error| rejected(document, &path, error, ""))?;
        }
        (mesh, remarks, lost) = (Some(filled), findings, solids.lost);
    }
    let setup = Setup {
        source: &source,
        mesh,
        materials,
        spacing: body.spacing,
        integrator: body.integrator.unwrap_or_default(),
        time_step: body.time_step,
        placement: placed(body),
        velocity: body.place.velocity.into(),
        spin: body.place.spin.into(),
        gravity: document.scene.world.gravity.into(),
        seed: document.scene.world.seed,
    };
    let built = method.build(setup, body.tables.table(method.name)).map_err(|error| at_key(document, &path, error))?;
    remarks.extend(built.remarks);
    let size = source.size();
    let mass = built.method.account(&Vec3::zeros()).mass;
    let preset = body.material.preset.as_ref().map_or(String::new(), |preset| format!(" of {preset}"));
    let line = format!(
        "{}: {} × {} × {} m, {} kg{preset}, {}",
        body.name,
        short(size.x),
        short(size.y),
        short(size.z),
        short(mass),
        std::iter::once(built.elements).chain(remarks).collect::<Vec<_>>().join("; ")
    );
    let body = craze_engine::Body::new(&body.name, built.method, method.load);
    Ok(Read { body, look, line, lost })
}

/// The material of a body, then those of its regions.
fn region_materials(
    document: &SceneDocument,
    body: &Body,
    method: &Descriptor,
    path: &str,
    material: &Material,
    regions: Regions,
) -> Result<Vec<Material>, SceneError> {
    let mut materials = vec![material.clone()];
    let key = BodyKey::Materials.name();
    match regions {
        Regions::Named(names) => {
            for name in &names[1..] {
                materials.push(match body.materials.as_ref().and_then(|materials| materials.of(name)) {
                    Some(region) => resolve(document, method, region, &format!("{path}.{key}.{name}"))?,
                    None => material.clone(),
                });
            }
        }
        Regions::Listed => {
            for (place, region) in body.materials.iter().flat_map(|all| &all.regions).enumerate() {
                let key = format!("{path}.{key}.regions[{place}].material");
                materials.push(resolve(document, method, &region.material, &key)?);
            }
        }
    }
    Ok(materials)
}

/// The material that a table of a body says. `path` is the key of the table.
fn resolve(
    document: &SceneDocument,
    method: &Descriptor,
    table: &Overrides,
    path: &str,
) -> Result<Material, SceneError> {
    table.resolve_for(method.material).map_err(|error| {
        rejected(document, &format!("{path}.{}", error.field()), error, "see `craze materials` for presets")
    })
}

/// Where a body stands at t = 0.
fn placed(body: &Body) -> Isometry {
    Isometry::from_parts(Vec3::from(body.place.at).into(), body.place.rotation())
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
