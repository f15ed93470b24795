//! The Cutover service.
fn main() {}
