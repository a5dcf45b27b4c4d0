//! Prints whole rules.

use super::*;

fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, span: span() }
}

fn block(kinds: Vec<StmtKind>) -> Block {
    Block { stmts: kinds.into_iter().map(stmt).collect() }
}

fn effect(c: Expr, path: Vec<u32>, op: EffectOp, value: Expr) -> StmtKind {
    StmtKind::Effect(Effect { field: AT, keys: vec![c], path, op, value })
}

fn a_move(vars: Vars, params: Vec<Param>, body: Block) -> Move {
    let hole = TemplatePart::Placeholder(var(0));
    Move {
        name: "go".into(),
        chance: false,
        mandatory: true,
        private: false,
        forcing: false,
        params,
        vars,
        by: None,
        phases: vec![PhaseId(0)],
        weight: None,
        prefer: None,
        template: vec![TemplatePart::Text("x\"{".into()), hole],
        body,
        doc: vec!["Goes.".into()],
        span: span(),
    }
}

/// Rules with at least one item of every kind.
fn full() -> Rules {
    let mut rules = rules();
    rules.params.push(("n".into(), Value::Int(2)));
    rules.doc.push(String::new());
    let empty_cell = || expr(ExprKind::Equal(expr(ExprKind::Field(AT, vec![var(0)])), constant(Value::None)));
    let vars = || variables(&[("c", Type::Sym(CELL))]);
    rules.tables.push(ConstTable {
        name: "up".into(),
        keys: vec![key("p", PLAYER, 2)],
        ty: Type::Sym(DIR),
        values: vec![Some(Value::Sym(DIR, 0)), None],
        span: span(),
    });
    rules.defs.push(Def {
        name: "free".into(),
        params: vec![VarId(0)],
        vars: vars(),
        ty: Type::Bool,
        body: empty_cell(),
        group: None,
        uses_me: true,
        doc: vec![],
        span: span(),
    });
    let stage = block(vec![
        effect(var(0), vec![1], EffectOp::Set, constant(Value::Sym(KIND, 1))),
        StmtKind::Stay(None),
    ]);
    let body = block(vec![
        StmtKind::Require(expr(ExprKind::Call(DefId(0), vec![var(0)]))),
        StmtKind::Let(Pattern::Var(VarId(1)), int(1)),
        StmtKind::If(
            empty_cell(),
            block(vec![StmtKind::Next(expr(ExprKind::Me))]),
            block(vec![StmtKind::Then(stage)]),
        ),
    ]);
    let vars = variables(&[("c", Type::Sym(CELL)), ("n", Type::Int(1, 1))]);
    let params = vec![Param { var: VarId(0), values: std::sync::Arc::new(vec![cell(0), cell(3)]) }];
    rules.moves.push(a_move(vars, params, body));
    rules.pass = Some(PassRule { condition: Some(expr(ExprKind::Stuck)), span: span() });
    let all =
        Binder { pattern: Pattern::Var(VarId(0)), domain: Domain::Fixed(all_of(PLAYER, 2)), condition: None };
    let each = PerPlayer { values: vec![int(1), int(-1)], vars: Vars::new() };
    let ends = [(Some(all), OutcomeExpr::Player(var(0), true)), (None, OutcomeExpr::Payoff(each))];
    for (binder, outcome) in ends {
        let vars = if binder.is_some() { variables(&[("p", Type::Sym(PLAYER))]) } else { Vars::new() };
        rules.ends.push(EndRule { vars, binder, condition: expr(ExprKind::Stuck), outcome, span: span() });
    }
    rules.repeats.push(Repeat { count: Some(3), of: None, outcome: OutcomeExpr::Draw, span: span() });
    rules.forbids.push(ForbidRepeat { of: None, within: Some(4), vars: Vars::new(), span: span() });
    rules.display.push(Display {
        source: DisplaySource::Field(AT),
        signs: vec![(Value::None, ".".into())],
        looks: Vec::new(),
    });
    let claim = |claim, text: &str| Expectation {
        claim,
        cite: Some("Bouton 1901".into()),
        text: text.into(),
        vars: Vars::new(),
        span: span(),
    };
    rules
        .expectations
        .push(claim(Claim::Player { player: 0, wins: true, plies: Some(3) }, "first wins in 3"));
    let step = TestStep::Play(vec![(MoveRef::Applied(MoveId(0), vec![cell(3)]), span())]);
    let last = TestStep::Expect(claim(Claim::Draw, "draw"));
    rules.tests.push(Test { name: "one".into(), steps: vec![step, last], span: span() });
    rules
}

