//! Types: elaboration, and conversion to the required type.

use std::sync::Arc;

use super::analyzer::{Analyzer, Resolution};
use super::expr::value_advice::{TUPLE_FOR_A_NUMBER, is_tuple_of_numbers};
use super::index::DefinitionKind;
use super::locals::Locals;
use super::misdeclared::Misfit;
use super::symbols::SymbolKind;
use bouton_base::source::Span;
use bouton_rules::{
    DIR, EnumId, EnumKind, Expr, ExprKind, KeyDomain, PLAYER, Record, RecordId, SubsetType, Type, Value,
};
use bouton_syntax::ast::{self, ItemKind, TypeKind};
use bouton_syntax::diag::{Code, Diagnostic, Severity};

/// The maximal number of members of an `enum` that a message lists.
const MAX_LISTED_MEMBERS: usize = 6;
/// The maximal number of values that are listed one by one.
pub(super) const LIST_LIMIT: usize = 1 << 20;

impl<'a> Analyzer<'a> {
    /// Elaborates a type.
    pub fn ty(&mut self, ty: &ast::Type) -> Type {
        match &ty.kind {
            TypeKind::Bool => Type::Bool,
            TypeKind::Set(inner) => match self.ty(inner) {
                Type::Error => Type::Error,
                element => Type::set(element),
            },
            TypeKind::List(inner) => Type::List(Arc::new(self.ty(inner))),
            TypeKind::Option(inner) => Type::option(self.ty(inner)),
            TypeKind::Tuple(parts) => {
                let parts = parts.iter().map(|t| self.ty(t)).collect();
                Type::Tuple(Arc::new(parts))
            }
            TypeKind::Expr(expr) => self.type_of_expr(expr),
        }
    }

    /// The type of an expression in the place of a type: a type name, a range, or a constant set.
    fn type_of_expr(&mut self, expr: &ast::Expr) -> Type {
        if let Some(ty) = self.named_type(expr, &Locals::constant()) {
            return ty;
        }
        let mut locals = Locals::constant();
        if self.is_a_range_or_none(expr) {
            return Type::Error;
        }
        if let ast::ExprKind::Range(lo, hi) = &*expr.bare().kind {
            if self.is_reversed_range(lo, hi, expr.span) || self.is_a_range_of_members([lo, hi], expr.span) {
                return Type::Error;
            }
            let ends = [lo, hi].map(|end| self.const_int(end, &mut locals));
            return match ends {
                [Some(lo), Some(hi)] => Type::Int(lo, hi),
                _ => Type::Error,
            };
        }
        if let ast::ExprKind::Set(elements) = &*expr.bare().kind
            && let [only] = &elements[..]
            && let ast::ExprKind::Range(..) = &*only.bare().kind
        {
            let title = "this type has one value: the set of these numbers";
            let found = Diagnostic::new(Code::E0201, title, expr.span, "a range in braces");
            let brace = |from: u32, to: u32| Span { start: from, end: to, ..expr.span };
            self.report(
                found
                    .help("a range is a type by itself: leave the braces out")
                    .edit(brace(expr.span.start, only.span.start), "")
                    .edit(brace(only.span.end, expr.span.end), ""),
            );
            return Type::Error;
        }
        if self.looks_like_a_range(expr) || self.looks_like_alternatives(expr) {
            return Type::Error;
        }
        if self.foreign_type(expr) {
            return Type::Error;
        }
        if expr.as_name().is_some_and(|name| self.unknown_type(name, expr.span)) {
            return Type::Error;
        }
        if self.lists_unknown_values(expr) {
            return Type::Error;
        }
        let set = self.constant(expr, None, "a type");
        match set.constant() {
            Some(Value::Set(values)) => {
                let element = set.ty.element().cloned().unwrap_or(Type::Never);
                self.type_of_values(&element, values)
            }
            Some(value) => {
                let found = self.describe_type(&set.ty);
                let title = format!("expected a type or a set of values, found {found}");
                let found = Diagnostic::new(Code::E0201, title, expr.span, format!("this is {found}"));
                self.report(match value {
                    Value::List(list) => found.help(match expr.as_name() {
                        Some(name) => format!("the places of the list are numbers: `1..#{name}`"),
                        None => format!(
                            "a type of these values is a set, `{{ 1, 3, 4 }}`; a field of several values has a key, \
                             `size[i: 1..{}]: 0..9 = ...`",
                            list.len()
                        ),
                    }),
                    Value::Int(n) => found.help(format!("a type of numbers is a range, such as `0..{n}`")),
                    _ => found,
                });
                Type::Error
            }
            None => Type::Error,
        }
    }

