//! Import suppliers.

use super::dialect::Dialect;
use super::schema::{organisations, suppliers};
use super::sql_dialect::SqlDialect;
use super::types::{Json, Timestamp};
use super::{Conn, SqlTx, changed, number};
use crate::error::{Error, Result};
use chrono::{DateTime, Utc};
use cutover_app::port::{AnySuppliers, StoreError, Supplier, SupplierSettings, Suppliers, Waves};
use cutover_core::{Level, SupplierCode, Word};
use cutover_model::RuleValues;
use diesel::prelude::*;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Columns that the operator sets.
#[derive(Insertable, AsChangeset, Queryable, Selectable)]
#[diesel(table_name = suppliers, treat_none_as_null = true, treat_none_as_default_value = false)]
struct SettingsRow<'a> {
    status: Cow<'a, str>,
    document_root: Cow<'a, str>,
    verify_documents: bool,
    send_customer_emails: bool,
    dry_run: bool,
    max_concurrent_imports: Option<i64>,
    time_zone: Cow<'a, str>,
    rules: Option<Json<'static>>,
    waves: Option<String>,
    hold_on_errors: Option<String>,
    supplier_runs: bool,
    profile: Cow<'a, str>,
    country: Cow<'a, str>,
    undocumented_members: Cow<'a, str>,
    rule_values: Option<Json<'static>>,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = suppliers)]
struct SupplierRow {
    id: i64,
    organisation_id: i64,
    code: String,
    revision: i64,
    mark_key: Option<String>,
    created_at: Timestamp,
    #[diesel(embed)]
    settings: SettingsRow<'static>,
    #[diesel(select_expression = organisations::name)]
    organisation: String,
}

impl<'a> TryFrom<&'a SupplierSettings> for SettingsRow<'a> {
    type Error = Error;

    fn try_from(settings: &'a SupplierSettings) -> Result<Self> {
        let words: BTreeMap<&str, &str> =
            settings.rules.iter().map(|(id, level)| (id.as_str(), level.as_str())).collect();
        let set = *settings.rule_values != RuleValues::default();
        Ok(Self {
            status: settings.status.as_str().into(),
            document_root: settings.document_root.as_str().into(),
            verify_documents: settings.verify_documents,
            send_customer_emails: settings.send_customer_emails,
            dry_run: settings.dry_run,
            max_concurrent_imports: settings.max_concurrent_imports.map(i64::from),
            time_zone: settings.time_zone.name().into(),
            rules: if words.is_empty() { None } else { Some(Json::of(&words)?) },
            waves: (!settings.waves.is_none()).then(|| settings.waves.to_string()),
            hold_on_errors: settings.hold_on_errors.map(|share| share.to_string()),
            supplier_runs: settings.supplier_runs,
            profile: settings.profile.as_str().into(),
            country: settings.country.as_str().into(),
            undocumented_members: settings.undocumented_members.to_string().into(),
            rule_values: set.then(|| Json::of(&*settings.rule_values)).transpose()?,
        })
    }
}

impl TryFrom<SettingsRow<'_>> for SupplierSettings {
    type Error = Error;

    fn try_from(row: SettingsRow<'_>) -> Result<Self> {
        let max = row.max_concurrent_imports.map(|n| number(n, "max_concurrent_imports"));
        Ok(Self {
            status: Word::read(&row.status),
            document_root: row.document_root.into_owned(),
            verify_documents: row.verify_documents,
            send_customer_emails: row.send_customer_emails,
            dry_run: row.dry_run,
            max_concurrent_imports: max.transpose()?,
            time_zone: row.time_zone.parse().map_err(Error::corrupt)?,
            rules: rules(row.rules)?,
            waves: row.waves.map_or(Ok(Waves::default()), |waves| waves.parse()).map_err(Error::corrupt)?,
            hold_on_errors: row
                .hold_on_errors
                .map(|share| share.parse())
                .transpose()
                .map_err(Error::corrupt)?,
            supplier_runs: row.supplier_runs,
            profile: Word::read(&row.profile),
            country: Word::read(&row.country),
            undocumented_members: row.undocumented_members.parse().map_err(Error::corrupt)?,
            rule_values: row
                .rule_values
                .map(|json| json.read("values of rules").map(Arc::new))
                .transpose()?
                .unwrap_or_default(),
        })
    }
}

