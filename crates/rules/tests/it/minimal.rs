//! The smallest body of each request is accepted, and nothing in it can be left out.

use crate::{check, check_account_search, check_business, check_business_payment_instruction};
use crate::{check_historical_statements, check_manifest, check_manifest_numbers, check_notes};
use crate::{check_payment_instruction, check_run, check_transactions};
use cutover_model::describe::{Json, REQUESTS, Request, minimal};
use cutover_rules::{Profile, Report};

fn checked(name: &str, body: &Json) -> Report {
    let check = match name {
        "account" => check,
        "notes" => check_notes,
        "transactions" => check_transactions,
        "historical-statements" => check_historical_statements,
        "payment-instruction" => check_payment_instruction,
        "business" => check_business,
        "business-payment-instruction" => check_business_payment_instruction,
        "manifest" => check_manifest,
        "manifest-numbers" => check_manifest_numbers,
        "run" => check_run,
        "account-search" => check_account_search,
        other => panic!("{other} is not checked"),
    };
    check(body.pretty().as_bytes(), &Profile::default())
}

fn errors(name: &str, body: &Json) -> Vec<String> {
    checked(name, body).errors.iter().map(|issue| format!("{} {}", issue.attr, issue.code)).collect()
}

/// The values that have one member or item less.
fn smaller(body: &Json) -> Vec<Json> {
    match body {
        Json::Object(members) => {
            let inside = |(name, value): &(String, Json)| {
                let of = name.clone();
                smaller(value).into_iter().map(|value| (of.clone(), value)).collect()
            };
            without_or_with(members, inside).into_iter().map(Json::Object).collect()
        }
        Json::List(items) => without_or_with(items, smaller).into_iter().map(Json::List).collect(),
        _ => Vec::new(),
    }
}

/// A list without each of its parts, and with each smaller form of it.
fn without_or_with<T: Clone>(parts: &[T], smaller: impl Fn(&T) -> Vec<T>) -> Vec<Vec<T>> {
    let mut lists = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let (before, after) = (&parts[..index], &parts[index + 1..]);
        lists.push([before, after].concat());
        lists.extend(smaller(part).into_iter().map(|part| [before, &[part], after].concat()));
    }
    lists
}

#[test]
fn the_smallest_bodies_are_accepted() {
    let refused = |request: &Request| (request.name, errors(request.name, &minimal(request)));
    let refused: Vec<_> = REQUESTS.iter().map(refused).filter(|(_, errors)| !errors.is_empty()).collect();
    assert!(refused.is_empty(), "{refused:?}");
}

#[test]
fn the_smallest_bodies_have_nothing_to_leave_out() {
    for request in REQUESTS {
        for smaller in smaller(&minimal(request)) {
            assert_ne!(errors(request.name, &smaller), [""; 0], "{}: {}", request.name, smaller.pretty());
        }
    }
}
