//! A newer program on the same database: its words are in every column that holds one. This program shows
//! them, and leaves unknown rows unchanged.

use crate::harness::{
    ACCOUNTS, ALL, Answer, Client, IMPORTED, INSTRUCTION, Installation, NOTES, PENDING, Server,
    TRANSFER_STATUS, adding, instruction, items, text, wait_until,
};
use crate::payloads::{small, wrapped};
use diesel::connection::SimpleConnection;
use diesel::{Connection, SqliteConnection};
use serde_json::{Value, json};

/// Accounts in a status of the newer program, with the status that the API shows and its event.
const NEWER: [(&str, &str, &str, &str); 5] = [
    ("N-RESTS", "RESTING", "PENDING", "CREATED"),
    ("N-LEASED", "REHEARSING", "IN_PROGRESS", "CREATED"),
    ("N-FAILED", "ABANDONED", "ERRORED", "ERRORED"),
    ("N-DRY", "ABANDONED", "DRY_RUN_ERRORED", "ERRORED"),
    ("N-MOVED", "MERGED", "PROCESSED", "PROCESSED"),
];
const BULK: &str = "/v2/data-import/accounts/bulk/";
const CODE: &str = "of_a_newer_version";

/// Writes its words, on either database. The rows are such that they would be claimed at once if they were
/// not left alone: windows are open, leases have expired.
const WORDS: &str = r#"
    UPDATE processes SET state = 'RESTING', due_at = created_at, window_start = NULL
        WHERE external_account_number = 'N-RESTS';
    UPDATE processes SET state = 'REHEARSING', lease_until = created_at, attempt = 40, tries = 40
        WHERE external_account_number = 'N-LEASED';
    UPDATE processes SET state = 'ABANDONED', error_code = 'of_a_newer_version', error_detail = 'It says so.',
        error_causes = '[["of_a_newer_version","",0]]'
        WHERE external_account_number IN ('N-FAILED', 'N-DRY');
    UPDATE processes SET state = 'ERRORED', error_code = 'of_a_newer_version', error_detail = 'It says so.',
        error_causes = '[["of_a_newer_version","",0]]',
        issues = '{"errors": [{"attr": "customers", "code": "of_a_newer_version", "level": "hint"}], "hints": 3}'
        WHERE external_account_number = 'K-FAILED';
    UPDATE processes SET state = 'MERGED' WHERE external_account_number = 'N-MOVED';
    UPDATE processes SET version = version + 1 WHERE external_account_number = 'K-WAITS';
    INSERT INTO process_history (process_id, version, event, from_state, to_state, occurred_at, attempt, actor)
        SELECT id, version, 'rested', 'ASLEEP', 'AWAKE', created_at, 0, 'robot:7' FROM processes
        WHERE external_account_number = 'K-WAITS';
    UPDATE suppliers SET status = 'Thawing', rules = '{"LED-14": "hint", "XYZ-99": "error"}' WHERE code = 'THAWING';
    UPDATE api_keys SET role = 'auditor' WHERE organisation_id IN (SELECT id FROM organisations WHERE name = 'Other');
    UPDATE payment_vendors SET kind = 'newpay';
    INSERT INTO audit_trail (occurred_at, actor, action, detail)
        SELECT occurred_at, 'robot:7', 'account.move', '{"to": ["x"], "kept": true, "rows": -1}' FROM audit_trail LIMIT 1;
"#;

/// Allows the new words in the schema, as the newer program's migration would.
const RELAXED: &str = "PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET sql = replace(sql, 'CHECK (', 'CHECK (1 OR ') WHERE type = 'table';
    PRAGMA writable_schema = RESET;";
/// The same on PostgreSQL.
const ALLOWED: &str = "DO $$ DECLARE c record; BEGIN
    FOR c IN SELECT conrelid::regclass AS t, conname FROM pg_constraint WHERE contype = 'c' AND coninhcount = 0
        AND connamespace = 'public'::regnamespace AND conrelid <> 0 LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', c.t, c.conname);
    END LOOP; END $$;";

fn write_words(installation: &Installation) {
    if installation.is_on_postgres() {
        installation.sql(&format!("{ALLOWED} {WORDS}"));
        return;
    }
    let file = installation.path().join("cutover.db");
    for statements in [RELAXED, WORDS] {
        let mut database = SqliteConnection::establish(file.to_str().unwrap()).unwrap();
        database.batch_execute(statements).unwrap();
    }
}

struct Fixture {
    installation: Installation,
    server: Server,
    client: Client,
    /// Keys of an operator, and of a supplier whose role the newer program changed.
    keys: [String; 2],
}

