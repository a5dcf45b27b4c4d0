//! The position where an answer begins: the first position, that of a test, or one given by effects, followed by moves.

use super::faults::fault_diagnostic;
use super::files;
use super::load::{DriverError, GameSource};
use bouton_base::limits::{LimitHit, Limits};
use bouton_base::source::Span;
use bouton_certificates::Header;
use bouton_reference::Interpreter;
use bouton_rules::{Block, MoveRef, Test, TestStep, Value, Vars};
use bouton_search::game::names::{self, NameError, call_form};
use bouton_search::game::{CompiledGames, Game, MachineError, MoveInstance, State, Successor};
use bouton_syntax::diag::{Code, Diagnostic, nearest};

/// A game with one of its positions.
pub struct StartPosition {
    pub game: Game,
    pub state: State,
    /// The moves of `--moves` that lead to the position, in words.
    pub moves: Vec<String>,
    /// The values of all cells, by the definition of the rules; `None` for the first position.
    cells: Option<Vec<Value>>,
}

impl StartPosition {
    /// A position of a game, as the machine of the game has it.
    pub fn new(game: Game, state: State) -> StartPosition {
        let cells = (state != game.machine.initial()).then(|| game.cells(&state));
        StartPosition { game, state, moves: Vec::new(), cells }
    }

    /// Returns true if a certificate with this header is about the position, by the definition: a compiler that
    /// mistakes it for another one may not pass off a proof about that one.
    pub fn is_subject_of(&self, header: &Header) -> bool {
        let interpreter = Interpreter::new(self.game.rules.clone());
        let first = interpreter.initial();
        let subject = header.position.as_ref().map_or(first.clone(), |key| interpreter.unpack(&key.0));
        let own = self.cells.as_ref().map_or(first, |cells| interpreter.with_cells(cells));
        interpreter.cells(&subject) == interpreter.cells(&own)
    }
}

/// The set-up of a position before the moves that follow it.
enum SetUp {
    /// The first position of play.
    First,
    /// The steps of a test before its first claim.
    Test(Test),
    /// Effects on the first position.
    Effects(Block, Vars),
}

impl SetUp {
    /// Returns the position on the machine of this game.
    fn on(&self, game: &Game) -> Result<State, PositionError> {
        let mut state = game.machine.initial();
        match self {
            SetUp::First => {}
            SetUp::Test(test) => {
                for step in test.steps.iter().take_while(|step| !matches!(step, TestStep::Expect(_))) {
                    state = apply_test_step(game, &state, step)?;
                }
            }
            SetUp::Effects(block, vars) => {
                let edited = game.machine.edit(&state, block, vars);
                state = edited.map_err(|halt| PositionError::halted(game, halt))?;
            }
        }
        Ok(state)
    }
}

/// The reason why a position could not be set up.
#[derive(Debug)]
pub enum PositionError {
    /// A step has a fault, or makes a move that is not legal.
    Invalid(Box<Diagnostic>),
    /// A limit was reached first.
    Limit(LimitHit),
}

impl PositionError {
    fn halted(game: &Game, halt: MachineError) -> PositionError {
        match halt {
            MachineError::Fault(fault) => PositionError::Invalid(Box::new(fault_diagnostic(game, &fault))),
            MachineError::Limit(hit) => PositionError::Limit(hit),
        }
    }
}

impl From<PositionError> for DriverError {
    fn from(why: PositionError) -> DriverError {
        match why {
            PositionError::Invalid(found) => DriverError::RulesFault(found),
            PositionError::Limit(hit) => limit(hit),
        }
    }
}

fn limit(hit: LimitHit) -> DriverError {
    DriverError::Limit(format!("the position was not reached: {hit}"))
}

