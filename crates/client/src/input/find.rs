use super::shape::{FileFormat, Shape};
use super::{Content, Source};
use crate::error::{Error, print_note};
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// Finds the inputs that paths name, in this order: paths as given, files of a folder by name, folder by
/// folder. `-` is standard input. `reports` are about to be written, so files there are no inputs of a
/// folder.
///
/// # Errors
/// [`Error`] if a path does not exist, is a report or a second `-`, or a folder cannot be listed or holds no
/// input.
pub(crate) fn find(paths: &[PathBuf], reports: &[PathBuf]) -> Result<Vec<Source>, Error> {
    find_unclaimed(paths, reports, &mut |_, _| false)
}

/// Whether a file, found in a folder or given, is taken for something else than an input.
type Claim<'c> = dyn FnMut(&Path, Found) -> bool + 'c;

/// How a file was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// Its path was given.
    Given,
    /// It is in a folder whose path was given.
    InFolder,
}

/// Finds the inputs as [`find`] does, without the files that `claim` takes.
///
/// # Errors
/// Same as [`find`].
pub(crate) fn find_unclaimed(
    paths: &[PathBuf],
    reports: &[PathBuf],
    claim: &mut Claim<'_>,
) -> Result<Vec<Source>, Error> {
    let (mut sources, mut skipped) = (Vec::new(), Vec::new());
    let mut has_standard_input = false;
    for path in paths {
        if path == Path::new("-") {
            if std::mem::replace(&mut has_standard_input, true) {
                return Err(Error::refused("standard input (-) is given twice"));
            }
            sources.push(standard_input());
            continue;
        }
        let metadata = std::fs::metadata(path).map_err(Error::file("read", path))?;
        if metadata.is_dir() {
            let found = sources.len();
            let has_claimed = walk(path, reports, claim, (&mut sources, &mut skipped))?;
            if sources.len() == found && !has_claimed {
                let what = "holds no .ndjson, .jsonl or .json file (.gz and .zst of these count)";
                return Err(Error::refused(format!("{} {what}", path.display())));
            }
        } else if reports.iter().any(|report| is_same(report, path)) {
            return Err(Error::refused(format!("{} is an input: a report would replace it", path.display())));
        } else if !claim(path, Found::Given) {
            sources.push(file(path.clone(), metadata.is_file().then_some(metadata.len())));
        }
    }
    if !skipped.is_empty() {
        print_note(&note(&skipped));
    }
    Ok(sources)
}

/// Maximum number of files that are named.
const MAX_NAMED: usize = 10;

/// Names the files that were skipped.
pub(crate) fn note(skipped: &[String]) -> String {
    named("skipped, because their names are not those of inputs", skipped)
}

/// Names the first ones of files that have something in common.
pub(crate) fn named(what: &str, files: &[String]) -> String {
    let more = files.len().saturating_sub(MAX_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{what}: {}{more}", files[..files.len().min(MAX_NAMED)].join(", "))
}

fn standard_input() -> Source {
    let name = "standard input".to_owned();
    Source { name, content: Content::StandardInput, shape: Shape::Lines, is_compressed: false, bytes: None }
}

fn file(path: PathBuf, bytes: Option<u64>) -> Source {
    let FileFormat { shape, is_compressed } = FileFormat::of(&path);
    let name = path.display().to_string();
    Source { name, content: Content::File(path), shape, is_compressed, bytes }
}

/// Adds the inputs of a folder: files with a known extension. Hidden files are skipped, links are followed. Returns true
/// if files were claimed.
fn walk(
    folder: &Path,
    reports: &[PathBuf],
    claim: &mut Claim<'_>,
    (sources, skipped): (&mut Vec<Source>, &mut Vec<String>),
) -> Result<bool, Error> {
    let mut has_claimed = false;
    let is_hidden = |name: &std::ffi::OsStr| name.as_encoded_bytes().starts_with(b".");
    let entries = WalkDir::new(folder).follow_links(true).sort_by_file_name().into_iter();
    for entry in entries.filter_entry(|entry| entry.depth() == 0 || !is_hidden(entry.file_name())) {
        let entry = entry.map_err(|error| Error::refused(format!("the folder cannot be read: {error}")))?;
        let is_input = FileFormat::of(entry.path()).shape != Shape::ByContent;
        if !entry.file_type().is_file() || reports.iter().any(|report| is_same(report, entry.path())) {
            continue;
        }
        if claim(entry.path(), Found::InFolder) {
            has_claimed = true;
        } else if is_input {
            let bytes = entry.metadata().ok().map(|metadata| metadata.len());
            sources.push(file(entry.into_path(), bytes));
        } else if !is_of_this_program(entry.path()) {
            skipped.push(entry.path().display().to_string());
        }
    }
    Ok(has_claimed)
}

/// True for journals of uploads.
pub(crate) fn is_of_this_program(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("cutover-journal" | "cutover-dry-run-journal"))
}

