//! What every Cutover crate speaks: validated identifiers, attribute paths, issues, the one
//! table of error codes, supplier status, and time as a value.
//!
//! Pure: no I/O, no clock, no randomness, no HTTP status. Everything here is a value.

mod attr;
mod code;
mod id;
mod issue;
mod plain;
mod supplier;
mod time;
mod word;

pub use attr::{AttrPath, NON_FIELD_ERRORS, Segment};
pub use code::{CODES, Code, Domain};
pub use id::{ExternalAccountNumber, InvalidId, ServiceAccountNumber, SupplierCode, WHITE_SPACE, trimmed};
pub use issue::{Issue, Level, RuleId};
pub use plain::plain;
pub use supplier::{InvalidStatus, SupplierStatus};
pub use time::{InvalidZone, Now, Zone};
pub use word::Word;
