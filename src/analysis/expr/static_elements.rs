//! Elements of sets that satisfy a condition which is known before play: the reasons of terms without a value and of
//! conditions that never hold.

use crate::analyzer::Analyzer;
use crate::locals::{ExprPlace, Locals};
use bouton_base::source::Span;
use bouton_rules::{Domain, Pattern, Value};
use bouton_syntax::ast::{self, BinaryOp, ExprKind as A, Quantifier, UnaryOp};

/// The most elements of a set that are tried.
const ELEMENTS: usize = 4096;

/// The elements of a set, in words, by a condition on them.
struct Elements {
    fits: Vec<String>,
    fails: Vec<String>,
}

impl<'a> Analyzer<'a> {
    /// Adds to the last report, if it has no help, why `one x in S: f`, or the least or greatest element, has no value.
    pub(crate) fn explain_no_value(&mut self, words: &ast::Expr) {
        let Some(help) = self.reason_of_no_value(words) else { return };
        if let Some(found) = self.diagnostics.last_mut().filter(|found| found.help.is_none()) {
            found.help = Some(help);
        }
    }

    /// The reason why a term has no value: that of the first of its parts without one.
    fn reason_of_no_value(&mut self, words: &ast::Expr) -> Option<String> {
        let words = words.bare();
        match &*words.kind {
            A::Quant(Quantifier::One, binders, body) => {
                let [binder] = &binders[..] else { return None };
                let elements = self.known_elements(binder, Some(body))?;
                Some(match &elements.fits[..] {
                    [] => "`one` needs exactly one element, and none fits".to_owned(),
                    [_] => return None,
                    [a, b] => format!("`one` needs exactly one element, and two fit: {a} and {b}"),
                    [a, b, ..] => {
                        let number = elements.fits.len();
                        format!("`one` needs exactly one element, and {number} fit, {a} and {b} among them")
                    }
                })
            }
            A::Quant(of @ (Quantifier::Min | Quantifier::Max), binders, _) => {
                let [binder] = &binders[..] else { return None };
                let elements = self.known_elements(binder, None)?;
                let word = if *of == Quantifier::Min { "min" } else { "max" };
                elements.fits.is_empty().then(|| format!("`{word}` needs an element, and none is left here"))
            }
            // A term without a value makes those around it undefined.
            A::Part(base, _) | A::Unary(UnaryOp::Count | UnaryOp::Negate, base) => {
                self.reason_of_no_value(base)
            }
            A::Binary(op, left, right) if !is_connective(*op) => {
                self.reason_of_no_value(left).or_else(|| self.reason_of_no_value(right))
            }
            A::Index(_, parts) | A::Call(_, parts) => {
                parts.iter().find_map(|part| self.reason_of_no_value(part))
            }
            _ => None,
        }
    }

    /// The part of a condition that is false before play begins, with the reason.
    pub(crate) fn reason_of_falsity(&mut self, words: &ast::Expr) -> Option<(Span, String)> {
        let words = words.bare();
        let parts = super::operands(BinaryOp::And, words);
        if parts.len() > 1 {
            let part = parts.into_iter().find(|part| self.is_false(part))?;
            return Some(
                self.reason_of_falsity(part).unwrap_or((part.span, "this part is false".to_owned())),
            );
        }
        let A::Quant(of @ (Quantifier::All | Quantifier::Some | Quantifier::No), binders, body) =
            &*words.kind
        else {
            return None;
        };
        let [binder] = &binders[..] else { return None };
        let ast::Pattern::Name(name) = &binder.pattern else { return None };
        let elements = self.known_elements(binder, Some(body))?;
        let (contrary, word) = match of {
            Quantifier::All => (&elements.fails, "false"),
            Quantifier::No => (&elements.fits, "true"),
            _ if elements.fits.is_empty() => {
                return Some((body.span, format!("false for each `{}`", name.text)));
            }
            _ => return None,
        };
        let first = contrary.first()?;
        Some((body.span, format!("{word} for `{} = {first}`", name.text)))
    }

