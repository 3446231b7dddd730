//! Node hierarchy: mesh instances and their transforms.

use std::path::Path;

use craze_math::{Mat3, Vec3};

use super::document::{Document, Node};
use crate::error::ShapeError;

/// An affine transform: matrix, then offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Transform {
    pub matrix: Mat3,
    pub offset: Vec3,
}

impl Transform {
    const IDENTITY: Transform =
        Transform { matrix: Mat3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), offset: Vec3::new(0.0, 0.0, 0.0) };

    /// A node's local transform: a column-major matrix, or scale, rotation (quaternion x, y, z, w)
    /// and translation.
    fn of(node: &Node) -> Self {
        if let Some(m) = &node.matrix {
            let matrix = Mat3::new(m[0], m[4], m[8], m[1], m[5], m[9], m[2], m[6], m[10]);
            return Self { matrix, offset: Vec3::new(m[12], m[13], m[14]) };
        }
        let scale = Mat3::from_diagonal(&Vec3::from(node.scale.unwrap_or([1.0; 3])));
        let rotation = node.rotation.map_or(Self::IDENTITY.matrix, rotation);
        Self { matrix: rotation * scale, offset: Vec3::from(node.translation.unwrap_or([0.0; 3])) }
    }

    fn compose(&self, child: &Transform) -> Self {
        Self { matrix: self.matrix * child.matrix, offset: self.matrix * child.offset + self.offset }
    }

    pub fn apply(&self, point: Vec3) -> Vec3 {
        self.matrix * point + self.offset
    }

    /// Returns true if the transform is a reflection, which reverses triangle orientation.
    pub fn mirrors(&self) -> bool {
        self.matrix.determinant() < 0.0
    }

    /// Cofactor matrix with the sign of the determinant: transforms normals up to length, also
    /// where the inverse does not exist.
    pub fn normal_matrix(&self) -> Mat3 {
        let [x, y, z] = [0, 1, 2].map(|column| Vec3::from(self.matrix.column(column)));
        let sign = if self.mirrors() { -1.0 } else { 1.0 };
        Mat3::from_columns(&[y.cross(&z), z.cross(&x), x.cross(&y)]) * sign
    }
}

/// The rotation of a quaternion of any length; identity for zero.
fn rotation(quaternion: [f64; 4]) -> Mat3 {
    let largest = quaternion.iter().fold(0.0, |most: f64, part| most.max(part.abs()));
    if largest == 0.0 {
        return Transform::IDENTITY.matrix;
    }
    let [x, y, z, w] = quaternion.map(|part| part / largest);
    let square = x * x + y * y + z * z + w * w;
    let of = |a: f64, b: f64| 2.0 * a * b / square;
    Mat3::new(
        1.0 - of(y, y) - of(z, z),
        of(x, y) - of(z, w),
        of(x, z) + of(y, w),
        of(x, y) + of(z, w),
        1.0 - of(x, x) - of(z, z),
        of(y, z) - of(x, w),
        of(x, z) - of(y, w),
        of(y, z) + of(x, w),
        1.0 - of(x, x) - of(y, y),
    )
}

/// Mesh indices and transforms of all mesh instances of all scenes, in tree order. Without scenes
/// all nodes count; without nodes all meshes.
///
/// Rejects nodes with two parents and cycles.
pub(super) fn placed_meshes(document: &Document, path: &Path) -> Result<Vec<(usize, Transform)>, ShapeError> {
    let nodes = &document.nodes;
    if nodes.is_empty() {
        return Ok((0..document.meshes.len()).map(|mesh| (mesh, Transform::IDENTITY)).collect());
    }
    let bad = |part: String, problem: String| ShapeError::BadPart { path: path.to_owned(), part, problem };
    let parents = parents_of(nodes).map_err(|(node, problem)| bad(format!("nodes[{node}]"), problem))?;
    let roots: Vec<usize> = if document.scenes.is_empty() {
        (0..nodes.len()).filter(|&node| parents[node].is_none()).collect()
    } else {
        document.scenes.iter().flat_map(|scene| scene.nodes.iter().copied()).collect()
    };
    let mut is_placed = vec![false; nodes.len()];
    let mut placed = Vec::new();
    for root in roots {
        let mut open = vec![(root, Transform::IDENTITY)];
        while let Some((number, above)) = open.pop() {
            let Some(node) = nodes.get(number) else {
                return Err(bad("scenes".into(), format!("nodes[{number}] is referenced, but does not exist")));
            };
            // Several scenes may contain the same tree.
            if std::mem::replace(&mut is_placed[number], true) {
                continue;
            }
            let transform = above.compose(&Transform::of(node));
            placed.extend(node.mesh.map(|mesh| (mesh, transform)));
            open.extend(node.children.iter().rev().map(|&child| (child, transform)));
        }
    }
    Ok(placed)
}

/// The parent of each node; or the invalid node and the reason.
fn parents_of(nodes: &[Node]) -> Result<Vec<Option<usize>>, (usize, String)> {
    let mut parents = vec![None; nodes.len()];
    for (parent, node) in nodes.iter().enumerate() {
        for &child in &node.children {
            match parents.get_mut(child) {
                None => return Err((parent, format!("its child nodes[{child}] does not exist"))),
                Some(Some(other)) => {
                    return Err((child, format!("it is a child of nodes[{other}] and of nodes[{parent}]")));
                }
                Some(none) => *none = Some(parent),
            }
        }
    }
    // A walk towards the root that meets itself is a cycle.
    let mut visited_from = vec![usize::MAX; nodes.len()];
    for start in 0..nodes.len() {
        let mut node = Some(start);
        while let Some(number) = node.filter(|&number| visited_from[number] == usize::MAX) {
            visited_from[number] = start;
            node = parents[number];
        }
        if let Some(number) = node.filter(|&number| visited_from[number] == start) {
            return Err((number, "it is its own ancestor".into()));
        }
    }
    Ok(parents)
}
