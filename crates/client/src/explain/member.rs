//! The explanation of a member: its form, its values and the rules about it.

use super::rule_value;
use cutover_core::nearest;
use cutover_model::describe::{Member, Values, members};
use cutover_rules::rules_about;
use serde_json::{Value, json};
use std::fmt::Write;

/// Maximum number of paths that are suggested.
const MAX_NEAR: usize = 3;

/// The documented members of all requests.
pub(super) struct Members(Vec<Member>);

impl Members {
    pub(super) fn all() -> Self {
        Self(members())
    }

    /// The members at a path; several if they are declared differently.
    pub(super) fn at(&self, path: &str) -> Vec<&Member> {
        let pattern = pattern(path);
        self.0.iter().filter(|member| member.path == pattern).collect()
    }

    /// The paths that were probably meant: those with the same or the nearest name, and most of the names before it.
    pub(super) fn near(&self, path: &str) -> Vec<&str> {
        let parts: Vec<&str> = names(path).collect();
        let Some(last) = parts.last() else { return Vec::new() };
        let Some(name) = nearest(last, self.0.iter().map(|member| member.name)) else { return Vec::new() };
        let of_name = self.0.iter().filter(|member| member.name == name && !member.path.ends_with('#'));
        let shared = |path: &str| names(path).filter(|name| parts.contains(name)).count();
        let mut near: Vec<&str> = of_name.map(|member| &*member.path).collect();
        near.dedup();
        near.sort_by_key(|path| std::cmp::Reverse(shared(path)));
        near.truncate(MAX_NEAR);
        near
    }

    /// The members directly below a path, or below its items.
    fn below(&self, path: &str) -> impl Iterator<Item = &Member> {
        let is_below = move |member: &&Member| {
            let rest = member.path.strip_prefix(path).and_then(|rest| rest.strip_prefix('.'));
            rest.map(|rest| rest.strip_prefix("#.").unwrap_or(rest))
                .is_some_and(|rest| !rest.contains(['.', '#']))
        };
        self.0.iter().filter(is_below)
    }

    /// The explanation for people.
    pub(super) fn text(&self, found: &[&Member]) -> String {
        found.iter().map(|member| self.section(member)).collect::<Vec<_>>().join("\n")
    }

    fn section(&self, member: &Member) -> String {
        let (path, doc, presence) = (&member.path, &member.doc, presence(member));
        let mut text = format!("{path}\n  {doc}\n\nForm\n  {}, {presence}\n", form(member));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {}", if member.is_personal { "personal" } else { "not personal" });
        let _ = writeln!(text, "  in the request: {}", member.requests.join(", "));
        if !member.supply_types.is_empty() {
            let _ = writeln!(text, "  of meter points: {}", kinds(member).join(", "));
        }
        list(
            &mut text,
            "Members",
            self.below(&member.path).map(|below| format!("{}: {}", below.path, below.form)),
        );
        if let Some(values) = &member.values {
            list(&mut text, if values.is_closed { "Values" } else { "Known values" }, lines(values));
        }
        let rules = rules_about(&member.path, &member.doc).into_iter().map(|rule| {
            let codes: Vec<&str> = rule.codes.iter().map(|code| code.as_str()).collect();
            format!("{} ({}): {}\n    {}", rule.id, rule.level, rule.plain_condition(), codes.join(", "))
        });
        list(&mut text, "Rules", rules);
        let checks = member.checks.iter().map(|check| format!("{}: {}", check.code, check.code.detail()));
        list(&mut text, "Codes of its form", checks);
        text
    }

    /// The explanation for programs.
    pub(super) fn value(&self, found: &[&Member]) -> Value {
        Value::Array(found.iter().map(|member| self.document(member)).collect())
    }

