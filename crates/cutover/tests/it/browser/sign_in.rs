use super::{Page, operator, signed_in};
use crate::harness::Installation;
use serde_json::json;

const WORDS: &str = "This key does not sign in here.";

#[test]
fn only_an_operator_can_sign_in() {
    let (installation, supplier) = Installation::with_supplier();
    let server = installation.serve();
    let Some(page) = Page::open(&server) else { return };
    page.go("/console/suppliers/ACME/");
    assert_eq!(page.path(), "/console/sign-in/?next=%2Fconsole%2Fsuppliers%2FACME%2F");
    page.look("sign-in");

    let mut refusals = Vec::new();
    for key in ["cut_live_nonsense", &supplier] {
        page.expect(403);
        page.write("Operator key", key);
        page.press("Sign in");
        page.until_says(WORDS);
        refusals.push(page.text());
        assert!(!page.source().contains(key), "the key is shown");
        assert!(page.cookies().is_empty(), "{:?}", page.cookies());
        page.go("/console/sign-in/?next=%2Fconsole%2Fsuppliers%2FACME%2F");
    }
    assert_eq!(refusals[0], refusals[1], "one learns what the key is");

    page.write("Operator key", &operator(&installation));
    page.press("Sign in");
    page.until_at("/console/suppliers/ACME/");
    let cookies = page.cookies();
    let flags = ["httpOnly", "sameSite", "session", "path", "secure"].map(|flag| cookies[0][flag].clone());
    assert_eq!((cookies.len(), json!(flags)), (1, json!([true, "Strict", true, "/console", false])));
    assert_eq!(page.script("return document.cookie"), "");
}

#[test]
fn signing_out_ends_the_session() {
    let (installation, _key) = Installation::with_supplier();
    let server = installation.serve();
    let Some(page) = signed_in(&installation, &server) else { return };
    page.follow("ACME");
    page.until_at("/console/suppliers/ACME/");
    page.press("Sign out");
    page.until_at("/console/sign-in/");
    assert!(page.cookies().is_empty(), "{:?}", page.cookies());
    page.script("history.back()");
    page.wait_until("the way to sign in", || page.path().starts_with("/console/sign-in/"));
}

/// An open page updates itself: it is left when its key is revoked.
#[test]
fn a_revoked_key_ends_requests_in_progress() {
    let (installation, _key) = Installation::with_supplier();
    let server = installation.serve();
    let key = operator(&installation);
    let Some(page) = Page::open(&server) else { return };
    page.sign_in(&key);
    page.go("/console/suppliers/ACME/");
    page.until_says("Live");
    page.expect(401);
    installation.run_json(&["api-key", "revoke", &key[..17]]);
    page.wait_until("the way to sign in", || page.path().starts_with("/console/sign-in/"));
}
