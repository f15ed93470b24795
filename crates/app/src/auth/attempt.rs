//! Attempts to authenticate. All are counted. What is logged and recorded is bounded, however many there are.

use super::{Denied, Outcome};
use crate::App;
use crate::operator::{Audited, record_action};
use crate::port::{AuditAction, Detail, Operator, StoreError, Subject, write};
use chrono::{DateTime, TimeDelta, Utc};
use cutover_core::string_enum;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum number of different lines between two reports. Beyond it, all addresses share a line per outcome.
const MAX_LINES: usize = 1_000;
/// Maximum number of keys whose refusals wait to be recorded. Only tokens of a forger can name more.
const MAX_KEYS: usize = 10_000;
/// Minimum interval between records of one key and outcome: rows of the audit trail are never removed.
const RECORD_INTERVAL: TimeDelta = TimeDelta::minutes(10);

string_enum! {
    "a kind of attempt";
    /// Purpose of an attempt to authenticate.
    pub enum AttemptKind {
        /// An access token, with an API key or a refresh token.
        ObtainToken = "obtain_token",
        /// A request of the API, with an access token or an operator's key.
        ApiRequest = "api_request",
        /// A session of the console, with an API key.
        ConsoleSignIn = "console_sign_in",
        /// A page of the console, with a session.
        ConsolePage = "console_page",
    }
}

/// An attempt to authenticate.
#[derive(Debug, Clone, Copy)]
pub struct Attempt<'a> {
    /// Its purpose.
    pub kind: AttemptKind,
    /// The address of the client.
    pub client: IpAddr,
    /// The addresses that count as one client, as limits count them.
    pub network: IpAddr,
    /// The id of the request.
    pub request_id: &'a str,
}

/// The attempts of this process.
#[derive(Debug, Default)]
pub(crate) struct AttemptLog {
    counts: [[AtomicU64; Outcome::ALL.len()]; AttemptKind::ALL.len()],
    refused: Mutex<Refused>,
}

/// Refused attempts since the last report.
#[derive(Debug, Default)]
struct Refused {
    /// Lines that were logged once, and how many of the same followed.
    lines: HashMap<Line, u64>,
    /// Refusals of keys that exist.
    keys: HashMap<(i64, Outcome), KeyRefusals>,
}

/// A line of the log without what differs between attempts of one client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Line {
    kind: AttemptKind,
    outcome: Outcome,
    /// `None` for all that are too many to be told apart.
    network: Option<IpAddr>,
    api_key_id: Option<i64>,
}

/// Refusals of a key that are not recorded yet.
#[derive(Debug, Clone, Copy)]
struct KeyRefusals {
    attempts: u64,
    kind: AttemptKind,
    client: IpAddr,
    recorded_at: Option<DateTime<Utc>>,
}

impl Refused {
    /// Adds an attempt; returns true if it is to be logged.
    fn add(&mut self, attempt: &Attempt<'_>, denied: &Denied) -> bool {
        let Denied { outcome, api_key_id, .. } = *denied;
        if let Some(id) = api_key_id {
            self.add_to_key(id, outcome, attempt);
        }
        let line = Line { kind: attempt.kind, outcome, network: Some(attempt.network), api_key_id };
        let is_shared = self.lines.len() >= MAX_LINES && !self.lines.contains_key(&line);
        let line = if is_shared { Line { network: None, api_key_id: None, ..line } } else { line };
        match self.lines.entry(line) {
            Entry::Occupied(mut left_out) => {
                *left_out.get_mut() += 1;
                false
            }
            Entry::Vacant(first) => {
                first.insert(0);
                true
            }
        }
    }

    fn add_to_key(&mut self, id: i64, outcome: Outcome, attempt: &Attempt<'_>) {
        // An expired token is what every client has from time to time.
        let is_full = self.keys.len() >= MAX_KEYS && !self.keys.contains_key(&(id, outcome));
        if outcome == Outcome::Expired || is_full {
            return;
        }
        let Attempt { kind, client, .. } = *attempt;
        let new = KeyRefusals { attempts: 0, kind, client, recorded_at: None };
        let refusals = self.keys.entry((id, outcome)).or_insert(new);
        if refusals.attempts == 0 {
            *refusals = KeyRefusals { kind, client, ..*refusals };
        }
        refusals.attempts += 1;
    }

