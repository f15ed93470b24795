use super::environment::{
    COPY_ATTEMPTS, Database, at, hook, import, on_both, payload, sealer, sign, stage, supplier,
    webhook_secret,
};
use cutover_app::port::{Store, read, write};
use cutover_store::{KeyState, Resealed, Seal, Sealer};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

on_both! {
    unsealed_values_and_those_of_another_key_are_sealed_with_the_first
    values_that_cannot_be_opened_are_kept_and_reported
    keys_change_while_accounts_are_staged_and_read
    a_sample_of_a_large_table_is_checked
}

fn sealed(resealed: &[Resealed]) -> Vec<(u64, u64)> {
    resealed.iter().map(|table| (table.sealed, table.fresh)).collect()
}

fn unsealed_values_and_those_of_another_key_are_sealed_with_the_first(database: &Database) {
    let open = database.open(Sealer::default());
    let acme = supplier(&*open.store());
    let first = stage(&*open.store(), &acme, "A-1");
    import(&*open.store(), &acme, first);
    let webhook = hook(&*open.store(), &acme);
    let signs = sign(&*open.store(), "k1");
    let old = database.open(sealer(&["a"]));
    let second = stage(&*old.store(), &acme, "A-2");
    let signs = [sign(&*old.store(), "k2"), signs];
    database.change(COPY_ATTEMPTS);
    drop((open, old));

    let both = || sealer(&["b", "a"]);
    assert_eq!(
        sealed(&database.reseal(both(), &mut |_| {})),
        [(2, 0), (2, 0), (1, 0), (1, 0), (1, 0), (2, 0), (2, 0), (1, 0), (1, 0)]
    );
    assert_eq!(
        sealed(&database.reseal(both(), &mut |_| {})),
        [(0, 2), (0, 2), (0, 1), (0, 1), (0, 1), (0, 2), (0, 2), (0, 1), (0, 1)],
        "nothing is left"
    );
    let new = database.open(sealer(&["b"]));
    let store = &*new.store();
    for (id, number) in [(first, "A-1"), (second, "A-2")] {
        assert_eq!(read(store, |tx| tx.staged(id)), Ok(Some(payload(number))), "the old key is gone");
    }
    let previous = |id| read(store, |tx| tx.previous_attempt(id)).unwrap().unwrap().payload;
    assert_eq!([first, second].map(previous), ["A-1", "A-2"].map(|number| payload(number).payload));
    assert!(read(store, |tx| tx.imported_account(first)).is_ok());
    assert_eq!(read(store, |tx| tx.signing_keys()).unwrap(), signs);
    assert_eq!(read(store, |tx| tx.webhook_secrets(webhook, at(1))), Ok(vec![webhook_secret()]));
    let key = Seal::Key("b".into(), KeyState::Seals);
    assert!(new.seals().iter().all(|seals| seals.found.keys().eq([&key])));
}

fn values_that_cannot_be_opened_are_kept_and_reported(database: &Database) {
    let acme = supplier(&*database.open(sealer(&["a"])).store());
    for (key, number) in [("a", "A-1"), ("b", "A-2"), ("c", "A-3")] {
        stage(&*database.open(sealer(&[key])).store(), &acme, number);
    }
    database.change("UPDATE payloads SET payload = substr(payload, 1, 40) WHERE process_id = 2");
    let before = database.hex("payload", "payloads ORDER BY process_id");
    let done = database.reseal(sealer(&["d", "b", "C"]), &mut |_| {});
    let left: Vec<_> = done[0].left.clone().into_iter().collect();
    let key = |name: &str, state| Seal::Key(name.into(), state);
    assert_eq!(
        left,
        [(key("a", KeyState::Missing), 1), (key("b", KeyState::Wrong), 1), (key("c", KeyState::Lost), 1)]
    );
    assert_eq!(database.hex("payload", "payloads ORDER BY process_id"), before);
}

/// A node with both keys stages, replaces and reads while another process seals again.
fn keys_change_while_accounts_are_staged_and_read(database: &Database) {
    let old = database.open(sealer(&["a"]));
    let acme = supplier(&*old.store());
    let ids: Vec<i64> = (0..300).map(|n| stage(&*old.store(), &acme, &format!("A-{n}"))).collect();
    let node = database.open(sealer(&["b", "a"]));
    let (store, over) = (node.store(), AtomicBool::new(false));
    thread::scope(|scope| {
        let (store, acme, ids, over) = (&*store, &acme, &ids, &over);
        let staging = scope.spawn(move || stage_until(store, acme, over));
        scope.spawn(move || {
            for (n, id) in ids.iter().copied().enumerate().step_by(3) {
                write(store, move |tx| tx.restage(id, &payload(&format!("again {n}")))).unwrap();
            }
        });
        scope.spawn(move || {
            while !over.load(Ordering::Acquire) {
                let found = read(store, |tx| tx.payloads(ids)).unwrap();
                assert!(found.iter().all(|(_, payload)| payload.is_ok()) && found.len() == 300);
            }
        });
        let done = database.reseal(sealer(&["b", "a"]), &mut |_| {});
        over.store(true, Ordering::Release);
        assert!(done[0].left.is_empty() && done[0].sealed >= 200, "{done:?}");
        assert!(staging.join().unwrap() > 0);
    });
    let new = database.open(sealer(&["b"]));
    for (n, id) in ids.into_iter().enumerate() {
        let expected = if n % 3 == 0 { payload(&format!("again {n}")) } else { payload(&format!("A-{n}")) };
        let found = read(&*new.store(), |tx| tx.payloads(&[id])).unwrap();
        assert_eq!(found, [(id, Ok(expected.payload))]);
    }
}

/// Stages accounts and returns how many, at least one.
fn stage_until(store: &dyn Store, acme: &cutover_app::port::Supplier, over: &AtomicBool) -> usize {
    let mut staged = 0;
    while staged == 0 || !over.load(Ordering::Acquire) {
        stage(store, acme, &format!("new-{staged}"));
        staged += 1;
    }
    staged
}

fn a_sample_of_a_large_table_is_checked(database: &Database) {
    let old = database.open(sealer(&["a"]));
    let store = old.store();
    let acme = supplier(&*store);
    let id = stage(&*store, &acme, "A-1");
    let columns = "supplier_id, state, attempt, tries, version, is_dry_run, due_at, created_at, modified_at, \
                   latest_event_at, fingerprint";
    // None of the copies would open.
    let series = "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 3000)";
    database.change(&format!(
        "INSERT INTO processes (id, external_account_number, {columns}) {series} \
         SELECT {id} + n, 'C-' || n, {columns} FROM processes, n WHERE id = {id}"
    ));
    database.change(&format!(
        "INSERT INTO payloads (process_id, payload) {series} \
         SELECT {id} + n, payload FROM payloads, n WHERE process_id = {id} AND n < 2990"
    ));
    if let Database::Server(_) = database {
        database.change("SELECT setval('process_ids', (SELECT max(id) FROM processes))");
    }
    drop((store, old));
    let node = database.open(sealer(&["b"]));
    let last = stage(&*node.store(), &acme, "Z-1");
    assert!(last > id + 2_990, "{last}");
    let seals = node.seals().remove(0);
    assert!(!seals.is_all);
    let counts: Vec<_> = seals.found.into_iter().collect();
    let (missing, fresh) = (&counts[0], &counts[1]);
    assert_eq!(missing.0, Seal::Key("a".into(), KeyState::Missing));
    assert!((900..=1_100).contains(&missing.1), "{missing:?}");
    assert_eq!(*fresh, (Seal::Key("b".into(), KeyState::Seals), 1), "the sample includes the newest");
}
