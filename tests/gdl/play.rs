//! Plays at random, by the rules and by the oracle, and compares each position.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::Instant;

use bouton_base::limits::Limits;
use bouton_base::random::SplitMix;
use bouton_driver::load::GameSource;
use bouton_gdl::Scale;
use bouton_rules::{FaultKind, MOVER, MoveInstance, ToMove};
use bouton_search::game::{Backend, Choices, Game, MachineError, State, Successor};

use crate::oracle::{Oracle, Position, Term};

/// One position in so many has all its moves made, where they are at most [`MADE_MOVES`]; in the others, if the machine
/// knows the legal moves without them, one is made.
const MADE_EACH: u32 = 16;
const MADE_MOVES: usize = 1_000;

/// The extent of a comparison.
#[derive(Clone, Copy)]
pub struct Extent {
    pub plays: u32,
    /// The maximal number of moves of a play.
    pub moves: u32,
    /// The time after which no further position is compared.
    pub until: Instant,
    pub backend: Backend,
}

/// The result of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// The plays that were compared to their end, or to the limit of moves.
    pub plays: u32,
    pub positions: u32,
    /// The positions in which the sheet breaks the rules of GDL: a role has no move, or not one goal at the end.
    pub ill_formed: u32,
}

/// Compares the rules of a sheet with the oracle. The error is the difference.
pub fn compare(name: &str, text: &str, extent: Extent) -> Result<Agreement, String> {
    let mut source = GameSource::from_string(name, text);
    if let Some(found) =
        source.diagnostics.iter().find(|found| found.severity() >= bouton_syntax::diag::Severity::Error)
    {
        let place = source.sources.location(found.span()).unwrap_or_default();
        return Err(format!("refused: {} {} at {place}", found.code, found.title));
    }
    let names = source.gdl_names().expect("the names of a sheet").clone();
    let rules = source.analyze(None).rules.expect("rules");
    let limits = Limits { deadline: Some(extent.until), ..Limits::default() };
    // Where a circuit takes long to make, the definition runs the rules.
    let game = Game::on_backend(rules, extent.backend, &[], &limits.with_time_share(3)).with_limits(&limits);
    let mut oracle = Oracle::new(text);
    let mut roles = oracle.roles();
    // Chance comes after the players.
    roles.sort_by_key(is_chance);
    let written: Vec<String> = roles.iter().map(Term::to_string).collect();
    if written != names.roles {
        return Err(format!("roles {:?} instead of {written:?}", names.roles));
    }
    let first = oracle.initial();
    let unread: HashSet<&String> = names.unread.iter().collect();
    let mut random = SplitMix::new(7);
    let mut agreement = Agreement::default();
    for _ in 0..extent.plays {
        let (mut state, mut position) = (game.machine.initial(), first.clone());
        for step in 0..extent.moves {
            if Instant::now() > extent.until {
                return Ok(agreement);
            }
            let mover = game.machine.read(&state, MOVER, 0).as_sym().unwrap_or(0);
            let found = names.position(mover, &|field, cell| game.machine.read(&state, field, cell));
            let mut wanted: Vec<String> = position.iter().map(Term::to_string).collect();
            wanted.retain(|fluent| !unread.contains(fluent));
            wanted.sort_unstable();
            if found != wanted {
                let differ = |a: &[String], b: &[String]| -> Vec<String> {
                    a.iter().filter(|fluent| !b.contains(fluent)).cloned().collect()
                };
                return Err(format!(
                    "position after {step} moves: too many {:?}, missing {:?}",
                    differ(&found, &wanted),
                    differ(&wanted, &found)
                ));
            }
            agreement.positions += 1;
            if oracle.terminal(&position) {
                let expanded = match game.machine.expand(&state) {
                    Err(MachineError::Limit(_)) => return Ok(agreement),
                    other => other,
                };
                let players: Vec<Term> = roles.iter().filter(|role| !is_chance(role)).cloned().collect();
                at_end(&mut oracle, &players, &position, &names, expanded, &mut agreement)?;
                break;
            }
            let makes_all =
                (agreement.positions - 1).is_multiple_of(MADE_EACH) || roles.iter().any(is_chance);
            let moves = match LegalMoves::of(&game, &names, &state, makes_all) {
                Err(Unmade::Limit) => return Ok(agreement),
                Err(Unmade::Mistake(why)) => return Err(format!("after {step} moves: {why}")),
                Ok(moves) => moves,
            };
            let legal = oracle.legal(&position);
            if roles.iter().any(|role| legal.get(role).is_none_or(BTreeSet::is_empty)) {
                agreement.ill_formed += 1;
                break;
            }
            same_moves(&roles, &legal, &moves).map_err(|why| format!("after {step} moves: {why}"))?;
            let at = (random.word() % moves.combinations as u64) as usize;
            let (joint, after) = match moves.make(&game, &names, &state, at) {
                Err(Unmade::Limit) => return Ok(agreement),
                Err(Unmade::Mistake(why)) => return Err(format!("after {step} moves: {why}")),
                Ok(made) => made,
            };
            let moves: Vec<(Term, Term)> = roles
                .iter()
                .zip(&joint)
                .map(|(role, made)| {
                    let made =
                        legal[role].iter().find(|term| term.to_string() == *made).expect("a legal move");
                    (role.clone(), made.clone())
                })
                .collect();
            position = oracle.next(&position, &moves);
            if oracle.steps == 0 {
                return Ok(agreement);
            }
            state = after;
        }
        agreement.plays += 1;
    }
    Ok(agreement)
}

