//! The input of a filetest of passes: a header, and a circuit.
//!
//! ```text
//! # Steps to the left and to the right become one group.
//! passes group_fusion
//! kinds 0, 1
//!
//! words 1
//! ...
//! ```
//!
//! `passes` names the passes in the order in which they run; without any, the file shows how values are folded and
//! placed. `kinds` gives the kind of moves of each group; without it, all groups have one kind.

use bouton_base::id::IdVec;
use bouton_circuit::draft::Draft;
use bouton_circuit::opt::{CircuitPass, PASSES};
use bouton_circuit::parse::parse;
use bouton_circuit::verify::{CircuitForm, verify};
use bouton_circuit::{Circuit, GroupId};

/// A circuit with the passes to run on it.
pub struct PassTest {
    pub passes: Vec<&'static CircuitPass>,
    pub circuit: Circuit,
    kinds: IdVec<GroupId, u32>,
}

impl PassTest {
    /// Reads the input of a filetest.
    pub fn new(input: &str) -> Result<PassTest, String> {
        let mut passes = Vec::new();
        let mut kinds: Option<IdVec<GroupId, u32>> = None;
        let mut rest = input;
        loop {
            let (line, below) = rest.split_once('\n').ok_or("there is no circuit")?;
            let (word, list) = line.split_once(' ').unwrap_or((line, ""));
            let mut names = list.split(", ");
            match word {
                "passes" => {
                    let pass =
                        |name: &str| PASSES.iter().find(|pass| pass.name == name).ok_or(name.to_owned());
                    passes = names
                        .map(pass)
                        .collect::<Result<_, _>>()
                        .map_err(|name| format!("no pass {name}"))?;
                }
                "kinds" => kinds = Some(names.by_ref().map_while(|kind| kind.parse().ok()).collect()),
                "words" => break,
                _ if word.is_empty() || word.starts_with('#') => {}
                _ => return Err(format!("`{word}` begins no line of a header")),
            }
            rest = below;
        }
        let circuit = parse(rest).map_err(|error| error.to_string())?;
        let scheduled = verify(&circuit, CircuitForm::Scheduled);
        scheduled.or_else(|_| verify(&circuit, CircuitForm::Lowered)).map_err(|error| error.to_string())?;
        let kinds = kinds.unwrap_or_else(|| circuit.groups.iter().map(|_| 0).collect());
        if kinds.len() != circuit.groups.len() {
            return Err("each group has a kind".into());
        }
        Ok(PassTest { passes, circuit, kinds })
    }

    /// Returns the circuit after all passes of `run`, valid after each of them.
    pub fn after(&self, run: &[&CircuitPass]) -> Result<Circuit, String> {
        let mut draft = Draft::from_circuit(self.circuit.clone(), self.kinds.clone());
        for pass in run {
            pass.run(&mut draft);
            verify(&draft.clone().finish().0, CircuitForm::Scheduled)
                .map_err(|error| format!("after {}: {error}", pass.name))?;
        }
        Ok(draft.finish().0)
    }
}
