use super::{Browser, form_to};
use crate::config::Config;
use crate::testing::{TestService, log};
use actix_web::http::header::{CONTENT_TYPE, COOKIE, HOST, ORIGIN};
use actix_web::test::TestRequest;
use chrono::Duration;
use cutover_app::port::StoreError;
use cutover_testkit::memory::Fault;

const SIGN_IN: &str = "/console/sign-in/";

fn outside(service: &TestService) -> Browser<'_> {
    Browser { service, cookie: None }
}

#[actix_web::test]
async fn a_visitor_signs_in_and_out() {
    let service = TestService::new();
    let mut browser = outside(&service);
    let sent_away = browser.get("/console/").await;
    assert_eq!((sent_away.status, sent_away.header("location")), (303, SIGN_IN));
    let signed_in = browser.sign_in(&service.operator_key("Acme")).await;
    assert_eq!((signed_in.status, signed_in.header("location")), (303, "/console/"));
    let set = signed_in.header("set-cookie").to_owned();
    assert!(set.ends_with("; Path=/console; HttpOnly; SameSite=Strict"), "{set}");
    assert!(browser.page("/console/").await.contains("ACME_ENERGY"));
    let kept = browser.cookie.clone();
    let signed_out = browser.post("/console/sign-out/", "").await;
    assert_eq!((signed_out.status, signed_out.header("location")), (303, SIGN_IN));
    assert_eq!(browser.cookie, None);
    // A copy of the cookie no longer works.
    let mut copy = Browser { service: &service, cookie: kept };
    assert_eq!(copy.get("/console/").await.status, 303);
}

#[actix_web::test]
async fn every_other_key_is_refused_alike() {
    let service = TestService::new();
    let revoked = service.operator_key("Acme");
    service.app.as_command().revoke_api_key(&revoked[..17]).unwrap();
    let mut replies = Vec::new();
    for key in ["", "cut_live_nothing", &service.key, &revoked] {
        let reply = outside(&service).sign_in(key).await;
        assert_eq!((reply.status, reply.header("set-cookie")), (403, ""), "{key}");
        assert!(reply.text().contains("This key does not sign in here."));
        replies.push(reply.text().to_owned());
    }
    replies.dedup();
    assert_eq!(replies.len(), 1);
}

#[actix_web::test]
async fn a_full_disk_is_named_at_the_door_and_pages_are_shown() {
    let service = TestService::new();
    let (mut inside, key) = (service.browser().await, service.operator_key("Acme"));
    let full = StoreError::Unwritable("database or disk is full".into());
    service.store.set_fault(Some(Fault::OfWrites(full)));
    let reply = outside(&service).sign_in(&key).await;
    assert_eq!((reply.status, reply.header("retry-after")), (503, "2"));
    assert!(reply.text().contains("Nothing can be stored now"), "{}", reply.text());
    assert!(reply.text().contains("is full or fails"), "{}", reply.text());
    assert!(inside.page("/console/").await.contains("ACME_ENERGY"), "a session needs no write");
}

