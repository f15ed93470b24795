use super::{Config, Connection, sqlstate};
use cutover_testkit_machine::wait_for_count;
use cutover_testkit_postgres::{Cluster, ClusterOptions, Proxy, Server, Session, TestDatabase, server};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::result::{DatabaseErrorKind, Error};
use diesel::sql_types::{BigInt, Nullable, Text};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::Duration;

fn config(url: &str) -> Config {
    Config::parse(url).unwrap()
}

fn open(url: &str) -> Connection {
    Connection::open(&config(url)).unwrap()
}

fn refused(url: &str) -> String {
    Connection::open(&config(url)).err().unwrap().to_string()
}

fn database(server: &Server) -> TestDatabase {
    TestDatabase::create(server).unwrap()
}

define_sql_function! {
    fn repeat(text: Text, times: diesel::sql_types::Integer) -> Text;
}

/// The kind and the code of a server's error.
fn cause(error: &Error) -> (&DatabaseErrorKind, Option<&str>) {
    let Error::DatabaseError(kind, information) = error else {
        panic!("not an error of the database: {error}")
    };
    (kind, sqlstate(information.message()))
}

fn prepared(conn: &mut Connection) -> i64 {
    conn.batch_execute("CREATE TEMPORARY TABLE IF NOT EXISTS counted (prepared BIGINT)").unwrap();
    conn.batch_execute(
        "DELETE FROM counted; INSERT INTO counted SELECT count(*) FROM pg_prepared_statements",
    )
    .unwrap();
    let sum = diesel::dsl::sql::<Nullable<BigInt>>("SELECT max(prepared) FROM counted");
    sum.get_result::<Option<i64>>(conn).unwrap().unwrap()
}

#[test]
fn a_statement_is_prepared_once_for_each_connection() {
    let Some(server) = server() else { return };
    let database = database(server);
    let mut conn = open(database.url());
    let mut behind_proxy = Connection::open(&Config { prepares: false, ..config(database.url()) }).unwrap();
    for conn in [&mut conn, &mut behind_proxy] {
        for times in 0..3 {
            let text: String = diesel::select(repeat("ab", times)).get_result(conn).unwrap();
            assert_eq!(text.len(), 2 * usize::try_from(times).unwrap());
        }
    }
    assert_eq!((prepared(&mut conn), prepared(&mut behind_proxy)), (1, 0));
}

#[test]
fn values_of_any_length_are_exchanged() {
    let Some(server) = server() else { return };
    let database = database(server);
    let mut conn = open(database.url());
    for length in [0, 1, 32 << 10, 5 << 20] {
        let sent = "ä".repeat(length / 2);
        let text: String = diesel::select(repeat(&sent, 2)).get_result(&mut conn).unwrap();
        assert_eq!(text, sent.repeat(2));
    }
    let none = diesel::select(diesel::dsl::sql::<Nullable<Text>>("NULL::text"));
    assert_eq!(none.get_result::<Option<String>>(&mut conn), Ok(None));
    let rows = diesel::dsl::sql::<BigInt>("SELECT generate_series(1, 20000)::bigint");
    let rows: Vec<i64> = rows.load(&mut conn).unwrap();
    assert_eq!(rows, (1..=20_000).collect::<Vec<i64>>());
}

