//! Certificates: the checker accepts the solver's certificates, and refuses every changed certificate with a reason.
//!
//! The tests change certificates as data and write them again, so that every hash is right and the checks themselves
//! must find the fault; then they damage the files byte by byte.

use std::sync::Arc;

use bouton_backend::interp::Interpreter as Circuits;
use bouton_base::limits::{Limits, NoProgress};
use bouton_base::rational::Rational;
use bouton_certificates::{
    self as cert, Certificate, Claim, Convention, Digest, Header, InfinitePlay, Lemma, LoopyLemma,
    PayoffBound, PositionKey, ReplyLemma, StrategyReply, Tier,
};
use bouton_checker::{Rejection, Verdict, verify};
use bouton_driver::load::GameSource;
use bouton_driver::solvers::{SOLVERS, named};
use bouton_lower::lower;
use bouton_reference::Interpreter;
use bouton_rules::Rules;
use bouton_search::game::random::Random;
use bouton_search::game::{Backend, CompiledMachine, Game, State, ToMove};
use bouton_search::solve::certify::{CertificateOptions, certificate};
use bouton_search::solve::{Auto, Solution, SolveOptions, SolveRequest, Solver};

/// A solved game with its certificate.
struct CertifiedGame {
    name: String,
    game: Game,
    solution: Solution,
    certificate: Certificate,
}

fn rules(text: GameSource, settings: &[&str]) -> Rules {
    let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
    let mut text = text.with_settings(&settings, None).expect("settings");
    assert!(!text.has_parse_errors());
    let analysis = text.analyze(None);
    analysis.rules.expect("rules without errors")
}

fn of_folder(name: &str, settings: &[&str]) -> Rules {
    let path = format!("{}/games/{name}.bou", env!("CARGO_MANIFEST_DIR"));
    rules(GameSource::from_string(name, &std::fs::read_to_string(path).expect("a game of games/")), settings)
}

fn case(name: &str, rules: Rules, strong: bool) -> CertifiedGame {
    let game = Game::on_reference(rules);
    let limits = Limits::default();
    let start = game.machine.initial();
    let solution = Auto
        .solve(&SolveRequest::new(&game, &start, &SolveOptions::default(), &limits, &NoProgress))
        .expect("no fault");
    let wanted = CertificateOptions { strong, positions: None, limits: &limits };
    let certificate =
        certificate(&game, &start, &solution, &wanted).unwrap_or_else(|why| panic!("{name}: {why}"));
    CertifiedGame { name: name.into(), game, solution, certificate }
}

fn verdict(rules: &Arc<Rules>, certificate: &Certificate) -> Verdict {
    verify(rules, certificate, &Limits::default(), None)
}

impl CertifiedGame {
    fn of(name: &str, settings: &[&str]) -> CertifiedGame {
        case(&format!("{name} {settings:?}"), of_folder(name, settings), false)
    }

    /// Returns the wording of the claim, after the checker accepts the certificate as read back.
    fn accepted(&self) -> String {
        let read = cert::parse(&cert::write(&self.certificate)).expect("what was written is read");
        assert_eq!(read, self.certificate, "{}", self.name);
        match verdict(&self.game.rules, &read) {
            Verdict::Accepted(accepted) => accepted.claim,
            other => panic!("{}: {other:?}", self.name),
        }
    }

    /// Asserts that a changed certificate is refused: by the reader, or by the checker at some step with a reason.
    fn refused(&self, what: &str, change: impl FnOnce(&mut Certificate)) -> Option<Rejection> {
        let mut changed = self.certificate.clone();
        change(&mut changed);
        assert_ne!(changed, self.certificate, "{}: {what} changes nothing", self.name);
        let Ok(read) = cert::parse(&cert::write(&changed)) else { return None };
        match verdict(&self.game.rules, &read) {
            Verdict::Rejected(rejection) => {
                assert!(!rejection.step.is_empty() && !rejection.reason.is_empty(), "{rejection:?}");
                Some(rejection)
            }
            other => panic!("{}: {what} is not refused: {other:?}", self.name),
        }
    }

    fn kinds(&self) -> Vec<&'static str> {
        self.certificate.lemmas.iter().map(Lemma::kind).collect()
    }
}

fn answers(lemma: &mut Lemma) -> Option<(&mut PayoffBound, &mut Vec<StrategyReply>)> {
    match lemma {
        Lemma::Reply(reply) => Some((&mut reply.bound, &mut reply.answers)),
        Lemma::Loopy(loopy) => Some((&mut loopy.bound, &mut loopy.answers)),
        _ => None,
    }
}

/// Returns at most `most` numbers below `count`, spread evenly.
fn spread(count: usize, most: usize) -> impl Iterator<Item = usize> {
    (0..count).step_by(count.div_ceil(most).max(1))
}

