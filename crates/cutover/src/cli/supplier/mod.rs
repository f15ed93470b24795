mod certificate;
mod erase;
mod group;
mod manifest;
mod options;
mod readiness;
mod refused;
mod release;
mod shown;
mod summary;
mod timeline;
mod undo;
mod what_if;

use super::organisation::chosen;
use crate::context::Context;
use crate::error::Error;
use clap::Subcommand;
use cutover_app::App;
use cutover_app::operator::SupplierChange;
use cutover_app::port::Supplier;
use cutover_core::{SupplierCode, SupplierStatus};
use options::Options;
use refused::Refused;
use shown::{Done, Listed, Shown};

pub(super) const EXAMPLES: &str = "\
Examples:
  cutover supplier add ACME --organisation 'Acme Energy' --time-zone Australia/Melbourne
  cutover supplier set ACME --status paused            pending processes stay pending
  cutover supplier set ACME --status complete          refused if accounts wait or have failed, without --yes
  cutover supplier set ACME --rule CUS-08=error --rule MPT-01=off
  cutover supplier set ACME --waves 100,5000,rest --revision 4   held after 100 accounts, then after 5000 more
  cutover supplier set ACME --hold-on-errors 1/200 --revision 5  and as soon as more than 1 % have failed
  cutover supplier hold ACME --because 'wrong tariffs'  creates are accepted and wait
  cutover supplier readiness ACME                      checks before the next wave
  cutover supplier release ACME                        shows the hold, and the command that ends it
  cutover supplier release ACME --held-since $TIME     refused while a check says stop
  cutover supplier release ACME --held-since $TIME --next-wave --because 'the first wave was a test'
  cutover supplier release ACME --held-since $TIME --force --because 'agreed with Acme'
  cutover supplier show ACME --json
  cutover supplier certificate ACME --out acme.json    sign what is here of each account
  cutover supplier manifest ACME                       declared, sent and imported
  cutover supplier timeline ACME --since 2026-11-21T20:00:00+11:00      what happened since a shift began
  cutover supplier note ACME 'tariff table corrected, wave 2 is next'
  cutover supplier summary ACME --html acme.html       what the migration came to, as a page to print
  cutover supplier what-if ACME --rule MPT-01=error    which stored accounts would fail, without changing anything
  cutover supplier undo ACME --since 2026-11-21T22:00:00+11:00     show which imports would be undone
  cutover supplier undo ACME --run 'night 1' --yes --because 'wrong tariffs'     undo the imports of a run
  cutover supplier undo ACME --wave 2                  or of a wave
  cutover supplier undo ACME --number A-1 A-2 --yes --because 'wrong tariffs'    or of accounts
  cutover supplier erase ACME                          show what would be removed
  cutover supplier erase ACME --yes --because 'trial'  its accounts, history, figures, businesses and settings

