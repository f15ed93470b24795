//! Rules about instructions.