impl Fixture {
    fn new(installation: Installation) -> Self {
        let key = installation.add_supplier();
        installation.run_json(&["supplier", "add", "THAWING", "--organisation", "Acme"]);
        installation.run_json(&["organisation", "add", "Other"]);
        installation.add_vendor("NEWPAY", "http", "http://127.0.0.1:9", &["--organisation", "Acme"]);
        let operator = ["api-key", "issue", "--organisation", "Acme", "--role", "operator"];
        let keys = [text(&installation.run_json(&operator)["api_key"]), installation.key("Other")];
        let server = installation.serve();
        let client = server.client(&key);
        client.import(&[small("N-MOVED"), small("K-DONE")]);
        for number in ["K-WAITS", "K-FAILED", "N-RESTS", "N-LEASED", "N-FAILED", "N-DRY"] {
            let params =
                json!({"schedule_window_start": "2099-01-01T00:00:00Z", "is_dry_run": number == "N-DRY"});
            assert_eq!(client.create(&wrapped(number, params)).status, 201);
        }
        server.signal("TERM");
        server.ended();
        write_words(&installation);
        // A server that starts now releases what lost workers left.
        let server = installation.serve();
        let client = server.client(&key);
        Self { installation, server, client, keys }
    }

    fn get(&self, path: &str) -> Value {
        let answer = self.client.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer.json()
    }

    fn numbers(&self, path: &str) -> Vec<String> {
        items(&self.get(path)).iter().map(|item| text(&item["external_account_number"])).collect()
    }

    /// The state that must not change.
    fn newer(&self) -> Vec<Value> {
        NEWER.iter().map(|(number, ..)| self.installation.show(number)).collect()
    }

    /// Reads a page of the console with the session cookie.
    fn visit(&self, method: &str, path: &str, cookie: &str, form: &str) -> Answer {
        let headers = [
            ("Cookie", cookie),
            ("Content-Type", "application/x-www-form-urlencoded"),
            ("Sec-Fetch-Site", "same-origin"),
        ];
        self.client.send(method, path, &headers, form.as_bytes())
    }
}

#[test]
fn rows_of_a_newer_program_are_shown_and_left_alone() {
    story(Installation::on_sqlite());
    if let Some(installation) = Installation::on_postgres() {
        story(installation);
    }
}

fn story(installation: Installation) {
    let fixture = Fixture::new(installation);
    the_api_keeps_to_the_words_of_its_contract(&fixture);
    let before = fixture.newer();
    lists_and_figures_have_them(&fixture);
    calls_are_refused_that_would_change_them(&fixture);
    commands_show_them_as_they_are(&fixture);
    the_console_shows_them_as_they_are(&fixture);
    what_is_configured_is_kept(&fixture);
    // Meanwhile workers process the rows that they know.
    fixture.client.import(&[small("K-LATER")]);
    assert_eq!(fixture.newer(), before);
    let archive = fixture.installation.path().join("archive.ndjson");
    let before_then =
        ["process", "archive", "--before", "2999-01-01", "--yes", "--to", archive.to_str().unwrap()];
    assert_eq!(fixture.installation.run_json(&before_then), json!({"archived": 3, "stayed": 0}));
    let log = fixture.server.log();
    assert!(!log.contains("corrupt") && !log.contains("cannot be read"), "{log}");
}

fn the_api_keeps_to_the_words_of_its_contract(fixture: &Fixture) {
    for (number, _, status, event) in NEWER {
        let shown = fixture.client.status(number);
        let named = format!("EVENT_ACCOUNT_IMPORT_PROCESS_{event}");
        assert_eq!((&shown["status"], &shown["latest_event"]["event"]), (&json!(status), &json!(named)));
        let error = json!({"code": CODE, "detail": "It says so.", "domain": "import_process"});
        let error = if event == "ERRORED" { error } else { Value::Null };
        assert_eq!((&shown["latest_error"], &shown["latest_event"]["data"]), (&error, &error), "{number}");
        assert_eq!(shown["service_identifier"].is_string(), number == "N-MOVED", "{shown}");
        let old = fixture.get(&format!("{TRANSFER_STATUS}ACME/{number}/"));
        let word = match status {
            "PROCESSED" => "COMPLETED",
            "PENDING" | "IN_PROGRESS" => "IN_PROGRESS",
            _ => "UNKNOWN",
        };
        assert!(old.to_string().contains(&format!("\"{word}\"")), "{old}");
    }
    assert_eq!(fixture.client.status("K-FAILED")["latest_error"]["code"], CODE);
    // An imported account accepts additions.
    let note = adding("N-MOVED", "notes", json!([{"body": "Moved."}]));
    assert_eq!(fixture.client.post(NOTES, note.to_string()).status, 201);
}

