//! Every fault that play can raise, on every machine and by every method.
//!
//! In each of these games the first move, `lead`, is sound, and the position after it is at fault whatever is played:
//! so there is no value, and no claim is true. The definition names the fault; the circuit's interpreter and machine
//! code must stop there, the grounded rules must show it or be refused, no search may end with a value, and the checker
//! must refuse forged certificates of every kind for either player.

use std::sync::Arc;

use bouton_backend::interp::Interpreter as Circuits;
use bouton_backend::jit::{Jit, JitOptions as Compile};
use bouton_backend::{Children, Runner};
use bouton_base::limits::{Limits, NoProgress};
use bouton_base::rational::Rational;
use bouton_certificates::parity::Modulus;
use bouton_certificates::{
    self as cert, AnswersLemma, Certificate, Claim, Convention, Digest, ExchangeLemma, Header, InfinitePlay,
    Lemma, LoopyLemma, MirrorLemma, PairingLemma, ParityLemma, PayoffBound, PositionKey, ProductLemma,
    QuotientLemma, ReplyLemma, StealArgument, StealLemma, StrategyReply, SumLemma, TableLemma,
};
use bouton_checker::{Verdict, verify};
use bouton_circuit::{ControlId, Position};
use bouton_driver::faults::fault_diagnostic;
use bouton_driver::load::GameSource;
use bouton_driver::planner::{Plan, Question};
use bouton_driver::solvers;
use bouton_grounding::{FormulaEvaluator, ground};
use bouton_reference::Interpreter;
use bouton_rules::{Actor, Rules};
use bouton_search::game::explore::PositionFault;
use bouton_search::game::{Backend, Game, MachineError, MoveInstance, State, circuit_of};
use bouton_search::solve::{SolveOptions, SolveRequest, Status};
use bouton_syntax::diag::Code;

/// A fault: its name, its code, and the source of a game that has it.
struct FaultCase {
    name: &'static str,
    code: Code,
    text: String,
}

const HEAD: &str = "game \"At fault\";\nplayers A, B;\nboard Cell = strip(30);\ntype Two = { a1, b1 };\n\
                    const lines = { {a1}, {a1, b1} };\nconst pairs = { {b1}, {a1, c1} };\nenum Kind { man, king }\n\
                    record Piece(owner: Player, kind: Kind);\nrecord Pair(a: 0..2, b: bool);\n";
const ENDS: &str = "end { when n = 2 => A wins; when stuck => B wins; }\n";
const LEAD: &str = "move lead() { when n = 0; n := 1; }\n";

