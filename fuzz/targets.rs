//! The targets of fuzzing: functions that take any bytes and panic if something that must hold does not.
//!
//! `tests/fuzz` runs them for a short time on the files of `corpus` and on mutations of them; the programs in
//! `fuzz_targets` run them under libFuzzer.

use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use bouton_base::cancel;
use bouton_base::heap::CountingAllocator;
use bouton_base::limits::Limits;
use bouton_base::rational::Rational;
use bouton_base::source::Sources;
use bouton_certificates::{Claim, Digest, FORMAT_VERSION, parse, write};
use bouton_checker::{Verdict, Verifier};
use bouton_circuit::verify::{CircuitForm, verify};
use bouton_circuit::{Circuit, opt};
use bouton_driver::ggp::{Message, News};
use bouton_lower::lower_with;
use bouton_project::RuleFiles;
use bouton_reference::{Interpreter, State};
use bouton_rules::{Rules, ToMove};
use bouton_search::solve::strong::table_file::{TableFileError, TableIdentity, read};
use bouton_syntax::diag::{Diagnostic, Severity, render};
use bouton_syntax::{Parsed, dump, format, print};
use miniz_oxide::deflate::compress_to_vec;
use serde_json::Value as Json;

/// Counts the memory of analysis, so that it stays within its limits.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// A target: it returns if all that must hold of these bytes does.
pub type Target = fn(&[u8]);

/// All targets with the names of their folders in `corpus`.
pub const TARGETS: &[(&str, Target)] = &[
    ("parser", parser),
    ("formatter", formatter),
    ("analysis", analysis),
    ("certificates", certificates),
    ("tables", tables),
    ("checker", checker),
    ("sheets", sheets),
    ("messages", messages),
];

/// The largest input in bytes that is analysed.
const MAX_ANALYSED_BYTES: usize = 8 << 10;

/// The time and the memory for the analysis and the lowering of an input.
const ANALYSIS_TIME: Duration = Duration::from_millis(500);
const ANALYSIS_MEMORY: u64 = 512 << 20;

/// The number of steps of the definition that the check of a certificate may take.
const CHECK_STEPS: u64 = 200_000;

/// The rules of the certificates and of the tables.
const NIM: &str = include_str!("nim.bou");

static NIM_RULES: LazyLock<Arc<Rules>> = LazyLock::new(|| {
    let analysis = RuleFiles::from_string("nim.bou", NIM).analyze(None);
    Arc::new(analysis.rules.expect("rules without errors"))
});

static NIM_CIRCUIT: LazyLock<Circuit> = LazyLock::new(|| {
    let optimise = |draft: &mut _| opt::optimise(draft, &[]);
    let lowered = lower_with(&NIM_RULES, Default::default(), &Limits::default(), &optimise);
    lowered.expect("rules with a circuit").circuit
});

/// Parses a string, and returns its file with the result.
fn parsed(text: &str) -> (Sources, Parsed) {
    let mut sources = Sources::new();
    let file = sources.add("input", text);
    let parsed = bouton_syntax::parse(&sources, file);
    (sources, parsed)
}

/// Asserts that diagnostics can be shown: their places and edits are in the text.
fn assert_shown(sources: &Sources, text: &str, found: &[Diagnostic]) {
    for diagnostic in found {
        let edits = diagnostic.edits.iter().map(|edit| edit.span);
        for span in diagnostic.labels.iter().map(|label| label.span).chain(edits) {
            assert!(text.get(span.range()).is_some(), "{}: {:?}", diagnostic.title, span.range());
        }
        assert!(!render(sources, diagnostic, false).is_empty());
    }
}

/// Every text gives a tree that can be printed, and diagnostics with places.
pub fn parser(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (sources, parsed) = parsed(&text);
    assert_shown(&sources, &text, &parsed.diagnostics);
    print(&parsed.file);
}

/// A formatted text stays the same when it is formatted again, and parses to the tree of the original.
pub fn formatter(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Ok(formatted) = format(&text) else { return };
    assert_eq!(format(&formatted).as_ref(), Ok(&formatted), "formatting twice");
    // The formatter writes `=` for `==`.
    let tree = |text: &str| dump(&parsed(text).1.file).replace("DoubleEqual", "Equal");
    assert_eq!(tree(&formatted), tree(&text), "the tree of the formatted text");
}

