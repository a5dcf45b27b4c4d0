//! The part of an end rule that no explored position satisfies, also in the definitions that it calls.

use std::sync::Arc;

use super::reasons::{MAX_DEPTH, unfolded};
use crate::load::GameSource;
use bouton_base::source::Span;
use bouton_rules::{Binder, Domain, EndRule, Expr, ExprKind, Fold, Pattern, Quant, Type, Value, VarId, Vars};
use bouton_search::game::explore::Explored;
use bouton_search::game::{Game, State};

/// The maximal number of explored positions that are looked at.
const MAX_POSITIONS: u32 = 20_000;
/// The maximal number of evaluations for a reason.
const MAX_EVALUATIONS: usize = 200_000;
/// The maximal number of values of a term that are listed.
const MAX_VALUES: usize = 6;
/// The maximal number of elements that are listed.
const MAX_ELEMENTS: usize = 3;

/// The part of a condition that no position satisfies.
pub struct NeverHolds {
    pub span: Span,
    pub label: String,
    pub help: Option<String>,
}

/// Returns the part of the condition of a rule that none of the explored positions satisfies, if it is not
/// the whole, or if more is known of it; `None` if that is not known. The game runs on a machine that stops
/// at the limits of the exploration.
pub fn never_holds(text: &GameSource, game: &Game, seen: &Explored, rule: &EndRule) -> Option<NeverHolds> {
    if seen.visited > MAX_POSITIONS || seen.visited < 2 {
        return None;
    }
    let states: Vec<State> = (0..seen.visited).map(|at| seen.arena.state(at)).collect();
    let mut search = PartSearch { text, game, states, depth: 0, left: MAX_EVALUATIONS };
    let around = rule.binder.iter().map(|binder| Around::Some(binder.clone())).collect();
    search.part_of(&rule.condition, &Place { around, vars: &rule.vars })
}

/// A part of a rule around a formula.
#[derive(Clone)]
enum Around {
    /// It holds for some element.
    Some(Binder),
    /// Names of its terms.
    Let(Pattern, Expr),
}

/// The place of a formula in a rule, from the outside to the inside.
#[derive(Clone)]
struct Place<'a> {
    around: Vec<Around>,
    /// The names of the rule or of the definition that the formula stands in.
    vars: &'a Vars,
}

impl<'a> Place<'a> {
    /// The whole formula with a part of it alone.
    fn whole(&self, part: &Expr) -> Expr {
        self.around.iter().rev().fold(part.clone(), |inner, around| match around {
            Around::Some(binder) => {
                let span = inner.span;
                Expr::new(ExprKind::Quant(Quant::Some, vec![binder.clone()], inner), Type::Bool, span)
            }
            Around::Let(pattern, value) => inner.with(pattern.clone(), value.clone()),
        })
    }

    /// A term folded over all elements around it.
    fn folded(&self, fold: Fold, term: Expr) -> Expr {
        self.around.iter().rev().fold(term, |inner, around| match around {
            Around::Some(binder) => {
                let (span, ty) = (inner.span, inner.ty.clone());
                Expr::new(ExprKind::Fold(fold, vec![binder.clone()], inner), ty, span)
            }
            Around::Let(pattern, value) => inner.with(pattern.clone(), value.clone()),
        })
    }

    fn within(&self, more: impl IntoIterator<Item = Around>) -> Self {
        let mut place = self.clone();
        place.around.extend(more);
        place
    }

    fn has_elements(&self) -> bool {
        self.around.iter().any(|around| matches!(around, Around::Some(_)))
    }
}

/// A search for a part of a condition that no position satisfies.
struct PartSearch<'a> {
    text: &'a GameSource,
    game: &'a Game,
    states: Vec<State>,
    /// The number of calls of definitions around the formula.
    depth: usize,
    /// The number of evaluations that are left.
    left: usize,
}

