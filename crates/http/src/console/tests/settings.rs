//! The form for a supplier's settings.

use super::between;
use crate::testing::{TestService, log};
use cutover_app::operator::{AuditScope, SupplierChange};
use cutover_app::port::{AuditAction, AuditRecord, Supplier, SupplierSettings};
use cutover_core::Level;

const PATH: &str = "/console/suppliers/ACME_ENERGY/settings/";

fn supplier(service: &TestService) -> Supplier {
    service.app.as_command().show_supplier("ACME_ENERGY").unwrap()
}

/// A form as a browser sends it, for the settings as they are now.
fn form(service: &TestService, texts: &str) -> String {
    let SupplierSettings { profile, country, undocumented_members, .. } = supplier(service).settings;
    let revision = supplier(service).revision;
    format!(
        "revision={revision}&profile={profile}&country={country}&undocumented_members={undocumented_members}&{texts}"
    )
}

const UNCHANGED: &str = "max_concurrent_imports=&waves=&hold_on_errors=&rules=";

/// Returns the details of the changes that were recorded, the last first.
fn recorded(service: &TestService) -> Vec<String> {
    let scope = AuditScope { action: Some(AuditAction::SupplierSet), limit: 10, ..AuditScope::default() };
    let record = |record: AuditRecord| {
        let facts = record.detail.facts().map(|(name, fact)| format!("{name}={fact}"));
        facts.collect::<Vec<_>>().join(" ")
    };
    service.app.as_command().audit(&scope).unwrap().into_iter().map(record).collect()
}

#[actix_web::test]
async fn only_what_was_changed_in_the_form_is_set() {
    let service = TestService::new();
    let mut browser = service.browser().await;
    let before = supplier(&service);
    log::keep();
    let same = browser.post(PATH, &form(&service, UNCHANGED)).await;
    assert_eq!((same.status, same.header("location")), (303, "/console/suppliers/ACME_ENERGY/"));
    assert_eq!((supplier(&service), recorded(&service)), (before, vec![]));
    assert!(!log::take().iter().any(|line| line.starts_with("cutover::audit ")), "nothing was done");
    let texts = "dry_run=yes&max_concurrent_imports=4&waves=100,rest&hold_on_errors=1/200&\
                 rules=ACC-04%3Derror%0D%0A%0D%0AMPT-01+%3D+off%0D%0A";
    assert_eq!(browser.post(PATH, &form(&service, texts)).await.status, 303);
    let page = browser.page(PATH).await;
    insta::assert_snapshot!(between(&page, "<main", "</main>"));
    // The others keep their values, and the wave does not begin anew.
    let texts = "max_concurrent_imports=4&waves=100,rest&hold_on_errors=1/200&rules=ACC-04%3Dwarning";
    assert_eq!(browser.post(PATH, &form(&service, texts)).await.status, 303);
    insta::assert_snapshot!(recorded(&service).join("\n"));
    let settings = supplier(&service).settings;
    assert_eq!(settings.rules, [("ACC-04".to_owned(), Level::Warning.into())].into());
}

#[actix_web::test]
async fn a_fault_is_named_and_nothing_is_set() {
    let service = TestService::new();
    let mut browser = service.browser().await;
    let before = supplier(&service);
    let mut said = Vec::new();
    for texts in [
        "max_concurrent_imports=0&waves=&hold_on_errors=&rules=",
        "max_concurrent_imports=&waves=5,x&hold_on_errors=&rules=",
        "max_concurrent_imports=&waves=&hold_on_errors=200&rules=",
        "max_concurrent_imports=&waves=&hold_on_errors=&rules=ACC-04",
        "max_concurrent_imports=&waves=&hold_on_errors=&rules=ACC-04%3Dloud",
        "max_concurrent_imports=&waves=&hold_on_errors=&rules=ACC-04%3Derror%0AACC-04%3Doff",
        "max_concurrent_imports=&waves=&hold_on_errors=&rules=NO-01%3Derror",
        "waves=&hold_on_errors=&rules=",
    ] {
        let reply = browser.post(PATH, &form(&service, texts)).await;
        assert_eq!(reply.status, 409, "{texts}: {}", reply.text());
        said.push(between(reply.text(), "<p>", "</p>").to_owned());
    }
    insta::assert_snapshot!(said.join("\n"));
    assert_eq!(supplier(&service), before);
}

/// Settings that somebody changed after the form was shown are not overwritten.
#[actix_web::test]
async fn a_form_that_is_out_of_date_is_refused() {
    let service = TestService::new();
    let mut browser = service.browser().await;
    let shown = form(&service, "dry_run=yes&max_concurrent_imports=&waves=&hold_on_errors=&rules=");
    service.set_supplier(SupplierChange { verify_documents: Some(true), ..SupplierChange::default() });
    let reply = browser.post(PATH, &shown).await;
    assert!(reply.text().contains("have been changed since they were shown"), "{}", reply.text());
    let settings = supplier(&service).settings;
    assert!(settings.verify_documents && !settings.dry_run);
    for other in ["/console/suppliers/OTHER/settings/", "/console/suppliers/NOBODY/settings/"] {
        assert_eq!((browser.get(other).await.status, browser.post(other, &shown).await.status), (404, 404));
    }
}
