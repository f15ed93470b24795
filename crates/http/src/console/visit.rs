//! Who is signed in: the cookie of the session, and that a form is one of ours (CSRF).

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

use cutover_app::operator::OperatorError;
use cutover_app::port::StoreError;

const COOKIE: &str = "cutover_console";
/// What our script says when it asks for a page by itself: nobody may be there to see it.
const LIVE: &str = "x-console-live";

/// What browsers say of where a request comes from.
const FETCH_SITE: &str = "sec-fetch-site";

/// Why there is no page.
#[derive(Debug)]
pub(super) enum Stop {
    /// Nobody is signed in.
    NotSignedIn,
    /// The form is not one of ours.
    Foreign,
    /// What was asked for cannot be done; why.
    NotDone(String),
    /// As everywhere.
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

/// What a use case of the operator came to, as something to be shown.
pub(super) fn done<T>(result: Result<T, OperatorError>) -> Result<Result<T, String>, Refusal> {
    match result {
        Ok(done) => Ok(Ok(done)),
        Err(OperatorError::NotFound { .. }) => Err(Refusal::NotFound),
        Err(OperatorError::Store(StoreError::Conflict(text))) => Ok(Err(text)),
        Err(OperatorError::Store(error)) => Err(error.into()),
        Err(refused @ (OperatorError::Refused(_) | OperatorError::Exists { .. })) => {
            Ok(Err(refused.to_string()))
        }
    }
}

/// What a use case that only reads came to.
pub(super) fn found<T>(result: Result<T, OperatorError>) -> Result<T, Refusal> {
    done(result)?.map_err(Refusal::Unexpected)
}

/// Answers who is signed in; sends others to where one signs in.
pub(super) async fn visited(
    call: &mut Call,
    answer: impl AsyncFnOnce(&mut Call, &Visitor) -> Result<HttpResponse, Stop>,
) -> HttpResponse {
    let mut visitor = None;
    let result = match enter(call).await {
        Ok(entered) => answer(call, visitor.insert(entered)).await,
        Err(stop) => Err(stop),
    };
    let mut response = result.unwrap_or_else(|stop| stopped(call, visitor.as_ref(), stop));
    if let Some(visitor) = visitor.filter(|_| !is_live(call.headers())) {
        renew(call, &visitor, &mut response).await;
    }
    response
}

/// Answers anybody.
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

async fn enter(call: &mut Call) -> Result<Visitor, Stop> {
    check_origin(call)?;
    let token = call.cookie(COOKIE).ok_or(Stop::NotSignedIn)?;
    let session = call.run(move |app| Ok(app.session(&token)?)).await?;
    call.belongs_to(session.caller.organisation_id);
    call.service().throttle.visit(session.caller.api_key_id)?;
    let lacks_key = !call.service().app.missing_encryption_keys().is_empty();
    Ok(Visitor { session, lacks_key })
}

/// A page that says why there is none; where somebody is to sign in, the way there and back.
fn stopped(call: &Call, visitor: Option<&Visitor>, stop: Stop) -> HttpResponse {
    let id = call.request_id().unwrap_or_default();
    let frame = || visitor.map_or_else(Frame::outside, Frame::of);
    let words = |status, title: &str, text: &str| {
        not_done(frame(), &mut HttpResponse::build(status), (title, text), &id)
    };
    match stop {
        Stop::NotSignedIn if is_live(call.headers()) => HttpResponse::Unauthorized().finish(),
        Stop::NotSignedIn => see_other(&sign_in(call)),
        Stop::Foreign => {
            words(StatusCode::FORBIDDEN, "Not allowed", "The form was not sent by a page of this console.")
        }
        Stop::NotDone(why) => words(StatusCode::CONFLICT, "Not done", &why),
        Stop::Refused(refusal) => {
            log_cause(&refusal, &id, "console");
            refused(frame(), &refusal, &id)
        }
    }
}

/// Where one signs in, and how one comes back from there.
fn sign_in(call: &Call) -> String {
    if !matches!(*call.method(), Method::GET | Method::HEAD) || call.path() == links::HOME {
        return links::SIGN_IN.to_owned();
    }
    let query = call.query();
    let back = if query.is_empty() { call.path().to_owned() } else { format!("{}?{query}", call.path()) };
    format!("{}?next={}", links::SIGN_IN, links::segment(&back))
}

/// Whether our script asks by itself.
pub(super) fn is_live(headers: &HeaderMap) -> bool {
    headers.contains_key(LIVE)
}

/// What changes something must come from a page of ours: browsers say so, and cannot be made to lie. The cookie
/// is not sent from elsewhere either.
fn check_origin(call: &Call) -> Result<(), Stop> {
    let is_safe = matches!(*call.method(), Method::GET | Method::HEAD);
    if is_safe || is_from_here(call.headers()) { Ok(()) } else { Err(Stop::Foreign) }
}

fn is_from_here(headers: &HeaderMap) -> bool {
    if let Some(site) = headers.get(FETCH_SITE) {
        return site == "same-origin";
    }
    // Without TLS browsers say only this.
    let (Some(origin), Some(host)) = (text(headers, &ORIGIN), text(headers, &HOST)) else { return false };
    origin.split_once("://").is_some_and(|(_, authority)| authority.eq_ignore_ascii_case(host))
}

/// Whether the browser has TLS up to a proxy that may not be known here: it says where a request comes from only
/// over TLS, or to its own computer.
fn is_told_of_tls(headers: &HeaderMap) -> bool {
    headers.contains_key(FETCH_SITE) && text(headers, &HOST).is_some_and(|host| !is_loopback(host))
}

fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

/// Has the session last from now on.
async fn renew(call: &Call, visitor: &Visitor, response: &mut HttpResponse) {
    if response.headers().contains_key(SET_COOKIE) {
        return;
    }
    let session = visitor.session.clone();
    // What was answered is good; who visits may have to sign in a little sooner.
    if let Ok(Some(token)) = call.run(move |app| Ok(app.renewed_session(&session)?)).await {
        keep(call, response, &token);
    }
}

/// Has the browser keep the token of a session: until it is closed, for the console alone, out of reach of
/// scripts and of what other pages ask for.
pub(super) fn keep(call: &Call, response: &mut HttpResponse, token: &str) {
    set(call, response, token, "");
}

/// Has the browser forget it.
pub(super) fn forget(call: &Call, response: &mut HttpResponse) {
    set(call, response, "", "; Max-Age=0");
}

fn set(call: &Call, response: &mut HttpResponse, token: &str, more: &str) {
    let is_secure = call.is_secure() || is_told_of_tls(call.headers());
    let secure = if is_secure { "; Secure" } else { "" };
    let cookie = format!("{COOKIE}={token}; Path=/console; HttpOnly; SameSite=Strict{secure}{more}");
    // A token of ours has no letter that a header must not have.
    if let Ok(value) = HeaderValue::from_str(&cookie) {
        response.headers_mut().append(SET_COOKIE, value);
    }
}
