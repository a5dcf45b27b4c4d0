//! Reports: their content for three games, and that HTML pages are complete and well-formed.

use bouton_base::limits::{Limits, NoProgress};
use bouton_driver::budget::Budget;
use bouton_driver::position::resolve_start;
use bouton_driver::report::{ReportRequest, report};
use bouton_report::page::{MoveOutcome, Page, StrategyOrigin};

use super::{assert_text_snapshot, game};

fn page_of(name: &str, settings: &[&str], moves: Option<&str>) -> Page {
    let settings: Vec<String> = settings.iter().map(|s| s.to_string()).collect();
    let mut text = game(name).with_settings(&settings, None).expect("settings");
    let budget = Budget { memory: Some(1 << 30), ..Budget::default() };
    text.set_backend(&budget, None);
    let start = resolve_start(&mut text, None, moves, &Limits::default())
        .unwrap_or_else(|why| panic!("{name}: {why:?}"));
    let position = moves.map(|m| format!("--moves '{m}'")).into_iter().collect();
    let asked = ReportRequest { budget: &budget, position, table: None, progress: &NoProgress };
    report(&mut text, &start, &asked).unwrap_or_else(|why| panic!("{name}: {why:?}")).page
}

fn page_of_text(source: &str) -> Page {
    let mut text = bouton_driver::load::GameSource::from_string("x.bou", source);
    let start = resolve_start(&mut text, None, None, &Limits::default()).expect("a game");
    let asked = ReportRequest {
        budget: &Budget::default(),
        position: Vec::new(),
        table: None,
        progress: &NoProgress,
    };
    report(&mut text, &start, &asked).expect("a report").page
}

/// Returns the page as well-formed XML, with empty elements closed.
pub fn well_formed(page: &str) -> String {
    let void = ["meta", "input"];
    let mut closed = page.replacen("<!DOCTYPE html>", "", 1);
    for name in void {
        let mut from = 0;
        while let Some(at) = closed[from..].find(&format!("<{name} ")) {
            let end = from + at + closed[from + at..].find('>').expect("the end of a tag");
            closed.insert(end, '/');
            from = end;
        }
    }
    if let Err(error) = roxmltree::Document::parse(&closed) {
        panic!("{error}\n{closed}");
    }
    closed
}

/// Asserts that the page refers to nothing outside of itself, and that its content policy allows no other script than
/// its own, if it has one.
fn stands_alone(page: &str) {
    let tree = well_formed(page);
    let tree = roxmltree::Document::parse(&tree).expect("it was read before");
    for node in tree.descendants().filter(roxmltree::Node::is_element) {
        assert!(!matches!(node.tag_name().name(), "link" | "img" | "iframe"), "{:?}", node.tag_name());
        for attribute in node.attributes() {
            assert!(
                !matches!(attribute.name(), "src" | "href" | "onclick" | "onload"),
                "{}",
                attribute.name()
            );
            assert!(!attribute.value().contains("url("), "{}", attribute.value());
        }
        if node.tag_name().name() == "script" {
            let policy = tree.descendants().find(|of| of.attribute("http-equiv").is_some());
            let policy = policy.and_then(|of| of.attribute("content")).unwrap_or_default();
            assert!(
                policy.starts_with("default-src 'none';") && policy.contains("script-src 'sha256-"),
                "{policy}"
            );
        }
        if node.tag_name().name() == "style" {
            let style = node.text().unwrap_or_default();
            assert!(!style.contains("url(") && !style.contains("@import"));
        }
    }
}

/// Returns the text without the version of the program and the hash of the rules.
fn settled(page: &Page, text: &str) -> String {
    let hash = page.certificate.as_deref().expect("a certificate was accepted");
    text.replace(env!("CARGO_PKG_VERSION"), "[version]").replace(hash, "[hash]")
}

#[test]
fn hatch() {
    let page = page_of("hatch", &["n=5", "k=2"], None);
    assert_eq!((page.standing.checked, page.strategy.from), (true, StrategyOrigin::Rule));
    assert_text_snapshot("report_hatch", &settled(&page, &page.text()));
    stands_alone(&page.html());
}

#[test]
fn what_is_not_solved_has_figures_of_play() {
    // There are no values for three players.
    let source = "game \"Three\"; players A, B, C; state { left: 0..12 = 12; }\n\
                  move take(k: 1..3) as \"{k}\" { when k <= left; left -= k; }\n\
                  end { when left = 0 => mover loses; }";
    let page = page_of_text(source);
    let heads: Vec<&str> = page.figures.iter().filter_map(|line| Some(line.split_once(':')?.0)).collect();
    let ahead = ["Length where all look 2 moves ahead", "Mean payoffs where all look 2 moves ahead"];
    assert_eq!(heads, [&["Length", "Choice", "Mean payoffs of random play"][..], &ahead].concat());
    assert!(page.text().contains("FIGURES OF PLAY"));
    assert_eq!(page_of_text(source).figures, page.figures, "the seeds are fixed");
    stands_alone(&page.html());
}

