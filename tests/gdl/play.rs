//! Plays at random, by the rules and by the oracle, and compares each position.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::Instant;

use bouton_base::limits::Limits;
use bouton_base::random::SplitMix;
use bouton_driver::load::GameSource;
use bouton_gdl::Scale;
use bouton_rules::{FaultKind, MOVER, MoveInstance, ToMove};
use bouton_search::game::{Backend, Game, MachineError, State, Successor};

use crate::oracle::{Oracle, Position, Term};

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
            let expanded = match game.machine.expand(&state) {
                Err(MachineError::Limit(_)) => return Ok(agreement),
                other => other,
            };
            if oracle.terminal(&position) {
                let players: Vec<Term> = roles.iter().filter(|role| !is_chance(role)).cloned().collect();
                at_end(&mut oracle, &players, &position, &names, expanded, &mut agreement)?;
                break;
            }
            let (_, successors) = match expanded {
                Ok((ToMove::Terminal(_), _)) => return Err(format!("the end after {step} moves")),
                Ok(expanded) => expanded,
                Err(error) => return Err(format!("a fault after {step} moves: {error:?}")),
            };
            let legal = oracle.legal(&position);
            if roles.iter().any(|role| legal.get(role).is_none_or(BTreeSet::is_empty)) {
                agreement.ill_formed += 1;
                break;
            }
            let (joint, states) = match joint_moves(&game, &names, successors) {
                Err(Unmade::Limit) => return Ok(agreement),
                Err(Unmade::Mistake(why)) => return Err(format!("after {step} moves: {why}")),
                Ok(made) => made,
            };
            same_moves(&roles, &legal, &joint).map_err(|why| format!("after {step} moves: {why}"))?;
            let at = (random.word() % states.len() as u64) as usize;
            let moves: Vec<(Term, Term)> = roles
                .iter()
                .zip(&joint[at])
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
            state = states[at].clone();
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
        let (_, events) = game.machine.expand(&next.state).map_err(|error| match error {
            MachineError::Limit(_) => Unmade::Limit,
            fault => Unmade::Mistake(format!("{fault:?}")),
        })?;
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
    joint: &[Vec<String>],
) -> Result<(), String> {
    let mut combinations = 1;
    for (at, role) in roles.iter().enumerate() {
        let wanted: BTreeSet<String> = legal[role].iter().map(Term::to_string).collect();
        let found: BTreeSet<String> = joint.iter().map(|moves| moves[at].clone()).collect();
        if wanted != found {
            let more: Vec<&String> = found.difference(&wanted).take(5).collect();
            let missing: Vec<&String> = wanted.difference(&found).take(5).collect();
            return Err(format!("moves of {role}: too many {more:?}, missing {missing:?}"));
        }
        combinations *= wanted.len();
    }
    if combinations == joint.len() {
        return Ok(());
    }
    Err(format!("{} combinations of moves instead of {combinations}", joint.len()))
}
