//! The kinds that list or visit positions: TABLE, REPLY, LOOPY and AUTOMATON.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bouton_base::automaton::Automaton;
use bouton_base::limits::{LimitHit, Limits};
use bouton_base::rational::Rational;
use bouton_certificates::{
    AutomatonLemma, Certificate, Claim, InfinitePlay, Lemma, LoopyLemma, PayoffBound, PositionKey,
    ReplyLemma, StrategyReply, TableLemma, ValuedPosition,
};
use bouton_checker::Verdict;
use bouton_reference::Interpreter;
use bouton_rules::{Rules, ToMove};
use bouton_verify::{RulesRequest, RulesSource, check_text};

use super::{Mismatches, certificate, key, rules, strategy, win, wins};

/// Two moves of one or two from three: the first player takes all.
const TAKE: &str = "game \"Take\"; players A, B; state { n: 0..4 = 4; }\n\
    move take(k: 1..2) { when k <= n; n -= k; }\nplay normal;\n";

/// B may stay where he is for ever.
const STALL: &str = "game \"Stall\"; players A, B; state { s: 0..2 = 0; t: 0..1 = 0; }\n\
    move go() by A { when s = 0; s := 1; }\nmove stall() by B { t := 1 - t; again; }\n\
    move resign() by B { s := 2; }\nend { when s = 2 => A wins; }\n";

/// A move that can be taken back.
const TURN: &str = "game \"Turn\"; players A, B; state { s: 0..2 = 0; }\n\
    move turn() { when s < 2; s := 1 - s; }\nend { when s = 2 => draw; }\n";

pub const AT_ONCE: &str = "game \"At once\"; players A, B; phases { show by each; }\n\
    state { shown[p: Player]: 1..2? = none; }\nmove show(k: 1..2) in show { shown[me] := k; }\n\
    end { when shown[A] != none and shown[A] = shown[B] => A wins; when shown[A] != none => B wins; }\n";

const THREE: &str = "game \"Three\"; players A, B, C; state { n: 0..3 = 3; }\n\
    move take() { when n > 0; n -= 1; }\nend { when n = 0 => mover wins; }\n";

fn reply(bound: PayoffBound, answers: Vec<StrategyReply>) -> Vec<Lemma> {
    vec![Lemma::Reply(ReplyLemma { bound, answers })]
}

/// Returns a reply in the first position.
fn first(rules: &Arc<Rules>, reply: &str, rank: Option<u64>) -> Vec<StrategyReply> {
    let key = key(rules, &Interpreter::new(rules.clone()).initial());
    vec![StrategyReply { key, rank, reply: reply.into() }]
}

/// Gives each position the value of its best move for the player to move.
fn table(rules: &Arc<Rules>) -> Vec<ValuedPosition> {
    fn value(of: &Interpreter, state: &bouton_reference::State, all: &mut Vec<ValuedPosition>) -> Rational {
        let (turn, moves) = of.expand(state).expect("no fault");
        let next: Vec<Rational> = moves.iter().map(|(_, after, _)| value(of, after, all)).collect();
        let value = match turn {
            ToMove::Terminal(outcome) => return outcome.payoffs[0].clone(),
            ToMove::Player(0) => next.iter().max().cloned(),
            ToMove::Chance => Some(next.iter().zip(&moves).map(|(value, (.., share))| value * share).sum()),
            _ => next.iter().min().cloned(),
        };
        let value = value.expect("a move");
        all.push(ValuedPosition { key: PositionKey(of.pack(state)), value: value.clone() });
        value
    }
    let (interpreter, mut all) = (Interpreter::new(rules.clone()), Vec::new());
    value(&interpreter, &interpreter.initial(), &mut all);
    all.sort_by(|a, b| a.key.cmp(&b.key));
    all.dedup();
    all
}

