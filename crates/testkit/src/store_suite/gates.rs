//! Gates of suppliers: holds, waves, and their exact counts.

use super::helpers::{
    at, claim, create, create_many, insert, on_threads, process, put, see, step, supplier, worker,
};
use cutover_app::port::{
    ErrorWindow, FairShares, Gate, Hold, HoldCause, HoldReason, Operator, Store, Supplier,
};
use cutover_process::{Event, Submission, Window};

fn gate(supplier: &Supplier) -> Gate {
    Gate {
        supplier_id: supplier.id,
        wave: 0,
        wave_size: None,
        claimed: 0,
        ended: 0,
        failed: 0,
        began_at: None,
        errors: None,
        hold: None,
    }
}

fn wave(supplier: &Supplier, size: u64) -> Gate {
    Gate { wave: 1, wave_size: Some(size), ..gate(supplier) }
}

/// A reason of an operator has a name and words.
fn reason(by: HoldCause, seconds: i64) -> HoldReason {
    let is_operator = by == HoldCause::Operator;
    HoldReason {
        by: by.into(),
        owner: is_operator.then(|| Operator::read("ada")),
        since: at(seconds),
        because: is_operator.then(|| "tariffs".to_owned()),
    }
}

pub(super) fn held(supplier: &Supplier) -> Gate {
    let first = reason(HoldCause::Operator, 7);
    let hold = Hold { first, also: Vec::new(), wave: None, ended: 0, failed: 0, window: None };
    Gate { hold: Some(hold), ..gate(supplier) }
}

pub(super) fn save(store: &dyn Store, gate: Gate) {
    put(store, move |tx| tx.save_gate(&gate));
}

/// Claims as the worker does: accounts join the wave in the transaction of the claim.
fn claim_for_wave(store: &dyn Store, supplier: &Supplier, limit: u32) -> Vec<i64> {
    let supplier = supplier.clone();
    put(store, move |tx| {
        let due = tx.due_processes(at(5_000), limit, &FairShares::default())?;
        let ids: Vec<i64> = due.iter().map(|stored| stored.process.id()).collect();
        for stored in due {
            let (process, entry) = stored.process.step(Event::Claimed, at(5_000), worker()).unwrap();
            assert!(tx.step_process(&process, &entry)?);
        }
        for (_, mut gate) in tx.lock_gates(&[supplier.code])? {
            gate.claimed += tx.join_wave(gate.supplier_id, &ids)?;
            tx.save_gate(&gate)?;
        }
        Ok(ids)
    })
}

/// Every member reads back, and gates of others are not returned.
pub fn gates_read_back(store: &dyn Store) {
    let [acme, other] = ["ACME", "OTHER"].map(|code| supplier(store, code));
    let full = Gate {
        wave: 2,
        wave_size: Some(5_000),
        claimed: 17,
        ended: 16,
        failed: 3,
        began_at: Some(at(4)),
        errors: Some(ErrorWindow { limit: 2, window: 20, failed: vec![0b101, 0, 0b1000] }),
        hold: Some(Hold {
            first: reason(HoldCause::ErrorRate, 9),
            also: vec![reason(HoldCause::Operator, 10), reason(HoldCause::Wave, 11)],
            wave: Some(2),
            ended: 16,
            failed: 3,
            window: Some(20),
        }),
        ..gate(&acme)
    };
    let codes = [acme.code.clone(), other.code.clone()];
    assert_eq!(
        put(store, {
            let codes = codes.clone();
            move |tx| tx.lock_gates(&codes)
        }),
        []
    );
    assert_eq!(see(store, |tx| tx.hold(acme.id)), None);
    save(store, full.clone());
    save(store, held(&other));
    let both = put(store, move |tx| tx.lock_gates(&codes));
    assert_eq!(both, [(acme.code.clone(), full.clone()), (other.code.clone(), held(&other))]);
    assert_eq!(see(store, |tx| tx.hold(acme.id)), full.hold);
    assert_eq!(see(store, |tx| tx.gate(acme.id)), Some(full.clone()));
    let holds =
        [(acme.code.clone(), full.hold.clone().unwrap()), (other.code.clone(), held(&other).hold.unwrap())];
    assert_eq!(see(store, |tx| tx.holds()), holds);
    save(store, Gate { hold: None, errors: None, wave_size: None, ..full });
    let code = [acme.code.clone()];
    let changed = put(store, move |tx| tx.lock_gates(&code)).remove(0).1;
    assert_eq!((changed.hold, changed.errors, changed.wave_size, changed.claimed), (None, None, None, 17));
    assert_eq!(see(store, |tx| tx.holds()).len(), 1);
    let id = other.id;
    put(store, move |tx| tx.remove_gate(id));
    assert_eq!(see(store, |tx| tx.holds()), []);
    assert_eq!(see(store, |tx| tx.gate(id)), None);
}

/// Others are served meanwhile.
pub fn nothing_of_a_held_supplier_is_due(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create(store, &acme, "A-1");
    save(store, held(&acme));
    assert_eq!(see(store, |tx| tx.next_due_at(at(10))), None);
    create(store, &supplier(store, "OTHER"), "O-1");
    assert_eq!(claim(store, at(10), 5), ["O-1"]);
    save(store, gate(&acme));
    assert!(see(store, |tx| tx.next_due_at(at(10))).is_some());
    assert_eq!(claim(store, at(10), 5), ["A-1"]);
}

