//! Counts as people write them.

/// A count with commas: `5,478`.
pub fn group_digits(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// A count with its noun: `1 ply`, `7 plies`.
pub fn count_with_noun(n: u64, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{} {many}", group_digits(n)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!(group_digits(7), "7");
        assert_eq!(group_digits(5478), "5,478");
        assert_eq!(group_digits(1_000_000), "1,000,000");
        assert_eq!(count_with_noun(1, "ply", "plies"), "1 ply");
    }
}
