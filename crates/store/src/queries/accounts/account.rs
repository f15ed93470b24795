use super::super::schema::{accounts, suppliers};
use super::super::types::{Day, Digits, Json, Timestamp};
use super::super::{Conn, fit, rows};
use super::builder::{details, identity, text};
use super::json::Members;
use crate::error::Result;
use cutover_app::port::NewAccount;
use cutover_model::Writer;
use diesel::prelude::*;
use std::borrow::Cow;
use std::collections::HashMap;

row! {
    /// Columns of an account.
    #[derive(Insertable, Queryable, Selectable)]
    #[diesel(table_name = accounts, treat_none_as_default_value = false)]
    pub(super) struct AccountRow<'a> {
        pub(super) id: i64,
        supplier_id: i64,
        external_account_number: Cow<'a, str>,
        pub(super) number: Cow<'a, str>,
        pub(super) customer_emails: bool,
        pub(super) imported_at: Timestamp,
        communication_preference: Option<Cow<'a, str>>,
        billing_name: Option<Cow<'a, str>>,
        transfer_balance: Option<Digits<'a>>,
        last_billed_to_date: Option<Day>,
        business_contract_identifier: Option<Cow<'a, str>>,
        details: Option<Json<'a>>,
        total_balance: Option<Cow<'a, str>>,
        total_readings: Option<i64>,
        total_transactions: Option<i64>,
        total_documents: Option<i64>,
        total_rows: Option<Cow<'a, str>>,
    }
}

/// Members that are not among the details.
const OTHERS: &[&str] = &[
    "import_supplier",
    "external_account_number",
    "communication_preference",
    "billing_name",
    "transfer_balance",
    "last_billed_to_date",
    "business",
    "customers",
    "supply_addresses",
    "ledgers",
    "payment_instructions",
    "payment_schedules",
    "statements",
    "notes",
    "events",
];

impl<'a> AccountRow<'a> {
    pub(super) fn new(new: &'a NewAccount) -> Result<Self> {
        let (account, totals) = (&new.account, &new.totals);
        let contract = account.business.as_ref().and_then(|b| b.business_contract_identifier.as_ref());
        Ok(Self {
            id: new.process_id,
            supplier_id: new.supplier_id,
            external_account_number: identity(&account.external_account_number),
            number: new.number.as_str().into(),
            customer_emails: new.customer_emails,
            imported_at: new.imported_at.into(),
            communication_preference: account.communication_preference.map(|c| c.as_str().into()),
            billing_name: account.billing_name.as_ref().map(text),
            transfer_balance: account.transfer_balance.as_ref().map(Digits::from),
            last_billed_to_date: account.last_billed_to_date.map(Day::from),
            business_contract_identifier: contract.map(identity),
            details: details(account, OTHERS, new.zone),
            total_balance: Some(totals.ledger_balance.to_string().into()),
            total_readings: Some(fit(totals.readings)?),
            total_transactions: Some(fit(totals.transactions)?),
            total_documents: Some(fit(totals.documents)?),
            total_rows: Some(rows::write(&totals.rows).into()),
        })
    }

    pub(super) fn write(&self, supplier: &str, writer: &mut Writer) {
        writer.set("import_supplier", &Cow::from(supplier));
        writer.set("external_account_number", &self.external_account_number);
        writer.set_if("communication_preference", &self.communication_preference);
        writer.set_if("billing_name", &self.billing_name);
        writer.set_if("transfer_balance", &self.transfer_balance);
        writer.set_if("last_billed_to_date", &self.last_billed_to_date);
        if self.business_contract_identifier.is_some() {
            writer.name("business");
            writer.object(|writer| {
                writer.set_if("business_contract_identifier", &self.business_contract_identifier);
            });
        }
        writer.details(&self.details);
    }
}

/// Returns accounts by their keys, with the codes of their suppliers.
pub(super) fn load(conn: &mut Conn, ids: &[i64]) -> Result<HashMap<i64, (AccountRow<'static>, String)>> {
    let rows: Vec<(AccountRow<'static>, String)> = accounts::table
        .inner_join(suppliers::table)
        .filter(accounts::id.eq_any(ids))
        .select((AccountRow::as_select(), suppliers::code))
        .load(conn)?;
    Ok(rows.into_iter().map(|row| (row.0.id, row)).collect())
}
