//! Advice on terms that do not fit together: what the writer may have meant, by their types and the names in scope.

use super::listed_players::listed_player;
use super::set_words::list_for_a_set;
use crate::analyzer::Analyzer;
use crate::locals::{ExprPlace, Locals};
use bouton_base::source::Span;
use bouton_rules::{EnumKind, Expr, ExprKind, FieldId, PLAYER, RecordId, Type, Value};
use bouton_syntax::ast::{self, ItemKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

/// A comparison by `=` or `!=` whose sides have no value in common.
#[derive(Clone, Copy)]
pub(super) struct Mismatch<'e> {
    pub left: &'e ast::Expr,
    pub right: &'e ast::Expr,
    /// The types of the sides.
    pub types: [&'e Type; 2],
    /// The values of the sides, if they are known.
    pub constants: [Option<&'e Value>; 2],
    pub is_unequal: bool,
}

/// A side of a comparison, beside the other.
#[derive(Clone, Copy)]
pub(super) struct Side<'e> {
    pub words: &'e ast::Expr,
    pub ty: &'e Type,
    pub value: Option<&'e Value>,
}

impl<'e> Mismatch<'e> {
    /// Both sides, the left first.
    pub(super) fn sides(self) -> [Side<'e>; 2] {
        let side = |words, index: usize| Side { words, ty: self.types[index], value: self.constants[index] };
        [side(self.left, 0), side(self.right, 1)]
    }

    pub(super) fn sign(self) -> &'static str {
        if self.is_unequal { "!=" } else { "=" }
    }

    /// The whole comparison.
    fn span(self) -> Span {
        self.left.span.to(self.right.span)
    }
}

/// Advice in words, with the edits that carry it out; without edits if only the writer knows.
pub(crate) struct Advice {
    help: String,
    edits: Vec<(Span, String)>,
}

impl Advice {
    pub(crate) fn new(help: impl Into<String>) -> Advice {
        Advice { help: help.into(), edits: Vec::new() }
    }

    pub(crate) fn edit(mut self, span: Span, text: impl Into<String>) -> Advice {
        self.edits.push((span, text.into()));
        self
    }

    /// Adds the advice to a diagnostic.
    pub(crate) fn on(self, found: Diagnostic) -> Diagnostic {
        self.edits.into_iter().fold(found.help(self.help), |found, (span, text)| found.edit(span, text))
    }
}

impl<'a> Analyzer<'a> {
    /// Reports a comparison whose sides have no value in common, if it is clear what was meant; returns true then.
    pub(super) fn mismatch(&mut self, of: Mismatch<'_>, locals: &Locals) -> bool {
        if of.types.iter().any(|ty| matches!(ty.base(), Type::Error | Type::Never)) {
            return false;
        }
        let [left, right] = of.sides();
        let pairs = [(left, right), (right, left)];
        let advice = pairs.iter().find_map(|&(side, other)| self.empty_value(of, side, other));
        let advice = advice.or_else(|| pairs.iter().find_map(|&(side, other)| self.part_of(of, side, other)));
        let advice =
            advice.or_else(|| pairs.iter().find_map(|&(side, other)| whole_record(self, side, other)));
        let advice =
            advice.or_else(|| pairs.iter().find_map(|&(side, other)| self.place_of(of, side, other, locals)));
        let advice = advice
            .or_else(|| pairs.iter().find_map(|&(side, other)| self.cells_of_set(of, side, other, locals)));
        let advice = advice
            .or_else(|| pairs.iter().find_map(|&(side, other)| self.element_of(of, side, other, locals)));
        let advice =
            advice.or_else(|| pairs.iter().find_map(|&(side, other)| self.value_of_a_key(of, side, other)));
        let advice =
            advice.or_else(|| pairs.iter().find_map(|&(side, other)| size_of_a_set(of, side, other)));
        let advice =
            advice.or_else(|| pairs.iter().find_map(|&(side, other)| self.cell_as_a_number(of, side, other)));
        let advice = advice.or_else(|| {
            pairs.iter().find_map(|&(side, other)| self.player_as_a_number(of, side, other, locals))
        });
        let Some(advice) = advice else { return false };
        let (a, b) = (self.describe_type(left.ty), self.describe_type(right.ty));
        let title = self.never_equal_title(of.types, of.is_unequal);
        let found = Diagnostic::new(Code::E0202, title, of.span(), "");
        let found = found.label(left.words.span, format!("this is {a}"));
        let found = found.label(right.words.span, format!("this is {b}"));
        self.report(advice.on(found));
        true
    }

