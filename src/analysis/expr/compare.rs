//! Comparisons and infix operators.

use super::advice::Mismatch;
use crate::analyzer::Analyzer;
use crate::locals::{ExprPlace, Locals};
use crate::symbols::SymbolKind;
use bouton_base::source::Span;
use bouton_rules::{Arith, BoardFn, BoardId, Expr, ExprKind, PLAYER, SetOp, Type};
use bouton_syntax::ast::{self, BinaryOp, CmpOp};
use bouton_syntax::diag::{Code, Diagnostic, Edit};
use bouton_syntax::print_expr;

/// An infix operator with its operands.
#[derive(Clone, Copy)]
pub(super) struct BinaryExpr<'e> {
    pub op: BinaryOp,
    pub left: &'e ast::Expr,
    pub right: &'e ast::Expr,
    /// The whole expression.
    pub span: Span,
}

/// The label of a condition that never holds.
const NEVER_TRUE: &str = "never true";
/// The label of a condition that holds in every position.
const ALWAYS_TRUE: &str = "always true";

impl<'a> Analyzer<'a> {
    /// `a < b <= c`: the conjunction of the comparisons.
    pub fn comparisons(
        &mut self,
        first: &ast::Expr,
        rest: &[(CmpOp, ast::Expr)],
        span: Span,
        locals: &mut Locals,
    ) -> Expr {
        if self.truth_of_a_chain(first, rest, locals) {
            return self.poison(span);
        }
        let mut left = first;
        let mut made = Vec::new();
        for (op, right) in rest {
            made.push(self.comparison(*op, left, right, left.span.to(right.span), locals));
            left = right;
        }
        if made.len() == 1 {
            return Expr { span, ..made.remove(0) };
        }
        if made.iter().all(|part| part.ty != Type::Error) {
            self.chain_of_unequals(first, rest, span);
        }
        self.conjunction(made, span)
    }

    /// `a and b and ...`, flattened and folded.
    pub fn conjunction(&mut self, parts: Vec<Expr>, span: Span) -> Expr {
        self.node(ExprKind::And(parts), Type::Bool, span)
    }

