//! W0313 for an `if`, an `ensure` or an effect in `then { ... }` that reads what the stage before has just set to a fixed value:
//! `led := none; then { if beats(c, led) { ... } }`. The value before the move is gone there.

use std::collections::HashSet;

use super::analyzer::Analyzer;
use super::decided_branches::binds;
use super::lints::expr_names;
use bouton_base::source::Span;
use bouton_syntax::ast::{Access, Effect, EffectOp, Expr, ExprKind, ItemKind, StmtBlock, StmtKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::{print_effect, print_expr, visit};

/// An effect that each play of a move makes, and that sets a fixed value.
#[derive(Clone)]
struct Fixed<'e> {
    effect: &'e Effect,
    span: Span,
    /// The target and the value, as printed.
    target: String,
    value: String,
}

/// A term that reads what an effect of a stage before has set.
struct EmptiedRead<'e> {
    term: Span,
    /// The kind of statement that reads it.
    reader: &'static str,
    /// The effect that moves a piece, where both together do: `at[to] <- at[from]`.
    moved: Option<String>,
    of: Fixed<'e>,
}

impl<'a> Analyzer<'a> {
    /// The fields with effects in `every move` or in an `effect`, which several moves share.
    pub(super) fn set_for_several_moves(&self) -> HashSet<&'a str> {
        let mut shared = Vec::new();
        for (item, _) in self.items() {
            if let ItemKind::EveryMove(body) | ItemKind::Effect { body, .. } = &item.kind {
                effects_in(body, &mut shared);
            }
        }
        shared.iter().map(|effect| effect.target.name.text.as_str()).collect()
    }

    /// W0313 for branches on values that are fixed by the stage before.
    pub(super) fn emptied_reads(&mut self) {
        let elsewhere = self.set_for_several_moves();
        let mut found = Vec::new();
        for (item, own) in self.items() {
            if let ItemKind::Move(of) = &item.kind
                && own
            {
                let mut all = Vec::new();
                effects_in(&of.body, &mut all);
                all.retain(|effect| !elsewhere.contains(effect.target.name.text.as_str()));
                self.stages(&of.body, &[], &all, &mut found);
            }
        }
        for EmptiedRead { term, reader, moved, of } in found {
            let (target, value) = (&of.target, &of.value);
            let is_known = |d: &Diagnostic| d.span() == term;
            if self.diagnostics.iter().any(is_known) {
                continue;
            }
            let title = format!("this {reader} reads `{target}` after `{target} := {value}`");
            let label = format!("`{target}` is `{value}` here");
            let found = Diagnostic::new(Code::W0313, title, term, label);
            self.report(found.label(of.span, "done before all that stands in `then`").help(match moved {
                Some(moved) => format!(
                    "write `{moved};` in place of both, without `then`: it moves the piece, since what one stage reads \
                     is as it was before all of its effects"
                ),
                None if reader == "`ensure`" => format!(
                    "to ask for `{target}` as it was before the move, write `when ...;` in place of the `ensure`, before \
                     the effects"
                ),
                None => format!(
                    "to read `{target}` as it was before the move, take the {reader} out of `then {{ ... }}`, or move \
                     `{target} := {value};` into it"
                ),
            }));
        }
    }

    /// Searches the later stages of a block; `before` are the fixed effects around it, `all` the effects that may count.
    fn stages(
        &self,
        block: &'a StmtBlock,
        before: &[Fixed<'a>],
        all: &[&'a Effect],
        found: &mut Vec<EmptiedRead<'a>>,
    ) {
        let mut fixed = before.to_vec();
        fixed.extend(block.stmts.iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::Effect(effect) if effect.op == EffectOp::Set && self.is_fixed(&effect.value) => {
                let text = print_effect(effect);
                let (target, value) = text.split_once(" := ")?;
                Some(Fixed { effect, span: stmt.span, target: target.to_owned(), value: value.to_owned() })
            }
            _ => None,
        }));
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Then(stage) => {
                    let mut own = Vec::new();
                    effects_in(stage, &mut own);
                    let is_own = |effect: &Effect| own.iter().any(|of| of.target.span == effect.target.span);
                    // Another effect on the field may give it another value.
                    let is_only = |of: &&Fixed<'a>| {
                        let name = &of.effect.target.name.text;
                        let mut others = all.iter().filter(|effect| effect.target.name.text == *name);
                        others.clone().count() > 0
                            && others
                                .all(|effect| effect.target.span == of.effect.target.span || is_own(effect))
                    };
                    let known: Vec<Fixed<'a>> = fixed.iter().filter(is_only).cloned().collect();
                    let changed = all.iter().map(|effect| effect.target.name.text.as_str()).collect();
                    reads_of_stage(stage, &known, &changed, found);
                    self.stages(stage, &fixed, all, found);
                }
                StmtKind::If(_, yes, no) => {
                    self.stages(yes, &fixed, all, found);
                    no.iter().for_each(|no| self.stages(no, &fixed, all, found));
                }
                _ => {}
            }
        }
    }

    /// Returns true for a number, a truth value, `none`, or a member of a type.
    fn is_fixed(&self, value: &Expr) -> bool {
        match &*value.bare().kind {
            ExprKind::None | ExprKind::Number(_) | ExprKind::Bool(_) => true,
            ExprKind::Name(name) => {
                self.members.contains_key(name.as_str()) && !self.symbols.contains_key(name.as_str())
            }
            _ => false,
        }
    }
}

