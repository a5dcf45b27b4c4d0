//! Trees of searches: the lecture's example, and that all formats show the nodes of the search.

use std::cmp::Ordering;

use bouton_base::limits::Limits;
use bouton_base::rational::Rational;
use bouton_driver::load::GameSource;
use bouton_driver::position::resolve_start;
use bouton_report::trace::TreeDrawing;
use bouton_search::game::Backend;
use bouton_search::solve::depth_limited::DepthLimitedOptions;
use bouton_search::solve::trace::{
    TraceError, TraceLimits, TraceNode, TraceNodeKind, TracedSearch, trace, trace_suited,
};

use super::{assert_text_snapshot, game};

fn tree(
    name: &str,
    moves: &str,
    method: TracedSearch,
    depth: Option<usize>,
) -> (bouton_search::game::Game, Result<TraceNode, TraceError>) {
    added(name, moves, method, depth, "games=0")
}

/// Returns the tree of a search to a depth with these extensions.
fn added(
    name: &str,
    moves: &str,
    method: TracedSearch,
    depth: Option<usize>,
    words: &str,
) -> (bouton_search::game::Game, Result<TraceNode, TraceError>) {
    of_text(game(name), moves, method, depth, words)
}

/// Returns the tree for a source.
fn of_text(
    mut text: GameSource,
    moves: &str,
    method: TracedSearch,
    depth: Option<usize>,
    words: &str,
) -> (bouton_search::game::Game, Result<TraceNode, TraceError>) {
    text.backend = Backend::Jit;
    let start = resolve_start(&mut text, None, Some(moves), &Limits::default()).expect("a position");
    let plan =
        DepthLimitedOptions::with_depth(depth.unwrap_or(0) as u32).with_options(words).expect("a plan");
    let extent = TraceLimits { depth, plan, nodes: 2000, probes: false };
    let tree = trace(&start.game, &start.state, method, &extent, &Limits::default());
    (start.game, tree)
}

fn cut(node: &TraceNode) -> usize {
    usize::from(node.kind == TraceNodeKind::Cut) + node.children.iter().map(cut).sum::<usize>()
}

#[test]
fn the_tree_of_two_plies() {
    let (_, full) = tree("two_plies", "", TracedSearch::Minimax, None);
    let (game, pruned) = tree("two_plies", "", TracedSearch::AlphaBeta, None);
    let (full, pruned) = (full.expect("a tree"), pruned.expect("a tree"));
    let three = Some(Rational::from_integer(3));
    assert_eq!((full.value.clone(), full.best, cut(&full)), (three.clone(), Some(0), 0));
    let values: Vec<String> =
        full.children.iter().map(|c| c.value.clone().expect("a value").to_string()).collect();
    assert_eq!(values, ["3", "2", "2"]);
    // 4 and 6 are not visited: Min has 2 already, and Max has 3.
    assert_eq!((pruned.value.clone(), cut(&pruned)), (three, 2));
    assert!(pruned.children[1].children[1..].iter().all(|node| node.kind == TraceNodeKind::Cut));
    let drawing = TreeDrawing { root: &pruned, method: TracedSearch::AlphaBeta, rules: &game.rules };
    assert_text_snapshot("trace_two_plies", &drawing.text());
    assert_text_snapshot("trace_two_plies_dot", &drawing.dot());
    super::reports::well_formed(&drawing.html());
    let svg = drawing.svg();
    let svg = roxmltree::Document::parse(&svg).expect("a picture");
    let of = |class: &str| svg.descendants().filter(|n| n.attribute("class") == Some(class)).count();
    // Windows are below ends, and beside the others.
    assert_eq!((of("dashed"), of("cell"), of("window"), of("window beside")), (2, 11, 7, 4));
}

#[test]
fn the_three_searches_agree() {
    let moves = "a1 b1 c1 a2 b2 c3";
    let value = |method| tree("tictactoe", moves, method, None).1.expect("a tree").value;
    let minimax = value(TracedSearch::Minimax).expect("a value");
    assert_eq!(value(TracedSearch::AlphaBeta), Some(minimax.clone()));
    let won = minimax > Rational::default();
    assert_eq!(value(TracedSearch::AndOr), Some(Rational::from_integer(i64::from(won))));
}

