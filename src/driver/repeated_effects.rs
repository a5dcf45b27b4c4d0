//! Effects inside `for` that take a number out of its range (E0503): how often the effect is done to one cell, and the
//! condition of the move for each of the cells.

use super::faults::effects;
use super::later_stages;
use super::load::GameSource;
use super::undefined_terms::Scope;
use bouton_base::source::Span;
use bouton_rules::{
    Binder, Block, Domain, Effect, EffectOp, Expr, ExprKind, Move, Pattern, StmtKind, Value, VarId,
};
use bouton_search::game::{Fault, FaultKind, Game, MoveInstance, State};

/// The maximal number of times that are counted.
const MAX_TIMES: usize = 1_000;
/// The maximal length of the head of a `for` that is repeated.
const MAX_HEAD: usize = 60;

/// An effect in one or more `for`s.
pub(super) struct RepeatedEffect<'a> {
    /// The place of the head of the innermost `for`.
    pub(super) head: Span,
    /// The names that the `for`s bind and that the effect does not speak of.
    unused: Vec<&'a str>,
    /// The number of times that the effect is done to the cell of the fault.
    times: usize,
    /// The words between `for` and `{`, if one `for` of the first stage stands around the effect, and nothing else.
    elements: Option<String>,
    /// The binders of that `for`.
    pub(super) binders: &'a [Binder],
}

/// The statements around the effect at a place, from the outside to the inside, as `for`s and others.
fn around(block: &Block, place: Span) -> Option<Vec<&StmtKind>> {
    let within = |kind, inner| -> Option<Vec<&StmtKind>> {
        let mut path = around(inner, place)?;
        path.insert(0, kind);
        Some(path)
    };
    block.stmts.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Effect(_) => (stmt.span == place).then(Vec::new),
        kind @ (StmtKind::For(_, inner) | StmtKind::Then(inner)) => within(kind, inner),
        kind @ StmtKind::If(_, yes, no) => within(kind, yes).or_else(|| within(kind, no)),
        _ => None,
    })
}

/// Returns true if an effect speaks of a name that a `let` or a `for` inside a statement of the move binds, so that a
/// condition of the move cannot.
pub(super) fn speaks_of_inner_names(mv: &Move, effect: &Effect) -> bool {
    let mut inner: Vec<VarId> = Vec::new();
    for stmt in &mv.body.stmts {
        match &stmt.kind {
            StmtKind::If(_, yes, no) => [yes, no].into_iter().for_each(|block| bound_in(block, &mut inner)),
            StmtKind::Then(block) => bound_in(block, &mut inner),
            StmtKind::For(binders, block) => {
                binders.iter().for_each(|binder| vars_of(&binder.pattern, &mut inner));
                bound_in(block, &mut inner);
            }
            _ => {}
        }
    }
    inner.iter().any(|var| speaks_of(effect, *var))
}

fn bound_in(block: &Block, found: &mut Vec<VarId>) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Let(pattern, _) => vars_of(pattern, found),
            StmtKind::If(_, yes, no) => [yes, no].into_iter().for_each(|block| bound_in(block, found)),
            StmtKind::Then(block) => bound_in(block, found),
            StmtKind::For(binders, block) => {
                binders.iter().for_each(|binder| vars_of(&binder.pattern, found));
                bound_in(block, found);
            }
            _ => {}
        }
    }
}

/// Collects the names that a pattern binds.
pub(super) fn vars_of(pattern: &Pattern, found: &mut Vec<VarId>) {
    match pattern {
        Pattern::Var(var) => found.push(*var),
        Pattern::Tuple(parts) => parts.iter().for_each(|part| vars_of(part, found)),
    }
}

/// A name, and the names that a `let` of the move binds to terms which speak of it.
fn with_lets(mv: &Move, var: VarId) -> Vec<VarId> {
    fn add(block: &Block, names: &mut Vec<VarId>) {
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Let(pattern, value) if has_name(value, names) => vars_of(pattern, names),
                StmtKind::If(_, yes, no) => [yes, no].into_iter().for_each(|block| add(block, names)),
                StmtKind::Then(block) | StmtKind::For(_, block) => add(block, names),
                _ => {}
            }
        }
    }
    let mut names = vec![var];
    add(&mv.body, &mut names);
    names
}

fn speaks_of(effect: &Effect, var: VarId) -> bool {
    effect.keys.iter().chain([&effect.value]).any(|term| has_name(term, &[var]))
}

