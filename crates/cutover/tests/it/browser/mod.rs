//! The console in a real headless browser. Screenshots are saved in `target/screenshots`.
//!
//! Without a browser the tests pass, and print NOT RUN.

mod access;
mod account;
mod accounts;
mod checks;
mod docs;
mod driver;
mod jobs;
mod keyboard;
mod layout;
mod lists;
mod look;
mod migration;
mod night;
mod page;
mod plain;
mod rehearsal;
mod search;
mod sign_in;
mod suppliers;
mod troubles;
mod webhooks;

pub(crate) use page::Page;

use crate::harness::{Installation, Server, text};

/// Issues an operator key of the organisation `Acme`.
pub(crate) fn operator(installation: &Installation) -> String {
    let issue = ["api-key", "issue", "--organisation", "Acme", "--role", "operator"];
    text(&installation.run_json(&issue)["api_key"])
}

/// A browser on the first page, signed in as an operator of `Acme`; `None` without a browser.
fn signed_in(installation: &Installation, server: &Server) -> Option<Page> {
    let page = Page::open(server)?;
    page.sign_in(&operator(installation));
    Some(page)
}

impl Page {
    /// Signs in, which leads to the first page.
    fn sign_in(&self, key: &str) {
        self.go("/console/sign-in/");
        self.write("Operator key", key);
        self.press("Sign in");
        self.until_at("/console/");
    }
}
