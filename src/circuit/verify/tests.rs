use super::super::parse::parse;
use super::*;

/// A valid circuit with something to break for each item of the list.
const SOUND: &str = r#"words 4
slot s0 "near" 0:0 bits<4> 0xf
slot s1 "far" 0:4 bits<4> 0x7
slot s2 "wide" 1:0 bits<70> 0x3f_ffffffffffffffff

v0: bits<4> = slot s0
v1: bits<4> = slot s1
v2: bits<4> = or v0, v1
v3: bits<1> = any v2
v4: bits<4> = param 0
v5: bits<4> = and_not v0, v4
v6: bits<4> = or v1, v4
v7: bits<1> = any v5
v8: bits<4> = param 1
v9: bits<4> = shift v8, 1
v10: bits<4> = or v8, v9
v11: bits<4> = fixed x0, 0
v12: int = int 3
v13: int = count v0
v14: bits<1> = less v13, v12
v15: bits<1> = bits 0x0
v16: bits<4> = param 2
v17: bits<4> = not v11
v18: bits<64> = pack v13
v19: int = unpack v2
v20: bits<4> = spread v3
v21: bits<4> = select v3, v0, v1
v22: bits<9> = resize v0
v23: bits<70> = one_hot v12
v24: int = first v0
v25: int = lookup v13, [1]
v26: int = add v12, v13
v27: bits<4> = not v5

fix x0 {
  v8 from v0 to v10
}

control k0 "first" mover 0 {
  before {
    let v0, v1, v2, v3
    if v3 {
      let v13
      over v3 unless_stuck ending 0 scores v13, v12
    }
  }
  group g0 {
    lets {
      fix x0 {
        let v9, v10
      }
      let v17
    }
    set v17 bit v4
    setup {
      let v13, v14
    }
    body {
      let v5, v7
      require v7
      if v14 {
        let v6
        yield k1 with s1 = v6, s0 = v5
      }
      if v3 {
        fault v14
        require v15
      } else {
        yield k0
      }
    }
  }
  stuck {
    yield k1
  }
}

control k1 "second" mover 1 {
  group g1 {
    lets {
      let v0
    }
    set v0 bit v16
    body {
      yield k0 with s0 = v16
    }
  }
}

initial k0 0x13, 0x0, 0x3f, 0x0
"#;

/// Removes the `Let`s and `Fix`es that scheduling inserts.
fn lowered(text: &str) -> String {
    let mut lines = Vec::new();
    let mut rounds = false;
    for line in text.lines() {
        rounds |= line.trim() == "fix x0 {" && line.starts_with(' ');
        let scheduled = rounds || line.trim().starts_with("let ");
        rounds &= line.trim() != "}";
        if !scheduled {
            lines.push(line);
        }
    }
    lines.join("\n")
}

/// Returns the verifier's error after the first occurrence of `from` is replaced by `to`.
fn broken_in(form: CircuitForm, text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from}");
    let circuit = parse(&text.replacen(from, to, 1)).unwrap();
    verify(&circuit, form).expect_err(to).to_string()
}

fn broken(from: &str, to: &str) -> String {
    broken_in(CircuitForm::Scheduled, SOUND, from, to)
}

fn broken_lowered(from: &str, to: &str) -> String {
    broken_in(CircuitForm::Lowered, &lowered(SOUND), from, to)
}

#[test]
fn what_is_sound_passes() {
    let circuit = parse(SOUND).unwrap();
    assert_eq!(verify(&circuit, CircuitForm::Scheduled), Ok(()));
    let circuit = parse(&lowered(SOUND)).unwrap();
    assert_eq!(verify(&circuit, CircuitForm::Lowered), Ok(()));
    for text in [
        include_str!("../../../tests/circuits/tic_tac_toe.circuit"),
        include_str!("../../../tests/circuits/crossing.circuit"),
        include_str!("../../../tests/circuits/track.circuit"),
    ] {
        assert_eq!(verify(&parse(text).unwrap(), CircuitForm::Scheduled), Ok(()));
    }
}

