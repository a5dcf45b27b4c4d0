//! Lints of code that is legal but probably not intended: unused names, fields that never change, habits of spelling.

use std::collections::{HashMap, HashSet};

use super::analyzer::Analyzer;
use super::symbols::{ConstValue, SymbolKind, UseKind};
use bouton_base::source::Span;
use bouton_rules::{Block, EnumKind, Expr, ExprKind, FieldId, MOVER, PHASE, Type, Visibility};
use bouton_syntax::ast::{self, ItemKind, StmtKind};
use bouton_syntax::diag::{Code, Diagnostic, Severity};
use bouton_syntax::print_effect;

impl<'a> Analyzer<'a> {
    /// Runs all lints. If there are errors, checks only the spelling: the errors may be why a name is unused.
    pub fn lints(&mut self) {
        self.capitals();
        self.hidden_members();
        self.drop_guarded_steps();
        if self.options.damaged || self.diagnostics.iter().any(|d| d.severity() == Severity::Error) {
            self.diagnostics.retain(|d| d.code != Code::W0111);
            return;
        }
        self.names_in_all_claims();
        self.unused_names();
        self.fields_unread_or_constant();
        self.set_to_first_values();
        self.effects_written_twice();
        self.conditions_after_effects();
        self.counted_for_each_player();
        self.weights_of_throws();
        self.events_without_weight();
        self.floored_quotients();
        self.names_that_tell();
        self.marks_in_templates();
        self.early_branches();
        self.mixed_connectives();
        self.turns();
        self.settled_results();
        self.undone_effects();
        self.moves_of_nothing();
        self.guarded_values();
        self.lone_points();
        self.open_secrets();
        self.decided_branches();
        self.repeated_guards();
        self.elements_never_read();
        self.first_values_of_parameters();
        self.exchanges_in_stages();
        self.emptied_reads();
        self.reads_of_nothing();
        self.copied_pieces();
        self.sizes_of_boards();
    }

    /// W0110: types and players begin with a capital.
    fn capitals(&mut self) {
        let mut names: Vec<&'a ast::Name> = Vec::new();
        let mut has_players = false;
        for (item, own) in self.items() {
            match &item.kind {
                _ if !own => {}
                // Phases that were reported are no type.
                ItemKind::Enum { name, .. } if !self.symbols.contains_key(name.text.as_str()) => {}
                ItemKind::Enum { name, .. }
                | ItemKind::Record { name, .. }
                | ItemKind::TypeAlias { name, .. }
                | ItemKind::Board { name, .. } => names.push(name),
                // A second list is a mistake of its own.
                ItemKind::Players(players) if !std::mem::replace(&mut has_players, true) => {
                    names.extend(players)
                }
                _ => {}
            }
        }
        for name in names {
            if name.text.starts_with(|c: char| c.is_ascii_lowercase()) {
                let mut capital = name.text.clone();
                capital[..1].make_ascii_uppercase();
                let title = format!("`{}` names a type or a player: these begin with a capital", name.text);
                let found = Diagnostic::new(Code::W0110, title, name.span, "a small letter");
                self.report(found.help(format!("write `{capital}`, here and wherever it is used")));
            }
        }
    }

