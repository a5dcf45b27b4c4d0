//! Moves of the engine in positions that it cannot solve: by a lookahead, by random games, or by random games over what
//! a player does not know. All of them are guesses.

use super::Session;
use super::engine::EngineMove;
use bouton_base::limits::Limits;
use bouton_report::words::count_with_noun;
use bouton_search::game::information::{own_choice, own_choices};
use bouton_search::game::{Game, MoveInstance, Successor, ToMove};
use bouton_search::solve::depth_limited::evaluation::evaluate_by_rules;
use bouton_search::solve::depth_limited::{
    self, DepthLimitedOptions, DepthLimitedResult, is_two_player_fixed_sum,
};
use bouton_search::solve::information_set_search::{self, InformedChoice, PastPlay};
use bouton_search::solve::mcts::{self, MctsBudget};

/// The maximal number of positions that a lookahead visits.
const MAX_LOOKAHEAD_POSITIONS: u64 = 100_000;
/// The maximal number of positions that a Monte-Carlo tree search visits.
const MAX_MCTS_POSITIONS: u64 = 100_000;
/// The maximal number of positions that a search over information sets visits; each costs the observations of all
/// players.
const MAX_INFORMED_POSITIONS: u64 = 50_000;

/// The depth of the lookahead where Monte-Carlo tree search gives no move.
const FALLBACK_DEPTH: u32 = 3;
/// The depth that a lookahead by the evaluation of the rules aims at, in plies; its budget ends it earlier.
const MAX_EVALUATED_DEPTH: u32 = 64;

/// One of these moves, in which each player whom the user does not move, and the player to move, chooses by what he
/// knows; at random where a search gives no choice.
pub(super) fn informed(
    session: &mut Session,
    successors: &[Successor],
    limits: &Limits,
) -> Option<EngineMove> {
    let turn = session.turn().ok()?;
    let mut fitting: Vec<&Successor> = successors.iter().collect();
    let mut why = None;
    for player in 0..session.game.rules.players().len() as u32 {
        let chooses =
            turn == ToMove::Player(player) || turn == ToMove::Simultaneous && !session.is_human(player);
        if !chooses || own_choices(&turn, successors, player).len() < 2 {
            continue;
        }
        let Some(found) = informed_choice(session, player, limits) else { continue };
        fitting.retain(|made| own_choice(&turn, &made.play, player) == Some(&found.choice));
        why = Some(informed_reason(&found));
    }
    let place = session.random_below(fitting.len().max(1));
    let successor = (*fitting.get(place)?).clone();
    Some(EngineMove { successor, why: why.unwrap_or_else(|| "it was chosen at random".into()) })
}

/// The choice of a player in the current position by what he knows, by a search over information sets.
fn informed_choice(session: &mut Session, player: u32, limits: &Limits) -> Option<InformedChoice> {
    let seed = session.random_seed();
    let effort = MctsBudget { positions: MAX_INFORMED_POSITIONS, seed };
    let moves: Vec<MoveInstance> = session.made().iter().map(|made| made.play.clone()).collect();
    let game = session.game.with_limits(limits);
    let past = PastPlay { start: &session.start, moves: &moves };
    information_set_search::choose(&game, past, player, effort, limits).ok().flatten()
}

/// Describes the choice of a player in the current position by what he knows.
pub(super) fn informed_advice(session: &mut Session, player: u32, limits: &Limits) -> Option<String> {
    let found = informed_choice(session, player, limits)?;
    let words = session.game.choice_notation(session.state(), player, &found.choice);
    Some(format!("{words}: {}", informed_reason(&found)))
}

/// A sentence on how well an engine plays that searches over information sets.
pub(super) fn informed_introduction(hides: bool) -> &'static str {
    match hides {
        true => {
            "the engine plays by random games from positions that agree with what it saw: its moves are guesses"
        }
        false => {
            "the engine plays by random games in which all players choose at once: its moves are guesses"
        }
    }
}

