//! A vendor that is down uses no more than its share, and is called again when it is back (reliability 6,
//! 13).

use super::environment::{LookupResult, REFERENCE, ask_server, quick, vendor, vendors, wait};
use super::server::{Behavior, Server};
use crate::vendors::VendorLimits;
use cutover_app::port::{PaymentVendors, VendorError, VendorKind};
use cutover_testkit_machine::wait_until;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use std::time::{Duration, Instant};

const MISSING: u16 = 404;

fn is_unavailable(looked: &LookupResult) -> bool {
    matches!(looked, Err(VendorError::Unavailable(_)))
}

fn down() -> Behavior {
    Behavior::Answer(503, String::new())
}

#[test]
fn after_five_failures_a_vendor_is_not_called() {
    let (server, vendors) = (Server::start([down()]), vendors(quick()));
    for _ in 0..5 {
        assert!(is_unavailable(&ask_server(&vendors, &server)));
    }
    assert_eq!((server.calls(), vendors.open_circuits()), (15, 1));
    for _ in 0..100 {
        assert!(is_unavailable(&ask_server(&vendors, &server)));
    }
    assert_eq!(server.calls(), 15);
}

#[test]
fn rejections_and_misses_do_not_count_as_failures() {
    for status in [MISSING, 403] {
        let (server, vendors) = (Server::start([Behavior::Answer(status, String::new())]), vendors(quick()));
        for _ in 0..20 {
            assert!(!is_unavailable(&ask_server(&vendors, &server)));
        }
        assert_eq!(server.calls(), 20);
    }
}

#[test]
fn a_vendor_that_is_back_is_called_again_after_the_pause() {
    let limits = VendorLimits { attempts: 1, pause: Duration::from_millis(20), ..quick() };
    let mut script = vec![down(); 6];
    script.push(Behavior::Answer(MISSING, String::new()));
    let (server, vendors) = (Server::start(script), vendors(limits));
    let asked = Instant::now();
    wait_until("it is called again", || !is_unavailable(&ask_server(&vendors, &server)));
    assert_eq!(server.calls(), 7, "five failures, a probe that fails, one that does not");
    assert!(asked.elapsed() >= limits.pause * 2);
    for _ in 0..10 {
        assert_eq!(ask_server(&vendors, &server), Ok(None));
    }
}

#[test]
fn a_hanging_vendor_holds_32_of_200_concurrent_calls() {
    let limits = VendorLimits { attempts: 1, ..quick() };
    let (server, vendors) = (Server::start([Behavior::Hang]), vendors(limits));
    let vendor = vendor(VendorKind::Http, &server.url());
    let mut asked: FuturesUnordered<_> = (0..200).map(|_| vendors.look_up(&vendor, REFERENCE)).collect();
    let refused: Vec<LookupResult> = wait(asked.by_ref().take(200 - 32).collect());
    let too_many = VendorError::Unavailable("it has too many calls in flight".into());
    assert!(refused.iter().all(|looked| *looked == Err(too_many.clone())));
    server.wait_for_calls(32);
    assert_eq!((server.connections(), server.calls()), (32, 32));
    drop(server);
    let hung: Vec<LookupResult> = wait(asked.collect());
    assert_eq!(hung.len(), 32);
    assert!(hung.iter().all(|looked| is_unavailable(looked) && *looked != Err(too_many.clone())));
}

#[test]
fn a_cancelled_call_returns_its_permit() {
    let limits = VendorLimits { in_flight: 1, ..quick() };
    let server = Server::start([Behavior::Hang, Behavior::Answer(MISSING, String::new())]);
    let (vendors, vendor) = (vendors(limits), vendor(VendorKind::Http, &server.url()));
    let waiter = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let gone = waiter.block_on(async {
        tokio::select! {
            // Sends the lookup on another thread and waits until the server has received it.
            biased;
            looked = vendors.look_up(&vendor, REFERENCE) => Some(looked),
            () = async { server.wait_for_calls(1) } => None,
        }
    });
    assert_eq!(gone, None);
    wait_until("the permit is returned", || ask_server(&vendors, &server) == Ok(None));
}
