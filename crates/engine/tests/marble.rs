//! The world with the simplest body there is: a point of mass that can be told to misbehave.

use craze_contact::{CollisionGeometry, ContactPoints, ContactSurface, Impulse, RigidShape, SurfacePoint};
use craze_engine::{
    Account, Action, Attachable, Body, Certificate, Checked, CommitLog, Drive, Effect, EventKind, Existing, Failure,
    FolderError, FrameDetail, Hold, HoldId, Machine, MaterialPoint, Measure, Method, Mode, Motion, Obstacle, PairTable,
    Probe, Ramp, Region, RunFolder, RunRecord, RunResult, Settings, Step, Verdict, World, WorldError,
};
use craze_frame::{BodyFrame, Piece, Pose, Surface};
use craze_math::{Isometry, Mat3, Vec3};
use craze_spatial::Aabb;
use serde::{Deserialize, Serialize};
use std::path::Path;

const MASS: f64 = 2.0;

#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct State {
    position: Vec3,
    velocity: Vec3,
    work: f64,
}

#[derive(Clone, Serialize, Deserialize)]
struct Marble {
    state: State,
    predicted: State,
    longest_step: f64,
    /// Predictions with a longer step fail.
    fails_above: f64,
    /// Steps longer than this gain speed from nowhere.
    runs_away_above: f64,
    held: Option<u32>,
    reaction: Vec3,
}

impl Marble {
    fn at(position: Vec3, velocity: Vec3) -> Marble {
        let state = State { position, velocity, work: 0.0 };
        let endless = f64::INFINITY;
        Marble {
            state,
            predicted: state,
            longest_step: 0.01,
            fails_above: endless,
            runs_away_above: endless,
            held: None,
            reaction: Vec3::zeros(),
        }
    }

    fn load(bytes: &[u8]) -> Result<Box<dyn Method>, String> {
        let marble: Marble = postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
        Ok(Box::new(marble))
    }
}

impl ContactPoints for Marble {
    fn add_points(&self, surface: &mut ContactSurface) {
        surface.points.push(SurfacePoint {
            dof: 0,
            start: self.state.position,
            start_velocity: self.state.velocity,
            end: self.predicted.position,
            velocity: self.predicted.velocity,
            inverse_mass: 1.0 / MASS,
            radius: 0.0,
        });
    }
}

impl Method for Marble {
    fn kind(&self) -> &'static str {
        "marble"
    }

    fn time_step_limit(&self) -> f64 {
        self.longest_step
    }

    fn predict(&mut self, step: &Step) -> Result<(), Failure> {
        if step.time_step > self.fails_above {
            return Err(Failure::NotFinite { node: 7 });
        }
        let mut force = MASS * step.gravity;
        for load in step.loads {
            if let Effect::Force(push) = load.effect {
                force += push;
                self.reaction = push;
            }
        }
        self.predicted.velocity = self.state.velocity + step.time_step * force / MASS;
        if step.time_step > self.runs_away_above {
            self.predicted.velocity *= 3.0;
        }
        self.predicted.position = self.state.position + step.time_step * self.predicted.velocity;
        let way = 0.5 * step.time_step * (self.state.velocity + self.predicted.velocity);
        self.predicted.work = self.state.work + (force - MASS * step.gravity).dot(&way);
        Ok(())
    }

    fn collision_geometry(&self) -> CollisionGeometry<'_> {
        CollisionGeometry::of_points(Aabb::from_points([&self.state.position, &self.predicted.position]), self)
    }

    fn receive(&mut self, impulses: &[Impulse], step: &Step) {
        for impulse in impulses {
            let gain = impulse.impulse / MASS;
            self.predicted.velocity += gain;
            self.predicted.position += step.time_step * gain;
        }
    }

    fn check(&self) -> Result<(), Failure> {
        Ok(())
    }

    fn commit(&mut self, _step: &Step, _log: &mut CommitLog) {
        self.state = self.predicted;
    }

    fn account(&self, gravity: &Vec3) -> Account {
        let State { position, velocity, work } = self.state;
        Account {
            mass: MASS,
            momentum: MASS * velocity,
            angular_momentum: MASS * position.cross(&velocity),
            kinetic: 0.5 * MASS * velocity.norm_squared(),
            potential: -MASS * gravity.dot(&position),
            work,
            elements: 1,
            nodes: 1,
            pieces: 1,
            ..Account::default()
        }
    }

    fn frame(&self, _detail: FrameDetail) -> BodyFrame {
        let pose = Pose { position: self.state.position, ..Pose::default() };
        BodyFrame { pieces: vec![Piece { id: 0, volume: 0.0, mass: MASS, parent: None, pose }], ..BodyFrame::default() }
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_stdvec(self).unwrap()
    }
}

