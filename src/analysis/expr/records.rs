//! Records whose parts are written without the name of the record, or asked for by numbers; sets by their names.

use crate::analyzer::{Analyzer, Resolution};
use crate::locals::Locals;
use crate::symbols::{ConstValue, SymbolKind};
use bouton_base::source::Span;
use bouton_rules::{Expr, Record, Type, Value};
use bouton_syntax::ast::{self, CmpOp};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

impl<'a> Analyzer<'a> {
    /// Reports `White = man`, as the parts of a record side by side are read, where such a record is needed; returns true
    /// if it is that.
    pub(super) fn parts_of_a_record(
        &mut self,
        first: &ast::Expr,
        rest: &[(CmpOp, ast::Expr)],
        want: Option<&Type>,
        locals: &mut Locals,
    ) -> bool {
        let Some(Type::Record(id)) = want.map(|ty| ty.present().base()) else { return false };
        let [(CmpOp::Equal, last)] = rest else { return false };
        let record = self.rules.records[*id].clone();
        let [(_, one), (_, other)] = &record.parts[..] else { return false };
        let Some(trial) = self.begin_trial() else { return false };
        let made = [self.expr(first, Some(one), locals).ty, self.expr(last, Some(other), locals).ty];
        let is_known = self.end_trial(trial);
        if !is_known || !made[0].is_assignable_to(one) || !made[1].is_assignable_to(other) {
            return false;
        }
        let new = format!("{}({}, {})", record.name, print_expr(first), print_expr(last));
        let title = format!("a `{}` is made of both values, in brackets after its name", record.name);
        let span = first.span.to(last.span);
        let found = Diagnostic::new(Code::E0201, title, span, "its parts");
        self.report(found.help(format!("write `{new}`")).edit(span, new));
        true
    }

    /// Reports `d.eater` of a tuple with the types of a record's parts, one of which has this name; once for each
    /// record. Returns true if it is that.
    pub(super) fn tuple_for_a_record(&mut self, types: &[Type], part: &ast::Name, owner: Span) -> bool {
        let is_meant = |record: &Record| {
            let fits = |((_, of), ty): (&(String, Type), &Type)| ty.is_assignable_to(of);
            record.parts.len() == types.len()
                && record.parts.iter().any(|(name, _)| *name == part.text)
                && record.parts.iter().zip(types).all(fits)
        };
        let Some(record) = self.rules.records.iter().find(|record| is_meant(record)) else { return false };
        let (name, parts) = (record.name.clone(), record.parts.len());
        let names: Vec<&str> = record.parts.iter().map(|(name, _)| name.as_str()).collect();
        let title =
            format!("the parts of a tuple have no names; those of a `{name}` have: {}", names.join(", "));
        if self.diagnostics.iter().any(|found| found.title == title) {
            return true;
        }
        let found = Diagnostic::new(Code::E0101, title, part.span, "").label(owner, "this is a tuple");
        let tuples = self.constant_tuples(parts);
        let found = match tuples.first() {
            Some(first) => {
                found.label(first.span, "made here").help(format!("write `{name}{}`", print_expr(first)))
            }
            None => found.help(format!("make it with the name of the record: `{name}(...)`")),
        };
        let before = |tuple: &&ast::Expr| Span { end: tuple.span.start, ..tuple.span };
        self.report(tuples.iter().fold(found, |found, tuple| found.edit(before(tuple), name.clone())));
        true
    }

