//! The vocabulary that all Cutover crates share: validated identifiers, attribute paths, issues, the table of
//! error codes, the states of imports and suppliers, and time as a value.
//!
//! Pure: no I/O, no clock, no randomness, no HTTP status. Everything here is a value.

mod attr;
mod code;
mod feed_event_type;
mod folded;
mod grouped;
mod id;
mod issue;
mod nearest;
mod plain;
mod process_error;
mod spreadsheet;
mod state;
mod string_enum;
mod supplier;
mod time;
mod word;

pub use attr::{AttrPath, NON_FIELD_ERRORS, Segment};
pub use code::{Code, Domain, Example};
pub use feed_event_type::FeedEventType;
pub use folded::folded;
pub use grouped::grouped;
pub use id::{ExternalAccountNumber, InvalidId, ServiceAccountNumber, SupplierCode, trimmed};
pub use issue::{Issue, IssueSource, Level, RuleId};
pub use nearest::nearest;
pub use plain::plain;
pub use process_error::ProcessError;
pub use spreadsheet::spreadsheet_cell;
pub use state::{ShownEvent, State, StateV1, StoredFacts};
pub use string_enum::UnknownWord;
pub use supplier::SupplierStatus;
pub use time::{InvalidZone, Now, Zone};
pub use word::Word;

/// For the expansion of [`string_enum!`].
#[doc(hidden)]
pub use serde as __serde;
