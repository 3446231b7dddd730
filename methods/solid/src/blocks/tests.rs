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
    let layout = layout(&mesh, &material);
    let mut next = 0;
    for block in &layout.blocks {
        assert_eq!(block.elements.start, next);
        next = block.elements.end;
        for element in block.elements.clone() {
            assert_eq!(laws_of_elements(&mesh, &material, &[0.0; 8])[element] as usize, layout.law(block, element));
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
