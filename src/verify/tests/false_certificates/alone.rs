//! Certificates of the grounded kinds with a false claim that a single condition refuses: without it, each would be
//! accepted.

use bouton_certificates::mirror::FluentImage;
use bouton_certificates::pairing::PairingOpening;
use bouton_certificates::{
    AnswersLemma, Claim, ExchangeLemma, Lemma, MirrorLemma, PairingLemma, StealArgument, StealLemma,
};

use super::{Mismatches, certificate, rules, win};

const NO_MEANING: &str = "the rules alone do not show that they have a meaning in every position";

fn image(from: u32, to: u32, values: &[u8]) -> FluentImage {
    FluentImage { from, to, values: values.to_vec() }
}

/// Returns the exchange of two fluents, which have this many values.
fn swapped([one, other]: [u32; 2], values: u8) -> [FluentImage; 2] {
    let all: Vec<u8> = (0..values).collect();
    [image(one, other, &all), image(other, one, &all)]
}

fn mirror(player: u32, opening: Option<&str>, images: &[FluentImage]) -> Vec<Lemma> {
    let opening = opening.map(String::from);
    vec![Lemma::Mirror(MirrorLemma { bound: win(player), opening, images: images.to_vec() })]
}

fn answers(player: u32, opening: Option<&str>, pairs: &[(&str, &str)]) -> Vec<Lemma> {
    let pairs = pairs.iter().map(|(made, answer)| ((*made).into(), (*answer).into())).collect();
    vec![Lemma::Answers(AnswersLemma::new(win(player), opening.map(String::from), pairs))]
}

/// Two heaps, of which a move lowers one by 1; who finds both empty loses.
const HEAPS: &str = "game \"Heaps\"; players A, B; state { l: 0..2 = 2; r: 0..2 = 2; x: 0..1 = 0; }\n\
    move left() { when l > 0; l -= 1; }\nmove right() { when r > 0; r -= 1; }\nplay normal;\n";

const ROW: &str = "game \"Row\"; players A, B; type Cell = 1..2; state { full: set of Cell = {}; }\n\
    move put(c: Cell) { when c not in full; full |= { c }; }\nplay normal;\n";

#[test]
fn mirrors() {
    let mut wrong = Mismatches::default();
    let mut of = |expected: &str, text: &str, lemmas: Vec<Lemma>| wrong.lemma(expected, &rules(text), lemmas);
    of("accepted: {}", HEAPS, mirror(1, None, &swapped([2, 3], 3)));
    // Three moves are left, of which A makes the last one.
    let uneven = HEAPS.replace("r: 0..2 = 2", "r: 0..2 = 1");
    of(
        "the position where the answers begin is not symmetric",
        &uneven,
        mirror(1, None, &swapped([2, 3], 3)),
    );
    // A move at 1 gives `x` the value -2.
    let fault = HEAPS.replace("l -= 1;", "l -= 1; x := 2 * l - 4;");
    let fault = fault.replace("r -= 1;", "r -= 1; x := 2 * r - 4;");
    of(NO_MEANING, &fault, mirror(1, None, &swapped([2, 3], 3)));
    // A wins as soon as B is to move.
    let at_once = ROW.replace("play normal;", "end { when mover = B => A wins; }\nplay normal;");
    let elsewhere = "the game does not end just where the player to move has no move";
    of(elsewhere, &at_once, mirror(1, None, &swapped([2, 3], 2)));
    // A fills the first cell and goes on.
    let again = ROW.replace("full |= { c };", "full |= { c }; if c = 1 { again; }");
    let turn = "after `{name}` it is not always the other player's turn";
    of(turn, &again, mirror(1, None, &swapped([2, 3], 2)));
    // A alone moves, and B has the turn where A fills the second cell.
    let only = ROW.replace("state", "phases { only by A; }\nstate");
    of("`{name}` may be made out of turn", &only, mirror(0, Some("put(1)"), &[]));
}

