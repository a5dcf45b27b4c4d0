//! W0313 for branches, loops, names, turns and effects: an `if`, a `for`, a `let`, a `next`, or the value of an
//! effect, that stands below an effect and reads what that effect changes, also in an effect that is called. All of a
//! stage reads the position before it, so the order of the text does not count.
//!
//! A read counts only if it is of the same cell, or of all cells (`all i in Heap: size[i] = 0`), also through
//! definitions. What the text itself adds to the old value (`if left - k = 0`), and values that change places
//! (`a := b; b := a`), are meant. In a `for`, a `let`, and a set that the move chooses (`all x in Cell where
//! x.row = c.row`), a read of all cells counts only if the effect makes the condition on its own cell true.

mod actors;
mod quantified;
mod spent;

use std::collections::HashMap;
use std::rc::Rc;

use self::actors::{Players, set_at_once};
use super::analyzer::Analyzer;
use super::effect_calls::{EffectCall, call_below};
use super::move_terms::{
    Aliases, Beside, bound_variables, has_part, is_choice_of_a_player, is_field, is_mover_and_player,
    is_step, reads, same, share_variable,
};
use bouton_base::source::Span;
use bouton_rules::{
    Arith, Binder, Block, DefId, Domain, Effect, EffectOp, Expr, ExprKind, FieldId, Pattern, Quant, Rules,
    StmtKind, Value, VarId,
};
use bouton_syntax::ast::{self, ItemKind};
use bouton_syntax::diag::{Code, Diagnostic};

/// The most effects on one field that a read is compared with, and the most parts of expressions that are looked at.
const EFFECTS: usize = 8;
const PARTS: usize = 200_000;

/// The kinds of keys of a read.
#[derive(Clone, Copy)]
enum Key<'r> {
    /// A term of the move.
    Term(&'r Expr),
    /// Each element of a set that the move does not choose.
    Each,
    /// Another term.
    Other,
}

impl<'r> Key<'r> {
    fn term(&self) -> Option<&'r Expr> {
        match self {
            Key::Term(term) => Some(term),
            _ => None,
        }
    }
}

/// An effect of a stage and its place.
type Earlier<'r> = (&'r Effect, Span);

/// The kinds of statements that read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Statement {
    If,
    For,
    Let,
    Effect,
    Next,
}

impl Statement {
    /// The statement in words, and its form in a later stage.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Statement::If => ("this `if`", "then { if ... { ... } }"),
            Statement::For => ("this `for`", "then { for ... { ... } }"),
            Statement::Let => ("this `let`", "then { let ...; ... }"),
            Statement::Effect => ("this effect", "then { ... }"),
            Statement::Next => ("this `next`", "then { next ...; }"),
        }
    }
}

/// A read below an effect that changes what it reads.
#[derive(Clone, Copy)]
struct EarlyRead {
    reader: Span,
    statement: Statement,
    field: FieldId,
    effect: Span,
    /// True for the cell of another player, who chooses at the same time.
    is_at_once: bool,
}

/// The search for early reads in all moves.
struct Search<'r> {
    rules: &'r Rules,
    parts: usize,
    found: Vec<EarlyRead>,
    /// Those who may be the player who moves, where the search is.
    players: Players,
    /// A choice of other players at the same time.
    at_once: Rc<[(FieldId, Players)]>,
}

/// The effects above a place of a stage, by field.
#[derive(Clone, Default)]
struct Above<'r> {
    effects: HashMap<FieldId, Vec<Earlier<'r>>>,
    aliases: Aliases<'r>,
    /// The values of the `let`s of the stage.
    lets: HashMap<VarId, &'r Expr>,
}