impl<'a> PartSearch<'a> {
    /// Returns true if a formula holds in some position; `None` if that is not known.
    fn is_possible(&mut self, formula: &Expr) -> Option<bool> {
        for state in &self.states {
            self.left = self.left.checked_sub(1)?;
            if self.game.machine.eval(state, formula).ok()? == Some(Value::Bool(true)) {
                return Some(true);
            }
        }
        Some(false)
    }

    /// The part of a formula that never holds, if the formula never does.
    fn part_of(&mut self, formula: &Expr, place: &Place<'a>) -> Option<NeverHolds> {
        match &*formula.kind {
            ExprKind::Let(pattern, value, body) => {
                self.part_of(body, &place.within([Around::Let(pattern.clone(), value.clone())]))
            }
            ExprKind::And(parts) => {
                for part in parts {
                    if part.span.is_placed() && !self.is_possible(&place.whole(part))? {
                        return self.part_of(part, place).or(Some(never_true(part)));
                    }
                }
                None
            }
            ExprKind::Quant(Quant::All, binders, body) => self.part_of_all(binders, body, place),
            ExprKind::Quant(Quant::Some, binders, body) if self.depth > 0 => {
                let inner = place.within(binders.iter().cloned().map(Around::Some));
                if !body.span.is_placed() {
                    return None;
                }
                self.part_of(body, &inner).or_else(|| {
                    let [Binder { pattern: Pattern::Var(var), .. }] = binders[..] else {
                        return Some(never_true(body));
                    };
                    let label = format!("never true, for no `{}`", place.vars.get(var)?.name);
                    Some(NeverHolds { span: body.span, label, help: None })
                })
            }
            ExprKind::Call(id, args) if self.depth < MAX_DEPTH => {
                let body = unfolded(&self.game.rules, *id, args)?;
                let def = &self.game.rules.defs[*id];
                // A call may have no value where its body has one.
                let is_plain = |arg: &Expr| matches!(&*arg.kind, ExprKind::Const(_) | ExprKind::Var(_));
                let fits = |(arg, param): (&Expr, &VarId)| is_plain(arg) && arg.ty == def.vars[*param].ty;
                let is_certain = args.iter().zip(&def.params).all(fits);
                if !is_certain && self.is_possible(&place.whole(&body))? {
                    return None;
                }
                let inner = Place { vars: &def.vars, ..place.clone() };
                self.depth += 1;
                let part = self.part_of(&body, &inner);
                self.depth -= 1;
                part.or_else(|| Some(never_true(&def.body)))
            }
            ExprKind::Equal(a, b) | ExprKind::Subset(a, b)
                if matches!(a.ty, Type::Set(_)) && !place.has_elements() =>
            {
                let is_equation = matches!(&*formula.kind, ExprKind::Equal(..));
                let mut found = self.element_apart([a, b], place)?;
                if is_equation {
                    found.extend(self.element_apart([b, a], place)?);
                }
                if found.is_empty() || !formula.span.is_placed() {
                    return None;
                }
                let label = format!("never true: {}", found.join("; "));
                Some(NeverHolds { span: formula.span, label, help: self.other_subset([a, b], place) })
            }
            ExprKind::Equal(a, b) if self.depth > 0 || !place.has_elements() => {
                match (a.constant(), b.constant()) {
                    (None, Some(wanted)) => self.values_of(a, std::slice::from_ref(wanted), place),
                    (Some(wanted), None) => self.values_of(b, std::slice::from_ref(wanted), place),
                    _ => None,
                }
            }
            ExprKind::In(a, set) if a.constant().is_none() && (self.depth > 0 || !place.has_elements()) => {
                self.values_of(a, &constant_elements(set)?, place)
            }
            ExprKind::Less(a, b) | ExprKind::LessEqual(a, b) => match (a.constant(), b.constant()) {
                (None, Some(Value::Int(_))) => self.extreme_of(a, false, place),
                (Some(Value::Int(_)), None) => self.extreme_of(b, true, place),
                _ => None,
            },
            _ => None,
        }
    }

