use crate::harness::{ACCOUNTS, House, VALIDATE};
use crate::payloads::small;
use serde_json::json;

/// What belongs to another organisation is answered with the same bytes as what does not exist.
#[test]
fn anothers_supplier_is_as_good_as_absent() {
    let (house, key) = House::furnished();
    house.done(&["organisation", "add", "Other"]);
    house.done(&["supplier", "add", "OTHERS", "--organisation", "Other"]);
    let other = house.key("Other");
    let server = house.serve_with(&["--role", "api"]);
    let (client, owner) = (server.client(&key), server.client(&other));
    let mut account = small("O-1");
    account["import_supplier"] = json!("OTHERS");
    assert_eq!(owner.create(&account).status, 201);
    let absent = json!({"import_supplier": "NOBODY", "external_account_number": "O-1"}).to_string();
    let others = json!({"import_supplier": "OTHERS", "external_account_number": "O-1"}).to_string();
    for path in [VALIDATE, ACCOUNTS] {
        let (a, b) = (client.post(path, &absent), client.post(path, &others));
        assert_eq!((a.status, a.body), (b.status, b.body));
    }
    let (a, b) =
        (client.get(&format!("{ACCOUNTS}NOBODY/O-1/")), client.get(&format!("{ACCOUNTS}OTHERS/O-1/")));
    assert_eq!((a.status, a.body), (b.status, b.body));
    assert_eq!(owner.get(&format!("{ACCOUNTS}OTHERS/O-1/")).status, 200);
}

#[test]
fn document_roots_do_not_meet_between_organisations() {
    let (house, _) = House::furnished();
    house.done(&["organisation", "add", "Other"]);
    for root in ["/ACME", "/ACME/inner", "/ACME/"] {
        let refused =
            house.refused(&["supplier", "add", "OTHERS", "--organisation", "Other", "--document-root", root]);
        assert!(refused.contains("document root"), "{refused}");
    }
    house.done(&["supplier", "add", "OTHERS", "--organisation", "Other", "--document-root", "/ACME2"]);
    house.done(&["supplier", "add", "SECOND", "--organisation", "Acme", "--document-root", "/ACME/second"]);
}
