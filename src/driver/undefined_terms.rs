//! The terms of a move that have no value in a position: a key outside its domain, a `none`, an argument outside the
//! range of its parameter.

use std::collections::HashMap;

use super::check::statement_mentions;
use super::faults::effects;
use super::later_stages;
use super::one_of;
use super::undefined_steps;
use bouton_base::source::Span;
use bouton_base::words::count_with_noun;
use bouton_rules::{
    Arith, Arm, Binder, Block, BoardFn, Def, Domain, Effect, EffectOp, Expr, ExprKind, Fold, KeyDomain, Move,
    Pattern, StmtKind, ToMove, Type, Value, VarId,
};
use bouton_rules::{PLAYER, Rules, cell_of};
use bouton_search::game::{Fault, Game, MoveInstance, State};

/// A term without a value in a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UndefinedTerm {
    pub span: Span,
    /// The reason, as a label of the term.
    pub reason: String,
    pub kind: UndefinedKind,
}

/// The kinds of reasons why a term has no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UndefinedKind {
    /// A key is outside its domain.
    Key,
    /// A number is outside of keys from 0 that other terms bring round by `mod` and this number.
    Round(i64),
    /// A table has no entry for the keys; the place and the name of its declaration.
    Entry(Span, String),
    /// A constant list has fewer elements; the place of its declaration.
    List(Span),
    /// A number is 0 where the keys count from 1, and its own range begins at 0.
    CountFromZero,
    /// A term of constants has no value in any position.
    Always,
    /// A step leads off the board.
    Step,
    /// A value is `none`.
    None,
    /// None or several elements fit a term with `one`.
    One,
    /// The value of a definition is outside its declared range; the place and the name of its declaration.
    Result(Span, String),
    /// An argument is outside the range of the parameter of a definition.
    Argument,
    /// The stage before changed a number that the term reads.
    Later(Box<UndefinedKind>),
}

impl UndefinedKind {
    /// Returns true if a value is `none`, also in a later stage.
    pub fn is_none(&self) -> bool {
        match self {
            UndefinedKind::Later(inner) => inner.is_none(),
            kind => *kind == UndefinedKind::None,
        }
    }
}

/// Returns the term because of which the effect of a fault has no value; `None` if it is not found.
pub fn in_effect(game: &Game, state: &State, fault: &Fault) -> Option<UndefinedTerm> {
    let players = 0..game.rules.players().len() as u32;
    let own = |player: Option<u32>, play| OwnPart { player, play };
    let parts: Vec<OwnPart<'_>> = match fault.play.as_deref()? {
        MoveInstance::Joint(parts) => parts.iter().map(|(player, part)| own(Some(*player), part)).collect(),
        alone if is_tried_alone(game, state, fault) => {
            players.map(|player| own(Some(player), alone)).collect()
        }
        only => vec![own(None, only)],
    };
    parts.into_iter().find_map(|part| in_part(game, state, fault, part))
}

/// Returns true if the effect of a fault has no value either when all players make the move of the fault together.
pub fn is_undefined_together(game: &Game, state: &State, fault: &Fault) -> bool {
    let Some(play) = fault.play.as_deref() else { return false };
    let players = 0..game.rules.players().len() as u32;
    let parts: Vec<(u32, MoveInstance)> = players.map(|player| (player, play.clone())).collect();
    let play = Some(MoveInstance::Joint(parts).into());
    in_effect(game, state, &Fault { play, ..fault.clone() }).is_some()
}

/// The move of one player in the play of a fault; without a player it is that of the player to move.
struct OwnPart<'a> {
    player: Option<u32>,
    play: &'a MoveInstance,
}

/// Returns true if the fault is that of the move of one player where all move at once: each is tried alone as well.
pub fn is_tried_alone(game: &Game, state: &State, fault: &Fault) -> bool {
    matches!(fault.play.as_deref(), Some(MoveInstance::Move(..)))
        && matches!(game.machine.turn(state), Ok(ToMove::Simultaneous))
}

