//! The example consumers, killed and started again while a supplier migrates.

use crate::after_import::additions;
use crate::harness::{Client, Installation, Server, wait_for, wait_for_count, wait_until};
use crate::payloads::{KINDS, billed, fixture, small};
use diesel::sql_types::{BigInt, Nullable, Text};
use diesel::{Connection, QueryableByName, RunQueryDsl, SqliteConnection, sql_query};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Once;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Text)]
    number: String,
    #[diesel(sql_type = Text)]
    service_account_number: String,
    #[diesel(sql_type = Text)]
    account: String,
    #[diesel(sql_type = Nullable<Text>)]
    ledger_balance: Option<String>,
}

#[derive(QueryableByName)]
struct Effect {
    #[diesel(sql_type = Text)]
    r#type: String,
    #[diesel(sql_type = BigInt)]
    count: i64,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

#[derive(QueryableByName)]
struct State {
    #[diesel(sql_type = Nullable<Text>)]
    position: Option<String>,
}

/// A consumer with its file; the program runs while it is needed.
struct Consumer {
    /// The program and its first arguments, which name the service.
    program: fn(url: &str, database: &Path) -> Command,
    database: PathBuf,
    options: &'static [&'static str],
    running: Option<Child>,
}

impl Consumer {
    fn command(&self, server: &Server, key: &str) -> Command {
        let mut command = (self.program)(&format!("http://{}", server.address), &self.database);
        command.args(self.options).env("CUTOVER_KEY", key).stdin(Stdio::null());
        command
    }

    fn start(&mut self, server: &Server, key: &str) {
        self.running = Some(self.command(server, key).spawn().unwrap());
    }

    /// Kills the program once it is past this position, usually in the middle of a page.
    fn kill_after(&mut self, position: Option<&str>) {
        wait_until("an effect", || {
            let ended = self.running.as_mut().unwrap().try_wait().unwrap();
            assert!(ended.is_none(), "{ended:?}");
            self.position().as_deref() != position
        });
        self.stop();
    }

