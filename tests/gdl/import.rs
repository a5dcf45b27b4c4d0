//! Sheets as texts: values are those of the sheets, and sheets without a text are refused with the reason.

use bouton_base::limits::{LimitHit, Limits};
use bouton_driver::gdl_import::{NotImported, import};
use bouton_driver::load::GameSource;

use crate::own::{DOORS, HEAPS, PUSH, SIGNS, solution};

fn imported(text: &str) -> Result<String, NotImported> {
    import(&mut GameSource::from_string("sheet.kif", text), &Limits::default())
}

#[test]
fn texts_are_those_that_a_person_would_write() {
    let heaps = imported(HEAPS).expect("a text");
    for line in
        ["players left, right;", "move take(h: Heap, to: 0..1) {", "  when to < heap[h];", "  heap[h] := to;"]
    {
        assert!(heaps.lines().any(|other| other == line), "{line}\n{heaps}");
    }
    // Frame axioms and the turn have no line.
    assert!(!heaps.contains("control") && !heaps.contains("noop") && !heaps.contains("{ heap["), "{heaps}");
    let doors = imported(DOORS).expect("a text");
    assert!(doors.contains("inductive way("), "{doors}");
}

#[test]
fn texts_have_the_values_of_their_sheets() {
    for text in [HEAPS, DOORS] {
        let written = imported(text).expect("a text");
        let wanted = solution("sheet.kif", text);
        let found = solution("text.bou", &written);
        assert_eq!(found.value.map(|value| value.kind), wanted.value.map(|value| value.kind));
        assert_eq!(found.remoteness, wanted.remoteness);
        assert_eq!(found.positions, wanted.positions);
    }
}

#[test]
fn sheets_without_a_text_are_refused() {
    let why = |text: &str| imported(text).expect_err("no text").to_string();
    assert_eq!(why(SIGNS), "roles may choose at once");
    assert_eq!(why(PUSH), "sheet.kif:11: this condition on moves has no form");
    // The left player goes on after a move that empties a heap, for which the text has no turn.
    let again = HEAPS
        .replace("(<= (next (control right)) (true (control left)))", "")
        .replace(
            "(<= (next (control left)) (true (control right)))",
            "(<= (next (control left)) (true (control right)))\n(<= (next (control left)) (does left (take ?h 0)))\n\
             (<= (next (control right)) (does left (take ?h ?n)) (distinct ?n 0))",
        );
    assert!(matches!(imported(&again), Err(NotImported::Differs { .. })), "{:?}", imported(&again));
    let limits = Limits::default();
    limits.cancel.cancel();
    let stopped = import(&mut GameSource::from_string("sheet.kif", HEAPS), &limits);
    assert_eq!(stopped, Err(NotImported::Limit(LimitHit::Interrupted)));
}
