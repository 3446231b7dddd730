//! The program `craze`: from scenes or models to frames, shards and pictures.

mod bench;
mod choices;
mod commands;
mod preview;
mod problem;
mod progress;
mod renamed_options;
mod scene_source;
mod shatter;
mod signals;
mod source_surfaces;
mod tuning;

use clap::{Parser, Subcommand};
use problem::Problem;
use std::process::ExitCode;

/// Fracture simulation
#[derive(Parser)]
#[command(name = "craze", version, about, long_about = None, subcommand_required = true, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Print JSON, one object per line
    #[arg(long, global = true)]
    json: bool,
    /// Print errors only
    #[arg(long, short, global = true)]
    quiet: bool,
    /// Number of threads; results do not depend on it
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

#[derive(Subcommand)]
enum Command {
    /// Shatter a model or a built-in shape in one command
    Shatter(commands::shatter::Arguments),
    /// Run a built-in scene or a scene file
    Run(commands::run::Arguments),
    /// Check a scene file without running it
    Check(commands::check::Arguments),
    /// List the built-in scenes, or print one
    Scenes(commands::scenes::Arguments),
    /// Write a scene file to start from
    New(commands::new::Arguments),
    /// List the material presets with units and sources
    Materials(commands::materials::Arguments),
    /// Report what a model is, its faults, and how it would be meshed
    Inspect(commands::inspect::Arguments),
    /// Print the JSON Schema of scene files
    Schema,
    /// Render pictures of a run
    Render(commands::render::Arguments),
    /// Export a run for other programs
    Export(commands::export::Arguments),
    /// Compare with analytical solutions; fails if one is out of tolerance
    Validate(commands::validate::Arguments),
    /// Measure speed relative to the limits of this machine
    Bench(commands::bench::Arguments),
}

/// Output style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputMode {
    /// Text for a person.
    Text,
    /// JSON for a program.
    Json,
    /// Errors only.
    Quiet,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let mode = match (cli.json, cli.quiet) {
        (true, _) => OutputMode::Json,
        (false, true) => OutputMode::Quiet,
        (false, false) => OutputMode::Text,
    };
    renamed_options::report(std::env::args_os(), mode);
    // The main thread belongs to the pool, so it works itself instead of waking another thread.
    // This fails only if a pool exists, which nothing before creates; 0 means one thread per core.
    let threads = cli.threads.map_or(0, usize::from);
    let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).use_current_thread().build_global();
    match run(&cli.command, mode) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            problem.report(mode);
            ExitCode::from(problem.exit_code())
        }
    }
}

fn run(command: &Command, mode: OutputMode) -> Result<(), Problem> {
    match command {
        Command::Shatter(arguments) => commands::shatter::run(arguments, mode),
        Command::Run(arguments) => commands::run::run(arguments, mode),
        Command::Check(arguments) => commands::check::run(arguments, mode),
        Command::Scenes(arguments) => commands::scenes::run(arguments, mode),
        Command::New(arguments) => commands::new::run(arguments, mode),
        Command::Materials(arguments) => commands::materials::run(arguments, mode),
        Command::Inspect(arguments) => commands::inspect::run(arguments, mode),
        Command::Schema => commands::schema::run(),
        Command::Render(arguments) => commands::render::run(arguments, mode),
        Command::Export(arguments) => commands::export::run(arguments, mode),
        Command::Validate(arguments) => commands::validate::run(arguments, mode),
        Command::Bench(arguments) => commands::bench::run(arguments, mode),
    }
}