    /// The type of exactly these values, which have the type `element`.
    fn type_of_values(&mut self, element: &Type, values: &Arc<Vec<Value>>) -> Type {
        if let (Some(Value::Int(lo)), Some(Value::Int(hi))) = (values.first(), values.last())
            && hi - lo == values.len() as i64 - 1
        {
            return Type::Int(*lo, *hi);
        }
        if self.rules.type_size(element.base()) == Some(values.len() as u128) {
            return element.base().clone();
        }
        Type::Subset(Arc::new(SubsetType { base: element.base().clone(), values: values.to_vec() }))
    }

    /// The type that an expression names, if it names one.
    pub fn named_type(&mut self, expr: &ast::Expr, locals: &Locals) -> Option<Type> {
        if let Some(name) = self.declared(expr, locals) {
            return self.declared_type(name, expr.span);
        }
        match expr.as_name().filter(|name| !locals.has(name)) {
            Some("Player") => Some(Type::Sym(PLAYER)),
            Some("Dir") => Some(Type::Sym(DIR)),
            Some("text") => Some(Type::Text),
            _ => None,
        }
    }

    /// The type with this declared name, if it is one.
    pub fn declared_type(&mut self, name: &'a str, span: Span) -> Option<Type> {
        let ty = match self.symbols[name].kind.clone() {
            SymbolKind::Enum(id) => Type::Sym(id),
            SymbolKind::Record { .. } => self.record(name, span).map_or(Type::Error, Type::Record),
            SymbolKind::Alias { .. } => self.alias(name, span),
            SymbolKind::Board { .. } => {
                self.board(name, span).map_or(Type::Error, |id| Type::Sym(self.rules.boards[id].cells))
            }
            _ => return None,
        };
        self.use_symbol(name, super::symbols::UseKind::Read);
        Some(ty)
    }

    fn alias(&mut self, name: &'a str, span: Span) -> Type {
        let Some(SymbolKind::Alias { item, ty }) = self.symbols.get(name).map(|s| s.kind.clone()) else {
            return Type::Error;
        };
        match ty {
            Resolution::Resolved(ty) => ty,
            Resolution::InProgress => self.cycle(name, span).unwrap_or(Type::Error),
            Resolution::Unresolved => {
                let ItemKind::TypeAlias { name: declared, ty } = &item.kind else { return Type::Error };
                self.set_alias(name, Resolution::InProgress);
                self.in_progress.push((name, declared.span));
                let mut known = self.ty(ty);
                self.in_progress.pop();
                if let Some(id) = self.unnamed_enum(&known) {
                    self.rules.enums[id].name = name.to_string();
                    known = Type::Sym(id);
                }
                self.set_alias(name, Resolution::Resolved(known.clone()));
                known
            }
        }
    }

    /// The enum of sides or edges in an alias such as `type Side = sides(Box);`, which has no name yet.
    fn unnamed_enum(&self, ty: &Type) -> Option<EnumId> {
        match ty {
            Type::Sym(id) if self.rules.enums[*id].name.contains('(') => Some(*id),
            _ => None,
        }
    }

    fn set_alias(&mut self, name: &str, progress: Resolution<Type>) {
        if let Some(SymbolKind::Alias { ty, .. }) = self.symbols.get_mut(name).map(|s| &mut s.kind) {
            *ty = progress;
        }
    }

    /// The record with this name, elaborated on first use.
    pub fn record(&mut self, name: &'a str, span: Span) -> Option<RecordId> {
        let SymbolKind::Record { item, id } = self.symbols.get(name)?.kind.clone() else { return None };
        match id {
            Resolution::Resolved(id) => Some(id),
            Resolution::InProgress => self.cycle(name, span),
            Resolution::Unresolved => {
                let ItemKind::Record { name: declared, parts } = &item.kind else { return None };
                self.set_record(name, Resolution::InProgress);
                self.in_progress.push((name, declared.span));
                let parts: Vec<(String, Type)> =
                    parts.iter().map(|p| (p.name.text.clone(), self.ty(&p.ty))).collect();
                self.in_progress.pop();
                let id = self.rules.records.push(Record { name: name.to_string(), parts });
                self.set_record(name, Resolution::Resolved(id));
                Some(id)
            }
        }
    }