/// Compares the goals of a terminal position.
fn at_end(
    oracle: &mut Oracle,
    roles: &[Term],
    position: &Position,
    names: &bouton_gdl::Names,
    expanded: Result<(ToMove, Vec<Successor>), MachineError>,
    agreement: &mut Agreement,
) -> Result<(), String> {
    let goals = oracle.goals(position);
    // A goal is a number, also where it is written as 00. Of several the highest counts, and none counts as 0.
    let of_role = |role: &Term| goals.get(role).cloned().unwrap_or_default();
    let number = |goal: Term| goal.to_string().parse::<i64>().expect("a goal is a number");
    let highest = |role: &Term| of_role(role).into_iter().map(number).max().unwrap_or(0);
    let wanted: Vec<i64> = roles.iter().map(highest).collect();
    let is_loose = roles.iter().any(|role| of_role(role).len() != 1);
    agreement.ill_formed += u32::from(is_loose);
    let outcome = match expanded {
        Ok((ToMove::Terminal(outcome), _)) => outcome,
        Err(MachineError::Fault(fault)) if is_loose && roles.len() == 2 => {
            let has_no_result = fault.kind == FaultKind::NoResult && names.scale == Scale::Goals;
            return if has_no_result {
                Ok(())
            } else {
                Err(format!("{fault:?} where the goals are {goals:?}"))
            };
        }
        other => return Err(format!("{:?} at the end", other.map(|(turn, _)| turn))),
    };
    let found: Vec<String> = outcome.payoffs.iter().map(|payoff| names.goal(payoff).to_string()).collect();
    let written = |goals: &[i64]| goals.iter().map(i64::to_string).collect::<Vec<String>>();
    // The role with the higher goal wins, and goals that are equal are a draw.
    let decided = match (names.scale, &wanted[..]) {
        (Scale::WinDrawLoss, [one, other]) => match one.cmp(other) {
            Ordering::Greater => written(&[100, 0]),
            Ordering::Less => written(&[0, 100]),
            Ordering::Equal => written(&[50, 50]),
        },
        _ => written(&wanted),
    };
    if found == if is_loose { decided } else { written(&wanted) } {
        Ok(())
    } else {
        Err(format!("goals {found:?} instead of {wanted:?}"))
    }
}

/// Returns true for the role of GDL-II that chance plays.
fn is_chance(role: &Term) -> bool {
    *role == Term::Atom("random".to_owned())
}

/// The reason why the moves of all roles are not known.
enum Unmade {
    Limit,
    Mistake(String),
}

impl From<MachineError> for Unmade {
    fn from(error: MachineError) -> Unmade {
        match error {
            MachineError::Limit(_) => Unmade::Limit,
            fault => Unmade::Mistake(format!("a fault: {fault:?}")),
        }
    }
}

/// The legal moves of a position.
struct LegalMoves {
    /// Moves of all roles: all combinations if they are made, else those in which one player at most makes another move
    /// than his first one.
    joint: Vec<Vec<String>>,
    /// The number of all combinations.
    combinations: usize,
    after: After,
}

/// The positions after the legal moves, or the moves that lead to them.
enum After {
    /// The positions after all combinations.
    Made(Vec<State>),
    /// The moves of each player who chooses; they are not made.
    Unmade(Choices),
}

impl LegalMoves {
    /// The legal moves of a position. All are made if the machine needs that, or if it is asked for and they are few.
    fn of(
        game: &Game,
        names: &bouton_gdl::Names,
        state: &State,
        makes_all: bool,
    ) -> Result<LegalMoves, Unmade> {
        if let Some(choices) = game.machine.choices(state)? {
            let combinations = choices.1.iter().map(|(_, plays)| plays.len()).product();
            if !makes_all || combinations > MADE_MOVES && !matches!(choices.0, ToMove::Terminal(_)) {
                return LegalMoves::unmade(names, choices, combinations);
            }
        }
        let (turn, successors) = game.machine.expand(state)?;
        if matches!(turn, ToMove::Terminal(_)) {
            return Err(Unmade::Mistake("the end".to_owned()));
        }
        let (joint, states) = joint_moves(game, names, successors)?;
        Ok(LegalMoves { combinations: joint.len(), joint, after: After::Made(states) })
    }

