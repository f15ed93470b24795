//! What of an account is shown to everybody who is signed in: what the declarations of the model say that it tells
//! nothing of a person. Whatever is not known to is masked until it is asked for, and so is all that is below.

use cutover_model::{Account, FieldSpec, HistoricalStatement, Kind, MeterPointCommon, Variant};
use std::collections::HashSet;
use std::sync::LazyLock;

/// What the service adds to what was sent, and tells nothing of a person.
const OURS: [&str; 5] = [
    "customer_emails",
    "historical_statements",
    "service_account_number",
    "verified_at",
    "verified_payment_instructions",
];

/// Members that are shown wherever they stand, unless below one that is masked.
static SHOWN: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let (mut shown, mut personal) = (HashSet::from(OURS), HashSet::new());
    for fields in [Account::SPEC.fields, HistoricalStatement::SPEC.fields] {
        sort_out(fields, &mut shown, &mut personal);
    }
    // A name that is personal in one object is so in all.
    shown.retain(|name| !personal.contains(name));
    shown
});

/// Sorts the names of members, and of those below them as far as they are shown.
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

/// The members of what a member holds.
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

/// How much of what stands below is masked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mask {
    /// Nothing: it was asked for.
    Nothing,
    /// Whatever is not known to tell nothing of a person.
    Personal,
    /// Everything.
    All,
}

impl Mask {
    /// That of a member.
    pub(super) fn of(self, name: &str) -> Self {
        match self {
            Self::Personal if !SHOWN.contains(name) => Self::All,
            mask => mask,
        }
    }

    /// Whether a value is masked.
    pub(super) fn hides(self) -> bool {
        self == Self::All
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::collections::BTreeSet;

    /// Every member of an account, of a statement added since, and of what we add.
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
    fn whatever_is_not_known_is_masked() {
        for name in ["", "new_member", "Email", "given_name", "task_params"] {
            assert!(Mask::Personal.of(name).hides(), "{name}");
        }
        assert!(OURS.iter().all(|name| !Mask::Personal.of(name).hides()));
    }

    #[test]
    fn what_is_masked() {
        let masked: Vec<_> = members().into_iter().filter(|name| Mask::Personal.of(name).hides()).collect();
        insta::assert_snapshot!(masked.join("\n"));
    }

    #[test]
    fn below_people_everything_is_masked() {
        assert!(Mask::Personal.of("customers").of("role").hides());
        assert!(!Mask::Personal.of("ledgers").of("ledger_balance").hides());
        assert!(!Mask::Nothing.of("customers").of("email").hides());
    }
}