#[test]
fn the_tree_of_proof_numbers() {
    let moves = "a1 b2 c1 b1 b3";
    let (game, tree_of) = tree("tictactoe", moves, TracedSearch::Pns, None);
    let root = tree_of.expect("a tree");
    // Five moves of the second player; the numbers are those of the definition at every node.
    fn check(node: &TraceNode, root: u32) {
        let own = node.numbers.expect("numbers");
        if let TraceNodeKind::Player(player) = node.kind
            && !node.children.is_empty()
        {
            let of =
                |phi: fn(&bouton_search::solve::proof_number::numbers::ProofNumbers) -> u32| -> Vec<u64> {
                    node.children.iter().map(|c| u64::from(phi(&c.numbers.expect("numbers")))).collect()
                };
            let (proofs, disproofs) = (of(|n| n.proof), of(|n| n.disproof));
            let cap = |sum: u64| sum.min(u64::from(bouton_search::solve::proof_number::numbers::INFINITE));
            let (least, all) = if player == root { (&proofs, &disproofs) } else { (&disproofs, &proofs) };
            let own = if player == root { (own.proof, own.disproof) } else { (own.disproof, own.proof) };
            assert_eq!(u64::from(own.0), *least.iter().min().expect("a move"));
            assert_eq!(u64::from(own.1), cap(all.iter().sum()));
        }
        node.children.iter().for_each(|child| check(child, root));
    }
    let TraceNodeKind::Player(mover) = root.kind else { panic!("somebody moves") };
    check(&root, mover);
    let value = tree("tictactoe", moves, TracedSearch::AndOr, None).1.expect("a tree").value;
    assert_eq!(root.value, value);
    let drawing = TreeDrawing { root: &root, method: TracedSearch::Pns, rules: &game.rules };
    super::reports::well_formed(&drawing.html());
    let (game, begun) = tree("tictactoe", "", TracedSearch::Pns, Some(2));
    let begun = begun.expect("a tree");
    fn marked(node: &TraceNode) -> usize {
        usize::from(node.marked) + node.children.iter().map(marked).sum::<usize>()
    }
    assert_eq!((begun.value.clone(), marked(&begun)), (None, 1));
    let drawing = TreeDrawing { root: &begun, method: TracedSearch::Pns, rules: &game.rules };
    assert_text_snapshot("trace_proof_numbers", &drawing.text());
    assert_eq!(drawing.dot().matches("penwidth=3").count(), 1);
}

/// The move on the left has an estimate; the move on the right is cut off with a bound no better: an equal number is no
/// evidence for it.
#[test]
fn a_position_that_comes_back_has_the_value_of_infinite_play() {
    let text = "game \"There and back\"; players A, B; board Cell = strip(3); state { x: Cell = b1; }\n\
         move go(c: Cell) as \"{c}\" { when c in x.neighbors; x := c; }\n\
         end { when x = a1 and mover = A => A wins; repeat => draw; }\n";
    let text = GameSource::from_string("back.bou", text);
    let (game, tree) = of_text(text, "", TracedSearch::AlphaBeta, None, "games=0");
    let drawing =
        TreeDrawing { root: &tree.expect("a tree"), rules: &game.rules, method: TracedSearch::AlphaBeta };
    let shown = drawing.text();
    assert!(shown.contains("b1: comes back 0"), "{shown}");
}

#[test]
fn what_has_but_a_bound_decides_nothing() {
    let text = "game \"Sure\"; players A, B; state { at: 0..6 = 0; }\n\
         move left() { when at = 0; at := 1; } move right() { when at = 0; at := 2; }\n\
         move on() { when at = 1; at := 3; } move good() { when at = 2; at := 4; }\n\
         move bad() { when at = 2; at := 5; } move finish() { when at = 3; at := 6; }\n\
         end { when at = 6 => draw; when at = 4 => A wins; when at = 5 => B wins; }\n\
         evaluate p: if p = A then 1 else -1;\n";
    let (_, tree) =
        of_text(GameSource::from_string("sure.bou", text), "", TracedSearch::AlphaBeta, Some(2), "games=0");
    let tree = tree.expect("a tree");
    assert_eq!((tree.best, tree.is_estimate, cut(&tree)), (Some(0), true, 1));
    assert_eq!(tree.children.iter().map(TraceNode::bound).collect::<Vec<_>>(), [None, Some(Ordering::Less)]);
}

