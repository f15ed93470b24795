//! Visits: the session cookie, and the check that a form comes from the console (CSRF).

use super::links;
use super::page::{Frame, not_done, refused, see_other};
use super::visitor::Visitor;
use crate::call::Call;
use crate::refusal::Refusal;
use crate::refusal::log_cause;
use crate::request::client::is_loopback;
use actix_web::HttpResponse;
use actix_web::http::header::{HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN, SET_COOKIE};
use actix_web::http::{Method, StatusCode};

use cutover_app::auth::{AttemptKind, Denied, Outcome, Session, judged};
use cutover_app::operator::OperatorError;
use cutover_app::port::{ApiKeyRole, StoreError};

const COOKIE: &str = "cutover_console";
/// The header of requests that the script makes by itself, possibly with nobody at the screen.
const LIVE: &str = "x-console-live";

/// The header in which browsers state the origin of a request.
const FETCH_SITE: &str = "sec-fetch-site";

/// The reason why a page is not shown.
#[derive(Debug)]
pub(super) enum Stop {
    /// Nobody is signed in.
    NotSignedIn,
    /// The form does not come from the console.
    Foreign,
    /// The action cannot be performed, with the reason.
    NotDone(String),
    /// Any other refusal.
    Refused(Refusal),
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::AuthenticationFailed => Self::NotSignedIn,
            refusal => Self::Refused(refusal),
        }
    }
}

/// Converts the result of an operator's action for display.
pub(super) fn done<T>(result: Result<T, OperatorError>) -> Result<Result<T, String>, Refusal> {
    match result {
        Ok(done) => Ok(Ok(done)),
        Err(OperatorError::NotFound { .. }) => Err(Refusal::NotFound),
        Err(OperatorError::Store(StoreError::Conflict(text))) => Ok(Err(text)),
        Err(OperatorError::Store(error)) => Err(error.into()),
        Err(
            refused @ (OperatorError::Refused(_) | OperatorError::Changed(_) | OperatorError::Exists { .. }),
        ) => Ok(Err(refused.to_string())),
    }
}

/// Converts the result of an operator's query.
pub(super) fn found<T>(result: Result<T, OperatorError>) -> Result<T, Refusal> {
    done(result)?.map_err(Refusal::Unexpected)
}

/// Who may open a page, of those who are signed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Door {
    /// People.
    People,
    /// Displays too: the page only shows something, and nothing personal.
    Everybody,
}

impl Door {
    /// The refusal of a session, if its role does not permit the page.
    fn refusal(self, session: &Session) -> Option<Denied> {
        let is_open = match session.caller.role {
            ApiKeyRole::Operator => true,
            ApiKeyRole::Display => self == Self::Everybody,
            ApiKeyRole::Supplier | ApiKeyRole::Reader => false,
        };
        (!is_open).then(|| Denied::of_caller(Outcome::WrongRole, &session.caller))
    }
}

/// Answers a person who is signed in; redirects others to the sign-in page. A display is refused.
pub(super) async fn visited(
    call: &mut Call,
    answer: impl AsyncFnOnce(&mut Call, &Visitor) -> Result<HttpResponse, Stop>,
) -> HttpResponse {
    behind(Door::People, call, answer).await
}

/// Like [`visited`], for the one page that displays show as well.
pub(super) async fn displayed(
    call: &mut Call,
    answer: impl AsyncFnOnce(&mut Call, &Visitor) -> Result<HttpResponse, Stop>,
) -> HttpResponse {
    behind(Door::Everybody, call, answer).await
}

async fn behind(
    door: Door,
    call: &mut Call,
    answer: impl AsyncFnOnce(&mut Call, &Visitor) -> Result<HttpResponse, Stop>,
) -> HttpResponse {
    let mut visitor = None;
    let result = match enter(door, call).await {
        Ok(entered) => answer(call, visitor.insert(entered)).await,
        Err(stop) => Err(stop),
    };
    let mut response = result.unwrap_or_else(|stop| stopped(call, visitor.as_ref(), stop));
    // Nobody is at a display. Its token is renewed, so that it is signed with a key that is still in use.
    let is_used = |visitor: &Visitor| visitor.is_display() || !is_live(call.headers());
    if let Some(visitor) = visitor.filter(is_used) {
        renew(call, &visitor, &mut response).await;
    }
    response
}

/// Answers any visitor.
pub(super) async fn anybody(
    call: &mut Call,
    answer: impl AsyncFnOnce(&mut Call) -> Result<HttpResponse, Stop>,
) -> HttpResponse {
    let result = match check_origin(call) {
        Ok(()) => answer(call).await,
        Err(stop) => Err(stop),
    };
    result.unwrap_or_else(|stop| stopped(call, None, stop))
}

