//! Runs, the outcomes of accounts in them, and their figures.

use super::helpers::{at, create, create_many, on_threads, process, put, see, supplier};
use cutover_app::port::{
    Cause, MayConflict, Outcome, RefusedCreate, RefusedFault, Run, RunFigures, Store, StoreError, Supplier,
    WaveSpan, write,
};
use cutover_core::SupplierCode;
use cutover_model::rust_decimal::Decimal;
use cutover_model::{ContentHash, PathHashes, Totals};
use cutover_process::State;

pub(super) fn start(store: &dyn Store, of: &Supplier, name: &'static str) -> Run {
    let id = of.id;
    put(store, move |tx| tx.start_run(id, name, at(10)));
    see(store, |tx| tx.run(id, name)).unwrap()
}

fn end(store: &dyn Store, run: &Run) -> bool {
    let id = run.id;
    put(store, move |tx| tx.end_run(id, at(20)))
}

fn passed(process_id: i64, seconds: i64) -> Outcome {
    Outcome {
        process_id,
        state: State::Processed.into(),
        ended_at: at(seconds),
        content: Some(ContentHash([process_id as u8; 32])),
        paths: PathHashes::from_bytes(vec![process_id as u8; 16]),
        causes: Vec::new(),
        totals: Totals {
            accounts: 1,
            ledger_balance: Decimal::new(-1_250, 2),
            readings: 3,
            transactions: 4,
            documents: 5,
            ..Totals::default()
        },
    }
}

pub(super) fn failed(process_id: i64, seconds: i64) -> Outcome {
    let cause = |code: &str, attr: Option<&str>| Cause { code: code.into(), attr: attr.map(Into::into) };
    Outcome {
        state: State::Errored.into(),
        content: None,
        paths: None,
        causes: vec![cause("invalid", Some("customers.#.email")), cause("window_missed", None)],
        totals: Totals::default(),
        ..passed(process_id, seconds)
    }
}

pub(super) fn record(store: &dyn Store, run: &Run, outcomes: Vec<Outcome>) {
    let id = run.id;
    put(store, move |tx| tx.record_outcomes(id, &outcomes));
}

fn outcomes(store: &dyn Store, run: &Run) -> Vec<Outcome> {
    see(store, |tx| tx.outcomes(run.id, 0, 1_000))
}

/// Returns the kept figures, which must be those of the outcomes.
fn figures(store: &dyn Store, run: &Run) -> RunFigures {
    let kept = see(store, |tx| tx.run_figures(run.id));
    let mut counted = RunFigures::default();
    outcomes(store, run).iter().for_each(|outcome| counted.replace(None, Some(outcome)).unwrap());
    counted.stretches = kept.stretches.clone();
    assert_eq!(kept, counted);
    kept
}

/// A supplier has one open run, and a name is used once.
pub fn runs_read_back(store: &dyn Store) {
    let [acme, other] = ["ACME", "OTHER"].map(|code| supplier(store, code));
    let codes: Vec<SupplierCode> = vec![acme.code.clone(), other.code.clone()];
    let asked = codes.clone();
    assert_eq!(put(store, move |tx| tx.lock_open_runs(&asked)), []);
    let first = start(store, &acme, "first");
    let expected =
        Run { id: first.id, supplier_id: acme.id, name: "first".into(), started_at: at(10), ended_at: None };
    assert_eq!(first, expected);
    assert_eq!(see(store, |tx| tx.open_run(acme.id)), Some(first.clone()));
    assert_eq!(see(store, |tx| tx.open_run(other.id)), None);
    let refused = |name: &'static str, id: i64| {
        let started: Result<(), StoreError> = write(store, move |tx| tx.start_run(id, name, at(11)));
        assert!(started.as_ref().is_err_and(MayConflict::is_conflict), "{started:?}");
    };
    refused("second", acme.id);
    assert_eq!(put(store, move |tx| tx.lock_open_runs(&codes)), [(acme.code.clone(), first.id)]);
    assert!(end(store, &first));
    assert!(!end(store, &first));
    assert_eq!(see(store, |tx| tx.run(acme.id, "first")).unwrap().ended_at, Some(at(20)));
    refused("first", acme.id);
    start(store, &other, "first");
    let second = start(store, &acme, "second");
    let listed = |before, limit| {
        let runs = see(store, |tx| tx.runs(acme.id, before, limit)).into_iter();
        runs.map(|run| run.name).collect::<Vec<_>>()
    };
    assert_eq!(listed(None, 10), ["second", "first"]);
    assert_eq!((listed(None, 1), listed(Some(second.id), 10)), (vec!["second".into()], vec!["first".into()]));
}