#[test]
fn what_chance_leads_to_is_no_bound() {
    let text = "game \"Toss\"; players A, B; phases { act; roll by chance; } state { at: 0..5 = 0; }\n\
         move sure() in act { when at = 0; at := 1; }\n\
         move toss() in act { when at = 0; at := 2; continue roll; }\n\
         chance fall(k: 3..4) in roll { at := k; }\n\
         end { when at = 1 => payoff p: if p = A then 3 else -3;\n\
         when at in { 3, 4 } => payoff p: 0; when at = 5 => payoff p: if p = A then 90 else -90; }\n";
    let (game, tree) =
        of_text(GameSource::from_string("toss.bou", text), "", TracedSearch::AlphaBeta, None, "games=0");
    let tree = tree.expect("a tree");
    assert_eq!(tree.children[1].kind, TraceNodeKind::Chance);
    assert_eq!((tree.children[1].value.clone(), tree.children[1].bound()), (Some(Rational::default()), None));
    let drawing = TreeDrawing { root: &tree, method: TracedSearch::AlphaBeta, rules: &game.rules };
    assert!(!drawing.text().contains('≤'), "{}", drawing.text());
}

#[test]
fn information_sets_are_drawn_with_the_best_strategies() {
    let text = "game \"Secret penny\"; players Ann, Bob; phases { hide; guess; }\n\
         state { side: 1..2 = 1 hidden; right: bool = false; over: bool = false; }\n\
         private move hide_it(k: 1..2) in hide as \"hide {k}\" { side := k; continue guess; next Bob; }\n\
         move guess_it(k: 1..2) in guess as \"say {k}\" { right := k = side; over := true; }\n\
         end { when right => payoff p: if p = Bob then side else -side; when over => payoff p: 0; }\n";
    let source = || GameSource::from_string("penny.bou", text);
    let (game, tree) = of_text(source(), "", TracedSearch::Mixed, None, "games=0");
    let tree = tree.expect("a tree");
    // Bob wins the number that he guesses, so Ann hides 1 two times in three: each guess is worth 2/3.
    assert_eq!(tree.value, Some(Rational::new(-2, 3)));
    let shares: Vec<_> = tree.children.iter().map(|child| child.probability.clone()).collect();
    assert_eq!(shares, [Some(Rational::new(2, 3)), Some(Rational::new(1, 3))]);
    // Bob does not know where he is: both nodes are one set.
    assert_eq!(tree.children[0].sets, tree.children[1].sets);
    assert_eq!(tree.children[0].sets, [(1, 1)]);
    let drawing = TreeDrawing { root: &tree, method: TracedSearch::Mixed, rules: &game.rules };
    assert_text_snapshot("trace_information_sets", &drawing.text());
    roxmltree::Document::parse(&drawing.svg()).expect("a picture");
    let cut = of_text(source(), "", TracedSearch::Mixed, Some(1), "games=0").1.expect("a tree");
    assert_eq!(cut.children[0].kind, TraceNodeKind::DepthLimit);
}

#[test]
fn choices_at_once_are_drawn_with_their_probabilities() {
    let (game, tree) = tree("matching_pennies", "", TracedSearch::Mixed, None);
    let tree = tree.expect("a tree");
    assert_eq!((tree.kind, tree.value.clone()), (TraceNodeKind::Simultaneous, Some(Rational::ZERO)));
    assert!(tree.children.iter().all(|child| child.probability == Some(Rational::new(1, 4))));
    let drawing = TreeDrawing { root: &tree, method: TracedSearch::Mixed, rules: &game.rules };
    assert!(drawing.text().contains("all at once 0"), "{}", drawing.text());
    assert!(drawing.dot().contains("diamond"), "{}", drawing.dot());
    let refused = self::tree("tictactoe", "", TracedSearch::Mixed, None).1.expect_err("no tree");
    assert!(matches!(refused, TraceError::NotApplicable(why) if why.contains("minimax")));
}

