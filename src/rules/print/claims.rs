//! Prints the items after the moves: ends, repetition, claims, observations, display and tests.

use super::expr::ExprPrinter;
use super::{Printer, quoted, values};
use crate::look::{Look, PieceColour, PieceShape};
use crate::{
    Claim, Comparison, DisplaySource, Expectation, MoveRef, OutcomeExpr, PLAYER, PerPlayer, SymmetryClaim,
    Test, TestStep, Value, Vars,
};

impl Printer<'_> {
    /// Prints end rules, outcomes of repetition, forbidden repetition.
    pub(super) fn endings(&mut self) {
        let rules = self.rules;
        for (number, end) in rules.ends.iter().enumerate() {
            let words = ExprPrinter { rules, vars: &end.vars };
            let binder =
                end.binder.as_ref().map(|b| format!("for {} ", words.binders(std::slice::from_ref(b))));
            let outcome = self.outcome(&end.vars, &end.outcome);
            let condition = words.full(&end.condition);
            self.line(format!("end {number} {}when {condition} => {outcome};", binder.unwrap_or_default()));
            self.depth += 1;
            self.vars(&end.vars, 0);
            self.outcome_vars(&end.outcome);
            self.depth -= 1;
        }
        for repeat in &rules.repeats {
            let count = repeat.count.map_or(String::new(), |n| format!(" {n}"));
            let outcome = self.outcome(&Vars::new(), &repeat.outcome);
            let of = repeat
                .of
                .as_ref()
                .map_or(String::new(), |(of, vars)| format!(" of {}", ExprPrinter { rules, vars }.full(of)));
            self.line(format!("repeat{count}{of} => {outcome};"));
            self.depth += 1;
            repeat.of.iter().for_each(|(_, vars)| self.vars(vars, 0));
            self.outcome_vars(&repeat.outcome);
            self.depth -= 1;
        }
        for forbid in &rules.forbids {
            let words = ExprPrinter { rules, vars: &forbid.vars };
            let of = forbid.of.as_ref().map_or(String::new(), |e| format!(" of {}", words.full(e)));
            let within = forbid.within.map_or(String::new(), |n| format!(" within {n}"));
            self.line(format!("forbid repeat{of}{within};"));
            self.depth += 1;
            self.vars(&forbid.vars, 0);
            self.depth -= 1;
        }
    }

    fn outcome(&self, vars: &Vars, outcome: &OutcomeExpr) -> String {
        let words = ExprPrinter { rules: self.rules, vars };
        match outcome {
            OutcomeExpr::Draw => "draw".into(),
            OutcomeExpr::SinglePlayer(true) => "win".into(),
            OutcomeExpr::SinglePlayer(false) => "lose".into(),
            OutcomeExpr::Player(e, wins) => {
                format!("{} {}", words.full(e), if *wins { "wins" } else { "loses" })
            }
            OutcomeExpr::ByScore(each, highest) => {
                format!("{} {}", if *highest { "highest" } else { "lowest" }, self.per_player(each))
            }
            OutcomeExpr::Payoff(each) => format!("payoff {}", self.per_player(each)),
        }
    }

    fn outcome_vars(&mut self, outcome: &OutcomeExpr) {
        if let OutcomeExpr::ByScore(each, _) | OutcomeExpr::Payoff(each) = outcome {
            self.vars(&each.vars, 0);
        }
    }

    /// Prints `{ Red: e, Yellow: e }`.
    fn per_player(&self, each: &PerPlayer) -> String {
        let words = ExprPrinter { rules: self.rules, vars: &each.vars };
        let one = |(i, e)| format!("{}: {}", self.player(i as u32), words.full(e));
        let texts: Vec<String> = each.values.iter().enumerate().map(one).collect();
        format!("{{ {} }}", texts.join(", "))
    }

    fn player(&self, index: u32) -> String {
        values::value(self.rules, &Value::Sym(PLAYER, index)).0
    }

    /// Prints invariants, symmetry, observations, evaluation, display, expectations, tests.
    pub(super) fn claims(&mut self) {
        let rules = self.rules;
        for invariant in &rules.invariants {
            let name = invariant.name.as_ref().map_or(String::new(), |name| format!("{name}: "));
            let value = ExprPrinter { rules, vars: &invariant.vars }.full(&invariant.value);
            self.item_with(&invariant.vars, format!("invariant {name}{value};"));
        }
        match &rules.symmetry {
            SymmetryClaim::Auto => self.line("symmetry auto;"),
            SymmetryClaim::None => self.line("symmetry none;"),
            SymmetryClaim::Of(boards, _) => {
                let names = boards.iter().map(|&b| match rules.boards.get(b) {
                    Some(board) => format!("{b} {}", board.name),
                    None => b.to_string(),
                });
                self.line(format!("symmetry {};", names.collect::<Vec<_>>().join(", ")));
            }
        }
        for sees in &rules.sees {
            let words = ExprPrinter { rules, vars: &sees.vars };
            let when = sees.condition.as_ref().map_or(String::new(), |e| format!(" when {}", words.full(e)));
            let text = format!("sees {}: {}{when};", words.full(&sees.players), words.full(&sees.value));
            self.item_with(&sees.vars, text);
        }
        if let Some(each) = &rules.evaluate {
            self.item_with(&each.vars, format!("evaluate {};", self.per_player(each)));
        }
        for display in &rules.display {
            let sign = |(value, sign): &(Value, String)| {
                let look = display.looks.iter().find(|(of, _)| of == value).map(|(_, look)| *look);
                let Look { shape, colour } = look.unwrap_or_default();
                let words = [colour.map(PieceColour::word), shape.map(PieceShape::word)];
                let words: Vec<&str> = words.into_iter().flatten().collect();
                let look = if words.is_empty() { String::new() } else { format!(" as {}", words.join(" ")) };
                format!("{} => {}{look}", values::value(rules, value).0, quoted(sign))
            };
            let signs: Vec<String> = display.signs.iter().map(sign).collect();
            let (id, name) = match display.source {
                DisplaySource::Field(id) => {
                    (id.to_string(), rules.fields.get(id).map_or("", |field| &field.name[..]))
                }
                DisplaySource::Def(id) => {
                    (id.to_string(), rules.defs.get(id).map_or("", |def| &def.name[..]))
                }
            };
            self.line(format!("display {id} {name} {{ {} }}", signs.join(", ")));
        }
        for expectation in &rules.expectations {
            self.expectation(expectation);
        }
        for test in &rules.tests {
            self.test(test);
        }
    }

    /// Prints a line, then the variables that it uses.
    fn item_with(&mut self, vars: &Vars, text: String) {
        self.line(text);
        self.depth += 1;
        self.vars(vars, 0);
        self.depth -= 1;
    }

    fn expectation(&mut self, expectation: &Expectation) {
        let cite =
            expectation.cite.as_ref().map_or(String::new(), |source| format!(" cite {}", quoted(source)));
        let claim = self.claim(&expectation.vars, &expectation.claim);
        let words = expectation.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let written = if words.is_empty() || words == claim { String::new() } else { format!(" // {words}") };
        self.item_with(&expectation.vars, format!("expect {claim}{cite};{written}"));
    }

    fn claim(&self, vars: &Vars, claim: &Claim) -> String {
        let compared = |word: &str, comparison: &Comparison, value: &Value| {
            format!("{word} {} {}", comparison_sign(*comparison), values::value(self.rules, value).0)
        };
        match claim {
            Claim::Perft { depth, by_turn, count } => {
                format!("perft {depth}{} = {count}", if *by_turn { " by turn" } else { "" })
            }
            Claim::Positions(comparison, value) => compared("positions", comparison, value),
            Claim::Nimber(comparison, value) => compared("nimber", comparison, value),
            Claim::Value(comparison, value) => compared("value", comparison, value),
            Claim::Moves(moves) => {
                let moves: Vec<String> = moves.iter().map(|m| self.move_ref(m)).collect();
                format!("moves = {{ {} }}", moves.join(", "))
            }
            Claim::Legal(m) => format!("legal {}", self.move_ref(m)),
            Claim::Illegal(m) => format!("illegal {}", self.move_ref(m)),
            Claim::Draw => "draw".into(),
            Claim::Player { player, wins, plies } => {
                let within = plies.map_or(String::new(), |n| format!(" in {n}"));
                format!("{} {}{within}", self.player(*player), if *wins { "wins" } else { "loses" })
            }
            Claim::SolvedIn(n) => format!("solved in {n}"),
            Claim::Holds(e) => ExprPrinter { rules: self.rules, vars }.full(e),
        }
    }

    fn move_ref(&self, made: &MoveRef) -> String {
        match made {
            MoveRef::Notation(text) => quoted(text),
            MoveRef::Applied(id, args) => {
                let name = self.rules.moves.get(*id).map_or(id.to_string(), |m| m.name.clone());
                format!("{name}({})", values::list(self.rules, args))
            }
        }
    }

    fn test(&mut self, test: &Test) {
        self.braces(&format!("test {}", quoted(&test.name)), |printer| {
            for step in &test.steps {
                match step {
                    TestStep::Position(block, vars, _) => printer.braces("position", |p| {
                        p.vars(vars, 0);
                        p.block(vars, block);
                    }),
                    TestStep::Play(moves) => {
                        let moves: Vec<String> = moves.iter().map(|(m, _)| printer.move_ref(m)).collect();
                        printer.line(format!("play {};", moves.join(", ")));
                    }
                    TestStep::Expect(expectation) => printer.expectation(expectation),
                }
            }
        });
    }
}

fn comparison_sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "=",
        Comparison::NotEqual => "!=",
        Comparison::Less => "<",
        Comparison::LessEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterEqual => ">=",
    }
}
