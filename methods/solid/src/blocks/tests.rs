use super::*;
use crate::laws::laws_of_elements;
use craze_mesh::kuhn_box;

fn layout(mesh: &TetMesh, material: &[u32]) -> Layout {
    Layout::build(
        mesh,
        &laws_of_elements(mesh, material, &[0.0; 8]),
        &islands_of_nodes(mesh),
        &mesh.pieces().of_element,
    )
    .unwrap()
}

#[test]
fn every_element_stands_in_one_block_and_every_slot_is_listed_once() {
    let mut mesh = kuhn_box([9, 8, 7], Vec3::new(0.9, 0.8, 0.7)).unwrap();
    let mut material: Vec<u32> = (0..mesh.element_count() as u32).map(|element| element / 1500).collect();
    order_for_speed(&mut mesh, &mut material).unwrap();
    let mut layout = layout(&mesh, &material);
    check(&layout, &mesh, &material);
    // A block that has taken in nodes which it does not need.
    let needed = layout.blocks[2].slots.len();
    for node in 0..mesh.point_count() as u32 {
        layout.number_in(2, node).unwrap();
    }
    assert!(layout.blocks[2].slots.len() > needed);
    layout.make_room(&mesh, 2);
    assert_eq!(layout.blocks[2].slots.len(), needed);
    check(&layout, &mesh, &material);
}

#[test]
fn a_block_of_too_many_nodes_becomes_several() {
    // Tetrahedra that share nothing but the island that they are said to be.
    let corners = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
    let count = 404;
    let positions = (0..count).flat_map(|at| corners.map(|corner| corner + 2.0 * f64::from(at) * Vec3::x())).collect();
    let elements = (0..count as u32).map(|at| [0, 1, 2, 3].map(|corner| 4 * at + corner)).collect();
    let mesh = TetMesh::from_parts(positions, elements).unwrap();
    let material = vec![0; mesh.element_count()];
    let together = vec![0; mesh.point_count()];
    let laws = laws_of_elements(&mesh, &material, &[0.0; 8]);
    let mut layout = Layout::build(&mesh, &laws, &together, &material).unwrap();
    let blocks = layout.blocks.len();
    // One block more than fits.
    let [first, second, third] = [0, 1, 2].map(|block: usize| layout.blocks[block].clone());
    assert!(first.slots.len() > 300 && second.elements.len().is_multiple_of(WIDTH));
    let all = Block {
        elements: first.elements.start..third.elements.end,
        groups: first.groups.start..third.groups.end,
        ..first
    };
    layout.blocks.splice(0..3, [all]);
    let removed = 2 * BLOCK_NODES;
    layout.slot_nodes.drain(BLOCK_NODES..BLOCK_NODES + removed);
    for later in &mut layout.blocks[1..] {
        later.slots = later.slots.start - removed..later.slots.end - removed;
        later.room = later.room.start - removed..later.room.end - removed;
    }
    layout.sort_slots(mesh.point_count());
    layout.make_room(&mesh, 0);
    assert!(layout.blocks.len() == blocks - 1, "two of three");
    check(&layout, &mesh, &material);
}

fn check(layout: &Layout, mesh: &TetMesh, material: &[u32]) {
    let laws = laws_of_elements(mesh, material, &[0.0; 8]);
    let mut next = 0;
    for block in &layout.blocks {
        assert_eq!(block.elements.start, next);
        next = block.elements.end;
        for element in block.elements.clone() {
            assert_eq!(laws[element] as usize, layout.law(block, element));
            let place = element - block.elements.start;
            let group = &layout.groups[block.groups.start + place / WIDTH];
            for corner in 0..4 {
                let local = local_node(group.corners[place % WIDTH], corner);
                assert_eq!(layout.slot_nodes[block.slots.start + local], mesh.elements()[element][corner]);
            }
        }
    }
    assert_eq!(next, mesh.element_count());
    let mut seen = vec![false; layout.slot_nodes.len()];
    for node in 0..mesh.point_count() {
        assert!(layout.slots_of(node).is_sorted());
        for &slot in layout.slots_of(node) {
            assert_eq!(layout.slot_nodes[slot as usize] as usize, node);
            assert!(!std::mem::replace(&mut seen[slot as usize], true));
        }
    }
    for block in &layout.blocks {
        assert!(seen[block.slots.clone()].iter().all(|&seen| seen));
        assert!(seen[block.slots.end..block.room.end].iter().all(|&seen| !seen));
    }
}

#[test]
fn bodies_that_do_not_touch_are_islands() {
    let one = kuhn_box([2, 2, 2], Vec3::repeat(1.0)).unwrap();
    let mut positions = one.positions().to_vec();
    let mut elements = one.elements().to_vec();
    positions.extend(one.positions().iter().map(|place| place + Vec3::new(0.3, 0.2, 5.0)));
    elements.extend(one.elements().iter().map(|corners| corners.map(|corner| corner + 27)));
    let mut mesh = TetMesh::from_parts(positions, elements).unwrap();
    let mut material = vec![0; mesh.element_count()];
    order_for_speed(&mut mesh, &mut material).unwrap();
    let layout = layout(&mesh, &material);
    assert_eq!(layout.islands.len(), 2);
    assert_eq!(layout.islands[1].nodes, 27..54);
    assert_eq!(layout.islands[1].elements, 48..96);
    assert_eq!((layout.island_of_node(26), layout.island_of_node(27)), (0, 1));
}
