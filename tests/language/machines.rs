//! The definition of the language against compiled rules: all agree on random plays of every game.

use std::sync::Arc;

use bouton_backend::interp::Interpreter;
use bouton_backend::jit::{GuardOptions, Jit, JitOptions, OutlineOptions};
use bouton_backend::{Child, CountUnit, PositionRef, Runner, Status};
use bouton_base::limits::{CancelToken, Limits, NoProgress};
use bouton_circuit::Circuit;
use bouton_circuit::opt::optimise;
use bouton_circuit::verify::{CircuitForm, verify};
use bouton_lower::{CellLayout, LowerOptions, lower_with};
use bouton_rules::Rules;
use bouton_search::game::draw::draw;
use bouton_search::game::explore::count_positions;
use bouton_search::game::perft::{self, PerftError, PlyUnit};
use bouton_search::game::random::Random;
use bouton_search::game::{
    Backend, CompiledMachine, Game, Machine, MachineError, MoveInstance, ReferenceMachine, State, Successor,
    ToMove, circuit_of,
};

use bouton_driver::load::GameSource;
use bouton_search::solve::{self, Auto, SolveRequest, Solver};

use super::{game, method, names, slow};

/// Returns the contents of a position, cell by cell.
fn cells(rules: &Rules, machine: &dyn Machine, state: &State) -> Vec<bouton_rules::Value> {
    let fields = rules.fields.entries();
    let cells = fields.flat_map(|(id, field)| (0..field.cells()).map(move |cell| (id, cell)));
    cells.map(|(id, cell)| machine.read(state, id, cell)).collect()
}

/// Plays games at random on both machines and asserts that they agree at each position.
fn agree(name: &str, rules: &Arc<Rules>, compiled: &dyn Machine, games: u64, plies: u64) {
    let reference = ReferenceMachine::new(rules.clone());
    differ(rules, &reference, compiled, games, plies)
        .unwrap_or_else(|difference| panic!("{name}{difference}"));
}

/// Plays games at random on both machines, as far as their limits allow; the error is the first difference.
pub(super) fn differ(
    rules: &Rules,
    reference: &dyn Machine,
    compiled: &dyn Machine,
    games: u64,
    plies: u64,
) -> Result<(), String> {
    for seed in 0..games {
        let mut random = Random::new(seed);
        let (mut a, mut b) = (reference.initial(), compiled.initial());
        let mut line: Vec<String> = Vec::new();
        let same = |line: &[String], what: &str, said: [&dyn std::fmt::Debug; 2]| {
            let [one, other] = said.map(|said| format!("{said:?}"));
            let told = || format!(", after {line:?}, {what}:\n  {one}\nby the definition, but\n  {other}");
            if one == other { Ok(()) } else { Err(told()) }
        };
        for _ in 0..plies {
            same(&line, "the position", [&cells(rules, reference, &a), &cells(rules, compiled, &b)])?;
            let (first, second) = (reference.expand(&a), compiled.expand(&b));
            if [&first, &second].iter().any(|said| matches!(said, Err(MachineError::Limit(_)))) {
                return Ok(());
            }
            let (Ok((turn, moves)), Ok((other, others))) = (&first, &second) else {
                if first.is_err() != second.is_err() {
                    return same(&line, "what is wrong", [&first, &second]);
                }
                same(&line, "the turn", [&reference.turn(&a), &compiled.turn(&b)])?;
                break;
            };
            same(&line, "the turn", [turn, other])?;
            let names = |machine: &dyn Machine, at: &State, moves: &[Successor]| -> Vec<String> {
                moves
                    .iter()
                    .map(|m| format!("{:?} {}", m.play, machine.notation(at, &m.play).unwrap_or_default()))
                    .collect()
            };
            same(&line, "the moves", [&names(reference, &a, moves), &names(compiled, &b, others)])?;
            choices_agree(reference, &a, moves).map_err(|why| format!(", after {line:?}, {why}"))?;
            for (x, y) in moves.iter().zip(others) {
                let said = (cells(rules, reference, &x.state), cells(rules, compiled, &y.state));
                same(&line, &format!("what {:?} leads to", x.play), [&said.0, &said.1])?;
            }
            if matches!(turn, ToMove::Terminal(_)) || moves.is_empty() {
                break;
            }
            let choice = random.below(moves.len() as u64) as usize;
            line.push(reference.notation(&a, &moves[choice].play).unwrap_or_default());
            (a, b) = (moves[choice].state.clone(), others[choice].state.clone());
        }
    }
    Ok(())
}