    fn set_record(&mut self, name: &str, progress: Resolution<RecordId>) {
        if let Some(SymbolKind::Record { id, .. }) = self.symbols.get_mut(name).map(|s| &mut s.kind) {
            *id = progress;
        }
    }

    /// Reports a cycle in the resolution of `name`.
    pub fn cycle<T>(&mut self, name: &str, span: Span) -> Option<T> {
        let start = self.in_progress.iter().position(|(n, _)| *n == name).unwrap_or(0);
        let round: Vec<(&str, Span)> = self.in_progress[start..].to_vec();
        let words: Vec<String> = round.iter().map(|(n, _)| format!("`{n}`")).collect();
        if let [(only, declared)] = round[..] {
            let title = format!("`{only}` is defined by itself");
            let found = Diagnostic::new(Code::E0305, title, span, "used here again");
            let help = self.help_on_recursion(only);
            self.report(found.label(declared, "while this is being defined").help(help));
            return None;
        }
        let title = format!("definitions go round: {} uses `{name}` again", words.join(" uses "));
        let mut found = Diagnostic::new(Code::E0109, title, span, format!("`{name}` again"));
        let help = match round.iter().all(|(name, _)| self.is_size(name)) {
            true => {
                "one of them needs a range of numbers, such as `param n: 1..6 = 3;`: the others may build on it, and a `where` \
                 may compare them"
            }
            false => "write `inductive` for relations if a least fixpoint is meant",
        };
        for (n, declared) in round {
            found = found.label(declared, format!("`{n}` is being defined"));
        }
        self.report(found.help(help));
        None
    }

    /// Returns true for a parameter, a constant or a type.
    fn is_size(&self, name: &str) -> bool {
        self.is_kind(name, |kind| {
            matches!(kind, SymbolKind::Param { .. } | SymbolKind::Const { .. } | SymbolKind::Alias { .. })
        })
    }

    /// The help on a definition that uses itself.
    fn help_on_recursion(&self, name: &str) -> String {
        let plural = format!("{name}s");
        if super::expr::BUILT_IN_NAMES.contains(&plural.as_str()) {
            return format!(
                "did you mean `{plural}`? A `def` is not recursive; write `inductive` if a least fixpoint is meant"
            );
        }
        if self.symbols.get(name).is_some_and(|symbol| matches!(symbol.kind, SymbolKind::Record { .. })) {
            return "a record holds no record of its own type: keep what lies below in a field with keys of its own, such \
                    as `at[c: Cell, level: 1..3]: ...`"
                .to_owned();
        }
        if self.is_size(name) {
            return "its range and its value need numbers, or other constants".to_owned();
        }
        "a `def` is not recursive: for a relation, write `inductive` if a least fixpoint is meant; for numbers, write the values \
         out, `match k { 0 => 1, 1 => 1, 2 => 2, ... }`"
            .to_owned()
    }

    /// Resolves all types, to find the mistakes in unused ones as well.
    pub fn resolve_types(&mut self) {
        let names: Vec<&'a str> = self.symbols.keys().copied().collect();
        for name in names {
            let symbol = &self.symbols[name];
            let span = symbol.span;
            match symbol.kind {
                SymbolKind::Alias { .. } => drop(self.alias(name, span)),
                SymbolKind::Record { .. } => drop(self.record(name, span)),
                _ => {}
            }
        }
    }

    /// The keys of a field or table.
    pub fn keys(&mut self, binds: &[ast::Bind]) -> Vec<KeyDomain> {
        let mut keys = Vec::new();
        for bind in binds {
            let ty = self.ty(&bind.ty);
            let values = self.domain_values(&ty, bind.ty.span);
            self.names.define(&bind.name, DefinitionKind::Key, &ty);
            keys.push(KeyDomain { name: bind.name.text.clone(), ty, values });
        }
        keys
    }

    /// All values of a type; reports a type with too many or infinitely many.
    pub fn domain_values(&mut self, ty: &Type, span: Span) -> Arc<Vec<Value>> {
        self.enumerated_values(ty, span).unwrap_or_default()
    }

