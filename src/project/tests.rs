//! Tests on the files of all games.

use std::path::Path;

use bouton_analysis::{DefinitionKind, Index, Reference};
use bouton_rules::verify;

use super::files::Content;
use super::{LoadRequest, RuleFiles};

/// The folders of sound rules.
const FOLDERS: &[&str] = &["games", "tests/language/generated", "tests/language/soundness"];

/// The files of rules in some folders of the project, read and parsed.
fn rule_files(folders: &[&str]) -> Vec<RuleFiles> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let entries = |folder: &&str| std::fs::read_dir(root.join(folder)).expect("a folder of rules");
    let entries = folders.iter().flat_map(entries).flatten();
    let mut paths: Vec<String> = entries.map(|entry| entry.path().display().to_string()).collect();
    paths.retain(|path| path.ends_with(".bou"));
    paths.sort();
    assert!(!paths.is_empty());
    let read = |path: &String| RuleFiles::read(&LoadRequest { path, settings: &[], preset: None });
    paths.iter().map(|path| read(path).unwrap_or_else(|why| panic!("{why}"))).collect()
}

#[test]
fn all_rules_are_well_formed() {
    let mut wrong = Vec::new();
    for mut files in rule_files(FOLDERS) {
        for group in 0..files.outline.groups {
            if let Some(rules) = files.analyze(Some(group)).rules {
                wrong.extend(verify(&rules).iter().map(|violation| format!("{}: {violation}", files.path)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn references_name_their_definitions() {
    let mut count = 0;
    for mut files in rule_files(&["games", "tests/language/generated", "tests/language/libraries"]) {
        let index = files.analyze(Some(0)).index;
        for Reference { span, definition } in index.references() {
            let written = files.sources.slice(span);
            let name = written.rsplit('.').next().unwrap_or_default();
            assert_eq!(name, files.sources.slice(definition), "{}: {written} at {span:?}", files.path);
            count += 1;
        }
        for definition in index.definitions() {
            assert_eq!(definition.name, files.sources.slice(definition.span), "{}", files.path);
            assert!(!definition.is_damaged || !files.path.contains("games/"), "{definition:?}");
        }
    }
    assert!(count > 2500, "{count} references");
}

/// Rules with a mistake in the definition `twice`; the field `heap` is never indexed wrongly.
const DAMAGED: &str = "game \"Damaged\";
/// The two of them.
players A, B;
enum Size { small, large }
record Pile(size: Size, number: 0..9);
state {
  /// The matches left.
  heap: 0..9 = 5;
  pile: Pile = Pile(small, 3);
}
def twice = heap + unknown;
def half(k: 1..2) = heap >= k;
move take(n: 1..3) { when n <= heap; when half(1); heap -= n; }
move grow() { pile.number += 1; }
play normal;
";

#[test]
fn the_index_keeps_the_sound_items_of_a_damaged_file() {
    let mut files = RuleFiles::from_string("damaged.bou", DAMAGED);
    let analysis = files.analyze(Some(0));
    assert!(analysis.rules.is_none());
    assert!(!files.has_parse_errors(), "{:?}", files.diagnostics);
    let partial = analysis.partial.expect("the rules as far as they go");
    assert_eq!(partial.moves.iter().map(|of| of.name.as_str()).collect::<Vec<_>>(), ["take", "grow"]);
    let index = &analysis.index;
    let at = |words: &str, place: usize| {
        let start = DAMAGED.find(words).unwrap_or_else(|| panic!("no `{words}`"));
        let found = index.definition_at(files.file, start + place);
        found.unwrap_or_else(|| panic!("nothing at `{words}`"))
    };
    let heap = at("heap -= n", 1);
    assert_eq!(
        (heap.name.as_str(), heap.kind, heap.ty.as_deref()),
        ("heap", DefinitionKind::Field, Some("0..9"))
    );
    assert_eq!(heap.doc, ["The matches left."]);
    assert_eq!(index.references_to(heap).len(), 4);
    assert_eq!(at("half(1)", 0).ty.as_deref(), Some("bool"));
    assert_eq!(at("n <= heap", 0).kind, DefinitionKind::Variable);
    assert_eq!(at("n <= heap", 0).ty.as_deref(), Some("1..3"));
    assert_eq!(
        (at("number += 1", 0).kind, at("number += 1", 0).name.as_str()),
        (DefinitionKind::Part, "number")
    );
    assert_eq!(
        (at("small, 3", 0).kind, at("small, 3", 0).ty.as_deref()),
        (DefinitionKind::Member, Some("Size"))
    );
    let damaged: Vec<&str> =
        index.definitions().filter(|of| of.is_damaged).map(|of| of.name.as_str()).collect();
    assert_eq!(damaged, ["twice"]);
    assert_eq!(at("twice", 0).ty, None);
}

#[test]
fn settings_of_presets_and_claims_are_uses_of_parameters() {
    let text = "game \"G\";\nplayers A, B;\nparam n: 1..9 = 3;\npreset big \"Big\" { n = 9; }\n\
                state { heap: 0..9 = n; }\nmove take() { when heap > 0; heap -= 1; }\nplay normal;\n\
                expect A wins with n = 5;\ntest \"T\" with n = 4 { expect B wins; }\n";
    let mut files = RuleFiles::from_string("settings.bou", text);
    let index = files.analyze(Some(0)).index;
    let parameter = index.definitions().find(|of| of.name == "n").expect("a parameter");
    assert_eq!(parameter.value.as_deref(), Some("3"));
    let uses = index.references_to(parameter);
    let lines: Vec<&str> = uses.iter().filter_map(|span| text[..span.range().start].lines().last()).collect();
    assert_eq!(uses.len(), 4, "{lines:?}");
}

#[test]
fn indices_of_several_analyses_are_joined() {
    let text = "game \"G\";\nplayers A, B;\nparam n: 1..9 = 3;\nstate { heap: 0..9 = n; }\n\
                move take() { heap -= 1; }\nplay normal;\nexpect A wins;\nexpect B wins with n = 4;\n";
    let mut files = RuleFiles::from_string("groups.bou", text);
    let mut index = files.analyze(Some(0)).index;
    let uses = |index: &Index| {
        let player = index.definitions().find(|of| of.name == "B").expect("a player");
        index.references_to(player).len()
    };
    assert_eq!(uses(&index), 0);
    index.merge(files.analyze(Some(1)).index);
    assert_eq!(uses(&index), 1);
}

#[test]
fn settings_in_another_form_are_told_with_the_words_to_type() {
    let text = "game \"G\"; players A, B; enum Kind { big, small } board Cell = grid(3, 3);
        param row: text = \"XO\"; param kind: Kind = big; param heaps: list of 0..4 = [1];
        param free: set of Cell = { a1 }; param rows: list of text = [\"a\"]; const other = \"OX\";
        state { n: 0..4 = 4; } move take() { n -= 1; } play normal;";
    let mut files = RuleFiles::from_string("settings.bou", text);
    let mut told = |setting: &str| match files.add_settings(&[setting.to_owned()]) {
        Err(why) => why.to_string(),
        Ok(mark) => {
            files.remove_settings(mark);
            String::new()
        }
    };
    let wrong = [
        ("row=XO", "`--set 'row=\"XO\"'`"),
        ("row=a,b", "`--set 'row=\"a,b\"'`"),
        ("kind=\"big\"", "`--set kind=big`"),
        ("heaps=3", "`--set 'heaps=[3]'`"),
        ("heaps={1,2}", "`--set 'heaps=[1,2]'`"),
        ("free=a1", "`--set 'free={a1}'`"),
        ("rows=[a,b]", "`--set 'rows=[\"a\",\"b\"]'`"),
    ];
    for (setting, form) in wrong {
        assert!(told(setting).contains(form), "{setting}: {}", told(setting));
    }
    for setting in
        ["row=\"XO\"", "row=other", "kind=small", "heaps=[3]", "free={a1, b1}", "free=Cell", "rows=[other]"]
    {
        assert_eq!(told(setting), "", "{setting}");
    }
}

#[test]
fn files_in_another_encoding_are_explained() {
    let damaged = Content::InvalidUtf8("game \"f\u{fffd}r\";".to_owned(), 7);
    let told = damaged.into_text("fur.bou", 100).expect_err("Latin-1").to_string();
    assert!(told.starts_with("fur.bou: ") && told.contains("latin1"), "{told}");
    let told = Content::TooLarge.into_text("fur.bou", 4 << 20).expect_err("too large").to_string();
    assert_eq!(told, "fur.bou has more than 4 MiB");
}
