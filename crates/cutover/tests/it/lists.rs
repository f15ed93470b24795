use crate::harness::{ALL, Answer, Client, IMPORTED, Installation, PENDING, Server, items, text, wait_until};
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
