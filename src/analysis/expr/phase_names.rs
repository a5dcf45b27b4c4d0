//! E0202 for `phase = NAME` where the name of a phase is also that of a field, a constant or a variable: the name means the
//! latter, and a phase is no number.

use crate::analyzer::Analyzer;
use crate::locals::Locals;
use crate::symbols::SymbolKind;
use bouton_syntax::ast;
use bouton_syntax::diag::{Code, Diagnostic};

impl Analyzer<'_> {
    /// Reports a comparison of the phase with a name that means something else here; returns true if it is that.
    pub(super) fn phase_named_otherwise(&mut self, sides: [&ast::Expr; 2], locals: &mut Locals) -> bool {
        let name = |side: &ast::Expr| side.bare().as_name().map(str::to_owned);
        let [left, right] = sides;
        let (other, name) = match (name(left).as_deref(), name(right).as_deref()) {
            (Some("phase"), Some(name)) => (right.span, name.to_owned()),
            (Some(name), Some("phase")) => (left.span, name.to_owned()),
            _ => return false,
        };
        if !self.rules.phases.iter().any(|phase| phase.name == name) {
            return false;
        }
        let local = locals.find(&name).map(|local| ("variable", local.span));
        let declared = local.or_else(|| {
            let symbol = &self.symbols[self.find(&name, other)?];
            let kind = match symbol.kind {
                SymbolKind::Param { .. } => "parameter",
                SymbolKind::Const { .. } => "constant",
                SymbolKind::Field { .. } => "field",
                SymbolKind::Def { .. } | SymbolKind::Inductive { .. } => "definition",
                _ => return None,
            };
            Some((kind, symbol.span))
        });
        let Some((kind, place)) = declared else { return false };
        let title = format!("`{name}` is a {kind} here, and not the phase of this name");
        let found = Diagnostic::new(Code::E0202, title, other, format!("the {kind}"));
        let found = found.label(place, "declared here");
        self.report(found.help(format!(
            "give the {kind} or the phase another name: `phase` is compared with the names of phases alone"
        )));
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn titles(state: &str, condition: &str) -> Vec<String> {
        let text = format!(
            "game \"Stakes\"; players A, B; phases {{ ask; bet; }} state {{ {state} shown: bool = false; }}
             move stake(k: 1..2) in ask {{ continue bet; }} move show(k: 1..2) in bet {{ shown := true; }}
             end {{ when {condition} => mover loses; when shown => A wins; }}"
        );
        found(&text, Code::E0202).into_iter().map(|found| found.title).collect()
    }

    #[test]
    fn names_of_phases_may_mean_something_else() {
        let field = ["`bet` is a field here, and not the phase of this name"];
        assert_eq!(titles("bet: 1..2 = 1;", "phase = bet"), field);
        assert_eq!(titles("bet: 1..2 = 1;", "shown and bet != phase"), field);
        let variable = ["`bet` is a variable here, and not the phase of this name"];
        assert_eq!(titles("", "some bet in 0..0: phase = bet"), variable);
        assert_eq!(titles("", "phase = bet and shown"), [""; 0]);
        assert_eq!(titles("n: 0..1 = 0;", "phase = bet and n = 0"), [""; 0]);
    }
}
