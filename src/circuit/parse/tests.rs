use super::super::print::print;
use super::*;

const TEXTS: [(&str, &str); 3] = [
    ("tic_tac_toe", include_str!("../../../tests/circuits/tic_tac_toe.circuit")),
    ("crossing", include_str!("../../../tests/circuits/crossing.circuit")),
    ("track", include_str!("../../../tests/circuits/track.circuit")),
];

/// Returns the tokens, without comments and line breaks.
fn bare(text: &str) -> Vec<CircuitToken> {
    tokens(text).unwrap().into_iter().map(|(token, _)| token).collect()
}

#[test]
fn what_is_printed_reads_as_the_same() {
    for (name, text) in TEXTS {
        let circuit = parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let printed = print(&circuit);
        assert_eq!(print(&parse(&printed).unwrap()), printed, "{name}");
        assert!(printed.lines().all(|line| line.len() <= 110), "{name}");
    }
}

#[test]
fn nothing_is_lost_or_added() {
    // `let v1 let v2` is `let v1, v2`; apart from that a text and its print differ only in comments and line breaks.
    let joined = |text: &str| -> Vec<CircuitToken> {
        let mut tokens = bare(text);
        let mut last = CircuitToken::End;
        tokens.retain_mut(|token| {
            if *token == CircuitToken::Word("let".into()) {
                *token = CircuitToken::Punct(',');
                let first = matches!(last, CircuitToken::Punct('{' | '}'));
                last = token.clone();
                return !first;
            }
            last = token.clone();
            true
        });
        tokens
    };
    for (name, text) in TEXTS {
        let printed = print(&parse(text).unwrap());
        let mut pairs = joined(text).into_iter().zip(joined(&printed));
        assert_eq!(pairs.find(|(a, b)| a != b), None, "{name}");
        assert_eq!(joined(text).len(), joined(&printed).len(), "{name}");
    }
}

/// A circuit of one control and one group that uses all syntax.
const ALL: &str = r#"words 3
slot s0 "a \"name\"\nin \\ two lines" 0:3 bits<5> 0xf
slot s1 "wide" 1:0 bits<65> 0x1_0000000000000001

v0: bits<5> = slot s0
v1: bits<5> = param 0
v2: bits<65> = bits 0x1_00000000000000ff
v3: int = int -9223372036854775808
v4: int = lookup v3, []
v5: bits<1> = less v3, v4
v6: bits<5> = shift v0, -3
v7: int = lookup v3, [1, -2]
v8: bits<5> = fixed x0, 1

fix x0 {
  v1 from v0 to v6
  v6 from v6 to v1
}

control k0 "" mover 7 {
  before {
    let v0
    fix x0 {
      let v6
    }
  }
  group g0 pass {
    lets {
      let v4, v5
    }
    set v0 bit v1
    setup {
      let v7
    }
    body {
      if v5 {
        fault v5
      }
      if v5 {
        yield k0
      } else {
        require v5
        yield k0 with s1 = v2, s0 = v6
      }
    }
  }
  stuck {
    over v5 unless_stuck ending 4 scores v3, v4
    over v5 ending 0
  }
}

initial k0 0x8, 0x1, 0x0
"#;

#[test]
fn everything_there_may_be_is_printed_as_it_was_read() {
    assert_eq!(print(&parse(ALL).unwrap()), ALL);
    let without = "words 0\n\n\ninitial k3\n";
    assert_eq!(print(&parse(without).unwrap()), without);
}

#[test]
fn many_lets_take_more_lines() {
    let lets: Vec<String> = (100..200).map(|i| format!("v{i}")).collect();
    let text = ALL.replace("      let v7\n", &format!("      let {}\n", lets.join(", ")));
    let printed = print(&parse(&text).unwrap());
    assert!(printed.lines().all(|line| line.len() <= 110));
    assert_eq!(print(&parse(&printed).unwrap()), printed);
    let count = |text: &str| text.matches("let ").count();
    assert_eq!(count(&printed), count(ALL) + 6, "{printed}");
}

#[test]
fn errors_say_the_line() {
    let error = |from: &str, to: &str| {
        assert!(ALL.contains(from), "{from}");
        parse(&ALL.replacen(from, to, 1)).map(|circuit| print(&circuit)).unwrap_err().to_string()
    };
    assert_eq!(error("words 3", "words x"), "line 1: a number is expected, not `x`");
    assert_eq!(error("lines\"", "lines"), "line 2: a name without its second quote");
    assert_eq!(error("slot s1", "slot s2"), "line 3: s1 is expected, not `s2`");
    assert_eq!(error("0:3", "0:-3"), "line 2: a number is expected, not `-3`");
    assert_eq!(error("bits<5> 0xf", "bits<5> 0x3f"), "line 2: more than 5 bits");
    assert_eq!(
        error("bits<5> 0xf", "bits<5> 15"),
        "line 2: bits in hexadecimal digits is expected, not `15`"
    );
    assert_eq!(error("bits<5> 0xf", "int 0xf"), "line 2: a slot has bits");
    assert_eq!(error("v1: bits<5>", "v01: bits<5>"), "line 6: v1 is expected, not `v01`");
    assert_eq!(error("less v3, v4", "less v3"), "line 11: `,` is expected, not `v6`");
    assert_eq!(error("less v3, v4", "least v3, v4"), "line 10: there is no operation `least`");
    assert_eq!(error("fixed x0, 1", "fixed v0, 1"), "line 13: an id such as x0 is expected, not `v0`");
    assert_eq!(error("let v0", "set v0"), "line 22: there is no statement `set`");
    assert_eq!(error("group g0", "group g1"), "line 53: group g1 stands where g0 is missing");
    assert_eq!(error("initial k0", "finish k0"), "line 53: v9 is expected, not `finish`");
    assert_eq!(error("0x1, 0x0", "0x1, 0x0 0x0"), "line 53: the end is expected, not `0x0`");
    assert_eq!(parse("").unwrap_err().to_string(), "line 1: `words` is expected, not the end");
}
