use super::shown::{newer, with_codes};
use crate::error::Error;
use crate::output::{Output, plain};
use cutover_app::App;
use cutover_app::account::AccountStatus;
use cutover_app::port::ProcessFilter;
use cutover_model::{ProcessStatus, WaitsFor};
use serde::Serialize;
use std::io::{self, BufWriter, Write};

/// A row: the status object and the number of a process.
#[derive(Serialize)]
struct Listed<'p> {
    external_account_number: &'p str,
    #[serde(flatten)]
    status: &'p ProcessStatus,
    waits_for: &'p Option<WaitsFor>,
    /// Present if its import was undone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    undone: bool,
    /// The status that a newer version wrote, if the API shows a different one.
    #[serde(skip_serializing_if = "Option::is_none")]
    stored_status: Option<String>,
    /// The codes that the failure is counted by.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    error_codes: &'p [String],
}

/// Prints the processes of a supplier while they are read: there may be millions. Nothing is printed before the first
/// one is found, as the supplier may be unknown.
pub(super) fn run(app: &App, output: Output, supplier: &str, filter: ProcessFilter<'_>) -> Result<(), Error> {
    let mut list = List { out: BufWriter::new(io::stdout().lock()), json: output.is_json(), rows: 0 };
    let mut written = Ok(());
    app.as_command().each_process(supplier, filter, |account| {
        if written.is_ok() {
            written = list.row(account);
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
    fn row(&mut self, account: &AccountStatus) -> io::Result<()> {
        self.rows += 1;
        let AccountStatus { number, status, stored_status, is_undone, error_codes, waits_for, sentence } =
            account;
        if self.json {
            self.out.write_all(if self.rows == 1 { b"[\n" } else { b",\n" })?;
            let listed = Listed {
                external_account_number: number,
                status,
                waits_for,
                undone: *is_undone,
                stored_status: newer(stored_status),
                error_codes,
            };
            return Ok(serde_json::to_writer(&mut self.out, &listed)?);
        }
        if self.rows == 1 {
            self.line("MODIFIED", "STATUS", "NUMBER", "WHERE IT STANDS")?;
        }
        let sentence = with_codes(sentence, error_codes);
        let modified = status.modified_at.0.format("%Y-%m-%d %H:%M:%S%:z").to_string();
        self.line(&modified, stored_status.as_str(), number, &sentence)
    }

    /// Columns have fixed widths: later rows are not known yet.
    fn line(&mut self, at: &str, status: &str, number: &str, sentence: &str) -> io::Result<()> {
        let (status, number, sentence) = (plain(status), plain(number), plain(sentence));
        writeln!(self.out, "{at:<25}  {status:<17}  {number:<18}  {sentence}")
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
    use cutover_app::account::process_status;
    use cutover_process::{Actor, NewProcess, Process, Submission};

    /// A pending account, or, with the number A-2, one with errors.
    fn account(number: &str) -> AccountStatus {
        let new = NewProcess {
            supplier: "ACME".parse().unwrap(),
            external_account_number: number.parse().unwrap(),
            submission: Submission::default(),
        };
        let process = Process::create(1, new, "2026-11-21T00:00:00Z".parse().unwrap(), Actor::System).0;
        let has_failed = number == "A-2";
        let detail = "Waits: ACME is paused".to_owned();
        let waits = WaitsFor { what: "supplier_paused", until: None, detail: detail.clone() };
        AccountStatus {
            number: number.to_owned(),
            status: process_status(&process, "Australia/Melbourne".parse().unwrap()),
            stored_status: process.stored_state(),
            is_undone: false,
            error_codes: if has_failed { vec!["invalid".into(), "required".into()] } else { Vec::new() },
            waits_for: (!has_failed).then_some(waits),
            sentence: if has_failed { "Failed 11:00".to_owned() } else { detail },
        }
    }

    fn print(json: bool, numbers: &[&str]) -> String {
        let mut out = Vec::new();
        let mut list = List { out: &mut out, json, rows: 0 };
        for number in numbers {
            list.row(&account(number)).unwrap();
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
