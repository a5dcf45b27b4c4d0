//! Tips about command lines that were not understood, beside what the parser of arguments says.

use std::path::Path;

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::Cli;
use bouton_project::{is_rule_file, shell_quote};
use bouton_syntax::diag::nearest;

/// A tip for a command line that was refused; `arguments` are those of the process.
pub fn of(error: &clap::Error, arguments: &[String]) -> Option<String> {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word.as_str()),
        Some(ContextValue::Strings(words)) => words.first().map(String::as_str),
        _ => None,
    };
    let command = Cli::command();
    let name = arguments.iter().find(|argument| command.find_subcommand(argument).is_some());
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let word = context(ContextKind::InvalidSubcommand)?;
            file_as_a_command(word).or_else(|| other_command(word))
        }
        ErrorKind::UnknownArgument => {
            let unknown = context(ContextKind::InvalidArg)?;
            if let Some(tip) = letter_for_a_parameter(unknown, arguments) {
                return Some(tip);
            }
            if unknown.starts_with("--") || ["-o", "-j", "-W", "-c"].contains(&unknown) {
                return other_flag(unknown, name?).or_else(|| flag_for_a_parameter(unknown, arguments));
            }
            stray_word(unknown, name?, arguments)
        }
        ErrorKind::MissingRequiredArgument => missing_values(context(ContextKind::InvalidArg)?, name?),
        _ => None,
    }
}

/// Takes suggestions of the parser out of an error: all of them if there is a better tip, else those that say how to pass
/// a flag as a value, and flags that are no near names.
pub fn keep_good_suggestions(error: &mut clap::Error, has_tip: bool) {
    let text = |error: &clap::Error, kind| match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word.trim_start_matches('-').to_owned()),
        _ => None,
    };
    let is_near = || {
        let (unknown, suggested) =
            (text(error, ContextKind::InvalidArg)?, text(error, ContextKind::SuggestedArg)?);
        nearest(&unknown, [suggested.as_str()]).map(|_| ())
    };
    let keeps = !has_tip && (error.kind() != ErrorKind::UnknownArgument || is_near().is_some());
    if !keeps {
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::SuggestedSubcommand);
    }
    if has_tip || error.kind() == ErrorKind::UnknownArgument {
        error.remove(ContextKind::Suggested);
    }
}

/// The command that does what a word asks for.
fn other_command(word: &str) -> Option<String> {
    let told = match word.to_lowercase().as_str() {
        "run" | "start" | "simulate" | "playout" | "sim" => {
            "`bouton play FILE` plays a game against the engine"
        }
        "lint" | "validate" | "compile" | "build" => "`bouton check FILE` tells the mistakes of rules",
        "format" | "pretty" => "`bouton fmt FILE` formats rules",
        "count" | "enumerate" => {
            "`bouton perft FILE -d 3` counts sequences of moves, `bouton positions FILE` positions"
        }
        "analyse" | "analyze" | "search" | "win" | "winner" | "prove" => {
            "`bouton solve FILE` tells who wins, with proof"
        }
        "draw" | "tree" | "graph" => {
            "`bouton trace FILE` draws the tree of a search, `bouton report FILE` pictures of positions"
        }
        "init" | "create" => "`bouton new NAME` writes a text to begin with",
        _ => return None,
    };
    Some(told.to_owned())
}

/// The setting that `--n 5` stands for: no flag has this name.
fn flag_for_a_parameter(flag: &str, arguments: &[String]) -> Option<String> {
    let name = flag.strip_prefix("--")?;
    let is_value = |value: &str| {
        value.parse::<i64>().is_ok() || value.starts_with(['[', '{']) || ["true", "false"].contains(&value)
    };
    let place = arguments.iter().position(|argument| argument.split('=').next() == Some(flag))?;
    let value = match arguments[place].split_once('=') {
        Some((_, value)) => value,
        None => arguments.get(place + 1).map(String::as_str).filter(|value| is_value(value))?,
    };
    let setting = shell_quote(&format!("{name}={value}"));
    Some(format!("a parameter of the game is set by `--set {setting}`"))
}

/// The commands for a file that stands where a command is expected.
fn file_as_a_command(word: &str) -> Option<String> {
    let is_game = is_rule_file(word) || Path::new(word).is_file();
    is_game.then(|| {
        let file = shell_quote(word);
        format!("a command comes before the file: `bouton check {file}`, `bouton solve {file}`, `bouton play {file}`")
    })
}

/// The flag that a command has in place of one that it lacks.
fn other_flag(flag: &str, command: &str) -> Option<String> {
    Some(match (flag, command) {
        ("--depth", "solve") => {
            "`--within N` searches for a win within N plies; `bouton trace FILE --method alphabeta --depth N` draws a tree"
                .into()
        }
        ("--output" | "-o", "solve" | "check" | "test" | "perft" | "positions" | "verify") => {
            format!("`bouton {command} FILE > OUT` writes to a file; `bouton report FILE -o OUT` writes a page")
        }
        ("--param" | "--params" | "--parameter" | "--define" | "--with", _) => {
            "a parameter is set by `--set name=value`".into()
        }
        ("--all", "solve") => "`--all-moves` gives the value of each move, `--strong` that of each position".into(),
        ("--proof" | "--cert" | "--proofs" | "-c", "solve") => {
            "`--certificate FILE` writes the certificate of the result".into()
        }
        ("--cores" | "--jobs" | "--cpus" | "--parallel" | "-j", _) => "`--threads 2` sets the number of threads".into(),
        ("--ignore" | "--allow" | "--disable" | "--suppress" | "--no-warn" | "-W", _) => {
            "a warning is allowed in the text itself: `// allow(W0420): reason`".into()
        }
        ("--write" | "--in-place" | "--inplace" | "--fix", "fmt") => "`bouton fmt FILE` writes the file anyway".into(),
        ("--stdout" | "--print", "fmt") => "`bouton fmt - < FILE` writes to the standard output".into(),
        ("--filter" | "--only" | "--name", "test") => "`test` decides all claims of a file; there is no choice among them".into(),
        ("--format" | "--csv", "solve" | "check" | "test") => "`--json` gives the result to programs".into(),
        ("--player", "play") => "`--as NAME` says whom you play".into(),
        ("--timeout" | "--limit" | "--seconds", _) => "the limit of time is `--time 10s`".into(),
        _ => return None,
    })
}

