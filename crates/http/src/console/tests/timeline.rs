//! The timeline and the summary of a supplier.

use super::between;
use crate::testing::{ACCOUNT, TestService};
use chrono::Duration;
use cutover_app::operator::{Release, Services};

const PATH: &str = "/console/suppliers/ACME_ENERGY/timeline/";

#[actix_web::test]
async fn a_note_appears_in_the_timeline_and_the_filter_stays() {
    let service = TestService::new();
    let mut browser = service.browser().await;
    service.clock.advance(Duration::minutes(5));
    let noted = browser.post(PATH, "note=%3Cb%3Ewave+2+is+next&since=2026-01-01T20%3A00").await;
    assert_eq!(noted.status, 303, "{}", noted.text());
    let back = noted.header("location").to_owned();
    assert_eq!(back, format!("{PATH}?since=2026-01-01T20%3A00&"));
    let page = browser.page(&back).await;
    let events = between(&page, "<tbody>", "</tbody>");
    assert!(events.contains("wave 2 is next") && !events.contains("<b>"), "{events}");
    assert!(page.contains("value=\"2026-01-01T20:00\""), "{page}");
    let none = browser.page(&format!("{PATH}?since=2999-01-01T00:00")).await;
    assert!(none.contains("Nothing happened since then."), "{none}");
    assert_eq!(browser.post(PATH, "note=+").await.status, 409);
    let supplier = browser.page("/console/suppliers/ACME_ENERGY/").await;
    assert!(supplier.contains(&format!("href=\"{PATH}\"")), "{supplier}");
}

#[actix_web::test]
async fn a_timeline_has_pages() {
    let service = TestService::new();
    for n in 0..40 {
        service.clock.advance(Duration::minutes(1));
        service.app.as_command().note_supplier("ACME_ENERGY", &format!("number {n}.")).unwrap();
    }
    // A session ends after some minutes without a visit.
    let mut browser = service.browser().await;
    let page = browser.page(PATH).await;
    assert!(page.contains("number 39.") && !page.contains("number 0."), "{page}");
    let next = between(&page, "pages\" aria-label=\"Pages of events\"", "rel=\"next\"");
    let next = between(next, "href=\"", "\"");
    let page = browser.page(next).await;
    assert!(page.contains("number 0.") && !page.contains("number 39."), "{page}");
    assert!(page.contains("First page") && !page.contains("rel=\"next\""), "{page}");
}

/// Refused creates are no part of the duration, and of the chart.
#[actix_web::test]
async fn refused_creates_alone_are_charted() {
    let service = TestService::new();
    let mut browser = service.browser().await;
    let faulty = ACCOUNT.replacen('{', "{\"unknown\":1,", 1);
    assert_eq!(service.post("/v2/data-import/accounts/", faulty).await.status, 400);
    let page = browser.page("/console/suppliers/ACME_ENERGY/summary/").await;
    assert!(between(&page, "<svg class=\"bars\"", "</svg>").contains("<rect class=\"failed\""), "{page}");
    assert!(page.contains("<dt>Duration</dt><dd>–</dd>"), "{page}");
}

#[actix_web::test]
async fn a_summary_has_the_chart_and_the_forced_releases() {
    let service = TestService::with_accounts();
    let mut browser = service.browser().await;
    service.create("Acme", ACCOUNT);
    service.import_pending();
    service.app.as_command().hold_supplier("ACME_ENERGY", None).unwrap();
    let because = Some("agreed <at> night".to_owned());
    let hold = service.app.as_command().show_hold("ACME_ENERGY").unwrap();
    let release = Release { because, is_forced: true, ..Release::of(hold.as_ref()) };
    service.app.as_command().release_supplier("ACME_ENERGY", &release, &Services::default()).unwrap();
    let path = "/console/suppliers/ACME_ENERGY/summary/";
    let page = browser.page(path).await;
    assert!(between(&page, "<svg class=\"bars\"", "</svg>").contains("<rect class=\"imported\""), "{page}");
    let summary = service.app.as_command().summary("ACME_ENERGY", None).unwrap();
    let forced = !summary.forced_releases.is_empty();
    assert_eq!(page.contains("agreed &lt;at&gt; night"), forced, "{page}");
    let none = browser.page(&format!("{path}?since=2999-01-01T00:00")).await;
    assert!(none.contains("No account has ended since then."), "{none}");
    let file = crate::summary_html(&summary).unwrap();
    assert!(!file.contains("<script") && !file.contains("/console/") && file.contains("<svg"), "{file}");
    assert_eq!(browser.get("/console/suppliers/OTHER/summary/").await.status, 404);
    assert_eq!(browser.get("/console/suppliers/OTHER/timeline/").await.status, 404);
}
