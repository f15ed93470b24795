//! Every page of the console with data in it, on narrow, common and large screens.

use super::look::{NARROW, WIDE, WIDEST};
use super::{Page, signed_in};
use crate::harness::{Client, Installation, Server, items, text, wait_until};
use crate::payloads::{fixture, nameless, small};
use serde_json::json;
use std::collections::BTreeSet;

/// The table of the console's routes.
const CONSOLE: &str = include_str!("../../../../http/src/console/mod.rs");

/// Maximum height of a page in pixels.
const TALLEST: u32 = 8_000;

/// Every route of the console that is asked for by GET, with its pages: `{job}`, `{webhook}` and `{certificate}` stand for
/// their ids. The others are no pages of their own.
const PAGES: &[(&str, &[&str])] = &[
    ("/console/", &["/console/"]),
    ("/console/assets/<file>/", &[]),
    ("/console/audit/", &["/console/audit/", "/console/audit/?supplier=ACME"]),
    ("/console/businesses/", &["/console/businesses/"]),
    ("/console/businesses/<business>/", &["/console/businesses/B-7K2M9QX4/"]),
    ("/console/jobs/", &["/console/jobs/"]),
    ("/console/jobs/<job>/", &["/console/jobs/{job}/"]),
    ("/console/search/", &["/console/search/?q=A-", "/console/search/?q=A-7K2M9QX4-0"]),
    ("/console/sign-in/", &["/console/sign-in/"]),
    (
        "/console/suppliers/<supplier>/",
        &["/console/suppliers/ACME/", "/console/suppliers/ACME/?status=ERRORED"],
    ),
    (
        "/console/suppliers/<supplier>/accounts/<number>/",
        &[
            "/console/suppliers/ACME/accounts/A-7K2M9QX4/",
            "/console/suppliers/ACME/accounts/E-7K2M9QX4/",
            "/console/suppliers/ACME/accounts/P-7K2M9QX4/",
        ],
    ),
    (
        "/console/suppliers/<supplier>/accounts/<number>/cancel/",
        &["/console/suppliers/ACME/accounts/P-7K2M9QX4/cancel/"],
    ),
    (
        "/console/suppliers/<supplier>/accounts/<number>/difference/",
        &["/console/suppliers/ACME/accounts/E-7K2M9QX4/difference/"],
    ),
    (
        "/console/suppliers/<supplier>/accounts/<number>/erase/",
        &["/console/suppliers/ACME/accounts/A-7K2M9QX4/erase/"],
    ),
    (
        "/console/suppliers/<supplier>/accounts/<number>/retry/",
        &["/console/suppliers/ACME/accounts/E-7K2M9QX4/retry/"],
    ),
    // It leads to the page of the account.
    ("/console/suppliers/<supplier>/accounts/<number>/reveal/", &[]),
    ("/console/suppliers/<supplier>/cancel/", &["/console/suppliers/ACME/cancel/"]),
    ("/console/suppliers/<supplier>/certificates/", &["/console/suppliers/ACME/certificates/"]),
    (
        "/console/suppliers/<supplier>/certificates/<certificate>/<form>/",
        &["/console/suppliers/ACME/certificates/{certificate}/html/"],
    ),
    ("/console/suppliers/<supplier>/complete/", &["/console/suppliers/ACME/complete/"]),
    ("/console/suppliers/<supplier>/erase-rehearsed/", &["/console/suppliers/ACME/erase-rehearsed/"]),
    ("/console/suppliers/<supplier>/hold/", &["/console/suppliers/ACME/hold/"]),
    ("/console/suppliers/<supplier>/night/", &["/console/suppliers/ACME/night/"]),
    ("/console/suppliers/<supplier>/pause/", &["/console/suppliers/ACME/pause/"]),
    ("/console/suppliers/<supplier>/refused/", &["/console/suppliers/ACME/refused/"]),
    ("/console/suppliers/<supplier>/release/", &["/console/suppliers/ACME/release/"]),
    ("/console/suppliers/<supplier>/resume/", &["/console/suppliers/ACME/resume/"]),
    ("/console/suppliers/<supplier>/retry/", &["/console/suppliers/ACME/retry/"]),
    ("/console/suppliers/<supplier>/runs/", &["/console/suppliers/ACME/runs/"]),
    (
        "/console/suppliers/<supplier>/runs/diff/",
        &["/console/suppliers/ACME/runs/diff/?a=2026-09-30%20A-1&b=2026-09-30%20B-2"],
    ),
    ("/console/suppliers/<supplier>/runs/one/", &["/console/suppliers/ACME/runs/one/?name=2026-09-30%20B-2"]),
    ("/console/suppliers/<supplier>/settings/", &["/console/suppliers/ACME/settings/"]),
    (
        "/console/suppliers/<supplier>/summary/",
        &["/console/suppliers/ACME/summary/", "/console/suppliers/ACME/summary/?since=2026-01-01T00:00"],
    ),
    (
        "/console/suppliers/<supplier>/timeline/",
        &["/console/suppliers/ACME/timeline/", "/console/suppliers/ACME/timeline/?since=2026-01-01T00:00"],
    ),
    (
        "/console/suppliers/<supplier>/undo/",
        &["/console/suppliers/ACME/undo/", "/console/suppliers/ACME/undo/?since=2020-01-01T00:00"],
    ),
    ("/console/webhooks/", &["/console/webhooks/"]),
    ("/console/webhooks/<webhook>/", &["/console/webhooks/{webhook}/"]),
    ("/console/webhooks/<webhook>/disable/", &["/console/webhooks/{webhook}/disable/"]),
    ("/console/webhooks/<webhook>/enable/", &["/console/webhooks/{webhook}/enable/"]),
    ("/console/webhooks/<webhook>/replay/", &["/console/webhooks/{webhook}/replay/"]),
    ("/console/webhooks/<webhook>/test/", &["/console/webhooks/{webhook}/test/"]),
];

