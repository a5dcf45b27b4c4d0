//! Forged bodies: ranks in circles, parts used twice, words of positions that are none, and the like.

use std::sync::Arc;

use bouton_certificates::mirror::FluentImage;
use bouton_certificates::parity::Modulus;
use bouton_certificates::product::ProductComponent;
use bouton_certificates::quotient::ComponentElement;
use bouton_certificates::sum::{ListedComponent, ValuedComponent};
use bouton_certificates::{
    AnswersLemma, BehaviourLemma, Claim, ExchangeLemma, InfinitePlay, Lemma, LoopyLemma, MirrorLemma,
    ParityLemma, PayoffBound, PositionKey, ProductLemma, QuotientLemma, ReplyLemma, StrategyReply, SumLemma,
    TableLemma, ValuedPosition,
};
use bouton_reference::Interpreter;
use bouton_rules::{Rules, ToMove};

use super::alone::{Opening, pairing};
use super::components::{first, region};
use super::explicit::AT_ONCE;
use super::{Mismatches, certificate, key, positions, rules, win, wins};

/// Four points in a circle, which both go round; B may leave it at any time and lose.
const CIRCLE: &str = "game \"Circle\"; players A, B; state { at: 0..4 = 0; }\n\
    move on() { when at < 4; at := (at + 1) mod 4; }\nmove leave() by B { at := 4; }\n\
    end { when at = 4 => A wins; }\n";

/// Returns the replies `on()` of A, with these ranks.
fn round(rules: &Arc<Rules>, ranks: [Option<u64>; 2]) -> Vec<StrategyReply> {
    let interpreter = Interpreter::new(rules.clone());
    let own = positions(rules)
        .into_iter()
        .filter(|at| matches!(interpreter.expand(at), Ok((ToMove::Player(0), _))));
    let reply = |(state, rank)| StrategyReply { key: key(rules, &state), rank, reply: "on()".into() };
    let mut replies: Vec<StrategyReply> = own.zip(ranks).map(reply).collect();
    replies.sort_by(|a, b| a.key.cmp(&b.key));
    replies
}

#[test]
fn ranks_in_a_circle() {
    let circle = rules(CIRCLE);
    let mut wrong = Mismatches::default();
    let most = u64::from(u32::MAX);
    let loopy =
        |ending, ranks| Lemma::Loopy(LoopyLemma { bound: win(0), ending, answers: round(&circle, ranks) });
    let falls = "the rank {rank} does not fall: after the answer play can take {longest} plies from here";
    for (expected, ranks) in [
        (falls, [1, 3]),
        (falls, [1, 1]),
        (falls, [3, 3]),
        (falls, [3, 1]),
        (falls, [most, most - 2]),
        (falls, [most - 2, most]),
        ("a rank is larger than any play is long", [most + 1, most - 1]),
        ("a rank is larger than any play is long", [u64::MAX, u64::MAX]),
    ] {
        wrong.lemma(expected, &circle, [loopy(InfinitePlay::Ranked, ranks.map(Some))]);
    }
    wrong.lemma("no rule gives the value of infinite play", &circle, [loopy(InfinitePlay::Safe, [None; 2])]);
    let back = "play by the strategy can come back to this position";
    let reply = Lemma::Reply(ReplyLemma { bound: win(0), answers: round(&circle, [None; 2]) });
    wrong.lemma(back, &circle, [reply]);
    // Endless play is worth what the rule says, to each of the players who are to move in it.
    for (outcome, gets) in [("draw", 0), ("B wins", -1), ("mover wins", 1)] {
        let text = CIRCLE.replace("A wins; }", &format!("A wins; repeat => {outcome}; }}"));
        let circle = rules(&text);
        let safe = |payoff: i64| {
            let bound = PayoffBound { holder: Some(0), payoff: payoff.into() };
            Lemma::Loopy(LoopyLemma { bound, ending: InfinitePlay::Safe, answers: round(&circle, [None; 2]) })
        };
        let of = |payoff: i64| {
            certificate(&circle, Claim::AtLeast { player: 0, payoff: payoff.into() }, vec![safe(payoff)])
        };
        let given = "{what} gives {name} {payoff}, {more} {}";
        wrong.certificate(given, &circle, &of(1));
        wrong.certificate(if gets == 0 { "accepted: {}" } else { given }, &circle, &of(0));
        wrong.certificate("accepted: {}", &circle, &of(-1));
    }
}

