//! Rules about agreements.