    fn stop(&mut self) {
        if let Some(mut child) = self.running.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Runs the program until there is no further event.
    fn catch_up(&self, server: &Server, key: &str) {
        let mut child = self.command(server, key).arg("--until-idle").spawn().unwrap();
        let ended = || child.try_wait().unwrap().ok_or_else(|| self.position());
        let status = wait_for("the consumer", ended);
        assert!(status.success(), "{status:?}");
    }

    /// The position up to which events took effect.
    fn position(&self) -> Option<String> {
        self.rows::<State>("SELECT position FROM state").unwrap_or_default().pop()?.position
    }

    /// Number of events of each type that took effect; empty until the program has created its file.
    fn effects(&self) -> BTreeMap<String, i64> {
        let rows = self.rows::<Effect>("SELECT type, count FROM effects").unwrap_or_default();
        rows.into_iter().map(|effect| (effect.r#type, effect.count)).collect()
    }

    fn rows<T: QueryableByName<diesel::sqlite::Sqlite> + 'static>(&self, query: &str) -> Option<Vec<T>> {
        // Opening a file that is not there would create it.
        let path = self.database.to_str().filter(|_| self.database.exists())?;
        let mut database = SqliteConnection::establish(path).ok()?;
        sql_query(query).load(&mut database).ok()
    }

    /// Compares the file with what the service has of these accounts.
    fn has_all(&self, reader: &Client, numbers: &[&str]) {
        self.has_all_in_form(reader, numbers, Value::clone);
    }

    /// Like `has_all`, where the accounts are compared in a form.
    fn has_all_in_form(&self, reader: &Client, numbers: &[&str], form: fn(&Value) -> Value) {
        let query = "SELECT number, service_account_number, account, ledger_balance FROM accounts";
        let rows = self.rows::<Row>(query).unwrap();
        let mut stored: Vec<&str> = rows.iter().map(|row| row.number.as_str()).collect();
        stored.sort_unstable();
        let mut expected = numbers.to_vec();
        expected.sort_unstable();
        assert_eq!(stored, expected);
        for row in rows {
            let answer = reader.get(&format!("/v2/data-import/imported-accounts/ACME/{}/", row.number));
            assert_eq!(answer.status, 200, "{}", answer.text());
            let account = answer.json();
            let stored = serde_json::from_str(&row.account).unwrap();
            assert_eq!(form(&stored), form(&account), "{}", row.number);
            assert_eq!(json!(row.service_account_number), account["service_account_number"]);
            assert_eq!(json!(row.ledger_balance), account["ledgers"][0]["ledger_balance"], "{}", row.number);
        }
    }
}

impl Drop for Consumer {
    fn drop(&mut self) {
        self.stop();
    }
}

/// All events of the feed by type.
fn events(reader: &Client) -> BTreeMap<String, i64> {
    let (mut counts, mut path) = (BTreeMap::new(), "/v2/data-import/events/".to_owned());
    loop {
        let page = reader.get(&path).json();
        let Some(last) = page.as_array().unwrap().last() else { return counts };
        path = format!("/v2/data-import/events/?after={}", last["id"].as_str().unwrap());
        for event in page.as_array().unwrap() {
            *counts.entry(event["type"].as_str().unwrap().to_owned()).or_default() += 1;
        }
    }
}

fn add(client: &Client, number: &str) {
    for (path, body) in additions(number) {
        assert_eq!(client.send_json(path, &body).status, 201, "{path}");
    }
}

/// One consumer begins with a load, the other with the oldest event. Both are killed again and again while accounts
/// are imported, changed and erased; then they are away for longer than events are kept.
fn keeps_its_copy(program: fn(&str, &Path) -> Command) {
    let (installation, server, client) = Installation::serving();
    let key = &installation.reader_key();
    let reader = server.client(key);
    let consumer = |name: &str, options| Consumer {
        program,
        database: installation.path().join(name),
        options,
        running: None,
    };
    let mut loaded = consumer("loaded.db", &[]);
    let mut followed = consumer("followed.db", &["--from-oldest-event"]);

    client.import(&KINDS.map(|(kind, _)| fixture(kind, kind)));
    client.import(&["A-1", "A-2", "A-3"].map(billed));
    for round in 0..4 {
        let number = format!("B-{round}");
        let before = [&loaded, &followed].map(Consumer::position);
        loaded.start(&server, key);
        followed.start(&server, key);
        client.import(&[billed(&number)]);
        add(&client, &number);
        match round {
            1 => add(&client, "A-1"),
            2 => drop(installation.run_json(&[
                "account",
                "erase",
                "ACME",
                "A-2",
                "--yes",
                "--because",
                "asked for",
            ])),
            3 => drop(installation.run_json(&[
                "account",
                "erase",
                "ACME",
                "B-0",
                "--yes",
                "--because",
                "asked for",
            ])),
            _ => {}
        }
        loaded.kill_after(before[0].as_deref());
        followed.kill_after(before[1].as_deref());
    }
    let kinds = KINDS.map(|(kind, _)| kind);
    let numbers = [&kinds[..], &["A-1", "A-3", "B-1", "B-2", "B-3"]].concat();
    for consumer in [&loaded, &followed] {
        consumer.catch_up(&server, key);
        consumer.has_all(&reader, &numbers);
    }
    assert_eq!(followed.effects(), events(&reader));

    // A renewed account, an erased one and a new one, of which the consumers see no event.
    client.import(&[small("C-1")]);
    add(&client, "A-3");
    installation.run_json(&["account", "erase", "ACME", "B-1", "--yes", "--because", "asked for"]);
    drop(server);
    let server = installation.serve_with(&["--event-retention", "1ms"]);
    let reader = server.client(key);
    let feed = "/v2/data-import/events/";
    wait_until("expiry", || reader.get(feed).json() == json!([]));
    let numbers = [&kinds[..], &["A-1", "A-3", "B-2", "B-3", "C-1"]].concat();
    for consumer in [&loaded, &followed] {
        consumer.catch_up(&server, key);
        consumer.has_all(&reader, &numbers);
    }
}

/// A consumer whose token has expired goes on with another one.
fn renews_its_token(program: fn(&str, &Path) -> Command) {
    let (installation, sender) = Installation::with_supplier();
    let server = installation.serve_with(&["--access-token-lifetime", "10s"]);
    let key = &installation.reader_key();
    let database = installation.path().join("copy.db");
    let mut consumer = Consumer { program, database, options: &["--from-oldest-event"], running: None };
    consumer.start(&server, key);
    assert_eq!(server.client(&sender).create(&small("A-1")).status, 201);
    let effects = || consumer.effects().values().sum::<i64>() as usize;
    wait_for_count("two events", 2, effects);
    let later = server.client(&sender);
    wait_until("the end of the token", || later.get("/v2/data-import/events/").status == 401);
    assert_eq!(server.client(&sender).create(&small("A-2")).status, 201);
    wait_for_count("two more events", 4, effects);
}

/// The first load is an export of which the consumer is killed in the midst, while accounts are imported, changed and
/// erased. The copy equals what was sent, and what the service returns.
fn loads_an_export(program: fn(&str, &Path) -> Command) {
    let (installation, server, client) = Installation::serving();
    let key = &installation.reader_key();
    let reader = server.client(key);
    let sent: Vec<Value> = (0..400).map(|n| billed(&format!("A-{n}"))).collect();
    client.import(&KINDS.map(|(kind, _)| fixture(kind, kind)));
    client.import(&sent);
    add(&client, "A-1");
    let folder = installation.path().join("export");
    let to = folder.to_str().unwrap();
    installation.run_json(&["export", "ACME", "--to", to, "--format", "ndjson", "--part-accounts", "200"]);
    let mut consumer =
        Consumer { program, database: installation.path().join("copy.db"), options: &[], running: None };
    let command = |consumer: &Consumer| {
        let mut command = consumer.command(&server, key);
        command.arg("--export").arg(&folder);
        command
    };
    consumer.running = Some(command(&consumer).spawn().unwrap());
    let count = |consumer: &Consumer| consumer.rows::<Count>("SELECT count(*) AS count FROM accounts");
    wait_until("accounts", || count(&consumer).is_some_and(|rows| rows[0].count > 0));
    consumer.stop();
    // None of these is in the export as it is now.
    client.import(&[billed("B-1")]);
    add(&client, "A-2");
    installation.run_json(&["account", "erase", "ACME", "A-3", "--yes", "--because", "asked for"]);
    let done = command(&consumer).arg("--until-idle").output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let kept = sent.iter().map(|account| account["external_account_number"].as_str().unwrap());
    let kinds = KINDS.map(|(kind, _)| kind);
    let numbers: Vec<&str> = kept.filter(|number| *number != "A-3").chain(kinds).chain(["B-1"]).collect();
    consumer.has_all_in_form(&reader, &numbers, as_in_tables);
}

/// An account with the digits of its numbers as text: a table does not tell the house number `48` from `"48"`.
fn as_in_tables(value: &Value) -> Value {
    match value {
        Value::Number(number) => json!(number.to_string()),
        Value::Array(items) => items.iter().map(as_in_tables).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), as_in_tables(value))).collect()
        }
        other => other.clone(),
    }
}

