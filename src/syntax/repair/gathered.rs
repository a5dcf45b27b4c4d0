//! Mistakes that only a whole file shows: many lines without a semicolon, a table as several constants, and
//! `max(score) wins`.

use super::RepairSession;
use super::comment_marks::BEGINS_NO_COMMENT;
use super::familiar_words::BY_CASES;
use super::lone_phases::PHASES_ONE_BY_ONE;
use super::tables::{FIRST_VALUE, ONE_BY_ONE};
use crate::ast::{
    Actor, Claim, ClaimKind, CmpOp, Expr, ExprKind, ItemKind, Number, OutcomeKind, Stmt, StmtKind, TestStep,
    UnaryOp,
};
use crate::diag::{Code, Diagnostic};
use bouton_base::source::Span;

/// The title of the message about a line without its semicolon.
pub(super) const MISSING_AT_LINE_END: &str = "a `;` is missing at the end of this line";
/// The number of lines without a semicolon up to which each has a message of its own.
const MAX_SINGLE_LINES: usize = 3;
/// The number of lines that the common message shows.
const SHOWN_LINES: usize = 3;

impl RepairSession {
    /// Makes one message of those about lines without a semicolon, if there are many.
    pub fn gather_missing_semicolons(&mut self) {
        let is_line = |found: &Diagnostic| {
            found.code == Code::E0001 && found.title == MISSING_AT_LINE_END && !found.edits.is_empty()
        };
        let (lines, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.diagnostics).into_iter().partition(is_line);
        self.diagnostics = others;
        let Some(first) = lines.first().filter(|_| lines.len() > MAX_SINGLE_LINES) else {
            self.diagnostics.extend(lines);
            return;
        };
        let title = format!("{} lines lack their `;`", lines.len());
        let mut found = Diagnostic::new(Code::E0001, title, first.span(), "a `;` is missing here");
        for line in lines.iter().take(SHOWN_LINES).skip(1) {
            found = found.label(line.span(), "here");
        }
        for edit in lines.iter().flat_map(|line| &line.edits) {
            found = found.edit(edit.span, edit.text.clone());
        }
        self.diagnostics.push(found.help("each item without braces and each clause ends with `;`"));
    }

    /// Makes one message of those about comments with the same mark.
    pub fn gather_comments(&mut self) {
        let mut gathered: Vec<Diagnostic> = Vec::new();
        for found in std::mem::take(&mut self.diagnostics) {
            let is_comment = found.title.ends_with(BEGINS_NO_COMMENT);
            match gathered.iter_mut().find(|earlier| is_comment && earlier.title == found.title) {
                Some(earlier) => earlier.edits.extend(found.edits),
                None => gathered.push(found),
            }
        }
        self.diagnostics = gathered;
    }

    /// Makes one message of those about the constants that are one table, single phases and definitions by cases, and
    /// lets a field have the value that stands below the state.
    pub fn gather_values(&mut self) {
        let mut gathered: Vec<Diagnostic> = Vec::new();
        for found in std::mem::take(&mut self.diagnostics) {
            let is_part = [ONE_BY_ONE, PHASES_ONE_BY_ONE, BY_CASES].contains(&found.title.as_str());
            let earlier = gathered
                .iter_mut()
                .find(|earlier| is_part && earlier.title == found.title && earlier.help == found.help);
            match earlier {
                Some(earlier) => {
                    earlier.labels.extend(found.labels);
                    earlier.edits.extend(found.edits);
                }
                None => gathered.push(found),
            }
        }
        let has_value = |name: &str| {
            gathered.iter().any(|found| found.title == format!("the first value of `{name}` {FIRST_VALUE}"))
        };
        for item in &mut self.items {
            let ItemKind::State(fields) = &mut item.kind else { continue };
            for field in fields.iter_mut().filter(|field| field.init.is_none() && has_value(&field.name.text))
            {
                field.init = Some(Expr::new(ExprKind::Error, field.span));
            }
        }
        self.diagnostics = gathered;
    }

    /// Returns true if this file, or another one that it uses, may declare a name.
    pub(super) fn may_declare(&self, name: &str) -> bool {
        self.items.iter().any(|item| match &item.kind {
            ItemKind::Use { .. } => true,
            ItemKind::Def { name: own, .. }
            | ItemKind::Inductive { name: own, .. }
            | ItemKind::Const { name: own, .. }
            | ItemKind::Param { name: own, .. } => own.text == name,
            ItemKind::State(fields) => fields.iter().any(|field| field.name.text == name),
            ItemKind::Players(names) | ItemKind::Enum { members: names, .. } => {
                names.iter().any(|own| own.text == name)
            }
            _ => false,
        })
    }