impl Attachable for Marble {
    fn attach(&mut self, hold: HoldId, region: &Region) -> Option<Vec3> {
        region.contains(&self.state.position).then(|| {
            self.held = Some(hold.0);
            self.state.position
        })
    }

    fn locate(&mut self, _place: &Vec3) -> MaterialPoint {
        MaterialPoint { element: 0, weights: [1.0, 0.0, 0.0, 0.0] }
    }

    fn observe(&self, _point: &MaterialPoint) -> (Vec3, Vec3) {
        (self.state.position, self.state.velocity)
    }

    fn reaction(&self, _hold: HoldId) -> Vec3 {
        self.reaction
    }
}

fn settings(obstacles: usize) -> Settings {
    Settings {
        gravity: Vec3::new(0.0, -10.0, 0.0),
        frames_per_second: 10.0,
        longest_time_step: f64::INFINITY,
        mode: Mode::Dynamic,
        detail: FrameDetail::Surface,
        pairs: PairTable::new(1, obstacles, 0.5, 0.0),
        check_intersections: Checked::Everything,
    }
}

fn world(marble: Marble, obstacles: Vec<Obstacle>) -> World {
    let body = Body::new("marble", Box::new(marble), Marble::load);
    World::new(settings(obstacles.len()), vec![body], obstacles)
}

fn obstacle(shape: RigidShape, place: Isometry) -> Obstacle {
    let drive = Drive::Prescribed(Motion::still());
    Obstacle { name: "thing".to_owned(), shape, surface: Surface::default(), place, drive }
}

fn advance(world: &mut World, frames: u32) -> Result<(), WorldError> {
    for _ in 0..frames {
        world.advance_frame(&mut |_| Verdict::Continue)?;
    }
    Ok(())
}

fn position(world: &World) -> Vec3 {
    world.bodies[0].method.observe(&MaterialPoint { element: 0, weights: [1.0, 0.0, 0.0, 0.0] }).0
}

fn record() -> RunRecord {
    RunRecord {
        craze: "test".into(),
        scene: "marble".into(),
        seed: 1,
        machine: Machine { platform: "test".into(), instructions: "none".into(), threads: 1 },
        result: RunResult::Running,
        frames: 8,
        frames_per_second: 10.0,
        steps: 0,
        retries: 0,
        splits: Default::default(),
        seconds: Vec::new(),
        wall_seconds: 0.0,
        preview_seconds: 0.0,
        certificate: Certificate::default(),
        broken: Vec::new(),
        state_hashes: Vec::new(),
    }
}

#[test]
fn frames_fall_on_their_time_to_the_bit_whatever_the_step() {
    for longest_step in [0.01, 0.007, 0.0333, 1.0] {
        let mut world = world(Marble { longest_step, ..Marble::at(Vec3::zeros(), Vec3::zeros()) }, Vec::new());
        for frame in 1..=7 {
            advance(&mut world, 1).unwrap();
            assert_eq!(world.time, f64::from(frame) / 10.0);
        }
    }
}

