//! The kinds that examine the moves of the grounded rules: MIRROR, ANSWERS, PARITY, STEAL, EXCHANGE and PAIRING.
//!
//! Fluent 0 is the player to move and 1 the phase; the cells of the state follow.

use bouton_certificates::mirror::FluentImage;
use bouton_certificates::pairing::PairingOpening;
use bouton_certificates::parity::Modulus;
use bouton_certificates::{
    AnswersLemma, Claim, ExchangeLemma, Lemma, MirrorLemma, PairingLemma, ParityLemma, PayoffBound,
    StealArgument, StealLemma,
};

use super::{Mismatches, certificate, rules, win, wins};

/// A row of cells of which a move fills one; who finds none free loses.
fn row(cells: u32) -> String {
    format!(
        "game \"Row\"; players A, B; type Cell = 1..{cells}; state {{ full: set of Cell = {{}}; }}\n\
         move put(c: Cell) {{ when c not in full; full |= {{ c }}; }}\nplay normal;\n"
    )
}

/// A row of cells that players claim: A wins with all of them.
fn maker(cells: u32) -> String {
    format!(
        "game \"Maker\"; players A, B; type Cell = 1..{cells}; state {{ at[c: Cell]: Player? = none; }}\n\
         move mark(c: Cell) {{ when at[c] = none; at[c] := me; }}\n\
         end {{ when all c in Cell: at[c] = A => A wins; when all c in Cell: at[c] != none => B wins; }}\n"
    )
}

const TAKE: &str = "game \"Take\"; players A, B; state { n: 0..4 = 3; }\n\
    move take(k: 1..2) { when k <= n; n -= k; }\nplay normal;\n";

const FAULT: &str =
    "game \"Fault\"; players A, B; state { s: 0..2 = 0; }\nmove go(k: 1..2) { s += k; }\nplay normal;\n";

const PHASES: &str = "game \"Phases\"; players A, B; type Cell = 1..2; phases { early; late; }\n\
    state { full: set of Cell = {}; }\n\
    move put(c: Cell) in early { when c not in full; full |= { c }; continue late; }\n\
    move done() in late { full |= { 1 }; }\nplay normal;\n";

const STUCK: &str = "game \"Stuck\"; players A, B; state { s: 0..2 = 0; }\nmove go() { when s = 0; s := 1; }\n\
    end { when s = 2 => A wins; }\n";

/// Two cells side by side; the second is linked if both are full.
fn linked(moves: &str, end: &str) -> String {
    format!(
        "game \"Linked\"; players A, B; board Cell = grid(2, 1); state {{ full: set of Cell = {{}}; flag: bool = false; }}\n\
         inductive linked(c: Cell) = c in full and (c = a1 or some b in c.neighbors: linked(b));\n\
         move put(c: Cell) {{ when c not in full; full |= {{ c }}; {moves} }}\n{end}\n"
    )
}

fn image(from: u32, to: u32, values: &[u8]) -> FluentImage {
    FluentImage { from, to, values: values.to_vec() }
}

fn mirror(player: u32, opening: Option<&str>, images: &[FluentImage]) -> Vec<Lemma> {
    let opening = opening.map(String::from);
    vec![Lemma::Mirror(MirrorLemma { bound: win(player), opening, images: images.to_vec() })]
}