#[test]
fn tictactoe_after_two_moves() {
    let page = page_of("tictactoe", &[], Some("b2 b1"));
    let won: Vec<&str> =
        page.moves.iter().filter(|m| m.worth == MoveOutcome::Win).map(|m| m.name.as_str()).collect();
    assert_eq!(won, ["a1", "c1", "a2", "c2", "a3", "c3"]);
    assert_text_snapshot("report_tictactoe", &settled(&page, &page.markdown()));
    let html = page.html();
    stands_alone(&html);
    assert!(html.contains("class=\"cell win\""), "cells are coloured by what moving there is worth");
}

#[test]
fn small_games_can_be_played_in_the_page() {
    for (name, settings, positions) in
        [("tictactoe", &[][..], 5478), ("hare_and_hounds", &[], 2116), ("pig", &[], 2106)]
    {
        let page = page_of(name, settings, None);
        let playable = page.playable.as_ref().unwrap_or_else(|| panic!("{name} is small"));
        assert_eq!((playable.positions, &playable.holder), (positions, &None), "{name}");
        let html = page.html();
        assert!(html.len() < 1_000_000, "{name}: {} bytes", html.len());
        stands_alone(&html);
    }
    // What a player must not see is not in the page either.
    assert!(page_of("kuhn_poker", &[], None).playable.is_none());
}

#[test]
fn a_game_for_one() {
    let page = page_of("blocks_world", &["n=3"], None);
    assert_text_snapshot("report_blocks_world", &settled(&page, &page.text()));
    stands_alone(&page.html());
}

#[test]
fn every_kind_of_board_is_drawn() {
    for (name, settings, shape) in [
        ("hex", &["n=2"][..], "<polygon"),
        ("nim", &["heaps=[1, 2]"][..], "<rect"),
        ("toads_and_frogs", &[][..], "class=\"sign\""),
        ("domineering", &["cols=3", "rows=2"][..], "<rect"),
        ("dots_and_boxes", &["cols=1", "rows=1"][..], "class=\"cell side"),
        ("hare_and_hounds", &[][..], "class=\"sign\""),
    ] {
        let page = page_of(name, settings, None);
        assert!(page.board.svg.contains(shape), "{name}: {}", page.board.svg);
        let says_hare = page.board.legend.iter().any(|line| line.contains("h hare"));
        assert_eq!(says_hare, name == "hare_and_hounds", "{:?}", page.board.legend);
        stands_alone(&page.html());
        roxmltree::Document::parse(&page.board.svg).expect("the picture alone");
    }
    let source = "game \"Path\"; players A, B; board Point = graph { line p - q - r; q - s; };\n\
                  state { at: set of Point = {}; } move put(c: Point) as \"{c}\" { when c not in at; at |= { c }; }\n\
                  play normal;";
    let page = page_of_text(source);
    let picture = roxmltree::Document::parse(&page.board.svg).expect("a picture");
    let count = |name: &str| {
        picture.descendants().filter(|n| n.has_tag_name(("http://www.w3.org/2000/svg", name))).count()
    };
    // The fourth line is the axis: p, r and s can change places.
    assert_eq!((count("circle"), count("line")), (4, 3 + 1), "points, and the lines that join them");
}

#[test]
fn what_is_not_known_is_said() {
    // Seven players bid for what is worth different things to some of them, which the others do not know.
    let page = page_of_text(
        "game \"Auction\"; players A, B, C, D, E, F, G; phases { setup deal by chance; bid by each; }
         state { worth[p: Player]: 0..2 = 0 visible to p; offer[p: Player]: 0..2? = none; }
         private chance dealt(a: 0..2, b: 0..2, c: 0..2) in deal {
           worth[A] := a; worth[B] := b; worth[C] := c; continue bid;
         }
         move say(k: 0..2) in bid as \"{k}\" { offer[me] := k; }
         end { when all p in Player: offer[p] != none =>
           payoff p: if all q in Player: q = p or offer[p] > offer[q] then worth[p] - offer[p] else 0; }",
    );
    assert_eq!(
        (page.strategy.from, page.standing.checked, page.tree),
        (StrategyOrigin::Unknown, false, None)
    );
    assert!(
        page.strategy.sentences[0].starts_with("No strategy is known: "),
        "{:?}",
        page.strategy.sentences
    );
    assert!(!page.verdict.contains("wins"), "{}", page.verdict);
}

