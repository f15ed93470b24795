//! The steps of a request by themselves, which criterion times and valgrind counts.

use crate::accounts::{NUMBER, SUPPLIER, Size, templates};
use chrono::{DateTime, Utc};
use cutover_core::Now;
use cutover_model::{Encode, Writer, Zone, decode_account};
use cutover_process::{Actor, Event, NewProcess, Process, Submission, Window};
use cutover_rules::{Facts, Profile, check_account};
use std::error::Error;
use std::hint::black_box;

/// An operation that is repeated.
pub struct Case {
    /// Name, which must not change: `decode.M`.
    pub name: String,
    /// Performs the operation once.
    pub call: Box<dyn Fn()>,
}

/// Decoding, all rules and encoding of an account of each size, and a step of a process.
///
/// # Errors
/// If an operation fails.
pub fn cases() -> Result<Vec<Case>, Box<dyn Error>> {
    let mut cases = Vec::new();
    for size in [Size::S, Size::M, Size::L] {
        let payload = payload(size);
        // A case lives as long as the program, and so does what it reads.
        let payload: &'static [u8] = payload.leak();
        let name = |step: &str| format!("{step}.{size:?}");
        decode_account(payload, Zone::UTC)?;
        cases.push(case(name("decode"), move || decode_account(black_box(payload), Zone::UTC)));
        cases.push(rules(name("rules"), payload)?);
        cases.push(encode(name("encode"), payload)?);
    }
    cases.push(step()?);
    Ok(cases)
}

fn case<T>(name: impl Into<String>, call: impl Fn() -> T + 'static) -> Case {
    Case { name: name.into(), call: Box::new(move || drop(black_box(call()))) }
}

fn payload(size: Size) -> Vec<u8> {
    templates(size, 1).concat().replace(NUMBER, "00000001").into_bytes()
}

/// The instant of every call.
fn instant() -> DateTime<Utc> {
    DateTime::from_timestamp(1_795_226_400, 0).unwrap_or_default()
}

fn rules(name: String, payload: &'static [u8]) -> Result<Case, Box<dyn Error>> {
    let decoded = decode_account(payload, Zone::UTC)?;
    let facts = Facts { supplier_known: Some(true), ..Facts::at(Now::new(instant(), Zone::UTC)) };
    Ok(case(name, move || check_account(black_box(&decoded), facts, &Profile::default())))
}

fn encode(name: String, payload: &'static [u8]) -> Result<Case, Box<dyn Error>> {
    let valid = decode_account(payload, Zone::UTC)?.draft.and_then(|request| request.into_valid());
    let (account, _) = valid.ok_or("the account is faulty")?;
    Ok(case(name, move || {
        let mut writer = Writer::canonical();
        black_box(&account).encode(&mut writer);
        writer.into_bytes()
    }))
}

fn step() -> Result<Case, Box<dyn Error>> {
    let at = instant();
    let worker = || Actor::Worker { name: "worker-1".into() };
    let new = NewProcess {
        supplier: SUPPLIER.parse()?,
        external_account_number: "A-1".parse()?,
        submission: Submission { is_dry_run: false, window: Window::default() },
    };
    let (created, _) = Process::create(1, new, at, Actor::Operator);
    let (claimed, _) = created.step(Event::Claimed, at, worker())?;
    let imported = Event::Imported("A-00000001".parse()?);
    claimed.clone().step(imported.clone(), at, worker())?;
    Ok(case("step", move || black_box(&claimed).clone().step(imported.clone(), at, worker())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_has_its_name_and_runs() {
        let cases = cases().unwrap();
        let names: Vec<_> = cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names.len(), 10);
        assert!(names.contains(&"decode.S") && names.contains(&"encode.L") && names.contains(&"step"));
        cases.iter().for_each(|case| (case.call)());
    }
}
