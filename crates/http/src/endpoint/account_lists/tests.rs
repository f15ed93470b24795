use crate::request::body::Held;
use crate::testing::{ACCOUNT, TestService};
use actix_web::body::{MessageBody, to_bytes};
use actix_web::http::Method;
use actix_web::http::header::ACCEPT_ENCODING;
use actix_web::test::TestRequest;
use chrono::Duration;
use flate2::read::GzDecoder;
use serde_json::Value;
use std::future::poll_fn;
use std::io::Read;

fn path(list: &str, supplier: &str) -> String {
    format!("/v1/data-import/{list}-account-import-processes/{supplier}/")
}

fn number(n: usize) -> String {
    format!("E-{n:04}")
}

/// Returns a service with `count` pending accounts, `E-0000` onwards.
fn service_of(count: usize) -> TestService {
    let service = TestService::new();
    let caller = service.caller("Acme");
    for n in 0..count {
        service.create_as(&caller, &ACCOUNT.replace("UNME-4001", &number(n)));
        if n % 10 == 9 {
            service.clock.advance(Duration::microseconds(1));
        }
    }
    service
}

/// Returns the external numbers in an array.
fn numbers(bytes: &[u8]) -> Vec<String> {
    let items: Vec<Value> = serde_json::from_slice(bytes).unwrap();
    items.iter().map(|item| item["external_account_number"].as_str().unwrap().to_owned()).collect()
}

#[actix_web::test]
async fn each_list_has_its_items() {
    let service = service_of(2);
    service.import_pending();
    service.clock.advance(Duration::seconds(1));
    for n in 2..4 {
        service.create("Acme", &ACCOUNT.replace("UNME-4001", &number(n)));
    }
    service.app.as_command().cancel_process("ACME_ENERGY", "E-0002").unwrap();
    let mut lines = Vec::new();
    for list in ["all", "pending", "imported"] {
        let reply = service.get(&path(list, "ACME_ENERGY")).await;
        assert_eq!(reply.header("content-type"), "application/json");
        let paged = service.get(&format!("{}?page_size=10", path(list, "ACME_ENERGY"))).await;
        assert_eq!((paged.line(), paged.next()), (reply.line(), None));
        lines.push(reply.line());
    }
    insta::assert_snapshot!(lines.join("\n"));
}

#[actix_web::test]
async fn nothing_to_list_is_an_empty_array() {
    let service = TestService::new();
    for list in ["all", "pending", "imported"] {
        for query in ["", "?page_size=1", "?cursor=AAAAAAAAAAAAAAAAAAAAAQ"] {
            let reply = service.get(&format!("{}{query}", path(list, "ACME_ENERGY"))).await;
            assert_eq!((reply.line().as_str(), reply.header("link")), ("200 []", ""));
        }
    }
}

