//! Signs of mathematics whose meaning follows from their place: the arrow `→` and the relations of sets
//! `⊆`, `⊂`, `⊇`; and the `!` of `vec![3, 2]`.

use crate::diag::{Code, Diagnostic};
use crate::lex::Token;
use bouton_base::source::{FileId, Span};

use super::lexical::Damage;

/// The maximal number of bytes before an arrow in which the clause or the arm begins that it belongs to.
const MAX_LOOK_BACK: usize = 2000;

/// Words of outcomes, one of which stands behind the arrow of an end rule.
const OUTCOMES: [&str; 9] = ["wins", "loses", "draw", "win", "lose", "payoff", "highest", "lowest", "again"];

/// The damage of a sign whose meaning follows from its place, if it is one.
pub(super) fn sign_by_its_place(file: FileId, text: &str, token: Token) -> Option<Damage> {
    macro_of_a_list(file, text, token).or_else(|| set_relation(file, text, token)).or_else(|| {
        let (ours, finding) = arrow(file, text, token)?;
        Some(Damage {
            range: token.start..token.end,
            replacement: format!(" {ours} "),
            finding: Some(finding),
            group: None,
        })
    })
}

/// The damage of `vec!` before a list.
fn macro_of_a_list(file: FileId, text: &str, token: Token) -> Option<Damage> {
    let before = &text[..token.start];
    let rest = text[token.end..].trim_start_matches(' ');
    let name = ["vec", "list", "array"].into_iter().find(|name| before.ends_with(name))?;
    let start = token.start - name.len();
    let is_word = !before[..start].ends_with(|c: char| c == '_' || c.is_ascii_alphanumeric());
    let list = rest.get(..=rest.find(']')?).filter(|_| rest.starts_with('[') && is_word)?;
    if token.text(text) != "!" || list.contains(['\n', '{']) {
        return None;
    }
    let end = text.len() - rest.len();
    let title = "a list stands in square brackets, without a word before them";
    let found = |span: Span| Diagnostic::new(Code::E0013, title, span, "");
    if let Some((value, count)) = list[1..list.len() - 1].split_once(';') {
        // `vec![0; 3]`
        let count = count.trim().parse::<usize>().ok().filter(|count| (1..=12).contains(count))?;
        let new = format!("[{}]", vec![value.trim(); count].join(", "));
        let span = Span::new(file, start, end + list.len());
        let finding = found(span).help(format!("write `{new}`")).edit(span, new.clone());
        return Some(Damage {
            range: start..end + list.len(),
            replacement: new,
            finding: Some(finding),
            group: None,
        });
    }
    let span = Span::new(file, start, end);
    let finding = found(span).help(format!("write `{list}`")).edit(span, "");
    Some(Damage { range: start..end, replacement: String::new(), finding: Some(finding), group: None })
}

/// The damage of a sign of mathematics between two sets.
fn set_relation(file: FileId, text: &str, token: Token) -> Option<Damage> {
    let sign = token.text(text);
    let range = token.start..token.end;
    let span = Span::new(file, token.start, token.end);
    let title = format!("that each element of a set is in another is written `in`, not `{sign}`");
    let found = Diagnostic::new(Code::E0013, title, span, "");
    let terms = terms_around(text, token);
    let quoted = |(left, right): &(std::ops::Range<usize>, std::ops::Range<usize>)| {
        (text[left.clone()].to_owned(), text[right.clone()].to_owned())
    };
    let (left, right) = terms.as_ref().map_or(("A".to_owned(), "B".to_owned()), quoted);
    let damage = |replacement: &str, finding| Damage {
        range: range.clone(),
        replacement: replacement.to_owned(),
        finding: Some(finding),
        group: None,
    };
    Some(match sign {
        "\u{2286}" => damage(" in ", found.help(format!("write `{left} in {right}`")).edit(span, "in")),
        "\u{2288}" => {
            let found = found.help(format!("write `{left} not in {right}`"));
            damage(" not in ", found.edit(span, "not in"))
        }
        "\u{2287}" => match terms {
            Some((one, other)) => {
                let new = format!("{right} in {left}");
                let whole = Span::new(file, one.start, other.end);
                let finding = found.help(format!("write `{new}`")).edit(whole, new.clone());
                Damage { range: one.start..other.end, replacement: new, finding: Some(finding), group: None }
            }
            None => damage(" in ", found.help("write `B in A` for `A` with all of `B`")),
        },
        "\u{2282}" | "\u{228a}" => damage(
            " in ",
            found.help(format!(
                "write `{left} in {right}` if the two may be equal, \
                 `{left} in {right} and {left} != {right}` if not"
            )),
        ),
        "\u{2283}" | "\u{228b}" => damage(
            " in ",
            found.help(format!(
                "write `{right} in {left}` if the two may be equal, \
                 `{right} in {left} and {right} != {left}` if not"
            )),
        ),
        _ => return None,
    })
}

