//! The frame and the headers that all pages share.

use super::assets::{Assets, assets};
use super::visitor::Visitor;
use crate::call::Call;
use crate::refusal::{Refusal, UNWRITABLE};
use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use actix_web::{HttpResponse, HttpResponseBuilder};
use askama::Template;
use cutover_core::Zone;

/// All resources come from this host, nothing is inline, and no other page may embed one of ours.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
     form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// The frame around a page.
pub(super) struct Frame {
    /// The signed-in visitor, if any.
    pub(super) visitor: Option<Visitor>,
    /// The text of a search, shown in the search field.
    pub(super) sought: String,
    /// The zone of all times on the page; `None` if it has none.
    pub(super) zone: Option<Zone>,
    /// The paths of the files that it loads.
    pub(super) assets: &'static Assets,
}

impl Frame {
    /// Returns the frame without a visitor.
    pub(super) fn outside() -> Self {
        Self { visitor: None, sought: String::new(), zone: None, assets: assets() }
    }

    /// Returns the frame for a signed-in visitor.
    pub(super) fn of(visitor: &Visitor) -> Self {
        Self { visitor: Some(visitor.clone()), ..Self::outside() }
    }

    /// Names the zone of the times on the page: that of a supplier, or the one that the suppliers of the organisation
    /// have in common.
    pub(super) fn in_zone(self, zone: Zone) -> Self {
        Self { zone: Some(zone), ..self }
    }

    /// Returns true on a display, where nothing can be pressed.
    pub(super) fn is_display(&self) -> bool {
        self.visitor.as_ref().is_some_and(Visitor::is_display)
    }
}

/// A page shown instead of the requested one.
#[derive(Template)]
#[template(path = "console/refused.html")]
struct Refused<'a> {
    frame: Frame,
    title: &'a str,
    text: &'a str,
    /// The page of the supplier that it is about.
    back: Option<&'a str>,
    request_id: &'a str,
}

/// Renders a page as a response.
///
/// # Errors
/// [`Refusal::Unexpected`] if it could not be written.
pub(super) fn page(
    response: &mut HttpResponseBuilder,
    template: &impl Template,
) -> Result<HttpResponse, Refusal> {
    Ok(written(response, render(template)?))
}

/// Renders the text of a page, for pages that take a while.
///
/// # Errors
/// [`Refusal::Unexpected`] if it could not be written.
pub(super) fn render(template: &impl Template) -> Result<String, Refusal> {
    template.render().map_err(|error| Refusal::Unexpected(error.to_string()))
}

/// Returns a page with this text.
pub(super) fn written(response: &mut HttpResponseBuilder, html: String) -> HttpResponse {
    guard(response);
    response.insert_header((CONTENT_TYPE, "text/html; charset=utf-8")).body(html)
}

/// Redirects to another page, to be fetched with GET.
pub(super) fn see_other(location: &str) -> HttpResponse {
    let mut response = HttpResponse::SeeOther();
    guard(&mut response);
    response.insert_header((LOCATION, location)).finish()
}

/// Returns the page that explains a refusal.
pub(super) fn refused(frame: Frame, refusal: &Refusal, request_id: &str) -> HttpResponse {
    let (title, text) = match refusal.status() {
        _ if matches!(refusal, Refusal::KeyMissing(_)) => (
            "An encryption key is missing",
            "This server lacks a key that the database is encrypted with. Another server may have it: try again, and \
             tell whoever operates the service.",
        ),
        _ if matches!(refusal, Refusal::PermissionDenied) => (
            "Not allowed",
            "The key of a display opens the page of a migration night alone: /console/suppliers/, the code of the supplier, \
             and /night/.",
        ),
        _ if matches!(refusal, Refusal::Unwritable(_)) => ("Nothing can be stored now", UNWRITABLE),
        StatusCode::NOT_FOUND => ("Not found", "There is no such page, supplier or account here."),
        StatusCode::TOO_MANY_REQUESTS => ("Too many attempts", "Wait a little, then try again."),
        StatusCode::SERVICE_UNAVAILABLE => {
            ("Not available now", "The service is busy, or its database does not answer. Try again soon.")
        }
        status if status.is_client_error() => {
            ("Not understood", "The request was not one that this page makes.")
        }
        _ => ("Something went wrong", "The fault is ours, and the log has more about it."),
    };
    not_done(frame, &mut refusal.head(), (title, text), None, request_id)
}

/// Returns the page for an unknown path or method of the console.
pub(crate) fn not_served(call: &Call, refusal: &Refusal) -> HttpResponse {
    refused(Frame::outside(), refusal, &call.request_id().unwrap_or_default())
}

/// Returns a page with this title and text.
pub(super) fn not_done(
    frame: Frame,
    response: &mut HttpResponseBuilder,
    (title, text): (&str, &str),
    back: Option<&str>,
    request_id: &str,
) -> HttpResponse {
    let words = Refused { frame, title, text, back, request_id };
    page(response, &words).unwrap_or_else(|refusal| refusal.respond())
}

/// Adds the headers that all answers of the console have.
pub(super) fn guard(response: &mut HttpResponseBuilder) {
    let headers: [(HeaderName, &'static str); 4] = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // Without a referrer policy browsers would not say where a form comes from.
        (REFERRER_POLICY, "same-origin"),
        (CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in headers {
        response.insert_header((name, HeaderValue::from_static(value)));
    }
}
