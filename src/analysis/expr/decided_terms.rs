//! W0126 for comparisons that the form of their terms decides, whatever the position: a count that is to be
//! below 0, `x = x + k`, a cell among its own neighbours; and for `c.diagonals` of a board that has none.

use super::compare::same_terms;
use super::decided::{decision, literal, mirrored};
use crate::analyzer::Analyzer;
use crate::locals::{ExprPlace, Locals};
use bouton_base::source::Span;
use bouton_rules::{BoardFn, BoardId, Domain, Expr, ExprKind, Fold, PLAYER, Type};
use bouton_syntax::ast::{self, BinaryOp, BoardForm, CmpOp, ItemKind, Name};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

impl Analyzer<'_> {
    /// Warns about a comparison of numbers that their terms decide.
    pub(super) fn decided_by_its_terms(
        &mut self,
        op: CmpOp,
        words: [&ast::Expr; 2],
        made: [&Expr; 2],
        locals: &Locals,
    ) {
        if locals.place == ExprPlace::Static || made.iter().any(|side| side.ty == Type::Error) {
            return;
        }
        let [left, right] = words;
        self.count_against_zero(op, words, made, locals);
        self.count_against_zero(mirrored(op), [right, left], [made[1], made[0]], locals);
        self.changed_term(op, words, made, locals);
        self.changed_term(mirrored(op), [right, left], [made[1], made[0]], locals);
    }

    /// Warns about `#s < 0`, and `n(c) >= 0` of a definition that counts.
    fn count_against_zero(&mut self, op: CmpOp, words: [&ast::Expr; 2], made: [&Expr; 2], locals: &Locals) {
        let Some(n) = literal(words[1]) else { return };
        if !self.is_count(made[0]) {
            return;
        }
        let Some(decided) = decision(op, n, [Some(0), None]) else { return };
        let span = joined_span(words);
        // Of a term without a value, `>= 0` asks whether there is one; the last of several rules may take all
        // that is left.
        if decided && !(self.has_value_anywhere(made[0]) && self.place_of_comparison(span, locals).0) {
            return;
        }
        let word = if decided { "always" } else { "never" };
        let title = format!("this is {word} true: a number of things is never below 0");
        let term = print_expr(words[0]);
        let found = Diagnostic::new(Code::W0126, title, span, format!("{word} true"));
        self.report_once(
            found.help(format!("`{term} = 0` asks that there are none, `{term} > 0` that there are some")),
        );
    }

    /// Returns true for a term that counts, or a definition of one.
    fn is_count(&self, made: &Expr) -> bool {
        match &*made.kind {
            ExprKind::Card(_) | ExprKind::Fold(Fold::Count, ..) => true,
            ExprKind::Call(def, _) => matches!(
                &*self.rules.defs[*def].body.kind,
                ExprKind::Card(_) | ExprKind::Fold(Fold::Count, ..)
            ),
            _ => false,
        }
    }

    /// Returns true if a term is seen to have a value in every position, `none` included.
    fn has_value_anywhere(&self, made: &Expr) -> bool {
        let all = |parts: &[Expr]| parts.iter().all(|part| self.has_value_anywhere(part));
        match &*made.kind {
            ExprKind::Var(_) | ExprKind::Me | ExprKind::Const(_) => true,
            ExprKind::Field(_, keys) => keys
                .iter()
                .all(|key| matches!(&*key.kind, ExprKind::Var(_) | ExprKind::Me | ExprKind::Const(_))),
            ExprKind::Call(def, args) => all(args) && self.has_value_anywhere(&self.rules.defs[*def].body),
            ExprKind::Board(function, _, args) => {
                matches!(
                    function,
                    BoardFn::Neighbors
                        | BoardFn::Diagonals
                        | BoardFn::Around
                        | BoardFn::Sides
                        | BoardFn::Edges
                ) && all(args)
            }
            ExprKind::Card(set) => self.has_value_anywhere(set),
            ExprKind::SetOp(_, left, right) => {
                self.has_value_anywhere(left) && self.has_value_anywhere(right)
            }
            ExprKind::Fold(Fold::Count, binders, _) | ExprKind::Collect(binders, _) => {
                binders.iter().all(|binder| match &binder.domain {
                    Domain::Fixed(_) => true,
                    Domain::Set(set) => self.has_value_anywhere(set),
                })
            }
            // Of two players, the other one is always there.
            ExprKind::If(condition, yes, no) => {
                matches!(&*condition.kind, ExprKind::Equal(..))
                    && self.has_value_anywhere(yes)
                    && self.has_value_anywhere(no)
            }
            _ => false,
        }
    }

    /// Warns about `x = x + k`, where k is never 0; `words` are the term and the one that may have changed.
    fn changed_term(&mut self, op: CmpOp, words: [&ast::Expr; 2], made: [&Expr; 2], locals: &Locals) {
        let ast::ExprKind::Binary(change @ (BinaryOp::Add | BinaryOp::Subtract), a, b) =
            &*words[1].bare().kind
        else {
            return;
        };
        let ExprKind::Arith { left, right, .. } = &*made[1].kind else { return };
        let is_sum = *change == BinaryOp::Add;
        let (amount, amount_words) = match (same_terms(words[0], a), same_terms(words[0], b)) {
            (true, _) => (right, b),
            (false, true) if is_sum => (left, a),
            _ => return,
        };
        let is_known = literal(amount_words).is_some() || matches!(&*amount.kind, ExprKind::Var(_));
        let (Some((low, high)), true) = (amount.ty.interval(), is_known) else { return };
        let (low, high) = if is_sum { (low, high) } else { (high.saturating_neg(), low.saturating_neg()) };
        // That it is always greater, or unlike, exploration says of a condition that rules nothing out.
        if low > high || decision(mirrored(op), 0, [Some(low), Some(high)]) != Some(false) {
            return;
        }
        let span = joined_span(words);
        let [term, changed] = words.map(print_expr);
        let order = match (low > 0, high < 0) {
            (true, _) => "greater than",
            (_, true) => "less than",
            _ => "not",
        };
        let title = format!("this is never true: `{changed}` is always {order} `{term}`");
        let found = Diagnostic::new(Code::W0126, title, span, "never true");
        let own = self.term_of_the_mover(words[0], locals);
        self.report_once(found.help(match own {
            Some(own) => {
                format!("both sides speak of `{term}`: is one of them meant to be `{own}`?")
            }
            None => {
                format!("both sides speak of `{term}`: write the other term that is meant on one of them")
            }
        }));
    }

    /// The cell of the mover, of a field that has a cell for each player.
    fn term_of_the_mover(&self, term: &ast::Expr, locals: &Locals) -> Option<String> {
        let ast::ExprKind::Index(of, keys) = &*term.bare().kind else { return None };
        let field = self.field_of(of.as_name().filter(|name| !locals.has(name))?)?;
        let [key] = &self.rules.fields[field].keys[..] else { return None };
        let is_of_another = !matches!(keys[..], [ref key] if key.as_name() == Some("me"));
        (locals.place == ExprPlace::Move && is_of_another && *key.ty.base() == Type::Sym(PLAYER))
            .then(|| format!("{}[me]", print_expr(of)))
    }

    /// Warns about `c in c.neighbors`, and a cell in a ray that begins there.
    pub(super) fn cell_beside_itself(
        &mut self,
        op: CmpOp,
        words: [&ast::Expr; 2],
        made: &Expr,
        locals: &Locals,
    ) {
        let made = match &*made.kind {
            ExprKind::Not(inner) => inner,
            _ => made,
        };
        let ExprKind::In(_, set) = &*made.kind else { return };
        let ExprKind::Board(function, board, _) = &*set.kind else { return };
        let (origin, what) = match (&*words[1].bare().kind, function) {
            (ast::ExprKind::Part(base, part), BoardFn::Neighbors | BoardFn::Diagonals | BoardFn::Around) => {
                (base, format!("the `{}` of a cell are", part.text))
            }
            (ast::ExprKind::Call(_, args), BoardFn::Ray) if args.len() == 2 => {
                (&args[0], "the cells of a ray are".to_owned())
            }
            (ast::ExprKind::Call(_, args), BoardFn::Between) if args.len() == 2 => {
                match args.iter().find(|end| same_terms(words[0], end)) {
                    Some(end) => (end, "the cells between two are".to_owned()),
                    None => return,
                }
            }
            _ => return,
        };
        if !same_terms(words[0], origin) || self.has_loop(*board, *function) {
            return;
        }
        let word = if op == CmpOp::In { "never" } else { "always" };
        let title = format!("this is {word} true: {what} never the cell itself");
        let term = print_expr(words[0]);
        let found = Diagnostic::new(Code::W0126, title, joined_span(words), format!("{word} true"));
        let found = found.label(origin.span, "the same cell");
        let others = self.other_cells(&term, &made_type(made), joined_span(words), locals);
        self.report_once(found.help(match &others[..] {
            [] => format!("both places name `{term}`: write the other cell that is meant in one of them"),
            [other] => format!("both places name `{term}`: is one of them meant to be `{other}`?"),
            [.., a, b] => format!("both places name `{term}`: is one of them meant to be `{a}` or `{b}`?"),
        }));
    }

    /// Returns true if a cell of a board may be its own neighbour, or come again in a ray.
    fn has_loop(&self, board: BoardId, function: BoardFn) -> bool {
        let board = &self.rules.boards[board];
        let cells = 0..board.len() as u32;
        match function {
            BoardFn::Neighbors => cells.into_iter().any(|cell| board.neighbors(cell).contains(&cell)),
            BoardFn::Diagonals => cells.into_iter().any(|cell| board.diagonals(cell).contains(&cell)),
            BoardFn::Around => cells.into_iter().any(|cell| board.around(cell).contains(&cell)),
            // On a ring or a torus a ray may come back; elsewhere a way straight on leaves the board.
            BoardFn::Ray => cells.into_iter().any(|cell| {
                board.directions().iter().any(|way| {
                    let mut at = cell;
                    for _ in 0..board.len() {
                        match board.step(at, *way) {
                            Some(next) if next == cell => return true,
                            Some(next) => at = next,
                            None => break,
                        }
                    }
                    false
                })
            }),
            _ => false,
        }
    }

    /// The parameters of the item around a place, and the fields without keys, that are cells of this type
    /// too.
    pub(super) fn other_cells(&self, term: &str, ty: &Type, span: Span, locals: &Locals) -> Vec<String> {
        let is_of = |other: &Type| other.present().base() == ty.present().base();
        let mut names: Vec<String> = locals
            .stack
            .iter()
            .filter(|local| is_of(&local.ty) && local.name != term)
            .map(|local| local.name.clone())
            .collect();
        if names.is_empty() && self.item_around(span).is_some() {
            let fields = self.rules.fields.iter().filter(|field| field.keys.is_empty() && is_of(&field.ty));
            names.extend(fields.map(|field| field.name.clone()).filter(|name| name != term));
        }
        names
    }

    /// Warns about `c.diagonals` of a board whose form has none.
    pub(super) fn no_diagonals(&mut self, board: BoardId, part: &Name) {
        let of = &self.rules.boards[board];
        let has_none = (0..of.len() as u32).all(|cell| of.diagonals(cell).is_empty());
        let form = self.items().find_map(|(item, _)| match &item.kind {
            ItemKind::Board { name, form, .. } if name.text == of.name => Some(match form {
                BoardForm::Graph(_) => "graph".to_owned(),
                BoardForm::Expr(form) => match &*form.bare().kind {
                    ast::ExprKind::Call(callee, _) => callee.as_name().unwrap_or_default().to_owned(),
                    _ => String::new(),
                },
            }),
            _ => None,
        });
        let Some(form) =
            form.filter(|form| has_none && matches!(&**form, "hex" | "strip" | "ring" | "graph"))
        else {
            return;
        };
        let title = format!("no cell of `{}` has diagonals: this set is always empty", of.name);
        let found = Diagnostic::new(Code::W0126, title, part.span, "always empty");
        let all = if form == "hex" { ", which are all that touch it" } else { "" };
        let kind = if form == "graph" { "a graph".to_owned() } else { format!("a board `{form}`") };
        self.report_once(found.help(format!(
            "on {kind} a cell has only neighbours, `.neighbors`{all}: write this, or leave the condition out"
        )));
    }
}

