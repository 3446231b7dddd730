//! Corruptions of models and their outcomes; shared by the test and the example.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use craze_math::{Random, Vec3};
use craze_shape::{
    Domain, Format, ShapeError, StuffingOptions, SurfaceDomain, TriangleSurface, parse_model, resolution, stuff,
};

/// A kind of corruption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corruption {
    /// Missing triangles.
    Deleted,
    /// Duplicate triangles, in the same or the opposite orientation.
    Doubled,
    /// Flipped triangles.
    Flipped,
    /// Points displaced at random, up to a tenth of the size.
    Jittered,
    /// Coordinates that are NaN or infinite.
    NotANumber,
    /// A point far away.
    FarOff,
    /// Wrong corner indices, some out of range.
    Misnumbered,
    /// Points collapsed onto others.
    Collapsed,
    /// Several of these at once.
    Mixed,
    /// A truncated file.
    CutOff,
    /// A file with changed bytes.
    Scribbled,
    /// The original file, truncated or with a gap.
    GivenCutOff,
    /// The original file, with changed bytes or swapped words.
    GivenScribbled,
}

/// All surface corruptions, in order.
pub const ALL: [Corruption; 11] = [
    Corruption::Deleted,
    Corruption::Doubled,
    Corruption::Flipped,
    Corruption::Jittered,
    Corruption::NotANumber,
    Corruption::FarOff,
    Corruption::Misnumbered,
    Corruption::Collapsed,
    Corruption::Mixed,
    Corruption::CutOff,
    Corruption::Scribbled,
];

/// The outcome of a corrupted model.
pub struct Outcome {
    /// The corruption.
    pub corruption: Corruption,
    /// A summary of the mesh or the error; none after a panic.
    pub result: Option<Result<String, String>>,
}

/// Resolution of the mesh of a corrupted model.
#[derive(Clone, Copy, Debug)]
pub enum Fineness {
    /// Number of edges along the longest side.
    Cells(f64),
    /// The default edge.
    Default,
}

/// Corrupts the bytes of a file, then reads, repairs and meshes it.
pub fn torture_file(bytes: &[u8], path: &Path, fineness: Fineness, corruption: Corruption, seed: u64) -> Outcome {
    let mut random = Random::new(seed);
    let result = catch_unwind(AssertUnwindSafe(|| {
        let mut bytes = bytes.to_vec();
        let (from, to) = (random.below(bytes.len()), random.below(bytes.len()));
        match (corruption, random.below(3)) {
            (Corruption::GivenCutOff, 0) => drop(bytes.drain(from.min(to)..from.max(to))),
            (Corruption::GivenCutOff, _) => bytes.truncate(from),
            (_, 0) => (0..1 + random.below(8)).for_each(|_| {
                let (one, other) = (random.below(bytes.len()), random.below(bytes.len()));
                let length = (1 + random.below(40)).min(bytes.len() - one.max(other));
                (0..length).for_each(|place| bytes.swap(one + place, other + place));
            }),
            (_, 1) => (0..1 + random.below(50)).for_each(|_| {
                let place = random.below(bytes.len());
                bytes[place] = random.below(256) as u8;
            }),
            // Digits are replaced by digits, so that the file parses with wrong numbers.
            _ => (0..1 + random.below(500)).for_each(|_| {
                let place = random.below(bytes.len());
                if bytes[place].is_ascii_digit() {
                    bytes[place] = b'0' + random.below(10) as u8;
                }
            }),
        }
        let beside = |_: &_| Err(std::io::Error::other("nothing lies beside it"));
        let format = Format::of_path(path).map_err(|error| error.to_string())?;
        let model = parse_model(&bytes, format, path, &beside).map_err(|error| error.to_string())?;
        if let Some(volume) = &model.volume {
            let mesh = volume.mesh().map_err(|error| error.to_string())?;
            return Ok(format!("{} tetrahedra of its own", mesh.element_count()));
        }
        attempt(&model.surface, fineness).map_err(|error| error.to_string())
    }));
    Outcome { corruption, result: result.ok() }
}

