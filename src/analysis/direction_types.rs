//! Advice on an unknown type of a parameter that is added to a cell: `d: Straight` beside `at + d`.

use super::analyzer::Analyzer;
use super::symbols::SymbolKind;
use bouton_base::source::Span;
use bouton_syntax::ast::{self, BinaryOp, Expr, ExprKind, ItemKind, StmtBlock, TypeKind};
use bouton_syntax::visit;

impl Analyzer<'_> {
    /// Advice where an unknown type is that of a parameter which stands behind a cell and `+`.
    pub(super) fn direction_is_needed(&self, span: Span) -> Option<String> {
        let item = self.item_around(span)?;
        let params = parameters(item);
        let param = params.iter().find(|param| param.ty.span == span)?;
        let mut is_direction = false;
        of_item(item, &mut |part| {
            if let ExprKind::Binary(BinaryOp::Add, start, step) = &*part.kind {
                let is_param = step.bare().as_name() == Some(param.name.text.as_str());
                is_direction |= is_param && self.is_declared_cell(start, params);
            }
        });
        let words = "`Dir` has all of them, `Orthogonal` the straight ones, `Diagonal` the \
                     others";
        is_direction.then(|| words.to_owned())
    }

    /// Returns true for a parameter or a field that is declared with the cells of a board.
    fn is_declared_cell(&self, term: &Expr, params: &[ast::Bind]) -> bool {
        let base = match &*term.bare().kind {
            ExprKind::Index(base, _) => base.bare(),
            _ => term.bare(),
        };
        let Some(name) = base.as_name() else { return false };
        if let Some(param) = params.iter().find(|param| param.name.text == name) {
            return self.is_board_type(&param.ty);
        }
        self.items().any(|(item, _)| match &item.kind {
            ItemKind::State(fields) => {
                fields.iter().any(|field| field.name.text == name && self.is_board_type(&field.ty))
            }
            _ => false,
        })
    }

    fn is_board_type(&self, ty: &ast::Type) -> bool {
        match &ty.kind {
            TypeKind::Option(inner) => self.is_board_type(inner),
            TypeKind::Expr(named) => named
                .bare()
                .as_name()
                .is_some_and(|name| self.is_kind(name, |kind| matches!(kind, SymbolKind::Board { .. }))),
            _ => false,
        }
    }
}

/// The parameters that an item declares.
fn parameters(item: &ItemKind) -> &[ast::Bind] {
    match item {
        ItemKind::Move(of) => &of.params,
        ItemKind::Def { formals: Some(formals), .. }
        | ItemKind::Inductive { formals, .. }
        | ItemKind::Effect { formals, .. } => formals,
        _ => &[],
    }
}

/// Visits all terms of the body of an item.
fn of_item<'e>(item: &'e ItemKind, see: &mut dyn FnMut(&'e Expr)) {
    match item {
        ItemKind::Move(ast::MoveDecl { body, .. }) | ItemKind::Effect { body, .. } => of_block(body, see),
        ItemKind::Def { body, .. } | ItemKind::Inductive { body, .. } => of_term(body, see),
        _ => {}
    }
}

fn of_block<'e>(block: &'e StmtBlock, see: &mut dyn FnMut(&'e Expr)) {
    for stmt in &block.stmts {
        visit::statement(stmt, &mut |term| of_term(term, see));
    }
}

fn of_term<'e>(term: &'e Expr, see: &mut dyn FnMut(&'e Expr)) {
    see(term);
    visit::children(term, &mut |part| of_term(part, see));
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn told(field: &str, term: &str) -> (String, String) {
        let text = format!(
            "game \"Straight\"; players A, B; board Cell = grid(3, 3); state {{ {field}; n: 0..9 = 0; }}
             move go(d: Straight) as \"{{d}}\" {{ let to = {term}; n += 1; }}
             end {{ when n = 9 => mover loses; }}"
        );
        let found = found(&text, Code::E0101).remove(0);
        assert!(found.edits.is_empty());
        (found.labels[0].text.clone(), found.help.unwrap_or_default())
    }

    #[test]
    fn directions_are_added_to_cells() {
        for (field, term) in [
            ("at: Cell = a1", "at + d"),
            ("at[p: Player]: Cell? = a1", "at[me] + d"),
            ("at: Cell = a1", "if n = 2 then at else (at) + d"),
        ] {
            let (label, help) = told(field, term);
            assert_eq!(label, "a direction is needed; this name is declared nowhere", "{term}");
            assert!(help.contains("`Orthogonal` the straight ones"), "{help}");
        }
        let (_, help) = told("at: 0..9 = 0", "at + d");
        assert!(help.starts_with("declare it"), "{help}");
    }
}
