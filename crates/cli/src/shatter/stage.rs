//! The scene in which a model is shattered.

use super::blow::{Blow, GRAVITY, Hit};
use super::matter::Matter;
use crate::problem::Problem;
use craze_frame::Bounds;
use craze_math::Vec3;
use craze_scene::{
    Action, Body, Hold, Keyframe, MethodKind, Obstacle, ObstacleShape, Place, Plane, Region, RigidMotion, Scene,
    SceneDocument, SolidSettings, WorldSettings, build,
};
use craze_shape::{Shape, Sphere};

/// Gap at the start, as a share of the model's size: it touches within a moment.
const GAP: f64 = 1e-3;
/// Turn (degrees) of a falling model, so that it lands on an edge or a corner rather than flat.
const TILT: f64 = 25.0;
/// Share of the model's length that each end of a pull holds.
const GRIP: f64 = 0.1;
/// Height of a fall that is worth the name, as a share of the model's size; hits and pulls are at least as fast as that.
const LOWEST: f64 = 0.02;
/// Radius of the ball of a hit, as a share of the model's size.
const BALL: f64 = 0.12;
/// Length of the run: the way (in sizes of the model) that it would go at the speed of the impact.
const WAY: f64 = 0.8;
/// Frames of a run.
const FRAMES: f64 = 60.0;
/// Time from one look at what fails to the next, in times that a wave takes along an edge,
const LOOK: f64 = 0.1;
/// and splits at one look, at least and for each tetrahedron: some dozens of cracks run at a time, more where walls are thin and tetrahedra many.
const SPLITS: f64 = 3.0;
const SPLITS_A_TETRAHEDRON: f64 = 5e-4;
/// How much more rarely cracks are looked for in trials and thin walls, with as many more splits at each look: where tetrahedra are many and small that takes
/// half of the time and gives about the same pieces.
const RARELY: f64 = 4.0;
/// How far cracks are bent to nodes that are there, in edges and as an angle (rad): fewer crumbs, longer steps.
const SNAP: f64 = 0.3;
/// Smallest height of what a crack may make, in smallest heights of the unbroken body.
const THINNEST: f64 = 0.5;
/// Strain below which a piece that touches nothing flies as a rigid body: a tenth of what it fails at.
const REST_STRAIN: f64 = 2e-3;
/// Share of the asked edge below which that of a typical tetrahedron means that walls are thin.
const THIN_WALLED: f64 = 0.5;
/// Longest edge, as a share of the model's size: thin walls have small tetrahedra whatever the edge, and are not to be lost.
const COARSEST: f64 = 0.15;
/// Longer and shorter edges that are tried where walls are thin, in the longest,
const STRETCHES: [f64; 7] = [1.3, 1.15, 1.07, 0.93, 0.87, 0.8, 0.75];
/// how much longer a computation may take for one pit less in the surface, as a share,
const PIT: f64 = 0.05;
/// and the share of the volume by which such a filling may differ from one with the usual edge.
const LOST: f64 = 0.03;
/// Times that the edge is corrected until the number of tetrahedra is near what is wanted,
const TRIES: usize = 4;
/// and how near that is, as a factor.
const NEAR: f64 = 1.3;

/// How finely a model is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Detail {
    /// About 1,500 tetrahedra
    Draft,
    /// About 5,000 tetrahedra
    Normal,
    /// About 20,000 tetrahedra
    Final,
}

impl Detail {
    /// How many tetrahedra it is about.
    pub fn tetrahedra(self) -> f64 {
        match self {
            Detail::Draft => 1_500.0,
            Detail::Normal => 5_000.0,
            Detail::Final => 20_000.0,
        }
    }
}

/// What is to be shattered.
#[derive(Clone, Debug)]
pub struct Model {
    /// What to call it.
    pub name: String,
    /// Its shape.
    pub shape: Shape,
    /// Whether it keeps tetrahedra that it brings.
    pub has_tetrahedra: bool,
}

