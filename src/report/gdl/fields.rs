//! A sheet by fields: a fluent for each value of a cell, and the grounded moves with their conditions and effects.
//!
//! Formulas that occur several times become relations without arguments. A fluent keeps its value (the frame axiom)
//! unless the move is one of those that may change it.

use std::collections::{BTreeMap, BTreeSet};

use bouton_base::id::Id;
use bouton_base::limits::Limits;
use bouton_base::rational::Rational;
use bouton_grounding::{
    Action, ActionMaker, FluentId, FluentUpdate, Formula, FormulaNode, Ground, Subject, SubjectId, TRUE,
    Values, all_values, value_numbers,
};
use bouton_rules::{Actor, MoveInstance, OutcomeKind, Value, keys_of};
use bouton_search::game::{Game, State};

use super::atoms::{Atoms, apply};
use super::{GdlError, GdlSheet, GoalScale, ResultNames, Sheet, goals};

/// Writes a grounded game that begins in this position.
pub fn write(game: &Game, state: &State, ground: Ground, limits: &Limits) -> Result<GdlSheet, GdlError> {
    let payoffs: Vec<Rational> = ground.ends.iter().flat_map(|end| end.payoffs.iter().cloned()).collect();
    let kinds: Vec<OutcomeKind> = ground.ends.iter().map(|end| end.kind).collect();
    let scale = GoalScale::of(&payoffs, &kinds)?;
    let mut notes: Vec<String> = scale.note().into_iter().collect();
    if !game.rules.repeats.is_empty() {
        notes.push(
            "The rules have a result for endless play, which GDL has not: in GDL each play ends.".to_owned(),
        );
    }
    let mut atoms = Atoms::new(&game.rules);
    let roles = atoms.roles(&game.rules);
    let uses = count_uses(&ground);
    let made: Vec<Vec<(u32, String)>> = ground.actions.iter().map(|of| parts(game, of, &mut atoms)).collect();
    let mut writer = Writer {
        game,
        ground: &ground,
        sheet: Sheet::begin(game, &notes),
        atoms,
        roles,
        made,
        uses,
        changes: changes(&ground),
        names: BTreeMap::new(),
        waiting: Vec::new(),
        counts: BTreeMap::new(),
        greatest: 0,
        limits,
    };
    let roles = writer.roles.clone();
    writer.sheet.roles(&roles);
    writer.initial(state);
    writer.moves()?;
    writer.effects()?;
    writer.frames();
    writer.ends(&scale);
    writer.named_formulas()?;
    let Writer { sheet, atoms, .. } = writer;
    Ok(GdlSheet { text: sheet.text, atoms, scale, notes })
}

/// Returns the moves of the single players in a move, with their terms.
fn parts(game: &Game, action: &Action, atoms: &mut Atoms) -> Vec<(u32, String)> {
    match (&action.play, action.maker) {
        (MoveInstance::Joint(parts), _) => {
            let own = |(player, play): &(u32, MoveInstance)| (*player, atoms.term(&game.rules, play));
            parts.iter().map(own).collect()
        }
        (play, ActionMaker::Player(player)) => vec![(player, atoms.term(&game.rules, play))],
        (_, ActionMaker::All) => Vec::new(),
    }
}

/// Counts how often each formula is a part of another one, or of a rule.
fn count_uses(ground: &Ground) -> Vec<u32> {
    let mut uses = vec![0; ground.formulas.len()];
    let mut waiting: Vec<Formula> = ground.ends.iter().map(|end| end.when).collect();
    for action in &ground.actions {
        waiting.push(action.legal);
        waiting.extend(action.updates.iter().flat_map(|update| update.values.iter().map(|(_, when)| *when)));
    }
    while let Some(formula) = waiting.pop() {
        uses[formula.index()] += 1;
        if uses[formula.index()] > 1 {
            continue;
        }
        match ground.formulas.node(formula) {
            FormulaNode::And(parts) | FormulaNode::Or(parts) => waiting.extend(parts),
            FormulaNode::Lit(subject, _) => {
                if let Subject::Count(of) = ground.formulas.subject(*subject).0 {
                    waiting.extend(of);
                }
            }
            FormulaNode::Name(name, _) => waiting.push(ground.formulas.definition(*name)),
            FormulaNode::True | FormulaNode::False => {}
        }
    }
    uses
}

