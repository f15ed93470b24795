//! Many requests for the same account or business at the same time: none of them fails.

use super::environment::TestEnvironment;
use cutover_app::additions::{InstructionStep, InstructionStored};
use cutover_app::port::{InstructionDetails, InstructionKey, VendorKind, VerifiedInstruction, read};
use cutover_model::choices::PaymentInstructionType;
use cutover_testkit::create_account;
use std::sync::Barrier;
use std::thread;

const REQUESTS: usize = 100;

/// Runs a job on [`REQUESTS`] threads at once.
fn at_once(job: impl Fn(usize) + Sync) {
    let start = Barrier::new(REQUESTS);
    thread::scope(|scope| {
        for n in 0..REQUESTS {
            let (start, job) = (&start, &job);
            scope.spawn(move || {
                start.wait();
                job(n);
            });
        }
    });
}

#[test]
fn payloads_of_one_account_replace_each_other() {
    let Some(env) = TestEnvironment::new() else { return };
    let send = |n: usize| {
        let body = format!(
            r#"{{"import_supplier":"ACME","external_account_number":"A-1","unknown_occupier":true,
            "notes":[{{"body":"{n}"}}]}}"#
        );
        let created = create_account(&env.app, &env.caller, None, body.as_bytes());
        created.unwrap();
    };
    send(REQUESTS);
    at_once(send);
    let history = env.app.as_command().show_process("ACME", "A-1").unwrap().history;
    assert_eq!(history.len(), 1 + REQUESTS);
}

const BUSINESS: &str = r#""import_supplier_code":"ACME","external_business_identifier":"B-1""#;

#[test]
fn instructions_of_one_business_are_all_stored() {
    let Some(env) = TestEnvironment::new() else { return };
    env.app.as_command().add_vendor("Acme", "pay", VendorKind::Http, "https://pay.example/", None).unwrap();
    let business = format!(r#"{{{BUSINESS},"business":{{"company_name":"Zoë's","details":[]}}}}"#);
    let id = env.app.create_business(&env.caller, business.as_bytes()).unwrap().service_business_id;
    let key = |n: usize| InstructionKey {
        vendor: "pay".into(),
        kind: PaymentInstructionType::Card,
        reference: format!("R-{n}"),
    };
    at_once(|n| {
        let body =
            format!(r#"{{{BUSINESS},"vendor":"pay","type":"CARD","reference":"R-{n}","accounts":[]}}"#);
        let step = env.app.begin_business_payment_instruction(&env.caller, body.as_bytes());
        let Ok(InstructionStep::Ask(pending)) = step else { panic!("the vendor is not asked: {step:?}") };
        let verified = VerifiedInstruction {
            key: key(n),
            details: InstructionDetails::default(),
            verified_at: "2026-11-21T02:00:00Z".parse().unwrap(),
        };
        let stored = env.app.store_instruction(*pending, verified);
        assert!(matches!(stored, Ok(InstructionStored::Business(_))), "{stored:?}");
    });
    let is_stored =
        |n: &usize| read(&*env.store, |tx| tx.business_instruction(id, &key(*n))) == Ok(Some(vec![]));
    assert_eq!((0..REQUESTS).filter(is_stored).count(), REQUESTS);
}
