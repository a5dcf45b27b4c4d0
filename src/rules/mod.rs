//! Floor 4, **the waist**: typed rules as data. Parameters are substituted, names resolved, sugar removed.
//!
//! Every front end ends here and every back end starts here. *Invariant:* nothing here knows how the rules were
//! written, how they are run, or on what machine.

use std::sync::Arc;

use crate::base::id::IdVec;
use crate::define_id;
use crate::source::Span;

pub mod board;
mod expr;
pub mod play;
pub mod print;
pub mod schema;
mod types;
mod value;

pub use board::Board;
pub use expr::*;
pub use play::{Clash, Fault, FaultKind, OutcomeKind, Play, Turn};
pub use print::{print, print_expr};
pub use types::{Among, Type};
pub use value::{Tuple, Value};

define_id!(EnumId, "e", "A type with named members.");
define_id!(RecordId, "r", "A record type.");
define_id!(BoardId, "b", "A board.");
define_id!(FieldId, "f", "A field of the state.");
define_id!(TableId, "t", "A constant table.");
define_id!(DefId, "d", "A definition.");
define_id!(MoveId, "m", "A move or chance event.");
define_id!(PhaseId, "p", "A phase of a turn.");
define_id!(VarId, "x", "A variable of one definition, move or rule.");

/// The rules of a game with its parameters fixed.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// The game's name.
    pub name: String,
    /// The `//!` lines.
    pub doc: Vec<String>,
    /// The parameters with their values, in the order of the text.
    pub params: Vec<(String, Value)>,
    /// The types with named members; the first is the players, the second the directions.
    pub enums: IdVec<EnumId, Enum>,
    /// The record types.
    pub records: IdVec<RecordId, Record>,
    /// The directions, parallel to the members of the second enum.
    pub dirs: Vec<board::Dir>,
    /// The boards.
    pub boards: IdVec<BoardId, Board>,
    /// The phases; the first is where play begins.
    pub phases: IdVec<PhaseId, Phase>,
    /// The fields. Always there, first: [`MOVER`] and [`PHASE`].
    pub fields: IdVec<FieldId, Field>,
    /// The constant tables.
    pub tables: IdVec<TableId, Table>,
    /// The definitions.
    pub defs: IdVec<DefId, Def>,
    /// The moves and chance events.
    pub moves: IdVec<MoveId, Move>,
    /// When the mover may pass.
    pub pass: Option<Pass>,
    /// The end rules, in order.
    pub ends: Vec<EndRule>,
    /// What infinite play and repetition give.
    pub repeats: Vec<Repeat>,
    /// What may not come back.
    pub forbids: Vec<ForbidRepeat>,
    /// What holds in every position.
    pub invariants: Vec<Invariant>,
    /// The symmetries claimed.
    pub symmetry: Symmetry,
    /// What players observe beyond visible fields and public moves.
    pub sees: Vec<Sees>,
    /// A heuristic value: for each player, an expression.
    pub evaluate: Option<PerPlayer>,
    /// How positions are drawn.
    pub display: Vec<Display>,
    /// The claims of the text that speak of these parameters.
    pub expectations: Vec<Expectation>,
    /// The tests of the text that speak of these parameters.
    pub tests: Vec<Test>,
    /// The place of the game's name, for findings about the whole.
    pub span: Option<Span>,
}

/// The field that says who is to move.
pub const MOVER: FieldId = FieldId(0);
/// The field that says in which phase: a whole number, the index of the phase.
pub const PHASE: FieldId = FieldId(1);

/// A record type.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its name.
    pub name: String,
    /// Its parts in order.
    pub parts: Vec<(String, Type)>,
}

/// A variable of a definition, move or rule.
#[derive(Clone, Debug)]
pub struct Var {
    /// Its name in the text.
    pub name: String,
    /// Its type.
    pub ty: Type,
}

/// The variables of one definition, move or rule; each binder has its own.
pub type Vars = IdVec<VarId, Var>;

/// A phase.
#[derive(Clone, Debug)]
pub struct Phase {
    /// Its name; empty where the text declares no phases.
    pub name: String,
    /// Whether it comes once, before play.
    pub setup: bool,
    /// Who acts in it.
    pub actor: Actor,
    /// Where it is declared.
    pub span: Span,
}

/// Who acts in a phase.
#[derive(Clone, Debug)]
pub enum Actor {
    /// The player whose turn it is.
    Mover,
    /// This player, or the only one of this set (an expression of the state without variables).
    Player(Expr),
    /// All players at once.
    Each,
    /// Chance.
    Chance,
}

