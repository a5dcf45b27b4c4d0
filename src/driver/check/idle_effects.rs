//! Effects that come to nothing: fields that no effect changes, moves of puzzles that change nothing, hidden deals that
//! come again, and rules for repetitions that never happen.

use super::dead_rules::{never_holds, statement_mentions};
use super::other_keys;
use super::turn_advice;
use super::visitor::CheckVisitor;
use crate::load::GameSource;
use bouton_base::id::Id;
use bouton_base::source::Span;
use bouton_rules::{
    Actor, BoardFn, Effect, EffectOp, ExprKind, FieldId, Move, PHASE, Pattern, PhaseId, Rules, StmtKind,
    Value, Visibility,
};
use bouton_search::game::names::call_form;
use bouton_search::game::{Game, MoveInstance, State};
use bouton_syntax::diag::{Code, Diagnostic};

/// The fields that moves set and that have had their initial values in all positions so far.
#[derive(Debug)]
pub struct UnchangedFields {
    remaining: Vec<FieldId>,
}

impl UnchangedFields {
    /// The fields that some effect of a move sets. Transient fields are left out, and those that a move sets more than
    /// once: a later stage may set them back.
    pub fn new(rules: &Rules) -> UnchangedFields {
        let count = |mv: &Move, id: FieldId| {
            crate::faults::effects(&mv.body).iter().filter(|(effect, _)| effect.field == id).count()
        };
        let is_set = |id: FieldId| {
            let counts: Vec<usize> = rules.moves.iter().map(|mv| count(mv, id)).collect();
            counts.contains(&1) && counts.iter().all(|count| *count < 2)
        };
        let fields =
            rules.fields.entries().filter(|(id, field)| *id > PHASE && !field.transient && is_set(*id));
        UnchangedFields { remaining: fields.map(|(id, _)| id).collect() }
    }

    /// Removes the fields that have changed in this position.
    pub fn evaluate(&mut self, game: &Game, state: &State) {
        self.remaining.retain(|id| {
            let field = &game.rules.fields[*id];
            game.machine.read_all(state, *id, field.cells()) == field.init
        });
    }
}

/// Returns true if an effect of a move sets a field.
fn sets(mv: &Move, id: FieldId) -> bool {
    mv.body.any(&|kind| matches!(kind, StmtKind::Effect(effect) if effect.field == id))
}

/// The help on an effect that changes nothing.
pub(super) const LOOK_AT: &str = "look at the value of the effect, and at the conditions around it";

/// W0410: fields that keep their initial values in all positions, although moves with effects on them were made.
pub fn unchanged_fields(
    text: &GameSource,
    game: &Game,
    watch: &CheckVisitor<'_>,
    found: &mut Vec<Diagnostic>,
) {
    for id in &watch.unchanged.remaining {
        let field = &game.rules.fields[*id];
        let mut setters = game.rules.moves.iter().zip(&watch.legal).filter(|(mv, _)| sets(mv, *id));
        let Some((first, _)) = setters.clone().next() else { continue };
        if !setters.all(|(_, legal)| *legal) || !field.span.is_placed() {
            continue;
        }
        let title = format!("`{}` never changes, although `{}` has an effect on it", field.name, first.name);
        let mut told = Diagnostic::new(Code::W0410, title, field.span, "the same in every position");
        if let Some(place) = effect_place(first, *id).filter(|place| place.is_placed()) {
            told = told.label(place, "changes nothing");
        }
        if let Some((span, range)) = never_true_value(first, *id).filter(|(span, _)| span.is_placed()) {
            told = told.label(span, format!("this is in {range}, so the value is always false"));
            found.push(told.help("compare with a value that it can have"));
            continue;
        }
        found.push(match other_keys::of_move(text, &game.rules, first, *id) {
            Some(other) => {
                told.label(other.guard, other.label()).help(format!("{}; otherwise {LOOK_AT}", other.help()))
            }
            None => told.help(LOOK_AT),
        });
    }
}

/// A term in the value of the only effect of a move on a field for which the value is always false, and its range.
fn never_true_value(mv: &Move, id: FieldId) -> Option<(Span, String)> {
    let all = crate::faults::effects(&mv.body);
    let (effect, _) = all.iter().find(|(effect, _)| effect.field == id)?;
    if effect.op == EffectOp::Set { never_holds(&effect.value) } else { None }
}

/// The place of the first effect of a move on a field.
fn effect_place(mv: &Move, id: FieldId) -> Option<Span> {
    crate::faults::effects(&mv.body)
        .into_iter()
        .find(|(effect, _)| effect.field == id)
        .map(|(_, place)| place)
}

/// The title of a rule for repeated positions that never counts.
pub(super) const NO_REPETITION: &str = "this rule for repeated positions is never reached";

/// W0532: a rule for repeated positions in a game where none comes back.
pub fn repetitions(game: &Game, watch: &CheckVisitor<'_>, found: &mut Vec<Diagnostic>) {
    let Some(rule) = game.rules.repeats.iter().find(|rule| rule.of.is_none() && rule.count.is_none()) else {
        return;
    };
    if !rule.span.is_placed() || watch.graph.as_ref().is_none_or(|graph| graph.has_cycle()) {
        return;
    }
    let told = Diagnostic::new(Code::W0532, NO_REPETITION, rule.span, "no position comes back");
    found.push(told.help("every play ends without it: leave it out"));
}

