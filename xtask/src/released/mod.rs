//! Compares the description of the API with the last released one: nothing may be removed or narrowed
//! (contract 9).
//!
//! At a release, `docs/openapi.json` is copied to `docs/openapi.released.json`.

mod schema;
#[cfg(test)]
mod tests;

use crate::cargo;
use crate::error::Error;
use schema::{Schemas, Side};
use serde_json::Value;

const RELEASED: &str = "docs/openapi.released.json";
const CURRENT: &str = "docs/openapi.json";

/// Remedy for a fault.
pub(crate) const FIX: &str =
    "clients rely on what was released: keep it and add to it, or begin a new version of the API";

/// Returns everything of the released description that is removed or narrowed.
pub(crate) fn check() -> Result<Vec<String>, Error> {
    let (released, current) = (read(RELEASED)?, read(CURRENT)?);
    Ok(breaks(&released, &current))
}

fn read(path: &str) -> Result<Value, Error> {
    let path = cargo::root().join(path);
    let text = std::fs::read_to_string(&path).map_err(Error::file("read", &path))?;
    serde_json::from_str(&text).map_err(|source| Error::Json { path, source })
}

/// Removed or narrowed items with their paths.
fn breaks(old: &Value, new: &Value) -> Vec<String> {
    let mut comparison = Comparison { schemas: Schemas::new(old, new), faults: Vec::new() };
    for (path, methods) in members(&old["paths"]) {
        for (method, operation) in members(methods) {
            let place = format!("{} {path}", method.to_uppercase());
            match new["paths"].get(path).and_then(|methods| methods.get(method)) {
                Some(now) => comparison.operation(&place, operation, now),
                None => comparison.faults.push(format!("{place}: removed")),
            }
        }
    }
    comparison.faults.append(&mut comparison.schemas.faults);
    comparison.faults
}

struct Comparison<'d> {
    schemas: Schemas<'d>,
    faults: Vec<String>,
}

impl<'d> Comparison<'d> {
    fn operation(&mut self, place: &str, old: &'d Value, new: &'d Value) {
        if old["operationId"] != new["operationId"] {
            self.faults.push(format!("{place}: operationId: renamed"));
        }
        if is_open(old) && !is_open(new) {
            self.faults.push(format!("{place}: security: newly required"));
        }
        self.parameters(place, old, new);
        self.body(place, &old["requestBody"], &new["requestBody"]);
        for (status, answer) in members(&old["responses"]) {
            let place = format!("{place}: {status}");
            match new["responses"].get(status) {
                Some(now) => self.answer(&place, answer, now),
                None => self.faults.push(format!("{place}: removed")),
            }
        }
    }

    fn parameters(&mut self, place: &str, old: &'d Value, new: &'d Value) {
        let same = |one: &Value, other: &Value| one["name"] == other["name"] && one["in"] == other["in"];
        for parameter in items(&old["parameters"]) {
            let place = format!("{place}: {}", text(&parameter["name"]));
            match items(&new["parameters"]).iter().find(|now| same(parameter, now)) {
                Some(now) => {
                    self.schemas.compare(&place, Side::Request, &parameter["schema"], &now["schema"])
                }
                None => self.faults.push(format!("{place}: removed")),
            }
        }
        for parameter in items(&new["parameters"]).iter().filter(|now| now["required"] == true) {
            let known = items(&old["parameters"]).iter().find(|before| same(parameter, before));
            if known.is_none_or(|before| before["required"] != true) {
                self.faults.push(format!("{place}: {}: newly required", text(&parameter["name"])));
            }
        }
    }

    fn body(&mut self, place: &str, old: &'d Value, new: &'d Value) {
        if new["required"] == true && old["required"] != true {
            self.faults.push(format!("{place}: body: newly required"));
        }
        self.content(&format!("{place}: body"), Side::Request, old, new);
    }

    fn answer(&mut self, place: &str, old: &'d Value, new: &'d Value) {
        for (name, _) in members(&old["headers"]) {
            if new["headers"].get(name).is_none() {
                self.faults.push(format!("{place}: {name}: removed"));
            }
        }
        self.content(place, Side::Answer, old, new);
    }

    fn content(&mut self, place: &str, side: Side, old: &'d Value, new: &'d Value) {
        for (media, content) in members(&old["content"]) {
            match new["content"].get(media) {
                Some(now) => self.schemas.compare(place, side, &content["schema"], &now["schema"]),
                None => self.faults.push(format!("{place}: {media}: removed")),
            }
        }
        self.examples(place, &old["content"], &new["content"]);
    }

    /// Compares the examples of refusals, which are named by their error codes.
    fn examples(&mut self, place: &str, old: &'d Value, new: &'d Value) {
        for (media, content) in members(old) {
            for (name, _) in members(&content["examples"]) {
                if new[media]["examples"].get(name).is_none() {
                    self.faults.push(format!("{place}: example {name}: removed"));
                }
            }
        }
    }
}

/// Returns true if an operation needs no token.
fn is_open(operation: &Value) -> bool {
    items(&operation["security"]).is_empty()
}

fn members(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flatten().map(|(name, value)| (name.as_str(), value))
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
