//! W0314: a number that changes in the same way with each of some simultaneous moves, since `every move` or each of them
//! says so.

use std::collections::{HashMap, HashSet};

use super::analyzer::Analyzer;
use super::emptied_reads::effects_in;
use super::lints::expr_names;
use super::schema::mentions;
use super::symbols::SymbolKind;
use bouton_base::source::Span;
use bouton_rules::Type;
use bouton_syntax::ast::{self, ItemKind, StmtKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::{print_effect, print_expr, visit};

/// The maximal number of further changes that a diagnostic shows.
const MAX_SHOWN: usize = 4;

/// A change of a number that is the same whoever moves and whatever he chooses.
#[derive(Clone)]
struct FixedChange<'t> {
    effect: &'t ast::Effect,
    /// The number, if it is written as one.
    amount: Option<i64>,
    /// The conditions of the `if` around it, as printed.
    conditions: Vec<String>,
    /// The heads of the `for` around it, as printed: `for p in Player`.
    loops: Vec<String>,
    span: Span,
}

impl FixedChange<'_> {
    /// Returns true if both change the same number alike.
    fn is_like(&self, other: &FixedChange<'_>) -> bool {
        self.conditions == other.conditions
            && self.loops == other.loops
            && print_effect(self.effect) == print_effect(other.effect)
    }

    /// The change of the own cell, of one that `for p in Player` makes of the cell of each player.
    fn own_change(&self) -> Option<String> {
        let [head] = &self.loops[..] else { return None };
        let name = head.strip_prefix("for ")?.strip_suffix(" in Player")?;
        let of_one = |keys: &[ast::Expr]| matches!(keys, [key] if key.as_name() == Some(name));
        let [ast::Access::Index(keys)] = &self.effect.target.path[..] else { return None };
        let value = match &*self.effect.value.bare().kind {
            ast::ExprKind::Number(digits) => digits.clone(),
            ast::ExprKind::Index(of, keys) if of.as_name().is_some() && of_one(keys) => {
                format!("{}[me]", print_expr(of))
            }
            _ => return None,
        };
        let sign = if matches!(self.effect.op, ast::EffectOp::Add) { "+=" } else { "-=" };
        of_one(keys).then(|| format!("{}[me] {sign} {value};", self.effect.target.name.text))
    }

    /// The change as it is written, with the `for` around it.
    fn words(&self) -> String {
        let words = format!("{};", print_effect(self.effect));
        self.loops.iter().rev().fold(words, |inner, head| format!("{head} {{ {inner} }}"))
    }
}

/// An effect with the names of its parameters and its body.
type DeclaredEffect<'t> = (&'t [ast::Bind], &'t ast::StmtBlock);

/// The search for the fixed changes of one body.
struct Search<'t, 's> {
    effects: &'s HashMap<&'t str, DeclaredEffect<'t>>,
    /// The fields whose values are numbers.
    numbers: &'s HashSet<&'s str>,
    /// The names whose meaning may depend on the move.
    own: HashSet<&'t str>,
    conditions: Vec<String>,
    loops: Vec<String>,
    found: Vec<FixedChange<'t>>,
}

impl<'a> Analyzer<'a> {
    /// Runs the lint.
    pub(super) fn counted_for_each_player(&mut self) {
        let mut phases = Vec::new();
        let (mut every, mut effects, mut moves) = (Vec::new(), HashMap::new(), Vec::new());
        for (item, own) in self.items() {
            match &item.kind {
                ItemKind::Phases(declared) => {
                    let each = declared.iter().filter(|of| matches!(of.actor, Some(ast::Actor::Each(_))));
                    phases.extend(each.map(|phase| &phase.name.text));
                }
                ItemKind::EveryMove(body) if own => every.push(body),
                ItemKind::Effect { name, formals, body } => {
                    effects.insert(name.text.as_str(), (&formals[..], body));
                }
                ItemKind::Move(declared) if !declared.chance => moves.push((declared, own)),
                _ => {}
            }
        }
        let players = self.rules.players().len();
        if phases.is_empty() || players < 2 {
            return;
        }
        let (none, all) = (HashMap::new(), effects);
        let every: Vec<_> = every.into_iter().map(|body| self.fixed_changes((&[], body), &none)).collect();
        for change in every.into_iter().flatten() {
            self.report_counted(&[change], players, "part of every move, also of simultaneous ones");
        }
        'phases: for phase in phases {
            let made = moves.iter().filter(|(declared, _)| {
                declared.phases.is_empty() || declared.phases.iter().any(|name| name.text == *phase)
            });
            let mut common: Option<Vec<FixedChange<'_>>> = None;
            let mut movers = HashSet::new();
            for (declared, own) in made {
                let changes = match own {
                    true => self.fixed_changes((&declared.params, &declared.body), &all),
                    false => Vec::new(),
                };
                common = Some(match common {
                    None => changes,
                    Some(known) => {
                        let is_made =
                            |change: &FixedChange<'_>| changes.iter().any(|other| change.is_like(other));
                        known.into_iter().filter(is_made).collect()
                    }
                });
                let Some(own) = self.possible_movers(&declared.body) else { continue 'phases };
                movers.extend(own);
            }
            if movers.len() > 1 {
                let common = common.unwrap_or_default();
                self.report_counted(&common, movers.len(), "part of each of the simultaneous moves");
            }
        }
    }