/// Returns the game with the position that `--position` and `--moves` describe.
pub fn resolve_start(
    text: &mut GameSource,
    position: Option<&str>,
    moves: Option<&str>,
    limits: &Limits,
) -> Result<StartPosition, DriverError> {
    if position.is_some() {
        text.compiled_games = CompiledGames::All;
    }
    let (game, set_up) = match position {
        None => (text.game(None)?, SetUp::First),
        Some(name) => match text.outline.group_of_test(name) {
            Some(group) => of_test(text, group, name)?,
            None => of_effects(text, name)?,
        },
    };
    let moves = moves.unwrap_or("");
    let cells = match (&set_up, moves) {
        (SetUp::First, "") => None,
        _ => {
            let definition = game.on_definition().with_limits(limits);
            let state = set_up.on(&definition)?;
            let last = line(&definition, &state, moves)?.pop();
            Some(definition.cells(&last.map_or(state, |made| made.state)))
        }
    };
    let state = set_up.on(&game.with_limits(limits))?;
    let mut start = StartPosition { game, state, moves: Vec::new(), cells };
    for made in line(&start.game.with_limits(limits), &start.state, moves)? {
        start.moves.push(start.game.notation(&start.state, &made.play));
        start.state = made.state;
    }
    Ok(start)
}

/// Plays the moves of a line.
fn line(game: &Game, state: &State, moves: &str) -> Result<Vec<Successor>, DriverError> {
    names::play_line(game, state, moves).map_err(|error| match error.error {
        NameError::Fault(fault) => DriverError::RulesFault(Box::new(fault_diagnostic(game, &fault))),
        NameError::Limit(hit) => limit(hit),
        other => DriverError::Usage(format!("--moves: move {}: {other}", error.ply)),
    })
}

/// The position that a test sets up: its steps before the first claim.
fn of_test(text: &mut GameSource, group: usize, name: &str) -> Result<(Game, SetUp), DriverError> {
    let game = text.game(Some(group))?;
    let Some(test) = game.rules.tests.iter().find(|t| t.name == name).cloned() else {
        return Err(DriverError::Usage(format!("there is no test `{name}`")));
    };
    Ok((game, SetUp::Test(test)))
}

/// The position after a step of a test; a claim leaves it unchanged.
pub fn apply_test_step(game: &Game, state: &State, step: &TestStep) -> Result<State, PositionError> {
    let halted = |halt| PositionError::halted(game, halt);
    match step {
        TestStep::Position(block, vars, _) => {
            game.machine.edit(&game.machine.initial(), block, vars).map_err(halted)
        }
        TestStep::Play(moves) => {
            let mut state = state.clone();
            for (at, (made, span)) in moves.iter().enumerate() {
                match find_move(game, &state, made) {
                    Ok(successor) => state = successor.state,
                    Err(error) => {
                        return Err(match *error {
                            NameError::Fault(fault) => halted(fault.into()),
                            NameError::Limit(hit) => PositionError::Limit(hit),
                            other => {
                                let title = other.to_string();
                                let is_of_several = matches!(other, NameError::Ambiguous { .. });
                                let label = if is_of_several { "several moves" } else { "not legal here" };
                                let found = Diagnostic::new(Code::E0601, title, *span, label);
                                let found = match joint_choice(game, &state, &moves[at..]) {
                                    Some(name) => found.help(format!(
                                        "all players choose at once, and their choices are one move: `play \"{name}\"`"
                                    )),
                                    None => found,
                                };
                                PositionError::Invalid(Box::new(found))
                            }
                        });
                    }
                }
            }
            Ok(state)
        }
        TestStep::Expect(_) => Ok(state.clone()),
    }
}

/// The joint move that choices, one of each player, make where all choose at once.
fn joint_choice(game: &Game, state: &State, moves: &[(MoveRef, Span)]) -> Option<String> {
    let is_chosen = |play: &MoveInstance| match play {
        MoveInstance::Joint(choices) => {
            choices.len() <= moves.len()
                && choices.iter().zip(moves).all(|((_, choice), (made, _))| match (choice, made) {
                    (MoveInstance::Move(id, args), MoveRef::Applied(of, given)) => id == of && args == given,
                    _ => false,
                })
        }
        _ => false,
    };
    let successors = game.machine.successors(state).ok()?;
    successors.iter().find(|made| is_chosen(&made.play)).map(|made| game.notation(state, &made.play))
}

/// The maximal number of legal moves to name in place of an illegal one.
const MAX_SUGGESTED_MOVES: usize = 5;

