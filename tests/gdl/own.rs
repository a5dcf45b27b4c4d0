//! Sheets of our own: positions, moves, ends and goals as the oracle has them, values, names, and messages.

use std::time::{Duration, Instant};

use bouton_base::cancel;
use bouton_base::limits::{LimitHit, Limits, NoProgress};
use bouton_base::source::FileId;
use bouton_driver::load::GameSource;
use bouton_driver::planner::{Plan, Question};
use bouton_rules::{MoveInstance, Type};
use bouton_search::game::Backend;
use bouton_search::game::explore::count_positions;
use bouton_search::solve::{Solution, SolveOptions, ValueKind};
use bouton_syntax::diag::Severity;

use crate::play::{Extent, compare};

pub const HEAPS: &str = include_str!("own/heaps.kif");
pub const SIGNS: &str = include_str!("own/signs.kif");
pub const DOORS: &str = include_str!("own/doors.kif");
pub const PUSH: &str = include_str!("own/push.kif");
pub const DRAWS: &str = include_str!("own/draws.kif");
pub const CUPS: &str = include_str!("own/cups.kif");
pub const NESTED: &str = include_str!("own/nested.kif");
pub const ORDERS: &str = include_str!("own/orders.kif");
pub const SILENT: &str = include_str!("own/silent.kif");
pub const TIDES: &str = include_str!("own/tides.kif");
pub const WELLS: &str = include_str!("own/wells.kif");
const SHOTS: &str = include_str!("own/shots.kif");
const RAILS: &str = include_str!("own/rails.kif");

const ALL: &[(&str, &str)] = &[
    ("heaps.kif", HEAPS),
    ("signs.kif", SIGNS),
    ("doors.kif", DOORS),
    ("push.kif", PUSH),
    ("draws.kif", DRAWS),
    ("cups.kif", CUPS),
    ("wells.kif", WELLS),
    ("orders.kif", ORDERS),
];

/// Sheets in unusual styles: nested disjunctions, inequalities before what binds their variables, numbers and signs as
/// names, remarks in odd places, first positions and goals from rules, roles that are never asked, terms in terms, rules
/// without conditions, lines of sight, groups that merge, lines of captures, waiting moves that others choose, turns of
/// several steps, and edges that negated conditions alone keep.
const UNUSUAL: &[(&str, &str)] = &[
    ("branches.kif", include_str!("own/branches.kif")),
    ("late.kif", include_str!("own/late.kif")),
    ("atoms.kif", include_str!("own/atoms.kif")),
    ("remarks.kif", include_str!("own/remarks.kif")),
    ("begun.kif", include_str!("own/begun.kif")),
    ("counted.kif", include_str!("own/counted.kif")),
    ("silent.kif", SILENT),
    ("nested.kif", NESTED),
    ("facts.kif", include_str!("own/facts.kif")),
    ("rays.kif", include_str!("own/rays.kif")),
    ("groups.kif", include_str!("own/groups.kif")),
    ("tides.kif", TIDES),
    ("pauses.kif", include_str!("own/pauses.kif")),
    ("shots.kif", SHOTS),
    ("rails.kif", RAILS),
];

#[test]
fn own_sheets_agree_with_the_oracle_on_all_machines() {
    for (name, text) in ALL.iter().chain(UNUSUAL) {
        for backend in [Backend::Reference, Backend::Interp, Backend::Jit] {
            let until = Instant::now() + Duration::from_secs(300);
            let extent = Extent { plays: 20, moves: 30, until, backend };
            let agreed = compare(name, text, extent).unwrap_or_else(|why| panic!("{name}, {backend}: {why}"));
            assert!(agreed.plays == 20 && agreed.ill_formed == 0, "{name}: {agreed:?}");
        }
    }
}

pub fn solution(name: &str, text: &str) -> Solution {
    let mut source = GameSource::from_string(name, text);
    let game = source.game(None).expect("a sound sheet");
    let (state, limits) = (game.machine.initial(), Limits::default());
    let options = SolveOptions::default();
    let plan = Plan::new(Question::new(&game, &state, &options, &limits));
    plan.run(&NoProgress).expect("no position has a fault").solution
}

#[test]
fn values_are_those_of_the_games() {
    let kind = |name, text| solution(name, text).value.map(|value| value.kind);
    assert_eq!(kind("heaps.kif", HEAPS), Some(ValueKind::Win(0)));
    assert_eq!(kind("doors.kif", DOORS), Some(ValueKind::Solved));
    // The text is the same but for the heaps: equal heaps are lost.
    let equal = HEAPS.replace("(init (heap a 2))", "(init (heap a 1))");
    assert_eq!(kind("heaps.kif", &equal), Some(ValueKind::Win(1)));
}