#[test]
fn false_mirrors() {
    let swapped = [image(2, 3, &[0, 1]), image(3, 2, &[0, 1])];
    let mut wrong = Mismatches::default();
    let two = rules(&row(2));
    wrong.certificate("accepted: {}", &two, &certificate(&two, wins(1), mirror(1, None, &swapped)));
    for (expected, lemma) in [
        ("an image is of a fluent that does not exist", mirror(1, None, &[image(9, 2, &[0, 1])])),
        ("the symmetry sends two fluents or values to one", mirror(1, None, &swapped[..1])),
        ("the symmetry sends two fluents or values to one", mirror(1, None, &[image(2, 2, &[0, 0])])),
        ("the position where the answers begin is not symmetric", mirror(1, None, &[image(0, 0, &[1, 0])])),
        ("it is not the other player's turn where the answers begin", mirror(0, None, &swapped)),
        ("the opening `{opening}` is not a legal move", mirror(0, Some("put(9)"), &swapped)),
        ("the position where the answers begin is not symmetric", mirror(0, Some("put(1)"), &swapped)),
        ("a move of the other player and its image meet (at `{place}` or near)", mirror(1, None, &[])),
        ("it is for one of two players", mirror(2, None, &swapped)),
    ] {
        wrong.lemma(expected, &two, lemma);
    }
    let circle = [image(2, 3, &[0, 1]), image(3, 4, &[0, 1]), image(4, 2, &[0, 1])];
    let twice = "the symmetry applied twice does not restore the board";
    wrong.lemma(twice, &rules(&row(3)), mirror(1, None, &circle));
    let own = "when c not in full and (me = A or c = 1)";
    let ends_elsewhere = "the game does not end just where the player to move has no move";
    for (expected, text) in [
        ("the game is over where it begins", row(2).replace("= {}", "= Cell")),
        (
            "a move of the other player has no image among the holder's",
            row(2).replace("when c not in full", own),
        ),
        (ends_elsewhere, row(2).replace("play normal;", "end { when 1 in full => mover wins; }")),
        (
            "an end without a move does not always give the holder that much",
            row(2).replace("normal", "misere"),
        ),
        ("the game has phases", PHASES.into()),
        (
            "the rules alone do not show that every play ends: `{name}` may change nothing for good",
            row(2).replace(
                "when c not in full; full |= { c };",
                "if c in full { full -= { c }; } else { full |= { c }; }",
            ),
        ),
        (
            "the rules cannot be grounded: {refusal}",
            row(2).replace("play normal;", "play normal;\nforbid repeat;"),
        ),
    ] {
        wrong.lemma(expected, &rules(&text), mirror(1, None, &swapped));
    }
    let meaning = "the rules alone do not show that they have a meaning in every position";
    wrong.lemma(meaning, &rules(FAULT), mirror(1, None, &[]));
}

#[test]
fn false_answers() {
    let answers = |player: u32, pairs: &[(&str, &str)]| {
        let pairs = pairs.iter().map(|(made, answer)| ((*made).into(), (*answer).into())).collect();
        vec![Lemma::Answers(AnswersLemma::new(win(player), None, pairs))]
    };
    let whole = [("take(1)", "take(2)"), ("take(2)", "take(1)")];
    let mut wrong = Mismatches::default();
    let take = rules(TAKE);
    wrong.certificate("accepted: {}", &take, &certificate(&take, wins(1), answers(1, &whole)));
    for (expected, pairs) in [
        ("`{made}` and its answer `{answer}` are no moves of the players", &[("take(1)", "take(9)")][..]),
        ("`{name}` may be made and has no answer", &whole[..1]),
        ("the answer to `{name}` is not always legal", &[("take(1)", "take(1)"), ("take(2)", "take(1)")]),
    ] {
        wrong.lemma(expected, &take, answers(1, pairs));
    }
    let misere = rules(&TAKE.replace("play normal;", "play misere;"));
    let over = "after an answer the game may be over, so that the other player wins";
    wrong.lemma(over, &misere, answers(1, &whole));
    // The last move leaves the turn to the player who makes it, who is stuck then and so wins.
    let alone = TAKE.replace("n -= k;", "n := 0; next me;").replace("normal", "misere");
    wrong.lemma("`{name}` may be made and has no answer", &rules(&alone), answers(1, &[]));
    let with = |text: &str| rules(&TAKE.replace("play normal;", &format!("{text}\nplay normal;")));
    let keep = with("move keep() { when n >= 1; n -= 1; again; }");
    let turn = "after an answer it is not always the other player's turn";
    wrong.lemma(turn, &keep, answers(1, &[("take(1)", "keep()")]));
    let big = with("move big() { when n = 4; n := 0; }");
    let never = [("take(1)", "take(2)"), ("take(2)", "take(1)"), ("big()", "take(1)")];
    wrong.lemma("the answer to `{name}` is never needed", &big, answers(1, &never));
    let only = rules(&TAKE.replace("state", "phases { only by B; }\nstate"));
    wrong.lemma("`{name}` may be made out of turn", &only, answers(1, &[]));
    let flag = rules(&linked("if linked(b1) { flag := true; }", "play normal;"));
    let recursive = "`{answer}` depends on a recursive definition";
    wrong.lemma(recursive, &flag, answers(1, &[("put(a1)", "put(b1)"), ("put(b1)", "put(a1)")]));
}

