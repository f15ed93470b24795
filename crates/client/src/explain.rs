//! `cutover-client explain`: the meaning of an error code or a rule, and what to do about it.

use crate::error::Error;
use crate::exit::Exit;
use crate::output::{document, print};
use clap::Args;
use cutover_core::{Code, nearest};
use cutover_rules::{RULES, Rule, rule, rules_with};
use serde_json::{Value, json};
use std::fmt::Write;

/// Options of `explain`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// An error code such as invalid_phone_number, or a rule such as CUS-01
    #[arg(value_name = "CODE")]
    code: String,
    /// Print the explanation as one JSON document
    #[arg(long)]
    json: bool,
}

/// Prints the explanation of a code or a rule.
///
/// # Errors
/// [`Error`] if there is no such code, or standard output fails.
pub(crate) fn run(options: &Options) -> Result<Exit, Error> {
    let word = options.code.trim();
    let shown = match (Code::from_word(word), rule(&word.to_ascii_uppercase())) {
        (Some(code), _) if options.json => document(&code_value(code)),
        (Some(code), _) => code_text(code),
        (None, Some(rule)) if options.json => document(&rule_value(rule)),
        (None, Some(rule)) => rule_text(rule),
        (None, None) => return Err(unknown(word)),
    };
    print(&shown)?;
    Ok(Exit::Success)
}

fn unknown(word: &str) -> Error {
    let known = Code::WORDS.iter().copied().chain(RULES.iter().map(|rule| rule.id.0));
    let near = nearest(word, known).map(|near| format!("; the nearest is {near}")).unwrap_or_default();
    Error::refused(format!("there is no error code or rule {word:?}{near}"))
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
