//! The export of the failed accounts of a supplier (contract D14) and of those that were refused: their faults as CSV, or
//! their payloads as NDJSON, to be corrected and sent again.

use super::processes::check_code;
use super::{Audited, Operations, OperatorError, References};
use crate::App;
use crate::account::of_last_attempt;
use crate::codec::unpack;
use crate::port::{
    AuditAction, Detail, ListedProcess, PageLimit, PayloadById, Position, ProcessFilter, RefusedCreate,
    RefusedFault, Rows, StoreError, StoredIssues, Subject, read,
};
use csv::{Terminator, WriterBuilder};
use cutover_core::{Code, Level, spreadsheet_cell, string_enum};
use cutover_process::{Process, State};
use std::collections::HashMap;

/// Number of accounts that are read together. Payloads may be large.
const PAGE: u32 = 16;
/// Number of refused accounts that are read together. Each has at most a hundred faults.
const REFUSED: u32 = 500;
/// A page with more bytes ends early.
const PAGE_BYTES: usize = 1 << 20;

string_enum! {
    "a format of failed accounts";
    /// The form of an export of failed accounts.
    pub enum FailedFormat {
        /// A row for each fault: number, code, path, rule, detail, and the value if it is a reference.
        Csv = "csv",
        /// The accepted payload of each account, on a line.
        Ndjson = "ndjson",
    }
}

/// The failed accounts to export: those of a supplier that match all given criteria. Without a status, also those that were
/// refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedAccounts {
    /// The code of the supplier.
    pub supplier: String,
    /// In this state, which is one of a failure.
    pub status: Option<State>,
    /// Failed with a cause of this code.
    pub error_code: Option<String>,
}

impl FailedAccounts {
    fn check(&self) -> Result<(), OperatorError> {
        match self.status.filter(|status| !status.is_error()) {
            Some(status) => {
                Err(OperatorError::Refused(format!("processes that are {status} have not failed")))
            }
            None => Ok(()),
        }
    }
}

/// An export that was begun, and recorded in the audit trail.
#[derive(Debug, Clone)]
pub struct FailedExport {
    /// The code of the supplier.
    pub supplier: String,
    supplier_id: i64,
    format: FailedFormat,
    /// The parts, one after another.
    parts: Vec<Part>,
    error_code: Option<String>,
}

/// Accounts of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Those in a state; `None` is any.
    Processes(Option<State>),
    /// Those whose create was refused.
    Refused,
}

/// A position in an export.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FailedCursor {
    /// Number of the part.
    part: usize,
    /// The last account before it in its part.
    after: Option<Position>,
    /// The number of the last one, among those that were refused.
    after_number: String,
}

impl FailedCursor {
    /// Returns the beginning of the part that follows.
    fn next_part(&self) -> Self {
        Self { part: self.part + 1, ..Self::default() }
    }
}

/// A failed account without a line, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Its number at the previous supplier.
    pub number: String,
    /// The reason, for people.
    pub why: &'static str,
}

/// A part of an export.
#[derive(Debug, Clone, Default)]
pub struct FailedPage {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Number of accounts in it.
    pub accounts: u64,
    /// Accounts that are left out.
    pub left_out: Vec<LeftOut>,
    /// Start of the next page; `None` on the last one.
    pub next: Option<FailedCursor>,
}

impl Operations<'_> {
    /// Begins an export of failed accounts, and records that in the audit trail.
    ///
    /// # Errors
    /// [`OperatorError`]: there is no such supplier or code, or the status is not one of a failure.
    pub fn begin_failed_export(
        &self,
        wanted: &FailedAccounts,
        format: FailedFormat,
    ) -> Result<FailedExport, OperatorError> {
        wanted.check()?;
        self.app.try_to_record_refused();
        let asked = wanted.clone();
        let supplier = self.act(AuditAction::ProcessesExported, move |tx, _| {
            let supplier = tx.supplier(&asked.supplier)?;
            check_code(tx, &supplier, "error code", Level::Error, asked.error_code.as_deref())?;
            let detail = Detail::default()
                .word("format", format)
                .word_if("status", asked.status)
                .word_if("error_code", asked.error_code);
            let subject = Subject::supplier(&supplier);
            Ok((supplier, Audited { subject, detail }))
        })?;
        let of = |state| Part::Processes(Some(state));
        let parts = match (wanted.status, &wanted.error_code) {
            (Some(status), _) => vec![of(status)],
            // Only failed processes have an error.
            (None, Some(_)) => vec![Part::Processes(None), Part::Refused],
            (None, None) => vec![of(State::Errored), of(State::DryRunErrored), Part::Refused],
        };
        Ok(FailedExport {
            supplier: supplier.code.to_string(),
            supplier_id: supplier.id,
            format,
            parts,
            error_code: wanted.error_code.clone(),
        })
    }
}

