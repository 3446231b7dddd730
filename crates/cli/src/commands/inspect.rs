//! `craze inspect`

use crate::Voice;
use crate::problem::Problem;
use clap::Args;
use craze_frame::{BodyFrame, Frame, Surface};
use craze_material::{nearest, presets};
use craze_math::Vec3;
use craze_mesh::TetMesh;
use craze_render::{Ground, Settings, render_frame};
use craze_shape::resolution;
use craze_shape::sheet::{Sheet, SheetMesh};
use craze_shape::words::{grouped, short};
use craze_shape::{
    Domain, Model, Reading, Repaired, Shape, StuffingOptions, StuffingReport, SurfaceDomain, Tetrahedra, Thickness,
    TriangleSurface, Unit, UpAxis, estimate, read_model, repair, stuff, volume_of,
};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Memory of a solid, its mesh included (bytes): measured by `craze bench`.
const BYTES_A_TETRAHEDRON: usize = 190;

/// More tetrahedra than this are not made for a look: about a quarter of a minute.
const MOST_FOR_A_LOOK: f64 = 5e5;

#[derive(Args)]
pub struct Arguments {
    /// Model file, or the name of a built-in shape or sheet
    model: PathBuf,
    /// Edge length of tetrahedra in metres; what a scene would take if left out
    #[arg(long, value_name = "METRES", value_parser = length, allow_negative_numbers = true)]
    edge: Option<f64>,
    /// Scale the model so that its largest extent is this, in metres
    #[arg(long, value_name = "METRES", value_parser = length, allow_negative_numbers = true)]
    size: Option<f64>,
    /// Unit of the file's coordinates: m, cm, mm, in or ft
    #[arg(long, default_value = "m", value_parser = unit)]
    unit: Unit,
    /// Which axis of the file points up: y or z
    #[arg(long, default_value = "y", value_parser = up_axis)]
    up: UpAxis,
    /// Weigh it as this material
    #[arg(long, value_name = "PRESET")]
    material: Option<String>,
    /// Path of the picture; the model's name with .png, in the present folder, if left out
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Make no picture
    #[arg(long, conflicts_with = "output")]
    no_picture: bool,
}

fn length(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 => Ok(value),
        Ok(_) => Err("it must be above 0".to_owned()),
        Err(_) => Err("write a number of metres, as in 0.005".to_owned()),
    }
}

fn unit(text: &str) -> Result<Unit, String> {
    let units = [Unit::Metre, Unit::Centimetre, Unit::Millimetre, Unit::Inch, Unit::Foot];
    units.into_iter().find(|unit| unit.to_string() == text).ok_or_else(|| "write m, cm, mm, in or ft".to_owned())
}

fn up_axis(text: &str) -> Result<UpAxis, String> {
    let axes = [UpAxis::Y, UpAxis::Z];
    axes.into_iter().find(|axis| axis.to_string() == text).ok_or_else(|| "write y or z".to_owned())
}

/// Facts about a model, in the order they are told: a line for a person and a value for a program each.
#[derive(Default)]
struct Facts {
    title: String,
    lines: Vec<(&'static str, String)>,
    values: Map<String, Value>,
    /// What a picture shows, and what it stands on.
    surface: TriangleSurface,
    ground: Ground,
}

impl Facts {
    fn tell(&mut self, key: &'static str, line: impl Into<String>, value: impl Into<Value>) {
        self.lines.push((key, line.into()));
        self.values.insert(key.to_owned(), value.into());
    }

    fn size(&mut self, size: Vec3) {
        let [x, y, z] = [size.x, size.y, size.z].map(short);
        self.tell("size", format!("{x} × {y} × {z} m"), json!([size.x, size.y, size.z]));
    }

    fn volume(&mut self, volume: f64, material: Option<&Weight>) {
        self.tell("volume", format!("{} m³", short(volume)), volume);
        if let Some(Weight { name, density }) = material {
            self.tell("mass", format!("{} kg of {name}", short(volume * density)), volume * density);
        }
    }