    fn comparison(
        &mut self,
        op: CmpOp,
        left: &ast::Expr,
        right: &ast::Expr,
        span: Span,
        locals: &mut Locals,
    ) -> Expr {
        match op {
            CmpOp::In | CmpOp::NotIn => {
                if self.other_players_by_a_word(op, [left, right], locals) {
                    return self.poison(span);
                }
                let made = self.membership(left, right, span, locals);
                self.cell_beside_itself(op, [left, right], &made, locals);
                self.decided_membership(op, [left, right], &made, locals);
                self.negate_if(op == CmpOp::NotIn, made, span)
            }
            _ if self.phase_named_otherwise([left, right], locals)
                || self.count_of_moves(op, [left, right], locals)
                || self.set_of_moves(op, [left, right], locals) =>
            {
                self.poison(span)
            }
            CmpOp::Equal | CmpOp::DoubleEqual | CmpOp::Is | CmpOp::NotEqual => {
                let unequal = op == CmpOp::NotEqual;
                if let Some(picture) = [left, right]
                    .into_iter()
                    .find(|side| matches!(*side.bare().kind, ast::ExprKind::Diagram(..)))
                {
                    return self.compared_diagram(picture, span);
                }
                if self.has_joined_values(op, left, right, locals)
                    || self.element_compared(op, left, right, locals)
                    || self.set_as_a_key(op, left, right, locals)
                    || self.word_for_a_truth_value(op, left, right, locals)
                    || self.word_for_nothing(left, right, locals)
                    || self.definition_as_a_property(op, [left, right], span, locals)
                {
                    return self.poison(span);
                }
                if self.column_as_a_letter(left, right, locals)
                    || self.column_as_a_letter(right, left, locals)
                {
                    return self.poison(span);
                }
                let nothing = [left, right].map(|side| matches!(*side.bare().kind, ast::ExprKind::None));
                let is_same = same_terms(left, right);
                let words = [left, right];
                let (left, right) = self.pair(left, right, locals);
                if is_same {
                    let label = match unequal {
                        true => NEVER_TRUE,
                        false if always_has_value(&left) => ALWAYS_TRUE,
                        false => "true wherever the term has a value",
                    };
                    self.compared_with_itself(words[1], &left, span, label);
                }
                match nothing {
                    [true, false] if !self.can_be_none(&right) => {
                        return self.never_none(&right, words[1], unequal, span);
                    }
                    [false, true] if !self.can_be_none(&left) => {
                        return self.never_none(&left, words[0], unequal, span);
                    }
                    _ => {}
                }
                if Type::join(&left.ty, &right.ty).is_none() {
                    let types = [&left.ty, &right.ty];
                    let constants = [left.constant(), right.constant()];
                    let [left, right] = words;
                    let sides = Mismatch { left, right, types, constants, is_unequal: unequal };
                    if self.mismatch(sides, locals) {
                        return self.poison(span);
                    }
                }
                self.decided_by_range(op, words, [&left, &right], locals);
                self.remainder_of_last_term(op, words, [&left, &right], locals);
                self.size_never_reached(op, words, [&left, &right], locals);
                self.decided_by_its_terms(op, words, [&left, &right], locals);
                self.decided_by_extents(op, words, locals);
                self.unreached_parameter(op, words, locals);
                self.never_a_value_of(op, words, [&left, &right], locals);
                if unequal {
                    self.step_in_unequal(&left, &right, span, locals);
                }
                let made = self.equal(left, right, unequal, span);
                self.negate_if(unequal, made, span)
            }
            CmpOp::Less | CmpOp::LessEqual | CmpOp::Greater | CmpOp::GreaterEqual => {
                let is_same = same_terms(left, right);
                let words = [left, right];
                let (left, right) = self.pair(left, right, locals);
                if self.emptiness_by_order(op, words, [&left, &right])
                    || self.cell_ordered_by_a_number(words, [&left, &right])
                {
                    return self.poison(span);
                }
                if is_same {
                    let is_strict = matches!(op, CmpOp::Less | CmpOp::Greater);
                    let label = match is_strict {
                        true => NEVER_TRUE,
                        false if always_has_value(&left) && !matches!(left.ty, Type::Option(_)) => {
                            ALWAYS_TRUE
                        }
                        false => "true wherever both sides can be compared",
                    };
                    self.compared_with_itself(words[1], &left, span, label);
                }
                self.decided_by_range(op, words, [&left, &right], locals);
                self.remainder_of_last_term(op, words, [&left, &right], locals);
                self.size_never_reached(op, words, [&left, &right], locals);
                self.decided_by_its_terms(op, words, [&left, &right], locals);
                self.decided_by_extents(op, words, locals);
                self.ordered(op, left, right, span)
            }
        }
    }

