use super::seed;
use super::site::{Site, failed};
use super::table;
use crate::bench::Args;
use crate::bench::load::download;
use crate::bench::server::{Installation, SUPPLIER};
use crate::bench::stats::{median, ratios};
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
pub(in crate::bench) fn compare(args: &Args) -> Result<(), Error> {
    let (kit, site, count) = (args.kit()?, Site::start(&[])?, args.count(ACCOUNTS));
    site.create(DATABASE)?;
    let installation = Installation::on(args, "bench-pg-list", site.url(DATABASE))?;
    seed::mixed(&site, DATABASE, SUPPLIER, count)?;
    let servers = [installation.serve(false, &["--role", "api"])?];
    let token = installation.token(&servers[0])?;
    let path = format!("/v1/data-import/all-account-import-processes/{SUPPLIER}/");
    let (mut ours, mut cpu, mut first, mut theirs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..args.rounds {
        theirs.push(copied(&kit, &site)?);
        let (list, cost) = site.measure(&servers, || download(servers[0].address, &path, &token))?;
        if list.bytes < count * 80 {
            return Err(Error::Bench(format!("the list had {} bytes only", list.bytes)));
        }
        ours.push(list.whole.as_secs_f64());
        cpu.push(cost.cpu);
        first.push(list.first_byte.as_secs_f64() * 1e3);
    }
    println!("\nThe list of {count} accounts on PostgreSQL, {} rounds in turn", args.rounds);
    println!("  {}", site.described()?);
    table::heads(&["seconds", "CPU seconds", "first byte, ms"]);
    table::line("ours: HTTP and JSON", &[&ours, &cpu, &first]);
    table::line("COPY text into the kit's formatter", &[&theirs]);
    println!("  ratio of seconds: {}", median(&ratios(&ours, &theirs)));
    Ok(())
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
