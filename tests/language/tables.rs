//! Tables over parameters: figures computed by other means (brute force), and their patterns.

use std::time::Duration;

use bouton_base::limits::NoProgress;
use bouton_driver::budget::Budget;
use bouton_driver::load::{DriverError, GameSource};
use bouton_driver::table::{Axis, TableOptions, table};
use bouton_report::table::{TableQuantity, TableReport};
use bouton_search::game::Backend;

use super::{assert_text_snapshot, game};

fn made(
    name: &str,
    settings: &[&str],
    over: &[&str],
    show: TableQuantity,
) -> Result<TableReport, DriverError> {
    let settings: Vec<String> = settings.iter().map(|s| s.to_string()).collect();
    of_text(game(name).with_settings(&settings, None).expect("settings"), over, show)
}

fn of_text(mut text: GameSource, over: &[&str], show: TableQuantity) -> Result<TableReport, DriverError> {
    let axes: Vec<Axis> = over.iter().map(|o| Axis::read(o).expect("an axis")).collect();
    // Proofs must not depend on the load of the machine, so the limit is generous.
    let time = Some(Duration::from_secs(300));
    let budget = Budget { time, memory: Some(1 << 30), backend: Backend::Interp, ..Budget::default() };
    text.set_backend(&budget, None);
    table(&mut text, &axes, &TableOptions { show, budget: &budget, progress: &NoProgress })
}

fn of(name: &str, settings: &[&str], over: &[&str], show: TableQuantity) -> TableReport {
    made(name, settings, over, show).unwrap_or_else(|why| panic!("{name}: {why:?}"))
}

fn pattern(table: &TableReport) -> (&str, &str) {
    let pattern = &table.pattern;
    (pattern.statement.as_deref().unwrap_or(""), pattern.label.as_deref().unwrap_or(""))
}

#[test]
fn hatch_is_lost_for_one_cell_at_a_time_on_even_strips() {
    let hatch = of("hatch", &[], &["n=1..12", "k=1..12"], TableQuantity::Outcome);
    assert_eq!(hatch.rows.len(), 144);
    let lost = hatch.rows.iter().filter(|row| row.winner.as_deref() == Some("Second"));
    assert!(lost.clone().all(|row| row.params["k"] == 1 && row.params["n"].as_i64().unwrap() % 2 == 0));
    assert_eq!(lost.count(), 6);
    assert_eq!(
        pattern(&hatch),
        (
            "Second wins where n mod 2 = 0 and k <= 1; First wins where n mod 2 = 0 and k >= 2; First wins where n mod 2 = 1",
            "proved for all n >= 1 and k >= 1; the checker accepted a certificate (param)"
        )
    );
    assert_eq!(hatch.pattern.tier, Some("parametric"));
    assert!(hatch.certificate.is_some());
    assert_text_snapshot(
        "table_grid",
        &of("hatch", &[], &["n=1..8", "k=1..3"], TableQuantity::Nimber).text(),
    );
}

#[test]
fn nim_is_lost_where_the_digits_cancel() {
    let over = ["heaps[1]=0..5", "heaps[2]=0..5"];
    let lost = of("nim", &["heaps=[0, 0, 3]"], &over, TableQuantity::Outcome);
    assert!(lost.rows.iter().all(|row| {
        let heap = |name: &str| row.params[name].as_i64().unwrap();
        (row.winner.as_deref() == Some("Second")) == (heap("heaps[1]") ^ heap("heaps[2]") ^ 3 == 0)
    }));
    let two = of("nim", &["heaps=[0, 0]"], &over, TableQuantity::Nimber);
    assert_eq!(pattern(&two).0, "nimber = heaps[1] xor heaps[2]");
    let three = of(
        "nim",
        &["heaps=[0, 0, 0]"],
        &["heaps[1]=0..3", "heaps[2]=0..3", "heaps[3]=0..3"],
        TableQuantity::Outcome,
    );
    assert_eq!(
        pattern(&three),
        (
            "Second wins exactly where heaps[1] xor heaps[2] xor heaps[3] = 0; First wins everywhere else",
            "observed for 0 <= heaps[1] <= 3 and 0 <= heaps[2] <= 3 and 0 <= heaps[3] <= 3, not proved"
        )
    );
}