An undo and an erasure are jobs, which go on if the command ends: see `cutover job --help`. An undo keeps accounts to which
something was added since, or that were billed. Of an erased supplier, nothing is left but a
line in `cutover audit`, and events of the feed, for as long as they are kept.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Add an import supplier
    Add {
        /// Code in paths and payloads, unique in the installation
        code: String,
        /// Organisation that owns the supplier; may be left out if there is one
        #[arg(long, value_name = "NAME")]
        organisation: Option<String>,
        #[command(flatten)]
        options: Options,
    },
    /// Change settings of a supplier; other settings stay
    Set {
        /// Code of the supplier
        code: String,
        /// Status; accounts are accepted while ongoing, not while paused or complete
        #[arg(long)]
        status: Option<SupplierStatus>,
        /// Complete a supplier although some of its accounts wait or have failed
        #[arg(long)]
        yes: bool,
        /// Revision of the settings, as `supplier show` prints it; refused if they were changed since. Required with waves and
        /// hold on errors
        #[arg(long, value_name = "N")]
        revision: Option<i64>,
        #[command(flatten)]
        options: Options,
    },
    /// Show a supplier with its settings
    Show {
        /// Code of the supplier
        code: String,
    },
    /// List the suppliers
    List,
    /// List accounts whose create was refused, and which were not accepted since
    Refused {
        /// Code of the supplier
        code: String,
    },
    /// Hold the imports of a supplier; creates are accepted and wait. If it is held, this is one more reason
    Hold {
        /// Code of the supplier
        code: String,
        /// Reason, for people and the audit trail
        #[arg(long, value_name = "TEXT")]
        because: Option<String>,
    },
    /// Release the hold of a supplier and all its reasons; its imports go on, unless a check of its readiness says stop
    Release(release::ReleaseArgs),
    /// Check if a supplier is ready for its next wave
    Readiness {
        /// Code of the supplier
        code: String,
    },
    /// Issue a certificate of what is here of a supplier's accounts
    Certificate(certificate::CertificateArgs),
    /// Show what a supplier has declared, sent and got imported
    Manifest(manifest::ManifestArgs),
    /// List what happened to a supplier's migration, the last first: waves, holds, releases, failures, jobs, settings, notes
    Timeline(timeline::TimelineArgs),
    /// Write a note into the timeline of a supplier
    Note(timeline::NoteArgs),
    /// Sum up a supplier's migration: declared, sent, imported, failed, money, duration, forced releases
    Summary(summary::SummaryArgs),
    /// Undo imports of accounts that are unchanged since
    Undo(undo::UndoArgs),
    /// Check every stored payload under other settings; changes nothing
    WhatIf(what_if::WhatIfArgs),
    /// Erase everything that is kept of a supplier
    Erase(erase::EraseArgs),
}

pub(super) fn run(context: &Context, command: Command) -> Result<(), Error> {
    let (app, output) = (context.app()?, context.output);
    match command {
        Command::Add { code, organisation, options } => {
            let supplier =
                app.as_command().add_supplier(&code, &chosen(&app, organisation)?, options.change(None)?)?;
            output.answer(&Done::added(&supplier, None))?;
        }
        Command::Set { code, status, yes, revision, options } => {
            let change = SupplierChange { revision, ..options.change(status)? };
            if status == Some(SupplierStatus::Complete) && !yes {
                app.as_command().check_finished(&code)?;
            }
            let supplier = app.as_command().set_supplier(&code, change)?;
            output.answer(&Done::set(&supplier, app.as_command().show_hold(&code)?.as_ref()))?;
        }
        Command::Hold { code, because } => {
            app.as_command().hold_supplier(&code, because)?;
            output.answer(&shown(&app, &code)?)?;
        }
        Command::Release(args) => release::run(context, args)?,
        Command::Readiness { code } => readiness::run(context, &code)?,
        Command::Show { code } => output.answer(&shown(&app, &code)?)?,
        Command::Refused { code } => {
            let (supplier, mut rows) = (app.as_command().show_supplier(&code)?, Vec::new());
            app.each_refused(&supplier, |refused| rows.push(Refused(refused)))?;
            output.list(&rows)?;
        }
        Command::Certificate(args) => certificate::run(&app, context, &args)?,
        Command::Manifest(args) => manifest::run(&app, context, &args)?,
        Command::Timeline(args) => timeline::run(&app, context, &args)?,
        Command::Note(args) => timeline::note(&app, context, &args)?,
        Command::Summary(args) => summary::run(&app, context, &args)?,
        Command::Undo(args) => undo::run(&app, context, args)?,
        Command::WhatIf(args) => what_if::run(context, args)?,
        Command::Erase(args) => erase::run(&app, context, &args)?,
        Command::List => {
            let holds = app.as_command().holds()?;
            let hold_of = |code: &SupplierCode| holds.iter().find(|(of, _)| of == code).map(|(_, hold)| hold);
            let listed = |supplier: &Supplier| Listed::of(supplier, hold_of(&supplier.code));
            output.list(&app.as_command().suppliers()?.iter().map(listed).collect::<Vec<_>>())?;
        }
    }
    Ok(())
}

/// Returns a supplier with its hold.
fn shown(app: &App, code: &str) -> Result<Shown, Error> {
    Ok(Shown::of(&app.as_command().show_supplier(code)?, app.as_command().show_hold(code)?.as_ref()))
}
