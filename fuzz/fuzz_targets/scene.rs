//! Scene files and --set flags. See `craze_fuzz::scene`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = craze_fuzz::scene::try_bytes(bytes);
});
