//! The steps of a request by themselves: nanoseconds a call, and instructions a call, which valgrind counts.

use crate::accounts::{fixture, with_readings};
use crate::error::Error;
use crate::figure::{Figure, Unit};
use crate::program;
use crate::yardstick::pinned;
use crate::{Args, calls, valgrind};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Operation on a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    Decode,
    Rules,
    Encode,
    Step,
}

/// An operation on a payload that is measured.
pub(crate) struct Case {
    id: String,
    what: String,
    pub(crate) work: Work,
    pub(crate) payload: Vec<u8>,
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

/// Every case.
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

/// Measures times and instructions of every case, and adds what could not be run to `not_run`.
pub(crate) fn measure(args: &Args, not_run: &mut Vec<String>) -> Result<Vec<Figure>, Error> {
    let (program, cases) = (program::this()?, cases()?);
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
    command.arg("micro");
    let line = program::output(command).ok_or_else(|| Error::Bench("the micro bench failed".into()))?;
    serde_json::from_str(&line).map_err(|e| Error::Bench(e.to_string()))
}

impl Case {
    /// Number of calls under valgrind, the same on every machine.
    fn turns(&self) -> u64 {
        match (self.work, self.payload.len()) {
            (Work::Step, _) => 2_000,
            (_, 50_000..) => 20,
            _ => 200,
        }
    }
}

/// Runs one case repeatedly, or prints the times of all. Called in the measured process.
pub(crate) fn child(case: Option<&str>, times: u64) -> Result<(), Error> {
    let cases = cases()?;
    match case {
        Some(id) => {
            let case = cases.iter().find(|case| case.id == id);
            let case = case.ok_or_else(|| Error::Bench(format!("there is no case {id}")))?;
            calls::repeat(case, times)?;
        }
        None => {
            let time =
                |case: &Case| Ok::<_, Error>((case.id.clone(), Value::from(calls::nanoseconds(case)?)));
            let times = cases.iter().map(time).collect::<Result<serde_json::Map<_, _>, _>>()?;
            println!("{}", Value::from(times));
        }
    }
    Ok(())
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
