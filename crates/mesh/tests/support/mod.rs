//! Shared by test files: meshes with attributes that detect errors of their transfer.

#![allow(dead_code)] // each test file uses its own part

use craze_math::Vec3;
use craze_mesh::{Edit, EditError, ElementRule, Id, Inherit, Inheritance, Measure, PointRule, SimplexMesh, Values};

pub fn linear_field(position: &Vec3) -> f64 {
    3.0 * position.x - 2.0 * position.y + 0.5 * position.z + 1.0
}

/// The sides of the unit box or square that a position is on, one bit each.
pub fn sides(position: &Vec3, axes: usize) -> u32 {
    (0..axes).fold(0, |bits, axis| {
        let low = u32::from(position[axis].abs() < 1e-12) << (2 * axis);
        let high = u32::from((position[axis] - 1.0).abs() < 1e-12) << (2 * axis + 1);
        bits | low | high
    })
}

/// A mesh of the unit box or square under test, with external arrays updated by its edits.
pub struct Watched<P: Id, E: Id, const N: usize> {
    pub mesh: SimplexMesh<P, E, N>,
    axes: usize,
    positions: Vec<Vec3>,
    colours: Vec<u32>,
    masses: Vec<f64>,
    total: f64,
    pub edits: usize,
    pub refusals: usize,
}

impl<P: Id, E: Id, const N: usize> Watched<P, E, N>
where
    [Vec3; N]: Measure,
{
    pub fn new(mut mesh: SimplexMesh<P, E, N>) -> Self {
        let axes = N - 1;
        let positions = mesh.positions().to_vec();
        let fields = positions.iter().map(linear_field).collect();
        let borders = positions.iter().map(|position| sides(position, axes)).collect();
        let masses: Vec<f64> = mesh.element_ids().map(|element| 2.5 * mesh.measure(element)).collect();
        let colours: Vec<u32> = (0..mesh.element_count() as u32).map(|element| element % 7).collect();
        let mut walls = vec![0; mesh.element_count() * N];
        for facet in mesh.boundary_facets() {
            walls[facet.element.index() * N + facet.corner as usize] = wall_of(&mesh, facet, axes);
        }
        let vectors = positions.clone();
        let points = mesh.point_attributes_mut();
        points.add("field", PointRule::Interpolate, Values::Scalars(fields)).unwrap();
        points.add("position", PointRule::Interpolate, Values::Vectors(vectors)).unwrap();
        points.add("borders", PointRule::Common, Values::Labels(borders)).unwrap();
        let elements = mesh.element_attributes_mut();
        elements.add("mass", ElementRule::Divide, Values::Scalars(masses.clone())).unwrap();
        elements.add("colour", ElementRule::Copy, Values::Labels(colours.clone())).unwrap();
        let seven = vec![7.0; mesh.element_count()];
        mesh.element_attributes_mut().add("seven", ElementRule::Average, Values::Scalars(seven)).unwrap();
        mesh.facet_attributes_mut().add("wall", Inherit, Values::Labels(walls)).unwrap();
        let total = mesh.total_measure();
        Self { mesh, axes, positions, colours, masses, total, edits: 0, refusals: 0 }
    }

    /// Tries an edit; a failure must leave the mesh unchanged, a success must keep all invariants.
    pub fn attempt(
        &mut self,
        what: impl Fn(&mut SimplexMesh<P, E, N>) -> Result<Edit<P, E>, EditError<P, E>>,
    ) -> Option<Edit<P, E>> {
        let before = self.mesh.clone();
        match what(&mut self.mesh) {
            Ok(edit) => {
                self.follow(&edit);
                Some(edit)
            }
            Err(refusal) => {
                assert_eq!(before, self.mesh, "refused ({refusal}), yet changed");
                self.refusals += 1;
                None
            }
        }
    }

    pub fn follow(&mut self, edit: &Edit<P, E>) {
        self.edits += 1;
        edit.apply_to_points(&mut self.positions, |old, blend| blend.sum(|point| old[point.index()]));
        edit.apply_to_elements(&mut self.colours, |old, added| old[added.parent.index()]);
        edit.apply_to_elements(&mut self.masses, |old, added| match edit.inheritance {
            Inheritance::Parent => old[added.parent.index()] * added.share,
            Inheritance::Patch => {
                edit.elements_removed.iter().map(|removed| old[removed.element.index()]).sum::<f64>() * added.share
            }
        });
        self.check(edit);
    }

    fn check(&self, edit: &Edit<P, E>) {
        let mesh = &self.mesh;
        mesh.validate().unwrap();
        assert!(
            (mesh.total_measure() - self.total).abs() <= 1e-12 * self.total,
            "{}",
            mesh.total_measure() - self.total
        );
        assert_eq!(self.positions, mesh.positions());
        assert_eq!(Some(&self.colours[..]), mesh.element_attributes().labels("colour"));
        let fields = mesh.point_attributes().scalars("field").unwrap();
        let positions = mesh.point_attributes().vectors("position").unwrap();
        let borders = mesh.point_attributes().labels("borders").unwrap();
        for (index, position) in mesh.positions().iter().enumerate() {
            assert!((fields[index] - linear_field(position)).abs() < 1e-12);
            assert_eq!(positions[index], *position);
            assert_eq!(borders[index], sides(position, self.axes), "{position}");
        }
        let masses = mesh.element_attributes().scalars("mass").unwrap();
        assert!((masses.iter().sum::<f64>() - 2.5 * self.total).abs() < 1e-11);
        assert!(masses.iter().zip(&self.masses).all(|(one, other)| (one - other).abs() <= 1e-12 * one.abs()));
        let sevens = mesh.element_attributes().scalars("seven").unwrap();
        assert!(sevens.iter().all(|seven| (seven - 7.0).abs() < 1e-9));
        let walls = mesh.facet_attributes().labels("wall").unwrap();
        for facet in mesh.boundary_facets() {
            let wall = wall_of(mesh, facet, self.axes);
            assert_eq!(walls[facet.element.index() * N + facet.corner as usize], wall, "{facet:?}");
        }
        for pair in &edit.crack {
            let [mut one, mut other] = pair.map(|facet| {
                assert_eq!(mesh.neighbour(facet.element, facet.corner as usize), None);
                mesh.facet_points(facet).map(|point| point.map(|point| mesh.position(point)))
            });
            let order = |a: &Option<Vec3>, b: &Option<Vec3>| {
                a.map(<[f64; 3]>::from).partial_cmp(&b.map(<[f64; 3]>::from)).unwrap()
            };
            one.sort_by(order);
            other.sort_by(order);
            assert_eq!(one, other, "the two sides of a crack coincide");
        }
        assert_eq!(edit.exposed, []);
    }
}

fn wall_of<P: Id, E: Id, const N: usize>(mesh: &SimplexMesh<P, E, N>, facet: craze_mesh::Facet<E>, axes: usize) -> u32 {
    let points = mesh.facet_points(facet);
    points.iter().flatten().fold(u32::MAX, |common, &point| common & sides(&mesh.position(point), axes))
}
