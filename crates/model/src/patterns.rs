//! The patterns of the paths of an account: those of its declared values, and that of a path.

use crate::{Account, FieldSpec, Kind, MeterPointCommon, Variant};

/// Visits every value of an account that is neither an object nor an array, of every kind of meter point: the pattern of its
/// path, with `#` for indexes, its member, and its kind, which for an item of an array is not the member's.
pub(crate) fn each_value(visit: &mut impl FnMut(String, &'static FieldSpec, Kind)) {
    members(Account::SPEC.fields, "", visit);
}

fn members(
    fields: &'static [FieldSpec],
    above: &str,
    visit: &mut impl FnMut(String, &'static FieldSpec, Kind),
) {
    for field in fields {
        value(format!("{above}{}", field.name), field, field.kind, visit);
    }
}

fn value(
    pattern: String,
    field: &'static FieldSpec,
    kind: Kind,
    visit: &mut impl FnMut(String, &'static FieldSpec, Kind),
) {
    match kind {
        Kind::Object(spec) => members(spec().fields, &format!("{pattern}."), visit),
        Kind::List { item, .. } => value(format!("{pattern}.#"), field, item.kind, visit),
        Kind::MeterPoint => {
            let variants = Variant::SUPPLY_TYPES.iter().map(|kind| Variant::spec(*kind).fields);
            for fields in variants.chain([MeterPointCommon::SPEC.fields]) {
                members(fields, &format!("{pattern}."), visit);
            }
        }
        kind => visit(pattern, field, kind),
    }
}

/// Returns the pattern of a path.
pub(crate) fn pattern(path: &str) -> String {
    let is_index = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<&str> = path.split('.').map(|part| if is_index(part) { "#" } else { part }).collect();
    parts.join(".")
}