/// Every member reads back; an outcome replaces the one before, and the figures follow.
pub fn the_last_outcome_of_an_account_is_kept(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create_many(store, &acme, "A", 4);
    let ids: Vec<i64> = (0..4).map(|n| process(store, &acme, &format!("A-{n}")).process.id()).collect();
    let run = start(store, &acme, "first");
    assert_eq!(figures(store, &run), RunFigures::default());
    record(store, &run, vec![failed(ids[0], 10), passed(ids[1], 11), failed(ids[2], 12)]);
    record(store, &run, vec![passed(ids[0], 20), failed(ids[3], 1_000)]);
    let expected = [passed(ids[0], 20), passed(ids[1], 11), failed(ids[2], 12), failed(ids[3], 1_000)];
    assert_eq!(outcomes(store, &run), expected);
    assert_eq!(see(store, |tx| tx.outcomes(run.id, ids[1], 1)), [failed(ids[2], 12)]);
    let kept = figures(store, &run);
    assert_eq!(kept.totals().ledger_balance.to_string(), "-25");
    let ends: Vec<_> = kept.stretches.iter().map(|of| (of.first_at, of.last_at, of.ends)).collect();
    assert_eq!(ends, [(at(10), at(20), 4), (at(1_000), at(1_000), 1)]);
    let (run_id, gone) = (run.id, [ids[1], ids[2]]);
    put(store, move |tx| tx.forget_outcomes(run_id, &gone));
    assert_eq!(outcomes(store, &run).len(), 2);
    assert_eq!(figures(store, &run).states.len(), 2);
}

/// Figures lose no outcome of transactions that run at the same time, and none is added after the end of a run.
pub fn outcomes_of_many_threads_are_counted_until_the_end(store: &dyn Store) {
    const THREADS: usize = 6;
    const EACH: i64 = 8;
    let acme = supplier(store, "ACME");
    let run = start(store, &acme, "first");
    let record_some = |thread: usize| {
        let mut recorded = 0;
        for n in 0..EACH {
            let (code, id) = (acme.code.clone(), thread as i64 * 1_000 + n + 1);
            recorded += put(store, move |tx| match tx.lock_open_runs(&[code])?.pop() {
                Some((_, run_id)) => tx.record_outcomes(run_id, &[passed(id, n)]).map(|()| 1),
                None => Ok(0),
            });
        }
        recorded
    };
    let ends = |_| u64::from(!end(store, &run));
    let recorded = on_threads(THREADS + 1, |n| if n < THREADS { record_some(n) } else { ends(n) });
    let recorded: u64 = recorded.into_iter().sum();
    let kept = figures(store, &run);
    assert_eq!(kept.counts[0], i64::try_from(recorded).unwrap());
    assert_eq!(kept.stretches.iter().map(|of| of.ends).sum::<u64>(), recorded);
    assert_eq!(record_some(THREADS), 0);
}

/// An erased account leaves every run, and their figures.
pub fn an_erased_account_leaves_the_runs(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let ids = ["A-1", "A-2"].map(|account| create(store, &acme, account).id());
    let first = start(store, &acme, "first");
    record(store, &first, vec![failed(ids[0], 10), passed(ids[1], 10)]);
    end(store, &first);
    let second = start(store, &acme, "second");
    record(store, &second, vec![passed(ids[0], 11)]);
    let erased = put(store, move |tx| tx.erase(&[ids[0]]));
    assert!(erased.iter().any(|(table, _)| *table == "processes"), "{erased:?}");
    assert_eq!((outcomes(store, &first), outcomes(store, &second)), (vec![passed(ids[1], 10)], vec![]));
    assert_eq!(figures(store, &first).causes.len(), 0);
    assert_eq!(figures(store, &second).totals(), Totals::default());
    let (erased_last, id) = (ids[1], acme.id);
    put(store, move |tx| tx.erase(&[erased_last]));
    assert!(put(store, move |tx| tx.erase_supplier(id)).is_some());
    assert_eq!(see(store, |tx| tx.runs(id, None, 10)), []);
}

