use super::backup::Backup;
use super::cluster::{Cost, PostgresCluster};
use crate::Args;
use crate::error::Error;
use crate::figure::{Figure, Unit};
use crate::load::create_all;
use crate::server::{Installation, SUPPLIER, Server};
use crate::stats::{in_thousands, ratios};
use crate::workers;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Accounts of one supplier that a run creates and imports.
const ACCOUNTS: u64 = 60_000;
/// Number of slices, each created and then imported.
const SLICES: usize = 6;
const CONNECTIONS: usize = 32;
const DATABASE: &str = "snapshot";

/// Figures of the creates, or of the imports, of a slice.
#[derive(Debug, Clone, Copy)]
struct Step {
    a_second: f64,
    /// Microseconds of the database's CPU for each.
    cpu: f64,
    /// Bytes of WAL for each.
    wal: f64,
}

/// Figures of a slice.
#[derive(Debug, Clone, Copy)]
struct Slice {
    create: Step,
    import: Step,
}

type Pick = fn(&Slice) -> Step;

/// Name of each step, and its figures in a slice.
const STEPS: [(&str, Pick); 2] = [("create", |slice| slice.create), ("import", |slice| slice.import)];

/// Creates and imports of one supplier next to an open snapshot, in turn with the same without one, each in a
/// fresh database.
pub(crate) fn compare(args: &Args) -> Result<Vec<Figure>, Error> {
    let cluster = PostgresCluster::start(&[])?;
    let slice = args.payloads(ACCOUNTS).div_ceil(SLICES).max(1);
    let file = args.generator()?.accounts(slice * SLICES)?;
    let mut runs = Backup::ALL.map(|_| Vec::new());
    for _ in 0..args.rounds {
        for (backup, runs) in Backup::ALL.into_iter().zip(&mut runs) {
            println!("  {}", shown(backup));
            runs.push(run(args, &cluster, &file, slice, backup)?);
        }
    }
    Ok(figures(slice, &runs))
}

fn shown(backup: Backup) -> &'static str {
    match backup {
        Backup::None => "next to nothing",
        Backup::IdleTransaction => "next to an idle REPEATABLE READ transaction",
        Backup::Dump => "next to a running `pg_dump`",
    }
}

/// Creates and imports all slices in a new database.
fn run(
    args: &Args,
    cluster: &PostgresCluster,
    file: &Path,
    count: usize,
    backup: Backup,
) -> Result<Vec<Slice>, Error> {
    cluster.create(DATABASE)?;
    let installation = Installation::on(args, "bench-pg-snapshot", cluster.url(DATABASE))?;
    let server = installation.serve(false, &["--role", "api"])?;
    let mut lines = BufReader::new(std::fs::File::open(file).map_err(Error::file("open", file))?).lines();
    backup.during(cluster, DATABASE, || {
        (0..SLICES)
            .map(|_| {
                let bodies = lines.by_ref().take(count).collect::<Result<Vec<_>, _>>();
                let bodies = bodies.map_err(Error::file("read", file))?;
                let create = create(cluster, &installation, &server, &bodies)?;
                let import = import(cluster, &installation, bodies.len())?;
                println!(
                    "    {:.0} creates and {:.0} imports a second, {:.0} and {:.0} µs of the database's CPU each",
                    create.a_second, import.a_second, create.cpu, import.cpu
                );
                Ok(Slice { create, import })
            })
            .collect()
    })
}

fn create(
    cluster: &PostgresCluster,
    installation: &Installation,
    server: &Server,
    bodies: &[String],
) -> Result<Step, Error> {
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    let token = installation.token(server)?;
    let (done, mut cost) =
        cluster.measure(&[], || create_all(server.address, &token, &bodies, CONNECTIONS))?;
    cost.seconds = done.seconds;
    Ok(Step::of(bodies.len(), cost))
}

/// Imports the pending accounts by a worker process that was started while the supplier was paused.
fn import(cluster: &PostgresCluster, installation: &Installation, count: usize) -> Result<Step, Error> {
    installation.command(&["supplier", "set", SUPPLIER, "--status", "paused"])?;
    let servers = [installation.serve(false, &["--role", "worker"])?];
    let ((), cost) = cluster.measure(&[], || {
        installation.command(&["supplier", "set", SUPPLIER, "--status", "ongoing"])?;
        workers::wait(&servers, count as u64)
    })?;
    Ok(Step::of(count, cost))
}