/// A field: a total function from keys to values.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// The keys' names and domains; cells are laid out with the last key fastest.
    pub keys: Vec<Key>,
    /// What a cell holds.
    pub ty: Type,
    /// The initial value of each cell.
    pub init: Vec<Value>,
    /// Whether each cell goes back to its initial value after each move that does not set it.
    pub transient: bool,
    /// Who sees it.
    pub visibility: Visibility,
    /// The `///` lines.
    pub doc: Vec<String>,
    /// Where it is declared (its name).
    pub span: Span,
}

impl Field {
    /// How many cells there are.
    pub fn cells(&self) -> usize {
        self.keys.iter().map(|k| k.values.len()).product()
    }

    /// The cell of these keys; none where one is outside its domain.
    pub fn cell(&self, keys: &[Value]) -> Option<usize> {
        cell_of(&self.keys, keys)
    }
}

/// A key of a field or table.
#[derive(Clone, Debug)]
pub struct Key {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its values in order, each once.
    pub values: Arc<Vec<Value>>,
}

/// The position of these keys in a table whose last key runs fastest; none where one is outside its domain.
pub fn cell_of(keys: &[Key], values: &[Value]) -> Option<usize> {
    let mut index = 0;
    for (key, value) in keys.iter().zip(values) {
        let position = match (key.values.first(), value) {
            (Some(Value::Int(first)), Value::Int(i)) if is_run(&key.values) => {
                usize::try_from(i.checked_sub(*first)?).ok().filter(|&p| p < key.values.len())?
            }
            (Some(Value::Sym(of, 0)), Value::Sym(id, i)) if of == id && is_run(&key.values) => {
                Some(*i as usize).filter(|&p| p < key.values.len())?
            }
            _ => key.values.binary_search(value).ok()?,
        };
        index = index * key.values.len() + position;
    }
    Some(index)
}

/// The keys of a cell of such a table.
pub fn keys_of(keys: &[Key], cell: usize) -> Vec<Value> {
    let mut rest = cell;
    let mut found: Vec<Value> = Vec::new();
    for key in keys.iter().rev() {
        found.push(key.values[rest % key.values.len()].clone());
        rest /= key.values.len();
    }
    found.reverse();
    found
}

/// Whether the values follow each other without a gap, so that a position is a difference.
fn is_run(values: &[Value]) -> bool {
    match (values.first(), values.last()) {
        (Some(Value::Int(a)), Some(Value::Int(b))) => b.abs_diff(*a) == values.len() as u64 - 1,
        (Some(Value::Sym(_, a)), Some(Value::Sym(_, b))) => b.abs_diff(*a) as usize == values.len() - 1,
        _ => false,
    }
}

/// Who sees a field.
#[derive(Clone, Debug, Default)]
pub enum Visibility {
    /// Everybody.
    #[default]
    Public,
    /// Nobody.
    Hidden,
    /// For each cell, the players who see it.
    To(Vec<Vec<u32>>),
}

/// A constant table.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Its keys.
    pub keys: Vec<Key>,
    /// What an entry is.
    pub ty: Type,
    /// The entries, the last key fastest; none where undefined.
    pub values: Vec<Option<Value>>,
    /// Where it is declared.
    pub span: Span,
}

/// A definition: a view of the state, or a least fixpoint.
#[derive(Clone, Debug)]
pub struct Def {
    /// Its name.
    pub name: String,
    /// The parameters, the first variables of `vars`, with their domains (none: any value of the type).
    pub params: Vec<VarId>,
    /// Its variables.
    pub vars: Vars,
    /// What it gives.
    pub ty: Type,
    /// Its body. Of an inductive definition it is a formula in which its group occurs only positively.
    pub body: Expr,
    /// For an inductive definition, its group: definitions of one group are one least fixpoint.
    pub group: Option<u32>,
    /// Whether its value depends on the maker of the move (`me`).
    pub uses_me: bool,
    /// The `///` lines.
    pub doc: Vec<String>,
    /// Where it is declared.
    pub span: Span,
}

/// A move or a chance event.
#[derive(Clone, Debug)]
pub struct Move {
    /// Its name.
    pub name: String,
    /// Whether chance makes it.
    pub chance: bool,
    /// While a mandatory move is legal, only such moves are.
    pub mandatory: bool,
    /// Only the mover sees which one was made.
    pub private: bool,
    /// A look ahead does not stop after it; play does not depend on it.
    pub forcing: bool,
    /// The parameters, the first variables of `vars`.
    pub params: Vec<Param>,
    /// Its variables.
    pub vars: Vars,
    /// Who may make it; everybody where nothing is said. A player or a set of players.
    pub by: Option<Expr>,
    /// The phases it belongs to.
    pub phases: Vec<PhaseId>,
    /// Its relative weight (chance); 1 where nothing is said.
    pub weight: Option<Expr>,
    /// Among the legal moves with a preference, only those with the greatest stay legal.
    pub prefer: Option<Expr>,
    /// How it is written.
    pub template: Vec<TemplatePart>,
    /// What it does.
    pub body: Block,
    /// The `///` lines.
    pub doc: Vec<String>,
    /// Where it is declared (its name).
    pub span: Span,
}

