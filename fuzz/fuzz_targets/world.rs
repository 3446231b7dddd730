//! Scenes that are built and moved. See `craze_fuzz::world`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = craze_fuzz::world::try_bytes(bytes);
});
