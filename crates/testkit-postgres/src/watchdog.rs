use crate::user::User;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

/// Starts a program, prints `ready`, and waits for a line with the way to stop it. At the end of its input,
/// which the end of its owner causes, it stops the program at once and removes the folder.
const FRAME: &str = r#"
trap '' PIPE
folder=$1; shift
start "$@" || { stop immediate "$@"; exit 1; }
echo ready
read -r how || how=
stop "${how:-immediate}" "$@"
[ -n "$how" ] || rm -rf -- "$folder"
"#;

/// Stops a server when the process that started it ends: a shell waits for the end of a pipe from that
/// process.
#[derive(Debug)]
pub(crate) struct Watchdog {
    shell: Child,
    pipe: Option<ChildStdin>,
}

impl Watchdog {
    /// Starts a program with the shell functions `start ARG…` and `stop HOW ARG…`, run as a user. `start` has
    /// to return once the program is ready.
    ///
    /// # Errors
    /// If it does not become ready.
    pub(crate) fn start(user: User, folder: &Path, functions: &str, args: &[PathBuf]) -> io::Result<Self> {
        let mut command: Command = user.command("/bin/sh", folder);
        command.arg("-c").arg(format!("{functions}{FRAME}")).arg("watchdog").arg(folder).args(args);
        // In its own process group, so that it survives a Ctrl-C that ends its owner, and cleans up.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut shell = command.spawn()?;
        let pipe = shell.stdin.take();
        let mut line = String::new();
        if let Some(output) = shell.stdout.take() {
            BufReader::new(output).read_line(&mut line)?;
        }
        let watchdog = Self { shell, pipe };
        if line.trim_end() == "ready" {
            Ok(watchdog)
        } else {
            Err(io::Error::other("the program did not become ready"))
        }
    }

    /// Stops the program and keeps its folder. `how` is passed to the function `stop`.
    ///
    /// # Errors
    /// If the shell is gone.
    pub(crate) fn stop(mut self, how: &str) -> io::Result<()> {
        if let Some(pipe) = &mut self.pipe {
            writeln!(pipe, "{how}")?;
        }
        Ok(())
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        drop(self.pipe.take());
        // A failure cannot be reported here.
        self.shell.wait().ok();
    }
}