    /// The help that proposes `b in a` for `a in b` or `a = b`, if that holds in some position and not in the first one.
    fn other_subset(&mut self, [first, second]: [&Expr; 2], place: &Place<'a>) -> Option<String> {
        let subset = Expr::new(ExprKind::Subset(second.clone(), first.clone()), Type::Bool, first.span);
        let whole = place.whole(&subset);
        let at_first = self.game.machine.eval(self.states.first()?, &whole).ok()?;
        if at_first == Some(Value::Bool(true)) || !self.is_possible(&whole)? {
            return None;
        }
        let (first, second) = (self.text.words(first.span), self.text.words(second.span));
        Some(format!("`{second} in {first}` holds in some of them: write that if it is meant"))
    }

    /// The elements of `all` for which its body never holds, or that it holds for each alone.
    fn part_of_all(&mut self, binders: &[Binder], body: &Expr, place: &Place<'a>) -> Option<NeverHolds> {
        let [binder] = binders else { return None };
        let Pattern::Var(var) = binder.pattern else { return None };
        let name = place.vars.get(var)?.name.clone();
        let span = body.span;
        if !span.is_placed() {
            return None;
        }
        let inner = place.within([Around::Some(binder.clone())]);
        if !self.is_possible(&inner.whole(body))? {
            let whole = NeverHolds { span, label: format!("never true, for no `{name}`"), help: None };
            let is_finer = self.depth > 0 || matches!(&*body.kind, ExprKind::Call(..));
            let part = if is_finer { self.part_of(body, &inner) } else { None };
            return part.or(Some(whole));
        }
        let Domain::Fixed(elements) = &binder.domain else {
            return self.most_at_once(binder, &name, body, place);
        };
        if binder.condition.is_some() {
            return None;
        }
        let ever = self.ever_true(binder, body, place)?;
        let mut never: Vec<String> =
            elements.iter().filter(|of| !ever.contains(of)).map(|of| self.game.rules.show(of)).collect();
        if never.is_empty() {
            // No help may end the game before the first move.
            let some =
                Expr::new(ExprKind::Quant(Quant::Some, vec![binder.clone()], body.clone()), Type::Bool, span);
            let first = self.game.machine.eval(self.states.first()?, &place.whole(&some)).ok()?;
            let is_over = first == Some(Value::Bool(true));
            return Some(NeverHolds {
                span,
                label: format!("true for each `{name}` in some position, and never for all at once"),
                help: (!is_over).then(|| "if one is enough, write `some` in place of `all`".to_owned()),
            });
        }
        let more = if never.len() > MAX_ELEMENTS { ", ..." } else { "" };
        never.truncate(MAX_ELEMENTS);
        Some(NeverHolds {
            span,
            label: format!("never true for {name} = {}{more}", never.join(", ")),
            help: None,
        })
    }

    /// The elements for which a formula holds in some position.
    fn ever_true(&mut self, binder: &Binder, body: &Expr, place: &Place<'a>) -> Option<Vec<Value>> {
        let (Domain::Fixed(elements), Pattern::Var(var)) = (&binder.domain, &binder.pattern) else {
            return None;
        };
        let ty = place.vars.get(*var)?.ty.clone();
        let fitting = Binder { condition: Some(body.clone()), ..binder.clone() };
        let element = Expr::new(ExprKind::Var(*var), ty.clone(), body.span);
        let set = Expr::new(ExprKind::Collect(vec![fitting], element), Type::Set(Arc::new(ty)), body.span);
        let here = place.folded(Fold::Union, set);
        let mut ever: Vec<Value> = Vec::new();
        for state in &self.states {
            self.left = self.left.checked_sub(1)?;
            let Some(found) = self.game.machine.eval(state, &here).ok()? else { continue };
            for value in found.as_set()?.iter() {
                if !ever.contains(value) {
                    ever.push(value.clone());
                }
            }
            if ever.len() == elements.len() {
                break;
            }
        }
        Some(ever)
    }

