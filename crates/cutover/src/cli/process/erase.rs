use super::bulk::{Matched, read_numbers};
use crate::cli::job;
use crate::context::Context;
use crate::error::Error;
use chrono::{DateTime, Utc};
use clap::Args;
use cutover_app::App;
use cutover_app::operator::{BulkRequest, JobOwner};
use cutover_app::port::JobKind;
use cutover_process::State;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct EraseArgs {
    /// Code of the supplier
    supplier: String,
    /// Only the accounts in this file, a number a line
    #[arg(long, value_name = "FILE")]
    numbers_file: Option<PathBuf>,
    /// Only processes in this status: DRY_RUN_SUCCEEDED or DRY_RUN_ERRORED [default: DRY_RUN_SUCCEEDED]
    #[arg(long, value_parser = super::state)]
    status: Option<State>,
    /// Only rehearsals that failed with this error code
    #[arg(long, value_name = "CODE")]
    error_code: Option<String>,
    /// Only processes whose last step was before this day (in UTC) or time
    #[arg(long, value_name = "TIME", value_parser = crate::cli::audit::since)]
    before: Option<DateTime<Utc>>,
    /// Do it; without this, processes are only counted. Needs a reason
    #[arg(long, requires = "because")]
    yes: bool,
    /// Reason, for the audit trail, which is never erased: nothing about a customer
    #[arg(long, value_name = "TEXT")]
    because: Option<String>,
}

pub(super) fn run(app: &App, context: &Context, args: EraseArgs) -> Result<(), Error> {
    let EraseArgs { supplier, numbers_file, status, error_code, before, yes, because } = args;
    let numbers = numbers_file.as_deref().map(read_numbers).transpose()?;
    app.as_command().check_numbers(&supplier, numbers.as_deref().unwrap_or_default())?;
    let kind = JobKind::Erase;
    let request = BulkRequest { kind, supplier, status, is_undone: false, error_code, before, numbers };
    if !yes {
        return Ok(context.output.answer(&Matched { matched: app.as_command().count_bulk(&request)? })?);
    }
    let because = because.as_deref().unwrap_or_default();
    let begun = app.as_command().begin_bulk_erasure(&request, because, JobOwner::Caller)?;
    job::work(app, context, &begun.name, Some(begun.claim))
}
