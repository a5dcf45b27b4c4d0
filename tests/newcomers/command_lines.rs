//! Command lines and lines of play in another form than the right one.

use super::{bouton, err, out};

const NIM: &str = r#"
game "Nim";
param n: 1..20 = 9;
param heaps: list of 0..9 = [1, 2];
players First, Second;
state { pile: 0..20 = n; }
move take(k: 1..3) as "{k}" { when k <= pile and k <= 9 + heaps[1]; pile -= k; }
play normal;
"#;

/// The message of a command that was not understood.
fn refused(args: &[&str]) -> String {
    let output = bouton(args, NIM);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {}", err(&output));
    err(&output)
}

#[test]
fn settings_in_another_form_are_told_in_the_right_one() {
    let cases = [
        ("n:5", "`--set n=5`"),
        ("n=5,heaps=3", "`--set n=5 --set heaps=3`"),
        ("heaps=3,4,5", "`--set 'heaps=[3,4,5]'`"),
        ("heaps=[3 4 5]", "`--set 'heaps=[3,4,5]'`"),
        ("N=5", "did you mean `n`?"),
    ];
    for (setting, form) in cases {
        let told = refused(&["solve", "-", "--set", setting]);
        assert!(told.contains(form), "{setting}: {told}");
    }
}

#[test]
fn flags_in_another_form_are_told_in_the_right_one() {
    let cases: [(&[&str], &str); 17] = [
        (&["table", "-", "--over", "heaps=1..3"], "`--over 'heaps[1]=1..3'`"),
        (&["table", "-", "n=1..5"], "`--over n=1..5`"),
        (&["table", "-", "--over", "n=5..2"], "5 is above 2"),
        (&["solve", "-", "-n", "5"], "`--set n=5`"),
        (&["solve", "-", "--set", "heaps", "3,4"], "`--set 'heaps=[3,4]'`"),
        (&["solve", "-", "--threads", "two"], "a whole number is needed, in digits"),
        (&["solve", "-", "--threads", "4000"], "at most 256"),
        (&["solve", "-", "--method", "nimbers"], "did you mean `grundy`?"),
        (&["solve", "-", "--moves", "1", "2"], "several moves stand in quotes: `--moves \"1 2\"`"),
        (&["solve", "-", "--set", "n", "=", "5"], "a setting has no blanks: `--set n=5`"),
        (&["perft", "-", "3"], "the depth is a flag: `-d 3`"),
        (&["nim.bou"], "a command comes before the file: `bouton check nim.bou`"),
        (&["export", "-"], "`--to` is one of "),
        (&["solve", "-", "--depth", "3"], "`--within N` searches for a win within N plies"),
        (&["solve", "-", "--memory", "2"], "write 2M or 2G"),
        (&["report", "-", "-o", "nim.pdf"], "no report is written as `.pdf`"),
        (&["explain", "501"], "did you mean E0501?"),
    ];
    for (args, form) in cases {
        let told = refused(args);
        assert!(told.contains(form), "{args:?}: {told}");
    }
    // A position is a value of the command line, as a setting is.
    assert!(refused(&["solve", "-", "--position", "pile = 3"]).contains("write `:=`"));
}

#[test]
fn files_of_another_kind_are_named() {
    let folder = std::env::temp_dir().join(format!("bouton-newcomers-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("a file");
        path.display().to_string()
    };
    let (rules, sheet) = (file("nim.bou", NIM), file("nim.kif", NIM));
    let certificate = folder.join("nim.cert").display().to_string();
    assert!(bouton(&["solve", &rules, "--certificate", &certificate], "").status.success());
    let told = refused(&["verify", &rules]);
    assert!(told.contains("is a game, not a certificate"), "{told}");
    let told = refused(&["verify", &rules, &certificate]);
    assert!(told.contains("the certificate comes first"), "{told}");
    let told = err(&bouton(&["solve", &certificate], ""));
    assert!(told.contains("this file is a certificate"), "{told}");
    let told = err(&bouton(&["solve", &sheet], ""));
    assert!(told.contains("give the file a name that ends in `.bou`"), "{told}");
    let commented = file("sheet.bou", "; a game\n; of two\n(role x)\n(role o)\n(init a)\n");
    let told = err(&bouton(&["check", &commented], ""));
    assert!(told.contains("a game in standard GDL (KIF)"), "{told}");
    let told = refused(&["report", &rules, "-o", &folder.join("no/such/nim.html").display().to_string()]);
    assert!(told.contains("there is no folder"), "{told}");
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn lines_of_play_in_another_form_are_answered() {
    let folder = std::env::temp_dir().join(format!("bouton-newcomers-play-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let rules = folder.join("nim.bou").display().to_string();
    std::fs::write(&rules, NIM).expect("a file");
    let told = out(&bouton(&["play", &rules, "--seed", "1"], "hint please\n99\nbest\nresign\n"));
    for answer in [
        "the command `hint` stands alone on its line",
        "the moves have the numbers 1 to 3",
        "the command is `hint`",
        "the command is `quit`",
    ] {
        assert!(told.contains(answer), "{answer}: {told}");
    }
    let _ = std::fs::remove_dir_all(&folder);
}
