//! Reports and tables: results in the forms in which the commands print them.

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use bouton_base::limits::{NoProgress, Progress as Listener};
use bouton_driver::budget::{Budget, half_of_memory};
use bouton_driver::position::StartPosition;
use bouton_driver::report::{ReportRequest, report};
use bouton_driver::table::{self, Axis, TableOptions};
use bouton_report::table::TableQuantity;
use bouton_search::game::Backend;
use serde::{Serialize, Serializer};
use serde_json::Value as Json;

use crate::project::with_deep_stack;
use crate::{Certificate, Error, Limits, Position, Project};

/// A report on a position, or a table of games. It is displayed as text for a terminal, and serialises to the JSON of
/// `bouton report` or `bouton table`.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Document {
    /// A page for a browser, which makes no network requests.
    pub html: String,
    /// Markdown.
    pub markdown: String,
    /// The certificate of a pattern in a table that is proved for all values.
    pub certificate: Option<Certificate>,
    text: String,
    data: Json,
}

impl Display for Document {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.data.serialize(serializer)
    }
}

impl Position {
    /// Solves the position and makes a report as `bouton report` does: the result, its proof, pictures and plays.
    /// Without a limit it takes at most a minute.
    ///
    /// ```
    /// let start = bouton::Project::open("games/tictactoe.bou")?.load()?.start();
    /// let report = start.report(&Default::default())?;
    /// assert!(report.to_string().contains("is a draw") && report.html.starts_with("<!DOCTYPE html>"));
    /// # Ok::<(), bouton::Error>(())
    /// ```
    pub fn report(&self, limits: &Limits) -> Result<Document, Error> {
        let budget = budget(limits);
        let begun = limits.begin();
        with_deep_stack(|| {
            let mut source = self.game.source(&begun);
            let game = self.game.parts().game.clone();
            let start = StartPosition::new(game, self.state.clone());
            let request =
                ReportRequest { budget: &budget, position: Vec::new(), table: None, progress: &NoProgress };
            let made = report(&mut source, &start, &request);
            let page = made.map_err(|why| Error::of_driver(why, &source.sources, &begun))?.page;
            Ok(Document {
                html: page.html(),
                markdown: page.markdown(),
                certificate: None,
                text: page.text(),
                data: serde_json::from_str(&page.json()).unwrap_or_default(),
            })
        })?
    }
}

impl Project {
    /// Solves the game for many values of its parameters and searches for a pattern, as `bouton table` does. An axis is
    /// `n=1..20`, `n=1,2,4`, or `heaps[1]=0..7` for an element of a list; the quantity is one of `outcome`, `nimber`,
    /// `remoteness`, `positions`, `class`, `value`, `mean` and `temperature`. Each game has the time of the limits, or
    /// ten seconds.
    ///
    /// ```
    /// let table = bouton::Project::open("games/subtraction.bou")?.table(&["n=0..12"], "nimber")?;
    /// let data = serde_json::to_value(&table).expect("a table is valid JSON");
    /// assert_eq!(data["sequence"]["terms"][5], 1);
    /// assert!(table.certificate.is_none());
    /// # Ok::<(), bouton::Error>(())
    /// ```
    pub fn table(&self, axes: &[&str], quantity: &str) -> Result<Document, Error> {
        let axes = axes.iter().map(|axis| Axis::read(axis).map_err(|why| Error::Usage(why.to_string())));
        let axes = axes.collect::<Result<Vec<_>, _>>()?;
        let show = QUANTITIES.iter().copied().find(|show| show.name() == quantity).ok_or_else(|| {
            let names: Vec<&str> = QUANTITIES.iter().map(|show| show.name()).collect();
            Error::Usage(format!("there is no quantity `{quantity}`; a table shows {}", names.join(", ")))
        })?;
        let budget = budget(self.own_limits());
        let begun = self.own_limits().begin();
        with_deep_stack(|| {
            let mut source = self.source()?;
            source.backend = Backend::Jit;
            let progress: &dyn Listener = &NoProgress;
            let options = TableOptions { show, budget: &budget, progress };
            let made = table::table(&mut source, &axes, &options);
            let made = made.map_err(|why| Error::of_driver(why, &source.sources, &begun))?;
            Ok(Document {
                html: made.html(),
                markdown: made.markdown(),
                certificate: made.certificate.as_ref().map(|of| bouton_certificates::write(of).into()),
                text: made.text(),
                data: serde_json::to_value(&made).unwrap_or_default(),
            })
        })?
    }
}

/// The quantities that a table can show.
const QUANTITIES: [TableQuantity; 8] = [
    TableQuantity::Outcome,
    TableQuantity::Nimber,
    TableQuantity::Remoteness,
    TableQuantity::Positions,
    TableQuantity::Class,
    TableQuantity::GameValue,
    TableQuantity::Mean,
    TableQuantity::Temperature,
];

/// The resources of several answers within these limits each.
fn budget(limits: &Limits) -> Budget {
    let time: Option<Duration> = limits.time;
    Budget {
        time,
        started: None,
        memory: limits.memory.or_else(half_of_memory),
        default_memory: limits.memory.is_none(),
        stop: limits.token(),
        backend: Backend::Jit,
    }
}
