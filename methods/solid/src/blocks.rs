//! Memory layout of the elements: blocks of about a thousand whose forces are summed separately.
//!
//! A step is limited by memory bandwidth and by the sums at shared nodes. Elements are ordered
//! along a Morton curve, so that a block has few nodes (about 300 per thousand elements); it copies
//! their records into the first-level cache, sums its forces there, and writes one partial sum per
//! node. The partial sums of a node are then added in the order of their blocks, which makes the
//! result independent of threads.

use crate::laws::THINNESSES;
use crate::parallel::Span;
use crate::tuning::{NODES_PER_CHUNK, NODES_PER_NEW_BLOCK};
use craze_body::Node;
use craze_element::Tetrahedron;
use craze_math::lanes::WIDTH;
use craze_math::{DisjointSets, Vec3};
use craze_mesh::{Order, TetMesh, morton_order};
use std::ops::Range;

/// Elements per block, at most.
pub(crate) const BLOCK_ELEMENTS: usize = 1024;

/// Nodes per block, at most: a power of two, so that local indices can be masked into range.
pub(crate) const BLOCK_NODES: usize = 1024;

/// Constants of eight elements, one per lane.
#[repr(C, align(64))]
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// Entry (row, column) of the inverse edge matrices (1/m) at 3·row + column.
    pub inverse_edges: [[f64; WIDTH]; 9],
    /// Rest volumes (m³); 0 in unused lanes of the last group of a block.
    pub volume: [f64; WIDTH],
    /// Local node of each corner: four times sixteen bits per lane, the first corner lowest. The
    /// two highest bits are the thinness of the element; see [`laws`](crate::laws).
    pub corners: [u64; WIDTH],
}

impl Group {
    const EMPTY: Group = Group { inverse_edges: [[0.0; WIDTH]; 9], volume: [0.0; WIDTH], corners: [0; WIDTH] };

    /// Share of the material's viscosity that the elements have: ¼ to the power of their thinness.
    #[inline(always)]
    pub fn viscosities(&self) -> [f64; WIDTH] {
        // Powers of two, written as exponents.
        self.corners.map(|corners| f64::from_bits((1023 - 2 * (corners >> THINNESS_SHIFT)) << 52))
    }
}

/// Position of the thinness in a lane's corners.
const THINNESS_SHIFT: u32 = 62;

/// Local node of a corner.
#[inline(always)]
pub(crate) fn local_node(corners: u64, corner: usize) -> usize {
    // The mask does not change the value, but lets the compiler drop bounds checks.
    (corners >> (16 * corner)) as usize & (BLOCK_NODES - 1)
}

/// Elements of one law and one island.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// Range of its elements.
    pub elements: Range<usize>,
    /// Range of its groups.
    pub groups: Range<usize>,
    /// Range of its nodes and of its partial sums.
    pub slots: Range<usize>,
    /// Range of its slots, including those reserved for nodes that cracks add.
    pub room: Range<usize>,
    /// Law of its material.
    pub law: usize,
    /// Its island.
    pub island: usize,
}

impl Span for Block {
    fn span(&self) -> Range<usize> {
        self.room.clone()
    }
}

/// Consecutive nodes of one island.
#[derive(Clone, Debug)]
pub(crate) struct Chunk {
    pub nodes: Range<usize>,
    pub island: usize,
}

impl Span for Chunk {
    fn span(&self) -> Range<usize> {
        self.nodes.clone()
    }
}

/// Component connected through nodes at the last frame boundary, which moves on its own: one piece,
/// or several that still touched in a node. Cracks may have divided it since; it becomes several
/// islands at the next boundary.
#[derive(Clone, Debug)]
pub(crate) struct Island {
    /// Its nodes at that boundary. Nodes that cracks have added are behind all islands.
    pub nodes: Range<usize>,
    /// Its elements at that boundary.
    pub elements: Range<usize>,
    /// Label of the piece of its first element, see [`craze_body::pieces`].
    pub piece: u32,
}

/// Blocks, chunks and islands, and the slots of nodes.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub groups: Vec<Group>,
    pub blocks: Vec<Block>,
    pub chunks: Vec<Chunk>,
    pub islands: Vec<Island>,
    /// The node of each slot.
    pub slot_nodes: Vec<u32>,
    /// Start and end of each node's entries in `node_slots`.
    pub node_ranges: Vec<[u32; 2]>,
    /// The slots of each node in ascending order.
    pub node_slots: Vec<u32>,
}

