//! Keys that would change nothing because of what the rest of the scene says: accepting them would hide a mistake.
//!
//! A written scene says every default, so that only what differs from the default is refused.

use crate::description::{
    Body, ClustersSettings, ContactSettings, Integrator, MethodKind, Mode, RigidMotion, Scene, SolidSettings,
};
use crate::problem::Problem;
use crate::report::Collector;
use crate::tree::Node;

/// Reports every key that changes nothing.
pub(crate) fn check(scene: &Scene, tree: &Node, errors: &mut Collector) {
    let mut checker = Checker { scene, tree, errors };
    checker.pairs();
    for (index, body) in scene.bodies.iter().enumerate() {
        let path = format!("body[{index}]");
        match body.method {
            MethodKind::Solid => checker.solid(body, &path),
            MethodKind::Clusters => checker.clusters(body, &path),
        }
    }
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

    fn solid(&mut self, body: &Body, path: &str) {
        let Some(settings) = &body.solid else { return };
        let (table, usual) = (format!("{path}.solid"), SolidSettings::default());
        let even = settings.strength_grain.is_some() && settings.strength_spread == 0.0;
        self.refuse(even, &table, "strength_grain", "the strength does not vary", "give `strength_spread`, too");
        let implicit = body.integrator == Some(Integrator::Implicit) && settings.most_damping != usual.most_damping;
        let help = "viscosity does not bound implicit steps: remove it";
        self.refuse(implicit, &table, "most_damping", "the body's steps are implicit", help);
        // Whoever turns fracture off by `breaks` may keep its settings for later.
        if !settings.breaks || body.can_break() {
            return;
        }
        for (key, differs) in [
            ("snap_distance", settings.snap_distance != usual.snap_distance),
            ("snap_angle", settings.snap_angle != usual.snap_angle),
            ("thinnest", settings.thinnest != usual.thinnest),
            ("turns_back", settings.turns_back != usual.turns_back),
            ("splits_a_step", settings.splits_a_step != usual.splits_a_step),
            ("look_every", settings.look_every != usual.look_every),
            ("crack_speed", settings.crack_speed != usual.crack_speed),
            ("smallest_piece", settings.smallest_piece != usual.smallest_piece),
            ("strength_spread", settings.strength_spread != usual.strength_spread),
            ("seams", !settings.seams.is_empty()),
            ("painted", settings.painted.is_some()),
        ] {
            let help = "give the material a `tensile_strength`";
            self.refuse(differs, &table, key, "the body does not break, since its material has no strength", help);
        }
    }

    fn clusters(&mut self, body: &Body, path: &str) {
        let Some(settings) = &body.clusters else { return };
        let (table, usual) = (format!("{path}.clusters"), ClustersSettings::default());
        let single = settings.count.is_none() && settings.reach.is_none() && settings.overlap != usual.overlap;
        self.refuse(single, &table, "overlap", "there is only one cluster", "give `count` or `reach`, too");
        let unlimited = settings.strain_limit == 0.0 && settings.limit_rounds != usual.limit_rounds;
        self.refuse(unlimited, &table, "limit_rounds", "there is no strain limit", "give `strain_limit`, too");
        let level = settings.boost == 0.0 && settings.boost_decay != usual.boost_decay;
        self.refuse(level, &table, "boost_decay", "there is no boost", "give `boost`, too");
        let Ok(material) = body.material.resolve_for(body.method.material_use()) else { return };
        if material.cluster.toughness.is_some() {
            return;
        }
        let help = "give the material a `cluster_toughness`";
        let varies = settings.toughness_spread != usual.toughness_spread;
        self.refuse(varies, &table, "toughness_spread", "the material has no toughness", help);
        if !settings.seams.is_empty() {
            return;
        }
        for (key, differs) in [
            ("splits_a_step", settings.splits_a_step != usual.splits_a_step),
            ("boost", settings.boost != usual.boost),
            ("painted", settings.painted.is_some()),
        ] {
            self.refuse(differs, &table, key, "the body does not split, since its material has no toughness", help);
        }
    }

    /// Pairs of which a later one takes the place, or whose two things never meet.
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

    /// In quasi-static mode nothing moves in time and nothing touches. Damping and friction of materials are left alone: they belong to the
    /// matter, whatever the mode.
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
            let Some(settings) = &body.solid else { continue };
            let (table, usual) = (format!("{table}.solid"), SolidSettings::default());
            self.refuse(settings.touches_itself != usual.touches_itself, &table, "touches_itself", apart, no_contact);
            self.refuse(settings.response != usual.response, &table, "response", apart, no_contact);
            self.refuse(settings.rest_strain != usual.rest_strain, &table, "rest_strain", at_rest, no_motion);
            let differs = settings.look_every != usual.look_every;
            self.refuse(
                differs,
                &table,
                "look_every",
                "quasi-static mode checks for fracture after every load step",
                steps,
            );
        }
    }
}