/// An installation whose pages have something on them.
struct Filled {
    installation: Installation,
    server: Server,
    job: String,
    webhook: String,
    certificate: String,
}

impl Filled {
    fn new() -> Self {
        let (installation, server, client) = Installation::serving();
        let run = |args: &[&str]| installation.run_json(args);
        run(&["supplier", "set", "ACME", "--time-zone", "Australia/Melbourne"]);
        let url = "http://127.0.0.1:9/events";
        let webhook =
            text(&run(&["webhook", "add", "--organisation", "Acme", "--url", url, "--ed25519"])["id"]);
        add_business(&client);
        refuse_account(&client);

        run(&["run", "start", "ACME", "2026-09-30 A-1"]);
        let numbers = (0..24).map(|n| small(&format!("A-7K2M9QX4-{n}")));
        client.import(&numbers.chain([fixture("dual_fuel", "A-7K2M9QX4")]).collect::<Vec<_>>());
        run(&["run", "end", "ACME"]);

        run(&["supplier", "hold", "ACME", "--because", "before the first wave"]);
        assert_eq!(client.create(&small("C-7K2M9QX4")).status, 201);
        run(&["process", "cancel", "ACME", "--yes"]);
        let job = text(&items(&run(&["job", "list"]))[0]["id"]);

        run(&["run", "start", "ACME", "2026-09-30 B-2"]);
        installation.set(&["--waves", "1000,5000,rest"]);
        assert_eq!(client.create(&nameless("E-7K2M9QX4")).status, 201);
        run(&["supplier", "set", "ACME", "--rule", "CUS-08=error"]);
        installation.run_json(&installation.releasing(&["--force", "--because", "agreed"]));
        client.wait("E-7K2M9QX4", "ERRORED");
        run(&["process", "retry", "ACME", "E-7K2M9QX4"]);
        wait_until("it has failed again", || installation.show("E-7K2M9QX4")["attempt"] == 2);
        client.wait("E-7K2M9QX4", "ERRORED");
        run(&["run", "end", "ACME"]);

        run(&["supplier", "hold", "ACME", "--because", "the tariffs of 2026-09-30 are wrong"]);
        assert_eq!(client.create(&small("P-7K2M9QX4")).status, 201);
        declare(&client);
        run(&["supplier", "certificate", "ACME"]);
        let certificate = text(&items(&run(&["certificate", "list", "ACME"]))[0]["id"]);
        wait_until("there are deliveries", || {
            run(&["webhook", "show", &webhook])["open_deliveries"].as_u64().unwrap() > 25
        });
        Self { job, webhook, certificate, server, installation }
    }

