//! The totals of the payload of a process, in columns that triggers add up.

use super::super::dialect::Db;
use super::super::schema::processes;
use super::super::statement::Bind;
use super::super::{Conn, fit, rows};
use crate::error::{Error, Result};
use cutover_model::rust_decimal::Decimal;
use cutover_model::{RowCounts, Totals};
use diesel::prelude::*;
use diesel::sql_types::{Nullable, Text};

/// Number of decimal places that are kept, and the base of the parts of a balance. A payload has no more digits after the
/// point (fields 1.5).
const PLACES: u32 = 10;
const BASE: i128 = 10_i128.pow(PLACES);

/// The totals of a payload, or sums of such. The balance times 10^10 is `(high * BASE + units) * BASE + fraction`; the
/// parts of one payload are less than 10^10 each and have the same sign, so that hundreds of millions can be added.
#[derive(Debug, Clone, Copy, Default, Insertable, AsChangeset, Queryable, Selectable)]
#[diesel(table_name = processes)]
pub(crate) struct Sent {
    pub(crate) sent_high: i64,
    pub(crate) sent_units: i64,
    pub(crate) sent_fraction: i64,
    pub(crate) sent_readings: i64,
    pub(crate) sent_transactions: i64,
    pub(crate) sent_documents: i64,
}

impl Sent {
    pub(crate) fn of(totals: &Totals) -> Result<Self> {
        let balance = totals.ledger_balance.normalize();
        let too_small = || Error::Unfit("a balance has too many decimal places");
        let shift = PLACES.checked_sub(balance.scale()).ok_or_else(too_small)?;
        // The mantissa has 96 bits, and this product at most 28 + 10 digits.
        let scaled = balance.mantissa() * 10_i128.pow(shift);
        Ok(Self {
            sent_high: fit(scaled / BASE / BASE)?,
            sent_units: fit(scaled / BASE % BASE)?,
            sent_fraction: fit(scaled % BASE)?,
            sent_readings: fit(totals.readings)?,
            sent_transactions: fit(totals.transactions)?,
            sent_documents: fit(totals.documents)?,
        })
    }

    /// Returns the totals of this number of accounts, without the rows.
    pub(crate) fn totals(self, accounts: u64) -> Result<Totals> {
        let [high, units, fraction] = [self.sent_high, self.sent_units, self.sent_fraction].map(i128::from);
        let scaled = (high * BASE + units) * BASE + fraction;
        let count = |stored: i64| u64::try_from(stored).unwrap_or_default();
        Ok(Totals {
            accounts,
            ledger_balance: decimal(scaled)?,
            readings: count(self.sent_readings),
            transactions: count(self.sent_transactions),
            documents: count(self.sent_documents),
            ..Totals::default()
        })
    }
}

statement! {
    SetRows { counts: Option<String>, id: i64 }
        = "UPDATE processes SET sent_rows = " counts " WHERE id = " id
}

statement! {
    RowsOf { id: i64 } -> Nullable<Text> = "SELECT sent_rows FROM processes WHERE id = " id
}

/// Sets the rows of the payload of a process.
pub(super) fn set_rows(conn: &mut Conn, id: i64, rows: &RowCounts) -> Result<()> {
    SetRows { counts: rows::write_known(rows), id }.execute(conn)?;
    Ok(())
}

/// Returns the rows of the payload of a process.
pub(super) fn rows_of(conn: &mut Conn, id: i64) -> Result<RowCounts> {
    let counts: Option<String> = RowsOf { id }.get_result(conn)?;
    rows::read_known(counts.as_deref())
}

/// Returns a balance of so many parts, without trailing zeros.
fn decimal(mut scaled: i128) -> Result<Decimal> {
    let mut scale = PLACES;
    while scale > 0 && scaled % 10 == 0 {
        (scaled, scale) = (scaled / 10, scale - 1);
    }
    Decimal::try_from_i128_with_scale(scaled, scale)
        .map_err(|_| Error::Unfit("a sum of balances is out of range"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(balance: &str) -> Totals {
        Totals { accounts: 1, ledger_balance: balance.parse().unwrap(), ..Totals::default() }
    }

    #[test]
    fn balances_are_exact() {
        for balance in [
            "0",
            "0.0000000001",
            "-0.0000000001",
            "9999999999.9999999999",
            "-9999999999.9999999999",
            "-123456789012345678.1",
            "1234567890123456789012345678",
            "10",
            "-1200.50",
        ] {
            let sent = Sent::of(&totals(balance)).unwrap();
            assert_eq!(sent.totals(1).unwrap(), totals(balance), "{balance}");
            let shown = sent.totals(1).unwrap().ledger_balance;
            assert_eq!(shown.to_string(), shown.normalize().to_string());
        }
        assert!(Sent::of(&totals("0.00000000001")).is_err());
    }

    /// Parts of opposite signs, as sums have them.
    #[test]
    fn sums_of_parts_are_sums_of_balances() {
        let parts = ["0.75", "-3.25", "10000000000", "-0.0000000001"].map(|b| Sent::of(&totals(b)).unwrap());
        let sum = parts.iter().fold(Sent::default(), |a, b| Sent {
            sent_high: a.sent_high + b.sent_high,
            sent_units: a.sent_units + b.sent_units,
            sent_fraction: a.sent_fraction + b.sent_fraction,
            ..a
        });
        assert_eq!(sum.totals(1).unwrap(), totals("9999999997.4999999999"));
    }
}