/// Faults of a move: name, code, fields, and the effects where n is 1.
const EFFECTS: &[(&str, Code, &str, &str)] = &[
    ("two values", Code::E0310, "", "n := 2; n := 0;"),
    ("two values of a cell", Code::E0310, "v[c: Cell]: 0..2 = 0;", "n := 2; v[a1] := n; v[a1] := 2;"),
    ("two sets", Code::E0310, "s: set of Cell = {};", "n := 2; s := {a1}; s := {b1};"),
    (
        "record and part",
        Code::E0310,
        "p: Piece = Piece(A, man);",
        "n := 2; p := Piece(A, man); p.kind := king;",
    ),
    ("two parts", Code::E0310, "p: Piece = Piece(A, man);", "n := 2; p.kind := man; p.kind := king;"),
    ("put in and taken out", Code::E0310, "s: set of Cell = {};", "n := 2; s |= {a1}; s -= {a1, b1};"),
    ("two next", Code::E0310, "", "n := 2; next A; if n = 1 { next B; }"),
    ("again and continue", Code::E0310, "", "n := 2; again; if n = 1 { continue q; }"),
    ("next of nobody", Code::E0330, "f: Player? = none;", "n := 2; next f;"),
    ("no target", Code::E0330, "t: Cell? = none; v[c: Cell]: 0..2 = 0;", "n := 2; v[t] := 1;"),
    ("no value", Code::E0330, "t: Cell? = none; u: Cell = a1;", "n := 2; u := t;"),
    (
        "no elements",
        Code::E0330,
        "t: Cell? = none; s: set of Cell = {};",
        "n := 2; for x in t.neighbors { s |= {x}; }",
    ),
    ("part of nothing", Code::E0330, "p: Piece? = none;", "n := 2; p.kind := king;"),
    ("number outside", Code::E0503, "m: 0..2 = 2;", "n := 2; m += n;"),
    ("number below", Code::E0503, "m: 0..2 = 0;", "n := 2; m -= n;"),
    ("number set outside", Code::E0503, "m: 0..2 = 2;", "n := 2; m := m + n;"),
    ("optional number outside", Code::E0503, "m: 0..2? = 2;", "n := 2; m := m + n;"),
    ("cell outside", Code::E0503, "v[c: Cell]: 0..2 = 2;", "n := 2; v[a1] := v[a1] + n;"),
    ("cell added outside", Code::E0503, "v[c: Cell]: 0..2 = 2;", "n := 2; v[a1] += n;"),
    ("value not listed", Code::E0503, "w: Two = a1; t: Cell = c1;", "n := 2; w := t;"),
    ("set not listed", Code::E0503, "q: lines = {a1}; t: Cell = c1;", "n := 2; q := {t};"),
    ("set grown outside its list", Code::E0503, "q: lines = {a1}; t: Cell = c1;", "n := 2; q |= {t};"),
    ("set shrunk outside its list", Code::E0503, "q: lines = {a1, b1}; t: Cell = a1;", "n := 2; q -= {t};"),
    ("set made of listed ones", Code::E0503, "q: lines = {a1}; t: Cell = a1;", "n := 2; q := q - {t};"),
    (
        "union of listed sets",
        Code::E0503,
        "q: lines = {a1}; v: pairs = {a1, c1};",
        "n := 2; q := union x in {q, v}: x;",
    ),
    ("foreign element", Code::E0503, "s: set of Two = {}; t: Cell = c1;", "n := 2; s |= {t};"),
    ("part outside", Code::E0503, "r: Pair = Pair(2, true);", "n := 2; r.a := r.a + n;"),
    ("record outside", Code::E0330, "r: Pair = Pair(2, true);", "n := 2; r := Pair(r.a + n, false);"),
    (
        "records outside",
        Code::E0330,
        "r[c: Cell]: Pair = Pair(2, true);",
        "n := 2; r[b1] := Pair(r[a1].a + n, false);",
    ),
    ("field of one value", Code::E0503, "single: 1..1 = 1;", "n := 2; single := single + n;"),
    ("field of one value added to", Code::E0503, "single: 1..1 = 1;", "n := 2; single += n;"),
    ("before a later condition", Code::E0503, "m: 0..2 = 2;", "m += n; then { when m = 0; n := 2; }"),
    (
        "before a later let",
        Code::E0330,
        "t: Cell? = none; u: Cell = a1;",
        "u := t; then { let x = t.neighbors; n := 2; }",
    ),
    ("in a later stage", Code::E0503, "m: 0..2 = 2;", "n := 2; then { m += 1; }"),
    (
        "in the last stage",
        Code::E0310,
        "m: 0..2 = 2;",
        "n := 2; then { m := 0; then { m := 1; if m = 0 { m := 2; } } }",
    ),
    (
        "behind a condition that holds",
        Code::E0503,
        "m: 0..2 = 2;",
        "n := 2; if m = 2 { for x in {a1, b1} { then { m += 1; } } }",
    ),
];