    /// Reports `to is free`, where `free(p)` is a definition; returns true if it is that.
    fn definition_as_a_property(
        &mut self,
        op: CmpOp,
        [term, property]: [&ast::Expr; 2],
        span: Span,
        locals: &Locals,
    ) -> bool {
        let Some(name) = property.bare().as_name().filter(|name| op == CmpOp::Is && !locals.has(name)) else {
            return false;
        };
        let Some(key) = self.find(name, property.span) else { return false };
        let has_one_parameter = |kind: &SymbolKind<'_>| match kind {
            SymbolKind::Def { item, .. } => {
                matches!(&item.kind, ast::ItemKind::Def { formals: Some(formals), .. } if formals.len() == 1)
            }
            _ => false,
        };
        if !self.is_kind(key, has_one_parameter) {
            return false;
        }
        let new = format!("{name}({})", print_expr(term));
        let title = format!("`{name}` is a definition: what it is said of stands in brackets");
        let found =
            Diagnostic::new(Code::E0102, title, span, "").label(self.symbols[key].span, "declared here");
        self.report(found.help(format!("write `{new}`")).edit(span, new));
        true
    }

    /// W0125: a comparison of a term with itself. A step off the board is left out: `c + N = c + N` asks whether it stays.
    fn compared_with_itself(&mut self, words: &ast::Expr, made: &Expr, span: Span, label: &str) {
        let is_known = |known: &Diagnostic| known.code == Code::W0125 && known.span() == span;
        if made.ty == Type::Error || step_of(made).is_some() || self.diagnostics.iter().any(is_known) {
            return;
        }
        let found = Diagnostic::new(Code::W0125, "both sides of this comparison are the same", span, label);
        let help = "a term equals itself: write the other term that is meant on one of the sides";
        self.report(match self.same_of_the_other_player(words, made) {
            Some(other) => found.help(format!("{help}, such as that of the other player, `{other}`")),
            None => found.help(help),
        });
    }

    /// `force[other(p), h]` for `force[p, h]`, of two players.
    fn same_of_the_other_player(&self, words: &ast::Expr, made: &Expr) -> Option<String> {
        let (ExprKind::Field(_, keys), ast::ExprKind::Index(of, written)) =
            (&*made.kind, &*words.bare().kind)
        else {
            return None;
        };
        let at = keys.iter().position(|key| *key.ty.base() == Type::Sym(PLAYER))?;
        if self.rules.players().len() != 2 || keys.len() != written.len() {
            return None;
        }
        let mut written: Vec<String> = written.iter().map(print_expr).collect();
        written[at] = format!("other({})", written[at]);
        Some(format!("{}[{}]", print_expr(of), written.join(", ")))
    }

    fn negate_if(&mut self, negate: bool, made: Expr, span: Span) -> Expr {
        if negate && made.ty != Type::Error { self.node(ExprKind::Not(made), Type::Bool, span) } else { made }
    }

    /// Elaborates both sides; the type of each resolves ambiguous names in the other.
    fn pair(&mut self, left: &ast::Expr, right: &ast::Expr, locals: &mut Locals) -> (Expr, Expr) {
        if self.is_ambiguous(left, locals) {
            let right = self.expr(right, None, locals);
            let left = self.expr(left, Some(&right.ty.clone()), locals);
            return (left, right);
        }
        let left = self.expr(left, None, locals);
        let right = self.expr(right, Some(&left.ty.clone()), locals);
        (left, right)
    }

    /// Returns true if a comparison with `none` makes sense. A constant may come from a parameter that has other values
    /// too.
    fn can_be_none(&self, made: &Expr) -> bool {
        made.ty.is_option() || matches!(made.ty, Type::Error | Type::Never) || made.constant().is_some()
    }

    /// Reports `x = none` if x always has a value, or is undefined, which is not the same as `none`.
    fn never_none(&mut self, made: &Expr, words: &ast::Expr, unequal: bool, span: Span) -> Expr {
        let what = self.describe_type(&made.ty);
        let title = format!("{what} is never `none`: this comparison is always {unequal}");
        let found = Diagnostic::new(Code::E0202, title, span, "").label(made.span, format!("this is {what}"));
        if let Some(advice) = self.place_without_value(words, made, unequal) {
            self.report(advice.on(found));
            return self.poison(span);
        }
        let help = match &*made.kind {
            ExprKind::Part(..) => "the parts of `none` are undefined: compare the whole with `none`".into(),
            ExprKind::Board(BoardFn::Step, ..) => {
                let cell = self.rules.show_type(&made.ty);
                format!(
                    "off the board a step is undefined, not `none`: `... in {cell}` asks whether it stays"
                )
            }
            _ => "only what has an optional type, `T?`, can be `none`".to_string(),
        };
        self.report(found.help(help));
        self.poison(span)
    }

    /// Reports `at = diagram ...`.
    fn compared_diagram(&mut self, picture: &ast::Expr, span: Span) -> Expr {
        let title = "a field is compared cell by cell, not with a diagram as a whole";
        let found = Diagnostic::new(Code::E0009, title, picture.span, "a value for each cell");
        self.report(found.help(
            "keep the picture in a table, `const goal[c: Cell]: T = diagram ...;`, and write `all c in Cell: at[c] = \
             goal[c]`",
        ));
        self.poison(span)
    }

    fn equal(&mut self, left: Expr, right: Expr, unequal: bool, span: Span) -> Expr {
        if left.ty == Type::Error || right.ty == Type::Error {
            return self.poison(span);
        }
        if Type::join(&left.ty, &right.ty).is_none() {
            return self.never_equal(&left, &right, unequal, span);
        }
        self.coordinate_off_the_board(&left, &right, unequal, span);
        self.coordinate_off_the_board(&right, &left, unequal, span);
        self.node(ExprKind::Equal(left, right), Type::Bool, span)
    }

    /// Warns about `c.row = 0`, and `c.row = 9` on a board of eight rows (W0123).
    fn coordinate_off_the_board(&mut self, of: &Expr, value: &Expr, unequal: bool, span: Span) {
        let mut of = of;
        while let ExprKind::Present(inner) = &*of.kind {
            of = inner;
        }
        let ExprKind::Board(function @ (BoardFn::Col | BoardFn::Row | BoardFn::Level), board, _) = &*of.kind
        else {
            return;
        };
        let what = match function {
            BoardFn::Col => "column",
            BoardFn::Row => "row",
            _ => "level",
        };
        let name = &self.rules.boards[*board].name;
        // A variable that counts from 0 as far as the board has columns.
        if let (ExprKind::Var(_), Some((low, high))) = (&*value.kind, of.ty.interval())
            && value.ty.interval() == Some((low - 1, high - 1))
        {
            let title = format!(
                "{what}s are counted from {low}: 0 is no {what}, and {high} is not among these numbers"
            );
            let found = Diagnostic::new(Code::W0123, title, value.span, format!("0 to {}", high - 1));
            self.report(found.help(format!(
                "the {what}s of `{name}` are {low} to {high}: write the range `{low}..{high}`"
            )));
            return;
        }
        let (Some(n), Some((low, high))) = (value.constant().and_then(|v| v.as_int()), of.ty.interval())
        else {
            return;
        };
        if (low..=high).contains(&n) {
            return;
        }
        let title = format!("no cell of `{name}` is in {what} {n}: this is always {unequal}");
        let found = Diagnostic::new(Code::W0123, title, span, format!("always {unequal}"));
        self.report(found.help(format!("the {what}s of `{name}` are {low} to {high}")));
    }

    /// Reports `at[a1] and at[b1] = X` and `at[a1] = X or O`: each side of `and` and `or` is a condition of its own.
    fn has_shared_comparison(
        &mut self,
        op: BinaryOp,
        left: &ast::Expr,
        right: &ast::Expr,
        locals: &mut Locals,
    ) -> bool {
        let mut sides = operands(op, left);
        sides.push(right);
        let is_term = |side: &ast::Expr| {
            matches!(&*side.kind, ast::ExprKind::Index(..) | ast::ExprKind::Name(_) | ast::ExprKind::Part(..))
        };
        let is_value = |side: &ast::Expr| is_term(side) || matches!(&*side.kind, ast::ExprKind::Number(_));
        // The comparison is the last side, and the others are its left side; or it is the first one, and they are its
        // right side.
        let last = sides.last().and_then(|side| EqualityTest::of(side));
        let first = sides.first().and_then(|side| EqualityTest::of(last_conjunct(side)));
        let (others, model, at_end) = match (first, last) {
            (None, Some(model)) => (&sides[..sides.len() - 1], model, true),
            (Some(model), None) => (&sides[1..], model, false),
            _ => return false,
        };
        let is_other = |side: &&ast::Expr| if at_end { is_term(side) } else { is_value(side) };
        if !others.iter().all(is_other) || model.is_unequal && at_end {
            return false;
        }
        let Some(trial) = self.begin_trial() else { return false };
        let made: Vec<Expr> = others.iter().map(|side| self.expr(side, None, locals)).collect();
        let model_side = if at_end { model.left } else { model.right };
        let model_side = self.expr(model_side, None, locals);
        let fits = |side: &Expr| {
            !matches!(side.ty.present().base(), Type::Bool | Type::Error)
                && Type::join(&side.ty, &model_side.ty).is_some()
        };
        let is_shared = self.end_trial(trial) && made.iter().all(fits);
        if !is_shared {
            return false;
        }
        // `at[a1] = X and at[b1]` leaves out the value, `k = 1 or 2` the term.
        let is_place =
            |side: &&ast::Expr| matches!(&*side.kind, ast::ExprKind::Index(..) | ast::ExprKind::Part(..));
        let is_of_places = !at_end && others.iter().any(is_place);
        if is_of_places && (model.is_unequal || !others.iter().all(is_place)) {
            return false;
        }
        self.report(match at_end || is_of_places {
            true => shared_value(op, others, model),
            false => shared_term(op, others, model, sides[0]),
        });
        true
    }

    /// Reports `k = (1 or 2)`: returns true if the right side is values joined by `or` or `and`.
    fn has_joined_values(
        &mut self,
        op: CmpOp,
        left: &ast::Expr,
        right: &ast::Expr,
        locals: &mut Locals,
    ) -> bool {
        let ast::ExprKind::Binary(word @ (BinaryOp::And | BinaryOp::Or), ..) = &*right.bare().kind else {
            return false;
        };
        let values = operands(*word, right.bare());
        let Some(trial) = self.begin_trial() else { return false };
        let term = self.expr(left, None, locals);
        let made: Vec<Expr> = values.iter().map(|side| self.expr(side, Some(&term.ty), locals)).collect();
        let fits = |side: &Expr| {
            !matches!(side.ty.present().base(), Type::Bool | Type::Error)
                && Type::join(&side.ty, &term.ty).is_some()
        };
        let is_joined = self.end_trial(trial) && made.iter().all(fits) && term.ty != Type::Error;
        if !is_joined {
            return false;
        }
        let model = EqualityTest { left, right: values[0], is_unequal: op == CmpOp::NotEqual };
        let title = format!("`{}` joins conditions, not values", word_of(*word));
        let found = Diagnostic::new(Code::E0201, title, right.span, "these are values");
        let whole = left.span.to(right.span);
        let found = match *word {
            BinaryOp::Or => found.edit(whole, model.in_words(&values)),
            _ => found,
        };
        self.report(found.help(alternatives(*word, &values, model)));
        true
    }

    fn never_equal(&mut self, left: &Expr, right: &Expr, unequal: bool, span: Span) -> Expr {
        if self.is_renamed_point(left, &right.ty) || self.is_renamed_point(right, &left.ty) {
            return self.poison(span);
        }
        let title = self.never_equal_title([&left.ty, &right.ty], unequal);
        self.nothing_in_common(title, left, right, span)
    }

    /// The title about two terms of types that have no value in common.
    pub(super) fn never_equal_title(&self, [left, right]: [&Type; 2], unequal: bool) -> String {
        let (a, b) = (self.describe_type(left), self.describe_type(right));
        format!("{a} and {b} can never be equal: this comparison is always {unequal}")
    }

    fn ordered(&mut self, op: CmpOp, left: Expr, right: Expr, span: Span) -> Expr {
        let (left, right) = (self.present(left), self.present(right));
        if left.ty == Type::Error || right.ty == Type::Error {
            return self.poison(span);
        }
        if Type::join(&left.ty, &right.ty).is_none() {
            let (a, b) = (self.describe_type(&left.ty), self.describe_type(&right.ty));
            let title = format!("{a} and {b} cannot be compared: this is always false");
            return self.nothing_in_common(title, &left, &right, span);
        }
        if left.ty.element().is_some() {
            let found = Diagnostic::new(Code::E0201, "sets have no order", span, "these are sets");
            self.report(
                found.help("`A in B` says that every element of A is one of B; `#A < #B` compares sizes"),
            );
            return self.poison(span);
        }
        let kind = match op {
            CmpOp::Less => ExprKind::Less(left, right),
            CmpOp::LessEqual => ExprKind::LessEqual(left, right),
            CmpOp::Greater => ExprKind::Less(right, left),
            _ => ExprKind::LessEqual(right, left),
        };
        self.node(kind, Type::Bool, span)
    }

    /// `x in S`, or `S in T` between sets.
    fn membership(&mut self, left: &ast::Expr, right: &ast::Expr, span: Span, locals: &mut Locals) -> Expr {
        if self.set_in_round_brackets(left, right, locals) || self.directions_by_a_word(left, right, locals) {
            return self.poison(span);
        }
        let words = [left, right];
        let right = self.expr(right, None, locals);
        let element = right.ty.element().cloned();
        if element.is_none() && self.exchanged_membership(words[0], words[1], &right, locals) {
            return self.poison(span);
        }
        let left = self.expr(left, Some(element.as_ref().unwrap_or(&right.ty)), locals);
        if left.ty == Type::Error || right.ty == Type::Error {
            return self.poison(span);
        }
        let Some(element) = element.filter(|_| !matches!(right.ty.base(), Type::List(_))) else {
            self.no_set(&right);
            self.advise_on_odds(words, locals);
            if let Some(found) = self.diagnostics.last_mut()
                && let ast::ExprKind::List(values) = &*words[1].bare().kind
            {
                found
                    .edits
                    .push(Edit { span: words[1].bare().span, text: super::set_words::in_braces(values) });
            }
            return self.poison(span);
        };
        // `{}` is the empty set of any elements: beside a set it is a set of the same kind.
        let is_set = matches!(left.ty.base(), Type::Set(_));
        let is_of_nothing = matches!(left.ty.base(), Type::Set(inner) if **inner == Type::Never);
        if Type::join(&left.ty, &element).is_some() && !is_of_nothing && !(is_set && element == Type::Never) {
            self.steps_to_choose_from(&right, locals);
            return self.node(ExprKind::In(left, right), Type::Bool, span);
        }
        if is_set && Type::join(&left.ty, &right.ty).is_some() {
            return self.node(ExprKind::Subset(left, right), Type::Bool, span);
        }
        let (a, b) = (self.describe_type(&left.ty), self.describe_type(&element));
        let title = format!("{a} is never in a set of {b}: this is always false");
        let made = self.nothing_in_common(title, &left, &right, span);
        self.range_declared_in_braces(&left, words[1]);
        self.members_in_quotes(&left.ty, words[1]);
        made
    }

    /// Warns about `at[c + N] != x`, which is true off the board, and is rarely intended to be.
    fn step_in_unequal(&mut self, left: &Expr, right: &Expr, span: Span, locals: &Locals) {
        if locals.place == ExprPlace::Static {
            return;
        }
        let Some((step, board)) = self.leaving_step(left).or_else(|| self.leaving_step(right)) else {
            return;
        };
        let found = Diagnostic::new(
            Code::W0121,
            "`!=` is true where this step leaves the board",
            span,
            "true off the board as well",
        );
        let board = &self.rules.boards[board].name;
        self.report(found.label(step, "undefined off the board").help(format!(
            "take the step in a `let` first (then the move is not legal off the board), or add `... in {board} and`"
        )));
    }

    /// Returns a step of a term that leaves the board somewhere, and the board.
    pub(super) fn leaving_step(&self, expr: &Expr) -> Option<(Span, BoardId)> {
        let leaves = |board: &BoardId| {
            let board = &self.rules.boards[*board];
            let mut cells = 0..self.rules.enums[board.cells].members.len() as u32;
            cells.any(|cell| board.directions().iter().any(|way| board.step(cell, *way).is_none()))
        };
        step_of(expr).filter(|(_, board)| leaves(board))
    }

    /// `a + b` and all other infix operators.
    pub(super) fn binary(&mut self, expr: BinaryExpr, want: Option<&Type>, locals: &mut Locals) -> Expr {
        let BinaryExpr { op, left, right, span } = expr;
        match op {
            BinaryOp::And | BinaryOp::Or => {
                if self.has_shared_comparison(op, left, right, locals)
                    || self.denied_alternatives(op, left, right, locals)
                    || self.set_without_braces(op, left, right, locals)
                    || (op == BinaryOp::Or && self.set_beside_membership(left, right, locals))
                {
                    return self.poison(span);
                }
                self.contrary_conditions(op, left, right, locals);
                self.contrary_half_lines(op, left, right, locals);
                self.repeated_condition(op, left, right);
                let (left, right) = (self.formula(left, locals), self.formula(right, locals));
                let kind = if op == BinaryOp::And { ExprKind::And } else { ExprKind::Or };
                self.node(kind(vec![left, right]), Type::Bool, span)
            }
            BinaryOp::Implies | BinaryOp::Iff => {
                if op == BinaryOp::Implies && self.arrow_between_numbers([left, right], locals) {
                    return self.poison(span);
                }
                let (left, right) = (self.formula(left, locals), self.formula(right, locals));
                let kind = if op == BinaryOp::Implies { ExprKind::Implies } else { ExprKind::Iff };
                self.node(kind(left, right), Type::Bool, span)
            }
            BinaryOp::Union | BinaryOp::Intersect => {
                let left = self.expr(left, want, locals);
                let op = if op == BinaryOp::Union { SetOp::Union } else { SetOp::Intersect };
                self.set_op(op, left, right, span, locals)
            }
            BinaryOp::Add => {
                let made = self.add_or_step(left, right, span, locals);
                self.cancelled_in_a_sum(op, [left, right], &made, locals);
                made
            }
            BinaryOp::Subtract => {
                let made = self.expr(left, want, locals);
                if matches!(made.ty.present().base(), Type::Set(_)) {
                    return self.set_op(SetOp::Minus, made, right, span, locals);
                }
                let subtracted = self.expr(right, None, locals);
                if self.cell_minus_number([left, right], [&made, &subtracted], span) {
                    return self.poison(span);
                }
                let made = self.arith(Arith::Sub, made, subtracted, span, locals);
                self.cancelled_term(op, [left, right], &made, locals);
                self.cancelled_in_a_sum(op, [left, right], &made, locals);
                made
            }
            BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Mod => {
                let sides = (self.expr(left, None, locals), self.expr(right, None, locals));
                let arith = match op {
                    BinaryOp::Multiply => Arith::Mul,
                    BinaryOp::Divide => Arith::Div,
                    _ => Arith::Mod,
                };
                let made = self.arith(arith, sides.0, sides.1, span, locals);
                self.cancelled_term(op, [left, right], &made, locals);
                made
            }
        }
    }
}

