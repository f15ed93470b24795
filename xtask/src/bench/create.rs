use super::Args;
use super::figure::{Figure, Unit};
use super::load::post_all;
use super::server::Installation;
use super::stats::ratios;
use super::yardstick::Kit;
use crate::cargo;
use crate::error::Error;
use serde_json::Value;

/// How many accounts a round creates.
const ACCOUNTS: usize = 10_000;
const CONNECTIONS: usize = 32;

/// Durable creates over HTTP, in turn with the kit's inserts, one a commit and 100.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
pub(super) fn compare(args: &Args) -> Result<Vec<Figure>, Error> {
    let (kit, rounds) = (args.kit()?, args.rounds);
    let file = kit.accounts(ACCOUNTS)?;
    let text = std::fs::read_to_string(file).map_err(|e| Error::Bench(e.to_string()))?;
    let bodies: Vec<&str> = text.lines().collect();
    let (mut ours, mut single, mut batch) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let installation = Installation::new(args, "bench-create")?;
        let server = installation.serve(false, &["--role", "api"])?;
        let token = installation.token(&server)?;
        let done = post_all(server.address, "/v2/data-import/accounts/", &token, &bodies, CONNECTIONS, 201)?;
        if done.others > 0 {
            return Err(Error::Bench(format!("{} creates were refused", done.others)));
        }
        ours.push(done.wanted as f64 / done.seconds);
        drop(server);
        let theirs = yardstick(&kit)?;
        single.push(best(&theirs, 1)?);
        batch.push(best(&theirs, 100)?);
    }
    Ok(vec![
        Figure::new(
            "create.sqlite",
            format!("durable creates on SQLite, {CONNECTIONS} connections, M, checked and compressed"),
            Unit::PerSecond,
            &ours,
        ),
        Figure::new(
            "create.sqlite.of_batch",
            "… as a multiple of the kit's 100 rows a commit, no HTTP, no checks",
            Unit::Ratio,
            &ratios(&ours, &batch),
        )
        .at_least(0.6),
        Figure::new(
            "create.sqlite.of_single",
            "… of its one commit an insert",
            Unit::Ratio,
            &ratios(&ours, &single),
        ),
    ])
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