#[actix_web::test]
async fn another_organisations_supplier_is_unknown() {
    let service = TestService::with_accounts();
    for list in ["all", "pending", "imported"] {
        for supplier in ["OTHER", "NOBODY", "%20", "acme_energy", "", "ACME_ENERGY/x"] {
            let reply = service.get(&path(list, supplier)).await;
            assert_eq!(reply.line(), r#"404 {"detail":"Not found.","code":"not_found"}"#, "{supplier}");
        }
        assert_eq!(service.get(&format!("{}?page_size=5", path(list, "OTHER"))).await.status, 404);
    }
}

#[actix_web::test]
async fn faulty_parameters_are_all_named() {
    let service = TestService::new();
    let list = path("all", "ACME_ENERGY");
    let mut lines = Vec::new();
    for query in ["page_size=0", "cursor=", "cursor=x&page_size=10001"] {
        lines.push(service.get(&format!("{list}?{query}")).await.line());
    }
    insta::assert_snapshot!(lines.join("\n"));
}

#[actix_web::test]
async fn a_long_list_has_each_item_once() {
    let service = service_of(2_500);
    let expected: Vec<_> = (0..2_500).map(number).collect();
    let list = path("all", "ACME_ENERGY");
    let whole = service.get(&list).await;
    assert_eq!((whole.status, whole.header("content-length")), (200, ""));
    assert!(numbers(&whole.bytes) == expected);

    let packed = TestRequest::get().uri(&list).insert_header((ACCEPT_ENCODING, "gzip"));
    let packed = service.send_as_acme(packed).await;
    assert_eq!(packed.header("content-encoding"), "gzip");
    let mut unpacked = Vec::new();
    GzDecoder::new(&packed.bytes[..]).read_to_end(&mut unpacked).unwrap();
    assert!(unpacked == whole.bytes);

    let (mut page, mut paged) = (Some(format!("{list}?page_size=625")), Vec::new());
    while let Some(address) = page {
        let reply = service.get(&address).await;
        paged.push(numbers(&reply.bytes));
        page = reply.next();
    }
    assert!(paged.concat() == expected);
    assert_eq!(paged.iter().map(Vec::len).collect::<Vec<_>>(), [625; 4]);
    a_cursor_alone_has_1000(&service, &list).await;
    the_head_alone_reads_no_more(&service, &list).await;
    a_list_that_fails_has_no_end(&service, &list).await;
    no_more_lists_than_there_is_room_for(&service, &list).await;
}

async fn a_cursor_alone_has_1000(service: &TestService, list: &str) {
    let first = service.get(&format!("{list}?page_size=1")).await;
    let cursor = first.next().unwrap().split_once("&cursor=").unwrap().1.to_owned();
    let second = service.get(&format!("{list}?cursor={cursor}")).await;
    let found = numbers(&second.bytes);
    assert_eq!((found.len(), found[0].as_str(), found[999].as_str()), (1_000, "E-0001", "E-1000"));
    let link = second.next().unwrap();
    assert!(link.starts_with(&format!("{list}?page_size=1000&cursor=")), "{link}");
    let raw = list.trim_end_matches('/').replace("ACME", "%41CME");
    let link = service.get(&format!("{raw}?page_size=7")).await.next().unwrap();
    assert!(link.starts_with(&format!("{raw}?page_size=7&cursor=")), "{link}");
}

async fn the_head_alone_reads_no_more(service: &TestService, list: &str) {
    let request = TestRequest::default().method(Method::HEAD).uri(list);
    let reply = service.send_as_acme(request).await;
    assert_eq!((reply.status, reply.bytes.len(), reply.header("content-type")), (200, 0, "application/json"));
    let request = TestRequest::default().method(Method::HEAD).uri(&format!("{list}?page_size=3"));
    assert!(service.send_as_acme(request).await.next().is_some());
}

/// The head has been sent when the second page cannot be read.
async fn a_list_that_fails_has_no_end(service: &TestService, list: &str) {
    for accept in ["identity", "gzip"] {
        let request = TestRequest::get().uri(list).insert_header((ACCEPT_ENCODING, accept));
        let response = service.answer(request.insert_header(service.authorization())).await;
        assert_eq!(response.status(), 200);
        service.set_store_down(true);
        let mut body = Box::pin(response.into_body());
        let mut sent = Vec::new();
        let failed = loop {
            match poll_fn(|cx| body.as_mut().poll_next(cx)).await {
                Some(Ok(bytes)) => sent.extend_from_slice(&bytes),
                Some(Err(_)) => break true,
                None => break false,
            }
        };
        assert!(failed, "{accept}");
        assert!(serde_json::from_slice::<Value>(&sent).is_err());
        service.set_store_down(false);
    }
}

async fn no_more_lists_than_there_is_room_for(service: &TestService, list: &str) {
    let lists = service.inner.lists.clone();
    let free = lists.left();
    let own = service.app.authenticate(&service.token()).unwrap().organisation_id;
    // All that exist, or the share of an organisation.
    for (organisation, held) in [(None, free), (Some(own), free / 2)] {
        let mut others = Held::new(lists.clone(), organisation);
        others.resize(held).unwrap();
        let refused = service.get(list).await;
        assert_eq!((refused.status, refused.header("retry-after")), (503, "2"));
        assert_eq!(service.get(&format!("{list}?page_size=1")).await.status, 200);
    }
    let response = service.answer(TestRequest::get().uri(list).insert_header(service.authorization())).await;
    assert_eq!(lists.left(), free - 1);
    to_bytes(response.into_body()).await.unwrap();
    assert_eq!(lists.left(), free);
}

#[actix_web::test]
async fn a_failure_before_the_first_byte_is_refused() {
    let service = service_of(1);
    service.get(&path("all", "ACME_ENERGY")).await;
    let authorization = service.authorization();
    for query in ["", "?page_size=1"] {
        let address = format!("{}{query}", path("all", "ACME_ENERGY"));
        service.set_store_down(true);
        let reply = service.send(TestRequest::get().uri(&address).insert_header(authorization.clone())).await;
        assert_eq!((reply.status, &reply.json()["code"]), (503, &"service_unavailable".into()), "{query}");
        service.set_store_down(false);
    }
}
