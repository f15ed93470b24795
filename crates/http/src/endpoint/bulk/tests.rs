use super::LINES;
use crate::config::Config;
use crate::limits::memory::Memory;
use crate::testing::{ACCOUNT, Reply, TestService, gzip};
use actix_web::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE};
use actix_web::test::TestRequest;
use cutover_app::operator::SupplierChange;
use cutover_app::port::{PageLimit, ProcessFilter, Store, Tx, read};
use cutover_core::SupplierStatus;
use serde_json::Value;

const PATH: &str = "/v2/data-import/accounts/bulk/";

/// Returns the account of the fixture in one line, with another number.
fn account(number: &str) -> String {
    let mut account: Value = serde_json::from_str(ACCOUNT).unwrap();
    account["external_account_number"] = number.into();
    account.to_string()
}

fn request(path: &str, body: impl Into<Vec<u8>>) -> TestRequest {
    let media = (CONTENT_TYPE, "application/x-ndjson");
    TestRequest::post().uri(path).insert_header(media).set_payload(body.into())
}

async fn send(service: &TestService, path: &str, lines: &[String]) -> Reply {
    let reply = service.send_as_acme(request(path, lines.join("\n"))).await;
    assert_eq!((reply.status, reply.header("content-type")), (200, "application/x-ndjson"));
    reply
}

