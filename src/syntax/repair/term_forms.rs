//! Terms that parse, but have the form of other languages: `(load + d).min(goal)`, `done()`,
//! `Man(side = p, kind = lancer)`, `mill-yard` for an edge, `mover is stuck`.

use super::RepairSession;
use super::declared_names::{Declared, Variables, is_set};
use crate::ast::{BinaryOp, CmpOp, Expr, ExprKind, Name, UnaryOp};
use crate::diag::{Code, Diagnostic};
use crate::print_expr;
use crate::visit_mut::{TermVisitor, visit_item};
use bouton_base::source::Span;

/// The words of a position that are players.
const PLAYERS_OF_A_POSITION: [&str; 3] = ["mover", "me", "opponent"];

impl RepairSession {
    /// Reports terms that parse, but have the form of other languages, and gives them the form of this one.
    pub fn mend_terms(&mut self) {
        let declared = Declared::of(&self.items);
        let mut variables: Vec<Variables> = Vec::new();
        for item in &mut self.items {
            let mut own = Variables::default();
            visit_item(&mut item.kind, &mut own);
            variables.push(own);
        }
        let has_edges = variables.iter().any(|own| own.has_edges);
        for (item, own) in self.items.iter_mut().zip(&variables) {
            let mut forms = TermForms { declared: &declared, own, has_edges, found: Vec::new() };
            visit_item(&mut item.kind, &mut forms);
            self.diagnostics.append(&mut forms.found);
            let mut parts = PartsOfPlayers { forms, found: Vec::new() };
            visit_item(&mut item.kind, &mut parts);
            self.diagnostics.append(&mut parts.found);
        }
    }
}

/// The search for such terms in an item.
struct TermForms<'d> {
    declared: &'d Declared,
    own: &'d Variables,
    has_edges: bool,
    found: Vec<Diagnostic>,
}

/// A term in the form of this language, with the message about its own form.
struct NewForm {
    found: Diagnostic,
    kind: ExprKind,
}

impl NewForm {
    fn new(code: Code, title: impl Into<String>, span: Span, term: Expr) -> Self {
        let new = print_expr(&term);
        let found =
            Diagnostic::new(code, title, span, "").help(format!("write `{new}`")).edit(term.span, new);
        NewForm { found, kind: *term.kind }
    }

    /// A term whose form only the writer knows.
    fn unknown(code: Code, title: impl Into<String>, span: Span, help: impl Into<String>) -> Self {
        NewForm { found: Diagnostic::new(code, title, span, "").help(help), kind: ExprKind::Error }
    }
}

impl TermVisitor for TermForms<'_> {
    fn term(&mut self, term: &mut Expr) {
        self.enclose_comparisons(term);
        let new = self
            .method(term)
            .or_else(|| self.called_value(term))
            .or_else(|| self.named_parts(term))
            .or_else(|| self.edge(term))
            .or_else(|| self.stuck_player(term))
            .or_else(|| self.elements_behind_a_bar(term));
        if let Some(new) = new {
            self.found.push(new.found);
            *term.kind = new.kind;
        }
    }
}

/// The search for definitions behind a player: `p.force`.
struct PartsOfPlayers<'d> {
    forms: TermForms<'d>,
    found: Vec<Diagnostic>,
}

impl TermVisitor for PartsOfPlayers<'_> {
    fn term(&mut self, term: &mut Expr) {
        let ExprKind::Part(base, part) = &*term.kind else { return };
        let name = base.as_name().unwrap_or_default();
        let set = self.forms.own.sets.get(name).and_then(Option::as_deref);
        // A player has no parts, and other values may have one of this name.
        if set != Some("Player") && !PLAYERS_OF_A_POSITION.contains(&name) {
            return;
        }
        if let Some(new) = self.forms.definition_as_a_part(term, base, part, &[]) {
            self.found.push(new.found);
            *term.kind = new.kind;
        }
    }
}