/// A model on its stage, all but for how strong it is.
pub struct Stage {
    /// How many tetrahedra the model has.
    pub tetrahedra: f64,
    /// Share of the model's volume below which nothing breaks off.
    smallest: f64,
    scene: Scene,
    matter: Matter,
    /// Edge of its tetrahedra (m).
    edge: f64,
    /// Whether its walls are thinner than the edge that was asked for.
    is_thin: bool,
    /// Whether it has more tetrahedra than were asked for, and none coarser can be had.
    pub is_coarsest: bool,
    /// How it was read.
    pub summary: String,
    /// Parts that do not touch each other.
    pub parts: u64,
    /// Its size (m).
    pub size: f64,
    /// Mass (kg).
    pub mass: f64,
}

impl Stage {
    /// Fills the model and puts it where the blow begins.
    ///
    /// Nothing breaks off that is less than `smallest`, as a share of its volume.
    pub fn set(
        model: &Model,
        matter: Matter,
        blow: Blow,
        detail: Detail,
        smallest: f64,
        seed: u64,
    ) -> Result<Stage, Problem> {
        let turn = match blow {
            Blow::Drop(_) => tilt(seed),
            Blow::Hit(_) | Blow::Pull(_) => [0.0; 3],
        };
        let body = Body {
            name: model.name.clone(),
            method: MethodKind::Solid,
            shape: model.shape.clone(),
            edge: None,
            spacing: None,
            material: matter.overrides(1.0, 0.01),
            materials: None,
            look: None,
            place: Place { turn, ..Place::default() },
            integrator: None,
            time_step: None,
            solid: None,
            clusters: None,
        };
        let world = WorldSettings { seed, ..WorldSettings::default() };
        let mut scene = Scene { world, bodies: vec![body], ..Scene::default() };
        let filled = fill(&mut scene, model, detail.tetrahedra())?;
        let size = filled.bounds.size().max();
        let mut stage = Stage {
            edge: filled.edge,
            is_thin: filled.edge < filled.used,
            is_coarsest: !model.has_tetrahedra && filled.tetrahedra > NEAR * detail.tetrahedra(),
            tetrahedra: filled.tetrahedra,
            summary: filled.summary,
            parts: filled.parts,
            size,
            mass: filled.mass,
            smallest,
            scene,
            matter,
        };
        stage.place(blow, &filled.bounds, &filled.points);
        Ok(stage)
    }

    /// Puts body, ground, ball and grips where the blow begins.
    fn place(&mut self, blow: Blow, bounds: &Bounds, points: &[Vec3]) {
        let (size, gap, speed) = (self.size, GAP * self.size, blow.speed());
        let scene = &mut self.scene;
        let height = gap - bounds.low.y;
        let ground = || Obstacle {
            name: "ground".to_owned(),
            shape: ObstacleShape::Plane { plane: Plane { point: [0.0; 3], normal: [0.0, 1.0, 0.0] } },
            place: Place::default(),
            motion: RigidMotion::Fixed,
            friction: None,
            restitution: None,
        };
        scene.bodies[0].place.at = [0.0, height, 0.0];
        match blow {
            Blow::Drop(_) => {
                scene.bodies[0].place.velocity = [0.0, -speed, 0.0];
                scene.obstacles.push(ground());
            }
            Blow::Hit(Hit { place, .. }) => {
                let radius = BALL * size;
                let outward = Vec3::from(place).normalize();
                let reach = touching(&(Vec3::from(place)), &outward, radius + gap, points);
                let centre = Vec3::from(place) + reach * outward + Vec3::new(0.0, height, 0.0);
                // A ball from below leaves no room for it.
                scene.obstacles.extend(Some(ground()).filter(|_| centre.y >= radius));
                scene.obstacles.push(Obstacle {
                    name: "ball".to_owned(),
                    shape: ObstacleShape::Solid(Shape::Sphere(Sphere { radius })),
                    place: Place { at: centre.into(), velocity: (-speed * outward).into(), ..Place::default() },
                    motion: RigidMotion::Free { mass: self.mass },
                    friction: None,
                    restitution: None,
                });
            }
            Blow::Pull(axis) => {
                let axis = axis.index();
                for (name, end, way) in [("low end", bounds.low[axis], -1.0), ("high end", bounds.high[axis], 1.0)] {
                    let mut point = [0.0, height, 0.0];
                    point[axis] += end - way * GRIP * (bounds.high[axis] - bounds.low[axis]);
                    let (mut normal, mut shift) = ([0.0; 3], [0.0; 3]);
                    normal[axis] = way;
                    let time = 10.0 * size / speed;
                    shift[axis] = way * speed * time;
                    let motion =
                        [(0.0, [0.0; 3]), (time, shift)].map(|(t, shift)| Keyframe { t, shift, turn: [0.0; 3] });
                    scene.holds.push(Hold {
                        name: name.to_owned(),
                        body: scene.bodies[0].name.clone(),
                        region: Region::HalfSpace { point, normal },
                        action: Action::Motion(motion.to_vec()),
                        release: None,
                    });
                }
            }
        }
        scene.world.duration = WAY * size / speed;
        scene.world.fps = FRAMES / scene.world.duration;
        let body = &scene.bodies[0].name;
        scene.title = Some(format!("craze shatter: {body}; {}", blow.told()));
    }