#[test]
fn everything() {
    let text = print(&full());
    let expected = r#"//! A game.
//!
game "Small";
param n = 2;
players e0 Player { White, Black }
directions e1 Dir { N, NE, E, SE, S, SW, W, NW }
cells of b0 e2 Cell { a1, b1, a2, b2 }
enum e3 Kind { man, king }
record r0 Piece(owner: Player, kind: Kind);
board b0 Cell = grid of 4 cells e2, col 1..2, row 1..2;
phase p0 by mover;
field f0 mover: Player = White;
field f1 phase: 0..0 = 0;
field f2 at[c: Cell]: Piece? = none but Piece(White, man) at a1;
table t0 up[p: Player]: Dir = N but undefined at Black;
def d0 free(x0 c: Cell) of me: bool = at[c] = none;
/// Goes.
mandatory move m0 go(x0 c: Cell in { a1, b2 }) in p0 as "x\"{{{c}" {
  // x1 n: 1..1
  when free(c);
  let n = 1;
  if at[c] = none {
    next me;
  }
  else {
    then {
      at[c].kind := king;
      again;
    }
  }
}
pass when stuck;
end 0 for p in Player when stuck => p wins;
  // x0 p: Player
end 1 when stuck => payoff { White: 1, Black: -1 };
repeat 3 => draw;
forbid repeat within 4;
symmetry auto;
display f2 at { none => "." }
expect White wins in 3 cite "Bouton 1901"; // first wins in 3
test "one" {
  play go(b2);
  expect draw cite "Bouton 1901";
}
"#;
    assert_eq!(text, expected);
    assert_eq!(text, print(&full()), "the same text every time");
}

#[test]
fn graphs_tell_their_edges() {
    let clause = |text: &str, one_way| board::GraphClause {
        is_line: true,
        points: text.split(' ').map(String::from).collect(),
        one_way,
    };
    let mut rules = Rules::default();
    let mut graph = Board::graph(&[clause("u v w", vec![false, true])]).expect("a board");
    graph.name = "Point".into();
    graph.edges = Some(EnumId(5));
    rules.boards.push(graph);
    let text = print(&rules);
    let expected = "board b0 Point = graph of 3 cells e0, edges e5 {\n  u -> v;\n  v -> u, w;\n  w;\n  line u - v - w;\n}\n";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn tables_of_several_keys() {
    let keys = vec![key("c", CELL, 4), key("p", PLAYER, 2)];
    let init = (0..8).map(|i| Value::Int(if i == 5 || i == 6 { 1 } else { 0 })).collect();
    let mut rules = rules();
    let mut seen = field("n", keys, Type::Int(0, 1), init);
    seen.visibility = Visibility::To((0..8).map(|i| if i == 0 { vec![] } else { vec![0, 1] }).collect());
    seen.transient = true;
    rules.fields.push(seen);
    let text = print(&rules);
    let expected = "transient field f3 n[c: Cell, p: Player]: 0..1 = 0 but 1 at (a2, Black), (b2, White) \
                    visible to Player but {} at (a1, White);";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn nothing_at_all() {
    let rules = Rules { fields: IdVec::new(), ..Rules::default() };
    assert_eq!(print(&rules), "game \"\";\nsymmetry auto;\n");
}