/// The places of the two terms beside a sign: names with what belongs to them, or brackets.
fn terms_around(text: &str, token: Token) -> Option<(std::ops::Range<usize>, std::ops::Range<usize>)> {
    let is_part = |c: char| c == '_' || c == '.' || c.is_ascii_alphanumeric();
    let before = text[..token.start].trim_end_matches(' ');
    let mut start = before.len();
    while let Some(open) = opening(&before[..start]) {
        let has_name = before[..open].ends_with(is_part);
        start = open;
        if !has_name {
            break;
        }
    }
    start = before[..start].trim_end_matches(is_part).len();
    let from = text.len() - text[token.end..].trim_start_matches(' ').len();
    let rest = &text[from..];
    let mut length = rest.len() - rest.trim_start_matches(is_part).len();
    while rest[length..].starts_with(['(', '[']) || length == 0 && rest.starts_with('{') {
        length += closing(&rest[length..])?;
    }
    // An operator beside them makes the term longer.
    let ends = |text: &str| !text.trim_start().starts_with(['+', '-', '*', '|', '&', '.']);
    let is_alone = !before[..start].trim_end().ends_with(['+', '-', '*', '|', '&', '.', '#']);
    let (left, right) = (start..before.len(), from..from + length);
    let is_plain = text[right.clone()].is_ascii() && text[left.clone()].is_ascii();
    (!left.is_empty() && !right.is_empty() && is_plain && is_alone && ends(&rest[length..]))
        .then_some((left, right))
}

