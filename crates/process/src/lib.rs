//! The state machine of import processes, each of which turns a staged payload into an account (contract 2.2,
//! 3, D5, D6).
//!
//! [`TRANSITIONS`] is the table of legal steps. [`Process::step`] consumes a process and returns the next one
//! with the entry of its history, or refuses. The crate is pure: it does no I/O, and time and randomness are
//! arguments. Only a step changes a status.
//!
//! ```
//! use cutover_process::{Actor, Event, NewProcess, Process, State, Submission};
//!
//! let at = "2026-03-01T10:00:00Z".parse()?;
//! let new = NewProcess {
//!     supplier: "ACME".parse()?,
//!     external_account_number: "A-100".parse()?,
//!     submission: Submission::default(),
//! };
//! let (process, created) = Process::create(1, new, at, Actor::Api {
//!     key_prefix: "cut_live_ab".into(),
//!     request_id: None,
//! });
//! assert_eq!(created.to, State::Pending);
//!
//! let (process, _) = process.step(Event::Claimed, at, Actor::Worker { name: "w1".into() })?;
//! assert_eq!((process.state(), process.version()), (State::InProgress, 2));
//!
//! let refused = process.step(Event::Cancelled, at, Actor::Operator).unwrap_err();
//! assert_eq!(refused.to_string(), "a process that is IN_PROGRESS refuses the event cancelled");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod decide;
mod event;
mod history;
mod process;
pub mod reference;
mod retry;
mod snapshot;
mod table;
mod window;

pub use cutover_core::{ProcessError, ShownEvent, State, StateV1, StoredFacts};
pub use decide::{CreateDecision, on_create, on_failure, on_rejection, on_success};
pub use event::{Event, EventKind};
pub use history::{Actor, HistoryEntry};
pub use process::{NewProcess, Process};
pub use retry::{BACKOFF_CAP, Failure, IDLE, LEASE, MAX_ATTEMPTS, Outage, RETRY_TIME, SWEEP, backoff};
pub use snapshot::{CorruptProcess, Snapshot};
pub use table::{IllegalStep, Refusal, Run, TRANSITIONS, Transition, transition};
pub use window::{Submission, Window};
