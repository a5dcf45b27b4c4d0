//! Properties of the library `bouton`: its size, and the crates that it does without.

use syn::Visibility;
use syn::visit::{self, Visit};

use crate::files::{hold, source_files};
use crate::permissions::{all_dependencies, dependency_lines};

/// The crates of the command line, which a program that uses the library does without.
const COMMAND_CRATES: &[&str] = &[
    "axum",
    "bouton-lsp",
    "clap",
    "clap_complete",
    "ctrlc",
    "form_urlencoded",
    "futures-core",
    "indicatif",
    "rustyline",
    "tokio",
];

/// The largest number of public items of the library: types, functions and methods.
const MAX_PUBLIC_ITEMS: usize = 62;

#[test]
fn the_library_needs_no_terminal() {
    let name = |line: &str| line.split(['.', ' ', '=']).next().unwrap_or_default().to_owned();
    let own = dependency_lines("..");
    let of_command: Vec<&String> =
        own.iter().filter(|line| COMMAND_CRATES.contains(&name(line).as_str())).collect();
    assert_eq!(of_command.len(), COMMAND_CRATES.len(), "the command uses them");
    let always: Vec<_> = of_command.iter().filter(|line| !line.contains("optional = true")).collect();
    assert!(always.is_empty(), "not optional: {always:?}");
    for of in all_dependencies("..") {
        let wrong: Vec<String> = dependency_lines(&of)
            .iter()
            .map(|line| name(line))
            .filter(|it| COMMAND_CRATES.contains(&it.as_str()))
            .collect();
        assert!(wrong.is_empty(), "{of} depends on {wrong:?}");
    }
}

/// The public items of the facade.
#[derive(Default)]
struct PublicItems(Vec<String>);

impl PublicItems {
    fn note(&mut self, visibility: &Visibility, name: &syn::Ident) {
        if matches!(visibility, Visibility::Public(_)) {
            self.0.push(name.to_string());
        }
    }
}

impl<'ast> Visit<'ast> for PublicItems {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.note(&item.vis, &item.ident);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.note(&item.vis, &item.ident);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.note(&item.vis, &item.ident);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.note(&item.vis, &item.ident);
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.note(&item.vis, &item.ident);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.note(&item.vis, &item.sig.ident);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if item.trait_.is_none() {
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.note(&item.vis, &item.sig.ident);
    }
}

#[test]
fn the_library_is_small() {
    let mut items = PublicItems::default();
    for file in source_files().iter().filter(|file| file.path.starts_with("src/facade/")) {
        items.visit_file(&file.syntax());
    }
    hold("public items of the library", items.0.len(), MAX_PUBLIC_ITEMS, &items.0);
}