    fn document(&self, member: &Member) -> Value {
        let rules: Vec<Value> = rules_about(&member.path, &member.doc).into_iter().map(rule_value).collect();
        let checks: Vec<&str> = member.checks.iter().map(|check| check.code.as_str()).collect();
        let below: Vec<&str> = self.below(&member.path).map(|below| &*below.path).collect();
        let values = member.values.map(|values| {
            let meanings: serde_json::Map<String, Value> =
                values.meanings.iter().map(|(code, meaning)| ((*code).to_owned(), json!(meaning))).collect();
            json!({"words": values.words, "meanings": meanings, "closed": values.is_closed})
        });
        json!({"path": member.path, "requests": member.requests, "supply_types": kinds(member), "doc": member.doc,
            "form": member.form, "required": member.required, "nullable": member.nullable,
            "personal": member.is_personal, "members": below, "values": values, "rules": rules, "codes": checks})
    }
}

/// A path with `#` for indexes.
fn pattern(path: &str) -> String {
    let part = |part: &str| {
        if part.bytes().all(|byte| byte.is_ascii_digit()) { "#".to_owned() } else { part.to_owned() }
    };
    path.split('.').map(part).collect::<Vec<_>>().join(".")
}

/// The names of a path, without indexes.
fn names(path: &str) -> impl Iterator<Item = &str> {
    path.split('.').filter(|part| *part != "#" && !part.bytes().all(|byte| byte.is_ascii_digit()))
}

fn kinds(member: &Member) -> Vec<&'static str> {
    member.supply_types.iter().map(|kind| kind.as_str()).collect()
}

/// The form; of a closed list, whose values follow, no more than that.
fn form(member: &Member) -> &str {
    let is_closed = member.values.is_some_and(|values| values.is_closed);
    if is_closed { "one of the values below" } else { &member.form }
}

fn presence(member: &Member) -> &'static str {
    match (member.required, member.nullable) {
        (true, false) => "required",
        (true, true) => "required, may be null",
        (false, false) => "optional",
        (false, true) => "optional, may be null",
    }
}

/// The values, those that are codes on a line of their own with their meanings.
fn lines(values: &Values) -> Vec<String> {
    let quoted =
        |word: &&str| if word.is_empty() { "the empty string".to_owned() } else { format!("`{word}`") };
    if values.meanings.is_empty() {
        return vec![values.words.iter().map(quoted).collect::<Vec<_>>().join(", ")];
    }
    let meaning = |word: &str| values.meanings.iter().find(|(code, _)| *code == word);
    let line = |word: &&str| match meaning(word) {
        Some((_, meaning)) => format!("{} = {meaning}", quoted(word)),
        None => quoted(word),
    };
    values.words.iter().map(line).collect()
}

/// Adds a section, unless it is empty.
fn list(text: &mut String, title: &str, lines: impl IntoIterator<Item = String>) {
    let mut lines = lines.into_iter().peekable();
    if lines.peek().is_some() {
        let _ = write!(text, "\n{title}\n");
    }
    lines.for_each(|line| {
        let _ = writeln!(text, "  {line}");
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_path_leads_to_near_ones() {
        let members = Members::all();
        assert_eq!(members.near("customer.#.mobil")[0], "customers.#.mobile");
        assert_eq!(members.near("customers.mobile")[0], "customers.#.mobile");
        assert_eq!(members.near("mpxn"), ["supply_addresses.#.meter_points.#.mpxn"]);
        assert_eq!(members.near("").len() + members.near("qqqqqq.wwwwww").len(), 0);
        assert!(members.near("transaction_id").len() <= MAX_NEAR);
    }

    #[test]
    fn every_member_is_explained() {
        let members = Members::all();
        for member in &members.0 {
            let text = members.text(&members.at(&member.path));
            assert!(text.starts_with(&format!("{}\n  ", member.path)), "{text}");
            assert!(text.contains("\nCodes of its form\n"), "{text}");
        }
    }

    /// Codes come first: no member of a whole request may have the name of one.
    #[test]
    fn no_member_is_called_like_a_code() {
        let members = Members::all();
        let word = members.0.iter().find(|member| cutover_core::Code::from_word(&member.path).is_some());
        assert!(word.is_none(), "{:?}", word.map(|member| &member.path));
    }
}