/// Renumbers a mesh for speed: nodes and elements by island, elements further by material, then
/// along a Morton curve. `material` is reordered, too.
pub(crate) fn order_for_speed(mesh: &mut TetMesh, material: &mut Vec<u32>) -> Result<Order, String> {
    let islands = islands_of_nodes(mesh);
    let mut order = morton_order(mesh.positions(), mesh.elements());
    // Stable sorts keep the order of the curve among equals.
    order.points.sort_by_key(|&node| islands[node as usize]);
    order.elements.sort_by_key(|&element| {
        let first = mesh.elements()[element as usize][0];
        (islands[first as usize], material[element as usize])
    });
    mesh.renumber(&order).map_err(|error| error.to_string())?;
    order.apply_to_elements(material);
    Ok(order)
}

/// The island of each node, numbered by their lowest nodes.
pub(crate) fn islands_of_nodes(mesh: &TetMesh) -> Vec<u32> {
    let mut islands = DisjointSets::new(mesh.point_count());
    for corners in mesh.elements() {
        for &corner in &corners[1..] {
            islands.join(corners[0], corner);
        }
    }
    islands.numbered().0
}

impl Layout {
    /// Divides a mesh into blocks and chunks: ranges of elements and nodes of one island. The
    /// result depends on the arguments alone, so that a loaded body has the same blocks. `laws` and
    /// `pieces` are the law, including thinness, and the piece of each element. Fails for an
    /// element whose rest shape is too flat, or an order that does not begin with whole islands.
    pub fn build(mesh: &TetMesh, laws: &[u32], node_islands: &[u32], pieces: &[u32]) -> Result<Layout, LayoutError> {
        Layout::build_of(mesh, |element| laws[element], |element| rest_of(mesh, element), node_islands, pieces)
    }

    /// The layout after these elements (ascending) have changed; new ones are behind all others.
    /// Constants of unchanged elements are copied from this layout.
    pub fn rebuild(
        &self,
        mesh: &TetMesh,
        changed: &[u32],
        laws: impl Fn(usize) -> u32,
        node_islands: &[u32],
        pieces: &[u32],
    ) -> Result<Layout, LayoutError> {
        let known = self.blocks.last().map_or(0, |block| block.elements.end);
        let has_changed = |element: usize| element >= known || changed.binary_search(&(element as u32)).is_ok();
        let law = |element: usize| match has_changed(element) {
            true => laws(element),
            false => self.law(self.block_of(element), element) as u32,
        };
        let rest = |element: usize| match has_changed(element) {
            true => rest_of(mesh, element),
            false => Ok(self.rest(self.block_of(element), element)),
        };
        Layout::build_of(mesh, law, rest, node_islands, pieces)
    }

    fn build_of(
        mesh: &TetMesh,
        law: impl Fn(usize) -> u32,
        rest: impl Fn(usize) -> Result<Tetrahedron, LayoutError>,
        node_islands: &[u32],
        pieces: &[u32],
    ) -> Result<Layout, LayoutError> {
        let island_of = |element: usize| node_islands[mesh.elements()[element][0] as usize];
        let mut layout = Layout {
            // Capacity for elements that cracks add: otherwise all groups would move when the first
            // one comes.
            groups: Vec::with_capacity(mesh.element_count() / WIDTH * 9 / 8 + 64),
            blocks: Vec::new(),
            chunks: Vec::new(),
            islands: Vec::new(),
            slot_nodes: Vec::new(),
            node_ranges: Vec::new(),
            node_slots: Vec::new(),
        };
        let mut local = vec![u16::MAX; mesh.point_count()];
        let mut start = 0;
        while start < mesh.element_count() {
            start = layout.add_block(mesh, start, |element| (island_of(element), law(element)), &rest, &mut local)?;
        }
        layout.add_islands(node_islands, pieces)?;
        layout.sort_slots(mesh.point_count());
        Ok(layout)
    }

