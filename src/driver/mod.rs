//! Floor 14: wires the stages together; here the environment (files, time) enters. No terminal.

pub mod files;
