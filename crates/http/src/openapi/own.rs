//! Schemas and examples of bodies that the model does not declare, since they are written by hand or by a
//! library. Tests compare them with real responses.

use super::examples;
use cutover_core::Code;
use cutover_model::certificate::Leaf;
use cutover_model::describe::{AnswerKind, Json, Schemas};
use cutover_model::{Account, AccountEnvelope, BusinessRequest, HistoricalStatement, ProcessStatus};

fn typed(kind: &str) -> Json {
    Json::object().with("type", kind)
}

/// An object with any members.
fn free_object() -> Json {
    typed("object").with("additionalProperties", true)
}

fn text(means: &str) -> Json {
    typed("string").with("description", means)
}

fn object(means: &str, members: &[(&str, Json)], required: &[&str]) -> Json {
    let properties =
        members.iter().fold(Json::object(), |all, (name, schema)| all.with(name, schema.clone()));
    typed("object")
        .with("description", means)
        .with("properties", properties)
        .with("required", Json::list(required.iter().copied()))
}

/// The schema of a status, from its declaration.
pub(crate) fn status() -> Json {
    let word = ProcessStatus::SPEC.members.iter().find_map(|member| match member.kind {
        AnswerKind::Words(words) if member.name == "status" => Some(words),
        _ => None,
    });
    typed("string").with_some("enum", word.map(|words| Json::list(words.iter().copied())))
}

/// The schema of an error code, from the table of codes.
pub(crate) fn code() -> Json {
    typed("string").with("enum", Json::list(Code::of_service().map(Code::as_str)))
}

/// A list of accounts (contract 2.2, 4.3).
pub(crate) fn list(schemas: &mut Schemas) -> Json {
    let item = schemas.define("ListedAccount", |_| {
        let or_null = |schema: Json| schema.with("type", Json::list(["string", "null"]));
        let members = [
            ("external_account_number", text("The account's number in the supplier's system.")),
            ("service_account_number", or_null(text("Its number here; null while there is no account."))),
            (
                "account_created_at",
                or_null(
                    text("The time of the import; null while there is no account.")
                        .with("format", "date-time"),
                ),
            ),
        ];
        object("An account in a list.", &members, &members.each_ref().map(|(name, _)| *name))
    });
    typed("array").with("items", item)
}

/// An account as it was sent, bare or in the envelope.
pub(crate) fn account_as_sent(schemas: &mut Schemas) -> Json {
    let forms = [&Account::SPEC, &AccountEnvelope::SPEC];
    Json::object().with("anyOf", forms.map(|form| schemas.object(form)).to_vec())
}

/// An imported account: its payload, and what the service and later calls added (contract D19).
pub(crate) fn imported_account(schemas: &mut Schemas) -> Json {
    let doc = "An imported account: the members of its payload, and what was added since.";
    schemas.extended(("ImportedAccount", doc), &Account::SPEC, |schemas| {
        let list = |items: Json| typed("array").with("items", items);
        let statements = list(schemas.object(&HistoricalStatement::SPEC));
        let instructions = list(verified_instruction());
        vec![
            ("service_account_number", text("The account's number here."), true),
            (
                "customer_emails",
                typed("boolean")
                    .with("description", "Whether the retailer's mailer may write to its customers."),
                true,
            ),
            (
                "historical_statements",
                statements.with("description", "Statements that were added since the import."),
                false,
            ),
            (
                "verified_payment_instructions",
                instructions.with("description", "Payment instructions that were added since the import."),
                false,
            ),
        ]
    })
}

/// A business: the members of its create and its number (contract D13).
pub(crate) fn stored_business(schemas: &mut Schemas) -> Json {
    let doc = "A business: the members that it was last sent with, and its number.";
    schemas.extended(("StoredBusiness", doc), &BusinessRequest::SPEC, |_| {
        let number = typed("integer").with("description", "Its number here: a positive integer.");
        vec![("service_business_id", number, true)]
    })
}

/// Businesses.
pub(crate) fn stored_businesses(schemas: &mut Schemas) -> Json {
    typed("array").with("items", stored_business(schemas))
}

