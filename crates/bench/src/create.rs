use crate::Args;
use crate::cpu;
use crate::error::Error;
use crate::figure::{Figure, Unit};
use crate::load::{Outcome, create_all, create_in_bulk};
use crate::postgres::{Cost, Pgbench, PostgresCluster, Rows};
use crate::program;
use crate::server::Installation;
use crate::stats::ratios;
use crate::yardstick::Kit;
use serde_json::Value;
use std::net::SocketAddr;

/// Accounts that a round creates.
const ACCOUNTS: u64 = 10_000;
const CONNECTIONS: usize = 32;
const BULKS: usize = 2;
/// Name of the database on PostgreSQL.
const DATABASE: &str = "creates";

/// Rates of creates on SQLite, round by round.
#[derive(Default)]
struct Rates {
    a_second: Vec<f64>,
    a_cpu_second: Vec<f64>,
}

/// Durable creates over HTTP, single and in bulk, in turn with the kit's inserts with 1 and with 100 rows per
/// commit.
pub(crate) fn on_sqlite(args: &Args) -> Result<Vec<Figure>, Error> {
    let kit = args.kit()?;
    let text = kit.read_accounts(args.payloads(ACCOUNTS))?;
    let bodies: Vec<&str> = text.lines().collect();
    let (mut ours, mut bulk) = (Rates::default(), Rates::default());
    let (mut single, mut batch) = (Vec::new(), Vec::new());
    for _ in 0..args.rounds {
        ours.add(args, |address, token| create_all(address, token, &bodies, CONNECTIONS))?;
        bulk.add(args, |address, token| create_in_bulk(address, token, &bodies, BULKS))?;
        let theirs = yardstick(&kit)?;
        single.push(best(&theirs, 1)?);
        batch.push(best(&theirs, 100)?);
    }
    let what = format!("durable creates on SQLite, {CONNECTIONS} connections, M, checked and compressed");
    let mut figures = ours.figures("create.sqlite", what);
    let of = |id: &str, what: &str, theirs: &[f64], ours: &Rates| {
        Figure::new(id, what, Unit::Ratio, &ratios(&ours.a_second, theirs))
    };
    let what = "… a second, as a multiple of the kit's 100 rows a commit, no HTTP, no checks";
    figures.push(of("create.sqlite.of_batch", what, &batch, &ours).at_least(0.6));
    figures.push(of("create.sqlite.of_single", "… of its one commit an insert", &single, &ours));
    figures.extend(bulk.figures("bulk.sqlite", format!("… the same in bulk over {BULKS} connections")));
    let what = "… a second, as a multiple of the kit's 100 rows a commit";
    figures.push(of("bulk.sqlite.of_batch", what, &batch, &bulk));
    Ok(figures)
}

impl Rates {
    /// A round on a new database.
    #[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
    fn add(
        &mut self,
        args: &Args,
        send: impl Fn(SocketAddr, &str) -> Result<Outcome, Error>,
    ) -> Result<(), Error> {
        let installation = Installation::new(args, "bench-create")?;
        let server = installation.serve(false, &["--role", "api"])?;
        let token = installation.token(&server)?;
        let before = cpu::of_process(server.pid());
        let done = send(server.address, &token)?;
        let used = cpu::of_process(server.pid()) - before;
        self.a_second.push(done.wanted as f64 / done.seconds);
        self.a_cpu_second.push(done.wanted as f64 / used);
        Ok(())
    }

    fn figures(&self, id: &str, what: String) -> Vec<Figure> {
        vec![
            Figure::new(id, what, Unit::PerSecond, &self.a_second),
            Figure::new(format!("{id}.cpu"), "… of the server", Unit::PerCpuSecond, &self.a_cpu_second),
        ]
    }
}

