//! Describes the words that a small automaton accepts, as a person would read them.
//!
//! Technique: if exchanging states in pairs inverts every answer, the automaton counts something and tests whether the
//! count is even; the state that represents each pair is chosen so that the least is counted. Otherwise the words are
//! given as a regular expression, by state elimination, if that is short, and else by the states themselves.
//! Source: Brzozowski and McCluskey (1963) for regular expressions by state elimination.
//! Cost: exponential in the number of pairs of states, of which there are few.

use std::collections::BTreeSet;

use bouton_base::automaton::Automaton;

/// The maximal length of an expression that is shown.
const MAX_EXPRESSION_LENGTH: usize = 48;

/// Describes the words that an automaton accepts, after "the player to move loses"; `signs` are the characters of the
/// letters.
pub fn describe(of: &Automaton, signs: &[char]) -> (String, String) {
    let read = "read the row from left to right";
    let is_one_class = of.accepting.iter().all(|accepts| accepts == &of.accepting[0]);
    if let Some(accepts) = of.accepting.first().filter(|_| is_one_class) {
        return (read.into(), if *accepts { "in every row" } else { "in no row" }.into());
    }
    if let Some(counted) = ParityCounter::of(of).and_then(|count| count.describe(signs)) {
        return counted;
    }
    if let Some(form) = expression(of, signs).filter(|form| form.chars().count() <= MAX_EXPRESSION_LENGTH) {
        return ("look at the whole row".into(), format!("where it has the form {form}"));
    }
    let state = |(state, next): (usize, &Vec<u32>)| {
        let leads = next.iter().zip(signs).map(|(to, sign)| format!("{sign} to {}", to + 1));
        format!("{} ({})", state + 1, leads.collect::<Vec<_>>().join(", "))
    };
    let states: Vec<String> = of.next.iter().enumerate().map(state).collect();
    let lost: Vec<String> = (0..of.accepting.len())
        .filter(|&state| of.accepting[state])
        .map(|state| (state + 1).to_string())
        .collect();
    (
        format!("{read}, beginning in state 1, and go from {}", states.join(", ")),
        format!("where that ends in {}", lost.join(" or ")),
    )
}

/// Pairs of states whose exchange inverts all answers.
struct ParityCounter {
    /// For each class and letter: the class after it, and true if the count increases.
    next: Vec<Vec<(usize, bool)>>,
    /// True if it accepts where the count is even; the same in all classes.
    even: bool,
}

impl ParityCounter {
    fn of(automaton: &Automaton) -> Option<ParityCounter> {
        let partner = (1..automaton.next.len() as u32).find_map(|other| partners(automaton, other))?;
        let classes: Vec<usize> =
            (0..partner.len()).filter(|&state| state < partner[state] as usize).collect();
        let class = |state: usize| {
            let least = state.min(partner[state] as usize);
            classes.iter().position(|&own| own == least).unwrap_or(0)
        };
        // A bit of `choice` is set if the other state of the pair represents the class; never that of the first class.
        let chosen = |choice: u32| {
            let stands = |place: usize| match choice >> place & 1 {
                0 => classes[place],
                _ => partner[classes[place]] as usize,
            };
            let next = (0..classes.len()).map(|place| {
                let to = |to: &u32| {
                    let after = class(*to as usize);
                    (after, stands(after) != *to as usize)
                };
                automaton.next[stands(place)].iter().map(to).collect::<Vec<_>>()
            });
            let next: Vec<_> = next.collect();
            let even = automaton.accepting[stands(0)];
            let same = (0..classes.len()).all(|place| automaton.accepting[stands(place)] == even);
            same.then_some(ParityCounter { next, even })
        };
        let counted = |count: &ParityCounter| count.next.iter().flatten().filter(|(_, more)| *more).count();
        (0..1u32 << classes.len().min(8)).step_by(2).filter_map(chosen).min_by_key(counted)
    }

