//! The size of a game: exact solving is refused above a limit (E0401), and its cost is estimated (W0402).

use std::cell::OnceCell;

use super::estimate::{self, Sample, estimate};
use super::load::GameSource;
use bouton_base::limits::Limits;
use bouton_report::words::{format_bytes, group_digits};
use bouton_rules::{FieldId, Rules, Type, Value};
use bouton_search::game::{Game, State};
use bouton_search::solve::{Cost, Estimate, Solver};
use bouton_syntax::diag::{Code, Diagnostic};

/// The width of a state in bits above which enumeration takes long.
const SLOW_STATE_BITS: f64 = 40.0;
/// The width of a state in bits above which positions are not enumerated at all.
const MAX_STATE_BITS: f64 = 100.0;
/// The number of positions that are solved at once, whatever the cost of each.
const MAX_GRAPH_POSITIONS: f64 = 1e6;
/// The number of positions above which solving takes long.
const MAX_ENUMERATED_POSITIONS: f64 = 1e7;
/// The number of positions above which solving takes more than a lifetime.
const MAX_SOLVABLE_POSITIONS: f64 = 1e12;
/// The number of positions up to which a search, which visits few of them, may finish within hours: Connect Four has
/// 4.5e12, and is solved by visiting 1.7e9.
const MAX_SEARCHED_POSITIONS: f64 = 1e14;
/// The number of positions up to which a puzzle's graph takes turns with a search for a plan.
const MAX_LISTED_POSITIONS: f64 = 5e7;
/// The factor by which more positions may be listed than were estimated.
const ESTIMATE_MARGIN: f64 = 1.1;
/// The assumed number of positions per second in estimates of time: the same on every machine.
const POSITIONS_PER_SECOND: f64 = 1e5;
/// The maximal number of fields and parameters that a message names.
const MAX_NAMED_FIELDS: usize = 6;
/// The maximal decrease of a parameter in the search for a smaller game.
const MAX_PARAMETER_DECREASE: i64 = 20;

/// The width of a field in bits.
#[derive(Clone, PartialEq, Debug)]
pub struct FieldWidth {
    pub field: FieldId,
    /// The total width of all its cells.
    pub bits: f64,
}

/// The width of each field whose width is not 0, widest first.
pub fn widths(rules: &Rules) -> Vec<FieldWidth> {
    let width = |(field, of): (FieldId, &bouton_rules::Field)| FieldWidth {
        field,
        bits: of.cells() as f64 * bits(rules, &of.ty),
    };
    let mut widths: Vec<FieldWidth> = rules.fields.entries().map(width).filter(|w| w.bits > 0.0).collect();
    widths.sort_by(|a, b| b.bits.total_cmp(&a.bits));
    widths
}

/// The binary logarithm of the number of values, which may itself overflow.
fn bits(rules: &Rules, ty: &Type) -> f64 {
    let all = |types: &mut dyn Iterator<Item = &Type>| types.map(|ty| bits(rules, ty)).sum();
    match ty {
        Type::Set(inner) => rules.type_size(inner).map_or(f64::INFINITY, |n| n as f64),
        Type::Tuple(types) => all(&mut types.iter()),
        Type::Record(record) => all(&mut rules.records[*record].parts.iter().map(|(_, ty)| ty)),
        Type::Option(inner) => (bits(rules, inner).exp2() + 1.0).log2(),
        _ => rules.type_size(ty).map_or(f64::INFINITY, |n| (n as f64).max(1.0).log2()),
    }
}

fn total(widths: &[FieldWidth]) -> f64 {
    widths.iter().map(|width| width.bits).sum()
}

/// E0401 or W0402 in words, if the state is large: an explanation after a limit was reached.
pub fn too_large(rules: &Rules) -> Option<String> {
    let widths = widths(rules);
    let total = total(&widths);
    let widest = widths.first()?;
    let state =
        format!("the state has {total:.0} bits, {:.0} of them `{}`", widest.bits, name(rules, widest));
    if total > MAX_STATE_BITS {
        Some(format!("{state}: too large to solve exactly (E0401)"))
    } else if total > SLOW_STATE_BITS {
        Some(format!("{state}: solving exactly takes long (W0402)"))
    } else {
        None
    }
}

/// The size of the game from a position. The number of reachable positions is estimated at most once.
pub struct GameSize<'a> {
    game: &'a Game,
    state: &'a State,
    /// The limits of the estimate.
    limits: Limits,
    widths: Vec<FieldWidth>,
    /// The width of a state in bits.
    bits: f64,
    sample: OnceCell<Sample>,
}

/// The price of an exact solution that takes long.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Price {
    /// E0401 if the game is too large, else W0402.
    code: Code,
    /// The estimated cost; infinite if a limit ended the estimate.
    cost: Cost,
}

