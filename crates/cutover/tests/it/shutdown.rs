use crate::harness::{ACCOUNTS, Client, Installation, NO_ADDRESS, wait_for_count, wait_until};
use crate::payloads::{fixture, small};
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Sends creates over several connections until the server refuses them, and runs the given action in the
/// middle; returns the numbers that were answered 201.
fn load(client: &Client, in_the_middle: impl FnOnce()) -> Vec<String> {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|part| {
                let stop = &stop;
                scope.spawn(move || {
                    let mut accepted = Vec::new();
                    for i in 0.. {
                        let number = format!("T-{part}-{i}");
                        let body = fixture("gas", &number).to_string();
                        let request = format!(
                            "POST {ACCOUNTS} HTTP/1.1\r\nHost: x\r\nAuthorization: Token {}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
                            client.token.as_ref().unwrap(), body.len());
                        if stop.load(Ordering::Relaxed) || !created(client, request.as_bytes()) {
                            return accepted;
                        }
                        accepted.push(number);
                    }
                    accepted
                })
            })
            .collect();
        wait_until("some are accepted", || client.get(&format!("{ACCOUNTS}ACME/T-0-30/")).status == 200);
        in_the_middle();
        let accepted = threads.into_iter().flat_map(|t| t.join().unwrap()).collect();
        stop.store(true, Ordering::Relaxed);
        accepted
    })
}

/// Every accepted account exists.
fn assert_kept(installation: &Installation, accepted: &[String]) {
    let kept = installation.run_json(&["process", "list", "ACME"]);
    let kept: BTreeSet<&str> =
        kept.as_array().unwrap().iter().map(|p| p["external_account_number"].as_str().unwrap()).collect();
    for number in accepted {
        assert!(kept.contains(number.as_str()), "{number} was answered 201 and is gone");
    }
}

/// Failure 25. SIGTERM under load: every 201 is durable, claims are released, and the exit is clean.
#[test]
fn a_stop_under_load_loses_nothing() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve();
    let client = server.client(&key);
    let accepted = load(&client, || server.signal("TERM"));
    let (code, _) = server.ended();
    assert_eq!(code, Some(0));
    assert_kept(&installation, &accepted);
    assert_eq!(installation.count("ACME", "IN_PROGRESS"), 0);
}

/// Failure 25. SIGKILL during the shutdown: every 201 is durable, and the next run imports each account once.
#[test]
fn an_interrupted_shutdown_loses_nothing() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve();
    let client = server.client(&key);
    let accepted = load(&client, || {
        server.signal("TERM");
        wait_until("it has heard", || server.log().contains("stopping: "));
        server.signal("KILL");
    });
    server.kill();
    assert_kept(&installation, &accepted);
    let server = installation.serve();
    let all = || installation.run_json(&["process", "list", "ACME"]).as_array().unwrap().clone();
    // On PostgreSQL, claims of a dead server are released when their lease ends.
    wait_for_count("all are imported", all().len(), || installation.count("ACME", "PROCESSED"));
    drop(server);
    let all = all();
    let accounts: BTreeSet<String> = all.iter().map(|p| p["service_identifier"].to_string()).collect();
    assert!(
        accounts.len() == all.len() && all.len() >= accepted.len(),
        "{} of {}",
        accounts.len(),
        all.len()
    );
    for number in accepted.iter().step_by(7) {
        let history = installation.history("ACME", number);
        assert_eq!(history.iter().filter(|event| *event == "imported").count(), 1, "{number}: {history:?}");
    }
    assert_eq!(installation.failed_checks(), [""; 0]);
}

/// Failure 25. A kept connection without a request is closed at the stop, and does not delay it.
#[test]
fn a_stop_closes_kept_connections() {
    // If it waited for them, it would do so for an hour.
    let installation = Installation::new();
    let server = installation.serve_with(&["--shutdown-timeout", "1h"]);
    let mut kept: Vec<_> = (0..20).map(|_| server.anonymous().connect()).collect();
    for stream in &mut kept {
        stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        let mut begin = [0; 15];
        stream.read_exact(&mut begin).unwrap();
        assert_eq!(&begin, b"HTTP/1.1 200 OK");
    }
    server.signal("TERM");
    let (code, log) = server.ended();
    assert_eq!(code, Some(0), "{log}");
    for mut stream in kept {
        // The rest of the answer, and the end.
        stream.read_to_end(&mut Vec::new()).unwrap();
    }
}