    /// The same; `None` if they were reported, or if the type is already wrong.
    pub fn enumerated_values(&mut self, ty: &Type, span: Span) -> Option<Arc<Vec<Value>>> {
        if *ty == Type::Error || self.has_damage(ty) {
            return None;
        }
        if let Some(known) = self.range_values.get(ty) {
            return Some(known.clone());
        }
        match self.rules.type_values(ty, LIST_LIMIT) {
            Some(values) if self.steps.spend(values.len()) => {
                let values = Arc::new(values);
                // Many binders may have one long range as their domain; the members of other types may not all be known
                // yet.
                if matches!(ty, Type::Int(..)) {
                    self.range_values.insert(ty.clone(), values.clone());
                }
                Some(values)
            }
            Some(values) => {
                self.too_long(span, format!("{} values to be listed", values.len()));
                None
            }
            None => {
                let name = self.rules.show_type(ty);
                let found = Diagnostic::new(
                    Code::E0230,
                    format!("`{name}` has too many values to go through one by one"),
                    span,
                    format!("at most {LIST_LIMIT} values"),
                );
                self.report(found.help("give the range an end that is small enough"));
                None
            }
        }
    }

    /// Returns true for a type with a part that was reported.
    fn has_damage(&self, ty: &Type) -> bool {
        match ty.present().base() {
            Type::Error => true,
            Type::Record(id) => {
                self.rules.records[*id].parts.iter().any(|(_, part)| *part.present() == Type::Error)
            }
            Type::Tuple(parts) => parts.iter().any(|part| *part.present() == Type::Error),
            _ => false,
        }
    }

    /// Reports a value of the wrong type.
    pub fn wrong_type(&mut self, span: Span, wanted: &str, found: &Type) {
        if *found == Type::Error {
            return;
        }
        let title = format!("expected {wanted}, found {}", self.describe_type(found));
        let what =
            Diagnostic::new(Code::E0201, title, span, format!("this is {}", self.describe_type(found)));
        let is_list = matches!(found.base(), Type::List(_));
        let is_range = wanted == "a number" && !is_list && matches!(found.element(), Some(Type::Int(..)));
        let is_set = wanted == "a number" && !is_list && found.element().is_some();
        let is_member = wanted == "a number"
            && matches!(found.present().base(), Type::Sym(of) if self.rules.enums[*of].kind == EnumKind::User);
        self.report(match is_range {
            _ if is_member => what.help(
                "members are ordered as they are declared, and are no numbers: compare them, `if a > b then 1 else -1`, or \
                 give them numbers by a table, `const points[k: KIND]: 0..9 = match k { ... };`",
            ),
            _ if wanted == "a number" && is_tuple_of_numbers(found) => what.help(TUPLE_FOR_A_NUMBER),
            _ if is_set && !is_range => what.help("`#S` is the number of elements of a set `S`"),
            true => what.help(
                "a range is the set of all its numbers: a player chooses one as a parameter of the move, `move roll(d: 1..6)`, \
                 chance throws one, `chance throw(d: 1..6) in roll`; `#S` counts, `max(S)` is the greatest",
            ),
            false => what,
        });
    }

    /// Adds the fix for a value between quotes, such as `"X"` for the player `X` or `"2"`, if the other type has it.
    pub(super) fn unquoted(&self, found: Diagnostic, quoted: &Expr, other: &Type) -> Diagnostic {
        let Some(Value::Text(text)) = quoted.constant() else { return found };
        let is_value = match other.present().base() {
            Type::Sym(of) => self.rules.enums[*of].members.iter().any(|member| **member == **text),
            Type::Int(low, high) => text.parse().is_ok_and(|n| (*low..=*high).contains(&n)),
            _ => false,
        };
        if !is_value {
            return found;
        }
        found.help(format!("write `{text}` without quotes")).edit(quoted.span, text.to_string())
    }

