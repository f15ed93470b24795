//! The pages of the console without a browser, on each database.

use crate::browser::operator;
use crate::harness::{Client, Installation, wait_until};
use crate::payloads::small;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// Pages that links must lead to; others are found by their links as well.
const EXPECTED: &[&str] = &[
    "/console/audit/",
    "/console/businesses/",
    "/console/businesses/B-HALLORAN/",
    "/console/jobs/",
    "/console/suppliers/ACME/",
    "/console/suppliers/ACME/accounts/GOOD/",
    "/console/suppliers/ACME/accounts/WRONG/",
    "/console/suppliers/ACME/accounts/WRONG/retry/",
    "/console/suppliers/ACME/certificates/",
    "/console/suppliers/ACME/night/",
    "/console/suppliers/ACME/refused/",
    "/console/suppliers/ACME/retry/",
    "/console/suppliers/ACME/runs/",
    "/console/suppliers/ACME/runs/one/",
    "/console/webhooks/",
];

/// Signs in as an operator; returns the session cookie.
fn sign_in(installation: &Installation, client: &Client) -> String {
    let form = format!("next=&api_key={}", operator(installation));
    let headers = [("Content-Type", "application/x-www-form-urlencoded"), ("Sec-Fetch-Site", "same-origin")];
    let answer = client.send("POST", "/console/sign-in/", &headers, form.as_bytes());
    assert_eq!(answer.status, 303, "{}", answer.text());
    answer.header("Set-Cookie").unwrap().split(';').next().unwrap().to_owned()
}

/// The links of a page to pages of the console, by their paths: one for each path.
fn links(page: &str) -> BTreeMap<String, String> {
    let targets = page.split("href=\"/console/").skip(1).filter_map(|rest| rest.split(['"', '#']).next());
    let by_path = targets.map(|link| {
        let path = link.split('?').next().unwrap_or_default();
        (format!("/console/{path}"), format!("/console/{}", link.replace("&amp;", "&")))
    });
    by_path.filter(|(path, _)| path.ends_with('/') && !path.contains("/assets/")).collect()
}

#[test]
fn every_link_leads_to_a_page() {
    let (installation, key) = Installation::with_supplier();
    installation.run_json(&["supplier", "hold", "ACME"]);
    installation.run_json(&["run", "start", "ACME", "first"]);
    installation.run_json(&["webhook", "add", "--organisation", "Acme", "--url", "http://127.0.0.1:9/"]);
    let server = installation.serve();
    let client = server.client(&key);
    let business = include_str!("../../../../fixtures/businesses/valid/cold_storage.json");
    let business = business.replace("ACME_ENERGY", "ACME");
    assert_eq!(client.post("/v1/data-import/business/", business).status, 201);
    let (mut wrong, mut refused) = (small("WRONG"), small("REFUSED"));
    wrong["customers"] = json!([]);
    refused["customers"] = json!(7);
    for (account, status) in [(&small("GOOD"), 201), (&wrong, 201), (&refused, 400)] {
        assert_eq!(client.create(account).status, status);
    }
    installation.run_json(&["supplier", "set", "ACME", "--rule", "ACC-04=error"]);
    installation.release(&[]);
    client.wait("GOOD", "PROCESSED");
    client.wait("WRONG", "ERRORED");
    installation.run_json(&["process", "retry", "ACME", "--status", "ERRORED", "--yes"]);
    client.wait("WRONG", "ERRORED");
    let refused = "/v2/data-import/import-suppliers/ACME/refused/";
    wait_until("the refused create is recorded", || client.get(refused).text().contains("REFUSED"));
    installation.run_json(&["supplier", "certificate", "ACME"]);

    let cookie = sign_in(&installation, &client);
    let mut open = BTreeMap::from([("/console/".to_owned(), "/console/".to_owned())]);
    let mut read = BTreeSet::new();
    while let Some((path, link)) = open.pop_first() {
        let answer = client.send("GET", &link, &[("Cookie", &cookie)], b"");
        assert_eq!(answer.status, 200, "{link}: {}", answer.text());
        read.insert(path);
        open.extend(links(&answer.text()).into_iter().filter(|(path, _)| !read.contains(path)));
        assert!(read.len() < 100, "{read:?}");
    }
    let missing: Vec<&&str> = EXPECTED.iter().filter(|path| !read.contains(**path)).collect();
    assert_eq!(missing, [&""; 0], "no link leads there: {read:#?}");
    for list in ["/console/jobs/", "/console/webhooks/"] {
        assert!(read.iter().any(|path| path.starts_with(list) && path != list), "{list}: {read:#?}");
    }
}