impl<'a> GameSize<'a> {
    /// The size of the game from a position; the limits are those of the estimate.
    pub fn new(game: &'a Game, state: &'a State, limits: Limits) -> GameSize<'a> {
        let widths = widths(&game.rules);
        let bits = total(&widths);
        GameSize { game, state, limits, widths, bits, sample: OnceCell::new() }
    }

    fn sample(&self) -> Sample {
        *self.sample.get_or_init(|| estimate(self.game, self.state, self.bits.exp2(), &self.limits))
    }

    /// The estimate, if the state has room for more than `least` positions and the sample found many.
    fn estimate_above(&self, least: f64) -> Option<Estimate> {
        if self.bits.exp2() <= least {
            return None;
        }
        match self.sample() {
            Sample::Many(many) => Some(many.estimate),
            Sample::Few | Sample::LimitReached => None,
        }
    }

    /// Returns true if a search, which visits few of the positions, may finish within hours.
    pub fn is_searchable(&self, price: &Price) -> bool {
        price.cost.positions <= MAX_SEARCHED_POSITIONS
    }

    /// Returns true if the reachable positions are so many, by the estimate, that a table of packed keys suits their
    /// values better than a graph.
    pub fn prefers_table(&self) -> bool {
        let reachable = self.estimate_above(MAX_GRAPH_POSITIONS);
        reachable.is_some_and(|reachable| reachable.positions > MAX_GRAPH_POSITIONS)
    }

    /// Returns true if all reachable positions, by the estimate, can be listed besides a search that may visit few.
    pub fn can_be_listed(&self) -> bool {
        self.bits.exp2() <= MAX_LISTED_POSITIONS
            || match self.sample() {
                Sample::Few => true,
                Sample::Many(many) => many.estimate.positions <= MAX_LISTED_POSITIONS,
                Sample::LimitReached => false,
            }
    }

    /// The estimated number of reachable positions of a game in which positions come back, with some more for safety.
    pub fn positions_with_cycles(&self) -> Option<u64> {
        match self.sample() {
            Sample::Many(many) if many.cycles => Some((many.estimate.positions * ESTIMATE_MARGIN) as u64),
            _ => None,
        }
    }

    /// The price of a solution by a solver; `None` if it is soon found, or if the solver has no estimated cost.
    pub fn price(&self, solver: &dyn Solver) -> Option<Price> {
        if self.bits <= SLOW_STATE_BITS || !solver.enumerates() {
            return None;
        }
        let cost = match self.sample() {
            Sample::Few => return None,
            Sample::LimitReached => solver.cost(&Estimate::UNKNOWN)?,
            Sample::Many(many) => solver.cost(&many.estimate)?,
        };
        if self.bits > MAX_STATE_BITS && cost.positions > MAX_SOLVABLE_POSITIONS {
            return Some(Price { code: Code::E0401, cost });
        }
        (cost.positions > MAX_ENUMERATED_POSITIONS).then_some(Price { code: Code::W0402, cost })
    }

    /// Returns true if an exact solution of this price is refused at once unless the user sets limits: from the first
    /// position of a game that is too large. For another position, such as an endgame, a sample is too weak to refuse
    /// anything.
    pub fn is_refused(&self, price: &Price) -> bool {
        price.code == Code::E0401 && *self.state == self.game.machine.initial()
    }

    /// The price in words: E0401 or W0402.
    pub fn diagnostic(&self, price: &Price, text: &mut GameSource) -> Option<Diagnostic> {
        let (rules, total, cost) = (&*self.game.rules, self.bits, price.cost);
        let widest = self.widths.first()?;
        let span = rules.fields[widest.field].span;
        let label = format!("{} = {:.0} bits (of {total:.0})", factors(rules, widest), widest.bits);
        let known = cost.positions.is_finite();
        let title = match (price.code, known) {
            (Code::E0401, _) => {
                format!("this game is too large to solve exactly: up to 2^{total:.0} positions")
            }
            (_, true) => format!(
                "solving this exactly takes long: play reaches perhaps {} positions",
                rough(cost.positions)
            ),
            (_, false) => format!("solving this exactly takes long: up to 2^{total:.0} positions"),
        };
        let found = Diagnostic::new(price.code, title, span, label).note(table(rules, &self.widths));
        let found = match price.code {
            Code::E0401 => found.note("`check`, `play`, `perft` and `test` work at any size"),
            _ if known => found.note(sampled(&cost)),
            _ => found,
        };
        Some(found.help(help(text, rules)))
    }
}

fn name<'r>(rules: &'r Rules, width: &FieldWidth) -> &'r str {
    &rules.fields[width.field].name
}