#[test]
fn a_failed_prediction_is_tried_again_with_half_the_step() {
    let mut world = world(Marble { fails_above: 0.003, ..Marble::at(Vec3::zeros(), Vec3::x()) }, Vec::new());
    advance(&mut world, 1).unwrap();
    assert!((position(&world).x - 0.1).abs() < 1e-12, "no time is lost");
    assert!(world.counters.retries >= 2);
    let EventKind::Retry { time_step, reason } = &world.events[0].kind else { panic!("{:?}", world.events) };
    assert!((time_step - 0.01).abs() < 1e-12 && reason.contains("node 7"));
}

#[test]
fn a_body_that_fails_always_stops_the_world_by_name() {
    let mut world = world(Marble { fails_above: 0.0, ..Marble::at(Vec3::zeros(), Vec3::zeros()) }, Vec::new());
    let error = advance(&mut world, 1).unwrap_err();
    assert!(
        matches!(&error, WorldError::Stuck { body, failure: Failure::NotFinite { node: 7 }, .. } if body == "marble")
    );
    assert_eq!(position(&world), Vec3::zeros(), "the state is the last good one");
}

#[test]
fn energy_from_nowhere_starts_the_frame_again_with_a_shorter_step() {
    let marble = Marble { runs_away_above: 0.004, ..Marble::at(Vec3::zeros(), Vec3::x()) };
    let mut world = world(marble.clone(), Vec::new());
    advance(&mut world, 1).unwrap();
    assert!((position(&world).x - 0.1).abs() < 1e-12);

    let mut hopeless = self::world(Marble { runs_away_above: 0.0, ..marble }, Vec::new());
    assert!(matches!(advance(&mut hopeless, 1), Err(WorldError::Runaway { .. })));
}

#[test]
fn what_a_forgotten_attempt_measured_is_forgotten() {
    let marble = Marble { runs_away_above: 0.004, ..Marble::at(Vec3::zeros(), Vec3::x()) };
    let mut world = world(marble, Vec::new());
    let point = world.bodies[0].method.locate(&Vec3::zeros());
    world.add_probe(Probe { name: "p".into(), measure: Measure::Position { body: 0, point }, every: Some(0.02) });
    advance(&mut world, 1).unwrap();
    assert!(world.samples.is_sorted_by(|sample, next| sample.time < next.time), "{:?}", world.samples);
    let retries = world.events.iter().filter(|event| matches!(event.kind, EventKind::Retry { .. })).count();
    assert_eq!((retries as u64, retries), (world.counters.retries, 2), "{:?}", world.events);
}

#[test]
fn a_vanishing_step_is_reported_and_not_tried() {
    for longest_step in [0.0, f64::NAN, 1e-30] {
        let mut world = world(Marble { longest_step, ..Marble::at(Vec3::zeros(), Vec3::zeros()) }, Vec::new());
        assert!(matches!(advance(&mut world, 1), Err(WorldError::VanishingStep { .. })));
    }
}

#[test]
fn a_marble_comes_to_rest_on_a_slope_below_the_friction_angle_and_slides_above_it() {
    for (angle, slides) in [(0.4, false), (0.6, true)] {
        // tan 0.4 < 0.5 < tan 0.6
        let slope = Isometry::new(Vec3::zeros(), Vec3::new(0.0, 0.0, angle));
        let start = slope.rotation * Vec3::new(0.0, 0.001, 0.0);
        let mut world = world(Marble::at(start, Vec3::zeros()), vec![obstacle(RigidShape::HalfSpace, slope)]);
        advance(&mut world, 10).unwrap();
        let along = position(&world).dot(&(slope.rotation * Vec3::x()));
        let expected = if slides { -0.5 * 10.0 * (angle.sin() - 0.5 * angle.cos()) } else { 0.0 };
        assert!((along - expected).abs() < 0.01, "{along} {expected}");
        let height = position(&world).dot(&(slope.rotation * Vec3::y()));
        assert!(height.abs() < 2e-3);
    }
}