/// Returns the term without a value in the part of a player in the play of a fault.
fn in_part(game: &Game, state: &State, fault: &Fault, part: OwnPart<'_>) -> Option<UndefinedTerm> {
    let MoveInstance::Move(id, args) = part.play else { return None };
    let of = &game.rules.moves[*id];
    let mut scope = Scope::of(game, state, of, args);
    scope.me = part.player.map(|player| game.rules.player(player)).or(scope.me);
    if let Some(mut found) = scope.effect_in(&of.body, fault.span) {
        if found.kind == UndefinedKind::Key
            && let Some(count) = scope.ring
            && brings_round(&game.rules, of, count)
        {
            found.kind = UndefinedKind::Round(count);
        }
        return Some(found);
    }
    let stage = later_stages::stage_of(&of.body, fault.span)?;
    let before = state;
    let play = match (fault.play.as_deref()?, part.player) {
        (alone @ MoveInstance::Move(..), Some(player)) => &MoveInstance::Joint(vec![(player, alone.clone())]),
        (all, _) => all,
    };
    let (game, state) = later_stages::position_before(game, state, play, stage.span)?;
    for stmt in &of.body.stmts {
        if let StmtKind::Let(pattern, value) = &stmt.kind {
            scope.bind(pattern, value);
        }
    }
    let Scope { values, unknown, me, .. } = scope;
    let mut later = Scope { game: &game, state: &state, values, unknown, me, ring: None };
    let found = later.effect_in(stage.block, fault.span)?;
    Some(tell_of_the_stage_before(of, fault.span, found, before, &later))
}

/// Returns true if the weight of the event of a fault is 0.
pub fn is_without_weight(game: &Game, state: &State, fault: &Fault) -> bool {
    let Some(MoveInstance::Move(id, args)) = fault.play.as_deref() else { return false };
    let of = &game.rules.moves[*id];
    let weight = of.weight.as_ref().and_then(|weight| Scope::of(game, state, of, args).value(weight));
    weight == Some(Value::Int(0))
}

/// Adds to a term of a later stage the number that the stage before raised or lowered, if the effect reads one.
fn tell_of_the_stage_before(
    of: &Move,
    place: Span,
    mut found: UndefinedTerm,
    before: &State,
    later: &Scope<'_>,
) -> UndefinedTerm {
    let rules = later.rules();
    let all = effects(&of.body);
    let Some((late, _)) = all.iter().find(|(_, of)| *of == place) else { return found };
    for (id, field) in rules.fields.entries() {
        let is_field = |kind: &ExprKind| matches!(kind, ExprKind::Field(of, _) if *of == id);
        let is_changed =
            all.iter().any(|(effect, at)| effect.field == id && effect.op != EffectOp::Set && *at != place);
        if !is_changed || !field.keys.is_empty() || !rules.mentions(&late.value, &is_field) {
            continue;
        }
        let [old, new] = [before, later.state].map(|state| later.game.machine.read(state, id, 0));
        if old != new {
            let (old, new) = (rules.show(&old), rules.show(&new));
            let name = &field.name;
            found.reason.push_str(&format!("; the stage before changed `{name}` from {old} to {new}"));
            found.kind = UndefinedKind::Later(Box::new(found.kind));
            break;
        }
    }
    found
}

/// Returns true if a term of a move or of a definition is a remainder by this number.
fn brings_round(rules: &Rules, of: &Move, count: i64) -> bool {
    let is_remainder = |kind: &ExprKind| match kind {
        ExprKind::Arith { op: Arith::Mod, right, .. } => right.constant() == Some(&Value::Int(count)),
        _ => false,
    };
    of.body.any(&|stmt| statement_mentions(rules, stmt, &is_remainder))
        || rules.defs.iter().any(|def| rules.mentions(&def.body, &is_remainder))
}

/// Returns the first term without a value in a condition of a move, for these arguments.
pub fn in_condition(
    game: &Game,
    state: &State,
    of: &Move,
    place: Span,
    args: &[Value],
) -> Option<UndefinedTerm> {
    let mut scope = Scope::of(game, state, of, args);
    for stmt in &of.body.stmts {
        match &stmt.kind {
            StmtKind::Require(term) | StmtKind::Let(_, term) if stmt.span == place => {
                return scope.find(term);
            }
            StmtKind::Let(pattern, value) => scope.bind(pattern, value),
            _ => {}
        }
    }
    None
}

