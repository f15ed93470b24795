use super::findings;
use cutover_model::choices::SupplyType;
use cutover_model::{
    Account, AccountEnvelope, AccountSearchRequest, BusinessPaymentInstructionRequest, BusinessRequest,
    FieldSpec, HistoricalStatementsRequest, Kind, ManifestNumbersRequest, ManifestRequest, MeterPointCommon,
    NotesRequest, ObjectSpec, PaymentInstructionRequest, RunRequest, TransactionsRequest, Variant,
};
use std::collections::BTreeSet;

/// Every object once, in the order of first mention, as a table of its members.
fn table() -> String {
    let mut out = String::new();
    let mut seen = BTreeSet::new();
    let roots = [
        &AccountEnvelope::SPEC,
        &Account::SPEC,
        &NotesRequest::SPEC,
        &TransactionsRequest::SPEC,
        &HistoricalStatementsRequest::SPEC,
        &PaymentInstructionRequest::SPEC,
        &BusinessPaymentInstructionRequest::SPEC,
        &BusinessRequest::SPEC,
        &ManifestRequest::SPEC,
        &ManifestNumbersRequest::SPEC,
        &RunRequest::SPEC,
        &AccountSearchRequest::SPEC,
    ];
    roots.into_iter().for_each(|root| object(root, &mut seen, &mut out));
    out
}

fn object(spec: &'static ObjectSpec, seen: &mut BTreeSet<&'static str>, out: &mut String) {
    if !seen.insert(spec.name) {
        return;
    }
    out.push_str(&format!("{}\n", spec.name));
    for field in spec.fields {
        let required = if field.required { "required" } else { "optional" };
        let nullable = if field.nullable { " nullable" } else { "" };
        let personal = if field.is_personal { ", personal" } else { "" };
        out.push_str(&format!("    {}: {required}{nullable} {}{personal}\n", field.name, kind(field)));
    }
    spec.fields.iter().for_each(|field| nested(field, seen, out));
}

fn nested(field: &'static FieldSpec, seen: &mut BTreeSet<&'static str>, out: &mut String) {
    match field.kind {
        Kind::Object(spec) => object(spec(), seen, out),
        Kind::List { item, .. } => nested(item, seen, out),
        Kind::MeterPoint => {
            object(&MeterPointCommon::SPEC, seen, out);
            for kind in [
                "ELECTRICITY",
                "UNMETERED_ELECTRICITY",
                "UNMETERED_GAS",
                "GAS",
                "EMBEDDED_ELECTRICITY",
                "EMBEDDED_GAS",
                "EMBEDDED_WATER",
            ] {
                object(Variant::spec(kind.parse::<SupplyType>().unwrap()), seen, out);
            }
        }
        _ => {}
    }
}

fn kind(field: &FieldSpec) -> String {
    match field.kind {
        Kind::Object(spec) => format!("object {}", spec().name),
        Kind::List { item, min, max, batch } => {
            format!("list of {} min {min} max {max:?} batch {batch}", kind(item))
        }
        // What a code means is no limit.
        Kind::Choice { words, .. } => format!("Choice({words:?})"),
        other => format!("{other:?}"),
    }
}

#[test]
fn every_object_and_member() {
    insta::assert_snapshot!(table());
}

/// A meter point with these members.
fn point(members: &str) -> Vec<String> {
    let body = format!(
        r#"{{"import_supplier":"A","external_account_number":"1","supply_addresses":[{{"customer_at_supply_address_from_date":"2020-01-01",
        "supply_address":{{"administrative_area":"VIC","country":"AU","locality":"X","postal_code":"3000","structured_street_address":{{}}}},
        "meter_points":[{{"supply_start_date":"2020-01-01"{members}}}]}}]}}"#
    );
    let cut = |line: String| line.replace("supply_addresses.0.meter_points.0", "MP");
    findings(&body).into_iter().map(cut).collect()
}

