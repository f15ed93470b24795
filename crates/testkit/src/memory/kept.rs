//! Stored form of values: trimmed identities, decimals as strings, decisions of the import.

use cutover_app::port::{NewAccount, StoreError};
use cutover_core::Zone;
use cutover_model::service::{read_account, read_transaction};
use cutover_model::{
    Account, DateTime, Decimal, Encode, HistoricalStatement, IntoOwned, MeterPoint, Nullable, Text,
    Transaction, Writer,
};

/// Returns an account with trimmed identities, explicit kinds of meter points and dated notes.
pub(super) fn account(new: &NewAccount) -> Account<'static> {
    let mut account = new.account.clone();
    trim(&mut account.import_supplier);
    trim(&mut account.external_account_number);
    account.business.iter_mut().flat_map(|link| &mut link.business_contract_identifier).for_each(trim);
    let addresses = account.supply_addresses.iter_mut().flatten();
    addresses.flat_map(|entry| &mut entry.meter_points).for_each(meter_point);
    for ledger in account.ledgers.iter_mut().flatten() {
        let both =
            [&mut ledger.current_statement_transactions, &mut ledger.historical_statement_transactions];
        both.into_iter().flatten().flatten().for_each(|transaction| trim(&mut transaction.transaction_id));
    }
    account.statements.iter_mut().flatten().for_each(|statement| trim(&mut statement.statement_id));
    for note in account.notes.iter_mut().flatten() {
        note.created_at.get_or_insert_with(|| DateTime::at(new.imported_at, Zone::UTC));
    }
    account
}

fn meter_point(point: &mut MeterPoint<'static>) {
    point.common.supply_type = Some(point.variant.supply_type());
    trim(&mut point.common.mpxn);
    for agreement in point.common.agreements.iter_mut().flatten() {
        if let Nullable::Value(identifier) = &mut agreement.business_contract_identifier {
            trim(identifier);
        }
    }
}

fn trim(text: &mut Text<'static>) {
    *text = text.trimmed().to_owned().into();
}

/// Returns the stored form of an account; `zone` is the zone of its datetimes without offset.
pub(super) fn in_utc(account: &Account<'_>, zone: Zone) -> Result<Account<'static>, StoreError> {
    let mut writer = Writer::normal(zone, Zone::UTC);
    account.encode(&mut writer);
    let json = writer.into_bytes();
    let kept = read_account(&json).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    Ok(kept.into_owned())
}

/// Returns the stored form of a transaction.
pub(super) fn transaction(sent: &Transaction<'static>) -> Result<Transaction<'static>, StoreError> {
    let mut sent = sent.clone();
    trim(&mut sent.transaction_id);
    let mut writer = Writer::normal(Zone::UTC, Zone::UTC);
    sent.encode(&mut writer);
    let json = String::from_utf8(writer.into_bytes()).unwrap_or_default();
    let kept = read_transaction(&json).map(IntoOwned::into_owned);
    kept.ok_or_else(|| StoreError::Corrupt("a transaction cannot be read".into()))
}

/// Returns the stored form of a statement.
pub(super) fn statement(sent: &HistoricalStatement<'static>) -> HistoricalStatement<'static> {
    let amount = sent.gross_amount.value().and_then(|sent| Decimal::from_sent(&sent.digits(), true));
    let mut kept = HistoricalStatement {
        issued_date: sent.issued_date.value().map_or(Nullable::Absent, |date| Nullable::Value(*date)),
        gross_amount: amount.map_or(Nullable::Absent, Nullable::Value),
        ..sent.clone()
    };
    trim(&mut kept.statement_id);
    kept
}