/// The values of the names of a move in a position.
pub(super) struct Scope<'g> {
    pub(super) game: &'g Game,
    pub(super) state: &'g State,
    pub(super) values: HashMap<VarId, Value>,
    /// The names whose values are not known.
    pub(super) unknown: Vec<VarId>,
    /// The player who makes the move.
    pub(super) me: Option<Value>,
    /// The number of keys, if those of the term that was found are 0 and the numbers behind it.
    pub(super) ring: Option<i64>,
}

impl<'g> Scope<'g> {
    pub(super) fn of(game: &'g Game, state: &'g State, of: &Move, args: &[Value]) -> Self {
        let me = match game.machine.turn(state) {
            Ok(ToMove::Player(player)) => Some(Value::Sym(PLAYER, player)),
            _ => None,
        };
        let values = of.params.iter().map(|param| param.var).zip(args.iter().cloned()).collect();
        Scope { game, state, values, unknown: Vec::new(), me, ring: None }
    }

    fn rules(&self) -> &'g Rules {
        &self.game.rules
    }

    pub(super) fn bind(&mut self, pattern: &Pattern, value: &Expr) {
        match (pattern, self.value(value)) {
            (Pattern::Var(var), Some(value)) => drop(self.values.insert(*var, value)),
            (pattern, _) => pattern_vars(pattern, &mut self.unknown),
        }
    }

    /// Finds the term in the effect at a place, if it is in the first stage.
    fn effect_in(&mut self, block: &Block, place: Span) -> Option<UndefinedTerm> {
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Let(pattern, value) => self.bind(pattern, value),
                StmtKind::Effect(effect) if stmt.span == place => {
                    let found = self.find_in_effect(effect, place)?;
                    let keys = &self.rules().fields[effect.field].keys;
                    let mut asked = keys.iter().zip(&effect.keys);
                    if let Some((KeyDomain { ty: Type::Int(first, last), .. }, key)) =
                        asked.find(|(_, key)| key.span == found.span)
                    {
                        self.ring = (*first == 0 && keys.len() == 1).then_some(last + 1);
                        let counts = *first == 1
                            && key.ty.interval().is_some_and(|(low, high)| low == 0 && high <= *last);
                        if counts && self.value(key) == Some(Value::Int(0)) {
                            return Some(UndefinedTerm { kind: UndefinedKind::CountFromZero, ..found });
                        }
                    }
                    return Some(found);
                }
                StmtKind::If(_, yes, no) => {
                    if let Some(found) = self.effect_in(yes, place).or_else(|| self.effect_in(no, place)) {
                        return Some(found);
                    }
                }
                StmtKind::For(binders, inner) if inner.stmts.iter().any(|stmt| stmt.span.covers(place)) => {
                    return self.loop_in(binders, inner, place);
                }
                _ => {}
            }
        }
        None
    }

    /// Finds the term in the effect at a place in a loop, for the first elements for which it has no value.
    fn loop_in(&mut self, binders: &[Binder], block: &Block, place: Span) -> Option<UndefinedTerm> {
        let Some((binder, rest)) = binders.split_first() else { return self.effect_in(block, place) };
        let Pattern::Var(var) = binder.pattern else { return None };
        let elements = match &binder.domain {
            Domain::Fixed(values) => values.to_vec(),
            Domain::Set(set) => self.value(set)?.as_set()?.to_vec(),
        };
        elements.into_iter().find_map(|element| {
            self.values.insert(var, element);
            let is_left_out = binder
                .condition
                .as_ref()
                .is_some_and(|condition| self.value(condition) != Some(Value::Bool(true)));
            if is_left_out { None } else { self.loop_in(rest, block, place) }
        })
    }

    fn find_in_effect(&self, effect: &Effect, place: Span) -> Option<UndefinedTerm> {
        let field = &self.rules().fields[effect.field];
        let mut keys = effect.keys.iter();
        keys.find_map(|key| self.find(key))
            .or_else(|| {
                let (key, reason) = self.outside(&field.name, &field.keys, &effect.keys)?;
                let span = if key.is_placed() { key } else { place };
                Some(UndefinedTerm { span, reason, kind: UndefinedKind::Key })
            })
            .or_else(|| self.find(&effect.value))
            .or_else(|| undefined_steps::off_board(self, &effect.value))
    }

    /// Finds the first term without a value, the innermost first. Terms behind binders are left out.
    fn find(&self, expr: &Expr) -> Option<UndefinedTerm> {
        let of = |span: Span, reason: String, kind| Some(UndefinedTerm { span, reason, kind });
        let first_of = |parts: &[Expr]| parts.iter().find_map(|part| self.find(part));
        match &*expr.kind {
            ExprKind::If(condition, yes, no) => {
                self.find(condition).or_else(|| match self.value(condition)? {
                    Value::Bool(true) => self.find(yes),
                    _ => self.find(no),
                })
            }
            ExprKind::Undefined if expr.span.is_placed() => {
                of(expr.span, "this has a value in no position".to_owned(), UndefinedKind::Always)
            }
            // The first part that does not hold is the reason.
            ExprKind::And(parts) => {
                self.find(parts.iter().find(|part| self.value(part) != Some(Value::Bool(true)))?)
            }
            ExprKind::Fold(Fold::One, binders, body) if expr.span.is_placed() => {
                one_of::undefined(self, expr, binders, body)
            }
            ExprKind::Quant(..) | ExprKind::Fold(..) | ExprKind::Collect(..) | ExprKind::Defined(_) => None,
            ExprKind::Let(Pattern::Var(var), value, body) => self.find(value).or_else(|| {
                let mut values = self.values.clone();
                values.insert(*var, self.value(value)?);
                let (unknown, me) = (self.unknown.clone(), self.me.clone());
                Scope { values, unknown, me, ring: None, ..*self }.find(body)
            }),
            ExprKind::Let(..) => None,
            ExprKind::Match(matched, arms) => self.find(matched).or_else(|| {
                let arm = arms.iter().find(|arm| self.fits(matched, arm))?;
                self.find(&arm.value)
            }),
            ExprKind::Field(id, keys) => first_of(keys).or_else(|| {
                let field = &self.rules().fields[*id];
                let (span, reason) = self.outside(&field.name, &field.keys, keys)?;
                of(span, reason, UndefinedKind::Key)
            }),
            ExprKind::Table(id, keys) => first_of(keys).or_else(|| {
                let table = &self.rules().tables[*id];
                if !table.span.is_placed() {
                    return None;
                }
                if table.name == "list"
                    && let Some((span, _)) = self.outside(&table.name, &table.keys, keys)
                {
                    let count = count_with_noun(table.values.len() as u64, "element", "elements");
                    let asked = keys.first().and_then(|key| self.value(key)).unwrap_or(Value::None);
                    let shown = self.rules().show(&asked);
                    let reason = match asked {
                        Value::Int(0) => {
                            "this is 0, and the first element of a list has the number 1".to_owned()
                        }
                        _ => format!("this is {shown}, and the list has {count}"),
                    };
                    return of(span, reason, UndefinedKind::List(table.span));
                }
                if let Some((span, reason)) = self.outside(&table.name, &table.keys, keys) {
                    return of(span, reason, UndefinedKind::Key);
                }
                let values: Vec<Value> = keys.iter().map(|key| self.value(key)).collect::<Option<_>>()?;
                let is_missing = table.values.get(cell_of(&table.keys, &values)?)?.is_none();
                let shown: Vec<String> = values.iter().map(|value| self.rules().show(value)).collect();
                let reason = format!("`{}[{}]` has no value", table.name, shown.join(", "));
                let kind = UndefinedKind::Entry(table.span, table.name.clone());
                is_missing.then_some(UndefinedTerm { span: expr.span, reason, kind })
            }),
            ExprKind::Board(BoardFn::At, id, args) => first_of(args).or_else(|| {
                let numbers: Vec<Value> = args.iter().map(|arg| self.value(arg)).collect::<Option<_>>()?;
                let is_cell = self.value(expr).is_some();
                let shown: Vec<String> = numbers.iter().map(|number| self.rules().show(number)).collect();
                let board = &self.rules().boards[*id];
                let from_one = match numbers.contains(&Value::Int(0)) {
                    true => ": columns and rows count from 1",
                    false => "",
                };
                let reason =
                    format!("`{}({})` is no cell of the board{from_one}", board.name, shown.join(", "));
                (!is_cell).then(|| of(expr.span, reason, UndefinedKind::Key))?
            }),
            ExprKind::Present(inner) => self.find(inner).or_else(|| {
                let is_none = self.value(inner) == Some(Value::None);
                is_none.then(|| of(inner.span, "this is `none` here".to_owned(), UndefinedKind::None))?
            }),
            ExprKind::Call(id, args) => first_of(args).or_else(|| {
                let def = &self.rules().defs[*id];
                let outside = def.params.iter().zip(args).find_map(|(param, arg)| {
                    let (Type::Int(low, high), Value::Int(value)) = (&def.vars[*param].ty, self.value(arg)?)
                    else {
                        return None;
                    };
                    let name = &def.vars[*param].name;
                    let reason =
                        format!("{value} is no value of `{name}: {low}..{high}`, so `{}` has none", def.name);
                    let is_outside = !(*low..=*high).contains(&value);
                    is_outside.then(|| of(arg.span, reason, UndefinedKind::Argument))?
                });
                outside
                    .or_else(|| self.result_outside(expr.span, def, args))
                    .or_else(|| self.in_definition(def, args))
            }),
            _ => {
                let mut found = None;
                expr.each_part(&mut |part| found = found.take().or_else(|| self.find(part)));
                found
            }
        }
    }

    /// Returns true if the pattern of an arm fits the value of a term.
    fn fits(&self, matched: &Expr, arm: &Arm) -> bool {
        let yes = Expr::new(ExprKind::Const(Value::Bool(true)), Type::Bool, matched.span);
        let only = Arm { pattern: arm.pattern.clone(), value: yes };
        let alone = ExprKind::Match(matched.clone(), vec![only]);
        self.value(&Expr::new(alone, Type::Bool, matched.span)) == Some(Value::Bool(true))
    }

    /// The term without a value in the body of a definition, for the arguments of a call.
    fn in_definition(&self, def: &Def, args: &[Expr]) -> Option<UndefinedTerm> {
        let args: Vec<Value> = args.iter().map(|arg| self.value(arg)).collect::<Option<_>>()?;
        let values = def.params.iter().copied().zip(args).collect();
        let inner = Scope { values, unknown: Vec::new(), me: self.me.clone(), ring: None, ..*self };
        inner.find(&def.body).filter(|found| found.span.is_placed())
    }

    /// The call of a definition whose result is outside the declared range.
    fn result_outside(&self, span: Span, def: &Def, args: &[Expr]) -> Option<UndefinedTerm> {
        let (low, high) = def.ty.interval()?;
        let args: Vec<Value> = args.iter().map(|arg| self.value(arg)).collect::<Option<_>>()?;
        let values = def.params.iter().copied().zip(args).collect();
        let inner = Scope { values, unknown: Vec::new(), me: self.me.clone(), ring: None, ..*self };
        let Value::Int(value) = inner.value(&def.body)? else { return None };
        let reason = format!("this is {value}, outside the range that `{}` declares", def.name);
        let kind = UndefinedKind::Result(def.span, def.name.clone());
        (def.span.is_placed() && !(low..=high).contains(&value)).then_some(UndefinedTerm {
            span,
            reason,
            kind,
        })
    }

    /// The first number that is outside the domain of its key, with the reason.
    fn outside(&self, name: &str, domains: &[KeyDomain], keys: &[Expr]) -> Option<(Span, String)> {
        domains.iter().zip(keys).find_map(|(domain, key)| {
            let value = self.value(key)?;
            if !matches!(value, Value::Int(_)) || domain.values.contains(&value) {
                return None;
            }
            let keys = self.rules().show_type(&domain.ty);
            Some((
                key.span,
                format!("{} is no key of `{name}`: its keys are {keys}", self.rules().show(&value)),
            ))
        })
    }

    /// The value of a term; `None` if it has none, or if it is not known.
    pub(super) fn value(&self, expr: &Expr) -> Option<Value> {
        let is_unknown = |part: &ExprKind| match part {
            ExprKind::Var(var) => self.unknown.contains(var),
            ExprKind::Me => self.me.is_none(),
            ExprKind::Call(def, _) => self.rules().defs[*def].uses_me,
            _ => false,
        };
        if self.rules().mentions(expr, &is_unknown) {
            return None;
        }
        let mut bound = expr.clone();
        self.substitute(&mut bound);
        self.game.machine.eval(self.state, &bound).ok()?
    }

    fn substitute(&self, expr: &mut Expr) {
        let value = match &*expr.kind {
            ExprKind::Var(var) => self.values.get(var).cloned(),
            ExprKind::Me => self.me.clone(),
            _ => None,
        };
        match value {
            Some(value) => *expr.kind = ExprKind::Const(value),
            None => expr.each_part_mut(&mut |part| self.substitute(part)),
        }
    }
}

