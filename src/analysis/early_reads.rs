//! W0313 for branches and effects: an `if`, or the value of an effect, that stands below an effect and reads what that
//! effect changes. All of a stage reads the position before it, so the order of the text does not count.
//!
//! A read counts only if it is of the same cell, or of all cells (`all i in Heap: size[i] = 0`), also through
//! definitions. What the text itself adds to the old value (`if left - k = 0`), and values that change places
//! (`a := b; b := a`), are meant.

use std::collections::HashMap;

use super::analyzer::Analyzer;
use bouton_base::source::Span;
use bouton_rules::{
    Block, DefId, Domain, Effect, EffectOp, Expr, ExprKind, FieldId, PLAYER, Pattern, Rules, StmtKind, Value,
    VarId,
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

/// A term that stands beside a part in a sum, or in a comparison.
struct Beside<'r> {
    term: &'r Expr,
    is_sum: bool,
}

/// An effect of a stage and its place.
type Earlier<'r> = (&'r Effect, Span);

/// A read below an effect that changes what it reads.
struct EarlyRead {
    reader: Span,
    is_branch: bool,
    field: FieldId,
    effect: Span,
}

/// The search for early reads in all moves.
struct Search<'r> {
    rules: &'r Rules,
    parts: usize,
    found: Vec<EarlyRead>,
}

/// The effects above a place of a stage, by field.
#[derive(Clone, Default)]
struct Above<'r> {
    effects: HashMap<FieldId, Vec<Earlier<'r>>>,
}

/// The reading of one condition or value.
struct Reader<'r, 's> {
    rules: &'r Rules,
    above: &'s Above<'r>,
    /// The field that the reader itself sets.
    own: Option<FieldId>,
    /// The names that the conditions and values bind, and the parameters of definitions.
    names: Vec<HashMap<VarId, Key<'r>>>,
    called: Vec<DefId>,
    parts: usize,
    /// True if a variable is compared with a term of the move: `all x in Cell: x = c or at[x] != none`.
    excepts: bool,
    found: Option<(FieldId, Span)>,
}

impl Analyzer<'_> {
    /// W0313: a branch or a value below an effect, whose result it does not see; `told` are those already reported.
    pub fn early_reads(&mut self, told: &[Span]) {
        let mut search = Search { rules: &self.rules, parts: PARTS, found: Vec::new() };
        for mv in &self.rules.moves {
            search.block(&mv.body, &mut Above::default());
        }
        let mut found = std::mem::take(&mut search.found);
        found.sort_by_key(|read| (read.reader.file.0, read.reader.start, read.effect.start));
        found.dedup_by_key(|read| read.reader);
        found.retain(|read| !told.contains(&read.reader));
        if found.is_empty() {
            return;
        }
        let items: Vec<Span> =
            self.items().filter(|(item, own)| *own && is_body(item)).map(|(item, _)| item.span).collect();
        // The effects of `every move` are not above those of a move.
        found.retain(|read| {
            let before = items.partition_point(|item| item.start <= read.reader.start);
            let item = before.checked_sub(1).map(|at| items[at]);
            item.is_some_and(|item| item.covers(read.reader) && item.covers(read.effect))
        });
        for EarlyRead { reader, is_branch, field, effect } in found {
            let name = &self.rules.fields[field].name;
            let (what, form) = match is_branch {
                true => ("this `if`", "then { if ... { ... } }"),
                false => ("this effect", "then { ... }"),
            };
            let title = format!("{what} reads `{name}` before the effect above it");
            let help = format!(
                "to read it after that effect, write `{form}`; if the position before the move is meant, put this above \
                 the effect"
            );
            let found = Diagnostic::new(Code::W0313, title, reader, format!("`{name}` before these effects"));
            self.report(found.label(effect, "all effects of a stage read the position before it").help(help));
        }
    }
}

fn is_body(item: &ast::Item) -> bool {
    matches!(item.kind, ItemKind::Move(_) | ItemKind::EveryMove(_) | ItemKind::Effect { .. })
}

