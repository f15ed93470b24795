//! The certificates of a supplier (contract D17).

use super::links;
use super::page::{Frame, guard, page, see_other};
use super::view::{Moment, grouped};
use super::visit::{Stop, done, found, visited};
use crate::call::{Answer, Call};
use crate::refusal::Refusal;
use actix_web::HttpResponse;
use actix_web::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, HeaderValue};
use askama::Template;
use chrono::DateTime;
use cutover_app::certificate::IssuedCertificate;
use cutover_model::certificate::Certificate;
use cutover_model::{ControlTotals, RowCounts};

#[derive(Template)]
#[template(path = "console/certificates.html")]
struct Page {
    frame: Frame,
    supplier: String,
    supplier_link: String,
    rows: Vec<Row>,
}

struct Row {
    id: String,
    at: Moment,
    accounts: String,
    imported: String,
    key_id: String,
    has_leaves: bool,
}

impl Row {
    fn of(issued: IssuedCertificate, zone: cutover_core::Zone) -> Result<Self, Refusal> {
        let IssuedCertificate { certificate, has_leaves, .. } = issued;
        let at = DateTime::parse_from_rfc3339(&certificate.issued_at)
            .map_err(|error| Refusal::Unexpected(error.to_string()))?;
        Ok(Self {
            at: Moment::new(at.to_utc(), zone),
            accounts: grouped(&certificate.accounts.to_string()),
            imported: grouped(&certificate.manifest.imported.accounts.to_string()),
            id: certificate.id,
            key_id: certificate.key_id,
            has_leaves,
        })
    }
}

/// The totals of a certificate, figure by figure.
struct Figure {
    name: String,
    declared: String,
    sent: String,
    imported: String,
}

/// A certificate as a page of its own, without scripts and without anything from elsewhere.
#[derive(Template)]
#[template(path = "certificate.html")]
struct CertificatePage<'a> {
    certificate: &'a Certificate,
    counts: Vec<(String, u64)>,
    figures: Vec<Figure>,
}

/// Returns a certificate as an HTML page.
///
/// # Errors
/// If it could not be written.
pub fn certificate_html(certificate: &Certificate) -> Result<String, askama::Error> {
    let manifest = &certificate.manifest;
    let all = [manifest.declared.as_ref(), manifest.sent.as_ref(), Some(&manifest.imported)];
    let figure = |name: &str, of: fn(&ControlTotals) -> String| {
        let [declared, sent, imported] = all.map(|totals| totals.map_or("–".to_owned(), of));
        Figure { name: name.to_owned(), declared, sent, imported }
    };
    let tables = RowCounts::TABLES
        .iter()
        .filter(|table| all.iter().flatten().any(|of| of.counts.get(table).is_some()));
    let of_table = |table: &&str| {
        let rows = |of: &ControlTotals| of.counts.get(table).unwrap_or_default().to_string();
        let [declared, sent, imported] = all.map(|totals| totals.map_or("–".to_owned(), rows));
        Figure { name: format!("Rows of {}", table.replace('_', " ")), declared, sent, imported }
    };
    let page = CertificatePage {
        certificate,
        counts: certificate.counts.iter().map(|(state, count)| (state.to_string(), count)).collect(),
        figures: [
            figure("Accounts", |totals| totals.accounts.to_string()),
            figure("Ledger balance", |totals| totals.ledger_balance.clone()),
            figure("Readings", |totals| totals.readings.to_string()),
            figure("Transactions", |totals| totals.transactions.to_string()),
            figure("Documents", |totals| totals.documents.to_string()),
        ]
        .into_iter()
        .chain(tables.map(of_table))
        .collect(),
    };
    page.render()
}

/// `GET /console/suppliers/<supplier>/certificates/`: the certificates of a supplier.
pub(crate) fn list(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (caller, code) = (visitor.caller().clone(), call.parameter(0));
            let listed = call
                .run(move |app| {
                    let supplier = found(app.as_caller(&caller).show_supplier(&code))?;
                    Ok((app.certificates(&supplier)?, supplier))
                })
                .await?;
            let (issued, supplier) = listed;
            let zone = supplier.settings.time_zone;
            let rows = issued.into_iter().map(|issued| Row::of(issued, zone));
            let shown = Page {
                frame: Frame::of(visitor).in_zone(zone),
                supplier_link: links::supplier(supplier.code.as_str()),
                supplier: supplier.code.to_string(),
                rows: rows.collect::<Result<_, _>>()?,
            };
            Ok(page(&mut HttpResponse::Ok(), &shown)?)
        })
        .await)
    })
}

/// `POST /console/suppliers/<supplier>/certificates/`: issues one.
pub(crate) fn issue(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (caller, code) = (visitor.caller().clone(), call.parameter(0));
            let back = format!("{}certificates/", links::supplier(&code));
            let issued =
                call.run_to_end(move |app| done(app.as_caller(&caller).issue_certificate(&code))).await?;
            let issued = issued.map_err(Stop::NotDone)?.certificate;
            let (request_id, key) = (call.request_id().unwrap_or_default(), &visitor.caller().key_prefix);
            tracing::info!(target: "cutover::audit", request_id, key, action = "issue certificate",
                supplier = issued.import_supplier, certificate = issued.id, "done in the console");
            Ok(see_other(&back))
        })
        .await)
    })
}

/// `GET /console/suppliers/<supplier>/certificates/<certificate>/<form>/`: a certificate as a file, `json` or `html`.
pub(crate) fn download(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (caller, code) = (visitor.caller().clone(), call.parameter(0));
            let (name, form) = (call.parameter(1), call.parameter(2));
            let issued = call
                .run(move |app| {
                    let supplier = found(app.as_caller(&caller).show_supplier(&code))?;
                    found(app.certificate_of(&supplier, &name))
                })
                .await?;
            let (body, media) = match form.as_str() {
                "json" => (issued.document, "application/json"),
                "html" => {
                    let html = certificate_html(&issued.certificate);
                    (html.map_err(|e| Refusal::Unexpected(e.to_string()))?, "text/html; charset=utf-8")
                }
                _ => return Err(Refusal::NotFound.into()),
            };
            let mut response = HttpResponse::Ok();
            guard(&mut response);
            // Neither a code nor an id has quotes.
            let Certificate { import_supplier, id, .. } = &issued.certificate;
            let name = format!("attachment; filename=\"{import_supplier}-certificate-{id}.{form}\"");
            let disposition = HeaderValue::from_str(&name);
            let disposition = disposition.unwrap_or(HeaderValue::from_static("attachment"));
            response.insert_header((CONTENT_TYPE, media)).insert_header((CONTENT_DISPOSITION, disposition));
            Ok(response.body(body))
        })
        .await)
    })
}
