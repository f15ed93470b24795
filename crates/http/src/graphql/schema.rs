use crate::limits::blocking::Blocking;
use crate::refusal::Refusal;
use async_graphql::{
    Context, EmptySubscription, ErrorExtensions, InputObject, Json, Object, Result, SimpleObject,
};
use cutover_app::App;
use cutover_app::auth::{Claims, Credential, Denied, Outcome, Tokens, judged};
use cutover_core::Code;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The schema of `/v1/graphql/`.
pub(crate) type Schema = async_graphql::Schema<Query, Mutation, EmptySubscription>;

/// Builds the schema over the use cases.
pub(crate) fn schema(app: Arc<App>, blocking: Arc<Blocking>) -> Schema {
    Schema::build(Query, Mutation, EmptySubscription).data(app).data(blocking).finish()
}

/// The state of one request: whether it has tried to obtain a token, and the result.
#[derive(Default)]
pub(super) struct Attempt {
    made: AtomicBool,
    result: Mutex<Option<Result<Obtained, Refusal>>>,
}

/// The claims of the token that was obtained, or the reason why it was refused.
pub(crate) type Obtained = Result<Claims, Denied>;

impl Attempt {
    /// Takes the result of the attempt, if one was made. A refusal replaces the response.
    pub(super) fn take_result(&self) -> Option<Result<Obtained, Refusal>> {
        self.result.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn end(&self, result: Result<Obtained, Refusal>) {
        *self.result.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    }
}

/// The queries; GraphQL requires at least one.
pub(crate) struct Query;

#[Object]
impl Query {
    /// The version of the API that this endpoint belongs to.
    async fn api_version(&self) -> &'static str {
        "v1"
    }
}

/// Obtains tokens.
pub(crate) struct Mutation;

#[Object]
impl Mutation {
    /// Obtains an access token for the data-import routes. At most once in a request.
    async fn obtain_token(&self, ctx: &Context<'_>, input: ObtainTokenInput) -> Result<Option<ObtainToken>> {
        obtain(ctx, input.api_key, input.refresh_token).await.map(Some)
    }

    /// The same as obtainToken, for clients of comparable services.
    async fn obtain_kraken_token(
        &self,
        ctx: &Context<'_>,
        input: ObtainJsonWebTokenInput,
    ) -> Result<Option<ObtainToken>> {
        obtain(ctx, input.api_key, input.refresh_token).await.map(Some)
    }
}

/// The credential for a token: exactly one of the two.
#[derive(InputObject)]
struct ObtainTokenInput {
    /// The organisation's API key.
    api_key: Option<String>,
    /// The refresh token of an earlier call; valid once.
    refresh_token: Option<String>,
}

/// The credential for a token: exactly one of the two.
#[derive(InputObject)]
#[graphql(name = "ObtainJSONWebTokenInput")]
struct ObtainJsonWebTokenInput {
    /// The organisation's API key.
    #[graphql(name = "APIKey")]
    api_key: Option<String>,
    /// The refresh token of an earlier call; valid once.
    refresh_token: Option<String>,
}

/// An access token, and a refresh token for the next one.
#[derive(SimpleObject)]
struct ObtainToken {
    /// To be sent as `Authorization: Token <token>`.
    token: String,
    /// The claims of the token.
    payload: Json<Claims>,
    /// Obtains the next token, once, instead of the key.
    refresh_token: String,
    /// Expiry of the refresh token, in Unix seconds.
    refresh_expires_in: i64,
}

impl From<Tokens> for ObtainToken {
    fn from(tokens: Tokens) -> Self {
        Self {
            token: tokens.token,
            payload: Json(tokens.claims),
            refresh_token: tokens.refresh_token,
            refresh_expires_in: tokens.refresh_expires_at.timestamp(),
        }
    }
}

async fn obtain(ctx: &Context<'_>, key: Option<String>, refresh: Option<String>) -> Result<ObtainToken> {
    let attempt = ctx.data::<Arc<Attempt>>()?;
    if attempt.made.swap(true, Ordering::Relaxed) {
        return Err(error("A request obtains one token.", Code::Invalid));
    }
    let credential = match (key, refresh) {
        (Some(key), None) => Credential::ApiKey(key),
        (None, Some(token)) => Credential::RefreshToken(token),
        (key, _) => {
            let outcome = if key.is_none() { Outcome::Missing } else { Outcome::Malformed };
            attempt.end(Ok(Err(Denied::of(outcome))));
            return Err(error("Give the API key or a refresh token, one of the two.", Code::Invalid));
        }
    };
    let app = ctx.data::<Arc<App>>()?.clone();
    let job = move || Ok(judged(app.obtain_token(&credential))?);
    match ctx.data::<Arc<Blocking>>()?.run(None, job).await {
        Ok(Ok(tokens)) => {
            attempt.end(Ok(Ok(tokens.claims.clone())));
            Ok(tokens.into())
        }
        Ok(Err(denied)) => {
            attempt.end(Ok(Err(denied)));
            Err(error("The key or refresh token is not valid.", Code::AuthenticationFailed))
        }
        Err(refusal) => {
            let code = refusal.code();
            attempt.end(Err(refusal));
            Err(error(code.detail(), code))
        }
    }
}

fn error(message: &str, code: Code) -> async_graphql::Error {
    async_graphql::Error::new(message).extend_with(|_, extensions| extensions.set("code", code.as_str()))
}
