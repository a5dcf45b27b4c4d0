//! Forms of other languages in a sheet: other arrows in place of `<=`, signs between their parts, texts in
//! quotes.

use bouton_base::source::Span;
use bouton_syntax::diag::{Code, Diagnostic};
use rustc_hash::FxHashSet;

use crate::sheet::{ARITIES, CONNECTIVES};
use crate::tree::{Node, NodeKind};

/// Signs that other languages have in place of `<=`.
const OTHER_ARROWS: &[&str] = &[":-", "<-", "->", "=>", "<==", "==>", "<--", "-->", ":=", "⇐", "←"];

/// Signs that other languages have in place of `<=`, and that may name a relation, too.
const RELATION_ARROWS: &[&str] = &["=<", "<=>", "<->", "if", "iff", "→", "⇒", "⇔", "↔", "≤"];

/// Arrows from the conditions to the conclusion.
const TO_CONCLUSION: &[&str] = &["->", "=>", "==>", "-->", "→", "⇒"];

/// The beginning of the help about arrows.
const RULE: &str = "a rule is `(<= conclusion condition ...)`: the conclusion comes first";

/// The message for a list that is a rule in another language: with another arrow in front, or with one behind
/// its first part.
pub fn other_rule(list: &Node) -> Option<Diagnostic> {
    let NodeKind::List(parts) = &list.kind else { return None };
    let rest = &parts.get(1..).filter(|rest| !rest.is_empty())?;
    let first = &parts[0];
    let glued = first.atom().and_then(|word| word.strip_prefix("<="));
    if let Some(word) = glued.filter(|word| word.starts_with(char::is_alphabetic)) {
        let title = "a blank is missing behind `<=`";
        let help = format!("write `(<= {word} {})`", joined(rest));
        return Some(Diagnostic::new(Code::E0702, title, first.span, "").help(help));
    }
    if let Some(sign) = first.atom()
        && (OTHER_ARROWS.contains(&sign)
            || RELATION_ARROWS.contains(&sign) && (rest.iter().any(is_formula) || is_rule_of_lists(rest)))
    {
        let help = match is_equivalence(sign) {
            true => "GDL has no sign for `if and only if`: write `<=`; what no rule makes true is false",
            false => RULE,
        };
        return Some(needed(sign, first.span).help(help));
    }
    let sign = rest[0].atom().filter(|sign| is_arrow(sign))?;
    let conditions = rest.get(1..).filter(|conditions| !conditions.is_empty())?;
    // Signs may be names, as in `(order a => b)`.
    if first.atom().is_some_and(|word| CONNECTIVES.contains(&word.to_ascii_lowercase().as_str()))
        || !is_formula(first) && !conditions.iter().any(is_formula)
    {
        return None;
    }
    let title = format!("`{sign}` between its parts");
    let help = match TO_CONCLUSION.contains(&sign) {
        true => RULE.to_owned(),
        false => format!("in GDL `<=` comes first: write `(<= {first} {})`", joined(conditions)),
    };
    Some(Diagnostic::new(Code::E0702, title, list.span, "").help(help))
}

/// Returns true if a list and others behind it have a variable: a rule, since a fact has none.
fn is_rule_of_lists(parts: &[Node]) -> bool {
    fn has_variable(node: &Node) -> bool {
        match &node.kind {
            NodeKind::Atom(text) => text.starts_with('?'),
            NodeKind::List(parts) => parts.iter().any(has_variable),
        }
    }
    let is_list = |node: &Node| matches!(node.kind, NodeKind::List(_));
    parts.len() > 1 && parts.first().is_some_and(is_list) && parts.iter().any(has_variable)
}

/// The message for an arrow that stands outside of all lists: a rule without its parentheses.
pub fn stray_arrow(text: &str, span: Span) -> Option<Diagnostic> {
    let help = "a rule is a list, `(<= conclusion condition ...)`: the arrow and the conclusion come first";
    match text {
        "<=" => {
            let title = "a rule without its parentheses";
            Some(Diagnostic::new(Code::E0702, title, span, "").help(help))
        }
        _ if is_arrow(text) && text != "if" => Some(needed(text, span).help(help)),
        _ => None,
    }
}