#[test]
fn supply_type_determines_the_variant() {
    assert_eq!(point(r#","mpxn":"1","parent_nmi":"2","supply_type":"UNMETERED_ELECTRICITY""#), [""; 0]);
    assert_eq!(
        point(r#","mpxn":"1","meters":[],"supply_type":"UNMETERED_ELECTRICITY""#),
        ["MP.meters: field_not_allowed_for_supply_type", "MP.parent_nmi: required"]
    );
    assert_eq!(
        point(
            r#","supply_type":"GAS","mpxn":"EMBEDDED_WATER_1","address":{"postcode":"3000"},"role_assignments":[],"master_data":{}"#
        )[..2],
        [
            "MP.master_data.customer_classification_code: required",
            "MP.master_data.heating_value_zone: required"
        ]
    );
    assert!(
        point(r#","supply_type":"GAS","mpxn":"EMBEDDED_WATER_1""#)
            .contains(&"MP.supply_type: supply_type_mismatch".into())
    );
}

#[test]
fn a_faulty_supply_type_leaves_the_variant_undecided() {
    assert_eq!(
        point(r#","mpxn":"1","supply_type":"STEAM","meters":7,"pressure":1,"supply_end_date":1"#),
        ["MP.pressure: unknown_field", "MP.supply_end_date: invalid", "MP.supply_type: invalid_choice"]
    );
    assert_eq!(point(r#","mpxn":"1","supply_type":null,"dog_code":7"#), ["MP.supply_type: null"]);
}

#[test]
fn prefix_or_members_determine_the_variant() {
    assert_eq!(point(r#","mpxn":" UNMETERED_GAS_1","pricing_zone":"Z""#), [""; 0]);
    assert_eq!(point(r#","mpxn":"unmetered_gas_1""#), ["MP: supply_type_assumed"]);
    // Several variants document these members equally often: the first one wins.
    assert_eq!(
        point(r#","mpxn":"1","appliance_type":"X","multiplier":1"#),
        ["MP.appliance_type: unrecognised_value", "MP.parent_nmi: required"]
    );
    assert_eq!(point(r#","mpxn":"1","appliance_type":"HEATER","multiplier":1,"pricing_zone":"Z""#), [""; 0]);
    assert_eq!(point(r#","meters":[],"access_details":"x","mpxn":"1""#), [""; 0]);
    assert_eq!(point(r#","mpxn":"1""#), ["MP: supply_type_assumed"]);
    assert_eq!(point(r#","mpxn":7"#), ["MP: supply_type_assumed", "MP.mpxn: invalid"]);
}

#[test]
fn checks_on_one_value_stop_at_the_first() {
    let of = |value: &str, member: &str| {
        findings(&format!(r#"{{"import_supplier":"A","external_account_number":"1",{member}:{value}}}"#))
    };
    assert_eq!(
        of(r#""a\u0000""#, "\"billing_delivery_point_identifier\""),
        ["billing_delivery_point_identifier: null_characters_not_allowed"]
    );
    assert_eq!(
        of(r#""123456789012""#, "\"billing_delivery_point_identifier\""),
        ["billing_delivery_point_identifier: max_length"]
    );
    assert_eq!(of(r#""ééééééééééé""#, "\"billing_delivery_point_identifier\""), [""; 0]);
    assert_eq!(of(r#""""#, "\"document_accessibility\""), [""; 0]);
    assert_eq!(of(r#"" ""#, "\"document_accessibility\""), ["document_accessibility: invalid_choice"]);
    assert_eq!(of("12345678901.12345678901", "\"transfer_balance\""), ["transfer_balance: max_digits"]);
    assert_eq!(of("1e400", "\"transfer_balance\""), ["transfer_balance: invalid"]);
    assert_eq!(
        of(r#"{"business_contract_identifier":" "}"#, "\"business\""),
        ["business.business_contract_identifier: blank"]
    );
    assert_eq!(of("[null,7,{}]", "\"customers\""), ["customers.0: null", "customers.1: invalid"]);
    assert_eq!(of("null", "\"last_payment_review_date\""), [""; 0]);
    assert_eq!(of("null", "\"last_billed_to_date\""), ["last_billed_to_date: null"]);
}

#[test]
fn datetimes_at_the_edge_of_time_depend_on_the_zone() {
    let body = br#"{"payload":{"import_supplier":"A","external_account_number":"1"},"task_params":{"schedule_window_start":"0001-01-01T05:00"}}"#;
    let in_zone = |zone: &str| {
        let decoded = cutover_model::decode_account(body, zone.parse().unwrap()).unwrap();
        (decoded.zone_matters, decoded.findings.len())
    };
    assert_eq!(in_zone("UTC"), (true, 0));
    assert_eq!(in_zone("Australia/Sydney"), (true, 1));
}