impl TermForms<'_> {
    fn is_own(&self, name: &str) -> bool {
        self.declared.has(name) || self.own.sets.contains_key(name)
    }

    /// Puts comparisons that were methods in brackets where they stand in a tighter term.
    fn enclose_comparisons(&mut self, term: &mut Expr) {
        let mut inside: Vec<&mut Expr> = Vec::new();
        match &mut *term.kind {
            ExprKind::Compare(first, rest) => {
                inside.push(first);
                inside.extend(rest.iter_mut().map(|(_, other)| other));
            }
            ExprKind::Binary(op, left, right)
                if !matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Implies | BinaryOp::Iff) =>
            {
                inside.extend([left, right]);
            }
            ExprKind::Unary(UnaryOp::Count | UnaryOp::Negate, inner) | ExprKind::Part(inner, _) => {
                inside.push(inner);
            }
            _ => return,
        }
        for part in inside {
            if !matches!(&*part.kind, ExprKind::Compare(..)) {
                continue;
            }
            let span = part.span;
            let edits = self.found.iter_mut().flat_map(|found| &mut found.edits);
            for edit in edits.filter(|edit| edit.span == span) {
                edit.text = format!("({})", edit.text);
            }
            let inner = Expr::new((*part.kind).clone(), span);
            *part.kind = ExprKind::Paren(inner);
        }
    }

    /// Reads `x.min(y)` as `min(x, y)`, and `A.issubset(B)` as `A in B`.
    fn method(&self, term: &Expr) -> Option<NewForm> {
        let ExprKind::Call(head, args) = &*term.kind else { return None };
        let ExprKind::Part(base, part) = &*head.kind else { return None };
        // A name that is declared nowhere may be a module, as in `Math.max(a, b)`.
        if let Some(new) = self.definition_as_a_part(term, base, part, args) {
            return Some(new);
        }
        let is_module = base.as_name().is_some_and(|name| !self.is_own(name));
        if is_module || self.declared.part_names.contains(&part.text) {
            return None;
        }
        let word = part.text.to_ascii_lowercase().replace('_', "");
        let span = part.span;
        let one = |of: Vec<Expr>, word: &str| {
            let head = Expr::new(ExprKind::Name(word.to_owned()), span);
            Expr::new(ExprKind::Call(head, of), term.span)
        };
        match (word.as_str(), &args[..]) {
            ("min" | "max", []) => Some(self.extreme_of_a_set(&word, base, term)),
            ("min" | "max", _) => {
                let name = base.as_name().unwrap_or_default();
                let is_list = self.declared.lists.contains(name) || self.declared.sets.contains(name);
                if is_list || is_set(&base.bare().kind) {
                    return None;
                }
                let of = [base.bare()].into_iter().chain(args).cloned().collect();
                let title = format!("`{word}` is a function of its terms, and no part of one");
                Some(NewForm::new(Code::E0101, title, span, one(of, &word)))
            }
            ("abs", []) => {
                let negative = Expr::new(ExprKind::Unary(UnaryOp::Negate, operand(base)), base.span);
                let title = "the absolute value is the greater of a number and its negative";
                let of = vec![base.bare().clone(), negative];
                Some(NewForm::new(Code::E0101, title, span, one(of, "max")))
            }
            (_, [other]) => compared_sets(&word, base, other).map(|kind| {
                let title = format!("sets are compared by signs: there is no part `{}`", part.text);
                NewForm::new(Code::E0101, title, span, Expr::new(kind, term.span))
            }),
            _ => None,
        }
    }

    /// Reads `p.force()`, where `force` is a definition with one parameter, as `force(p)`.
    fn definition_as_a_part(&self, term: &Expr, base: &Expr, part: &Name, args: &[Expr]) -> Option<NewForm> {
        let name = base.as_name();
        let is_value = name.is_none_or(|name| self.is_own(name) || PLAYERS_OF_A_POSITION.contains(&name));
        let is_definition = self.declared.definitions.contains(&part.text);
        let formals = self.declared.parts.get(&part.text).filter(|_| is_definition && is_value)?;
        (formals.len() == args.len() + 1).then(|| {
            let head = Expr::new(ExprKind::Name(part.text.clone()), part.span);
            let of = [base.bare()].into_iter().chain(args).cloned().collect();
            let title = format!("`{}` is a definition, and stands before its arguments", part.text);
            let new = Expr::new(ExprKind::Call(head, of), term.span);
            NewForm::new(Code::E0101, title, part.span, new)
        })
    }

    /// Reads `S.min()` as `min(S)` for a set, and as `(min i in 1..#l: l[i])` for a list.
    fn extreme_of_a_set(&self, word: &str, base: &Expr, term: &Expr) -> NewForm {
        let title = format!("`{word}` is a function of a set, and no part of it");
        let name = base.as_name().unwrap_or_default();
        let of = print_expr(base.bare());
        let head = Expr::new(ExprKind::Name(word.to_owned()), base.span);
        if self.declared.lists.contains(name) {
            let new = format!("({word} i in 1..#{of}: {of}[i])");
            let mut form = NewForm::unknown(Code::E0101, title, term.span, format!("write `{new}`"));
            if !self.is_own("i") {
                form.found = form.found.edit(term.span, new);
            }
            return form;
        }
        if self.declared.sets.contains(name) && !self.own.sets.contains_key(name) || is_set(&base.bare().kind)
        {
            let new = Expr::new(ExprKind::Call(head, vec![base.bare().clone()]), term.span);
            return NewForm::new(Code::E0101, title, term.span, new);
        }
        let help = format!("write `{word}({of})` for a set, `({word} i in 1..#{of}: {of}[i])` for a list");
        NewForm::unknown(Code::E0101, title, term.span, help)
    }

    /// Reads `done()` of a field, a constant, a parameter or a variable as `done`.
    fn called_value(&self, term: &Expr) -> Option<NewForm> {
        let ExprKind::Call(head, args) = &*term.kind else { return None };
        let name = head.as_name().filter(|_| args.is_empty())?;
        let word = match self.declared.values.get(name) {
            _ if self.own.sets.contains_key(name) => "a variable",
            Some((word, _)) => *word,
            None if name == "stuck" && !self.is_own(name) => "a condition",
            None => return None,
        };
        let title = format!("`{name}` is {word}, and stands without brackets");
        let brackets = Span { start: head.span.end, ..term.span };
        let found = Diagnostic::new(Code::E0102, title, term.span, "");
        let found = found.help(format!("write `{name}`")).edit(brackets, "");
        Some(NewForm { found, kind: ExprKind::Name(name.to_owned()) })
    }

    /// Reads `Man(side = p, kind = lancer)` as `Man(p, lancer)`.
    fn named_parts(&self, term: &Expr) -> Option<NewForm> {
        let ExprKind::Call(head, args) = &*term.kind else { return None };
        let name = head.as_name()?;
        let parts = self.declared.parts.get(name).filter(|parts| parts.len() == args.len())?;
        let mut values: Vec<Option<Expr>> = vec![None; parts.len()];
        let mut named = 0;
        for (at, arg) in args.iter().enumerate() {
            let part = match &*arg.kind {
                ExprKind::Compare(part, rest) => match &rest[..] {
                    [(CmpOp::Equal | CmpOp::DoubleEqual, value)] => part.as_name().map(|part| (part, value)),
                    _ => None,
                },
                _ => None,
            };
            let known = part.and_then(|(part, value)| {
                let place = parts.iter().position(|own| own == part)?;
                (!self.is_own(part)).then_some((place, value))
            });
            let (place, value) = match known {
                Some((place, value)) => {
                    named += 1;
                    (place, value)
                }
                // Behind a part with a name each has its name.
                None if named == 0 => (at, arg),
                None => return None,
            };
            if values[place].replace(value.clone()).is_some() {
                return None;
            }
        }
        let values: Vec<Expr> = values.into_iter().flatten().collect();
        if named == 0 || values.len() < parts.len() {
            return None;
        }
        let new = Expr::new(ExprKind::Call(head.clone(), values), term.span);
        let title = match self.declared.part_names.contains(&parts[0]) {
            true => "the parts of a record are given in their order, without names",
            false => "arguments are given in their order, without names",
        };
        Some(NewForm::new(Code::E0013, title, term.span, new))
    }

    /// Reads `mill-yard`, which is no difference of two points, as the edge `mill_yard`.
    fn edge(&self, term: &Expr) -> Option<NewForm> {
        let ExprKind::Binary(BinaryOp::Subtract, left, right) = &*term.kind else { return None };
        let (left, right) = (left.as_name()?, right.as_name()?);
        let name = self.declared.edges.get(&(left.to_owned(), right.to_owned()))?;
        if !self.has_edges || self.is_own(left) || self.is_own(right) {
            return None;
        }
        let title = "an edge has one name, with `_` between its two ends";
        let new = Expr::new(ExprKind::Name(name.clone()), term.span);
        Some(NewForm::new(Code::E0013, title, term.span, new))
    }

    /// Reads `mover is stuck` as `stuck(mover)`.
    fn stuck_player(&self, term: &Expr) -> Option<NewForm> {
        let ExprKind::Compare(player, rest) = &*term.kind else { return None };
        let [(CmpOp::Is, stuck)] = &rest[..] else { return None };
        if stuck.as_name() != Some("stuck") || self.is_own("stuck") {
            return None;
        }
        let is_player = match &*player.bare().kind {
            ExprKind::Name(name) => match self.own.sets.get(name) {
                Some(set) => set.as_deref() == Some("Player"),
                None => {
                    let players = self.declared.members.get("Player");
                    PLAYERS_OF_A_POSITION.contains(&name.as_str())
                        || players.is_some_and(|players| players.contains(name))
                }
            },
            ExprKind::Call(head, _) => head.as_name() == Some("other"),
            _ => false,
        };
        is_player.then(|| {
            let title = "that a player has no move is the condition `stuck`";
            let new = Expr::new(ExprKind::Call(stuck.clone(), vec![player.bare().clone()]), term.span);
            NewForm::new(Code::E0013, title, term.span, new)
        })
    }

    /// Explains `{ c | f }` and `[c | c in S, f]`: the elements of a set come from another one.
    fn elements_behind_a_bar(&self, term: &Expr) -> Option<NewForm> {
        let (ExprKind::Set(elements) | ExprKind::List(elements)) = &*term.kind else { return None };
        let mut first = elements.first()?.clone();
        let name = bar_taken_out(&mut first)?;
        let conditions: Vec<&Expr> = [&first].into_iter().chain(&elements[1..]).collect();
        if elements.len() > 1 && elements[1..].iter().any(|other| !is_condition(other)) {
            return None;
        }
        let title = "a set of some elements of another one has `in` and `where`";
        let source = conditions.iter().position(|condition| {
            matches!(&*condition.kind, ExprKind::Compare(of, rest)
                if of.as_name() == Some(&name) && matches!(&rest[..], [(CmpOp::In, _)]))
        });
        let set = match source.map(|at| &*conditions[at].kind) {
            Some(ExprKind::Compare(_, rest)) => rest.first().map(|(_, set)| print_expr(set)),
            _ => conditions.iter().find_map(|condition| self.set_of_a_key(condition, &name)),
        };
        let others = conditions.iter().enumerate().filter(|(at, _)| Some(*at) != source);
        let others: Vec<String> = others.map(|(_, condition)| print_expr(condition)).collect();
        let new = match (&set, others.is_empty()) {
            (Some(set), true) => format!("{{ {name} in {set} }}"),
            (set, _) => {
                format!("{{ {name} in {} where {} }}", set.as_deref().unwrap_or("S"), others.join(" and "))
            }
        };
        let new = if others.is_empty() { set.clone().unwrap_or(new) } else { new };
        let help = match set {
            Some(_) => format!("write `{new}`"),
            None => format!("write `{new}`, with the set `S` of all that may be elements"),
        };
        let mut form = NewForm::unknown(Code::E0013, title, term.span, help);
        // A variable of this name would be hidden, and another one may be meant.
        if set.is_some() && !self.is_own(&name) && others.iter().all(|other| !other.contains(" or ")) {
            form.found = form.found.edit(term.span, new);
        }
        Some(form)
    }

    /// The type of the key of a field that a condition reads at this name.
    fn set_of_a_key(&self, condition: &Expr, name: &str) -> Option<String> {
        let mut set = None;
        let mut look = |expr: &Expr| {
            if let ExprKind::Index(field, keys) = &*expr.kind
                && let [key] = &keys[..]
                && key.as_name() == Some(name)
            {
                let field = field.as_name().unwrap_or_default();
                set = set.take().or_else(|| self.declared.key_types.get(field).cloned());
            }
        };
        walk(condition, &mut look);
        set
    }
}

