//! Stubs of definitions and moves whose heads are damaged: a name that stays known makes no further mistakes
//! of its uses.

use super::MistakeContext;
use super::fallback::DAMAGE_MARKER;
use super::layout::{ClauseContext, Layout};
use crate::keywords;

/// The maximal number of parameters of a stub.
const MAX_PARAMETERS: usize = 8;

/// A definition or constant of unknown value in place of a damaged one: its first word, the one after its
/// last, and its new text.
pub(super) fn stub_of_item(layout: &Layout, bounds: &MistakeContext) -> Option<(usize, usize, String)> {
    let is_word = |at: &usize| matches!(layout.text(*at), "def" | "const");
    let is_top = bounds.place == ClauseContext::Top && bounds.first < layout.words.len();
    let first = (bounds.first..bounds.first + 3).find(|at| is_top && is_word(at))?;
    let (word, name) = (layout.text(first), layout.text(first + 1));
    if !is_name(layout, first + 1) {
        return None;
    }
    let end = layout.item_end(bounds.first);
    let open = first + 2;
    let close = layout.partner(open).filter(|&close| layout.text(open) == "(" && close < end);
    let parameters =
        close.filter(|_| word == "def").map_or(Vec::new(), |close| parameters(layout, open, close));
    let parameters = match parameters.len() {
        0 => String::new(),
        1..=MAX_PARAMETERS => format!("({})", parameters.join(", ")),
        _ => return None,
    };
    Some((first, end, format!("{word} {name}{parameters} = {DAMAGE_MARKER};")))
}

/// The damaged parameters of a move with types that are unknown: the words between the brackets, and their
/// new text.
pub(super) fn stub_of_parameters(layout: &Layout, bounds: &MistakeContext) -> Option<(usize, usize, String)> {
    let is_word = |at: &usize| matches!(layout.text(*at), "move" | "chance");
    let is_top = bounds.place == ClauseContext::Top && bounds.first < layout.words.len();
    let first = (bounds.first..bounds.first + 4).find(|at| is_top && is_word(at))?;
    let open = first + 2;
    let close = layout.partner(open).filter(|_| layout.text(open) == "(" && is_name(layout, first + 1))?;
    let is_inside = open < bounds.at && bounds.at <= close && close > open + 1;
    let parameters = parameters(layout, open, close);
    (is_inside && parameters.len() <= MAX_PARAMETERS).then(|| (open + 1, close, parameters.join(", ")))
}

fn is_name(layout: &Layout, at: usize) -> bool {
    keywords::starts_with_letter(layout.text(at)) && !keywords::is_reserved(layout.text(at))
}

/// The parameters between two brackets with types that are unknown.
fn parameters(layout: &Layout, open: usize, close: usize) -> Vec<String> {
    let mut parameters = Vec::new();
    let mut at = open + 1;
    while at < close {
        let mut stop = at;
        while stop < close && layout.text(stop) != "," {
            stop = layout.partner(stop).filter(|&end| end > stop).unwrap_or(stop) + 1;
        }
        // A type may stand before the name.
        let is_first = is_name(layout, at) && !layout.text(at).starts_with(|c: char| c.is_ascii_uppercase());
        let has_type = layout.text(at + 1) == ":";
        let variable = if is_first || has_type { at } else { stop - 1 };
        let name = match is_name(layout, variable) {
            true => layout.text(variable).to_owned(),
            false => format!("p{at}"),
        };
        parameters.push(format!("{name}: {DAMAGE_MARKER}"));
        at = stop + 1;
    }
    parameters
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

    #[test]
    fn moves_with_damaged_parameters_stay_known() {
        for parameters in ["k <- 1..2", "c: Cell, k <- 1..2", "k ** 2, c: Cell"] {
            let text = format!("move take({parameters}) as \"{{k}}\" {{ n := k; }}\n");
            let mut sources = bouton_base::source::Sources::new();
            let file = sources.add("text", text.as_str());
            let parsed = crate::parse(&sources, file);
            assert_eq!((parsed.diagnostics.len(), parsed.file.items.len()), (1, 1), "{parameters}");
        }
    }
}
