//! The audit trail of commands: every change and every export is recorded.

use crate::harness::{Action, BUSINESS, Installation, Vendor, business, items, text};
use crate::payloads::{small, wrapped};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Commands that neither change nor export data, or are not actions of an operator.
const READ: &[&str] = &[
    "serve",
    "demo",
    "organisation list",
    "api-key list",
    "supplier show",
    "supplier list",
    "supplier refused",
    "supplier readiness",
    "supplier what-if",
    "supplier timeline",
    "supplier summary",
    "business list",
    "business show",
    "vendor list",
    "vendor show",
    "webhook list",
    "webhook show",
    "webhook deliveries",
    "process list",
    "process show",
    "run list",
    "run show",
    "run diff",
    "job list",
    "job show",
    "signing-key list",
    "certificate list",
    "certificate-key list",
    "certificate-key show",
    "encryption-key generate",
    "audit",
    "migrate",
    "doctor",
];

/// All other commands with arguments and recorded action, in an order in which each can succeed. `$FILE` is a
/// new file, `$PREFIX` the prefix of an API key, `$KID` the id of a signing key, `$URL` that of a receiver of webhooks,
/// `$WEBHOOK` the id of the webhook, `$JOB` that of a job whose command was killed, `$SINCE` the time of the hold.
const TOLD: &[(&str, &str, &str)] = &[
    ("organisation add", "Other", "organisation.add"),
    ("organisation revoke", "Other", "organisation.revoke"),
    ("api-key issue", "--organisation Acme", "api-key.issue"),
    ("api-key revoke", "$PREFIX", "api-key.revoke"),
    ("signing-key rotate", "", "signing-key.rotate"),
    ("signing-key revoke", "$KID", "signing-key.revoke"),
    ("certificate-key rotate", "", "certificate-key.rotate"),
    ("encryption-key reseal", "--force", "encryption-key.reseal"),
    ("supplier add", "SECOND --organisation Acme", "supplier.add"),
    ("supplier set", "ACME --status paused --rule CUS-08=error", "supplier.set"),
    ("supplier hold", "ACME --because tariffs", "supplier.hold"),
    ("supplier release", "ACME --held-since $SINCE --force --because tariffs", "supplier.release"),
    ("supplier certificate", "ACME --out $FILE", "supplier.certificate"),
    ("certificate remove-leaves", "ACME --before 2999-01-01 --yes", "certificate.remove-leaves"),
    ("supplier note", "ACME shift-ends", "supplier.note"),
    ("supplier manifest", "ACME --remove", "supplier.remove-manifest"),
    ("run start", "ACME night", "run.start"),
    ("run end", "ACME", "run.end"),
    ("vendor add", "PAY --kind http --base-url http://127.0.0.1:9", "vendor.add"),
    ("vendor remove", "PAY", "vendor.remove"),
    ("webhook add", "--organisation Acme --url $URL --ed25519", "webhook.add"),
    ("webhook test", "$WEBHOOK", "webhook.test"),
    ("webhook replay", "$WEBHOOK --since 2026-01-01", "webhook.replay"),
    ("webhook disable", "$WEBHOOK", "webhook.disable"),
    ("webhook enable", "$WEBHOOK", "webhook.enable"),
    ("webhook rotate-secret", "$WEBHOOK", "webhook.rotate-secret"),
    ("webhook remove", "$WEBHOOK", "webhook.remove"),
    ("account find", "P-1", "account.search"),
    ("process cancel", "ACME P-1", "process.cancel"),
    ("process retry", "ACME P-1", "process.retry"),
    ("process erase", "ACME --yes --because trial", "account.erase"),
    ("job stop", "$JOB", "job.stop"),
    ("job resume", "$JOB", "job.resume"),
    ("process export", "ACME --format csv --out $FILE", "process.export"),
    ("account export", "ACME A-1 --out $FILE", "account.export"),
    ("export", "ACME --to $FILE --format csv", "export"),
    ("process archive", "--before 2999-01-01 --to $FILE --yes", "process.archive"),
    ("supplier undo", "ACME --number A-1 --yes --because tariffs", "supplier.undo"),
    ("account erase", "ACME A-1 --yes --because asked", "account.erase"),
    ("business erase", "B-1 --organisation Acme", "business.erase"),
    ("supplier erase", "ACME --yes --because trial", "supplier.erase"),
    ("backup", "$FILE", "backup"),
];

/// Every command without subcommands, by its help.
fn leaves(installation: &Installation, words: &[&str]) -> Vec<String> {
    let output = installation.run(&[words, &["--help"]].concat());
    let help = String::from_utf8(output.stdout).unwrap();
    let listed =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names: Vec<&str> = listed.filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).collect();
    let below = names.iter().filter(|name| !name.is_empty());
    let found: Vec<String> =
        below.flat_map(|name| leaves(installation, &[words, &[*name]].concat())).collect();
    if found.is_empty() { vec![words.join(" ")] } else { found }
}

fn reported(installation: &Installation) -> Vec<Value> {
    items(&installation.run_json(&["audit"])).to_vec()
}

