//! Packages of npm that tests need, installed by their lock file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The time after which packages are not waited for.
const INSTALL_TIME: Duration = Duration::from_secs(60);

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

/// Copies these files of a folder to a place of this name below the target folder, and installs their packages there.
///
/// Returns `None`, with a message, where the packages cannot be had.
pub fn installed(name: &str, sources: &Path, files: &[&str]) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).expect("a folder");
    let lock = "package-lock.json";
    let same_lock = fs::read(folder.join(lock)).ok() == fs::read(sources.join(lock)).ok();
    for file in files {
        fs::copy(sources.join(file), folder.join(file)).expect("a copy");
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
    println!("skipped: npm cannot install the packages of {name}");
    None
}
