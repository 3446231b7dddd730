//! A solid as bytes, and back.
//!
//! What is written is what cannot be rebuilt; blocks, lists and constants follow from it, bit for bit. Reading checks everything:
//! foreign bytes end in an error.

use crate::flight::{Change, Flight};
use crate::implicit::Balanced;
use crate::model::Solid;
use crate::options::SolidOptions;
use craze_engine::{HoldId, MaterialPoint, Method, RigidBody, SplitCounts};
use craze_material::Material;
use craze_math::{Isometry, Rotation, Vec3};
use craze_mesh::TetMesh;
use serde::{Deserialize, Serialize};

/// Changes with the meaning of the bytes.
const VERSION: u32 = 4;

#[derive(Serialize)]
struct Written<'a> {
    version: u32,
    mesh: &'a TetMesh,
    material_of: &'a [u32],
    materials: &'a [Material],
    options: &'a SolidOptions,
    placement: &'a Isometry,
    /// Positions (m) and velocities (m/s).
    nodes: Vec<[f64; 6]>,
    flights: &'a [Flight],
    reactions: Vec<(HoldId, Vec3)>,
    work: f64,
    strain: f64,
    stiffening: f64,
    happened: &'a [Change],
    lineage: &'a [Option<u32>],
    followed: &'a [MaterialPoint],
    counts: SplitCounts,
    first_height: f64,
    balanced: &'a Balanced,
}

#[derive(Deserialize)]
struct Read {
    version: u32,
    mesh: TetMesh,
    material_of: Vec<u32>,
    materials: Vec<Material>,
    options: SolidOptions,
    placement: Isometry,
    nodes: Vec<[f64; 6]>,
    flights: Vec<Flight>,
    reactions: Vec<(HoldId, Vec3)>,
    work: f64,
    strain: f64,
    stiffening: f64,
    happened: Vec<Change>,
    lineage: Vec<Option<u32>>,
    followed: Vec<MaterialPoint>,
    counts: SplitCounts,
    first_height: f64,
    balanced: Balanced,
}

