use crate::after_import::additions;
use crate::harness::{
    ACCOUNTS, Action, Answer, BUSINESS, BUSINESS_INSTRUCTION, Client, INSTRUCTION, Installation, LISTS,
    NOTES, STATEMENTS, Server, TRANSACTIONS, TRANSFER_STATUS, VALIDATE, Vendor, adding, business,
    business_instruction, instruction, text,
};
use crate::payloads::small;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const SUPPLIERS: &str = "/v2/data-import/import-suppliers/";

/// A request on `Acme`'s own data, and a variation of it.
fn changed(body: &Value, member: &str, value: &str) -> Value {
    let mut body = body.clone();
    body[member] = json!(value);
    body
}

/// Another organisation's data is answered with the same bytes as missing data.
fn assert_alike(absent: &Answer, others: &Answer, what: &str) {
    assert!(absent.status == 400 || absent.status == 404, "{what}: {}", absent.text());
    assert_eq!((absent.status, absent.text()), (others.status, others.text()), "{what}");
    let names =
        |answer: &Answer| -> BTreeSet<String> { answer.headers.iter().map(|(n, _)| n.clone()).collect() };
    assert_eq!(names(absent), names(others), "{what}");
}

/// `Acme` has the account `A-1` and the business `B-1`. `Other` has, under `OTHERS`, the account `O-1` and
/// the business `B-O` with the contract `C-O`. Both have the vendor `PAY`.
fn neighbours() -> (Installation, Server, Client, Client, Vendor) {
    let vendor = Vendor::start(|_| Action::Json(200, json!({"reference": "R", "type": "CARD"})));
    let (installation, server, client, owner) = Installation::with_two_organisations();
    for organisation in ["Acme", "Other"] {
        installation.add_vendor("PAY", "http", &vendor.url(""), &["--organisation", organisation]);
    }
    client.import(&[small("A-1")]);
    assert_eq!(client.send_json(BUSINESS, &business("B-1", &[])).status, 201);
    let theirs = changed(&business("B-O", &["C-O"]), "import_supplier_code", "OTHERS");
    assert_eq!(owner.send_json(BUSINESS, &theirs).status, 201);
    assert_eq!(owner.create(&changed(&small("O-1"), "import_supplier", "OTHERS")).status, 201);
    crate::harness::wait_until("their account is imported", || {
        owner.get(&format!("{TRANSFER_STATUS}OTHERS/O-1/")).json()["status"] == "COMPLETED"
    });
    (installation, server, client, owner, vendor)
}

/// Failure 21: with queries, bodies and certificates that only data of others can have.
#[test]
fn another_organisations_supplier_is_answered_as_missing() {
    let (_installation, _server, client, owner, _vendor) = neighbours();
    let unknown = format!("{ACCOUNTS}{{}}/?error_code=of_a_newer_version");
    let pages = ["page_size=0", "cursor=x", "page_size=5"].map(|query| format!("{}{{}}/?{query}", LISTS[0]));
    let path = format!("{SUPPLIERS}{{}}/certificate/");
    let issued = owner.post(&path.replace("{}", "OTHERS"), "").json();
    let id = text(&issued["id"]);
    let of_certificate = ["", "leaves/", "proof/O-1/"].map(|rest| format!("{path}{id}/{rest}"));
    for path in pages.into_iter().chain(of_certificate).chain([unknown]) {
        let ask = |supplier| client.get(&path.replace("{}", supplier));
        assert_alike(&ask("NOBODY"), &ask("OTHERS"), &path);
    }
    let manifest =
        json!({"accounts": 1, "ledger_balance": "0", "readings": 0, "transactions": 0, "documents": 0});
    let ask = |supplier| client.put_json(&format!("{SUPPLIERS}{supplier}/manifest/"), &manifest);
    assert_alike(&ask("NOBODY"), &ask("OTHERS"), "manifest");
}

