//! The built code editor is the one that its sources give.
//!
//! `BOUTON_BLESS=1 cargo test --test serve bundle` writes it; otherwise the test compares. Where node or npm cannot install
//! the packages of the lock file, the test says so and compares nothing.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::npm::installed;

/// The sources of the bundle.
const SOURCES: [&str; 6] =
    ["package.json", "package-lock.json", "build.mjs", "main.js", "language.js", "keywords.json"];

#[test]
fn the_built_editor_is_that_of_its_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli/serve");
    let Some(folder) = installed("editor", &root.join("editor"), &SOURCES) else { return };
    let built = folder.join("codemirror.js");
    let run = Command::new("node").args(["build.mjs", "codemirror.js"]).current_dir(&folder).output();
    let run = run.expect("node runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let expected = fs::read(&built).expect("the bundle");
    let asset = root.join("assets/codemirror.js");
    if std::env::var_os("BOUTON_BLESS").is_some() {
        fs::write(&asset, &expected).expect("the bundle is written");
    }
    let committed = fs::read(&asset).expect("the built editor");
    assert!(committed == expected, "the built editor is old: BOUTON_BLESS=1 cargo test --test serve bundle");
}
