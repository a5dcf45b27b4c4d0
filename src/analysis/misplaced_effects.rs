//! Effects whose target is no field, or no single cell of one: what the writer may have meant.

use std::collections::HashSet;

use super::analyzer::Analyzer;
use super::lints::expr_names;
use super::locals::{ExprPlace, Locals};
use super::symbols::SymbolKind;
use bouton_base::source::Span;
use bouton_rules::{FieldId, Type};
use bouton_syntax::ast::{self, Access, ItemKind, StmtKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::{print_effect, print_expr};

/// The greatest number of effects that a message writes out.
const MAX_SHOWN_EFFECTS: usize = 8;

impl<'a> Analyzer<'a> {
    /// Reports `mover := opponent;`, which says what happens anyway; returns true if it is that.
    pub(super) fn turn_assigned(&mut self, effect: &ast::Effect, span: Span, locals: &Locals) -> bool {
        let target = &effect.target;
        if target.name.text == "phase" && target.path.is_empty() && self.phase_assigned(effect, span, locals)
        {
            return true;
        }
        let is_mover = target.name.text == "mover" && target.path.is_empty();
        if !is_mover
            || !matches!(locals.place, ExprPlace::Move | ExprPlace::Chance)
            || self.find("mover", target.span).is_some()
            || effect.op != ast::EffectOp::Set
        {
            return false;
        }
        let words = print_expr(effect.value.bare());
        let is_two = self.rules.players().len() == 2;
        if locals.place == ExprPlace::Chance {
            let title = "`mover` is not assigned in an event of chance";
            let found =
                Diagnostic::new(Code::E0006, title, target.name.span, "`next` gives the turn to a player");
            let next = match words.as_str() {
                "opponent" | "other(me)" | "other(mover)" if is_two => "next other(mover);".to_owned(),
                player if self.rules.players().iter().any(|other| other == player) => {
                    format!("next {player};")
                }
                "me" | "mover" => {
                    self.report(
                        found.help("after chance the turn stays where it is: leave this out").edit(span, ""),
                    );
                    return true;
                }
                _ => return false,
            };
            self.report(found.help(format!("write `{next}`")).edit(span, next));
            return true;
        }
        let title = "`mover` is not assigned in a move";
        let found = Diagnostic::new(Code::E0006, title, target.name.span, "the turn passes by itself");
        self.report(match words.as_str() {
            "opponent" | "other(me)" | "other(mover)" if is_two => {
                found.help("after a move the other player is to move anyway: leave this out").edit(span, "")
            }
            "me" | "mover" => found.help("who moves keeps the turn by `again;`"),
            _ => return false,
        });
        true
    }

    /// Reports `phase := act;` with the statement that takes its place; returns true if it is that.
    fn phase_assigned(&mut self, effect: &ast::Effect, span: Span, locals: &Locals) -> bool {
        let Some(name) = effect.value.bare().as_name() else { return false };
        let phase = self.rules.phases.entries().find(|(_, phase)| phase.name == name).map(|(id, _)| id);
        let Some(phase) = phase else { return false };
        if !matches!(locals.place, ExprPlace::Move | ExprPlace::Chance)
            || effect.op != ast::EffectOp::Set
            || self.find("phase", effect.target.span).is_some()
        {
            return false;
        }
        self.entered_phases.push(phase);
        let title = "`phase` is not assigned in a move";
        let label = "a move ends with `continue` if a phase follows";
        let found = Diagnostic::new(Code::E0006, title, effect.target.name.span, label);
        let new = format!("continue {name};");
        self.report(found.help(format!("write `{new}`")).edit(span, new));
        true
    }

    /// Reports `next player;` and its like, where the turn passes by itself; returns true if it is that.
    pub(super) fn is_turn_passed(&mut self, player: &ast::Expr, span: Span, locals: &Locals) -> bool {
        let Some(name) = player.bare().as_name() else { return false };
        if matches!(name, "same" | "again" | "same_player" | "samePlayer")
            && !locals.has(name)
            && self.find(name, player.span).is_none()
        {
            let title = format!("`{name}` is no player: who moves keeps the turn by `again`");
            let found = Diagnostic::new(Code::E0101, title, player.span, "no player in particular");
            self.report(found.help("write `again;`").edit(span, "again;"));
            return true;
        }
        let phase = self.rules.phases.entries().find(|(_, phase)| phase.name == name).map(|(id, _)| id);
        if let Some(phase) = phase
            && !locals.has(name)
            && self.find(name, player.span).is_none()
            && !self.members.contains_key(name)
        {
            self.entered_phases.push(phase);
            let title = format!("`{name}` is a phase, and `next` gives the turn to a player");
            let found = Diagnostic::new(Code::E0201, title, player.span, "a phase");
            let new = format!("continue {name};");
            self.report(found.help(format!("write `{new}`")).edit(span, new));
            return true;
        }
        let is_it =
            super::foreign_names::is_player_to_move(name) || matches!(name, "turn" | "Player" | "players");
        if !is_it || locals.has(name) || self.options.damaged || self.find(name, player.span).is_some() {
            return false;
        }
        let is_by_itself = locals.place != ExprPlace::Chance;
        let is_beside_continue = is_by_itself && self.continues_beside(span);
        if is_beside_continue {
            let title = format!("`{name}` is no player: `continue` keeps the player to move");
            let found = Diagnostic::new(Code::E0101, title, player.span, "no player in particular");
            self.report(match self.rules.players().len() {
                2 => found.help("write `next opponent;`").edit(span, "next opponent;"),
                _ => found.help("`next p;` gives the turn to the player `p`"),
            });
            return true;
        }
        let title = match is_by_itself {
            true => format!("`{name}` is no player: the turn passes by itself"),
            false => format!("`{name}` is no player: after chance the turn stays where it is"),
        };
        let found = Diagnostic::new(Code::E0101, title, player.span, "no player in particular");
        self.report(found.help(match (is_by_itself, self.rules.players().len()) {
            (true, _) => {
                "after a move the next player is to move anyway: leave this out; `next p;` gives the turn to the player `p`, \
                 and `again;` keeps it"
            }
            (false, 2) => {
                "if the other player is to move now, write `next other(mover);`; if the same one, leave this out"
            }
            (false, _) => {
                "`next p;` gives the turn to the player `p`; if the same one is to move, leave this out"
            }
        }));
        true
    }

    /// Returns true if the block of a statement has a `continue` as well.
    fn continues_beside(&self, span: Span) -> bool {
        fn is_beside(block: &ast::StmtBlock, span: Span) -> bool {
            let is_here = block
                .stmts
                .iter()
                .any(|stmt| stmt.span.covers(span) && matches!(stmt.kind, ast::StmtKind::Next(_)));
            if is_here {
                return block.stmts.iter().any(|stmt| matches!(stmt.kind, ast::StmtKind::Continue(_)));
            }
            block.stmts.iter().any(|stmt| match &stmt.kind {
                ast::StmtKind::Then(inner) | ast::StmtKind::For(_, inner) => is_beside(inner, span),
                ast::StmtKind::If(_, yes, no) => {
                    is_beside(yes, span) || no.as_ref().is_some_and(|no| is_beside(no, span))
                }
                _ => false,
            })
        }
        match self.item_around(span) {
            Some(ItemKind::Move(of)) => is_beside(&of.body, span),
            _ => false,
        }
    }

    /// Reports `to := from + d;`, where no field has the name and the rest of the block uses it; returns true if it is
    /// that, and binds the name.
    pub(super) fn assigned_without_field(&mut self, effect: &ast::Effect, locals: &mut Locals) -> bool {
        let (target, value) = (&effect.target, &effect.value);
        let name = target.name.text.as_str();
        let is_plain = target.path.is_empty() && effect.op == ast::EffectOp::Set;
        if !is_plain
            || self.options.damaged
            || !matches!(locals.place, ExprPlace::Move | ExprPlace::Chance)
            || locals.has(name)
            || self.find(name, target.span).is_some()
            || super::expr::BUILT_IN_NAMES.contains(&name)
        {
            return false;
        }
        let body = match self.item_around(target.span) {
            Some(ItemKind::Move(ast::MoveDecl { body, .. })) => body,
            Some(ItemKind::EveryMove(body) | ItemKind::Effect { body, .. }) => body,
            _ => return false,
        };
        let mut own = HashSet::new();
        expr_names(value, &mut own);
        let mut targets = 0;
        count_targets(body, name, &mut targets);
        if own.contains(name) || targets != 1 || !is_used_below(body, target.span, name) {
            return false;
        }
        let title = format!("there is no field `{name}`: a name for a value in a move is bound by `let`");
        let found = Diagnostic::new(Code::E0101, title, target.name.span, "no field of the state");
        let start = Span { end: value.span.start, ..target.span };
        let help = format!("write `let {name} = {};`", print_expr(value));
        self.report(found.help(help).edit(start, format!("let {name} = ")));
        let ty = self.expr(value, None, locals).ty;
        locals.add(name, ty, target.name.span);
        if let Some(local) = locals.find(name) {
            local.used = true;
        }
        true
    }

    /// Reports the unknown function of `hand := shuffle(Card)`; returns true if it did. Its name is wrong for each key.
    pub(super) fn value_by_an_unknown_call(&mut self, effect: &ast::Effect, locals: &mut Locals) -> bool {
        let ast::ExprKind::Call(called, _) = &*effect.value.bare().kind else { return false };
        let Some(name) = called.as_name() else { return false };
        let is_known = locals.has(name)
            || self.find(name, called.span).is_some()
            || self.members.contains_key(name)
            || super::expr::BUILT_IN_NAMES.contains(&name);
        if is_known || self.options.damaged {
            return false;
        }
        let before = self.diagnostics.len();
        self.expr(&effect.value, None, locals);
        self.diagnostics[before..].iter().any(|found| found.code == Code::E0101)
    }

    /// Reports an effect on a field as a whole, which has keys; `is_whole` is false if something follows its name.
    pub(super) fn effect_without_a_key(
        &mut self,
        id: FieldId,
        is_whole: bool,
        effect: &ast::Effect,
        locals: &Locals,
    ) {
        let field = &self.rules.fields[id];
        let (name, keys) = (field.name.clone(), field.keys.clone());
        let names: Vec<&str> = keys.iter().map(|k| k.name.as_str()).collect();
        let names = names.join(", ");
        let here = self.keys_in_scope(&keys, locals);
        let form = format!("{name}[{}]", here.as_deref().unwrap_or(&names));
        let title = format!("`{name}` is a field with keys: index it, `{form}`");
        let is_cell = keys.iter().any(|key| self.board_of(&key.ty).is_some());
        let label = if is_cell { "which cell?" } else { "for which key?" };
        let found = Diagnostic::new(Code::E0102, title, effect.target.span, label);
        if let Some(each) = self.effects_by_key(id, is_whole, effect) {
            let whole = effect.target.span.to(effect.value.span);
            self.report(found.help(format!("each key has its own effect: `{each};`")).edit(whole, each));
            return;
        }
        if let Some(end) = self.count_beside(id, effect) {
            let value = print_expr(&effect.value);
            let new = format!("{name}[{end} + 1] := {value}");
            self.report(found.help(format!(
                "nothing is added to a field with keys: one key gets a value, such as the next one, `{new};`"
            )));
            return;
        }
        let part = match effect.target.path.first() {
            Some(Access::Part(part)) if !is_whole && keys.len() == 1 => Some(&part.text),
            _ => None,
        };
        let all = keys.iter().map(|key| format!("{} in {}", key.name, self.rules.show_type(&key.ty)));
        let all = all.collect::<Vec<_>>().join(", ");
        let text = print_effect(effect);
        let change = text.strip_prefix(name.as_str()).unwrap_or_default();
        self.report(found.help(match part {
            Some(part) => format!("write `{name}[{part}]`: a key stands in square brackets"),
            None if locals.place == ExprPlace::Position => {
                format!("write `{form}`, or assign a diagram to all cells at once")
            }
            None if effect.op == ast::EffectOp::Set && is_cell && keys.len() == 1 => format!(
                "write `{form}`; all of them change by `for {all} {{ {name}[{names}]{change}; }}`, or by a diagram"
            ),
            None => format!("write `{form}`; all of them change by `for {all} {{ {name}[{names}]{change}; }}`"),
        }));
    }

    /// The field that counts the values of one with a number as its key, where `letters += x;` is to add a value that is
    /// no number: the only one that grows by 1 in the same move.
    fn count_beside(&self, id: FieldId, effect: &ast::Effect) -> Option<String> {
        let field = &self.rules.fields[id];
        let is_list = matches!(&field.keys[..], [key] if matches!(key.ty.base(), Type::Int(..)))
            && !matches!(field.ty.present().base(), Type::Int(..) | Type::Set(_))
            && matches!(effect.op, ast::EffectOp::Add | ast::EffectOp::Insert);
        let Some(ItemKind::Move(of)) = self.item_around(effect.target.span).filter(|_| is_list) else {
            return None;
        };
        let grows = |stmt: &&'a ast::Stmt| match &stmt.kind {
            ast::StmtKind::Effect(other) => {
                other.op == ast::EffectOp::Add
                    && other.target.path.is_empty()
                    && matches!(&*other.value.bare().kind, ast::ExprKind::Number(one) if one == "1")
            }
            _ => false,
        };
        let mut growing = of.body.stmts.iter().filter(grows);
        match (growing.next().map(|stmt| &stmt.kind), growing.next()) {
            (Some(ast::StmtKind::Effect(count)), None) => Some(count.target.name.text.clone()),
            _ => None,
        }
    }

    /// The effects of `size := [1, 1, 0]`, one for each key.
    fn effects_by_key(&self, id: FieldId, is_whole: bool, effect: &ast::Effect) -> Option<String> {
        let ast::ExprKind::List(values) = &*effect.value.bare().kind else { return None };
        let field = &self.rules.fields[id];
        let [key] = &field.keys[..] else { return None };
        let fits = key.values.len() == values.len() && values.len() <= MAX_SHOWN_EFFECTS;
        if !is_whole || effect.op != ast::EffectOp::Set || !fits || matches!(field.ty.base(), Type::List(_)) {
            return None;
        }
        let effects =
            key.values.iter().zip(values).map(|(key, value)| {
                format!("{}[{}] := {}", field.name, self.rules.show(key), print_expr(value))
            });
        Some(effects.collect::<Vec<_>>().join("; "))
    }

    /// Advice on an effect on a move or another name that is no field, where exactly one field has such a key.
    pub(super) fn field_for_effect(&mut self, effect: &ast::Effect, locals: &mut Locals) -> Option<String> {
        let name = effect.target.name.text.as_str();
        if let Some(key) = self.find(name, effect.target.name.span)
            && self.is_kind(key, |kind| matches!(kind, SymbolKind::Const { .. } | SymbolKind::Param { .. }))
        {
            return Some(format!("what changes in play is a field: declare `{name}` in `state {{ ... }}`"));
        }
        let keys: &[ast::Expr] = match &effect.target.path[..] {
            [] => &[],
            [Access::Index(keys)] => keys,
            _ => return None,
        };
        let trial = self.begin_trial()?;
        let types: Vec<Type> = keys.iter().map(|key| self.expr(key, None, locals).ty).collect();
        let value = self.expr(&effect.value, None, locals).ty;
        self.end_trial(trial);
        let fields: Vec<(String, bool)> = self
            .rules
            .fields
            .entries()
            .filter(|(id, _)| *id != bouton_rules::MOVER && *id != bouton_rules::PHASE)
            .map(|(_, field)| {
                let has_keys = field.keys.len() == types.len()
                    && field.keys.iter().zip(&types).all(|(key, ty)| ty.present().is_assignable_to(&key.ty));
                let fits = value != Type::Error && Type::join(value.present(), field.ty.present()).is_some();
                (field.name.clone(), has_keys && fits)
            })
            .collect();
        let text = print_effect(effect);
        let mut fitting = fields.iter().filter(|(_, fits)| *fits);
        match (fitting.next(), fitting.next()) {
            (Some((field, _)), None) => {
                Some(format!("the field is `{field}`: write `{field}{};`", text.strip_prefix(name)?))
            }
            _ if fields.is_empty() => None,
            _ => {
                let names: Vec<String> = fields.iter().map(|(name, _)| format!("`{name}`")).collect();
                Some(format!("the fields are {}", names.join(", ")))
            }
        }
    }

    /// Adds advice to the report of `size[h] := -k`, where the field holds no negative numbers.
    pub(super) fn negative_value(&mut self, effect: &ast::Effect) {
        let ast::ExprKind::Unary(ast::UnaryOp::Negate, amount) = &*effect.value.bare().kind else { return };
        let Some(found) = self.diagnostics.last_mut() else { return };
        if found.code != Code::E0210 || found.help.is_some() || !effect.value.span.covers(found.span()) {
            return;
        }
        let text = print_effect(effect);
        let target = text.split(" := ").next().unwrap_or_default();
        found.help = Some(format!("to take so many away write `{target} -= {}`", print_expr(amount)));
    }
}