    fn path(&self, page: &str) -> String {
        let ids = [("{job}", &self.job), ("{webhook}", &self.webhook), ("{certificate}", &self.certificate)];
        ids.iter().fold(page.to_owned(), |path, (name, id)| path.replace(name, id))
    }
}

fn add_business(client: &Client) {
    let contract = json!({"identifier": "B-7K2M9QX4-2026-1", "valid_from_date": "2026-01-01",
        "signed_at_date": "2025-12-01", "versions": [{"applicable_at_date": "2026-01-01", "terms": []}]});
    let business = json!({"import_supplier_code": "ACME", "external_business_identifier": "B-7K2M9QX4",
        "business": {"business_type": "PTY_LTD", "business_contracts": [contract]}});
    assert_eq!(client.post("/v1/data-import/business/", business.to_string()).status, 201);
}

fn refuse_account(client: &Client) {
    let mut account = small("R-7K2M9QX4");
    account["customers"][0]["mobile"] = "none".into();
    assert_eq!(client.create(&account).status, 400);
}

/// Declares figures that need much room.
fn declare(client: &Client) {
    let figures = json!({"accounts": 12_345_678, "documents": 9_876_543, "ledger_balance": "-12345678.90",
        "readings": 123_456_789, "transactions": 98_765_432});
    let declared = client.put_json("/v2/data-import/import-suppliers/ACME/manifest/", &figures);
    assert_eq!(declared.status, 200, "{}", declared.text());
}

#[test]
fn every_page_is_listed() {
    let declared = CONSOLE.split("get(").skip(1).filter_map(|rest| rest.split('"').nth(1));
    let declared: BTreeSet<&str> = declared.filter(|path| path.starts_with("/console/")).collect();
    assert_eq!(declared, PAGES.iter().map(|(route, _)| *route).collect());
}

#[test]
fn no_number_is_broken_and_nothing_is_clipped_on_any_page() {
    let filled = Filled::new();
    let Some(page) = signed_in(&filled.installation, &filled.server) else { return };
    let mut faults = Vec::new();
    for path in PAGES.iter().flat_map(|(_, pages)| *pages) {
        let path = filled.path(path);
        open(&page, &path);
        for width in [NARROW, WIDE, WIDEST] {
            page.resize(width);
            let mut found = page.misfits();
            let height = page.height();
            if height > TALLEST {
                found.push(format!("{height} pixels high"));
            }
            faults.extend(found.into_iter().map(|fault| format!("{path}, {width} wide: {fault}")));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Opens a page. A certificate is a file, which browsers save: its text is shown instead.
fn open(page: &Page, path: &str) {
    page.resize(WIDE);
    if path.ends_with("/html/") {
        let file = page.script(&format!("return fetch('{path}').then(answer => answer.text())"));
        page.show(&text(&file));
    } else {
        page.go(path);
    }
}

/// What the scripts measure changes with the data: a figure that is too long for its place is found.
#[test]
fn a_figure_that_does_not_fit_is_found() {
    let (installation, server, client) = Installation::serving();
    client.import(&[small("A-1")]);
    let Some(page) = signed_in(&installation, &server) else { return };
    page.go("/console/suppliers/ACME/night/");
    page.resize(WIDEST);
    assert_eq!(page.misfits(), [""; 0]);
    page.script(
        "const figure = document.querySelector('.figures dd');
        figure.textContent = '2 of 3';
        Object.assign(figure.style, {whiteSpace: 'normal', fontSize: '150px'})",
    );
    assert!(page.misfits().iter().any(|fault| fault.starts_with("broken: 2 of 3")), "{:?}", page.misfits());
}
