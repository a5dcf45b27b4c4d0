//! Likely mistakes behind a play that never ends: an effect that forgets what a set held, a mandatory move that takes
//! nothing, a move to the place where the piece stands, `mod` before `*` and `and` before `or` without brackets.

use crate::faults::effects;
use crate::load::GameSource;
use bouton_base::source::Span;
use bouton_rules::{Arith, Effect, EffectOp, Expr, ExprKind, Move, Rules, StmtKind, Type, Value, VarId};
use bouton_search::game::{Game, MoveInstance, State, ToMove};

/// A place that is likely to be why a play never ends, with a label and the help.
pub struct LoopCause {
    pub span: Span,
    pub label: &'static str,
    pub help: String,
}

/// Returns the likely cause of a loop of these moves.
pub fn cause(text: &GameSource, rules: &Rules, moves: &[&Move]) -> Option<LoopCause> {
    moves
        .iter()
        .find_map(|mv| forgotten_set(text, rules, mv))
        .or_else(|| mod_before_product(text, rules, moves))
        .or_else(|| moves.iter().find_map(|mv| takes_nothing(text, rules, mv)))
        .or_else(|| removes_nothing(text, rules, moves))
}

/// A mandatory move that only moves a piece, as a jump does that forgets to remove what it jumps over.
fn takes_nothing(text: &GameSource, rules: &Rules, mv: &Move) -> Option<LoopCause> {
    let effects = effects(&mv.body);
    let is_shift = |place: &Span| text.sources.slice(*place).contains("<-");
    let (shifted, place) = effects.iter().find(|(_, place)| is_shift(place))?;
    let field = &rules.fields[shifted.field];
    if !mv.mandatory
        || mv.chance
        || !matches!(field.ty, Type::Option(_))
        || effects.iter().any(|(effect, place)| effect.field == shifted.field && !is_shift(place))
    {
        return None;
    }
    let (name, of) = (&field.name, &mv.name);
    Some(LoopCause {
        span: *place,
        label: "moves a piece and takes none",
        help: format!(
            "if `{of}` takes a piece, remove it: `{name}[...] := none;` with the place of the piece"
        ),
    })
}

/// An effect `at[c] := none` of a mandatory move in a loop without effects that put pieces: nothing stands there.
fn removes_nothing(text: &GameSource, rules: &Rules, moves: &[&Move]) -> Option<LoopCause> {
    let is_none = |effect: &Effect| {
        effect.op == EffectOp::Set
            && effect.value.constant() == Some(&Value::None)
            && matches!(rules.fields[effect.field].ty, Type::Option(_))
    };
    let is_shift = |place: &Span| text.sources.slice(*place).contains("<-");
    let removal = |mv: &Move| {
        let found =
            effects(&mv.body).into_iter().find(|(effect, place)| is_none(effect) && !is_shift(place))?;
        (mv.mandatory && !mv.chance).then(|| (found.0.field, found.1, mv.name.clone()))
    };
    let (field, span, name) = moves.iter().find_map(|mv| removal(mv))?;
    let puts = |mv: &&Move| {
        let all = effects(&mv.body);
        all.iter().any(|(effect, place)| effect.field == field && !is_none(effect) && !is_shift(place))
    };
    (!moves.iter().any(puts)).then(|| LoopCause {
        span,
        label: "removes nothing here: the place is empty",
        help: format!(
            "`{name}` takes from an empty place, of which `!=` is true as well: ask who stands there, `... = opponent`"
        ),
    })
}

/// The help on a move that changes nothing because it sets a field to the value that it has: `to` may be the place
/// itself.
pub fn same_value_help(text: &GameSource, rules: &Rules, mv: &Move) -> Option<String> {
    let is_param = |var: VarId| mv.params.iter().any(|param| param.var == var);
    mv.body.stmts.iter().find_map(|stmt| {
        let StmtKind::Effect(effect) = &stmt.kind else { return None };
        let ExprKind::Var(var) = *effect.value.kind else { return None };
        let (target, _) = text.sources.slice(stmt.span).split_once(":=")?;
        let (target, name) = (target.trim(), &mv.vars[var].name);
        // A number that is set may be one to subtract.
        let is_number = matches!(effect.value.ty.base(), Type::Int(..));
        let begins_empty = rules.fields[effect.field].init.iter().all(|value| *value == Value::None);
        let condition = match begins_empty {
            true => format!(
                "if `{target}` is set once only, write `when {target} = none;`; if it may change, `when {name} != {target};`"
            ),
            false => format!("write `when {name} != {target};`"),
        };
        (effect.op == EffectOp::Set && is_param(var) && !is_number).then(|| {
            format!(
                "here `{name}` is `{target}` itself: {condition}; if play may go on so, add `repeat => draw;` (or another \
                 outcome) to `end`"
            )
        })
    })
}

/// A move of a loop, and the position before it.
#[derive(Clone, Copy)]
pub struct LoopStep<'a> {
    pub state: &'a State,
    pub play: &'a MoveInstance,
}

