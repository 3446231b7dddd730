//! Masses, springs and the steps they take.

use craze_contact::solvers::impact_zones::resolve;
use craze_contact::{ContactTriangles, SurfacePoint};
use craze_math::Vec3;
use craze_spatial::self_intersections;
use std::collections::BTreeMap;
use std::ops::Range;

/// How often a step is halved at most.
const HALVINGS: u32 = 8;

pub struct Cloth {
    pub places: Vec<Vec3>,
    velocities: Vec<Vec3>,
    inverse_masses: Vec<f64>,
    triangles: Vec<[u32; 3]>,
    /// Ends, rest length (m) and stiffness (N/m).
    springs: Vec<([usize; 2], f64, f64)>,
    pub thickness: f64,
    /// Rounds of impact zones so far.
    rounds: usize,
}

impl Default for Cloth {
    fn default() -> Cloth {
        Cloth {
            places: Vec::new(),
            velocities: Vec::new(),
            inverse_masses: Vec::new(),
            triangles: Vec::new(),
            springs: Vec::new(),
            thickness: 1e-3,
            rounds: 0,
        }
    }
}

impl Cloth {
    /// A square sheet of `count`² points and a mass (kg).
    pub fn add_sheet(&mut self, count: usize, size: f64, mass: f64, place: impl Fn(f64, f64) -> Vec3) {
        let first = self.places.len() as u32;
        let share = |index: usize| size * (index as f64 / (count - 1) as f64 - 0.5);
        let places = (0..count * count).map(|index| place(share(index / count), share(index % count)));
        let mut triangles = Vec::new();
        for (row, column) in (0..count - 1).flat_map(|row| (0..count - 1).map(move |column| (row, column))) {
            let a = first + (row * count + column) as u32;
            let (b, c, d) = (a + 1, a + count as u32, a + count as u32 + 1);
            triangles.extend([[a, b, d], [a, d, c]]);
        }
        self.add(places.collect(), triangles, Vec3::zeros(), mass, 20.0);
    }

    /// A sphere of an octahedron split some times; held if its mass is endless.
    pub fn add_sphere(&mut self, centre: Vec3, radius: f64, splits: usize, velocity: Vec3, mass: f64) {
        let axes = [Vec3::x(), -Vec3::x(), Vec3::y(), -Vec3::y(), Vec3::z(), -Vec3::z()];
        let mut places = axes.to_vec();
        let mut triangles: Vec<[u32; 3]> =
            vec![[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
        for _ in 0..splits {
            let mut middles = BTreeMap::new();
            let mut middle = |a: u32, b: u32| {
                *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                    places.push((places[a as usize] + places[b as usize]).normalize());
                    places.len() as u32 - 1
                })
            };
            triangles = triangles
                .iter()
                .flat_map(|&[a, b, c]| {
                    let [p, q, r] = [middle(a, b), middle(b, c), middle(c, a)];
                    [[a, p, r], [p, b, q], [r, q, c], [p, q, r]]
                })
                .collect();
        }
        let first = self.places.len() as u32;
        let triangles = triangles.iter().map(|corners| corners.map(|corner| first + corner)).collect();
        self.add(places.iter().map(|place| centre + radius * place).collect(), triangles, velocity, mass, 200.0);
    }

    /// A ring about the vertical axis that is held, with the radii of its middle line and of its
    /// tube (m).
    pub fn add_ring(&mut self, radius: f64, tube: f64) {
        const AROUND: u32 = 16;
        const ACROSS: u32 = 8;
        let first = self.places.len() as u32;
        let (mut places, mut triangles) = (Vec::new(), Vec::new());
        for (one, other) in (0..AROUND).flat_map(|one| (0..ACROSS).map(move |other| (one, other))) {
            let angle = |index: u32, count: u32| f64::from(index) * std::f64::consts::TAU / f64::from(count);
            let (long, short) = (angle(one, AROUND), angle(other, ACROSS));
            let out = radius + tube * short.cos();
            places.push(Vec3::new(out * long.cos(), tube * short.sin(), out * long.sin()));
            let at = |one: u32, other: u32| first + (one % AROUND) * ACROSS + other % ACROSS;
            let [a, b, c, d] = [at(one, other), at(one + 1, other), at(one, other + 1), at(one + 1, other + 1)];
            triangles.extend([[a, b, d], [a, d, c]]);
        }
        self.add(places, triangles, Vec3::zeros(), f64::INFINITY, 0.0);
    }

