//! Advice on names without a meaning here, by the variables in scope.

use crate::analyzer::{Analyzer, Resolution};
use crate::locals::{ExprPlace, Locals};
use crate::symbols::SymbolKind;
use bouton_base::source::Span;
use bouton_rules::{DIR, EnumId, KeyDomain, PLAYER, Type};
use bouton_syntax::ast::{self, ItemKind};
use bouton_syntax::diag::{self, Code, Diagnostic};

/// The parts of cells that stand alone in the rules of a writer who thinks of one cell.
const PARTS_OF_CELLS: &[&str] =
    &["row", "col", "column", "level", "neighbors", "neighbours", "around", "diagonals"];

impl<'a> Analyzer<'a> {
    /// Reports `row` alone, where it is a part of a cell in scope; returns true if it is that.
    pub(super) fn part_alone(&mut self, name: &str, span: Span, locals: &Locals) -> bool {
        if !PARTS_OF_CELLS.contains(&name) || self.options.damaged {
            return false;
        }
        let is_cell = |ty: &Type| self.board_of(ty).is_some();
        let cells: Vec<&str> =
            locals.stack.iter().filter(|local| is_cell(&local.ty)).map(|local| local.name.as_str()).collect();
        let part = match name {
            "column" => "col",
            "neighbours" => "neighbors",
            other => other,
        };
        let found = Diagnostic::new(Code::E0101, format!("there is no `{name}` here"), span, "");
        let found = match cells[..] {
            [] => return false,
            [cell] => found
                .help(format!("this is a part of a cell: write `{cell}.{part}`"))
                .edit(span, format!("{cell}.{part}")),
            [.., before, last] => {
                found.help(format!("this is a part of a cell: `{before}.{part}` or `{last}.{part}`"))
            }
        };
        self.report(found);
        true
    }

    /// Reports `d in diagonals` of a direction; returns true if it is that.
    pub(super) fn directions_by_a_word(
        &mut self,
        left: &ast::Expr,
        right: &ast::Expr,
        locals: &mut Locals,
    ) -> bool {
        let Some(name) = right.bare().as_name().filter(|name| !locals.has(name)) else { return false };
        let ours = match name.to_ascii_lowercase().as_str() {
            "diagonals" | "diagonal" | "diag" | "diags" if name != "Diagonal" => "Diagonal",
            "orthogonals" | "orthogonal" | "straight" | "orth" if name != "Orthogonal" => "Orthogonal",
            "directions" | "dirs" | "direction" => "Dir",
            _ => return false,
        };
        if self.find(name, right.span).is_some() || self.options.damaged {
            return false;
        }
        if self.quiet_type(left, locals).is_none_or(|ty| *ty.present().base() != Type::Sym(DIR)) {
            return false;
        }
        let label = format!("did you mean the directions `{ours}`?");
        let found = Diagnostic::new(Code::E0101, format!("there is no `{name}` here"), right.span, label);
        self.report(found.edit(right.span, ours));
        true
    }

    /// The member of the wanted type, named in `wanted` as "a `Letter` (A, E)", that has a name of one letter in the other
    /// case. A longer name is found by its letters.
    pub(crate) fn member_in_other_letters(&self, name: &str, wanted: &str) -> Option<String> {
        let of_type = wanted.split('`').nth(1).filter(|_| name.len() == 1)?;
        let of = self.rules.enums.iter().find(|of| of.name == of_type)?;
        of.members.iter().find(|member| member.eq_ignore_ascii_case(name)).cloned()
    }

    /// Advice on a name that is missing in the `enum` of a wanted type, or on letters that are written as one word where a
    /// set of them is needed.
    pub(crate) fn missing_member(&self, name: &str, of_type: &str) -> Option<String> {
        let element = of_type.strip_prefix("set of ");
        let of = element.unwrap_or(of_type).trim_end_matches('?');
        if !self.is_listed(of) {
            return None;
        }
        let Some(element) = element else {
            return Some(format!(
                "if `{name}` is one more `{of}`, add it to `enum {of}`; else write a `{of}` that it has"
            ));
        };
        let members = &self.rules.enums.iter().find(|known| known.name == element)?.members;
        let letters: Vec<String> = name.chars().map(String::from).collect();
        let is_set = letters.len() > 1 && letters.iter().all(|letter| members.contains(letter));
        is_set.then(|| format!("a set is written in braces: `{{ {} }}`", letters.join(", ")))
    }

