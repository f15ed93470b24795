use super::Args;
use super::load::post_all;
use super::server::Installation;
use super::stats::{median, ratios};
use super::yardstick::Kit;
use crate::cargo;
use crate::error::Error;
use serde_json::Value;

/// How many accounts a round creates.
const ACCOUNTS: usize = 10_000;
const CONNECTIONS: usize = 32;

/// Durable creates over HTTP, in turn with the kit's inserts, one a commit.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
pub(super) fn compare(args: &Args) -> Result<(), Error> {
    let (kit, rounds) = (args.kit()?, args.rounds);
    let file = kit.accounts(ACCOUNTS)?;
    let text = std::fs::read_to_string(file).map_err(|e| Error::Bench(e.to_string()))?;
    let bodies: Vec<&str> = text.lines().collect();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
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
        theirs.push(yardstick(&kit)?);
    }
    println!("\nDurable creates of size M on SQLite, rows a second, {rounds} rounds of {ACCOUNTS}");
    println!("  ours, HTTP, {CONNECTIONS} connections, checked and compressed  {}", median(&ours));
    println!("  one commit an insert, no HTTP, no checks       {}", median(&theirs));
    println!("  ratio  {}  (goal: at least 1.5)", median(&ratios(&ours, &theirs)));
    Ok(())
}

/// Rows a second of the kit: the text row, one a commit.
fn yardstick(kit: &Kit) -> Result<f64, Error> {
    let mut command = cargo::command(kit.python());
    command
        .arg(kit.file("limits/sqlite_create.py"))
        .args(["1", "2"])
        .arg(kit.data("M"))
        .arg(cargo::scratch());
    let output = cargo::output(command).ok_or_else(|| Error::Bench("the yardstick failed".into()))?;
    let rows = output.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let best =
        rows.filter(|row| row["batch"] == 1).filter_map(|row| row["values"][0].as_f64()).fold(0.0, f64::max);
    if best > 0.0 { Ok(best) } else { Err(Error::Bench("the yardstick gave no figure".into())) }
}
