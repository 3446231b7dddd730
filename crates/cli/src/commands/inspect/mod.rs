//! `craze inspect`

mod facts;

use crate::problem::{self, Problem};
use crate::tuning::MAX_REPORT_TETRAHEDRA;
use crate::{OutputMode, choices};
use clap::Args;
use craze_frame::{BodyFrame, Frame, Surface};
use craze_material::{nearest, presets};
use craze_mesh::TetMesh;
use craze_render::{Ground, Settings, render_frame};
use craze_shape::number_format::{grouped, short};
use craze_shape::resolution::{self, TETRAHEDRA_PER_CUBIC_EDGE};
use craze_shape::sheet::{Sheet, SheetMesh};
use craze_shape::{
    Domain, Model, ModelPlacement, Repaired, Shape, ShapeError, Stuffing, StuffingOptions, SurfaceDomain,
    TriangleSurface, Unit, UpAxis, estimate, quick_estimate, read_model, repair, stuff, volume_of,
};
use facts::{Facts, Origin, Weight};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Most tetrahedra of the background lattice, which for thin walls lie mostly outside.
const MAX_LATTICE_TETRAHEDRA: f64 = 5.0 * MAX_REPORT_TETRAHEDRA;
/// Number of tetrahedra above which a mesh whose refinement was skipped is estimated instead.
const MAX_UNREFINED_TETRAHEDRA: usize = (MAX_LATTICE_TETRAHEDRA / 8.0) as usize;

#[derive(Args)]
pub struct Arguments {
    /// Model file, or name of a built-in shape or sheet
    model: PathBuf,
    /// Edge of tetrahedra in metres; by default that of a scene
    #[arg(long, value_name = "METRES", value_parser = length, allow_negative_numbers = true)]
    edge: Option<f64>,
    /// Scale the model so that its largest extent is this, in metres
    #[arg(long, value_name = "METRES", value_parser = length, allow_negative_numbers = true)]
    size: Option<f64>,
    /// Unit of the file's coordinates
    #[arg(long, default_value = "m", value_parser = choices::unit())]
    unit: Unit,
    /// Which axis of the file points up: y, z or x
    #[arg(long, default_value = "y", value_parser = choices::up_axis())]
    up: UpAxis,
    /// Material for the mass
    #[arg(long, value_name = "PRESET")]
    material: Option<String>,
    /// Path of the picture; by default the model's name with .inspect.png in the current folder
    #[arg(long, short, value_name = "FILE", value_parser = picture_path)]
    output: Option<PathBuf>,
    /// Skip the picture
    #[arg(long, conflicts_with = "output")]
    no_picture: bool,
}

pub fn length(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 => Ok(value),
        _ => Err("write a length in metres, a number above 0, as in 0.005".to_owned()),
    }
}

fn picture_path(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension() {
        Some(ending) if ending.eq_ignore_ascii_case("png") => Ok(path),
        _ => Err("pictures are PNG files: write a name that ends in .png".to_owned()),
    }
}

/// Reports what a model is, its faults, and how it would be meshed.
pub fn run(arguments: &Arguments, mode: OutputMode) -> Result<(), Problem> {
    let weight = arguments.material.as_deref().map(weight).transpose()?;
    let found = built_in(&arguments.model)?;
    let is_default = arguments.size.is_none() && arguments.unit == Unit::Metre && arguments.up == UpAxis::Y;
    if found.is_some() && !is_default {
        let help = "--size, --unit and --up are for model files; a scene sets the sizes of built-in shapes";
        return Err(Problem::new(format!("\"{}\" is built in, at its default size", arguments.model.display()), help));
    }
    let (mut facts, name) = match found {
        Some(Found::Shape(shape)) => (shape_facts(&shape, arguments, weight.as_ref())?, arguments.model.as_os_str()),
        Some(Found::Sheet(sheet)) => (sheet_facts(&sheet, arguments)?, arguments.model.as_os_str()),
        None => {
            let reading = ModelPlacement { size: arguments.size, unit: arguments.unit, up: arguments.up };
            let model = read_model(&arguments.model, &reading)?;
            (model_facts(model, arguments, weight.as_ref())?, arguments.model.file_stem().unwrap_or_default())
        }
    };
    let mut drawn = Ok(());
    if !arguments.no_picture {
        // A distinct name, since a texture may have the model's name.
        let path = arguments.output.clone().unwrap_or_else(|| {
            let mut name = name.to_owned();
            name.push(".inspect.png");
            name.into()
        });
        drawn = draw(std::mem::take(&mut facts.surface), facts.ground, &path);
        if drawn.is_ok() {
            facts.add("picture", path.display().to_string(), path.display().to_string());
        }
    }
    print(facts, mode)?;
    drawn
}

fn print(facts: Facts, mode: OutputMode) -> Result<(), Problem> {
    let mut stdout = std::io::stdout().lock();
    match mode {
        OutputMode::Text => {
            writeln!(stdout, "{}", facts.title)?;
            for (key, line) in &facts.lines {
                writeln!(stdout, "  {key:11} {line}")?;
            }
        }
        OutputMode::Json => writeln!(stdout, "{}", Value::Object(facts.values))?,
        OutputMode::Quiet => {}
    }
    Ok(())
}

