//! The console over a store in memory, as a browser sees it.

mod accounts;
mod audit;
mod displays;
mod jobs;
mod lists;
mod migrations;
mod pages;
mod runs;
mod sessions;
mod settings;
mod timeline;
mod webhooks;
mod zones;

use crate::testing::{Reply, TestService};
use actix_web::http::header::{CONTENT_TYPE, COOKIE};
use actix_web::test::TestRequest;
use cutover_app::port::ApiKeyRole;

/// A browser that uses the console.
pub(super) struct Browser<'h> {
    service: &'h TestService,
    /// The cookie that it sends.
    cookie: Option<String>,
}

impl TestService {
    /// Issues an operator's key of an organisation.
    pub(super) fn operator_key(&self, organisation: &str) -> String {
        self.app.as_command().issue_api_key(organisation, ApiKeyRole::Operator).unwrap().key
    }

    /// Returns a browser in which an operator of Acme is signed in.
    pub(super) async fn browser(&self) -> Browser<'_> {
        let mut browser = Browser { service: self, cookie: None };
        let reply = browser.sign_in(&self.operator_key("Acme")).await;
        assert_eq!((reply.status, reply.header("location")), (303, "/console/"));
        browser
    }
}

impl TestService {
    /// Returns a browser of a display of Acme, with its key.
    pub(super) async fn display(&self) -> (Browser<'_>, String) {
        let key = self.app.as_command().issue_api_key("Acme", ApiKeyRole::Display).unwrap().key;
        let mut browser = Browser { service: self, cookie: None };
        assert_eq!(browser.sign_in(&key).await.status, 303);
        (browser, key)
    }
}

impl Browser<'_> {
    async fn send(&mut self, request: TestRequest) -> Reply {
        let request = match &self.cookie {
            Some(cookie) => request.insert_header((COOKIE, cookie.as_str())),
            None => request,
        };
        let reply = self.service.send(request).await;
        if let Some(set) = reply.headers.get("set-cookie") {
            let (pair, attributes) = set.to_str().unwrap().split_once(';').unwrap();
            self.cookie = (!attributes.contains("Max-Age=0")).then(|| pair.to_owned());
        }
        reply
    }

    /// Requests a page.
    pub(super) async fn get(&mut self, path: &str) -> Reply {
        self.send(TestRequest::get().uri(path)).await
    }

    /// Requests a page that exists.
    pub(super) async fn page(&mut self, path: &str) -> String {
        let reply = self.get(path).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        let page = reply.text().to_owned();
        let zones = zones(&page).count();
        assert!(zones == 1 || zones == 0 && !page.contains("<time "), "{zones} zones are named at {path}");
        page
    }

    /// Sends a form from a page of the console.
    pub(super) async fn post(&mut self, path: &str, form: &str) -> Reply {
        self.send(form_to(path, form).insert_header(("sec-fetch-site", "same-origin"))).await
    }

    pub(super) async fn sign_in(&mut self, key: &str) -> Reply {
        self.post("/console/sign-in/", &format!("next=&api_key={key}")).await
    }
}

/// Returns the names of zones that a page gives for its times.
pub(super) fn zones(page: &str) -> impl Iterator<Item = &str> {
    let said = page.split("<p class=\"zone\">Times in ").skip(1);
    said.filter_map(|rest| rest.split('<').next())
}

/// Returns a form submission without an origin.
pub(super) fn form_to(path: &str, form: &str) -> TestRequest {
    let media = (CONTENT_TYPE, "application/x-www-form-urlencoded");
    TestRequest::post().uri(path).insert_header(media).set_payload(form.to_owned())
}

/// Returns the text between two markers.
/// Returns the member of the form of a release that says which hold it has shown.
pub(super) fn held_since(page: &str) -> String {
    format!("held_since={}", between(page, "name=\"held_since\" value=\"", "\""))
}

pub(super) fn between<'p>(page: &'p str, begin: &str, end: &str) -> &'p str {
    let (_, rest) = page.split_once(begin).unwrap_or_else(|| panic!("no {begin} in {page}"));
    rest.split_once(end).unwrap_or_else(|| panic!("no {end} in {rest}")).0
}
