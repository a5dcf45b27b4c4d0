//! Terms about sets and phases that parse, but have the form of other languages: `open[-1]` for the greatest element,
//! `hand[p].isEmpty()`, `others(p)`, `phase = 0`, the type `1 - 8`, and a string for a list of letters.

use std::collections::{BTreeMap, BTreeSet};

use super::RepairSession;
use super::declared_names::{Declared, Variables};
use super::heads::SHAPES;
use crate::ast::{
    BinaryOp, BoardForm, CmpOp, Expr, ExprKind, Item, ItemKind, MoveDecl, Stmt, StmtKind, Type, TypeKind,
    UnaryOp,
};
use crate::diag::{Code, Diagnostic};
use crate::print_expr;
use crate::visit_mut::{TermVisitor, visit_item};
use bouton_base::source::Span;

impl RepairSession {
    /// Reports terms about sets and phases in the form of other languages, and gives them the form of this one.
    pub fn mend_sets(&mut self) {
        let declared = Declared::of(&self.items);
        let (mut fields, mut phases) = (BTreeMap::new(), Vec::new());
        for item in &self.items {
            match &item.kind {
                ItemKind::State(own) => {
                    fields.extend(own.iter().map(|field| (field.name.text.clone(), field.ty.clone())));
                }
                ItemKind::Phases(own) => phases.extend(own.iter().map(|phase| phase.name.text.clone())),
                _ => {}
            }
        }
        for item in &mut self.items {
            let mut own = Variables::default();
            visit_item(&mut item.kind, &mut own);
            let mut terms = SetTerms {
                declared: &declared,
                own: &own,
                fields: &fields,
                phases: &phases,
                found: Vec::new(),
            };
            visit_item(&mut item.kind, &mut terms);
            self.diagnostics.append(&mut terms.found);
        }
        self.mend_letters(&declared);
        self.diagnostics.extend(self.items.iter_mut().filter_map(board_in_square_brackets));
        let passes = self.items.iter_mut().filter_map(move_that_passes);
        self.diagnostics.extend(passes);
    }

    /// Reads `const word = "AB";`, whose letters the file uses one by one, as `const word = [A, B];`, and reports it.
    fn mend_letters(&mut self, declared: &Declared) {
        let mut uses = IndexedNames::default();
        self.items.iter_mut().for_each(|item| visit_item(&mut item.kind, &mut uses));
        for item in &mut self.items {
            let ItemKind::Const { name, keys, ty: None, value } = &mut item.kind else { continue };
            let ExprKind::Str(text) = &*value.kind else { continue };
            if !keys.is_empty() || !uses.0.contains(&name.text) || text.is_empty() {
                continue;
            }
            let letters: Vec<String> = text.chars().map(String::from).collect();
            let has_all = |members: &Vec<String>| letters.iter().all(|letter| members.contains(letter));
            let is_known = declared.members.values().any(has_all);
            let digits: Option<Vec<u32>> = text.chars().map(|letter| letter.to_digit(10)).collect();
            let listed = format!("[{}]", letters.join(", "));
            let title = "a string has no elements: a word is a list of its letters";
            let found = Diagnostic::new(Code::E0201, title, value.span, "");
            let found = match is_known || digits.is_some() {
                true => found.help(format!("write `{listed}`")).edit(value.span, listed),
                false => found.help(format!("write `{listed}`, with an `enum` of the letters")),
            };
            let name_of = |letter: &String| Expr::new(ExprKind::Name(letter.clone()), value.span);
            *value.kind = match is_known {
                true => ExprKind::List(letters.iter().map(name_of).collect()),
                false => ExprKind::Error,
            };
            self.diagnostics.push(found);
        }
    }
}

/// The names that a file uses with an index, or with `#` before them.
#[derive(Default)]
struct IndexedNames(BTreeSet<String>);

impl TermVisitor for IndexedNames {
    fn term(&mut self, term: &mut Expr) {
        let (ExprKind::Index(of, _) | ExprKind::Unary(UnaryOp::Count, of)) = &*term.kind else { return };
        self.0.extend(of.as_name().map(str::to_owned));
    }
}

