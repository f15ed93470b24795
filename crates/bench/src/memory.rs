use crate::Args;
use crate::error::Error;
use crate::figure::{Figure, Unit};
use crate::load::post_each;
use crate::server::{Installation, Server};
use std::time::Duration;

/// Time after its start at which a server counts as idle.
const REST: Duration = Duration::from_secs(10);
/// Accounts of size L that a round sends.
const ACCOUNTS: u64 = 640;
const CONNECTIONS: usize = 32;
/// Requests for each account, with the expected status.
const REQUESTS: [(&str, u16); 2] =
    [("/v2/data-import/accounts/validate/", 200), ("/v2/data-import/accounts/", 201)];

/// The memory of a server as it is started by default, its workers included: idle, and at its peak while it
/// validates and creates large accounts.
pub(crate) fn measure(args: &Args) -> Result<Vec<Figure>, Error> {
    let text = args.kit()?.read_accounts_of("L", args.payloads(ACCOUNTS))?;
    let bodies: Vec<&str> = text.lines().collect();
    let (mut idle, mut anonymous, mut peak) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..args.rounds {
        let installation = Installation::new(args, "bench-memory")?;
        let server = installation.serve(false, &[])?;
        std::thread::sleep(REST);
        idle.push(megabytes(server.resident_kilobytes())?);
        anonymous.push(megabytes(server.anonymous_kilobytes())?);
        load(&installation, &server, &bodies)?;
        peak.push(megabytes(server.peak_kilobytes())?);
    }
    let what = "memory of an idle server, 10 s after its start, API and workers, on SQLite";
    Ok(vec![
        Figure::new("memory.idle", what, Unit::Megabytes, &idle).at_most(20.0),
        Figure::new("memory.idle.anonymous", "… without pages of the program's file", Unit::Megabytes, &anonymous),
        Figure::new(
            "memory.load",
            format!("… at its peak under {CONNECTIONS} connections that validate and create accounts of size L (170 KB)"),
            Unit::Megabytes,
            &peak,
        )
        .at_most(120.0),
    ])
}

fn load(installation: &Installation, server: &Server, bodies: &[&str]) -> Result<(), Error> {
    let token = installation.token(server)?;
    match post_each(server.address, &REQUESTS, &token, bodies, CONNECTIONS)?.others {
        0 => Ok(()),
        others => Err(Error::Bench(format!("{others} accounts were not validated and created"))),
    }
}

#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
fn megabytes(kilobytes: Option<u64>) -> Result<f64, Error> {
    let kilobytes = kilobytes.ok_or_else(|| Error::Bench("cannot read the memory of the server".into()))?;
    Ok(kilobytes as f64 / 1024.0)
}
