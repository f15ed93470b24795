use super::breaks;
use serde_json::{Value, json};

/// A description with every kind of item that can be removed or narrowed.
fn description() -> Value {
    json!({
        "paths": {"/notes/": {"post": {
            "operationId": "createNotes",
            "security": [{"Token": []}],
            "parameters": [{"name": "force", "in": "query", "schema": {"type": "boolean"}}],
            "requestBody": {"required": true, "content": {"application/json": {
                "schema": {"$ref": "#/components/schemas/Note"},
            }}},
            "responses": {
                "201": {
                    "headers": {"Link": {}},
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Result"}}},
                },
                "400": {"content": {"application/json": {"examples": {"blank": {}}}}},
            },
        }}},
        "components": {"schemas": {
            "Note": {
                "type": "object",
                "properties": {
                    "body": {"type": "string", "maxLength": 10, "pattern": "^a{1,10}$"},
                    "kind": {"type": ["string", "null"], "enum": ["A", "B", null]},
                    "title": {"type": "string", "x-known-values": ["Dr", "Mr"]},
                    "day": {"type": "integer", "minimum": 1},
                    "point": {"anyOf": [{"$ref": "#/components/schemas/Gas"}, {"type": "null"}]},
                },
                "required": ["body"],
                "additionalProperties": false,
            },
            "Gas": {"type": "object", "properties": {"inner": {"$ref": "#/components/schemas/Note"}}},
            "Detail": {"type": "object"},
            "Result": {
                "type": "object",
                "properties": {
                    "status": {"type": "string", "enum": ["NEW", "KNOWN"]},
                    "number": {"type": "string"},
                    "detail": {"$ref": "#/components/schemas/Detail"},
                },
                "required": ["status", "number"],
            },
        }},
    })
}

/// Returns the faults after a value is replaced or removed.
fn after(pointer: &str, value: Option<Value>) -> Vec<String> {
    let (old, mut new) = (description(), description());
    let (parent, member) = pointer.rsplit_once('/').unwrap();
    let parent = new.pointer_mut(parent).unwrap();
    let member = member.replace("~1", "/");
    match (parent, value) {
        (Value::Object(members), Some(value)) => drop(members.insert(member, value)),
        (Value::Object(members), None) => drop(members.remove(&member).unwrap()),
        (Value::Array(items), Some(value)) => items[member.parse::<usize>().unwrap()] = value,
        (Value::Array(items), None) => drop(items.remove(member.parse().unwrap())),
        _ => panic!("{pointer}"),
    }
    breaks(&old, &new)
}

const POST: &str = "/paths/~1notes~1/post";
const NOTE: &str = "/components/schemas/Note";
const RESULT: &str = "/components/schemas/Result";

#[track_caller]
fn check(base: &str, at: &str, value: Option<Value>, fault: &str) {
    assert_eq!(after(&format!("{base}/{at}"), value), [fault], "{base}/{at}");
}

#[test]
fn the_same_breaks_nothing() {
    assert_eq!(breaks(&description(), &description()), [""; 0]);
}

#[test]
fn removals_from_an_operation_are_reported() {
    check("/paths", "~1notes~1", None, "POST /notes/: removed");
    check("/paths/~1notes~1", "post", None, "POST /notes/: removed");
    check(POST, "parameters/0", None, "POST /notes/: force: removed");
    check(POST, "responses/201", None, "POST /notes/: 201: removed");
    check(POST, "responses/201/headers/Link", None, "POST /notes/: 201: Link: removed");
    let examples = "responses/400/content/application~1json/examples/blank";
    check(POST, examples, None, "POST /notes/: 400: example blank: removed");
    check(POST, "responses/201/content", Some(json!({})), "POST /notes/: 201: application/json: removed");
    check(POST, "operationId", Some(json!("addNotes")), "POST /notes/: operationId: renamed");
}

