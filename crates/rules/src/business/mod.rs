//! Rules about businesss.