/// Returns the move that leads from a position to itself, if it is one with effects.
pub fn idle_move<'v>(
    rules: &Rules,
    plays: impl Iterator<Item = &'v MoveInstance>,
) -> Option<&'v MoveInstance> {
    let has_effects = |play: &&MoveInstance| match play {
        MoveInstance::Move(id, _) => {
            let mv = &rules.moves[*id];
            !mv.chance && mv.body.any(&|kind| matches!(kind, StmtKind::Effect(_)))
        }
        _ => false,
    };
    plays.into_iter().find(has_effects)
}

/// W0312: a move of a puzzle after which the position is the same.
pub fn describe_idle_move(text: &GameSource, game: &Game, play: &MoveInstance) -> Diagnostic {
    let MoveInstance::Move(id, args) = play else { unreachable!("a pass has no effects") };
    let mv = &game.rules.moves[*id];
    let title = format!("`{}` changes nothing here", call_form(&game.rules, play));
    let told = Diagnostic::new(Code::W0312, title, mv.span, "the position after it is the same");
    told.help(match value_is_there(text, mv) {
        Some(condition) => format!("rule it out: `when {condition};`"),
        None => match (unused_goal(&game.rules, mv), equal_arguments(mv, args)) {
            (Some((field, name)), _) => format!(
                "`{name}` is bound, and no effect of the move sets `{field}`: if the move goes there, `{field} := {name};` is \
                 missing; otherwise rule it out by a `when`"
            ),
            (None, Some([a, b])) => format!("rule it out: `when {a} != {b};`"),
            (None, None) => "rule it out by a `when`, or write `// allow(W0312): reason`".to_owned(),
        },
    })
}

/// A field and the name of the place beside it that a move binds, `let to = here + d`, if no effect sets the field.
fn unused_goal(rules: &Rules, mv: &Move) -> Option<(String, String)> {
    mv.body.stmts.iter().find_map(|stmt| {
        let StmtKind::Let(Pattern::Var(var), value) = &stmt.kind else { return None };
        let ExprKind::Board(BoardFn::Step, ..) = &*value.kind else { return None };
        let (id, field) = rules.fields.entries().find(|(id, field)| {
            let is_it = |kind: &ExprKind| matches!(kind, ExprKind::Field(of, _) if of == id);
            field.keys.is_empty()
                && field.ty.present() == mv.vars[*var].ty.base()
                && rules.mentions(value, &is_it)
        })?;
        (!sets(mv, id)).then(|| (field.name.clone(), mv.vars[*var].name.clone()))
    })
}

/// The names of two parameters of one type with the same value, if they are the only such pair.
fn equal_arguments<'r>(mv: &'r Move, args: &[Value]) -> Option<[&'r str; 2]> {
    let of: Vec<_> = mv.params.iter().zip(args).map(|(param, value)| (&mv.vars[param.var], value)).collect();
    let mut pairs = Vec::new();
    for (place, (a, value)) in of.iter().enumerate() {
        let rest = of[place + 1..].iter().filter(|(b, other)| value == other && a.ty == b.ty);
        pairs.extend(rest.map(|(b, _)| [a.name.as_str(), b.name.as_str()]));
    }
    match pairs[..] {
        [only] => Some(only),
        _ => None,
    }
}

/// The condition that the only effect of a move, which puts a parameter into a field, changes something.
fn value_is_there(text: &GameSource, mv: &Move) -> Option<String> {
    let effects = crate::faults::effects(&mv.body);
    let [(Effect { op: EffectOp::Set, value, .. }, place)] = &effects[..] else { return None };
    if !matches!(&*value.kind, ExprKind::Var(var) if mv.params.iter().any(|param| param.var == *var)) {
        return None;
    }
    let (target, value) = text.sources.slice(*place).split_once(":=")?;
    Some(format!("{} != {}", target.trim(), value.trim().trim_end_matches(';').trim()))
}

/// A hidden deal in the first phase without `setup`, to which play comes back after each move.
#[derive(Debug)]
pub struct RepeatedDeal {
    phase: PhaseId,
    fields: Vec<FieldId>,
}