/// Faults of other kinds: name, code, and the source after the head.
const OTHERS: &[(&str, Code, &str)] = &[
    ("nobody can move", Code::E0501, "state { n: 0..2 = 0; } move lead() { when n = 0; n := 1; } end { when n = 2 => A wins; }"),
    (
        "nobody wins",
        Code::E0502,
        "state { n: 0..2 = 0; f: Player? = none; } move lead() { when n = 0; n := 1; }
         end { when n = 1 => f wins; when stuck => B wins; }",
    ),
    (
        "the payoff has no value",
        Code::E0502,
        "state { n: 0..2 = 0; pay: 0..1? = none; } move lead() { when n = 0; n := 1; }
         end { when n = 1 => payoff p: if p = A then pay else -pay; when stuck => B wins; }",
    ),
    (
        "the best score has no value",
        Code::E0502,
        "state { n: 0..2 = 0; score[p: Player]: 0..1? = none; } move lead() { when n = 0; n := 1; }
         end { when n = 1 => highest score; when stuck => B wins; }",
    ),
    (
        "a mandatory move",
        Code::E0503,
        "state { n: 0..2 = 0; m: 0..2 = 2; } move lead() { when n = 0; n := 1; }
         mandatory move bad() { when n = 1; n := 2; m += 1; } move fine() { when n = 1; n := 2; }
         end { when n = 2 => A wins; when stuck => B wins; }",
    ),
    (
        "a preferred move",
        Code::E0503,
        "state { n: 0..2 = 0; m: 0..2 = 2; } move lead() { when n = 0; n := 1; }
         move go(k: 0..1) prefer max k { when n = 1; n := 2; m += k; }
         end { when n = 2 => A wins; when stuck => B wins; }",
    ),
    (
        "one move of two",
        Code::E0503,
        "state { n: 0..2 = 0; m: 0..2 = 2; } move lead() { when n = 0; n := 1; }
         move bad() { when n = 1; n := 2; m += 1; } move fine() { when n = 1; n := 2; }
         end { when n = 2 => A wins; when stuck => B wins; }",
    ),
    (
        "every move",
        Code::E0503,
        "state { n: 0..2 = 0; m: 0..1 = 0; } move lead() { when n = 0; n := 1; } move on() { when n = 1; n := 2; }
         every move { then { m += 1; } } end { when n = 2 => A wins; when stuck => B wins; }",
    ),
    (
        "a move where passing is allowed",
        Code::E0503,
        "state { n: 0..2 = 0; m: 0..2 = 2; } move lead() { when n = 0; n := 1; }
         move bad() { when n = 1; n := 2; m += 1; } pass when n = 1;
         end { when n = 2 => A wins; when stuck => B wins; repeat => draw; }",
    ),
    (
        "a move where passing is for who is stuck",
        Code::E0503,
        "state { n: 0..2 = 0; m: 0..2 = 2; } move lead() { when n = 0; n := 1; }
         move bad() { when n = 1; n := 2; m += 1; } pass when stuck;
         end { when n = 2 => A wins; repeat => draw; }",
    ),
    (
        "a phase of nobody",
        Code::E0330,
        "phases { p by who; } state { n: 0..2 = 0; who: Player? = A; } move lead() in p { when n = 0; n := 1; who := none; }
         move on() in p { when n = 1; n := 2; } end { when n = 2 => A wins; when stuck => B wins; }",
    ),
    (
        "a phase of several",
        Code::E0330,
        "phases { p by who; } state { n: 0..2 = 0; who: set of Player = {A}; }
         move lead() in p { when n = 0; n := 1; who |= {B}; }
         move on() in p { when n = 1; n := 2; } end { when n = 2 => A wins; when stuck => B wins; }",
    ),
    (
        "a phase of none of a set",
        Code::E0330,
        "phases { p by who; } state { n: 0..2 = 0; who: set of Player = {A}; }
         move lead() in p { when n = 0; n := 1; who := {}; }
         move on() in p { when n = 1; n := 2; } end { when n = 2 => A wins; when stuck => B wins; }",
    ),
    (
        "at once, two values",
        Code::E0506,
        "phases { p by each; } state { n: 0..2 = 0; } move lead() in p { when n = 0; n := 1; }
         move on() in p { when n = 1; n := if me = A then 2 else 0; } end { when n = 2 => A wins; when stuck => B wins; }",
    ),
    (
        "at once, put in and taken out",
        Code::E0506,
        "phases { p by each; } state { n: 0..2 = 0; s: set of Cell = {}; } move lead() in p { when n = 0; n := 1; }
         move on() in p { when n = 1; n := 2; if me = A { s |= {a1}; } else { s -= {a1}; } }
         end { when n = 2 => A wins; when stuck => B wins; }",
    ),
    (
        "at once, two next",
        Code::E0506,
        "phases { p by each; } state { n: 0..2 = 0; } move lead() in p { when n = 0; n := 1; }
         move on() in p { when n = 1; n := 2; next me; } end { when n = 2 => A wins; when stuck => B wins; }",
    ),
    (
        "at once, one alone",
        Code::E0503,
        "phases { p by each; } state { n: 0..2 = 0; m: 0..2 = 2; } move lead() in p { when n = 0; n := 1; }
         move on() in p by B { when n = 1; n := 2; m += 1; } end { when n = 2 => A wins; when stuck => B wins; }",
    ),
    (
        "at once, one of two",
        Code::E0503,
        "phases { p by each; } state { n: 0..2 = 0; m: 0..2 = 2; } move lead() in p { when n = 0; n := 1; }
         move on() in p { when n = 1; n := 2; m := if me = B then 2 else m + 1; }
         end { when n = 2 => A wins; when stuck => B wins; }",
    ),
    (
        "at once, each alone but not together",
        Code::E0503,
        "phases { p by each; } state { n: 0..2 = 0; m: 0..2 = 2; pick[q: Player]: 0..1 = 0; }
         move lead() in p { when n = 0; n := 1; }
         move on() in p { when n = 1; n := 2; pick[me] := 1; then { if pick[A] + pick[B] < 2 { m += 1; } } }
         end { when n = 2 => A wins; when stuck => B wins; }",
    ),
    (
        "at once, one cell twice beside effects that are certain",
        Code::E0310,
        "phases { p by each; } state { n: 0..2 = 0; a: bool = false; b: bool = false; }
         move lead() in p { when n = 0; n := 1; }
         move on() in p { when n = 1; n := 2; then { a := n = 2; if me = A { b := n = 2; b := n = 1; } } }
         end { when n = 2 => A wins; when stuck => B wins; }",
    ),
    (
        "at once, a number beside effects that are certain",
        Code::E0503,
        "phases { p by each; } state { n: 0..2 = 0; a: bool = false; m: 0..2 = 2; }
         move lead() in p { when n = 0; n := 1; }
         move on() in p { when n = 1; n := 2; then { a := n = 2; m := m + 1; } }
         end { when n = 2 => A wins; when stuck => B wins; }",
    ),
    (
        "at once, a call whose argument has a value only together with the other's move",
        Code::E0330,
        "phases { p by each; } state { n: 0..2 = 0; x: 1..3 = 2; y: 1..3 = 2; a: bool = false; }
         def high(k: 1..3) = not (k = 1);
         move lead() in p { when n = 0; n := 1; }
         move on() in p { when n = 1 and me = A; n := 2; then { a := high(x + y); } }
         move shift() in p { when n = 1 and me = B; y := 1; }
         end { when n = 2 => A wins; when stuck => B wins; }",
    ),
    (
        "at once, a sum",
        Code::E0503,
        "phases { p by each; } state { n: 0..2 = 0; m: 0..2 = 1; } move lead() in p { when n = 0; n := 1; }
         move on() in p { when n = 1; n := 2; m += 1; } end { when n = 2 => A wins; when stuck => B wins; }",
    ),
    (
        "at once, a let that had a value alone",
        Code::E0330,
        "phases { p by each; } state { n: 0..2 = 0; t: Cell? = a1; m: 0..9 = 0; }
         move lead() in p { when n = 0; n := 1; }
         move on() in p { when n = 1; n := 2; if me = B { t := none; } then { if me = A { let c = t.col; m := c; } } }
         end { when n = 2 => A wins; when stuck => B wins; }",
    ),
    (
        "all weights are 0",
        Code::E0324,
        "phases { p; roll by chance; } state { n: 0..2 = 0; } move lead() in p { when n = 0; n := 1; continue roll; }
         chance go(k: 0..1) in roll { weight 1 - n; n := 2; } end { when n = 2 => A wins; when stuck => B wins; }",
    ),
    (
        "a negative weight",
        Code::E0324,
        "phases { p; roll by chance; } state { n: 0..2 = 0; } move lead() in p { when n = 0; n := 1; continue roll; }
         chance go(k: 0..1) in roll { weight k - n; n := 2; } end { when n = 2 => A wins; when stuck => B wins; }",
    ),
    (
        "a weight without a value",
        Code::E0330,
        "phases { p; roll by chance; } state { n: 0..2 = 0; w: 0..2? = none; }
         move lead() in p { when n = 0; n := 1; continue roll; }
         chance go(k: 0..1) in roll { weight w; n := 2; } end { when n = 2 => A wins; when stuck => B wins; }",
    ),
    (
        "an event",
        Code::E0503,
        "phases { p; roll by chance; } state { n: 0..2 = 0; m: 0..2 = 2; }
         move lead() in p { when n = 0; n := 1; continue roll; }
         chance go(k: 0..1) in roll { n := 2; m += k; } end { when n = 2 => A wins; when stuck => B wins; }",
    ),
];