#[test]
fn layouts() {
    assert_eq!(broken("0:4 bits<4> 0x7", "0:62 bits<4> 0x7"), "s1: it lies across words");
    assert_eq!(broken("1:0 bits<70>", "1:1 bits<70>"), "s2: it lies across words");
    assert_eq!(broken("\"far\" 0:4", "\"far\" 4:4"), "s1: it lies outside of 4 words");
    assert_eq!(broken("\"wide\" 1:0", "\"wide\" 3:0"), "s2: it lies outside of 4 words");
    assert_eq!(broken("\"far\" 0:4", "\"far\" 0:3"), "s1: it shares bits with another slot");
    // They share a word, but no bit.
    assert_eq!(broken("\"far\" 0:4", "\"far\" 2:20"), "s2: it shares bits with another slot");
    let no_bits = BitSet::empty(0);
    let slot = Slot { name: String::new(), word: 0, bit: 0, maybe: no_bits };
    let mut circuit = parse(SOUND).unwrap();
    circuit.layout.slots.push(slot);
    assert_eq!(verify(&circuit, CircuitForm::Scheduled).unwrap_err().to_string(), "s3: a slot without a bit");
}

#[test]
fn first_positions() {
    assert_eq!(broken("initial k0", "initial k2"), "initial: there is no k2");
    assert_eq!(broken("0x13, 0x0, 0x3f, 0x0", "0x13"), "initial: 1 words where there should be 4");
    assert_eq!(broken("0x13, 0x0", "0x83, 0x0"), "initial: s1 holds 0x8, which it may not");
    assert_eq!(broken("0x13, 0x0", "0x113, 0x0"), "initial: ones outside of the slots");
    assert_eq!(broken("0x3f, 0x0", "0x7f, 0x0"), "initial: ones outside of the slots");
}

#[test]
fn operands() {
    assert_eq!(broken("bits<9> = resize", "bits<0> = resize"), "v22: a vector without a bit");
    assert_eq!(broken("or v0, v1", "or v0, v2"), "v2: it needs v2, which comes later or not at all");
    assert_eq!(broken("any v5", "any v99"), "v7: it needs v99, which comes later or not at all");
    assert_eq!(broken("v9: bits<4> = shift v8, 1", "v9: bits<4> = or v1, v4"), "v9: the same as v6");
    assert_eq!(broken("param 2", "param 1"), "v16: the same as v8");
}

