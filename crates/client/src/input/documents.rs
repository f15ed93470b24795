use super::find::{is_of_this_program, is_same, note};
use super::shape::Shape;
use super::{Content, Source};
use crate::error::{Error, print_note};
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// Finds the documents below a folder, by name: every file, and every link, which is judged when it is read. Hidden files are
/// skipped with a note; so are what this program writes there, and links to folders are not followed.
///
/// # Errors
/// [`Error`] if the folder, or one below it, cannot be listed.
pub(crate) fn find_documents(folder: &Path, written: &[PathBuf]) -> Result<Vec<Source>, Error> {
    std::fs::read_dir(folder).map_err(Error::file("read", folder))?;
    let (mut sources, mut skipped) = (Vec::new(), Vec::new());
    let mut entries = WalkDir::new(folder).min_depth(1).sort_by_file_name().into_iter();
    while let Some(entry) = entries.next() {
        let entry = entry.map_err(|error| Error::refused(format!("the folder cannot be read: {error}")))?;
        let (path, kind) = (entry.path(), entry.file_type());
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            skipped.push(path.display().to_string());
            if kind.is_dir() {
                entries.skip_current_dir();
            }
        } else if !kind.is_dir() && !is_of_this_program(path) && !written.iter().any(|own| is_same(own, path))
        {
            let bytes = entry.metadata().ok().map(|metadata| metadata.len());
            let name = path.display().to_string();
            let content = Content::File(entry.into_path());
            sources.push(Source { name, content, shape: Shape::Document, is_compressed: false, bytes });
        }
    }
    if !skipped.is_empty() {
        print_note(&note(&skipped));
    }
    Ok(sources)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_a_document_but_hidden_ones_and_our_own() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in ["s/2.pdf", "s/1.json", "a", ".hidden", ".git/x", "x.cutover-journal", "r.csv"] {
            std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            std::fs::write(root.join(name), "12").unwrap();
        }
        let found = find_documents(root, &[root.join("s/../r.csv")]).unwrap();
        let names: Vec<_> = found
            .iter()
            .map(|found| found.path().unwrap().strip_prefix(root).unwrap().to_str().unwrap())
            .collect();
        assert_eq!(names, ["a", "s/1.json", "s/2.pdf"]);
        assert!(found.iter().all(|found| found.bytes == Some(2)));
        assert!(
            find_documents(&root.join("a"), &[]).is_err() && find_documents(&root.join("b"), &[]).is_err()
        );
    }
}