    /// Takes the lines of which some were left out. Others are logged again when they come again.
    fn take_lines(&mut self) -> Vec<(Line, u64)> {
        self.lines.retain(|_, left_out| *left_out > 0);
        self.lines.iter_mut().map(|(line, left_out)| (*line, std::mem::take(left_out))).collect()
    }

    /// Takes the refusals whose key has had no record within the interval.
    fn take_keys(&mut self, now: DateTime<Utc>, interval: TimeDelta) -> Vec<(i64, Outcome, KeyRefusals)> {
        let is_recent = |refusals: &KeyRefusals| refusals.recorded_at.is_some_and(|at| now - at < interval);
        self.keys.retain(|_, refusals| refusals.attempts > 0 || is_recent(refusals));
        let due = self.keys.iter_mut().filter(|(_, refusals)| refusals.attempts > 0 && !is_recent(refusals));
        let take = |((id, outcome), refusals): (&(i64, Outcome), &mut KeyRefusals)| {
            let taken = (*id, *outcome, *refusals);
            (refusals.attempts, refusals.recorded_at) = (0, Some(now));
            taken
        };
        due.map(take).collect()
    }

    /// Returns refusals that could not be recorded.
    fn give_back(&mut self, id: i64, outcome: Outcome, taken: KeyRefusals) {
        let refusals = self.keys.entry((id, outcome)).or_insert(KeyRefusals { attempts: 0, ..taken });
        *refusals = KeyRefusals { attempts: refusals.attempts + taken.attempts, ..taken };
    }
}

impl AttemptLog {
    fn refused(&self) -> MutexGuard<'_, Refused> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl App {
    /// Notes an attempt with the public part of its key, or with the reason of its refusal. Counts it; logs it unless
    /// the same was logged since the last report. Of those that are accepted, only sign-ins are logged: each request
    /// has an access token or a session.
    pub fn note_attempt(&self, attempt: &Attempt<'_>, result: Result<&str, &Denied>) {
        let outcome = result.map_or_else(|denied| denied.outcome, |_| Outcome::Accepted);
        self.attempts.counts[attempt.kind as usize][outcome as usize].fetch_add(1, Ordering::Relaxed);
        let signs_in = matches!(attempt.kind, AttemptKind::ObtainToken | AttemptKind::ConsoleSignIn);
        let (key, is_logged) = match result {
            Ok(prefix) => (Some(prefix), signs_in),
            Err(denied) => (denied.key_prefix.as_deref(), self.attempts.refused().add(attempt, denied)),
        };
        if is_logged {
            let Attempt { kind, client, request_id, .. } = attempt;
            tracing::info!(
                target: "cutover::auth", request_id, %client, attempt = kind.as_str(), outcome = outcome.as_str(), key,
                "authentication"
            );
        }
    }

    /// Returns the number of attempts of each kind and outcome since the process started.
    pub fn attempts(&self) -> impl Iterator<Item = (AttemptKind, Outcome, u64)> {
        AttemptKind::ALL.into_iter().flat_map(move |kind| {
            let counts = &self.attempts.counts[kind as usize];
            let count = move |outcome: Outcome| counts[outcome as usize].load(Ordering::Relaxed);
            Outcome::ALL.into_iter().map(move |outcome| (kind, outcome, count(outcome)))
        })
    }

    /// Logs how many attempts were left out of the log, and records the refusals of keys that exist, each key and
    /// outcome at most once in 10 minutes.
    pub fn report_attempts(&self) {
        self.report_attempts_at_intervals(RECORD_INTERVAL);
    }

    /// Like [`report_attempts`](Self::report_attempts), before the process ends: nothing waits any longer.
    pub(crate) fn report_all_attempts(&self) {
        self.report_attempts_at_intervals(TimeDelta::zero());
    }

