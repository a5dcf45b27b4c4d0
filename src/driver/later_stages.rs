//! The positions that the later stages of a move read: the effects of the stages before are done, and the turn has not
//! passed.

use bouton_base::source::Span;
use bouton_rules::{Block, MOVER, PHASE, StmtKind, Value};
use bouton_search::game::{Game, MoveInstance, State};

/// A later stage of a move.
pub struct LaterStage<'r> {
    pub block: &'r Block,
    /// The place of the whole `then { ... }`.
    pub span: Span,
}

/// The `then` of a block around a place, if it stands in no other block.
pub fn stage_of(block: &Block, place: Span) -> Option<LaterStage<'_>> {
    block.stmts.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Then(inner) if stmt.span.covers(place) => {
            Some(LaterStage { block: inner, span: stmt.span })
        }
        _ => None,
    })
}

/// The position that a stage of a play reads, in a game without this stage and those behind it.
pub fn position_before(
    game: &Game,
    state: &State,
    play: &MoveInstance,
    stage: Span,
) -> Option<(Game, State)> {
    let mut rules = (*game.rules).clone();
    for mv in &mut rules.moves {
        let stmts = &mut mv.body.stmts;
        let own = stmts.iter().position(|stmt| stmt.span == stage).unwrap_or(0);
        let mut place = 0;
        stmts.retain(|stmt| {
            place += 1;
            place <= own || !matches!(stmt.kind, StmtKind::Then(_))
        });
    }
    rules.ends.clear();
    rules.forbids.clear();
    let earlier = Game::on_reference(rules);
    let from = State(game.machine.packed_state(state));
    let after = earlier.machine.make(&from, play).ok()??;
    let Value::Sym(_, mover) = game.machine.read(state, MOVER, 0) else { return None };
    let Value::Int(phase) = game.machine.read(state, PHASE, 0) else { return None };
    let after = earlier.machine.with_mover(&after, mover)?;
    let after = earlier.machine.with_phase(&after, u32::try_from(phase).ok()?)?;
    Some((earlier, after))
}
