//! Prints statements, end rules, hints, claims and tests.

use super::exprs::{binder, comparison, expr, list, pattern, quoted};
use super::{after, docs, pad, print_setting, put};
use crate::ast::{
    Access, ClaimKind, DisplayHint, Effect, EffectOp, EndCondition, EndRule, Expect, OutcomeClause,
    OutcomeKind, Setting, Stmt, StmtBlock, StmtKind, Test, TestStep,
};

/// Writes a block that begins on the current line; its closing brace is on a line of its own.
pub(super) fn block(out: &mut String, body: &StmtBlock, indent: usize) {
    if body.stmts.is_empty() {
        out.push_str("{ }");
        return;
    }
    out.push_str("{\n");
    for clause in &body.stmts {
        pad(out, indent + 1);
        stmt(out, clause, indent + 1);
        out.push('\n');
    }
    pad(out, indent);
    out.push('}');
}

fn stmt(out: &mut String, clause: &Stmt, indent: usize) {
    match &clause.kind {
        StmtKind::Then(body) => {
            out.push_str("then ");
            return block(out, body, indent);
        }
        StmtKind::If(condition, then, otherwise) => {
            after(out, "if ", Some(condition));
            out.push(' ');
            block(out, then, indent);
            if let Some(otherwise) = otherwise {
                out.push_str(" else ");
                alternative(out, otherwise, indent);
            }
            return;
        }
        StmtKind::For(ranges, body) => {
            out.push_str("for ");
            list(out, ranges, binder);
            out.push(' ');
            return block(out, body, indent);
        }
        StmtKind::When(condition) => after(out, "when ", Some(condition)),
        StmtKind::Ensure(condition) => after(out, "ensure ", Some(condition)),
        StmtKind::Weight(weight) => after(out, "weight ", Some(weight)),
        StmtKind::Next(player) => after(out, "next ", Some(player)),
        StmtKind::Let(name, value) => {
            out.push_str("let ");
            pattern(out, name);
            after(out, " = ", Some(value));
        }
        StmtKind::Again => out.push_str("again"),
        StmtKind::Continue(phase) => put(out, &["continue ", &phase.text]),
        StmtKind::Call(name, arguments) => {
            put(out, &[&name.text, "("]);
            list(out, arguments, expr);
            out.push(')');
        }
        StmtKind::Effect(change) => effect(out, change),
    }
    out.push(';');
}

/// Writes the block after `else`; an `else if` has the span of its only statement.
fn alternative(out: &mut String, body: &StmtBlock, indent: usize) {
    match &body.stmts[..] {
        [only] if matches!(only.kind, StmtKind::If(..)) && only.span == body.span => stmt(out, only, indent),
        _ => block(out, body, indent),
    }
}

pub(super) fn effect(out: &mut String, change: &Effect) {
    out.push_str(&change.target.name.text);
    for step in &change.target.path {
        match step {
            Access::Index(keys) => {
                out.push('[');
                list(out, keys, expr);
                out.push(']');
            }
            Access::Part(name) => put(out, &[".", &name.text]),
        }
    }
    put(out, &[" ", effect_sign(change.op), " "]);
    expr(out, &change.value);
}

/// The operator of an effect.
pub fn effect_sign(op: EffectOp) -> &'static str {
    match op {
        EffectOp::Set => ":=",
        EffectOp::Add => "+=",
        EffectOp::Subtract => "-=",
        EffectOp::Insert => "|=",
        EffectOp::Move => "<-",
    }
}

/// Writes a rule of `end`.
pub(super) fn end_rule(out: &mut String, rule: &EndRule) {
    docs(out, &rule.doc, 1);
    out.push_str("  ");
    match &rule.condition {
        EndCondition::When { binder: range, condition } => {
            if let Some(range) = range {
                out.push_str("for ");
                binder(out, range);
                out.push(' ');
            }
            after(out, "when ", Some(condition));
        }
        EndCondition::Repeat { count, of, condition } => {
            out.push_str("repeat");
            if let Some(count) = count {
                put(out, &[" ", &count.text]);
            }
            after(out, " of ", of.as_ref());
            after(out, " when ", condition.as_ref());
        }
    }
    out.push_str(" => ");
    outcome(out, &rule.outcome);
    out.push_str(";\n");
}