/// Every text is analysed; rules without errors have a first position, and a valid circuit or a reason for none.
pub fn analysis(data: &[u8]) {
    if data.len() > MAX_ANALYSED_BYTES {
        return;
    }
    let text = String::from_utf8_lossy(data);
    let mut files = RuleFiles::from_string("input.bou", &text);
    let deadline = Some(Instant::now() + ANALYSIS_TIME);
    files.limits = Limits { deadline, memory_bytes: Some(ANALYSIS_MEMORY), ..Limits::default() };
    let analysis = files.analyze(None);
    for diagnostic in &analysis.diagnostics {
        render(&files.sources, diagnostic, false);
    }
    let Some(rules) = analysis.rules else { return };
    let rules = Arc::new(rules);
    let interpreter = Interpreter::new(rules.clone()).within(&files.limits);
    let first = interpreter.initial();
    let _ = interpreter.expand(&first);
    let optimise = |draft: &mut _| opt::optimise(draft, &[]);
    if let Ok(lowered) = lower_with(&rules, Default::default(), &files.limits, &optimise) {
        verify(&lowered.circuit, CircuitForm::Scheduled).expect("a valid circuit");
    }
}

/// Every sheet gives rules or a diagnostic with a place, and rules have a first position.
pub fn sheets(data: &[u8]) {
    if data.len() > MAX_ANALYSED_BYTES {
        return;
    }
    let text = String::from_utf8_lossy(data);
    let deadline = Some(Instant::now() + ANALYSIS_TIME);
    let limits = Limits { deadline, memory_bytes: Some(ANALYSIS_MEMORY), ..Limits::default() };
    let read = cancel::run_within(&limits, || RuleFiles::from_string("input.kif", &text));
    let Ok(mut files) = read else { return };
    files.limits = limits;
    assert_shown(&files.sources, &text, &files.diagnostics);
    let has_error = files.diagnostics.iter().any(|found| found.severity() == Severity::Error);
    let rules = files.analyze(None).rules;
    assert_eq!(rules.is_none(), has_error);
    let Some(rules) = rules else { return };
    let interpreter = Interpreter::new(Arc::new(rules)).within(&files.limits);
    let first = interpreter.initial();
    let _ = interpreter.expand(&first);
}

/// A message of a game manager is read or refused, and its terms stay the same when they are written again.
pub fn messages(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let play = |news| Ok(Message::Play { id: "m".to_owned(), news });
    match Message::parse(&text) {
        Ok(Message::Play { news: News::Moves(moves), .. }) => {
            for made in moves {
                assert_eq!(Message::parse(&format!("(PLAY m ({made}))")), play(News::Moves(vec![made])));
            }
        }
        Ok(Message::Play { news: News::Percepts(told), .. }) => {
            let again = format!(
                "(PLAY m {} {} ({}))",
                told.turn,
                told.own,
                told.seen.clone().unwrap_or_default().join(" ")
            );
            assert_eq!(Message::parse(&again), play(News::Percepts(told)));
        }
        _ => {}
    }
}

/// Returns the hash of lines.
fn hash<'l>(lines: impl IntoIterator<Item = &'l str>) -> Digest {
    let text: String = lines.into_iter().flat_map(|line| [line, "\n"]).collect();
    Digest::of(text.as_bytes())
}

/// Puts the right counts of lines and hashes into a certificate for [`NIM`]; `None` if it has no chunks.
fn sealed(text: &str) -> Option<String> {
    let mut lines = text.lines().peekable();
    let mut head: Vec<String> = Vec::new();
    while let Some(line) = lines.next_if(|line| !line.starts_with("chunk ")) {
        head.push(line.to_owned());
    }
    let mut chunks: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in lines {
        match (line.strip_prefix("chunk "), chunks.last_mut()) {
            (Some(rest), _) => chunks.push((rest.split(" lines ").next()?, Vec::new())),
            (None, Some((_, body))) if !line.starts_with("root ") => body.push(line),
            _ => {}
        }
    }
    chunks.last()?;
    let count = |owner: &str| -> usize {
        chunks.iter().filter(|(of, _)| *of == owner).map(|(_, body)| body.len()).sum()
    };
    for line in &mut head {
        let words: Vec<&str> = line.split(' ').collect();
        let owner = match words[..] {
            ["rules", ..] => {
                *line = format!("rules {}", Digest::of_rules(&NIM_RULES));
                continue;
            }
            ["bouton-certificate", ..] => {
                *line = format!("bouton-certificate {FORMAT_VERSION}");
                continue;
            }
            ["text", "lines", _] => "text".to_owned(),
            ["lemma", number, ..] => format!("lemma {number}"),
            _ => continue,
        };
        if let Some(place) = line.rfind("lines ") {
            line.replace_range(place.., &format!("lines {}", count(&owner)));
        }
    }
    let mut text = head.join("\n");
    for (owner, body) in &chunks {
        let title = format!("chunk {owner} lines {} {}", body.len(), hash(body.iter().copied()));
        text = format!("{text}\n{title}\n{}", body.join("\n"));
        head.push(title);
    }
    Some(format!("{text}\nroot {}\n", hash(head.iter().map(String::as_str))))
}

/// Every text is refused or is the one form of a certificate, also if its hashes are right.
pub fn certificates(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for text in [Some(text.clone().into_owned()), sealed(&text)].into_iter().flatten() {
        if let Ok(certificate) = parse(&text) {
            assert_eq!(write(&certificate), text);
        }
    }
}

