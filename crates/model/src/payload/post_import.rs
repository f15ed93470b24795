objects! {
    /// Notes to add to an imported account (contract 2.4, 4.2).
    NotesRequest "notes request" {
        /// Code of the account's import supplier (rule PST-03).
        import_supplier: required text(128) shown;
        /// The account's number in the supplier's system; it must be imported (rules PST-03, PST-04). Also read under its old name
        /// `account_number` (contract D8).
        external_account_number formerly "account_number": required text(128) shown;
        /// The notes: at least one, by default at most 1,000; all are handled or none (contract D3, D8).
        notes: required batch(object(Note));
    }

    /// Transactions to add to an imported account (contract 2.5, 4.2).
    TransactionsRequest "transactions request" {
        /// Code of the account's import supplier (rule PST-03).
        import_supplier: required text(128) shown;
        /// The account's number in the supplier's system; it must be imported (rules PST-03, PST-04). Also read under its old name
        /// `account_number` (contract D8).
        external_account_number formerly "account_number": required text(128) shown;
        /// The transactions: at least one, by default at most 1,000; all are handled or none
        /// (contract D3, D8).
        transactions: required batch(object(Transaction));
        /// If true, the transactions are checked and answered, and nothing is kept (contract D8); default false.
        dry_run: optional boolean;
    }

    /// Earlier statements to add to an imported account (contract 2.6, 4.2).
    HistoricalStatementsRequest "historical statements request" {
        /// Code of the account's import supplier (rule PST-03).
        import_supplier: required text(128) shown;
        /// The account's number in the supplier's system; it must be imported (rules PST-03, PST-04).
        external_account_number: required text(128) shown;
        /// The statements: at least one, by default at most 1,000; all are handled or none
        /// (contract D3, D8).
        statements: required batch(object(HistoricalStatement));
    }

    /// An earlier statement that is added after the import (contract 2.6).
    HistoricalStatement "historical statement" in historical_statements {
        /// Start of the period billed.
        bill_period_from_date: required date;
        /// End of the period billed, not before its start (rule STM-01).
        bill_period_to_date: required date;
        /// Identifier of the statement, once in a request (rules STM-02, PST-08).
        statement_id: required text(255) shown;
        /// Day the statement was sent out, expected not before the end of the period (rule STM-03).
        issued_date: nullable date;
        /// Number of the statement.
        number: optional text(255) personal;
        /// Total of the statement with tax, kept as sent; the contract gives no unit.
        gross_amount: nullable decimal(10, 10);
        /// Path of the PDF under the supplier's document root (rules 10.5, DOC-01 to DOC-03).
        statement_path: optional text(1024) document;
    }

    /// A payment instruction to store for an imported account (contract 2.8, 4.2).
    PaymentInstructionRequest "payment instruction request" in payment_instructions {
        /// Code of the account's import supplier (rule PST-01).
        import_supplier: required text(128) shown;
        /// The account's number in the supplier's system; it must be imported (rule PST-04).
        external_account_number: required text(128) shown;
        /// Name of the configured payment vendor that is asked for the instruction (contract D8).
        vendor: required text(128) shown;
        /// Reference of the instruction at the vendor; never a card number (rule PIN-07).
        reference: required text(512) personal;
        /// Kind of payment; the vendor must have the same (contract D8).
        kind as "type": required choice(PaymentInstructionType);
    }

    /// A payment instruction to store for a business (contract 2.8, 4.4).
    BusinessPaymentInstructionRequest "business payment instruction request" in business_payment_instructions {
        /// Code of the business's import supplier (rule PST-01).
        import_supplier_code: required text(128) shown;
        /// The business's identifier in the supplier's system; it must exist (rule PST-14).
        external_business_identifier: required text(128) shown;
        /// Name of the configured payment vendor that is asked for the instruction (contract D8).
        vendor: required text(128) shown;
        /// Reference of the instruction at the vendor; never a card number (rule PIN-07).
        reference: required text(512) personal;
        /// Kind of payment; the vendor must have the same (contract D8).
        kind as "type": required choice(PaymentInstructionType);
        /// The accounts that the instruction applies to, each once (contract D9, rule PIN-08).
        accounts: optional list(object(BusinessPaymentInstructionAccount));
    }

    /// An account that a business payment instruction applies to (contract 2.8).
    BusinessPaymentInstructionAccount "business payment instruction account" in business_payment_instruction_accounts {
        /// The account's number in the supplier's system; it must be imported (rules PIN-08, PST-04).
        external_account_number: required text(128) shown;
    }
}