/// The reason for a choice by what a player knows.
fn informed_reason(found: &InformedChoice) -> String {
    format!("a guess: in {} random games, {:+.2} on average", found.games, found.worth)
}

/// Returns true if the engine looks ahead by the evaluation of the rules where it cannot solve the game.
pub(super) fn looks_ahead(game: &Game) -> bool {
    game.rules.evaluate.is_some() && is_two_player_fixed_sum(game)
}

/// The best move of a position that cannot be solved: by the evaluation of the rules, or by random games.
pub(super) fn best_guess(
    session: &mut Session,
    successors: &[Successor],
    limits: &Limits,
) -> Option<EngineMove> {
    if !looks_ahead(&session.game) {
        return sampled(session, successors, limits);
    }
    let plan = DepthLimitedOptions::with_depth(MAX_EVALUATED_DEPTH);
    ahead(session, successors, &plan, limits)
}

/// The best move by random games, as many as the limits allow.
fn sampled(session: &mut Session, successors: &[Successor], limits: &Limits) -> Option<EngineMove> {
    let Ok(ToMove::Player(player)) = session.turn() else { return None };
    let effort = MctsBudget { positions: MAX_MCTS_POSITIONS, seed: session.random_seed() };
    let game = session.game.with_limits(limits);
    match mcts::choose_in_time(&game, session.state(), player, effort, limits) {
        Some(found) if found.games > 0 || found.settled => {
            let worth = found.worth.get(player as usize).copied().unwrap_or_default();
            let why = match found.settled {
                true => format!("it is certain to give {worth}"),
                false => format!("it did best in {} random games, {worth:+.2} on average", found.games),
            };
            Some(EngineMove { successor: successors.get(found.chosen)?.clone(), why })
        }
        // Where the sampling does not apply, a short lookahead is better than any move.
        _ => ahead(session, successors, &DepthLimitedOptions::with_depth(FALLBACK_DEPTH), limits),
    }
}

/// The best move by a lookahead; any move if the limits end the search early.
pub(super) fn ahead(
    session: &mut Session,
    successors: &[Successor],
    plan: &DepthLimitedOptions,
    limits: &Limits,
) -> Option<EngineMove> {
    let game = session.game.with_limits(limits);
    let found = match plan.depth {
        0 => Ok(None),
        _ => depth_limited::search(&game, session.state(), plan, MAX_LOOKAHEAD_POSITIONS, limits),
    };
    let (best, why) = match found {
        Ok(Some(DepthLimitedResult { best, certain: true, .. })) => {
            (best, "it is the best one to the end".to_string())
        }
        Ok(Some(DepthLimitedResult { best, depth, .. })) => {
            (best, format!("it looked best {} ahead", plies(depth)))
        }
        Ok(None) => ((0..successors.len()).collect(), "it was chosen at random".into()),
        Err(hit) => ((0..successors.len()).collect(), format!("it was chosen at random: {hit}")),
    };
    let best = best_at_once(&game, session, successors, best);
    let chosen = best[session.random_below(best.len())];
    Some(EngineMove { successor: successors.get(chosen)?.clone(), why })
}

/// The moves among equal ones after which the rules evaluate the position highest: what is gained at once, such as a
/// captured piece, is preferred to what the lookahead only expects. All of them if the rules evaluate nothing.
fn best_at_once(game: &Game, session: &Session, successors: &[Successor], best: Vec<usize>) -> Vec<usize> {
    let Ok(ToMove::Player(player)) = session.turn() else { return best };
    let worth = |place: &usize| evaluate_by_rules(game, &successors.get(*place)?.state, player);
    let Some(values) = best.iter().map(worth).collect::<Option<Vec<_>>>() else { return best };
    let Some(highest) = values.iter().max() else { return best };
    best.iter().zip(&values).filter(|(_, value)| *value == highest).map(|(place, _)| *place).collect()
}

