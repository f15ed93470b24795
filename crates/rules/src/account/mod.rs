//! Rules about accounts.
