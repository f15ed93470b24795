use super::Context;
use crate::error::Error;
use crate::output::{At, Row};
use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use clap::Args;
use cutover_app::operator::AuditScope;
use cutover_app::port::{AuditAction, AuditRecord, Detail};
use serde::Serialize;

pub(super) const EXAMPLES: &str = "\
Examples:
  cutover audit
  cutover audit --since 2026-11-01 --supplier ACME
  cutover audit --action account.erase --json

What commands and the console did, the last action first: who (the system's user of a command, the key's prefix at
the console), what, and on what, by our own ids. It is written together with what it tells of, and is never changed.";

#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// Only what was done since then: a day, which begins in UTC, or a time such as 2026-11-21T08:00:00Z
    #[arg(long, value_name = "TIME", value_parser = since)]
    since: Option<DateTime<Utc>>,
    /// Only what was done to this supplier and its accounts
    #[arg(long, value_name = "CODE")]
    supplier: Option<String>,
    /// Only actions of this kind, such as supplier.set
    #[arg(long, value_name = "ACTION")]
    action: Option<AuditAction>,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: u32,
}

fn since(text: &str) -> Result<DateTime<Utc>, String> {
    let day = text.parse::<NaiveDate>().map(|day| day.and_time(NaiveTime::MIN).and_utc());
    let time = || DateTime::parse_from_rfc3339(text).map(|time| time.to_utc());
    day.or_else(|_| time()).map_err(|_| "it is a day or a time with its offset".to_owned())
}

#[derive(Serialize)]
struct Listed {
    id: i64,
    at: At,
    by: String,
    action: String,
    organisation: Option<String>,
    supplier: Option<String>,
    process_id: Option<i64>,
    detail: Detail,
}

impl From<AuditRecord> for Listed {
    fn from(record: AuditRecord) -> Self {
        let AuditRecord { id, at, by, action, organisation, supplier, process_id, detail } = record;
        Self { id, at: At::utc(at), by, action, organisation, supplier, process_id, detail }
    }
}

impl Listed {
    /// On what: the closest that is named.
    fn subject(&self) -> String {
        match (&self.supplier, &self.organisation, self.process_id) {
            (Some(supplier), _, Some(process)) => format!("{supplier} process {process}"),
            (Some(supplier), _, None) => supplier.clone(),
            (None, Some(organisation), _) => organisation.clone(),
            (None, None, _) => String::new(),
        }
    }
}

impl Row for Listed {
    const HEADS: &'static [&'static str] = &["WHEN", "WHO", "WHAT", "ON WHAT", "DETAIL"];
    const EMPTY: &'static str = "Nothing was done that is told of.";

    fn cells(&self) -> Vec<String> {
        let detail: Vec<_> = self.detail.facts().map(|(name, fact)| format!("{name}={fact}")).collect();
        vec![self.at.to_string(), self.by.clone(), self.action.clone(), self.subject(), detail.join(" ")]
    }
}

pub(super) fn run(context: &Context, args: AuditArgs) -> Result<(), Error> {
    let AuditArgs { since, supplier, action, limit } = args;
    let records = context.app()?.audit(&AuditScope { since, supplier, action, limit })?;
    Ok(context.output.list(&records.into_iter().map(Listed::from).collect::<Vec<_>>())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::listing;

    fn record(process_id: Option<i64>, detail: Detail) -> Listed {
        Listed::from(AuditRecord {
            id: 7,
            at: "2026-11-21T00:00:00Z".parse().unwrap(),
            by: "command:ana".into(),
            action: "account.erase".into(),
            organisation: Some("Acme Energy".into()),
            supplier: process_id.map(|_| "ACME".into()),
            process_id,
            detail,
        })
    }

    fn records() -> [Listed; 2] {
        [
            record(Some(3), Detail::default().count("customers", 2).word("x", "y")),
            record(None, Detail::default()),
        ]
    }

    #[test]
    fn people_read_a_line_an_action() {
        insta::assert_snapshot!(listing(Listed::HEADS, records().map(|listed| listed.cells())));
    }

    #[test]
    fn programs_read_all_of_it() {
        insta::assert_json_snapshot!(records());
    }

    #[test]
    fn a_time_is_a_day_or_has_its_offset() {
        assert_eq!(since("2026-11-21").unwrap(), "2026-11-21T00:00:00Z".parse::<DateTime<Utc>>().unwrap());
        assert_eq!(since("2026-11-21T01:00:00+01:00"), since("2026-11-21"));
        for bad in ["", "yesterday", "2026-11-21T00:00:00", "2026-13-01"] {
            assert!(since(bad).is_err(), "{bad}");
        }
    }
}