    /// Collects the fixed changes that a body with these parameters makes, also by calls of effects.
    fn fixed_changes(
        &self,
        declared: DeclaredEffect<'a>,
        effects: &HashMap<&'a str, DeclaredEffect<'a>>,
    ) -> Vec<FixedChange<'a>> {
        let (params, body) = declared;
        let is_number = |ty: &Type| matches!(ty.present(), Type::Int(..));
        let fields = self.rules.fields.iter().filter(|field| is_number(&field.ty));
        let numbers = fields.map(|field| field.name.as_str()).collect();
        let is_definition =
            |kind: &SymbolKind<'_>| matches!(kind, SymbolKind::Def { .. } | SymbolKind::Inductive { .. });
        let definitions =
            self.symbols.iter().filter(|(_, of)| is_definition(&of.kind)).map(|(name, _)| *name);
        let own = definitions.chain(["me", "opponent", "stuck"]).collect();
        let mut search = Search {
            effects,
            numbers: &numbers,
            own,
            conditions: Vec::new(),
            loops: Vec::new(),
            found: Vec::new(),
        };
        search.own.extend(params.iter().map(|param| param.name.text.as_str()));
        search.block(body);
        search.found
    }

    /// Reports that so many simultaneous moves make these changes.
    fn report_counted(&mut self, changes: &[FixedChange<'a>], times: usize, label: &str) {
        // The moves of a phase make one change that no condition restricts, if any: it is the clearest.
        let Some(first) =
            changes.iter().min_by_key(|change| (change.conditions.len(), change.amount.is_none()))
        else {
            return;
        };
        let is_told = |told: &Diagnostic| told.code == Code::W0314 && told.labels[0].span == first.span;
        if self.diagnostics.iter().any(is_told) {
            return;
        }
        let (name, one) = (&first.effect.target.name.text, &self.rules.players()[0]);
        let change = match first.amount {
            Some(amount) => amount.saturating_mul(times as i64).to_string(),
            None => format!("{times} times `{}`", print_expr(&first.effect.value)),
        };
        let title = format!("this is done once for each player who chooses: `{name}` changes by {change}");
        let words = first.words();
        let others: Vec<_> = changes.iter().filter(|change| change.span != first.span).collect();
        let help = match others.is_empty() {
            true => format!("to count once, let one player do it: `if me = {one} {{ {words} }}`"),
            false => {
                format!("to count once, let one player do all of it: `if me = {one} {{ {words} ... }}`")
            }
        };
        let help = match first.own_change() {
            Some(own) => format!("{help}; or each player his own: `{own}`"),
            None => help,
        };
        let mut found = Diagnostic::new(Code::W0314, title, first.span, label);
        for other in others.into_iter().take(MAX_SHOWN) {
            found = found.label(other.span, "likewise");
        }
        self.report(found.help(help));
    }

    /// The fields by players that are alike for all players at first, and of which a move changes the cell of its own
    /// player: cards in a hand, not a role.
    fn fields_used_up(&self, body: &ast::StmtBlock) -> HashSet<&str> {
        let is_own = |access: &ast::Access| match access {
            ast::Access::Index(keys) => keys.iter().any(|key| key.as_name() == Some("me")),
            ast::Access::Part(_) => false,
        };
        let mut effects = Vec::new();
        effects_in(body, &mut effects);
        let changed: HashSet<&str> = effects
            .iter()
            .filter(|effect| effect.target.path.iter().any(is_own))
            .map(|effect| effect.target.name.text.as_str())
            .collect();
        let is_alike = |init: &[bouton_rules::Value]| init.windows(2).all(|pair| pair[0] == pair[1]);
        let fields = self.rules.fields.iter().map(|field| (field.name.as_str(), &field.init));
        fields.filter(|(name, init)| changed.contains(name) && is_alike(init)).map(|(name, _)| name).collect()
    }

    /// The players who may make a move in the first position: the one that a condition `me = P` names, otherwise all;
    /// `None` if a condition asks otherwise who moves.
    fn possible_movers(&self, body: &ast::StmtBlock) -> Option<Vec<u32>> {
        let players = self.rules.players();
        let named = |condition: &ast::Expr| -> Option<u32> {
            let ast::ExprKind::Compare(left, rest) = &*condition.bare().kind else { return None };
            let [(ast::CmpOp::Equal, right)] = &rest[..] else { return None };
            let other = match (left.as_name()?, right.as_name()?) {
                ("me", other) | (other, "me") => other,
                _ => return None,
            };
            players.iter().position(|player| player == other).map(|player| player as u32)
        };
        fn conjuncts<'e>(condition: &'e ast::Expr, found: &mut Vec<&'e ast::Expr>) {
            match &*condition.bare().kind {
                ast::ExprKind::Binary(ast::BinaryOp::And, left, right) => {
                    conjuncts(left, found);
                    conjuncts(right, found);
                }
                _ => found.push(condition),
            }
        }
        let mut conditions = Vec::new();
        for stmt in &body.stmts {
            if let StmtKind::When(condition) = &stmt.kind {
                conjuncts(condition, &mut conditions);
            }
        }
        if let Some(player) = conditions.iter().find_map(|condition| named(condition)) {
            return Some(vec![player]);
        }
        let used = self.fields_used_up(body);
        let asks = conditions
            .iter()
            .any(|condition| mentions(condition, "me") && !is_of_own_cells(condition, &used));
        (!asks).then(|| (0..players.len() as u32).collect())
    }
}