#[test]
fn false_replies() {
    let take = rules(TAKE);
    let whole = strategy(&take, win(0));
    let mut wrong = Mismatches::default();
    let mut refused = |expected: &str, change: &dyn Fn(&mut PayoffBound, &mut Vec<StrategyReply>)| {
        let (mut bound, mut answers) = (win(0), whole.clone());
        change(&mut bound, &mut answers);
        wrong.lemma(expected, &take, reply(bound, answers));
    };
    refused("accepted: {}", &|_, _| {});
    refused("an answer has a rank, which this kind does not have", &|_, all| all[0].rank = Some(1));
    refused("there is no such player", &|bound, _| bound.holder = Some(2));
    refused("the claim that no play gives more is for one player only", &|bound, _| bound.holder = None);
    refused("its positions are not in order", &|_, all| all.reverse());
    refused("play by the strategy never reaches the position {key} that it lists", &|_, all| {
        all.insert(0, StrategyReply { key: PositionKey([0].into()), rank: None, reply: "take(1)".into() });
    });
    refused("the strategy has no answer here", &|_, all| drop(all.pop()));
    refused("the answer `{}` is not a legal move", &|_, all| all[0].reply = "take(9)".into());
    refused("{what} gives {name} {payoff}, {more} {}", &|bound, _| bound.payoff = 2.into());
    let stall = rules(STALL);
    let answers = first(&stall, "go()", None);
    wrong.lemma("play by the strategy can come back to this position", &stall, reply(win(0), answers));
    let at_once = rules(AT_ONCE);
    wrong.lemma(
        "players choose simultaneously, which this kind does not support",
        &at_once,
        reply(win(0), Vec::new()),
    );
    let stuck = rules(
        "game \"Stuck\"; players A, B; state { s: 0..2 = 0; }\nmove go() { when s = 0; s := 1; }\n\
         end { when s = 2 => A wins; }\n",
    );
    let nobody = "the game is not over and nobody can move ({turn:?})";
    wrong.lemma(nobody, &stuck, reply(win(0), first(&stuck, "go()", None)));
    let fault = rules(
        "game \"Fault\"; players A, B; state { s: 0..2 = 0; }\nmove go(k: 1..2) { s += k; }\nplay normal;\n",
    );
    wrong.lemma("the rules have no meaning here ({fault})", &fault, reply(win(1), Vec::new()));
}

#[test]
fn false_loops() {
    let (take, stall) = (rules(TAKE), rules(STALL));
    let ranked = |rules: &Arc<Rules>, change: &dyn Fn(&mut Vec<StrategyReply>)| {
        let mut answers = strategy(rules, win(0));
        // Ranks are lengths of play: after the answer of the first position come two more moves.
        let last = answers.len() - 1;
        for (place, answer) in answers.iter_mut().enumerate() {
            answer.rank = Some(if place == last { 3 } else { 1 });
        }
        change(&mut answers);
        vec![Lemma::Loopy(LoopyLemma { bound: win(0), ending: InfinitePlay::Ranked, answers })]
    };
    let mut wrong = Mismatches::default();
    wrong.lemma("accepted: {}", &take, ranked(&take, &|_| {}));
    wrong.lemma(
        "either every answer has a rank or none has",
        &take,
        ranked(&take, &|all| all[0].rank = None),
    );
    wrong.lemma(
        "a rank is larger than any play is long",
        &take,
        ranked(&take, &|all| all[0].rank = Some(1 << 40)),
    );
    wrong.lemma(
        "the rank {rank} does not fall: after the answer play can take {longest} plies from here",
        &take,
        ranked(&take, &|all| all.last_mut().expect("one").rank = Some(1)),
    );
    wrong.lemma(
        "the rank is {rank}, and play takes at most {longest} plies from here",
        &take,
        ranked(&take, &|all| all.last_mut().expect("one").rank = Some(9)),
    );
    let loopy = |ending, rank| {
        let answers = first(&stall, "go()", rank);
        vec![Lemma::Loopy(LoopyLemma { bound: win(0), ending, answers })]
    };
    wrong.lemma(
        "without an answer of the strategy, play can come back to this position",
        &stall,
        loopy(InfinitePlay::Ranked, Some(2)),
    );
    wrong.lemma("no rule gives the value of infinite play", &stall, loopy(InfinitePlay::Safe, None));
    // A safe set in which infinite play is lost.
    let lost = rules(&STALL.replace("A wins; }", "A wins; repeat => B wins; }"));
    let answers = first(&lost, "go()", None);
    let safe = Lemma::Loopy(LoopyLemma { bound: win(0), ending: InfinitePlay::Safe, answers });
    wrong.lemma("{what} gives {name} {payoff}, {more} {}", &lost, vec![safe]);
}