/// Compares the legal moves of each player, and the positions that moves lead to if they are made one by one, with the
/// moves of a position; the error is the difference.
fn choices_agree(machine: &dyn Machine, at: &State, moves: &[Successor]) -> Result<(), String> {
    let (turn, choices) = match machine.choices(at) {
        Ok(Some(choices)) => choices,
        Ok(None) | Err(MachineError::Limit(_)) => return Ok(()),
        Err(fault) => return Err(format!("the choices: {fault:?}")),
    };
    let mut combined = if choices.is_empty() { Vec::new() } else { vec![Vec::new()] };
    for (player, plays) in choices {
        let longer = |begun: &Vec<(u32, MoveInstance)>| -> Vec<Vec<(u32, MoveInstance)>> {
            plays.iter().map(|play| begun.iter().cloned().chain([(player, play.clone())]).collect()).collect()
        };
        combined = combined.iter().flat_map(longer).collect();
    }
    let whole = |mut plays: Vec<(u32, MoveInstance)>| match turn {
        ToMove::Simultaneous => MoveInstance::Joint(plays),
        _ => plays.remove(0).1,
    };
    let combined: Vec<MoveInstance> = combined.into_iter().map(whole).collect();
    if !combined.iter().eq(moves.iter().map(|next| &next.play)) {
        return Err(format!("the choices make up {combined:?}"));
    }
    for next in moves {
        match machine.make(at, &next.play) {
            Ok(Some(after)) if after == next.state => {}
            Err(MachineError::Limit(_)) => return Ok(()),
            other => return Err(format!("{:?}, made alone, leads to {other:?}", next.play)),
        }
    }
    Ok(())
}

/// Compiles the rules and compares them with the definition on each runner of circuits.
fn compiled_agree(name: &str, rules: &Arc<Rules>, games: u64, plies: u64) {
    let lowered = circuit_of(rules, &[], &Limits::default());
    let lowered = lowered.unwrap_or_else(|why| panic!("{name}: {why}"));
    assert_eq!(verify(&lowered.circuit, CircuitForm::Scheduled).map_err(|e| e.to_string()), Ok(()), "{name}");
    let circuit = Arc::new(lowered.circuit.clone());
    let jit = Jit::new(circuit.clone(), JitOptions::default());
    let jit = Arc::new(jit.unwrap_or_else(|error| panic!("{name}: {error}")));
    let runners: [Arc<dyn Runner>; 2] = [Arc::new(Interpreter::new(circuit.clone())), jit];
    let stop = CancelToken::default();
    let counts = runners.each_ref().map(|runner| {
        let at = &circuit.initial;
        (runner.perft(at, 2, CountUnit::Move, &stop), runner.playouts(at, 20, 1, 300, &stop))
    });
    assert_eq!(counts[0], counts[1], "{name}");
    let lowered = Arc::new(lowered);
    for runner in runners {
        let compiled = CompiledMachine::new(rules.clone(), lowered.clone(), runner);
        agree(name, rules, &compiled, games, plies);
    }
}

/// The games that have no circuit yet, with the reason.
const NOT_LOWERED: &[(&str, &str)] = &[];

#[test]
fn circuits_agree_with_the_definition() {
    for name in names() {
        let mut text = game(&name);
        let rules = text.game(None).unwrap_or_else(|_| panic!("{name}")).rules.clone();
        let expected = NOT_LOWERED.iter().find(|(of, _)| *of == name).map(|(_, reason)| *reason);
        if let Some(reason) = expected {
            let why = circuit_of(&rules, &[], &Limits::default()).map(|_| ()).map_err(|why| why.what);
            assert_eq!(why, Err(reason.to_string()), "{name}");
            continue;
        }
        let (games, plies) = if slow() { (3, 60) } else { (1, 25) };
        compiled_agree(&name, &rules, games, plies);
    }
}

#[test]
fn two_layouts_say_the_same() {
    // In the layout by numbers, conditions on all cells at once are rebuilt each time, which is slow; these games are
    // feasible.
    let games = [
        "tictactoe",
        "chomp",
        "connect_four",
        "domineering",
        "dots_and_boxes",
        "fox_and_geese",
        "grundy",
        "hare_and_hounds",
        "kalah",
        "kayles",
        "maze",
        "nim",
        "othello",
        "sliding_squares",
        "three_mens_morris",
        "tic_tic_toe",
        "treblecross",
    ];
    for name in games {
        let rules = game(name).game(None).unwrap_or_else(|_| panic!("{name}")).rules;
        let [planes, codes] = [CellLayout::Planes, CellLayout::Codes].map(|cells| {
            let improve = |draft: &mut bouton_circuit::draft::Draft| optimise(draft, &[]);
            let lowered = lower_with(&rules, LowerOptions { cells }, &Limits::default(), &improve);
            let lowered = Arc::new(lowered.unwrap_or_else(|why| panic!("{name} {cells:?}: {why}")));
            assert_eq!(
                verify(&lowered.circuit, CircuitForm::Scheduled).map_err(|e| e.to_string()),
                Ok(()),
                "{name}"
            );
            let runner: Arc<dyn Runner> = Arc::new(Interpreter::new(Arc::new(lowered.circuit.clone())));
            let count = runner.count(&lowered.circuit.initial, 2, CountUnit::Move, &CancelToken::default());
            (CompiledMachine::new(rules.clone(), lowered, runner), count)
        });
        assert_eq!(planes.1, codes.1, "{name}");
        differ(&rules, &planes.0, &codes.0, 2, 40).unwrap_or_else(|difference| panic!("{name}{difference}"));
    }
}

