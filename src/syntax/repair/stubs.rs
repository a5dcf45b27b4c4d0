//! Stubs of definitions whose heads are damaged: a name that stays known makes no further mistakes of its uses.

use super::MistakeContext;
use super::fallback::DAMAGE_MARKER;
use super::layout::{ClauseContext, Layout};
use crate::keywords;

/// The maximal number of parameters of a stub.
const MAX_PARAMETERS: usize = 8;

/// A definition or constant of unknown value in place of a damaged one, with its first word and the one after its last.
pub(super) fn stub_of_item(layout: &Layout, bounds: &MistakeContext) -> Option<(usize, usize, String)> {
    let is_name =
        |at: usize| keywords::starts_with_letter(layout.text(at)) && !keywords::is_reserved(layout.text(at));
    let is_word = |at: &usize| matches!(layout.text(*at), "def" | "const");
    let is_top = bounds.place == ClauseContext::Top && bounds.first < layout.words.len();
    let first = (bounds.first..bounds.first + 3).find(|at| is_top && is_word(at))?;
    let (word, name) = (layout.text(first), layout.text(first + 1));
    if !is_name(first + 1) {
        return None;
    }
    let end = layout.item_end(bounds.first);
    let open = first + 2;
    let close = layout.partner(open).filter(|&close| layout.text(open) == "(" && close < end);
    let mut parameters: Vec<String> = Vec::new();
    let mut at = open + 1;
    while let Some(close) = close.filter(|&close| word == "def" && at < close) {
        // A type may stand before the name.
        let stop = (at..close).find(|&at| layout.text(at) == ",").unwrap_or(close);
        let has_colon = (at..stop).any(|at| layout.text(at) == ":");
        let variable = if has_colon { at } else { stop - 1 };
        let variable = if is_name(variable) { layout.text(variable).to_owned() } else { format!("p{at}") };
        parameters.push(format!("{variable}: {DAMAGE_MARKER}"));
        at = stop + 1;
    }
    let parameters = match parameters.len() {
        0 => String::new(),
        1..=MAX_PARAMETERS => format!("({})", parameters.join(", ")),
        _ => return None,
    };
    Some((first, end, format!("{word} {name}{parameters} = {DAMAGE_MARKER};")))
}

#[cfg(test)]
mod tests {
    use crate::ast::ItemKind;

    #[test]
    fn damaged_definitions_stay_known() {
        for text in
            ["def score(p @@ Player -> n) n n n;\n", "def score(p):\n  return count(c for c in Cell if f);\n"]
        {
            let mut sources = bouton_base::source::Sources::new();
            let file = sources.add("text", text);
            let parsed = crate::parse(&sources, file);
            let defs = parsed.file.items.iter().filter(|item| matches!(item.kind, ItemKind::Def { .. }));
            assert_eq!((parsed.diagnostics.is_empty(), defs.count()), (false, 1), "{text}");
        }
    }
}
