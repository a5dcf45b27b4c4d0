//! Ends of games: end rules and outcomes; and all other items about whole positions.

use super::analyzer::Analyzer;
use super::index::DefinitionKind;
use super::locals::{ExprPlace, Locals};
use super::shared_payoffs::{names, payoff_of_one_player};
use super::symbols::{ConstValue, SymbolKind, UseKind};
use super::winners_beside_a_variable::RuleOfEach;
use bouton_base::source::Span;
use bouton_rules::{
    EndRule, Expr, ExprKind, Invariant, MOVER, OutcomeExpr, PLAYER, PerPlayer, Sees, SymmetryClaim, Type,
    Value,
};
use bouton_syntax::ast::{self, EndCondition, ItemKind, OutcomeKind};
use bouton_syntax::diag::{Code, Diagnostic, Severity};

/// The variable of `for x in S when f => payoff p: e;`, whose value in e is the first x that satisfies f. The payoffs are
/// evaluated by themselves, so they find it again.
pub(super) struct FirstFit {
    pub(super) name: String,
    /// The elements that satisfy the condition.
    pub(super) fits: ast::Binder,
}

impl FirstFit {
    /// The variable of a binder; `None` for a pattern of several.
    fn of(binder: &ast::Binder, condition: &ast::Expr) -> Option<FirstFit> {
        let ast::Pattern::Name(name) = &binder.pattern else { return None };
        let paren =
            |e: &ast::Expr| ast::Expr { kind: Box::new(ast::ExprKind::Paren(e.clone())), span: e.span };
        let both = match &binder.condition {
            None => condition.clone(),
            Some(filter) => {
                let kind = ast::ExprKind::Binary(ast::BinaryOp::And, paren(filter), paren(condition));
                ast::Expr { kind: Box::new(kind), span: condition.span }
            }
        };
        Some(FirstFit {
            name: name.text.clone(),
            fits: ast::Binder { condition: Some(both), ..binder.clone() },
        })
    }

    /// The value, as `min x in S where f: x`: the elements of a set are tried in their order.
    fn value(&self, span: Span) -> ast::Expr {
        let make = |kind| ast::Expr { kind: Box::new(kind), span };
        let element = make(ast::ExprKind::Name(self.name.clone()));
        make(ast::ExprKind::Quant(ast::Quantifier::Min, vec![self.fits.clone()], element))
    }
}

impl<'a> Analyzer<'a> {
    /// Elaborates all items about positions: `end`, `play`, `forbid`, `invariant`, `symmetry`, `sees`, ...
    pub fn ends(&mut self) {
        let before = self.diagnostics.len();
        let mut has_rules = false;
        let mut never = Vec::new();
        for (item, own) in self.items() {
            match &item.kind {
                ItemKind::End(rules) => {
                    for rule in rules {
                        has_rules |= matches!(rule.condition, EndCondition::When { .. });
                        let first = self.diagnostics.len();
                        let is_false = self.end_rule(rule);
                        if own
                            && let EndCondition::When { condition, .. } = &rule.condition
                            && is_false
                        {
                            never.push(condition);
                        }
                        self.keep_one_of_nobody(first);
                    }
                }
                ItemKind::Play { normal } => self.play(*normal, item.span),
                ItemKind::ForbidRepeat { of, within } => self.forbid(of.as_ref(), within.as_ref(), item.span),
                ItemKind::Invariant { name, value } => {
                    let mut locals = Locals::new(ExprPlace::Rule);
                    let made = self.formula(value, &mut locals);
                    self.rules.invariants.push(Invariant {
                        name: name.as_ref().map(|n| n.text.clone()),
                        value: made,
                        vars: locals.vars,
                        span: value.span,
                    });
                }
                ItemKind::Symmetry(symmetry) => self.symmetry(symmetry, item.span),
                ItemKind::Sees { player, value, condition } => {
                    self.sees(player, value, condition.as_ref(), item.span);
                }
                ItemKind::Evaluate { player, value } => {
                    self.same_estimate_for_all(player, value);
                    self.rules.evaluate = self.each_player(value, player, None);
                }
                ItemKind::Display(hints) => hints.iter().for_each(|hint| self.display(hint)),
                _ => {}
            }
        }
        let endless = self.rules.ends.is_empty() && self.rules.repeats.iter().all(|r| r.count.is_none());
        // Rules with mistakes of their own, or of what they read, may be the ends that are missing.
        let first = if has_rules { 0 } else { before };
        let damaged = self.diagnostics[first..].iter().any(|found| found.severity() == Severity::Error);
        if damaged || self.options.damaged || self.rules.span.is_none() {
            return;
        }
        if endless {
            let found = match &never[..] {
                [] => self.no_end(),
                never => self.only_false_ends(never),
            };
            self.report(found);
        } else {
            self.false_ends(&never);
            self.overtaken_rules(&never);
        }
    }

