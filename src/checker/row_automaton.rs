//! The check of PARAM plans in which an automaton recognizes the lost rows of every length.
//!
//! The effect of a move of a scheme on a row can be read by a finite automaton: it guesses the choices from left to
//! right, and conditions only involve their distances from each other, from the start and from the end, up to a fixed
//! bound. So each word read from the left has finitely many *courses*: a scheme, its choices relative to the current
//! cell, and the state of the automaton in the row after the move. A word matters only by its own state and the set
//! of its courses (Rabin and Scott 1959: the subset construction); the check enumerates all such pairs. In each of them
//! the automaton must call the row lost if and only if no course that ends here leads to a row that it calls lost.
//!
//! So a lost row has no move that changes nothing, since it would lead to the row itself. The winner moves from rows
//! that are not lost to lost ones, and makes no such move either: each move of his play changes a cell, and it ends.

use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, VecDeque};

use super::{CheckError, Checked, Checker, reject, reject_if};
use bouton_base::automaton::Automaton;
use bouton_base::linear::Linear;
use bouton_rules::parametric::{
    Area, Atom, CHOICE_BASE, MoveScheme, PARAM_BASE, ParamRange, ParametricRules, WinnerCase,
};

/// The maximal offset of a term from its place; `MAX_CHOICE_VALUES` is the maximal number of values of a choice that is
/// not a cell.
const MAX_OFFSET: i128 = 4;
const MAX_CHOICE_VALUES: i128 = 16;
/// The maximal number of pairs of a state and its set of courses.
const MAX_STATE_PAIRS: usize = 20_000;
/// The maximal number of lengths in the check of the cases of initial rows, which repeat from some length on.
const MAX_CASE_LENGTHS: i128 = 20_000;

/// A term: a place and an offset to the right of it. Place 0 is before the first cell, 1 is the last cell; choices
/// follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct PlaceTerm {
    place: usize,
    offset: i128,
}

/// A scheme whose choices are places.
struct Course {
    /// The number of places in use.
    places: usize,
    /// Pairs in which the first term must be at most the second.
    guards: Vec<(PlaceTerm, PlaceTerm)>,
    untouched: Vec<(PlaceTerm, PlaceTerm)>,
    touched: Vec<(PlaceTerm, PlaceTerm)>,
    changed: Vec<(PlaceTerm, PlaceTerm)>,
}

/// The state of a move while a row is read: for each place the distance ahead of the current cell, saturated to
/// [`MAX_OFFSET`] plus one in both directions; and the state of the automaton in the row after the move.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct CourseState {
    course: usize,
    ahead: Vec<i8>,
    /// True if it changes something to the left of the first cell.
    outside: bool,
    state: u32,
}

const SATURATED_DISTANCE: i8 = MAX_OFFSET as i8 + 1;

impl Checker<'_> {
    /// Proves that the player to move loses exactly in the rows that the automaton accepts, and that the initial rows
    /// agree with the cases.
    pub(super) fn rows(
        &mut self,
        schema: &ParametricRules,
        over: &[ParamRange],
        lost: &Automaton,
        cases: &[WinnerCase],
    ) -> Checked<()> {
        let courses = courses(schema, over, lost)?;
        let first: BTreeSet<CourseState> = (0..courses.len()).flat_map(|of| courses[of].start(of)).collect();
        let mut met: FxHashMap<(u32, BTreeSet<CourseState>), ()> = FxHashMap::default();
        let mut todo = VecDeque::from([(0u32, first)]);
        while let Some((state, here)) = todo.pop_front() {
            self.step_done()?;
            for letter in 0..2u8 {
                let next = lost.after(state, letter).ok_or("the automaton does not read rows")?;
                let mut there = BTreeSet::new();
                for at in &here {
                    courses[at.course].read(at, letter == 1, lost, &mut there);
                }
                // If the word ends here, which states are complete moves?
                let moves = || there.iter().filter(|at| courses[at.course].ends(at));
                if moves().any(|at| courses[at.course].leaves(at)) {
                    return reject("a move may change something that is no cell");
                }
                let leads = moves().any(|at| lost.accepting[at.state as usize]);
                if lost.accepting[next as usize] == leads {
                    let what = if leads { "lost, and a move leads" } else { "won, and no move leads" };
                    return reject(format!("the automaton says of a row that it is {what} to a lost one"));
                }
                reject_if(met.len() > MAX_STATE_PAIRS, "there are too many cases to check")?;
                if met.insert((next, there.clone()), ()).is_none() {
                    todo.push_back((next, there));
                }
            }
        }
        cases_hold(over, lost, cases)
    }
}

