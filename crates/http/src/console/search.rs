use super::page::{Frame, page};
use super::view::{AccountRow, ROWS};
use super::visit::{found, visited};
use crate::call::{Answer, Call};
use crate::request::query::Query;
use actix_web::HttpResponse;
use askama::Template;

/// Maximum number of accounts shown per supplier.
const MOST: u32 = ROWS as u32;

#[derive(Template)]
#[template(path = "console/search.html")]
struct Page {
    frame: Frame,
    /// The supplier to search in; empty for all.
    supplier: String,
    rows: Vec<AccountRow>,
}

/// `GET /console/search/`: finds accounts, accepted or refused, by their number here, or by the beginning of the number at
/// their previous supplier.
pub(crate) fn show(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let caller = visitor.caller().clone();
            let mut query = Query::new(call.query());
            let sought = query.read("q", |text| Some(text.to_owned())).unwrap_or_default();
            let supplier = query.read("supplier", |text| Some(text.to_owned())).unwrap_or_default();
            let (text, code) = (sought.clone(), supplier.clone());
            let job = move |app: &cutover_app::App| {
                let code = Some(code.as_str()).filter(|code| !code.is_empty());
                found(app.as_caller(&caller).search_accounts(code, &text, MOST))
            };
            let (matches, zone) = call.run(job).await?;
            let rows: Vec<_> = matches.into_iter().map(|found| AccountRow::found(found, zone)).collect();
            let zone = (!rows.is_empty()).then_some(zone);
            let frame = Frame { sought, zone, ..Frame::of(visitor) };
            Ok(page(&mut HttpResponse::Ok(), &Page { frame, supplier, rows })?)
        })
        .await)
    })
}