    /// `play normal;`: a player who cannot move loses; `misere`: wins.
    fn play(&mut self, normal: bool, span: Span) {
        let mover = Expr::new(ExprKind::Field(MOVER, Vec::new()), Type::Sym(PLAYER), span);
        let condition = Expr::new(ExprKind::Stuck, Type::Bool, span);
        let outcome = OutcomeExpr::Player(mover, !normal);
        self.rules.ends.push(EndRule { vars: Default::default(), binder: None, condition, outcome, span });
    }

    /// Removes all but the first report, of those from `first`, that a word speaks of who makes a move.
    fn keep_one_of_nobody(&mut self, first: usize) {
        let mut told = std::collections::HashSet::new();
        let of_rule = self.diagnostics.split_off(first);
        let is_new = |found: &Diagnostic| {
            let is_of_a_word = found.code == Code::E0107 && found.title.starts_with('`');
            !is_of_a_word || told.insert(found.title.clone())
        };
        self.diagnostics.extend(of_rule.into_iter().filter(is_new));
    }

    /// Elaborates an end rule; returns true if its condition is false before play begins.
    fn end_rule(&mut self, rule: &'a ast::EndRule) -> bool {
        match &rule.condition {
            EndCondition::When { binder, condition } => {
                let mut locals = Locals::new(ExprPlace::Rule);
                let binder_and_condition = binder.as_ref().map(|binder| (binder, condition));
                let binder = match binder {
                    None => None,
                    Some(binder) => match self.binders(std::slice::from_ref(binder), &mut locals) {
                        Some(mut made) => made.pop(),
                        None => return false,
                    },
                };
                let condition = self.formula(condition, &mut locals);
                let idle = condition.ty != Type::Error && Self::constant_truth(&condition).is_none();
                let idle =
                    idle && locals.stack.iter().all(|local| !local.used && !local.name.starts_with('_'));
                let first =
                    binder_and_condition.and_then(|(binder, condition)| FirstFit::of(binder, condition));
                let Some(outcome) = self.outcome(&rule.outcome, first.as_ref(), &mut locals) else {
                    return false;
                };
                if idle && let Some(((words, condition), made)) = binder_and_condition.zip(binder.as_ref()) {
                    self.first_is_always_taken(words, &made.domain, condition, &rule.outcome.kind);
                }
                if let (Some((words, asked)), Some(made)) = (binder_and_condition, binder.as_ref()) {
                    self.winner_beside_the_variable(RuleOfEach {
                        binder: (words, made),
                        condition: (asked, &condition),
                        outcome: (&rule.outcome.kind, &outcome),
                    });
                }
                // A rule that a parameter switches off is dropped.
                if Self::constant_truth(&condition) == Some(false) {
                    return true;
                }
                let vars = locals.vars;
                self.rules.ends.push(EndRule { vars, binder, condition, outcome, span: rule.span });
            }
            EndCondition::Repeat { count, of, condition } => {
                self.repeat(rule, count.as_ref(), of.as_ref(), condition.as_ref())
            }
        }
        false
    }

