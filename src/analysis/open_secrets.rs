//! W0341 for a private move whose secret all other players see, and for a `sees` of what its player sees anyway.

use super::analyzer::Analyzer;
use bouton_base::source::Span;
use bouton_rules::{
    Actor, Block, EffectOp, Expr, ExprKind, FieldId, MOVER, Move, PHASE, PLAYER, StmtKind, Value, Visibility,
};
use bouton_syntax::diag::{Code, Diagnostic};

impl Analyzer<'_> {
    /// Runs the lints of this module.
    pub(super) fn open_secrets(&mut self) {
        let mut reports: Vec<Diagnostic> =
            self.rules.moves.iter().filter_map(|mv| self.told_to_the_others(mv)).collect();
        // A field whose visibility is a mistake of its own explains what follows from it.
        let is_told = |found: &Diagnostic| found.code == Code::W0341;
        let is_first = !reports.iter().chain(&self.diagnostics).any(is_told);
        reports.extend(self.rules.sees.iter().filter(|_| is_first).filter_map(|sees| {
            let players = players_of(&sees.players)?;
            let mut seen = Vec::new();
            let terms = std::iter::once(&sees.value).chain(&sees.condition);
            terms.for_each(|term| self.fields_in(term, &mut seen));
            // Moves are legal or not for reasons that the player may not see.
            let asks_for_moves = |kind: &ExprKind| matches!(kind, ExprKind::Stuck | ExprKind::StuckPlayer(_));
            let mut terms = std::iter::once(&sees.value).chain(&sees.condition);
            let is_known =
                |field: &FieldId| self.each_sees(*field, &players) && !self.rules.fields[*field].transient;
            if seen.is_empty()
                || !seen.iter().all(is_known)
                || terms.any(|term| self.rules.mentions(term, &asks_for_moves))
            {
                return None;
            }
            let who = self.names_of(&players);
            let fields: Vec<String> =
                seen.iter().map(|field| format!("`{}`", self.rules.fields[*field].name)).collect();
            let (verb, fields) = (if players.len() == 1 { "sees" } else { "see" }, joined(&fields));
            let title = format!("{who} {verb} {fields} anyway: this `sees` tells nothing");
            let found = Diagnostic::new(Code::W0341, title, sees.span, "known without it");
            Some(found.help(match self.other_player(&players) {
                Some(other) => format!("is `sees {other}: ...` meant? If not, leave it out"),
                None => "name the players who do not see this, or leave it out".to_owned(),
            }))
        }));
        reports.into_iter().for_each(|found| self.report(found));
    }

    /// The report on a private move of one player that puts its parameters where all others see them.
    fn told_to_the_others(&self, mv: &Move) -> Option<Diagnostic> {
        if !mv.private || mv.chance {
            return None;
        }
        let own = match &mv.by {
            Some(by) => players_of(by)?,
            None => {
                let mut actors = mv.phases.iter().map(|phase| match &self.rules.phases[*phase].actor {
                    Actor::Player(player) => players_of(player),
                    _ => None,
                });
                let first = actors.next()??;
                actors.all(|other| other.as_ref() == Some(&first)).then_some(first)?
            }
        };
        let [_] = own[..] else { return None };
        let others: Vec<u32> =
            (0..self.rules.players().len() as u32).filter(|player| !own.contains(player)).collect();
        let mut set = Vec::new();
        values_set(&mv.body, &mut set);
        let is_open = |param: &bouton_rules::Param| {
            set.iter().find(|(field, value, _)| {
                matches!(&*value.kind, ExprKind::Var(var) if *var == param.var)
                    && !self.all_see(*field)
                    && self.each_sees(*field, &others)
            })
        };
        let (field, _, place) = *mv.params.iter().map(is_open).collect::<Option<Vec<_>>>()?.first()?;
        let (name, declared) = (&self.rules.fields[*field].name, self.rules.fields[*field].span);
        let (who, owner) = (self.names_of(&others), self.names_of(&own));
        let verb = if others.len() == 1 { "sees" } else { "see" };
        let title =
            format!("`{}` is private, and {who} {verb} `{name}`, into which it puts its choice", mv.name);
        let found = Diagnostic::new(Code::W0341, title, *place, format!("{who} {verb} this"));
        let of = owner.trim_matches('`');
        Some(found.label(declared, format!("visible to {who}")).label(mv.span, "private").help(format!(
            "if {owner} alone is to know it, write `visible to {of}`; if {who} may know it, leave out `private`"
        )))
    }

    /// Returns true if these players see all of a field.
    fn each_sees(&self, field: FieldId, players: &[u32]) -> bool {
        match &self.rules.fields[field].visibility {
            Visibility::Public => true,
            Visibility::Hidden => false,
            Visibility::To(cells) => {
                cells.iter().all(|seen| players.iter().all(|player| seen.contains(player)))
            }
        }
    }

    /// Collects the fields that a term reads, also through definitions, without those of the turn.
    fn fields_in(&self, term: &Expr, found: &mut Vec<FieldId>) {
        for id in self.rules.fields.ids().filter(|id| *id != MOVER && *id != PHASE) {
            let is_it = |kind: &ExprKind| matches!(kind, ExprKind::Field(of, _) if *of == id);
            if !found.contains(&id) && self.rules.mentions(term, &is_it) {
                found.push(id);
            }
        }
    }

    /// The only player of two who is not among these.
    fn other_player(&self, players: &[u32]) -> Option<&str> {
        match (self.rules.players(), players) {
            ([_, other], [0]) | ([other, _], [1]) => Some(other),
            _ => None,
        }
    }

    fn names_of(&self, players: &[u32]) -> String {
        let names: Vec<String> =
            players.iter().map(|player| format!("`{}`", self.rules.players()[*player as usize])).collect();
        joined(&names)
    }
}