/// Returns true if the fluent has one value only, so that no condition needs it.
fn is_constant(ground: &Ground, fluent: FluentId) -> bool {
    ground.fluents.get(fluent).values.len() < 2
}

/// The extent to which moves change the cells of a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Changes {
    /// No move changes any.
    Never,
    /// Some move changes some of them, and some move leaves one alone.
    Sometimes,
    /// Every move sets all of them.
    Always,
}

/// Finds the changes of each field.
fn changes(ground: &Ground) -> Vec<Changes> {
    let mut parts = vec![0; ground.rules.fields.len()];
    ground.fluents.iter().for_each(|(_, fluent)| parts[fluent.field.index()] += 1);
    let (mut some, mut all) = (vec![false; parts.len()], vec![true; parts.len()]);
    for action in &ground.actions {
        let mut changed = vec![0; parts.len()];
        action
            .updates
            .iter()
            .for_each(|update| changed[ground.fluents.get(update.fluent).field.index()] += 1);
        for (field, &count) in changed.iter().enumerate() {
            some[field] |= count > 0;
            all[field] &= count == parts[field];
        }
    }
    let of = |(some, all): (bool, bool)| match (some, all) {
        (false, _) => Changes::Never,
        (true, false) => Changes::Sometimes,
        (true, true) => Changes::Always,
    };
    some.into_iter().zip(all).map(of).collect()
}

/// A relation that stands for a formula, and is not written yet.
enum Waiting {
    Formula(String, Formula),
    Count(String, Box<[Formula]>),
}

/// The state of writing.
struct Writer<'g> {
    game: &'g Game,
    ground: &'g Ground,
    sheet: Sheet,
    atoms: Atoms,
    roles: Vec<String>,
    /// The moves of single players in each action.
    made: Vec<Vec<(u32, String)>>,
    uses: Vec<u32>,
    /// The changes by moves, by field.
    changes: Vec<Changes>,
    /// The relations that stand for formulas.
    names: BTreeMap<Formula, String>,
    waiting: Vec<Waiting>,
    /// The relations that count.
    counts: BTreeMap<SubjectId, String>,
    /// The greatest number that is counted to.
    greatest: usize,
    limits: &'g Limits,
}