/// Collects the effects of all stages of a block.
pub(super) fn effects_in<'e>(block: &'e StmtBlock, found: &mut Vec<&'e Effect>) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Effect(effect) => found.push(effect),
            StmtKind::Then(inner) | StmtKind::For(_, inner) => effects_in(inner, found),
            StmtKind::If(_, yes, no) => {
                effects_in(yes, found);
                no.iter().for_each(|no| effects_in(no, found));
            }
            _ => {}
        }
    }
}

/// Collects the conditions and values of a stage that read what has a fixed value; `changed` are the fields that the move
/// changes.
fn reads_of_stage<'e>(
    stage: &'e StmtBlock,
    known: &[Fixed<'e>],
    changed: &HashSet<&str>,
    found: &mut Vec<EmptiedRead<'e>>,
) {
    let mut known = known.to_vec();
    for stmt in &stage.stmts {
        match &stmt.kind {
            // A name that the target has may be another one below.
            StmtKind::Let(pattern, value) => {
                if let Some(of) = known.iter().find(|of| reads(value, &of.target)) {
                    let of = of.clone();
                    found.push(EmptiedRead { term: value.span, reader: "`let`", moved: None, of });
                }
                known.retain(|of| !names_in(of).iter().any(|name| binds(pattern, name)))
            }
            StmtKind::For(binders, inner) => {
                let mut known = known.clone();
                known.retain(|of| {
                    let names = names_in(of);
                    !binders.iter().any(|binder| names.iter().any(|name| binds(&binder.pattern, name)))
                });
                reads_of_stage(inner, &known, changed, found);
            }
            StmtKind::If(condition, yes, no) => {
                if let Some(of) = known.iter().find(|of| reads(condition, &of.target)) {
                    let (term, of) = (condition.span, of.clone());
                    found.push(EmptiedRead { term, reader: "`if`", moved: None, of });
                }
                reads_of_stage(yes, &known, changed, found);
                no.iter().for_each(|no| reads_of_stage(no, &known, changed, found));
            }
            StmtKind::Ensure(condition) => {
                // A key that the move changes names another cell here.
                let is_steady = |of: &&Fixed| !names_in(of).iter().any(|name| changed.contains(name));
                let read = known.iter().filter(is_steady).find(|of| reads(condition, &of.target));
                if let Some(of) = read {
                    let (term, of) = (condition.span, of.clone());
                    found.push(EmptiedRead { term, reader: "`ensure`", moved: None, of });
                }
            }
            StmtKind::Effect(effect) => {
                if let Some(of) = known.iter().find(|of| reads(&effect.value, &of.target)) {
                    let moved = moved_piece(effect, of);
                    let (term, of) = (effect.value.span, of.clone());
                    found.push(EmptiedRead { term, reader: "effect", moved, of });
                }
            }
            _ => {}
        }
    }
}

/// The effect that does what two do, where the first one clears a cell and the second one copies it.
fn moved_piece(copy: &Effect, cleared: &Fixed) -> Option<String> {
    let is_copy = cleared.value == "none" && print_expr(&copy.value) == cleared.target;
    let text = print_effect(copy);
    let (target, _) = text.split_once(" := ").filter(|_| is_copy && copy.op == EffectOp::Set)?;
    Some(format!("{target} <- {}", cleared.target))
}

/// The names in the keys of a target.
fn names_in<'e>(of: &Fixed<'e>) -> HashSet<&'e str> {
    let mut names = HashSet::new();
    for access in &of.effect.target.path {
        if let Access::Index(keys) = access {
            keys.iter().for_each(|key| expr_names(key, &mut names));
        }
    }
    names
}

