//! Many processes of the program on one PostgreSQL of a test's own.

use super::{Installation, Server};
use cutover_testkit_postgres::{Cluster, ClusterOptions, psql, sql};
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// What operators check a database with.
const RECOUNT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/postgres/recount.sql");
const INVARIANTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/postgres/invariants.sql");
const DATABASE: &str = "cutover";

/// A cluster that loses nothing it has committed, with one database, and the house that commands are run in.
pub(crate) struct Fleet {
    pub(crate) installation: Installation,
    pub(crate) cluster: Cluster,
}

/// How a node is to be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node<'a> {
    /// By which the database knows its connections.
    pub(crate) name: &'a str,
    pub(crate) role: &'a str,
    /// Where it listens.
    pub(crate) listen: &'a str,
    /// How long it serves on when it is told to stop.
    pub(crate) shutdown_delay: &'a str,
    /// The program; none: the one under test.
    pub(crate) program: Option<&'a Path>,
}

impl<'a> Node<'a> {
    /// One of the program under test, on a free port.
    pub(crate) fn new(name: &'a str, role: &'a str) -> Self {
        Self { name, role, listen: "127.0.0.1:0", shutdown_delay: "0s", program: None }
    }
}

impl Fleet {
    /// One whose database is empty. None where there are no server programs: then the test is to pass.
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

    /// Adds the organisation `Acme` with suppliers; a key.
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
        // No flag: a program from before there was one goes without.
        command.env("CUTOVER_DATABASE_URL", url).env("CUTOVER_SHUTDOWN_DELAY", node.shutdown_delay);
        let mut command = by(node.program, command);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        Server::start(command.spawn().unwrap())
    }

    /// What the database answers: a line a row, columns parted by `|`.
    pub(crate) fn sql(&self, statement: &str) -> String {
        self.try_sql(statement).unwrap()
    }

    /// The same of what may fail.
    pub(crate) fn try_sql(&self, statement: &str) -> std::io::Result<String> {
        sql(&self.cluster.url(DATABASE), statement)
    }

    /// A number that the database answers.
    pub(crate) fn number(&self, statement: &str) -> usize {
        let answer = self.sql(statement);
        answer.parse().unwrap_or_else(|_| panic!("{statement}: {answer}"))
    }

    /// How many processes are in a state.
    pub(crate) fn count(&self, state: &str) -> usize {
        self.number(&format!("SELECT count(*) FROM processes WHERE state = '{state}'"))
    }

    /// Counts figures anew, which a program from before they were kept has not followed.
    pub(crate) fn recount(&self) {
        let mut command = psql(&self.cluster.url(DATABASE)).unwrap();
        assert!(command.args(["-1", "-f", RECOUNT]).status().unwrap().success());
    }

    /// Holds the invariants against the database; `accepted` are suppliers and numbers that were answered 201.
    pub(crate) fn check_invariants(&self, accepted: &[(String, String)]) {
        self.check_invariants_of(DATABASE, accepted);
    }

    /// The same of another database of the cluster.
    pub(crate) fn check_invariants_of(&self, database: &str, accepted: &[(String, String)]) {
        check_invariants(&self.cluster.url(database), self.installation.path(), accepted);
    }
}

/// Holds the invariants against a database of PostgreSQL; a file is made in the folder.
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

/// The same command of another program.
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
        let metrics = self.anonymous().get("/metrics").text();
        let value = metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        value.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("no {name}: {metrics}"))
    }
}