/// A condition that joins `and` and `or` without brackets.
pub struct MixedCondition {
    pub span: Span,
    /// The condition with brackets around the `and`.
    pub now: String,
    /// The condition with brackets around the `or`.
    pub other: String,
}

/// A condition `a and b or c` of a move, without brackets, if the move is illegal here with brackets around the `or`.
pub fn mixed_condition(text: &GameSource, game: &Game, step: LoopStep<'_>) -> Option<MixedCondition> {
    let words = |span: Span| text.words(span);
    let MoveInstance::Move(id, _) = step.play else { return None };
    game.rules.moves[*id].body.stmts.iter().find_map(|stmt| {
        let StmtKind::Require(condition) = &stmt.kind else { return None };
        let ExprKind::Or(parts) = &*condition.kind else { return None };
        let (first, last) = (parts.first()?, parts.last()?);
        let ExprKind::And(conjuncts) = &*first.kind else { return None };
        let inner = conjuncts.last()?;
        let whole = text.sources.slice(condition.span);
        if whole.starts_with('(') || whole.len() > 90 || first.span.end >= last.span.start {
            return None;
        }
        let until = |start: u32, end: u32| words(Span { start, end, ..condition.span });
        let rest = until(first.span.end, condition.span.end);
        let now = format!("({}) {rest}", words(first.span));
        let before = until(condition.span.start, inner.span.start);
        let other = format!("{before} ({} {rest})", words(inner.span));
        let make = |kind| Expr::new(kind, Type::Bool, condition.span);
        let mut either = parts.clone();
        either[0] = inner.clone();
        let mut all = conjuncts.clone();
        *all.last_mut()? = make(ExprKind::Or(either));
        let is_legal = holds(game, step, make(ExprKind::And(all)));
        (is_legal != Some(true)).then_some(MixedCondition { span: condition.span, now, other })
    })
}

/// Puts values into the place of the parts of a term that have one.
pub fn replace(term: &mut Expr, value_of: &dyn Fn(&ExprKind) -> Option<Value>) {
    if let Some(value) = value_of(&term.kind) {
        *term.kind = ExprKind::Const(value);
    }
    term.each_part_mut(&mut |part| replace(part, value_of));
}

/// Returns the truth of a condition of a move before it is made; `None` if that is not known.
fn holds(game: &Game, step: LoopStep<'_>, mut condition: Expr) -> Option<bool> {
    let MoveInstance::Move(id, args) = step.play else { return None };
    let mv = &game.rules.moves[*id];
    let ToMove::Player(mover) = game.machine.turn(step.state).ok()? else { return None };
    let is_of_move =
        |kind: &ExprKind| matches!(kind, ExprKind::Call(def, _) if game.rules.defs[*def].uses_me);
    let has_let = mv.body.stmts.iter().any(|stmt| matches!(stmt.kind, StmtKind::Let(..)));
    if has_let || game.rules.mentions(&condition, &is_of_move) {
        return None;
    }
    replace(&mut condition, &|kind| match kind {
        ExprKind::Me => Some(game.rules.player(mover)),
        ExprKind::Var(var) => {
            let place = mv.params.iter().position(|param| param.var == *var)?;
            args.get(place).cloned()
        }
        _ => None,
    });
    Some(game.machine.eval(step.state, &condition).ok()? == Some(Value::Bool(true)))
}

/// An effect that puts another set in the place of the one that a field holds.
fn forgotten_set(text: &GameSource, rules: &Rules, mv: &Move) -> Option<LoopCause> {
    let is_cause = |effect: &Effect| {
        let is_field = |kind: &ExprKind| matches!(kind, ExprKind::Field(id, _) if *id == effect.field);
        let is_set = matches!(rules.fields[effect.field].ty.base(), Type::Set(_));
        is_set
            && effect.op == EffectOp::Set
            && effect.value.constant().is_none()
            && !rules.mentions(&effect.value, &is_field)
    };
    let (effect, place) = effects(&mv.body).into_iter().find(|(effect, _)| is_cause(effect))?;
    let name = &rules.fields[effect.field].name;
    let (target, _) = text.sources.slice(place).split_once(":=")?;
    let target = target.trim();
    Some(LoopCause {
        span: place,
        label: "forgets what it held before",
        help: format!("`:=` replaces all of `{name}`: to add to it, write `{target} |= ...;`"),
    })
}

/// A product whose first factor is a `mod` without brackets, in the moves or in a definition.
fn mod_before_product(text: &GameSource, rules: &Rules, moves: &[&Move]) -> Option<LoopCause> {
    let mut terms: Vec<&Expr> = rules.defs.iter().map(|def| &def.body).collect();
    for mv in moves {
        terms.extend(mv.body.stmts.iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::Require(e) | StmtKind::Let(_, e) => Some(e),
            StmtKind::Effect(effect) => Some(&effect.value),
            _ => None,
        }));
    }
    while let Some(term) = terms.pop() {
        if let Some(found) = remainder_of_product(text, term) {
            return Some(found);
        }
        term.each_part(&mut |part| terms.push(part));
    }
    None
}

