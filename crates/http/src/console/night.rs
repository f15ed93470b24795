//! The page for the night of a migration: large figures, which can be read from across a room.

use super::holds::own;
use super::links;
use super::migration::{CauseRow, Overview};
use super::page::{Frame, page};
use super::readiness::{Checks, probe};
use super::supplier::Held;
use super::tables::{TableFigures, declared_tables};
use super::view::{Moment, duration, grouped};
use super::visit::{displayed, found};
use crate::call::{Answer, Call};
use actix_web::HttpResponse;
use askama::Template;
use cutover_app::App;
use cutover_app::operator::Night;
use cutover_app::port::Reconciliation;
use cutover_core::SupplierStatus;
use cutover_model::{ControlTotals, ManifestShown, RowCounts, Totals};

/// Maximum number of causes of failures shown.
const CAUSES: usize = 5;

#[derive(Template)]
#[template(path = "console/night.html")]
struct Page {
    frame: Frame,
    code: String,
    link: String,
    /// What happens now, in a word, with its style.
    state: (String, &'static str),
    hold: Option<Held>,
    wave: Option<Wave>,
    imported: String,
    failed: String,
    has_failed: bool,
    refused: String,
    has_refused: bool,
    waiting: String,
    rate: String,
    checks: Checks,
    /// The time until the first window closes, and that moment.
    window: Option<(String, Moment)>,
    totals: Vec<TotalRow>,
    has_manifest: bool,
    causes: Vec<CauseRow>,
    /// The time of day of the figures, for when no newer ones come.
    since: String,
}

/// The wave that runs, or ran before the hold.
struct Wave {
    /// `2 of 3`, or `before the first`.
    number: String,
    ended: String,
    failed: String,
    has_failed: bool,
}

/// A figure as it was declared, sent and imported.
struct TotalRow {
    name: String,
    declared: String,
    sent: String,
    imported: String,
    difference: String,
    differs: bool,
}

/// `GET /console/suppliers/<supplier>/night/`.
pub(crate) fn show(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(displayed(call, async |call, visitor| {
            let code = own(call, visitor).await?;
            let services = probe(call, visitor, &code).await?;
            let caller = visitor.caller().clone();
            let job = move |app: &App| found(app.as_caller(&caller).night(&code, &services));
            let night = call.run_page(job).await?;
            Ok(page(&mut HttpResponse::Ok(), &Page::new(Frame::of(visitor), night))?)
        })
        .await)
    })
}

impl Page {
    fn new(frame: Frame, night: Night) -> Self {
        let Night { supplier, progress, readiness, gate, first_window, at } = night;
        let (code, zone) = (supplier.code.to_string(), progress.zone);
        let overview = Overview::of(&code, &progress, &[], at);
        let waves = supplier.settings.waves.count();
        let wave = gate.filter(|_| waves > 0).map(|gate| Wave {
            number: match gate.wave {
                0 => format!("None of {waves}"),
                wave => format!("{} of {waves}", (wave as usize).min(waves)),
            },
            ended: grouped(&gate.ended.to_string()),
            failed: grouped(&gate.failed.to_string()),
            has_failed: gate.failed > 0,
        });
        let status = &supplier.settings.status;
        let state = match &progress.hold {
            Some(_) => ("Held".to_owned(), "paused"),
            None if *status == SupplierStatus::Ongoing => (status.to_string(), "ongoing"),
            None => (status.to_string(), "paused"),
        };
        let [errors, _] = overview.causes;
        Self {
            frame: frame.in_zone(zone),
            link: links::supplier(&code),
            state,
            hold: progress.hold.as_ref().map(|hold| Held::new(hold, zone)),
            wave,
            imported: overview.imported,
            failed: overview.failed,
            has_failed: overview.has_failed,
            refused: overview.refused,
            has_refused: overview.has_refused,
            waiting: overview.waiting,
            rate: overview.rate,
            checks: Checks::new(&readiness, zone),
            window: first_window.map(|end| (until(end - at), Moment::new(end, zone))),
            has_manifest: progress.reconciliation.manifest.is_some(),
            totals: totals(&progress.reconciliation),
            causes: errors.rows.into_iter().take(CAUSES).collect(),
            since: zone.local(at).format("%H:%M").to_string(),
            code,
        }
    }
}

fn until(time: chrono::TimeDelta) -> String {
    if time <= chrono::TimeDelta::zero() { "Closed".to_owned() } else { duration(time) }
}

/// Returns the figures beside each other; without a manifest those that were sent and imported.
fn totals(figures: &Reconciliation) -> Vec<TotalRow> {
    let declared = figures.manifest.map(|manifest| manifest.declared);
    let without_tables = Totals { rows: RowCounts::default(), ..figures.imported };
    let shown = ManifestShown::new(declared.unwrap_or(without_tables), figures.sent, figures.imported);
    let tables: Vec<TotalRow> = declared_tables(&shown).map(TotalRow::from).collect();
    let of = |totals: ControlTotals| {
        [
            grouped(&totals.accounts.to_string()),
            grouped(&totals.ledger_balance),
            grouped(&totals.readings.to_string()),
            grouped(&totals.transactions.to_string()),
            grouped(&totals.documents.to_string()),
        ]
    };
    let difference = shown.imported_difference;
    let differences = [
        difference.accounts.to_string(),
        difference.ledger_balance,
        difference.readings.to_string(),
        difference.transactions.to_string(),
        difference.documents.to_string(),
    ];
    let names = ["Accounts", "Ledger balance", "Readings", "Transactions", "Documents"];
    let columns = of(shown.declared).into_iter().zip(of(shown.sent)).zip(of(shown.imported));
    let rows = names.into_iter().zip(columns.zip(differences));
    rows.map(|(name, (((declared, sent), imported), difference))| TotalRow {
        name: name.to_owned(),
        declared,
        sent,
        imported,
        differs: difference.contains(|c: char| c.is_ascii_digit() && c != '0'),
        difference: grouped(&difference),
    })
    .chain(tables)
    .collect()
}

impl From<TableFigures> for TotalRow {
    fn from(table: TableFigures) -> Self {
        let TableFigures { name, declared, sent, imported, imported_difference: difference, .. } = table;
        let differs = difference != "0";
        Self { name, declared, sent, imported, difference, differs }
    }
}
