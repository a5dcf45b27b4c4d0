//! Conditions of moves that hold in every position: W0533.
//!
//! Each condition is evaluated for all instances of its move at once, as `some parameters: not condition`. The first
//! position where it fails removes it, so that few conditions remain in the long run. Conditions that read no state are
//! left to the analyser. A condition that speaks of `me` is evaluated for the player to move. One that mentions `stuck`,
//! or a definition that speaks of `me`, is skipped: outside a move it has no meaning. The parts of an `and` are evaluated
//! as well, each alone.

use std::sync::Arc;

use super::dead_rules::statement_mentions;
use super::reasons::{around, inner, unfolded};
use bouton_base::limits::LimitHit;
use bouton_base::source::Span;
use bouton_rules::{
    Binder, DefId, Domain, Expr, ExprKind, FieldId, Move, PHASE, PLAYER, Pattern, PhaseId, Quant, Rules,
    StmtKind, Type, Value,
};
use bouton_search::game::{Game, State, ToMove};

/// The conditions that have held so far.
#[derive(Debug)]
pub struct AlwaysTrueConditions {
    remaining: Vec<Clause>,
}

/// A condition of a move that has not failed so far.
#[derive(Clone, Debug)]
pub struct Clause {
    /// The location of the condition.
    pub span: Span,
    /// The number of positions in which it was evaluated.
    pub evaluations: u64,
    phases: Vec<PhaseId>,
    /// True in a position where some instance of the move violates the condition: one formula for each player who may be
    /// `me`, or a single one if the condition does not speak of `me`.
    fails: Vec<Expr>,
    /// The place of the conjunction of which this is a part.
    whole: Option<Span>,
    /// The fields that a part of a conjunction reads.
    reads: Vec<FieldId>,
    /// True if one of these fields has changed: what reads constant fields alone has another finding.
    is_varied: bool,
}

impl AlwaysTrueConditions {
    /// The conditions of the first stages of all moves, if they are worth evaluating.
    pub fn new(rules: &Rules) -> AlwaysTrueConditions {
        let mut left = Vec::new();
        for mv in &rules.moves {
            let mut lets: Vec<(&Pattern, &Expr)> = Vec::new();
            for stmt in &mv.body.stmts {
                match &stmt.kind {
                    StmtKind::Let(pattern, value) => lets.push((pattern, value)),
                    StmtKind::Require(condition) => {
                        if lets.iter().any(|(_, value)| !has_meaning_outside(rules, value)) {
                            continue;
                        }
                        left.extend(clause(rules, mv, &lets, condition, None));
                        if let ExprKind::And(parts) = &*condition.kind {
                            let whole = Some(condition.span);
                            left.extend(
                                parts.iter().filter_map(|part| clause(rules, mv, &lets, part, whole)),
                            );
                        }
                        let whole = Some(condition.span);
                        let opened = parts_of_definitions(rules, condition);
                        left.extend(opened.iter().filter_map(|part| clause(rules, mv, &lets, part, whole)));
                    }
                    _ => {}
                }
            }
        }
        AlwaysTrueConditions { remaining: left }
    }

    /// Removes the conditions that fail in this position.
    pub fn evaluate(&mut self, game: &Game, state: &State, turn: &ToMove) -> Result<(), LimitHit> {
        let Some(Value::Int(phase)) =
            (!self.remaining.is_empty()).then(|| game.machine.read(state, PHASE, 0))
        else {
            return Ok(());
        };
        let mut done = Ok(());
        self.remaining.retain_mut(|clause| {
            if done.is_err() || !clause.phases.is_empty() && !clause.phases.contains(&PhaseId(phase as u32)) {
                return true;
            }
            clause.evaluations += 1;
            clause.is_varied |= clause.reads.iter().any(|id| has_changed(game, state, *id));
            let formulas = match turn {
                ToMove::Player(player) if clause.fails.len() > 1 => {
                    clause.fails.get(*player as usize).map_or(&[][..], std::slice::from_ref)
                }
                _ => &clause.fails[..],
            };
            formulas.iter().all(|fails| match game.machine.eval(state, fails) {
                Ok(fails) => fails == Some(Value::Bool(false)),
                Err(hit) => {
                    done = Err(hit);
                    true
                }
            })
        });
        done
    }

    /// The conditions that were evaluated and never failed, the parts of others among them left out.
    pub fn never_failed(&self) -> impl Iterator<Item = &Clause> {
        let is_whole = |span: Span| self.remaining.iter().any(|clause| clause.span == span);
        self.remaining.iter().filter(move |clause| {
            let is_known = clause.whole.is_some_and(|whole| is_whole(whole) || !clause.is_varied);
            clause.evaluations > 0 && !is_known
        })
    }
}