    /// Advice on a name in a pattern that is nearly that of a player, or of a member of an `enum`.
    pub(super) fn near_member(&self, name: &str, ty: &Type) -> Option<String> {
        let Type::Sym(id) = ty.present().base() else { return None };
        let of = &self.rules.enums[*id];
        // Short names are often near to others.
        let near = diag::nearest(name, of.members.iter().map(String::as_str)).filter(|_| name.len() > 3)?;
        if *id == PLAYER {
            return Some(format!("did you mean `{near}`?"));
        }
        let of = &of.name;
        self.is_listed(of)
            .then(|| format!("did you mean `{near}`? If `{name}` is one more `{of}`, add it to `enum {of}`"))
    }

    /// Adds to the report of a name in a pattern the only member that no arm names, if all other arms have theirs.
    pub(super) fn only_member_left(&mut self, pattern: &ast::Expr, arms: &[ast::Arm], ty: &Type) {
        let Type::Sym(id) = ty.base() else { return };
        let of = &self.rules.enums[*id];
        let (Some(name), true) = (pattern.bare().as_name(), self.is_listed(&of.name)) else { return };
        let named: Option<Vec<&str>> = arms
            .iter()
            .map(|arm| arm.pattern.as_ref().and_then(|pattern| pattern.bare().as_name()))
            .collect();
        let Some(named) = named.filter(|named| named.len() == of.members.len()) else { return };
        let mut left = of.members.iter().filter(|member| !named.contains(&member.as_str()));
        let (Some(member), None) = (left.next(), left.next()) else { return };
        let help = format!(
            "`{member}` is the only `{of}` without an arm: write it here; if `{name}` is one more `{of}`, add it to \
             `enum {of}`",
            of = of.name
        );
        if let Some(found) = self.diagnostics.last_mut()
            && found.code == Code::E0101
            && found.span() == pattern.span
        {
            found.help = Some(help);
        }
    }

    /// Returns true for a type whose members an `enum` of the file lists.
    pub(super) fn is_listed(&self, of_type: &str) -> bool {
        self.items().any(|(item, own)| {
            own && matches!(&item.kind, ItemKind::Enum { name, .. } if name.text == of_type)
        })
    }

    /// Returns true if a member may stand where a type is wanted, named in `wanted` as "a `Letter` (A, E)".
    pub(crate) fn is_member_wanted(&self, member: &str, wanted: &str) -> bool {
        let Some(of_type) = wanted.split('`').nth(1) else { return true };
        let of_type = of_type.trim_start_matches("set of ").trim_end_matches('?');
        let is_of = |of: EnumId| self.rules.enums[of].name == of_type;
        !self.is_listed(of_type)
            || self.members.get(member).is_none_or(|all| all.iter().any(|(of, _)| is_of(*of)))
    }

    /// The type with this declared name, if it is an alias that is resolved.
    pub(super) fn alias_of(&self, name: &str) -> Option<Type> {
        match &self.symbols.get(name)?.kind {
            SymbolKind::Alias { ty: Resolution::Resolved(ty), .. } => Some(ty.clone()),
            _ => None,
        }
    }

    /// The place of the only parameter of the item around a name that is declared with a type of this name.
    pub(super) fn parameter_of_type(&self, name: &str, span: Span) -> Option<Span> {
        let binds = match self.item_around(span)? {
            ItemKind::Move(ast::MoveDecl { params, .. }) => params,
            ItemKind::Def { formals: Some(formals), .. }
            | ItemKind::Inductive { formals, .. }
            | ItemKind::Effect { formals, .. } => formals,
            _ => return None,
        };
        let mut fitting = binds.iter().filter(|bind| match &bind.ty.kind {
            ast::TypeKind::Expr(ty) => ty.bare().as_name().is_some_and(|of| of.eq_ignore_ascii_case(name)),
            _ => false,
        });
        fitting.next().filter(|_| fitting.next().is_none()).map(|bind| bind.name.span)
    }

    /// Reports `when repeat => draw`, where a rule of its own speaks of repeated positions; returns true if it is that.
    pub fn repetition_as_a_condition(&mut self, name: &str, span: Span) -> bool {
        if !matches!(name, "repeat" | "repeated" | "repeats" | "repetition" | "is_repeated" | "threefold") {
            return false;
        }
        let rule = self.items().find_map(|(item, _)| match &item.kind {
            ItemKind::End(rules) => rules.iter().find(|rule| rule.span.covers(span)),
            _ => None,
        });
        let Some(rule) = rule else { return false };
        let title = "a position that comes again has a rule of its own, without `when`";
        let found = Diagnostic::new(Code::E0101, title, span, "this is no condition");
        let found = found.help("write `repeat => draw;`");
        self.report(match &rule.condition {
            ast::EndCondition::When { binder: None, condition } if condition.bare().span.covers(span) => {
                match &*condition.bare().kind {
                    ast::ExprKind::Name(_) | ast::ExprKind::Part(..) => {
                        found.edit(Span { end: condition.span.end, ..rule.span }, "repeat")
                    }
                    _ => found,
                }
            }
            _ => found,
        });
        true
    }

