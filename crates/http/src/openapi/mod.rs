//! The description of the API (OpenAPI 3.1), generated from the model's declarations, the refusals and the
//! description of each endpoint.

pub(crate) mod examples;
mod explained;
mod operation;
pub(crate) mod own;
mod page;
pub(crate) mod refusals;
#[cfg(test)]
mod tests;

pub(crate) use operation::{
    ACCOUNT_BODY, ACCOUNTS, AFTER, Access, BUSINESSES, Body, Content, DOCUMENTS, EVENTS, JSON, OPERATORS,
    Operation, PROGRESS, Parameter, Response, TOKENS, array_of, boolean_schema, empty_response, json_content,
    response, schema_of,
};

pub(crate) use explained::{code_page, rule_page};

use crate::answer_names::AnswerNames;
use actix_web::http::Method;
use actix_web::web::Bytes;
use cutover_model::describe::{Json, REQUESTS, Schemas};
use operation::{Named, TAGS};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

/// The path of the schemas.
const SCHEMAS: &str = "#/components/schemas/";

const ABOUT: &str = "\
Takes in the customers of an energy or water retailer: accounts are validated, accepted durably and imported; \
progress can be read at any time.

The trailing slash of a path is optional. HEAD is served wherever GET is. An unknown path is a 404 \
`not_found`, another method a 405 `method_not_allowed` with `Allow`. Bodies are JSON in UTF-8, at most 8 MiB, and may \
be compressed with gzip; responses are compressed if the client accepts it. Logic may depend on a `code`, \
never on a `detail`.

Later versions add members: clients must ignore unknown ones, and send only documented ones.";

