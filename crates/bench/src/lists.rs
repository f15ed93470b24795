use crate::Args;
use crate::error::Error;
use crate::figure::{Figure, Unit};
use crate::load::{Arrival, download};
use crate::postgres::{PostgresCluster, failed};
use crate::program;
use crate::seed::{MIXED, SMALL, Target, processes_of};
use crate::server::{Installation, SUPPLIER, Server};
use crate::stats::{in_thousands, percentile, ratios};
use crate::yardstick::Kit;
use std::process::Stdio;
use std::time::Instant;

/// Accounts of the large supplier.
const ACCOUNTS: u64 = 1_000_000;
/// Accounts of the small supplier next to it.
const FEW: u64 = 10;
/// Number of lists that the small supplier asks for.
const ASKED: usize = 300;
/// Name of the database on PostgreSQL.
const DATABASE: &str = "lists";

/// Downloads of a list, round by round.
#[derive(Default)]
struct Downloads {
    seconds: Vec<f64>,
    /// Milliseconds until the first byte of the body.
    first_byte: Vec<f64>,
    /// Growth of the server's memory meanwhile, in MB.
    memory: Vec<f64>,
}

impl Downloads {
    /// Downloads the list of the large supplier.
    #[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
    fn add(&mut self, server: &Server, token: &str, count: u64) -> Result<(), Error> {
        let before = server.forget_peak().unwrap_or_default();
        let Arrival { first_byte, whole, bytes } = download(server.address, &path(SUPPLIER), token)?;
        if bytes < count * 80 {
            return Err(Error::Bench(format!("the list had {bytes} bytes only")));
        }
        let grown = server.peak_kilobytes().unwrap_or_default().saturating_sub(before);
        self.memory.push(grown as f64 / 1024.0);
        self.seconds.push(whole.as_secs_f64());
        self.first_byte.push(first_byte.as_secs_f64() * 1e3);
        Ok(())
    }

    fn whole(&self, id: &str, database: &str, count: u64) -> Figure {
        let count = in_thousands(count);
        let what = format!("list of {count} accounts on {database}, HTTP and JSON, in order of creation");
        Figure::new(id, what, Unit::Seconds, &self.seconds)
    }

    fn first_byte(&self, id: &str) -> Figure {
        let id = format!("{id}.first_byte");
        Figure::new(id, "… its first byte", Unit::Milliseconds, &self.first_byte).at_most(50.0)
    }

    fn memory(&self, id: &str) -> Figure {
        let id = format!("{id}.memory");
        Figure::new(id, "… growth of the server's memory meanwhile", Unit::Megabytes, &self.memory)
            .at_most(16.0)
    }
}

/// The whole list of a large supplier on SQLite, in turn with the export of the same columns in the same
/// order by the `sqlite3` shell; and the list of a small supplier at the same time.
pub(crate) fn on_sqlite(args: &Args) -> Result<Vec<Figure>, Error> {
    let (id, count) = ("lists.sqlite", args.count(ACCOUNTS));
    let installation = Installation::new(args, "bench-lists")?;
    installation.command(&["supplier", "add", SMALL, "--organisation", "Bench"])?;
    let target = Target::Sqlite(&installation);
    processes_of(target, SUPPLIER, MIXED, 1, count)?;
    processes_of(target, SMALL, MIXED, count + 1, FEW)?;
    let server = installation.serve(false, &["--role", "api"])?;
    let token = installation.token(&server)?;
    let (mut ours, mut shell) = (Downloads::default(), Vec::new());
    for _ in 0..args.rounds {
        shell.push(export(&installation)?);
        ours.add(&server, &token, count)?;
    }
    let what = "… as a multiple of the `sqlite3` shell's export of the same columns in the same order";
    let ratio = ratios(&ours.seconds, &shell);
    let mut figures = vec![
        ours.whole(id, "SQLite", count),
        Figure::new(format!("{id}.of_shell"), what, Unit::Ratio, &ratio).at_most(2.0),
        ours.first_byte(id),
        ours.memory(id),
    ];
    figures.extend(small_supplier(&server, &token)?);
    Ok(figures)
}

/// The same list on PostgreSQL, in turn with `COPY` of the same columns in the same order into the kit's
/// program that writes them as JSON.
pub(crate) fn on_postgres(args: &Args) -> Result<Vec<Figure>, Error> {
    let (id, count) = ("pg.list", args.count(ACCOUNTS));
    let (kit, cluster) = (args.kit()?, PostgresCluster::start(&[])?);
    cluster.create(DATABASE)?;
    let installation = Installation::on(args, "bench-pg-list", cluster.url(DATABASE))?;
    processes_of(Target::Postgres(&cluster, DATABASE), SUPPLIER, MIXED, 1, count)?;
    let servers = [installation.serve(false, &["--role", "api"])?];
    let token = installation.token(&servers[0])?;
    let (mut ours, mut cpu) = (Downloads::default(), Vec::new());
    let (mut copy, mut fastapi) = (Vec::new(), Vec::new());
    for _ in 0..args.rounds {
        fastapi.push(fastapi_style(&kit, count)?);
        copy.push(copied(&kit, &cluster)?);
        let ((), cost) = cluster.measure(&servers, || ours.add(&servers[0], &token, count))?;
        cpu.push(cost.cpu);
    }
    let of_copy = "… as a multiple of `COPY` as text in that order into a formatter";
    let of_fastapi = "… as many times as fast as FastAPI's way, without its HTTP";
    let (to_copy, to_fastapi) = (ratios(&ours.seconds, &copy), ratios(&fastapi, &ours.seconds));
    Ok(vec![
        ours.whole(id, "PostgreSQL", count),
        Figure::new("pg.list.cpu", "… CPU seconds of server and database", Unit::Seconds, &cpu),
        Figure::new("pg.list.of_copy", of_copy, Unit::Ratio, &to_copy).at_most(2.0),
        ours.first_byte(id),
        ours.memory(id),
        Figure::new("pg.list.of_fastapi", of_fastapi, Unit::Ratio, &to_fastapi).at_least(6.0),
    ])
}

