//! The valid fixtures use every documented member at least once.

use crate::valid_fixtures;
use cutover_model::choices::SupplyType;
use cutover_model::{
    AccountEnvelope, AccountSearchRequest, BusinessPaymentInstructionRequest, BusinessRequest,
    HistoricalStatementsRequest, Kind, ManifestNumbersRequest, ManifestRequest, MeterPointCommon,
    NotesRequest, ObjectSpec, PaymentInstructionRequest, RunRequest, TransactionsRequest, Variant,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Records each member of an object that has a value, as `object.member`.
fn note(value: &Value, spec: &ObjectSpec, used: &mut BTreeSet<String>) {
    for field in spec.fields {
        if let Some(value) = value.get(field.name) {
            used.insert(format!("{}.{}", spec.name, field.name));
            note_kind(value, &field.kind, used);
        }
    }
}

fn note_kind(value: &Value, kind: &Kind, used: &mut BTreeSet<String>) {
    match kind {
        Kind::Object(spec) => note(value, spec(), used),
        Kind::List { item, .. } => {
            value.as_array().unwrap().iter().for_each(|value| note_kind(value, &item.kind, used));
        }
        Kind::MeterPoint => {
            note(value, &MeterPointCommon::SPEC, used);
            note(value, Variant::spec(supply_type(value)), used);
        }
        _ => {}
    }
}

/// Returns the kind of a meter point of the fixtures, all of which send it.
fn supply_type(point: &Value) -> SupplyType {
    let mpxn = point["mpxn"].as_str().unwrap();
    let named = point["supply_type"].as_str().or_else(|| {
        let prefixes = ["UNMETERED_ELECTRICITY", "EMBEDDED_GAS", "ELECTRICITY"];
        prefixes.into_iter().find(|prefix| mpxn.starts_with(prefix))
    });
    named.unwrap_or("ELECTRICITY").parse().unwrap()
}

fn documented(spec: &ObjectSpec, all: &mut BTreeSet<String>) {
    for field in spec.fields {
        if all.insert(format!("{}.{}", spec.name, field.name)) {
            documented_kind(&field.kind, all);
        }
    }
}

fn documented_kind(kind: &Kind, all: &mut BTreeSet<String>) {
    match kind {
        Kind::Object(spec) => documented(spec(), all),
        Kind::List { item, .. } => documented_kind(&item.kind, all),
        Kind::MeterPoint => {
            documented(&MeterPointCommon::SPEC, all);
            for kind in SupplyType::ALL {
                documented(Variant::spec(kind), all);
            }
        }
        _ => {}
    }
}

const REQUESTS: [(&str, ObjectSpec); 11] = [
    ("accounts", AccountEnvelope::SPEC),
    ("notes", NotesRequest::SPEC),
    ("transactions", TransactionsRequest::SPEC),
    ("statements", HistoricalStatementsRequest::SPEC),
    ("payment_instructions", PaymentInstructionRequest::SPEC),
    ("businesses", BusinessRequest::SPEC),
    ("business_payment_instructions", BusinessPaymentInstructionRequest::SPEC),
    ("manifests", ManifestRequest::SPEC),
    ("manifest_numbers", ManifestNumbersRequest::SPEC),
    ("runs", RunRequest::SPEC),
    ("account_searches", AccountSearchRequest::SPEC),
];

#[test]
fn every_documented_member_is_used() {
    let mut total = 0;
    for (folder, spec) in &REQUESTS {
        let (mut all, mut used) = (BTreeSet::new(), BTreeSet::new());
        documented(spec, &mut all);
        for fixture in valid_fixtures(folder) {
            let is_bare_account = *folder == "accounts" && fixture.get("payload").is_none();
            let body = if is_bare_account { json!({"payload": fixture}) } else { fixture };
            note(&body, spec, &mut used);
        }
        assert_eq!(all.difference(&used).collect::<Vec<_>>(), [""; 0], "{folder}");
        total += all.len();
    }
    assert!(total > 300, "{total}");
}
