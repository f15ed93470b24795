//! Rules about notes.