/// Changes each part of a certificate in turn; returns the number of changed certificates that were refused.
fn mutate(case: &CertifiedGame) -> usize {
    let mut refused = 0;
    let mut no = |what: &str, change: &mut dyn FnMut(&mut Certificate)| {
        refused += 1;
        case.refused(what, |certificate| change(certificate))
    };
    let step = |rejection: Option<Rejection>| rejection.map(|r| r.step).unwrap_or_default();
    assert_eq!(
        step(no("the hash of the rules", &mut |c| c.header.rules = Digest::of(b"other rules"))),
        "header"
    );
    assert_eq!(step(no("the game", &mut |c| c.header.game.push('!'))), "header");
    assert_eq!(step(no("the players", &mut |c| c.header.players[0].push('x'))), "header");
    assert_eq!(
        step(no("the parameters", &mut |c| c.header.params.push(("extra".into(), "1".into())))),
        "header"
    );
    for i in 0..case.certificate.header.params.len() {
        assert_eq!(step(no("a parameter", &mut |c| c.header.params[i].1.push('1'))), "header");
    }
    let other = if case.certificate.header.convention == Convention::Payoff {
        Convention::Goal
    } else {
        Convention::Payoff
    };
    assert_eq!(step(no("the convention", &mut |c| c.header.convention = other)), "header");
    assert_eq!(
        step(no("the position", &mut |c| c.header.position = Some(PositionKey([u64::MAX].into())))),
        "position"
    );
    no("the claim", &mut |c| match &mut c.header.claim {
        Claim::Wins { player, .. } | Claim::AtLeast { player, .. } => *player += 1,
        Claim::Value(payoffs) => payoffs[0] += Rational::ONE,
        Claim::Equilibria(all) => all[0][0] += Rational::ONE,
        Claim::Between { low, .. } => *low += Rational::ONE,
        Claim::Period { period, .. } => *period += 1,
        Claim::SolvedIn(moves) => *moves += 1,
        Claim::Always { cases, .. } => cases[0].1 += 1,
        Claim::Unsolvable => c.header.claim = Claim::Wins { player: 0, plies: None },
    });
    if let Claim::Wins { plies: Some(_), .. } = case.certificate.header.claim {
        for by in [1, u64::MAX] {
            let rejection = no("the plies", &mut |c| {
                if let Claim::Wins { plies: Some(plies), .. } = &mut c.header.claim {
                    *plies = plies.wrapping_add(by);
                }
            });
            assert_eq!(step(rejection), "claim");
        }
    }
    for i in 0..case.certificate.lemmas.len() {
        no("a lemma that is left out", &mut |c| drop(c.lemmas.remove(i)));
    }
    for (i, lemma) in case.certificate.lemmas.iter().enumerate() {
        refused += match lemma {
            Lemma::Table(table) => mutate_values(case, i, table.values.len()),
            Lemma::Reply(reply) => mutate_answers(case, i, reply.bound.clone(), &reply.answers),
            Lemma::Loopy(loopy) => mutate_answers(case, i, loopy.bound.clone(), &loopy.answers),
            // tests/language/strategies.rs, sums.rs and products.rs change the other lemmas.
            _ => 0,
        };
    }
    refused
}

fn mutate_values(case: &CertifiedGame, lemma: usize, count: usize) -> usize {
    let mut refused = 0;
    for i in spread(count, 15) {
        let table = |c: &mut Certificate, change: &dyn Fn(&mut Vec<cert::ValuedPosition>)| match &mut c.lemmas
            [lemma]
        {
            Lemma::Table(table) => {
                change(&mut table.values);
                table.values.sort_by(|a, b| a.key.cmp(&b.key));
            }
            _ => unreachable!("a table"),
        };
        case.refused("a larger value", |c| table(c, &|v| v[i].value += Rational::ONE));
        case.refused("a smaller value", |c| table(c, &|v| v[i].value -= Rational::ONE));
        case.refused("half a value", |c| table(c, &|v| v[i].value += Rational::new(1, 7)));
        case.refused("a value left out", |c| table(c, &|v| drop(v.remove(i))));
        case.refused("a position", |c| table(c, &|v| v[i].key.0[0] ^= 1));
        refused += 5;
    }
    refused
}

