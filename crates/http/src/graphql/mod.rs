//! The GraphQL schema of tokens (contract 5, D2), and the limits on what is executed.

mod schema;
mod weight;

pub(crate) use schema::{Obtained, Schema, schema};

use crate::refusal::Refusal;
use async_graphql::indexmap::IndexMap;
use async_graphql::parser::parse_query;
use async_graphql::{Request, Response, ServerError, Value};
use schema::Attempt;
use serde_json::error::Category;
use std::sync::Arc;

/// More brackets than this are not parsed: the parser recurses as deep as they are nested.
const MAX_BRACKETS: usize = 200;

/// Executes the request in a body. Returns the response, and the result of an attempt to obtain a token.
pub(crate) async fn answer(schema: &Schema, body: &[u8]) -> Result<(Response, Option<Obtained>), Refusal> {
    let request = read(body)?;
    let attempt = Arc::new(Attempt::default());
    let response = match prepare(request) {
        Ok(request) => with_data(schema.execute(request.data(attempt.clone())).await),
        Err(error) => Response::from_errors(vec![error]),
    };
    Ok((response, attempt.take_result().transpose()?))
}

/// Replaces null data by an empty object if there is no error, as GraphQL requires. The library returns null
/// where `@skip` leaves no field.
fn with_data(mut response: Response) -> Response {
    if response.errors.is_empty() && response.data == Value::Null {
        response.data = Value::Object(IndexMap::new());
    }
    response
}

/// Parses the request in a body.
fn read(body: &[u8]) -> Result<Request, Refusal> {
    if body.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[') {
        return Err(Refusal::Invalid("Send one operation as a JSON object; batches are not taken."));
    }
    let malformed = || Refusal::Invalid("Send an object with query, operationName and variables.");
    let request: Request = serde_json::from_slice(body).map_err(|error| match error.classify() {
        Category::Data => malformed(),
        Category::Syntax | Category::Eof | Category::Io => {
            Refusal::NotJson(format!("not JSON at line {} column {}", error.line(), error.column()))
        }
    })?;
    if request.query.is_empty() { Err(malformed()) } else { Ok(request) }
}

/// Parses the query and limits its weight before it is validated or executed. Errors name a position, never
/// text: it may contain a key.
fn prepare(mut request: Request) -> Result<Request, ServerError> {
    let brackets = request.query.bytes().filter(|byte| matches!(byte, b'{' | b'[' | b'(')).count();
    if brackets > MAX_BRACKETS {
        return Err(ServerError::new("The query has too many brackets.", None));
    }
    let document = parse_query(&request.query).map_err(|error| {
        let position = error.positions().next();
        ServerError::new("The query is not GraphQL.", position)
    })?;
    weight::check(&document).map_err(|problem| ServerError::new(problem, None))?;
    request.set_parsed_query(document);
    Ok(request)
}