/// Cargo builds the examples of a package with its tests, unless it is told to run a single test program.
fn in_rust(url: &str, database: &Path) -> Command {
    static BUILT: Once = Once::new();
    let folder = Path::new(env!("CARGO_BIN_EXE_cutover")).parent().unwrap();
    let program = folder.join("examples/consumer");
    BUILT.call_once(|| {
        if !program.exists() {
            let cargo = std::env::var_os("CARGO").unwrap();
            let build = ["build", "-p", "cutover", "--example", "consumer"];
            assert!(Command::new(cargo).args(build).status().unwrap().success());
        }
    });
    let mut command = Command::new(program);
    command.args([url, "ACME"]).arg(database);
    command
}

fn in_python(url: &str, database: &Path) -> Command {
    let mut command = Command::new("python3");
    command.arg(Path::new(ROOT).join("examples/consumer-python/consumer.py"));
    command.args(["--url", url, "--supplier", "ACME", "--database"]).arg(database);
    command
}

/// Returns true if there is Python. Without it tests pass and print NOT RUN, except in CI.
fn has_python() -> bool {
    let python = Command::new("python3").args(["-c", "import sqlite3"]).status();
    let found = python.is_ok_and(|status| status.success());
    if !found {
        assert_ne!(std::env::var_os("CI"), Some(OsString::from("true")), "there is no python3");
        std::io::stderr().write_all(b"NOT RUN: the consumer in Python: there is no python3\n").unwrap();
    }
    found
}

#[test]
fn the_consumer_in_rust_keeps_its_copy() {
    keeps_its_copy(in_rust);
}

#[test]
fn the_consumer_in_rust_renews_its_token() {
    renews_its_token(in_rust);
}

#[test]
fn the_consumer_in_python_keeps_its_copy() {
    if has_python() {
        keeps_its_copy(in_python);
    }
}

#[test]
fn the_consumer_in_python_renews_its_token() {
    if has_python() {
        renews_its_token(in_python);
    }
}

#[test]
fn the_consumer_in_python_loads_an_export() {
    if has_python() {
        loads_an_export(in_python);
    }
}
