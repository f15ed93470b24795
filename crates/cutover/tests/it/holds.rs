//! Holds and waves (contract D16).

use crate::harness::{Client, Installation, items, text, wait_until};
use crate::payloads::{small, without_customers};
use serde_json::{Value, json};

const SUPPLIER: &str = "/v2/data-import/import-suppliers/ACME/";

fn hold(client: &Client) -> Value {
    client.progress()["hold"].clone()
}

fn send(client: &Client, prefix: &str, count: usize) {
    for n in 0..count {
        assert_eq!(client.create(&small(&format!("{prefix}-{n}"))).status, 201);
    }
}

/// Number of accounts that have ended.
fn ended(client: &Client) -> u64 {
    let counts = &client.progress()["counts"];
    ["PROCESSED", "ERRORED"].iter().map(|state| counts[state].as_u64().unwrap()).sum()
}

fn event_types(client: &Client) -> Vec<(String, Value)> {
    let path =
        "/v2/data-import/events/?type=import_supplier.held,import_supplier.released,import_supplier.paused";
    let events = client.get(path).json();
    items(&events).iter().map(|event| (text(&event["type"]), event["data"]["hold"].clone())).collect()
}

/// Creates wait while the supplier stays Ongoing. A status does not change the hold; another reason is added to it.
#[test]
fn a_held_supplier_takes_accounts_and_imports_none() {
    let (installation, _server, client) = Installation::serving();
    assert_eq!(client.get(SUPPLIER).json()["hold"], Value::Null);
    let held = installation.run_json(&["supplier", "hold", "ACME", "--because", "wrong tariffs"]);
    assert_eq!((&held["status"], &held["hold"]["by"]), (&json!("Ongoing"), &json!("operator")));
    let again = installation.run_json(&["supplier", "hold", "ACME", "--because", "wrong tariffs"]);
    assert_eq!(again, held, "the same reason of the same operator");
    let held = installation.run_json(&["supplier", "hold", "ACME", "--because", "no documents"]);
    send(&client, "A", 3);
    for status in ["paused", "ongoing"] {
        let set = installation.run_json(&["supplier", "set", "ACME", "--status", status]);
        assert_eq!(set["hold"], held["hold"], "{status}");
    }
    let shown = hold(&client);
    let wanted = json!({"by": "operator", "since": shown["since"], "wave": null, "ended": 0, "failed": 0,
        "window": null, "because": "wrong tariffs",
        "also": [{"by": "operator", "since": shown["also"][0]["since"], "because": "no documents"}]});
    assert_eq!(shown, wanted, "suppliers see no owners");
    assert_eq!(client.get(SUPPLIER).json()["hold"], shown);
    assert_eq!(client.progress()["counts"]["PENDING"], 3);
    assert_eq!(client.progress()["estimated_finish_at"], Value::Null);

    let unseen = installation.run_refused(&["supplier", "release", "ACME"]);
    let last = text(&shown["also"][0]["since"]);
    let command = format!("This ends it: cutover supplier release ACME --held-since {last}");
    assert!(unseen.contains("by an operator (command") && unseen.ends_with(&command), "{unseen}");
    let readiness = installation.run(&["supplier", "readiness", "ACME"]);
    assert!(String::from_utf8(readiness.stdout).unwrap().trim_end().ends_with(&command));
    // The second reason was added after the first one was shown.
    let first = shown["since"].as_str().unwrap();
    let late = installation.run_refused(&["supplier", "release", "ACME", "--held-since", first]);
    assert!(late.contains("the hold that was shown began at") && late.contains("look again"), "{late}");
    let released = installation.release(&[]);
    assert_eq!((&released["hold"], &released["ended"]), (&Value::Null, &held["hold"]));
    assert_eq!(items(&released["ended"]["owners"]).len(), 2);
    assert_eq!(installation.release(&[])["hold"], Value::Null);
    for number in ["A-0", "A-1", "A-2"] {
        client.wait(number, "PROCESSED");
    }
    let types: Vec<String> = event_types(&client).into_iter().map(|(kind, _)| kind).collect();
    let held = "import_supplier.held";
    assert_eq!(types, [held, held, "import_supplier.paused", "import_supplier.released"]);
    let trail = installation.run_json(&["audit", "--action", "supplier.hold"]);
    assert_eq!((items(&trail).len(), &trail[0]["detail"]["because"]), (3, &json!("no documents")));
    let trail = installation.run_json(&["audit", "--action", "supplier.release"]);
    assert_eq!(items(&trail).len(), 1, "nothing was held at the second one");
    assert!(installation.run_refused(&["supplier", "hold", "NOBODY"]).contains("NOBODY"));
    assert!(installation.run_refused(&["supplier", "release", "NOBODY"]).contains("NOBODY"));
    assert!(installation.run_refused(&["supplier", "hold", "ACME", "--because", " "]).contains("reason"));
}