/// The factors of a field's width: `64 cells x 13 values`.
fn factors(rules: &Rules, width: &FieldWidth) -> String {
    let field = &rules.fields[width.field];
    let each = match rules.type_size(&field.ty) {
        Some(values) if values < 1_000_000 => format!("{values} values"),
        _ => format!("2^{:.0} values", bits(rules, &field.ty)),
    };
    if field.keys.is_empty() { each } else { format!("{} cells x {each}", field.cells()) }
}

/// A table of the widths of the fields, one line each.
fn table(rules: &Rules, widths: &[FieldWidth]) -> String {
    let shown = &widths[..widths.len().min(MAX_NAMED_FIELDS)];
    let longest = shown.iter().map(|w| name(rules, w).chars().count()).max().unwrap_or(0).max(5);
    let mut lines = vec![format!("{:longest$}  bits", "field")];
    lines.extend(shown.iter().map(|w| format!("{:longest$}  {:>4.0}", name(rules, w), w.bits)));
    lines.join("\n")
}

/// Describes the estimated cost and its basis.
fn sampled(cost: &Cost) -> String {
    let seconds = cost.positions / POSITIONS_PER_SECOND;
    let memory = cost.bytes;
    let memory =
        if memory < 1e12 { format_bytes(memory as u64) } else { format!("{} GB", rough(memory / 1e9)) };
    format!(
        "an estimate from a sample, the first {} positions and {} random plays; that many need {memory} and, at \
         100,000 a second, {}",
        group_digits(estimate::SAMPLE_POSITIONS),
        estimate::SAMPLE_PLAYS,
        time(seconds),
    )
}

/// Suggests a smaller game by one parameter, and limits.
fn help(text: &mut GameSource, rules: &Rules) -> String {
    let mut smaller = Vec::new();
    for (name, value) in &rules.params {
        let Value::Int(now) = value else { continue };
        let fits = |value: i64| {
            let rules = text.rules_with(&[format!("{name}={value}")])?;
            let bits = total(&widths(&rules));
            (bits <= SLOW_STATE_BITS).then(|| format!("`--set {name}={value}` gives {bits:.0} bits"))
        };
        smaller.extend((now.saturating_sub(MAX_PARAMETER_DECREASE)..*now).rev().find_map(fits));
    }
    smaller.truncate(MAX_NAMED_FIELDS);
    let size = match smaller.is_empty() {
        true => "make the game smaller, best by a parameter".to_string(),
        false => format!("a smaller game: {}", smaller.join(", ")),
    };
    format!("{size}; with `--time` or `--memory` the solver tries, up to that limit")
}

/// Formats a number of which only the magnitude is known: `4e12`.
fn rough(n: f64) -> String {
    if n < 1e4 { format!("{n:.0}") } else { format!("{n:.0e}") }
}

fn time(seconds: f64) -> String {
    let (n, one, many) = match seconds {
        s if s < 120.0 => (s, "second", "seconds"),
        s if s < 7200.0 => (s / 60.0, "minute", "minutes"),
        s if s < 172_800.0 => (s / 3600.0, "hour", "hours"),
        s if s < 6e7 => (s / 86_400.0, "day", "days"),
        s => (s / 31_557_600.0, "year", "years"),
    };
    let n = n.round().max(1.0);
    if n == 1.0 { format!("1 {one}") } else { format!("{} {many}", rough(n)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::LoadRequest;

    #[test]
    fn the_bits_of_the_starter_are_few() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../explorer/templates/starter.bou");
        let mut text = GameSource::read(&LoadRequest { path, settings: &[], preset: None }).unwrap();
        let game = text.game(None).unwrap_or_else(|e| panic!("{e:?}"));
        let widths = widths(&game.rules);
        assert_eq!(name(&game.rules, &widths[0]), "pile");
        assert!((widths[0].bits - 11f64.log2()).abs() < 1e-9);
        assert_eq!(too_large(&game.rules), None);
    }

    #[test]
    fn large_sets_and_options_have_bits_as_well() {
        let source = "game \"Wide\";\nplayers A, B;\nboard Cell = grid(20, 20);\n\
             record Two(a: 0..3, b: bool);\n\
             state { s: set of Cell; t: Two? = none; }\nmove go(c: Cell) { when c not in s; s |= { c }; }\nplay normal;\n";
        let game = GameSource::from_string("game.bou", source).game(None).unwrap_or_else(|e| panic!("{e:?}"));
        let bits: Vec<f64> = widths(&game.rules).iter().map(|w| w.bits.round()).collect();
        assert_eq!(bits, [400.0, 3.0, 1.0]);
    }

    #[test]
    fn rough_numbers_and_times() {
        assert_eq!((rough(4.2e12), rough(123.0)), ("4e12".into(), "123".into()));
        assert_eq!(
            (time(0.2), time(4.5e7), time(1e30)),
            ("1 second".into(), "521 days".into(), "3e22 years".into())
        );
    }
}
