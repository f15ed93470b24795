//! `cutover-client manifest`: what the supplier's files come to, computed from them and declared to the service.

mod options;
mod tally;
mod view;

pub(crate) use options::Options;

use crate::assemble::{Inputs, Read};
use crate::copies::{Copies, account_hash};
use crate::error::{Error, print_error};
use crate::exit::Exit;
use crate::identity::Identity;
use crate::input::{InputEvent, Location, Source};
use crate::output::{grouped, print};
use crate::pipeline::{End, Pipeline, Worker};
use crate::progress::Progress;
use crate::request::Kind;
use crate::service::{Backoff, Fault, Reply, Service, block_on};
use crate::validate::{Checked, Checker, Finding, Rules, Settings};
use chrono::{DateTime, Utc};
use cutover_core::AttrPath;
use cutover_model::Totals;
use reqwest::header::CONTENT_TYPE;
use reqwest::{StatusCode, Url};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tally::{Place, Tally};

/// Number of account numbers in a request.
const PART: usize = 10_000;
/// Time to wait for a service that is away.
const PATIENCE: Duration = Duration::from_secs(30);

/// Computes the manifest of each supplier in the inputs, prints it, and declares it to the service unless that is
/// not wanted.
///
/// # Errors
/// [`Error`] if an input does not exist or the service does not answer.
pub(crate) fn run(options: &Options, now: DateTime<Utc>) -> Result<Exit, Error> {
    let target = options.target();
    let rules = Rules::in_zone(options.time_zone, options.jobs);
    let settings = Arc::new(Settings::new(&rules, now, target.clone())?);
    let inputs = Inputs::find(&options.paths, &[], &options.tables)?;
    let pipeline = Pipeline::new();
    pipeline.stop_on_signal(|| {})?;
    let Read { sources, tables } = inputs.read(pipeline.stop(), options.quiet)?;
    let copies = Copies::find(&sources, account_hash, rules.workers(), pipeline.stop(), options.quiet)?;
    let bytes = sources.iter().map(|source| source.bytes).sum();
    let mut run = Run {
        sources: &sources,
        settings: &settings,
        copies,
        tally: Tally::new(options.supplier.clone(), options.numbers, tables.map(|tables| tables.counts)),
        progress: Progress::new(options.quiet, bytes, pipeline.read()),
    };
    let counter = Counter(Checker::new(settings.clone(), &sources, false));
    let end = pipeline
        .run(sources.clone(), rules.workers(), counter, |location, event| run.see(location, event))?;
    let Run { mut tally, .. } = run;
    let numbers = tally.take_numbers();
    let mut summary = tally.summary(end == End::Stopped, settings.zones())?;
    if let Some(target) = target.filter(|_| summary.is_complete()) {
        let service = target.service()?;
        for manifest in &summary.manifests {
            let supplier = &manifest.import_supplier;
            block_on(declare(&service, supplier, manifest.totals))??;
            if let Some(numbers) = &numbers {
                let numbers = numbers.get(supplier.as_str()).map_or(&[][..], Vec::as_slice);
                block_on(declare_numbers(&service, supplier, numbers))??;
            }
        }
        summary.declared = true;
    }
    print(&if options.json { summary.json() } else { summary.text() })?;
    Ok(summary.exit())
}

/// The totals of an account, or the paths because of which it cannot be counted.
type Counted = Result<Totals, Vec<AttrPath>>;

/// Decodes accounts and computes their totals.
struct Counter(Checker);

impl Worker for Counter {
    type Output = (Checked, Counted);

    fn process(&self, location: Location, account: &[u8]) -> Self::Output {
        let (checked, decoded) = self.0.check(location, account);
        let totals =
            decoded.map_or_else(|| Err(vec![AttrPath::root()]), |decoded| self.0.totals(&checked, &decoded));
        (checked, totals)
    }
}

/// State of a run.
struct Run<'s> {
    sources: &'s [Source],
    settings: &'s Settings,
    copies: Copies,
    tally: Tally,
    progress: Progress,
}