    /// `at[c] = 0`, `at[c] = false`, `at[c] = ""`, where what is empty has the value `none`.
    fn empty_value(&self, of: Mismatch<'_>, side: Side<'_>, other: Side<'_>) -> Option<Advice> {
        if !side.ty.is_option() || side.value.is_some() {
            return None;
        }
        let term = print_expr(side.words.bare());
        match other.value? {
            Value::Int(0) | Value::Bool(false) => {}
            Value::Text(text) if text.trim().is_empty() => {}
            Value::Bool(true) => {
                let sign = if of.is_unequal { "=" } else { "!=" };
                let help = format!(
                    "`{term} {sign} none` asks whether there is {} value",
                    if of.is_unequal { "no" } else { "a" }
                );
                return Some(Advice::new(help));
            }
            _ => return None,
        }
        let help = format!("what is empty has the value `none`: `{term} {} none`", of.sign());
        Some(Advice::new(help).edit(other.words.span, "none"))
    }

    /// `at[c] = king`, where `at[c]` is a record of which a part has such values.
    fn part_of(&self, of: Mismatch<'_>, side: Side<'_>, other: Side<'_>) -> Option<Advice> {
        let Type::Record(record) = *side.ty.present().base() else { return None };
        let part = self.only_part(record, other.ty)?;
        let (term, value) = (print_expr(side.words.bare()), print_expr(other.words.bare()));
        let help = format!("its {part} is `{term}.{part}`: write `{term}.{part} {} {value}`", of.sign());
        let end = Span { start: side.words.span.end, ..side.words.span };
        Some(Advice::new(help).edit(end, format!(".{part}")))
    }

    /// The only part of a record that has values of a type.
    fn only_part(&self, record: RecordId, ty: &Type) -> Option<String> {
        let mut fitting = self.rules.records[record].parts.iter().filter(|(_, of)| is_like(of, ty));
        let (part, _) = fitting.next()?;
        fitting.next().is_none().then(|| part.clone())
    }

    /// `c = me`, where `c` is a cell, and a field says what stands there.
    fn place_of(&self, of: Mismatch<'_>, side: Side<'_>, other: Side<'_>, locals: &Locals) -> Option<Advice> {
        let board = self.board_of(side.ty)?;
        let fields = self.fields_by(self.rules.boards[board].cells);
        let mut fitting = fields.into_iter().filter(|id| is_like(&self.rules.fields[*id].ty, other.ty));
        let field = fitting.next().filter(|_| fitting.next().is_none())?;
        let name = &self.rules.fields[field].name;
        let (cell, value) = (print_expr(side.words.bare()), print_expr(other.words.bare()));
        if value == format!("{name}[{cell}]") {
            return None;
        }
        let (there, sign) = (format!("{name}[{cell}]"), of.sign());
        let what = format!("a cell is only a place, and what stands there is `{there}`");
        if self.known_to_be_empty(of.span(), &there).is_some() {
            let is_player = *other.ty.present() == Type::Sym(PLAYER);
            // A player who is named stands nowhere else in this comparison.
            let is_named = matches!(other.words.bare().as_name(), Some("me" | "opponent" | "mover"))
                || other.value.is_some();
            if is_player && is_named {
                let truth = if of.is_unequal { "true" } else { "false" };
                return Some(Advice::new(format!(
                    "{what}, which is `none` by a condition of this move: `{there} {sign} {value}` would always be {truth}, \
                     so leave this condition out, or ask another cell"
                )));
            }
            let is_of_two = is_player && self.rules.players().len() == 2;
            return Some(Advice::new(match is_of_two && locals.place == ExprPlace::Move {
                true => format!(
                    "{what}, which is `none` by a condition of this move: write `{value} {sign} me` or `{value} {sign} \
                     opponent`"
                ),
                false => {
                    format!(
                        "{what}, which is `none` by a condition of this move: write the value that is meant"
                    )
                }
            }));
        }
        let help = format!("{what}: write `{there} {sign} {value}`");
        Some(Advice::new(help).edit(side.words.span, format!("{name}[{cell}]")))
    }