fn weight(name: &str) -> Result<Weight, Problem> {
    let preset = presets::all().find(|preset| preset.name == name).ok_or_else(|| {
        let near = nearest(name, presets::names());
        let help = near.map_or("`craze materials` lists all".to_owned(), |near| format!("did you mean \"{near}\"?"));
        Problem::new(format!("there is no material named \"{name}\""), help)
    })?;
    Ok(Weight { name: name.to_owned(), density: preset.material().density })
}

/// What a built-in name refers to.
pub enum Found {
    Shape(Shape),
    Sheet(Sheet),
}

/// The shape or sheet of a name; `None` for existing files and paths with an extension.
pub fn built_in(path: &Path) -> Result<Option<Found>, Problem> {
    let name = path.to_string_lossy().replace('-', "_");
    if let Some(shape) = Shape::all().into_iter().find(|shape| shape.name() == name) {
        return Ok(Some(Found::Shape(shape)));
    }
    // Some names belong to a solid and a sheet.
    let sheet_name = name.strip_prefix("sheet.").unwrap_or(&name);
    if let Some(sheet) = Sheet::all().into_iter().find(|sheet| sheet.name() == sheet_name) {
        return Ok(Some(Found::Sheet(sheet)));
    }
    if path.extension().is_some_and(|ending| ending == "toml") {
        let help = format!("`craze check {}` looks at it", problem::quoted(path));
        return Err(Problem::new(format!("{} is a scene, not a model", path.display()), help));
    }
    if path.exists() || path.extension().is_some() {
        return Ok(None);
    }
    let solids = Shape::all().iter().map(|shape| shape.name().to_owned()).collect::<Vec<_>>();
    let sheets = Sheet::all().iter().map(|sheet| format!("sheet.{}", sheet.name())).collect::<Vec<_>>();
    let help = match nearest(&name, solids.iter().chain(&sheets).map(String::as_str)) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => format!("give a model file, one of {}, or one of {}", solids.join(", "), sheets.join(", ")),
    };
    Err(Problem::new(format!("there is no file and no built-in shape named \"{}\"", path.display()), help))
}

fn shape_facts(shape: &Shape, arguments: &Arguments, weight: Option<&Weight>) -> Result<Facts, Problem> {
    let title = format!("{}: built in, at its default size", shape.name());
    let mut facts = Facts { title, ground: Ground::UnderBodies, ..Facts::default() };
    facts.values.insert("model".into(), shape.name().into());
    let Ok(made) = shape.built_in() else { return Ok(facts) };
    facts.size(made.size());
    facts.volume(made.volume(), weight);
    let wall = made.thinnest_wall();
    facts.add("thinnest", format!("{} m", short(wall)), json!({ "thickness": wall }));
    let edge = arguments.edge.unwrap_or_else(|| made.default_edge());
    // These have their own lattice, equally fine inside and outside.
    if matches!(shape, Shape::Box(_) | Shape::Sphere(_) | Shape::Cylinder(_) | Shape::BrickWall(_)) {
        let expected = TETRAHEDRA_PER_CUBIC_EDGE * made.volume() / edge.powi(3);
        if expected > MAX_REPORT_TETRAHEDRA {
            facts.estimate(expected, edge);
            facts.memory(expected, Origin::Given);
            facts.surface = made.surface(made.default_edge())?;
        } else {
            let mesh = made.tetrahedra(edge)?.mesh;
            facts.mesh(&mesh, Some(edge));
            facts.memory(mesh.element_count() as f64, Origin::Given);
            facts.surface = TriangleSurface::around(&mesh);
        }
        return Ok(facts);
    }
    facts.surface = match stuffing_facts(&mut facts, &made.field(), edge)? {
        Some(mesh) => TriangleSurface::around(&mesh),
        None => made.surface(made.default_edge())?,
    };
    Ok(facts)
}

/// Reports on stuffing, and returns the mesh unless it takes too long.
fn stuffing_facts(facts: &mut Facts, domain: &dyn Domain, edge: f64) -> Result<Option<TetMesh>, Problem> {
    let whole = StuffingOptions::with_edge(edge);
    let made = if quick_estimate(domain, &whole)?.tetrahedra > MAX_REPORT_TETRAHEDRA {
        None
    } else {
        // Refinement of thin walls may exceed the limit. Then the mesh of a run is estimated.
        match stuff(domain, &StuffingOptions { limit: MAX_LATTICE_TETRAHEDRA, ..whole }) {
            Ok(Stuffing { report, .. })
                if report.thin.skipped_tetrahedra.is_some() && report.tetrahedra > MAX_UNREFINED_TETRAHEDRA =>
            {
                None
            }
            Err(ShapeError::TooFine { .. }) => None,
            other => Some(other),
        }
    };
    match made {
        None => {
            let expected = estimate(domain, &whole)?.tetrahedra;
            facts.estimate(expected, edge);
            facts.memory(expected, Origin::Cut);
            Ok(None)
        }
        Some(Ok(Stuffing { mesh, report, .. })) => {
            facts.mesh(&mesh, Some(edge));
            facts.memory(mesh.element_count() as f64, Origin::Cut);
            facts.stuffing(&report);
            Ok(Some(mesh))
        }
        Some(Err(error)) => {
            facts.add("tetrahedra", format!("none: {error}"), json!({ "error": error.to_string() }));
            Ok(None)
        }
    }
}

