//! The kinds for all values of parameters: PERIODIC and PARAM.

use std::sync::Arc;

use bouton_base::automaton::Automaton;
use bouton_base::linear::Linear;
use bouton_certificates::{Certificate, Claim, Lemma, ParamLemma, PeriodicLemma};
use bouton_checker::{FamilyError, RulesFamily};
use bouton_project::RuleFiles;
use bouton_rules::Rules;
use bouton_rules::parametric::{
    Area, Argument, Atom, CHOICE_BASE, COORDINATE_BASE, COUNTER_BASE, MoveScheme, ParamRange,
    ParametricRules, ParametricStrategy, SchemeInstance, WinnerCase,
};
use bouton_verify::SourceFamily;

use super::{Mismatches, certificate, key, reason, rules};

/// A row of n cells of which a move fills one.
pub const ROW: &str = "game \"Row\"; param n: 1..20 = 4; players A, B; type Cell = 1..n;\n\
    state { full: set of Cell = {}; }\nmove put(c: Cell) { when c not in full; full |= { c }; }\nplay normal;\n";

/// A heap of n of which a move takes one or two.
const HEAP: &str = "game \"Heap\"; param n: 0..20 = 5; players A, B; state { heap: 0..n = n; }\n\
    move take(k: 1..2) { when k <= heap; heap -= k; }\nplay normal;\n";

/// A family that may be read wrong: it has other rules, another schema or another window than its source.
pub struct Misread<'t> {
    of: SourceFamily<'t>,
    rules: Option<Result<Arc<Rules>, FamilyError>>,
    pub schema: Option<ParametricRules>,
    window: Option<u32>,
}

impl RulesFamily for Misread<'_> {
    fn rules(&self, param: &str, value: i64) -> Result<Arc<Rules>, FamilyError> {
        self.rules.clone().unwrap_or_else(|| self.of.rules(param, value))
    }

    fn window(&self, param: &str) -> Result<u32, FamilyError> {
        self.window.map_or_else(|| self.of.window(param), Ok)
    }

    fn instance(&self, settings: &[String]) -> Result<Arc<Rules>, FamilyError> {
        self.rules.clone().unwrap_or_else(|| self.of.instance(settings))
    }

    fn schema(&self, free: &[String]) -> Result<ParametricRules, FamilyError> {
        self.schema.clone().map_or_else(|| self.of.schema(free), Ok)
    }
}

