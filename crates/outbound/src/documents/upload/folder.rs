//! Documents that are written to a local folder: to a file beside them, which is linked under their path when it is whole.

use super::super::{Lookups, folder};
use super::blocking;
use crate::OutboundRuntime;
use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, File, OpenOptions};
use cutover_app::port::{Answer, DocumentUpload, NotStored};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A document that is being written.
pub(in super::super) struct FolderUpload {
    /// `None` only while it is dropped.
    partial: Option<Arc<Partial>>,
    path: String,
    shared: Arc<Lookups>,
    runtime: OutboundRuntime,
}

/// A file with a part of a document, in the root of its supplier; removed on drop.
struct Partial {
    root: Dir,
    name: String,
    file: File,
}

impl FolderUpload {
    /// Begins a document under a safe path of a safe root.
    pub(in super::super) async fn begin(
        documents: &Path,
        root: String,
        path: String,
        shared: Arc<Lookups>,
        runtime: OutboundRuntime,
    ) -> Result<Self, NotStored> {
        let documents = documents.to_owned();
        let begin = move || Partial::create(create_root(&folder::open(&documents)?, &root)?);
        let partial = blocking(shared.clone(), begin).await?;
        Ok(Self { partial: Some(Arc::new(partial)), path, shared, runtime })
    }

    fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Partial) -> io::Result<T> + Send + 'static,
    ) -> Answer<'static, Result<T, NotStored>> {
        let (partial, shared) = (self.partial.clone(), self.shared.clone());
        Box::pin(self.runtime.spawn(blocking(shared, move || {
            let partial = partial.ok_or(ErrorKind::NotFound)?;
            work(&partial)
        })))
    }
}

impl DocumentUpload for FolderUpload {
    fn write(&mut self, piece: Vec<u8>) -> Answer<'_, Result<(), NotStored>> {
        self.work(move |partial| (&partial.file).write_all(&piece))
    }

    fn finish(self: Box<Self>, last: Vec<u8>) -> Answer<'static, Result<bool, NotStored>> {
        let path = self.path.clone();
        let placed = self.work(move |partial| {
            (&partial.file).write_all(&last)?;
            partial.file.sync_all()?;
            partial.place(Path::new(&path))
        });
        Box::pin(async move {
            // Kept until then, so that the file is not removed before.
            let upload = self;
            let placed = placed.await;
            drop(upload);
            placed
        })
    }
}

impl Drop for FolderUpload {
    fn drop(&mut self) {
        let (partial, shared) = (self.partial.take(), self.shared.clone());
        // Removing the file may block.
        self.runtime.spawn_detached(async move {
            let _ = blocking(shared, move || {
                drop(partial);
                Ok(())
            })
            .await;
        });
    }
}

impl Partial {
    fn create(root: Dir) -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        loop {
            // Another process may have the same id, on another machine.
            let name = format!(".upload-{}-{}", process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
            match root.open_with(&name, OpenOptions::new().write(true).create_new(true)) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                file => return Ok(Self { file: file?, root, name }),
            }
        }
    }

    /// Lets the document appear under its path. Returns false if something else is there.
    fn place(&self, path: &Path) -> io::Result<bool> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(ErrorKind::InvalidFilename.into());
        };
        let is_new = !folder.as_os_str().is_empty() && !self.root.is_dir(folder);
        let linked = self.folder(folder).and_then(|folder| {
            self.root.hard_link(&self.name, &folder, name)?;
            sync(&folder)
        });
        match linked {
            Err(error) if is_taken(&error) => return Ok(false),
            linked => linked?,
        }
        if is_new {
            let above = folder.ancestors().skip(1);
            above.map(|above| self.folder(above)).try_for_each(|above| sync(&above?))?;
        }
        Ok(true)
    }

    /// Opens a folder below the root, and creates it if there is none. Links are followed inside of the root.
    fn folder(&self, path: &Path) -> io::Result<Dir> {
        if path.as_os_str().is_empty() {
            return self.root.try_clone();
        }
        self.root.create_dir_all(path)?;
        self.root.open_dir(path)
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if let Err(error) = self.root.remove_file(&self.name) {
            tracing::warn!(name = self.name, %error, "a file with a part of a document could not be removed");
        }
    }
}

/// Opens a supplier's root, and creates it if there is none. A link does not count, as in [`folder::root`].
fn create_root(documents: &Dir, root: &str) -> io::Result<Dir> {
    let mut dir = documents.try_clone()?;
    for name in root.split('/') {
        dir = match dir.open_dir_nofollow(name) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                match dir.create_dir(name) {
                    Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
                    _ => sync(&dir)?,
                }
                dir.open_dir_nofollow(name)?
            }
            opened => opened?,
        };
    }
    Ok(dir)
}

/// True if an error says that a file is where another one, or a folder, is to be.
fn is_taken(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::NotADirectory)
}

/// Makes the names in a folder durable. The handle itself may be one that only leads to others.
fn sync(folder: &Dir) -> io::Result<()> {
    if cfg!(unix) { folder.open(".")?.sync_all() } else { Ok(()) }
}
