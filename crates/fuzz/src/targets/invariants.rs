//! Invariants of decoding.

use cutover_core::Segment;
use cutover_core::{AttrPath, Level};
use cutover_model::choices::SupplyType;
use cutover_model::{
    Decoded, Finding, Kind, MAX_FINDINGS, ObjectSpec, SyntaxError, SyntaxErrorKind, Variant,
};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashSet;
use std::fmt;
use std::sync::LazyLock;

/// Decodes a body and checks the invariants of decoding. Returns `None` if it is not JSON.
pub(crate) fn decoded<'j, T>(
    body: &'j [u8],
    decode: impl FnOnce(&'j [u8]) -> Result<Decoded<T>, SyntaxError>,
) -> Option<Decoded<T>> {
    let decoded = decode(body);
    is_json(body, decoded.as_ref().err());
    let decoded = decoded.ok()?;
    check_order(&decoded.findings);
    let names = Names::of(body);
    decoded.findings.iter().for_each(|finding| names.check_path(&finding.attr));
    Some(decoded)
}

/// Checks that other parsers agree whether it is JSON, except for deeper nesting than the limit, and for
/// numbers that no float can hold, which are JSON too.
fn is_json(body: &[u8], error: Option<&SyntaxError>) {
    let is_text = std::str::from_utf8(body).is_ok();
    match error {
        None => {
            let of_another = serde_json::from_slice::<&RawValue>(body);
            assert!(is_text && of_another.is_ok(), "accepted, but not JSON: {:?}", of_another.err());
        }
        Some(error) if error.kind != SyntaxErrorKind::TooDeep => {
            let of_others = is_text
                && serde_json::from_slice::<Value>(body).is_ok()
                && jiter::JsonValue::parse(body, false).is_ok();
            assert!(!of_others, "refused, but JSON: {error}");
        }
        Some(_) => {}
    }
}

fn check_order(findings: &[Finding]) {
    for level in [Level::Error, Level::Warning] {
        let count = findings.iter().filter(|finding| finding.check.level == level).count();
        assert!(count <= MAX_FINDINGS + 1, "{count} findings");
    }
    let key = |finding: &Finding| (finding.attr.clone(), finding.check.code.as_str());
    assert!(findings.is_sorted_by(|a, b| key(a) < key(b)), "out of order, or repeated");
}

/// Names that a path may contain: documented names, and member names of the body.
pub(crate) struct Names(Option<HashSet<String>>);

/// Maximum length of a name in a path; longer ones are cut and end in an ellipsis.
const LONGEST: usize = 128;

impl Names {
    /// Collects the names of a body. If another parser cannot read the body, all names are allowed.
    pub(crate) fn of(body: &[u8]) -> Self {
        let mut names = HashSet::new();
        let read = Collect(&mut names).deserialize(&mut serde_json::Deserializer::from_slice(body));
        Self(read.ok().map(|()| names))
    }

    /// Checks that a path contains nothing of a body but names of members.
    pub(crate) fn check_path(&self, attr: &AttrPath) {
        let Some(own) = &self.0 else { return };
        for segment in attr.segments() {
            let Segment::Name(name) = segment else { continue };
            let is_cut = |start: &str| own.iter().any(|own| own.starts_with(start));
            let is_known = DOCUMENTED.contains(name.as_ref())
                || own.contains(name.as_ref())
                || name.strip_suffix('…').is_some_and(is_cut);
            assert!(is_known && name.chars().count() <= LONGEST + 1, "unexpected name in a path: {name}");
        }
    }
}

/// Collects the names of all members, including repeated ones.
struct Collect<'n>(&'n mut HashSet<String>);

impl<'de> DeserializeSeed<'de> for Collect<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

macro_rules! no_names {
    ($($visit:ident($($type:ty)?);)*) => {
        $(
            fn $visit<E>(self $(, _: $type)?) -> Result<(), E> {
                Ok(())
            }
        )*
    };
}

impl<'de> Visitor<'de> for Collect<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    no_names! {
        visit_unit();
        visit_bool(bool);
        visit_i64(i64);
        visit_u64(u64);
        visit_f64(f64);
        visit_str(&str);
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Collect(self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(name) = members.next_key()? {
            self.0.insert(name);
            members.next_value_seed(Collect(self.0))?;
        }
        Ok(())
    }
}

/// Names of all documented members.
static DOCUMENTED: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let mut names = HashSet::new();
    let mut seen = HashSet::new();
    for root in [
        &cutover_model::AccountEnvelope::SPEC,
        &cutover_model::NotesRequest::SPEC,
        &cutover_model::TransactionsRequest::SPEC,
        &cutover_model::HistoricalStatementsRequest::SPEC,
        &cutover_model::PaymentInstructionRequest::SPEC,
        &cutover_model::BusinessPaymentInstructionRequest::SPEC,
        &cutover_model::BusinessRequest::SPEC,
        &cutover_model::ManifestRequest::SPEC,
        &cutover_model::ManifestNumbersRequest::SPEC,
        &cutover_model::RunRequest::SPEC,
        &cutover_model::AccountSearchRequest::SPEC,
    ] {
        document(root, &mut seen, &mut names);
    }
    names
});

fn document(spec: &'static ObjectSpec, seen: &mut HashSet<&'static str>, names: &mut HashSet<&'static str>) {
    if seen.insert(spec.ident) {
        for field in spec.fields {
            names.insert(field.name);
            nested(field.kind, seen, names);
        }
    }
}

fn nested(kind: Kind, seen: &mut HashSet<&'static str>, names: &mut HashSet<&'static str>) {
    match kind {
        Kind::Object(spec) => document(spec(), seen, names),
        Kind::List { item, .. } => nested(item.kind, seen, names),
        Kind::MeterPoint => {
            document(&cutover_model::MeterPointCommon::SPEC, seen, names);
            SupplyType::ALL.into_iter().for_each(|kind| document(Variant::spec(kind), seen, names));
        }
        _ => {}
    }
}
