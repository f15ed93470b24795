use super::{Page, signed_in};
use crate::harness::{Installation, text, wait_until};
use crate::payloads::small;
use serde_json::{Value, json};

/// A wave has ended with a failure, which refuses the next one unless it is forced with a reason.
#[test]
fn a_night_is_watched_and_its_next_wave_released() {
    let (installation, server, client) = Installation::serving();
    let Some(page) = signed_in(&installation, &server) else { return };
    installation.run_json(&["supplier", "hold", "ACME", "--because", "before the first wave"]);
    installation.set(&["--waves", "2,rest", "--hold-on-errors", "0/10"]);
    for number in ["N-1", "N-2", "N-3"] {
        let mut account = small(number);
        account["customers"] = json!([]);
        assert_eq!(client.create(&account).status, 201);
    }
    page.go("/console/suppliers/ACME/");
    page.follow("Night");
    page.until_says("Reason: before the first wave");
    installation.run_json(&["supplier", "set", "ACME", "--rule", "ACC-04=error"]);
    page.follow("Release…");
    page.until_says("Release ACME?");
    page.look("release");
    page.write("Reason", "to see what happens");
    page.press("Release nevertheless");
    page.until_says("Time left");
    wait_until("it is held", || client.progress()["hold"] != Value::Null);
    page.go("/console/suppliers/ACME/night/");
    page.until_says("Not ready for a release");
    page.look("night");
    page.follow("Release…");
    page.until_says("Checks speak against it.");
    page.look("release-by-force");
    // Nothing fails from here on, so that only the operator holds.
    installation.run_json(&["supplier", "set", "ACME", "--rule", "ACC-04=warning"]);
    page.write("Reason", "agreed");
    page.press("Release nevertheless");
    page.until_says("Time left");

    page.go("/console/suppliers/ACME/hold/");
    page.until_says("Hold ACME?");
    page.look("hold");
    page.write("Reason", "wrong tariffs");
    page.press("Hold");
    page.until_says("Reason: wrong tariffs");
}

/// True if every figure is struck through, false if none is.
fn are_struck(page: &Page) -> bool {
    let lines = page.script(
        "return [...document.querySelectorAll('.night dd, .night td.number')]\
         .map(figure => getComputedStyle(figure).textDecorationLine)",
    );
    let lines: Vec<String> = crate::harness::items(&lines).iter().map(text).collect();
    assert!(!lines.is_empty());
    let struck = lines.iter().filter(|line| *line == "line-through").count();
    assert!(struck == 0 || struck == lines.len(), "{lines:?}");
    struck > 0
}

impl Page {
    /// Leaves the console, so that the page asks for nothing any more, and returns the faults until then.
    fn leave(&self) -> Vec<String> {
        self.script("location.replace('about:blank')");
        self.wait_until("the page is left", || self.script("return location.href") == "about:blank");
        self.take_troubles()
    }
}

/// Nobody may take figures of a service that is gone for those of now.
#[test]
fn figures_of_a_service_that_is_gone_are_struck_through() {
    let (installation, server, _client) = Installation::serving();
    installation.run_json(&["supplier", "set", "ACME", "--time-zone", "Australia/Sydney"]);
    let Some(page) = signed_in(&installation, &server) else { return };
    page.go("/console/suppliers/ACME/night/");
    page.until_says("First window closes in");
    assert!(!are_struck(&page) && !page.text().contains("No data since"));

    // Its connections stay open, and nothing comes.
    server.suspend();
    page.until_says("No data since");
    assert!(are_struck(&page));
    let since = page.script("return document.querySelector('#night').dataset.since");
    assert_eq!(page.text_of("[data-outdated]"), format!("No data since {}", text(&since)));
    page.look("night-without-data");
    server.signal("CONT");
    page.wait_until("there is data again", || !page.text().contains("No data since"));
    assert!(!are_struck(&page));

    server.kill();
    page.until_says("No data since");
    assert!(are_struck(&page));
    let troubles = page.leave();
    assert!(troubles.iter().all(|trouble| trouble.starts_with("not loaded: net::ERR_")), "{troubles:?}");
}

/// A screen on a wall, whose key is revoked in the end.
#[test]
fn a_display_shows_a_night_until_its_key_is_revoked() {
    let (installation, server, _client) = Installation::serving();
    let Some(page) = Page::open(&server) else { return };
    let issue = ["api-key", "issue", "--organisation", "Acme", "--role", "display"];
    let issued = installation.run_json(&issue);
    page.go("/console/suppliers/ACME/night/");
    page.write("Operator key", &text(&issued["api_key"]));
    page.press("Sign in");
    page.until_at("/console/suppliers/ACME/night/");
    page.until_says("First window closes in");
    assert_eq!(page.script("return document.querySelectorAll('button, form, input, main a').length"), 0);
    page.look("night-on-a-display");

    page.expect(403);
    page.go("/console/suppliers/ACME/");
    page.until_says("Not allowed");
    page.go("/console/suppliers/ACME/night/");
    page.until_says("First window closes in");
    assert_eq!(page.take_troubles(), [""; 0]);

    installation.run_json(&["api-key", "revoke", &text(&issued["prefix"])]);
    page.until_says("The session has ended");
    assert!(are_struck(&page));
    assert_eq!(page.path(), "/console/suppliers/ACME/night/", "the figures stay");
    let troubles = page.leave();
    assert!(troubles.iter().all(|trouble| trouble.starts_with("refused: [(401, ")), "{troubles:?}");
}