#[test]
fn equilibria_are_told_with_their_matrix() {
    let page = page_of("stag_hunt", &[], None);
    assert_eq!((page.strategy.from, page.standing.checked), (StrategyOrigin::Certificate, true));
    assert_eq!(page.strategy.sentences.len(), 3, "{:?}", page.strategy.sentences);
    let matrix = page.matrix.as_ref().expect("the choices");
    assert_eq!(matrix.lines(), ["      stag    hare", "stag  4*, 4*  1, 3", "hare  3, 1    3*, 3*"]);
    assert!(page.text().contains("\nTHE CHOICES\n        stag    hare\n"), "{}", page.text());
    assert!(page.figures.iter().any(|figure| figure.starts_with("Mean payoffs of random play: Ann ")));
    let html = page.html();
    assert_eq!(html.matches("<td class=\"mutual\">").count(), 2);
    let picture = &html[html.find("<svg class=\"payoffs\"").expect("a picture")..];
    let picture = &picture[..picture.find("</svg>").expect("its end") + "</svg>".len()];
    let picture = roxmltree::Document::parse(picture).expect("well-formed");
    let filled = |node: &roxmltree::Node<'_, '_>| node.attribute("class") == Some("point mutual");
    assert_eq!(picture.descendants().filter(filled).count(), 2);
    // Where what one gains the other loses, all points are on one line.
    let opposed = page_of("rock_paper_scissors", &[], None);
    assert!(opposed.matrix.is_some() && !opposed.html().contains("<svg class=\"payoffs\""));
}

#[test]
fn names_from_the_text_are_not_read_as_marks() {
    let source = "game \"<b>&\"; players A, B; state { n: 0..2 = 2; }\n\
                  move take(k: 1..2) as \"<i>{k}</i> & co\" { when k <= n; n -= k; } play normal;";
    let html = page_of_text(source).html();
    stands_alone(&html);
    assert!(html.contains("&lt;i&gt;2&lt;/i&gt; &amp; co") && !html.contains("<i>"), "{html}");
}

#[test]
fn sentences_about_strategies_say_no_more_than_holds() {
    // Of three players nobody is sure of his part of an equilibrium: the others may agree on something else.
    let heap = page_of_text(
        "game \"Heap\"; players A, B, C; state { heap: 0..7 = 7; last: Player? = none; }
         move take(k: 1..2) as \"{k}\" { when k <= heap; heap -= k; last := me; }
         end { when heap = 0 => payoff q: if q = last then 2 else if q = mover then 1 else 0; }",
    );
    let first = &heap.strategy.sentences[0];
    assert!(first.contains("A gets 0, B gets 2, C gets 1") && first.contains("nobody gains"), "{first}");
    assert!(!first.contains("guarantee"), "{first}");
    // An equilibrium that is no value is told by its play.
    let vote = page_of_text(
        "game \"Vote\"; players A, B, C; phases { vote by each; } state { voted[p: Player]: 0..2 = 0; }
         move cast(o: 1..2) as \"{o}\" { voted[me] := o; }
         end { when voted[A] > 0 => payoff p: if voted[p] = voted[A] and voted[p] = voted[B] then voted[p] else 0; }",
    );
    assert_eq!(vote.strategy.sentences, ["One equilibrium begins with (2, 2, 2)."]);
    // Chance moves first.
    let boxes = page_of_text(
        "game \"Throw\"; player Solver; phases { setup throw by chance; act; } state { die: 0..4 = 0; won: bool? = none; }
         chance roll(d: 1..4) in throw as \"({d})\" { die := d; continue act; }
         move keep() in act as \"keep\" { won := die > 3; }
         move turn_over() in act as \"turn\" { won := die < 2; }
         end { when won = true => win; when won = false => lose; }",
    );
    assert_eq!(
        boxes.strategy.sentences[0],
        "Chance acts first. With best play Solver wins 50% of the games."
    );
    assert_eq!(boxes.moves[1].words, "Solver wins 0% of the games");
    // The opening of a mirror strategy may leave nothing to mirror.
    let stalk = page_of_text(
        "game \"Stalk\"; players Left, Right; board Cell = strip(5); state { up: set of Cell = Cell; }
         const own[c: Cell]: Player = if c in { a1, b1, d1 } then Left else Right;
         move cut(c: Cell) as \"{c}\" { when c in up and own[c] = me; up -= { c } | ray(c, E); }
         play normal;",
    );
    assert_eq!(stalk.strategy.sentences, ["Left begins with a1."]);
    assert_eq!(stalk.strategy.why, ["That leaves no move, and the game is over."]);
    // Many lengths of play are no reason to put two results into ranges.
    let divisors = page_of_text(
        "game \"Divisors\"; players A, B; state { left: 1..30 = 30; }
         move subtract(d: 1..30) as \"{d}\" { when d < left and left mod d = 0; left -= d; }
         play normal;",
    );
    let bars: Vec<(&str, u64)> =
        divisors.histogram.iter().map(|bar| (bar.value.as_str(), bar.positions)).collect();
    assert_eq!(bars, [("A wins", 30), ("B wins", 28)]);
}

