use super::check::Checked;
use cutover_core::Level;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::HashMap;

/// A code, its number of findings, and the first of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct CodeCount {
    pub(crate) code: Cow<'static, str>,
    pub(crate) count: u64,
    pub(crate) example: Example,
}

/// Location of a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Example {
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) import_supplier: Option<String>,
    pub(crate) external_account_number: Option<String>,
    pub(crate) attr: String,
    /// The value as sent; `None` unless `--show-values` is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<String>,
}

/// Maximum number of codes in a summary.
const TOP: usize = 20;

/// Number of findings by code.
#[derive(Debug, Default)]
pub(crate) struct TopCodes(HashMap<(Level, Cow<'static, str>), Counted>);

#[derive(Debug)]
struct Counted {
    count: u64,
    example: Example,
}

impl TopCodes {
    /// Counts a finding; the first one of a code becomes its example.
    pub(crate) fn add(&mut self, level: Level, code: Cow<'static, str>, example: impl FnOnce() -> Example) {
        let counted = self.0.entry((level, code));
        counted.or_insert_with(|| Counted { count: 0, example: example() }).count += 1;
    }

    /// Counts the findings of an account.
    pub(crate) fn add_all(&mut self, checked: &Checked, file: &str, line: u32) {
        for finding in &checked.findings {
            self.add(finding.level, finding.code.into(), || Example {
                value: finding.value.clone(),
                ..finding.row(file, line, checked).example()
            });
        }
    }

    /// The most frequent codes of a level; equally frequent ones in alphabetical order.
    pub(crate) fn top(&self, level: Level) -> Vec<CodeCount> {
        let found = self.0.iter().filter(|((of, _), _)| *of == level);
        let mut codes: Vec<CodeCount> = found
            .map(|((_, code), found)| CodeCount {
                code: code.clone(),
                count: found.count,
                example: found.example.clone(),
            })
            .collect();
        codes.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.code.cmp(&b.code)));
        codes.truncate(TOP);
        codes
    }
}