/// Reads `move pass() { when stuck; }` as `pass when stuck;`, and reports it.
fn move_that_passes(item: &mut Item) -> Option<Diagnostic> {
    let ItemKind::Move(made) = &item.kind else { return None };
    let condition = condition_of_a_pass(made)?;
    let help = format!("write `pass when {};`", print_expr(condition));
    let title = "a pass for a player without a move is no move, but an item of its own";
    let found = Diagnostic::new(Code::E0303, title, made.name.span, "").help(help);
    let found = match made.is_unrestricted() && !made.chance {
        true => found.edit(item.span, format!("pass when {};", print_expr(condition))),
        false => found,
    };
    item.kind = ItemKind::Pass(Some(condition.clone()));
    Some(found)
}

/// Reads `board Cell = ring[4];` as `board Cell = ring(4);`, and reports it.
fn board_in_square_brackets(item: &mut Item) -> Option<Diagnostic> {
    let ItemKind::Board { form: BoardForm::Expr(form), .. } = &mut item.kind else { return None };
    let ExprKind::Index(shape, sizes) = &*form.kind else { return None };
    let name = shape.as_name().filter(|name| SHAPES.contains(name))?.to_owned();
    let (Some(first), Some(last)) = (sizes.first(), sizes.last()) else { return None };
    let found = Diagnostic::new(Code::E0201, "the sizes of a board stand in round brackets", form.span, "");
    let open = Span { end: first.span.start, start: shape.span.end, ..form.span };
    let close = Span { start: last.span.end, ..form.span };
    let found = found.help(format!("write `{name}(...)`")).edit(open, "(").edit(close, ")");
    *form.kind = ExprKind::Call(shape.clone(), sizes.clone());
    Some(found)
}

/// The condition of a move that has no effect and asks for `stuck`.
fn condition_of_a_pass(made: &MoveDecl) -> Option<&Expr> {
    let [Stmt { kind: StmtKind::When(condition), .. }] = &made.body.stmts[..] else { return None };
    let is_stuck = condition.bare().as_name() == Some("stuck");
    let is_pass = matches!(made.name.text.as_str(), "pass" | "skip" | "do_pass" | "pass_turn" | "no_move");
    (is_stuck && is_pass && made.params.is_empty() && !made.chance).then_some(condition)
}

/// The search for such terms in an item.
struct SetTerms<'d> {
    declared: &'d Declared,
    own: &'d Variables,
    fields: &'d BTreeMap<String, Type>,
    phases: &'d [String],
    found: Vec<Diagnostic>,
}

impl TermVisitor for SetTerms<'_> {
    fn block(&mut self, stmts: &mut Vec<Stmt>) {
        for stmt in stmts {
            let StmtKind::For(binders, _) = &mut stmt.kind else { continue };
            let lists = binders.iter_mut().filter_map(|binder| list_of_a_loop(&mut binder.domain));
            self.found.extend(lists);
        }
    }

    fn term(&mut self, term: &mut Expr) {
        let new = self
            .end_of_a_set(term)
            .or_else(|| self.empty(term))
            .or_else(|| self.other_players(term))
            .or_else(|| self.without_an_element(term))
            .or_else(|| self.phase_as_a_number(term));
        if let Some((found, kind)) = new {
            *term.kind = kind;
            // The same mistake in one item has one message.
            match self.found.iter_mut().find(|earlier| earlier.title == found.title && found.edits.is_empty())
            {
                Some(earlier) => join(earlier, found),
                None => self.found.push(found),
            }
        }
    }
}

/// Reads the list of `for x in [a, b]` as the set `{ a, b }`, and reports it.
fn list_of_a_loop(domain: &mut Expr) -> Option<Diagnostic> {
    let ExprKind::List(elements) = &*domain.kind else { return None };
    let shown: BTreeSet<String> = elements.iter().map(print_expr).collect();
    let is_whole = shown.len() == elements.len();
    *domain.kind = ExprKind::Set(elements.clone());
    let new = print_expr(domain);
    let title = "what a `for` goes through is a set, and this is a list";
    let found = Diagnostic::new(Code::E0201, title, domain.span, "").help(format!("write `{new}`"));
    Some(if is_whole { found.edit(domain.span, new) } else { found })
}

