//! The parser that pest generates from `grammar/bouton.pest`.

/// The generated parser.
#[derive(pest_derive::Parser)]
#[grammar = "../../grammar/bouton.pest"]
pub(super) struct Grammar;

#[cfg(test)]
mod tests {
    use super::*;
    use pest::Parser;

    const TEXT: &str = include_str!("../../grammar/bouton.pest");

    /// Each rule of the grammar file with its examples; true if documentation precedes it.
    fn rules() -> Vec<(String, Vec<String>, bool)> {
        let mut rules = Vec::new();
        let (mut examples, mut documented) = (Vec::<String>::new(), false);
        for line in TEXT.lines() {
            if let Some(example) = line.strip_prefix("// example: ") {
                examples.push(example.replace("\\u{1A}", "\u{1A}"));
            } else if let Some(more) = line.strip_prefix("//       | ") {
                let last = examples.last_mut().expect("a first line");
                last.push('\n');
                last.push_str(more);
            } else if line.starts_with("///") {
                documented = true;
            } else if let Some((name, _)) = line.split_once(" = ").filter(|(name, _)| !name.contains(' ')) {
                rules.push((name.to_owned(), std::mem::take(&mut examples), documented));
                documented = false;
            }
        }
        rules
    }

    #[test]
    fn the_examples_in_the_grammar_parse() {
        let keywords = rules().iter().position(|(name, ..)| name == "GAME").expect("keywords");
        let mut wrong = Vec::new();
        for (at, (name, examples, documented)) in rules().iter().enumerate() {
            let bare = ["WHITESPACE", "COMMENT"].contains(&name.as_str());
            if at <= keywords && !bare && (examples.is_empty() || !documented) {
                wrong.push(format!("{name} has no example or says nothing"));
            }
            let Some(rule) = Rule::all_rules().iter().find(|rule| format!("{rule:?}") == *name) else {
                wrong.push(format!("{name} is not in the parser"));
                continue;
            };
            for example in examples {
                match Grammar::parse(*rule, example) {
                    Ok(pairs) if pairs.as_str().len() == example.len() || is_silent(*rule) => {}
                    Ok(pairs) => wrong.push(format!("{name}: {example:?} is read as {:?}", pairs.as_str())),
                    Err(error) => wrong.push(format!("{name}: {example:?}: {error}")),
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    /// Returns true for silent rules: they give the pairs of their parts, which need not cover the example.
    fn is_silent(rule: Rule) -> bool {
        format!("{rule:?}").starts_with("e_") || matches!(rule, Rule::idc | Rule::reserved)
    }

    #[test]
    fn the_manual_and_the_grammar_reserve_the_same_words() {
        let body =
            TEXT.split("reserved = _{").nth(1).and_then(|rest| rest.split('}').next()).expect("the rule");
        let mut words: Vec<&str> = body.split('"').skip(1).step_by(2).collect();
        words.sort_unstable();
        let mut listed = crate::keywords::RESERVED_WORDS.to_vec();
        listed.sort_unstable();
        assert_eq!(words, listed);
    }

    #[test]
    fn no_reserved_word_is_a_name() {
        let names: Vec<&str> = crate::keywords::RESERVED_WORDS
            .into_iter()
            .filter(|word| Grammar::parse(Rule::ident, word).is_ok())
            .collect();
        assert!(names.is_empty(), "read as names: {names:?}");
    }
}
