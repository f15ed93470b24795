//! Several processes of the program on a PostgreSQL cluster of one test.

use super::{Installation, POOL_TIMEOUT, Server};
use cutover_testkit_postgres::{Cluster, ClusterOptions, psql, sql};
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// The operators' consistency checks.
const RECOUNT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/postgres/recount.sql");
const INVARIANTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/postgres/invariants.sql");
const DATABASE: &str = "cutover";

/// A durable cluster with one database, and the installation that runs commands on it.
pub(crate) struct Fleet {
    pub(crate) installation: Installation,
    pub(crate) cluster: Cluster,
}

/// Options of a node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node<'a> {
    /// The name of its connections in the database.
    pub(crate) name: &'a str,
    pub(crate) role: &'a str,
    /// The address of the API.
    pub(crate) listen: &'a str,
    /// The setting `shutdown-delay`.
    pub(crate) shutdown_delay: &'a str,
    /// The program; `None` for the one under test.
    pub(crate) program: Option<&'a Path>,
}

impl<'a> Node<'a> {
    /// A node of the program under test, on a free port.
    pub(crate) fn new(name: &'a str, role: &'a str) -> Self {
        Self { name, role, listen: "127.0.0.1:0", shutdown_delay: "0s", program: None }
    }
}

impl Fleet {
    /// Starts a fleet with an empty database. Returns `None` without server programs: the test then passes.
    pub(crate) fn start() -> Option<Self> {
        let cluster = Cluster::for_test(&ClusterOptions::default())?;
        cluster.sql("postgres", &format!("CREATE DATABASE {DATABASE}")).unwrap();
        Some(Self { installation: Installation::with_database_url(&cluster.url(DATABASE)), cluster })
    }

    /// Runs `cutover migrate` of a program.
    pub(crate) fn migrate(&self, program: Option<&Path>) {
        let output = by(program, self.installation.program(&["migrate"])).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// Adds the organisation `Acme` with suppliers; returns a key.
    pub(crate) fn add_suppliers(&self, suppliers: &[&str]) -> String {
        self.installation.run_json(&["organisation", "add", "Acme"]);
        for supplier in suppliers {
            self.installation.run_json(&["supplier", "add", supplier, "--organisation", "Acme"]);
        }
        self.installation.key("Acme")
    }

    /// Starts a node.
    pub(crate) fn node(&self, node: Node<'_>) -> Server {
        let mut command = self.installation.program(&["serve", "--log-format", "json", "--rate-limit", "0"]);
        command.args(["--role", node.role, "--listen", node.listen, "--workers", "2", "--http-workers", "2"]);
        if node.role == "worker" {
            command.args(["--admin-listen", "127.0.0.1:0"]);
        }
        let url = format!("{}?application_name={}", self.cluster.url(DATABASE), node.name);
        // Set by a variable: older programs do not know the flag.
        command
            .env(POOL_TIMEOUT.0, POOL_TIMEOUT.1)
            .env("CUTOVER_DATABASE_URL", url)
            .env("CUTOVER_SHUTDOWN_DELAY", node.shutdown_delay);
        let mut command = by(node.program, command);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        Server::start(command.spawn().unwrap())
    }

    /// Runs a statement; returns a line per row, with columns separated by `|`.
    pub(crate) fn sql(&self, statement: &str) -> String {
        self.try_sql(statement).unwrap()
    }

    /// Runs a statement that may fail.
    pub(crate) fn try_sql(&self, statement: &str) -> std::io::Result<String> {
        sql(&self.cluster.url(DATABASE), statement)
    }

    /// Runs a query for a number.
    pub(crate) fn number(&self, statement: &str) -> usize {
        let answer = self.sql(statement);
        answer.parse().unwrap_or_else(|_| panic!("{statement}: {answer}"))
    }

    /// Number of processes in a state.
    pub(crate) fn count(&self, state: &str) -> usize {
        self.number(&format!("SELECT count(*) FROM processes WHERE state = '{state}'"))
    }

    /// Recounts the figures, which older programs do not maintain.
    pub(crate) fn recount(&self) {
        let mut command = psql(&self.cluster.url(DATABASE)).unwrap();
        assert!(command.args(["-1", "-f", RECOUNT]).status().unwrap().success());
    }

    /// Checks the invariants of the database; `accepted` are suppliers and numbers that were answered 201.
    pub(crate) fn check_invariants(&self, accepted: &[(String, String)]) {
        self.check_invariants_of(DATABASE, accepted);
    }

    /// Checks the invariants of another database of the cluster.
    pub(crate) fn check_invariants_of(&self, database: &str, accepted: &[(String, String)]) {
        check_invariants(&self.cluster.url(database), self.installation.path(), accepted);
    }
}

/// Checks the invariants of a PostgreSQL database; creates a file in the folder.
pub(super) fn check_invariants(url: &str, folder: &Path, accepted: &[(String, String)]) {
    let mut list = String::new();
    accepted.iter().for_each(|(supplier, number)| writeln!(list, "{supplier},{number}").unwrap());
    let file = folder.join("accepted.csv");
    std::fs::write(&file, list).unwrap();
    let mut command = psql(url).unwrap();
    let output = command.arg("-v").arg(format!("accepted={}", file.display())).args(["-f", INVARIANTS]);
    let output = output.output().unwrap();
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert_eq!((output.status.code(), said.concat()), (Some(0), String::new()));
}

/// The command with another program.
fn by(program: Option<&Path>, command: Command) -> Command {
    let Some(program) = program else { return command };
    let mut other = Command::new(program);
    other.args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => other.env(name, value),
            None => other.env_remove(name),
        };
    }
    other
}

impl Server {
    /// A counter of `/metrics`.
    pub(crate) fn metric(&self, name: &str) -> usize {
        self.metric_if_shown(name).unwrap_or_else(|metrics| panic!("no {name}: {metrics}"))
    }

    /// A counter of `/metrics`, or what was answered instead.
    pub(crate) fn metric_if_shown(&self, name: &str) -> Result<usize, String> {
        let metrics = self.anonymous().get("/metrics").text();
        let value = metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        value.and_then(|value| value.parse().ok()).ok_or(metrics)
    }
}