fn lists_and_figures_have_them(fixture: &Fixture) {
    let all = ["N-MOVED", "K-DONE", "K-WAITS", "K-FAILED", "N-RESTS", "N-LEASED", "N-FAILED", "N-DRY"];
    let sorted = |mut numbers: Vec<String>| {
        numbers.sort_by_key(|number| all.iter().position(|known| known == number));
        numbers
    };
    let filtered = |query: &str| sorted(fixture.numbers(&format!("{ACCOUNTS}ACME/?{query}")));
    assert_eq!(filtered("modified_after=2020-01-01T00:00:00Z"), all);
    assert_eq!(filtered("page_size=1").len(), 1);
    for (status, numbers) in [
        ("PENDING", &["K-WAITS"][..]),
        ("ERRORED", &["K-FAILED"]),
        ("PROCESSED", &["K-DONE"]),
        ("IN_PROGRESS", &[]),
    ] {
        assert_eq!(filtered(&format!("status={status}")), numbers, "{status}");
    }
    for (list, numbers) in [(ALL, &all[..]), (PENDING, &all[2..]), (IMPORTED, &["K-DONE"])] {
        assert_eq!(sorted(fixture.numbers(&format!("{list}ACME/"))), numbers, "{list}");
    }
    let progress = fixture.get("/v2/data-import/import-suppliers/ACME/progress/");
    assert_eq!(
        progress["counts"],
        json!({"PENDING": 4, "IN_PROGRESS": 0, "PROCESSED": 1, "ERRORED": 3, "CANCELLED": 0,
            "DRY_RUN_SUCCEEDED": 0, "DRY_RUN_ERRORED": 0})
    );
    let top = &progress["top_errors"][0];
    assert_eq!((&top["code"], &top["count"]), (&json!(CODE), &json!(3)));
    assert_eq!(items(&top["examples"]).len(), 3);
    assert_eq!(fixture.client.get("/metrics").status, 200);
}

fn calls_are_refused_that_would_change_them(fixture: &Fixture) {
    for (number, word, status, _) in NEWER {
        let refused = fixture.client.create(&small(number)).code();
        let code = match status {
            "PROCESSED" => "account_import_process_already_imported",
            _ => "account_import_process_in_progress",
        };
        assert_eq!(refused, (400, code.to_owned()), "{number}");
        let lines = format!("{}\n", small(number));
        let media = ("Content-Type", "application/x-ndjson");
        let line = fixture.client.send("POST", BULK, &[media], lines.as_bytes());
        assert!(line.text().contains(code), "{}", line.text());
        for step in ["cancel", "retry"] {
            let refused = fixture.installation.run_refused(&["process", step, "ACME", number]);
            assert!(refused.contains(word) && refused.contains("newer version"), "{refused}");
        }
        for yes in [&[][..], &["--yes", "--because", "asked for"]] {
            let refused =
                fixture.installation.run_refused(&[&["account", "erase", "ACME", number], yes].concat());
            assert!(refused.contains("newer version"), "{refused}");
        }
    }
}

fn commands_show_them_as_they_are(fixture: &Fixture) {
    let installation = &fixture.installation;
    let listed = installation.run_json(&["process", "list", "ACME"]);
    let printed = String::from_utf8(installation.run(&["process", "list", "ACME"]).stdout).unwrap();
    for (number, word, status, _) in NEWER {
        let shown = installation.show(number);
        let item = items(&listed).iter().find(|item| item["external_account_number"] == number).unwrap();
        for shown in [&shown, item] {
            assert_eq!((&shown["status"], &shown["stored_status"]), (&json!(status), &json!(word)));
        }
        let line = printed.lines().find(|line| line.contains(number)).unwrap();
        assert!(line.contains(word), "{line}");
        let text = String::from_utf8(installation.run(&["process", "show", "ACME", number]).stdout).unwrap();
        assert!(
            text.contains(&format!("{word} (a newer version wrote it; the API shows {status})")),
            "{text}"
        );
        let out = installation.path().join(format!("{number}.json"));
        installation.run_json(&["account", "export", "ACME", number, "--out", out.to_str().unwrap()]);
    }
    assert!(items(&listed).iter().all(|item| {
        item.get("stored_status").is_some() == text(&item["external_account_number"]).starts_with("N-")
    }));
    let waits = &installation.show("K-WAITS")["history"][1];
    for (member, word) in [("event", "rested"), ("from", "ASLEEP"), ("to", "AWAKE"), ("actor", "robot:7")] {
        assert_eq!(waits[member], word);
    }
    let failed = installation.show("K-FAILED");
    assert_eq!((&failed["latest_error"]["code"], &failed["errors"][0]["code"]), (&json!(CODE), &json!(CODE)));
    let trail = installation.run_json(&["audit"]);
    let reported = items(&trail).iter().find(|reported| reported["action"] == "account.move").unwrap();
    assert_eq!((&reported["by"], &reported["detail"]["to"]), (&json!("robot:7"), &json!(["x"])));
    let printed = String::from_utf8(installation.run(&["audit"]).stdout).unwrap();
    assert!(printed.contains("account.move") && printed.contains("kept=true"), "{printed}");
    let failed_checks: Vec<_> =
        installation.failed_checks().into_iter().filter(|one| !one.contains("NEWPAY")).collect();
    assert_eq!(failed_checks, [""; 0]);
}

