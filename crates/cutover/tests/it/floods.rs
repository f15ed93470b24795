//! Failure 17: slow, idle or many clients do not keep others from being served.
//!
//! The attack lasts until the others have their answers, and no limit ends it before: a server that serves others only
//! afterwards fails the test, however slow the machine is.

use crate::harness::{
    ACCOUNTS, Cgroup, Client, GRAPHQL, Installation, STALLED, Server, StopOnDrop, VALIDATE, wait_for_count,
    wait_until,
};
use crate::payloads::small;
use cutover_testkit_postgres::psql;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Number of requests of others during an attack.
const REQUESTS: usize = 60;
const SLOW: usize = 48;
const SILENT: usize = 10_000;

fn open(options: &[&str]) -> (Installation, Server, Client) {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve_with(options);
    let client = server.client(&key);
    (installation, server, client)
}

/// Sends requests of a supplier; every answer must be a success.
fn others_are_served(client: &Client, requests: usize, mut between: impl FnMut()) {
    for n in 0..requests {
        match n % 3 {
            0 => assert_eq!(client.create(&small(&format!("O-{n}"))).status, 201),
            1 => assert_eq!(client.get(&format!("{ACCOUNTS}ACME/O-0/")).status, 200),
            _ => assert_eq!(client.post(VALIDATE, small("V-1").to_string()).status, 200),
        }
        between();
    }
}

/// The beginnings of a head and of a body.
fn beginnings(client: &Client) -> [String; 2] {
    let token = client.token.as_deref().unwrap();
    let body = format!(
        "POST {ACCOUNTS} HTTP/1.1\r\nHost: x\r\nAuthorization: Token {token}\r\nContent-Length: 9999\r\n\r\n{{"
    );
    ["GET /healthz HTTP/1.1\r\nHost: x".to_owned(), body]
}

#[test]
fn clients_of_a_byte_now_and_then_delay_nobody() {
    let (installation, _server, client) =
        open(&["--head-timeout", "1h", "--body-timeout", "1h", "--rate-limit", "0"]);
    let beginnings = beginnings(&client);
    let mut slow: Vec<TcpStream> = (0..SLOW).map(|_| client.connect()).collect();
    for (n, stream) in slow.iter_mut().enumerate() {
        stream.write_all(beginnings[n % 2].as_bytes()).unwrap();
    }
    let mut next = 0;
    others_are_served(&client, REQUESTS, || {
        slow[next % SLOW].write_all(b"x").unwrap();
        next += 1;
    });
    for stream in &mut slow {
        stream.set_nonblocking(true).unwrap();
        let seen = stream.read(&mut [0]);
        assert!(matches!(&seen, Err(error) if error.kind() == ErrorKind::WouldBlock), "{seen:?}");
    }
    assert_eq!(installation.count("ACME", "ERRORED"), 0);
}

/// Sends a byte repeatedly until the server ends the connection; returns the answer.
fn drip(client: &Client, begin: &str) -> String {
    let begun = Instant::now();
    let mut stream = client.connect();
    stream.write_all(begin.as_bytes()).unwrap();
    stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    let (mut answer, mut chunk) = (Vec::new(), [0; 1_024]);
    loop {
        match stream.read(&mut chunk) {
            Ok(0) => break,
            Ok(n) => answer.extend_from_slice(&chunk[..n]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                if answer.is_empty() && stream.write_all(b"x").is_err() {
                    break;
                }
            }
            Err(_) => break,
        }
        assert!(begun.elapsed() < STALLED, "it is borne without end");
    }
    String::from_utf8_lossy(&answer).into_owned()
}

/// The timeouts run from the first byte to the last: a byte in time does not extend them.
#[test]
fn slow_clients_are_disconnected() {
    let (_installation, _server, client) =
        open(&["--head-timeout", "2s", "--body-timeout", "2s", "--rate-limit", "0"]);
    std::thread::scope(|scope| {
        for begin in beginnings(&client) {
            let client = &client;
            scope.spawn(move || {
                let answer = drip(client, &begin);
                assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{answer}");
            });
        }
    });
}

