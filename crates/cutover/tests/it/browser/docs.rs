use super::Page;
use crate::harness::Installation;

#[test]
fn the_description_of_the_api_is_public() {
    let installation = Installation::new();
    let server = installation.serve();
    let Some(page) = Page::open(&server) else { return };
    page.go("/docs/");
    page.until_says("/v2/data-import/accounts/validate/");
    page.look("docs");
    page.forbid_scripts();
    page.reload();
    page.until_says("/v2/data-import/accounts/validate/");
}
