//! Calls of functions of other languages whose arguments show what is meant.

use crate::analyzer::Analyzer;
use crate::locals::{ExprPlace, Locals};
use crate::symbols::SymbolKind;
use bouton_base::source::Span;
use bouton_rules::{Expr, PLAYER, Type};
use bouton_syntax::ast;
use bouton_syntax::diag::{Code, Diagnostic};

impl Analyzer<'_> {
    /// Reports `len(S)` of a set or list, and gives `#S`; returns true if it is that.
    pub(super) fn size_by_a_call(
        &mut self,
        args: &[ast::Expr],
        callee: Span,
        span: Span,
        locals: &mut Locals,
    ) -> bool {
        let [of] = args else { return false };
        if let Some(found) = self.size_of_a_field(of, callee).filter(|_| !self.options.damaged) {
            self.report(found);
            return true;
        }
        let is_set = self.quiet_type(of, locals).is_some_and(|ty| ty.element().is_some());
        if !is_set || self.options.damaged {
            return false;
        }
        let term = size_of(of);
        let found = Diagnostic::new(Code::E0101, "the number of elements is written `#`", callee, "");
        self.report(found.help(format!("write `{term}`")).edit(span, term));
        true
    }

    /// The diagnostic of `len(letter)`, where the field `letter` has a value for each key.
    fn size_of_a_field(&self, of: &ast::Expr, callee: Span) -> Option<Diagnostic> {
        let field = &self.rules.fields[self.field_of(self.find(of.as_name()?, of.span)?)?];
        let [key] = &field.keys[..] else { return None };
        let (name, cells, key_name) = (&field.name, field.cells(), &key.name);
        let set = self.rules.show_type(&key.ty);
        let title = format!("`{name}` is no list: it has a value for each `{key_name}`");
        let label = format!("{cells} values, in each position");
        let test = if field.ty.is_option() { "!= none" } else { "= ..." };
        Some(Diagnostic::new(Code::E0101, title, callee, label).help(format!(
            "a condition on them is counted by `(count {key_name} in {set}: {name}[{key_name}] {test})`; a number of its own \
             is another field"
        )))
    }

    /// Reports `ray(N, from)`, whose cell comes first; returns true if it is that.
    pub(super) fn exchanged_ray(&mut self, args: &[ast::Expr], locals: &mut Locals) -> bool {
        let ([one, other], Some(_)) = (args, self.step_of_a_call(args, locals)) else { return false };
        let new = format!("{}, {}", bouton_syntax::print_expr(other), bouton_syntax::print_expr(one));
        let span = one.span.to(other.span);
        let title = "the arguments of `ray` are in another order: the cell, then the direction";
        let found = Diagnostic::new(Code::E0201, title, span, "exchanged");
        self.report(found.help(format!("write `ray({new})`")).edit(span, new));
        true
    }

    /// Reports `opponent(me)`, `cannot_move(mover)` and `step(from, d)`; returns true if it is one of them. The places are
    /// those of the name and of the whole call.
    pub(super) fn word_called(
        &mut self,
        name: &str,
        args: &[ast::Expr],
        places: [Span; 2],
        locals: &mut Locals,
    ) -> bool {
        let [callee, span] = places;
        let plain: String = name.chars().filter(|c| *c != '_').collect::<String>().to_ascii_lowercase();
        let of = args.first().and_then(ast::Expr::as_name);
        let new = match (plain.as_str(), args) {
            ("empty" | "isempty" | "free" | "isfree" | "vacant" | "isvacant", [key]) => {
                match self.empty_place(key, locals) {
                    Some(condition) => condition,
                    None => return false,
                }
            }
            ("opponent", []) => "opponent".to_owned(),
            ("opponent", [_]) if of == Some("me") => "opponent".to_owned(),
            ("opponent" | "otherplayer" | "enemy", [one]) => {
                let is_player =
                    self.quiet_type(one, locals).is_some_and(|ty| *ty.base() == Type::Sym(PLAYER));
                if !is_player || self.rules.players().len() != 2 {
                    return false;
                }
                format!("other({})", bouton_syntax::print_expr(one))
            }
            ("others" | "otherplayers" | "opponents" | "rivals" | "enemies", [one]) => {
                let is_player =
                    self.quiet_type(one, locals).is_some_and(|ty| *ty.base() == Type::Sym(PLAYER));
                if !is_player {
                    return false;
                }
                format!("(Player - {{ {} }})", bouton_syntax::print_expr(one))
            }
            ("me" | "mover", []) => name.to_owned(),
            (
                "cannotmove" | "cantmove" | "nomoves" | "hasnomoves" | "nolegalmoves" | "isstuck"
                | "isblocked",
                [] | [_],
            ) if matches!(locals.place, ExprPlace::Rule | ExprPlace::Position) => match args {
                [one] if of != Some("mover") => {
                    let ty = self.quiet_type(one, locals);
                    if ty.is_none_or(|ty| *ty.base() != Type::Sym(PLAYER)) {
                        return false;
                    }
                    format!("stuck({})", bouton_syntax::print_expr(one))
                }
                _ => "stuck".to_owned(),
            },
            (
                "step" | "next" | "advance" | "shift" | "translate" | "move" | "go" | "neighbor"
                | "neighbour" | "add",
                [_, _],
            ) => match self.step_of_a_call(args, locals) {
                Some(sum) => sum,
                None => return false,
            },
            _ => return false,
        };
        let title = match new == name {
            true => format!("`{name}` is no function"),
            false => format!("there is no function `{name}`"),
        };
        let found = Diagnostic::new(Code::E0101, title, callee, "");
        self.report(found.help(format!("write `{new}`")).edit(span, new));
        true
    }

    /// The condition that nothing stands at a key, if exactly one field has optional values by such keys.
    fn empty_place(&mut self, key: &ast::Expr, locals: &mut Locals) -> Option<String> {
        let ty = self.quiet_type(key, locals)?;
        let mut fields = self.rules.fields.iter().filter(|field| {
            field.ty.is_option() && matches!(&field.keys[..], [of] if of.ty.base() == ty.present().base())
        });
        let field = fields.next().filter(|_| fields.next().is_none())?;
        Some(format!("{}[{}] = none", field.name, bouton_syntax::print_expr(key)))
    }

    /// Reports `Cell[col][row]` and `Cell[col, row]`; returns true if it is that.
    pub(super) fn cell_in_square_brackets(
        &mut self,
        base: &ast::Expr,
        keys: &[ast::Expr],
        span: Span,
        locals: &Locals,
    ) -> bool {
        let (board, column, row) = match (&*base.kind, keys) {
            (ast::ExprKind::Index(board, first), [row]) => match &first[..] {
                [column] => (board, column, row),
                _ => return false,
            },
            (_, [column, row]) => (base, column, row),
            _ => return false,
        };
        let is_board = |kind: &SymbolKind<'_>| matches!(kind, SymbolKind::Board { .. });
        if !self.declared(board, locals).is_some_and(|name| self.is_kind(name, is_board)) {
            return false;
        }
        let term = format!(
            "{}({}, {})",
            bouton_syntax::print_expr(board),
            bouton_syntax::print_expr(column),
            bouton_syntax::print_expr(row)
        );
        let found = Diagnostic::new(
            Code::E0201,
            "the cell of a column and a row stands in round brackets, with a comma between them",
            span,
            "",
        );
        let between = |from: Span, to: Span| Span { start: from.end, end: to.start, ..from };
        self.report(
            found
                .help(format!("write `{term}`, counted from 1"))
                .edit(between(board.span, column.span), "(")
                .edit(between(column.span, row.span), ", ")
                .edit(Span { start: row.span.end, ..span }, ")"),
        );
        true
    }

    /// Reports `abs(a - b)`, and gives the greater of both differences.
    pub(super) fn absolute_value(&mut self, of: &ast::Expr, callee: Span, span: Span) -> Expr {
        let written = match &*of.kind {
            ast::ExprKind::Binary(ast::BinaryOp::Subtract, left, right) => {
                let (left, right) = (bouton_syntax::print_expr(left), bouton_syntax::print_expr(right));
                // What is taken away from the other side stands in brackets.
                let negated = |term: &String| match term.contains([' ', '-']) {
                    true => format!("({term})"),
                    false => term.clone(),
                };
                format!("max({left} - {}, {right} - {})", negated(&right), negated(&left))
            }
            _ => {
                let term = bouton_syntax::print_expr(of);
                format!("max({term}, -({term}))")
            }
        };
        let title = "there is no `abs` here: the greater of a number and its negative is the absolute value";
        let found = Diagnostic::new(Code::E0101, title, callee, "");
        self.report(found.help(format!("write `{written}`")).edit(span, written));
        self.poison(span)
    }

    /// Reports `range(0, 3)`, whose end does not belong to it, and gives the range that it means.
    pub(super) fn range_call(&mut self, args: &[ast::Expr], callee: Span, span: Span) -> Expr {
        let number = |arg: &ast::Expr| match &*arg.bare().kind {
            ast::ExprKind::Number(digits) => digits.parse::<i64>().ok(),
            _ => None,
        };
        let bounds = match args {
            [end] => number(end).map(|end| (0, end - 1)),
            [start, end] => number(start).zip(number(end)).map(|(start, end)| (start, end - 1)),
            _ => None,
        };
        let title = "a range is written with two dots, and both its ends belong to it";
        let found = Diagnostic::new(Code::E0101, title, callee, "");
        self.report(match bounds {
            Some((low, high)) => {
                found.help(format!("write `{low}..{high}`")).edit(span, format!("{low}..{high}"))
            }
            None => {
                found.help("write `0..n - 1` for `range(n)`; to go through the elements of a set, `x in S`")
            }
        });
        self.poison(span)
    }
}

/// The number of elements of a term, with brackets around what is more than a name, a call or a field.
pub(super) fn size_of(of: &ast::Expr) -> String {
    use ast::ExprKind as A;
    let words = bouton_syntax::print_expr(of);
    match &*of.kind {
        A::Name(_)
        | A::Index(..)
        | A::Call(..)
        | A::Part(..)
        | A::Set(_)
        | A::Filter(_)
        | A::Paren(_)
        | A::List(_) => {
            format!("#{words}")
        }
        _ => format!("#({words})"),
    }
}