/// The limit of open files.
fn open_files() -> usize {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let soft = limits.lines().find_map(|line| line.strip_prefix("Max open files")?.split_whitespace().next());
    soft.and_then(|soft| soft.parse().ok()).unwrap_or(1_024)
}

#[test]
fn thousands_of_silent_connections_delay_nobody() {
    let (_installation, server, client) = open(&["--head-timeout", "1h", "--rate-limit", "0"]);
    let before = server.most_memory();
    // Half of the limit: other tests have files open, and the server has the other ends.
    let count = SILENT.min(open_files() / 2);
    let sockets: Vec<TcpStream> = (0..count).map(|_| TcpStream::connect(client.address).unwrap()).collect();
    others_are_served(&client, REQUESTS, || {});
    if let (Some(before), Some(after)) = (before, server.most_memory()) {
        let each = (after - before) * 1024 / count as u64;
        println!("{each} bytes of memory for each of {count} silent connections");
        assert!(each < 64 << 10, "{each} bytes each");
    }
    drop(sockets);
    assert_eq!(server.anonymous().get("/readyz").status, 200);
}

/// Sends requests on several threads until the work is done.
fn meanwhile(threads: usize, attack: impl Fn() + Sync, work: impl FnOnce()) {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while !is_over.load(Ordering::SeqCst) {
                    attack();
                }
            });
        }
        let _stop = StopOnDrop(&is_over);
        work();
    });
}

/// Number of answers of two kinds.
#[derive(Default)]
struct Answers {
    served: AtomicUsize,
    refused: AtomicUsize,
}

impl Answers {
    fn refused(&self) -> usize {
        self.refused.load(Ordering::SeqCst)
    }
}

/// Per address 20 attempts a second are checked, with bursts of 100; others are told to wait.
#[test]
fn guessing_keys_is_limited_and_delays_nobody_else() {
    let (_installation, server, client) = open(&["--rate-limit", "0"]);
    let (answers, begun) = (Answers::default(), Instant::now());
    let guess = || {
        let key = format!("cut_live_{:08}_guess", answers.served.load(Ordering::SeqCst));
        let query = format!("mutation {{ obtainToken(input: {{apiKey: \"{key}\"}}) {{ token }} }}");
        let answer = server.anonymous().graphql(&query);
        match answer.status {
            200 => {
                assert!(answer.json()["errors"].is_array(), "{}", answer.text());
                answers.served.fetch_add(1, Ordering::SeqCst);
            }
            status => {
                assert_eq!((status, answer.code().1), (429, "throttled".to_owned()));
                assert!(answer.header("Retry-After").unwrap().parse::<u32>().unwrap() >= 1);
                answers.refused.fetch_add(1, Ordering::SeqCst);
            }
        }
    };
    meanwhile(4, guess, || {
        wait_for_count("guesses are refused", 10, || answers.refused());
        others_are_served(&client, REQUESTS, || {});
    });
    let (looked_at, allowed) =
        (answers.served.into_inner(), 101 + 20 * (begun.elapsed().as_secs() as usize + 1));
    assert!(looked_at <= allowed, "{looked_at} guesses were looked at, {allowed} are allowed");
    // A GET is not an attempt, and does not bypass the limit.
    assert_eq!(server.anonymous().get(GRAPHQL).status, 400);
}

