//! Renders the findings of exploring as diagnostics, each with the shortest play, the position, and the extent of the
//! search.

use super::broken_invariants;
use super::dead_rules::statement_mentions;
use super::earlier_moves;
use super::empty_moves;
use super::endless_loops::endless;
use super::enough_range;
use super::fault_advice;
use super::idle_effects::describe_idle_move;
use super::idle_marks;
use super::information_sets::InformationSetConflict;
use super::late_rules::LateRule;
use super::other_keys;
use super::outcomes_without_value;
use super::passed_bounds;
use super::payoff_sums;
use super::reasons;
use super::symmetry::RefutedSymmetry;
use super::visitor::{
    CheckVisitor, ConflictingResults, DuplicateNames, Finding, FindingKind, VerdictAmongPayoffs,
};
use crate::faults::{PlayToFault, game_span, placed_fault_diagnostic, with_witness};
use crate::load::GameSource;
use crate::out_of_range;
use crate::rendering;
use crate::sheet_clauses::SheetClauses;
use crate::stuck::stuck_diagnostic;
use bouton_base::limits::LimitHit;
use bouton_base::source::Span;
use bouton_base::words::count_with_noun;
use bouton_gdl::{GoalName, Scale};
use bouton_report::words::{group_digits, move_sequence};
use bouton_rules::{Expr, ExprKind, Field, FieldId, Move, PLAYER, Rules, StmtKind, Type, Value, VarId};
use bouton_search::game::explore::Explored;
use bouton_search::game::names::call_form;
use bouton_search::game::{Game, MoveInstance, State};
use bouton_syntax::diag::{Code, Diagnostic, Label};

/// Describes the extent of the exploration, and never claims more.
pub fn describe_extent(seen: &Explored, complete: bool, limit: Option<LimitHit>) -> String {
    let count = group_digits(u64::from(seen.visited));
    match (complete, limit) {
        (true, _) if seen.visited == 1 => "the only position".into(),
        (true, _) => format!("all {count} positions"),
        (false, Some(hit)) => format!("the first {count} positions ({hit})"),
        (false, None) => format!("the first {count} positions"),
    }
}

/// The explored positions of a game, with the findings about them.
#[derive(Clone, Copy)]
pub struct ExploredGame<'a> {
    pub game: &'a Game,
    pub watch: &'a CheckVisitor<'a>,
    pub seen: &'a Explored,
    /// The extent of the exploration, in words.
    pub extent: &'a str,
}

/// Adds the diagnostics of the visitor's findings.
pub fn add_findings(text: &GameSource, explored: ExploredGame<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let ExploredGame { game, watch, seen, .. } = explored;
    let graph = watch.graph.as_ref().filter(|_| watch.needs_repeat);
    let ring = graph.and_then(|graph| graph.shortest_endless_loop());
    let is_told = |found: &Finding| match &found.kind {
        FindingKind::DuplicateNames(names) => differ_in_nothing_used(&game.rules, names),
        FindingKind::IdleMark(_) | FindingKind::EmptyMove(_) => ring.is_some(),
        _ => watch.is_intended(found),
    };
    for found in watch.found.iter().filter(|found| !is_told(found)) {
        diagnostics.push(finding(text, explored, found));
    }
    if let Some(ring) = ring {
        diagnostics.push(endless(text, game, seen, &ring));
    }
}

