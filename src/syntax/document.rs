//! Recognises files of other kinds: documents, data, programs.

use std::ops::Range;

/// A file that is no text of rules.
pub(super) struct Document {
    /// The place that shows it.
    pub range: Range<usize>,
    pub title: String,
    pub help: &'static str,
}

/// Beginnings of files, with the kind of file and a way out.
const BEGINNINGS: [(&str, &str, &str); 10] = [
    ("{\\rtf", "a rich-text document (RTF)", PLAIN_TEXT),
    ("%PDF", "a PDF document", PLAIN_TEXT),
    ("<!DOCTYPE", "a web page (HTML)", PLAIN_TEXT),
    ("<html", "a web page (HTML)", PLAIN_TEXT),
    ("<?xml", "an XML document", PLAIN_TEXT),
    ("<svg", "a picture (SVG)", PLAIN_TEXT),
    ("{\"", "data in JSON", RULES),
    ("[{", "data in JSON", RULES),
    ("(role ", "a game in standard GDL (KIF)", RULES),
    ("(game ", "a game in Ludii's language", RULES),
];

/// Beginnings of lines that programs have and rules have not, with the name of the language.
const PROGRAM_LINES: [(&str, &str); 12] = [
    ("import ", "Python"),
    ("from ", "Python"),
    ("class ", "Python"),
    ("def __", "Python"),
    ("if __name__", "Python"),
    ("#include", "C"),
    ("#define", "C"),
    ("using namespace", "C++"),
    ("package ", "Java or Go"),
    ("public ", "Java"),
    ("fn main", "Rust"),
    ("console.log", "JavaScript"),
];

const PLAIN_TEXT: &str = "copy the rules into a file of plain text, as a text editor saves it";
const RULES: &str =
    "a file of rules begins with `game \"Name\";` and says the rules: `bouton new` writes one to start from";

/// Returns the kind of a file that has no `game` and looks like something else.
pub(super) fn recognize(text: &str) -> Option<Document> {
    let start = text.len() - text.trim_start().len();
    let rest = &text[start..];
    let squeezed: String = rest.chars().take(64).filter(|c| !c.is_whitespace() || *c == ' ').collect();
    let compact = squeezed.replace("{ \"", "{\"").replace("[ {", "[{");
    for (beginning, kind, help) in BEGINNINGS {
        if compact.starts_with(beginning) {
            let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
            return Some(Document {
                range: start..start + length,
                title: format!("this file is {kind}"),
                help,
            });
        }
    }
    if text.lines().any(|line| line.trim_start().starts_with("game \"")) {
        return None;
    }
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let words = line.trim_start();
        if let Some((_, language)) = PROGRAM_LINES.iter().find(|(begins, _)| words.starts_with(begins)) {
            let from = at + line.len() - words.len();
            let title = format!("this file looks like a program ({language}), not like rules");
            return Some(Document { range: from..from + words.trim_end().len(), title, help: RULES });
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_other_kinds_are_recognized() {
        let title = |text: &str| recognize(text).map(|found| found.title);
        assert!(title("{\\rtf1\\ansi game \"X\"; }").is_some_and(|title| title.contains("RTF")));
        assert!(title("\n { \"a\": 1 }").is_some_and(|title| title.contains("JSON")));
        let python = "x = 1\nimport random\n";
        let found = recognize(python).expect("a program");
        assert_eq!(&python[found.range], "import random");
        assert_eq!(title("game \"G\";\nimport x"), None);
        assert_eq!(title("def f(n: 0..3) = n;\n"), None, "a library");
    }
}
