//! The check of the header: a certificate is for these rules with these parameters, and for a position of them.

use super::{Checked, Checker, reject, reject_if};
use bouton_certificates::{Certificate, Convention, Digest, Lemma, PositionKey, Tier, one_line};
use bouton_reference::State;
use bouton_rules::{Rules, Visibility};

impl Checker<'_> {
    /// Checks the header; it recomputes everything that the header states.
    pub(super) fn header(&self, certificate: &Certificate) -> Checked<()> {
        let header = &certificate.header;
        let rules = self.rules;
        let name = one_line(&rules.name);
        if header.game != name {
            return reject(format!("it is for `{}`, and the rules are those of `{name}`", header.game));
        }
        reject_if(header.players != rules.players(), "the players are others than those of the rules")?;
        let params = rules.params.iter().map(|(name, value)| (name.clone(), rules.show(value)));
        let params: Vec<(String, String)> = params.collect();
        if header.params != params {
            let show = |params: &[(String, String)]| match params {
                [] => "none".to_owned(),
                all => all.iter().map(|(n, v)| format!("{n} = {v}")).collect::<Vec<_>>().join(", "),
            };
            return reject(format!(
                "it is for the parameters {}, and the rules have {}",
                show(&header.params),
                show(&params)
            ));
        }
        if header.convention != Convention::of(rules) {
            return reject(format!("games do not end by the convention `{}`", header.convention.name()));
        }
        if header.rules != Digest::of_rules(rules) {
            return reject("the rules are not those it was made for: their hash is another");
        }
        let of_knowledge =
            |lemma: &Lemma| matches!(lemma, Lemma::Behaviour(_) | Lemma::Profile(_) | Lemma::SurePlan(_));
        let lemmas = &certificate.lemmas;
        if is_hidden(rules) && (lemmas.is_empty() || !lemmas.iter().all(of_knowledge)) {
            return reject("information is hidden from a player, and a strategy that uses it proves nothing");
        }
        let tier = certificate.lemmas.iter().map(Lemma::tier).max().unwrap_or(Tier::Explicit);
        reject_if(header.tier != tier, format_args!("its lemmas are of the tier `{}`", tier.name()))?;
        Ok(())
    }

    /// Returns the position of the certificate.
    pub(super) fn start(&self, key: Option<&PositionKey>) -> Checked<State> {
        let Some(key) = key else { return Ok(self.interpreter.initial()) };
        let state = self.interpreter.unpack_checked(&key.0);
        state.map_or_else(|| reject("its words are those of no position"), Ok)
    }
}

/// Returns true if some player does not see the whole state.
fn is_hidden(rules: &Rules) -> bool {
    let everybody = |players: &Vec<u32>| (0..rules.players().len() as u32).all(|p| players.contains(&p));
    let hidden = rules.fields.iter().any(|field| match &field.visibility {
        Visibility::Public => false,
        Visibility::Hidden => true,
        Visibility::To(cells) => !cells.iter().all(everybody),
    });
    hidden || rules.moves.iter().any(|m| m.private)
}
