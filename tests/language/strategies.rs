//! Strategies in closed form: found, accepted by the checker, and refused where they do not hold.

use bouton_base::limits::{Limits, NoProgress};
use bouton_certificates::pairing::PairingOpening;
use bouton_certificates::{self as cert, Certificate, Claim, Lemma, PayoffBound, Tier};
use bouton_driver::budget::Budget;
use bouton_driver::load::GameSource;
use bouton_driver::play::Session;
use bouton_driver::play::engine::{Engine, EngineLevel, EngineOptions};
use bouton_search::game::{Game, ToMove};
use bouton_search::solve::{Auto, Solution, SolveOptions, SolveRequest, Solver, Status, ValueKind};

use super::{accepts, method, of, proof};

fn by(game: &Game, method: &'static dyn Solver) -> Solution {
    let limits = Limits::default();
    let start = game.machine.initial();
    method
        .solve(&SolveRequest::new(game, &start, &SolveOptions::default(), &limits, &NoProgress))
        .expect("sound rules")
}

/// The winner by mirroring, and the first move.
#[test]
fn mirror_strategies() {
    let cases: &[(&str, &[&str], u32, Option<&str>)] = &[
        ("hatch", &["n=10", "k=4"], 0, Some("4x4")),
        ("hatch", &["n=9", "k=2"], 0, Some("5x1")),
        ("hatch", &["n=40", "k=7"], 0, Some("18x6")),
        ("hatch", &["n=8", "k=1"], 1, None),
        ("hatch", &["n=7", "k=1"], 0, Some("4x1")),
        ("cram", &["cols=4", "rows=4"], 1, None),
        ("cram", &["cols=8", "rows=6"], 1, None),
        ("cram", &["cols=6", "rows=5"], 0, Some("c3d3")),
        ("kayles", &["n=20"], 0, Some("10x2")),
        ("nim", &["heaps=[5,5]"], 1, None),
    ];
    for (name, settings, winner, opening) in cases {
        let game = of(super::game(name), settings);
        let solution = by(&game, method("symmetry"));
        let kind = solution.value.as_ref().map(|value| value.kind);
        assert_eq!(kind, Some(ValueKind::Win(*winner)), "{name} {settings:?}: {:?}", solution.reason);
        let best = solution.best_moves.first().map(|made| made.written.as_str());
        assert_eq!(best, *opening, "{name} {settings:?}");
        let proof = proof(&game, &solution);
        assert_eq!(proof.header.tier, Tier::Ground);
        assert_eq!(accepts(&game, &proof), Ok(()), "{name} {settings:?}");
        assert_eq!(cert::parse(&cert::write(&proof)).as_ref(), Ok(&proof));
    }
}

/// The published table of 144 strips: the second player wins only for k = 1 and n even, and there mirrors the empty
/// strip; everywhere else the middle comes first. A strip of one cell has nothing to mirror. Enumeration agrees where
/// it is fast.
#[test]
fn mirroring_wins_every_strip() {
    for n in 2..=12 {
        for k in 1..=12 {
            let game = of(super::game("hatch"), &[&format!("n={n}"), &format!("k={k}")]);
            let second = k == 1 && n % 2 == 0;
            let (solution, _) = proves(&game, method("symmetry"), u32::from(second));
            assert_eq!(solution.best_moves.is_empty(), second, "n = {n}, k = {k}");
            if n <= 8 && k <= n || super::slow() {
                let all = by(&game, method("auto")).value.expect("small");
                assert_eq!(all.kind, ValueKind::Win(u32::from(second)), "n = {n}, k = {k}");
            }
        }
    }
}

/// Ten cells, up to four at a time: of all first moves only the middle two cells and the middle four win.
#[test]
fn the_openings_of_ten_cells() {
    let game = of(super::game("hatch"), &["n=10", "k=4"]);
    let options = SolveOptions { all_moves: true, ..SolveOptions::default() };
    let start = game.machine.initial();
    let all = Auto
        .solve(&SolveRequest::new(&game, &start, &options, &Limits::default(), &NoProgress))
        .expect("sound rules");
    let wins = |of: &bouton_search::solve::MoveValue| {
        of.value.as_ref().map(|value| value.kind) == Some(ValueKind::Win(0))
    };
    let winning: Vec<&str> =
        all.moves.iter().filter(|of| wins(of)).map(|of| of.made.written.as_str()).collect();
    assert_eq!((all.moves.len(), &winning[..]), (34, &["4x4", "5x2"][..]));
    let sum = by(&game, method("nim"));
    let best: Vec<&str> = sum.best_moves.iter().map(|made| made.written.as_str()).collect();
    assert_eq!(best, winning);
    // Both are central, and after each of them a certificate with the same mirror is accepted.
    let (_, whole) = proves(&game, method("symmetry"), 0);
    let with = |opening: Option<&str>| {
        let mut other = whole.clone();
        let Lemma::Mirror(mirror) = &mut other.lemmas[0] else { panic!("a mirror") };
        mirror.opening = opening.map(String::from);
        accepts(&game, &other)
    };
    assert_eq!(with(Some("hatch(4, 4)")), Ok(()));
    assert_eq!(with(Some("hatch(5, 2)")), Ok(()));
    assert!(with(Some("hatch(1, 4)")).is_err_and(|why| why.contains("is not symmetric")));
    assert!(with(None).is_err_and(|why| why.contains("turn")));
}