fn pattern_vars(pattern: &Pattern, found: &mut Vec<VarId>) {
    match pattern {
        Pattern::Var(var) => found.push(*var),
        Pattern::Tuple(parts) => parts.iter().for_each(|part| pattern_vars(part, found)),
    }
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    /// The first label and the help of the first E0330 of a game of two; empty if there is none.
    fn label_and_help(rest: &str) -> (String, String) {
        let found = findings_of_two(rest, Code::E0330).into_iter().next();
        found.map(|found| (found.labels[0].text.clone(), found.help.unwrap_or_default())).unwrap_or_default()
    }

    #[test]
    fn keys_outside_of_their_domain_are_named() {
        let label = |effect: &str| {
            let rest = format!(
                "const worth[k: 1..3]: 0..9 = 2 * k; const short: list of 0..9 = [2, 4, 6]; state {{ n: 0..9 = 0; at[k: 1..3]: 0..9 = 0; }}
                 move add(k: 1..3) as \"{{k}}\" {{ when n < 2; let next = k + 1; n += 1; {effect} }} play normal;"
            );
            let found = findings_of_two(&rest, Code::E0330);
            found.first().map(|found| found.labels[0].text.clone()).unwrap_or_default()
        };
        assert_eq!(label("at[1] := worth[next];"), "4 is no key of `worth`: its keys are 1..3");
        assert_eq!(label("at[1] := short[next];"), "this is 4, and the list has 3 elements");
        assert_eq!(label("at[k - 1] := 1;"), "0 is no key of `at`: its keys are 1..3");
        assert_eq!(label("at[1] := if k = 3 then 1 else worth[next];"), "");
        assert_eq!(label("for i in 1..2 { at[k + i] += 1; }"), "4 is no key of `at`: its keys are 1..3");
        assert_eq!(label("for i in 1..3 where i < 3 and k + i < 4 { at[k + i] += 1; }"), "");
    }

    #[test]
    fn definitions_are_followed_and_the_stage_before_is_named() {
        let told = |effect: &str| {
            let rest = format!(
                "const coins: list of 0..9 = [2, 4, 6]; state {{ low: 1..9 = 1; got: 0..99 = 0; }} def coin(k: 0..1) = coins[low + \
                 k]; move take() as \"t\" {{ when low <= 3; low += 1; {effect} }} play normal;"
            );
            let found = findings_of_two(&rest, Code::E0330).into_iter().next();
            found.map(|found| (found.labels, found.help.unwrap_or_default())).unwrap_or_default()
        };
        let (labels, help) = told("then { got += coin(0); }");
        let wanted = "this is 4, and the list has 3 elements; the stage before changed `low` from 3 to 4";
        assert!(labels.iter().any(|label| label.text == wanted), "{labels:?}");
        assert!(
            help.starts_with("if the effect is to read the position before the move, take it out"),
            "{help}"
        );
        let (labels, help) = told("got += coin(1);");
        assert!(
            labels.iter().any(|label| label.text == "this is 4, and the list has 3 elements"),
            "{labels:?}"
        );
        assert!(help.starts_with("give the list an element"), "{help}");
        assert!(told("got += coin(0);").0.is_empty());
    }

    #[test]
    fn the_arm_that_fits_is_followed() {
        let label = |body: &str| {
            let rest = format!(
                "const coins: list of 0..9 = [2, 4, 6]; enum End {{ front, back }} state {{ low: 0..9 = 0; got: 0..99 = 0; }} \
                 def coin(e: End) = {body}; move take(e: End) as \"{{e}}\" {{ when low < 3; got += coin(e); low += 1; }} \
                 play normal;"
            );
            let found = findings_of_two(&rest, Code::E0330).into_iter().next();
            let texts = found.map(|found| found.labels.into_iter().map(|label| label.text).collect());
            let texts: Vec<String> = texts.unwrap_or_default();
            texts.into_iter().find(|text| text.starts_with("this is")).unwrap_or_default()
        };
        let first = "this is 0, and the first element of a list has the number 1";
        assert_eq!(label("match e { front => coins[low], back => coins[3 - low] }"), first);
        assert_eq!(label("match e { back => coins[3 - low], _ => coins[low] }"), first);
        assert_eq!(label("match e { front => coins[low + 1], back => coins[3 - low] }"), "");
        let last = "this is 4, and the list has 3 elements";
        assert_eq!(label("match e { front => coins[low + 1], back => coins[4 - low] }"), last);
    }

    #[test]
    fn rings_come_round() {
        let help = |effect: &str| {
            let rest = format!(
                "state {{ n[i: 0..2]: 0..9 = 1; got: 0..9 = 0; }} move sow(h: 0..2) as \"{{h}}\" {{ when n[h] > 0;
                 let last = (h + 2) mod 3; n[h] -= 1; {effect} if last = 0 {{ got += 1; }} }} play normal;"
            );
            let found = findings_of_two(&rest, Code::E0330);
            found.into_iter().next().and_then(|found| found.help).unwrap_or_default()
        };
        assert!(help("for i in 1..2 { n[h + i] += 1; }").contains("write `(h + i) mod 3`"));
        assert!(help("got := 1; n[(h + 1) mod 3] += 1;").is_empty());
    }

    #[test]
    fn results_outside_of_their_range_are_named() {
        let told = |body: &str| {
            let rest = format!(
                "state {{ n: 0..9 = 0; last: 0..3 = 0; }} def worth(k: 1..3): 0..2 = k - {body}; move go(k: 1..3) as \"{{k}}\" \
                 {{ when n < 5; last := k; then {{ n += worth(last); }} }} end {{ when n >= 5 => draw; repeat => draw; }}"
            );
            label_and_help(&rest)
        };
        let (label, help) = told("2");
        assert_eq!(label, "this is -1, outside the range that `worth` declares");
        assert!(help.starts_with("widen the range of the result of `worth`"), "{help}");
        assert_eq!(told("1").0, "");
    }

    #[test]
    fn simultaneous_moves_are_tried_alone() {
        let help = |arm: &str| {
            let rest = format!(
                "enum Way {{ left, right }} phases {{ go by each; }} state {{ way[p: Player]: Way? = none; n: 0..9 = 0; }} def \
                 worth(p: Player): 0..2 = match way[p] {{ left => 1, right => 2{arm} }}; move pick(w: Way) in go as \"{{w}}\" {{ \
                 way[me] := w; then {{ if me = A {{ n := min(9, n + worth(opponent)); }} }} }} end {{ when n > 5 => draw; \
                 repeat => draw; }}"
            );
            let found = findings_of_two(&rest, Code::E0330).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        assert!(
            help("").starts_with("all move at once here, and the move of each is tried alone as well"),
            "{}",
            help("")
        );
        assert_eq!(help(", none => 1"), "");
    }

    #[test]
    fn a_term_without_a_value_at_first_is_told_so() {
        let help = |init: &str, effect: &str| {
            let rest = format!(
                "state {{ used: set of 1..3 = {{}}; last: (1..3)? = {init}; }} move say(w: 1..3) as \"{{w}}\" {{ when w not in used; \
                 used |= {{ last }}; {effect} }} end {{ when stuck => mover loses; when #used = 2 => draw; }}"
            );
            let found = findings_of_two(&rest, Code::E0330).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let told = help("none", "last := w;");
        assert!(told.contains("under a condition, `if last != none { ... }`"), "{told}");
        let told = help("1", "last := none;");
        assert!(told.starts_with("require `when ... != none;`"), "{told}");
    }

    #[test]
    fn the_cases_of_a_key_are_marked() {
        let told = |bound: &str| {
            let rest = format!(
                "state {{ n[i: 1..3]: 0..3 = 1; }} move go(i: 1..3) as \"{{i}}\" {{ when n[i] > 0; let to = {bound}; n[i] := 0; \
                 n[to] += 1; }} end {{ when stuck => mover loses; when n[3] = 3 => draw; }}"
            );
            let found = findings_of_two(&rest, Code::E0330).into_iter().next();
            found.map(|found| (found.labels[1..].len(), found.help.unwrap_or_default())).unwrap_or_default()
        };
        let (labels, help) = told("if i = 2 then 1 else i + 1");
        assert_eq!(labels, 1);
        assert!(help.starts_with("`to` gets its value by an `if`: correct its condition"), "{help}");
        let (labels, help) = told("i + 1");
        assert_eq!(labels, 0);
        assert!(help.starts_with("if the move does something else here"), "{help}");
    }

    #[test]
    fn an_index_out_of_the_list_is_told_of_moves_that_are_tried_alone() {
        let told = |index: &str| {
            let rest = format!(
                "const worth = [3, 1, 2]; phases {{ bid by each; }} state {{ offer[p: Player]: 0..2 = 0; got[p: Player]: 0..9 = \
                 0; lot: 1..4 = 1; }} move bids(k: 1..2) in bid as \"{{k}}\" {{ offer[me] := k; then {{ if offer[me] > \
                 offer[opponent] {{ got[me] += worth[{index}]; }} if me = A {{ lot += 1; }} }} }} end {{ when lot > 2 => payoff \
                 p: got[p] - got[other(p)]; }}"
            );
            label_and_help(&rest)
        };
        let (label, help) = told("lot - 1");
        assert_eq!(label, "this is 0, and the first element of a list has the number 1");
        assert!(help.starts_with("give the list an element for each number"), "{help}");
        assert_eq!(told("lot + 2").0, "this is 4, and the list has 3 elements");
        assert_eq!(told("0").0, "this has a value in no position");
        assert_eq!(told("lot").0, "");
        // The others have a choice in play, and none when the move is tried alone.
        assert!(
            told("offer[opponent]").1.starts_with("all move at once here"),
            "{:?}",
            told("offer[opponent]")
        );
    }

    #[test]
    fn a_count_from_zero_is_named() {
        let help = |key: &str| {
            let rest = format!(
                "state {{ row[i: 1..3]: 0..2 = 0; n: 0..3 = 0; }} move put(k: 1..2) as \"{{k}}\" {{ when n < 3; row[{key}] := k; \
                 n += 1; }} end {{ when n = 3 => draw; }}"
            );
            let found = findings_of_two(&rest, Code::E0330).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        assert!(
            help("n").starts_with("the keys count from 1: for the first, write `n + 1`"),
            "{}",
            help("n")
        );
        assert_eq!(help("n + 1"), "");
    }

    #[test]
    fn numbers_of_no_cell_are_named() {
        let label = |effect: &str| {
            let rest = format!(
                "board Cell = grid(2, 2); state {{ at[c: Cell]: Player? = none; h: 0..2 = 0; }}
                 move put(x: 1..2) as \"{{x}}\" {{ when h < 2; h += 1; {effect} }} play normal;"
            );
            let found = findings_of_two(&rest, Code::E0330);
            found.first().map(|found| found.labels[0].text.clone()).unwrap_or_default()
        };
        let first = "`Cell(1, 0)` is no cell of the board: columns and rows count from 1";
        assert_eq!(label("at[Cell(x, h)] := me;"), first);
        assert_eq!(label("for i in 1..2 { at[Cell(i, h)] := me; }"), first);
        assert_eq!(label("at[Cell(x + h + 1, 1)] := me;"), "`Cell(3, 1)` is no cell of the board");
        assert_eq!(label("at[Cell(x, h + 1)] := me;"), "");
    }
}
