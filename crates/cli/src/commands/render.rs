//! `craze render`

use crate::Voice;
use crate::outers::outers;
use crate::problem::Problem;
use clap::Args;
use craze_engine::RunFolder;
use craze_export::{ShardSequence, ShardSettings};
use craze_frame::{Frame, FrameFileError, Surface};
use craze_math::Vec3;
use craze_render::{Camera, Coloring, Image, Settings, Wireframe, render_frame, silhouette, write_gif};
use craze_scene::{ColorBy, Scene, SceneDocument};
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct Arguments {
    /// Folder of the run
    run: PathBuf,
    /// Only this frame
    #[arg(long, value_name = "N")]
    frame: Option<u32>,
    /// Make one moving picture of all frames instead of a picture each
    #[arg(long)]
    gif: bool,
    /// Folder for the pictures (or path of the GIF); "pictures" inside the run if left out
    #[arg(long, short)]
    output: Option<PathBuf>,
    /// What colours show: material, piece, stress, velocity or plastic-strain; as in the scene if left out
    #[arg(long)]
    color: Option<String>,
    /// Width and height in pixels, as in 1920x1080; as in the scene if left out
    #[arg(long, value_parser = parse_size)]
    size: Option<[u32; 2]>,
    /// Rays a pixel; as in the scene if left out
    #[arg(long)]
    samples: Option<u32>,
    /// Draw the edges of triangles
    #[arg(long)]
    wireframe: bool,
    /// Put the pieces together again, a hair apart, where the unbroken body stood: shows all cracks
    #[arg(long)]
    reassembled: bool,
    /// Show the shards as `craze export --format shards` makes them, with the model's own triangles and rough cracks, in place of tetrahedra; each moves as a
    /// rigid body
    #[arg(long, conflicts_with_all = ["particles", "wireframe"])]
    shards: bool,
    /// Show bodies of particles by these, as balls, in place of their surface
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

/// Makes pictures of the frames of a run.
pub fn run(arguments: &Arguments, voice: Voice) -> Result<(), Problem> {
    let files = frame_files(&arguments.run, arguments.frame)?;
    let scene = SceneDocument::read(&RunFolder::scene_path(&arguments.run), &[])?.scene;
    let mut settings = settings(&scene);
    if let Some(color) = &arguments.color {
        settings.coloring = color.parse()?;
    }
    if let Some([width, height]) = arguments.size {
        (settings.width, settings.height) = (width, height);
    }
    settings.samples = arguments.samples.unwrap_or(settings.samples);
    if arguments.wireframe {
        settings.wireframe = Wireframe::Shown;
    }
    let all = frame_files(&arguments.run, None)?;
    let settings = fitted(settings, &all)?;
    if arguments.shards && !matches!(settings.coloring, Coloring::Material | Coloring::Piece) {
        let help = "leave --shards out, or show --color material or piece";
        return Err(Problem::new("shards carry neither stress nor velocity nor plastic strain", help));
    }
    let film = match arguments.shards {
        true => Some(Film::of(&arguments.run, &ShardSettings::default())?),
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
        // Found by rays of their own, which only a program that asks for it is to wait for.
        let share = if voice == Voice::Program { Some(silhouette(&frame, &settings)?) } else { None };
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
        match voice {
            Voice::Person => writeln!(stdout, "{}", path.display())?,
            Voice::Program => {
                writeln!(stdout, "{}", serde_json::json!({ "picture": path, "silhouettes": shares }))?;
            }
            Voice::Silent => {}
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

/// How the pictures of a scene look.
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

/// The settings with camera and colours fixed for a whole run.
pub fn fitted(settings: Settings, files: &[PathBuf]) -> Result<Settings, Problem> {
    let (Some(first), Some(last)) = (files.first(), files.last()) else { return Ok(settings) };
    let frames = [first, &files[files.len() / 2], last]
        .map(|file| craze_frame::read(file))
        .into_iter()
        .collect::<Result<Vec<Frame>, _>>()?;
    Ok(settings.fitted_to(&frames.iter().collect::<Vec<_>>()))
}

/// Takes the surfaces off bodies that have particles.
fn show_particles(frame: &mut Frame) {
    for body in frame.bodies.iter_mut().filter(|body| body.particles.is_some()) {
        body.surface = Surface::default();
    }
}

/// The frames of a run with its shards in them.
pub struct Film {
    files: Vec<PathBuf>,
    shards: ShardSequence,
}

impl Film {
    /// The shards of the last frame, moving through all frames.
    pub fn of(run: &Path, settings: &ShardSettings) -> Result<Film, Problem> {
        Film::of_frames(run, frame_files(run, None)?, |file| craze_frame::read(file), settings)
    }

    /// The shards of bodies of these names in the last of some of a run's frames, moving through these. Other bodies keep their surfaces.
    pub fn of_bodies(
        run: &Path,
        files: Vec<PathBuf>,
        names: &[String],
        settings: &ShardSettings,
    ) -> Result<Film, Problem> {
        let read = |file: &PathBuf| {
            let mut frame = craze_frame::read(file)?;
            for body in frame.bodies.iter_mut().filter(|body| !names.contains(&body.name)) {
                body.surface = Surface::default();
            }
            Ok(frame)
        };
        Film::of_frames(run, files, read, settings)
    }

    fn of_frames(
        run: &Path,
        files: Vec<PathBuf>,
        read: impl Fn(&PathBuf) -> Result<Frame, FrameFileError>,
        settings: &ShardSettings,
    ) -> Result<Film, Problem> {
        let outers = match files.first() {
            Some(first) => outers(run, &read(first)?),
            None => Vec::new(),
        };
        let shards = ShardSequence::new(files.iter().map(read), &outers, settings)?;
        Ok(Film { files, shards })
    }

    /// The shards alone.
    pub fn shards(&self) -> &ShardSequence {
        &self.shards
    }

    /// The frame of one of the run's files.
    pub fn frame(&self, file: &PathBuf) -> Result<Frame, Problem> {
        let mut frame = craze_frame::read(file)?;
        if let Some(place) = self.files.iter().position(|other| other == file) {
            self.shards.replace_surfaces(place, &mut frame);
        }
        Ok(frame)
    }
}