fn sheet_facts(sheet: &Sheet, arguments: &Arguments) -> Result<Facts, Problem> {
    if arguments.material.is_some() {
        let help = "--material is for what has a volume";
        return Err(Problem::new(format!("the sheet \"{}\" has no thickness to weigh", sheet.name()), help));
    }
    let title = format!("{}: a built-in sheet, at its default size", sheet.name());
    // A flat sheet would coincide with the ground.
    let mut facts = Facts { title, ground: Ground::Hidden, ..Facts::default() };
    facts.values.insert("model".into(), sheet.name().into());
    facts.size(sheet.size());
    facts.area(sheet.area());
    let edge = arguments.edge.unwrap_or_else(|| sheet.default_edge());
    let SheetMesh { mesh, boundary, .. } = sheet.mesh(edge)?;
    facts.add("rims", boundary.len().to_string(), boundary.len());
    let line = format!("{} at an edge of {} m", grouped(mesh.element_count()), short(edge));
    facts.add("triangles", line, json!({ "edge": edge, "count": mesh.element_count() }));
    facts.surface = TriangleSurface { positions: mesh.positions().to_vec(), triangles: mesh.elements().to_vec() };
    Ok(facts)
}

fn model_facts(model: Model, arguments: &Arguments, weight: Option<&Weight>) -> Result<Facts, Problem> {
    let mut facts = Facts { title: model.summary(), ground: Ground::UnderBodies, ..Facts::default() };
    facts.values.insert("model".into(), model.file.clone().into());
    facts.values.insert("format".into(), model.format.map_or(Value::Null, |format| format.name().into()));
    facts.values.insert("remarks".into(), json!(model.remarks));
    for remark in &model.remarks {
        facts.lines.push(("remark", remark.clone()));
    }
    let Repaired { surface, findings, .. } = repair(&model.surface)?;
    facts.findings(&findings);
    let domain = SurfaceDomain::of_repaired(surface, &findings);
    // As in scenes, a requested edge replaces the file's tetrahedra.
    if let Some(volume) = model.volume.as_ref().filter(|_| arguments.edge.is_none()) {
        let mesh = volume.mesh()?;
        facts.volume(mesh.total_measure(), weight);
        if let Some(thickness) = domain.ok().and_then(|domain| domain.thickness(0)) {
            facts.thinnest(&thickness);
        }
        facts.mesh(&mesh, None);
        facts.memory(mesh.element_count() as f64, Origin::Given);
        facts.regions(&volume.regions);
        facts.surface = model.surface;
        return Ok(facts);
    }
    if let Some(own) = &model.volume {
        let count = grouped(own.tetrahedra.len());
        facts.lines.push(("remark", format!("its own {count} tetrahedra are replaced by others of the asked edge")));
    }
    match domain {
        Ok(domain) => domain_facts(&mut facts, &domain, arguments, weight)?,
        Err(error) => facts.add("inside", error.to_string(), json!({ "error": error.to_string() })),
    }
    if !findings.closed {
        facts.sheet(&findings, arguments.edge);
    }
    facts.surface = model.surface;
    Ok(facts)
}

fn domain_facts(
    facts: &mut Facts,
    domain: &SurfaceDomain,
    arguments: &Arguments,
    weight: Option<&Weight>,
) -> Result<(), Problem> {
    domain.warnings().into_iter().for_each(|warning| facts.lines.push(("repairs", warning)));
    let volume = volume_of(domain);
    facts.volume(volume, weight);
    let thickness = domain.thickness(0);
    if let Some(thickness) = &thickness {
        facts.thinnest(thickness);
    }
    let size = domain.bounds().size();
    let wall = thickness.map_or(size.min(), |thickness| thickness.fifth_percentile);
    let edge = arguments.edge.unwrap_or_else(|| resolution::edge_in(domain, volume, wall));
    stuffing_facts(facts, domain, edge)?;
    Ok(())
}

/// Renders a surface: solids stand on the ground, sheets hang in the air.
fn draw(surface: TriangleSurface, ground: Ground, path: &Path) -> Result<(), Problem> {
    let body = BodyFrame {
        name: "model".into(),
        surface: Surface { positions: surface.positions, triangles: surface.triangles, ..Surface::default() },
        ..BodyFrame::default()
    };
    let frame = Frame { bodies: vec![body], ..Frame::default() };
    let settings = Settings { width: 800, height: 600, ground, ..Settings::default() };
    Ok(render_frame(&frame, &settings)?.write_png(path)?)
}
