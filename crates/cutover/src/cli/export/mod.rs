//! The export of all imported accounts of a supplier as tables (contract D19).

mod part;
mod progress;
mod target;

use crate::context::Context;
use crate::error::Error;
use crate::output::{Answer, document, plain};
use crate::system::SystemRandom;
use clap::Args;
use cutover_app::App;
use cutover_app::account::{ImportCursor, ImportedRefused};
use cutover_app::operator::{ChangedAccounts, ChangesRefused};
use cutover_app::port::{FeedPosition, ImportedAccount, Random, Supplier};
use cutover_core::ExternalAccountNumber;
use cutover_http::event_id;
use cutover_model::tables::{Tables, dictionary};
use cutover_tables::{Format, Mask, Personal};
use part::Writer;
use progress::{Counted, DICTIONARY, MANIFEST, Manifest, Options, PROGRESS, Progress, Reached, TableFiles};
use serde::Serialize;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use target::Target;

pub(super) const EXAMPLES: &str = "\
Examples:
  cutover export ACME --to /srv/exports/acme --format csv
  cutover export ACME --to s3://warehouse/acme/2026-11-21 --format parquet --masked
  cutover export ACME --to /srv/exports/acme-2 --format csv --after AAAAAAAAAAAAAAAAAAAAKg

Each table is a folder of parts. dictionary.json describes the columns. manifest.json is written last: without it the
export is incomplete, and the same command resumes it. It names `events_after`, from which the feed of events and the next export with --after go on. The files
hold personal data, unless --masked or --without-personal is given. Masked data is still about persons: the same person
has the same replacement everywhere. Credentials of a bucket come from the environment, as for documents.";

/// Maximum number of accounts of a part.
const PART_ACCOUNTS: u64 = 20_000;
/// Size of a part at which it ends, in bytes of the JSON of its accounts.
const PART_SIZE: u64 = 64 << 20;
/// Maximum number of accounts that are read at a time.
const PAGE: usize = 200;
/// Number of pages that are read ahead.
const AHEAD: usize = 2;

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// Code of the supplier
    supplier: String,
    /// New folder, or bucket: s3://BUCKET/PREFIX
    #[arg(long, value_name = "DIR|URL")]
    to: String,
    /// Format of the files: parquet, csv or ndjson
    #[arg(long)]
    format: Format,
    /// Only accounts that changed after this event
    #[arg(long, value_name = "EVENT_ID")]
    after: Option<String>,
    /// Leave out columns with personal values
    #[arg(long, conflicts_with = "masked")]
    without_personal: bool,
    /// Replace personal values, the same by the same
    #[arg(long)]
    masked: bool,
    /// Maximum number of accounts of a part
    #[arg(long, value_name = "N", hide = true, default_value_t = PART_ACCOUNTS, value_parser = clap::value_parser!(u64).range(1..))]
    part_accounts: u64,
}

/// The result.
#[derive(Serialize)]
struct Done {
    to: String,
    manifest: &'static str,
    accounts: u64,
    tables: usize,
    rows: u64,
    files: usize,
    bytes: u64,
    totals: Counted,
    erased: usize,
    events_after: String,
}

impl Answer for Done {
    fn text(&self) -> String {
        let erased = match self.erased {
            0 => String::new(),
            erased => format!(" {erased} accounts are gone: the manifest names them."),
        };
        format!(
            "Exported {} accounts to {}: {} rows of {} tables in {} files, {} bytes.{erased}\nThe ledgers sum up to {}. \
             The next export and the feed go on after the event {}.",
            self.accounts,
            plain(&self.to),
            self.rows,
            self.tables,
            self.files,
            self.bytes,
            self.totals.ledger_balance,
            self.events_after
        )
    }
}

pub(super) fn run(context: &Context, args: &ExportArgs) -> Result<(), Error> {
    let personal = match (args.without_personal, args.masked) {
        (true, _) => Personal::Without,
        (_, true) => Personal::Masked,
        _ => Personal::Full,
    };
    let after =
        args.after.as_deref().map(|id| event_id::decode(id).ok_or_else(|| no_event(id))).transpose()?;
    let app = context.app()?;
    let target = Target::open(&args.to)?;
    if target.read(MANIFEST)?.is_some() {
        return Err(Error::refused(format!(
            "{} holds a complete export: choose another place",
            plain(&args.to)
        )));
    }
    let begun = target.read(PROGRESS)?;
    if begun.is_none() && !target.is_empty()? {
        return Err(Error::refused(format!(
            "{} is not empty and holds no export that could go on: choose another place",
            plain(&args.to)
        )));
    }
    let supplier =
        app.as_command().begin_table_export(&args.supplier, args.format.as_str(), personal.as_str())?;
    let options = Options {
        supplier: supplier.code.to_string(),
        format: args.format.as_str().to_owned(),
        personal: personal.as_str().to_owned(),
        after: args.after.clone(),
    };
    let mut progress = match begun {
        Some(begun) => resumed(&begun, &options)?,
        None => started(&app, &supplier, options, personal)?,
    };
    let events_after = position(&progress.events_after)?;
    let changed =
        after.map(|after| changed(&app, &supplier, after, events_after, &args.after)).transpose()?;
    target.write(PROGRESS, document(&progress)?.as_bytes())?;
    let writer = Writer {
        target: &target,
        tables: Tables::imported(),
        format: args.format,
        personal,
        mask: progress.mask_key.as_deref().map(key).transpose()?.map(Mask::new),
        zone: supplier.settings.time_zone,
    };
    write_parts(
        &Reader { app: &app, supplier: &supplier, changed: changed.as_ref(), events_after },
        &writer,
        args,
        &mut progress,
    )?;
    let erased = erased(&app, &supplier, changed.unwrap_or_default())?;
    target.write(DICTIONARY, dictionary(&writer.tables).pretty().as_bytes())?;
    let manifest = Manifest::new(&progress, erased.clone());
    target.write(MANIFEST, document(&manifest)?.as_bytes())?;
    target.remove(PROGRESS)?;
    Ok(context.output.answer(&done(args, progress, erased.len()))?)
}

