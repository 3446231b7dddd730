//! Where shards touched before they broke apart.

use craze_frame::Surface;
use craze_math::Vec3;

/// Two crack faces that were one, of two pieces or of one that the crack did not part: the same three places of the rest shape, to the bit, passed the other way round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Contact {
    /// The triangles of the surface.
    pub triangles: [usize; 2],
    /// Their area at rest (m²).
    pub area: f64,
}

/// All contacts of a surface, `rest` being the places of its vertices in the rest shape (m).
///
/// A crack face that was cut further on one side only has no partner and is in no contact.
pub(super) fn contacts(surface: &Surface, rest: &[Vec3]) -> Vec<Contact> {
    let mut faces: Vec<(Key, usize)> = (0..surface.triangles.len())
        .filter(|&triangle| surface.is_crack(triangle))
        .filter_map(|triangle| Some((key(surface.triangles[triangle], rest)?, triangle)))
        .collect();
    faces.sort_unstable();
    let mut contacts = Vec::new();
    for same in faces.chunk_by(|one, other| one.0.places == other.0.places) {
        // Two sides of a crack; what lies in one place more often has no partner that could be told.
        if let &[(one, first), (other, second)] = same
            && one.turns_forward != other.turns_forward
        {
            let [a, b, c] = surface.triangles[first].map(|vertex| rest[vertex as usize]);
            let area = 0.5 * (b - a).cross(&(c - a)).norm();
            contacts.push(Contact { triangles: [first, second], area });
        }
    }
    contacts
}

/// Where a triangle lies at rest, whichever corner comes first, and which way round it goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    places: [[u64; 3]; 3],
    turns_forward: bool,
}

/// `None` where two corners are in one place.
fn key(triangle: [u32; 3], rest: &[Vec3]) -> Option<Key> {
    let corners = triangle.map(|vertex| place(&rest[vertex as usize]));
    let mut places = corners;
    places.sort_unstable();
    if places[0] == places[1] || places[1] == places[2] {
        return None;
    }
    let first = corners.iter().position(|corner| *corner == places[0])?;
    Some(Key { places, turns_forward: corners[(first + 1) % 3] == places[1] })
}

/// The bits of a position, with one zero.
pub(super) fn place(position: &Vec3) -> [u64; 3] {
    position.map(|coordinate| (coordinate + 0.0).to_bits()).into()
}
