use super::Args;
use super::figure::{Figure, Unit};
use super::load::{Arrival, download};
use super::seed::{SMALL, processes};
use super::server::{Installation, SUPPLIER, Server};
use super::stats::{in_thousands, percentile, ratios};
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
pub(super) fn compare(args: &Args) -> Result<Vec<Figure>, Error> {
    let (rounds, count) = (args.rounds, args.count(ACCOUNTS));
    let installation = Installation::new(args, "bench-lists")?;
    installation.command(&["supplier", "add", SMALL, "--organisation", "Bench"])?;
    processes(&installation, SUPPLIER, 1, count)?;
    processes(&installation, SMALL, count + 1, FEW)?;
    let server = installation.serve(false, &["--role", "api"])?;
    let token = installation.token(&server)?;
    let (mut ours, mut shell, mut first, mut memory) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        shell.push(export(&installation)?);
        let before = server.forget_peak().unwrap_or_default();
        let Arrival { first_byte, whole, bytes } = download(server.address, &path("all", SUPPLIER), &token)?;
        let grown = server.peak_kilobytes().unwrap_or_default().saturating_sub(before);
        memory.push(grown as f64 / 1024.0);
        if bytes < count * 80 {
            return Err(Error::Bench(format!("the list had {bytes} bytes only")));
        }
        ours.push(whole.as_secs_f64());
        first.push(first_byte.as_secs_f64() * 1e3);
    }
    let mut figures = vec![
        Figure::new(
            "lists.sqlite",
            format!(
                "list of {} accounts on SQLite, HTTP and JSON, in order of creation",
                in_thousands(count)
            ),
            Unit::Seconds,
            &ours,
        ),
        Figure::new(
            "lists.sqlite.of_shell",
            "… as a multiple of the `sqlite3` shell's export of the same columns in the same order",
            Unit::Ratio,
            &ratios(&ours, &shell),
        )
        .at_most(2.0),
        Figure::new("lists.sqlite.first_byte", "… its first byte", Unit::Milliseconds, &first).at_most(50.0),
        Figure::new(
            "lists.sqlite.memory",
            "… growth of the server's memory meanwhile",
            Unit::Megabytes,
            &memory,
        )
        .at_most(16.0),
    ];
    figures.extend(beside(&server, &token)?);
    Ok(figures)
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
fn beside(server: &Server, token: &str) -> Result<Vec<Figure>, Error> {
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
    let figure = |id: &str, what: &str, times: &[f64], hundredths| {
        Figure::new(id, what, Unit::Milliseconds, &[percentile(times, hundredths)])
    };
    Ok(vec![
        figure("lists.small.p50", "… a supplier with 10 accounts alone, p50", &alone, 50),
        figure("lists.small.p99", "… p99", &alone, 99),
        figure("lists.small.beside.p50", "… beside that list, p50", &together, 50),
        figure("lists.small.beside.p99", "… p99", &together, 99),
    ])
}
