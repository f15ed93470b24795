use super::super::Conn;
use super::super::schema::*;
use super::events::EventRow;
use super::json::{Children, Members};
use super::ledgers::LedgerRow;
use super::meters::{MeterRow, RegisterRow};
use super::notes::{NoteDocumentRow, NoteRow};
use super::payments::{PaymentInstructionRow, PaymentScheduleRow};
use super::people::{CustomerRow, PropertyAdministratorRow};
use super::readings::ReadingRow;
use super::statements::StatementRow;
use super::supply::{AgreementRow, MeterPointRow, SupplyAddressRow};
use super::transactions::{LineItemRow, TaxItemRow, TransactionRow};
use crate::error::Result;
use cutover_app::fault::{self, Point};
use cutover_model::Writer;
use diesel::prelude::*;
use std::collections::HashMap;

/// The number of rows that may still be loaded.
pub(super) struct Room(i64);

impl Room {
    pub(super) const NO_LIMIT: Self = Self(i64::MAX);

    pub(super) fn of(rows: i64) -> Self {
        Self(rows)
    }

    /// Returns the number of rows to ask for: one more than there is room for tells that there are too many.
    pub(super) fn limit(&self) -> i64 {
        self.0.saturating_add(1)
    }

    /// Takes room for rows. Returns false if there is not enough.
    pub(super) fn take(&mut self, rows: usize) -> bool {
        self.0 = i64::try_from(rows).map_or(-1, |rows| self.0.saturating_sub(rows));
        self.0 >= 0
    }
}

macro_rules! rows {
    ($($table:ident: $row:ident,)*) => {
        /// Rows of an account, parents before children, each table in the order of the payload.
        #[derive(Default)]
        pub(super) struct Rows<'a> {
            $(pub(super) $table: Vec<$row<'a>>,)*
        }

        impl Rows<'_> {
            pub(super) fn insert(&self, conn: &mut Conn) -> Result<()> {
                Self::insert_all(std::slice::from_ref(self), conn)
            }

            /// Writes the rows of several accounts, table by table.
            pub(super) fn insert_all(all: &[Self], conn: &mut Conn) -> Result<()> {
                $(
                    $row::insert_all(all.iter().flat_map(|rows| &rows.$table), conn)?;
                    fault::reached(Point::TableWritten, stringify!($table));
                )*
                Ok(())
            }
        }

        impl Rows<'static> {
            /// Loads the rows of accounts, one statement for each table; `None` if there is no room for them.
            pub(super) fn load(
                conn: &mut Conn,
                account_ids: &[i64],
                room: &mut Room,
            ) -> Result<Option<HashMap<i64, Self>>> {
                let mut all: HashMap<i64, Self> =
                    account_ids.iter().map(|id| (*id, Self::default())).collect();
                $(
                    let rows: Vec<$row<'static>> = $table::table
                        .filter($table::account_id.eq_any(account_ids))
                        .order($table::table.primary_key())
                        .limit(room.limit())
                        .select($row::as_select())
                        .load(conn)?;
                    if !room.take(rows.len()) {
                        return Ok(None);
                    }
                    for row in rows {
                        all.entry(row.account_id).or_default().$table.push(row);
                    }
                )*
                Ok(Some(all))
            }
        }
    };
}

rows! {
    customers: CustomerRow,
    supply_addresses: SupplyAddressRow,
    property_administrators: PropertyAdministratorRow,
    meter_points: MeterPointRow,
    agreements: AgreementRow,
    meters: MeterRow,
    registers: RegisterRow,
    readings: ReadingRow,
    ledgers: LedgerRow,
    transactions: TransactionRow,
    line_items: LineItemRow,
    tax_items: TaxItemRow,
    payment_instructions: PaymentInstructionRow,
    payment_schedules: PaymentScheduleRow,
    statements: StatementRow,
    notes: NoteRow,
    note_documents: NoteDocumentRow,
    account_events: EventRow,
}

/// The rows of an account by their parents.
pub(super) struct Tree<'r> {
    pub(super) administrators: Children<'r, PropertyAdministratorRow<'static>>,
    pub(super) meter_points: Children<'r, MeterPointRow<'static>>,
    pub(super) agreements: Children<'r, AgreementRow<'static>>,
    pub(super) meters: Children<'r, MeterRow<'static>>,
    pub(super) registers: Children<'r, RegisterRow<'static>>,
    pub(super) readings: Children<'r, ReadingRow<'static>>,
    pub(super) transactions: Children<'r, TransactionRow<'static>>,
    pub(super) line_items: Children<'r, LineItemRow<'static>>,
    pub(super) tax_items: Children<'r, TaxItemRow<'static>>,
    pub(super) documents: Children<'r, NoteDocumentRow<'static>>,
}

impl Rows<'static> {
    pub(super) fn tree(&self) -> Tree<'_> {
        Tree {
            administrators: Children::new(&self.property_administrators, |row| row.supply_address),
            meter_points: Children::new(&self.meter_points, |row| row.supply_address),
            agreements: Children::new(&self.agreements, |row| row.meter_point),
            meters: Children::new(&self.meters, |row| row.meter_point),
            registers: Children::new(&self.registers, |row| row.meter),
            readings: Children::new(&self.readings, |row| row.meter),
            transactions: Children::new(&self.transactions, |row| row.ledger),
            line_items: Children::new(&self.line_items, |row| row.txn),
            tax_items: Children::new(&self.tax_items, |row| row.txn),
            documents: Children::new(&self.note_documents, |row| row.note),
        }
    }

    /// Writes the arrays of the account.
    pub(super) fn write(&self, writer: &mut Writer) {
        let tree = self.tree();
        writer.list_if("customers", false, &self.customers, |row, w| row.write(w));
        writer.list_if("supply_addresses", false, &self.supply_addresses, |row, w| row.write(&tree, w));
        writer.list_if("ledgers", false, &self.ledgers, |row, w| row.write(&tree, w));
        writer.list_if("payment_instructions", false, &self.payment_instructions, |row, w| row.write(w));
        writer.list_if("payment_schedules", false, &self.payment_schedules, |row, w| row.write(w));
        writer.list_if("statements", false, &self.statements, |row, w| row.write(w));
        writer.list_if("notes", false, &self.notes, |row, w| row.write(&tree, w));
        writer.list_if("events", false, &self.account_events, |row, w| row.write(w));
    }
}
