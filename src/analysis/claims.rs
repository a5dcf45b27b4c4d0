//! Expectations and tests of the selected group.

use super::analyzer::Analyzer;
use super::locals::{ExprPlace, Locals};
use super::outline::settings_text;
use super::symbols::{SymbolKind, UseKind};
use bouton_base::source::Span;
use bouton_rules::{Claim, Comparison, Expectation, MoveRef, PLAYER, Test, TestStep, Type, Value};
use bouton_syntax::ast::{self, ClaimKind, CmpOp, ItemKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

impl<'a> Analyzer<'a> {
    /// Elaborates the claims of the selected group. The lints note the names in the claims of other groups.
    pub fn claims(&mut self) {
        let wanted = self.group.as_ref().map(|g| g.text.clone());
        for (item, own) in self.items() {
            if !own {
                continue;
            }
            match &item.kind {
                ItemKind::Expect(expect) if Some(settings_text(&expect.settings)) == wanted => {
                    if let Some(made) = self.expectation(expect) {
                        self.rules.expectations.push(made);
                    }
                }
                ItemKind::Test(test) if Some(settings_text(&test.settings)) == wanted => {
                    if let Some(made) = self.test(test) {
                        self.rules.tests.push(made);
                    }
                }
                _ => {}
            }
        }
    }

    fn test(&mut self, test: &'a ast::Test) -> Option<Test> {
        let mut steps = Vec::new();
        for step in &test.steps {
            steps.push(match step {
                ast::TestStep::Position(effects, span) => {
                    let mut locals = Locals::position();
                    let block = self.position_block(effects, &mut locals);
                    TestStep::Position(block, locals.vars, *span)
                }
                ast::TestStep::Play(moves, _) => {
                    let made: Option<Vec<_>> =
                        moves.iter().map(|m| Some((self.move_ref(m)?, m.span))).collect();
                    TestStep::Play(made?)
                }
                ast::TestStep::Expect(expect) => {
                    if let Some(setting) = expect.settings.first() {
                        let title = "a test has one set of parameters: give it to the whole test";
                        let found = Diagnostic::new(Code::E0006, title, setting.name.span, "");
                        self.report(found.help("write `test \"name\" with ... { ... }`"));
                    }
                    TestStep::Expect(self.expectation(expect)?)
                }
            });
        }
        Some(Test { name: test.name.text.clone(), steps, span: test.name.span })
    }

    fn expectation(&mut self, expect: &'a ast::Expect) -> Option<Expectation> {
        let mut locals = Locals::new(ExprPlace::Rule);
        let claim = self.claim(&expect.claim, &mut locals)?;
        Some(Expectation {
            claim,
            cite: expect.cite.as_ref().map(|c| c.text.clone()),
            text: bouton_syntax::print_claim(&expect.claim),
            vars: locals.vars,
            span: expect.span,
        })
    }

    fn claim(&mut self, claim: &'a ast::Claim, locals: &mut Locals) -> Option<Claim> {
        self.claim_about_a_declared_word(claim);
        Some(match &claim.kind {
            ClaimKind::Perft { depth, by_turn, count } => {
                Claim::Perft { depth: self.small(depth)?, by_turn: *by_turn, count: self.count(count)? }
            }
            ClaimKind::Positions(op, e) => {
                Claim::Positions(self.comparison_of(*op, claim.span)?, self.claimed_value(e)?)
            }
            ClaimKind::Nimber(op, e) => {
                Claim::Nimber(self.comparison_of(*op, claim.span)?, self.claimed_value(e)?)
            }
            ClaimKind::Value(op, e) => {
                Claim::Value(self.comparison_of(*op, claim.span)?, self.claimed_value(e)?)
            }
            ClaimKind::Moves(e) => {
                let ast::ExprKind::Set(moves) = &*e.bare().kind else {
                    let title = "the moves are listed as `{ m, n }`";
                    let found = Diagnostic::new(Code::E0201, title, e.span, "a set of moves is needed");
                    self.report(match *e.bare().kind {
                        ast::ExprKind::Number(ref many) if self.rules.players().len() == 1 => found.help(format!(
                            "that a puzzle takes {many} moves is `expect solved in {many};`; how many moves there are is \
                             `expect perft 1 = {many};`"
                        )),
                        ast::ExprKind::Number(..) => {
                            found.help("how many moves there are is `expect perft 1 = 9;`")
                        }
                        _ => found.help("write `expect moves = { mark(a1), \"b2\" };`"),
                    });
                    return None;
                };
                Claim::Moves(moves.iter().map(|m| self.move_ref(m)).collect::<Option<_>>()?)
            }
            ClaimKind::Legal(e) => Claim::Legal(self.move_ref(e)?),
            ClaimKind::Illegal(e) => {
                let first = self.diagnostics.len();
                let made = self.move_ref(e);
                self.nothing_to_forbid(first);
                Claim::Illegal(made?)
            }
            ClaimKind::Draw => Claim::Draw,
            ClaimKind::Wins { player, plies } => self.player_claim(player, true, plies.as_ref())?,
            ClaimKind::Loses { player, plies } => self.player_claim(player, false, plies.as_ref())?,
            ClaimKind::SolvedIn(n) => Claim::SolvedIn(self.small(n)?),
            ClaimKind::Holds(e) => {
                if self.move_among_the_moves(e)
                    || self.winner_compared(e)
                    || self.number_of_moves(e)
                    || self.perft_without_depth(e)
                    || self.verdict_alone(e)
                {
                    return None;
                }
                let made = self.formula(e, locals);
                if made.ty == Type::Error {
                    return None;
                }
                Claim::Holds(made)
            }
        })
    }

    /// W0122: `expect value = 1;` beside a field `value`, which a reader may mean.
    fn claim_about_a_declared_word(&mut self, claim: &ast::Claim) {
        let (word, meaning) = match &claim.kind {
            ClaimKind::Positions(..) => ("positions", "the number of positions"),
            ClaimKind::Nimber(..) => ("nimber", "the nimber of the position"),
            ClaimKind::Value(..) => ("value", "what the first player gets with best play"),
            ClaimKind::Moves(_) => ("moves", "the set of legal moves"),
            _ => return,
        };
        let Some(symbol) = self.symbol_of(word, claim.span) else { return };
        let (kind, declared) = (symbol.kind.word(), symbol.span);
        let place = Span { end: claim.span.start + word.len() as u32, ..claim.span };
        let title = format!("a claim about `{word}` is about {meaning}, not the {kind} `{word}`");
        let found = Diagnostic::new(Code::W0122, title, place, "a word of claims");
        let help =
            format!("in brackets, `({word})`, it is the {kind}; otherwise give the {kind} another name");
        self.report(found.label(declared, format!("the {kind}")).help(help));
    }

    /// Adds to the reports from `first` that a move outside a range does not exist.
    fn nothing_to_forbid(&mut self, first: usize) {
        let is_bare = |found: &&mut Diagnostic| found.code == Code::E0210 && found.help.is_none();
        for found in self.diagnostics[first..].iter_mut().filter(is_bare) {
            found.help =
                Some("there is no such move, so there is nothing to forbid: leave the claim out".to_owned());
        }
    }

    /// Reports `expect count(moves) = 9;` and `expect perft(3) = 9;`; returns true if it is that.
    fn number_of_moves(&mut self, claim: &ast::Expr) -> bool {
        let ast::ExprKind::Compare(left, sides) = &*claim.bare().kind else { return false };
        let [(CmpOp::Equal | CmpOp::DoubleEqual | CmpOp::Is, number)] = &sides[..] else { return false };
        let named = match &*left.bare().kind {
            ast::ExprKind::Call(of, args) if matches!(of.as_name(), Some("count" | "len" | "size")) => {
                args.first().and_then(ast::Expr::as_name)
            }
            _ => None,
        };
        if let (ast::ExprKind::Call(of, args), ast::ExprKind::Number(n)) =
            (&*left.bare().kind, &*number.bare().kind)
            && of.as_name() == Some("perft")
            && let [depth] = &args[..]
            && let ast::ExprKind::Number(depth) = &*depth.bare().kind
            && self.find("perft", of.span).is_none()
        {
            let new = format!("perft {depth} = {n}");
            let found = Diagnostic::new(
                Code::E0101,
                "`perft` is a claim, not a function",
                of.span,
                "without brackets",
            );
            self.report(found.help(format!("write `expect {new};`")).edit(claim.span, new));
            return true;
        }
        let (Some(name @ ("moves" | "legal_moves")), ast::ExprKind::Number(n)) =
            (named, &*number.bare().kind)
        else {
            return false;
        };
        if self.find(name, left.span).is_some() {
            return false;
        }
        let new = format!("perft 1 = {n}");
        let title = "the number of moves is claimed by `perft 1`";
        let found = Diagnostic::new(Code::E0201, title, claim.span, "");
        self.report(found.help(format!("write `expect {new};`")).edit(claim.span, new));
        true
    }

    /// Reports `expect perft = 9;`; returns true if it is that.
    fn perft_without_depth(&mut self, claim: &ast::Expr) -> bool {
        let ast::ExprKind::Compare(left, _) = &*claim.bare().kind else { return false };
        if left.as_name() != Some("perft") || self.find("perft", left.span).is_some() {
            return false;
        }
        let title = "`perft` needs a number of moves";
        let found = Diagnostic::new(Code::E0101, title, left.span, "the plays of how many moves?");
        let help = "write `perft 1` for the number of first moves, `perft 2` for that of plays of two moves";
        self.report(found.help(help).edit(left.span, "perft 1"));
        true
    }

    /// Reports `expect mark(a1) in moves;`; returns true if it is that.
    fn move_among_the_moves(&mut self, claim: &ast::Expr) -> bool {
        let ast::ExprKind::Compare(named, sides) = &*claim.bare().kind else { return false };
        let [(op @ (CmpOp::In | CmpOp::NotIn), set)] = &sides[..] else { return false };
        if set.as_name() != Some("moves") || self.find("moves", set.span).is_some() {
            return false;
        }
        let ours = if *op == CmpOp::In { "legal" } else { "illegal" };
        let title = "whether a move is legal is claimed by `legal` and `illegal`";
        let new = format!("{ours} {}", bouton_syntax::print_expr(named));
        let found = Diagnostic::new(Code::E0201, title, claim.span, "");
        self.report(found.help(format!("write `expect {new};`")).edit(claim.span, new));
        true
    }

    fn small(&mut self, number: &ast::Number) -> Option<u32> {
        let value = number.text.parse().ok();
        if value.is_none() {
            self.error(Code::E0210, "this number is too large, or not whole", number.span, "");
        }
        value
    }

    fn count(&mut self, number: &ast::Number) -> Option<u64> {
        let value = number.text.parse().ok();
        if value.is_none() {
            self.error(Code::E0210, "this number is too large, or not whole", number.span, "");
        }
        value
    }

    fn comparison_of(&mut self, op: CmpOp, span: Span) -> Option<Comparison> {
        Some(match op {
            CmpOp::Equal | CmpOp::DoubleEqual | CmpOp::Is => Comparison::Equal,
            CmpOp::NotEqual => Comparison::NotEqual,
            CmpOp::Less => Comparison::Less,
            CmpOp::LessEqual => Comparison::LessEqual,
            CmpOp::Greater => Comparison::Greater,
            CmpOp::GreaterEqual => Comparison::GreaterEqual,
            CmpOp::In | CmpOp::NotIn => {
                self.error(Code::E0201, "a claim compares with `=`, `<` and the like", span, "not a set");
                return None;
            }
        })
    }

    /// The value of a claim: an exact number, a list of numbers, or a string.
    fn claimed_value(&mut self, words: &ast::Expr) -> Option<Value> {
        let mut locals = Locals::constant();
        locals.exact = true;
        let made = self.expr(words, None, &mut locals);
        self.must_be_constant(made, "what is claimed").constant().cloned()
    }

    /// `first wins`, `X wins in 7`.
    fn player_claim(&mut self, words: &ast::Expr, wins: bool, plies: Option<&ast::Number>) -> Option<Claim> {
        if self.result_beside_a_condition(words, wins) {
            return None;
        }
        let plies = match plies {
            Some(n) => Some(self.small(n)?),
            None => None,
        };
        let order = match words.as_name() {
            Some("first") => Some(0),
            Some("second") => Some(1),
            _ => None,
        };
        if let (Some(order), Some(name)) = (order, words.as_name()) {
            let declared = self.find(name, words.span).map(|key| self.symbols[key].span).or_else(|| {
                self.members.get(name).map(|m| self.member_spans.get(&m[0]).copied().unwrap_or(words.span))
            });
            match declared {
                None => {
                    let first = self.rules.fields[bouton_rules::MOVER].init[0].as_sym().unwrap_or(0);
                    let players = self.rules.players().len() as u32;
                    let player = (first + order) % players.max(1);
                    if order >= players && players > 0 {
                        self.error(Code::E0201, "this game has one player", words.span, "there is no second");
                        return None;
                    }
                    return Some(Claim::Player { player, wins, plies });
                }
                Some(declared) => {
                    let title = format!(
                        "`{name}` here is the name declared in the file, not the player who moves {name}"
                    );
                    let found = Diagnostic::new(Code::W0122, title, words.span, "");
                    self.report(found.label(declared, "declared here").help("give it another name"));
                }
            }
        }
        if let ast::ExprKind::Unary(ast::UnaryOp::Not, player) = &*words.bare().kind {
            let title = "a claim says who wins, or that it is a draw";
            let found = Diagnostic::new(Code::E0201, title, words.span, "a player is needed here");
            self.report(found.help(self.claims_instead_of_denial(player.as_name(), wins)));
            return None;
        }
        if self.mover_of_a_claim(words) {
            return None;
        }
        let made = self.constant(words, Some(&Type::Sym(PLAYER)), "the player of a claim");
        let player = made.constant()?.as_sym()?;
        Some(Claim::Player { player, wins, plies })
    }

    /// Reports `expect stuck and B wins;`, where `words` are those before `wins` or `loses`; returns true if it is that.
    fn result_beside_a_condition(&mut self, words: &ast::Expr, wins: bool) -> bool {
        let ast::ExprKind::Binary(ast::BinaryOp::And, condition, player) = &*words.bare().kind else {
            return false;
        };
        let result = if wins { "wins" } else { "loses" };
        let between = Span { start: condition.span.end, end: player.span.start, ..words.span };
        let (condition, player) = (print_expr(condition), print_expr(player));
        let title = "each claim has its own `expect`";
        let found = Diagnostic::new(Code::E0201, title, words.span, "two claims");
        let found = found.help(format!("write `expect {condition}; expect {player} {result};`"));
        let has_settings = match self.item_around(words.span) {
            Some(ItemKind::Expect(expect)) => !expect.settings.is_empty(),
            _ => false,
        };
        self.report(if has_settings { found } else { found.edit(between, "; expect ") });
        true
    }

    /// Reports `expect mover wins;` and `expect other(mover) wins;`; returns true if it is that.
    fn mover_of_a_claim(&mut self, words: &ast::Expr) -> bool {
        let is_mover = |words: &ast::Expr| words.bare().as_name() == Some("mover");
        let (word, new) = match &*words.bare().kind {
            ast::ExprKind::Call(of, args) => match &args[..] {
                [only] if of.as_name() == Some("other") && is_mover(only) => ("other(mover)", "second"),
                _ => return false,
            },
            _ if is_mover(words) => ("mover", "first"),
            _ => return false,
        };
        let players = self.rules.players();
        if players.len() != 2 && new == "second" {
            return false;
        }
        let title = "a claim names the player who wins or loses";
        let found =
            Diagnostic::new(Code::E0201, title, words.span, format!("`{word}` differs from ply to ply"));
        let names = players.iter().map(|player| format!("`{player}`")).collect::<Vec<_>>().join(" or ");
        let is_at_the_start = matches!(self.item_around(words.span), Some(ItemKind::Expect(_)));
        self.report(match is_at_the_start && !self.members.contains_key(new) {
            true => {
                let place = if new == "first" { "who moves first" } else { "who moves second" };
                found.help(format!("the player {place} is `{new}`")).edit(words.span, new)
            }
            false => found.help(format!("name the player: {names}")),
        });
        true
    }

    /// Reports `winner = A`.
    fn winner_compared(&mut self, claim: &ast::Expr) -> bool {
        let ast::ExprKind::Compare(left, rest) = &*claim.bare().kind else { return false };
        let [(CmpOp::Equal | CmpOp::DoubleEqual | CmpOp::Is, player)] = &rest[..] else { return false };
        let (Some(word @ ("winner" | "loser" | "result" | "outcome")), Some(name)) =
            (left.as_name(), player.as_name())
        else {
            return false;
        };
        let is_player =
            matches!(name, "first" | "second") || self.rules.players().iter().any(|player| player == name);
        if self.find(word, left.span).is_some() || !is_player && !matches!(name, "draw" | "none") {
            return false;
        }
        let new = match (is_player, word) {
            (true, "loser") => format!("{name} loses"),
            (true, _) => format!("{name} wins"),
            (false, _) => "draw".to_owned(),
        };
        let title = "a claim says who wins, or that it is a draw";
        let found = Diagnostic::new(Code::E0201, title, claim.span, format!("there is no `{word}`"));
        self.report(found.help(format!("write `expect {new};`")).edit(claim.span, new));
        true
    }

    /// Reports `expect lose;`, `expect tie;` and `expect unsolvable;`; returns true if it is one of these.
    fn verdict_alone(&mut self, claim: &ast::Expr) -> bool {
        let Some(word) = claim.bare().as_name() else { return false };
        let verdict = match word.to_ascii_lowercase().as_str() {
            "lose" | "lost" | "loss" | "loses" | "losing" | "fail" | "fails" => Some("loses"),
            "unsolvable" | "unsolved" | "insoluble" | "unwinnable" | "no_solution" => Some("loses"),
            "win" | "won" | "wins" | "winning" | "winnable" | "solvable" | "solved" => Some("wins"),
            "draw" | "tie" | "tied" | "ties" | "drawn" | "drawish" | "remis" => None,
            _ => return false,
        };
        if self.find(word, claim.span).is_some() || self.members.contains_key(word) || self.options.damaged {
            return false;
        }
        let players = self.rules.players();
        let title = match verdict {
            Some(_) => "a claim says which player wins or loses",
            None => "a claim of a draw is `draw`",
        };
        let found = Diagnostic::new(Code::E0101, title, claim.span, format!("there is no `{word}`"));
        let found = match (verdict, players) {
            (None, [_]) => found.help("a puzzle has no draw: it is solved or not, `expect solved in 7;`"),
            (None, _) => found.help("write `expect draw;`").edit(claim.span, "draw"),
            (Some(verdict), [only]) => {
                let new = format!("{only} {verdict}");
                let moves = match verdict {
                    "wins" => "; the fewest moves are claimed by `expect solved in 7;`",
                    _ => "",
                };
                found.help(format!("write `expect {new};`{moves}")).edit(claim.span, new)
            }
            (Some(verdict), players) => {
                let claims: Vec<String> =
                    players.iter().map(|player| format!("`expect {player} {verdict};`")).collect();
                found.help(format!("name the player: {}", claims.join(" or ")))
            }
        };
        self.report(found);
        true
    }

    /// The claims that may be meant by `not X wins` or `not X loses`.
    fn claims_instead_of_denial(&self, denied: Option<&str>, wins: bool) -> String {
        let players = self.rules.players();
        let first = self.rules.fields[bouton_rules::MOVER].init[0].as_sym().unwrap_or(0) as usize;
        let place = match denied {
            Some("first") => Some(first),
            Some("second") => Some(first + 1),
            Some(name) => players.iter().position(|player| player == name),
            None => None,
        };
        let (Some(place), Some(denied), 2) = (place, denied, players.len()) else {
            return "write the claim for the player who does win, or `expect draw;`".into();
        };
        let other = &players[(place + 1) % 2];
        let verdict = if wins { "wins" } else { "loses" };
        // A value is the payoff of the player declared first.
        let bound = if (place % 2 == 0) == wins { "<=" } else { ">=" };
        format!(
            "write `expect {other} {verdict};` or `expect draw;`, whichever holds; `expect value {bound} 0;` says that \
             `{denied}` does not"
        )
    }

    /// Advice on a move that no name means, by the first moves that are declared.
    fn forms_of_moves(&self, moves: &[String]) -> String {
        let Some(first) = self.rules.moves.iter().next() else {
            return "write it as it is declared, `mark(a1)`, or as it is shown, `\"a1\"`".to_owned();
        };
        let params: Vec<&str> = first.params.iter().map(|param| &*first.vars[param.var].name).collect();
        let shown = truncated(moves);
        format!(
            "write it as it is declared, such as `{}({})`, or as it is shown, between quotes; the moves are {shown}",
            first.name,
            params.join(", ")
        )
    }

    /// A move of a claim: `mark(a1)`, `"a1"`, `pass`.
    fn move_ref(&mut self, words: &'a ast::Expr) -> Option<MoveRef> {
        let (name, args): (&ast::Expr, &[ast::Expr]) = match &*words.bare().kind {
            ast::ExprKind::Str(text) => return Some(MoveRef::Notation(text.clone())),
            ast::ExprKind::Call(callee, args) => (callee, args),
            _ => (words, &[]),
        };
        let key = self.declared(name, &Locals::constant());
        if name.as_name() == Some("pass") && key.is_none() {
            return Some(MoveRef::Notation("pass".into()));
        }
        let id = key.and_then(|key| match self.symbols[key].kind {
            SymbolKind::Move { id } => id,
            _ => None,
        });
        let (Some(id), Some(text)) = (id, key) else {
            let found =
                Diagnostic::new(Code::E0101, "a move is needed here", name.span, "no move of that name");
            let moves: Vec<String> = self.rules.moves.iter().map(|m| m.name.clone()).collect();
            let near = name
                .as_name()
                .and_then(|t| bouton_syntax::diag::nearest(t, moves.iter().map(String::as_str)));
            self.report(match near {
                Some(near) => found.help(format!("did you mean `{near}`?")).edit(name.span, near),
                None => found.help(self.forms_of_moves(&moves)),
            });
            return None;
        };
        self.use_symbol(text, UseKind::Read);
        let types: Vec<Type> =
            self.rules.moves[id].params.iter().map(|p| self.rules.moves[id].vars[p.var].ty.clone()).collect();
        let mut locals = Locals::constant();
        let args = self.arguments(text, args, &types, words.span, &mut locals)?;
        let mut values = Vec::new();
        for arg in args {
            values.push(self.must_be_constant(arg, "an argument of a claim").constant()?.clone());
        }
        Some(MoveRef::Applied(id, values))
    }
}

/// The first names of a list, separated by commas.
fn truncated(names: &[String]) -> String {
    const MOST: usize = 5;
    let more = if names.len() > MOST { ", ..." } else { "" };
    format!("{}{more}", names[..names.len().min(MOST)].join(", "))
}

#[cfg(test)]
mod tests {
    use crate::testing::found_in_claims;
    use bouton_syntax::diag::{Code, Diagnostic};

    fn text(claim: &str) -> String {
        format!(
            "game \"Heap\"; param n: 1..9 = 5; players A, B; state {{ left: 0..9 = n; }}
             move take(k: 1..2) as \"{{k}}\" {{ when k <= left; left -= k; }} play normal; expect {claim};"
        )
    }

    fn help(found: &[Diagnostic]) -> &str {
        found.first().and_then(|found| found.help.as_deref()).unwrap_or_default()
    }

    #[test]
    fn words_of_claims_that_are_declared() {
        let titles = |field: &str, claim: &str| {
            let text = format!(
                "game \"Heap\"; players A, B; state {{ {field}: 0..9 = 5; }}
                 move take(k: 1..2) as \"{{k}}\" {{ when k <= {field}; {field} -= k; }} play normal; expect {claim};"
            );
            let found = crate::testing::found_in_group(&text, Code::W0122, 0);
            found.into_iter().map(|found| found.title).collect::<Vec<_>>()
        };
        let of_value = [
            "a claim about `value` is about what the first player gets with best play, not the field `value`",
        ];
        assert_eq!(titles("value", "value = 1"), of_value);
        assert_eq!(titles("value", "(value) = 5"), [""; 0]);
        let of_nimber =
            ["a claim about `nimber` is about the nimber of the position, not the field `nimber`"];
        assert_eq!(titles("nimber", "nimber = 2"), of_nimber);
        assert_eq!(titles("left", "nimber = 2"), [""; 0]);
    }

    #[test]
    fn perft_counts_plays_of_a_length() {
        let bare = found_in_claims(&text("perft = 2 with n = 4"), Code::E0101);
        assert!(help(&bare).contains("`perft 1`"), "{bare:?}");
        assert_eq!(bare[0].edits.len(), 1);
        assert!(found_in_claims(&text("perft 1 = 2 with n = 4"), Code::E0101).is_empty());
    }

    #[test]
    fn a_claim_gives_one_value_to_a_parameter() {
        let twice = found_in_claims(&text("first wins with n = 4 and n = 5"), Code::E0103);
        assert!(help(&twice).contains("a claim for each"), "{twice:?}");
        assert!(twice[0].edits.is_empty());
    }
}