    /// Elaborates an outcome; `first` is the variable of the rule with its value.
    pub(super) fn outcome(
        &mut self,
        outcome: &'a ast::OutcomeClause,
        first: Option<&FirstFit>,
        locals: &mut Locals,
    ) -> Option<OutcomeExpr> {
        let players = self.rules.players().len();
        Some(match &outcome.kind {
            OutcomeKind::Draw => OutcomeExpr::Draw,
            OutcomeKind::Win | OutcomeKind::Lose => {
                let win = matches!(outcome.kind, OutcomeKind::Win);
                if players > 1 {
                    let word = if win { "win" } else { "lose" };
                    let found = Diagnostic::new(
                        Code::E0005,
                        format!("`{word}` alone is for games of one player: say who"),
                        outcome.span,
                        format!("this game has {players} players"),
                    );
                    self.report(found.help(match players {
                        2 => format!(
                            "write `other(mover) {word}s` for the player who has just moved, `mover {word}s` for the one who \
                             would move next, or name a player"
                        ),
                        _ => format!("write `mover {word}s` for the player who would move next, or name a player"),
                    }));
                    return None;
                }
                OutcomeExpr::SinglePlayer(win)
            }
            OutcomeKind::Wins(e) | OutcomeKind::Loses(e) => {
                let win = matches!(outcome.kind, OutcomeKind::Wins(_));
                if let Some(nobody @ ("nobody" | "noone" | "no_one" | "none")) = e.as_name()
                    && self.find(nobody, e.span).is_none()
                {
                    let title = format!("`{nobody}` is no player: a game without a winner is a draw");
                    let found = Diagnostic::new(Code::E0005, title, e.span, "");
                    self.report(found.help("write `draw`").edit(outcome.span, "draw"));
                    return None;
                }
                let player = self.expr(e, Some(&Type::Sym(PLAYER)), locals);
                if *player.ty.base() == Type::Bool {
                    let title = "an outcome names a player, and this is a condition";
                    let found = Diagnostic::new(Code::E0005, title, e.span, "this is true or false");
                    self.report(found.help(
                        "conditions stand before `=>`: `when n = 0 and score[A] > score[B] => A wins;`; who has the most wins by \
                         `highest score`",
                    ));
                    return None;
                }
                let ty = player.ty.clone();
                let player = self.coerce(player, &Type::Sym(PLAYER));
                if player.ty == Type::Error && ty != Type::Error {
                    self.advise_on_value(e, &ty, &Type::Sym(PLAYER), locals);
                }
                OutcomeExpr::Player(player, win)
            }
            OutcomeKind::Highest(e) => OutcomeExpr::ByScore(self.scores(e)?, true),
            OutcomeKind::Lowest(e) => OutcomeExpr::ByScore(self.scores(e)?, false),
            OutcomeKind::Payoff(name, e) => {
                if !self.payoff_of_the_first(name, e, first, locals) {
                    self.same_payoff_for_all(name, e);
                }
                self.sum_of_both(name, e);
                let first = first.filter(|first| first.name != name.text && names(e, &first.name));
                OutcomeExpr::Payoff(self.each_player(e, name, first)?)
            }
        })
    }

    /// W0343: a payoff that does not read its player, though it is about one of the players: `payoff p: n[X] - n[O]`.
    fn same_payoff_for_all(&mut self, name: &ast::Name, words: &ast::Expr) {
        let players = self.rules.players();
        if players.len() < 2 || names(words, &name.text) || players.contains(&name.text) {
            return;
        }
        let Some(own) = payoff_of_one_player(words, players, &name.text) else {
            self.signed_payoff_of_all(name, words);
            self.only_payoff_is_a_number(name, words);
            return;
        };
        let (p, shown) = (&name.text, bouton_syntax::print_expr(words));
        let shown = if shown.len() <= 70 { format!("`{shown}`") } else { "this".to_owned() };
        let about = own.players.join("` and `");
        let title = format!("every player gets this payoff, which is about `{about}`");
        let help = format!(
            "`payoff {p}: {};` gives each player his own; if all are to get {shown} alike, since they play together, write \
             `// allow(W0343): reason`",
            own.payoff
        );
        let label = format!("`{p}` does not occur in it");
        self.report(Diagnostic::new(Code::W0343, title, words.span, label).help(help));
    }

    /// W0343: a number that every player gets, where no other rule gives anything else.
    fn only_payoff_is_a_number(&mut self, name: &ast::Name, words: &ast::Expr) {
        let mut rules = self.items().flat_map(|(item, _)| match &item.kind {
            ItemKind::End(rules) => rules.iter().collect::<Vec<_>>(),
            _ => Vec::new(),
        });
        let is_only = rules.next().is_some() && rules.next().is_none();
        let is_only = is_only && !self.items().any(|(item, _)| matches!(item.kind, ItemKind::Play { .. }));
        if self.options.damaged || !is_only || !matches!(&*words.bare().kind, ast::ExprKind::Number(_)) {
            return;
        }
        let shown = bouton_syntax::print_expr(words);
        let title = format!("every player gets {shown} at every end");
        let label = format!("`{}` does not occur in it", name.text);
        let found = Diagnostic::new(Code::W0343, title, words.span, label);
        let example = if self.rules.players().len() == 2 { "other(mover) wins" } else { "mover loses" };
        self.report(found.help(format!(
            "nothing is to be won: a payoff that depends on the player has a number of his in it, or the one who wins is \
             named, `when ... => {example};`"
        )));
    }

