//! Games given as explicit graphs, for tests: position i is the word i, and each edge is a move.

use std::sync::Arc;

use bouton_base::rational::Rational;

use super::{
    Fault, FaultKind, Game, Machine, MachineError, MoveInstance, Outcome, OutcomeKind, State, Successor,
    ToMove,
};
use bouton_base::limits::LimitHit;
use bouton_base::source::Span;
use bouton_rules::{
    self as rules, Block, DIR, Enum, EnumKind, Expr, Field, FieldId, MOVER, MoveId, PLAYER, PerPlayer, Rules,
    StmtKind, Type, Value, Vars, Visibility,
};

/// The span of everything that a toy game declares: no place in any file.
pub fn no_span() -> Span {
    Span::unplaced(0)
}

#[derive(Clone, Debug)]
enum ToyKind {
    Player(u32),
    Over(Outcome),
    /// The first players choose at once: the number of choices of each.
    Each(Vec<usize>),
    Chance,
    Fault,
}

#[derive(Clone, Debug)]
struct ToyNode {
    kind: ToyKind,
    edges: Vec<(String, usize, Rational)>,
}

/// A game given as an explicit graph.
#[derive(Clone)]
pub struct ToyGame {
    nodes: Vec<ToyNode>,
    /// The rules; a test may change them before it makes the game.
    pub rules: Rules,
    /// True if positions also hold the mover, who alternates: for games in which both players have the same moves. A
    /// position without moves is lost for the mover.
    pub impartial: bool,
    /// In an impartial toy: a move, by node and edge, that only the first player has.
    pub partial: Option<(usize, usize)>,
}

fn enumeration(name: &str, kind: EnumKind, members: &[&str]) -> Enum {
    Enum { name: name.into(), kind, members: members.iter().map(|m| m.to_string()).collect() }
}

/// Returns a constant integer as an expression.
pub fn number(n: i64) -> Expr {
    Expr::new(rules::ExprKind::Const(Value::Int(n)), Type::Int(n, n), no_span())
}

impl ToyGame {
    /// Creates a game for `players` players without positions.
    pub fn new(players: usize) -> Self {
        let mut rules = Rules { name: "toy".into(), ..Rules::default() };
        assert_eq!(
            rules.enums.push(enumeration("Player", EnumKind::Player, &["A", "B", "C"][..players])),
            PLAYER
        );
        assert_eq!(rules.enums.push(enumeration("Dir", EnumKind::Dir, &[])), DIR);
        for (name, ty) in [("mover", Type::Sym(PLAYER)), ("phase", Type::Int(0, 0))] {
            rules.fields.push(Field {
                name: name.into(),
                keys: Vec::new(),
                ty,
                init: vec![Value::Sym(PLAYER, 0)],
                transient: false,
                visibility: Visibility::Public,
                doc: Vec::new(),
                span: no_span(),
            });
        }
        rules.moves.push(rules::Move {
            name: "move".into(),
            chance: false,
            mandatory: false,
            private: false,
            forcing: false,
            params: Vec::new(),
            vars: Vars::new(),
            by: None,
            phases: Vec::new(),
            weight: None,
            prefer: None,
            template: Vec::new(),
            body: Block::default(),
            doc: Vec::new(),
            span: no_span(),
        });
        ToyGame { nodes: Vec::new(), rules, impartial: false, partial: None }
    }

    fn node(&mut self, node: usize) -> &mut ToyNode {
        while self.nodes.len() <= node {
            self.nodes.push(ToyNode { kind: ToyKind::Player(0), edges: Vec::new() });
        }
        &mut self.nodes[node]
    }

    /// Adds a move with a name.
    pub fn named(&mut self, from: usize, name: &str, to: usize) {
        self.node(to);
        self.node(from).edges.push((name.into(), to, Rational::from_integer(1)));
    }

    /// Adds a move whose name is made of the two nodes.
    pub fn edge(&mut self, from: usize, to: usize) {
        self.named(from, &format!("{from}-{to}"), to);
    }

