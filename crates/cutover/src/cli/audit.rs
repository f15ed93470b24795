use crate::context::Context;
use crate::error::Error;
use crate::output::{Row, ZonedTime};
use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use clap::Args;
use cutover_app::operator::AuditScope;
use cutover_app::port::{AuditAction, AuditRecord, Detail};
use cutover_core::Zone;
use serde::Serialize;

pub(super) const EXAMPLES: &str = "\
Examples:
  cutover audit
  cutover audit --since 2026-11-01 --supplier ACME
  cutover audit --action account.erase --json

Lists the actions of commands and of the console, newest first: the actor (the system user of a command, the key's
prefix at the console), the action, and its subject by internal ids. A record is written in the transaction of its
action, and is never changed. Times are in the zone that the suppliers have in common, otherwise in UTC.";

#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// Only actions since this day (in UTC) or time, for example 2026-11-21T08:00:00Z
    #[arg(long, value_name = "TIME", value_parser = since)]
    since: Option<DateTime<Utc>>,
    /// Only actions on this supplier and its accounts
    #[arg(long, value_name = "CODE")]
    supplier: Option<String>,
    /// Only actions of this kind, for example supplier.set
    #[arg(long, value_name = "ACTION")]
    action: Option<AuditAction>,
    /// Maximum number of rows to print
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: u32,
}

pub(in crate::cli) fn since(text: &str) -> Result<DateTime<Utc>, String> {
    let day = text.parse::<NaiveDate>().map(|day| day.and_time(NaiveTime::MIN).and_utc());
    let time = || DateTime::parse_from_rfc3339(text).map(|time| time.to_utc());
    day.or_else(|_| time()).map_err(|_| "not a day, nor a time with an offset".to_owned())
}

#[derive(Serialize)]
struct Listed {
    id: i64,
    at: ZonedTime,
    by: String,
    action: String,
    organisation: Option<String>,
    supplier: Option<String>,
    process_id: Option<i64>,
    detail: Detail,
}

impl Listed {
    /// Returns the row of an action, with its time in a zone.
    fn new(record: AuditRecord, zone: Zone) -> Self {
        let AuditRecord { id, at, by, action, organisation, supplier, process_id, detail } = record;
        Self { id, at: ZonedTime::common(at, zone), by, action, organisation, supplier, process_id, detail }
    }

    /// The subject: the most specific one that is recorded.
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
    const TIMES: &'static [&'static str] = &["WHEN"];
    const EMPTY: &'static str = "No actions match.";

    fn cells(&self) -> Vec<String> {
        let detail: Vec<_> = self.detail.facts().map(|(name, fact)| format!("{name}={fact}")).collect();
        vec![self.at.to_string(), self.by.clone(), self.action.clone(), self.subject(), detail.join(" ")]
    }
}

pub(super) fn run(context: &Context, args: AuditArgs) -> Result<(), Error> {
    let AuditArgs { since, supplier, action, limit } = args;
    let scope = AuditScope { since, supplier, action, limit, ..AuditScope::default() };
    let app = context.app()?;
    let by = app.as_command();
    let records = by.audit(&scope)?;
    let zone = scope.supplier.as_deref().map_or_else(|| by.common_zone(None), |code| by.zone_of(code))?;
    let rows: Vec<_> = records.into_iter().map(|record| Listed::new(record, zone)).collect();
    Ok(context.output.list_in(&rows, zone)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::listing_in;

    fn record(process_id: Option<i64>, detail: Detail) -> Listed {
        let record = AuditRecord {
            id: 7,
            at: "2026-11-21T00:00:00Z".parse().unwrap(),
            by: "command:ana".into(),
            action: "account.erase".into(),
            organisation: Some("Acme Energy".into()),
            supplier: process_id.map(|_| "ACME".into()),
            process_id,
            detail,
        };
        Listed::new(record, "Australia/Melbourne".parse().unwrap())
    }

    fn records() -> [Listed; 2] {
        [
            record(Some(3), Detail::default().count("customers", 2).word("x", "y")),
            record(None, Detail::default()),
        ]
    }

    #[test]
    fn the_text_has_a_line_per_action() {
        insta::assert_snapshot!(listing_in(&records(), "Australia/Melbourne".parse().unwrap()));
    }

    #[test]
    fn the_json_has_every_member() {
        insta::assert_json_snapshot!(records());
    }

    #[test]
    fn a_time_is_a_day_or_has_an_offset() {
        assert_eq!(since("2026-11-21").unwrap(), "2026-11-21T00:00:00Z".parse::<DateTime<Utc>>().unwrap());
        assert_eq!(since("2026-11-21T01:00:00+01:00"), since("2026-11-21"));
        for bad in ["", "yesterday", "2026-11-21T00:00:00", "2026-13-01"] {
            assert!(since(bad).is_err(), "{bad}");
        }
    }
}