#[test]
fn subtraction_games_are_periodic() {
    let bachet = of("subtraction", &[], &["n=0..24"], TableQuantity::Nimber);
    assert_eq!(pattern(&bachet), ("nimber: period 4", "observed for 0 <= n <= 24, not proved"));
    let period = of("subtraction", &["takes=[1, 3, 4]"], &["n=0..30"], TableQuantity::Nimber);
    assert_eq!(pattern(&period).0, "nimber: period 7");
    let late = of("subtraction", &["takes=[2, 4, 7]"], &["n=0..40"], TableQuantity::Nimber);
    assert_eq!(pattern(&late).0, "nimber: period 3 from n = 8 on");
    let lost = of("subtraction", &["takes=[1, 3, 4]"], &["n=0..30"], TableQuantity::Outcome);
    assert_eq!(
        pattern(&lost).0,
        "Second wins where n mod 7 is 0 or 2; First wins where n mod 7 is 1, 3, 4, 5 or 6"
    );
    // An exception at the beginning, which is no remainder.
    let text = "game \"All\"; param n: 0..60 = 3; players A, B; state { heap: 0..n = n; }\n\
         move take(k: 1..60) as \"{k}\" { when k = heap; heap := 0; } play normal;";
    let all = of_text(GameSource::from_string("all.bou", text), &["n=0..20"], TableQuantity::Outcome);
    let all = all.expect("a table");
    assert_eq!(pattern(&all).0, "A wins from n = 1 on; before that, B wins where n is 0");
    // Nothing is proved for odd by odd, so the pattern is only observed.
    let cram = of("cram", &[], &["cols=1..3", "rows=1..3"], TableQuantity::Outcome);
    assert_ne!(cram.pattern.tier, Some("parametric"));
    let even = of("cram", &["rows=2"], &["cols=1..5"], TableQuantity::Outcome);
    assert_eq!(even.pattern.tier, Some("parametric"));
    assert_text_snapshot("table_rows", &of("subtraction", &[], &["n=8..13"], TableQuantity::Outcome).text());
}

#[test]
fn kayles_and_dawson() {
    let kayles = of("kayles", &[], &["n=1..12"], TableQuantity::Nimber);
    // 0.77 up to 12, and 0.07: Guy and Smith (1956).
    assert_eq!(kayles.sequence.as_ref().unwrap().terms, [1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4]);
    let proved = "proved for every n; the checker accepted a certificate (periodic)";
    assert_eq!(pattern(&kayles), ("nimber: period 12 from n = 71 on", proved));
    assert_eq!(kayles.pattern.tier, Some("parametric"));
    assert!(kayles.certificate.is_some());
    let dawson = of("dawsons_kayles", &[], &["n=1..13"], TableQuantity::Nimber);
    assert_eq!(dawson.sequence.as_ref().unwrap().terms, [0, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2]);
    assert_eq!(pattern(&dawson), ("nimber: period 34 from n = 53 on", proved));
    let far = of("kayles", &[], &["n=120..126"], TableQuantity::Nimber);
    assert_eq!(far.sequence.unwrap().terms, [4, 1, 2, 8, 1, 4, 7]);
}

/// Domineering with two rows (Winning Ways): 2 by 1 is 1, 2 by 2 is +-1, of temperature 1.
#[test]
fn values_of_games() {
    let entries = |report: &TableReport, key: &str| -> Vec<String> {
        let json = serde_json::to_value(report).expect("JSON");
        let rows = json["rows"].as_array().expect("rows").clone();
        rows.iter().map(|row| row[key].as_str().unwrap_or("?").to_owned()).collect()
    };
    let show = |show| of("domineering", &["rows=2"], &["cols=1..4"], show);
    let class = show(TableQuantity::Class);
    assert_eq!(entries(&class, "class"), ["L", "N", "N", "R"]);
    assert!(class.text().contains("2  N"), "{}", class.text());
    let csv = class.csv();
    assert!(csv.starts_with("cols,status,") && csv.contains(",class,game_value,mean,temperature\n"), "{csv}");
    assert!(csv.contains("\n2,solved,,,,,,,N,+-1,0,1\n"), "{csv}");
    let mean = show(TableQuantity::Mean);
    assert_eq!(entries(&mean, "mean")[..2], ["1", "0"]);
    assert_eq!(entries(&show(TableQuantity::Temperature), "temperature")[..2], ["-1", "1"]);
    assert_eq!(entries(&show(TableQuantity::GameValue), "game_value")[..2], ["1", "+-1"]);
    // A number of halves has a temperature of minus a half.
    let half = of("toads_and_frogs", &["toads=1", "frogs=1"], &["gap=1..3"], TableQuantity::Temperature);
    for (value, temperature) in entries(&half, "game_value").iter().zip(entries(&half, "temperature")) {
        assert_eq!(value.ends_with("/2"), temperature == "-1/2", "{value}");
    }
    // In games of another kind there are no such values.
    let none = of("treblecross", &[], &["n=3..4"], TableQuantity::Class);
    assert!(none.rows.iter().all(|row| row.status != "solved"));
}