/// A step in an operand of a comparison or in an element of a set; a `let` hides it.
fn step_of(expr: &Expr) -> Option<(Span, BoardId)> {
    match &*expr.kind {
        ExprKind::Board(BoardFn::Step, board, _) => Some((expr.span, *board)),
        ExprKind::Field(_, args) | ExprKind::Table(_, args) | ExprKind::Board(_, _, args) => {
            args.iter().find_map(step_of)
        }
        ExprKind::Part(inner, _) | ExprKind::Present(inner) => step_of(inner),
        _ => None,
    }
}

/// A comparison of two terms by `=` or `!=`.
#[derive(Clone, Copy)]
pub(crate) struct EqualityTest<'e> {
    pub left: &'e ast::Expr,
    pub right: &'e ast::Expr,
    pub is_unequal: bool,
}

impl<'e> EqualityTest<'e> {
    /// The comparison that an expression is, without brackets around it.
    pub fn of(expr: &'e ast::Expr) -> Option<EqualityTest<'e>> {
        let ast::ExprKind::Compare(left, rest) = &*expr.kind else { return None };
        match &rest[..] {
            [(CmpOp::Equal | CmpOp::DoubleEqual | CmpOp::Is, right)] => {
                Some(EqualityTest { left, right, is_unequal: false })
            }
            [(CmpOp::NotEqual, right)] => Some(EqualityTest { left, right, is_unequal: true }),
            _ => None,
        }
    }

    /// The comparison of the left side with another value.
    pub fn with(self, value: &ast::Expr) -> String {
        let sign = if self.is_unequal { "!=" } else { "=" };
        let [term, value] = [self.left, value].map(bouton_syntax::print_expr);
        format!("{term} {sign} {value}")
    }

    /// The comparison of the left side with a set of these values.
    fn in_words(self, values: &[&ast::Expr]) -> String {
        let word = if self.is_unequal { "not in" } else { "in" };
        let values: Vec<String> = values.iter().map(|value| bouton_syntax::print_expr(value)).collect();
        format!("{} {word} {{ {} }}", bouton_syntax::print_expr(self.left), values.join(", "))
    }
}

/// The operands of a chain of one operator.
pub(crate) fn operands(op: BinaryOp, expr: &ast::Expr) -> Vec<&ast::Expr> {
    let (mut sides, mut rest) = (Vec::new(), expr);
    while let ast::ExprKind::Binary(of, left, right) = &*rest.kind
        && *of == op
    {
        sides.push(right);
        rest = left;
    }
    sides.push(rest);
    sides.reverse();
    sides
}

/// The last condition of a conjunction without brackets, or the expression itself.
fn last_conjunct(expr: &ast::Expr) -> &ast::Expr {
    match &*expr.kind {
        ast::ExprKind::Binary(BinaryOp::And, _, right) => right,
        _ => expr,
    }
}

fn word_of(op: BinaryOp) -> &'static str {
    if op == BinaryOp::And { "and" } else { "or" }
}

