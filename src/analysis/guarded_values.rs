//! W0312 for effects that the conditions of their move make meaningless: `place[a] := torch` where
//! `place[a] = torch` is required, `closed -= { x }` where `x not in closed` is, and `at[from] <- at[to]`
//! where `at[from]` is the mover's and `at[to]` may be empty.

use std::collections::{HashMap, HashSet, VecDeque};

use super::analyzer::Analyzer;
use super::emptied_reads::effects_in;
use super::expr::nobody_moves::with_name;
use super::expr::{EqualityTest, operands};
use super::guards::{conditions, conjuncts};
use super::symbols::SymbolKind;
use bouton_base::source::Span;
use bouton_syntax::ast::{
    BinaryOp, Effect, EffectOp, Expr, ExprKind, ItemKind, MoveDecl, Pattern, StmtBlock, StmtKind,
};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::{print_effect, print_expr};

/// The terms that the conditions of a move say are equal, as printed.
struct Equalities {
    pairs: HashMap<String, Vec<(String, Span)>>,
}

/// An effect of the first stage and its place.
type Placed<'e> = (&'e Effect, Span);

impl<'a> Analyzer<'a> {
    /// Runs the lints of this module.
    pub(super) fn guarded_values(&mut self) {
        let elsewhere = self.set_for_several_moves();
        let mut found = Vec::new();
        for (item, own) in self.items() {
            if let ItemKind::Move(of) = &item.kind
                && own
            {
                let mut all = Vec::new();
                effects_in(&of.body, &mut all);
                let mut first = Vec::new();
                first_effects(&of.body, &mut first);
                // A loop may set the cell as well.
                let is_plain = |(effect, _): &&Placed<'_>| {
                    let name = effect.target.name.text.as_str();
                    let is_on_it = |other: &Effect| other.target.name.text == name;
                    all.iter().filter(|other| is_on_it(other)).count()
                        == first.iter().filter(|(other, _)| is_on_it(other)).count()
                        && !elsewhere.contains(name)
                        && !self.is_transient(name)
                };
                let effects: Vec<Placed<'_>> = first.iter().filter(is_plain).copied().collect();
                found.extend(values_kept(&of.body, &effects));
                found.extend(self.elements_kept(&of.body, &effects));
                found.extend(effects.iter().filter_map(|effect| self.taken_the_wrong_way(of, *effect)));
            }
        }
        for found in found {
            // A field that never changes is one mistake.
            let is_it = |at: Span| at.covers(found.span()) || found.span().covers(at);
            let is_known = |d: &Diagnostic| d.labels.iter().any(|label| is_it(label.span));
            if !self.diagnostics.iter().any(is_known) {
                self.report(found);
            }
        }
    }

    /// The warnings of `closed -= { x }` where `x not in closed` is required, and of `closed |= { x }` where
    /// `x in closed`.
    fn elements_kept(&self, body: &StmtBlock, effects: &[Placed<'_>]) -> Vec<Diagnostic> {
        let known = self.conditions_in_words(body);
        let mut found = Vec::new();
        for (effect, place) in effects {
            let (sign, relation, state) = match effect.op {
                EffectOp::Insert => ("|=", "in", "is in it already"),
                EffectOp::Subtract => ("-=", "not in", "is not in it"),
                _ => continue,
            };
            let ExprKind::Set(elements) = &*effect.value.bare().kind else { continue };
            let [element] = &elements[..] else { continue };
            let name = &effect.target.name.text;
            if effects.iter().filter(|(other, _)| other.target.name.text == *name).count() > 1 {
                continue;
            }
            let (text, element) = (print_effect(effect), print_expr(element.bare()));
            let Some((target, _)) = text.split_once(&format!(" {sign} ")) else { continue };
            let asked = format!("{element} {relation} {target}");
            let Some((_, condition)) = known.iter().find(|(words, _)| *words == asked) else { continue };
            let title = format!("the effect `{text}` changes nothing");
            let told = Diagnostic::new(Code::W0312, title, *place, format!("`{element}` {state}"));
            let told = told.label(*condition, format!("the move asks for `{asked}`"));
            found.push(told.help(match effect.op {
                EffectOp::Insert => format!(
                    "`|=` puts an element in, `-=` takes one out: write `{target} -= {{ {element} }};`, or change the \
                     condition"
                ),
                _ => format!(
                    "`-=` takes an element out, `|=` puts one in: write `{target} |= {{ {element} }};`, or change the \
                     condition"
                ),
            }));
        }
        found
    }

    /// The conditions of a move as printed, and those that their definitions stand for.
    fn conditions_in_words(&self, body: &StmtBlock) -> Vec<(String, Span)> {
        let mut found = Vec::new();
        for condition in conditions(body) {
            found.push((print_expr(condition), condition.span));
            let (name, args) = match &*condition.kind {
                ExprKind::Call(name, args) => (name.as_name(), &args[..]),
                _ => (condition.as_name(), &[][..]),
            };
            let declared = name.and_then(|name| self.symbols.get(name)).map(|symbol| &symbol.kind);
            let Some(SymbolKind::Def { item, .. }) = declared else { continue };
            let ItemKind::Def { formals, body, .. } = &item.kind else { continue };
            let formals = formals.as_deref().unwrap_or_default();
            // A name that takes the place of another one must not be taken for a third.
            let is_formal = |arg: &Expr| formals.iter().any(|of| arg.bare().as_name() == Some(&of.name.text));
            let is_plain = args.iter().all(|arg| arg.bare().as_name().is_some())
                && (args.len() <= 1 || !args.iter().any(is_formal));
            if !is_plain || formals.len() != args.len() {
                continue;
            }
            let mut parts = Vec::new();
            conjuncts(body, &mut parts);
            found.extend(parts.into_iter().map(|part| {
                let words = formals.iter().zip(args).fold(print_expr(part), |words, (formal, arg)| {
                    with_name(&words, &formal.name.text, &print_expr(arg.bare()))
                });
                (words, condition.span)
            }));
        }
        found
    }

    fn is_transient(&self, name: &str) -> bool {
        self.rules.fields.iter().any(|field| field.name == name && field.transient)
    }

    /// The warning of `at[from] <- at[to]` where `at[from]` is the mover's, and `at[to]` may be `none` by the
    /// conditions.
    fn taken_the_wrong_way(&self, of: &MoveDecl, placed: Placed<'_>) -> Option<Diagnostic> {
        let (effect, place) = placed;
        if effect.op != EffectOp::Move {
            return None;
        }
        let text = print_effect(effect);
        let (target, source) = text.split_once(" <- ")?;
        let own = own_piece(&of.body, target).or_else(|| self.own_by_a_definition(&of.body, target))?;
        let conditions = conditions(&of.body);
        let empty = conditions.into_iter().find(|condition| {
            let sides = operands(BinaryOp::Or, condition.bare());
            let is_empty = sides.iter().any(|side| says_none(side, source));
            sides.len() > 1
                && is_empty
                && sides.iter().all(|side| is_of_cell(side, source) || self.is_call_on(side, source))
        })?;
        let title =
            format!("this puts `{source}`, which may be `none`, in the place of the mover's `{target}`");
        let told = Diagnostic::new(Code::W0312, title, place, format!("`{source}` goes to `{target}`"));
        let told = told.label(own, format!("`{target}` is the mover's")).label(empty.span, "may be empty");
        Some(told.help(format!(
            "the value goes from right to left: if `{target}` is to move, write `{source} <- {target};`; if it is to be \
             taken away, `{target} := none;`"
        )))
    }

    /// The condition whose definition says that a cell, as printed, holds a piece of the mover's:
    /// `mine(from, me)`, by which `on[from] = Man(me, rook)`.
    fn own_by_a_definition(&self, body: &StmtBlock, cell: &str) -> Option<Span> {
        let start = format!("{cell} = ");
        let is_own = |words: &String| {
            let piece = words.strip_prefix(&start).filter(|piece| !piece.contains(" or "));
            piece.is_some_and(|piece| {
                piece.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "me")
            })
        };
        self.conditions_in_words(body).into_iter().find(|(words, _)| is_own(words)).map(|(_, place)| place)
    }

    /// Returns true for the call of a definition that asks what a cell, as printed, holds: `mine(to,
    /// opponent)`.
    fn is_call_on(&self, condition: &Expr, cell: &str) -> bool {
        let ExprKind::Call(callee, args) = &*condition.bare().kind else { return false };
        let Some((field, key)) = cell.split_once('[') else { return false };
        let has_key = args.iter().any(|arg| format!("{}]", print_expr(arg.bare())) == key);
        let reads = |body: &Expr| {
            let mut names = HashSet::new();
            super::lints::expr_names(body, &mut names);
            names.contains(field)
        };
        has_key
            && self.items().any(|(item, _)| match &item.kind {
                ItemKind::Def { name, body, .. } => callee.as_name() == Some(&name.text) && reads(body),
                _ => false,
            })
    }
}