    /// Reports two terms that have no value in common, in a comparison or an operation that needs one (E0202).
    pub fn nothing_in_common(&mut self, title: String, left: &Expr, right: &Expr, span: Span) -> Expr {
        if self.edges_beside_sides(&title, [left, right]) {
            return self.poison(span);
        }
        let (a, b) = (self.describe_type(&left.ty), self.describe_type(&right.ty));
        let found = Diagnostic::new(Code::E0202, title, span, "");
        let found = found.label(left.span, format!("this is {a}")).label(right.span, format!("this is {b}"));
        let found = self.unquoted(found, left, &right.ty);
        let mut found = self.unquoted(found, right, &left.ty);
        let pair = [(left, &right.ty), (right, &left.ty)];
        if found.help.is_none() {
            let is_text = pair.iter().any(|(side, _)| side.ty == Type::Text);
            let is_empty = pair.iter().any(
                |(side, _)| matches!(side.constant(), Some(Value::Text(text)) if text.trim().is_empty()),
            );
            let is_truth = pair.iter().any(|(side, other)| {
                matches!(side.ty.base(), Type::Int(0, 0) | Type::Int(1, 1)) && *other.base() == Type::Bool
            });
            let help = match () {
                () if pair.iter().any(|(side, other)| {
                    matches!(side.ty.base(), Type::Tuple(_)) && self.board_of(other).is_some()
                }) =>
                {
                    Some("a cell by its column and row is `Cell(column, row)`")
                }
                () if pair.iter().any(|(side, other)| {
                    side.ty.element().is_some()
                        && matches!(other.present().base(), Type::Int(..) | Type::Ratio)
                }) =>
                {
                    Some("a set has elements; how many it has is `#S`, or `(count x in S: f)`")
                }
                () if is_empty => Some("what is empty is `none`"),
                () if is_text => Some("values are names without quotes"),
                () if is_truth => {
                    Some("a condition stands alone, `done` or `not done`; its values are `true` and `false`")
                }
                () => None,
            };
            found.help =
                help.map(str::to_owned).or_else(|| self.namesakes(&left.ty, &right.ty)).or_else(|| {
                    pair.iter().find_map(|(side, other)| self.member_beside_a_number(&side.ty, other))
                });
        }
        self.report(found);
        self.poison(span)
    }

    /// The help about two types that have members of the same names, such as the players and an enum of pieces.
    fn namesakes(&self, a: &Type, b: &Type) -> Option<String> {
        let (Type::Sym(a), Type::Sym(b)) = (a.present().base(), b.present().base()) else { return None };
        let (one, other) = (&self.rules.enums[*a], &self.rules.enums[*b]);
        let shared = one.members.iter().find(|member| other.members.contains(member))?;
        if *a != PLAYER && *b != PLAYER {
            let of_boards = [one, other].iter().all(|of| matches!(of.kind, bouton_rules::EnumKind::Cells(_)));
            let advice =
                if of_boards { "; several fields may have the cells of one board as keys" } else { "" };
            let help =
                format!("`{}.{shared}` and `{}.{shared}` are different values{advice}", one.name, other.name);
            return Some(help);
        }
        let pieces = if *a == PLAYER { &other.name } else { &one.name };
        Some(format!(
            "`{shared}` is a player as well as a `{pieces}`, and these are two values: a field that holds players has \
             the type `Player`"
        ))
    }

    /// The type as a noun with its article, for messages.
    pub fn describe_type(&self, ty: &Type) -> String {
        match ty.base() {
            Type::Bool => "a condition (true or false)".into(),
            Type::Int(a, b) if a == b => format!("the number {a}"),
            Type::Int(..) => format!("a number ({})", self.rules.show_type(ty)),
            Type::Never => "nothing".into(),
            Type::Option(inner) if **inner == Type::Never => "`none`".into(),
            Type::Text => "a string".into(),
            Type::Ratio => "a number".into(),
            _ => match self.constant_of_set(ty) {
                Some(name) => format!("a value of `{name}`"),
                None => format!("a `{}`", self.rules.show_type(ty)),
            },
        }
    }