#[test]
fn false_parities() {
    let parity = |weights: &[(u32, &[u8])]| {
        let weights = weights.iter().map(|(fluent, values)| (*fluent, values.to_vec())).collect();
        vec![Lemma::Parity(ParityLemma { bound: win(0), modulus: Modulus(2), weights })]
    };
    let whole: [(u32, &[u8]); 4] = [(0, &[1]), (2, &[1]), (3, &[1]), (4, &[1])];
    let mut wrong = Mismatches::default();
    for (expected, weights) in [
        ("accepted: {}", &whole[..]),
        ("a weight is of a fluent that does not exist", &[(9, &[1])]),
        ("a weight is of a value that does not exist", &[(2, &[5])]),
        ("`{name}` changes the sum", &whole[..2]),
        ("the sum does not rule out an end that gives the holder less", &[]),
    ] {
        wrong.lemma(expected, &rules(&row(3)), parity(weights));
    }
    let stuck = "the rules alone do not show that the game is over where nobody can move";
    wrong.lemma(stuck, &rules(STUCK), parity(&[]));
}

const CHOMP: &str = "game \"Chomp\"; players A, B; board Cell = grid(2, 2); state { eaten: set of Cell = {}; }\n\
    move bite(c: Cell) { when c not in eaten and c != a1;\n\
    eaten |= { x in Cell where x.col >= c.col and x.row >= c.row }; }\nplay normal;\n";

#[test]
fn false_steals_by_absorption() {
    let steal = |player: u32, first: &str| {
        vec![Lemma::Steal(StealLemma { bound: win(player), by: StealArgument::Absorption(first.into()) })]
    };
    let mut wrong = Mismatches::default();
    let draw = "end { when n = 0 => draw; }";
    let heap = TAKE.replace("= 3;", "= 1;").replace("normal", "misere");
    for (expected, text, player, first) in [
        ("accepted: {}", CHOMP, 0, "bite(b2)"),
        ("it is not the holder's turn", CHOMP, 1, "bite(b2)"),
        ("an answer leads where the holder could not have moved at once", CHOMP, 0, "bite(b1)"),
        ("the game has phases", PHASES, 0, "put(1)"),
        ("the first move ends the game and gives the holder less", &heap, 0, "take(1)"),
        (
            "an end gives both players as much as the bound, or neither",
            &TAKE.replace("play normal;", draw),
            0,
            "take(1)",
        ),
        (
            "an end depends on a recursive definition",
            &linked("", "end { when linked(b1) => mover wins; }"),
            0,
            "put(a1)",
        ),
        (
            "an end does not depend on the board and the player to move alone",
            &TAKE.replace("play normal;", "end { when n = 0 => A wins; }"),
            0,
            "take(1)",
        ),
        (
            "the players do not have the same moves",
            &TAKE.replace("when k <= n", "when k <= n and (me = A or k = 1)"),
            0,
            "take(1)",
        ),
    ] {
        wrong.lemma(expected, &rules(text), steal(player, first));
    }
}

/// A row of two cells of which a player wins with both.
const BOTH: &str = "game \"Both\"; players A, B; type Cell = 1..2; state { at[c: Cell]: Player? = none; }\n\
    move mark(c: Cell) { when at[c] = none; at[c] := me; }\n\
    def both(p: Player) = all c in Cell: at[c] = p;\n\
    end { for p in Player when both(p) => p wins; when all c in Cell: at[c] != none => draw; }\n";

#[test]
fn false_steals_by_exchange() {
    let images = [image(0, 0, &[1, 0]), image(2, 2, &[0, 2, 1]), image(3, 3, &[0, 2, 1])];
    let steal = |payoff: i64, images: &[FluentImage]| {
        let bound = PayoffBound { holder: Some(0), payoff: payoff.into() };
        vec![Lemma::Steal(StealLemma { bound, by: StealArgument::Exchange(images.to_vec()) })]
    };
    let mut wrong = Mismatches::default();
    let both = rules(BOTH);
    let claim = Claim::AtLeast { player: 0, payoff: 0.into() };
    wrong.certificate("accepted: {}", &both, &certificate(&both, claim, steal(0, &images)));
    wrong.lemma("an end gives neither player as much as the bound", &both, steal(1, &images));
    wrong.lemma("at `{what}` the players do not just change places", &both, steal(0, &images[..2]));
    for (expected, from, to) in [
        ("the game is over where it begins", "= none; }", "= A; }"),
        (
            "an end that is enough for both may come before all cells are claimed",
            "p wins;",
            "p wins; when at[1] = B => draw;",
        ),
        (
            "the rules alone do not show that another cell never hurts {name}, nor helps {other}",
            "p wins;",
            "p loses;",
        ),
        (
            "the players do not play for the same where they change places",
            "for p in Player when both(p) => p wins;",
            "when at[1] = A => A wins; when at[2] = B => B wins;",
        ),
    ] {
        wrong.lemma(expected, &rules(&BOTH.replace(from, to)), steal(0, &images));
    }
}