    /// `t = left`, where `t` is a member of an `enum`, and just one field says for each of them which it has.
    fn value_of_a_key(&self, of: Mismatch<'_>, side: Side<'_>, other: Side<'_>) -> Option<Advice> {
        let Type::Sym(key) = *side.ty.present().base() else { return None };
        if self.rules.enums[key].kind != EnumKind::User || !matches!(other.ty.present().base(), Type::Sym(_))
        {
            return None;
        }
        let fields = self.fields_by(key);
        let mut fitting = fields.into_iter().filter(|id| is_like(&self.rules.fields[*id].ty, other.ty));
        let field = fitting.next().filter(|_| fitting.next().is_none())?;
        let name = &self.rules.fields[field].name;
        let (member, value) = (print_expr(side.words.bare()), print_expr(other.words.bare()));
        let there = format!("{name}[{member}]");
        if value == there {
            return None;
        }
        let (each, what) =
            (self.rules.show_type(side.ty.present()), self.rules.show_type(other.ty.present()));
        let help =
            format!("`{name}` has the `{what}` of each `{each}`: write `{there} {} {value}`", of.sign());
        Some(Advice::new(help).edit(side.words.span, there))
    }

    /// The fields whose only key is of this enum.
    fn fields_by(&self, key: bouton_rules::EnumId) -> Vec<FieldId> {
        let is_key = |id: &FieldId| matches!(&self.rules.fields[*id].keys[..], [only] if *only.ty.base() == Type::Sym(key));
        self.rules.fields.ids().filter(is_key).collect()
    }

    /// `lines(Cell, 3) = p` and `row = p`, where each cell of a set is meant.
    fn cells_of_set(
        &self,
        of: Mismatch<'_>,
        side: Side<'_>,
        other: Side<'_>,
        locals: &Locals,
    ) -> Option<Advice> {
        let Type::Set(element) = side.ty.base() else { return None };
        let (cell, is_set_of_sets) = match element.base() {
            Type::Set(inner) => (inner.base(), true),
            other => (other, false),
        };
        let Type::Sym(cells) = *cell else { return None };
        let EnumKind::Cells(_) = self.rules.enums[cells].kind else { return None };
        let fields = self.fields_by(cells);
        let field = fields.into_iter().find(|id| is_like(&self.rules.fields[*id].ty, other.ty))?;
        let name = &self.rules.fields[field].name;
        let (set, value) = (print_expr(side.words.bare()), print_expr(other.words.bare()));
        let (sign, var) = (of.sign(), if locals.has("c") { "x" } else { "c" });
        Some(Advice::new(match is_set_of_sets {
            true => format!("write `some l in {set}: all {var} in l: {name}[{var}] {sign} {value}`"),
            false => {
                let of_all =
                    format!("`all {var} in {set}: {name}[{var}] {sign} {value}`, or `some` for one of them");
                match self.key_of(name, other.words) {
                    // `at[c] != burnt`: is c one of them?
                    Some(key) => {
                        let word = if of.is_unequal { "not in" } else { "in" };
                        format!(
                            "a set of cells is only places: whether `{key}` is one of them is `{key} {word} {set}`; of the \
                             values there, write {of_all}"
                        )
                    }
                    None => format!("a set of cells is only places: write {of_all}"),
                }
            }
        }))
    }

    /// The key in `at[c]`, of the field with this name.
    fn key_of(&self, name: &str, words: &ast::Expr) -> Option<String> {
        match &*words.bare().kind {
            ast::ExprKind::Index(of, keys) if of.bare().as_name() == Some(name) => match &keys[..] {
                [key] => Some(print_expr(key)),
                _ => None,
            },
            _ => None,
        }
    }