#[test]
fn parameters_change_nothing_in_what_agrees() {
    let variants: [(&str, &[&str]); 7] = [
        ("kalah", &["m=1", "s=1"]),
        ("kalah", &["m=1", "s=3"]),
        ("kalah", &["m=2", "s=2"]),
        ("kalah", &["m=4", "s=2"]),
        ("kalah", &["m=6", "s=4"]),
        ("grundy", &["n=20"]),
        ("grundy", &["n=60"]),
    ];
    for (name, values) in variants {
        let settings: Vec<String> = values.iter().map(|value| value.to_string()).collect();
        let mut text = game(name).with_settings(&settings, None).expect("settings");
        let rules = text.game(None).unwrap_or_else(|_| panic!("{name}")).rules.clone();
        compiled_agree(&format!("{name} {values:?}"), &rules, 2, 40);
    }
}

/// Compares a source on each runner of circuits with the definition.
fn text_agrees(text: &str) {
    let rules = GameSource::from_string("game.bou", text)
        .game(None)
        .unwrap_or_else(|e| panic!("{text}\n{e:?}"))
        .rules;
    compiled_agree(text, &rules, 6, 20);
}

/// A game on four by four cells with as many marks as that, of which three are used.
fn many_marks(marks: usize) -> String {
    let others: Vec<String> = (3..marks).map(|mark| format!("m{mark}")).collect();
    let others = others.join(", ");
    format!(
        "game \"Marks\"; players A, B; board Cell = grid(4, 4);
        enum Mark {{ blank, red, {others}, tap }}
        state {{ at[c: Cell]: Mark = if c = a1 then tap else blank; }}
        move spread(c: Cell) as \"{{c}}\" {{
          when at[c] = tap;
          let free = {{ x in Cell where at[x] = blank }};
          if free != {{}} {{ for x in free {{ at[x] := red; }} }}
          else {{ for x in {{ y in Cell where at[y] = red }} {{ at[x] := blank; }} }}
        }}
        move shift(c: Cell) as \"{{c}}!\" {{
          when at[c] = red and some d in c.neighbors: at[d] = tap;
          for d in c.neighbors {{ if at[d] = tap {{ at[d] := blank; }} }}
          at[c] := tap;
        }}
        end {{ repeat 3 => draw; }}"
    )
}

#[test]
fn fields_of_many_values_have_circuits() {
    for marks in [16, 17, 64, 65, 300] {
        text_agrees(&many_marks(marks));
    }
    let values = |marks: usize| {
        let mut text = GameSource::from_string("marks.bou", &many_marks(marks));
        let rules = text.analyze(None).rules.expect("rules without errors");
        circuit_of(&rules, &[], &Limits::default()).expect("a circuit").circuit.values.len()
    };
    let (few, more) = (values(16), values(17));
    assert!(more * 10 <= few * 12, "{more} values, {few} with a mark less");
}

#[test]
fn conditions_without_a_form_for_all_lanes_are_lowered_for_each() {
    let numbers = "game \"Numbers\"; players A, B; board Cell = grid(3, 3);
        state { v[c: Cell]: 0..300 = 3; }
        move put(c: Cell) as \"{c}\" {
          when v[c] > 0 and { x in Cell where v[x] = 0 } != {a1};
          v[c] := 0;
          then { for x in { y in Cell where v[y] > 2 } { v[x] := 1; } }
        }
        move level(c: Cell) as \"{c}=\" {
          when some x in c.neighbors: v[x] > v[c];
          v[c] := max x in c.neighbors: v[x];
        }
        play normal;";
    let sets = "game \"Sets\"; players A, B; board Cell = grid(3, 3);
        state { red: set of Cell = {}; blue: set of Cell = {a1}; own[p: Player]: set of Cell = {}; }
        def rest(p: Player) = (red - blue) | own[p];
        move put(c: Cell) as \"{c}\" {
          when c not in red | blue and red | blue != {} and red - blue != {c};
          when c.neighbors - (red | blue) != {} and (c.neighbors & rest(me)) | own[me] != {c};
          red |= {c}; own[me] |= {c};
        }
        move clear() as \"clear\" {
          when own[A] | own[B] in red and rest(me) - own[me] = {} and blue in {a1, a2};
          blue |= {a2};
        }
        play normal;";
    let pairs = "game \"Pairs\"; players A, B; board Cell = grid(3, 3);
        state { near[n: 1..4]: (Cell, Cell)? = none; left: 0..6 = 6; }
        move put(n: 1..4, c: Cell) as \"{n}{c}\" {
          when left > 0 and near[n] = none and no m in 1..4: near[m] = (c, c);
          near[n] := (c, if c = a1 then b2 else c);
          left -= 1;
        }
        play normal;";
    [numbers, sets, pairs].into_iter().for_each(text_agrees);
}

