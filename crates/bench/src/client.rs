use crate::Args;
use crate::cpu;
use crate::error::Error;
use crate::figure::{Figure, Unit};
use crate::offline::decode_and_rules;
use crate::program;
use crate::stats::{in_thousands, ratios};
use std::path::Path;
use std::process::Stdio;

/// Accounts that are validated.
const ACCOUNTS: u64 = 100_000;
/// Divisor of the smaller file, whose memory is measured for comparison.
const FEWER: usize = 10;

/// The client's offline validation of a file, next to decoding and all rules in memory. The difference is the cost of
/// reading, distributing and counting.
pub(crate) fn compare(args: &Args) -> Result<Vec<Figure>, Error> {
    let kit = args.kit()?;
    let count = args.payloads(ACCOUNTS);
    let (file, small) = (kit.accounts(count)?, kit.accounts(count / FEWER)?);
    let program = program::built("cutover-client")?;
    let (mut ours, mut limit) = (Vec::new(), Vec::new());
    let (mut peaks, mut small_peaks) = (Vec::new(), Vec::new());
    for _ in 0..args.rounds {
        let run = validate(&program, &file, count)?;
        ours.push(run.rate);
        peaks.push(run.megabytes);
        small_peaks.push(validate(&program, &small, count / FEWER)?.megabytes);
        limit.push(decode_and_rules(&kit)?);
    }
    let (ratio, fewer) = (ratios(&ours, &limit), format!("… with {} accounts", in_thousands(count / FEWER)));
    Ok(vec![
        Figure::new(
            "client.validate",
            format!("`cutover-client validate`, {} M accounts, all cores", in_thousands(count)),
            Unit::PerCpuSecond,
            &ours,
        ),
        Figure::new(
            "client.validate.of_memory",
            "… as a multiple of decoding and all rules in memory",
            Unit::Ratio,
            &ratio,
        )
        .at_least(0.8),
        Figure::new("client.validate.memory", "… its memory at the peak", Unit::Megabytes, &peaks),
        Figure::new("client.validate.memory.of_fewer", fewer, Unit::Megabytes, &small_peaks),
    ])
}

struct Run {
    /// Accounts a CPU second.
    rate: f64,
    megabytes: f64,
}

#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
fn validate(program: &Path, file: &Path, count: usize) -> Result<Run, Error> {
    let failed = |text: String| Error::Bench(format!("cutover-client validate: {text}"));
    let before = cpu::of_ended();
    // GNU time reports the memory of the program it starts.
    let output = program::command("/usr/bin/time")
        .args(["--format", "%M"])
        .arg(program)
        .args(["validate", "--json"])
        .arg(file)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| failed(e.to_string()))?;
    let used = cpu::of_ended() - before;
    let summary: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|e| failed(format!("no summary: {e}")))?;
    if summary["valid"] != count {
        return Err(failed(format!("not all accounts were valid: {}", summary["valid"])));
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let kilobytes = text.lines().last().and_then(|line| line.trim().parse::<f64>().ok());
    let kilobytes = kilobytes.ok_or_else(|| failed(format!("GNU time reports no memory: {text}")))?;
    Ok(Run { rate: count as f64 / used, megabytes: kilobytes / 1024.0 })
}
