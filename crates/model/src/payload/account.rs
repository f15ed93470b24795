objects! {
    /// An account to validate or import, with all that belongs to it (contract 2.3).
    Account "account" in accounts by external_account_number {
        /// Code of the configured import supplier that sends the account (rules PST-01, PST-02).
        import_supplier: required text(128) shown;
        /// The account's number in the supplier's system; with the supplier it identifies the account
        /// (rules ACC-09, PST-05).
        external_account_number: required text(128) shown;
        /// True if the occupier of the supply address is unknown; default false (rules ACC-01, ACC-02).
        unknown_occupier: nullable boolean;
        /// Channel for letters to the customer, online or print; default `ONLINE` (rule ACC-05).
        communication_preference: optional choice(CommunicationPreference);
        /// Special form in which the customer needs documents; absent or empty = none.
        document_accessibility: optional choice(DocumentAccessibility) personal;
        /// The people who hold the account; expected unless the occupier is unknown (rules ACC-01, ACC-04).
        customers: optional list(object(Customer)) personal;
        /// Name that bills are made out to.
        billing_name: optional text(510) personal;
        /// Further part of the name on bills.
        billing_sub_name: optional text(256) personal;
        /// The customer's own reference, to be named on bills.
        billing_customer_reference: optional text(256) personal;
        /// Person or department whose attention bills are marked for.
        billing_attention_of: optional text(256) personal;
        /// First line of the billing address, expected if there are customers (rule ACC-11).
        billing_address1: optional text(512) personal;
        /// Second line of the billing address; may be empty.
        billing_address2: optional text(512) personal;
        /// Third line of the billing address; may be empty.
        billing_address3: optional text(512) personal;
        /// Fourth line of the billing address; may be empty.
        billing_address4: optional text(512) personal;
        /// Fifth line of the billing address; may be empty.
        billing_address5: optional text(512) personal;
        /// Postcode of the billing address; expected to be four digits (rules ADR-03, ACC-11).
        billing_postcode: optional text(512) personal;
        /// Postal delivery point of the billing address: capital letters and digits only (rule ADR-04).
        billing_delivery_point_identifier: optional text(11) personal;
        /// Channel of the sale, for example `DIRECT`; an open list (rule STR-19).
        sales_channel: optional open(128, SALES_CHANNELS) shown;
        /// Finer division of `sales_channel`, in the supplier's words.
        sales_subchannel: optional text(255) shown;
        /// Day of the sale, expected not to be in the future (rule ACC-06).
        date_of_sale: optional date;
        /// The supplied premises, each with its meter points (rules ACC-02, ACC-07).
        supply_addresses: optional list(object(SupplyAddressEntry));
        /// Sum of the ledger balances, in the main currency unit; above 0 = in credit
        /// (rules 8.1, LED-03, LED-13).
        transfer_balance: optional decimal(10, 10);
        /// Ledgers with their balances and transactions; without any, one empty ledger is made
        /// (contract D6).
        ledgers: optional list(object(Ledger));
        /// Day up to which the account has been billed; a register's own date takes precedence
        /// (rules 8.4, ACC-06, ACC-08, ACC-10).
        last_billed_to_date: optional date;
        /// Payment instructions of the account; at most one instruction of each type (rule PIN-01).
        payment_instructions: optional list(object(AccountPaymentInstruction));
        /// Plans of regular payments, at most one of them not for a debt (rule SCH-03).
        payment_schedules: optional list(object(PaymentSchedule));
        /// Notes on the account; of equal ones only one is made (contract 2.4, rule NOT-04).
        notes: optional list(object(Note));
        /// Earlier statements of the account, with figures and documents (rule STM-02).
        statements: optional list(object(AccountStatement));
        /// Day on which the payments were last reviewed, not in the future (rule ACC-03).
        last_payment_review_date: nullable date;
        /// Day on which the next bill is due.
        next_bill_due_date: nullable date;
        /// Earlier events of the account: stored as history, never sent out (contract 6).
        events: optional list(object(AccountEvent));
        /// Link to a contract of a business created before; absent = no such link (rule BUS-01).
        business: optional object(AccountBusinessLink);
    }

    /// The link of an account to a business contract (contract 2.3).
    AccountBusinessLink "account business link" {
        /// The contract's `identifier` in the business; must be given and not blank (rules BUS-01, PST-10).
        business_contract_identifier: optional filled(255) reference;
    }
}
