//! Parsers of untrusted input, for fuzz targets (feature `fuzzing`). Not part of the public interface and
//! never in a release.

use crate::endpoint::{account_lists, find_accounts};
use crate::graphql;
use crate::limits::blocking::Blocking;
use crate::refusal::Refusal;
use crate::request::query::{Query, boolean};
use crate::request::{authorization, path};
use actix_web::http::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use cutover_app::App;
use std::sync::Arc;
use std::time::Duration;

pub use crate::endpoint::bulk::fuzzing::{Framed, Taken, framed};

/// The result of parsing a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// The query, written again.
    For(String),
    /// The faulty parameters.
    Faulty(Vec<&'static str>),
}

impl From<Result<String, Refusal>> for Asked {
    fn from(read: Result<String, Refusal>) -> Self {
        match read {
            Ok(query) => Self::For(query),
            Err(Refusal::Parameters(names)) => Self::Faulty(names),
            Err(_) => Self::Faulty(Vec::new()),
        }
    }
}

/// Parses the query of the search for accounts.
pub fn found_accounts(query: &str) -> Asked {
    find_accounts::same_query(query).into()
}

/// Parses the query of the lists of accounts.
pub fn listed_accounts(query: &str) -> Asked {
    account_lists::same_query(query).into()
}

/// Parses a boolean parameter.
///
/// # Errors
/// Its name, if it is neither.
pub fn flag(query: &str, name: &'static str) -> Result<Option<bool>, Vec<&'static str>> {
    let mut query = Query::new(query);
    let value = query.read(name, boolean);
    let faulty = query.into_faulty();
    if faulty.is_empty() { Ok(value) } else { Err(faulty) }
}

/// Returns the decoded segments of a path; `None` for one that is not UTF-8.
pub fn segments(path: &str) -> Vec<Option<String>> {
    path::segments(path).map(|segment| path::decode(segment).map(|read| read.into_owned())).collect()
}

/// Returns the token of an `Authorization` header.
pub fn token(header: &[u8]) -> Option<String> {
    let mut headers = HeaderMap::new();
    headers.insert(AUTHORIZATION, HeaderValue::from_bytes(header).ok()?);
    authorization::token(&headers).ok().map(str::to_owned)
}

/// The handler of `/v1/graphql/`.
pub struct Graphql(graphql::Schema);

impl Graphql {
    /// Creates it over these use cases.
    ///
    /// # Errors
    /// If no thread can be created.
    pub fn new(app: Arc<App>) -> std::io::Result<Self> {
        let blocking = Blocking::new("use-cases", 1, 1, Duration::from_secs(60))?;
        Ok(Self(graphql::schema(app, Arc::new(blocking))))
    }

    /// Answers a body. Requires a tokio runtime with time enabled.
    ///
    /// # Errors
    /// The status of the refusal.
    pub async fn answer(&self, body: &[u8]) -> Result<String, u16> {
        let answer = graphql::answer(&self.0, body).await;
        let (answer, _) = answer.map_err(|refusal| refusal.status().as_u16())?;
        serde_json::to_string(&answer).map_err(|_| 500)
    }
}