fn done(args: &ExportArgs, progress: Progress, erased: usize) -> Done {
    let parts = || progress.tables.iter().flat_map(|table| &table.parts);
    Done {
        to: args.to.clone(),
        manifest: MANIFEST,
        accounts: progress.totals.accounts,
        tables: progress.tables.len(),
        rows: progress.tables.iter().map(|table| table.rows).sum(),
        files: parts().count(),
        bytes: parts().map(|part| part.bytes).sum(),
        erased,
        totals: progress.totals.clone(),
        events_after: progress.events_after.clone(),
    }
}

fn no_event(id: &str) -> Error {
    Error::refused(format!("--after {}: this is not the id of an event", plain(id)))
}

fn position(id: &str) -> Result<FeedPosition, Error> {
    event_id::decode(id).ok_or_else(|| no_event(id))
}

/// The record of a new export.
fn started(app: &App, supplier: &Supplier, options: Options, personal: Personal) -> Result<Progress, Error> {
    let tables = Tables::imported();
    let mut random = [0; 32];
    SystemRandom.fill(&mut random);
    let hex = || random.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(Progress {
        export: 1,
        options,
        created_at: app.now(),
        events_after: event_id::encode(app.feed_end(supplier)?),
        mask_key: (personal == Personal::Masked).then(hex),
        reached: Reached::Nothing,
        parts: 0,
        tables: tables
            .iter()
            .map(|table| TableFiles { table: table.name.to_owned(), rows: 0, parts: Vec::new() })
            .collect(),
        totals: Counted::default(),
    })
}

/// The record of an export that goes on with the same options.
fn resumed(begun: &[u8], options: &Options) -> Result<Progress, Error> {
    let unreadable =
        || Error::refused(format!("the file {PROGRESS} cannot be read: remove the export and begin again"));
    let progress: Progress = serde_json::from_slice(begun).map_err(|_| unreadable())?;
    if progress.export != 1 || progress.tables.len() != Tables::imported().iter().count() {
        return Err(unreadable());
    }
    let was = &progress.options;
    if was == options {
        return Ok(progress);
    }
    let mut command = format!("cutover export {} --format {}", was.supplier, was.format);
    match &*was.personal {
        "masked" => command.push_str(" --masked"),
        "without" => command.push_str(" --without-personal"),
        _ => {}
    }
    if let Some(after) = &was.after {
        command.push_str(&format!(" --after {after}"));
    }
    Err(Error::refused(format!(
        "an export with other options is unfinished there: finish it with `{}`, or choose another place",
        plain(&command)
    )))
}

fn key(hex: &str) -> Result<[u8; 32], Error> {
    let digits =
        |at: usize| hex.get(2 * at..2 * at + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
    let bytes: Option<Vec<u8>> = (0..32).map(digits).collect();
    let key = bytes.and_then(|bytes| bytes.try_into().ok());
    key.ok_or_else(|| Error::refused(format!("the file {PROGRESS} has no usable key")))
}

fn changed(
    app: &App,
    supplier: &Supplier,
    after: FeedPosition,
    until: FeedPosition,
    id: &Option<String>,
) -> Result<ChangedAccounts, Error> {
    let id = plain(id.as_deref().unwrap_or_default());
    app.changed_accounts(supplier, after, until).map_err(|refused| match refused {
        ChangesRefused::Store(error) => error.into(),
        ChangesRefused::Expired => Error::refused(format!(
            "events after {id} have expired: export all accounts again, without --after, to another place"
        )),
        ChangesRefused::Later => Error::refused(format!("--after {id}: there is no event with this id yet")),
    })
}

/// The numbers of accounts that were erased or undone, and not imported again.
fn erased(app: &App, supplier: &Supplier, changed: ChangedAccounts) -> Result<Vec<String>, Error> {
    let mut erased = Vec::new();
    for number in changed.removed {
        let Ok(parsed) = number.parse::<ExternalAccountNumber>() else { continue };
        if app.imported_accounts_by_number(supplier, &[parsed])?.0.is_empty() {
            erased.push(number);
        }
    }
    Ok(erased)
}

/// Reads the accounts of an export.
struct Reader<'a> {
    app: &'a App,
    supplier: &'a Supplier,
    changed: Option<&'a ChangedAccounts>,
    events_after: FeedPosition,
}