fn finding(text: &GameSource, explored: ExploredGame<'_>, found: &Finding) -> Diagnostic {
    let ExploredGame { game, seen, extent, .. } = explored;
    let state = seen.arena.state(found.position);
    let mut then = None;
    let diagnostic = match &found.kind {
        FindingKind::Fault(fault) => {
            then = fault.play.as_deref();
            let line = seen.shortest_play(found.position);
            let diagnostic = placed_fault_diagnostic(text, game, &state, fault);
            let diagnostic = outcomes_without_value::explain(game, fault, &state, diagnostic);
            let diagnostic = other_keys::in_branch(text, &game.rules, fault, diagnostic);
            // What is likely to be meant otherwise goes before the range.
            let is_general =
                diagnostic.help.as_ref().is_some_and(|help| help.starts_with(out_of_range::GENERAL_HELP));
            let enough = || match diagnostic.labels.len() {
                1 if is_general => fault_advice::too_weak(text, game, fault)
                    .or_else(|| passed_bounds::cause(text, game, fault, &state))
                    .or_else(|| enough_range::cause(text, game, fault)),
                _ => None,
            };
            match fault_advice::cause(text, game, fault, &line, &state).or_else(enough) {
                Some(cause) => {
                    let rest = diagnostic.help.clone().filter(|_| cause.is_first_help);
                    let rest = rest.map(|rest| after_first_help(&rest)).unwrap_or_default();
                    diagnostic.label(cause.span, cause.label).help(format!("{}{rest}", cause.help))
                }
                None => earlier_moves::name_leading_move(game, fault, &line, diagnostic),
            }
        }
        FindingKind::Stuck => stuck_diagnostic(text, game, &state, &seen.shortest_play(found.position)),
        FindingKind::Invariant(place) => {
            let told = invariant(text, game, *place, &state);
            let line = seen.shortest_play(found.position);
            broken_invariants::with_effects(game, &game.rules.invariants[*place], &line, told)
        }
        FindingKind::VaryingSum(sums) => payoff_sums::varying_sum(text, explored, sums),
        FindingKind::ConflictingResults(results) => two_answers(game, results),
        FindingKind::DuplicateNames(names) => twins(text, game, names),
        FindingKind::LateRule(late) => late_rule(text, game, late),
        FindingKind::LooseGoals => loose_goals(text, game, &state),
        FindingKind::VerdictAmongPayoffs(verdict) => verdict_among_payoffs(game, verdict),
        FindingKind::IdleMove(play) => describe_idle_move(text, game, play),
        FindingKind::EmptyMove(empty) => {
            then = Some(&empty.play);
            empty_moves::describe(text, game, empty)
        }
        FindingKind::IdleMark(mark) => {
            then = Some(&mark.play);
            idle_marks::describe(text, game, mark)
        }
        FindingKind::RepeatedDeal => match &explored.watch.deal {
            Some(deal) => deal.describe(&game.rules),
            None => unreachable!("the finding is that of the deal"),
        },
    };
    let from = &game.machine.initial();
    let line = &seen.shortest_play(found.position);
    let diagnostic = with_witness(text, game, diagnostic, PlayToFault { from, line, then });
    if matches!(found.kind, FindingKind::VerdictAmongPayoffs(_)) {
        return diagnostic;
    }
    let at_least = if found.is_partial_count { "at least " } else { "" };
    let like = match found.count {
        n if let FindingKind::VaryingSum(sums) = &found.kind => {
            format!("; the sum is not {} at {at_least}{}", sums.first, count_with_noun(n, "end", "ends"))
        }
        1 if found.is_partial_count => ", of which at least this one is like this".to_string(),
        1 => ", of which this one is like this".to_string(),
        n if found.is_partial_count => format!(", of which at least {} are like this", group_digits(n)),
        n => format!(", of which {} are like this", group_digits(n)),
    };
    diagnostic.note(format!("explored: {extent}{like}"))
}

/// A help behind another one, which begins with a case.
fn after_first_help(help: &str) -> String {
    if help.starts_with("if ") { format!("; {help}") } else { format!("; otherwise, {help}") }
}

/// W0342: a verdict of a puzzle beside payoffs that exceed it.
fn verdict_among_payoffs(game: &Game, verdict: &VerdictAmongPayoffs) -> Diagnostic {
    let VerdictAmongPayoffs { rule, wins, payoff } = verdict;
    let (word, own, than, advice) = match wins {
        true => ("win", 1, "less", "a payoff above all others"),
        false => ("lose", -1, "more", "a payoff below all others, such as `payoff p: -1000`"),
    };
    let title = format!("`{word}` gives {own}, {than} than the payoff {payoff} at another end");
    Diagnostic::new(Code::W0342, title, game.rules.ends[*rule].span, format!("gives {own}"))
        .help(format!("give this end {advice}"))
}

