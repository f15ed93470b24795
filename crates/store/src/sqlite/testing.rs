//! Databases for the tests of this module.

use super::connection::{Role, Target};
use super::dialect::Conn;
use super::queries::SqlTx;
use super::store::Options;
use crate::context::Context;
use chrono::{DateTime, Utc};
use cutover_app::port::{Accounts, NewAccount, Processes, Staged, StoredIssues, Tx};
use cutover_core::{ServiceAccountNumber, Zone};
use cutover_model::{IntoOwned, Totals, decode_account};
use cutover_process::{Actor, NewProcess, Process, Submission};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use std::path::Path;
use std::time::Duration;

pub(super) fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_795_000_000 + seconds, 0).unwrap()
}

/// Returns a database whose connections wait for a second.
pub(super) fn target(path: &Path) -> Target {
    let busy_timeout = Duration::from_secs(1);
    Options { busy_timeout, wal_limit: 1 << 20, ..Options::default() }.target(path)
}

/// Opens a connection that writes, without migrations.
pub(super) fn connect(path: &Path) -> Conn {
    target(path).connect(Role::Writer).unwrap()
}

/// Adds an organisation and its supplier `A`, both with the key 1.
pub(super) fn add_supplier(conn: &mut Conn) {
    conn.batch_execute(
        "INSERT INTO organisations (name, created_at) VALUES ('R', 0);
         INSERT INTO suppliers (organisation_id, code, status, document_root, verify_documents, \
         send_customer_emails, dry_run, time_zone, created_at) VALUES (1, 'A', 'Ongoing', '/A', 0, 0, 0, 'UTC', 0)",
    )
    .unwrap();
}

/// Adds a pending process of the supplier. Its external account number is its key.
pub(super) fn add_process(conn: &mut Conn, id: i64) -> Process {
    let new = NewProcess {
        supplier: "A".parse().unwrap(),
        external_account_number: id.to_string().parse().unwrap(),
        submission: Submission::default(),
    };
    let (process, entry) = Process::create(id, new, at(0), Actor::System);
    let staged = Staged { payload: vec![1], fingerprint: [0; 32], ..Staged::default() };
    SqlTx::new(conn, &Context::default())
        .insert_process(1, &process, &entry, &staged, &StoredIssues::default())
        .unwrap();
    process
}

/// Adds the account of a payload. Its external account number is its key.
pub(super) fn add_account(conn: &mut Conn, id: i64, payload: &str) {
    add_process(conn, id);
    let decoded = decode_account(payload.as_bytes(), Zone::UTC).unwrap();
    let mut account = decoded.draft.unwrap().into_valid().unwrap().0.into_owned();
    account.external_account_number = id.to_string().into();
    let new = NewAccount {
        number: ServiceAccountNumber::from_random(id.unsigned_abs()),
        process_id: id,
        supplier_id: 1,
        organisation_id: 1,
        customer_emails: true,
        zone: Zone::UTC,
        imported_at: at(0),
        totals: Totals::of(&account, Zone::UTC),
        account,
    };
    SqlTx::new(conn, &Context::default()).insert_accounts(&[&new]).unwrap();
}

/// Runs a job as use cases do.
pub(super) fn with<T>(conn: &mut Conn, job: impl FnOnce(&mut dyn Tx) -> T) -> T {
    job(&mut SqlTx::new(conn, &Context::default()))
}

#[derive(QueryableByName)]
struct TextRow {
    #[diesel(sql_type = diesel::sql_types::Text)]
    found: String,
}

/// Returns the texts in a query's column `found`.
pub(super) fn texts(conn: &mut Conn, sql: &str) -> Vec<String> {
    let rows: Vec<TextRow> = diesel::sql_query(sql).load(conn).unwrap();
    rows.into_iter().map(|row| row.found).collect()
}
