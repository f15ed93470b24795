use crate::env::{TestEnv, account};
use cutover_app::additions::{AddRefused, InstructionStep, InstructionStored, VendorRefused};
use cutover_app::port::{InstructionDetails, VendorCard, VendorError, VendorKind};
use cutover_core::Issue;

const ACCOUNT: &str = r#""unknown_occupier":true,"payment_instructions":[
    {"vendor":"pay","type":"DIRECT_DEBIT","reference":"OLD","valid_from":"2026-01-01"}]"#;

fn body(vendor: &str, reference: &str, kind: &str) -> String {
    account(&format!(r#""vendor":"{vendor}","reference":"{reference}","type":"{kind}""#))
}

fn env() -> TestEnv {
    let env = TestEnv::with(ACCOUNT);
    env.app.as_command().add_vendor("Acme", "pay", VendorKind::Http, "https://pay.example/", None).unwrap();
    env
}

/// Processes a request as the HTTP server does.
fn call(env: &TestEnv, body: &str) -> Result<String, String> {
    let faults = |faults: Vec<Issue>| {
        faults.iter().map(|f| format!("{} {}", f.attr, f.code)).collect::<Vec<_>>().join(", ")
    };
    let step = env.app.begin_payment_instruction(&env.caller, body.as_bytes());
    let stored = match step {
        Ok(InstructionStep::Stored(stored)) => stored,
        Ok(InstructionStep::Ask(pending)) => {
            let asked = pollster::block_on(env.app.ask_vendor(&pending));
            let verified = asked.map_err(|refused| match refused {
                VendorRefused::Faults(issues) => faults(issues),
                VendorRefused::Unavailable(cause) => format!("unavailable: {cause}"),
            })?;
            env.app.store_instruction(*pending, verified).unwrap()
        }
        Err(AddRefused::Faults(issues)) => return Err(faults(issues)),
        Err(other) => return Err(other.to_string()),
    };
    match stored {
        InstructionStored::Account(stored) => Ok(stored.reference),
        InstructionStored::Business(_) => panic!("the instruction is for an account"),
    }
}

#[test]
fn an_instruction_is_stored_once_with_the_details_of_its_vendor() {
    let env = env();
    let mut card = VendorCard { last_digits: Some("4242".into()), ..VendorCard::default() };
    card.set_network("VISA");
    card.set_type("HOUSE CARD");
    env.vendors.has("R-1", "CARD", InstructionDetails { card: Some(card.clone()), bank_account: None });
    assert_eq!(call(&env, &body(" pay ", " R-1 ", "CARD")).unwrap(), "R-1");
    assert_eq!(call(&env, &body("pay", "R-1", "CARD")).unwrap(), "R-1");
    assert_eq!(call(&env, &body("pay", "OLD", "DIRECT_DEBIT")).unwrap(), "OLD");
    env.app.as_command().remove_vendor("Acme", "pay").unwrap();
    assert_eq!(call(&env, &body("pay", "R-1", "CARD")).unwrap(), "R-1");
    assert_eq!(env.vendors.look_ups(), 1);
    let stored = env.imported().verified_instructions;
    assert_eq!(stored.len(), 1);
    assert_eq!(stored[0].details.card.as_ref(), Some(&card));
    assert_eq!((card.card_payment_network.as_deref(), card.card_type), (Some("VISA"), None));
}

#[test]
fn each_refusal_of_a_vendor_has_its_error_and_stores_nothing() {
    let env = env();
    env.vendors.has("R-1", "CARD", InstructionDetails::default());
    env.vendors.answer("R-2", Err(VendorError::Rejected("410".into())));
    env.vendors.answer("R-3", Err(VendorError::Unavailable("503".into())));
    let refused = |vendor, reference, kind| call(&env, &body(vendor, reference, kind)).unwrap_err();
    assert_eq!(refused("pay", "R-1", "DIRECT_DEBIT"), "type payment_instruction_type_mismatch");
    assert_eq!(refused("pay", "R-2", "CARD"), "vendor payment_vendor_rejected");
    assert_eq!(refused("pay", "R-3", "CARD"), "unavailable: 503");
    assert_eq!(refused("pay", "R-4", "CARD"), "reference payment_instruction_not_found");
    assert_eq!(refused("nobody", "R-1", "CARD"), "vendor payment_vendor_unknown");
    let missing = body("nobody", "R-1", "CARD").replace("A-1", "A-2");
    assert_eq!(
        call(&env, &missing).unwrap_err(),
        "external_account_number account_not_found, vendor payment_vendor_unknown"
    );
    let elsewhere = body("pay", "R-1", "CARD").replace("ACME", "NOBODY");
    assert_eq!(call(&env, &elsewhere).unwrap_err(), "import_supplier import_supplier_not_found");
    assert!(env.imported().verified_instructions.is_empty());
    assert_eq!(env.vendors.look_ups(), 4);
}