    /// The greatest number of elements for which a formula holds at once, if the number of elements is always
    /// the same.
    fn most_at_once(
        &mut self,
        binder: &Binder,
        name: &str,
        body: &Expr,
        place: &Place<'a>,
    ) -> Option<NeverHolds> {
        if place.has_elements() {
            return None;
        }
        let count = |of: &Expr| {
            let kind = ExprKind::Fold(Fold::Count, vec![binder.clone()], of.clone());
            place.whole(&Expr::new(kind, Type::Int(0, i64::from(u32::MAX)), body.span))
        };
        let all = count(&Expr::new(ExprKind::Const(Value::Bool(true)), Type::Bool, body.span));
        let fitting = count(body);
        let (mut total, mut most) = (None, 0);
        for state in &self.states {
            self.left = self.left.checked_sub(2)?;
            let (Value::Int(here), Value::Int(fit)) =
                (self.game.machine.eval(state, &all).ok()??, self.game.machine.eval(state, &fitting).ok()??)
            else {
                return None;
            };
            if *total.get_or_insert(here) != here {
                return None;
            }
            most = most.max(fit);
        }
        let label = format!("true for at most {most} of the {} `{name}` at once", total?);
        Some(NeverHolds { span: body.span, label, help: None })
    }

    /// An element of the first set in every position that is in no position one of the second, in words: the sets are
    /// never equal. `None` if that is not known.
    fn element_apart(&mut self, [first, second]: [&Expr; 2], place: &Place<'a>) -> Option<Vec<String>> {
        let (mut always, mut ever): (Option<Vec<Value>>, Vec<Value>) = (None, Vec::new());
        for state in &self.states {
            self.left = self.left.checked_sub(2)?;
            let value = |side: &Expr| {
                let whole = place.folded(Fold::Union, side.clone());
                self.game.machine.eval(state, &whole).ok().flatten()
            };
            let (Some(here), Some(there)) = (value(first), value(second)) else { continue };
            let (here, there) = (here.as_set()?, there.as_set()?);
            match &mut always {
                Some(known) => known.retain(|element| here.contains(element)),
                None => always = Some(here.to_vec()),
            }
            let new: Vec<Value> = there.iter().filter(|element| !ever.contains(element)).cloned().collect();
            ever.extend(new);
        }
        let apart = always?.into_iter().find(|element| !ever.contains(element));
        let (words, other) = (self.text.words(first.span), self.text.words(second.span));
        let is_known = [first, second].iter().all(|side| side.span.is_placed());
        let element = apart.filter(|_| is_known && words.len() + other.len() < 80);
        let of = |element: Value| {
            let element = self.game.rules.show(&element);
            format!("`{element}` is in `{words}` in every position, and never in `{other}`")
        };
        Some(element.map(of).into_iter().collect())
    }

    /// All values that a term has in the positions.
    fn all_values(&mut self, term: &Expr, place: &Place<'a>) -> Option<Vec<Value>> {
        let set =
            Expr::new(ExprKind::SetOf(vec![term.clone()]), Type::Set(Arc::new(term.ty.clone())), term.span);
        let all = place.folded(Fold::Union, set);
        let mut values: Vec<Value> = Vec::new();
        for state in &self.states {
            self.left = self.left.checked_sub(1)?;
            let Some(here) = self.game.machine.eval(state, &all).ok()? else { continue };
            for value in here.as_set()?.iter() {
                if !values.contains(value) {
                    values.push(value.clone());
                }
            }
        }
        values.sort();
        (!values.is_empty() && term.span.is_placed()).then_some(values)
    }

