//! Accounts: validation, creation, status (contract 4.1).

mod check;
mod create;
mod status;
mod validate;

pub use check::Refused;
pub(crate) use check::{Check, check, profile};
pub use create::CreateRefused;
pub(crate) use create::stored;
pub use status::{shown_status, shown_time};