#[test]
fn pictures_have_room_for_what_is_written() {
    let name = "m".repeat(40);
    let text = format!(
        "game \"Long\"; players A, B; state {{ at: 0..1 = 0; }} move {name}() {{ at := 1; }} end {{ when at = 1 => draw; }}\n"
    );
    let (game, tree) =
        of_text(GameSource::from_string("long.bou", &text), "", TracedSearch::AlphaBeta, None, "games=0");
    let tree = tree.expect("a tree");
    let svg = TreeDrawing { root: &tree, method: TracedSearch::AlphaBeta, rules: &game.rules }.svg();
    let picture = roxmltree::Document::parse(&svg).expect("a picture");
    let of = picture.root_element().attribute("viewBox").expect("a view");
    let of: Vec<f64> = of.split(' ').map(|number| number.parse().expect("a number")).collect();
    for text in picture.descendants().filter(|node| node.has_tag_name("text")) {
        let x: f64 = text.attribute("x").and_then(|x| x.parse().ok()).expect("a place");
        let (letters, class) =
            (text.text().unwrap_or("").chars().count(), text.attribute("class").unwrap_or(""));
        let width = letters as f64 * if class.contains("window") { 5.4 } else { 6.0 };
        let from = if class.contains("beside") { x } else { x - width / 2.0 };
        assert!(from >= of[0] && from + width <= of[0] + of[2], "{class} {x} {width} {of:?}");
    }
}

#[test]
fn what_is_hidden_is_not_drawn() {
    let (_, tree) = tree("kuhn_poker", "", TracedSearch::Minimax, None);
    assert!(matches!(tree, Err(TraceError::NotApplicable(why)) if why.contains("hidden")));
}

#[test]
fn what_is_not_known_has_no_value() {
    let (_, shallow) = tree("tictactoe", "", TracedSearch::Minimax, Some(2));
    let shallow = shallow.expect("a tree");
    assert_eq!((shallow.value, shallow.children.len()), (None, 9));
    let refused = |name, method, depth| tree(name, "", method, depth).1.expect_err("no tree");
    assert!(matches!(refused("tictactoe", TracedSearch::AlphaBeta, Some(2)), TraceError::NotApplicable(_)));
    assert_eq!(refused("tictactoe", TracedSearch::Minimax, None), TraceError::TooLarge(2000));
    // Blocks go back and forth.
    assert_eq!(refused("blocks_world", TracedSearch::AndOr, None), TraceError::TooDeep);
    let far = |depth| {
        added("tictactoe", "a1 b1 a2 b2", TracedSearch::AlphaBeta, Some(depth), "extend").1.expect("a tree")
    };
    assert_eq!(far(usize::MAX).value, far(9).value, "no depth is too great");
}

#[test]
fn what_is_added_to_a_look_shows() {
    let visited = |node: &TraceNode| {
        fn count(node: &TraceNode) -> usize {
            usize::from(node.visited.is_some()) + node.children.iter().map(count).sum::<usize>()
        }
        count(node)
    };
    // X takes a corner, O an edge, X the centre: O must answer the threat, and the threat after that.
    let moves = "a1 b1 b2";
    let tree = |words, depth| {
        added("tictactoe", moves, TracedSearch::Minimax, Some(depth), words).1.expect("a tree")
    };
    let (plain, quiet) = (tree("", 1), tree("quiescence", 1));
    assert!(
        plain.is_estimate
            && plain
                .children
                .iter()
                .all(|child| child.kind == TraceNodeKind::DepthLimit && child.is_estimate)
    );
    assert!(visited(&quiet) > visited(&plain));
    // O loses in any case, which forcing moves show two plies past the horizon.
    assert_eq!((quiet.value, quiet.is_estimate), (Some(Rational::from_integer(1)), false));
    // The answer to a threat does not count.
    assert!(visited(&tree("extend", 1)) > visited(&plain));
    let narrow = tree("width=2", 2);
    assert_eq!(narrow.children.iter().filter(|child| child.visited.is_some()).count(), 2);
    assert!(narrow.is_estimate);
    let games = |n: &str| added("tictactoe", "", TracedSearch::Minimax, Some(1), n).1.expect("a tree").value;
    assert_eq!(games("games=8"), games("games=8"));
    let (one, several) = (games("average=1/1"), games("average=2/1"));
    assert!(several < one && one == games(""), "{one:?} {several:?}: the second best counts, too");
    let refused = added("tictactoe", "", TracedSearch::AlphaBeta, Some(1), "average=2/2").1;
    assert!(matches!(refused, Err(TraceError::NotApplicable(_))));
    let (game, cut) =
        added("tictactoe", moves, TracedSearch::AlphaBeta, Some(1), "quiescence=2,width=2,games=4");
    let drawing =
        TreeDrawing { root: &cut.expect("a tree"), method: TracedSearch::AlphaBeta, rules: &game.rules };
    super::reports::well_formed(&drawing.html());
    assert_text_snapshot("trace_quiescence", &drawing.text());
}

