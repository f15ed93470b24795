use super::signed_in;
use crate::harness::{Installation, wait_until};
use crate::payloads::small;
use serde_json::{Value, json};

/// A wave has ended with a failure, which refuses the next one unless it is forced with a reason.
#[test]
fn a_night_is_watched_and_its_next_wave_released() {
    let (installation, server, client) = Installation::serving();
    let Some(page) = signed_in(&installation, &server) else { return };
    installation.run_json(&["supplier", "hold", "ACME", "--because", "before the first wave"]);
    let set = ["supplier", "set", "ACME", "--waves", "2,rest", "--hold-on-errors", "0/10"];
    installation.run_json(&set);
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
    page.press("Release");
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