#[test]
fn a_free_ball_falls_and_lies_still() {
    let mut ball = obstacle(RigidShape::Ball { radius: 0.2 }, Isometry::translation(0.0, 0.5, 0.0));
    ball.release(3.0, Vec3::zeros(), &(Mat3::identity() * 0.048), Vec3::zeros(), Vec3::zeros());
    let ground = obstacle(RigidShape::HalfSpace, Isometry::identity());
    let mut world = world(Marble::at(Vec3::new(9.0, 1.0, 0.0), Vec3::zeros()), vec![ball, ground]);
    advance(&mut world, 20).unwrap();
    let height = world.obstacles[0].pose(world.time).translation.vector.y;
    assert!((height - 0.2).abs() < 1e-3, "{height}");
}

#[test]
fn a_marble_shares_its_momentum_with_a_free_ball() {
    let mut ball = obstacle(RigidShape::Ball { radius: 0.2 }, Isometry::identity());
    ball.release(6.0, Vec3::zeros(), &(Mat3::identity() * 0.096), Vec3::zeros(), Vec3::zeros());
    let mut world = world(Marble::at(Vec3::new(-0.5, 0.0, 0.0), Vec3::new(4.0, 0.0, 0.0)), vec![ball]);
    world.settings.gravity = Vec3::zeros();
    advance(&mut world, 5).unwrap();
    let Drive::Free(free) = &world.obstacles[0].drive else { unreachable!() };
    assert!((free.body.velocity.x - 1.0).abs() < 1e-9, "2 kg at 4 m/s with 6 kg: {}", free.body.velocity.x);
    assert!((world.account().momentum.x + 6.0 * free.body.velocity.x - 8.0).abs() < 1e-12);
}

#[test]
fn a_force_acts_until_it_is_released_and_probes_see_it() {
    let mut world = world(Marble::at(Vec3::zeros(), Vec3::zeros()), Vec::new());
    world.settings.gravity = Vec3::zeros();
    let action = Action::Force { force: Vec3::new(4.0, 0.0, 0.0), ramp: Ramp::default() };
    let hold = |region| Hold { name: "push".into(), body: 0, region, action: action.clone(), release: Some(0.5) };
    assert!(world.add_hold(hold(Region::Ball { center: Vec3::x(), radius: 0.1 })).is_none(), "nothing there");
    let id = world.add_hold(hold(Region::All)).unwrap();
    let point = MaterialPoint { element: 0, weights: [1.0, 0.0, 0.0, 0.0] };
    let probe = |measure| Probe { name: "p".to_owned(), measure, every: None };
    advance(&mut world, 10).unwrap();
    let velocity = probe(Measure::Velocity { body: 0, point });
    assert_eq!(velocity.columns(), ["p.vx_m_s", "p.vy_m_s", "p.vz_m_s"]);
    assert!((velocity.measure(&world)[0] - 1.0).abs() < 1e-12, "2 m/s² for half a second");
    assert_eq!(probe(Measure::Reaction { hold: id }).measure(&world), [4.0, 0.0, 0.0]);
    assert!((world.account().kinetic - world.account().work).abs() < 1e-12);
}

#[test]
fn probes_are_sampled_when_they_are_due() {
    let mut world = world(Marble::at(Vec3::zeros(), Vec3::x()), Vec::new());
    let point = MaterialPoint { element: 0, weights: [1.0, 0.0, 0.0, 0.0] };
    let add = |world: &mut World, every| {
        let measure = Measure::Position { body: 0, point };
        world.add_probe(Probe { name: "p".into(), measure, every });
    };
    add(&mut world, Some(0.03));
    add(&mut world, None);
    advance(&mut world, 2).unwrap();
    // Steps of 0.01 s: due at 0 (so at the first step), then at multiples of 0.03 s; the other at 0.1 s and 0.2 s.
    let times: Vec<f64> = world.samples.iter().map(|sample| (sample.time * 1e6).round() / 1e6).collect();
    assert_eq!(times, [0.01, 0.03, 0.06, 0.09, 0.1, 0.12, 0.15, 0.18, 0.2]);
    assert!(world.samples[1].values[0].is_some() && world.samples[1].values[3].is_none());
    assert!((world.samples[8].values[3].unwrap() - 0.2).abs() < 1e-12);
}

