//! The effects of a move: rules for `next` without the frame axioms.
//!
//! A rule adds what its head says. A frame axiom repeats a fluent that holds; what no frame axiom repeats is removed. A
//! field that has exactly one value needs no removal, since the new value replaces the old one.

use std::collections::{BTreeMap, BTreeSet};

use super::bounds::{in_range, is_within};
use super::formulas::{Context, Formula, Scope, any_of, cell, is_wrapped, put_numbers};
use super::types::Place;
use super::{Fluent, ImportError, Importer, head_of};
use crate::sheet::{Clause, Literal, Pattern, Sentence};
use crate::terms::Symbol;

/// A rule for `next` as an effect of a move.
pub(super) struct Addition {
    pub binders: Vec<String>,
    pub keys: Vec<String>,
    pub value: String,
    /// The conditions, all of which hold.
    pub parts: Vec<String>,
}

impl Scope {
    /// The scope of a clause, without terms.
    pub fn new(number: usize, clause: &Clause, context: Context) -> Scope {
        Scope {
            clause: number,
            context,
            terms: Default::default(),
            vars: clause.vars.clone(),
            names: BTreeSet::new(),
            ranges: BTreeMap::new(),
            optional: BTreeSet::new(),
            moved: None,
        }
    }
}

impl ImportError {
    /// Adds a place if there is none.
    pub(super) fn at(mut self, span: bouton_base::source::Span) -> ImportError {
        self.span.get_or_insert(span);
        self
    }
}

/// A move that is made, by its function and its parameters.
pub type Moved<'m> = (Symbol, &'m [String]);

/// Clauses with their numbers.
type Rules<'c> = Vec<(usize, &'c Clause)>;

/// Whoever makes the move that a condition names, where a move of one function may also be one of waiting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Maker {
    /// The player whose move it is.
    Mover,
    /// The other player, who waits.
    Waiter,
}

/// The reason for a condition on moves whose rules cannot be written out.
pub const NO_FORM: &str = "this condition on moves has no form";

