//! Files on disk: reads the files of a game with their libraries and settings, and writes files atomically.
//!
//! *Invariant:* this crate knows neither how rules run nor how they are solved.

#![forbid(unsafe_code)]

pub mod files;
mod fixes;
mod rule_files;
mod settings;
#[cfg(test)]
mod tests;

pub use bouton_analysis::{Analysis, Definition, DefinitionKind, Index};
pub use rule_files::{
    LoadError, LoadRequest, RuleFiles, SettingsMark, UnsavedTexts, WordsError, are_settings_wrong,
    is_about_setting, is_rule_file, is_sheet, shell_quote, without_dots,
};