    /// W0122: players and members of types that a word of the language hides, since such words are looked up first.
    fn hidden_members(&mut self) {
        let mut members: Vec<(&'a ast::Name, &'a str, &'static str)> = Vec::new();
        for (item, own) in self.items() {
            match &item.kind {
                _ if !own => {}
                ItemKind::Players(players) => members.extend(players.iter().map(|p| (p, "Player", "player"))),
                ItemKind::Enum { name, members: of } => {
                    members.extend(of.iter().map(|member| (member, name.text.as_str(), "member")));
                }
                _ => {}
            }
        }
        for (name, of, word) in members {
            let meaning = match name.text.as_str() {
                "me" => "the player who makes the move",
                "opponent" => "the other player in a move",
                "mover" => "the player to move",
                "phase" => "the phase of play",
                "stuck" => "true if nobody can move",
                "Player" => "the type of the players",
                "Dir" => "the type of the directions",
                _ => continue,
            };
            let title = format!("`{0}` alone means {meaning}, not the {word} `{0}`", name.text);
            let help = format!("give it another name; with this one it must be written `{of}.{}`", name.text);
            self.report(Diagnostic::new(Code::W0122, title, name.span, "a word of the language").help(help));
        }
    }

    /// Notes the names that the claims of all groups and the presets use.
    fn names_in_all_claims(&mut self) {
        for (item, _) in self.items() {
            let mut names = HashSet::new();
            match &item.kind {
                ItemKind::Expect(expect) => claim_names(expect, &mut names),
                ItemKind::Test(test) => test.steps.iter().for_each(|step| step_names(step, &mut names)),
                ItemKind::Preset { settings, .. } => {
                    settings.iter().for_each(|s| expr_names(&s.value, &mut names));
                    // A constant that is set is a mistake of its own.
                    names.extend(settings.iter().map(|s| s.name.text.as_str()));
                }
                _ => {}
            }
            for name in names {
                self.use_symbol(name, UseKind::Read);
            }
        }
    }

    /// W0111 for declarations.
    fn unused_names(&mut self) {
        let unused: Vec<(&'a str, Span, &'static str)> = self
            .symbols
            .iter()
            .filter(|(name, s)| s.own && !self.uses.contains_key(*name) && !name.starts_with('_'))
            .filter(|(_, s)| {
                !matches!(
                    s.kind,
                    SymbolKind::Move { .. } | SymbolKind::Field { .. } | SymbolKind::Record { .. }
                ) && !self.enum_is_used(&s.kind)
            })
            .map(|(name, s)| (*name, s.span, s.kind.word()))
            .collect();
        for (name, span, word) in unused {
            let title = format!("the {word} `{name}` is never used");
            let found = Diagnostic::new(Code::W0111, title, span, "not used");
            self.report(match self.table_like(name) {
                Some(other) => found.help(format!(
                    "`{other}` has the same keys and values: is `{name}` meant at one of its uses? Otherwise remove it, or begin \
                     its name with `_`"
                )),
                None => found.help("remove it, or begin its name with `_`"),
            });
        }
    }

    /// The only other constant table with keys and values of the same types as those of a constant, if rules use it.
    fn table_like(&self, name: &'a str) -> Option<&'a str> {
        let own = self.table_of(name)?;
        let names: Vec<&'a str> = self.symbols.keys().copied().filter(|other| *other != name).collect();
        let mut like = names.into_iter().filter(|other| {
            self.uses.contains_key(other) && self.table_of(other).is_some_and(|table| table == own)
        });
        let other = like.next()?;
        like.next().is_none().then_some(other)
    }

    /// The types of the keys and of the values of a constant with keys.
    fn table_of(&self, name: &str) -> Option<(Vec<Type>, Type)> {
        use super::analyzer::Resolution;
        let SymbolKind::Const { value: Resolution::Resolved(ConstValue::Table(id)), .. } =
            &self.symbols.get(name)?.kind
        else {
            return None;
        };
        let table = &self.rules.tables[*id];
        Some((table.keys.iter().map(|key| key.ty.clone()).collect(), table.ty.clone()))
    }

    /// Returns true if an enum or board counts as used because one of its members is named.
    fn enum_is_used(&self, kind: &SymbolKind) -> bool {
        let id = match kind {
            SymbolKind::Enum(id) => *id,
            SymbolKind::Board { id: super::analyzer::Resolution::Resolved(Some(board)), .. } => {
                self.rules.boards[*board].cells
            }
            _ => return false,
        };
        self.used_members.iter().any(|(of, _)| *of == id) || self.rules.enums[id].kind == EnumKind::Dir
    }

    /// W0312: two effects of one stage that are the same.
    fn effects_written_twice(&mut self) {
        for (item, own) in self.items() {
            match &item.kind {
                ItemKind::Move(declared) if own => self.repeated_effects(&declared.body),
                ItemKind::EveryMove(body) | ItemKind::Effect { body, .. } if own => {
                    self.repeated_effects(body)
                }
                _ => {}
            }
        }
    }

    fn repeated_effects(&mut self, block: &ast::StmtBlock) {
        let mut earlier: HashMap<String, Span> = HashMap::new();
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Effect(effect) => {
                    let text = print_effect(effect);
                    self.effect_without_change(effect, &text, stmt.span);
                    if let Some(first) = earlier.get(&text) {
                        self.repeated_effect(effect, &text, stmt.span, *first);
                    }
                    if let Some(opposite) = opposite_effect(effect, &text)
                        && let Some(first) = earlier.get(&opposite)
                    {
                        self.opposite_effects([&opposite, &text], *first, stmt.span);
                    }
                    earlier.entry(text).or_insert(stmt.span);
                }
                StmtKind::Then(inner) | StmtKind::For(_, inner) => self.repeated_effects(inner),
                StmtKind::If(_, yes, no) => {
                    self.repeated_effects(yes);
                    no.iter().for_each(|no| self.repeated_effects(no));
                }
                _ => {}
            }
        }
    }