    /// Converts an expression to the required type, or reports the reason why it does not fit.
    pub fn coerce(&mut self, expr: Expr, want: &Type) -> Expr {
        if *want == Type::Error || expr.ty == Type::Error {
            return expr;
        }
        if expr.ty.is_option() && !want.is_option() {
            if *expr.ty.present() == Type::Never {
                return self.always_none(expr, want);
            }
            let inner = self.present(expr);
            return self.coerce(inner, want);
        }
        if !expr.ty.is_assignable_to(want) {
            if expr.ty == Type::Text {
                let title = format!("expected {}, found a string", self.describe_type(want));
                let found = Diagnostic::new(Code::E0201, title, expr.span, "this is a string");
                let mut found = self.unquoted(found, &expr, want);
                let form = self.record_of_letters(&expr, want).or_else(|| self.set_of_letters(&expr, want));
                if let Some(record) = form {
                    found = found.help(format!("write `{record}`")).edit(expr.span, record);
                }
                if found.help.is_none() {
                    if matches!(expr.constant(), Some(Value::Text(text)) if text.trim().is_empty())
                        && want.is_option()
                    {
                        found = found.edit(expr.span, "none");
                    }
                    found = found.help(match expr.constant() {
                        Some(Value::Text(text)) if text.trim().is_empty() => "what is empty is `none`",
                        _ => {
                            "values are names without quotes; the picture of a board is `diagram \"\"\"...\"\"\" { \"x\" => ..., \
                             \".\" => none }`"
                        }
                    });
                }
                self.report(found);
                return self.poison(expr.span);
            }
            if (expr.ty.base(), matches!(want.present().base(), Type::Int(..))) == (&Type::Ratio, true) {
                let title = "a whole number is needed here, and this is a fraction";
                let found = Diagnostic::new(Code::E0201, title, expr.span, "not a whole number");
                self.report(
                    found
                        .help("count in smaller units, such as halves; payoffs and weights may be fractions"),
                );
                return self.poison(expr.span);
            }
            self.wrong_value(&expr, want);
            return self.poison(expr.span);
        }
        // What is never reached, as with a parameter that leaves one value, needs to fit nowhere.
        if !self.never_reached
            && let Some(found) = self.out_of_range(&expr, want)
        {
            self.report(found);
            return self.poison(expr.span);
        }
        expr
    }

    /// Returns true for a number that stands for a point of a graph, where a message has already asked for names of the
    /// points: `p1` for 1.
    pub fn is_renamed_point(&self, expr: &Expr, ty: &Type) -> bool {
        let (Some(Value::Int(n)), Type::Sym(of)) = (expr.constant(), ty.present().base()) else {
            return false;
        };
        self.options.damaged
            && self.board_of(ty).is_some()
            && self.rules.enums[*of].members.iter().any(|member| **member == format!("p{n}"))
    }

    /// Reports a value of another type than the required one.
    fn wrong_value(&mut self, expr: &Expr, want: &Type) {
        if self.is_renamed_point(expr, want) {
            return;
        }
        self.misfits.push(Misfit { span: expr.span, wanted: want.clone() });
        let (wanted, what) = (self.describe_type(want), self.describe_type(&expr.ty));
        let title = format!("expected {wanted}, found {what}");
        let found = Diagnostic::new(Code::E0201, title, expr.span, format!("this is {what}"));
        let is_element = want.element().is_some_and(|element| expr.ty.is_assignable_to(element));
        let is_cell = self.board_of(want).is_some();
        self.report(match expr.ty.base() {
            Type::Int(0, 0) if want.is_option() && !matches!(want.present().base(), Type::Int(..)) => {
                found.help("what is empty is `none`").edit(expr.span, "none")
            }
            _ if is_element => {
                let (start, end) = (expr.span.start, expr.span.end);
                let (help, open, close) = match want.base() {
                    Type::List(_) => ("a list of one element stands in square brackets", "[", "]"),
                    _ => ("a set of one element stands in braces", "{ ", " }"),
                };
                found
                    .help(help)
                    .edit(Span { end: start, ..expr.span }, open)
                    .edit(Span { start: end, ..expr.span }, close)
            }
            Type::Set(_) if matches!(want.base(), Type::List(_)) => found.help(
                "a list stands in square brackets, `[3, 4, 5]`: its elements have an order, and may be equal",
            ),
            Type::Int(..) if *want.present().base() == Type::Sym(DIR) => {
                let dirs = self.rules.enums[DIR].members.join(", ");
                found.help(format!("a direction is named; there are {dirs}"))
            }
            Type::Int(..) if is_cell => {
                found.help("a cell is named, as in `a1`, or given by its column and row, as in `Cell(1, 1)`")
            }
            Type::Tuple(parts)
                if is_cell && parts.iter().all(|part| matches!(part.base(), Type::Int(..))) =>
            {
                let board = self.rules.show_type(want.present());
                let start = Span { end: expr.span.start, ..expr.span };
                let found = found
                    .help(format!("a cell by its column and row, counted from 1, is `{board}(column, row)`"));
                found.edit(start, board)
            }
            _ => match self.namesakes(&expr.ty, want).or_else(|| self.members_of(want)) {
                Some(help) => found.help(help),
                None => found,
            },
        });
    }

