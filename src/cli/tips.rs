//! Tips about command lines that were not understood, beside what the parser of arguments says.

use std::path::Path;

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::Cli;
use bouton_project::{is_rule_file, shell_quote};

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
        ErrorKind::InvalidSubcommand => file_as_a_command(context(ContextKind::InvalidSubcommand)?),
        ErrorKind::UnknownArgument => {
            let unknown = context(ContextKind::InvalidArg)?;
            if let Some(tip) = letter_for_a_parameter(unknown, arguments) {
                return Some(tip);
            }
            if unknown.starts_with("--") || unknown == "-o" {
                return other_flag(unknown, name?);
            }
            stray_word(unknown, name?, arguments)
        }
        ErrorKind::MissingRequiredArgument => missing_values(context(ContextKind::InvalidArg)?, name?),
        _ => None,
    }
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
