//! Characters outside of the language: letters, pictures and blanks that cannot be seen.

use any_ascii::any_ascii_char;

/// Returns true if a character outside of ASCII can only be meant as part of a name: a letter or a picture.
pub(super) fn is_part_of_name(c: char) -> bool {
    !c.is_ascii() && (c.is_alphabetic() || is_picture(c))
}

/// Returns true for the blocks of symbols and pictographs that have names, such as emoji.
fn is_picture(c: char) -> bool {
    matches!(c, '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}' | '\u{fe0f}')
}

/// Spells a name with the letters a to z, digits and `_`. It keeps the case of the first letter; pictures are capitals.
pub(super) fn ascii_name(name: &str) -> String {
    let mut ascii = String::new();
    for c in name.chars() {
        let spelled: String =
            any_ascii_char(c).chars().filter(|c| *c == '_' || c.is_ascii_alphanumeric()).collect();
        let begins = ascii.is_empty() && is_picture(c);
        ascii.push_str(&if begins { spelled.to_ascii_uppercase() } else { spelled });
    }
    let is_name = ascii.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic());
    if is_name { ascii } else { format!("N{ascii}") }
}

/// The plain character of a full-width one, as input methods for Chinese and Japanese write it: `;` for `\u{ff1b}`.
pub(super) fn narrow(c: char) -> Option<char> {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0),
        '\u{3001}' => Some(','),
        '\u{3002}' => Some('.'),
        '\u{3010}' => Some('['),
        '\u{3011}' => Some(']'),
        _ => None,
    }
}

/// The name of a character that cannot be seen, or looks like a blank.
pub(super) fn invisible_name(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{a0}' => "a no-break space",
        '\u{202f}' => "a narrow no-break space",
        '\u{3000}' => "an ideographic space",
        '\u{2000}'..='\u{200a}' => "a typographic space",
        '\u{2028}' => "a line separator",
        '\u{2029}' => "a paragraph separator",
        '\u{200b}' => "a zero-width space",
        '\u{200c}' => "a zero-width non-joiner",
        '\u{200d}' => "a zero-width joiner",
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            "a mark of text direction"
        }
        '\u{2060}' => "a word joiner",
        '\u{ad}' => "a soft hyphen",
        '\u{feff}' => "a byte order mark",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_spelled_with_plain_letters() {
        assert_eq!(ascii_name("Wei\u{df}"), "Weiss");
        assert_eq!(ascii_name("\u{418}\u{433}\u{440}\u{430}"), "Igra");
        assert!(ascii_name("\u{274c}").starts_with(|c: char| c.is_ascii_uppercase()));
        assert!(ascii_name("\u{fe0f}").starts_with('N'));
    }

    #[test]
    fn wide_signs_have_plain_ones() {
        assert_eq!(narrow('\u{ff1b}'), Some(';'));
        assert_eq!(narrow('\u{ff5d}'), Some('}'));
        assert_eq!(narrow(';'), None);
    }

    #[test]
    fn blanks_that_cannot_be_seen_have_names() {
        assert_eq!(invisible_name('\u{a0}'), Some("a no-break space"));
        assert_eq!(invisible_name(' '), None);
        assert!(!is_part_of_name('\u{a0}') && !is_part_of_name('\u{2264}') && is_part_of_name('\u{2b55}'));
    }
}