fn mutate_answers(case: &CertifiedGame, lemma: usize, bound: PayoffBound, all: &[StrategyReply]) -> usize {
    let interpreter = Interpreter::new(case.game.rules.clone());
    let table = case.solution.table.as_ref().expect("a table");
    let mut refused = 0;
    let mut no = |what: &str, change: &dyn Fn(&mut PayoffBound, &mut Vec<StrategyReply>)| {
        refused += 1;
        case.refused(what, |certificate| {
            let (bound, answers) = answers(&mut certificate.lemmas[lemma]).expect("a strategy");
            change(bound, answers);
            answers.sort_by(|a, b| a.key.cmp(&b.key));
        });
    };
    no("more than the bound", &|bound, _| bound.payoff += Rational::ONE);
    no("less than the bound", &|bound, _| bound.payoff -= Rational::ONE);
    no("another holder", &|bound, _| bound.holder = bound.holder.map_or(Some(0), |p| Some(p + 1)));
    if all.is_empty() {
        no("an answer nobody asked for", &|_, answers| {
            answers.push(StrategyReply {
                key: PositionKey([0].into()),
                rank: None,
                reply: "go(a1, a2)".into(),
            });
        });
        return refused;
    }
    no("no answers", &|_, answers| answers.clear());
    no("an answer too many", &|_, answers| {
        let mut more = answers[0].clone();
        more.key.0[0] ^= 1 << 63;
        answers.push(more);
    });
    // Each check covers the whole certificate, so a large one gets fewer changes.
    for i in spread(all.len(), if all.len() > 200 { 20 } else { 60 }) {
        no("an answer left out", &|_, answers| drop(answers.remove(i)));
        no("a move there is not", &|_, answers| answers[i].reply.push('?'));
        no("a position", &|_, answers| answers[i].key.0[0] ^= 1);
        no("a position two bits away", &|_, answers| answers[i].key.0[0] ^= 6);
        if let Some(rank) = all[i].rank {
            for other in [rank + 1, rank - 1, 0, u64::MAX] {
                no("a rank", &|_, answers| answers[i].rank = Some(other));
            }
            no("a rank left out", &|_, answers| answers[i].rank = None);
        } else {
            no("a rank", &|_, answers| answers[i].rank = Some(1));
        }
        // Tries every move that gives the value away; other moves may well be as good.
        let state = interpreter.unpack(&all[i].key.0);
        let holder = bound.holder.expect("a strategy has a holder") as usize;
        for (play, after, _) in interpreter.successors(&state).expect("no fault") {
            let worth = table.value(&State(interpreter.pack(&after)));
            if worth.is_none_or(|worth| worth.payoffs[holder] < bound.payoff) {
                no("a worse move", &|_, answers| answers[i].reply = interpreter.call_form(&play));
            }
        }
    }
    refused
}

/// Returns the solver of that name.
fn method(name: &str) -> &'static dyn Solver {
    named(name).expect("a method")
}

#[test]
fn a_draw_is_two_strategies() {
    let case = CertifiedGame::of("tictactoe", &[]);
    assert_eq!(case.accepted(), "a draw");
    assert_eq!(case.kinds(), ["reply", "reply"]);
    // The smallest known sizes: 99 for the first player and 447 for the second.
    let listed: Vec<usize> = case.certificate.lemmas.iter().map(Lemma::positions).collect();
    assert!(listed[0] <= 150 && listed[1] <= 600, "{listed:?}");
    assert!(mutate(&case) > 400);
}

#[test]
fn heaps_and_rows_are_won_by_answers() {
    for (name, settings, claim) in [
        ("nim", &["heaps=[1, 2, 4]"][..], "First wins within 7 plies"),
        ("nim", &["heaps=[1, 4, 5]"], "Second wins within 10 plies"),
        ("hatch", &["n=7"], "First wins within 5 plies"),
        ("hatch", &["n=8", "k=1"], "Second wins within 8 plies"),
        ("kayles", &["n=7"], "First wins within 5 plies"),
    ] {
        let case = CertifiedGame::of(name, settings);
        assert_eq!(case.accepted(), claim, "{name} {settings:?}");
        assert_eq!(case.kinds(), ["reply"]);
        assert!(mutate(&case) > 15, "{name} {settings:?}");
    }
}

#[test]
fn a_win_where_positions_come_back_has_ranks() {
    for (name, claim) in [
        ("three_mens_morris", "White wins within 9 plies"),
        ("hare_and_hounds", "Hounds wins within 23 plies"),
    ] {
        let case = CertifiedGame::of(name, &[]);
        assert_eq!(case.accepted(), claim);
        assert_eq!(case.kinds(), ["loopy"]);
        assert!(mutate(&case) > 150, "{name}");
        // Ranks near the largest integer prove no descent: adding one there may overflow.
        let rejection = case.refused("ranks past all plays", |c| {
            let (_, answers) = answers(&mut c.lemmas[0]).expect("a strategy");
            answers.iter_mut().for_each(|answer| answer.rank = Some(u64::MAX - 2));
        });
        assert!(rejection.expect("the checker refuses it").reason.contains("larger than any play"));
    }
}

