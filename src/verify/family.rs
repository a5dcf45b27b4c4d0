//! The rules of a file as a family over the values of its parameters.

use std::cell::RefCell;
use std::sync::Arc;

use bouton_checker::{FamilyError, RulesFamily};
use bouton_project::RuleFiles;
use bouton_rules::parametric::ParametricRules;
use bouton_rules::{Rules, Value};

/// A family of rules for the checker: a source with some parameters set, and all others as they are.
pub struct SourceFamily<'t> {
    files: RefCell<&'t mut RuleFiles>,
    rules: Rules,
    /// All parameters with their values as written; settings replace them.
    params: Vec<(String, String)>,
    numbers: Vec<(String, i64)>,
}

impl<'t> SourceFamily<'t> {
    /// The family of a source with the parameter values of `rules`.
    pub fn new(files: &'t mut RuleFiles, rules: &Rules) -> SourceFamily<'t> {
        let number = |(name, value): &(String, Value)| match value {
            Value::Int(number) => Some((name.clone(), *number)),
            _ => None,
        };
        SourceFamily {
            files: RefCell::new(files),
            rules: rules.clone(),
            params: rules.params.iter().map(|(name, value)| (name.clone(), rules.show(value))).collect(),
            numbers: rules.params.iter().filter_map(number).collect(),
        }
    }
}

impl RulesFamily for SourceFamily<'_> {
    fn rules(&self, param: &str, value: i64) -> Result<Arc<Rules>, FamilyError> {
        self.instance(&[format!("{param}={value}")])
    }

    fn instance(&self, settings: &[String]) -> Result<Arc<Rules>, FamilyError> {
        let given = |name: &str| settings.iter().any(|setting| setting.split('=').next() == Some(name));
        let others = self.params.iter().filter(|(name, _)| !given(name));
        let mut all: Vec<String> = others.map(|(name, value)| format!("{name}={value}")).collect();
        all.extend_from_slice(settings);
        let mut files = self.files.borrow_mut();
        files.rules_with(&all).map(Arc::new).ok_or_else(|| FamilyError("the rules have errors".into()))
    }

    fn schema(&self, free: &[String]) -> Result<ParametricRules, FamilyError> {
        let schema = self.files.borrow().schema(&self.rules, free);
        schema.map_err(|refusal| FamilyError(refusal.to_string()))
    }

    fn window(&self, param: &str) -> Result<u32, FamilyError> {
        let others: Vec<(String, i64)> =
            self.numbers.iter().filter(|(name, _)| name != param).cloned().collect();
        let window = self.files.borrow().window(param, &others);
        window.map_err(|error| FamilyError(error.to_string()))
    }
}