    /// Reads `expect #moves = 9;` as `expect perft 1 = 9;`, and reports it.
    pub fn mend_counted_moves(&mut self) {
        if ["moves", "legal_moves"].into_iter().any(|name| self.may_declare(name)) {
            return;
        }
        let mut found = Vec::new();
        for item in &mut self.items {
            match &mut item.kind {
                ItemKind::Expect(expect) => found.extend(counted_moves(&mut expect.claim)),
                ItemKind::Test(test) => {
                    for step in &mut test.steps {
                        if let TestStep::Expect(expect) = step {
                            found.extend(counted_moves(&mut expect.claim));
                        }
                    }
                }
                _ => {}
            }
        }
        self.diagnostics.extend(found);
    }

    /// Reads `roll by dice;` among the phases as `roll by chance;`, and reports it.
    pub fn mend_phases_of_chance(&mut self) {
        let words = ["dice", "die", "random", "nature", "luck", "fate", "coin", "deck", "rng", "lot"];
        // Where an event acts in the phase, any other name stands for chance as well.
        let mut phases_of_events: Vec<String> = Vec::new();
        let mut unknown: Vec<String> = Vec::new();
        for item in &self.items {
            match &item.kind {
                ItemKind::Move(event) if event.chance => {
                    phases_of_events.extend(event.phases.iter().map(|phase| phase.text.clone()));
                }
                ItemKind::Phases(phases) => {
                    let names = phases.iter().filter_map(|phase| match &phase.actor {
                        Some(Actor::Player(player)) => player.as_name(),
                        _ => None,
                    });
                    let is_known = |name: &&str| self.may_declare(name) || is_player_word(name);
                    unknown.extend(names.filter(|name| !is_known(name)).map(str::to_owned));
                }
                _ => {}
            }
        }
        for item in &mut self.items {
            let ItemKind::Phases(phases) = &mut item.kind else { continue };
            for phase in phases {
                let Some(Actor::Player(player)) = &phase.actor else { continue };
                let ExprKind::Name(name) = &*player.kind else { continue };
                let is_event = words.contains(&name.as_str()) || phases_of_events.contains(&phase.name.text);
                if !is_event || !unknown.contains(name) {
                    continue;
                }
                let span = player.span;
                let help = format!("write `{} by chance;`", phase.name.text);
                let title = "a phase in which chance acts is `by chance`";
                let found = Diagnostic::new(Code::E0013, title, span, "").help(help).edit(span, "chance");
                self.diagnostics.push(found);
                phase.actor = Some(Actor::Chance(span));
            }
        }
    }

    /// Reports `if f { weight 1; }` in an event once, and leaves out the weights.
    pub fn mend_weights(&mut self) {
        for item in &mut self.items {
            let ItemKind::Move(event) = &mut item.kind else { continue };
            if !event.chance {
                continue;
            }
            let mut cases = Vec::new();
            for stmt in &mut event.body.stmts {
                take_weights(stmt, "", &mut cases);
            }
            let Some(first) = cases.first() else { continue };
            let mut term = String::new();
            for case in &cases {
                term += &format!("if {} then {} else ", case.condition, case.weight);
            }
            term = match cases.split_last() {
                Some((last, others)) if others.len() == 1 && !last.condition.contains(" and ") => {
                    format!("if {} then {} else {}", others[0].condition, others[0].weight, last.weight)
                }
                _ => term + "1",
            };
            let title = "an event has one `weight`, outside of any block";
            let found = Diagnostic::new(Code::E0006, title, first.span, "");
            self.diagnostics.push(found.help(format!("write `weight {term};` before the effects")));
        }
    }

    /// Reports `expect all m in S: value = m;`, a claim about several choices of the parameters, and leaves it out.
    pub fn mend_claims_about_all(&mut self) {
        let mut found = Vec::new();
        let may_declare = ["value", "nimber", "positions"].map(|name| self.may_declare(name));
        if may_declare.contains(&true) {
            return;
        }
        self.items.retain(|item| {
            let ItemKind::Expect(expect) = &item.kind else { return true };
            let ClaimKind::Holds(condition) = &expect.claim.kind else { return true };
            let ExprKind::Quant(_, _, body) = &*condition.kind else { return true };
            let ExprKind::Compare(left, _) = &*body.bare().kind else { return true };
            let Some(word @ ("value" | "nimber" | "positions")) = left.as_name() else { return true };
            let title = "a claim is about one choice of the parameters";
            let help = match expect.settings.first() {
                Some(_) => format!("write a claim for each choice, such as `expect {word} = 1 with n = 1;`"),
                None => format!("write `expect {word} = ...;`, a claim for each choice"),
            };
            found.push(Diagnostic::new(Code::E0013, title, condition.span, "").help(help));
            false
        });
        self.diagnostics.append(&mut found);
    }