/// The second player cannot mirror the empty strip unless a move shades one cell: the middle cells are their own image.
#[test]
fn the_empty_strip_is_not_mirrored() {
    let one = of(super::game("hatch"), &["n=8", "k=1"]);
    let two = of(super::game("hatch"), &["n=8", "k=2"]);
    let (_, mut whole) = proves(&one, method("symmetry"), 1);
    whole.header.rules = cert::Digest::of_rules(&two.rules);
    whole.header.params[1].1 = "2".into();
    assert!(accepts(&two, &whole).is_err_and(|why| why.contains("and its image meet")));
}

/// Even by even, the second player mirrors; even by odd, the first does; odd by odd has no mirror, and either may win.
#[test]
fn cram_by_its_sides() {
    let board =
        |cols: u32, rows: u32| of(super::game("cram"), &[&format!("cols={cols}"), &format!("rows={rows}")]);
    for cols in 1..=7 {
        for rows in (1..=6).filter(|rows| cols * rows > 1) {
            let game = board(cols, rows);
            if cols * rows % 2 == 1 {
                let why = by(&game, method("symmetry")).reason.unwrap_or_default();
                assert!(why.contains("and its image meet"), "{cols} by {rows}: {why}");
                continue;
            }
            let second = cols % 2 == 0 && rows % 2 == 0;
            let (solution, _) = proves(&game, method("symmetry"), u32::from(second));
            assert_eq!(solution.best_moves.is_empty(), second, "{cols} by {rows}");
        }
    }
    for (cols, rows, winner) in [(3, 3, 1), (3, 5, 0)] {
        proves(&board(cols, rows), method("nim"), winner);
    }
    let row = by(&board(1, 5), method("auto")).value.map(|value| value.kind);
    assert_eq!(row, Some(ValueKind::Win(1)));
}

#[test]
fn pairing_strategies() {
    for (size, lines) in [("5", "k=5"), ("6", "k=6")] {
        let game = of(super::game("gomoku"), &[&format!("m={size}"), &format!("n={size}"), lines]);
        let solution = by(&game, method("pairing"));
        let kind = solution.value.as_ref().map(|value| value.kind);
        assert_eq!(kind, Some(ValueKind::Draw), "{:?}", solution.reason);
        let proof = proof(&game, &solution);
        assert_eq!(accepts(&game, &proof), Ok(()));
        assert_eq!(cert::parse(&cert::write(&proof)).as_ref(), Ok(&proof));
    }
}