    /// `b = a.neighbors`, where an element is compared with its set.
    fn element_of(
        &mut self,
        of: Mismatch<'_>,
        side: Side<'_>,
        other: Side<'_>,
        locals: &Locals,
    ) -> Option<Advice> {
        let Type::Set(element) = other.ty.base() else { return None };
        if Type::join(element, side.ty).is_none() || **element == Type::Never {
            return None;
        }
        let word = if of.is_unequal { "not in" } else { "in" };
        let (value, set) = (print_expr(side.words.bare()), print_expr(other.words.bare()));
        if *other.ty.element()? == Type::Sym(PLAYER) && other.words.as_name() == Some("Player") {
            return (locals.place == ExprPlace::Move)
                .then(|| Advice::new("`Player` is the set of all players: the one who moves is `me`"));
        }
        let is_first = side.words.span.start < other.words.span.start;
        let is_number = matches!(side.ty.present().base(), Type::Int(..));
        // A number beside a set may be its size.
        if is_number && !(is_first && matches!(&*other.words.bare().kind, ast::ExprKind::Range(..))) {
            return Some(Advice::new(format!(
                "`{value} {word} {set}` asks whether the number is one of them; how many there are is `#S`, or `(count x in S: f)`"
            )));
        }
        if !is_first {
            return Some(Advice::new(format!(
                "a set has many elements: write `{value} {word} {set}`, or `{set} {} {{ {value} }}` of the only one",
                of.sign()
            )));
        }
        let gap = Span { start: side.words.span.end, end: other.words.span.start, ..side.words.span };
        let advice = Advice::new(format!("a set has many elements: write `{value} {word} {set}`"));
        Some(advice.edit(gap, format!(" {word} ")))
    }

    /// `c = none` of a cell or another key, where a field has an optional value for it.
    pub(super) fn place_without_value(
        &self,
        words: &ast::Expr,
        made: &Expr,
        unequal: bool,
    ) -> Option<Advice> {
        let Type::Sym(key) = *made.ty.present().base() else { return None };
        let is_variable = matches!(&*made.kind, ExprKind::Var(_));
        self.board_of(&made.ty).filter(|_| is_variable)?;
        let fields = self.fields_by(key).into_iter().filter(|id| self.rules.fields[*id].ty.is_option());
        let mut fields = fields.map(|id| self.rules.fields[id].name.clone());
        let field = fields.next()?;
        let (term, sign) = (print_expr(words.bare()), if unequal { "!=" } else { "=" });
        let help = format!(
            "the cell is only a place, and what stands there is `{field}[{term}]`: write `{field}[{term}] {sign} none`"
        );
        let advice = Advice::new(help);
        Some(match fields.next() {
            None => advice.edit(words.span, format!("{field}[{term}]")),
            Some(_) => advice,
        })
    }

    /// Reports `at[c] > 0`, where what is empty has the value `none`; returns true if it is that.
    pub(super) fn emptiness_by_order(
        &mut self,
        op: ast::CmpOp,
        words: [&ast::Expr; 2],
        made: [&Expr; 2],
    ) -> bool {
        let [left, right] = made;
        let is_zero = right.constant() == Some(&Value::Int(0));
        let is_number = matches!(left.ty.present().base(), Type::Int(..) | Type::Never | Type::Error);
        if op != ast::CmpOp::Greater || !is_zero || !left.ty.is_option() || is_number {
            return false;
        }
        let what = self.describe_type(&left.ty);
        let title = format!("{what} and the number 0 cannot be compared: this is always false");
        let found = Diagnostic::new(Code::E0202, title, words[0].span.to(words[1].span), "");
        let found = found.label(words[0].span, format!("this is {what}"));
        let gap = Span { start: words[0].span.end, end: words[1].span.end, ..words[0].span };
        let help = format!("what is empty has the value `none`: `{} != none`", print_expr(words[0].bare()));
        self.report(found.help(help).edit(gap, " != none"));
        true
    }

    /// Reports `c.col = b` and `c.col = "b"`; returns true if it is that.
    pub(super) fn column_as_a_letter(
        &mut self,
        column: &ast::Expr,
        letter: &ast::Expr,
        locals: &Locals,
    ) -> bool {
        let is_column = matches!(&*column.bare().kind, ast::ExprKind::Part(_, part) if part.text == "col");
        let word = match &*letter.bare().kind {
            ast::ExprKind::Str(word) => word.clone(),
            _ => letter.as_name().unwrap_or_default().to_owned(),
        };
        let &[number @ b'a'..=b'z'] = word.to_ascii_lowercase().as_bytes() else { return false };
        if !is_column || locals.has(&word) || self.declared(letter, locals).is_some() {
            return false;
        }
        let number = number - b'a' + 1;
        let title = format!("columns are numbers: `{word}` is {number}");
        let found = Diagnostic::new(Code::E0201, title, letter.span, "a number is needed");
        self.report(found.help(format!("write `{number}`")).edit(letter.span, number.to_string()));
        true
    }

