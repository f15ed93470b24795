use std::path::{Path, PathBuf};

/// Where packages put server programs that are not in `PATH`: a folder, and how names in it begin.
const PLACES: [(&str, &str); 5] = [
    ("/usr/lib/postgresql", ""),
    ("/usr/local", "pgsql"),
    ("/opt/homebrew/opt", "postgresql"),
    ("/usr/local/opt", "postgresql"),
    ("/usr", "pgsql-"),
];

/// What makes and runs clusters and standbys.
const SERVER: [&str; 4] = ["initdb", "pg_ctl", "postgres", "pg_basebackup"];

/// The server programs of one installation of PostgreSQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Programs {
    folder: PathBuf,
}

impl Programs {
    /// Those in `PATH`, else the newest where packages put them.
    pub fn find() -> Option<Self> {
        let folder =
            folders().into_iter().find(|folder| SERVER.iter().all(|name| folder.join(name).is_file()))?;
        Some(Self { folder })
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

/// A program of clients: beside the server's, for what is in `PATH` may be a slow wrapper of packages, else there.
pub(crate) fn find_client(name: &str) -> Option<PathBuf> {
    let beside = Programs::find().map(|programs| programs.path(name)).filter(|path| path.is_file());
    beside.or_else(|| find(name))
}

/// Any program, in `PATH` or where packages put such.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let near = ["/usr/sbin", "/usr/local/sbin", "/usr/local/bin", "/opt/homebrew/bin"].map(PathBuf::from);
    folders().into_iter().chain(near).map(|folder| folder.join(name)).find(|path| path.is_file())
}

fn folders() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let packaged = PLACES.iter().flat_map(|(parent, start)| newest_first(Path::new(parent), start));
    std::env::split_paths(&path).chain(packaged).collect()
}

fn newest_first(parent: &Path, start: &str) -> Vec<PathBuf> {
    let names = parent.read_dir().into_iter().flatten().flatten();
    let mut names: Vec<String> = names.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| name.starts_with(start));
    names.sort_by_key(|name| std::cmp::Reverse(version(name)));
    names.iter().map(|name| parent.join(name).join("bin")).collect()
}

/// The major version in such names as `15`, `pgsql-16`, `postgresql@17`; 0 without one.
fn version(name: &str) -> u32 {
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    digits.split(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse().ok()).unwrap_or(0)
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
    fn a_place_that_is_not_there_is_none() {
        assert_eq!(newest_first(Path::new("/no/such/folder"), ""), Vec::<PathBuf>::new());
        assert_eq!(find("no-such-program"), None);
    }
}