fn thrown() -> World {
    let ground = obstacle(RigidShape::HalfSpace, Isometry::identity());
    let mut ball = obstacle(RigidShape::Ball { radius: 0.1 }, Isometry::translation(0.5, 0.4, 0.0));
    ball.release(1.0, Vec3::zeros(), &(Mat3::identity() * 0.004), Vec3::zeros(), Vec3::new(3.0, 1.0, 0.0));
    world(Marble::at(Vec3::new(0.0, 0.5, 0.0), Vec3::new(1.3, 0.0, 0.2)), vec![ground, ball])
}

fn run(folder: &mut RunFolder, world: &mut World, until: u32) {
    while world.frame_number < until {
        advance(world, 1).unwrap();
        folder.record_frame(world).unwrap();
    }
}

fn begin(path: &Path) -> (RunFolder, World) {
    let mut world = thrown();
    let mut folder = RunFolder::create(path, "# scene", record(), 1, Existing::Refuse).unwrap();
    folder.record_frame(&mut world).unwrap();
    (folder, world)
}

#[test]
fn a_run_that_was_cut_off_goes_on_with_the_same_bits() {
    let home = tempfile::tempdir().unwrap();
    let (mut whole, mut world) = begin(&home.path().join("whole"));
    run(&mut whole, &mut world, 8);

    let path = home.path().join("cut");
    let (mut cut, mut world) = begin(&path);
    run(&mut cut, &mut world, 5);
    // Killed after the frame and a table, before the checkpoint.
    advance(&mut world, 1).unwrap();
    craze_frame::write(&RunFolder::frame_path(&path, 6), &world.frame()).unwrap();
    std::fs::OpenOptions::new()
        .append(true)
        .open(path.join("stats.csv"))
        .map(|mut file| {
            use std::io::Write;
            file.write_all(b"6,half a ro").unwrap();
        })
        .unwrap();
    drop((cut, world));

    let mut world = thrown();
    let mut resumed = RunFolder::resume(&path, &mut world, 1).unwrap();
    assert_eq!(world.frame_number, 5);
    run(&mut resumed, &mut world, 8);
    assert_eq!(resumed.record().state_hashes, whole.record().state_hashes);
    let column = |path: &Path| -> Vec<String> {
        let table = std::fs::read_to_string(path.join("stats.csv")).unwrap();
        table.lines().map(|line| line.split(',').take(14).collect::<Vec<_>>().join(",")).collect()
    };
    assert_eq!(column(&path), column(&home.path().join("whole")));
}

#[test]
fn a_damaged_checkpoint_falls_back_to_the_one_before() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("run");
    let (mut folder, mut world) = begin(&path);
    run(&mut folder, &mut world, 4);
    let newest = path.join("checkpoint/0004.checkpoint");
    let mut bytes = std::fs::read(&newest).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x40;
    std::fs::write(&newest, &bytes).unwrap();
    drop(folder);
    let mut world = thrown();
    let folder = RunFolder::resume(&path, &mut world, 1).unwrap();
    assert_eq!(world.frame_number, 3);
    assert!(folder.passed_over()[0].to_string().contains("0004.checkpoint"), "{:?}", folder.passed_over());
    drop(folder);

    std::fs::write(&newest, b"not a checkpoint").unwrap();
    std::fs::remove_file(path.join("checkpoint/0003.checkpoint")).unwrap();
    let error = RunFolder::resume(&path, &mut thrown(), 1).unwrap_err();
    assert!(error.to_string().contains("0004.checkpoint"), "{error}");
}

#[test]
fn steps_that_were_thrown_away_are_still_counted_after_a_resume() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("run");
    let stumbling = || {
        let marble = Marble { fails_above: 0.004, ..Marble::at(Vec3::zeros(), Vec3::x()) };
        world(marble, Vec::new())
    };
    let mut world = stumbling();
    let mut folder = RunFolder::create(&path, "", record(), 1, Existing::Refuse).unwrap();
    folder.record_frame(&mut world).unwrap();
    run(&mut folder, &mut world, 2);
    let counted = world.counters.retries;
    assert!(counted > 0);
    drop(folder);
    let mut world = stumbling();
    RunFolder::resume(&path, &mut world, 1).unwrap();
    assert_eq!(world.counters.retries, counted);
}

