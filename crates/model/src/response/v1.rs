//! Answers of version 1 (contract 4.2, 4.3, 4.4).

use super::ErrorItem;
use crate::convert::{Encode, IntoOwned};
use crate::describe::{AnswerKind, Shown};
use crate::{HistoricalStatement, HistoricalStatementsRequest, Nullable, Transaction, Writer};
use cutover_core::{StateV1, Zone, string_enum};
use serde::Serialize;
use std::fmt;

string_enum! {
    "a status of a note";
    /// The outcome of a note (contract 3).
    pub enum NoteStatus {
        /// The note was created.
        Created = "NOTE_CREATION_SUCCESS",
        /// The account already has the note.
        Exists = "NOTE_ALREADY_EXISTS",
    }
}

string_enum! {
    "a status of a transaction";
    /// The outcome of a transaction (contract 3).
    pub enum TransactionStatus {
        /// The transaction was added.
        Added = "TRANSACTION_ADDED_TO_ACCOUNT",
        /// The account already has the transaction.
        Exists = "TRANSACTION_ALREADY_EXISTS",
    }
}

impl Shown for NoteStatus {
    const KIND: AnswerKind = AnswerKind::Words(Self::WORDS);
}

impl Shown for TransactionStatus {
    const KIND: AnswerKind = AnswerKind::Words(Self::WORDS);
}

answers! {
    /// The outcome of a note (contract 4.2).
    NoteResult (Eq, Serialize) {
        /// Time of creation of the stored note, with the offset of the supplier's zone (contract D8).
        created_at: String, datetime;
        /// The body as sent; empty for a note that has only documents.
        body: String;
        /// `NOTE_CREATION_SUCCESS` or `NOTE_ALREADY_EXISTS` (contract 3).
        status: NoteStatus;
    }

    /// The outcome of a transaction (contract 4.2).
    TransactionResult (Debug) {
        /// `TRANSACTION_ADDED_TO_ACCOUNT` or `TRANSACTION_ALREADY_EXISTS` (contract 3).
        status: TransactionStatus;
        /// The transaction as stored.
        transaction as "transaction_data": Transaction<'static>;
        /// The transaction's number here, unique in the installation (contract D8); null if it is not kept.
        added_transaction_id: Option<i64>;
    }

    /// The body of a transactions request that is refused because a transaction fails. It has the members of
    /// both forms of the contract (contract 4.2, 7; rules 9).
    TransactionRefusal (Eq) {
        fixed status = "TRANSACTION_IMPORT_ERROR", "The failure of a transaction (contract 3).";
        /// The reason why the first failing transaction fails, for people.
        error_detail: String;
        /// That transaction: as it would be stored, or as sent, of any type, if it is faulty.
        transaction_data: String, as_sent;
        /// Text for people.
        detail: &'static str;
        /// `validation_error`.
        code: &'static str, code;
        /// Every fault, in the order of rules 1.4.
        errors: Vec<ErrorItem>;
    }

    /// The body of a payment instruction request that is refused or could not be carried out. It has the members of both
    /// forms in use: the reason beside what was sent, and the faults (contract 4.2, 4.4, D8).
    InstructionRefusal (Eq, Serialize) {
        /// The reason, for people: the first fault if there are several.
        error_detail: String;
        /// The account's number, if it was sent as a text.
        external_account_number [serde(skip_serializing_if = "Option::is_none")]: Option<String>;
        /// The business's identifier, if it was sent as a text.
        external_business_identifier [serde(skip_serializing_if = "Option::is_none")]: Option<String>;
        /// The code of the import supplier, if it was sent as a text.
        import_supplier [serde(skip_serializing_if = "Option::is_none")]: Option<String>;
        /// The code of the import supplier, if it was sent as a text.
        import_supplier_code [serde(skip_serializing_if = "Option::is_none")]: Option<String>;
        /// The reference, if it was sent as a text.
        reference [serde(skip_serializing_if = "Option::is_none")]: Option<String>;
        /// Text for people.
        detail: String;
        /// `validation_error`, or the code of what failed.
        code: &'static str, code;
        /// Every fault, in the order of rules 1.4.
        errors [serde(skip_serializing_if = "Vec::is_empty")]: Vec<ErrorItem>;
    }

    /// A payment instruction is stored for an account (contract 4.2).
    PaymentInstructionStored (Eq, Serialize) {
        /// The account's number here.
        service_account_number: String;
        /// The reference at the vendor.
        reference: String;
    }

    /// The version 1 status of an account's import (contract 2.2, 4.3).
    TransferStatus (Debug, Eq, Serialize) {
        /// `COMPLETED`, `IN_PROGRESS` or `UNKNOWN` (contract 3).
        status: StateV1;
        /// The account's number here; empty while there is no account.
        service_account_number: String;
    }

    /// A business is created (contract 4.4).
    BusinessCreated (Debug, Eq, Serialize) {
        /// Its number here: a positive integer (contract D1).
        service_business_id: i64;
        /// Its identifier in the supplier's system.
        external_business_identifier: String;
    }

    /// A payment instruction is stored for a business (contract 4.4).
    BusinessPaymentInstructionStored (Eq, Serialize) {
        /// The reference at the vendor.
        reference: String;
        /// The business's identifier in the supplier's system.
        external_business_identifier: String;
    }
}

