objects! {
    /// A ledger of an account: balances and the transactions behind them (contract 2.3).
    Ledger "ledger" in ledgers {
        /// Transactions after the last statement was closed (rules LED-04, LED-06, LED-12).
        current_statement_transactions: optional list(object(Transaction));
        /// Transactions up to the closing of the last statement (rules LED-05, LED-08).
        historical_statement_transactions: optional list(object(Transaction));
        /// Day the last statement was closed; needed with historical transactions (rules LED-08 to LED-10).
        last_statement_closing_date: optional date;
        /// Day the last statement was sent out, not before its closing (rule LED-07).
        last_statement_issue_date: optional date;
        /// Balance at the last closing, in the main currency unit; above 0 = in credit
        /// (rules 8.1, LED-02, LED-13).
        last_statement_balance: optional decimal(10, 10);
        /// Balance now, in the main currency unit; above 0 = in credit (rules 8.1, LED-01, LED-03,
        /// LED-13, LED-14).
        ledger_balance: optional decimal(10, 10);
    }

    /// A transaction of a ledger (contract 2.5).
    Transaction "transaction" in transactions by transaction_id {
        /// Identifier of the transaction within the account (rules LED-11, PST-07).
        transaction_id: required text(255) shown;
        /// Day of the transaction (rules LED-04, LED-05, TXN-01, PST-06).
        transaction_date: required date;
        /// Amount in the main currency unit; its sign comes from the type
        /// (rules 8.1, LED-13, TXN-02, TXN-04).
        amount: required decimal(10, 10);
        /// Kind of transaction; determines if the amount is added or subtracted (rules 8.1).
        kind as "type": required choice(TransactionType);
        /// Why it was made, for example `IMPORTED_CHARGE`; an open list (rule STR-19).
        reason: optional open(255, TRANSACTION_REASONS) shown;
        /// Note that the customer sees.
        display_note: optional text personal;
        /// Note for internal use.
        note: optional text personal;
        /// Reference of a payment or repayment; never a card number (rule PIN-07).
        reference: optional text(512) personal;
        /// Means of a payment or repayment; absent or empty = not given (rule TXN-08).
        payment_type: optional choice(PaymentType);
        /// Product that a supply charge is for; required there (rule TXN-03).
        product_code: optional text(255) shown;
        /// Lines of a supply charge; at least one is required there (rules TXN-03, TXN-04, TXN-11, TXN-12).
        line_items: optional list(object(LineItem));
        /// Taxes contained in the amount; absent or empty = none (rule TXN-04).
        tax_items: optional list(object(TaxItem));
    }

    /// A line of a supply charge (contract 2.5).
    LineItem "line item" in line_items {
        /// Band of the rate charged, in the supplier's words; expected to be given (rules TXN-12, TXN-14, TXN-15).
        rate_band: optional text(255) shown;
        /// Start of the period charged.
        start_date: required date;
        /// End of the period charged, not before its start (rule TXN-05).
        end_date: required date;
        /// Number of units charged; the contract gives no unit (rules TXN-06, TXN-09).
        number_of_units: required decimal(12, 4);
        /// Amount without tax, in the main currency unit (rules TXN-04, TXN-06).
        net_amount: required decimal(10, 10);
        /// Price of one unit without tax; absent = the net amount is not checked against it (rule TXN-06).
        price_per_unit: optional decimal(8, 7);
        /// Exactly two values, expected to differ by `number_of_units` (rules TXN-07, TXN-09).
        units: optional list(decimal(12, 4));
        /// Further content of the line: any JSON object, kept exactly as sent.
        params: nullable free_object personal;
    }

    /// A tax contained in a transaction (contract 2.5).
    TaxItem "tax item" in tax_items {
        /// Amount of the tax, in the main currency unit (rules TXN-04, TXN-10).
        amount: required decimal(10, 10);
        /// Kind of tax, for example `GST`; an open list (rule STR-19).
        tax_type: required open(255, TAX_TYPES) shown;
        /// Value that the rate applies to (rule TXN-10).
        value_taxed: required decimal(15, 5);
        /// Rate of the tax in the terms of `unit_type`; as a proportion, 0.1 means ten per cent
        /// (rule TXN-10).
        rate: required decimal(15, 5);
        /// Unit of the rate: a proportion, or money per kilowatt-hour (rule TXN-10).
        unit_type: required choice(TaxUnitType);
    }
}
