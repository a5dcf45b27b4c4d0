//! The conditions of the checker and of the reader of certificates: for each reason of a refusal in the source, a test
//! with a false or ill-formed certificate expects this reason.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};

use crate::files::source_files;

/// The files and folders with conditions.
const CONDITIONS: &[&str] = &[
    "src/certificates/codec.rs",
    "src/certificates/lib.rs",
    "src/certificates/param.rs",
    "src/certificates/read.rs",
    "src/checker/",
    "src/obligations/",
];

/// The files with false certificates; those of the checker's own tests come to them.
const TESTS: &str = "src/verify/tests/false_certificates/";

/// Words that are no reasons: names of steps, and parts of reasons and of descriptions.
const NO_REASONS: &[&str] = &[
    " and {more} more",
    "a move leads",
    "infinite play",
    "lemma {number}",
    "lemma {}",
    "chunk {of} lines",
    "lost, and a move leads",
    "more than",
    "no move leads",
    "no opening",
    "not at least",
    "the best move",
    "the end",
    "the mean",
    "though a move leads to a lost one",
    "though no move leads to a lost one",
    "where no component can move",
    "won, and no move leads",
    "{n} = {v}",
    "{step}, {}",
    "{} = {}",
    "{}, a row of {cells}",
    // What an obligation shows.
    "a number is at first not above its range",
    "a number is at first not below its range",
    "in every other position there is a reply",
    "the answer to {name} does not meet it",
    "the answer to {name} finds its cells untouched before",
    "the answer to {name} is legal",
    "the divisor is above 0",
    "the first position is lost",
    "the first position is not lost",
    "the image of a cell is a cell",
    "the opening is its own image",
    "the opening is legal",
    "the reply {name} is legal",
    "the reply {name} leads to a lost position",
    "{name} and the answer are each other's images",
    "{name} changes a cell",
    "{name} decreases the ranking function",
    "{name} keeps a number above the least",
    "{name} keeps a number below the greatest",
    "{name} leads from no lost position to a lost one",
    "{name} names cells of the board",
];

/// A bound of the cost: to exceed it takes minutes or gigabytes.
const COST: &str = "a bound of the cost";

/// An earlier condition refuses the same; the later one makes a partial function total.
const EARLIER: &str = "an earlier condition refuses the same";

/// Conditions without a false certificate that reaches them, and why they stay.
const NOT_REACHED: &[(&str, &str)] = &[
    ("a small game has many moves", COST),
    ("the components have too many positions", COST),
    ("the components make too many pairs of product and options", COST),
    ("the rules have too many cases to check", COST),
    ("there are more than {} MiB", COST),
    ("there are too many cases to check", COST),
    // Moves with recursive conditions are refused before their answers and faults are computed.
    ("the answer to `{name}` depends on a recursive definition", EARLIER),
    ("a fault depends on a recursive definition", EARLIER),
    // A region has all fluents that its moves touch.
    ("a move depends on a fluent outside its component", EARLIER),
    // The moves on components are all tuples of parts.
    ("no move leaves a component alone when it is over", EARLIER),
    // The words of a position are unpacked to values of its fields' types.
    ("the position holds what no fluent can hold", EARLIER),
    // The plan's own conditions have their residues in order.
    ("residues are out of order, or too large", EARLIER),
    // An automaton with a transition for each letter reads every word.
    ("the automaton does not read rows", EARLIER),
    // A position in which nobody can move is refused when it is visited.
    ("there is no move", EARLIER),
    // The definition makes every combination of choices that are legal alone.
    ("some choices are not legal together", EARLIER),
    // The definition gives a payoff to each player.
    ("the end gives no payoff", EARLIER),
    ("{what} gives no payoff", EARLIER),
    // The proof of a false winner would be refused: this is a second, independent test.
    ("the claimed winner loses, by the definition", EARLIER),
];

/// Adds the strings of more than one word in these tokens, without comments.
fn collect(tokens: TokenStream, found: &mut BTreeSet<String>) {
    let mut attribute = false;
    for token in tokens {
        let hash = matches!(&token, TokenTree::Punct(mark) if mark.as_char() == '#' || attribute && mark.as_char() == '!');
        match token {
            TokenTree::Group(group) if !attribute => collect(group.stream(), found),
            TokenTree::Literal(literal) => {
                if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string())
                    && text.value().trim().contains(' ')
                {
                    found.insert(text.value());
                }
            }
            _ => {}
        }
        attribute = hash;
    }
}

fn strings(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    collect(text.parse().expect("tokens"), &mut found);
    found
}

#[test]
fn every_condition_has_a_false_certificate() {
    let (mut reasons, mut expected) = (BTreeSet::new(), BTreeSet::new());
    for file in source_files() {
        let (code, tests) = file.text.split_once("\n#[cfg(test)]\n").unwrap_or((&file.text, ""));
        if file.path.starts_with(TESTS) {
            expected.append(&mut strings(code));
        } else if CONDITIONS.iter().any(|path| file.path.starts_with(path)) {
            reasons.append(&mut strings(code));
            expected.append(&mut strings(tests));
        }
    }
    let none: BTreeSet<&str> =
        NO_REASONS.iter().copied().chain(NOT_REACHED.iter().map(|(reason, _)| *reason)).collect();
    for text in &none {
        assert!(reasons.contains(*text), "no condition has these words: {text}");
        let not_reached = NOT_REACHED.iter().any(|(reason, _)| reason == text);
        assert!(!not_reached || !expected.contains(*text), "a test reaches this condition: {text}");
    }
    reasons.retain(|reason| !none.contains(reason.as_str()));
    let missing: Vec<&String> = reasons.difference(&expected).collect();
    println!("{} reasons of refusals, {} that no certificate reaches", reasons.len(), NOT_REACHED.len());
    assert!(missing.is_empty(), "no test expects these {} reasons:\n{missing:#?}", missing.len());
}