/// Returns true if a term has one of these names of its move in it. The names of definitions are their own.
pub(super) fn has_name(term: &Expr, names: &[VarId]) -> bool {
    let mut found = matches!(&*term.kind, ExprKind::Var(var) if names.contains(var));
    term.each_part(&mut |part| found = found || has_name(part, names));
    found
}

/// The effect of a fault, if it stands in a `for`.
pub(super) fn repeated<'a>(
    text: &GameSource,
    game: &'a Game,
    state: &State,
    fault: &Fault,
    effect: &'a Effect,
) -> Option<RepeatedEffect<'a>> {
    let MoveInstance::Move(id, args) = fault.play.as_deref()? else { return None };
    let mv = &game.rules.moves[*id];
    let path = around(&mv.body, fault.span)?;
    let mut loops: Vec<(&[Binder], &Block)> = Vec::new();
    for kind in &path {
        if let StmtKind::For(binders, block) = kind {
            loops.push((binders, block));
        }
    }
    let (binders, block) = *loops.last()?;
    let head = head_of(text, block)?;
    let cells = cells_of(game, state, fault, mv, args)?;
    let times_of = |cell: &Vec<Value>| cells.iter().filter(|other| *other == cell).count();
    let is_faulty = |cell: &&Vec<Value>| is_cell_of_fault(game, fault, effect, cell);
    let most = match cells.iter().find(is_faulty) {
        Some(cell) => times_of(cell),
        None => cells.iter().map(times_of).max()?,
    };
    let mut bound = Vec::new();
    loops.iter().flat_map(|(binders, _)| *binders).for_each(|binder| vars_of(&binder.pattern, &mut bound));
    let is_unused = |var: &VarId| !with_lets(mv, *var).into_iter().any(|name| speaks_of(effect, name));
    let unused = bound.into_iter().filter(is_unused);
    let unused = unused.filter_map(|var| mv.vars.get(var)).map(|var| var.name.as_str()).collect();
    let is_plain = matches!(path[..], [StmtKind::For(..)])
        && !block.stmts.iter().any(|stmt| matches!(stmt.kind, StmtKind::Let(..)));
    let words = text.words(head);
    let elements = words.strip_prefix("for ").filter(|_| is_plain && words.len() <= MAX_HEAD);
    Some(RepeatedEffect { head, unused, times: most, elements: elements.map(str::to_owned), binders })
}

/// Returns true for the keys of the cell that the fault names.
fn is_cell_of_fault(game: &Game, fault: &Fault, effect: &Effect, keys: &[Value]) -> bool {
    let FaultKind::OutOfRange { cell, .. } = &fault.kind else { return false };
    let keys: Vec<String> = keys.iter().map(|key| game.rules.show(key)).collect();
    *cell == format!("{}[{}]", game.rules.fields[effect.field].name, keys.join(", "))
}

/// The place of the head of a `for`, from its first word to its last before `{`.
fn head_of(text: &GameSource, block: &Block) -> Option<Span> {
    let first = block.stmts.iter().map(|stmt| stmt.span).find(|span| span.is_placed())?;
    let source = &text.sources.source_of(first)?.text;
    let before = source.get(..first.range().start)?;
    let open = before.trim_end().strip_suffix('{')?.trim_end();
    let start = open.rfind("for ")?;
    let is_word = open[..start].chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '_');
    is_word.then(|| Span::new(first.file, start, open.len()))
}

/// The keys of the cells that the effect of a fault changes, one for each time.
fn cells_of(game: &Game, state: &State, fault: &Fault, mv: &Move, args: &[Value]) -> Option<Vec<Vec<Value>>> {
    let mut found = Vec::new();
    let mut scope = Scope::of(game, state, mv, args);
    match later_stages::stage_of(&mv.body, fault.span) {
        None => cells_in(&mut scope, &mv.body, fault.span, &mut found)?,
        Some(stage) => {
            for stmt in &mv.body.stmts {
                if let StmtKind::Let(pattern, value) = &stmt.kind {
                    scope.bind(pattern, value);
                }
            }
            let play = fault.play.as_deref()?;
            let (game, state) = later_stages::position_before(game, state, play, stage.span)?;
            let Scope { values, unknown, me, .. } = scope;
            let mut later = Scope { game: &game, state: &state, values, unknown, me, ring: None };
            cells_in(&mut later, stage.block, fault.span, &mut found)?;
        }
    }
    Some(found)
}