    fn unmade(
        names: &bouton_gdl::Names,
        choices: Choices,
        combinations: usize,
    ) -> Result<LegalMoves, Unmade> {
        if matches!(choices.0, ToMove::Terminal(_)) {
            return Err(Unmade::Mistake("the end".to_owned()));
        }
        let mut joint = Vec::new();
        for (player, (_, plays)) in choices.1.iter().enumerate() {
            for at in 0..plays.len() {
                let mut places = vec![0; choices.1.len()];
                places[player] = at;
                joint.push(named(names, &combined(&choices, &places))?);
            }
        }
        Ok(LegalMoves { joint, combinations, after: After::Unmade(choices) })
    }

    /// The moves of all roles in one of the combinations, and the position after them.
    fn make(
        mut self,
        game: &Game,
        names: &bouton_gdl::Names,
        state: &State,
        at: usize,
    ) -> Result<(Vec<String>, State), Unmade> {
        let choices = match self.after {
            After::Made(mut states) => return Ok((self.joint.swap_remove(at), states.swap_remove(at))),
            After::Unmade(choices) => choices,
        };
        let mut rest = at;
        let mut places: Vec<usize> = Vec::new();
        for (_, plays) in choices.1.iter().rev() {
            places.insert(0, rest % plays.len());
            rest /= plays.len();
        }
        let play = combined(&choices, &places);
        let after = game.machine.make(state, &play)?;
        Ok((named(names, &play)?, after.ok_or_else(|| Unmade::Mistake(format!("{play:?} is not legal")))?))
    }
}

/// The move of the rules in which each player who chooses makes the move in this place of his list.
fn combined(all: &Choices, places: &[usize]) -> MoveInstance {
    let (turn, choices) = all;
    let mut plays = choices.iter().zip(places).map(|((player, plays), &at)| (*player, plays[at].clone()));
    match turn {
        ToMove::Simultaneous => MoveInstance::Joint(plays.collect()),
        _ => plays.next().expect("a player who chooses").1,
    }
}

/// The moves of all roles in a move of the rules.
fn named(names: &bouton_gdl::Names, play: &MoveInstance) -> Result<Vec<String>, Unmade> {
    let parts = names.parts(play).and_then(|parts| parts.into_iter().collect());
    parts.ok_or_else(|| Unmade::Mistake(format!("a move without a name: {play:?}")))
}

/// The moves of all roles for each successor, with the position after them. Chance may act after the players.
fn joint_moves(
    game: &Game,
    names: &bouton_gdl::Names,
    successors: Vec<Successor>,
) -> Result<(Vec<Vec<String>>, Vec<State>), Unmade> {
    let no_name = |play: &MoveInstance| Unmade::Mistake(format!("a move without a name: {play:?}"));
    let parts = |next: &Successor| names.parts(&next.play).ok_or_else(|| no_name(&next.play));
    let (mut joint, mut states) = (Vec::new(), Vec::new());
    for next in successors {
        let made = parts(&next)?;
        if made.iter().all(Option::is_some) {
            joint.push(made.into_iter().flatten().collect());
            states.push(next.state);
            continue;
        }
        let (_, events) = game.machine.expand(&next.state)?;
        for event in events {
            let rest = parts(&event)?;
            let all: Option<Vec<String>> =
                made.iter().zip(rest).map(|(first, second)| first.clone().or(second)).collect();
            joint.push(all.ok_or_else(|| no_name(&event.play))?);
            states.push(event.state);
        }
    }
    Ok((joint, states))
}

/// Compares the legal moves of each role, and that all combinations of them are there.
fn same_moves(
    roles: &[Term],
    legal: &HashMap<Term, BTreeSet<Term>>,
    moves: &LegalMoves,
) -> Result<(), String> {
    let mut combinations = 1;
    for (at, role) in roles.iter().enumerate() {
        let wanted: BTreeSet<String> = legal[role].iter().map(Term::to_string).collect();
        let found: BTreeSet<String> = moves.joint.iter().map(|moves| moves[at].clone()).collect();
        if wanted != found {
            let more: Vec<&String> = found.difference(&wanted).take(5).collect();
            let missing: Vec<&String> = wanted.difference(&found).take(5).collect();
            return Err(format!("moves of {role}: too many {more:?}, missing {missing:?}"));
        }
        combinations *= wanted.len();
    }
    if combinations == moves.combinations {
        return Ok(());
    }
    Err(format!("{} combinations of moves instead of {combinations}", moves.combinations))
}