/// A parameter of a move.
#[derive(Clone, Debug)]
pub struct Param {
    /// The variable.
    pub var: VarId,
    /// The values it takes, in order.
    pub values: Arc<Vec<Value>>,
}

/// A piece of a move's written form. A hole is evaluated in the position before the move, with its parameters and
/// the `let`s of the first stage.
#[derive(Clone, Debug)]
pub enum TemplatePart {
    /// Words as they are.
    Text(String),
    /// The value of an expression.
    Hole(Expr),
}

/// A stage: statements that read one state and whose effects happen together, then further stages.
///
/// A block met while a stage runs adds its statements to the stage; the `then` blocks met are run afterwards, each
/// with its own stage, in the order they were met, each reading the state the one before it left.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The statements.
    pub stmts: Vec<Stmt>,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it says.
    pub kind: StmtKind,
    /// Where it came from.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// The move is legal only if this holds in the state the stage reads (`when` and `ensure`).
    Require(Expr),
    /// Binds; the move is not legal where the term is undefined.
    Let(Pattern, Expr),
    /// Statements under a condition.
    If(Expr, Block, Block),
    /// Statements for each value, in order.
    For(Vec<Binder>, Block),
    /// A further stage.
    Then(Block),
    /// A change of the state.
    Effect(Effect),
    /// The turn stays: same player, this phase (`again`: none, the same phase).
    Stay(Option<PhaseId>),
    /// This player moves next.
    Next(Expr),
}

/// A change of one cell of a field.
#[derive(Clone, Debug)]
pub struct Effect {
    /// The field.
    pub field: FieldId,
    /// The keys.
    pub keys: Vec<Expr>,
    /// The part of the record that is changed, from the outside in; the rest stays. Empty for all of it.
    pub path: Vec<u32>,
    /// How.
    pub op: EffectOp,
    /// The operand. For [`EffectOp::Set`] of a whole field by a diagram there is one effect a cell.
    pub value: Expr,
}

/// How an effect changes a cell. `a <- b` becomes two: `a := b` and `b :=` the empty value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EffectOp {
    /// The value becomes the operand; all of one cell in one stage agree.
    Set,
    /// The operand is added to the assigned or old value.
    Add,
    /// The operand is taken away.
    Subtract,
    /// The elements of the operand are put in.
    Insert,
    /// The elements of the operand are taken out.
    Remove,
}

/// When the mover may pass: the position stays, the turn passes.
#[derive(Clone, Debug)]
pub struct Pass {
    /// The condition; none for always. `stuck` in it means: no other move.
    pub condition: Option<Expr>,
    /// Where it is declared.
    pub span: Span,
}

/// An end rule.
#[derive(Clone, Debug)]
pub struct EndRule {
    /// Its variables.
    pub vars: Vars,
    /// `for x in S`: the rule holds for the first x that satisfies the condition.
    pub binder: Option<Binder>,
    /// When it holds.
    pub condition: Expr,
    /// What it gives.
    pub outcome: Outcome,
    /// The rule.
    pub span: Span,
}

/// What a rule gives.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Nobody wins.
    Draw,
    /// The only player wins (true) or loses.
    Alone(bool),
    /// This player wins (true) or loses (false); the variable of the rule is in scope.
    Player(Expr, bool),
    /// The player with the highest (true) or lowest value wins, a draw where several share it.
    Best(PerPlayer, bool),
    /// Each player's payoff.
    Payoff(PerPlayer),
}

/// An expression for each player, in the order of the players, with its variables.
#[derive(Clone, Debug)]
pub struct PerPlayer {
    /// The expressions.
    pub values: Vec<Expr>,
    /// Their variables.
    pub vars: Vars,
}

/// `repeat n => outcome`.
#[derive(Clone, Debug)]
pub struct Repeat {
    /// At the n-th occurrence of a position; none: the value of infinite play.
    pub count: Option<u32>,
    /// What it gives; no variables.
    pub outcome: Outcome,
    /// The rule.
    pub span: Span,
}

/// `forbid repeat of e`.
#[derive(Clone, Debug)]
pub struct ForbidRepeat {
    /// The value that may not come back by a move that changes it; none: the whole position.
    pub of: Option<Expr>,
    /// Only among the last so many positions.
    pub within: Option<u32>,
    /// Variables of the expression.
    pub vars: Vars,
    /// The item.
    pub span: Span,
}

