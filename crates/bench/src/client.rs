use crate::error::Error;
use crate::figure::{A_CPU_SECOND, Figure, RATIO, in_thousands, ratios};
use crate::load::numbered;
use crate::{Args, cpu, offline, program};
use std::path::Path;

/// Accounts that are validated.
const ACCOUNTS: usize = 100_000;

/// The client's validation of a file, next to decoding and all rules in memory: the difference is the cost of reading,
/// distributing and counting.
pub(crate) fn measure(args: &Args) -> Result<Vec<Figure>, Error> {
    program::require("time", "time")?;
    let (client, count) = (args.client()?, args.count(ACCOUNTS));
    let (file, few) = (numbered("client", 0, count)?, numbered("client-few", 0, 200)?);
    let (mut ours, mut memory, mut peaks) = (Vec::new(), Vec::new(), Vec::new());
    for _ in args.rounds() {
        let (rate, megabytes) = validate(&client, &file, count)?;
        ours.push(rate);
        peaks.push(megabytes);
        memory.push(offline::rates(&few)?.decode_and_rules);
    }
    let what = format!("`cutover-client validate`, {} M accounts, all cores", in_thousands(count));
    let ratio = ratios(&ours, &memory);
    Ok(vec![
        Figure::new(what, A_CPU_SECOND, &ours),
        Figure::new("… as a multiple of decoding and all rules in memory", RATIO, &ratio).at_least(0.85),
        Figure::new("… its memory at the peak", " MB", &peaks),
    ])
}

/// Returns accounts a CPU second, and the peak of the memory in MB, which GNU time reports.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
fn validate(client: &Path, file: &Path, count: usize) -> Result<(f64, f64), Error> {
    let failed = |text: String| Error::Bench(format!("cutover-client validate: {text}"));
    let mut command = program::command("time");
    command.args(["--format", "%M"]).arg(client).args(["validate", "--json"]).arg(file);
    let before = cpu::of_ended();
    let output = command.output().map_err(|source| program::start_error(&command, source))?;
    let used = cpu::of_ended() - before;
    let summary: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|e| failed(format!("no summary: {e}")))?;
    if summary["valid"] != count {
        return Err(failed(format!("not all accounts were valid: {}", summary["valid"])));
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let kilobytes = text.lines().last().and_then(|line| line.trim().parse::<f64>().ok());
    let kilobytes = kilobytes.ok_or_else(|| failed(format!("GNU time reports no memory: {text}")))?;
    Ok((count as f64 / used, kilobytes / 1024.0))
}
