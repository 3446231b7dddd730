//! Extruded text.

use craze_math::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BuiltIn;
use super::glyphs::{ALLOWED_CHARACTERS, SPACE_WIDTH, glyph};
use crate::error::{ShapeError, check_length, check_that};
use crate::field::{Field, Profile};

/// Letters side by side in the x–y plane; each is a separate piece.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Letters {
    /// The text: A–Z, 0–9, spaces and . , : ! ? ' - + = / (lower case is drawn as capitals).
    #[schemars(length(min = 1, max = 100))]
    pub text: String,
    /// Height of capitals.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub height: f64,
    /// Stroke width, at most a fifth of the height.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub stroke: f64,
    /// Extent along z.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub depth: f64,
}

impl Default for Letters {
    fn default() -> Self {
        Self { text: "CRAZE".to_owned(), height: 0.1, stroke: 0.018, depth: 0.025 }
    }
}

/// Gap between letters relative to their height.
const LETTER_GAP: f64 = 0.12;
const MAX_LETTERS: usize = 100;

impl Letters {
    fn profile(&self) -> Profile {
        let scale = self.height - self.stroke;
        let gap = LETTER_GAP * self.height;
        let mut x = 0.0;
        let mut letters = Vec::new();
        for letter in self.text.chars() {
            let Some((path, width)) = glyph(letter) else {
                x += SPACE_WIDTH * self.height;
                continue;
            };
            letters.push((path, x));
            x += scale * width + self.stroke + gap;
        }
        let drawn = |shift: [f64; 2]| {
            let stroke = |(path, x): &(crate::field::Path, f64)| {
                Profile::stroke(path.clone().transformed(scale, [x + shift[0], shift[1]]), self.stroke)
            };
            Profile::union(letters.iter().map(stroke).collect())
        };
        let [low, high] = drawn([0.0; 2]).bounds();
        drawn([-0.5 * (low[0] + high[0]), -0.5 * (low[1] + high[1])])
    }
}

impl BuiltIn for Letters {
    fn check(&self) -> Result<(), ShapeError> {
        for (field, length) in [("height", self.height), ("stroke", self.stroke), ("depth", self.depth)] {
            check_length(field, length)?;
        }
        check_that("stroke", self.stroke, self.stroke <= 0.2 * self.height, || {
            format!("at most a fifth of height = {} m", self.height)
        })?;
        let refuse = |problem: String| Err(ShapeError::BadText { field: "text", problem });
        if let Some(letter) = self.text.chars().find(|&letter| letter != ' ' && glyph(letter).is_none()) {
            return refuse(format!("there is no letter {letter:?}: there are {ALLOWED_CHARACTERS}"));
        }
        if self.text.chars().all(|letter| letter == ' ') {
            return refuse(format!("it has no letters: there are {ALLOWED_CHARACTERS}"));
        }
        let count = self.text.chars().count();
        if count > MAX_LETTERS {
            refuse(format!("it has {count} letters: at most {MAX_LETTERS} are drawn"))
        } else {
            Ok(())
        }
    }

    fn size(&self) -> Vec3 {
        let [low, high] = self.profile().bounds();
        Vec3::new(high[0] - low[0], high[1] - low[1], self.depth)
    }

    fn field(&self) -> Field {
        Field::extrusion(self.profile(), self.depth)
    }

    fn thinnest_wall(&self) -> f64 {
        self.stroke.min(self.depth).min(LETTER_GAP * self.height)
    }
}
