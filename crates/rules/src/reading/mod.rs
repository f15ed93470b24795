//! Rules about readings.
