//! Compact values and plain values agree.

use proptest::prelude::*;

use super::*;
use crate::compact::{Compact, SetBuilder};

/// Values of several types: scalars, members of two enums, some of them too many for the short form, tuples, sets.
fn value() -> impl Strategy<Value = Value> {
    let member = prop_oneof![0u32..4, 44u32..52, 60u32..70, 124u32..132];
    let scalar = prop_oneof![
        Just(Value::None),
        any::<bool>().prop_map(Value::Bool),
        (-2i64..3).prop_map(Value::Int),
        (0u32..2, member).prop_map(|(of, number)| Value::Sym(EnumId(of), number)),
    ];
    scalar.prop_recursive(2, 8, 4, |inner| {
        prop_oneof![
            3 => prop::collection::vec(inner.clone(), 0..4).prop_map(Value::set),
            1 => prop::collection::vec(inner, 1..3).prop_map(Value::tuple),
        ]
    })
}

/// A set of members of one enum, or of anything.
fn set() -> impl Strategy<Value = Value> {
    let members = (0u32..2, prop::collection::vec(0u32..6, 0..5));
    let members =
        members.prop_map(|(of, of_set)| Value::set(of_set.into_iter().map(|i| Value::Sym(EnumId(of), i))));
    prop_oneof![2 => members, 1 => prop::collection::vec(value(), 0..4).prop_map(Value::set)]
}

/// The elements of a set.
fn items(set: &Value) -> Vec<Value> {
    set.as_set().unwrap().to_vec()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]
    #[test]
    fn the_form_changes_neither_values_nor_their_order(a in value(), b in value()) {
        let (x, y) = (Compact::from(&a), Compact::from(&b));
        prop_assert_eq!(&x.to_value(), &a);
        prop_assert_eq!(x == y, a == b);
        prop_assert_eq!(x.cmp(&y), a.cmp(&b));
        prop_assert_eq!(x.is_set(), a.as_set().is_some());
    }

    #[test]
    fn sets_have_the_same_elements_in_both_forms(a in set(), b in set(), other in value()) {
        let (x, y) = (Compact::from(&a), Compact::from(&b));
        prop_assert_eq!(x.len(), Some(items(&a).len()));
        let mut elements = SetBuilder::default();
        let mut listed = Vec::new();
        x.each_element(&mut |element| {
            listed.push(element.to_value());
            elements.insert(element);
            true
        });
        prop_assert_eq!(&listed, &items(&a));
        prop_assert_eq!(&elements.finish(), &x);
        for element in items(&b).iter().chain([&other]) {
            prop_assert_eq!(x.contains(&element.into()), items(&a).contains(element));
        }
        prop_assert_eq!(x.is_subset(&y), items(&a).iter().all(|item| items(&b).contains(item)));
        let in_b = |item: &Value| items(&b).contains(item);
        let expected = [
            (SetOp::Union, Value::set(items(&a).into_iter().chain(items(&b)))),
            (SetOp::Intersect, Value::set(items(&a).into_iter().filter(in_b))),
            (SetOp::Minus, Value::set(items(&a).into_iter().filter(|item| !in_b(item)))),
        ];
        for (op, expected) in expected {
            prop_assert_eq!(x.set_op(op, &y), Some(Compact::from(&expected)));
        }
    }
}
