//! Positions in which a role has no legal move, though the game is not over: GDL forbids them, and nobody
//! moves there.
//!
//! In turns the roles that do not choose wait, and in simultaneous games all of them choose. So each block of
//! moves has the condition that every other role has a legal move, unless a proof shows that it always has
//! one there. Thus such a position has no moves, and is found as a mistake of the sheet.

use bouton_base::source::Span;
use bouton_rules::builder::{e, stmt, truth};
use bouton_rules::{Expr, ExprKind, Stmt, StmtKind, Value, Vars};
use bouton_syntax::diag::{Code, Diagnostic};
use rustc_hash::FxHashSet;

use super::{MoveBlock, Translator, place};
use crate::exclusive::contradict_each_other;
use crate::ground::{AtomId, GroundLiteral};
use crate::names::NeededMove;
use crate::sheet::{Literal, Pattern, Sheet};
use crate::simplify::{Body, Propositions};
use crate::terms::{Symbol, TermId};
use crate::turns::Turns;

/// The maximal number of moves of a role about which a proof is tried that one of them is always legal.
const MAX_MOVES: usize = 100;

/// A situation in which a role moves: conditions that hold there.
type Situation = Vec<GroundLiteral>;

impl Translator<'_> {
    /// The conditions of the moves of a block that each other role has a legal move, as far as they are not
    /// proved.
    pub(super) fn others_can_move(&mut self, of: &MoveBlock) -> Result<Vec<Stmt>, Box<Diagnostic>> {
        // Chance chooses after the players, in the same position.
        let after_players = self.names.simultaneous && self.chance == Some(of.role);
        let mut found = Vec::new();
        for other in (0..self.roles.len()).filter(|&other| other != of.role && !after_players) {
            let needed = match &self.turns {
                Turns::Alternating(turns) => turns[other].waits.into_iter().collect(),
                Turns::Simultaneous => self.role_moves[other].does.clone(),
            };
            if needed.is_empty() {
                continue;
            }
            let keywords = &self.sheet.keywords;
            let legal = |&does: &AtomId| self.game.find(keywords.legal, self.game.facts.args(does));
            let legal: Vec<AtomId> = needed.iter().filter_map(legal).collect();
            let situations = self.situations(of);
            if legal.iter().any(|&legal| self.game.certain(legal) == Some(true))
                || situations.iter().all(|situation| self.is_one_legal(&legal, situation))
            {
                continue;
            }
            let condition = self.can_move(other, &legal)?;
            if condition.constant() != Some(&Value::Bool(true)) {
                found.push(stmt(StmtKind::Require(condition)));
            }
        }
        Ok(found)
    }

    /// The situations in which a role makes the moves of a block: in turns one of its fluents holds.
    fn situations(&self, of: &MoveBlock) -> Vec<Situation> {
        let Turns::Alternating(turns) = &self.turns else { return vec![Vec::new()] };
        let none = || -> Situation {
            self.controls().into_iter().map(|(control, _)| GroundLiteral::new(control, false)).collect()
        };
        let own = &turns[of.role].controls;
        let mut found: Vec<Situation> =
            own.iter().map(|&control| vec![GroundLiteral::new(control, true)]).collect();
        if own.is_empty() || self.may_move_otherwise(of, &none()) {
            found.push(none());
        }
        found
    }

    /// Returns true if moves of a block may be made in a position where no fluent of a turn holds.
    fn may_move_otherwise(&self, of: &MoveBlock, none: &[GroundLiteral]) -> bool {
        if self.one_always_chooses || self.first_otherwise() != Some(of.role) {
            return false;
        }
        let legal = |atom: AtomId| self.game.find(self.sheet.keywords.legal, self.game.facts.args(atom));
        of.moves.iter().filter_map(|&(_, atom)| legal(atom)).any(|legal| {
            let all: Situation = none.iter().copied().chain([GroundLiteral::new(legal, true)]).collect();
            !contradict_each_other(self.game, &self.sheet.keywords, &[], &all)
        })
    }

    /// Returns true if a proof shows that one of these sentences holds in a situation before the end.
    fn is_one_legal(&self, legal: &[AtomId], situation: &Situation) -> bool {
        if legal.len() > MAX_MOVES {
            return false;
        }
        let (game, keywords) = (self.game, &self.sheet.keywords);
        // Where chance moves first, the fluent of a player holds as well.
        let controls = if self.has_yielding_turns() { Vec::new() } else { self.controls() };
        let alone: Vec<AtomId> = controls.into_iter().map(|(atom, _)| atom).collect();
        let end = game.find(keywords.terminal, &[]).filter(|&end| game.certain(end).is_none());
        let none = legal.iter().copied().chain(end).map(|atom| GroundLiteral::new(atom, false));
        let all: Situation = situation.iter().copied().chain(none).collect();
        contradict_each_other(game, keywords, &alone, &all)
    }

    /// The condition that one of these sentences about a role holds.
    fn can_move(&mut self, role: usize, legal: &[AtomId]) -> Result<Expr, Box<Diagnostic>> {
        if let Some(made) = self.can_move.get(&role) {
            return Ok(made.clone());
        }
        let game = self.game;
        let bodies: Vec<Body> = legal.iter().flat_map(|&legal| game.bodies(legal)).cloned().collect();
        let formula = self.disjunction(&bodies)?;
        let made = match &bodies[..] {
            [] => truth(false),
            [only] if only.len() <= 2 => formula,
            _ => {
                let name = format!("{} can move", self.names.roles[role]);
                let def = self.truth_def(name, Vars::new(), formula, None);
                e(ExprKind::Call(def, Vec::new()))
            }
        };
        self.can_move.insert(role, made.clone());
        let span = self.legal_place(role);
        self.names.needs.push(NeededMove { role: role as u32, condition: made.clone(), span });
        Ok(made)
    }
}

