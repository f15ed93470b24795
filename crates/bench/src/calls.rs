//! The calls that the micro bench repeats.

use crate::error::Error;
use crate::micro::{Case, Work};
use chrono::{DateTime, Utc};
use cutover_core::Now;
use cutover_model::{Encode, Writer, Zone, decode_account};
use cutover_process::{Actor, Event, NewProcess, Process, Submission, Window};
use cutover_rules::{Facts, Profile, check_account};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Minimum duration of a timed run.
const LONG: Duration = Duration::from_millis(20);

/// The instant of every call: the fixtures are valid as of this day.
const INSTANT: i64 = 1_795_226_400;

fn bench_error(e: impl std::fmt::Display) -> Error {
    Error::Bench(e.to_string())
}

/// Nanoseconds per call, over as many calls as the clock's precision needs.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
pub(crate) fn nanoseconds(case: &Case) -> Result<f64, Error> {
    let mut times = 1;
    loop {
        let took = repeat(case, times)?;
        if took >= LONG {
            return Ok(took.as_secs_f64() * 1e9 / times as f64);
        }
        times *= 2;
    }
}

/// Makes the calls and returns their total duration, without the preparation.
pub(crate) fn repeat(case: &Case, times: u64) -> Result<Duration, Error> {
    match case.work {
        Work::Decode => decode(&case.payload, times),
        Work::Rules => rules(&case.payload, times),
        Work::Encode => encode(&case.payload, times),
        Work::Step => step(times),
    }
}

fn timed<T>(times: u64, call: impl Fn() -> T) -> Duration {
    let start = Instant::now();
    for _ in 0..times {
        black_box(call());
    }
    start.elapsed()
}

fn instant() -> DateTime<Utc> {
    DateTime::from_timestamp(INSTANT, 0).unwrap_or_default()
}

fn decode(payload: &[u8], times: u64) -> Result<Duration, Error> {
    decode_account(payload, Zone::UTC).map_err(bench_error)?;
    Ok(timed(times, || decode_account(black_box(payload), Zone::UTC)))
}

fn rules(payload: &[u8], times: u64) -> Result<Duration, Error> {
    let decoded = decode_account(payload, Zone::UTC).map_err(bench_error)?;
    let facts = Facts { supplier_known: Some(true), ..Facts::at(Now::new(instant(), Zone::UTC)) };
    let profile = Profile::default();
    if let Some(error) = check_account(&decoded, facts, &profile).errors.first() {
        return Err(Error::Bench(format!("a payload is faulty: {} {}", error.attr, error.code)));
    }
    Ok(timed(times, || check_account(black_box(&decoded), facts, &profile)))
}

fn encode(payload: &[u8], times: u64) -> Result<Duration, Error> {
    let decoded = decode_account(payload, Zone::UTC).map_err(bench_error)?;
    let valid = decoded.draft.and_then(|request| request.into_valid());
    let (account, _) = valid.ok_or_else(|| Error::Bench("a payload is faulty".into()))?;
    Ok(timed(times, || {
        let mut writer = Writer::canonical();
        black_box(&account).encode(&mut writer);
        writer.into_bytes()
    }))
}

fn step(times: u64) -> Result<Duration, Error> {
    let at = instant();
    let worker = || Actor::Worker { name: "worker-1".into() };
    let new = NewProcess {
        supplier: "ACME_ENERGY".parse().map_err(bench_error)?,
        external_account_number: "A-1".parse().map_err(bench_error)?,
        submission: Submission { is_dry_run: false, window: Window::default() },
    };
    let (created, _) = Process::create(1, new, at, Actor::Operator);
    let (claimed, _) = created.step(Event::Claimed, at, worker()).map_err(bench_error)?;
    let imported = Event::Imported("A-00000001".parse().map_err(bench_error)?);
    claimed.clone().step(imported.clone(), at, worker()).map_err(bench_error)?;
    Ok(timed(times, || black_box(&claimed).clone().step(imported.clone(), at, worker())))
}