/// A line of the stream of imported accounts (contract D19).
pub(crate) fn imported_line(schemas: &mut Schemas) -> Json {
    let account = imported_account(schemas);
    schemas.define("ImportedAccountLine", |_| {
        let line =
            [("cursor", text("The position after this account, to go on from.")), ("account", account)];
        let end = [
            ("end", typed("boolean").with("description", "Always true.")),
            ("events_after", text("The event after which the feed goes on without a gap.")),
        ];
        let names = |members: &[(&'static str, Json); 2]| members.each_ref().map(|(name, _)| *name);
        let line = object("An account.", &line, &names(&line));
        let end = object("The last line.", &end, &names(&end));
        Json::object()
            .with("description", "Each line is an account, except the last one.")
            .with("oneOf", Json::list([line, end]))
    })
}

/// A line with an account.
pub(crate) fn imported_line_example() -> Json {
    let cursor = "AAAAAAAAAAEABkPrUa_PawAAAAAAAAABAAAAAAAAAusAAAAAAAAAAg";
    Json::object().with("cursor", cursor).with("account", examples::imported_account())
}

/// The last line.
pub(crate) fn imported_end_example() -> Json {
    Json::object().with("end", true).with("events_after", "AAAAAAAAAusAAAAAAAAAAg")
}

fn verified_instruction() -> Json {
    let number = |means: &str| typed("integer").with("description", means);
    let card = object(
        "The card, as the vendor described it.",
        &[
            ("card_payment_network", text("The network.")),
            ("card_type", text("Credit, debit or prepaid.")),
            ("last_digits", text("The last digits of its number.")),
            ("expiry_month", number("The month of its expiry.")),
            ("expiry_year", number("The year of its expiry.")),
        ],
        &[],
    );
    let account = object(
        "The bank account, as the vendor described it.",
        &[
            ("account_holder", text("The holder.")),
            ("account_number_last_digits", text("The last digits of its number.")),
            ("bsb", text("Bank, state and branch.")),
        ],
        &[],
    );
    let members = [
        ("vendor", text("The payment vendor.")),
        ("type", text("The kind of payment.")),
        ("reference", text("The reference at the vendor.")),
        ("card", card),
        ("bank_account", account),
        ("verified_at", text("When the vendor confirmed it.").with("format", "date-time")),
    ];
    object("A payment instruction.", &members, &["vendor", "type", "reference", "verified_at"])
}

pub(crate) fn list_example() -> Json {
    examples::of(
        br#"[
            {"external_account_number": "ELEC-1001", "service_account_number": "A-7K2M9QXD",
             "account_created_at": "2026-11-21T13:00:04.118203+11:00"},
            {"external_account_number": "ELEC-1002", "service_account_number": null, "account_created_at": null}
        ]"#,
    )
}

/// The schema of a GraphQL request.
pub(crate) fn graphql_request(_: &mut Schemas) -> Json {
    let query = text("The operation: `obtainToken` or its alias `obtainKrakenToken`, or introspection.");
    let members = [
        ("query", query.with("minLength", 1_u32)),
        (
            "operationName",
            text("The operation to execute, if there are several.")
                .with("type", Json::list(["string", "null"])),
        ),
        (
            "variables",
            free_object()
                .with("type", Json::list(["object", "null"]))
                .with("description", "The variables of the operation, for example `input`."),
        ),
    ];
    object("An operation of GraphQL.", &members, &["query"])
}

pub(crate) fn graphql_request_example() -> Json {
    examples::of(
        br#"{
            "query": "mutation Obtain($input: ObtainTokenInput!) { obtainToken(input: $input) { token refreshToken refreshExpiresIn } }",
            "variables": {"input": {"apiKey": "<API_KEY>"}}
        }"#,
    )
}

/// The schema of a GraphQL response, also of a refusal.
pub(crate) fn graphql_answer(schemas: &mut Schemas) -> Json {
    let token = schemas.define("ObtainedToken", |_| {
        let members = [
            ("token", text("The access token, to be sent as `Authorization: Token <token>`.")),
            ("refreshToken", text("Obtains the next token, once, instead of the key.")),
            ("refreshExpiresIn", typed("integer").with("description", "Its expiry, in Unix seconds.")),
            ("payload", free_object().with("description", "The claims of the access token.")),
        ];
        object("The tokens; of its members, those that the operation selects.", &members, &[])
    });
    let token = || Json::object().with("anyOf", vec![token.clone(), typed("null")]);
    let data = object(
        "The result of the operation; null if it failed.",
        &[("obtainToken", token()), ("obtainKrakenToken", token())],
        &[],
    );
    let error = object(
        "An error.",
        &[
            ("message", text("Text for people.")),
            ("extensions", free_object().with("description", "`code`: the stable code, if there is one.")),
        ],
        &["message"],
    );
    let members = [
        ("data", data.with("type", Json::list(["object", "null"]))),
        ("errors", typed("array").with("items", error)),
    ];
    object("The result, or the errors.", &members, &["data"])
}

pub(crate) fn graphql_answer_example() -> Json {
    examples::of(
        br#"{"data": {"obtainToken": {"token": "<ACCESS_TOKEN>", "refreshToken": "<REFRESH_TOKEN>", "refreshExpiresIn": 1795226400}}}"#,
    )
}