/// Returns the legal move that a claim or a test names.
pub fn find_move(game: &Game, state: &State, made: &MoveRef) -> Result<Successor, Box<NameError>> {
    match made {
        MoveRef::Notation(name) => names::find(game, state, name).map_err(Box::new),
        MoveRef::Applied(id, args) => {
            let wanted = MoveInstance::Move(*id, args.clone());
            let text = || call_form(&game.rules, &wanted);
            let successors = game.machine.successors(state).map_err(|halt| Box::new(halt.into()))?;
            match successors.into_iter().find(|s| s.play == wanted) {
                Some(found) => Ok(found),
                None => {
                    // Other legal moves of the same kind.
                    let legal = game.machine.successors(state).map_err(|halt| Box::new(halt.into()))?;
                    if legal.is_empty() {
                        return Err(Box::new(NameError::NoMoves { text: text() }));
                    }
                    let like =
                        legal.iter().filter(|s| matches!(&s.play, MoveInstance::Move(of, _) if of == id));
                    let nearest = like.take(MAX_SUGGESTED_MOVES).map(|s| call_form(&game.rules, &s.play));
                    Err(Box::new(NameError::Unknown { text: text(), nearest: nearest.collect() }))
                }
            }
        }
    }
}

/// The position that effects make of the first position; `@FILE` names a file that holds them.
fn of_effects(text: &mut GameSource, given: &str) -> Result<(Game, SetUp), DriverError> {
    let (name, words) = match given.strip_prefix('@') {
        Some(path) => (path.to_string(), files::read_text(path)?),
        None => ("--position".to_string(), given.to_string()),
    };
    let tests = text.outline.tests.iter().map(|(name, _)| name.as_str());
    if !words.contains(":=") && !words.contains('=') && !given.starts_with('@') {
        let hint = nearest(given, tests).map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
        return Err(DriverError::Usage(format!(
            "there is no test `{given}`{hint}; a position is a test's name, effects such as `at[a1] := X;`, or @FILE"
        )));
    }
    let mut analysis = text.analyze_position(&name, &words)?;
    let position = analysis.position.take();
    let game = text.game_of(analysis)?;
    Ok((game, position.map_or(SetUp::First, |(block, vars)| SetUp::Effects(block, vars))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bouton_certificates::{Claim, PositionKey, Tier};
    use bouton_search::solve::certify::{header, key};

    const NIM: &str = "game \"Nim\"; players A, B; state { n: 0..5 = 5; } \
         move take(k: 1..2) as \"{k}\" { when k <= n; n -= k; } play normal;";

    #[test]
    fn choices_at_once_are_one_move() {
        let source = "game \"Bids\"; players A, B; phases { bid by each; } state { n: 0..9 = 0; shown[p: Player]: 0..3 = 0; } \
             move bid(c: 1..3) in bid as \"{c}\" { shown[me] := c; then { n := 9; } } end { when n = 9 => draw; } \
             test \"one\" { play bid(3), bid(1); }";
        let limits = Limits::default();
        let mut text = GameSource::from_string("bids.bou", source);
        let Err(error) = resolve_start(&mut text, Some("one"), None, &limits) else { panic!("an error") };
        let told = format!("{error:?}");
        assert!(told.contains("their choices are one move: `play \\\"(3, 1)\\\"`"), "{told}");
    }

    #[test]
    fn a_certificate_of_another_position_is_told_apart() {
        let limits = Limits::default();
        let mut text = GameSource::from_string("nim.bou", NIM);
        let mut start =
            |position, moves| resolve_start(&mut text, position, moves, &limits).expect("a position");
        let (first, left) = (start(None, None), [start(Some("n := 3;"), None), start(None, Some("2"))]);
        let named = |position: Option<PositionKey>| {
            let claim = Claim::Unsolvable;
            header(&first.game.rules, position, claim, Tier::Explicit)
        };
        assert!(first.is_subject_of(&named(None)));
        let interpreter = Interpreter::new(first.game.rules.clone());
        for (start, mover) in left.iter().zip(["A", "B"]) {
            let own = key(&start.game, &interpreter, &start.state).expect("a position");
            assert!(start.is_subject_of(&named(Some(own.clone()))), "{mover} has 3");
            assert!(
                !start.is_subject_of(&named(None)) && !first.is_subject_of(&named(Some(own))),
                "{mover} has 3"
            );
        }
        let other = key(&left[0].game, &interpreter, &left[0].state).expect("a position");
        assert!(!left[1].is_subject_of(&named(Some(other))), "the same heap, another player to move");
    }
}