    /// The scene with this share of the material's strength.
    pub fn scene(&self, strength: f64) -> Scene {
        self.looked_at(strength, if self.is_thin { RARELY } else { 1.0 })
    }

    /// The same for a trial, of which only the number of shards matters.
    pub fn trial(&self, strength: f64) -> Scene {
        self.looked_at(strength, RARELY)
    }

    /// The scene in which cracks are looked for that many times more rarely, with as many more splits at each look.
    fn looked_at(&self, strength: f64, rarely: f64) -> Scene {
        let mut scene = self.scene.clone();
        let crossing = self.edge / self.matter.sound();
        scene.bodies[0].material = self.matter.overrides(strength, self.edge);
        scene.bodies[0].solid = Some(SolidSettings {
            look_every: rarely * LOOK * crossing,
            splits_a_step: (rarely * (SPLITS_A_TETRAHEDRON * self.tetrahedra).max(SPLITS)) as u32,
            snap_distance: SNAP,
            snap_angle: SNAP,
            thinnest: THINNEST,
            rest_strain: REST_STRAIN,
            smallest_piece: self.smallest,
            ..SolidSettings::default()
        });
        scene
    }

    /// Whether the blow is too slow for a body of this size: as soft as it is made for it, its own weight would be more than the blow.
    pub fn sags(&self, blow: Blow) -> bool {
        blow.speed() < self.slowest()
    }

    /// The slowest blow that is more than its own weight (m/s).
    pub fn slowest(&self) -> f64 {
        (2.0 * GRAVITY * LOWEST * self.size).sqrt()
    }

    /// Time in which a wave crosses the model (s).
    pub fn transit(&self) -> f64 {
        self.size / self.matter.sound()
    }
}

/// A tilt about a level axis that the seed chooses (degrees about x, y and z).
fn tilt(seed: u64) -> [f64; 3] {
    // A golden turn from seed to seed: no two that follow each other are alike.
    let about = (seed as f64 * 137.508 % 360.0).to_radians();
    [TILT * about.cos(), 0.0, TILT * about.sin()].map(|angle| (angle * 100.0).round() / 100.0)
}

/// How far (m) along `outward` from `place` a ball's centre must be so that none of the points is nearer than `distance`.
fn touching(place: &Vec3, outward: &Vec3, distance: f64, points: &[Vec3]) -> f64 {
    let mut reach = f64::NEG_INFINITY;
    for point in points {
        let offset = point - place;
        let along = offset.dot(outward);
        let aside = (offset - along * outward).norm();
        if aside < distance {
            reach = reach.max(along + (distance * distance - aside * aside).sqrt());
        }
    }
    if reach.is_finite() { reach } else { distance }
}

/// A model in tetrahedra, at the origin.
struct Filled {
    /// The edge that was asked for (m),
    used: f64,
    /// and the one that a typical tetrahedron has (m).
    edge: f64,
    tetrahedra: f64,
    /// Volume (m³).
    volume: f64,
    /// Places that are too thin for the tetrahedra.
    lost: usize,
    bounds: Bounds,
    /// Vertices of its surface (m).
    points: Vec<Vec3>,
    summary: String,
    mass: f64,
    parts: u64,
}

impl Filled {
    /// How little it is worth: tetrahedra take time, and places that are too thin for them are pits.
    fn cost(&self) -> f64 {
        self.tetrahedra * (1.0 + PIT * self.lost as f64)
    }

