//! The copy of the accounts: an SQLite file, in which an effect and the position are one transaction.

use crate::service::Result;
use diesel::connection::SimpleConnection;
use diesel::sql_types::{BigInt, Bool, Nullable, Text};
use diesel::{Connection, QueryableByName, RunQueryDsl, SqliteConnection, sql_query};
use serde_json::Value;

const SCHEMA: &str = "
PRAGMA busy_timeout = 5000;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
CREATE TABLE IF NOT EXISTS accounts (
    number TEXT PRIMARY KEY,
    service_account_number TEXT NOT NULL,
    account TEXT NOT NULL,            -- JSON, digits as the supplier sent them
    ledger_balance TEXT,              -- of the first ledger: a decimal as text, never a float
    load INTEGER NOT NULL             -- the load that saw it last; the current one if it came by an event
);
CREATE TABLE IF NOT EXISTS effects (  -- how many events of each type took effect, since the copy was begun
    type TEXT PRIMARY KEY,
    count INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    position TEXT,                    -- events up to here took effect; null = none
    load INTEGER NOT NULL,            -- number of the current load
    cursor TEXT,                      -- the last account of an unfinished load
    loaded INTEGER NOT NULL           -- 1 = events are followed, 0 = a load is to be finished first
);
INSERT OR IGNORE INTO state VALUES (1, NULL, 1, NULL, 0);
";

/// Types of events after which the account no longer exists.
const REMOVALS: [&str; 2] = ["account.erased", "account_import_process.undone"];

#[derive(QueryableByName)]
pub(crate) struct State {
    /// Events up to here took effect.
    #[diesel(sql_type = Nullable<Text>)]
    pub(crate) position: Option<String>,
    /// The last account of an unfinished load.
    #[diesel(sql_type = Nullable<Text>)]
    pub(crate) cursor: Option<String>,
    /// If not set, a load is to be finished before events are followed.
    #[diesel(sql_type = Bool)]
    pub(crate) loaded: bool,
}

pub(crate) struct Copy(SqliteConnection);

impl Copy {
    pub(crate) fn open(path: &str) -> Result<Self> {
        let mut database = SqliteConnection::establish(path)?;
        database.batch_execute(SCHEMA)?;
        Ok(Self(database))
    }

    pub(crate) fn state(&mut self) -> Result<State> {
        Ok(sql_query("SELECT position, cursor, loaded FROM state").get_result(&mut self.0)?)
    }

    /// Gives an event its effect: `account` is the account as it is now, if the event says that it changed.
    pub(crate) fn apply(&mut self, event: &Value, account: Option<&Value>) -> Result<()> {
        let kind = text(event, "type")?;
        self.0.immediate_transaction(|database| {
            if let Some(account) = account {
                store(database, account)?;
            }
            if REMOVALS.contains(&kind) {
                let delete = sql_query("DELETE FROM accounts WHERE number = ?");
                delete.bind::<Text, _>(text(event, "external_account_number")?).execute(database)?;
            }
            // An effect that must happen once, like a letter to the customer, belongs here, as a row of a table of
            // things to do. Unknown types have no other effect.
            sql_query("INSERT INTO effects VALUES (?, 1) ON CONFLICT DO UPDATE SET count = count + 1")
                .bind::<Text, _>(kind)
                .execute(database)?;
            sql_query("UPDATE state SET position = ?")
                .bind::<Text, _>(text(event, "id")?)
                .execute(database)?;
            Ok(())
        })
    }

    /// Notes a position up to which there is no further event of ours.
    pub(crate) fn reached(&mut self, position: &str) -> Result<()> {
        sql_query("UPDATE state SET position = ?").bind::<Text, _>(position).execute(&mut self.0)?;
        Ok(())
    }

    /// Stores accounts of a load, and its cursor.
    pub(crate) fn store_loaded(&mut self, batch: &mut Vec<Value>) -> Result<()> {
        let Some(last) = batch.last() else { return Ok(()) };
        let cursor = text(last, "cursor")?;
        self.0.immediate_transaction(|database| {
            for line in &*batch {
                store(database, &line["account"])?;
            }
            sql_query("UPDATE state SET cursor = ?").bind::<Text, _>(cursor).execute(database)?;
            Ok::<_, Box<dyn std::error::Error>>(())
        })?;
        batch.clear();
        Ok(())
    }

    /// Removes what a load did not see: it was erased meanwhile. From the position on events are followed.
    pub(crate) fn finish_load(&mut self, position: Option<&str>) -> Result<()> {
        self.0.immediate_transaction(|database| {
            sql_query("DELETE FROM accounts WHERE load < (SELECT load FROM state)").execute(database)?;
            sql_query("UPDATE state SET position = ?, cursor = NULL, loaded = 1")
                .bind::<Nullable<Text>, _>(position)
                .execute(database)?;
            Ok(())
        })
    }

    /// Begins again, with a load. Accounts stay until it has seen them or ends.
    pub(crate) fn restart(&mut self) -> Result<()> {
        let update = "UPDATE state SET position = NULL, cursor = NULL, load = load + 1, loaded = 0";
        sql_query(update).execute(&mut self.0)?;
        Ok(())
    }

    /// Begins with the oldest event that is kept, unless the copy was begun already.
    pub(crate) fn skip_load(&mut self) -> Result<()> {
        sql_query("UPDATE state SET loaded = 1 WHERE load = ? AND cursor IS NULL")
            .bind::<BigInt, _>(1)
            .execute(&mut self.0)?;
        Ok(())
    }
}

fn store(database: &mut SqliteConnection, account: &Value) -> Result<()> {
    let balance = account["ledgers"][0]["ledger_balance"].as_str();
    sql_query("INSERT OR REPLACE INTO accounts SELECT ?, ?, ?, ?, load FROM state")
        .bind::<Text, _>(text(account, "external_account_number")?)
        .bind::<Text, _>(text(account, "service_account_number")?)
        .bind::<Text, _>(account.to_string())
        .bind::<Nullable<Text>, _>(balance)
        .execute(database)?;
    Ok(())
}

/// A member that is always there.
pub(crate) fn text<'v>(value: &'v Value, name: &str) -> Result<&'v str> {
    value[name].as_str().ok_or_else(|| format!("no {name} in a response").into())
}