/// The diagnostic of `at[a1] and at[b1] = X`, where the sides before the comparison are terms.
fn shared_value(op: BinaryOp, terms: &[&ast::Expr], model: EqualityTest<'_>) -> Diagnostic {
    let title = format!("each side of `{}` is a condition of its own", word_of(op));
    let (first, value) = (terms[0], bouton_syntax::print_expr(model.right));
    let found = Diagnostic::new(Code::E0201, title, first.span, "compared with nothing");
    let example = format!("{} = {value}", bouton_syntax::print_expr(first));
    let found = found.help(format!("write `{example}`, and the same on each side"));
    terms.iter().fold(found, |found, side| {
        found.edit(Span { start: side.span.end, ..side.span }, format!(" = {value}"))
    })
}

/// The diagnostic of `k = 1 or 2`, where values follow the comparison; `first` is the side that it ends.
fn shared_term(
    op: BinaryOp,
    others: &[&ast::Expr],
    model: EqualityTest<'_>,
    first: &ast::Expr,
) -> Diagnostic {
    let title = format!("each side of `{}` is a condition of its own", word_of(op));
    let mut found = Diagnostic::new(Code::E0201, title, others[0].span, "compared with nothing");
    let values: Vec<&ast::Expr> = std::iter::once(model.right).chain(others.iter().copied()).collect();
    let is_alone = EqualityTest::of(first).is_some();
    // One value is never two, and `x != a or x != b` is always true: there the writer means another word.
    if op == BinaryOp::Or && !model.is_unequal && is_alone {
        let term = bouton_syntax::print_expr(model.left);
        for side in others {
            found = found.edit(Span { end: side.span.start, ..side.span }, format!("{term} = "));
        }
    } else if op == BinaryOp::Or && !model.is_unequal || op == BinaryOp::And && model.is_unequal && is_alone {
        let whole = model.left.span.to(values[values.len() - 1].span);
        found = found.edit(whole, model.in_words(&values));
    }
    // Beside an `and` a further `or` would need brackets.
    found.help(match op == BinaryOp::Or && !is_alone {
        true => format!("write `{}`", model.in_words(&values)),
        false => alternatives(op, &values, model),
    })
}

