//! Saved bodies and worlds, damaged. See `craze_fuzz::body`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = craze_fuzz::body::try_bytes(bytes);
});
