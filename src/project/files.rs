//! Reads files with a size limit, and writes them atomically.

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use bouton_syntax::diag::nearest;
use bouton_syntax::{Encoding, guess_encoding};

/// The maximal number of bytes of a rules file.
pub const SIZE_LIMIT: u64 = 4 << 20;

/// The content of a file that was read.
#[derive(Debug)]
pub enum Content {
    /// UTF-8.
    Text(String),
    /// Bytes that are not UTF-8: the text with the damage replaced, and the offset of the first damage.
    InvalidUtf8(String, usize),
    /// More bytes than the limit, which is [`SIZE_LIMIT`] for rules.
    TooLarge,
}

impl Content {
    /// Returns the text of a file at a path of which at most `size_limit` bytes were read.
    pub fn into_text(self, path: &str, size_limit: u64) -> Result<String, FileError> {
        match self {
            Content::Text(text) => Ok(text),
            Content::InvalidUtf8(text, _) => {
                Err(FileError::Encoding { path: path.to_owned(), encoding: guess_encoding(&text) })
            }
            Content::TooLarge => Err(FileError::TooLarge { path: path.to_owned(), size_limit }),
        }
    }
}

/// The reason why a file was not read or written: a sentence.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// A file, or standard input, cannot be read.
    #[error("{path} cannot be read: {}{}", describe_error(.source), suggest_file(path, .source))]
    Read {
        /// The path as given.
        path: String,
        source: io::Error,
    },
    /// A file is not UTF-8 text.
    #[error("{path}: {}; {}", .encoding.title(), .encoding.help())]
    Encoding {
        /// The path as given.
        path: String,
        encoding: Encoding,
    },
    /// A file has more bytes than are read.
    #[error("{path} has more than {} MiB", .size_limit >> 20)]
    TooLarge {
        /// The path as given.
        path: String,
        /// The maximal number of bytes.
        size_limit: u64,
    },
    /// A file cannot be written.
    #[error("{} cannot be written: {}", .path.display(), describe_writing_error(.path, .source))]
    Write {
        /// The path as given, before links are followed.
        path: PathBuf,
        source: io::Error,
    },
    /// A file that would be new exists.
    #[error("{} already exists; nothing was written", .0.display())]
    Exists(PathBuf),
    /// A folder has the path of a file to write.
    #[error("{} cannot be written: it is a folder", .0.display())]
    Folder(PathBuf),
    /// A file to replace is a pipe, a device or standard output.
    #[error("{} is not a regular file, so it cannot be replaced", .0.display())]
    NotRegular(PathBuf),
}

impl FileError {
    fn write(path: &Path, source: io::Error) -> FileError {
        FileError::Write { path: path.to_path_buf(), source }
    }
}

/// Reads a file, or standard input for `-`.
pub fn read(path: &str) -> Result<Content, FileError> {
    read_up_to(path, SIZE_LIMIT)
}

/// Reads a file of UTF-8 text; another one is an error.
pub fn read_text(path: &str) -> Result<String, FileError> {
    read(path)?.into_text(path, SIZE_LIMIT)
}

/// Same as [`read`] for files of at most `size_limit` bytes.
pub fn read_up_to(path: &str, size_limit: u64) -> Result<Content, FileError> {
    let mut bytes = Vec::new();
    let limit = size_limit + 1;
    let result = if path == "-" {
        io::stdin().lock().take(limit).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes))
    };
    result.map_err(|source| FileError::Read { path: path.to_owned(), source })?;
    if bytes.len() as u64 > size_limit {
        return Ok(Content::TooLarge);
    }
    // A byte order mark is not part of the text.
    if bytes.starts_with(b"\xef\xbb\xbf") {
        bytes.drain(..3);
    }
    Ok(match String::from_utf8(bytes) {
        // Old files of the Macintosh end their lines so.
        Ok(text) if text.contains('\r') && !text.contains('\n') => Content::Text(text.replace('\r', "\n")),
        Ok(text) => Content::Text(text),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            Content::InvalidUtf8(String::from_utf8_lossy(error.as_bytes()).into_owned(), at)
        }
    })
}

/// Writes a new file; an existing one is an error.
pub fn create(path: &Path, text: &str) -> Result<(), FileError> {
    if path.symlink_metadata().is_ok() {
        return Err(FileError::Exists(path.to_path_buf()));
    }
    put(path, path, &mut |file| file.write_all(text.as_bytes()), |from, to| {
        // A hard link fails if the name is taken, so it cannot overwrite a file that was created meanwhile.
        fs::hard_link(from, to).and_then(|()| fs::remove_file(from)).or_else(|error| match error.kind() {
            ErrorKind::AlreadyExists => Err(error),
            _ => fs::rename(from, to),
        })
    })
}

/// Writes a string to the target of output. A regular file is replaced atomically and keeps its permissions; links stay
/// links; pipes, devices and standard output are written to directly.
pub fn write(path: &Path, text: &str) -> Result<(), FileError> {
    let mut write = |to: &mut dyn Write| to.write_all(text.as_bytes());
    match Target::find(path)? {
        Target::File(target) => replace_file(path, &target, &mut write),
        Target::Stream(stream) => open(&stream)
            .and_then(|mut stream| write(&mut *stream).and_then(|()| stream.flush()))
            .map_err(|error| FileError::write(path, error)),
    }
}

/// Replaces the regular file at `path` with a string, keeping its permissions.
pub fn replace(path: &Path, text: &str) -> Result<(), FileError> {
    replace_with(path, &mut |to| to.write_all(text.as_bytes()))
}