fn cells_in(scope: &mut Scope<'_>, block: &Block, place: Span, found: &mut Vec<Vec<Value>>) -> Option<()> {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Let(pattern, value) => scope.bind(pattern, value),
            StmtKind::Effect(effect) if stmt.span == place => {
                found.push(effect.keys.iter().map(|key| scope.value(key)).collect::<Option<_>>()?);
            }
            StmtKind::If(condition, yes, no)
                if around(yes, place).is_some() || around(no, place).is_some() =>
            {
                let holds = scope.value(condition)? == Value::Bool(true);
                cells_in(scope, if holds { yes } else { no }, place, found)?;
            }
            StmtKind::For(binders, inner) if around(inner, place).is_some() => {
                cells_of_elements(scope, binders, inner, place, found)?;
            }
            // A stage in another one reads a position that is not known here.
            StmtKind::Then(inner) if around(inner, place).is_some() => return None,
            _ => {}
        }
    }
    Some(())
}

fn cells_of_elements(
    scope: &mut Scope<'_>,
    binders: &[Binder],
    block: &Block,
    place: Span,
    found: &mut Vec<Vec<Value>>,
) -> Option<()> {
    let Some((binder, rest)) = binders.split_first() else { return cells_in(scope, block, place, found) };
    let Pattern::Var(var) = binder.pattern else { return None };
    let elements = match &binder.domain {
        Domain::Fixed(values) => values.to_vec(),
        Domain::Set(set) => scope.value(set)?.as_set()?.to_vec(),
    };
    for element in elements {
        scope.values.insert(var, element);
        let is_kept = match &binder.condition {
            Some(condition) => scope.value(condition)? == Value::Bool(true),
            None => true,
        };
        if is_kept {
            cells_of_elements(scope, rest, block, place, found)?;
        }
        if found.len() > MAX_TIMES {
            return None;
        }
    }
    Some(())
}

/// The head of a `for` around an effect that sets one cell to several values, with a label and the way out.
pub(super) fn one_cell(text: &GameSource, game: &Game, fault: &Fault) -> Option<(Span, String, String)> {
    let FaultKind::Conflict { other, joint: false, .. } = fault.kind else { return None };
    let MoveInstance::Move(id, _) = fault.play.as_deref()? else { return None };
    let mv = &game.rules.moves[*id];
    let all = effects(&mv.body);
    let (effect, _) = all.iter().find(|(_, place)| *place == fault.span && other == fault.span)?;
    let path = around(&mv.body, fault.span)?;
    let mut loops = path.iter().filter_map(|kind| match kind {
        StmtKind::For(binders, block) => Some((binders, block)),
        _ => None,
    });
    let (binders, block) = loops.next_back()?;
    let mut bound = Vec::new();
    binders.iter().for_each(|binder| vars_of(&binder.pattern, &mut bound));
    let in_keys = |var: &VarId| {
        let names = with_lets(mv, *var);
        effect.keys.iter().any(|key| has_name(key, &names))
    };
    let [name] =
        bound.iter().filter(|var| !in_keys(var)).map(|var| &mv.vars[*var].name).collect::<Vec<_>>()[..]
    else {
        return None;
    };
    let words = text.words(fault.span);
    let target = words.split_once(":=")?.0.trim();
    let (head, label) = (head_of(text, block)?, format!("`{target}` does not speak of `{name}`"));
    let help = format!(
        "the effect is done for each `{name}`, and each time to the same cell: if each `{name}` has its own cell, name it in \
         `{target}`"
    );
    Some((head, label, help))
}

impl RepeatedEffect<'_> {
    /// The label of the head, and the ways out, for an effect that changes one cell more than once.
    pub(super) fn way_out(&self, effect: &Effect, target: &str, is_chance: bool) -> Option<(String, String)> {
        if self.times < 2 || effect.op == EffectOp::Set {
            return None;
        }
        // A condition would leave the event out, and so change the probabilities of the others.
        let forbidden = if is_chance { "" } else { "forbid the move here with a `when`, or " };
        if self.unused.is_empty() {
            let label = format!("changes one cell {} times here", self.times);
            let help = format!(
                "the `for` changes one cell of `{target}` {} times here: correct its key if each should come once; otherwise \
                 {forbidden}widen the range of the field",
                self.times
            );
            return Some((label, help));
        }
        let names: Vec<String> = self.unused.iter().map(|name| format!("`{name}`")).collect();
        let each = names.join(" and ");
        let label = format!("done once for each {each}, {} times here", self.times);
        let other_cell = match effect.keys.is_empty() {
            true => String::new(),
            false => format!("; if each {each} has its own cell, name it in `{target}`"),
        };
        let help = format!(
            "`{target}` does not speak of {each}, and changes once for each, {} times here: to change it once, write the \
             effect outside the `for`{other_cell}; if it changes for each, {forbidden}widen the \
             range of the field",
            self.times
        );
        Some((label, help))
    }

    /// A condition of the move that asks for each of the elements, in words.
    pub(super) fn for_all(&self, condition: &str) -> Option<String> {
        let elements = self.elements.as_deref()?;
        Some(format!("all {elements}: {condition}"))
    }
}

