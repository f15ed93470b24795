use super::compare::Comparison;
use super::differing::{self, Differing};
use super::files::{Beside, Files};
use super::listed::{ListedAccount, ListedItem, accounts};
use super::options::ReportOptions;
use super::progress::MigrationProgress;
use super::summary::{Declared, NotImported, Summary};
use crate::assemble::{Inputs, Read, TableCounts, TablesRead};
use crate::error::Error;
use crate::exit::Exit;
use crate::interrupt::StopFlag;
use crate::journal::{LatestRecords, Outcome, Record, StoredTotals, Subject, is_of_dry_runs};
use crate::origin::Origin;
use crate::output::print;
use crate::report::{Reports, Row};
use crate::service::{Service, block_on};
use crate::validate::{TopCodes, installation};
use cutover_core::{Code, Level, State};
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
    let installation = installation(&options.target, &options.supplier)?;
    let dry_run = paths.first().is_some_and(|path| path.exists()) && is_of_dry_runs(&paths[0])?;
    let subject = Subject::new(service.name(), dry_run).at(installation);
    let (files, tables) = read_files(options)?;
    let mut records = LatestRecords::read(&paths, &subject)?;
    let reports = Reports::create(&options.report)?;
    let (progress, _) = block_on(MigrationProgress::fetch(&service, &options.supplier, PATIENCE))??;
    let mut reconciliation = Reconciliation {
        supplier: &options.supplier,
        reports,
        codes: TopCodes::default(),
        sent: StoredTotals::default(),
        not_imported: not_imported(&progress),
        files,
        tables: tables.as_ref().map(|tables| tables.counts),
        dry_run,
    };
    tables.map_or(Ok(()), |tables| reconciliation.add_tables(tables))?;
    reconciliation.add_journals(&mut records)?;
    if !options.report.is_empty() {
        block_on(reconciliation.add_service(&service, &mut records))??;
    }
    let comparison = reconciliation.comparison(&progress)?;
    let differing = if comparison.agrees() || dry_run {
        Some(Differing::default())
    } else {
        let reports = &mut reconciliation.reports;
        block_on(differing::find(&service, &options.supplier, &mut records, reports))??
    };
    let summary = reconciliation.end(&progress, &paths, comparison, differing)?;
    print(&if options.json { summary.json() } else { summary.text() })?;
    Ok(summary.exit())
}

fn not_imported(progress: &MigrationProgress) -> NotImported {
    NotImported {
        pending: progress.count(State::Pending),
        in_progress: progress.count(State::InProgress),
        errored: progress.count(State::Errored),
        cancelled: progress.count(State::Cancelled),
        dry_run_succeeded: progress.count(State::DryRunSucceeded),
        dry_run_errored: progress.count(State::DryRunErrored),
        ..NotImported::default()
    }
}

/// Reads the accounts of the files; `None` if none are named. Standard input is gone.
fn read_files(options: &ReportOptions) -> Result<(Option<Files>, Option<TablesRead>), Error> {
    let paths: Vec<PathBuf> = options.paths.iter().filter(|path| path.as_os_str() != "-").cloned().collect();
    if paths.is_empty() {
        return Ok((None, None));
    }
    let inputs = Inputs::find(&paths, &options.report, &options.tables)?;
    let Read { sources, tables } = inputs.read(StopFlag::default(), true)?;
    Ok((Some(Files::read(sources, &options.supplier)?), tables))
}

/// Statuses to list, with level, code and detail of their rows. Errored accounts bring their own code and
/// detail.
const LISTED: [(State, Level, Code, &str); State::ALL.len()] = [
    (State::Errored, Level::Error, Code::StatusErrored, "Its import ended in an error."),
    (State::DryRunErrored, Level::Error, Code::StatusDryRunErrored, "Its dry run ended in an error."),
    (State::Cancelled, Level::Warning, Code::StatusCancelled, "The operator cancelled its import."),
    (State::Pending, Level::Warning, Code::StatusPending, "It waits for its import."),
    (State::InProgress, Level::Warning, Code::StatusInProgress, "It is being imported."),
    (State::DryRunSucceeded, Level::Warning, Code::StatusDryRunSucceeded, "It was a dry run, not an import."),
    (State::Processed, Level::Off, Code::StatusImported, "It is imported."),
];

