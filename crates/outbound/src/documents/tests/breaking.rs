//! Storage that is down is not called for a while, and is used again when it is back (reliability 12).

use super::*;
use cutover_testkit_machine::wait_until;
use cutover_testkit_s3::{Fault, S3Server};
use std::time::Instant;

fn left_alone() -> DocumentsUnavailable {
    DocumentsUnavailable("s3://documents/live: it failed too often; calls are suspended for a while".into())
}

/// Stopped storage with one failure less than the limit.
fn nearly_open(fault: Fault) -> (S3Server, ObjectDocuments) {
    let (server, documents) = bucket::home();
    server.set_fault(fault);
    for _ in 1..FAILURES {
        assert_ne!(look_up(&documents, "/root-a", &[plain("a.pdf")]), Err(left_alone()));
        assert!(!documents.is_circuit_open());
    }
    (server, documents)
}

#[test]
fn after_five_failures_storage_is_not_called() {
    let (server, documents) = nearly_open(Fault::Status(503));
    look_up(&documents, "/root-a", &[plain("a.pdf")]).unwrap_err();
    assert!(documents.is_circuit_open());
    let asked = server.seen().len();
    for _ in 0..100 {
        assert_eq!(look_up(&documents, "/root-a", &[plain("a.pdf")]), Err(left_alone()));
    }
    assert_eq!(server.seen().len(), asked);
    // A call without documents needs no storage, and readiness is checked all the same.
    assert_eq!(look_up(&documents, "/root-a", &[]), Ok(vec![]));
    assert!(pollster::block_on(documents.ready()).is_err());
}

/// One supplier's prefix may be forbidden while the others are not.
#[test]
fn refusals_and_misses_are_answers() {
    for status in [403, 404] {
        let (_server, documents) = nearly_open(Fault::Status(status));
        for _ in 0..FAILURES {
            assert_ne!(look_up(&documents, "/root-a", &[plain("a.pdf")]), Err(left_alone()));
        }
        assert!(!documents.is_circuit_open());
    }
}

#[test]
fn storage_that_is_back_is_called_again_after_the_pause() {
    let (server, mut documents) = bucket::home();
    let pause = Duration::from_millis(20);
    Arc::get_mut(&mut documents.shared).unwrap().circuit = Circuit::new(1, pause);
    server.set_fault(Fault::Stopped);
    let failed = Instant::now();
    look_up(&documents, "/root-a", &[plain("a.pdf")]).unwrap_err();
    assert!(documents.is_circuit_open());
    server.set_fault(Fault::None);
    wait_until("it answers again", || look_up(&documents, "/root-a", &[plain("a.pdf")]).is_ok());
    assert!(failed.elapsed() >= pause);
    assert!(!documents.is_circuit_open());
}