/// The type of the element of a membership.
fn made_type(made: &Expr) -> Type {
    match &*made.kind {
        ExprKind::In(element, _) => element.ty.clone(),
        _ => Type::Error,
    }
}

fn joined_span(words: [&ast::Expr; 2]) -> Span {
    let [a, b] = words.map(|side| side.span);
    if a.start <= b.start { a.to(b) } else { b.to(a) }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn told(board: &str, condition: &str) -> Vec<String> {
        let text = format!(
            "game \"Terms\"; players A, B; board Cell = {board};
             state {{ here: Cell = a1; men[p: Player]: 0..9 = 0; seen: set of Cell = {{}}; }}
             def near(c: Cell) = count b in c.neighbors: b in seen;
             move go(c: Cell, k: 1..2) as \"{{c}} {{k}}\" {{
               when men[me] + k <= 9 and ({condition}); here := c; men[me] += k; seen |= {{ c }}; }}
             end {{ when here = a1 and seen = Cell => draw; }} pass when stuck;"
        );
        let found = found(&text, Code::W0126);
        assert!(found.iter().all(|found| found.edits.is_empty()));
        found
            .into_iter()
            .map(|found| format!("{} / {}", found.title, found.help.unwrap_or_default()))
            .collect()
    }

    #[test]
    fn numbers_of_things_are_not_negative() {
        let always = |term: &str| {
            format!(
                "this is always true: a number of things is never below 0 / `{term} = 0` asks that there are none, `{term} > 0` \
                 that there are some"
            )
        };
        for term in ["#seen", "near(c)", "#c.neighbors", "(count b in Cell: b in seen)"] {
            assert_eq!(told("grid(3, 3)", &format!("{term} >= 0")), [always(term)], "{term}");
            assert_eq!(told("grid(3, 3)", &format!("0 <= {term}")), [always(term)], "{term}");
            assert_eq!(told("grid(3, 3)", &format!("{term} < 0")).len(), 1, "{term}");
            assert_eq!(told("grid(3, 3)", &format!("{term} = -1")).len(), 1, "{term}");
            for test in
                [format!("{term} > 0"), format!("{term} = 0"), format!("{term} <= 0"), format!("{term} != 0")]
            {
                assert_eq!(told("grid(3, 3)", &test), [""; 0], "{test}");
            }
        }
        assert_eq!(told("grid(3, 3)", "near(c + N) >= 0"), [""; 0]);
    }

    #[test]
    fn changed_numbers_differ() {
        let help = "both sides speak of `men[opponent]`: is one of them meant to be `men[me]`?";
        assert_eq!(
            told("grid(3, 3)", "men[opponent] = men[opponent] + k"),
            [format!(
                "this is never true: `men[opponent] + k` is always greater than `men[opponent]` / {help}"
            )]
        );
        assert_eq!(told("grid(3, 3)", "men[me] - 1 >= men[me]").len(), 1);
        assert_eq!(told("grid(3, 3)", "men[me] = k + men[me]").len(), 1);
        for test in [
            "men[me] < men[me] + k",
            "men[me] = men[opponent] + k",
            "men[me] < 5 + k",
            "men[me] = men[me] + (k - 1)",
        ] {
            assert_eq!(told("grid(3, 3)", test), [""; 0], "{test}");
        }
    }

    #[test]
    fn cells_are_not_beside_themselves() {
        let help = "both places name `c`: is one of them meant to be `here`?";
        assert_eq!(
            told("grid(3, 3)", "c in c.neighbors"),
            [format!("this is never true: the `neighbors` of a cell are never the cell itself / {help}")]
        );
        assert_eq!(told("grid(3, 3)", "c not in c.around").len(), 1);
        assert_eq!(told("grid(3, 3)", "c in ray(c, N)").len(), 1);
        assert_eq!(told("grid(3, 3)", "c in between(c, here)").len(), 1);
        for test in ["c in here.neighbors", "c in ray(here, N)", "here in between(c, c)"] {
            assert_eq!(told("grid(3, 3)", test), [""; 0], "{test}");
        }
        assert_eq!(told("torus(3, 3)", "c in ray(c, N)"), [""; 0]);
    }

    #[test]
    fn boards_without_diagonals() {
        let titles = |board: &str| told(board, "no b in c.diagonals: b in seen").len();
        assert_eq!((titles("hex(3, 3)"), titles("strip(4)"), titles("grid(3, 3)")), (1, 1, 0));
    }
}