/// Implements `Debug` of answers that repeat sent values: it prints only the name of the type.
macro_rules! masked {
    ($($name:ident)*) => {
        $(
            impl fmt::Debug for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str(concat!(stringify!($name), "(…)"))
                }
            }
        )*
    };
}

masked! { NoteResult TransactionRefusal InstructionRefusal PaymentInstructionStored BusinessPaymentInstructionStored }

/// The body `{results: […]}` of the transactions endpoint: every decimal is a string with the digits sent,
/// and absent members are left out (contract D8).
pub fn transaction_results(results: &[TransactionResult]) -> Vec<u8> {
    let mut writer = stored();
    writer.object(|writer| {
        writer.name("results");
        writer.array(|writer| results.iter().for_each(|result| result.write(writer)));
    });
    writer.into_bytes()
}

impl TransactionResult {
    fn write(&self, writer: &mut Writer) {
        writer.object(|writer| {
            writer.name("status");
            writer.string(self.status.as_str());
            writer.name("transaction_data");
            present(&self.transaction).encode(writer);
            writer.name("added_transaction_id");
            match self.added_transaction_id {
                Some(id) => writer.raw(&id.to_string()),
                None => writer.raw("null"),
            }
        });
    }
}

/// A transaction as stored: its identity is trimmed (contract D1), and blank texts and an empty payment type
/// are left out (fields 1.4).
fn present<'t>(transaction: &Transaction<'t>) -> Transaction<'t> {
    let mut shown = transaction.clone();
    shown.transaction_id.trim();
    let Transaction { reason, display_note, note, reference, product_code, payment_type, .. } = &mut shown;
    for optional in [reason, display_note, note, reference, product_code] {
        optional.take_if(|text| text.is_blank());
    }
    payment_type.take_if(|kind| kind.as_str().is_empty());
    shown
}

/// A transaction in the form of [`transaction_results`].
pub fn transaction_data(transaction: &Transaction<'_>) -> String {
    let mut writer = stored();
    present(transaction).encode(&mut writer);
    text(writer)
}

/// A writer of stored values. Transactions have no times, so the zone does not matter.
fn stored() -> Writer {
    Writer::normal(Zone::UTC, Zone::UTC)
}

/// The text that a writer wrote, which is always UTF-8.
fn text(writer: Writer) -> String {
    String::from_utf8(writer.into_bytes()).unwrap_or_default()
}

impl TransactionRefusal {
    /// The body.
    pub fn to_json(&self) -> Vec<u8> {
        let mut writer = Writer::new();
        writer.object(|writer| {
            let mut member = |name, value: &str| {
                writer.name(name);
                writer.string(value);
            };
            member("status", "TRANSACTION_IMPORT_ERROR");
            member("error_detail", &self.error_detail);
            member("detail", self.detail);
            member("code", self.code);
            writer.name("transaction_data");
            writer.raw(&self.transaction_data);
            writer.name("errors");
            writer.array(|writer| self.errors.iter().for_each(|error| error.write(writer)));
        });
        writer.into_bytes()
    }
}