/// A strategy that does not hold is refused, with the reason.
#[test]
fn where_strategies_do_not_hold() {
    let misere = "game \"Misere Cram\"; players A, B; board Cell = grid(2, 2); type Way = { N, E };\n\
        state { full: set of Cell = {}; }\n\
        move place(c: Cell, d: Way) { let domino = { c, c + d }; when domino & full = {}; full |= domino; }\n\
        play misere;\n";
    let cases: Vec<(Game, &'static dyn Solver, &str)> = vec![
        (
            of(GameSource::from_string("misere.bou", misere), &[]),
            method("symmetry"),
            "does not always give the holder that much",
        ),
        (
            of(super::game("domineering"), &["cols=4", "rows=4"]),
            method("symmetry"),
            "has no image among the holder's",
        ),
        (of(super::game("cram"), &["cols=3", "rows=3"]), method("symmetry"), "and its image meet"),
        (of(super::game("dawsons_kayles"), &[]), method("symmetry"), "and its image meet"),
        (of(super::game("tictactoe"), &[]), method("symmetry"), "does not end just where"),
        (of(super::game("tictactoe"), &[]), method("pairing"), "no pairs of cells"),
        (of(super::game("gomoku"), &["m=4", "n=3", "k=3"]), method("pairing"), "no pairs of cells"),
        // Noughts and crosses is a draw, but a player who need not stop the other from three in line wins it.
        (
            of(GameSource::from_string("maker.bou", MAKER_BREAKER), &[]),
            method("pairing"),
            "no pairs of cells",
        ),
        (of(super::game("connect_four"), &["cols=4", "rows=4"]), method("pairing"), "no pairs of cells"),
        (of(super::game("subtraction"), &["n=9", "takes=[1,3,4]"]), method("pairing"), "no answers"),
        (of(super::game("hatch"), &[]), method("parity"), "no sum modulo a small prime stays"),
        (of(super::game("matching_pennies"), &[]), method("parity"), "no sum modulo a small prime stays"),
        (
            of(super::game("subtraction"), &["n=5", "takes=[1,2]"]),
            method("parity"),
            "no sum modulo a small prime stays",
        ),
        (of(super::game("chomp"), &["cols=1", "rows=1"]), method("steal"), "where no first move leads"),
        (of(super::game("nim"), &["heaps=[2,2]"]), method("steal"), "where no first move leads"),
        (
            of(GameSource::from_string("single.bou", ONLY_MOVE_LOSES), &[]),
            method("steal"),
            "gives the holder less",
        ),
        (of(super::game("chess"), &[]), method("symmetry"), "cannot be written out"),
    ];
    for (game, method, reason) in cases {
        let solution = by(&game, method);
        assert_eq!(solution.status, Status::Unknown, "{}", game.rules.name);
        let why = solution.reason.unwrap_or_default();
        assert!(why.contains(reason), "{}: {why}", game.rules.name);
    }
}

/// A row of cells that are claimed from the bottom up: two cells are no pair if one of them is not free yet.
#[test]
fn cells_that_are_not_free_to_claim_are_not_paired() {
    let game = of(super::game("connect_four"), &["cols=4", "rows=4"]);
    let bound = |holder: u32| PayoffBound { holder: Some(holder), payoff: Default::default() };
    // Every cell with the one above it, as if it could be taken at once.
    let first = game.rules.fields.entries().map(|(_, field)| field.cells()).take(2).sum::<usize>() as u32;
    let pairs: Vec<(u32, u32)> = (0..8).map(|i| (first + 2 * i, first + 2 * i + 1)).collect();
    let lemma = |holder: u32| {
        let at_once = PairingOpening { moves: Vec::new(), pairs: pairs.clone() };
        Lemma::Pairing(cert::PairingLemma::new(bound(holder), vec![at_once]))
    };
    let hatch = of(super::game("hatch"), &["n=8", "k=1"]);
    let mut proof = proof(&hatch, &by(&hatch, method("symmetry")));
    let rules = &game.rules;
    proof.header = cert::Header {
        game: cert::one_line(&rules.name),
        players: rules.players().to_vec(),
        rules: cert::Digest::of_rules(rules),
        params: rules.params.iter().map(|(name, value)| (name.clone(), rules.show(value))).collect(),
        convention: cert::Convention::of(rules),
        position: None,
        claim: Claim::Value(vec![Default::default(); 2]),
        tier: Tier::Ground,
    };
    proof.lemmas = vec![lemma(0), lemma(1)];
    let said = accepts(&game, &proof);
    assert!(said.as_ref().is_err_and(|why| why.contains("does more than claim a cell")), "{said:?}");
}

/// Returns true if pairs of the fluents 2 to 26, the cells of a board of five by five, are disjoint and stop all its
/// lines of five.
fn stops_all_lines(pairs: &[(u32, u32)]) -> bool {
    let cells: Vec<u32> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
    let apart = (0..cells.len()).all(|i| (2..27).contains(&cells[i]) && !cells[..i].contains(&cells[i]));
    let at = |column: u32, row: u32| 2 + row * 5 + column;
    let line = |of: &dyn Fn(u32) -> u32| (0..5).map(of).collect::<Vec<u32>>();
    let mut lines = vec![line(&|i| at(i, i)), line(&|i| at(i, 4 - i))];
    lines.extend((0..5).flat_map(|j| [line(&|i| at(i, j)), line(&|i| at(j, i))]));
    let served = |line: &Vec<u32>| pairs.iter().any(|(a, b)| line.contains(a) && line.contains(b));
    apart && lines.iter().all(served)
}