/// Counts the effects of a block on a name.
fn count_targets(block: &ast::StmtBlock, name: &str, count: &mut usize) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Effect(effect) if effect.target.name.text == name => *count += 1,
            StmtKind::Then(inner) | StmtKind::For(_, inner) => count_targets(inner, name, count),
            StmtKind::If(_, yes, no) => {
                count_targets(yes, name, count);
                no.iter().for_each(|no| count_targets(no, name, count));
            }
            _ => {}
        }
    }
}

/// Returns true if the block around an effect uses a name below it.
fn is_used_below(block: &ast::StmtBlock, place: Span, name: &str) -> bool {
    let Some(index) = block.stmts.iter().position(|stmt| stmt.span.covers(place)) else { return false };
    match &block.stmts[index].kind {
        StmtKind::Then(inner) | StmtKind::For(_, inner) => is_used_below(inner, place, name),
        StmtKind::If(_, yes, no) => {
            is_used_below(yes, place, name) || no.as_ref().is_some_and(|no| is_used_below(no, place, name))
        }
        _ => block.stmts[index + 1..].iter().any(|stmt| uses(stmt, name)),
    }
}

/// Returns true if a statement reads a name.
fn uses(stmt: &ast::Stmt, name: &str) -> bool {
    let mut names = HashSet::new();
    let in_block = |block: &ast::StmtBlock| block.stmts.iter().any(|stmt| uses(stmt, name));
    match &stmt.kind {
        StmtKind::When(e)
        | StmtKind::Ensure(e)
        | StmtKind::Weight(e)
        | StmtKind::Let(_, e)
        | StmtKind::Next(e) => {
            expr_names(e, &mut names);
        }
        StmtKind::Call(_, args) => args.iter().for_each(|arg| expr_names(arg, &mut names)),
        StmtKind::Effect(effect) => {
            expr_names(&effect.value, &mut names);
            for access in &effect.target.path {
                if let Access::Index(keys) = access {
                    keys.iter().for_each(|key| expr_names(key, &mut names));
                }
            }
        }
        StmtKind::If(condition, yes, no) => {
            expr_names(condition, &mut names);
            return names.contains(name) || in_block(yes) || no.as_ref().is_some_and(in_block);
        }
        StmtKind::For(binders, inner) => {
            binders.iter().for_each(|binder| expr_names(&binder.domain, &mut names));
            return names.contains(name) || in_block(inner);
        }
        StmtKind::Then(inner) => return in_block(inner),
        StmtKind::Again | StmtKind::Continue(_) => {}
    }
    names.contains(name)
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    #[test]
    fn chance_gives_the_turn_by_next() {
        let told = |effect: &str| {
            let text = format!(
                "game \"Dice\"; players A, B; phases {{ go; roll by chance; }} state {{ n: 0..9 = 0; }}
                 move rolls() in go as \"roll\" {{ continue roll; }}
                 chance die(d: 1..2) in roll as \"{{d}}\" {{ n := min(9, n + d); continue go; {effect} }}
                 end {{ when n = 9 => mover wins; }}"
            );
            let found = found(&text, Code::E0006);
            assert_eq!(found.len(), 1, "{effect}");
            (found[0].help.clone().unwrap_or_default(), found[0].edits[0].text.clone())
        };
        let other = ("write `next other(mover);`".to_owned(), "next other(mover);".to_owned());
        assert_eq!(told("mover := opponent;"), other);
        assert_eq!(told("mover := other(mover);"), other);
        assert_eq!(told("mover := B;"), ("write `next B;`".to_owned(), "next B;".to_owned()));
        assert_eq!(told("mover := mover;").1, "");
    }

    #[test]
    fn the_turn_is_given_beside_continue() {
        let told = |turn: &str| {
            let text = format!(
                "game \"Ask\"; players A, B; phases {{ ask; reply; }} state {{ n: 0..9 = 0; }}
                 move asks(k: 1..2) in ask as \"{{k}}\" {{ n := min(9, n + k); {turn} }}
                 move answers() in reply as \"yes\" {{ n := min(9, n + 1); }} end {{ when n = 9 => mover wins; }}"
            );
            found(&text, Code::E0101).into_iter().next().and_then(|found| found.help).unwrap_or_default()
        };
        assert_eq!(told("continue reply; next player;"), "write `next opponent;`");
        assert_eq!(told("if k = 1 { continue reply; next turn; }"), "write `next opponent;`");
        assert!(
            told("if k = 1 { continue reply; } next player;")
                .starts_with("after a move the next player is to move anyway")
        );
    }

    #[test]
    fn unknown_functions_come_before_the_key() {
        let told = |value: &str| {
            let text = format!(
                "game \"Shuffle\"; players A, B; enum Card {{ jack, queen }} state {{ hand[p: Player]: Card? = none; n: 0..2 = 0; }}
                 def best(n: 0..2) = if n = 1 then jack else queen;
                 move go() as \"go\" {{ hand := {value}; n += 1; }} end {{ when n = 2 and hand[A] = jack => draw; when stuck => draw; }}"
            );
            crate::testing::codes(&text)
        };
        assert!(told("shuffle(Card)").contains(&Code::E0101));
        assert!(!told("shuffle(Card)").contains(&Code::E0102));
        assert!(told("best(n)").contains(&Code::E0102));
        assert!(told("jack").contains(&Code::E0102));
    }
}