/// W0530: two end rules, with the result of each.
fn two_answers(game: &Game, results: &ConflictingResults) -> Diagnostic {
    let ConflictingResults { first, other, taken, passed_over } = results;
    let (first, other) = (*first, *other);
    let ends = &game.rules.ends;
    let title = format!("both `{taken}` and `{passed_over}` apply here; the first is taken");
    let found = if first == other {
        Diagnostic::new(Code::W0530, title, ends[first].span, "this rule holds for both")
    } else {
        Diagnostic::new(Code::W0530, title, ends[other].span, "this rule holds as well ...")
            .label(ends[first].span, "... and this one decides")
    };
    let help = match taken == "draw" && passed_over.ends_with("wins") && first != other {
        true => {
            "if the win counts, put its rule first; if the draw does, add a condition to the rule of the win, or write \
             `// allow(W0530): reason`"
        }
        false => {
            "if the later rule should decide, put it first; otherwise add a condition to it, or write \
             `// allow(W0530): reason`"
        }
    };
    found.help(help)
}

/// W0715: a position at the end of a sheet in which a role has no goal or several.
pub(super) fn loose_goals(text: &GameSource, game: &Game, state: &State) -> Diagnostic {
    let ends = text.gdl_names().map(|names| names.loose_ends.clone()).unwrap_or_default();
    let holds = |goal: &&GoalName| game.machine.eval(state, &goal.condition) == Ok(Some(Value::Bool(true)));
    let goals_of = |role: u32| -> Vec<i64> {
        ends.goals.iter().filter(|goal| goal.role == role).filter(holds).map(|goal| goal.value).collect()
    };
    let wrong = (0..).zip(game.rules.players()).find_map(|(role, name)| {
        let goals: Vec<String> = goals_of(role).iter().map(i64::to_string).collect();
        match &goals[..] {
            [] => Some((role, format!("`{name}` has no goal here, which counts as 0"))),
            [_] => None,
            [others @ .., last] => Some((
                role,
                format!("`{name}` has the goals {} and {last} here; the highest counts", others.join(", ")),
            )),
        }
    });
    let several =
        wrong.as_ref().map(|(role, _)| (*role, goals_of(*role))).filter(|(_, goals)| goals.len() > 1);
    let mut title =
        wrong.map(|(_, title)| title).unwrap_or_else(|| "a role has no goal or several here".to_owned());
    let is_win_or_loss = text.gdl_names().is_some_and(|names| names.scale == Scale::WinDrawLoss);
    let highest = |role: u32| goals_of(role).first().copied().unwrap_or(0);
    if is_win_or_loss && game.rules.players().len() == 2 && highest(0) == highest(1) {
        title += ": equal goals, a draw";
    }
    let help = "give each role exactly one goal in each terminal position";
    let labels = several.map(|(role, goals)| {
        let name = &game.rules.players()[role as usize];
        let label = |goal: &i64| format!("gives `{name}` {goal} here");
        rules_for_goals(text, goals.iter().map(|goal| (name.as_str(), *goal, label(goal))))
    });
    if let Some([first, others @ ..]) = labels.as_deref() {
        let found = Diagnostic::new(Code::W0715, title, first.span, first.text.clone());
        return others
            .iter()
            .fold(found, |found, other| found.label(other.span, other.text.clone()))
            .help(help);
    }
    let span = ends.spans.map_or_else(|| game_span(text, game), |(goal, _)| goal);
    Diagnostic::new(Code::W0715, title, span, "the rules for `goal` begin here").help(help)
}

/// Labels of the rules that give roles these goals, one for each place; empty if some of them is not known for
/// certain.
pub(super) fn rules_for_goals<'n>(
    text: &GameSource,
    goals: impl Iterator<Item = (&'n str, i64, String)>,
) -> Vec<Label> {
    let clauses = SheetClauses::of(&text.sources.get(text.file).text, text.file);
    let mut labels: Vec<Label> = Vec::new();
    for (role, goal, text) in goals {
        let Some(span) = clauses.goal(role, goal) else { return Vec::new() };
        if labels.iter().all(|label| label.span != span) {
            labels.push(Label { span, text });
        }
    }
    labels
}

