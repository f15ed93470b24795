use super::links;
use super::page::{Frame, page};
use super::view::{Count, counts, grouped};
use super::visit::visited;
use crate::call::{Answer, Call};
use actix_web::HttpResponse;
use askama::Template;
use cutover_app::operator::CountedSupplier;

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
    status: String,
    is_dry_run: bool,
    is_held: bool,
    accounts: String,
    counts: Vec<Count>,
}

impl From<CountedSupplier> for Row {
    fn from(CountedSupplier { supplier, counts: states, is_held }: CountedSupplier) -> Self {
        let all: u64 = states.iter().map(|count| count.accounts).sum();
        Self {
            accounts: grouped(&all.to_string()),
            counts: counts(supplier.code.as_str(), &states),
            link: links::supplier(supplier.code.as_str()),
            code: supplier.code.to_string(),
            status: supplier.settings.status.to_string(),
            is_dry_run: supplier.settings.dry_run,
            is_held,
        }
    }
}

/// `GET /console/`: the suppliers of the organisation.
pub(crate) fn show(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let caller = visitor.caller().clone();
            let suppliers = call.run(move |app| Ok(app.as_caller(&caller).counted_suppliers()?)).await?;
            let suppliers = suppliers.into_iter().map(Row::from).collect();
            Ok(page(&mut HttpResponse::Ok(), &Suppliers { frame: Frame::of(visitor), suppliers })?)
        })
        .await)
    })
}
