//! The definition of the language against compiled rules: on random plays of every game all say the same.

use std::sync::Arc;

use bouton::base::limits::Stop;
use bouton::circuit::verify::{Form, verify};
use bouton::exec::Runner;
use bouton::exec::interp::Interpreter;
use bouton::exec::jit::{Jit, Options};
use bouton::game::random::Random;
use bouton::game::{CompiledMachine, Machine, ReferenceMachine, State, Turn};
use bouton::lower::lower_with;
use bouton::opt::optimise;
use bouton::rules::Rules;

use super::{game, slow};

/// What a position holds, cell by cell.
fn cells(rules: &Rules, machine: &dyn Machine, state: &State) -> Vec<bouton::rules::Value> {
    let fields = rules.fields.entries();
    let cells = fields.flat_map(|(id, field)| (0..field.cells()).map(move |cell| (id, cell)));
    cells.map(|(id, cell)| machine.read(state, id, cell)).collect()
}

/// Plays games at random on both machines; at each position both must give the same.
fn agree(name: &str, rules: &Arc<Rules>, compiled: &dyn Machine, games: u64, plies: u64) {
    let reference = ReferenceMachine::new(rules.clone());
    for seed in 0..games {
        let mut random = Random::new(seed);
        let (mut a, mut b) = (reference.initial(), compiled.initial());
        let mut line: Vec<String> = Vec::new();
        for _ in 0..plies {
            assert_eq!(cells(rules, &reference, &a), cells(rules, compiled, &b), "{name}, after {line:?}");
            let (first, second) = (reference.expand(&a), compiled.expand(&b));
            let (Ok((turn, moves)), Ok((other, others))) = (&first, &second) else {
                assert_eq!(first.is_err(), second.is_err(), "{name}, after {line:?}: {first:?} {second:?}");
                break;
            };
            assert_eq!(turn, other, "{name}, after {line:?}");
            let names =
                |machine: &dyn Machine, at: &State, moves: &[bouton::game::Successor]| -> Vec<String> {
                    moves
                        .iter()
                        .map(|m| format!("{:?} {}", m.play, machine.written(at, &m.play).expect("no limit")))
                        .collect()
                };
            assert_eq!(names(&reference, &a, moves), names(compiled, &b, others), "{name}, after {line:?}");
            for (x, y) in moves.iter().zip(others) {
                let said = (cells(rules, &reference, &x.state), cells(rules, compiled, &y.state));
                assert_eq!(said.0, said.1, "{name}, after {line:?} {:?}", x.play);
            }
            if matches!(turn, Turn::Over(_)) || moves.is_empty() {
                break;
            }
            let choice = random.below(moves.len() as u64) as usize;
            line.push(reference.written(&a, &moves[choice].play).expect("no limit"));
            (a, b) = (moves[choice].state.clone(), others[choice].state.clone());
        }
    }
}

/// The games that have no circuit yet, with the reason.
const NOT_LOWERED: &[(&str, &str)] = &[
    ("amazons", "the move `shoot_at`"),
    ("chess", "a circuit of more than 262144 values"),
    ("dice_race", "a phase of chance"),
    ("go", "`forbid repeat`"),
    ("grundy", "a term that varies where a value is needed"),
    ("kuhn_poker", "a phase of chance"),
    ("matching_pennies", "a phase in which all players move at once"),
    ("prisoners_dilemma", "a phase in which all players move at once"),
    ("stag_hunt", "a phase in which all players move at once"),
    ("tic_tic_toe", "a phase in which all players move at once"),
];

/// Chess takes long to be given up.
const SLOW: &[&str] = &["chess"];

#[test]
fn circuits_agree_with_the_definition() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/games");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("the games")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().replace(".bou", ""))
        .filter(|name| slow() || !SLOW.contains(&name.as_str()))
        .collect();
    names.sort();
    for name in names {
        let mut text = game(&name);
        let rules = text.game(None).unwrap_or_else(|_| panic!("{name}")).rules.clone();
        let expected = NOT_LOWERED.iter().find(|(of, _)| *of == name).map(|(_, reason)| *reason);
        match lower_with(&rules, &|draft| optimise(draft, &[])) {
            Ok(lowered) => {
                assert_eq!(expected, None, "{name} is lowered now");
                assert_eq!(
                    verify(&lowered.circuit, Form::Scheduled).map_err(|e| e.to_string()),
                    Ok(()),
                    "{name}"
                );
                let circuit = Arc::new(lowered.circuit.clone());
                let jit = Jit::new(circuit.clone(), Options::default());
                let jit = Arc::new(jit.unwrap_or_else(|error| panic!("{name}: {error}")));
                let runners: [Arc<dyn Runner>; 2] = [Arc::new(Interpreter::new(circuit.clone())), jit];
                let stop = Stop::default();
                let counts = runners.each_ref().map(|runner| {
                    let at = &circuit.initial;
                    (runner.perft(at, 2, false, &stop), runner.playouts(at, 20, 1, 300, &stop))
                });
                assert_eq!(counts[0], counts[1], "{name}");
                let lowered = Arc::new(lowered);
                for runner in runners {
                    let compiled = CompiledMachine::new(rules.clone(), lowered.clone(), runner);
                    let (games, plies) = if slow() { (5, 80) } else { (1, 25) };
                    agree(&name, &rules, &compiled, games, plies);
                }
            }
            Err(reason) => assert_eq!(expected, Some(reason.what.as_str()), "{name}"),
        }
    }
}