/// What holds in every position.
#[derive(Clone, Debug)]
pub struct Invariant {
    /// Its name.
    pub name: Option<String>,
    /// The formula.
    pub value: Expr,
    /// Its variables.
    pub vars: Vars,
    /// Where.
    pub span: Span,
}

/// What `symmetry` claims.
#[derive(Clone, Debug, Default)]
pub enum Symmetry {
    /// Nothing was said: find them.
    #[default]
    Auto,
    /// Use none.
    None,
    /// The automorphisms of these boards.
    Of(Vec<BoardId>, Span),
}

/// `sees p: e when f`.
#[derive(Clone, Debug)]
pub struct Sees {
    /// For each player: whether it is he.
    pub players: Expr,
    /// What he sees.
    pub value: Expr,
    /// When.
    pub condition: Option<Expr>,
    /// Variables.
    pub vars: Vars,
    /// The item.
    pub span: Span,
}

/// `display { cell at { X => "X" }; }`: how the values of a field of a board are drawn.
#[derive(Clone, Debug)]
pub struct Display {
    /// A field with one key, the cells of a board.
    pub field: FieldId,
    /// Signs of values.
    pub signs: Vec<(Value, String)>,
}

/// A claim of the text.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// What is claimed.
    pub claim: Claim,
    /// Where it was published.
    pub cite: Option<String>,
    /// The words of the claim, as written.
    pub text: String,
    /// Its variables.
    pub vars: Vars,
    /// Where.
    pub span: Span,
}

/// What an expectation claims of a position.
#[derive(Clone, Debug)]
pub enum Claim {
    /// So many move sequences of that length.
    Perft { depth: u32, by_turn: bool, count: u64 },
    /// How many positions can be reached.
    Positions(Comparison, Value),
    /// The Grundy value.
    Nimber(Comparison, Value),
    /// The value: of the first player, or a list for all; a text for partizan values.
    Value(Comparison, Value),
    /// The legal moves, all of them.
    Moves(Vec<MoveRef>),
    /// A legal move.
    Legal(MoveRef),
    /// A move that is not legal.
    Illegal(MoveRef),
    /// Neither player can win.
    Draw,
    /// This player wins (true) or loses (false), in so many plies where said.
    Player { player: u32, wins: bool, plies: Option<u32> },
    /// One player, fewest moves.
    SolvedIn(u32),
    /// A condition of the position.
    Holds(Expr),
}

/// Comparisons of claims.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
}

impl Comparison {
    /// Whether it holds between values that stand so.
    pub fn holds(self, ordering: std::cmp::Ordering) -> bool {
        match self {
            Comparison::Equal => ordering.is_eq(),
            Comparison::NotEqual => ordering.is_ne(),
            Comparison::Less => ordering.is_lt(),
            Comparison::LessEqual => ordering.is_le(),
            Comparison::Greater => ordering.is_gt(),
            Comparison::GreaterEqual => ordering.is_ge(),
        }
    }
}

/// A move with its arguments, or its written form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveRef {
    /// `mark(a1)`
    Made(MoveId, Vec<Value>),
    /// `"a1"`, or `pass`
    Written(String),
}

/// A test block.
#[derive(Clone, Debug)]
pub struct Test {
    /// Its name.
    pub name: String,
    /// What is done.
    pub steps: Vec<TestStep>,
    /// Where.
    pub span: Span,
}

/// A step of a test.
#[derive(Clone, Debug)]
pub enum TestStep {
    /// Effects on the initial state, in one stage, without a mover.
    Position(Block, Vars, Span),
    /// Moves made.
    Play(Vec<(MoveRef, Span)>),
    /// A claim on the position reached.
    Expect(Expectation),
}

impl Rules {
    /// The players' names in order.
    pub fn players(&self) -> &[String] {
        &self.enums[PLAYER].members
    }

    /// Whether something is hidden from a player.
    pub fn hides(&self) -> bool {
        let everybody = |players: &Vec<u32>| players.len() >= self.players().len();
        let hidden = |field: &Field| match &field.visibility {
            Visibility::Public => false,
            Visibility::Hidden => true,
            Visibility::To(cells) => !cells.iter().all(everybody),
        };
        self.fields.iter().any(hidden) || self.moves.iter().any(|of| of.private)
    }

    /// The player of that position as a value.
    pub fn player(&self, index: u32) -> Value {
        Value::Sym(PLAYER, index)
    }

    /// The phase that a turn begins with: the first that is no `setup`.
    pub fn turn_phase(&self) -> PhaseId {
        self.phases.entries().find(|(_, p)| !p.setup).map_or(PhaseId(0), |(id, _)| id)
    }
}