/// The tree of two coins with leaves from -2 to 2. The first coin is worth 1.5. When a leaf of the first side of the
/// second coin is 0, the other side cannot make the coin worth more than 1, so no further leaf is searched.
#[test]
fn alpha_beta_cuts_at_chance_nodes_where_the_rules_bound_the_payoffs() {
    let tree = |range: &str| {
        let text = format!(
            "game \"Two coins\"; players Max, Min;\n\
             const leaf[c: 1..2, s: 1..2, r: 1..2]: {range} = match (c, s, r) {{\n\
             (1, 1, 1) => 2, (1, 1, 2) => 2, (1, 2, 1) => 2, (1, 2, 2) => 1,\n\
             (2, 1, 1) => 0, (2, 1, 2) => 1, (2, 2, 1) => 1, (2, 2, 2) => 1 }};\n\
             phases {{ choose; toss by chance; answer; }}\n\
             state {{ c: (1..2)? = none; s: (1..2)? = none; r: (1..2)? = none; }}\n\
             move take(k: 1..2) in choose as \"{{k}}\" {{ c := k; continue toss; }}\n\
             chance side(k: 1..2) in toss as \"({{k}})\" {{ s := k; continue answer; next Min; }}\n\
             move answer(k: 1..2) in answer as \"{{k}}\" {{ r := k; }}\n\
             end {{ when r != none => payoff p: if p = Max then leaf[c, s, r] else -leaf[c, s, r]; }}\n"
        );
        let source = GameSource::from_string("coins", &text);
        of_text(source, "", TracedSearch::AlphaBeta, None, "games=0")
    };
    fn leaves(node: &TraceNode) -> usize {
        usize::from(node.kind == TraceNodeKind::End) + node.children.iter().map(leaves).sum::<usize>()
    }
    let (game, pruned) = tree("-2..2");
    let pruned = pruned.expect("a tree");
    let drawing = TreeDrawing { root: &pruned, method: TracedSearch::AlphaBeta, rules: &game.rules };
    assert_text_snapshot("trace_chance", &drawing.text());
    assert_eq!((pruned.value.clone(), pruned.best, leaves(&pruned)), (Some(Rational::new(3, 2)), Some(0), 5));
    assert_eq!(pruned.children[1].bound(), Some(Ordering::Less));
    // A leaf could be worth 9, so the other side is searched, until a leaf shows that it is worth at most 1.
    let whole = tree("-2..9").1.expect("a tree");
    assert_eq!((whole.value.clone(), leaves(&whole)), (Some(Rational::new(3, 2)), 7));
}

/// Returns the rules of two coins, of which Max names one, with 16 leaves: by coin, side, and two replies of Min and Max.
fn coins(leaves: &[i64]) -> String {
    let table: Vec<String> = leaves.iter().enumerate().map(|(at, leaf)| format!("{at} => {leaf}")).collect();
    format!(
        "game \"Coins\"; players Max, Min; phases {{ choose; toss by chance; answer; }}\n\
         const leaf[at: 0..15]: -2..2 = match at {{ {} }};\n\
         state {{ at: 0..15 = 0; made: 0..4 = 0; }}\n\
         move take(k: 0..1) in choose as \"{{k}}\" {{ at := 8 * k; made := 1; continue toss; }}\n\
         chance side(k: 0..1) in toss as \"({{k}})\" {{ weight k + 1; at += 4 * k; made := 2; continue answer; next Min; }}\n\
         move answer(k: 0..1) in answer as \"{{k}}\" {{ at += if me = Min then 2 * k else k; made += 1; continue answer; next opponent; }}\n\
         end {{ when made = 4 => payoff p: if p = Max then leaf[at] else -leaf[at]; }}\n",
        table.join(", ")
    )
}