/// Begins a job whose command dies in its first batch, and returns its id.
fn killed_job(installation: &mut Installation) -> String {
    installation.set_variable("FAILPOINTS", "job_stepped=return(|abort)");
    assert!(!installation.run(&["process", "cancel", "ACME", "--yes"]).status.success());
    installation.set_variable("FAILPOINTS", "");
    text(&installation.run_json(&["job", "list"])[0]["id"])
}

#[test]
fn every_changing_command_is_recorded() {
    let (mut installation, server, client) = Installation::serving();
    let later = json!({"schedule_window_start": "2099-01-01T00:00:00Z"});
    assert_eq!(client.create(&wrapped("P-1", later)).status, 201);
    client.import(&[small("A-1")]);
    assert_eq!(client.send_json(BUSINESS, &business("B-1", &["C-1"])).status, 201);
    let manifest = r#"{"accounts":2,"ledger_balance":"0","readings":0,"transactions":0,"documents":0}"#;
    let path = "/v2/data-import/import-suppliers/ACME/manifest/";
    assert_eq!(client.send("PUT", path, &[], manifest.as_bytes()).status, 200);
    drop(server);
    let known: BTreeSet<String> =
        READ.iter().copied().chain(TOLD.iter().map(|(command, ..)| *command)).map(str::to_owned).collect();
    assert_eq!(
        leaves(&installation, &[]).into_iter().collect::<BTreeSet<_>>(),
        known,
        "each command is known here"
    );
    let key = text(&installation.run_json(&["api-key", "issue", "--organisation", "Acme"])["prefix"]);
    let kid = text(&installation.run_json(&["signing-key", "list"])[0]["kid"]);
    let sealing = text(&installation.run_json(&["encryption-key", "generate"])["key"]);
    installation.set_variable("CUTOVER_ENCRYPTION_KEYS", &format!("KEY:{sealing}"));
    let receiver = Vendor::start(|_| Action::Json(200, json!({})));
    let job = killed_job(&mut installation);
    for (n, (command, rest, action)) in TOLD.iter().enumerate() {
        if *command == "backup" && std::env::var_os("CUTOVER_TEST_ON").is_some() {
            continue;
        }
        let file = installation.path().join(format!("file-{n}")).display().to_string();
        let rest = rest.replace("$FILE", &file).replace("$PREFIX", &key).replace("$KID", &kid);
        let webhooks = installation.run_json(&["webhook", "list"]);
        let webhook = webhooks[0]["id"].as_str().unwrap_or_default();
        let rest =
            rest.replace("$URL", &receiver.url("/")).replace("$WEBHOOK", webhook).replace("$JOB", &job);
        let held = rest.contains("$SINCE").then(|| installation.run_json(&["supplier", "show", "ACME"]));
        let rest = rest.replace("$SINCE", &held.map(|held| text(&held["hold"]["since"])).unwrap_or_default());
        let words: Vec<&str> = command.split(' ').chain(rest.split_whitespace()).collect();
        let before = reported(&installation).len();
        installation.run_json(&words);
        let after = reported(&installation);
        // The end of the job is recorded as well, and comes last.
        let ends = usize::from(*command == "job resume");
        assert_eq!(after.len(), before + 1 + ends, "{command} is recorded once");
        assert_eq!(after[ends]["action"], *action, "{command}");
        let by = text(&after[0]["by"]);
        assert!(by == "command" || by.starts_with("command:"), "{by}");
    }
    let all = installation.run_json(&["audit"]).to_string();
    for word in ["A-1", "P-1", "Tran", "mei.tran"] {
        assert!(!all.contains(word), "{word}");
    }
}

#[test]
fn the_audit_trail_can_be_filtered() {
    let (mut installation, _key) = Installation::with_supplier();
    installation.set_variable("SUDO_USER", "ana");
    installation.run_json(&["supplier", "add", "OTHER", "--organisation", "Acme"]);
    installation.run_json(&["supplier", "set", "ACME", "--status", "paused"]);
    let of = |args: &[&str]| -> Vec<String> {
        let found = installation.run_json(&[&["audit"], args].concat());
        items(&found).iter().map(|record| text(&record["action"])).collect()
    };
    assert_eq!(of(&["--supplier", "ACME"]), ["supplier.set", "supplier.add"]);
    assert_eq!(of(&["--limit", "1"]), ["supplier.set"]);
    assert_eq!(of(&["--action", "supplier.add"]), ["supplier.add", "supplier.add"]);
    assert_eq!(of(&["--since", "2999-01-01"]), [""; 0]);
    assert_eq!(of(&["--since", "2020-01-01T00:00:00Z"]).len(), 5);
    let last = reported(&installation).remove(0);
    assert_eq!((&last["by"], &last["detail"]), (&json!("command:ana"), &json!({"status": "Paused"})));
    assert!(installation.run_refused(&["audit", "--supplier", "NOBODY"]).contains("NOBODY"));
    let output = installation.run(&["audit", "--action", "account.hide"]);
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("account.erase"));
}
