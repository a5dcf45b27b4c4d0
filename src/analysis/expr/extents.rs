//! The numbers that a term may be, from declared ranges alone: whatever the parameters and the position are.

use crate::analyzer::Analyzer;
use crate::locals::Locals;
use bouton_base::source::Span;
use bouton_rules::{EnumKind, Type};
use bouton_syntax::ast::{
    self, BinaryOp, ExprKind, ItemKind, Pattern, StmtBlock, StmtKind, TypeKind, UnaryOp,
};
use bouton_syntax::visit;

/// The least and the greatest number of a term.
pub(crate) type Extent = [i64; 2];

/// The declaration of a variable.
pub(super) enum Declared<'e> {
    Typed(&'e ast::Type),
    Value(&'e ast::Expr),
    /// One of the elements of a set.
    Among(&'e ast::Expr),
}

/// The deepest chain of names that is followed.
const DEPTH: usize = 12;

impl<'a> Analyzer<'a> {
    /// The numbers that a term may be at most; `None` if its form does not say.
    pub(crate) fn extent(&self, term: &ast::Expr, locals: &Locals) -> Option<Extent> {
        self.extent_within(term, locals, DEPTH)
    }

    fn extent_within(&self, term: &ast::Expr, locals: &Locals, depth: usize) -> Option<Extent> {
        let depth = depth.checked_sub(1)?;
        let of = |part: &ast::Expr| self.extent_within(part, locals, depth);
        match &*term.bare().kind {
            ExprKind::Number(digits) => digits.parse().ok().map(|n| [n, n]),
            ExprKind::Unary(UnaryOp::Negate, inner) => of(inner).map(|[a, b]| [-b, -a]),
            ExprKind::Unary(UnaryOp::Count, set) => self.size_within(set, locals, depth),
            ExprKind::Name(name) => self.extent_of_name(name, locals, depth),
            ExprKind::Part(base, part) => self.extent_of_coordinate(base, &part.text, locals, depth),
            ExprKind::Index(base, _) => {
                let name = base.as_name().filter(|name| !locals.has(name))?;
                self.extent_of_type(self.declared_field(name)?, depth)
            }
            ExprKind::Binary(op, a, b) => {
                let ([a, b], [c, d]) = (of(a)?, of(b)?);
                let is_small = [a, b, c, d].iter().all(|n| n.unsigned_abs() < 1 << 30);
                match op {
                    _ if !is_small => None,
                    BinaryOp::Add => Some([a + c, b + d]),
                    BinaryOp::Subtract => Some([a - d, b - c]),
                    BinaryOp::Multiply => {
                        let all = [a * c, a * d, b * c, b * d];
                        Some([*all.iter().min()?, *all.iter().max()?])
                    }
                    _ => None,
                }
            }
            ExprKind::Call(callee, args) if args.len() > 1 => {
                let all: Option<Vec<Extent>> = args.iter().map(of).collect();
                let all = all?;
                let (lows, highs) = (all.iter().map(|e| e[0]), all.iter().map(|e| e[1]));
                match callee.as_name()? {
                    "min" => Some([lows.min()?, highs.min()?]),
                    "max" => Some([lows.max()?, highs.max()?]),
                    _ => None,
                }
            }
            ExprKind::If(_, yes, no) => {
                let ([a, b], [c, d]) = (of(yes)?, of(no)?);
                Some([a.min(c), b.max(d)])
            }
            _ => None,
        }
    }

    /// The numbers of the columns, rows or levels of the board of a variable.
    fn extent_of_coordinate(
        &self,
        cell: &ast::Expr,
        part: &str,
        locals: &Locals,
        depth: usize,
    ) -> Option<Extent> {
        let name = cell.bare().as_name()?;
        let local = locals.stack.iter().rev().find(|local| local.name == name)?;
        let board = &self.rules.boards[self.board_of(&local.ty)?].name;
        let shape = self.items().find_map(|(item, _)| match &item.kind {
            ItemKind::Board { name, form: ast::BoardForm::Expr(shape), .. } if name.text == *board => {
                Some(shape)
            }
            _ => None,
        })?;
        let ExprKind::Call(of, sizes) = &*shape.bare().kind else { return None };
        let size = match (of.as_name()?, part) {
            ("grid" | "hex" | "torus" | "cube" | "strip" | "ring", "col") => sizes.first(),
            ("grid" | "hex" | "torus" | "cube", "row") => sizes.get(1),
            ("cube", "level") => sizes.get(2),
            _ => None,
        };
        let [_, most] = self.extent_within(size?, &Locals::constant(), depth)?;
        Some([1, most])
    }

    fn extent_of_name(&self, name: &str, locals: &Locals, depth: usize) -> Option<Extent> {
        if let Some(local) = locals.stack.iter().rev().find(|local| local.name == name) {
            return match self.declaration_of(local.span)? {
                Declared::Typed(ty) => self.extent_of_type(ty, depth),
                Declared::Value(value) => self.extent_within(value, locals, depth),
                Declared::Among(set) => self.extent_of_elements(set, locals, depth),
            };
        }
        if let Some(ty) = self.declared_field(name) {
            return self.extent_of_type(ty, depth);
        }
        let none = Locals::constant();
        self.items().find_map(|(item, _)| match &item.kind {
            ItemKind::Const { name: of, keys, value, .. } if of.text == name && keys.is_empty() => {
                self.extent_within(value, &none, depth)
            }
            ItemKind::Param { name: of, ty, .. } if of.text == name => self.extent_of_type(ty, depth),
            _ => None,
        })
    }

    /// The declared type of the values of a field.
    fn declared_field(&self, name: &str) -> Option<&'a ast::Type> {
        self.items().find_map(|(item, _)| match &item.kind {
            ItemKind::State(fields) => {
                fields.iter().find(|field| field.name.text == name).map(|field| &field.ty)
            }
            _ => None,
        })
    }

    /// The numbers of a declared type.
    pub(crate) fn extent_of_type(&self, ty: &ast::Type, depth: usize) -> Option<Extent> {
        match &ty.kind {
            TypeKind::Expr(set) => self.extent_of_elements(set, &Locals::constant(), depth),
            _ => None,
        }
    }

    fn extent_of_elements(&self, set: &ast::Expr, locals: &Locals, depth: usize) -> Option<Extent> {
        let depth = depth.checked_sub(1)?;
        match &*set.bare().kind {
            ExprKind::Range(low, high) => {
                let [low, high] = [low, high].map(|end| self.extent_within(end, locals, depth));
                Some([low?[0], high?[1]])
            }
            ExprKind::Name(name) if !locals.has(name) => {
                self.items().find_map(|(item, _)| match &item.kind {
                    ItemKind::TypeAlias { name: of, ty } if of.text == *name => {
                        self.extent_of_type(ty, depth)
                    }
                    ItemKind::State(fields) => {
                        let field = fields.iter().find(|field| field.name.text == *name)?;
                        let TypeKind::Set(of) = &field.ty.kind else { return None };
                        self.extent_of_type(of, depth)
                    }
                    _ => None,
                })
            }
            _ => None,
        }
    }

    /// The number of elements of a list that is written out, or that a set of a declared type may have.
    fn size_within(&self, set: &ast::Expr, locals: &Locals, depth: usize) -> Option<Extent> {
        // A side is of one cell or of two.
        if let ExprKind::Part(side, part) = &*set.bare().kind
            && part.text == "boxes"
            && let Some(side) = side.bare().as_name()
            && let Some(local) = locals.stack.iter().rev().find(|local| local.name == side)
            && let Type::Sym(of) = local.ty.base()
            && let EnumKind::Sides(_) = self.rules.enums[*of].kind
        {
            return Some([1, 2]);
        }
        let name = match &*set.bare().kind {
            ExprKind::Index(base, _) => base.as_name(),
            ExprKind::Name(name) => Some(name.as_str()),
            _ => None,
        };
        let name = name.filter(|name| !locals.has(name))?;
        if let Some(ty) = self.declared_field(name) {
            let TypeKind::Set(of) = &ty.kind else { return None };
            return self.number_of_values(of, depth).map(|most| [0, most]);
        }
        self.items().find_map(|(item, _)| match &item.kind {
            ItemKind::Const { name: of, keys, value, .. } if of.text == *name && keys.is_empty() => {
                let ExprKind::List(elements) = &*value.bare().kind else { return None };
                let length = elements.len() as i64;
                set.bare().as_name().is_some().then_some([length, length])
            }
            _ => None,
        })
    }

    fn number_of_values(&self, ty: &ast::Type, depth: usize) -> Option<i64> {
        if let Some([low, high]) = self.extent_of_type(ty, depth) {
            return Some(high - low + 1);
        }
        let TypeKind::Expr(name) = &ty.kind else { return None };
        let name = name.bare().as_name()?;
        self.items().find_map(|(item, _)| match &item.kind {
            ItemKind::Enum { name: of, members } if of.text == name => Some(members.len() as i64),
            ItemKind::Players(players) if name == "Player" => Some(players.len() as i64),
            _ => None,
        })
    }

    /// The declaration of a variable by its place.
    pub(super) fn declaration_of(&self, span: Span) -> Option<Declared<'a>> {
        let typed = |binds: &'a [ast::Bind]| {
            binds.iter().find(|b| b.name.span == span).map(|b| Declared::Typed(&b.ty))
        };
        match self.item_around(span)? {
            ItemKind::Move(of) => typed(&of.params).or_else(|| declared_in(&of.body, span)),
            ItemKind::Effect { formals, body, .. } => typed(formals).or_else(|| declared_in(body, span)),
            ItemKind::EveryMove(body) => declared_in(body, span),
            ItemKind::Const { keys, value, .. } => typed(keys).or_else(|| declared_within(value, span)),
            ItemKind::State(fields) => fields.iter().find_map(|field| {
                let inner = |init: &'a ast::Expr| declared_within(init, span);
                typed(&field.keys).or_else(|| field.init.as_ref().and_then(inner))
            }),
            ItemKind::Def { formals: Some(formals), body, .. }
            | ItemKind::Inductive { formals, body, .. } => {
                typed(formals).or_else(|| declared_within(body, span))
            }
            ItemKind::Def { body, .. } => declared_within(body, span),
            ItemKind::End(rules) => rules.iter().find_map(|rule| match &rule.condition {
                ast::EndCondition::When { binder, condition } => {
                    let own = binder.as_ref().and_then(|one| bound(std::slice::from_ref(one), span));
                    own.or_else(|| declared_within(condition, span))
                }
                _ => None,
            }),
            _ => None,
        }
    }
}