async fn enter(door: Door, call: &mut Call) -> Result<Visitor, Stop> {
    check_origin(call)?;
    let token = call.cookie(COOKIE).ok_or(Stop::NotSignedIn)?;
    let judged = call.run(move |app| Ok(judged(app.session(&token))?)).await?;
    let not_permitted = judged.as_ref().ok().and_then(|session| door.refusal(session));
    let result = match (&judged, &not_permitted) {
        (Err(denied), _) | (_, Some(denied)) => Err(denied),
        (Ok(session), None) => Ok(&*session.caller.key_prefix),
    };
    call.attempted(AttemptKind::ConsolePage, result);
    let session = judged.map_err(Refusal::from)?;
    call.belongs_to(session.caller.organisation_id);
    call.service().throttle.visit(session.caller.api_key_id)?;
    if not_permitted.is_some() {
        return Err(Refusal::PermissionDenied.into());
    }
    let lacks_key = !call.service().app.missing_encryption_keys().is_empty();
    Ok(Visitor { session, lacks_key })
}

/// Returns the page for a stop; where a sign-in is needed, a redirect that leads back afterwards.
fn stopped(call: &Call, visitor: Option<&Visitor>, stop: Stop) -> HttpResponse {
    let id = call.request_id().unwrap_or_default();
    let frame = || visitor.map_or_else(Frame::outside, Frame::of);
    let words = |status, title: &str, text: &str, back| {
        not_done(frame(), &mut HttpResponse::build(status), (title, text), back, &id)
    };
    match stop {
        Stop::NotSignedIn if is_live(call.headers()) => HttpResponse::Unauthorized().finish(),
        Stop::NotSignedIn => see_other(&sign_in(call)),
        Stop::Foreign => words(
            StatusCode::FORBIDDEN,
            "Not allowed",
            "The form was not sent by a page of this console.",
            None,
        ),
        Stop::NotDone(why) => words(StatusCode::CONFLICT, "Not done", &why, links::supplier_of(call.path())),
        Stop::Refused(refusal) => {
            log_cause(&refusal, &id, "console");
            refused(frame(), &refusal, &id)
        }
    }
}

/// Returns the sign-in path with the page to return to.
fn sign_in(call: &Call) -> String {
    if !matches!(*call.method(), Method::GET | Method::HEAD) || call.path() == links::HOME {
        return links::SIGN_IN.to_owned();
    }
    let query = call.query();
    let back = if query.is_empty() { call.path().to_owned() } else { format!("{}?{query}", call.path()) };
    format!("{}?next={}", links::SIGN_IN, links::segment(&back))
}

/// Returns true for requests that the script makes by itself.
pub(super) fn is_live(headers: &HeaderMap) -> bool {
    headers.contains_key(LIVE)
}

/// Checks that a change is requested by a page of the console. Browsers state the origin and scripts cannot
/// forge it. The cookie is not sent from other sites either.
fn check_origin(call: &Call) -> Result<(), Stop> {
    let is_safe = matches!(*call.method(), Method::GET | Method::HEAD);
    if is_safe || is_from_here(call.headers()) { Ok(()) } else { Err(Stop::Foreign) }
}

fn is_from_here(headers: &HeaderMap) -> bool {
    if let Some(site) = headers.get(FETCH_SITE) {
        return site == "same-origin";
    }
    // Without TLS browsers send only this header.
    let (Some(origin), Some(host)) = (text(headers, &ORIGIN), text(headers, &HOST)) else { return false };
    origin.split_once("://").is_some_and(|(_, authority)| authority.eq_ignore_ascii_case(host))
}

/// Returns true if the browser has TLS, perhaps to an unknown proxy: it states the origin only over TLS or to
/// the local computer.
fn is_told_of_tls(headers: &HeaderMap) -> bool {
    headers.contains_key(FETCH_SITE) && text(headers, &HOST).is_some_and(|host| !is_loopback(host))
}

fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

/// Extends the session from now on.
async fn renew(call: &Call, visitor: &Visitor, response: &mut HttpResponse) {
    if response.headers().contains_key(SET_COOKIE) {
        return;
    }
    let session = visitor.session.clone();
    // The response is good without it; the visitor may have to sign in a little sooner.
    if let Ok(Some(token)) = call.run(move |app| Ok(app.renewed_session(&session)?)).await {
        keep(call, response, &token);
    }
}

/// Sets the session cookie: until the browser is closed, for the console alone, out of reach of scripts and
/// cross-site requests.
pub(super) fn keep(call: &Call, response: &mut HttpResponse, token: &str) {
    set(call, response, token, "");
}

/// Removes the session cookie.
pub(super) fn forget(call: &Call, response: &mut HttpResponse) {
    set(call, response, "", "; Max-Age=0");
}

fn set(call: &Call, response: &mut HttpResponse, token: &str, more: &str) {
    let is_secure = call.is_secure() || is_told_of_tls(call.headers());
    let secure = if is_secure { "; Secure" } else { "" };
    let cookie = format!("{COOKIE}={token}; Path=/console; HttpOnly; SameSite=Strict{secure}{more}");
    // Tokens contain only characters that headers allow.
    if let Ok(value) = HeaderValue::from_str(&cookie) {
        response.headers_mut().append(SET_COOKIE, value);
    }
}