fn cases() -> Vec<FaultCase> {
    let effects = EFFECTS.iter().map(|&(name, code, fields, effects)| {
        let phases = if effects.contains("continue q") {
            "phases { p; q; } move never() in q { when n = 0; }\n"
        } else {
            ""
        };
        let text = format!(
            "{HEAD}{phases}state {{ n: 0..2 = 0; {fields} }}\n{LEAD}move bad() {{ when n = 1; {effects} }}\n{ENDS}"
        );
        FaultCase { name, code, text }
    });
    let others =
        OTHERS.iter().map(|&(name, code, text)| FaultCase { name, code, text: format!("{HEAD}{text}\n") });
    effects.chain(others).collect()
}

fn game(case: &FaultCase, backend: Backend) -> Game {
    let mut text = GameSource::from_string("fault.bou", &case.text);
    text.backend = backend;
    text.game(None).unwrap_or_else(|why| panic!("{}: {why:?}\n{}", case.name, case.text))
}

/// Returns the code of a position without meaning.
fn code_of(game: &Game, kind: &PositionFault) -> Code {
    match kind {
        PositionFault::Fault(fault) => fault_diagnostic(game, fault).code,
        PositionFault::Stuck => Code::E0501,
    }
}

/// Returns the code of the fault that a machine reports after `lead`.
fn after_lead(game: &Game) -> Option<Code> {
    let start = game.machine.initial();
    let (_, moves) = game.machine.expand(&start).expect("the first position is sound");
    let leads =
        |play: &MoveInstance| game.machine.notation(&start, play).is_ok_and(|name| name.contains("lead"));
    let lead = moves.into_iter().find(|next| leads(&next.play)).expect("the move `lead`");
    match game.machine.expand(&lead.state) {
        Err(MachineError::Fault(fault)) => Some(fault_diagnostic(game, &fault).code),
        Err(MachineError::Limit(hit)) => panic!("{hit}"),
        Ok((bouton_search::game::ToMove::Terminal(_), _)) => None,
        Ok((_, moves)) => moves.is_empty().then_some(Code::E0501),
    }
}

