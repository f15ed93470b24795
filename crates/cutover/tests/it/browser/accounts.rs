use super::signed_in;
use crate::harness::Installation;
use crate::payloads::small;

/// Account numbers that a careless page would interpret as markup.
const HOSTILE: [&str; 3] =
    ["<script>throw 1</script>", "\"><img src=x onerror=alert(1)>", "</th><a href=//evil.example>x"];

#[test]
fn account_numbers_are_shown_as_text() {
    let (installation, server, client) = Installation::serving();
    client.import(&HOSTILE.map(small));
    client.import(&[small("A-1")]);
    let Some(page) = signed_in(&installation, &server) else { return };
    page.follow("ACME");
    page.until_says("A-1");
    for number in HOSTILE {
        assert!(page.text().contains(number), "{number}: {}", page.text());
    }
    page.choose("Status", "Errored");
    page.press("Show");
    page.until_says("No account matches.");
    page.follow("Show all");
    page.until_says("A-1");
    page.look("supplier");
}
