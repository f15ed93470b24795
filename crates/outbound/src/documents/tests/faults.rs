//! Storage that is slow, fails, cuts its answers or is gone (reliability 12): there is always an answer, and none
//! contains a name.

use super::*;
use cutover_testkit_machine::{wait_for, wait_for_count, wait_until};
use cutover_testkit_s3::Fault;

/// Breaks the storage, returns the reasons that lookups give, and repairs it.
fn cause_of(fault: Fault) -> [String; 3] {
    let (server, documents) = bucket::home();
    server.set_fault(fault);
    let ready = pollster::block_on(documents.ready()).unwrap_err();
    let causes = [plain("a.pdf"), pdf("a.pdf")]
        .map(|wanted| look_up(&documents, "/root-a", &[wanted, plain("b")]).unwrap_err());
    server.set_fault(Fault::None);
    wait_for("it is ready", || pollster::block_on(documents.ready()));
    assert_eq!(states(&documents, "/root-a", "a.pdf"), [Present, Pdf], "{fault:?}");
    let [any, pdf] = causes;
    [ready, any, pdf].map(|error| error.0.strip_prefix("s3://documents/live: ").unwrap().to_owned())
}

#[test]
fn silent_storage_times_out() {
    assert_eq!(cause_of(Fault::Silent), ["it did not answer in time"; 3]);
}

#[test]
fn failures_are_reported_with_their_status() {
    assert_eq!(cause_of(Fault::Status(503)), ["it answered with the status 503"; 3]);
    assert_eq!(cause_of(Fault::Status(400)), ["it answered with the status 400"; 3]);
}

#[test]
fn refusals_name_the_credentials() {
    for status in [401, 403] {
        for cause in cause_of(Fault::Status(status)) {
            assert!(cause.starts_with("it refuses access: "), "{cause}");
        }
    }
}

#[test]
fn truncated_answers_are_failures() {
    assert_eq!(cause_of(Fault::Cut), ["it cut off its answer"; 3]);
}

#[test]
fn stopped_storage_cannot_be_reached() {
    assert_eq!(cause_of(Fault::Stopped), ["it cannot be reached"; 3]);
}

#[test]
fn a_failure_is_retried_twice() {
    let (server, documents) = bucket::home();
    server.set_fault(Fault::Status(503));
    look_up(&documents, "/root-a", &[plain("a.pdf")]).unwrap_err();
    assert_eq!(server.seen().len(), 3);
}

/// Each call has more documents than its share. No call exceeds its share, and all calls together not the maximum.
#[test]
fn concurrent_lookups_are_bounded() {
    let (server, documents) = bucket::patient_home();
    let wanted: Vec<_> =
        (0..MAX_LOOKUPS_PER_CALL).flat_map(|i| [plain(&format!("{i}")), pdf(&format!("{i}.pdf"))]).collect();
    for document in &wanted {
        server.put(&format!("live/root-a/{}", document.path), b"%PDF-1.4").unwrap();
    }
    let found: Vec<_> = wanted.iter().map(|w| if w.must_be_pdf { Pdf } else { Present }).collect();
    for (calls, at_once) in [(1, MAX_LOOKUPS_PER_CALL), (4, MAX_LOOKUPS)] {
        server.set_fault(Fault::Silent);
        std::thread::scope(|scope| {
            let calls: Vec<_> =
                (0..calls).map(|_| scope.spawn(|| look_up(&documents, "/root-a", &wanted))).collect();
            wait_for_count("requests", at_once, || server.in_flight());
            server.set_fault(Fault::None);
            for call in calls {
                assert_eq!(call.join().unwrap().as_ref(), Ok(&found));
            }
        });
        assert_eq!(server.most_in_flight(), at_once);
    }
}

#[test]
fn a_dropped_lookup_sends_no_more_requests() {
    let (server, documents) = bucket::patient_home();
    server.set_fault(Fault::Silent);
    let wanted = [plain("a.pdf")];
    let answer = documents.look_up("/root-a", &wanted);
    wait_for_count("a request", 1, || server.in_flight());
    drop(answer);
    wait_until("its end", || server.in_flight() == 0);
    assert_eq!(server.seen().len(), 1);
}