fn joined(parts: &[Node]) -> String {
    parts.iter().map(Node::to_string).collect::<Vec<_>>().join(" ")
}

fn needed(sign: &str, span: Span) -> Diagnostic {
    Diagnostic::new(Code::E0702, format!("`{sign}` where `<=` is needed"), span, "")
}

fn is_arrow(sign: &str) -> bool {
    sign == "<=" || OTHER_ARROWS.contains(&sign) || RELATION_ARROWS.contains(&sign)
}

fn is_equivalence(sign: &str) -> bool {
    ["<=>", "<->", "iff", "⇔", "↔"].contains(&sign)
}

/// Returns true for a sentence with a keyword of GDL, or a connective of such: no term.
fn is_formula(node: &Node) -> bool {
    let is_word = |of: &Node| {
        let names = ARITIES.iter().map(|(word, _)| *word);
        names.chain(CONNECTIVES.iter().copied()).any(|word| of.is_keyword(word))
    };
    match &node.kind {
        NodeKind::Atom(_) => node.is_keyword("terminal"),
        NodeKind::List(parts) => parts.first().is_some_and(is_word),
    }
}

/// The message for the first text in quotes that has blanks in it: it is read as several words.
pub fn quoted_words(nodes: &[Node]) -> Option<Diagnostic> {
    for (at, node) in nodes.iter().enumerate() {
        match &node.kind {
            NodeKind::List(parts) => {
                if let Some(found) = quoted_words(parts) {
                    return Some(found);
                }
            }
            NodeKind::Atom(text) => {
                let Some(quote) = opened(text) else { continue };
                let behind = nodes[at + 1..].iter().map_while(Node::atom);
                let words: Vec<&str> = behind.collect();
                let close = words.iter().position(|word| word.ends_with(quote));
                let Some(close) = close else { return Some(open_quote(text, node.span)) };
                let span = node.span.to(nodes[at + 1 + close].span);
                let all = std::iter::once(text.as_str()).chain(words[..=close].iter().copied());
                let all: Vec<&str> = all.map(|word| word.trim_matches(quote)).collect();
                let all: Vec<&str> = all.into_iter().filter(|word| !word.is_empty()).collect();
                let title = "a text in quotes is no single name here";
                let help = format!(
                    "GDL has no quotes, and blanks separate names: write one word, such as `{}`",
                    all.join("_")
                );
                let label = "this is read as several names";
                return Some(Diagnostic::new(Code::E0702, title, span, label).help(help));
            }
        }
    }
    None
}

fn open_quote(text: &str, span: Span) -> Diagnostic {
    let title = format!("the quote in `{text}` is not closed");
    let help =
        "GDL has no quotes: leave them out, and write a name of several words as one, such as `two_words`";
    Diagnostic::new(Code::E0702, title, span, "").help(help)
}

/// The quote that a word opens, and does not close.
fn opened(word: &str) -> Option<char> {
    let quote = word.chars().next().filter(|first| *first == '"')?;
    let is_closed = word.len() > 1 && word.ends_with(quote);
    (!is_closed).then_some(quote)
}

/// The help for a conclusion that has taken up the conditions of its rule, as in `(<= (goal x 0 over))`: the
/// parenthesis stands behind a condition in place of an argument. `propositions`: the sentences without
/// arguments.
pub fn swallowed_conditions(rule: &[Node], arity: usize, propositions: &FxHashSet<&str>) -> Option<String> {
    let [_, head, behind @ ..] = rule else { return None };
    let NodeKind::List(parts) = &head.kind else { return None };
    let (own, taken) = parts.split_at_checked(arity + 1)?;
    let first = taken.first()?;
    // Other parts may be those of a term that lacks its parentheses: `(legal ?p mark 1 1)`.
    let is_condition =
        |of: &Node| is_formula(of) || of.atom().is_some_and(|word| propositions.contains(word));
    if !taken.iter().all(is_condition) {
        return None;
    }
    let conditions: Vec<Node> = taken.iter().chain(behind).cloned().collect();
    Some(format!("close the conclusion before `{first}`: `(<= ({}) {})`", joined(own), joined(&conditions)))
}

