use super::cluster::{PostgresCluster, failed};
use crate::Args;
use crate::error::Error;
use crate::figure::{Figure, Unit};
use crate::server::Installation;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::{Duration, Instant};

const PROCESSES: usize = 8;
const DATABASE: &str = "idle";
/// Time after which the processes count as idle.
const REST: Duration = Duration::from_secs(10);

/// Counts the statements of idle workers in the database's log.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
pub(crate) fn measure(args: &Args) -> Result<Vec<Figure>, Error> {
    let cluster = PostgresCluster::start(&["log_statement = all", "log_line_prefix = ''"])?;
    cluster.create(DATABASE)?;
    let installation = Installation::on(args, "bench-pg-idle", cluster.url(DATABASE))?;
    let serve = |_| installation.serve(false, &["--role", "worker"]);
    let servers = (0..PROCESSES).map(serve).collect::<Result<Vec<_>, _>>()?;
    std::thread::sleep(REST);
    let log = cluster.cluster.data().with_file_name("log");
    let mut heard = Vec::new();
    for _ in 0..args.rounds {
        let window = Duration::from_secs(if args.quick { 10 } else { 30 });
        let from = std::fs::metadata(&log).map_err(Error::file("read", &log))?.len();
        let start = Instant::now();
        std::thread::sleep(window);
        let statements = statements(&since(&log, from)?);
        heard.push((statements, start.elapsed().as_secs_f64()));
    }
    drop(servers);
    let rates: Vec<f64> = heard.iter().map(|(statements, s)| statements.len() as f64 / s).collect();
    let (last, seconds) = heard.pop().ok_or_else(|| failed("no round was run"))?;
    for (statement, count) in most_frequent(&last) {
        println!("  {:.2} a second: {statement}", count as f64 / seconds);
    }
    let what = "statements that eight idle worker processes ask, all together";
    Ok(vec![Figure::new("pg.idle.statements", what, Unit::PerSecond, &rates).at_most(20.0)])
}

/// Reads the log from an offset on.
fn since(log: &Path, from: u64) -> Result<String, Error> {
    let mut text = Vec::new();
    let mut file = std::fs::File::open(log).map_err(Error::file("open", log))?;
    file.seek(SeekFrom::Start(from)).map_err(Error::file("read", log))?;
    file.read_to_end(&mut text).map_err(Error::file("read", log))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Returns the beginning of each logged statement, prepared or not.
fn statements(log: &str) -> Vec<String> {
    let text = |line: &str| {
        let executed = || line.strip_prefix("LOG:  execute ")?.split_once(": ").map(|(_, text)| text);
        let text = line.strip_prefix("LOG:  statement: ").or_else(executed)?;
        Some(text.chars().take(90).collect())
    };
    log.lines().filter_map(text).collect()
}

/// The five most frequent statements with their counts.
fn most_frequent(statements: &[String]) -> Vec<(&str, usize)> {
    let mut counts = std::collections::BTreeMap::new();
    statements.iter().for_each(|statement| *counts.entry(statement.as_str()).or_default() += 1);
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts.truncate(5);
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prepared_and_simple_statements_are_counted() {
        let log = "LOG:  statement: BEGIN\nLOG:  execute <unnamed>: SELECT a\n\tFROM b\nDETAIL:  parameters: $1 = '1'\n\
                   LOG:  execute __diesel_stmt_0: SELECT a\nLOG:  checkpoint starting: time\n";
        let found = statements(log);
        assert_eq!(found, ["BEGIN", "SELECT a", "SELECT a"]);
        assert_eq!(most_frequent(&found), [("SELECT a", 2), ("BEGIN", 1)]);
    }
}