/// State of the comparison so far.
struct Reconciliation<'o> {
    supplier: &'o str,
    reports: Reports,
    codes: TopCodes,
    sent: StoredTotals,
    not_imported: NotImported,
    files: Option<Files>,
    /// Counts of the tables of which accounts of the files were made.
    tables: Option<TableCounts>,
    dry_run: bool,
}

impl Reconciliation<'_> {
    /// Adds what was found about the tables and no account: rows that nobody has sent.
    fn add_tables(&mut self, mut tables: TablesRead) -> Result<(), Error> {
        tables.each_finding(|finding| {
            let (attr, origin) = (finding.attr(), finding.origin());
            let row = Row::of_table(finding, attr.as_deref(), &origin);
            add_row(&mut self.codes, &mut self.reports, &row)
        })
    }

    /// Adds the latest record of each account that is the supplier's or names no supplier.
    fn add_journals(&mut self, records: &mut LatestRecords) -> Result<(), Error> {
        records.for_each(|record| match record.import_supplier.as_deref() {
            Some(supplier) if supplier != self.supplier => Ok(()),
            _ => self.add_beside_files(record),
        })?;
        self.add_files()
    }

    /// Adds a record unless the files say otherwise: what was not taken counts only as it is there now.
    fn add_beside_files(&mut self, record: &Record) -> Result<(), Error> {
        let beside = self.files.as_mut().map_or(Beside::Same, |files| files.compare(record));
        match (beside, record.outcome.is_stored()) {
            (Beside::Same, _) | (Beside::NotThere, true) => self.add_record(record),
            (Beside::NotThere | Beside::Changed, false) => Ok(()),
            (Beside::Changed, true) => {
                self.add_record(record)?;
                self.not_imported.changed += 1;
                let place = self.files.as_mut().and_then(|files| files.take(record));
                let (file, line) = (record.file.clone(), Some(record.line.into()));
                let place = place.unwrap_or(Origin { file, line, column: None });
                let row = row_of_file(&place, Some(record), Code::ChangedSinceSent);
                add_row(&mut self.codes, &mut self.reports, &row)
            }
        }
    }

    /// Adds what the journals do not have as it is in the files.
    fn add_files(&mut self) -> Result<(), Error> {
        let Some(files) = &self.files else { return Ok(()) };
        for place in files.rest() {
            self.not_imported.not_sent += 1;
            add_row(&mut self.codes, &mut self.reports, &row_of_file(&place, None, Code::NotSent))?;
        }
        for location in &files.differing {
            self.not_imported.differing_copies += 1;
            let place = files.place(*location);
            let row = row_of_file(&place, None, Code::DiffersInInput);
            add_row(&mut self.codes, &mut self.reports, &row)?;
        }
        self.not_imported.unreadable_files = files.unreadable;
        Ok(())
    }

    fn add_record(&mut self, record: &Record) -> Result<(), Error> {
        match record.outcome {
            Outcome::Accepted | Outcome::AlreadyThere => {
                self.sent.add(record.totals.as_ref().and_then(|sums| sums.totals()));
            }
            Outcome::Faulty => self.not_imported.faulty += 1,
            Outcome::Refused => self.not_imported.refused += 1,
            Outcome::Failed => self.not_imported.failed += 1,
            // Whether it was imported is not known before it is sent again.
            Outcome::InProgress => self.not_imported.unconfirmed += 1,
        }
        for error in &record.errors {
            let outcome = match record.outcome {
                Outcome::Faulty => "Faulty, not sent.",
                Outcome::InProgress => "It was being imported when it was sent.",
                Outcome::Failed => "The service failed at it.",
                _ => "Refused by the service.",
            };
            // The journal has no texts.
            let known = Code::from_word(&error.code).map(|code| format!(" {}", code.detail()));
            let detail = format!("{outcome}{}", known.unwrap_or_default());
            let row = Row {
                file: Some(&record.file),
                line: Some(record.line.into()),
                import_supplier: record.import_supplier.as_deref(),
                external_account_number: record.external_account_number.as_deref(),
                level: Level::Error.as_str(),
                attr: Some(&error.attr),
                code: &error.code,
                detail: &detail,
                source: None,
            };
            add_row(&mut self.codes, &mut self.reports, &row)?;
        }
        Ok(())
    }

    /// Adds a row for each account at the service, those not imported first.
    async fn add_service(&mut self, service: &Service, records: &mut LatestRecords) -> Result<(), Error> {
        let supplier = self.supplier;
        for (status, level, code, detail) in LISTED {
            let level = if level == Level::Off { INFO } else { level.as_str() };
            let reports = &mut self.reports;
            let each = |listed| row(records, reports, supplier, &listed, (level, code.as_str(), detail));
            accounts(service, supplier, status, each).await?;
        }
        Ok(())
    }

    fn comparison(&self, progress: &MigrationProgress) -> Result<Comparison, Error> {
        let none = || Error::refused("the totals have an unknown format");
        Ok(Comparison { sent: self.sent.totals, imported: progress.totals().ok_or_else(none)? })
    }

    fn end(
        self,
        progress: &MigrationProgress,
        journals: &[PathBuf],
        comparison: Comparison,
        differing: Option<Differing>,
    ) -> Result<Summary, Error> {
        let summary = Summary {
            supplier: self.supplier.to_owned(),
            dry_run: self.dry_run,
            journals: journals.iter().map(|path| path.display().to_string()).collect(),
            agrees: comparison.agrees() && !self.sent.is_incomplete,
            is_incomplete: self.sent.is_incomplete,
            declared: progress
                .manifest
                .as_ref()
                .and_then(|manifest| manifest.declared())
                .map(|declared| Declared::new(declared, &comparison.sent)),
            comparison,
            differing,
            tables: self.tables,
            not_imported: self.not_imported,
            causes: self.codes.causes(),
            import_errors: progress.top_errors.clone(),
            other_import_errors: progress.other_errors,
            import_warnings: progress.top_warnings.clone(),
            other_import_warnings: progress.other_warnings,
        };
        self.reports.finish(&summary.page())?;
        Ok(summary)
    }
}

