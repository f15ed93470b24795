use crate::cli::owned_file::{self, OwnedFile};
use crate::context::Context;
use crate::error::Error;
use crate::output::{Answer, plain};
use clap::Args;
use cutover_app::App;
use cutover_app::operator::{FailedAccounts, FailedFormat};
use cutover_process::State;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// Code of the supplier
    supplier: String,
    /// csv: a row for each error; ndjson: the payloads, to be corrected and sent again
    #[arg(long)]
    format: FailedFormat,
    /// Only processes in this status: ERRORED or DRY_RUN_ERRORED
    #[arg(long, value_parser = super::state)]
    status: Option<State>,
    /// Only processes with an item of this code, or with this error if they have no items
    #[arg(long, value_name = "CODE")]
    error_code: Option<String>,
    /// New file to write to, which only its owner can read [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// The written file.
#[derive(Debug, Serialize)]
struct Written {
    file: String,
    bytes: u64,
    accounts: u64,
    /// Number of accounts without a readable payload.
    left_out: u64,
}

impl Answer for Written {
    fn text(&self) -> String {
        let Self { file, accounts, left_out, .. } = self;
        let left_out = if *left_out > 0 { format!(" {left_out} are left out.") } else { String::new() };
        format!("Wrote {accounts} failed accounts to {}.{left_out} It holds personal data.", plain(file))
    }
}

/// The destination of an export.
enum Out {
    File(String, OwnedFile),
    Standard(io::BufWriter<io::StdoutLock<'static>>),
}

impl Out {
    fn open(path: Option<PathBuf>) -> Result<Self, Error> {
        let Some(path) = path else {
            return Ok(Self::Standard(io::BufWriter::new(io::stdout().lock())));
        };
        let shown = path.display().to_string();
        match owned_file::create(&path) {
            Ok(file) => Ok(Self::File(shown, file)),
            Err(error) => Err(unwritable(&shown, &error)),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        match self {
            Self::File(shown, file) => file.write(bytes).map_err(|error| unwritable(shown, &error)),
            Self::Standard(out) => Ok(out.write_all(bytes)?),
        }
    }
}

fn unwritable(file: &str, error: &io::Error) -> Error {
    Error::refused(format!("the file {file} cannot be written: {error}"))
}

pub(super) fn run(app: &App, context: &Context, args: ExportArgs) -> Result<(), Error> {
    let ExportArgs { supplier, format, status, error_code, out } = args;
    // The file is created first: an export that cannot be written must not be recorded in the audit.
    let mut out = Out::open(out)?;
    let export =
        app.as_command().begin_failed_export(&FailedAccounts { supplier, status, error_code }, format)?;
    let (mut accounts, mut left_out, mut next) = (0, 0, None);
    loop {
        let page = app.failed_page(&export, next, Vec::new())?;
        out.write(&page.bytes)?;
        accounts += page.accounts;
        left_out += page.left_out.len() as u64;
        for account in &page.left_out {
            eprintln!("{}: left out, {}", plain(&account.number), account.why);
        }
        next = page.next;
        if next.is_none() {
            break;
        }
    }
    match out {
        Out::File(file, written) => {
            let bytes = written.keep().map_err(|error| unwritable(&file, &error))?;
            Ok(context.output.answer(&Written { file, bytes, accounts, left_out })?)
        }
        Out::Standard(mut standard) => {
            standard.flush()?;
            if left_out > 0 {
                eprintln!("{left_out} failed accounts are left out, {accounts} are written");
            }
            Ok(())
        }
    }
}
