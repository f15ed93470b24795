use std::ffi::OsStr;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The user that runs the programs: the one that runs the tests, unless it is root, which the programs
/// refuse.
#[derive(Debug, Clone, Copy)]
pub(crate) struct User {
    /// The ids of another user and its group, if root runs the tests.
    instead: Option<(u32, u32)>,
}

impl User {
    pub(crate) fn find() -> io::Result<Self> {
        if id(&["-u"])? != 0 {
            return Ok(Self { instead: None });
        }
        let mut others = ["postgres", "nobody"].into_iter();
        let instead = others.find_map(|name| Some((id(&["-u", name]).ok()?, id(&["-g", name]).ok()?)));
        let missing = "root cannot run PostgreSQL, and there is no user postgres or nobody to run it instead";
        instead.map(|ids| Self { instead: Some(ids) }).ok_or_else(|| io::Error::other(missing))
    }

    /// Creates a folder that the user owns, on a disk.
    pub(crate) fn folder(self) -> io::Result<TempDir> {
        // The temporary folder of root may not be accessible to others.
        self.folder_in(if self.instead.is_some() { "/tmp".into() } else { std::env::temp_dir() })
    }

    /// Creates a folder that the user owns in another.
    pub(crate) fn folder_in(self, parent: PathBuf) -> io::Result<TempDir> {
        let folder = tempfile::Builder::new().prefix("cutover-test-").tempdir_in(parent)?;
        self.give(folder.path())?;
        Ok(folder)
    }

    /// Makes the user the owner of a file.
    pub(crate) fn give(self, path: &Path) -> io::Result<()> {
        match self.instead {
            Some((user, group)) => std::os::unix::fs::chown(path, Some(user), Some(group)),
            None => Ok(()),
        }
    }

    /// Returns a command to be run as the user, with `folder` as its home and without libpq's environment
    /// variables.
    pub(crate) fn command(self, program: impl AsRef<OsStr>, folder: &Path) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PG")) {
            command.env_remove(name);
        }
        command.current_dir(folder).env("HOME", folder).env("LC_ALL", "C");
        if let Some((user, group)) = self.instead {
            command.uid(user).gid(group);
        }
        command
    }
}

fn id(args: &[&str]) -> io::Result<u32> {
    let output = Command::new("id").args(args).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim()
        .parse()
        .map_err(|_| io::Error::other(format!("`id {}` does not print a number", args.join(" "))))
}

/// Runs a command and returns its output.
///
/// # Errors
/// If it cannot be started, or fails, with its output.
pub(crate) fn run(command: &mut Command) -> io::Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| io::Error::new(e.kind(), format!("cannot run {name}: {e}")))?;
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr);
        return Err(io::Error::other(format!("{name} failed: {}", error.trim())));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}
