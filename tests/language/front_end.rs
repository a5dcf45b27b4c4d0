//! Another front end: games on partially ordered sets, written as JSON. It makes rules with the builder, without a
//! syntax tree and without places, and the driver checks and solves them like those of a `.bou` file.

use std::collections::BTreeMap;
use std::time::Duration;

use bouton_base::limits::{Limits, NoProgress};
use bouton_driver::load::GameSource;
use bouton_driver::planner::{Plan, Question};
use bouton_driver::position::resolve_start;
use bouton_rules::builder::{RulesBuilder, at, e, effect, get, not, val, var, when};
use bouton_rules::verify::Requirement;
use bouton_rules::{
    Claim, ConstTable, EffectOp, EnumId, Expectation, ExprKind, FieldId, KeyDomain, MOVER, OutcomeExpr,
    Rules, TemplatePart, Type, Value, Vars, Violation,
};
use bouton_search::game::{Backend, Game};
use bouton_search::solve::{Solution, SolveOptions};
use bouton_syntax::diag::{render, to_json};

/// The bar of Chomp, 3 by 2: each square is below those above it and to its right. Nobody takes `a1`.
const CHOMP: &str = r#"{
  "name": "Chomp", "poison": "a1", "winner": 0,
  "covers": { "a1": ["b1", "a2"], "b1": ["c1", "b2"], "c1": ["c2"], "a2": ["b2"], "b2": ["c2"], "c2": [] }
}"#;

/// The text of a bar of chocolate of this size.
fn chomp(cols: u8, rows: u8) -> String {
    let square = |col: u8, row: u8| format!("{}{row}", char::from(b'a' + col - 1));
    let mut covers = Vec::new();
    for row in 1..=rows {
        for col in 1..=cols {
            let right = (col < cols).then(|| square(col + 1, row));
            let above = (row < rows).then(|| square(col, row + 1));
            let next: Vec<String> = right.into_iter().chain(above).map(|name| format!("{name:?}")).collect();
            covers.push(format!("{:?}: [{}]", square(col, row), next.join(", ")));
        }
    }
    format!(r#"{{ "name": "Chomp", "poison": "a1", "covers": {{ {} }} }}"#, covers.join(", "))
}

/// The front end: reads a text and makes the rules. A move takes an element and all above it; who can take none but the
/// poison loses.
fn read(text: &str) -> Result<Rules, Vec<Violation>> {
    let json: serde_json::Value = serde_json::from_str(text).expect("a JSON text");
    let covers = json["covers"].as_object().expect("the elements, each with those that cover it");
    let names: Vec<&str> = covers.keys().map(String::as_str).collect();
    let covering: BTreeMap<&str, Vec<&str>> = covers
        .iter()
        .map(|(name, above)| {
            (name.as_str(), above.as_array().expect("a list").iter().filter_map(|it| it.as_str()).collect())
        })
        .collect();
    let mut builder = RulesBuilder::new(&["First", "Second"]);
    builder.rules.name = json["name"].as_str().unwrap_or_default().to_owned();
    let elements = builder.enumeration("Element", &names);
    let above = |name: &&str| {
        let mut reached = vec![*name];
        let mut next = 0;
        while let Some(name) = reached.get(next) {
            next += 1;
            let more: Vec<&str> = covering[name].iter().filter(|it| !reached.contains(it)).copied().collect();
            reached.extend(more);
        }
        let index = |of: &str| names.iter().position(|name| *name == of).unwrap_or(names.len()) as u32;
        Value::set(reached.into_iter().map(|name| Value::Sym(elements, index(name))))
    };
    let ty = Type::Sym(elements);
    let values: Vec<Value> = (0..names.len() as u32).map(|index| Value::Sym(elements, index)).collect();
    let keys = vec![KeyDomain { name: "x".into(), ty: ty.clone(), values: values.clone().into() }];
    let span = at(0);
    let entries = names.iter().map(|name| Some(above(name))).collect();
    let name = "above".to_owned();
    let table = ConstTable { name, keys, ty: Type::set(ty.clone()), values: entries, span };
    let table = builder.rules.tables.push(table);
    let taken = builder.field("taken", &[], Type::set(ty), Value::set([]));
    let poison = json["poison"].as_str();
    let eaten: Vec<Value> = values
        .into_iter()
        .zip(&names)
        .filter(|(_, name)| Some(**name) != poison)
        .map(|(value, _)| value)
        .collect();
    let free = when(not(e(ExprKind::In(var(0), get(taken, &[])))));
    let take = effect(EffectOp::Insert, taken, &[], e(ExprKind::Table(table, vec![var(0)])));
    let take = builder.action("take", &[eaten], vec![free, take]);
    builder.rules.moves[take].template = vec![TemplatePart::Placeholder(var(0))];
    builder.end(e(ExprKind::Stuck), OutcomeExpr::Player(get(MOVER, &[]), false));
    if let Some(winner) = json["winner"].as_u64() {
        let claim = Claim::Player { player: winner as u32, wins: true, plies: None };
        let (text, vars) = ("winner".to_owned(), Vars::new());
        builder.rules.expectations.push(Expectation { claim, cite: None, text, vars, span });
    }
    builder.finish()
}

fn source(text: &str) -> GameSource {
    let rules = read(text).expect("rules that are well-formed");
    let mut source = GameSource::of_rules("chomp.json", text, rules).expect("the same rules");
    source.backend = Backend::Interp;
    source
}

fn solution(game: &Game) -> Solution {
    let (state, limits) = (game.machine.initial(), Limits::default());
    let options = SolveOptions { all_moves: true, ..SolveOptions::default() };
    let plan = Plan::new(Question::new(game, &state, &options, &limits));
    plan.run(&NoProgress).expect("no position has a fault").solution
}

#[test]
fn chomp_has_the_values_of_its_file() {
    for (cols, rows) in [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3)] {
        let mut other = source(&chomp(cols, rows));
        let game = other.game(None).expect("a game");
        assert!(game.compiled().is_some(), "{:?}", game.fallback());
        let settings = [format!("cols={cols}"), format!("rows={rows}")];
        let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
        let own = super::of(super::game("chomp"), &settings);
        let (found, wanted) = (solution(&game), solution(&own));
        assert_eq!(found.value, wanted.value, "{cols} x {rows}");
        assert_eq!(found.positions, wanted.positions, "{cols} x {rows}");
        let written = |solution: &Solution| {
            let mut moves: Vec<String> =
                solution.best_moves.iter().map(|made| made.written.clone()).collect();
            moves.sort();
            moves
        };
        assert_eq!(written(&found), written(&wanted), "{cols} x {rows}");
    }
}