    /// Adds advice to the last diagnostic, on a value of the type `ty` where one of the type `want` is needed.
    pub(crate) fn advise_on_value(&mut self, words: &ast::Expr, ty: &Type, want: &Type, locals: &Locals) {
        let is_bare =
            |found: &Diagnostic| found.code == Code::E0201 && found.help.is_none() && found.edits.is_empty();
        if !self.diagnostics.last().is_some_and(is_bare) {
            return;
        }
        let advice = self.key_of_a_list(words, ty, want, locals);
        let advice = advice.or_else(|| self.phase_for_a_player(words, want));
        let advice = advice.or_else(|| listed_player(words, ty, want));
        let advice = advice.or_else(|| self.number_for_a_player(ty, want, locals));
        let advice = advice.or_else(|| self.part_for_a_record(words, ty, want));
        let advice = advice.or_else(|| record_of_parts(self, words, ty, want));
        let advice = advice.or_else(|| player_for_the_set(words, want, locals));
        let advice = advice.or_else(|| self.advice_by_form(words, ty, want));
        let advice = advice.or_else(|| self.type_of_a_set(words, ty, want));
        let advice = advice.or_else(|| list_for_a_set(words, ty, want));
        if let Some(advice) = advice
            && let Some(found) = self.diagnostics.pop()
        {
            self.report(advice.on(found));
            return;
        }
        self.name_in_other_letters(words, want, locals);
    }

    /// `size[h: Heap]: 0..31 = heaps`, where each key has its own element of the list.
    fn key_of_a_list(&self, words: &ast::Expr, ty: &Type, want: &Type, locals: &Locals) -> Option<Advice> {
        let (Type::List(element), Some(name)) = (ty.base(), words.bare().as_name()) else { return None };
        if matches!(want.base(), Type::List(_)) || Type::join(element, want).is_none() {
            return None;
        }
        let numbers: Vec<&str> = locals
            .stack
            .iter()
            .filter(|local| matches!(local.ty.base(), Type::Int(1.., _)))
            .map(|local| local.name.as_str())
            .collect();
        let [key] = numbers[..] else { return None };
        let term = format!("{name}[{key}]");
        let advice = Advice::new(format!("a list has many elements, and the one for `{key}` is `{term}`"));
        Some(advice.edit(words.span, term))
    }

    /// `at[c] := king`, where a record has such a part.
    fn part_for_a_record(&self, words: &ast::Expr, ty: &Type, want: &Type) -> Option<Advice> {
        let Type::Record(record) = *want.present().base() else { return None };
        let part = self.only_part(record, ty)?;
        let of = &self.rules.records[record];
        let value = print_expr(words.bare());
        let all = of.parts.iter().map(|(name, _)| if *name == part { value.clone() } else { name.clone() });
        let all = all.collect::<Vec<_>>().join(", ");
        Some(Advice::new(format!(
            "`{value}` is only the {part}: a whole `{0}` is `{0}({all})`, and one part of it changes by `... .{part} := {value}`",
            of.name
        )))
    }

    /// `const ahead[p: Player]: Dir = ...` with sets of directions as its values.
    fn type_of_a_set(&self, words: &ast::Expr, ty: &Type, want: &Type) -> Option<Advice> {
        let Type::Set(element) = ty.base() else { return None };
        if Type::join(element, want).is_none() || **element == Type::Never {
            return None;
        }
        let name = self.declared_around(words.span)?;
        let want = self.rules.show_type(want.present());
        Some(Advice::new(format!("for several values at once declare `{name}` as `set of {want}`")))
    }

