//! The scene in which a model is shattered.

use super::load::{GRAVITY, Hit, Load};
use super::material::ImpactMaterial;
use crate::problem::Problem;
use crate::tuning::{CRACK_SNAP, DROP_TILT, SLEEP_STRAIN};
use craze_frame::Bounds;
use craze_math::Vec3;
use craze_methods::Describe;
use craze_methods::solid::{Solid, SolidOptions, SolidTable};
use craze_scene::{
    Action, Body, Hold, Keyframe, Obstacle, ObstacleShape, Place, Plane, Region, RigidMotion, Scene, SceneDocument,
    Tables, WorldSettings, build,
};
use craze_shape::{Shape, Sphere};

/// Initial gap over the model's size (1).
const GAP_RATIO: f64 = 1e-3;
/// Share of the model's length held at each end of a pull (1).
const GRIP_LENGTH: f64 = 0.1;
/// Smallest drop height over the model's size (1); it also defines the lowest speed of hits and
/// pulls.
const MIN_DROP_RATIO: f64 = 0.02;
/// Radius of the ball over the model's size (1).
const BALL_RADIUS_RATIO: f64 = 0.12;
/// Duration of the run: distance in model sizes at the impact speed (1).
const TRAVEL_RATIO: f64 = 0.8;
const FRAMES: f64 = 60.0;
/// Interval of fracture checks, in times of a wave along an edge (1).
const CHECK_INTERVAL: f64 = 0.1;
/// Fewest splits per check, and splits per tetrahedron (1): dozens of cracks run at a time, more in
/// thin walls and fine meshes.
const MIN_SPLITS: f64 = 3.0;
const SPLITS_PER_TETRAHEDRON: f64 = 5e-4;
/// Factor of the check interval and of the splits per check in trials and thin walls (1): about the
/// same pieces in half the time.
const RARE_CHECK_FACTOR: f64 = 4.0;
/// Smallest height of split tetrahedra over that of the unbroken mesh (1).
const MIN_HEIGHT_RATIO: f64 = 0.5;
/// Ratio of the typical to the requested edge below which walls are thin (1).
const THIN_WALL_RATIO: f64 = 0.5;
/// Longest edge over the model's size (1), so that thin walls are not lost.
const MAX_EDGE_RATIO: f64 = 0.15;
/// Edges tried for thin walls, in longest edges (1).
const EDGE_FACTORS: [f64; 7] = [1.3, 1.15, 1.07, 0.93, 0.87, 0.8, 0.75];
/// Relative cost of a wall too thin for the mesh (1).
const LOST_PLACE_COST: f64 = 0.05;
/// Largest relative difference in volume to the mesh with the default edge (1).
const MAX_VOLUME_CHANGE: f64 = 0.03;
/// Most corrections of the edge toward the wanted number of tetrahedra,
const MAX_MESH_TRIES: usize = 4;
/// and the accepted factor between both (1).
const COUNT_TOLERANCE: f64 = 1.3;

/// Resolution of the mesh.
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
    pub fn tetrahedra(self) -> f64 {
        match self {
            Detail::Draft => 1_500.0,
            Detail::Normal => 5_000.0,
            Detail::Final => 20_000.0,
        }
    }
}

/// The model to be shattered.
#[derive(Clone, Debug)]
pub struct Model {
    pub name: String,
    pub shape: Shape,
    /// True if it keeps the tetrahedra of its file.
    pub has_tetrahedra: bool,
}

/// The scene, except for the strength of the material.
pub struct ShatterScene {
    pub tetrahedra: f64,
    /// Smallest share of the model's volume that may split off (1).
    smallest: f64,
    scene: Scene,
    material: ImpactMaterial,
    /// Edge of its tetrahedra (m).
    edge: f64,
    /// True if walls are thinner than the requested edge.
    is_thin: bool,
    /// True if no coarser mesh exists though there are more tetrahedra than requested.
    pub is_coarsest: bool,
    /// Summary of how the model was read.
    pub summary: String,
    /// Number of parts that do not touch.
    pub parts: u64,
    /// Size (m).
    pub size: f64,
    /// Mass (kg).
    pub mass: f64,
}