/// Asserts that a circuit without the definition behind it gives no children of the position after `lead`. Returns
/// false if there is no circuit.
fn circuits_stop(case: &FaultCase, rules: &Arc<Rules>) -> bool {
    let Ok(lowered) = circuit_of(rules, &[], &Limits::default()) else { return false };
    let circuit = Arc::new(lowered.circuit.clone());
    let runners: [Arc<dyn Runner>; 2] = [
        Arc::new(Circuits::new(circuit.clone())),
        Arc::new(Jit::new(circuit.clone(), Compile::default()).expect("machine code")),
    ];
    for runner in runners {
        let mut children = Children::default();
        let lead = runner.children(&circuit.initial, &mut children).expect("the first position is sound");
        assert_eq!(lead, bouton_backend::Status::Open, "{}", case.name);
        let width = circuit.layout.words as usize;
        for words in children.words.chunks_exact(width + 1) {
            let at = Position { control: ControlId(words[width] as u32), words: words[..width].into() };
            let mut after = Children::default();
            let found = runner.children(&at, &mut after);
            let stops = found.is_err() || found == Ok(bouton_backend::Status::Open) && after.moves.is_empty();
            assert!(stops, "{}: {found:?}", case.name);
        }
    }
    true
}

/// Asserts that the grounded rules have no meaning in the position after `lead`. Returns false if grounding is refused.
fn grounding_shows_fault(case: &FaultCase, rules: &Arc<Rules>) -> bool {
    let Ok(ground) = ground(rules, &Limits::default()) else { return false };
    let definition = Interpreter::new(rules.clone());
    let moves = definition.successors(&definition.initial()).expect("the first position is sound");
    for (_, after, _) in moves {
        let position = ground.fluents.position(&definition.cells(&after)).expect("a position");
        let mut reading = FormulaEvaluator::new(&ground.formulas, &position);
        let moves = ground.actions.iter().any(|action| reading.holds(action.legal));
        let stuck = !moves && !reading.holds(ground.over);
        let found = if case.code == Code::E0501 { stuck } else { reading.holds(ground.fault) };
        assert!(found, "{}: a fault", case.name);
    }
    super::ground::agrees(case.name, rules, &ground, 3);
    true
}

