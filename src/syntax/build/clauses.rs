//! Builds statements, end rules and claims: the contents of the braces of items.

use super::exprs::comparison_sign;
use super::{Builder, Parts, RulePair, doc_lines};
use crate::ast::{
    Access, Actor, Bind, Claim, ClaimKind, CmpOp, DisplayHint, Effect, EffectOp, EndCondition, EndRule,
    Expect, Expr, FieldDecl, HintArm, OutcomeClause, OutcomeKind, PhaseDecl, Setting, Stmt, StmtBlock,
    StmtKind, Target, TestStep, Visibility,
};
use crate::grammar::Rule;

impl Builder<'_> {
    /// Builds a `block`.
    pub(super) fn block(&mut self, node: RulePair) -> StmtBlock {
        let span = self.span(&node);
        let nodes = Parts::of(node).take_all(Rule::stmt);
        StmtBlock { stmts: nodes.into_iter().map(|node| self.stmt(node)).collect(), span }
    }

    fn stmt(&mut self, node: RulePair) -> Stmt {
        let mut parts = Parts::of(node);
        parts.take_all(Rule::doc);
        let node = parts.need();
        let span = self.span(&node);
        Stmt { kind: self.stmt_kind(node), span }
    }

    fn stmt_kind(&mut self, node: RulePair) -> StmtKind {
        let rule = node.as_rule();
        if rule == Rule::effect_s {
            return StmtKind::Effect(self.effect(node));
        }
        if rule == Rule::if_s {
            return self.if_stmt(node);
        }
        let mut parts = Parts::of(node);
        match rule {
            Rule::when_s => StmtKind::When(self.expr(parts.need())),
            Rule::ensure_s => StmtKind::Ensure(self.expr(parts.need())),
            Rule::weight_s => StmtKind::Weight(self.expr(parts.need())),
            Rule::next_s => StmtKind::Next(self.expr(parts.need())),
            Rule::let_s => {
                let pattern = self.pattern(parts.need());
                StmtKind::Let(pattern, self.expr(parts.need()))
            }
            Rule::then_s => StmtKind::Then(self.block(parts.need())),
            Rule::for_s => {
                let binders = self.binders(&mut parts);
                StmtKind::For(binders, self.block(parts.need()))
            }
            Rule::again_s => StmtKind::Again,
            Rule::continue_s => StmtKind::Continue(self.name(parts.need())),
            Rule::call_s => {
                let name = self.path(parts.need(), ".");
                StmtKind::Call(name, self.exprs(parts.need()))
            }
            other => unreachable!("{other:?} is no statement"),
        }
    }

    fn if_stmt(&mut self, node: RulePair) -> StmtKind {
        let mut parts = Parts::of(node);
        let condition = self.expr(parts.need());
        let then = self.block(parts.need());
        let otherwise = parts.next().map(|node| match node.as_rule() {
            Rule::block => self.block(node),
            _ => {
                let span = self.span(&node);
                StmtBlock { stmts: vec![Stmt { kind: self.if_stmt(node), span }], span }
            }
        });
        StmtKind::If(condition, then, otherwise)
    }

    /// Builds an `effect_s`.
    pub(super) fn effect(&mut self, node: RulePair) -> Effect {
        let mut parts = Parts::of(node);
        let target = self.target(parts.need());
        let sign = parts.need();
        let op = match sign.as_str() {
            ":=" => EffectOp::Set,
            "+=" => EffectOp::Add,
            "-=" => EffectOp::Subtract,
            "|=" => EffectOp::Insert,
            _ => EffectOp::Move,
        };
        Effect { target, op, op_span: self.span(&sign), value: self.expr(parts.need()) }
    }

    fn target(&mut self, node: RulePair) -> Target {
        let span = self.span(&node);
        let mut parts = Parts::of(node);
        let name = self.name(parts.need());
        let mut path = Vec::new();
        while let Some(node) = parts.next() {
            path.push(match node.as_rule() {
                Rule::index => Access::Index(self.exprs(node)),
                _ => Access::Part(self.part(node)),
            });
        }
        Target { name, path, span }
    }

    /// Builds the effects among the parts of a node.
    pub fn effects(&mut self, node: RulePair) -> Vec<Effect> {
        Parts::of(node).take_all(Rule::effect_s).into_iter().map(|node| self.effect(node)).collect()
    }

    /// Builds a `field` of the state.
    pub(super) fn field(&mut self, node: RulePair) -> FieldDecl {
        let whole = self.span(&node);
        let mut parts = Parts::of(node);
        let docs = parts.take_all(Rule::doc);
        let doc_end = docs.last().map(|doc| self.span(doc).end);
        let doc = doc_lines(docs);
        let transient = parts.take(Rule::transient_mark).map(|mark| self.span(&mark));
        let name = self.name(parts.need());
        let keys = parts.take(Rule::keys).map_or_else(Vec::new, |node| self.binds(node));
        let ty = self.ty(parts.need());
        let init = parts.take(Rule::expr).map(|node| self.expr(node));
        let visibility = match parts.next() {
            None => Visibility::Public,
            Some(node) if node.as_rule() == Rule::hidden => Visibility::Hidden,
            Some(node) => Visibility::To(self.expr(Parts::of(node).need())),
        };
        let start = transient.unwrap_or(name.span).start.max(doc_end.unwrap_or(0));
        let span = bouton_base::source::Span { start, ..whole };
        FieldDecl { doc, transient: transient.is_some(), name, keys, ty, init, visibility, span }
    }

    /// Builds every `x: T` among the parts of a node.
    pub(super) fn binds(&mut self, node: RulePair) -> Vec<Bind> {
        let nodes = Parts::of(node).take_all(Rule::bind);
        nodes.into_iter().map(|node| self.bind(node)).collect()
    }

    /// Builds `x: T`.
    pub(super) fn bind(&mut self, node: RulePair) -> Bind {
        let mut parts = Parts::of(node);
        let name = self.name(parts.need());
        Bind { name, ty: self.ty(parts.need()) }
    }

    /// Builds a `phase`.
    pub(super) fn phase(&mut self, node: RulePair) -> PhaseDecl {
        let mut parts = Parts::of(node);
        let doc = doc_lines(parts.take_all(Rule::doc));
        let setup = parts.take(Rule::setup_mark).is_some();
        let name = self.name(parts.need());
        let actor = parts.next().map(|node| self.actor(node));
        PhaseDecl { doc, setup, name, actor }
    }

    /// Builds an `actor`.
    pub(super) fn actor(&mut self, node: RulePair) -> Actor {
        let node = Parts::of(node).need();
        match node.as_rule() {
            Rule::each_actor => Actor::Each(self.span(&node)),
            Rule::chance_actor => Actor::Chance(self.span(&node)),
            _ => Actor::Player(self.range(node)),
        }
    }

    /// Builds an `end_rule`.
    pub(super) fn end_rule(&mut self, node: RulePair) -> EndRule {
        let whole = self.span(&node);
        let mut parts = Parts::of(node);
        let doc = doc_lines(parts.take_all(Rule::doc));
        let condition = parts.need();
        let span = bouton_base::source::Span { start: self.span(&condition).start, ..whole };
        let is_repeat = condition.as_rule() == Rule::repeat_end;
        let mut inner = Parts::of(condition);
        let condition = if is_repeat {
            let count = inner.take(Rule::number).map(|node| self.number(node));
            let of = inner.take(Rule::repeat_of).map(|node| self.expr(Parts::of(node).need()));
            EndCondition::Repeat { count, of, condition: inner.next().map(|node| self.expr(node)) }
        } else {
            let binder = inner.take(Rule::binder).map(|node| self.binder(node));
            EndCondition::When { binder, condition: self.expr(inner.need()) }
        };
        EndRule { doc, condition, outcome: self.outcome(parts.need()), span }
    }

    fn outcome(&mut self, node: RulePair) -> OutcomeClause {
        let span = self.span(&node);
        let node = Parts::of(node).need();
        let rule = node.as_rule();
        let mut parts = Parts::of(node);
        let kind = match rule {
            Rule::draw => OutcomeKind::Draw,
            Rule::win => OutcomeKind::Win,
            Rule::lose => OutcomeKind::Lose,
            Rule::highest => OutcomeKind::Highest(self.expr(parts.need())),
            Rule::lowest => OutcomeKind::Lowest(self.expr(parts.need())),
            Rule::payoff => {
                let player = self.name(parts.need());
                OutcomeKind::Payoff(player, self.expr(parts.need()))
            }
            _ => {
                let player = self.expr(parts.need());
                match parts.need().as_rule() {
                    Rule::wins => OutcomeKind::Wins(player),
                    _ => OutcomeKind::Loses(player),
                }
            }
        };
        OutcomeClause { kind, span }
    }

    /// Builds a `hint` of `display`.
    pub(super) fn hint(&mut self, node: RulePair) -> DisplayHint {
        let span = self.span(&node);
        let mut parts = Parts::of(node);
        let kind = self.name(parts.need());
        let subject = parts.take(Rule::expr).map(|node| self.expr(node));
        let mut arms = Vec::new();
        for arm in
            parts.take(Rule::hint_arms).map_or_else(Vec::new, |n| Parts::of(n).take_all(Rule::hint_arm))
        {
            let mut parts = Parts::of(arm);
            let (value, sign) = (self.expr(parts.need()), self.expr(parts.need()));
            let words = parts.take(Rule::look).map_or_else(Vec::new, |n| Parts::of(n).take_all(Rule::ident));
            let look = words.into_iter().map(|word| self.name(word)).collect();
            arms.push(HintArm { value, sign, look });
        }
        DisplayHint { kind, subject, arms, span }
    }

    /// Builds the settings of a `with`, if it is the next part.
    pub(super) fn with(&mut self, parts: &mut Parts) -> Vec<Setting> {
        let node = parts.take(Rule::with);
        node.map_or_else(Vec::new, |node| {
            let nodes = Parts::of(node).take_all(Rule::setting);
            nodes.into_iter().map(|node| self.setting(node)).collect()
        })
    }

    /// Builds `n = 3`.
    pub(super) fn setting(&mut self, node: RulePair) -> Setting {
        let mut parts = Parts::of(node);
        let name = self.path(parts.need(), ".");
        Setting { name, value: self.expr(parts.need()) }
    }

    /// Builds an `expect_decl`.
    pub(super) fn expect(&mut self, node: RulePair) -> Expect {
        let span = self.span(&node);
        let mut parts = Parts::of(node);
        let claim = self.claim(parts.need());
        let settings = self.with(&mut parts);
        let cite = parts.next().map(|node| self.string(node));
        Expect { claim, settings, cite, span }
    }

    fn claim(&mut self, node: RulePair) -> Claim {
        let span = self.span(&node);
        let node = Parts::of(node).need();
        let rule = node.as_rule();
        let mut parts = Parts::of(node);
        let kind = match rule {
            Rule::perft => {
                let depth = self.number(parts.need());
                let by_turn = parts.take(Rule::by_turn).is_some();
                ClaimKind::Perft { depth, by_turn, count: self.number(parts.need()) }
            }
            Rule::positions => self.measure(&mut parts, ClaimKind::Positions),
            Rule::nimber => self.measure(&mut parts, ClaimKind::Nimber),
            Rule::value => self.measure(&mut parts, ClaimKind::Value),
            Rule::moves => ClaimKind::Moves(self.range(parts.need())),
            Rule::legal => ClaimKind::Legal(self.expr(parts.need())),
            Rule::illegal => ClaimKind::Illegal(self.expr(parts.need())),
            Rule::draw => ClaimKind::Draw,
            Rule::solved => ClaimKind::SolvedIn(self.number(parts.need())),
            _ => self.wins_claim(&mut parts),
        };
        Claim { kind, span }
    }

    fn measure(&mut self, parts: &mut Parts, kind: fn(CmpOp, Expr) -> ClaimKind) -> ClaimKind {
        let sign = comparison_sign(parts.need().as_str());
        kind(sign, self.range(parts.need()))
    }

    fn wins_claim(&mut self, parts: &mut Parts) -> ClaimKind {
        let player = self.expr(parts.need());
        let Some(verdict) = parts.next() else { return ClaimKind::Holds(player) };
        let plies = parts.next().map(|node| self.number(node));
        match verdict.as_rule() {
            Rule::wins => ClaimKind::Wins { player, plies },
            _ => ClaimKind::Loses { player, plies },
        }
    }

    /// Builds a step of a test.
    pub(super) fn test_step(&mut self, node: RulePair) -> TestStep {
        let span = self.span(&node);
        match node.as_rule() {
            Rule::test_position => TestStep::Position(self.effects(node), span),
            Rule::test_play => TestStep::Play(self.exprs(node), span),
            _ => TestStep::Expect(self.expect(node)),
        }
    }
}
