//! Instruction counts by valgrind, which do not depend on the load of the machine.

use crate::error::Error;
use crate::program;
use std::path::Path;

/// Message if valgrind is not installed.
pub(crate) const GET: &str = "valgrind is missing (apt-get install valgrind)";

pub(crate) fn is_installed() -> bool {
    let mut command = program::command("valgrind");
    command.arg("--version");
    program::output(command).is_some()
}

/// Instructions of one call of a case: what twice as many calls take more, so that the start of the program
/// does not count.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
pub(crate) fn instructions_a_call(program: &Path, case: &str, turns: u64) -> Result<f64, Error> {
    let (once, twice) = (instructions(program, case, turns)?, instructions(program, case, turns * 2)?);
    Ok((twice.saturating_sub(once) as f64 / turns as f64).round())
}

fn instructions(program: &Path, case: &str, times: u64) -> Result<u64, Error> {
    let mut command = program::command("valgrind");
    command.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]);
    command.arg(program).args(["micro", "--case", case, "--times", &times.to_string()]);
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
}