    /// The values that a term has, if these are few and those that are asked for are not among them.
    fn values_of(&mut self, term: &Expr, wanted: &[Value], place: &Place<'a>) -> Option<NeverHolds> {
        let values = self.all_values(term, place)?;
        let is_met = wanted.iter().any(|wanted| values.contains(wanted));
        if wanted.len() > MAX_VALUES || is_met {
            return None;
        }
        let words = self.text.words(term.span);
        if let [wanted] = wanted
            && let Some(label) = self.unentered(wanted)
        {
            return Some(NeverHolds { span: term.span, label, help: None });
        }
        let asked: Vec<String> = wanted.iter().map(|value| self.game.rules.show(value)).collect();
        let shown: Vec<String> =
            values.iter().take(MAX_VALUES).map(|value| self.game.rules.show(value)).collect();
        let label = match &shown[..] {
            [only] => format!("`{words}` is {only} in every position"),
            _ if values.len() > MAX_VALUES => {
                format!("`{words}` takes {} values, and never {}", values.len(), any_of(&asked))
            }
            _ => format!("`{words}` is {}, and never {}", any_of(&shown), any_of(&asked)),
        };
        Some(NeverHolds { span: term.span, label, help: None })
    }

    /// The label for a point of a graph to which no edge leads.
    fn unentered(&self, wanted: &Value) -> Option<String> {
        let Value::Sym(of, cell) = wanted else { return None };
        let board = self.game.rules.boards.iter().find(|board| board.cells == *of && board.len() > 1)?;
        let is_entered = (0..board.len() as u32).any(|from| board.neighbors(from).contains(cell));
        let name = self.game.rules.show(wanted);
        (!is_entered).then(|| format!("never {name}: no edge of `{}` leads to {name}", board.name))
    }

    /// The greatest or the least number that a term has in the positions.
    fn extreme_of(&mut self, term: &Expr, is_greatest: bool, place: &Place<'a>) -> Option<NeverHolds> {
        let (fold, words) = if is_greatest { (Fold::Max, "at most") } else { (Fold::Min, "at least") };
        let here = place.folded(fold, term.clone());
        let mut values = Vec::new();
        for state in &self.states {
            self.left = self.left.checked_sub(1)?;
            values.extend(self.game.machine.eval(state, &here).ok()?.and_then(|value| value.as_int()));
        }
        let value = if is_greatest { values.iter().max() } else { values.iter().min() };
        let value = value.filter(|_| term.span.is_placed())?;
        let label = format!("never true: this is {words} {value}");
        Some(NeverHolds { span: term.span, label, help: None })
    }
}

/// The elements of a set that is the same in every position and has some.
pub(super) fn constant_elements(set: &Expr) -> Option<Vec<Value>> {
    let elements = match &*set.kind {
        ExprKind::Const(set) => set.as_set()?.to_vec(),
        ExprKind::SetOf(elements) => {
            elements.iter().map(|element| element.constant().cloned()).collect::<Option<_>>()?
        }
        _ => return None,
    };
    (!elements.is_empty()).then_some(elements)
}

/// The words of several values, of which one is asked for.
fn any_of(values: &[String]) -> String {
    match values {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => values.concat(),
    }
}