/// Returns all schemes as courses, one for each combination of values of the choices that are small numbers.
fn courses(schema: &ParametricRules, over: &[ParamRange], lost: &Automaton) -> Checked<Vec<Course>> {
    let one = Linear::var(PARAM_BASE);
    let [length] = &schema.board[..] else { return reject("a position is not a row of cells") };
    if !schema.counters.is_empty() || *length != one || over.len() != 1 || over[0].low < 1 {
        return reject("a position is not a row with a parameter as its length");
    }
    if !lost.is_well_formed() || lost.alphabet_size() != 2 || lost.minimized() != *lost {
        return reject("it is not a minimal automaton with its states in the order of their words");
    }
    let mut courses = Vec::new();
    for scheme in &schema.moves {
        let mut few: Vec<Vec<(u32, i128)>> = Vec::new();
        let mut places = Vec::new();
        for (choice, (low, high)) in scheme.choices.iter().enumerate() {
            let var = CHOICE_BASE + choice as u32;
            let combinations: usize = few.iter().map(Vec::len).product();
            match (low.constant(), high.constant()) {
                (Some(low), Some(high)) if high - low < MAX_CHOICE_VALUES && combinations < 64 => {
                    few.push((low..=high).map(|value| (var, value)).collect());
                }
                // The choice is a cell of the row.
                (Some(1..), None) if high.terms == one.terms && high.constant <= 0 => places.push(var),
                _ => {
                    return reject(format!(
                        "a choice of {} is neither a cell nor one of a few numbers",
                        scheme.name
                    ));
                }
            }
        }
        if places.len() > 4 {
            return reject(format!("{} has too many choices", scheme.name));
        }
        for chosen in tuples(few.into_iter()) {
            courses.push(course(scheme, &chosen, &places)?);
        }
    }
    Ok(courses)
}

fn course(scheme: &MoveScheme, chosen: &[(u32, i128)], places: &[u32]) -> Checked<Course> {
    let too_far =
        || CheckError::from(format!("{} tests more than the distances between places", scheme.name));
    let put_in = |term: &Linear| {
        let value = |var: u32| {
            chosen.iter().find(|(other, _)| *other == var).map(|(_, value)| Linear::number(*value))
        };
        term.substitute(&value).map_err(|_| "its numbers are too large".to_owned())
    };
    let place = |var: u32| match var {
        PARAM_BASE => Some(1),
        _ => places.iter().position(|&own| own == var).map(|at| at + 2),
    };
    let near = |offset: i128| (offset.abs() <= MAX_OFFSET).then_some(offset).ok_or_else(too_far);
    let term = |of: &Linear| -> Checked<PlaceTerm> {
        let of = put_in(of)?;
        let at = match of.terms[..] {
            [] => 0,
            [(var, 1)] => place(var).ok_or_else(too_far)?,
            _ => return Err(too_far()),
        };
        Ok(PlaceTerm { place: at, offset: near(of.constant)? })
    };
    let areas = |areas: &[Area]| {
        let pair = |area: &Area| match (&area.low[..], &area.high[..]) {
            ([low], [high]) => Ok((term(low)?, term(high)?)),
            _ => Err(too_far()),
        };
        areas.iter().map(pair).collect::<Checked<Vec<_>>>()
    };
    let mut guards = Vec::new();
    let bounds = scheme.choices.iter().enumerate().flat_map(|(choice, (low, high))| {
        let var = Linear::var(CHOICE_BASE + choice as u32);
        [low.minus(&var), var.minus(high)]
    });
    let asked = scheme.guards.iter().map(|guard| Ok(guard.clone())).chain(bounds);
    for guard in asked {
        let guard = put_in(&guard.map_err(|_| "its numbers are too large")?)?;
        let (mut less, mut more) = (0, 0);
        for &(var, factor) in &guard.terms {
            let at = place(var).ok_or_else(too_far)?;
            match factor {
                1 if less == 0 => less = at,
                -1 if more == 0 => more = at,
                _ => return Err(too_far()),
            }
        }
        match (guard.terms.is_empty(), guard.constant <= 0) {
            (true, true) => continue,
            // The guard never holds: both terms are the place before the first cell.
            (true, false) => {
                guards.push((PlaceTerm { place: 0, offset: 1 }, PlaceTerm { place: 0, offset: 0 }))
            }
            _ => guards.push((
                PlaceTerm { place: less, offset: near(guard.constant)? },
                PlaceTerm { place: more, offset: 0 },
            )),
        }
    }
    Ok(Course {
        places: places.len() + 2,
        guards,
        untouched: areas(&scheme.untouched)?,
        touched: areas(&scheme.touched)?,
        changed: areas(&scheme.changed)?,
    })
}

impl Course {
    /// Returns the states before the first cell: place 0 is here, all others are ahead.
    fn start(&self, course: usize) -> Vec<CourseState> {
        let places = (1..self.places).map(|_| (1..=SATURATED_DISTANCE).collect());
        let all = tuples([vec![0]].into_iter().chain(places));
        let at = |ahead: Vec<i8>| {
            let mut at = CourseState { course, ahead, outside: false, state: 0 };
            at.outside =
                self.changed.iter().any(|area| (-MAX_OFFSET..=0).any(|right| Self::within(&at, area, right)));
            at
        };
        all.into_iter().map(at).filter(|at| self.holds_here(at)).collect()
    }

    /// Checks the guards between two places one of which is here. A saturated distance exceeds every bound in a guard.
    fn holds_here(&self, at: &CourseState) -> bool {
        self.guards.iter().all(|(less, more)| {
            let (one, other) = (at.ahead[less.place], at.ahead[more.place]);
            if one != 0 && other != 0 {
                return true;
            }
            i128::from(one) + less.offset <= i128::from(other) + more.offset
        })
    }

