//! Wires the stages together and brings in the environment (files, time). It knows no terminal.

#![forbid(unsafe_code)]

mod agreement;
pub mod bench;
pub mod budget;
pub mod check;
mod condition_values;
pub mod dump;
mod effect_cases;
pub mod estimate;
pub mod excluded_moves;
pub mod faults;
pub mod gdl_import;
pub mod ggp;
mod key_bounds;
mod later_stages;
pub mod load;
mod none_terms;
mod one_of;
pub mod orbits;
mod out_of_range;
pub mod parametric;
mod passed_goals;
pub mod planner;
pub mod play;
mod portfolio;
pub mod position;
pub mod proof;
pub mod rendering;
mod repeated_effects;
pub mod report;
pub mod row_periods;
mod set_terms;
mod sheet_clauses;
pub mod size;
pub mod solvers;
pub mod strategy;
mod strong_guards;
mod stuck;
mod stuck_causes;
pub mod table;
pub mod table_file;
pub mod test;
mod tried_guards;
mod undefined_steps;
mod undefined_terms;
mod weights;
mod wrong_signs;
mod wrong_turn;

pub use bouton_project::files;
