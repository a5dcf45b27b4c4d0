//! Texts read and written: with a limit on the size, and whole or not at all.

use std::fs::{self, File};
use std::io::{BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// The largest text that is read.
pub const SIZE_LIMIT: u64 = 4 << 20;

/// What reading gave.
#[derive(Debug)]
pub enum Content {
    /// A text.
    Text(String),
    /// Bytes that are no UTF-8: the text with the damage replaced, and where the first damage is.
    Damaged(String, usize),
    /// More bytes than may be read, [`SIZE_LIMIT`] of a text of rules.
    TooLarge,
}

/// Reads a file, or standard input for `-`. The error is a sentence.
pub fn read(path: &str) -> Result<Content, String> {
    read_up_to(path, SIZE_LIMIT)
}

/// The same for files that may have so many bytes.
pub fn read_up_to(path: &str, size_limit: u64) -> Result<Content, String> {
    let mut bytes = Vec::new();
    let limit = size_limit + 1;
    let result = if path == "-" {
        std::io::stdin().lock().take(limit).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes))
    };
    result.map_err(|error| format!("{path} cannot be read: {}", reason(&error)))?;
    if bytes.len() as u64 > size_limit {
        return Ok(Content::TooLarge);
    }
    // A mark of the byte order is no part of the text.
    if bytes.starts_with(b"\xef\xbb\xbf") {
        bytes.drain(..3);
    }
    Ok(match String::from_utf8(bytes) {
        Ok(text) => Content::Text(text),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            Content::Damaged(String::from_utf8_lossy(error.as_bytes()).into_owned(), at)
        }
    })
}

/// Writes a new file; an old one is an error. The error is a sentence.
pub fn create(path: &Path, text: &str) -> Result<(), String> {
    if path.exists() {
        return Err(format!("{} is there already; nothing was written", path.display()));
    }
    put(path, &mut |file| file.write_all(text.as_bytes()), |from, to| {
        // A hard link fails where the name is taken, so a file made meanwhile is not lost.
        fs::hard_link(from, to).and_then(|()| fs::remove_file(from)).or_else(|error| match error.kind() {
            ErrorKind::AlreadyExists => Err(error),
            _ => fs::rename(from, to),
        })
    })
}

/// Puts a text in the place of a file, keeping its permissions. The error is a sentence.
pub fn replace(path: &Path, text: &str) -> Result<(), String> {
    replace_with(path, &mut |to| to.write_all(text.as_bytes()))
}

/// Puts what is written in the place of a file, if there is one, keeping its permissions. The error is a sentence.
pub fn replace_with(
    path: &Path,
    write: &mut dyn FnMut(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), String> {
    // A link stays a link: what it points to is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let permissions = fs::metadata(&target).ok().map(|m| m.permissions());
    put(&target, write, |from, to| {
        if let Some(permissions) = permissions {
            fs::set_permissions(from, permissions)?;
        }
        fs::rename(from, to)
    })
}

/// Whether a new file can be made there, asked before the work that fills it. The error is a sentence.
pub fn can_create(path: &Path) -> Result<(), String> {
    put(path, &mut |_| Ok(()), |from, _| fs::remove_file(from))
}

/// Writes to a temporary name beside the file, then lets `finish` give it its name.
fn put(
    path: &Path,
    write: &mut dyn FnMut(&mut dyn Write) -> std::io::Result<()>,
    finish: impl FnOnce(&Path, &Path) -> std::io::Result<()>,
) -> Result<(), String> {
    let temporary = beside(path);
    let written = File::create_new(&temporary)
        .and_then(|file| {
            let mut to = BufWriter::new(file);
            write(&mut to)?;
            to.into_inner().map_err(|error| error.into_error())?.sync_all()
        })
        .and_then(|()| finish(&temporary, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&temporary);
        format!("{} cannot be written: {}", path.display(), reason(&error))
    })
}

/// A name in the same folder that nobody else uses.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!(".{name}.{}.tmp", std::process::id()))
}

/// The reason in words, without the number of the system's error.
pub fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file or folder".into(),
        ErrorKind::PermissionDenied => "permission denied".into(),
        ErrorKind::IsADirectory => "it is a folder".into(),
        ErrorKind::AlreadyExists => "it is there already".into(),
        _ => error.to_string(),
    }
}