#[test]
fn b_files_have_a_line_for_each_value() {
    let kayles = of("kayles", &[], &["n=3..6"], TableQuantity::Nimber);
    assert_eq!(kayles.b_file().as_deref(), Some("3 3\n4 1\n5 4\n6 3\n"));
    let grid = of("nim", &["heaps=[0, 0]"], &["heaps[1]=0..1", "heaps[2]=0..1"], TableQuantity::Nimber);
    assert_eq!(grid.b_file(), None);
    assert_eq!(of("domineering", &["rows=2"], &["cols=1..2"], TableQuantity::Class).b_file(), None);
}

/// Returns the table of a game that is over after one move, with this payoff of the first player.
fn table_of_payoffs(payoff: &str, over: &[&str]) -> TableReport {
    let source = format!(
        "game \"Sure\"; param n: 0..30 = 3; param m: 0..30 = 3; players A, B; state {{ done: bool = false; }}
         move stop() {{ done := true; }}
         end {{ when done => payoff p: if p = A then {payoff} else -({payoff}); }}"
    );
    let mut text = GameSource::from_string("sure.bou", &source);
    let axes: Vec<Axis> = over.iter().map(|o| Axis::read(o).expect("an axis")).collect();
    let budget = Budget { backend: Backend::Interp, ..Budget::default() };
    text.set_backend(&budget, None);
    let options = TableOptions { show: TableQuantity::Outcome, budget: &budget, progress: &NoProgress };
    table(&mut text, &axes, &options).expect("a table")
}

#[test]
fn patterns_cover_every_solved_cell() {
    // Fractions among whole numbers.
    let halves = table_of_payoffs("if n = m and n mod 2 = 0 then 1/2 else n - m", &["n=1..6", "m=1..6"]);
    assert_eq!(halves.pattern.statement, None);
    // The cells that follow the law are named exactly, and so are the parameters that stay.
    let from_one = table_of_payoffs("if n = 0 then 1/2 else n + 2", &["n=0..8"]);
    assert_eq!(pattern(&from_one), ("payoff of A: n + 2", "observed for 1 <= n <= 8, not proved"));
    assert!(from_one.text().starts_with("Sure (m = 3): outcome by n"), "{}", from_one.text());
    assert!(halves.text().starts_with("Sure: outcome by n and m"), "{}", halves.text());
}

#[test]
fn elements_that_stay_are_named() {
    let over = ["heaps[1]=0..3", "heaps[2]=0..3"];
    let nim = of("nim", &["heaps=[0, 0, 2]"], &over, TableQuantity::Outcome);
    assert!(nim.text().starts_with("Nim (heaps[3] = 2): outcome by heaps[1] and heaps[2]"), "{}", nim.text());
}

#[test]
fn sequences_are_in_order() {
    let in_order = table_of_payoffs("n + 2", &["n=1..8"]);
    assert_eq!(in_order.sequence.map(|of| of.terms), Some((3..11).collect()));
    for over in ["n=5,4,3,2,1,6,7,8", "n=1,1,2,2,3,3,4,4"] {
        let table = table_of_payoffs("n + 2", &[over]);
        assert_eq!((table.sequence.clone(), table.b_file()), (None, None), "{over}");
    }
}

