//! A wall of bricks and mortar.

use craze_math::Vec3;
use craze_mesh::TetMesh;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BuiltIn;
use super::simple::box_surface;
use crate::error::{ShapeError, check_length, check_that};
use crate::field::Field;
use crate::structured::bricks;
use crate::surface::TriangleSurface;

/// A wall of bricks in running bond, one brick thick; alternate courses start and end with half
/// bricks. Bricks have the body's `material`, joints `materials.mortar`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BrickWall {
    /// Bricks per course, and number of courses.
    #[schemars(extend("minimum" = 1, "maximum" = 1000))]
    pub bricks: [u32; 2],
    /// Extents of a brick along x, y and z, at least three times the joint.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub brick: [f64; 3],
    /// Joint thickness.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub mortar: f64,
}

impl Default for BrickWall {
    fn default() -> Self {
        Self { bricks: [4, 6], brick: [0.24, 0.071, 0.115], mortar: 0.01 }
    }
}

/// Most bricks of a wall: bounds the cost of its field.
const MAX_BRICKS: f64 = 10_000.0;

impl BrickWall {
    /// Length of a half brick (m): two half bricks and a joint make a brick.
    fn half_brick(&self) -> f64 {
        0.5 * (self.brick[0] - self.mortar)
    }

    /// Centre and size of every brick and half brick (m), course by course.
    pub fn bricks(&self) -> Vec<(Vec3, Vec3)> {
        let [length, height, depth] = self.brick;
        let low = -0.5 * self.size();
        let mut bricks = Vec::new();
        for course in 0..self.bricks[1] {
            let y = low.y + f64::from(course) * (height + self.mortar) + 0.5 * height;
            let mut x = low.x;
            let mut lay = |length: f64| {
                bricks.push((Vec3::new(x + 0.5 * length, y, 0.0), Vec3::new(length, height, depth)));
                x += length + self.mortar;
            };
            if course % 2 == 0 {
                (0..self.bricks[0]).for_each(|_| lay(length));
            } else {
                lay(self.half_brick());
                (1..self.bricks[0]).for_each(|_| lay(length));
                lay(self.half_brick());
            }
        }
        bricks
    }

    /// Alternating widths (m) of bricks and joints along each axis, of all courses combined.
    fn strips(&self) -> [Vec<f64>; 3] {
        let in_turn = |count: u32, width: f64| {
            let mut widths = vec![width];
            (1..count).for_each(|_| widths.extend([self.mortar, width]));
            widths
        };
        let [long, high] = self.bricks;
        [in_turn(2 * long, self.half_brick()), in_turn(high, self.brick[1]), vec![self.brick[2]]]
    }
}

impl BuiltIn for BrickWall {
    fn check(&self) -> Result<(), ShapeError> {
        check_length("mortar", self.mortar)?;
        for length in self.brick {
            check_length("brick", length)?;
            check_that("brick", length, length >= 3.0 * self.mortar, || {
                format!("at least three times mortar = {} m", self.mortar)
            })?;
        }
        for count in self.bricks {
            check_that("bricks", f64::from(count), count > 0, || "at least 1".to_owned())?;
        }
        let count = f64::from(self.bricks[0]) * f64::from(self.bricks[1]);
        check_that("bricks", count, count <= MAX_BRICKS, || format!("at most {MAX_BRICKS} in all"))
    }

    fn size(&self) -> Vec3 {
        let [long, high] = self.bricks.map(f64::from);
        let run = |count: f64, length: f64| count * length + (count - 1.0) * self.mortar;
        Vec3::new(run(long, self.brick[0]), run(high, self.brick[1]), self.brick[2])
    }

    fn field(&self) -> Field {
        let brick = |(centre, size): (Vec3, Vec3)| Field::block(size, 0.0).translated(centre);
        let bricks = Field::union(self.bricks().into_iter().map(brick).collect());
        let wall = Field::block(self.size(), 0.0);
        wall.clone().with_region(wall, 1).with_region(bricks, 0)
    }

    fn thinnest_wall(&self) -> f64 {
        self.size().min()
    }

    fn exact_volume(&self) -> Option<f64> {
        Some(self.size().product())
    }

    fn regions(&self) -> &'static [&'static str] {
        &["brick", "mortar"]
    }

    fn structured_mesh(&self, edge: f64) -> Option<Result<TetMesh, ShapeError>> {
        Some(bricks::tetrahedra(&self.strips(), edge))
    }

    fn structured_surface(&self, _edge: f64) -> Option<Result<TriangleSurface, ShapeError>> {
        Some(Ok(box_surface(self.size())))
    }
}
