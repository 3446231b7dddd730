//! Updates of the layout after cracks: changed elements are written in place, new ones behind all
//! others, and a block without free slots is laid out again on its own.

use super::{BLOCK_ELEMENTS, BLOCK_NODES, Block, Chunk, Group, Layout, THINNESS_SHIFT, rest_of};
use crate::laws::THINNESSES;
use crate::tuning::{MAX_NODES_KEPT, NODES_PER_CHUNK, NODES_PER_NEW_BLOCK};
use craze_math::lanes::WIDTH;
use craze_mesh::TetMesh;

impl Layout {
    /// Updates the layout after edits that have changed these elements (ascending; new ones are
    /// behind all others) and only added nodes. Blocks keep their elements and nodes while they
    /// have free slots. Fails if something does not fit: then everything must be rebuilt.
    pub fn follow(
        &mut self,
        mesh: &TetMesh,
        changed: &[u32],
        laws: impl Fn(usize) -> u32,
        node_islands: &[u32],
    ) -> Result<(), ()> {
        for node in self.node_ranges.len()..mesh.point_count() {
            self.node_ranges.push([0, 0]);
            let island = node_islands[node] as usize;
            match self.chunks.last_mut() {
                Some(chunk) if chunk.island == island && chunk.nodes.len() < NODES_PER_CHUNK => chunk.nodes.end += 1,
                _ => self.chunks.push(Chunk { nodes: node..node + 1, island }),
            }
        }
        for &element in changed {
            let element = element as usize;
            let law = laws(element) as usize;
            let (thinness, law) = (law % THINNESSES, law - law % THINNESSES);
            let corners = mesh.elements()[element];
            let island = node_islands[corners[0] as usize] as usize;
            let last = self.blocks.len() - 1;
            let block = if element < self.blocks[last].elements.end {
                let block = self.blocks.partition_point(|block| block.elements.end <= element);
                if (self.blocks[block].law, self.blocks[block].island) != (law, island) {
                    return Err(());
                }
                block
            } else if element == self.blocks[last].elements.end {
                self.append(element, law, island)
            } else {
                return Err(());
            };
            let (block, numbers) = match self.numbers_in(block, corners) {
                Some(numbers) => (block, numbers),
                None => {
                    self.make_room(mesh, block);
                    let block = self.blocks.partition_point(|block| block.elements.end <= element);
                    (block, self.numbers_in(block, corners).ok_or(())?)
                }
            };
            self.write_lane(block, element, &rest_of(mesh, element).map_err(|_| ())?, numbers, thinness);
        }
        Ok(())
    }

    /// Removes nodes that a block no longer needs. If many are left, the block is divided. The
    /// corners of its elements are those of the changed mesh.
    pub(super) fn make_room(&mut self, mesh: &TetMesh, block: usize) {
        let Block { elements, groups, slots, room, law, island } = self.blocks[block].clone();
        for slot in slots {
            let node = self.slot_nodes[slot] as usize;
            let [start, end] = self.node_ranges[node];
            let list = &mut self.node_slots[start as usize..end as usize];
            if let Some(place) = list.iter().position(|&other| other as usize == slot) {
                list[place..].rotate_left(1);
                self.node_ranges[node][1] -= 1;
            }
        }
        // Parts begin with whole groups, so that no group has to move; their nodes, ascending.
        let mut parts: Vec<(usize, Vec<u32>)> = Vec::new();
        for first in elements.clone().step_by(WIDTH) {
            let group = &mesh.elements()[first..(first + WIDTH).min(elements.end)];
            if parts.last().is_none_or(|(_, nodes)| nodes.len() + 4 * WIDTH > MAX_NODES_KEPT) {
                parts.push((first, Vec::with_capacity(MAX_NODES_KEPT)));
            }
            let Some((_, nodes)) = parts.last_mut() else { continue };
            for &node in group.iter().flatten() {
                if let Err(place) = nodes.binary_search(&node) {
                    nodes.insert(place, node);
                }
            }
        }
        let added = (parts.len() - 1) * BLOCK_NODES;
        if added > 0 {
            self.slot_nodes.splice(room.end..room.end, std::iter::repeat_n(0, added));
            self.node_slots
                .iter_mut()
                .filter(|slot| **slot as usize >= room.end)
                .for_each(|slot| *slot += added as u32);
            for later in &mut self.blocks[block + 1..] {
                later.slots = later.slots.start + added..later.slots.end + added;
                later.room = later.room.start + added..later.room.end + added;
            }
        }
        let ends = parts.iter().skip(1).map(|part| part.0).chain([elements.end]);
        let made = parts.iter().zip(ends).enumerate().map(|(number, ((first, nodes), end))| {
            let start = room.start + number * BLOCK_NODES;
            let before = (first - elements.start) / WIDTH;
            Block {
                elements: *first..end,
                groups: groups.start + before..groups.start + before + (end - first).div_ceil(WIDTH),
                slots: start..start + nodes.len(),
                room: start..start + BLOCK_NODES,
                law,
                island,
            }
        });
        self.blocks.splice(block..=block, made);
        for (number, (_, nodes)) in parts.iter().enumerate() {
            self.write_corners(mesh, block + number, nodes);
        }
    }