fn refused(number: &str, seconds: i64) -> RefusedCreate {
    let fault = RefusedFault { code: "invalid".into(), attr: "customers.#.email".into() };
    RefusedCreate { number: number.into(), refused_at: at(seconds), causes: vec![fault] }
}

/// Those of an open run are read from the refused creates of the supplier; those of an ended one were kept.
pub fn refused_accounts_of_a_run_read_back(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let ids = ["A-1", "A-2"].map(|account| create(store, &acme, account).id());
    let run = start(store, &acme, "first");
    let sent = [refused("A-1", 11), refused("A-2", 12), refused("B", 9), refused("C", 10), refused("D", 13)];
    let id = acme.id;
    put(store, move |tx| {
        tx.lock_refusals(id)?;
        tx.change_refusals(id, &[], &sent, 0)
    });
    record(store, &run, vec![passed(ids[0], 12)]);
    let of = |run: &Run, after: &str, limit| see(store, |tx| tx.refused_in_run(run, after, limit));
    let expected = [refused("A-2", 12), refused("C", 10), refused("D", 13)];
    assert_eq!(of(&run, "", 10), expected);
    assert_eq!((of(&run, "", 1), of(&run, "A-2", 1)), (vec![refused("A-2", 12)], vec![refused("C", 10)]));
    assert_eq!(see(store, |tx| tx.run_figures(run.id)).refused, 0);
    let (run_id, kept) = (run.id, expected.clone());
    put(store, move |tx| tx.keep_refused(run_id, &kept));
    end(store, &run);
    let ended = see(store, |tx| tx.run(acme.id, "first")).unwrap();
    put(store, move |tx| {
        tx.lock_refusals(id)?;
        tx.change_refusals(id, &[refused("C", 10)], &[], 0)
    });
    assert_eq!(of(&ended, "", 10), expected);
    assert_eq!(of(&ended, "A-2", 1), [refused("C", 10)]);
    let figures = || see(store, |tx| tx.run_figures(run.id));
    assert_eq!((figures().refused, figures().refused_causes.into_values().collect()), (3, vec![3]));
    assert_eq!(see(store, |tx| tx.outcomes_of(run.id, &ids)), [passed(ids[0], 12)]);
    // An erased account leaves it.
    put(store, move |tx| tx.erase(&[ids[1]]));
    assert_eq!((of(&ended, "", 10), figures().refused), (expected[1..].to_vec(), 2));
}

/// The last wave of a number counts, until the next one begins.
pub fn waves_have_their_times(store: &dyn Store) {
    let [acme, other] = ["ACME", "OTHER"].map(|code| supplier(store, code));
    let span = |wave| see(store, |tx| tx.wave_span(acme.id, wave));
    assert_eq!(span(1), None);
    let (own, of_other) = (acme.id, other.id);
    put(store, move |tx| {
        for (supplier, wave, seconds) in
            [(own, 1, 0), (own, 2, 10), (of_other, 1, 15), (own, 1, 20), (own, 2, 30), (own, 0, 40)]
        {
            tx.begin_wave(supplier, wave, at(seconds))?;
        }
        Ok(())
    });
    assert_eq!(span(1), Some(WaveSpan { began_at: at(20), until: Some(at(30)) }));
    assert_eq!(span(2), Some(WaveSpan { began_at: at(30), until: Some(at(40)) }));
    assert_eq!(span(3), None);
    let of_other = see(store, |tx| tx.wave_span(other.id, 1));
    assert_eq!(of_other, Some(WaveSpan { began_at: at(15), until: None }));
}
