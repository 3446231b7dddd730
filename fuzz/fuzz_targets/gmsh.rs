//! Gmsh files. See `craze_fuzz::tetrahedra`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = craze_fuzz::tetrahedra::try_gmsh(bytes);
});
