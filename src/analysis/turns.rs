//! Statements and players that contradict how turns go.

use std::collections::HashSet;

use super::analyzer::Analyzer;
use bouton_base::source::Span;
use bouton_syntax::ast::{self, ItemKind, StmtKind};
use bouton_syntax::diag::{Code, Diagnostic};

/// Words for chance, as names of players.
const CHANCE_WORDS: &[&str] = &["chance", "nature", "dice", "die", "random", "luck"];

impl<'a> Analyzer<'a> {
    /// Reports what contradicts how turns go.
    pub fn turns(&mut self) {
        self.kept_and_given_turns();
        self.kept_turns_with_a_phase();
        self.turns_kept_by_chance();
        self.chance_as_a_player();
    }

    /// W0312: `again;` beside `next e;` in one block of a game without phases, where `again` says nothing else.
    fn kept_and_given_turns(&mut self) {
        if self.rules.phases.iter().any(|phase| !phase.name.is_empty()) {
            return;
        }
        let mut pairs = Vec::new();
        for (item, own) in self.items() {
            match &item.kind {
                ItemKind::Move(declared) if own => turns_in_block(&declared.body, &mut pairs),
                ItemKind::EveryMove(body) | ItemKind::Effect { body, .. } if own => {
                    turns_in_block(body, &mut pairs)
                }
                _ => {}
            }
        }
        for (again, next) in pairs {
            let title = "`again` changes nothing beside `next`, which says who moves next";
            let found = Diagnostic::new(Code::W0312, title, again, "says that the turn stays");
            self.report(found.label(next, "the turn goes to this player").help(
                "leave out one of them; if it depends on the position, write `if ... { again; } else { next ...; }`",
            ));
        }
    }

    /// W0312: `next mover;` in an event of chance, after which the mover stays anyway.
    fn turns_kept_by_chance(&mut self) {
        let mut places: Vec<Span> = Vec::new();
        for (item, own) in self.items() {
            if let ItemKind::Move(of) = &item.kind
                && own
                && of.chance
            {
                let (mut kept, mut given) = (Vec::new(), false);
                kept_turns(&of.body, &mut kept, &mut given);
                // Where another branch passes the turn, one that says that it stays is meant so.
                let is_plain = |span: &Span| of.body.stmts.iter().any(|stmt| stmt.span == *span);
                places.extend(kept.into_iter().filter(|span| !given || is_plain(span)));
            }
        }
        let passes = match self.rules.players().len() {
            2 => "`next other(mover);` passes it",
            _ => "`next` with another player passes it",
        };
        for place in places {
            let title = "`next mover` changes nothing: after an event of chance the turn stays";
            let found = Diagnostic::new(Code::W0312, title, place, "the turn stays without it");
            self.report(found.help(format!("leave it out, or {passes}")));
        }
    }

    /// E0310: `again;` beside `continue PHASE;` in one block, where the move belongs to another phase.
    fn kept_turns_with_a_phase(&mut self) {
        let mut pairs = Vec::new();
        for (item, own) in self.items() {
            if let ItemKind::Move(of) = &item.kind
                && own
            {
                let (mut again, mut phase) = (None, None);
                for stmt in &of.body.stmts {
                    match &stmt.kind {
                        StmtKind::Again => again = again.or(Some(stmt.span)),
                        StmtKind::Continue(name) => phase = phase.or(Some((stmt.span, name))),
                        _ => {}
                    }
                }
                if let (Some(again), Some((span, name))) = (again, phase)
                    && of.phases.iter().all(|of| of.text != name.text)
                    && !of.phases.is_empty()
                {
                    pairs.push((again, span, name.text.clone()));
                }
            }
        }
        for (again, phase, name) in pairs {
            let title = format!("`again` stays in the phase, and `continue {name}` goes to another");
            let found = Diagnostic::new(Code::E0310, title, again, "stays");
            let found = found.label(phase, "goes to another phase, and keeps the player too");
            self.report(found.help("leave out `again;`").edit(again, ""));
        }
    }

