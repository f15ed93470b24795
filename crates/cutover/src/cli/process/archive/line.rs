//! A line of an archive: a JSON object.
//!
//! `archive` is the version of this form, 1. `supplier`, `external_account_number` and `version` identify a state
//! of a process: of several lines of one state the last one counts, the others were written before a failure. A
//! process that was sent again and archived again has a line with a later version, whose history continues that
//! of the earlier one. `fingerprint` is in hexadecimal digits, `history` as `process show` prints it, `payload`
//! the accepted JSON with its digits and the order of its members; its line breaks are replaced by spaces.

use super::super::shown::Step;
use cutover_app::operator::ArchivedProcess;
use serde::Serialize;
use serde_json::value::RawValue;
use std::io::{self, Write};

/// The beginning of every line.
pub(super) const BEGINNING: &[u8] = br#"{"archive":1,"#;

#[derive(Serialize)]
struct Line<'p> {
    archive: u8,
    supplier: &'p str,
    external_account_number: &'p str,
    version: i64,
    status: &'static str,
    service_account_number: Option<&'p str>,
    fingerprint: String,
    history: Vec<Step>,
    payload: Box<RawValue>,
}

/// Writes a process as a line.
pub(super) fn write(out: &mut impl Write, archived: &ArchivedProcess) -> io::Result<()> {
    let is = archived.process.snapshot();
    let line = Line {
        archive: 1,
        supplier: is.supplier.as_str(),
        external_account_number: is.external_account_number.as_str(),
        version: is.version,
        status: is.state.as_str(),
        service_account_number: is.service_account_number.as_ref().map(|number| number.as_str()),
        fingerprint: archived.fingerprint.iter().map(|byte| format!("{byte:02x}")).collect(),
        history: archived.history.iter().map(|entry| Step::new(entry, archived.zone)).collect(),
        payload: in_one_line(&archived.payload)?,
    };
    serde_json::to_writer(&mut *out, &line)?;
    out.write_all(b"\n")
}

/// Replaces line breaks by spaces. Strings are not affected: JSON escapes line breaks in them.
fn in_one_line(payload: &[u8]) -> io::Result<Box<RawValue>> {
    let space = |byte: &u8| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte };
    let text = String::from_utf8(payload.iter().map(space).collect()).map_err(io::Error::other)?;
    Ok(RawValue::from_string(text)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_core::Zone;
    use cutover_process::{Actor, Event, NewProcess, Process, Submission};

    fn archived(payload: &[u8]) -> ArchivedProcess {
        let at = |minute: u32| format!("2026-11-21T00:{minute:02}:00Z").parse().unwrap();
        let new = NewProcess {
            supplier: "ACME".parse().unwrap(),
            external_account_number: "A \"1\"".parse().unwrap(),
            submission: Submission::default(),
        };
        let (process, created) = Process::create(1, new, at(0), Actor::System);
        let (process, entry) = process.step(Event::Cancelled, at(1), Actor::Operator).unwrap();
        let (fingerprint, history) = ([0x0f; 32], vec![created, entry]);
        let zone: Zone = "Australia/Melbourne".parse().unwrap();
        ArchivedProcess { process, fingerprint, history, payload: payload.to_vec(), zone }
    }

    #[test]
    fn a_line_holds_the_payload_as_it_was_sent() {
        let mut out = Vec::new();
        let payload = b" {\r\n\t\"b\": 1.50,\n \"a\": \"\\n\\u00e9\xc3\xa9\",\"a\":[]}\n";
        write(&mut out, &archived(payload)).unwrap();
        let line = String::from_utf8(out).unwrap();
        assert_eq!((line.lines().count(), line.as_bytes().starts_with(BEGINNING)), (1, true));
        insta::assert_snapshot!(line);
    }

    #[test]
    fn a_payload_that_is_not_json_is_not_written() {
        let mut out = Vec::new();
        assert!(write(&mut out, &archived(b"{")).is_err());
        assert_eq!(out, b"");
    }
}