    /// Describes the count, if the letter before each counted one determines that it counts.
    fn describe(&self, signs: &[char]) -> Option<(String, String)> {
        let settled = |class: usize| self.next[class].iter().all(|to| *to == (class, false));
        let open: Vec<usize> = (0..self.next.len()).filter(|&class| !settled(class)).collect();
        // The letters by which each class is entered; no letter may enter two classes that matter.
        let mut entered: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); self.next.len()];
        for &class in &open {
            for (letter, (to, _)) in self.next[class].iter().enumerate() {
                entered[*to].insert(letter);
            }
        }
        let apart =
            |letter: usize| open.iter().filter(|&&class| entered[class].contains(&letter)).count() < 2;
        if open.len() > 1 && !(0..signs.len()).all(apart) {
            return None;
        }
        let (mut counts, mut stops) = (Vec::new(), Vec::new());
        for (letter, sign) in signs.iter().enumerate() {
            let from: Vec<usize> = open.iter().copied().filter(|&class| self.next[class][letter].1).collect();
            if from.len() == open.len() {
                counts.push(format!("each \"{sign}\""));
                continue;
            }
            let before: Vec<String> = from
                .iter()
                .flat_map(|&class| &entered[class])
                .map(|&before| format!("comes after \"{}\"", signs[before]))
                .collect();
            let first = from.contains(&0).then(|| "is first".to_owned());
            let when: Vec<String> = first.into_iter().chain(before).collect();
            if !when.is_empty() {
                counts.push(format!("each \"{sign}\" that {}", when.join(" or ")));
            }
        }
        for &class in &open {
            for (letter, (to, _)) in self.next[class].iter().enumerate().filter(|(_, (to, _))| settled(*to)) {
                debug_assert!(settled(*to));
                match (open.len(), class) {
                    (1, _) => stops.push(format!("\"{}\"", signs[letter])),
                    (_, 0) => return None,
                    _ => stops
                        .extend(entered[class].iter().map(|&b| format!("\"{}{}\"", signs[b], signs[letter]))),
                }
            }
        }
        let far = match &stops[..] {
            [] => String::new(),
            stops => format!(" until {} appears", stops.join(" or ")),
        };
        let count = format!("read the row from left to right{far} and count {}", counts.join(" and "));
        Some((count, format!("where the count is {}", if self.even { "even" } else { "odd" })))
    }
}

/// The exchange of states that takes the first one to `other`, if it inverts every answer.
fn partners(automaton: &Automaton, other: u32) -> Option<Vec<u32>> {
    const NONE: u32 = u32::MAX;
    let mut partner = vec![NONE; automaton.next.len()];
    let mut todo = vec![(0u32, other)];
    while let Some((one, other)) = todo.pop() {
        for (from, to) in [(one, other), (other, one)] {
            match partner[from as usize] {
                NONE => partner[from as usize] = to,
                known if known == to => continue,
                _ => return None,
            }
            todo.extend(
                automaton.next[from as usize]
                    .iter()
                    .copied()
                    .zip(automaton.next[to as usize].iter().copied()),
            );
        }
    }
    let turned = |(state, &other): (usize, &u32)| {
        other != NONE && automaton.accepting[state] != automaton.accepting[other as usize]
    };
    partner.iter().enumerate().all(turned).then_some(partner)
}

/// A regular expression, where `None` stands for no word; `binding` says whether it needs parentheses.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Regex {
    text: String,
    /// Precedence, 0: alternatives, 1: concatenation, 2: atom.
    binding: u8,
}

impl Regex {
    fn empty() -> Regex {
        Regex { text: String::new(), binding: 2 }
    }

    fn at(&self, binding: u8) -> String {
        if self.binding < binding { format!("({})", self.text) } else { self.text.clone() }
    }

    fn then(&self, other: &Regex) -> Regex {
        match (self.text.is_empty(), other.text.is_empty()) {
            (true, _) => other.clone(),
            (_, true) => self.clone(),
            _ => Regex { text: self.at(1) + &other.at(1), binding: 1 },
        }
    }