/// The setting that `-n 5` stands for.
fn letter_for_a_parameter(flag: &str, arguments: &[String]) -> Option<String> {
    let name =
        flag.strip_prefix('-').filter(|name| name.len() == 1 && name.starts_with(char::is_alphabetic))?;
    let place = arguments.iter().position(|argument| argument == flag)?;
    let value = arguments.get(place + 1).filter(|value| value.parse::<i64>().is_ok())?;
    Some(format!("a parameter is set by its name: `--set {name}={value}`"))
}

/// The meaning of a word that no flag takes.
fn stray_word(word: &str, command: &str, arguments: &[String]) -> Option<String> {
    let place = arguments.iter().position(|argument| argument == word)?;
    let before = &arguments[..place];
    let flag =
        before.iter().rposition(|argument| argument.starts_with('-')).map(|at| (at, before[at].as_str()));
    match flag {
        Some((at, "--moves")) if place > at + 1 => {
            let moves = arguments[at + 1..=place].join(" ");
            Some(format!("several moves stand in quotes: `--moves \"{moves}\"`"))
        }
        Some((at, "--set"))
            if word.starts_with('=') || before[at + 1..].iter().any(|word| word.ends_with('=')) =>
        {
            let setting = arguments[at + 1..].iter().take_while(|word| !word.starts_with("--")).cloned();
            let setting: String = setting.collect();
            Some(format!("a setting has no blanks: `--set {}`", shell_quote(&setting)))
        }
        Some((at, "--set")) if place == at + 2 && !before[at + 1].contains('=') => {
            let value = if word.contains(',') && !word.starts_with('[') {
                format!("[{word}]")
            } else {
                word.to_owned()
            };
            let setting = format!("{}={value}", before[at + 1]);
            Some(format!("a setting is one word, `name=value`: `--set {}`", shell_quote(&setting)))
        }
        Some((at, "--position")) if place > at + 1 => {
            Some("a position stands in quotes: `--position 'pile := 3;'`".to_owned())
        }
        _ if word.parse::<u32>().is_ok() && command == "perft" => {
            Some(format!("the depth is a flag: `-d {word}`"))
        }
        _ if word.starts_with('-') && word[1..].parse::<u32>().is_ok() => {
            Some("this number cannot be negative".to_owned())
        }
        _ if word.contains('=') && word.contains("..") && command == "table" => {
            Some(format!("the values of a parameter follow a flag: `--over {}`", shell_quote(word)))
        }
        _ if word.contains('=') => {
            Some(format!("a parameter is set by a flag: `--set {}`", shell_quote(word)))
        }
        _ if is_rule_file(word) => {
            Some(format!("`bouton {command}` takes one file; `check` and `test` take several"))
        }
        _ => None,
    }
}

/// The values of a flag that is missing: `--method <METHOD>`.
fn missing_values(flag: &str, command: &str) -> Option<String> {
    let long = flag.split_whitespace().next()?.strip_prefix("--")?;
    let of = Cli::command();
    let argument =
        of.find_subcommand(command)?.get_arguments().find(|argument| argument.get_long() == Some(long))?;
    let values: Vec<String> =
        argument.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    match (command, long) {
        ("table", "over") => Some("`--over n=1..9` names a parameter of the game and its values".to_owned()),
        ("perft", "depth") => Some("`-d 3` counts the sequences of three moves".to_owned()),
        _ if values.is_empty() => None,
        _ => Some(format!("`--{long}` is one of {}", values.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    /// The message for a command line that is refused: the parser's words, then the tip.
    fn told(line: &str) -> String {
        let arguments: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let parsed = Cli::try_parse_from([&["bouton".to_owned()], &arguments[..]].concat());
        let mut error = parsed.err().expect("a mistake");
        let tip = of(&error, &arguments);
        keep_good_suggestions(&mut error, tip.is_some());
        format!("{error}\n{}", tip.unwrap_or_default())
    }

    #[test]
    fn flags_of_other_programs_are_answered_by_ours() {
        let lines = [
            ("solve nim.bou --proof nim.cert", "`--certificate FILE`"),
            ("solve nim.bou --cores 2", "`--threads 2`"),
            ("check nim.bou --ignore W0420", "`// allow(W0420): reason`"),
            ("fmt nim.bou --write", "writes the file anyway"),
            ("solve hanoi.bou --n 3", "`--set n=3`"),
            ("solve hanoi.bou --n=3", "`--set n=3`"),
            ("solve nim.bou --heaps [1,2]", "`--set 'heaps=[1,2]'`"),
            ("run nim.bou", "`bouton play FILE`"),
            ("analyse nim.bou", "`bouton solve FILE`"),
        ];
        for (line, words) in lines {
            let told = told(line);
            assert!(
                told.contains(words) && !told.contains("similar") && !told.contains("-- --"),
                "{line}: {told}"
            );
        }
        // Near names are told by the parser.
        assert!(told("solve nim.bou --metod dfpn").contains("'--method'"));
        assert!(told("slove nim.bou").contains("'solve'"));
    }
}
