use std::path::Path;

/// Layout of the accounts in an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// One account per line: NDJSON.
    Lines,
    /// One account in the whole file: JSON, over any number of lines.
    Whole,
    /// Any number of accounts over any number of lines: an array of them, or one after another.
    Values,
    /// A document, which is not read here: only its name is handed on.
    Document,
    /// Not known by the name; the first line decides.
    ByContent,
}

/// Format that a file's name implies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileFormat {
    pub(super) shape: Shape,
    pub(super) is_compressed: bool,
}

impl FileFormat {
    /// Reads the extensions, ignoring case: `.ndjson`, `.jsonl` or `.json`, optionally followed by `.gz` or
    /// `.zst`.
    pub(super) fn of(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let decompressed = decompressed_name(&name);
        let shape = match decompressed.unwrap_or(&name).rsplit_once('.').map(|(_, extension)| extension) {
            Some("ndjson" | "jsonl") => Shape::Lines,
            Some("json") => Shape::Whole,
            _ => Shape::ByContent,
        };
        Self { shape, is_compressed: decompressed.is_some() }
    }
}

/// True if a file's name says that it has accounts.
pub(crate) fn is_of_accounts(path: &Path) -> bool {
    FileFormat::of(path).shape != Shape::ByContent
}

/// The name of a compressed file, without what says that it is compressed.
pub(crate) fn decompressed_name(name: &str) -> Option<&str> {
    [".gz", ".zst"].into_iter().find_map(|packing| {
        let (name, extension) = name.split_at_checked(name.len().checked_sub(packing.len())?)?;
        extension.eq_ignore_ascii_case(packing).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shape_follows_from_the_name() {
        let cases = [
            ("a.ndjson", Shape::Lines, false),
            ("dir.json/A.JSONL", Shape::Lines, false),
            ("a.json", Shape::Whole, false),
            ("a.ndjson.gz", Shape::Lines, true),
            ("a.b.json.ZST", Shape::Whole, true),
            ("a.gz", Shape::ByContent, true),
            ("ndjson", Shape::ByContent, false),
            ("a.txt", Shape::ByContent, false),
        ];
        for (name, shape, is_compressed) in cases {
            assert_eq!(FileFormat::of(Path::new(name)), FileFormat { shape, is_compressed }, "{name}");
        }
    }
}
