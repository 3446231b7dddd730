//! How fine a shape is divided if nobody says.

/// Tetrahedra in a cube whose edges are as long as theirs.
pub const TETRAHEDRA_A_CUBE: f64 = 6.0;

/// Edge length (m) of tetrahedra for a shape of this volume (m³) and thinnest wall (m): about 10,000 of them, with
/// two through the thinnest wall as long as 200,000 are enough for that.
pub fn edge_for(volume: f64, thinnest_wall: f64) -> f64 {
    resolution(TETRAHEDRA_A_CUBE * volume, thinnest_wall, 10_000.0, 200_000.0)
}

/// Distance of particles (m) for a shape of this volume (m³) and thinnest wall (m): about 2,000 of them, with two
/// through the thinnest wall as long as 20,000 are enough for that.
pub fn spacing_for(volume: f64, thinnest_wall: f64) -> f64 {
    resolution(volume, thinnest_wall, 2_000.0, 20_000.0)
}

fn resolution(volume: f64, thinnest_wall: f64, usual: f64, most: f64) -> f64 {
    let for_count = |count: f64| (volume / count).cbrt();
    let across = thinnest_wall / 2.0;
    two_digits(for_count(usual).min(across).max(for_count(most)))
}

/// A length rounded to two digits, so that written scenes stay readable.
fn two_digits(length: f64) -> f64 {
    format!("{length:.1e}").parse().unwrap_or(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolution_follows_size_and_thinnest_wall() {
        let edge = |x: f64, y: f64, z: f64| edge_for(x * y * z, x.min(y).min(z));
        assert_eq!(edge(1.0, 1.0, 1.0), 0.084);
        assert_eq!(edge(0.01, 0.01, 0.01), 0.00084);
        // Two elements through a plate of 1 cm, and through walls of 1 cm.
        assert_eq!(edge(0.2, 0.01, 0.2), 0.005);
        assert_eq!(edge_for(1e-3, 0.01), 0.005);
        // A foil would need millions for that: the count decides.
        assert_eq!(edge(1.0, 0.0001, 1.0), 0.0014);
        assert_eq!(spacing_for(0.0041887902, 0.2), 0.013);
    }
}
