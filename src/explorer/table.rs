//! A solved table that is served from memory.

use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::position::turn_name;
use super::refusal::Refusal;
use bouton_base::limits::{Limits, NoProgress};
use bouton_driver::play::Session;
use bouton_driver::table_file::{StoredTableError, TableFile};
use bouton_report::numbers::is_share_of_wins;
use bouton_report::solve::MoveReport;
use bouton_report::verdict::value_words;
use bouton_search::game::Game;
use bouton_search::solve::SolveOptions;
use bouton_search::solve::strong::StrongSolution;

/// A table with its game, both held in memory.
pub struct ServedTable {
    /// The id of the game.
    pub id: String,
    /// The path of the table.
    pub name: String,
    pub game: Game,
    pub values: Arc<StrongSolution>,
}

impl Debug for ServedTable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServedTable").field("id", &self.id).field("name", &self.name).finish_non_exhaustive()
    }
}

impl ServedTable {
    /// Reads the table of a game.
    pub fn read(
        id: &str,
        game: Game,
        file: &TableFile,
        limits: &Limits,
    ) -> Result<ServedTable, StoredTableError> {
        let values = Arc::new(file.values(&game, limits, &NoProgress)?);
        Ok(ServedTable { id: id.to_owned(), name: file.path().to_owned(), game, values })
    }

    /// Looks up the value of a position, and those of its moves.
    pub fn lookup(&self, session: &Session) -> Result<Json, Refusal> {
        let (game, state) = (&session.game, session.state());
        let options = SolveOptions { all_moves: true, max_line_moves: 0, ..SolveOptions::default() };
        let found = self.values.solution(game, state, &options);
        let Some(value) = &found.value else {
            return Err(Refusal::missing("the table does not hold this position"));
        };
        let turn = session.turn().ok().map_or(Json::Null, |turn| turn_name(game, &turn));
        let moves: Vec<MoveReport> = found.moves.iter().map(|of| MoveReport::new(&game.rules, of)).collect();
        let best: Vec<&str> = found.best_moves.iter().map(|made| made.written.as_str()).collect();
        Ok(json!({
            "turn": turn,
            "words": value_words(&game.rules, value, found.remoteness),
            "remoteness": found.remoteness,
            "shares": is_share_of_wins(&game.rules),
            "moves": moves,
            "best_moves": best,
        }))
    }
}