/// Returns true if a condition reads `me` only as a key of these fields.
fn is_of_own_cells(condition: &ast::Expr, fields: &HashSet<&str>) -> bool {
    if let ast::ExprKind::Index(of, keys) = &*condition.kind
        && of.as_name().is_some_and(|name| fields.contains(name))
    {
        return keys.iter().all(|key| key.as_name() == Some("me") || !mentions(key, "me"));
    }
    let mut is_own = condition.as_name() != Some("me");
    visit::children(condition, &mut |part| is_own &= is_of_own_cells(part, fields));
    is_own
}

impl<'t> Search<'t, '_> {
    fn block(&mut self, block: &'t ast::StmtBlock) {
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Then(inner) => self.block(inner),
                StmtKind::Let(pattern, _) => self.bind(pattern),
                StmtKind::If(condition, yes, no) if self.is_fixed(condition) => {
                    let words = print_expr(condition);
                    for (branch, words) in [(Some(yes), words.clone()), (no.as_ref(), format!("not {words}"))]
                    {
                        self.conditions.push(words);
                        branch.into_iter().for_each(|branch| self.block(branch));
                        self.conditions.pop();
                    }
                }
                StmtKind::For(binders, inner) if self.is_fixed_loop(binders) => {
                    let outer = self.own.clone();
                    let binders = binders.iter().map(|binder| {
                        self.unbind(&binder.pattern);
                        print_binder(binder)
                    });
                    let head = format!("for {}", binders.collect::<Vec<_>>().join(", "));
                    self.loops.push(head);
                    self.block(inner);
                    self.loops.pop();
                    self.own = outer;
                }
                StmtKind::Effect(effect) => self.effect(effect, stmt.span),
                // Calls within effects are not followed: they may be recursive.
                StmtKind::Call(name, _) => {
                    if let Some((formals, body)) = self.effects.get(name.text.as_str()) {
                        let none = HashMap::new();
                        let mut own = self.own.clone();
                        own.extend(formals.iter().map(|formal| formal.name.text.as_str()));
                        let mut inner = Search {
                            effects: &none,
                            numbers: self.numbers,
                            own,
                            conditions: self.conditions.clone(),
                            loops: self.loops.clone(),
                            found: Vec::new(),
                        };
                        inner.block(body);
                        self.found.append(&mut inner.found);
                    }
                }
                _ => {}
            }
        }
    }

    fn effect(&mut self, effect: &'t ast::Effect, span: Span) {
        let is_change = matches!(effect.op, ast::EffectOp::Add | ast::EffectOp::Subtract);
        let is_fixed_place = effect.target.path.iter().all(|access| match access {
            ast::Access::Index(keys) => keys.iter().all(|key| self.is_fixed(key)),
            ast::Access::Part(_) => false,
        });
        let amount = match &*effect.value.bare().kind {
            ast::ExprKind::Number(digits) => digits.parse().ok(),
            _ => None,
        };
        let is_number = self.numbers.contains(effect.target.name.text.as_str());
        if is_change && is_fixed_place && is_number && self.is_fixed(&effect.value) {
            let (conditions, loops) = (self.conditions.clone(), self.loops.clone());
            self.found.push(FixedChange { effect, amount, conditions, loops, span });
        }
    }

    /// Returns true if a term means the same in the moves of all players.
    fn is_fixed(&self, term: &'t ast::Expr) -> bool {
        let mut names = HashSet::new();
        expr_names(term, &mut names);
        names.is_disjoint(&self.own)
    }

    /// Returns true if the variables of a `for` go through the same values in the moves of all players.
    fn is_fixed_loop(&self, binders: &'t [ast::Binder]) -> bool {
        binders.iter().all(|binder| {
            self.is_fixed(&binder.domain) && binder.condition.iter().all(|condition| self.is_fixed(condition))
        })
    }

    /// Notes that a variable of a fixed loop means the same in the moves of all players.
    fn unbind(&mut self, pattern: &'t ast::Pattern) {
        match pattern {
            ast::Pattern::Name(name) => {
                self.own.remove(name.text.as_str());
            }
            ast::Pattern::Tuple(parts, _) => parts.iter().for_each(|part| self.unbind(part)),
        }
    }

    fn bind(&mut self, pattern: &'t ast::Pattern) {
        match pattern {
            ast::Pattern::Name(name) => {
                self.own.insert(&name.text);
            }
            ast::Pattern::Tuple(parts, _) => parts.iter().for_each(|part| self.bind(part)),
        }
    }
}

