//! Runs of a supplier, and their comparison (contract D15).

use super::links;
use super::page::{Frame, page, see_other};
use super::view::{Moment, ROWS, Status, grouped};
use super::visit::{Stop, done, found, visited};
use super::visitor::Visitor;
use crate::call::{Answer, Call};
use crate::request::query::Query;
use actix_web::HttpResponse;
use askama::Template;
use cutover_app::operator::{AccountGroup, Difference, RunDiff, RunReport};
use cutover_app::port::{Cause, CauseCount};
use cutover_model::{ControlTotals, Others, Totals};
use cutover_process::State;

/// Runs on a page.
const PAGE: u32 = ROWS as u32;
/// Codes in a comparison.
const CODES: usize = 50;

#[derive(Template)]
#[template(path = "console/runs.html")]
struct Runs {
    frame: Frame,
    supplier: String,
    supplier_link: String,
    rows: Vec<Row>,
    /// The name of the open run.
    open: Option<String>,
    is_first: bool,
    /// The link to the next page.
    next: Option<String>,
}

/// A run in the list.
struct Row {
    name: String,
    link: String,
    started: Moment,
    ended: Option<Moment>,
    passed: String,
    failed: String,
    refused: String,
    rate: String,
}

impl Row {
    fn new(supplier: &str, report: &RunReport) -> Self {
        let count = |states: [State; 2]| {
            let counted = report.counts.iter().filter(|(state, _)| states.contains(state));
            grouped(&counted.map(|(_, count)| count).sum::<u64>().to_string())
        };
        let moment = |at| Moment::new(at, report.zone);
        Self {
            link: run_link(supplier, &report.run.name),
            started: moment(report.run.started_at),
            ended: report.run.ended_at.map(moment),
            passed: count([State::Processed, State::DryRunSucceeded]),
            failed: count([State::Errored, State::DryRunErrored]),
            refused: grouped(&report.refused.to_string()),
            rate: grouped(&report.rate_per_minute.to_string()),
            name: report.run.name.clone(),
        }
    }
}

fn run_link(supplier: &str, name: &str) -> String {
    format!("{}runs/one/?name={}", links::supplier(supplier), links::segment(name))
}