    /// Adds a chance move with its probability.
    pub fn chance(&mut self, from: usize, to: usize, probability: Rational) {
        self.edge(from, to);
        let node = self.node(from);
        node.kind = ToyKind::Chance;
        node.edges.last_mut().expect("an edge").2 = probability;
    }

    /// Makes a node's moves chance moves with these probabilities.
    pub fn shares(&mut self, node: usize, probabilities: &[Rational]) {
        let node = self.node(node);
        node.kind = ToyKind::Chance;
        for (edge, probability) in node.edges.iter_mut().zip(probabilities) {
            edge.2 = probability.clone();
        }
    }

    /// Makes the first players choose at once, with these numbers of choices; `to` has the node after each
    /// combination, the choices of the last player first.
    pub fn joint(&mut self, node: usize, counts: &[usize], to: &[usize]) {
        assert_eq!(to.len(), counts.iter().product::<usize>());
        to.iter().for_each(|&to| self.edge(node, to));
        self.node(node).kind = ToyKind::Each(counts.to_vec());
    }

    /// Sets the player to move at a node.
    pub fn owner(&mut self, node: usize, player: u32) {
        self.node(node).kind = ToyKind::Player(player);
    }

    /// Makes a node terminal: 1 is a win of the first player, 0 a draw, -1 a win of the second.
    pub fn over(&mut self, node: usize, value: i64) {
        let kind = if value == 0 { OutcomeKind::Draw } else { OutcomeKind::Win };
        let payoffs = [value, -value].map(Rational::from_integer);
        let players = self.rules.players().len().min(2);
        self.node(node).kind =
            ToyKind::Over(Outcome { payoffs: payoffs[..players].to_vec(), kind, scores: None, rule: 0 });
    }

    /// Makes a node terminal with these payoffs.
    pub fn payoffs(&mut self, node: usize, payoffs: &[i64]) {
        let payoffs = payoffs.iter().map(|&p| Rational::from_integer(p)).collect();
        self.node(node).kind =
            ToyKind::Over(Outcome { payoffs, kind: OutcomeKind::Payoff, scores: None, rule: 0 });
    }

    /// Makes a node terminal by a comparison of these scores; the higher score wins.
    pub fn scores(&mut self, node: usize, a: i64, b: i64) {
        self.over(node, (a - b).signum());
        if let ToyKind::Over(outcome) = &mut self.node(node).kind {
            outcome.scores = Some(vec![a, b]);
        }
    }

    /// Makes a node a position in which the rules have no meaning.
    pub fn fault(&mut self, node: usize) {
        self.node(node).kind = ToyKind::Fault;
    }

    /// Declares `repeat => draw`.
    pub fn repeat_draw(&mut self) {
        self.repeat(rules::OutcomeExpr::Draw);
    }

    /// Declares `repeat => outcome`.
    pub fn repeat(&mut self, outcome: rules::OutcomeExpr) {
        self.rules.repeats.push(rules::Repeat { count: None, of: None, outcome, span: no_span() });
    }

    /// Declares an end rule `payoff` whose payoffs lie in an interval, so that bounds are known.
    pub fn pays(&mut self, lo: i64, hi: i64) {
        let value = Expr::new(rules::ExprKind::Undefined, Type::Int(lo, hi), no_span());
        let values = vec![value; self.rules.players().len()];
        self.rules.ends.push(rules::EndRule {
            vars: Vars::new(),
            binder: None,
            condition: Expr::new(rules::ExprKind::Undefined, Type::Bool, no_span()),
            outcome: rules::OutcomeExpr::Payoff(PerPlayer { values, vars: Vars::new() }),
            span: no_span(),
        });
    }

    /// Returns the position of a node.
    pub fn state(node: usize) -> State {
        State([node as u64].into())
    }

    /// Makes the game.
    pub fn game(self) -> Game {
        Game::new(Arc::new(self.rules.clone()), Arc::new(self))
    }

