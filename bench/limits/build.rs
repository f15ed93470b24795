//! Writes a struct with borrowed texts, and its checks, for each object of the JSON Schema that `BENCH_MODEL` names.

use serde_json::Value;
use std::fmt::Write;

fn main() {
    println!("cargo::rerun-if-env-changed=BENCH_MODEL");
    let file = std::env::var("BENCH_MODEL").expect("BENCH_MODEL names a JSON Schema: see bench/README.md");
    println!("cargo::rerun-if-changed={file}");
    let text = std::fs::read_to_string(file).expect("the schema can be read");
    let schema: Value = serde_json::from_str(&text).expect("the schema is JSON");
    let mut source = String::new();
    for (name, object) in schema["$defs"].as_object().expect("the schema has $defs") {
        source += &structure(name, object);
    }
    let folder = std::env::var("OUT_DIR").expect("cargo names a folder");
    std::fs::write(format!("{folder}/model.rs"), source).expect("the structs can be written");
}

/// A struct, and an implementation of `Check`.
fn structure(name: &str, object: &Value) -> String {
    let (mut members, mut checks) = (String::new(), vec!["true".to_owned()]);
    for (member, schema) in object["properties"].as_object().expect("an object has properties") {
        let (mut type_, check) = of(schema);
        let value = format!("self.r#{member}");
        if let Some(check) = check {
            checks.push(match is_optional(object, member) {
                true => format!("{value}.as_ref().is_none_or(|x| {check})"),
                false => format!("{{ let x = &{value}; {check} }}"),
            });
        }
        if is_optional(object, member) {
            type_ = format!("Option<{type_}>");
        }
        let borrow = if type_.contains("'a") { "#[serde(borrow)] " } else { "" };
        writeln!(members, "{borrow}pub r#{member}: {type_},").expect("a string can be written to");
    }
    if let Some([start, end]) = object["dateOrder"].as_array().map(Vec::as_slice) {
        let value = |member: &Value| {
            let member = member.as_str().expect("a member has a name");
            if is_optional(object, member) {
                format!("self.r#{member}.as_ref()")
            } else {
                format!("Some(&self.r#{member})")
            }
        };
        checks.push(format!("ordered({}, {})", value(start), value(end)));
    }
    // Some objects have no text to borrow.
    format!(
        "#[derive(serde::Deserialize)] #[serde(deny_unknown_fields)] pub struct {name}<'a> {{\n{members}\
         #[serde(skip)] _borrowed: std::marker::PhantomData<&'a ()>,\n}}\n\
         impl Check for {name}<'_> {{ fn holds(&self) -> bool {{ {} }} }}\n",
        checks.join(" && ")
    )
}

/// The type of a value that is there, and the check of such a value `x`.
fn of(schema: &Value) -> (String, Option<String>) {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.trim_start_matches("#/$defs/");
        return (format!("{name}<'a>"), Some("x.holds()".into()));
    }
    let types = if schema["type"].is_array() { &schema["type"][0] } else { &schema["type"] };
    let is_decimal = schema["type"].as_array().is_some_and(|all| all.iter().any(|name| name == "number"));
    let text = || "Cow<'a, str>".to_owned();
    match (types.as_str().unwrap_or_default(), schema["format"].as_str()) {
        _ if is_decimal => ("Decimal".into(), None),
        (_, Some("date")) => ("NaiveDate".into(), None),
        (_, Some("date-time")) => ("DateTime<FixedOffset>".into(), None),
        (_, Some("phone")) => (text(), Some("is_phone(x)".into())),
        (_, Some("email")) => (text(), Some("is_email(x)".into())),
        ("boolean", _) => ("bool".into(), None),
        ("integer", _) => match (&schema["minimum"], &schema["maximum"]) {
            (Value::Number(least), Value::Number(most)) => {
                ("i64".into(), Some(format!("({least}..={most}).contains(x)")))
            }
            _ => ("i64".into(), None),
        },
        ("array", _) if schema["items"].is_object() => {
            let (item, check) = of(&schema["items"]);
            (format!("Vec<{item}>"), check.map(|check| format!("x.iter().all(|x| {check})")))
        }
        ("array" | "object", _) => ("serde::de::IgnoredAny".into(), None),
        _ => (text(), None),
    }
}

/// Returns true for a member that may be absent or null.
fn is_optional(object: &Value, member: &str) -> bool {
    let has =
        |list: &Value, name: &str| list.as_array().is_some_and(|all| all.iter().any(|other| other == name));
    !has(&object["required"], member) || has(&object["properties"][member]["type"], "null")
}