/// A position may be given by words, but only by those that the definition packs it to.
#[test]
fn words_of_other_positions() {
    let once = rules(
        "game \"Once\"; players A, B; state { at: 0..2 = 0; }\nmove on(k: 1..2) { at := (at + k) mod 3; }\n\
         forbid repeat of at;\nplay normal;\n",
    );
    let mut wrong = Mismatches::default();
    let start = first(&once).0;
    for words in [
        &[][..],
        &[u64::MAX],
        &[start[0], 0, 0],
        &[start[0], u64::MAX],
        &[start[0], 2, start[0]],
        &[start[0], 1 << 60, 1, 2, 3],
        &[start[0] | 1 << 63, 0],
        &start[..1],
    ] {
        let mut forged = certificate(&once, wins(0), Vec::new());
        forged.header.position = Some(PositionKey(words.into()));
        wrong.certificate("its words are those of no position", &once, &forged);
    }
}

const HIDDEN: &str = "game \"Hidden\"; players A, B; state { shown[p: Player]: 1..2? = none visible to p; }\n\
    private move show(k: 1..2) { shown[me] := k; }\n\
    end { when shown[B] != none and shown[A] = shown[B] => A wins; when shown[B] != none => B wins; }\n";

/// Strategies that see what is hidden: B answers each coin of A by the other one.
#[test]
fn strategies_that_see_what_is_hidden() {
    let hidden = rules(HIDDEN);
    let interpreter = Interpreter::new(hidden.clone());
    let mut answers = Vec::new();
    let mut values = vec![ValuedPosition { key: first(&hidden), value: (-1).into() }];
    for (play, after, _) in interpreter.expand(&interpreter.initial()).expect("no fault").1 {
        let other = if interpreter.call_form(&play) == "show(1)" { "show(2)" } else { "show(1)" };
        answers.push(StrategyReply { key: key(&hidden, &after), rank: None, reply: other.into() });
        values.push(ValuedPosition { key: key(&hidden, &after), value: (-1).into() });
    }
    answers.sort_by(|a, b| a.key.cmp(&b.key));
    values.sort_by(|a, b| a.key.cmp(&b.key));
    let reply = Lemma::Reply(ReplyLemma { bound: win(1), answers: answers.clone() });
    let loopy = Lemma::Loopy(LoopyLemma { bound: win(1), ending: InfinitePlay::Safe, answers });
    let table = Lemma::Table(TableLemma { values });
    let half = vec![bouton_base::rational::Rational::new(1, 2); 2];
    let none = PayoffBound { holder: Some(1), payoff: 0.into() };
    let fair = Lemma::Behaviour(BehaviourLemma { bound: none, choices: vec![half] });
    let mut wrong = Mismatches::default();
    let unseen = "information is hidden from a player, and a strategy that uses it proves nothing";
    for lemmas in [vec![reply.clone()], vec![loopy], vec![table], vec![fair.clone(), reply], Vec::new()] {
        wrong.certificate(unseen, &hidden, &certificate(&hidden, wins(1), lemmas));
    }
    let loose = "it does not follow from the lemmas";
    wrong.certificate(loose, &hidden, &certificate(&hidden, wins(1), vec![fair]));
}

#[test]
fn a_behaviour_of_a_player_who_does_not_choose() {
    let alone = rules(&AT_ONCE.replace(
        "when shown[A] != none and shown[A]",
        "when shown[A] = 2 => B wins; when shown[A] != none and shown[A]",
    ));
    let whole = vec![vec![1.into(), 0.into()]; 2];
    let lemma = Lemma::Behaviour(BehaviourLemma { bound: win(0), choices: whole });
    let sets = "it lists {} information sets, and the player has {}";
    Mismatches::default().lemma(sets, &alone, [lemma]);
}

