use super::Args;
use super::figure::{Figure, Unit};
use super::load::post_all;
use super::server::Installation;
use super::stats::in_thousands;
use crate::error::Error;
use std::time::{Duration, Instant};

/// How many accounts are imported.
const ACCOUNTS: u64 = 10_000;

/// Creates accounts, then imports them with the workers of one process.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
pub(super) fn measure(args: &Args) -> Result<Vec<Figure>, Error> {
    let count = usize::try_from(args.count(ACCOUNTS)).unwrap_or(usize::MAX);
    let file = args.kit()?.accounts(count)?;
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
    let written = server.written_bytes().map(|bytes| bytes as f64 / count as f64);
    let written = written.ok_or_else(|| Error::Bench("what the server wrote is not known".into()))?;
    let peak = server.peak_megabytes().map(|mb| mb as f64);
    let peak = peak.ok_or_else(|| Error::Bench("the server's memory is not known".into()))?;
    Ok(vec![
        Figure::new(
            "import.sqlite",
            format!("import of {} M accounts on SQLite", in_thousands(count)),
            Unit::PerSecond,
            &[count as f64 / seconds],
        ),
        Figure::new("import.sqlite.memory", "… the server's memory at its peak", Unit::Megabytes, &[peak])
            .at_most(200.0),
        Figure::new(
            "import.sqlite.written",
            "… what it writes to the disk for an account, its write-ahead log included",
            Unit::Bytes,
            &[written],
        ),
    ])
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