/// The expected payoff of the first player.
fn expected(name: &str, text: &str) -> Option<String> {
    Some(solution(name, text).value?.payoffs.first()?.to_string())
}

#[test]
fn chance_and_hidden_information_have_values() {
    // The seeker finds the ball in one of three cases by lifting a cup, and in half of the others by a guess.
    assert_eq!(expected("cups.kif", CUPS).as_deref(), Some("200/3"));
    // From 2 a draw gives 100 or 10, from 1 it gives 50 and then 55, or 100.
    assert_eq!(expected("draws.kif", DRAWS).as_deref(), Some("265/4"));
}

#[test]
fn chance_without_players_is_refused() {
    let text = "(role random) (legal random go) (init p) (<= terminal (true p)) (goal random 100)";
    assert_eq!(errors(text), [("E0713".to_owned(), 1)]);
}

#[test]
fn lines_of_captures_change_in_one_effect_a_family() {
    let source = GameSource::from_string("tides.kif", TIDES).analyze(None);
    let rules = source.rules.expect("rules");
    let surge = rules.moves.iter().find(|of| of.name.starts_with("surge sea")).expect("a move");
    // A condition, three families of fluents, the new wave, and the turn; by distance there would be dozens.
    assert!(surge.body.stmts.len() <= 8, "{} statements", surge.body.stmts.len());
}

#[test]
fn fluents_of_which_one_holds_are_numbers() {
    let field = |name: &str, text: &str, field: &str| {
        let rules = GameSource::from_string(name, text).analyze(None).rules.expect("rules");
        rules.fields.iter().find(|of| of.name == field).map(|of| of.ty.clone())
    };
    let rays = include_str!("own/rays.kif");
    assert_eq!(field("rays.kif", rays, "left"), Some(Type::Int(0, 13)));
    // Two steps of a counter that may both be taken make it a set of truth values.
    let twice = rays.replace("(<= (next (left ?m)) (true (left ?n)) (count ?n ?m))", "").to_owned()
        + "(<= (next (left ?m)) (true (left ?n)) (count ?n ?m))"
        + "(<= (next (left ?n)) (true (left ?n)) (not (true (control sun))) (count ?n ?m))";
    assert_eq!(field("rays.kif", &twice, "left"), Some(Type::Bool));
}

#[test]
fn turns_of_several_steps_are_turns() {
    let source = GameSource::from_string("shots.kif", SHOTS);
    assert!(!source.gdl_names().expect("a sheet").simultaneous);
    assert_eq!(expected("shots.kif", SHOTS).as_deref(), Some("-1"));
    // If the second half may begin together with the other one's first, both may choose at once.
    let together = format!("{SHOTS} (<= (next (half ?q step)) (true (half ?p step)) (rival ?p ?q))");
    let source = GameSource::from_string("shots.kif", &together);
    assert!(source.gdl_names().expect("a sheet").simultaneous);
}

#[test]
fn what_contradicts_itself_is_no_instance() {
    let fluents = |text: &str| {
        let source = GameSource::from_string("rails.kif", text);
        let names = source.gdl_names().expect("a sheet").clone();
        names.fluents.iter().filter(|of| of.term.starts_with("(cart ")).count()
    };
    assert_eq!(fluents(RAILS), 9);
    // Where an edge only counts while there is ore, the cart may roll on.
    let open = RAILS.replace("(<= edge (true (cart ?x 1))", "(<= edge (true (ore ?u ?v)) (true (cart ?x 1))");
    assert!(fluents(&open) > 9);
}

#[test]
fn sheets_in_one_list_are_read() {
    let words = |text: &str| {
        let source = GameSource::from_string("list.kif", text);
        let mut titles = source.diagnostics.iter().map(|found| format!("{}: {}", found.code, found.title));
        (titles.next(), source.gdl_names().map(|names| names.moves.len()))
    };
    let sheet = "(role x) (init p) (legal x a) (legal x b) (<= terminal (not (true p))) (goal x 100)";
    assert_eq!(words(sheet), (None, Some(2)));
    let in_list = words(&format!("({sheet})"));
    assert_eq!(in_list, (Some("W0710: a list of all sentences".to_owned()), Some(2)));
    let in_message = words(&format!("( start m1 x ({sheet}) 30 10)"));
    assert_eq!(in_message, (Some("W0710: a message that begins a match".to_owned()), Some(2)));
}

