//! Games, their positions and moves.

use std::collections::BTreeMap;
use std::fmt::{self, Debug, Display, Formatter};
use std::sync::Arc;

use bouton_driver::faults::fault_diagnostic;
use bouton_driver::load::GameSource;
use bouton_driver::position::resolve_start;
use bouton_project::RuleFiles;
use bouton_report::page::{self, MoveOutcome, Overlay};
use bouton_search::game::names::{self, NameError};
use bouton_search::game::picture::{Panel, picture};
use bouton_search::game::{self, Backend, MachineError, State, ToMove};
use serde::{Serialize, Serializer};
use serde_json::json;

use crate::project::with_deep_stack;
use crate::{Error, Limits, MoveValue, Number, Solution, SolveOptions, Value};

/// The most values of a parameter that the description of a game lists.
const MAX_LISTED_VALUES: usize = 100_000;

/// A game that is ready to be played and solved. Clones share all data.
///
/// ```
/// let game = bouton::Project::open("games/nim.bou")?.load()?;
/// assert_eq!((game.name(), game.params()), ("Nim", vec![("heaps".into(), "[3, 4, 5]".into())]));
/// # Ok::<(), bouton::Error>(())
/// ```
#[derive(Clone)]
pub struct Game(Arc<LoadedGame>);

/// The parts of a game.
pub(crate) struct LoadedGame {
    pub(crate) files: RuleFiles,
    pub(crate) game: game::Game,
    pub(crate) compile_time: std::time::Duration,
}

impl Game {
    pub(crate) fn new(source: GameSource, game: game::Game) -> Game {
        let compile_time = source.compile_time.get();
        Game(Arc::new(LoadedGame { files: source.into(), game, compile_time }))
    }

    /// Returns true if both are clones of one game, so that their positions have the same representation.
    pub(crate) fn is_same(&self, other: &Game) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(crate) fn parts(&self) -> &LoadedGame {
        &self.0
    }

    /// The source of the game, for work within these limits.
    pub(crate) fn source(&self, limits: &bouton_base::limits::Limits) -> GameSource {
        let mut source = GameSource::from(self.0.files.clone());
        source.backend = Backend::Jit;
        source.limits = limits.clone();
        source
    }

    /// The name in the rules.
    pub fn name(&self) -> &str {
        &self.0.game.rules.name
    }

    /// The names of the players, in order.
    pub fn players(&self) -> &[String] {
        self.0.game.rules.players()
    }

    /// The parameters with their values, in the syntax of the language.
    pub fn params(&self) -> Vec<(String, String)> {
        let rules = &self.0.game.rules;
        rules.params.iter().map(|(name, value)| (name.clone(), rules.show(value))).collect()
    }

    /// Returns the first position.
    pub fn start(&self) -> Position {
        Position { game: self.clone(), state: self.0.game.machine.initial() }
    }

    /// Sets up a position: the name of a test, or effects on the first position, as `bouton solve --position` takes
    /// them.
    ///
    /// ```
    /// let game = bouton::Project::open("games/nim.bou")?.load()?;
    /// let position = game.position("size[1] := 0; mover := Second;")?;
    /// assert_eq!(position.moves()?.len(), 9);
    /// # Ok::<(), bouton::Error>(())
    /// ```
    pub fn position(&self, description: &str) -> Result<Position, Error> {
        let limits = Limits::default().begin();
        let mut source = self.source(&limits);
        with_deep_stack(|| match resolve_start(&mut source, Some(description), None, &limits) {
            Ok(begin) => Ok(Position { game: Game::new(source, begin.game), state: begin.state }),
            Err(why) => Err(Error::of_driver(why, &source.sources, &limits)),
        })?
    }

    /// Solves the first position.
    ///
    /// ```
    /// use bouton::{Project, SolveOptions};
    ///
    /// let solution = Project::open("games/nim.bou")?.load()?.solve(&SolveOptions::default())?;
    /// assert_eq!(solution.winner(), Some("First"));
    /// # Ok::<(), bouton::Error>(())
    /// ```
    pub fn solve(&self, options: &SolveOptions) -> Result<Solution, Error> {
        self.start().solve(options)
    }
}