    /// An expression for each player, with the player's name bound: `payoff p: e`; `first` is the variable of the rule,
    /// if e mentions it.
    fn each_player(
        &mut self,
        words: &ast::Expr,
        name: &ast::Name,
        first: Option<&FirstFit>,
    ) -> Option<PerPlayer> {
        let mut locals = Locals::new(ExprPlace::Rule);
        let mut values = Vec::new();
        for index in 0..self.rules.players().len() as u32 {
            if index == 0 {
                self.names.define(name, DefinitionKind::Variable, &Type::Sym(PLAYER));
                if !self.payoff_of_a_declared_name(name, words) {
                    self.shadows(name, &mut locals);
                }
            }
            let depth = locals.stack.len();
            // The condition of the rule is one outside of payoffs: its quotients are whole numbers.
            locals.exact = false;
            let bound = first.map(|first| {
                let value = self.expr(&first.value(words.span), None, &mut locals);
                let pattern = self.bind_pattern(&first.fits.pattern, &value.ty.clone(), &mut locals);
                (pattern, value)
            });
            locals.exact = true;
            locals.add_fixed(&name.text, Value::Sym(PLAYER, index), Type::Sym(PLAYER), name.span);
            let mut made = self.expr(words, Some(&Type::Ratio), &mut locals);
            self.leave(&mut locals, depth);
            if let Some((pattern, value)) = bound {
                let ty = made.ty.clone();
                made = self.node(ExprKind::Let(pattern, value, made), ty, words.span);
            }
            let made = self.as_number(made);
            if made.ty == Type::Error {
                return None;
            }
            values.push(made);
        }
        Some(PerPlayer { values, vars: locals.vars })
    }

    /// The score of each player: a field, table or definition that takes a player, as in `highest score`.
    fn scores(&mut self, words: &'a ast::Expr) -> Option<PerPlayer> {
        let mut locals = Locals::new(ExprPlace::Rule);
        let mut values = Vec::new();
        for index in 0..self.rules.players().len() as u32 {
            let player = self.value(Value::Sym(PLAYER, index), Type::Sym(PLAYER), words.span);
            let made = self.apply_to_player(words, player, &mut locals)?;
            if self.truth_value_as_a_score(words, &made) {
                return None;
            }
            let made = self.as_number(made);
            if made.ty == Type::Error {
                return None;
            }
            values.push(made);
        }
        Some(PerPlayer { values, vars: locals.vars })
    }