/// W0535: an end rule that is true of the player who has just moved, with a rule that says so for each player.
fn late_rule(text: &GameSource, game: &Game, late: &LateRule) -> Diagnostic {
    let name = |player: u32| &game.rules.players()[player as usize];
    let (player, mover) = (name(late.player), name(late.mover));
    let rule = &game.rules.ends[late.rule];
    let words = text.words(rule.span);
    let title = format!("this rule comes a ply late: {player} has just made it true, and play goes on");
    let label = format!("the turn has passed, so `mover` is {mover}");
    let help = match for_each_player(&words) {
        Some(rule) => format!("say it for each player: `{rule}`"),
        None => "say it for each player: `for p in Player when ... => p wins;`".to_owned(),
    };
    let help = format!("{help}; if it is asked where a turn begins, write `// allow(W0535): reason`");
    Diagnostic::new(Code::W0535, title, rule.span, label).help(help)
}

/// The rule `when C(mover) => mover wins` as one for each player; `None` if the words do not name `mover` twice, or if
/// the name `p` is taken.
pub(super) fn for_each_player(words: &str) -> Option<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut rule = String::from("for p in Player ");
    let mut count = 0;
    for piece in words.split_inclusive(|c| !is_part(c)) {
        let word = piece.trim_end_matches(|c| !is_part(c));
        match word {
            "mover" => {
                count += 1;
                rule.push('p');
                rule.push_str(&piece[word.len()..]);
            }
            "p" => return None,
            _ => rule.push_str(piece),
        }
    }
    (count > 1 && words.starts_with("when ") && rule.len() < 100).then_some(rule)
}

/// W0540: two moves with the same name.
fn twins(text: &GameSource, game: &Game, names: &DuplicateNames) -> Diagnostic {
    let DuplicateNames { name, one, two } = names;
    let span = match one {
        MoveInstance::Move(id, _) => game.rules.moves[*id].span,
        _ => game_span(text, game),
    };
    let label = format!("`{}` and `{}`", call_form(&game.rules, one), call_form(&game.rules, two));
    let found = Diagnostic::new(Code::W0540, format!("two moves are both called `{name}` here"), span, label);
    match differing_parameters(&game.rules, one, two) {
        Some((mv, vars)) => found.help(distinguishing_part(&game.rules, mv, &vars)),
        None => match forgotten_by(&game.rules, one, two) {
            Some((span, help)) => found.label(span, "any player may make this one").help(help),
            None => found.help("add to the `as` template a part that distinguishes them"),
        },
    }
}

/// The move without `by`, of two of which the other is one player's, and the help.
fn forgotten_by(rules: &Rules, one: &MoveInstance, two: &MoveInstance) -> Option<(Span, String)> {
    let (MoveInstance::Move(one, _), MoveInstance::Move(two, _)) = (one, two) else { return None };
    let (one, two) = (&rules.moves[*one], &rules.moves[*two]);
    let (open, own) = match (&one.by, &two.by) {
        (None, Some(_)) => (one, two),
        (Some(_), None) => (two, one),
        _ => return None,
    };
    let owner = rules.show(own.by.as_ref()?.constant()?);
    let mut others = rules.players().iter().filter(|name| **name != owner);
    let other = match (others.next(), others.next()) {
        (Some(other), None) => format!("only {other} may make `{}`, write `by {other}`", open.name),
        _ => format!("{owner} may not make `{}`, write `by` and the player", open.name),
    };
    let help = format!(
        "`{}` is `by {owner}`, and `{}` has no `by`, so {owner} has both: if {other} after its parameters; otherwise add to \
         the `as` template a part that distinguishes them",
        own.name, open.name
    );
    Some((open.span, help))
}

