//! Conditions of moves that rule nothing out whatever the position (W0533): those that another condition of the move says
//! already, and those that read nothing of the position and hold for all values of the parameters.

use super::always_true::{failures, has_meaning_outside, names_maker, reads_state};
use crate::load::GameSource;
use bouton_base::source::Span;
use bouton_rules::{Block, Expr, ExprKind, Move, Pattern, Rules, StmtKind, Value};
use bouton_search::game::Game;
use bouton_syntax::diag::{Code, Diagnostic};

/// The maximal length of a condition that is repeated in a title.
const MAX_WORDS: usize = 60;
/// The maximal number of instances of a move for which a condition is evaluated.
const MAX_INSTANCES: usize = 20_000;

/// Adds the conditions that are repeated and those that read nothing.
pub(super) fn find(text: &GameSource, game: &Game, found: &mut Vec<Diagnostic>) {
    if text.gdl_names().is_some() {
        return;
    }
    let mut told: Vec<Diagnostic> = Vec::new();
    for mv in &game.rules.moves {
        Repeated { text, told: &mut told }.look(&mv.body, &mut Vec::new());
        // Where parameters differ, such a condition may be the one that counts.
        if text.outline.params.is_empty() {
            fixed(text, game, mv, &mut told);
        }
    }
    for of in told {
        if !found.iter().any(|known| known.code == of.code && known.span() == of.span()) {
            found.push(of);
        }
    }
}

fn title(words: &str) -> String {
    if words.is_empty() || words.chars().count() > MAX_WORDS {
        "this condition is always true here".to_owned()
    } else {
        format!("`{words}` is always true here")
    }
}

/// The parts of a condition that `and` joins, or the condition itself.
fn parts(condition: &Expr) -> &[Expr] {
    match &*condition.kind {
        ExprKind::And(parts) if parts.iter().all(|part| part.span.is_placed()) => parts,
        _ => std::slice::from_ref(condition),
    }
}

/// A search for conditions that hold already where they are asked.
struct Repeated<'a> {
    text: &'a GameSource,
    told: &'a mut Vec<Diagnostic>,
}

/// A condition that holds where others are asked.
#[derive(Clone)]
struct AskedCondition {
    words: String,
    span: Span,
    is_branch: bool,
}

impl Repeated<'_> {
    /// Looks at the conditions of a block, where others are known to hold in the same position.
    fn look(&mut self, block: &Block, known: &mut Vec<AskedCondition>) {
        let at_first = known.len();
        for stmt in &block.stmts {
            if let StmtKind::Require(condition) = &stmt.kind {
                for part in parts(condition) {
                    self.ask(part, known);
                    self.learn(part, false, known);
                }
            }
        }
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::If(condition, yes, no) => {
                    let before = known.len();
                    for part in parts(condition) {
                        self.learn(part, true, known);
                    }
                    self.look(yes, known);
                    known.truncate(before);
                    self.look(no, known);
                }
                // The next stage reads another position.
                StmtKind::Then(inner) => self.look(inner, &mut Vec::new()),
                _ => {}
            }
        }
        known.truncate(at_first);
    }

    fn learn(&self, part: &Expr, is_branch: bool, known: &mut Vec<AskedCondition>) {
        let words = self.text.words(part.span);
        if part.span.is_placed() && !words.is_empty() {
            known.push(AskedCondition { words, span: part.span, is_branch });
        }
    }

    fn ask(&mut self, part: &Expr, known: &[AskedCondition]) {
        let words = self.text.words(part.span);
        let is_same = |of: &&AskedCondition| of.words == words && of.span != part.span;
        // Rules with one text for several moves ask at one place.
        let is_one_place = known.iter().any(|of| of.span == part.span);
        let Some(of) = known.iter().find(is_same).filter(|_| part.span.is_placed() && !is_one_place) else {
            return;
        };
        let label = match of.is_branch {
            true => "this part is played only where it holds",
            false => "this asks for it already",
        };
        self.told.push(
            Diagnostic::new(Code::W0533, title(&words), part.span, "rules nothing out")
                .label(of.span, label)
                .help("leave it out, or correct it if something else is meant"),
        );
    }
}

/// Adds the conditions of the first stage of a move that read nothing of the position, and hold for all instances.
fn fixed(text: &GameSource, game: &Game, mv: &Move, told: &mut Vec<Diagnostic>) {
    let count = mv.params.iter().try_fold(1usize, |count, param| count.checked_mul(param.values.len()));
    if count.is_none_or(|count| count > MAX_INSTANCES) || mv.params.is_empty() {
        return;
    }
    let rules = &*game.rules;
    let mut lets: Vec<(&Pattern, &Expr)> = Vec::new();
    for stmt in &mv.body.stmts {
        match &stmt.kind {
            StmtKind::Let(pattern, value) => lets.push((pattern, value)),
            StmtKind::Require(condition) => {
                let reads = lets
                    .iter()
                    .any(|(_, value)| reads_state(rules, value) || !has_meaning_outside(rules, value));
                let is_fixed = |part: &&Expr| {
                    part.constant().is_none()
                        && part.span.is_placed()
                        && !reads
                        && has_meaning_outside(rules, part)
                        && !names_maker(part)
                        && !reads_position(rules, part)
                };
                for part in parts(condition).iter().filter(is_fixed) {
                    let never_fails = failures(rules, mv, &lets, part).iter().all(|fails| {
                        game.machine.eval(&game.machine.initial(), fails) == Ok(Some(Value::Bool(false)))
                    });
                    if never_fails {
                        told.push(of_fixed(text, rules, part));
                    }
                }
            }
            _ => {}
        }
    }
}

