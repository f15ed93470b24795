//! Failure 17: slow, idle or many clients delay nobody else.
//!
//! Each test measures other clients without and with the attack: the 99th percentile must stay within
//! [`FACTOR`] times the first, or below [`ALWAYS_GOOD`], which a busy machine may reach by itself.

use crate::harness::{ACCOUNTS, Client, GRAPHQL, Installation, Server, VALIDATE, wait_until};
use crate::payloads::small;
use cutover_testkit_postgres::psql;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const FACTOR: u32 = 20;
const ALWAYS_GOOD: Duration = Duration::from_millis(400);
/// Number of requests per measurement.
const REQUESTS: usize = 300;
const SILENT: usize = 10_000;

fn open(options: &[&str]) -> (Installation, Server, Client) {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve_with(options);
    let client = server.client(&key);
    (installation, server, client)
}

/// The 99th percentile of a supplier's requests; every answer must be a success.
fn p99(client: &Client, label: &str) -> Duration {
    let mut took: Vec<Duration> = (0..REQUESTS)
        .map(|n| {
            let begun = Instant::now();
            match n % 3 {
                0 => assert_eq!(client.create(&small(&format!("{label}-{n}"))).status, 201),
                1 => assert_eq!(client.get(&format!("{ACCOUNTS}ACME/{label}-0/")).status, 200),
                _ => assert_eq!(client.post(VALIDATE, small("V-1").to_string()).status, 200),
            }
            begun.elapsed()
        })
        .collect();
    took.sort_unstable();
    took[REQUESTS * 99 / 100 - 1]
}

fn assert_bounded(quiet: Duration, attacked: Duration, what: &str) {
    println!("{what}: p99 of the others {quiet:?} without, {attacked:?} with");
    assert!(attacked < (quiet * FACTOR).max(ALWAYS_GOOD), "{what}: {quiet:?} without, {attacked:?} with");
}

/// Sends a byte repeatedly until the server ends the connection; returns the answer and the duration.
fn drip(client: &Client, begin: &str) -> (String, Duration) {
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
        assert!(begun.elapsed() < Duration::from_secs(45), "it is borne without end");
    }
    (String::from_utf8_lossy(&answer).into_owned(), begun.elapsed())
}

/// The timeouts run from the first byte to the last: a byte in time does not extend them.
#[test]
fn slow_clients_are_disconnected_and_delay_nobody() {
    let (installation, _server, client) =
        open(&["--head-timeout", "2s", "--body-timeout", "2s", "--rate-limit", "0"]);
    let quiet = p99(&client, "Q");
    let token = client.token.as_deref().unwrap();
    let body = format!(
        "POST {ACCOUNTS} HTTP/1.1\r\nHost: x\r\nAuthorization: Token {token}\r\nContent-Length: 9999\r\n\r\n{{"
    );
    let attacked = std::thread::scope(|scope| {
        let slow: Vec<_> = (0..48)
            .map(|n| {
                let (begin, client) = (["GET /healthz HTTP/1.1\r\nHost: x", &body][n % 2], &client);
                scope.spawn(move || drip(client, begin))
            })
            .collect();
        let attacked = p99(&client, "A");
        for thread in slow {
            let (answer, took) = thread.join().unwrap();
            assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{answer}");
            assert!(took < Duration::from_secs(30), "{took:?}");
        }
        attacked
    });
    assert_bounded(quiet, attacked, "48 clients of a byte now and then");
    assert_eq!(installation.count("ACME", "ERRORED"), 0);
}

/// The limit of open files.
fn open_files() -> usize {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let soft = limits.lines().find_map(|line| line.strip_prefix("Max open files")?.split_whitespace().next());
    soft.and_then(|soft| soft.parse().ok()).unwrap_or(1_024)
}