/// A word alone is a fact if the sheet has it as a sentence, or the language does.
#[test]
fn a_game_may_be_over_by_a_fact() {
    let sheet = |end: &str| format!("(role x) (init p) (legal x a) (goal x 70) {end}");
    for end in ["terminal", "TERMINAL", "(terminal)", "(<= terminal)", "open (<= terminal open)"] {
        assert!(errors(&sheet(end)).is_empty(), "{end}: {:?}", errors(&sheet(end)));
    }
    assert_eq!(errors(&sheet("terminal over")), [("E0702".to_owned(), 1)]);
}

#[test]
fn percepts_of_all_moves_hide_nothing() {
    let hidden = |rules: &str| {
        let text = format!("{DRAWS} {rules}");
        GameSource::from_string("draws.kif", &text).gdl_names().expect("a sheet").hidden
    };
    assert!(!hidden(""));
    assert!(!hidden("(<= (sees ?p (made ?q ?m)) (role ?p) (does ?q ?m))"));
    assert!(hidden("(<= (sees ?p (made ?p ?m)) (role ?p) (does ?p ?m))"));
    assert!(hidden("(<= (sees ?p something) (role ?p) (does ?q ?m))"));
}

#[test]
fn names_lead_both_ways() {
    let source = GameSource::from_string("heaps.kif", HEAPS);
    let names = source.gdl_names().expect("a sheet");
    assert_eq!(names.roles, ["left", "right"]);
    for of in &names.moves {
        let play = names.play(of.role, &of.term).expect("a move");
        assert_eq!(play, MoveInstance::Move(of.id, of.args.clone()));
        let made = names.joint_move(of.role, &play).expect("a joint move");
        assert_eq!(made[of.role as usize], of.term);
        assert_eq!(made[1 - of.role as usize], "noop");
    }
    assert_eq!(names.controls.len(), 2);
    assert!(names.play(0, "(take c 0)").is_none());
}

/// The errors of a text: their codes and their lines.
fn errors(text: &str) -> Vec<(String, usize)> {
    let source = GameSource::from_string("game.kif", text);
    let errors = source.diagnostics.iter().filter(|found| found.severity() == Severity::Error);
    let line = |start| source.sources.get(source.file).line_column(start).line;
    errors.map(|found| (found.code.to_string(), line(found.span().start))).collect()
}

#[test]
fn mistakes_have_a_code_and_a_place() {
    let cases = [
        ("(init (heap a 2))", "(init (heap a 2)", "E0701"),
        ("(succ 0 1)", "succ (succ 0 1)", "E0702"),
        ("(succ 0 1)", "(?x 0 1)", "E0702"),
        ("(succ 0 1)", "(() 0 1)", "E0702"),
        ("(true (heap ?h ?from))", "(not (not (true (heap ?h ?from))))", "E0702"),
        ("(less ?x ?z) (succ", "(next (heap ?x ?z)) (init ?x) (succ", "E0703"),
        ("(less ?y ?z)", "(less ?y)", "E0704"),
        ("(legal left noop)", "(legal noop)", "E0704"),
        ("(legal left noop)", "(legal left ?m)", "E0705"),
        ("(succ ?x ?y) (less ?y ?z)", "(less ?y ?z) (less ?x ?y) (not (less ?z ?w))", "E0705"),
        ("(less ?x ?y) (succ ?x ?y)", "(less (f ?x) ?y) (less ?x ?y)", "E0706"),
        ("(not some)", "(not some) (does left noop)", "E0708"),
        ("(<= terminal (not some))", "", "E0709"),
        ("(role left) (role right)", "(role random)", "E0713"),
    ];
    for (part, by, code) in cases {
        assert!(HEAPS.contains(part), "{part}");
        let text = HEAPS.replacen(part, by, 1);
        let found = errors(&text);
        let line = HEAPS[..HEAPS.find(part).expect("the part")].matches('\n').count() + 1;
        // What is missing in the whole file has its first line as its place.
        let line = if code == "E0709" { 1 } else { line };
        assert!(found.contains(&(code.to_owned(), line)), "{by}: {found:?} instead of {code} in line {line}");
    }
}

