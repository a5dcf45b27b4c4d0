//! Payoffs that are about one of the players, by their form, though a rule gives them to every player: for W0343.

use super::expr::operands;
use bouton_syntax::ast;
use bouton_syntax::visit;

/// Returns true if an expression contains a name.
pub(super) fn names(e: &ast::Expr, name: &str) -> bool {
    let mut found = e.as_name() == Some(name);
    visit::children(e, &mut |part| found |= names(part, name));
    found
}

/// A payoff that is good for one of the players, by its form.
pub(super) struct PayoffOfOne {
    /// The players whom it names.
    pub players: Vec<String>,
    /// The payoff of each player, in place of this one.
    pub payoff: String,
}

/// The player for whom a payoff is good: X of `n[X] - n[O]`, of `if last = X then 1 else -1`; `variable` stands for each
/// player.
pub(super) fn payoff_of_one_player(
    words: &ast::Expr,
    players: &[String],
    variable: &str,
) -> Option<PayoffOfOne> {
    let named = |e: &ast::Expr| {
        let mut found = players.iter().filter(|player| names(e, player));
        found.next().filter(|_| found.next().is_none())
    };
    let is_of_the_mover =
        names(words, "mover") && !players.iter().any(|player| player == "mover" || names(words, player));
    if is_of_the_mover {
        let payoff = with_name(&bouton_syntax::print_expr(words), "mover", variable);
        return Some(PayoffOfOne { players: vec!["mover".to_owned()], payoff });
    }
    match &*words.bare().kind {
        ast::ExprKind::Index(_, keys) => match &keys[..] {
            [key] => {
                let player = named(key).filter(|player| key.as_name() == Some(player.as_str()))?;
                let payoff = with_name(&bouton_syntax::print_expr(words), player, variable);
                Some(PayoffOfOne { players: vec![player.clone()], payoff })
            }
            _ => None,
        },
        ast::ExprKind::Binary(ast::BinaryOp::Subtract, gain, loss) => {
            let (player, other) = (named(gain)?, named(loss)?);
            let [gain, loss] = [gain, loss].map(bouton_syntax::print_expr);
            let is_difference = player != other && with_name(&gain, player, other) == loss;
            let rest = match players.len() {
                2 => format!("other({variable})"),
                _ => other.clone(),
            };
            let payoff =
                format!("{} - {}", with_name(&gain, player, variable), with_name(&loss, other, &rest));
            is_difference.then(|| PayoffOfOne { players: vec![player.clone()], payoff })
        }
        ast::ExprKind::If(condition, yes, no) => {
            let of_both = payoff_of_a_comparison(condition, [yes, no], players, variable)
                .or_else(|| payoff_of_equals(condition, [yes, no], players, variable))
                .or_else(|| payoff_of_cases(words, players, variable));
            if of_both.is_some() {
                return of_both;
            }
            let (left, ast::CmpOp::Equal, right) = comparison(condition)? else { return None };
            let is_player = |e: &ast::Expr| e.as_name().is_some_and(|e| players.iter().any(|of| of == e));
            let player = [left, right].into_iter().find(|e| is_player(e)).and_then(named)?;
            let [yes, no] = [yes, no].map(|e| bouton_syntax::print_expr(e.bare()));
            let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
            let is_opposite = is_number(&yes) && no == format!("-{yes}");
            let is_opposite = is_opposite || sum_is_zero(&yes, &no, players.len());
            let condition = with_name(&bouton_syntax::print_expr(condition), player, variable);
            let payoff = format!("if {condition} then {yes} else {no}");
            is_opposite.then(|| PayoffOfOne { players: vec![player.clone()], payoff })
        }
        ast::ExprKind::Match(..) => payoff_of_a_match(words, players, variable),
        _ => None,
    }
}

/// Returns true if what one player gets and what each of the others gets are numbers whose sum is 0: -2 and 1 of three.
fn sum_is_zero(one: &str, each_other: &str, players: usize) -> bool {
    let (Ok(one), Ok(other)) = (one.parse::<i64>(), each_other.parse::<i64>()) else { return false };
    let others = i64::try_from(players).unwrap_or(i64::MAX).saturating_sub(1);
    one != 0 && other.checked_mul(others).is_some_and(|sum| sum.checked_add(one) == Some(0))
}

/// The two sides of a comparison with one sign, without brackets around it.
fn comparison(condition: &ast::Expr) -> Option<(&ast::Expr, ast::CmpOp, &ast::Expr)> {
    let ast::ExprKind::Compare(left, rest) = &*condition.bare().kind else { return None };
    let [(sign, right)] = &rest[..] else { return None };
    Some((left, *sign, right))
}

