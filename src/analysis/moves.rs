//! Moves, chance events, phases, passes.

use super::analyzer::Analyzer;
use super::index::DefinitionKind;
use super::locals::{ExprPlace, Locals};
use super::stmts::MoveScope;
use super::symbols::SymbolKind;
use super::types::LIST_LIMIT;
use bouton_base::id::Id;
use bouton_base::source::Span;
use bouton_rules::{
    Actor, Block, Expr, FieldId, Move, PLAYER, Param, PassRule, PhaseId, StmtKind, TemplatePart, Type, VarId,
};
use bouton_syntax::ast::{self, ItemKind, Name};
use bouton_syntax::diag::{Code, Diagnostic};

/// The maximal number of instances of one move; every position would enumerate them.
const INSTANCE_LIMIT: u128 = 1_000_000;

impl<'a> Analyzer<'a> {
    /// Elaborates the actors of phases, all moves and the pass; then reports phases that lack moves.
    pub fn moves(&mut self) {
        self.actors();
        let turn = self.rules.turn_phase();
        self.entered_phases.push(turn);
        let items: Vec<_> = self.items().collect();
        let every: Vec<&'a ast::StmtBlock> = items
            .iter()
            .filter_map(|(item, _)| match &item.kind {
                ItemKind::EveryMove(block) => Some(block),
                _ => None,
            })
            .collect();
        for (item, _) in &items {
            match &item.kind {
                ItemKind::Move(m) => self.move_(m, &item.doc, &every),
                ItemKind::Pass(condition) => self.pass(condition.as_ref(), item.span),
                _ => {}
            }
        }
        // After a misspelt phase, a missing one is only a consequence.
        if self.options.damaged || self.diagnostics.iter().any(|d| d.code == Code::E0322) {
            return;
        }
        if self.rules.moves.is_empty() {
            if self.rules.span.is_none() {
                return;
            }
            let span = self.game_span();
            let found = Diagnostic::new(Code::E0321, "the game has no moves", span, "nobody can do anything");
            self.report(found.help("add a `move`"));
            return;
        }
        self.phases_without_play();
        self.deals_before_the_setup();
        self.phases_of_all_with_one_player();
        self.passes_without_a_turn();
    }

    fn actors(&mut self) {
        let phases: Vec<&'a ast::PhaseDecl> = self
            .items()
            .filter_map(|(item, _)| match &item.kind {
                ItemKind::Phases(phases) => Some(phases.iter()),
                _ => None,
            })
            .flatten()
            .collect();
        for (index, phase) in phases.iter().enumerate() {
            if let Some(first) = phases[..index].iter().find(|p| p.name.text == phase.name.text) {
                let title = format!("the phase `{}` is declared twice", phase.name.text);
                let found = Diagnostic::new(Code::E0103, title, phase.name.span, "the second time");
                self.report(found.label(first.name.span, "the first"));
            }
            let actor = match &phase.actor {
                None => Actor::Mover,
                Some(ast::Actor::Each(_)) => Actor::Each,
                Some(ast::Actor::Chance(_)) => Actor::Chance,
                Some(ast::Actor::Player(e)) => {
                    let mut locals = Locals::new(ExprPlace::Rule);
                    let player = self.player_or_players(e, &mut locals);
                    self.check_one_player(&player, e.span);
                    Actor::Player(player)
                }
            };
            self.rules.phases[PhaseId::new(index)].actor = actor;
        }
    }

    /// Reports a set of several players as the one who acts in a phase.
    fn check_one_player(&mut self, player: &Expr, span: Span) {
        let Some(bouton_rules::Value::Set(players)) = player.constant() else { return };
        if players.len() == 1 {
            return;
        }
        let title = "one player acts in a phase, and this is a set of players";
        let label = format!("{} players", players.len());
        let found = Diagnostic::new(Code::E0201, title, span, label);
        let found = match players.len() == self.rules.players().len() {
            true => found.help("where all choose at once, write `by each`").edit(span, "each"),
            false => found.help("name one player; where all choose at once, write `by each`"),
        };
        self.report(found);
    }