impl<'r> Search<'r> {
    fn block(&mut self, block: &'r Block, above: &mut Above<'r>) {
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Effect(effect) => {
                    let place = stmt.span;
                    effect
                        .keys
                        .iter()
                        .chain([&effect.value])
                        .for_each(|e| self.read(e, Some((effect, place)), above));
                    let effects = above.effects.entry(effect.field).or_default();
                    if effects.len() < EFFECTS {
                        effects.push((effect, place));
                    }
                }
                StmtKind::If(condition, yes, no) => {
                    self.read(condition, None, above);
                    // What one branch sets is not above the conditions of the next `if`: often only one is reached.
                    self.block(yes, &mut above.clone_if_read(yes));
                    self.block(no, &mut above.clone_if_read(no));
                }
                StmtKind::For(_, inner) => self.block(inner, above),
                StmtKind::Then(inner) => self.block(inner, &mut Above::default()),
                _ => {}
            }
        }
    }

    /// Looks for an early read in a condition, or in a key or the value of an effect.
    fn read(&mut self, expr: &'r Expr, effect: Option<Earlier<'r>>, above: &Above<'r>) {
        if above.effects.is_empty() || self.parts == 0 {
            return;
        }
        let mut reader = Reader {
            rules: self.rules,
            above,
            own: effect.map(|(effect, _)| effect.field),
            names: vec![HashMap::new()],
            called: Vec::new(),
            parts: self.parts,
            excepts: false,
            found: None,
        };
        reader.expr(expr, &mut Vec::new());
        self.parts = reader.parts;
        if let Some((field, place)) = reader.found.filter(|_| !reader.excepts) {
            self.found.push(EarlyRead {
                reader: effect.map_or(expr.span, |(_, place)| place),
                is_branch: effect.is_none(),
                field,
                effect: place,
            });
        }
    }
}

impl<'r> Above<'r> {
    /// A copy for the statements of a branch; an empty one for an empty branch.
    fn clone_if_read(&self, branch: &Block) -> Above<'r> {
        if branch.stmts.is_empty() { Above::default() } else { self.clone() }
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
            ExprKind::Quant(_, binders, _)
            | ExprKind::Fold(_, binders, _)
            | ExprKind::Collect(binders, _) => {
                for binder in binders {
                    let is_open = |set: &Expr| !self.is_closed(set);
                    let is_chosen = matches!(&binder.domain, Domain::Set(set) if is_open(set))
                        || binder
                            .condition
                            .as_ref()
                            .is_some_and(|condition| self.speaks_of_the_move(condition));
                    self.bind(&binder.pattern, if is_chosen { Key::Other } else { Key::Each });
                }
            }
            ExprKind::Let(pattern, ..) => self.bind(pattern, Key::Other),
            ExprKind::Equal(a, b) => {
                let is_each = |e| matches!(self.key(e), Key::Each);
                let is_chosen = |e: &Expr| matches!(self.key_of_move(e), Some(ExprKind::Var(_)));
                self.excepts |= is_each(a) && is_chosen(b) || is_each(b) && is_chosen(a);
            }
            _ => {}
        }
        let pair = match &*expr.kind {
            ExprKind::Arith { left, right, .. } => Some((left, right)),
            ExprKind::Equal(a, b) | ExprKind::Less(a, b) | ExprKind::LessEqual(a, b) => Some((a, b)),
            _ => None,
        };
        if let Some((a, b)) = pair {
            let is_sum = matches!(&*expr.kind, ExprKind::Arith { .. });
            for (part, other) in [(a, b), (b, a)] {
                beside.push(Beside { term: other, is_sum });
                self.expr(part, beside);
                beside.pop();
            }
        } else {
            expr.each_part(&mut |part| self.expr(part, beside));
        }
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
        has_part(expr, &|kind| match kind {
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
            let is_same = pairs().all(|(key, of)| matches!(key, Key::Term(term) if same(term, of)));
            let may_be_same = pairs().all(|(key, of)| match key {
                Key::Each => true,
                Key::Term(term) => same(term, of) || is_mover_and_player(term, of),
                Key::Other => false,
            });
            let is_cell = |kind: &ExprKind| match kind {
                ExprKind::Field(of, keys) => {
                    *of == field && keys.iter().zip(&effect.keys).all(|(a, b)| same(a, b))
                }
                _ => false,
            };
            let changes = effect.op != EffectOp::Set || has_part(&effect.value, &is_cell);
            // A cell that was set to a known value is not read for that value.
            let is_news =
                !keys.is_empty() || has_part(&effect.value, &|kind| matches!(kind, ExprKind::Var(_)));
            let counts = if is_same {
                changes || keys.is_empty() && is_news && !beside.iter().any(is_none)
            } else {
                may_be_same
            };
            let takes_turns = self.own.is_some_and(|own| {
                reads(&effect.value, own) || effect.keys.iter().any(|key| reads(key, own))
            });
            if counts && !takes_turns && !beside.iter().any(|term| is_step(term, effect)) {
                self.found = Some((field, *place));
                return;
            }
        }
    }
}