/// Durable creates over HTTP, in turn with pgbench's inserts of the same kind of payload.
pub(crate) fn on_postgres(args: &Args) -> Result<Vec<Figure>, Error> {
    let (kit, cluster) = (args.kit()?, PostgresCluster::start(&[])?);
    let text = kit.read_accounts(args.payloads(ACCOUNTS))?;
    let bodies: Vec<&str> = text.lines().collect();
    let pgbench = Pgbench { kit: &kit, cluster: &cluster, seconds: if args.quick { 1 } else { 5 } };
    let (mut ours, mut bulk, mut zstd, mut jsonb) =
        (Rows::default(), Rows::default(), Rows::default(), Rows::default());
    for _ in 0..args.rounds {
        ours.add(creates(args, &cluster, |address, token| create_all(address, token, &bodies, CONNECTIONS))?);
        bulk.add(creates(args, &cluster, |address, token| create_in_bulk(address, token, &bodies, BULKS))?);
        pgbench.prepare()?;
        zstd.add(pgbench.run("zstd", CONNECTIONS)?);
        jsonb.add(pgbench.run("jsonb", CONNECTIONS)?);
    }
    let what = format!("creates on PostgreSQL, {CONNECTIONS} connections, M, server and database");
    let mut figures = vec![
        ours.a_cpu_second("pg.create", &what),
        ours.ratio(
            "pg.create.of_zstd",
            "… as a multiple of the kit's zstd row by pgbench, as many clients",
            &zstd,
        )
        .at_least(0.8),
        ours.ratio("pg.create.of_jsonb", "… of its jsonb row", &jsonb).at_least(1.0),
    ];
    figures.extend(ours.further("pg.create"));
    figures.extend([
        bulk.a_cpu_second("pg.bulk", "… the same in bulk over 2 connections"),
        bulk.ratio("pg.bulk.of_zstd", "… as a multiple of the zstd row", &zstd).at_least(1.0),
    ]);
    figures.extend(bulk.further("pg.bulk"));
    Ok(figures)
}

fn creates(
    args: &Args,
    cluster: &PostgresCluster,
    send: impl Fn(SocketAddr, &str) -> Result<Outcome, Error>,
) -> Result<(f64, Cost), Error> {
    cluster.create(DATABASE)?;
    let installation = Installation::on(args, "bench-pg-create", cluster.url(DATABASE))?;
    let servers = [installation.serve(false, &["--role", "api"])?];
    let token = installation.token(&servers[0])?;
    let (done, mut cost) = cluster.measure(&servers, || send(servers[0].address, &token))?;
    cost.seconds = done.seconds;
    let stored =
        cluster.number(DATABASE, "SELECT count(*) FROM payloads JOIN processes ON id = process_id")?;
    if stored != done.wanted as f64 {
        return Err(Error::Bench(format!("{} accounts were created; {stored} are stored", done.wanted)));
    }
    Ok((stored, cost))
}

/// Runs the kit's inserts and returns their figures.
fn yardstick(kit: &Kit) -> Result<Vec<Value>, Error> {
    let mut command = program::command(kit.python());
    command
        .arg(kit.file("limits/sqlite_create.py"))
        .args(["1", "2"])
        .arg(kit.data("M"))
        .arg(program::scratch());
    let output = program::output(command).ok_or_else(|| Error::Bench("the yardstick failed".into()))?;
    Ok(output.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

/// Rows per second with this number of rows per commit, of text or compressed, whichever is faster.
fn best(rows: &[Value], batch: u64) -> Result<f64, Error> {
    let rows = rows.iter().filter(|row| row["batch"] == batch);
    let best = rows.filter_map(|row| row["values"][0].as_f64()).fold(0.0, f64::max);
    if best > 0.0 { Ok(best) } else { Err(Error::Bench("the yardstick gave no figure".into())) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_faster_variant_of_the_kit_counts() {
        let row = |mode, batch, rate| json!({"mode": mode, "batch": batch, "values": [rate]});
        let rows = [row("text", 1, 5.0), row("text", 100, 50.0), row("zstd", 1, 6.0), row("zstd", 100, 40.0)];
        assert_eq!((best(&rows, 1).unwrap(), best(&rows, 100).unwrap()), (6.0, 50.0));
        assert!(best(&rows, 10).is_err());
    }
}
