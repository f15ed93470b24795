//! Guarantees of transactions: atomic, isolated, and durable once acknowledged.

use super::helpers::{at, create, insert, number, process, put, see, supplier};
use cutover_app::port::{
    PageLimit, ProcessFilter, Store, StoreError, Tx, Verdict, find_stale, read_committed, write,
};
use cutover_process::Submission;
use std::sync::Barrier;
use std::sync::mpsc;
use std::thread;

/// Nothing of a rolled-back job stays; writes of other jobs do.
pub fn rolled_back_jobs_leave_nothing(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let owner = acme.clone();
    let wrote = store.write(Box::new(move |tx| {
        assert!(insert(tx, &owner, "A-1", Submission::default(), at(0)).is_ok());
        assert!(tx.add_organisation("Ghost", at(0)).is_ok());
        Verdict::Rollback
    }));
    assert_eq!(wrote, Ok(()));
    assert_eq!(see(store, |tx| tx.process(acme.id, &number("A-1"))), None);
    assert_eq!(see(store, |tx| tx.organisation("Ghost")), None);

    let failed: Result<(), StoreError> = write(store, |tx| {
        tx.add_organisation("Ghost", at(0))?;
        Err(StoreError::Failed("on purpose".into()))
    });
    assert_eq!(failed, Err(StoreError::Failed("on purpose".into())));
    assert_eq!(see(store, |tx| tx.organisation("Ghost")), None);

    // At the same time as committing jobs, in one group or in several.
    let start = Barrier::new(8);
    thread::scope(|scope| {
        for n in 0..8 {
            let (start, owner) = (&start, acme.clone());
            scope.spawn(move || {
                start.wait();
                for i in 0..20 {
                    let owner = owner.clone();
                    let wrote = store.write(Box::new(move |tx| {
                        assert!(
                            insert(tx, &owner, &format!("{n}-{i}"), Submission::default(), at(0)).is_ok()
                        );
                        if (n + i) % 2 == 0 { Verdict::Commit } else { Verdict::Rollback }
                    }));
                    assert_eq!(wrote, Ok(()));
                }
            });
        }
    });
    for (n, i) in (0..8).flat_map(|n| (0..20).map(move |i| (n, i))) {
        let stored = see(store, |tx| tx.process(acme.id, &number(&format!("{n}-{i}"))));
        assert_eq!(stored.is_some(), (n + i) % 2 == 0, "{n}-{i}");
    }
}

/// The caller gets an error, nothing of the job stays, and all others continue.
pub fn a_panic_undoes_its_own_job_only(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let start = Barrier::new(4);
    let panicked = thread::scope(|scope| {
        let threads = [0, 1, 2, 3].map(|n| {
            let (start, owner) = (&start, acme.clone());
            scope.spawn(move || {
                start.wait();
                (0..10)
                    .filter(|i| {
                        let (i, owner) = (*i, owner.clone());
                        let wrote: Result<(), StoreError> = write(store, move |tx| {
                            insert(tx, &owner, &format!("{n}-{i}"), Submission::default(), at(0))?;
                            assert!((n + i) % 5 != 0, "on purpose");
                            Ok(())
                        });
                        assert!(matches!(wrote, Ok(()) | Err(StoreError::Failed(_))), "{wrote:?}");
                        wrote.is_err()
                    })
                    .count()
            })
        });
        threads.map(|thread| thread.join().unwrap()).into_iter().sum::<usize>()
    });
    assert_eq!(panicked, 8);
    let listed =
        see(store, |tx| tx.list_processes(acme.id, ProcessFilter::default(), None, PageLimit::of(100)));
    assert_eq!(listed.processes.len(), 32);
}

/// A reading job cannot write.
pub fn a_read_writes_nothing(store: &dyn Store) {
    // A store may refuse the write or undo it.
    let _ = store.read(&mut |tx| tx.add_organisation("Ghost", at(0)).map(|_| ()));
    assert_eq!(see(store, |tx| tx.organisation("Ghost")), None);
    let error = StoreError::Corrupt("on purpose".into());
    assert_eq!(store.read(&mut |_| Err(error.clone())), Err(error.clone()));
    assert_eq!(store.ping(), Ok(()));
}

/// Concurrent commits are not seen by a reading job, and do not wait for it.
pub fn a_read_sees_one_state(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create(store, &acme, "A-1");
    let (begun, has_begun) = mpsc::channel();
    let (wrote, has_written) = mpsc::channel();
    let acme = &acme;
    thread::scope(|scope| {
        scope.spawn(move || {
            let seen = see(store, |tx| {
                let count = |tx: &mut dyn Tx| {
                    let page =
                        tx.list_processes(acme.id, ProcessFilter::default(), None, PageLimit::of(10))?;
                    Ok::<_, StoreError>(page.processes.len())
                };
                let before = count(tx)?;
                begun.send(()).unwrap();
                has_written.recv().unwrap();
                Ok((before, count(tx)?))
            });
            assert_eq!(seen, (1, 1));
        });
        has_begun.recv().unwrap();
        create(store, acme, "A-2");
        assert_eq!(process(store, acme, "A-2").supplier_id, acme.id);
        wrote.send(()).unwrap();
    });
}

/// Committed writes are visible at once.
pub fn a_committed_read_sees_what_was_written(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    for account in ["A-1", "A-2", "A-3"] {
        let created = create(store, &acme, account);
        let found = read_committed(store, |tx| {
            Ok((tx.supplier(&acme.code)?.map(|s| s.id), tx.process(acme.id, &number(account))?))
        });
        let (supplier_id, stored) = found.unwrap();
        assert_eq!((supplier_id, stored.map(|s| s.process)), (Some(acme.id), Some(created.clone())));
        let behind = find_stale(store, |tx| tx.process(acme.id, &number(account)));
        assert_eq!(behind.unwrap().map(|s| s.process), Some(created));
    }
    assert_eq!(find_stale(store, |tx| tx.process(acme.id, &number("A-9"))), Ok(None));
    let error = StoreError::Corrupt("on purpose".into());
    assert_eq!(read_committed(store, |_| Err::<(), _>(error.clone())), Err(error.clone()));
    assert_eq!(find_stale(store, |_| Err::<Option<()>, _>(error.clone())), Err(error.clone()));
    assert_eq!(read_committed(store, |tx| tx.supplier(&acme.code)).unwrap().map(|s| s.id), Some(acme.id));
}

/// With thirty-two threads every acknowledged write is stored, and every key is unique.
pub fn writes_of_many_threads_are_all_kept(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let start = Barrier::new(32);
    thread::scope(|scope| {
        for n in 0..32 {
            let (start, acme) = (&start, acme.clone());
            scope.spawn(move || {
                start.wait();
                for i in 0..25 {
                    let (account, owner) = (format!("{n}-{i}"), acme.clone());
                    let name = account.clone();
                    let written =
                        put(store, move |tx| insert(tx, &owner, &name, Submission::default(), at(0)));
                    // Acknowledged writes are visible to others.
                    assert_eq!(process(store, &acme, &account).process, written);
                }
            });
        }
    });
    let limit = PageLimit::of(1_000);
    let listed = see(store, |tx| tx.list_processes(acme.id, ProcessFilter::default(), None, limit)).processes;
    assert_eq!(listed.len(), 800);
    let mut ids: Vec<_> = listed.iter().map(|p| p.process.id()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 800);
}
