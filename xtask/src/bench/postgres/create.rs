use super::peers::Pgbench;
use super::rows::Rows;
use super::site::{Cost, Site};
use crate::bench::Args;
use crate::bench::figure::Figure;
use crate::bench::load::{Outcome, bulk_all, post_all};
use crate::bench::server::Installation;
use crate::error::Error;
use std::net::SocketAddr;

/// How many accounts a round creates.
const ACCOUNTS: u64 = 10_000;
const CONNECTIONS: usize = 32;
const BULKS: usize = 2;
const DATABASE: &str = "creates";

/// Durable creates over HTTP, in turn with pgbench's inserts of the same kind of payload.
pub(in crate::bench) fn compare(args: &Args) -> Result<Vec<Figure>, Error> {
    let count = usize::try_from(args.count(ACCOUNTS)).unwrap_or(usize::MAX);
    let (kit, site) = (args.kit()?, Site::start(&[])?);
    let text = std::fs::read_to_string(kit.accounts(count)?).map_err(|e| Error::Bench(e.to_string()))?;
    let bodies: Vec<&str> = text.lines().collect();
    let pgbench = Pgbench { kit: &kit, site: &site, seconds: if args.quick { 1 } else { 5 } };
    let (mut ours, mut bulk, mut zstd, mut jsonb) =
        (Rows::default(), Rows::default(), Rows::default(), Rows::default());
    for _ in 0..args.rounds {
        ours.add(creates(args, &site, |address, token| {
            post_all(address, "/v2/data-import/accounts/", token, &bodies, CONNECTIONS, 201)
        })?);
        bulk.add(creates(args, &site, |address, token| {
            bulk_all(address, "/v2/data-import/accounts/bulk/", token, &bodies, BULKS, 201)
        })?);
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
    site: &Site,
    send: impl Fn(SocketAddr, &str) -> Result<Outcome, Error>,
) -> Result<(f64, Cost), Error> {
    site.create(DATABASE)?;
    let installation = Installation::on(args, "bench-pg-create", site.url(DATABASE))?;
    let servers = [installation.serve(false, &["--role", "api"])?];
    let token = installation.token(&servers[0])?;
    let (done, mut cost) = site.measure(&servers, || send(servers[0].address, &token))?;
    cost.seconds = done.seconds;
    let stored = site.number(DATABASE, "SELECT count(*) FROM payloads JOIN processes ON id = process_id")?;
    if done.others > 0 || stored != done.wanted as f64 {
        return Err(Error::Bench(format!("{} creates were refused; {stored} are stored", done.others)));
    }
    Ok((stored, cost))
}