/// The reading of one condition or value.
struct Reader<'r, 's> {
    rules: &'r Rules,
    above: &'s Above<'r>,
    statement: Statement,
    /// The whole condition or value.
    whole: Option<&'r Expr>,
    /// The field that the reader itself sets.
    own: Option<FieldId>,
    /// True for an effect that keeps an old value under another name: `before[me] := shown[me]`.
    keeps: bool,
    /// The names that the conditions and values bind, and the parameters of definitions.
    names: Vec<HashMap<VarId, Key<'r>>>,
    called: Vec<DefId>,
    parts: usize,
    /// True if a variable is compared with a term of the move: `all x in Cell: x = c or at[x] != none`.
    excepts: bool,
    /// True within an odd number of negations.
    is_negated: bool,
    /// Those who may be the player who moves.
    players: Players,
    at_once: Rc<[(FieldId, Players)]>,
    /// The field that is read, the effect that changes it, and true if others do so at the same time.
    found: Option<(FieldId, Span, bool)>,
}

impl<'a> Analyzer<'a> {
    /// W0313: a branch or a value below an effect, whose result it does not see; `told` are those already reported.
    pub fn early_reads(&mut self, told: &[Span]) {
        let (players, at_once) = (Players::ALL, Rc::from([]));
        let mut search = Search { rules: &self.rules, parts: PARTS, found: Vec::new(), players, at_once };
        for mv in &self.rules.moves {
            search.players = Players::of(mv, &self.rules);
            search.at_once = set_at_once(mv, &self.rules).into();
            search.block(&mv.body, &mut Above::default());
        }
        let mut found = std::mem::take(&mut search.found);
        found.sort_by_key(|read| (read.reader.file.0, read.reader.start, read.effect.start));
        found.retain(|read| !told.contains(&read.reader));
        if found.is_empty() {
            return;
        }
        let mut reads: Vec<(EarlyRead, Option<EffectCall>)> = Vec::new();
        let calls = self.effect_calls();
        let items: Vec<&ast::Item> =
            self.items().filter(|(item, own)| *own && is_body(item)).map(|(item, _)| item).collect();
        let effects_of = |read: &EarlyRead| -> Vec<Span> {
            found.iter().filter(|other| other.reader == read.reader).map(|other| other.effect).collect()
        };
        for read in &found {
            let before = items.partition_point(|item| item.span.start <= read.reader.start);
            let Some(item) =
                before.checked_sub(1).map(|at| items[at]).filter(|item| item.span.covers(read.reader))
            else {
                continue;
            };
            // The effects of `every move` are not above those of a move.
            let is_new = reads.last().is_none_or(|(last, _)| last.reader != read.reader);
            if is_new && item.span.covers(read.effect) {
                reads.push((*read, None));
            } else if is_new && let Some(call) = call_below(item, &calls, read.effect, &effects_of(read)) {
                reads.push((*read, Some(call)));
            }
        }
        for (read, call) in reads {
            self.report_early_read(read, call);
        }
    }

    fn report_early_read(&mut self, read: EarlyRead, call: Option<EffectCall>) {
        let EarlyRead { reader, statement, field, effect, is_at_once } = read;
        let name = &self.rules.fields[field].name;
        let (what, form) = statement.words();
        if is_at_once {
            let title = format!("{what} reads the `{name}` of another player, who sets it at the same time");
            let found = Diagnostic::new(Code::W0313, title, reader, format!("`{name}` before these moves"));
            self.report(found.label(effect, "all players choose at once").help(format!(
                "to read what the others choose now, write `{form}`; if their choice before is meant, put this above the \
                 effect"
            )));
            return;
        }
        let label = format!("`{name}` before these effects");
        let (title, help) = match call {
            None => (
                format!("{what} reads `{name}` before the effect above it"),
                format!(
                    "to read it after that effect, write `{form}`; if the position before the move is meant, put this \
                     above the effect"
                ),
            ),
            Some(call) => (
                format!("{what} reads `{name}` before the effect above the call of `{}`", call.name),
                format!(
                    "to read it after that effect, write `then {{ {} }}`; if the position before the move is meant, call \
                     `{}` above the effect",
                    call.words(),
                    call.name
                ),
            ),
        };
        let found = Diagnostic::new(Code::W0313, title, reader, label);
        let found = found.label(effect, "all effects of a stage read the position before it").help(help);
        self.report(match call {
            Some(call) => found.label(call.span, "called here"),
            None => found,
        });
    }
}