impl Writer<'_> {
    /// Returns an error if a limit was reached.
    fn check(&self) -> Result<(), GdlError> {
        match self.limits.check_held(self.sheet.text.len() as u64) {
            Some(hit) => Err(GdlError::Limit(hit)),
            None => Ok(()),
        }
    }

    /// The keys of the cell of a fluent, and its element if the cell holds a set.
    fn keys(&mut self, fluent: FluentId) -> Vec<String> {
        let of = self.ground.fluents.get(fluent);
        let rules = &self.game.rules;
        let keys = keys_of(&rules.fields[of.field].keys, of.cell).into_iter().chain(of.element.clone());
        keys.map(|key| self.atoms.value(rules, &key)).collect()
    }

    /// The sentence that a move changes a cell: `(changes_at a1)`.
    fn changes_cell(&mut self, fluent: FluentId) -> String {
        let field = self.atoms.field(&self.game.rules, self.ground.fluents.get(fluent).field);
        let keys = self.keys(fluent);
        apply(&format!("changes_{field}"), &keys)
    }

    /// The fluent of GDL that a cell has a value; `None` for a truth value that is false.
    fn fluent(&mut self, fluent: FluentId, number: u32) -> Option<String> {
        let value = self.ground.fluents.get(fluent).values[number as usize].clone();
        let field = self.atoms.field(&self.game.rules, self.ground.fluents.get(fluent).field);
        let mut args = self.keys(fluent);
        match value {
            Value::Bool(false) if self.is_boolean(fluent) => return None,
            Value::Bool(true) if self.is_boolean(fluent) => {}
            value => args.push(self.atoms.value(&self.game.rules, &value)),
        }
        Some(apply(&field, &args))
    }

    fn is_boolean(&self, fluent: FluentId) -> bool {
        self.ground.fluents.get(fluent).values == [Value::Bool(false), Value::Bool(true)]
    }

    /// Writes the first position.
    fn initial(&mut self, state: &State) {
        self.sheet.heading("The first position");
        let ground = self.ground;
        let position = ground.fluents.position(&self.game.cells(state));
        let position = position.unwrap_or_else(|| ground.initial.clone());
        for (id, _) in ground.fluents.iter().filter(|(id, _)| !is_constant(ground, *id)) {
            if let Some(fluent) = self.fluent(id, u32::from(position[id.index()])) {
                self.sheet.fact(&format!("(init {fluent})"));
            }
        }
    }

    /// Writes the legal moves.
    fn moves(&mut self) -> Result<(), GdlError> {
        let ground = self.ground;
        let in_turns = self.game.rules.phases.iter().all(|phase| matches!(phase.actor, Actor::Mover));
        let relation = if in_turns { "legal" } else { "can" };
        let mut last = None;
        let mut legal: BTreeMap<(u32, String), BTreeSet<Formula>> = BTreeMap::new();
        for (number, action) in ground.actions.iter().enumerate() {
            self.check()?;
            if let MoveInstance::Move(id, _) = action.play
                && last != Some(id)
            {
                last = Some(id);
                let of = &self.game.rules.moves[id];
                self.sheet.heading(&of.name);
                of.doc.iter().for_each(|line| self.sheet.comment(line));
            }
            for (player, term) in self.made[number].clone() {
                // A move that several combinations contain is legal if one of them is.
                if legal.entry((player, term.clone())).or_default().insert(action.legal) {
                    let head = format!("({relation} {} {term})", self.roles[player as usize]);
                    self.derive(&head, &[], action.legal);
                }
            }
        }
        if self.roles.len() < 2 {
            return Ok(());
        }
        self.sheet.heading("Those who do not move wait");
        if in_turns {
            let control = self.atoms.field(&self.game.rules, bouton_rules::MOVER);
            for (at, role) in self.roles.clone().iter().enumerate() {
                let others = self.roles.iter().enumerate().filter(|(other, _)| *other != at);
                let others: Vec<String> =
                    others.map(|(_, other)| format!("(true ({control} {other}))")).collect();
                for other in others {
                    self.sheet.rule(&format!("(legal {role} noop)"), &[other]);
                }
            }
        } else {
            self.sheet.rule("(legal ?role ?move)", &["(can ?role ?move)".to_owned()]);
            self.sheet.rule("(acts ?role)", &["(can ?role ?move)".to_owned()]);
            let body = ["(role ?role)".to_owned(), "(not (acts ?role))".to_owned()];
            self.sheet.rule("(legal ?role noop)", &body);
        }
        Ok(())
    }

    /// The conditions that an action is made: `does` of each player, and the precondition if the same moves are made
    /// in another way elsewhere.
    fn done(&mut self, number: usize, shared: &BTreeSet<(u32, String)>) -> Vec<String> {
        let action = &self.ground.actions[number];
        let made = self.made[number].clone();
        let mut done: Vec<String> = made
            .iter()
            .map(|(player, term)| format!("(does {} {term})", self.roles[*player as usize]))
            .collect();
        if action.maker == ActionMaker::All {
            let idle =
                (0..).zip(&self.roles).filter(|(player, _)| made.iter().all(|(other, _)| other != player));
            done.extend(idle.map(|(_, role)| format!("(does {role} noop)")));
        }
        if made.iter().any(|part| shared.contains(part)) {
            done.extend(self.conditions(action.legal));
        }
        done
    }

    /// The moves of single players that are made both alone and together with others, or that several actions make.
    fn shared_moves(&self) -> BTreeSet<(u32, String)> {
        let mut alone: BTreeSet<(u32, String)> = BTreeSet::new();
        let mut shared = BTreeSet::new();
        for (action, made) in self.ground.actions.iter().zip(&self.made) {
            if action.maker != ActionMaker::All {
                shared.extend(made.iter().filter(|part| !alone.insert((*part).clone())).cloned());
            }
        }
        for (action, made) in self.ground.actions.iter().zip(&self.made) {
            if action.maker == ActionMaker::All {
                shared.extend(made.iter().filter(|part| alone.contains(*part)).cloned());
            }
        }
        shared
    }

    /// The effects that all moves of a player have, whatever the position: the fluent and the number of its value.
    fn common_effects(&self, player: u32) -> BTreeSet<(FluentId, u8)> {
        let mut own = self.ground.actions.iter().filter(|action| action.maker == ActionMaker::Player(player));
        let certain = |action: &Action| -> BTreeSet<(FluentId, u8)> {
            let single = |update: &FluentUpdate| match update.values[..] {
                [(value, TRUE)] => Some((update.fluent, value)),
                _ => None,
            };
            action.updates.iter().filter_map(single).collect()
        };
        let Some(first) = own.next() else { return BTreeSet::new() };
        let mut common = certain(first);
        let mut several = false;
        for action in own {
            several = true;
            common = common.intersection(&certain(action)).copied().collect();
        }
        if several { common } else { BTreeSet::new() }
    }

    /// Writes the effects of moves, and the fluents that they may change.
    fn effects(&mut self) -> Result<(), GdlError> {
        self.sheet.heading("The effects of moves");
        let ground = self.ground;
        let shared = self.shared_moves();
        let mut common = Vec::new();
        for player in 0..self.roles.len() as u32 {
            let mixed = shared.iter().any(|(other, _)| *other == player);
            let together = self.ground.actions.iter().any(|action| action.maker == ActionMaker::All);
            let effects = if mixed || together { BTreeSet::new() } else { self.common_effects(player) };
            let role = self.roles[player as usize].clone();
            let mut body = vec![format!("(does {role} ?move)")];
            if self.roles.len() > 1 {
                body.push("(distinct ?move noop)".to_owned());
            }
            for &(fluent, value) in effects.iter().filter(|(fluent, _)| !is_constant(ground, *fluent)) {
                if let Some(next) = self.fluent(fluent, u32::from(value)) {
                    self.sheet.rule(&format!("(next {next})"), &body);
                }
                if self.changes_sometimes(fluent) {
                    let head = self.changes_cell(fluent);
                    self.sheet.rule(&head, &body);
                }
            }
            common.push(effects);
        }
        for (number, action) in ground.actions.iter().enumerate() {
            self.check()?;
            let done = self.done(number, &shared);
            for update in action.updates.iter().filter(|update| !is_constant(ground, update.fluent)) {
                if let (ActionMaker::Player(player), [(value, TRUE)]) = (action.maker, &update.values[..])
                    && common[player as usize].contains(&(update.fluent, *value))
                {
                    continue;
                }
                for &(value, when) in &update.values {
                    if let Some(next) = self.fluent(update.fluent, u32::from(value)) {
                        self.derive(&format!("(next {next})"), &done, when);
                    }
                }
                if self.changes_sometimes(update.fluent) {
                    let head = self.changes_cell(update.fluent);
                    self.sheet.rule(&head, &done);
                }
            }
        }
        Ok(())
    }

    /// Returns true if the sheet says which moves change the cells of the fluent's field.
    fn changes_sometimes(&self, fluent: FluentId) -> bool {
        self.changes[self.ground.fluents.get(fluent).field.index()] == Changes::Sometimes
    }

    /// Writes the frame axioms: what no move changes stays as it is.
    fn frames(&mut self) {
        self.sheet.heading("The rest stays as it is");
        let rules = self.game.rules.clone();
        for (id, field) in rules.fields.entries() {
            let Some(first) = self.ground.fluents.of_cell(self.ground.fluents.cell(id, 0)).next() else {
                continue;
            };
            let changes = self.changes[id.index()];
            if field.cells() == 0 || is_constant(self.ground, first) || changes == Changes::Always {
                continue;
            }
            let name = self.atoms.field(&rules, id);
            let has_element = self.ground.fluents.get(first).element.is_some();
            let keys = field.keys.len() + usize::from(has_element);
            let keys: Vec<String> = (1..=keys).map(|number| format!("?key{number}")).collect();
            let value = (!self.is_boolean(first)).then(|| "?value".to_owned());
            let args: Vec<String> = keys.iter().cloned().chain(value).collect();
            let fluent = apply(&name, &args);
            let mut body = vec![format!("(true {fluent})")];
            if changes == Changes::Sometimes {
                body.push(format!("(not {})", apply(&format!("changes_{name}"), &keys)));
            }
            self.sheet.rule(&format!("(next {fluent})"), &body);
        }
    }

    /// Writes the ends with their goals.
    fn ends(&mut self, scale: &GoalScale) {
        self.sheet.heading("The ends");
        self.sheet.rule("terminal", &["(result ?result)".to_owned()]);
        let ground = self.ground;
        let mut names = ResultNames::default();
        let roles = self.roles.clone();
        for end in &ground.ends {
            let of_end = goals(scale, &end.payoffs);
            let (name, is_new) = names.name(&of_end, end.kind, &roles);
            let result = format!("(result {name})");
            self.derive(&result, &[], end.when);
            for (role, goal) in roles.iter().zip(&of_end).filter(|_| is_new) {
                self.sheet.rule(&format!("(goal {role} {goal})"), std::slice::from_ref(&result));
            }
        }
    }

    /// Writes the relations that stand for formulas, those that they need included.
    fn named_formulas(&mut self) -> Result<(), GdlError> {
        if !self.waiting.is_empty() {
            self.sheet.heading("Conditions that occur several times");
        }
        while let Some(next) = self.waiting.pop() {
            self.check()?;
            match next {
                Waiting::Formula(name, formula) => self.define(&name, formula),
                Waiting::Count(name, of) => self.define_count(&name, &of),
            }
        }
        if self.greatest > 0 {
            self.sheet.heading("Numbers");
            (0..self.greatest).for_each(|number| self.sheet.fact(&format!("(succ {number} {})", number + 1)));
        }
        Ok(())
    }

    /// Writes the rules of a sentence that holds where a formula does, and further conditions hold.
    fn derive(&mut self, head: &str, more: &[String], formula: Formula) {
        if self.is_shared(formula) {
            let body: Vec<String> = more.iter().cloned().chain([self.name(formula)]).collect();
            return self.sheet.rule(head, &body);
        }
        self.rules(head, more, formula);
    }

    /// Writes the rules of a relation that stands for a formula.
    fn define(&mut self, name: &str, formula: Formula) {
        self.rules(name, &[], formula);
        if formula == bouton_grounding::FALSE {
            // A relation needs a rule.
            self.sheet.rule(name, &["(distinct noop noop)".to_owned()]);
        }
    }

    fn rules(&mut self, head: &str, more: &[String], formula: Formula) {
        let ground = self.ground;
        let branches = match ground.formulas.node(formula) {
            FormulaNode::False => return,
            FormulaNode::Or(parts) if !self.is_short(parts) => parts.to_vec(),
            _ => vec![formula],
        };
        for branch in branches {
            let conditions = match ground.formulas.node(branch) {
                FormulaNode::And(parts) if branch == formula || !self.is_shared(branch) => {
                    parts.iter().flat_map(|&part| self.conditions(part)).collect()
                }
                FormulaNode::Or(parts) if branch == formula => vec![self.disjunction(parts)],
                _ => self.conditions(branch),
            };
            let body: Vec<String> = more.iter().cloned().chain(conditions).collect();
            self.sheet.rule(head, &body);
        }
    }

    /// Returns true if a relation of its own stands for the formula.
    fn is_shared(&self, formula: Formula) -> bool {
        let compound = matches!(self.ground.formulas.node(formula), FormulaNode::And(_) | FormulaNode::Or(_));
        compound && self.uses[formula.index()] > 1
    }

    /// Returns true if a disjunction of these parts fits into a rule.
    fn is_short(&self, parts: &[Formula]) -> bool {
        let simple = |part: &Formula| match self.ground.formulas.node(*part) {
            FormulaNode::Lit(subject, _) => {
                matches!(self.ground.formulas.subject(*subject).0, Subject::Fluent(_))
            }
            FormulaNode::Name(..) => true,
            _ => self.is_shared(*part),
        };
        parts.len() <= 4 && parts.iter().all(simple)
    }

    /// The name of the relation that stands for a formula.
    fn name(&mut self, formula: Formula) -> String {
        if let Some(known) = self.names.get(&formula) {
            return known.clone();
        }
        let name = format!("condition_{}", self.names.len() + 1);
        self.names.insert(formula, name.clone());
        self.waiting.push(Waiting::Formula(name.clone(), formula));
        name
    }

    /// The conditions of a rule that hold together where a formula does.
    fn conditions(&mut self, formula: Formula) -> Vec<String> {
        let ground = self.ground;
        if self.is_shared(formula) {
            return vec![self.name(formula)];
        }
        match ground.formulas.node(formula) {
            FormulaNode::True => Vec::new(),
            FormulaNode::False => vec!["(distinct noop noop)".to_owned()],
            FormulaNode::And(parts) => parts.iter().flat_map(|&part| self.conditions(part)).collect(),
            FormulaNode::Or(parts) if self.is_short(parts) => vec![self.disjunction(parts)],
            FormulaNode::Or(_) => vec![self.name(formula)],
            FormulaNode::Lit(subject, values) => match ground.formulas.subject(*subject).0 {
                Subject::Fluent(fluent) => self.value_in(*fluent, *values),
                Subject::Count(_) => vec![self.condition(formula)],
            },
            FormulaNode::Name(..) => vec![self.condition(formula)],
        }
    }

    fn disjunction(&mut self, parts: &[Formula]) -> String {
        let parts: Vec<String> = parts.iter().map(|&part| self.condition(part)).collect();
        format!("(or {})", parts.join(" "))
    }

    /// A single condition that holds where a formula does.
    fn condition(&mut self, formula: Formula) -> String {
        let ground = self.ground;
        match ground.formulas.node(formula) {
            FormulaNode::Lit(subject, values) => match ground.formulas.subject(*subject) {
                (Subject::Fluent(fluent), _) => {
                    let conditions = self.value_in(*fluent, *values);
                    match &conditions[..] {
                        [one] => one.clone(),
                        _ => self.one_of(*fluent, *values),
                    }
                }
                (Subject::Count(of), _) => {
                    let name = self.count(*subject, of);
                    let numbers = value_numbers(*values);
                    let counted: Vec<String> =
                        numbers.map(|number| format!("({name} {} {number})", of.len())).collect();
                    any_of(counted)
                }
            },
            FormulaNode::Name(name, holds) => {
                let relation = self.name(ground.formulas.definition(*name));
                if *holds { relation } else { format!("(not {relation})") }
            }
            _ => self.name(formula),
        }
    }

    /// The conditions that a fluent has one of these values.
    fn value_in(&mut self, fluent: FluentId, values: Values) -> Vec<String> {
        let all = all_values(self.ground.fluents.get(fluent).values.len() as u32);
        let others = all & !values;
        if self.is_boolean(fluent) {
            let holds = format!("(true {})", self.fluent(fluent, 1).unwrap_or_default());
            return vec![if values & 2 != 0 { holds } else { format!("(not {holds})") }];
        }
        if values.count_ones() <= others.count_ones() {
            return vec![self.one_of(fluent, values)];
        }
        let others = value_numbers(others).filter_map(|number| self.fluent(fluent, number));
        others.map(|other| format!("(not (true {other}))")).collect()
    }

    fn one_of(&mut self, fluent: FluentId, values: Values) -> String {
        let held = value_numbers(values).filter_map(|number| self.fluent(fluent, number));
        any_of(held.map(|fluent| format!("(true {fluent})")).collect())
    }

    /// The relation that counts formulas: `(count_1 5 2)` holds if two of the first five hold.
    fn count(&mut self, subject: SubjectId, of: &[Formula]) -> String {
        if let Some(known) = self.counts.get(&subject) {
            return known.clone();
        }
        let name = format!("count_{}", self.counts.len() + 1);
        self.counts.insert(subject, name.clone());
        self.waiting.push(Waiting::Count(name.clone(), of.into()));
        self.greatest = self.greatest.max(of.len());
        name
    }

    fn define_count(&mut self, name: &str, of: &[Formula]) {
        self.sheet.fact(&format!("({name} 0 0)"));
        for (before, &formula) in of.iter().enumerate() {
            let (holds, fails) = match self.condition(formula) {
                condition if condition.starts_with("(or ") => {
                    let name = self.name(formula);
                    (name.clone(), format!("(not {name})"))
                }
                condition => match condition.strip_prefix("(not ").and_then(|rest| rest.strip_suffix(')')) {
                    Some(inner) => (condition.clone(), inner.to_owned()),
                    None => (condition.clone(), format!("(not {condition})")),
                },
            };
            let number = before + 1;
            let one_more = [format!("({name} {before} ?n)"), holds, "(succ ?n ?more)".to_owned()];
            self.sheet.rule(&format!("({name} {number} ?more)"), &one_more);
            self.sheet.rule(&format!("({name} {number} ?n)"), &[format!("({name} {before} ?n)"), fails]);
        }
    }
}

/// The disjunction of conditions, or the only one.
fn any_of(mut conditions: Vec<String>) -> String {
    match conditions.len() {
        1 => conditions.swap_remove(0),
        _ => format!("(or {})", conditions.join(" ")),
    }
}