    /// Applies a field, table or definition with one parameter, as in `score`, to a player.
    fn apply_to_player(&mut self, words: &'a ast::Expr, player: Expr, locals: &mut Locals) -> Option<Expr> {
        let Some(name) = self.declared(words, locals) else {
            let title = "a field or definition for each player is needed";
            let mut found = Diagnostic::new(Code::E0201, title, words.span, "a name is needed");
            if let ast::ExprKind::Index(of, args) | ast::ExprKind::Call(of, args) = &*words.bare().kind
                && args.len() <= 1
                && let Some(name) = self.declared(of, locals)
            {
                found = found
                    .help(format!("write the name alone, `{name}`: each player's value is taken by itself"))
                    .edit(words.span, name);
            }
            if found.help.is_none() {
                let value = bouton_syntax::print_expr(words.bare());
                let value = if value.contains("damaged") { "...".to_owned() } else { value };
                found = found.help(format!(
                    "give it a name, with the player in it: `def score(p: Player) = {value};`, then `highest score`"
                ));
            }
            self.report(found);
            return None;
        };
        self.use_symbol(name, UseKind::Read);
        let takes_player = |types: &[&Type]| matches!(types, [ty] if *ty.base() == Type::Sym(PLAYER));
        let span = words.span;
        match self.symbols[name].kind.clone() {
            // Its type has been reported.
            SymbolKind::Field { id: None } => return None,
            SymbolKind::Field { id: Some(id) } => {
                let field = &self.rules.fields[id];
                if takes_player(&field.keys.iter().map(|k| &k.ty).collect::<Vec<_>>()) {
                    let ty = field.ty.clone();
                    self.read_fields.insert(id);
                    return Some(self.node(ExprKind::Field(id, vec![player]), ty, span));
                }
            }
            SymbolKind::Const { .. } => {
                if let Some(ConstValue::Table(id)) = self.const_value(name, span) {
                    let table = &self.rules.tables[id];
                    if takes_player(&table.keys.iter().map(|k| &k.ty).collect::<Vec<_>>()) {
                        let ty = table.ty.clone();
                        return Some(self.node(ExprKind::Table(id, vec![player]), ty, span));
                    }
                }
            }
            SymbolKind::Def { .. } => {
                let id = self.def(name, span)?;
                let def = &self.rules.defs[id];
                if takes_player(&def.params.iter().map(|p| &def.vars[*p].ty).collect::<Vec<_>>()) {
                    let (ty, uses_me) = (def.ty.clone(), def.uses_me);
                    if uses_me {
                        self.moves_in_definition(name, span, locals);
                    }
                    return Some(self.node(ExprKind::Call(id, vec![player]), ty, span));
                }
            }
            _ => {}
        }
        let title = format!("`{name}` is not given for each player");
        let declared = self.symbols[name].span;
        let found =
            Diagnostic::new(Code::E0201, title, span, "a field or definition with one parameter, a player");
        let found = found.label(declared, "declared here");
        let is_single = self.field_of(name).is_some_and(|field| self.rules.fields[field].keys.is_empty());
        self.report(match self.points_of_players().filter(|_| is_single) {
            Some(points) => found.help(format!(
                "`{points}` has a number for each player: write `{points}`, or declare `{name}[p: Player]`"
            )),
            None => match self.scores_in_place_of(name).or_else(|| self.totals_of(name)) {
                Some(help) => found.help(help),
                None => found,
            },
        });
        None
    }

    /// Advice on a field or table with several keys: a definition with one player as its parameter that reads it.
    fn totals_of(&self, name: &str) -> Option<String> {
        let is_of_player = |formals: &[ast::Bind]| match formals {
            [only] => {
                matches!(&only.ty.kind, ast::TypeKind::Expr(ty) if ty.bare().as_name() == Some("Player"))
            }
            _ => false,
        };
        let total = self.items().find_map(|(item, _)| match &item.kind {
            ItemKind::Def { name: own, formals: Some(formals), body, .. } => {
                (is_of_player(formals) && super::schema::mentions(body, name)).then_some(&own.text)
            }
            _ => None,
        });
        let several = self.field_of(name).is_some_and(|field| self.rules.fields[field].keys.len() > 1);
        several.then(|| match total {
            Some(total) => format!("a number for each player is needed, such as `{total}`"),
            None => format!(
                "a number for each player is needed: `def total(p: Player) = ...;` over all of `{name}`"
            ),
        })
    }

    fn symmetry(&mut self, symmetry: &'a ast::SymmetryClause, span: Span) {
        self.rules.symmetry = match symmetry {
            ast::SymmetryClause::Auto => SymmetryClaim::Auto,
            ast::SymmetryClause::None => SymmetryClaim::None,
            ast::SymmetryClause::Of(words) => {
                let mut boards = Vec::new();
                for word in words {
                    let name = self.declared(word, &Locals::constant());
                    match name.filter(|n| self.is_kind(n, |k| matches!(k, SymbolKind::Board { .. }))) {
                        Some(name) => boards.extend(self.board(name, word.span)),
                        None => {
                            let boards: Vec<&str> =
                                self.rules.boards.iter().map(|b| b.name.as_str()).collect();
                            let found = Diagnostic::new(
                                Code::E0201,
                                "`symmetry` names boards",
                                word.span,
                                "this is no board",
                            );
                            let help = match boards.first() {
                                Some(board) => format!(
                                    "write `symmetry {board};` if turning and reflecting it changes nothing"
                                ),
                                None => "the game has no board".to_owned(),
                            };
                            self.report(found.help(help));
                        }
                    }
                }
                SymmetryClaim::Of(boards, span)
            }
        };
    }

