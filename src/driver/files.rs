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
    if path.symlink_metadata().is_ok() {
        return Err(format!("{} is there already; nothing was written", path.display()));
    }
    put(path, path, &mut |file| file.write_all(text.as_bytes()), |from, to| {
        // A hard link fails where the name is taken, so a file made meanwhile is not lost.
        fs::hard_link(from, to).and_then(|()| fs::remove_file(from)).or_else(|error| match error.kind() {
            ErrorKind::AlreadyExists => Err(error),
            _ => fs::rename(from, to),
        })
    })
}

/// Writes a text to where output is wanted. A regular file gets it whole or not at all and keeps its permissions; links
/// stay links; into pipes, devices and standard output it is written. The error is a sentence.
pub fn write(path: &Path, text: &str) -> Result<(), String> {
    let mut write = |to: &mut dyn Write| to.write_all(text.as_bytes());
    match Target::find(path)? {
        Target::File(target) => replace_file(path, &target, &mut write),
        Target::Stream(stream) => open(&stream)
            .and_then(|mut stream| write(&mut *stream).and_then(|()| stream.flush()))
            .map_err(|error| cannot_write(path, &error)),
    }
}

/// Puts a text in the place of the regular file that it was read from, keeping its permissions. The error is a sentence.
pub fn replace(path: &Path, text: &str) -> Result<(), String> {
    replace_with(path, &mut |to| to.write_all(text.as_bytes()))
}

/// Puts what is written in the place of a regular file, if there is one, keeping its permissions. The error is a
/// sentence.
pub fn replace_with(
    path: &Path,
    write: &mut dyn FnMut(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), String> {
    replace_file(path, &regular(path)?, write)
}

/// Returns the file that a path leads to, which is regular or not there yet. The error is a sentence.
pub fn regular(path: &Path) -> Result<PathBuf, String> {
    match Target::find(path)? {
        Target::File(target) => Ok(target),
        Target::Stream(_) => Err(format!("{} is no regular file, so it cannot be replaced", path.display())),
    }
}

/// The target of output.
enum Target {
    /// A regular file, or one that is not there yet.
    File(PathBuf),
    /// Anything else, which can only be written into.
    Stream(PathBuf),
}

impl Target {
    fn find(path: &Path) -> Result<Target, String> {
        let target = followed(path);
        if descriptor(&target).is_some() {
            return Ok(Target::Stream(target));
        }
        match fs::metadata(&target) {
            Ok(there) if there.is_file() => Ok(Target::File(target)),
            Ok(there) if there.is_dir() => {
                Err(format!("{} cannot be written: it is a folder", path.display()))
            }
            Ok(_) => Ok(Target::Stream(target)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Target::File(target)),
            Err(error) => Err(cannot_write(path, &error)),
        }
    }
}

/// Opens what is no regular file.
fn open(stream: &Path) -> std::io::Result<Box<dyn Write>> {
    Ok(match descriptor(stream) {
        // A second opening would write over what else goes there.
        Some(1) => Box::new(std::io::stdout()),
        Some(2) => Box::new(std::io::stderr()),
        _ => Box::new(fs::OpenOptions::new().append(true).open(stream)?),
    })
}

/// The number of the open file that a path is a name of: `/dev/stdout`, `/dev/fd/3`, `/proc/self/fd/3`.
fn descriptor(path: &Path) -> Option<u32> {
    let path = path.to_str()?;
    match path {
        "/dev/stdout" => return Some(1),
        "/dev/stderr" => return Some(2),
        _ => {}
    }
    let own = format!("/proc/{}/fd/", std::process::id());
    let folders = ["/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/", &own];
    folders.iter().find_map(|folder| path.strip_prefix(folder))?.parse().ok()
}

/// Follows the links of a path up to a file, the name of an open file, or a place where there is no file yet.
fn followed(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        if descriptor(&path).is_some() {
            break;
        }
        match fs::read_link(&path) {
            // A link tells a path from its own folder.
            Ok(to) => path = path.parent().unwrap_or(Path::new("")).join(to),
            Err(_) => break,
        }
    }
    path
}

/// No more links are followed one after the other, as in the kernel of Linux.
const MAX_LINKS: usize = 40;

/// Replaces the target of a path.
fn replace_file(
    path: &Path,
    target: &Path,
    write: &mut dyn FnMut(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), String> {
    let there = fs::metadata(target).ok();
    put(path, target, write, |from, to| {
        if let Some(there) = there {
            keep_owner(from, &there);
            fs::set_permissions(from, there.permissions())?;
        }
        fs::rename(from, to)
    })
}

/// Gives a file the owner of the one that it is to replace, where that is allowed.
#[cfg(unix)]
fn keep_owner(file: &Path, like: &fs::Metadata) {
    use std::os::unix::fs::MetadataExt;
    let _ = std::os::unix::fs::chown(file, Some(like.uid()), Some(like.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &Path, _: &fs::Metadata) {}

fn cannot_write(path: &Path, error: &std::io::Error) -> String {
    format!("{} cannot be written: {}", path.display(), reason(error))
}

/// Whether a new file can be made there, asked before the work that fills it. The error is a sentence.
pub fn can_create(path: &Path) -> Result<(), String> {
    let target = regular(path)?;
    put(path, &target, &mut |_| Ok(()), |from, _| fs::remove_file(from))
}

/// Writes to a temporary name beside the target, then lets `finish` give it its name.
fn put(
    path: &Path,
    target: &Path,
    write: &mut dyn FnMut(&mut dyn Write) -> std::io::Result<()>,
    finish: impl FnOnce(&Path, &Path) -> std::io::Result<()>,
) -> Result<(), String> {
    let temporary = beside(target);
    let written = File::create_new(&temporary)
        .and_then(|file| {
            let mut to = BufWriter::new(file);
            write(&mut to)?;
            to.into_inner().map_err(|error| error.into_error())?.sync_all()
        })
        .and_then(|()| finish(&temporary, target));
    written.map_err(|error| {
        let _ = fs::remove_file(&temporary);
        cannot_write(path, &error)
    })
}

/// A name in the same folder that nobody else uses.
fn beside(path: &Path) -> PathBuf {
    // A name may have 255 bytes.
    let name: String =
        path.file_name().map(|n| n.to_string_lossy().chars().take(50).collect()).unwrap_or_default();
    path.with_file_name(format!(".{name}.{}.tmp", std::process::id()))
}

/// The reason in words, without the number of the system's error.
pub fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file or folder".into(),
        ErrorKind::PermissionDenied => "permission denied".into(),
        ErrorKind::IsADirectory => "it is a folder".into(),
        ErrorKind::AlreadyExists => "it is there already".into(),
        ErrorKind::StorageFull => "no space is left on the device".into(),
        _ => error.to_string(),
    }
}