    /// Moves a point with a velocity (m/s) that nothing changes.
    pub fn pull(&mut self, point: usize, velocity: Vec3) {
        self.hold(point);
        self.velocities[point] = velocity;
    }

    fn add(&mut self, places: Vec<Vec3>, triangles: Vec<[u32; 3]>, velocity: Vec3, mass: f64, stiffness: f64) {
        let count = places.len();
        self.places.extend(places);
        self.velocities.resize(self.places.len(), velocity);
        self.inverse_masses.resize(self.places.len(), count as f64 / mass);
        let sides = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let mut edges: Vec<[usize; 2]> = sides.map(|[a, b]| [a.min(b) as usize, a.max(b) as usize]).collect();
        edges.sort_unstable();
        edges.dedup();
        let spring = |ends: [usize; 2]| (ends, (self.places[ends[0]] - self.places[ends[1]]).norm(), stiffness);
        self.springs.extend(edges.into_iter().map(spring));
        self.triangles.extend(triangles);
    }

    /// Holds a point where it is.
    pub fn hold(&mut self, point: usize) {
        self.inverse_masses[point] = 0.0;
    }

    /// Height of the lowest of some points (m).
    pub fn lowest(&self, points: Range<usize>) -> f64 {
        self.places[points].iter().map(|place| place.y).fold(f64::INFINITY, f64::min)
    }

    pub fn run(&mut self, steps: usize, time_step: f64, gravity: Vec3) {
        assert_eq!(self.crossings(), 0, "it must start free");
        for step in 0..steps {
            self.step(time_step, &gravity, 0);
            assert_eq!(self.crossings(), 0, "after step {step}");
        }
        assert!(self.rounds > 0, "nothing has met");
    }

    fn crossings(&self) -> usize {
        self_intersections(&self.places, &self.triangles, 100).expect("numbers").pairs.len()
    }

    /// One step, or two halves where zones find no way.
    fn step(&mut self, time_step: f64, gravity: &Vec3, halvings: u32) {
        let mut forces = vec![Vec3::zeros(); self.places.len()];
        for &([a, b], rest, stiffness) in &self.springs {
            let (line, speed) = (self.places[b] - self.places[a], self.velocities[b] - self.velocities[a]);
            let direction = line.normalize();
            let pull = stiffness * (line.norm() - rest) + 0.02 * direction.dot(&speed);
            forces[a] += pull * direction;
            forces[b] -= pull * direction;
        }
        let mut points: Vec<SurfacePoint> = (0..self.places.len())
            .map(|index| {
                let inverse_mass = self.inverse_masses[index];
                let gain = if inverse_mass > 0.0 { gravity + inverse_mass * forces[index] } else { Vec3::zeros() };
                let (start, start_velocity) = (self.places[index], self.velocities[index]);
                let velocity = start_velocity + time_step * gain;
                let end = start + time_step * velocity;
                SurfacePoint { dof: index as u32, start, start_velocity, end, velocity, inverse_mass, radius: 0.0 }
            })
            .collect();
        let triangles =
            ContactTriangles { version: 1, triangles: &self.triangles, is_closed: false, skin: 0.0, origins: &[] };
        match resolve(&mut points, &triangles, self.thickness, |_, _| true) {
            Ok(report) => {
                self.rounds += report.rounds;
                for (index, point) in points.iter().enumerate() {
                    self.velocities[index] = (point.end - point.start) / time_step;
                    self.places[index] = point.end;
                }
            }
            Err(error) => {
                assert!(halvings < HALVINGS, "{error}");
                self.step(0.5 * time_step, gravity, halvings + 1);
                self.step(0.5 * time_step, gravity, halvings + 1);
            }
        }
    }
}
