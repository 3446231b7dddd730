//! `craze render`

use crate::OutputMode;
use crate::choices::Shown;
use crate::problem::Problem;
use crate::source_surfaces::source_surfaces;
use clap::Args;
use craze_engine::RunFolder;
use craze_export::{ShardSequence, ShardSettings};
use craze_frame::{Frame, FrameFileError, Surface};
use craze_math::Vec3;
use craze_render::{Camera, Coloring, Image, Settings, ValueRange, Wireframe, render_frame, silhouette, write_gif};
use craze_scene::{ColorBy, Scene, SceneDocument};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Frames of a sequence that camera and colour range are fitted to.
const FITTED_FRAMES: usize = 5;

#[derive(Args)]
pub struct Arguments {
    /// Folder of the run
    run: PathBuf,
    /// This frame only
    #[arg(long, value_name = "N")]
    frame: Option<u32>,
    /// Make one GIF of all frames instead of a picture per frame
    #[arg(long)]
    gif: bool,
    /// Folder for the pictures (or path of the GIF); "pictures" inside the run by default
    #[arg(long, short)]
    output: Option<PathBuf>,
    /// What colours show; as in the scene if left out
    #[arg(long, value_enum)]
    color: Option<Shown>,
    /// Width and height in pixels, as in 1920x1080; by default as in the scene
    #[arg(long, value_parser = parse_size)]
    size: Option<[u32; 2]>,
    /// Rays per pixel; by default as in the scene
    #[arg(long)]
    samples: Option<u32>,
    /// Show the edges of triangles
    #[arg(long)]
    wireframe: bool,
    /// Show the pieces at their rest positions, slightly shrunk, which reveals all cracks
    #[arg(long)]
    reassembled: bool,
    /// Show shards as in `craze export --format shards`, with the model's own triangles and rough
    /// cracks; each moves as a rigid body
    #[arg(long, conflicts_with_all = ["particles", "wireframe"])]
    shards: bool,
    /// Show particles as balls instead of a surface
    #[arg(long, conflicts_with = "reassembled")]
    particles: bool,
}

fn parse_size(text: &str) -> Result<[u32; 2], String> {
    let sides: Option<Vec<u32>> = text.split('x').map(|side| side.parse().ok()).collect();
    match sides.as_deref() {
        Some(&[width, height]) => Ok([width, height]),
        _ => Err("write width and height with an x between, as in 1920x1080".to_owned()),
    }
}

pub fn run(arguments: &Arguments, mode: OutputMode) -> Result<(), Problem> {
    let files = frame_files(&arguments.run, arguments.frame)?;
    let scene = SceneDocument::read(&RunFolder::scene_path(&arguments.run), &[])?.scene;
    let mut settings = settings(&scene);
    if let Some(color) = arguments.color {
        settings.coloring = color.into();
    }
    if let Some([width, height]) = arguments.size {
        (settings.width, settings.height) = (width, height);
    }
    settings.samples = arguments.samples.unwrap_or(settings.samples);
    if arguments.wireframe {
        settings.wireframe = Wireframe::Shown;
    }
    let all = frame_files(&arguments.run, None)?;
    let settings = fitted(settings, &files, &all)?;
    if arguments.shards && !matches!(settings.coloring, Coloring::Material | Coloring::Piece) {
        let help = "leave --shards out, or show --color material or piece";
        return Err(Problem::new("shards carry neither stress nor velocity nor plastic strain", help));
    }
    let film = match arguments.shards {
        true => Some(ShardFrames::of(&arguments.run, &ShardSettings::default())?),
        false => None,
    };
    let first = match arguments.reassembled {
        true => all.first().map(|file| craze_frame::read(file)).transpose()?,
        false => None,
    };
    let picture = |file: &PathBuf| {
        let mut frame = match &film {
            Some(film) => film.frame(file)?,
            None => craze_frame::read(file)?,
        };
        if let Some(first) = &first {
            frame = frame.reassembled(first);
        }
        if arguments.particles {
            show_particles(&mut frame);
        }
        // Costs extra rays, so only for programs.
        let share = if mode == OutputMode::Json { Some(silhouette(&frame, &settings)?) } else { None };
        Ok::<(Image, Option<f64>), Problem>((render_frame(&frame, &settings)?, share))
    };
    let written = if arguments.gif {
        let path = arguments.output.clone().unwrap_or_else(|| arguments.run.join("animation.gif"));
        make_folder(path.parent().unwrap_or(Path::new("")))?;
        let (images, shares): (Vec<Image>, Vec<_>) =
            files.iter().map(picture).collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
        write_gif(&path, &images, 1.0 / scene.world.fps)?;
        vec![(path, shares)]
    } else {
        let folder = arguments.output.clone().unwrap_or_else(|| arguments.run.join("pictures"));
        make_folder(&folder)?;
        let mut written = Vec::new();
        for file in &files {
            let path = folder.join(file.with_extension("png").file_name().unwrap_or_default());
            let (image, share) = picture(file)?;
            image.write_png(&path)?;
            written.push((path, vec![share]));
        }
        written
    };
    let mut stdout = std::io::stdout().lock();
    for (path, shares) in written {
        match mode {
            OutputMode::Text => writeln!(stdout, "{}", path.display())?,
            OutputMode::Json => {
                writeln!(stdout, "{}", serde_json::json!({ "picture": path, "silhouettes": shares }))?;
            }
            OutputMode::Quiet => {}
        }
    }
    Ok(())
}

