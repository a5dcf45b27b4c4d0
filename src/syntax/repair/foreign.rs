//! Words and operators of other languages, with their translations.

/// A translation of one or two words. A fix is offered only if the writer can have meant nothing else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Translation {
    /// The word of this language; empty if the foreign one has no counterpart.
    pub ours: &'static str,
    /// The other reading, if there are two, with advice on the choice.
    pub other: Option<(&'static str, &'static str)>,
    /// The number of words that it replaces.
    pub words: usize,
    /// True for a keyword in another human language.
    pub is_foreign_keyword: bool,
}

/// The translations of a word and its successor, the likeliest first; `touching` if no blank separates them.
pub(super) fn translations(word: &str, next: &str, touching: bool) -> Vec<Translation> {
    let plain = |ours, words| Translation { ours, other: None, words, is_foreign_keyword: false };
    let two: &[&str] = match (word, next) {
        ("|", "|") if touching => &["or"],
        ("<", ">") if touching => &["!="],
        ("=", "<") if touching => &["<="],
        ("==", "=") if touching => &["="],
        ("!=", "=") if touching => &["!="],
        ("<", "=>") if touching => &["iff"],
        ("else", "then") => &["else"],
        ("such", "that") => &[":"],
        ("for", "all" | "each" | "every") => &["for", "all"],
        ("there", "is" | "exists") => &["some"],
        ("let" | "var", "mut") => &["let"],
        ("is", "not") => &["!="],
        ("to" | "will" | "should" | "must" | "can" | "shall", "win") => &["wins"],
        ("to" | "will" | "should" | "must" | "shall", "lose") => &["loses"],
        _ => &[],
    };
    let mut found: Vec<Translation> = two.iter().map(|ours| plain(ours, 2)).collect();
    if let Some((_, ours, other, advice)) = TWO_READINGS.iter().find(|(theirs, ..)| *theirs == word) {
        found.push(Translation { other: Some((other, advice)), ..plain(ours, 1) });
    }
    let one: &[&str] = match word {
        "elif" | "elsif" | "elseif" => &["else if"],
        "forall" | "every" | "each" => &["all"],
        "exists" => &["some"],
        "xor" => &["!="],
        "nil" | "null" | "None" | "empty" | "nothing" => &["none"],
        "True" => &["true"],
        "False" => &["false"],
        "AND" => &["and"],
        "OR" => &["or"],
        "NOT" => &["not"],
        "require" | "requires" | "where" | "provided" => &["when"],
        "foreach" => &["for"],
        "function" | "fn" | "fun" | "func" | "define" => &["def"],
        "var" | "val" | "auto" | "local" => &["let", ""],
        "int" | "integer" | "return" | "mut" => &[""],
        "size" | "len" => &["#"],
        "such" => &["where"],
        _ => &[],
    };
    found.extend(one.iter().map(|ours| plain(ours, 1)));
    let lower = word.to_lowercase();
    let foreign = FOREIGN_KEYWORDS.iter().find(|(_, theirs)| theirs.contains(&lower.as_str()));
    found.extend(foreign.map(|(ours, _)| Translation { is_foreign_keyword: true, ..plain(ours, 1) }));
    found
}

/// Words with two readings: the word, the reading that lets parsing continue, the other one, and how to choose.
const TWO_READINGS: [(&str, &str, &str, &str); 3] = [
    ("any", "some", "all", "write `some` if one is enough, `all` if every one must fit"),
    ("=>", "implies", ">=", "write `implies` between conditions, `>=` between numbers"),
    (
        "assert",
        "when",
        "ensure",
        "write `when` for a condition on the position before the move, `ensure` for one after it",
    ),
];

/// Keywords with their German, French and Spanish words; of `draw` also Italian and Dutch ones.
const FOREIGN_KEYWORDS: [(&str, &[&str]); 22] = [
    ("game", &["spiel", "jeu", "juego"]),
    ("players", &["spieler", "joueurs", "jugadores"]),
    ("board", &["brett", "spielbrett", "plateau", "tablero"]),
    ("state", &["zustand", "etat", "estado"]),
    ("move", &["zug", "spielzug", "coup", "jugada", "movimiento"]),
    ("end", &["ende", "fin", "final"]),
    ("when", &["wenn", "falls", "quand", "si", "cuando"]),
    ("then", &["dann", "alors", "entonces"]),
    ("else", &["sonst", "sinon", "sino"]),
    ("and", &["und", "et", "y"]),
    ("or", &["oder", "ou", "o"]),
    ("not", &["nicht", "non", "pas"]),
    ("all", &["alle", "jeder", "jede", "tous", "toutes", "todos", "todas"]),
    ("some", &["ein", "eine", "quelque", "alguno", "alguna"]),
    ("for", &["fuer", "pour", "para"]),
    ("wins", &["gewinnt", "gagne", "gana"]),
    ("loses", &["verliert", "perd", "pierde"]),
    (
        "draw",
        &[
            "remis",
            "unentschieden",
            "patt",
            "nul",
            "nulle",
            "pat",
            "empate",
            "tablas",
            "pareggio",
            "patta",
            "parita",
            "gelijkspel",
            "remise",
            "egalite",
        ],
    ),
    ("none", &["nichts", "keiner", "aucun", "rien", "ninguno", "nada"]),
    ("true", &["wahr", "vrai", "verdadero"]),
    ("false", &["falsch", "faux", "falso"]),
    ("expect", &["erwarte", "attendre", "espera"]),
];

/// Returns true for a word that means a draw, in this or another language.
pub(super) fn means_a_draw(word: &str) -> bool {
    let lower = word.to_lowercase();
    let is_foreign = |(ours, theirs): &(&str, &[&str])| *ours == "draw" && theirs.contains(&lower.as_str());
    matches!(lower.as_str(), "tie" | "tied" | "drawn" | "stalemate" | "deadlock" | "standoff" | "drawn_game")
        || FOREIGN_KEYWORDS.iter().any(is_foreign)
}

/// Returns the value that a name of another language stands for: `none`, `true`, `false`.
pub fn foreign_value(name: &str) -> Option<&'static str> {
    let lower = name.to_lowercase();
    Some(match lower.as_str() {
        "null" | "nil" | "nothing" | "undefined" | "empty" | "nobody" | "noone" | "no_one" => "none",
        "none" | "true" | "false" => ["none", "true", "false"].into_iter().find(|ours| *ours == lower)?,
        "yes" => "true",
        _ => FOREIGN_KEYWORDS
            .iter()
            .find(|(ours, theirs)| {
                matches!(*ours, "none" | "true" | "false") && theirs.contains(&lower.as_str())
            })
            .map(|(ours, _)| *ours)?,
    })
}