/// Adds the place and the help of a message to an earlier one of its title.
fn join(earlier: &mut Diagnostic, later: Diagnostic) {
    let help = later.help.unwrap_or_default();
    let known = earlier.help.take().unwrap_or_default();
    let is_new = !known.contains(help.as_str());
    earlier.help = Some(if is_new { format!("{known}; {help}") } else { known });
    earlier.labels.extend(later.labels);
}

/// A message about a term, and the term in its place.
type Mended = (Diagnostic, ExprKind);

fn written(code: Code, title: String, term: Span, new: Expr) -> Mended {
    let text = print_expr(&new);
    let found = Diagnostic::new(code, title, term, "").help(format!("write `{text}`")).edit(term, text);
    (found, *new.kind)
}

impl SetTerms<'_> {
    fn is_declared(&self, name: &str) -> bool {
        self.declared.has(name) || self.own.sets.contains_key(name)
    }

    /// The type of a field with all its keys.
    fn type_of(&self, term: &Expr) -> Option<&Type> {
        let name = match &*term.bare().kind {
            ExprKind::Name(name) => name,
            ExprKind::Index(of, _) => of.as_name()?,
            _ => return None,
        };
        self.fields.get(name).filter(|_| !self.own.sets.contains_key(name))
    }

    /// Explains `open[0]` and `open[-1]` of a set, which has no order.
    fn end_of_a_set(&self, term: &Expr) -> Option<Mended> {
        let ExprKind::Index(of, keys) = &*term.kind else { return None };
        let [place] = &keys[..] else { return None };
        let is_field = match &*of.kind {
            ExprKind::Name(name) => self.declared.values.contains_key(name),
            ExprKind::Index(..) => true,
            _ => false,
        };
        let TypeKind::Set(element) = &self.type_of(of).filter(|_| is_field)?.kind else { return None };
        // Only numbers have a least one.
        let is_range = |ty: &Type| matches!(&ty.kind, TypeKind::Expr(expr) if matches!(&*expr.kind, ExprKind::Range(..)));
        let has_order = match &element.kind {
            TypeKind::Expr(expr) => match expr.as_name() {
                Some(name) => {
                    !self.declared.members.contains_key(name) && !self.declared.flat_boards.contains(name)
                }
                None => is_range(element),
            },
            _ => false,
        };
        let set = print_expr(of);
        let size = format!("#{set}");
        let place = print_expr(place);
        let is_last = place == "-1" || place == size || place == format!("{size} - 1");
        let help = match place.as_str() {
            "0" | "1" if !has_order => format!("`x in {set}` asks whether `x` is an element"),
            _ if is_last && !has_order => format!("`x in {set}` asks whether `x` is an element"),
            "0" => format!("write `min({set})` for the least element"),
            "1" => format!("write `min({set})` for the least element; the second one has no name"),
            _ if is_last => format!("write `max({set})` for the greatest element"),
            _ => return None,
        };
        let title = format!("`{set}` is a set, which has no order and no places");
        Some((Diagnostic::new(Code::E0104, title, term.span, "").help(help), ExprKind::Error))
    }

    /// Reads `hand[p].isEmpty()` as `hand[p] = {}`.
    fn empty(&self, term: &Expr) -> Option<Mended> {
        let ExprKind::Call(head, args) = &*term.kind else { return None };
        let ExprKind::Part(base, part) = &*head.kind else { return None };
        let word = part.text.to_ascii_lowercase().replace('_', "");
        let op = match word.as_str() {
            "isempty" | "empty" => CmpOp::Equal,
            "nonempty" | "isnotempty" | "notempty" | "isnonempty" => CmpOp::NotEqual,
            _ => return None,
        };
        let is_module = base.as_name().is_some_and(|name| !self.is_declared(name));
        if is_module || self.declared.part_names.contains(&part.text) || !args.is_empty() {
            return None;
        }
        let base = base.bare();
        let nothing = match self.type_of(base).map(|ty| &ty.kind) {
            Some(TypeKind::Set(_)) => ExprKind::Set(Vec::new()),
            Some(TypeKind::Option(_)) => ExprKind::None,
            _ => return None,
        };
        let title = match &nothing {
            ExprKind::None => format!("a cell without a piece is `none`: there is no part `{}`", part.text),
            _ => format!("the empty set is `{{}}`: there is no part `{}`", part.text),
        };
        let nothing = Expr::new(nothing, part.span);
        let new = Expr::new(ExprKind::Compare(base.clone(), vec![(op, nothing)]), term.span);
        Some(written(Code::E0101, title, term.span, new))
    }

    /// Reads `others(p)` with three players as `Player - { p }`.
    fn other_players(&self, term: &Expr) -> Option<Mended> {
        let ExprKind::Call(head, args) = &*term.kind else { return None };
        let [player] = &args[..] else { return None };
        let is_word = matches!(head.as_name()?, "others" | "opponents" | "opponents_of" | "other_players");
        let count = self.declared.members.get("Player").map_or(0, Vec::len);
        if !is_word || self.is_declared(head.as_name()?) || count < 3 {
            return None;
        }
        let title = "the other players are the set of all players without one".to_owned();
        let name = Expr::new(ExprKind::Name("Player".to_owned()), head.span);
        let one = Expr::new(ExprKind::Set(vec![player.clone()]), player.span);
        let new = Expr::new(ExprKind::Binary(BinaryOp::Subtract, name, one), term.span);
        Some(written(Code::E0101, title, term.span, new))
    }

    /// Reads `Player - p` as `Player - { p }`.
    fn without_an_element(&self, term: &Expr) -> Option<Mended> {
        let ExprKind::Binary(op, left, right) = &*term.kind else { return None };
        let (set, name) = (left.as_name()?, right.as_name()?);
        let element = self.own.sets.get(name)?.as_deref()?;
        let is_set = self.declared.members.contains_key(set) || self.declared.flat_boards.contains(set);
        if !matches!(op, BinaryOp::Subtract | BinaryOp::Union) || !is_set || element != set {
            return None;
        }
        let one = Expr::new(ExprKind::Set(vec![right.clone()]), right.span);
        let title = format!("both sides of `{}` are sets, and this is one element", sign(*op));
        let text = print_expr(&one);
        let found = Diagnostic::new(Code::E0201, title, right.span, "");
        let found = found.help(format!("write `{set} {} {text}`", sign(*op))).edit(right.span, text);
        Some((found, ExprKind::Binary(*op, left.clone(), one)))
    }

    /// Explains `phase = 0` and `phase < 2`, and reads `phase = "swap"` as `phase = swap`.
    fn phase_as_a_number(&self, term: &Expr) -> Option<Mended> {
        let ExprKind::Compare(first, rest) = &*term.kind else { return None };
        let [(op, second)] = &rest[..] else { return None };
        let is_phase = |term: &Expr| term.bare().as_name() == Some("phase");
        let value = match () {
            () if is_phase(first) => second,
            () if is_phase(second) => first,
            () => return None,
        };
        if self.is_declared("phase") || self.fields.contains_key("phase") || self.phases.is_empty() {
            return None;
        }
        let names = self.phases.join(", ");
        match &*value.bare().kind {
            ExprKind::Str(text) if self.phases.contains(text) => {
                let title = format!("a phase has its name without quotes: `{text}`");
                let found = Diagnostic::new(Code::E0202, title, value.span, "");
                let found = found.help(format!("write `{text}`")).edit(value.span, text.clone());
                let name = Expr::new(ExprKind::Name(text.clone()), value.span);
                let kind = match is_phase(first) {
                    true => ExprKind::Compare(first.clone(), vec![(*op, name)]),
                    false => ExprKind::Compare(name, vec![(*op, second.clone())]),
                };
                Some((found, kind))
            }
            ExprKind::Str(_) | ExprKind::Number(_) => {
                let title = match &*value.bare().kind {
                    ExprKind::Str(text) => format!("there is no phase `{text}`"),
                    _ => "a phase is a name, and no number".to_owned(),
                };
                let help = match self.phases {
                    [one] => format!("the only phase is {one}: leave the condition out"),
                    [one, ..] => format!(
                        "the phases are {names}: write `phase = {one}`, or `in {one}` in the head of the move"
                    ),
                    [] => return None,
                };
                let found = Diagnostic::new(Code::E0202, title, value.span, "");
                Some((found.help(help), ExprKind::Error))
            }
            _ => None,
        }
    }
}

