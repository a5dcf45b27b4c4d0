//! Graphs and definitions that could be read, in the form of other languages: `board Dock = graph([(a, b),
//! (b, c)]);`, `def done: n = 0;`.

use super::RepairSession;
use super::declared_names::Declared;
use crate::ast::{BoardForm, Expr, ExprKind, GraphLine, ItemKind, Name, TypeKind};
use crate::diag::{Code, Diagnostic};
use bouton_base::source::Span;

/// The two points of an edge: `(a, b)`, `[a, b]`, `{ a, b }`.
fn points_of(edge: &Expr) -> Option<Vec<Name>> {
    let points = match &*edge.bare().kind {
        ExprKind::Tuple(points) | ExprKind::List(points) | ExprKind::Set(points) => points,
        _ => return None,
    };
    let name = |point: &Expr| Some(Name { text: point.as_name()?.to_owned(), span: point.span });
    points.iter().map(name).collect::<Option<Vec<Name>>>().filter(|points| points.len() == 2)
}

/// The lines of the graph that `graph([(a, b), (b, c)])` stands for.
fn lines_of_a_call(form: &Expr) -> Option<Vec<GraphLine>> {
    let ExprKind::Call(function, args) = &*form.kind else { return None };
    if function.as_name() != Some("graph") || args.is_empty() {
        return None;
    }
    let edges = match &*args[0].bare().kind {
        ExprKind::List(edges) | ExprKind::Set(edges) if args.len() == 1 => edges,
        _ => args,
    };
    let line = |edge: &Expr| {
        let mut points = points_of(edge)?.into_iter();
        let first = points.next()?;
        let rest = points.map(|point| (false, point)).collect();
        Some(GraphLine { is_line: false, first, rest, span: edge.span })
    };
    edges.iter().map(line).collect::<Option<Vec<GraphLine>>>().filter(|lines| !lines.is_empty())
}

impl RepairSession {
    /// Reports the boards `graph([(a, b), (b, c)])`, and reads them as `graph { a - b; b - c; }`.
    pub fn mend_called_graphs(&mut self) {
        for item in &mut self.items {
            let ItemKind::Board { form, .. } = &mut item.kind else { continue };
            let BoardForm::Expr(call) = &*form else { continue };
            let Some(lines) = lines_of_a_call(call) else { continue };
            let shown = |line: &GraphLine| format!("{} - {};", line.first.text, line.rest[0].1.text);
            let new = format!("graph {{ {} }}", lines.iter().map(shown).collect::<Vec<_>>().join(" "));
            let title = "the edges of a graph stand in braces, with `-` between their points";
            // The `;` of the board goes as well.
            let label = call.span;
            let help = format!(
                "write `graph {{ {} ... }}`: `-` joins both ways, `->` one way only",
                shown(&lines[0])
            );
            self.diagnostics.push(Diagnostic::new(Code::E0013, title, label, "").help(help).edit(label, new));
            *form = BoardForm::Graph(lines);
        }
    }

    /// Reports the definitions `done: n = 0` whose type is a field, and removes their damage.
    pub fn mend_values_as_types(&mut self) {
        let declared = Declared::of(&self.items);
        for item in &mut self.items {
            let ItemKind::Def { name, ty, body, formals: None } = &mut item.kind else { continue };
            let Some(TypeKind::Expr(term)) = ty.as_ref().map(|ty| &ty.kind) else { continue };
            let root = root_of(term);
            let is_field =
                root.and_then(|root| declared.values.get(root)).is_some_and(|(word, _)| *word == "a field");
            let is_keyed = root.is_some_and(|root| declared.key_types.contains_key(root));
            if !is_field && !is_keyed {
                continue;
            }
            let term_text = crate::print_expr(term);
            let sign = Span { start: name.span.end, end: term.span.start, ..term.span };
            let title = "what a definition stands for follows `=`; behind `:` stands a type";
            let help = format!("write `def {} = {term_text} = {};`", name.text, crate::print_expr(body));
            let found = Diagnostic::new(Code::E0013, title, term.span, "").help(help).edit(sign, " = ");
            self.diagnostics.push(found);
            *ty = None;
            *body = Expr::new(ExprKind::Error, body.span);
        }
    }
}

/// The name with which a term of a field begins: `n` of `n`, `left` of `left[p]`.
fn root_of(term: &Expr) -> Option<&str> {
    match &*term.kind {
        ExprKind::Index(field, _) => field.as_name(),
        ExprKind::Binary(_, left, _) => root_of(left),
        _ => term.as_name(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{mended, titles};

    #[test]
    fn edges_stand_in_braces() {
        let text = |form: &str| format!("board Dock = {form}\nstate {{ at: Dock = pier; }}\n");
        for edges in [
            "[(pier, quay), (quay, mole)]",
            "[[pier, quay], [quay, mole]]",
            "(pier, quay), (quay, mole)",
            "{ (pier, quay), (quay, mole) }",
        ] {
            let old = text(&format!("graph({edges});"));
            assert_eq!(titles(&old).len(), 1, "{edges}: {:?}", titles(&old));
            let new = mended(&old);
            assert_eq!(new, text("graph { pier - quay; quay - mole; };"), "{edges}");
            assert!(titles(&new).is_empty(), "{:?}", titles(&new));
        }
    }

    #[test]
    fn a_field_is_no_type() {
        let text = |item: &str| format!("state {{ n: 0..5 = 0; }}\n{item}\n");
        let old = text("def done: n = 0;");
        assert_eq!(titles(&old), ["what a definition stands for follows `=`; behind `:` stands a type"]);
        assert_eq!(mended(&old), text("def done = n = 0;"));
        assert!(titles(&text("def done: 0..3 = n;")).is_empty());
    }
}