fn is_body(item: &ast::Item) -> bool {
    matches!(item.kind, ItemKind::Move(_) | ItemKind::EveryMove(_) | ItemKind::Effect { .. })
}

impl<'r> Search<'r> {
    fn block(&mut self, block: &'r Block, above: &mut Above<'r>) {
        let players = self.players;
        self.players = players.who_may(block);
        self.statements(block, above);
        self.players = players;
    }

    fn statements(&mut self, block: &'r Block, above: &mut Above<'r>) {
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Effect(effect) => {
                    let place = stmt.span;
                    for term in effect.keys.iter().chain([&effect.value]) {
                        let mut reader = self.reader(Statement::Effect, above);
                        reader.own = Some(effect.field);
                        reader.keeps = effect.op == EffectOp::Set && is_field(&effect.value);
                        self.read(term, place, reader);
                    }
                    let effects = above.effects.entry(effect.field).or_default();
                    if effects.len() < EFFECTS {
                        effects.push((effect, place));
                    }
                }
                StmtKind::If(condition, yes, no) => {
                    let reader = self.reader(Statement::If, above);
                    self.read(condition, condition.span, reader);
                    // What one branch sets is not above the conditions of the next `if`: often only one is reached.
                    let players = self.players;
                    for (branch, holds) in [(yes, true), (no, false)] {
                        self.players = players.if_known(condition, holds);
                        self.block(branch, &mut above.clone_if_read(branch));
                    }
                    self.players = players;
                }
                StmtKind::For(binders, inner) => {
                    self.loop_head(binders, above);
                    binders.iter().for_each(|binder| above.aliases.add_elements(binder));
                    self.block(inner, above);
                }
                StmtKind::Let(pattern, value) => {
                    // A name for the old value itself is meant.
                    if !is_field(value) {
                        let reader = self.reader(Statement::Let, above);
                        self.read(value, stmt.span, reader);
                    }
                    above.aliases.add_let(pattern, value);
                    if let Pattern::Var(var) = pattern {
                        above.lets.insert(*var, value);
                    }
                }
                StmtKind::Next(player) => {
                    let reader = self.reader(Statement::Next, above);
                    self.read(player, stmt.span, reader);
                }
                StmtKind::Then(inner) => self.block(inner, &mut above.without_effects()),
                _ => {}
            }
        }
    }

    /// Looks for early reads in the sets and the conditions of a `for`.
    fn loop_head(&mut self, binders: &'r [Binder], above: &Above<'r>) {
        if above.effects.is_empty() {
            return;
        }
        let mut reader = self.reader(Statement::For, above);
        for binder in binders {
            reader.bind_element(binder);
            let set = match &binder.domain {
                Domain::Set(set) => Some(set),
                Domain::Fixed(_) => None,
            };
            for part in set.into_iter().chain(&binder.condition) {
                reader.whole = Some(part);
                reader.expr(part, &mut Vec::new());
                if reader.found.is_some() {
                    self.note(part.span, &reader);
                    return;
                }
            }
        }
        self.parts = reader.parts;
    }

    fn reader<'s>(&self, statement: Statement, above: &'s Above<'r>) -> Reader<'r, 's> {
        Reader {
            rules: self.rules,
            above,
            statement,
            whole: None,
            own: None,
            keeps: false,
            names: vec![HashMap::new()],
            called: Vec::new(),
            parts: self.parts,
            excepts: false,
            is_negated: false,
            players: self.players,
            at_once: Rc::clone(&self.at_once),
            found: None,
        }
    }

    /// Looks for an early read in a condition, or in a key or the value of an effect, of the statement at a place.
    fn read(&mut self, expr: &'r Expr, place: Span, mut reader: Reader<'r, '_>) {
        if !reader.above.effects.is_empty() {
            reader.whole = Some(expr);
            reader.expr(expr, &mut Vec::new());
            self.parts = reader.parts;
            self.note(place, &reader);
        }
    }

    fn note(&mut self, place: Span, reader: &Reader<'r, '_>) {
        if let Some((field, effect, is_at_once)) = reader.found.filter(|_| !reader.excepts) {
            let statement = reader.statement;
            self.found.push(EarlyRead { reader: place, statement, field, effect, is_at_once });
        }
    }
}