#[actix_web::test]
async fn sign_in_returns_to_the_requested_page() {
    let service = TestService::new();
    let away = outside(&service).get("/console/suppliers/ACME_ENERGY/?status=ERRORED").await;
    let place = away.header("location");
    assert_eq!(place, "/console/sign-in/?next=%2Fconsole%2Fsuppliers%2FACME_ENERGY%2F%3Fstatus%3DERRORED");
    let form = outside(&service).page(place).await;
    assert!(form.contains(r#"value="/console/suppliers/ACME_ENERGY/?status=ERRORED""#), "{form}");
    let key = service.operator_key("Acme");
    for (next, expected) in [
        ("/console/suppliers/ACME_ENERGY/", "/console/suppliers/ACME_ENERGY/"),
        ("https://evil.example/", "/console/"),
        ("//evil.example/", "/console/"),
    ] {
        let reply = outside(&service).post(SIGN_IN, &format!("next={next}&api_key={key}")).await;
        assert_eq!(reply.header("location"), expected);
    }
}

#[actix_web::test]
async fn an_idle_session_expires() {
    let service = TestService::new();
    let mut browser = service.browser().await;
    for _ in 0..4 {
        service.clock.advance(Duration::minutes(29));
        assert_eq!(browser.get("/console/").await.status, 200);
    }
    service.clock.advance(Duration::minutes(30));
    assert_eq!(browser.get("/console/").await.status, 303);
}

#[actix_web::test]
async fn automatic_refreshes_do_not_extend_a_session() {
    let service = TestService::new();
    let mut browser = service.browser().await;
    let live = || TestRequest::get().uri("/console/").insert_header(("x-console-live", "1"));
    service.clock.advance(Duration::minutes(20));
    let reply = browser.send(live()).await;
    assert_eq!((reply.status, reply.header("set-cookie")), (200, ""));
    service.clock.advance(Duration::minutes(11));
    assert_eq!(browser.send(live()).await.status, 401);
}

#[actix_web::test]
async fn a_session_has_a_maximum_duration() {
    let service = TestService::new();
    let mut browser = service.browser().await;
    for _ in 0..35 {
        service.clock.advance(Duration::minutes(20));
        assert_eq!(browser.get("/console/").await.status, 200);
    }
    service.clock.advance(Duration::minutes(20));
    assert_eq!(browser.get("/console/").await.status, 303);
}

#[actix_web::test]
async fn a_revoked_key_is_noticed() {
    let service = TestService::new();
    let key = service.operator_key("Acme");
    let mut browser = outside(&service);
    browser.sign_in(&key).await;
    assert_eq!(browser.get("/console/").await.status, 200);
    service.app.as_command().revoke_api_key(&key[..17]).unwrap();
    service.clock.advance(Duration::seconds(3));
    assert_eq!(browser.get("/console/").await.status, 303);
}

#[actix_web::test]
async fn api_tokens_and_console_sessions_are_not_interchangeable() {
    let service = TestService::new();
    let browser = service.browser().await;
    let session = browser.cookie.clone().unwrap().replace("cutover_console=", "");
    let api = TestRequest::get().uri("/v2/data-import/accounts/ACME_ENERGY/");
    let reply = service.send(api.insert_header(("authorization", format!("Token {session}")))).await;
    assert_eq!(reply.status, 401);
    let mut guest =
        Browser { service: &service, cookie: Some(format!("cutover_console={}", service.token())) };
    assert_eq!(guest.get("/console/").await.status, 303);
}

#[actix_web::test]
async fn forms_from_elsewhere_are_refused() {
    let service = TestService::new();
    let mut browser = service.browser().await;
    let cookie = browser.cookie.clone().unwrap();
    let sign_out = || {
        form_to("/console/sign-out/", "")
            .insert_header((COOKIE, cookie.clone()))
            .insert_header((HOST, "a.example"))
    };
    for foreign in [
        sign_out(),
        sign_out().insert_header(("sec-fetch-site", "cross-site")),
        sign_out().insert_header(("sec-fetch-site", "same-site")),
        sign_out().insert_header(("sec-fetch-site", "none")),
        sign_out().insert_header((ORIGIN, "null")),
        sign_out().insert_header((ORIGIN, "http://b.example")),
        sign_out().insert_header((ORIGIN, "http://a.example.b.example")),
        sign_out()
            .insert_header((ORIGIN, "http://a.example"))
            .insert_header(("sec-fetch-site", "cross-site")),
    ] {
        let reply = service.send(foreign).await;
        assert_eq!((reply.status, reply.header("set-cookie")), (403, ""));
    }
    assert_eq!(browser.get("/console/").await.status, 200);
    let sign_in = form_to(SIGN_IN, &format!("api_key={}", service.operator_key("Acme")));
    assert_eq!(service.send(sign_in).await.status, 403);
    let own = service.send(sign_out().insert_header((ORIGIN, "http://a.example"))).await;
    assert_eq!(own.status, 303);
}

#[actix_web::test]
async fn only_forms_are_taken() {
    let service = TestService::new();
    let json = TestRequest::post().uri(SIGN_IN).insert_header(("sec-fetch-site", "same-origin"));
    let reply = service.send(json.insert_header((CONTENT_TYPE, "application/json")).set_payload("{}")).await;
    assert_eq!(reply.status, 415);
    assert_eq!(outside(&service).post(SIGN_IN, &format!("api_key={}", "x".repeat(20_000))).await.status, 413);
    assert_eq!(outside(&service).post(SIGN_IN, "api_key=%ff").await.status, 403);
}

#[actix_web::test]
async fn sign_ins_are_limited() {
    let service = TestService::new();
    let mut browser = outside(&service);
    let refused = loop {
        let reply = browser.sign_in("cut_live_guess").await;
        if reply.status != 403 {
            break reply;
        }
    };
    assert_eq!((refused.status, refused.header("retry-after")), (429, "1"));
    assert!(refused.text().contains("Too many attempts"));
}

#[actix_web::test]
async fn the_request_rate_of_a_session_is_limited() {
    let service = TestService::new();
    let (mut browser, mut other) = (service.browser().await, service.browser().await);
    let refused = loop {
        let reply = browser.get("/console/").await;
        if reply.status != 200 {
            break reply;
        }
    };
    assert_eq!((refused.status, refused.header("retry-after")), (429, "1"));
    assert!(refused.header("content-type").starts_with("text/html"));
    assert_eq!(other.get("/console/").await.status, 200, "another key");
}

#[actix_web::test]
async fn behind_tls_the_cookie_is_for_tls_alone() {
    let trusted = Config { trusted_proxies: vec!["10.0.0.1".parse().unwrap()], ..Config::default() };
    let service = TestService::with(trusted);
    let key = service.operator_key("Acme");
    let cookie = async |peer: &str, headers: &[(&str, &str)]| {
        let form = form_to(SIGN_IN, &format!("api_key={key}")).peer_addr(peer.parse().unwrap());
        let add = |form: TestRequest, header: &(&str, &str)| form.insert_header(*header);
        service.send(headers.iter().fold(form, add)).await.header("set-cookie").to_owned()
    };
    let same = ("sec-fetch-site", "same-origin");
    for (peer, scheme, is_secure) in [
        ("10.0.0.1:9", "https", true),
        ("10.0.0.1:9", "HTTPS", true),
        ("10.0.0.1:9", "https, http", true),
        ("10.0.0.1:9", "http, https", false),
        ("10.0.0.2:9", "https", false),
    ] {
        let set = cookie(peer, &[("host", "localhost:80"), same, ("x-forwarded-proto", scheme)]).await;
        assert_eq!(set.contains("; Secure"), is_secure, "{peer} {scheme} {set}");
    }
    // Browsers send `Sec-Fetch-Site` only over TLS or to the local computer.
    for (host, header, is_secure) in [
        ("a.example", same, true),
        ("a.example", ("origin", "http://a.example"), false),
        ("127.0.0.1:80", same, false),
    ] {
        let set = cookie("10.0.0.2:9", &[("host", host), header]).await;
        assert!(set.contains("HttpOnly") && set.contains("; Secure") == is_secure, "{host} {set}");
    }
}

#[actix_web::test]
async fn the_console_can_be_left_out() {
    for config in
        [Config { console: false, ..Config::default() }, Config { serve_api: false, ..Config::default() }]
    {
        let service = TestService::with(config);
        for path in ["/console/", SIGN_IN, &super::super::assets::assets().style] {
            assert_eq!(outside(&service).get(path).await.status, 404, "{path}");
        }
    }
}

#[actix_web::test]
async fn refused_sign_ins_are_logged_with_the_public_part_of_a_key_at_most() {
    let service = TestService::new();
    log::keep();
    let mut browser = outside(&service);
    assert_eq!(browser.sign_in(&service.key).await.status, 403);
    assert_eq!(browser.sign_in("hunter2").await.status, 403);
    browser.get("/console/").await;
    browser.cookie = Some("cutover_console=hunter2".into());
    browser.get("/console/").await;
    let lines = log::take();
    let lines: Vec<_> = lines.iter().filter(|line| line.starts_with("cutover::auth ")).collect();
    let ends = [
        format!(r#"attempt="console_sign_in" outcome="wrong_role" key="{}""#, &service.key[..17]),
        r#"attempt="console_sign_in" outcome="malformed""#.to_owned(),
        r#"attempt="console_page" outcome="malformed""#.to_owned(),
    ];
    assert_eq!(lines.len(), ends.len(), "{lines:#?}");
    for (line, end) in lines.iter().zip(ends) {
        assert!(line.ends_with(&end), "{line} ends otherwise than {end}");
    }
}
