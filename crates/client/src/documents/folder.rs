use crate::error::Error;
use cutover_rules::{DocumentState, WantedDocument};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// First bytes of a PDF.
const PDF: &[u8] = b"%PDF-";

/// A folder with the documents of a supplier, laid out as below its root in the storage.
#[derive(Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    /// # Errors
    /// [`Error`] if it is no folder.
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let root = path.canonicalize().map_err(Error::file("read", path))?;
        std::fs::read_dir(&root).map_err(Error::file("read", path))?;
        Ok(Self(root))
    }

    /// The state of a document, whose path is safe. What cannot be read is missing, as is what a link leads out to.
    pub(super) fn state(&self, document: &WantedDocument) -> DocumentState {
        let inside = |path: PathBuf| path.starts_with(&self.0) && path.is_file();
        let path = self.0.join(&document.path).canonicalize().ok().filter(|path| inside(path.clone()));
        let Some(mut file) = path.and_then(|path| File::open(path).ok()) else {
            return DocumentState::Missing;
        };
        let mut begin = [0; PDF.len()];
        match document.must_be_pdf && file.read_exact(&mut begin).is_ok() && begin == PDF {
            true => DocumentState::Pdf,
            false => DocumentState::Present,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_looked_up_below_the_folder() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().join("root");
        std::fs::create_dir_all(root.join("s")).unwrap();
        std::fs::write(root.join("s/a.pdf"), "%PDF-1.7").unwrap();
        std::fs::write(root.join("s/b.pdf"), "%PD").unwrap();
        std::fs::write(temporary.path().join("out.pdf"), "%PDF-1.7").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("../out.pdf", root.join("link.pdf")).unwrap();
        let folder = Folder::open(&root).unwrap();
        let state =
            |path: &str, must_be_pdf| folder.state(&WantedDocument { path: path.into(), must_be_pdf });
        assert_eq!(state("s/a.pdf", true), DocumentState::Pdf);
        assert_eq!(state("s/a.pdf", false), DocumentState::Present);
        assert_eq!(state("s/b.pdf", true), DocumentState::Present);
        for path in ["s", "s/c.pdf", "link.pdf"] {
            assert_eq!(state(path, true), DocumentState::Missing, "{path}");
        }
        assert!(Folder::open(&root.join("gone")).is_err() && Folder::open(&root.join("s/a.pdf")).is_err());
    }
}