/// Every change of a certificate is refused.
#[test]
fn changed_strategies_are_refused() {
    let hatch = of(super::game("hatch"), &["n=10", "k=4"]);
    let mirror = proof(&hatch, &by(&hatch, method("symmetry")));
    let gomoku = of(super::game("gomoku"), &["m=5", "n=5", "k=5"]);
    let pairing = proof(&gomoku, &by(&gomoku, method("pairing")));
    let mut changed = 0;
    let mut refuse = |game: &Game, certificate: &Certificate, whole: &Certificate, what: &str| {
        if certificate != whole {
            assert!(accepts(game, certificate).is_err(), "{what}");
            changed += 1;
        }
    };
    let Lemma::Mirror(of) = &mirror.lemmas[0] else { panic!("a mirror") };
    for (place, image) in of.images.iter().enumerate() {
        for to in 0..12 {
            let mut other = mirror.clone();
            let Lemma::Mirror(lemma) = &mut other.lemmas[0] else { panic!("a mirror") };
            lemma.images[place].to = to;
            refuse(&hatch, &other, &mirror, &format!("{image:?} to {to}"));
        }
        for values in [vec![1, 0], vec![0, 0], vec![0], vec![0, 7]] {
            let mut other = mirror.clone();
            let Lemma::Mirror(lemma) = &mut other.lemmas[0] else { panic!("a mirror") };
            lemma.images[place].values = values;
            refuse(&hatch, &other, &mirror, &format!("{image:?} with other values"));
        }
        let mut other = mirror.clone();
        let Lemma::Mirror(lemma) = &mut other.lemmas[0] else { panic!("a mirror") };
        lemma.images.remove(place);
        refuse(&hatch, &other, &mirror, &format!("without {image:?}"));
    }
    for opening in [None, Some("hatch(5, 1)"), Some("hatch(1, 1)"), Some("hatch(4, 3)"), Some("pass")] {
        let mut other = mirror.clone();
        let Lemma::Mirror(lemma) = &mut other.lemmas[0] else { panic!("a mirror") };
        lemma.opening = opening.map(String::from);
        refuse(&hatch, &other, &mirror, &format!("opening {opening:?}"));
    }
    for place in 0..2 {
        let Lemma::Pairing(of) = &pairing.lemmas[place] else { panic!("a pairing") };
        for number in 0..of.openings[0].pairs.len() {
            let mut other = pairing.clone();
            let Lemma::Pairing(lemma) = &mut other.lemmas[place] else { panic!("a pairing") };
            lemma.openings[0].pairs.remove(number);
            if stops_all_lines(&lemma.openings[0].pairs) {
                continue;
            }
            refuse(&gomoku, &other, &pairing, "a pair less");
            for cell in 0..28 {
                let mut other = pairing.clone();
                let Lemma::Pairing(lemma) = &mut other.lemmas[place] else { panic!("a pairing") };
                lemma.openings[0].pairs[number].1 = cell;
                // If other pairs stop its lines as well, it is another pairing and no false one.
                if stops_all_lines(&lemma.openings[0].pairs) {
                    continue;
                }
                refuse(&gomoku, &other, &pairing, &format!("{:?} with {cell}", of.openings[0].pairs[number]));
            }
        }
    }
    for (game, whole) in [(&hatch, &mirror), (&gomoku, &pairing)] {
        for player in 0..3 {
            let mut other = whole.clone();
            for lemma in &mut other.lemmas {
                let (Lemma::Mirror(cert::MirrorLemma { bound, .. })
                | Lemma::Pairing(cert::PairingLemma { bound, .. })) = lemma
                else {
                    continue;
                };
                bound.holder = Some(player);
            }
            refuse(game, &other, whole, &format!("for player {player}"));
        }
        let mut other = whole.clone();
        other.header.tier = Tier::Explicit;
        refuse(game, &other, whole, "another tier");
        let mut other = whole.clone();
        other.lemmas.pop();
        refuse(game, &other, whole, "a lemma less");
    }
    assert!(changed > 400, "{changed}");
}

/// Noughts and crosses in which only Maker's lines count.
const MAKER_BREAKER: &str = "game \"Maker and Breaker\"; players Maker, Breaker; board Cell = grid(3, 3);\n\
    state { at[c: Cell]: Player? = none; }\n\
    move mark(c: Cell) { when at[c] = none; at[c] := me; }\n\
    end { when some l in lines(Cell, 3): all c in l: at[c] = Maker => Maker wins;\n\
    when all c in Cell: at[c] != none => Breaker wins; }\n";