#[test]
fn a_draw_where_positions_come_back_is_two_safe_sets() {
    let case = CertifiedGame::of("three_mens_morris", &["diagonals=false"]);
    assert_eq!(case.accepted(), "a draw");
    assert_eq!(case.kinds(), ["loopy", "loopy"]);
    for lemma in &case.certificate.lemmas {
        assert!(matches!(lemma, Lemma::Loopy(loopy) if loopy.ending == InfinitePlay::Safe));
    }
    assert!(mutate(&case) > 200);
    let rejection = case.refused("safe sets that should end", |c| {
        if let Lemma::Loopy(loopy) = &mut c.lemmas[0] {
            loopy.ending = InfinitePlay::Ranked;
            loopy.answers.iter_mut().for_each(|answer| answer.rank = Some(1));
        }
    });
    assert!(rejection.expect("the checker refuses it").reason.contains("rank"));
}

/// Throw a coin, then take the throw or leave it; three rounds at most.
const COIN: &str = r#"game "Coin"; players A, B;
state { left: 0..2 = 2; gain: -9..9 = 0; coin: 1..2? = none; }
phases { throw by chance; act; }
chance toss(d: 1..2) in throw { weight d; coin := d; continue act; }
move keep(k: 1..2) in act { when coin = k; left -= 1; coin := none; if me = A { gain += 2 * k - 1; } else { gain -= k; } }
move drop() in act { left -= 1; coin := none; }
end { when left = 0 => payoff p: if p = A then gain else 1 - gain; }
"#;

#[test]
fn means_are_exact() {
    let case = case("coin", rules(GameSource::from_string("coin", COIN), &[]), false);
    // A keeps the throw: 1 * 1/3 + 3 * 2/3; B then takes 1 * 1/3 + 2 * 2/3.
    assert_eq!(case.accepted(), "with best play A gets 2/3, B gets 1/3");
    assert_eq!(case.kinds(), ["table"]);
    assert!(mutate(&case) > 20);
}

#[test]
fn all_positions_can_be_asked_for() {
    let case = case("tictactoe", of_folder("tictactoe", &[]), true);
    assert_eq!(case.accepted(), "a draw");
    // 5478 positions, 958 of them ends.
    assert_eq!((case.kinds(), case.certificate.lemmas[0].positions()), (vec!["table"], 4520));
    assert!(mutate(&case) > 60);
}

/// One player walks on a ring of five; a `goal` outside the ring is never reached.
const RING: &str = r#"game "Ring"; param goal: 0..9 = 3; players Walker;
state { at: 0..4 = 0; }
move step() { at := (at + 1) mod 5; }
move back() { at := (at + 4) mod 5; }
end { when at = goal => win; }
"#;

#[test]
fn one_player_has_a_plan_or_none() {
    let solvable = case("ring", rules(GameSource::from_string("ring", RING), &[]), false);
    assert_eq!(solvable.accepted(), "it can be solved in 2 moves and in no fewer");
    assert!(mutate(&solvable) > 10);
    let not = case("ring without a goal", rules(GameSource::from_string("ring", RING), &["goal=7"]), false);
    assert_eq!(not.accepted(), "it cannot be solved");
    assert!(mutate(&not) > 10);
}

/// The cat steps along a square, as does the mouse; opposite corners stay opposite after two steps.
const CHASE: &str = r#"game "Chase"; players Cat, Mouse;
state { cat: 0..3 = 0; mouse: 0..3 = 2; }
move creep(d: {1, 3}) by Cat { cat := (cat + d) mod 4; }
move flee(d: {1, 3}) by Mouse { mouse := (mouse + d) mod 4; }
end { when cat = mouse => Cat wins; repeat => Mouse wins; }
"#;

#[test]
fn who_is_hunted_for_ever_may_win() {
    let case = case("chase", rules(GameSource::from_string("chase", CHASE), &[]), false);
    assert_eq!(case.accepted(), "Mouse wins");
    assert!(
        matches!(&case.certificate.lemmas[..], [Lemma::Loopy(loopy)] if loopy.ending == InfinitePlay::Safe)
    );
    assert!(mutate(&case) > 20);
}

#[test]
fn whichever_machine_solves_the_words_are_those_of_the_definition() {
    for name in ["tictactoe", "nim", "three_mens_morris", "hare_and_hounds"] {
        let reference = CertifiedGame::of(name, &[]);
        let rules = reference.game.rules.clone();
        let lowered = Arc::new(lower(&rules).unwrap_or_else(|why| panic!("{name}: {}", why.what)));
        let runner = Arc::new(Circuits::new(Arc::new(lowered.circuit.clone())));
        let machine = Arc::new(CompiledMachine::new(rules.clone(), lowered, runner));
        let mut game = Game::on_reference((*rules).clone());
        game.machine = machine;
        let limits = Limits::default();
        let start = game.machine.initial();
        let solution = Auto
            .solve(&SolveRequest::new(&game, &start, &SolveOptions::default(), &limits, &NoProgress))
            .expect("no fault");
        let wanted = CertificateOptions { strong: false, positions: None, limits: &limits };
        let made = certificate(&game, &start, &solution, &wanted).expect("a certificate");
        assert!(matches!(verdict(&rules, &made), Verdict::Accepted(_)), "{name}");
        assert_eq!(made.header, reference.certificate.header, "{name}");
    }
}

