//! `cutover-client explain`: the meaning of an error code, a rule or a member, and what to do about it.

mod member;

use crate::error::Error;
use crate::exit::Exit;
use crate::output::{document, print};
use clap::Args;
use cutover_core::{Code, nearest};
use cutover_rules::{RULES, Rule, rule, rules_with};
use member::Members;
use serde_json::{Value, json};
use std::fmt::Write;

/// Options of `explain`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// An error code such as invalid_phone_number, a rule such as CUS-01, or the path of a member such as
    /// customers.#.mobile
    #[arg(value_name = "CODE|RULE|PATH")]
    word: String,
    /// Print the explanation as one JSON document
    #[arg(long)]
    json: bool,
}

/// Prints the explanation of a code, a rule or a member.
///
/// # Errors
/// [`Error`] if there is no such code, rule or member, or standard output fails.
pub(crate) fn run(options: &Options) -> Result<Exit, Error> {
    print(&explanation(options.word.trim(), options.json)?)?;
    Ok(Exit::Success)
}

fn explanation(word: &str, json: bool) -> Result<String, Error> {
    if let Some(code) = Code::from_word(word) {
        return Ok(if json { document(&code_value(code)) } else { code_text(code) });
    }
    if let Some(rule) = rule(&word.to_ascii_uppercase()) {
        return Ok(if json { document(&rule_value(rule)) } else { rule_text(rule) });
    }
    let members = Members::all();
    match &*members.at(word) {
        [] => Err(unknown(word, &members)),
        found if json => Ok(document(&members.value(found))),
        found => Ok(members.text(found)),
    }
}

fn unknown(word: &str, members: &Members) -> Error {
    let known = Code::WORDS.iter().copied().chain(RULES.iter().map(|rule| rule.id.0));
    let near = match nearest(word, known) {
        Some(near) => format!("; the nearest is {near}"),
        None => match &*members.near(word) {
            [] => String::new(),
            [near] => format!("; the nearest is {near}"),
            near => format!("; the nearest are {}", near.join(", ")),
        },
    };
    Error::refused(format!("there is no error code, rule or member {word:?}{near}"))
}

fn code_text(code: Code) -> String {
    let mut text = format!("{code}\n  {}\n", code.detail());
    let mut rules = rules_with(code).peekable();
    if rules.peek().is_some() {
        text.push_str("\nCause\n");
    }
    for rule in rules {
        // Writing to a string cannot fail.
        let _ =
            writeln!(text, "  {} ({}) at {}: {}", rule.id, rule.level, rule.place, rule.plain_condition());
    }
    let _ = write!(text, "\nWhat to do\n  {}\n", code.advice());
    if let Some(example) = code.example() {
        let _ = write!(text, "\nReported\n  {}\nCorrected\n  {}\n", example.wrong, example.right);
    }
    text
}

fn rule_text(rule: &Rule) -> String {
    let fixed = if rule.fixed { ", fixed" } else { "" };
    let mut text = format!(
        "{} ({}{fixed})\n\nCause\n  at {}: {}\n\nCodes\n",
        rule.id,
        rule.level,
        rule.place,
        rule.plain_condition()
    );
    for code in rule.codes {
        let _ = writeln!(text, "  {code}: {}", code.message());
    }
    text
}

fn code_value(code: Code) -> Value {
    let rules: Vec<Value> = rules_with(code).map(rule_value).collect();
    let example = code.example().map(|example| json!({"wrong": example.wrong, "right": example.right}));
    json!({"code": code.as_str(), "detail": code.detail(), "advice": code.advice(), "rules": rules, "example": example})
}

fn rule_value(rule: &Rule) -> Value {
    let codes: Vec<&str> = rule.codes.iter().map(|code| code.as_str()).collect();
    json!({"rule": rule.id.0, "codes": codes, "level": rule.level.as_str(), "fixed": rule.fixed,
        "place": rule.place, "condition": rule.plain_condition()})
}
