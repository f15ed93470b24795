//! Instructions of a call, counted by valgrind: they differ by less than a thousandth from run to run and do not depend on
//! the load of the machine, but on the compiler.

use crate::Args;
use crate::error::Error;
use crate::figure::{Figure, in_thousands};
use crate::program;
use cutover_bench::cases::cases;
use std::collections::BTreeMap;
use std::path::Path;

/// Instructions of a call by the names of the cases.
type Instructions = BTreeMap<String, u64>;

/// Growth that is no fault, in per cent.
const TOLERANCE: u64 = 2;

pub(crate) fn measure(args: &Args) -> Result<Vec<Figure>, Error> {
    program::require("valgrind", "valgrind")?;
    let mut counts = Instructions::new();
    let mut figures = Vec::new();
    for case in cases().map_err(Error::of)? {
        let count = instructions_a_call(&case.name, if case.name.ends_with('L') { 10 } else { 100 })?;
        figures.push(Figure::new(format!("`{}`", case.name), " instructions a call", &[count as f64]));
        counts.insert(case.name, count);
    }
    if let Some(file) = &args.compare {
        let text = std::fs::read_to_string(file).map_err(Error::file("read", file))?;
        compare(&serde_json::from_str(&text).map_err(Error::of)?, &counts)?;
    }
    if let Some(file) = &args.store_instructions {
        store(file, &counts)?;
    }
    Ok(figures)
}

fn store(file: &Path, counts: &Instructions) -> Result<(), Error> {
    let json = serde_json::to_string_pretty(counts).map_err(Error::of)?;
    std::fs::write(file, json + "\n").map_err(Error::file("write", file))
}

/// Fails if a case grew beyond the tolerance, or is not in both.
fn compare(before: &Instructions, now: &Instructions) -> Result<(), Error> {
    if !before.keys().eq(now.keys()) {
        return Err(Error::Bench("the file has other cases: store the instructions again".into()));
    }
    let grown = now
        .iter()
        .zip(before.values())
        .filter(|((_, now), before)| **now * 100 > **before * (100 + TOLERANCE));
    let line = |((name, now), before): ((&String, &u64), &u64)| {
        format!("{name} {} instead of {}", in_thousands(now), in_thousands(before))
    };
    let worse: Vec<String> = grown.map(line).collect();
    let fault = || Error::Bench(format!("more instructions than before: {}", worse.join("; ")));
    if worse.is_empty() { Ok(()) } else { Err(fault()) }
}

/// Runs a case with two numbers of calls and divides the difference, which leaves out the start of the program.
fn instructions_a_call(case: &str, times: u64) -> Result<u64, Error> {
    let (once, twice) = (instructions(case, times)?, instructions(case, times * 2)?);
    Ok(twice.saturating_sub(once) / times)
}

fn instructions(case: &str, times: u64) -> Result<u64, Error> {
    let this = program::this()?;
    let mut command = program::command("valgrind");
    command.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]);
    command.arg(&this).args(["repeat", case, &times.to_string()]);
    let output = command.output().map_err(|source| program::start_error(&command, source))?;
    let report = String::from_utf8_lossy(&output.stderr);
    let count = counted(&report).filter(|_| output.status.success());
    count.ok_or_else(|| Error::Bench(format!("valgrind counted no instructions: {report}")))
}

/// Parses the count of a report: `==7== I   refs:      1,234,567`.
fn counted(report: &str) -> Option<u64> {
    let line = report.lines().find(|line| line.contains(" I ") && line.contains("refs:"))?;
    line.rsplit_once(':')?.1.trim().replace(',', "").parse().ok()
}

/// Repeats a case. Called in the measured process.
pub(crate) fn child(name: &str, times: u64) -> Result<(), Error> {
    let cases = cases().map_err(Error::of)?;
    let case = cases.iter().find(|case| case.name == name);
    let case = case.ok_or_else(|| Error::Bench(format!("there is no case {name}")))?;
    (0..times).for_each(|_| (case.call)());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_instructions_is_found() {
        let report = "==7== Cachegrind, a profiler\n==7== \n==7== I   refs:      1,234,567\n";
        assert_eq!(counted(report), Some(1_234_567));
        assert_eq!(counted("==7== I refs:        42\n"), Some(42));
        assert_eq!(counted("valgrind: no such program"), None);
    }

    #[test]
    fn a_case_is_worse_beyond_two_hundredths() {
        let of = |count| Instructions::from([("decode.M".to_owned(), count)]);
        let fault = |before, now| compare(&before, &now).err().map(|error| error.to_string());
        assert_eq!(
            fault(of(1_000), of(1_021)).unwrap(),
            "more instructions than before: decode.M 1,021 instead of 1,000"
        );
        assert_eq!(fault(of(1_000), of(1_020)), None);
        assert!(fault(Instructions::new(), of(1)).unwrap().contains("other cases"));
    }
}