/// Returns the reason why a lemma about these rules is refused, after a change of the family.
pub fn refused(text: &str, lemma: Lemma, change: impl Fn(&mut Misread<'_>)) -> String {
    let mut files = RuleFiles::from_string("a game", text);
    let rules = rules(text);
    let mut family =
        Misread { of: SourceFamily::new(&mut files, &rules), rules: None, schema: None, window: None };
    change(&mut family);
    reason(&rules, Some(&family), &certified(&rules, lemma))
}

/// Returns a certificate with the claim that the lemma proves.
pub fn certified(rules: &Rules, lemma: Lemma) -> Certificate {
    let claim = match &lemma {
        Lemma::Periodic(of) => Claim::Period { param: of.param.clone(), from: of.from, period: of.period },
        Lemma::Param(of) => {
            let case = |case: &WinnerCase| (case.when.clone(), u32::from(!case.first_player_wins));
            Claim::Always { over: of.over.clone(), cases: of.cases.iter().map(case).collect() }
        }
        _ => Claim::Unsolvable,
    };
    certificate(rules, claim, vec![lemma])
}

fn periodic() -> PeriodicLemma {
    PeriodicLemma { param: "n".into(), from: 0, period: 2, digits: vec![7], values: vec![0, 1] }
}

#[test]
fn false_periods() {
    let mut wrong = Mismatches::default();
    let of = |change: &dyn Fn(&mut PeriodicLemma)| {
        let mut lemma = periodic();
        change(&mut lemma);
        refused(ROW, Lemma::Periodic(lemma), |_| {})
    };
    wrong.reason("accepted: {}", &of(&|_| {}), "the whole");
    let row = rules(ROW);
    let alone = reason(&row, None, &certified(&row, Lemma::Periodic(periodic())));
    wrong.reason("it is for rows of every length, and one row is given", &alone, "without a source");
    let digits = "the digits of lengths are not those of a game, or longer than a move looks";
    wrong.reason(digits, &of(&|of| of.digits.clear()), "no blocks");
    wrong.reason(digits, &of(&|of| of.digits = vec![7, 0]), "a last digit 0");
    wrong.reason(digits, &of(&|of| of.digits = vec![8]), "no octal digit");
    wrong.reason(digits, &of(&|of| of.digits = vec![7; 4]), "longer than a move looks");
    wrong.reason("the period is 0, or too long to compute", &of(&|of| of.period = 0), "no period");
    wrong.reason(
        "the values are not those up to the first period",
        &of(&|of| of.values.truncate(1)),
        "few values",
    );
    wrong.reason("the value of a row of {n} is {}", &of(&|of| of.values[1] = 2), "another value");
    let shorter =
        "a row of {n} is not worth what one {period} shorter is, which would have to hold up to {end}";
    let short = of(&|of| (of.period, of.values) = (1, vec![0]));
    wrong.reason(shorter, &short, "a short period");
    let alone = of(&|of| (of.from, of.period, of.digits, of.values) = (2, 1, vec![1], vec![0, 1, 0]));
    let blocks = "not just blocks of these lengths may be filled, each as its digit says";
    wrong.reason(blocks, &alone, "only the last cell of a row");
    let misread = |change: &dyn Fn(&mut Misread<'_>)| refused(ROW, Lemma::Periodic(periodic()), change);
    wrong.reason("a move looks {window} cells far", &misread(&|of| of.window = Some(99)), "a wide window");
    let none = misread(&|of| of.rules = Some(Err(FamilyError("none".into()))));
    wrong.reason("a row of {cells}: {reason}", &none, "no rules");
    let heap = misread(&|of| of.rules = Some(Ok(rules(HEAP))));
    wrong.reason("it is not a row of free cells", &heap, "a heap");
    let wide = |text: &str, digits: &[u32]| {
        let lemma = PeriodicLemma { digits: digits.to_vec(), ..periodic() };
        refused(text, Lemma::Periodic(lemma), |of| of.window = Some(1))
    };
    let anywhere = "not just blocks of these lengths may be filled, each as its digit says";
    wrong.reason(anywhere, &wide(ROW, &[7, 7]), "other blocks");
    let later = |text: &str, digit: u32| {
        let lemma = PeriodicLemma { digits: vec![digit], from: 1, ..periodic() };
        refused(text, Lemma::Periodic(lemma), |of| of.window = Some(1))
    };
    wrong.reason(anywhere, &later(ROW, 3), "another digit");
    let alone = ROW.replace("full |= { c };", "when c + 1 in full; full |= { c };");
    wrong.reason(anywhere, &later(&alone, 2), "a condition on one side");
    let all = ROW.replace("full |= { c };", "full |= Cell;");
    wrong.reason(anywhere, &wide(&all, &[7]), "all at once");
    let others = ROW.replace("full |= { c };", "full |= Cell - { c };");
    wrong.reason("a move does not just fill a block of free cells", &wide(&others, &[7]), "all others");
    let late = of(&|of| of.digits = vec![3]);
    wrong.reason("the period would have to begin at 1 or later", &late, "a period from 0 on");
}

/// A definition with a declared range is undefined outside of it, which only long rows show.
#[test]
fn definitions_with_a_range_are_not_those_of_all_rows() {
    let mut wrong = Mismatches::default();
    let long = ROW.replace("1..20", "1..60");
    let beside = |range: &str| {
        let def = format!("def same(x: 0..99){range} = x + 0;\nmove");
        long.replace("move", &def).replace("c not in full;", "same(c) not in full;")
    };
    let period = |range: &str| refused(&beside(range), Lemma::Periodic(periodic()), |_| {});
    wrong.reason("accepted: {}", &period(""), "no range");
    let unknown = "what its moves say is not known to be the same in rows of every length";
    wrong.reason(unknown, &period(": 0..50"), "a range");
    let least = |range: &str| {
        let def = format!("def least{range} = min c in Cell - full: c;\nmove put()");
        let text = long.replace("move put(c: Cell)", &def);
        refused(&text.replace("when c not in full;", "let c = least;"), Lemma::Param(of_rows()), |_| {})
    };
    wrong.reason("accepted: {}", &least(""), "no range");
    let unsupported = "the rules go beyond what is supported for all values of the parameters";
    wrong.reason(unsupported, &least(": 1..30"), "a range");
}

fn range(low: i128) -> ParamRange {
    ParamRange { param: "n".into(), element: None, low, high: None }
}

fn residue(of: u32, residue: u32) -> Vec<Atom> {
    vec![Atom::Residue(Linear::var(0), of, vec![residue])]
}

/// Returns the lemma that the first player wins in rows of odd length.
pub fn of_rows() -> ParamLemma {
    let case = |rest, first| WinnerCase { when: residue(2, rest), first_player_wins: first };
    let lost = Automaton { accepting: vec![true, false], next: vec![vec![1, 0], vec![0, 1]] };
    ParamLemma {
        over: vec![range(1)],
        cases: vec![case(1, true), case(0, false)],
        plan: ParametricStrategy::RowAutomaton { lost },
        proofs: Vec::new(),
    }
}

/// Returns a lemma about heaps: lost are the multiples of 3. It has no proofs.
fn of_heaps() -> ParamLemma {
    let heap = Linear::var(COUNTER_BASE);
    let lost = vec![Atom::Residue(heap.clone(), 3, vec![0])];
    let reply = |rest: u32| {
        let choices = vec![Linear::number(rest.into())];
        (Atom::Residue(heap.clone(), 3, vec![rest]), SchemeInstance { scheme: 0, choices })
    };
    ParamLemma {
        over: vec![range(0)],
        cases: vec![WinnerCase { when: residue(3, 0), first_player_wins: false }],
        plan: ParametricStrategy::LostPositions { lost, replies: vec![reply(1), reply(2)], ranking: heap },
        proofs: Vec::new(),
    }
}

/// Returns a lemma about a mirror of rows, without proofs.
fn of_mirrors() -> ParamLemma {
    let image = Linear { terms: vec![(0, 1), (COORDINATE_BASE, -1)], constant: 1 };
    let answer = Linear { terms: vec![(0, 1), (CHOICE_BASE, -1)], constant: 1 };
    ParamLemma {
        over: vec![range(1)],
        cases: vec![WinnerCase { when: residue(2, 0), first_player_wins: false }],
        plan: ParametricStrategy::Mirror {
            quotients: Vec::new(),
            opening: None,
            image: vec![image],
            answers: vec![SchemeInstance { scheme: 0, choices: vec![answer] }],
        },
        proofs: Vec::new(),
    }
}

/// A change of the conditions, the replies and the ranking function of lost positions.
type ChangeLost = dyn Fn(&mut Vec<Atom>, &mut Vec<(Atom, SchemeInstance)>, &mut Linear);

#[test]
fn false_plans() {
    let mut wrong = Mismatches::default();
    let mut plan = |expected: &str, text: &str, lemma: &ParamLemma, change: &dyn Fn(&mut ParamLemma)| {
        let mut lemma = lemma.clone();
        change(&mut lemma);
        wrong.reason(expected, &refused(text, Lemma::Param(lemma), |_| {}), expected);
    };
    let (heaps, mirrors, rows) = (of_heaps(), of_mirrors(), of_rows());
    plan("{} proofs are needed", HEAP, &heaps, &|_| {});
    plan("{} proofs are needed", ROW, &mirrors, &|_| {});
    plan("accepted: {}", ROW, &rows, &|_| {});
    let needed = refused(HEAP, Lemma::Param(heaps.clone()), |_| {});
    let count = needed.split(' ').next().and_then(|count| count.parse().ok()).expect("a number");
    plan("proof {} does not show that {what}: {reason}", HEAP, &heaps, &|of| {
        of.proofs = vec![Vec::new(); count]
    });
    let three = "game \"Three\"; players A, B, C; param n: 1..3 = 3; state { heap: 0..n = n; }\n\
        move take() { when heap > 0; heap -= 1; }\nplay normal;\n";
    plan("it is not a game of two players that the first begins", three, &heaps, &|_| {});
    let misere = HEAP.replace("normal", "misere");
    plan("it is not a game in which just who cannot move loses", &misere, &heaps, &|_| {});
    plan("its parameters are not those of the rules, or may be smaller", HEAP, &heaps, &|of| {
        of.over[0].low = -1
    });
    plan("a mirror is for one case", ROW, &mirrors, &|of| of.cases.push(of.cases[0].clone()));
    plan("the player who answers is not the winner", ROW, &mirrors, &|of| {
        of.cases[0].first_player_wins = true
    });
    plan("a position is not some numbers", ROW, &heaps, &|of| {
        of.over = vec![range(1)];
        if let ParametricStrategy::LostPositions { lost, replies, ranking } = &mut of.plan {
            (*lost, *replies, *ranking) = (Vec::new(), Vec::new(), Linear::number(0));
        }
    });
    plan("a position is not a set of cells, or moves have no answers", ROW, &mirrors, &|of| {
        if let ParametricStrategy::Mirror { answers, .. } = &mut of.plan {
            answers.clear();
        }
    });
    plan("a mirror is for cases by fixed moduli", ROW, &mirrors, &|of| {
        of.cases[0].when = vec![Atom::Multiple(Linear::var(0), Linear::number(2), true)];
    });
    plan("the image of an image is not the original", ROW, &mirrors, &|of| {
        if let ParametricStrategy::Mirror { image, .. } = &mut of.plan {
            image[0] = Linear { terms: vec![(COORDINATE_BASE, 1)], constant: 1 };
        }
    });
    plan("a divisor is 0 or too large", ROW, &mirrors, &|of| {
        if let ParametricStrategy::Mirror { quotients, .. } = &mut of.plan {
            quotients.push((Linear::var(0), 0));
        }
    });
    let mut lost = |expected: &str, change: &ChangeLost| {
        plan(expected, HEAP, &heaps, &|of| match &mut of.plan {
            ParametricStrategy::LostPositions { lost, replies, ranking } => change(lost, replies, ranking),
            _ => unreachable!("a plan of lost positions"),
        });
    };
    lost("it names a move that does not exist", &|_, replies, _| replies[0].1.scheme = 9);
    lost("a move has other choices", &|_, replies, _| replies[0].1.choices.clear());
    lost("its numbers are too large", &|lost, _, _| {
        lost[0] = Atom::Zero(Linear { terms: vec![(COUNTER_BASE, 1)], constant: i128::MAX });
    });
    lost("there are too many replies", &|_, replies, _| *replies = vec![replies[0].clone(); 257]);
    lost("there are too many conditions", &|lost, _, _| *lost = vec![lost[0].clone(); 257]);
    lost("residues are not in order, or not smaller than the modulus", &|lost, _, _| {
        lost[0] = Atom::Residue(Linear::var(COUNTER_BASE), 3, vec![1, 0]);
    });
    lost("a term names a variable out of scope", &|lost, _, _| lost[0] = Atom::Zero(Linear::var(7777)));
    plan("there are no cases, or too many", HEAP, &heaps, &|of| of.cases.clear());
    let heap = rules(HEAP);
    let alone = reason(&heap, None, &certified(&heap, Lemma::Param(heaps.clone())));
    wrong.reason(
        "it is for all values of the parameters, and the rules given are of one",
        &alone,
        "no source",
    );
}

#[test]
fn plans_are_for_the_first_position() {
    let mut files = RuleFiles::from_string("a game", ROW);
    let row = rules(ROW);
    let family = SourceFamily::new(&mut files, &row);
    let interpreter = bouton_reference::Interpreter::new(row.clone());
    let after = interpreter.expand(&interpreter.initial()).expect("no fault").1.swap_remove(0).1;
    let mut elsewhere = certified(&row, Lemma::Param(of_rows()));
    elsewhere.header.position = Some(key(&row, &after));
    let mut wrong = Mismatches::default();
    let given = reason(&row, Some(&family), &elsewhere);
    wrong.reason("it is for the first position, and not for this one", &given, "another position");
}

/// Returns the schema of the rows, as it is read from the source.
pub fn schema() -> ParametricRules {
    let mut files = RuleFiles::from_string("a game", ROW);
    let row = rules(ROW);
    SourceFamily::new(&mut files, &row).schema(&["n".into()]).expect("a schema")
}

#[test]
fn schemes_that_no_automaton_reads() {
    let mut wrong = Mismatches::default();
    let mut rows = |expected: &str, change: &dyn Fn(&mut ParamLemma, &mut ParametricRules)| {
        let (mut lemma, mut schema) = (of_rows(), schema());
        change(&mut lemma, &mut schema);
        let given = refused(ROW, Lemma::Param(lemma), |of| of.schema = Some(schema.clone()));
        wrong.reason(expected, &given, expected);
    };
    fn put(schema: &mut ParametricRules) -> &mut MoveScheme {
        &mut schema.moves[0]
    }
    fn lost(lemma: &mut ParamLemma) -> &mut Automaton {
        match &mut lemma.plan {
            ParametricStrategy::RowAutomaton { lost } => lost,
            _ => unreachable!("an automaton"),
        }
    }
    let (n, cell) = (Linear::var(0), Linear::var(CHOICE_BASE));
    let area = |low: &Linear, high: &Linear| Area { low: vec![low.clone()], high: vec![high.clone()] };
    let next = Linear { terms: vec![(CHOICE_BASE, 1)], constant: 1 };
    rows("the automaton says of a row that it is {what} to a lost one", &|of, _| {
        lost(of).accepting.reverse()
    });
    rows("it is not a minimal automaton with its states in the order of their words", &|of, _| {
        lost(of).next[0] = vec![9, 9];
    });
    rows("the automaton says otherwise of the first row of {length} cells", &|of, _| {
        of.cases[0].first_player_wins = false;
    });
    // Rows of 62 cells are lost, and too long to play through.
    rows("the automaton says otherwise of the first row of {length} cells", &|of, _| {
        let first_wins = |rest: &u32| rest % 2 == 1 || *rest == 62;
        let (won, lost) = (0..64).partition(first_wins);
        let of_rest = |rests: Vec<u32>| vec![Atom::Residue(Linear::var(0), 64, rests)];
        (of.cases[0].when, of.cases[1].when) = (of_rest(won), of_rest(lost));
    });
    rows("a case does not repeat", &|of, _| {
        of.cases[0].when = vec![Atom::Multiple(Linear::var(0), Linear::number(2), true)];
    });
    rows("the cases do not repeat soon enough", &|of, _| {
        of.cases[0].when.push(Atom::AtMost(Linear { terms: vec![(0, -1)], constant: 30_000 }));
    });
    rows("one of the cases has no small game to play through", &|of, _| {
        of.cases[0].when.extend(residue(2, 0));
    });
    rows("a position is not a row of cells", &|_, schema| schema.board.clear());
    rows("a position is not a row with a parameter as its length", &|_, schema| schema.board[0].constant = 1);
    // A move that changes nothing leads from a lost row to itself.
    rows("the automaton says of a row that it is {what} to a lost one", &|_, schema| {
        put(schema).changed.clear()
    });
    rows("a move may change something that is no cell", &|_, schema| {
        put(schema).changed = vec![area(&cell, &next)];
    });
    rows("a choice of {} is neither a cell nor one of a few numbers", &|_, schema| {
        put(schema).choices[0].0 = Linear::number(0);
    });
    rows("{} has too many choices", &|_, schema| {
        put(schema).choices = vec![(Linear::number(1), n.clone()); 5];
    });
    rows("{} tests more than the distances between places", &|_, schema| {
        put(schema).guards.push(Linear { terms: vec![(CHOICE_BASE, 2)], constant: 0 });
    });
    rows("a cell has no column and row", &|_, schema| {
        put(schema).arguments = vec![Argument::Cell(vec![cell.clone()])];
    });
    rows("a cell is not on the board", &|_, schema| {
        put(schema).arguments = vec![Argument::Cell(vec![cell.clone(), cell.clone()])];
    });
    rows("the moves are not those that were read from the file", &|_, schema| put(schema).name.push('s'));
    rows("a move asks for cells that have changed", &|of, schema| {
        *of = of_mirrors();
        put(schema).touched = put(schema).changed.clone();
    });
    rows("a move does not change what it asks to be untouched", &|of, schema| {
        *of = of_mirrors();
        put(schema).untouched.clear();
    });
    rows("there is no such number", &|of, schema| {
        *of = of_heaps();
        of.over = vec![range(1)];
        schema.board.clear();
        let low = Linear::number(0);
        schema.counters =
            vec![bouton_rules::parametric::Counter { low: low.clone(), high: n.clone(), initial: low }];
        put(schema).counters = vec![(5, Linear::number(0))];
    });
}

/// Small games whose moves, ends or states are others than those of the schema, which has no moves.
#[test]
fn small_games_that_differ() {
    let mut wrong = Mismatches::default();
    let mut small = |expected: &str, given: Result<String, FamilyError>| {
        let lost = Automaton { accepting: vec![true], next: vec![vec![0, 0]] };
        let lemma = ParamLemma {
            cases: vec![WinnerCase { when: Vec::new(), first_player_wins: false }],
            plan: ParametricStrategy::RowAutomaton { lost },
            ..of_rows()
        };
        let rules = given.map(|text| rules(&text));
        let schema = ParametricRules { moves: Vec::new(), ..schema() };
        let reason = refused(ROW, Lemma::Param(lemma), |of| {
            (of.rules, of.schema) = (Some(rules.clone()), Some(schema.clone()));
        });
        wrong.reason(expected, &reason, expected);
    };
    let never = ROW.replace("when c not in full", "when c in full");
    small("accepted: {}", Ok(never.clone()));
    small("the moves are not those that were read from the file", Ok(ROW.into()));
    small("the player who cannot move does not lose", Ok(never.replace("normal", "misere")));
    small(
        "players do not just take turns until one cannot move",
        Ok(ROW.replace("state", "phases { p by B; }\nstate")),
    );
    small("a player moves twice", Ok(ROW.replace("|= { c };", "|= { c }; again;")));
    small("the first position differs from that of the file", Ok(ROW.replace("= {};", "= { 1 };")));
    small("the state is not the one that was read from the file", Ok(HEAP.into()));
    let letters = ROW.replace("type Cell = 1..n;", "enum Cell { x, y }").replace("= {};", "= { x };");
    small("a cell is not on a board that was read from the file", Ok(letters));
    small("{}: {reason}", Err(FamilyError("none".into())));
}
