//! Removes all rows of accounts (decision 0018) and of suppliers (decision 0044).

use super::runs::erase_outcomes;
use super::schema::{
    account_additions, account_events, account_instructions, accounts, agreements,
    business_instruction_accounts, customers, folded_numbers, historical_statements, ledgers, line_items,
    meter_points, meters, note_documents, notes, payloads, payment_instructions, payment_schedules,
    previous_attempts, process_causes, process_contracts, process_history, processes,
    property_administrators, readings, registers, statements, supply_addresses, tax_items, transactions,
    wave_accounts,
};
use super::types::Digits;
use super::{Conn, SqlTx, number, rows, terms};
use crate::error::{Error, Result};
use cutover_app::port::{ErasedRows, Erasure, ErasureMark, StoreError};
use cutover_model::Totals;
use cutover_model::service::names_document;
use diesel::prelude::*;
use std::collections::BTreeSet;

mod marks;
mod suppliers;

/// Removes accounts, but not their processes.
pub(super) fn erase_accounts(conn: &mut Conn, ids: &[i64]) -> Result<Vec<ErasedRows>> {
    Ok(erase!(conn, ids:
        line_items.account_id
        tax_items.account_id
        transactions.account_id
        ledgers.account_id
        readings.account_id
        registers.account_id
        meters.account_id
        agreements.account_id
        meter_points.account_id
        property_administrators.account_id
        supply_addresses.account_id
        customers.account_id
        payment_instructions.account_id
        payment_schedules.account_id
        statements.account_id
        note_documents.account_id
        notes.account_id
        account_events.account_id
        historical_statements.account_id
        account_instructions.account_id
        account_additions.account_id
        business_instruction_accounts.account_id
        accounts.id
    ))
}

fn erase(conn: &mut Conn, ids: &[i64]) -> Result<Vec<ErasedRows>> {
    let mut erased = erase_accounts(conn, ids)?;
    erased.extend(erase_outcomes(conn, ids)?);
    erased.extend(terms::erase(conn, ids)?);
    erased.extend(erase!(conn, ids:
        folded_numbers.process_id
        process_contracts.process_id
        payloads.process_id
        previous_attempts.process_id
        wave_accounts.process_id
        process_history.process_id
        process_causes.process_id
        processes.id
    ));
    Ok(erased)
}

/// Counts the rows of an account in a table.
macro_rules! count {
    ($conn:ident, $id:ident, $table:ident) => {{
        let rows = $table::table.filter($table::account_id.eq($id)).count();
        number::<i64, u64>(rows.get_result($conn)?, "a number of rows")?
    }};
}

/// Reads a column of the rows of an account, in their order.
macro_rules! column {
    ($conn:ident, $id:ident, $table:ident.$column:ident) => {
        $table::table
            .filter($table::account_id.eq($id))
            .order($table::table.primary_key())
            .select($table::$column)
            .load($conn)?
    };
}

/// Returns the statement paths that name a document.
fn documents(paths: Vec<Option<String>>) -> impl Iterator<Item = String> {
    paths.into_iter().flatten().filter(|path| names_document(Some(&path.as_str().into())))
}

/// Counts the totals of an account from its rows. Its numbers of rows are those that were counted in the figures of its supplier.
pub(super) fn totals(conn: &mut Conn, id: i64) -> Result<Totals> {
    let balances: Vec<Option<Digits<'static>>> = column!(conn, id, ledgers.balance);
    let counts: Option<String> = accounts::table.find(id).select(accounts::total_rows).get_result(conn)?;
    let counted = Totals {
        accounts: 1,
        readings: count!(conn, id, readings),
        transactions: count!(conn, id, transactions),
        documents: paths(conn, id)?.len() as u64,
        rows: rows::read_known(counts.as_deref())?,
        ..Totals::default()
    };
    let add = |all: Totals, digits: &Digits<'_>| {
        let ledger_balance = digits.decimal()?.value();
        let sum = all.checked_add(Totals { ledger_balance, ..Totals::default() });
        sum.ok_or(Error::Unfit("a sum of balances is out of range"))
    };
    balances.iter().flatten().try_fold(counted, add)
}

fn paths(conn: &mut Conn, id: i64) -> Result<Vec<String>> {
    let mut paths: Vec<String> = column!(conn, id, note_documents.document_path);
    paths.extend(documents(column!(conn, id, statements.statement_path)));
    paths.extend(documents(column!(conn, id, historical_statements.statement_path)));
    Ok(paths)
}

impl Erasure for SqlTx<'_> {
    fn account_totals(&mut self, account_id: i64) -> Result<Option<Totals>, StoreError> {
        self.run(|conn| {
            let account = accounts::table.find(account_id).select(accounts::id);
            let is_imported = account.get_result::<i64>(conn).optional()?.is_some();
            is_imported.then(|| totals(conn, account_id)).transpose()
        })
    }

    fn account_documents(&mut self, account_id: i64) -> Result<Vec<String>, StoreError> {
        self.run(|conn| paths(conn, account_id))
    }

    fn erase(&mut self, process_ids: &[i64]) -> Result<Vec<ErasedRows>, StoreError> {
        self.run(|conn| erase(conn, process_ids))
    }

    fn set_mark_key(&mut self, supplier_id: i64, key_id: &str) -> Result<(), StoreError> {
        self.run(|conn| marks::set_key(conn, supplier_id, key_id))
    }

    fn add_erasure_mark(&mut self, supplier_id: i64, mark: ErasureMark) -> Result<(), StoreError> {
        self.run(|conn| marks::add(conn, supplier_id, mark))
    }

    fn erasure_marks_among(
        &mut self,
        supplier_id: i64,
        marks: &[ErasureMark],
    ) -> Result<BTreeSet<ErasureMark>, StoreError> {
        self.run(|conn| marks::among(conn, supplier_id, marks))
    }

    fn remove_erasure_mark(&mut self, supplier_id: i64, mark: ErasureMark) -> Result<bool, StoreError> {
        self.run(|conn| marks::remove(conn, supplier_id, mark))
    }

    fn supplier_rows(&mut self, supplier_id: i64) -> Result<Vec<ErasedRows>, StoreError> {
        self.run(|conn| suppliers::count(conn, supplier_id))
    }

    fn erase_minutes_and_jobs(
        &mut self,
        supplier_id: i64,
        job_id: i64,
        limit: u32,
    ) -> Result<Vec<ErasedRows>, StoreError> {
        self.run(|conn| suppliers::erase_some(conn, supplier_id, job_id, limit.into()))
    }

    fn erase_supplier(&mut self, supplier_id: i64) -> Result<Option<Vec<ErasedRows>>, StoreError> {
        self.run(|conn| suppliers::erase(conn, supplier_id))
    }
}
