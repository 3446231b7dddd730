//! Shared fixture: a temporary folder with scenes, in which the program is run.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

/// The program under test.
pub const CRAZE: &str = env!("CARGO_BIN_EXE_craze");

/// A block of 48 tetrahedra that bounces on the ground; five frames, fast.
pub const BLOCK: &str = r#"
[world]
duration = 0.1
fps = 50
[[body]]
name = "block"
method = "solid"
shape.box = { size = [0.1, 0.1, 0.1] }
edge = 0.05
material = { density = 1000, young = 1e5, poisson = 0.3 }
place = { at = [0, 0.06, 0], velocity = [0.1, -1, 0] }
[[obstacle]]
name = "ground"
shape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }
[[probe]]
name = "height"
position = { body = "block", point = [0, 0.06, 0] }
[output]
preview = false
checkpoint_every = 1
"#;

/// Covers the state of a run: both methods, moving and released holds, frictional contact, free and
/// driven obstacles, probes with their own intervals.
pub const MEDLEY: &str = r#"
[world]
duration = 0.4
fps = 50
[[body]]
name = "bar"
method = "solid"
shape.box = { size = [0.3, 0.06, 0.06] }
edge = 0.02
material = { density = 1100, young = 5e5, poisson = 0.4, psi = 20, phi = 20 }
place = { at = [0, 0.3, 0] }
[[body]]
name = "brick"
method = "solid"
shape.box = { size = [0.1, 0.06, 0.06] }
edge = 0.02
material = { preset = "rubber", young = 3e5, poisson = 0.4 }
place = { at = [-0.3, 0.05, 0], turn = [10, 20, 30], velocity = [0.5, -1, 0] }
[[body]]
name = "cloud"
method = "clusters"
shape.sphere = { radius = 0.08 }
spacing = 0.02
material.preset = "rubber"
place = { at = [0.3, 0.1, 0], velocity = [-0.5, -1, 0], spin = [0, 3, 6] }
[[hold]]
name = "wall"
body = "bar"
region.half_space = { point = [-0.149, 0, 0], normal = [-1, 0, 0] }
[[hold]]
name = "grip"
body = "bar"
region.half_space = { point = [0.149, 0, 0], normal = [1, 0, 0] }
motion = [{ t = 0, move = [0, 0, 0] }, { t = 0.2, move = [0.03, 0, 0.02] }]
release = 0.25
[[hold]]
name = "push"
body = "cloud"
region.all = {}
force = [-2, 0, 0.5]
ramp = [{ t = 0, factor = 0 }, { t = 0.1, factor = 1 }]
[[obstacle]]
name = "ground"
shape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }
friction = 0.4
restitution = 0.2
[[obstacle]]
name = "ball"
shape.sphere = { radius = 0.04 }
place = { at = [0, 0.39, 0.01], velocity = [0, -1, 0] }
mass = 0.5
[[probe]]
name = "tip"
displacement = { body = "bar", point = [0, 0.3, 0] }
every = 0.003
[[probe]]
name = "pull"
reaction = { hold = "wall" }
[[probe]]
name = "cloud"
energy = { body = "cloud" }
[output]
preview = false
checkpoint_every = 1
"#;

/// A folder in which the program is run.
pub struct Workshop {
    home: TempDir,
}

impl Workshop {
    pub fn new() -> Workshop {
        Workshop { home: TempDir::new().expect("a temporary folder") }
    }

    /// A workshop with a scene in `scene.toml`.
    pub fn with_scene(text: &str) -> Workshop {
        let workshop = Workshop::new();
        workshop.write("scene.toml", text);
        workshop
    }