/// The sets of a table change also where the position, the move or a `for` says which one.
#[test]
fn sets_in_cells_that_vary_are_compiled() {
    let game = |effect: &str| {
        format!(
            "game \"Bags\"; players A, B; board Cell = grid(3, 3);
            enum Piece {{ p, q, r }}
            const body[k: Piece, c: Cell]: set of Cell = {{ x in Cell where x.col - c.col in 0..1 and
              (x.row = c.row or k = q and x.row = c.row + 1) }};
            state {{
              at[k: Piece]: Cell = match k {{ p => a1, q => b2, r => c3 }};
              used[c: Cell]: bool = false;
              rows[r: 1..3]: set of Cell = {{}};
              bags[k: Piece]: set of Cell = {{a1}};
              n: 0..9 = 0; who: Piece = p;
            }}
            move put(c: Cell, k: Piece) {{
              when not used[c] and c != at[k] and #bags[k] < 6;
              used[c] := true; n += 1;
              {effect}
            }}
            end {{ when n > 5 => mover wins; when #rows[1] > 2 and rows[2] != {{}} => A wins; when stuck => draw; }}"
        )
    };
    for effect in [
        "rows[c.row] |= {c};",
        "rows[at[k].row] := rows[c.row] | {c}; at[k] := c;",
        "rows[n] |= {c};",
        "bags[who] := body[who, at[who]] | {c}; if c.col = 2 { who := r; }",
        "for j in Piece { bags[j] := body[j, at[j]]; }",
        "for x in c.neighbors { rows[x.row] |= {x}; }",
        "for j in Piece where c in body[j, at[j]] { bags[j] -= {c}; at[j] := c; }",
        "rows[n mod 3 + 1] := {c}; for x in rows[c.row] { bags[k] |= {x}; }",
    ] {
        let text = game(effect);
        text_agrees(&text);
        let rules = GameSource::from_string("bags.bou", &text).game(None).expect("a game").rules;
        assert!(circuit_of(&rules, &[], &Limits::default()).is_ok(), "{effect}");
    }
}

/// Each element that a `for` meets has a later stage of its own, in their order.
#[test]
fn later_stages_of_elements_are_compiled() {
    let turned = "game \"Turned\"; players A, B; board Cell = grid(3, 3);
        state { at[c: Cell]: Player? = none; turned: bool = false; }
        move put(c: Cell) as \"{c}\" { when at[c] = none; at[c] := me; }
        move turn() as \"turn\" {
          when not turned;
          turned := true;
          for c in Cell where at[c] = A { at[c] := none; then { at[c.transpose] := B; } }
        }
        end { when all c in Cell: at[c] != none => draw; when turned and at[a3] = B => A wins; when stuck => draw; }";
    let digits = "game \"Digits\"; players A, B;
        state { log: 0..9999 = 0; on[k: 1..3]: bool = false; last: 0..3 = 0; }
        effect note(d: 1..9) { log := (log * 10 + d) mod 10000; }
        move switch(k: 1..3) as \"{k}\" {
          on[k] := not on[k];
          for j in 1..3 where on[j] or j = k {
            if j != last { then { note(j); if on[j] { last := j; then { note(9); } } } } else { then { last := 0; } }
          }
          then { if log mod 10 = last { last := 0; } }
        }
        end { when log > 9000 => mover loses; repeat => draw; }";
    let sets = "game \"Sown\"; players A, B;
        state { seeds[h: 1..6]: 0..12 = 2; full: set of 1..6 = {}; }
        move sow(h: 1..6) as \"{h}\" {
          when seeds[h] > 0;
          seeds[h] := 0;
          for x in { y in 1..6 where y != h and y <= h + seeds[h] } {
            seeds[x] += 1;
            then { if seeds[x] = 3 { full |= { x }; seeds[x] := 0; then { for z in full where z > x { seeds[z] += 1; } } } }
          }
        }
        play normal;";
    for text in [turned, digits, sets] {
        text_agrees(text);
        let mut source = GameSource::from_string("stages.bou", text);
        let rules = source.analyze(None).rules.expect("rules without errors");
        circuit_of(&rules, &[], &Limits::default()).unwrap_or_else(|e| panic!("{text}\n{e:?}"));
    }
}

/// Comparisons of numbers with more lanes than a machine word has bits stay comparisons of lanes.
#[test]
fn numbers_are_compared_with_many_lanes() {
    let text = "game \"Piles\"; players A, B; type Pile = 1..3; type Piles = set of Pile;
        state { size[p: Pile]: 0..200 = 100 + p; }
        move take(s: Piles, k: 1..200) as \"{k} from {s}\" {
          when s != {} and all p in s: size[p] >= k;
          for p in s { size[p] -= k; }
        }
        play normal;";
    text_agrees(text);
    let mut source = GameSource::from_string("piles.bou", text);
    let rules = source.analyze(None).rules.expect("rules without errors");
    let lowered = circuit_of(&rules, &[], &Limits::default()).expect("a circuit");
    assert!(lowered.plays.len() <= 32, "{} groups", lowered.plays.len());
}