/// The same for `if hand[X] > hand[O] then bet else -bet`, of which one player wins what the other loses.
fn payoff_of_a_comparison(
    condition: &ast::Expr,
    [yes, no]: [&ast::Expr; 2],
    players: &[String],
    variable: &str,
) -> Option<PayoffOfOne> {
    use ast::CmpOp as C;
    let (left, sign, right) = comparison(condition)?;
    if !matches!(sign, C::Less | C::LessEqual | C::Greater | C::GreaterEqual) {
        return None;
    }
    let [one, other] = players else { return None };
    let [left, right, yes, no, condition] =
        [left, right, yes.bare(), no.bare(), condition.bare()].map(bouton_syntax::print_expr);
    let is_opposite = no == format!("-{yes}") || yes == format!("-{no}");
    let player = [(one, other), (other, one)]
        .into_iter()
        .find(|(own, theirs)| left != right && with_name(&left, own, theirs) == right)?
        .0;
    let theirs = if player == one { other } else { one };
    let is_neutral =
        [&yes, &no].iter().all(|words| with_name(words, one, other) == with_name(words, other, one));
    let condition = with_name(&condition, player, variable);
    let condition = with_name(&condition, theirs, &format!("other({variable})"));
    (is_opposite && is_neutral).then(|| PayoffOfOne {
        players: vec![player.clone()],
        payoff: format!("if {condition} then {yes} else {no}"),
    })
}

/// The same for `if side[X] = side[O] then 1 else -1`, of which one player wins what the other loses, by the same
/// field of both.
fn payoff_of_equals(
    condition: &ast::Expr,
    [yes, no]: [&ast::Expr; 2],
    players: &[String],
    variable: &str,
) -> Option<PayoffOfOne> {
    use ast::CmpOp as C;
    let (left, sign, right) = comparison(condition)?;
    if !matches!(sign, C::Equal | C::DoubleEqual | C::NotEqual) {
        return None;
    }
    let [one, other] = players else { return None };
    let [left, right, yes, no] = [left, right, yes.bare(), no.bare()].map(bouton_syntax::print_expr);
    let is_of_both = left != right && exchanged(&left, one, other) == right;
    let is_number = |text: &str| text.parse::<u64>().is_ok_and(|number| number > 0);
    let is_opposite = is_number(&yes) && no == format!("-{yes}") || is_number(&no) && yes == format!("-{no}");
    let sign = if sign == C::NotEqual { "!=" } else { "=" };
    (is_of_both && is_opposite).then(|| PayoffOfOne {
        players: players.to_vec(),
        payoff: format!("if {left} {sign} {right} iff {variable} = {one} then {yes} else {no}"),
    })
}

/// The same for a `match` of a pair, the same term of both players, where two arms that are each other with the players
/// exchanged give different numbers: `match (act[X], act[O]) { (a, b) => 0, (b, a) => 9, ... }`.
fn payoff_of_a_match(words: &ast::Expr, players: &[String], variable: &str) -> Option<PayoffOfOne> {
    let ast::ExprKind::Match(matched, arms) = &*words.bare().kind else { return None };
    let [one, other] = players else { return None };
    let pair = |e: &ast::Expr| match &*e.bare().kind {
        ast::ExprKind::Tuple(parts) => match &parts[..] {
            [a, b] => Some([a, b].map(bouton_syntax::print_expr)),
            _ => None,
        },
        _ => None,
    };
    let [left, right] = pair(matched)?;
    if left == right || exchanged(&left, one, other) != right {
        return None;
    }
    let arms: Vec<_> =
        arms.iter().filter_map(|arm| Some((pair(arm.pattern.as_ref()?)?, number(&arm.value)?))).collect();
    let differs = arms.iter().any(|([a, b], value)| {
        arms.iter().any(|([c, d], of_other)| a != b && a == d && b == c && value != of_other)
    });
    let own = with_name(&left, one, variable);
    let own = with_name(&own, other, &format!("other({variable})"));
    let theirs = with_name(&right, other, &format!("other({variable})"));
    let theirs = with_name(&theirs, one, variable);
    differs.then(|| PayoffOfOne {
        players: players.to_vec(),
        payoff: format!("match ({own}, {theirs}) {{ ... }}"),
    })
}

/// The same for a chain of `if`, where two conditions that are each other with the players exchanged give different
/// numbers.
fn payoff_of_cases(words: &ast::Expr, players: &[String], variable: &str) -> Option<PayoffOfOne> {
    let [one, other] = players else { return None };
    let mut cases: Vec<(&ast::Expr, String)> = Vec::new();
    let mut rest = words.bare();
    while let ast::ExprKind::If(condition, yes, no) = &*rest.kind {
        cases.extend(number(yes).map(|number| (condition, number)));
        rest = no.bare();
    }
    let parts = |condition: &ast::Expr, is_exchanged: bool| {
        let of = |side: &ast::Expr| {
            let words = bouton_syntax::print_expr(side.bare());
            if is_exchanged { exchanged(&words, one, other) } else { words }
        };
        let mut parts: Vec<String> =
            operands(ast::BinaryOp::And, condition.bare()).into_iter().map(of).collect();
        parts.sort();
        parts
    };
    let (first, _) = cases.iter().find(|(condition, value)| {
        let theirs = parts(condition, true);
        cases.iter().any(|(of, other)| value != other && parts(of, false) == theirs)
    })?;
    let first = bouton_syntax::print_expr(first.bare());
    let own = with_name(&with_name(&first, one, variable), other, &format!("other({variable})"));
    Some(PayoffOfOne { players: players.to_vec(), payoff: format!("if {own} then ...") })
}

