use crate::psql::psql;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// A session of `psql` that stays open between statements, for tests that hold locks or snapshots. It ends
/// when its value is dropped, and with it its transaction.
#[derive(Debug)]
pub struct Session {
    psql: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// Printed after statements, to notice their end.
const DONE: &str = "the statements have ended";

impl Session {
    /// Opens a session in the database at a URL.
    ///
    /// # Errors
    /// If there is no `psql`, or the URL is invalid.
    pub fn open(url: &str) -> io::Result<Self> {
        let mut command = psql(url)?;
        command.args(["-A", "-t"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut psql = command.spawn()?;
        let (Some(input), Some(output)) = (psql.stdin.take(), psql.stdout.take()) else {
            return Err(io::Error::other("psql has no pipes"));
        };
        Ok(Self { psql, input, output: BufReader::new(output) })
    }

    /// Runs statements and waits for their end.
    ///
    /// # Errors
    /// If one fails. The session has ended then.
    pub fn run(&mut self, statements: &str) -> io::Result<()> {
        writeln!(self.input, "{statements};\n\\echo {DONE}")?;
        self.input.flush()?;
        let mut line = String::new();
        while line.trim_end() != DONE {
            line.clear();
            if self.output.read_line(&mut line)? == 0 {
                return Err(io::Error::other("psql ended: a statement failed"));
            }
        }
        Ok(())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // The server notices that the socket is closed.
        let _ = self.psql.kill();
        let _ = self.psql.wait();
    }
}
