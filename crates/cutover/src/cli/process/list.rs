use super::shown::newer;
use crate::error::Error;
use crate::output::{Output, ZonedTime, plain};
use cutover_app::App;
use cutover_app::account::process_status;
use cutover_app::port::{Cause, ListedProcess, ProcessFilter};
use cutover_core::Zone;
use cutover_model::ProcessStatus;
use serde::Serialize;
use std::io::{self, BufWriter, Write};

/// A row: the status object and the number of a process.
#[derive(Serialize)]
struct Listed<'p> {
    external_account_number: &'p str,
    #[serde(flatten)]
    status: ProcessStatus,
    /// Present if its import was undone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    undone: bool,
    /// The status that a newer version wrote, if the API shows a different one.
    #[serde(skip_serializing_if = "Option::is_none")]
    stored_status: Option<String>,
    /// The codes that the failure is counted by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    error_codes: Vec<&'p str>,
}

/// Prints the processes of a supplier while they are read: there may be millions. Nothing is printed before the first
/// one is found, as the supplier may be unknown.
pub(super) fn run(app: &App, output: Output, supplier: &str, filter: ProcessFilter<'_>) -> Result<(), Error> {
    let mut list = List { out: BufWriter::new(io::stdout().lock()), json: output.is_json(), rows: 0 };
    let mut written = Ok(());
    app.as_command().each_process(supplier, filter, |listed, zone| {
        if written.is_ok() {
            written = list.row(listed, zone);
        }
    })?;
    written?;
    Ok(list.end(supplier)?)
}

struct List<W: Write> {
    out: W,
    json: bool,
    rows: u64,
}

impl<W: Write> List<W> {
    fn row(&mut self, listed: &ListedProcess, zone: Zone) -> io::Result<()> {
        self.rows += 1;
        let ListedProcess { process, error_causes, .. } = listed;
        let error_codes: Vec<&str> = Cause::codes(error_causes).collect();
        let number = process.snapshot().external_account_number.as_str();
        let status = process_status(process, zone);
        if self.json {
            self.out.write_all(if self.rows == 1 { b"[\n" } else { b",\n" })?;
            let stored_status = newer(&process.stored_state());
            let undone = process.is_undone();
            let listed =
                Listed { external_account_number: number, status, undone, stored_status, error_codes };
            return Ok(serde_json::to_writer(&mut self.out, &listed)?);
        }
        if self.rows == 1 {
            self.line("MODIFIED", "STATUS", "ACCOUNT", "NUMBER", "ERROR")?;
        }
        let modified = ZonedTime::local(process.snapshot().modified_at, zone).to_string();
        let account = status.service_identifier.as_ref().map_or("-", |number| number.as_str());
        let error = match process.is_undone() {
            true => "undone".to_owned(),
            false => plain(&error_codes.join(", ")),
        };
        let status = plain(process.stored_state().as_str());
        self.line(&modified, &status, account, &plain(number), &error)
    }

    /// Columns have fixed widths: later rows are not known yet.
    fn line(&mut self, at: &str, status: &str, account: &str, number: &str, error: &str) -> io::Result<()> {
        let line = format!("{at:<25}  {status:<17}  {account:<10}  {number:<18}  {error}");
        writeln!(self.out, "{}", line.trim_end())
    }

    fn end(mut self, supplier: &str) -> io::Result<()> {
        match (self.json, self.rows) {
            (true, 0) => writeln!(self.out, "[]")?,
            (true, _) => writeln!(self.out, "\n]")?,
            (false, 0) => writeln!(self.out, "No such processes of {}.", plain(supplier))?,
            (false, _) => {}
        }
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_process::{Actor, NewProcess, Process, Submission};

    fn process(number: &str) -> ListedProcess {
        let new = NewProcess {
            supplier: "ACME".parse().unwrap(),
            external_account_number: number.parse().unwrap(),
            submission: Submission::default(),
        };
        let process = Process::create(1, new, "2026-11-21T00:00:00Z".parse().unwrap(), Actor::System).0;
        let cause = |code: &str, attr: &str| Cause { code: code.to_owned(), attr: Some(attr.to_owned()) };
        let error_causes = match number {
            "A-2" => vec![cause("invalid", "email"), cause("invalid", "mobile"), cause("required", "name")],
            _ => Vec::new(),
        };
        ListedProcess { position: (process.snapshot().created_at, 1), process, error_causes }
    }

    fn print(json: bool, numbers: &[&str]) -> String {
        let mut out = Vec::new();
        let mut list = List { out: &mut out, json, rows: 0 };
        for number in numbers {
            list.row(&process(number), "Australia/Melbourne".parse().unwrap()).unwrap();
        }
        list.end("ACME").unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_json_list_of_any_length_is_one_document() {
        for numbers in [&[][..], &["A-1"], &["A-1", "A-2", "A-3"]] {
            let list: Vec<serde_json::Value> = serde_json::from_str(&print(true, numbers)).unwrap();
            assert_eq!(list.len(), numbers.len());
        }
        insta::assert_snapshot!(print(true, &["A-1", "A-2"]));
    }

    #[test]
    fn a_text_list_has_headings() {
        insta::assert_snapshot!(print(false, &["A-1", "A-2", "A\u{1b}[2J"]));
        assert_eq!(print(false, &[]), "No such processes of ACME.\n");
    }
}