    /// Creates one block that begins with element `start`; returns the first element behind it.
    fn add_block(
        &mut self,
        mesh: &TetMesh,
        start: usize,
        kind: impl Fn(usize) -> (u32, u32),
        rest: impl Fn(usize) -> Result<Tetrahedron, LayoutError>,
        local: &mut [u16],
    ) -> Result<usize, LayoutError> {
        let first_slot = self.slot_nodes.len();
        let first_group = self.groups.len();
        let (island, law) = kind(start);
        let law = law as usize / THINNESSES;
        let mut thinnesses = Vec::with_capacity(BLOCK_ELEMENTS);
        let mut end = start;
        while end < mesh.element_count() && end - start < BLOCK_ELEMENTS {
            let (other_island, other_law) = kind(end);
            if other_island != island || other_law as usize / THINNESSES != law {
                break;
            }
            let corners = mesh.elements()[end];
            let count = self.slot_nodes.len() - first_slot;
            let fresh = corners.iter().filter(|&&corner| local[corner as usize] == u16::MAX).count();
            if count + fresh > NODES_PER_NEW_BLOCK {
                break;
            }
            for corner in corners {
                if local[corner as usize] == u16::MAX {
                    local[corner as usize] = 0;
                    self.slot_nodes.push(corner);
                }
            }
            thinnesses.push(other_law as usize % THINNESSES);
            end += 1;
        }
        // In the order of nodes, so that both passes go through memory in one direction.
        self.slot_nodes[first_slot..].sort_unstable();
        for (number, &node) in self.slot_nodes[first_slot..].iter().enumerate() {
            local[node as usize] = number as u16;
        }
        let slots = first_slot..self.slot_nodes.len();
        // Reserved slots of blocks that cannot break cost nothing: untouched memory takes no space.
        let room = first_slot..first_slot + BLOCK_NODES;
        let count = (end - start).div_ceil(WIDTH);
        self.groups.resize(first_group + count, Group::EMPTY);
        let groups = first_group..first_group + count;
        let elements = start..end;
        self.blocks.push(Block { elements, groups, slots, room, law: law * THINNESSES, island: island as usize });
        for (element, thinness) in (start..end).zip(thinnesses) {
            let numbers = mesh.elements()[element].map(|node| local[node as usize]);
            self.write_lane(self.blocks.len() - 1, element, &rest(element)?, numbers, thinness);
        }
        for &node in &self.slot_nodes[first_slot..] {
            local[node as usize] = u16::MAX;
        }
        let room = self.blocks[self.blocks.len() - 1].room.end;
        self.slot_nodes.resize(room, 0);
        Ok(end)
    }

    /// Writes the constants of an element of a block, whose corners have these local nodes. Unused
    /// lanes of the last group get the shape of the last element, and no volume.
    fn write_lane(&mut self, block: usize, element: usize, rest: &Tetrahedron, numbers: [u16; 4], thinness: usize) {
        let Block { elements, groups, .. } = &self.blocks[block];
        let place = element - elements.start;
        let last = if element + 1 == elements.end { WIDTH - 1 } else { place % WIDTH };
        let group = &mut self.groups[groups.start + place / WIDTH];
        for lane in place % WIDTH..=last {
            for entry in 0..9 {
                group.inverse_edges[entry][lane] = rest.inverse_edges[(entry / 3, entry % 3)];
            }
            group.volume[lane] = if lane == place % WIDTH { rest.volume } else { 0.0 };
            group.corners[lane] = (thinness as u64) << THINNESS_SHIFT;
            for (corner, number) in numbers.iter().enumerate() {
                group.corners[lane] |= u64::from(*number) << (16 * corner);
            }
        }
    }

    fn add_islands(&mut self, node_islands: &[u32], pieces: &[u32]) -> Result<(), LayoutError> {
        let mut start = 0;
        for run in node_islands.chunk_by(|one, other| one == other) {
            let (island, nodes) = (run[0] as usize, start..start + run.len());
            start = nodes.end;
            for first in nodes.clone().step_by(NODES_PER_CHUNK) {
                self.chunks.push(Chunk { nodes: first..(first + NODES_PER_CHUNK).min(nodes.end), island });
            }
            if island == self.islands.len() {
                self.islands.push(Island { nodes, elements: 0..0, piece: 0 });
            } else if island > self.islands.len() {
                return Err(LayoutError::NotOrdered);
            }
        }
        let mut blocks = 0;
        for (number, island) in self.islands.iter_mut().enumerate() {
            let first = blocks;
            while blocks < self.blocks.len() && self.blocks[blocks].island == number {
                blocks += 1;
            }
            if first == blocks {
                return Err(LayoutError::NotOrdered);
            }
            island.elements = self.blocks[first].elements.start..self.blocks[blocks - 1].elements.end;
            island.piece = pieces[island.elements.start];
        }
        Ok(())
    }