/// Two heaps, of which a move lowers one.
const HEAPS: &str = "game \"Heaps\"; players A, B; state { l: 0..2 = 2; r: 0..2 = 2; }\n\
    move left(k: 1..2) { when k <= l; l -= k; }\nmove right(k: 1..2) { when k <= r; r -= k; }\nplay normal;\n";

#[test]
fn components_that_are_none() {
    let heaps = rules(HEAPS);
    let start = first(&heaps);
    let over = first(&rules(&HEAPS.replace("= 2; r: 0..2 = 2", "= 0; r: 0..2 = 0")));
    let one = |position: &PositionKey, fluents: &[u32], nimber| ValuedComponent {
        component: region(position, fluents),
        nimber,
    };
    let heap = |fluent| ValuedComponent { component: ListedComponent::Heap { fluent }, nimber: 0 };
    let mut wrong = Mismatches::default();
    let mut sum = |expected: &str, components: &[ValuedComponent]| {
        let lemma = Lemma::Sum(SumLemma { bound: win(0), components: components.to_vec() });
        wrong.lemma(expected, &heaps, [lemma]);
    };
    let none = "one of its components is not one of the position that it is listed with";
    sum(none, &[one(&start, &[], 0)]);
    sum(none, &[one(&start, &[0], 0)]);
    sum(none, &[one(&start, &[2, 2], 0)]);
    sum(none, &[one(&start, &[3, 2], 0)]);
    sum(none, &[one(&over, &[2], 0)]);
    sum("its components are not all listed", &[]);
    sum("its components are not all listed", &[heap(0)]);
    sum("its components are not all listed", &[heap(1)]);
    sum("a move on heaps does something else than replace one by others", &[heap(2)]);
    sum("a kind of heap is listed twice, or is no fluent", &[heap(0), heap(0)]);
    sum("a move leads to components that are not listed before its own", &[one(&start, &[2], u32::MAX)]);
    let mut product = |expected: &str, parts: &[(&[u32], i64)]| {
        let listed = |(fluents, of): &(&[u32], i64)| ProductComponent {
            fluents: fluents.to_vec(),
            value: (*of).into(),
        };
        let lemma = Lemma::Product(ProductLemma { components: parts.iter().map(listed).collect() });
        wrong.lemma(expected, &heaps, [lemma]);
    };
    let others = "its components are not those of the position";
    for parts in [
        &[][..],
        &[(&[2, 3][..], 1)],
        &[(&[2], 1), (&[2, 3], 0)],
        &[(&[2], 1), (&[2], 0), (&[3], 0)],
        &[(&[0], 0), (&[2, 3], 1)],
        &[(&[2], 0), (&[99], 1)],
        &[(&[3], 0), (&[2], 1)],
    ] {
        product(others, parts);
    }
    product("an end depends on the turn", &[(&[], 0), (&[2, 3], 1)]);
    product("the moves on one component depend on the moves on another", &[(&[2], 1), (&[3], 0)]);
}

