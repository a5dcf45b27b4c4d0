//! Trees of searches: the lecture's example, and that all forms show what the search did.

use bouton::base::limits::Limits;
use bouton::driver::position::start;
use bouton::game::Backend;
use bouton::report::trace::Drawing;
use bouton::solve::ahead::Plan;
use bouton::solve::trace::{Extent, Kind, Method, NoTree, Node, trace};
use num_rational::Rational64;

use super::{game, keeps};

fn tree(
    name: &str,
    moves: &str,
    method: Method,
    depth: Option<usize>,
) -> (bouton::game::Game, Result<Node, NoTree>) {
    added(name, moves, method, depth, "games=0")
}

/// The tree with what these words add to a look to a depth.
fn added(
    name: &str,
    moves: &str,
    method: Method,
    depth: Option<usize>,
    words: &str,
) -> (bouton::game::Game, Result<Node, NoTree>) {
    let mut text = game(name);
    text.backend = Backend::Jit;
    let start = start(&mut text, None, Some(moves), &Limits::default()).expect("a position");
    let plan = Plan::to(depth.unwrap_or(0) as u32).with(words).expect("a plan");
    let extent = Extent { depth, plan, nodes: 2000 };
    let tree = trace(&start.game, &start.state, method, &extent, &Limits::default());
    (start.game, tree)
}

fn cut(node: &Node) -> usize {
    usize::from(node.kind == Kind::Cut) + node.children.iter().map(cut).sum::<usize>()
}

#[test]
fn the_tree_of_two_plies() {
    let (_, full) = tree("two_plies", "", Method::Minimax, None);
    let (game, pruned) = tree("two_plies", "", Method::AlphaBeta, None);
    let (full, pruned) = (full.expect("a tree"), pruned.expect("a tree"));
    let three = Some(Rational64::from_integer(3));
    assert_eq!((full.value, full.best, cut(&full)), (three, Some(0), 0));
    let values: Vec<String> = full.children.iter().map(|c| c.value.expect("a value").to_string()).collect();
    assert_eq!(values, ["3", "2", "2"]);
    // 4 and 6 are not looked at: Min has 2 already, and Max has 3.
    assert_eq!((pruned.value, cut(&pruned)), (three, 2));
    assert!(pruned.children[1].children[1..].iter().all(|node| node.kind == Kind::Cut));
    let drawing = Drawing { root: &pruned, method: Method::AlphaBeta, rules: &game.rules };
    keeps("trace_two_plies", &drawing.text());
    keeps("trace_two_plies_dot", &drawing.dot());
    super::reports::well_formed(&drawing.html());
    let svg = drawing.svg();
    let svg = roxmltree::Document::parse(&svg).expect("a picture");
    let of = |class: &str| svg.descendants().filter(|n| n.attribute("class") == Some(class)).count();
    // Windows stand below ends, and beside the others.
    assert_eq!((of("dashed"), of("cell"), of("window"), of("window beside")), (2, 11, 7, 4));
}

#[test]
fn the_three_searches_agree() {
    let moves = "a1 b1 c1 a2 b2 c3";
    let value = |method| tree("tictactoe", moves, method, None).1.expect("a tree").value;
    let minimax = value(Method::Minimax).expect("a value");
    assert_eq!(value(Method::AlphaBeta), Some(minimax));
    let won = minimax > Rational64::default();
    assert_eq!(value(Method::AndOr), Some(Rational64::from_integer(i64::from(won))));
}