/// Requests beyond an organisation's rate are refused to it alone.
#[test]
fn an_organisation_over_its_rate_does_not_affect_others() {
    let (installation, key) = Installation::with_supplier();
    installation.run_json(&["organisation", "add", "Other"]);
    installation.run_json(&["supplier", "add", "OTHERS", "--organisation", "Other"]);
    let flooding = installation.key("Other");
    // Every organisation may send twice as many at once, however fast.
    let server = installation.serve_with(&["--rate-limit", "10"]);
    let (client, flooder) = (server.client(&key), server.client(&flooding));
    let answers = Answers::default();
    let flood = || {
        let answer = flooder.get(&format!("{ACCOUNTS}OTHERS/1/"));
        assert!(matches!(answer.status, 404 | 429), "{}", answer.text());
        answers.refused.fetch_add(usize::from(answer.status == 429), Ordering::SeqCst);
    };
    meanwhile(8, flood, || {
        wait_for_count("the flood is refused", 10, || answers.refused());
        others_are_served(&client, 20, || {});
    });
}

/// A transaction that locks a table until it is dropped.
struct Lock(Child);

impl Lock {
    fn of(installation: &Installation, table: &str) -> Self {
        let mut psql = psql(installation.test_database().url()).unwrap();
        let mut psql = psql.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let script = format!("BEGIN; LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE; SELECT 1;\n");
        psql.stdin.as_mut().unwrap().write_all(script.as_bytes()).unwrap();
        let mut answer = [0];
        psql.stdout.as_mut().unwrap().read_exact(&mut answer).unwrap();
        Self(psql)
    }
}

