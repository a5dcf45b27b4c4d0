//! The facts and rules of a sheet in the Game Description Language with their places in the text, so that
//! messages about positions can show them.

use bouton_base::source::{FileId, Span};

/// A fact or a rule of a sheet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SheetClause {
    pub span: Span,
    /// The words of its head: the relation and the arguments; `(` stands for an argument that is a list.
    head: Vec<String>,
}

impl SheetClause {
    /// Returns true if it may give a role this goal: its role is the one given or a variable, and its value
    /// is the number itself.
    fn gives(&self, role: &str, value: i64) -> bool {
        match &self.head[..] {
            [_, of, number] => {
                (of.starts_with('?') || of.eq_ignore_ascii_case(role)) && *number == value.to_string()
            }
            _ => false,
        }
    }
}

/// The facts and rules of a sheet, in the order of the text.
#[derive(Debug)]
pub struct SheetClauses {
    clauses: Vec<SheetClause>,
}

impl SheetClauses {
    /// Reads the text of a sheet.
    pub fn of(text: &str, file: FileId) -> Self {
        let tokens = tokens(text);
        let mut clauses = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            let end = end_of(&tokens, at);
            let own = &tokens[at..end];
            let head = match own {
                [(_, "("), (_, "<="), rest @ ..] if !rest.is_empty() => &rest[..end_of(rest, 0)],
                whole => whole,
            };
            if let (Some((first, _)), Some((last, word))) = (own.first(), own.last()) {
                let span = Span::new(file, *first, last + word.len());
                clauses.push(SheetClause { span, head: words_of_head(head) });
            }
            at = end;
        }
        SheetClauses { clauses }
    }

    /// The clauses whose head has this relation.
    pub fn of_relation(&self, relation: &str) -> impl Iterator<Item = &SheetClause> {
        let is_it = move |clause: &&SheetClause| {
            clause.head.first().is_some_and(|of| of.eq_ignore_ascii_case(relation))
        };
        self.clauses.iter().filter(is_it)
    }

    /// The place of the only clause that may give a role this goal; `None` if there are several, or if a goal
    /// is not written as a number.
    pub fn goal(&self, role: &str, value: i64) -> Option<Span> {
        let is_plain =
            |clause: &SheetClause| clause.head.get(2).is_some_and(|word| word.parse::<i64>().is_ok());
        if !self.of_relation("goal").all(is_plain) {
            return None;
        }
        let mut fitting = self.of_relation("goal").filter(|clause| clause.gives(role, value));
        let only = fitting.next()?;
        fitting.next().is_none().then_some(only.span)
    }
}

/// The brackets and words of a text with their places; comments begin with `;`.
fn tokens(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let code = line.split(';').next().unwrap_or_default();
        let mut word: Option<usize> = None;
        for (at, c) in code.char_indices().chain([(code.len(), ' ')]) {
            let is_end = c.is_whitespace() || c == '(' || c == ')';
            if is_end && let Some(from) = word.take() {
                found.push((start + from, &code[from..at]));
            }
            match c {
                '(' | ')' => found.push((start + at, &code[at..at + 1])),
                _ if !is_end && word.is_none() => word = Some(at),
                _ => {}
            }
        }
        start += line.len();
    }
    found
}

/// The index after the list or word that begins at an index.
fn end_of(tokens: &[(usize, &str)], from: usize) -> usize {
    let mut depth = 0;
    for (at, (_, word)) in tokens.iter().enumerate().skip(from) {
        match *word {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        if depth <= 0 {
            return at + 1;
        }
    }
    tokens.len()
}

/// The words of a head.
fn words_of_head(head: &[(usize, &str)]) -> Vec<String> {
    let Some(((_, "("), inner)) = head.split_first() else {
        return head.iter().map(|(_, word)| (*word).to_owned()).collect();
    };
    let inner = &inner[..inner.len().saturating_sub(1)];
    let mut words = Vec::new();
    let mut at = 0;
    while at < inner.len() {
        words.push(inner[at].1.to_owned());
        at = end_of(inner, at);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_of_a_relation_are_found() {
        let text = "(role a) ; (goal a 5)\n(<= terminal (true (n 1)))\n(<= (goal ?r 100) (true (n ?x)))\n\
                    (goal b 0)\n";
        let clauses = SheetClauses::of(text, FileId(0));
        let shown = |span: Span| &text[span.start as usize..span.end as usize];
        let of =
            |relation| clauses.of_relation(relation).map(|clause| shown(clause.span)).collect::<Vec<_>>();
        assert_eq!(of("terminal"), ["(<= terminal (true (n 1)))"]);
        assert_eq!(of("goal").len(), 2);
        assert_eq!(clauses.goal("b", 0).map(shown), Some("(goal b 0)"));
        assert_eq!(clauses.goal("a", 100).map(shown), Some("(<= (goal ?r 100) (true (n ?x)))"));
        assert_eq!(clauses.goal("a", 50), None);
    }
}