/// The help for a keyword with another number of arguments, in the words of the sheet: the parts of a term
/// that lacks its parentheses, or is closed too early, or what stands where a role is missing.
pub fn joined_arguments(word: &str, args: &[Node], role: &str) -> Option<String> {
    let has_role = ["does", "legal", "sees", "input"].contains(&word);
    if !has_role && !["true", "init", "next", "base", "goal"].contains(&word) {
        return None;
    }
    if let [only] = args
        && (has_role || word == "goal")
    {
        return Some(format!("name the role first, as in `({word} {role} {only})`"));
    }
    let (own, parts) = args.split_at_checked(usize::from(has_role))?;
    let [first, rest @ ..] = parts else { return None };
    if word == "goal" || rest.is_empty() || first.atom().is_some_and(|word| word.starts_with('?')) {
        return None;
    }
    let term = match &first.kind {
        NodeKind::Atom(_) => format!("({})", joined(parts)),
        NodeKind::List(inner) => format!("({} {})", joined(inner), joined(rest)),
    };
    let before: String = own.iter().map(|role| format!("{role} ")).collect();
    Some(format!("write `({word} {before}{term})`"))
}

#[cfg(test)]
mod tests {
    use bouton_base::source::FileId;

    /// Two who take stones in turns.
    const STONES: &str = "(role ann) (role bob) (init (turn ann)) (init (stone 1)) (init (stone 2))
(<= (legal ?p (take ?n)) (true (turn ?p)) (true (stone ?n)))
(<= (legal ?p wait) (role ?p) (not (true (turn ?p))))
(<= (next (stone ?n)) (true (stone ?n)) (does ?p (take ?m)) (distinct ?n ?m))
(<= (next (turn bob)) (true (turn ann))) (<= (next (turn ann)) (true (turn bob)))
(<= some (true (stone ?n)))
(<= terminal (not some))
(<= (goal ?p 0) (true (turn ?p)))
(<= (goal ?p 100) (role ?p) (not (true (turn ?p))))
";

    /// The findings in the sheet with one text for another: code, title, the text at the place, and help.
    fn found(from: &str, to: &str) -> Vec<String> {
        assert!(STONES.contains(from), "{from}");
        let text = STONES.replacen(from, to, 1);
        let found = crate::read(FileId(0), &text).diagnostics;
        let shown = |of: &super::Diagnostic| {
            let help = of.help.clone().unwrap_or_default();
            format!("{} {} at {}; {help}", of.code, of.title, &text[of.span().range()])
        };
        found.iter().map(shown).collect()
    }

    const END: &str = "(<= terminal (not some))";
    const RULE: &str = "a rule is `(<= conclusion condition ...)`: the conclusion comes first";

    #[test]
    fn rules_of_other_languages_are_told() {
        let [] = found("", "")[..] else { panic!("{:?}", found("", "")) };
        let outside =
            "a rule is a list, `(<= conclusion condition ...)`: the arrow and the conclusion come first";
        for (to, told) in [
            ("(=< terminal (not some))", format!("E0702 `=<` where `<=` is needed at =<; {RULE}")),
            (
                "(<=> terminal (not some))",
                "E0702 `<=>` where `<=` is needed at <=>; GDL has no sign for `if and only if`: write \
                 `<=`; what no \
                 rule makes true is false"
                    .to_owned(),
            ),
            ("(if terminal (not some))", format!("E0702 `if` where `<=` is needed at if; {RULE}")),
            (
                "(terminal <= (not some))",
                "E0702 `<=` between its parts at (terminal <= (not some)); in GDL `<=` comes first: write \
                 `(<= terminal (not some))`"
                    .to_owned(),
            ),
            (
                "((not some) => terminal)",
                format!("E0702 `=>` between its parts at ((not some) => terminal); {RULE}"),
            ),
            (
                "(<=terminal (not some))",
                "E0702 a blank is missing behind `<=` at <=terminal; write `(<= terminal (not \
                 some))`"
                    .to_owned(),
            ),
            ("terminal :- not some.", format!("E0702 `:-` where `<=` is needed at :-; {outside}")),
            ("terminal <= (not some)", format!("E0702 a rule without its parentheses at <=; {outside}")),
        ] {
            assert_eq!(found(END, to), [told], "{to}");
        }
    }