fn sign(op: BinaryOp) -> &'static str {
    if op == BinaryOp::Union { "|" } else { "-" }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    const HEAD: &str = "players A, B, C;\nphases { deal; swap; }\nenum Letter { T, O }\nboard Cell = grid(3, 3);\n\
                        state { open: set of 1..8 = {}; hand[p: Player]: set of 1..8 = {}; at[c: Cell]: Player? = none; }\n";

    fn text(term: &str) -> String {
        format!("{HEAD}def f(p: Player, i: 1..8, c: Cell) = {term};\n")
    }

    fn check(old: &str, new: &str) {
        assert_eq!(mended(&text(old)), text(new), "{old}");
        assert_eq!(titles(&text(old)).len(), 1, "{old}: {:?}", titles(&text(old)));
        assert_eq!(titles(&text(new)), Vec::<String>::new(), "{new}");
    }

    #[test]
    fn sets_have_no_places() {
        let both = text("i = open[0] or i = open[-1]");
        assert_eq!(mended(&both), both);
        assert_eq!(titles(&both), ["`open` is a set, which has no order and no places"]);
        assert!(helps(&both)[0].contains("`min(open)`") && helps(&both)[0].contains("`max(open)`"));
        assert!(helps(&text("i = hand[p][#hand[p]]"))[0].contains("`max(hand[p])`"));
        assert_eq!(titles(&text("i in hand[p]")), Vec::<String>::new());
    }

    #[test]
    fn the_empty_set_has_braces() {
        check("hand[p].isEmpty()", "hand[p] = {}");
        check("not open.is_empty() and i = 2", "not open = {} and i = 2");
        check("hand[p].nonEmpty()", "hand[p] != {}");
        check("at[c].isEmpty()", "at[c] = none");
    }

    #[test]
    fn an_element_is_no_set() {
        check("some q in others(p): q = A", "some q in Player - { p }: q = A");
        check("#(Player - p) = i", "#(Player - { p }) = i");
        check("some q in Player - p: q = A", "some q in Player - { p }: q = A");
        assert_eq!(titles(&text("i - i = 0")), Vec::<String>::new());
    }

    #[test]
    fn phases_have_names() {
        check("phase = \"swap\"", "phase = swap");
        check("phase == \"swap\"", "phase == swap");
        for number in ["phase = 0", "phase < 2", "1 = phase"] {
            assert_eq!(mended(&text(number)), text(number));
            assert_eq!(titles(&text(number)), ["a phase is a name, and no number"]);
        }
        assert!(titles("state { phase: 0..2 = 0; }\ndef f = phase = 1;\n").is_empty());
    }

    #[test]
    fn words_are_lists_of_letters() {
        let word = |value: &str| format!("{HEAD}const word = {value};\ndef f(i: 1..8) = word[i] = T;\n");
        assert_eq!(mended(&word("\"TOOT\"")), word("[T, O, O, T]"));
        assert_eq!(mended(&word("\"TAG\"")), word("\"TAG\""));
        assert_eq!(titles("const name = \"TOT\";\n"), Vec::<String>::new());
    }

    #[test]
    fn sizes_of_boards_stand_in_round_brackets() {
        assert_eq!(mended("board Pot = ring[4];\n"), "board Pot = ring(4);\n");
        assert_eq!(mended("board Cell = grid[3, 3];\n"), "board Cell = grid(3, 3);\n");
    }

    #[test]
    fn loops_go_through_sets() {
        let text = |set: &str| format!("move go(p: Pot) {{\n  for q in {set} {{ heap[q] -= 1; }}\n}}\n");
        assert_eq!(mended(&text("[p, p + E]")), text("{ p, p + E }"));
        assert_eq!(mended(&text("[p, p]")), text("[p, p]"));
        assert_eq!(titles(&text("{ p, p + E }")), Vec::<String>::new());
    }

    #[test]
    fn passes_are_no_moves() {
        assert_eq!(mended("move pass() { when stuck; }\n"), "pass when stuck;\n");
        assert_eq!(titles("move pass() { when stuck; n := 1; }\n"), Vec::<String>::new());
    }
}