    /// The keys of a field as they are named where it stands: `me` for a player in a move, or the only variable of the
    /// type.
    pub fn keys_in_scope(&self, keys: &[KeyDomain], locals: &Locals) -> Option<String> {
        let words = keys.iter().map(|key| {
            let mut fitting = locals
                .stack
                .iter()
                .filter(|local| local.ty.base() == key.ty.base() && !local.name.starts_with('_'));
            match fitting.next() {
                Some(local) => fitting.next().is_none().then(|| local.name.clone()),
                None => (locals.place == ExprPlace::Move && *key.ty.base() == Type::Sym(PLAYER))
                    .then(|| "me".to_owned()),
            }
        });
        let words: Option<Vec<String>> = words.collect();
        words.map(|words| words.join(", "))
    }

    /// Advice on a name that only another item binds, or of one letter, where a value of the type `wanted` is needed.
    pub fn unbound_name_help(&self, name: &str, span: Span, wanted: Option<&str>) -> Option<String> {
        let item = self.item_around(span)?;
        let is_event = matches!(item, ItemKind::Move(of) if of.chance);
        if let Some((event, field)) = self.kept_throw(name).filter(|_| !is_event) {
            return Some(format!(
                "`{name}` is known only in the event `{event}`, which keeps it in `{field}`: write `{field}`"
            ));
        }
        match (item, wanted) {
            (
                ItemKind::Move(ast::MoveDecl { chance: false, .. }) | ItemKind::EveryMove(_),
                Some("Player"),
            ) => Some(
                "in a move the player who makes it is `me`, and the other of two players `opponent`"
                    .to_owned(),
            ),
            (ItemKind::Move(of), wanted) if of.chance => Some(format!(
                "what chance throws is a parameter of the event: declare `{name}: {}` in the brackets after `{}`",
                wanted.unwrap_or("1..6"),
                of.name.text
            )),
            (ItemKind::Move(of), Some(wanted)) => Some(format!(
                "what is chosen in a move is its parameter: declare `{name}: {wanted}` in the brackets after `{}`",
                of.name.text
            )),
            (ItemKind::Move(of), None) => Some(format!(
                "what is chosen in a move is its parameter: declare `{name}: 1..3` in the brackets after `{}`; a number that \
                 is fixed before play is `param {name}: 1..9 = 3;`",
                of.name.text
            )),
            (ItemKind::Def { name: of, .. } | ItemKind::Inductive { name: of, .. }, Some(wanted)) => {
                Some(format!(
                    "a definition knows only its own parameters: declare `{name}: {wanted}` in the brackets after `{}`, and give \
                 its value in each call",
                    of.text
                ))
            }
            _ => None,
        }
    }

