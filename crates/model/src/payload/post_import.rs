objects! {
    /// Notes request.
    NotesRequest "notes request" {
        /// Import supplier.
        import_supplier: required text(128);
        /// External account number.
        external_account_number: required text(128);
        /// Notes.
        notes: required batch(object(Note));
    }

    /// Transactions request.
    TransactionsRequest "transactions request" {
        /// Import supplier.
        import_supplier: required text(128);
        /// External account number.
        external_account_number: required text(128);
        /// Transactions.
        transactions: required batch(object(Transaction));
    }

    /// Historical statements request.
    HistoricalStatementsRequest "historical statements request" {
        /// Import supplier.
        import_supplier: required text(128);
        /// External account number.
        external_account_number: required text(128);
        /// Statements.
        statements: required batch(object(HistoricalStatement));
    }

    /// Historical statement.
    HistoricalStatement "historical statement" {
        /// Bill period from date.
        bill_period_from_date: required date;
        /// Bill period to date.
        bill_period_to_date: required date;
        /// Statement id.
        statement_id: required text(255);
        /// Issued date.
        issued_date: nullable date;
        /// Number.
        number: optional text(255);
        /// Gross amount.
        gross_amount: nullable decimal(10, 10);
        /// Statement path.
        statement_path: optional text(1024);
    }

    /// Payment instruction request.
    PaymentInstructionRequest "payment instruction request" {
        /// Import supplier.
        import_supplier: required text(128);
        /// External account number.
        external_account_number: required text(128);
        /// Vendor.
        vendor: required text(128);
        /// Reference.
        reference: required text(512);
        /// Type.
        kind as "type": required choice(PaymentInstructionType);
    }

    /// Business payment instruction request.
    BusinessPaymentInstructionRequest "business payment instruction request" {
        /// Import supplier code.
        import_supplier_code: required text(128);
        /// External business identifier.
        external_business_identifier: required text(128);
        /// Vendor.
        vendor: required text(128);
        /// Reference.
        reference: required text(512);
        /// Type.
        kind as "type": required choice(PaymentInstructionType);
        /// Accounts.
        accounts: optional list(object(BusinessPaymentInstructionAccount));
    }

    /// Business payment instruction account.
    BusinessPaymentInstructionAccount "business payment instruction account" {
        /// External account number.
        external_account_number: required text(128);
    }
}
