//! Strategies that can be remembered: found, accepted by the checker, and refused where they do not hold.

use bouton::base::limits::{Limits, Silent};
use bouton::cert::{self, Bound, Certificate, Claim, Lemma, Tier};
use bouton::driver::load::Text;
use bouton::driver::strategy;
use bouton::game::Game;
use bouton::solve::certify::{Wanted, certificate};
use bouton::solve::{Method, Options, Solution, Status, ValueKind, solve};
use bouton::verify::{Verdict, verify};

fn of(text: Text, settings: &[&str]) -> Game {
    let settings: Vec<String> = settings.iter().map(|s| s.to_string()).collect();
    text.given(&settings, None).expect("settings").game(None).expect("sound rules")
}

fn by(game: &Game, method: Method) -> Solution {
    let limits = Limits::default();
    let start = game.machine.initial();
    if method.is_strategy() {
        return strategy::solve(game, &start, method, &limits);
    }
    solve(game, &start, method, &Options::default(), &limits, &Silent).expect("sound rules")
}

fn proof(game: &Game, solution: &Solution) -> Certificate {
    let limits = Limits::default();
    let wanted = Wanted { strong: false, positions: None, limits: &limits };
    certificate(game, &game.machine.initial(), solution, &wanted).expect("a certificate")
}

fn accepts(game: &Game, certificate: &Certificate) -> Result<(), String> {
    match verify(&game.rules, certificate, &Limits::default(), None) {
        Verdict::Accepted(_) => Ok(()),
        Verdict::Rejected(rejection) => Err(rejection.reason),
        Verdict::Limit(hit) => Err(hit.to_string()),
    }
}

/// Who wins by mirroring, and with which first move.
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
        let solution = by(&game, Method::Symmetry);
        let kind = solution.value.as_ref().map(|value| value.kind);
        assert_eq!(kind, Some(ValueKind::Win(*winner)), "{name} {settings:?}: {:?}", solution.reason);
        let best = solution.best_moves.first().map(|made| made.written.as_str());
        assert_eq!(best, *opening, "{name} {settings:?}");
        let proof = proof(&game, &solution);
        assert_eq!(proof.header.tier, Tier::Ground);
        assert_eq!(accepts(&game, &proof), Ok(()), "{name} {settings:?}");
        assert_eq!(cert::read(&cert::write(&proof)).as_ref(), Ok(&proof));
    }
}

/// Every size of a strip or board where the whole can be gone through, too: both say the same.
#[test]
fn mirroring_agrees_with_going_through_all_positions() {
    let mut found = 0;
    for n in 2..=if super::slow() { 12 } else { 9 } {
        for k in 1..=n {
            let game = of(super::game("hatch"), &[&format!("n={n}"), &format!("k={k}")]);
            let all = by(&game, Method::Auto).value.expect("small");
            let mirror = by(&game, Method::Symmetry);
            // The published table: who moves second wins only for k = 1 and n even, and mirroring wins everywhere.
            let second = k == 1 && n % 2 == 0;
            assert_eq!(all.kind, ValueKind::Win(u32::from(second)), "n = {n}, k = {k}");
            assert_eq!(mirror.value.map(|value| value.kind), Some(all.kind), "n = {n}, k = {k}");
            found += 1;
        }
    }
    assert!(found > 40);
}

#[test]
fn pairing_strategies() {
    for (size, lines) in [("5", "k=5"), ("6", "k=6")] {
        let game = of(super::game("gomoku"), &[&format!("m={size}"), &format!("n={size}"), lines]);
        let solution = by(&game, Method::Pairing);
        let kind = solution.value.as_ref().map(|value| value.kind);
        assert_eq!(kind, Some(ValueKind::Draw), "{:?}", solution.reason);
        let proof = proof(&game, &solution);
        assert_eq!(accepts(&game, &proof), Ok(()));
        assert_eq!(cert::read(&cert::write(&proof)).as_ref(), Ok(&proof));
    }
}

