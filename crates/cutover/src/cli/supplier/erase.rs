use crate::cli::job;
use crate::context::Context;
use crate::error::Error;
use crate::output::{Answer, pairs, plain};
use clap::Args;
use cutover_app::App;
use cutover_app::operator::ErasableSupplier;
use cutover_app::port::{Job, JobState};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Debug, Args)]
pub(crate) struct EraseArgs {
    /// Code of the supplier, which must be paused or complete
    code: String,
    /// Erase it; without this flag the numbers are only shown. Needs a reason
    #[arg(long, requires = "because")]
    yes: bool,
    /// Reason, for the audit trail
    #[arg(long, value_name = "TEXT")]
    because: Option<String>,
}

/// The rows that an erasure would remove.
#[derive(Debug, Serialize)]
struct Erasable {
    supplier: String,
    organisation: String,
    status: String,
    /// Processes by status.
    processes: BTreeMap<String, u64>,
    imported_accounts: u64,
    readings: u64,
    transactions: u64,
    refused_creates: u64,
    businesses: u64,
    jobs: u64,
    document_root: String,
    /// The job that erases it, if that was begun.
    job: Option<String>,
}

impl From<ErasableSupplier> for Erasable {
    fn from(what: ErasableSupplier) -> Self {
        let mut processes = BTreeMap::new();
        for count in &what.processes {
            *processes.entry(count.state.to_string()).or_default() += count.processes;
        }
        let of = |table| what.others.iter().find(|(name, _)| *name == table).map_or(0, |(_, rows)| *rows);
        Self {
            organisation: what.supplier.organisation.clone(),
            status: what.supplier.settings.status.to_string(),
            processes,
            imported_accounts: what.totals.accounts,
            readings: what.totals.readings,
            transactions: what.totals.transactions,
            refused_creates: what.refused,
            businesses: of("businesses"),
            jobs: of("jobs"),
            document_root: what.supplier.settings.document_root.clone(),
            job: what.job.as_ref().map(|job| job.name.clone()),
            supplier: what.supplier.code.to_string(),
        }
    }
}

impl Answer for Erasable {
    fn text(&self) -> String {
        let processes: Vec<String> =
            self.processes.iter().map(|(status, count)| format!("{count} {}", plain(status))).collect();
        let processes = if processes.is_empty() { "none".to_owned() } else { processes.join(", ") };
        let mut rows = vec![
            (
                "supplier",
                format!("{} of {}, {}", self.supplier, plain(&self.organisation), plain(&self.status)),
            ),
            ("processes", processes),
            ("imported accounts", self.imported_accounts.to_string()),
            ("readings", self.readings.to_string()),
            ("transactions", self.transactions.to_string()),
            ("refused creates", self.refused_creates.to_string()),
            ("businesses", self.businesses.to_string()),
            ("jobs", self.jobs.to_string()),
        ];
        rows.extend(self.job.as_ref().map(|job| ("being erased by", job.clone())));
        let root = plain(&self.document_root);
        format!(
            "{}\n\nAll of this would be erased, with payloads, histories, additions and settings. Nothing was changed: \
             add --yes and --because to do it.\nDocuments below {root}, archives and exports stay; delete them yourself.",
            pairs(&rows)
        )
    }
}

/// The rows that an erasure removed.
#[derive(Debug, Serialize)]
struct Erased {
    supplier: String,
    erased: bool,
    job: String,
    accounts: u64,
    /// Number of removed rows by table.
    rows: BTreeMap<String, u64>,
}

impl From<Job> for Erased {
    fn from(job: Job) -> Self {
        Self { supplier: job.supplier, erased: true, job: job.name, accounts: job.changed, rows: job.removed }
    }
}

impl Answer for Erased {
    fn text(&self) -> String {
        let rows: u64 = self.rows.values().sum();
        format!(
            "Erased {}: {} accounts, {rows} rows. Its code can be used again.",
            self.supplier, self.accounts
        )
    }
}

pub(super) fn run(app: &App, context: &Context, args: &EraseArgs) -> Result<(), Error> {
    if !args.yes {
        return Ok(context
            .output
            .answer(&Erasable::from(app.as_command().erasable_supplier(&args.code)?))?);
    }
    // There is one with --yes.
    let because = args.because.as_deref().unwrap_or_default();
    let (begun, claim) = app.as_command().begin_supplier_erasure(&args.code, because)?;
    let ended = job::run_to_end(app, context, &begun.name, claim)?;
    if ended.state != JobState::Done {
        return Err(Error::refused(format!(
            "{0} was stopped: resume it with `cutover job resume {0}`",
            ended.name
        )));
    }
    Ok(context.output.answer(&Erased::from(ended))?)
}