/// Returns the tree of alpha-beta, with a probe of each event or without.
fn by_alpha_beta(text: &str, probes: bool) -> (bouton_search::game::Game, TraceNode) {
    let mut text = GameSource::from_string("coins", text);
    let start = resolve_start(&mut text, None, None, &Limits::default()).expect("a position");
    let plan = DepthLimitedOptions::with_depth(0);
    let extent = TraceLimits { depth: None, plan, nodes: 2000, probes };
    let tree = trace(&start.game, &start.state, TracedSearch::AlphaBeta, &extent, &Limits::default());
    (start.game, tree.expect("a tree"))
}

fn ends(node: &TraceNode) -> usize {
    usize::from(node.kind == TraceNodeKind::End) + node.children.iter().map(ends).sum::<usize>()
}

/// Star1 and Star2 find the values of minimax, and search fewer leaves.
#[test]
fn probes_of_events_leave_the_value_as_it_is() {
    let mut random = bouton_base::random::SplitMix::new(5);
    let (mut all, mut sooner) = ([0, 0], 0);
    for number in 0..60 {
        let leaves: Vec<i64> = (0..16).map(|_| (random.word() % 5) as i64 - 2).collect();
        let leaf = |coin: usize, side: usize, reply: usize| -> i64 {
            let at = 8 * coin + 4 * side + 2 * reply;
            leaves[at].max(leaves[at + 1])
        };
        let side = |coin, side| leaf(coin, side, 0).min(leaf(coin, side, 1));
        let coin = |coin| Rational::new(side(coin, 0) + 2 * side(coin, 1), 3);
        let wanted = coin(0).max(coin(1));
        let text = coins(&leaves);
        let trees = [false, true].map(|probes| by_alpha_beta(&text, probes).1);
        for (tree, all) in trees.iter().zip(&mut all) {
            assert_eq!(tree.value.as_ref(), Some(&wanted), "{number}: {leaves:?}");
            *all += ends(tree);
        }
        sooner += usize::from(ends(&trees[1]) < ends(&trees[0]));
    }
    assert!(sooner > 5 && all[1] < all[0] && all[0] < 60 * 16, "{sooner} {all:?}");
}

/// The first coin is worth 1.5. Of the second, a probe of each side shows that it is worth at most 1, so two of its four
/// leaves are cut off; Star1 searches the first side as a whole.
#[test]
fn a_probe_of_each_event_cuts_off_sooner() {
    let leaves = [2, 2, 2, 2, 2, 2, 1, 1, 2, 2, 2, 2, 0, 0, 1, 1];
    let text = coins(&leaves).replace("weight k + 1; ", "").replace("made = 4", "made = 3");
    let [plain, probed] = [false, true].map(|probes| by_alpha_beta(&text, probes));
    assert_eq!([ends(&plain.1), ends(&probed.1)], [7, 6]);
    let (game, root) = probed;
    assert_eq!((root.value.clone(), root.best), (Some(Rational::new(3, 2)), Some(0)));
    assert_eq!(root.children[1].bound(), Some(Ordering::Less));
    let drawing = TreeDrawing { root: &root, method: TracedSearch::AlphaBeta, rules: &game.rules };
    assert_text_snapshot("trace_probes", &drawing.text());
}