#[test]
fn the_same_number_of_two_organisations_is_two_accounts() {
    let (installation, _server, client, owner, _vendor) = neighbours();
    client.import(&[small("O-1")]);
    let note = |client: &Client, supplier: &str, body: &str| {
        let request = adding("O-1", "notes", json!([{"body": body}]));
        client.send_json(NOTES, &changed(&request, "import_supplier", supplier)).status
    };
    assert_eq!((note(&client, "ACME", "Ours"), note(&owner, "OTHERS", "Theirs")), (201, 201));
    for (supplier, body) in [("ACME", "Ours"), ("OTHERS", "Theirs")] {
        let notes = &installation.show_of(supplier, "O-1")["account"]["notes"];
        assert_eq!((notes[0]["body"].clone(), notes.as_array().unwrap().len()), (json!(body), 1));
    }
}

#[test]
fn document_roots_do_not_overlap_between_organisations() {
    let (installation, _) = Installation::with_supplier();
    installation.run_json(&["organisation", "add", "Other"]);
    for root in ["/ACME", "/ACME/inner", "/ACME/"] {
        let refused = installation.run_refused(&[
            "supplier",
            "add",
            "OTHERS",
            "--organisation",
            "Other",
            "--document-root",
            root,
        ]);
        assert!(refused.contains("document root"), "{refused}");
    }
    installation.run_json(&[
        "supplier",
        "add",
        "OTHERS",
        "--organisation",
        "Other",
        "--document-root",
        "/ACME2",
    ]);
    installation.run_json(&[
        "supplier",
        "add",
        "SECOND",
        "--organisation",
        "Acme",
        "--document-root",
        "/ACME/second",
    ]);
}

/// Failure 21.
#[test]
fn another_organisations_account_is_not_read() {
    let (installation, server, client, _owner, _vendor) = neighbours();
    client.import(&[small("A-9")]);
    let reader = server.client(&installation.reader_key());
    let ask = |path: &str| reader.get(&format!("/v2/data-import/imported-accounts/{path}/"));
    assert_eq!(ask("ACME/A-9").json()["external_account_number"], "A-9");
    assert_alike(&ask("NOBODY/O-1"), &ask("OTHERS/O-1"), "supplier");
    assert_alike(&ask("ACME/NONE"), &ask("ACME/O-1"), "number");
    let all = ask("ACME");
    assert!(all.text().contains("A-9") && !all.text().contains("O-1"), "{}", all.text());
    assert_alike(&ask("NOBODY"), &ask("OTHERS"), "supplier");
    let bill = |path: &str| reader.post(&format!("/v2/data-import/imported-accounts/{path}/billed/"), "");
    assert_eq!(bill("ACME/A-9").status, 200);
    assert_alike(&bill("NOBODY/O-1"), &bill("OTHERS/O-1"), "supplier");
    assert_alike(&bill("ACME/NONE"), &bill("ACME/O-1"), "number");
}

const BUSINESSES: &str = "/v2/data-import/businesses/";
const EVENTS: &str = "/v2/data-import/events/";

