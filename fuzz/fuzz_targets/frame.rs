//! Frame files. See `craze_fuzz::frame`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = craze_fuzz::frame::try_bytes(bytes);
});