    fn sort_slots(&mut self, nodes: usize) {
        let mut next = vec![0; nodes];
        for block in &self.blocks {
            self.slot_nodes[block.slots.clone()].iter().for_each(|&node| next[node as usize] += 1);
        }
        let mut sum = 0;
        self.node_ranges.clear();
        for next in &mut next {
            self.node_ranges.push([sum, sum + *next]);
            sum += std::mem::replace(next, sum);
        }
        self.node_slots = vec![0; sum as usize];
        for block in &self.blocks {
            for slot in block.slots.clone() {
                let next = &mut next[self.slot_nodes[slot] as usize];
                self.node_slots[*next as usize] = slot as u32;
                *next += 1;
            }
        }
    }

    /// The slots of a node.
    #[inline(always)]
    pub fn slots_of(&self, node: usize) -> &[u32] {
        let [start, end] = self.node_ranges[node];
        &self.node_slots[start as usize..end as usize]
    }

    /// The island of a node.
    pub fn island_of_node(&self, node: usize) -> usize {
        self.chunks[self.chunk_of_node(node)].island
    }

    /// The chunk of a node.
    pub fn chunk_of_node(&self, node: usize) -> usize {
        self.chunks.partition_point(|chunk| chunk.nodes.end <= node)
    }

    /// The rest shape of an element, from the constants of its group.
    pub fn rest(&self, block: &Block, element: usize) -> Tetrahedron {
        let place = element - block.elements.start;
        let (group, lane) = (&self.groups[block.groups.start + place / WIDTH], place % WIDTH);
        let entry = |at: usize| group.inverse_edges[at][lane];
        Tetrahedron {
            inverse_edges: craze_math::Mat3::new(
                entry(0),
                entry(1),
                entry(2),
                entry(3),
                entry(4),
                entry(5),
                entry(6),
                entry(7),
                entry(8),
            ),
            volume: group.volume[lane],
        }
    }

    /// The law of an element: that of its material, by its thinness.
    pub fn law(&self, block: &Block, element: usize) -> usize {
        let place = element - block.elements.start;
        let corners = self.groups[block.groups.start + place / WIDTH].corners[place % WIDTH];
        block.law + (corners >> THINNESS_SHIFT) as usize
    }

    /// The block of an element.
    pub fn block_of(&self, element: usize) -> &Block {
        &self.blocks[self.blocks.partition_point(|block| block.elements.end <= element)]
    }

    /// Memory (bytes).
    pub fn bytes(&self) -> usize {
        self.groups.capacity() * size_of::<Group>()
            + self.blocks.capacity() * size_of::<Block>()
            + self.chunks.capacity() * size_of::<Chunk>()
            + (self.slot_nodes.capacity() + self.node_slots.capacity() + 2 * self.node_ranges.capacity()) * 4
    }
}

/// Why a mesh cannot be laid out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum LayoutError {
    /// Elements or nodes are not ordered by islands.
    NotOrdered,
    /// An element whose volume is zero to rounding.
    Flat { element: u32, place: Vec3 },
}

/// The rest shape of an element of a mesh.
fn rest_of(mesh: &TetMesh, element: usize) -> Result<Tetrahedron, LayoutError> {
    let places = mesh.elements()[element].map(|corner| mesh.positions()[corner as usize]);
    let flat = || LayoutError::Flat { element: element as u32, place: places.iter().sum::<Vec3>() / 4.0 };
    Tetrahedron::new(&places).ok_or_else(flat)
}

/// Positions (m) of an element's corners.
#[inline]
pub(crate) fn corners_of(nodes: &[Node], corners: &[u32; 4]) -> [Vec3; 4] {
    corners.map(|corner| nodes[corner as usize].position())
}

/// Velocities (m/s) of an element's corners.
#[inline]
pub(crate) fn velocities_of(nodes: &[Node], corners: &[u32; 4]) -> [Vec3; 4] {
    corners.map(|corner| nodes[corner as usize].velocity())
}

mod follow;
#[cfg(test)]
mod tests;
