//! The rows of accounts.

use super::Seen;
use crate::assemble::Findings;
use crate::envelope;
use crate::error::Error;
use crate::input::{InputEvent, Location, find};
use crate::origin::TableFinding;
use crate::pipeline::{End, Pipeline, Worker};
use cutover_core::Code;
use cutover_model::tables::{Cell, RowsError, Tables};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread::available_parallelism;

/// The account without its envelope, or the reason why it has no rows.
type Walked = Result<Vec<u8>, String>;

/// Finds out whether an account has rows.
struct Walker(Tables);

impl Worker for Walker {
    type Output = Walked;

    fn process(&self, _: Location, body: &[u8]) -> Self::Output {
        let envelope = envelope::open(body).map_err(|e| format!("this is no JSON object: {e}"))?;
        let walked = self.0.indexed_rows(envelope.account, |_, _| Ok::<_, RowsError>(()));
        walked.map(|()| envelope.account.to_vec()).map_err(|error| error.to_string())
    }
}

/// Reads the rows of accounts. Accounts that have none are findings.
///
/// # Errors
/// [`Error`] if an input does not exist, or a finding cannot be written.
pub(super) fn read(
    paths: &[PathBuf],
    tables: &Tables,
    findings: &mut Findings,
    seen: &mut Seen<'_>,
) -> Result<End, Error> {
    let sources = find(paths, &[])?;
    let pipeline = Pipeline::new();
    pipeline.stop_on_signal(|| {})?;
    let workers = available_parallelism().unwrap_or(NonZeroUsize::MIN);
    pipeline.run(
        sources.clone(),
        workers,
        Walker(Tables::payload()),
        |at: Location, event: InputEvent<Walked>| {
            let (code, detail) = match event {
                InputEvent::Opened => return Ok(()),
                InputEvent::Account(Ok(account)) => return rows(tables, &account, seen),
                InputEvent::Account(Err(why)) => (Code::NotRestorable, why),
                InputEvent::TooLarge => {
                    (Code::AccountTooLarge, "the account is larger than 8 MiB".to_owned())
                }
                InputEvent::Unreadable(why) => (Code::UnreadableInput, format!("it cannot be read: {why}")),
            };
            if code != Code::UnreadableInput {
                seen.uncounted();
            }
            let file = &sources[at.source as usize].name;
            let line = (at.line > 0).then_some(at.line.into());
            findings.add(&TableFinding { line, ..TableFinding::new(file, code, detail) })
        },
    )
}

/// Takes the rows of an account, which the worker has walked before.
fn rows(tables: &Tables, account: &[u8], seen: &mut Seen<'_>) -> Result<(), Error> {
    let mut is_first = true;
    let row = |table: usize, cells: &[Cell<'_>]| {
        seen.row(table, cells, std::mem::replace(&mut is_first, false));
        Ok::<_, RowsError>(())
    };
    tables.indexed_rows(account, row).map_err(|error| Error::refused(error.to_string()))
}