/// The warnings of a text.
fn warnings(text: &str) -> Vec<String> {
    let source = GameSource::from_string("game.kif", text);
    assert!(errors(text).is_empty(), "{:?}", errors(text));
    source.diagnostics.iter().map(|found| format!("{}: {}", found.code, found.title)).collect()
}

/// Walkers on a line, who rest where they are in neither corner and not both tired and late.
const WALKERS: &str =
    "(role ann) (role bob) (init (at ann 1)) (init (at bob 4)) (init (hour 1)) (init (tired ann))
    (plus 1 2) (plus 2 3) (plus 3 4) (late 3) (late 4)
    (<= (legal ?p (walk ?y)) (true (at ?p ?x)) (or (plus ?x ?y) (plus ?y ?x)))
    (<= (legal ?p rest) (role ?p) REST)
    (<= (legal ?p sigh) (role ?p) (true (hour ?h)) TIRED)
    (<= (next (at ?p ?x)) (does ?p (walk ?x))) (<= (next (at ?p ?x)) (true (at ?p ?x)) (does ?p rest))
    (<= (next (at ?p ?x)) (true (at ?p ?x)) (does ?p sigh))
    (<= (next (tired ?p)) (does ?p (walk ?x))) (<= (next (hour ?y)) (true (hour ?x)) (plus ?x ?y))
    (<= met (true (at ann ?x)) (true (at bob ?x))) (<= terminal met) (<= terminal (true (hour 4)))
    (<= (goal ?p 100) (role ?p) met) (<= (goal ?p 0) (role ?p) (not met))";

#[test]
fn negated_connectives_have_their_meaning() {
    let written = |rest: &str, tired: &str| WALKERS.replace("REST", rest).replace("TIRED", tired);
    let loose = written(
        "(not (or (true (at ?p 1)) (true (at ?p 4))))",
        "(not (and (true (tired ?p)) (or (late ?h) (distinct ?p ann))))",
    );
    let plain = written(
        "(not (true (at ?p 1))) (not (true (at ?p 4)))",
        "(or (not (true (tired ?p))) (lively ?p ?h)) (hour ?h)",
    ) + "(hour 1) (hour 2) (hour 3) (hour 4) (<= (lively ann ?h) (hour ?h) (not (late ?h)))";
    let found = warnings(&loose);
    assert_eq!(
        found,
        [
            "W0710: `not` before `or` is not part of GDL",
            "W0710: `not` before `and` is not part of GDL",
            "W0710: `not` before `distinct` is not part of GDL"
        ]
    );
    assert_eq!(warnings(&plain), [""; 0]);
    let states = |text: &str| {
        let mut source = GameSource::from_string("walkers.kif", text);
        let game = source.game(None).expect("a sound sheet");
        let first = game.machine.initial();
        let count = count_positions(&game, &first, &Limits::default(), &NoProgress).expect("no faults");
        count.positions
    };
    assert_eq!(states(&loose), states(&plain));
    let until = Instant::now() + Duration::from_secs(300);
    let extent = Extent { plays: 20, moves: 30, until, backend: Backend::Interp };
    let agreed = compare("walkers.kif", &loose, extent).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(agreed.plays, 20);
}

#[test]
fn lists_of_what_may_occur_need_no_values() {
    let text = HEAPS.to_owned() + "(base (heap ?h ?n)) (<= (input ?p (take ?h ?n)) (role ?p))";
    let found = warnings(&text);
    assert_eq!(
        found,
        [
            "W0710: the variables `?h` and `?n` have no values",
            "W0710: the variables `?h` and `?n` have no values"
        ]
    );
    // In other rules they are an error, one for each place.
    let unsafe_rule = HEAPS.to_owned() + "(<= (legal left (take ?h ?n)) (not (less ?h ?m)))";
    assert_eq!(errors(&unsafe_rule).len(), 2, "{:?}", errors(&unsafe_rule));
}

#[test]
fn fluents_without_true_are_named() {
    let text = HEAPS.replacen("(true (heap ?h ?from))", "(heap ?h ?from)", 1);
    let source = GameSource::from_string("game.kif", &text);
    let found = source.diagnostics.iter().find(|found| found.code.to_string() == "W0714").expect("a warning");
    let help = "`heap` is a fluent: write `(true (heap ...))` for the present position";
    assert!(format!("{found:?}").contains(help), "{found:?}");
}

