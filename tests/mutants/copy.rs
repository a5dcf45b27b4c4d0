//! The copy of the project that has mutants.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::rewrite::{Mutant, Sort, mutants, rewrite};

/// The folders that a build of the library and of the checker needs.
const FOLDERS: &[&str] = &["examples", "games", "grammar", "src"];
/// The memory of a process, in KiB of addresses: a mutant may ask for memory without end.
const MAX_KIB: u64 = 12 << 20;
/// The number of times that mutants which do not compile are taken out.
const MAX_ROUNDS: usize = 40;

/// The project with mutants, built.
pub struct Copy {
    pub root: PathBuf,
    /// The mutants by number, with their files.
    pub mutants: Vec<(String, Mutant)>,
}

/// The end of a process, with its output.
pub enum Ended {
    Normally(String),
    Crashed(String),
    Late(String),
}

impl Copy {
    /// Copies the project, gives the files below these folders their mutants, and builds it.
    pub fn build(name: &str, folders: &[&str], sort: Sort, targets: &[&str]) -> Copy {
        let project = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutants").join(name);
        let mut files: BTreeMap<String, String> = BTreeMap::new();
        for folder in folders {
            read_sources(project, &project.join(folder), &mut files);
        }
        for folder in FOLDERS {
            copy_folder(project, &project.join(folder), &root, &files);
        }
        let lock = fs::read_to_string(project.join("Cargo.lock")).expect("a lock file");
        let base = fs::read_to_string(project.join("src/base/lib.rs")).expect("a crate");
        for (path, text) in [
            ("Cargo.lock", &*lock),
            ("Cargo.toml", &manifest(project)),
            ("examples/probe.rs", include_str!("copy/probe.rs")),
            ("src/base/mutants.rs", include_str!("copy/switch.rs")),
            ("src/base/lib.rs", &(base + "\n/// The switches of mutants.\npub mod mutants;\n")),
        ] {
            write_changed(&root.join(path), text.as_bytes());
        }
        let mut all: Vec<(String, Mutant)> = Vec::new();
        for (path, text) in &files {
            all.extend(mutants(text, sort).into_iter().map(|mutant| (path.clone(), mutant)));
        }
        let mut copy = Copy { root, mutants: all };
        for _ in 0..MAX_ROUNDS {
            copy.write(&files);
            let wrong = copy.errors(targets);
            if wrong.is_empty() {
                return copy;
            }
            // An error may come from a mutant in lines above or below.
            let removed = [0, 40].into_iter().any(|distance| copy.remove_near(&wrong, distance));
            assert!(removed, "the copy does not compile without mutants: {wrong:?}");
        }
        panic!("the copy does not compile");
    }

    /// Removes the mutants of these lines and those around them; returns true if there is one.
    fn remove_near(&mut self, wrong: &[(String, usize)], distance: usize) -> bool {
        let before = self.mutants.len();
        self.mutants.retain(|(path, mutant)| {
            let lines = mutant.lines.start.saturating_sub(distance)..mutant.lines.end + distance;
            !wrong.iter().any(|(file, line)| file == path && lines.contains(line))
        });
        self.mutants.len() < before
    }

    fn write(&self, files: &BTreeMap<String, String>) {
        for (path, text) in files {
            let of_file = self.mutants.iter().enumerate().filter(|(_, (of, _))| of == path);
            let numbered: Vec<(u32, &Mutant)> =
                of_file.map(|(id, (_, mutant))| (id as u32, mutant)).collect();
            write_changed(&self.root.join(path), rewrite(text, &numbered).as_bytes());
        }
    }

    fn cargo(&self, targets: &[&str]) -> Command {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(&self.root).env("CARGO_TARGET_DIR", self.root.join("target"));
        cargo.args(if targets.contains(&"--test") {
            ["test", "--no-run"]
        } else {
            ["build", "--keep-going"]
        });
        cargo.args(["--message-format", "json"]).args(targets).stderr(Stdio::null());
        cargo
    }

