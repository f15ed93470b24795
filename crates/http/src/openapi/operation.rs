//! What is said of an operation: the rest of its description follows from the declarations of the model and from
//! the refusals themselves.

use crate::refusal::Refusal;
use cutover_model::describe::{AnswerSpec, Json, Schemas};

/// A method of a route.
pub(super) struct Operation {
    /// The route's template.
    pub(super) template: &'static str,
    /// In capitals.
    pub(super) method: &'static str,
    /// What clients call it; never renamed.
    pub(super) id: &'static str,
    pub(super) tag: &'static str,
    /// What it does, in a line.
    pub(super) summary: &'static str,
    /// What else there is to know.
    pub(super) notes: &'static str,
    pub(super) access: Access,
    pub(super) query: &'static [Parameter],
    pub(super) body: Body,
    /// Answers that are no refusals.
    pub(super) answers: &'static [Done],
    pub(super) refusals: fn() -> Vec<Refusal>,
}

/// Who may call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// Who has an access token.
    Token,
    /// Anybody.
    All,
}

/// A parameter of the query; none is required.
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) doc: &'static str,
    pub(super) schema: fn() -> Json,
}

/// What is sent.
pub(super) enum Body {
    Nothing,
    /// A request of the model by the name of its schema, and the names of its examples.
    Request(&'static str, &'static [&'static str]),
    /// Something else: media type, schema and an example.
    Other(&'static str, fn(&mut Schemas) -> Json, fn() -> Json),
}

/// An answer that is no refusal.
pub(super) struct Done {
    pub(super) status: u16,
    /// What it says.
    pub(super) means: &'static str,
    /// Headers besides those of every answer, by the name of their component.
    pub(super) headers: &'static [&'static str],
    pub(super) content: Option<Content>,
}

/// The body of an answer.
pub(super) struct Content {
    pub(super) media: &'static str,
    pub(super) schema: fn(&mut Schemas) -> Json,
    /// Bodies as they are sent, by name.
    pub(super) examples: &'static [Named],
}

/// An example and its name.
pub(super) type Named = (&'static str, fn() -> Json);

pub(super) const JSON: &str = "application/json";

/// A JSON object that is declared.
pub(super) const fn json(schema: fn(&mut Schemas) -> Json, examples: &'static [Named]) -> Option<Content> {
    Some(Content { media: JSON, schema, examples })
}

/// The answer `{}`.
pub(super) const fn empty(status: u16, means: &'static str) -> Done {
    let schema = |_: &mut Schemas| Json::object().with("type", "object").with("maxProperties", 0_u32);
    Done { status, means, headers: &[], content: json(schema, &[("usual", Json::object)]) }
}

/// A reference to a declared answer.
macro_rules! answer {
    ($name:ident) => {
        |schemas| schemas.answer(&cutover_model::$name::SPEC)
    };
}
pub(super) use answer;

/// An array of them.
pub(super) fn array_of(schemas: &mut Schemas, item: &'static AnswerSpec) -> Json {
    Json::object().with("type", "array").with("items", schemas.answer(item))
}
