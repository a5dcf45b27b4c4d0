//! `bouton explain CODE`: one page on a diagnostic.

use clap::Args;
use serde_json::json;

use super::Global;
use super::exit::{CommandError, Exit};
use super::terminal::Console;
use bouton_syntax::diag::{CODES, Code, explain, nearest};

/// Explain a diagnostic, with a wrong and a right example
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  bouton explain E0303")]
pub struct ExplainArgs {
    /// The code, such as E0303; omit it to list all codes
    code: Option<String>,
}

/// Prints the page.
pub fn run(args: &ExplainArgs, global: &Global, terminal: &Console) -> Result<Exit, CommandError> {
    let Some(name) = &args.code else {
        let lines: Vec<String> =
            CODES.iter().map(|(code, page)| format!("{code}  {}", title(page))).collect();
        terminal.line(&lines.join("\n"));
        return Ok(Exit::Done);
    };
    let Some(code) = Code::find(name) else {
        // A number may be that of an error or of a warning.
        let digits = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let numbered = format!("{digits:0>4}");
        let same = CODES
            .iter()
            .map(|(code, _)| code.name())
            .find(|code| !digits.is_empty() && code[1..] == numbered);
        let near = same.or_else(|| nearest(&name.to_uppercase(), CODES.iter().map(|(code, _)| code.name())));
        let hint = near.map(|n| format!("; did you mean {n}?")).unwrap_or_default();
        return Err(CommandError::Usage(format!(
            "there is no code `{name}`{hint} (`bouton explain` lists them)"
        )));
    };
    if global.json {
        terminal.json(&json!({
            "schema": "bouton-explain/1",
            "code": code.name(),
            "severity": code.severity().word(),
            "title": title(explain(code)),
            "page": explain(code),
        }));
    } else {
        terminal.line(explain(code).trim_end());
    }
    Ok(Exit::Done)
}

/// The title in the page's first line, without the code and the marks.
fn title(page: &str) -> &str {
    let line = page.lines().next().unwrap_or("").trim_start_matches('#').trim();
    line.split_once(' ').map_or("", |(_, title)| title.trim_start_matches([':', '-', ' ']))
}