fn path(supplier: &str) -> String {
    format!("/v1/data-import/all-account-import-processes/{supplier}/")
}

/// Seconds that the shell takes to write the list to nowhere.
fn export(installation: &Installation) -> Result<f64, Error> {
    let mut command = program::command("sqlite3");
    command.arg("-batch").arg("-csv").arg("-readonly").arg(installation.database()).arg(format!(
        "SELECT external_account_number, service_account_number, \
         iif(state = 'PROCESSED', latest_event_at, NULL) FROM processes \
         WHERE supplier_id = (SELECT id FROM suppliers WHERE code = '{SUPPLIER}') AND state <> 'CANCELLED' \
         ORDER BY created_at, id"
    ));
    command.stdout(Stdio::null());
    let start = Instant::now();
    if !program::succeeds(command)? {
        return Err(Error::Bench("the sqlite3 shell failed".into()));
    }
    Ok(start.elapsed().as_secs_f64())
}

/// The list of the small supplier alone, and while others read that of the large one.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
fn small_supplier(server: &Server, token: &str) -> Result<Vec<Figure>, Error> {
    let small = path(SMALL);
    let ask = || -> Result<Vec<f64>, Error> {
        let one = |_| Ok(download(server.address, &small, token)?.whole.as_secs_f64() * 1e3);
        (0..ASKED).map(one).collect()
    };
    let alone = ask()?;
    let stop = std::sync::atomic::AtomicBool::new(false);
    let together = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                // Only load: a failure here would fail the measurement as well.
                let _ = download(server.address, &path(SUPPLIER), token);
            }
        });
        let together = ask();
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        together
    })?;
    let figure = |id: &str, what: &str, times: &[f64], hundredths| {
        Figure::new(id, what, Unit::Milliseconds, &[percentile(times, hundredths)])
    };
    Ok(vec![
        figure("lists.small.p50", "… a supplier with 10 accounts alone, p50", &alone, 50),
        figure("lists.small.p99", "… p99", &alone, 99),
        figure("lists.small.beside.p50", "… beside that list, p50", &together, 50),
        figure("lists.small.beside.p99", "… p99", &together, 99),
    ])
}

/// Name of FastAPI's way in the kit's results.
const FASTAPI: &str = "Python: FastAPI style, fetchall + pydantic";

/// Seconds that FastAPI's way takes for the same number of rows, on a cluster of the kit.
fn fastapi_style(kit: &Kit, count: u64) -> Result<f64, Error> {
    let rows = count.to_string();
    let results =
        kit.measure("postgres", &["postgres", "--only", "list", "--rounds", "1", "--rows", &rows])?;
    let ways = results["list"].as_array().into_iter().flatten();
    let seconds = ways.filter(|way| way["name"] == FASTAPI).find_map(|way| way["s"][0].as_f64());
    seconds.ok_or_else(|| failed(format!("the kit has no figure of {FASTAPI:?}")))
}

/// Seconds that the kit's way takes to write the list to nowhere.
fn copied(kit: &Kit, cluster: &PostgresCluster) -> Result<f64, Error> {
    let mut psql = cluster.command("psql", DATABASE);
    psql.args(["-qAtX", "-c"]).arg(format!(
        "COPY (SELECT external_account_number, service_account_number, \
           CASE WHEN state = 'PROCESSED' THEN latest_event_at END FROM processes \
           WHERE supplier_id = (SELECT id FROM suppliers WHERE code = '{SUPPLIER}') AND state <> 'CANCELLED' \
           ORDER BY created_at, id) TO STDOUT"
    ));
    let start = Instant::now();
    let mut psql = psql.stdout(Stdio::piped()).spawn().map_err(failed)?;
    let output = psql.stdout.take().ok_or_else(|| failed("psql has no output"))?;
    let mut formatter = program::command(kit.program("list_fmt"));
    formatter.stdin(output).stdout(Stdio::null());
    let is_written = program::succeeds(formatter)?;
    if !is_written || !psql.wait().map_err(failed)?.success() {
        return Err(failed("COPY failed"));
    }
    Ok(start.elapsed().as_secs_f64())
}