    /// Returns true for a condition that is false before play begins.
    fn is_false(&mut self, words: &ast::Expr) -> bool {
        let Some(trial) = self.begin_trial() else { return false };
        let made = self.formula(words, &mut Locals::new(ExprPlace::Rule));
        self.end_trial(trial) && Self::constant_truth(&made) == Some(false)
    }

    /// The number of the elements of a set, which pass the filter of their binder, if they are known before play.
    pub(super) fn number_of_elements(&mut self, binder: &ast::Binder) -> Option<usize> {
        self.known_elements(binder, None).map(|elements| elements.fits.len())
    }

    /// The elements of a set, which pass the filter of their binder, by a condition that reads no state; all fit if there
    /// is no condition.
    fn known_elements(&mut self, binder: &ast::Binder, body: Option<&ast::Expr>) -> Option<Elements> {
        let trial = self.begin_trial()?;
        let mut locals = Locals::constant();
        let made = self.binders(std::slice::from_ref(binder), &mut locals);
        let body = match &made {
            Some(_) => body.map(|body| self.formula(body, &mut locals)),
            None => None,
        };
        let is_sound = self.end_trial(trial);
        let made = made?.pop().filter(|_| is_sound)?;
        let (Pattern::Var(var), Domain::Fixed(values)) = (&made.pattern, &made.domain) else { return None };
        if values.len() > ELEMENTS {
            return None;
        }
        let mut elements = Elements { fits: Vec::new(), fails: Vec::new() };
        for value in values.iter() {
            let mut holds = Vec::new();
            for condition in made.condition.iter().chain(&body) {
                let holds_here = match self.is_static(condition) {
                    true => self.constant_value(&[(*var, value.clone())], condition).ok()?,
                    false => return None,
                };
                holds.push(holds_here.as_ref().and_then(Value::as_bool) == Some(true));
            }
            let is_element = made.condition.is_none() || holds[0];
            let place = if holds.last() == Some(&false) { &mut elements.fails } else { &mut elements.fits };
            if is_element {
                place.push(self.rules.show(value));
            }
        }
        Some(elements)
    }
}

/// Returns true for an operator of conditions, which are false where a term in them has no value.
fn is_connective(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Implies | BinaryOp::Iff)
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    #[test]
    fn one_needs_exactly_one() {
        let help = |field: &str, code: Code| {
            let text = format!(
                "game \"One\"; players A, B; board Cell = grid(3, 3); const mark[c: Cell]: bool = c in {{ a1, b2 }};
                 {field} move go(c: Cell) as \"{{c}}\" {{ when c in here.neighbors; here := c; }}
                 end {{ when here = c3 => mover loses; repeat => draw; }}"
            );
            let found = found(&text, code);
            assert!(found.iter().all(|found| found.edits.is_empty()));
            found.into_iter().filter_map(|found| found.help).collect::<Vec<_>>()
        };
        let field = |value: &str| format!("state {{ here: Cell = {value}; }}");
        let two = "`one` needs exactly one element, and two fit: a1 and b2";
        assert_eq!(help(&field("one c in Cell: mark[c]"), Code::E0301), [two]);
        let none = "`one` needs exactly one element, and none fits";
        assert_eq!(help(&field("one c in Cell where mark[c]: c.row = 3"), Code::E0301), [none]);
        let many = "`one` needs exactly one element, and 7 fit, b1 and c1 among them";
        assert_eq!(help(&field("one c in Cell: not mark[c]"), Code::E0301), [many]);
        assert!(help(&field("one c in Cell: mark[c] and c.row = 1"), Code::E0301).is_empty());
        assert_eq!(help(&field("(one c in Cell: mark[c]) + N"), Code::E0301), [two]);
        let start = "const start = one c in Cell: mark[c]; state { here: Cell = start; }";
        assert_eq!(help(start, Code::E0201), [two]);
        let least =
            "const least = min c in Cell where c.col > 5: c.row; state { here: Cell = Cell(least, 1); }";
        assert_eq!(help(least, Code::E0201), ["`min` needs an element, and none is left here"]);
    }
}