impl Translator<'_> {
    /// The place of the first rule for the legal moves of a role: one that names it, or one for any role.
    fn legal_place(&self, role: usize) -> Span {
        let of = &self.sheet.keywords;
        let own = Pattern::Const(self.game.terms.get(self.roles[role]).name);
        let rules = || self.sheet.clauses.iter().filter(|clause| clause.head.relation == of.legal);
        let named = rules().find(|clause| clause.head.args.first() == Some(&own));
        let any = || rules().find(|clause| matches!(clause.head.args.first(), Some(Pattern::Var(_))));
        named.or_else(any).map_or_else(|| place(self.sheet, of.legal), |clause| clause.span)
    }
}

/// The message for a role without moves: at the fluent that its moves need and that never holds, if there is
/// one.
pub(super) fn without_moves(sheet: &Sheet, game: &Propositions, role: TermId) -> Diagnostic {
    let of = &sheet.keywords;
    let title = format!("the role `{}` has no moves", game.terms.render(&sheet.symbols, role));
    let function = |pattern: &Pattern| match pattern {
        Pattern::Const(name) | Pattern::Compound(name, _) => Some(*name),
        Pattern::Var(_) => None,
    };
    let own = Pattern::Const(game.terms.get(role).name);
    let held: FxHashSet<Symbol> = game
        .possible(of.true_)
        .into_iter()
        .map(|atom| game.terms.get(game.facts.args(atom)[0]).name)
        .collect();
    for clause in sheet.clauses.iter().filter(|clause| clause.head.relation == of.legal) {
        let who = clause.head.args.first();
        if !who.is_some_and(|who| *who == own || matches!(who, Pattern::Var(_))) {
            continue;
        }
        for literal in &clause.body {
            if let Literal::Positive(sentence) = literal
                && sentence.relation == of.true_
                && let Some(name) = sentence.args.first().and_then(function)
                && !held.contains(&name)
            {
                let name = sheet.symbols.name(name);
                let label = format!("no fluent `{name}` ever holds");
                let help = format!("state by `init` which `{name}` holds at first");
                return Diagnostic::new(Code::E0709, title, sentence.span, label).help(help);
            }
        }
    }
    let help = "each role has a legal move in each position: let it wait with a move such as `noop`";
    Diagnostic::new(Code::E0709, title, place(sheet, of.role), "").help(help)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bouton_base::source::FileId;
    use bouton_reference::{Interpreter, State};

    /// The numbers of positions of a sheet in which nobody can move, and of all positions.
    fn stuck(sheet: &str) -> (usize, usize) {
        let reading = crate::read(FileId(0), sheet);
        let rules = reading.translation.expect("rules").rules;
        let interpreter = Interpreter::new(Arc::new(rules));
        let mut positions: Vec<State> = vec![interpreter.initial()];
        let (mut stuck, mut next) = (0, 0);
        while let Some(position) = positions.get(next).cloned() {
            next += 1;
            let (turn, successors) = interpreter.expand(&position).expect("no fault");
            stuck += usize::from(successors.is_empty() && !matches!(turn, bouton_rules::ToMove::Terminal(_)));
            for (_, after, _) in successors {
                if !positions.contains(&after) {
                    positions.push(after);
                }
            }
        }
        (stuck, positions.len())
    }

    /// Two who take stones from a heap in turns.
    const HEAP: &str = "(role left) (role right) (init (heap 3)) (init (control left))
        (sub 3 1 2) (sub 3 2 1) (sub 2 1 1) (sub 2 2 0) (sub 1 1 0)
        (<= (legal ?p (take ?k)) (true (control ?p)) (true (heap ?n)) (sub ?n ?k ?m))
        (<= (legal left noop) (true (control right)))
        (<= (legal right noop) (true (control left)))
        (<= (next (heap ?m)) (does ?p (take ?k)) (true (heap ?n)) (sub ?n ?k ?m))
        (<= (next (control right)) (true (control left)))
        (<= (next (control left)) (true (control right)))
        (<= terminal (true (heap 0)))
        (<= (goal ?p 0) (role ?p) (true (control ?p)))
        (<= (goal ?p 100) (role ?p) (not (true (control ?p))))";

    #[test]
    fn nobody_moves_where_a_role_has_no_move() {
        assert_eq!(stuck(HEAP).0, 0);
        for (from, to) in [
            // It is nobody's turn.
            ("(next (control left))", "(next (control lefft))"),
            // One role cannot wait, at first or later.
            ("(<= (legal right noop) (true (control left)))", ""),
            ("(<= (legal left noop) (true (control right)))", ""),
            // A role waits with one stone less.
            (
                "(<= (legal left noop) (true (control right)))",
                "(<= (legal left noop) (true (control right)) (true (heap 2)))",
            ),
        ] {
            assert!(stuck(&HEAP.replacen(from, to, 1)).0 > 0, "{to}");
        }
    }

    /// Two who say a word at once, twice.
    const WORDS: &str = "(role left) (role right) (init (step 1)) (succ 1 2) (succ 2 3) (word yes) (word no)
        (<= (legal left (say ?x)) (word ?x))
        (<= (legal right (say ?x)) (true (step 1)) (word ?x))
        (<= (legal right (say ?x)) (true (step 2)) (word ?x))
        (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
        (<= (next (said ?p ?x)) (does ?p (say ?x)))
        (<= terminal (true (step 3)))
        (<= same (true (said left ?x)) (true (said right ?x)))
        (<= (goal left 100) same) (<= (goal left 0) (not same))
        (<= (goal right 0) same) (<= (goal right 100) (not same))";

    #[test]
    fn the_roles_that_need_a_move_are_named() {
        let needs = |sheet: &str| -> Vec<String> {
            let names = crate::read(FileId(0), sheet).translation.expect("rules").names;
            let all = names.without_moves(&|_| false);
            all.into_iter().map(|(role, span)| format!("{role}: {}", &sheet[span.range()])).collect()
        };
        assert_eq!(needs(HEAP), [""; 0]);
        let rest = "(<= (legal left noop) (true (control right)))";
        let tired = rest.replace("(true (control right))", "(true (control right)) (true (heap 2))");
        assert_eq!(needs(&HEAP.replacen(rest, &tired, 1)), [format!("left: {tired}")]);
        let second = "(<= (legal right (say ?x)) (true (step 2)) (word ?x))";
        let first = "(<= (legal right (say ?x)) (true (step 1)) (word ?x))";
        assert_eq!(needs(&WORDS.replacen(second, "", 1)), [format!("right: {first}")]);
    }

    #[test]
    fn all_wait_where_nobody_has_the_turn() {
        // The turn is lost after two moves, and both have `noop`.
        let lost = "(role a) (role b) (init (ctl a)) (init (k 0)) (s 0 1) (s 1 2) (s 2 3)
            (<= (legal ?p l) (true (ctl ?p))) (<= (legal ?p r) (true (ctl ?p)))
            (<= (legal ?p noop) (role ?p) (not (true (ctl ?p))))
            (<= (next (ctl b)) (true (k 0)))
            (<= (next (red ?p)) (does ?p r)) (<= (next (red ?p)) (true (red ?p)))
            (<= (next (k ?b)) (true (k ?a)) (s ?a ?b))
            (<= terminal (true (k 3)))
            (<= (goal a 100) (true (red b))) (<= (goal a 0) (not (true (red b))))
            (<= (goal b 0) (true (red b))) (<= (goal b 100) (not (true (red b))))";
        assert_eq!(stuck(lost), (0, 1 + 2 + 4 + 4));
    }

    #[test]
    fn all_choose_at_once_only_if_all_can() {
        assert_eq!(stuck(WORDS).0, 0);
        let without_second = WORDS.replacen("(<= (legal right (say ?x)) (true (step 2)) (word ?x))", "", 1);
        assert!(stuck(&without_second).0 > 0);
        // A role with one move alone, which is not always legal.
        let alone = "(role robot) (role clock) (init (hour 1)) (succ 1 2) (succ 2 3)
            (legal robot go) (legal robot stay) (<= (legal clock tick) (true (hour 1)))
            (<= (next (hour ?n)) (true (hour ?m)) (succ ?m ?n)) (<= (next moved) (does robot go))
            (<= terminal (true (hour 3))) (<= (goal robot 100) (true moved)) (<= (goal robot 0) (not (true moved)))
            (goal clock 0)";
        assert!(stuck(alone).0 > 0);
    }
}
