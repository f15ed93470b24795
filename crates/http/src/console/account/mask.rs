//! Masking of personal data. Members that the model declares as not personal are shown to everybody who is
//! signed in. All other members are masked until they are requested, with everything below them.

use super::value::Value;
use cutover_model::{
    Account, BusinessRequest, FieldSpec, HistoricalStatement, Kind, MeterPointCommon, TaskParams, Variant,
};
use std::collections::HashSet;
use std::sync::LazyLock;

/// Members that the service adds and that are not personal.
const OURS: [&str; 5] = [
    "customer_emails",
    "historical_statements",
    "service_account_number",
    "verified_at",
    "verified_payment_instructions",
];

/// Names of members that are shown anywhere, unless below a masked one.
static SHOWN: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| shown_of(&OURS, &[Account::SPEC.fields, HistoricalStatement::SPEC.fields]));

/// Like [`SHOWN`], of a business.
static SHOWN_OF_BUSINESS: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| shown_of(&["service_business_id"], &[BusinessRequest::SPEC.fields]));

fn shown_of(ours: &[&'static str], of: &[&'static [FieldSpec]]) -> HashSet<&'static str> {
    let (mut shown, mut personal) = (ours.iter().copied().collect::<HashSet<_>>(), HashSet::new());
    for fields in of {
        sort_out(fields, &mut shown, &mut personal);
    }
    // A name that is personal in one object is personal in all.
    shown.retain(|name| !personal.contains(name));
    shown
}

/// Sorts the names of members, and of those below shown ones, into shown and personal.
fn sort_out(
    fields: &'static [FieldSpec],
    shown: &mut HashSet<&'static str>,
    personal: &mut HashSet<&'static str>,
) {
    for field in fields {
        if field.is_personal {
            personal.insert(field.name);
        } else {
            shown.insert(field.name);
            below(field.kind).into_iter().for_each(|fields| sort_out(fields, shown, personal));
        }
    }
}

/// Returns the members of the objects that a member holds.
fn below(kind: Kind) -> Vec<&'static [FieldSpec]> {
    match kind {
        Kind::Object(spec) => vec![spec().fields],
        Kind::List { item, .. } => below(item.kind),
        Kind::MeterPoint => {
            let variants = Variant::SUPPLY_TYPES.iter().map(|kind| Variant::spec(*kind).fields);
            variants.chain([MeterPointCommon::SPEC.fields]).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns true for a payload that holds its account in an envelope.
pub(super) fn is_envelope(payload: &Value) -> bool {
    let Value::Object(members) = payload else { return false };
    members.iter().any(|(name, _)| ENVELOPE.contains(&name.as_str()))
}

/// Returns the mask for a payload, which may be an envelope.
pub(super) fn mask_of_root(payload: &Value, mask: Mask) -> Mask {
    if mask == Mask::Personal && is_envelope(payload) { Mask::OfEnvelope } else { mask }
}

/// The members that only an envelope has: the account and the parameters of its import.
const ENVELOPE: [&str; 2] = ["payload", "task_params"];

/// The extent to which values are masked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::console) enum Mask {
    /// As [`Personal`](Self::Personal), for a business.
    OfBusiness,
    /// As [`Personal`](Self::Personal), around the account.
    OfEnvelope,
    /// As [`Personal`](Self::Personal), for the parameters of an import.
    OfParameters,
    /// Masks nothing: the data was requested.
    Nothing,
    /// Masks everything that is not known to be free of personal data.
    Personal,
    /// Everything.
    All,
}

impl Mask {
    /// Returns the mask for a member.
    pub(super) fn of(self, name: &str) -> Self {
        match self {
            Self::OfEnvelope if name == "payload" => Self::Personal,
            Self::OfEnvelope if name == "task_params" => Self::OfParameters,
            Self::OfEnvelope => Self::All,
            Self::OfParameters => {
                let is_shown = |field: &&FieldSpec| field.name == name && !field.is_personal;
                if TaskParams::SPEC.fields.iter().any(|field| is_shown(&field)) { self } else { Self::All }
            }
            Self::OfBusiness if !SHOWN_OF_BUSINESS.contains(name) => Self::All,
            Self::Personal if !SHOWN.contains(name) => Self::All,
            mask => mask,
        }
    }

    /// Returns true if a value is masked.
    pub(super) fn hides(self) -> bool {
        self == Self::All
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::collections::BTreeSet;

    /// Returns the names of all members of an account, of an added statement, and of those that the service
    /// adds.
    fn members() -> BTreeSet<String> {
        let mut names: BTreeSet<String> =
            ["customer_emails", "service_account_number", "historical_statements"]
                .into_iter()
                .chain(["verified_payment_instructions", "verified_at"])
                .map(str::to_owned)
                .collect();
        for schema in ["account", "historical-statements"] {
            let path = format!("{}/../../docs/schema/{schema}.schema.json", env!("CARGO_MANIFEST_DIR"));
            let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
            collect(&schema, &mut names);
        }
        names
    }

    fn collect(schema: &Value, names: &mut BTreeSet<String>) {
        if let Some(members) = schema.get("properties").and_then(Value::as_object) {
            names.extend(members.keys().cloned());
        }
        match schema {
            Value::Object(members) => members.values().for_each(|value| collect(value, names)),
            Value::Array(items) => items.iter().for_each(|value| collect(value, names)),
            _ => {}
        }
    }

    #[test]
    fn unknown_members_are_masked() {
        for name in ["", "new_member", "Email", "given_name", "task_params"] {
            assert!(Mask::Personal.of(name).hides(), "{name}");
        }
        assert!(OURS.iter().all(|name| !Mask::Personal.of(name).hides()));
    }

    #[test]
    fn masked_members() {
        let masked: Vec<_> = members().into_iter().filter(|name| Mask::Personal.of(name).hides()).collect();
        insta::assert_snapshot!(masked.join("\n"));
    }

    #[test]
    fn everything_below_persons_is_masked() {
        assert!(Mask::Personal.of("customers").of("role").hides());
        assert!(!Mask::Personal.of("ledgers").of("ledger_balance").hides());
        assert!(!Mask::Nothing.of("customers").of("email").hides());
    }
}