    /// The event of chance with a parameter of this name, and the field in which alone it keeps the value.
    fn kept_throw(&self, name: &str) -> Option<(&'a str, &'a str)> {
        let mut kept = self.items().filter_map(|(item, own)| match &item.kind {
            ItemKind::Move(of) if own && of.chance && of.params.iter().any(|p| p.name.text == name) => {
                Some(of)
            }
            _ => None,
        });
        let event = kept.next()?;
        let mut fields = event.body.stmts.iter().filter_map(|stmt| match &stmt.kind {
            ast::StmtKind::Effect(effect) => {
                let is_it = matches!(&*effect.value.bare().kind, ast::ExprKind::Name(of) if of == name);
                let is_set = matches!(effect.op, ast::EffectOp::Set) && effect.target.path.is_empty();
                (is_it && is_set).then_some(effect.target.name.text.as_str())
            }
            _ => None,
        });
        let field = fields.next()?;
        (kept.next().is_none() && fields.next().is_none()).then_some((event.name.text.as_str(), field))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    #[test]
    fn members_of_one_letter_in_the_other_case() {
        let label = |letter: &str| {
            let text = format!(
                "game \"Spell\"; players A, B; enum Letter {{ N, T }} state {{ left: 0..9 = 9; }}
                 const first[i: 1..2]: Letter = if i = 1 then {letter} else N;
                 move say(x: Letter, i: 1..2) as \"{{x}} {{i}}\" {{ when left >= i and x = first[i]; left -= i; }}
                 play normal;"
            );
            found(&text, Code::E0101)
                .into_iter()
                .map(|found| found.labels[0].text.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(label("t"), ["did you mean `T`?"]);
        assert!(label("T").is_empty());
        assert!(!label("w")[0].contains("did you mean"));
    }

    fn advice(table: &str) -> (String, String) {
        let text = format!(
            "game \"Spell\"; players A, B; enum Letter {{ H, O, T }} enum Word {{ hot, oh }}
             const letters[w: Word]: set of Letter = match w {{ {table} }};
             state {{ left: 0..9 = 9; last: Letter = H; }}
             move say(x: Letter, w: Word) as \"{{x}} {{w}}\" {{ when left > 0 and x in letters[w]; left -= 1; last := x; }}
             play normal;"
        );
        let found = found(&text, Code::E0101).remove(0);
        assert!(found.edits.is_empty(), "{found:?}");
        (found.labels[0].text.clone(), found.help.unwrap_or_default())
    }

    #[test]
    fn members_in_patterns_may_be_misspelt() {
        let told = |members: &str, pattern: &str| {
            let text = format!(
                "game \"Trees\"; players Ann, Bob; enum Tree {{ {members} }}
                 state {{ left[t: Tree]: 0..5 = match t {{ {pattern} => 4, _ => 3 }}; }}
                 move take(t: Tree) as \"{{t}}\" {{ when left[t] > 0; left[t] -= 1; }} play normal;"
            );
            let mut found = crate::testing::found(&text, Code::E0101);
            assert!(found.len() == 1 && found[0].edits.is_empty(), "{found:?}");
            found.remove(0).help.unwrap_or_default()
        };
        let meant = "did you mean `hazel`? If `hazle` is one more `Tree`, add it to `enum Tree`";
        assert_eq!(told("beech, hazel", "hazle"), meant);
        assert!(told("beech, hazel", "willow").starts_with("if `willow` is one more `Tree`"));
    }

    #[test]
    fn the_only_member_without_an_arm_is_meant() {
        let told = |arms: &str| {
            let text = format!(
                "game \"Member\"; players A, B; enum T {{ small, medium, large }}
                 const w[t: T]: 1..3 = match t {{ {arms} }}; state {{ left: 0..9 = 9; }}
                 move take(t: T) as \"{{t}}\" {{ when w[t] <= left; left -= w[t]; }} play normal;"
            );
            let mut found = crate::testing::found(&text, Code::E0101);
            assert!(found.len() == 1 && found[0].edits.is_empty(), "{found:?}");
            found.remove(0).help.unwrap_or_default()
        };
        let meant = "`medium` is the only `T` without an arm: write it here; if `middle` is one more `T`, add it to `enum T`";
        assert_eq!(told("small => 1, middle => 2, large => 3"), meant);
        for arms in ["small => 1, middle => 2", "small => 1, middle => 2, _ => 3"] {
            assert!(told(arms).starts_with("if `middle` is one more `T`"), "{arms}");
        }
        let more = told("small => 1, medium => 2, large => 3, middle => 2");
        assert!(more.starts_with("if `middle` is one more `T`"), "{more}");
    }

    #[test]
    fn members_are_missing_in_their_type() {
        let (label, help) = advice("hot => { H, O, T }, oh => { O, D }");
        assert!(label.starts_with("a `Letter` (H, O, T) is needed"), "{label}");
        assert_eq!(
            help,
            "if `D` is one more `Letter`, add it to `enum Letter`; else write a `Letter` that it has"
        );
        let (_, help) = advice("hot => { H, O, T }, oh => { O, H }, toh => { T }");
        assert!(help.starts_with("if `toh` is one more `Word`, add it to `enum Word`"), "{help}");
    }

    #[test]
    fn letters_of_a_set_stand_in_braces() {
        let (label, help) = advice("hot => HOT, oh => { O, H }");
        assert!(!label.contains("did you mean"), "{label}");
        assert_eq!(help, "a set is written in braces: `{ H, O, T }`");
    }

    #[test]
    fn throws_are_kept_in_fields() {
        let help = |keep: &str| {
            let text = format!(
                "game \"Roll\"; players A, B; phases {{ roll by chance; go; }}
                 state {{ die: 1..3 = 1; old: 1..3 = 1; at[p: Player]: 0..4 = 0; }}
                 chance throw(d: 1..3) in roll as \"({{d}})\" {{ {keep} continue go; }}
                 move walk() in go as \"walk\" {{ at[me] := min(4, at[me] + d); next opponent; }}
                 end {{ for p in Player when at[p] = die + old => p wins; }}"
            );
            found(&text, Code::E0101)[0].help.clone().unwrap_or_default()
        };
        let kept = "`d` is known only in the event `throw`, which keeps it in `die`: write `die`";
        assert_eq!(help("die := d;"), kept);
        assert_eq!(help("die := d; old := die;"), kept);
        assert_ne!(help("die := d; old := d;"), kept);
        assert_ne!(help("die := 4 - d;"), kept);
    }
}
