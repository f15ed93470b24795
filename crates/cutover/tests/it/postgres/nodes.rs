use crate::documents::PDF;
use crate::harness::{Client, Installation, Server, wait_for_count, wait_until};
use crate::payloads::{documented, small};
use cutover_app::fault::Point;
use cutover_testkit_s3::{BUCKET, Fault, S3Server};

/// An installation with two API nodes on PostgreSQL, and their clients.
fn two_nodes() -> Option<(Installation, [Server; 2], [Client; 2])> {
    let installation = Installation::on_postgres()?;
    let key = installation.add_supplier();
    let servers = [(), ()].map(|()| installation.serve_with(&["--role", "api"]));
    let clients = [&servers[0], &servers[1]].map(|server| server.client(&key));
    Some((installation, servers, clients))
}

/// Number of accounts that a node has imported.
fn processed(server: &Server) -> usize {
    let metrics = server.anonymous().get("/metrics").text();
    let name = "cutover_worker_accounts_processed_total ";
    metrics.lines().find_map(|line| line.strip_prefix(name)?.parse().ok()).unwrap()
}

const ACCOUNTS: usize = 300;

#[test]
fn two_workers_share_the_accounts_of_two_nodes() {
    let Some((installation, _servers, clients)) = two_nodes() else { return };
    std::thread::scope(|scope| {
        for (part, client) in clients.iter().enumerate() {
            scope.spawn(move || {
                for i in (part..ACCOUNTS).step_by(2) {
                    assert_eq!(client.create(&small(&format!("N-{i}"))).status, 201);
                }
            });
        }
    });
    // An answer of one node is visible on the other.
    assert_eq!(clients[0].status("N-1")["status"], "PENDING");
    assert_eq!(clients[1].create(&small("N-0")).status, 201, "the same again");
    // One worker has claims, and waits with them until the other has imported some.
    let options = ["--role", "worker", "--workers", "1"];
    let (first, held) = installation.serve_held_after(0, Point::ImportReady, &options);
    held.wait();
    let workers = [first, installation.serve_with(&options)];
    wait_for_count("the second imports", 1, || processed(&workers[1]));
    held.release();
    wait_for_count("all are imported", ACCOUNTS, || installation.count("ACME", "PROCESSED"));
    let shares = [&workers[0], &workers[1]].map(processed);
    assert!(shares.iter().all(|share| *share > 0), "{shares:?}");
    assert_eq!(shares.iter().sum::<usize>(), ACCOUNTS, "each once");
    let numbers = "SELECT count(DISTINCT number) FROM accounts";
    assert_eq!(installation.sql(numbers), ACCOUNTS.to_string());
    let metrics = workers[0].anonymous().get("/metrics").text();
    let open = "cutover_database_connections_open ";
    let open = metrics.lines().find_map(|line| line.strip_prefix(open)?.parse::<u32>().ok()).unwrap();
    assert!((1..=16).contains(&open), "{open}");
}

/// Without notifications an account that follows an import waits for the next poll, five seconds later. With them a slow
/// machine may take as long at times, but not always.
#[test]
fn an_idle_worker_is_notified_of_accounts_on_another_node() {
    let Some((installation, _servers, [client, _])) = two_nodes() else { return };
    let _worker = installation.serve_with(&["--role", "worker"]);
    let waited = |number: &str| -> f64 {
        let waited = format!(
            "SELECT extract(epoch FROM max(h.occurred_at) FILTER (WHERE h.event = 'claimed') - min(h.occurred_at)) \
             FROM process_history h JOIN processes p ON p.id = h.process_id WHERE external_account_number = '{number}'"
        );
        installation.sql(&waited).parse().unwrap()
    };
    let (mut sent, mut at_once) = (0, 0);
    wait_for_count("three in a row are imported at once", 3, || {
        let number = format!("N-{sent}");
        client.import(&[small(&number)]);
        at_once = if waited(&number) < 2.0 { at_once + 1 } else { 0 };
        sent += 1;
        at_once
    });
}

/// On a SQLite file, a starting server releases work in progress: no other server can exist.
#[test]
fn a_node_that_starts_and_stops_leaves_the_claims_of_others_unchanged() {
    let storage = S3Server::start().unwrap();
    let Some(mut installation) = Installation::on_postgres() else { return };
    storage.environment().iter().for_each(|(name, value)| installation.set_variable(name, value));
    installation.set_variable("CUTOVER_DOCUMENTS_URL", &format!("s3://{BUCKET}"));
    let key = installation.add_supplier();
    installation.run_json(&["supplier", "set", "ACME", "--verify-documents", "true"]);
    storage.put("ACME/notes/call.txt", b"x").unwrap();
    storage.put("ACME/statements/s-1.pdf", PDF).unwrap();
    let first = installation.serve_with(&["--role", "api"]);
    let client = first.client(&key);
    assert_eq!(client.create(&documented("N-1")).status, 201);
    storage.set_fault(Fault::Silent);
    let _worker = installation.serve_with(&["--role", "worker"]);
    wait_until("the worker is at it", || storage.in_flight() > 0);
    for server in [first, installation.serve()] {
        server.signal("TERM");
        assert_eq!(server.ended().0, Some(0));
    }
    storage.set_fault(Fault::None);
    wait_until("it is imported", || installation.count("ACME", "PROCESSED") == 1);
    let history = installation.history("ACME", "N-1");
    assert!(!history.contains(&"released".to_owned()), "{history:?}");
}
