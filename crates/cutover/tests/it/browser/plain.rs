use super::{Page, operator};
use crate::harness::Installation;
use crate::payloads::small;

#[test]
fn everything_works_without_scripts() {
    let (installation, server, client) = Installation::serving();
    client.import(&[small("A-1")]);
    let Some(page) = Page::open(&server) else { return };
    page.forbid_scripts();
    page.go("/console/");
    page.write("Operator key", &operator(&installation));
    page.press("Sign in");
    page.until_at("/console/");
    page.follow("ACME");
    page.until_says("A-1");
    page.look("supplier-plain");
    page.follow("A-1");
    assert!(!page.source().contains("mei.tran"));
    page.press("Show personal data");
    page.until_says("mei.tran@inbox.test");
    page.follow("Hide personal data");
    page.follow("ACME");
    page.follow("Pause…");
    page.press("Pause");
    page.until_says("Paused");
    assert_eq!(client.create(&small("A-2")).status, 400);
    page.follow("Resume…");
    page.press("Resume");
    page.until_says("Ongoing");
    page.press("Sign out");
    page.until_at("/console/sign-in/");
}
