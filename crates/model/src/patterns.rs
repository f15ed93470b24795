//! The patterns of the paths of a request: those of its declared members, and that of a path.

use crate::choices::SupplyType;
use crate::{Account, FieldSpec, Kind, MeterPointCommon, ObjectSpec, Variant};

/// A declared member, or the items of an array.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// The pattern of its path, with `#` for indexes.
    pub(crate) pattern: String,
    /// The member; for items of an array the member that has the array.
    pub(crate) field: &'static FieldSpec,
    /// Its declaration, which for an item is not the member's.
    pub(crate) spec: &'static FieldSpec,
    /// The kind of meter point that has it; `None` outside of meter points, and for what all kinds have.
    pub(crate) supply_type: Option<SupplyType>,
    /// True if the member or one around it is personal.
    pub(crate) is_personal: bool,
}

impl Place {
    fn of(pattern: String, field: &'static FieldSpec, around: &Around) -> Self {
        let is_personal = around.is_personal || field.is_personal;
        Self { pattern, field, spec: field, supply_type: around.supply_type, is_personal }
    }

    /// The properties that the members below inherit.
    fn around(&self) -> Around {
        Around { supply_type: self.supply_type, is_personal: self.is_personal }
    }
}

/// The properties that a member inherits from the objects around it.
#[derive(Debug, Clone, Copy, Default)]
struct Around {
    supply_type: Option<SupplyType>,
    is_personal: bool,
}

/// Visits every member below an object and the items of every array, each before what is below it; those of meter points
/// once for the members that all kinds have, and once for each kind.
pub(crate) fn each_place(object: &'static ObjectSpec, visit: &mut impl FnMut(&Place)) {
    members(object.fields, "", &Around::default(), visit);
}

/// Visits every value of an account that is neither an object nor an array: the pattern of its path, its member, and its
/// kind, which for an item of an array is not the member's.
pub(crate) fn each_value(visit: &mut impl FnMut(String, &'static FieldSpec, Kind)) {
    each_place(&Account::SPEC, &mut |place| match place.spec.kind {
        Kind::Object(_) | Kind::MeterPoint | Kind::List { .. } => {}
        kind => visit(place.pattern.clone(), place.field, kind),
    });
}

fn members(fields: &'static [FieldSpec], above: &str, around: &Around, visit: &mut impl FnMut(&Place)) {
    for field in fields {
        value(&Place::of(format!("{above}{}", field.name), field, around), visit);
    }
}

fn value(place: &Place, visit: &mut impl FnMut(&Place)) {
    visit(place);
    let (around, below) = (place.around(), format!("{}.", place.pattern));
    match place.spec.kind {
        Kind::Object(spec) => members(spec().fields, &below, &around, visit),
        Kind::List { item, .. } => {
            value(&Place { pattern: format!("{below}#"), spec: item, ..place.clone() }, visit);
        }
        Kind::MeterPoint => {
            members(MeterPointCommon::SPEC.fields, &below, &around, visit);
            for kind in Variant::SUPPLY_TYPES {
                let around = Around { supply_type: Some(*kind), ..around };
                members(Variant::spec(*kind).fields, &below, &around, visit);
            }
        }
        _ => {}
    }
}

/// Returns the pattern of a path.
pub(crate) fn pattern(path: &str) -> String {
    let is_index = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<&str> = path.split('.').map(|part| if is_index(part) { "#" } else { part }).collect();
    parts.join(".")
}
