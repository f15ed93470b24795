use super::{Client, wait_for, wait_until};
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::{Child, Command};
use std::sync::{Arc, Mutex};

/// A running server.
pub(crate) struct Server {
    child: Child,
    /// The address of the API; for a worker, of health and metrics.
    pub(crate) address: SocketAddr,
    log: Arc<Mutex<String>>,
    reader: Option<std::thread::JoinHandle<()>>,
}

/// The address of a worker that does not listen.
pub(crate) const NO_ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0);

/// Parses the address of the URL after these words in a line.
fn behind(line: &str, words: &str) -> Option<SocketAddr> {
    let (_, rest) = line.split_once(words)?.1.split_once("://")?;
    let end = rest.find(|c: char| c == '"' || c.is_whitespace()).unwrap_or(rest.len());
    Some(rest[..end].parse().unwrap())
}

impl Server {
    pub(crate) fn start(child: Child) -> Self {
        Self::listening(child, "listening on http")
    }

    /// Like [`start`](Self::start), for a server that waits for its database.
    pub(crate) fn start_waiting(child: Child) -> Self {
        Self::listening(child, "waiting for the database, with health on http")
    }

    fn listening(mut child: Child, words: &str) -> Self {
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let log = Arc::new(Mutex::new(String::new()));
        let (mut address, mut admin) = (None, None);
        for line in lines.by_ref().map_while(Result::ok) {
            let is_worker = line.contains("importing, without the API");
            address = behind(&line, words).or(address);
            admin = behind(&line, "health and metrics on http").or(admin);
            log.lock().unwrap().push_str(&(line + "\n"));
            if is_worker {
                address = admin.or(Some(NO_ADDRESS));
            }
            if address.is_some() {
                break;
            }
        }
        let address =
            address.unwrap_or_else(|| panic!("the server did not come up: {}", log.lock().unwrap()));
        let kept = log.clone();
        let reader = std::thread::spawn(move || {
            lines.map_while(Result::ok).for_each(|line| kept.lock().unwrap().push_str(&(line + "\n")));
        });
        Self { child, address, log, reader: Some(reader) }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The peak memory in KiB; `None` if the system does not publish it.
    pub(crate) fn most_memory(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    }

    /// The log so far.
    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// Sends a signal by name.
    pub(crate) fn signal(&self, name: &str) {
        let status =
            Command::new("kill").args([&format!("-{name}"), &self.pid().to_string()]).status().unwrap();
        assert!(status.success());
    }

    /// Suspends it until the signal `CONT`. The signal stops one thread, which stops the others once it runs.
    pub(crate) fn suspend(&self) {
        self.signal("STOP");
        wait_until("all threads are stopped", || {
            let threads = fs::read_dir(format!("/proc/{}/task", self.pid())).unwrap();
            threads.flatten().all(|thread| {
                // A thread that has just ended has no file.
                let stat = fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
                stat.rsplit_once(") ").is_none_or(|(_, state)| state.starts_with('T'))
            })
        });
    }

    /// Waits until it exits; returns the exit code and the log.
    pub(crate) fn ended(mut self) -> (Option<i32>, String) {
        let log = self.log.clone();
        let status = wait_for("the server ends", || {
            self.child.try_wait().unwrap().ok_or_else(|| log.lock().unwrap().len())
        });
        self.reader.take().unwrap().join().unwrap();
        (status.code(), self.log())
    }

    /// Kills it without any clean-up.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// A client with a token of the key.
    pub(crate) fn client(&self, key: &str) -> Client {
        Client { address: self.address, token: Some(self.token(key)) }
    }

    /// A client without a token.
    pub(crate) fn anonymous(&self) -> Client {
        Client { address: self.address, token: None }
    }

    /// A token for a key.
    pub(crate) fn token(&self, key: &str) -> String {
        let answer =
            self.anonymous().obtain(&format!("obtainToken(input: {{apiKey: \"{key}\"}}) {{ token }}"));
        let token = answer["data"]["obtainToken"]["token"].as_str();
        token.unwrap_or_else(|| panic!("no token: {answer}: {}", self.log())).to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
