//! `// allow(W0410): reason` silences a warning in its file.

use rustc_hash::FxHashSet;

use bouton_base::source::{FileId, Sources};
use bouton_syntax::diag::{Code, Diagnostic, Severity};

/// Drops the warnings and notes that their file allows; errors stay.
pub fn silence(sources: &Sources, diagnostics: &mut Vec<Diagnostic>) {
    let mut known: Vec<(FileId, FxHashSet<Code>)> = Vec::new();
    diagnostics.retain(|found| {
        let source = sources.source_of(found.span());
        let Some(source) = source.filter(|_| found.severity() != Severity::Error) else { return true };
        let file = found.span().file;
        let place = known.iter().position(|(f, _)| *f == file).unwrap_or_else(|| {
            known.push((file, allowed(&source.text)));
            known.len() - 1
        });
        !known[place].1.contains(&found.code)
    });
}

/// The codes that the comments of a file allow.
fn allowed(text: &str) -> FxHashSet<Code> {
    let mut codes = FxHashSet::default();
    for line in text.lines() {
        let Some((_, comment)) = line.split_once("//") else { continue };
        let Some(list) = comment.trim_start_matches('/').trim_start().strip_prefix("allow(") else {
            continue;
        };
        let Some((names, _)) = list.split_once(')') else { continue };
        codes.extend(names.split(',').filter_map(|name| Code::find(name.trim())));
    }
    codes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_name_codes() {
        let codes = allowed("x = 1; // allow(W0410, w0541): meant so\n// allow W0110\nallow(W0530)");
        assert!(codes.contains(&Code::W0410) && codes.contains(&Code::W0541));
        assert_eq!(codes.len(), 2);
    }
}