/// A described endpoint: the template of its path, its method, and its description.
pub(crate) type Described = (&'static str, &'static Method, &'static Operation);

/// The description of the API, generated at the first request.
pub(crate) struct Description {
    endpoints: fn() -> Vec<Described>,
    names: AnswerNames,
    json: OnceLock<Served>,
    page: OnceLock<Served>,
}

impl Description {
    /// Describes these endpoints, in their order, whose answers have members under further names.
    pub(crate) fn new(endpoints: fn() -> Vec<Described>, names: AnswerNames) -> Self {
        Self { endpoints, names, json: OnceLock::new(), page: OnceLock::new() }
    }

    /// Returns the description as OpenAPI.
    pub(crate) fn json(&self) -> &Served {
        self.json.get_or_init(|| Served::new(self.document().pretty()))
    }

    /// Returns the description as an HTML page.
    pub(crate) fn page(&self) -> &Served {
        self.page.get_or_init(|| Served::new(page::page(&self.document())))
    }

    fn document(&self) -> Json {
        let mut document = document(&(self.endpoints)());
        self.names.describe(&mut document);
        document
    }
}

/// A text that does not change while the service runs.
pub(crate) struct Served {
    /// The text.
    pub(crate) body: Bytes,
    /// Its entity tag.
    pub(crate) tag: String,
}

impl Served {
    fn new(text: String) -> Self {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        Self { body: text.into(), tag: format!("W/\"{:016x}\"", hasher.finish()) }
    }
}

/// Generates the whole description.
pub(crate) fn document(endpoints: &[Described]) -> Json {
    let mut schemas = Schemas::new(SCHEMAS);
    let paths = paths(endpoints, &mut schemas);
    Json::object()
        .with("openapi", "3.1.0")
        .with("info", info())
        .with("servers", vec![Json::object().with("url", "/")])
        .with("tags", Json::list(TAGS.iter().map(|(name, means)| named(name, means))))
        .with("paths", paths)
        .with("components", components(schemas))
}

fn info() -> Json {
    Json::object()
        .with("title", "Cutover Data Import Service")
        .with("version", env!("CARGO_PKG_VERSION"))
        .with("description", ABOUT)
        .with(
            "license",
            Json::object().with("name", "MIT OR Apache-2.0").with("identifier", "MIT OR Apache-2.0"),
        )
}

fn named(name: &str, means: &str) -> Json {
    Json::object().with("name", name).with("description", means)
}

fn paths(endpoints: &[Described], schemas: &mut Schemas) -> Json {
    let mut paths = Json::object();
    for (template, method, operation) in endpoints {
        let path = path(template);
        let methods = paths.get(&path).cloned().unwrap_or_else(Json::object);
        let method = method.as_str().to_ascii_lowercase();
        paths = paths.with(&path, methods.with(&method, described(template, operation, schemas)));
    }
    paths
}

/// Converts the template of a route to OpenAPI's notation.
fn path(template: &str) -> String {
    template.replace('<', "{").replace('>', "}")
}

fn described(template: &str, operation: &Operation, schemas: &mut Schemas) -> Json {
    let in_path = template.split('/').filter_map(|part| part.strip_prefix('<')?.strip_suffix('>'));
    let parameters: Vec<Json> =
        in_path.map(path_parameter).chain(operation.query.iter().map(query_parameter)).collect();
    let security = match operation.access {
        Access::Token => vec![scheme("Token"), scheme("Bearer")],
        Access::OperatorKey => vec![scheme("OperatorKey"), scheme("OperatorBearer")],
        Access::All => Vec::new(),
    };
    Json::object()
        .with("operationId", operation.id)
        .with("tags", Json::list([operation.tag]))
        .with("summary", operation.summary)
        .with_some("description", (!operation.notes.is_empty()).then_some(operation.notes))
        .with("security", security)
        .with_some("parameters", (!parameters.is_empty()).then_some(parameters))
        .with_some("requestBody", body(&operation.body, schemas))
        .with("responses", responses(operation, schemas))
}

fn scheme(name: &str) -> Json {
    Json::object().with(name, Json::list::<Json>([]))
}

fn path_parameter(name: &str) -> Json {
    let (doc, most) = match name {
        "number" => ("The account's number in the supplier's system; percent-encoded.", 128_u32),
        "code" => ("An error code, for example `invalid_phone_number`.", 128),
        "rule" => ("The id of a rule, for example `CUS-01`.", 16),
        "certificate" => ("The id of the certificate.", 64),
        "run" => ("The name of the run; percent-encoded.", 400),
        "other_run" => ("The name of the run that it is compared with; percent-encoded.", 400),
        "path" => (
            "The path of the document below the supplier's document root, as notes and statements name it. Slashes may be \
             sent as they are.",
            1024,
        ),
        "business" => ("The business's identifier in the supplier's system; percent-encoded.", 128),
        _ => ("The code of the import supplier.", 64),
    };
    let schema = Json::object().with("type", "string").with("minLength", 1_u32).with("maxLength", most);
    named(name, doc).with("in", "path").with("required", true).with("schema", schema)
}

fn query_parameter(parameter: &Parameter) -> Json {
    named(parameter.name, parameter.doc).with("in", "query").with("schema", (parameter.schema)())
}

fn body(body: &Body, schemas: &mut Schemas) -> Option<Json> {
    let (media, content) = match body {
        Body::Nothing => return None,
        Body::Request(name, examples) => {
            let request = REQUESTS.iter().find(|request| request.name == *name)?;
            let mut content = Json::object().with("schema", schemas.request(request));
            let mut named = Json::object();
            for example in *examples {
                named = named.with(example, reference("examples", example));
            }
            content = content.with("examples", named);
            (operation::JSON, content)
        }
        Body::Other(media, schema, example) => {
            (*media, Json::object().with("schema", schema(schemas)).with("example", example()))
        }
    };
    // A request without lines is valid.
    let required = media != "application/x-ndjson";
    Some(Json::object().with("required", required).with("content", Json::object().with(media, content)))
}

fn responses(operation: &Operation, schemas: &mut Schemas) -> Json {
    let mut responses = Json::object();
    for response in operation.answers {
        responses = responses.with(&response.status.to_string(), described_response(response, schemas));
    }
    for (status, refused) in refusals::responses(refusals::with_head((operation.refusals)()), schemas) {
        responses = responses.with(&status.to_string(), refused);
    }
    responses
}

fn described_response(response: &Response, schemas: &mut Schemas) -> Json {
    let content = |Content { media, schema, examples }: &Content| {
        let content = Json::object().with("schema", schema(schemas));
        Json::object().with(media, with_examples(content, examples))
    };
    let content = response.content.as_ref().map(content);
    Json::object()
        .with("description", response.means)
        .with("headers", headers(response.headers))
        .with_some("content", content)
}

fn with_examples(content: Json, examples: &[Named]) -> Json {
    if let [(_, example)] = examples {
        return content.with("example", example());
    }
    let named = examples
        .iter()
        .fold(Json::object(), |all, (name, example)| all.with(name, Json::object().with("value", example())));
    content.with("examples", named)
}

/// Describes the headers of a response: those of every response, and these.
fn headers(names: &[&str]) -> Json {
    ["X-Request-Id"].iter().chain(names).fold(Json::object(), |all, name| all.with(name, header(name)))
}

fn header(name: &str) -> Json {
    reference("headers", name)
}

fn reference(kind: &str, name: &str) -> Json {
    Json::object().with("$ref", format!("#/components/{kind}/{name}"))
}

const HEADERS: &[(&str, &str, &str)] = &[
    ("X-Request-Id", "string", "The id of the request: the caller's, if it sent a valid one."),
    ("Retry-After", "integer", "Seconds to wait before the next attempt."),
    ("WWW-Authenticate", "string", "`Token`."),
    ("Link", "string", "`<…>; rel=\"next\"`: the next page, if there is one."),
    ("ETag", "string", "The entity tag of this text."),
];

fn components(schemas: Schemas) -> Json {
    let headers = HEADERS.iter().fold(Json::object(), |all, (name, kind, means)| {
        let schema = Json::object().with("type", *kind);
        all.with(name, Json::object().with("description", *means).with("schema", schema))
    });
    let examples = examples::REQUESTS.iter().fold(Json::object(), |all, (name, _, text)| {
        all.with(name, Json::object().with("value", examples::of(text.as_bytes())))
    });
    Json::object()
        .with("schemas", schemas.into_definitions())
        .with("headers", headers)
        .with("examples", examples)
        .with("securitySchemes", security_schemes())
}

fn security_schemes() -> Json {
    let token = named("Authorization", "`Token <ACCESS_TOKEN>`, with what `obtainToken` gives.")
        .with("type", "apiKey")
        .with("in", "header");
    let bearer = Json::object()
        .with("type", "http")
        .with("scheme", "bearer")
        .with("description", "The same token as `Bearer <ACCESS_TOKEN>`.");
    let key = named("Authorization", "`Token <API_KEY>`, with a key of the role `operator`.")
        .with("type", "apiKey")
        .with("in", "header");
    let bearer_key = Json::object()
        .with("type", "http")
        .with("scheme", "bearer")
        .with("description", "The same key as `Bearer <API_KEY>`.");
    let tokens = Json::object().with("Token", token).with("Bearer", bearer);
    tokens.with("OperatorKey", key).with("OperatorBearer", bearer_key)
}