fn outcome(out: &mut String, what: &OutcomeClause) {
    match &what.kind {
        OutcomeKind::Draw => out.push_str("draw"),
        OutcomeKind::Win => out.push_str("win"),
        OutcomeKind::Lose => out.push_str("lose"),
        OutcomeKind::Wins(player) => {
            expr(out, player);
            out.push_str(" wins");
        }
        OutcomeKind::Loses(player) => {
            expr(out, player);
            out.push_str(" loses");
        }
        OutcomeKind::Highest(value) => after(out, "highest ", Some(value)),
        OutcomeKind::Lowest(value) => after(out, "lowest ", Some(value)),
        OutcomeKind::Payoff(player, value) => {
            put(out, &["payoff ", &player.text]);
            after(out, ": ", Some(value));
        }
    }
}

/// Writes a line of `display`.
pub(super) fn hint(out: &mut String, line: &DisplayHint) {
    put(out, &["  ", &line.kind.text]);
    after(out, " ", line.subject.as_ref());
    if !line.arms.is_empty() {
        out.push_str(" { ");
        list(out, &line.arms, |out, arm| {
            expr(out, &arm.value);
            after(out, " => ", Some(&arm.sign));
            if !arm.look.is_empty() {
                out.push_str(" as");
                arm.look.iter().for_each(|word| put(out, &[" ", &word.text]));
            }
        });
        out.push_str(" }");
    }
    out.push_str(";\n");
}

/// Writes an expectation on a line of its own.
pub(super) fn expect(out: &mut String, line: &Expect, indent: usize) {
    pad(out, indent);
    out.push_str("expect ");
    claim(out, &line.claim.kind);
    with(out, &line.settings);
    if let Some(source) = &line.cite {
        put(out, &[" cite ", &quoted(&source.text)]);
    }
    out.push_str(";\n");
}

fn with(out: &mut String, settings: &[Setting]) {
    if !settings.is_empty() {
        out.push_str(" with ");
        list(out, settings, print_setting);
    }
}

pub(super) fn claim(out: &mut String, kind: &ClaimKind) {
    match kind {
        ClaimKind::Perft { depth, by_turn, count } => {
            let turn = if *by_turn { " by turn" } else { "" };
            put(out, &["perft ", &depth.text, turn, " = ", &count.text]);
        }
        ClaimKind::Positions(op, value) => {
            after(out, &format!("positions {} ", comparison(*op)), Some(value))
        }
        ClaimKind::Nimber(op, value) => after(out, &format!("nimber {} ", comparison(*op)), Some(value)),
        ClaimKind::Value(op, value) => after(out, &format!("value {} ", comparison(*op)), Some(value)),
        ClaimKind::Moves(moves) => after(out, "moves = ", Some(moves)),
        ClaimKind::Legal(name) => after(out, "legal ", Some(name)),
        ClaimKind::Illegal(name) => after(out, "illegal ", Some(name)),
        ClaimKind::Draw => out.push_str("draw"),
        ClaimKind::SolvedIn(plies) => put(out, &["solved in ", &plies.text]),
        ClaimKind::Holds(condition) => expr(out, condition),
        ClaimKind::Wins { player, plies } | ClaimKind::Loses { player, plies } => {
            expr(out, player);
            out.push_str(if matches!(kind, ClaimKind::Wins { .. }) { " wins" } else { " loses" });
            if let Some(plies) = plies {
                put(out, &[" in ", &plies.text]);
            }
        }
    }
}

pub(super) fn test(out: &mut String, item: &Test) {
    put(out, &["test ", &quoted(&item.name.text)]);
    with(out, &item.settings);
    out.push_str(" {\n");
    for step in &item.steps {
        match step {
            TestStep::Position(effects, _) => {
                out.push_str("  position {\n");
                for change in effects {
                    pad(out, 2);
                    effect(out, change);
                    out.push_str(";\n");
                }
                out.push_str("  }\n");
            }
            TestStep::Play(moves, _) => {
                out.push_str("  play ");
                list(out, moves, expr);
                out.push_str(";\n");
            }
            TestStep::Expect(line) => expect(out, line, 1),
        }
    }
    out.push_str("}\n");
}
