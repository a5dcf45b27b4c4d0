//! For each item of the checklist, rules with one damage that only this item refuses.

use std::sync::Arc;

use super::Requirement::*;
use super::{Requirement, verify};
use crate::builder::*;
use crate::*;

/// The field `heap[i: 0..1]: 0..3` of [`sound`].
const HEAP: FieldId = FieldId(2);
/// The field `at[c: Cell]: Player?` of [`sound`].
const AT: FieldId = FieldId(3);

/// Returns rules with an item of most kinds, all sound.
fn sound() -> Rules {
    let mut builder = RulesBuilder::new(&["A", "B"]);
    let (board, cells) = builder.board(Board::strip(3).expect("a strip"));
    let cell = Type::Sym(cells);
    builder.rules.records.push(Record { name: "Pair".into(), parts: vec![("x".into(), Type::Bool)] });
    builder.field("heap", &[Type::Int(0, 1)], Type::Int(0, 3), Value::Int(2));
    builder.field("at", std::slice::from_ref(&cell), Type::option(Type::Sym(PLAYER)), Value::None);
    let keys = builder.rules.fields[HEAP].keys.clone();
    let values = vec![Some(Value::Int(1)), None];
    let (name, ty, span) = ("limit".to_owned(), Type::Int(1, 1), at(0));
    builder.rules.tables.push(ConstTable { name, keys, ty, values, span });
    // reach(c): c is the first cell, or a neighbour is reached.
    let neighbors = e(ExprKind::Board(BoardFn::Neighbors, board, vec![var(0)]));
    let reached = e(ExprKind::Call(DefId(0), vec![var(1)]));
    let some = e(ExprKind::Quant(Quant::Some, vec![over_set(1, neighbors)], reached));
    let body = e(ExprKind::Or(vec![eq(var(0), val(Value::Sym(cells, 0))), some]));
    builder.def(&[cell], Type::Bool, body, Some(0));
    let mine = eq(e(ExprKind::Me), get(MOVER, &[]));
    builder.def(&[], Type::Bool, mine, None);
    builder.rules.defs[DefId(1)].uses_me = true;
    let taken = effect(EffectOp::Subtract, HEAP, &[var(0)], var(1));
    let fits = e(ExprKind::LessEqual(var(1), get(HEAP, &[var(0)])));
    let all_mine = e(ExprKind::Call(DefId(1), Vec::new()));
    builder.action("take", &[ints(0..=1), ints(1..=3)], vec![when(fits), when(all_mine), taken]);
    builder.end(e(ExprKind::Stuck), OutcomeExpr::Player(get(MOVER, &[]), false));
    let score = PerPlayer { values: vec![get(HEAP, &[int(0)]), int(1)], vars: Vars::new() };
    builder.end(eq(get(HEAP, &[int(0)]), int(3)), OutcomeExpr::ByScore(score, true));
    builder.rules.display.push(Display {
        source: DisplaySource::Field(AT),
        signs: vec![(Value::None, ".".into())],
        looks: Vec::new(),
    });
    let claim = Claim::Legal(MoveRef::Applied(MoveId(0), vec![Value::Int(0), Value::Int(1)]));
    let (text, vars) = ("legal take(0, 1)".into(), Vars::new());
    builder.rules.expectations.push(Expectation { claim, cite: None, text, vars, span: at(0) });
    builder.finish().unwrap_or_else(|violations| panic!("{violations:?}"))
}

/// Tests that rules with this damage are refused, and by one item of the checklist alone.
fn refuses(requirement: Requirement, reason: &str, damage: impl FnOnce(&mut Rules)) {
    let mut rules = sound();
    damage(&mut rules);
    let found = verify(&rules);
    assert!(!found.is_empty(), "{requirement:?} is not tested: {reason}");
    assert!(found.iter().all(|violation| violation.requirement == requirement), "{found:?}");
    assert!(found[0].to_string().contains(reason), "{}", found[0]);
}

/// The first condition of the move.
fn condition(rules: &mut Rules) -> &mut Expr {
    match &mut rules.moves[MoveId(0)].body.stmts[0].kind {
        StmtKind::Require(condition) => condition,
        other => panic!("{other:?}"),
    }
}

/// The effect of the move.
fn taken(rules: &mut Rules) -> &mut Effect {
    match &mut rules.moves[MoveId(0)].body.stmts[2].kind {
        StmtKind::Effect(effect) => effect,
        other => panic!("{other:?}"),
    }
}

fn formula(kind: ExprKind) -> Expr {
    Expr::new(kind, Type::Bool, at(0))
}

#[test]
fn sound_rules_have_no_violation() {
    assert_eq!(verify(&sound()), []);
}

#[test]
fn ids_are_in_range() {
    refuses(Ids, "field `at`: a type mentions", |rules| rules.fields[AT].ty = Type::Sym(EnumId(9)));
    refuses(Ids, "an expression mentions", |rules| {
        *condition(rules) = formula(ExprKind::Call(DefId(9), Vec::new()));
    });
    refuses(Ids, "it contains itself", |rules| {
        rules.records[RecordId(0)].parts.push(("y".into(), Type::set(Type::Record(RecordId(0)))));
    });
    refuses(Ids, "a value mentions", |rules| rules.fields[AT].init[0] = Value::Sym(PLAYER, 2));
    refuses(Ids, "changes a field", |rules| taken(rules).field = FieldId(9));
    refuses(Ids, "phases does not exist", |rules| rules.moves[MoveId(0)].phases[0] = PhaseId(4));
}