/// A description for programs: the name, the players, the parameters, if something is hidden from a player, the moves
/// with the values of their parameters (`null` if there are very many), and if the rules have a pass.
impl Serialize for Game {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rules = &self.0.game.rules;
        let values = |ty| {
            let values = rules.type_values(ty, MAX_LISTED_VALUES)?;
            Some(values.iter().map(|value| rules.show(value)).collect::<Vec<_>>())
        };
        let moves = rules.moves.iter().map(|of| {
            let domains = of.params.iter().map(|param| values(&of.vars[param.var].ty));
            let domains: Option<Vec<_>> = domains.collect();
            json!({ "move": of.name, "chance": of.chance, "parameters": domains })
        });
        let described = json!({
            "game": self.name(),
            "players": self.players(),
            "params": self.params().into_iter().collect::<BTreeMap<_, _>>(),
            "hidden_information": rules.has_hidden_information(),
            "moves": moves.collect::<Vec<_>>(),
            "pass": rules.pass.is_some(),
        });
        described.serialize(serializer)
    }
}

impl Debug for Game {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Game").field("name", &self.name()).field("params", &self.params()).finish()
    }
}

/// A position of a game. Positions of one game are equal if play continues in the same way.
///
/// ```
/// let game = bouton::Project::open("games/tictactoe.bou")?.load()?;
/// let position = game.start().play("b2")?.play("a1")?;
/// assert_eq!(position.to_string(), "3 . . .\n2 . X .\n1 O . .\n  a b c\nX to move\n");
/// # Ok::<(), bouton::Error>(())
/// ```
#[derive(Clone)]
pub struct Position {
    pub(crate) game: Game,
    pub(crate) state: State,
}

/// A legal move.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Move {
    /// The name, in the notation of the game.
    pub name: String,
    /// The name of the move with its arguments, as in `mark(b2)`: the same move has the same in every position.
    pub call: String,
    /// The position after the move.
    pub position: Position,
    /// The probability, if chance moves; otherwise 1.
    pub probability: Number,
}

/// The player to move, or the result.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Turn {
    /// The player of this name moves.
    Player(String),
    /// All players move simultaneously.
    Everybody,
    Chance,
    /// The game is over.
    Over(Value),
}

impl Position {
    /// Returns the player to move, or the result.
    ///
    /// ```
    /// let game = bouton::Project::open("games/nim.bou")?.set("heaps", "[1]").load()?;
    /// assert_eq!(game.start().turn()?, bouton::Turn::Player("First".into()));
    /// let bouton::Turn::Over(value) = game.start().play("1-1")?.turn()? else { panic!("no heap is left") };
    /// assert_eq!(value.to_string(), "First wins");
    /// # Ok::<(), bouton::Error>(())
    /// ```
    pub fn turn(&self) -> Result<Turn, Error> {
        let rules = &self.game.0.game.rules;
        match self.run(|game| game.machine.turn(&self.state))? {
            Ok(ToMove::Player(player)) => Ok(Turn::Player(rules.show(&rules.player(player)))),
            Ok(ToMove::Simultaneous) => Ok(Turn::Everybody),
            Ok(ToMove::Chance) => Ok(Turn::Chance),
            Ok(ToMove::Terminal(end)) => Ok(Turn::Over(Value::of_end(rules, &end))),
            Err(halt) => Err(self.halted(halt)),
        }
    }

    /// Returns the legal moves in a fixed order, or the possible events if chance moves; empty if the game is over.
    ///
    /// ```
    /// let game = bouton::Project::open("games/nim.bou")?.set("heaps", "[2, 1]").load()?;
    /// let names: Vec<String> = game.start().moves()?.into_iter().map(|to| to.name).collect();
    /// assert_eq!(names, ["1-1", "1-2", "2-1"]);
    /// # Ok::<(), bouton::Error>(())
    /// ```
    pub fn moves(&self) -> Result<Vec<Move>, Error> {
        let moves = self.run(|game| {
            let named = |to: game::Successor| Move {
                name: game.notation(&self.state, &to.play),
                call: names::call_form(&game.rules, &to.play),
                position: Position { game: self.game.clone(), state: to.state },
                probability: to.probability.into(),
            };
            Ok(game.machine.successors(&self.state)?.into_iter().map(named).collect())
        })?;
        moves.map_err(|halt| self.halted(halt))
    }