#[test]
fn wythoff_and_chomp() {
    // A larger table has a few more pairs; the pattern stays the same, and is observed.
    for most in [13, if super::slow() { 60 } else { 20 }] {
        let over = [format!("x0=0..{most}"), format!("y0=0..{most}")];
        let wythoff = of("wythoff", &[], &[&over[0], &over[1]], TableQuantity::Outcome);
        let told = "Second wins exactly where {x0, y0} = {floor(d phi), floor(d phi) + d} for some d; \
                    First wins everywhere else";
        let label = format!("observed for 0 <= x0 <= {most} and 0 <= y0 <= {most}, not proved");
        assert_eq!(pattern(&wythoff), (told, label.as_str()));
        assert_eq!(wythoff.pattern.tier, Some("observed"));
    }
    let chomp = of("chomp", &[], &["cols=1..5", "rows=1..4"], TableQuantity::Outcome);
    let lost: Vec<_> = chomp.rows.iter().filter(|row| row.winner.as_deref() == Some("Second")).collect();
    assert!(matches!(lost.as_slice(), [row] if row.params["cols"] == 1 && row.params["rows"] == 1));
}

#[test]
fn what_is_not_solved_and_what_is_no_game_are_told_apart() {
    let mixed = of("subtraction", &[], &["n=199..202"], TableQuantity::Positions);
    let status: Vec<&str> = mixed.rows.iter().map(|row| row.status).collect();
    assert_eq!(status, ["solved", "solved", "invalid", "invalid"]);
    assert_eq!(mixed.sequence, None);
    assert!(matches!(made("hatch", &[], &["n=41..42"], TableQuantity::Outcome), Err(DriverError::Errors(_))));
    assert!(matches!(made("hatch", &[], &["m=1..2"], TableQuantity::Outcome), Err(DriverError::Errors(_))));
    assert!(matches!(made("hatch", &[], &["n[1]=1..2"], TableQuantity::Outcome), Err(DriverError::Usage(_))));
    assert!(matches!(
        made("nim", &[], &["heaps[4]=1..2"], TableQuantity::Outcome),
        Err(DriverError::Usage(_))
    ));
    assert!(matches!(
        made("hatch", &[], &["n=1..2", "n=1..2"], TableQuantity::Outcome),
        Err(DriverError::Usage(_))
    ));
    // Nimbers of a game that is not impartial.
    let none = of("tictactoe", &[], &[], TableQuantity::Nimber);
    assert_eq!(none.rows[0].status, "unknown");
    assert!(none.rows[0].reason.is_some());
}

#[test]
fn payoffs_are_columns_of_values() {
    let pig = of("pig", &[], &["goal=2..3"], TableQuantity::Outcome);
    let csv = pig.csv();
    let wanted = "goal,status,outcome,winner,remoteness,nimber,positions,reason,Ann,Bob\n\
                  2,solved,payoff,,,,,,5/7,-5/7\n3,solved,payoff,,,,,,29/43,-29/43\n";
    assert_eq!(csv, wanted);
}

#[test]
fn tables_are_written_in_four_forms() {
    let hatch = of("hatch", &[], &["n=1..3", "k=1..2"], TableQuantity::Outcome);
    assert_text_snapshot("table_markdown", &hatch.markdown());
    assert_text_snapshot("table_csv", &hatch.csv());
    let page = hatch.html();
    let tree = super::reports::well_formed(&page);
    assert_eq!(tree.matches("<td>").count(), 3 * 3);
}