impl App {
    /// Returns the next part of an export, in `bytes`, which is empty. Memory does not grow with the number of accounts.
    ///
    /// # Errors
    /// [`StoreError`] if it could not be read.
    pub fn failed_page(
        &self,
        export: &FailedExport,
        cursor: Option<FailedCursor>,
        bytes: Vec<u8>,
    ) -> Result<FailedPage, StoreError> {
        let is_first = cursor.is_none();
        let mut page = FailedPage { bytes, next: Some(cursor.unwrap_or_default()), ..FailedPage::default() };
        if is_first && export.format == FailedFormat::Csv {
            row(&mut page.bytes, HEAD)?;
        }
        while let Some(from) = page.next.take() {
            if page.bytes.len() >= PAGE_BYTES {
                page.next = Some(from);
                break;
            }
            let next = match export.parts.get(from.part) {
                None => break,
                Some(Part::Processes(state)) => self.append_processes(export, *state, from, &mut page)?,
                Some(Part::Refused) => self.append_refused(export, from, &mut page)?,
            };
            page.next = Some(next).filter(|next| next.part < export.parts.len());
        }
        Ok(page)
    }

    fn append_processes(
        &self,
        export: &FailedExport,
        state: Option<State>,
        from: FailedCursor,
        page: &mut FailedPage,
    ) -> Result<FailedCursor, StoreError> {
        let error_code = export.error_code.as_deref();
        let filter = ProcessFilter { state, error_code, ..ProcessFilter::default() };
        let found = read(&*self.store, |tx| {
            let listed = tx.list_processes(export.supplier_id, filter, from.after, PageLimit::of(PAGE))?;
            let ids: Vec<i64> = listed.processes.iter().map(|listed| listed.process.id()).collect();
            Ok((contents(tx, export.format, &ids)?, listed))
        });
        let (contents, listed) = found?;
        let rest = contents.write(listed.processes, page)?;
        Ok(match rest.or(listed.next) {
            Some(after) => FailedCursor { after: Some(after), ..from },
            None => from.next_part(),
        })
    }

    fn append_refused(
        &self,
        export: &FailedExport,
        from: FailedCursor,
        page: &mut FailedPage,
    ) -> Result<FailedCursor, StoreError> {
        let refused =
            read(&*self.store, |tx| tx.refused_after(export.supplier_id, &from.after_number, REFUSED))?;
        let Some(last) = refused.last() else { return Ok(from.next_part()) };
        let after_number = last.number.clone();
        let has_code = |refused: &RefusedCreate, code: &str| refused.causes.iter().any(|of| of.code == code);
        let wanted = |refused: &RefusedCreate| match &export.error_code {
            Some(code) => has_code(refused, code),
            None => true,
        };
        for refused in refused.into_iter().filter(wanted) {
            match export.format {
                FailedFormat::Csv => {
                    refusal(&mut page.bytes, &refused)?;
                    page.accounts += 1;
                }
                FailedFormat::Ndjson => {
                    let why = "it was refused, and no payload is kept of it";
                    page.left_out.push(LeftOut { number: refused.number, why });
                }
            }
        }
        Ok(FailedCursor { after_number, ..from })
    }
}

/// The payloads or issues of some accounts for an export, by the keys of their processes.
enum Contents {
    Faults(HashMap<i64, StoredIssues>, HashMap<i64, References>),
    Payloads(HashMap<i64, Result<Vec<u8>, StoreError>>),
}

fn contents(tx: &mut dyn Rows, format: FailedFormat, ids: &[i64]) -> Result<Contents, StoreError> {
    Ok(match format {
        FailedFormat::Csv => {
            let (mut issues, mut kept) = (HashMap::new(), HashMap::new());
            for (id, of, is_archived) in tx.issues_of(ids)? {
                if is_archived {
                    issues.insert(id, of)
                } else {
                    kept.insert(id, of)
                };
            }
            let references = References::of_processes(tx, &kept)?;
            issues.extend(kept);
            Contents::Faults(issues, references)
        }
        FailedFormat::Ndjson => {
            let payloads: Vec<PayloadById> = tx.payloads(ids)?;
            // PostgreSQL keeps the rows of archived payloads for a while.
            let archived = tx.issues_of(ids)?.into_iter().filter(|(.., is_archived)| *is_archived);
            let archived: Vec<i64> = archived.map(|(id, ..)| id).collect();
            Contents::Payloads(payloads.into_iter().filter(|(id, _)| !archived.contains(id)).collect())
        }
    })
}

