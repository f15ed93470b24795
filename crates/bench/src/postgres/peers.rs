//! Single yardsticks of the kit, run by its own code: the kit's program only runs all of them at once.

use super::cluster::{Cost, PostgresCluster, failed};
use crate::cpu;
use crate::error::Error;
use crate::program;
use crate::yardstick::Kit;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

const DATABASE: &str = "peers";

/// Python that executes the definitions of a file of the kit, up to a mark.
const TAKE: &str = "import sys\n\
    file, mark = sys.argv[1:3]\n\
    source = open(file).read()\n\
    assert mark in source, f'{file} has no {mark!r} any more'\n\
    sys.argv, __file__ = [file, *sys.argv[3:]], file\n\
    exec(compile(source.split(mark)[0], file, 'exec'))\n";

/// Creates the tables and the scripts of pgbench, which contain the compressed payload as a literal.
const SCRIPTS: &str = "reset()\n";

/// Runs one of the kit's ways to import after a signal, and prints its CPU seconds.
const UNNEST: &str = "J = [('', lambda *_: measured(), 0, 0)]\n\
    copy = lambda *_: 0\n\
    def measured():\n\
    \x20   print('ready', flush=True); sys.stdin.readline()\n\
    \x20   cpu = time.process_time(); unnest(ROWS, 40); print(time.process_time() - cpu, flush=True)\n\
    \x20   sys.stdin.readline()\n\
    imports()\n";

/// Python with the definitions of a file of the kit.
fn python(kit: &Kit, cluster: &PostgresCluster, file: &str, mark: &str, then: &str) -> Command {
    let mut command = program::command(kit.python());
    command.arg("-Bc").arg(format!("{TAKE}{then}")).arg(kit.file(file)).arg(mark);
    cluster.lead(&mut command, DATABASE);
    command
}

/// pgbench on the kit's rows.
pub(crate) struct Pgbench<'a> {
    pub(crate) kit: &'a Kit,
    pub(crate) cluster: &'a PostgresCluster,
    /// Duration of a run.
    pub(crate) seconds: u32,
}

impl Pgbench<'_> {
    fn folder() -> PathBuf {
        program::scratch().join("pgbench")
    }

    /// Creates empty tables.
    pub(crate) fn prepare(&self) -> Result<(), Error> {
        let folder = Self::folder();
        std::fs::create_dir_all(&folder).map_err(Error::file("create", &folder))?;
        self.cluster.create(DATABASE)?;
        let mut command = python(self.kit, self.cluster, "limits/pg_create.py", "\nres = {}", SCRIPTS);
        command.args(["1", "1"]).arg(self.kit.data("M")).arg(folder).arg("/none").stdout(Stdio::null());
        if program::succeeds(command)? { Ok(()) } else { Err(Error::Bench("the kit made no tables".into())) }
    }

    /// Inserts rows of a kind, one per commit. Returns their number and cost, with pgbench's own CPU seconds.
    #[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
    pub(crate) fn run(&self, kind: &str, clients: usize) -> Result<(f64, Cost), Error> {
        let mut command = self.cluster.command("pgbench", DATABASE);
        command.args(["-n", "-M", "simple", "-j", "2", "-c", &clients.to_string()]);
        command.args(["-T", &self.seconds.to_string()]);
        for n in 0..10 {
            command.arg("-f").arg(Self::folder().join(format!("{kind}_{n}.sql")));
        }
        let ((report, client), mut cost) = self.cluster.measure(&[], || {
            let before = cpu::of_ended();
            let report = program::output(command).ok_or_else(|| failed("pgbench failed"))?;
            Ok((report, cpu::of_ended() - before))
        })?;
        let rows = figure(&report, "actually processed: ")?;
        cost.cpu += client;
        cost.seconds = rows / figure(&report, "tps = ")?;
        Ok((rows, cost))
    }
}

/// Returns the number after some words of a report.
fn figure(report: &str, words: &str) -> Result<f64, Error> {
    let number = report.split_once(words).and_then(|(_, rest)| rest.split_whitespace().next()?.parse().ok());
    number.ok_or_else(|| Error::Bench(format!("pgbench does not say {words:?}: {report}")))
}

/// Imports rows by the kit's UNNEST, 40 per commit. The cost includes the kit's own CPU seconds.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
pub(crate) fn unnest(kit: &Kit, cluster: &PostgresCluster, rows: u64) -> Result<Cost, Error> {
    cluster.create(DATABASE)?;
    let then = UNNEST.replace("ROWS", &rows.to_string());
    let mut command = python(kit, cluster, "limits/pg_list_import.py", "\nlists() if ", &then);
    command.args(["import", "1", "0", "/none", "/none"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(failed("cannot connect to the pipes of the yardstick"));
    };
    let mut lines = BufReader::new(output).lines();
    let mut said =
        || lines.next().and_then(Result::ok).ok_or_else(|| failed("the yardstick stopped printing"));
    said()?;
    let (client, mut cost) = cluster.measure(&[], || {
        writeln!(input).map_err(failed)?;
        said()?.parse::<f64>().map_err(failed)
    })?;
    let stored = cluster.number(DATABASE, "SELECT count(*) FROM reading")?;
    if stored != rows as f64 {
        return Err(failed(format!("the yardstick wrote {stored} rows")));
    }
    // The kit drops its table as soon as it goes on.
    drop(input);
    child.wait().map_err(failed)?;
    cost.cpu += client;
    Ok(cost)
}