/// Three by three Maker wins, so Breaker has no pairing; five in line on five by five Breaker has pairs.
#[test]
fn maker_and_breaker() {
    let three = of(GameSource::from_string("maker.bou", MAKER_BREAKER), &[]);
    assert_eq!(by(&three, method("auto")).value.map(|value| value.kind), Some(ValueKind::Win(0)));
    let text = MAKER_BREAKER.replace("grid(3, 3)", "grid(5, 5)").replace("Cell, 3", "Cell, 5");
    let five = of(GameSource::from_string("five.bou", &text), &[]);
    let (solution, whole) = proves(&five, method("pairing"), 1);
    assert!(solution.why.starts_with("Breaker takes the other cell of a pair"), "{}", solution.why);
    let Lemma::Pairing(pairing) = &whole.lemmas[0] else { panic!("a pairing") };
    for number in 0..pairing.openings[0].pairs.len() {
        let mut other = whole.clone();
        let Lemma::Pairing(lemma) = &mut other.lemmas[0] else { panic!("a pairing") };
        lemma.openings[0].pairs.remove(number);
        let serves = stops_all_lines(&lemma.openings[0].pairs);
        assert_eq!(accepts(&five, &other).is_ok(), serves, "without pair {number}");
    }
}

/// If a move and its answer always take the same total, the strategy is described by the rest.
#[test]
fn what_makes_up_a_full_number() {
    for (settings, winner, told) in [
        (
            &["n=21"][..],
            0,
            "First begins with 1 and from then on brings heap to a multiple of 4, answering 1 by 3",
        ),
        (&["n=60", "takes=[1,2,3,4]"], 1, "Second brings heap to a multiple of 5, answering 1 by 4, 2 by 3"),
        (&["n=15", "takes=[2,3]"], 1, "Second brings heap to a multiple of 5, answering 2 by 3, 3 by 2"),
        (&["n=16", "takes=[2,3]"], 1, "Second brings heap to 1 more than a multiple of 5, answering"),
    ] {
        let (solution, _) = proves(&of(super::game("subtraction"), settings), method("pairing"), winner);
        assert!(solution.why.contains(told), "{settings:?}: {}", solution.why);
    }
    // A move that takes from one heap is answered in the other: neither becomes a multiple.
    let (solution, _) = proves(&of(super::game("nim"), &["heaps=[5,5]"]), method("pairing"), 1);
    assert!(!solution.why.contains("multiple"), "{}", solution.why);
}

/// A heap of one in misère play: the only move leaves nothing, and the player who is then to move has won.
const ONLY_MOVE_LOSES: &str = "game \"Last one loses\"; players A, B; state { heap: 0..3 = 1; }\n\
    move take(k: 1..3) { when k <= heap; heap -= k; }\nplay misere;\n";

/// Asserts that a method finds a strategy for this winner and that the checker accepts its certificate, read back
/// unchanged.
fn proves(game: &Game, method: &'static dyn Solver, winner: u32) -> (Solution, Certificate) {
    let solution = by(game, method);
    let kind = solution.value.as_ref().map(|value| value.kind);
    let name = &game.rules.name;
    assert_eq!(kind, Some(ValueKind::Win(winner)), "{name} {:?}: {:?}", game.rules.params, solution.reason);
    let proof = proof(game, &solution);
    assert_eq!(proof.header.tier, Tier::Ground);
    assert_eq!(accepts(game, &proof), Ok(()), "{name}");
    assert_eq!(cert::parse(&cert::write(&proof)).as_ref(), Ok(&proof));
    (solution, proof)
}

/// The first player wins Chomp on every board but the smallest; the proof names no move.
#[test]
fn chomp_is_won_without_a_move() {
    for cols in 1..=6 {
        for rows in 1..=5 {
            if (cols, rows) == (1, 1) {
                continue;
            }
            let game = of(super::game("chomp"), &[&format!("cols={cols}"), &format!("rows={rows}")]);
            let (solution, _) = proves(&game, method("steal"), 0);
            assert!(solution.best_moves.is_empty() && solution.line.is_empty());
        }
    }
    // The same argument in misère play: with two left, taking one leaves the last to the other player.
    let misere = ONLY_MOVE_LOSES.replace("= 1;", "= 3;");
    proves(&of(GameSource::from_string("misere.bou", &misere), &[]), method("steal"), 0);
}

#[test]
fn changed_first_moves_are_refused() {
    let game = of(super::game("chomp"), &["cols=3", "rows=3"]);
    let (_, whole) = proves(&game, method("steal"), 0);
    let mut refused = 0;
    for cell in ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3", "d4"] {
        let mut other = whole.clone();
        let Lemma::Steal(steal) = &mut other.lemmas[0] else { panic!("a stolen strategy") };
        steal.by = cert::StealArgument::Absorption(format!("bite({cell})"));
        // The steal needs a first bite whose result every later bite contains: only the far corner.
        assert_eq!(accepts(&game, &other).is_ok(), cell == "c3", "{cell}");
        refused += 1;
    }
    let mut other = whole.clone();
    let Lemma::Steal(steal) = &mut other.lemmas[0] else { panic!("a stolen strategy") };
    steal.bound.holder = Some(1);
    assert!(accepts(&game, &other).is_err());
    assert_eq!(refused, 10);
}

