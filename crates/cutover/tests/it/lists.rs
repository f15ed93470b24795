use crate::harness::{
    ALL, Answer, Client, IMPORTED, Installation, LISTS, PENDING, Server, items, members, text, wait_until,
};
use crate::payloads::{small, wrapped};
use serde_json::{Value, json};
use std::collections::HashSet;

fn numbers(list: &Value) -> Vec<String> {
    items(list).iter().map(|item| text(&item["external_account_number"])).collect()
}

/// Reads all pages of a list.
fn pages(client: &Client, list: &str, query: &str) -> Vec<Value> {
    let (mut pages, mut next) = (Vec::new(), Some(format!("{list}ACME/?{query}")));
    while let Some(path) = next {
        let answer = client.get(&path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        next = next_page(&answer);
        pages.push(answer.json());
        assert!(pages.len() < 5_000, "pages without end");
    }
    pages
}

/// The path of `Link: <…>; rel="next"`.
fn next_page(answer: &Answer) -> Option<String> {
    let (target, relation) = answer.header("Link")?.split_once(">; ").unwrap();
    assert_eq!(relation, "rel=\"next\"");
    let target = target.strip_prefix('<').unwrap();
    Some(target[target.find("/v1/").unwrap()..].to_owned())
}

#[test]
fn each_list_has_its_processes_in_the_order_of_creation() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve();
    let client = server.client(&key);
    installation.run_json(&["supplier", "set", "ACME", "--time-zone", "Asia/Kolkata"]);
    let later = json!({"schedule_window_start": "2099-01-01T00:00:00Z"});
    client.import(&[small("Z-1")]);
    for number in ["B-1", "C-1"] {
        assert_eq!(client.create(&wrapped(number, later.clone())).status, 201);
    }
    assert_eq!(client.create(&wrapped("D-1", json!({"is_dry_run": true}))).status, 201);
    client.wait("D-1", "DRY_RUN_SUCCEEDED");
    client.import(&[small("A-1")]);
    installation.run_json(&["process", "cancel", "ACME", "C-1"]);
    for (list, expected) in
        [(ALL, &["Z-1", "B-1", "D-1", "A-1"][..]), (PENDING, &["B-1", "D-1"]), (IMPORTED, &["Z-1", "A-1"])]
    {
        let answer = client.get(&format!("{list}ACME/"));
        assert_eq!((answer.status, answer.header("Content-Type")), (200, Some("application/json")));
        assert_eq!(numbers(&answer.json()), expected, "{list}");
        for item in items(&answer.json()) {
            let account = client.status(item["external_account_number"].as_str().unwrap());
            assert_eq!(
                members(item),
                ["account_created_at", "external_account_number", "service_account_number"]
            );
            assert_eq!(item["service_account_number"], account["service_identifier"]);
            assert_eq!(item["account_created_at"].is_null(), account["service_identifier"].is_null());
            assert!(item["account_created_at"].as_str().is_none_or(|at| at.ends_with("+05:30")), "{item}");
        }
        assert_eq!(numbers(&client.get(&format!("{list}ACME")).json()), expected, "without the slash");
        let head = client.send("HEAD", &format!("{list}ACME/"), &[], b"");
        assert_eq!((head.status, head.body), (200, Vec::new()));
    }
}

#[test]
fn empty_lists_and_unknown_suppliers() {
    let (_installation, _server, client) = Installation::serving();
    for list in LISTS {
        for query in ["", "?page_size=10"] {
            let answer = client.get(&format!("{list}ACME/{query}"));
            assert_eq!((answer.status, &*answer.body, answer.header("Link")), (200, &b"[]"[..], None));
        }
        for supplier in ["NOBODY", "acme", "no%20code", "%FF"] {
            let answer = client.get(&format!("{list}{supplier}/"));
            assert_eq!(answer.code(), (404, "not_found".to_owned()), "{supplier}");
        }
    }
}

#[test]
fn invalid_pages_are_refused() {
    let (_installation, _server, client) = Installation::serving();
    for list in LISTS {
        for size in ["0", "10001", "-1", "x", "", "1.0", "99999999999999999999"] {
            let answer = client.get(&format!("{list}ACME/?page_size={size}"));
            assert_eq!(answer.faults(), ["page_size invalid"], "{size}");
        }
        for cursor in ["x", "", "..%2F", "%00", "AAAA", &"A".repeat(500)] {
            let answer = client.get(&format!("{list}ACME/?cursor={cursor}"));
            assert_eq!(answer.faults(), ["cursor invalid"], "{cursor}");
        }
        let both = client.get(&format!("{list}ACME/?page_size=0&cursor=x"));
        assert_eq!(both.faults(), ["cursor invalid", "page_size invalid"]);
    }
}

