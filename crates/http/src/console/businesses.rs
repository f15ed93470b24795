//! The businesses of the organisation, and one with its contracts.

use super::account::{Layout, Mask, Section, Value, selected};
use super::links;
use super::page::{Frame, page, render, written};
use super::view::{ROWS, grouped};
use super::visit::visited;
use crate::call::{Answer, Call};
use crate::refusal::Refusal;
use crate::request::query::Query;
use actix_web::HttpResponse;
use askama::Template;
use cutover_app::additions::ListedBusiness;

/// Businesses on a page.
const PAGE: u32 = ROWS as u32;

#[derive(Template)]
#[template(path = "console/businesses.html")]
struct List {
    frame: Frame,
    businesses: Vec<Row>,
    is_first: bool,
    /// The number after which the next page begins.
    next: Option<i64>,
}

/// A business in the list.
struct Row {
    identifier: String,
    link: String,
    number: i64,
    supplier: String,
    supplier_link: String,
    kind: Option<String>,
    contracts: String,
}

impl From<ListedBusiness> for Row {
    fn from(business: ListedBusiness) -> Self {
        Self {
            link: links::business(&business.identifier),
            identifier: business.identifier,
            number: business.number,
            supplier_link: links::supplier(&business.supplier),
            supplier: business.supplier,
            kind: business.kind,
            contracts: grouped(&business.contracts.to_string()),
        }
    }
}

#[derive(Template)]
#[template(path = "console/business.html")]
struct Page {
    frame: Frame,
    identifier: String,
    sections: Vec<Section>,
}

/// `GET /console/businesses/`: the businesses of the organisation, in pages.
pub(crate) fn list(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let caller = visitor.caller().clone();
            let after = Query::new(call.query()).read("after", |text| text.parse::<i64>().ok());
            let job = move |app: &cutover_app::App| {
                Ok(app.listed_businesses(&caller, after.unwrap_or_default(), PAGE)?)
            };
            let (businesses, next) = call.run_page(job).await?;
            let list = List {
                frame: Frame::of(visitor),
                businesses: businesses.into_iter().map(Row::from).collect(),
                is_first: after.is_none(),
                next,
            };
            Ok(page(&mut HttpResponse::Ok(), &list)?)
        })
        .await)
    })
}

/// `GET /console/businesses/<business>/`: a business with its contracts, without personal data.
pub(crate) fn show(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (caller, identifier) = (visitor.caller().clone(), call.parameter(0));
            let selected = selected(call.query());
            let frame = Frame::of(visitor);
            let job = move |app: &cutover_app::App| {
                let json = app.business(&caller, &identifier)?.ok_or(Refusal::NotFound)?;
                let link = links::business(cutover_core::trimmed(&identifier));
                let layout = Layout { link: &link, title: "Business", selected, mask: Mask::OfBusiness };
                let sections = layout.sections(members(&json)?);
                render(&Page { frame, identifier: cutover_core::trimmed(&identifier).to_owned(), sections })
            };
            let html = call.run(job).await?;
            Ok(written(&mut HttpResponse::Ok(), html))
        })
        .await)
    })
}

/// Returns the members of a business, those of its inner object behind the others.
fn members(json: &[u8]) -> Result<Vec<(String, Value)>, Refusal> {
    let unreadable = |error: &dyn std::fmt::Display| Refusal::Unexpected(format!("a business: {error}"));
    let text = std::str::from_utf8(json).map_err(|error| unreadable(&error))?;
    let Value::Object(members) = Value::read(text).map_err(|error| unreadable(&error))? else {
        return Err(unreadable(&"it is no object"));
    };
    let (mut outer, mut inner) = (Vec::new(), Vec::new());
    for (name, value) in members {
        match value {
            Value::Object(below) if name == "business" => inner = below,
            value => outer.push((name, value)),
        }
    }
    outer.extend(inner);
    Ok(outer)
}