/// Asserts that no method ends with a value: each gives the fault, or no answer.
fn no_method_has_a_value(case: &FaultCase, backend: Backend) {
    let game = game(case, backend);
    let start = game.machine.initial();
    let limits = Limits { positions: Some(10_000), ..Limits::default() };
    let mut faults = 0;
    let plain = SolveOptions::default();
    for method in solvers::all() {
        let name = format!("{}, {}, {backend:?}", case.name, method.name());
        match method.solve(&SolveRequest::new(&game, &start, &plain, &limits, &NoProgress)) {
            Ok(solution) => assert_eq!(solution.status, Status::Unknown, "{name}: {solution:?}"),
            Err(broken) => {
                assert_eq!(code_of(&game, &broken.kind), case.code, "{name}");
                faults += 1;
            }
        }
    }
    for strong in [false, true] {
        let options = SolveOptions { strong, ..SolveOptions::default() };
        match Plan::new(Question::new(&game, &start, &options, &limits)).run(&NoProgress) {
            Ok(answer) => {
                assert_eq!(answer.solution.status, Status::Unknown, "{}: {:?}", case.name, answer.solution);
            }
            Err(broken) => assert_eq!(code_of(&game, &broken.kind), case.code, "{}", case.name),
        }
    }
    // Methods that visit all positions find the fault, unless players choose simultaneously and no method applies.
    let at_once = game.rules.phases.iter().any(|phase| matches!(phase.actor, Actor::Each));
    assert!(at_once || faults > 0, "{}: no method tells of the fault", case.name);
}

/// Returns forged lemmas of every kind that needs no knowledge of the rules, for this player.
fn forged_lemmas(player: u32, keys: &[PositionKey; 2]) -> Vec<Lemma> {
    let bound = PayoffBound { holder: Some(player), payoff: Rational::from_integer(1) };
    let answer =
        |key: &PositionKey, rank, reply: &str| StrategyReply { key: key.clone(), rank, reply: reply.into() };
    let pair = |one: &str, other: &str| (one.to_string(), other.to_string());
    let mut lemmas = vec![
        Lemma::Parity(ParityLemma { bound: bound.clone(), modulus: Modulus(2), weights: Vec::new() }),
        Lemma::Parity(ParityLemma { bound: bound.clone(), modulus: Modulus(2), weights: vec![(0, vec![0])] }),
        Lemma::Parity(ParityLemma { bound: bound.clone(), modulus: Modulus(2), weights: vec![(0, vec![1])] }),
        Lemma::Steal(StealLemma { bound: bound.clone(), by: StealArgument::Absorption("lead".into()) }),
        Lemma::Steal(StealLemma { bound: bound.clone(), by: StealArgument::Exchange(Vec::new()) }),
        Lemma::Answers(AnswersLemma::new(bound.clone(), None, Vec::new())),
        Lemma::Answers(AnswersLemma::new(bound.clone(), Some("lead".into()), Vec::new())),
        Lemma::Answers(AnswersLemma::new(bound.clone(), None, vec![pair("lead", "bad")])),
        Lemma::Answers(AnswersLemma::new(bound.clone(), Some("lead".into()), vec![pair("bad", "lead")])),
        Lemma::Mirror(MirrorLemma { bound: bound.clone(), opening: None, images: Vec::new() }),
        Lemma::Mirror(MirrorLemma { bound: bound.clone(), opening: Some("lead".into()), images: Vec::new() }),
        Lemma::Pairing(PairingLemma::new(bound.clone(), Vec::new())),
        Lemma::Sum(SumLemma { bound: bound.clone(), components: Vec::new() }),
        Lemma::Product(ProductLemma { components: Vec::new() }),
        Lemma::Exchange(ExchangeLemma { images: Vec::new(), moves: Default::default(), odd: Vec::new() }),
    ];
    for lost in [vec![], vec![0]] {
        lemmas.push(Lemma::Quotient(QuotientLemma {
            bound: bound.clone(),
            products: vec![vec![0]],
            lost,
            components: Vec::new(),
        }));
    }
    let [start, after] = keys;
    let mut replies = vec![
        vec![],
        vec![answer(start, None, "lead")],
        vec![answer(after, None, "bad")],
        vec![answer(start, None, "lead"), answer(after, None, "bad")],
    ];
    for answers in &mut replies {
        answers.sort_by(|a, b| a.key.cmp(&b.key));
        lemmas.push(Lemma::Reply(ReplyLemma { bound: bound.clone(), answers: answers.clone() }));
        lemmas.push(Lemma::Loopy(LoopyLemma {
            bound: bound.clone(),
            ending: InfinitePlay::Safe,
            answers: answers.clone(),
        }));
        answers.iter_mut().zip(1..).for_each(|(answer, rank)| answer.rank = Some(rank));
        lemmas.push(Lemma::Loopy(LoopyLemma {
            bound: bound.clone(),
            ending: InfinitePlay::Ranked,
            answers: answers.clone(),
        }));
    }
    let value = Rational::from_integer(if player == 0 { 1 } else { -1 });
    let mut values: Vec<cert::table::ValuedPosition> = keys
        .iter()
        .map(|key| cert::table::ValuedPosition { key: key.clone(), value: value.clone() })
        .collect();
    values.sort_by(|a, b| a.key.cmp(&b.key));
    lemmas.push(Lemma::Table(TableLemma {
        values: vec![cert::table::ValuedPosition { key: start.clone(), value }],
    }));
    lemmas.push(Lemma::Table(TableLemma { values }));
    lemmas
}