    fn or(one: Option<Regex>, other: Option<Regex>) -> Option<Regex> {
        let (one, other) = match (one, other) {
            (Some(one), Some(other)) => (one, other),
            (one, other) => return one.or(other),
        };
        Some(match (one.text.is_empty(), other.text.is_empty()) {
            _ if one == other => one,
            (true, _) if other.text.ends_with('*') && other.binding == 2 => other,
            (true, _) => Regex { text: other.at(2) + "?", binding: 2 },
            (_, true) => Regex { text: one.at(2) + "?", binding: 2 },
            _ => Regex { text: format!("{}|{}", one.text, other.text), binding: 0 },
        })
    }

    fn repeated(of: Option<&Regex>) -> Regex {
        match of {
            Some(of) if !of.text.is_empty() => Regex { text: of.at(2) + "*", binding: 2 },
            _ => Regex::empty(),
        }
    }
}

/// The accepted words as a regular expression, by state elimination.
fn expression(of: &Automaton, signs: &[char]) -> Option<String> {
    let states = of.next.len();
    // Two extra states: one before the first state, and one after the accepting states.
    let mut edges: Vec<Vec<Option<Regex>>> = vec![vec![None; states + 2]; states + 2];
    for (from, next) in of.next.iter().enumerate() {
        for (&to, sign) in next.iter().zip(signs) {
            let letter = Regex { text: sign.to_string(), binding: 2 };
            edges[from][to as usize] = Regex::or(edges[from][to as usize].take(), Some(letter));
        }
        edges[from][states + 1] = of.accepting[from].then(Regex::empty);
    }
    edges[states][0] = Some(Regex::empty());
    let mut left: Vec<usize> = (0..states).collect();
    while let Some(place) = (0..left.len()).min_by_key(|&place| {
        let state = left[place];
        let into =
            edges.iter().enumerate().filter(|(from, row)| *from != state && row[state].is_some()).count();
        let out = edges[state].iter().enumerate().filter(|(to, edge)| *to != state && edge.is_some()).count();
        into * out
    }) {
        let state = left.swap_remove(place);
        let around = Regex::repeated(edges[state][state].as_ref());
        for from in (0..states + 2).filter(|&from| from != state) {
            let Some(into) = edges[from][state].take() else { continue };
            for to in (0..states + 2).filter(|&to| to != state) {
                let Some(out) = edges[state][to].clone() else { continue };
                let through = into.then(&around).then(&out);
                if through.text.len() > 4 * MAX_EXPRESSION_LENGTH {
                    return None;
                }
                edges[from][to] = Regex::or(edges[from][to].take(), Some(through));
            }
        }
        edges[state].fill(None);
    }
    edges[states][states + 1].take().map(|form| form.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn automaton(says: &[u8], next: &[[u32; 2]]) -> Automaton {
        Automaton {
            accepting: says.iter().map(|&says| says == 1).collect(),
            next: next.iter().map(|next| next.to_vec()).collect(),
        }
    }

    #[test]
    fn counts_are_told() {
        let signs = ['.', '#'];
        let ones = automaton(&[1, 0], &[[0, 1], [1, 0]]);
        let count =
            ("read the row from left to right and count each \"#\"".into(), "where the count is even".into());
        assert_eq!(describe(&ones, &signs), count);
        // Runs of dots up to the first that is longer than one.
        let runs = automaton(&[1, 0, 0, 0, 1, 1], &[[1, 0], [2, 3], [2, 2], [4, 3], [5, 0], [5, 5]]);
        assert_eq!(
            describe(&runs, &signs).0,
            "read the row from left to right until \"..\" appears and count each \".\" that is first or comes after \"#\""
        );
    }

    #[test]
    fn forms_and_states_are_told() {
        let signs = ['.', '#'];
        let ends = automaton(&[1, 0], &[[0, 1], [0, 1]]);
        assert_eq!(describe(&ends, &signs).1, "where it has the form (.|##*.)*");
        let thirds = automaton(&[1, 0, 0], &[[0, 1], [1, 2], [2, 0]]);
        assert_eq!(describe(&thirds, &signs).1, "where it has the form (.|#.*#.*#)*");
    }
}