/// Returns true if a term depends on the position, also by who moves and by the moves that there are.
fn reads_position(rules: &Rules, term: &Expr) -> bool {
    rules.mentions(term, &|kind| {
        matches!(kind, ExprKind::Field(..) | ExprKind::Stuck | ExprKind::StuckPlayer(_))
    })
}

/// Leaves out conditions that read nothing where a warning of the text tells why: a comparison in them, or in a definition,
/// that is never true or never has a value.
pub(super) fn leave_out_known(explored: &mut Vec<Diagnostic>, of_text: &[Diagnostic]) {
    let is_fixed = |found: &Diagnostic| {
        found.code == Code::W0533 && found.help.as_ref().is_some_and(|help| help.contains(READS_NOTHING))
    };
    let is_cause = |found: &Diagnostic| [Code::W0123, Code::W0126].contains(&found.code);
    if of_text.iter().any(is_cause) {
        explored.retain(|found| !is_fixed(found));
    }
}

/// Words of the help on a condition that reads nothing.
const READS_NOTHING: &str = "a field of `state`";

fn of_fixed(text: &GameSource, rules: &Rules, part: &Expr) -> Diagnostic {
    let words = text.words(part.span);
    let found = Diagnostic::new(Code::W0533, title(&words), part.span, "rules nothing out");
    // A definition of constants alone may stand there by its value.
    let is_named =
        |name: &str| words.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
    let mut defs = rules.defs.iter().filter(|def| def.span.is_placed() && is_named(&def.name));
    match defs.next() {
        Some(def) => found.label(def.span, "reads nothing of the position").help(format!(
            "`{}` is the same in every position: if it should follow the play, let it read {READS_NOTHING}; otherwise \
             remove the condition",
            def.name
        )),
        None => found.help(format!(
            "it reads nothing of the position, and holds for all values of the parameters: remove it, or correct it if it \
             should read {READS_NOTHING}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    /// The title, the last label and the help of the only W0533.
    fn told(head: &str, conditions: &str) -> Vec<(String, String, String)> {
        let rest = format!(
            "{head} state {{ open: set of 1..4 = {{ 1, 2, 3, 4 }}; }} move go(i: 1..4) as \"{{i}}\" {{ {conditions} open -= {{ i }}; }} play normal;"
        );
        let of = |found: bouton_syntax::diag::Diagnostic| {
            let label = found.labels.last().map(|label| label.text.clone()).unwrap_or_default();
            (found.title, label, found.help.unwrap_or_default())
        };
        findings_of_two(&rest, Code::W0533).into_iter().map(of).collect()
    }

    #[test]
    fn a_condition_that_is_asked_twice_is_told() {
        let found = told("", "when i in open; when i in open;");
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].0, "`i in open` is always true here");
        assert_eq!(found[0].1, "this asks for it already");
        let found = told("", "when i in open; if i = min(open) { when i in open; }");
        assert_eq!(found.len(), 1, "{found:?}");
        let found = told("", "when i in open; if i = 1 { when i = 1 and #open > 0; }");
        assert_eq!(found[0].1, "this part is played only where it holds", "{found:?}");
        assert!(told("", "when i in open; if i = 1 { when #open > 3; }").is_empty());
        assert!(told("", "when i in open; if i != 1 { open -= { 1 }; } else { when 2 in open; }").is_empty());
        assert!(told("", "when i in open; then { ensure i in open; }").is_empty());
    }

    #[test]
    fn a_comparison_that_is_never_true_explains_a_condition() {
        let found = told("def is_end(i: 1..4) = i = 1 and i = 4;", "when i in open and not is_end(i);");
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn a_condition_that_reads_nothing_is_told() {
        let found = told("def small = { i in 1..9 where i < 5 };", "when i in open; when i in small;");
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].1, "reads nothing of the position");
        assert!(found[0].2.starts_with("`small` is the same in every position"), "{found:?}");
        let found = told("const few = { 1, 2, 3, 4 };", "when i in open and i in few;");
        assert!(found.len() <= 1, "{found:?}");
        assert!(told("const few = { 1, 2, 4 };", "when i in open and i in few;").is_empty());
        assert!(
            told(
                "param top: 1..9 = 5; def small = { i in 1..9 where i < top };",
                "when i in open and i in small;"
            )
            .is_empty()
        );
    }
}
