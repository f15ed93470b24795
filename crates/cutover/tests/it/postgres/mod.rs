//! Behaviour on PostgreSQL only. All other tests run on both databases.

mod backup;
mod doctor;
mod keys;
mod migrations;
mod nodes;
mod outages;
mod pooler;
mod stalled_writes;
mod standby;
mod tls;
mod waiting;

use crate::harness::{Answer, Client, items, text};

/// The numbers in a list, in order.
fn listed(client: &Client, list: &str) -> Vec<String> {
    let answer = client.get(&format!("{list}ACME/"));
    assert_eq!(answer.status, 200, "{}", answer.text());
    items(&answer.json()).iter().map(|item| text(&item["external_account_number"])).collect()
}

/// The answer while a part is unavailable: retry soon.
fn assert_unavailable(answer: &Answer) {
    assert_eq!(answer.code(), (503, "service_unavailable".to_owned()));
    assert!(answer.header("Retry-After").unwrap().parse::<u32>().unwrap() >= 1);
}