/// Breadth-first search expands ply by ply; A* finds the same number of moves with fewer steps, and each position stands
/// once in the tree.
#[test]
fn the_trees_of_a_puzzle() {
    fn steps(node: &TraceNode) -> usize {
        usize::from(node.visited.is_some()) + node.children.iter().map(steps).sum::<usize>()
    }
    fn plan(node: &TraceNode) -> usize {
        node.best.map_or(0, |best| 1 + plan(&node.children[best]))
    }
    let (game, blind) = tree("missionaries", "", TracedSearch::BreadthFirst, None);
    let (_, guided) = tree("missionaries", "", TracedSearch::AStar, None);
    let (blind, guided) = (blind.expect("a tree"), guided.expect("a tree"));
    assert_eq!((plan(&blind), plan(&guided)), (11, 11));
    assert!(steps(&guided) < steps(&blind), "{} {}", steps(&guided), steps(&blind));
    let drawing = |root, method| TreeDrawing { root, method, rules: &game.rules };
    assert_text_snapshot("trace_breadth_first", &drawing(&blind, TracedSearch::BreadthFirst).text());
    let guided = drawing(&guided, TracedSearch::AStar);
    assert_text_snapshot("trace_astar", &guided.text());
    roxmltree::Document::parse(&guided.svg()).expect("a picture");
    assert!(guided.dot().contains("style=dashed"));
    // A limit of depth ends the search without a plan.
    for method in [TracedSearch::BreadthFirst, TracedSearch::AStar] {
        let cut = tree("missionaries", "", method, Some(3)).1.expect("a tree");
        assert_eq!(plan(&cut), 0);
    }
    // A game of two players has no plan.
    let refused = tree("tictactoe", "", TracedSearch::BreadthFirst, None).1;
    assert!(matches!(refused, Err(TraceError::NotApplicable(_))), "{refused:?}");
}

/// Each player takes the most for himself, and of equal moves the first; two-player trees tell where to look for this.
#[test]
fn the_tree_of_backward_induction_has_all_payoffs() {
    let text = "game \"Centipede\"; players Ann, Bob;\n\
         state { pot: 1..6 = 1; ended: bool = false; }\n\
         move take() as \"take\" { ended := true; }\n\
         move pass() as \"pass\" { when pot < 4; pot += 1; }\n\
         end { when ended => payoff p: if p = mover then pot - 1 else pot + 1; }\n";
    let source = || GameSource::from_string("centipede.bou", text);
    let (game, tree) = of_text(source(), "", TracedSearch::BackwardInduction, None, "games=0");
    let tree = tree.expect("a tree");
    let payoffs: Vec<Rational> = [2, 0].map(Rational::from_integer).into();
    assert_eq!((tree.payoffs.clone(), tree.best), (payoffs, Some(0)));
    let drawing = TreeDrawing { root: &tree, method: TracedSearch::BackwardInduction, rules: &game.rules };
    assert_text_snapshot("trace_backward_induction", &drawing.text());
    let refused = of_text(source(), "", TracedSearch::Minimax, None, "games=0").1;
    assert_eq!(refused, Err(TraceError::NotOpposed));
    let mut text = source();
    let start = resolve_start(&mut text, None, None, &Limits::default()).expect("a position");
    let plan = DepthLimitedOptions::with_depth(0);
    let extent = TraceLimits { depth: None, plan, nodes: 2000, probes: false };
    let suited = trace_suited(&start.game, &start.state, &extent, &Limits::default()).expect("a tree");
    assert_eq!((suited.0, suited.1.payoffs), (TracedSearch::BackwardInduction, tree.payoffs));
}

/// Without a method, the rules tell which tree a textbook draws.
#[test]
fn a_suitable_tree_is_drawn_without_a_method() {
    let cases = [
        ("two_plies", None, TracedSearch::AlphaBeta),
        ("tictactoe", Some(1), TracedSearch::Minimax),
        ("coin_toss", None, TracedSearch::Minimax),
        ("hanoi", Some(1), TracedSearch::AStar),
        ("kuhn_poker", None, TracedSearch::Mixed),
        ("morra", None, TracedSearch::Mixed),
        ("pirates", Some(1), TracedSearch::BackwardInduction),
    ];
    for (name, depth, method) in cases {
        let mut text = game(name);
        text.backend = Backend::Jit;
        let start = resolve_start(&mut text, None, None, &Limits::default()).expect("a position");
        let plan = DepthLimitedOptions::with_depth(0).with_options("games=0").expect("a plan");
        let extent = TraceLimits { depth, plan, nodes: 2000, probes: false };
        let found = trace_suited(&start.game, &start.state, &extent, &Limits::default()).expect("a tree");
        assert_eq!(found.0, method, "{name}");
    }
}