/// A number, perhaps negative, as printed.
fn number(e: &ast::Expr) -> Option<String> {
    let words = bouton_syntax::print_expr(e.bare());
    words.strip_prefix('-').unwrap_or(&words).parse::<u64>().is_ok().then_some(words)
}

/// An expression in words with two names exchanged.
fn exchanged(words: &str, one: &str, other: &str) -> String {
    // No name has this character.
    let words = with_name(words, one, "\u{1}");
    with_name(&words, other, one).replace('\u{1}', other)
}

/// An expression in words with another name in place of one.
pub(super) fn with_name(words: &str, name: &str, new: &str) -> String {
    let mut out = String::new();
    let is_part = |c: char| c == '_' || c.is_alphanumeric();
    let mut rest = words;
    while let Some(first) = rest.chars().next() {
        let length = match is_part(first) {
            true => rest.find(|c: char| !is_part(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        out.push_str(if &rest[..length] == name { new } else { &rest[..length] });
        rest = &rest[length..];
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn messages(payoff: &str) -> Vec<String> {
        let text = format!(
            "game \"Payoffs\"; players Ann, Bob; enum Act {{ left, right }} phases {{ choose by each; }}
             state {{ act[p: Player]: Act? = none; }}
             move say(a: Act) in choose as \"{{a}}\" {{ act[me] := a; }}
             end {{ when all p in Player: act[p] != none => payoff p: {payoff}; }}"
        );
        let text_of = |found: bouton_syntax::diag::Diagnostic| found.help.unwrap_or_default();
        found(&text, Code::W0343).into_iter().map(text_of).collect()
    }

    #[test]
    fn payoffs_of_one_player_are_given_to_all() {
        for (payoff, own) in [
            (
                "match (act[Ann], act[Bob]) { (left, right) => 0, (right, left) => -9, (left, left) => 1, (right, right) => 1 }",
                "`payoff p: match (act[p], act[other(p)]) { ... };`",
            ),
            (
                "if act[Ann] = left and act[Bob] = right then 3 else if act[Bob] = left and act[Ann] = right then 0 else 1",
                "`payoff p: if act[p] = left and act[other(p)] = right then ...;`",
            ),
            (
                "if act[Ann] != act[Bob] then 1 else -1",
                "`payoff p: if act[Ann] != act[Bob] iff p = Ann then 1 else -1;`",
            ),
        ] {
            let messages = messages(payoff);
            assert!(messages.len() == 1 && messages[0].starts_with(own), "{payoff}: {messages:?}");
        }
    }

    #[test]
    fn all_may_get_the_same() {
        for payoff in [
            "match (act[Ann], act[Bob]) { (left, right) => 0, (right, left) => 0, (left, left) => 1, (right, right) => 1 }",
            "match (act[p], act[other(p)]) { (left, right) => 0, (right, left) => 9, (left, left) => 1, (right, right) => 1 }",
            "if act[Ann] = act[Bob] then 1 else 0",
            "if act[Ann] = left then 1 else 0",
        ] {
            assert!(messages(payoff).is_empty(), "{payoff}");
        }
    }

    #[test]
    fn one_of_three_pays_the_others() {
        let helps = |payoff: &str| {
            let text = format!(
                "game \"Pot\"; players Ann, Bob, Cid; state {{ pot: 0..9 = 9; last: Player? = none; }}
                 move take(k: 1..2) as \"{{k}}\" {{ when k <= pot; pot -= k; last := me; }}
                 end {{ when pot = 0 => payoff p: {payoff}; }}"
            );
            let help = |found: bouton_syntax::diag::Diagnostic| found.help.unwrap_or_default();
            found(&text, Code::W0343).into_iter().map(help).collect::<Vec<_>>()
        };
        let own = helps("if last = Ann then -2 else 1");
        assert!(own.len() == 1 && own[0].starts_with("`payoff p: if last = p then -2 else 1;`"), "{own:?}");
        assert_eq!(helps("if last = Ann then 2 else -1").len(), 1);
        for payoff in
            ["if last = p then -2 else 1", "if last = Ann then 2 else 1", "if last = Ann then -3 else 1"]
        {
            assert!(helps(payoff).is_empty(), "{payoff}");
        }
    }
}