/// The parameters in which two instances of one move differ.
fn differing_parameters<'r>(
    rules: &'r Rules,
    one: &MoveInstance,
    two: &MoveInstance,
) -> Option<(&'r Move, Vec<VarId>)> {
    let (MoveInstance::Move(id, first), MoveInstance::Move(other, second)) = (one, two) else { return None };
    let mv = &rules.moves[*id];
    let differs = |at: &usize| first.get(*at) != second.get(*at);
    let vars: Vec<VarId> = (0..mv.params.len()).filter(differs).map(|at| mv.params[at].var).collect();
    (id == other && !vars.is_empty()).then_some((mv, vars))
}

/// Returns true if two moves differ in parameters that the move does not use: W0111 tells of these.
fn differ_in_nothing_used(rules: &Rules, names: &DuplicateNames) -> bool {
    let Some((mv, vars)) = differing_parameters(rules, &names.one, &names.two) else { return false };
    vars.iter().all(|var| {
        let is_var = |kind: &ExprKind| matches!(kind, ExprKind::Var(of) if of == var);
        let uses = |expr: &Option<Expr>| expr.as_ref().is_some_and(|expr| rules.mentions(expr, &is_var));
        !mv.vars[*var].name.starts_with('_')
            && !mv.body.any(&|kind| statement_mentions(rules, kind, &is_var))
            && ![&mv.by, &mv.weight, &mv.prefer].into_iter().any(uses)
    })
}

/// Advice on a name that two instances of a move share: what to write into it, or that a parameter stands for `me`.
fn distinguishing_part(rules: &Rules, mv: &Move, vars: &[VarId]) -> String {
    let names: Vec<&str> = vars.iter().map(|var| mv.vars[*var].name.as_str()).collect();
    let speaks_of_me =
        |kind: &StmtKind| statement_mentions(rules, kind, &|kind| matches!(kind, ExprKind::Me));
    if let ([var], [name]) = (vars, &names[..])
        && mv.vars[*var].ty == Type::Sym(PLAYER)
        && !mv.chance
        && mv.by.is_none()
        && !mv.body.any(&speaks_of_me)
    {
        return format!(
            "the player who moves is `me`, and chooses any player as `{name}`: leave out `{name}: Player` and write `me` for \
             `{name}`; if the choice is meant, show it in the `as` template, `{{{name}}}`"
        );
    }
    let parts: Vec<String> = names.iter().map(|name| format!("`{{{name}}}`")).collect();
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    format!("they differ in {}: add {} to the `as` template", names.join(" and "), parts.join(" and "))
}

/// E0504: an invariant that fails, with the values of both sides if it is a comparison.
fn invariant(text: &GameSource, game: &Game, place: usize, state: &State) -> Diagnostic {
    let invariant = &game.rules.invariants[place];
    let title = match &invariant.name {
        Some(name) => format!("the invariant `{name}` fails"),
        None => "this invariant fails".into(),
    };
    let value = |e: &Expr| rendering::render_value(game, state, e);
    let sides = match &*invariant.value.kind {
        ExprKind::Equal(a, b) | ExprKind::Less(a, b) | ExprKind::LessEqual(a, b) => Some((a, b)),
        ExprKind::Not(inner) => match &*inner.kind {
            ExprKind::Equal(a, b) | ExprKind::Less(a, b) | ExprKind::LessEqual(a, b) => Some((a, b)),
            _ => None,
        },
        ExprKind::In(a, b) | ExprKind::Subset(a, b) => Some((a, b)),
        _ => None,
    };
    let label = match sides {
        Some((a, b)) => format!("here: {} on the left, {} on the right", value(a), value(b)),
        None => match reasons::refuter(text, game, state, invariant) {
            Some(words) => format!("false here: {words}"),
            None => "false here".into(),
        },
    };
    Diagnostic::new(Code::E0504, title, invariant.span, label)
        .help("fix the move that breaks it, or the invariant if it claims too much")
}