#[test]
fn false_tables() {
    let take = rules(TAKE);
    let whole = table(&take);
    let claim = || Claim::Value(vec![1.into(), (-1).into()]);
    let mut wrong = Mismatches::default();
    let mut refused = |expected: &str, change: &dyn Fn(&mut Vec<ValuedPosition>)| {
        let mut values = whole.clone();
        change(&mut values);
        let lemma = Lemma::Table(TableLemma { values });
        wrong.certificate(expected, &take, &certificate(&take, claim(), vec![lemma]));
    };
    refused("accepted: {}", &|_| {});
    refused("its positions are not in order", &|all| all.reverse());
    refused("its positions are not in order", &|all| all.insert(0, all[0].clone()));
    refused("the position is not listed", &|all| drop(all.pop()));
    refused("the value {listed} is listed, and {what} gives {right}", &|all| all[0].value = 0.into());
    refused("play never reaches the position {} that it lists", &|all| {
        all.push(ValuedPosition { key: PositionKey([1 << 20].into()), value: 0.into() });
    });
    let end = Interpreter::new(take.clone());
    let after = |state: &bouton_reference::State| end.expand(state).expect("no fault").1.swap_remove(0).1;
    let over = (0..4).fold(end.initial(), |state, _| after(&state));
    refused("the game is over here, and the position is listed", &|all| {
        all.push(ValuedPosition { key: PositionKey(end.pack(&over)), value: 1.into() });
        all.sort_by(|a, b| a.key.cmp(&b.key));
    });
    let mut other = |expected: &str, text: &str, values: &dyn Fn(&Arc<Rules>) -> Vec<ValuedPosition>| {
        let rules = rules(text);
        wrong.lemma(expected, &rules, vec![Lemma::Table(TableLemma { values: values(&rules) })]);
    };
    other("perfect play has a single value only for one player or two", THREE, &|_| Vec::new());
    let first = |rules: &Arc<Rules>| {
        let key = key(rules, &Interpreter::new(rules.clone()).initial());
        vec![ValuedPosition { key, value: 0.into() }]
    };
    other("players choose simultaneously, which this kind does not support", AT_ONCE, &first);
    let gift = "game \"Gift\"; players A, B; state { given: 0..1? = none; }\n\
        move give(k: 0..1) { given := k; }\n\
        end { when given != none => payoff p: if p = A then given else given; }\n";
    other("the payoffs of the ends do not add up to one sum", gift, &table);
    let both = |rules: &Arc<Rules>| {
        let of = Interpreter::new(rules.clone());
        let mut seen = vec![of.initial()];
        let mut at = 0;
        while at < seen.len() {
            for (_, after, _) in of.expand(&seen[at].clone()).expect("no fault").1 {
                if !seen.contains(&after) {
                    seen.push(after);
                }
            }
            at += 1;
        }
        let valued = seen.iter().map(|state| ValuedPosition { key: key(rules, state), value: 0.into() });
        let mut all: Vec<ValuedPosition> = valued.collect();
        all.sort_by(|a, b| a.key.cmp(&b.key));
        all
    };
    other("play can come back to this position, and a table needs a finite game", TURN, &both);
}

/// A gives 1 to B or to C: what he gets, and what remains of the sum, is no value of B.
#[test]
fn tables_of_three_players() {
    let gift = rules(
        "game \"Gift\"; players A, B, C; state { given: 1..2? = none; }\nmove give(k: 1..2) { given := k; }\n\
         end { when given = 1 => payoff p: if p = B then 1 else 0;\n\
         when given = 2 => payoff p: if p = C then 1 else 0; }\n",
    );
    let start = key(&gift, &Interpreter::new(gift.clone()).initial());
    let values = vec![ValuedPosition { key: start, value: 0.into() }];
    let claim = Claim::AtLeast { player: 1, payoff: 1.into() };
    let expected = "perfect play has a single value only for one player or two";
    let table = vec![Lemma::Table(TableLemma { values })];
    Mismatches::default().certificate(expected, &gift, &certificate(&gift, claim, table));
}

/// The row of two cells of which a move fills one: the player who finds none free loses.
const ROW: &str = "game \"Row\"; players A, B; type Cell = 1..2; state { full: set of Cell = {}; }\n\
    move put(c: Cell) { when c not in full; full |= { c }; }\nplay normal;\n";

