//! The schemas compared with the decoder: whatever a schema refuses, the decoder refuses too.

use cutover_model::describe::{REQUESTS, Request, request_schema};
use cutover_model::{Level, Limits, SyntaxError, Zone};
use cutover_testkit::payload::object_json;
use jsonschema::Validator;
use serde_json::Value;
use std::path::Path;

/// Fixtures of each request.
const FOLDERS: [(&str, &str); 7] = [
    ("account", "accounts"),
    ("notes", "notes"),
    ("transactions", "transactions"),
    ("historical-statements", "statements"),
    ("payment-instruction", "payment_instructions"),
    ("business", "businesses"),
    ("business-payment-instruction", "business_payment_instructions"),
];

fn request(name: &str) -> &'static Request {
    REQUESTS.iter().find(|request| request.name == name).unwrap()
}

fn validator(name: &str) -> Validator {
    let schema = serde_json::from_str(&request_schema(request(name)).pretty()).unwrap();
    jsonschema::draft202012::new(&schema).unwrap()
}

/// Returns true if the decoder finds no error.
fn is_decoded(name: &str, body: &[u8]) -> bool {
    macro_rules! clean {
        ($($name:literal => $decode:ident,)*) => {
            match name {
                "account" => clean(cutover_model::decode_account(body, Zone::UTC)),
                $($name => clean(cutover_model::$decode(body, Zone::UTC, Limits::default())),)*
                other => panic!("{other}"),
            }
        };
    }
    clean! {
        "notes" => decode_notes,
        "transactions" => decode_transactions,
        "historical-statements" => decode_historical_statements,
        "payment-instruction" => decode_payment_instruction,
        "business" => decode_business,
        "business-payment-instruction" => decode_business_payment_instruction,
    }
}

fn clean<T>(decoded: Result<cutover_model::Decoded<T>, SyntaxError>) -> bool {
    !decoded.unwrap().findings.iter().any(|finding| finding.check.level == Level::Error)
}

/// The fixtures of a folder by name.
fn fixtures(folder: &str, kind: &str) -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(folder).join(kind);
    let mut found: Vec<_> = std::fs::read_dir(&path)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            (path.file_stem().unwrap().to_str().unwrap().to_owned(), std::fs::read_to_string(&path).unwrap())
        })
        .collect();
    found.sort();
    assert!(!found.is_empty(), "{}", path.display());
    found
}

#[test]
fn every_schema_is_valid_and_accepts_the_valid_fixtures() {
    for (name, folder) in FOLDERS {
        let schema: Value = serde_json::from_str(&request_schema(request(name)).pretty()).unwrap();
        jsonschema::draft202012::meta::validate(&schema).unwrap();
        let validator = validator(name);
        for (file, body) in fixtures(folder, "valid") {
            let body = serde_json::from_str(&body).unwrap();
            let faults: Vec<String> = validator.iter_errors(&body).map(|error| error.to_string()).collect();
            assert_eq!(faults, [""; 0], "{folder}/{file}");
        }
    }
}

#[test]
fn the_decoder_refuses_whatever_a_schema_refuses() {
    let mut refused = Vec::new();
    for (name, folder) in FOLDERS {
        let validator = validator(name);
        for (file, body) in fixtures(folder, "faulty") {
            let by_decoder = !is_decoded(name, body.as_bytes());
            let by_schema = !validator.is_valid(&serde_json::from_str(&body).unwrap());
            assert!(by_decoder || !by_schema, "{folder}/{file}");
            if by_decoder {
                refused.push(format!("{} {folder}/{file}", if by_schema { "both   " } else { "decoder" }));
            }
        }
    }
    insta::assert_snapshot!(refused.join("\n"));
}

