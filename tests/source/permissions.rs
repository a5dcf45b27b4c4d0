//! Permissions that cargo does not enforce: unsafe code, the environment, and the dependencies of the checker.

use std::fs;
use std::path::Path;

use crate::files::{SourceFile, source_files};

/// The files with unsafe code: calls of machine code, large tables, the allocator.
const UNSAFE_FILES: &[&str] = &["src/backend/jit/", "src/base/heap.rs", "src/base/key_table.rs"];

/// Uses of the environment, allowed in the crate that reads files, in the driver and in binaries alone.
const ENVIRONMENT: &[&str] =
    &["std::fs", "std::io", "std::env", "std::process", "std::net", "println!", "print!", "eprint!", "dbg!"];

/// The crates and files that may use the environment.
const MAY_USE_ENVIRONMENT: &[&str] =
    &["src/project/", "src/driver/", "src/cli/", "src/main.rs", "src/verify/main.rs", "src/verify/tests/"];

/// The crates that the checker may depend on, directly or not: those that give a file its meaning, and the format of
/// certificates. Nothing that finds a proof is among them.
const CHECKER_CRATES: &[&str] = &["base", "rules", "reference", "grounding", "certificates", "obligations"];

/// Returns the source without comments on lines of their own.
fn code(file: &SourceFile) -> impl Iterator<Item = (usize, &str)> {
    let lines = file.text.lines().enumerate().map(|(index, line)| (index + 1, line));
    lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
}

#[test]
fn unsafe_code_is_in_three_places() {
    let mut wrong = Vec::new();
    for file in source_files().iter().filter(|file| file.path.starts_with("src/")) {
        if UNSAFE_FILES.iter().any(|allowed| file.path.starts_with(allowed)) {
            continue;
        }
        for (line, text) in code(file) {
            if text.contains("unsafe {") || text.contains("unsafe fn") || text.contains("unsafe impl") {
                wrong.push(format!("{}:{line}", file.path));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_environment_enters_through_few_crates() {
    let mut wrong = Vec::new();
    let below =
        |path: &str| path.starts_with("src/") && !MAY_USE_ENVIRONMENT.iter().any(|it| path.starts_with(it));
    for file in source_files().iter().filter(|file| below(&file.path)) {
        for (line, text) in code(file) {
            for word in ENVIRONMENT.iter().filter(|word| text.contains(**word)) {
                wrong.push(format!("{}:{line}: `{word}`", file.path));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The crates that are linked into `bouton-verify` besides: they read files and give them their meaning.
const VERIFY_CRATES: &[&str] = &["checker", "project", "syntax", "analysis", "gdl"];

/// Returns the lines of a manifest that name the crates that a crate in this folder of `src` depends on; crates that
/// only tests use do not count.
pub(crate) fn dependency_lines(of: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(of).join("Cargo.toml");
    let manifest = fs::read_to_string(path).expect("a readable manifest");
    let section = manifest.split("\n[dependencies]\n").nth(1).unwrap_or_default();
    section.split("\n[").next().unwrap_or_default().lines().map(str::to_owned).collect()
}

/// Returns the crates of this workspace that a crate depends on.
fn dependencies(of: &str) -> Vec<String> {
    let lines = dependency_lines(of);
    let names = lines.iter().filter_map(|line| line.strip_prefix("bouton-"));
    names.map(|name| name.split(['.', ' ']).next().unwrap_or_default().to_owned()).collect()
}

/// Returns the crates of this workspace that a crate depends on, directly or not, in order.
pub(crate) fn all_dependencies(of: &str) -> Vec<String> {
    let mut waiting = vec![of.to_owned()];
    let mut seen: Vec<String> = Vec::new();
    while let Some(of) = waiting.pop() {
        for name in dependencies(&of) {
            if !seen.contains(&name) {
                waiting.push(name.clone());
                seen.push(name);
            }
        }
    }
    seen.sort();
    println!("{of} depends on: {}", seen.join(", "));
    assert!(!seen.is_empty());
    seen
}

#[test]
fn the_checker_depends_on_nothing_that_finds() {
    let all = all_dependencies("checker");
    let wrong: Vec<&String> = all.iter().filter(|name| !CHECKER_CRATES.contains(&name.as_str())).collect();
    assert!(wrong.is_empty(), "the checker depends on {wrong:?}");
}

#[test]
fn the_checking_binary_links_nothing_that_finds() {
    let allowed =
        |name: &String| CHECKER_CRATES.contains(&name.as_str()) || VERIFY_CRATES.contains(&name.as_str());
    let all = all_dependencies("verify");
    let wrong: Vec<&String> = all.iter().filter(|name| !allowed(name)).collect();
    assert!(wrong.is_empty(), "bouton-verify links {wrong:?}");
}

/// The crates that know rules, positions and results, and no form in which rules are written. Of `syntax` they use the
/// diagnostics.
const CRATES_WITHOUT_TREES: &[&str] = &["src/driver/", "src/report/", "src/search/"];

#[test]
fn the_driver_knows_no_syntax_tree() {
    let mut wrong = Vec::new();
    let is_without = |file: &&SourceFile| CRATES_WITHOUT_TREES.iter().any(|path| file.path.starts_with(path));
    for file in source_files().iter().filter(is_without) {
        for (line, text) in code(file) {
            let mut uses = text.split("bouton_syntax::").skip(1);
            if uses.any(|name| !name.starts_with("diag")) || text.contains("ast::") && text.contains("use ") {
                wrong.push(format!("{}:{line}: {}", file.path, text.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(!dependencies("driver").contains(&"analysis".to_owned()));
}
