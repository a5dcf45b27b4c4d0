//! Name resolution: locals hide declared names, these hide built-in names, and these hide members of types.

use std::sync::Arc;

use crate::analyzer::Analyzer;
use crate::locals::{ExprPlace, Local, LocalKind, Locals};
use crate::symbols::{ConstValue, SymbolKind, UseKind};
use crate::turns::is_chance_word;
use bouton_base::id::Id;
use bouton_base::source::Span;
use bouton_rules::{
    ConstTable, DIR, EnumId, Expr, ExprKind, FieldId, KeyDomain, MOVER, PHASE, PLAYER, TableId, Type, Value,
};
use bouton_syntax::ast::{self, ItemKind};
use bouton_syntax::diag::{Code, Diagnostic};

/// The greatest number of members of a type that a message lists.
const MAX_LISTED_MEMBERS: usize = 6;

impl<'a> Analyzer<'a> {
    /// Elaborates a name that stands alone.
    pub fn name(&mut self, name: &str, span: Span, want: Option<&Type>, locals: &mut Locals) -> Expr {
        if let Some(local) = locals.find(name) {
            local.used = true;
            let (kind, ty) = (local.kind.clone(), local.ty.clone());
            self.names.refer(span, local.span);
            let declared = local.span;
            let found = match kind {
                LocalKind::Var(var) => Expr::new(ExprKind::Var(var), ty, span),
                LocalKind::Fixed(value) => self.value(value, ty, span),
            };
            self.hides_member(name, &found, want, ("variable", declared));
            return found;
        }
        // A move has no value: beside `phase`, the phase of its name is meant.
        let is_phase = matches!(want.map(Type::base), Some(Type::Int(..)))
            && self.rules.phases.iter().any(|phase| phase.name == name);
        let has_value =
            |kind: &SymbolKind| !matches!(kind, SymbolKind::Move { .. } | SymbolKind::Effect { .. });
        if let Some(key) = self.find(name, span).filter(|key| !is_phase || has_value(&self.symbols[key].kind))
        {
            self.use_symbol(key, UseKind::Read);
            let found = self.symbol(key, span, locals);
            let symbol = &self.symbols[key];
            let what = (symbol.kind.word(), symbol.span);
            self.hides_member(name, &found, want, what);
            return found;
        }
        if self.texts.library(name, span).is_some() {
            let title = format!("`{name}` is a library: its names are written `{name}.NAME`");
            self.error(Code::E0102, title, span, "a library is no value");
            return self.poison(span);
        }
        if let Some(made) = self.built_in(name, span, locals) {
            return made;
        }
        let phase = self.rules.phases.entries().find(|(_, phase)| phase.name == name);
        if let Some((id, phase)) = phase.filter(|_| !self.is_wanted_member(name, want)) {
            let index = id.index() as i64;
            self.names.refer(span, phase.span);
            return self.value(Value::Int(index), Type::Int(index, index), span);
        }
        if let Some(made) = self.member(name, span, want) {
            return made;
        }
        if let Some(local) = self.local_of_type(name, span, locals) {
            let named = local.name.clone();
            let ty = match self.rules.show_type(&local.ty) {
                ty if ty.eq_ignore_ascii_case(name) => ty,
                ty => self
                    .symbols
                    .keys()
                    .find(|of| of.eq_ignore_ascii_case(name))
                    .map_or(ty, |of| of.to_string()),
            };
            let label = format!("did you mean `{named}`, which is a `{ty}`?");
            let found = Diagnostic::new(Code::E0101, format!("there is no `{name}` here"), span, label);
            self.report(found.edit(span, named));
            return self.poison(span);
        }
        if self.part_alone(name, span, locals) || self.function_without_brackets(name, span, locals) {
            return self.poison(span);
        }
        if name.len() == 1
            && name.starts_with(|c: char| c.is_ascii_lowercase())
            && let Some(param) = self.unused_parameter(span, want, locals)
        {
            if let Some(local) = locals.find(&param) {
                local.used = true;
            }
            let label = format!("did you mean the parameter `{param}`?");
            let found = Diagnostic::new(Code::E0101, format!("there is no `{name}` here"), span, label);
            self.report(found.edit(span, param));
            return self.poison(span);
        }
        if self.unbound_letter(name, span, want, locals) {
            return self.poison(span);
        }
        let names = Self::local_names(locals);
        let wanted = match want.map(|ty| ty.present().base().clone()) {
            Some(Type::Sym(id)) if self.rules.enums[id].members.len() <= MAX_LISTED_MEMBERS => {
                let of = &self.rules.enums[id];
                format!("a `{}` ({})", of.name, of.members.join(", "))
            }
            Some(Type::Sym(id)) => format!("a `{}`", self.rules.enums[id].name),
            Some(Type::Set(of)) if matches!(&*of, Type::Sym(id) if self.is_listed(&self.rules.enums[*id].name)) =>
            {
                format!("a `set of {}`", self.rules.show_type(&of))
            }
            _ => "a value".to_owned(),
        };
        self.unknown_name(name, span, &names, &wanted);
        self.poison(span)
    }