/// What does not hold is refused, with the reason.
#[test]
fn where_strategies_do_not_hold() {
    let misere = "game \"Misere Cram\"; players A, B; board Cell = grid(2, 2); type Way = { N, E };\n\
        state { full: set of Cell = {}; }\n\
        move place(c: Cell, d: Way) { let domino = { c, c + d }; when domino & full = {}; full |= domino; }\n\
        play misere;\n";
    let cases: Vec<(Game, Method, &str)> = vec![
        (
            of(Text::of("misere.bou", misere), &[]),
            Method::Symmetry,
            "does not always give the holder that much",
        ),
        (
            of(super::game("domineering"), &["cols=4", "rows=4"]),
            Method::Symmetry,
            "has no image among the holder's",
        ),
        (of(super::game("cram"), &["cols=3", "rows=3"]), Method::Symmetry, "and its image meet"),
        (of(super::game("dawsons_kayles"), &[]), Method::Symmetry, "and its image meet"),
        (of(super::game("tictactoe"), &[]), Method::Symmetry, "does not end just where"),
        (of(super::game("tictactoe"), &[]), Method::Pairing, "no pairs of cells"),
        (of(super::game("gomoku"), &["m=4", "n=4", "k=4"]), Method::Pairing, "no pairs of cells"),
        (of(super::game("chess"), &[]), Method::Symmetry, "cannot be written out"),
    ];
    for (game, method, reason) in cases {
        let solution = by(&game, method);
        assert_eq!(solution.status, Status::Unknown, "{}", game.rules.name);
        let why = solution.reason.unwrap_or_default();
        assert!(why.contains(reason), "{}: {why}", game.rules.name);
    }
}

/// A row of cells that are claimed from the bottom up: a pair of which one cell is not free yet is no pair.
#[test]
fn cells_that_are_not_free_to_claim_are_not_paired() {
    let game = of(super::game("connect_four"), &["cols=4", "rows=4"]);
    let bound = |holder: u32| Bound { holder: Some(holder), payoff: Default::default() };
    // Every cell with the one above it, as if it could be taken at once.
    let first = game.rules.fields.entries().map(|(_, field)| field.cells()).take(2).sum::<usize>() as u32;
    let pairs: Vec<(u32, u32)> = (0..8).map(|i| (first + 2 * i, first + 2 * i + 1)).collect();
    let lemma = |holder: u32| Lemma::Pairing(cert::Pairing { bound: bound(holder), pairs: pairs.clone() });
    let hatch = of(super::game("hatch"), &["n=8", "k=1"]);
    let mut proof = proof(&hatch, &by(&hatch, Method::Symmetry));
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

/// Whether pairs of the fluents 2 to 26, the cells of a board of five by five, are pairs and serve all its lines of five.
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

/// Whatever is changed in a certificate, it is refused.
#[test]
fn changed_strategies_are_refused() {
    let hatch = of(super::game("hatch"), &["n=10", "k=4"]);
    let mirror = proof(&hatch, &by(&hatch, Method::Symmetry));
    let gomoku = of(super::game("gomoku"), &["m=5", "n=5", "k=5"]);
    let pairing = proof(&gomoku, &by(&gomoku, Method::Pairing));
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
        for number in 0..of.pairs.len() {
            let mut other = pairing.clone();
            let Lemma::Pairing(lemma) = &mut other.lemmas[place] else { panic!("a pairing") };
            lemma.pairs.remove(number);
            if stops_all_lines(&lemma.pairs) {
                continue;
            }
            refuse(&gomoku, &other, &pairing, "a pair less");
            for cell in 0..28 {
                let mut other = pairing.clone();
                let Lemma::Pairing(lemma) = &mut other.lemmas[place] else { panic!("a pairing") };
                lemma.pairs[number].1 = cell;
                // Where other pairs serve its lines, too, it is another pairing and no false one.
                if stops_all_lines(&lemma.pairs) {
                    continue;
                }
                refuse(&gomoku, &other, &pairing, &format!("{:?} with {cell}", of.pairs[number]));
            }
        }
    }
    for (game, whole) in [(&hatch, &mirror), (&gomoku, &pairing)] {
        for player in 0..3 {
            let mut other = whole.clone();
            for lemma in &mut other.lemmas {
                let (Lemma::Mirror(cert::Mirror { bound, .. }) | Lemma::Pairing(cert::Pairing { bound, .. })) =
                    lemma
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
