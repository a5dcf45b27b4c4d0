//! Verdicts in words.

use std::fmt::Write as _;

use bouton_base::words::count_with_noun;
use bouton_certificates::{Certificate, Tier, one_line};
use bouton_checker::{Accepted, Rejection};

/// Describes a certificate that was accepted.
pub fn describe_accepted(
    certificate: Option<&Certificate>,
    accepted: &Accepted,
    rules: &str,
    brief: bool,
) -> String {
    let Some(certificate) = certificate else { return String::new() };
    let mut out = format!("accepted: {}: {}\n", subject(certificate), accepted.claim);
    if brief {
        return out;
    }
    let mut line = |head: &str, words: &str| {
        let _ = writeln!(out, "  {head:<12}{words}");
    };
    line("rules", rules);
    for (i, lemma) in certificate.lemmas.iter().enumerate() {
        let listed = match lemma.tier() {
            Tier::Explicit => {
                format!(", {} listed", count_with_noun(lemma.positions() as u64, "position", "positions"))
            }
            Tier::Ground | Tier::Parametric => String::new(),
        };
        line(&format!("lemma {}", i + 1), &format!("{}{listed}", lemma.kind()));
    }
    let checked = match accepted.tier {
        Tier::Explicit => {
            format!("{} visited by the definition", count_with_noun(accepted.steps, "position", "positions"))
        }
        Tier::Ground => {
            format!("{} of the rules written out", count_with_noun(accepted.steps, "move", "moves"))
        }
        Tier::Parametric => {
            format!("{} of proofs and of small cases", count_with_noun(accepted.steps, "step", "steps"))
        }
    };
    line("checked", &checked);
    line("root", &certificate.root());
    out
}

/// Describes a certificate that was refused. Control characters in it could overwrite that word on a terminal.
pub fn describe_rejected(certificate: Option<&Certificate>, rejection: &Rejection) -> String {
    let mut out = match certificate {
        Some(certificate) => {
            let header = &certificate.header;
            let claim = header.claim.describe(&header.players, header.convention);
            format!("refused: {}\n", one_line(&format!("{}: not proved: {claim}", subject(certificate))))
        }
        None => "refused: this is not a complete certificate\n".into(),
    };
    let mut line = |head: &str, words: &str| {
        let _ = writeln!(out, "  {head:<12}{}", one_line(words));
    };
    line("step", &rejection.step);
    if let Some(position) = &rejection.position {
        line("position", position);
    }
    line("reason", &rejection.reason);
    out
}

/// The game with its parameters: `Nim (heaps = [3, 4, 5])`.
fn subject(certificate: &Certificate) -> String {
    let header = &certificate.header;
    let params: Vec<String> = header.params.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let game = if params.is_empty() {
        header.game.clone()
    } else {
        format!("{} ({})", header.game, params.join(", "))
    };
    match &header.position {
        None => game,
        Some(key) => format!("{game}, position {key}"),
    }
}
