//! Progress of a run, as a bar or JSON lines.

use crate::OutputMode;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// Shows the progress of a run.
pub struct Meter {
    mode: OutputMode,
    bar: ProgressBar,
    last: Instant,
}

pub struct Moment {
    /// Simulated time (s).
    pub time: f64,
    /// Last Δt (s).
    pub time_step: f64,
}

impl Meter {
    /// A meter for `frames` frames, of which `done` are complete.
    pub fn new(mode: OutputMode, frames: u32, done: u32) -> Meter {
        let bar = match mode {
            OutputMode::Text => ProgressBar::with_draw_target(Some(u64::from(frames)), ProgressDrawTarget::stderr()),
            OutputMode::Json | OutputMode::Quiet => ProgressBar::hidden(),
        };
        // The template is a valid constant.
        if let Ok(style) = ProgressStyle::with_template("frame {pos}/{len} [{bar:8}] {eta} left, {wide_msg}") {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message("starting");
        bar.set_position(u64::from(done));
        bar.reset_eta();
        Meter { mode, bar, last: Instant::now() }
    }

    /// Updates between frames, at most ten times per second.
    pub fn step(&mut self, moment: &Moment, counts: &str) {
        if self.mode == OutputMode::Text && self.last.elapsed() > Duration::from_millis(100) {
            self.last = Instant::now();
            self.bar.set_message(format!("t {:.3} s, Δt {}, {counts}", moment.time, seconds(moment.time_step)));
        }
    }

    /// Updates after a frame. Fails if standard output is closed.
    pub fn frame(&mut self, number: u32, moment: &Moment, elements: u64, pieces: u64) -> io::Result<()> {
        self.bar.set_position(u64::from(number));
        match self.mode {
            OutputMode::Text => {
                let counts = counts(elements, pieces);
                self.bar.set_message(format!("t {:.3} s, Δt {}, {counts}", moment.time, seconds(moment.time_step)));
            }
            OutputMode::Json => writeln!(
                io::stdout().lock(),
                "{}",
                json!({ "frame": number, "time": moment.time, "time_step": moment.time_step,
                        "elements": elements, "pieces": pieces })
            )?,
            OutputMode::Quiet => {}
        }
        Ok(())
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Progress bar of rendering, which takes seconds per picture.
pub fn pictures(mode: OutputMode, count: usize) -> ProgressBar {
    let bar = match mode {
        OutputMode::Text => ProgressBar::with_draw_target(Some(count as u64), ProgressDrawTarget::stderr()),
        OutputMode::Json | OutputMode::Quiet => ProgressBar::hidden(),
    };
    if let Ok(style) = ProgressStyle::with_template("picture {pos}/{len} [{bar:16}] {eta} left") {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.tick();
    bar
}

/// Numbers of elements and pieces as text.
pub fn counts(elements: u64, pieces: u64) -> String {
    format!("{}, {}", plural(elements, "element"), plural(pieces, "piece"))
}

/// A count with its noun: 1 piece, 2 pieces.
pub fn plural(count: u64, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

/// A time with a suitable unit: 12.5 µs.
pub fn seconds(time: f64) -> String {
    let (value, unit) = match time {
        time if time < 1e-3 => (time * 1e6, "µs"),
        time if time < 1.0 => (time * 1e3, "ms"),
        time => (time, "s"),
    };
    format!("{value:.2} {unit}")
}