/// Returns true if a condition has this term as a part, outside of what binds names.
fn reads(condition: &Expr, target: &str) -> bool {
    if matches!(&*condition.kind, ExprKind::Quant(..) | ExprKind::Comprehension(..) | ExprKind::Let(..)) {
        return false;
    }
    if print_expr(condition) == target {
        return true;
    }
    let mut found = false;
    visit::children(condition, &mut |part| found |= reads(part, target));
    found
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    #[test]
    fn pieces_cleared_before_they_are_copied() {
        let helps = |body: &str| {
            let text = format!(
                "game \"Lost on the way\"; players A, B; board C = grid(2, 3);
                 state {{ on[c: C]: Player? = none; n: 0..4 = 0; }}
                 move step(c: C, d: Dir) as \"{{c}}\" {{ when on[c] = me and on[c + d] = none; {body} }} play normal;"
            );
            found(&text, Code::W0313).into_iter().map(|found| (found.title, found.help)).collect::<Vec<_>>()
        };
        let [(title, Some(help))] = &helps("on[c] := none; then { on[c + d] := on[c]; }")[..] else {
            panic!()
        };
        assert_eq!(title, "this effect reads `on[c]` after `on[c] := none`");
        assert!(help.starts_with("write `on[c + d] <- on[c];` in place of both, without `then`"), "{help:?}");
        let [(title, _)] = &helps("on[c] := none; then { let man = on[c]; on[c + d] := man; }")[..] else {
            panic!()
        };
        assert_eq!(title, "this `let` reads `on[c]` after `on[c] := none`");
        assert_eq!(helps("on[c] := none; on[c + d] := on[c]; then { n += 1; }"), []);
        assert_eq!(helps("on[c] := none; then { on[c + d] := me; }"), []);
    }

    #[test]
    fn what_is_ensured_was_there_before() {
        let told = |body: &str| {
            let text = format!(
                "game \"Guard\"; players A, B; enum Kind {{ egg, tin }} board C = strip(4);
                 state {{ at[c: C]: Kind? = egg; here: C = a1; }}
                 move smash(i: C) as \"{{i}}\" {{ when at[i] != none; {body} }} play normal;"
            );
            found(&text, Code::W0313).into_iter().map(|found| (found.title, found.help)).collect::<Vec<_>>()
        };
        let [(title, Some(help))] = &told("at[i] := none; then { ensure at[i] = egg; }")[..] else {
            panic!()
        };
        assert_eq!(title, "this `ensure` reads `at[i]` after `at[i] := none`");
        assert!(help.contains("write `when ...;` in place of the `ensure`"), "{help}");
        for body in [
            "at[i] := none; then { ensure at[here] = egg; }",
            "at[i] := none; then { ensure all c in C: at[c] != tin or at[c] = at[here]; }",
            "at[here] := none; here := i; then { ensure at[here] = egg; }",
            "at[i] := none; then { ensure some i in C: at[i] = egg; }",
        ] {
            assert_eq!(told(body), [], "{body}");
        }
    }

    #[test]
    fn values_set_before() {
        let titles = |body: &str| {
            let text = format!(
                "game \"Read late\"; players A, B;
                 state {{ n: 0..4 = 0; last: 1..3? = none; hits[p: Player]: 0..4 = 0; }}
                 def beats(x: 1..3, y: 1..3) = x > y;
                 move go(k: 1..3) as \"{{k}}\" {{ when k != last; n += 1; {body} }}
                 end {{ when n = 4 => highest hits; }}"
            );
            found(&text, Code::W0313).into_iter().map(|found| found.title).collect::<Vec<_>>()
        };
        let late = ["this `if` reads `last` after `last := none`"];
        for body in [
            "last := none; then { if last = k { hits[me] += 1; } else { last := k; } }",
            "then { if n > 2 and beats(k, last) { hits[me] += 1; } } last := none;",
            "last := none; if k = 1 { then { if n < 3 { if last = k { hits[me] += 1; } } } }",
        ] {
            assert_eq!(titles(body), late, "{body}");
        }
        for body in [
            "last := k; then { if last = k { hits[me] += 1; } }",
            "last := none; if last = k { hits[me] += 1; }",
            "last := none; if k = 2 { last := k; } then { if last = k { hits[me] += 1; } }",
            "last := none; then { last := k; then { if last = k { hits[me] += 1; } } }",
            "then { last := none; if last = k { hits[me] += 1; } }",
            "hits[me] := 0; then { if hits[opponent] = 1 { hits[me] += 1; } }",
            "hits[me] := 0; then { last := if hits[opponent] = 1 then k else none; }",
            "last := none; then { last := k; }",
        ] {
            assert_eq!(titles(body), [""; 0], "{body}");
        }
    }
}