/// Games whose length has a fixed parity.
#[test]
fn parities() {
    let cases: &[(&str, &[&str], u32)] = &[
        ("chocolate", &["cols=4", "rows=3"], 0),
        ("chocolate", &["cols=3", "rows=3"], 1),
        ("chocolate", &["cols=2", "rows=2"], 0),
        ("chocolate", &["cols=5", "rows=3"], 1),
        ("chocolate", &["cols=4", "rows=4"], 0),
        ("hatch", &["n=7", "k=1"], 0),
        ("hatch", &["n=40", "k=1"], 1),
        ("subtraction", &["n=13", "takes=[1,3,5]"], 0),
        ("subtraction", &["n=14", "takes=[1,3,5]"], 1),
    ];
    let mut changed = 0;
    for (name, settings, winner) in cases {
        let game = of(super::game(name), settings);
        let (_, whole) = proves(&game, method("parity"), *winner);
        let Lemma::Parity(parity) = &whole.lemmas[0] else { panic!("a parity") };
        for place in 0..parity.weights.len().min(12) {
            let mut refuse = |change: &dyn Fn(&mut cert::ParityLemma)| {
                let mut other = whole.clone();
                let Lemma::Parity(lemma) = &mut other.lemmas[0] else { panic!("a parity") };
                change(lemma);
                assert!(accepts(&game, &other).is_err(), "{name} {place}");
                changed += 1;
            };
            refuse(&|parity| drop(parity.weights.remove(place)));
            refuse(&|parity| parity.weights[place].1[0] += 60);
            refuse(&|parity| parity.bound.holder = Some(1 - *winner));
        }
    }
    assert!(changed > 60, "{changed}");
}

/// Answers that depend on the move alone: dominoes, complements, vertices along a matching.
#[test]
fn answers_to_moves() {
    let vertices = |edges: &str, first: &str| {
        format!(
            "game \"Vertex geography\"; players A, B; board Point = graph {{ {edges} }};\n\
             state {{ token: Point = {first}; left: set of Point = Point - {{ {first} }}; }}\n\
             move go(to: Point) as \"{{to}}\" {{ when to in token.neighbors & left; token := to; left -= {{ to }}; }}\n\
             play normal;\n"
        )
    };
    let path = vertices("line a - b - c - d - e;", "a");
    let even = vertices("line a - b - c - d;", "a");
    let star = vertices("m - p; m - q; p - x; q - y;", "m");
    let cases: Vec<(Game, u32)> = vec![
        (of(super::game("sliding_squares"), &["n=3"]), 1),
        (of(super::game("sliding_squares"), &["n=5"]), 1),
        (of(super::game("subtraction"), &["n=21"]), 0),
        (of(super::game("subtraction"), &["n=60", "takes=[1,2,3,4]"]), 1),
        (of(super::game("nim"), &["heaps=[5,5]"]), 1),
        (of(GameSource::from_string("path.bou", &path), &[]), 1),
        (of(GameSource::from_string("even.bou", &even), &[]), 0),
        (of(GameSource::from_string("star.bou", &star), &[]), 1),
    ];
    let mut changed = 0;
    for (game, winner) in &cases {
        let (_, whole) = proves(game, method("pairing"), *winner);
        let all = by(game, method("auto"));
        assert_eq!(all.value.map(|value| value.kind), Some(ValueKind::Win(*winner)), "{}", game.rules.name);
        let Lemma::Answers(answers) = &whole.lemmas[0] else { panic!("answers") };
        let mut refuse = |change: &dyn Fn(&mut cert::AnswersLemma), what: String| {
            let mut other = whole.clone();
            let Lemma::Answers(lemma) = &mut other.lemmas[0] else { panic!("answers") };
            change(lemma);
            assert!(accepts(game, &other).is_err(), "{}: {what}", game.rules.name);
            changed += 1;
        };
        refuse(&|answers| answers.bound.holder = Some(1 - winner), "the other player".into());
        refuse(&|answers| answers.opening = Some("pass".into()), "another opening".into());
        for place in 0..answers.pairs.len() {
            let what = format!("{:?}", answers.pairs[place]);
            refuse(&|answers| drop(answers.pairs.remove(place)), format!("without {what}"));
            for other in 0..answers.pairs.len() {
                if answers.pairs[other].1 != answers.pairs[place].1 {
                    let answer = answers.pairs[other].1.clone();
                    refuse(&|of| of.pairs[place].1 = answer.clone(), format!("{what}, but {answer}"));
                }
            }
        }
    }
    assert!(changed > 150, "{changed}");
}