#[test]
fn rules_that_run_slowly_say_so() {
    let text = "game \"Many\"; players A, B;
        state { x: 0..100 = 100; y: 0..100 = 100; z: 0..100 = 100; }
        move put(a: 1..100, b: 1..100, c: 1..100) as \"{a},{b},{c}\" {
          when a <= x and b <= y and c <= z; x -= a; y -= b; z -= c;
        }
        play normal;";
    let mut text = GameSource::from_string("many.bou", text);
    text.backend = Backend::Jit;
    let game = text.game(None).expect("a game");
    let on = text.runs_on(&game);
    assert!(on.is_slow);
    let told = "the 1,000,000 instances of the move `put` are too many to compile";
    assert!(on.sentence.contains(told) && on.sentence.ends_with("(many.bou:3)"), "{}", on.sentence);
}

#[test]
fn chance_is_the_same() {
    // Weights by lanes, by numbers of the position, exact quotients, events of weight 0 or not legal in a later stage.
    for weight in
        ["1", "d / 2", "if d = 2 then 1 / 3 else d", "left", "heap[d] / (d + 1)", "(left + d) / 6 - 1 / 2"]
    {
        text_agrees(&format!(
            "game \"Chance\"; players A, B; phases {{ setup roll by chance; act; anew by chance; }}\n\
             state {{ left: 0..40 = 9; heap[k: 1..3]: 0..9 = k; die: 0..3 = 0; }}\n\
             chance throw(d: 1..3) in roll, anew {{ weight {weight}; when left mod 4 != d; die := d;\n\
               then {{ ensure left + d != 8; continue act; }} }}\n\
             chance nothing() in anew {{ weight left / 2; when left < 7; next B; }}\n\
             move take(k: 1..2) {{ when left > k; left -= k; heap[max(1, die)] := k; continue anew; next opponent; }}\n\
             pass when stuck;\n\
             end {{ when left < 3 => mover wins; when stuck => draw; repeat => draw; }}\n"
        ));
    }
}

#[test]
fn payoffs_are_the_same() {
    // Quotients by numbers and by tables of the player, in alternatives and lets.
    for payoff in [
        "3 / 2 + x / 12",
        "if p = A then x / 2 else 1 - x / 3 + y",
        "share[p] * x - y / share[p]",
        "(x - y) mod 3 / 4 + min(x / 2, y / 3)",
    ] {
        text_agrees(&format!(
            "game \"Fractions\"; players A, B;\n\
             const share[p: Player]: 3..5 = match p {{ A => 3, B => 5 }};\n\
             state {{ x: 0..9 = 0; y: 0..9 = 2; n: 0..3 = 0; }}\n\
             move put(k: 1..3) {{ x += k; n += 1; }}\n\
             move swap() {{ when x != y; x := y; y := x; n += 1; }}\n\
             end {{ when n = 3 => payoff p: {payoff}; }}\n"
        ));
    }
}

#[test]
fn payoffs_are_divided_by_numbers_of_play() {
    for divisor in ["shares", "(shares + 1)", "max(1, n - 2)", "(-1 - n)"] {
        text_agrees(&format!(
            "game \"Shares\"; players A, B; state {{ n: 0..6 = 0; own[p: Player]: 0..6 = 0; }}
            def shares = 1 + count p in Player: own[p] = max q in Player: own[q];
            move take(k: 1..2) {{ when n + k <= 6; n += k; own[me] += k; }}
            end {{ when stuck => payoff p: (own[p] - 2) / {divisor} + 1 / shares; }}"
        ));
    }
}

#[test]
fn the_past_counts_the_same() {
    let pasts = [
        "forbid repeat;",
        "forbid repeat of lit;",
        "forbid repeat of lit within 3;",
        "forbid repeat of (lit[1], here, mover);",
        "forbid repeat of if here = 2 then lit[1] else none; forbid repeat of here within 2;",
        "end { repeat 2 => draw; }",
        "end { repeat 2 of lit => draw; repeat 3 of (here, lit[2]) => mover wins; }",
        "end { repeat 3 of if here = 2 then lit[1] else none => draw; repeat 3 => lowest worth; } forbid repeat;",
        "end { repeat 3 => mover wins; repeat 2 => lowest worth; } forbid repeat of lit within 5;",
    ];
    let moves = ["", "mandatory ", "prefer"];
    for past in pasts {
        for kind in moves {
            let (mandatory, prefer) = if kind == "prefer" { ("", "prefer max k") } else { (kind, "") };
            let text = format!(
                "game \"Lamps\"; players A, B; state {{ lit[k: 1..2]: 0..2? = none; here: 1..2 = 1; }}\n\
                 def worth(p: Player) = if p = A then here else 1;\n\
                 {mandatory}move put(k: 0..2) {prefer} {{ when k != 1 or here = 2; lit[here] := k; }}\n\
                 move go() {{ here := 3 - here; if here = 2 {{ again; }} }}\n\
                 pass when stuck; end {{ when stuck and mover = B => mover loses; when lit[1] = 2 and lit[2] = 1 => draw; \
                 repeat => draw; }}\n{past}\n"
            );
            text_agrees(&text);
            let machines = on_each(|| GameSource::from_string("game.bou", &text));
            let counts = machines.each_ref().map(|game| {
                let limits = Limits { positions: Some(2000), ..Limits::default() };
                format!("{:?}", count_positions(game, &game.machine.initial(), &limits, &NoProgress))
            });
            assert_eq!(counts[0], counts[1], "{text}");
            assert_eq!(counts[0], counts[2], "{text}");
        }
    }
}

