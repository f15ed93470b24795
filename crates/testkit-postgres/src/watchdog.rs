use crate::user::User;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

/// Starts a program, says so, and waits for the word how to stop it. The end of input is the end of the owner,
/// or its wish: then the program is stopped at once, and its folder removed.
const FRAME: &str = r#"
trap '' PIPE
folder=$1; shift
start "$@" || { stop immediate "$@"; exit 1; }
echo ready
read -r how || how=
stop "${how:-immediate}" "$@"
[ -n "$how" ] || rm -rf -- "$folder"
"#;

/// A server that ends with the process that started it: a shell waits for the end of a pipe from there.
#[derive(Debug)]
pub(crate) struct Watchdog {
    shell: Child,
    pipe: Option<ChildStdin>,
}

impl Watchdog {
    /// Starts what the functions `start ARG…` and `stop HOW ARG…` of a shell script start and stop; `start` is to
    /// return when the program is ready for work. Everything is run as that user.
    ///
    /// # Errors
    /// If it does not become ready.
    pub(crate) fn start(user: User, folder: &Path, functions: &str, args: &[PathBuf]) -> io::Result<Self> {
        let mut command: Command = user.command("/bin/sh", folder);
        command.arg("-c").arg(format!("{functions}{FRAME}")).arg("watchdog").arg(folder).args(args);
        // In a group of its own: it is to outlive a Ctrl-C that ends its owner, and clean up.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut shell = command.spawn()?;
        let pipe = shell.stdin.take();
        let mut word = String::new();
        if let Some(output) = shell.stdout.take() {
            BufReader::new(output).read_line(&mut word)?;
        }
        let watchdog = Self { shell, pipe };
        if word.trim_end() == "ready" {
            Ok(watchdog)
        } else {
            Err(io::Error::other("it did not become ready"))
        }
    }

    /// Stops the program and keeps its folder. `how` is what the function `stop` knows.
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
        // Nobody is left to be told of a failure.
        self.shell.wait().ok();
    }
}
