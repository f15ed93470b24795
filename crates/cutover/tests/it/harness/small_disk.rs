//! A small file system of a test's own: in a mount namespace, so that nobody else sees it and it ends with the test.

use super::Installation;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// Mounts it on the folder, says so, and lives until nobody holds its standard input.
const HOLD: &str = r#"mount -t tmpfs -o "size=$1" tmpfs "$0" && echo mounted && exec cat"#;

/// The data folder of a house on a file system in memory. It is gone when this goes out of scope.
pub(crate) struct SmallDisk {
    holder: Child,
    folder: PathBuf,
}

impl SmallDisk {
    /// Where a file in it is for this process, which does not see it mounted.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        let folder = self.folder.strip_prefix("/").unwrap();
        PathBuf::from(format!("/proc/{}/root", self.holder.id())).join(folder).join(name)
    }

    /// Mounts it anew with these options, such as `ro`; nobody may be writing to it.
    pub(crate) fn remount(&self, options: &str) {
        let [program, args @ ..] = &self.prefix()[..] else { panic!("there is no prefix") };
        let mut command = Command::new(program);
        command.args(args).args(["mount", "-o", &format!("remount,{options}")]).arg(&self.folder);
        assert!(command.status().unwrap().success(), "{options}");
    }

    /// What is put before a program to have it see the file system.
    fn prefix(&self) -> Vec<String> {
        let target = self.holder.id().to_string();
        ["nsenter", "-t", &target, "-U", "-m", "--preserve-credentials", "--"].map(str::to_owned).to_vec()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.holder.kill();
        let _ = self.holder.wait();
    }
}

impl Installation {
    /// A house whose data folder is a file system of so many bytes, in the words of `mount`. None where the system lets
    /// nobody make one: then the test is to pass.
    pub(crate) fn on_small_disk(size: &str) -> Option<(Self, SmallDisk)> {
        let mut installation = Self::with(None);
        let folder = installation.path().canonicalize().unwrap();
        let mut command = Command::new("unshare");
        command.args(["-Urm", "sh", "-c", HOLD]).arg(&folder).arg(size);
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mounted = spawned.ok().and_then(|mut holder| {
            let mut line = String::new();
            BufReader::new(holder.stdout.take()?).read_line(&mut line).ok()?;
            let disk = SmallDisk { holder, folder };
            (line == "mounted\n").then_some(disk)
        });
        let Some(disk) = mounted else {
            // Past the harness of tests, which would keep it to itself.
            let _ = std::io::stderr().write_all(b"NOT RUN: no small file system (unshare -Urm)\n");
            return None;
        };
        installation.inside = disk.prefix();
        Some((installation, disk))
    }

    /// A house whose programs get an error, and no signal, where they write more than the system lets them.
    pub(crate) fn without_file_size_signal() -> Self {
        let mut installation = Self::with(None);
        installation.inside = ["sh", "-c", r#"trap '' XFSZ; exec "$0" "$@""#].map(str::to_owned).to_vec();
        installation
    }
}