    /// W0312: `pot -= k` and `pot += k` in one stage.
    fn opposite_effects(&mut self, [one, other]: [&str; 2], first: Span, second: Span) {
        let title = format!("the effects `{one}` and `{other}` undo each other");
        let found = Diagnostic::new(Code::W0312, title, second, "takes the other back");
        self.report(found.label(first, "the other one").help(
            "both count from the position before the move: remove both, or write the field or the number that is meant",
        ));
    }

    /// W0312: an effect that gives a field the value that it has, such as `at[c] := at[c]`, or adds a product with 0.
    fn effect_without_change(&mut self, effect: &ast::Effect, text: &str, span: Span) {
        let is_same = match text.split_once(" := ") {
            Some((target, value)) => target == value,
            None => false,
        };
        if matches!(effect.op, ast::EffectOp::Add | ast::EffectOp::Subtract) && is_zero(&effect.value) {
            let title = format!("the effect `{text}` changes nothing");
            let label = if effect.op == ast::EffectOp::Add { "adds 0" } else { "subtracts 0" };
            let found = Diagnostic::new(Code::W0312, title, span, label);
            self.report(
                found.help("write the number that is meant, or delete the effect: what no effect sets stays"),
            );
            return;
        }
        // What no effect sets stays, unless it is transient.
        let is_transient =
            self.rules.fields.iter().any(|field| field.name == effect.target.name.text && field.transient);
        if is_same && effect.op == ast::EffectOp::Set && !is_transient {
            let title = format!("the effect `{text}` changes nothing");
            let found = Diagnostic::new(Code::W0312, title, span, "the value that it has already");
            self.report(
                found.help("write the new value after `:=`, or delete the effect: what no effect sets stays"),
            );
        }
    }

    fn repeated_effect(&mut self, effect: &ast::Effect, text: &str, second: Span, first: Span) {
        let adds = matches!(effect.op, ast::EffectOp::Add | ast::EffectOp::Subtract)
            && self.rules.fields.iter().any(|field| {
                field.name == effect.target.name.text && matches!(field.ty.present(), Type::Int(..))
            });
        let (label, help) = match adds {
            true => (
                "both count",
                "remove one of them; if both are meant, write one effect with twice the number",
            ),
            false => (
                "changes nothing more",
                "remove one of them; an effect that is to come after the other stands in `then { ... }`",
            ),
        };
        let title = format!("the effect `{text}` is written twice");
        let found = Diagnostic::new(Code::W0312, title, second, label);
        self.report(found.label(first, "the first time").help(help));
    }