/// Advice on a term that is compared with several values.
pub(super) fn alternatives(op: BinaryOp, values: &[&ast::Expr], model: EqualityTest<'_>) -> String {
    let (word, set) = (if model.is_unequal { "and" } else { "or" }, model.in_words(values));
    let each: Vec<String> = values.iter().map(|value| model.with(value)).collect();
    let each = each.join(&format!(" {word} "));
    match (op, model.is_unequal) {
        (BinaryOp::Or, false) | (BinaryOp::And, true) => format!("write `{each}`, or `{set}`"),
        (_, false) => format!("a term has one value: for either of them write `{each}`, or `{set}`"),
        _ => format!("for a value that is none of them write `{each}`, or `{set}`"),
    }
}

/// Returns true for two terms that are written alike and are no literals.
pub(super) fn same_terms(left: &ast::Expr, right: &ast::Expr) -> bool {
    use ast::ExprKind as A;
    let is_literal = matches!(
        &*left.bare().kind,
        A::Number(_) | A::Str(_) | A::Text(_) | A::Bool(_) | A::None | A::Error | A::Diagram(..)
    );
    !is_literal && bouton_syntax::print_expr(left.bare()) == bouton_syntax::print_expr(right.bare())
}

/// Returns true if a term has a value in every position, `none` included.
fn always_has_value(made: &Expr) -> bool {
    match &*made.kind {
        ExprKind::Var(_) | ExprKind::Me | ExprKind::Const(_) => true,
        ExprKind::Field(_, keys) => keys.is_empty(),
        _ => false,
    }
}
