//! Tests of the public interface of the decoder: declarations, invariants, hostile input.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod assemble;
mod declarations;
mod hostile;
mod laws;
mod members;
mod personal;
mod requests;
mod schemas;
mod tables;
mod totals;

use cutover_model::{Zone, decode_account};

/// The findings of an account body, one per line, or the syntax error.
fn findings(body: &str) -> Vec<String> {
    match decode_account(body.as_bytes(), Zone::UTC) {
        Ok(decoded) => decoded.findings.iter().map(|f| format!("{}: {}", f.attr, f.check.code)).collect(),
        Err(error) => vec![format!("syntax: {error}")],
    }
}