#[test]
fn roles_goals_and_words_are_looked_at() {
    let found = warnings(&(HEAPS.to_owned() + "(<= (legal middle wait) (true (control left)))"));
    assert_eq!(found, ["W0714: nothing makes `middle` a role"]);
    let found = warnings(&(HEAPS.to_owned() + "(<= (goal left 150) (not terminal))"));
    assert_eq!(found, ["W0710: the goal `150` is no whole number from 0 to 100"]);
    let text = HEAPS.replacen("(true (heap ?h ?from))", "(tru (heap ?h ?from))", 1);
    let source = GameSource::from_string("game.kif", &text);
    let found = source.diagnostics.iter().find(|found| found.code.to_string() == "W0714").expect("a warning");
    assert!(format!("{found:?}").contains("did you mean `true`?"), "{found:?}");
}

#[test]
fn damaged_sheets_are_no_panic() {
    for (_, text) in ALL {
        for at in (0..text.len()).step_by(7) {
            for by in ["", "(", ")", " ?x ", ";", "not"] {
                let damaged = format!("{}{by}{}", &text[..at], &text[at + 1..]);
                let reading =
                    cancel::run_within(&Limits::default(), || bouton_gdl::read(FileId(0), &damaged));
                let reading = reading.expect("no limit");
                let has_error = reading.diagnostics.iter().any(|found| found.severity() == Severity::Error);
                assert_eq!(reading.translation.is_none(), has_error, "{damaged}");
            }
        }
    }
}

#[test]
fn reading_asks_the_limits() {
    let limits = Limits::default();
    limits.cancel.cancel();
    let read = cancel::run_within(&limits, || bouton_gdl::read(FileId(0), PUSH).translation.is_some());
    assert_eq!(read, Err(LimitHit::Interrupted));
}

#[test]
fn fluents_that_play_does_not_depend_on_are_left_out() {
    // The record of moves would multiply the positions; `sees` would need it.
    let text = "(role robot) (init (n 1)) (after 1 2) (after 2 3) (after 3 4) (after 4 5) (legal robot stay)
        (legal robot jump) (<= (next (n ?y)) (true (n ?x)) (after ?x ?y)) (<= (next lit) (does robot jump))
        (<= (next (made ?m ?n)) (does robot ?m) (true (n ?n))) (<= (next (made ?m ?n)) (true (made ?m ?n)))
        (<= (next (seen ?n)) (true (made stay ?n))) (<= (next (seen ?n)) (true (seen ?n)) (true (made stay ?n)))
        (<= terminal (true (n 5))) (<= (goal robot 100) (true lit)) (<= (goal robot 0) (not (true lit)))";
    let mut source = GameSource::from_string("record.kif", text);
    let rules = source.analyze(None).rules.expect("rules");
    let fields: Vec<&str> = rules.fields.iter().map(|field| field.name.as_str()).collect();
    assert!(fields.contains(&"lit") && !fields.contains(&"made") && !fields.contains(&"seen"), "{fields:?}");
    assert!(source.gdl_names().expect("a sheet").unread.contains(&"(made stay 1)".to_owned()));
    let until = Instant::now() + Duration::from_secs(300);
    let extent = Extent { plays: 20, moves: 30, until, backend: Backend::Interp };
    let agreed = compare("record.kif", text, extent).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(agreed.plays, 20);
}

#[test]
fn rules_with_too_many_combinations_are_refused() {
    let bits = |count: usize| {
        let vars: Vec<String> = (0..count).map(|at| format!("?b{at}")).collect();
        let conditions: Vec<String> = vars.iter().map(|var| format!("(bit {var})")).collect();
        (vars.join(" "), conditions.join(" "))
    };
    let (vars, conditions) = bits(60);
    let sheet = |rule: &str| {
        format!(
            "(role robot) (bit 0) (bit 1) (init (n 1)) (legal robot stay) (legal robot go)\n{rule}\n\
             (<= (next (n 2)) (does robot go)) (<= terminal (true (n 2))) (<= (goal robot 100) (all 0))"
        )
    };
    // One rule has 2^60 instances, and another none, after as many tries.
    let found =
        errors(&sheet(&format!("(<= (all ?b0) (long {vars})) (<= (long {vars}) {conditions} (true (n 1)))")));
    assert_eq!(found, [("E0712".to_owned(), 2)]);
    let found = errors(&sheet(&format!(
        "(<= (all ?b0) (long {vars})) (long {zeros}) (<= (long {vars}) {conditions} (true (n 2)) (true (n 3)))",
        zeros = vec!["0"; 60].join(" ")
    )));
    assert_eq!(found, []);
}
