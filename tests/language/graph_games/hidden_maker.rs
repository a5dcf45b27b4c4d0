//! Random games in which something is hidden from a player, as texts.

use super::maker::Choices;

/// Returns the text of a random game: cards are dealt, then players move along a path, openly or in secret.
pub fn game(choices: &mut Choices) -> String {
    let alone = choices.percent(15);
    let nodes = 1 + choices.below(if alone { 4 } else { 3 });
    let simultaneous = !alone && choices.percent(25);
    let players = if alone { "player A" } else { "players A, B" };
    let names: &[&str] = if alone { &["A"] } else { &["A", "B"] };
    let mut state = format!("  at: 0..{nodes} = 0;\n");
    let visible = if choices.percent(80) { "visible to p" } else { "hidden" };
    state += &format!("  card[p: Player]: 0..1 = 0 {visible};\n");
    state += if choices.percent(50) { "  secret: 0..2 = 0 hidden;\n" } else { "  secret: 0..2 = 0;\n" };
    state += "  mark[p: Player]: 0..2 = 0 visible to p;\n  said: 0..8 = 0;\n";
    let deal: String = names.iter().map(|name| format!("{}: 0..1, ", name.to_lowercase())).collect();
    let dealt: String =
        names.iter().map(|name| format!("card[{name}] := {}; ", name.to_lowercase())).collect();
    let all: String = names.iter().map(|name| name.to_lowercase()).collect::<Vec<_>>().join(" + 2 * ");
    let most = choices.below(3);
    let weight = match choices.below(3) {
        0 => String::new(),
        1 => format!("weight 1 + ({all} + s) mod 3; "),
        _ => format!("weight ({all} + 2 * s + {}) mod 3 / 5; ", choices.below(3)),
    };
    // A weight that is 0 for all events is an error: at least one is not.
    let mut moves = String::new();
    for node in 0..nodes {
        moves += &self::moves(choices, node, nodes, simultaneous, names);
    }
    let phase = |phase: &'static str, form: &'static str| {
        if moves.contains(&format!("continue {phase};")) { form } else { "" }
    };
    let (both, toss) = (phase("both", "both by each; "), phase("toss", "toss by chance; "));
    let kept = |line: &&str| {
        !(both.is_empty() && line.contains(" in both ") || toss.is_empty() && line.contains(" in toss "))
    };
    let moves: Vec<&str> = moves.lines().filter(kept).collect();
    let mut text = format!(
        "game \"Hidden\";\n{players};\nphases {{ setup deal by chance; turn; {both}{toss}}}\nstate {{\n{state}}}\n\
         private chance deal_all({deal}s: 0..{most}) in deal {{ {weight}{dealt}secret := s; continue turn; }}\n{}\n",
        moves.join("\n")
    );
    let mut parts = vec![format!("{} * secret + {} * said", choices.below(4), 1 + choices.below(3))];
    for name in names {
        parts.push(format!("{} * card[{name}] + {} * mark[{name}]", choices.below(4), choices.below(4)));
    }
    let sum = if choices.percent(30) { choices.between(-2, 2) } else { 0 };
    let worth = format!("({} + {}) mod 7 - 3", parts.join(" + "), choices.below(7));
    text += &format!("def worth: -3..3 = {worth};\n");
    let payoff = if alone { "worth".to_owned() } else { format!("if p = A then worth else {sum} - worth") };
    text += &match choices.below(3) {
        0 if !alone => format!(
            "end {{ when at = {nodes} and worth > 0 => A wins; when at = {nodes} and worth < -1 => B wins; \
             when at = {nodes} => draw; }}\n"
        ),
        _ => format!("end {{ when at = {nodes} => payoff p: {payoff}; }}\n"),
    };
    if choices.percent(30) {
        let name = names[names.len() - 1];
        text += &format!("sees {name}: card[A] when at = {};\n", choices.below(nodes + 1));
    }
    text
}

/// Returns the moves of one node of the path.
fn moves(choices: &mut Choices, node: u64, nodes: u64, simultaneous: bool, names: &[&str]) -> String {
    let next = node + 1;
    let owner = names[choices.below(names.len() as u64) as usize];
    let actor = names[choices.below(names.len() as u64) as usize];
    let arrive = |choices: &mut Choices| match choices.below(5) {
        0 if next < nodes => "continue toss; ".to_owned(),
        1 if simultaneous && next < nodes => "continue both; ".to_owned(),
        _ => format!("continue turn; next {actor}; "),
    };
    let after = arrive(choices);
    let count = 1 + choices.below(2);
    let mut text = String::new();
    let private = if choices.percent(40) { "private " } else { "" };
    let says = if private.is_empty() { "said := (3 * said + k) mod 9; " } else { "" };
    text += &format!(
        "{private}move go{node}(k: 0..{count}) in turn as \"{{k}}\" {{ when at = {node}; mark[me] := k; {says}at := {next}; \
         {after}}}\n"
    );
    if choices.percent(20) {
        // A move that a player may have by his card, which he sees, or by something hidden from him, which is a mistake.
        let more = match choices.below(6) {
            0..=1 => " and card[me] = 1",
            2 => " and secret = 1",
            _ => "",
        };
        text += &format!(
            "move more{node}() in turn as \"more\" {{ when at = {node}{more}; said := 8; at := {next}; {after}}}\n"
        );
    }
    let hide = if choices.percent(50) { "private " } else { "" };
    let fallen = if hide.is_empty() { "said := (2 * said + k) mod 9; " } else { "secret := k; " };
    text += &format!(
        "{hide}chance fall{node}(k: 0..2) in toss as \"({{k}})\" {{ weight 1 + k * {}; when at = {node}; {fallen}at := {next}; \
         continue turn; next {owner}; }}\n",
        choices.below(3)
    );
    if simultaneous {
        let secret = if choices.percent(40) { "private " } else { "" };
        text += &format!(
            "{secret}move both{node}(k: 0..1) in both as \"{{k}}\" {{ when at = {node}; mark[me] := k; at := {next}; continue turn; \
             next {actor}; }}\n"
        );
    }
    text
}