/// The players that a constant names.
fn players_of(of: &Expr) -> Option<Vec<u32>> {
    match of.constant()? {
        Value::Sym(PLAYER, player) => Some(vec![*player]),
        _ => None,
    }
}

/// Names as a list in words.
fn joined(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Collects the fields without keys that effects of a block set, with the values and their places.
fn values_set<'r>(block: &'r Block, found: &mut Vec<(FieldId, &'r Expr, Span)>) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Effect(effect) if effect.op == EffectOp::Set && effect.keys.is_empty() => {
                let mut value = &effect.value;
                while let ExprKind::Present(inner) = &*value.kind {
                    value = inner;
                }
                found.push((effect.field, value, stmt.span));
            }
            StmtKind::Then(inner) => values_set(inner, found),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn titles(visible: &str, sees: &str) -> Vec<String> {
        let text = format!(
            "game \"Jewel\"; players A, B; phases {{ hide; seek; }}
             state {{ secret: 1..3? = none {visible}; guess: 1..3? = none; n: 0..2 = 0; }}
             private move put(k: 1..3) by A in hide as \"{{k}}\" {{ secret := k; continue seek; next B; }}
             move look(k: 1..3) by B in seek as \"look {{k}}\" {{ guess := k; n += 1; continue seek; next B; }}
             {sees} end {{ when guess != none and guess = secret => B wins; when n = 2 => A wins; }}"
        );
        found(&text, Code::W0341).into_iter().map(|found| found.title).collect()
    }

    #[test]
    fn secrets_of_the_others() {
        let open = ["`put` is private, and `B` sees `secret`, into which it puts its choice"];
        assert_eq!(titles("visible to B", ""), open);
        assert_eq!(titles("visible to A", ""), [""; 0]);
        assert_eq!(titles("hidden", ""), [""; 0]);
    }

    #[test]
    fn sees_what_is_seen() {
        let told = ["`A` sees `secret`, `guess` and `n` anyway: this `sees` tells nothing"];
        assert_eq!(titles("visible to A", "sees A: guess < secret when n > 0;"), told);
        assert_eq!(titles("visible to A", "sees B: guess < secret when n > 0;"), [""; 0]);
        assert_eq!(titles("hidden", "sees A: guess < secret when n > 0;"), [""; 0]);
    }
}
