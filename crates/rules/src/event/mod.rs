//! Rules about events.