    /// An expression for a player or a set of players.
    pub fn player_or_players(&mut self, words: &ast::Expr, locals: &mut Locals) -> Expr {
        let made = self.expr(words, Some(&Type::Sym(PLAYER)), locals);
        let made = self.present(made);
        let fits = match made.ty.base() {
            Type::Set(inner) => *inner.base() == Type::Sym(PLAYER),
            other => *other == Type::Sym(PLAYER) || *other == Type::Error,
        };
        if !fits {
            let name = made.constant().and_then(|value| match value {
                bouton_rules::Value::Text(text) => Some(text.to_string()),
                _ => None,
            });
            match name.filter(|name| self.rules.players().contains(name)) {
                Some(name) => {
                    let title = "expected a player or a set of players, found a string";
                    let found = Diagnostic::new(Code::E0201, title, words.span, "this is a string");
                    self.report(found.help(format!("write `{name}` without quotes")).edit(words.span, name));
                }
                None => {
                    self.wrong_type(words.span, "a player or a set of players", &made.ty.clone());
                    self.advise_on_value(words, &made.ty, &Type::Sym(PLAYER), locals);
                    self.players_in_braces(words, &made.ty);
                }
            }
            return self.poison(words.span);
        }
        made
    }

    fn move_(&mut self, m: &'a ast::MoveDecl, doc: &[String], every: &[&'a ast::StmtBlock]) {
        let place = if m.chance { ExprPlace::Chance } else { ExprPlace::Move };
        let mut locals = Locals::new(place);
        // `by` is evaluated before the instance is known, so the parameters are not in scope.
        let by = match &m.by {
            Some(ast::Actor::Player(e)) if m.chance => {
                let title = "chance throws this event: no player makes it";
                let player = bouton_syntax::print_expr(e);
                let found = Diagnostic::new(Code::E0006, title, e.span, "not by a player");
                self.report(found.help(format!(
                    "leave out `by {player}`; who moves next says `next {player};`, and who sees a field `visible to {player}`"
                )));
                None
            }
            Some(ast::Actor::Player(e)) => Some(self.player_or_players(e, &mut locals)),
            Some(actor @ (ast::Actor::Each(span) | ast::Actor::Chance(span))) => {
                let title = "a phase says who acts so; a move says which player may make it";
                let example = match actor {
                    ast::Actor::Each(_) => "choose by each",
                    _ => "roll by chance",
                };
                let label = format!("write it at the phase: `phases {{ {example}; }}`");
                self.error(Code::E0006, title, *span, label);
                None
            }
            None => None,
        };
        let first = self.diagnostics.len();
        let params = self.move_params(m, &mut locals);
        let phases = self.move_phases(m);
        self.check_chance(m, &phases);
        // Where all choose at once, the others see the move only after their own.
        if m.private || !phases.iter().any(|phase| matches!(self.rules.phases[*phase].actor, Actor::Each)) {
            self.told_to_all(m, &m.body.stmts);
        }
        let mut scope = MoveScope { phases: &phases, calls: Vec::new() };
        let (weight, stmts) = self.take_weight(m);
        let mut body = self.stmts(&stmts, &mut locals, &mut scope);
        let weight = weight.map(|w| self.weight(w, &mut locals));
        self.parameters_without_effect(m, &locals);
        let template = self.template(m, &params, &mut locals);
        let prefer = m.prefer.as_ref().map(|e| {
            let e = self.expr(e, None, &mut locals);
            self.as_number(e)
        });
        self.unused_move_names(m, &locals);
        if self.parameters_of_one_name(&m.params, first) {
            // How many arguments a claim gives is then unknown as well.
            params.iter().for_each(|param| locals.vars[param.var].ty = Type::Error);
        }
        locals.stack.clear();
        if !m.chance {
            for block in every {
                self.add_every(block, &mut body, &mut locals, &mut scope);
            }
        }
        let name = self.global_name(&m.name);
        let id = self.rules.moves.push(Move {
            name: name.to_string(),
            chance: m.chance,
            mandatory: m.mandatory,
            private: m.private,
            forcing: m.forcing,
            params,
            vars: locals.vars,
            by,
            phases,
            weight,
            prefer,
            template,
            body,
            doc: doc.to_vec(),
            span: m.name.span,
        });
        if let Some(SymbolKind::Move { id: known }) = self.symbols.get_mut(name).map(|s| &mut s.kind) {
            known.get_or_insert(id);
        }
    }

    fn move_params(&mut self, m: &ast::MoveDecl, locals: &mut Locals) -> Vec<Param> {
        let mut sizes: Vec<u128> = Vec::new();
        let mut params = Vec::new();
        for bind in &m.params {
            let ty = self.parameter_of_the_position(m, bind).unwrap_or_else(|| self.ty(&bind.ty));
            // Values that are too many for a move are counted and not listed.
            let count =
                self.rules.type_size(&ty).filter(|size| (INSTANCE_LIMIT..=LIST_LIMIT as u128).contains(size));
            let values = match count {
                Some(_) => Default::default(),
                None => self.domain_values(&ty, bind.ty.span),
            };
            sizes.push(count.unwrap_or(values.len() as u128));
            self.shadows(&bind.name, locals);
            self.names.define(&bind.name, DefinitionKind::Variable, &ty);
            let var = locals.add(&bind.name.text, ty, bind.name.span);
            params.push(Param { var, values });
        }
        let instances = sizes.iter().fold(1u128, |product, size| product.saturating_mul(*size));
        if instances > INSTANCE_LIMIT {
            let sizes: Vec<String> = sizes.iter().map(u128::to_string).collect();
            let title = format!("the move `{}` has {} instances", m.name.text, sizes.join(" x "));
            let found = Diagnostic::new(Code::E0403, title, m.name.span, format!("{instances} in all"));
            self.report(
                found.help("let one parameter follow from the others: `let` in place of a parameter"),
            );
        }
        params
    }

    fn move_phases(&mut self, m: &ast::MoveDecl) -> Vec<PhaseId> {
        if m.phases.is_empty() {
            return vec![self.rules.turn_phase()];
        }
        m.phases.iter().filter_map(|name| self.phase_named(name)).collect()
    }

    /// W0341: a move or event that all players see puts its parameter into a field that not all see.
    fn told_to_all(&mut self, m: &ast::MoveDecl, stmts: &[ast::Stmt]) {
        if m.private {
            self.private_in_vain(m, stmts);
            return;
        }
        let (what, word, who) = match m.chance {
            true => ("event", "chance", "nobody sees"),
            false => ("move", "move", "only who makes it knows"),
        };
        for stmt in stmts {
            match &stmt.kind {
                ast::StmtKind::Effect(effect) => {
                    let param =
                        effect.value.as_name().and_then(|name| m.params.iter().find(|p| p.name.text == name));
                    let key = self.find(&effect.target.name.text, effect.target.name.span);
                    let field = key.and_then(|key| self.field_of(key));
                    let (Some(param), Some(field)) = (param, field) else { continue };
                    if self.all_see(field) {
                        continue;
                    }
                    let (name, param) = (&self.rules.fields[field].name, &param.name.text);
                    let title = format!("all players see this {what}, and so what it puts into `{name}`");
                    let found = Diagnostic::new(Code::W0341, title, m.name.span, "not private");
                    let found = found.label(effect.target.span, "not all players see this");
                    self.report(found.help(format!(
                        "write `private {word} {}(...)`: then {who} `{param}`, and each player sees his own fields",
                        m.name.text
                    )));
                    return;
                }
                ast::StmtKind::If(_, yes, no) => {
                    self.told_to_all(m, &yes.stmts);
                    if let Some(no) = no {
                        self.told_to_all(m, &no.stmts);
                    }
                }
                ast::StmtKind::For(_, block) | ast::StmtKind::Then(block) => {
                    self.told_to_all(m, &block.stmts)
                }
                _ => {}
            }
        }
    }

    /// W0341: a private move or event that puts all its parameters into fields that all players see.
    fn private_in_vain(&mut self, m: &ast::MoveDecl, stmts: &[ast::Stmt]) {
        // What a field that is not read says of who sees it is unknown.
        if self.options.damaged {
            return;
        }
        let mut shown: Vec<(&str, FieldId, Span)> = Vec::new();
        let mut effects = Vec::new();
        effects_of_all_stages(stmts, &mut effects);
        if let Some(found) = self.open_hands(m, &effects) {
            self.report(found);
            return;
        }
        for effect in effects {
            let target = &effect.target;
            let field = self.find(&target.name.text, target.name.span).and_then(|key| self.field_of(key));
            let (Some(name), Some(field)) = (effect.value.as_name(), field) else { continue };
            if effect.op == ast::EffectOp::Set && self.all_see(field) {
                shown.push((name, field, target.span));
            }
        }
        let place_of = |param: &ast::Bind| shown.iter().find(|(name, ..)| *name == param.name.text);
        let Some((param, field, place)) = m.params.first().and_then(place_of) else { return };
        // A cell that is written twice may show something else in the end.
        let mut targets = Vec::new();
        field_targets(stmts, &mut targets);
        let is_once = |place: &Span| {
            let Some(own) = targets.iter().find(|target| target.span == *place) else { return false };
            let is_apart = |other: &&ast::Target| {
                other.span == own.span || other.name.text != own.name.text || self.are_other_cells(own, other)
            };
            targets.iter().all(is_apart)
        };
        if !m.params.iter().all(|param| place_of(param).is_some_and(|(_, _, place)| is_once(place))) {
            return;
        }
        let (name, word) = (&self.rules.fields[*field].name, if m.chance { "event" } else { "move" });
        let title = format!("all players see `{name}`, and so what this private {word} puts into it");
        let found = Diagnostic::new(Code::W0341, title, *place, "all players see this");
        let found = found.label(m.name.span, "private");
        self.report(found.help(match m.chance {
            true => format!("`private` hides the event alone: declare who sees `{name}`, `... visible to PLAYER` or `... hidden`"),
            false => format!(
                "`private` hides the move alone: declare who sees `{name}`, `... visible to PLAYER`, where `{param}` is to be a \
                 secret"
            ),
        }));
    }

    /// Returns true for two cells of a field whose keys name different players or other known values.
    fn are_other_cells(&self, one: &ast::Target, other: &ast::Target) -> bool {
        let ([ast::Access::Index(a)], [ast::Access::Index(b)]) = (&one.path[..], &other.path[..]) else {
            return false;
        };
        let known = |key: &ast::Expr| key.as_name().is_some_and(|name| self.members.contains_key(name));
        a.iter().zip(b).any(|(a, b)| known(a) && known(b) && a.as_name() != b.as_name())
    }

    /// Checks that chance events belong to phases by chance, and moves to the others.
    fn check_chance(&mut self, m: &ast::MoveDecl, phases: &[PhaseId]) {
        for &phase in phases {
            let by_chance = matches!(self.rules.phases[phase].actor, Actor::Chance);
            if by_chance == m.chance {
                continue;
            }
            if m.phases.is_empty() && (self.is_turn_of_a_deal(m) || self.is_of_another_phase(m)) {
                return;
            }
            let declared = self.rules.phases[phase].span;
            let name = &self.rules.phases[phase].name;
            let (title, help) = if m.chance && name.is_empty() {
                let title = format!("`{}` is thrown by chance, and no phase is by chance", m.name.text);
                let help = format!(
                    "declare the phases, `phases {{ throw by chance; act; }}`, and say when it comes: `chance {}(...) in throw`",
                    m.name.text
                );
                (title, help)
            } else if m.chance {
                let title =
                    format!("`{}` is thrown by chance, and the phase `{name}` is not by chance", m.name.text);
                (title, format!("declare the phase as `{name} by chance;`"))
            } else {
                let title =
                    format!("`{}` is a player's move, and the phase `{name}` is by chance", m.name.text);
                (title, "write `chance` in place of `move`, or name another phase".to_string())
            };
            let found = Diagnostic::new(Code::E0321, title, m.name.span, "");
            let found = if name.is_empty() { found } else { found.label(declared, "the phase") };
            self.report(found.help(help));
            return;
        }
    }

    /// Reports a move or an event without `in`, if exactly one phase is for such and no move names it; returns true then.
    fn is_of_another_phase(&mut self, m: &ast::MoveDecl) -> bool {
        let named: Vec<&str> = self
            .items()
            .filter_map(|(item, _)| match &item.kind {
                ItemKind::Move(other) => Some(other.phases.iter().map(|name| name.text.as_str())),
                _ => None,
            })
            .flatten()
            .collect();
        let turn = self.rules.turn_phase();
        let is_waiting = |(id, phase): &(PhaseId, &bouton_rules::Phase)| {
            matches!(phase.actor, Actor::Chance) == m.chance
                && *id != turn
                && !named.contains(&phase.name.as_str())
        };
        let waiting: Vec<(PhaseId, bouton_rules::Phase)> =
            self.rules.phases.entries().filter(is_waiting).map(|(id, phase)| (id, phase.clone())).collect();
        let [(id, phase)] = &waiting[..] else { return false };
        let name = &m.name.text;
        let (what, form) = match m.chance {
            true => ("thrown by chance", format!("chance {name}(...) in {}", phase.name)),
            false => ("a player's move", format!("move {name}(...) in {}", phase.name)),
        };
        let title =
            format!("`{name}` is {what}, and does not say in which phase: without `in` it is the turn");
        let found = Diagnostic::new(Code::E0321, title, m.name.span, "in no phase by name");
        let found = found.label(phase.span, "this phase has no moves");
        let found = found.help(format!("write `{form}`"));
        let found = found.edit(m.body.span.at_start(), format!("in {} ", phase.name));
        self.awaited_phases.push(*id);
        self.report(found);
        true
    }

    /// Takes `weight e;` out of the body of an event, since it is no effect.
    fn take_weight(&mut self, m: &'a ast::MoveDecl) -> (Option<&'a ast::Expr>, Vec<ast::Stmt>) {
        let mut weight = None;
        let mut rest = Vec::new();
        for stmt in &m.body.stmts {
            match &stmt.kind {
                ast::StmtKind::Weight(e) if m.chance => weight = Some(e),
                ast::StmtKind::Weight(_) => {
                    let title = "a player's move has no weight";
                    self.error(Code::E0006, title, stmt.span, "only `chance` events have");
                }
                _ => rest.push(stmt.clone()),
            }
        }
        (weight, rest)
    }

    /// The `match` with a weight for each member of the only `enum` that is thrown, if they are as many.
    fn weights_of_members(&self, weights: &[ast::Expr], locals: &Locals) -> Option<String> {
        let mut thrown = locals.stack.iter().filter_map(|local| match local.ty.base() {
            Type::Sym(id) => Some((&local.name, &self.rules.enums[*id].members)),
            _ => None,
        });
        let (name, members) = thrown.next().filter(|(_, members)| members.len() == weights.len())?;
        if thrown.next().is_some() {
            return None;
        }
        let arm = |(member, weight)| format!("{member} => {}", bouton_syntax::print_expr(weight));
        let arms: Vec<String> = members.iter().zip(weights).map(arm).collect();
        Some(format!("match {name} {{ {} }}", arms.join(", ")))
    }

    fn weight(&mut self, words: &ast::Expr, locals: &mut Locals) -> Expr {
        if let ast::ExprKind::List(values) = &*words.bare().kind {
            let n = values.len() as i64;
            let thrown = locals.stack.iter().find(|local| local.ty == Type::Int(1, n));
            let title = "a weight is a number, which may depend on what is thrown";
            let found = Diagnostic::new(Code::E0201, title, words.span, "a list of numbers");
            let list = bouton_syntax::print_expr(words.bare());
            self.report(match thrown.map(|local| local.name.clone()) {
                Some(name) => found
                    .help(format!("the one of each throw is `{list}[{name}]`"))
                    .edit(words.span.at_end(), format!("[{name}]")),
                None if let Some(new) = self.weights_of_members(values, locals) => {
                    found.help(format!("write the weight of each: `{new}`")).edit(words.span, new)
                }
                None => found
                    .help(format!("the one of each throw is `{list}[...]`, with its number from 1 to {n}")),
            });
            locals.stack.iter_mut().for_each(|local| local.used = true);
            return self.poison(words.span);
        }
        locals.exact = true;
        let made = self.expr(words, Some(&Type::Ratio), locals);
        locals.exact = false;
        self.floored_fractions(words);
        self.as_number(made)
    }

    fn template(&mut self, m: &'a ast::MoveDecl, params: &[Param], locals: &mut Locals) -> Vec<TemplatePart> {
        let Some(template) = &m.template else {
            return plain_template(self.global_name(&m.name), m.name.span, params, locals);
        };
        let mut parts = Vec::new();
        for part in &template.parts {
            if let ast::TemplatePart::Text(text) = part {
                self.one_line("move", text, template.span);
            }
            parts.push(match part {
                ast::TemplatePart::Text(text) => TemplatePart::Text(text.clone()),
                ast::TemplatePart::Placeholder(e) => TemplatePart::Placeholder(self.expr(e, None, locals)),
            });
        }
        parts
    }

    /// Reports a name with a line feed or another control character, which would break the lines that show it.
    pub(super) fn one_line(&mut self, of: &str, name: &str, span: Span) {
        if name.chars().any(char::is_control) {
            let title = format!("the name of a {of} is one line of text");
            let found =
                Diagnostic::new(Code::E0201, title, span, "a line feed, or another control character");
            self.report(found.help("put a blank in its place"));
        }
    }

    fn unused_move_names(&mut self, m: &ast::MoveDecl, locals: &Locals) {
        self.unused_params(locals, &m.params);
        let lets: Vec<Name> = locals
            .stack
            .iter()
            .skip(m.params.len())
            .filter(|l| !l.used && !l.name.starts_with('_'))
            .map(|l| Name { text: l.name.clone(), span: l.span })
            .collect();
        for name in lets {
            let found =
                Diagnostic::new(Code::W0111, format!("`{}` is never used", name.text), name.span, "not used");
            self.report(found.help("remove it; a `let` whose name begins with `_` only makes the move illegal where it is undefined"));
        }
    }

    /// Adds an `every move`: its conditions and effects join the first stage, its stages come after the last.
    fn add_every(
        &mut self,
        block: &ast::StmtBlock,
        body: &mut Block,
        locals: &mut Locals,
        scope: &mut MoveScope,
    ) {
        let made = self.stmts(&block.stmts, locals, scope);
        locals.stack.clear();
        let (stages, first): (Vec<_>, Vec<_>) =
            made.stmts.into_iter().partition(|s| s.kind.any(&|of| matches!(of, StmtKind::Then(_))));
        let at =
            body.stmts.iter().position(|s| matches!(s.kind, StmtKind::Then(_))).unwrap_or(body.stmts.len());
        body.stmts.splice(at..at, first);
        body.stmts.extend(stages);
    }

    fn pass(&mut self, condition: Option<&ast::Expr>, span: Span) {
        let mut locals = Locals::new(ExprPlace::Rule);
        let condition = condition.map(|c| self.formula(c, &mut locals));
        self.rules.pass = Some(PassRule { condition, span });
    }
}

