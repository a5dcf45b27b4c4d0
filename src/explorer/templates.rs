//! The templates of the editor: small complete games to change.

use serde::Serialize;

/// A template.
#[derive(Debug, Serialize)]
pub struct Template {
    pub name: &'static str,
    pub text: String,
}

/// The starter: a complete game of twenty lines that can be solved, with one of each common item.
const STARTER: &str = include_str!("templates/starter.bou");

/// The starter under a title.
pub fn starter(title: &str) -> String {
    STARTER.replace("TITLE", title)
}

/// The templates, in the order of the list.
pub fn templates() -> Vec<Template> {
    let own = [
        ("Stones in a row", include_str!("templates/row.bou")),
        ("Men that move", include_str!("templates/men.bou")),
        ("A puzzle", include_str!("templates/puzzle.bou")),
    ];
    let own = own.map(|(name, text)| Template { name, text: text.to_owned() });
    std::iter::once(Template { name: "A pile of stones", text: starter("My game") }).chain(own).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bouton_base::limits::{Limits, NoProgress};
    use bouton_driver::check::{CheckOptions, check};
    use bouton_driver::load::GameSource;

    #[test]
    fn templates_have_no_mistakes() {
        for Template { name, text } in templates() {
            let mut source = GameSource::from_string("rules.bou", &text);
            let limits = Limits::default();
            let report =
                check(&mut source, &CheckOptions { explore: 20_000, limits: &limits, progress: &NoProgress });
            let titles: Vec<&str> = report.diagnostics.iter().map(|found| found.title.as_str()).collect();
            assert_eq!(titles, [""; 0], "{name}");
        }
    }
}
