//! Interrupted runs resume with the same bits.
#![cfg(unix)]

use crate::workshop::{Answer, Lasting, MEDLEY, Workshop};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const KILLS: u32 = 20;

/// Seeded random numbers in [0, 1), so that failures are reproducible.
struct Dice(u64);

impl Dice {
    fn throw(&mut self) -> f64 {
        // Knuth's MMIX generator; its upper bits suffice here.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

fn undisturbed(workshop: &Workshop) -> Lasting {
    workshop.craze(&["run", "scene.toml", "-o", "undisturbed"]).succeeded();
    workshop.lasting("undisturbed")
}

/// Resumes the run in `killed`.
fn go_on(workshop: &Workshop) -> Child {
    let has = |name: &str| workshop.path("killed").join(name).is_file();
    match (has("run.json"), has("scene.toml")) {
        (true, true) => workshop.start(&["run", "--resume", "killed"]),
        // Killed before the first checkpoint.
        (true, false) => workshop.start(&["run", "scene.toml", "-o", "killed", "--force"]),
        (false, _) => workshop.start(&["run", "scene.toml", "-o", "killed"]),
    }
}

fn ended(child: Child, call: &str) -> Answer {
    Answer::new(call, &child.wait_with_output().expect("the program ends"))
}

#[test]
fn a_run_that_is_killed_twenty_times_at_random_moments_ends_with_the_same_bits() {
    let workshop = Workshop::with_scene(MEDLEY);
    let started = Instant::now();
    let whole = undisturbed(&workshop);
    let duration = started.elapsed();
    let mut dice = Dice(2);
    let mut kills = 0;
    while kills < KILLS {
        let mut child = go_on(&workshop);
        sleep(duration.mul_f64(0.6 * dice.throw()));
        if child.try_wait().expect("a child").is_none() {
            child.kill().expect("a child that can be killed");
            child.wait().expect("a child");
            kills += 1;
            continue;
        }
        // The run completed before the kill: check it and start again.
        ended(child, "resumed").succeeded();
        workshop.lasting("killed").assert_same_as(&whole, "between kills");
        std::fs::remove_dir_all(workshop.path("killed")).expect("removable");
    }
    ended(go_on(&workshop), "after the last kill").succeeded();
    workshop.lasting("killed").assert_same_as(&whole, "after the last kill");
    let left: Vec<String> = workshop.files("killed").into_iter().filter(|name| name.ends_with(".tmp")).collect();
    assert!(left.is_empty(), "{left:?}");
}

fn interrupt(child: &Child) {
    send("INT", child);
}

fn send(signal: &str, child: &Child) {
    let number = child.id().to_string();
    let sent = Command::new("kill").args(["-s", signal, &number]).status().expect("kill is there");
    assert!(sent.success());
}

/// Starts a run and waits for its second frame.
fn under_way(workshop: &Workshop) -> Child {
    let mut child = workshop.start(&["run", "scene.toml", "-o", "run"]);
    wait_for_second_frame(workshop, &mut child);
    child
}

fn wait_for_second_frame(workshop: &Workshop, child: &mut Child) {
    while !workshop.path("run/frames/0002.craze").exists() {
        assert!(child.try_wait().expect("a child").is_none(), "the run ended before its second frame");
        sleep(Duration::from_millis(2));
    }
}

#[test]
fn an_interrupted_run_finishes_its_frame_and_prints_how_to_resume() {
    let workshop = Workshop::with_scene(MEDLEY);
    let whole = undisturbed(&workshop);
    let child = under_way(&workshop);
    interrupt(&child);
    let words = ["finishing the frame", "interrupted; continue with: craze run --resume run"];
    ended(child, "run, interrupted").ended_with(130, &words);
    let record = workshop.record("run");
    assert_eq!(record["result"], "interrupted");
    let frames = workshop.files("run/frames").len();
    assert!(frames < whole.frames.len(), "{frames} frames");
    assert_eq!(workshop.state_hashes("run").len(), frames, "the last frame is complete");
    // No frame is computed twice.
    let newest = format!("run/checkpoint/{:04}.checkpoint", frames - 1);
    assert!(workshop.path(&newest).is_file(), "{newest}");
    let told = workshop.craze(&["run", "--resume", "run"]).succeeded();
    assert!(told.contains(&format!("going on after frame {}", frames - 1)), "{told}");
    workshop.lasting("run").assert_same_as(&whole, "after Ctrl-C");
}

#[test]
fn a_terminated_run_keeps_a_checkpoint_and_resumes_with_the_same_bits() {
    // Without periodic checkpoints, the one found is due to the signal.
    let workshop = Workshop::with_scene(&MEDLEY.replace("checkpoint_every = 1", "checkpoint_every = 0"));
    let whole = undisturbed(&workshop);
    for signal in ["TERM", "HUP"] {
        let child = under_way(&workshop);
        send(signal, &child);
        let words = ["finishing the frame", "interrupted; continue with: craze run --resume run"];
        ended(child, signal).ended_with(130, &words);
        assert_eq!(workshop.record("run")["result"], "interrupted", "{signal}");
        let frames = workshop.files("run/frames").len();
        assert!(frames < whole.frames.len(), "{signal}: {frames} frames");
        let newest = format!("run/checkpoint/{:04}.checkpoint", frames - 1);
        assert!(workshop.path(&newest).is_file(), "{signal}: {newest}");
        workshop.craze(&["run", "--resume", "run"]).succeeded();
        workshop.lasting("run").assert_same_as(&whole, signal);
        std::fs::remove_dir_all(workshop.path("run")).expect("removable");
    }
}

#[test]
fn an_ignored_hangup_stays_ignored() {
    let workshop = Workshop::with_scene(MEDLEY);
    // Started as by `nohup`; exec keeps the process id of the shell.
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' HUP; exec \"$CRAZE\" run scene.toml -o run"]).env("CRAZE", crate::workshop::CRAZE);
    command.current_dir(workshop.path("")).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("a shell");
    wait_for_second_frame(&workshop, &mut child);
    send("HUP", &child);
    ended(child, "run, hung up").succeeded();
    assert_eq!(workshop.record("run")["result"], "complete");
}

#[test]
fn a_run_with_a_closed_output_keeps_a_checkpoint() {
    let workshop = Workshop::with_scene(&MEDLEY.replace("checkpoint_every = 1", "checkpoint_every = 0"));
    let whole = undisturbed(&workshop);
    workshop.shell("\"$CRAZE\" run scene.toml -o run --json | head -n 2 > /dev/null");
    assert_eq!(workshop.record("run")["result"], "interrupted");
    workshop.craze(&["run", "--resume", "run"]).succeeded();
    workshop.lasting("run").assert_same_as(&whole, "after its reader left");
}

#[test]
fn a_second_interrupt_stops_at_once_and_loses_nothing() {
    let workshop = Workshop::with_scene(MEDLEY);
    let whole = undisturbed(&workshop);
    let child = under_way(&workshop);
    interrupt(&child);
    interrupt(&child);
    ended(child, "run, interrupted twice").ended_with(130, &["craze run --resume run"]);
    workshop.craze(&["run", "--resume", "run"]).succeeded();
    workshop.lasting("run").assert_same_as(&whole, "after two Ctrl-C");
}

#[test]
fn an_interrupted_preview_can_be_made_later() {
    let workshop = Workshop::with_scene(&MEDLEY.replace("preview = false", "preview = true"));
    let mut child = workshop.start(&["run", "scene.toml", "-o", "run"]);
    while !workshop.path("run/run.json").exists() || workshop.record("run")["result"] != "complete" {
        assert!(child.try_wait().expect("a child").is_none(), "the run ended before its pictures");
        sleep(Duration::from_millis(1));
    }
    interrupt(&child);
    let answer = ended(child, "run, interrupted at its pictures");
    if answer.code == Some(0) {
        // The pictures were finished before the signal.
        std::fs::remove_file(workshop.path("run/preview.png")).expect("a picture");
    } else {
        let words = ["interrupted; all frames are there; make pictures with: craze render run"];
        answer.ended_with(130, &words);
    }
    let told = workshop.craze(&["run", "--resume", "run"]).succeeded();
    assert!(told.contains("frames are there already") && told.contains("look at run/preview."), "{told}");
    assert!(workshop.path("run/preview.png").is_file());
}

#[test]
fn two_programs_never_write_one_folder() {
    let workshop = Workshop::with_scene(MEDLEY);
    let child = under_way(&workshop);
    for call in [["run", "--resume", "run"].as_slice(), &["run", "scene.toml", "-o", "run", "--force"]] {
        workshop.craze(call).failed_with(&["another run is writing to run;", "-o"]);
    }
    ended(child, "the first").succeeded();
    assert_eq!(workshop.record("run")["result"], "complete");
}

/// Starts the same command twice at once and waits for both. Returns the refusals.
fn two_at_once(workshop: &Workshop, call: &[&str]) -> Vec<Answer> {
    let children = [workshop.start(call), workshop.start(call)];
    let answers = children.map(|child| ended(child, &call.join(" ")));
    answers.into_iter().filter(|answer| answer.code != Some(0)).collect()
}

#[test]
fn of_two_simultaneous_runs_in_one_folder_one_is_refused() {
    let workshop = Workshop::with_scene(MEDLEY);
    let whole = undisturbed(&workshop);
    for round in 0..6 {
        let call: &[&str] = match round % 3 {
            0 => &["run", "scene.toml", "-o", "run"],
            1 => &["run", "scene.toml", "-o", "run", "--force"],
            _ => {
                // Half of the run exists, without newer pictures or tables.
                std::fs::remove_dir_all(workshop.path("run")).expect("removable");
                let child = under_way(&workshop);
                interrupt(&child);
                ended(child, "run, interrupted").ended_with(130, &["--resume"]);
                &["run", "--resume", "run"]
            }
        };
        if round % 3 == 0 && workshop.path("run").exists() {
            std::fs::remove_dir_all(workshop.path("run")).expect("removable");
        }
        let refused = two_at_once(&workshop, call);
        assert_eq!(refused.len(), 1, "round {round}");
        refused.into_iter().for_each(|answer| drop(answer.failed_with(&["another run is writing to run;", "-o"])));
        workshop.lasting("run").assert_same_as(&whole, "of two at once");
    }
}

#[test]
fn the_folder_of_a_killed_run_is_unlocked() {
    let workshop = Workshop::with_scene(MEDLEY);
    let mut child = under_way(&workshop);
    child.kill().expect("a child that can be killed");
    child.wait().expect("a child");
    workshop.craze(&["run", "scene.toml", "-o", "run"]).failed_with(&["run exists already", "--resume", "--force"]);
    workshop.craze(&["run", "--resume", "run"]).succeeded();
}

#[test]
fn a_complete_run_has_nothing_to_resume() {
    let workshop = Workshop::with_run();
    let before = workshop.lasting("out/scene");
    let told = workshop.craze(&["run", "scene.toml", "--resume"]).succeeded();
    assert!(told.contains("all 5 frames are there already"), "{told}");
    workshop.lasting("out/scene").assert_same_as(&before, "resumed without need");
}