/// Applies the `index`-th corruption to a surface and meshes it.
pub fn torture(surface: &TriangleSurface, fineness: Fineness, index: usize, seed: u64) -> Outcome {
    let corruption = ALL[index % ALL.len()];
    let mut random = Random::new(seed ^ (index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let result = catch_unwind(AssertUnwindSafe(|| {
        let corrupted = match corruption {
            Corruption::CutOff | Corruption::Scribbled => reread(surface, corruption, &mut random),
            _ => {
                let mut corrupted = surface.clone();
                corrupt(&mut corrupted, corruption, &mut random);
                Ok(corrupted)
            }
        };
        corrupted.and_then(|corrupted| attempt(&corrupted, fineness)).map_err(|error| error.to_string())
    }));
    Outcome { corruption, result: result.ok() }
}

/// Repairs a surface, queries its domain and meshes it.
fn attempt(surface: &TriangleSurface, fineness: Fineness) -> Result<String, ShapeError> {
    let (domain, findings) = SurfaceDomain::new(surface)?;
    let volume = domain.volume().unwrap_or(f64::NAN);
    let thickness = domain.thickness(1);
    let bounds = domain.bounds();
    let mut random = Random::new(1);
    for _ in 0..200 {
        let point = bounds.min + Vec3::from_fn(|_, _| random.number()).component_mul(&bounds.size());
        let answers = [domain.level(&point), domain.clearance(&point), domain.normal(&point).map_or(0.0, |n| n.norm())];
        assert!(answers.iter().all(|answer| answer.is_finite()), "{answers:?} at {point}");
    }
    assert!(volume.is_finite() && volume >= 0.0, "{volume}");
    let edge = match fineness {
        Fineness::Cells(cells) => bounds.size().max() / cells,
        Fineness::Default => {
            let wall = thickness.map_or(bounds.size().min(), |thickness| thickness.fifth_percentile);
            resolution::edge_in(&domain, volume, wall)
        }
    };
    assert!(edge.is_finite() && edge > 0.0, "{edge}");
    let options = StuffingOptions { limit: 1e6, ..StuffingOptions::with_edge(edge) };
    let mesh = stuff(&domain, &options)?.mesh;
    let wall = thickness.map_or(f64::NAN, |thickness| thickness.thinnest);
    Ok(format!(
        "{} tetrahedra, {} warnings, {volume:.3e} m³, thinnest {wall:.1e} m",
        mesh.element_count(),
        findings.warnings().len()
    ))
}

fn corrupt(surface: &mut TriangleSurface, corruption: Corruption, random: &mut Random) {
    // From one triangle to a third of all.
    let share = random.number().powi(3) * 0.33;
    let count = surface.triangles.len();
    let some = ((share * count as f64) as usize).clamp(1, count.max(1));
    let bounds = surface.bounds();
    let size = bounds.size().max();
    for _ in 0..some {
        if surface.triangles.is_empty() || surface.positions.is_empty() {
            return;
        }
        let triangle = random.below(surface.triangles.len());
        let point = random.below(surface.positions.len());
        match corruption {
            Corruption::Deleted => drop(surface.triangles.swap_remove(triangle)),
            Corruption::Doubled => {
                let [a, b, c] = surface.triangles[triangle];
                surface.triangles.push(if random.number() < 0.5 { [b, c, a] } else { [a, c, b] });
            }
            Corruption::Flipped => surface.triangles[triangle].swap(0, 1),
            Corruption::Jittered => {
                surface.positions[point] += random.direction() * (size * 0.1 * random.number().powi(4));
            }
            Corruption::NotANumber => {
                let bad = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e19][random.below(5)];
                surface.positions[point][random.below(3)] = bad;
            }
            Corruption::FarOff => {
                surface.positions[point] *= 10.0_f64.powf(16.0 * random.number());
                return;
            }
            Corruption::Misnumbered => {
                let number = random.below(surface.positions.len() + 2) as u32;
                surface.triangles[triangle][random.below(3)] = number;
            }
            Corruption::Collapsed => {
                surface.positions[point] = surface.positions[random.below(surface.positions.len())];
            }
            _ => {
                for _ in 0..3 {
                    corrupt_once(surface, random);
                }
                return;
            }
        }
    }
}

fn corrupt_once(surface: &mut TriangleSurface, random: &mut Random) {
    corrupt(surface, ALL[random.below(8)], random);
}

/// Writes the surface as a file, corrupts that and reads it again.
fn reread(
    surface: &TriangleSurface,
    corruption: Corruption,
    random: &mut Random,
) -> Result<TriangleSurface, ShapeError> {
    let (mut bytes, format, path) = if random.number() < 0.5 {
        (as_obj(surface), Format::Obj, Path::new("corrupted.obj"))
    } else {
        (as_stl(surface), Format::Stl, Path::new("corrupted.stl"))
    };
    if corruption == Corruption::CutOff {
        bytes.truncate(random.below(bytes.len()));
    } else {
        for _ in 0..1 + random.below(50) {
            let place = random.below(bytes.len());
            bytes[place] = random.below(256) as u8;
        }
    }
    Ok(parse_model(&bytes, format, path, &|_| Err(std::io::Error::other("nothing lies beside it")))?.surface)
}

/// The surface as an OBJ file.
pub fn as_obj(surface: &TriangleSurface) -> Vec<u8> {
    let mut text = String::new();
    for point in &surface.positions {
        text += &format!("v {} {} {}\n", point.x, point.y, point.z);
    }
    for [a, b, c] in &surface.triangles {
        text += &format!("f {} {} {}\n", a + 1, b + 1, c + 1);
    }
    text.into_bytes()
}

fn as_stl(surface: &TriangleSurface) -> Vec<u8> {
    let mut bytes = vec![b' '; 80];
    bytes.extend((surface.triangles.len() as u32).to_le_bytes());
    for triangle in &surface.triangles {
        bytes.extend([0; 12]);
        for corner in surface.corners(triangle) {
            corner.iter().for_each(|&value| bytes.extend((value as f32).to_le_bytes()));
        }
        bytes.extend([0; 2]);
    }
    bytes
}