#[test]
fn moves_at_once_are_the_same() {
    // In lanes and one by one, with conditions of later stages, with conflicts between players, for three players and
    // fewer.
    let made = [
        "at[c] := me;",
        "at[c] := none; then { at[c] := me; score[me] += 1; }",
        "at[c] := me; then { let k = #{ x in Cell where at[x] = me }; when k < 3; score[me] += k; }",
        "if score[me] < 2 { score[me] += 1; then { let n = c + E; at[n] := me; } } else { at[c] := me; }",
        "at[c] := me; last := c; then { next turn_of; }",
    ];
    for players in ["A, B", "A, B, C"] {
        for made in made {
            text_agrees(&format!(
                "game \"At once\"; players {players}; board Cell = grid(3, 2); phases {{ both by each; more; }}\n\
                 state {{ at[c: Cell]: Player? = none; score[p: Player]: 0..20 = 0; last: Cell? = none; }}\n\
                 def turn_of = if at[a1] = B then B else A;\n\
                 move put(c: Cell) in both {{ when at[c] = none and score[me] < c.col + 2 and c.index != 4; {made} }}\n\
                 mandatory move force(k: 1..2) in both by A {{ when at[b2] = A; score[A] += k; at[b2] := none; continue more; }}\n\
                 move alone(c: Cell) in more prefer max c.col {{ when at[c] = none; at[c] := me; }}\n\
                 pass when stuck;\n\
                 end {{ when all c in Cell: at[c] != none => highest score; when stuck => draw; repeat => draw; }}\n"
            ));
        }
    }
}

#[test]
fn the_preferred_moves_are_the_same() {
    // Preferences that are constant, by lanes or by numbers of the position; with a condition in a later stage;
    // undefined for some moves.
    for prefer in ["k", "k * 0 + left", "heap[k] + k", "if heap[k] > 1 then k else heap[k]", "heap[k + 1]"] {
        for mandatory in ["", "mandatory "] {
            text_agrees(&format!(
                "game \"Preferences\"; players A, B; state {{ left: 0..40 = 12; heap[k: 1..3]: 0..9 = k; }}\n\
                 {mandatory}move take(k: 1..3) prefer max {prefer} {{ when heap[k] > 0 and left mod 5 != 3;\n\
                   heap[k] -= 1; left -= 1; then {{ ensure (heap[1] + left) mod 3 != 1; }} }}\n\
                 move other(k: 1..3) prefer max left mod (k + 1) {{ when left > k; left -= k; }}\n\
                 move free() {{ when left > 0; left -= 1; heap[1] := 2; }}\n\
                 pass when stuck; end {{ when left = 0 => mover loses; when stuck => draw; repeat => draw; }}\n"
            ));
        }
    }
}

#[test]
fn nothing_is_in_a_set_gone_through_where_an_inner_one_is_undefined() {
    // Off the board the inner set is undefined, even after elements were added.
    for set in [
        "{ d for m in full, d in { m, m + E } }",
        "{ d for m in full, d in wide(m) }",
        "(union m in full, d in { m, m + E }: { d })",
        "(union m in Cell, d in { m, m + E }: if b1 in full then { d } else { d, a1 })",
    ] {
        for within in [format!("a1 not in {set}"), format!("c not in {set}"), format!("{set} & full = {{}}")]
        {
            text_agrees(&format!(
                "game \"Undefined inside\"; players A, B; board Cell = grid(3, 1);\n\
                 state {{ full: set of Cell = {{}}; }}\n\
                 def wide(m: Cell) = {{ m, m + E }};\n\
                 move put(c: Cell) {{ when c not in full and {within}; full |= {{c}}; }}\n\
                 play normal;\n"
            ));
        }
    }
}

const BACKENDS: [Backend; 3] = [Backend::Reference, Backend::Interp, Backend::Jit];

/// Returns a game on each machine.
fn on_each(text: impl Fn() -> GameSource) -> [Game; 3] {
    BACKENDS.map(|backend| {
        let mut text = text();
        text.backend = backend;
        let game = text.game(None).unwrap_or_else(|e| panic!("{e:?}"));
        assert_eq!(game.backend(), backend, "{:?}", game.fallback());
        game
    })
}