impl Solid {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let record = |node: &crate::node::Node| {
            let [x, y, z, _, vx, vy, vz, _] = node.0;
            [x, y, z, vx, vy, vz]
        };
        let written = Written {
            version: VERSION,
            mesh: &self.mesh,
            material_of: &self.material_of,
            materials: &self.materials,
            options: &self.options,
            placement: &self.placement,
            nodes: self.state.iter().map(record).collect(),
            flights: &self.flights,
            reactions: self.holds.regions.iter().map(|region| (region.id, region.reaction)).collect(),
            work: self.work,
            strain: self.spectrum.strain,
            stiffening: self.spectrum.stiffening,
            happened: &self.happened,
            lineage: &self.lineage,
            followed: &self.followed,
            counts: self.counts,
            first_height: self.first_height,
            balanced: &self.balanced,
        };
        // Writing to memory fails only for types that cannot be written, which these can.
        postcard::to_stdvec(&written).unwrap_or_default()
    }

    fn from_read(read: Read) -> Result<Solid, String> {
        if read.version != VERSION {
            return Err(format!("it is of version {}, this program reads {VERSION}", read.version));
        }
        let (nodes, elements) = (read.mesh.point_count(), read.mesh.element_count());
        for (what, found, expected) in
            [("nodes", read.nodes.len(), nodes), ("materials of elements", read.material_of.len(), elements)]
        {
            if found != expected {
                return Err(format!("it has {found} {what}, but its mesh asks for {expected}"));
            }
        }
        for list in [&read.balanced.external, &read.balanced.reactions] {
            if !(list.is_empty() || list.len() == nodes)
                || !list.iter().all(|force| force.iter().all(|part| part.is_finite()))
            {
                return Err("its last equilibrium does not fit its nodes".to_owned());
            }
        }
        if elements == 0 {
            return Err("it has no elements".to_owned());
        }
        let numbers = [read.work, read.strain, read.stiffening];
        let placed = read.placement.to_homogeneous();
        let all = (read.nodes.iter().flatten().chain(&numbers).chain(placed.iter()))
            .chain(read.reactions.iter().flat_map(|(_, force)| force.iter()));
        if !all.into_iter().all(|number| number.is_finite()) || read.strain < 0.0 || read.stiffening < 0.0 {
            return Err("it holds numbers that are not finite".to_owned());
        }
        if !is_turn(&read.placement.rotation) {
            return Err("its placement is not a turn and a shift".to_owned());
        }
        if !(read.first_height > 0.0 && read.first_height.is_finite()) {
            return Err("its first elements had no height".to_owned());
        }
        let Read { mesh, material_of, materials, options, placement, first_height, .. } = read;
        let mut solid = Solid::at_rest(mesh, material_of, materials, options, placement, first_height)
            .map_err(|error| error.to_string())?;
        if read.flights.len() != solid.layout.islands.len() || !read.flights.iter().all(is_sound) {
            return Err("its flights do not fit its islands".to_owned());
        }
        for (node, [x, y, z, vx, vy, vz]) in solid.state.iter_mut().zip(read.nodes) {
            node.set_position(&Vec3::new(x, y, z));
            node.set_velocity(&Vec3::new(vx, vy, vz));
        }
        solid.prediction.clone_from(&solid.state);
        solid.flights = read.flights;
        if let Some(island) = (0..solid.flights.len()).find(|&island| !solid.flies_soundly(island)) {
            return Err(format!("the flight of its island {island} does not fit its nodes"));
        }
        solid.read_holds();
        solid.set_reactions(&read.reactions);
        solid.work = read.work;
        solid.spectrum.strain = read.strain;
        solid.spectrum.stiffening = read.stiffening;
        solid.happened = read.happened;
        let pieces = read.lineage.len();
        let known = solid.piece_labels().iter().all(|&piece| (piece as usize) < pieces);
        let born = |(piece, parent): (usize, &Option<u32>)| parent.is_none_or(|parent| (parent as usize) < piece);
        if !(known && read.lineage.iter().enumerate().all(born)) {
            return Err("its pieces do not fit their history".to_owned());
        }
        solid.lineage = read.lineage;
        solid.piece_numbers = (0..pieces as u32).collect();
        solid.piece_volumes.resize(pieces, 0.0);
        if read.followed.iter().any(|point| point.element as usize >= elements) {
            return Err("it follows a point of an element that it does not have".to_owned());
        }
        solid.followed = read.followed;
        solid.counts = read.counts;
        solid.balanced = read.balanced;
        Ok(solid)
    }
}

impl Solid {
    /// Whether a saved flight can be that of its nodes: as wide, and spinning no faster than a body at rest in itself may.
    fn flies_soundly(&self, island: usize) -> bool {
        let flight = &self.flights[island];
        let Some(rigid) = &flight.rigid else { return true };
        let center = rigid.frozen.translation.vector;
        let nodes = &self.state[self.layout.islands[island].nodes.clone()];
        let radius = nodes.iter().map(|node| (node.position() - center).norm()).fold(0.0, f64::max);
        let fastest = 2.0 * self.options.rest_strain.sqrt() * self.slowest_sound();
        (flight.radius - radius).abs() <= 1e-6 * radius && rigid.body.spin().norm() * radius <= fastest
    }
}

fn is_sound(flight: &Flight) -> bool {
    let body_is_sound = |body: &RigidBody| {
        let vectors = [body.inertia, body.position, body.velocity, body.angular_momentum];
        vectors
            .iter()
            .flat_map(|vector| vector.iter())
            .chain(body.orientation.coords.iter())
            .all(|number| number.is_finite())
            && is_turn(&body.orientation)
            && body.mass > 0.0
            && body.mass.is_finite()
    };
    flight.radius.is_finite()
        && flight.rigid.as_ref().is_none_or(|rigid| {
            body_is_sound(&rigid.body)
                && body_is_sound(&rigid.predicted)
                && is_turn(&rigid.frozen.rotation)
                && rigid.frozen.to_homogeneous().iter().all(|number| number.is_finite())
        })
}

fn is_turn(rotation: &Rotation) -> bool {
    (rotation.coords.norm_squared() - 1.0).abs() < 1e-6
}

/// Turns what [`Method::save`] gave back into a solid. Foreign bytes are refused with a reason.
pub fn load(bytes: &[u8]) -> Result<Box<dyn Method>, String> {
    let read: Read = postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
    Ok(Box::new(Solid::from_read(read)?))
}