    /// Whether nothing was lost or filled up, beside a volume (m³) that a finer filling has.
    fn is_as_large_as(&self, volume: f64) -> bool {
        (self.volume / volume - 1.0).abs() < LOST
    }
}

/// Fills the model with about so many tetrahedra, and leaves their edge in the scene.
fn fill(scene: &mut Scene, model: &Model, wanted: f64) -> Result<Filled, Problem> {
    let off = |filled: &Filled| (filled.tetrahedra / wanted).max(wanted / filled.tetrahedra);
    let mut best = filled(scene, model, None)?;
    let (volume, longest) = (best.volume, COARSEST * best.bounds.size().max());
    let mut last = (best.used, best.tetrahedra);
    for _ in 1..TRIES {
        if off(&best) < NEAR || model.has_tetrahedra {
            break;
        }
        // Between a layer (second power) and a block (third).
        let edge = two_digits((last.0 * (last.1 / wanted).powf(0.4)).min(longest));
        if edge == last.0 {
            break;
        }
        // An edge that does not do is no reason to give up one that does.
        let Ok(next) = filled(scene, model, Some(edge)) else { break };
        last = (edge, next.tetrahedra);
        if off(&next) < off(&best) {
            best = next;
        }
    }
    // Walls that are thinner than the edge are filled with halves of it, or halves of those: what is a little longer may need one halving less, or as many
    // and larger ones.
    if best.tetrahedra > NEAR * wanted && !model.has_tetrahedra {
        for stretch in STRETCHES {
            let next = filled(scene, model, Some(two_digits(stretch * longest)));
            // What is asked for is not given up for what is cheap.
            let is_fine = |next: &Filled| NEAR * next.tetrahedra > wanted && next.is_as_large_as(volume);
            best = next.ok().filter(|next| next.cost() < best.cost() && is_fine(next)).unwrap_or(best);
        }
    }
    scene.bodies[0].edge = (!model.has_tetrahedra).then_some(best.used);
    Ok(best)
}

/// The model filled with tetrahedra of this edge (m), or of that which is usual.
fn filled(scene: &mut Scene, model: &Model, edge: Option<f64>) -> Result<Filled, Problem> {
    scene.bodies[0].edge = edge;
    let built = build(&SceneDocument::from_scene(scene, &model.name)?)?;
    let (frame, account) = (built.world.frame(), built.world.account());
    let points = frame.bodies.into_iter().next().map(|body| body.surface.positions).unwrap_or_default();
    let Some(bounds) = Bounds::of(&points) else {
        return Err(Problem::new("the model has no surface", "give a model with triangles"));
    };
    let usual = (6.0 * account.volume / account.elements as f64).cbrt();
    let used = edge.unwrap_or(usual);
    Ok(Filled {
        used,
        // Thin walls have much shorter edges than asked for, and cracks run from one to the next.
        edge: if usual < THIN_WALLED * used { usual } else { used },
        tetrahedra: account.elements as f64,
        volume: account.volume,
        lost: built.lost,
        bounds,
        points,
        summary: built.summary.into_iter().next().unwrap_or_default(),
        mass: account.mass,
        parts: account.pieces,
    })
}

/// A length that reads well.
fn two_digits(length: f64) -> f64 {
    format!("{length:.1e}").parse().unwrap_or(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_stops_where_the_first_point_is() {
        let wall = [Vec3::new(0.5, 0.0, 0.0), Vec3::new(0.2, 0.9, 0.0)];
        let reach = touching(&Vec3::new(0.1, 0.0, 0.0), &Vec3::x(), 0.3, &wall);
        assert!((reach - 0.7).abs() < 1e-12);
        assert_eq!(touching(&Vec3::zeros(), &Vec3::x(), 0.3, &[]), 0.3);
    }

    #[test]
    fn every_seed_tilts_by_the_same_angle_another_way() {
        let [one, two] = [tilt(1), tilt(2)];
        assert_ne!(one, two);
        for [x, y, z] in [one, two] {
            assert!(y == 0.0 && (x.hypot(z) - TILT).abs() < 0.02);
        }
    }
}
