//! Sheets with a mistake each: the messages of `check`, one of which has the code in the name of the file.

use std::fs;

use bouton_base::limits::{Limits, NoProgress};
use bouton_driver::check::{CheckOptions, check};
use bouton_driver::load::GameSource;
use bouton_syntax::diag::render;

#[test]
fn each_sheet_is_told_its_mistake() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/gdl/mistakes");
    let mut paths: Vec<_> = fs::read_dir(folder).expect("the sheets").flatten().map(|e| e.path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    for path in paths {
        let name = path.file_stem().expect("a name").to_string_lossy().to_string();
        let sheet = fs::read_to_string(&path).expect("a sheet");
        let mut text = GameSource::from_string("game.kif", &sheet);
        let options = CheckOptions { explore: 10_000, limits: &Limits::default(), progress: &NoProgress };
        let found = check(&mut text, &options).diagnostics;
        let told: Vec<String> = found.iter().map(|d| render(&text.sources, d, false)).collect();
        let is_told = found.iter().any(|found| name.starts_with(found.code.name()));
        assert!(is_told, "{name}:\n{}", told.join("\n"));
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(name, format!("{sheet}\n{}", told.join("\n")));
        });
    }
}
