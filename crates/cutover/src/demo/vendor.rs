//! A payment vendor of the demo's own: our small protocol (contract D11) on a port of this machine.

use crate::error::Error;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How long a client may take to ask, or to read.
const TIMEOUT: Duration = Duration::from_secs(2);
/// The largest head of a request, in bytes.
const HEAD: u64 = 8 * 1024;

/// The card that the vendor knows.
pub(super) const CARD: &str = "card-4242";
/// The direct debit that the vendor knows.
pub(super) const DEBIT: &str = "debit-7";

/// Answers, one client after another, until it is dropped.
pub(super) struct PaymentVendor {
    address: SocketAddr,
    state: Arc<State>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct State {
    stop: AtomicBool,
    asked: AtomicUsize,
}

impl PaymentVendor {
    /// Opens on a free port.
    ///
    /// # Errors
    /// [`Error`] if this machine has none.
    pub(super) fn open() -> Result<Self, Error> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let (address, state) = (listener.local_addr()?, Arc::<State>::default());
        let answering = state.clone();
        let work = move || {
            for client in listener.incoming() {
                if answering.stop.load(Ordering::Acquire) {
                    return;
                }
                // A client that goes away has its answer's loss to itself.
                let _ = client.and_then(|client| answering.answer(client));
            }
        };
        let thread = Some(thread::Builder::new().name("payment-vendor".into()).spawn(work)?);
        Ok(Self { address, state, thread })
    }

    /// Where it answers.
    pub(super) fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// How often it was asked for an instruction.
    pub(super) fn asked(&self) -> usize {
        self.state.asked.load(Ordering::Acquire)
    }
}

impl Drop for PaymentVendor {
    fn drop(&mut self) {
        self.state.stop.store(true, Ordering::Release);
        // The thread looks up when a client comes.
        let woken = TcpStream::connect_timeout(&self.address, TIMEOUT).is_ok();
        if let Some(thread) = self.thread.take().filter(|_| woken) {
            // It has nothing to say at its end.
            let _ = thread.join();
        }
    }
}

impl State {
    fn answer(&self, client: TcpStream) -> std::io::Result<()> {
        client.set_read_timeout(Some(TIMEOUT))?;
        client.set_write_timeout(Some(TIMEOUT))?;
        let head = head(&client)?;
        let found = reference(&head).and_then(|reference| {
            self.asked.fetch_add(1, Ordering::AcqRel);
            instruction(reference)
        });
        let (status, body) = match found {
            Some(instruction) => ("200 OK", instruction),
            None => ("404 Not Found", json!({"detail": "There is no such instruction."})),
        };
        write(client, status, &body.to_string())
    }
}

/// The head of a request; all of it is read, so that closing does not cut the answer.
fn head(client: &TcpStream) -> std::io::Result<String> {
    let mut head = String::new();
    for line in BufReader::new(client.take(HEAD)).lines() {
        match line? {
            line if line.is_empty() => break,
            line => head += &(line + "\n"),
        }
    }
    Ok(head)
}

/// The reference that a request asks for.
fn reference(head: &str) -> Option<&str> {
    let path = head.strip_prefix("GET ")?.split(' ').next()?;
    path.strip_prefix("/payment-instructions/").filter(|reference| !reference.is_empty())
}

fn instruction(reference: &str) -> Option<Value> {
    match reference {
        CARD => Some(json!({
            "reference": CARD,
            "type": "CARD",
            "card": {
                "card_payment_network": "VISA",
                "card_type": "CREDIT",
                "last_digits": "4242",
                "expiry_month": 9,
                "expiry_year": 2039,
            },
        })),
        DEBIT => Some(json!({
            "reference": DEBIT,
            "type": "DIRECT_DEBIT",
            "bank_account": {
                "account_holder": "Northwind Bakeries Pty Ltd",
                "account_number_last_digits": "007",
                "bsb": "063-000",
            },
        })),
        _ => None,
    }
}

fn write(mut client: TcpStream, status: &str, body: &str) -> std::io::Result<()> {
    let length = body.len();
    write!(
        client,
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )?;
    client.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(vendor: &PaymentVendor, request: &str) -> String {
        let mut client = TcpStream::connect(vendor.address).unwrap();
        client.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn it_has_what_it_has_and_counts() {
        let vendor = PaymentVendor::open().unwrap();
        let get = |path: &str| ask(&vendor, &format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n"));
        let found = get("/payment-instructions/card-4242");
        assert!(
            found.starts_with("HTTP/1.1 200 OK\r\n") && found.contains("\"last_digits\":\"4242\""),
            "{found}"
        );
        assert!(get("/payment-instructions/nothing").starts_with("HTTP/1.1 404 "));
        assert_eq!(vendor.asked(), 2);
        assert!(get("/").starts_with("HTTP/1.1 404 "));
        assert_eq!(vendor.asked(), 2);
    }

    #[test]
    fn it_ends_when_it_is_dropped() {
        let vendor = PaymentVendor::open().unwrap();
        let address = vendor.address;
        drop(vendor);
        assert!(TcpStream::connect(address).is_err());
    }
}
