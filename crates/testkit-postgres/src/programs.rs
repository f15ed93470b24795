use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Folders of packages with server programs that are not in `PATH`, and the prefix of names in each.
const PACKAGE_FOLDERS: [(&str, &str); 5] = [
    ("/usr/lib/postgresql", ""),
    ("/usr/local", "pgsql"),
    ("/opt/homebrew/opt", "postgresql"),
    ("/usr/local/opt", "postgresql"),
    ("/usr", "pgsql-"),
];

/// Programs that create and run clusters and standbys.
const SERVER: [&str; 4] = ["initdb", "pg_ctl", "postgres", "pg_basebackup"];

/// The server programs of one installation of PostgreSQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Programs {
    folder: PathBuf,
}

impl Programs {
    /// Finds the programs in `PATH`, otherwise the newest of the packages.
    pub fn find() -> Option<Self> {
        let folder =
            folders().into_iter().find(|folder| SERVER.iter().all(|name| folder.join(name).is_file()))?;
        Some(Self { folder })
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

/// Finds a client program: first next to the server's, because the one in `PATH` may be a slow wrapper of a
/// package.
pub(crate) fn find_client(name: &str) -> Option<PathBuf> {
    let packaged = Programs::find().map(|programs| programs.path(name)).filter(|path| path.is_file());
    packaged.or_else(|| find(name))
}

/// Finds a program in `PATH` or in folders of packages.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let others = ["/usr/sbin", "/usr/local/sbin", "/usr/local/bin", "/opt/homebrew/bin"].map(PathBuf::from);
    folders().into_iter().chain(others).map(|folder| folder.join(name)).find(|path| path.is_file())
}

fn folders() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let packaged = PACKAGE_FOLDERS.iter().flat_map(|(parent, start)| newest_first(Path::new(parent), start));
    std::env::split_paths(&path).chain(packaged).collect()
}

fn newest_first(parent: &Path, start: &str) -> Vec<PathBuf> {
    let names = parent.read_dir().into_iter().flatten().flatten();
    let mut names: Vec<String> = names.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| name.starts_with(start));
    names.sort_by_key(|name| std::cmp::Reverse(version(name)));
    names.iter().map(|name| parent.join(name).join("bin")).collect()
}

/// Returns the major version in names like `15`, `pgsql-16`, `postgresql@17`, or 0.
fn version(name: &str) -> u32 {
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    digits.split(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// Says that tests are not run for want of a program: prints each reason once, directly to stderr because the test
/// harness captures output.
pub(crate) fn not_run(reason: &'static str) {
    static PRINTED: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());
    if PRINTED.lock().unwrap_or_else(PoisonError::into_inner).insert(reason) {
        io::stderr().write_all(format!("NOT RUN: {reason}\n").as_bytes()).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_installations_come_first() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["pgsql-9.6", "pgsql-15", "pgsql-17", "other-18", "pgsql"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let expected = ["pgsql-17", "pgsql-15", "pgsql-9.6", "pgsql"];
        let expected: Vec<_> = expected.iter().map(|name| folder.path().join(name).join("bin")).collect();
        assert_eq!(newest_first(folder.path(), "pgsql"), expected);
    }

    #[test]
    fn missing_folders_and_programs_are_not_found() {
        assert_eq!(newest_first(Path::new("/no/such/folder"), ""), Vec::<PathBuf>::new());
        assert_eq!(find("no-such-program"), None);
    }
}
