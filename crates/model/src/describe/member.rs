//! The documented members of the requests, by their paths.

use super::REQUESTS;
use crate::choices::SupplyType;
use crate::decode::{Check, FieldSpec, Kind, Known, Meanings};
use crate::patterns::{Place, each_place, pattern};
use crate::{AccountEnvelope, Variant};

/// A documented member of requests, or the items of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its path, with `#` for indexes.
    pub path: String,
    /// Its name; that of the array for an item.
    pub name: &'static str,
    /// The names of the requests that have it.
    pub requests: Vec<&'static str>,
    /// The kinds of meter points that have it; empty if it is in none, or in all.
    pub supply_types: Vec<SupplyType>,
    /// Its description.
    pub doc: String,
    /// Its form and limits, as the object of "expected".
    pub form: String,
    /// If set, it must be present whenever its object is. An item always is.
    pub required: bool,
    /// If set, it may be `null`, which means absent.
    pub nullable: bool,
    /// If set, it or an object around it is personal.
    pub is_personal: bool,
    /// Its values, if they are listed.
    pub values: Option<Values>,
    /// The checks of its form.
    pub checks: Vec<&'static Check>,
}

/// The listed values of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Values {
    /// The values.
    pub words: Known,
    /// The meanings of those that are codes.
    pub meanings: Meanings,
    /// If set, any other value is refused; if not, it gives a warning.
    pub is_closed: bool,
}

/// Every member of every request, the account's first. A path has several members if requests or kinds of meter points declare
/// it differently.
pub fn members() -> Vec<Member> {
    let mut members = Members::default();
    for request in REQUESTS {
        each_place(request.object, &mut |place| members.add(request.name, place));
        if request.object.ident == "Account" {
            each_place(&AccountEnvelope::SPEC, &mut |place| {
                // Members of the payload have the paths that they have without an envelope.
                if place.pattern.split('.').next() != Some("payload") {
                    members.add(request.name, place);
                }
            });
        }
    }
    members.finish()
}

/// The members at a path, in which any index stands for all of them.
pub fn members_at(path: &str) -> Vec<Member> {
    let pattern = pattern(path);
    let mut members = members();
    members.retain(|member| member.path == pattern);
    members
}

#[derive(Default)]
struct Members(Vec<Member>);

impl Members {
    /// Adds a member, or merges it with one that is declared alike.
    fn add(&mut self, request: &'static str, place: &Place) {
        let new = Member::of(request, place);
        let is_alike = |known: &&mut Member| {
            let (requests, supply_types) = (new.requests.clone(), new.supply_types.clone());
            Member { requests, supply_types, ..(**known).clone() } == new
        };
        let at_path = self.0.iter_mut().filter(|known| known.path == new.path);
        let Some(known) = { at_path }.find(is_alike) else { return self.0.push(new) };
        add(&mut known.requests, request);
        new.supply_types.into_iter().for_each(|kind| add(&mut known.supply_types, kind));
    }

    fn finish(mut self) -> Vec<Member> {
        for member in &mut self.0 {
            if member.supply_types.len() == Variant::SUPPLY_TYPES.len() {
                member.supply_types.clear();
            }
        }
        self.0
    }
}

fn add<T: PartialEq>(list: &mut Vec<T>, value: T) {
    if !list.contains(&value) {
        list.push(value);
    }
}

impl Member {
    fn of(request: &'static str, place: &Place) -> Self {
        let Place { field, spec, .. } = *place;
        let is_item = !std::ptr::eq(field, spec);
        let doc = match spec.kind {
            Kind::Object(object) if is_item => object().doc.split_whitespace().collect::<Vec<_>>().join(" "),
            _ => field.described(),
        };
        Self {
            path: place.pattern.clone(),
            name: field.name,
            requests: vec![request],
            supply_types: place.supply_type.into_iter().collect(),
            doc,
            form: spec.expected(),
            required: spec.required,
            nullable: spec.nullable,
            is_personal: place.is_personal,
            values: Values::of(spec),
            checks: spec.checks(),
        }
    }
}

impl Values {
    fn of(spec: &FieldSpec) -> Option<Self> {
        match spec.kind {
            Kind::Choice { words, meanings } => Some(Self { words, meanings, is_closed: true }),
            Kind::Open { known, .. } => Some(Self { words: known, meanings: &[], is_closed: false }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_to_its_members_in_all_requests() {
        let mobile = members_at("customers.7.mobile");
        assert_eq!(mobile.len(), 1);
        assert_eq!((mobile[0].requests.as_slice(), mobile[0].is_personal), (&["account"][..], true));
        assert_eq!(mobile[0].form, "a string of at most 32 characters");
        let body = members_at("notes.#.body");
        assert_eq!(body.len(), 1);
        assert_eq!(body[0].requests, ["account", "notes"]);
        assert_eq!(members_at("statements.#.issued_date")[0].requests, ["historical-statements"]);
        assert_eq!(members_at("task_params.schedule_window_start").len(), 1);
        assert_eq!(members_at("payload").len() + members_at("customers.mobile").len(), 0);
    }

    /// Members that each kind of meter point declares for itself are described once where they are alike.
    #[test]
    fn kinds_of_meter_points_are_named_where_they_differ() {
        let of = |member: &str| {
            let members = members_at(&format!("supply_addresses.#.meter_points.#.{member}"));
            members.into_iter().map(|member| member.supply_types).collect::<Vec<_>>()
        };
        assert_eq!(of("mpxn"), [vec![]]);
        assert_eq!(of("dog_code"), [vec![SupplyType::Gas]]);
        assert!(of("meters").concat().len() > 4);
    }

    #[test]
    fn items_and_objects_have_descriptions() {
        let items = &members_at("customers.#")[0];
        assert_eq!(
            (items.doc.as_str(), &*items.form),
            ("A person who holds an account (contract 2.3).", "an object")
        );
        assert!(members().iter().all(|member| !member.doc.is_empty() && !member.form.is_empty()));
    }
}
