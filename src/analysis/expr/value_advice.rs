//! Advice on values of another kind than is needed: a range in braces, a name for a string, a field for its player, a
//! cell for a direction, a tuple for one payoff, odds in words.

use super::advice::Advice;
use super::decided::literal;
use crate::analyzer::Analyzer;
use crate::locals::{ExprPlace, Locals};
use bouton_base::source::Span;
use bouton_rules::{EnumKind, Expr, PLAYER, Type};
use bouton_syntax::ast::{self, ItemKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

/// The help on a tuple where a number is needed.
pub(crate) const TUPLE_FOR_A_NUMBER: &str = "one number is needed, not a tuple: a payoff is that of the player `p` alone, so \
    each arm has the number of `p`";

impl<'a> Analyzer<'a> {
    /// Advice on a value of the type `ty` where one of the type `want` is needed, by the form of its words.
    pub(super) fn advice_by_form(&self, words: &ast::Expr, ty: &Type, want: &Type) -> Option<Advice> {
        range_in_braces(words, ty, want)
            .or_else(|| name_for_a_string(words, want))
            .or_else(|| self.player_for_a_name(words, want))
            .or_else(|| self.direction_for_a_cell(ty, want))
            .or_else(|| self.cell_for_its_content(words, ty, want))
    }

    /// `at[to] := from`, where what stands on the cell `from` is meant.
    fn cell_for_its_content(&self, words: &ast::Expr, ty: &Type, want: &Type) -> Option<Advice> {
        let (name, board) = (words.bare().as_name()?, self.board_of(ty)?);
        let is_open = matches!(
            self.item_around(words.span),
            Some(ItemKind::Move(_) | ItemKind::Effect { .. } | ItemKind::EveryMove(_) | ItemKind::Def { .. })
        );
        let mut fields = self.rules.fields.iter().filter(|field| {
            matches!(&field.keys[..], [key] if self.board_of(&key.ty) == Some(board))
                && field.ty.present().base() == want.present().base()
        });
        let (field, None) = (fields.next().filter(|_| is_open)?, fields.next()) else { return None };
        Some(Advice::new(format!("`{name}` is a cell: what stands there is `{}[{name}]`", field.name)))
    }

    /// `next phase;`, where `next` gives the turn to a player.
    pub(super) fn phase_for_a_player(&self, words: &ast::Expr, want: &Type) -> Option<Advice> {
        let is_it = *want.base() == Type::Sym(PLAYER) && words.bare().as_name() == Some("phase");
        let name = self
            .rules
            .phases
            .iter()
            .last()
            .map(|phase| phase.name.as_str())
            .filter(|name| !name.is_empty())?;
        is_it.then(|| {
            Advice::new(format!(
                "`next` gives the turn to a player; another phase comes by `continue`, such as `continue {name};`"
            ))
        })
    }

    /// `mouse wins`, where the player is `Mouse`, and `mouse` says where it stands.
    pub(crate) fn player_for_a_name(&self, words: &ast::Expr, want: &Type) -> Option<Advice> {
        let name = words.bare().as_name().filter(|_| *want.present().base() == Type::Sym(PLAYER))?;
        let player = self.rules.players().iter().find(|player| player.eq_ignore_ascii_case(name))?;
        (player != name).then(|| {
            Advice::new(format!("the player is `{player}`; `{name}` is another name"))
                .edit(words.bare().span, player.clone())
        })
    }

    /// `strike(a3, b2)`, where the second parameter is a direction.
    fn direction_for_a_cell(&self, ty: &Type, want: &Type) -> Option<Advice> {
        self.board_of(ty)?;
        let Type::Sym(of) = *want.present().base() else { return None };
        let of = &self.rules.enums[of];
        let first = of.members.first().filter(|_| of.kind == EnumKind::Dir)?;
        Some(Advice::new(format!(
            "a direction has a name, such as `{first}`; the one from a cell `a` to a cell `b` is `dir(a, b)`"
        )))
    }

    /// Adds advice to the report of a number where a set is needed: `weight 1 in 3`.
    pub(super) fn advise_on_odds(&mut self, words: [&ast::Expr; 2], locals: &Locals) {
        let [Some(part), Some(whole)] = words.map(literal) else { return };
        let help = match locals.place {
            ExprPlace::Chance => format!(
                "{part} in {whole} is the number `{part} / {whole}`; events of equal odds need no `weight` at all"
            ),
            _ => format!("`in` asks for an element of a set, such as `{part} in 1..{whole}`"),
        };
        self.help_last(help);
    }

    /// Adds the help to the last diagnostic, if it is a type error without one.
    fn help_last(&mut self, help: String) {
        let is_bare =
            |found: &&mut Diagnostic| matches!(found.code, Code::E0201 | Code::E0202) && found.help.is_none();
        if let Some(found) = self.diagnostics.last_mut().filter(is_bare) {
            found.help = Some(help);
        }
    }

    /// Advice on a pattern of another type than the value that is matched: a list for a tuple.
    pub(super) fn tuple_for_a_list(&mut self, words: &ast::Expr, ty: &Type) -> Option<Advice> {
        let (ast::ExprKind::List(parts), Type::Tuple(types)) = (&*words.bare().kind, ty.base()) else {
            return None;
        };
        let shown: Vec<String> = parts.iter().map(print_expr).collect();
        let tuple = format!("({})", shown.join(", "));
        let advice = Advice::new(format!("a tuple stands in round brackets: `{tuple}`"));
        (parts.len() == types.len()).then(|| advice.edit(words.bare().span, tuple))
    }

    /// Advice on a tuple as a pattern, where the values of one arm stand in braces: `(left, right) => ...`.
    pub(super) fn tuple_for_values(&self, words: &ast::Expr, ty: &Type, made: &Type) -> Option<Advice> {
        let (ast::ExprKind::Tuple(parts), Type::Tuple(types)) = (&*words.bare().kind, made.present().base())
        else {
            return None;
        };
        let is_value = |part: &Type| Type::join(part, ty).is_some() && *part.base() != Type::Never;
        let shown: Vec<String> = parts.iter().map(print_expr).collect();
        let set = format!("{{ {} }}", shown.join(", "));
        let advice = Advice::new(format!("several values of one arm stand in braces: `{set} => ...`"));
        types.iter().all(is_value).then(|| advice.edit(words.bare().span, set))
    }

    /// Marks the set with one element, a range, that is meant as the set of the numbers: `const takes = { 1..3 };`.
    pub(super) fn range_declared_in_braces(&mut self, element: &Expr, set: &ast::Expr) {
        let Some(name) = set.bare().as_name() else { return };
        if !matches!(element.ty.present().base(), Type::Int(..)) {
            return;
        }
        let range = self.items().find_map(|(item, _)| match &item.kind {
            ItemKind::Const { name: of, value, .. } if of.text == name => braced_range(value),
            _ => None,
        });
        let Some((place, range)) = range else { return };
        if let Some(found) = self.diagnostics.last_mut() {
            found.labels.push(bouton_syntax::diag::Label { span: place, text: "a set of one range".into() });
            found.help = Some(format!("a range is a set already: write `{range}` without braces"));
        }
    }
}

/// `{ 1..3 }`, where the set of these numbers is needed.
fn range_in_braces(words: &ast::Expr, ty: &Type, want: &Type) -> Option<Advice> {
    let (place, range) = braced_range(words)?;
    let is_set = |ty: &Type| matches!(ty.base(), Type::Set(_));
    let is_meant = ty.element().is_some_and(|inner| is_set(inner) && Type::join(inner, want).is_some());
    is_meant.then(|| {
        Advice::new(format!("a range is a set already: write `{range}` without braces")).edit(place, range)
    })
}

/// The place of a set of one range, and the range.
fn braced_range(words: &ast::Expr) -> Option<(Span, String)> {
    let ast::ExprKind::Set(elements) = &*words.bare().kind else { return None };
    let [only] = &elements[..] else { return None };
    matches!(&*only.bare().kind, ast::ExprKind::Range(..))
        .then(|| (words.bare().span, print_expr(only.bare())))
}

/// `X => X` in a display, where a string is needed.
fn name_for_a_string(words: &ast::Expr, want: &Type) -> Option<Advice> {
    let name = words.bare().as_name().filter(|_| *want == Type::Text)?;
    let string = format!("\"{name}\"");
    Some(Advice::new(format!("a string stands between quotes: `{string}`")).edit(words.bare().span, string))
}

/// Returns true for a tuple of numbers.
pub(crate) fn is_tuple_of_numbers(ty: &Type) -> bool {
    match ty.base() {
        Type::Tuple(parts) => parts.iter().all(|part| matches!(part.base(), Type::Int(..) | Type::Ratio)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn helps(text: &str, code: Code) -> Vec<String> {
        let text = format!("game \"Values\"; {text}");
        found(&text, code).into_iter().map(|found| found.help.unwrap_or_default()).collect()
    }

    #[test]
    fn ranges_are_sets() {
        let game = |init: &str| {
            format!(
                "players A, B; state {{ hand[p: Player]: set of 1..3 = {init}; }}
                 move lay(c: 1..3) as \"{{c}}\" {{ when c in hand[me]; hand[me] -= {{ c }}; }} play normal;"
            )
        };
        let help = "a range is a set already: write `1..3` without braces";
        assert_eq!(helps(&game("{ 1..3 }"), Code::E0201), [help]);
        assert_eq!(helps(&game("1..3"), Code::E0201), [""; 0]);
        let takes = "players A, B; const takes = { 1..3 }; state { n: 0..9 = 9; }
                     move take(k: 1..4) as \"{k}\" { when k in takes and k <= n; n -= k; } play normal;";
        assert_eq!(helps(takes, Code::E0202), [help]);
    }

    #[test]
    fn strings_players_and_directions_are_named() {
        let game = |strike: &str, rest: &str| {
            format!(
                "players Mouse, Cat; board Cell = grid(3, 3); state {{ mouse: Cell = a1; cat: Cell = c3; }}
                 move run(d: Dir) by Mouse as \"{{d}}\" {{ mouse := mouse + d; }}
                 move hunt(d: Dir) by {strike} as \"{{d}}\" {{ cat := cat + d; }} {rest}"
            )
        };
        let end = |player: &str| format!("end {{ when cat = mouse => {player} wins; repeat => draw; }}");
        let help = "the player is `Mouse`; `mouse` is another name";
        assert_eq!(helps(&game("Cat", &end("mouse")), Code::E0201), [help]);
        assert_eq!(helps(&game("mouse", &end("Mouse")), Code::E0201), [help]);
        let test = format!("{} test \"one\" {{ play run(b2); }}", end("Mouse"));
        let found =
            crate::testing::found_in_claims(&format!("game \"Values\"; {}", game("Cat", &test)), Code::E0201);
        let is_named = |found: &bouton_syntax::diag::Diagnostic| {
            found.help.as_deref().is_some_and(|help| help.starts_with("a direction has a name, such as `N`"))
        };
        assert!(found.iter().all(is_named), "{found:?}");
        let display = "players X, O; board Cell = grid(2, 2); state { at[c: Cell]: Player? = none; }
                       move mark(c: Cell) as \"{c}\" { when at[c] = none; at[c] := me; } play normal;
                       display { cell at { X => X, O => \"O\", none => \".\" }; }";
        assert_eq!(helps(display, Code::E0201), ["a string stands between quotes: `\"X\"`"]);
    }

    #[test]
    fn cells_are_not_what_stands_there() {
        let help = |value: &str| {
            let text = format!(
                "players A, B; board Cell = grid(3, 3); state {{ at[c: Cell]: Player? = none; }}
                 move go(from: Cell, to: Cell) as \"{{from}}{{to}}\" {{
                   when at[from] != opponent and at[to] = none; at[to] := {value}; }} end {{ when stuck => draw; }}"
            );
            helps(&text, Code::E0201)
        };
        assert_eq!(help("from"), ["`from` is a cell: what stands there is `at[from]`"]);
        assert!(help("at[from]").is_empty());
    }

    #[test]
    fn odds_and_payoffs_are_numbers() {
        let dice = "players A, B; phases { roll by chance; go; } state { n: 0..9 = 0; }
                    chance throw(d: 1..3) in roll as \"{d}\" { weight 1 in 3; n := d; continue go; }
                    move go() in go { when n > 1; n -= 1; } play normal;";
        let help = "1 in 3 is the number `1 / 3`; events of equal odds need no `weight` at all";
        assert_eq!(helps(dice, Code::E0201), [help]);
        let act = |arms: &str| {
            format!(
                "players A, B; enum Act {{ stop, go }} phases {{ choose by each; }}
                 state {{ act[p: Player]: Act? = none; }} move pick(a: Act) as \"{{a}}\" {{ act[me] := a; }}
                 end {{ when all p in Player: act[p] != none => payoff p: match (act[p], act[other(p)]) {{ {arms} }}; }}"
            )
        };
        let pairs = "(stop, stop) => (0, 0), _ => (1, -1)";
        assert_eq!(helps(&act(pairs), Code::E0201), [super::TUPLE_FOR_A_NUMBER]);
        let matched = |pattern: &str| {
            format!(
                "players A, B; enum Side {{ left, right, middle }}
                 const size[s: Side]: 0..9 = match s {{ {pattern} => 3, _ => 4 }};
                 state {{ pile[s: Side]: 0..9 = size[s]; }}
                 move take(s: Side) as \"{{s}}\" {{ when pile[s] > 0; pile[s] -= 1; }} play normal;"
            )
        };
        let braces = "several values of one arm stand in braces: `{ left, right } => ...`";
        assert_eq!(helps(&matched("(left, right)"), Code::E0202), [braces]);
        assert_eq!(helps(&matched("(left, 3)"), Code::E0202), [""]);
        assert_eq!(helps(&matched("{ left, right }"), Code::E0202), [""; 0]);
        let list = "[stop, stop] => 0, (stop, go) => 1, (go, stop) => -1, _ => 0";
        assert_eq!(helps(&act(list), Code::E0202), ["a tuple stands in round brackets: `(stop, stop)`"]);
    }

    #[test]
    fn words_of_other_kinds_are_told_apart() {
        let help = |rest: &str, code: Code| {
            let text = format!(
                "players A, B; phases {{ put; walk; }} enum Card {{ low, high }} const order = [low, high];
                 state {{ n: 0..9 = 0; c: Card = low; }} def big = n > 3;
                 move go(k: 1..2) in put as \"{{k}}\" {{ when n + k <= 9; n += k; {rest} }}
                 move stay() in walk as \"-\" {{ when n < 9; n += 1; }} play normal;"
            );
            helps(&text, code).into_iter().next().unwrap_or_default()
        };
        assert!(help("continue walk; next phase;", Code::E0201).contains("such as `continue walk;`"));
        assert!(help("continue walk; big();", Code::E0101).contains("`when big(...);`"));
        let index = help("continue walk; if order.index(c) > 1 { c := low; }", Code::E0101);
        assert!(index.contains("compare them, `a > b`"), "{index}");
        let text =
            "players A, B; record Man(owner: Player, owner: bool); state { n: 0..9 = 9; m: Man? = none; }
                    move go() { when n > 0 and m = none; n -= 1; } play normal;";
        assert_eq!(helps(text, Code::E0103).len(), 1);
    }

    #[test]
    fn sets_of_cells_are_named() {
        let help = |rest: &str| {
            let text = format!(
                "players A, B; board Cell = grid(3, 3); state {{ at[c: Cell]: Player? = none; here: Cell = a1; }}
                 move go(to: Cell) as \"{{to}}\" {{ when at[to] = none; {rest}; at[to] := me; here := to; }} play normal;"
            );
            helps(&text, Code::E0201).into_iter().next().unwrap_or_default()
        };
        let both = "write `to in here.neighbors | here.diagonals`";
        assert_eq!(help("when to in here.neighbors or here.diagonals"), both);
        assert_eq!(help("when to in here.neighbors | here.diagonals or to = here"), "");
        assert!(help("when to in a1..b2").contains("`{ a1, b2 }`"));
    }

    #[test]
    fn rows_of_values_are_one_list() {
        let text = "players A, B; board Cell = grid(2, 2); const worth[c: Cell]: 0..9 = [[1, 2], [3, 4]];
                    state { n: 0..9 = 0; } move go(c: Cell) { when n + worth[c] <= 9; n += worth[c]; } play normal;";
        let help = &helps(text, Code::E0201)[0];
        assert!(help.ends_with("write `[1, 2, 3, 4][c.reading]`"), "{help}");
    }

    #[test]
    fn types_that_hold_themselves_are_told_once() {
        let text = "players A, B; record Man(owner: Player, under: Man?); state { n: 0..9 = 9; }
                    move go() { when n > 0 and Man(me).owner = me; n -= 1; } play normal;";
        let help = &helps(text, Code::E0305)[0];
        assert!(help.starts_with("a record holds no record of its own type"), "{help}");
        let three = "players A, B, Nature; phases { act; roll by chance; } state { n: 0..9 = 9; }
                     move go() in act { when n > 0; n -= 1; continue roll; }
                     chance die(d: 1..3) in roll as \"({d})\" { n := max(0, n - d); next other(mover); } play normal;";
        assert!(helps(three, Code::E0201)[0].starts_with("chance is no player"));
    }

    #[test]
    fn one_player_has_no_opponent() {
        let text = "player S; state { at[x: 1..3]: 0..1 = 1; }
                    move go(x: 1..3) { when at[x] = 1 and opponent = S; at[x] := 0; } end { when stuck => win; }";
        assert!(helps(text, Code::E0201)[0].contains("`!= none`"), "{:?}", helps(text, Code::E0201));
    }
}