/// A part of which no more is known.
fn never_true(part: &Expr) -> NeverHolds {
    NeverHolds { span: part.span, label: "never true".to_owned(), help: None }
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::{Code, Diagnostic};

    use crate::check::testing::findings_of_two;

    fn labels(found: &[Diagnostic]) -> String {
        let of =
            |found: &'_ Diagnostic| found.labels.iter().map(|label| label.text.clone()).collect::<Vec<_>>();
        found.iter().flat_map(of).collect::<Vec<_>>().join("; ")
    }

    fn told(definitions: &str, condition: &str) -> String {
        let rest = format!(
            "state {{ n[i: 1..2]: 0..3 = 0; k: 0..5 = 0; }} {definitions} \
             move go(i: 1..2) as \"{{i}}\" {{ when n[i] = 0; \
             n[i] := i; n[3 - i] := 0; k += 1; then {{ ensure k < 5; }} }} \
             end {{ when {condition} => draw; when stuck => \
             mover loses; }}"
        );
        labels(&findings_of_two(&rest, Code::W0532))
    }

    #[test]
    fn the_part_that_never_holds_is_told() {
        let label = |condition: &str| told("", condition);
        assert_eq!(label("k > 1 and n[1] = 3"), "decides no position; `n[1]` is 0 or 1, and never 3");
        assert_eq!(
            label("all i in 1..2: n[i] > 0"),
            "decides no position; true for each `i` in some position, and never for all at once"
        );
        assert_eq!(label("all i in 1..2: n[i] > 1"), "decides no position; never true for i = 1");
    }

    #[test]
    fn no_help_ends_the_game_at_once() {
        let help = |condition: &str| {
            let rest = format!(
                "state {{ n[i: 1..2]: 0..3 = 0; k: 0..5 = 0; }} move go(i: 1..2) as \"{{i}}\" {{ when n[i] = 0; \
                 n[i] := i; n[3 - i] := 0; k += 1; then {{ ensure k < 5; }} }} end {{ when {condition} => draw; when stuck => \
                 mover loses; }}"
            );
            let found = findings_of_two(&rest, Code::W0532).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        assert!(help("all i in 1..2: n[i] > 0").contains("write `some`"));
        let told = help("all i in 1..2: n[i] > 0 or i = 1 and k = 0");
        assert!(!told.is_empty() && !told.contains("write `some`"), "{told}");
    }

    #[test]
    fn the_values_of_a_member_that_is_never_met_are_told() {
        let label = |condition: &str| told("", condition);
        let wanted = "decides no position; `n[1]` is 0 or 1, and never 2 or 3";
        assert_eq!(label("k > 1 and n[1] in { 2, 3 }"), wanted);
        assert_eq!(label("n[1] in { 2, 3 }"), wanted);
        assert_eq!(label("n[1] in { 1, 3 } and k > 4"), "decides no position; never true: this is at most 4");
    }

    #[test]
    fn sets_that_are_never_equal_are_told() {
        let label = |wanted: &str| {
            let rest = format!(
                "board Cell = strip(3); state {{ cut: set of Cell = {{ a1 }}; }} def lawn = {wanted}; move go(c: Cell) as \"{{c}}\" \
                 {{ when c not in cut; cut |= {{ c }}; }} end {{ when cut = lawn => draw; when stuck => mover loses; }}"
            );
            labels(&findings_of_two(&rest, Code::W0532))
        };
        let told = label("{ c in Cell where c != a1 }");
        let wanted =
            "decides no position; never true: `a1` is in `cut` in every position, and never in `lawn`";
        assert_eq!(told, wanted);
        assert_eq!(label("{ c in Cell where c != b1 }"), "");
    }

    #[test]
    fn a_point_that_no_edge_leads_to_is_told() {
        let label = |edge: &str| {
            let rest = format!(
                "board Hole = graph {{ nest - fork; fork - cave; {edge}; }}; state {{ at: Hole = nest; n: 0..4 = 0; }} move go(to: Hole) \
                 as \"{{to}}\" {{ when n < 4 and to in at.neighbors; at := to; n += 1; }} end {{ when at = way => mover wins; \
                 when n = 4 => draw; }}"
            );
            labels(&findings_of_two(&rest, Code::W0532))
        };
        assert_eq!(label("way -> cave"), "decides no position; never way: no edge of `Hole` leads to way");
        assert_eq!(label("cave -> way; way -> nest"), "");
    }

    #[test]
    fn the_part_is_looked_for_in_definitions() {
        let label = |definition: &str, condition: &str| told(definition, condition);
        assert_eq!(
            label("def full = some i in 1..2: n[i] + k mod 2 >= 5;", "full"),
            "decides no position; never true: this is at most 3"
        );
        assert_eq!(
            label("def full = all i in 1..2: n[i] > 0;", "full"),
            "decides no position; true for each `i` in some position, and never for all at once"
        );
        assert_eq!(
            label("def is_full(a: 1..2, b: 1..2) = k > 0 and n[b] = n[a];", "is_full(2, 1)"),
            "decides no position; never true"
        );
        assert_eq!(
            label("def is_full(a: 1..2, b: 1..2) = k > 0 and n[b] = 3;", "some i in 1..2: is_full(1, i)"),
            "decides no position"
        );
    }
}