    /// The tuples of so many parts in the only constant that has some; none if several have.
    fn constant_tuples(&self, parts: usize) -> Vec<&'a ast::Expr> {
        let is_tuple =
            |of: &&ast::Expr| matches!(&*of.bare().kind, ast::ExprKind::Tuple(all) if all.len() == parts);
        let of_item = |kind: &'a ast::ItemKind| match kind {
            ast::ItemKind::Const { value, .. } => match &*value.bare().kind {
                ast::ExprKind::Set(elements) | ast::ExprKind::List(elements) => {
                    elements.iter().filter(is_tuple).collect()
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        let mut all: Vec<Vec<&'a ast::Expr>> = self.items().map(|(item, _)| of_item(&item.kind)).collect();
        all.retain(|tuples| !tuples.is_empty());
        if all.len() == 1 { all.swap_remove(0) } else { Vec::new() }
    }

    /// Adds advice to the last diagnostic, on `w[0]` of a record or of a member of an `enum`.
    pub(super) fn parts_for_numbers(&mut self, term: &str, ty: &Type) {
        let help = match ty.present().base() {
            Type::Record(id) => {
                let record = &self.rules.records[*id];
                let parts: Vec<String> =
                    record.parts.iter().map(|(part, _)| format!("`{term}.{part}`")).collect();
                format!("the parts of a `{}` have names: {}", record.name, parts.join(", "))
            }
            _ => match self.parts_of_members(term, ty) {
                Some(help) => help,
                None => return,
            },
        };
        if let Some(last) = self.diagnostics.last_mut()
            && matches!(last.code, Code::E0104 | Code::E0201)
            && last.help.is_none()
        {
            last.help = Some(help);
        }
    }

    /// The record that a string such as `"CAT"` spells, if each letter is a value of a part.
    pub(crate) fn record_of_letters(&self, made: &Expr, want: &Type) -> Option<String> {
        let (Some(Value::Text(text)), Type::Record(id)) = (made.constant(), want.present().base()) else {
            return None;
        };
        let record = &self.rules.records[*id];
        let letters: Vec<String> = text.chars().map(String::from).collect();
        let is_value = |(letter, (_, part)): (&String, &(String, Type))| match part.present().base() {
            Type::Sym(of) => self.rules.enums[*of].members.contains(letter),
            _ => false,
        };
        let fits = letters.len() == record.parts.len() && letters.iter().zip(&record.parts).all(is_value);
        fits.then(|| format!("{}({})", record.name, letters.join(", ")))
    }

    /// The set of the letters of a string, where a set of members with such names is needed: `{ A, R, T }` for "ART".
    pub(crate) fn set_of_letters(&self, made: &Expr, want: &Type) -> Option<String> {
        let (Some(Value::Text(text)), Type::Set(element)) = (made.constant(), want.present().base()) else {
            return None;
        };
        let Type::Sym(of) = element.base() else { return None };
        let letters: Vec<String> = text.chars().map(String::from).collect();
        let is_member = |(at, letter): (usize, &String)| {
            self.rules.enums[*of].members.contains(letter) && !letters[..at].contains(letter)
        };
        let fits = !letters.is_empty() && letters.iter().enumerate().all(is_member);
        fits.then(|| format!("{{ {} }}", letters.join(", ")))
    }

    /// The constant that names a type given by a set of values, if there is only one.
    pub(crate) fn constant_of_set(&self, ty: &Type) -> Option<&str> {
        let Type::Subset(among) = ty else { return None };
        let is_it = |kind: &SymbolKind<'_>| match kind {
            SymbolKind::Const { value: Resolution::Resolved(ConstValue::Plain(made)), .. } => {
                matches!(made.constant(), Some(Value::Set(values)) if values[..] == among.values[..])
            }
            _ => false,
        };
        let mut fitting = self.symbols.iter().filter(|(_, symbol)| is_it(&symbol.kind));
        let (name, _) = fitting.next()?;
        fitting.next().is_none().then_some(*name)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::diagnostics;
    use bouton_syntax::diag::{Code, Diagnostic};

    fn of_words(first: &str, condition: &str) -> Vec<Diagnostic> {
        let text = format!(
            "game \"Words\"; players A, B; enum Letter {{ C, U, T }} record Word(x: Letter, y: Letter, z: Letter);
             const lexicon = {{ Word(C, U, T), Word(T, U, C) }}; param coins: list of 1..9 = [3, 1];
             state {{ word: Word = {first}; n: 0..9 = 0; }}
             move go(w: lexicon, i: 1..2) as \"{{w.x}}{{i}}\" {{ when {condition}; word := w; n += i; }}
             end {{ when n = 9 => draw; when stuck => draw; }}"
        );
        diagnostics(&text).into_iter().filter(|found| found.code != Code::W0111).collect()
    }

    /// The title and the help of the only diagnostic.
    fn only(condition: &str) -> (String, String) {
        let found = of_words("Word(C, U, T)", condition);
        assert_eq!(found.len(), 1, "{condition}: {found:?}");
        (found[0].title.clone(), found[0].help.clone().unwrap_or_default())
    }

    #[test]
    fn letters_spell_a_record() {
        let found = of_words("\"CUT\"", "word != w").remove(0);
        assert_eq!(found.help.as_deref(), Some("write `Word(C, U, T)`"));
        assert_eq!(found.edits.len(), 1);
        let found = of_words("\"CAT\"", "word != w").remove(0);
        assert!(found.help.is_some_and(|help| help.starts_with("values are names")));
    }

    #[test]
    fn parts_have_names() {
        let parts = "the parts of a `Word` have names: `word.x`, `word.y`, `word.z`";
        assert_eq!(only("word[1] = C").1, parts);
        assert_eq!(only("w[1] = C").1, parts.replace("word.", "w."));
    }

    #[test]
    fn sets_have_names() {
        assert_eq!(only("w").0, "expected a condition, found a value of `lexicon`");
    }

    #[test]
    fn lists_are_not_called() {
        assert_eq!(only("coins(i) = 1").1, "write `coins[i]`");
    }

    #[test]
    fn fields_without_keys_have_no_owner() {
        let one = "the field `n` has one value for all players: write `n`; for a value of each declare `n[p: Player]`";
        assert_eq!(only("me.n = 1").1, one);
        assert_eq!(only("n < 9; me.n += 1").1, one);
    }

    #[test]
    fn directions_do_not_add() {
        let text = "game \"Steps\"; players A, B; board Cell = grid(2, 2); state { here: Cell = a1; }
             move go(d: Dir) as \"{d}\" { when d in { N, N + E }; here := here + d; }
             end { when here = b2 => draw; when stuck => draw; }";
        let found = diagnostics(text);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].title, "two directions do not add");
    }
}
