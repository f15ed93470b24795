use super::compare::Comparison;
use super::listed::{Listed, accounts};
use super::options::ReportOptions;
use super::standing::Standing;
use super::summary::{NotImported, Summary};
use crate::error::Error;
use crate::exit::Exit;
use crate::journal::{Outcome, Places, Record, Subject};
use crate::output::print;
use crate::report::Reports;
use crate::service::{Service, wait_for};
use crate::validate::{Example, Row, TopCodes};
use cutover_core::Level;
use cutover_model::Totals;
use std::path::PathBuf;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(30);

/// Compares the accounts of the journals with those that the service has imported, and reports why the rest
/// is not imported.
///
/// # Errors
/// [`Error`] if a journal cannot be read, the service does not answer, or a report cannot be written.
pub(crate) fn run(options: &ReportOptions) -> Result<Exit, Error> {
    let service = options.target.service()?;
    let paths = options.journals()?;
    let mut places = Places::read(&paths, &Subject::new(service.name(), false))?;
    let reports = Reports::create(&options.report)?;
    let (standing, _) = wait_for(Standing::ask(&service, &options.supplier, PATIENCE))??;
    let lists = !options.report.is_empty();
    let mut desk = Desk {
        supplier: &options.supplier,
        reports,
        codes: TopCodes::default(),
        sent: Totals::default(),
        is_incomplete: false,
        not: not_imported(&standing),
    };
    desk.journals(&mut places)?;
    if lists {
        wait_for(desk.service(&service, &mut places))??;
    }
    let summary = desk.end(&standing, &paths)?;
    print(&if options.json { summary.json() } else { summary.text() })?;
    Ok(summary.exit())
}

fn not_imported(standing: &Standing) -> NotImported {
    NotImported {
        pending: standing.count("PENDING"),
        in_progress: standing.count("IN_PROGRESS"),
        errored: standing.count("ERRORED"),
        cancelled: standing.count("CANCELLED"),
        dry_run_succeeded: standing.count("DRY_RUN_SUCCEEDED"),
        dry_run_errored: standing.count("DRY_RUN_ERRORED"),
        ..NotImported::default()
    }
}

/// Statuses to list, with level, code and detail of their rows. Errored accounts bring their own code and
/// detail.
const LISTED: [(&str, Level, &str, &str); 7] = [
    ("ERRORED", Level::Error, "errored", "Its import ended in an error."),
    ("DRY_RUN_ERRORED", Level::Error, "dry_run_errored", "Its dry run ended in an error."),
    ("CANCELLED", Level::Warning, "cancelled", "The operator cancelled its import."),
    ("PENDING", Level::Warning, "pending", "It waits for its import."),
    ("IN_PROGRESS", Level::Warning, "in_progress", "It is being imported."),
    ("DRY_RUN_SUCCEEDED", Level::Warning, "dry_run_succeeded", "It was tried, not imported."),
    ("PROCESSED", Level::Off, "imported", "It is imported."),
];

/// State of the comparison so far.
struct Desk<'o> {
    supplier: &'o str,
    reports: Reports,
    codes: TopCodes,
    sent: Totals,
    is_incomplete: bool,
    not: NotImported,
}

impl Desk<'_> {
    /// Adds the latest record of each account that is the supplier's or names no supplier.
    fn journals(&mut self, places: &mut Places) -> Result<(), Error> {
        places.last_records(|record| match record.import_supplier.as_deref() {
            Some(supplier) if supplier != self.supplier => Ok(()),
            _ => self.record(record),
        })
    }

    fn record(&mut self, record: &Record) -> Result<(), Error> {
        match record.outcome {
            Outcome::Accepted | Outcome::AlreadyThere => {
                let account = record.totals.as_ref().and_then(|sums| sums.totals());
                match account.and_then(|account| self.sent.checked_add(account)) {
                    Some(sent) => self.sent = sent,
                    None => self.is_incomplete = true,
                }
            }
            Outcome::Faulty => self.not.faulty += 1,
            Outcome::Refused => self.not.refused += 1,
            Outcome::Failed => self.not.failed += 1,
            // The service counts it itself.
            Outcome::InProgress => {}
        }
        for error in &record.errors {
            self.codes.add(Level::Error, error.code.clone().into(), || Example {
                file: record.file.clone(),
                line: record.line,
                import_supplier: record.import_supplier.clone(),
                external_account_number: record.external_account_number.clone(),
                attr: error.attr.clone(),
            });
            let detail = match record.outcome {
                Outcome::Faulty => "It is faulty by the rules and was not sent.",
                Outcome::InProgress => "It was being imported when it was sent.",
                Outcome::Failed => "The service failed at it.",
                _ => "The service refused it.",
            };
            self.reports.add(&Row {
                file: Some(&record.file),
                line: Some(record.line),
                import_supplier: record.import_supplier.as_deref(),
                external_account_number: record.external_account_number.as_deref(),
                level: Level::Error.as_str(),
                attr: Some(&error.attr),
                code: &error.code,
                detail,
            })?;
        }
        Ok(())
    }

    /// Adds a row for each account at the service, those not imported first.
    async fn service(&mut self, service: &Service, places: &mut Places) -> Result<(), Error> {
        let supplier = self.supplier;
        for (status, level, code, detail) in LISTED {
            let level = if level == Level::Off { INFO } else { level.as_str() };
            let reports = &mut self.reports;
            let each = |listed| row(places, reports, supplier, &listed, (level, code, detail));
            accounts(service, supplier, status, each).await?;
        }
        Ok(())
    }

    fn end(self, standing: &Standing, journals: &[PathBuf]) -> Result<Summary, Error> {
        let none = || Error::refused("the service tells of totals in another way");
        let comparison = Comparison { sent: self.sent, imported: standing.totals().ok_or_else(none)? };
        let summary = Summary {
            supplier: self.supplier.to_owned(),
            journals: journals.iter().map(|path| path.display().to_string()).collect(),
            agrees: comparison.agrees() && !self.is_incomplete,
            is_incomplete: self.is_incomplete,
            comparison,
            not_imported: self.not,
            top_errors: self.codes.top(Level::Error),
            import_errors: standing.top_errors.clone(),
        };
        self.reports.finish(&summary.page())?;
        Ok(summary)
    }
}

/// Level of rows about imported accounts.
const INFO: &str = "info";

fn row(
    places: &mut Places,
    reports: &mut Reports,
    supplier: &str,
    listed: &Listed,
    (level, code, detail): (&'static str, &str, &str),
) -> Result<(), Error> {
    let number = &listed.external_account_number;
    let sent = places.record(supplier, number)?;
    let identifier =
        listed.service_identifier.as_ref().map(|identifier| format!("It is imported as {identifier}."));
    let (code, detail) = match (&listed.latest_error, &identifier) {
        (Some(error), _) => (error.code.as_str(), error.detail.as_str()),
        (None, Some(identifier)) => (code, identifier.as_str()),
        (None, None) => (code, detail),
    };
    reports.add(&Row {
        file: sent.as_ref().map(|record| record.file.as_str()),
        line: sent.as_ref().map(|record| record.line),
        import_supplier: Some(supplier),
        external_account_number: Some(number),
        level,
        attr: None,
        code,
        detail,
    })
}