/// The result of a position: the payoff of the first player, and the plies until the end if the winner plays for the
/// soonest end and the loser for the latest. `None` where the rules have no meaning.
fn truth(interpreter: &Interpreter, state: &State) -> Option<(Rational, u64)> {
    let (turn, moves) = interpreter.expand(state).ok()?;
    let player = match turn {
        ToMove::Terminal(outcome) => return Some((outcome.payoffs.first()?.clone(), 0)),
        ToMove::Player(player) => player,
        ToMove::Simultaneous | ToMove::Chance => return None,
    };
    let sign = Rational::from_integer(if player == 0 { 1 } else { -1 });
    let results: Option<Vec<_>> = moves.iter().map(|(_, after, _)| truth(interpreter, after)).collect();
    let rank = |(payoff, plies): &(Rational, u64)| {
        let own = payoff * &sign;
        let plies = *plies as i64;
        let longer = if own.is_positive() { -plies } else { plies };
        (own, longer)
    };
    let (payoff, plies) = results?.into_iter().max_by_key(rank)?;
    Some((payoff, plies + 1))
}

/// Returns true if a claim about a position holds.
fn holds(claim: &Claim, payoff: Rational, plies: u64) -> bool {
    let of = |player: u32| if player == 0 { payoff.clone() } else { -payoff.clone() };
    match claim {
        Claim::Wins { player, plies: within } => {
            of(*player) == Rational::from_integer(1) && within.is_none_or(|within| plies <= within)
        }
        Claim::AtLeast { player, payoff } => of(*player) >= *payoff,
        Claim::Between { low, high } => *low <= payoff && payoff <= *high,
        Claim::Value(values) => *values == [payoff.clone(), -payoff],
        Claim::Equilibria(all) => all.iter().all(|values| *values == [payoff.clone(), -&payoff]),
        Claim::Unsolvable | Claim::SolvedIn(_) | Claim::Period { .. } | Claim::Always { .. } => false,
    }
}

/// The checker accepts only true claims about a fixed game.
pub fn checker(data: &[u8]) {
    let Some(text) = sealed(&String::from_utf8_lossy(data)) else { return };
    let Ok(certificate) = parse(&text) else { return };
    let rules: &Arc<Rules> = &NIM_RULES;
    let verdict = Verifier::new(rules).verify(&certificate, &Limits::default(), Some(CHECK_STEPS));
    let Verdict::Accepted(accepted) = verdict else { return };
    let interpreter = Interpreter::new(rules.clone());
    let header = &certificate.header;
    let start =
        header.position.as_ref().map_or_else(|| interpreter.initial(), |key| interpreter.unpack(&key.0));
    let (payoff, plies) = truth(&interpreter, &start).expect("a position with a result");
    assert!(holds(&header.claim, payoff, plies), "accepted: {}\n{text}", accepted.claim);
}

/// Reads a table of the reachable positions of [`NIM`] from bytes.
fn read_table(bytes: &[u8], identity: &TableIdentity) -> Result<(), TableFileError> {
    let mut rest = bytes;
    let mut take = |to: &mut [u8]| {
        let (now, later) = rest.split_at(to.len().min(rest.len()));
        to[..now.len()].copy_from_slice(now);
        rest = later;
        Ok(now.len())
    };
    let limits = Limits { memory_bytes: Some(64 << 20), ..Limits::default() };
    read(&mut take, identity, &NIM_CIRCUIT, &limits).map(drop)
}

/// Every file is refused or is a table, also if its hashes and compression are right: the input is then the header as
/// JSON in one line, and blocks, each with its length in two bytes.
pub fn tables(data: &[u8]) {
    let identity = TableIdentity::new(Digest::of_rules(&NIM_RULES), "all".to_owned(), &NIM_CIRCUIT);
    let _ = read_table(data, &identity);
    let Some(end) = data.iter().position(|&byte| byte == b'\n') else { return };
    let Ok(Json::Object(mut header)) = serde_json::from_slice(&data[..end]) else { return };
    for (key, value) in [("rules", &identity.rules), ("of", &identity.of), ("layout", &identity.layout)] {
        header.insert(key.to_owned(), Json::String(value.clone()));
    }
    let mut file = b"bouton-table 6\n".to_vec();
    let mut block = |bytes: &[u8]| {
        file.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        file.extend_from_slice(Digest::of(bytes).bytes());
        file.extend_from_slice(bytes);
    };
    block(Json::Object(header).to_string().as_bytes());
    let mut rest = &data[end + 1..];
    while let [low, high, after @ ..] = rest {
        let length = usize::from(u16::from_le_bytes([*low, *high])).min(after.len());
        block(&compress_to_vec(&after[..length], 1));
        rest = &after[length..];
    }
    let result = read_table(&file, &identity);
    assert!(!matches!(result, Err(TableFileError::Version | TableFileError::Foreign(_))), "{result:?}");
}
