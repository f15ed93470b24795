objects! {
    /// Account.
    Account "account" {
        /// Import supplier: must name a configured supplier (stateful rule).
        import_supplier: required text(128);
        /// External account number.
        external_account_number: required text(128);
        /// Whether: unknown occupier.
        unknown_occupier: optional boolean;
        /// Communication preference.
        communication_preference: optional choice(CommunicationPreference);
        /// Document accessibility.
        document_accessibility: optional choice(DocumentAccessibility);
        /// Customers.
        customers: optional list(object(Customer));
        /// Billing name.
        billing_name: optional text(510);
        /// Billing sub name.
        billing_sub_name: optional text(256);
        /// Billing customer reference.
        billing_customer_reference: optional text(256);
        /// Billing attention of.
        billing_attention_of: optional text(256);
        /// Billing address1.
        billing_address1: optional text(512);
        /// Billing address2.
        billing_address2: optional text(512);
        /// Billing address3.
        billing_address3: optional text(512);
        /// Billing address4.
        billing_address4: optional text(512);
        /// Billing address5.
        billing_address5: optional text(512);
        /// Billing postcode.
        billing_postcode: optional text(512);
        /// Billing delivery point identifier.
        billing_delivery_point_identifier: optional text(11);
        /// Sales channel.
        sales_channel: optional open(128, SALES_CHANNELS);
        /// Sales subchannel.
        sales_subchannel: optional text(255);
        /// Date of sale.
        date_of_sale: optional date;
        /// Supply addresses.
        supply_addresses: optional list(object(SupplyAddressEntry));
        /// Transfer balance.
        transfer_balance: optional decimal(10, 10);
        /// Ledgers.
        ledgers: optional list(object(Ledger));
        /// Last billed to date.
        last_billed_to_date: optional date;
        /// Payment instructions.
        payment_instructions: optional list(object(AccountPaymentInstruction));
        /// Payment schedules.
        payment_schedules: optional list(object(PaymentSchedule));
        /// Notes.
        notes: optional list(object(Note));
        /// Statements.
        statements: optional list(object(AccountStatement));
        /// Last payment review date.
        last_payment_review_date: nullable date;
        /// Next bill due date.
        next_bill_due_date: nullable date;
        /// Events.
        events: optional list(object(AccountEvent));
        /// Business.
        business: optional object(AccountBusinessLink);
    }

    /// Account business link.
    AccountBusinessLink "account business link" {
        /// Business contract identifier.
        business_contract_identifier: optional filled(255);
    }
}