/// A service with a number of imported and of pending accounts, and no workers.
fn filled(imported: usize, pending: usize) -> (Installation, Server, Client) {
    let (installation, key) = Installation::with_supplier();
    {
        let server = installation.serve_with(&["--rate-limit", "0"]);
        let accounts: Vec<Value> = (0..imported).map(|i| minimal(&format!("I-{i:05}"))).collect();
        server.client(&key).import(&accounts);
    }
    let server = installation.serve_with(&["--role", "api", "--rate-limit", "0"]);
    let client = server.client(&key);
    std::thread::scope(|scope| {
        for part in 0..8 {
            let client = client.clone();
            scope.spawn(move || {
                for i in (part..pending).step_by(8) {
                    assert_eq!(client.create(&minimal(&format!("P-{i:05}"))).status, 201);
                }
            });
        }
    });
    (installation, server, client)
}

fn minimal(number: &str) -> Value {
    json!({"import_supplier": "ACME", "external_account_number": number})
}

/// Failure 17.
#[test]
fn the_stream_matches_the_pages() {
    let (_installation, _server, client) = filled(50, 1_150);
    for (list, count) in [(ALL, 1_200), (PENDING, 1_150), (IMPORTED, 50)] {
        let whole = client.get(&format!("{list}ACME/"));
        assert_eq!(whole.header("Link"), None);
        let whole = whole.json();
        let distinct: HashSet<String> = numbers(&whole).into_iter().collect();
        assert_eq!((items(&whole).len(), distinct.len()), (count, count), "{list}");
        for size in [7, 1_000, 10_000] {
            let pages = pages(&client, list, &format!("page_size={size}"));
            assert_eq!(pages.len(), count.div_ceil(size), "{list} by {size}");
            assert!(pages.iter().rev().skip(1).all(|page| items(page).len() == size));
            let joined: Vec<Value> = pages.iter().flat_map(|page| items(page).to_vec()).collect();
            assert_eq!(Value::from(joined), whole, "{list} by {size}");
        }
    }
    let first = client.get(&format!("{ALL}ACME/?page_size=10"));
    let cursor = next_page(&first).unwrap();
    let cursor = cursor.split_once("cursor=").unwrap().1.split('&').next().unwrap().to_owned();
    let alone = client.get(&format!("{ALL}ACME/?cursor={cursor}"));
    assert_eq!(items(&alone.json()).len(), 1_000, "a cursor alone has a size");
    assert_eq!(numbers(&alone.json())[0], numbers(&client.get(&format!("{ALL}ACME/")).json())[10]);
}

#[test]
fn a_list_read_while_accounts_are_imported_has_each_once() {
    let (installation, server, client) = filled(0, 400);
    let key = installation.key("Acme");
    drop((client, server));
    let server = installation.serve();
    let client = server.client(&key);
    let expected: HashSet<String> = (0..400).map(|i| format!("P-{i:05}")).collect();
    let mut imported = 0;
    wait_until("all are imported", || {
        let all = numbers(&client.get(&format!("{ALL}ACME/")).json());
        assert_eq!(all.len(), 400, "each once");
        assert_eq!(all.into_iter().collect::<HashSet<_>>(), expected);
        let now = items(&client.get(&format!("{IMPORTED}ACME/")).json()).len();
        assert!(now >= imported, "an imported account stays");
        imported = now;
        imported == 400
    });
    assert_eq!(client.get(&format!("{PENDING}ACME/")).json(), json!([]));
}

/// The filtered list of contract D12, on the database of this run.
#[test]
fn accounts_are_found_by_their_status_and_error() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve();
    let client = server.client(&key);
    client.import(&[small("A-1"), small("A-2")]);
    let later = json!({"schedule_window_start": "2099-01-01T00:00:00Z"});
    for number in ["B-1", "B-2", "B-3"] {
        assert_eq!(client.create(&wrapped(number, later.clone())).status, 201);
    }
    installation.run_json(&["process", "cancel", "ACME", "B-2"]);
    assert_eq!(client.create(&wrapped("D-1", json!({"is_dry_run": true}))).status, 201);
    client.wait("D-1", "DRY_RUN_SUCCEEDED");
    for (query, expected) in [
        ("", &["A-1", "A-2", "B-1", "B-2", "B-3", "D-1"][..]),
        ("status=PROCESSED", &["A-1", "A-2"]),
        ("status=PENDING", &["B-1", "B-3"]),
        ("status=CANCELLED", &["B-2"]),
        ("status=DRY_RUN_SUCCEEDED", &["D-1"]),
        ("status=IN_PROGRESS", &[]),
        ("status=ERRORED", &[]),
        ("status=DRY_RUN_ERRORED", &[]),
        ("error_code=account_failed_validation", &[]),
        ("modified_after=2020-01-01T00:00:00Z&status=CANCELLED", &["B-2"]),
        ("modified_after=2999-01-01T00:00:00Z", &[]),
    ] {
        let found = client.get(&format!("/v2/data-import/accounts/ACME/?{query}"));
        assert_eq!(numbers(&found.json()), expected, "{query}: {}", found.text());
    }
    let first = client.get("/v2/data-import/accounts/ACME/?status=PENDING&page_size=1");
    assert!(first.header("Link").unwrap().contains("?status=PENDING&page_size=1&cursor="));
}
