//! Runs the service with its default database, for steps that send requests to it.

use std::fs::File;
use std::io::{Error, Read, Result, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::cargo;

/// The supplier of the fixtures.
pub(super) const SUPPLIER: &str = "ACME_ENERGY";

/// A running server; stopped when it goes out of scope.
pub(super) struct Service {
    server: Child,
    pub(super) folder: PathBuf,
    pub(super) address: SocketAddr,
    pub(super) token: String,
    /// API keys: of the supplier, and of a system that reads imported accounts.
    pub(super) key: String,
    pub(super) reader_key: String,
    /// An API key of an operator.
    pub(super) operator_key: String,
    /// A token of the role that reads imported accounts.
    pub(super) reader: String,
}

impl Service {
    /// Starts a server on a free port, with an empty folder.
    pub(super) fn start(folder: &Path) -> Result<Self> {
        if folder.exists() {
            std::fs::remove_dir_all(folder)?;
        }
        std::fs::create_dir_all(folder)?;
        command(folder, &["organisation", "add", "Acme"])?;
        let supplier = ["supplier", "add", SUPPLIER, "--organisation", "Acme", "--supplier-runs", "true"];
        command(folder, &supplier)?;
        let mut service = Self {
            key: issue_key(folder, "supplier")?,
            reader_key: issue_key(folder, "reader")?,
            operator_key: issue_key(folder, "operator")?,
            server: serve(folder)?,
            folder: folder.to_owned(),
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            token: String::new(),
            reader: String::new(),
        };
        service.address = service.listens(folder)?;
        service.token = service.sign_in(&service.key)?;
        service.reader = service.sign_in(&service.reader_key)?;
        Ok(service)
    }

    /// Kills the server; its data is not kept.
    pub(super) fn stop(self) {}

    fn listens(&mut self, folder: &Path) -> Result<SocketAddr> {
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(10 * 60) && self.server.try_wait()?.is_none() {
            let log = std::fs::read_to_string(log(folder))?;
            if let Some(address) = log.lines().find_map(listening) {
                return Ok(address);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Err(Error::other(format!("it does not listen, see {}", log(folder).display())))
    }

    fn sign_in(&self, key: &str) -> Result<String> {
        let query = "mutation ($input: ObtainTokenInput!) { obtainToken(input: $input) { token } }";
        let body = serde_json::json!({"query": query, "variables": {"input": {"apiKey": key}}});
        let answer = self.ask("POST", "/v1/graphql/", &body.to_string())?;
        let (_, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
        let body: Value = serde_json::from_str(body)?;
        let token = body["data"]["obtainToken"]["token"].as_str();
        token.map(str::to_owned).ok_or_else(|| Error::other(answer))
    }

    /// Creates these requests: the path, and the fixture that is sent to it.
    pub(super) fn create(&self, requests: &[(&str, &str)]) -> Result<()> {
        for (path, fixture) in requests {
            let file = cargo::root().join("fixtures").join(fixture).with_extension("json");
            let answer = self.ask("POST", path, &std::fs::read_to_string(file)?)?;
            if !answer.starts_with("HTTP/1.1 201") {
                return Err(Error::other(format!("{fixture}: {answer}")));
            }
        }
        Ok(())
    }

    /// Sends a request and returns the answer, head and body.
    pub(super) fn ask(&self, method: &str, path: &str, body: &str) -> Result<String> {
        let (token, length) = (&self.token, body.len());
        let mut socket = TcpStream::connect(self.address)?;
        write!(
            socket,
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Token {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )?;
        let mut answer = String::new();
        socket.read_to_string(&mut answer)?;
        Ok(answer)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn program() -> PathBuf {
    cargo::root().join("target/debug/cutover")
}

fn log(folder: &Path) -> PathBuf {
    folder.join("server.log")
}

/// Runs an operator command and returns its JSON.
fn command(folder: &Path, args: &[&str]) -> Result<Value> {
    let mut command = cargo::command(program());
    command.args(args).arg("--json").arg("--data-dir").arg(folder);
    let shown = args.join(" ");
    let output = cargo::output(command).ok_or_else(|| Error::other(format!("cutover {shown} failed")))?;
    Ok(serde_json::from_str(&output)?)
}

fn issue_key(folder: &Path, role: &str) -> Result<String> {
    let issued = command(folder, &["api-key", "issue", "--organisation", "Acme", "--role", role])?;
    let key = issued["api_key"].as_str();
    key.map(str::to_owned).ok_or_else(|| Error::other("no key was issued"))
}

fn serve(folder: &Path) -> Result<Child> {
    let mut command = cargo::command(program());
    command.args(["serve", "--listen", "127.0.0.1:0", "--rate-limit", "0", "--log-format", "json"]);
    command.arg("--data-dir").arg(folder).stdin(Stdio::null()).stdout(Stdio::null());
    command.stderr(File::create(log(folder))?).spawn()
}

/// Parses the server's address from a line of its log.
fn listening(line: &str) -> Option<SocketAddr> {
    let (_, rest) = line.split_once("listening on http://")?;
    rest.split(|c: char| c == '"' || c.is_whitespace()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_parsed_from_log_lines() {
        let line = r#"{"level":"INFO","message":"listening on http://127.0.0.1:4711","version":"0.1.0"}"#;
        assert_eq!(listening(line), Some(SocketAddr::from(([127, 0, 0, 1], 4711))));
        assert_eq!(listening("the database is open"), None);
    }
}