/// Both choose a number at once, and the larger wins.
const LARGER: &str = "game \"Larger\"; players A, B; phases { show by each; }\n\
    state { shown[p: Player]: 1..2? = none; }\nmove show(k: 1..2) in show { when shown[me] = none; shown[me] := k; }\n\
    end { when shown[A] > shown[B] => A wins; when shown[B] > shown[A] => B wins; when shown[A] != none and shown[B] != none => draw; }\n";

#[test]
fn false_exchanges() {
    let swapped = [image(2, 3, &[0, 1, 2]), image(3, 2, &[0, 1, 2])];
    let same = [("show(1)", "show(1)"), ("show(2)", "show(2)")];
    let exchange = |images: &[FluentImage], moves: &[(&str, &str)]| {
        let own: Vec<(String, String)> = moves.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect();
        vec![Lemma::Exchange(ExchangeLemma {
            images: images.to_vec(),
            moves: [own.clone(), own],
            odd: Vec::new(),
        })]
    };
    let mut wrong = Mismatches::default();
    let larger = rules(LARGER);
    let claim = Claim::Value(vec![0.into(); 2]);
    wrong.certificate("accepted: {}", &larger, &certificate(&larger, claim, exchange(&swapped, &same)));
    let turn = [image(0, 0, &[1, 0])];
    wrong.lemma("the position is not as it was after the exchange", &larger, exchange(&turn, &same));
    wrong.lemma("`{name}` becomes no move of the other player", &larger, exchange(&swapped, &[]));
    let other = [("show(1)", "show(2)"), ("show(2)", "show(1)")];
    wrong.lemma("`{name}` does something else after the exchange", &larger, exchange(&swapped, &other));
    for (expected, from, to) in [
        ("the payoffs of an end do not add up to 0", "=> draw;", "=> payoff p: 1;"),
        ("an end gives something else after the exchange", "when shown[B] > shown[A] => B wins;", ""),
        (
            "the rules alone do not show that the game is over where nobody can move",
            "when shown[A] != none and shown[B] != none => draw;",
            "",
        ),
    ] {
        let text = LARGER.replace(from, to);
        wrong.lemma(expected, &rules(&text), exchange(&swapped, &same));
    }
    let twins = LARGER
        .replace("end {", "move tell(k: 1..2) in show { when shown[me] = none; shown[me] := k; }\nend {");
    let to_one =
        [("show(1)", "show(1)"), ("show(2)", "show(2)"), ("tell(1)", "show(1)"), ("tell(2)", "show(2)")];
    let becomes = "`{name}` becomes what another move becomes, or never is legal";
    wrong.lemma(becomes, &rules(&twins), exchange(&swapped, &to_one));
    let three = "game \"Three\"; players A, B, C; state { n: 0..3 = 3; }\nmove take() { when n > 0; n -= 1; }\n\
        end { when n = 0 => mover wins; }\n";
    wrong.lemma("it is for two players", &rules(three), exchange(&[], &[]));
}

/// The moves of an opening and the pairs after it.
type Opening<'a> = (&'a [&'a str], &'a [(u32, u32)]);

fn pairing(player: u32, openings: &[Opening<'_>]) -> Vec<Lemma> {
    let opening = |(moves, pairs): &Opening<'_>| PairingOpening {
        moves: moves.iter().map(|made| (*made).to_owned()).collect(),
        pairs: pairs.to_vec(),
    };
    vec![Lemma::Pairing(PairingLemma::new(win(player), openings.iter().map(opening).collect()))]
}

#[test]
fn false_pairings() {
    let mut wrong = Mismatches::default();
    let two = rules(&maker(2));
    wrong.certificate("accepted: {}", &two, &certificate(&two, wins(1), pairing(1, &[(&[], &[(2, 3)])])));
    let missing = "a beginning is missing or not one of legal moves, or the holder has two";
    for (expected, lemma) in [
        ("`{}` is no cell that a move claims", pairing(1, &[(&[], &[(2, 9)])])),
        ("`{}` is in two pairs", pairing(1, &[(&[], &[(2, 3), (2, 3)])])),
        ("an end that gives the holder less does not need both cells of a pair", pairing(1, &[(&[], &[])])),
        ("a beginning goes on where another one ends", pairing(1, &[(&[], &[]), (&["mark(1)"], &[])])),
        (missing, pairing(1, &[(&["mark(2)"], &[(2, 3)])])),
        (missing, pairing(0, &[(&["mark(9)"], &[])])),
    ] {
        wrong.lemma(expected, &two, lemma);
    }
    let half = pairing(1, &[(&["mark(1)", "mark(4)"], &[(2, 3)])]);
    let open = "the other player has a pair, or one cell of it while the mate is free";
    wrong.lemma(open, &rules(&maker(4)), half);
    let one = rules(&maker(1));
    wrong.lemma(
        "a beginning ends the game and gives the holder less",
        &one,
        pairing(1, &[(&["mark(1)"], &[])]),
    );
    let lost = rules(&maker(1).replace("A wins", "B wins"));
    wrong.lemma(
        "a beginning goes on after the game is over",
        &lost,
        pairing(1, &[(&["mark(1)", "mark(1)"], &[])]),
    );
}

