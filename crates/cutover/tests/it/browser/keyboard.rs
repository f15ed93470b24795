use super::{Page, operator};
use crate::harness::Installation;
use crate::payloads::small;
use thirtyfour::Key;

#[test]
fn a_supplier_is_paused_without_a_mouse() {
    let (installation, server, client) = Installation::serving();
    let Some(page) = Page::open(&server) else { return };
    page.go("/console/sign-in/");
    // The field has the initial focus.
    page.keys(operator(&installation));
    page.keys(Key::Enter);
    page.until_at("/console/");

    assert_eq!(page.tab_to("Skip to the content"), [""; 0], "it comes first");
    page.keys(Key::Enter);
    page.tab_to("ACME");
    page.keys(Key::Enter);
    page.until_at("/console/suppliers/ACME/");
    page.tab_to("Pause…");
    page.keys(Key::Enter);
    page.until_at("/console/suppliers/ACME/pause/");
    // No button with an effect has the focus: a key held too long would trigger it.
    assert_eq!(page.tab_to("Pause"), [""; 0]);
    page.keys(Key::Enter);
    page.until_at("/console/suppliers/ACME/");
    page.until_says("Paused");
    assert_eq!(client.create(&small("A-1")).status, 400);
}
