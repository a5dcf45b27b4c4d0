//! Libraries with a prefix: `use "x" as y;` and names of the form `y.name`.

use std::time::Duration;

use bouton_driver::load::{GameSource, LoadRequest};
use bouton_syntax::diag::render;

use super::{checked, tested};

/// Asserts that the source has no findings and that all its expectations hold.
fn sound(mut text: GameSource, expectations: u64) {
    let found = checked(&mut text, 20_000).diagnostics;
    let report = tested(&mut text, Duration::from_secs(5));
    let found = found.iter().chain(&report.errors).chain(&report.failures);
    let told: Vec<String> = found.map(|d| render(&text.sources, d, false)).collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
    assert_eq!((report.passed, report.unknown.len()), (expectations, 0));
}

const COUNTING: &str = r#"
    game "Counting";
    use "tests/language/libraries/tally" as t;
    players A, B;
    enum Step { back }
    def full = t.full(A) or t.full(B);
    state { last: t.Marks = 0; }
    preset quick { t.most = 2; }
    move mark(s: t.Step) as "{s}" {
      when t.tally[me] + t.size[s] <= t.most;
      t.bump(me, s);
      then { last := t.tally[me]; }
    }
    move take() as "take" { when t.tally[me] > last; t.tally[me] := last; last := 0; }
    end {
      for p in Player when t.full(p) => p wins; repeat => draw;
      // allow(W0532): only its names count
      when back not in Step => highest t.tally;
    }
    expect first wins in 1 with t.most = 2;
    test "names of the library" {
      play t.wait(small), mark(t.Step.large);
      expect t.tally[A] = 1 and t.tally[B] = 2 and not full and last = 2 and #t.Step = 2 and t.most = 3;
      play "t.wait(small)";
      position { t.tally[B] := 3; }
      expect some p in Player: t.full(p);
      expect full;
    }
"#;

#[test]
fn names_are_written_with_the_prefix() {
    sound(GameSource::from_string("game.bou", COUNTING), 4);
}

#[test]
fn settings_have_the_prefix_too() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("counting.bou");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/");
    std::fs::write(&path, COUNTING.replace("tests/", folder)).expect("a text is written");
    let settings = ["t.most=2".to_string()];
    let request = LoadRequest { path: &path.to_string_lossy(), settings: &settings, preset: None };
    let mut text = GameSource::read(&request).expect("the text can be read");
    let game = text.game(None).expect("sound rules");
    assert_eq!(game.rules.params.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["t.most"]);
    assert_eq!(game.rules.show(&game.rules.params[0].1), "2");
}

/// The game and the library share a name; another library uses the same one without a prefix.
#[test]
fn each_text_sees_names_as_it_says() {
    let text = r#"
        game "Rows";
        use "std/lines" as std;
        use "tests/language/libraries/rows" as r;
        players A, B;
        board Cell = grid(2, 2);
        state { at[c: Cell]: Player? = none; }
        move put(c: Cell) as "{c}" { when at[c] = none; at[c] := me; }
        def holds_line(p: Player) = std.holds_line(p) and r.row(p);
        end { for p in Player when holds_line(p) => p wins; }
        expect first wins in 3;
    "#;
    sound(GameSource::from_string("game.bou", text), 1);
}

/// A library is used with a prefix, and uses another one without: each name is that of the nearest file.
#[test]
fn names_of_a_library_are_those_of_the_nearest_file() {
    let text = r#"
        game "Nearest";
        use "tests/language/libraries/race" as r;
        players A, B;
        const limit = 2;
        // allow(W0111): the library has these names
        def slow = fast;
        // allow(W0111): the library has these names
        def other(p: Player) = p;
        // allow(W0111): the library has these names
        const N = S;
        board Cell = grid(2, 2);
        state { total: 0..9 = 0; }
        move add(k: 1..2) as "{k}" { total := min(9, total + k); }
        end { when r.done => opponent_of_mover wins; when total > limit => A wins; }
        def opponent_of_mover = if mover = A then B else A;
        expect r.over = false;
        test "words and members" {
          expect r.is_slow(r.Pace.slow) and not r.is_slow(fast);
          expect r.rival(A) = B and r.limit = 3 and limit = 2;
          expect r.is_north(Dir.N);
        }
        test "the limit of the library" { play "2"; expect not r.done; play "1"; expect B wins; }
    "#;
    let mut text = GameSource::from_string("game.bou", text);
    let report = tested(&mut text, Duration::from_secs(5));
    let found = report.errors.iter().chain(&report.failures);
    let told: Vec<String> = found.map(|d| render(&text.sources, d, false)).collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
}

#[test]
fn names_of_an_inner_library_do_not_leave_it() {
    let game = |state: &str, end: &str| {
        let text = format!(
            "game \"Inner\"; use \"tests/language/libraries/race\" as r; {state} players A, B; board Cell = grid(2, 2); state {{ total: 0..9 = 0; }}
             move add(k: 1..2) as \"{{k}}\" {{ total := min(9, total + k); }} end {{ when {end} => A wins; }}"
        );
        let mut text = GameSource::from_string("game.bou", &text);
        checked(&mut text, 1_000)
            .diagnostics
            .into_iter()
            .filter(|found| format!("{:?}", found.code).starts_with("E"))
            .map(|found| found.title)
            .collect::<Vec<_>>()
    };
    assert_eq!(game("", "r.over"), [""; 0]);
    assert_eq!(game("", "over"), ["there is no `over` here"]);
    assert_eq!(game("def over = total >= 2;", "r.done and over"), [""; 0]);
}

#[test]
fn a_name_with_two_meanings_in_one_library_is_told() {
    let text = r#"
        game "Two";
        use "tests/language/libraries/goal" as g;
        use "tests/language/libraries/race" as r;
        players A, B;
        board Cell = grid(2, 2);
        const limit = 2;
        state { total: 0..9 = 0; }
        move add(k: 1..2) as "{k}" { total := min(9, total + k); }
        end { when r.done or g.over => A wins; }
    "#;
    let mut text = GameSource::from_string("game.bou", text);
    let found = checked(&mut text, 1_000).diagnostics;
    let told: Vec<&str> = found.iter().map(|found| found.title.as_str()).collect();
    assert_eq!(
        told,
        ["`limit` has one meaning in one file that uses this library, and another in a second file"]
    );
}