    /// Reports `expect value[Bob] = 4;`, `expect value(Bob) = 4;` and `expect payoff = 4;`, and leaves them out.
    pub fn mend_values_of_players(&mut self) {
        let free: Vec<&str> =
            ["value", "payoff", "payoffs"].into_iter().filter(|name| !self.may_declare(name)).collect();
        let is_free = |name: &str| free.contains(&name);
        let players: Vec<String> = self
            .items
            .iter()
            .filter_map(|item| match &item.kind {
                ItemKind::Players(names) => Some(names.iter().map(|name| name.text.clone())),
                _ => None,
            })
            .flatten()
            .collect();
        let mut found = Vec::new();
        self.items.retain(|item| {
            let ItemKind::Expect(expect) = &item.kind else { return true };
            let ClaimKind::Holds(condition) = &expect.claim.kind else { return true };
            let ExprKind::Compare(left, _) = &*condition.kind else { return true };
            if left.as_name().is_some_and(|name| name != "value" && is_free(name)) {
                let title = "what a game pays with best play is its `value` in claims";
                let told = Diagnostic::new(Code::E0013, title, left.span, "");
                found.push(told.help("write `expect value = ...;`").edit(left.span, "value"));
                return false;
            }
            let (ExprKind::Index(name, keys) | ExprKind::Call(name, keys)) = &*left.kind else { return true };
            let [key] = &keys[..] else { return true };
            let Some(player) = key.as_name().filter(|_| name.as_name().is_some_and(is_free)) else { return true };
            if !players.iter().any(|own| own == player) {
                return true;
            }
            let title = "`value` is the value of the game for the first player";
            let diagnostic = Diagnostic::new(Code::E0013, title, left.span, "");
            found.push(match players[0] == player {
                true => diagnostic.help("write `expect value = ...;`").edit(left.span, "value"),
                false => diagnostic.help(format!(
                    "write `expect value = [...];` with the values of {}, or `expect value = ...;` with that of {}",
                    players.join(", "),
                    players[0]
                )),
            });
            false
        });
        self.diagnostics.append(&mut found);
    }

    /// Reads `max(score) wins` as `highest score`, and reports it: a number is no player.
    pub fn mend_extremes(&mut self) {
        // Another file or this one may define a `max` of its own.
        let may_define = self.items.iter().any(|item| match &item.kind {
            ItemKind::Use { .. } => true,
            ItemKind::Def { name, .. } => matches!(name.text.as_str(), "max" | "min"),
            _ => false,
        });
        if may_define {
            return;
        }
        for item in &mut self.items {
            let ItemKind::End(rules) = &mut item.kind else { continue };
            for outcome in rules.iter_mut().map(|rule| &mut rule.outcome) {
                let OutcomeKind::Wins(player) = &outcome.kind else { continue };
                let Some((best, name, field)) = extreme_of(player) else { continue };
                let new = format!("{best} {name}");
                let title = "who has the most is an outcome of its own";
                let help =
                    format!("write `when ... => {new};`, with a field, table or definition of one player");
                let found = Diagnostic::new(Code::E0005, title, outcome.span, "").help(help);
                self.diagnostics.push(found.edit(outcome.span, new));
                outcome.kind = match best {
                    "highest" => OutcomeKind::Highest(field),
                    _ => OutcomeKind::Lowest(field),
                };
            }
        }
    }
}

/// Returns true for a word of the language that is a player, or a set of players.
fn is_player_word(name: &str) -> bool {
    matches!(name, "mover" | "me" | "opponent" | "other" | "Player" | "everyone")
}

/// A weight under a condition.
struct WeightCase {
    condition: String,
    weight: String,
    span: Span,
}

