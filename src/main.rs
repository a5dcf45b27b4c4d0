//! The binary `bouton`.

fn main() {}