#[test]
fn payoffs_are_numbers_of_the_first_player() {
    let scores = of("goofspiel", &[], &["n=3..4", "head_start=0..1"], TableQuantity::Outcome);
    assert_eq!(scores.sequence, None, "7/12 is no whole number");
    let text = scores.text();
    assert!(text.contains("7/12\n") && !text.contains("-7/12"), "{text}");
    assert!(text.contains("a number is what Ann gets; Bob gets its negative"), "{text}");
    // Whole payoffs have a sequence, and a law.
    let source = "game \"Twice\"; param n: 1..9 = 3; players A, B; state { over: bool = false; }\n\
                  move stop() { over := true; }\n\
                  end { when over => payoff p: if p = A then 2 * n + 1 else -2 * n - 1; }";
    let mut text = GameSource::from_string("twice.bou", source);
    let axes = [Axis::read("n=1..8").expect("an axis")];
    let budget = Budget { backend: Backend::Interp, ..Budget::default() };
    let options = TableOptions { show: TableQuantity::Outcome, budget: &budget, progress: &NoProgress };
    let twice = table(&mut text, &axes, &options).expect("a table");
    let sequence = twice.sequence.as_ref().expect("a sequence");
    assert_eq!(sequence.of, "payoff of A, from n = 1 on");
    assert_eq!(sequence.terms, [3, 5, 7, 9, 11, 13, 15, 17]);
    assert!(pattern(&twice).0.starts_with("payoff of A: "), "{:?}", twice.pattern);
}

#[test]
fn euclids_game_is_decided_by_the_golden_ratio() {
    // Take a multiple of the lesser number from the greater one; Cole and Davie (1969) say who wins.
    let source = r#"
        game "Euclid";
        param x: 1..40 = 5;
        param y: 1..40 = 8;
        players First, Second;
        state { size[p: 1..2]: 0..40 = if p = 1 then x else y; }
        move take(p: 1..2, k: 1..40) as "{k} from {p}" {
          let q = 3 - p;
          when size[q] > 0 and k <= size[p] and k mod max(1, size[q]) = 0;
          size[p] -= k;
        }
        play normal;
    "#;
    let mut text = GameSource::from_string("euclid.bou", source);
    let axes = ["x=1..10", "y=1..10"].map(|axis| Axis::read(axis).expect("an axis"));
    let budget = Budget { backend: Backend::Interp, ..Budget::default() };
    let options = TableOptions { show: TableQuantity::Outcome, budget: &budget, progress: &NoProgress };
    let euclid = table(&mut text, &axes, &options).expect("a table");
    let told = "First wins exactly where x = y or max(x, y) >= phi min(x, y); Second wins everywhere else";
    assert_eq!(pattern(&euclid), (told, "observed for 1 <= x <= 10 and 1 <= y <= 10, not proved"));
}

/// From 13 on the first player may take all: what is true of the cells up to 12 is not told of them alone.
#[test]
fn patterns_hold_beyond_the_table() {
    let rules = "game \"Take\"; param n: 0..40 = 5; players A, B; state { h: 0..40 = n; }\n\
        move take(k: 1..2) as \"{k}\" { when k <= h; h -= k; }\n\
        move rest() as \"rest\" { when n > 12 and h > 2; h := 0; } play normal;";
    let table = |rules: &str| {
        let text = GameSource::from_string("take.bou", rules);
        of_text(text, &["n=0..12"], TableQuantity::Outcome).expect("a table")
    };
    let small = table(rules);
    assert_eq!(pattern(&small).0, "");
    let all = table(&rules.replace("param n: 0..40", "param n: 0..12"));
    assert_eq!(pattern(&all).0, "B wins exactly where n mod 3 = 0; A wins everywhere else");
    assert_eq!(small.rows.len(), 13, "the cells beyond are not shown");
}

/// With one counter nobody can move, and no rule says what that means.
#[test]
fn a_cell_whose_rules_fail_does_not_end_the_table() {
    let rules = "game \"Pairs\"; param n: 1..9 = 4; players A, B; state { h: 0..9 = n; }\n\
        move take(k: 1..2) as \"{k}\" { when 2 * k <= h; h -= 2 * k; }\n\
        end { when h = 0 => mover loses; when h = 1 and n > 1 => mover wins; }";
    let table = |over| of_text(GameSource::from_string("pairs.bou", rules), &[over], TableQuantity::Outcome);
    let told = table("n=1..3").expect("a table");
    let states: Vec<&str> = told.rows.iter().map(|row| row.status).collect();
    assert_eq!(states, ["invalid", "solved", "solved"]);
    assert!(told.rows[0].reason.as_deref().is_some_and(|why| why.starts_with("E0501")), "{told:?}");
    let Err(DriverError::RulesFault(found)) = table("n=1..1") else { panic!("no cell has an answer") };
    assert!(found.notes.contains(&"with n = 1".to_owned()), "{:?}", found.notes);
}