    /// W0122: a player called `Chance` beside a phase `by chance`.
    fn chance_as_a_player(&mut self) {
        if !self.rules.phases.iter().any(|phase| matches!(phase.actor, bouton_rules::Actor::Chance)) {
            return;
        }
        let mut named = HashSet::new();
        for (id, member) in &self.used_members {
            if *id == bouton_rules::PLAYER {
                named.insert(*member as usize);
            }
        }
        for (item, own) in self.items() {
            let ItemKind::Players(players) = &item.kind else { continue };
            let is_chance = |player: &&ast::Name| is_chance_word(&player.text);
            let Some(at) = players.iter().position(|player| is_chance(&player)) else { continue };
            if !own || named.contains(&at) || players.len() < 2 {
                continue;
            }
            let player = &players[at];
            let title = format!("`{}` is a player here, who has turns like the others", player.text);
            let found = Diagnostic::new(Code::W0122, title, player.span, "a player");
            let found =
                found.help("chance is no player: it acts in a phase `by chance`; leave out this name");
            let cut = match at {
                0 => Span { end: players[1].span.start, ..player.span },
                _ => Span { start: players[at - 1].span.end, ..player.span },
            };
            self.report(found.edit(cut, ""));
        }
    }
}

/// Returns true for a name of chance, such as `Nature`.
pub(super) fn is_chance_word(name: &str) -> bool {
    CHANCE_WORDS.iter().any(|word| name.eq_ignore_ascii_case(word))
}

/// Collects the statements `next mover;` of a block; `given` becomes true if another `next` or a call is there.
fn kept_turns(block: &ast::StmtBlock, kept: &mut Vec<Span>, given: &mut bool) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Next(player) if player.as_name() == Some("mover") => kept.push(stmt.span),
            StmtKind::Next(_) | StmtKind::Call(..) => *given = true,
            StmtKind::Then(inner) | StmtKind::For(_, inner) => kept_turns(inner, kept, given),
            StmtKind::If(_, yes, no) => {
                kept_turns(yes, kept, given);
                no.iter().for_each(|no| kept_turns(no, kept, given));
            }
            _ => {}
        }
    }
}

/// The first `again` in the branches of a block.
fn again_in_branches(block: &ast::StmtBlock) -> Option<Span> {
    block.stmts.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Again => Some(stmt.span),
        StmtKind::If(_, yes, no) => {
            again_in_branches(yes).or_else(|| no.as_ref().and_then(again_in_branches))
        }
        _ => None,
    })
}

/// Collects the pairs of `again` and `next` that one block has, or of which a branch has the `again`.
fn turns_in_block(block: &ast::StmtBlock, pairs: &mut Vec<(Span, Span)>) {
    let (mut again, mut next) = (None, None);
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Again => again = again.or(Some(stmt.span)),
            StmtKind::Next(_) => next = next.or(Some(stmt.span)),
            StmtKind::Then(inner) | StmtKind::For(_, inner) => turns_in_block(inner, pairs),
            StmtKind::If(_, yes, no) => {
                turns_in_block(yes, pairs);
                no.iter().for_each(|no| turns_in_block(no, pairs));
            }
            _ => {}
        }
    }
    let again = again.or_else(|| again_in_branches(block));
    let is_new = |(again, _): &(Span, Span)| pairs.iter().all(|(known, _)| known != again);
    let pair = again.zip(next).filter(is_new);
    pairs.extend(pair);
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    #[test]
    fn a_turn_is_kept_or_given() {
        let number = |effects: &str| {
            let text = format!(
                "game \"Turns\"; players A, B; state {{ n: 0..9 = 0; }}
                 move go(k: 1..3) as \"{{k}}\" {{ when n + k <= 9; n += k; {effects} }} play normal;"
            );
            found(&text, Code::W0312).len()
        };
        assert_eq!(number("again; next opponent;"), 1);
        assert_eq!(number("if k = 1 { again; } next opponent;"), 1);
        assert_eq!(number("if k = 1 { again; } else { next opponent; }"), 0);
        assert_eq!(number("if k = 1 { again; }"), 0);
    }

    #[test]
    fn the_turn_stays_after_an_event() {
        let number = |turn: &str| {
            let text = format!(
                "game \"Turns\"; players A, B; phases {{ act; roll by chance; }} state {{ n: 0..9 = 0; }}
                 move go() in act as \"go\" {{ when n < 9; n += 1; continue roll; }}
                 chance die(k: 0..1) in roll as \"{{k}}\" {{ n := min(9, n + k); {turn} }} play normal;"
            );
            found(&text, Code::W0312).len()
        };
        assert_eq!(number("next mover;"), 1);
        assert_eq!(number("if k = 1 { next other(mover); } else { next mover; }"), 0);
        assert_eq!(number("if k = 1 { next mover; }"), 1);
        assert_eq!(number("next other(mover);"), 0);
    }
}
