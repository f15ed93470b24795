//! Transactions that fail or lose their connection.

use super::environment::TestEnvironment;
use crate::databases::migrated;
use chrono::{DateTime, Utc};
use cutover_app::port::{Staging, Store, StoreError, Verdict, WriteJob, read_committed, stage, write};
use cutover_store::{PostgresOptions, PostgresStore};
use cutover_testkit::accepted_account;
use std::panic::{AssertUnwindSafe, catch_unwind};

const AT: DateTime<Utc> = DateTime::<Utc>::UNIX_EPOCH;

fn names(store: &dyn Store) -> Vec<String> {
    let organisations = read_committed(store, |tx| tx.organisations()).unwrap();
    organisations.into_iter().map(|organisation| organisation.name).collect()
}

#[test]
fn a_read_that_panics_does_not_leave_its_connection_in_its_transaction() {
    let Some(database) = migrated() else { return };
    let options = PostgresOptions { migrates: true, connections: 1, ..PostgresOptions::new(database.url()) };
    let store = PostgresStore::open(&options).unwrap();
    write(&store, |tx| tx.add_organisation("A", AT).map(drop)).unwrap();
    let panics = || store.read(&mut |tx| panic!("{:?}", tx.organisations()));
    assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
    database.sql("UPDATE organisations SET name = 'B'").unwrap();
    assert_eq!(names(&store), ["B"]);
}

/// All idle connections are broken, but the database is available.
#[test]
fn a_new_account_skips_broken_connections() {
    let Some(env) = TestEnvironment::new() else { return };
    let store = &*env.store;
    let body = br#"{"import_supplier":"ACME","external_account_number":"A-1","unknown_occupier":true}"#;
    let creation = accepted_account(&env.app, &env.caller, body).creation().clone();
    read_committed(store, |_| read_committed(store, |_| read_committed(store, |tx| tx.organisations())))
        .unwrap();
    assert_eq!(store.connections(), Some((3, 3)));
    let all = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity \
               WHERE datname = current_database() AND pid <> pg_backend_pid()";
    env.database.sql(all).unwrap();
    assert_eq!(stage(store, creation), Ok(Staging::Staged));
}

/// Whoever watches the store sees a full disk even if the job gives up by itself.
#[test]
fn a_job_that_gives_up_on_a_full_disk_fails() {
    let Some(env) = TestEnvironment::new() else { return };
    env.database.sql(&refusal("53100")).unwrap();
    let gives_up = |name: &'static str| -> WriteJob {
        Box::new(move |tx| {
            let _ = tx.add_organisation(name, AT);
            Verdict::Rollback
        })
    };
    assert_eq!(env.store.write(gives_up("fits")), Ok(()));
    let full = StoreError::Unwritable("Anfrage abgelehnt (SQLSTATE 53100)".into());
    assert_eq!(env.store.write(gives_up("refused")), Err(full));
}

/// Returns SQL after which organisations named `refused` are refused with a code.
fn refusal(code: &str) -> String {
    format!(
        "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS \
         $$BEGIN RAISE EXCEPTION 'Anfrage abgelehnt' USING ERRCODE = '{code}'; END$$; CREATE OR REPLACE TRIGGER refuse BEFORE INSERT \
         ON organisations FOR EACH ROW WHEN (NEW.name = 'refused') EXECUTE FUNCTION refuse()"
    )
}

/// The database commits nothing after it has refused a statement, whatever the error is. What an error means is
/// read from its code, in any language.
#[test]
fn after_a_refusal_nothing_is_run_or_committed() {
    let Some(env) = TestEnvironment::new() else { return };
    type Kind = fn(String) -> StoreError;
    let kinds: [(&str, Kind); 9] = [
        ("XX001", StoreError::Corrupt),
        ("42601", StoreError::Failed),
        ("40P01", StoreError::Conflict),
        ("40001", StoreError::Conflict),
        ("53100", StoreError::Unwritable),
        ("58030", StoreError::Unwritable),
        ("25006", StoreError::ReadOnly),
        ("55P03", StoreError::Busy),
        ("57014", StoreError::Busy),
    ];
    for (code, kind) in kinds {
        let error = kind(format!("Anfrage abgelehnt (SQLSTATE {code})"));
        env.database.sql(&refusal(code)).unwrap();
        let refused = error.clone();
        let written = write(&*env.store, move |tx| {
            assert!(tx.add_organisation("kept?", AT)?.is_some());
            assert_eq!(tx.add_organisation("refused", AT), Err(refused.clone()));
            assert_eq!(tx.organisations(), Err(refused));
            Ok::<_, StoreError>(())
        });
        assert_eq!(written, Err(error));
        assert_eq!(names(&*env.store), ["Acme"]);
    }
}
