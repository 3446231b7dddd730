//! Shapes of bodies, filled with tetrahedra or particles.

use crate::{Rejection, Sampling};
use craze_math::Vec3;
use craze_mesh::TetMesh;
use craze_shape::number_format::short;
use craze_shape::{
    BrightnessMap, BuiltIn, Domain, Findings, Meshing, Model, ModelFile, ModelPlacement, ModelVolume, Repaired,
    SampledPoints, Shape, ShapeError, StuffingOptions, SurfaceDomain, Tetrahedra, TriangleSurface, grid_points,
    poisson_points, read_model, repair, resolution, stuff, volume_of,
};
use std::path::Path;

/// Key of a model's file in a body.
const FILE: &str = "shape.mesh.file";

/// The shape of a body once its file has been read.
pub enum Source<'scene> {
    /// A shape of the catalogue.
    BuiltIn(&'scene dyn BuiltIn),
    /// A model, in metres and y up.
    Model(Box<Model>),
}

/// Tetrahedra of a body.
pub struct Solids {
    /// The mesh, and the region of each element.
    pub tetrahedra: Tetrahedra,
    /// Meaning of the region numbers.
    pub regions: Regions,
    /// How the shape was read, repairs, and thin walls.
    pub remarks: Vec<String>,
    /// Number of walls too thin for the tetrahedra.
    pub lost: usize,
}

/// Particles of a body.
pub struct Points {
    /// The particles.
    pub sampled: SampledPoints,
    /// Source of the body's surface.
    pub skin: Option<SkinSource>,
    /// How the shape was read, and repairs.
    pub remarks: Vec<String>,
}

/// Whether particles get a surface around them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skin {
    /// They are shown as balls.
    Without,
    /// They get one if the shape can be filled with tetrahedra or has closed triangles.
    With,
}

/// Source of the surface of a body of particles.
pub enum SkinSource {
    /// Tetrahedra of the size of the particle spacing, with their own surface.
    Tetrahedra(TetMesh),
    /// The model's own closed triangles.
    Drawn(TriangleSurface),
}

/// The regions of tetrahedra, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regions {
    /// Those of a built-in shape, by name.
    Named(&'static [&'static str]),
    /// The rest of a model, and then those of its regions that the scene lists.
    Listed,
}

/// The inside of a model, with its repairs and wall thickness (m).
struct Inside {
    domain: SurfaceDomain,
    remarks: Vec<String>,
    /// Why the model's own triangles cannot be cut, if they cannot.
    fault: Option<String>,
    thinnest: f64,
    /// Half of the walls are thinner (m).
    median: f64,
}

impl<'scene> Source<'scene> {
    /// Reads the model of a shape, if it is one.
    pub fn read(shape: &'scene Shape) -> Result<Self, Rejection> {
        Ok(match shape.built_in() {
            Ok(shape) => Source::BuiltIn(shape),
            Err(file) => {
                let model = read_model_file(file).map_err(|error| error.below("shape.mesh"))?;
                Source::Model(Box::new(model))
            }
        })
    }

