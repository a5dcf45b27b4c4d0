//! Records whose parts are written without the name of the record.

use crate::analyzer::Analyzer;
use crate::locals::Locals;
use bouton_rules::Type;
use bouton_syntax::ast::{self, CmpOp};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

impl Analyzer<'_> {
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
}
