//! Replays the seeds of the fuzz targets (docs/fuzzing.md).

#[path = "../../../fuzz/src/model.rs"]
mod model;
#[path = "../../../fuzz/src/replay.rs"]
mod replay;
#[path = "../../../fuzz/src/tetrahedra.rs"]
mod tetrahedra;

#[test]
fn seeds_of_obj_files_are_read_or_refused() {
    replay::replay("obj", model::try_obj);
}

#[test]
fn seeds_of_gmsh_files_are_read_or_refused() {
    replay::replay("gmsh", tetrahedra::try_gmsh);
}

#[test]
fn seeds_of_medit_files_are_read_or_refused() {
    replay::replay("medit", tetrahedra::try_medit);
}

#[test]
fn seeds_of_grids_of_vtk_are_read_or_refused() {
    replay::replay("vtu", tetrahedra::try_vtu);
}

#[test]
fn seeds_of_pairs_of_tetgen_are_read_or_refused() {
    replay::replay("tetgen", tetrahedra::try_tetgen);
}

#[test]
fn seeds_of_stl_files_are_read_or_refused() {
    replay::replay("stl", model::try_stl);
}

#[test]
fn seeds_of_ply_files_are_read_or_refused() {
    replay::replay("ply", model::try_ply);
}

#[test]
fn seeds_of_off_files_are_read_or_refused() {
    replay::replay("off", model::try_off);
}

#[test]
fn seeds_of_gltf_files_are_read_or_refused() {
    replay::replay("gltf", model::try_gltf);
}