    /// W0313: a condition that reads a field which effects before it in its stage set.
    fn conditions_after_effects(&mut self) {
        let mut suspects = Vec::new();
        for (item, own) in self.items() {
            if let ItemKind::Move(declared) = &item.kind
                && own
            {
                late_conditions(&declared.body, &mut Vec::new(), &mut suspects);
            }
        }
        for suspect in suspects {
            let condition = self.rules.moves.iter().find_map(|m| requirement(&m.body, suspect.condition));
            let Some(condition) = condition else { continue };
            let reads = |name: &str| {
                let is_read = |kind: &ExprKind| match kind {
                    ExprKind::Field(field, _) => self.rules.fields[*field].name == name,
                    _ => false,
                };
                self.rules.mentions(condition, &is_read)
            };
            let Some((name, effect)) = suspect.effects.iter().find(|(name, _)| reads(name)) else { continue };
            let title = format!("this condition reads `{name}` before the effects above it");
            let found = Diagnostic::new(
                Code::W0313,
                title,
                suspect.condition,
                format!("`{name}` before these effects"),
            );
            self.report(found.label(*effect, "the effects of a stage happen at once, after its conditions").help(
                "to test the result of the move, write `then { ensure ...; }`; otherwise put the condition first",
            ));
        }
    }

    /// W0341: the name of a move that all players see shows a field that not all see, and no effect makes it known.
    fn names_that_tell(&mut self) {
        let mut told = Vec::new();
        for mv in self.rules.moves.iter().filter(|mv| !mv.private && !mv.chance) {
            for part in &mv.template {
                let bouton_rules::TemplatePart::Placeholder(shown) = part else { continue };
                let mut term = shown;
                while let ExprKind::Present(inner) = &*term.kind {
                    term = inner;
                }
                let ExprKind::Field(field, _) = &*term.kind else { continue };
                let is_it = |kind: &ExprKind| matches!(kind, ExprKind::Field(of, _) if of == field);
                if !self.all_see(*field) && !self.is_handled(&mv.body, *field, &is_it) {
                    told.push((mv.span, shown.span, self.rules.fields[*field].name.clone()));
                }
            }
        }
        for (mv, shown, field) in told {
            let title = format!("the name of this move shows `{field}`, which not all players see");
            let found = Diagnostic::new(Code::W0341, title, shown, "part of the name");
            self.report(found.label(mv, "all players see this move").help(format!(
                "leave `{field}` out of the name; a move that is to show it copies it into a field that all players see"
            )));
        }
    }

    /// Returns true if all players see all of a field.
    pub(super) fn all_see(&self, field: FieldId) -> bool {
        match &self.rules.fields[field].visibility {
            Visibility::Public => true,
            Visibility::Hidden => false,
            Visibility::To(cells) => {
                let players = self.rules.players().len() as u32;
                cells.iter().all(|seen| (0..players).all(|player| seen.contains(&player)))
            }
        }
    }

    /// Returns true if an effect sets a field, or reads it.
    fn is_handled(&self, block: &Block, field: FieldId, is_it: &dyn Fn(&ExprKind) -> bool) -> bool {
        use bouton_rules::StmtKind as S;
        block.stmts.iter().any(|stmt| match &stmt.kind {
            S::Effect(effect) => effect.field == field || self.rules.mentions(&effect.value, is_it),
            S::Let(_, value) => self.rules.mentions(value, is_it),
            S::Then(inner) | S::For(_, inner) => self.is_handled(inner, field, is_it),
            S::If(_, yes, no) => self.is_handled(yes, field, is_it) || self.is_handled(no, field, is_it),
            _ => false,
        })
    }

    /// W0313: an `if` that compares a number which an effect above it changes.
    fn early_branches(&mut self) {
        let mut found = Vec::new();
        for (item, own) in self.items() {
            match &item.kind {
                ItemKind::Move(declared) if own => early_branches(&declared.body, &mut found),
                ItemKind::EveryMove(body) | ItemKind::Effect { body, .. } if own => {
                    early_branches(body, &mut found)
                }
                _ => {}
            }
        }
        let told: Vec<Span> = found.iter().map(|branch| branch.condition).collect();
        self.early_reads(&told);
        for EarlyBranch { condition, effect, target, now } in found {
            let title = format!("this `if` reads `{target}` before the effect above it");
            let label = format!("`{target}` before these effects");
            let diagnostic = Diagnostic::new(Code::W0313, title, condition, label);
            self.report(diagnostic.label(effect, "all effects of a stage read the position before it").help(
                format!(
                    "compare the result, `{now}`, or read it in the next stage: `then {{ if ... {{ ... }} }}`; if the old \
                     value is meant, put the `if` above the effect"
                ),
            ));
        }
    }

