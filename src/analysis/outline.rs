//! The outline of a file: the facts about its items that need no analysis, as data without a syntax tree.

use bouton_base::source::Span;
use bouton_rules::{Rules, TestStep};
use bouton_syntax::ast::{self, Item, ItemKind};

use crate::schema;

/// The outline of a file, or of rules that no text contains.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// True if the file declares a game; others are libraries.
    pub is_game: bool,
    /// The span of the first item.
    pub first_item: Option<Span>,
    /// The names of the presets.
    pub presets: Vec<String>,
    /// The players by name, with the spans of their names.
    pub players: Vec<(String, Span)>,
    /// The parameters by name, with the spans of their types.
    pub params: Vec<(String, Span)>,
    /// The number of groups of claims: the distinct `with` lists of expectations and tests. The first is the empty list.
    pub groups: usize,
    /// The settings of each group, as written: `n = 3, k = 1`.
    pub group_settings: Vec<String>,
    /// The tests by name, with the index of the group of each.
    pub tests: Vec<(String, usize)>,
    /// The spans of the expectations and tests.
    pub claims: Vec<Span>,
    /// The paths of the libraries that the file uses.
    pub libraries: Vec<String>,
    /// The parameters that may stay symbolic: integers, and lists of them.
    pub symbolic_params: Vec<String>,
}

impl Outline {
    /// Reads the outline off a syntax tree.
    pub fn of_file(file: &ast::File) -> Outline {
        let groups = groups(file);
        let mut outline = Outline {
            first_item: file.items.first().map(|item| item.span),
            groups: groups.len(),
            group_settings: groups.iter().map(|group| group.text.clone()).collect(),
            symbolic_params: schema::candidates(file),
            ..Outline::default()
        };
        for item in &file.items {
            match &item.kind {
                ItemKind::Game(_) => outline.is_game = true,
                ItemKind::Preset { name, .. } => outline.presets.push(name.text.clone()),
                ItemKind::Param { name, ty, .. } => outline.params.push((name.text.clone(), ty.span)),
                ItemKind::Players(names) => {
                    outline.players.extend(names.iter().map(|name| (name.text.clone(), name.span)));
                }
                ItemKind::Use { path, .. } => outline.libraries.push(path.text.clone()),
                ItemKind::Test(test) => {
                    let text = settings_text(&test.settings);
                    let group = groups.iter().position(|group| group.text == text).unwrap_or(0);
                    outline.tests.push((test.name.text.clone(), group));
                }
                _ => {}
            }
            if claim_settings(item).is_some() {
                outline.claims.push(item.span);
            }
        }
        outline
    }

    /// The outline of rules that another front end made: a game with one group of claims.
    pub fn of_rules(rules: &Rules) -> Outline {
        let of_test = |step: &TestStep| match step {
            TestStep::Expect(expectation) => Some(expectation.span),
            _ => None,
        };
        let in_tests = rules.tests.iter().flat_map(|test| test.steps.iter().filter_map(of_test));
        Outline {
            is_game: true,
            groups: 1,
            tests: rules.tests.iter().map(|test| (test.name.clone(), 0)).collect(),
            claims: rules.expectations.iter().map(|claim| claim.span).chain(in_tests).collect(),
            ..Outline::default()
        }
    }

    /// The index of the group of the test with this name.
    pub fn group_of_test(&self, name: &str) -> Option<usize> {
        self.tests.iter().find(|(test, _)| test == name).map(|&(_, group)| group)
    }

    /// Returns true if a span lies in an expectation or a test.
    pub fn is_in_claim(&self, span: Span) -> bool {
        self.claims.iter().any(|claim| claim.covers(span))
    }
}

/// The parameters of a group of expectations and tests of a file.
#[derive(Clone, Debug)]
pub(crate) struct ClaimGroup {
    /// The settings as written: `n = 3, k = 1`; empty for the defaults.
    pub text: String,
    pub settings: Vec<ast::Setting>,
}

/// The distinct `with` lists of the expectations and tests, in the order of the file; the first is the empty list.
pub(crate) fn groups(file: &ast::File) -> Vec<ClaimGroup> {
    let mut groups = vec![ClaimGroup { text: String::new(), settings: Vec::new() }];
    for settings in file.items.iter().filter_map(claim_settings) {
        let text = settings_text(settings);
        if groups.iter().all(|g| g.text != text) {
            groups.push(ClaimGroup { text, settings: settings.to_vec() });
        }
    }
    groups
}

fn claim_settings(item: &Item) -> Option<&[ast::Setting]> {
    match &item.kind {
        ItemKind::Expect(expect) => Some(&expect.settings),
        ItemKind::Test(test) => Some(&test.settings),
        _ => None,
    }
}

/// The settings of a claim in one form: `n = 3, k = 1`.
pub(crate) fn settings_text(settings: &[ast::Setting]) -> String {
    let one = |s: &ast::Setting| format!("{} = {}", s.name.text, bouton_syntax::print_expr(&s.value));
    settings.iter().map(one).collect::<Vec<_>>().join(", ")
}