    /// Makes the move of this name, without regard to spaces and case; `name(arguments)` is accepted as well.
    ///
    /// ```
    /// use bouton::{Error, Project};
    ///
    /// let game = Project::open("games/tictactoe.bou")?.load()?;
    /// let Err(Error::IllegalMove { message, .. }) = game.start().play("b4") else { panic!("b4 is no cell") };
    /// assert_eq!(message, "no legal move is called `b4`; nearest: b1, b2, b3, a1, c1");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn play(&self, name: &str) -> Result<Position, Error> {
        match self.run(|game| names::find(game, &self.state, name))? {
            Ok(to) => Ok(Position { game: self.game.clone(), state: to.state }),
            Err(NameError::Fault(fault)) => Err(self.halted(MachineError::Fault(fault))),
            Err(NameError::Limit(hit)) => Err(Error::of_limit(hit)),
            Err(why) => Err(Error::of_name(why)),
        }
    }

    /// Draws the position as SVG with a style of its own; `None` if nothing can be drawn but text. Cells that are the
    /// names of these moves show their values by colour and sign.
    ///
    /// ```
    /// let start = bouton::Project::open("games/tictactoe.bou")?.load()?.start();
    /// assert!(start.svg(&[]).is_some_and(|svg| svg.starts_with("<svg")));
    /// let options = bouton::SolveOptions { all_moves: true, ..Default::default() };
    /// let valued = start.svg(start.solve(&options)?.moves());
    /// assert_eq!(valued.map(|svg| svg.matches("cell draw").count()), Some(9));
    /// # Ok::<(), bouton::Error>(())
    /// ```
    pub fn svg(&self, moves: &[MoveValue]) -> Option<String> {
        let draw = |game: &game::Game| {
            let picture = picture(game, &self.state);
            let overlay = picture.panels.first().map_or(Overlay::None, |panel| self.values(panel, moves));
            page::standalone_svg(&picture, &overlay)
        };
        self.run(draw).unwrap_or_else(|_| draw(&self.game.0.game))
    }

    /// Returns the cells of a panel that are named like moves, with the values of these for their mover.
    fn values(&self, panel: &Panel, moves: &[MoveValue]) -> Overlay {
        let mover = match self.run(|game| game.machine.turn(&self.state)) {
            Ok(Ok(ToMove::Player(player))) => player as usize,
            _ => return Overlay::None,
        };
        let payoffs = || moves.iter().filter_map(|of| of.value.as_ref()?.payoff(mover));
        let (least, most) = (payoffs().min(), payoffs().max());
        let cells = moves.iter().filter_map(|of| {
            let cell = panel.cells.iter().position(|cell| cell.name == of.name)?;
            let worth =
                of.value.as_ref().map_or(MoveOutcome::Unknown, |value| value.worth(mover, least, most));
            Some((cell as u32, worth))
        });
        let cells: Vec<_> = cells.collect();
        if cells.is_empty() { Overlay::None } else { Overlay::Values(cells) }
    }

    /// Solves the position.
    ///
    /// ```
    /// use bouton::{Project, SolveOptions};
    ///
    /// let game = Project::open("games/tictactoe.bou")?.load()?;
    /// let options = SolveOptions { all_moves: true, ..SolveOptions::default() };
    /// let solution = game.start().play("b2")?.play("a2")?.solve(&options)?;
    /// assert_eq!(solution.value()?.to_string(), "X wins in 5 plies");
    /// assert_eq!(solution.moves()[0].value.as_ref().map(ToString::to_string).as_deref(), Some("X wins in 5 plies"));
    /// # Ok::<(), bouton::Error>(())
    /// ```
    pub fn solve(&self, options: &SolveOptions) -> Result<Solution, Error> {
        crate::solve::solve(self, options)
    }

    /// Runs work on the machine of the game. The definition evaluates nested rules by recursion, so it needs a deep
    /// stack; compiled rules do not.
    fn run<T: Send>(&self, work: impl FnOnce(&game::Game) -> T + Send) -> Result<T, Error> {
        let game = &self.game.0.game;
        if game.compiled().is_some() { Ok(work(game)) } else { with_deep_stack(|| work(game)) }
    }

    fn halted(&self, halt: MachineError) -> Error {
        let LoadedGame { files, game, .. } = &*self.game.0;
        match halt {
            MachineError::Fault(fault) => Error::of_fault(&fault_diagnostic(game, &fault), &files.sources),
            MachineError::Limit(hit) => Error::of_limit(hit),
        }
    }
}

impl PartialEq for Position {
    fn eq(&self, other: &Position) -> bool {
        self.game.is_same(&other.game) && self.state == other.state
    }
}

impl Eq for Position {}

impl std::hash::Hash for Position {
    fn hash<H: std::hash::Hasher>(&self, hasher: &mut H) {
        self.state.hash(hasher);
    }
}

impl Debug for Position {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

/// Draws the position as the commands do: boards, other fields, the player to move. Lines end with a newline.
impl Display for Position {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let draw = |game: &game::Game| game::draw::draw(game, &self.state);
        f.write_str(&self.run(draw).unwrap_or_else(|_| draw(&self.game.0.game)))
    }
}

/// The words of the position, as in the [`states`](crate::Positions::states) of a solution. Equal positions of a game
/// have equal words.
impl AsRef<[u64]> for Position {
    fn as_ref(&self) -> &[u64] {
        &self.state.0
    }
}