#[test]
fn monoids_that_say_nothing() {
    let nim = rules(
        "game \"Nim\"; players A, B; type Heap = 1..2; state { size[h: Heap]: 0..1 = 1; }\n\
         move take(h: Heap) { when size[h] > 0; size[h] -= 1; }\nplay misere;\n",
    );
    let start = first(&nim);
    let mut wrong = Mismatches::default();
    let mut of = |expected: &str, products: &[&[u8]], lost: &[u8], element: u8| {
        let component = ComponentElement { component: region(&start, &[2]), element };
        let products = products.iter().map(|row| row.to_vec()).collect();
        let lemma =
            QuotientLemma { bound: win(1), products, lost: lost.to_vec(), components: vec![component] };
        wrong.certificate(expected, &nim, &certificate(&nim, wins(1), vec![Lemma::Quotient(lemma)]));
    };
    let none = "there is no such element";
    let marks = "the certificate marks the product {product} as {which} {reason}";
    of(none, &[], &[], 0);
    of(none, &[&[0, 1]], &[], 0);
    of(none, &[&[0, 1], &[1]], &[1], 1);
    of(none, &[&[0, 1], &[1, 9]], &[1], 1);
    of(none, &[&[0, 1], &[1, 0]], &[1, 1], 1);
    of(none, &[&[0, 1], &[1, 0]], &[9], 1);
    of(none, &vec![&[0u8; 65][..]; 65], &[], 0);
    of(marks, &[&[0]], &[], 0);
    of(marks, &[&[0]], &[0], 0);
    of(marks, &[&[0, 1], &[1, 1]], &[1], 1);
    of("the other player wins by the product of the components", &[&[0, 1], &[1, 0]], &[1], 1);
}

fn image(from: u32, to: u32, values: &[u8]) -> FluentImage {
    FluentImage { from, to, values: values.to_vec() }
}

const ROW: &str = "game \"Row\"; players A, B; type Cell = 1..3; state { full: set of Cell = {}; }\n\
    move put(c: Cell) { when c not in full; full |= { c }; }\nplay normal;\n";

#[test]
fn answers_of_nobody() {
    let row = rules(ROW);
    let mut wrong = Mismatches::default();
    let outer = [image(2, 4, &[0, 1]), image(4, 2, &[0, 1])];
    let mut mirror = |expected: &str, player, opening: Option<&str>, images: &[FluentImage]| {
        let lemma =
            MirrorLemma { bound: win(player), opening: opening.map(String::from), images: images.to_vec() };
        wrong.lemma(expected, &row, [Lemma::Mirror(lemma)]);
    };
    mirror("accepted: {}", 0, Some("put(2)"), &outer);
    mirror("the opening `{opening}` is not a legal move", 1, Some("put(2)"), &outer);
    mirror("the opening `{opening}` is not a legal move", 0, Some("put(2) "), &outer);
    let meet = "a move of the other player and its image meet (at `{place}` or near)";
    mirror(meet, 1, None, &outer);
    mirror("the position where the answers begin is not symmetric", 0, Some("put(1)"), &outer);
    // The player to move and a cell change places.
    let turned = [image(0, 2, &[1, 0]), image(2, 0, &[1, 0])];
    mirror("the position where the answers begin is not symmetric", 1, None, &turned);
    // The second image of a cell replaces the first.
    mirror(meet, 1, None, &[image(2, 4, &[0, 1]), image(2, 2, &[0, 1])]);
    mirror("the symmetry sends two fluents or values to one", 1, None, &[image(2, 2, &[0, 1, 2])]);
    let mut answers = |expected: &str, opening: Option<&str>, pairs: &[(&str, &str)]| {
        let pairs = pairs.iter().map(|(made, answer)| ((*made).into(), (*answer).into())).collect();
        let lemma = AnswersLemma { bound: win(0), opening: opening.map(String::from), pairs };
        wrong.lemma(expected, &row, [Lemma::Answers(lemma)]);
    };
    answers("accepted: {}", Some("put(2)"), &[("put(1)", "put(3)"), ("put(3)", "put(1)")]);
    let open = "`{name}` may be made and has no answer";
    let illegal = "the answer to `{name}` is not always legal";
    answers(illegal, Some("put(2)"), &[("put(1)", "put(1)"), ("put(3)", "put(1)")]);
    answers(illegal, Some("put(2)"), &[("put(1)", "put(3)"), ("put(1)", "put(1)"), ("put(3)", "put(1)")]);
    answers(open, Some("put(2)"), &[("put(1)", "put(3)")]);
    answers(open, Some("put(2)"), &[]);
    answers(
        "the answer to `{name}` is never needed",
        Some("put(2)"),
        &[("put(1)", "put(3)"), ("put(2)", "put(1)"), ("put(3)", "put(1)")],
    );
    answers("it is not the other player's turn where the answers begin", None, &[("put(1)", "put(3)")]);
    let mut parity = |expected: &str, modulus, weights: &[(u32, &[u8])]| {
        let weights = weights.iter().map(|(fluent, values)| (*fluent, values.to_vec())).collect();
        wrong.lemma(
            expected,
            &row,
            [Lemma::Parity(ParityLemma { bound: win(1), modulus: Modulus(modulus), weights })],
        );
    };
    let whole: [(u32, &[u8]); 4] = [(0, &[1]), (2, &[1]), (3, &[1]), (4, &[1])];
    let possible = "the sum does not rule out an end that gives the holder less";
    parity(possible, 2, &whole);
    parity(possible, 1, &whole);
    parity("a sum is taken modulo 0", 0, &whole);
    parity("`{name}` changes the sum", u32::MAX, &whole);
    parity("`{name}` changes the sum", 2, &whole[..1]);
    // The second entry of a cell replaces the first.
    parity("`{name}` changes the sum", 2, &[(0, &[1]), (2, &[1]), (2, &[1, 1]), (3, &[1]), (4, &[1])]);
}