/// The words of a variable of a `for`.
fn print_binder(binder: &ast::Binder) -> String {
    fn words(pattern: &ast::Pattern) -> String {
        match pattern {
            ast::Pattern::Name(name) => name.text.clone(),
            ast::Pattern::Tuple(parts, _) => {
                format!("({})", parts.iter().map(words).collect::<Vec<_>>().join(", "))
            }
        }
    }
    let head = format!("{} in {}", words(&binder.pattern), print_expr(&binder.domain));
    match &binder.condition {
        Some(condition) => format!("{head} where {}", print_expr(condition)),
        None => head,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;
    use bouton_syntax::diag::Code;

    fn titles(body: &str) -> Vec<(String, usize)> {
        let text = format!(
            "game \"Bids\"; players Ann, Bob; phases {{ bid by each; }}
             state {{ cards[p: Player]: set of 1..3 = 1..3; played[p: Player]: 1..3? = none; score[p: Player]: 0..24 = 0;
               turn: 1..9 = 1; role[p: Player]: 1..2 = if p = Ann then 1 else 2; }}
             move show(c: 1..3) in bid as \"{{c}}\" {{ cards[me] -= {{ c }}; played[me] := c; {body} }}
             end {{ when turn > 3 => highest score; when played[Ann] = none => draw; when role[Ann] = 2 => draw; }}
             // allow(W0410)"
        );
        found(&text, Code::W0314).into_iter().map(|found| (found.title, found.labels.len())).collect()
    }

    #[test]
    fn all_players_make_the_changes_of_a_later_stage() {
        let by = |change: &str| format!("this is done once for each player who chooses: {change}");
        assert_eq!(titles("when c in cards[me]; then { turn += 1; }"), [(by("`turn` changes by 2"), 1)]);
        let spent = "when c = 1 implies score[me] > 0; if c = 2 { score[me] += 1; } turn += 1;";
        assert_eq!(titles(spent), [(by("`turn` changes by 2"), 1)]);
        assert_eq!(
            titles("then { if played[Ann] > played[Bob] { score[Ann] += turn; } turn += 1; }"),
            [(by("`turn` changes by 2"), 2)]
        );
        assert_eq!(
            titles("then { if played[Ann] > played[Bob] { score[Ann] += turn; } }"),
            [(by("`score` changes by 2 times `turn`"), 1)]
        );
    }

    #[test]
    fn loops_over_players_are_done_by_each() {
        let by = "this is done once for each player who chooses: `score` changes by 2";
        assert_eq!(titles("then { for p in Player { score[p] += 1; } }"), [(by.to_owned(), 1)]);
        assert_eq!(
            titles("then { for p in Player where played[p] = 2 { score[p] += 1; } }"),
            [(by.to_owned(), 1)]
        );
        assert_eq!(titles("then { for c in 1..2 { score[Ann] += c; } }").len(), 1);
        for body in [
            "then { for p in Player where p != me { score[p] += 1; } }",
            "then { for k in cards[me] { score[Ann] += k; } }",
            "then { for p in Player { score[p] += c; } }",
            "if me = Ann { for p in Player { score[p] += 1; } }",
        ] {
            assert!(titles(body).is_empty(), "{body}");
        }
    }

    #[test]
    fn changes_of_one_player_count_once() {
        for body in [
            "then { score[me] += turn; }",
            "then { if played[me] > played[opponent] { score[Ann] += 1; } }",
            "if me = Ann { turn += 1; }",
            "when role[me] = 1; turn += 1;",
            "turn := turn + 1;",
            "if c = 2 { turn += 1; }",
            "let k = c; if k = 2 { turn += 1; }",
        ] {
            assert!(titles(body).is_empty(), "{body}");
        }
    }
}