fn rules(json: Option<Json<'_>>) -> Result<BTreeMap<String, Word<Level>>> {
    let Some(json) = json else { return Ok(BTreeMap::new()) };
    let words: BTreeMap<String, String> = json.read("a profile")?;
    Ok(words.into_iter().map(|(id, word)| (id, Word::read(&word))).collect())
}

impl TryFrom<SupplierRow> for Supplier {
    type Error = Error;

    fn try_from(row: SupplierRow) -> Result<Self> {
        Ok(Self {
            id: row.id,
            organisation_id: row.organisation_id,
            organisation: row.organisation,
            code: row.code.parse().map_err(Error::corrupt)?,
            settings: row.settings.try_into()?,
            revision: row.revision,
            mark_key: row.mark_key,
            created_at: row.created_at.instant()?,
        })
    }
}

/// Selects suppliers with the names of their organisations.
macro_rules! suppliers {
    () => {
        suppliers::table.inner_join(organisations::table).select(SupplierRow::as_select())
    };
}

fn supplier(conn: &mut Conn, code: &SupplierCode) -> Result<Option<Supplier>> {
    let row = suppliers!().filter(suppliers::code.eq(code.as_str())).get_result(conn).optional()?;
    row.map(Supplier::try_from).transpose()
}

impl Suppliers for SqlTx<'_> {
    fn add_supplier(
        &mut self,
        organisation_id: i64,
        code: &SupplierCode,
        settings: &SupplierSettings,
        at: DateTime<Utc>,
    ) -> Result<Option<Supplier>, StoreError> {
        self.run(|conn| {
            let added = diesel::insert_into(suppliers::table)
                .values((
                    suppliers::organisation_id.eq(organisation_id),
                    suppliers::code.eq(code.as_str()),
                    suppliers::created_at.eq(Timestamp::from(at)),
                    SettingsRow::try_from(settings)?,
                ))
                .on_conflict_do_nothing()
                .execute(conn)?;
            if changed(added) { supplier(conn, code) } else { Ok(None) }
        })
    }

    fn lock_suppliers(&mut self) -> Result<(), StoreError> {
        self.run(Dialect::lock_suppliers)
    }

    fn set_supplier(&mut self, id: i64, settings: &SupplierSettings) -> Result<(), StoreError> {
        self.run(|conn| {
            let revision = suppliers::revision.eq(suppliers::revision + 1);
            diesel::update(suppliers::table.find(id))
                .set((SettingsRow::try_from(settings)?, revision))
                .execute(conn)?;
            Ok(())
        })
    }

    fn supplier_of(
        &mut self,
        organisation_id: i64,
        code: &SupplierCode,
    ) -> Result<Option<Supplier>, StoreError> {
        self.run(|conn| {
            let row = suppliers!()
                .filter(suppliers::code.eq(code.as_str()))
                .filter(suppliers::organisation_id.eq(organisation_id))
                .get_result(conn)
                .optional()?;
            row.map(Supplier::try_from).transpose()
        })
    }

    fn is_current(&mut self, supplier: &Supplier) -> Result<bool, StoreError> {
        self.run(|conn| {
            let row = suppliers::table.filter(suppliers::id.eq(supplier.id)).select(suppliers::revision);
            Ok(row.get_result(conn).optional()? == Some(supplier.revision))
        })
    }

    fn supplier_by_id(&mut self, id: i64) -> Result<Option<Supplier>, StoreError> {
        self.run(|conn| {
            let row = suppliers!().filter(suppliers::id.eq(id)).get_result(conn).optional()?;
            row.map(Supplier::try_from).transpose()
        })
    }

    fn suppliers_by_ids(&mut self, ids: &[i64]) -> Result<Vec<Supplier>, StoreError> {
        self.run(|conn| {
            let rows = suppliers!().filter(suppliers::id.eq_any(ids)).load(conn)?;
            rows.into_iter().map(Supplier::try_from).collect()
        })
    }
}

impl AnySuppliers for SqlTx<'_> {
    fn supplier(&mut self, code: &SupplierCode) -> Result<Option<Supplier>, StoreError> {
        self.run(|conn| supplier(conn, code))
    }

    fn suppliers(&mut self, organisation_id: Option<i64>) -> Result<Vec<Supplier>, StoreError> {
        self.run(|conn| {
            let all = suppliers!().order(suppliers::code);
            let rows = match organisation_id {
                Some(of) => all.filter(suppliers::organisation_id.eq(of)).load(conn)?,
                None => all.load(conn)?,
            };
            rows.into_iter().map(Supplier::try_from).collect()
        })
    }
}