const CLAIM: &str = "game \"Claim\"; players A, B; type Cell = 1..4; state { at[c: Cell]: Player? = none; }\n\
    move mark(c: Cell) { when at[c] = none; at[c] := me; }\n\
    end { when at[1] = A and at[2] = A => A wins; when at[2] = A and at[3] = A => A wins;\n\
    when all c in Cell: at[c] != none => B wins; }\n";

#[test]
fn pairs_that_are_none() {
    let claim = rules(CLAIM);
    let mut wrong = Mismatches::default();
    let mut of =
        |expected: &str, openings: &[Opening<'_>]| wrong.lemma(expected, &claim, pairing(1, openings));
    let missing = "a beginning is missing or not one of legal moves, or the holder has two";
    of("an end that gives the holder less does not need both cells of a pair", &[(&[], &[(2, 3)])]);
    of("`{}` is in two pairs", &[(&[], &[(2, 3), (3, 4)])]);
    of("`{}` is in two pairs", &[(&[], &[(2, 2)])]);
    of("`{}` is no cell that a move claims", &[(&[], &[(0, 2)])]);
    of("`{}` is no cell that a move claims", &[(&[], &[(2, 99)])]);
    of(missing, &[]);
    of(missing, &[(&["mark(1)", "mark(2)"], &[])]);
    of("a beginning goes on where another one ends", &[(&[], &[]), (&["mark(1)"], &[])]);
    of("a beginning goes on where another one ends", &[(&[], &[(2, 3)]), (&[], &[(3, 4)])]);
    let rest: [Opening<'_>; 3] =
        [(&["mark(1)", "mark(2)"], &[]), (&["mark(3)", "mark(2)"], &[]), (&["mark(4)", "mark(2)"], &[])];
    // After `mark(2)` of A the one pair of B is too few: A has two lines through it.
    for answer in ["mark(1)", "mark(3)", "mark(4)"] {
        let open = (&["mark(2)", answer][..], &[(2, 4)][..]);
        let all = [&rest[..], &[open]].concat();
        of("an end that gives the holder less does not need both cells of a pair", &all);
    }
}

#[test]
fn exchanges_of_the_players_by_name() {
    let pennies = rules(AT_ONCE);
    let same = |moves: &[(&str, &str)]| -> Vec<(String, String)> {
        moves.iter().map(|(made, image)| ((*made).into(), (*image).into())).collect()
    };
    let own = same(&[("show(1)", "show(1)"), ("show(2)", "show(2)")]);
    let images = vec![image(2, 3, &[0, 1, 2]), image(3, 2, &[0, 1, 2])];
    let lemma = ExchangeLemma { images, moves: [own.clone(), own], odd: Vec::new() };
    Mismatches::default().lemma(
        "an end gives something else after the exchange",
        &pennies,
        [Lemma::Exchange(lemma)],
    );
}