    /// W0111 for fields that are written and never read, W0410 for fields that never change.
    fn fields_unread_or_constant(&mut self) {
        let fields: Vec<FieldId> = self.rules.fields.ids().collect();
        for id in fields {
            if id == MOVER || id == PHASE {
                continue;
            }
            let field = &self.rules.fields[id];
            let own = self.symbols.get(field.name.as_str()).is_none_or(|s| s.own);
            // A field of one value costs nothing: a parameter switches it off.
            let alone = self.rules.type_size(&field.ty) == Some(1) || field.cells() == 0;
            if !own || alone || field.name.starts_with('_') {
                continue;
            }
            let is_hidden = field.visibility == Visibility::Hidden;
            match (self.written_fields.get(&id).copied(), self.fields_read_by_rules.contains(&id)) {
                (None, _) => {
                    let found = self.unset_field(id);
                    self.report(found);
                }
                // What players see tells them of what is hidden, whether the rules read it or not.
                (Some(_), false) if self.rules.has_hidden_information() && !is_hidden => {}
                (Some(at), false) => {
                    let found = self.unread_field(id);
                    self.report(found.label(at, "written here"));
                }
                _ => {}
            }
        }
    }
}

/// The effect that takes another one back, in words: `pot -= k` for `pot += k`.
fn opposite_effect(effect: &ast::Effect, text: &str) -> Option<String> {
    let [sign, opposite] = match effect.op {
        ast::EffectOp::Add => [" += ", " -= "],
        ast::EffectOp::Subtract => [" -= ", " += "],
        _ => return None,
    };
    let (target, value) = text.split_once(sign)?;
    Some(format!("{target}{opposite}{value}"))
}

/// Returns true for 0, and for a product with 0.
fn is_zero(value: &ast::Expr) -> bool {
    match &*value.bare().kind {
        ast::ExprKind::Number(digits) => digits.parse() == Ok(0),
        ast::ExprKind::Binary(ast::BinaryOp::Multiply, a, b) => is_zero(a) || is_zero(b),
        _ => false,
    }
}

pub(super) fn claim_names<'e>(expect: &'e ast::Expect, out: &mut HashSet<&'e str>) {
    use ast::ClaimKind as C;
    expect.settings.iter().for_each(|s| expr_names(&s.value, out));
    match &expect.claim.kind {
        C::Positions(_, e) | C::Nimber(_, e) | C::Value(_, e) => expr_names(e, out),
        C::Moves(e) | C::Legal(e) | C::Illegal(e) | C::Holds(e) => expr_names(e, out),
        C::Wins { player, .. } | C::Loses { player, .. } => expr_names(player, out),
        C::Perft { .. } | C::Draw | C::SolvedIn(_) => {}
    }
}

/// Collects the names that a step of a test uses.
pub(super) fn step_names<'e>(step: &'e ast::TestStep, out: &mut HashSet<&'e str>) {
    match step {
        ast::TestStep::Expect(expect) => claim_names(expect, out),
        ast::TestStep::Play(moves, _) => moves.iter().for_each(|m| expr_names(m, out)),
        ast::TestStep::Position(effects, _) => effects.iter().for_each(|e| expr_names(&e.value, out)),
    }
}

