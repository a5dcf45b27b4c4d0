//! Moves that are stored and have their effects in a second stage: those that are made at once, and those whose effects
//! depend on themselves, such as the lines of a capture. Each move stores the choice of its player in a field, and a
//! second stage of every move reads these fields and empties them. A field that one move alone determines is set by
//! that move, if the second stage does not read it.

use std::collections::{BTreeMap, BTreeSet};

use super::effects::Moved;
use super::formulas::{Context, Scope, any_of, mentions};
use super::items::{Bodies, move_args};
use super::types::Place;
use super::{Fluent, ImportError, Importer, head_of};
use crate::sheet::{Clause, Literal, Pattern, Sentence};
use crate::terms::Symbol;

/// The stored choice of a move of one function.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The field that holds it.
    field: String,
    /// The players who may make it; the field has the player as a key if there are several.
    players: Vec<String>,
    /// The parameters of the move with their types.
    parts: Vec<(String, String)>,
    /// The record of the parameters, if there are several.
    record: Option<String>,
}

/// The effects of moves that are made at once.
#[derive(Debug, Default)]
pub struct JointEffects {
    /// The fluents that single moves determine.
    pub direct: BTreeSet<Symbol>,
    /// The effects that no choice matters for, a statement each.
    pub always: Vec<String>,
    /// The effects that depend on stored choices.
    pub stage: Vec<String>,
    /// The moves whose choices are stored.
    pub stored: BTreeSet<Symbol>,
}

impl Choice {
    /// The field that holds it.
    pub fn field(&self) -> &str {
        &self.field
    }

    fn cell(&self, player: &str) -> String {
        if self.players.len() > 1 { format!("{}[{player}]", self.field) } else { self.field.clone() }
    }

    /// The value that stands for a move with these arguments.
    fn value(&self, args: &[String]) -> String {
        match &self.record {
            Some(record) => format!("{record}({})", args.join(", ")),
            None => args.first().cloned().unwrap_or_else(|| "true".to_owned()),
        }
    }

    /// The effect that stores a move.
    pub fn store(&self, params: &[String]) -> String {
        format!("{} := {};", self.cell("me"), self.value(params))
    }

    /// The declaration of the field, and that of its record.
    pub fn declarations(&self) -> (String, Option<String>) {
        let keys = if self.players.len() > 1 { "[p: Player]" } else { "" };
        let of = match (&self.record, &self.parts[..]) {
            (Some(record), _) => format!("{record}?"),
            (None, []) => "bool".to_owned(),
            (None, [(_, ty), ..]) => format!("{ty}?"),
        };
        let parts = || self.parts.iter().map(|(name, ty)| format!("{name}: {ty}")).collect::<Vec<_>>();
        let record = self.record.as_ref().map(|record| format!("record {record}({});", parts().join(", ")));
        (format!("{}{keys}: {of};", self.field), record)
    }

    /// The effect that empties the field, so that no choice is part of the next position.
    fn clear(&self) -> String {
        let empty = if self.parts.is_empty() { "false" } else { "none" };
        match self.players.len() {
            0 | 1 => format!("{} := {empty};", self.field),
            _ => format!("for p in Player {{ {} := {empty}; }}", self.cell("p")),
        }
    }
}