#[test]
fn the_commands_need_no_tree() {
    let mut source = source(CHOMP);
    let report = super::checked(&mut source, 1000);
    assert!(report.diagnostics.is_empty() && !report.library, "{report:?}");
    assert!(report.explored.is_some(), "{report:?}");
    let report = super::tested(&mut source, Duration::from_secs(10));
    assert_eq!((report.passed, report.failed, report.unknown.len()), (1, 0, 0), "{report:?}");
    let limits = Limits::default();
    let start = resolve_start(&mut source, None, Some("c2"), &limits).expect("a position");
    assert_eq!(start.moves, ["c2"]);
    let game = source.game(None).expect("a game");
    let proof = super::proof(&game, &solution(&game));
    assert_eq!(super::accepts(&game, &proof), Ok(()));
}

#[test]
fn words_of_the_language_are_refused() {
    let mut source = source(CHOMP);
    let limits = Limits::default();
    assert!(resolve_start(&mut source, Some("taken := {};"), None, &limits).is_err());
    assert!(source.add_invariant("--universe", "taken = {}").is_err());
    assert!(source.game_with(&["cols=3".to_owned()]).is_err());
    assert!(source.outline.symbolic_params.is_empty() && source.complete_text().is_none());
}

#[test]
fn messages_without_a_place_are_sentences() {
    let mut rules = read(CHOMP).expect("rules");
    rules.ends.clear();
    let mut source = GameSource::of_rules("chomp.json", CHOMP, rules).expect("well-formed rules");
    let report = super::checked(&mut source, 1000);
    assert!(!report.diagnostics.is_empty());
    for found in &report.diagnostics {
        assert!(render(&source.sources, found, false).contains(&found.title));
        assert!(to_json(&source.sources, found)["title"].is_string());
    }
}

#[test]
fn rules_that_are_not_well_formed_are_refused() {
    let mut builder = RulesBuilder::new(&["A", "B"]);
    builder.end(get(FieldId(7), &[]), OutcomeExpr::Draw);
    builder.field("piece", &[], Type::option(Type::Sym(EnumId(0))), Value::None);
    builder.action("take", &[vec![Value::Sym(EnumId(9), 0)]], vec![when(val(Value::Sym(EnumId(5), 1)))]);
    let violations = builder.finish().expect_err("ids that do not exist");
    assert!(violations.iter().all(|violation| violation.requirement == Requirement::Ids), "{violations:?}");
    let mut rules = read(CHOMP).expect("rules");
    rules.fields[MOVER].init.clear();
    assert!(GameSource::of_rules("chomp.json", CHOMP, rules).is_err());
}
