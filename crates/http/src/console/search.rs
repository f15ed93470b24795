use super::actions::log;
use super::page::{Frame, page};
use super::view::{AccountRow, ROWS};
use super::visit::{Stop, found, visited};
use super::visitor::Visitor;
use crate::call::{Answer, Call};
use crate::request::query::Query;
use actix_web::HttpResponse;
use askama::Template;
use cutover_app::App;
use cutover_app::operator::FoundAccounts;

/// Maximum number of accounts shown per supplier.
const MOST: u32 = ROWS as u32;

#[derive(Template)]
#[template(path = "console/search.html")]
struct Page {
    frame: Frame,
    /// The supplier to search in; empty for all.
    supplier: String,
    rows: Vec<AccountRow>,
    /// Why there may be more; empty if these are all.
    more: &'static str,
}

/// `GET /console/search/`: the same, by the query string; without one an empty page.
pub(crate) fn show(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let query = call.query().to_owned();
            answer(call, visitor, &query).await
        })
        .await)
    })
}

/// `POST /console/search/`: finds accounts, accepted or refused, by their numbers, by names and other words in them. The text is
/// in the body, because many programs on the way keep addresses.
pub(crate) fn find(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let form = call.form().await?;
            answer(call, visitor, &form).await
        })
        .await)
    })
}

async fn answer(call: &mut Call, visitor: &Visitor, form: &str) -> Result<HttpResponse, Stop> {
    let caller = visitor.caller().clone();
    let mut form = Query::new(form);
    let sought = form.read("q", |text| Some(text.to_owned())).unwrap_or_default();
    let supplier = form.read("supplier", |text| Some(text.to_owned())).unwrap_or_default();
    let (text, code) = (sought.clone(), supplier.clone());
    let job = move |app: &App| {
        let code = Some(code.as_str()).filter(|code| !code.is_empty());
        found(app.as_caller(&caller).search_accounts(code, &text, MOST))
    };
    let FoundAccounts { matches, zone, more } = call.run(job).await?;
    log(call, visitor, "search", &supplier, None);
    let rows: Vec<_> = matches.into_iter().map(|found| AccountRow::found(found, zone)).collect();
    let zone = (!rows.is_empty()).then_some(zone);
    let frame = Frame { sought, zone, ..Frame::of(visitor) };
    Ok(page(&mut HttpResponse::Ok(), &Page { frame, supplier, rows, more: more.unwrap_or_default() })?)
}