impl Contents {
    /// Writes accounts until the page is full. Returns the position of the last one if others are left.
    fn write(
        mut self,
        listed: Vec<ListedProcess>,
        page: &mut FailedPage,
    ) -> Result<Option<Position>, StoreError> {
        let last = listed.len();
        for (n, ListedProcess { process, position, .. }) in listed.into_iter().enumerate() {
            match self.append(&process, &mut page.bytes)? {
                None => page.accounts += 1,
                Some(why) => {
                    let number = process.snapshot().external_account_number.to_string();
                    page.left_out.push(LeftOut { number, why });
                }
            }
            if page.bytes.len() >= PAGE_BYTES && n + 1 < last {
                return Ok(Some(position));
            }
        }
        Ok(None)
    }

    /// Appends an account, or returns the reason why it is left out.
    fn append(&mut self, process: &Process, bytes: &mut Vec<u8>) -> Result<Option<&'static str>, StoreError> {
        match self {
            Self::Faults(issues, references) => {
                let id = process.id();
                let (issues, references) = (issues.remove(&id), references.remove(&id));
                faults(bytes, process, issues.unwrap_or_default(), &references.unwrap_or_default())?;
                Ok(None)
            }
            Self::Payloads(payloads) => {
                let payload = payloads.remove(&process.id());
                match payload.map(|stored| stored.and_then(|packed| unpack(&packed))) {
                    Some(Ok(payload)) => {
                        line(bytes, &payload);
                        Ok(None)
                    }
                    None => Ok(Some("its payload is archived")),
                    Some(Err(StoreError::Corrupt(cause))) => {
                        tracing::error!(process = process.id(), cause, "a payload is not exported");
                        Ok(Some("its payload cannot be read"))
                    }
                    Some(Err(error)) => Err(error),
                }
            }
        }
    }
}

/// Writes JSON on a line. Line breaks are replaced by spaces: strings have none of their own.
fn line(bytes: &mut Vec<u8>, json: &[u8]) {
    bytes.extend(json.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte }));
    bytes.push(b'\n');
}

const HEAD: [&str; 6] = ["external_account_number", "code", "attr", "rule", "detail", "value"];

/// Writes the faults of an account. One that failed without items has a row with its error.
fn faults(
    bytes: &mut Vec<u8>,
    process: &Process,
    issues: StoredIssues,
    references: &References,
) -> Result<(), StoreError> {
    let number = process.snapshot().external_account_number.as_str();
    let errors = of_last_attempt(process, issues).errors;
    if errors.is_empty() {
        let error = process.latest_error();
        let (code, detail) = error.map_or(("", ""), |error| (error.code.as_str(), &*error.detail));
        return row(bytes, [number, code, "", "", detail, ""]);
    }
    for issue in &errors {
        let rule = issue.rule.as_deref().unwrap_or_default();
        let value = references.of(issue).unwrap_or_default();
        row(bytes, [number, &issue.code, &issue.attr, rule, &issue.detail, value])?;
    }
    Ok(())
}

/// Writes the faults of a refused account. Their paths have `#` for indexes.
fn refusal(bytes: &mut Vec<u8>, refused: &RefusedCreate) -> Result<(), StoreError> {
    for RefusedFault { code, attr } in &refused.causes {
        let detail = Code::from_word(code).map_or("", Code::detail);
        row(bytes, [&refused.number, code, attr, "", detail, ""])?;
    }
    Ok(())
}

/// Writes a row as RFC 4180 has it.
fn row(bytes: &mut Vec<u8>, cells: [&str; HEAD.len()]) -> Result<(), StoreError> {
    let failed =
        |error: &dyn std::fmt::Display| StoreError::Failed(format!("a row was not written: {error}"));
    let mut writer =
        WriterBuilder::new().buffer_capacity(512).terminator(Terminator::CRLF).from_writer(bytes);
    writer
        .write_record(cells.map(spreadsheet_cell).iter().map(|cell| cell.as_bytes()))
        .map_err(|error| failed(&error))?;
    writer.flush().map_err(|error| failed(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula_and_all_are_quoted_where_needed() {
        let mut bytes = Vec::new();
        row(&mut bytes, ["=1+1", "required", " +1", "CUS-01", "says \"no\", twice", "=a.pdf"]).unwrap();
        row(&mut bytes, ["A-1", "＝1", "a\nb", "", "@SUM(A1)", ""]).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert_eq!(
            text,
            "'=1+1,required,' +1,CUS-01,\"says \"\"no\"\", twice\",'=a.pdf\r\nA-1,'＝1,\"a\nb\",,'@SUM(A1),\r\n"
        );
    }

    #[test]
    fn a_payload_is_one_line_with_its_digits() {
        let mut bytes = Vec::new();
        line(&mut bytes, b"{\r\n \"a\": 1.50,\n\"b\":\"\\n\"}");
        assert_eq!(bytes, b"{   \"a\": 1.50, \"b\":\"\\n\"}\n");
    }
}
