use super::Args;
use super::cpu;
use super::figure::{Figure, Unit};
use super::load::{Outcome, bulk_all, post_all};
use super::server::Installation;
use super::stats::ratios;
use super::yardstick::Kit;
use crate::cargo;
use crate::error::Error;
use serde_json::Value;
use std::net::SocketAddr;

/// How many accounts a round creates.
const ACCOUNTS: u64 = 10_000;
const CONNECTIONS: usize = 32;
const BULKS: usize = 2;

/// What was created, round by round.
#[derive(Default)]
struct Rates {
    a_second: Vec<f64>,
    a_cpu_second: Vec<f64>,
}

/// Durable creates over HTTP, single and in bulk, in turn with the kit's inserts, one a commit and 100.
pub(super) fn compare(args: &Args) -> Result<Vec<Figure>, Error> {
    let kit = args.kit()?;
    let count = usize::try_from(args.count(ACCOUNTS)).unwrap_or(usize::MAX);
    let file = kit.accounts(count)?;
    let text = std::fs::read_to_string(&file).map_err(Error::file("read", &file))?;
    let bodies: Vec<&str> = text.lines().collect();
    let (mut ours, mut bulk) = (Rates::default(), Rates::default());
    let (mut single, mut batch) = (Vec::new(), Vec::new());
    for _ in 0..args.rounds {
        ours.add(args, |address, token| {
            post_all(address, "/v2/data-import/accounts/", token, &bodies, CONNECTIONS, 201)
        })?;
        bulk.add(args, |address, token| {
            bulk_all(address, "/v2/data-import/accounts/bulk/", token, &bodies, BULKS, 201)
        })?;
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
        if done.others > 0 {
            return Err(Error::Bench(format!("{} creates were refused", done.others)));
        }
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

/// What the kit's inserts come to.
fn yardstick(kit: &Kit) -> Result<Vec<Value>, Error> {
    let mut command = cargo::command(kit.python());
    command
        .arg(kit.file("limits/sqlite_create.py"))
        .args(["1", "2"])
        .arg(kit.data("M"))
        .arg(cargo::scratch());
    let output = cargo::output(command).ok_or_else(|| Error::Bench("the yardstick failed".into()))?;
    Ok(output.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

/// Rows a second with so many a commit, of text or compressed, whichever is quicker.
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
    fn the_quicker_way_of_the_kit_counts() {
        let row = |mode, batch, rate| json!({"mode": mode, "batch": batch, "values": [rate]});
        let rows = [row("text", 1, 5.0), row("text", 100, 50.0), row("zstd", 1, 6.0), row("zstd", 100, 40.0)];
        assert_eq!((best(&rows, 1).unwrap(), best(&rows, 100).unwrap()), (6.0, 50.0));
        assert!(best(&rows, 10).is_err());
    }
}
