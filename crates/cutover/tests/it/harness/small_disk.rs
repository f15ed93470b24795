//! A small file system in a mount namespace of one test, which ends with it.

use super::Installation;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// Mounts it on the folder, prints a line, and keeps it until the standard input ends.
const HOLD: &str = r#"mount -t tmpfs -o "size=$1" tmpfs "$0" && echo mounted && exec cat"#;

/// The data folder of an installation on a file system in memory, which is unmounted on drop.
pub(crate) struct SmallDisk {
    holder: Child,
    folder: PathBuf,
}

impl SmallDisk {
    /// The path of a file in it for this process, outside the namespace.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        let folder = self.folder.strip_prefix("/").unwrap();
        PathBuf::from(format!("/proc/{}/root", self.holder.id())).join(folder).join(name)
    }

    /// Remounts it with these options, for example `ro`; no file may be open for writing.
    pub(crate) fn remount(&self, options: &str) {
        let [program, args @ ..] = &self.prefix()[..] else { panic!("there is no prefix") };
        let mut command = Command::new(program);
        command.args(args).args(["mount", "-o", &format!("remount,{options}")]).arg(&self.folder);
        assert!(command.status().unwrap().success(), "{options}");
    }

    /// The command prefix that enters the namespace.
    fn prefix(&self) -> Vec<String> {
        let target = self.holder.id().to_string();
        ["nsenter", "-t", &target, "-U", "-m", "--preserve-credentials", "--"].map(str::to_owned).to_vec()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.holder.kill();
        let _ = self.holder.wait();
    }
}

impl Installation {
    /// Creates an installation on a file system of this size, as `mount` takes it. Returns `None` if the
    /// system does not permit it: the test then passes.
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
            // Written directly: the test harness would capture it.
            let _ = std::io::stderr().write_all(b"NOT RUN: no small file system (unshare -Urm)\n");
            return None;
        };
        installation.command_prefix = disk.prefix();
        Some((installation, disk))
    }

    /// Creates an installation whose programs get an error, and no signal, beyond their file size limit.
    pub(crate) fn without_file_size_signal() -> Self {
        let mut installation = Self::with(None);
        installation.command_prefix =
            ["sh", "-c", r#"trap '' XFSZ; exec "$0" "$@""#].map(str::to_owned).to_vec();
        installation
    }
}