    /// Builds the copy; returns the files and lines with errors.
    fn errors(&self, targets: &[&str]) -> Vec<(String, usize)> {
        let output = self.cargo(targets).output().expect("cargo");
        let mut found = Vec::new();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let Ok(message) = serde_json::from_str::<Value>(line) else { continue };
            if message["message"]["level"] != "error" {
                continue;
            }
            for span in message["message"]["spans"].as_array().into_iter().flatten() {
                let (first, last) = (span["line_start"].as_u64(), span["line_end"].as_u64());
                let file = span["file_name"].as_str().unwrap_or_default().to_owned();
                if let (Some(first), Some(last)) = (first, last) {
                    found.extend((first..=last).map(|line| (file.clone(), line as usize)));
                }
            }
        }
        assert!(output.status.success() || !found.is_empty(), "cargo fails without a place");
        if output.status.success() { Vec::new() } else { found }
    }

    /// Returns the programs of tests, which are built.
    pub fn test_binaries(&self, targets: &[&str]) -> Vec<PathBuf> {
        let output = self.cargo(targets).output().expect("cargo");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let messages = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        // Tests of a binary come with the binary itself.
        let tests = messages.filter(|message| message["profile"]["test"] == true);
        tests.filter_map(|message| message["executable"].as_str().map(PathBuf::from)).collect()
    }

    /// Runs a program in the copy, with a bound on its memory and time.
    pub fn run(
        &self,
        program: &Path,
        arguments: &[&str],
        variables: &[(&str, &str)],
        time: Duration,
    ) -> Ended {
        let mut shell = Command::new("sh");
        shell.args(["-c", "ulimit -v \"$0\" && exec \"$@\"", &MAX_KIB.to_string()]).arg(program);
        shell.args(arguments).envs(variables.iter().copied()).current_dir(&self.root);
        let mut child =
            shell.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a shell to bound the memory");
        let mut pipes = (child.stdout.take().expect("a pipe"), child.stderr.take().expect("a pipe"));
        let reader = std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = pipes.0.read_to_end(&mut text);
            text
        });
        let errors = std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = pipes.1.read_to_end(&mut text);
            text
        });
        let begun = Instant::now();
        let status = loop {
            match child.try_wait().expect("a process") {
                Some(status) => break Some(status),
                None if begun.elapsed() > time => {
                    let _ = child.kill();
                    let _ = child.wait();
                    break None;
                }
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        let mut output = String::from_utf8_lossy(&reader.join().expect("a reader")).into_owned();
        let errors = errors.join().expect("a reader");
        match status {
            None => Ended::Late(output),
            Some(status) if status.success() => Ended::Normally(output),
            Some(_) => {
                output += &String::from_utf8_lossy(&errors);
                Ended::Crashed(output)
            }
        }
    }

    /// Describes a mutant by its place and change.
    pub fn describe(&self, id: u32) -> String {
        let (path, mutant) = &self.mutants[id as usize];
        format!("{path}:{}: {}", mutant.lines.start, mutant.change)
    }
}

/// The manifest of the project without the benches that the copy lacks, and without optimisation of its own crates.
fn manifest(project: &Path) -> String {
    let text = fs::read_to_string(project.join("Cargo.toml")).expect("a manifest");
    let mut kept = String::new();
    for section in text.split_inclusive("\n\n") {
        if !section.trim_start().starts_with("[[bench]]") && !section.trim_start().starts_with("[[test]]") {
            kept += section;
        }
    }
    kept.replace("[workspace.lints.rust]\n", "[workspace.lints.rust]\nwarnings = \"allow\"\n")
}

/// Writes a file unless it has this content already: cargo builds again what is newer.
fn write_changed(path: &Path, content: &[u8]) {
    if fs::read(path).is_ok_and(|old| old == content) {
        return;
    }
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, content).expect("a file");
}

/// Copies a folder of the project, apart from the files that get mutants and the one that gets their switches.
fn copy_folder(project: &Path, from: &Path, root: &Path, mutated: &BTreeMap<String, String>) {
    for entry in fs::read_dir(from).expect("a readable folder").flatten() {
        let path = entry.path();
        let name = path.strip_prefix(project).expect("a path below the project").display().to_string();
        if path.is_dir() {
            copy_folder(project, &path, root, mutated);
        } else if !mutated.contains_key(&name) && name != "src/base/lib.rs" {
            write_changed(&root.join(name), &fs::read(&path).expect("a readable file"));
        }
    }
}

fn read_sources(root: &Path, folder: &Path, files: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).expect("a readable folder").flatten() {
        let path = entry.path();
        let name = path.strip_prefix(root).expect("a path below the root").display().to_string();
        if path.is_dir() {
            if !name.ends_with("/tests") {
                read_sources(root, &path, files);
            }
        } else if name.ends_with(".rs") && !name.ends_with("/tests.rs") {
            files.insert(name, fs::read_to_string(&path).expect("a readable file"));
        }
    }
}