impl ErrorItem {
    fn write(&self, writer: &mut Writer) {
        writer.object(|writer| {
            for (name, value) in [("detail", &*self.detail), ("code", self.code), ("attr", &self.attr)] {
                writer.name(name);
                writer.string(value);
            }
        });
    }
}

/// The body of the historical statements endpoint: the validated request with values as sent, trimmed
/// identities and without absent members (contract D8).
pub fn historical_statements(request: &HistoricalStatementsRequest<'_>) -> String {
    let mut request = request.clone().into_owned();
    request.import_supplier.trim();
    request.external_account_number.trim();
    request.statements.iter_mut().for_each(HistoricalStatement::normalise);
    let mut writer = Writer::new();
    request.encode(&mut writer);
    text(writer)
}

impl HistoricalStatement<'_> {
    /// Trims the identity (contract D1) and removes absent members: `null` and blank texts (fields 1.3, 1.4).
    pub fn normalise(&mut self) {
        self.statement_id.trim();
        if self.issued_date == Nullable::Null {
            self.issued_date = Nullable::Absent;
        }
        if self.gross_amount == Nullable::Null {
            self.gross_amount = Nullable::Absent;
        }
        for optional in [&mut self.number, &mut self.statement_path] {
            optional.take_if(|text| text.is_blank());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::Limits;
    use crate::{decode_historical_statements, decode_transactions};

    const TRANSACTIONS: &str = r#"{"import_supplier":"A","external_account_number":"1","transactions":[
        {"transaction_id":"T-1","transaction_date":"2026-01-01","amount":10.10,"type":"PAYMENT",
         "display_note":" ","payment_type":"","note":"N","line_items":[{"start_date":"2026-01-01","end_date":"2026-01-31","number_of_units":"2.0",
         "net_amount":1.50,"units":[1.0, "3.0"],"params":null}],"tax_items":[]}]}"#;

    #[test]
    fn decimals_of_results_are_strings_with_the_digits_sent() {
        let decoded = decode_transactions(TRANSACTIONS.as_bytes(), Zone::UTC, Limits::default()).unwrap();
        let transaction = decoded.draft.unwrap().into_valid().unwrap().transactions.remove(0).into_owned();
        let result = |added_transaction_id| TransactionResult {
            status: TransactionStatus::Added,
            transaction: transaction.clone(),
            added_transaction_id,
        };
        let json = String::from_utf8(transaction_results(&[result(Some(7)), result(None)])).unwrap();
        insta::assert_snapshot!(json);
    }

    #[test]
    fn returned_identities_are_trimmed() {
        let sent = TRANSACTIONS.replace("\"T-1\"", "\" T-1\\n\"");
        let decoded = decode_transactions(sent.as_bytes(), Zone::UTC, Limits::default()).unwrap();
        let transaction = decoded.draft.unwrap().into_valid().unwrap().transactions.remove(0);
        assert!(transaction_data(&transaction).contains(r#""transaction_id":"T-1","#));
    }

    #[test]
    fn refusals_have_both_shapes() {
        let item = ErrorItem { detail: "D".into(), code: "required", attr: "transactions.0.amount".into() };
        let refusal = TransactionRefusal {
            error_detail: "D".into(),
            transaction_data: "{\"amount\": []}".into(),
            detail: "E",
            code: "validation_error",
            errors: vec![item],
        };
        insta::assert_snapshot!(String::from_utf8(refusal.to_json()).unwrap());
    }

    #[test]
    fn statements_come_back_with_trimmed_identities_without_what_is_absent() {
        let body = r#"{"external_account_number":" 1 ","import_supplier":"A\t","statements":[
            {"bill_period_from_date":"2026-01-01","bill_period_to_date":"2026-01-31","statement_id":" S ",
             "issued_date":null,"number":" ","gross_amount":12.50,"statement_path":"/a.pdf"}]}"#;
        let decoded = decode_historical_statements(body.as_bytes(), Zone::UTC, Limits::default()).unwrap();
        insta::assert_snapshot!(historical_statements(&decoded.draft.unwrap().into_valid().unwrap()));
    }
}
