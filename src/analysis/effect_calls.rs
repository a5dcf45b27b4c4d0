//! The calls of effects in the text, for lints that look through them.

use super::analyzer::Analyzer;
use bouton_base::source::Span;
use bouton_syntax::ast::{Expr, Item, ItemKind, StmtBlock, StmtKind};

/// A call of an effect.
#[derive(Clone, Copy)]
pub(super) struct EffectCall<'a> {
    pub name: &'a str,
    args: &'a [Expr],
    pub span: Span,
    /// The move of the file that it stands in; `None` in another item.
    caller: Option<Span>,
}

impl EffectCall<'_> {
    /// The call as a statement: `share(me);`.
    pub fn words(&self) -> String {
        let args: Vec<String> = self.args.iter().map(bouton_syntax::print_expr).collect();
        format!("{}({});", self.name, args.join(", "))
    }
}

impl<'a> Analyzer<'a> {
    /// The calls of effects in all items, with the moves that they stand in.
    pub(super) fn effect_calls(&self) -> Vec<EffectCall<'a>> {
        let mut calls = Vec::new();
        for (item, own) in self.items() {
            match &item.kind {
                ItemKind::Move(of) => {
                    let place = own.then_some(item.span);
                    calls_in(&of.body, place, &mut calls);
                }
                ItemKind::EveryMove(body) | ItemKind::Effect { body, .. } => calls_in(body, None, &mut calls),
                _ => {}
            }
        }
        calls
    }
}

/// Collects the calls of effects of a block.
fn calls_in<'a>(block: &'a StmtBlock, caller: Option<Span>, found: &mut Vec<EffectCall<'a>>) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Call(name, args) => {
                found.push(EffectCall { name: &name.text, args, span: stmt.span, caller })
            }
            StmtKind::If(_, yes, no) => {
                calls_in(yes, caller, found);
                no.iter().for_each(|no| calls_in(no, caller, found));
            }
            StmtKind::For(_, block) | StmtKind::Then(block) => calls_in(block, caller, found),
            _ => {}
        }
    }
}

/// The call of an effect, an item, below an effect of a move; `None` unless all calls are in moves, each below one of
/// these effects of its move.
pub(super) fn call_below<'a>(
    item: &Item,
    calls: &[EffectCall<'a>],
    effect: Span,
    effects: &[Span],
) -> Option<EffectCall<'a>> {
    let ItemKind::Effect { name, .. } = &item.kind else { return None };
    let is_below = |call: &EffectCall, effect: &Span| {
        call.caller.is_some_and(|caller| caller.covers(*effect)) && effect.end <= call.span.start
    };
    let mut own = calls.iter().filter(|call| call.name == name.text);
    let all_are_below = own.clone().all(|call| effects.iter().any(|effect| is_below(call, effect)));
    own.find(|call| is_below(call, &effect)).copied().filter(|_| all_are_below)
}
