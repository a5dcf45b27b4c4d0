//! The pages of `bouton explain` are tests: the wrong text gives the code, the right text does not.

use std::path::PathBuf;
use std::time::Duration;

use bouton::base::limits::{Limits, Silent};
use bouton::diag::{CODES, Code};
use bouton::driver::budget::Budget;
use bouton::driver::check::{self, within};
use bouton::driver::load::{Request, Text};
use bouton::driver::test;

/// Codes whose pages cannot be tried in this way, with the reason.
const APART: &[(&str, &str)] = &[
    ("E0012", "the wrong text is no UTF-8, and the page is"),
    ("E0507", "declared symmetries are not looked into in this version"),
];

/// The text under a heading of a page.
fn block<'a>(page: &'a str, heading: &str) -> Option<&'a str> {
    let (_, after) = page.split_once(&format!("## {heading}"))?;
    let (_, fenced) = after.split_once("```")?;
    let (_, text) = fenced.split_once('\n')?;
    text.split_once("```").map(|(text, _)| text)
}

fn folder() -> PathBuf {
    std::env::temp_dir().join(format!("bouton-pages-{}", std::process::id()))
}

/// All codes that checking and testing a text give, those named in the reasons of what is unknown among them.
fn codes(name: &str, words: &str) -> Vec<String> {
    std::fs::create_dir_all(folder()).expect("a temporary folder");
    let path = folder().join(format!("{name}.bou"));
    std::fs::write(&path, words).expect("a file in the temporary folder");
    let path = path.display().to_string();
    let request = Request { path: &path, settings: &[], preset: None };
    let mut text = Text::read(&request).expect("a readable file");
    let limits = within(&Limits::default(), Duration::from_secs(2));
    let options = check::Options { explore: 20_000, limits: &limits, progress: &Silent };
    let checked = check::check(&mut text, &options);
    let budget = Budget { time: Some(Duration::from_secs(1)), ..Budget::default() };
    let tested = test::test(&mut text, &test::Options { all: false, budget: &budget, progress: &Silent });
    let _ = std::fs::remove_file(&path);
    let found = checked.diagnostics.iter().chain(&tested.errors).chain(&tested.failures).chain(&tested.notes);
    let mut codes: Vec<String> = found.map(|d| d.code.name().to_string()).collect();
    for (code, _) in CODES {
        if tested.unknown.iter().any(|u| u.reason.contains(&format!("({code})"))) {
            codes.push(code.name().to_string());
        }
    }
    codes
}

fn try_page(code: Code, page: &str, wrong: &mut Vec<String>) {
    let name = code.name();
    let (Some(bad), Some(good)) = (block(page, "Wrong"), block(page, "Right")) else {
        wrong.push(format!("{name}: the page has no wrong and right text"));
        return;
    };
    let found = codes(&format!("{name}_wrong"), bad);
    if !found.iter().any(|c| c == name) {
        wrong.push(format!("{name}: the wrong text gives {found:?}"));
    }
    let found = codes(&format!("{name}_right"), good);
    if found.iter().any(|c| c == name || c.starts_with('E')) {
        wrong.push(format!("{name}: the right text gives {found:?}"));
    }
}

#[test]
fn every_page_shows_its_code() {
    let mut wrong = Vec::new();
    for (code, page) in CODES {
        if APART.iter().all(|(name, _)| *name != code.name()) {
            try_page(*code, page, &mut wrong);
        }
    }
    let _ = std::fs::remove_dir_all(folder());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
