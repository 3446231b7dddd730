//! The program `craze`.
fn main() {}
