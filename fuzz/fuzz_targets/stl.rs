//! STL files. See `craze_fuzz::model`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = craze_fuzz::model::try_stl(bytes);
});
