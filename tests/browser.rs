//! HTML pages in a real browser: an empty console, no network requests, no text outside its picture or over other text,
//! nothing wider than a narrow screen, sufficient contrast, and working folds and steps.
//!
//! The browser is Chromium, package `chromium` of Debian, or the program that `BOUTON_BROWSER` names. Without a browser
//! the tests print that and pass.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The script that examines a page in its frame and sends its findings to the enclosing page.
const PROBE: &str = include_str!("browser/probe.js");
/// The script of the enclosing page that collects the findings.
const GATHERER: &str = include_str!("browser/gatherer.js");

/// A temporary folder, deleted on drop.
struct TempFolder(PathBuf);

impl TempFolder {
    fn new(name: &str) -> TempFolder {
        let path = std::env::temp_dir().join(format!("bouton-browser-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        TempFolder(path)
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Returns the browser; `None` if there is none.
fn browser() -> Option<String> {
    let named = std::env::var("BOUTON_BROWSER").ok();
    let names = named.into_iter().chain(["chromium".into(), "google-chrome".into()]);
    let found = names.into_iter().find(|name| {
        let asked = Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        asked.is_ok_and(|status| status.success())
    });
    if found.is_none() {
        eprintln!("skipped: there is no chromium, so no page is looked at in a browser");
    }
    found
}

/// Returns the standard output of `bouton` with these arguments.
fn stdout_of(args: &[&str]) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let made = Command::new(env!("CARGO_BIN_EXE_bouton"))
        .args(args)
        .current_dir(root)
        .stdin(Stdio::null())
        .output()
        .expect("the binary runs");
    assert!(made.status.success(), "{args:?}: {}", String::from_utf8_lossy(&made.stderr));
    String::from_utf8(made.stdout).expect("text")
}

/// Loads pages in frames of these widths and returns the findings: the lines on the console, and those of the probe in
/// each frame.
fn browser_findings(browser: &str, pages: &[(&str, String)], widths: &[u32], dark: bool) -> Vec<String> {
    let folder = TempFolder::new(if dark { "dark" } else { pages[0].0 });
    let mut frames = String::new();
    for (name, page) in pages {
        // The probe comes before everything else on the page, so that it misses nothing.
        let probed = page.replacen("<head>", &format!("<head><script>{PROBE}</script>"), 1);
        assert_ne!(&probed, page, "{name} is a page");
        std::fs::write(folder.0.join(format!("{name}.html")), probed).expect("a page is written");
        for width in widths {
            let _ = writeln!(
                frames,
                "<iframe src=\"{name}.html\" name=\"{name} at {width}\" style=\"width:{width}px;height:900px\"></iframe>"
            );
        }
    }
    let around = format!("<!DOCTYPE html><meta charset=utf-8><pre></pre><script>{GATHERER}</script>{frames}");
    let around_at = folder.0.join("around-all.html");
    std::fs::write(&around_at, around).expect("a page is written");
    let mut command = Command::new(browser);
    command.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--hide-scrollbars",
        "--window-size=1600,1000",
        "--enable-logging=stderr",
        "--virtual-time-budget=20000",
        "--dump-dom",
    ]);
    if dark {
        command.arg("--blink-settings=preferredColorScheme=0");
    }
    command.arg(format!("--user-data-dir={}", folder.0.join("profile").display()));
    command.arg(format!("file://{}", around_at.display()));
    let output = command.stdin(Stdio::null()).output().expect("the browser runs");
    let (dom, log) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let mut found: Vec<String> =
        log.lines().filter(|line| line.contains("CONSOLE")).map(Into::into).collect();
    let told =
        dom.split_once("<pre>").and_then(|(_, rest)| rest.split_once("</pre>")).map_or("", |(told, _)| told);
    let mut answers: Vec<&str> = told.lines().filter(|line| !line.is_empty()).collect();
    // One line for each frame confirms that the probe finished.
    let done = answers.iter().filter(|line| line.ends_with(": done")).count();
    assert_eq!(done, pages.len() * widths.len(), "not every page was gone through:\n{told}\n{log}");
    answers.retain(|line| !line.ends_with(": done"));
    found.extend(answers.into_iter().map(Into::into));
    found
}

/// Returns reports of games with each kind of strategy, trees that step, and tables.
fn pages() -> Vec<(&'static str, String)> {
    let report = |args: &[&str]| stdout_of(&[&["report"], args, &["--format", "html"]].concat());
    let trace = |args: &[&str]| stdout_of(&[&["trace"], args, &["--format", "html"]].concat());
    vec![
        ("mirror", report(&["games/hatch.bou"])),
        ("pairing", report(&["games/gomoku.bou", "--set", "m=5", "--set", "n=5", "--set", "k=5"])),
        ("heaps", report(&["games/nim.bou"])),
        ("regions", report(&["games/kayles.bou", "--moves", "5x1"])),
        ("hexagons", report(&["games/hex.bou", "--set", "n=3"])),
        ("points", report(&["games/three_mens_morris.bou"])),
        ("and-or", report(&["games/tictactoe.bou", "--moves", "b2 a1"])),
        ("scores", report(&["games/kalah.bou", "--set", "m=2", "--set", "s=2"])),
        ("windows", trace(&["games/two_plies.bou", "--method", "alphabeta"])),
        ("won-or-not", trace(&["games/tictactoe.bou", "--moves", "a1 b1 c1 a2 b2 c3", "--method", "and-or"])),
        ("numbers", trace(&["games/tictactoe.bou", "--moves", "a1 b2 c1 b1 b3", "--method", "pns"])),
        (
            "table",
            stdout_of(&[
                "table",
                "games/hatch.bou",
                "--over",
                "n=1..6",
                "--over",
                "k=1..6",
                "--format",
                "html",
            ]),
        ),
    ]
}

#[test]
fn pages_are_sound_in_a_browser() {
    let Some(browser) = browser() else { return };
    let pages = pages();
    let light = browser_findings(&browser, &pages, &[1200, 360], false);
    assert!(light.is_empty(), "{}", light.join("\n"));
    let dark = browser_findings(&browser, &pages, &[800], true);
    assert!(dark.is_empty(), "dark: {}", dark.join("\n"));
}

/// Shows that the test can fail: the probe finds each of these faults.
#[test]
fn what_is_wrong_is_found() {
    let Some(browser) = browser() else { return };
    let wrong =
        |body: &str| format!("<!DOCTYPE html><html><head><style></style></head><body>{body}</body></html>");
    let text = |x: u32, words: &str| format!("<text x=\"{x}\" y=\"20\">{words}</text>");
    let picture = |inner: &str| wrong(&format!("<svg width=\"200\" height=\"40\">{inner}</svg>"));
    let cases = [
        ("script", wrong("<script>nowhere()</script>"), "Uncaught ReferenceError"),
        ("console", wrong("<script>console.log('said')</script>"), "said"),
        ("picture", wrong("<img src=\"nowhere.png\" alt=\"\">"), "asks for"),
        ("wide", wrong("<div style=\"width:3000px\">wide</div>"), "wider than the screen"),
        ("pale", wrong("<p style=\"color:#eee;background:#fff\">pale</p>"), "is hard to read"),
        ("cut-off", picture(&text(190, "cut off")), "outside of its picture"),
        ("over", picture(&(text(20, "this text") + &text(40, "and this"))), "lies over"),
        (
            "folded",
            wrong("<details><summary>open</summary><p hidden>nothing</p></details>"),
            "does not unfold",
        ),
    ];
    let pages: Vec<(&str, String)> = cases.iter().map(|(name, page, _)| (*name, page.clone())).collect();
    let all = browser_findings(&browser, &pages, &[800], false);
    for (name, _, found) in cases {
        let of = |line: &&String| {
            line.contains(&format!("{name}.html")) || line.starts_with(&format!("{name} at"))
        };
        let own: Vec<&String> = all.iter().filter(of).collect();
        assert!(own.iter().any(|line| line.contains(found)), "{name}: {own:?}");
    }
}
