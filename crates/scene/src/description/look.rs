//! `look`: appearance of a body in pictures and exports.

use craze_frame::Look;
use craze_material::color::linear_from_hex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Appearance of a body in pictures and exports; keys that are left out are those of its material.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LookSettings {
    /// Matter that it looks like: a preset of `craze materials`, or brick, chalk, chocolate,
    /// copper, dough, flesh, ice, iron, jelly, plaster, plexiglass, porcelain, stone or wax.
    pub name: Option<String>,
    /// Its colour on the screen, as "#f0c45c".
    pub color: Option<String>,
    /// 0 for a mirror, 1 for chalk.
    #[schemars(extend("x-unit" = "1", "minimum" = 0, "maximum" = 1))]
    pub roughness: Option<f64>,
}

impl LookSettings {
    /// The look of the name, if it is known.
    pub(crate) fn named(&self) -> Option<Look> {
        self.name.as_deref().and_then(|name| Look::named(name).or_else(|| from_preset(name)))
    }

    /// The look of a body whose material looks like `own`. Names and colours that cannot be read
    /// are left out; checks refuse them.
    pub(crate) fn resolve(&self, own: Look) -> Look {
        let mut look = self.named().unwrap_or(own);
        if let Some(color) = self.color.as_deref().and_then(linear_from_hex) {
            look.color = color;
        }
        look.roughness = self.roughness.unwrap_or(look.roughness);
        look
    }

    /// All names there are.
    pub(crate) fn names() -> Vec<String> {
        let mut names: Vec<&str> = craze_material::presets::names().chain(Look::names()).collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter().map(str::to_owned).collect()
    }
}

/// The look of a preset whose name only begins with that of a look, such as obrien-bowl-3.
fn from_preset(name: &str) -> Option<Look> {
    craze_material::presets::names().find(|preset| *preset == name).and_then(Look::for_material)
}