impl Importer<'_> {
    /// The players who may make moves of a function.
    pub(super) fn makers(&self, made: Symbol) -> BTreeSet<String> {
        let own = self.names.moves.iter().filter(|of| head_of(&of.term) == self.symbol(made));
        own.map(|of| self.player(&self.names.roles[of.role as usize])).collect()
    }

    /// Names fields for the choices of all moves.
    pub(super) fn name_choices(&mut self) -> Result<(), ImportError> {
        let mut choices = BTreeMap::new();
        let several = self.moves.len() > 1;
        for (made, written) in self.moves.clone() {
            let params = self.move_params(made);
            let mut parts = Vec::new();
            for (at, param) in params.into_iter().enumerate() {
                let of = self.type_of_argument(made, at)?;
                if of.ends_with('?') {
                    let (at, of) = (at + 1, self.symbol(made));
                    let reason = format!("argument {at} of the move `{of}` is a role or something else");
                    return Err(ImportError { reason, span: None });
                }
                parts.push((param, of));
            }
            let field = if several { format!("chosen_{written}") } else { "chosen".to_owned() };
            let record = (parts.len() > 1).then(|| self.types.fresh_type(&written));
            // In turns, only the mover chooses.
            let players = if self.at_once() { self.makers(made).into_iter().collect() } else { Vec::new() };
            choices.insert(made, Choice { field: self.types.fresh(&field), players, parts, record });
        }
        self.choices = Some(choices);
        Ok(())
    }

    /// The written players who only ever make one move, which is of this function.
    pub(super) fn waiting_players(&self, made: Symbol) -> Vec<String> {
        let waits = self.names.roles.iter().zip(&self.names.waits);
        let own = |wait: &Option<String>| wait.as_deref().is_some_and(|t| head_of(t) == self.symbol(made));
        waits.filter(|(_, wait)| own(wait)).map(|(role, _)| self.player(role)).collect()
    }

    /// The condition that a player made a move, from stored choices; `None` while its variables are not known.
    pub(super) fn chosen(
        &self,
        sentence: &Sentence,
        scope: &mut Scope,
    ) -> Result<Option<Vec<String>>, ImportError> {
        let no_form = || ImportError::new(super::effects::NO_FORM, Some(sentence.span));
        let (Pattern::Const(made) | Pattern::Compound(made, _)) = sentence.args[1] else {
            return Err(no_form());
        };
        let waiting = self.waiting_players(made);
        let choice = self.choices.as_ref().and_then(|choices| choices.get(&made));
        if !self.at_once() {
            return self.chosen_by_mover(sentence, made, scope);
        }
        let all: Vec<&String> = waiting.iter().chain(choice.iter().flat_map(|of| &of.players)).collect();
        let player = match (self.term(scope, Place::Role, &sentence.args[0]), &sentence.args[0], &all[..]) {
            (_, _, []) => return Ok(Some(vec!["false".to_owned()])),
            (Some(player), ..) => player,
            (None, Pattern::Var(var), [only]) => {
                scope.terms.insert(*var, (*only).clone());
                (*only).clone()
            }
            _ => return Ok(None),
        };
        if !waiting.is_empty() && !move_args(&sentence.args[1]).is_empty() {
            return Err(no_form());
        }
        let is_player = |name: &String| self.names.roles.iter().any(|role| self.player(role) == *name);
        let by = |other: &String| match is_player(&player) {
            true => (player == *other).to_string(),
            false => format!("{player} = {other}"),
        };
        let mut parts = Vec::new();
        let Some(choice) = choice else {
            return Ok(Some(vec![any_of(&waiting.iter().map(by).collect::<Vec<_>>())]));
        };
        if let [only] = &choice.players[..] {
            parts.push(by(only));
        }
        let Some(conditions) = self.stored_args(sentence, choice, &player, scope) else {
            return Ok(Some(vec!["false".to_owned()]));
        };
        parts.extend(conditions);
        parts.retain(|part| part != "true");
        if !waiting.is_empty() {
            let mut branches: Vec<String> = waiting.iter().map(by).filter(|part| part != "false").collect();
            branches.push(if parts.is_empty() { "true".to_owned() } else { parts.join(" and ") });
            let any = any_of(&branches);
            return Ok(Some(vec![if branches.len() > 1 && any != "true" {
                format!("({any})")
            } else {
                any
            }]));
        }
        Ok(Some(parts))
    }

    /// The condition that whoever acts made a move, from the stored move.
    fn chosen_by_mover(
        &self,
        sentence: &Sentence,
        made: Symbol,
        scope: &mut Scope,
    ) -> Result<Option<Vec<String>>, ImportError> {
        let choice = self.choices.as_ref().and_then(|choices| choices.get(&made));
        // Whoever waits has no stored move.
        let Some(choice) = choice.filter(|_| self.waiting_players(made).is_empty()) else {
            return Err(ImportError::new(super::effects::NO_FORM, Some(sentence.span)));
        };
        // Where a field says who acts, `mover` stays as it is.
        let actor = &self.chooser().unwrap_or_else(|| "mover".to_owned());
        let mut parts = Vec::new();
        match (self.term(scope, Place::Role, &sentence.args[0]), &sentence.args[0]) {
            (Some(player), _) if player == *actor || !self.has_turns() => {}
            (Some(player), _) => parts.push(format!("{actor} = {player}")),
            (None, Pattern::Var(var)) => {
                scope.terms.insert(*var, actor.clone());
            }
            (None, _) => return Ok(Some(vec!["false".to_owned()])),
        }
        let conditions = self.stored_args(sentence, choice, actor, scope);
        parts.extend(conditions.unwrap_or_else(|| vec!["false".to_owned()]));
        Ok(Some(parts))
    }

    /// The conditions that a stored move has these arguments, whose variables it determines; `None` if it never has.
    fn stored_args(
        &self,
        sentence: &Sentence,
        choice: &Choice,
        player: &str,
        scope: &mut Scope,
    ) -> Option<Vec<String>> {
        let (Pattern::Const(made) | Pattern::Compound(made, _)) = sentence.args[1] else { return None };
        let read = choice.cell(player);
        let (mut parts, mut known) = (Vec::new(), false);
        for (at, arg) in move_args(&sentence.args[1]).iter().enumerate() {
            let part = match &choice.record {
                Some(_) => format!("{read}.{}", choice.parts[at].0),
                None => read.clone(),
            };
            match (self.term(scope, Place::Function(made, at), arg), arg) {
                (Some(value), _) => {
                    parts.push(format!("{part} = {value}"));
                    known = true;
                }
                (None, Pattern::Var(var)) => {
                    scope.note_type(&part, &choice.parts[at].1);
                    scope.terms.insert(*var, part);
                }
                _ => return None,
            }
        }
        match choice.parts.is_empty() {
            true => parts.push(read),
            false if !known && !self.always_chosen(made, player) => parts.push(format!("{read} != none")),
            false => {}
        }
        Some(parts)
    }

    /// The condition that a move is stored, if a condition on a relation implies it: if each rule of the relation needs a
    /// move of one function, directly or through such relations.
    pub(super) fn implied_choice(&self, condition: &str) -> Option<String> {
        let called = condition.split('(').next().filter(|_| !condition.contains(" or "))?;
        let (&relation, _) = self.definitions.iter().find(|(_, name)| *name == called)?;
        let made = self.needed_move(relation, &mut BTreeSet::new())?;
        let choice = self.choices.as_ref()?.get(&made).filter(|choice| choice.players.is_empty())?;
        (!choice.parts.is_empty()).then(|| format!("{} != none", choice.field))
    }

    /// The conditions that the choices which an effect reads are stored, where its other conditions do not imply it: each
    /// player chooses a move, but the effect has a meaning for the first choice alone as well.
    pub(super) fn stored_choices(&self, read: &[String], parts: &[String]) -> Vec<String> {
        let mut found = Vec::new();
        for choice in self.choices.iter().flat_map(BTreeMap::values).filter(|of| !of.parts.is_empty()) {
            for term in read.iter().flat_map(|text| reads_of(text, &choice.field)) {
                let guard = format!("{term} != none");
                let is_implied = |part: &String| *part == guard || needs_value(part, term);
                if !parts.iter().any(is_implied) && !found.contains(&guard) {
                    found.push(guard);
                }
            }
        }
        found
    }

    /// The function of the moves that each rule of a relation needs. Rules that need the relation itself do not count.
    fn needed_move(&self, relation: Symbol, above: &mut BTreeSet<Symbol>) -> Option<Symbol> {
        above.insert(relation);
        let mut found: Option<Symbol> = None;
        for (_, clause) in self.clauses_of(relation) {
            let positive = clause.body.iter().filter_map(|literal| match literal {
                Literal::Positive(sentence) => Some(sentence),
                _ => None,
            });
            let positive: Vec<&Sentence> = positive.collect();
            if positive.iter().any(|sentence| sentence.relation == relation) {
                continue;
            }
            let needed = positive.iter().find_map(|sentence| match &sentence.args[..] {
                [_, Pattern::Const(made) | Pattern::Compound(made, _)]
                    if sentence.relation == self.sheet.keywords.does =>
                {
                    Some(*made)
                }
                _ if self.of_moves.contains(&sentence.relation) && !above.contains(&sentence.relation) => {
                    self.needed_move(sentence.relation, &mut above.clone())
                }
                _ => None,
            })?;
            if *found.get_or_insert(needed) != needed {
                return None;
            }
        }
        found
    }

    /// Returns true if a player, or each player, chooses a move of this function in each position.
    fn always_chosen(&self, made: Symbol, player: &str) -> bool {
        self.names.roles.iter().zip(&self.names.waits).all(|(role, waits)| {
            let written = self.player(role);
            let is_meant = written == player || self.names.roles.iter().all(|r| self.player(r) != player);
            let others = self.moves.keys().filter(|&&other| self.makers(other).contains(&written));
            !is_meant || waits.is_none() && others.eq([&made])
        })
    }

    /// The effects of moves that are made at once.
    pub(super) fn joint_effects(&self, bodies: &Bodies) -> Result<JointEffects, ImportError> {
        let fluents: Vec<Symbol> = self.fluents.keys().copied().collect();
        let mut direct: BTreeSet<Symbol> = fluents.iter().copied().filter(|&f| self.is_direct(f)).collect();
        loop {
            let mut stage = Vec::new();
            for &fluent in fluents.iter().filter(|fluent| !direct.contains(fluent)) {
                stage.extend(self.fluent_effects(fluent, None, &[])?);
            }
            // What the second stage reads must not have changed in the first one.
            let text = stage.join("\n");
            let texts = self.called_texts(&text, bodies);
            let is_read = |fluent: &Symbol| {
                let field = match &self.fluents[fluent] {
                    Fluent::Truth(field) | Fluent::Value { field, .. } => field,
                    _ => return false,
                };
                texts.iter().any(|text| mentions(text, field))
            };
            let kept: BTreeSet<Symbol> = direct.iter().copied().filter(|fluent| !is_read(fluent)).collect();
            if kept.len() < direct.len() {
                direct = kept;
                continue;
            }
            let mut always = Vec::new();
            for &fluent in &direct {
                let rules = self.rules_of(fluent).1;
                let free = rules.into_iter().filter(|(_, clause)| !self.is_of_moves(clause));
                always.extend(self.statements(fluent, &free.collect::<Vec<_>>(), None, &[])?);
            }
            let choices = self.choices.iter().flatten();
            let stored = choices.filter(|(_, of)| texts.iter().any(|text| mentions(text, &of.field)));
            let (stored, cleared): (BTreeSet<Symbol>, Vec<String>) =
                stored.map(|(made, of)| (*made, of.clear())).unzip();
            stage.extend(cleared);
            return Ok(JointEffects { direct, always, stage, stored });
        }
    }

    /// The effects on the fluents that a move determines alone, where it is made at once with others.
    pub(super) fn direct_effects(
        &self,
        moved: Moved<'_>,
        direct: &BTreeSet<Symbol>,
        known: &[String],
    ) -> Result<Vec<String>, ImportError> {
        let mut statements = Vec::new();
        for &fluent in direct {
            let rules = self.rules_of(fluent).1;
            let own = rules.into_iter().filter(|(_, clause)| self.is_of_moves(clause));
            statements.extend(self.statements(fluent, &own.collect::<Vec<_>>(), Some(moved), known)?);
        }
        Ok(statements)
    }

    /// Returns true if a clause has a condition on moves.
    fn is_of_moves(&self, clause: &Clause) -> bool {
        let mut found = false;
        for literal in &clause.body {
            literal.each_sentence(&mut |sentence, _| found |= self.of_moves.contains(&sentence.relation));
        }
        found
    }

    /// Returns true if each rule for a fluent is about one move at most, and nothing has to be removed.
    fn is_direct(&self, fluent: Symbol) -> bool {
        let (frames, rules) = self.rules_of(fluent);
        let needs_removal = match &self.fluents[&fluent] {
            Fluent::Constant | Fluent::Control => return false,
            Fluent::Value { total: true, .. } => false,
            Fluent::Value { field, .. } if self.full.contains(field) => false,
            Fluent::Truth(_) | Fluent::Value { .. } => {
                let keeps_all =
                    |clause: &Clause| clause.body.len() == 1 && has_distinct_variables(&clause.head);
                !self.is_transient(fluent) && !frames.iter().any(|(_, clause)| keeps_all(clause))
            }
        };
        let of_one_move = |clause: &Clause| {
            let mut moves = 0;
            clause.body.iter().all(|literal| match literal {
                Literal::Positive(sentence) if sentence.relation == self.sheet.keywords.does => {
                    moves += 1;
                    let (Pattern::Const(made) | Pattern::Compound(made, _)) = sentence.args[1] else {
                        return false;
                    };
                    moves == 1 && self.moves.contains_key(&made) && self.waiting_players(made).is_empty()
                }
                literal => {
                    let mut is_free = true;
                    literal.each_sentence(&mut |of, _| is_free &= !self.of_moves.contains(&of.relation));
                    is_free
                }
            })
        };
        !needs_removal && rules.iter().all(|(_, clause)| of_one_move(clause))
    }

    /// The declarations of the fields for stored choices, and of their records.
    pub(super) fn choice_declarations(&self, stored: &BTreeSet<Symbol>) -> (Vec<String>, Vec<String>) {
        let choices = self.choices.iter().flatten().filter(|(made, _)| stored.contains(made));
        let (fields, records): (Vec<String>, Vec<Option<String>>) =
            choices.map(|(_, choice)| choice.declarations()).unzip();
        (fields, records.into_iter().flatten().collect())
    }

    /// A scope for what is computed from stored choices: the player of a move is not `me` there.
    pub(super) fn context_of(moved: Option<Moved<'_>>) -> Context {
        if moved.is_some() { Context::Move } else { Context::Position }
    }
}

