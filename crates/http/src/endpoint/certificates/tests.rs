use crate::testing::{ACCOUNT, ELECTRICITY, Reply, TestService};
use actix_web::http::header::AUTHORIZATION;
use actix_web::test::TestRequest;
use cutover_app::port::ApiKeyRole;
use cutover_model::certificate::{InclusionProof, MerkleRoot, hash_of_line, to_hex, verify_signature};
use serde_json::Value;

const PATH: &str = "/v2/data-import/import-suppliers/ACME_ENERGY/certificate/";
const KEYS: &str = "/v2/data-import/certificate-keys/";

async fn issue(service: &TestService) -> Reply {
    service.send_as_acme(TestRequest::post().uri(PATH)).await
}

async fn public_key(service: &TestService) -> String {
    service.get(KEYS).await.json()[0]["public_key"].as_str().unwrap().to_owned()
}

fn service_with_two() -> TestService {
    let service = TestService::new();
    service.create("Acme", ELECTRICITY);
    service.import_pending();
    service.create("Acme", ACCOUNT);
    service
}

#[actix_web::test]
async fn a_certificate_is_issued_and_verifies() {
    let service = service_with_two();
    let none = service.get(PATH).await;
    assert_eq!(
        none.line(),
        r#"404 {"detail":"No certificate has been issued.","code":"certificate_not_issued"}"#
    );
    let issued = issue(&service).await;
    assert_eq!(issued.status, 201, "{}", issued.text());
    let certificate = verify_signature(issued.text().as_bytes(), &public_key(&service).await).unwrap();
    assert_eq!(certificate.accounts, 2);
    let counts: Vec<u64> = certificate.counts.iter().map(|(_, count)| count).collect();
    assert_eq!(counts.iter().sum::<u64>(), 2);
    assert_eq!(service.get(PATH).await.text(), issued.text());
    let path = format!("{PATH}{}/", certificate.id);
    assert_eq!(service.get(&path).await.text(), issued.text());

    let leaves = service.get(&format!("{path}leaves/")).await;
    let mut root = MerkleRoot::default();
    let mut numbers = Vec::new();
    for line in leaves.text().lines() {
        let (hash, leaf) = hash_of_line(line.as_bytes()).unwrap();
        root.push(hash);
        numbers.push(leaf.unwrap().external_account_number);
    }
    assert_eq!(to_hex(&root.root()), certificate.merkle_root);
    assert!(numbers.is_sorted() && numbers.len() == 2, "{numbers:?}");

    for number in &numbers {
        let proof = service.get(&format!("{path}proof/{number}/")).await.text().to_owned();
        let proof: InclusionProof = serde_json::from_str(&proof).unwrap();
        assert!(proof.proves(&certificate));
        assert_eq!(proof.leaf.external_account_number, *number);
    }
    assert_eq!(service.get(&format!("{path}proof/NOBODY/")).await.status, 404);
    assert_eq!(service.get(&format!("{PATH}0123/")).await.status, 404);
}

#[actix_web::test]
async fn readers_issue_certificates_too_and_operators_get_no_token() {
    let service = service_with_two();
    let token = (AUTHORIZATION, format!("Token {}", service.token_as("Acme", ApiKeyRole::Reader)));
    let issued = service.send(TestRequest::post().uri(PATH).insert_header(token.clone())).await;
    assert_eq!(issued.status, 201);
    let id = issued.json()["id"].as_str().unwrap().to_owned();
    for path in [PATH.to_owned(), format!("{PATH}{id}/leaves/"), KEYS.to_owned()] {
        let read = service.send(TestRequest::get().uri(&path).insert_header(token.clone())).await;
        assert_eq!(read.status, 200, "{path}");
    }
}

#[actix_web::test]
async fn certificates_of_a_supplier_are_limited_in_rate() {
    let service = service_with_two();
    let reader = (AUTHORIZATION, format!("Token {}", service.token_as("Acme", ApiKeyRole::Reader)));
    let mut issued = 0;
    while issue(&service).await.status == 201 {
        issued += 1;
        assert!(issued < 1_000, "no end");
    }
    assert!(issued >= 10);
    let refused = service.send(TestRequest::post().uri(PATH).insert_header(reader)).await;
    assert_eq!((refused.status, &refused.json()["code"]), (429, &Value::from("throttled")));
    assert!(refused.header("Retry-After").parse::<u32>().unwrap() >= 1);
    // Reading is not limited so.
    assert_eq!(service.get(PATH).await.status, 200);
}

#[actix_web::test]
async fn suppliers_of_others_are_not_found() {
    let service = service_with_two();
    let id = issue(&service).await.json()["id"].as_str().unwrap().to_owned();
    let mut answers = Vec::new();
    for supplier in ["OTHER", "NOBODY", "%20", "%ff"] {
        let path = PATH.replace("ACME_ENERGY", supplier);
        answers.push(service.send_as_acme(TestRequest::post().uri(&path)).await.line());
        for more in ["", &format!("{id}/"), &format!("{id}/leaves/"), &format!("{id}/proof/ELEC-1001/")] {
            answers.push(service.get(&format!("{path}{more}")).await.line());
        }
    }
    answers.dedup();
    assert_eq!(answers, [r#"404 {"detail":"Not found.","code":"not_found"}"#]);
}

#[actix_web::test]
async fn a_supplier_without_accounts_has_the_root_of_nothing() {
    let service = TestService::new();
    let issued = issue(&service).await.json();
    assert_eq!(issued["accounts"], 0);
    assert_eq!(issued["merkle_root"], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    let id = issued["id"].as_str().unwrap();
    let leaves = service.get(&format!("{PATH}{id}/leaves/")).await;
    assert_eq!((leaves.status, leaves.text()), (200, ""));
}

#[actix_web::test]
async fn the_keys_have_no_private_part() {
    let service = service_with_two();
    assert_eq!(service.get(KEYS).await.json(), Value::Array(Vec::new()));
    issue(&service).await;
    service.app.rotate_certificate_key().unwrap();
    let keys = service.get(KEYS).await.json();
    let names: Vec<&str> = keys[0].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(names, ["key_id", "algorithm", "public_key", "created_at", "retired_at"]);
    assert_eq!((keys.as_array().unwrap().len(), &keys[0]["retired_at"]), (2, &Value::Null));
    assert_ne!(keys[1]["retired_at"], Value::Null);
    assert_ne!(issue(&service).await.json()["key_id"], keys[1]["key_id"]);
}
