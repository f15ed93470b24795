//! Rules about transactions.
