//! The actions of operators on the organisation, its suppliers and their accounts.

use super::links;
use super::page::{Frame, page};
use super::view::{Moment, ROWS};
use super::visit::{found, visited};
use crate::call::{Answer, Call};
use crate::request::query::Query;
use actix_web::HttpResponse;
use askama::Template;
use cutover_app::App;
use cutover_app::operator::{AuditPage, AuditScope};
use cutover_app::port::{AuditAction, AuditRecord};
use cutover_core::Zone;

/// Actions on a page.
const PAGE: u32 = ROWS as u32;

#[derive(Template)]
#[template(path = "console/audit.html")]
struct Page {
    frame: Frame,
    records: Vec<Row>,
    suppliers: Vec<(String, bool)>,
    actions: Vec<(&'static str, bool)>,
    by: String,
    is_filtered: bool,
    is_first: bool,
    /// The link to the next page.
    next: Option<String>,
}

/// An action.
struct Row {
    at: Moment,
    by: String,
    action: String,
    supplier: Option<(String, String)>,
    account: Option<(String, String)>,
    /// The key of the process of an account that was erased.
    erased: Option<i64>,
    facts: Vec<(String, String)>,
}

impl Row {
    fn new(record: AuditRecord, page: &AuditPage, zone: Zone) -> Self {
        let number = record.process_id.and_then(|id| page.numbers.get(&id));
        let account = record.supplier.as_ref().zip(number);
        Self {
            at: Moment::new(record.at, zone),
            by: record.by,
            action: record.action,
            erased: record.process_id.filter(|_| number.is_none()),
            account: account.map(|(supplier, number)| (number.clone(), links::account(supplier, number))),
            supplier: record.supplier.map(|code| (code.clone(), links::supplier(&code))),
            facts: record.detail.facts().map(|(name, fact)| (name.to_owned(), fact.to_string())).collect(),
        }
    }
}

/// Reads the filter of a link. Invalid values are left out.
fn scope(query: &str) -> AuditScope {
    let mut query = Query::new(query);
    let text = |text: &str| (!text.trim().is_empty()).then(|| text.trim().to_owned());
    AuditScope {
        supplier: query.read("supplier", text),
        by: query.read("by", text),
        action: query.read("action", |text| text.parse().ok()),
        before: query.read("before", |text| text.parse().ok()),
        limit: PAGE,
        since: None,
    }
}

fn next(scope: &AuditScope, before: i64) -> String {
    let mut link = "/console/audit/?".to_owned();
    for (name, value) in [
        ("supplier", scope.supplier.as_deref()),
        ("by", scope.by.as_deref()),
        ("action", scope.action.map(AuditAction::as_str)),
    ] {
        if let Some(value) = value {
            link.push_str(&format!("{name}={}&", links::segment(value)));
        }
    }
    format!("{link}before={before}")
}

/// `GET /console/audit/`: the last actions first, in pages.
pub(crate) fn list(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let caller = visitor.caller().clone();
            let scope = scope(call.query());
            let asked = scope.clone();
            let job = move |app: &App| {
                let by = app.as_caller(&caller);
                let page = found(by.audit_page(&asked))?;
                let zone = match &asked.supplier {
                    Some(code) => by.zone_of(code)?,
                    None => by.common_zone(None)?,
                };
                let suppliers = by.suppliers()?.into_iter().map(|supplier| supplier.code.to_string());
                Ok((page, suppliers.collect::<Vec<_>>(), zone))
            };
            let (mut found, suppliers, zone) = call.run_page(job).await?;
            let records = std::mem::take(&mut found.records);
            let chosen = scope.supplier.as_deref().unwrap_or_default();
            let shown = Page {
                frame: Frame::of(visitor).in_zone(zone),
                records: records.into_iter().map(|record| Row::new(record, &found, zone)).collect(),
                suppliers: suppliers.into_iter().map(|code| (code.clone(), code == chosen)).collect(),
                actions: AuditAction::ALL
                    .iter()
                    .map(|action| (action.as_str(), scope.action == Some(*action)))
                    .collect(),
                by: scope.by.clone().unwrap_or_default(),
                is_filtered: scope.supplier.is_some() || scope.by.is_some() || scope.action.is_some(),
                is_first: scope.before.is_none(),
                next: found.next.map(|before| next(&scope, before)),
            };
            Ok(page(&mut HttpResponse::Ok(), &shown)?)
        })
        .await)
    })
}