/// Returns true if a term beside a read makes the new value of the old one, or the old one of the new: `left - k` or
/// `left = k` below `left -= k`, `count + 1`.
fn is_step(Beside { term, is_sum }: &Beside, effect: &Effect) -> bool {
    let is_shared = |kind: &ExprKind| match kind {
        ExprKind::Var(var) => {
            has_part(&effect.value, &|of| matches!(of, ExprKind::Var(other) if other == var))
        }
        ExprKind::Field(field, _) => *field != effect.field && reads(&effect.value, *field),
        _ => false,
    };
    let is_number = matches!(term.constant(), Some(Value::Int(_)));
    let is_alike = effect.op != EffectOp::Set && term.constant() == effect.value.constant();
    is_number && (*is_sum || is_alike) || has_part(term, &is_shared)
}

fn is_none(beside: &Beside) -> bool {
    matches!(beside.term.constant(), Some(Value::None))
}

fn is_mover_and_player(a: &Expr, b: &Expr) -> bool {
    let is_player = |e: &Expr| matches!(e.constant(), Some(Value::Sym(PLAYER, _)));
    let is_me = |e: &Expr| matches!(&*e.kind, ExprKind::Me);
    is_player(a) && is_me(b) || is_me(a) && is_player(b)
}

fn reads(expr: &Expr, field: FieldId) -> bool {
    has_part(expr, &|kind| matches!(kind, ExprKind::Field(of, _) if *of == field))
}

/// Returns true if an expression has a part of this kind, definitions left out.
fn has_part(expr: &Expr, is_it: &dyn Fn(&ExprKind) -> bool) -> bool {
    let mut has = is_it(&expr.kind);
    expr.each_part(&mut |part| has = has || has_part(part, is_it));
    has
}

/// Returns true if two terms of a move are alike.
fn same(a: &Expr, b: &Expr) -> bool {
    let all = |a: &[Expr], b: &[Expr]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b));
    match (&*a.kind, &*b.kind) {
        (ExprKind::Present(a), _) => same(a, b),
        (_, ExprKind::Present(b)) => same(a, b),
        (ExprKind::Const(a), ExprKind::Const(b)) => a == b,
        (ExprKind::Var(a), ExprKind::Var(b)) => a == b,
        (ExprKind::Me, ExprKind::Me) => true,
        (ExprKind::Field(a, keys), ExprKind::Field(b, others)) => a == b && all(keys, others),
        (ExprKind::Table(a, keys), ExprKind::Table(b, others)) => a == b && all(keys, others),
        (ExprKind::Tuple(a, parts), ExprKind::Tuple(b, others)) => a == b && all(parts, others),
        _ => false,
    }
}