impl<'r> Above<'r> {
    /// A copy for the statements of a branch; an empty one for an empty branch.
    fn clone_if_read(&self, branch: &Block) -> Above<'r> {
        if branch.stmts.is_empty() { Above::default() } else { self.clone() }
    }

    /// Returns true if a term has a part of this kind, also by the names of the stage.
    fn has_part(&self, term: &Expr, is_it: &dyn Fn(&ExprKind) -> bool) -> bool {
        has_part(term, &|kind| {
            let named = match kind {
                ExprKind::Var(var) => self.lets.get(var),
                _ => None,
            };
            is_it(kind) || named.is_some_and(|value| self.has_part(value, is_it))
        })
    }

    /// A copy for a further stage.
    fn without_effects(&self) -> Above<'r> {
        Above { aliases: self.aliases.clone(), ..Above::default() }
    }
}

impl<'r> Reader<'r, '_> {
    /// Visits an expression; `beside` are the terms that it is added to or compared with.
    fn expr(&mut self, expr: &'r Expr, beside: &mut Vec<Beside<'r>>) {
        if self.found.is_some() || self.parts == 0 {
            return;
        }
        self.parts -= 1;
        match &*expr.kind {
            ExprKind::Field(field, keys) => self.field(*field, keys, beside),
            ExprKind::Call(id, args) if !self.called.contains(id) => {
                let def = &self.rules.defs[*id];
                let keys: Vec<_> = args.iter().map(|arg| self.key(arg)).collect();
                self.called.push(*id);
                self.names.push(def.params.iter().copied().zip(keys).collect());
                self.expr(&def.body, beside);
                self.names.pop();
            }
            ExprKind::Quant(quant, binders, body) => {
                self.quantified(*quant, binders, body);
                binders.iter().for_each(|binder| self.bind_element(binder));
            }
            ExprKind::Fold(_, binders, _) | ExprKind::Collect(binders, _) => {
                binders.iter().for_each(|binder| self.bind_element(binder));
            }
            ExprKind::Let(pattern, ..) => self.bind(pattern, Key::Other),
            ExprKind::Equal(a, b) => {
                let is_each = |e| matches!(self.key(e), Key::Each);
                let is_chosen = |e: &Expr| matches!(self.key_of_move(e), Some(ExprKind::Var(_)));
                self.excepts |= is_each(a) && is_chosen(b) || is_each(b) && is_chosen(a);
            }
            _ => {}
        }
        let negates = matches!(&*expr.kind, ExprKind::Not(_) | ExprKind::Quant(Quant::No, ..));
        self.is_negated ^= negates;
        let pair = match &*expr.kind {
            ExprKind::Arith { left, right, .. } => Some((left, right)),
            ExprKind::Equal(a, b) | ExprKind::Less(a, b) | ExprKind::LessEqual(a, b) => Some((a, b)),
            _ => None,
        };
        if let Some((a, b)) = pair {
            let is_sum = matches!(&*expr.kind, ExprKind::Arith { op, .. } if *op != Arith::Mod);
            let is_spent = self.is_what_is_spent(expr);
            for (part, other) in [(a, b), (b, a)] {
                beside.push(Beside { term: other, is_sum: is_sum && !is_spent });
                self.expr(part, beside);
                beside.pop();
            }
        } else {
            self.parts_of(expr, beside);
        }
        self.is_negated ^= negates;
    }

    /// Visits the parts of an expression; the conditions in it say who may be the player who moves.
    fn parts_of(&mut self, expr: &'r Expr, beside: &mut Vec<Beside<'r>>) {
        let players = self.players;
        match &*expr.kind {
            ExprKind::And(parts) | ExprKind::Or(parts) => {
                let holds = matches!(&*expr.kind, ExprKind::And(_));
                self.players = parts.iter().fold(players, |known, part| known.if_known(part, holds));
                parts.iter().for_each(|part| self.expr(part, beside));
            }
            ExprKind::If(condition, yes, no) => {
                self.expr(condition, beside);
                for (branch, holds) in [(yes, true), (no, false)] {
                    self.players = players.if_known(condition, holds);
                    self.expr(branch, beside);
                }
            }
            _ => expr.each_part(&mut |part| self.expr(part, beside)),
        }
        self.players = players;
    }

    /// Names the elements of the set of a binder.
    fn bind_element(&mut self, binder: &Binder) {
        let is_chosen = match self.statement {
            Statement::If | Statement::Effect | Statement::Next => {
                let is_open = |set: &Expr| !self.is_closed(set);
                matches!(&binder.domain, Domain::Set(set) if is_open(set))
                    || binder.condition.as_ref().is_some_and(|condition| self.speaks_of_the_move(condition))
            }
            Statement::For | Statement::Let => !self.is_any_element(binder),
        };
        self.bind(&binder.pattern, if is_chosen { Key::Other } else { Key::Each });
    }

    /// Returns true if the move chooses neither the set of a binder nor the elements that its filter leaves in.
    fn is_any_element(&mut self, binder: &Binder) -> bool {
        let is_closed = !matches!(&binder.domain, Domain::Set(set) if !self.is_closed(set));
        self.bind(&binder.pattern, Key::Each);
        is_closed && !binder.condition.as_ref().is_some_and(|condition| self.speaks_of_the_move(condition))
    }

    fn bind(&mut self, pattern: &Pattern, key: Key<'r>) {
        match pattern {
            Pattern::Var(var) => {
                self.names.last_mut().expect("a scope").insert(*var, key);
            }
            Pattern::Tuple(parts) => parts.iter().for_each(|part| self.bind(part, key)),
        }
    }

    /// Returns the kind of a key, in terms of the move.
    fn key(&self, expr: &'r Expr) -> Key<'r> {
        match &*expr.kind {
            ExprKind::Present(inner) => self.key(inner),
            ExprKind::Var(var) => match self.names.last().expect("a scope").get(var) {
                Some(key) => *key,
                None if self.names.len() == 1 => Key::Term(expr),
                None => Key::Other,
            },
            ExprKind::Const(_) | ExprKind::Me => Key::Term(expr),
            _ if self.names.len() == 1 && !self.has_bound(expr) => Key::Term(expr),
            ExprKind::Table(_, args) if args.len() == 1 => match self.key(&args[0]) {
                Key::Term(inner) if matches!(&*inner.kind, ExprKind::Me) => Key::Term(expr),
                _ => Key::Other,
            },
            _ => Key::Other,
        }
    }

    /// The kind of a term of the move.
    fn key_of_move(&self, expr: &'r Expr) -> Option<&'r ExprKind> {
        match self.key(expr) {
            Key::Term(term) => Some(&term.kind),
            _ => None,
        }
    }

    fn has_bound(&self, expr: &Expr) -> bool {
        let names = self.names.last().expect("a scope");
        has_part(expr, &|kind| matches!(kind, ExprKind::Var(var) if names.contains_key(var)))
    }

    /// Returns true if a set is the same whatever the move is.
    fn is_closed(&self, set: &Expr) -> bool {
        !self.speaks_of_the_move(set)
            && !has_part(set, &|kind| matches!(kind, ExprKind::Field(..) | ExprKind::Call(..)))
    }

    /// Returns true if an expression names a variable of the move.
    fn speaks_of_the_move(&self, expr: &Expr) -> bool {
        let names = self.names.last().expect("a scope");
        let mut own = Vec::new();
        bound_variables(expr, &mut own);
        has_part(expr, &|kind| match kind {
            ExprKind::Var(var) if own.contains(var) => false,
            ExprKind::Var(var) => match names.get(var) {
                Some(Key::Each) => false,
                Some(Key::Term(term)) => !matches!(&*term.kind, ExprKind::Const(_) | ExprKind::Me),
                _ => true,
            },
            _ => false,
        })
    }

    /// Looks for an effect above that changes what a read of a field reads.
    fn field(&mut self, field: FieldId, keys: &'r [Expr], beside: &[Beside<'r>]) {
        if self.own == Some(field) {
            return;
        }
        let Some(effects) = self.above.effects.get(&field) else { return };
        let keys: Vec<_> = keys.iter().map(|key| self.key(key)).collect();
        for (effect, place) in effects {
            let pairs = || keys.iter().zip(&effect.keys);
            let aliases = &self.above.aliases;
            let is_same =
                pairs().all(|(key, of)| matches!(key, Key::Term(term) if aliases.is_changed(term, of)));
            let may_be_same = pairs().all(|(key, of)| match key {
                Key::Each => true,
                Key::Term(term) => {
                    let may_be_mover = || self.players.may_be(term) && self.players.may_be(of);
                    same(term, of) || is_mover_and_player(term, of) && may_be_mover()
                }
                Key::Other => false,
            });
            let is_cell = |kind: &ExprKind| match kind {
                ExprKind::Field(of, keys) => {
                    *of == field && keys.iter().zip(&effect.keys).all(|(a, b)| same(a, b))
                }
                _ => false,
            };
            let changes = effect.op != EffectOp::Set || self.above.has_part(&effect.value, &is_cell);
            // A cell that was set to a known value is not read for that value.
            let is_news =
                !keys.is_empty() || has_part(&effect.value, &|kind| matches!(kind, ExprKind::Var(_)));
            let is_open = matches!(self.statement, Statement::If | Statement::Effect | Statement::Next);
            let terms: Option<Vec<&Expr>> = keys.iter().map(|key| key.term()).collect();
            let is_at_once = terms.is_some_and(|terms| self.is_choice_at_once(effect, &terms));
            let counts = if is_at_once {
                is_open && !beside.iter().any(is_none)
            } else if is_same {
                let is_read_back = keys.is_empty() && is_news || is_choice_of_a_player(effect) && !self.keeps;
                changes || is_read_back && !beside.iter().any(is_none)
            } else {
                may_be_same && is_open
            };
            // `let d = dir(here, to)` below `here := to` is of the old place and the new one.
            let is_of_both = !is_open && self.whole.is_some_and(|whole| share_variable(whole, &effect.value));
            let takes_turns = self.own.is_some_and(|own| {
                reads(&effect.value, own) || effect.keys.iter().any(|key| reads(key, own))
            });
            // `next after[head]` below `head := after[head]` gives the turn to the new one.
            let is_told = self.statement == Statement::Next && effect.op == EffectOp::Set;
            if counts
                && !takes_turns
                && !is_of_both
                && !is_told
                && (is_at_once || !beside.iter().any(|term| is_step(term, effect)))
            {
                self.found = Some((field, *place, is_at_once));
                return;
            }
        }
    }
}