/// Replaces a regular file with the output of `write`, keeping its permissions; creates it if there is none.
pub fn replace_with(
    path: &Path,
    write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FileError> {
    replace_file(path, &resolve_regular(path)?, write)
}

/// Returns the file that a path leads to, which is regular or does not exist yet.
pub fn resolve_regular(path: &Path) -> Result<PathBuf, FileError> {
    match Target::find(path)? {
        Target::File(target) => Ok(target),
        Target::Stream(_) => Err(FileError::NotRegular(path.to_path_buf())),
    }
}

/// The target of output, after following links.
enum Target {
    /// A regular file, or one that does not exist yet.
    File(PathBuf),
    /// Any other file, which can only be written into.
    Stream(PathBuf),
}

impl Target {
    fn find(path: &Path) -> Result<Target, FileError> {
        let target = followed(path);
        if descriptor(&target).is_some() {
            return Ok(Target::Stream(target));
        }
        match fs::metadata(&target) {
            Ok(there) if there.is_file() => Ok(Target::File(target)),
            Ok(there) if there.is_dir() => Err(FileError::Folder(path.to_path_buf())),
            Ok(_) => Ok(Target::Stream(target)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Target::File(target)),
            Err(error) => Err(FileError::write(path, error)),
        }
    }
}

/// Opens a file that is not regular for writing at its end.
fn open(stream: &Path) -> io::Result<Box<dyn Write>> {
    Ok(match descriptor(stream) {
        // Opening the descriptor again would overwrite other output to it.
        Some(1) => Box::new(io::stdout()),
        Some(2) => Box::new(io::stderr()),
        _ => Box::new(fs::OpenOptions::new().append(true).open(stream)?),
    })
}

/// The file descriptor that a path names: `/dev/stdout`, `/dev/fd/3`, `/proc/self/fd/3`.
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

/// Follows the links of a path up to a file, the name of a descriptor, or a name without a file.
fn followed(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        if descriptor(&path).is_some() {
            break;
        }
        match fs::read_link(&path) {
            // The target of a link is relative to the folder of the link.
            Ok(to) => path = path.parent().unwrap_or(Path::new("")).join(to),
            Err(_) => break,
        }
    }
    path
}

/// The maximal number of links to follow in a chain, as in the Linux kernel.
const MAX_LINKS: usize = 40;

/// Replaces `target` atomically, keeping its owner and permissions; error messages name `path`.
fn replace_file(
    path: &Path,
    target: &Path,
    write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FileError> {
    let there = fs::metadata(target).ok();
    put(path, target, write, |from, to| {
        if let Some(there) = there {
            keep_owner(from, &there);
            fs::set_permissions(from, there.permissions())?;
        }
        fs::rename(from, to)
    })
}

/// Gives a file the owner of the file that it is to replace, if the system allows it.
#[cfg(unix)]
fn keep_owner(file: &Path, like: &fs::Metadata) {
    use std::os::unix::fs::MetadataExt;
    let _ = std::os::unix::fs::chown(file, Some(like.uid()), Some(like.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &Path, _: &fs::Metadata) {}

/// Checks that a new file can be created at `path`, before the work that fills it.
pub fn can_create(path: &Path) -> Result<(), FileError> {
    let target = resolve_regular(path)?;
    put(path, &target, &mut |_| Ok(()), |from, _| fs::remove_file(from))
}

/// Writes a temporary file beside the target, then calls `finish` to rename it.
fn put(
    path: &Path,
    target: &Path,
    write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    finish: impl FnOnce(&Path, &Path) -> io::Result<()>,
) -> Result<(), FileError> {
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
        FileError::write(path, error)
    })
}

/// A temporary name in the same folder, unique to this process.
fn beside(path: &Path) -> PathBuf {
    // File names are limited to 255 bytes.
    let name: String =
        path.file_name().map(|n| n.to_string_lossy().chars().take(50).collect()).unwrap_or_default();
    path.with_file_name(format!(".{name}.{}.tmp", std::process::id()))
}

/// The greatest number of entries of a folder to compare a missing file with.
const MAX_ENTRIES: usize = 10_000;

/// Suggests a file of the same folder for one that does not exist: the name with `.bou`, or the most similar name.
fn suggest_file(path: &str, error: &io::Error) -> String {
    let path = Path::new(path);
    let Some(wanted) = path.file_name().and_then(|name| name.to_str()) else { return String::new() };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if error.kind() != ErrorKind::NotFound {
        return String::new();
    }
    let Ok(entries) = fs::read_dir(folder) else { return String::new() };
    let names = entries.flatten().take(MAX_ENTRIES).filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".bou")).collect();
    names.sort_unstable();
    let stems = names.iter().filter_map(|name| name.strip_suffix(".bou"));
    let Some(near) = nearest(wanted.strip_suffix(".bou").unwrap_or(wanted), stems) else {
        return String::new();
    };
    format!("; did you mean `{}`?", path.with_file_name(format!("{near}.bou")).display())
}

/// Describes the reason why a file cannot be written; a folder that does not exist is named.
fn describe_writing_error(path: &Path, error: &io::Error) -> String {
    match path.parent().filter(|folder| error.kind() == ErrorKind::NotFound && !folder.exists()) {
        Some(folder) if !folder.as_os_str().is_empty() => {
            format!("there is no folder `{}`", folder.display())
        }
        _ => describe_error(error),
    }
}

/// Describes an I/O error in words, without the number of the system's error.
pub fn describe_error(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file or folder".into(),
        ErrorKind::PermissionDenied => "permission denied".into(),
        ErrorKind::IsADirectory => "it is a folder".into(),
        ErrorKind::AlreadyExists => "it already exists".into(),
        ErrorKind::StorageFull => "no space is left on the device".into(),
        _ => error.to_string(),
    }
}