/// The cause, if a term is `x mod a * b` without brackets, or `x mod a * b + c`.
fn remainder_of_product(text: &GameSource, term: &Expr) -> Option<LoopCause> {
    let product = match &*term.kind {
        ExprKind::Arith { op: Arith::Add | Arith::Sub, left, .. } => left,
        _ => term,
    };
    let ExprKind::Arith { op: Arith::Mul, left: remainder, .. } = &*product.kind else { return None };
    let ExprKind::Arith { op: Arith::Mod, left: number, .. } = &*remainder.kind else { return None };
    let words = |span: Span| text.words(span);
    let is_bare = term.span.is_placed()
        && term.span.start == remainder.span.start
        && remainder.span.end < product.span.end;
    let whole = words(term.span);
    let (value, divisor) = whole.split_once(" mod ").filter(|_| is_bare && whole.len() < 80)?;
    (value == words(number.span)).then(|| LoopCause {
        span: term.span,
        label: "`mod` and `*` bind alike, from the left",
        help: format!("if the remainder by all that follows is meant, write `{value} mod ({divisor})`"),
    })
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn sets_are_added_to() {
        let help = |effect: &str| {
            let rest = format!(
                "state {{ eaten: set of 1..3 = {{}}; }} move eat(k: 1..3) as \"{{k}}\" {{ when k not in eaten; {effect} }} play \
                 normal;"
            );
            findings_of_two(&rest, Code::E0505)
                .into_iter()
                .next()
                .and_then(|found| found.help)
                .unwrap_or_default()
        };
        assert!(help("eaten := { k };").contains("`eaten |= ...;`"), "{}", help("eaten := { k };"));
        assert!(help("eaten |= { k };").is_empty());
    }

    #[test]
    fn an_empty_place_is_set_once() {
        let help = |init: &str| {
            help_of(&format!(
                "enum Colour {{ red, blue }} state {{ at[x: 1..2]: Colour? = {init}; }} move paint(x: 1..2, f: Colour) as \"{{x}} {{f}}\" \
                 {{ at[x] := f; }} end {{ when at[1] = blue and at[2] = blue => mover loses; }}"
            ))
        };
        assert!(
            help("none").contains("if `at[x]` is set once only, write `when at[x] = none;`; if it"),
            "{}",
            help("none")
        );
        assert!(help("red").contains("itself: write `when f != at[x];`"), "{}", help("red"));
    }

    fn help_of(rest: &str) -> String {
        let found = findings_of_two(rest, Code::E0505).into_iter().next();
        found.and_then(|found| found.help).unwrap_or_default()
    }

    #[test]
    fn brackets_are_proposed_if_they_end_the_loop() {
        let game = |condition: &str| {
            help_of(&format!(
                "board Cell = strip(4); state {{ man: Cell = d1; k: 0..1 = 0; }} move to(x: Cell) as \"{{x}}\" {{ when \
                 {condition}; man := x; }} end {{ when man = a1 => mover loses; }}"
            ))
        };
        let stays = game("k = 0 and x.col <= man.col or k = 1 and x.col < man.col");
        assert!(stays.contains("`when x != man;`") && !stays.contains("is meant"), "{stays}");
        let cured = game("k = 1 and x.col < man.col or man = d1");
        assert!(cured.contains("`k = 1 and (x.col < man.col or man = d1)` is meant"), "{cured}");
    }

    #[test]
    fn a_mandatory_move_that_takes_nothing_is_named() {
        let game = |effect: &str| {
            help_of(&format!(
                "board Cell = strip(5); state {{ at[c: Cell]: Player? = if c = a1 then A else if c = b1 then B else none; }} \
                 mandatory move jump(c: Cell, d: {{ E, W }}) as \"{{c}}\" {{ when at[c] = me and at[c + d] = opponent and \
                 at[c + d + d] = none; at[c + d + d] <- at[c]; {effect} }} move step(c: Cell) as \"{{c}}-{{c + E}}\" {{ \
                 when at[c] = me and at[c + E] = none; at[c + E] <- at[c]; }} move back(c: Cell) as \"{{c}}-{{c + W}}\" \
                 {{ when at[c] = me and at[c + W] = none; at[c + W] <- at[c]; }} end {{ when stuck => mover loses; }}"
            ))
        };
        let forgets = game("");
        assert!(forgets.contains("if `jump` takes a piece, remove it"), "{forgets}");
        assert!(!game("at[c + d] := none;").contains("takes a piece"));
        let leap = |condition: &str| {
            help_of(&format!(
                "board Cell = strip(7); state {{ at[c: Cell]: Player? = if c = a1 then A else if c = g1 then B else none; }} \
                 mandatory move jump(c: Cell, d: {{ E, W }}) as \"{{c}}{{d}}\" {{ let to = c + d + d; when at[c] = me and \
                 at[c + d] {condition} and at[to] = none; at[c + d] := none; at[to] <- at[c]; }} end {{ when stuck => mover \
                 loses; }}"
            ))
        };
        assert!(leap("!= me").starts_with("`jump` takes from an empty place"), "{}", leap("!= me"));
        assert!(leap("= opponent").is_empty());
    }
}
