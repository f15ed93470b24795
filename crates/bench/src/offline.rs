use crate::error::Error;
use crate::figure::{A_CPU_SECOND, Figure, RATIO, ratios};
use crate::load::numbered;
use crate::{Args, cpu, peers, program};
use cutover_core::Now;
use cutover_model::{Zone, decode_account};
use cutover_rules::{Facts, Profile, check_account};
use serde::{Deserialize, Serialize};
use std::hint::black_box;
use std::path::Path;

/// Number of accounts that are repeated.
const ACCOUNTS: usize = 200;
/// Duration of a measurement in CPU seconds.
const SECONDS: f64 = 1.0;

/// Accounts a CPU second.
#[derive(Serialize, Deserialize)]
pub(crate) struct Rates {
    decode: f64,
    pub(crate) decode_and_rules: f64,
}

/// Our figures in one process and the limit's in another, round by round.
pub(crate) fn measure(args: &Args) -> Result<Vec<Figure>, Error> {
    let file = numbered("offline", 0, ACCOUNTS)?;
    let (mut decode, mut ours, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    for _ in args.rounds() {
        let rates = rates(&file)?;
        decode.push(rates.decode);
        ours.push(rates.decode_and_rules);
        let mut limit = peers::limit("offline")?;
        limit.arg(&file);
        theirs.push(program::output(limit)?.trim().parse().map_err(Error::of)?);
    }
    let ratio = ratios(&ours, &theirs);
    Ok(vec![
        Figure::new("decoding alone, M accounts (18 KB)", A_CPU_SECOND, &decode),
        Figure::new("decoding and all rules", A_CPU_SECOND, &ours),
        Figure::new("… as a multiple of the limit `full`", RATIO, &ratio).at_least(2.5),
    ])
}

/// The rates of a process of its own on the first core.
pub(crate) fn rates(file: &Path) -> Result<Rates, Error> {
    let mut command = program::on_first_core(program::this()?);
    command.arg("offline").arg(file);
    serde_json::from_str(&program::output(command)?).map_err(Error::of)
}

/// Measures in this process and prints the rates.
pub(crate) fn child(file: &Path) -> Result<(), Error> {
    let text = std::fs::read_to_string(file).map_err(Error::file("read", file))?;
    let accounts: Vec<&[u8]> = text.lines().map(str::as_bytes).collect();
    #[expect(clippy::disallowed_methods, reason = "a bench is no use case: it may read the clock")]
    let now = Now::new(std::time::SystemTime::now().into(), Zone::UTC);
    let (facts, profile) = (Facts { supplier_known: Some(true), ..Facts::at(now) }, Profile::default());
    let decode = rate(&accounts, |account| black_box(decode_account(account, Zone::UTC)).is_ok())?;
    let decode_and_rules = rate(&accounts, |account| {
        let decoded = decode_account(account, Zone::UTC);
        decoded.is_ok_and(|decoded| black_box(check_account(&decoded, facts, &profile)).errors.is_empty())
    })?;
    println!("{}", serde_json::to_string(&Rates { decode, decode_and_rules }).map_err(Error::of)?);
    Ok(())
}

#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
fn rate(accounts: &[&[u8]], is_valid: impl Fn(&[u8]) -> bool) -> Result<f64, Error> {
    let start = cpu::of_this();
    let mut done = 0.0;
    loop {
        for account in accounts {
            if !is_valid(account) {
                return Err(Error::Bench("an account is faulty".into()));
            }
            done += 1.0;
        }
        let used = cpu::of_this() - start;
        if used >= SECONDS {
            return Ok(done / used);
        }
    }
}