/// As during a pause: windows that have closed are missed after the release.
pub fn windows_do_not_close_during_a_hold(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let (owner, window) = (acme.clone(), Window { start: None, end: Some(at(10)) });
    put(store, move |tx| insert(tx, &owner, "A-1", Submission { is_dry_run: false, window }, at(0)));
    save(store, held(&acme));
    assert_eq!(see(store, |tx| tx.missed_windows(at(20), 5)), []);
    save(store, gate(&acme));
    assert_eq!(see(store, |tx| tx.missed_windows(at(20), 5)).len(), 1);
}

/// An account whose claim was given back goes on, also behind accounts that have waited for longer.
pub fn a_full_wave_claims_only_its_own_accounts_again(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create_many(store, &acme, "A", 9);
    save(store, wave(&acme, 3));
    assert_eq!(claim_for_wave(store, &acme, 2).len(), 2);
    let last = claim_for_wave(store, &acme, 5);
    assert_eq!(last.len(), 1, "the wave has room for one");
    assert_eq!(see(store, |tx| tx.next_due_at(at(5_000))), None);
    assert_eq!(claim_for_wave(store, &acme, 5), [0_i64; 0]);
    let back = process(store, &acme, "A-2").process;
    assert_eq!(back.id(), last[0]);
    assert!(step(store, &back, Event::Deferred { due_at: at(4_000) }, at(3_000)));
    assert_eq!(see(store, |tx| tx.next_due_at(at(5_000))), Some(at(4_000)));
    assert_eq!(claim_for_wave(store, &acme, 5), last);
    let code = [acme.code.clone()];
    assert_eq!(put(store, move |tx| tx.lock_gates(&code))[0].1.claimed, 3);
    // Nothing is remembered of the full wave.
    let id = acme.id;
    put(store, move |tx| tx.clear_wave(id));
    save(store, Gate { wave: 2, ..wave(&acme, 4) });
    assert_eq!(claim_for_wave(store, &acme, 9).len(), 4);
}

/// An account counts once, however often it is claimed, and is open until it ends.
pub fn accounts_belong_to_a_wave_once(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create_many(store, &acme, "A", 3);
    let ids: Vec<i64> = ["A-0", "A-1", "A-2"].map(|name| process(store, &acme, name).process.id()).to_vec();
    let (id, [a, b, c]) = (acme.id, [ids[0], ids[1], ids[2]]);
    assert!(!see(store, |tx| tx.is_wave_open(id)));
    assert_eq!(put(store, move |tx| tx.join_wave(id, &[a, b])), 2);
    assert!(see(store, |tx| tx.is_wave_open(id)));
    assert_eq!(put(store, move |tx| tx.join_wave(id, &[b, c])), 1);
    put(store, move |tx| tx.leave_wave(&[a]));
    assert_eq!(see(store, |tx| tx.open_in_wave(&[c, b, a])), [b, c]);
    assert_eq!(see(store, |tx| tx.open_in_wave(&[])), [0_i64; 0]);
    put(store, move |tx| tx.leave_wave(&[b, c]));
    assert!(!see(store, |tx| tx.is_wave_open(id)));
    assert_eq!(put(store, move |tx| tx.join_wave(id, &[a])), 0);
    assert!(see(store, |tx| tx.is_wave_open(id)));
    put(store, move |tx| tx.clear_wave(id));
    assert!(!see(store, |tx| tx.is_wave_open(id)));
    assert_eq!(put(store, move |tx| tx.join_wave(id, &[a])), 1);
}

/// Also if the last one is erased.
pub fn waves_end_with_their_last_account(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create_many(store, &acme, "A", 3);
    save(store, wave(&acme, 1));
    assert_eq!(see(store, |tx| tx.ended_waves()), []);
    let claimed = claim_for_wave(store, &acme, 3);
    assert_eq!((claimed.len(), see(store, |tx| tx.ended_waves())), (1, vec![]));
    put(store, move |tx| tx.erase(&claimed));
    assert_eq!(see(store, |tx| tx.ended_waves()), std::slice::from_ref(&acme.code));
    save(store, Gate { claimed: 1, hold: held(&acme).hold, ..wave(&acme, 1) });
    assert_eq!(see(store, |tx| tx.ended_waves()), []);
}

/// Nodes that claim at the same time never claim more than the wave has.
pub fn claims_of_many_threads_fill_a_wave_exactly(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create_many(store, &acme, "A", 60);
    save(store, wave(&acme, 37));
    let claimed = on_threads(6, |_| (0..6).map(|_| claim_for_wave(store, &acme, 4).len()).sum::<usize>());
    let mut claimed: usize = claimed.iter().sum();
    // A claim takes nothing if another one has filled the wave meanwhile.
    claimed += std::iter::repeat_with(|| claim_for_wave(store, &acme, 4).len())
        .take_while(|n| *n > 0)
        .sum::<usize>();
    assert_eq!(claimed, 37);
}

/// Counts of transactions at the same time add up.
pub fn locked_gates_lose_no_count(store: &dyn Store) {
    let [acme, other] = ["ACME", "OTHER"].map(|code| supplier(store, code));
    for supplier in [&acme, &other] {
        save(store, gate(supplier));
    }
    on_threads(8, |n| {
        let mut codes = [acme.code.clone(), other.code.clone()];
        codes.rotate_left(n % 2);
        for _ in 0..5 {
            let codes = codes.clone();
            put(store, move |tx| {
                for (_, mut gate) in tx.lock_gates(&codes)? {
                    gate.ended += 1;
                    tx.save_gate(&gate)?;
                }
                Ok(())
            });
        }
    });
    let codes = [acme.code.clone(), other.code.clone()];
    let gates = put(store, move |tx| tx.lock_gates(&codes));
    assert!(gates.iter().all(|(_, gate)| gate.ended == 40), "{gates:?}");
}