/// The parts of the definitions that a condition consists of and that are called in one condition only: what these parts
/// exclude there they exclude at all.
fn parts_of_definitions(rules: &Rules, condition: &Expr) -> Vec<Expr> {
    let calls = match &*condition.kind {
        ExprKind::And(parts) => &parts[..],
        _ => std::slice::from_ref(condition),
    };
    let parts = |call: &Expr| {
        let ExprKind::Call(id, args) = &*call.kind else { return None };
        if is_called_again(rules, *id, condition.span) {
            return None;
        }
        let body = unfolded(rules, *id, args)?;
        let ExprKind::And(parts) = &*inner(&body).kind else { return None };
        let placed = parts.iter().filter(|part| part.span.is_placed() && !compares_name(part));
        Some(placed.map(|part| around(&body, part)).collect::<Vec<Expr>>())
    };
    calls.iter().filter_map(parts).flatten().collect()
}

/// Returns true for a comparison of a name itself, which may say whose move it is.
fn compares_name(part: &Expr) -> bool {
    let is_name = |e: &Expr| matches!(*e.kind, ExprKind::Var(_));
    matches!(&*part.kind, ExprKind::Equal(a, b) | ExprKind::In(a, b) if is_name(a) || is_name(b))
}

/// Returns true if something else than the condition at this place calls a definition.
fn is_called_again(rules: &Rules, id: DefId, place: Span) -> bool {
    let is_call = |kind: &ExprKind| matches!(kind, ExprKind::Call(of, _) if *of == id);
    let in_move = |kind: &StmtKind| match kind {
        StmtKind::Require(condition) if condition.span == place => false,
        kind => statement_mentions(rules, kind, &is_call),
    };
    let of_move = |mv: &Move| {
        let terms = [&mv.by, &mv.prefer, &mv.weight].into_iter().flatten();
        mv.body.any(&in_move) || terms.into_iter().any(|term| rules.mentions(term, &is_call))
    };
    let of_pass = rules.pass.as_ref().and_then(|pass| pass.condition.as_ref());
    let others = rules.ends.iter().map(|rule| &rule.condition).chain(of_pass);
    let others = others.chain(rules.invariants.iter().map(|invariant| &invariant.value));
    rules.moves.iter().any(of_move)
        || others.chain(rules.defs.iter().map(|def| &def.body)).any(|term| rules.mentions(term, &is_call))
}

/// The clause of a condition, or of a part of one; `None` if it is not worth evaluating.
fn clause(
    rules: &Rules,
    mv: &Move,
    lets: &[(&Pattern, &Expr)],
    condition: &Expr,
    whole: Option<Span>,
) -> Option<Clause> {
    let is_worth =
        has_meaning_outside(rules, condition) && reads_state(rules, condition) && !names_maker(condition);
    if !is_worth || whole.is_some_and(|whole| whole == condition.span) {
        return None;
    }
    let fails = failures(rules, mv, lets, condition);
    let (span, phases) = (condition.span, mv.phases.clone());
    let reads = match whole {
        Some(_) => fields_in(rules, condition),
        None => Vec::new(),
    };
    Some(Clause { span, evaluations: 0, phases, fails, whole, reads, is_varied: false })
}

/// The formulas that some instance of a move violates a condition: one for each player who may be `me`, or a single one.
pub(super) fn failures(rules: &Rules, mv: &Move, lets: &[(&Pattern, &Expr)], condition: &Expr) -> Vec<Expr> {
    let formula = fails(mv, lets, condition);
    let is_maker = |e: &Expr| matches!(*e.kind, ExprKind::Me);
    if any(&formula, &mut |e| is_maker(e)) {
        (0..rules.players().len() as u32).map(|player| made_by(&formula, player)).collect()
    } else {
        vec![formula]
    }
}

/// The fields that an expression reads, also in definitions.
fn fields_in(rules: &Rules, expr: &Expr) -> Vec<FieldId> {
    let reads =
        |id: &FieldId| rules.mentions(expr, &|kind| matches!(kind, ExprKind::Field(of, _) if of == id));
    rules.fields.entries().map(|(id, _)| id).filter(reads).collect()
}

/// Returns true if a field has other values in a position than at first.
fn has_changed(game: &Game, state: &State, id: FieldId) -> bool {
    let field = &game.rules.fields[id];
    game.machine.read_all(state, id, field.cells()) != field.init
}

/// The formula with a player in the place of `me`.
fn made_by(formula: &Expr, player: u32) -> Expr {
    fn put(expr: &mut Expr, player: u32) {
        match &*expr.kind {
            ExprKind::Me => *expr.kind = ExprKind::Const(Value::Sym(PLAYER, player)),
            _ => expr.each_part_mut(&mut |part| put(part, player)),
        }
    }
    let mut formula = formula.clone();
    put(&mut formula, player);
    formula
}

/// Returns true for a comparison of `me` itself, which says whose move it is.
pub(super) fn names_maker(condition: &Expr) -> bool {
    let is_maker = |e: &Expr| matches!(*e.kind, ExprKind::Me);
    match &*condition.kind {
        ExprKind::Not(inner) => names_maker(inner),
        ExprKind::And(parts) | ExprKind::Or(parts) => parts.iter().any(names_maker),
        ExprKind::Implies(a, b) | ExprKind::Iff(a, b) => names_maker(a) || names_maker(b),
        ExprKind::Equal(a, b) | ExprKind::In(a, b) => is_maker(a) || is_maker(b),
        _ => false,
    }
}