/// Returns a game on a random graph: some points end it with a payoff, the others have moves. Infinite play has a
/// payoff as well.
fn random_graph_game(random: &mut Random, points: u64, back: bool) -> String {
    let payoff = |random: &mut Random| random.below(5) as i64 - 2;
    let mut moves = String::new();
    let mut ends = String::new();
    for at in 0..points {
        if at > 0 && (random.below(4) == 0 || at + 1 == points) {
            ends +=
                &format!("  when at = {at} => payoff p: if p = A then {0} else 0 - ({0});\n", payoff(random));
            continue;
        }
        let first = if back { 0 } else { at + 1 };
        let mut to: Vec<u64> =
            (0..1 + random.below(3)).map(|_| first + random.below(points - first)).collect();
        to.retain(|&to| to != at);
        to.push(if at + 1 < points { at + 1 } else { 0 });
        to.sort_unstable();
        to.dedup();
        let to: Vec<String> = to.iter().map(ToString::to_string).collect();
        moves += &format!("{}at = {at} and k in {{ {} }}", if at == 0 { "" } else { " or " }, to.join(", "));
    }
    let last = points - 1;
    let repeat = payoff(random);
    format!(
        "game \"Drawn\"; players A, B; state {{ at: 0..{last} = 0; }}
move go(k: 0..{last}) {{ when {moves}; at := k; }}
end {{\n{ends}  repeat => payoff p: if p = A then {repeat} else 0 - ({repeat});\n}}\n"
    )
}

/// Returns a strategy with random replies, for all positions that it reaches, without ranks.
fn random_strategy(rules: &Arc<Rules>, holder: u32, random: &mut Random) -> Vec<StrategyReply> {
    let interpreter = Interpreter::new(rules.clone());
    let mut answers: Vec<StrategyReply> = Vec::new();
    let mut seen = vec![interpreter.initial()];
    let mut at = 0;
    while at < seen.len() {
        let state = seen[at].clone();
        let (turn, mut moves) = interpreter.expand(&state).expect("no fault");
        if turn == ToMove::Player(holder) {
            let (play, after, share) = moves.swap_remove(random.below(moves.len() as u64) as usize);
            let (key, reply) = (PositionKey(interpreter.pack(&state)), interpreter.call_form(&play));
            answers.push(StrategyReply { key, rank: None, reply });
            moves = vec![(play, after, share)];
        }
        for (_, after, _) in moves {
            if !seen.contains(&after) {
                seen.push(after);
            }
        }
        at += 1;
    }
    answers.sort_by(|a, b| a.key.cmp(&b.key));
    answers
}

#[test]
fn games_drawn_at_random_are_proved_and_nothing_false_is() {
    let mut random = Random::new(7);
    let mut kinds: Vec<&str> = Vec::new();
    for round in 0..120 {
        let text = random_graph_game(&mut random, 4 + round % 9, round % 3 != 0);
        let case = case(&text, rules(GameSource::from_string("drawn", &text), &[]), round % 4 == 0);
        case.accepted();
        kinds.extend(case.kinds());
        let rules = &case.game.rules;
        let value = case.solution.value.as_ref().expect("a value");
        for holder in 0..2u32 {
            // Claims more than the player can have, with strategies of every kind.
            let payoff = &value.payoffs[holder as usize] + Rational::ONE;
            let bound = PayoffBound { holder: Some(holder), payoff };
            let answers = random_strategy(rules, holder, &mut random);
            let ranks = |mut answers: Vec<StrategyReply>, random: &mut Random| {
                answers.iter_mut().for_each(|answer| answer.rank = Some(1 + random.below(6)));
                answers
            };
            let ranked = ranks(answers.clone(), &mut random);
            let lemmas = [
                Lemma::Reply(ReplyLemma { bound: bound.clone(), answers: answers.clone() }),
                Lemma::Loopy(LoopyLemma { bound: bound.clone(), ending: InfinitePlay::Safe, answers }),
                Lemma::Loopy(LoopyLemma { bound, ending: InfinitePlay::Ranked, answers: ranked }),
            ];
            let mut payoffs = value.payoffs.clone();
            payoffs[holder as usize] += Rational::ONE;
            payoffs[1 - holder as usize] -= Rational::ONE;
            for lemma in lemmas {
                let other = case.certificate.lemmas.get(1 - holder as usize).cloned();
                let proof = [lemma].into_iter().chain(other).collect();
                match verdict(rules, &by_hand(rules, Claim::Value(payoffs.clone()), proof)) {
                    Verdict::Rejected(rejection) => {
                        assert_eq!(rejection.step, "lemma 1", "{text}{rejection}")
                    }
                    other => panic!("{text}{other:?}"),
                }
            }
        }
    }
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds, ["loopy", "reply", "table"]);
}