/// Calls `see` with a term and all its parts.
fn walk(expr: &Expr, see: &mut dyn FnMut(&Expr)) {
    see(expr);
    crate::visit::children(expr, &mut |inner| walk(inner, see));
}

/// Returns true for a comparison, and for conditions that are joined.
fn is_condition(expr: &Expr) -> bool {
    match &*expr.kind {
        ExprKind::Compare(..) => true,
        ExprKind::Unary(op, _) => *op == UnaryOp::Not,
        ExprKind::Binary(op, ..) => {
            matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Implies | BinaryOp::Iff)
        }
        _ => false,
    }
}

/// Takes the `c |` out of a condition that begins with it; returns the name before the bar.
fn bar_taken_out(condition: &mut Expr) -> Option<String> {
    is_condition(condition).then_some(())?;
    first_operand_taken_out(condition)
}

/// Takes the first operand of the first union out of a term; returns its name.
fn first_operand_taken_out(term: &mut Expr) -> Option<String> {
    let is_joined = is_condition(term);
    let new = match &mut *term.kind {
        ExprKind::Compare(first, _) => return first_operand_taken_out(first),
        ExprKind::Binary(_, left, _) if is_joined => return first_operand_taken_out(left),
        ExprKind::Binary(BinaryOp::Union, left, right) => match &*left.kind {
            ExprKind::Name(name) => (name.clone(), right.clone()),
            _ => return first_operand_taken_out(left),
        },
        _ => return None,
    };
    *term = new.1;
    Some(new.0)
}