/// The cells of a field that a text reads, `chosen[Red]`, as they are written.
fn reads_of<'t>(text: &'t str, field: &str) -> Vec<&'t str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for (start, _) in text.match_indices(field) {
        let rest = &text[start + field.len()..];
        if text[..start].ends_with(is_part) || rest.starts_with(is_part) {
            continue;
        }
        let keys = if rest.starts_with('[') { rest.find(']').map_or(0, |end| end + 1) } else { 0 };
        found.push(&text[start..start + field.len() + keys]);
    }
    found
}

/// Returns true if a condition is false where a stored choice is `none`: if it is the call of a definition with it, a
/// comparison with a number or a name, or one of a part of it.
fn needs_value(part: &str, choice: &str) -> bool {
    if [" and ", " or ", "not ", " != ", ": ", "if "].iter().any(|word| part.contains(word)) {
        return false;
    }
    let is_word = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match part.split_once(" = ") {
        Some((a, b)) => {
            (a == choice && is_word(b) && b != "none")
                || a.strip_prefix(choice).is_some_and(|rest| rest.starts_with('.'))
        }
        None => match part.split_once('(') {
            Some((name, args)) => {
                is_word(name) && args.trim_end_matches(')').split(", ").any(|arg| arg == choice)
            }
            None => false,
        },
    }
}

/// Returns true if each argument of the fluent of a rule for `next` is a variable of its own.
fn has_distinct_variables(head: &Sentence) -> bool {
    let [Pattern::Compound(_, args)] = &head.args[..] else { return true };
    let vars: BTreeSet<u32> = args
        .iter()
        .filter_map(|arg| match arg {
            Pattern::Var(var) => Some(*var),
            _ => None,
        })
        .collect();
    vars.len() == args.len()
}
