//! The forms of settings `name=value` on a command line: what is written in another form is told with the words to type.

use bouton_syntax::ast::{self, ItemKind, Type, TypeKind};

use crate::rule_files::shell_quote;

/// The form that a setting should have, if it is a common other one: `n:5`, `n=5,k=3`, `heaps=3,4`, `heaps=[3 4]`.
pub(crate) fn other_form(setting: &str) -> Option<String> {
    let is_name = |word: &str| {
        let word = word.trim();
        word.starts_with(|c: char| c.is_alphabetic())
            && word.chars().all(|c| c.is_alphanumeric() || "_.[]".contains(c))
    };
    let Some((name, value)) = setting.split_once('=') else {
        let (name, value) = setting.split_once(":=").or(setting.split_once(':'))?;
        let form = shell_quote(&format!("{}={}", name.trim(), value.trim()));
        return Some(format!("a setting is written name=value, here `--set {form}`"));
    };
    let (name, value) = (name.trim(), value.trim());
    if !is_name(name) || value.starts_with('@') {
        return None;
    }
    let parts: Vec<&str> = value.split(',').map(str::trim).collect();
    let is_setting = |part: &&str| part.split_once('=').is_some_and(|(name, _)| is_name(name));
    if parts.len() > 1 && parts[1..].iter().all(is_setting) && !value.contains(['{', '"']) {
        let all: Vec<String> =
            parts[1..].iter().map(|part| format!("--set {}", shell_quote(&part.replace(' ', "")))).collect();
        let first = shell_quote(&format!("{name}={}", parts[0]));
        return Some(format!("each parameter has a `--set` of its own: `--set {first} {}`", all.join(" ")));
    }
    let is_number = |part: &&str| part.parse::<i64>().is_ok();
    if parts.len() > 1 && parts.iter().all(is_number) {
        let list = shell_quote(&format!("{name}=[{}]", parts.join(",")));
        return Some(format!("a list stands in square brackets: `--set {list}`"));
    }
    let inner = value.strip_prefix('[')?.strip_suffix(']')?;
    let elements: Vec<&str> = inner.split_whitespace().collect();
    if elements.len() > 1 && elements.iter().all(is_number) {
        let list = shell_quote(&format!("{name}=[{}]", elements.join(",")));
        return Some(format!("the elements of a list are separated by commas: `--set {list}`"));
    }
    None
}

/// The form that the value of a setting should have, by the type of its parameter: a text without quotes, which the
/// shell takes away, a list without brackets, a name in quotes. A value that may name something of the file is left
/// alone.
pub(crate) fn form_by_type(file: &ast::File, name: &str, value: &str) -> Option<String> {
    let value = value.trim();
    let declared = file.items.iter().find_map(|item| match &item.kind {
        ItemKind::Param { name: of, ty, .. } if of.text == name => Some(ty),
        _ => None,
    })?;
    let typed = |value: &str| format!("`--set {}`", shell_quote(&format!("{name}={value}")));
    let is_text = |ty: &Type| matches!(&ty.kind, TypeKind::Expr(e) if e.as_name() == Some("text"));
    match &declared.kind {
        _ if value.is_empty() || value.contains('\n') || declares(file, value) => None,
        TypeKind::Expr(_) if is_text(declared) => (!value.contains('"')).then(|| {
            format!("a text stands in quotes, which the shell must not take away: {}", typed(&quoted(value)))
        }),
        TypeKind::Expr(e) => {
            let inner = value.strip_prefix('"')?.strip_suffix('"').filter(|inner| is_word(inner))?;
            e.as_name().map(|ty| format!("a value of the type `{ty}` has no quotes: {}", typed(inner)))
        }
        TypeKind::List(element) => {
            let is_text = is_text(element);
            let (inner, is_list) = match value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                Some(inner) => (inner, true),
                None => (within(value, '(', ')').or(within(value, '{', '}')).unwrap_or(value), false),
            };
            let elements = elements(inner)?;
            if is_text && elements.iter().any(|element| declares(file, element)) {
                return None;
            }
            let lacks_quotes = is_text && elements.iter().any(|element| !element.starts_with('"'));
            let all: Vec<String> = elements
                .into_iter()
                .map(
                    |element| {
                        if is_text && !element.starts_with('"') { quoted(element) } else { element.into() }
                    },
                )
                .collect();
            let list = typed(&format!("[{}]", all.join(",")));
            match (is_list, lacks_quotes) {
                (true, false) => None,
                (true, true) => {
                    Some(format!("a text stands in quotes, which the shell must not take away: {list}"))
                }
                (false, _) => Some(format!("a list stands in square brackets: {list}")),
            }
        }
        TypeKind::Set(_) => {
            let all = elements(value).filter(|_| !value.starts_with(['{', '[']))?;
            Some(format!("a set stands in braces: {}", typed(&format!("{{{}}}", all.join(",")))))
        }
        _ => None,
    }
}

/// A string of the language with these characters.
fn quoted(value: &str) -> String {
    format!("\"{value}\"")
}

/// The text between two signs at its ends.
fn within(value: &str, open: char, close: char) -> Option<&str> {
    value.strip_prefix(open)?.strip_suffix(close)
}

/// The elements between commas or blanks, if all are names, numbers or strings.
fn elements(text: &str) -> Option<Vec<&str>> {
    let parts: Vec<&str> = match text.contains(',') {
        true => text.split(',').map(str::trim).collect(),
        false => text.split_whitespace().collect(),
    };
    let is_element = |part: &&str| {
        is_word(part)
            || part.parse::<i64>().is_ok()
            || within(part, '"', '"').is_some_and(|of| !of.contains('"'))
    };
    (!parts.is_empty() && parts.iter().all(is_element)).then_some(parts)
}

/// Returns true for a name.
fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic()) && text.chars().all(|c| c == '_' || c.is_alphanumeric())
}

/// Returns true if a file declares a name of a value or of a type, or if the language does.
fn declares(file: &ast::File, word: &str) -> bool {
    matches!(word, "Player" | "Dir" | "Orthogonal" | "Diagonal" | "none")
        || file.items.iter().any(|item| match &item.kind {
            ItemKind::Param { name, .. }
            | ItemKind::Const { name, .. }
            | ItemKind::Def { name, .. }
            | ItemKind::Enum { name, .. }
            | ItemKind::TypeAlias { name, .. }
            | ItemKind::Board { name, .. } => name.text == word,
            ItemKind::Use { .. } => true,
            _ => false,
        })
}