/// A term as the operand of an operator: in brackets, if it is not one.
fn operand(term: &Expr) -> Expr {
    let is_tight = matches!(
        &*term.bare().kind,
        ExprKind::Name(_)
            | ExprKind::Number(_)
            | ExprKind::Call(..)
            | ExprKind::Index(..)
            | ExprKind::Part(..)
            | ExprKind::Set(_)
            | ExprKind::List(_)
            | ExprKind::Filter(_)
            | ExprKind::Comprehension(..)
            | ExprKind::None
            | ExprKind::Bool(_)
    );
    match &*term.kind {
        _ if is_tight => term.bare().clone(),
        ExprKind::Paren(_) => term.clone(),
        _ => Expr::new(ExprKind::Paren(term.clone()), term.span),
    }
}

/// The comparison that a method of sets stands for.
fn compared_sets(method: &str, base: &Expr, other: &Expr) -> Option<ExprKind> {
    let compare = |left: Expr, op: CmpOp, right: Expr| ExprKind::Compare(left, vec![(op, right)]);
    let (left, right) = (operand(base), operand(other));
    let common = |left: Expr, right: Expr| {
        let span = base.span.to(other.span);
        Expr::new(ExprKind::Binary(BinaryOp::Intersect, left, right), span)
    };
    let empty = Expr::new(ExprKind::Set(Vec::new()), other.span);
    Some(match method {
        "issubset" | "subset" | "issubsetof" | "subsetof" | "subseteq" => compare(left, CmpOp::In, right),
        "issuperset" | "superset" | "issupersetof" | "supersetof" | "containsall" | "includesall"
        | "hasall" => compare(right, CmpOp::In, left),
        "isdisjoint" | "disjoint" | "isdisjointfrom" | "disjointfrom" => {
            compare(common(left, right), CmpOp::Equal, empty)
        }
        "intersects" | "overlaps" | "meets" => compare(common(left, right), CmpOp::NotEqual, empty),
        "equals" | "eq" | "isequal" | "isequalto" => compare(left, CmpOp::Equal, right),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    const HEAD: &str = "players A, B;\nboard Cell = grid(3, 3);\nenum Kind { man, king }\n\
                        record Man(side: Player, kind: Kind);\nparam coins: list of 0..9 = [1, 2];\n\
                        state { at[c: Cell]: Man? = none; n: 0..9 = 0; done: bool = false; seen: set of Cell = {}; }\n";

    /// Checks that a term is mended to another one, with one message.
    fn check(pairs: &[(&str, &str)]) {
        let text = |term: &str| format!("{HEAD}def f(d: 1..3, p: Player, s: set of Cell) = {term};\n");
        for (old, new) in pairs {
            assert_eq!(mended(&text(old)), text(new));
            assert_eq!(titles(&text(old)).len(), 1, "{old}: {:?}", titles(&text(old)));
            assert_eq!(mended(&text(new)), text(new));
            assert!(titles(&text(new)).is_empty(), "{new}: {:?}", titles(&text(new)));
        }
    }

    #[test]
    fn functions_are_no_methods() {
        check(&[
            ("(n + d).min(9)", "min(n + d, 9)"),
            ("n.max(d) + 1", "max(n, d) + 1"),
            ("(n - d).abs()", "max(n - d, -(n - d))"),
            ("seen.min()", "min(seen)"),
            ("{ 1, d }.max() + 1", "max({ 1, d }) + 1"),
            ("coins.max()", "(max i in 1..#coins: coins[i])"),
        ]);
        let unknown = format!("{HEAD}def f(s: set of Cell) = s.min();\n");
        assert_eq!(mended(&unknown), unknown);
        assert!(helps(&unknown)[0].contains("`min(s)` for a set"), "{:?}", helps(&unknown));
        let module = format!("{HEAD}def f(a: 1..3) = Math.max(a, n);\n");
        assert!(titles(&module).is_empty());
        let library = "use \"x\" as y;\ndef f(a: 1..3) = y.min(a);\n";
        assert!(titles(library).is_empty());
    }

    #[test]
    fn sets_are_compared_by_signs() {
        check(&[
            ("s.issubset(seen)", "s in seen"),
            ("not s.issuperset(seen) and done", "not seen in s and done"),
            ("s.isSubsetOf({ a1 }) = done", "(s in { a1 }) = done"),
            ("s.isdisjoint(seen | { a1 })", "s & (seen | { a1 }) = {}"),
            ("s.equals(seen)", "s = seen"),
        ]);
    }

    #[test]
    fn values_stand_without_brackets() {
        check(&[("not done()", "not done"), ("n + d() = 2", "n + d = 2")]);
        let text = |n: &str| format!("{HEAD}end {{ when {n} => draw; }}\n");
        for (old, new) in [("n() = 3", "n = 3"), ("stuck()", "stuck"), ("n = #coins()", "n = #coins")] {
            assert_eq!(mended(&text(old)), text(new));
        }
    }

    #[test]
    fn parts_have_no_names() {
        check(&[
            ("at[a1] = Man(side = p, kind = king)", "at[a1] = Man(p, king)"),
            ("at[a1] = Man(kind = king, side = p)", "at[a1] = Man(p, king)"),
            ("at[a1] = Man(p, kind = king)", "at[a1] = Man(p, king)"),
        ]);
        let text = |call: &str| format!("def f(x: 1..3, y: 1..3) = x < y;\ndef g = {call};\n");
        assert_eq!(mended(&text("f(y = 1, x = 2)")), text("f(2, 1)"));
        let claim =
            |call: &str| format!("move go(k: 1..3) as \"{{k}}\" {{ n := k; }}\nexpect legal {call};\n");
        assert_eq!(mended(&claim("go(k = 2)")), claim("go(2)"));
        // A part may be a condition on a variable of its name.
        let own = "record Mark(side: bool);\ndef f(side: Player) = Mark(side = A);\n";
        assert!(titles(own).is_empty());
    }

    #[test]
    fn edges_have_one_name() {
        let text = |edge: &str| {
            format!(
                "board Site = graph {{ line mill - yard - barn; mill -> barn; }}\ntype Cable = edges(Site);\n\
                 def f(e: Cable) = e = {edge};\n"
            )
        };
        assert_eq!(mended(&text("mill-yard")), text("mill_yard"));
        assert_eq!(mended(&text("barn - yard")), text("yard_barn"));
        assert!(titles(&text("mill - barn")).is_empty());
    }

    #[test]
    fn players_are_stuck() {
        let text = |rule: &str| format!("{HEAD}end {{ {rule} => draw; }}\n");
        for (old, new) in [
            ("when mover is stuck", "when stuck(mover)"),
            ("when A is stuck and n = 3", "when stuck(A) and n = 3"),
            ("for p in Player when p is stuck", "for p in Player when stuck(p)"),
            ("when other(mover) is stuck", "when stuck(other(mover))"),
        ] {
            assert_eq!(mended(&text(old)), text(new));
            assert_eq!(titles(&text(old)).len(), 1, "{old}");
        }
        assert!(titles(&text("when done is stuck")).is_empty());
    }

    #[test]
    fn elements_come_from_a_set() {
        check(&[
            ("#{ x | at[x] = none } > 2", "#{ x in Cell where at[x] = none } > 2"),
            ("#[x | x in Cell] > 2", "#Cell > 2"),
            ("#{ x | x in Cell, at[x] = none } > 2", "#{ x in Cell where at[x] = none } > 2"),
        ]);
        let text = format!("{HEAD}def f(s: set of Cell) = #{{ d | d > 2 }};\n");
        assert_eq!(mended(&text), text);
        assert!(helps(&text)[0].contains("with the set `S`"), "{:?}", helps(&text));
        let sets = format!("{HEAD}const u = {{ a1 }} | {{ b1 }};\ndef f(s: set of Cell) = {{ s | u, u }};\n");
        assert!(titles(&sets).is_empty());
    }

    #[test]
    fn definitions_stand_before_their_arguments() {
        let text = |term: &str| {
            format!(
                "def force(p: Player) = n;\ndef far(p: Player, k: 0..9) = k;\n\
                 end {{ for p in Player when {term} = 0 => p loses; }}\n"
            )
        };
        for (old, new) in [
            ("p.force()", "force(p)"),
            ("mover.force()", "force(mover)"),
            ("p.force", "force(p)"),
            ("p.far(2)", "far(p, 2)"),
        ] {
            assert_eq!(mended(&text(old)), text(new));
            assert_eq!(titles(&text(old)).len(), 1);
        }
        assert_eq!(titles(&text("l.force()")), [""; 0]);
        assert_eq!(titles(&text("p.far()")), [""; 0]);
        assert_eq!(titles(&text("l.force")), [""; 0]);
    }
}