#[test]
fn an_equilibrium_is_no_guarantee() {
    let why = |source: &str| {
        let page = page_of_text(source);
        let told = [page.strategy.sentences, page.strategy.why].concat().join(" ");
        assert!(!told.contains("guarantee") && !told.contains("against every strategy"), "{told}");
        told
    };
    // One choice of both: either may hurt the other at his own cost.
    let both =
        why("game \"Both\"; players A, B; phases { say by each; } state { said[p: Player]: 0..2 = 0; }
         move says(i: 1..2) in say as \"s{i}\" { said[me] := i; }
         end { when said[A] > 0 => payoff p: (if said[other(p)] = 2 then -4 else 3) - said[p]; }");
    assert!(both.contains("nobody gains by changing only his own strategy"), "{both}");
    // A hidden card, and a partner who may ignore the sign.
    why("game \"Sign\"; players A, B; phases { setup deal by chance; show; name; }
         state { card: 1..2 = 1 visible to A; shown: 0..2 = 0; named: 0..2 = 0; }
         private chance d(k: 1..2) in deal { card := k; continue show; }
         move shows(k: 1..2) in show as \"s{k}\" { shown := k; next B; continue name; }
         move names(k: 1..2) in name as \"n{k}\" { named := k; }
         end { when named > 0 => payoff p: if named = card then 1 else 0; }");
    // Of three players, one decides for nothing whether another loses, or whether the third wins.
    let harm = why(
        "game \"Harm\"; players A, B, C; state { n: 0..3 = 0; }
         move go() { when n = 0; n := 1; } move harm() { when n = 1; n := 2; } move spare() { when n = 1; n := 3; }
         end { when n = 2 => C wins; when n = 3 => draw; }",
    );
    assert!(harm.starts_with("If each player wants the most for himself, it is a draw"), "{harm}");
    let stop = why("game \"Stop\"; players A, B, C; state { n: 0..2 = 0; }
         move stay() { n := 1; } move stop() { when n = 1 and me = B; n := 2; }
         end { when n = 2 => C wins; repeat => payoff p: -2; }");
    assert!(stop.contains("C wins") || stop.contains("C gets 1"), "{stop}");
    // Two players whose interests are not opposed, in turns, without a certificate.
    why("game \"Long\"; players A, B; state { a: 0..900 = 0; b: 0..900 = 0; }
         move left() { a += 1; } move right() { b += 1; }
         end { when a + b = 600 => payoff p: if p = A then a mod 3 else 2 * (a mod 3); }");
}

#[test]
fn equilibria_after_the_first_choice_are_not_those_of_the_game() {
    // Leaving is worth more than all that comes after entering.
    let reason = |source: &str| {
        let mut text = bouton_driver::load::GameSource::from_string("x.bou", source);
        let start = resolve_start(&mut text, None, None, &Limits::default()).expect("a game");
        let options = bouton_search::solve::SolveOptions::default();
        let limits = Limits::default();
        let asked = bouton_driver::planner::Question::new(&start.game, &start.state, &options, &limits);
        bouton_driver::planner::Plan::new(asked).run(&NoProgress).expect("no fault").solution
    };
    let entry = reason(
        "game \"Entry\"; players A, B; phases { choose; meet by each; }
         state { over: bool = false; k[p: Player]: 0..2 = 0; }
         move leave() in choose { over := true; }
         move enter() in choose { continue meet; }
         move m(i: 1..2) in meet as \"{i}\" { k[me] := i; }
         end { when over => payoff p: 7; when k[A] > 0 => payoff p: if k[A] = k[B] then k[A] else 0; }",
    );
    let told = entry.reason.expect("a reason");
    assert!(
        told.starts_with("in a position that play can reach, perfect play has no single value"),
        "{told}"
    );
    // All equilibria pay the same.
    let same = reason(
        "game \"Same\"; players A, B; phases { c by each; } state { k[p: Player]: 0..2 = 0; }
         move m(i: 1..2) as \"m{i}\" { k[me] := i; } end { when k[A] > 0 => payoff p: if k[A] = 1 then 2 else -1; }",
    );
    assert_eq!(same.value.expect("a value").payoffs, [2.into(), 2.into()]);
    // A later move of the other may cost both what the equilibrium gives.
    let later = reason(
        "game \"Later\"; players A, B; phases { first by each; last by B; }
         state { f[p: Player]: 0..2 = 0; k: 0..2 = 0; }
         move a(i: 1..2) in first as \"f{i}\" { f[me] := i; continue last; }
         move says(i: 1..2) in last as \"s{i}\" { k := i; }
         end { when k > 0 => payoff p: if k = 1 then 4 - f[p] else -9; }",
    );
    let mixed = later.mixed.expect("a first choice");
    assert_eq!(mixed.matrix.as_ref().expect("its matrix").security, [None, None]);
}

#[test]
fn moves_in_a_row_have_their_own_reasons() {
    let turns = page_of_text(
        "game \"Turns\"; players A, B; state { heap: 0..9 = 4; spare: 0..2 = 2; }
         move take() { when heap > 0; heap -= 1; }
         move wait() { when spare > 0 and heap > 0; spare -= 1; again; }
         end { when heap = 0 => mover loses; }",
    );
    let told = [turns.strategy.sentences, turns.strategy.why].concat().join(" ");
    assert!(!told.contains("alternates") && !told.contains("an even number of moves"), "{told}");
    let row = |play: &str| {
        let source = format!(
            "game \"Fill\"; players A, B; board Cell = strip(3); state {{ full: set of Cell = {{}}; }}
             move put(c: Cell) as \"{{c}}\" {{ when c not in full; full |= {{c}}; again; }} play {play};"
        );
        let mut text = bouton_driver::load::GameSource::from_string("x.bou", &source);
        let start = resolve_start(&mut text, None, None, &Limits::default()).expect("a game");
        let found = bouton_driver::strategy::automaton::AUTOMATON
            .find(&start.game, &start.state, &Limits::default())
            .expect("an automaton");
        (found.how, found.why)
    };
    let why = "no move from such a row wins; from every other row one does, or its player has won";
    let (normal, reason) = row("normal");
    assert!(normal.ends_with("the player to move loses in every row") && reason == why, "{normal}: {reason}");
    let (misere, reason) = row("misere");
    assert!(misere.contains("the player to move loses in no row") && reason == why, "{misere}: {reason}");
}

#[test]
fn images_are_told_by_the_names_of_moves() {
    let flip = page_of_text(
        "game \"Flip\"; players A, B; board Cell = strip(8); state { up[c: Cell]: bool = true; }
         move flip(c: Cell) as \"{c}\" { when up[c] and up[c + E]; up[c] := false; up[c + E] := false; }
         play normal;",
    );
    assert_eq!(
        flip.strategy.sentences[0],
        "A begins with d1 and from then on answers each move by its image (a1 and g1, b1 and f1)."
    );
}

#[test]
fn puzzles_have_their_plan_or_none() {
    let jugs = |goal: u32| {
        page_of_text(&format!(
            "game \"Jugs\"; player You; state {{ x: 0..3 = 0; y: 0..5 = 0; }}
             move fill_x() {{ when x < 3; x := 3; }} move fill_y() {{ when y < 5; y := 5; }}
             move empty_x() {{ when x > 0; x := 0; }}
             move pour() {{ let k = min(y, 3 - x); when k > 0; x += k; y -= k; }}
             end {{ when x = {goal} or y = {goal} => win; when stuck => lose; }}"
        ))
        .strategy
    };
    let two = jugs(2);
    assert_eq!(two.sentences, ["Play fill_y, pour: 2 moves, and no plan is shorter."]);
    assert!(two.why[0].contains("made these moves by the definition"), "{:?}", two.why);
    // Endless play wins: its beginning is no plan.
    let endless = page_of_text(
        "game \"Endless\"; player You; state { n: 0..5 = 0; }
         move up() { when n < 5; n += 1; } move down() { when n > 0; n -= 1; }
         end { when n = 5 => lose; repeat => win; }",
    );
    assert!(!endless.strategy.sentences[0].starts_with("Play "), "{:?}", endless.strategy.sentences);
    let eight = jugs(8);
    assert_eq!(eight.sentences, ["It cannot be solved, whatever is played."]);
    assert!(eight.why[0].contains("made sure of it"), "{:?}", eight.why);
}