/// True if two paths name the same file, whether it exists or not. The file system is asked only if the file
/// names agree.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    let new = |path: &Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        Some(folder.unwrap_or(Path::new(".")).canonicalize().ok()?.join(path.file_name()?))
    };
    let real = |path: &Path| path.canonicalize().ok().or_else(|| new(path));
    one.file_name() == other.file_name() && real(one).is_some_and(|one| Some(one) == real(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with empty files.
    fn folder(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        folder
    }

    fn names(folder: &Path, sources: &[Source]) -> Vec<String> {
        let name = |s: &Source| Path::new(&s.name).strip_prefix(folder).unwrap().display().to_string();
        sources.iter().map(name).collect()
    }

    #[test]
    fn folders_are_walked_by_name_for_known_extensions() {
        let folder = folder(&[
            "b/2.json",
            "b/10.jsonl",
            "a.ndjson.gz",
            "c.json.zst",
            "notes.txt",
            "x.gz",
            ".hidden.json",
            ".git/a.json",
            "report.json",
        ]);
        let path = folder.path();
        let found = find(&[path.to_owned()], &[path.join("b/../report.json")]).unwrap();
        assert_eq!(names(path, &found), ["a.ndjson.gz", "b/10.jsonl", "b/2.json", "c.json.zst"]);
        assert!(found.iter().all(|source| source.bytes == Some(0)));
    }

    #[test]
    fn skipped_files_are_named() {
        let names: Vec<String> = (0..12).map(|n| format!("n{n}.txt")).collect();
        assert!(note(&names[..2]).ends_with(": n0.txt, n1.txt"));
        assert!(note(&names).ends_with("n9.txt and 2 more"));
        let folder = folder(&["a.json", "notes.txt", ".hidden", "a.cutover-journal", "r.csv"]);
        let (mut sources, mut skipped) = (Vec::new(), Vec::new());
        let report = folder.path().join("r.csv");
        walk(folder.path(), &[report], &mut |_, _| false, (&mut sources, &mut skipped)).unwrap();
        assert_eq!((sources.len(), skipped.len()), (1, 1));
        assert!(skipped[0].ends_with("notes.txt"), "{skipped:?}");
    }

    #[test]
    fn a_file_given_as_path_is_read_whatever_its_name() {
        let folder = folder(&["b.txt", ".a.json"]);
        let paths = [folder.path().join("b.txt"), folder.path().join(".a.json")];
        let found = find(&paths, &[]).unwrap();
        assert_eq!(names(folder.path(), &found), ["b.txt", ".a.json"]);
        assert_eq!(found[0].shape, Shape::ByContent);
    }

    #[test]
    fn claimed_files_are_no_inputs() {
        let folder = folder(&["a.json", "in/b.json"]);
        let paths = ["a.json", "in"].map(|name| folder.path().join(name));
        let mut claimed = Vec::new();
        let mut claim = |path: &Path, found| {
            claimed.push((path.file_name().unwrap().to_owned(), found));
            true
        };
        assert!(find_unclaimed(&paths, &[], &mut claim).unwrap().is_empty());
        assert_eq!(claimed, [("a.json".into(), Found::Given), ("b.json".into(), Found::InFolder)]);
    }

    #[test]
    fn no_report_replaces_an_input() {
        let folder = folder(&["a.json", "b/c.json"]);
        let (input, report) = (folder.path().join("a.json"), folder.path().join("b/../a.json"));
        let error = find(&[input], &[report]).unwrap_err().to_string();
        assert!(error.ends_with("a.json is an input: a report would replace it"), "{error}");
    }

    #[test]
    fn errors_name_the_missing_path() {
        let folder = folder(&["notes.txt"]);
        let error = |paths: &[PathBuf]| find(paths, &[]).unwrap_err().to_string();
        let gone = error(&[folder.path().join("gone.json")]);
        assert!(gone.contains("gone.json cannot be read: No such file"), "{gone}");
        assert!(error(&[folder.path().to_owned()]).contains("holds no .ndjson"));
        assert_eq!(error(&["-".into(), "-".into()]), "standard input (-) is given twice");
    }
}
