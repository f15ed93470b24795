use super::{Page, signed_in};
use crate::harness::{Installation, text};
use crate::payloads::{billed, small};
use serde_json::json;

/// Counts the pixels of the chart in a series' colour.
const DRAWN: &str = "const chart = document.querySelector('.chart canvas');
    if (!chart) return -1;
    const copy = document.createElement('canvas');
    [copy.width, copy.height] = [chart.width, chart.height];
    const context = copy.getContext('2d', { willReadFrequently: true });
    const pixels = () => context.getImageData(0, 0, copy.width, copy.height).data;
    context.fillStyle = getComputedStyle(document.querySelector('.legend .SERIES'), '::before').backgroundColor;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b] = pixels();
    context.clearRect(0, 0, 1, 1);
    context.drawImage(chart, 0, 0);
    const data = pixels();
    let drawn = 0;
    for (let at = 0; at < data.length; at += 4) {
      if (data[at] === r && data[at + 1] === g && data[at + 2] === b && data[at + 3] === 255) drawn += 1;
    }
    return drawn;";

fn drawn(page: &Page, series: &str) -> i64 {
    page.script(&DRAWN.replace("SERIES", series)).as_i64().unwrap()
}

/// A figure by its label.
fn figure(page: &Page, name: &str) -> String {
    let find = "[...document.querySelectorAll('.figures div, .fields div')]
        .find(figure => figure.querySelector('dt').textContent === 'NAME')?.querySelector('dd').innerText ?? ''";
    text(&page.script(&format!("return {}", find.replace("NAME", name))))
}

#[test]
fn a_migration_is_watched_without_reloading() {
    let (installation, server, client) = Installation::with_rejected();
    let Some(page) = signed_in(&installation, &server) else { return };
    page.follow("ACME");
    page.wait_until("the failed one", || figure(&page, "Failed") == "1");
    page.script("window.mark = 'the same page'; document.querySelector('#minutes-details').open = true");
    client.import(&[small("A-1"), small("A-2"), billed("A-3")]);
    page.wait_until("the imported ones", || figure(&page, "Imported") == "3");
    assert_eq!(page.script("return window.mark"), "the same page");
    assert_eq!(
        page.script("return document.querySelector('#minutes-details').open"),
        true,
        "it stays unfolded"
    );
    assert_eq!(figure(&page, "Waiting"), "0");
    assert_eq!(figure(&page, "Balance of their ledgers"), "30.30");
    let by_status = page.text_of(".card > .counts");
    assert_eq!(by_status.split_whitespace().collect::<Vec<_>>().join(" "), "Processed 3 Errored 1");
    page.wait_until("the chart", || drawn(&page, "imported") > 20 && drawn(&page, "failed") > 5);
    page.script("document.querySelector('#minutes-details').open = false");
    page.look("supplier-live");
    page.wait_until("the chart for another width and scheme", || drawn(&page, "imported") > 20);
}

#[test]
fn errors_link_to_their_accounts() {
    let (installation, server, client) = Installation::with_rejected();
    client.import(&[small("A-1")]);
    let Some(page) = signed_in(&installation, &server) else { return };
    page.go("/console/suppliers/ACME/");
    page.follow_in("Top errors", "E-1");
    page.until_at("/console/suppliers/ACME/accounts/E-1/");
    page.go("/console/suppliers/ACME/");
    page.follow_in("Top errors", "customer_family_name_required");
    page.wait_until("those that have it", || {
        let list = page.text_of("#account-list");
        list.contains("E-1") && !list.contains("A-1")
    });
    page.follow("Errored");
    page.wait_until("those that failed", || page.path().contains("status=ERRORED"));
    assert!(!page.text_of("#account-list").contains("A-1"));
    assert_eq!(page.script("return document.querySelector('[name=status]').value"), json!("ERRORED"));
}
