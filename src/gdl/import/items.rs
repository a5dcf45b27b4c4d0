//! The items of the text: players, types, fields, definitions, moves and ends.

use std::collections::{BTreeMap, BTreeSet};

use bouton_base::cancel;

use super::choices::JointEffects;
use super::first_values::{truth, values};
use super::formulas::{Context, Scope, any_of, mentions};
use super::types::{Kind, Place};
use super::{Fluent, ImportError, Importer, Static, args_of, head_of, literals};
use crate::sheet::{Clause, Pattern};
use crate::terms::Symbol;

/// The maximal number of facts of a relation that are written, where the sheet has rules for it.
const MAX_FACTS: usize = 500;

/// The parameters and the bodies of the definitions of relations.
pub type Bodies = BTreeMap<Symbol, (String, String)>;

impl Importer<'_> {
    /// Writes the whole text.
    pub(super) fn write(&mut self, roles: &[usize]) -> Result<(), ImportError> {
        let title = self.sheet.title.replace(['"', '\\', '{', '}'], "");
        let title = if title.is_empty() { "Game".to_owned() } else { title };
        self.line(&format!("game \"{title}\";"));
        self.first_comments();
        let players: Vec<String> = roles.iter().map(|&role| self.player(&self.names.roles[role])).collect();
        let word = if players.len() == 1 { "player" } else { "players" };
        self.line("");
        self.line(&format!("{word} {};", players.join(", ")));
        let head = std::mem::take(&mut self.out);
        let bodies = self.definition_bodies()?;
        let joint = if self.choices.is_some() { Some(self.joint_effects(&bodies)?) } else { None };
        let (fields, records) = match &joint {
            Some(joint) => self.choice_declarations(&joint.stored),
            None => Default::default(),
        };
        let actor = match self.at_once() {
            true => Some("each".to_owned()),
            false => self.chooser().filter(|_| self.rotation.is_none()),
        };
        if let Some(actor) = actor {
            let phase = self.types.fresh("turn");
            self.line("");
            if !self.at_once() {
                self.line(
                    "// Whose turn it is follows from the position: the sheet itself is solved faster.",
                );
            }
            self.line(&format!("phases {{ {phase} by {actor}; }}"));
        }
        records.iter().for_each(|record| self.line(record));
        self.state(&fields)?;
        self.moves(joint.as_ref(), &bodies)?;
        self.ends()?;
        self.write_definitions(&bodies);
        self.write_holes();
        self.write_functions();
        self.observed_fields();
        self.renamings();
        let body = std::mem::replace(&mut self.out, head);
        for (name, members) in self.types.enums.clone() {
            if mentions(&body, &name) || members.iter().any(|member| mentions(&body, member)) {
                self.line(&format!("enum {name} {{ {} }}", members.join(", ")));
            }
        }
        self.out += &body;
        Ok(())
    }

    pub(super) fn line(&mut self, text: &str) {
        self.out += text;
        self.out.push('\n');
    }

    /// The written name of a role.
    pub(super) fn player(&self, role: &str) -> String {
        let found = self.types.originals.iter().find(|(_, original)| *original == role);
        let symbol = self.clauses.iter().find_map(|(_, clause)| match clause.head.args.first() {
            Some(Pattern::Const(name))
                if clause.head.relation == self.sheet.keywords.role && self.symbol(*name) == role =>
            {
                self.types.value(Place::Role, *name)
            }
            _ => None,
        });
        symbol.or(found.map(|(written, _)| written.as_str())).unwrap_or(role).to_owned()
    }

    /// Writes the fields with their first values.
    fn state(&mut self, choices: &[String]) -> Result<(), ImportError> {
        let of = self.sheet.keywords;
        self.line("");
        self.line("state {");
        for (name, fluent) in self.fluents.clone() {
            let original = self.symbol(name).to_owned();
            let is_own = |clause: &Clause| {
                clause.head.relation == of.init
                    && matches!(clause.head.args[0], Pattern::Const(n) | Pattern::Compound(n, _) if n == name)
            };
            let arity = self.arity(name);
            let initial: Vec<Vec<String>> = self
                .samples
                .first()
                .into_iter()
                .flatten()
                .filter(|term| head_of(term) == original)
                .map(|term| self.written_args(name, term))
                .collect();
            let (keys, line) = match &fluent {
                Fluent::Constant | Fluent::Control => continue,
                Fluent::Truth(field) => {
                    let sizes: Vec<Option<usize>> = (0..arity).map(|at| self.key_size(name, at)).collect();
                    (arity, (field.clone(), "bool".to_owned(), truth(&initial, &sizes)))
                }
                Fluent::Value { field, total } => {
                    let place = Place::Function(name, arity - 1);
                    let optional = !total && !self.types.has_empty_value(place);
                    let mut of = self.type_of_argument(name, arity - 1)?;
                    if optional {
                        of.push('?');
                    }
                    let sizes: Vec<Option<usize>> =
                        (1..arity).map(|at| self.key_size(name, at - 1)).collect();
                    (
                        arity - 1,
                        (
                            field.clone(),
                            of,
                            values(&initial, &sizes, *total && !self.holes.contains_key(field)),
                        ),
                    )
                }
            };
            let (field, ty, init) = line;
            self.comments("  ", is_own);
            let mut written = Vec::new();
            for at in 0..keys {
                written.push(format!("k{}: {}", at + 1, self.type_of_argument(name, at)?));
            }
            let keys = if written.is_empty() { String::new() } else { format!("[{}]", written.join(", ")) };
            let init = if init.is_empty() { String::new() } else { format!(" = {init}") };
            let word = if self.is_transient(name) { "transient " } else { "" };
            self.line(&format!("  {word}{field}{keys}: {ty}{init};"));
        }
        choices.iter().for_each(|choice| self.line(&format!("  {choice}")));
        self.line("}");
        Ok(())
    }

    /// The number of arguments of a function.
    fn arity(&self, name: Symbol) -> usize {
        self.types.arity(name)
    }

    /// The arguments of a fluent as they are written in the text.
    pub(super) fn written_args(&self, name: Symbol, term: &str) -> Vec<String> {
        let args = args_of(term).enumerate();
        let value = |(at, arg): (usize, &str)| {
            let symbol = self.sheet.symbols.find(arg)?;
            self.types.value(Place::Function(name, at), symbol).map(str::to_owned)
        };
        args.map(|pair| value(pair).unwrap_or_default()).collect()
    }

    /// The last place of a fluent with arguments, which is that of its value.
    pub(super) fn last_place(&self, fluent: Symbol) -> Place {
        Place::Function(fluent, self.arity(fluent).saturating_sub(1))
    }

    /// The relations with rules or facts that may have definitions, in the order of the sheet.
    fn defined_relations(&self) -> Vec<Symbol> {
        let mut order: Vec<Symbol> = Vec::new();
        for (_, clause) in &self.clauses {
            let relation = clause.head.relation;
            if self.definitions.contains_key(&relation) && !order.contains(&relation) {
                order.push(relation);
            }
        }
        order
    }

    /// The definitions of all relations that conditions may call.
    fn definition_bodies(&self) -> Result<Bodies, ImportError> {
        let mut bodies = Bodies::new();
        for relation in self.defined_relations() {
            let written = match self.statics.get(&relation) {
                Some(Static::Everything | Static::Comparison(_) | Static::Same(_) | Static::Range(..)) => {
                    continue;
                }
                Some(Static::Sum { .. } | Static::Arithmetic(_) | Static::Functions) => continue,
                Some(_) if self.is_list(relation) => self.facts(relation)?,
                Some(_) => self.definition(relation)?,
                // Conditions on moves are written out where they occur.
                None if self.of_moves.contains(&relation) && self.choices.is_none() => continue,
                None => self.definition(relation)?,
            };
            bodies.insert(relation, written);
        }
        Ok(bodies)
    }

    /// The relations whose definitions a text calls, directly or not.
    fn called(&self, text: &str, bodies: &Bodies) -> BTreeSet<Symbol> {
        let mut wanted: BTreeSet<Symbol> = BTreeSet::new();
        let mut texts = vec![text];
        while let Some(text) = texts.pop() {
            for (&relation, (_, body)) in bodies {
                if mentions(text, &self.definitions[&relation]) && wanted.insert(relation) {
                    texts.push(body);
                }
            }
        }
        wanted
    }

    /// A text with the definitions that it calls.
    pub(super) fn called_texts<'t>(&self, text: &'t str, bodies: &'t Bodies) -> Vec<&'t str> {
        let called = self.called(text, bodies).into_iter().map(|relation| bodies[&relation].1.as_str());
        std::iter::once(text).chain(called).collect()
    }

    /// Writes a definition for each relation that conditions call; others were replaced by operators.
    fn write_definitions(&mut self, bodies: &Bodies) {
        let wanted = self.called(&self.out, bodies);
        if !wanted.is_empty() {
            self.line("");
        }
        for relation in self.defined_relations().into_iter().filter(|relation| wanted.contains(relation)) {
            let Some((params, body)) = bodies.get(&relation).cloned() else { continue };
            let params = mark_unused(&params, &body);
            let name = self.definitions[&relation].clone();
            self.comments("", |clause| clause.head.relation == relation);
            let has_rules = !self.is_list(relation);
            let word = if has_rules && self.recursive.contains(&relation) { "inductive" } else { "def" };
            self.line(&format!("{word} {name}{params} = {};", lines(&body, "  ")));
        }
    }

    /// Returns true if a relation is written as a list of facts: if the sheet has no rules for it, or recursive ones.
    fn is_list(&self, relation: Symbol) -> bool {
        let clauses = self.clauses_of(relation);
        let is_recursive = self.recursive.contains(&relation);
        let has_rules = clauses.iter().any(|(_, clause)| !clause.body.is_empty());
        self.statics.contains_key(&relation)
            && (!has_rules || is_recursive && self.tuples(relation).len() <= MAX_FACTS)
    }

    /// The type of an argument of a fluent or a move, as written: of numbers only those that occur in play.
    pub(super) fn type_of_argument(&self, name: Symbol, at: usize) -> Result<String, ImportError> {
        let place = Place::Function(name, at);
        match self.types.kind(place) {
            Some(Kind::OptionalPlayer(_)) if self.role_places.contains(&place) => {
                return Ok("Player".to_owned());
            }
            Some(Kind::Numbers(..)) => {}
            _ => return self.types.written(place),
        }
        let original = self.symbol(name);
        let fluents = self.names.fluents.iter().map(|of| &of.term).chain(&self.names.constants);
        let terms = fluents.chain(self.names.moves.iter().map(|of| &of.term));
        let terms = terms.filter(|term| head_of(term) == original);
        let argument = |term: &String| args_of(term).nth(at)?.parse::<i64>().ok();
        let numbers: Vec<i64> = terms.filter_map(argument).collect();
        match (numbers.iter().min(), numbers.iter().max()) {
            (Some(least), Some(most)) => Ok(format!("{least}..{most}")),
            _ => self.types.written(place),
        }
    }

    /// Finds the relations that depend on themselves.
    pub(super) fn find_recursive(&self) -> BTreeSet<Symbol> {
        let mut uses: BTreeSet<(Symbol, Symbol)> = BTreeSet::new();
        for (_, clause) in &self.clauses {
            clause.body.iter().for_each(|literal| {
                literal.each_sentence(&mut |sentence, _| {
                    uses.insert((clause.head.relation, sentence.relation));
                });
            });
        }
        loop {
            cancel::step();
            let more: Vec<(Symbol, Symbol)> = uses
                .iter()
                .flat_map(|&(a, b)| {
                    uses.range((b, Symbol(0))..=(b, Symbol(u32::MAX))).map(move |&(_, c)| (a, c))
                })
                .filter(|pair| !uses.contains(pair))
                .collect();
            if more.is_empty() {
                break;
            }
            uses.extend(more);
        }
        uses.iter().filter(|(a, b)| a == b).map(|(a, _)| *a).collect()
    }

    /// The parameters and the body of a relation that is a list of facts.
    fn facts(&self, relation: Symbol) -> Result<(String, String), ImportError> {
        let tuples = self.tuples(relation);
        let arity = tuples.first().map_or(0, Vec::len);
        let names: Vec<String> = (1..=arity).map(|at| self.types.unused(&format!("a{at}"))).collect();
        let params = self.params(relation, &names)?;
        let body = match arity {
            0 => (!tuples.is_empty()).to_string(),
            1 => {
                let values: Vec<String> = tuples.into_iter().flatten().collect();
                format!("{} in {{ {} }}", names[0], values.join(", "))
            }
            _ => {
                let tuples: Vec<String> =
                    tuples.iter().map(|tuple| format!("({})", tuple.join(", "))).collect();
                format!("({}) in {{ {} }}", names.join(", "), tuples.join(", "))
            }
        };
        Ok((params, body))
    }

    /// The type of a parameter of a definition, as written.
    pub(super) fn type_of_parameter(&self, place: Place) -> Result<String, ImportError> {
        match self.types.kind(place) {
            // It holds for roles only.
            Some(Kind::OptionalPlayer(_)) if self.role_places.contains(&place) => Ok("Player".to_owned()),
            _ => self.types.written(place),
        }
    }

    fn params(&self, relation: Symbol, names: &[String]) -> Result<String, ImportError> {
        let mut params = Vec::new();
        for (at, name) in names.iter().enumerate() {
            params.push(format!("{name}: {}", self.type_of_parameter(Place::Relation(relation, at))?));
        }
        Ok(if params.is_empty() { String::new() } else { format!("({})", params.join(", ")) })
    }

    /// The parameters and the body of a relation with rules.
    fn definition(&self, relation: Symbol) -> Result<(String, String), ImportError> {
        let clauses = self.clauses_of(relation);
        let arity = clauses.first().map_or(0, |(_, clause)| clause.head.args.len());
        let names = self.parameter_names(&clauses, arity, |clause| &clause.head.args);
        let mut bodies = Vec::new();
        for (number, clause) in clauses {
            cancel::step();
            let mut scope = Scope::new(number, clause, Context::Position);
            let mut parts =
                self.unify(&mut scope, &names, &clause.head.args, |at| Place::Relation(relation, at));
            let formula = self.formula(&literals(clause), &mut scope, &BTreeSet::new());
            let formula = formula.map_err(|why| why.at(clause.span))?;
            parts.extend(formula.parts);
            if parts.iter().any(|part| part == "false") {
                continue;
            }
            let body = if parts.is_empty() { "true".to_owned() } else { parts.join(" and ") };
            if !bodies.contains(&body) {
                bodies.push(body);
            }
        }
        Ok((self.params(relation, &names)?, any_of(&bodies)))
    }

    /// Names for parameters: those of the variables of the first clause that has them.
    pub(super) fn parameter_names<'c>(
        &self,
        clauses: &[(usize, &'c Clause)],
        arity: usize,
        args: impl Fn(&'c Clause) -> &'c [Pattern],
    ) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for at in 0..arity {
            let of_clause = clauses.iter().find_map(|(_, clause)| match args(clause).get(at) {
                Some(Pattern::Var(var)) => Some(clause.vars[*var as usize].trim_start_matches('?')),
                _ => None,
            });
            let base = of_clause.map_or_else(|| format!("a{}", at + 1), str::to_owned);
            let mut name = self.types.unused(&base);
            let mut number = 1;
            while names.contains(&name) {
                number += 1;
                name = self.types.unused(&format!("{base}_{number}"));
            }
            names.push(name);
        }
        names
    }

    /// Binds the variables of a head to parameters; returns the conditions that this needs.
    pub(super) fn unify(
        &self,
        scope: &mut Scope,
        names: &[String],
        args: &[Pattern],
        place: impl Fn(usize) -> Place,
    ) -> Vec<String> {
        let mut parts = Vec::new();
        scope.names.extend(names.iter().cloned());
        for (at, (name, arg)) in names.iter().zip(args).enumerate() {
            match arg {
                Pattern::Var(var) => match scope.terms.get(var) {
                    Some(other) if other != name => parts.push(format!("{name} = {other}")),
                    Some(_) => {}
                    None => {
                        scope.terms.insert(*var, name.clone());
                        self.note_place(scope, name, place(at));
                    }
                },
                Pattern::Const(symbol) => match self.types.value(place(at), *symbol) {
                    Some(value) => parts.push(format!("{name} = {value}")),
                    None => parts.push("false".to_owned()),
                },
                Pattern::Compound(..) => parts.push("false".to_owned()),
            }
        }
        parts
    }

    /// The rules that make moves of a function legal.
    fn legal_clauses(&self, name: Symbol) -> Vec<(usize, &Clause)> {
        let legal = self.sheet.keywords.legal;
        let is_own = |clause: &Clause| is_legal(clause, legal, name);
        self.clauses.iter().copied().filter(|(_, clause)| is_own(clause)).collect()
    }

    /// The parameters of a move.
    pub(super) fn move_params(&self, name: Symbol) -> Vec<String> {
        let clauses = self.legal_clauses(name);
        self.parameter_names(&clauses, self.arity(name), |clause| move_args(&clause.head.args[1]))
    }

    /// Writes the moves.
    fn moves(&mut self, joint: Option<&JointEffects>, bodies: &Bodies) -> Result<(), ImportError> {
        let legal = self.sheet.keywords.legal;
        for (name, written) in self.moves.clone() {
            let clauses = self.legal_clauses(name);
            let names = self.move_params(name);
            let makers = self.makers(name);
            let mut params = Vec::new();
            for (at, param) in names.iter().enumerate() {
                params.push(format!("{param}: {}", self.type_of_argument(name, at)?));
            }
            // The conditions of each role, so that equal ones are written once.
            let mut by_condition: Vec<(Vec<String>, BTreeSet<String>)> = Vec::new();
            for (number, clause) in clauses {
                let mut scope = Scope::new(number, clause, Context::Move);
                let role = match &clause.head.args[0] {
                    Pattern::Var(var) => {
                        scope.terms.insert(*var, "me".to_owned());
                        None
                    }
                    Pattern::Const(role) => {
                        Some(self.types.value(Place::Role, *role).unwrap_or_default().to_owned())
                    }
                    Pattern::Compound(..) => continue,
                };
                let args = move_args(&clause.head.args[1]);
                let mut parts = self.unify(&mut scope, &names, args, |at| Place::Function(name, at));
                let formula = self.formula(&literals(clause), &mut scope, &BTreeSet::new());
                parts.extend(formula.map_err(|why| why.at(clause.span))?.parts);
                if parts.iter().any(|part| part == "false") {
                    continue;
                }
                // Who acts is known to be the one whose turn it is.
                let turn = self.chooser().map(|field| format!("{field} = me"));
                parts.retain(|part| Some(part) != turn.as_ref());
                let all: BTreeSet<String> = self.names.roles.iter().map(|role| self.player(role)).collect();
                // Conditions on who acts; one on a parameter, `me != q`, is a condition as all others.
                let is_of_maker = |part: &String, sign: &str| {
                    part.strip_prefix(sign).is_some_and(|role| role == "me" || all.contains(role))
                };
                let (own, others): (Vec<String>, Vec<String>) =
                    parts.into_iter().partition(|part| is_of_maker(part, "me = "));
                let own: BTreeSet<String> = own.iter().map(|part| part["me = ".len()..].to_owned()).collect();
                let roles = match (role, own.len()) {
                    (Some(role), 0) => BTreeSet::from([role]),
                    (Some(role), 1) if own.contains(&role) => own,
                    (None, 0) => all.clone(),
                    (None, 1) => own,
                    _ => continue,
                };
                let mut roles: BTreeSet<String> = roles.intersection(&makers).cloned().collect();
                // Those who do not act here are no condition.
                let (not, others): (Vec<String>, Vec<String>) =
                    others.into_iter().partition(|part| is_of_maker(part, "me != "));
                not.iter().for_each(|part| {
                    roles.remove(&part["me != ".len()..]);
                });
                if roles.is_empty() || not.iter().any(|part| part == "me != me") {
                    continue;
                }
                match by_condition.iter_mut().find(|(conditions, _)| *conditions == others) {
                    Some((_, of)) => of.extend(roles),
                    None => by_condition.push((others, roles)),
                }
            }
            // In turns, only those who ever choose have the turn.
            let mut everybody: BTreeSet<String> =
                self.names.roles.iter().map(|role| self.player(role)).collect();
            if !self.at_once() {
                everybody = self.moves.keys().flat_map(|&made| self.makers(made)).collect();
            }
            let known = match &by_condition[..] {
                [(conditions, _)] => conditions.clone(),
                _ => Vec::new(),
            };
            let conditions: Vec<String> = by_condition
                .into_iter()
                .map(|(conditions, roles)| {
                    let condition =
                        if conditions.is_empty() { "true".to_owned() } else { conditions.join(" and ") };
                    if roles == everybody {
                        return condition;
                    }
                    let roles: Vec<String> = roles.into_iter().map(|role| format!("me = {role}")).collect();
                    match (condition.as_str(), roles.len()) {
                        ("true", _) => roles.join(" or "),
                        (_, 1) => format!("{} and {condition}", roles[0]),
                        _ => format!("({}) and {condition}", roles.join(" or ")),
                    }
                })
                .collect();
            let effects = match joint {
                None => {
                    let mut effects = self.effects((name, &names), &known)?;
                    if self.moves_again(name) {
                        effects.push("again;".to_owned());
                    }
                    effects
                }
                Some(joint) => {
                    let mut known = known;
                    known.extend(
                        makers.iter().take(1).filter(|_| makers.len() == 1).map(|p| format!("me = {p}")),
                    );
                    let mut effects = self.direct_effects((name, &names), &joint.direct, &known)?;
                    let choice = self.choices.as_ref().and_then(|choices| choices.get(&name));
                    effects.extend(choice.filter(|_| joint.stored.contains(&name)).map(|c| c.store(&names)));
                    if !self.at_once() && self.moves_again(name) {
                        effects.push("again;".to_owned());
                    }
                    effects
                }
            };
            let effects = self.in_order(effects, bodies);
            self.line("");
            self.comments("", |clause| is_legal(clause, legal, name));
            let condition = any_of(&conditions);
            let params = mark_unused(&format!("({})", params.join(", ")), &(effects.join(" ") + &condition));
            self.line(&format!("move {written}{params} {{"));
            if condition != "true" {
                self.line(&format!("  when {};", lines(&condition, "    ")));
            }
            effects.iter().for_each(|effect| self.line(&format!("  {effect}")));
            self.line("}");
        }
        if let Some(joint) = joint {
            self.every_move(joint, bodies);
        }
        Ok(())
    }

    /// Returns true if the same player moves again after a move.
    fn moves_again(&self, name: Symbol) -> bool {
        let is_stated = self.rotation.as_ref().is_some_and(|again| again.contains(&name));
        self.has_turns() && (is_stated || self.only_mover().is_some())
    }

    /// Writes what happens whatever is chosen, and what follows from all choices together.
    fn every_move(&mut self, joint: &JointEffects, bodies: &Bodies) {
        if joint.always.is_empty() && joint.stage.is_empty() {
            return;
        }
        self.line("");
        self.line("every move {");
        let [always, stage] =
            [&joint.always, &joint.stage].map(|effects| self.in_order(effects.clone(), bodies));
        always.iter().for_each(|effect| self.line(&format!("  {effect}")));
        if !joint.stage.is_empty() {
            self.line("  then {");
            stage.iter().for_each(|effect| self.line(&format!("    {effect}")));
            self.line("  }");
        }
        self.line("}");
    }

    /// Names the fields that have one value for each key by samples alone.
    fn observed_fields(&mut self) {
        let fields = self.observed.iter().filter_map(|fluent| match self.fluents.get(fluent) {
            Some(Fluent::Value { field, .. }) => Some(field.as_str()),
            _ => None,
        });
        let fields: Vec<&str> = fields.collect();
        if !fields.is_empty() {
            let line = format!(
                "// At most one value in all plays that were tried, not proved: {}",
                fields.join(", ")
            );
            self.line("");
            self.line(&line);
        }
    }

    /// Writes the names that differ from those of the sheet.
    fn renamings(&mut self) {
        let changed: Vec<String> = self
            .types
            .originals
            .iter()
            .filter(|(written, original)| match self.names.roles.contains(original) {
                true => !written.eq_ignore_ascii_case(original),
                false => written != original && !written.starts_with(char::is_uppercase),
            })
            .filter(|(written, original)| self.names.roles.contains(original) || mentions(&self.out, written))
            .map(|(written, original)| format!("// {written}: {original}"))
            .collect();
        if !changed.is_empty() {
            self.line("");
            self.line("// Names that are others in the sheet:");
            changed.iter().for_each(|line| self.line(line));
        }
    }
}

