use super::page::{Frame, page};
use super::view::{AccountRow, ROWS};
use super::visit::visited;
use crate::call::{Answer, Call};
use crate::request::query::Query;
use actix_web::HttpResponse;
use askama::Template;
use cutover_app::operator::AccountMatch;

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

/// `GET /console/search/`: finds accounts by their number here, or by the beginning of the number at their
/// previous supplier.
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
                let by = app.as_caller(&caller);
                let zone = code.map_or_else(|| by.common_zone(None), |code| by.zone_of(code))?;
                Ok((by.search_accounts(code, &text, MOST)?, zone))
            };
            let (found, zone) = call.run(job).await?;
            let row = |found: AccountMatch| AccountRow::new(&found.supplier, found.account, zone);
            let rows: Vec<_> = found.into_iter().map(row).collect();
            let zone = (!rows.is_empty()).then_some(zone);
            let frame = Frame { sought, zone, ..Frame::of(visitor) };
            Ok(page(&mut HttpResponse::Ok(), &Page { frame, supplier, rows })?)
        })
        .await)
    })
}