    /// A workshop with a complete run of the block in `out/scene`.
    pub fn with_run() -> Workshop {
        let workshop = Workshop::with_scene(BLOCK);
        workshop.craze(&["run", "scene.toml"]).succeeded();
        workshop
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, contents).expect("writable");
        path
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(CRAZE);
        command.args(arguments).current_dir(self.home.path()).stdin(Stdio::null());
        command
    }

    /// Runs the program to its end.
    pub fn craze(&self, arguments: &[&str]) -> Answer {
        let output = self.command(arguments).output().expect("the program starts");
        Answer::new(&arguments.join(" "), &output)
    }

    /// Starts the program.
    pub fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
    }

    /// Runs a shell script; `$CRAZE` is the program.
    pub fn shell(&self, script: &str) -> Answer {
        let mut command = Command::new("sh");
        command.args(["-c", script]).env("CRAZE", CRAZE).current_dir(self.home.path()).stdin(Stdio::null());
        Answer::new(script, &command.output().expect("a shell"))
    }

    /// Sorted relative paths of all files below a folder.
    pub fn files(&self, folder: &str) -> Vec<String> {
        let root = self.path(folder);
        let mut found = Vec::new();
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).expect("a folder") {
                let path = entry.expect("readable").path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    found.push(path.strip_prefix(&root).expect("below").to_string_lossy().into_owned());
                }
            }
        }
        found.sort();
        found
    }

    pub fn record(&self, run: &str) -> Value {
        let text = fs::read_to_string(self.path(run).join("run.json")).expect("run.json");
        serde_json::from_str(&text).expect("run.json is JSON")
    }

    /// State hash of every frame.
    pub fn state_hashes(&self, run: &str) -> Vec<String> {
        let record = self.record(run);
        let hashes = record["state_hashes"].as_array().expect("a list");
        hashes.iter().map(|hash| hash.as_str().expect("text").to_owned()).collect()
    }

    /// Results that must not depend on threads, timing or interruptions.
    pub fn lasting(&self, run: &str) -> Lasting {
        let folder = self.path(run);
        let text = |name: &str| fs::read_to_string(folder.join(name)).expect(name);
        let frames = self.files(&format!("{run}/frames"));
        Lasting {
            state_hashes: self.state_hashes(run),
            frames: frames.into_iter().map(|name| (name.clone(), bytes(&folder.join("frames").join(name)))).collect(),
            stats: text("stats.csv").lines().map(without_timings).collect(),
            probes: text("probes.csv"),
            events: text("events.jsonl"),
            certificate: self.record(run)["certificate"].clone(),
        }
    }
}

fn bytes(path: &Path) -> Vec<u8> {
    fs::read(path).expect("readable")
}

/// The columns of stats.csv without timings.
fn without_timings(row: &str) -> String {
    row.split(',').take(24).collect::<Vec<_>>().join(",")
}

/// Results that are bitwise equal for all runs of a scene.
#[derive(PartialEq)]
pub struct Lasting {
    pub state_hashes: Vec<String>,
    pub frames: Vec<(String, Vec<u8>)>,
    pub stats: Vec<String>,
    pub probes: String,
    pub events: String,
    pub certificate: Value,
}

impl Lasting {
    /// Fails at the first difference.
    pub fn assert_same_as(&self, other: &Lasting, when: &str) {
        assert_eq!(self.state_hashes, other.state_hashes, "state hashes, {when}");
        let names = |lasting: &Lasting| lasting.frames.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        assert_eq!(names(self), names(other), "frames, {when}");
        for (mine, theirs) in self.frames.iter().zip(&other.frames) {
            assert!(mine == theirs, "frame {} differs, {when}", mine.0);
        }
        assert_eq!(self.stats, other.stats, "stats.csv, {when}");
        assert_eq!(self.probes, other.probes, "probes.csv, {when}");
        assert_eq!(self.events, other.events, "events.jsonl, {when}");
        assert_eq!(self.certificate, other.certificate, "certificate, {when}");
    }
}

/// Output and exit code of the program.
pub struct Answer {
    pub call: String,
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Answer {
    pub fn new(call: &str, output: &Output) -> Answer {
        let answer = Answer {
            call: call.to_owned(),
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        };
        for text in [&answer.stdout, &answer.stderr] {
            assert!(!text.contains("panicked") && !text.contains("RUST_BACKTRACE"), "{answer}");
        }
        answer
    }

    /// Expects success; returns the output.
    #[track_caller]
    pub fn succeeded(self) -> String {
        assert_eq!(self.code, Some(0), "{self}");
        assert_eq!(self.stderr, "", "{self}");
        self.stdout
    }

    /// Expects exit code 1 and a message with all these words; returns the message.
    #[track_caller]
    pub fn failed_with(self, words: &[&str]) -> String {
        self.ended_with(1, words)
    }

    /// Expects exit code 2 (usage error) and these words.
    #[track_caller]
    pub fn misused_with(self, words: &[&str]) -> String {
        self.ended_with(2, words)
    }

    #[track_caller]
    pub fn ended_with(self, code: i32, words: &[&str]) -> String {
        assert_eq!(self.code, Some(code), "{self}");
        for word in words {
            assert!(self.stderr.contains(word), "no `{word}` in {self}");
        }
        assert_eq!(self.stderr.matches("error:").count(), 1, "one message: {self}");
        self.stderr
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Answer { call, code, stdout, stderr } = self;
        write!(formatter, "{call}\nexit code: {code:?}\nstdout:\n{stdout}\nstderr:\n{stderr}")
    }
}