#[test]
fn enumerations_begin_with_players_and_directions() {
    refuses(Enumerations, "not the first", |rules| rules.enums[DIR].kind = EnumKind::User);
    refuses(Enumerations, "two members", |rules| rules.enums[PLAYER].members[1] = "A".into());
}

#[test]
fn boards_agree_with_their_enumerations() {
    refuses(Boards, "its enumerations", |rules| rules.enums[EnumId(2)].members[0] = "z9".into());
    refuses(Boards, "one of its directions", |rules| {
        rules.dirs.pop();
        rules.enums[DIR].members.pop();
    });
}

#[test]
fn values_belong_to_their_types() {
    refuses(Values, "`7` is not in `0..3`", |rules| rules.fields[HEAP].init[1] = Value::Int(7));
    refuses(Values, "`2` is not in `1..1`", |rules| {
        rules.tables[TableId(0)].values[0] = Some(Value::Int(2));
    });
}

#[test]
fn fields_have_a_value_in_each_cell() {
    refuses(Fields, "not every cell", |rules| drop(rules.fields[HEAP].init.pop()));
    refuses(Fields, "mover and the phase", |rules| rules.fields[PHASE].ty = Type::Int(0, 3));
    refuses(Fields, "do not ascend", |rules| {
        rules.fields[HEAP].keys[0].values = Arc::new(vec![Value::Int(1), Value::Int(0)]);
    });
}

#[test]
fn tables_have_an_entry_for_each_cell() {
    refuses(Tables, "not every cell", |rules| drop(rules.tables[TableId(0)].values.pop()));
}

#[test]
fn variables_are_bound() {
    refuses(Variables, "the variable x4 is not bound", |rules| {
        let unbound = Expr::new(ExprKind::Var(VarId(4)), Type::Never, at(0));
        *condition(rules) = formula(ExprKind::Equal(unbound.clone(), unbound));
    });
}

#[test]
fn calls_have_their_number_of_arguments() {
    refuses(Arguments, "1 arguments are needed, 0", |rules| {
        *condition(rules) = formula(ExprKind::Call(DefId(0), Vec::new()));
    });
    refuses(Arguments, "has 1 keys, 0 are given", |rules| taken(rules).keys.clear());
}

#[test]
fn types_agree() {
    refuses(Types, "has no type", |rules| condition(rules).ty = Type::Error);
    refuses(Types, "expected bool", |rules| {
        let number = Expr::new(ExprKind::Const(Value::Int(1)), Type::Int(1, 1), at(0));
        *condition(rules) = number;
    });
    refuses(Types, "has the type Player", |rules| condition(rules).ty = Type::Sym(PLAYER));
    refuses(Types, "have no value in common", |rules| {
        let number = Expr::new(ExprKind::Const(Value::Int(1)), Type::Int(1, 1), at(0));
        let mover = Expr::new(ExprKind::Field(MOVER, Vec::new()), Type::Sym(PLAYER), at(0));
        *condition(rules) = formula(ExprKind::Equal(number, mover));
    });
}

#[test]
fn a_maker_exists_only_in_moves() {
    refuses(Maker, "nobody makes a move", |rules| {
        rules.ends[0].condition = formula(ExprKind::Call(DefId(1), Vec::new()));
    });
    refuses(Maker, "definition `d`", |rules| {
        rules.defs[DefId(1)].uses_me = false;
    });
}

#[test]
fn legal_moves_do_not_depend_on_themselves() {
    refuses(LegalMoves, "move `take`", |rules| *condition(rules) = formula(ExprKind::Stuck));
}

#[test]
fn definitions_are_not_circular() {
    refuses(Definitions, "circular and not inductive", |rules| rules.defs[DefId(0)].group = None);
    refuses(Definitions, "its own negation", |rules| {
        let body = rules.defs[DefId(0)].body.clone();
        rules.defs[DefId(0)].body = formula(ExprKind::Not(body));
    });
}

#[test]
fn effects_fit_their_fields() {
    refuses(Effects, "what changes is no set", |rules| taken(rules).op = EffectOp::Insert);
    refuses(Effects, "expected Player?", |rules| {
        let effect = taken(rules);
        effect.field = AT;
        effect.op = EffectOp::Set;
        effect.keys = vec![Expr::new(ExprKind::Const(Value::Sym(EnumId(2), 0)), Type::Sym(EnumId(2)), at(0))];
    });
}

#[test]
fn each_player_has_an_expression() {
    refuses(Players, "not every player", |rules| match &mut rules.ends[1].outcome {
        OutcomeExpr::ByScore(of, _) => drop(of.values.pop()),
        other => panic!("{other:?}"),
    });
    refuses(Players, "does not name the player", |rules| {
        rules.ends[1].outcome = OutcomeExpr::SinglePlayer(true);
    });
}

#[test]
fn phases_and_moves_agree_on_chance() {
    refuses(Moves, "its name begins with a digit", |rules| rules.moves[MoveId(0)].name = "1 a".into());
    refuses(Phases, "chance acts", |rules| rules.moves[MoveId(0)].chance = true);
}

#[test]
fn claims_name_what_exists() {
    refuses(Claims, "has other arguments", |rules| {
        let made = MoveRef::Applied(MoveId(0), Vec::new());
        rules.expectations[0].claim = Claim::Illegal(made);
    });
    refuses(Claims, "the cells of a board", |rules| {
        rules.display[0] =
            Display { source: DisplaySource::Field(HEAP), signs: Vec::new(), looks: Vec::new() }
    });
}