    /// The brightness of the vertex colours on the shape's surface, required by `key`.
    pub fn brightness(&self, key: &str) -> Result<BrightnessMap<'_>, Rejection> {
        let (what, found) = match self {
            Source::BuiltIn(_) => ("a built-in shape".to_owned(), None),
            Source::Model(model) => (model.file.clone(), BrightnessMap::of(model)),
        };
        let help = "paint points of an OBJ, PLY or glTF model, or use `seams` and `region`";
        found.ok_or_else(|| Rejection::new(key, format!("{what} has no colours of points"), help))
    }

    /// Lengths of the box around it (m).
    pub fn size(&self) -> Vec3 {
        match self {
            Source::BuiltIn(shape) => shape.size(),
            Source::Model(model) => model.surface.bounds().size(),
        }
    }

    /// Fills it with tetrahedra of this edge (m), or of one that suits its size. A model that has
    /// its own keeps them if no edge is given; `meshing` says how its nodes are arranged, `listed`
    /// lists the numbers of its regions that have a material of their own.
    pub fn tetrahedra(&self, edge: Option<f64>, meshing: &Meshing, listed: &[i32]) -> Result<Solids, Rejection> {
        let too_fine = |error: ShapeError| match error.field() {
            Some(field @ ("pattern" | "turn" | "jitter" | "seed")) => {
                let key = format!("meshing.{field}");
                Rejection::new(key, error, "see docs/scenes.md for meshes of bodies")
            }
            _ => Rejection::new("edge", error, "choose another edge, in metres"),
        };
        let (tetrahedra, regions, mut remarks, thinnest, edge) = match self {
            Source::BuiltIn(shape) => {
                let edge = edge.unwrap_or_else(|| shape.default_edge());
                let regions = Regions::Named(shape.regions());
                (meshing.tetrahedra(*shape, edge).map_err(too_fine)?, regions, Vec::new(), shape.thinnest_wall(), edge)
            }
            Source::Model(model) if model.volume.is_some() && edge.is_none() => {
                if *meshing != Meshing::default() {
                    let message = format!("{} keeps its own tetrahedra", model.file);
                    return Err(Rejection::new(
                        "meshing",
                        message,
                        "give an `edge` to fill it again, or remove `meshing`",
                    ));
                }
                return own_tetrahedra(listed, model);
            }
            Source::Model(model) => {
                if let Some(number) = listed.first() {
                    let (message, help) = if model.volume.is_some() {
                        let message =
                            format!("region {number} is one of the model's own tetrahedra, which `edge` replaces");
                        (message, "remove `edge` to keep them, or the regions")
                    } else {
                        let message = format!("{} has no region {number}", model.file);
                        (message, "only models with their own tetrahedra have regions: remove it")
                    };
                    return Err(Rejection::new("materials.regions[0].number", message, help));
                }
                let Inside { domain, mut remarks, thinnest, .. } = inside(model)?;
                if let Some(own) = &model.volume {
                    let count = own.tetrahedra.len();
                    remarks.push(format!("its own {count} tetrahedra are replaced by others of the asked edge"));
                }
                let edge = edge.unwrap_or_else(|| resolution::edge_in(&domain, volume_of(&domain), thinnest));
                let filled = meshing.stuffed(&domain, edge).map_err(too_fine)?;
                (filled, Regions::Listed, remarks, thinnest, edge)
            }
        };
        remarks.extend(tetrahedra.report.as_ref().and_then(|report| report.thin.warning()));
        let shortened = tetrahedra.report.as_ref().and_then(|report| report.thin.shortened_edge);
        let across = thinnest / shortened.unwrap_or(edge);
        if across < 1.4 {
            remarks.push(format!("walls of {} m are only {} edges thick", short(thinnest), short(across)));
        }
        let lost = tetrahedra.report.as_ref().map_or(0, |report| report.thin.unresolved);
        Ok(Solids { tetrahedra, regions, remarks, lost })
    }

    /// Fills it with particles at this spacing (m), or at one that suits its size. `seed` chooses
    /// among random samplings.
    pub fn points(&self, spacing: Option<f64>, sampling: Sampling, skin: Skin, seed: u64) -> Result<Points, Rejection> {
        let has_skin = skin == Skin::With;
        let (sampled, skin, mut remarks) = match self {
            Source::BuiltIn(shape) => {
                let spacing = spacing.unwrap_or_else(|| shape.default_spacing());
                two_layers(shape.thinnest_wall(), spacing)?;
                let sampled = match sampling {
                    Sampling::Grid => shape.points(spacing),
                    Sampling::Poisson => {
                        poisson_points(&shape.field(), spacing, seed).map(|sampled| sampled.sharing(shape.volume()))
                    }
                };
                let fill = || shape.tetrahedra(spacing).map(|filled| SkinSource::Tetrahedra(filled.mesh));
                (sampled, has_skin.then(fill), Vec::new())
            }
            Source::Model(model) => {
                let Inside { domain, mut remarks, fault, thinnest, median } = inside(model)?;
                let usual = || resolution::spacing_for(volume_of(&domain), domain.surface().area(), thinnest);
                let spacing = spacing.unwrap_or_else(usual);
                // Sharp edges are thin somewhere; a sheet is thin all over.
                two_layers(median, spacing)?;
                let sampled = match sampling {
                    Sampling::Grid => grid_points(&domain, spacing),
                    Sampling::Poisson => poisson_points(&domain, spacing, seed),
                };
                let fill = || match &fault {
                    None => Ok(SkinSource::Drawn(domain.surface().clone())),
                    Some(_) => {
                        let filled = stuff(&domain, &StuffingOptions::with_edge(spacing));
                        filled.map(|filled| SkinSource::Tetrahedra(filled.mesh))
                    }
                };
                let skin = has_skin.then(fill);
                remarks.extend(skin.as_ref().map(|_| match &fault {
                    None => "its skin is the model's own triangles".to_owned(),
                    Some(fault) => format!("its skin is that of tetrahedra, not the model's own triangles: {fault}"),
                }));
                (sampled, skin, remarks)
            }
        };
        let refuse = |error| Rejection::new("spacing", error, "choose another spacing, in metres");
        let sampled = sampled.map_err(refuse)?;
        // Particles get along without a surface.
        let skin = skin.and_then(|filled| {
            filled.map_err(|error| remarks.push(format!("shown as particles, without a surface: {error}"))).ok()
        });
        Ok(Points { sampled, skin, remarks })
    }
}

/// Walls (m) in spacings that hold two layers of particles, wherever the first of them lies.
const TWO_LAYERS: f64 = 1.25;

