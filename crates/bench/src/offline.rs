use crate::cpu;
use crate::error::Error;
use crate::figure::{Figure, Unit};
use crate::program;
use crate::stats::ratios;
use crate::yardstick::{Kit, pinned};
use cutover_model::{Zone, decode_account};
use cutover_rules::{Facts, Profile, check_account};
use serde_json::Value;
use std::hint::black_box;
use std::path::Path;

/// The yardstick: typed serde, borrowed, with the peers' checks and the phone library.
const YARDSTICK: &str = "typed borrowed + rules + phonenumber crate";
/// Duration of a measurement in CPU seconds.
const SECONDS: f64 = 1.0;

/// Our figures in one process and the yardstick's in another, round by round.
pub(crate) fn compare(kit: &Kit, rounds: usize) -> Result<Vec<Figure>, Error> {
    let file = kit.data("M");
    let (mut ours, mut decode, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let figures = figures(&file)?;
        ours.push(figures["decode_and_rules"].as_f64().unwrap_or_default());
        decode.push(figures["decode"].as_f64().unwrap_or_default());
        theirs.push(yardstick(kit, &file)?);
    }
    let ratio = ratios(&ours, &theirs);
    Ok(vec![
        Figure::new("offline.decode.M", "decode alone, M (18 KB), payloads", Unit::PerCpuSecond, &decode),
        Figure::new("offline.M", "decode and all rules, M, payloads", Unit::PerCpuSecond, &ours),
        Figure::new(
            "offline.M.of_yardstick",
            "… as a multiple of typed serde with the peers' checks and the phone library",
            Unit::Ratio,
            &ratio,
        )
        .at_least(2.5),
    ])
}

/// Our figures, measured in a release build on one core.
fn figures(file: &Path) -> Result<Value, Error> {
    let mut command = pinned(program::this()?);
    command.arg("offline").arg(file);
    let line = program::output(command).ok_or_else(|| Error::Bench("the offline bench failed".into()))?;
    serde_json::from_str(&line).map_err(|e| Error::Bench(e.to_string()))
}

/// Accounts of size M that are decoded and checked in a CPU second.
pub(crate) fn decode_and_rules(kit: &Kit) -> Result<f64, Error> {
    let figures = figures(&kit.data("M"))?;
    figures["decode_and_rules"]
        .as_f64()
        .ok_or_else(|| Error::Bench("the offline bench gave no figure".into()))
}

fn yardstick(kit: &Kit, file: &Path) -> Result<f64, Error> {
    let mut command = pinned(kit.program("bench"));
    command.arg(file).arg("1").arg(kit.file("peers/fastify/schema.json"));
    let output = program::output(command).ok_or_else(|| Error::Bench("the yardstick failed".into()))?;
    let lines = output.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines
        .filter(|line| line["name"] == YARDSTICK)
        .find_map(|line| line["docs_s"][0].as_f64())
        .ok_or_else(|| Error::Bench(format!("the yardstick gave no figure for {YARDSTICK}")))
}

/// Measures in this process and prints one JSON line.
pub(crate) fn child(file: &Path) -> Result<(), Error> {
    let text = std::fs::read_to_string(file).map_err(|e| Error::Bench(format!("{}: {e}", file.display())))?;
    let payloads: Vec<&[u8]> = text.lines().map(str::as_bytes).collect();
    // A bench may read the clock; the payloads are dated relative to the day of their generation.
    #[expect(clippy::disallowed_methods, reason = "a bench is no use case")]
    let now = cutover_core::Now::new(std::time::SystemTime::now().into(), Zone::UTC);
    let facts = Facts { supplier_known: Some(true), ..Facts::at(now) };
    let profile = Profile::default();
    for payload in &payloads {
        let decoded = decode_account(payload, Zone::UTC).map_err(|e| Error::Bench(e.to_string()))?;
        if let Some(error) = check_account(&decoded, facts, &profile).errors.first() {
            return Err(Error::Bench(format!("a payload is faulty: {} {}", error.attr, error.code)));
        }
    }
    let decode = rate(&payloads, |payload| black_box(decode_account(payload, Zone::UTC)).is_ok());
    let both = rate(&payloads, |payload| {
        let decoded = decode_account(payload, Zone::UTC);
        decoded.is_ok_and(|decoded| black_box(check_account(&decoded, facts, &profile)).errors.is_empty())
    });
    println!("{{\"decode\": {decode:.0}, \"decode_and_rules\": {both:.0}}}");
    Ok(())
}

/// Payloads per CPU second.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
fn rate(payloads: &[&[u8]], one: impl Fn(&[u8]) -> bool) -> f64 {
    let start = cpu::of_process(std::process::id());
    let mut done = 0.0;
    loop {
        for payload in payloads {
            assert!(one(payload), "a payload was refused");
            done += 1.0;
        }
        let used = cpu::of_process(std::process::id()) - start;
        if used >= SECONDS {
            return done / used;
        }
    }
}
