//! Measures the cost of recording refused creates, and that a flood of them is bounded.

use crate::accounts::{fixture, numbered};
use crate::args::Args;
use crate::database::{Database, Prepared};
use crate::error::Error;
use crate::figure::{Figure, Unit};
use crate::load::{ACCOUNTS, Connection, post_all};
use crate::server::{SUPPLIER, Server};
use crate::stats::{in_thousands, ratios};
use serde_json::{Value, json};

/// Faulty accounts of a round, more than are recorded at once, and faulty creates of the flood: three times as many as are kept.
const FAULTY: u64 = 60_000;
const FLOOD: u64 = 300_000;
const CONNECTIONS: usize = 32;
const VALIDATE: &str = "/v2/data-import/accounts/validate/";

/// The figures of a path, round by round.
#[derive(Default)]
struct Rates {
    a_second: Vec<f64>,
    /// Microseconds of CPU of server and database for each request.
    cpu: Vec<f64>,
}

/// Refused creates in turn with validations of the same accounts, which record nothing; then a flood of small
/// ones with as many numbers.
pub(crate) fn measure(args: &Args, database: &Database) -> Result<Vec<Figure>, Error> {
    let (prepared, account) = (database.install(args, "refused")?, faulty()?);
    let bodies: Vec<String> =
        (0..args.payloads(FAULTY)).map(|n| numbered(account.clone(), n).to_string()).collect();
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    // Of one account, whose last refusal alone is recorded.
    let again: Vec<String> = (0..bodies.len()).map(|n| of_one_account(&account, n)).collect();
    let again: Vec<&str> = again.iter().map(String::as_str).collect();
    let (mut creates, mut unrecorded) = (Rates::default(), Rates::default());
    let mut validations = Rates::default();
    for _ in 0..args.rounds {
        let server = prepared.installation().serve(false, &["--role", "api"])?;
        let token = prepared.installation().token(&server)?;
        validations.add(&prepared, &server, &token, VALIDATE, &bodies)?;
        unrecorded.add(&prepared, &server, &token, ACCOUNTS, &again)?;
        creates.add(&prepared, &server, &token, ACCOUNTS, &bodies)?;
    }
    let id = format!("refused.{}", database.id());
    let mut figures = creates.figures(&id, &validations);
    let of = "… as a multiple of that of as many refused creates of one account, which leave one record";
    let ratio = ratios(&creates.cpu, &unrecorded.cpu);
    figures.push(Figure::new(format!("{id}.of_unrecorded"), of, Unit::Ratio, &ratio).at_most(1.05));
    figures.extend(flood(args, &prepared, &id)?);
    Ok(figures)
}

/// An account with one fault.
fn faulty() -> Result<Value, Error> {
    let mut account = fixture("electricity")?;
    account["import_supplier"] = json!(SUPPLIER);
    account["customers"][0]["mobile"] = json!("to be confirmed");
    Ok(account)
}

/// The n-th account under the number of the first.
fn of_one_account(account: &Value, n: usize) -> String {
    let mut account = numbered(account.clone(), n);
    account["external_account_number"] = json!("N-00000000");
    account.to_string()
}

impl Rates {
    #[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
    fn add(
        &mut self,
        prepared: &Prepared<'_>,
        server: &Server,
        token: &str,
        path: &str,
        bodies: &[&str],
    ) -> Result<(), Error> {
        let before = prepared.cpu(server);
        let done = post_all(server.address, path, token, bodies, CONNECTIONS, 400)?;
        if done.others > 0 {
            return Err(Error::Bench(format!("{} requests to {path} were not refused", done.others)));
        }
        // Progress writes what was gathered before it is read.
        kept(server, token)?;
        self.cpu.push((prepared.cpu(server) - before) * 1e6 / bodies.len() as f64);
        self.a_second.push(bodies.len() as f64 / done.seconds);
        Ok(())
    }

    fn figures(&self, id: &str, validations: &Self) -> Vec<Figure> {
        let what = format!("refused creates over {CONNECTIONS} connections");
        let of = "… as a multiple of the CPU of validating the same accounts";
        vec![
            Figure::new(id, what, Unit::PerSecond, &self.a_second),
            Figure::new(
                format!("{id}.cpu"),
                "… CPU of server and database each",
                Unit::Microseconds,
                &self.cpu,
            ),
            Figure::new(format!("{id}.of_validate"), of, Unit::Ratio, &ratios(&self.cpu, &validations.cpu))
                .less_is_better(),
        ]
    }
}

/// Sends creates that are refused, each with another number. Progress says how many are kept.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
fn flood(args: &Args, prepared: &Prepared<'_>, id: &str) -> Result<[Figure; 3], Error> {
    let server = prepared.installation().serve(false, &["--role", "api"])?;
    let token = prepared.installation().token(&server)?;
    let body = |n| {
        json!({"import_supplier": SUPPLIER, "external_account_number": format!("F-{n}"), "customers": 1})
            .to_string()
    };
    let bodies: Vec<String> = (0..args.count(FLOOD)).map(body).collect();
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    let before = server.forget_peak().unwrap_or_default();
    let done = post_all(server.address, ACCOUNTS, &token, &bodies, CONNECTIONS, 400)?;
    if done.others > 0 {
        return Err(Error::Bench(format!("{} creates of the flood were not refused", done.others)));
    }
    let grown = server.peak_kilobytes().unwrap_or_default().saturating_sub(before);
    let kept = kept(&server, &token)?;
    let what = format!("a flood of {} small refused creates", in_thousands(args.count(FLOOD)));
    Ok([
        Figure::new(format!("{id}.flood"), what, Unit::PerSecond, &[bodies.len() as f64 / done.seconds]),
        Figure::new(format!("{id}.flood.kept"), "… records kept of them", Unit::Count, &[kept])
            .at_most(100_000.0),
        Figure::new(
            format!("{id}.flood.memory"),
            "… growth of the server's memory",
            Unit::Megabytes,
            &[grown as f64 / 1024.0],
        )
        .less_is_better(),
    ])
}

/// Number of accounts whose last create was refused, as progress has it. A program that does not record them
/// has none.
fn kept(server: &Server, token: &str) -> Result<f64, Error> {
    let path = format!("/v2/data-import/import-suppliers/{SUPPLIER}/progress/");
    let unread = |e: std::io::Error| Error::Bench(format!("progress could not be read: {e}"));
    let (_, body) = Connection::open(server.address).and_then(|mut c| c.get(&path, token)).map_err(unread)?;
    let progress: Value = serde_json::from_str(&body).map_err(|e| Error::Bench(e.to_string()))?;
    Ok(progress["refused"]["accounts"].as_f64().unwrap_or_default())
}