#[test]
fn types_of_operations() {
    let narrow = "should have bits<4>, but has";
    assert_eq!(broken("v0: bits<4>", "v0: bits<5>"), format!("v0: it {narrow} bits<5>"));
    assert_eq!(broken("slot s1\n", "slot s3\n"), "v1: there is no s3");
    assert_eq!(
        broken("v12: int = int 3", "v12: bits<4> = int 3"),
        "v12: it should have int, but has bits<4>"
    );
    assert_eq!(broken("param 0", "fixed x1, 0"), "v4: there is no x1");
    assert_eq!(broken("v8: bits<4>", "v8: int"), "v8: it should be a vector");
    assert_eq!(broken("and_not v0, v4", "and_not v0, v3"), format!("v5: v3 {narrow} bits<1>"));
    assert_eq!(broken("and_not v0, v4", "and_not v3, v4"), format!("v5: v3 {narrow} bits<1>"));
    assert_eq!(broken("v5: bits<4> = and_not", "v5: int = and_not"), "v5: it should be a vector");
    assert_eq!(broken("not v5", "not v12"), format!("v27: v12 {narrow} int"));
    assert_eq!(broken("v27: bits<4>", "v27: bits<5>"), "v27: v5 should have bits<5>, but has bits<4>");
    assert_eq!(broken("shift v8", "shift v3"), format!("v9: v3 {narrow} bits<1>"));
    assert_eq!(broken("resize v0", "resize v12"), "v22: v12 should be a vector");
    assert_eq!(broken("v22: bits<9>", "v22: int"), "v22: it should be a vector");
    assert_eq!(broken("spread v3", "spread v2"), "v20: v2 should have bits<1>, but has bits<4>");
    assert_eq!(broken("v27: bits<4> = not v5", "v27: bits<1> = any v12"), "v27: v12 should be a vector");
    assert_eq!(
        broken("v3: bits<1> = any v2", "v3: bits<2> = any v2"),
        "v3: it should have bits<1>, but has bits<2>"
    );
    assert_eq!(broken("count v0", "count v12"), "v13: v12 should be a vector");
    assert_eq!(broken("v24: int", "v24: bits<4>"), "v24: it should have int, but has bits<4>");
    assert_eq!(broken("one_hot v12", "one_hot v0"), "v23: v0 should have int, but has bits<4>");
    assert_eq!(broken("v18: bits<64>", "v18: int"), "v18: it should be a vector");
    assert_eq!(broken("select v3", "select v2"), "v21: v2 should have bits<1>, but has bits<4>");
    assert_eq!(broken("select v3, v0, v1", "select v3, v0, v13"), format!("v21: v13 {narrow} int"));
    assert_eq!(broken("unpack v2", "unpack v18"), "v19: v18 has 64 bits, more than 63");
    assert_eq!(broken("add v12, v13", "add v12, v0"), "v26: v0 should have int, but has bits<4>");
    assert_eq!(broken("v26: int", "v26: bits<64>"), "v26: it should have int, but has bits<64>");
    assert_eq!(broken("less v13, v12", "less v3, v12"), "v14: v3 should have int, but has bits<1>");
    assert_eq!(broken("v14: bits<1>", "v14: int"), "v14: it should have bits<1>, but has int");
    assert_eq!(broken("lookup v13", "lookup v0"), "v25: v0 should have int, but has bits<4>");
}

#[test]
fn parameters_and_fixpoints() {
    assert_eq!(broken("bit v16", "bit v4"), "g1: v4 is a parameter of g0, too");
    assert_eq!(broken("bit v16", "bit v8"), "g1: v8 is a parameter of x0, too");
    assert_eq!(broken("bit v16", "bit v1"), "g1: v1 is no parameter");
    assert_eq!(broken("bit v16", "bit v28"), "g1: there is no v28");
    assert_eq!(broken("v8 from v0 to v10", "v10 from v0 to v10"), "x0: v10 is no parameter");
    assert_eq!(broken("v8 from v0 to v10", ""), "v11: x0 has no variable 0");
    assert_eq!(broken("fixed x0, 0", "fixed x0, 1"), "v11: x0 has no variable 1");
    let without = SOUND.replace("  v8 from v0 to v10\n", "").replace("fixed x0, 0", "not v9");
    assert_eq!(broken_in(CircuitForm::Scheduled, &without, "", ""), "x0: 0 variables and 0 next values");
    let unused = SOUND.replace("fixed x0, 0", "not v9");
    let broken_unused = |to| broken_in(CircuitForm::Scheduled, &unused, "v8 from v0 to v10", to);
    assert_eq!(broken_unused("v8 from v28 to v10"), "x0: there is no v28");
    assert_eq!(broken_unused("v8 from v3 to v10"), "x0: v8 has bits<4>, but v3 has bits<1>");
    assert_eq!(broken_unused("v8 from v0 to v12"), "x0: v8 has bits<4>, but v12 has int");
    assert_eq!(broken("v8 from v0 to v10", "v8 from v0 to v12"), "v11: x0 needs values that come later");
    let var = broken("v11: bits<4>", "v11: bits<5>");
    assert_eq!(var, "v11: it has not the type of the variable of x0");
}

