//! Readiness, forecasts and releases (contract D16).

use crate::harness::{Client, Installation, items, text, wait_until};
use crate::payloads::{small, without_customers};
use serde_json::{Value, json};

const PATH: &str = "/v2/data-import/import-suppliers/ACME/readiness/";

/// Returns the readiness as the command prints it.
fn readiness(installation: &Installation) -> Value {
    installation.run_json(&["supplier", "readiness", "ACME"])
}

/// Returns the names of checks with this level.
fn at_level(readiness: &Value, level: &str) -> Vec<String> {
    let checks = items(&readiness["checks"]).iter().filter(|check| check["level"] == level);
    checks.map(|check| text(&check["name"])).collect()
}

fn require_customers(installation: &Installation, level: &str) {
    installation.run_json(&["supplier", "set", "ACME", "--rule", &format!("ACC-04={level}")]);
}

fn release(installation: &Installation, options: &[&str]) -> Value {
    installation.run_json(&installation.releasing(options))
}

fn hold(client: &Client) -> Value {
    client.progress()["hold"].clone()
}

/// After a hold for errors a release is refused until the failures are worked off, or forced with a reason.
#[test]
fn failures_refuse_a_release_until_they_are_sent_again_or_it_is_forced() {
    let (installation, _server, client) = Installation::serving();
    installation.run_json(&["supplier", "hold", "ACME"]);
    installation.set(&["--hold-on-errors", "0/10"]);
    assert_eq!(client.create(&without_customers("A-1")).status, 201);
    require_customers(&installation, "error");
    let refused = installation.run_refused(&installation.releasing(&[]));
    assert!(refused.contains("sample"), "{refused}");
    let released = release(&installation, &["--force", "--because", "a try"]);
    assert_eq!((&released["hold"], &released["forecast"]["whole"]["accounts"]), (&Value::Null, &json!(1)));
    assert_eq!(released["forecast"]["wave"], Value::Null);
    wait_until("it is held", || hold(&client) != Value::Null);
    let held = hold(&client);
    let found = readiness(&installation);
    assert_eq!((at_level(&found, "stop"), &found["ready"]), (vec!["failures".to_owned()], &json!(false)));
    assert!(at_level(&found, "warn").contains(&"unresolved".to_owned()));
    assert_eq!(client.get(PATH).json()["ready"], false);

    assert!(installation.run_refused(&["supplier", "readiness", "NOBODY"]).contains("NOBODY"));
    let refused = installation.run_refused(&installation.releasing(&[]));
    assert!(refused.contains("failures"), "{refused}");
    assert_eq!(hold(&client), held);
    for without_reason in ["--force", "--next-wave"] {
        let output = installation.run(&installation.releasing(&[without_reason]));
        assert_eq!(output.status.code(), Some(2), "{without_reason}");
    }
    assert_eq!(hold(&client), held);
    let trail = || installation.run_json(&["audit", "--action", "supplier.release"]);
    assert_eq!(items(&trail()).len(), 1, "the refused ones are not recorded");
    release(&installation, &["--force", "--because", "agreed"]);
    assert_eq!(trail()[0]["detail"]["forced"], "failures");

    installation.run_json(&["supplier", "hold", "ACME"]);
    require_customers(&installation, "default");
    assert_eq!(client.create(&small("A-1")).status, 201);
    let found = readiness(&installation);
    assert_eq!((at_level(&found, "stop"), &found["ready"]), (vec![], &json!(true)));
    release(&installation, &[]);
    client.wait("A-1", "PROCESSED");
}

/// Accounts whose windows closed during a hold stop the release, which would end them.
#[test]
fn windows_and_waves_are_part_of_the_forecast() {
    let (installation, _server, client) = Installation::serving();
    installation.run_json(&["supplier", "hold", "ACME"]);
    installation.set(&["--waves", "3,2,rest"]);
    for n in 0..9 {
        assert_eq!(client.create(&small(&format!("A-{n}"))).status, 201);
    }
    let first = release(&installation, &[])["forecast"].clone();
    let wave = json!({"number": 1, "accounts": 3, "seconds": null, "finish_at": null});
    assert_eq!((&first["rate_per_minute"], &first["wave"]), (&Value::Null, &wave));
    wait_until("the wave has ended", || hold(&client) != Value::Null);
    let second = release(&installation, &[])["forecast"].clone();
    assert_eq!((&second["wave"]["number"], &second["wave"]["accounts"]), (&json!(2), &json!(2)));
    assert!(second["rate_per_minute"].is_string() && second["whole"]["finish_at"].is_string(), "{second}");
    assert_eq!(second["whole"]["accounts"], 6);
    wait_until("the wave has ended", || hold(&client) != Value::Null);
    let text_of = installation.run(&installation.releasing(&[]));
    let printed = String::from_utf8(text_of.stdout).unwrap();
    assert!(printed.contains("Wave 3") && printed.contains("4 accounts"), "{printed}");
}
