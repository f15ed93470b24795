//! What is said of an operation: the rest of its description follows from the declarations of the model and from
//! the refusals themselves.

use crate::refusal::Refusal;
use cutover_model::describe::{AnswerSpec, Json, Schemas};

/// The description of an endpoint, without its method and path.
pub(crate) struct Operation {
    /// What clients call it; never renamed.
    pub(crate) id: &'static str,
    pub(crate) tag: &'static str,
    /// What it does, in a line.
    pub(crate) summary: &'static str,
    /// What else there is to know.
    pub(crate) notes: &'static str,
    pub(crate) access: Access,
    pub(crate) query: &'static [Parameter],
    pub(crate) body: Body,
    /// Answers that are no refusals.
    pub(crate) answers: &'static [Response],
    pub(crate) refusals: fn() -> Vec<Refusal>,
}

/// Who may call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Who has an access token.
    Token,
    /// Anybody.
    All,
}

/// A parameter of the query; none is required.
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) doc: &'static str,
    pub(crate) schema: fn() -> Json,
}

/// What is sent.
pub(crate) enum Body {
    Nothing,
    /// A request of the model by the name of its schema, and the names of its examples.
    Request(&'static str, &'static [&'static str]),
    /// Something else: media type, schema and an example.
    Other(&'static str, fn(&mut Schemas) -> Json, fn() -> Json),
}

/// An answer that is no refusal.
pub(crate) struct Response {
    pub(crate) status: u16,
    /// What it says.
    pub(crate) means: &'static str,
    /// Headers besides those of every answer, by the name of their component.
    pub(crate) headers: &'static [&'static str],
    pub(crate) content: Option<Content>,
}

/// The body of an answer.
pub(crate) struct Content {
    pub(crate) media: &'static str,
    pub(crate) schema: fn(&mut Schemas) -> Json,
    /// Bodies as they are sent, by name.
    pub(crate) examples: &'static [Named],
}

/// An example and its name.
pub(crate) type Named = (&'static str, fn() -> Json);

pub(crate) const JSON: &str = "application/json";

/// A JSON object that is declared.
pub(crate) const fn json_content(
    schema: fn(&mut Schemas) -> Json,
    examples: &'static [Named],
) -> Option<Content> {
    Some(Content { media: JSON, schema, examples })
}

/// The answer `{}`.
pub(crate) const fn empty_response(status: u16, means: &'static str) -> Response {
    let schema = |_: &mut Schemas| Json::object().with("type", "object").with("maxProperties", 0_u32);
    Response { status, means, headers: &[], content: json_content(schema, &[("usual", Json::object)]) }
}

/// A reference to a declared answer.
macro_rules! schema_of {
    ($name:ident) => {
        |schemas| schemas.answer(&cutover_model::$name::SPEC)
    };
}
pub(crate) use schema_of;

/// An array of them.
pub(crate) fn array_of(schemas: &mut Schemas, item: &'static AnswerSpec) -> Json {
    Json::object().with("type", "array").with("items", schemas.answer(item))
}

/// An answer without further headers.
pub(crate) const fn response(status: u16, means: &'static str, content: Option<Content>) -> Response {
    Response { status, means, headers: &[], content }
}

/// The schema of a parameter that is true or false.
pub(crate) fn boolean_schema(default: bool) -> Json {
    Json::object().with("type", "boolean").with("default", default)
}

/// The body of a request that holds one account.
pub(crate) const ACCOUNT_BODY: Body = Body::Request("account", &["account", "account_in_envelope"]);

pub(crate) const ACCOUNTS: &str = "Accounts";
pub(crate) const AFTER: &str = "After the import";
pub(crate) const PROGRESS: &str = "Progress";
pub(crate) const BUSINESSES: &str = "Businesses";
pub(crate) const TOKENS: &str = "Tokens";
pub(crate) const SERVICE: &str = "Service";

/// What the operations are grouped by, and what each group is.
pub(super) const TAGS: &[(&str, &str)] = &[
    (ACCOUNTS, "Validating and creating accounts, and where each stands."),
    (AFTER, "What is added to an account once it is imported."),
    (PROGRESS, "How far a supplier's migration has come."),
    (BUSINESSES, "Businesses with contracts: created before their accounts."),
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
