//! The kinds about components: SUM, QUOTIENT and PRODUCT.

use std::sync::Arc;

use bouton_certificates::product::ProductComponent;
use bouton_certificates::quotient::ComponentElement;
use bouton_certificates::sum::{ListedComponent, ValuedComponent};
use bouton_certificates::{Claim, Lemma, PositionKey, ProductLemma, QuotientLemma, SumLemma};
use bouton_reference::Interpreter;
use bouton_rules::Rules;

use super::{Mismatches, certificate, key, rules, win, wins};

fn nim(heaps: u32, size: &str, play: &str) -> String {
    format!(
        "game \"Nim\"; players A, B; type Heap = 1..{heaps}; state {{ size[h: Heap]: 0..3 = {size}; }}\n\
         move take(h: Heap, k: 1..3) {{ when k <= size[h]; size[h] -= k; }}\nplay {play};\n"
    )
}

/// Two ones can be made of a two.
pub const SPLIT: &str = "game \"Split\"; players A, B;\n\
    state { ones: 0..9 = 3; twos: 0..1 = 1; lamp: bool = true; flag: bool = false; }\n\
    move split() { when twos > 0; twos -= 1; ones += 2; }\nmove take() { when ones > 0; ones -= 1; }\n\
    move put_out() { when lamp; lamp := false; }\nplay normal;\n";

pub fn first(rules: &Arc<Rules>) -> PositionKey {
    key(rules, &Interpreter::new(rules.clone()).initial())
}

pub fn region(position: &PositionKey, fluents: &[u32]) -> ListedComponent {
    ListedComponent::Region { position: position.clone(), fluents: fluents.to_vec() }
}

fn sum(player: u32, components: &[(ListedComponent, u32)]) -> Vec<Lemma> {
    let valued = |(component, nimber): &(ListedComponent, u32)| ValuedComponent {
        component: component.clone(),
        nimber: *nimber,
    };
    vec![Lemma::Sum(SumLemma { bound: win(player), components: components.iter().map(valued).collect() })]
}

#[test]
fn false_sums() {
    let nim = rules(&nim(2, "h", "normal"));
    let start = first(&nim);
    let interpreter = Interpreter::new(nim.clone());
    let after = interpreter.expand(&interpreter.initial()).expect("no fault").1.swap_remove(0).1;
    let (one, two) = ((region(&start, &[2]), 1), (region(&start, &[3]), 2));
    let mut wrong = Mismatches::default();
    for (expected, lemma) in [
        ("accepted: {}", sum(0, &[one.clone(), two.clone()])),
        (
            "a component is listed with another player to move",
            sum(0, &[one.clone(), (region(&key(&nim, &after), &[3]), 2)]),
        ),
        ("one of its components is listed twice", sum(0, &[one.clone(), one.clone(), two.clone()])),
        ("its components are not all listed", sum(0, std::slice::from_ref(&one))),
        (
            "one of its components is not one of the position that it is listed with",
            sum(0, &[(region(&start, &[2, 3]), 3)]),
        ),
        (
            "a move leads to components that are not listed before its own",
            sum(0, &[two.clone(), one.clone()]),
        ),
        ("{nimber} is not the least value that no move leads to", sum(0, &[one.clone(), (two.0.clone(), 5)])),
        (
            "the values add up to {total} without carrying: the other player wins",
            sum(1, &[one.clone(), two.clone()]),
        ),
        ("its words are those of no position", sum(0, &[(region(&PositionKey([7, 7].into()), &[2]), 1)])),
    ] {
        wrong.lemma(expected, &nim, lemma);
    }
}

#[test]
fn false_heaps() {
    let split = rules(SPLIT);
    let (ones, twos) = ((ListedComponent::Heap { fluent: 2 }, 1), (ListedComponent::Heap { fluent: 3 }, 1));
    let lamp = (region(&first(&split), &[4]), 1);
    let all = [ones.clone(), twos.clone(), lamp.clone()];
    let mut wrong = Mismatches::default();
    wrong.lemma("accepted: {}", &split, sum(0, &all));
    let no_fluent = (ListedComponent::Heap { fluent: 99 }, 1);
    let twice = "a kind of heap is listed twice, or is no fluent";
    wrong.lemma(twice, &split, sum(0, &[no_fluent]));
    wrong.lemma(twice, &split, sum(0, &[ones.clone(), ones.clone()]));
    wrong.lemma(
        "a heap is listed before one that replaces it",
        &split,
        sum(0, &[twos.clone(), ones.clone(), lamp]),
    );
    let lamp_of = |rules: &Arc<Rules>| [ones.clone(), twos.clone(), (region(&first(rules), &[4]), 1)];
    for (expected, from, to) in [
        ("there may be more heaps than their fluent can count", "0..9 = 3", "0..4 = 3"),
        (
            "a move on heaps does something else than replace one by others",
            "ones > 0; ones -= 1;",
            "ones > 0; ones -= 1; lamp := false;",
        ),
        ("the rules alone do not show that they have a meaning in every position", "0..9 = 3", "0..5 = 3"),
        ("a move may change nothing", "play normal", "move idle() { when not flag; }\nplay normal"),
    ] {
        let changed = SPLIT.replace(from, to);
        let rules = rules(&changed);
        let alone = changed.contains("idle").then(|| sum(0, &[ones.clone(), twos.clone()]));
        wrong.lemma(expected, &rules, alone.unwrap_or_else(|| sum(0, &lamp_of(&rules))));
    }
}