/// Four in line on four by four is a draw: neither player has pairs at once, both have them after a few moves.
#[test]
fn pairings_after_a_few_moves() {
    let game = of(super::game("gomoku"), &["m=4", "n=4", "k=4"]);
    let solution = by(&game, method("pairing"));
    let kind = solution.value.as_ref().map(|value| value.kind);
    assert_eq!(kind, Some(ValueKind::Draw), "{:?}", solution.reason);
    let whole = proof(&game, &solution);
    assert_eq!((whole.lemmas.len(), whole.header.tier), (2, Tier::Ground));
    assert_eq!(accepts(&game, &whole), Ok(()));
    assert_eq!(cert::parse(&cert::write(&whole)).as_ref(), Ok(&whole));
    let Lemma::Pairing(second) = &whole.lemmas[1] else { panic!("a pairing") };
    let openings = |of: &cert::PairingLemma| {
        let mut openings: Vec<String> = of.openings.iter().map(|begun| begun.moves[0].clone()).collect();
        openings.dedup();
        openings.len()
    };
    assert_eq!(openings(second), 16, "every first move has its answer");
    let mut changed = 0;
    for place in 0..second.openings.len() {
        let mut refuse = |change: &dyn Fn(&mut cert::PairingLemma), what: &str| {
            let mut other = whole.clone();
            let Lemma::Pairing(lemma) = &mut other.lemmas[1] else { panic!("a pairing") };
            change(lemma);
            assert!(accepts(&game, &other).is_err(), "{what}: {:?}", second.openings[place]);
            changed += 1;
        };
        refuse(&|of| drop(of.openings.remove(place)), "a beginning less");
        refuse(&|of| drop(of.openings[place].moves.pop()), "a move less");
        refuse(&|of| of.openings[place].moves.push("put(a1)".into()), "a move more");
        refuse(&|of| of.openings[place].pairs.clear(), "without pairs");
        refuse(&|of| of.openings[place].pairs[0].1 += 40, "a pair with what is no cell");
    }
    assert!(changed >= 80, "{changed}");
}

/// Games in which the players may change places are worth 0, though they choose simultaneously.
#[test]
fn players_who_may_change_places() {
    let mut changed = 0;
    for name in ["tic_tic_toe"] {
        let game = of(super::game(name), &[]);
        let solution = by(&game, method("symmetry"));
        let kind = solution.value.as_ref().map(|value| value.kind);
        assert_eq!(kind, Some(ValueKind::Draw), "{name}: {:?}", solution.reason);
        let whole = proof(&game, &solution);
        assert_eq!(accepts(&game, &whole), Ok(()), "{name}");
        assert_eq!(cert::parse(&cert::write(&whole)).as_ref(), Ok(&whole));
        let Lemma::Exchange(exchange) = &whole.lemmas[0] else { panic!("an exchange") };
        let mut refuse = |change: &dyn Fn(&mut cert::ExchangeLemma), what: &str| {
            let mut other = whole.clone();
            let Lemma::Exchange(lemma) = &mut other.lemmas[0] else { panic!("an exchange") };
            change(lemma);
            assert!(accepts(&game, &other).is_err(), "{name}: {what}");
            changed += 1;
        };
        for place in 0..exchange.images.len() {
            refuse(&|of| drop(of.images.remove(place)), "an image less");
            refuse(&|of| of.images[place].values.swap(0, 1), "other values");
            refuse(&|of| of.images[place].to = 0, "another fluent");
        }
        for player in 0..2 {
            for place in 0..exchange.moves[player].len() {
                refuse(&|of| drop(of.moves[player].remove(place)), "a move less");
                refuse(&|of| of.moves[player][place].1 = "pass".into(), "no move");
                let next = exchange.moves[player][(place + 1) % exchange.moves[player].len()].1.clone();
                refuse(&|of| of.moves[player][place].1 = next.clone(), "another move");
            }
        }
        for place in 0..exchange.odd.len() {
            refuse(&|of| drop(of.odd.remove(place)), "a weight less");
        }
        let mut other = whole.clone();
        other.header.claim = Claim::Wins { player: 0, plies: None };
        assert!(accepts(&game, &other).is_err(), "{name}: a win");
    }
    assert!(changed > 80, "{changed}");
}