/// The declaration of a variable in the statements of a block.
fn declared_in(block: &StmtBlock, span: Span) -> Option<Declared<'_>> {
    block.stmts.iter().filter(|stmt| stmt.span.covers(span)).find_map(|stmt| {
        let in_statement = match &stmt.kind {
            StmtKind::Let(Pattern::Name(name), value) if name.span == span => Some(Declared::Value(value)),
            StmtKind::For(binders, inner) => bound(binders, span).or_else(|| declared_in(inner, span)),
            StmtKind::Then(inner) => declared_in(inner, span),
            StmtKind::If(_, yes, no) => {
                declared_in(yes, span).or_else(|| no.as_ref().and_then(|no| declared_in(no, span)))
            }
            _ => None,
        };
        let mut found = in_statement;
        if found.is_none() {
            visit::statement(stmt, &mut |expr| {
                found = found.take().or_else(|| declared_within(expr, span));
            });
        }
        found
    })
}

/// The declaration of a variable in an expression.
fn declared_within(expr: &ast::Expr, span: Span) -> Option<Declared<'_>> {
    let own = match &*expr.kind {
        ExprKind::Let(Pattern::Name(name), value, _) if name.span == span => Some(Declared::Value(value)),
        ExprKind::Quant(_, binders, _) | ExprKind::Comprehension(_, binders) => bound(binders, span),
        ExprKind::Filter(binder) => bound(std::slice::from_ref(binder), span),
        _ => None,
    };
    let mut found = own;
    if found.is_none() && expr.span.covers(span) {
        visit::children(expr, &mut |part| {
            found = found.take().or_else(|| declared_within(part, span));
        });
    }
    found
}

fn bound(binders: &[ast::Binder], span: Span) -> Option<Declared<'_>> {
    let is_it = |binder: &&ast::Binder| matches!(&binder.pattern, Pattern::Name(name) if name.span == span);
    binders.iter().find(is_it).map(|binder| Declared::Among(&binder.domain))
}
