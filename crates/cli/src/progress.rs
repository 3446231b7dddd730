//! The progress bar of a run, or its lines of JSON.

use crate::Voice;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// Shows how a run goes.
pub struct Meter {
    voice: Voice,
    bar: ProgressBar,
    last: Instant,
}

/// What is shown of the present moment.
pub struct Moment {
    /// Simulated time (s).
    pub time: f64,
    /// Length of the last step (s).
    pub time_step: f64,
}

impl Meter {
    /// A meter for `frames` frames, of which `done` are there.
    pub fn new(voice: Voice, frames: u32, done: u32) -> Meter {
        let bar = match voice {
            Voice::Person => ProgressBar::with_draw_target(Some(u64::from(frames)), ProgressDrawTarget::stderr()),
            Voice::Program | Voice::Silent => ProgressBar::hidden(),
        };
        // The template is a constant that parses; without it the bar would only look plainer.
        if let Ok(style) = ProgressStyle::with_template("frame {pos}/{len} [{bar:8}] {eta} left, {wide_msg}") {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message("starting");
        bar.set_position(u64::from(done));
        bar.reset_eta();
        Meter { voice, bar, last: Instant::now() }
    }

    /// Between two frames; drawn a few times a second at most.
    pub fn step(&mut self, moment: &Moment, counts: &str) {
        if self.voice == Voice::Person && self.last.elapsed() > Duration::from_millis(100) {
            self.last = Instant::now();
            self.bar.set_message(format!("t {:.3} s, Δt {}, {counts}", moment.time, seconds(moment.time_step)));
        }
    }

    /// After a frame. Fails if standard output is gone.
    pub fn frame(&mut self, number: u32, moment: &Moment, elements: u64, pieces: u64) -> io::Result<()> {
        self.bar.set_position(u64::from(number));
        match self.voice {
            Voice::Person => {
                let counts = counts(elements, pieces);
                self.bar.set_message(format!("t {:.3} s, Δt {}, {counts}", moment.time, seconds(moment.time_step)));
            }
            Voice::Program => writeln!(
                io::stdout().lock(),
                "{}",
                json!({ "frame": number, "time": moment.time, "time_step": moment.time_step,
                        "elements": elements, "pieces": pieces })
            )?,
            Voice::Silent => {}
        }
        Ok(())
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Shows how far pictures have come; they take seconds each.
pub fn pictures(voice: Voice, count: usize) -> ProgressBar {
    let bar = match voice {
        Voice::Person => ProgressBar::with_draw_target(Some(count as u64), ProgressDrawTarget::stderr()),
        Voice::Program | Voice::Silent => ProgressBar::hidden(),
    };
    if let Ok(style) = ProgressStyle::with_template("picture {pos}/{len} [{bar:16}] {eta} left") {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.tick();
    bar
}

/// Elements and pieces in words.
pub fn counts(elements: u64, pieces: u64) -> String {
    format!("{}, {}", plural(elements, "element"), plural(pieces, "piece"))
}

/// A count with its word: 1 piece, 2 pieces.
pub fn plural(count: u64, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

/// A time as a person says it: 12.5 µs.
pub fn seconds(time: f64) -> String {
    let (value, unit) = match time {
        time if time < 1e-3 => (time * 1e6, "µs"),
        time if time < 1.0 => (time * 1e3, "ms"),
        time => (time, "s"),
    };
    format!("{value:.2} {unit}")
}