fn is_none(beside: &Beside) -> bool {
    matches!(beside.term.constant(), Some(Value::None))
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;
    use bouton_syntax::diag::Code;

    #[test]
    fn loops_and_other_names_change_what_is_read() {
        let count = |body: &str| {
            let text = format!(
                "game \"Sow\"; players A, B; state {{ n[i: 0..5]: 0..9 = 1; got: 0..9 = 0; }}
                 move sow(h: 0..5) as \"{{h}}\" {{ when n[h] > 0; let k = n[h]; let last = (h + k) mod 6; {body} }}
                 end {{ when got = 9 => draw; when stuck => draw; }}"
            );
            found(&text, Code::W0313).len()
        };
        for body in [
            "for i in 1..k { n[(h + i) mod 6] += 1; } if n[last] = 2 { got += 1; }",
            "for i in { h } { n[i] += 1; } if n[h] = 3 { got += 1; }",
            "let x = h; n[h] += 2; if n[x] = 3 { got += 1; }",
            "let rest = n[h] - 1; n[h] := rest; if n[h] = 0 { got += 1; }",
            "n[h] := k - 1; if n[h] = 0 { got += 1; }",
        ] {
            assert_eq!(count(body), 1, "{body}");
        }
        for body in [
            "for i in 1..k { n[(h + i) mod 6] += 1; } if n[last] + 1 = 2 { got += 1; }",
            "for i in 1..k { n[(h + i) mod 6] += 1; } then { if n[last] = 2 { got += 1; } }",
            "for i in 2..k { n[(h + i) mod 6] += 1; } if n[(h + 1) mod 6] = 2 { got += 1; }",
            "let x = 5 - h; n[h] += 2; if n[x] = 3 { got += 1; }",
            "let rest = n[h] - 1; n[h] := rest; if n[h] = rest + 1 { got += 1; }",
            "let rest = n[h] - 1; n[h] := rest; if rest = 0 { got += 1; }",
            "let rest = n[h] - 1; n[h] := rest; then { if n[h] = 0 { got += 1; } }",
            "let rest = n[5 - h]; n[h] := rest; if n[h] = 3 { got += 1; }",
        ] {
            assert_eq!(count(body), 0, "{body}");
        }
    }

    /// A game on nine cells with this body of its move.
    fn game(body: &str) -> String {
        format!(
            "game \"Early\"; players A, B; board Cell = grid(3, 3);
             state {{ at[c: Cell]: Player? = none; n: 0..9 = 0; here: Cell = a1; score[p: Player]: 0..9 = 0; }}
             def full(c: Cell) = all x in Cell where x.row = c.row: at[x] != none;
             move put(c: Cell) as \"{{c}}\" {{ when at[c] = none; at[c] := me; n += 1; {body} }}
             end {{ when n = 9 => highest score; when stuck => draw; }}"
        )
    }

    #[test]
    fn sets_that_the_move_chooses_are_read_early() {
        for body in [
            "if all x in Cell where x.row = c.row: at[x] = me { score[me] += 1; }",
            "if all x in { y in Cell where y.row = c.row }: at[x] != none { score[me] += 1; }",
            "if no x in Cell where c.row = x.row: at[x] = none { score[me] += 1; }",
            "if full(c) { score[me] += 1; }",
            "for q in Cell where at[q] = opponent and all r in q.neighbors: at[r] != none { at[q] := none; }",
            "for q in Cell where at[q] = opponent and not some r in q.neighbors: at[r] = none { at[q] := none; }",
            "for x in c.neighbors where n > 3 { score[me] += 1; }",
            "for k in 1..n where n > 3 { score[me] += 1; }",
            "let parity = n mod 2; if parity = 0 { score[me] += 1; }",
            "next if n mod 3 = 0 then me else opponent;",
        ] {
            assert_eq!(found(&game(body), Code::W0313).len(), 1, "{body}");
        }
    }

    #[test]
    fn old_values_may_be_meant() {
        for body in [
            "if all x in Cell where x.row = c.row and x != c: at[x] = me { score[me] += 1; }",
            "if some x in Cell where x.row = c.row: at[x] = me { score[me] += 1; }",
            "if all x in Cell where x.row = c.row: at[x] != me { score[me] += 1; }",
            "if all x in Cell where x.row = c.row + 1: at[x] = me { score[me] += 1; }",
            "for q in Cell where at[q] = opponent and all r in q.neighbors: at[r] = opponent { at[q] := none; }",
            "for q in c.neighbors where at[q] = opponent and at[c] = none { at[q] := none; }",
            "for q in Cell where at[q] = opponent and q.row = c.row { at[q] := none; }",
            "here := c; let d = dir(here, c); if d = N { score[me] += 1; }",
            "let old = n; if old = 3 { score[me] += 1; }",
            "let next_n = n + 1; if next_n = 3 { score[me] += 1; }",
            "then { next if n mod 3 = 0 then me else opponent; }",
            "next if n + 1 = 3 then me else opponent;",
            "next opponent;",
            "here := c; next if here = c then me else opponent;",
            "then { let parity = n mod 2; if parity = 0 { score[me] += 1; } }",
        ] {
            assert!(found(&game(body), Code::W0313).is_empty(), "{body}");
        }
    }
    #[test]
    fn choices_of_players_are_read_back() {
        let count = |body: &str| {
            let text = format!(
                "game \"Show\"; players A, B; enum Man {{ king, pawn }} board Cell = grid(2, 2);
                 state {{ shown[p: Player]: 0..2 = 0; before[p: Player]: 0..2 = 0; won[p: Player]: 0..9 = 0;
                   man[p: Player]: Man? = none; at[c: Cell]: Man? = none; round: 0..9 = 0; }}
                 def big(p: Player) = shown[p] = 2;
                 move show(k: 1..2, m: Man, c: Cell) as \"{{k}} {{m}} {{c}}\" {{ when round < 9; round += 1; {body} }}
                 end {{ when round = 9 => highest won; when no c in Cell: at[c] = none => draw;
                   when all p in Player: man[p] != none and before[p] = 2 => draw; }}"
            );
            found(&text, Code::W0313).len()
        };
        for body in [
            "shown[me] := k; if shown[me] = 2 { won[me] += 1; }",
            "shown[me] := k; won[me] += shown[me];",
            "shown[me] := k; if shown[me] > shown[opponent] { won[me] += 1; }",
            "shown[me] := k; if big(me) { won[me] += 1; }",
            "shown[A] := k; if shown[A] = 2 { won[me] += 1; }",
            "man[me] := m; won[me] += match man[me] { none => 0, king => 2, pawn => 1 };",
        ] {
            assert_eq!(count(body), 1, "{body}");
        }
        for body in [
            "shown[me] := k; then { if shown[me] = 2 { won[me] += 1; } }",
            "shown[me] := k; before[me] := shown[me];",
            "shown[me] := k; won[me] += k - shown[me];",
            "shown[me] := k; if shown[me] = k { won[me] += 1; }",
            "man[me] := m; if man[me] = none { won[me] += 1; }",
            "man[me] := king; if man[me] = pawn { won[me] += 1; }",
            "at[c] := m; if at[c] = king { won[me] += 1; }",
            "at[a1] := at[c]; if at[a1] = king { won[me] += 1; }",
        ] {
            assert_eq!(count(body), 0, "{body}");
        }
    }

    #[test]
    fn called_effects_read_early() {
        let titles = |put: &str, other: &str| {
            let text = format!(
                "{} effect share() {{ if n = 9 {{ score[me] += 1; }} }}
                 move wait() {{ when n > 4; {other} }}",
                game(put)
            );
            found(&text, Code::W0313).into_iter().map(|found| found.title).collect::<Vec<_>>()
        };
        let title = "this `if` reads `n` before the effect above the call of `share`";
        assert_eq!(titles("share();", "next opponent;"), [title]);
        assert_eq!(titles("share();", "n -= 1; share();"), [title]);
        assert_eq!(titles("share();", "share(); n -= 1;"), [""; 0]);
        assert_eq!(titles("then { share(); }", "next opponent;"), [""; 0]);
    }
}