    /// The name of the constant, parameter, field or definition with a declared type of which a place is the value.
    fn declared_around(&self, span: Span) -> Option<&'a str> {
        match self.item_around(span)? {
            ItemKind::Const { name, ty: Some(_), value: body, .. }
            | ItemKind::Def { name, ty: Some(_), body, .. }
            | ItemKind::Param { name, default: body, .. }
                if body.span.covers(span) =>
            {
                Some(&name.text)
            }
            ItemKind::State(fields) => fields
                .iter()
                .find(|field| field.init.as_ref().is_some_and(|init| init.span.covers(span)))
                .map(|field| field.name.text.as_str()),
            _ => None,
        }
    }
}

/// `Player` where one player is needed.
fn player_for_the_set(words: &ast::Expr, want: &Type, locals: &Locals) -> Option<Advice> {
    let is_it = *want.present().base() == Type::Sym(PLAYER) && words.bare().as_name() == Some("Player");
    is_it.then(|| {
        Advice::new(match locals.place {
            ExprPlace::Move => "`Player` is the set of all players: the one who moves is `me`",
            _ => {
                "`Player` is the set of all players: name one, or bind a variable, `for p in Player when ...`"
            }
        })
    })
}

/// `(White, king)` where a record of these parts is needed.
fn record_of_parts(of: &Analyzer<'_>, words: &ast::Expr, ty: &Type, want: &Type) -> Option<Advice> {
    let (Type::Record(record), Type::Tuple(types)) = (want.present().base(), ty.base()) else { return None };
    let record = &of.rules.records[*record];
    if record.parts.len() != types.len() {
        return None;
    }
    let fits = types.iter().zip(&record.parts).all(|(ty, (_, part))| ty.is_assignable_to(part));
    let names: Vec<&str> = record.parts.iter().map(|(name, _)| name.as_str()).collect();
    if !fits {
        return Some(Advice::new(format!(
            "a record begins with its name: `{}({})`",
            record.name,
            names.join(", ")
        )));
    }
    let tuple = words.bare();
    let form = format!("{}{}", record.name, print_expr(tuple));
    let start = Span { end: tuple.span.start, ..tuple.span };
    Some(Advice::new(format!("a record begins with its name: `{form}`")).edit(start, record.name.clone()))
}

/// `kept = 2`, where the number of elements of a set or list is meant.
fn size_of_a_set(of: Mismatch<'_>, side: Side<'_>, other: Side<'_>) -> Option<Advice> {
    let is_number = matches!(other.ty.present().base(), Type::Int(..));
    side.ty.element().filter(|_| is_number)?;
    let is_short = matches!(
        &*side.words.kind,
        ast::ExprKind::Name(_) | ast::ExprKind::Index(..) | ast::ExprKind::Call(..) | ast::ExprKind::Part(..)
    );
    let term = print_expr(side.words.bare());
    let size = if is_short { format!("#{term}") } else { format!("#({term})") };
    let value = print_expr(other.words.bare());
    let help = format!("how many elements it has is `{size}`: write `{size} {} {value}`", of.sign());
    Some(Advice::new(help).edit(side.words.span, size))
}

/// `at[c] = (White, king)`, where `at[c]` is a record.
fn whole_record(of: &Analyzer<'_>, side: Side<'_>, other: Side<'_>) -> Option<Advice> {
    record_of_parts(of, other.words, other.ty, side.ty)
}

/// Returns true for types, optional or not, that have values in common.
fn is_like(a: &Type, b: &Type) -> bool {
    let (a, b) = (a.present(), b.present());
    !matches!(b.base(), Type::Never | Type::Error) && Type::join(a, b).is_some()
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    #[test]
    fn nobody_stands_on_an_empty_cell() {
        for (condition, told) in [
            ("c = me", "`man[c] = me` would always be false"),
            ("c != opponent", "`man[c] != opponent` would always be true"),
            ("c = A", "`man[c] = A` would always be false"),
        ] {
            let text = format!(
                "game \"Cells\"; players A, B; board Cell = grid(2, 2);
                 state {{ man[c: Cell]: Player? = none; }}
                 move put(c: Cell) as \"{{c}}\" {{ when man[c] = none and {condition}; man[c] := me; }}
                 end {{ when stuck => mover loses; }}"
            );
            let found = found(&text, Code::E0202);
            let [found] = &found[..] else { panic!("{found:?}") };
            let help = found.help.as_deref().unwrap_or_default();
            assert!(help.contains(told) && !help.contains("write"), "{help}");
            assert!(found.edits.is_empty());
        }
    }
}