#[test]
fn a_refused_statement_leaves_the_connection_usable() {
    let Some(server) = server() else { return };
    let database = database(server);
    let mut conn = open(database.url());
    conn.batch_execute("CREATE TABLE t (id BIGINT PRIMARY KEY, b BIGINT NOT NULL CHECK (b > 0))").unwrap();
    let insert = |conn: &mut Connection, values: &str| {
        diesel::sql_query(format!("INSERT INTO t VALUES {values}")).execute(conn)
    };
    assert_eq!(insert(&mut conn, "(1, 1), (2, 2)"), Ok(2));
    let unique = insert(&mut conn, "(3, 3), (1, 1)").unwrap_err();
    assert!(matches!(cause(&unique), (DatabaseErrorKind::UniqueViolation, Some("23505"))), "{unique}");
    let check = insert(&mut conn, "(4, 0)").unwrap_err();
    assert!(matches!(cause(&check), (DatabaseErrorKind::CheckViolation, Some("23514"))), "{check}");
    let syntax = conn.batch_execute("SELECT 1; SELEC 2").unwrap_err();
    assert!(matches!(cause(&syntax), (DatabaseErrorKind::Unknown, Some("42601"))), "{syntax}");
    conn.batch_execute("SET statement_timeout = 10").unwrap();
    let late = diesel::sql_query("SELECT pg_sleep(60)").execute(&mut conn).unwrap_err();
    assert!(matches!(cause(&late), (DatabaseErrorKind::Unknown, Some("57014"))), "{late}");
    conn.batch_execute("SET statement_timeout = 0").unwrap();
    let failed = diesel::Connection::transaction::<(), Error, _>(&mut conn, |conn| {
        insert(conn, "(9, 9), (1, 1)").map(drop)
    });
    assert!(matches!(cause(&failed.unwrap_err()), (DatabaseErrorKind::UniqueViolation, _)));
    let stored = diesel::Connection::transaction(&mut conn, |conn| insert(conn, "(5, 5)"));
    assert_eq!(stored, Ok(1));
    let count = diesel::dsl::sql::<BigInt>("SELECT count(*) FROM t").get_result::<i64>(&mut conn);
    assert_eq!(count, Ok(3));
}

#[test]
fn a_session_that_is_ended_reports_the_reason() {
    let Some(server) = server() else { return };
    let database = database(server);
    let mut conn = open(database.url());
    let others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
        WHERE datname = current_database() AND application_name = 'cutover'";
    database.sql(others).unwrap();
    let ended = conn.batch_execute("SELECT 1").unwrap_err();
    assert_eq!(cause(&ended), (&DatabaseErrorKind::Unknown, Some("57P01")));
    let lost = conn.batch_execute("SELECT 1").unwrap_err();
    assert_eq!(cause(&lost), (&DatabaseErrorKind::ClosedConnection, None));
}

#[test]
fn a_silent_server_is_given_up() {
    let Some(server) = server() else { return };
    let database = database(server);
    let proxy = Proxy::before(database.url()).unwrap();
    let url = proxy.url_through(database.url()).unwrap();
    let mut conn = open(&url);
    proxy.hang();
    conn.set_answer_timeout(Some(Duration::from_millis(200))).unwrap();
    let silent = conn.batch_execute("SELECT 1").unwrap_err();
    assert_eq!(cause(&silent), (&DatabaseErrorKind::ClosedConnection, None));
    assert!(silent.to_string().contains("has not answered for 200 ms"), "{silent}");
    let separator = if url.contains('?') { '&' } else { '?' };
    let connecting = refused(&format!("{url}{separator}connect_timeout=1"));
    assert!(connecting.contains("has not answered in time"), "{connecting}");
    proxy.restore();
    open(&url).batch_execute("SELECT 1").unwrap();
}

#[test]
fn notifications_name_the_processes_that_sent_them() {
    let Some(server) = server() else { return };
    let database = database(server);
    let mut conn = open(database.url());
    conn.batch_execute("LISTEN a").unwrap();
    assert_eq!(conn.notifiers(), Ok(Vec::new()));
    let mut other = Session::open(database.url()).unwrap();
    other.run("NOTIFY a; NOTIFY b; NOTIFY a, 'x'").unwrap();
    // A notification is sent before the answer to a later query.
    let mut notifiers = Vec::new();
    wait_for_count("two notifications", 2, || {
        conn.batch_execute("SELECT 1").unwrap();
        notifiers.extend(conn.notifiers().unwrap());
        notifiers.len()
    });
    assert_eq!(notifiers.len(), 2);
    assert_eq!(notifiers[0], notifiers[1]);
}

