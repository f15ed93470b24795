//! Requests by the programs of others: wrk for a load, curl for single requests.

use crate::error::Error;
use crate::program;
use cutover_bench::accounts::{self, Size};
use serde::Deserialize;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A load of POSTs by wrk: over some connections, each of which sends its next request after an answer.
pub(crate) struct Load<'a> {
    pub(crate) address: SocketAddr,
    /// Paths that are asked in turn with each line of the file.
    pub(crate) paths: &'a [&'a str],
    pub(crate) token: Option<&'a str>,
    /// Bodies, one a line. Placeholders in them become numbers that no other request has.
    pub(crate) file: &'a Path,
    pub(crate) connections: usize,
    pub(crate) seconds: u64,
    /// Leaves the first core to the server.
    pub(crate) is_pinned: bool,
}

/// Answers to a load.
#[derive(Debug, Deserialize)]
pub(crate) struct Answers {
    pub(crate) seconds: f64,
    pub(crate) answered: f64,
    /// Answers with a status of 400 or more.
    pub(crate) refused: f64,
    pub(crate) p99_ms: f64,
    /// Connections that failed or timed out.
    failed: u64,
}

impl Load<'_> {
    pub(crate) fn run(&self) -> Result<Answers, Error> {
        program::require("wrk", "wrk")?;
        let mut command = if self.is_pinned { program::on_last_core("wrk") } else { program::command("wrk") };
        command.args(["--threads", "1", "--timeout", "30s", "--script", "bench/load.lua"]);
        command.args(["--connections", &self.connections.to_string()]);
        command.args(["--duration", &format!("{}s", self.seconds)]);
        if let Some(token) = self.token {
            command.args(["--header", &format!("Authorization: Token {token}")]);
        }
        command.arg(format!("http://{}", self.address)).arg("--").arg(self.file).args(self.paths);
        let output = program::output(command)?;
        let result = output.lines().find_map(|line| line.strip_prefix("RESULT "));
        let answers = result.and_then(|json| serde_json::from_str::<Answers>(json).ok());
        match answers {
            Some(answers) if answers.failed == 0 => Ok(answers),
            _ => Err(Error::Bench(format!("wrk: {output}"))),
        }
    }
}

/// Writes different accounts with placeholders for their numbers into a file.
pub(crate) fn templates(size: Size, count: usize, is_faulty: bool) -> Result<PathBuf, Error> {
    let name = if is_faulty { "faulty" } else { "valid" };
    let file = program::folder().join(format!("{name}-{size:?}.ndjson"));
    let lines = if is_faulty { accounts::with_faults(size, count) } else { accounts::templates(size, count) };
    std::fs::create_dir_all(program::folder()).map_err(Error::file("create", &file))?;
    std::fs::write(&file, lines.join("\n") + "\n").map_err(Error::file("write", &file))?;
    Ok(file)
}

/// Writes numbered accounts of size M into a file.
pub(crate) fn numbered(name: &str, first: usize, count: usize) -> Result<PathBuf, Error> {
    let file = program::folder().join(format!("{name}.ndjson"));
    std::fs::create_dir_all(program::folder()).map_err(Error::file("create", &file))?;
    accounts::write(&file, Size::M, first, count).map_err(Error::file("write", &file))?;
    Ok(file)
}

/// Creates accounts in bulk, each connection with a file of its own that has this number of lines.
pub(crate) fn bulk(address: SocketAddr, token: &str, files: &[PathBuf], lines: usize) -> Result<(), Error> {
    let start = |file: &PathBuf| {
        let mut command = curl(address, "/v2/data-import/accounts/bulk/", Some(token));
        command.args(["--header", "Content-Type: application/x-ndjson", "--data-binary"]);
        command.arg(format!("@{}", file.display())).stdout(Stdio::piped());
        command.spawn().map_err(|e| program::start_error(&command, e))
    };
    let uploads = files.iter().map(start).collect::<Result<Vec<_>, _>>()?;
    // Both are read, or the second would wait for its reader.
    let read = |upload: std::process::Child| std::thread::spawn(|| upload.wait_with_output());
    for upload in uploads.into_iter().map(read).collect::<Vec<_>>() {
        let output =
            upload.join().map_err(|_| Error::Bench("curl was not read".into()))?.map_err(Error::of)?;
        let created = String::from_utf8_lossy(&output.stdout).matches("\"status\":201,").count();
        if created != lines {
            return Err(Error::Bench(format!("of {lines} accounts in bulk, {created} were created")));
        }
    }
    Ok(())
}

/// curl for a path of a server.
pub(crate) fn curl(address: SocketAddr, path: &str, token: Option<&str>) -> Command {
    let mut command = program::command("curl");
    command.args(["--silent", "--show-error", "--max-time", "600"]).arg(format!("http://{address}{path}"));
    if let Some(token) = token {
        command.args(["--header", &format!("Authorization: Token {token}")]);
    }
    command
}

/// The status of the answer to a body.
pub(crate) fn status(
    address: SocketAddr,
    path: &str,
    token: Option<&str>,
    body: &str,
) -> Result<String, Error> {
    let mut command = curl(address, path, token);
    command.args(["--output", "/dev/null", "--write-out", "%{http_code}"]);
    command.args(["--header", "Content-Type: application/json", "--data-binary", body]);
    program::output(command)
}