#[derive(Template)]
#[template(path = "console/run.html")]
struct One {
    frame: Frame,
    supplier: String,
    supplier_link: String,
    run: Row,
    first: Option<Moment>,
    last: Option<Moment>,
    counts: Vec<(Status, String)>,
    totals: Vec<(&'static str, String)>,
    causes: [Causes; 2],
}

/// The most frequent causes of failures, or of refusals.
struct Causes {
    id: &'static str,
    title: &'static str,
    rows: Vec<CauseRow>,
    /// Number of the causes that have no row.
    others: Option<String>,
}

/// A cause with the page that explains its code, and numbers of accounts.
struct CauseRow {
    attr: Option<String>,
    code: String,
    link: Option<String>,
    accounts: Vec<String>,
}

impl CauseRow {
    fn new(cause: Cause, accounts: &[u64]) -> Self {
        let accounts = accounts.iter().map(|count| grouped(&count.to_string())).collect();
        Self { link: links::explanation(&cause.code), attr: cause.attr, code: cause.code, accounts }
    }
}

/// The names of the figures, with their values.
fn totals(totals: Totals) -> [(&'static str, String); 5] {
    let ControlTotals { accounts, ledger_balance, readings, transactions, documents, .. } = totals.into();
    let count = |count: u64| grouped(&count.to_string());
    [
        ("Accounts that passed", count(accounts)),
        ("Ledger balance", grouped(&ledger_balance)),
        ("Readings", count(readings)),
        ("Transactions", count(transactions)),
        ("Documents", count(documents)),
    ]
}

#[derive(Template)]
#[template(path = "console/run_diff.html")]
struct Diff {
    frame: Frame,
    supplier: String,
    supplier_link: String,
    a: String,
    b: String,
    groups: Vec<Group>,
    /// Examples of changed accounts, with the paths at which they were changed.
    changed: Vec<(String, Option<Vec<&'static str>>)>,
    /// These paths with the numbers of accounts.
    paths: Vec<(&'static str, String)>,
    /// Number of paths beyond those shown.
    more_paths: usize,
    codes: Vec<CauseRow>,
    /// Number of causes beyond those shown.
    more: usize,
    /// Name, first, second, difference.
    totals: Vec<[String; 4]>,
}

/// Accounts with a difference.
struct Group {
    what: &'static str,
    count: String,
    examples: String,
}

impl Group {
    fn new((difference, group): (Difference, AccountGroup)) -> Self {
        let what = match difference {
            Difference::New => "Only in the second run",
            Difference::Gone => "Only in the first run",
            Difference::Changed => "With other content",
            Difference::Fixed => "Failed or refused in the first, passed in the second",
            Difference::Broken => "Passed in the first, failed or refused in the second",
        };
        let more = if group.count > group.examples.len() as u64 { ", …" } else { "" };
        let examples = format!("{}{more}", group.examples.join(", "));
        Self { what, count: grouped(&group.count.to_string()), examples }
    }
}

/// Returns the rows of both totals with their difference.
fn compared([a, b]: [Totals; 2]) -> Vec<[String; 4]> {
    let number = |count: u64| count.cast_signed();
    let counts = [
        number(b.accounts) - number(a.accounts),
        number(b.readings) - number(a.readings),
        number(b.transactions) - number(a.transactions),
        number(b.documents) - number(a.documents),
    ];
    let balance = Totals { ledger_balance: b.ledger_balance - a.ledger_balance, ..Totals::default() };
    let [accounts, readings, transactions, documents] = counts.map(|count| grouped(&count.to_string()));
    let [_, (_, balance), ..] = totals(balance);
    let differences = [accounts, balance, readings, transactions, documents];
    let rows = totals(a).into_iter().zip(totals(b)).zip(differences);
    rows.map(|(((name, a), (_, b)), difference)| [name.to_owned(), a, b, difference]).collect()
}

/// Reads the name of a run from a query or a form.
fn name(text: &str, parameter: &'static str) -> Result<String, Stop> {
    let name = Query::new(text).read(parameter, |text| Some(text.to_owned())).unwrap_or_default();
    if name.trim().is_empty() { Err(Stop::NotDone("Name a run.".into())) } else { Ok(name) }
}

/// Refuses a supplier that the visitor's organisation does not have, whatever else the request lacks.
async fn check_supplier(call: &Call, visitor: &Visitor, code: &str) -> Result<(), Stop> {
    let (caller, code) = (visitor.caller().clone(), code.to_owned());
    Ok(call.run(move |app| found(app.as_caller(&caller).show_supplier(&code)).map(drop)).await?)
}

/// `GET /console/suppliers/<supplier>/runs/`: the runs, the last first, with forms to start, end and compare them.
pub(crate) fn list(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (caller, code) = (visitor.caller().clone(), call.parameter(0));
            let before = Query::new(call.query()).read("before", |text| text.parse().ok());
            let of = code.clone();
            let runs =
                call.run_page(move |app| found(app.as_caller(&caller).runs(&of, before, PAGE))).await?;
            let supplier_link = links::supplier(&code);
            let open = runs.runs.iter().find(|report| report.run.ended_at.is_none());
            let zone = runs.runs.first().map(|report| report.zone);
            let answer = Runs {
                frame: Frame { zone, ..Frame::of(visitor) },
                open: open.map(|report| report.run.name.clone()),
                rows: runs.runs.iter().map(|report| Row::new(&code, report)).collect(),
                is_first: before.is_none(),
                next: runs.next.map(|next| format!("{supplier_link}runs/?before={next}")),
                supplier: code,
                supplier_link,
            };
            Ok(page(&mut HttpResponse::Ok(), &answer)?)
        })
        .await)
    })
}