    fn thinnest(&mut self, thickness: &Thickness) {
        let [x, y, z] = [thickness.place.x, thickness.place.y, thickness.place.z].map(short);
        let line = format!(
            "{} m at ({x}, {y}, {z}); half of the walls are thinner than {} m",
            short(thickness.thinnest),
            short(thickness.median)
        );
        let place: [f64; 3] = thickness.place.into();
        self.tell(
            "thinnest",
            line,
            json!({ "thickness": thickness.thinnest, "place": place, "median": thickness.median }),
        );
    }

    /// Tetrahedra that were made, and how good they are.
    fn mesh(&mut self, mesh: &TetMesh, edge: Option<f64>) {
        let (smallest, largest) =
            mesh.element_ids().map(|tet| mesh.quality(tet)).fold((180.0, 0.0), |range, quality| {
                let [small, large] = [quality.smallest_dihedral, quality.largest_dihedral].map(f64::to_degrees);
                (small.min(range.0), large.max(range.1))
            });
        let (count, bytes) = (mesh.element_count(), BYTES_A_TETRAHEDRON * mesh.element_count());
        let at = edge.map_or(String::new(), |edge| format!(" at an edge of {} m", short(edge)));
        let line = format!(
            "{}{at}, dihedral angles {:.1}° to {:.1}°; {} MB as a solid",
            grouped(count),
            smallest,
            largest,
            short(bytes as f64 / 1e6)
        );
        let value = json!({ "edge": edge, "count": count, "nodes": mesh.point_count(), "bytes": bytes,
                            "volume": mesh.total_measure(), "dihedral": [smallest, largest] });
        self.tell("tetrahedra", line, value);
    }

    /// What became of creases, corners and thin places.
    fn stuffing(&mut self, report: &StuffingReport, edge: f64) {
        let StuffingReport { dihedral, snapped, features, thin, parted, .. } = report;
        let on_creases = features.crease_points + features.corner_points;
        if *snapped > 0 {
            let line = format!(
                "{} points moved onto creases and corners; the {} tetrahedra there are exempt from the bounds, the others have {:.1}° \
                 to {:.1}°",
                grouped(on_creases),
                grouped(*snapped),
                dihedral.smallest,
                dihedral.largest
            );
            self.tell("creases", line, json!({ "points": on_creases, "snapped": snapped, "cut_off": features.edges_cut_off,
                "corners_missed": features.corners_missed, "dihedral_of_others": [dihedral.smallest, dihedral.largest] }));
        }
        if thin.found > 0 {
            let how = if thin.halvings == 1 { "once" } else { "twice" };
            let mut line = format!(
                "{} where the mesh missed the surface by more than an eighth of an edge: cells were halved {how} there",
                grouped(thin.found)
            );
            if let Some(wall) = thin.thinnest.filter(|wall| wall.thickness < edge) {
                let [x, y, z] = wall.place.map(short);
                line += &format!(", the thinnest wall among them is {} m at ({x}, {y}, {z})", short(wall.thickness));
            }
            if thin.left > 0 {
                line += &format!("; {} are lost still, a shorter edge would show them", grouped(thin.left));
            }
            let wall = thin.thinnest.map(|wall| json!({ "thickness": wall.thickness, "place": wall.place }));
            self.tell(
                "thin",
                line,
                json!({ "found": thin.found, "halvings": thin.halvings, "lost": thin.left, "thinnest": wall }),
            );
        }
        if *parted > 0 {
            self.tell("parted", format!("{} places where parts only touched", grouped(*parted)), *parted);
        }
    }