impl ShatterScene {
    /// Meshes the model and places it for the load. Pieces below the share `smallest` of its volume
    /// do not split off.
    pub fn set(
        model: &Model,
        material: ImpactMaterial,
        load: Load,
        detail: Detail,
        smallest: f64,
        seed: u64,
    ) -> Result<ShatterScene, Problem> {
        let turn = match load {
            Load::Drop(_) => tilt(seed),
            Load::Hit(_) | Load::Pull(_) => [0.0; 3],
        };
        let body = Body {
            name: model.name.clone(),
            method: Solid::NAME.to_owned(),
            shape: model.shape.clone(),
            edge: None,
            meshing: None,
            spacing: None,
            material: material.overrides(1.0, 0.01),
            materials: None,
            look: None,
            place: Place { turn, ..Place::default() },
            integrator: None,
            time_step: None,
            tables: Tables::default(),
        };
        let world = WorldSettings { seed, ..WorldSettings::default() };
        let mut scene = Scene { world, bodies: vec![body], ..Scene::default() };
        let meshed = fill(&mut scene, model, detail.tetrahedra())?;
        let size = meshed.bounds.size().max();
        let mut shatter_scene = ShatterScene {
            edge: meshed.edge,
            is_thin: meshed.edge < meshed.used,
            is_coarsest: !model.has_tetrahedra && meshed.tetrahedra > COUNT_TOLERANCE * detail.tetrahedra(),
            tetrahedra: meshed.tetrahedra,
            summary: meshed.summary,
            parts: meshed.parts,
            size,
            mass: meshed.mass,
            smallest,
            scene,
            material,
        };
        shatter_scene.place(load, &meshed.bounds, &meshed.points);
        Ok(shatter_scene)
    }