    /// Assigns these nodes (ascending) to a block, and writes the corners of its elements.
    fn write_corners(&mut self, mesh: &TetMesh, block: usize, nodes: &[u32]) {
        let Block { elements, groups, slots, .. } = self.blocks[block].clone();
        for (slot, &node) in slots.zip(nodes) {
            self.slot_nodes[slot] = node;
            self.list_slot(node, slot as u32);
        }
        let mut last = 0;
        for (place, lane) in self.groups[groups].iter_mut().flat_map(|group| &mut group.corners).enumerate() {
            if let Some(corners) = mesh.elements().get(elements.start + place).filter(|_| place < elements.len()) {
                last = *lane >> THINNESS_SHIFT << THINNESS_SHIFT;
                for (corner, node) in corners.iter().enumerate() {
                    last |= (nodes.partition_point(|other| other < node) as u64) << (16 * corner);
                }
            }
            // Unused lanes of the last group have the shape of the last element.
            *lane = last;
        }
    }

    /// Local nodes of these nodes in a block, which are added to it if necessary; `None` without
    /// free slots.
    fn numbers_in(&mut self, block: usize, nodes: [u32; 4]) -> Option<[u16; 4]> {
        let mut numbers = [0; 4];
        for (number, node) in numbers.iter_mut().zip(nodes) {
            *number = self.number_in(block, node)?;
        }
        Some(numbers)
    }

    /// Appends an element to the last block, or to a new one behind it.
    fn append(&mut self, element: usize, law: usize, island: usize) -> usize {
        let last = self.blocks.len() - 1;
        let block = &mut self.blocks[last];
        let has_room = block.elements.len() < BLOCK_ELEMENTS && block.slots.len() + 4 <= NODES_PER_NEW_BLOCK;
        if (block.law, block.island) == (law, island) && has_room {
            if block.elements.len().is_multiple_of(WIDTH) {
                block.groups.end += 1;
                self.groups.push(Group::EMPTY);
            }
            block.elements.end += 1;
            return last;
        }
        let (slot, group) = (self.slot_nodes.len(), self.groups.len());
        self.slot_nodes.resize(slot + BLOCK_NODES, 0);
        self.groups.push(Group::EMPTY);
        self.blocks.push(Block {
            elements: element..element + 1,
            groups: group..group + 1,
            slots: slot..slot,
            room: slot..slot + BLOCK_NODES,
            law,
            island,
        });
        last + 1
    }

    /// Local node of a node in a block, to which it is added if there is a free slot.
    pub(super) fn number_in(&mut self, block: usize, node: u32) -> Option<u16> {
        let Block { slots, room, .. } = &mut self.blocks[block];
        let [start, end] = self.node_ranges[node as usize].map(|at| at as usize);
        if let Some(&slot) = self.node_slots[start..end].iter().find(|&&slot| slots.contains(&(slot as usize))) {
            return Some((slot as usize - slots.start) as u16);
        }
        if slots.end == room.end {
            return None;
        }
        let slot = slots.end as u32;
        slots.end += 1;
        self.slot_nodes[slot as usize] = node;
        self.list_slot(node, slot);
        Some((slot as usize - self.blocks[block].slots.start) as u16)
    }

    /// Adds a slot to those of a node.
    fn list_slot(&mut self, node: u32, slot: u32) {
        let [start, end] = self.node_ranges[node as usize].map(|at| at as usize);
        // The list moves to where it can grow; its old place is lost until everything is rebuilt.
        let first = self.node_slots.len() as u32;
        self.node_slots.extend_from_within(start..end);
        self.node_slots.push(slot);
        self.node_slots[first as usize..].sort_unstable();
        self.node_ranges[node as usize] = [first, self.node_slots.len() as u32];
    }
}
