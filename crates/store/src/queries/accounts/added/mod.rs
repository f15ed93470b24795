//! What is added to accounts after their import (contract D8). It comes behind what is there: its place
//! is found by a key, whatever the account has already.

mod ledgers;
mod notes;
pub(super) mod statements;