#[test]
fn strategies_of_answers() {
    let take = "game \"Take\"; players A, B; state { n: 0..4 = 4; }\n\
        move take(k: 1..2) { when k <= n; n -= k; }\nplay normal;\n";
    let whole = [("take(1)", "take(2)"), ("take(2)", "take(1)")];
    let mut wrong = Mismatches::default();
    let mut of = |expected: &str, text: &str, lemmas: Vec<Lemma>| wrong.lemma(expected, &rules(text), lemmas);
    of("accepted: {}", take, answers(0, Some("take(1)"), &whole));
    // In the first position A may add 1 to 4.
    let slip = take.replace("play normal;", "move slip() by A { when n = 4; n += 1; }\nplay normal;");
    of(NO_MEANING, &slip, answers(0, Some("take(1)"), &whole));
    // B may add 4 after a move of A.
    let slip = take.replace("play normal;", "move slip() by B { when n > 0; n += 4; }\nplay normal;");
    of(NO_MEANING, &slip.replace("= 4;", "= 3;"), answers(1, None, &whole));
    // B takes the last one and remains to move.
    let stays = "game \"Stays\"; players A, B; state { n: 0..2 = 2; }\n\
        move take() by A { when n = 2; n := 1; }\nmove finish() by B { when n = 1; n := 0; again; }\nplay normal;\n";
    let turn = "after an answer it is not always the other player's turn";
    of(turn, stays, answers(1, None, &[("take()", "finish()")]));
}

#[test]
fn thefts() {
    let chomp = "game \"Chomp\"; players A, B; board Cell = grid(2, 2); state { eaten: set of Cell = {}; }\n\
        move bite(c: Cell) { when c not in eaten and c != a1;\n\
        eaten |= { x in Cell where x.col >= c.col and x.row >= c.row }; }\nplay normal;\n";
    let mut wrong = Mismatches::default();
    for (expected, end) in [
        ("accepted: {}", "mover loses"),
        ("an end gives both players as much as the bound, or neither", "draw"),
        ("an end does not depend on the board and the player to move alone", "B wins"),
    ] {
        let text = chomp.replace("play normal;", &format!("end {{ when stuck => {end}; }}"));
        let by = StealArgument::Absorption("bite(b2)".into());
        wrong.lemma(expected, &rules(&text), vec![Lemma::Steal(StealLemma { bound: win(0), by })]);
    }
}

#[test]
fn exchanges() {
    let larger = "game \"Larger\"; players A, B; phases { show by each; }\n\
        state { shown[p: Player]: 1..2? = none; }\n\
        move show(k: 1..2) in show { when shown[me] = none; shown[me] := k; }\n\
        end { when shown[A] = 2 and shown[B] = 1 => A wins; when shown[B] = 2 and shown[A] = 1 => B wins;\n\
        when shown[A] != none and shown[B] != none => draw; }\n";
    let moves: Vec<(String, String)> = ["show(1)", "show(2)"].map(|made| (made.into(), made.into())).to_vec();
    let exchange = |images: &[[FluentImage; 2]]| {
        let moves = [moves.clone(), moves.clone()];
        vec![Lemma::Exchange(ExchangeLemma { images: images.concat(), moves, odd: Vec::new() })]
    };
    let players = [swapped([2, 3], 3)];
    let mut wrong = Mismatches::default();
    wrong.lemma("accepted: {}", &rules(larger), exchange(&players));
    // A wins where both show 2.
    let more = larger.replace("shown[B] = 1 =>", "shown[B] != none =>");
    wrong.lemma("an end gives something else after the exchange", &rules(&more), exchange(&players));
    // 3 is a burden: who begins with it shows 1, as B does.
    let any = "when shown[me] = none or shown[me] = 3; shown[me] := if shown[me] = 3 then 1 else k;";
    let burden =
        larger.replace("1..2? = none", "1..3? = none").replace("when shown[me] = none; shown[me] := k;", any);
    let four = [swapped([2, 3], 4)];
    wrong.lemma("accepted: {}", &rules(&burden), exchange(&four));
    let burden = burden.replace("1..3? = none", "1..3? = if p = B then 3 else none");
    wrong.lemma("the position is not as it was after the exchange", &rules(&burden), exchange(&four));
    // The first player and the third, who never moves, give the second one something.
    let (moves_alone, _) = larger.split_once("end {").expect("an end");
    let three = format!(
        "{moves_alone}end {{ when shown[A] != none and shown[B] != none => payoff p: if p = B then 2 else -1; }}\n"
    );
    let three =
        rules(&three.replace("A, B;", "A, B, C;").replace("when shown[me]", "when me != C and shown[me]"));
    let claim = Claim::AtLeast { player: 0, payoff: 0.into() };
    wrong.certificate("it is for two players", &three, &certificate(&three, claim, exchange(&players)));
}