/// Refuses walls (m) that hold a single layer of particles this far apart (m): clusters in it would
/// have no thickness, and nothing would keep it from folding. The help names a spacing that does.
fn two_layers(thinnest: f64, spacing: f64) -> Result<(), Rejection> {
    if thinnest <= 0.0 || thinnest >= TWO_LAYERS * spacing {
        return Ok(());
    }
    let message = format!(
        "walls of {} m are too thin for particles {} m apart: a body needs two layers of them",
        short(thinnest),
        short(spacing)
    );
    // Two digits, rounded down.
    let digit = 10f64.powf((thinnest / TWO_LAYERS).log10().floor() - 1.0);
    let enough = (thinnest / TWO_LAYERS / digit).floor() * digit;
    let help = format!("choose a spacing of {} m or less, or a thicker shape", short(enough));
    Err(Rejection::new("spacing", message, help))
}

/// Finds what a model encloses.
fn inside(model: &Model) -> Result<Inside, Rejection> {
    let refuse = |error| Rejection::new(FILE, error, "mend the model");
    let Repaired { surface, findings, .. } = repair(&model.surface).map_err(refuse)?;
    let count = surface.triangles.len();
    let domain = SurfaceDomain::of_repaired(surface, &findings).map_err(refuse)?;
    let strays = || (domain.surface().triangles.len() != count).then(|| "parts of it were left out".to_owned());
    let fault = fault_of_triangles(&findings).or_else(strays);
    let remarks = how_read(model).chain(findings.warnings()).chain(domain.warnings()).collect();
    // The thinnest place of all may be a speck; a mesh that resolves all but a twentieth of the
    // walls is fine enough.
    let least = domain.bounds().size().min();
    let (thinnest, median) =
        domain.thickness(0).map_or((least, least), |thickness| (thickness.fifth_percentile, thickness.median));
    Ok(Inside { domain, remarks, fault, thinnest, median })
}

/// Why the triangles of a model that was repaired cannot be cut into closed surfaces; `None` if
/// they can.
pub fn fault_of_triangles(findings: &Findings) -> Option<String> {
    let sound = findings.closed
        && findings.non_manifold_edges == 0
        && findings.degenerate_triangles == 0
        && findings.nested_shells == 0
        && findings.intersections == 0
        && findings.intersections_complete;
    (!sound).then(|| findings.warnings().into_iter().next_back().unwrap_or_else(|| "it is not closed".to_owned()))
}

/// The tetrahedra that a file has; `listed` are its regions with a material of their own.
fn own_tetrahedra(listed: &[i32], model: &Model) -> Result<Solids, Rejection> {
    let Some(ModelVolume { nodes, tetrahedra, regions }) = &model.volume else {
        return Err(Rejection::new("", "the model has no tetrahedra", ""));
    };
    let mesh = TetMesh::from_parts(nodes.clone(), tetrahedra.clone())
        .map_err(|error| Rejection::new(FILE, error, "mend the model"))?;
    let mut remarks: Vec<String> = how_read(model).collect();
    let mut numbers = regions.clone();
    numbers.sort_unstable();
    numbers.dedup();
    for (index, number) in listed.iter().enumerate() {
        if numbers.binary_search(number).is_err() {
            let known: Vec<String> = numbers.iter().take(MOST_NAMED).map(i32::to_string).collect();
            let message = format!("{} has no region {number}", model.file);
            let help = if known.is_empty() { "it has none".to_owned() } else { format!("it has {}", known.join(", ")) };
            return Err(Rejection::new(format!("materials.regions[{index}].number"), message, help));
        }
    }
    if numbers.len() > 1 && listed.is_empty() {
        remarks.push(format!("its {} regions are all of one material", numbers.len()));
    }
    // The rest is region 0; a list of materials has no more than 65,535.
    let of = |number: &i32| listed.iter().position(|known| known == number).map_or(0, |place| place as u16 + 1);
    let region_of = if listed.is_empty() { vec![0; mesh.element_count()] } else { regions.iter().map(of).collect() };
    let tetrahedra = Tetrahedra { mesh, regions: region_of, report: None };
    Ok(Solids { tetrahedra, regions: Regions::Listed, remarks, lost: 0 })
}

/// Regions that a message lists.
const MOST_NAMED: usize = 20;

/// What there is to say of how a model was read.
pub fn how_read(model: &Model) -> impl Iterator<Item = String> + '_ {
    std::iter::once(model.summary()).chain(model.remarks.iter().cloned())
}

/// Reads a model's file, in metres and y up; the middle of its box becomes the origin. Errors stand
/// at the key `file`.
pub fn read_model_file(model: &ModelFile) -> Result<Model, Rejection> {
    let help = "write the path of a model file, relative to the scene file";
    let placement = ModelPlacement { size: model.size, unit: model.unit, up: model.up };
    read_model(Path::new(&model.file), &placement).map_err(|error| Rejection::new("file", error, help))
}
