use crate::error::Error;
use crate::figure::{Figure, RATIO, in_thousands, ratios};
use crate::load::curl;
use crate::server::{Installation, Server};
use crate::store::Store;
use crate::{Args, program};
use cutover_bench::accounts::SUPPLIER;
use std::process::Stdio;
use std::time::Instant;

/// Accounts of the supplier.
const ACCOUNTS: usize = 1_000_000;
/// 1 November 2026, in microseconds since 1970.
const START: u64 = 1_793_491_200_000_000;
/// State of the account `i`, as a migration that has come far leaves them: 70 % are imported, 15 % wait, 10 % have failed,
/// 5 % were cancelled.
const STATE: &str = "CASE WHEN i % 20 < 14 THEN 'PROCESSED' WHEN i % 20 < 17 THEN 'PENDING' \
    WHEN i % 20 < 19 THEN 'ERRORED' ELSE 'CANCELLED' END";

/// The whole list of a large supplier, next to the export of the same columns in the same order by the database's own
/// shell.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
pub(crate) fn measure(args: &Args, store: &Store) -> Result<Vec<Figure>, Error> {
    let count = args.count(ACCOUNTS);
    let installation = store.install(args)?;
    store.sql(&installation, &seed(store, count))?;
    store.sql(
        &installation,
        if let Store::Sqlite = store { "ANALYZE" } else { "VACUUM (ANALYZE) processes" },
    )?;
    let server = installation.serve(&["--role", "api"])?;
    let token = installation.token(&server)?;
    let (mut whole, mut first, mut grown) = (Vec::new(), Vec::new(), Vec::new());
    let (mut shell, mut cpu) = (Vec::new(), Vec::new());
    for _ in args.rounds() {
        shell.push(export(store, &installation)?);
        server.forget_peak()?;
        let before = server.memory()?;
        let ([first_byte, seconds], cost) =
            store.cost_of(Some(&server), || download(&server, &token, count))?;
        grown.push(server.peak_memory()? - before);
        whole.push(seconds);
        first.push(first_byte * 1e3);
        cpu.push(cost.cpu);
    }
    let (name, counted) = (store.name(), store.counted());
    let (than, goal) = match store {
        Store::Sqlite => ("… as a multiple of the `sqlite3` shell's export of the same", 2.0),
        Store::Postgres { .. } => ("… as a multiple of `COPY` of the same", 2.8),
    };
    let what =
        format!("list of {} accounts on {name}, HTTP and JSON, in order of creation", in_thousands(count));
    Ok(vec![
        Figure::new(what, " s", &whole),
        Figure::new(than, RATIO, &ratios(&whole, &shell)).at_most(goal),
        Figure::new(format!("… CPU seconds of {counted}"), " s", &cpu),
        Figure::new("… its first byte", " ms", &first).at_most(50.0),
        Figure::new("… growth of the server's memory meanwhile", " MB", &grown).at_most(16.0),
    ])
}

/// Seconds to the first byte, and to the last.
fn download(server: &Server, token: &str, count: usize) -> Result<[f64; 2], Error> {
    let path = format!("/v1/data-import/all-account-import-processes/{SUPPLIER}/");
    let mut command = curl(server.address, &path, Some(token));
    command.args([
        "--output",
        "/dev/null",
        "--write-out",
        "%{time_starttransfer} %{time_total} %{size_download}",
    ]);
    let output = program::output(command)?;
    let numbers: Vec<f64> = output.split(' ').filter_map(|number| number.parse().ok()).collect();
    match numbers[..] {
        [first, whole, bytes] if bytes as usize >= count * 80 => Ok([first, whole]),
        _ => Err(Error::Bench(format!("the list is incomplete: {output}"))),
    }
}

/// Seconds that the shell takes to write the list to nowhere.
fn export(store: &Store, installation: &Installation) -> Result<f64, Error> {
    let columns = "external_account_number, service_account_number, \
         CASE WHEN state = 'PROCESSED' THEN latest_event_at END";
    let query = format!(
        "SELECT {columns} FROM processes WHERE supplier_id = (SELECT id FROM suppliers WHERE code = '{SUPPLIER}') \
         AND state <> 'CANCELLED' ORDER BY created_at, id"
    );
    let mut command = match store {
        Store::Sqlite => {
            let mut command = program::command("sqlite3");
            command.args(["-batch", "-csv", "-readonly"]).arg(installation.database()).arg(query);
            command
        }
        Store::Postgres { .. } => {
            let mut command = store.postgres_program("psql")?;
            command.args(["-qAtX", "-c", &format!("COPY ({query}) TO STDOUT")]);
            command
        }
    };
    command.stdout(Stdio::null());
    let start = Instant::now();
    program::succeeds(command)?;
    Ok(start.elapsed().as_secs_f64())
}

/// Writes processes of the supplier straight into the database, a millisecond apart.
fn seed(store: &Store, count: usize) -> String {
    let (numbers, id, number, time, fingerprint) = match store {
        Store::Sqlite => (
            format!("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})"),
            "i",
            "printf('-%08d', i)",
            format!("{START} + i * 1000"),
            "zeroblob(32)",
        ),
        Store::Postgres { .. } => (
            format!("WITH n AS (SELECT i FROM generate_series(1, {count}) AS i)"),
            "nextval('process_ids')",
            "'-' || lpad(i::text, 8, '0')",
            format!("to_timestamp({START} / 1000000) + i * interval '1 ms'"),
            "decode(repeat('00', 32), 'hex')",
        ),
    };
    let is_dry_run = if let Store::Sqlite = store { "0" } else { "false" };
    format!(
        "{numbers}, p AS (SELECT {id} AS id, i, {number} AS number, {time} AS at, {STATE} AS state FROM n) \
         INSERT INTO processes (id, supplier_id, external_account_number, state, attempt, tries, version, \
           is_dry_run, due_at, created_at, modified_at, latest_event_at, error_code, error_detail, \
           error_causes, service_account_number, fingerprint) \
         SELECT id, (SELECT id FROM suppliers WHERE code = '{SUPPLIER}'), 'X' || number, state, 1, 1, 2, \
           {is_dry_run}, at, at, at, at, \
           CASE WHEN state = 'ERRORED' THEN 'import_process_failed_validation' END, \
           CASE WHEN state = 'ERRORED' THEN 'The account failed validation.' END, \
           CASE WHEN state = 'ERRORED' THEN '[[\"required\",\"customers.#.mobile\",0]]' END, \
           CASE WHEN state = 'PROCESSED' THEN 'A' || number END, {fingerprint} FROM p ORDER BY i;"
    )
}
