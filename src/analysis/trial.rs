//! Trials: elaborations whose diagnostics are dropped again, to learn what a term would be.

use std::collections::HashSet;

use super::analyzer::Analyzer;
use bouton_rules::FieldId;
use bouton_syntax::diag::Severity;

/// The reports at the beginning of a trial.
pub(super) struct Trial {
    diagnostics: usize,
    unknown_names: HashSet<String>,
    keyless_fields: HashSet<FieldId>,
}

impl Analyzer<'_> {
    /// Begins a trial; `None` in another one, since a trial in a trial would double the work at each level of a nested
    /// expression.
    pub(super) fn begin_trial(&mut self) -> Option<Trial> {
        if std::mem::replace(&mut self.is_on_trial, true) {
            return None;
        }
        Some(Trial {
            diagnostics: self.diagnostics.len(),
            unknown_names: self.unknown_names.clone(),
            keyless_fields: self.keyless_fields.clone(),
        })
    }

    /// Ends a trial: drops its diagnostics, and forgets what they were about, so that it is reported if it occurs again.
    /// Returns true if there were no errors.
    pub(super) fn end_trial(&mut self, trial: Trial) -> bool {
        self.is_on_trial = false;
        let mut own = self.diagnostics[trial.diagnostics..].iter();
        let is_sound = own.all(|found| found.severity() != Severity::Error);
        self.diagnostics.truncate(trial.diagnostics);
        self.unknown_names = trial.unknown_names;
        self.keyless_fields = trial.keyless_fields;
        is_sound
    }
}
