//! W0125 for an element that stands twice in a written set: `{ 2, 2, 3 }` has two elements, and their sum is 5.

use crate::analyzer::Analyzer;
use bouton_base::source::Span;
use bouton_syntax::ast::{self, ItemKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

impl Analyzer<'_> {
    /// Warns about an element that a set in braces has twice.
    pub(super) fn repeated_element(&mut self, elements: &[ast::Expr], span: Span) {
        let is_own = self.items().any(|(item, own)| own && item.span.covers(span));
        if !is_own || self.options.damaged {
            return;
        }
        let words: Vec<String> = elements.iter().map(|element| print_expr(element.bare())).collect();
        let repeated = (0..words.len()).find_map(|place| {
            let first = words[..place].iter().position(|before| *before == words[place])?;
            Some((first, place))
        });
        let Some((first, again)) = repeated else { return };
        let element = &words[again];
        let title = format!("`{element}` stands twice in this set, and counts once");
        let found = Diagnostic::new(Code::W0125, title, elements[again].span, "the same again")
            .label(elements[first].span, "the first");
        let is_constant = matches!(
            self.item_around(span),
            Some(ItemKind::Const { value, .. }) if value.bare().span == span
        );
        let list = match is_constant {
            true => format!("; a list, `[{}]`, keeps both", words.join(", ")),
            false => String::new(),
        };
        self.report_once(found.help(format!(
            "a set has each element once: write the other one that is meant, or leave this one out{list}"
        )));
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn told(dice: &str, held: &str) -> Vec<(String, String)> {
        let text = format!(
            "game \"Dice\"; players A, B; enum L {{ a, b, c }} const dice = {dice};
             const total = sum x in 1..3: x;
             state {{ heap: 0..9 = total; own[p: Player]: set of L = {{}}; }}
             move take(k: 1..2, l: L) as \"{{k}} {{l}}\" {{ when k <= heap; heap -= k; own[me] |= {{ l }}; }}
             end {{ for p in Player when {held} in own[p] => p wins; when heap = 0 => draw; when stuck => draw; }}
             expect #dice > 0;"
        );
        let found = found(&text, Code::W0125);
        assert!(found.iter().all(|found| found.edits.is_empty()));
        found.into_iter().map(|found| (found.title, found.help.unwrap_or_default())).collect()
    }

    #[test]
    fn sets_have_each_element_once() {
        let [(title, help)] = &told("{ 2, 2, 3 }", "{ a, b }")[..] else { panic!() };
        assert_eq!(title, "`2` stands twice in this set, and counts once");
        assert!(help.ends_with("or leave this one out; a list, `[2, 2, 3]`, keeps both"), "{help}");
        let [(title, help)] = &told("{ 2, 3 }", "{ a, b, a }")[..] else { panic!() };
        assert_eq!(title, "`a` stands twice in this set, and counts once");
        assert!(help.ends_with("or leave this one out"), "{help}");
        assert_eq!(told("[2, 2, 3]", "{ a, b }"), []);
        assert_eq!(told("{ (1, 2), (2, 1) }", "{ a, b, c }"), []);
    }
}