    /// The only variable of the type that a name spells in small letters: `cell` for a variable of type `Cell`.
    fn local_of_type<'l>(&mut self, name: &str, span: Span, locals: &'l Locals) -> Option<&'l Local> {
        let declared = self.parameter_of_type(name, span);
        if let Some(local) = locals.stack.iter().find(|local| Some(local.span) == declared) {
            return Some(local);
        }
        let mut types = self.symbols.keys().copied().filter(|key| key.eq_ignore_ascii_case(name));
        let alias = types.next().filter(|_| types.next().is_none());
        let alias = alias.and_then(|alias| self.alias_of(alias));
        let of_type = |local: &&Local| {
            self.rules.show_type(&local.ty).eq_ignore_ascii_case(name) || alias.as_ref() == Some(&local.ty)
        };
        let mut fitting = locals.stack.iter().filter(of_type);
        let only = fitting.next().filter(|local| local.span.file == span.file);
        if fitting.next().is_some() { None } else { only }
    }

    /// Elaborates a declared name that stands alone.
    pub fn symbol(&mut self, name: &'a str, span: Span, locals: &mut Locals) -> Expr {
        let kind = self.symbols[name].kind.clone();
        match kind {
            SymbolKind::Param { .. } => Expr { span, ..self.param(name, span) },
            SymbolKind::Const { .. } => match self.const_value(name, span) {
                Some(ConstValue::Plain(value)) => Expr { span, ..value },
                Some(ConstValue::Table(table)) => {
                    let keys = match &self.rules.tables[table].keys[..] {
                        [only] if only.ty == Type::Sym(PLAYER) && locals.place == ExprPlace::Move => {
                            "me".to_owned()
                        }
                        keys => self.key_names(keys),
                    };
                    let form = format!("{name}[{keys}]");
                    let help = format!("write `{form}`");
                    self.needs_keys(name, span, &form, "is a table: index it", help)
                }
                None => self.poison(span),
            },
            SymbolKind::Enum(_)
            | SymbolKind::Record { .. }
            | SymbolKind::Alias { .. }
            | SymbolKind::Board { .. } => match self.declared_type(name, span) {
                Some(ty) => self.type_as_set(&ty, span),
                None => self.poison(span),
            },
            SymbolKind::Field { id: Some(id) } => self.whole_field(name, id, span, locals),
            SymbolKind::Field { id: None } => {
                self.needs_state(&format!("the field `{name}`"), span, locals);
                self.poison(span)
            }
            SymbolKind::Def { item, .. } | SymbolKind::Inductive { item, .. } => {
                let formals = match &item.kind {
                    ItemKind::Def { formals: Some(formals), .. } | ItemKind::Inductive { formals, .. } => {
                        formals
                    }
                    _ => &Vec::new(),
                };
                if formals.is_empty() {
                    return self.call_def(name, Vec::new(), span, locals);
                }
                let names: Vec<&str> = match &formals[..] {
                    [only] if locals.place == ExprPlace::Move && is_of_player(only) => vec!["me"],
                    formals => formals.iter().map(|b| b.name.text.as_str()).collect(),
                };
                let form = format!("{name}({})", names.join(", "));
                let help = format!("write `{form}`");
                self.needs_keys(name, span, &form, "is a definition: call it", help)
            }
            SymbolKind::Move { .. } | SymbolKind::Effect { .. } => {
                let a_word = kind.word_with_article();
                let title = format!("`{name}` is the name of {a_word}, not a value");
                let found = Diagnostic::new(Code::E0102, title, span, format!("{a_word} has no value"));
                let is_phase = self.rules.phases.iter().any(|phase| phase.name == name);
                let of_phase = format!("the phase of the same name is asked for by `phase = {name}`");
                let members = self.members.get(name).map_or(&[][..], Vec::as_slice);
                let types: Vec<&str> =
                    members.iter().map(|(of, _)| self.rules.enums[*of].name.as_str()).collect();
                let found = match types[..] {
                    [of] => {
                        let new = format!("{of}.{name}");
                        let help = format!("the value of the same name is written with its type, `{new}`");
                        found.help(help).edit(span, new)
                    }
                    [] if is_phase => found.help(of_phase),
                    [] => found,
                    _ => {
                        let values: Vec<String> = types.iter().map(|of| format!("`{of}.{name}`")).collect();
                        let values = values.join(" or ");
                        found.help(format!("the value of the same name is written with its type: {values}"))
                    }
                };
                self.report(found);
                self.poison(span)
            }
        }
    }

    fn key_names(&self, keys: &[KeyDomain]) -> String {
        keys.iter().map(|k| k.name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// Reports a name that stands without its keys or arguments; `form` is the name with them.
    fn needs_keys(&mut self, name: &str, span: Span, form: &str, what: &str, help: String) -> Expr {
        let declared = self.symbols[name].span;
        let found = Diagnostic::new(Code::E0102, format!("`{name}` {what}, `{form}`"), span, "");
        self.report(found.label(declared, "declared here").help(help));
        self.poison(span)
    }

    fn whole_field(&mut self, name: &str, id: FieldId, span: Span, locals: &mut Locals) -> Expr {
        if !self.needs_state(&format!("the field `{name}`"), span, locals) {
            return self.poison(span);
        }
        self.read_fields.insert(id);
        let field = &self.rules.fields[id];
        if field.keys.is_empty() {
            let ty = field.ty.clone();
            return Expr::new(ExprKind::Field(id, Vec::new()), ty, span);
        }
        let is_number = matches!(field.ty.present(), Type::Int(..));
        let (keys, domains) = (self.key_names(&field.keys), field.keys.clone());
        let declared = self.items().find_map(|(item, _)| match &item.kind {
            ItemKind::State(fields) => fields.iter().find(|of| of.name.text == name),
            _ => None,
        });
        let written = |at: usize| match &declared?.keys.get(at)?.ty.kind {
            ast::TypeKind::Expr(of) => Some(bouton_syntax::print_expr(of)),
            _ => None,
        };
        let domain = |(at, key): (usize, &KeyDomain)| {
            let of = written(at).unwrap_or_else(|| self.rules.show_type(&key.ty));
            format!("{} in {of}", key.name)
        };
        let binders: Vec<String> = domains.iter().enumerate().map(domain).collect();
        let form = format!("{name}[{keys}]");
        if let Some(here) = self.keys_in_scope(&domains, locals).filter(|here| *here != keys) {
            let near = format!("{name}[{here}]");
            let help = format!(
                "write `{near}`; a condition on all of them is `all {}: {form} = ...`",
                binders.join(", ")
            );
            return self.needs_keys(name, span, &near, "is a field of the state: index it", help);
        }
        let binders = binders.join(", ");
        let mut help = format!(
            "write `{form}`; a condition on all of them is `all {binders}: {form} = ...`, on one of them `some`"
        );
        if is_number {
            help += &format!(", their sum `sum {binders}: {form}`, the least `min {binders}: {form}`");
        }
        self.needs_keys(name, span, &form, "is a field of the state: index it", help)
    }

    fn built_in(&mut self, name: &str, span: Span, locals: &mut Locals) -> Option<Expr> {
        Some(match name {
            "me" => self.me("me", span, locals),
            "opponent" => {
                let me = self.me("opponent", span, locals);
                if me.ty == Type::Error { me } else { self.other(me, span) }
            }
            "mover" => {
                if !self.needs_state("`mover`", span, locals) {
                    return Some(self.poison(span));
                }
                Expr::new(ExprKind::Field(MOVER, Vec::new()), Type::Sym(PLAYER), span)
            }
            "phase" => {
                if !self.needs_state("`phase`", span, locals) {
                    return Some(self.poison(span));
                }
                Expr::new(ExprKind::Field(PHASE, Vec::new()), self.rules.fields[PHASE].ty.clone(), span)
            }
            "stuck" => self.stuck(None, span, locals),
            "Player" => self.type_as_set(&Type::Sym(PLAYER), span),
            "Dir" | "Compass" => self.type_as_set(&Type::Sym(DIR), span),
            "Orthogonal" | "Diagonal" => self.some_directions(name == "Diagonal", span),
            _ => return None,
        })
    }

    /// `me`; reports `word`, which speaks of that player, where no player moves.
    pub fn me(&mut self, word: &str, span: Span, locals: &mut Locals) -> Expr {
        match locals.place {
            ExprPlace::Move | ExprPlace::Def => {
                locals.uses_me = true;
                Expr::new(ExprKind::Me, Type::Sym(PLAYER), span)
            }
            ExprPlace::Static | ExprPlace::Chance | ExprPlace::Rule | ExprPlace::Position => {
                let is_player = |local: &&Local| local.ty == Type::Sym(PLAYER);
                match locals.stack.iter().rev().find(is_player).filter(|_| locals.place == ExprPlace::Rule) {
                    Some(local) => self.no_me_beside(word, &local.name, span),
                    None => self.no_me(word, locals.place, span),
                }
                self.poison(span)
            }
        }
    }

    /// Reports `me` where no player moves.
    pub fn no_me(&mut self, word: &str, place: ExprPlace, span: Span) {
        let (title, help) = match word {
            _ if place == ExprPlace::Chance => {
                let title = format!("chance makes this move, so there is no `{word}` here");
                let is_of_two = self.rules.players().len() == 2;
                let other = if is_of_two { ", and `other(mover)` the other of two" } else { "" };
                let help = format!("`mover` is the player whose turn it is{other}");
                let found = Diagnostic::new(Code::E0107, title, span, "no player moves here").help(help);
                self.report(match word {
                    "me" => found.edit(span, "mover"),
                    "opponent" if is_of_two => found.edit(span, "other(mover)"),
                    _ => found,
                });
                return;
            }
            "me" | "opponent" if place == ExprPlace::Static => {
                let title = format!("before play nobody moves, so there is no `{word}` here");
                let found = Diagnostic::new(Code::E0107, title, span, "known before play begins");
                let players = self.rules.players();
                self.report(match players {
                    [] => found,
                    _ => found.help(format!("name the player: {}", one_of(players))),
                });
                return;
            }
            "opponent" if self.rules.players().len() > 2 => {
                let count = self.rules.players().len();
                let title = format!("`opponent` is the other of two players: this game has {count}");
                let found = Diagnostic::new(Code::E0107, title, span, "which of them?");
                self.report(found.help(
                    "name a player: `mover` is the player to move next; who has just moved is kept in a field, \
                     `last := me;` in the moves; a rule on any player is `for p in Player when ...`",
                ));
                return;
            }
            "opponent" => (
                "`opponent` is the other player in a move; here nobody makes one",
                "`other(mover)` is the one who is not to move, in a game of two the one who has just moved; or say it \
                 for each: `for p in Player when ...`",
            ),
            _ => (
                "`me` is the player who makes a move; here there is none",
                match self.rules.players() {
                    [_, _] if place == ExprPlace::Rule => {
                        "where turns alternate, who has just moved is `other(mover)`: `mover` is the player to move next; a \
                         rule on any player is `for p in Player when ...`"
                    }
                    [_, _, _, ..] if place == ExprPlace::Rule => {
                        "`mover` is the player to move next; who has just moved is kept in a field, `last := me;` in the \
                         moves; a rule on any player is `for p in Player when ...`"
                    }
                    _ => "`mover` is the player to move; or say it for each: `for p in Player when ...`",
                },
            ),
        };
        self.report(Diagnostic::new(Code::E0107, title, span, "nobody moves here").help(help));
    }

    /// The other of two players.
    pub fn other(&mut self, player: Expr, span: Span) -> Expr {
        let players = self.rules.players().len() as u32;
        // Their declaration is damaged.
        if players == 0 && self.options.damaged {
            return self.poison(span);
        }
        if players != 2 {
            let title = format!("there is no other player to speak of: the game has {players}");
            let found = Diagnostic::new(Code::E0201, title, span, "this needs a game of two players");
            self.report(match players {
                3 if self.rules.players().iter().any(|player| is_chance_word(player)) => found.help(
                    "chance is no player: it acts in a phase `by chance`; leave its name out of `players`",
                ),
                0 | 1 => found.help(
                    "compare with a value that the field holds, or ask for any value by `!= none`",
                ),
                _ if self.is_in_a_move(span) => found.help(
                    "of several others none is the opponent: all of them are `p in Player where p != me`; or name one; \
                     who moved before is kept in a field, `last := me;` in each move",
                ),
                _ if !matches!(&*player.kind, ExprKind::Field(MOVER, _)) => found.help(
                    "of several others none is the other one: all of them are `q in Player where q != p`, and the best of their \
                     scores is `max q in Player where q != p: score[q]`, with a field of yours",
                ),
                _ => found.help(
                    "a field keeps who moved: `last: Player? = none;` in `state`, and `last := me;` in each move; then \
                     `last wins` is the rule",
                ),
            });
            return self.poison(span);
        }
        let table = self.other_table();
        self.node(ExprKind::Table(table, vec![player]), Type::Sym(PLAYER), span)
    }

    /// Returns true for a place in a move or an effect.
    fn is_in_a_move(&self, span: Span) -> bool {
        use ItemKind as I;
        matches!(self.item_around(span), Some(I::Move(_) | I::EveryMove(_) | I::Effect { .. }))
    }

    fn other_table(&mut self) -> TableId {
        if let Some((id, _)) = self.rules.tables.entries().find(|(_, t)| t.name == "other") {
            return id;
        }
        let player = |i| Value::Sym(PLAYER, i);
        let keys = vec![KeyDomain {
            name: "p".into(),
            ty: Type::Sym(PLAYER),
            values: Arc::new(vec![player(0), player(1)]),
        }];
        let values = vec![Some(player(1)), Some(player(0))];
        let span = self.game_span();
        self.rules.tables.push(ConstTable { name: "other".into(), keys, ty: Type::Sym(PLAYER), values, span })
    }

    /// `stuck`, `stuck(p)`: in end rules, claims and the condition of a pass.
    pub fn stuck(&mut self, player: Option<Expr>, span: Span, locals: &Locals) -> Expr {
        if matches!(locals.place, ExprPlace::Move | ExprPlace::Chance | ExprPlace::Def | ExprPlace::Static) {
            let title = "`stuck` speaks of the legal moves, which this is part of";
            let found = Diagnostic::new(Code::E0303, title, span, "not in a move or a definition");
            self.report(found.help("use it in `end`, in `pass when`, or in a claim"));
            return self.poison(span);
        }
        let kind = player.map_or(ExprKind::Stuck, ExprKind::StuckPlayer);
        Expr::new(kind, Type::Bool, span)
    }

    /// All values of a type as a set.
    pub fn type_as_set(&mut self, ty: &Type, span: Span) -> Expr {
        match self.enumerated_values(ty, span) {
            Some(values) => self.value(Value::Set(values), Type::set(ty.clone()), span),
            None => self.poison(span),
        }
    }

    fn some_directions(&mut self, diagonal: bool, span: Span) -> Expr {
        self.resolve_boards();
        let dirs: Vec<Value> = self
            .rules
            .dirs
            .iter()
            .enumerate()
            .filter(|(_, d)| {
                self.rules
                    .boards
                    .iter()
                    .any(|b| if diagonal { b.diagonal().contains(d) } else { b.orthogonal().contains(d) })
            })
            .map(|(i, _)| Value::Sym(DIR, i as u32))
            .collect();
        self.value(Value::set(dirs), Type::set(Type::Sym(DIR)), span)
    }

    /// A member of an enum; if several types share the name, the one of the wanted type.
    fn member(&mut self, name: &str, span: Span, want: Option<&Type>) -> Option<Expr> {
        if !self.members.contains_key(name) {
            self.resolve_boards();
        }
        let candidates = self.members.get(name)?.clone();
        let wanted = want.and_then(enum_of);
        let chosen = match candidates[..] {
            [only] => only,
            _ => match candidates.iter().find(|(id, _)| Some(*id) == wanted) {
                Some(&found) => found,
                None => {
                    self.ambiguous(name, span, &candidates);
                    return Some(self.poison(span));
                }
            },
        };
        self.use_member(chosen, span);
        Some(self.value(Value::Sym(chosen.0, chosen.1), Type::Sym(chosen.0), span))
    }

    /// Returns true if a value of an enum is wanted that has a member of this name.
    fn is_wanted_member(&self, name: &str, want: Option<&Type>) -> bool {
        let wanted = want.and_then(enum_of);
        wanted.is_some_and(|wanted| {
            self.members.get(name).is_some_and(|candidates| candidates.iter().any(|(id, _)| *id == wanted))
        })
    }

    fn ambiguous(&mut self, name: &str, span: Span, candidates: &[(EnumId, u32)]) {
        let types: Vec<&str> = candidates.iter().map(|(id, _)| self.rules.enums[*id].name.as_str()).collect();
        let words: Vec<String> = types.iter().map(|t| format!("`{t}`")).collect();
        let title = format!("`{name}` is a member of {}", words.join(" and of "));
        let found = Diagnostic::new(Code::E0105, title, span, "which of them?");
        let form = format!("{}.{name}", types[0]);
        self.report(found.help(format!("write `{form}`")));
    }

    /// Returns true if the meaning of a bare name depends on the expected type.
    pub fn is_ambiguous(&self, expr: &bouton_syntax::ast::Expr, locals: &mut Locals) -> bool {
        let Some(name) = expr.bare().as_name() else { return false };
        locals.find(name).is_none()
            && self.find(name, expr.span).is_none()
            && self.members.get(name).is_some_and(|m| m.len() > 1)
    }
}

/// The enum of the members in a type.
fn enum_of(ty: &Type) -> Option<EnumId> {
    match ty.present().base() {
        Type::Sym(id) => Some(*id),
        Type::Set(inner) => enum_of(inner),
        _ => None,
    }
}

/// The names of players as alternatives, such as "`White` or `Black`".
fn one_of(players: &[String]) -> String {
    players.iter().map(|player| format!("`{player}`")).collect::<Vec<_>>().join(" or ")
}

/// Returns true for the parameter `p: Player`.
fn is_of_player(formal: &ast::Bind) -> bool {
    matches!(&formal.ty.kind, ast::TypeKind::Expr(words) if words.bare().as_name() == Some("Player"))
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    #[test]
    fn what_belongs_to_a_player_is_that_of_the_mover() {
        let help = |condition: &str, end: &str| {
            let text = format!(
                "game \"Names\"; players A, B; state {{ n: 0..9 = 0; }}
                 const strikes[p: Player]: set of 1..3 = match p {{ A => 1..2, B => 2..3 }};
                 def side(p: Player) = match p {{ A => 1..2, B => 2..3 }};
                 move go(k: 1..3) as \"{{k}}\" {{ when {condition}; when n < 7; n += k; }}
                 end {{ when {end} => draw; when stuck => draw; }}"
            );
            let found = found(&text, Code::E0102).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        assert_eq!(help("k in strikes", "n = 9"), "write `strikes[me]`");
        assert_eq!(help("k in side", "n = 9"), "write `side(me)`");
        assert_eq!(help("k in side(me)", "n in side"), "write `side(p)`");
    }

    #[test]
    fn of_three_players_none_is_the_other() {
        let help = |end: &str| {
            let text = format!(
                "game \"Names\"; players A, B, C; state {{ n: 0..9 = 0; score[p: Player]: 0..9 = 0; }}
                 move go(k: 1..3) as \"{{k}}\" {{ when n < 7; n += k; score[me] := k; }} end {{ when n > 6 => {end}; }}"
            );
            found(&text, Code::E0201).pop().and_then(|found| found.help).unwrap_or_default()
        };
        assert!(help("payoff p: score[p] - score[other(p)]").contains("`q in Player where q != p`"));
        assert!(help("other(mover) wins").contains("`last wins`"));
    }
}
