//! Checks beyond the schema: references by name, keys that exclude or require each other, sizes.

use super::structure::unknown_name;
use super::units::in_digits;
use crate::description::{
    Action, Body, ContactPair, Crack, CrackShape, Hold, Integrator, Keyframe, LookSettings, Mode, Obstacle,
    ObstacleShape, Probe, Quantity, Region, Response, RigidMotion, Scene, Shape, Turning,
};
use crate::problem::Problem;
use crate::report::Collector;
use crate::tree::{Node, Value};
use craze_descriptor::{BodyKey, Descriptor, Elements, Finding};
use craze_material::color::linear_from_hex;
use craze_material::{Key, MaterialError, Overrides};
use std::collections::{BTreeMap, BTreeSet};

/// Most frames of a run.
const MOST_FRAMES: u64 = 10_000_000;
/// Steps of a run at most.
const MOST_STEPS: f64 = 1e11;
/// Most tetrahedra or particles that a body is asked to have.
const MOST_ELEMENTS: f64 = 1e8;

/// Reports every contradiction in a scene.
pub(crate) fn check(scene: &Scene, tree: &Node, methods: &'static [Descriptor], errors: &mut Collector) {
    let mut checker = Checker {
        scene,
        tree,
        methods,
        bodies: scene.bodies.iter().map(|body| body.name.as_str()).collect(),
        obstacles: scene.obstacles.iter().map(|obstacle| obstacle.name.as_str()).collect(),
        holds: scene.holds.iter().map(|hold| hold.name.as_str()).collect(),
        errors,
    };
    checker.world();
    checker.names();
    checker.contact();
    for (index, body) in scene.bodies.iter().enumerate() {
        checker.body(body, &format!("body[{index}]"));
    }
    for (index, hold) in scene.holds.iter().enumerate() {
        checker.hold(hold, &format!("hold[{index}]"));
    }
    for (index, crack) in scene.cracks.iter().enumerate() {
        checker.crack(crack, &format!("crack[{index}]"));
    }
    for (index, obstacle) in scene.obstacles.iter().enumerate() {
        checker.obstacle(obstacle, &format!("obstacle[{index}]"));
    }
    for (index, probe) in scene.probes.iter().enumerate() {
        checker.probe(probe, &format!("probe[{index}]"));
    }
    if scene.camera.is_some_and(|camera| camera.from == camera.to) {
        checker.reject("camera.to", "the camera looks at the point where it is", "move `from` away from `to`");
    }
}

/// Every `ramp` that has no load beside it; such a hold has no description to check.
pub(crate) fn check_ramps(tree: &Node, errors: &mut Collector) {
    let Some(Value::List(holds)) = tree.get("hold").map(|hold| &hold.value) else { return };
    for (index, hold) in holds.iter().enumerate() {
        if let Some(ramp) = hold.get("ramp").filter(|_| hold.get("force").or(hold.get("traction")).is_none()) {
            let problem = Problem::Rejected {
                message: "`ramp` without a load".to_owned(),
                help: "`ramp` goes with `force` or `traction`; `motion` and `twist` have times of their own".to_owned(),
            };
            errors.push(&ramp.key, format!("hold[{index}].ramp"), problem);
        }
    }
}

struct Checker<'a> {
    scene: &'a Scene,
    tree: &'a Node,
    methods: &'static [Descriptor],
    bodies: BTreeSet<&'a str>,
    obstacles: BTreeSet<&'a str>,
    holds: BTreeSet<&'a str>,
    errors: &'a mut Collector,
}