#[test]
fn controls_have_groups() {
    let mut circuit = parse(SOUND).unwrap();
    let told = |circuit: &Circuit| verify(circuit, CircuitForm::Scheduled).unwrap_err().to_string();
    let [g0, g1] = [0, 1].map(super::super::GroupId);
    let [k0, k1] = [0, 1].map(super::super::ControlId);
    circuit.controls[k0].groups = vec![g0, g1];
    assert_eq!(told(&circuit), "k1: g1 belongs to k0, too");
    circuit.controls[k1].groups.clear();
    assert_eq!(
        verify(&circuit, CircuitForm::Scheduled).unwrap_err().at,
        "g1 lets",
        "v0 is known from before"
    );
    circuit.controls[k0].groups = vec![g0, g0];
    assert_eq!(told(&circuit), "k0: g0 is out of order");
    circuit.controls[k0].groups = vec![g0];
    assert_eq!(told(&circuit), "g1: it belongs to no control");
    circuit.controls[k0].groups = vec![super::super::GroupId(2)];
    assert_eq!(told(&circuit), "k0: there is no g2");
    assert_eq!(broken("set v17", "set v3"), "g0: the set has bits<1>, but the bit has bits<4>");
}

#[test]
fn statements_have_their_places() {
    let setup = "let v13, v14\n";
    for (stmt, name) in [
        ("require v3", "Require"),
        ("fault v3", "Fault"),
        ("if v3 { }", "If"),
        ("over v3 ending 0", "Over"),
        ("yield k0", "Yield"),
    ] {
        let told = format!("no place for {name}");
        assert_eq!(broken(setup, &format!("{setup} {stmt}")), format!("g0 setup: {told}"));
        assert_eq!(broken("let v17\n", &format!("let v17\n {stmt}")), format!("g0 lets: {told}"));
        assert_eq!(broken("let v9, v10\n", &format!("let v9, v10\n {stmt}")), format!("x0 rounds: {told}"));
    }
    assert_eq!(broken("let v5, v7\n", "over v3 ending 0"), "g0 body: no place for Over");
    assert_eq!(broken("    yield k1\n", "    require v15\n"), "k0 stuck: no place for Require");
    assert_eq!(broken("let v13\n", "require v3\n"), "k0 before: no place for Require");
    assert_eq!(broken("let v13\n", "yield k0\n"), "k0 before: no place for Yield");
}

#[test]
fn statements_have_types_and_ends() {
    assert_eq!(broken("require v7", "require v5"), "g0 body: v5 should have bits<1>, but has bits<4>");
    assert_eq!(broken("fault v14", "fault v13"), "g0 body: v13 should have bits<1>, but has int");
    assert_eq!(broken("if v14", "if v13"), "g0 body: v13 should have bits<1>, but has int");
    assert_eq!(broken("over v3", "over v2"), "k0 before: v2 should have bits<1>, but has bits<4>");
    assert_eq!(broken("scores v13", "scores v3"), "k0 before: v3 should have int, but has bits<1>");
    assert_eq!(broken("require v7", "require v28"), "g0 body: there is no v28");
    assert_eq!(broken("yield k1\n", "yield k1\n yield k1\n"), "k0 stuck: something follows a Yield");
    assert_eq!(broken("yield k0\n", "\n"), "g0 body: a way through it has no Yield");
    assert_eq!(broken("require v15", "require v7"), "g0 body: a way through it has no Yield");
    assert_eq!(broken("s1 = v6", "s3 = v6"), "g0 body: there is no s3");
    assert_eq!(broken("s1 = v6", "s0 = v6"), "g0 body: s0 is changed twice");
    assert_eq!(broken("s1 = v6", "s2 = v6"), "g0 body: v6 should have bits<70>, but has bits<4>");
    assert_eq!(broken("yield k1 with", "yield k2 with"), "g0 body: there is no k2");
}

