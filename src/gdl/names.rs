//! The names of a sheet for the parts of its translation, both ways.

use bouton_base::rational::Rational;
use bouton_base::source::Span;
use bouton_rules::{Expr, FieldId, MoveId, MoveInstance, Value};
use rustc_hash::FxHashMap;

/// The names of roles, fluents and moves, as written in the sheet, with what stands for them in the rules.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// The roles: those of the players in their order, and at last `random`, which is chance, if the sheet has it.
    pub roles: Vec<String>,
    /// For each role the place of its fact, or of the first rule for roles.
    pub role_spans: Vec<Span>,
    /// The roles in the order of the sheet, as their numbers in `roles`.
    pub sheet_order: Vec<usize>,
    /// The percepts that players may have after a move, by `sees`.
    pub percepts: Vec<PerceptName>,
    /// The fluents that cells of fields hold, in the order of the cells.
    pub fluents: Vec<FluentName>,
    /// The fluents that hold while a player is the mover, with the player.
    pub controls: Vec<(String, u32)>,
    /// The fluents that hold while a player chooses, with the player, where they are cells of fields like others.
    pub chooses: Vec<(String, u32)>,
    /// The player who chooses where none of these fluents holds; `None` if that never is.
    pub chooses_otherwise: Option<u32>,
    /// The fluents that always hold.
    pub constants: Vec<String>,
    /// The fluents that change and are not in the rules, since neither moves nor ends depend on them.
    pub unread: Vec<String>,
    /// The moves of players who choose.
    pub moves: Vec<MoveName>,
    /// For each role, its move in positions where it is not asked; `None` if it is always asked.
    pub waits: Vec<Option<String>>,
    /// True if all players choose at once.
    pub simultaneous: bool,
    /// True if the role `random` chooses. If it may do so together with players, chance acts in a phase of its own, after
    /// their moves.
    pub chance: bool,
    /// True if the sheet states by `sees` what players see, and that is not all moves: they do not see positions and the
    /// moves of others.
    pub hidden: bool,
    /// The payoffs.
    pub scale: Scale,
    /// The end rules for positions in which a role has no goal or several.
    pub loose_ends: LooseEnds,
    /// The roles of which no proof shows that they always have a legal move where another one moves.
    pub needs: Vec<NeededMove>,
    by_play: FxHashMap<(MoveId, Vec<Value>), usize>,
}

/// A fluent and its cell.
#[derive(Clone, Debug)]
pub struct FluentName {
    /// The fluent as a term: `(cell 1 1 b)`.
    pub term: String,
    pub field: FieldId,
    /// The index of the cell.
    pub cell: usize,
    /// The value of the cell while the fluent holds: true, or a number.
    pub value: Value,
}

/// A move and its instance in the rules.
#[derive(Clone, Debug)]
pub struct MoveName {
    pub role: u32,
    /// The move as a term: `(mark 1 1)`.
    pub term: String,
    pub id: MoveId,
    pub args: Vec<Value>,
}

/// A percept: a term that a player may see after a move.
#[derive(Clone, Debug)]
pub struct PerceptName {
    pub player: u32,
    /// The percept as a term: `(card 7)`.
    pub term: String,
    pub source: PerceptSource,
}

/// The condition of a percept.
#[derive(Clone, Debug)]
pub enum PerceptSource {
    /// The player always has it.
    Always,
    /// This cell of a field is true.
    Cell(FieldId, usize),
    /// This role has made the move with this term; so it is if nothing is hidden.
    Move { role: usize, term: String },
}

/// The end rules for terminal positions in which a role has no goal or several, which GDL forbids.
#[derive(Clone, Debug, Default)]
pub struct LooseEnds {
    /// The index of the first such end rule: those before it are for positions with exactly one goal for each role.
    pub first: usize,
    /// True if such a position has a result: the highest goals, and 0 for a role without one.
    pub have_results: bool,
    /// The goals of the players, the highest of each first.
    pub goals: Vec<GoalName>,
    /// The places of the first rules for `goal` and for `terminal`.
    pub spans: Option<(Span, Span)>,
}

/// A goal of a role, with the condition in the rules under which the role has it.
#[derive(Clone, Debug)]
pub struct GoalName {
    pub role: u32,
    pub value: i64,
    pub condition: Expr,
}

/// The condition that a role has a legal move where another role moves: in turns the move by which it waits,
/// otherwise any of its moves.
#[derive(Clone, Debug)]
pub struct NeededMove {
    pub role: u32,
    pub condition: Expr,
    /// The place of its first rule for `legal`.
    pub span: Span,
}

