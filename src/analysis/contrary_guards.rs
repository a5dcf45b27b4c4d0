//! W0126 for a condition of a move that contradicts another one around it: `when at[to] = none` before
//! `if at[to] = me`, and for one in `then` that contradicts the effect before it.

use super::analyzer::Analyzer;
use super::expr::{BUILT_IN_NAMES, EqualityTest};
use super::guards::conjuncts;
use super::repeated_guards::{Held, forget};
use super::symbols::SymbolKind;
use bouton_base::source::Span;
use bouton_syntax::ast::{self, EffectOp, ExprKind, StmtBlock, StmtKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

/// An effect `x := v` whose value no later position changes.
struct Assigned<'e> {
    target: String,
    value: &'e ast::Expr,
    span: Span,
}

impl<'a> Analyzer<'a> {
    /// Collects the reports on the conditions of a block that contradict those that hold around it.
    pub(super) fn contrary_in<'e>(
        &self,
        block: &'e StmtBlock,
        mut held: Vec<Held<'e>>,
        found: &mut Vec<Diagnostic>,
    ) {
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::When(condition) => held = self.held_beside(condition, held, "when", found),
                StmtKind::If(condition, yes, no) => {
                    let inside = self.held_beside(condition, held.clone(), "if", found);
                    self.contrary_in(yes, inside, found);
                    no.iter().for_each(|no| self.contrary_in(no, held.clone(), found));
                }
                StmtKind::Let(pattern, _) => forget(pattern, &mut held),
                StmtKind::For(binders, inner) => {
                    let mut inside = held.clone();
                    binders.iter().for_each(|binder| forget(&binder.pattern, &mut inside));
                    self.contrary_in(inner, inside, found);
                }
                StmtKind::Then(inner) => {
                    self.against_effects(block, inner, found);
                    self.contrary_in(inner, Vec::new(), found);
                }
                _ => {}
            }
        }
    }

    /// Reports the parts of a condition that contradict one that holds, and adds the others.
    fn held_beside<'e>(
        &self,
        condition: &'e ast::Expr,
        mut held: Vec<Held<'e>>,
        word: &str,
        found: &mut Vec<Diagnostic>,
    ) -> Vec<Held<'e>> {
        let before = held.clone();
        let mut parts = Vec::new();
        conjuncts(condition, &mut parts);
        // What reads the position before the effects above it is told as that.
        let reads_early =
            |known: &Diagnostic| known.code == Code::W0313 && known.span().covers(condition.span);
        if self.diagnostics.iter().any(reads_early) {
            return held;
        }
        for part in parts {
            if let Some(first) = before.iter().find(|first| self.are_contrary(first.condition, part)) {
                let (text, asked) = (print_expr(part), &first.text);
                let title = format!("this is never true: `{asked}` is asked for above");
                let told = Diagnostic::new(Code::W0126, title, part.span, "never true beside it");
                let help = match word {
                    "if" => {
                        "this `if` reads the position before the move, too: a condition on what the move has set \
                         stands in `then { ... }`"
                            .to_owned()
                    }
                    _ => format!("no position has both: leave one out, or write `{asked} or {text}`"),
                };
                found.push(told.label(first.condition.span, "holds here").help(help));
            } else {
                held.push(Held { condition: part, text: print_expr(part) });
            }
        }
        held
    }

    /// Returns true for two comparisons of one term that never hold together.
    fn are_contrary(&self, first: &ast::Expr, second: &ast::Expr) -> bool {
        let [Some(first), Some(second)] = [first, second].map(|side| EqualityTest::of(side.bare())) else {
            return false;
        };
        if print_expr(first.left) != print_expr(second.left) {
            return false;
        }
        let is_same = print_expr(first.right) == print_expr(second.right);
        match (first.is_unequal, second.is_unequal) {
            (true, true) => false,
            (false, false) => self.are_apart(first.right, second.right),
            _ => is_same,
        }
    }

    /// Returns true for two values that are never the same: `none` and a player, two numbers, two members.
    fn are_apart(&self, a: &ast::Expr, b: &ast::Expr) -> bool {
        let is_free = |name: &str| self.symbols.get(name).is_none();
        let is_member =
            |name: &str| is_free(name) && self.members.contains_key(name) && !BUILT_IN_NAMES.contains(&name);
        let is_player = |name: &str| is_free(name) && matches!(name, "me" | "opponent");
        match (&*a.bare().kind, &*b.bare().kind) {
            (ExprKind::Number(a), ExprKind::Number(b)) => {
                matches!((a.parse::<i64>(), b.parse::<i64>()), (Ok(a), Ok(b)) if a != b)
            }
            (ExprKind::None, ExprKind::Name(name)) | (ExprKind::Name(name), ExprKind::None) => {
                is_player(name) || is_member(name)
            }
            (ExprKind::None, ExprKind::Number(_)) | (ExprKind::Number(_), ExprKind::None) => true,
            (ExprKind::Name(a), ExprKind::Name(b)) => {
                a != b && (is_member(a) && is_member(b) || is_player(a) && is_player(b))
            }
            _ => false,
        }
    }

    /// Reports the conditions in a `then` that the effects before it decide to be false.
    fn against_effects(&self, block: &StmtBlock, inner: &StmtBlock, found: &mut Vec<Diagnostic>) {
        let assigned: Vec<Assigned<'_>> = block
            .stmts
            .iter()
            .filter_map(|stmt| match &stmt.kind {
                StmtKind::Effect(effect)
                    if effect.op == EffectOp::Set && self.stays_as_it_is(&effect.value) =>
                {
                    let target = self.fixed_target(&effect.target)?;
                    Some(Assigned { target, value: &effect.value, span: stmt.span })
                }
                _ => None,
            })
            .collect();
        for stmt in &inner.stmts {
            let condition = match &stmt.kind {
                // Another variable of the name may be meant further down.
                StmtKind::Let(..) => return,
                StmtKind::If(condition, ..) => condition,
                _ => continue,
            };
            let mut parts = Vec::new();
            conjuncts(condition, &mut parts);
            for part in parts {
                let Some(test) = EqualityTest::of(part.bare()) else { continue };
                let term = print_expr(test.left);
                let Some(effect) = assigned.iter().find(|effect| effect.target == term) else { continue };
                let is_same = print_expr(effect.value) == print_expr(test.right);
                let is_never = match test.is_unequal {
                    true => is_same,
                    false => self.are_apart(effect.value, test.right),
                };
                if is_never {
                    let title =
                        format!("this is never true: `{term}` is `{}` by now", print_expr(effect.value));
                    let told = Diagnostic::new(Code::W0126, title, part.span, "never true");
                    let help = "in `then` the effects before it are done: for the position before the move put the condition \
                                before `then`, or write the other term that is meant";
                    found.push(told.label(effect.span, "set here").help(help));
                }
            }
        }
    }

    /// Returns true for a number, a member or a variable, which no effect changes.
    fn stays_as_it_is(&self, term: &ast::Expr) -> bool {
        match &*term.bare().kind {
            ExprKind::Number(_) | ExprKind::None | ExprKind::Bool(_) => true,
            ExprKind::Name(name) => match self.symbols.get(name.as_str()).map(|symbol| &symbol.kind) {
                Some(SymbolKind::Const { .. } | SymbolKind::Param { .. }) => true,
                Some(_) => false,
                None => name != "mover" && name != "phase",
            },
            _ => false,
        }
    }

    /// The target of an effect as a term, if its keys stay what they are.
    fn fixed_target(&self, target: &ast::Target) -> Option<String> {
        match &target.path[..] {
            [] => Some(target.name.text.clone()),
            [ast::Access::Index(keys)] if keys.iter().all(|key| self.stays_as_it_is(key)) => {
                let keys: Vec<String> = keys.iter().map(print_expr).collect();
                Some(format!("{}[{}]", target.name.text, keys.join(", ")))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::{Code, Diagnostic};

    fn all(body: &str) -> Vec<Diagnostic> {
        let text = format!(
            "game \"Seat\"; players A, B; enum Wood {{ elm, ash }} board Cell = strip(4);
             state {{ at[c: Cell]: Player? = none; n: 0..9 = 0; last: Wood? = none; }}
             move go(c: Cell, w: Wood) as \"{{c}}{{w}}\" {{ {body} }}
             end {{ when n = 9 => draw; when last = ash and at[a1] = A => A wins; when stuck => draw; }}"
        );
        found(&text, Code::W0126)
    }

    fn told(body: &str) -> Vec<String> {
        all(body).into_iter().map(|found| found.title).collect()
    }

    const PUT: &str = "when at[c] = none; at[c] := me; last := w;";

    #[test]
    fn effects_read_the_position_before() {
        let found = all(&format!("{PUT} if at[c] = me {{ n += 1; }}"));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].title, "this is never true: `at[c] = none` is asked for above");
        assert!(found[0].help.as_deref().is_some_and(|help| help.contains("`then { ... }`")));
        assert_eq!(
            told("when last = elm; when at[c] = none; if last = ash and at[c] != none { n += 1; } at[c] := me; last := w;").len(),
            2
        );
        for body in [
            "then { if at[c] = me { n += 1; } }",
            "if last = w { n += 1; }",
            "for c in Cell { if at[c] = me and n < 5 { n := 5; } }",
            "if n = 1 or at[c] = me { n += 1; }",
        ] {
            assert_eq!(told(&format!("{PUT} {body}")), [""; 0], "{body}");
        }
    }

    #[test]
    fn later_stages_read_what_is_set() {
        let never = ["this is never true: `last` is `w` by now"];
        assert_eq!(told(&format!("{PUT} then {{ if last != w {{ n += 1; }} }}")), never);
        let never = ["this is never true: `at[c]` is `me` by now"];
        assert_eq!(told(&format!("{PUT} then {{ if at[c] = opponent {{ n += 1; }} }}")), never);
        for body in [
            "then { if last = elm { n += 1; } }",
            "then { if last != elm { n += 1; } }",
            "then { n += 1; then { if at[c] != w { n += 1; } } }",
            "if last != w { n += 1; }",
        ] {
            assert_eq!(
                told(&format!("{PUT} {}", body.replace("at[c] != w", "at[c] != opponent"))),
                [""; 0],
                "{body}"
            );
        }
    }
}