#[test]
fn the_tree_of_proof_numbers() {
    let moves = "a1 b2 c1 b1 b3";
    let (game, tree_of) = tree("tictactoe", moves, Method::Pns, None);
    let root = tree_of.expect("a tree");
    // Five moves of the second player; the numbers are those of the definition at every node.
    fn check(node: &Node, root: u32) {
        let own = node.numbers.expect("numbers");
        if let Kind::Player(player) = node.kind
            && !node.children.is_empty()
        {
            let of = |phi: fn(&bouton::solve::proof_number::numbers::Numbers) -> u32| -> Vec<u64> {
                node.children.iter().map(|c| u64::from(phi(&c.numbers.expect("numbers")))).collect()
            };
            let (proofs, disproofs) = (of(|n| n.proof), of(|n| n.disproof));
            let cap = |sum: u64| sum.min(u64::from(bouton::solve::proof_number::numbers::INFINITE));
            let (least, all) = if player == root { (&proofs, &disproofs) } else { (&disproofs, &proofs) };
            let own = if player == root { (own.proof, own.disproof) } else { (own.disproof, own.proof) };
            assert_eq!(u64::from(own.0), *least.iter().min().expect("a move"));
            assert_eq!(u64::from(own.1), cap(all.iter().sum()));
        }
        node.children.iter().for_each(|child| check(child, root));
    }
    let Kind::Player(mover) = root.kind else { panic!("somebody moves") };
    check(&root, mover);
    let value = tree("tictactoe", moves, Method::AndOr, None).1.expect("a tree").value;
    assert_eq!(root.value, value);
    let drawing = Drawing { root: &root, method: Method::Pns, rules: &game.rules };
    super::reports::well_formed(&drawing.html());
    let (game, begun) = tree("tictactoe", "", Method::Pns, Some(2));
    let begun = begun.expect("a tree");
    fn marked(node: &Node) -> usize {
        usize::from(node.marked) + node.children.iter().map(marked).sum::<usize>()
    }
    assert_eq!((begun.value, marked(&begun)), (None, 1));
    let drawing = Drawing { root: &begun, method: Method::Pns, rules: &game.rules };
    keeps("trace_proof_numbers", &drawing.text());
    assert_eq!(drawing.dot().matches("penwidth=3").count(), 1);
}

#[test]
fn what_is_not_known_has_no_value() {
    let (_, shallow) = tree("tictactoe", "", Method::Minimax, Some(2));
    let shallow = shallow.expect("a tree");
    assert_eq!((shallow.value, shallow.children.len()), (None, 9));
    let refused = |name, method, depth| tree(name, "", method, depth).1.expect_err("no tree");
    assert!(matches!(refused("tictactoe", Method::AlphaBeta, Some(2)), NoTree::Unfit(_)));
    assert_eq!(refused("tictactoe", Method::Minimax, None), NoTree::TooLarge(2000));
    assert!(matches!(refused("blocks_world", Method::AndOr, None), NoTree::Unfit(_)));
}

#[test]
fn what_is_added_to_a_look_shows() {
    let visited = |node: &Node| {
        fn count(node: &Node) -> usize {
            usize::from(node.visited.is_some()) + node.children.iter().map(count).sum::<usize>()
        }
        count(node)
    };
    // X takes a corner, O an edge, X the centre: O has to answer the threat, and the threat after that.
    let moves = "a1 b1 b2";
    let tree =
        |words, depth| added("tictactoe", moves, Method::Minimax, Some(depth), words).1.expect("a tree");
    let (plain, quiet) = (tree("", 1), tree("quiescence", 1));
    assert!(plain.guessed && plain.children.iter().all(|child| child.kind == Kind::Edge && child.guessed));
    assert!(visited(&quiet) > visited(&plain));
    // O loses whatever he does, which forcing moves show two plies past the edge.
    assert_eq!((quiet.value, quiet.guessed), (Some(Rational64::from_integer(1)), false));
    // The answer to a threat does not count.
    assert!(visited(&tree("extend", 1)) > visited(&plain));
    let narrow = tree("width=2", 2);
    assert_eq!(narrow.children.iter().filter(|child| child.visited.is_some()).count(), 2);
    assert!(narrow.guessed);
    let games = |n: &str| added("tictactoe", "", Method::Minimax, Some(1), n).1.expect("a tree").value;
    assert_eq!(games("games=8"), games("games=8"));
    let (one, several) = (games("average=1/1"), games("average=2/1"));
    assert!(several < one && one == games(""), "{one:?} {several:?}: the second best counts, too");
    let refused = added("tictactoe", "", Method::AlphaBeta, Some(1), "average=2/2").1;
    assert!(matches!(refused, Err(NoTree::Unfit(_))));
    let (game, cut) = added("tictactoe", moves, Method::AlphaBeta, Some(1), "quiescence=2,width=2,games=4");
    let drawing = Drawing { root: &cut.expect("a tree"), method: Method::AlphaBeta, rules: &game.rules };
    super::reports::well_formed(&drawing.html());
    keeps("trace_quiescence", &drawing.text());
}