fn results(reply: &Reply) -> Vec<Value> {
    reply.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn statuses(reply: &Reply) -> Vec<(u64, u64)> {
    let status = |result: Value| (result["line"].as_u64().unwrap(), result["status"].as_u64().unwrap());
    results(reply).into_iter().map(status).collect()
}

fn processes(service: &TestService) -> usize {
    let limit = PageLimit::of(1_000);
    let list = |tx: &mut dyn Tx| tx.list_processes(1, ProcessFilter::default(), None, limit);
    read(&*service.store as &dyn Store, list).unwrap().processes.len()
}

fn lines() -> Vec<String> {
    let faulty =
        account("A-2").replace("\"external_account_number\"", "\"number\":1,\"external_account_number\"");
    let wrapped = format!("{{\"payload\":{},\"task_params\":{{\"is_dry_run\":true}}}}", account("A-3"));
    let anothers = account("A-4").replace("ACME_ENERGY", "OTHER");
    let broken = "{\"import_supplier\":".to_owned();
    [account("A-1"), String::new(), faulty, broken, wrapped, anothers, "7".to_owned(), account("A-1")]
        .to_vec()
}

#[actix_web::test]
async fn each_line_has_a_result_in_its_place() {
    let service = TestService::new();
    insta::assert_snapshot!(send(&service, PATH, &lines()).await.text());
    assert_eq!(processes(&service), 2);
}

#[actix_web::test]
async fn validate_only_stores_nothing() {
    let service = TestService::new();
    insta::assert_snapshot!(send(&service, &format!("{PATH}?validate_only=true"), &lines()).await.text());
    assert_eq!(processes(&service), 0);
}

/// Identities are returned trimmed (contract D1), also for refused lines.
#[actix_web::test]
async fn numbers_of_results_are_trimmed() {
    let service = TestService::new();
    let faulty =
        account(" A-2\t").replace("\"external_account_number\"", "\"number\":1,\"external_account_number\"");
    let results = results(&send(&service, PATH, &[account(" A-1 "), faulty.clone()]).await);
    let validated = send(&service, &format!("{PATH}?validate_only=true"), &[account("\tA-3"), faulty]).await;
    let results: Vec<_> = results.into_iter().chain(self::results(&validated)).collect();
    let numbers = results.iter().map(|result| result["external_account_number"].as_str().unwrap());
    assert_eq!(numbers.collect::<Vec<_>>(), ["A-1", "A-2", "A-3", "A-2"]);
}

#[actix_web::test]
async fn more_lines_than_share_a_commit_keep_their_order() {
    let service = TestService::new();
    let count = 3 * LINES + 1;
    // Every third line waits for another thread.
    let line = |n: usize| if n.is_multiple_of(3) { "{".to_owned() } else { account(&format!("A-{n}")) };
    let reply = send(&service, PATH, &(0..count).map(line).collect::<Vec<_>>()).await;
    let expected = (0..count).map(|n| (n as u64 + 1, if n.is_multiple_of(3) { 400 } else { 201 }));
    assert_eq!(statuses(&reply), expected.collect::<Vec<_>>());
    assert_eq!(processes(&service), 2 * LINES);
}

#[actix_web::test]
async fn the_limit_is_of_a_line() {
    let limit = account("A-1").len();
    let service = TestService::with(Config { body_limit: limit, rate_limit: 0, ..Config::default() });
    let many: Vec<_> = (1..=5).map(|n| account(&format!("A-{n}"))).collect();
    assert_eq!(statuses(&send(&service, PATH, &many).await), [1, 2, 3, 4, 5].map(|n| (n, 201)));
    let long = [format!("{} ", account("A-6")), account("A-7")];
    let reply = send(&service, PATH, &long).await;
    assert_eq!(statuses(&reply), [(1, 413), (2, 201)]);
    assert_eq!(results(&reply)[0]["body"]["code"], "payload_too_large");
}

#[actix_web::test]
async fn compressed_lines_are_decompressed_as_they_arrive() {
    let service = TestService::new();
    let many: Vec<_> = (0..200).map(|n| account(&format!("A-{n}"))).collect();
    let packed = || request(PATH, gzip(many.join("\n").as_bytes())).insert_header((CONTENT_ENCODING, "gzip"));
    let reply = service.send_as_acme(packed()).await;
    assert_eq!(statuses(&reply).len(), 200);
    assert_eq!(processes(&service), 200);
    // Answers are not compressed, so that each is sent at once.
    let asks = packed().insert_header((ACCEPT_ENCODING, "gzip"));
    assert_eq!(service.send_as_acme(asks).await.header("content-encoding"), "");
    // A bomb is one long line.
    let bomb = request(PATH, gzip(&vec![b'a'; 20 << 20])).insert_header((CONTENT_ENCODING, "gzip"));
    assert_eq!(statuses(&service.send_as_acme(bomb).await), [(1, 413)]);
}

#[actix_web::test]
async fn a_body_that_does_not_begin_like_gzip_is_refused() {
    let service = TestService::new();
    for body in [account("A-1").as_bytes(), b"PK\x03\x04", b"\x1f\x8b\x07\x00", b"\x1f\n", b"\n"] {
        let sent = request(PATH, body).insert_header((CONTENT_ENCODING, "gzip"));
        let reply = service.send_as_acme(sent).await;
        assert_eq!((reply.status, &reply.json()["code"]), (400, &"parse_error".into()), "{body:?}");
    }
    assert_eq!(processes(&service), 0);
}

#[actix_web::test]
async fn a_body_that_stops_being_gzip_ends_with_a_line_that_says_so() {
    let service = TestService::new();
    let text = |n: usize| format!("{}\n{}\n", account(&format!("A-{n}")), account(&format!("B-{n}")));
    let packed = |n| gzip(text(n).as_bytes());
    let more = [packed(1), b"no gzip".to_vec()].concat();
    let mut checksum = packed(2);
    let last = checksum.len() - 5;
    checksum[last] ^= 1;
    let cut = packed(3)[..packed(3).len() - 3].to_vec();
    for (body, taken) in
        [(more, 2), (checksum, 2), (cut, 2), (b"\x1f\x8b\x08".to_vec(), 0), (b"\x1f".to_vec(), 0)]
    {
        let sent = request(PATH, body).insert_header((CONTENT_ENCODING, "gzip"));
        let reply = service.send_as_acme(sent).await;
        assert_eq!(reply.status, 200);
        let results = results(&reply);
        let (end, lines) = results.split_last().unwrap();
        assert!(lines.iter().all(|line| line["status"] == 201) && lines.len() <= taken, "{results:?}");
        assert_eq!((&end["line"], &end["status"]), (&(lines.len() + 1).into(), &400.into()));
        assert_eq!(
            (&end["body"]["code"], &end["external_account_number"]),
            (&"parse_error".into(), &Value::Null)
        );
    }
}

#[actix_web::test]
async fn no_line_is_taken_after_a_503() {
    let service = TestService::new();
    // From here on the token is cached.
    send(&service, PATH, &[]).await;
    service.set_store_down(true);
    let many: Vec<_> = (0..10 * LINES).map(|n| account(&format!("A-{n}"))).collect();
    let statuses = statuses(&send(&service, PATH, &many).await);
    assert!(statuses.iter().all(|(_, status)| *status == 503));
    assert!((1..=2 * LINES).contains(&statuses.len()), "{}", statuses.len());
}

#[actix_web::test]
async fn a_line_without_memory_is_reported_once() {
    let memory = Memory::unlimited(10, 1);
    let service = TestService::with(Config { memory, rate_limit: 0, ..Config::default() });
    assert_eq!(statuses(&send(&service, PATH, &[account("A-1")]).await), [(1, 503)]);
}

#[actix_web::test]
async fn a_paused_supplier_accepts_no_lines() {
    let service = TestService::new();
    assert_eq!(statuses(&send(&service, PATH, &[account("A-1")]).await), [(1, 201)]);
    let change = SupplierChange { status: Some(SupplierStatus::Paused), ..SupplierChange::default() };
    service.set_supplier(change);
    let reply = send(&service, PATH, &[account("A-2")]).await;
    assert_eq!(results(&reply)[0]["body"]["code"], "import_supplier_migration_not_ongoing");
}

#[actix_web::test]
async fn faults_of_the_whole_request_are_refused() {
    let service = TestService::new();
    assert_eq!(service.send(request(PATH, "{}")).await.status, 401);
    let json = TestRequest::post().uri(PATH).insert_header((CONTENT_TYPE, "application/json"));
    assert_eq!(service.send_as_acme(json.set_payload("{}")).await.status, 415);
    let unclear = service.send_as_acme(request(&format!("{PATH}?validate_only=maybe"), "{}")).await;
    assert_eq!((unclear.status, unclear.json()["errors"][0]["attr"].as_str()), (400, Some("validate_only")));
    assert_eq!(send(&service, PATH, &[]).await.text(), "");
}