    #[test]
    fn signs_may_be_names() {
        for to in [
            "(=< 1 2)",
            "(→ 1 2)",
            "(if 2 1)",
            "(if (f 1) (f 2))",
            "(iff on off)",
            "(order a => b)",
            "(≤ a b)",
            "(name \"top\" lamp)",
        ] {
            let text = format!("{END} {to}");
            let [] = found(END, &text)[..] else { panic!("{:?}", found(END, &text)) };
        }
    }

    #[test]
    fn texts_in_quotes_are_told() {
        let closed = "E0702 a text in quotes is no single name here at \"flat one\"; GDL has no quotes, \
                      and blanks \
                      separate names: write one word, such as `flat_one`";
        assert_eq!(found("(init (stone 1))", "(init (stone \"flat one\"))"), [closed]);
        let open = "E0702 the quote in `\"flat` is not closed at \"flat; GDL has no quotes: leave them \
                    out, and write a \
                    name of several words as one, such as `two_words`";
        assert_eq!(found("(init (stone 1))", "(init (stone \"flat))"), [open]);
    }

    #[test]
    fn a_conclusion_that_takes_up_its_conditions_is_told() {
        let goal = "(<= (goal ?p 0) (true (turn ?p)))";
        let told = "E0704 `goal` has 3 arguments instead of 2 at (goal ?p 0 (true (turn ?p))); close the \
                    conclusion \
                    before `(true (turn ?p))`: `(<= (goal ?p 0) (true (turn ?p)))`";
        assert_eq!(found(goal, "(<= (goal ?p 0 (true (turn ?p))))"), [told]);
        let told = "E0704 `goal` has 3 arguments instead of 2 at (goal ?p 0 some); close the conclusion \
                    before `some`: \
                    `(<= (goal ?p 0) some (true (turn ?p)))`";
        assert_eq!(found(goal, "(<= (goal ?p 0 some) (true (turn ?p)))"), [told]);
        // Here a term lacks its parentheses.
        let told = "E0704 `legal` has 4 arguments instead of 2 at (legal ann go 1 2); write `(legal ann \
                    (go 1 2))`";
        assert_eq!(found(goal, "(<= (legal ann go 1 2) (true (turn ann)))"), [told]);
        let told =
            "E0704 `goal` has 1 argument instead of 2 at (goal 0); name the role first, as in `(goal ann 0)`";
        assert_eq!(found(goal, "(<= (goal 0) (true (turn ?p)))"), [told]);
    }

    #[test]
    fn arguments_are_joined_in_the_words_of_the_sheet() {
        let rule = "(<= some (true (stone ?n)))";
        for (to, help) in [
            ("(<= some (true stone ?n))", "write `(true (stone ?n))`"),
            ("(<= some (true (stone) ?n))", "write `(true (stone ?n))`"),
            (
                "(<= some (true (stone ?n))) (<= (next (stone ?n)) (does ?p (take) ?n))",
                "write `(does ?p (take ?n))`",
            ),
            ("(<= some (true (stone ?n))) (legal wait)", "name the role first, as in `(legal ann wait)`"),
        ] {
            let told = found(rule, to);
            assert!(told.len() == 1 && told[0].ends_with(help), "{told:?}");
        }
    }

    #[test]
    fn several_roles_in_one_fact_are_told_apart() {
        let told = "E0704 `role` has 2 arguments instead of 1 at (role ann bob); write a fact for each role: \
                    `(role ann)` `(role bob)`";
        assert_eq!(found("(role ann) (role bob)", "(role ann bob)"), [told]);
    }

    #[test]
    fn two_negations_cancel() {
        let told = "E0702 `not` inside of `not` at (not (not some)); the two cancel: write `(not some)` in \
                    place \
                    of both";
        let end = "(<= terminal (not (not (not some))))";
        assert_eq!(found(END, end), [told]);
    }

    #[test]
    fn an_empty_or_is_never_true() {
        let told = "W0714 `or` without conditions is never true at (or); list the conditions of which one \
                    must hold, or \
                    remove it";
        assert_eq!(found(END, "(<= terminal (not some)) (<= terminal (or))"), [told]);
    }
}