/// A relation that negates another one, which must be known first: else the game would seem to be over at once.
#[test]
fn a_negated_relation_is_known_before() {
    let mut wrong = Mismatches::default();
    let strata = "inductive dark(c: Cell) = not lit(c);\n\
        inductive lit(c: Cell) = #{ x in Cell where at[x] != none } < 5 and (c = 1 or lit(c - 1));\n\
        end { when dark(4) => B wins;";
    let text = maker(4).replace("end {", strata);
    let bad = "an end that gives the holder less does not need both cells of a pair";
    wrong.lemma(bad, &rules(&text), pairing(1, &[(&[], &[])]));
    let over = text.replace("not lit(c)", "lit(c)");
    wrong.certificate(
        "accepted: {}",
        &rules(&over),
        &certificate(&rules(&over), wins(1), pairing(1, &[(&[], &[])])),
    );
}

/// Each of these conditions holds with a pair of its own or where both before it do: as trees they would be too long.
#[test]
fn shared_parts_of_an_end_are_read_once() {
    let mut wrong = Mismatches::default();
    let mut defs = String::from("def a0: bool = at[1] = A; def b0: bool = at[2] = A;");
    let mut pairs = Vec::new();
    let mut cell = 3;
    for level in 1..=40 {
        for side in ["a", "b"] {
            let before = level - 1;
            defs += &format!(
                "\ndef {side}{level}: bool = at[{cell}] = A and at[{}] = A or a{before} and b{before};",
                cell + 1
            );
            // The fluents of cells follow the player to move and the phase.
            pairs.push((cell + 1, cell + 2));
            cell += 2;
        }
    }
    let text = maker(cell - 1).replace("end {", &format!("{defs}\nend {{ when a40 => A wins;"));
    let few = "an end that gives the holder less does not need both cells of a pair";
    wrong.lemma(few, &rules(&text), pairing(1, &[(&[], &pairs)]));
}

#[test]
fn games_of_other_moves_are_not_paired() {
    let mut wrong = Mismatches::default();
    let at_once = "game \"At once\"; players A, B; phases { show by each; }\n\
        state { shown[p: Player]: 1..2? = none; }\nmove show(k: 1..2) in show { shown[me] := k; }\n\
        end { when shown[A] != none => A wins; }\n";
    for (expected, text) in [
        ("players move simultaneously", at_once.to_owned()),
        ("`{name}` may be made out of turn", maker(2).replace("state", "phases { only by A; }\nstate")),
        (
            "after `{name}` it is not always the other player's turn",
            maker(2).replace(":= me;", ":= me; again;"),
        ),
        (
            "a move depends on a recursive definition",
            linked("", "play normal;").replace("not in full;", "not in full and not linked(c);"),
        ),
        ("`{name}` does not claim a cell", maker(2).replace("end {", "pass always;\nend {")),
        (
            "`{name}` does more than claim a cell",
            maker(2).replace(":= me;", ":= me; if c = 1 { at[2] := me; }"),
        ),
        ("`{name}` is not legal just where its cell is free", maker(2).replace("when at[c] = none; ", "")),
        (
            "`{name}` claims in another way than other moves",
            maker(2).replace("end {", "move give(c: Cell) { when at[c] = none; at[c] := other(me); }\nend {"),
        ),
        (
            "only one player can claim `{cell}`",
            maker(2).replace("when at[c] = none", "when at[c] = none and (me = A or c = 1)"),
        ),
        ("the state does not show who claimed `{cell}`", row(2)),
        (
            "the rules alone do not show that the game is over where all cells are claimed",
            maker(2).replace("when all c in Cell: at[c] != none => B wins;", ""),
        ),
    ] {
        wrong.lemma(expected, &rules(&text), pairing(1, &[(&[], &[(2, 3)])]));
    }
}
