//! The pages in a real browser, headless: what people see and do. Pictures of the pages are left in
//! `target/screenshots`.
//!
//! Where there is no browser the tests pass, and say NOT RUN.

mod access;
mod account;
mod accounts;
mod checks;
mod docs;
mod driver;
mod keyboard;
mod look;
mod migration;
mod page;
mod plain;
mod search;
mod sign_in;
mod suppliers;
mod troubles;

pub(crate) use page::Page;

use crate::harness::{Client, Installation, Server, text};
use crate::payloads::small;

/// An operator's key of the organisation `Acme`.
fn operator(installation: &Installation) -> String {
    let issue = ["api-key", "issue", "--organisation", "Acme", "--role", "operator"];
    text(&installation.run_json(&issue)["api_key"])
}

/// A browser at the first page, in which an operator of `Acme` has signed in; `None` where there is no browser.
fn signed_in(installation: &Installation, server: &Server) -> Option<Page> {
    let page = Page::open(server)?;
    page.sign_in(&operator(installation));
    Some(page)
}

/// A server on which `E-1` was refused at the import, by a rule that was made stricter since.
fn rejected(installation: &Installation, key: &str) -> (Server, Client) {
    let mut account = small("E-1");
    account["customers"][0].as_object_mut().unwrap().remove("family_name");
    {
        let api = installation.serve_with(&["--role", "api"]);
        assert_eq!(api.client(key).create(&account).status, 201);
    }
    installation.run_json(&["supplier", "set", "ACME", "--rule", "CUS-08=error"]);
    let server = installation.serve();
    let client = server.client(key);
    client.wait("E-1", "ERRORED");
    (server, client)
}

impl Page {
    /// Signs in, and is at the first page then.
    fn sign_in(&self, key: &str) {
        self.go("/console/sign-in/");
        self.write("Operator key", key);
        self.press("Sign in");
        self.until_at("/console/");
    }
}