#[test]
fn false_quotients() {
    let misere = rules(&nim(2, "1", "misere"));
    let start = first(&misere);
    let mut wrong = Mismatches::default();
    let mut refused = |expected: &str, change: &dyn Fn(&mut QuotientLemma)| {
        let heap = ComponentElement { component: region(&start, &[2]), element: 1 };
        let mut lemma = QuotientLemma {
            bound: win(0),
            products: vec![vec![0, 1], vec![1, 0]],
            lost: vec![1],
            components: vec![heap],
        };
        change(&mut lemma);
        let player = lemma.bound.holder.expect("a holder");
        wrong.certificate(
            expected,
            &misere,
            &certificate(&misere, wins(player), vec![Lemma::Quotient(lemma)]),
        );
    };
    let marks = "the certificate marks the product {product} as {which} {reason}";
    refused("accepted: {}", &|_| {});
    refused("the other player wins by the product of the components", &|of| of.bound.holder = Some(1));
    refused("there is no such element", &|of| of.components[0].element = 7);
    refused("the products are not those of a commutative monoid with identity 0", &|of| {
        of.products[1][0] = 0
    });
    refused(marks, &|of| of.lost = vec![0]);
    refused(marks, &|of| of.lost = vec![0, 1]);
    refused(marks, &|of| of.lost.clear());
}

/// Two counters in step; the game is over where both are 0.
const STEPS: &str = "game \"Steps\"; players A, B; state { l: 0..2 = 2; r: 0..1 = 1; }\n\
    move both() { when l > 0 and r > 0; l -= 1; r -= 1; }\nmove left() { when l > 0 and r = 0; l -= 1; }\n\
    move right() { when l = 0 and r > 0; r -= 1; }\nend { when l = 0 and r = 0 => draw; }\n";

/// The left counter may also rise again.
const BACK: &str = "game \"Back\"; players A, B; state { l: 0..2 = 2; r: 0..1 = 1; }\n\
    move both(k: 0..2) { when l > 0 and r > 0 and (k = l - 1 or l = 1 and k = 2); l := k; r -= 1; }\n\
    move left(k: 0..2) { when l > 0 and r = 0 and (k = l - 1 or l = 1 and k = 2); l := k; }\n\
    move right() { when l = 0 and r > 0; r -= 1; }\nend { when l = 0 and r = 0 => draw; }\n";

/// The left counter falls to 0 or to 1, and from 1 no further.
const HALFWAY: &str = "game \"Halfway\"; players A, B; state { l: 0..2 = 2; r: 0..1 = 1; }\n\
    move both(k: 0..1) { when l = 2 and r > 0; l := k; r -= 1; }\n\
    move left(k: 0..1) { when l = 2 and r = 0; l := k; }\n\
    move right() { when l = 0 and r > 0; r -= 1; }\nend { when l = 0 and r = 0 => draw; }\n";

#[test]
fn false_products() {
    let product = |components: &[(&[u32], i64)]| {
        let listed = |(fluents, value): &(&[u32], i64)| ProductComponent {
            fluents: fluents.to_vec(),
            value: (*value).into(),
        };
        vec![Lemma::Product(ProductLemma { components: components.iter().map(listed).collect() })]
    };
    let whole: [(&[u32], i64); 2] = [(&[2], 0), (&[3], 0)];
    let mut wrong = Mismatches::default();
    let steps = rules(STEPS);
    let claim = Claim::Value(vec![0.into(); 2]);
    wrong.certificate("accepted: {}", &steps, &certificate(&steps, claim, product(&whole)));
    for (expected, components) in [
        ("a component is worth {value} to the first player", &[(&[2][..], 1), (&[3], -1)][..]),
        ("its components are not those of the position", &[(&[2], 0)]),
        ("its components are not those of the position", &[(&[3], 0), (&[2], 0)]),
    ] {
        wrong.lemma(expected, &steps, product(components));
    }
    for (expected, from, to) in [
        ("an end depends on the turn", "=> draw", "=> mover wins"),
        ("the payoffs of an end do not add up to 0", "=> draw", "=> payoff p: 1"),
        (
            "the game is not over just where all its components are",
            "when l = 0 and r = 0 => draw",
            "when l = 0 => draw",
        ),
        (
            "the moves on one component depend on the moves on another",
            "move right() { when l = 0 and r > 0; r -= 1; }",
            "",
        ),
    ] {
        let text = STEPS.replace(from, to);
        wrong.lemma(expected, &rules(&text), product(&whole));
    }
    // Both players get 1.
    let gift = rules(&STEPS.replace("=> draw", "=> payoff p: 1"));
    wrong.lemma("the payoffs of an end do not add up to 0", &gift, product(&[(&[2], 1), (&[3], 0)]));
    // The second player moves where the game is over.
    let turn = rules(&STEPS.replace("0..2 = 2", "0..2 = 1").replace("=> draw", "=> mover wins"));
    wrong.lemma("an end depends on the turn", &turn, product(&[(&[2], 1), (&[3], 0)]));
    // In one of the positions on the way the result has no value.
    let unclear = STEPS
        .replace("draw; }", "draw; when l = 1 and r = 0 => payoff p: gift; }")
        .replace("r: 0..1 = 1;", "r: 0..1 = 1; gift: 0..1? = none;");
    let meaning = "the rules alone do not show that they have a meaning in every position";
    wrong.lemma(meaning, &rules(&unclear), product(&whole));
    let never_over = "positions of a component come back, or nobody can move where it is not over";
    wrong.lemma(never_over, &rules(HALFWAY), product(&whole));
    wrong.lemma(never_over, &rules(BACK), product(&whole));
    let three = "game \"Three\"; players A, B, C; state { n: 0..3 = 3; }\nmove take() { when n > 0; n -= 1; }\n\
        end { when n = 0 => mover wins; }\n";
    wrong.lemma("it is for two players", &rules(three), product(&whole));
}