fn make_folder(folder: &Path) -> Result<(), Problem> {
    std::fs::create_dir_all(folder).map_err(|error| {
        Problem::new(format!("cannot create the folder {}: {error}", folder.display()), "choose another with -o")
    })
}

/// Files of all frames of a run, or of one.
pub fn frame_files(run: &Path, only: Option<u32>) -> Result<Vec<PathBuf>, Problem> {
    let help = "give the folder of a run, as in out/two-bodies";
    if !run.exists() {
        return Err(Problem::new(format!("there is no folder {}", run.display()), help));
    }
    if !run.join("frames").is_dir() {
        return Err(Problem::new(format!("{} is not the folder of a run: it has no frames", run.display()), help));
    }
    let files = match only {
        Some(number) => {
            let path = RunFolder::frame_path(run, number);
            if path.is_file() { vec![path] } else { Vec::new() }
        }
        None => RunFolder::frame_files(run)?,
    };
    if files.is_empty() {
        let there = RunFolder::frame_files(run)?;
        let name = |file: &PathBuf| file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        return Err(match (only, there.first(), there.last()) {
            (Some(number), Some(first), Some(last)) => Problem::new(
                format!("{} has no frame {number}", run.display()),
                format!("there are {} to {}", name(first), name(last)),
            ),
            _ => Problem::new(format!("{} has no frames", run.display()), help),
        });
    }
    Ok(files)
}

/// Render settings of a scene.
pub fn settings(scene: &Scene) -> Settings {
    let [width, height] = scene.picture.size;
    let coloring = match scene.picture.color {
        ColorBy::Material => Coloring::Material,
        ColorBy::Piece => Coloring::Piece,
        ColorBy::Stress => Coloring::Stress,
        ColorBy::Velocity => Coloring::Velocity,
    };
    let camera = scene.camera.map(|camera| Camera {
        from: Vec3::from(camera.from),
        to: Vec3::from(camera.to),
        up: Vec3::y(),
        field_of_view: camera.field_of_view,
    });
    Settings { width, height, samples: scene.picture.samples, coloring, camera, ..Settings::default() }
}

/// Settings with the camera fixed for the frames that are shown and the colour range for the run.
pub fn fitted(mut settings: Settings, shown: &[PathBuf], all: &[PathBuf]) -> Result<Settings, Problem> {
    if !matches!(settings.coloring, Coloring::Material | Coloring::Piece) {
        let frames = read(&evenly(all, FITTED_FRAMES))?;
        settings.range = ValueRange::of(&frames.iter().collect::<Vec<_>>(), settings.coloring);
    }
    if settings.camera.is_none() {
        let frames = read(&evenly(shown, FITTED_FRAMES))?;
        settings = settings.fitted_to(&frames.iter().collect::<Vec<_>>());
    }
    Ok(settings)
}

/// At most `count` files, evenly from the first to the last.
fn evenly(files: &[PathBuf], count: usize) -> Vec<&PathBuf> {
    let count = count.min(files.len());
    (0..count).map(|place| &files[place * (files.len() - 1) / (count - 1).max(1)]).collect()
}

fn read(files: &[&PathBuf]) -> Result<Vec<Frame>, Problem> {
    Ok(files.iter().map(|file| craze_frame::read(file)).collect::<Result<Vec<Frame>, _>>()?)
}

/// Removes the surfaces of bodies with particles.
fn show_particles(frame: &mut Frame) {
    for body in frame.bodies.iter_mut().filter(|body| body.particles.is_some()) {
        body.surface = Surface::default();
    }
}

/// Frames of a run with their shards.
pub struct ShardFrames {
    files: Vec<PathBuf>,
    shards: ShardSequence,
}

impl ShardFrames {
    /// Shards of the last frame, moving through all frames.
    pub fn of(run: &Path, settings: &ShardSettings) -> Result<ShardFrames, Problem> {
        ShardFrames::of_frames(run, frame_files(run, None)?, |file| craze_frame::read(file), settings)
    }

    /// Shards of these bodies in the last of some frames of a run, moving through these. Other
    /// bodies keep their surfaces.
    pub fn of_bodies(
        run: &Path,
        files: Vec<PathBuf>,
        names: &[String],
        settings: &ShardSettings,
    ) -> Result<ShardFrames, Problem> {
        let read = |file: &PathBuf| {
            let mut frame = craze_frame::read(file)?;
            for body in frame.bodies.iter_mut().filter(|body| !names.contains(&body.name)) {
                body.surface = Surface::default();
            }
            Ok(frame)
        };
        ShardFrames::of_frames(run, files, read, settings)
    }

    fn of_frames(
        run: &Path,
        files: Vec<PathBuf>,
        read: impl Fn(&PathBuf) -> Result<Frame, FrameFileError>,
        settings: &ShardSettings,
    ) -> Result<ShardFrames, Problem> {
        let sources = match files.first() {
            Some(first) => source_surfaces(run, &read(first)?),
            None => Vec::new(),
        };
        let shards = ShardSequence::new(files.iter().map(read), &sources, settings)?;
        Ok(ShardFrames { files, shards })
    }

    pub fn shards(&self) -> &ShardSequence {
        &self.shards
    }

    /// A frame with the shards instead of surfaces.
    pub fn frame(&self, file: &PathBuf) -> Result<Frame, Problem> {
        let mut frame = craze_frame::read(file)?;
        if let Some(place) = self.files.iter().position(|other| other == file) {
            self.shards.replace_surfaces(place, &mut frame);
        }
        Ok(frame)
    }
}