/// E0507: a refuted symmetry, with a position and its image that differ.
pub fn refuted_symmetry(
    text: &GameSource,
    game: &Game,
    seen: &Explored,
    refuted: &RefutedSymmetry,
) -> Diagnostic {
    let title = format!(
        "the declared symmetry does not hold: no exchange of cells of `{}` preserves the game",
        refuted.board
    );
    let image = bouton_search::game::draw::draw(game, &refuted.image);
    let image: Vec<String> = image.lines().map(|line| format!("    {line}")).collect();
    let found = Diagnostic::new(Code::E0507, title, refuted.span, "refuted by a position")
        .note(format!("its image, which differs in its result or its moves:\n{}", image.join("\n")))
        .help("remove it, or write `symmetry auto;`");
    let from = &game.machine.initial();
    let line = &seen.shortest_play(refuted.at);
    with_witness(text, game, found, PlayToFault { from, line, then: None })
}

/// E0520: legal moves that depend on hidden state, with both plays.
pub fn information_set_conflict(
    text: &GameSource,
    game: &Game,
    confused: &InformationSetConflict,
) -> Diagnostic {
    let player = &game.rules.players()[confused.player as usize];
    let (state, play) = &confused.only;
    let name = game.notation(state, play);
    let span = match play {
        MoveInstance::Move(id, _) => game.rules.moves[*id].span,
        _ => game_span(text, game),
    };
    let initial = game.machine.initial();
    let tell = |line| move_sequence(&rendering::render_play(game, &initial, line).words);
    Diagnostic::new(
        Code::E0520,
        format!("{player} cannot distinguish two positions, but `{name}` is legal in only one"),
        span,
        format!("legal after one of the plays only, though both look the same to {player}"),
    )
    .note(format!("one play: {}", tell(&confused.first)))
    .note(format!("the other: {}", tell(&confused.second)))
    .help(match (play, secret_of_conditions(&game.rules, play, confused.player)) {
        (MoveInstance::Move(id, _), Some(field)) => {
            secret_help(&game.rules, &game.rules.moves[*id], field, confused.player)
        }
        _ => format!(
            "show {player} the state that the move depends on (`visible to {player}`), or let it depend on visible state"
        ),
    })
}

/// Returns the first field that the conditions of a move read and that a player does not see whole.
fn secret_of_conditions<'g>(rules: &'g Rules, play: &MoveInstance, player: u32) -> Option<&'g Field> {
    let MoveInstance::Move(made, _) = play else { return None };
    let reads = |id: FieldId| {
        let is_field = |part: &ExprKind| matches!(part, ExprKind::Field(of, _) if *of == id);
        rules.moves[*made].body.any(&|stmt| {
            matches!(stmt, StmtKind::Require(_) | StmtKind::Let(..) | StmtKind::If(..))
                && statement_mentions(rules, stmt, &is_field)
        })
    };
    let is_secret = |field: &Field| (0..field.cells()).any(|cell| !field.is_seen_by(cell, &[player]));
    let mut secrets = rules.fields.entries().filter(|(_, field)| is_secret(field));
    secrets.find(|(id, _)| reads(*id)).map(|(_, field)| field)
}

/// Says how a move may depend on a field that a player does not see.
fn secret_help(rules: &Rules, of: &Move, field: &Field, player: u32) -> String {
    let players = rules.players();
    let own = &players[player as usize];
    let sees_all = |who: &u32| (0..field.cells()).all(|cell| field.is_seen_by(cell, &[*who]));
    let mut others = (0..players.len() as u32).filter(|who| *who != player);
    let name = &field.name;
    if let Some(who) = others.find(sees_all).map(|who| &players[who as usize]) {
        return format!(
            "{who} sees `{name}`, and {own} does not: if {who} makes this move, write `move {}(...) by {who}`; otherwise \
             let it depend on what {own} sees",
            of.name
        );
    }
    let is_own = |cell: usize| {
        field.keys.first().is_some_and(|key| key.values.get(cell) == Some(&rules.player(player)))
    };
    if field.keys.len() == 1
        && (0..field.cells()).all(|cell| field.is_seen_by(cell, &[player]) != is_own(cell))
    {
        let key = &field.keys[0].name;
        return format!(
            "{own} sees every `{name}` but `{name}[{own}]`; by `visible to {key}`, {own} sees that one alone"
        );
    }
    format!("{own} does not see `{name}`: let the move depend on what {own} sees, or show `{name}` to {own}")
}
