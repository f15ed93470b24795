use crate::harness::{ACCOUNTS, House};
use crate::payloads::{fixture, small};
use std::sync::atomic::{AtomicBool, Ordering};

/// SIGTERM under load: every 201 is durable, claims are given back, the end is clean.
#[test]
fn a_stop_under_load_loses_nothing() {
    let (house, key) = House::furnished();
    let server = house.serve();
    let client = server.client(&key);
    let stop = AtomicBool::new(false);
    let accepted: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|part| {
                let (client, stop) = (client.clone(), &stop);
                scope.spawn(move || {
                    let mut accepted = Vec::new();
                    for i in 0.. {
                        let number = format!("T-{part}-{i}");
                        let body = fixture("gas", &number).to_string();
                        let request = format!(
                            "POST {ACCOUNTS} HTTP/1.1\r\nHost: x\r\nAuthorization: Token {}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
                            client.token.as_ref().unwrap(), body.len());
                        if stop.load(Ordering::Relaxed) || !created(&client, request.as_bytes()) {
                            return accepted;
                        }
                        accepted.push(number);
                    }
                    accepted
                })
            })
            .collect();
        crate::harness::until("some are accepted", || {
            client.get(&format!("{ACCOUNTS}ACME/T-0-30/")).status == 200
        });
        server.signal("TERM");
        let accepted = threads.into_iter().flat_map(|t| t.join().unwrap()).collect();
        stop.store(true, Ordering::Relaxed);
        accepted
    });
    let (code, _) = server.ended();
    assert_eq!(code, Some(0));
    let kept = house.done(&["process", "list", "ACME"]);
    let kept: Vec<&str> =
        kept.as_array().unwrap().iter().map(|p| p["external_account_number"].as_str().unwrap()).collect();
    for number in &accepted {
        assert!(kept.contains(&number.as_str()), "{number} was answered 201 and is gone");
    }
    assert_eq!(
        house.done(&["process", "list", "ACME", "--status", "IN_PROGRESS"]).as_array().unwrap().len(),
        0
    );
}

/// Whether a create was answered 201; a server that has stopped answers nothing.
fn created(client: &crate::harness::Client, request: &[u8]) -> bool {
    use std::io::{Read, Write};
    let Ok(mut stream) = std::net::TcpStream::connect(client.address) else { return false };
    let mut answer = Vec::new();
    let sent = stream.write_all(request).and_then(|()| stream.read_to_end(&mut answer));
    sent.is_ok() && answer.starts_with(b"HTTP/1.1 201")
}

#[test]
fn health_readiness_and_metrics() {
    let (house, key) = House::furnished();
    let server = house.serve();
    let client = server.client(&key);
    client.create(&small("S-1"));
    client.wait("S-1", "PROCESSED");
    let stranger = server.stranger();
    assert_eq!(stranger.get("/healthz").status, 200);
    assert_eq!(stranger.get("/readyz").status, 200);
    let metrics = String::from_utf8(stranger.get("/metrics").body).unwrap();
    assert!(
        metrics
            .lines()
            .any(|l| !l.starts_with('#') && l.contains("/v2/data-import/accounts/") && l.contains("POST")),
        "{metrics}"
    );
    assert!(!metrics.contains("S-1"));
}
