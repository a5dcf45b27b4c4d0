//! One message at a declaration that all its uses contradict, in place of one at each use.

use std::collections::BTreeMap;

use crate::analyzer::Analyzer;
use bouton_base::source::Span;
use bouton_rules::Type;
use bouton_syntax::ast::{self, Bind, CmpOp, ExprKind, FieldDecl, ItemKind, TypeKind, UnaryOp};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

/// The maximal number of uses that a message marks.
const MAX_MARKED_USES: usize = 3;

/// A value of another type than its place requires.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Misfit {
    pub span: Span,
    pub wanted: Type,
}

impl<'a> Analyzer<'a> {
    /// Puts one message at each declaration that all its uses contradict.
    pub(super) fn misdeclared(&mut self) {
        self.parameters_of_another_type();
        self.tables_used_as_sets();
    }

    /// `move take(h: 1..2) { ... size[h] ... size[h] ... }`, where the keys of `size` are the members of a type.
    fn parameters_of_another_type(&mut self) {
        let mut uses: BTreeMap<Span, Vec<Misfit>> = BTreeMap::new();
        for misfit in std::mem::take(&mut self.misfits) {
            // Other advice on the value, such as braces around an element, is better.
            let is_reported = |found: &Diagnostic| {
                found.code == Code::E0201 && found.span() == misfit.span && found.edits.is_empty()
            };
            if let Some(declared) = self.names.definition_of(misfit.span)
                && self.diagnostics.iter().any(is_reported)
            {
                let known = uses.entry(declared).or_default();
                if known.iter().all(|other| other.span != misfit.span) {
                    known.push(misfit);
                }
            }
        }
        for (declared, misfits) in uses {
            let wanted = &misfits[0].wanted;
            let (Some((bind, item)), true) = (
                self.parameter_at(declared),
                misfits.len() > 1 && misfits.iter().all(|misfit| misfit.wanted == *wanted),
            ) else {
                continue;
            };
            let TypeKind::Expr(own) = &bind.ty.kind else { continue };
            let (name, ty) = (&bind.name.text, self.rules.show_type(wanted));
            let title = format!(
                "`{name}` is used as {}, and declared as `{}`",
                self.describe_type(wanted),
                print_expr(own)
            );
            let mut found = Diagnostic::new(Code::E0201, title, bind.ty.span, "");
            for misfit in misfits.iter().take(MAX_MARKED_USES) {
                found = found.label(misfit.span, "used here");
            }
            found = found.help(format!("write `{name}: {ty}`"));
            // The name of a move shows values of any type.
            let is_shown = |of: &Span| match item {
                ItemKind::Move(of_move) => {
                    of_move.template.as_ref().is_some_and(|template| template.span.covers(*of))
                }
                _ => false,
            };
            let fits = |of: &Span| is_shown(of) || misfits.iter().any(|misfit| misfit.span == *of);
            if self.names.uses_of(declared).iter().all(fits) {
                found = found.edit(bind.ty.span, ty);
            }
            let places: Vec<Span> = misfits.iter().map(|misfit| misfit.span).collect();
            self.replace(Code::E0201, &places, found);
        }
    }

    /// `alive[p: Player]: bool = true;` where each use is of a set: `#alive`, `p in alive`, `alive -= { me };`.
    fn tables_used_as_sets(&mut self) {
        if !self.diagnostics.iter().any(|found| found.code == Code::E0102) {
            return;
        }
        for field in self.declared_fields() {
            let declared = field.name.span;
            let uses = self.names.uses_of(declared);
            let is_reported = |at: &Span| {
                self.diagnostics.iter().any(|found| found.code == Code::E0102 && found.span() == *at)
            };
            let ([key], TypeKind::Bool, true) =
                (&field.keys[..], &field.ty.kind, uses.len() > 1 && uses.iter().all(is_reported))
            else {
                continue;
            };
            let name = &field.name.text;
            if self.count_parts(&|expr| is_read_as_a_set(expr, name)) == 0 {
                continue;
            }
            let TypeKind::Expr(of) = &key.ty.kind else { continue };
            let of = print_expr(of);
            let begins = match field.init.as_ref().map(|init| &*init.bare().kind) {
                Some(ExprKind::Bool(true)) => of.clone(),
                Some(ExprKind::Bool(false)) | None => "{}".into(),
                Some(_) => continue,
            };
            let title = format!("`{name}` is used as a set, and declared with a key");
            let mut found = Diagnostic::new(Code::E0102, title, declared, "true or false for each key");
            for place in uses.iter().take(MAX_MARKED_USES) {
                found = found.label(*place, "used as a set");
            }
            let new = format!("{name}: set of {of} = {begins}");
            let end = field.init.as_ref().map_or(field.ty.span, |init| init.span);
            found = found.help(format!("write `{new};`")).edit(declared.to(end), new);
            self.replace(Code::E0102, &uses, found);
        }
    }

    /// Replaces the diagnostics of a code at some places by one.
    fn replace(&mut self, code: Code, places: &[Span], by: Diagnostic) {
        self.diagnostics.retain(|found| found.code != code || !places.contains(&found.span()));
        self.report(by);
    }

    /// The parameter of a move, a definition or an effect whose name stands at a place, with its item.
    fn parameter_at(&self, place: Span) -> Option<(&'a Bind, &'a ItemKind)> {
        self.items().find_map(|(item, _)| {
            let binds = match &item.kind {
                ItemKind::Move(of) => &of.params,
                ItemKind::Def { formals: Some(formals), .. } | ItemKind::Effect { formals, .. } => formals,
                _ => return None,
            };
            binds.iter().find(|bind| bind.name.span == place).map(|bind| (bind, &item.kind))
        })
    }

    /// The fields of the state, as declared.
    fn declared_fields(&self) -> Vec<&'a FieldDecl> {
        let fields = |kind: &'a ItemKind| match kind {
            ItemKind::State(fields) => &fields[..],
            _ => &[],
        };
        self.items().flat_map(|(item, _)| fields(&item.kind)).collect()
    }
}

/// `#alive`, `p in alive`
fn is_read_as_a_set(expr: &ast::Expr, name: &str) -> bool {
    let is_it = |of: &ast::Expr| of.bare().as_name() == Some(name);
    match &*expr.kind {
        ExprKind::Unary(UnaryOp::Count, of) => is_it(of),
        ExprKind::Compare(_, rest) => {
            rest.iter().any(|(op, right)| matches!(op, CmpOp::In | CmpOp::NotIn) && is_it(right))
        }
        _ => false,
    }
}