/// Collects the names that an expression uses.
pub(super) fn expr_names<'e>(expr: &'e ast::Expr, out: &mut HashSet<&'e str>) {
    use ast::ExprKind as A;
    let binders = |binders: &'e [ast::Binder], out: &mut HashSet<&'e str>| {
        for binder in binders {
            expr_names(&binder.domain, out);
            binder.condition.iter().for_each(|c| expr_names(c, out));
        }
    };
    match &*expr.kind {
        A::Name(name) => {
            out.insert(name);
        }
        A::Number(_) | A::Str(_) | A::Text(_) | A::Bool(_) | A::None | A::Error => {}
        A::Unary(_, e) | A::Paren(e) | A::Part(e, _) => expr_names(e, out),
        A::Binary(_, a, b) | A::Range(a, b) | A::Let(_, a, b) => {
            [a, b].into_iter().for_each(|e| expr_names(e, out))
        }
        A::Compare(first, rest) => {
            expr_names(first, out);
            rest.iter().for_each(|(_, e)| expr_names(e, out));
        }
        A::Call(e, args) | A::Index(e, args) => {
            expr_names(e, out);
            args.iter().for_each(|a| expr_names(a, out));
        }
        A::Quant(_, bs, e) | A::Comprehension(e, bs) => {
            binders(bs, out);
            expr_names(e, out);
        }
        A::If(a, b, c) => [a, b, c].into_iter().for_each(|e| expr_names(e, out)),
        A::Match(e, arms) => {
            expr_names(e, out);
            for arm in arms {
                arm.pattern.iter().for_each(|p| expr_names(p, out));
                expr_names(&arm.value, out);
            }
        }
        A::Diagram(picture, arms) => {
            if let ast::Picture::Named(name) = picture {
                out.insert(&name.text);
            }
            arms.iter().for_each(|(_, e)| expr_names(e, out));
        }
        A::Filter(binder) => binders(std::slice::from_ref(binder), out),
        A::Set(items) | A::List(items) | A::Tuple(items) => items.iter().for_each(|e| expr_names(e, out)),
    }
}

/// A condition below effects of its stage.
struct LateCondition<'a> {
    condition: Span,
    /// The fields that the effects above it set, and the places of the effects.
    effects: Vec<(&'a str, Span)>,
}

/// Collects the conditions of a block, and of its later stages, that stand below effects of their stage.
fn late_conditions<'a>(
    block: &'a ast::StmtBlock,
    effects: &mut Vec<(&'a str, Span)>,
    found: &mut Vec<LateCondition<'a>>,
) {
    // The fields that an `if` before has set.
    let mut branched: Vec<&str> = Vec::new();
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Effect(effect) => effects.push((&effect.target.name.text, stmt.span)),
            StmtKind::When(condition) | StmtKind::Ensure(condition) if !effects.is_empty() => {
                found.push(LateCondition { condition: condition.span, effects: effects.clone() });
            }
            StmtKind::Then(inner) => late_conditions(inner, &mut Vec::new(), found),
            StmtKind::For(_, inner) => late_conditions(inner, effects, found),
            // The effects of one `if` are not above the conditions of another: often only one of them is reached.
            StmtKind::If(_, yes, no) => {
                let own: Vec<_> =
                    effects.iter().filter(|(name, _)| !branched.contains(name)).copied().collect();
                let mut of_branches = Vec::new();
                for branch in [Some(yes), no.as_ref()].into_iter().flatten() {
                    let mut above = own.clone();
                    late_conditions(branch, &mut above, found);
                    of_branches.extend(above.into_iter().skip(own.len()));
                }
                branched.extend(of_branches.iter().map(|(name, _)| *name));
                effects.extend(of_branches);
            }
            _ => {}
        }
    }
}

/// The condition at a place in a block.
fn requirement(block: &Block, place: Span) -> Option<&Expr> {
    block.stmts.iter().find_map(|stmt| match &stmt.kind {
        bouton_rules::StmtKind::Require(condition) => Some(condition).filter(|_| condition.span == place),
        bouton_rules::StmtKind::Then(inner) | bouton_rules::StmtKind::For(_, inner) => {
            requirement(inner, place)
        }
        bouton_rules::StmtKind::If(_, yes, no) => requirement(yes, place).or_else(|| requirement(no, place)),
        _ => None,
    })
}

