//! Many requests at the same time, round after round. The variable `CUTOVER_TEST_ROUNDS` sets the number of rounds.

mod bulk_lines;
mod equal_requests;

use crate::harness::{Answer, Client, items, text, wait_for};
use std::collections::BTreeMap;
use std::sync::Barrier;
use std::thread;

/// Number of equal calls at a time.
const CALLS: usize = 16;

fn rounds() -> usize {
    let asked = std::env::var("CUTOVER_TEST_ROUNDS").ok().filter(|text| !text.is_empty());
    asked.map_or(3, |text| text.parse().unwrap())
}

/// Makes calls at the same time, each with its number, and returns their results.
fn at_once<T: Send>(calls: usize, call: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let start = Barrier::new(calls);
    let called = |n| {
        start.wait();
        call(n)
    };
    let called = &called;
    thread::scope(|scope| {
        let calls: Vec<_> = (0..calls).map(|n| scope.spawn(move || called(n))).collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    })
}

/// Statuses that tell a client to come again: a slow machine does not keep up with so many calls.
const COME_AGAIN: [u16; 2] = [408, 503];

/// Makes [`CALLS`] equal calls at the same time, each of which must be answered with this status.
fn equally(status: u16, call: impl Fn() -> Answer + Sync) -> Vec<Answer> {
    let answered = |n| {
        wait_for(&format!("call {n} is answered"), || {
            let answer = call();
            if COME_AGAIN.contains(&answer.status) { Err(answer.text()) } else { Ok(answer) }
        })
    };
    let answers = at_once(CALLS, answered);
    for answer in &answers {
        assert_eq!(answer.status, status, "{}", answer.text());
    }
    answers
}

/// Waits until the feed has these numbers of events of each type: on PostgreSQL it shows events once older transactions have
/// ended.
fn wait_for_events(client: &Client, expected: &[(&str, usize)]) {
    let expected: BTreeMap<_, _> =
        expected.iter().map(|(event, count)| ((*event).to_owned(), *count)).collect();
    wait_for("the events", || {
        let counts = events(client);
        if counts == expected { Ok(()) } else { Err(counts) }
    });
}

fn events(client: &Client) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let mut after = String::new();
    loop {
        let page = client.get(&format!("/v2/data-import/events/?page_size=10000{after}")).json();
        let Some(last) = items(&page).last() else { return counts };
        after = format!("&after={}", text(&last["id"]));
        for event in items(&page) {
            *counts.entry(text(&event["type"])).or_default() += 1;
        }
    }
}