/// Some accounts, and the last one of them.
type Page = (Vec<ImportedAccount>, Reached);

impl Reader<'_> {
    /// Reads pages and hands them over, until all accounts are read or nobody takes them any more.
    fn read(&self, from: Reached, pages: &SyncSender<Result<Page, Error>>) {
        let mut reached = from;
        loop {
            match self.page(&reached) {
                Ok(ControlFlow::Continue((accounts, next))) => {
                    reached = next.clone();
                    if pages.send(Ok((accounts, next))).is_err() {
                        return;
                    }
                }
                Ok(ControlFlow::Break(last)) => return last.map_or((), |page| drop(pages.send(Ok(page)))),
                Err(error) => return drop(pages.send(Err(error))),
            }
        }
    }

    /// Reads the accounts after those that were reached. `Break` if no others follow.
    fn page(&self, reached: &Reached) -> Result<ControlFlow<Option<Page>, Page>, Error> {
        match self.changed {
            None => self.in_import_order(reached),
            Some(changed) => self.by_number(changed, reached),
        }
    }

    fn in_import_order(&self, reached: &Reached) -> Result<ControlFlow<Option<Page>, Page>, Error> {
        let (supplier_id, events_after) = (self.supplier.id, self.events_after);
        let cursor = match reached {
            Reached::Import(at, id) => Some(ImportCursor { supplier_id, position: (*at, *id), events_after }),
            _ => None,
        };
        let page = self.app.imported_accounts_of(self.supplier, cursor, PAGE as u32).map_err(refused)?;
        let Some((last, _)) = page.accounts.last() else { return Ok(ControlFlow::Break(None)) };
        let next = Reached::Import(last.position.0, last.position.1);
        let accounts = page.accounts.into_iter().map(|(_, account)| account).collect();
        let page_of = (accounts, next);
        Ok(if page.has_more { ControlFlow::Continue(page_of) } else { ControlFlow::Break(Some(page_of)) })
    }

    fn by_number(
        &self,
        changed: &ChangedAccounts,
        reached: &Reached,
    ) -> Result<ControlFlow<Option<Page>, Page>, Error> {
        let is_done = |number: &&String| matches!(reached, Reached::Number(last) if *number <= last);
        let next = changed.numbers.iter().skip_while(is_done).take(PAGE);
        let numbers: Vec<ExternalAccountNumber> = next.filter_map(|number| number.parse().ok()).collect();
        let (accounts, count) = self.app.imported_accounts_by_number(self.supplier, &numbers)?;
        let last = count.checked_sub(1).and_then(|last| numbers.get(last));
        let Some(last) = last else { return Ok(ControlFlow::Break(None)) };
        Ok(ControlFlow::Continue((accounts, Reached::Number(last.to_string()))))
    }
}

fn refused(refused: ImportedRefused) -> Error {
    match refused {
        ImportedRefused::Store(error) => error.into(),
        ImportedRefused::Expired => Error::refused(
            "the export took longer than events are kept: remove it and begin again, or set a longer event-retention",
        ),
        other => Error::refused(other.to_string()),
    }
}

/// Reads on one thread and writes on this one. A part ends with a page.
fn write_parts(
    reader: &Reader<'_>,
    writer: &Writer<'_>,
    args: &ExportArgs,
    progress: &mut Progress,
) -> Result<(), Error> {
    let from = progress.reached.clone();
    std::thread::scope(|scope| {
        let (sender, pages) = sync_channel(AHEAD);
        scope.spawn(move || reader.read(from, &sender));
        write_pages(pages, writer, args, progress)
    })
}

fn write_pages(
    pages: Receiver<Result<Page, Error>>,
    writer: &Writer<'_>,
    args: &ExportArgs,
    progress: &mut Progress,
) -> Result<(), Error> {
    let mut number = progress.parts + 1;
    let mut part = writer.begin(number)?;
    let mut is_new = progress.parts == 0;
    for page in pages {
        let (accounts, reached) = page?;
        for account in &accounts {
            writer.add(number, &mut part, account)?;
        }
        progress.reached = reached;
        is_new = true;
        if part.accounts >= args.part_accounts || part.size >= PART_SIZE {
            writer.end(number, part, progress)?;
            writer.target.write(PROGRESS, document(progress)?.as_bytes())?;
            number += 1;
            part = writer.begin(number)?;
            is_new = false;
        }
    }
    if is_new {
        writer.end(number, part, progress)?;
        writer.target.write(PROGRESS, document(progress)?.as_bytes())?;
    }
    Ok(())
}