impl Checker<'_> {
    /// Reports a problem at the value of a key, or at the nearest key above that is written.
    fn report(&mut self, path: &str, problem: Problem) {
        self.errors.push(&self.tree.nearest_to(path).span, path, problem);
    }

    fn reject(&mut self, path: &str, message: impl Into<String>, help: impl Into<String>) {
        self.report(path, Problem::Rejected { message: message.into(), help: help.into() });
    }

    /// Reports a key that should not be there, at the key itself.
    fn reject_key(&mut self, path: &str, message: impl Into<String>, help: impl Into<String>) {
        let problem = Problem::Rejected { message: message.into(), help: help.into() };
        self.errors.push(&self.tree.nearest_to(path).key, path, problem);
    }

    /// Whether the file has a key.
    fn is_written(&self, table: &str, key: &str) -> bool {
        self.tree.nearest_to(table).get(key).is_some()
    }

    fn world(&mut self) {
        let world = &self.scene.world;
        if self.scene.bodies.is_empty() && self.scene.obstacles.is_empty() {
            self.report("", Problem::EmptyScene);
        }
        if world.frames() > MOST_FRAMES {
            let message =
                format!("{} s at {} frames a second are more than {MOST_FRAMES} frames", world.duration, world.fps);
            self.reject("world.duration", message, "lower `duration` or `fps`");
        }
        self.time_step("world", world.time_step);
        if world.mode == Mode::Dynamic && world.steps.is_some() {
            let help = "remove `steps`, or set mode = \"quasi-static\"";
            self.reject("world.steps", "`steps` counts load steps, which only quasi-static mode has", help);
        }
    }

    /// Refuses a bound on Δt (s) with which a run would not end.
    fn time_step(&mut self, table: &str, longest: Option<f64>) {
        let duration = self.scene.world.duration;
        if let Some(longest) = longest.filter(|longest| duration / longest > MOST_STEPS) {
            let message = format!("{duration} s in steps of {longest:e} s are more than {MOST_STEPS:e} steps");
            self.reject(&format!("{table}.time_step"), message, "give a longer one, in seconds, or leave it out");
        }
    }

    fn names(&mut self) {
        let scene = self.scene;
        let bodies = scene.bodies.iter().map(|body| body.name.as_str());
        let obstacles = scene.obstacles.iter().map(|obstacle| obstacle.name.as_str());
        let holds = scene.holds.iter().map(|hold| hold.name.as_str());
        let probes = scene.probes.iter().map(|probe| probe.name.as_str());
        let cracks = scene.cracks.iter().map(|crack| crack.name.as_str());
        // Pairs name bodies and obstacles alike, so that these share one set of names.
        self.unique(numbered("body", bodies).chain(numbered("obstacle", obstacles)));
        self.unique(numbered("hold", holds));
        self.unique(numbered("probe", probes));
        self.unique(numbered("crack", cracks));
    }

    fn unique<'n>(&mut self, names: impl Iterator<Item = (&'static str, usize, &'n str)>) {
        let mut taken: BTreeMap<&str, (&str, String)> = BTreeMap::new();
        for (what, index, name) in names {
            let path = format!("{what}[{index}].name");
            if let Some(wrong) = name.chars().find(|c| !(c.is_alphanumeric() || matches!(c, ' ' | '_' | '-'))) {
                let message = format!("the name \"{}\" contains {wrong:?}", crate::tree::shortened(name));
                self.reject(&path, message, "names are made of letters, digits, spaces, _ and -");
            }
            match taken.get(name) {
                Some((first, first_path)) => {
                    let line = self.tree.nearest_to(first_path).span.line();
                    self.report(
                        &path,
                        Problem::DuplicateName { name: name.to_owned(), what: (*first).to_owned(), line },
                    );
                }
                None => {
                    taken.insert(name, (what, path));
                }
            }
        }
    }

    fn contact(&mut self) {
        let scene = self.scene;
        for (index, pair) in scene.contact.pairs.iter().enumerate() {
            let path = format!("contact.pair[{index}]");
            for (side, name) in pair.between.iter().enumerate() {
                if !self.bodies.contains(name.as_str()) && !self.obstacles.contains(name.as_str()) {
                    let names = self.bodies.union(&self.obstacles).map(|name| (*name).to_owned()).collect();
                    self.report(&format!("{path}.between[{side}]"), unknown_name("body or obstacle", name, names));
                }
            }
            if pair.friction.is_none() && pair.restitution.is_none() && pair.response.is_none() {
                self.reject(&path, "the pair has no effect", "give it `friction`, `restitution` or `response`");
            }
            self.pair_response(&path, pair);
        }
    }

    /// Penalty forces act between the tetrahedra of two bodies, at the pace of explicit steps.
    fn pair_response(&mut self, path: &str, pair: &ContactPair) {
        let path = format!("{path}.response");
        if !matches!(pair.response, Some(Response::NodePenalty | Response::OverlapPenalty)) {
            return;
        }
        if pair.between[0] == pair.between[1] && pair.response == Some(Response::NodePenalty) {
            let help = "use \"overlap-penalty\" or \"impulses\"";
            self.reject(&path, "within a body penalty forces go by volume", help);
        }
        for name in &pair.between {
            let body = self.scene.bodies.iter().find(|body| body.name == *name);
            if body.is_none_or(|body| self.method(body).is_none_or(|method| !method.penalty)) {
                let able = self.methods_that(|method| method.penalty).join(" or ");
                let message = format!("penalty forces act between bodies of method {able}, and \"{name}\" is none");
                self.reject(&path, message, format!("name two bodies of method {able}, or use \"impulses\""));
            } else if body.is_some_and(|body| body.integrator == Some(Integrator::Implicit)) {
                let message = format!("penalty forces need short steps, and those of \"{name}\" are implicit");
                self.reject(&path, message, "give it another `integrator`, or use \"impulses\"");
            }
        }
    }

    fn body_reference(&mut self, path: &str, name: &str) {
        if !self.bodies.contains(name) {
            let names = self.bodies.iter().map(|name| (*name).to_owned()).collect();
            self.report(path, unknown_name("body", name, names));
        }
    }

    fn body(&mut self, body: &Body, path: &str) {
        self.time_step(path, body.time_step);
        let Some(method) = self.method(body) else { return };
        if self.scene.world.mode == Mode::QuasiStatic && !method.quasi_static {
            let message = format!("method \"{}\" has no quasi-static mode", method.name);
            let able = self.methods_that(|method| method.quasi_static).join("\" or \"");
            let help = format!("use method = \"{able}\", or mode = \"dynamic\"");
            self.reject(&format!("{path}.method"), message, help);
        }
        self.foreign_keys(body, method, path);
        self.options(body, method, path);
        if let Some(error) = body.meshing.and_then(|meshing| meshing.check().err()) {
            let key = format!("{path}.meshing.{}", error.field().unwrap_or_default());
            self.reject(&key, error.to_string(), "");
        }
        if self.shape(&body.shape, &format!("{path}.shape")) {
            self.resolution(body, method, path);
        }
        self.material(method, &body.material, &format!("{path}.material"));
        self.regions(body, method, path);
        self.look(body, path);
    }

    /// Refuses unknown looks and colours that cannot be read.
    fn look(&mut self, body: &Body, path: &str) {
        let Some(look) = &body.look else { return };
        if let Some(name) = look.name.as_deref().filter(|_| look.named().is_none()) {
            self.report(&format!("{path}.look.name"), unknown_name("look", name, LookSettings::names()));
        }
        if let Some(color) = look.color.as_deref().filter(|color| linear_from_hex(color).is_none()) {
            let message = format!("{color:?} is no colour");
            self.reject(
                &format!("{path}.look.color"),
                message,
                "write six hexadecimal digits after #, as in \"#f0c45c\"",
            );
        }
    }

    /// Numbers of a material of a body that its method does not use, or that cannot be, alone or together.
    fn material(&mut self, method: &Descriptor, overrides: &Overrides, material: &str) {
        let usage = method.material;
        let given = serde_json::to_value(overrides).unwrap_or_default();
        let mut complete = true;
        for key in overrides.unused(usage) {
            complete = false;
            let message = format!("method {} does not use `{}`", usage.method, key.name());
            self.reject_key(&format!("{material}.{}", key.name()), message, self.help_for_unused(method, key));
        }
        let is_inner = material.contains(".materials.");
        for key in overrides.given().filter(|key| key.is_for_contact() && is_inner) {
            let message = format!("`{}` is the same for the whole body", key.name());
            let help = format!("give it in the body's `material`, or as `{}` of a [[contact.pair]]", key.name());
            self.reject_key(&format!("{material}.{}", key.name()), message, help);
        }
        for quantity in craze_material::Quantity::ALL {
            let Some(value) = given[quantity.key()].as_f64() else { continue };
            if quantity.check(value).is_err() {
                complete = false;
                let key = format!("{material}.{}", quantity.key());
                let value = super::units::with_unit(value, quantity.unit());
                self.report(&key, Problem::OutOfRange { key: key.clone(), value, allowed: quantity.allowed().into() });
            }
        }
        // Numbers are checked together once each is possible alone.
        if let Some(error) = complete.then(|| overrides.resolve_for(usage).err()).flatten() {
            let help = match error {
                MaterialError::Missing { missing, .. } if missing.starts_with("cluster_") => "",
                MaterialError::Missing { .. } => "or start from a preset: `craze materials` lists all",
                _ => "",
            };
            self.reject(&format!("{material}.{}", error.field()), error.to_string(), help);
        }
    }

    /// What to write instead of a key of a material that a method does not use.
    fn help_for_unused(&self, method: &Descriptor, key: Key) -> String {
        let usage = method.material;
        let users = self.methods_that(|other| other.material.accepts(key));
        let instead = match (usage.instead_of(key), users.as_slice()) {
            (Some(ours), _) => format!("give `{}` in its place", ours.key()),
            (None, []) => "remove it: no method uses it yet".to_owned(),
            (None, users) => format!("remove it, or use method = \"{}\"", users.join("\" or \"")),
        };
        let keys: Vec<&str> = usage.keys().map(Key::name).collect();
        format!("{instead}; {} uses {}", usage.method, keys.join(", "))
    }

    /// Refuses materials of regions that the shape does not have.
    fn regions(&mut self, body: &Body, method: &Descriptor, path: &str) {
        let Some(materials) = &body.materials else { return };
        if let Some(mortar) = &materials.mortar {
            let key = format!("{path}.materials.mortar");
            if !matches!(body.shape, Shape::BrickWall(_)) {
                let message = format!("shape.{} has no joints of mortar", body.shape.name());
                self.reject(&key, message, "only shape.brick_wall has: remove `materials`");
            }
            self.material(method, mortar, &key);
        }
        for (index, region) in materials.regions.iter().enumerate() {
            let key = format!("{path}.materials.regions[{index}]");
            if !matches!(body.shape, Shape::Mesh(_)) {
                let message = format!("shape.{} has no numbered regions", body.shape.name());
                self.reject(&key, message, "only models with their own tetrahedra have: remove it");
            }
            if materials.regions[..index].iter().any(|earlier| earlier.number == region.number) {
                let message = format!("region {} has a material already", region.number);
                self.reject(&format!("{key}.number"), message, "name every region once");
            }
            self.material(method, &region.material, &format!("{key}.material"));
        }
    }

    /// Whether the parameters of a shape fit together.
    fn shape(&mut self, shape: &Shape, path: &str) -> bool {
        let Err(error) = shape.check() else { return true };
        let path = format!("{path}.{}.{}", shape.name(), error.field().unwrap_or_default());
        self.reject(&path, error.to_string(), "");
        false
    }

    /// The method of a body.
    fn method(&self, body: &Body) -> Option<&'static Descriptor> {
        self.methods.iter().find(|method| method.name == body.method)
    }

    /// Names of the methods that can do something.
    fn methods_that(&self, can: impl Fn(&Descriptor) -> bool) -> Vec<&'static str> {
        self.methods.iter().filter(|method| can(method)).map(|method| method.name).collect()
    }

    /// Keys of one method on a body of another.
    fn foreign_keys(&mut self, body: &Body, method: &Descriptor, path: &str) {
        let own = method.elements.key();
        for key in BodyKey::ALL.into_iter().filter(|key| !method.reads(*key)) {
            let given = match key {
                BodyKey::Edge => body.edge.is_some(),
                BodyKey::Spacing => body.spacing.is_some(),
                BodyKey::Integrator => body.integrator.is_some(),
                BodyKey::Materials => body.materials.is_some(),
                BodyKey::Meshing => body.meshing.is_some(),
            };
            let is_size = matches!(key, BodyKey::Edge | BodyKey::Spacing);
            let article = if own == BodyKey::Edge { "an" } else { "a" };
            let help = is_size.then(|| format!("{} have {article} `{}`", method.elements.name(), own.name()));
            let users = self.methods_that(|method| method.reads(key)).join(" and ");
            if given {
                self.foreign_key(key.name(), &users, method, path, help);
            }
        }
        for other in self.methods.iter().filter(|other| other.name != method.name) {
            if body.tables.0.contains_key(other.name) {
                self.foreign_key(other.name, other.name, method, path, None);
            }
        }
    }

    fn foreign_key(&mut self, key: &str, users: &str, method: &Descriptor, path: &str, help: Option<String>) {
        let owner = if users.is_empty() { "no method".to_owned() } else { format!("method {users}") };
        let message = format!("`{key}` belongs to {owner}, but this body's method is {}", method.name);
        let help = help.unwrap_or_else(|| format!("remove `{key}` or change `method`"));
        self.reject(&format!("{path}.{key}"), message, help);
    }

    /// What the method finds wrong with its options, or without effect.
    fn options(&mut self, body: &Body, method: &Descriptor, path: &str) {
        let facts = body.facts(method, self.scene.world.mode);
        for finding in method.check_options(body.tables.table(method.name), &facts) {
            match finding {
                Finding::Impossible(error) => {
                    let error = error.below(path);
                    self.reject(&error.key, error.message, error.help);
                }
                Finding::Idle { key, reason, help } => {
                    let path = format!("{path}.{key}");
                    if self.tree.at(&path).is_some() {
                        let name = key.rsplit('.').next().unwrap_or_default();
                        self.reject_key(&path, format!("`{name}` changes nothing: {reason}"), help);
                    }
                }
            }
        }
    }

    /// Elements that are larger than the body, or too many.
    fn resolution(&mut self, body: &Body, method: &Descriptor, path: &str) {
        let (key, elements) = (method.elements.key(), method.elements.name());
        let elements_a_cube = method.elements.count_in_cube();
        let length = if key == BodyKey::Edge { body.edge } else { body.spacing };
        let key = key.name();
        let (Some(length), Ok(shape)) = (length, body.shape.built_in()) else { return };
        let size = shape.size();
        let largest = size.max();
        let path = if self.is_written(path, key) { format!("{path}.{key}") } else { format!("{path}.shape") };
        let count_in = |volume: f64| elements_a_cube * volume / length.powi(3);
        // Few shapes have a formula for their volume; as long as their box would do, it need not be added up.
        let most = count_in(size.product());
        let count = if most > MOST_ELEMENTS { count_in(shape.volume()) } else { most };
        if length > largest {
            let message =
                format!("`{key}` = {} m is larger than the body, which is {} m", in_digits(length), in_digits(largest));
            self.reject(&path, message, format!("a tenth of the body would be {}", in_digits(largest / 10.0)));
        } else if count > MOST_ELEMENTS {
            let message = format!("`{key}` = {} m makes about {count:.0e} {elements}", in_digits(length));
            self.reject(
                &path,
                message,
                format!("at most {MOST_ELEMENTS:.0e} are possible; the scene's lengths are metres"),
            );
        }
    }

    fn region(&mut self, region: &Region, path: &str) {
        if let Err(error) = region.check() {
            let error = error.below(path);
            self.reject(&error.key, error.message, error.help);
        }
    }

    fn hold(&mut self, hold: &Hold, path: &str) {
        self.body_reference(&format!("{path}.body"), &hold.body);
        self.region(&hold.region, &format!("{path}.region"));
        match &hold.action {
            Action::Fixed => {}
            Action::Motion(keyframes) => self.keyframes(&format!("{path}.motion"), keyframes),
            Action::Twist(twist) => {
                self.direction(&format!("{path}.twist.axis"), twist.axis);
                if let Turning::Keyframes(keyframes) = &twist.turning {
                    self.times(&format!("{path}.twist.keyframes"), keyframes.iter().map(|keyframe| keyframe.t));
                }
            }
            Action::Force { ramp, .. } | Action::Traction { ramp, .. } => {
                self.times(&format!("{path}.ramp"), ramp.iter().map(|keyframe| keyframe.t));
            }
        }
    }

    fn crack(&mut self, crack: &Crack, path: &str) {
        self.body_reference(&format!("{path}.body"), &crack.body);
        match &crack.shape {
            CrackShape::Strip(strip) => self.direction(&format!("{path}.strip.along"), strip.along),
            CrackShape::Disc(disc) => self.direction(&format!("{path}.disc.normal"), disc.normal),
            CrackShape::Polygon(_) => {}
        }
        let body = self.scene.bodies.iter().find(|body| body.name == crack.body);
        let method = body.and_then(|body| self.method(body));
        if let Some(method) = method.filter(|method| !matches!(method.elements, Elements::Tetrahedra { .. })) {
            let able =
                self.methods_that(|method| matches!(method.elements, Elements::Tetrahedra { .. })).join("\" or \"");
            let message = format!("a body of method {} cannot have a crack from the start", method.name);
            self.reject(
                path,
                message,
                format!("use method = \"{able}\" for body \"{}\", or remove the crack", crack.body),
            );
        }
    }

    fn obstacle(&mut self, obstacle: &Obstacle, path: &str) {
        if let ObstacleShape::Solid(shape) = &obstacle.shape {
            self.shape(shape, &format!("{path}.shape"));
        }
        if let ObstacleShape::Plane { plane } = &obstacle.shape {
            self.direction(&format!("{path}.shape.plane.normal"), plane.normal);
            if matches!(obstacle.motion, RigidMotion::Free { .. }) {
                let help = "remove `mass`, or take a box for something that falls";
                self.reject(&format!("{path}.mass"), "a plane has no end and so cannot be a free body", help);
            }
        }
        if self.scene.world.mode == Mode::QuasiStatic && obstacle.motion != RigidMotion::Fixed {
            let key = if matches!(obstacle.motion, RigidMotion::Free { .. }) { "mass" } else { "motion" };
            let help = "quasi-static mode has no contact: remove it, or use dynamic mode";
            self.reject(&format!("{path}.{key}"), "an obstacle cannot move in quasi-static mode", help);
        }
        if let RigidMotion::Keyframes(keyframes) = &obstacle.motion {
            self.keyframes(&format!("{path}.motion"), keyframes);
        }
        if matches!(obstacle.motion, RigidMotion::Free { .. }) {
            return;
        }
        for (key, value) in [("velocity", obstacle.place.velocity), ("spin", obstacle.place.spin)] {
            if value != [0.0; 3] {
                let message = format!("an obstacle without mass does not follow `{key}`");
                self.reject(&format!("{path}.place.{key}"), message, "give it a `mass`, or move it by `motion`");
            }
        }
    }

    fn probe(&mut self, probe: &Probe, path: &str) {
        match &probe.quantity {
            Quantity::Displacement(point) => self.body_reference(&format!("{path}.displacement.body"), &point.body),
            Quantity::Velocity(point) => self.body_reference(&format!("{path}.velocity.body"), &point.body),
            Quantity::Position(point) => self.body_reference(&format!("{path}.position.body"), &point.body),
            Quantity::Energy(body) => self.body_reference(&format!("{path}.energy.body"), &body.body),
            Quantity::Pieces(body) => self.body_reference(&format!("{path}.pieces.body"), &body.body),
            Quantity::Reaction(hold) => {
                if !self.holds.contains(hold.hold.as_str()) {
                    let names = self.holds.iter().map(|name| (*name).to_owned()).collect();
                    self.report(&format!("{path}.reaction.hold"), unknown_name("hold", &hold.hold, names));
                }
            }
        }
    }

    /// Refuses a direction without length.
    fn direction(&mut self, path: &str, direction: [f64; 3]) {
        if let Err(error) = craze_descriptor::check_direction(direction) {
            let error = error.below(path);
            self.reject(&error.key, error.message, error.help);
        }
    }

    fn keyframes(&mut self, path: &str, keyframes: &[Keyframe]) {
        self.times(path, keyframes.iter().map(|keyframe| keyframe.t));
    }

    fn times(&mut self, path: &str, times: impl Iterator<Item = f64>) {
        let mut last: Option<f64> = None;
        for (index, time) in times.enumerate() {
            if let Some(before) = last.filter(|before| *before >= time) {
                let message = format!("t = {time} comes after t = {before}");
                self.reject(
                    &format!("{path}[{index}].t"),
                    message,
                    "keyframes stand in order of time, each later than the one before",
                );
            }
            last = Some(time);
        }
    }
}

/// Kind, index and name of each entry of a list.
fn numbered<'a>(
    what: &'static str,
    names: impl Iterator<Item = &'a str>,
) -> impl Iterator<Item = (&'static str, usize, &'a str)> {
    names.enumerate().map(move |(index, name)| (what, index, name))
}
