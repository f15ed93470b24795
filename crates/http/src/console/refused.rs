//! The refused creates of a supplier.

use super::links;
use super::page::{Frame, page};
use super::view::{Moment, ROWS, grouped};
use super::visit::{found, visited};
use crate::call::{Answer, Call};
use crate::refusal::Refusal;
use crate::request::query::Query;
use actix_web::HttpResponse;
use askama::Template;
use cutover_app::App;
use cutover_core::{ExternalAccountNumber, Zone};
use cutover_model::RefusedCreateShown;

/// Accounts on a page.
const PAGE: u32 = ROWS as u32;

#[derive(Template)]
#[template(path = "console/refused_creates.html")]
struct Page {
    frame: Frame,
    supplier: String,
    supplier_link: String,
    accounts: String,
    without_number: String,
    rows: Vec<Row>,
    is_first: bool,
    /// The link to the next page.
    next: Option<String>,
}

/// The last refused create of an account.
struct Row {
    number: String,
    at: Moment,
    /// Path, code, and the page that explains the code.
    faults: Vec<(String, String, Option<String>)>,
}

impl Row {
    fn new(refused: &RefusedCreateShown, zone: Zone) -> Self {
        let fault = |item: &cutover_model::RefusedItem| {
            (item.attr.clone(), item.code.to_string(), links::explanation(item.code.as_str()))
        };
        Self {
            number: refused.external_account_number.clone(),
            at: Moment::new(refused.refused_at.0.to_utc(), zone),
            faults: refused.errors.iter().map(fault).collect(),
        }
    }
}

/// `GET /console/suppliers/<supplier>/refused/`: accounts whose create was refused and which were not accepted since,
/// or the one with the `number` of the query.
pub(crate) fn list(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (caller, code) = (visitor.caller().clone(), call.parameter(0));
            let number = |text: &str| text.parse::<ExternalAccountNumber>().ok().map(|_| text.to_owned());
            let mut query = Query::new(call.query());
            let after = query.read("after", number);
            let only: Option<ExternalAccountNumber> = query.read("number", |text| text.parse().ok());
            let is_first = after.is_none() && only.is_none();
            let job = move |app: &App| {
                let supplier = found(app.as_caller(&caller).show_supplier(&code))?;
                let page = match &only {
                    Some(only) => app.refused_create(&caller, &code, only)?.map(|found| (found, false)),
                    None => app.refused_creates(&caller, &code, &after.unwrap_or_default(), PAGE)?,
                };
                let (rows, has_more) = page.ok_or(Refusal::NotFound)?;
                let figures = app.refused_figures(&supplier)?;
                Ok((supplier, rows, has_more, figures))
            };
            let (supplier, rows, has_more, figures) = call.run_page(job).await?;
            let (code, zone) = (supplier.code, supplier.settings.time_zone);
            let supplier_link = links::supplier(code.as_str());
            let last = rows.last().filter(|_| has_more);
            let shown = Page {
                frame: Frame::of(visitor).in_zone(zone),
                supplier: code.to_string(),
                next: last.map(|last| {
                    let after = links::segment(&last.external_account_number);
                    format!("{supplier_link}refused/?after={after}")
                }),
                supplier_link,
                accounts: grouped(&figures.accounts.to_string()),
                without_number: grouped(&figures.without_number.to_string()),
                rows: rows.iter().map(|refused| Row::new(refused, zone)).collect(),
                is_first,
            };
            Ok(page(&mut HttpResponse::Ok(), &shown)?)
        })
        .await)
    })
}
