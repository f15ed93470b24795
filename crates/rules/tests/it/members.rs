//! The valid fixtures use every documented member at least once.

use cutover_model::choices::SupplyType;
use cutover_model::{AccountEnvelope, Kind, MeterPointCommon, ObjectSpec, Variant};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// Notes each member of an object that has a value, as `object.member`.
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

/// The kind of a meter point of the fixtures: each says so.
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
            for kind in KINDS {
                documented(Variant::spec(kind), all);
            }
        }
        _ => {}
    }
}

const KINDS: [SupplyType; 7] = [
    SupplyType::Electricity,
    SupplyType::UnmeteredElectricity,
    SupplyType::UnmeteredGas,
    SupplyType::Gas,
    SupplyType::EmbeddedElectricity,
    SupplyType::EmbeddedGas,
    SupplyType::EmbeddedWater,
];

#[test]
fn every_documented_member_is_used() {
    let (mut all, mut used) = (BTreeSet::new(), BTreeSet::new());
    documented(&AccountEnvelope::SPEC, &mut all);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/accounts/valid");
    for entry in std::fs::read_dir(folder).unwrap() {
        let fixture: Value = serde_json::from_slice(&std::fs::read(entry.unwrap().path()).unwrap()).unwrap();
        let is_envelope = fixture.get("payload").is_some();
        let envelope = if is_envelope { fixture } else { serde_json::json!({"payload": fixture}) };
        note(&envelope, &AccountEnvelope::SPEC, &mut used);
    }
    assert!(all.len() > 250, "{}", all.len());
    assert_eq!(all.difference(&used).collect::<Vec<_>>(), [""; 0]);
}
