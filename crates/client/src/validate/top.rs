use super::check::Checked;
use crate::report::{Causes, CodeCount, Example, Row};
use cutover_core::Level;
use cutover_model::Others;
use std::collections::HashMap;

/// Maximum number of kinds in a summary.
const TOP: usize = 20;
/// Maximum number of kinds that are told apart: paths hold names of members that are not documented.
const MAX_KINDS: usize = 10_000;
/// The path of further kinds.
const ELSEWHERE: &str = "*";

/// Number of findings by code and pattern of their paths.
#[derive(Debug, Default)]
pub(crate) struct TopCodes(HashMap<Kind, Counted>);

/// Findings of one kind have code and path in common, where the path has `#` for indexes.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Kind {
    level: Level,
    code: String,
    attr: String,
}

#[derive(Debug)]
struct Counted {
    count: u64,
    detail: String,
    example: Example,
}

impl TopCodes {
    /// Counts a finding; the first one of a kind becomes its example.
    pub(crate) fn add(&mut self, level: Level, row: &Row<'_>) {
        self.add_with_value(level, row, None);
    }

    fn add_with_value(&mut self, level: Level, row: &Row<'_>, value: Option<&String>) {
        let attr = pattern(row.attr.unwrap_or_default());
        let mut kind = Kind { level, code: row.code.to_owned(), attr };
        if self.0.len() >= MAX_KINDS && !self.0.contains_key(&kind) {
            ELSEWHERE.clone_into(&mut kind.attr);
        }
        let counted = self.0.entry(kind).or_insert_with(|| Counted {
            count: 0,
            detail: without_value(row.detail, value).to_owned(),
            example: Example { value: value.cloned(), ..row.example() },
        });
        counted.count += 1;
    }

    /// Counts the findings of an account.
    pub(crate) fn add_all(&mut self, checked: &Checked, file: &str, line: u32) {
        for finding in &checked.findings {
            self.add_with_value(finding.level, &checked.row(finding, file, line), finding.value.as_ref());
        }
    }

    /// The most frequent errors and warnings.
    pub(crate) fn causes(&self) -> Causes {
        let ((top_errors, other_errors), (top_warnings, other_warnings)) =
            (self.top(Level::Error), self.top(Level::Warning));
        Causes { top_errors, other_errors, top_warnings, other_warnings }
    }

    /// The most frequent kinds of a level, equally frequent ones in alphabetical order, and what the others come to.
    fn top(&self, level: Level) -> (Vec<CodeCount>, Others) {
        let found = self.0.iter().filter(|(kind, _)| kind.level == level);
        let mut kinds: Vec<CodeCount> = found
            .map(|(kind, found)| CodeCount {
                code: kind.code.clone(),
                attr: kind.attr.clone(),
                count: found.count,
                detail: found.detail.clone(),
                example: found.example.clone(),
            })
            .collect();
        kinds.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| (&a.code, &a.attr).cmp(&(&b.code, &b.attr))));
        let others = Others::beyond(&mut kinds, TOP, |kind| kind.count);
        (kinds, others)
    }
}

/// The path with `#` for indexes.
fn pattern(attr: &str) -> String {
    let is_index = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts = attr.split('.').map(|part| if is_index(part) { "#" } else { part });
    parts.collect::<Vec<_>>().join(".")
}

/// The text without the value, which the example has.
fn without_value<'d>(detail: &'d str, value: Option<&String>) -> &'d str {
    let suffix = value.map(|value| format!(" Sent: {value}"));
    suffix.and_then(|suffix| detail.strip_suffix(suffix.as_str())).unwrap_or(detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row<'r>(code: &'r str, attr: &'r str) -> Row<'r> {
        Row { code, attr: Some(attr), ..Row::of_run(Some("f"), cutover_core::Code::Invalid, "It is so.") }
    }

    #[test]
    fn findings_are_grouped_by_code_and_pattern() {
        let mut codes = TopCodes::default();
        for attr in ["customers.0.mobile", "customers.12.mobile", "customers.0.landline"] {
            codes.add(Level::Error, &row("invalid_phone_number", attr));
        }
        let Causes { top_errors, other_errors, .. } = codes.causes();
        let shown: Vec<_> = top_errors.iter().map(|kind| (&*kind.attr, kind.count)).collect();
        assert_eq!(shown, [("customers.#.mobile", 2), ("customers.#.landline", 1)]);
        assert_eq!((other_errors, &*top_errors[0].detail), (Others::default(), "It is so."));
        assert_eq!(top_errors[0].example.attr, "customers.0.mobile");
    }

    #[test]
    fn what_is_not_shown_is_counted() {
        let mut codes = TopCodes::default();
        for n in 0..25 {
            (0..=n / 5).for_each(|_| codes.add(Level::Warning, &row("invalid", &format!("member_{n:02}"))));
        }
        let Causes { top_warnings, other_warnings, .. } = codes.causes();
        assert_eq!((top_warnings.len(), other_warnings), (20, Others { kinds: 5, count: 5 }));
    }

    #[test]
    fn names_of_members_do_not_fill_the_memory() {
        let mut codes = TopCodes::default();
        (0..MAX_KINDS + 50).for_each(|n| codes.add(Level::Error, &row("unknown_field", &format!("x{n}"))));
        assert_eq!(codes.0.len(), MAX_KINDS + 1);
        assert_eq!((&*codes.causes().top_errors[0].attr, codes.causes().top_errors[0].count), ("*", 50));
    }
}
