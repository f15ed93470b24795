//! Rules about statements.
