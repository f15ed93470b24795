use crate::error::Error;
use crate::open::create_file;
use crate::settings::{Database, Settings};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

/// The lock of a SQLite file (contract D11): one `serve` process per file. It is released on drop.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

/// The state of the lock.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum LockState {
    /// No process serves the file.
    Free,
    /// A process serves it; this text names the process.
    HeldBy(String),
}

impl Lock {
    /// Locks the database of the settings; creates the file if there is none. Returns `None` for PostgreSQL, which any
    /// number of processes serve.
    ///
    /// # Errors
    /// [`Error`] if another process holds it.
    pub(crate) fn of(settings: &Settings) -> Result<Option<Self>, Error> {
        let Database::Sqlite(file) = &settings.database else { return Ok(None) };
        create_file(file, settings)?;
        Self::take(file).map(Some)
    }

    /// Locks a file.
    ///
    /// # Errors
    /// [`Error`] if another process holds it.
    pub(crate) fn take(database: &Path) -> Result<Self, Error> {
        let path = lock_path(database);
        let mut file = open(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let holder = holder(&mut file);
                let database = database.display();
                return Err(Error::refused(format!(
                    "{holder} serves {database} already: one serve a SQLite file"
                )));
            }
            Err(TryLockError::Error(error)) => return Err(unusable(&path, &error)),
        }
        note_holder(&mut file).map_err(|error| unusable(&path, &error))?;
        Ok(Self { _file: file })
    }

    /// Returns the state of a file's lock.
    ///
    /// # Errors
    /// [`Error`] if the lock cannot be used.
    pub(crate) fn probe(database: &Path) -> Result<LockState, Error> {
        let path = lock_path(database);
        let mut file = open(&path)?;
        match file.try_lock_shared() {
            Ok(()) => Ok(LockState::Free),
            Err(TryLockError::WouldBlock) => Ok(LockState::HeldBy(holder(&mut file))),
            Err(TryLockError::Error(error)) => Err(unusable(&path, &error)),
        }
    }
}

/// The path of the lock file. SQLite locks ranges of the database file itself, so the lock has a file of its own; links
/// to the database lead to the same lock file.
fn lock_path(database: &Path) -> PathBuf {
    let real = database.canonicalize().unwrap_or_else(|_| database.to_owned());
    let mut name = real.into_os_string();
    name.push(".lock");
    name.into()
}

fn open(path: &Path) -> Result<File, Error> {
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    file.map_err(|error| unusable(path, &error))
}

fn unusable(path: &Path, error: &std::io::Error) -> Error {
    Error::refused(format!("the lock {} cannot be used: {error}", path.display()))
}

fn note_holder(file: &mut File) -> std::io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    write!(file, "{}", std::process::id())
}

fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let id = file.read_to_string(&mut text).ok().and_then(|_| text.trim().parse::<u32>().ok());
    id.map_or("another process".to_owned(), |id| format!("process {id}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_one_lock_until_it_is_dropped() {
        let home = tempfile::tempdir().unwrap();
        let database = home.path().join("cutover.db");
        std::fs::write(&database, "").unwrap();
        assert_eq!(Lock::probe(&database).unwrap(), LockState::Free);
        let lock = Lock::take(&database).unwrap();
        let id = std::process::id();
        assert_eq!(Lock::probe(&database).unwrap(), LockState::HeldBy(format!("process {id}")));
        let refused = Lock::take(&database).unwrap_err().to_string();
        assert!(refused.starts_with(&format!("process {id} serves ")), "{refused}");
        drop(lock);
        assert!(Lock::take(&database).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_the_file_has_the_same_lock() {
        let home = tempfile::tempdir().unwrap();
        let (database, link) = (home.path().join("cutover.db"), home.path().join("link.db"));
        std::fs::write(&database, "").unwrap();
        std::os::unix::fs::symlink(&database, &link).unwrap();
        let _lock = Lock::take(&database).unwrap();
        assert!(Lock::take(&link).is_err());
    }
}