/// Returns true if a condition that a help proposes holds already where the number leaves its range.
pub(super) fn holds_already(game: &Game, state: &State, fault: &Fault, condition: &Expr) -> bool {
    let Some(MoveInstance::Move(id, args)) = fault.play.as_deref() else { return false };
    let mv = &game.rules.moves[*id];
    let mut scope = Scope::of(game, state, mv, args);
    for stmt in &mv.body.stmts {
        if let StmtKind::Let(pattern, value) = &stmt.kind {
            scope.bind(pattern, value);
        }
    }
    scope.value(condition) == Some(Value::Bool(true))
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    /// The label of the `for` and the help on the first number out of range.
    fn told(effects: &str) -> (String, String) {
        let rest = format!(
            "state {{ s[i: 1..3]: 0..2 = 0; n: 0..4 = 0; }} move go(i: 1..3) as \"{{i}}\" {{ when n < 4 and s[i] < 2; {effects} }} \
             end {{ when n = 4 => draw; when stuck => draw; }}"
        );
        let found = findings_of_two(&rest, Code::E0503).into_iter().next();
        let of = |found: bouton_syntax::diag::Diagnostic| {
            let label =
                found.labels.iter().map(|label| label.text.clone()).find(|text| text.contains("each"));
            (label.unwrap_or_default(), found.help.unwrap_or_default())
        };
        found.map(of).unwrap_or_default()
    }

    #[test]
    fn an_effect_that_a_loop_repeats_is_told() {
        let (label, help) = told("n += 1; for j in 1..3 where j <= i { s[i] += 1; }");
        assert_eq!(label, "done once for each `j`, 3 times here");
        assert!(
            help.starts_with("`s[i]` does not speak of `j`, and changes once for each, 3 times here"),
            "{help}"
        );
        assert!(help.contains("if each `j` has its own cell, name it in `s[i]`"), "{help}");
        assert!(!help.contains("`when s[i] + 1 <= 2;`"), "{help}");
        let (label, help) = told("for j in 1..3 { n += 1; }");
        assert_eq!(label, "done once for each `j`, 3 times here");
        assert!(help.starts_with("`n` does not speak of `j`") && !help.contains("own cell"), "{help}");
        let (label, help) = told("n += 1; for j in 1..3 { let k = min(3, i + j); s[k] += 1; }");
        assert_eq!(label, "");
        assert!(help.starts_with("the `for` changes one cell of `s[k]` 3 times here"), "{help}");
        let (label, _) = told("then { for j in 1..3 { n += 1; } }");
        assert_eq!(label, "done once for each `j`, 3 times here");
    }

    #[test]
    fn a_loop_that_sets_one_cell_is_told() {
        let help = |target: &str| {
            let rest = format!(
                "state {{ s[i: 1..3]: 0..2 = i - 1; n: 0..4 = 0; }} move go(i: 1..3) as \"{{i}}\" {{ when n < 4; n += 1; for j in \
                 1..3 {{ {target} := (s[j] + 1) mod 3; }} }} end {{ when n = 4 => draw; }}"
            );
            let found = findings_of_two(&rest, Code::E0310).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let told = help("s[i]");
        assert!(
            told.starts_with("the effect is done for each `j`, and each time to the same cell"),
            "{told}"
        );
        assert_eq!(help("s[j]"), "");
    }

    #[test]
    fn a_condition_for_all_elements_is_written_out() {
        let (label, help) = told("n += 1; for j in 1..3 where j != i { s[j] += 1; }");
        assert_eq!(label, "");
        assert!(help.contains("write `when all j in 1..3 where j != i: s[j] + 1 <= 2;`"), "{help}");
        let (_, help) = told("n += 1; for j in 1..3 { if j != i { s[j] += 1; } }");
        assert!(help.contains("if the move is illegal here, forbid it with a `when`;"), "{help}");
        assert_eq!(told("n += 1; s[i] += 1;").1, "");
    }
}
