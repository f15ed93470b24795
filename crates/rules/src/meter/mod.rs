//! Rules about meters.
