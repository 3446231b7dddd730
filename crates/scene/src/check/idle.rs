//! Keys without effect in their scene: accepting them would hide a mistake.
//!
//! A written scene has every default, so that only values that differ from the default are refused.

use crate::description::{ContactSettings, Mode, RigidMotion, Scene};
use crate::problem::Problem;
use crate::report::Collector;
use crate::tree::Node;

/// Reports every key that changes nothing.
pub(crate) fn check(scene: &Scene, tree: &Node, errors: &mut Collector) {
    let mut checker = Checker { scene, tree, errors };
    checker.pairs();
    if scene.world.mode == Mode::QuasiStatic {
        checker.quasi_static();
    }
}

struct Checker<'a> {
    scene: &'a Scene,
    tree: &'a Node,
    errors: &'a mut Collector,
}

impl Checker<'_> {
    /// Refuses a key of a table, if it is written and `changes_nothing`.
    fn refuse(&mut self, changes_nothing: bool, table: &str, key: &str, reason: &str, help: &str) {
        let subject = format!("`{}`", key.rsplit('.').next().unwrap_or(key));
        self.refuse_at(changes_nothing, &format!("{table}.{key}"), &subject, reason, help);
    }

    fn refuse_at(&mut self, changes_nothing: bool, path: &str, subject: &str, reason: &str, help: &str) {
        let Some(node) = self.tree.at(path).filter(|_| changes_nothing) else { return };
        let message = format!("{subject} changes nothing: {reason}");
        self.errors.push(&node.key, path, Problem::Rejected { message, help: help.to_owned() });
    }

    /// Pairs that a later pair replaces, or whose two obstacles never touch.
    fn pairs(&mut self) {
        let scene = self.scene;
        let is_driven = |name: &String| {
            let obstacle = scene.obstacles.iter().find(|obstacle| obstacle.name == *name);
            obstacle.is_some_and(|obstacle| !matches!(obstacle.motion, RigidMotion::Free { .. }))
        };
        for (index, pair) in scene.contact.pairs.iter().enumerate() {
            let [a, b] = &pair.between;
            let is_same = |[c, d]: &[String; 2]| (a == c && b == d) || (a == d && b == c);
            let names = format!("contact.pair[{index}].between");
            let again = scene.contact.pairs[index + 1..].iter().any(|later| is_same(&later.between));
            let help = "keep one of the two, with all that it says";
            self.refuse_at(again, &names, "the pair", "a later pair of the same names takes its place", help);
            let apart = is_driven(a) && is_driven(b);
            let help = "give one of them a `mass`, or remove the pair";
            let reason = "obstacles that are fixed or driven pass through each other";
            self.refuse_at(apart, &names, "the pair", reason, help);
        }
    }

    /// In quasi-static mode nothing moves in time and nothing touches. Damping and friction of
    /// materials are admitted: they are properties of the material in every mode.
    fn quasi_static(&mut self) {
        let scene = self.scene;
        let steps = "remove it; `world.steps` says how many load steps a frame has";
        self.refuse(scene.world.time_step.is_some(), "world", "time_step", "quasi-static mode has load steps", steps);
        let usual = ContactSettings::default();
        let (apart, no_contact) = ("quasi-static mode has no contact", "remove it, or use dynamic mode");
        let (at_rest, no_motion) = ("in quasi-static mode bodies are at rest", "remove it, or use dynamic mode");
        self.refuse(scene.contact.friction != usual.friction, "contact", "friction", apart, no_contact);
        self.refuse(scene.contact.restitution != usual.restitution, "contact", "restitution", apart, no_contact);
        self.refuse(!scene.contact.pairs.is_empty(), "contact", "pair", apart, no_contact);
        let separates = scene.contact.separate_at_start != usual.separate_at_start;
        self.refuse(separates, "contact", "separate_at_start", apart, no_contact);
        for (index, obstacle) in scene.obstacles.iter().enumerate() {
            let table = format!("obstacle[{index}]");
            self.refuse(obstacle.friction.is_some(), &table, "friction", apart, no_contact);
            self.refuse(obstacle.restitution.is_some(), &table, "restitution", apart, no_contact);
        }
        for (index, body) in scene.bodies.iter().enumerate() {
            let table = format!("body[{index}]");
            self.refuse(body.time_step.is_some(), &table, "time_step", "quasi-static mode has load steps", steps);
            self.refuse(body.place.velocity != [0.0; 3], &table, "place.velocity", at_rest, no_motion);
            self.refuse(body.place.spin != [0.0; 3], &table, "place.spin", at_rest, no_motion);
        }
    }
}