impl Equalities {
    fn of(body: &StmtBlock) -> Equalities {
        let mut pairs: HashMap<String, Vec<(String, Span)>> = HashMap::new();
        for condition in conditions(body) {
            let Some(test) = EqualityTest::of(condition).filter(|test| !test.is_unequal) else { continue };
            let [left, right] = [test.left, test.right].map(|side| print_expr(side.bare()));
            pairs.entry(left.clone()).or_default().push((right.clone(), condition.span));
            pairs.entry(right).or_default().push((left, condition.span));
        }
        Equalities { pairs }
    }

    /// The conditions that make two terms equal, the fewest there are.
    fn between(&self, from: &str, to: &str) -> Option<Vec<Span>> {
        let mut seen = HashSet::from([from]);
        let mut open = VecDeque::from([(from, Vec::new())]);
        while let Some((term, path)) = open.pop_front() {
            for (next, condition) in self.pairs.get(term).into_iter().flatten() {
                let path = [&path[..], &[*condition]].concat();
                if next == to {
                    return Some(path);
                }
                if seen.insert(next) {
                    open.push_back((next, path));
                }
            }
        }
        None
    }
}

/// The warnings of the effects that set what a cell holds already.
fn values_kept(body: &StmtBlock, effects: &[Placed<'_>]) -> Vec<Diagnostic> {
    let equal = Equalities::of(body);
    let mut found = Vec::new();
    for (effect, place) in effects.iter().filter(|(effect, _)| effect.op == EffectOp::Set) {
        let text = print_effect(effect);
        let Some((target, value)) = text.split_once(" := ") else { continue };
        let Some(conditions) = equal.between(target, value) else { continue };
        let title = format!("the effect `{text}` changes nothing");
        let label = format!("`{target}` is `{value}` already");
        let told =
            conditions.iter().fold(Diagnostic::new(Code::W0312, title, *place, label), |told, condition| {
                told.label(*condition, "the move asks for this")
            });
        found.push(told.help(format!(
            "write the new value after `:=`, or change the condition; if `{target}` is to stay as it is, leave the \
             effect out"
        )));
    }
    found
}

/// The condition that says that a cell, as printed, or a part of what it holds, is `me`; also by the name of
/// a `let`.
fn own_piece(body: &StmtBlock, cell: &str) -> Option<Span> {
    let mut names = vec![cell.to_owned()];
    for stmt in &body.stmts {
        if let StmtKind::Let(Pattern::Name(name), value) = &stmt.kind
            && print_expr(value.bare()) == cell
        {
            names.push(name.text.clone());
        }
    }
    let is_it = |side: &Expr| {
        let held = match &*side.bare().kind {
            ExprKind::Part(of, _) => of.bare(),
            _ => side.bare(),
        };
        names.contains(&print_expr(held))
    };
    conditions(body).into_iter().find_map(|condition| {
        let test = EqualityTest::of(condition).filter(|test| !test.is_unequal)?;
        let is_me = |side: &Expr| side.bare().as_name() == Some("me");
        let is_own = is_me(test.right) && is_it(test.left) || is_me(test.left) && is_it(test.right);
        is_own.then_some(condition.span)
    })
}

/// Returns true for the condition that a term, as printed, is `none`.
fn says_none(condition: &Expr, term: &str) -> bool {
    let Some(test) = EqualityTest::of(condition.bare()).filter(|test| !test.is_unequal) else { return false };
    [(test.left, test.right), (test.right, test.left)]
        .iter()
        .any(|(a, b)| matches!(&*b.bare().kind, ExprKind::None) && print_expr(a.bare()) == term)
}

/// Returns true for a comparison of what a cell, as printed, holds, or of a part of it.
fn is_of_cell(condition: &Expr, cell: &str) -> bool {
    let is_it = |side: &Expr| match &*side.bare().kind {
        ExprKind::Part(of, _) => print_expr(of.bare()) == cell,
        _ => print_expr(side.bare()) == cell,
    };
    EqualityTest::of(condition.bare()).is_some_and(|test| is_it(test.left) || is_it(test.right))
}

/// Collects the effects of the first stage, those of loops left out.
fn first_effects<'e>(block: &'e StmtBlock, found: &mut Vec<Placed<'e>>) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Effect(effect) => found.push((effect, stmt.span)),
            StmtKind::If(_, yes, no) => {
                first_effects(yes, found);
                no.iter().for_each(|no| first_effects(no, found));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn titles(body: &str) -> Vec<(String, usize)> {
        let text = format!(
            "game \"Steps\"; players A, B; board Cell = strip(4); record Man(owner: Player, big: bool);
             state {{ at[c: Cell]: Player? = if c = a1 then A else none; man[c: Cell]: Man? = none; n: 0..9 = 0;
               torch: 1..2 = 1; transient held: Player? = none; }}
             def own(c: Cell, p: Player) = at[c] = p;
             move go(a: Cell, b: Cell) as \"{{a}}-{{b}}\" {{ when n < 9; n += 1; {body} }}
             move tell() {{ when held = none and torch = 1 and n > 3; torch := 2; held := me; at[a1] := me;
               man[b1] := Man(me, true); }}
             end {{ when n = 9 and some c in Cell: at[c] = A and man[c] = none => draw; when stuck => draw; }}"
        );
        found(&text, Code::W0312).into_iter().map(|found| (found.title, found.labels.len())).collect()
    }

    #[test]
    fn values_that_are_asked_for_stay() {
        let nothing =
            |text: &str, labels: usize| vec![(format!("the effect `{text}` changes nothing"), labels)];
        assert_eq!(titles("when at[a] = opponent; at[a] := opponent;"), nothing("at[a] := opponent", 2));
        assert_eq!(
            titles("when (me = at[a]) and a != b; if n > 2 { at[a] := me; }"),
            nothing("at[a] := me", 2)
        );
        assert_eq!(
            titles("when at[a] = at[b] and at[b] = none; at[a] := none;"),
            nothing("at[a] := none", 3)
        );
        assert_eq!(
            titles("when at[a] = me and at[b] = none; at[a] := me; at[b] := me;"),
            nothing("at[a] := me", 2)
        );
        for body in [
            "when at[a] = opponent; at[a] := me;",
            "when at[a] = me or n > 3; at[a] := me;",
            "when at[a] != me; at[a] := me;",
            "when at[a] = me; at[b] := me;",
            "when at[a] = me; for c in Cell { at[c] := none; } at[a] := me;",
            "when at[a] = me; at[a] := none; then { at[a] := me; }",
            "when held = none; held := none;",
            "when n = torch; at[a] := me;",
        ] {
            assert_eq!(titles(body), [], "{body}");
        }
    }

    #[test]
    fn elements_that_are_asked_for_stay() {
        let titles = |condition: &str, effect: &str| {
            let text = format!(
                "game \"Paths\"; players A, B; board Cell = strip(4);
                 state {{ closed: set of Cell = {{}}; here: Cell = a1; n: 0..9 = 0; }}
                 def open(c: Cell) = c not in closed and c != here;
                 move go(a: Cell) as \"{{a}}\" {{ when {condition} and n < 9; n += 1; here := a; {effect} }}
                 move shut(a: Cell) as \"shut {{a}}\" {{ when n = 3; closed |= {{ a }}; n := 4; }}
                 end {{ when n = 9 => mover wins; when stuck => draw; }}"
            );
            found(&text, Code::W0312).into_iter().map(|found| found.title).collect::<Vec<_>>()
        };
        let out = ["the effect `closed -= { a }` changes nothing"];
        let put = ["the effect `closed |= { a }` changes nothing"];
        assert_eq!(titles("a not in closed", "closed -= { a };"), out);
        assert_eq!(titles("open(a)", "closed -= { a };"), out);
        assert_eq!(titles("a in closed", "closed |= { a };"), put);
        for (condition, effect) in [
            ("open(a)", "closed |= { a };"),
            ("a in closed", "closed -= { a };"),
            ("open(a)", "closed -= { here };"),
            ("(open(a) or n > 3)", "closed -= { a };"),
            ("open(here)", "closed -= { a };"),
            ("open(a)", "closed -= { a }; closed |= { here };"),
        ] {
            assert_eq!(titles(condition, effect), [""; 0], "{condition} {effect}");
        }
    }

    #[test]
    fn arrows_point_to_the_place() {
        let of = |place: &str| {
            vec![(
                format!(
                    "this puts `{place}[b]`, which may be `none`, in the place of the mover's `{place}[a]`"
                ),
                3,
            )]
        };
        assert_eq!(titles("when at[a] = me and (at[b] = none or at[b] != me); at[a] <- at[b];"), of("at"));
        let by_name = "let m = man[a]; when m.owner = me; when man[b] = none or man[b].owner != me;";
        assert_eq!(titles(&format!("{by_name} man[a] <- man[b];")), of("man"));
        for effect in ["man[b] <- man[a];", "man[b] := man[a];", "man[a] := none;"] {
            assert_eq!(titles(&format!("{by_name} {effect}")), [], "{effect}");
        }
        assert_eq!(
            titles("when own(a, me) and (at[b] = none or own(b, opponent)); at[a] <- at[b];"),
            of("at")
        );
        assert_eq!(titles("when own(a, me) and (at[b] = none or own(b, opponent)); at[b] <- at[a];"), []);
        assert_eq!(titles("when own(a, opponent) and (at[b] = none or own(b, me)); at[a] <- at[b];"), []);
        assert_eq!(titles("when at[a] = none and (at[b] = me or n > 3); at[a] <- at[b];"), []);
        assert_eq!(titles("when at[a] = me and at[b] = opponent; at[a] <- at[b];"), []);
    }
}
