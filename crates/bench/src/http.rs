use crate::Args;
use crate::error::Error;
use crate::figure::{A_CPU_SECOND, Figure, RATIO, ratios};
use crate::load::{Answers, Load, status, templates};
use crate::peers::PEERS;
use crate::server::{Installation, Server};
use cutover_bench::accounts::{NUMBER, Size, with_faults};
use std::path::Path;

const CONNECTIONS: usize = 8;
/// Number of accounts that are repeated.
const ACCOUNTS: usize = 200;
const PATH: &str = "/v2/data-import/accounts/validate/";

/// A server, and its path and token.
struct Target {
    server: Server,
    path: &'static str,
    token: Option<String>,
}

/// The validate endpoint next to the peers' servers, with one worker on one core each.
pub(crate) fn measure(args: &Args) -> Result<Vec<Figure>, Error> {
    let (valid, faulty) = (fixed(false)?, fixed(true)?);
    let installation = Installation::new(args, None)?;
    let server = installation.serve_on_first_core(&["--role", "api", "--http-workers", "1"])?;
    let token = Some(installation.token(&server)?);
    let ours = Target { server, path: PATH, token };
    let mut peers = Vec::new();
    for peer in &PEERS {
        peers.push(Target { server: peer.start()?, path: "/validate", token: None });
    }
    for target in peers.iter().chain([&ours]) {
        target.verify()?;
        target.rate(&valid, 1, false)?;
    }
    let seconds = args.seconds(3);
    let (mut rate, mut with_faults, mut p99) = (Vec::new(), Vec::new(), Vec::new());
    let mut theirs = vec![Vec::new(); peers.len()];
    for _ in args.rounds() {
        let (a_cpu_second, answers) = ours.rate(&valid, seconds, false)?;
        rate.push(a_cpu_second);
        p99.push(answers.p99_ms);
        with_faults.push(ours.rate(&faulty, seconds, true)?.0);
        for (peer, rates) in peers.iter().zip(&mut theirs) {
            rates.push(peer.rate(&valid, seconds, false)?.0);
        }
    }
    let mut figures =
        vec![Figure::new("`POST …/validate/`, M accounts (18 KB), answers", A_CPU_SECOND, &rate)];
    for (peer, theirs) in PEERS.iter().zip(&theirs) {
        let what = format!("… as a multiple of {}", peer.what);
        figures.push(Figure::new(what, RATIO, &ratios(&rate, theirs)).at_least(peer.goal));
    }
    let what = "… with a fifth of faulty ones, as a multiple of the rate with none";
    figures.push(Figure::new(what, RATIO, &ratios(&with_faults, &rate)).at_least(0.85));
    figures.push(Figure::new(format!("… p99 over {CONNECTIONS} connections"), " ms", &p99));
    Ok(figures)
}

/// Writes accounts without placeholders into a file.
fn fixed(is_faulty: bool) -> Result<std::path::PathBuf, Error> {
    let file = templates(Size::M, ACCOUNTS, is_faulty)?;
    let text = std::fs::read_to_string(&file).map_err(Error::file("read", &file))?;
    std::fs::write(&file, text.replace(NUMBER, "00000042")).map_err(Error::file("write", &file))?;
    Ok(file)
}

impl Target {
    /// Fails unless the server accepts valid accounts and refuses faulty ones.
    fn verify(&self) -> Result<(), Error> {
        for (place, account) in with_faults(Size::M, 50).iter().enumerate() {
            let expected = if place % 5 == 4 { "400" } else { "200" };
            let body = account.replace(NUMBER, "00000042");
            let status = status(self.server.address, self.path, self.token.as_deref(), &body)?;
            if status != expected {
                let address = self.server.address;
                return Err(Error::Bench(format!("{address} answers account {place} with {status}")));
            }
        }
        Ok(())
    }

    /// Answers a CPU second.
    #[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
    fn rate(&self, file: &Path, seconds: u64, is_faulty: bool) -> Result<(f64, Answers), Error> {
        let load = Load {
            address: self.server.address,
            paths: &[self.path],
            token: self.token.as_deref(),
            file,
            connections: CONNECTIONS,
            seconds,
            is_pinned: true,
        };
        let before = self.server.cpu();
        let answers = load.run()?;
        let used = self.server.cpu() - before;
        if !is_faulty && answers.refused > 0.0 {
            return Err(Error::Bench(format!("{} refused valid accounts: {answers:?}", self.server.address)));
        }
        Ok((answers.answered / used, answers))
    }
}
