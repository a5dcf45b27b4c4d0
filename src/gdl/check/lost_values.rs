//! Values of players that are lost while they wait: each rule for `next` of `(store ?p ?n)` needs a move of
//! `?p` that is not the one by which the role waits.

use bouton_syntax::diag::{Code, Diagnostic};
use rustc_hash::FxHashMap;

use super::misspelt::name_of;
use crate::names::Names;
use crate::sheet::{Clause, Literal, Pattern, Sentence, Sheet};
use crate::terms::Symbol;

/// The messages for fluents of players who move in turns, of which none is kept for those who wait.
pub fn lost_values(sheet: &Sheet, names: &Names) -> Vec<Diagnostic> {
    let waits: Option<Vec<&str>> = names.waits.iter().map(Option::as_deref).collect();
    let Some(waits) = waits.filter(|waits| waits.len() > 1 && !names.simultaneous && !names.chance) else {
        return Vec::new();
    };
    let of = &sheet.keywords;
    let mut order = Vec::new();
    let mut rules: FxHashMap<Symbol, Vec<&Clause>> = FxHashMap::default();
    for clause in sheet.clauses.iter().filter(|clause| clause.head.relation == of.next) {
        let Some(function) = name_of(clause.head.args.first()) else { return Vec::new() };
        rules.entry(function).or_insert_with(|| {
            order.push(function);
            Vec::new()
        });
        rules.entry(function).or_default().push(clause);
    }
    let mut found = Vec::new();
    for function in order {
        let [first, rest @ ..] = &rules[&function][..] else { continue };
        let own = Own { sheet, function, waits: &waits };
        let place = (0..own.args(first).len()).find(|&at| {
            own.is_kept_by_moves(first, at) && rest.iter().all(|rule| own.is_kept_by_moves(rule, at))
        });
        if let Some(at) = place {
            found.push(own.message(first, at));
        }
    }
    found
}

/// A fluent that may belong to players.
struct Own<'s> {
    sheet: &'s Sheet,
    function: Symbol,
    /// The moves by which the roles wait.
    waits: &'s [&'s str],
}

impl<'s> Own<'s> {
    /// The arguments of the fluent that a rule makes true.
    fn args(&self, rule: &'s Clause) -> &'s [Pattern] {
        match rule.head.args.first() {
            Some(Pattern::Compound(_, args)) => args,
            _ => &[],
        }
    }

    /// Returns true if a rule needs the fluent of the same player before, and a move of the player other than
    /// waiting. The player is this argument of the fluent.
    fn is_kept_by_moves(&self, rule: &'s Clause, at: usize) -> bool {
        let of = &self.sheet.keywords;
        let Some(player) = self.args(rule).get(at) else { return false };
        let mut positive = rule.body.iter().filter_map(|literal| match literal {
            Literal::Positive(sentence) => Some(sentence),
            _ => None,
        });
        let is_before = |sentence: &Sentence| match sentence.args.first() {
            Some(Pattern::Compound(function, args)) => {
                *function == self.function && args.get(at) == Some(player)
            }
            _ => false,
        };
        let is_move = |sentence: &Sentence| {
            let name = name_of(sentence.args.get(1)).map(|name| self.sheet.symbols.name(name));
            sentence.args.first() == Some(player) && name.is_some_and(|name| !self.is_wait(name))
        };
        let has_before =
            positive.clone().any(|sentence| sentence.relation == of.true_ && is_before(sentence));
        has_before && positive.any(|sentence| sentence.relation == of.does && is_move(sentence))
    }

    /// Returns true if a role waits by a move with this name.
    fn is_wait(&self, name: &str) -> bool {
        self.waits.iter().any(|wait| wait.trim_start_matches('(').split([' ', ')']).next() == Some(name))
    }

    fn message(&self, rule: &'s Clause, at: usize) -> Diagnostic {
        let name = self.sheet.symbols.name(self.function);
        let var = |of: usize| match &self.args(rule)[of] {
            _ if of == at => "?p".to_owned(),
            Pattern::Var(var) if rule.vars[*var as usize] != "?p" => rule.vars[*var as usize].clone(),
            _ => format!("?x{of}"),
        };
        let args: Vec<String> = (0..self.args(rule).len()).map(var).collect();
        let fluent = format!("({name} {})", args.join(" "));
        let wait = self.waits[0];
        let help = match self.waits.iter().all(|other| *other == wait) {
            true => format!("keep it by a rule: `(<= (next {fluent}) (true {fluent}) (does ?p {wait}))`"),
            false => format!(
                "keep it by a rule for `(next {fluent})` that needs `(true {fluent})` and no own move"
            ),
        };
        let title = format!("`{name}` is lost while its player waits");
        let label = "it stays true only if its player makes a move";
        Diagnostic::new(Code::W0714, title, rule.head.span, label).help(help)
    }
}

#[cfg(test)]
mod tests {
    use bouton_base::source::FileId;

    /// Two who count up in turns.
    const COUNTS: &str =
        "(role ann) (role bob) (init (turn ann)) (init (step 1)) (init (sum ann 0)) (init (sum bob 0))
        (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
        (<= (legal ?p one) (true (turn ?p))) (<= (legal ?p none) (true (turn ?p)))
        (<= (legal ?p wait) (role ?p) (not (true (turn ?p))))
        (<= (next (sum ?p ?n)) (does ?p one) (true (sum ?p ?m)) (succ ?m ?n))
        (<= (next (sum ?p ?n)) (does ?p none) (true (sum ?p ?n)))
        (<= (next (sum ?p ?n)) (does ?p wait) (true (sum ?p ?n)))
        (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
        (<= (next (turn bob)) (true (turn ann))) (<= (next (turn ann)) (true (turn bob)))
        (<= terminal (true (step 5)))
        (<= (goal ?p 100) (true (sum ?p 2))) (<= (goal ?p 0) (role ?p) (not (true (sum ?p 2))))";

    /// The warnings W0714 of the sheet with one text for another: titles, and help.
    fn found(from: &str, to: &str) -> Vec<String> {
        assert!(COUNTS.contains(from), "{from}");
        let found = crate::read(FileId(0), &COUNTS.replacen(from, to, 1)).diagnostics;
        let shown = |of: &super::Diagnostic| format!("{}; {}", of.title, of.help.clone().unwrap_or_default());
        found.iter().map(shown).collect()
    }

    #[test]
    fn values_that_are_lost_while_a_player_waits_are_told() {
        let frame = "(<= (next (sum ?p ?n)) (does ?p wait) (true (sum ?p ?n)))";
        let [] = found("", "")[..] else { panic!("{:?}", found("", "")) };
        let told = "`sum` is lost while its player waits; keep it by a rule: `(<= (next (sum ?p ?n)) (true \
                    (sum ?p \
                    ?n)) (does ?p wait))`";
        assert_eq!(found(frame, ""), [told]);
        // Another rule keeps it.
        for to in [
            "(<= (next (sum ?p ?n)) (true (sum ?p ?n)) (not (true (turn ?p))))",
            "(<= (next (sum ?p ?n)) (true (sum ?p ?n)) (does ?q one) (distinct ?p ?q))",
        ] {
            let [] = found(frame, to)[..] else { panic!("{:?}", found(frame, to)) };
        }
    }
}
