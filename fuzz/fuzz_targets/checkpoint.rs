//! Checkpoint files. See `craze_fuzz::checkpoint`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = craze_fuzz::checkpoint::try_bytes(bytes);
});
