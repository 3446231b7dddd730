//! Presets as table rows, for `craze materials` and the documentation.

use std::fmt::Write;

use crate::presets::{Preset, all, references};
use crate::quantity::Quantity;

/// One number of a preset.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Name of the preset.
    pub preset: &'static str,
    /// Key, as in scene files.
    pub key: String,
    /// The value with at most four digits.
    pub value: String,
    /// Its SI unit; empty if dimensionless.
    pub unit: &'static str,
    /// Short name of the source.
    pub source: &'static str,
    /// Typical range, or how the value was chosen.
    pub note: &'static str,
}

/// All numbers of all presets, in the order of [`presets::all`](crate::presets::all).
pub fn table() -> Vec<Row> {
    all().flat_map(rows).collect()
}

/// All numbers of a preset.
pub fn rows(preset: &Preset) -> Vec<Row> {
    let name = preset.name;
    let mut rows = Vec::new();
    for quantity in Quantity::ALL {
        if let Some(entry) = preset.entries.iter().find(|entry| entry.quantity == quantity) {
            rows.push(Row {
                preset: name,
                key: quantity.key().to_owned(),
                value: number(entry.value),
                unit: quantity.unit(),
                source: entry.reference.key,
                note: entry.note,
            });
        }
        if let (Quantity::Density, Some(grain)) = (quantity, &preset.grain) {
            let constants = [
                ("young", ["x", "y", "z"], grain.young, "Pa"),
                ("shear", ["yz", "zx", "xy"], grain.shear, "Pa"),
                ("poisson", ["yz", "xz", "xy"], grain.poisson, ""),
            ];
            for (kind, axes, values, unit) in constants {
                for (axis, value) in axes.into_iter().zip(values) {
                    rows.push(Row {
                        preset: name,
                        key: format!("{kind} {axis}"),
                        value: number(value),
                        unit,
                        source: grain.reference.key,
                        note: grain.note,
                    });
                }
            }
        }
    }
    rows
}

/// At most four digits; with an exponent if large or small.
fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if value.abs() >= 1e5 || value.abs() < 1e-3 {
        let text = format!("{value:.3e}");
        return match text.split_once('e') {
            Some((digits, power)) => format!("{}e{power}", digits.trim_end_matches('0').trim_end_matches('.')),
            None => text,
        };
    }
    format!("{value}")
}

/// The page `docs/materials.md`.
pub fn markdown() -> String {
    let mut page = String::from(PREFACE);
    for preset in all() {
        // Writing to a string cannot fail.
        let _ = write!(
            page,
            "\n## {}\n\n{}.\n\n| key | value | unit | source | note |\n|---|---|---|---|---|\n",
            preset.name, preset.summary
        );
        for row in rows(preset) {
            let _ = writeln!(page, "| {} | {} | {} | {} | {} |", row.key, row.value, row.unit, row.source, row.note);
        }
    }
    page.push_str("\n## Sources\n\n| source | full |\n|---|---|\n");
    for reference in references() {
        let _ = writeln!(page, "| {} | {} |", reference.key, reference.citation);
    }
    page
}

const PREFACE: &str = "# Materials

A body's `material` is a preset, optionally with some numbers replaced, or numbers only:

```toml
material = { preset = \"glass\", tensile_strength = 30e6 }
material = { density = 1000, young = 1e6, poisson = 0.3 }
```

All numbers are in SI units. Values are typical: real specimens vary by tens of percent, the strength of brittle
materials by a factor of two. Each row names a source that tabulates such values and, as a note, the typical range. They
were not proof-read against every printed edition: for a structure that must not fail, measure. `craze materials` prints
the same numbers with the methods that use them; a test compares this page with the program.

A preset has numbers for all methods; a body uses those that its method reads. Numbers written beside the preset must be
used by the method: a `toughness` of a solid is rejected, with the key to use instead.

Keys in general:

- `young` and `poisson`, or `lambda` and `mu` (true Lamé constants), or a full 6×6 `stiffness` over xx, yy, zz, yz, zx, xy
  with engineering shear strains (2E_yz and so on).
- `phi` and `psi` are the viscous constants of O'Brien & Hodgins 1999; `damping_time` adds a viscosity proportional to the
  stiffness: the loss factor at frequency f is 2π·f·`damping_time`; `mass_damping` is a drag on all motion.
- `fracture_energy` G and `toughness` K describe one property (Irwin: G = K² (1 − ν²)/E): give one.
- `separation_force` is the criterion of O'Brien & Hodgins 1999, a nodal force that depends on the mesh. Give it or
  `tensile_strength`; the one given replaces the preset's.
- `goal_stiffness` and the `cluster_` keys are settings of clustered shape matching.
- A yield curvature is valid for the thickness in its note.
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_exact() {
        for (value, text) in [
            (70e9, "7e10"),
            (0.22, "0.22"),
            (2500.0, "2500"),
            (1.591_549e-7, "1.592e-7"),
            (0.0, "0"),
            (52.9, "52.9"),
            (18090.0, "18090"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn documentation_shows_what_the_program_uses() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/materials.md");
        let expected = markdown();
        if std::env::var_os("CRAZE_UPDATE_DOCS").is_some() {
            std::fs::write(path, &expected).expect("docs/materials.md is writable");
        }
        let page = std::fs::read_to_string(path).expect("docs/materials.md exists");
        assert!(page == expected, "docs/materials.md is out of date: run this test with CRAZE_UPDATE_DOCS=1");
    }

    #[test]
    fn every_source_is_used_and_listed() {
        let rows = table();
        for reference in references() {
            assert!(rows.iter().any(|row| row.source == reference.key), "{} is not used", reference.key);
        }
        for row in rows {
            assert!(references().iter().any(|reference| reference.key == row.source), "{} is not listed", row.source);
        }
    }
}
