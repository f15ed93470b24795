//! Additions to accounts after their import (contract D8). A new row gets the position after the last one,
//! which is found by a key however many rows the account has.

mod ledgers;
mod notes;
pub(super) mod statements;