    /// Places body, ground, ball and grips.
    fn place(&mut self, load: Load, bounds: &Bounds, points: &[Vec3]) {
        let (size, gap, speed) = (self.size, GAP_RATIO * self.size, load.speed());
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
        match load {
            Load::Drop(_) => {
                scene.bodies[0].place.velocity = [0.0, -speed, 0.0];
                scene.obstacles.push(ground());
            }
            Load::Hit(Hit { place, .. }) => {
                let radius = BALL_RADIUS_RATIO * size;
                let outward = Vec3::from(place).normalize();
                let reach = touching(&(Vec3::from(place)), &outward, radius + gap, points);
                let centre = Vec3::from(place) + reach * outward + Vec3::new(0.0, height, 0.0);
                // A ball from below leaves no room for the ground.
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
            Load::Pull(axis) => {
                let axis = axis.index();
                for (name, end, sign) in [("low end", bounds.low[axis], -1.0), ("high end", bounds.high[axis], 1.0)] {
                    let mut point = [0.0, height, 0.0];
                    point[axis] += end - sign * GRIP_LENGTH * (bounds.high[axis] - bounds.low[axis]);
                    let (mut normal, mut shift) = ([0.0; 3], [0.0; 3]);
                    normal[axis] = sign;
                    let time = 10.0 * size / speed;
                    shift[axis] = sign * speed * time;
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
        scene.world.duration = TRAVEL_RATIO * size / speed;
        scene.world.fps = FRAMES / scene.world.duration;
        let body = &scene.bodies[0].name;
        scene.title = Some(format!("craze shatter: {body}; {}", load.description()));
    }

    /// The scene with this share of the material's strength.
    pub fn scene(&self, strength: f64) -> Scene {
        self.with_checks(strength, if self.is_thin { RARE_CHECK_FACTOR } else { 1.0 })
    }

    /// The scene for a trial, which only counts shards.
    pub fn trial(&self, strength: f64) -> Scene {
        self.with_checks(strength, RARE_CHECK_FACTOR)
    }

    /// The scene with `factor` times rarer checks, and as many more splits per check.
    fn with_checks(&self, strength: f64, factor: f64) -> Scene {
        let mut scene = self.scene.clone();
        let crossing = self.edge / self.material.sound();
        scene.bodies[0].material = self.material.overrides(strength, self.edge);
        let options = SolidOptions {
            look_every: factor * CHECK_INTERVAL * crossing,
            splits_a_step: (factor * (SPLITS_PER_TETRAHEDRON * self.tetrahedra).max(MIN_SPLITS)) as u32,
            snap_distance: CRACK_SNAP,
            snap_angle: CRACK_SNAP,
            thinnest: MIN_HEIGHT_RATIO,
            rest_strain: SLEEP_STRAIN,
            smallest_piece: self.smallest,
            ..SolidOptions::default()
        };
        scene.bodies[0].tables = Tables::of::<Solid>(&SolidTable { options, ..SolidTable::default() });
        scene
    }

    /// True if the load is too slow for this size: the softened body's own weight would exceed it.
    pub fn is_too_slow(&self, load: Load) -> bool {
        load.speed() < self.slowest()
    }

    /// Slowest load that exceeds the body's weight (m/s).
    pub fn slowest(&self) -> f64 {
        (2.0 * GRAVITY * MIN_DROP_RATIO * self.size).sqrt()
    }

    /// Time of a wave across the model (s).
    pub fn transit(&self) -> f64 {
        self.size / self.material.sound()
    }
}

/// A tilt about a horizontal axis chosen by the seed (degrees about x, y and z).
fn tilt(seed: u64) -> [f64; 3] {
    // The golden angle separates the axes of successive seeds.
    let about = (seed as f64 * 137.508 % 360.0).to_radians();
    [DROP_TILT * about.cos(), 0.0, DROP_TILT * about.sin()].map(|angle| (angle * 100.0).round() / 100.0)
}

/// Distance (m) from `place` along `outward` of a ball's centre such that no point is nearer than
/// `distance`.
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

/// A meshed model at the origin.
struct Meshed {
    /// Requested edge (m).
    used: f64,
    /// Typical edge (m).
    edge: f64,
    tetrahedra: f64,
    /// Volume (m³).
    volume: f64,
    /// Number of walls too thin for the mesh.
    lost: usize,
    bounds: Bounds,
    /// Surface vertices (m).
    points: Vec<Vec3>,
    summary: String,
    mass: f64,
    parts: u64,
}

impl Meshed {
    /// Cost: tetrahedra take time, and lost walls are defects.
    fn cost(&self) -> f64 {
        self.tetrahedra * (1.0 + LOST_PLACE_COST * self.lost as f64)
    }

    /// True if the volume (m³) agrees with that of a finer mesh.
    fn is_as_large_as(&self, volume: f64) -> bool {
        (self.volume / volume - 1.0).abs() < MAX_VOLUME_CHANGE
    }
}

/// Meshes the model with about `wanted` tetrahedra, and stores the edge in the scene.
fn fill(scene: &mut Scene, model: &Model, wanted: f64) -> Result<Meshed, Problem> {
    let off = |meshed: &Meshed| (meshed.tetrahedra / wanted).max(wanted / meshed.tetrahedra);
    let mut best = meshed(scene, model, None)?;
    let (volume, longest) = (best.volume, MAX_EDGE_RATIO * best.bounds.size().max());
    let mut last = (best.used, best.tetrahedra);
    for _ in 1..MAX_MESH_TRIES {
        if off(&best) < COUNT_TOLERANCE || model.has_tetrahedra {
            break;
        }
        // Between a layer (second power) and a block (third).
        let edge = two_digits((last.0 * (last.1 / wanted).powf(0.4)).min(longest));
        if edge == last.0 {
            break;
        }
        // A failed edge does not discard an earlier success.
        let Ok(next) = meshed(scene, model, Some(edge)) else { break };
        last = (edge, next.tetrahedra);
        if off(&next) < off(&best) {
            best = next;
        }
    }
    // Thin walls are meshed with repeated halves of the edge: a slightly different edge may need
    // one halving less.
    if best.tetrahedra > COUNT_TOLERANCE * wanted && !model.has_tetrahedra {
        for stretch in EDGE_FACTORS {
            let next = meshed(scene, model, Some(two_digits(stretch * longest)));
            // Accept fewer tetrahedra only down to the wanted number.
            let is_fine = |next: &Meshed| COUNT_TOLERANCE * next.tetrahedra > wanted && next.is_as_large_as(volume);
            best = next.ok().filter(|next| next.cost() < best.cost() && is_fine(next)).unwrap_or(best);
        }
    }
    scene.bodies[0].edge = (!model.has_tetrahedra).then_some(best.used);
    Ok(best)
}

/// Meshes the model with this edge (m), or the default one.
fn meshed(scene: &mut Scene, model: &Model, edge: Option<f64>) -> Result<Meshed, Problem> {
    scene.bodies[0].edge = edge;
    let built = build(&SceneDocument::from_scene(scene, &model.name)?)?;
    let (frame, account) = (built.world.frame(), built.world.account());
    let points = frame.bodies.into_iter().next().map(|body| body.surface.positions).unwrap_or_default();
    let Some(bounds) = Bounds::of(&points) else {
        return Err(Problem::new("the model has no surface", "give a model with triangles"));
    };
    let usual = (6.0 * account.volume / account.elements as f64).cbrt();
    let used = edge.unwrap_or(usual);
    Ok(Meshed {
        used,
        // Thin walls have much shorter edges than requested, which determine the cracks.
        edge: if usual < THIN_WALL_RATIO * used { usual } else { used },
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
    fn seeds_tilt_by_the_same_angle_about_different_axes() {
        let [one, two] = [tilt(1), tilt(2)];
        assert_ne!(one, two);
        for [x, y, z] in [one, two] {
            assert!(y == 0.0 && (x.hypot(z) - DROP_TILT).abs() < 0.02);
        }
    }
}
