//! Compares two schemas.

use super::{items, members, text};
use serde_json::Value;
use std::collections::BTreeSet;

/// Direction of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    /// Clients send it: every value that was accepted must be accepted.
    Request,
    /// Clients read it: every member that was there must be there.
    Answer,
}

/// Comparison of the schemas of two descriptions, starting at their uses.
pub(super) struct Schemas<'d> {
    old: &'d Value,
    new: &'d Value,
    /// Pairs that were compared, or are being compared.
    seen: BTreeSet<(Side, &'d str, &'d str)>,
    pub(super) faults: Vec<String>,
}

/// Upper bounds, which must not fall.
const UPPER: [&str; 6] =
    ["maxLength", "maximum", "exclusiveMaximum", "maxItems", "maxProperties", "multipleOf"];
/// Lower bounds, which must not rise.
const LOWER: [&str; 5] = ["minLength", "minimum", "exclusiveMinimum", "minItems", "minProperties"];

impl<'d> Schemas<'d> {
    pub(super) fn new(old: &'d Value, new: &'d Value) -> Self {
        Self { old, new, seen: BTreeSet::new(), faults: Vec::new() }
    }

    /// Adds a fault for each value that the new schema no longer accepts or guarantees. Shared schemas are
    /// compared once.
    pub(super) fn compare(&mut self, place: &str, side: Side, old: &'d Value, new: &'d Value) {
        let (old_name, new_name) = (name(old), name(new));
        let mut place = place.to_owned();
        if let (Some(old_name), Some(new_name)) = (old_name, new_name) {
            if !self.seen.insert((side, old_name, new_name)) {
                return;
            }
            place = old_name.to_owned();
        }
        let (before, now) = (alternatives(self.old, old), alternatives(self.new, new));
        if before.len() > 1 || now.len() > 1 {
            return self.alternatives(&place, side, &before, &now);
        }
        let (old, new) = (resolved(self.old, old), resolved(self.new, new));
        self.types(&place, side, old, new);
        self.words(&place, old, new, "enum");
        self.words(&place, old, new, "x-known-values");
        if side == Side::Request {
            self.bounds(&place, old, new);
            self.pattern(&place, &old["pattern"], &new["pattern"]);
        }
        if old["format"] != new["format"] && !new["format"].is_null() {
            self.fault(&place, "format: changed");
        }
        self.members(&place, side, old, new);
        if !old["items"].is_null() && !new["items"].is_null() {
            self.compare(&format!("{place}[]"), side, &old["items"], &new["items"]);
        }
    }

    fn fault(&mut self, place: &str, what: &str) {
        self.faults.push(format!("{place}: {what}"));
    }

    /// Compares types: a request may accept more, an answer must not have others.
    fn types(&mut self, place: &str, side: Side, old: &Value, new: &Value) {
        let (before, now) = (types(old), types(new));
        let (relied_on, there) = match side {
            Side::Request => (&before, &now),
            Side::Answer => (&now, &before),
        };
        if there.is_empty() {
            return;
        }
        if relied_on.is_empty() {
            return self.fault(place, "type: narrowed");
        }
        for kind in relied_on.difference(there) {
            self.fault(place, &format!("type {kind}: changed"));
        }
    }

    fn words(&mut self, place: &str, old: &Value, new: &Value, list: &str) {
        if new[list].is_null() {
            return;
        }
        if old[list].is_null() && list == "enum" {
            return self.fault(place, "enum: narrowed");
        }
        for word in items(&old[list]).iter().filter(|word| !items(&new[list]).contains(word)) {
            self.fault(place, &format!("{list} {word}: removed"));
        }
    }

    fn bounds(&mut self, place: &str, old: &Value, new: &Value) {
        for (bound, narrows) in UPPER
            .map(|bound| (bound, f64::lt as fn(&f64, &f64) -> bool))
            .into_iter()
            .chain(LOWER.map(|bound| (bound, f64::gt as fn(&f64, &f64) -> bool)))
        {
            let Some(now) = new[bound].as_f64() else { continue };
            if old[bound].as_f64().is_none_or(|before| narrows(&now, &before)) {
                self.fault(place, &format!("{bound}: narrowed"));
            }
        }
    }

