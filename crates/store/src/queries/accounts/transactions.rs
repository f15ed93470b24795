use super::super::schema::{line_items, tax_items, transactions};
use super::super::types::{Day, Digits, Json};
use super::builder::{Builder, identity, next, text};
use super::json::Members;
use super::rows::Tree;
use chrono::NaiveDate;
use cutover_model::{LineItem, TaxItem, Transaction, Writer};
use diesel::prelude::*;
use std::borrow::Cow;

row! {
    #[derive(Insertable, Queryable, Selectable)]
    #[diesel(table_name = transactions, treat_none_as_default_value = false)]
    pub(super) struct TransactionRow<'a> {
        pub(super) account_id: i64,
        position: i64,
        pub(super) ledger: i64,
        pub(super) statement: Cow<'a, str>,
        transaction_id: Cow<'a, str>,
        transaction_date: Day,
        amount: Digits<'a>,
        kind: Cow<'a, str>,
        reason: Option<Cow<'a, str>>,
        display_note: Option<Cow<'a, str>>,
        note: Option<Cow<'a, str>>,
        reference: Option<Cow<'a, str>>,
        payment_type: Option<Cow<'a, str>>,
        product_code: Option<Cow<'a, str>>,
        pub(super) sent_date: Option<Day>,
    }
}

row! {
    #[derive(Insertable, Queryable, Selectable)]
    #[diesel(table_name = line_items, treat_none_as_default_value = false)]
    pub(super) struct LineItemRow<'a> {
        pub(super) account_id: i64,
        pub(super) txn: i64,
        position: i64,
        rate_band: Option<Cow<'a, str>>,
        start_date: Day,
        end_date: Day,
        number_of_units: Digits<'a>,
        net_amount: Digits<'a>,
        price_per_unit: Option<Digits<'a>>,
        details: Option<Json<'a>>,
    }
}

const LINE_ITEM: &[&str] =
    &["rate_band", "start_date", "end_date", "number_of_units", "net_amount", "price_per_unit"];

row! {
    #[derive(Insertable, Queryable, Selectable)]
    #[diesel(table_name = tax_items, treat_none_as_default_value = false)]
    pub(super) struct TaxItemRow<'a> {
        pub(super) account_id: i64,
        pub(super) txn: i64,
        position: i64,
        amount: Digits<'a>,
        tax_type: Cow<'a, str>,
        value_taxed: Digits<'a>,
        rate: Digits<'a>,
        unit_type: Cow<'a, str>,
    }
}

impl<'a> Builder<'a> {
    pub(super) fn transactions(
        &mut self,
        ledger: i64,
        statement: &'static str,
        transactions: &'a [Transaction<'_>],
    ) {
        for transaction in transactions {
            self.transaction(next(&self.rows.transactions), ledger, statement, transaction, None);
        }
    }

    pub(super) fn transaction(
        &mut self,
        position: i64,
        ledger: i64,
        statement: &'static str,
        transaction: &'a Transaction<'_>,
        sent_date: Option<NaiveDate>,
    ) {
        self.rows.transactions.push(TransactionRow {
            account_id: self.account_id,
            position,
            ledger,
            statement: statement.into(),
            transaction_id: identity(&transaction.transaction_id),
            transaction_date: transaction.transaction_date.into(),
            amount: (&transaction.amount).into(),
            kind: transaction.kind.as_str().into(),
            reason: transaction.reason.as_ref().map(text),
            display_note: transaction.display_note.as_ref().map(text),
            note: transaction.note.as_ref().map(text),
            reference: transaction.reference.as_ref().map(text),
            payment_type: transaction.payment_type.map(|kind| kind.as_str().into()),
            product_code: transaction.product_code.as_ref().map(text),
            sent_date: sent_date.map(Day::from),
        });
        self.line_items(position, transaction.line_items.as_deref().unwrap_or_default());
        self.tax_items(position, transaction.tax_items.as_deref().unwrap_or_default());
    }

    fn line_items(&mut self, txn: i64, items: &'a [LineItem<'_>]) {
        for (position, item) in (0..).zip(items) {
            let row = LineItemRow {
                account_id: self.account_id,
                txn,
                position,
                rate_band: item.rate_band.as_ref().map(text),
                start_date: item.start_date.into(),
                end_date: item.end_date.into(),
                number_of_units: (&item.number_of_units).into(),
                net_amount: (&item.net_amount).into(),
                price_per_unit: item.price_per_unit.as_ref().map(Digits::from),
                details: self.details(item, LINE_ITEM),
            };
            self.rows.line_items.push(row);
        }
    }

    fn tax_items(&mut self, txn: i64, items: &'a [TaxItem<'_>]) {
        for (position, item) in (0..).zip(items) {
            self.rows.tax_items.push(TaxItemRow {
                account_id: self.account_id,
                txn,
                position,
                amount: (&item.amount).into(),
                tax_type: text(&item.tax_type),
                value_taxed: (&item.value_taxed).into(),
                rate: (&item.rate).into(),
                unit_type: item.unit_type.as_str().into(),
            });
        }
    }
}

impl TransactionRow<'_> {
    pub(super) fn write(&self, tree: &Tree<'_>, writer: &mut Writer) {
        writer.set("transaction_id", &self.transaction_id);
        writer.set("transaction_date", &self.transaction_date);
        writer.set("amount", &self.amount);
        writer.set("type", &self.kind);
        writer.set_if("reason", &self.reason);
        writer.set_if("display_note", &self.display_note);
        writer.set_if("note", &self.note);
        writer.set_if("reference", &self.reference);
        writer.set_if("payment_type", &self.payment_type);
        writer.set_if("product_code", &self.product_code);
        writer.list_if("line_items", false, tree.line_items.of(self.position), |row, w| row.write(w));
        writer.list_if("tax_items", false, tree.tax_items.of(self.position), |row, w| row.write(w));
    }
}

impl LineItemRow<'_> {
    fn write(&self, writer: &mut Writer) {
        writer.set_if("rate_band", &self.rate_band);
        writer.set("start_date", &self.start_date);
        writer.set("end_date", &self.end_date);
        writer.set("number_of_units", &self.number_of_units);
        writer.set("net_amount", &self.net_amount);
        writer.set_if("price_per_unit", &self.price_per_unit);
        writer.details(&self.details);
    }
}

impl TaxItemRow<'_> {
    fn write(&self, writer: &mut Writer) {
        writer.set("amount", &self.amount);
        writer.set("tax_type", &self.tax_type);
        writer.set("value_taxed", &self.value_taxed);
        writer.set("rate", &self.rate);
        writer.set("unit_type", &self.unit_type);
    }
}
