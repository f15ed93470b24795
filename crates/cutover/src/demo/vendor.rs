//! The payment vendor of the demo, which speaks the protocol of kind `http` (contract D11).

use crate::error::Error;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// Time limit for reading a request, and for writing the response.
const TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum size of the head of a request.
const MAX_HEAD: u64 = 8 * 1024;

/// The reference of the vendor's card.
pub(super) const CARD: &str = "card-4242";
/// The reference of the vendor's direct debit.
pub(super) const DEBIT: &str = "debit-7";

/// A server on a free port. Its thread serves until the process ends.
pub(super) struct PaymentVendor {
    address: SocketAddr,
    lookups: Arc<AtomicUsize>,
}

impl PaymentVendor {
    pub(super) fn start() -> Result<Self, Error> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let vendor = Self { address: listener.local_addr()?, lookups: Arc::default() };
        let lookups = vendor.lookups.clone();
        let serve = move || {
            for client in listener.incoming() {
                // A failed connection is the client's loss.
                let _ = client.and_then(|client| answer(client, &lookups));
            }
        };
        thread::Builder::new().name("payment-vendor".into()).spawn(serve)?;
        Ok(vendor)
    }

    pub(super) fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The number of requests for an instruction.
    pub(super) fn lookups(&self) -> usize {
        self.lookups.load(Ordering::Acquire)
    }
}

fn answer(mut client: TcpStream, lookups: &AtomicUsize) -> std::io::Result<()> {
    client.set_read_timeout(Some(TIMEOUT))?;
    client.set_write_timeout(Some(TIMEOUT))?;
    // The whole head is read: closing a socket with unread data would reset the connection.
    let lines = BufReader::new((&client).take(MAX_HEAD)).lines();
    let head = lines.take_while(|line| !matches!(line, Ok(line) if line.is_empty()));
    let head = head.collect::<Result<Vec<_>, _>>()?;
    let path = head.first().and_then(|line| line.strip_prefix("GET ")?.split(' ').next()).unwrap_or_default();
    let reference = path.strip_prefix("/payment-instructions/").filter(|reference| !reference.is_empty());
    lookups.fetch_add(usize::from(reference.is_some()), Ordering::AcqRel);
    let (status, body) = match reference.and_then(instruction) {
        Some(instruction) => ("200 OK", instruction),
        None => ("404 Not Found", json!({"detail": "There is no such instruction."})),
    };
    let body = body.to_string();
    let length = body.len();
    write!(
        client,
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_answers_and_counts_lookups() {
        let vendor = PaymentVendor::start().unwrap();
        let get = |path: &str| {
            let mut client = TcpStream::connect(vendor.address).unwrap();
            client.write_all(format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n").as_bytes()).unwrap();
            let mut answer = String::new();
            client.read_to_string(&mut answer).unwrap();
            answer
        };
        let found = get("/payment-instructions/card-4242");
        assert!(
            found.starts_with("HTTP/1.1 200 OK\r\n") && found.contains("\"last_digits\":\"4242\""),
            "{found}"
        );
        assert!(get("/payment-instructions/nothing").starts_with("HTTP/1.1 404 "));
        assert_eq!(vendor.lookups(), 2);
        assert!(get("/").starts_with("HTTP/1.1 404 "));
        assert_eq!(vendor.lookups(), 2);
    }
}