#[test]
fn payloads_generated_from_the_declarations_fit_the_schemas() {
    for (name, _) in FOLDERS {
        let validator = validator(name);
        for seed in 0..40 {
            let body = object_json(request(name).object, seed);
            assert!(is_decoded(name, body.as_bytes()), "{name} {seed}");
            let value = serde_json::from_str(&body).unwrap();
            let fault = validator
                .iter_errors(&value)
                .next()
                .map(|fault| format!("{} {fault}", fault.instance_path()));
            assert_eq!(fault, None, "{name} {seed}");
        }
    }
}

#[test]
fn descriptions_say_what_codes_mean() {
    let schema: Value = serde_json::from_str(&request_schema(request("account")).pretty()).unwrap();
    let description = |object: &str, member: &str| {
        let member = &schema["$defs"][object]["properties"][member];
        member["description"].as_str().unwrap_or_else(|| panic!("{object}: {member}")).to_owned()
    };
    assert_eq!(
        description("EmbeddedElectricityMeter", "status"),
        "Status of the meter (rule MTR-09). `C` = current, `R` = removed, `D` = remotely disconnected."
    );
    assert_eq!(description("GasMeter", "meter_read_frequency"), "Frequency of readings.");
}

/// A minimal account with this member.
fn account_with(member: &str, value: &str) -> String {
    format!(r#"{{"import_supplier":"A","external_account_number":"1","{member}":{value}}}"#)
}

#[test]
fn decoder_and_schema_agree_on_forms_of_values() {
    let validator = validator("account");
    for (member, value, fits) in [
        ("transfer_balance", r#""-0012.50000000000000""#, true),
        ("transfer_balance", r#""12345678901""#, false),
        ("transfer_balance", "12345678901", false),
        ("transfer_balance", r#""1.12345678901""#, false),
        ("transfer_balance", r#""1.""#, false),
        ("transfer_balance", r#""+1""#, false),
        ("transfer_balance", "null", false),
        ("last_payment_review_date", "null", true),
        ("last_billed_to_date", r#""2026-11-21""#, true),
        ("last_billed_to_date", r#""2026-13-21""#, false),
        ("last_billed_to_date", r#""2026-11-21T00:00""#, false),
        ("billing_name", r#""""#, true),
        ("billing_name", r#""a\u0000""#, false),
        ("billing_name", "7", false),
        ("billing_delivery_point_identifier", r#""ééééééééééé""#, true),
        ("billing_delivery_point_identifier", r#""123456789012""#, false),
        ("document_accessibility", r#""""#, true),
        ("document_accessibility", r#"" ""#, false),
        ("sales_channel", r#""NEVER_HEARD_OF""#, true),
        ("unknown_occupier", r#""true""#, false),
        ("customers", "{}", false),
        ("customers", "[null]", false),
        ("business", r#"{"business_contract_identifier":" \t"}"#, false),
        (
            "events",
            r#"[{"event_type":"X","category":"Y","subcategory":"Z","occurred_at":"2001-01-01:00:00:00+10:00","description":"D"}]"#,
            true,
        ),
        (
            "events",
            r#"[{"event_type":"X","category":"Y","subcategory":"Z","occurred_at":"2001-01-01","description":"D"}]"#,
            false,
        ),
        ("payment_schedules", r#"[{"amount":"-0.0","means":"DD","start_date":"2026-01-01"}]"#, true),
        ("payment_schedules", r#"[{"amount":"-0.1","means":"DD","start_date":"2026-01-01"}]"#, false),
        ("payment_schedules", r#"[{"amount":-0.1,"means":"DD","start_date":"2026-01-01"}]"#, false),
        ("payment_schedules", r#"[{"day_of_month":"7","means":"DD","start_date":"2026-01-01"}]"#, true),
        ("payment_schedules", r#"[{"day_of_month":7.5,"means":"DD","start_date":"2026-01-01"}]"#, false),
        ("external_account_numbr", "1", false),
    ] {
        let body = account_with(member, value);
        assert_eq!(is_decoded("account", body.as_bytes()), fits, "decoder: {member} {value}");
        assert_eq!(
            validator.is_valid(&serde_json::from_str(&body).unwrap()),
            fits,
            "schema: {member} {value}"
        );
    }
}