/// Exactly as many accounts end as the wave has, then the service holds the supplier.
#[test]
fn waves_hold_when_their_accounts_have_ended() {
    let (installation, _server, client) = Installation::serving();
    installation.run_json(&["supplier", "hold", "ACME"]);
    let set = installation.set(&["--waves", "5,20,rest"]);
    assert_eq!((&set["waves"], &set["hold"]["by"]), (&json!("5,20,rest"), &json!("operator")));
    send(&client, "A", 40);
    for (wave, sum) in [(1, 5), (2, 25)] {
        installation.release(&[]);
        wait_until("the wave has ended", || hold(&client) != Value::Null);
        let shown = hold(&client);
        let wanted = json!({"by": "wave", "since": shown["since"], "wave": wave, "ended": sum - 5 * (wave - 1),
            "failed": 0, "window": null, "because": null, "also": []});
        assert_eq!((shown, ended(&client)), (wanted, sum));
    }
    installation.release(&[]);
    wait_until("the rest is imported", || ended(&client) == 40);
    assert_eq!(hold(&client), Value::Null);
    let holds: Vec<Value> = event_types(&client).into_iter().map(|(_, hold)| hold["by"].clone()).collect();
    assert_eq!(holds, ["operator", "operator", "wave", "wave", "wave", "wave"]);
    assert_eq!(client.get(SUPPLIER).json()["waves"], "5,20,rest");
    let none = installation.set(&["--waves", "none", "--hold-on-errors", "none"]);
    assert_eq!((&none["waves"], &none["hold_on_errors"]), (&Value::Null, &Value::Null));
}

/// The third failure of 200 holds the supplier; a release counts anew. Only what was claimed ends after it.
#[test]
fn too_many_failures_hold_a_supplier() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve_with(&["--workers", "1"]);
    let client = server.client(&key);
    installation.run_json(&["supplier", "hold", "ACME"]);
    for n in 0..300 {
        let number = format!("A-{n:03}");
        let account = if n % 20 == 19 { without_customers(&number) } else { small(&number) };
        assert_eq!(client.create(&account).status, 201);
    }
    let set = installation.set(&["--rule", "ACC-04=error", "--hold-on-errors", "1/200"]);
    assert_eq!(set["hold_on_errors"], "1/200");
    let mut before = 0;
    for round in 0..2 {
        installation.run_json(&installation.releasing(&["--force", "--because", "on purpose"]));
        wait_until("it is held", || hold(&client) != Value::Null);
        let shown = hold(&client);
        assert_eq!(
            (&shown["by"], &shown["failed"], &shown["window"]),
            (&json!("error_rate"), &json!(3), &json!(200))
        );
        wait_until("claimed accounts end", || client.progress()["counts"]["IN_PROGRESS"] == 0);
        let now = ended(&client);
        // The worker claims sixteen accounts at a time.
        assert!(now - before <= 60 + 16 * 2, "round {round}: {now} after {before}");
        assert!(now - before >= shown["ended"].as_u64().unwrap());
        assert_eq!(hold(&client), shown);
        before = now;
    }
    assert!(before < 300, "{before}");
}

/// The wave and the share of failures are exact if two nodes work.
#[test]
fn waves_are_exact_with_several_nodes() {
    let Some(installation) = Installation::on_postgres() else { return };
    let key = installation.add_supplier();
    let servers = [(), ()].map(|()| installation.serve());
    let client = servers[0].client(&key);
    installation.run_json(&["supplier", "hold", "ACME"]);
    installation.set(&["--waves", "150,rest"]);
    send(&client, "A", 200);
    // The server of the tests writes nothing to its disk, to be fast.
    let refused = installation.run_refused(&installation.releasing(&[]));
    assert!(refused.contains("durability"), "{refused}");
    installation.release(&[]);
    wait_until("the wave has ended", || hold(&client) != Value::Null);
    assert_eq!((&hold(&client)["ended"], ended(&client)), (&json!(150), 150));
    let claimed = "SELECT count(DISTINCT process_id) FROM process_history WHERE event = 'claimed'";
    assert_eq!(installation.sql(claimed), "150");
}

/// Two people who have seen the same settings do not overrule each other.
#[test]
fn waves_are_changed_by_somebody_who_has_seen_the_settings() {
    let (installation, _) = Installation::with_supplier();
    let waves = ["supplier", "set", "ACME", "--waves", "5,rest"];
    let unseen = installation.run_refused(&waves);
    assert!(unseen.contains("waves none") && unseen.contains("in revision 0 of its settings"), "{unseen}");
    let of = |revision: &'static str| [&waves[..], &["--revision", revision]].concat();
    assert_eq!(installation.run_json(&of("0"))["revision"], 1);
    let stale = installation.run_refused(&of("0"));
    assert!(
        stale.contains("have been changed since they were shown") && stale.contains("waves=5,rest"),
        "{stale}"
    );
    assert_eq!(installation.run_json(&["supplier", "show", "ACME"])["revision"], 1);
}

/// Settings that mean nothing are refused by the command line.
#[test]
fn gates_are_checked() {
    let (installation, _) = Installation::with_supplier();
    for option in
        [["--waves", "0,rest"], ["--waves", "rest"], ["--hold-on-errors", "1"], ["--hold-on-errors", "100/5"]]
    {
        let output = installation.run(&[&["supplier", "set", "ACME"][..], &option].concat());
        assert_eq!(output.status.code(), Some(2), "{option:?}");
    }
    let added =
        installation.run_json(&["supplier", "add", "NEW", "--organisation", "Acme", "--waves", "1,rest"]);
    assert_eq!((&added["waves"], &added["hold"]), (&json!("1,rest"), &Value::Null));
}
