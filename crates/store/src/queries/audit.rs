//! The audit trail of operators' actions.

use super::SqlTx;
use super::dialect::{Db, columns};
use super::schema::audit_trail;
use super::statement::Bind;
use super::types::{Json, Timestamp};
use crate::error::Result;
use cutover_app::port::{Audit, AuditEntry, AuditFilter, AuditRecord, StoreError};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};

statement! {
    /// The last actions. There are few in comparison with accounts, so no index selects those of a kind or a
    /// supplier.
    Last {
        since: Timestamp,
        of_any_supplier: bool,
        supplier_id: i64,
        is_any: bool,
        action: String,
        limit: i64,
    } -> (BigInt, columns::Instant, Text, Text, Nullable<Text>, Nullable<Text>, Nullable<BigInt>, Nullable<columns::Json>)
        = "SELECT a.id, a.occurred_at, a.actor, a.action, o.name, s.code, a.process_id, a.detail FROM audit_trail a \
            LEFT JOIN organisations o ON o.id = a.organisation_id LEFT JOIN suppliers s ON s.id = a.supplier_id \
            WHERE a.occurred_at >= " since " AND (" of_any_supplier " OR a.supplier_id = " supplier_id
            ") AND (" is_any " OR a.action = " action ") ORDER BY a.id DESC LIMIT " limit
}

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

    fn audit_records(&mut self, filter: AuditFilter, limit: u32) -> Result<Vec<AuditRecord>, StoreError> {
        self.run(|conn| {
            let last = Last {
                since: filter.since.map_or(Timestamp::FIRST, Timestamp::from),
                of_any_supplier: filter.supplier_id.is_none(),
                supplier_id: filter.supplier_id.unwrap_or_default(),
                is_any: filter.action.is_none(),
                action: filter.action.map_or_else(String::new, |action| action.as_str().to_owned()),
                limit: limit.into(),
            };
            let rows: Vec<Row> = last.load(conn)?;
            rows.into_iter().map(record).collect()
        })
    }
}