    /// The members of an `enum`, if there are a few.
    fn members_of(&self, ty: &Type) -> Option<String> {
        let Type::Sym(id) = ty.present().base() else { return None };
        let of = &self.rules.enums[*id];
        if of.kind != EnumKind::User || !(1..=MAX_LISTED_MEMBERS).contains(&of.members.len()) {
            return None;
        }
        let mut names: Vec<String> = of.members.iter().map(|member| format!("`{member}`")).collect();
        if ty.is_option() {
            names.push("`none`".into());
        }
        let last = names.pop()?;
        let shown = self.rules.show_type(ty);
        Some(match names.is_empty() {
            true => format!("a `{shown}` is {last}"),
            false => format!("a `{shown}` is {} or {last}", names.join(", ")),
        })
    }

    fn always_none(&mut self, expr: Expr, want: &Type) -> Expr {
        let wanted = self.describe_type(want);
        let title = format!("this is always `none` here; {wanted} is needed");
        let found = Diagnostic::new(Code::E0203, title, expr.span, "always `none`");
        if matches!(want.base(), Type::Set(_)) {
            self.report(found.help("the empty set is `{}`").edit(expr.span, "{}"));
            return self.poison(expr.span);
        }
        let optional = self.rules.show_type(want);
        self.report(found.help(format!("give a value, or make the type optional: `{optional}?`")));
        self.poison(expr.span)
    }

    /// The value of an option; undefined if it is `none`.
    pub fn present(&mut self, expr: Expr) -> Expr {
        if !expr.ty.is_option() {
            return expr;
        }
        let (ty, span) = (expr.ty.present().clone(), expr.span);
        self.node(ExprKind::Present(expr), ty, span)
    }

    /// An error node in the place of an expression that was reported.
    pub fn poison(&self, span: Span) -> Expr {
        Expr::new(ExprKind::Undefined, Type::Error, span)
    }

    /// The error for a value that can never be in the required range.
    fn out_of_range(&mut self, expr: &Expr, want: &Type) -> Option<Diagnostic> {
        // The type of the elements has been reported.
        if want.present().element() == Some(&Type::Error) {
            return None;
        }
        if let Some(value) = expr.constant() {
            // Of a type without values, such as the directions of a damaged board, an error told enough.
            let is_without_values = matches!(want.present(), Type::Subset(of) if of.values.is_empty());
            let is_error = |found: &Diagnostic| found.severity() == Severity::Error;
            if self.rules.has_value(want, value) || is_without_values && self.diagnostics.iter().any(is_error)
            {
                return None;
            }
            let (value, want) = (self.rules.show(value), self.rules.show_type(want));
            let title = format!("`{value}` is not in `{want}`");
            return Some(Diagnostic::new(Code::E0210, title, expr.span, format!("holds {want}")));
        }
        if let Type::Subset(own) = expr.ty.present() {
            return self.no_common_value(&own.values, want, expr.span);
        }
        let (Some((lo, hi)), Some((a, b))) = (expr.ty.interval(), want.present().interval()) else {
            return None;
        };
        if hi >= a && lo <= b || lo > hi {
            return None;
        }
        let title = if lo > b {
            format!("this is at least {lo}; only {a}..{b} fits here")
        } else {
            format!("this is at most {hi}; only {a}..{b} fits here")
        };
        Some(Diagnostic::new(Code::E0210, title, expr.span, format!("{lo}..{hi}")))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::diagnostics;
    use bouton_syntax::diag::Code;

    fn help(items: &str, code: Code) -> String {
        let text = format!(
            "game \"Rounds\"; players A, B; {items} state {{ n: 0..9 = 0; }}
             move go(k: 1..3) as \"{{k}}\" {{ when n + k <= 9 and f(k) > 0; n += k; }} play normal;"
        );
        let told = diagnostics(&text).into_iter().find(|found| found.code == code);
        told.and_then(|found| found.help).unwrap_or_default()
    }

    #[test]
    fn what_goes_round_is_a_number_or_a_relation() {
        let of_numbers = help("def f(k: 1..3) = if k = 1 then 1 else k * f(k - 1);", Code::E0305);
        assert!(of_numbers.contains("write the values out"), "{of_numbers}");
        let of_sizes = help("param m: Card = 3; type Card = 1..m; def f(k: Card) = k;", Code::E0109);
        assert!(of_sizes.contains("a range of numbers"), "{of_sizes}");
    }
}