/// The moves of an opening and the pairs after it.
pub type Opening<'a> = (&'a [&'a str], &'a [(u32, u32)]);

pub fn pairing(player: u32, openings: &[Opening<'_>]) -> Vec<Lemma> {
    let opening = |(moves, pairs): &Opening<'_>| PairingOpening {
        moves: moves.iter().map(|made| (*made).to_owned()).collect(),
        pairs: pairs.to_vec(),
    };
    vec![Lemma::Pairing(PairingLemma::new(win(player), openings.iter().map(opening).collect()))]
}

#[test]
fn pairings() {
    let maker = "game \"Maker\"; players A, B; type Cell = 1..3; state { at[c: Cell]: Player? = none; }\n\
        move mark(c: Cell) { when at[c] = none; at[c] := me; }\n\
        end { when at[1] = A and at[2] = A => A wins; when at[1] = A and at[3] = A => A wins;\n\
        when all c in Cell: at[c] != none => B wins; }\n";
    let mut wrong = Mismatches::default();
    let mut of = |expected: &str, text: &str, lemmas: Vec<Lemma>| wrong.lemma(expected, &rules(text), lemmas);
    // A has 1, the mate of 3, which is free, and moves.
    let open = "the other player has a pair, or one cell of it while the mate is free";
    of(
        open,
        maker,
        pairing(
            1,
            &[
                (&["mark(1)", "mark(2)"], &[(2, 4)]),
                (&["mark(2)", "mark(1)"], &[]),
                (&["mark(3)", "mark(1)"], &[]),
            ],
        ),
    );
    // A wins with one cell, and no longer after the next move.
    let single = maker.replace("1..3", "1..2").replace(
        "at[1] = A and at[2] = A => A wins; when at[1] = A and at[3] = A",
        "(one c in Cell: at[c] = A) and (one c in Cell: at[c] = none)",
    );
    let over = pairing(1, &[(&["mark(1)", "mark(2)"], &[]), (&["mark(2)", "mark(1)"], &[])]);
    of("a beginning ends the game and gives the holder less", &single, over);
    // Only A can claim 1 and 2 where they are free, and B only where A has prepared them.
    let prepared = "game \"Prepared\"; players A, B; type Cell = 1..4; state { at[c: Cell]: 0..3 = 0; }\n\
        move prepare(c: 1..2) by A { when at[c] = 0; at[c] := 3; }\n\
        move mark(c: Cell) by A { when at[c] = 0; at[c] := 1; }\n\
        move fill(c: 3..4) by B { when at[c] = 0; at[c] := 2; }\n\
        move take(c: 1..2) by B { when at[c] = 3; at[c] := 2; }\n\
        end { when at[1] = 1 and at[2] = 1 => A wins; when at[3] != 0 and at[4] != 0 => B wins; }\n";
    of("`{name}` claims in another way than other moves", prepared, pairing(1, &[(&[], &[(2, 3)])]));
}
