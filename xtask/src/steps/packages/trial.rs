//! Runs programs for a check, in a folder of its own.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::error::Error;
use crate::{cargo, files};

/// Result of a check: `Some` says why a part of it could not run, an error is a fault of the packages.
pub(super) type Checked = Result<Option<String>, String>;

/// Time limit of each program. The demo takes a few seconds, and much longer on a busy machine.
const AT_MOST: Duration = Duration::from_secs(20 * 60);

/// Folders in which programs are searched for.
const FOLDERS: [&str; 4] = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"];

/// A check with its folder.
pub(super) struct Trial {
    pub(super) folder: PathBuf,
}

impl Trial {
    /// Empties the folder.
    pub(super) fn new(folder: &Path) -> Result<Self, Error> {
        files::empty_folder(folder)?;
        Ok(Self { folder: folder.to_owned() })
    }

    /// A program that begins in the folder.
    pub(super) fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = cargo::command(program.as_ref());
        command.current_dir(&self.folder);
        command
    }

    /// Unpacks a tarball into a new folder, with an unpacker that is not ours.
    pub(super) fn unpacked(&self, tarball: &Path, into: &str) -> Result<PathBuf, String> {
        let folder = self.folder.join(into);
        std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
        let mut tar = self.command("tar");
        tar.arg("-xzf").arg(tarball).arg("-C").arg(&folder);
        self.output(tar)?;
        Ok(folder)
    }

    /// Lets other users into a folder that was created here, whatever the umask is.
    pub(super) fn opened(&self, folder: &Path) -> Result<(), String> {
        let mut chmod = self.command("chmod");
        chmod.args(["-R", "a+rX"]).arg(folder);
        self.output(chmod).map(|_| ())
    }

    /// Runs a program to its end and returns what it printed; killed at the time limit.
    pub(super) fn output(&self, mut command: Command) -> Result<String, String> {
        let shown = format!("{command:?}");
        let path = self.folder.join("output.log");
        let log = File::create(&path).and_then(|log| Ok((log.try_clone()?, log)));
        let (out, err) = log.map_err(|e| format!("{}: {e}", path.display()))?;
        command.stdin(Stdio::null()).stdout(out).stderr(err);
        let ended = cargo::succeeds_within(command, AT_MOST).map_err(|e| e.to_string())?;
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        match ended {
            Some(true) => Ok(text),
            Some(false) => Err(format!("{shown} failed:\n{text}")),
            None => Err(format!("{shown} did not end within {} s:\n{text}", AT_MOST.as_secs())),
        }
    }

    /// Runs a program and compares a part of what it prints.
    pub(super) fn prints(&self, command: Command, expected: &str) -> Result<(), String> {
        let shown = format!("{command:?}");
        let text = self.output(command)?;
        ensure(text.contains(expected), || format!("{shown} does not print {expected:?}:\n{text}"))
    }
}

/// The file of a program on this host.
pub(super) fn found(program: &str) -> Option<PathBuf> {
    FOLDERS.iter().map(|folder| Path::new(folder).join(program)).find(|path| path.is_file())
}

/// True if this process may change its root and the owners of files.
pub(super) fn is_root() -> bool {
    let mut id = cargo::command("id");
    id.arg("-u");
    cargo::output(id).is_some_and(|id| id.trim() == "0")
}

/// A fault unless a condition holds.
pub(super) fn ensure(holds: bool, fault: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(fault()) }
}

/// A fault unless all of these files are in a folder.
pub(super) fn has_files(folder: &Path, files: &[&str]) -> Result<(), String> {
    let missing = files.iter().find(|file| !folder.join(file).is_file());
    ensure(missing.is_none(), || format!("{} is not there", missing.unwrap_or(&"")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(trial: &Trial, script: &str) -> Command {
        let mut command = trial.command("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn faults_say_what_was_printed() {
        let folder = tempfile::tempdir().unwrap();
        let trial = Trial::new(&folder.path().join("trial")).unwrap();
        assert_eq!(trial.prints(shell(&trial, "echo version 1"), "version 1"), Ok(()));
        let other = trial.prints(shell(&trial, "echo other"), "version 1").unwrap_err();
        assert!(other.contains("does not print \"version 1\":\nother"), "{other}");
        let failed = trial.output(shell(&trial, "echo broken >&2; exit 1")).unwrap_err();
        assert!(failed.ends_with("failed:\nbroken\n"), "{failed}");
    }

    #[test]
    fn missing_files_are_faults() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a"), "").unwrap();
        assert_eq!(has_files(folder.path(), &["a"]), Ok(()));
        assert_eq!(has_files(folder.path(), &["a", "b"]), Err("b is not there".to_owned()));
    }
}