/// `GET /console/suppliers/<supplier>/runs/one/?name=…`: a run with its figures.
pub(crate) fn show(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (caller, code) = (visitor.caller().clone(), call.parameter(0));
            check_supplier(call, visitor, &code).await?;
            let (name, of) = (name(call.query(), "name")?, code.clone());
            let report = call.run_page(move |app| found(app.as_caller(&caller).show_run(&of, &name))).await?;
            let causes = |id, title, of: Vec<CauseCount>, others: Others| Causes {
                id,
                title,
                others: others.words(),
                rows: of.into_iter().map(|of| CauseRow::new(of.cause, &[of.accounts])).collect(),
            };
            let counted = report.counts.iter().filter(|(_, count)| *count > 0);
            let answer = One {
                frame: Frame::of(visitor).in_zone(report.zone),
                run: Row::new(&code, &report),
                first: report.first_at.map(|at| Moment::new(at, report.zone)),
                last: report.last_at.map(|at| Moment::new(at, report.zone)),
                counts: counted
                    .map(|(state, count)| (Status::from(*state), grouped(&count.to_string())))
                    .collect(),
                totals: totals(report.totals).to_vec(),
                causes: [
                    causes("errors", "Most frequent errors", report.top_errors, report.other_errors),
                    causes("refusals", "Refused most often for", report.top_refused, report.other_refused),
                ],
                supplier_link: links::supplier(&code),
                supplier: code,
            };
            Ok(page(&mut HttpResponse::Ok(), &answer)?)
        })
        .await)
    })
}

/// `GET /console/suppliers/<supplier>/runs/diff/?a=…&b=…`: the comparison of two runs.
pub(crate) fn compare(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (caller, code) = (visitor.caller().clone(), call.parameter(0));
            check_supplier(call, visitor, &code).await?;
            let (a, b) = (name(call.query(), "a")?, name(call.query(), "b")?);
            let (of, first, second) = (code.clone(), a.clone(), b.clone());
            let diff =
                call.run_page(move |app| found(app.as_caller(&caller).diff_runs(&of, &first, &second)));
            let RunDiff { groups, codes, changed, paths, totals } = diff.await?;
            let answer = Diff {
                frame: Frame::of(visitor),
                a,
                b,
                groups: groups.into_iter().map(Group::new).collect(),
                changed: changed.into_iter().map(|one| (one.number, one.paths)).collect(),
                more_paths: paths.len().saturating_sub(CODES),
                paths: paths
                    .into_iter()
                    .take(CODES)
                    .map(|(path, count)| (path, grouped(&count.to_string())))
                    .collect(),
                more: codes.len().saturating_sub(CODES),
                codes: codes
                    .into_iter()
                    .take(CODES)
                    .map(|code| CauseRow::new(code.cause, &[code.a, code.b]))
                    .collect(),
                totals: compared(totals),
                supplier_link: links::supplier(&code),
                supplier: code,
            };
            Ok(page(&mut HttpResponse::Ok(), &answer)?)
        })
        .await)
    })
}

/// `POST /console/suppliers/<supplier>/runs/start/`: starts a run.
pub(crate) fn start(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (caller, code) = (visitor.caller().clone(), call.parameter(0));
            check_supplier(call, visitor, &code).await?;
            let form = call.form().await?;
            let (name, of) = (name(&form, "name")?, code.clone());
            let started = call.run(move |app| done(app.as_caller(&caller).start_run(&of, &name))).await?;
            let started = started.map_err(Stop::NotDone)?;
            super::actions::log(call, visitor, "start run", &code, None);
            Ok(see_other(&run_link(&code, &started.run.name)))
        })
        .await)
    })
}

/// `POST /console/suppliers/<supplier>/runs/end/`: ends the open run.
pub(crate) fn end(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (caller, code) = (visitor.caller().clone(), call.parameter(0));
            let of = code.clone();
            let ended = call.run(move |app| done(app.as_caller(&caller).end_run(&of))).await?;
            let ended = ended.map_err(Stop::NotDone)?;
            super::actions::log(call, visitor, "end run", &code, None);
            Ok(see_other(&run_link(&code, &ended.run.name)))
        })
        .await)
    })
}
