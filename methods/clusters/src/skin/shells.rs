//! Closed surfaces of a piece beside its largest one: parts that are connected only outside of the
//! source surface.

use super::Skin;
use craze_math::{DisjointSets, Vec3};
use craze_skin::SplitSurface;

/// Enclosed share of the volume below which a closed surface is a crack that opens nowhere (1).
const MIN_ENCLOSED_RATIO: f64 = 1e-10;

/// A closed surface.
struct Shell<'order> {
    /// Enclosed volume (m³); negative around a cavity.
    volume: f64,
    piece: u32,
    /// Its triangles, each with the root of its points.
    triangles: &'order [(u32, usize)],
}

/// A part that goes to a neighbouring piece.
pub(super) struct Stray {
    /// Vertices of the tetrahedra that carry it,
    pub vertices: Vec<u32>,
    /// and a vertex on the other side of its largest crack face.
    pub heir: u32,
}

/// Closed surfaces of each piece beside its largest. `piece_of` returns the piece of a vertex of
/// the tetrahedra. None if the surface of the tetrahedra is shown.
pub(super) fn stray_shells(skin: &Skin, parted: &SplitSurface, piece_of: impl Fn(u32) -> u32) -> Vec<Stray> {
    if parted.beyond.is_empty() {
        return Vec::new();
    }
    let mut sets = DisjointSets::new(parted.points.len());
    for &[a, b, c] in &parted.triangles {
        sets.join(a, b);
        sets.join(a, c);
    }
    let origin = parted.points.first().map_or_else(Vec3::zeros, |point| point.rest);
    let places = |corners: &[u32; 3]| corners.map(|point| parted.points[point as usize].rest - origin);
    // Triangles by their surface.
    let mut order: Vec<(u32, usize)> =
        parted.triangles.iter().enumerate().map(|(triangle, corners)| (sets.root(corners[0]), triangle)).collect();
    order.sort_unstable();
    let shells: Vec<Shell> = order
        .chunk_by(|one, other| one.0 == other.0)
        .map(|own| {
            let volume = own.iter().map(|(_, triangle)| {
                let [a, b, c] = places(&parted.triangles[*triangle]);
                a.dot(&b.cross(&c)) / 6.0
            });
            Shell { volume: volume.sum(), piece: piece_of(parted.owners[own[0].1]), triangles: own }
        })
        .collect();
    let whole: f64 = shells.iter().map(|shell| shell.volume).sum();
    let mut largest: Vec<f64> = Vec::new();
    for &Shell { volume, piece, .. } in &shells {
        largest.resize(largest.len().max(piece as usize + 1), 0.0);
        largest[piece as usize] = volume.max(largest[piece as usize]);
    }
    let is_stray =
        |shell: &&Shell| shell.volume > MIN_ENCLOSED_RATIO * whole && shell.volume < largest[shell.piece as usize];
    let take = |&Shell { piece, triangles: own, .. }: &Shell| {
        let area = |triangle: usize| {
            let [a, b, c] = places(&parted.triangles[triangle]);
            (b - a).cross(&(c - a)).norm()
        };
        let crack_faces =
            own.iter().map(|(_, triangle)| *triangle).filter(|&triangle| parted.beyond[triangle] != u32::MAX);
        let widest = crack_faces.max_by(|one, other| area(*one).total_cmp(&area(*other)).then(other.cmp(one)))?;
        let corners = own.iter().flat_map(|(_, triangle)| parted.triangles[*triangle]);
        let carriers = corners.flat_map(|point| parted.points[point as usize].weights);
        let mut vertices: Vec<u32> = carriers.filter(|carrier| carrier.1 > 0.0).map(|carrier| carrier.0).collect();
        vertices.sort_unstable();
        vertices.dedup();
        // Vertices inside the body belong to their surroundings.
        let is_around = |vertex: u32| {
            let place = skin.background.positions()[vertex as usize] - origin;
            own.iter().map(|(_, triangle)| solid_angle(&place, places(&parted.triangles[*triangle]))).sum::<f64>()
                > std::f64::consts::TAU
        };
        vertices.retain(|&vertex| piece_of(vertex) == piece && (!skin.is_inside(vertex) || is_around(vertex)));
        (!vertices.is_empty()).then_some(Stray { vertices, heir: parted.beyond[widest] })
    };
    shells.iter().filter(is_stray).filter_map(take).collect()
}

/// The solid angle of a triangle seen from a point (sr), positive from behind: Van Oosterom &
/// Strackee 1983.
fn solid_angle(from: &Vec3, corners: [Vec3; 3]) -> f64 {
    let [a, b, c] = corners.map(|corner| corner - from);
    let lengths = [a.norm(), b.norm(), c.norm()];
    let below =
        lengths[0] * lengths[1] * lengths[2] + a.dot(&b) * lengths[2] + b.dot(&c) * lengths[0] + c.dot(&a) * lengths[1];
    2.0 * a.dot(&b.cross(&c)).atan2(below)
}