/// Takes the weights out of the blocks of an `if`, with their conditions in words.
fn take_weights(stmt: &mut Stmt, outer: &str, cases: &mut Vec<WeightCase>) {
    let StmtKind::If(condition, yes, no) = &mut stmt.kind else { return };
    let own = crate::print_expr(condition);
    let joined = |own: &str| if outer.is_empty() { own.to_owned() } else { format!("{outer} and {own}") };
    let branches = [(joined(&own), Some(yes)), (joined(&format!("not ({own})")), no.as_mut())];
    for (condition, block) in branches {
        let Some(block) = block else { continue };
        block.stmts.retain(|inner| match &inner.kind {
            StmtKind::Weight(weight) => {
                let (weight, span) = (crate::print_expr(weight), inner.span);
                cases.push(WeightCase { condition: condition.clone(), weight, span });
                false
            }
            _ => true,
        });
        for inner in &mut block.stmts {
            take_weights(inner, &condition, cases);
        }
    }
}

/// Reads a claim about the number of moves as one about `perft 1`; returns its diagnostic.
fn counted_moves(claim: &mut Claim) -> Option<Diagnostic> {
    let number = match &claim.kind {
        ClaimKind::Holds(condition) => {
            let ExprKind::Compare(left, rest) = &*condition.kind else { return None };
            let ExprKind::Unary(UnaryOp::Count, of) = &*left.kind else { return None };
            let is_moves =
                matches!(&*of.kind, ExprKind::Name(name) if matches!(name.as_str(), "moves" | "legal_moves"));
            match &rest[..] {
                [(CmpOp::Equal | CmpOp::DoubleEqual | CmpOp::Is, number)] if is_moves => number,
                _ => return None,
            }
        }
        _ => return None,
    };
    let ExprKind::Number(count) = &*number.kind else { return None };
    let number_of = |text: &str| Number { text: text.to_owned(), span: number.span };
    let kind = ClaimKind::Perft { depth: number_of("1"), by_turn: false, count: number_of(count) };
    let new = format!("perft 1 = {count}");
    let title = "the number of moves is `perft 1`";
    let found = Diagnostic::new(Code::E0013, title, claim.span, "").help(format!("write `expect {new};`"));
    let found = found.edit(claim.span, new);
    claim.kind = kind;
    Some(found)
}

/// The word of the outcome that `max(score)` or `min(score)` stands for, and what is compared.
fn extreme_of(player: &Expr) -> Option<(&'static str, String, Expr)> {
    let ExprKind::Call(function, arguments) = &*player.kind else { return None };
    let best = match &*function.kind {
        ExprKind::Name(name) if name == "max" => "highest",
        ExprKind::Name(name) if name == "min" => "lowest",
        _ => return None,
    };
    let [argument] = &arguments[..] else { return None };
    match &*argument.kind {
        ExprKind::Name(name) => Some((best, name.clone(), argument.clone())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn an_event_has_one_weight() {
        let text = |weights: &str| format!("chance die(d: 1..3) {{ {weights} n := d; }}\n");
        let two = text("if d = 1 { weight 1; } if d > 1 { weight 2; }");
        assert_eq!(titles(&two), ["an event has one `weight`, outside of any block"]);
        assert!(helps(&two)[0].contains("`weight if d = 1 then 1 else 2;`"));
        let branches = helps(&text("if d = 1 { weight 3; } else { weight 2; }"));
        assert!(branches[0].contains("`weight if d = 1 then 3 else 2;`"), "{branches:?}");
        let one = helps(&text("if d = 1 { weight 3; }"));
        assert!(one[0].contains("`weight if d = 1 then 3 else 1;`"), "{one:?}");
        assert!(titles(&text("weight d;")).is_empty());
    }

    #[test]
    fn events_belong_to_phases_of_chance() {
        let text = |actor: &str, kind: &str| {
            format!(
                "players A, B;\nphases {{ setup deal by {actor}; bet; }}\n{kind} give(a: 1..3) in deal {{ n := a; }}\n"
            )
        };
        assert_eq!(mended(&text("dealer", "chance")), text("chance", "chance"));
        assert_eq!(titles(&text("dealer", "chance")).len(), 1);
        assert!(titles(&text("A", "chance")).is_empty());
        assert!(titles(&text("dealer", "move")).is_empty());
    }

    #[test]
    fn values_are_of_the_first_player() {
        let text = |claim: &str| format!("players X, O;\nexpect {claim} = 1;\n");
        assert_eq!(mended(&text("value[X]")), text("value"));
        assert!(helps(&text("value(O)"))[0].contains("the values of X, O"));
        assert!(titles(&text("at[X]")).is_empty());
    }

    #[test]
    fn a_claim_is_about_one_choice() {
        let title = "a claim is about one choice of the parameters";
        assert_eq!(titles("expect all m in 1..4: value = m with n = m;\n"), [title]);
        assert!(titles("expect all c in Cell: at[c] = none;\n").is_empty());
    }
}
