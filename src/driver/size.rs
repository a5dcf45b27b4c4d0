//! How large a state is: what is said where exact solving does not end.

use crate::rules::Rules;

/// States of more bits than this take long to enumerate.
const LONG: f64 = 40.0;
/// States of more bits than this are not enumerated at all.
const HOPELESS: f64 = 100.0;

/// The bits of each field, widest first.
pub fn bits_by_field(rules: &Rules) -> Vec<(String, f64)> {
    let mut bits: Vec<(String, f64)> = rules
        .fields
        .iter()
        .map(|field| {
            let values = rules.type_size(&field.ty).map_or(f64::INFINITY, |n| n as f64);
            (field.name.clone(), field.cells() as f64 * values.max(1.0).log2())
        })
        .filter(|(_, bits)| *bits > 0.0)
        .collect();
    bits.sort_by(|a, b| b.1.total_cmp(&a.1));
    bits
}

/// E0401 or W0402 in words, where a state is large: what to say once a limit was hit.
pub fn too_large(rules: &Rules) -> Option<String> {
    let fields = bits_by_field(rules);
    let total: f64 = fields.iter().map(|(_, bits)| bits).sum();
    let (widest, bits) = fields.first()?;
    let state = format!("the state has {total:.0} bits, {bits:.0} of them `{widest}`");
    if total > HOPELESS {
        Some(format!("{state}: too large to solve exactly (E0401)"))
    } else if total > LONG {
        Some(format!("{state}: solving exactly takes long (W0402)"))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::load::{Request, Text};

    #[test]
    fn the_bits_of_the_starter_are_few() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/cli/starter.bou");
        let mut text = Text::read(&Request { path, settings: &[], preset: None }).unwrap();
        let game = text.game(None).unwrap_or_else(|e| panic!("{e:?}"));
        let bits = bits_by_field(&game.rules);
        assert_eq!(bits[0].0, "pile");
        assert!((bits[0].1 - 11f64.log2()).abs() < 1e-9);
        assert_eq!(too_large(&game.rules), None);
    }
}