/// The relation between payoffs and goals.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scale {
    /// A payoff is a goal.
    #[default]
    Goals,
    /// A win, a draw and a loss (1, 0, -1) are the goals 100, 50 and 0.
    WinDrawLoss,
    /// A win and a loss (1, -1) of the only player are the goals 100 and 0.
    WinLoss,
}

impl Names {
    /// Adds a move.
    pub(crate) fn add_move(&mut self, name: MoveName) {
        self.by_play.insert((name.id, name.args.clone()), self.moves.len());
        self.moves.push(name);
    }

    /// The moves of all roles, as terms, for a move of the rules that this player makes; `None` if it is none of the
    /// translation, or only a part of the moves that are made together.
    pub fn joint_move(&self, mover: u32, play: &MoveInstance) -> Option<Vec<String>> {
        debug_assert!((mover as usize) < self.roles.len());
        self.parts(play)?.into_iter().collect()
    }

    /// The moves of the roles, as terms, in a move of the rules: `None` for a role that moves before or after it in the
    /// same step of the game.
    pub fn parts(&self, play: &MoveInstance) -> Option<Vec<Option<String>>> {
        let mut made = self.waits.clone();
        let mut put = |play: &MoveInstance| {
            let MoveInstance::Move(id, args) = play else { return None };
            let of = &self.moves[*self.by_play.get(&(*id, args.clone()))?];
            *made.get_mut(of.role as usize)? = Some(of.term.clone());
            Some(())
        };
        match play {
            MoveInstance::Joint(plays) => plays.iter().try_for_each(|(_, play)| put(play))?,
            _ => put(play)?,
        }
        Some(made)
    }

    /// The roles that lack a legal move in a position, so that nobody can move there, with the places of
    /// their first rules for `legal`; `holds` evaluates a condition there. It is empty if the role to move
    /// itself has none.
    pub fn without_moves(&self, holds: &dyn Fn(&Expr) -> bool) -> Vec<(&str, Span)> {
        let lacking = self.needs.iter().filter(|of| !holds(&of.condition));
        lacking.map(|of| (self.roles[of.role as usize].as_str(), of.span)).collect()
    }

    /// The moves of all roles by role, for moves in the order of the sheet.
    pub fn by_role(&self, moves: &[String]) -> Vec<String> {
        let mut placed: Vec<(usize, String)> =
            self.sheet_order.iter().copied().zip(moves.iter().cloned()).collect();
        placed.sort_by_key(|(role, _)| *role);
        placed.into_iter().map(|(_, made)| made).collect()
    }

    /// The percepts of a player in a position after the moves of all roles; `read` reads a cell of a field.
    pub fn percepts(
        &self,
        player: u32,
        moves: &[String],
        read: &dyn Fn(FieldId, usize) -> Value,
    ) -> Vec<String> {
        let holds = |source: &PerceptSource| match source {
            PerceptSource::Always => true,
            PerceptSource::Cell(field, cell) => read(*field, *cell) == Value::Bool(true),
            PerceptSource::Move { role, term } => moves.get(*role) == Some(term),
        };
        let seen = self.percepts.iter().filter(|of| of.player == player && holds(&of.source));
        seen.map(|of| of.term.clone()).collect()
    }

    /// The move of the rules that a role makes by a term.
    pub fn play(&self, role: u32, term: &str) -> Option<MoveInstance> {
        let of = self.moves.iter().find(|of| of.role == role && of.term == term)?;
        Some(MoveInstance::Move(of.id, of.args.clone()))
    }

    /// The fluents of a position, sorted; `read` reads a cell of a field.
    pub fn position(&self, mover: u32, read: &dyn Fn(FieldId, usize) -> Value) -> Vec<String> {
        let holds = self.fluents.iter().filter(|of| read(of.field, of.cell) == of.value);
        let mut found: Vec<String> = holds.map(|of| of.term.clone()).collect();
        found.extend(
            self.controls.iter().filter(|(_, player)| *player == mover).map(|(term, _)| term.clone()),
        );
        found.extend(self.constants.iter().cloned());
        found.sort_unstable();
        found
    }

    /// Returns true if values may be means of several results: players choose at once, chance acts, or something is hidden.
    pub fn has_mean_values(&self) -> bool {
        self.simultaneous || self.chance || self.hidden
    }

    /// The goal that a payoff stands for.
    pub fn goal(&self, payoff: &Rational) -> Rational {
        match self.scale {
            Scale::Goals => payoff.clone(),
            Scale::WinDrawLoss | Scale::WinLoss => {
                let fifty = Rational::from_integer(50);
                payoff.clone() * fifty.clone() + fifty
            }
        }
    }
}
