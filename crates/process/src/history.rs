use crate::{EventKind, State};
use chrono::{DateTime, Utc};
use cutover_core::{FeedEventType, ServiceAccountNumber, UnknownWord, Word};
use std::fmt;
use std::str::FromStr;

/// One step of a process in its append-only history (contract D6, D11). Words that a newer version wrote are
/// shown unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryEntry {
    /// The event.
    pub event: Word<EventKind>,
    /// The status before; `None` for the first entry.
    pub from: Option<Word<State>>,
    /// The status after.
    pub to: Word<State>,
    /// Time of the step; never before the process was created.
    pub occurred_at: DateTime<Utc>,
    /// Number of attempts so far, including this step: 0 before the first claim. It is not reset by
    /// resubmissions, so that each attempt has its own number.
    pub attempt: u32,
    /// The actor of the step.
    pub actor: Word<Actor>,
    /// The version after the step. Orders the history even if the clock went back.
    pub version: i64,
    /// The number of the account that an undo has just removed, for the event of the feed. It is not kept in the history.
    pub removed_account: Option<ServiceAccountNumber>,
}

impl HistoryEntry {
    /// The type of the event that the feed has for this step (contract D19). Claims and their ends without a
    /// result have none: they change nothing for other systems.
    pub fn feed_event_type(&self) -> Option<FeedEventType> {
        Some(match self.event.known()? {
            EventKind::Created | EventKind::Resubmitted | EventKind::RetriedByOperator => {
                FeedEventType::ProcessCreated
            }
            EventKind::Replaced => FeedEventType::ProcessReplaced,
            EventKind::Cancelled => FeedEventType::ProcessCancelled,
            EventKind::Undone => FeedEventType::ProcessUndone,
            EventKind::Imported => FeedEventType::ProcessProcessed,
            EventKind::DryRunPassed => FeedEventType::ProcessDryRunSucceeded,
            EventKind::WindowMissed
            | EventKind::Rejected
            | EventKind::RetriesExhausted
            | EventKind::DryRunFailed => match self.to == State::DryRunErrored {
                true => FeedEventType::ProcessDryRunErrored,
                false => FeedEventType::ProcessErrored,
            },
            EventKind::Claimed
            | EventKind::Released
            | EventKind::ShutDown
            | EventKind::Deferred
            | EventKind::Failed => return None,
        })
    }
}

/// The actor of a step, written `api:KEY_PREFIX#REQUEST_ID`, `worker:NAME`, `operator` or `system`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Actor {
    /// A request to the API.
    Api {
        /// The prefix of the API key that lists show; never the key.
        key_prefix: String,
        /// The `X-Request-Id` of the answer, which logs have too (contract D3).
        request_id: Option<String>,
    },
    /// An import worker.
    Worker {
        /// Its name.
        name: String,
    },
    /// The operator, by a command or the console.
    Operator,
    /// The service itself, for example the sweep of leases and windows.
    System,
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Api { key_prefix, request_id: None } => write!(f, "api:{key_prefix}"),
            Self::Api { key_prefix, request_id: Some(id) } => write!(f, "api:{key_prefix}#{id}"),
            Self::Worker { name } => write!(f, "worker:{name}"),
            Self::Operator => f.write_str("operator"),
            Self::System => f.write_str("system"),
        }
    }
}

impl FromStr for Actor {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once(':') {
            Some(("api", caller)) => Ok(match caller.split_once('#') {
                Some((prefix, id)) => {
                    Self::Api { key_prefix: prefix.to_owned(), request_id: Some(id.to_owned()) }
                }
                None => Self::Api { key_prefix: caller.to_owned(), request_id: None },
            }),
            Some(("worker", name)) => Ok(Self::Worker { name: name.to_owned() }),
            None if text == "operator" => Ok(Self::Operator),
            None if text == "system" => Ok(Self::System),
            _ => Err(UnknownWord::new("an actor", &["api:…", "worker:…", "operator", "system"], text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn actors_are_written_plainly() {
        let api = Actor::Api { key_prefix: "cut_live_ab12".into(), request_id: Some("r-7".into()) };
        let worker = Actor::Worker { name: "node-1:3".into() };
        let words = [api, worker, Actor::Operator, Actor::System].map(|actor| actor.to_string());
        assert_eq!(words, ["api:cut_live_ab12#r-7", "worker:node-1:3", "operator", "system"]);
    }

    #[test]
    fn other_texts_are_refused_as_actors() {
        for text in ["", "api", "operator:x", "Operator", "robot:1"] {
            assert!(text.parse::<Actor>().is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn actors_read_back(name in ".*", key_prefix in "[^#]*", request_id in proptest::option::of(".*")) {
            for actor in [Actor::Api { key_prefix, request_id }, Actor::Worker { name }] {
                prop_assert_eq!(actor.to_string().parse::<Actor>(), Ok(actor));
            }
        }
    }
}
