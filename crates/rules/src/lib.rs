//! The rule catalogue: pure functions from a payload and facts to issues.