    /// Returns true if the cell `right` cells ahead lies between two terms.
    fn within(at: &CourseState, (low, high): &(PlaceTerm, PlaceTerm), right: i128) -> bool {
        let of = |term: &PlaceTerm| match at.ahead[term.place] {
            SATURATED_DISTANCE => i128::MAX,
            beyond if beyond == -SATURATED_DISTANCE => i128::MIN,
            ahead => i128::from(ahead) + term.offset,
        };
        of(low) <= right && right <= of(high)
    }

    /// Adds the possible states one cell further, given that the cell has changed or has not.
    fn read(&self, at: &CourseState, has: bool, lost: &Automaton, there: &mut BTreeSet<CourseState>) {
        // The last cell was here.
        if at.ahead[1] == 0 {
            return;
        }
        // A distant place may stay distant, or come within the exact distances.
        let next = |&ahead: &i8| match ahead {
            SATURATED_DISTANCE => vec![SATURATED_DISTANCE, SATURATED_DISTANCE - 1],
            ahead if ahead == -SATURATED_DISTANCE => vec![-SATURATED_DISTANCE],
            ahead => vec![ahead - 1],
        };
        for ahead in tuples(at.ahead.iter().map(next)) {
            let mut next = CourseState { ahead, ..at.clone() };
            let within =
                |areas: &[(PlaceTerm, PlaceTerm)]| areas.iter().any(|area| Self::within(&next, area, 0));
            if !self.holds_here(&next) || has && within(&self.untouched) || !has && within(&self.touched) {
                continue;
            }
            let changed = within(&self.changed);
            let Some(state) = lost.after(at.state, u8::from(has || changed)) else { continue };
            next.state = state;
            there.insert(next);
        }
    }

    /// Returns true if the row may end here: the last cell is here.
    fn ends(&self, at: &CourseState) -> bool {
        at.ahead[1] == 0
    }

    /// Returns true if a row that ends here has changes outside its cells. All places are here or behind.
    fn leaves(&self, at: &CourseState) -> bool {
        at.outside
            || self.changed.iter().any(|area| (1..=MAX_OFFSET).any(|right| Self::within(at, area, right)))
    }
}

/// Returns all tuples of one element of each list.
fn tuples<T: Clone>(lists: impl Iterator<Item = Vec<T>>) -> Vec<Vec<T>> {
    lists.fold(vec![Vec::new()], |all: Vec<Vec<T>>, list| {
        let with = |tuple: &Vec<T>, one: &T| [&tuple[..], std::slice::from_ref(one)].concat();
        list.iter().flat_map(|one| all.iter().map(move |tuple| with(tuple, one))).collect()
    })
}

/// Checks the winners of the initial rows, which have no changed cell.
fn cases_hold(over: &[ParamRange], lost: &Automaton, cases: &[WinnerCase]) -> Checked<()> {
    let range = &over[0];
    // The states after the initial rows, from the empty row until they repeat.
    let mut path = vec![0];
    let repeats = loop {
        let state =
            path.last().and_then(|&state| lost.after(state, 0)).ok_or("the automaton does not read rows")?;
        match path.iter().position(|&other| other == state) {
            Some(from) => break from,
            None => path.push(state),
        }
    };
    let (mut settled, mut period) = (repeats as i128, (path.len() - repeats) as i128);
    for atom in cases.iter().flat_map(|case| &case.when) {
        let (Atom::AtMost(term) | Atom::Zero(term) | Atom::Residue(term, ..)) = atom else {
            return reject("a case does not repeat");
        };
        settled = settled.max(term.constant.checked_abs().ok_or("its numbers are too large")? + 1);
        if let Atom::Residue(_, modulus, _) = atom {
            period = least_common_multiple(period, i128::from(*modulus))?;
        }
    }
    let end = settled.max(range.low).saturating_add(period);
    let end = range.high.map_or(end, |high| end.min(high));
    reject_if(end - range.low > MAX_CASE_LENGTHS, "the cases do not repeat soon enough")?;
    for length in range.low..=end {
        let past = (length - repeats as i128).rem_euclid((path.len() - repeats) as i128) as usize;
        let state = path[if length < path.len() as i128 { length as usize } else { repeats + past }];
        let of = |var: u32| (var == PARAM_BASE).then_some(length);
        let mut own = cases.iter().filter(|case| case.when.iter().all(|atom| atom.holds(&of)));
        if own.any(|case| case.first_player_wins == lost.accepting[state as usize]) {
            return reject(format!("the automaton says otherwise of the first row of {length} cells"));
        }
    }
    Ok(())
}

/// Returns the least common multiple of numbers above 0.
fn least_common_multiple(one: i128, other: i128) -> Checked<i128> {
    let (mut a, mut b) = (one, other);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    let whole = (one / a).checked_mul(other).filter(|whole| *whole <= MAX_CASE_LENGTHS);
    Ok(whole.ok_or("the cases do not repeat soon enough")?)
}