/// The schema of the liveness response.
pub(crate) fn health(_: &mut Schemas) -> Json {
    object("The process is up.", &[("status", text("`ok`."))], &["status"])
}

pub(crate) fn health_example() -> Json {
    examples::of(br#"{"status": "ok"}"#)
}

/// The schema of the readiness response.
pub(crate) fn ready(schemas: &mut Schemas) -> Json {
    schemas.define("Readiness", |_| {
        let database = typed("string").with("enum", Json::list(["ok", "down", "unwritable", "stalled"]));
        let documents = typed("string").with("enum", Json::list(["ok", "down"]));
        let keys = typed("string").with("enum", Json::list(["ok", "missing"]));
        let parts = [("database", database), ("documents", documents), ("encryption_keys", keys)];
        let members = [
            ("status", typed("string").with("enum", Json::list(["ok", "unavailable"]))),
            (
                "parts",
                object("The state of each part.", &parts, &["database", "documents", "encryption_keys"]),
            ),
            ("code", text("The code of an error.")),
            ("detail", text("The description of an error, for people.")),
        ];
        object("The readiness of the service.", &members, &["status", "parts"])
    })
}

pub(crate) fn ready_example() -> Json {
    examples::of(
        br#"{"status": "ok", "parts": {"database": "ok", "documents": "ok", "encryption_keys": "ok"}}"#,
    )
}

pub(crate) fn unready_example() -> Json {
    examples::of(
        br#"{"status": "unavailable", "parts": {"database": "down", "documents": "ok", "encryption_keys": "ok"},
             "code": "service_unavailable", "detail": "A part of the service is down; try again later."}"#,
    )
}

/// The schema of the metrics.
pub(crate) fn metrics(_: &mut Schemas) -> Json {
    text("Metrics in the text format of OpenMetrics.")
}

pub(crate) fn metrics_example() -> Json {
    "# EOF\n".into()
}

/// The schema of this description.
pub(crate) fn description(_: &mut Schemas) -> Json {
    object("An OpenAPI description.", &[("openapi", text("The version of OpenAPI."))], &["openapi"])
}

pub(crate) fn description_example() -> Json {
    examples::of(br#"{"openapi": "3.1.0"}"#)
}

/// The schema of the page with this description.
pub(crate) fn page(_: &mut Schemas) -> Json {
    text("A page in HTML.")
}

pub(crate) fn page_example() -> Json {
    "<!doctype html>".into()
}

/// The schema of a line with an account.
pub(crate) fn bulk_request(schemas: &mut Schemas) -> Json {
    let account = cutover_model::describe::REQUESTS.iter().find(|request| request.name == "account");
    let line = account.map_or_else(Json::object, |request| schemas.request(request));
    line.with("description", "Each line holds an account as in create. Blank lines are skipped.")
}

/// Any bytes.
pub(crate) fn bytes(_: &mut Schemas) -> Json {
    typed("string").with("format", "binary").with("minLength", 1_u32)
}

/// The schema of the result of a line.
pub(crate) fn bulk_answer(schemas: &mut Schemas) -> Json {
    schemas.define("BulkResult", |_| {
        let members = [
            (
                "line",
                typed("integer")
                    .with("minimum", 1_u32)
                    .with("description", "The number of the line, from 1; blank lines count."),
            ),
            (
                "external_account_number",
                text("The account's number, if it can be read.").with("type", Json::list(["string", "null"])),
            ),
            (
                "status",
                typed("integer").with("description", "The status that create or validate would answer with."),
            ),
            (
                "body",
                free_object().with("description", "The body that create or validate would answer with."),
            ),
        ];
        object("One per line, in order.", &members, &members.each_ref().map(|(name, _)| *name))
    })
}

pub(crate) fn bulk_example() -> Json {
    examples::of(br#"{"line": 1, "external_account_number": "ELEC-1001", "status": 201, "body": {}}"#)
}

/// The schema of a line with the leaf of an account.
pub(crate) fn certificate_line(schemas: &mut Schemas) -> Json {
    let leaf = schemas.answer(&Leaf::SPEC);
    let erased = schemas.define("ErasedLeaf", |_| {
        let members = [
            ("erased", typed("boolean").with("const", true)),
            ("leaf_hash", text("The hash of the leaf as it was, in hexadecimal digits.")),
        ];
        object("What is left of the leaf of an erased account.", &members, &["erased", "leaf_hash"])
    });
    Json::object().with("anyOf", vec![leaf, erased])
}

pub(crate) fn certificate_leaf_example() -> Json {
    examples::leaf_json()
}

pub(crate) fn erased_leaf_example() -> Json {
    examples::of(
        br#"{"erased": true, "leaf_hash": "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"}"#,
    )
}