/// Parameters, `(x: 1..5, y: 1..5)`, in which the names that the body does not mention begin with `_`.
fn mark_unused(params: &str, body: &str) -> String {
    let mark = |param: &str| match param.split_once(": ") {
        Some((name, ty)) if !mentions(body, name) => format!("_{name}: {ty}"),
        _ => param.to_owned(),
    };
    let inner = params.trim_start_matches('(').trim_end_matches(')');
    match inner.is_empty() {
        true => params.to_owned(),
        false => format!("({})", inner.split(", ").map(mark).collect::<Vec<_>>().join(", ")),
    }
}

/// Returns true if a clause makes moves of a function legal.
fn is_legal(clause: &Clause, legal: Symbol, name: Symbol) -> bool {
    clause.head.relation == legal
        && matches!(clause.head.args[1], Pattern::Const(n) | Pattern::Compound(n, _) if n == name)
}

/// The maximal length of a condition that stands in one line.
const LINE_LENGTH: usize = 90;

/// A long disjunction with a line for each of its parts.
pub fn lines(condition: &str, indent: &str) -> String {
    if condition.len() <= LINE_LENGTH {
        return condition.to_owned();
    }
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, c) in condition.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ' ' if depth == 0 && condition[at..].starts_with(" or ") => {
                parts.push(&condition[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&condition[start..]);
    parts.join(&format!("\n{indent}"))
}

/// The arguments of a move.
pub fn move_args(pattern: &Pattern) -> &[Pattern] {
    match pattern {
        Pattern::Compound(_, args) => args,
        _ => &[],
    }
}
