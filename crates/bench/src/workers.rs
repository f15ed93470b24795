//! Progress of workers by their own metrics: queries to the database would count in what is measured.

use crate::error::Error;
use crate::load::Connection;
use crate::server::Server;
use std::time::{Duration, Instant};

/// Longest time for an import.
const DEADLINE: Duration = Duration::from_secs(900);

/// Waits until these servers have imported so many accounts together, dry runs included.
pub(crate) fn wait(servers: &[Server], accounts: u64) -> Result<(), Error> {
    let failed = |e: std::io::Error| Error::Bench(format!("the metrics could not be read: {e}"));
    let open = |server: &Server| Connection::open(server.address).map_err(failed);
    let mut connections = servers.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    let start = Instant::now();
    loop {
        let (mut processed, mut errored) = (0, 0);
        for connection in &mut connections {
            let (_, metrics) = connection.get("/metrics", "none").map_err(failed)?;
            processed += counter(&metrics, "cutover_worker_accounts_processed_total")?;
            processed += counter(&metrics, "cutover_worker_dry_runs_succeeded_total")?;
            errored += counter(&metrics, "cutover_worker_processes_errored_total")?;
        }
        if processed == accounts {
            return Ok(());
        }
        if errored > 0 || start.elapsed() > DEADLINE {
            return Err(Error::Bench(format!("{processed} accounts were imported, {errored} failed")));
        }
        std::thread::park_timeout(Duration::from_millis(20));
    }
}

fn counter(metrics: &str, name: &str) -> Result<u64, Error> {
    let value = metrics.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
    value.ok_or_else(|| Error::Bench(format!("there is no metric {name}")))
}
