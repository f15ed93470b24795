use super::cluster::{PostgresCluster, failed};
use crate::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The holder of an open snapshot while accounts are created and imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Backup {
    /// No holder.
    None,
    /// An idle session in a transaction that has read.
    IdleTransaction,
    /// `pg_dump`, repeatedly.
    Dump,
}

/// Number of bytes of a dump that are read at once.
const CHUNK: usize = 64 << 10;
/// Pause after each of them: 2 MB a second. An unlimited dump would occupy a processor, which would be
/// measured instead of its snapshot.
const PAUSE: Duration = Duration::from_millis(32);

impl Backup {
    pub(super) const ALL: [Self; 3] = [Self::None, Self::IdleTransaction, Self::Dump];

    /// Does some work while the snapshot is open.
    pub(super) fn during<T>(
        self,
        cluster: &PostgresCluster,
        database: &str,
        work: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        match self {
            Self::None => work(),
            Self::IdleTransaction => during_transaction(cluster, database, work),
            Self::Dump => during_dumps(cluster, database, work),
        }
    }
}

fn during_transaction<T>(
    cluster: &PostgresCluster,
    database: &str,
    work: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    let mut psql = cluster.command("psql", database);
    psql.args(["-qAtX", "-v", "ON_ERROR_STOP=1"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut psql = psql.spawn().map_err(failed)?;
    let (Some(mut input), Some(output)) = (psql.stdin.take(), psql.stdout.take()) else {
        return Err(failed("cannot connect to the pipes of psql"));
    };
    let mut lines = BufReader::new(output).lines();
    let mut ask = |statement: &str| {
        writeln!(input, "{statement}").map_err(failed)?;
        lines.next().and_then(Result::ok).ok_or_else(|| failed("the idle transaction is gone"))
    };
    let before = ask("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM processes;")?;
    let done = work();
    let after = ask("SELECT count(*) FROM processes;");
    // psql ends with its input.
    drop(input);
    psql.wait().map_err(failed)?;
    let (done, after) = (done?, after?);
    if before != after {
        return Err(failed(format!("the snapshot was not kept: it had {before} processes, then {after}")));
    }
    Ok(done)
}

fn during_dumps<T>(
    cluster: &PostgresCluster,
    database: &str,
    work: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let dumps = scope.spawn(|| -> Result<u32, Error> {
            let mut dumps = 0;
            while !is_over.load(Ordering::Relaxed) {
                dump(cluster, database, &is_over)?;
                dumps += 1;
            }
            Ok(dumps)
        });
        let done = work();
        is_over.store(true, Ordering::Relaxed);
        let dumps = dumps.join().map_err(|_| failed("the dumps ended in a panic"))??;
        println!("  {dumps} dumps were begun");
        done
    })
}

/// Makes a dump and discards it; aborts it when the work is done.
fn dump(cluster: &PostgresCluster, database: &str, is_over: &AtomicBool) -> Result<(), Error> {
    let mut dump = cluster.command("pg_dump", database);
    let mut dump = dump.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().map_err(failed)?;
    let mut output = dump.stdout.take().ok_or_else(|| failed("pg_dump has no output"))?;
    let mut buffer = vec![0; CHUNK];
    while !is_over.load(Ordering::Relaxed) {
        match output.read(&mut buffer).map_err(failed)? {
            0 if dump.wait().map_err(failed)?.success() => return Ok(()),
            0 => return Err(failed("pg_dump failed")),
            _ => std::thread::sleep(PAUSE),
        }
    }
    dump.kill().and_then(|()| dump.wait()).map(drop).map_err(failed)
}