    fn report_attempts_at_intervals(&self, interval: TimeDelta) {
        let now = self.clock.now();
        let (lines, keys) = {
            let mut refused = self.attempts.refused();
            (refused.take_lines(), refused.take_keys(now, interval))
        };
        for (Line { kind, outcome, network, .. }, left_out) in lines {
            let network = network.map(tracing::field::display);
            tracing::info!(
                target: "cutover::auth", network, attempt = kind.as_str(), outcome = outcome.as_str(), left_out,
                "more of the same authentications"
            );
        }
        if let Err(error) = self.record_refusals(now, &keys) {
            tracing::warn!(%error, "refused keys could not be recorded");
            let mut refused = self.attempts.refused();
            keys.into_iter().for_each(|(id, outcome, taken)| refused.give_back(id, outcome, taken));
        }
    }

    fn record_refusals(
        &self,
        at: DateTime<Utc>,
        keys: &[(i64, Outcome, KeyRefusals)],
    ) -> Result<(), StoreError> {
        if keys.is_empty() {
            return Ok(());
        }
        let keys = keys.to_vec();
        write(&*self.store, move |tx| {
            for (id, outcome, refusals) in keys {
                // Only a forger's token names a key that does not exist.
                let Some(key) = tx.api_key(id)? else { continue };
                let detail = Detail::default()
                    .word("outcome", outcome)
                    .word("attempt", refusals.kind)
                    .word("client", refusals.client)
                    .count("attempts", refusals.attempts);
                let audited = Audited { subject: Subject::organisation(key.organisation_id), detail };
                let by = Operator::Key { prefix: key.prefix };
                record_action(tx, at, by, AuditAction::KeyRefused, audited)?;
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    /// Adds a guess from an address; returns true if it is to be logged.
    fn add(refused: &mut Refused, address: u32, outcome: Outcome) -> bool {
        let client = Ipv4Addr::from_bits(address).into();
        let attempt = Attempt { kind: AttemptKind::ObtainToken, client, network: client, request_id: "r1" };
        refused.add(&attempt, &Denied::of(outcome))
    }

    #[test]
    fn a_line_is_logged_once_and_the_rest_is_counted() {
        let mut refused = Refused::default();
        let logged = (0..1_000).filter(|_| add(&mut refused, 1, Outcome::Unknown)).count();
        assert_eq!(logged, 1);
        assert!(add(&mut refused, 2, Outcome::Unknown) && add(&mut refused, 1, Outcome::Throttled));
        let left_out: Vec<_> = refused.take_lines().into_iter().map(|(_, left_out)| left_out).collect();
        assert_eq!(left_out, [999]);
        assert!(!add(&mut refused, 1, Outcome::Unknown), "it goes on, and is reported again");
        assert!(add(&mut refused, 2, Outcome::Unknown), "it had ended");
        let left_out: Vec<_> = refused.take_lines().into_iter().map(|(_, left_out)| left_out).collect();
        assert_eq!(left_out, [1]);
        assert!(refused.take_lines().is_empty() && refused.lines.is_empty());
    }

    #[test]
    fn any_number_of_addresses_takes_bounded_memory_and_log() {
        let mut refused = Refused::default();
        let addresses = 10 * MAX_LINES as u32;
        let logged = (0..addresses).filter(|n| add(&mut refused, *n, Outcome::Unknown)).count();
        assert_eq!((logged, refused.lines.len()), (MAX_LINES + 1, MAX_LINES + 1));
        let reported = refused.take_lines();
        assert_eq!(reported.len(), 1);
        assert_eq!(
            (reported[0].0.network, reported[0].1),
            (None, u64::from(addresses) - MAX_LINES as u64 - 1)
        );
    }

    #[test]
    fn any_number_of_forged_keys_takes_bounded_memory() {
        let mut refused = Refused::default();
        let client = Ipv4Addr::LOCALHOST.into();
        let attempt = Attempt { kind: AttemptKind::ApiRequest, client, network: client, request_id: "r1" };
        for id in 0..2 * MAX_KEYS as i64 {
            let denied = Denied { api_key_id: Some(id), ..Denied::of(Outcome::Revoked) };
            refused.add(&attempt, &denied);
        }
        assert_eq!((refused.keys.len(), refused.lines.len()), (MAX_KEYS, MAX_LINES + 1));
    }
}