/// Asserts that the checker refuses every forged certificate; returns their number.
fn the_checker_refuses(case: &FaultCase, rules: &Arc<Rules>) -> usize {
    let game = game(case, Backend::Reference);
    let definition = Interpreter::new(rules.clone());
    let start: State = game.machine.initial();
    let key = |state: &State| bouton_search::solve::certify::key(&game, &definition, state).expect("a key");
    let next = game.machine.expand(&start).expect("the first position is sound").1;
    let keys = [key(&start), key(&next[0].state)];
    let mut refused = 0;
    for player in 0..2 {
        for lemma in forged_lemmas(player, &keys) {
            let header = Header {
                game: rules.name.clone(),
                players: rules.players().to_vec(),
                rules: Digest::of_rules(rules),
                params: Vec::new(),
                convention: Convention::of(rules),
                position: None,
                claim: Claim::Wins { player, plies: None },
                tier: lemma.tier(),
            };
            let kind = lemma.kind();
            let certificate = Certificate { header, lemmas: vec![lemma], text: None };
            match verify(rules, &certificate, &Limits::default(), None) {
                Verdict::Rejected(rejection) => {
                    assert_ne!(rejection.step, "header", "{}: {rejection}", case.name);
                    refused += 1;
                }
                other => panic!("{}: {kind} is not refused: {other:?}", case.name),
            }
        }
    }
    refused
}

#[test]
fn every_fault_is_met_by_every_way_to_an_answer() {
    let (mut circuits, mut written, mut forged) = (0, 0, 0);
    let cases = cases();
    let mut wrong = 0;
    for case in &cases {
        let seen = std::panic::catch_unwind(|| {
            let rules = game(case, Backend::Reference).rules.clone();
            for backend in [Backend::Reference, Backend::Interp, Backend::Jit] {
                assert_eq!(after_lead(&game(case, backend)), Some(case.code), "{}, {backend:?}", case.name);
                no_method_has_a_value(case, backend);
            }
            let (circuit, ground) = (circuits_stop(case, &rules), grounding_shows_fault(case, &rules));
            (circuit, ground, the_checker_refuses(case, &rules))
        });
        match seen {
            Ok((circuit, ground, refused)) => {
                circuits += usize::from(circuit);
                written += usize::from(ground);
                forged += refused;
            }
            // The method named the fault itself.
            Err(_) => wrong += 1,
        }
    }
    assert_eq!(wrong, 0, "of {} faults", cases.len());
    println!("{} faults, {circuits} circuits, {written} written out, {forged} made up", cases.len());
    // Most have a circuit and a grounding: a case that falls back to the definition, or is refused, tests neither.
    assert!(circuits * 10 >= cases.len() * 7 && written * 10 >= cases.len() * 7);
}
