use super::links;
use super::page::{Frame, page};
use super::visit::visited;
use crate::call::{Answer, Call};
use actix_web::HttpResponse;
use askama::Template;
use cutover_app::port::Supplier;

#[derive(Template)]
#[template(path = "console/suppliers.html")]
struct Suppliers {
    frame: Frame,
    suppliers: Vec<Row>,
}

/// A supplier in the list.
struct Row {
    code: String,
    link: String,
    status: &'static str,
    is_dry_run: bool,
    time_zone: &'static str,
}

impl From<Supplier> for Row {
    fn from(supplier: Supplier) -> Self {
        Self {
            link: links::supplier(supplier.code.as_str()),
            code: supplier.code.to_string(),
            status: supplier.settings.status.as_str(),
            is_dry_run: supplier.settings.dry_run,
            time_zone: supplier.settings.time_zone.name(),
        }
    }
}

/// `GET /console/`: the suppliers of the organisation.
pub(crate) fn show(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let caller = visitor.caller().clone();
            let suppliers = call.run(move |app| Ok(app.own_suppliers(&caller)?)).await?;
            let suppliers = suppliers.into_iter().map(Row::from).collect();
            Ok(page(&mut HttpResponse::Ok(), &Suppliers { frame: Frame::of(visitor), suppliers })?)
        })
        .await)
    })
}
