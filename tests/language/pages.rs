//! Each code has a page with a wrong example, which raises exactly it, and a right one, which raises nothing. The
//! snapshot is the rendered message.

use std::time::Duration;

use bouton_base::limits::Limits;
use bouton_driver::load::GameSource;
use bouton_driver::position::resolve_start;
use bouton_driver::size::GameSize;
use bouton_search::solve::Auto;
use bouton_syntax::diag::{CODES, Code, Diagnostic, explain, render};

use super::{checked, tested};

/// Codes without an example, with the reason.
const WITHOUT_EXAMPLE: &[(&str, &str)] =
    &[("E0012", "a byte that is not UTF-8 cannot stand on a page; see tests/cli.rs")];

/// Codes that expectations raise.
const BY_TEST: &[&str] = &["E0601", "E0602", "E0603", "N0604"];

/// Codes that `bouton solve` raises, where `check` finds nothing.
const BY_SOLVE: &[&str] = &["E0401", "W0402"];

fn block<'p>(page: &'p str, heading: &str) -> &'p str {
    let rest = page.split_once(heading).unwrap_or_else(|| panic!("no {heading}")).1;
    let rest = rest.split_once(&format!("```{}\n", language(page))).expect("a block").1;
    rest.split_once("```").expect("its end").0
}

/// The language of the examples of a page, which is the ending of such files.
fn language(page: &str) -> &'static str {
    if page.contains("```kif") { "kif" } else { "bou" }
}

fn findings(code: Code, source: &str) -> (GameSource, Vec<Diagnostic>) {
    let mut text = GameSource::from_string(&format!("game.{}", language(explain(code))), source);
    let found = if BY_TEST.contains(&code.name()) {
        let report = tested(&mut text, Duration::from_secs(2));
        [report.errors, report.failures, report.notes].concat()
    } else if BY_SOLVE.contains(&code.name()) {
        let checked = checked(&mut text, 200).diagnostics;
        let begin = resolve_start(&mut text, None, None, &Limits::default()).expect("a sound text");
        let size = GameSize::new(&begin.game, &begin.state, Limits::default());
        let price = size.price(&Auto).and_then(|price| size.diagnostic(&price, &mut text));
        checked.into_iter().chain(price).collect()
    } else {
        checked(&mut text, 20_000).diagnostics
    };
    (text, found)
}

/// An expectation on a game that is too large is undecided, and the reason contains the code.
#[test]
fn undecided_expectations_name_the_size() {
    for name in BY_SOLVE {
        let code = Code::find(name).expect("a code");
        let mut text = GameSource::from_string("game.bou", block(explain(code), "## Wrong"));
        let report = tested(&mut text, Duration::from_millis(500));
        let reasons: Vec<&str> = report.unknown.iter().map(|u| u.reason.as_str()).collect();
        assert!(reasons.len() == 1 && reasons[0].contains(name), "{name}: {reasons:?}");
    }
}

fn page(code: Code, page: &str) -> Result<(), String> {
    let (wrong, right) = (block(page, "## Wrong"), block(page, "## Right"));
    let (text, found) = findings(code, wrong);
    let names: Vec<&str> = found.iter().map(|d| d.code.name()).collect();
    if names != [code.name()] {
        return Err(format!("{code}: the wrong text raises {names:?}"));
    }
    let message = render(&text.sources, &found[0], false);
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(code.name(), format!("{wrong}\n{message}"));
    });
    let (text, found) = findings(code, right);
    match found.first() {
        None => Ok(()),
        Some(first) => Err(format!("{code}: the right text raises\n{}", render(&text.sources, first, false))),
    }
}

fn pages(first: &str, last: &str) {
    let apart = |code: Code| WITHOUT_EXAMPLE.iter().any(|(name, _)| *name == code.name());
    let mine = CODES.iter().filter(|(code, _)| {
        let number = &code.name()[1..];
        (first..=last).contains(&number) && !apart(*code)
    });
    let failures: Vec<String> = mine.filter_map(|&(code, text)| page(code, text).err()).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn syntax() {
    pages("0000", "0099");
}

#[test]
fn names() {
    pages("0100", "0199");
}

#[test]
fn types() {
    pages("0200", "0299");
}

#[test]
fn rules() {
    pages("0300", "0399");
}

#[test]
fn sizes() {
    pages("0400", "0499");
}

#[test]
fn positions() {
    pages("0500", "0599");
}

#[test]
fn expectations() {
    pages("0600", "0699");
}

#[test]
fn sheets() {
    pages("0700", "0799");
}
