//! The program `craze`: scene or model in, frames, shards and pictures out.

mod bench;
mod commands;
mod outers;
mod preview;
mod problem;
mod progress;
mod scene_source;
mod shatter;
mod signals;

use clap::{Parser, Subcommand};
use problem::Problem;
use std::process::ExitCode;

/// Breaks things the way matter breaks.
#[derive(Parser)]
#[command(name = "craze", version, about, long_about = None, subcommand_required = true, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Print what happens as JSON, one object a line
    #[arg(long, global = true)]
    json: bool,
    /// Print nothing but errors
    #[arg(long, short, global = true)]
    quiet: bool,
    /// Threads to use; results are the same bits for any number
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

#[derive(Subcommand)]
enum Command {
    /// Shatter a model or a built-in shape: one command from model to shards
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
    /// Say what a model is, what is wrong with it and what would become of it
    Inspect(commands::inspect::Arguments),
    /// Print the JSON Schema of scene files
    Schema,
    /// Make pictures of a run
    Render(commands::render::Arguments),
    /// Write a run in the format of another program
    Export(commands::export::Arguments),
    /// Compare with textbook answers; fails where one is out
    Validate(commands::validate::Arguments),
    /// Measure speed against what this machine could do
    Bench(commands::bench::Arguments),
}

/// How the program talks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// To a person.
    Person,
    /// To a program, in JSON.
    Program,
    /// Errors only.
    Silent,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let voice = match (cli.json, cli.quiet) {
        (true, _) => Voice::Program,
        (false, true) => Voice::Silent,
        (false, false) => Voice::Person,
    };
    // This thread is one of the pool's: it goes on by itself where work is shared, instead of waking another and waiting for it. Fails only if
    // a pool exists already, and nothing before this line makes one; 0 is one for each core.
    let threads = cli.threads.map_or(0, usize::from);
    let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).use_current_thread().build_global();
    match run(&cli.command, voice) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            problem.report(voice);
            ExitCode::from(problem.exit_code())
        }
    }
}

fn run(command: &Command, voice: Voice) -> Result<(), Problem> {
    match command {
        Command::Shatter(arguments) => commands::shatter::run(arguments, voice),
        Command::Run(arguments) => commands::run::run(arguments, voice),
        Command::Check(arguments) => commands::check::run(arguments, voice),
        Command::Scenes(arguments) => commands::scenes::run(arguments, voice),
        Command::New(arguments) => commands::new::run(arguments, voice),
        Command::Materials(arguments) => commands::materials::run(arguments, voice),
        Command::Inspect(arguments) => commands::inspect::run(arguments, voice),
        Command::Schema => commands::schema::run(),
        Command::Render(arguments) => commands::render::run(arguments, voice),
        Command::Export(arguments) => commands::export::run(arguments, voice),
        Command::Validate(arguments) => commands::validate::run(arguments, voice),
        Command::Bench(arguments) => commands::bench::run(arguments, voice),
    }
}
