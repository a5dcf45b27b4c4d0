//! The binary `bouton-verify` on a certificate of Nim, which `bouton solve nim.bou --certificate nim.cert` wrote.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs the binary in the folder of this test.
fn verify(arguments: &[&str]) -> Output {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut command = Command::new(env!("CARGO_BIN_EXE_bouton-verify"));
    command.args(arguments).current_dir(folder).output().expect("the binary")
}

/// Returns the exit code and both outputs.
fn result(arguments: &[&str]) -> (i32, String, String) {
    let output = verify(arguments);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("an exit code"), text(output.stdout), text(output.stderr))
}

/// Writes the certificate with a replacement to a file of its own.
fn changed(name: &str, from: &str, to: &str) -> PathBuf {
    let whole = include_str!("nim.cert");
    assert!(whole.contains(from));
    let path = std::env::temp_dir().join(format!("bouton-verify-{}-{name}", std::process::id()));
    std::fs::write(&path, whole.replacen(from, to, 1)).expect("a writable file");
    path
}

#[test]
fn a_sound_certificate_is_accepted() {
    for arguments in [&["nim.cert"][..], &["nim.cert", "nim.bou"]] {
        let (code, out, _) = result(arguments);
        assert_eq!(code, 0, "{out}");
        assert!(out.starts_with("accepted: Nim: First wins within 3 plies\n"), "{out}");
    }
}

#[test]
fn changed_certificates_are_refused() {
    for (name, from, to) in [
        ("answer", "take(2, 1)", "take(2, 2)"),
        ("claim", "claim First", "claim Second"),
        ("version", "bouton-certificate 2", "bouton-certificate 1"),
    ] {
        let path = changed(name, from, to);
        let (code, out, _) = result(&[path.to_str().expect("UTF-8")]);
        std::fs::remove_file(path).expect("the file is there");
        assert_eq!(code, 3, "{out}");
        assert!(out.starts_with("refused: "), "{out}");
    }
}

#[test]
fn wrong_usage_has_a_code_of_its_own() {
    for arguments in [&[][..], &["nim.cert", "nim.bou", "more"], &["--json", "nim.cert"], &["missing.cert"]] {
        let (code, out, error) = result(arguments);
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}");
        assert!(error.starts_with("error: "), "{error}");
    }
    let (code, out, _) = result(&["--help"]);
    assert!(code == 0 && out.contains("Usage: bouton-verify <CERTIFICATE> [FILE]"), "{out}");
}

#[test]
fn rules_with_errors_are_shown() {
    let rules = std::env::temp_dir().join(format!("bouton-verify-{}.bou", std::process::id()));
    std::fs::write(&rules, include_str!("nim.bou").replace("size[h];", "sise[h];")).expect("a writable file");
    let (code, _, error) = result(&["nim.cert", rules.to_str().expect("UTF-8")]);
    std::fs::remove_file(rules).expect("the file is there");
    assert_eq!(code, 1, "{error}");
    assert!(error.contains("E0101"), "{error}");
}
