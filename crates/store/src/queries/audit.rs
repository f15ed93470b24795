//! The audit trail of operators' actions.

use super::SqlTx;
use super::dialect::Db;
use super::schema::audit_trail;
use super::statement::Bind;
use super::types::{Json, Timestamp};
use crate::error::Result;
use crate::schema::columns;
use chrono::{DateTime, Utc};
use cutover_app::port::{AnyAudit, Audit, AuditAction, AuditEntry, AuditFilter, AuditRecord, StoreError};
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Nullable, Text};

statement! {
    /// A backup is of no organisation, so the index by action begins with null.
    LastBackup { action: &'static str } -> columns::Instant
        = "SELECT occurred_at FROM audit_trail WHERE organisation_id IS NULL AND action = " action
            " ORDER BY id DESC LIMIT 1"
}

/// The last actions that match. Only the given criteria are in the text, so that an index serves them.
#[derive(Debug)]
struct Last<'f> {
    filter: &'f AuditFilter,
    since: Option<Timestamp>,
    action: Option<&'static str>,
    limit: i64,
}

impl QueryFragment<Db> for Last<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        // The text differs with the criteria.
        out.unsafe_to_cache_prepared();
        out.push_sql(
            "SELECT a.id, a.occurred_at, a.actor, a.action, o.name, s.code, a.process_id, a.detail FROM audit_trail a \
             LEFT JOIN organisations o ON o.id = a.organisation_id LEFT JOIN suppliers s ON s.id = a.supplier_id",
        );
        let mut word = " WHERE ";
        let criteria: [(&str, Option<&'b dyn Bind>); 6] = [
            ("a.organisation_id = ", self.filter.organisation_id.as_ref().map(|id| id as &dyn Bind)),
            ("a.supplier_id = ", self.filter.supplier_id.as_ref().map(|id| id as &dyn Bind)),
            ("a.actor = ", self.filter.by.as_ref().map(|by| by as &dyn Bind)),
            ("a.action = ", self.action.as_ref().map(|action| action as &dyn Bind)),
            ("a.occurred_at >= ", self.since.as_ref().map(|since| since as &dyn Bind)),
            ("a.id < ", self.filter.before.as_ref().map(|id| id as &dyn Bind)),
        ];
        for (criterion, value) in criteria.into_iter().filter_map(|(text, value)| Some((text, value?))) {
            out.push_sql(word);
            out.push_sql(criterion);
            value.bind(&mut out)?;
            word = " AND ";
        }
        if self.filter.is_without_accounts {
            out.push_sql(word);
            out.push_sql("a.process_id IS NULL");
        }
        out.push_sql(" ORDER BY a.id DESC LIMIT ");
        self.limit.bind(&mut out)
    }
}

impl QueryId for Last<'_> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Query for Last<'_> {
    type SqlType = (
        BigInt,
        columns::Instant,
        Text,
        Text,
        Nullable<Text>,
        Nullable<Text>,
        Nullable<BigInt>,
        Nullable<columns::Json>,
    );
}

impl<C> RunQueryDsl<C> for Last<'_> {}

type Row =
    (i64, Timestamp, String, String, Option<String>, Option<String>, Option<i64>, Option<Json<'static>>);

fn record((id, at, by, action, organisation, supplier, process_id, detail): Row) -> Result<AuditRecord> {
    let detail = detail.map(|json| json.read("the detail of an action")).transpose()?.unwrap_or_default();
    Ok(AuditRecord { id, at: at.instant()?, by, action, organisation, supplier, process_id, detail })
}

impl Audit for SqlTx<'_> {
    fn record(&mut self, entry: &AuditEntry) -> Result<(), StoreError> {
        self.run(|conn| {
            let detail = (!entry.detail.is_empty()).then(|| Json::of(&entry.detail)).transpose()?;
            diesel::insert_into(audit_trail::table)
                .values((
                    audit_trail::occurred_at.eq(Timestamp::from(entry.at)),
                    audit_trail::actor.eq(entry.by.to_string()),
                    audit_trail::action.eq(entry.action.as_str()),
                    audit_trail::organisation_id.eq(entry.subject.organisation_id),
                    audit_trail::supplier_id.eq(entry.subject.supplier_id),
                    audit_trail::process_id.eq(entry.subject.process_id),
                    audit_trail::detail.eq(detail),
                ))
                .execute(conn)?;
            Ok(())
        })
    }

    fn last_backup_at(&mut self) -> Result<Option<DateTime<Utc>>, StoreError> {
        self.run(|conn| {
            let action = AuditAction::BackupBegun.as_str();
            let at: Option<Timestamp> = LastBackup { action }.get_result(conn).optional()?;
            at.map(|at| at.instant()).transpose()
        })
    }
}

impl AnyAudit for SqlTx<'_> {
    fn audit_records(&mut self, filter: &AuditFilter, limit: u32) -> Result<Vec<AuditRecord>, StoreError> {
        self.run(|conn| {
            let last = Last {
                filter,
                since: filter.since.map(Timestamp::from),
                action: filter.action.map(|action| action.as_str()),
                limit: limit.into(),
            };
            let rows: Vec<Row> = last.load(conn)?;
            rows.into_iter().map(record).collect()
        })
    }
}