#[test]
fn what_is_not_scheduled_keeps_to_its_parameters() {
    assert_eq!(broken_in(CircuitForm::Lowered, SOUND, "", ""), "k0 before: a Let where nothing is scheduled");
    let fix = broken_lowered("lets {\n", "lets { fix x0 { }\n");
    assert_eq!(fix, "g0 lets: a Fix where nothing is scheduled");
    assert_eq!(broken_lowered("over v3", "over v7"), "k0 before: v7 depends on v4, which is not known here");
    assert_eq!(broken_lowered("set v17", "set v6"), "g0: v6 depends on v4, which is not known here");
    assert_eq!(broken_lowered("s0 = v16", "s0 = v5"), "g1 body: v5 depends on v4, which is not known here");
    assert_eq!(broken_lowered("s0 = v16", "s0 = v9"), "g1 body: v9 depends on v8, which is not known here");
    assert_eq!(
        broken_lowered("from v0 to v10", "from v4 to v10"),
        "g0: v17 depends on v4, which is not known here"
    );
}

#[test]
fn what_is_scheduled_is_known_where_it_is_used() {
    let unknown = |at: &str, value: &str| format!("{at}: {value} is not known here");
    // Each value is computed once, and only if it needs a computation.
    assert_eq!(broken("let v5, v7", "let v5, v12, v7"), "g0 body: v12 is not to be computed");
    assert_eq!(broken("let v5, v7", "let v11, v5, v7"), "g0 body: v11 is not to be computed");
    assert_eq!(broken("let v5, v7", "let v4, v5, v7"), "g0 body: v4 is not to be computed");
    assert_eq!(broken("let v5, v7", "let v0, v5, v7"), "g0 body: v0 is known already");
    assert_eq!(broken("let v5, v7", "let v28, v5, v7"), "g0 body: there is no v28");
    assert_eq!(broken("let v17\n", "fix x0 { let v9, v10 } let v17\n"), "g0 lets: x0 is known already");
    assert_eq!(broken("let v17\n", "fix x1 { } let v17\n"), "g0 lets: there is no x1");
    // Operands and uses.
    assert_eq!(broken("let v5, v7", "let v7, v5"), "g0 body: v7 needs v5, which is not known here");
    assert_eq!(broken("let v5, v7\n", "let v5\n"), unknown("g0 body", "v7"));
    assert_eq!(broken("let v17\n", ""), unknown("g0", "v17"));
    assert_eq!(broken("let v9, v10\n", "let v9\n"), unknown("x0 rounds", "v10"));
    assert_eq!(broken("v8 from v0", "v8 from v5"), unknown("g0 lets", "v5"));
    assert_eq!(broken("let v13\n", ""), unknown("k0 before", "v13"));
    // Availability between blocks.
    let rounds = broken("let v17\n", "let v17, v20\n fault v3").replace("Fault", "");
    assert_eq!(rounds, "g0 lets: no place for ");
    assert_eq!(broken("let v5, v7", "let v9, v5, v7"), "g0 body: v9 needs v8, which is not known here");
    assert_eq!(broken("let v17\n", "let v17, v5\n"), "g0 lets: v5 needs v4, which is not known here");
    assert_eq!(
        broken("    let v13, v14\n", "    let v14\n"),
        "g0 setup: v14 needs v13, which is not known here"
    );
    assert_eq!(broken("fault v14\n", "fault v14 yield k0 with s1 = v6\n"), unknown("g0 body", "v6"));
    assert_eq!(broken("    yield k1\n", "    yield k1 with s0 = v17\n"), unknown("k0 stuck", "v17"));
    assert_eq!(broken("yield k0 with s0 = v16", "yield k0 with s0 = v1"), unknown("g1 body", "v1"));
    assert_eq!(broken("s0 = v16", "s0 = v4"), unknown("g1 body", "v4"));
    assert_eq!(broken("s0 = v16", "s0 = v11"), unknown("g1 body", "v11"));
}