/// A request: method, path, body.
type Request = (&'static str, String, Vec<u8>);

/// A request on missing data, and the same on another organisation's data.
struct Pair(Request, Request);

/// The pairs of an endpoint: one for each parameter and member that names something.
fn pairs(method: &str, path: &str) -> Vec<Pair> {
    let get = |of: fn(&str, &str) -> String| {
        let ask = |supplier, number| ("GET", of(supplier, number), Vec::new());
        vec![Pair(ask("NOBODY", "O-1"), ask("OTHERS", "O-1")), Pair(ask("ACME", "NONE"), ask("ACME", "O-1"))]
    };
    let post = |bodies: Vec<(Value, Value)>| {
        let ask = |body: Value| ("POST", path.to_owned(), body.to_string().into_bytes());
        bodies.into_iter().map(|(absent, others)| Pair(ask(absent), ask(others))).collect::<Vec<_>>()
    };
    let supplier =
        |body: Value, member: &str| (changed(&body, member, "NOBODY"), changed(&body, member, "OTHERS"));
    let number = |body: Value| {
        let member = "external_account_number";
        (changed(&body, member, "NONE"), changed(&body, member, "O-1"))
    };
    let linked = |contract: &str| {
        let mut account = small("O-1");
        account["business"] = json!({"business_contract_identifier": contract});
        account
    };
    let of_account = |at: usize| {
        let body = additions("O-1")[at].1.clone();
        post(vec![supplier(body.clone(), "import_supplier"), number(body)])
    };
    let pay = business_instruction("B-1", "PAY", "CARD", "R");
    let nested = |number: &str| {
        let mut body = pay.clone();
        body["accounts"] = json!([{"external_account_number": "A-1"}, {"external_account_number": number}]);
        body
    };
    match (method, path) {
        ("post", VALIDATE | "/v1/data-import/validate-account/" | ACCOUNTS) => {
            post(vec![supplier(small("O-1"), "import_supplier"), (linked("NONE"), linked("C-O"))])
        }
        ("post", "/v2/data-import/accounts/bulk/") => {
            post(vec![supplier(small("O-1"), "import_supplier"), (linked("NONE"), linked("C-O"))])
        }
        ("get", "/v2/data-import/accounts/{supplier}/{number}/") => get(|s, n| format!("{ACCOUNTS}{s}/{n}/")),
        ("get", "/v2/data-import/accounts/{supplier}/{number}/issues/") => {
            get(|s, n| format!("{ACCOUNTS}{s}/{n}/issues/"))
        }
        ("get", "/v2/data-import/accounts/{supplier}/") => get(|s, n| {
            if s == "ACME" {
                format!("{ACCOUNTS}NOBODY-{n}/")
            } else {
                format!("{ACCOUNTS}{s}/?status=PROCESSED")
            }
        })
        .into_iter()
        .take(1)
        .collect(),
        ("post", "/v2/data-import/accounts/{supplier}/{number}/cancel/") => {
            let ask = |of: &str| ("POST", format!("{ACCOUNTS}{of}/cancel/"), Vec::new());
            vec![Pair(ask("NOBODY/O-1"), ask("OTHERS/O-1")), Pair(ask("ACME/NONE"), ask("ACME/O-1"))]
        }
        ("get" | "post", path) if path.starts_with("/v2/data-import/import-suppliers/{supplier}/") => {
            // Certificates that exist: `another_organisations_supplier_is_answered_as_missing`.
            let path = path.replace("{certificate}", "0").replace("{number}", "O-1");
            let path = path.replace("{run}", "one").replace("{other_run}", "two");
            let method = if method == "get" { "GET" } else { "POST" };
            let ask = |supplier| (method, path.replace("{supplier}", supplier), Vec::new());
            vec![Pair(ask("NOBODY"), ask("OTHERS"))]
        }
        ("put", path) if path.starts_with("/v2/data-import/import-suppliers/{supplier}/") => {
            let path = path.replace("{path}", "a.pdf");
            let ask = |supplier| ("PUT", path.replace("{supplier}", supplier), b"{}".to_vec());
            vec![Pair(ask("NOBODY"), ask("OTHERS"))]
        }
        // Keys of the installation, which name nothing.
        ("get", "/v2/data-import/certificate-keys/") => Vec::new(),
        // The list names nothing. Whose businesses it has is tested beside the endpoint.
        ("get", BUSINESSES) => Vec::new(),
        ("get" | "put", "/v2/data-import/businesses/{business}/") => {
            let method = if method == "get" { "GET" } else { "PUT" };
            let ask = |id: &str| {
                let body = if method == "PUT" { business(id, &["C-O"]).to_string() } else { String::new() };
                (method, format!("{BUSINESSES}{id}/"), body.into_bytes())
            };
            vec![Pair(ask("NONE"), ask("B-O"))]
        }
        // For keys of operators: tested beside the endpoint.
        ("post", "/v2/operator/account-search/") => Vec::new(),
        // For another role: `another_organisations_account_is_not_read`.
        (
            "get",
            "/v2/data-import/imported-accounts/{supplier}/{number}/"
            | "/v2/data-import/imported-accounts/{supplier}/",
        ) => Vec::new(),
        ("post", "/v2/data-import/imported-accounts/{supplier}/{number}/billed/") => Vec::new(),
        ("get", EVENTS) => {
            let ask = |supplier| ("GET", format!("{EVENTS}?import_supplier={supplier}"), Vec::new());
            vec![Pair(ask("NOBODY"), ask("OTHERS"))]
        }
        ("post", NOTES) => of_account(0),
        ("post", TRANSACTIONS) => of_account(1),
        ("post", STATEMENTS) => of_account(2),
        ("post", INSTRUCTION) => {
            let body = instruction("O-1", "PAY", "CARD", "R");
            post(vec![supplier(body.clone(), "import_supplier"), number(body)])
        }
        ("get", "/v1/data-import/account-transfer-status/{supplier}/{number}/") => {
            get(|s, n| format!("{TRANSFER_STATUS}{s}/{n}/"))
        }
        ("get", path) if LISTS.iter().any(|list| path == format!("{list}{{supplier}}/")) => {
            let list = LISTS.into_iter().find(|list| path.starts_with(list)).unwrap();
            let ask = |supplier| ("GET", format!("{list}{supplier}/"), Vec::new());
            vec![Pair(ask("NOBODY"), ask("OTHERS"))]
        }
        ("post", BUSINESS) => post(vec![supplier(business("B-O", &["C-O"]), "import_supplier_code")]),
        ("post", BUSINESS_INSTRUCTION) => {
            let mine = "external_business_identifier";
            let both = (changed(&pay, mine, "NONE"), changed(&pay, mine, "B-O"));
            post(vec![supplier(pay.clone(), "import_supplier_code"), both, (nested("NONE"), nested("O-1"))])
        }
        _ => panic!("{method} {path} has no rows here: what names something of an organisation needs them"),
    }
}

/// Status, headers and body, without the parts that differ between requests.
fn reported(client: &Client, (method, path, body): &Request) -> (u16, Vec<(String, String)>, String) {
    let kind = match path {
        path if path.ends_with("/bulk/") => "application/x-ndjson",
        path if path.contains("/documents/") => "application/octet-stream",
        _ => "application/json",
    };
    let answer = client.send(method, path, &[("Content-Type", kind)], body);
    let changes = ["x-request-id", "date"];
    let headers = answer.headers.iter().filter(|(name, _)| !changes.contains(&name.as_str()));
    let mut headers: Vec<_> = headers.cloned().collect();
    // Refused instructions repeat what names them.
    let mut body = answer.text();
    if let Ok(Value::Object(mut members)) = serde_json::from_str(&body)
        && members.contains_key("error_detail")
    {
        for sent in [
            "external_account_number",
            "external_business_identifier",
            "import_supplier",
            "import_supplier_code",
        ] {
            members.remove(sent);
        }
        body = Value::Object(members).to_string();
        headers.retain(|(name, _)| name != "content-length");
    }
    (answer.status, headers, body)
}

/// Failure 21: with a valid token, every endpoint answers for another organisation's data as for missing
/// data. The endpoints are taken from the service's description, so that a new one cannot be forgotten.
#[test]
fn every_endpoint_answers_foreign_data_as_missing() {
    let (installation, server, client, _owner, vendor) = neighbours();
    let before = installation.show_of("OTHERS", "O-1");
    let description = server.anonymous().get("/openapi.json").json();
    let mut asked = 0;
    for (path, item) in description["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            if operation["security"].as_array().is_none_or(|schemes| schemes.is_empty()) {
                continue;
            }
            for Pair(absent, others) in pairs(method, path) {
                let (absent, others) = (reported(&client, &absent), reported(&client, &others));
                assert!(matches!(absent.0, 200 | 400 | 404), "{method} {path}: {absent:?}");
                assert!(absent.0 != 200 || path.ends_with("/bulk/"), "{method} {path}: {absent:?}");
                assert_eq!(absent, others, "{method} {path}");
                asked += 1;
            }
        }
    }
    assert!(asked >= 25, "{asked} pairs");
    assert_eq!(installation.show_of("OTHERS", "O-1"), before, "nothing of theirs has changed");
    assert_eq!(vendor.asked("/").len(), 0);
}
