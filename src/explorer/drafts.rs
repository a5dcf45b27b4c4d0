//! The games of the editor: texts without errors that were checked lately, by the hash of the text.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::catalogue::{CatalogueEntry, RulesText, entry_of};
use bouton_certificates::Digest;
use bouton_project::RuleFiles;

/// The number of games that are held; a further one replaces the one that was not used for the longest time.
const MAX_DRAFTS: usize = 64;
/// The first character of their ids, which is that of no file in the gallery.
const MARK: char = '~';
/// The number of hexadecimal digits of an id.
const ID_DIGITS: usize = 24;

/// The games that are held, the last used one first.
#[derive(Debug, Default)]
pub struct Drafts(Mutex<VecDeque<CatalogueEntry>>);

impl Drafts {
    /// Returns true if an id is that of a text from the editor.
    pub fn is_draft(id: &str) -> bool {
        id.starts_with(MARK)
    }

    /// The entry of a text; `None` if its rules have errors.
    pub fn entry(text: &str, files: &mut RuleFiles) -> Option<CatalogueEntry> {
        let digits = Digest::of(text.as_bytes()).to_string();
        entry_of(format!("{MARK}{}", &digits[..ID_DIGITS]), files, RulesText::Text(Arc::from(text)))
    }

    /// Holds a game.
    pub fn hold(&self, game: CatalogueEntry) {
        let mut held = self.held();
        held.retain(|of| of.id != game.id);
        held.push_front(game);
        held.truncate(MAX_DRAFTS);
    }

    /// The game with this id, if it is still held.
    pub fn find(&self, id: &str) -> Option<CatalogueEntry> {
        let mut held = self.held();
        let at = held.iter().position(|of| of.id == id)?;
        let game = held.remove(at)?;
        held.push_front(game.clone());
        Some(game)
    }

    fn held(&self) -> MutexGuard<'_, VecDeque<CatalogueEntry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explorer::catalogue::draft_files;

    #[test]
    fn the_games_used_last_are_held() {
        let drafts = Drafts::default();
        let game = |number: usize| {
            let text = format!(
                "game \"{number}\"; players A, B; state {{ left: 0..1 = 1; }} \
                 move take() as \"take\" {{ when left = 1; left := 0; }} play normal;"
            );
            Drafts::entry(&text, &mut draft_files(&text)).expect("sound rules")
        };
        let first = game(0).id;
        assert!(Drafts::is_draft(&first));
        (0..MAX_DRAFTS).for_each(|number| drafts.hold(game(number)));
        assert_eq!(drafts.find(&first).map(|game| game.name), Some("0".into()));
        drafts.hold(game(MAX_DRAFTS));
        assert!(drafts.find(&first).is_some(), "it was used");
        assert!(drafts.find(&game(1).id).is_none(), "it was not");
    }
}
