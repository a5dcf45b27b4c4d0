//! The term for who chooses in a position, where turns are no field of the language: `(if odd then X else O)`.

use std::collections::{BTreeMap, BTreeSet};

use super::formulas::cell;
use super::{Fluent, Importer, args_of, head_of};
use crate::exclusive::Reached;
use crate::ground::{AtomId, GroundLiteral};
use crate::terms::Symbol;

impl Importer<'_> {
    /// The term for who chooses, if the position tells it: a field, or the player of a condition.
    pub(super) fn chooser(&self) -> Option<String> {
        let (term, _) = self.names.chooses.first()?;
        let name = self.sheet.symbols.find(head_of(term))?;
        if self.chooses_otherwise().is_some() {
            return self.chooser_by_values();
        }
        let names_player = |(term, player): &(String, u32)| {
            *term == format!("({} {})", self.symbol(name), self.names.roles[*player as usize])
        };
        match self.fluents.get(&name)? {
            Fluent::Value { field, total: true } if self.names.chooses.iter().all(names_player) => {
                return Some(field.clone());
            }
            Fluent::Constant | Fluent::Control => return None,
            Fluent::Truth(_) | Fluent::Value { .. } => {}
        }
        self.chooser_by_role().or_else(|| self.chooser_by_values())
    }

    /// The player who chooses where no fluent of a turn holds; `None` if a proof shows that one always does.
    pub(super) fn chooses_otherwise(&self) -> Option<u32> {
        let otherwise = self.names.chooses_otherwise?;
        let of = &self.sheet.keywords;
        let own: BTreeSet<&str> = self.names.chooses.iter().map(|(term, _)| term.as_str()).collect();
        let is_own = |fluent: &AtomId| {
            let term = self.game.terms.render(&self.sheet.symbols, self.game.facts.args(*fluent)[0]);
            own.contains(term.as_str())
        };
        let all = self.game.possible(of.true_).into_iter().filter(is_own);
        // Who has the turn when the game is over means nothing.
        let end = self.game.find(of.terminal, &[]);
        let none = all.chain(end).map(|atom| GroundLiteral::new(atom, false));
        let none: Vec<GroundLiteral> = none.collect();
        let never = Reached::new(self.game, of, self.proved()).excludes(&none);
        (!never).then_some(otherwise)
    }

    /// The term for who chooses if the same fluents but for the role say so, with the role in the same place of each.
    fn chooser_by_role(&self) -> Option<String> {
        let (term, player) = self.names.chooses.first()?;
        let (name, role) = (head_of(term), &self.names.roles[*player as usize]);
        let at = args_of(term).position(|arg| arg == role)?;
        let mut of_players: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
        for (term, player) in &self.names.chooses {
            let is_own =
                head_of(term) == name && args_of(term).nth(at) == Some(&self.names.roles[*player as usize]);
            let symbol = self.sheet.symbols.find(name)?;
            let mut args = self.written_args(symbol, term);
            *args.get_mut(at).filter(|_| is_own)? = "p".to_owned();
            of_players.entry(*player).or_default().insert(self.holds(symbol, &args)?);
        }
        let mut conditions = of_players.into_values();
        let first = conditions.next()?;
        let all: Vec<String> = first.iter().cloned().collect();
        conditions.all(|others| others == first).then(|| format!("(one p in Player: {})", all.join(" or ")))
    }

    /// The term for who chooses if other fluents say so, such as the number of a step: `(if odd then X else O)`.
    fn chooser_by_values(&self) -> Option<String> {
        let mut of_players: BTreeMap<u32, Vec<(Symbol, Vec<String>)>> = BTreeMap::new();
        for (term, player) in &self.names.chooses {
            let name = self.sheet.symbols.find(head_of(term))?;
            of_players.entry(*player).or_default().push((name, self.written_args(name, term)));
        }
        let mut cases = of_players.into_iter().collect::<Vec<_>>();
        let last = match self.chooses_otherwise() {
            Some(player) => player,
            None => cases.pop()?.0,
        };
        let mut written = String::new();
        for (player, fluents) in cases {
            let mut of_cells: BTreeMap<String, Vec<String>> = BTreeMap::new();
            let mut conditions = Vec::new();
            for (name, args) in &fluents {
                match (&self.fluents[name], args.split_last()) {
                    (Fluent::Value { field, .. }, Some((value, keys))) => {
                        of_cells.entry(cell(field, keys)).or_default().push(value.clone());
                    }
                    _ => conditions.push(self.holds(*name, args)?),
                }
            }
            conditions.extend(of_cells.into_iter().map(|(cell, values)| match &values[..] {
                [only] => format!("{cell} = {only}"),
                several => format!("{cell} in {{ {} }}", several.join(", ")),
            }));
            let role = self.player(&self.names.roles[player as usize]);
            written += &format!("if {} then {role} else ", conditions.join(" or "));
        }
        Some(format!("({written}{})", self.player(&self.names.roles[last as usize])))
    }

    /// The condition that a fluent holds; `None` if it is no cell of a field.
    fn holds(&self, name: Symbol, args: &[String]) -> Option<String> {
        match self.fluents.get(&name)? {
            Fluent::Value { field, .. } => {
                let (value, keys) = args.split_last()?;
                Some(format!("{} = {value}", cell(field, keys)))
            }
            Fluent::Truth(field) => Some(cell(field, args)),
            Fluent::Constant | Fluent::Control => None,
        }
    }
}