/// Failure 25. Readers that wait for events are answered, and go on from their link at another node. If the stop waited for
/// them, it would cut them off.
#[test]
fn a_stop_answers_readers_that_wait_for_events() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve_with(&["--shutdown-timeout", "10s"]);
    let client = server.client(&key);
    let mut readers: Vec<_> = (0..5).map(|_| client.connect()).collect();
    let token = client.token.as_ref().unwrap();
    let request = "GET /v2/data-import/events/?wait=30 HTTP/1.1\r\nHost: x\r\nAuthorization: Token";
    for reader in &mut readers {
        reader.write_all(format!("{request} {token}\r\n\r\n").as_bytes()).unwrap();
    }
    // The request for the metrics is one more.
    let waiting = "cutover_http_requests_in_flight 6\n";
    wait_until("all of them wait", || server.anonymous().get("/metrics").text().contains(waiting));
    server.signal("TERM");
    let (code, log) = server.ended();
    assert_eq!(code, Some(0), "{log}");
    for mut reader in readers {
        let mut answer = String::new();
        reader.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(answer.contains("; rel=\"next\"") && answer.ends_with("\r\n\r\n[]"), "{answer}");
    }
}

/// Failure 25. With a delay, load balancers see the coming stop while everything is still served; kept
/// connections close after an answer. A second signal exits at once.
#[test]
fn readiness_announces_a_stop_before_it_begins() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve_with(&["--shutdown-delay", "1h"]);
    let client = server.client(&key);
    let mut kept = server.anonymous().connect();
    let mut ask = || {
        kept.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        let mut answer = [0; 1024];
        let size = kept.read(&mut answer).unwrap();
        String::from_utf8_lossy(&answer[..size]).to_lowercase()
    };
    assert!(!ask().contains("connection: close"));
    server.signal("TERM");
    wait_until("it says so", || server.anonymous().get("/readyz").status == 503);
    assert_eq!(client.create(&small("S-1")).status, 201);
    let last = ask();
    assert!(last.starts_with("http/1.1 200") && last.contains("connection: close"), "{last}");
    assert_eq!(kept.read(&mut [0]).unwrap(), 0, "the connection is kept");
    server.signal("TERM");
    assert_eq!(server.ended().0, Some(130));
}

/// Returns true if a create was answered 201, and false if the server has stopped.
fn created(client: &Client, request: &[u8]) -> bool {
    let Ok(mut stream) = std::net::TcpStream::connect(client.address) else { return false };
    let mut answer = Vec::new();
    // An answer before the loss of the connection counts.
    let _ = stream.write_all(request).and_then(|()| stream.read_to_end(&mut answer));
    answer.starts_with(b"HTTP/1.1 201")
}

#[test]
fn health_readiness_and_metrics() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve();
    let client = server.client(&key);
    client.create(&small("S-1"));
    client.wait("S-1", "PROCESSED");
    let stranger = server.anonymous();
    assert_eq!(stranger.get("/healthz").status, 200);
    assert_eq!(stranger.get("/readyz").status, 200);
    let metrics = String::from_utf8(stranger.get("/metrics").body).unwrap();
    assert!(
        metrics
            .lines()
            .any(|l| !l.starts_with('#') && l.contains("/v2/data-import/accounts/") && l.contains("POST")),
        "{metrics}"
    );
    for line in [
        r#"cutover_processes_pending{supplier="ACME"} 0"#,
        r#"cutover_processes_ended{outcome="processed"} 1"#,
        "cutover_processes_running 0",
        "cutover_database_up 1",
    ] {
        assert!(metrics.lines().any(|l| l == line), "{line}: {metrics}");
    }
    assert!(!metrics.contains("S-1"));
}

/// A worker does not bind the address of the API; health and metrics use the admin address, or none.
#[test]
fn a_worker_listens_on_its_admin_address_or_nowhere() {
    let api = Installation::new();
    let server = api.serve();
    let taken = server.address.to_string();
    let installation = Installation::new();
    let beside = ["--role=worker", "--listen", &taken];
    let worker = installation.serve_with(&[&beside[..], &["--admin-listen", "127.0.0.1:0"]].concat());
    let stranger = worker.anonymous();
    for (path, status) in [("/healthz", 200), ("/readyz", 200), ("/metrics", 200), ("/console/sign-in/", 404)]
    {
        assert_eq!(stranger.get(path).status, status, "{path}");
    }
    worker.signal("TERM");
    assert_eq!(worker.ended().0, Some(0));

    let silent = installation.serve_with(&beside);
    assert_eq!(silent.address, NO_ADDRESS, "{}", silent.log());
    silent.signal("TERM");
    assert_eq!(silent.ended().0, Some(0));
}