/// The expression `some parameters: let a = e: not condition`.
fn fails(mv: &Move, lets: &[(&Pattern, &Expr)], condition: &Expr) -> Expr {
    let make = |kind| Expr::new(kind, Type::Bool, condition.span);
    let mut body = make(ExprKind::Not(condition.clone()));
    for (pattern, value) in lets.iter().rev() {
        body = body.with((*pattern).clone(), (*value).clone());
    }
    let binders: Vec<Binder> = mv
        .params
        .iter()
        .map(|p| Binder {
            pattern: Pattern::Var(p.var),
            domain: Domain::Fixed(Arc::clone(&p.values)),
            condition: None,
        })
        .collect();
    if binders.is_empty() { body } else { make(ExprKind::Quant(Quant::Some, binders, body)) }
}

/// Returns true if an expression has a meaning outside a move, once a player stands in the place of `me`.
pub(super) fn has_meaning_outside(rules: &Rules, expr: &Expr) -> bool {
    !any(expr, &mut |e| match &*e.kind {
        ExprKind::Stuck | ExprKind::StuckPlayer(_) => true,
        ExprKind::Call(def, _) => rules.defs[*def].uses_me,
        _ => false,
    })
}

/// Returns true if an expression reads a field, also in a definition that it calls.
pub(super) fn reads_state(rules: &Rules, expr: &Expr) -> bool {
    any(expr, &mut |e| match &*e.kind {
        ExprKind::Field(..) => true,
        // A definition may read constants only; then it has the same value in every position.
        ExprKind::Call(def, _) => {
            any(&rules.defs[*def].body, &mut |inner| matches!(&*inner.kind, ExprKind::Field(..)))
        }
        _ => false,
    })
}

/// Returns true if some part of an expression satisfies `is`.
fn any(expr: &Expr, is: &mut dyn FnMut(&Expr) -> bool) -> bool {
    let mut found = is(expr);
    expr.each_part(&mut |part| found = found || any(part, is));
    found
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    fn titles(condition: &str) -> Vec<String> {
        let rest = format!(
            "state {{ n[p: Player]: 0..9 = 0; }} def bad(k: 1..3, p: Player) = n[p] > 9 + k; \
             move up(k: 1..3) as \"{{k}}\" {{ {condition} n[me] += k; }} \
             end {{ for p in Player when n[p] = 9 => p wins; when stuck => draw; }}"
        );
        findings_of_two(&rest, Code::W0533).into_iter().map(|found| found.title).collect()
    }

    #[test]
    fn conditions_on_the_maker_are_evaluated() {
        let told = |words: &str| vec![format!("`{words}` is always true here")];
        let bound = "when n[me] + k <= 9;";
        assert_eq!(titles(&format!("when n[me] + k != n[me]; {bound}")), told("n[me] + k != n[me]"));
        assert_eq!(titles(&format!("when not bad(k, me); {bound}")), told("not bad(k, me)"));
        assert_eq!(titles(&format!("when n[opponent] < 9; {bound}")), [""; 0]);
        assert_eq!(titles(bound), [""; 0]);
    }

    #[test]
    fn the_parts_of_a_definition_are_evaluated() {
        let told = |kind: &str, more: &str| -> Vec<String> {
            let rest = format!(
                "board Cell = strip(3); enum Kind {{ hut, tent }} state {{ at[c: Cell]: Kind? = none; }} def free(c: Cell) = at[c] \
                 = none and no x in Cell: at[x] = {kind}; move put(c: Cell) as \"{{c}}\" {{ when free(c); at[c] := tent; }} end {{ \
                 {more} when stuck => mover loses; }}"
            );
            findings_of_two(&rest, Code::W0533).into_iter().map(|found| found.title).collect()
        };
        assert_eq!(told("hut", ""), ["`no x in Cell: at[x] = hut` is always true here"]);
        assert_eq!(told("tent", ""), [""; 0]);
        assert_eq!(
            told("hut", "when free(a1) and at[b1] != none and at[c1] != none => mover wins;"),
            [""; 0]
        );
    }

    #[test]
    fn the_parts_of_a_conjunction_are_evaluated() {
        let told = titles("when n[me] + k != n[me] and n[me] + k <= 9;");
        assert_eq!(told, ["`n[me] + k != n[me]` is always true here"]);
        let told = titles("when n[A] + k != n[A] and n[B] + k != n[B]; when n[me] + k <= 9;");
        assert_eq!(told, ["`n[A] + k != n[A] and n[B] + k != n[B]` is always true here"]);
        let constant = "state { k: 0..9 = 3; n: 0..3 = 0; } move up() as \"u\" { when k > 2 and n < 3; n += 1; } \
                        end { when n = 3 => draw; }";
        assert!(findings_of_two(constant, Code::W0533).is_empty());
        assert_eq!(titles("when me = mover and n[me] + k <= 9;"), [""; 0]);
    }
}
