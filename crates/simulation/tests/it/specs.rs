//! Building blocks of requests. There are few accounts and ids, so that requests conflict.

use std::fmt;

/// An account by supplier and number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct AccountRef {
    pub(crate) supplier: u8,
    pub(crate) number: u8,
}

/// Number of suppliers: two of one organisation, the second of which verifies documents, and one of another.
pub(crate) const SUPPLIERS: u8 = 3;
/// The supplier that verifies documents.
pub(crate) const VERIFYING: u8 = 1;
/// The supplier of the other organisation.
pub(crate) const FOREIGN: u8 = 2;

/// Code of a supplier.
pub(crate) fn code(supplier: u8) -> String {
    format!("S-{supplier}")
}

/// Time zone of a supplier.
pub(crate) fn zone(supplier: u8) -> cutover_core::Zone {
    let name = if supplier == VERIFYING { "Australia/Sydney" } else { "UTC" };
    name.parse().unwrap()
}

impl AccountRef {
    pub(crate) fn code(self) -> String {
        code(self.supplier)
    }

    pub(crate) fn external(self) -> String {
        format!("A-{}", self.number)
    }
}

impl fmt::Debug for AccountRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.code(), self.external())
    }
}

/// A payload: a shape of account and one of several variants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Payload {
    pub(crate) shape: u8,
    pub(crate) version: u8,
}

/// Time at which an import is to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    Now,
    /// From a later time on.
    Later,
    /// Within some minutes or not at all.
    Soon,
}

/// A create.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CreateSpec {
    pub(crate) account: AccountRef,
    pub(crate) payload: Payload,
    pub(crate) dry_run: bool,
    pub(crate) when: When,
}

/// A note: one of a few bodies, with one of two times or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NoteSpec {
    pub(crate) body: u8,
    /// 0 for none.
    pub(crate) time: u8,
}

impl NoteSpec {
    pub(crate) fn json(self) -> String {
        let time = match self.time {
            0 => String::new(),
            n => format!(r#","created_at":"2026-01-0{n}T00:00:00Z""#),
        };
        format!(r#"{{"body":"N-{}"{time}}}"#, self.body)
    }
}

/// A transaction. Its id determines the content, except for a second version with another amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TransactionSpec {
    pub(crate) id: u8,
    pub(crate) is_other: bool,
}

impl TransactionSpec {
    pub(crate) fn id(self) -> String {
        format!("T-{}", self.id)
    }

    /// Most dates are in the open period, one is before and one after it.
    pub(crate) fn date(self) -> &'static str {
        match self.id {
            4 => "2026-01-05",
            5 => "2999-01-05",
            _ => "2026-10-05",
        }
    }

    /// True if the date is outside the open period; without a bound nothing is before it.
    pub(crate) fn is_outside(self, is_bounded: bool) -> bool {
        self.id == 5 || (self.id == 4 && is_bounded)
    }

    /// Amount in cents.
    pub(crate) fn cents(self) -> i64 {
        100 * (i64::from(self.id) + 1) + i64::from(self.is_other)
    }

    pub(crate) fn is_plus(self) -> bool {
        self.id.is_multiple_of(2)
    }

    pub(crate) fn json(self) -> String {
        let kind = if self.is_plus() { "CREDIT" } else { "CHARGE" };
        let (id, date, amount) = (self.id(), self.date(), cents(self.cents()));
        format!(
            r#"{{"transaction_id":"{id}","transaction_date":"{date}","amount":"{amount}","type":"{kind}"}}"#
        )
    }
}

/// Formats an amount of cents.
pub(crate) fn cents(cents: i64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

/// A call that adds transactions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TransactionsSpec {
    pub(crate) items: Vec<TransactionSpec>,
    pub(crate) check: bool,
    pub(crate) force: bool,
}

/// A historical statement: an id, and one of two contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StatementSpec {
    pub(crate) id: u8,
    pub(crate) version: u8,
}

impl StatementSpec {
    pub(crate) fn json(self) -> String {
        format!(
            r#"{{"bill_period_from_date":"2026-01-01","bill_period_to_date":"2026-03-31","statement_id":"H-{}","gross_amount":"{}.00"}}"#,
            self.id, self.version
        )
    }
}

/// A payment instruction by its reference; the vendor knows some of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct InstructionSpec(pub(crate) u8);

impl InstructionSpec {
    /// Number of instructions that the vendor confirms; the others are unknown, rejected or different.
    pub(crate) const CONFIRMED: u8 = 3;
    pub(crate) const UNKNOWN: u8 = 3;
    pub(crate) const REJECTED: u8 = 4;
    pub(crate) const OTHERWISE: u8 = 5;
    pub(crate) const ALL: u8 = 6;

    pub(crate) fn reference(self) -> String {
        format!("R-{}", self.0)
    }

    pub(crate) fn kind(self) -> &'static str {
        if self.0.is_multiple_of(2) { "CARD" } else { "DIRECT_DEBIT" }
    }

    pub(crate) fn is_confirmed(self) -> bool {
        self.0 < Self::CONFIRMED
    }
}