impl Drop for Lock {
    /// psql ends without input.
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// Reads of one organisation that hang in the database use at most its share of connections.
#[test]
fn slow_reads_of_one_organisation_leave_connections_to_others() {
    let Some(installation) = Installation::on_postgres() else { return };
    let key = installation.add_supplier();
    installation.run_json(&["organisation", "add", "Other"]);
    installation.run_json(&["supplier", "add", "OTHERS", "--organisation", "Other"]);
    let reading = installation.key("Other");
    let server = installation.serve_with(&["--rate-limit", "0"]);
    let (client, reader) = (server.client(&key), server.client(&reading));
    // Progress is read from it, and accounts are not written to it.
    let lock = Lock::of(&installation, "process_counts");
    let read = || {
        let answer = reader.get("/v2/data-import/import-suppliers/OTHERS/progress/");
        assert!(matches!(answer.status, 200 | 503), "{}", answer.text());
    };
    meanwhile(64, read, || {
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
                       AND wait_event_type = 'Lock'";
        let hangs = || installation.sql(waiting).trim().parse::<u32>().unwrap() >= 8;
        wait_until("its share hangs", hangs);
        for n in 0..30 {
            let number = format!("S-{n}");
            assert_eq!(client.create(&small(&number)).status, 201, "others have theirs");
            assert_eq!(client.get(&format!("{ACCOUNTS}ACME/{number}/")).status, 200, "others have theirs");
        }
        // On a slow machine their statements may just have timed out; the next ones hang as well.
        wait_until("its share hangs still", hangs);
        drop(lock);
    });
}

/// Unfinished bodies fill at most the share of their organisation.
#[test]
fn unfinished_bodies_of_one_organisation_leave_room_for_others() {
    let (installation, key) = Installation::with_supplier();
    installation.run_json(&["organisation", "add", "Other"]);
    installation.run_json(&["supplier", "add", "OTHERS", "--organisation", "Other"]);
    let holding = installation.key("Other");
    // All bodies together use at most 32 MiB.
    let server =
        installation.serve_with(&["--body-limit", "1MiB", "--body-timeout", "1h", "--rate-limit", "0"]);
    let (client, holder) = (server.client(&key), server.client(&holding));
    let token = holder.token.as_deref().unwrap();
    let head = format!(
        "POST {ACCOUNTS} HTTP/1.1\r\nHost: x\r\nAuthorization: Token {token}\r\nContent-Length: 1048576\r\n\r\n"
    );
    let begun = [head.as_bytes(), &vec![b' '; (1 << 20) - 1]].concat();
    let mut account = small("H-1");
    account["import_supplier"] = "OTHERS".into();
    let fat = format!("{account}{}", " ".repeat(1 << 19));
    let mut held = Vec::new();
    wait_until("its share is used up", || {
        let mut stream = holder.connect();
        // A refused connection may be closed before all is sent.
        let _ = stream.write_all(&begun);
        held.push(stream);
        holder.post(ACCOUNTS, &fat).status == 503
    });
    assert!(held.len() >= 15, "{} bodies are begun", held.len());
    others_are_served(&client, REQUESTS, || {});
}

/// Bodies of nearly this size: valid ones of many transactions, and arrays of empty objects, which take most memory for
/// their size.
fn large_bodies(size: usize) -> [String; 3] {
    let transaction = json!({"transaction_id": "T-1", "transaction_date": "2026-10-01", "amount": "0.01", "type": "CREDIT"});
    let ledger = json!({"ledger_balance": "99.99", "last_statement_balance": "0.00",
        "current_statement_transactions": vec![transaction; 9_999]});
    let mut account = small(&format!("M-{size}"));
    account["import_supplier"] = "OTHERS".into();
    account["ledgers"] = vec![ledger; size / 900_000].into();
    let empty = |list: &str| {
        let inner = format!("{{\"{list}\":[{}]}}", vec!["{}"; 9_999].join(","));
        let count = size / (inner.len() + 1);
        format!(
            "{{\"import_supplier\":\"OTHERS\",\"supply_addresses\":[{}]}}",
            vec![inner.as_str(); count].join(",")
        )
    };
    [account.to_string(), empty("meter_points"), empty("property_administrators")]
}

/// Large bodies neither end a server with little memory nor keep others from being served.
#[test]
fn a_flood_of_large_bodies_stays_within_the_memory_limit() {
    for megabytes in [256, 512, 1_024] {
        let (installation, key) = Installation::with_supplier();
        installation.run_json(&["organisation", "add", "Other"]);
        installation.run_json(&["supplier", "add", "OTHERS", "--organisation", "Other"]);
        let flooding = installation.key("Other");
        let limit = format!("{megabytes}MiB");
        let threads = ["--http-workers", "2", "--workers", "2", "--rate-limit", "0"];
        let server = installation.serve_with(&[&["--memory-limit", &limit], &threads[..]].concat());
        let group = Cgroup::around(server.pid(), megabytes << 20);
        let (client, flooder) = (server.client(&key), server.client(&flooding));
        // The largest that are allowed with any memory, and with the least.
        let bodies = [large_bodies(8_300_000), large_bodies(2_700_000)].concat();
        let (next, answers) = (AtomicUsize::new(0), Mutex::new(BTreeMap::<u16, usize>::new()));
        let flood = || {
            let body = &bodies[next.fetch_add(1, Ordering::SeqCst) % bodies.len()];
            let status = flooder.post(ACCOUNTS, body).status;
            *answers.lock().unwrap().entry(status).or_default() += 1;
        };
        let count = |statuses: &[u16]| -> usize {
            let answers = answers.lock().unwrap();
            statuses.iter().filter_map(|status| answers.get(status)).sum()
        };
        meanwhile(12, flood, || {
            others_are_served(&client, REQUESTS / 10, || {});
            wait_for_count("bodies are decoded", 4, || count(&[201, 400]));
        });
        let known = [201, 400, 413, 503];
        let answers = answers.into_inner().unwrap();
        assert!(answers.keys().all(|status| known.contains(status)), "{limit}: {answers:?}");
        let is_limited = if group.is_some() { "" } else { ", without a control group" };
        let peak = server.most_memory();
        println!("{limit}{is_limited}: {answers:?}, {} MiB at most", peak.unwrap_or_default() >> 10);
        // The program itself is in memory as well, and not counted.
        if let (Some(peak), None) = (peak, &group) {
            assert!(peak >> 10 < megabytes + 64, "{limit}: {peak} KiB");
        }
        assert_eq!(server.anonymous().get("/readyz").status, 200, "{limit}");
        drop(server);
        drop(group);
    }
}