impl Step {
    #[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
    fn of(count: usize, cost: Cost) -> Self {
        let count = count.max(1) as f64;
        Self {
            a_second: count / cost.seconds,
            cpu: cost.database_cpu * 1e6 / count,
            wal: cost.wal_bytes / count,
        }
    }
}

/// Figures of creates and imports by slices; the last slice also as a multiple of that without a snapshot.
fn figures(slice: usize, runs: &[Vec<Vec<Slice>>; 3]) -> Vec<Figure> {
    let mut figures = Vec::new();
    for (name, pick) in STEPS {
        for (backup, rounds) in Backup::ALL.into_iter().zip(runs) {
            figures.extend(of_step(slice, name, pick, backup, rounds, &runs[0]));
        }
    }
    figures
}

fn of_step(
    slice: usize,
    name: &str,
    pick: Pick,
    backup: Backup,
    rounds: &[Vec<Slice>],
    alone: &[Vec<Slice>],
) -> Vec<Figure> {
    let all = |figure: fn(Step) -> f64| -> Vec<f64> {
        rounds.iter().flatten().map(|slice| figure(pick(slice))).collect()
    };
    let last = |rounds: &[Vec<Slice>]| -> Vec<f64> {
        rounds.iter().filter_map(|slices| slices.last()).map(|slice| pick(slice).a_second).collect()
    };
    let slices = format!("by {} of {}", in_thousands(slice), in_thousands(slice * SLICES));
    let (id, what) = match backup {
        Backup::None => {
            (format!("pg.snapshot.{name}"), format!("{name}s of one supplier on PostgreSQL, M, {slices}"))
        }
        Backup::IdleTransaction => (format!("pg.snapshot.{name}.idle"), format!("… {}", shown(backup))),
        Backup::Dump => (format!("pg.snapshot.{name}.dump"), format!("… {}", shown(backup))),
    };
    let mut figures = vec![Figure::new(&id, what, Unit::PerSecond, &all(|step| step.a_second))];
    let last_slice = format!("… the last {}", in_thousands(slice));
    figures.push(Figure::new(format!("{id}.last"), &last_slice, Unit::PerSecond, &last(rounds)));
    if backup != Backup::None {
        let what = format!("{last_slice}, as a multiple of those next to nothing");
        let ratio = ratios(&last(rounds), &last(alone));
        figures.push(Figure::new(format!("{id}.of_alone"), what, Unit::Ratio, &ratio).at_least(0.9));
    }
    let cpu = Figure::new(
        format!("{id}.cpu"),
        "… the database's CPU for each",
        Unit::Microseconds,
        &all(|step| step.cpu),
    );
    figures.push(if id == "pg.snapshot.import" { cpu.at_most(600.0) } else { cpu });
    figures.push(Figure::new(
        format!("{id}.wal"),
        "… bytes of WAL for each",
        Unit::Bytes,
        &all(|step| step.wal),
    ));
    figures
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_slices_are_compared_with_those_without_a_snapshot() {
        let slice = |rate: f64| {
            let step = |a_second| Step { a_second, cpu: 500.0, wal: 1_000.0 };
            Slice { create: step(rate), import: step(rate / 10.0) }
        };
        let run = |rates: [f64; 2]| vec![rates.map(slice).to_vec()];
        let figures = figures(10_000, &[run([900.0, 1_000.0]), run([900.0, 500.0]), run([900.0, 950.0])]);
        let ratio: Vec<_> = figures
            .iter()
            .filter(|figure| figure.unit == Unit::Ratio)
            .map(|figure| (figure.id.as_str(), figure.measured.median, figure.verdict()))
            .collect();
        assert_eq!(
            ratio,
            [
                ("pg.snapshot.create.idle.of_alone", 0.5, "NOT MET"),
                ("pg.snapshot.create.dump.of_alone", 0.95, "met"),
                ("pg.snapshot.import.idle.of_alone", 0.5, "NOT MET"),
                ("pg.snapshot.import.dump.of_alone", 0.95, "met"),
            ]
        );
        assert_eq!(figures[0].what, "creates of one supplier on PostgreSQL, M, by 10,000 of 60,000");
        assert_eq!(figures.len(), 2 * (4 + 5 + 5));
    }
}
