use super::zones::{SupplierZone, named};
use crate::assemble::TableCounts;
use crate::exit::Exit;
use crate::expect::{self, Difference};
use crate::output::{document, duration, grouped, inputs, rate, warnings};
use crate::report::{Causes, Page, alerts};
use cutover_core::plain;
use serde::{Serialize, Serializer};

/// Totals of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Summary {
    /// True if it was stopped before its end.
    pub(crate) interrupted: bool,
    /// Inputs that were opened.
    pub(crate) files: u64,
    /// Inputs that could not be read, or not to their end.
    pub(crate) unreadable_files: u64,
    /// The tables that accounts were made of, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tables: Option<TableCounts>,
    /// Accounts that were checked.
    pub(crate) accounts: u64,
    /// Accounts without an error.
    pub(crate) valid: u64,
    /// Accounts with at least one error.
    pub(crate) faulty: u64,
    /// Accounts with at least one warning of their own.
    pub(crate) with_warnings: u64,
    /// Errors of all accounts.
    pub(crate) errors: u64,
    /// Warnings of all accounts.
    pub(crate) warnings: u64,
    /// Those of them that are about what many accounts have in common.
    pub(crate) warnings_across_accounts: u64,
    #[serde(flatten)]
    pub(crate) causes: Causes,
    /// The zones of the suppliers' days.
    pub(crate) time_zones: Vec<SupplierZone>,
    /// Ids of the rules that only the service can check.
    pub(crate) not_checked: &'static [&'static str],
    /// Accounts with which later ones were not compared, or not with all of their values, because too many came before.
    pub(crate) not_compared: u64,
    /// Where the inputs differ from what the source system counted; `None` if that was not compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) differences: Option<Vec<Difference>>,
    /// Duration of the run.
    #[serde(rename = "seconds", serialize_with = "seconds")]
    pub(crate) milliseconds: u64,
}

/// Sentence for people; empty if all accounts were compared.
pub(crate) fn not_compared(accounts: u64) -> String {
    match accounts {
        0 => String::new(),
        _ => format!(
            "Not compared with later accounts, because too many came before: numbers or other values of {} accounts.",
            grouped(accounts)
        ),
    }
}

pub(crate) fn seconds<S: Serializer>(milliseconds: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(std::time::Duration::from_millis(*milliseconds).as_secs_f64())
}

impl Summary {
    /// Exit code.
    pub(crate) fn exit(&self) -> Exit {
        if self.interrupted {
            Exit::Interrupted
        } else if self.unreadable_files > 0 {
            Exit::Failed
        } else if self.faulty > 0
            || self.differences.as_ref().is_some_and(|found| !found.is_empty())
            || self.tables.is_some_and(|tables| tables.findings > 0)
        {
            Exit::Faulty
        } else {
            Exit::Success
        }
    }

    /// One JSON document for programs.
    pub(crate) fn json(&self) -> String {
        #[derive(Serialize)]
        struct WithRate<'s> {
            #[serde(flatten)]
            summary: &'s Summary,
            accounts_per_second: u64,
        }
        document(&WithRate { summary: self, accounts_per_second: rate(self.accounts, self.milliseconds) })
    }

    /// Text for people.
    pub(crate) fn text(&self) -> String {
        let mut text = self.sums().fold(String::new(), |text, (name, value)| text + name + &value + "\n");
        text += &self.causes.text();
        text += &expect::text(self.differences.as_deref());
        text += &format!("\nNot checked, because only the service can: {}\n", self.not_checked.join(", "));
        if self.not_compared > 0 {
            text += &format!("\n{}\n", not_compared(self.not_compared));
        }
        if self.interrupted {
            text += "\nInterrupted: the rest of the inputs was not checked.\n";
        }
        text
    }

    /// Content of the HTML report.
    pub(crate) fn page(&self) -> Page {
        let sums = [
            ("Files", self.files),
            ("Accounts", self.accounts),
            ("Valid", self.valid),
            ("Faulty", self.faulty),
            ("Errors", self.errors),
            ("Warnings", self.warnings),
        ];
        let sums = sums.map(|(name, value)| (name, grouped(value)));
        let tables = self.tables.map(|tables| ("Tables", tables.to_string()));
        let zones = ("Time zone", named(&self.time_zones));
        let not_checked = self.not_checked.join(", ");
        Page {
            title: "Validation of accounts",
            alerts: alerts(self.interrupted, None, self.unreadable_files)
                .into_iter()
                .chain(expect::alerts(self.differences.as_deref()))
                .collect(),
            sums: sums.into_iter().chain(tables).chain([zones]).collect(),
            remark: format!(
                "Not checked, because only the service can: {not_checked}. {}",
                not_compared(self.not_compared)
            )
            .trim_end()
            .to_owned(),
            tops: self.causes.tops(),
        }
    }

    fn sums(&self) -> impl Iterator<Item = (&'static str, String)> {
        let tables = self.tables.map(|tables| ("Tables    ", tables.to_string()));
        let files = ("Files     ", inputs(self.files, self.unreadable_files));
        let accounts = [
            ("Accounts  ", grouped(self.accounts)),
            ("  valid   ", grouped(self.valid)),
            ("  faulty  ", format!("{}, with {} errors", grouped(self.faulty), grouped(self.errors))),
            ("Warnings  ", warnings(self.warnings, self.with_warnings, self.warnings_across_accounts)),
            ("Time      ", duration(self.accounts, self.milliseconds)),
            ("Time zone ", plain(&named(&self.time_zones))),
        ];
        std::iter::once(files).chain(tables).chain(accounts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{CodeCount, Example};
    use cutover_model::Others;

    fn summary() -> Summary {
        let example = Example {
            file: "a\u{1b}[31m.ndjson".into(),
            line: 7,
            import_supplier: Some("ACME".into()),
            external_account_number: None,
            attr: "customers.0.email".into(),
            value: None,
            source: None,
        };
        Summary {
            interrupted: true,
            files: 2,
            unreadable_files: 1,
            tables: None,
            accounts: 1_234_567,
            valid: 1_234_000,
            faulty: 567,
            with_warnings: 2,
            errors: 1_000,
            warnings: 3,
            warnings_across_accounts: 1,
            causes: Causes {
                top_errors: vec![CodeCount {
                    code: "invalid_email_address".into(),
                    attr: "customers.#.email".into(),
                    count: 1_000,
                    detail: "This is not an e-mail address.".into(),
                    example,
                }],
                other_errors: Others { kinds: 2, count: 3 },
                ..Causes::default()
            },
            time_zones: vec![SupplierZone::new(Some("ACME"), cutover_core::Zone::UTC, true)],
            not_checked: &["PST-01"],
            not_compared: 4_567,
            differences: None,
            milliseconds: 20_450,
        }
    }

    #[test]
    fn people_get_columns() {
        insta::assert_snapshot!(summary().text());
    }

    #[test]
    fn programs_get_one_document() {
        insta::assert_snapshot!(summary().json());
    }

    #[test]
    fn failures_take_precedence_over_faulty_accounts() {
        let exit = |interrupted, unreadable_files, faulty| {
            Summary { interrupted, unreadable_files, faulty, ..summary() }.exit()
        };
        assert_eq!(exit(true, 1, 1), Exit::Interrupted);
        assert_eq!(exit(false, 1, 1), Exit::Failed);
        assert_eq!(exit(false, 0, 1), Exit::Faulty);
        assert_eq!(exit(false, 0, 0), Exit::Success);
    }
}