    fn sees(&mut self, player: &ast::Expr, value: &ast::Expr, condition: Option<&ast::Expr>, span: Span) {
        let mut locals = Locals::new(ExprPlace::Rule);
        if let Some(name) = player.as_name()
            && (matches!(name, "me" | "opponent")
                || name.starts_with(|c: char| c.is_ascii_lowercase())
                    && self.is_new_name(name, span, &locals))
        {
            let title = format!("`sees` does not bind `{name}`: it names the players");
            let mut of = String::from("Ann");
            if let Some(first) = self.rules.players().first() {
                of.clone_from(first);
            }
            let found = Diagnostic::new(Code::E0101, title, player.span, "no player's name");
            self.report(found.help(format!(
                "write `sees {of}: ...;`, an item for each player; what each sees of his own is said at the field: \
                 `... visible to p;` after its initial value, where `p: Player` is its key"
            )));
            return;
        }
        let players = self.player_or_players(player, &mut locals);
        let value = self.expr(value, None, &mut locals);
        let condition = condition.map(|c| self.formula(c, &mut locals));
        self.rules.sees.push(Sees { players, value, condition, vars: locals.vars, span });
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{codes, found};
    use bouton_syntax::diag::{Code, Diagnostic};

    fn of_players(players: &str, rules: &str, code: Code) -> Vec<Diagnostic> {
        let text = format!(
            "game \"Ends\"; players {players}; state {{ n: 0..3 = 0; }}
             move go(k: 0..3) as \"{{k}}\" {{ n := k; }} {rules}"
        );
        found(&text, code)
    }

    #[test]
    fn rules_of_repetition_end_no_play() {
        let title = |rules: &str| {
            let found = of_players("A, B", rules, Code::E0320);
            found.into_iter().map(|found| found.title).collect::<Vec<_>>()
        };
        assert_eq!(title(""), ["the game has no `end`: play can never stop"]);
        assert_eq!(
            title("end { repeat => draw; }"),
            ["the only rule of `end` is for play without an end: no rule stops play"]
        );
        assert_eq!(
            title("forbid repeat; end { repeat => draw; }"),
            ["the only rule of `end` is for repeated positions, and `forbid repeat` leaves none"]
        );
        assert_eq!(title("forbid repeat; end { when stuck => mover loses; }"), [""; 0]);
    }

    #[test]
    fn scores_are_those_of_each_player() {
        let help = |field: &str| {
            let text = format!(
                "game \"Ends\"; players A, B, C; state {{ n: 0..3 = 0; {field} }}
                 move go(k: 1..3) as \"{{k}}\" {{ n := k; points[me] := k; }} end {{ when n = 3 => highest n; }}"
            );
            found(&text, Code::E0201).pop().and_then(|found| found.help)
        };
        let meant = "`points` has a number for each player: write `points`, or declare `n[p: Player]`";
        assert_eq!(help("points[p: Player]: 0..9 = 0;").as_deref(), Some(meant));
        assert_eq!(help("points[p: Player]: 0..9 = 0; lost[p: Player]: 0..9 = 0;"), None);
    }

    #[test]
    fn a_rule_about_a_damaged_field_is_an_end() {
        let text = |end: &str| {
            format!(
                "game \"Ends\"; players A, B; state {{ n: 0..3 = 0; at[p: Player]: number = 0; }}
                 move go(k: 0..3) as \"{{k}}\" {{ n := k; }} {end}"
            )
        };
        let (with, without) = (text("end { when n = 3 => payoff p: at[p]; }"), text(""));
        assert!(codes(&with).contains(&Code::E0101) && !codes(&with).contains(&Code::E0320));
        assert!(codes(&without).contains(&Code::E0320));
    }

    #[test]
    fn three_players_have_no_opponent() {
        let help = |players: &str, rule: &str| {
            let found = of_players(players, &format!("end {{ when n = 3 => {rule}; }}"), Code::E0107);
            found.into_iter().filter_map(|found| found.help).collect::<Vec<_>>().join(" ")
        };
        assert!(help("A, B", "opponent wins").contains("`other(mover)`"));
        assert!(!help("A, B, C", "opponent wins").contains("other(mover)"));
        assert!(help("A, B", "payoff p: if opponent = A then 1 else 0").contains("`other(p)`"));
        assert!(!help("A, B, C", "payoff p: if opponent = A then 1 else 0").contains("other(p)"));
    }
}
