//! Contacts: coincident crack faces of a body at rest.

use craze_frame::Surface;
use craze_math::Vec3;

/// Two crack faces with the same rest corners (bitwise) in opposite order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Contact {
    /// Triangles of the surface.
    pub triangles: [usize; 2],
    /// Rest area (m²).
    pub area: f64,
}

/// All contacts of a surface; `rest`: rest positions of its vertices (m).
///
/// A crack face that was split further on one side only has no contact.
pub(super) fn contacts(surface: &Surface, rest: &[Vec3]) -> Vec<Contact> {
    let mut faces: Vec<(Key, usize)> = (0..surface.triangles.len())
        .filter(|&triangle| surface.is_crack(triangle))
        .filter_map(|triangle| Some((key(surface.triangles[triangle], rest)?, triangle)))
        .collect();
    faces.sort_unstable();
    let mut contacts = Vec::new();
    for same in faces.chunk_by(|one, other| one.0.corners == other.0.corners) {
        // More than two coincident faces are ambiguous.
        if let &[(one, first), (other, second)] = same
            && one.is_forward != other.is_forward
        {
            let [a, b, c] = surface.triangles[first].map(|vertex| rest[vertex as usize]);
            let area = 0.5 * (b - a).cross(&(c - a)).norm();
            contacts.push(Contact { triangles: [first, second], area });
        }
    }
    contacts
}

/// Sorted corners of a triangle, and its orientation relative to them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    corners: [[u64; 3]; 3],
    is_forward: bool,
}

/// `None` for coincident corners.
fn key(triangle: [u32; 3], rest: &[Vec3]) -> Option<Key> {
    let unsorted = triangle.map(|vertex| position_bits(&rest[vertex as usize]));
    let mut corners = unsorted;
    corners.sort_unstable();
    if corners[0] == corners[1] || corners[1] == corners[2] {
        return None;
    }
    let first = unsorted.iter().position(|corner| *corner == corners[0])?;
    Some(Key { corners, is_forward: unsorted[(first + 1) % 3] == corners[1] })
}

/// Bits of a position, with −0 as 0.
pub(super) fn position_bits(position: &Vec3) -> [u64; 3] {
    position.map(|coordinate| (coordinate + 0.0).to_bits()).into()
}