/// A number of moves, in words.
pub(super) fn plies(depth: u32) -> String {
    count_with_noun(u64::from(depth), "move", "moves")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::GameSource;

    /// Chance hides a number; the seeker sees the large ones, and names one.
    const SEEK: &str = r#"
        game "Seek";
        players Seeker, Keeper, Witness;
        phases { setup hide by chance; name; }
        state { secret: 0..8 = 0 hidden; named: 0..8 = 0; }
        private chance hide_it(k: 1..8) in hide as "({k})" { secret := k; continue name; }
        move name_it(k: 1..8) in name as "{k}" { named := k; }
        sees Seeker: secret when secret > 6;
        end { when named > 0 => payoff p: if (named = secret) = (p = Seeker) then 1 else 0; }
    "#;
    /// The higher card takes what was bet; a player who folds loses one.
    const BET: &str = r#"
        game "Bet";
        players Ann, Bob, Cid;
        phases { setup deal by chance; bet; }
        state { card[p: Player]: 0..9 = 0 visible to p; made: 0..2 = 0; }
        private chance cards(a: 1..9, b: 1..9, c: 1..9) in deal as "{a}{b}{c}" {
          when a != b and a != c and b != c;
          card[Ann] := a; card[Bob] := b; card[Cid] := c;
        }
        move raise() in bet as "raise" { made := 1; }
        move fold() in bet as "fold" { made := 2; }
        def best(p: Player) = all q in Player where q != p: card[q] < card[p];
        end {
          when made = 1 => payoff p: if best(p) then 4 else -2;
          when made = 2 => payoff p: if p = Ann then -1 else 1 / 2;
        }
    "#;

    fn session(rules: &str, moves: &[&str]) -> Session {
        let game = GameSource::from_string("game.bou", rules).game(None).unwrap_or_else(|e| panic!("{e:?}"));
        let start = game.machine.initial();
        let mut session = Session::new(game, start, vec![1], 1);
        for name in moves {
            let made = session.find(name).unwrap_or_else(|e| panic!("{e:?}"));
            session.make(made, false);
        }
        session
    }

    fn choice(rules: &str, moves: &[&str]) -> (String, InformedChoice) {
        let mut session = session(rules, moves);
        let found = informed_choice(&mut session, 0, &Limits::default()).expect("a choice");
        (session.game.notation(session.state(), &found.choice), found)
    }

    #[test]
    fn a_player_uses_what_he_saw() {
        assert_eq!(choice(SEEK, &["(7)"]).0, "7");
        assert_eq!(choice(SEEK, &["(8)"]).0, "8");
        assert_eq!(choice(BET, &["987"]).0, "raise");
        assert_eq!(choice(BET, &["123"]).0, "fold");
    }

    #[test]
    fn a_player_uses_nothing_else() {
        let (_, unseen) = choice(SEEK, &["(3)"]);
        assert_eq!(choice(SEEK, &["(5)"]).1, unseen);
        assert!(unseen.worth < 0.5, "{unseen:?}");
        assert_eq!(choice(BET, &["513"]).1, choice(BET, &["598"]).1);
    }

    #[test]
    fn the_engine_guesses_where_nothing_is_solved() {
        use crate::budget::Budget;
        use crate::play::engine::{Engine, EngineLevel, EngineOptions};
        // Too many players for an equilibrium.
        let many = BET.replace("Cid;", "Cid, Dan, Eva, Fay, Guy;");
        let mut session = session(&many, &["945"]);
        let options = EngineOptions { level: EngineLevel::Perfect, table: None, budget: Budget::default() };
        let start = session.start.clone();
        let (mut engine, told) =
            Engine::new(&session.game, &start, options, &bouton_base::limits::NoProgress);
        assert!(told.ends_with("its moves are guesses"), "{told}");
        let chosen = engine.choose(&mut session).expect("a move");
        assert_eq!(session.game.notation(session.state(), &chosen.successor.play), "raise");
        assert!(chosen.why.starts_with("a guess: in "), "{}", chosen.why);
        let hint = engine.guess(&mut session, 0).expect("a hint");
        assert!(hint.starts_with("raise: a guess"), "{hint}");
    }
}
