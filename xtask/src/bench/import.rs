use super::Args;
use super::load::post_all;
use super::server::Installation;
use crate::error::Error;
use std::time::{Duration, Instant};

/// How many accounts are imported.
const ACCOUNTS: usize = 10_000;

/// Creates accounts, then imports them with the workers of one process.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
pub(super) fn measure(args: &Args) -> Result<(), Error> {
    let file = args.kit()?.accounts(ACCOUNTS)?;
    let text = std::fs::read_to_string(file).map_err(|e| Error::Bench(e.to_string()))?;
    let bodies: Vec<&str> = text.lines().collect();
    let installation = Installation::new(args, "bench-import")?;
    {
        let server = installation.serve(false, &["--role", "api"])?;
        let token = installation.token(&server)?;
        post_all(server.address, "/v2/data-import/accounts/", &token, &bodies, 32, 201)?;
    }
    let start = Instant::now();
    let server = installation.serve(false, &["--role", "all"])?;
    while pending(&installation)? {
        if start.elapsed() > Duration::from_secs(600) {
            return Err(Error::Bench("the import did not end within ten minutes".into()));
        }
        std::thread::park_timeout(Duration::from_millis(250));
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("\nImport of {ACCOUNTS} accounts of size M on SQLite");
    println!("  {:.0} accounts a second, {seconds:.1} s in all", ACCOUNTS as f64 / seconds);
    let peak = server.peak_megabytes().map_or("unknown".into(), |mb| format!("{mb} MB"));
    println!("  the server's memory at its peak: {peak}  (goal: under 200 MB)");
    Ok(())
}

/// Whether anything is still to be imported.
fn pending(installation: &Installation) -> Result<bool, Error> {
    for status in ["PENDING", "IN_PROGRESS"] {
        let list = installation.command(&["process", "list", "ACME_ENERGY", "--status", status])?;
        if list.as_array().is_none_or(|list| !list.is_empty()) {
            return Ok(true);
        }
    }
    Ok(false)
}
