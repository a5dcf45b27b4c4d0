//! Numbers and values as data: whole numbers as numbers, fractions as strings such as `"-1/18"`.

use bouton_base::rational::Rational;
use serde_json::{Map, Value as Json, json};

use bouton_rules::{Rules, Value};

/// A rational as data.
pub fn ratio(number: &Rational) -> Json {
    number.as_i64().map_or_else(|| json!(number.to_string()), |whole| json!(whole))
}

/// Each player's payoff by his name.
pub fn payoffs(rules: &Rules, payoffs: &[Rational]) -> Map<String, Json> {
    rules.players().iter().zip(payoffs).map(|(name, payoff)| (name.clone(), ratio(payoff))).collect()
}

/// The parameters by name.
pub fn params(rules: &Rules) -> Map<String, Json> {
    rules.params.iter().map(|(name, value)| (name.clone(), data(rules, value))).collect()
}

/// The parameters in words, `n = 9, k = 2`; empty if there are none.
pub fn scope(rules: &Rules) -> String {
    let one = |(name, value): &(String, Value)| match value {
        Value::Text(text) if text.trim().contains('\n') => {
            format!("{name} = a picture of {} rows", text.trim().lines().count())
        }
        _ => format!("{name} = {}", rules.show(value)),
    };
    rules.params.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// A value as data; members of types by their names.
fn data(rules: &Rules, value: &Value) -> Json {
    match value {
        Value::None => Json::Null,
        Value::Bool(b) => json!(b),
        Value::Int(i) => json!(i),
        Value::List(items) | Value::Set(items) => items.iter().map(|v| data(rules, v)).collect(),
        Value::Ratio(r) => ratio(r),
        Value::Text(text) => json!(text.as_ref()),
        Value::Sym(..) | Value::Tuple(_) => json!(rules.show(value)),
    }
}