fn the_console_shows_them_as_they_are(fixture: &Fixture) {
    let [operator, auditor] = &fixture.keys;
    let sign_in = |key: &str| fixture.visit("POST", "/console/sign-in/", "", &format!("next=&api_key={key}"));
    assert_eq!(sign_in(auditor).status, 403);
    let signed_in = sign_in(operator);
    let cookie = signed_in.header("Set-Cookie").unwrap().split(';').next().unwrap();
    let page = |path: &str| {
        let answer = fixture.visit("GET", path, cookie, "");
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer.text()
    };
    let overview = page("/console/");
    for label in ["Thawing", "Resting", "Rehearsing", "Abandoned", "Merged"] {
        assert!(overview.contains(label), "{label}: {overview}");
    }
    let supplier = page("/console/suppliers/ACME/");
    assert!(supplier.contains(CODE) && supplier.contains("Abandoned"), "{supplier}");
    let failed = page(&format!("/console/suppliers/ACME/?error_code={CODE}"));
    assert!(
        failed.contains("K-FAILED") && failed.contains("N-DRY") && !failed.contains("K-DONE"),
        "{failed}"
    );
    assert!(page("/console/suppliers/THAWING/").contains("LED-14</span> = hint"));
    assert!(page("/console/search/?q=N-").contains("Resting"));
    for (number, word, ..) in NEWER {
        let path = format!("/console/suppliers/ACME/accounts/{number}/");
        let shown = page(&path);
        assert!(shown.to_uppercase().contains(word), "{shown}");
        assert!(!shown.contains("Cancel…") && !shown.contains("Retry…"), "{shown}");
        assert_eq!(fixture.visit("POST", &format!("{path}reveal/"), cookie, "").status, 200);
        for step in ["cancel", "retry"] {
            let refused = fixture.visit("POST", &format!("{path}{step}/"), cookie, "");
            assert!((300..500).contains(&refused.status), "{step} {number}: {}", refused.text());
        }
    }
    let waits = page("/console/suppliers/ACME/accounts/K-WAITS/");
    for word in ["rested", "Awake", "robot:7"] {
        assert!(waits.contains(word), "{word}: {waits}");
    }
    assert!(page("/console/suppliers/ACME/accounts/K-FAILED/").contains("It says so."));
}

fn what_is_configured_is_kept(fixture: &Fixture) {
    let installation = &fixture.installation;
    let mut account = small("T-1");
    account["import_supplier"] = json!("THAWING");
    let refused = fixture.client.create(&account);
    assert!(refused.text().contains("import_supplier_migration_not_ongoing"), "{}", refused.text());
    installation.run_json(&["supplier", "set", "THAWING", "--dry-run", "true"]);
    let thawing = installation.run_json(&["supplier", "show", "THAWING"]);
    assert_eq!((&thawing["status"], &thawing["dry_run"]), (&json!("Thawing"), &json!(true)));
    assert_eq!(thawing["rules"], json!({"LED-14": "hint", "XYZ-99": "error"}));
    assert_eq!(items(&installation.run_json(&["supplier", "list"])).len(), 2);
    let keys = installation.run_json(&["api-key", "list"]);
    assert!(items(&keys).iter().any(|key| key["role"] == "auditor"), "{keys}");
    let token = format!("obtainToken(input: {{apiKey: \"{}\"}}) {{ token }}", fixture.keys[1]);
    assert!(!fixture.client.obtain(&token)["errors"].is_null());
    assert_eq!(installation.run_json(&["vendor", "list", "--organisation", "Acme"])[0]["kind"], "newpay");
    let request = instruction("K-DONE", "NEWPAY", "CARD", "r");
    let answer = fixture.client.post(INSTRUCTION, request.to_string());
    assert_eq!(answer.code(), (500, "payment_vendor_unavailable".to_owned()));
    wait_until("the server is ready", || fixture.client.get("/readyz").status == 200);
}