/// The default template: `name(x, y)`, or `name` alone.
fn plain_template(name: &str, span: Span, params: &[Param], locals: &Locals) -> Vec<TemplatePart> {
    let mut parts = vec![TemplatePart::Text(name.to_string())];
    let hole = |var: VarId| {
        let ty = locals.vars[var].ty.clone();
        TemplatePart::Placeholder(Expr::new(bouton_rules::ExprKind::Var(var), ty, span))
    };
    for (i, param) in params.iter().enumerate() {
        parts.push(TemplatePart::Text(if i == 0 { "(" } else { ", " }.into()));
        parts.push(hole(param.var));
    }
    if !params.is_empty() {
        parts.push(TemplatePart::Text(")".into()));
    }
    parts
}

/// Collects the effects that statements always have, with those of later stages.
fn effects_of_all_stages<'s>(stmts: &'s [ast::Stmt], found: &mut Vec<&'s ast::Effect>) {
    for stmt in stmts {
        match &stmt.kind {
            ast::StmtKind::Effect(effect) => found.push(effect),
            ast::StmtKind::Then(stage) => effects_of_all_stages(&stage.stmts, found),
            _ => {}
        }
    }
}

/// Collects the targets of all effects, in all blocks.
fn field_targets<'s>(stmts: &'s [ast::Stmt], found: &mut Vec<&'s ast::Target>) {
    for stmt in stmts {
        match &stmt.kind {
            ast::StmtKind::Effect(effect) => found.push(&effect.target),
            ast::StmtKind::If(_, yes, no) => {
                field_targets(&yes.stmts, found);
                no.iter().for_each(|no| field_targets(&no.stmts, found));
            }
            ast::StmtKind::For(_, block) | ast::StmtKind::Then(block) => field_targets(&block.stmts, found),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;
    use bouton_syntax::diag::Code;

    fn titles(seen: &str, body: &str) -> Vec<String> {
        let text = format!(
            "game \"Secrets\"; players Ann, Bob; phases {{ hide; guess; }}
             state {{ spot: 0..3 = 0 {seen}; side: 0..3 = 0; guessed: 0..3 = 0; }}
             private move put(k: 1..3) in hide as \"{{k}}\" {{ {body} continue guess; next opponent; }}
             move say(k: 1..3) in guess as \"{{k}}\" {{ guessed := k; }}
             end {{ when guessed != 0 and guessed = spot and side < 9 => Bob wins; when guessed != 0 => Ann wins; }}"
        );
        found(&text, Code::W0341).into_iter().map(|found| found.title).collect()
    }

    #[test]
    fn private_moves_hide_no_fields() {
        let told = "all players see `spot`, and so what this private move puts into it";
        assert_eq!(titles("", "spot := k;"), [told]);
        assert_eq!(titles("visible to Player", "side := 1; spot := k;"), [told]);
        assert_eq!(titles("visible to Ann", "spot := k;"), [""; 0]);
        assert_eq!(titles("hidden", "spot := k; side := 1;"), [""; 0]);
        assert_eq!(titles("", "if k > 1 { spot := k; }"), [""; 0]);
        assert_eq!(titles("", "spot := k; then { spot := 1; }"), [""; 0]);
        assert_eq!(titles("", "side := 1; then { spot := k; }"), [told]);
        assert_eq!(titles("", "then { if side = 0 { spot := k; } }"), [""; 0]);
    }

    #[test]
    fn private_moves_of_all_hide_no_fields() {
        let titles = |seen: &str| {
            let text = format!(
                "game \"Bids\"; players Ann, Bob; phases {{ bid by each; }}
                 state {{ offer[p: Player]: 0..3 = 0 {seen}; }}
                 private move offers(k: 1..3) in bid as \"{{k}}\" {{ offer[me] := k; }}
                 end {{ when all p in Player: offer[p] > 0 => highest offer; }}"
            );
            found(&text, Code::W0341).into_iter().map(|found| found.title).collect::<Vec<_>>()
        };
        assert_eq!(titles(""), ["all players see `offer`, and so what this private move puts into it"]);
        assert_eq!(titles("visible to p"), [""; 0]);
    }

    #[test]
    fn private_deals_hide_no_fields() {
        let titles = |seen: &str, last: &str| {
            let text = format!(
                "game \"Deal\"; players Ann, Bob; phases {{ setup deal by chance; bet; }}
                 state {{ hand[p: Player]: 0..3 = 0 {seen}; over: bool = false; }}
                 private chance deals(a: 1..3, b: 1..3) in deal {{
                   when a != b; hand[Ann] := a; hand[{last}] := b; continue bet; }}
                 move show() in bet {{ over := true; }}
                 end {{ when over => highest hand; }}"
            );
            found(&text, Code::W0341).into_iter().map(|found| found.title).collect::<Vec<_>>()
        };
        assert_eq!(
            titles("", "Bob"),
            ["all players see `hand`, and so what this private event puts into it"]
        );
        assert_eq!(titles("visible to p", "Bob"), [""; 0]);
        assert_eq!(titles("", "other(mover)"), [""; 0]);
    }

    #[test]
    fn parameters_have_different_names() {
        let titles = |rest: &str| {
            let text = format!(
                "game \"Twice\"; param n: 5..9 = 9; players A, B; state {{ left: 0..9 = n; }} {rest} play normal;
                 test \"one\" with n = 8 {{ play take(1); }}"
            );
            let told = crate::testing::diagnostics_in_claims(&text);
            told.into_iter().map(|found| found.title).collect::<Vec<_>>()
        };
        let told = "two parameters are called `k`";
        let take = "move take(k: 1..2, k: Player) as \"{k}\" { when k <= left; left -= k; }";
        assert_eq!(titles(take), [told]);
        let fits =
            "def fits(k: 1..2, k: Player) = k <= left; move take(k: 1..2) { when k <= left; left -= k; }";
        assert_eq!(titles(fits), [told]);
        let other = "move take(_: 1..2, _: 1..2) { when left > 0; left -= 1; }";
        assert!(!titles(other).contains(&told.to_owned()));
    }

    #[test]
    fn no_player_makes_the_events_of_chance() {
        let count = |by: &str| {
            let text = format!(
                "game \"Deal\"; players Ann, Bob; phases {{ deal by chance; act; }} state {{ n: 0..3 = 0; last: 0..3 = 0; }}
                 chance throw(k: 1..3) in deal {by} as \"{{k}}\" {{ n := k; continue act; }}
                 move keep(k: 1..3) in act as \"{{k}}\" by Ann {{ when k <= n; last := k; }}
                 end {{ when last > 0 => payoff p: last; }}"
            );
            found(&text, Code::E0006).len()
        };
        assert_eq!([count(""), count("by Bob")], [0, 1]);
    }

    #[test]
    fn each_member_thrown_has_its_weight() {
        let text = "game \"Deal\"; players Ann, Bob; enum Card { low, high }
             phases { deal by chance; act; }
             state { card: Card = low; done: bool = false; }
             chance give(c: Card) in deal as \"{c}\" { weight [2, 1]; card := c; continue act; }
             move stop() in act as \"stop\" { done := true; }
             end { when done and card = low => Ann wins; when done => Bob wins; }";
        let told = found(text, Code::E0201);
        let [told] = &told[..] else { panic!("{told:?}") };
        assert_eq!(told.edits[0].text, "match c { low => 2, high => 1 }");
        let told = found(&text.replace("[2, 1]", "[2, 1, 1]"), Code::E0201);
        assert!(
            told[0].edits.is_empty() && told[0].help.as_deref().is_some_and(|help| help.contains("[...]"))
        );
    }
}