impl RepeatedDeal {
    /// The deal of a game: the first phase is by chance, each of its events is private and sets hidden fields that no
    /// other move sets and that no move reads. So the cards count at the end alone, and a second deal undoes the first.
    pub fn of(rules: &Rules) -> Option<RepeatedDeal> {
        let phase = PhaseId::new(0);
        let first = rules.phases.entries().next().map(|(_, first)| first)?;
        let is_first = !first.setup && matches!(first.actor, Actor::Chance) && rules.phases.len() > 1;
        let (events, others): (Vec<&Move>, Vec<&Move>) =
            rules.moves.iter().partition(|mv| mv.chance && mv.phases.contains(&phase));
        let mut fields: Vec<FieldId> = Vec::new();
        for event in &events {
            for stmt in &event.body.stmts {
                match &stmt.kind {
                    StmtKind::Effect(effect) if effect.op == EffectOp::Set => fields.push(effect.field),
                    StmtKind::Require(_) | StmtKind::Stay(_) | StmtKind::Next(_) => {}
                    _ => return None,
                }
            }
        }
        let is_hidden = |id: &FieldId| !matches!(rules.fields[*id].visibility, Visibility::Public);
        let reads = |mv: &Move| {
            let is_dealt = |kind: &ExprKind| matches!(kind, ExprKind::Field(id, _) if fields.contains(id));
            mv.body.any(&|kind| statement_mentions(rules, kind, &is_dealt))
        };
        let is_deal = is_first
            && !events.is_empty()
            && events.iter().all(|event| event.private && !reads(event))
            && !fields.is_empty()
            && fields.iter().all(is_hidden)
            && !rules.moves.iter().any(|mv| turn_advice::enters(mv, phase))
            && !others.iter().any(|mv| reads(mv) || fields.iter().any(|id| sets(mv, *id)));
        is_deal.then_some(RepeatedDeal { phase, fields })
    }

    /// Returns true if chance is to deal in a position although the cards are dealt.
    pub fn is_dealt_again(&self, game: &Game, state: &State) -> bool {
        let is_dealt = |id: &FieldId| {
            let field = &game.rules.fields[*id];
            game.machine.read_all(state, *id, field.cells()) != field.init
        };
        let here = game.machine.read(state, PHASE, 0);
        here == Value::Int(i64::from(self.phase.0)) && self.fields.iter().any(is_dealt)
    }

    /// W0312: the deal comes again.
    pub fn describe(&self, rules: &Rules) -> Diagnostic {
        let phase = &rules.phases[self.phase];
        let field = &rules.fields[self.fields[0]].name;
        let title = format!("play comes back to `{}` after a move, and `{field}` is dealt anew", phase.name);
        let label = "the first phase without `setup`: each turn begins with it";
        Diagnostic::new(Code::W0312, title, phase.span, label).help(format!(
            "if it comes once, before the first move, write `setup {}` in `phases`; if all is dealt anew before each move, \
             `// allow(W0312): reason`",
            phase.name
        ))
    }
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings;

    #[test]
    fn effects_change_something() {
        let count = |added: &str, end: &str| {
            let rest = format!(
                "players A, B; state {{ n: 0..6 = 0; score: 0..9 = 0; }} move add(k: 1..2) as \"{{k}}\" {{ when n + k <= 6; \
                 n += k; score += {added}; }} end {{ when n = 6 and score < 9 => mover loses; {end} }}"
            );
            [Code::W0410, Code::W0532].map(|code| findings(&rest, code).len())
        };
        assert_eq!(count("if score > 3 then 1 else 0", ""), [1, 0]);
        assert_eq!(count("1", ""), [0, 0]);
        assert_eq!(count("1", "repeat => draw;"), [0, 1]);
    }

    #[test]
    fn a_value_that_is_always_false_is_told() {
        let label = |value: &str| {
            let rest = format!(
                "players A, B; state {{ n: 0..6 = 0; odd: bool = false; }} move add(k: 1..2) as \"{{k}}\" {{ when n + k <= 6; \
                 odd := {value}; n += k; }} end {{ when n = 6 and not odd => mover loses; when n = 6 => draw; }}"
            );
            let found = findings(&rest, Code::W0410);
            found
                .iter()
                .flat_map(|found| found.labels.last())
                .map(|label| label.text.clone())
                .collect::<String>()
        };
        assert_eq!(label("n + k in { 12, 14 }"), "this is in 1..8, so the value is always false");
        assert_eq!(label("n + k = 9"), "this is in 1..8, so the value is always false");
        assert_eq!(label("n + k in { 3, 14 }"), "");
    }

    #[test]
    fn moves_of_puzzles_change_something() {
        let count = |condition: &str| {
            let rest = format!(
                "player P; state {{ n: 1..3 = 1; }} move to(k: 1..3) as \"{{k}}\" {{ {condition} n := k; }} end {{ when n = 3 \
                 => win; }}"
            );
            findings(&rest, Code::W0312).len()
        };
        assert_eq!(count(""), 1);
        assert_eq!(count("when k != n;"), 0);
    }

    #[test]
    fn a_hidden_deal_comes_once() {
        let count = |deal: &str, event: &str| {
            let rest = format!(
                "players A, B; phases {{ {deal} by chance; act; }} state {{ card[p: Player]: 0..3 = 0 visible to p; n: 0..2 = \
                 0; }} {event} dealt(a: 1..3) in deal as \"d\" {{ card[A] := a; continue act; }}
                 move wait(k: 1..2) in act as \"{{k}}\" {{ when n + k <= 2; n += k; }}
                 end {{ when n = 2 => payoff p: if p = A then card[A] else -card[A]; }}"
            );
            findings(&rest, Code::W0312).len()
        };
        assert_eq!(count("deal", "private chance"), 1);
        assert_eq!(count("setup deal", "private chance"), 0);
        assert_eq!(count("deal", "chance"), 0);
    }
}