#[test]
fn what_is_hidden_cannot_be_played_by() {
    let text = "game \"Hidden\"; players A, B; state { n: 0..3 = 3; secret: 0..1 = 0 hidden; }
move take(k: 1..2) { when k <= n; n -= k; } play normal;";
    let hidden = Arc::new(rules(GameSource::from_string("hidden", text), &[]));
    let open = case("open", rules(GameSource::from_string("open", &text.replace(" hidden", "")), &[]), false);
    let mut certificate = open.certificate.clone();
    certificate.header.rules = Digest::of_rules(&hidden);
    match verdict(&hidden, &certificate) {
        Verdict::Rejected(rejection) => assert!(rejection.reason.contains("hidden"), "{rejection}"),
        other => panic!("{other:?}"),
    }
}

/// Builds a certificate about the first position from a claim and lemmas.
fn by_hand(rules: &Arc<Rules>, claim: Claim, lemmas: Vec<Lemma>) -> Certificate {
    let header = Header {
        game: rules.name.clone(),
        players: rules.players().to_vec(),
        rules: Digest::of_rules(rules),
        params: Vec::new(),
        convention: Convention::of(rules),
        position: None,
        claim,
        tier: Tier::Explicit,
    };
    Certificate { header, lemmas, text: None }
}

fn first_answer(rules: &Arc<Rules>, reply: &str, rank: Option<u64>) -> Vec<StrategyReply> {
    let interpreter = Interpreter::new(rules.clone());
    vec![StrategyReply {
        key: PositionKey(interpreter.pack(&interpreter.initial())),
        rank,
        reply: reply.into(),
    }]
}

