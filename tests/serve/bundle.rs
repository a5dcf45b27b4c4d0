//! The built code editor is the one that its sources give.
//!
//! `BOUTON_BLESS=1 cargo test --test serve bundle` writes it; otherwise the test compares. Where node or npm cannot install
//! the packages of the lock file, the test says so and compares nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The time after which packages are not waited for.
const INSTALL_TIME: Duration = Duration::from_secs(60);
/// The sources of the bundle.
const SOURCES: [&str; 6] =
    ["package.json", "package-lock.json", "build.mjs", "main.js", "language.js", "keywords.json"];

/// Runs a command without output; true if it succeeds in time.
fn succeeds(command: &mut Command) -> bool {
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let Ok(mut child) = child else { return false };
    let begun = Instant::now();
    while begun.elapsed() < INSTALL_TIME {
        match child.try_wait() {
            Ok(None) => std::thread::sleep(Duration::from_millis(50)),
            Ok(Some(status)) => return status.success(),
            Err(_) => break,
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    false
}

/// A folder with the sources and their packages; `None`, with a message, where they cannot be had.
fn installed(sources: &Path) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("editor");
    fs::create_dir_all(&folder).expect("a folder");
    let lock = "package-lock.json";
    let same_lock = fs::read(folder.join(lock)).ok() == fs::read(sources.join(lock)).ok();
    for name in SOURCES {
        fs::copy(sources.join(name), folder.join(name)).expect("a copy");
    }
    if same_lock && folder.join("node_modules/.package-lock.json").is_file() {
        return Some(folder);
    }
    let install = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    if succeeds(Command::new("npm").args(install).current_dir(&folder)) {
        return Some(folder);
    }
    // The next run must not take half of the packages for all of them.
    let _ = fs::remove_dir_all(folder.join("node_modules"));
    println!(
        "skipped: npm cannot install the packages, so the built editor is not compared with its sources"
    );
    None
}

#[test]
fn the_built_editor_is_that_of_its_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli/serve");
    let Some(folder) = installed(&root.join("editor")) else { return };
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