#[test]
fn new_requirements_of_an_operation_are_reported() {
    let required = json!({"name": "force", "in": "query", "required": true, "schema": {"type": "boolean"}});
    check(POST, "parameters/0", Some(required), "POST /notes/: force: newly required");
    let (mut old, new) = (description(), description());
    old["paths"]["/notes/"]["post"]["security"] = json!([]);
    old["paths"]["/notes/"]["post"]["requestBody"]["required"] = json!(false);
    assert_eq!(
        breaks(&old, &new),
        ["POST /notes/: security: newly required", "POST /notes/: body: newly required"]
    );
}

#[test]
fn narrowed_requests_are_reported() {
    check(NOTE, "properties/kind", None, "Note.kind: removed");
    check(NOTE, "required", Some(json!(["body", "day"])), "Note.day: newly required");
    check(NOTE, "properties/kind/enum/0", None, "Note.kind: enum \"A\": removed");
    check(NOTE, "properties/kind/type", Some(json!("string")), "Note.kind: type null: changed");
    check(NOTE, "properties/title/enum", Some(json!(["Dr"])), "Note.title: enum: narrowed");
    check(NOTE, "properties/title/x-known-values/0", None, "Note.title: x-known-values \"Dr\": removed");
    check(NOTE, "properties/body/maxLength", Some(json!(9)), "Note.body: maxLength: narrowed");
    check(NOTE, "properties/body/minLength", Some(json!(1)), "Note.body: minLength: narrowed");
    check(NOTE, "properties/day/minimum", Some(json!(2)), "Note.day: minimum: narrowed");
    check(NOTE, "properties/day/maximum", Some(json!(31)), "Note.day: maximum: narrowed");
    check(NOTE, "properties/body/pattern", Some(json!("^a{1,9}$")), "Note.body: pattern: changed");
    check(NOTE, "properties/body/pattern", Some(json!("^b{1,10}$")), "Note.body: pattern: changed");
    check(NOTE, "properties/day/pattern", Some(json!("^1$")), "Note.day: pattern: changed");
    check(NOTE, "properties/point/anyOf/0", None, "Note.point: alternative Gas: removed");
    check(NOTE, "properties/point/anyOf/1", None, "Note.point: alternative null: removed");
    check(
        "/components/schemas/Gas",
        "additionalProperties",
        Some(json!(false)),
        "Gas: other members: refused now",
    );
}

#[test]
fn narrowed_answers_are_reported() {
    check(RESULT, "properties/number", None, "Result.number: removed");
    check(RESULT, "required", Some(json!(["status"])), "Result.number: may be left out now");
    check(
        RESULT,
        "properties/number/type",
        Some(json!(["string", "null"])),
        "Result.number: type null: changed",
    );
    check(RESULT, "properties/status/enum/1", None, "Result.status: enum \"KNOWN\": removed");
    let or_null = json!({"anyOf": [{"$ref": "#/components/schemas/Detail"}, {"type": "null"}]});
    check(RESULT, "properties/detail", Some(or_null), "Result.detail: type null: changed");
    check(RESULT, "properties/number/format", Some(json!("date")), "Result.number: format: changed");
}

#[test]
fn additions_and_wider_types_are_accepted() {
    let fine = |base: &str, at: &str, value: Value| {
        assert_eq!(after(&format!("{base}/{at}"), Some(value)), [""; 0], "{base}/{at}");
    };
    fine("/paths", "~1other~1", json!({"get": {"responses": {}}}));
    fine(POST, "responses/429", json!({}));
    fine(POST, "security", json!([]));
    fine(NOTE, "properties/new", json!({"type": "string"}));
    fine(NOTE, "required", json!([]));
    fine(NOTE, "properties/body/maxLength", json!(11));
    fine(NOTE, "properties/body/pattern", json!("^a{0,}$"));
    let other =
        json!({"anyOf": [{"type": "null"}, {"$ref": "#/components/schemas/Gas"}, {"type": "string"}]});
    fine(NOTE, "properties/point", other);
    fine(NOTE, "properties/kind/enum", json!(["A", "B", "C", null]));
    fine(NOTE, "properties/day/type", json!(["integer", "string"]));
    fine(RESULT, "properties/new", json!({"type": "string"}));
    fine(RESULT, "properties/status/enum", json!(["NEW", "KNOWN", "MOVED"]));
}
