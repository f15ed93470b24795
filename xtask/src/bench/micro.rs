//! The steps of a request by themselves: nanoseconds a call, and instructions a call, which valgrind counts.

use super::accounts::{fixture, with_readings};
use super::figure::{Figure, Unit};
use super::offline::release_xtask;
use super::yardstick::pinned;
use super::{Args, MicroArgs, calls, valgrind};
use crate::cargo;
use crate::error::Error;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

/// What is done with a payload in a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    Decode,
    Rules,
    Encode,
    Step,
}

/// One thing that is measured.
pub(super) struct Case {
    id: String,
    what: String,
    pub(super) work: Work,
    pub(super) payload: Vec<u8>,
}

/// The seven kinds of meter points, each a fixture.
const VARIANTS: [&str; 7] = [
    "electricity",
    "gas",
    "unmetered_electricity",
    "unmetered_gas",
    "embedded_electricity",
    "embedded_gas",
    "embedded_water",
];

/// All there is.
fn cases() -> Result<Vec<Case>, Error> {
    let sizes = [
        ("small", fixture("unmetered_gas")?),
        ("medium", with_readings(40)?),
        ("large", with_readings(1_000)?),
    ];
    let works = [(Work::Decode, "decode"), (Work::Rules, "rules"), (Work::Encode, "encode")];
    let mut cases = Vec::new();
    for (work, verb) in works {
        for (size, account) in &sizes {
            let payload = account.to_string().into_bytes();
            let verb_shown = match work {
                Work::Decode => "decode",
                Work::Rules => "all rules",
                Work::Encode | Work::Step => "write canonically",
            };
            let what = format!("{verb_shown}, {size} account ({} KB)", payload.len().div_ceil(1000));
            cases.push(Case { id: format!("micro.{verb}.{size}"), what, work, payload });
        }
    }
    for variant in VARIANTS {
        let payload = fixture(variant)?.to_string().into_bytes();
        let what = format!("all rules, {} ({} KB)", variant.replace('_', " "), payload.len().div_ceil(1000));
        cases.push(Case { id: format!("micro.rules.{variant}"), what, work: Work::Rules, payload });
    }
    let what = "process from claimed to imported".to_owned();
    cases.push(Case { id: "micro.process.step".into(), what, work: Work::Step, payload: Vec::new() });
    Ok(cases)
}

/// Times and instructions of every case. What could not be run is added to a list.
pub(super) fn measure(args: &Args, not_run: &mut Vec<String>) -> Result<Vec<Figure>, Error> {
    let (program, cases) = (release_xtask()?, cases()?);
    let mut times: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for _ in 0..args.rounds {
        for (id, nanoseconds) in timed(&program)? {
            times.entry(id).or_default().push(nanoseconds);
        }
    }
    let is_counted = valgrind::is_installed();
    if !is_counted {
        not_run.push(format!("micro, instructions a call: {}", valgrind::GET));
    }
    let mut figures = Vec::new();
    for case in &cases {
        let rounds = times.get(&case.id).map(Vec::as_slice).unwrap_or_default();
        figures.push(Figure::new(&case.id, &case.what, Unit::Nanoseconds, rounds));
        if is_counted {
            let count = valgrind::instructions_a_call(&program, &case.id, case.turns())?;
            let id = format!("{}.instructions", case.id);
            figures.push(Figure::new(id, "… a call", Unit::Instructions, &[count]));
        }
    }
    Ok(figures)
}

/// Nanoseconds a call of each case, measured in a process of its own on one core.
fn timed(program: &Path) -> Result<BTreeMap<String, f64>, Error> {
    let mut command = pinned(program);
    command.arg("bench-micro");
    let line = cargo::output(command).ok_or_else(|| Error::Bench("the micro bench failed".into()))?;
    serde_json::from_str(&line).map_err(|e| Error::Bench(e.to_string()))
}

impl Case {
    /// How often valgrind sees a call: as often on every machine.
    fn turns(&self) -> u64 {
        match (self.work, self.payload.len()) {
            (Work::Step, _) => 2_000,
            (_, 50_000..) => 20,
            _ => 200,
        }
    }
}

/// In the process that is measured: one case so many times, or the times of all.
pub(super) fn child(args: &MicroArgs) -> Result<ExitCode, Error> {
    let cases = cases()?;
    match &args.case {
        Some(id) => {
            let case = cases.iter().find(|case| case.id == *id);
            let case = case.ok_or_else(|| Error::Bench(format!("there is no case {id}")))?;
            calls::repeat(case, args.times)?;
        }
        None => {
            let time =
                |case: &Case| Ok::<_, Error>((case.id.clone(), Value::from(calls::nanoseconds(case)?)));
            let times = cases.iter().map(time).collect::<Result<serde_json::Map<_, _>, _>>()?;
            println!("{}", Value::from(times));
        }
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_has_its_name_and_runs() {
        let cases = cases().unwrap();
        let ids: std::collections::BTreeSet<_> = cases.iter().map(|case| &case.id).collect();
        assert_eq!((ids.len(), cases.len()), (17, 17));
        for case in &cases {
            calls::repeat(case, 1).unwrap();
        }
    }
}
