//! Patterns of paths, by which faults are counted.

use crate::choices::SupplyType;
use crate::describe::REQUESTS;
use crate::{Kind, ObjectSpec, Variant};
use cutover_core::{AttrPath, NON_FIELD_ERRORS, Segment};
use std::collections::HashSet;
use std::sync::LazyLock;

/// The names of all documented members.
static NAMES: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let mut names = HashSet::from([NON_FIELD_ERRORS]);
    REQUESTS.iter().for_each(|request| add(request.object, &mut names));
    add(&crate::AccountEnvelope::SPEC, &mut names);
    names
});

fn add(object: &'static ObjectSpec, names: &mut HashSet<&'static str>) {
    for field in object.fields {
        names.insert(field.name);
        add_kind(&field.kind, names);
    }
}

fn add_kind(kind: &'static Kind, names: &mut HashSet<&'static str>) {
    match kind {
        Kind::Object(object) => add(object(), names),
        Kind::List { item, .. } => add_kind(&item.kind, names),
        Kind::MeterPoint => {
            add(&crate::MeterPointCommon::SPEC, names);
            Variant::SUPPLY_TYPES.iter().for_each(|kind: &SupplyType| add(Variant::spec(*kind), names));
        }
        _ => {}
    }
}

/// Returns the pattern of a path: `#` for indexes, and `*` for names of members that are not documented. There is a
/// bounded number of patterns, and none has anything of a payload but documented names.
///
/// ```
/// use cutover_core::AttrPath;
/// let path = AttrPath::root().name("customers").index(3).name("mobile");
/// assert_eq!(cutover_model::pattern(&path), "customers.#.mobile");
/// let path = AttrPath::root().name("customers").index(3).name("secret");
/// assert_eq!(cutover_model::pattern(&path), "customers.#.*");
/// ```
pub fn pattern(path: &AttrPath) -> String {
    if path.segments().is_empty() {
        return NON_FIELD_ERRORS.to_owned();
    }
    let mut pattern = String::new();
    for segment in path.segments() {
        if !pattern.is_empty() {
            pattern.push('.');
        }
        pattern.push_str(match segment {
            Segment::Index(_) => "#",
            Segment::Name(name) if NAMES.contains(&**name) => name,
            Segment::Name(_) => "*",
        });
    }
    pattern
}
