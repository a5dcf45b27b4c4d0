//! How large a state is: what is said where exact solving does not end.

use crate::rules::Rules;

/// States of more bits than this are seldom enumerated.
const BITS: f64 = 40.0;

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

/// E0401 in words, where a state is too large to be enumerated.
pub fn too_large(rules: &Rules) -> Option<String> {
    let fields = bits_by_field(rules);
    let total: f64 = fields.iter().map(|(_, bits)| bits).sum();
    let (widest, bits) = fields.first()?;
    (total > BITS).then(|| {
        format!("the state has {total:.0} bits (2^{total:.0} positions at most), {bits:.0} of them `{widest}` (E0401)")
    })
}