    fn at(&self, state: &State) -> (&ToyNode, u32) {
        let node = &self.nodes[state.0[0] as usize];
        let mover = match (self.impartial, &node.kind) {
            (true, _) => state.0[1] as u32,
            (false, ToyKind::Player(player)) => *player,
            (false, _) => 0,
        };
        (node, mover)
    }
}

impl Machine for ToyGame {
    fn initial(&self) -> State {
        if self.impartial { State([0, 0].into()) } else { ToyGame::state(0) }
    }

    fn turn(&self, state: &State) -> Result<ToMove, MachineError> {
        let (node, mover) = self.at(state);
        if self.impartial && node.edges.is_empty() {
            let payoffs = (0..2).map(|p| Rational::from_integer(if p == mover { -1 } else { 1 })).collect();
            return Ok(ToMove::Terminal(Outcome { payoffs, kind: OutcomeKind::Win, scores: None, rule: 0 }));
        }
        match &node.kind {
            _ if self.impartial => Ok(ToMove::Player(mover)),
            ToyKind::Player(player) => Ok(ToMove::Player(*player)),
            ToyKind::Over(outcome) => Ok(ToMove::Terminal(outcome.clone())),
            ToyKind::Each(_) => Ok(ToMove::Simultaneous),
            ToyKind::Chance => Ok(ToMove::Chance),
            ToyKind::Fault => Err(Fault { kind: FaultKind::Weights, span: no_span(), play: None }.into()),
        }
    }

    fn successors(&self, state: &State) -> Result<Vec<Successor>, MachineError> {
        let (node, mover) = self.at(state);
        if matches!(node.kind, ToyKind::Over(_)) {
            return Ok(Vec::new());
        }
        let after = |to: usize| {
            if self.impartial { State([to as u64, 1 - u64::from(mover)].into()) } else { ToyGame::state(to) }
        };
        let choice = |i: usize| MoveInstance::Move(MoveId(0), vec![Value::Int(i as i64)]);
        let play = |i: usize| match &node.kind {
            ToyKind::Each(counts) => {
                let mut left = i;
                let mut parts: Vec<(u32, MoveInstance)> = Vec::new();
                for (player, count) in counts.iter().enumerate().rev() {
                    parts.push((player as u32, choice(left % count)));
                    left /= count;
                }
                parts.reverse();
                MoveInstance::Joint(parts)
            }
            _ => choice(i),
        };
        let successor = |(i, (_, to, probability)): (usize, &(String, usize, Rational))| Successor {
            play: play(i),
            state: after(*to),
            probability: probability.clone(),
        };
        let at = state.0[0] as usize;
        let has = |i: usize| mover == 0 || self.partial != Some((at, i));
        Ok(node.edges.iter().enumerate().filter(|(i, _)| has(*i)).map(successor).collect())
    }

    fn notation(&self, state: &State, play: &MoveInstance) -> Result<String, LimitHit> {
        Ok(match play {
            MoveInstance::Move(_, args) => {
                let index = args[0].as_int().expect("an edge") as usize;
                self.at(state).0.edges[index].0.clone()
            }
            _ => "pass".into(),
        })
    }

    fn read(&self, state: &State, field: FieldId, _cell: usize) -> Value {
        if field == MOVER { Value::Sym(PLAYER, self.at(state).1) } else { Value::Int(0) }
    }

    fn eval(&self, _state: &State, expr: &Expr) -> Result<Option<Value>, LimitHit> {
        Ok(expr.constant().cloned())
    }

    fn edit(&self, state: &State, block: &Block, _vars: &Vars) -> Result<State, MachineError> {
        let mut state = state.clone();
        for stmt in &block.stmts {
            if let StmtKind::Effect(effect) = &stmt.kind
                && effect.field == MOVER
                && self.impartial
            {
                let player = effect.value.constant().and_then(Value::as_sym).expect("a player");
                state.0[1] = u64::from(player);
            }
        }
        Ok(state)
    }

    fn observation(&self, state: &State, _player: u32) -> Result<Value, LimitHit> {
        Ok(Value::Int(state.0[0] as i64))
    }
}
