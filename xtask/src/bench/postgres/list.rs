use super::seed;
use super::site::{Site, failed};
use crate::bench::Args;
use crate::bench::figure::{Figure, Unit};
use crate::bench::load::download;
use crate::bench::server::{Installation, SUPPLIER};
use crate::bench::stats::{in_thousands, ratios};
use crate::bench::yardstick::Kit;
use crate::cargo;
use crate::error::Error;
use std::process::Stdio;
use std::time::Instant;

const ACCOUNTS: u64 = 1_000_000;
const DATABASE: &str = "lists";

/// The list of everything of a supplier, in turn with COPY of the same columns in the same order into the
/// kit's program that writes them as JSON.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
pub(in crate::bench) fn compare(args: &Args) -> Result<Vec<Figure>, Error> {
    let (kit, site, count) = (args.kit()?, Site::start(&[])?, args.count(ACCOUNTS));
    site.create(DATABASE)?;
    let installation = Installation::on(args, "bench-pg-list", site.url(DATABASE))?;
    seed::mixed(&site, DATABASE, SUPPLIER, count)?;
    let servers = [installation.serve(false, &["--role", "api"])?];
    let token = installation.token(&servers[0])?;
    let path = format!("/v1/data-import/all-account-import-processes/{SUPPLIER}/");
    let (mut ours, mut cpu, mut first, mut theirs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut memory, mut fastapi) = (Vec::new(), Vec::new());
    for _ in 0..args.rounds {
        fastapi.push(fastapi_style(&kit, count)?);
        theirs.push(copied(&kit, &site)?);
        let before = servers[0].forget_peak().unwrap_or_default();
        let (list, cost) = site.measure(&servers, || download(servers[0].address, &path, &token))?;
        if list.bytes < count * 80 {
            return Err(Error::Bench(format!("the list had {} bytes only", list.bytes)));
        }
        let grown = servers[0].peak_kilobytes().unwrap_or_default().saturating_sub(before);
        memory.push(grown as f64 / 1024.0);
        ours.push(list.whole.as_secs_f64());
        cpu.push(cost.cpu);
        first.push(list.first_byte.as_secs_f64() * 1e3);
    }
    Ok(vec![
        Figure::new(
            "pg.list",
            format!(
                "list of {} accounts on PostgreSQL, HTTP and JSON, in order of creation",
                in_thousands(count)
            ),
            Unit::Seconds,
            &ours,
        ),
        Figure::new("pg.list.cpu", "… CPU seconds of server and database", Unit::Seconds, &cpu),
        Figure::new(
            "pg.list.of_copy",
            "… as a multiple of `COPY` as text in that order into a formatter",
            Unit::Ratio,
            &ratios(&ours, &theirs),
        )
        .at_most(2.0),
        Figure::new("pg.list.first_byte", "… its first byte", Unit::Milliseconds, &first).at_most(50.0),
        Figure::new("pg.list.memory", "… growth of the server's memory meanwhile", Unit::Megabytes, &memory)
            .at_most(16.0),
        Figure::new(
            "pg.list.of_fastapi",
            "… as many times as fast as FastAPI's way, without its HTTP",
            Unit::Ratio,
            &ratios(&fastapi, &ours),
        )
        .at_least(6.0),
    ])
}

/// What the kit calls FastAPI's way.
const FASTAPI: &str = "Python: FastAPI style, fetchall + pydantic";

/// Seconds that FastAPI's way takes for as many, on a cluster of the kit's own.
fn fastapi_style(kit: &Kit, count: u64) -> Result<f64, Error> {
    let rows = count.to_string();
    let results =
        kit.measure("postgres", &["postgres", "--only", "list", "--rounds", "1", "--rows", &rows])?;
    let ways = results["list"].as_array().into_iter().flatten();
    let seconds = ways.filter(|way| way["name"] == FASTAPI).find_map(|way| way["s"][0].as_f64());
    seconds.ok_or_else(|| failed(format!("the kit has no figure of {FASTAPI:?}")))
}

/// Seconds that the kit's way takes, into nothing.
fn copied(kit: &Kit, site: &Site) -> Result<f64, Error> {
    let mut psql = site.command("psql", DATABASE);
    psql.args(["-qAtX", "-c"]).arg(format!(
        "COPY (SELECT external_account_number, service_account_number, \
           CASE WHEN state = 'PROCESSED' THEN latest_event_at END FROM processes \
           WHERE supplier_id = (SELECT id FROM suppliers WHERE code = '{SUPPLIER}') AND state <> 'CANCELLED' \
           ORDER BY created_at, id) TO STDOUT"
    ));
    let start = Instant::now();
    let mut psql = psql.stdout(Stdio::piped()).spawn().map_err(failed)?;
    let output = psql.stdout.take().ok_or_else(|| failed("psql has no output"))?;
    let mut formatter = cargo::command(kit.program("list_fmt"));
    formatter.stdin(output).stdout(Stdio::null());
    let is_written = cargo::succeeds(formatter)?;
    if !is_written || !psql.wait().map_err(failed)?.success() {
        return Err(failed("COPY failed"));
    }
    Ok(start.elapsed().as_secs_f64())
}
