//! Addresses of documents: `file:` URIs and paths.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use bouton_project::without_dots;
use lsp_types::Uri;

/// The path of a `file:` URI; `None` for another scheme.
pub(crate) fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    // An authority before the path is a host; only the local one has files here.
    let path = &rest[rest.find('/')?..];
    let decoded = decoded(path);
    // `/c:/games` on Windows.
    let is_drive = decoded.as_bytes().get(2) == Some(&b':') && decoded.as_bytes()[1].is_ascii_alphabetic();
    Some(without_dots(Path::new(if is_drive { &decoded[1..] } else { &decoded })))
}

/// Replaces `%XX` by its byte; bytes that are not UTF-8 are replaced by U+FFFD.
fn decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&first, more)) = rest.split_first() {
        let digits = more.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match digits.filter(|_| first == b'%').and_then(|two| u8::from_str_radix(two, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &more[2..];
            }
            None => {
                bytes.push(first);
                rest = more;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The `file:` URI of a path.
pub(crate) fn uri_of(path: &Path) -> String {
    let mut uri = String::from("file://");
    let path = path.to_string_lossy().replace('\\', "/");
    if !path.starts_with('/') {
        uri.push('/');
    }
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(byte as char)
            }
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}

/// The URI in the form of the protocol's types; `None` if it is none.
pub(crate) fn parsed(uri: &str) -> Option<Uri> {
    Uri::from_str(uri).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_uris_are_inverse() {
        for path in ["/games/nine mens.bou", "/a/\u{e9}%.bou", "/x#y?.bou"] {
            let uri = uri_of(Path::new(path));
            assert_eq!(path_of(&uri).as_deref(), Some(Path::new(path)), "{uri}");
            assert!(parsed(&uri).is_some(), "{uri}");
        }
        assert_eq!(path_of("file:///c%3A/games/x.bou"), Some(PathBuf::from("c:/games/x.bou")));
        assert_eq!(path_of("file:///a/./b/../c.bou"), Some(PathBuf::from("/a/c.bou")));
        assert_eq!(path_of("untitled:Untitled-1"), None);
        assert_eq!(path_of("file:///a%2"), Some(PathBuf::from("/a%2")));
    }
}