/// Players who take turns cannot change places, because the player to move would change. If they are not opponents,
/// one's gain need not be the other's loss.
#[test]
fn players_who_may_not_change_places() {
    let tictactoe = of(super::game("tictactoe"), &[]);
    let exchange = of(super::game("tic_tic_toe"), &[]);
    let mut proof = proof(&exchange, &by(&exchange, method("symmetry")));
    let rules = &tictactoe.rules;
    proof.header.game = cert::one_line(&rules.name);
    proof.header.rules = cert::Digest::of_rules(rules);
    proof.header.params.clear();
    proof.header.convention = cert::Convention::of(rules);
    let claimed = |images: Vec<cert::mirror::FluentImage>| {
        let Lemma::Exchange(whole) = &proof.lemmas[0] else { panic!("an exchange") };
        let mut other = proof.clone();
        let odd = Vec::new();
        other.lemmas = vec![Lemma::Exchange(cert::ExchangeLemma { images, moves: whole.moves.clone(), odd })];
        accepts(&tictactoe, &other).expect_err("X moves first")
    };
    let ground = bouton_grounding::ground(rules, &Limits::default()).expect("written out");
    let cell = |id: bouton_grounding::FluentId| {
        let number = id.0;
        let swapped = ground.fluents.get(id).values.iter().map(|value| match value {
            bouton_rules::Value::Sym(of, player) => bouton_rules::Value::Sym(*of, 1 - player),
            other => other.clone(),
        });
        let values: Vec<_> = swapped.collect();
        let own = &ground.fluents.get(id).values;
        let values = values.iter().map(|value| own.iter().position(|v| v == value).expect("there") as u8);
        cert::mirror::FluentImage { from: number, to: number, values: values.collect() }
    };
    let turn = ground.fluents.turn();
    let all = ground.fluents.iter().map(|(id, _)| id).filter(|id| *id != ground.fluents.phase());
    let all: Vec<_> = all.collect();
    let why = claimed(all.iter().copied().map(cell).collect());
    assert!(why.contains("is not as it was after the exchange"), "{why}");
    let why = claimed(all.into_iter().filter(|id| *id != turn).map(cell).collect());
    assert!(why.contains("does something else after the exchange"), "{why}");
    let dilemma = by(&of(super::game("prisoners_dilemma"), &[]), method("symmetry"));
    let why = dilemma.reason.unwrap_or_default();
    assert!(why.contains("do not add up to 0"), "{why}");
}

/// A player's explanation of his move is that of the strategy, and by the strategy he wins whatever the other player
/// does.
#[test]
fn play_by_strategies_and_why() {
    let cases: &[(&str, &[&str], u32, &str)] = &[
        ("hatch", &["n=10", "k=4"], 0, "it is the mirror image of the move"),
        ("cram", &["cols=4", "rows=4"], 1, "it is the mirror image of the move"),
        ("nim", &["heaps=[2,3,4,7]"], 0, "every binary column has an even number of ones"),
        ("sliding_squares", &["n=3"], 1, "it is the answer that goes with the move"),
        ("gomoku", &["m=5", "n=5", "k=5"], 1, "it is the other cell of the pair of"),
    ];
    for (name, settings, engine_is, reason) in cases {
        let mut reasons = 0;
        for seed in 0..6 {
            let game = of(super::game(name), settings);
            let start = game.machine.initial();
            let budget = Budget { time: Some(std::time::Duration::from_secs(1)), ..Budget::default() };
            let options = EngineOptions { level: EngineLevel::Perfect, table: None, budget };
            let (mut engine, _) = Engine::new(&game, &start, options, &NoProgress);
            let mut session = Session::new(game, start, vec![1 - engine_is], seed);
            let outcome = loop {
                let successors = session.successors().expect("sound rules");
                let next = match session.turn().expect("sound rules") {
                    ToMove::Terminal(outcome) => break outcome,
                    ToMove::Player(player) if player == *engine_is => {
                        let choice = engine.choose(&mut session).expect("a move");
                        reasons += usize::from(choice.why.contains(reason));
                        choice.successor
                    }
                    _ => {
                        let place = session.random_below(successors.len());
                        successors[place].clone()
                    }
                };
                session.make(next, false);
            };
            assert!(
                outcome.payoffs[*engine_is as usize] >= Default::default(),
                "{name}: {:?}",
                session.words()
            );
        }
        assert!(reasons > 2, "{name}: {reasons}");
    }
}

#[test]
fn a_puzzle_with_several_wins_is_refuted_by_a_sum() {
    let text = "game \"Several wins\";\nplayer A;\nstate { n: 0..3 = 0; m: 0..3 = 2; }\n\
                move down() { when 0 < m; m -= 1; }\n\
                end { when n = 1 and m = 0 => win; when n = 2 => win; when stuck => lose; }\n";
    let game = of(GameSource::from_string("several_wins.bou", text), &[]);
    let solution = by(&game, method("parity"));
    let kind = solution.value.as_ref().map(|value| value.kind);
    assert_eq!(kind, Some(ValueKind::Unsolvable), "{:?}", solution.reason);
}
