use super::Args;
use super::load::{Arrival, download};
use super::seed::{SMALL, processes};
use super::server::{Installation, SUPPLIER, Server};
use super::stats::{median, percentile, ratios};
use crate::cargo;
use crate::error::Error;
use std::process::Stdio;
use std::time::Instant;

/// How many accounts the large supplier has.
const ACCOUNTS: u64 = 1_000_000;
/// How many the small one has beside it.
const FEW: u64 = 10;
/// How often the small one asks.
const ASKED: usize = 300;

/// The list of everything of a large supplier, in turn with the export of the same columns in the same order
/// by the `sqlite3` shell; and a small supplier beside it.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
pub(super) fn compare(args: &Args) -> Result<(), Error> {
    let rounds = args.rounds;
    let installation = Installation::new(args, "bench-lists")?;
    installation.command(&["supplier", "add", SMALL, "--organisation", "Bench"])?;
    processes(&installation, SUPPLIER, 1, ACCOUNTS)?;
    processes(&installation, SMALL, ACCOUNTS + 1, FEW)?;
    let server = installation.serve(false, &["--role", "api"])?;
    let token = installation.token(&server)?;
    let (mut ours, mut shell, mut first) = (Vec::new(), Vec::new(), Vec::new());
    let mut memory = 0;
    for _ in 0..rounds {
        shell.push(export(&installation)?);
        let before = server.forget_peak().unwrap_or_default();
        let Arrival { first_byte, whole, bytes } = download(server.address, &path("all", SUPPLIER), &token)?;
        memory = memory.max(server.peak_kilobytes().unwrap_or_default().saturating_sub(before));
        if bytes < ACCOUNTS * 80 {
            return Err(Error::Bench(format!("the list had {bytes} bytes only")));
        }
        ours.push(whole.as_secs_f64());
        first.push(first_byte.as_secs_f64() * 1e3);
    }
    println!("\nThe list of {ACCOUNTS} accounts on SQLite, {rounds} rounds in turn");
    println!("  ours, HTTP and JSON, seconds     {}", median(&ours));
    println!("  the sqlite3 shell, seconds       {}", median(&shell));
    println!("  ratio  {}  (goal: at most 2)", median(&ratios(&ours, &shell)));
    println!("  first byte, ms  {}  (goal: at most 100)", median(&first));
    println!("  the server's memory grew by at most {} MB  (goal: under 32)", memory / 1024);
    beside(&server, &token)
}

fn path(list: &str, supplier: &str) -> String {
    format!("/v1/data-import/{list}-account-import-processes/{supplier}/")
}

/// Seconds that the shell takes, into nothing.
fn export(installation: &Installation) -> Result<f64, Error> {
    let mut command = cargo::command("sqlite3");
    command.arg("-batch").arg("-csv").arg("-readonly").arg(installation.database()).arg(format!(
        "SELECT external_account_number, service_account_number, \
         iif(state = 'PROCESSED', latest_event_at, NULL) FROM processes \
         WHERE supplier_id = (SELECT id FROM suppliers WHERE code = '{SUPPLIER}') AND state <> 'CANCELLED' \
         ORDER BY created_at, id"
    ));
    command.stdout(Stdio::null());
    let start = Instant::now();
    if !cargo::succeeds(command)? {
        return Err(Error::Bench("the sqlite3 shell failed".into()));
    }
    Ok(start.elapsed().as_secs_f64())
}

/// The small supplier's list alone, and while the large one's is read by others again and again.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
fn beside(server: &Server, token: &str) -> Result<(), Error> {
    let small = path("all", SMALL);
    let ask = || -> Result<Vec<f64>, Error> {
        let one = |_| Ok(download(server.address, &small, token)?.whole.as_secs_f64() * 1e3);
        (0..ASKED).map(one).collect()
    };
    let alone = ask()?;
    let stop = std::sync::atomic::AtomicBool::new(false);
    let together = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                // It only makes load; what fails here fails in the figures as well.
                let _ = download(server.address, &path("all", SUPPLIER), token);
            }
        });
        let together = ask();
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        together
    })?;
    let show =
        |times: &[f64]| format!("p50 {:.2} ms, p99 {:.2} ms", percentile(times, 50), percentile(times, 99));
    println!("  a supplier with {FEW} accounts, alone: {}", show(&alone));
    println!("  … beside the large list:        {}", show(&together));
    Ok(())
}
