use crate::Args;
use crate::error::Error;
use crate::figure::Figure;
use crate::load::{Load, templates};
use crate::server::Installation;
use cutover_bench::accounts::Size;
use std::time::Duration;

/// Time after its start at which a server counts as idle.
const REST: Duration = Duration::from_secs(10);
const CONNECTIONS: usize = 32;
/// Each account is validated, then created.
const PATHS: [&str; 2] = ["/v2/data-import/accounts/validate/", "/v2/data-import/accounts/"];

/// The memory of a server as it is started by default, its workers included.
pub(crate) fn measure(args: &Args) -> Result<Vec<Figure>, Error> {
    let file = templates(Size::L, 50, false)?;
    let (mut idle, mut peak) = (Vec::new(), Vec::new());
    for _ in args.rounds() {
        let installation = Installation::new(args, None)?;
        let server = installation.serve(&[])?;
        std::thread::sleep(REST);
        idle.push(server.memory()?);
        let token = installation.token(&server)?;
        let load = Load {
            address: server.address,
            paths: &PATHS,
            token: Some(&token),
            file: &file,
            connections: CONNECTIONS,
            seconds: args.seconds(3),
            is_pinned: false,
        };
        let answers = load.run()?;
        if answers.refused > 0.0 {
            return Err(Error::Bench(format!("accounts were refused: {answers:?}")));
        }
        peak.push(server.peak_memory()?);
    }
    let what = "an idle server, 10 s after its start, API and workers, on SQLite";
    let load =
        format!("… at its peak under {CONNECTIONS} connections that validate and create L accounts (170 KB)");
    Ok(vec![Figure::new(what, " MB", &idle).at_most(18.0), Figure::new(load, " MB", &peak).at_most(110.0)])
}
