//! Lines that the user types: edited on a terminal, read as they are from a pipe.

use std::io::{BufRead, IsTerminal};

use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

use crate::cli::terminal::Console;

/// The source of lines: a terminal, with editing and history, or a pipe.
pub enum Input {
    /// On a terminal.
    Editor(Box<DefaultEditor>),
    /// From a pipe.
    Pipe,
}

impl Input {
    /// The input for the kind of standard input.
    pub fn new() -> Input {
        if !std::io::stdin().is_terminal() {
            return Input::Pipe;
        }
        DefaultEditor::new().map_or(Input::Pipe, |editor| Input::Editor(Box::new(editor)))
    }

    /// Returns true if a person types the lines.
    pub fn is_terminal(&self) -> bool {
        matches!(self, Input::Editor(_))
    }

    /// The next line; `None` at the end.
    pub fn line(&mut self, prompt: &str, terminal: &Console) -> Option<String> {
        match self {
            Input::Editor(editor) => match editor.readline(prompt) {
                Ok(line) => {
                    // History is a convenience; without it, play goes on.
                    let _ = editor.add_history_entry(&line);
                    Some(line)
                }
                Err(ReadlineError::Interrupted) => match editor.readline("leave the game? y or n> ") {
                    Ok(answer) if !answer.trim().to_ascii_lowercase().starts_with('y') => Some(String::new()),
                    _ => None,
                },
                Err(ReadlineError::Eof) => None,
                Err(error) => {
                    terminal.error(&format!("the line cannot be read: {error}"));
                    None
                }
            },
            Input::Pipe => {
                let mut line = Vec::new();
                match std::io::stdin().lock().read_until(b'\n', &mut line) {
                    Ok(0) | Err(_) => None,
                    // Invalid text matches no move, and the answer says so.
                    Ok(_) => Some(String::from_utf8_lossy(&line).into_owned()),
                }
            }
        }
    }
}
