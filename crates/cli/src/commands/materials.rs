//! `craze materials`

use crate::OutputMode;
use crate::problem::Problem;
use clap::Args;
use craze_material::{Key, nearest, presets, rows};
use craze_methods::METHODS;
use serde_json::json;
use std::io::Write;

#[derive(Args)]
pub struct Arguments {
    /// Show all values of this preset, with sources
    name: Option<String>,
}

pub fn run(arguments: &Arguments, mode: OutputMode) -> Result<(), Problem> {
    let mut stdout = std::io::stdout().lock();
    let Some(name) = &arguments.name else {
        return list(&mut stdout, mode);
    };
    let preset = presets::all().find(|preset| preset.name == name).ok_or_else(|| {
        let near = nearest(name, presets::names());
        let help = near.map_or("`craze materials` lists all".to_owned(), |near| format!("did you mean \"{near}\"?"));
        Problem::new(format!("there is no material named \"{name}\""), help)
    })?;
    for row in rows(preset) {
        let methods = methods_that_use(&row.key);
        match mode {
            OutputMode::Json => writeln!(
                stdout,
                "{}",
                json!({ "preset": row.preset, "key": row.key, "value": row.value, "unit": row.unit,
                        "methods": methods, "source": row.source, "note": row.note })
            )?,
            OutputMode::Text | OutputMode::Quiet => {
                let methods = if methods.is_empty() { "–".to_owned() } else { methods.join(", ") };
                let (key, value, unit) = (row.key, row.value, row.unit);
                writeln!(stdout, "{key:22} {value:>10} {unit:9} {methods:15} {:12} {}", row.source, row.note)?
            }
        }
    }
    Ok(())
}

/// Methods that use a value of a preset. Values of a grain, such as `young x`, contribute to a
/// stiffness.
fn methods_that_use(name: &str) -> Vec<&'static str> {
    let key = Key::all().find(|key| key.name() == name).unwrap_or(Key::Stiffness);
    METHODS.iter().filter(|method| method.material.accepts(key)).map(|method| method.name).collect()
}

fn list(stdout: &mut impl Write, mode: OutputMode) -> Result<(), Problem> {
    let width = presets::names().map(str::len).max().unwrap_or(0);
    if mode != OutputMode::Json {
        writeln!(stdout, "{:width$} {:>13} {:>12} {:>8} {:>14}", "", "density", "Young", "Poisson", "strength")?;
        writeln!(stdout, "{:width$} {:>13} {:>12} {:>8} {:>14}", "", "kg/m³", "Pa", "", "Pa")?;
    }
    for preset in presets::all() {
        let material = preset.material();
        let strength = material.strength.tensile;
        match mode {
            OutputMode::Json => writeln!(
                stdout,
                "{}",
                json!({ "name": preset.name, "density": material.density, "young": material.elasticity.young(),
                        "poisson": material.elasticity.poisson(), "tensile_strength": strength })
            )?,
            OutputMode::Text | OutputMode::Quiet => writeln!(
                stdout,
                "{:width$} {:>13.0} {:>12.3e} {:>8.2} {:>14}",
                preset.name,
                material.density,
                material.elasticity.young(),
                material.elasticity.poisson(),
                strength.map_or("–".to_owned(), |strength| format!("{strength:.2e}"))
            )?,
        }
    }
    Ok(())
}