#[test]
fn sequences_are_counted_alike() {
    let deep = u32::from(slow());
    // The box that is closed last ends the game and the turn; a jump may go on; a pass counts as a move.
    let games = [
        ("tictactoe", 4),
        ("dots_and_boxes", 3),
        ("english_draughts", 3),
        ("kalah", 3),
        ("othello", 3),
        ("nine_mens_morris", 1),
        ("blocks_world", 4),
    ];
    for (name, depth) in games {
        let machines = on_each(|| game(name));
        for by in [PlyUnit::Move, PlyUnit::Turn] {
            let counts = machines.each_ref().map(|game| {
                let start = game.machine.initial();
                let all = perft::perft(game, &start, depth + deep, by, &Limits::default()).expect(name);
                let bulk = perft::count(game, &start, depth + deep, by, &Limits::default()).expect(name);
                assert_eq!(all, bulk, "{name}");
                all
            });
            assert_eq!(counts[0], counts[1], "{name}, {by:?}");
            assert_eq!(counts[0], counts[2], "{name}, {by:?}");
        }
    }
}

/// Returns the number of sequences of `depth` turns that take a pile: one takes and goes on, or leaves one piece less
/// to the other.
fn turns(left: u32, depth: u64) -> u64 {
    let taken = |k: u32| match left - k {
        0 => u64::from(depth == 1),
        rest => turns(rest, depth),
    };
    let left_over = if depth == 1 { 1 } else { turns(left - 1, depth - 1) };
    (1..=left.min(2)).map(taken).sum::<u64>() + if left > 3 { left_over } else { 0 }
}

#[test]
fn the_end_of_the_game_ends_a_turn() {
    let text = "game \"Pile\"; players A, B; state { left: 0..6 = 6; }\n\
        move take(k: 1..2) { when k <= left; left -= k; again; }\n\
        move leave() { when left > 3; left -= 1; }\n\
        end { when left = 0 => mover wins; }\n";
    let machines = on_each(|| GameSource::from_string("pile.bou", text));
    let counts = machines.each_ref().map(|game| {
        let start = game.machine.initial();
        perft::count(game, &start, 2, PlyUnit::Turn, &Limits::default()).map(|count| count.by_depth)
    });
    for counted in counts {
        let counted = counted.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(counted, [1, turns(6, 1), turns(6, 2)]);
    }
}

#[test]
fn what_is_wrong_is_told_alike() {
    let stuck = "game \"Stuck\"; players A, B; state { left: 0..9 = 9; }\n\
        move take(k: 2..3) as \"{k}\" { when k <= left; left -= k; }\nend { when left = 0 => mover loses; }\n";
    let fault = "game \"Fault\"; players A, B; state { left: 0..9 = 9; }\n\
        move take(k: 2..3) as \"{k}\" { left -= k; }\nend { when left = 0 => mover loses; }\n";
    let endless = "game \"Endless\"; players A, B; state { n: 0..1 = 0; }\n\
        move turn() { n := 1 - n; again; }\nend { when stuck => draw; }\n";
    let told = |text: &'static str, by: PlyUnit| {
        on_each(|| GameSource::from_string("game.bou", text)).map(|game| {
            let start = game.machine.initial();
            match perft::perft(&game, &start, 7, by, &Limits::default()) {
                Err(PerftError::Broken(broken)) => format!("{:?} {:?}", broken.line, broken.kind),
                other => format!("{other:?}"),
            }
        })
    };
    let [_, interp, jit] = told(stuck, PlyUnit::Move);
    assert_eq!(interp, jit);
    assert!(jit.contains("Stuck") && jit.matches("Move").count() == 3, "a shortest play: {jit}");
    for game in on_each(|| GameSource::from_string("game.bou", fault)) {
        let mut at = game.machine.initial();
        for choice in [0, 0, 1] {
            at = game.machine.successors(&at).expect("moves")[choice].state.clone();
        }
        // The player to move is defined, although a move has no meaning.
        assert!(game.machine.successors(&at).is_err());
        assert_eq!(draw(&game, &at), "left: 2\nB to move\n");
    }
    let [_, interp, jit] = told(fault, PlyUnit::Move);
    assert_eq!(interp, jit);
    assert!(jit.contains("Fault") && jit.matches("Move(m0").count() == 4, "{jit}");
    let [reference, interp, jit] = told(endless, PlyUnit::Turn);
    assert_eq!(reference, "Err(EndlessTurn)");
    assert_eq!((interp, jit), (reference.clone(), reference));
}

#[test]
fn positions_and_values_are_the_same() {
    for name in [
        "tictactoe",
        "dodgem",
        "hare_and_hounds",
        "sliding_squares",
        "maze",
        "kayles",
        "dice_race",
        "kuhn_poker",
    ] {
        let machines = on_each(|| game(name));
        let limits = Limits { positions: Some(3000), ..Limits::default() };
        let said = machines.each_ref().map(|game| {
            let start = game.machine.initial();
            let count = count_positions(game, &start, &limits, &NoProgress).expect("sound rules");
            let options = solve::SolveOptions { all_moves: true, ..solve::SolveOptions::default() };
            let solved =
                Auto.solve(&SolveRequest::new(game, &start, &options, &limits, &NoProgress)).expect("sound");
            let nimber = method("grundy")
                .solve(&SolveRequest::new(game, &start, &options, &limits, &NoProgress))
                .expect("sound");
            let nimber = (nimber.nimber, nimber.reason, nimber.moves);
            let worth = (solved.status, solved.value, solved.remoteness, solved.bounds, solved.positions);
            format!(
                "{count:?} {worth:?} {nimber:?} {:?} {:?} {:?}",
                solved.best_moves, solved.moves, solved.line
            )
        });
        assert_eq!(said[0], said[1], "{name}");
        assert_eq!(said[0], said[2], "{name}");
    }
}