/// A row about an account of the files, with the record of what was sent of it.
fn row_of_file<'r>(place: &'r Origin, record: Option<&'r Record>, code: Code) -> Row<'r> {
    Row {
        file: Some(&place.file),
        line: place.line,
        import_supplier: record.and_then(|record| record.import_supplier.as_deref()),
        external_account_number: record.and_then(|record| record.external_account_number.as_deref()),
        level: Level::Error.as_str(),
        attr: None,
        code: code.as_str(),
        detail: code.detail(),
        source: None,
    }
}

fn add_row(codes: &mut TopCodes, reports: &mut Reports, row: &Row<'_>) -> Result<(), Error> {
    codes.add(Level::Error, row);
    reports.add(row)
}

/// Level of rows about imported accounts.
const INFO: &str = "info";

fn row(
    records: &mut LatestRecords,
    reports: &mut Reports,
    supplier: &str,
    listed: &ListedAccount,
    (level, code, detail): (&'static str, &str, &str),
) -> Result<(), Error> {
    let number = &listed.external_account_number;
    let sent = records.get(supplier, number)?;
    let identifier =
        listed.service_identifier.as_ref().map(|identifier| format!("It is imported as {identifier}."));
    let (code, detail) = match (&listed.latest_error, &identifier) {
        (Some(error), _) => (error.code.as_str(), error.detail.as_str()),
        (None, Some(identifier)) => (code, identifier.as_str()),
        (None, None) => (code, detail),
    };
    // A failure with items has a row for each.
    let item = |item: &ListedItem| (item.attr.clone(), item.code.clone(), item.detail.clone());
    let mut rows: Vec<_> = listed.items.iter().map(item).collect();
    if rows.is_empty() {
        rows.push((None, code.to_owned(), detail.to_owned()));
    }
    for (attr, code, detail) in &rows {
        reports.add(&Row {
            file: sent.as_ref().map(|record| record.file.as_str()),
            line: sent.as_ref().map(|record| record.line.into()),
            import_supplier: Some(supplier),
            external_account_number: Some(number),
            level,
            attr: attr.as_deref(),
            code,
            detail,
            source: None,
        })?;
    }
    Ok(())
}
