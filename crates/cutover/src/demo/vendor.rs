//! The payment vendor of the demo, which speaks the protocol of kind `http` (contract D11).

use crate::error::Error;
use actix_web::web::{Data, Path, get};
use actix_web::{App, HttpResponse, HttpServer, rt};
use serde_json::Value;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The reference of the vendor's card.
pub(super) const CARD: &str = "card-4242";
/// The reference of the vendor's direct debit.
pub(super) const DEBIT: &str = "debit-7";
const INSTRUCTIONS: &str = include_str!("instructions.json");

/// A server on a free port. Its thread serves until the process ends.
pub(super) struct PaymentVendor {
    address: SocketAddr,
    lookups: Data<AtomicUsize>,
}

impl PaymentVendor {
    pub(super) fn start() -> Result<Self, Error> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let vendor = Self { address: listener.local_addr()?, lookups: Data::new(AtomicUsize::new(0)) };
        let lookups = vendor.lookups.clone();
        let service = move || {
            App::new().app_data(lookups.clone()).route("/payment-instructions/{reference}", get().to(answer))
        };
        let serve = move || {
            let server = HttpServer::new(service).workers(1).disable_signals().listen(listener)?;
            rt::System::new().block_on(server.run())
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

async fn answer(reference: Path<String>, lookups: Data<AtomicUsize>) -> HttpResponse {
    lookups.fetch_add(1, Ordering::AcqRel);
    let instructions: Value = serde_json::from_str(INSTRUCTIONS).unwrap_or_default();
    match instructions.get(&*reference) {
        Some(instruction) => HttpResponse::Ok().json(instruction),
        None => HttpResponse::NotFound().finish(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_answers_and_counts_lookups() {
        let vendor = PaymentVendor::start().unwrap();
        let get = |path: &str| ureq::get(format!("{}/{path}", vendor.base_url())).call();
        let mut found = get("payment-instructions/card-4242").unwrap();
        let card: Value = found.body_mut().read_json().unwrap();
        assert_eq!(card["card"]["last_digits"], "4242");
        assert!(matches!(get("payment-instructions/nothing"), Err(ureq::Error::StatusCode(404))));
        assert_eq!(vendor.lookups(), 2);
        assert!(matches!(get(""), Err(ureq::Error::StatusCode(404))));
        assert_eq!(vendor.lookups(), 2);
    }
}
