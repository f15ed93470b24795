use crate::database::Prepared;
use crate::error::Error;
use crate::load::{Connection, post_all};
use crate::server::{Installation, Server};
use crate::workers;
use std::time::Duration;

const CONNECTIONS: usize = 8;
/// Time after which an idle process counts as started.
const REST: Duration = Duration::from_secs(1);

/// Number of requests of each kind that are sent before those that are measured.
const WARM: usize = 100;

/// Work of a round.
pub(super) struct Work<'a> {
    /// Paths of status reads.
    pub(super) reads: &'a [String],
    /// Accounts to create and import.
    pub(super) bodies: &'a [String],
    /// Number of validations of each account.
    pub(super) turns: usize,
}

/// Microseconds of the server's CPU: of a request, and of the import of an account.
pub(super) struct Cost {
    pub(super) status: f64,
    pub(super) validate: f64,
    pub(super) create: f64,
    pub(super) import: f64,
}

/// The same, round by round.
#[derive(Default)]
pub(super) struct Costs {
    pub(super) status: Vec<f64>,
    pub(super) validate: Vec<f64>,
    pub(super) create: Vec<f64>,
    pub(super) import: Vec<f64>,
}

type Pick = fn(&Costs) -> &Vec<f64>;

/// Name, description and column of each cost.
pub(super) const KINDS: [(&str, &str, Pick); 4] = [
    ("status", "a status read", |costs| &costs.status),
    ("validate", "a validation", |costs| &costs.validate),
    ("create", "a create", |costs| &costs.create),
    ("import", "an import", |costs| &costs.import),
];

impl Costs {
    pub(super) fn add(&mut self, cost: Cost) {
        self.status.push(cost.status);
        self.validate.push(cost.validate);
        self.create.push(cost.create);
        self.import.push(cost.import);
    }
}

/// A round on a fresh copy.
pub(super) fn of(prepared: &Prepared<'_>, work: &Work<'_>) -> Result<Cost, Error> {
    let installation = prepared.fresh()?;
    let idle = start_of_workers(prepared, &installation)?;
    let (status, validate, create) = requests(prepared, &installation, work)?;
    let import = import(prepared, &installation, work, idle)?;
    Ok(Cost { status, validate, create, import })
}

/// CPU seconds that a process of workers takes to come up.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
fn start_of_workers(prepared: &Prepared<'_>, installation: &Installation) -> Result<f64, Error> {
    let before = prepared.database_cpu();
    let server = installation.serve(false, &["--role", "worker"])?;
    std::thread::sleep(REST);
    Ok(prepared.cpu(&server) - before)
}

fn requests(
    prepared: &Prepared<'_>,
    installation: &Installation,
    work: &Work<'_>,
) -> Result<(f64, f64, f64), Error> {
    let server = installation.serve(false, &["--role", "api"])?;
    let token = installation.token(&server)?;
    let bodies: Vec<&str> = work.bodies.iter().map(String::as_str).collect();
    // The first requests of a server take longer.
    read(&server, &token, &work.reads[..work.reads.len().min(WARM)])?;
    post(&server, &token, "/v2/data-import/accounts/validate/", &bodies[..bodies.len().min(WARM)], 200)?;
    let spent = |count: usize, work: &dyn Fn() -> Result<(), Error>| spent(prepared, &server, count, work);
    let status = spent(work.reads.len(), &|| read(&server, &token, work.reads))?;
    let validate = spent(bodies.len() * work.turns, &|| {
        let path = "/v2/data-import/accounts/validate/";
        (0..work.turns).try_for_each(|_| post(&server, &token, path, &bodies, 200))
    })?;
    let path = "/v2/data-import/accounts/";
    let create = spent(bodies.len(), &|| post(&server, &token, path, &bodies, 201))?;
    Ok((status, validate, create))
}

/// CPU of some work divided by the number of its requests, in microseconds.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
fn spent(
    prepared: &Prepared<'_>,
    server: &Server,
    count: usize,
    work: &dyn Fn() -> Result<(), Error>,
) -> Result<f64, Error> {
    let before = prepared.cpu(server);
    work()?;
    Ok((prepared.cpu(server) - before) * 1e6 / count.max(1) as f64)
}

fn read(server: &Server, token: &str, paths: &[String]) -> Result<(), Error> {
    let failed = |e: std::io::Error| Error::Bench(format!("a status could not be read: {e}"));
    let mut connection = Connection::open(server.address).map_err(failed)?;
    for path in paths {
        let (status, _) = connection.get(path, token).map_err(failed)?;
        if status != 200 {
            return Err(Error::Bench(format!("{path} was answered with {status}")));
        }
    }
    Ok(())
}

fn post(server: &Server, token: &str, path: &str, bodies: &[&str], status: u16) -> Result<(), Error> {
    match post_all(server.address, path, token, bodies, CONNECTIONS, status)?.others {
        0 => Ok(()),
        others => Err(Error::Bench(format!("{others} of {} to {path} were refused", bodies.len()))),
    }
}

/// Microseconds of an import, without the start of the workers.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
fn import(
    prepared: &Prepared<'_>,
    installation: &Installation,
    work: &Work<'_>,
    idle: f64,
) -> Result<f64, Error> {
    let before = prepared.database_cpu();
    let server = installation.serve(false, &["--role", "worker"])?;
    workers::wait(std::slice::from_ref(&server), work.bodies.len() as u64)?;
    Ok((prepared.cpu(&server) - before - idle) * 1e6 / work.bodies.len().max(1) as f64)
}