#[test]
fn who_can_stall_for_ever_does_not_lose() {
    let text = "game \"Stall\"; players A, B; state { s: 0..2 = 0; t: 0..1 = 0; }
move go() by A { when s = 0; s := 1; }
move stall() by B { t := 1 - t; again; }
move resign() by B { s := 2; }
end { when s = 2 => A wins; }";
    let rules = Arc::new(rules(GameSource::from_string("stall", text), &[]));
    let bound = PayoffBound { holder: Some(0), payoff: 1.into() };
    let claim = || Claim::Wins { player: 0, plies: None };
    let reply =
        Lemma::Reply(ReplyLemma { bound: bound.clone(), answers: first_answer(&rules, "go()", None) });
    let ranked = |rank| {
        let answers = first_answer(&rules, "go()", Some(rank));
        Lemma::Loopy(LoopyLemma { bound: bound.clone(), ending: InfinitePlay::Ranked, answers })
    };
    let safe = Lemma::Loopy(LoopyLemma {
        bound: bound.clone(),
        ending: InfinitePlay::Safe,
        answers: first_answer(&rules, "go()", None),
    });
    for (lemma, why) in [
        (reply, "can come back"),
        (ranked(2), "can come back"),
        (ranked(u64::from(u32::MAX)), "can come back"),
        (safe, "no rule gives the value of infinite play"),
    ] {
        match verdict(&rules, &by_hand(&rules, claim(), vec![lemma])) {
            Verdict::Rejected(rejection) => assert!(rejection.reason.contains(why), "{rejection}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn two_bounds_are_a_value_only_where_they_add_up() {
    let text = "game \"Gift\"; players A, B; state { given: 0..1? = none; }
move give(k: 0..1) { given := k; }
end { when given != none => payoff p: if p = A then given else given; }";
    let rules = Arc::new(rules(GameSource::from_string("gift", text), &[]));
    let bound = |player, payoff: i64, answers| {
        Lemma::Reply(ReplyLemma {
            bound: PayoffBound { holder: Some(player), payoff: payoff.into() },
            answers,
        })
    };
    // A is sure of 1 and B of 0, but B gets 1 as well: their interests are not opposed.
    let lemmas = || vec![bound(0, 1, first_answer(&rules, "give(1)", None)), bound(1, 0, Vec::new())];
    for payoffs in [[1, 0], [1, 1], [0, 0]] {
        let claim = Claim::Value(payoffs.map(Rational::from_integer).to_vec());
        match verdict(&rules, &by_hand(&rules, claim, lemmas())) {
            Verdict::Rejected(rejection) => assert_eq!(rejection.step, "claim", "{rejection}"),
            other => panic!("{other:?}"),
        }
    }
    let wins = Claim::Wins { player: 0, plies: None };
    assert!(
        matches!(verdict(&rules, &by_hand(&rules, wins, lemmas())), Verdict::Rejected(r) if r.step == "claim")
    );
}

#[test]
fn words_of_no_position_are_refused() {
    let rules = Arc::new(of_folder("tictactoe", &[]));
    let mut certificate = by_hand(&rules, Claim::Wins { player: 0, plies: None }, Vec::new());
    for words in [vec![], vec![u64::MAX], vec![0, 0], vec![3], vec![1 << 40], vec![0x3_ffff << 1]] {
        certificate.header.position = Some(PositionKey(words.clone().into()));
        match verdict(&rules, &certificate) {
            Verdict::Rejected(rejection) => assert!(rejection.step != "header", "{words:x?}: {rejection}"),
            other => panic!("{words:x?}: {other:?}"),
        }
    }
}

#[test]
fn a_position_is_named_by_its_words() {
    let game = Game::on_reference(of_folder("nim", &[]));
    let limits = Limits::default();
    let start = bouton_search::game::names::play_line(&game, &game.machine.initial(), "1-2").expect("a move");
    let start = &start.last().expect("a move").state;
    let solution = Auto
        .solve(&SolveRequest::new(&game, start, &SolveOptions::default(), &limits, &NoProgress))
        .expect("no fault");
    let wanted = CertificateOptions { strong: false, positions: None, limits: &limits };
    let made = certificate(&game, start, &solution, &wanted).expect("a certificate");
    assert!(made.header.position.is_some());
    assert!(matches!(verdict(&game.rules, &made), Verdict::Accepted(a) if a.claim.starts_with("First wins")));
    let mut other = made.clone();
    other.header.position = None;
    assert!(matches!(verdict(&game.rules, &other), Verdict::Rejected(r) if r.step == "lemma 1"));
}

#[test]
fn limits_are_no_acceptance() {
    let case = CertifiedGame::of("tictactoe", &[]);
    let few = Limits { positions: Some(10), ..Limits::default() };
    assert!(matches!(verify(&case.game.rules, &case.certificate, &few, None), Verdict::Limit(_)));
    assert!(matches!(
        verify(&case.game.rules, &case.certificate, &Limits::default(), Some(1000)),
        Verdict::Limit(_)
    ));
    let wanted = CertificateOptions { strong: false, positions: Some(50), limits: &Limits::default() };
    let start = case.game.machine.initial();
    assert!(
        certificate(&case.game, &start, &case.solution, &wanted)
            .expect_err("too large")
            .to_string()
            .contains("too large")
    );
}

#[test]
fn what_speaks_of_the_rules_is_their_meaning_not_their_words() {
    let bare = "game \"G\"; players A, B; state { n: 0..3 = 3; } move take(k: 1..2) { when k <= n; n -= k; } play normal;";
    let claims = format!("{bare} expect first wins; invariant n >= 0; symmetry none;");
    let hash = |text: &str| Digest::of_rules(&rules(GameSource::from_string("g", text), &[]));
    assert_eq!(hash(bare), hash(&claims));
    for other in [bare.replace("1..2", "1..3"), bare.replace("normal", "misere"), bare.replace("= 3", "= 2")]
    {
        assert_ne!(hash(bare), hash(&other), "{other}");
    }
    assert_eq!(
        hash(bare),
        hash(&bare.replace("state", "// a heap\nstate").replace("{ n", "{\n  /// left\n  n"))
    );
}

#[test]
fn a_damaged_text_is_refused_at_its_line() {
    let mut case = CertifiedGame::of("nim", &["heaps=[1, 2]"]);
    case.certificate.text = Some("game \"Nim\";\n\nplayers é, B;\r\n".into());
    let whole = cert::write(&case.certificate);
    assert_eq!(cert::parse(&whole).as_ref(), Ok(&case.certificate));
    let bytes = whole.as_bytes();
    for at in 0..bytes.len() {
        for bit in [0x01, 0x10, 0x20, 0x80] {
            let mut damaged = bytes.to_vec();
            damaged[at] ^= bit;
            if let Ok(text) = String::from_utf8(damaged) {
                let damage = cert::parse(&text).expect_err("a changed byte");
                assert!(damage.line <= whole.lines().count() + 1 && !damage.why.is_empty(), "{damage}");
            }
        }
        if whole.is_char_boundary(at) {
            assert!(cert::parse(&whole[..at]).is_err(), "cut after {at} bytes");
        }
    }
    let wrong = [
        (whole.replace("certificate 2\n", "certificate 3\n"), "version 3"),
        (whole.replace("certificate 2\n", "certificate 1\n"), "solving again writes a new one"),
        (format!("{whole}\n"), "should end"),
        (whole.replace("\nconvention normal", "\nconvention odd"), "not known"),
        (whole.replacen("lines ", "lines 99999999999999999999", 1), "not understood"),
        (whole.replacen("lines ", "lines 9999999999", 1), ""),
        (whole.replace("text lines", "text  lines"), ""),
    ];
    for (text, why) in wrong {
        let damage = cert::parse(&text).expect_err(why);
        assert!(damage.why.contains(why), "{damage}");
    }
}

#[test]
fn large_bodies_lie_in_several_chunks() {
    let case = case("three men", of_folder("three_mens_morris", &["diagonals=false"]), false);
    let text = cert::write(&case.certificate);
    assert!(text.matches("\nchunk lemma").count() > 2 || text.len() < 128 << 10, "{} bytes", text.len());
    let copy = Certificate {
        text: Some("x".repeat(50_000) + "\n" + &"y".repeat(50_000)),
        ..case.certificate.clone()
    };
    let text = cert::write(&copy);
    assert_eq!(text.matches("\nchunk text").count(), 2);
    assert_eq!(cert::parse(&text), Ok(copy));
}

/// Published values, of boards that are large for a certificate: six by four is the second player's.
#[test]
fn connect_four_on_four_rows() {
    let wanted: &[(&str, &str)] = &[("cols=4", "a draw"), ("cols=5", "a draw"), ("cols=6", "Yellow wins")];
    let many = if std::env::var_os("BOUTON_SLOW").is_some() { 3 } else { 1 };
    let limits = Limits::default();
    let options = SolveOptions { max_strategy_positions: usize::MAX, ..SolveOptions::default() };
    for (cols, claim) in &wanted[..many] {
        let game = Game::on_backend(of_folder("connect_four", &[cols, "rows=4"]), Backend::Jit, &[], &limits);
        let start = game.machine.initial();
        let solution = method("alphabeta")
            .solve(&SolveRequest::new(&game, &start, &options, &limits, &NoProgress))
            .expect("no fault");
        let wanted = CertificateOptions { strong: false, positions: None, limits: &limits };
        let made = certificate(&game, &start, &solution, &wanted).expect("a certificate");
        let read = cert::parse(&cert::write(&made)).expect("what was written is read");
        match verify(&game.rules, &read, &limits, None) {
            Verdict::Accepted(accepted) => assert_eq!(accepted.claim, *claim, "{cols}"),
            other => panic!("{cols}: {other:?}"),
        }
    }
}

#[test]
fn strategies_that_searches_list_are_accepted_and_nothing_else_is() {
    let limits = Limits::default();
    let options = SolveOptions { max_strategy_positions: usize::MAX, ..SolveOptions::default() };
    // Domineering has two players, no `evaluate` and no additive scores; these methods need other games.
    let others = ["astar", "ida-star", "scores", "dfpn-plus", "widening"];
    let games = [
        (
            "domineering",
            &["cols=4", "rows=4"][..],
            SOLVERS
                .into_iter()
                .filter(|m| !m.enumerates() && !others.contains(&m.name()))
                .collect::<Vec<_>>(),
        ),
        // A draw needs a strategy for each player; a player may move again.
        ("connect_four", &["cols=4", "rows=3"], vec![method("alphabeta"), method("dfpn")]),
        ("kalah", &["m=2", "s=2"], vec![method("alphabeta"), method("pns")]),
        ("dots_and_boxes", &["cols=2", "rows=2"], vec![method("scores")]),
    ];
    for (name, settings, methods) in games {
        let game = Game::on_backend(of_folder(name, settings), Backend::Jit, &[], &limits);
        let start = game.machine.initial();
        for method in methods {
            let solution = method
                .solve(&SolveRequest::new(&game, &start, &options, &limits, &NoProgress))
                .expect("no fault");
            let wanted = CertificateOptions { strong: false, positions: None, limits: &limits };
            let made = certificate(&game, &start, &solution, &wanted)
                .unwrap_or_else(|why| panic!("{name} {method:?}: {why}"));
            let read = cert::parse(&cert::write(&made)).expect("what was written is read");
            let verdict = verify(&game.rules, &read, &limits, None);
            assert!(matches!(verdict, Verdict::Accepted(_)), "{name} {method:?}: {verdict:?}");
            let mut short = made.clone();
            let Lemma::Reply(reply) = &mut short.lemmas[0] else {
                panic!("{name} {method:?}: {:?}", made.lemmas)
            };
            reply.answers.pop();
            assert!(
                matches!(verify(&game.rules, &short, &limits, None), Verdict::Rejected(_)),
                "{name} {method:?}"
            );
        }
        // Without the option there is no strategy.
        let solution = method("dfpn")
            .solve(&SolveRequest::new(&game, &start, &SolveOptions::default(), &limits, &NoProgress))
            .expect("no fault");
        assert!(solution.replies.is_none());
        // A strategy above the limit is refused, with the reason.
        let few = SolveOptions { max_strategy_positions: 1, ..options };
        let solution = method("dfpn")
            .solve(&SolveRequest::new(&game, &start, &few, &limits, &NoProgress))
            .expect("no fault");
        assert!(
            solution.replies.is_some_and(|replies| replies.is_err_and(|why| why.contains("--certificate"))),
            "{name}"
        );
    }
}
