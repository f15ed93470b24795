//! The description of an operation, apart from what the model's declarations and the refusals imply.

use crate::refusal::Refusal;
use cutover_model::describe::{AnswerSpec, Json, Schemas};

/// The description of an endpoint, without its method and path.
pub(crate) struct Operation {
    /// The name of the operation in generated clients; never renamed.
    pub(crate) id: &'static str,
    pub(crate) tag: &'static str,
    /// One line.
    pub(crate) summary: &'static str,
    /// Further description; may be empty.
    pub(crate) notes: &'static str,
    pub(crate) access: Access,
    pub(crate) query: &'static [Parameter],
    pub(crate) body: Body,
    /// Responses other than refusals.
    pub(crate) answers: &'static [Response],
    pub(crate) refusals: fn() -> Vec<Refusal>,
}

/// Authentication of the caller.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// An access token.
    Token,
    /// An API key of the role operator.
    OperatorKey,
    /// None.
    All,
}

/// A parameter of the query; all are optional.
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) doc: &'static str,
    pub(crate) schema: fn() -> Json,
}

/// The body of a request.
pub(crate) enum Body {
    Nothing,
    /// A request of the model: the name of its schema, and the names of its examples.
    Request(&'static str, &'static [&'static str]),
    /// Any other body: media type, schema and an example.
    Other(&'static str, fn(&mut Schemas) -> Json, fn() -> Json),
}

/// A response other than a refusal.
pub(crate) struct Response {
    pub(crate) status: u16,
    /// Its description.
    pub(crate) means: &'static str,
    /// Headers in addition to those of every response, by the name of their component.
    pub(crate) headers: &'static [&'static str],
    pub(crate) content: Option<Content>,
}

/// The body of an answer.
pub(crate) struct Content {
    pub(crate) media: &'static str,
    pub(crate) schema: fn(&mut Schemas) -> Json,
    /// Examples by name.
    pub(crate) examples: &'static [Named],
}

/// An example with its name.
pub(crate) type Named = (&'static str, fn() -> Json);

pub(crate) const JSON: &str = "application/json";

/// Describes a declared JSON object.
pub(crate) const fn json_content(
    schema: fn(&mut Schemas) -> Json,
    examples: &'static [Named],
) -> Option<Content> {
    Some(Content { media: JSON, schema, examples })
}

/// Describes the response `{}`.
pub(crate) const fn empty_response(status: u16, means: &'static str) -> Response {
    let schema = |_: &mut Schemas| Json::object().with("type", "object").with("maxProperties", 0_u32);
    Response { status, means, headers: &[], content: json_content(schema, &[("usual", Json::object)]) }
}

/// Refers to a declared response.
macro_rules! schema_of {
    ($($name:ident)::+) => {
        |schemas| schemas.answer(&cutover_model::$($name)::+::SPEC)
    };
}
pub(crate) use schema_of;

/// Returns the schema of an array.
pub(crate) fn array_of(schemas: &mut Schemas, item: &'static AnswerSpec) -> Json {
    Json::object().with("type", "array").with("items", schemas.answer(item))
}

/// Describes a response without further headers.
pub(crate) const fn response(status: u16, means: &'static str, content: Option<Content>) -> Response {
    Response { status, means, headers: &[], content }
}

/// Returns the schema of a boolean parameter.
pub(crate) fn boolean_schema(default: bool) -> Json {
    Json::object().with("type", "boolean").with("default", default)
}

/// The body of a request that holds one account.
pub(crate) const ACCOUNT_BODY: Body = Body::Request("account", &["account", "account_in_envelope"]);

pub(crate) const ACCOUNTS: &str = "Accounts";
pub(crate) const AFTER: &str = "After the import";
pub(crate) const PROGRESS: &str = "Progress";
pub(crate) const DOCUMENTS: &str = "Documents";
pub(crate) const BUSINESSES: &str = "Businesses";
pub(crate) const EVENTS: &str = "Events";
pub(crate) const OPERATORS: &str = "Operators";
pub(crate) const TOKENS: &str = "Tokens";
pub(crate) const SERVICE: &str = "Service";

/// The groups of operations, with their descriptions.
pub(super) const TAGS: &[(&str, &str)] = &[
    (ACCOUNTS, "Validating and creating accounts, and their status."),
    (AFTER, "Additions to imported accounts."),
    (PROGRESS, "The progress of a supplier's migration."),
    (DOCUMENTS, "Documents that notes and statements name."),
    (BUSINESSES, "Businesses and their contracts, created before their accounts."),
    (EVENTS, "What happened, in order, for systems that follow the migration."),
    (OPERATORS, "What operators do, with a key of their own in place of a token."),
    (TOKENS, "Access tokens."),
    (SERVICE, "Health, metrics and this description."),
];

impl Operation {
    /// The members that most operations share.
    pub(crate) const BASE: Self = Self {
        id: "",
        tag: SERVICE,
        summary: "",
        notes: "",
        access: Access::Token,
        query: &[],
        body: Body::Nothing,
        answers: &[],
        refusals: Vec::new,
    };
}