impl Run<'_> {
    fn see(&mut self, location: Location, event: InputEvent<(Checked, Counted)>) -> Result<(), Error> {
        self.settings.check()?;
        let source = &self.sources[location.source as usize];
        let file = &source.name;
        match event {
            InputEvent::Opened => {}
            InputEvent::Account((checked, totals)) => {
                let place = Place { source, line: location.line };
                if !self.tally.begin(&checked) {
                    return Ok(());
                }
                let occurrence = self.copies.see(
                    checked.identity.as_ref().and_then(Identity::hash),
                    location,
                    checked.fingerprint,
                );
                if let Some(earlier) = occurrence.earlier.filter(|earlier| earlier.differs) {
                    self.tally.differs(&checked, Finding::copy(Kind::Account, earlier, self.sources), place);
                }
                if occurrence.counts {
                    self.tally.account(&checked, totals, place);
                } else {
                    self.tally.repeated();
                }
            }
            InputEvent::TooLarge => {
                let checked = Checked::too_large(Kind::Account);
                if self.tally.begin(&checked) {
                    let faults = Err(vec![AttrPath::root()]);
                    self.tally.account(&checked, faults, Place { source, line: location.line });
                }
            }
            InputEvent::Unreadable(why) => {
                self.progress.print_above(|| print_error(&format_args!("{file} cannot be read: {why}")));
                self.tally.unreadable();
            }
        }
        let accounts = self.tally.accounts();
        self.progress.checked(accounts, || format!("{} accounts", grouped(accounts)));
        Ok(())
    }
}

/// Declares the manifest of a supplier.
async fn declare(service: &Service, supplier: &str, totals: Totals) -> Result<(), Error> {
    let url = service.url(&["v2", "data-import", "import-suppliers", supplier, "manifest"], "");
    let mut body = json!({
        "accounts": totals.accounts,
        "ledger_balance": totals.ledger_balance.to_string(),
        "readings": totals.readings,
        "transactions": totals.transactions,
        "documents": totals.documents,
        "counts": totals.rows,
    });
    let mut reply = Backoff::new(PATIENCE).run(async || put(service, &url, &body).await).await?;
    if reply.status == StatusCode::BAD_REQUEST {
        // A service of an earlier version takes no rows.
        if let Value::Object(members) = &mut body {
            members.remove("counts");
        }
        reply = Backoff::new(PATIENCE).run(async || put(service, &url, &body).await).await?;
    }
    if reply.status == StatusCode::NOT_FOUND {
        let why = format!("the service knows no import supplier {supplier}, or is of an older version");
        return Err(Error::refused(why));
    }
    reply.ok()?;
    Ok(())
}

/// Declares the account numbers of a supplier in parts. A part that is sent again is taken once.
async fn declare_numbers(service: &Service, supplier: &str, numbers: &[Box<str>]) -> Result<(), Error> {
    let path = ["v2", "data-import", "import-suppliers", supplier, "manifest", "numbers"];
    let url = service.url(&path, "");
    let parts = numbers.len().div_ceil(PART).max(1);
    for part in 1..=parts {
        let from = (part - 1) * PART;
        let some = numbers.get(from..numbers.len().min(from + PART)).unwrap_or_default();
        let body = json!({"part": part, "is_last": part == parts, "account_numbers": some});
        let reply = Backoff::new(PATIENCE).run(async || put(service, &url, &body).await).await?;
        if reply.status == StatusCode::NOT_FOUND {
            let why = "the service takes no account numbers: it is of an older version";
            return Err(Error::refused(why));
        }
        reply.ok()?;
    }
    Ok(())
}

async fn put(service: &Service, url: &Url, body: &Value) -> Result<Reply, Fault> {
    let text = body.to_string();
    let send = |http: &reqwest::Client| {
        http.put(url.clone()).header(CONTENT_TYPE, "application/json").body(text.clone())
    };
    let response = service.send(send).await?;
    let status = response.status();
    if status.is_server_error() {
        return Err(Fault::transient(format!("the service answers {}", status.as_u16())));
    }
    Reply::read(response).await
}
