use super::check::Checked;
use crate::report::{CodeCount, Example};
use cutover_core::Level;
use std::borrow::Cow;
use std::collections::HashMap;

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
                ..checked.row(finding, file, line).example()
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
