//! The JSON Schema that the peers and the limit check: the declarations of `cutover-model` without lengths, closed lists
//! and patterns, which generic frameworks rarely check, and with one object instead of the seven kinds of meter points,
//! which no framework tells apart.

use crate::error::Error;
use crate::program;
use cutover_model::choices::SupplyType;
use cutover_model::{Account, FieldSpec, Kind, MeterPointCommon, Variant};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

const PHONES: [&str; 2] = ["mobile", "landline"];
const EMAILS: [&str; 2] = ["email", "outage_contact_email"];
/// A decimal as a string.
const DECIMAL: &str = r"^-?\d{1,12}(\.\d{1,10})?$";
/// Days of which the second may not be before the first. The first pair that an object has is checked.
const ORDER: [[&str; 2]; 7] = [
    ["bill_period_from_date", "bill_period_to_date"],
    ["start_date", "end_date"],
    ["effective_from", "effective_to"],
    ["supply_start_date", "supply_end_date"],
    ["installed_on", "removed_on"],
    ["active_from", "active_to"],
    ["from_date", "to_date"],
];

type Fields = Vec<&'static FieldSpec>;

/// Writes the schema into a file, which it returns.
pub(crate) fn file() -> Result<PathBuf, Error> {
    let file = program::folder().join("model.json");
    std::fs::create_dir_all(program::folder()).map_err(Error::file("create", &file))?;
    std::fs::write(&file, schema().to_string()).map_err(Error::file("write", &file))?;
    Ok(file)
}

fn schema() -> Value {
    let mut objects = Map::new();
    define(&mut objects, "Account", &[Account::SPEC.fields.iter().collect()]);
    json!({"$ref": "#/$defs/Account", "$defs": objects})
}

/// Adds an object that has the members of all these, after the objects that it refers to. A member is required if all
/// of them require it.
fn define(objects: &mut Map<String, Value>, name: &str, merged: &[Fields]) {
    if objects.contains_key(name) {
        return;
    }
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for field in merged.iter().flatten() {
        if properties.contains_key(field.name) {
            continue;
        }
        let same = merged.iter().flatten().copied().filter(|other| other.name == field.name);
        let same: Fields = same.collect();
        if same.len() == merged.len() && same.iter().all(|field| field.required) {
            required.push(field.name);
        }
        properties.insert(field.name.to_owned(), member(objects, &same));
    }
    let order = ORDER.iter().find(|pair| pair.iter().all(|name| properties.contains_key(*name)));
    let mut object = json!({
        "type": "object", "additionalProperties": false, "properties": properties, "required": required,
    });
    if let Some(order) = order {
        object["dateOrder"] = json!(order);
    }
    objects.insert(name.to_owned(), object);
}

/// The schema of a member that one or several objects have.
fn member(objects: &mut Map<String, Value>, same: &[&'static FieldSpec]) -> Value {
    let Some(first) = same.first() else { return Value::Null };
    let mut schema = match first.kind {
        Kind::Object(spec) => {
            let specs = same.iter().filter_map(|field| match field.kind {
                Kind::Object(spec) => Some(spec()),
                _ => None,
            });
            let mut specs: Vec<_> = specs.collect();
            specs.dedup_by_key(|spec| spec.ident);
            let name = if specs.len() > 1 { format!("Any{}", spec().ident) } else { spec().ident.to_owned() };
            let merged: Vec<Fields> = specs.iter().map(|spec| spec.fields.iter().collect()).collect();
            define(objects, &name, &merged);
            json!({"$ref": format!("#/$defs/{name}")})
        }
        Kind::MeterPoint => {
            let of =
                |kind: &SupplyType| MeterPointCommon::SPEC.fields.iter().chain(Variant::spec(*kind).fields);
            let merged: Vec<Fields> = SupplyType::ALL.iter().map(|kind| of(kind).collect()).collect();
            define(objects, "MeterPoint", &merged);
            json!({"$ref": "#/$defs/MeterPoint"})
        }
        Kind::List { .. } => {
            let items = same.iter().filter_map(|field| match field.kind {
                Kind::List { item, .. } => Some(item),
                _ => None,
            });
            let items: Fields = items.collect();
            json!({"type": "array", "items": member(objects, &items)})
        }
        _ if PHONES.contains(&first.name) => json!({"type": "string", "format": "phone"}),
        _ if EMAILS.contains(&first.name) => json!({"type": "string", "format": "email"}),
        kind => scalar(kind),
    };
    if same.iter().any(|field| field.nullable) {
        match &mut schema["type"] {
            Value::Array(types) => types.push(json!("null")),
            single => *single = json!([single, "null"]),
        }
    }
    schema
}

fn scalar(kind: Kind) -> Value {
    match kind {
        Kind::Date => json!({"type": "string", "format": "date"}),
        Kind::DateTime => json!({"type": "string", "format": "date-time"}),
        Kind::Decimal { .. } => json!({"type": ["string", "number"], "pattern": DECIMAL}),
        Kind::Integer { min: Some(min), max: Some(max) } => {
            json!({"type": "integer", "minimum": min, "maximum": max})
        }
        Kind::Integer { .. } => json!({"type": "integer"}),
        Kind::Boolean => json!({"type": "boolean"}),
        Kind::FreeObject => json!({"type": "object"}),
        Kind::FreeArray => json!({"type": "array"}),
        _ => json!({"type": "string"}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_object_is_defined_before_it_is_referred_to() {
        let schema = schema();
        let objects = schema["$defs"].as_object().unwrap();
        for (place, (name, object)) in objects.iter().enumerate() {
            for reference in object.to_string().split("#/$defs/").skip(1) {
                let target = reference.split('"').next().unwrap();
                let index = objects.keys().position(|key| key == target).unwrap();
                assert!(index < place, "{name} refers to {target}");
            }
        }
        assert_eq!(objects.keys().next_back().unwrap(), "Account");
    }

    #[test]
    fn kinds_of_meter_points_are_one_object() {
        let objects = schema();
        let point = &objects["$defs"]["MeterPoint"];
        assert_eq!(point["required"], json!(["mpxn", "supply_start_date"]));
        assert_eq!(point["dateOrder"], json!(["supply_start_date", "supply_end_date"]));
        assert_eq!(point["properties"]["master_data"], json!({"$ref": "#/$defs/GasMasterData"}));
        let meter = point["properties"]["meters"]["items"]["$ref"].as_str().unwrap();
        let meter = &objects["$defs"][meter.trim_start_matches("#/$defs/")];
        assert_eq!(meter["required"], json!(["meter_serial_number"]));
        assert!(meter["properties"]["kpa_value"].is_object() && meter["properties"]["registers"].is_object());
        assert_eq!(
            objects["$defs"]["Customer"]["properties"]["mobile"],
            json!({"type": ["string", "null"], "format": "phone"})
        );
    }
}