/// Every way to authenticate, and the encryption that each mode asks for.
#[test]
fn passwords_and_certificates_are_checked() {
    let Some(cluster) = Cluster::for_test(&ClusterOptions { tls: true, ..ClusterOptions::fast() }) else {
        return;
    };
    let roles = "SET password_encryption = 'scram-sha-256'; \
        CREATE ROLE by_scram LOGIN PASSWORD 'p:\u{e4} 1'; CREATE ROLE by_password LOGIN PASSWORD 'p:\u{e4} 1'; \
        SET password_encryption = 'md5'; CREATE ROLE by_md5 LOGIN PASSWORD 'p:\u{e4} 1'";
    cluster.sql("postgres", roles).unwrap();
    let address = cluster.address();
    let url = cluster.url("postgres");
    let authority = url.split_once("sslrootcert=").unwrap().1;
    let at = |login: &str, query: &str| format!("postgres://{login}@{address}/postgres?{query}");
    let good = "p%3A%C3%A4%201";
    let folder = tempfile::tempdir().unwrap();
    for role in ["by_scram", "by_md5", "by_password"] {
        open(&at(&format!("{role}:{good}"), "sslmode=require"));
        let wrong = refused(&at(&format!("{role}:s3cret"), "sslmode=require"));
        assert!(wrong.contains("(SQLSTATE 28P01)") && !wrong.contains("s3cret"), "{wrong}");
        let missing = refused(&at(role, "sslmode=require"));
        assert!(missing.contains("asks for a password"), "{missing}");
        let file = folder.path().join("pgpass");
        std::fs::write(&file, format!("*:*:postgres:{role}:p\\:\u{e4} 1\n")).unwrap();
        open(&at(role, &format!("sslmode=require&passfile={}", file.display())));
    }
    let scram = format!("by_scram:{good}");
    for query in [
        "sslmode=prefer".to_owned(),
        "sslmode=require&channel_binding=require".to_owned(),
        "sslmode=require&channel_binding=disable".to_owned(),
        format!("sslmode=verify-ca&sslrootcert={authority}"),
        format!("sslmode=verify-full&sslrootcert={authority}"),
    ] {
        open(&at(&scram, &query));
    }
    let unbound = refused(&at(&format!("by_md5:{good}"), "sslmode=require&channel_binding=require"));
    assert!(unbound.contains("cannot bind the channel"), "{unbound}");
    let plain = refused(&at(&scram, "sslmode=disable"));
    assert!(plain.contains("no encryption"), "{plain}");
    let unknown = refused(&at(&scram, "sslmode=verify-full&sslrootcert=system"));
    assert!(unknown.contains("TLS: "), "{unknown}");
    // The certificate has another name: only `verify-full` cares.
    let elsewhere = |mode: &str| {
        let hosts = format!("postgres://{scram}@db.example:{}/postgres?hostaddr=127.0.0.1", address.port());
        format!("{hosts}&sslmode={mode}&sslrootcert={authority}")
    };
    open(&elsewhere("verify-ca"));
    let named = refused(&elsewhere("verify-full"));
    assert!(named.contains("not valid for name"), "{named}");
}

#[test]
fn the_first_server_of_the_wanted_kind_is_used() {
    let Some(server) = server() else { return };
    let database = database(server);
    let (login, place) = database.url().split_once('@').unwrap();
    let (address, rest) = place.split_once('/').unwrap();
    let query = if rest.contains('?') { '&' } else { '?' };
    // Nobody listens on port 1.
    let two = format!("{login}@127.0.0.1:1,{address}/{rest}{query}target_session_attrs=");
    for kind in ["any", "read-write", "primary", "prefer-standby"] {
        open(&format!("{two}{kind}"));
    }
    for kind in ["standby", "read-only"] {
        let why = refused(&format!("{two}{kind}"));
        let lines: Vec<&str> = why.lines().collect();
        assert!(lines.len() == 2 && lines[0].starts_with("127.0.0.1:1: "), "{why}");
        assert!(lines[1].ends_with("not of the kind in target_session_attrs"), "{why}");
    }
}

/// A server in between that accepts nobody and claims to be ready must not pass for one that proved who it is.
#[test]
fn a_server_that_is_ready_before_a_login_is_refused() {
    const READY: [u8; 6] = [b'Z', 0, 0, 0, 5, b'I'];
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        for _ in 0..2 {
            let (mut socket, _) = listener.accept().unwrap();
            socket.write_all(&READY).unwrap();
            // Until the client closes it; a reset may come instead.
            let _ = socket.read_to_end(&mut Vec::new());
        }
    });
    for binding in ["require", "prefer"] {
        let url = format!("postgres://me:secret@{address}/db?sslmode=disable&channel_binding={binding}");
        let why = refused(&url);
        assert!(why.contains("unexpected message"), "{why}");
    }
    server.join().unwrap();
}