#[test]
fn false_automata() {
    let row = rules(ROW);
    // Lost where the number of full cells is even, as it is first.
    let whole = Automaton { accepting: vec![true, false], next: vec![vec![0, 1], vec![1, 0]] };
    let mut wrong = Mismatches::default();
    let automaton = |bound, lost| vec![Lemma::Automaton(AutomatonLemma { bound, lost })];
    let of = |rules: &Arc<Rules>, player: u32, lost: &Automaton| {
        certificate(rules, wins(player), automaton(win(player), lost.clone()))
    };
    wrong.certificate("accepted: {}", &row, &of(&row, 1, &whole));
    wrong.certificate("the automaton says that the other player wins", &row, &of(&row, 0, &whole));
    let double =
        Automaton { accepting: vec![true, false, true], next: vec![vec![2, 1], vec![1, 0], vec![0, 1]] };
    let minimal = "it is not a minimal automaton with its states in the order of their words";
    wrong.certificate(minimal, &row, &of(&row, 1, &double));
    let ternary = Automaton { accepting: vec![true], next: vec![vec![0]] };
    wrong.certificate("the automaton cannot read this position", &row, &of(&row, 1, &ternary));
    let never = Automaton { accepting: vec![false], next: vec![vec![0, 0]] };
    wrong.certificate("the automaton does not say how the game ended", &row, &of(&row, 0, &never));
    // Right about the end and wrong about the first row.
    let both =
        Automaton { accepting: vec![false, false, true], next: vec![vec![0, 1], vec![0, 2], vec![0, 2]] };
    wrong.certificate(
        "the automaton says that it is {says}, and {moves} to what it says is lost",
        &row,
        &of(&row, 0, &both),
    );
    let at_once = rules(AT_ONCE);
    let any = Automaton { accepting: vec![false], next: vec![vec![0; 3]] };
    wrong.certificate("it is not the turn of one player", &at_once, &of(&at_once, 0, &any));
    let turn = rules(TURN);
    let lost = Automaton { accepting: vec![false], next: vec![vec![0, 0, 0]] };
    wrong.certificate("play can come back to this position", &turn, &of(&turn, 0, &lost));
}

/// A die with a hundred faces, which does not matter.
const DICE: &str = "game \"Dice\"; players A, B; phases { roll by chance; act; }\n\
    state { x: 0..100 = 0; done: bool = false; }\n\
    chance throw(k: 1..100) in roll { x := k; continue act; }\nmove stop() in act { done := true; }\n\
    end { when done => payoff p: if p = A then 1 else -1; }\n";

/// The mean of a hundred long fractions without common divisors would take hours.
#[test]
fn endless_arithmetic_ends_at_the_limits() {
    let dice = rules(DICE);
    let interpreter = Interpreter::new(dice.clone());
    let (_, throws) = interpreter.expand(&interpreter.initial()).expect("no fault");
    let long = |place: usize| -> Rational {
        let digits = format!("1/1{}{:03}", "0".repeat(9_000), 2 * place + 1);
        digits.parse().expect("a fraction")
    };
    let listed = throws.iter().enumerate().map(|(place, (_, after, _))| (key(&dice, after), long(place)));
    let first = (key(&dice, &interpreter.initial()), Rational::ONE);
    let listed = listed.chain([first]).map(|(key, value)| ValuedPosition { key, value });
    let mut values: Vec<ValuedPosition> = listed.collect();
    values.sort_by(|a, b| a.key.cmp(&b.key));
    let claim = Claim::Value(vec![Rational::ONE, Rational::from_integer(-1)]);
    let made = certificate(&dice, claim, vec![Lemma::Table(TableLemma { values })]);
    let written = bouton_certificates::write(&Certificate { text: Some(DICE.into()), ..made });
    let request = RulesRequest { source: RulesSource::Certificate, settings: &[], preset: None };
    let limits = Limits { deadline: Some(Instant::now() + Duration::from_secs(3)), ..Limits::default() };
    let outcome = check_text(written, &request, &limits).ok().expect("a certificate and its rules");
    assert_eq!(outcome.verdict, Verdict::Limit(LimitHit::Time));
}

/// A setting of a certificate must not be read from a file of the reader, however it is written.
#[test]
fn a_certificate_names_no_file() {
    let text = "game \"Level\"; param level: text = \"..\"; players A, B; state { x: bool = false; }\n\
        move go() { when not x and level.columns > 1; x := true; }\nplay normal;\n";
    let level = rules(text);
    let made = certificate(&level, Claim::Wins { player: 0, plies: None }, Vec::new());
    let made = Certificate { text: Some(text.into()), ..made };
    for (name, value) in
        [("level", "@Cargo.toml"), ("level", " @Cargo.toml"), ("level", "\t@Cargo.toml"), ("level= @x", "1")]
    {
        let mut forged = made.clone();
        forged.header.params = vec![(name.into(), value.into())];
        let written = bouton_certificates::write(&forged);
        let request = RulesRequest { source: RulesSource::Certificate, settings: &[], preset: None };
        let outcome =
            check_text(written, &request, &Limits::default()).ok().expect("a certificate and its rules");
        let Verdict::Rejected(rejection) = outcome.verdict else { panic!("{value}: {:?}", outcome.verdict) };
        let told = (rejection.step.as_str(), rejection.reason.as_str());
        assert_eq!(told, ("rules", "a parameter of it has no value"), "{value}");
    }
}