/// The opening partner of the bracket that a text ends with.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    text.ends_with([')', ']', '}']).then_some(())?;
    for (at, c) in text.char_indices().rev() {
        match c {
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' => depth = depth.checked_sub(1)?,
            ';' | '\n' => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The length of the bracket that a text begins with, up to its partner.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            ';' | '\n' => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// The meaning of an arrow `→` between conditions, before an outcome, or before the value of an arm.
fn arrow(file: FileId, text: &str, token: Token) -> Option<(&'static str, Diagnostic)> {
    let arrow = token.text(text);
    if arrow != "\u{2192}" {
        return None;
    }
    let from = (token.start.saturating_sub(MAX_LOOK_BACK)..).find(|&at| text.is_char_boundary(at))?;
    let before = &text[from..token.start];
    let start = start_of_clause(before);
    let clause = before[start..].trim_start();
    let open = before.rfind('{').unwrap_or(0);
    let is_arm = before[..open].rsplit([';', '{', '}']).next().is_some_and(|head| {
        head.split_whitespace().any(|word| word == "match") && !before[open..].contains(['}', ';'])
    });
    let begins = |heads: &[&str]| heads.iter().any(|head| clause.starts_with(head));
    let is_rule = begins(&["when ", "for ", "repeat"]);
    let rest = text[token.end..].split([';', '}']).next().unwrap_or_default();
    let is_last = !rest.contains("=>") && !rest.contains('\u{2192}');
    let leads_to_an_outcome =
        rest.split(|c: char| c != '_' && !c.is_ascii_alphanumeric()).any(|word| OUTCOMES.contains(&word));
    let is_definition = begins(&["def ", "inductive "]) && clause.contains('=')
        || begins(&["invariant "]) && clause.contains(':')
        || begins(&["ensure "]);
    let ours = match () {
        () if is_arm => "=>",
        () if is_rule && is_last && leads_to_an_outcome => "=>",
        () if is_rule || is_definition => "implies",
        () => return None,
    };
    let span = Span::new(file, token.start, token.end);
    let found = Diagnostic::new(Code::E0013, format!("`{arrow}` is written `{ours}` here"), span, "");
    Some((ours, found.help(format!("write `{ours}`")).edit(span, format!(" {ours} "))))
}

/// The first byte of the clause that goes on at the end of a text, without the comments before it.
fn start_of_clause(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut start = 0;
    for (at, c) in text.char_indices().rev() {
        match c {
            ')' | ']' => depth += 1,
            '(' | '[' => depth = depth.saturating_sub(1),
            ';' | '{' | '}' => {
                start = at + 1;
                break;
            }
            ',' if depth == 0 => {
                start = at + 1;
                break;
            }
            _ => {}
        }
    }
    loop {
        let rest = &text[start..];
        let blanks = rest.len() - rest.trim_start().len();
        if !rest[blanks..].starts_with("//") {
            return start;
        }
        match rest[blanks..].find('\n') {
            Some(end) => start += blanks + end,
            None => return start,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    /// A text with one blank in place of several.
    fn spaced(text: &str) -> String {
        text.replace("  ", " ")
    }

    #[test]
    fn lists_have_no_macro() {
        let text = |list: &str| format!("const sizes = {list};\n");
        for (theirs, ours) in [("vec![3, 2]", "[3, 2]"), ("list![n]", "[n]"), ("vec![0; 3]", "[0, 0, 0]")] {
            assert_eq!(mended(&text(theirs)), text(ours), "{theirs}");
            assert_eq!(titles(&text(theirs)).len(), 1, "{theirs}");
            assert_eq!(helps(&text(theirs)), [format!("write `{ours}`")]);
        }
    }

    #[test]
    fn parts_of_sets_are_told_by_in() {
        let text = |f: &str| format!("def f(p: Player) = {f};\n");
        for (theirs, ours) in [
            ("{ a, b } \u{2286} own[p]", "{ a, b } in own[p]"),
            ("own[p] \u{2287} { a, b } and done", "{ a, b } in own[p] and done"),
            ("held(p) \u{2288} own[p]", "held(p) not in own[p]"),
        ] {
            assert_eq!(spaced(&mended(&text(theirs))), text(ours), "{theirs}");
            assert_eq!(titles(&text(theirs)).len(), 1, "{theirs}");
        }
        let strict = text("a \u{2282} own[p]");
        assert_eq!(mended(&strict), strict);
        assert_eq!(
            helps(&strict),
            ["write `a in own[p]` if the two may be equal, `a in own[p] and a != own[p]` if not"]
        );
        let longer = text("own[p] | own[q] \u{2287} { a }");
        assert_eq!(mended(&longer), longer);
        assert_eq!(titles(&longer).len(), 1);
    }

    #[test]
    fn arrows_mean_what_their_place_says() {
        for (theirs, ours) in [
            ("end { when n = 0 \u{2192} m = 0 => draw; }", "end { when n = 0 implies m = 0 => draw; }"),
            ("end { when n = 0 \u{2192} m = 0 \u{2192} draw; }", "end { when n = 0 implies m = 0 => draw; }"),
            ("end { when f(n, 0) \u{2192} A wins; }", "end { when f(n, 0) => A wins; }"),
            ("/// Says it.\ndef f = n = 0 \u{2192} m = 0;", "/// Says it.\ndef f = n = 0 implies m = 0;"),
            ("invariant i: n = 0 \u{2192} m = 0;", "invariant i: n = 0 implies m = 0;"),
            (
                "move up() { when n = 0 \u{2192} m = 0; m := 1; }",
                "move up() { when n = 0 implies m = 0; m := 1; }",
            ),
        ] {
            let (theirs, ours) = (format!("{theirs}\n"), format!("{ours}\n"));
            assert_eq!(spaced(&mended(&theirs)), ours, "{theirs}");
            assert!(titles(&theirs).iter().all(|title| title.contains("is written")), "{theirs}");
        }
    }
}