#[test]
fn thousands_of_silent_connections_delay_nobody() {
    let (_installation, server, client) = open(&["--head-timeout", "120s", "--rate-limit", "0"]);
    let quiet = p99(&client, "Q");
    let before = server.most_memory();
    // Half of the limit: other tests have files open, and the server has the other ends.
    let count = SILENT.min(open_files() / 2);
    let sockets: Vec<TcpStream> = (0..count).map(|_| TcpStream::connect(client.address).unwrap()).collect();
    let attacked = p99(&client, "A");
    assert_bounded(quiet, attacked, &format!("{count} silent connections"));
    if let (Some(before), Some(after)) = (before, server.most_memory()) {
        let each = (after - before) * 1024 / count as u64;
        println!("{each} bytes of memory for each of {count} silent connections");
        assert!(each < 64 << 10, "{each} bytes each");
    }
    drop(sockets);
    assert_eq!(server.anonymous().get("/readyz").status, 200);
}

/// Sends requests on several threads until the attack is over.
fn meanwhile<T>(threads: usize, attack: impl Fn() + Sync, work: impl FnOnce() -> T) -> T {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while !is_over.load(Ordering::SeqCst) {
                    attack();
                }
            });
        }
        let _end = End(&is_over);
        work()
    })
}

/// Ends an attack on drop.
struct End<'e>(&'e AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Per address 20 attempts a second are checked, with bursts of 100; others are told to wait.
#[test]
fn guessing_keys_is_limited_and_delays_nobody_else() {
    let (_installation, server, client) = open(&["--rate-limit", "0"]);
    let quiet = p99(&client, "Q");
    let (looked_at, refused) = (std::sync::Mutex::new(0_u64), std::sync::Mutex::new(0_u64));
    let begun = Instant::now();
    let guess = || {
        let key = format!("cut_live_{:08}_guess", *looked_at.lock().unwrap());
        let query = format!("mutation {{ obtainToken(input: {{apiKey: \"{key}\"}}) {{ token }} }}");
        let answer = server.anonymous().graphql(&query);
        match answer.status {
            200 => {
                assert!(answer.json()["errors"].is_array(), "{}", answer.text());
                *looked_at.lock().unwrap() += 1;
            }
            status => {
                assert_eq!((status, answer.code().1), (429, "throttled".to_owned()));
                assert!(answer.header("Retry-After").unwrap().parse::<u32>().unwrap() >= 1);
                *refused.lock().unwrap() += 1;
            }
        }
    };
    let attacked = meanwhile(4, guess, || {
        wait_until("guesses are refused", || *refused.lock().unwrap() > 100);
        p99(&client, "A")
    });
    let (looked_at, allowed) = (*looked_at.lock().unwrap(), 101 + 20 * (begun.elapsed().as_secs() + 1));
    println!(
        "{looked_at} guesses were looked at in {:?}, {} refused",
        begun.elapsed(),
        refused.lock().unwrap()
    );
    assert!(looked_at <= allowed, "{looked_at} guesses were looked at, {allowed} are allowed");
    assert_bounded(quiet, attacked, "guessed keys");
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
    let server = installation.serve_with(&["--rate-limit", "250"]);
    let (client, flooder) = (server.client(&key), server.client(&flooding));
    let quiet = p99(&client, "Q");
    let refused = std::sync::Mutex::new(0_u64);
    let flood = || {
        let answer = flooder.get(&format!("{ACCOUNTS}OTHERS/1/"));
        assert!(matches!(answer.status, 404 | 429), "{}", answer.text());
        if answer.status == 429 {
            *refused.lock().unwrap() += 1;
        }
    };
    let attacked = meanwhile(8, flood, || {
        wait_until("the flood is refused", || *refused.lock().unwrap() > 100);
        p99(&client, "A")
    });
    assert_bounded(quiet, attacked, "another organisation's flood");
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
        for n in 0..100 {
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
        installation.serve_with(&["--body-limit", "1MiB", "--body-timeout", "120s", "--rate-limit", "0"]);
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
    assert!((15..100).contains(&held.len()), "{} bodies are begun", held.len());
    for n in 0..50 {
        assert_eq!(client.create(&small(&format!("H-{n}"))).status, 201, "others have theirs");
    }
}