    /// Compares patterns: only counts in braces may grow; of other changes the effect is unknown.
    fn pattern(&mut self, place: &str, old: &Value, new: &Value) {
        if new.is_null() || old == new {
            return;
        }
        let ((before, least), (now, most)) = (counts(text(old)), counts(text(new)));
        let widened = before == now && least.iter().zip(&most).all(|((a, b), (c, d))| c <= a && d >= b);
        if !widened {
            self.fault(place, "pattern: changed");
        }
    }

    fn members(&mut self, place: &str, side: Side, old: &'d Value, new: &'d Value) {
        for (member, schema) in members(&old["properties"]) {
            let inner = format!("{place}.{member}");
            match new["properties"].get(member) {
                Some(now) => self.compare(&inner, side, schema, now),
                None => self.fault(&inner, "removed"),
            }
        }
        let (before, now) = (&old["required"], &new["required"]);
        let (fixed, free, what) = match side {
            Side::Request => (now, before, "newly required"),
            Side::Answer => (before, now, "may be left out now"),
        };
        for member in items(fixed).iter().filter(|member| !items(free).contains(member)) {
            let is_there = new["properties"].get(text(member)).is_some();
            if is_there {
                self.fault(&format!("{place}.{}", text(member)), what);
            }
        }
        if side == Side::Request
            && new["additionalProperties"] == false
            && old["additionalProperties"] != false
        {
            self.fault(place, "other members: refused now");
        }
    }

    /// Compares alternatives, matched by name, or by type if they have none.
    fn alternatives(&mut self, place: &str, side: Side, old: &[&'d Value], new: &[&'d Value]) {
        let same = |one: &Value, other: &Value| match (name(one), name(other)) {
            (None, None) => one["type"] == other["type"],
            (one, other) => one == other,
        };
        for alternative in old {
            match new.iter().find(|now| same(alternative, now)) {
                Some(now) => self.compare(place, side, alternative, now),
                None => self.fault(place, &format!("alternative {}: removed", shown(alternative))),
            }
        }
        let is_new = |now: &&&Value| now["type"] == "null" && !old.iter().any(|before| same(before, now));
        if side == Side::Answer && new.iter().any(|now| is_new(&now)) {
            self.fault(place, "type null: changed");
        }
    }
}

/// Returns the alternatives of a schema, or the schema itself.
fn alternatives<'d>(document: &'d Value, schema: &'d Value) -> Vec<&'d Value> {
    match items(&resolved(document, schema)["anyOf"]) {
        [] => vec![schema],
        several => several.iter().collect(),
    }
}

/// Returns the name or the type of an alternative.
fn shown(schema: &Value) -> &str {
    name(schema).unwrap_or_else(|| text(&schema["type"]))
}

/// Returns the name of the schema in a reference.
fn name(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/components/schemas/")
}

fn resolved<'d>(document: &'d Value, schema: &'d Value) -> &'d Value {
    name(schema).map_or(schema, |name| &document["components"]["schemas"][name])
}

fn types(schema: &Value) -> BTreeSet<&str> {
    match &schema["type"] {
        Value::Array(kinds) => kinds.iter().map(text).collect(),
        kind => kind.as_str().into_iter().collect(),
    }
}

/// Returns a pattern without the counts in its braces, and the counts as minimum and maximum.
fn counts(pattern: &str) -> (String, Vec<(u64, u64)>) {
    let (mut skeleton, mut found, mut rest) = (String::new(), Vec::new(), pattern);
    while let Some((before, after)) = rest.split_once('{') {
        skeleton.push_str(before);
        rest = after;
        let Some((count, after)) = after.split_once('}') else { break };
        let (from, to) = count.split_once(',').unwrap_or((count, count));
        let number = |text: &str, other| if text.is_empty() { Some(other) } else { text.parse().ok() };
        if let (Some(from), Some(to)) = (number(from, 0), number(to, u64::MAX)) {
            skeleton.push_str("{}");
            found.push((from, to));
            rest = after;
        } else {
            skeleton.push('{');
        }
    }
    skeleton.push_str(rest);
    (skeleton, found)
}
