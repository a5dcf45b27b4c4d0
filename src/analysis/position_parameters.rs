//! Parameters of moves whose types read the position: `k: 1..left`, `to: pos[me].neighbors`.

use std::collections::HashSet;

use super::analyzer::Analyzer;
use super::lints::expr_names;
use super::locals::{ExprPlace, Locals};
use bouton_base::source::Span;
use bouton_rules::Type;
use bouton_syntax::ast::{self, ExprKind, TypeKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

impl Analyzer<'_> {
    /// Reports a parameter whose type reads the position, and gives the type of all its values; `None` if it is another.
    pub(super) fn parameter_of_the_position(&mut self, of: &ast::MoveDecl, bind: &ast::Bind) -> Option<Type> {
        let TypeKind::Expr(words) = &bind.ty.kind else { return None };
        let mut used = HashSet::new();
        expr_names(words, &mut used);
        let reads = used.iter().any(|name| self.field_of(name).is_some());
        if !reads || self.options.damaged {
            return None;
        }
        // A name that the type binds itself may be that of a field as well.
        if self.quiet_type(words, &mut Locals::constant()).is_some() {
            return None;
        }
        let place = if of.chance { ExprPlace::Chance } else { ExprPlace::Move };
        let mut locals = Locals::new(place);
        let name = &bind.name.text;
        let (ty, shown, condition) = match &*words.bare().kind {
            ExprKind::Range(low, high) => {
                let Type::Int(_, most) = self.quiet_type(high, &mut locals)? else { return None };
                let ExprKind::Number(least) = &*low.bare().kind else { return None };
                let range = Type::Int(least.parse().ok()?, most);
                (range, format!("{least}..{most}"), format!("{name} <= {}", print_expr(high)))
            }
            _ => {
                let set = self.quiet_type(words, &mut locals)?;
                let Type::Set(element) = set.base() else { return None };
                let ty = (**element).clone();
                let shown = self.rules.show_type(&ty);
                (ty, shown, format!("{name} in {}", print_expr(words)))
            }
        };
        if matches!(ty, Type::Int(low, high) if low > high || high == i64::MAX) {
            return None;
        }
        let title = format!("the values of the parameter `{name}` are the same in all positions");
        let found = Diagnostic::new(Code::E0201, title, words.span, "this depends on the position");
        let found = found.help(format!("write `{name}: {shown}`, and `when {condition};` in the move"));
        let found = found.edit(words.span, shown);
        let is_there = of.body.stmts.iter().any(|stmt| match &stmt.kind {
            ast::StmtKind::When(known) => print_expr(known) == condition,
            _ => false,
        });
        let start = of.body.span.start + 1;
        let inside = Span { start, end: start, ..of.body.span };
        self.report(if is_there { found } else { found.edit(inside, format!(" when {condition};")) });
        Some(ty)
    }
}
