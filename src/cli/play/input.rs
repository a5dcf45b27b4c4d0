//! Lines that the user types: edited on a terminal, read as they are from a pipe.

use std::io::{BufRead, IsTerminal};

use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

use crate::cli::terminal::Terminal;

/// Lines from a terminal, with editing and history, or from a pipe.
pub enum Input {
    /// On a terminal.
    Editor(Box<DefaultEditor>),
    /// From a pipe.
    Pipe,
}

impl Input {
    /// What standard input is.
    pub fn new() -> Input {
        if !std::io::stdin().is_terminal() {
            return Input::Pipe;
        }
        DefaultEditor::new().map_or(Input::Pipe, |editor| Input::Editor(Box::new(editor)))
    }

    /// The next line; none at the end.
    pub fn line(&mut self, prompt: &str, terminal: &Terminal) -> Option<String> {
        match self {
            Input::Editor(editor) => match editor.readline(prompt) {
                Ok(line) => {
                    // History is a comfort; where it cannot be kept, play goes on.
                    let _ = editor.add_history_entry(&line);
                    Some(line)
                }
                Err(ReadlineError::Interrupted | ReadlineError::Eof) => None,
                Err(error) => {
                    terminal.error(&format!("the line cannot be read: {error}"));
                    None
                }
            },
            Input::Pipe => {
                let mut line = Vec::new();
                match std::io::stdin().lock().read_until(b'\n', &mut line) {
                    Ok(0) | Err(_) => None,
                    // What is no text is the name of no move, and is answered so.
                    Ok(_) => Some(String::from_utf8_lossy(&line).into_owned()),
                }
            }
        }
    }
}
