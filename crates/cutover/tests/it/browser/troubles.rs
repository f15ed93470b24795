//! Faults in a browser that the page does not show.

use serde_json::Value;
use std::net::SocketAddr;
use thirtyfour::BrowserLogEntry;

/// Seen and expected faults.
pub(super) struct Troubles {
    server: SocketAddr,
    happened: Vec<String>,
    /// Statuses and addresses of refused requests.
    refused: Vec<(u16, String)>,
    pub(super) expected: Vec<u16>,
}

impl Troubles {
    pub(super) fn new(server: SocketAddr) -> Self {
        Self { server, happened: Vec::new(), refused: Vec::new(), expected: Vec::new() }
    }

    /// Parses an entry of one of the two logs.
    pub(super) fn add(&mut self, log: &str, entry: &BrowserLogEntry) {
        if log == "performance" {
            let event: Value = serde_json::from_str(&entry.message).unwrap();
            self.add_event(&event["message"]);
        // The other log has more on requests.
        } else if entry.source.as_deref() != Some("network") {
            self.happened.push(format!("{}: {}", entry.level, entry.message));
        }
    }

    fn add_event(&mut self, event: &Value) {
        let (params, at) = (&event["params"], |value: &Value| value.as_str().unwrap_or_default().to_owned());
        match event["method"].as_str().unwrap_or_default() {
            "Network.requestWillBeSent" => self.add_request(&at(&params["request"]["url"])),
            "Network.responseReceived" => {
                let status = params["response"]["status"].as_u64().and_then(|it| u16::try_from(it).ok());
                if let Some(status @ 400..) = status {
                    self.refused.push((status, at(&params["response"]["url"])));
                }
            }
            // A request is aborted when the page is left.
            "Network.loadingFailed" if params["canceled"] != true => {
                self.happened.push(format!("not loaded: {}", at(&params["errorText"])));
            }
            _ => {}
        }
    }

    fn add_request(&mut self, url: &str) {
        let ours = format!("http://{}/", self.server);
        if !url.starts_with(&ours) && !url.starts_with("data:") && !url.starts_with("about:") {
            self.happened.push(format!("a request to another host: {url}"));
        }
    }

    /// Returns unexpected faults and missing expected ones, and clears both lists.
    pub(super) fn take(&mut self) -> Vec<String> {
        let (refused, expected) = (std::mem::take(&mut self.refused), std::mem::take(&mut self.expected));
        let statuses: Vec<u16> = refused.iter().map(|(status, _)| *status).collect();
        let mut reported = std::mem::take(&mut self.happened);
        if statuses != expected {
            reported.push(format!("refused: {refused:?}, but expected: {expected:?}"));
        }
        reported
    }
}