#[test]
fn a_run_without_a_checkpoint_begins_anew() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("run");
    let (mut folder, mut world) = begin(&path);
    run(&mut folder, &mut world, 3);
    let whole = folder.record().state_hashes.clone();
    drop(folder);
    std::fs::remove_dir_all(path.join("checkpoint")).unwrap();
    let mut world = thrown();
    let mut folder = RunFolder::resume(&path, &mut world, 1).unwrap();
    assert_eq!((world.frame_number, RunFolder::frame_files(&path).unwrap().len()), (0, 1));
    run(&mut folder, &mut world, 3);
    assert_eq!(folder.record().state_hashes, whole);
    let stats = std::fs::read_to_string(path.join("stats.csv")).unwrap();
    assert_eq!(stats.lines().count(), 5, "{stats}");
}

#[test]
fn two_processes_never_write_one_folder() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("run");
    let (folder, _) = begin(&path);
    let resumed = RunFolder::resume(&path, &mut thrown(), 1);
    assert!(matches!(resumed, Err(FolderError::InUse(_))), "{resumed:?}");
    let replaced = RunFolder::create(&path, "", record(), 1, Existing::Replace);
    assert!(matches!(replaced, Err(FolderError::InUse(_))), "{replaced:?}");
    assert!(RunFolder::frame_path(&path, 0).is_file());
    drop(folder);
    RunFolder::resume(&path, &mut thrown(), 1).unwrap();
}

#[test]
fn a_scene_that_was_edited_since_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("run");
    begin(&path);
    std::fs::write(path.join("scene.toml"), "# another scene").unwrap();
    let error = RunFolder::resume(&path, &mut thrown(), 1).unwrap_err();
    assert!(error.to_string().contains("another scene than the scene.toml"), "{error}");
}

#[test]
fn a_table_that_has_lost_rows_is_refused_not_filled_with_zeros() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("run");
    let (mut folder, mut world) = begin(&path);
    run(&mut folder, &mut world, 2);
    drop(folder);
    std::fs::write(path.join("stats.csv"), "frame\n").unwrap();
    let error = RunFolder::resume(&path, &mut thrown(), 1).unwrap_err();
    assert!(error.to_string().contains("stats.csv has 6 bytes"), "{error}");
    assert_eq!(std::fs::read_to_string(path.join("stats.csv")).unwrap(), "frame\n");
}

#[test]
fn a_checkpoint_of_another_scene_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("run");
    begin(&path);
    let mut other = world(Marble::at(Vec3::zeros(), Vec3::zeros()), Vec::new());
    let error = RunFolder::resume(&path, &mut other, 1).unwrap_err();
    assert!(error.to_string().contains("another scene"), "{error}");
}

#[test]
fn an_existing_folder_is_never_lost_by_accident() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("run");
    begin(&path);
    let create = |path: &Path, existing| RunFolder::create(path, "", record(), 1, existing);
    assert!(matches!(create(&path, Existing::Refuse), Err(FolderError::Exists(_))));
    create(&path, Existing::Replace).unwrap();
    let precious = home.path().join("precious");
    std::fs::create_dir(&precious).unwrap();
    std::fs::write(precious.join("novel.txt"), "chapter one").unwrap();
    assert!(matches!(create(&precious, Existing::Replace), Err(FolderError::NotARun(_))));
    assert!(precious.join("novel.txt").exists());
}

#[test]
fn a_place_that_is_not_a_number_is_named() {
    let mut world = world(Marble::at(Vec3::new(0.0, f64::NAN, 0.0), Vec3::zeros()), Vec::new());
    assert_eq!(world.check_intersections(), Err(WorldError::NotFinite { thing: "marble".to_owned(), frame: 0 }));
    world.settings.check_intersections = Checked::Nothing;
    assert_eq!(world.check_intersections(), Ok(()), "nobody asked");
}