impl Importer<'_> {
    /// The effects of a move with these parameters, a statement each. `known`: conditions under which it is legal.
    pub(super) fn effects(&self, moved: Moved<'_>, known: &[String]) -> Result<Vec<String>, ImportError> {
        let mut statements = Vec::new();
        for &fluent in self.fluents.keys() {
            statements.extend(self.fluent_effects(fluent, Some(moved), known)?);
        }
        Ok(statements)
    }

    /// The rules for a fluent in the next position: frame axioms, and all others.
    pub(super) fn rules_of(&self, fluent: Symbol) -> (Rules<'_>, Rules<'_>) {
        let own = self.clauses_of(self.sheet.keywords.next).into_iter().filter(|(_, clause)| {
            matches!(&clause.head.args[0], Pattern::Const(n) | Pattern::Compound(n, _) if *n == fluent)
        });
        own.partition(|(_, clause)| is_frame(self, clause))
    }

    /// The effects on a fluent of a move, or of all moves together from stored choices.
    pub(super) fn fluent_effects(
        &self,
        fluent: Symbol,
        moved: Option<Moved<'_>>,
        known: &[String],
    ) -> Result<Vec<String>, ImportError> {
        let is_kept = match &self.fluents[&fluent] {
            Fluent::Control if self.states_turns => return self.turn_statements(fluent, moved, known),
            Fluent::Constant | Fluent::Control => return Ok(Vec::new()),
            Fluent::Truth(_) => self.is_transient(fluent),
            Fluent::Value { field, total } => {
                *total || self.full.contains(field) || self.is_transient(fluent)
            }
        };
        let (frames, rules) = self.rules_of(fluent);
        if is_kept {
            return self.statements(fluent, &rules, moved, known);
        }
        let mut additions = self.additions(fluent, &rules, moved)?;
        additions.retain(|addition| self.may_hold(addition, known));
        let removal = self.removals(fluent, moved, &frames, &additions)?;
        let field = self.field(fluent);
        let otherwise = removal.otherwise.as_deref();
        let mut statements: Vec<String> =
            additions.iter().map(|addition| addition.statement(field, known, otherwise)).collect();
        statements.extend(removal.statements);
        Ok(statements)
    }

    /// The statements that say whose turn it is next.
    fn turn_statements(
        &self,
        control: Symbol,
        moved: Option<Moved<'_>>,
        known: &[String],
    ) -> Result<Vec<String>, ImportError> {
        let (frames, rules) = self.rules_of(control);
        let mut statements = Vec::new();
        for (number, clause) in rules.into_iter().chain(frames) {
            for &maker in self.makers_of(clause, moved) {
                let addition = self.addition((number, clause), moved, (maker, true));
                let addition = addition.map_err(|why| why.at(clause.span))?;
                statements.extend(addition.filter(|addition| self.may_hold(addition, known)).map(
                    |addition| {
                        let next = format!("next {};", addition.value);
                        addition.guarded(next, known, None)
                    },
                ));
            }
        }
        if self.passes_by_itself(&statements) {
            statements.clear();
        }
        Ok(statements)
    }

    /// Returns true if these statements give the turn of each of two players to the other one, which happens
    /// without them.
    fn passes_by_itself(&self, statements: &[String]) -> bool {
        let [first, second] = &self.names.roles[..] else { return false };
        let (first, second) = (self.player(first), self.player(second));
        let passes = |from: &String, to: &String| format!("if me = {from} {{ next {to}; }}");
        let both = [passes(&first, &second), passes(&second, &first)];
        statements.len() == both.len() && both.iter().all(|passed| statements.contains(passed))
    }

    /// The effects of rules for a fluent from which nothing has to be removed.
    pub(super) fn statements(
        &self,
        fluent: Symbol,
        rules: &[(usize, &Clause)],
        moved: Option<Moved<'_>>,
        known: &[String],
    ) -> Result<Vec<String>, ImportError> {
        let mut additions = self.additions(fluent, rules, moved)?;
        additions.retain(|addition| self.may_hold(addition, known));
        let field = self.field(fluent);
        Ok(additions.iter().map(|addition| addition.statement(field, known, None)).collect())
    }

    /// Returns false if the conditions of an effect never hold, or contradict those that are known: a cell has one value.
    fn may_hold(&self, addition: &Addition, known: &[String]) -> bool {
        let is_constant = |value: &str| {
            value.parse::<i64>().is_ok()
                || self.types.enums.iter().any(|(_, members)| members.iter().any(|member| member == value))
        };
        let value_of = |part: &str| {
            let (term, value) = part.split_once(" = ")?;
            (is_constant(value) && !term.contains(' ')).then(|| (term.to_owned(), value.to_owned()))
        };
        let known: Vec<(String, String)> = known.iter().filter_map(|part| value_of(part)).collect();
        let mut values = addition.parts.iter().filter_map(|part| value_of(part));
        addition.parts.iter().all(|part| part != "false")
            && !values
                .any(|(term, value)| known.iter().any(|(other, known)| *other == term && *known != value))
    }

    fn additions(
        &self,
        fluent: Symbol,
        rules: &[(usize, &Clause)],
        moved: Option<Moved<'_>>,
    ) -> Result<Vec<Addition>, ImportError> {
        let is_value = matches!(self.fluents[&fluent], Fluent::Value { .. });
        let mut additions = Vec::new();
        for &(number, clause) in rules {
            for &maker in self.makers_of(clause, moved) {
                let addition = self.addition((number, clause), moved, (maker, is_value));
                additions.extend(addition.map_err(|why| why.at(clause.span))?);
            }
        }
        Ok(additions)
    }

    /// Those who may make the move that a rule is about.
    pub(super) fn makers_of(&self, clause: &Clause, moved: Option<Moved<'_>>) -> &'static [Maker] {
        let does = self.sheet.keywords.does;
        let Some((made, _)) = moved else { return &[Maker::Mover] };
        let is_made = |literal: &&Literal| matches!(literal, Literal::Positive(of) if of.relation == does);
        let mut conditions = clause.body.iter().filter(is_made);
        match (conditions.next(), conditions.next()) {
            (Some(Literal::Positive(of)), None) if self.may_wait(of, made) => &[Maker::Mover, Maker::Waiter],
            _ => &[Maker::Mover],
        }
    }

    /// Returns true if a condition on a move names one of the function that is made, and the other player may wait by
    /// such a move.
    fn may_wait(&self, sentence: &Sentence, made: Symbol) -> bool {
        matches!(sentence.args[1], Pattern::Const(name) | Pattern::Compound(name, _) if name == made)
            && !self.at_once()
            && self.names.roles.len() == 2
            && !self.waiting_players(made).is_empty()
    }

    /// The field of a fluent.
    fn field(&self, fluent: Symbol) -> &str {
        match &self.fluents[&fluent] {
            Fluent::Truth(field) | Fluent::Value { field, .. } => field,
            Fluent::Constant | Fluent::Control => "",
        }
    }

    /// Returns true if a fluent is empty at first and no frame axiom keeps it: it lasts for one step.
    pub(super) fn is_transient(&self, fluent: Symbol) -> bool {
        let original = self.symbol(fluent);
        let is_own = |term: &String| super::head_of(term) == original;
        let has_values = match &self.fluents[&fluent] {
            Fluent::Value { total, .. } => *total || self.types.has_empty_value(self.last_place(fluent)),
            _ => false,
        };
        !has_values
            && self.rules_of(fluent).0.is_empty()
            && !self.samples.first().is_some_and(|first| first.iter().any(is_own))
    }

    /// The literals of a rule where a move is made, without those about the move; `None` if the rule is about other
    /// moves. Binds the variables of the move, and adds the conditions that this needs.
    pub(super) fn of_move<'c>(
        &self,
        clause: &'c Clause,
        of: (Option<Moved<'_>>, Maker),
        scope: &mut Scope,
        parts: &mut Vec<String>,
    ) -> Result<Option<Vec<&'c Literal>>, ImportError> {
        let does = self.sheet.keywords.does;
        let (moved, maker) = of;
        // Stored choices are conditions like others.
        let Some((made, params)) = moved else { return Ok(Some(clause.body.iter().collect())) };
        let mut rest = Vec::new();
        // Moves come first, since other conditions use their variables.
        let is_made = |literal: &&Literal| matches!(literal, Literal::Positive(of) if of.relation == does);
        let (first, others): (Vec<&Literal>, Vec<&Literal>) = clause.body.iter().partition(is_made);
        // Variables that other conditions give values are no variables of the negated move.
        let mut given = BTreeSet::new();
        let gives = |literal: &&&Literal| match literal {
            Literal::Positive(sentence) => !self.of_moves.contains(&sentence.relation),
            _ => false,
        };
        for literal in others.iter().filter(gives) {
            literal.each_var(&mut |var| {
                given.insert(var);
            });
        }
        let is_open = |sentence: &Sentence, scope: &Scope| {
            let mut open = false;
            sentence.each_var(&mut |var| open |= given.contains(&var) && !scope.terms.contains_key(&var));
            open
        };
        for literal in first.into_iter().chain(others) {
            match literal {
                Literal::Positive(sentence) if sentence.relation == does => {
                    if !self.unify_move(sentence, (made, params, maker), scope, parts) {
                        return Ok(None);
                    }
                }
                Literal::Negative(sentence) if sentence.relation == does && is_open(sentence, scope) => {
                    scope.moved = Some((made, params.to_vec()));
                    rest.push(literal);
                }
                Literal::Negative(sentence) if sentence.relation == does => {
                    match self.not_made(sentence, (made, params), scope) {
                        conditions if conditions.iter().any(|part| part == "false") => return Ok(None),
                        conditions => parts.extend(conditions),
                    }
                }
                Literal::Positive(sentence) | Literal::Negative(sentence)
                    if self.of_moves.contains(&sentence.relation) && is_open(sentence, scope) =>
                {
                    scope.moved = Some((made, params.to_vec()));
                    rest.push(literal);
                }
                Literal::Positive(sentence) if self.of_moves.contains(&sentence.relation) => {
                    parts.push(self.made(sentence, (made, params), scope)?);
                }
                Literal::Negative(sentence) if self.of_moves.contains(&sentence.relation) => {
                    parts.push(negated(&self.made(sentence, (made, params), scope)?));
                }
                literal => rest.push(literal),
            }
        }
        parts.retain(|part| part != "true");
        if parts.iter().any(|part| part == "false") {
            return Ok(None);
        }
        Ok(Some(rest))
    }

    /// The conditions that no player makes a move, where this one is made.
    fn not_made(&self, sentence: &Sentence, moved: Moved<'_>, scope: &Scope) -> Vec<String> {
        let (made, params) = moved;
        let makers: &[Maker] = match self.may_wait(sentence, made) {
            true => &[Maker::Mover, Maker::Waiter],
            false => &[Maker::Mover],
        };
        let mut parts = Vec::new();
        for &maker in makers {
            let (mut own, mut conditions) = (scope.clone(), Vec::new());
            if self.unify_move(sentence, (made, params, maker), &mut own, &mut conditions) {
                conditions.retain(|part| part != "true");
                if self.clash(&conditions) {
                    continue;
                }
                parts.push(match &conditions[..] {
                    [] => "false".to_owned(),
                    conditions => negated(&conditions.join(" and ")),
                });
            }
        }
        parts
    }

    /// The condition of a relation that depends on the move that is made, once its variables are known; `None` if none is
    /// made.
    pub(super) fn holds_later(
        &self,
        sentence: &Sentence,
        scope: &Scope,
    ) -> Result<Option<String>, ImportError> {
        match &scope.moved {
            Some((made, params)) if self.of_moves.contains(&sentence.relation) => {
                self.made(sentence, (*made, params), scope).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The condition that no player makes a move, where the variables of the move are known; `None` if none is made.
    pub(super) fn made_later(&self, sentence: &Sentence, scope: &Scope) -> Option<String> {
        let (made, params) = scope.moved.as_ref()?;
        let parts = self.not_made(sentence, (*made, params), scope);
        Some(match parts.iter().any(|part| part == "false") {
            true => "false".to_owned(),
            false if parts.is_empty() => "true".to_owned(),
            false => parts.join(" and "),
        })
    }

    /// The condition of a relation that depends on moves, where a move is made: its rules are written out.
    fn made(&self, sentence: &Sentence, moved: Moved<'_>, scope: &Scope) -> Result<String, ImportError> {
        let no_form = || ImportError::new(NO_FORM, Some(sentence.span));
        let mut terms = Vec::new();
        for (at, arg) in sentence.args.iter().enumerate() {
            let term = self.term(scope, Place::Relation(sentence.relation, at), arg);
            terms.push(term.ok_or_else(no_form)?);
        }
        let mut branches = Vec::new();
        for (number, clause) in self.clauses_of(sentence.relation) {
            if clause.body.iter().any(|literal| uses(literal, sentence.relation)) {
                return Err(no_form());
            }
            for &maker in self.makers_of(clause, Some(moved)) {
                let mut inner = Scope::new(number, clause, Context::Move);
                inner.names.clone_from(&scope.names);
                inner.ranges.clone_from(&scope.ranges);
                inner.optional.clone_from(&scope.optional);
                let place = |at: usize| Place::Relation(sentence.relation, at);
                let mut parts = self.unify(&mut inner, &terms, &clause.head.args, place);
                let of = (Some(moved), maker);
                let Some(rest) = self.of_move(clause, of, &mut inner, &mut parts)? else {
                    continue;
                };
                parts.extend(self.formula(&rest, &mut inner, &BTreeSet::new())?.parts);
                if self.clash(&parts) {
                    continue;
                }
                branches.push(Formula { binders: Vec::new(), parts }.written());
            }
        }
        Ok(match any_of(&branches) {
            one if one.contains(" or ") => format!("({one})"),
            one => one,
        })
    }

    /// Binds the variables of `(does role move)`; false if another move is meant.
    fn unify_move(
        &self,
        sentence: &Sentence,
        of: (Symbol, &[String], Maker),
        scope: &mut Scope,
        parts: &mut Vec<String>,
    ) -> bool {
        let (made, params, maker) = of;
        let (who, players) = match &sentence.args[1] {
            Pattern::Var(_) => ("me", self.names.roles.iter().map(|role| self.player(role)).collect()),
            Pattern::Const(name) | Pattern::Compound(name, _) if *name == made && maker == Maker::Mover => {
                ("me", self.makers(made).into_iter().collect())
            }
            Pattern::Const(name) | Pattern::Compound(name, _) if !self.at_once() => {
                ("opponent", self.waiting_players(*name))
            }
            _ => return false,
        };
        let mut players: Vec<String> = players;
        if who == "opponent" {
            // Whoever alone makes the move does not wait meanwhile.
            let makers = self.makers(made);
            players.retain(|player| makers.len() != 1 || !makers.contains(player));
        }
        if players.is_empty() {
            return false;
        }
        match &sentence.args[0] {
            role if who == "opponent" && self.names.roles.len() != 2 => {
                match self.waiting_role(role, scope) {
                    Some(waiting) if players.len() == self.names.roles.len() => {
                        parts.push(format!("{waiting} != me"));
                    }
                    _ => return false,
                }
            }
            Pattern::Var(var) => match scope.terms.get(var) {
                Some(known) if known != who => parts.push(format!("{who} = {known}")),
                Some(_) => {}
                None => {
                    scope.terms.insert(*var, who.to_owned());
                }
            },
            Pattern::Const(role) if self.has_turns() => {
                let role = self.types.value(Place::Role, *role).unwrap_or_default();
                match &players[..] {
                    [only] if only == role => {}
                    players if !players.iter().any(|player| player == role) => return false,
                    _ => parts.push(format!("{who} = {role}")),
                }
            }
            _ => {}
        }
        let Pattern::Compound(name, args) = &sentence.args[1] else { return true };
        if who == "me" {
            parts.extend(self.unify(scope, params, args, |at| Place::Function(made, at)));
            return true;
        }
        // Those who wait by such a move all make the same one, or the condition has no form.
        let waits = self.names.waits.iter().flatten().filter(|term| head_of(term) == self.symbol(*name));
        let mut terms: Vec<Vec<String>> = waits.map(|term| self.written_args(*name, term)).collect();
        terms.dedup();
        let [terms] = &terms[..] else { return false };
        let found = self.unify(scope, terms, args, |at| Place::Function(*name, at));
        let is_same = |part: &String| part.split_once(" = ").is_some_and(|(a, b)| a == b);
        found.iter().all(is_same)
    }

    /// The role that waits, as a condition on a move names it; `None` if it may be any of several.
    fn waiting_role(&self, role: &Pattern, scope: &Scope) -> Option<String> {
        match role {
            Pattern::Var(var) => scope.terms.get(var).cloned(),
            Pattern::Const(role) => self.types.value(Place::Role, *role).map(str::to_owned),
            Pattern::Compound(..) => None,
        }
    }

    /// A rule as an effect; `None` if it is about other moves.
    fn addition(
        &self,
        rule: (usize, &Clause),
        moved: Option<Moved<'_>>,
        form: (Maker, bool),
    ) -> Result<Option<Addition>, ImportError> {
        let ((number, clause), (maker, is_value)) = (rule, form);
        let mut scope = Scope::new(number, clause, Self::context_of(moved));
        scope.names.extend(moved.iter().flat_map(|of| of.1).cloned());
        let mut parts = Vec::new();
        let of = (moved, maker);
        let Some(rest) = self.of_move(clause, of, &mut scope, &mut parts)? else { return Ok(None) };
        parts.iter().for_each(|part| scope.note_bound(part));
        let mut head = BTreeSet::new();
        clause.head.each_var(&mut |var| {
            head.insert(var);
        });
        let formula = self.formula(&rest, &mut scope, &head)?;
        parts.extend(formula.parts);
        let args = super::types::places(&self.sheet.keywords, &clause.head);
        let terms = args.iter().map(|(place, pattern)| self.term(&scope, *place, pattern));
        let Some(mut keys) = terms.collect::<Option<Vec<String>>>() else {
            return Err(ImportError::new("a part of this conclusion has no form", Some(clause.span)));
        };
        let value = if is_value { keys.pop().unwrap_or_default() } else { "true".to_owned() };
        // A variable that is a key takes the values of the keys.
        let mut binders = formula.binders;
        if let Pattern::Compound(name, _) = &clause.head.args[0] {
            for (at, key) in keys.iter().enumerate() {
                if let Some(binder) = binders.iter_mut().find(|binder| binder.split(' ').next() == Some(key))
                {
                    *binder = format!("{key} in {}", self.type_of_argument(*name, at)?);
                    let (of_key, known) = (self.range_at(*name, at), scope.ranges.get(key).copied());
                    // Conditions may rest on the range of the variable.
                    if let (Some(of_key), Some((least, most))) = (of_key, known)
                        && !is_within(of_key, (least, most))
                    {
                        parts.insert(0, in_range(key, (least, most)));
                    }
                }
            }
        }
        if parts.iter().any(|part| part == "false") {
            return Ok(None);
        }
        let mut terms = [keys, vec![value]].concat();
        put_numbers(&mut binders, &mut parts, &mut terms);
        if is_value {
            self.put_other(&mut binders, &mut parts, &mut terms);
        }
        let value = terms.pop().unwrap_or_default();
        let keys = terms;
        if moved.is_none() && self.at_once() {
            let read: Vec<String> = keys.iter().chain([&value]).cloned().collect();
            let stored = self.stored_choices(&read, &parts);
            parts.splice(0..0, stored);
        }
        Ok(Some(Addition { binders, keys, value, parts }))
    }
}

impl Addition {
    /// The statement, without conditions that are known, with the effect where the condition fails.
    fn statement(&self, field: &str, known: &[String], otherwise: Option<&str>) -> String {
        let set = format!("{} := {};", cell(field, &self.keys), self.value);
        self.guarded(set, known, otherwise)
    }

    /// A statement under the conditions of this effect.
    fn guarded(&self, set: String, known: &[String], otherwise: Option<&str>) -> String {
        let parts = self.parts.iter().filter(|part| !known.contains(part)).map(String::as_str);
        let condition = parts.collect::<Vec<_>>().join(" and ");
        let set = match otherwise {
            _ if condition.is_empty() => set,
            Some(otherwise) => format!("if {condition} {{ {set} }} else {{ {otherwise} }}"),
            None => format!("if {condition} {{ {set} }}"),
        };
        if self.binders.is_empty() { set } else { format!("for {} {{ {set} }}", self.binders.join(", ")) }
    }
}

/// The opposite of a condition.
pub(super) fn negated(condition: &str) -> String {
    match condition {
        "false" => "true".to_owned(),
        "true" => "false".to_owned(),
        condition => match condition.strip_prefix("not ") {
            Some(inner) if is_closed(inner) => without_parentheses(inner).to_owned(),
            _ => format!("not ({condition})"),
        },
    }
}

/// A condition without parentheses around the whole of it, as far as it needs none beside `and`.
fn without_parentheses(condition: &str) -> &str {
    let inner = condition.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    match inner.filter(|_| is_wrapped(condition)) {
        Some(inner) if is_wrapped(inner) => without_parentheses(inner),
        Some(inner) if ![" or ", ": ", "if "].iter().any(|word| inner.contains(word)) => inner,
        _ => condition,
    }
}

/// Returns true if a condition is one word with its arguments or stands in parentheses as a whole, so that
/// `not` before it is about all of it.
fn is_closed(condition: &str) -> bool {
    let mut depth = 0;
    let mut is_open = |c: char| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        depth == 0 && c == ' '
    };
    !condition.chars().any(&mut is_open)
}

/// Returns true if a condition of a rule is that the fluent of its head holds.
pub(super) fn is_repeated(importer: &Importer<'_>, clause: &Clause, literal: &Literal) -> bool {
    match literal {
        Literal::Positive(sentence) => {
            sentence.relation == importer.sheet.keywords.true_ && sentence.args[0] == clause.head.args[0]
        }
        _ => false,
    }
}

/// Returns true if a relation occurs in a condition.
fn uses(literal: &Literal, relation: Symbol) -> bool {
    let mut found = false;
    literal.each_sentence(&mut |sentence, _| found |= sentence.relation == relation);
    found
}

fn is_frame(importer: &Importer<'_>, clause: &Clause) -> bool {
    clause.body.iter().any(|literal| is_repeated(importer, clause, literal))
}
