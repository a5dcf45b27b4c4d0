//! The words of the source, measured: how doc comments begin, the word "what", type names that several modules define,
//! long parameter lists, errors that are strings.
//!
//! Each test holds one figure below its limit and prints the offenders where it is not; `--nocapture` prints the
//! figures in any case.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use syn::visit::{self, Visit};

use crate::files::{SourceFile, hold, source_files};

/// First words of a doc comment that say neither what the item is nor what it does.
const BAD_BEGINNINGS: &[&str] =
    &["What", "Whether", "Where", "Who", "How", "So", "Of", "That", "Which", "Whose"];

/// The largest share of doc comments, in thousandths, that may begin with one of [`BAD_BEGINNINGS`].
const MAX_BAD_BEGINNINGS_PER_1000: usize = 30;

/// The largest number of the word "what" per 1000 comment lines.
const MAX_WHAT_PER_1000: usize = 15;

/// A type name counts as common from this number of definitions on.
const COMMON_NAME_DEFINITIONS: usize = 4;

/// The largest number of common type names.
const MAX_COMMON_NAMES: usize = 14;

/// A function with more parameters than this is long; a tuple counts as its elements.
const LONG_PARAMETERS: usize = 5;

/// The largest number of functions with long parameter lists.
const MAX_LONG_FUNCTIONS: usize = 14;

/// The largest number of parameters that are tuple patterns.
const MAX_TUPLE_PATTERNS: usize = 4;

/// The largest number of public functions below the command line with a string as their error.
const MAX_STRING_ERRORS: usize = 0;

#[test]
fn doc_comments_begin_with_a_noun_or_a_verb() {
    let mut offenders = Vec::new();
    let mut count = 0;
    for file in &source_files() {
        for (line, words) in file.doc_beginnings() {
            count += 1;
            let first = words.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            if BAD_BEGINNINGS.contains(&first) {
                offenders.push(format!("{}:{line}: {words}", file.path));
            }
        }
    }
    let share = offenders.len() * 1000 / count;
    hold("doc comments that begin badly, in thousandths", share, MAX_BAD_BEGINNINGS_PER_1000, &offenders);
}

#[test]
fn comments_name_things_instead_of_what_they_are() {
    let mut offenders = Vec::new();
    let mut count = 0;
    let mut lines = 0;
    for file in &source_files() {
        for (number, line) in file.comment_lines() {
            lines += 1;
            let words = line.split(|c: char| !c.is_alphanumeric());
            let found = words.filter(|word| word.eq_ignore_ascii_case("what")).count();
            if found > 0 {
                count += found;
                offenders.push(format!("{}:{number}: {line}", file.path));
            }
        }
    }
    hold("\"what\" per 1000 comment lines", count * 1000 / lines, MAX_WHAT_PER_1000, &offenders);
}

/// The places of the definitions that the words of a file are measured by.
#[derive(Default)]
struct Definitions {
    path: String,
    types: Vec<(String, String)>,
    long_functions: Vec<String>,
    tuple_patterns: Vec<String>,
    string_errors: Vec<String>,
}

impl Definitions {
    fn of(file: &SourceFile) -> Self {
        let mut definitions = Self { path: file.path.clone(), ..Self::default() };
        definitions.visit_file(&file.syntax());
        definitions
    }

    fn place(&self, name: &syn::Ident) -> String {
        format!("{}:{} {name}", self.path, name.span().start().line)
    }

    fn defines(&mut self, name: &syn::Ident) {
        self.types.push((name.to_string(), self.place(name)));
    }

    fn takes(&mut self, signature: &syn::Signature) {
        let place = self.place(&signature.ident);
        let mut parameters = 0;
        for input in &signature.inputs {
            let syn::FnArg::Typed(typed) = input else { continue };
            if let syn::Pat::Tuple(_) = *typed.pat {
                self.tuple_patterns.push(place.clone());
            }
            parameters += match &*typed.ty {
                syn::Type::Tuple(tuple) => tuple.elems.len().max(1),
                _ => 1,
            };
        }
        if parameters > LONG_PARAMETERS {
            self.long_functions.push(format!("{place}: {parameters} parameters"));
        }
    }

    /// Notes a public function whose result has a string as its error.
    fn fails(&mut self, visibility: &syn::Visibility, signature: &syn::Signature) {
        let syn::ReturnType::Type(_, output) = &signature.output else { return };
        if matches!(visibility, syn::Visibility::Inherited) || !has_string_error(output) {
            return;
        }
        let below = self.path.starts_with("src/") && !self.path.starts_with("src/cli/");
        if below {
            self.string_errors.push(self.place(&signature.ident));
        }
    }
}

/// Returns true if the type is `Result<_, String>`.
fn has_string_error(output: &syn::Type) -> bool {
    let syn::Type::Path(path) = output else { return false };
    let Some(last) = path.path.segments.last() else { return false };
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else { return false };
    let Some(syn::GenericArgument::Type(syn::Type::Path(error))) = arguments.args.last() else {
        return false;
    };
    last.ident == "Result" && arguments.args.len() == 2 && error.path.is_ident("String")
}

impl<'ast> Visit<'ast> for Definitions {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.defines(&item.ident);
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.defines(&item.ident);
        visit::visit_item_enum(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.defines(&item.ident);
        visit::visit_item_trait(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.defines(&item.ident);
        visit::visit_item_type(self, item);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.takes(&item.sig);
        self.fails(&item.vis, &item.sig);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.takes(&item.sig);
        self.fails(&item.vis, &item.sig);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        self.takes(&item.sig);
        self.fails(&syn::Visibility::Public(Default::default()), &item.sig);
        visit::visit_trait_item_fn(self, item);
    }
}

/// The definitions of all files, parsed once for all tests.
static DEFINITIONS: LazyLock<Vec<Definitions>> =
    LazyLock::new(|| source_files().iter().map(Definitions::of).collect());

/// Returns one list of the definitions, over all files.
fn of_all_files<T: Clone>(list: fn(&Definitions) -> &Vec<T>) -> Vec<T> {
    DEFINITIONS.iter().flat_map(list).cloned().collect()
}

#[test]
fn few_type_names_are_defined_often() {
    let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, place) in of_all_files(|d| &d.types) {
        names.entry(name).or_default().push(place);
    }
    names.retain(|_, places| places.len() >= COMMON_NAME_DEFINITIONS);
    let offenders: Vec<_> = names.iter().map(|(name, at)| format!("{name}: {}", at.join(", "))).collect();
    hold("type names defined four times or more", offenders.len(), MAX_COMMON_NAMES, &offenders);
}

#[test]
fn few_functions_take_many_parameters() {
    let offenders = of_all_files(|d| &d.long_functions);
    hold("functions with more than five parameters", offenders.len(), MAX_LONG_FUNCTIONS, &offenders);
}

#[test]
fn few_parameters_are_tuple_patterns() {
    let offenders = of_all_files(|d| &d.tuple_patterns);
    hold("parameters that are tuple patterns", offenders.len(), MAX_TUPLE_PATTERNS, &offenders);
}

#[test]
fn few_public_errors_are_strings() {
    let offenders = of_all_files(|d| &d.string_errors);
    hold("public functions with a string as their error", offenders.len(), MAX_STRING_ERRORS, &offenders);
}