    /// Tetrahedra that are too many to make for a look.
    fn estimate(&mut self, count: f64, edge: f64) {
        let bytes = BYTES_A_TETRAHEDRON as f64 * count;
        let line =
            format!("about {} at an edge of {} m; {} MB as a solid", short(count), short(edge), short(bytes / 1e6));
        self.tell("tetrahedra", line, json!({ "edge": edge, "count": count, "bytes": bytes, "estimated": true }));
    }
}

struct Weight {
    name: String,
    density: f64,
}

/// Says what a model is, what is wrong with it and what would become of it.
pub fn run(arguments: &Arguments, voice: Voice) -> Result<(), Problem> {
    let weight = arguments.material.as_deref().map(weight).transpose()?;
    let found = built_in(&arguments.model)?;
    let is_default = arguments.size.is_none() && arguments.unit == Unit::Metre && arguments.up == UpAxis::Y;
    if found.is_some() && !is_default {
        let help = "--size, --unit and --up are for model files; a scene sets the sizes of built-in shapes";
        return Err(Problem::new(format!("\"{}\" is built in, at its default size", arguments.model.display()), help));
    }
    let mut facts = match found {
        Some(Found::Shape(shape)) => shape_facts(&shape, arguments, weight.as_ref())?,
        Some(Found::Sheet(sheet)) => sheet_facts(&sheet, arguments)?,
        None => {
            let reading = Reading { size: arguments.size, unit: arguments.unit, up: arguments.up };
            let model = read_model(&arguments.model, &reading)?;
            model_facts(model, arguments, weight.as_ref())?
        }
    };
    if !arguments.no_picture {
        let path = arguments.output.clone().unwrap_or_else(|| {
            let name = arguments.model.file_stem().unwrap_or_default();
            Path::new(name).with_extension("png")
        });
        picture(std::mem::take(&mut facts.surface), facts.ground).and_then(|image| Ok(image.write_png(&path)?))?;
        facts.tell("picture", path.display().to_string(), path.display().to_string());
    }
    let mut stdout = std::io::stdout().lock();
    match voice {
        Voice::Person => {
            writeln!(stdout, "{}", facts.title)?;
            for (key, line) in &facts.lines {
                writeln!(stdout, "  {key:11} {line}")?;
            }
        }
        Voice::Program => writeln!(stdout, "{}", Value::Object(facts.values))?,
        Voice::Silent => {}
    }
    Ok(())
}

fn weight(name: &str) -> Result<Weight, Problem> {
    let preset = presets::all().find(|preset| preset.name == name).ok_or_else(|| {
        let near = nearest(name, presets::names());
        let help = near.map_or("`craze materials` lists all".to_owned(), |near| format!("did you mean \"{near}\"?"));
        Problem::new(format!("there is no material called \"{name}\""), help)
    })?;
    Ok(Weight { name: name.to_owned(), density: preset.material().density })
}

/// What Craze makes itself under a name.
enum Found {
    Shape(Shape),
    Sheet(Sheet),
}

/// The shape or sheet of a name; none for the path of a file that is there or has an ending.
fn built_in(path: &Path) -> Result<Option<Found>, Problem> {
    let name = path.to_string_lossy().replace('-', "_");
    if let Some(shape) = Shape::all().into_iter().find(|shape| shape.name() == name) {
        return Ok(Some(Found::Shape(shape)));
    }
    // Some names are those of a solid and of a sheet.
    let sheet_name = name.strip_prefix("sheet.").unwrap_or(&name);
    if let Some(sheet) = Sheet::all().into_iter().find(|sheet| sheet.name() == sheet_name) {
        return Ok(Some(Found::Sheet(sheet)));
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
    Err(Problem::new(format!("there is no file and no built-in shape called \"{}\"", path.display()), help))
}

fn shape_facts(shape: &Shape, arguments: &Arguments, weight: Option<&Weight>) -> Result<Facts, Problem> {
    let title = format!("{}: built in, at its default size", shape.name());
    let mut facts = Facts { title, ground: Ground::UnderBodies, ..Facts::default() };
    facts.values.insert("model".into(), shape.name().into());
    let Ok(made) = shape.built_in() else { return Ok(facts) };
    facts.size(made.size());
    facts.volume(made.volume(), weight);
    let wall = made.thinnest_wall();
    facts.tell("thinnest", format!("{} m", short(wall)), json!({ "thickness": wall }));
    let edge = arguments.edge.unwrap_or_else(|| made.default_edge());
    let Tetrahedra { mesh, report, .. } = made.tetrahedra(edge)?;
    facts.mesh(&mesh, Some(edge));
    if let Some(report) = report {
        facts.stuffing(&report, edge);
    }
    facts.surface = TriangleSurface::around(&mesh);
    Ok(facts)
}

fn sheet_facts(sheet: &Sheet, arguments: &Arguments) -> Result<Facts, Problem> {
    let title = format!("{}: a built-in sheet, at its default size", sheet.name());
    // On a ground that it touches everywhere, a flat sheet could not be seen.
    let mut facts = Facts { title, ground: Ground::Hidden, ..Facts::default() };
    facts.values.insert("model".into(), sheet.name().into());
    facts.size(sheet.size());
    facts.tell("area", format!("{} m²", short(sheet.area())), sheet.area());
    let edge = arguments.edge.unwrap_or_else(|| sheet.default_edge());
    let SheetMesh { mesh, boundary, .. } = sheet.mesh(edge)?;
    facts.tell("rims", boundary.len().to_string(), boundary.len());
    let line = format!("{} at an edge of {} m", grouped(mesh.element_count()), short(edge));
    facts.tell("triangles", line, json!({ "edge": edge, "count": mesh.element_count() }));
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
    facts.size(findings.size);
    facts.tell("area", format!("{} m²", short(findings.area)), findings.area);
    let closed = if findings.closed { "closed" } else { "open" };
    let components = match findings.components {
        1 => "1 component".to_owned(),
        several => format!("{} components", grouped(several)),
    };
    facts.tell(
        "surface",
        format!("{closed}, {components}"),
        json!({ "closed": findings.closed, "components": findings.components }),
    );
    let warnings = findings.warnings();
    match warnings.is_empty() {
        true => facts.lines.push(("repairs", "none needed".to_owned())),
        false => warnings.iter().for_each(|warning| facts.lines.push(("repairs", warning.clone()))),
    }
    facts.values.insert("repairs".into(), json!(warnings));
    if let Some(volume) = &model.volume {
        if arguments.edge.is_some() {
            let help = "leave --edge out, or give a file of the surface alone";
            return Err(Problem::new(format!("{} has tetrahedra of its own", model.file), help));
        }
        let mesh = volume.mesh()?;
        facts.volume(mesh.total_measure(), weight);
        facts.mesh(&mesh, None);
        facts.surface = model.surface;
        return Ok(facts);
    }
    match SurfaceDomain::of_repaired(surface, &findings) {
        Ok(domain) => domain_facts(&mut facts, &domain, arguments, weight)?,
        Err(error) => facts.tell("inside", error.to_string(), json!({ "error": error.to_string() })),
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
    let volume = volume_of(domain);
    facts.volume(volume, weight);
    let thickness = domain.thickness(0);
    if let Some(thickness) = &thickness {
        facts.thinnest(thickness);
    }
    let size = domain.bounds().size();
    let wall = thickness.map_or(size.min(), |thickness| thickness.fifth_percentile);
    let edge = arguments.edge.unwrap_or_else(|| resolution::edge_for(volume, wall));
    let options = StuffingOptions::with_edge(edge);
    let estimate = estimate(domain, &options)?;
    if estimate.tetrahedra > MOST_FOR_A_LOOK {
        facts.estimate(estimate.tetrahedra, edge);
        return Ok(());
    }
    match stuff(domain, &options) {
        Ok(stuffing) => {
            facts.mesh(&stuffing.mesh, Some(edge));
            facts.stuffing(&stuffing.report, edge);
        }
        Err(error) => facts.tell("tetrahedra", error.to_string(), json!({ "error": error.to_string() })),
    }
    Ok(())
}

/// A picture of a surface: a solid stands on the ground, a sheet hangs in the air.
fn picture(surface: TriangleSurface, ground: Ground) -> Result<craze_render::Image, Problem> {
    let body = BodyFrame {
        name: "model".into(),
        surface: Surface { positions: surface.positions, triangles: surface.triangles, ..Surface::default() },
        ..BodyFrame::default()
    };
    let frame = Frame { bodies: vec![body], ..Frame::default() };
    Ok(render_frame(&frame, &Settings { width: 800, height: 600, ground, ..Settings::default() })?)
}