/// Plays games at random by the interpreter of circuits, and compares other runners in each position.
fn runners_agree(name: &str, circuit: &Arc<Circuit>, jits: &[Jit], plies: u64) {
    let interpreter = Interpreter::new(circuit.clone());
    let stop = CancelToken::default();
    let mut random = Random::new(7);
    let mut at = circuit.initial.clone();
    for ply in 0..plies {
        let mut children = Vec::new();
        let status = interpreter.expand(&at, &mut children);
        for jit in jits {
            let mut own = Vec::new();
            assert_eq!(jit.expand(&at, &mut own), status, "{name} {at:?}");
            assert_eq!(own, children, "{name} {at:?}");
            let (mut records, sites) = (Vec::new(), jit.sites());
            assert_eq!(jit.records(PositionRef::of(&at), &mut records), status, "{name} {at:?}");
            let record = |record: &[u64]| (sites[record[0] as u32 as usize], record[1..].to_vec());
            let told: Vec<_> = records.chunks_exact(at.words.len() + 1).map(record).collect();
            let child = |child: &Child| (child.position.control, child.position.words.to_vec());
            assert_eq!(told, children.iter().map(child).collect::<Vec<_>>(), "{name} {at:?}");
        }
        if ply % 8 == 0 && status == Ok(Status::Open) {
            let counts = interpreter.perft(&at, 2, CountUnit::Move, &stop);
            let games = interpreter.playouts(&at, 4, ply, 200, &stop);
            for jit in jits {
                assert_eq!(jit.perft(&at, 2, CountUnit::Move, &stop), counts, "{name} {at:?}");
                assert_eq!(jit.playouts(&at, 4, ply, 200, &stop), games, "{name} {at:?}");
            }
        }
        at = match children.len() {
            0 => circuit.initial.clone(),
            n => children.swap_remove(random.below(n as u64) as usize).position,
        };
    }
}

#[test]
fn parts_of_controls_change_nothing() {
    for name in ["chess", "english_draughts", "fox_and_geese", "othello", "hex", "kalah"] {
        let rules = game(name).game(None).expect("a text without errors").rules;
        let lowered = circuit_of(&rules, &[], &Limits::default()).expect("rules that can be lowered");
        let circuit = Arc::new(lowered.circuit);
        let jits = [(1, 0), (20, 2)].map(|(least, worth)| {
            let split = OutlineOptions { min_control_words: 0, min_part_words: least, min_work_ratio: worth };
            Jit::new(circuit.clone(), JitOptions { outline: split, ..JitOptions::default() })
                .expect("machine code")
        });
        runners_agree(name, &circuit, &jits, 40);
    }
}

#[test]
fn guards_change_nothing() {
    let names = ["chess", "english_draughts", "fox_and_geese", "lines_of_action", "nine_mens_morris", "go"];
    for name in names {
        let rules = game(name).game(None).expect("a text without errors").rules;
        let lowered = circuit_of(&rules, &[], &Limits::default()).expect("rules that can be lowered");
        let circuit = Arc::new(lowered.circuit);
        let jits = [0.0, 0.25].map(|min_empty_share| {
            let guards = GuardOptions { min_run_words: 1, min_empty_share, min_saved_words: 1.0 };
            Jit::new(circuit.clone(), JitOptions { guards, ..JitOptions::default() }).expect("machine code")
        });
        runners_agree(name, &circuit, &jits, 40);
    }
}

/// A step by the legal moves alone makes the move that is chosen among all successors, by the same random numbers.
#[test]
fn a_step_is_the_move_that_is_chosen() {
    for name in ["tictactoe", "goofspiel", "parallel_tictactoe", "nim", "pig", "kuhn_poker", "go"] {
        let game = super::set(name, &[], Backend::Reference);
        let (mut by_step, mut by_choice) = (Random::new(5), Random::new(5));
        let (mut state, mut moves) = (game.machine.initial(), 0);
        while moves < 40 {
            let (turn, successors) = game.machine.expand(&state).expect("no fault");
            let chosen = match turn {
                ToMove::Terminal(_) => None,
                _ => by_choice.choose(&turn, &successors).map(|next| next.state.clone()),
            };
            assert_eq!(by_step.step(&game, &state).expect("no fault"), (turn, chosen.clone()), "{name}");
            moves += 1;
            state = chosen.unwrap_or_else(|| game.machine.initial());
        }
    }
}
