objects! {
    /// Ledger.
    Ledger "ledger" {
        /// Current statement transactions.
        current_statement_transactions: optional list(object(Transaction));
        /// Historical statement transactions.
        historical_statement_transactions: optional list(object(Transaction));
        /// Last statement closing date.
        last_statement_closing_date: optional date;
        /// Last statement issue date.
        last_statement_issue_date: optional date;
        /// Last statement balance.
        last_statement_balance: optional decimal(10, 10);
        /// Ledger balance.
        ledger_balance: optional decimal(10, 10);
    }

    /// Transaction.
    Transaction "transaction" {
        /// Transaction id.
        transaction_id: required text(255);
        /// Transaction date.
        transaction_date: required date;
        /// Amount.
        amount: required decimal(10, 10);
        /// Type.
        kind as "type": required choice(TransactionType);
        /// Reason.
        reason: optional open(255, TRANSACTION_REASONS);
        /// Display note.
        display_note: optional text;
        /// Note.
        note: optional text;
        /// Reference.
        reference: optional text(512);
        /// Payment type.
        payment_type: optional choice(PaymentType);
        /// Product code: required for SUPPLY_CHARGE (TXN-03).
        product_code: optional text(255);
        /// Line items: required, not empty, for SUPPLY_CHARGE (TXN-03).
        line_items: optional list(object(LineItem));
        /// Tax items.
        tax_items: optional list(object(TaxItem));
    }

    /// Line item.
    LineItem "line item" {
        /// Rate band.
        rate_band: optional open(255, RATE_BANDS);
        /// Start date.
        start_date: required date;
        /// End date.
        end_date: required date;
        /// Number of units.
        number_of_units: required decimal(12, 4);
        /// Net amount.
        net_amount: required decimal(10, 10);
        /// Price per unit.
        price_per_unit: optional decimal(8, 7);
        /// Units.
        units: optional list(decimal(12, 4));
        /// Params.
        params: nullable free_object;
    }

    /// Tax item.
    TaxItem "tax item" {
        /// Amount.
        amount: required decimal(10, 10);
        /// Tax type.
        tax_type: required open(255, TAX_TYPES);
        /// Value taxed.
        value_taxed: required decimal(15, 5);
        /// Rate.
        rate: required decimal(15, 5);
        /// Unit type.
        unit_type: required choice(TaxUnitType);
    }
}