/// An `if` that compares a number which an effect of its stage changes.
struct EarlyBranch {
    condition: Span,
    effect: Span,
    /// The number, as written.
    target: String,
    /// The number after the effect.
    now: String,
}

/// Collects the branches of a block, and of its later stages, that compare a number changed above them.
fn early_branches(block: &ast::StmtBlock, found: &mut Vec<EarlyBranch>) {
    let mut changes: Vec<(String, String, Span)> = Vec::new();
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Effect(effect) => {
                let text = print_effect(effect);
                let change =
                    [" += ", " -= "].iter().find_map(|sign| text.split_once(sign).map(|of| (of, sign)));
                if let Some(((target, _), sign)) = change {
                    let is_sum =
                        matches!(&*effect.value.kind, ast::ExprKind::Binary(..) | ast::ExprKind::If(..));
                    let value = bouton_syntax::print_expr(&effect.value);
                    let value = if is_sum { format!("({value})") } else { value };
                    let now = format!("{target} {} {value}", &sign[1..2]);
                    changes.push((target.to_owned(), now, stmt.span));
                }
            }
            StmtKind::If(condition, yes, no) => {
                if let ast::ExprKind::Compare(left, rest) = &*condition.bare().kind
                    && let [(ast::CmpOp::Equal | ast::CmpOp::DoubleEqual, value)] = &rest[..]
                    && let ast::ExprKind::Number(_) = &*value.bare().kind
                {
                    let compared = bouton_syntax::print_expr(left);
                    let changed = changes.iter().find(|(target, ..)| *target == compared);
                    found.extend(changed.map(|(target, now, effect)| EarlyBranch {
                        condition: condition.span,
                        effect: *effect,
                        target: target.clone(),
                        now: format!("{now} = {}", bouton_syntax::print_expr(value)),
                    }));
                }
                early_branches(yes, found);
                no.iter().for_each(|no| early_branches(no, found));
            }
            StmtKind::Then(inner) | StmtKind::For(_, inner) => early_branches(inner, found),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn titles(effects: &str) -> Vec<String> {
        let text = format!(
            "game \"Idle\"; players A, B; state {{ pot: 0..9 = 9; score[p: Player]: 0..99 = 0; }}
             move take(k: 1..3) as \"{{k}}\" {{ when k <= pot; pot -= k; {effects} }}
             end {{ when pot = 0 => highest score; }}"
        );
        found(&text, Code::W0312).into_iter().map(|found| found.title).collect()
    }

    #[test]
    fn tables_are_confused_with_others() {
        let help = |other: &str| {
            let text = format!(
                "game \"Words\"; players A, B; enum W {{ ox, emu }} enum L {{ o, x, e, u }}
                 const starts[w: W]: L = match w {{ ox => o, emu => e }};
                 const finish[w: W]: {other};
                 state {{ used: set of W = {{}}; last: L? = none; }}
                 move say(w: W) as \"{{w}}\" {{ when w not in used and starts[w] != last; used |= {{ w }}; last := starts[w]; }}
                 play normal;"
            );
            found(&text, Code::W0111).remove(0).help.unwrap_or_default()
        };
        let meant = "`starts` has the same keys and values: is `finish` meant at one of its uses?";
        assert!(help("L = match w { ox => x, emu => u }").starts_with(meant));
        assert!(help("1..3 = match w { ox => 2, emu => 3 }").starts_with("remove it"));
    }

    #[test]
    fn effects_change_something() {
        assert_eq!(titles("score[me] += k * 0;"), ["the effect `score[me] += k * 0` changes nothing"]);
        assert_eq!(titles("pot += k;"), ["the effects `pot -= k` and `pot += k` undo each other"]);
        for effects in
            ["score[me] += k;", "pot += 1;", "then { pot += k; }", "score[me] += k; score[opponent] -= k;"]
        {
            assert_eq!(titles(effects), [""; 0], "{effects}");
        }
    }
}
