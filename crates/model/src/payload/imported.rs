objects! {
    /// The members of an imported account that its payload does not have (contract D19).
    AccountAdditions "account additions" {
        /// The account's number at this service.
        service_account_number: required text shown;
        /// True if the retailer's mailer may write to its customers (contract D1).
        customer_emails: required boolean;
        /// Statements that were added since the import, oldest first.
        historical_statements: optional list(object(HistoricalStatement));
        /// Payment instructions that were added since the import and that their vendors confirmed, oldest first.
        verified_payment_instructions: optional list(object(VerifiedPaymentInstruction));
    }

    /// A payment instruction that was added after the import, as its vendor described it (contract D8).
    VerifiedPaymentInstruction "verified payment instruction" in verified_payment_instructions {
        /// Name of the configured payment vendor.
        vendor: required text(128) shown;
        /// Kind of payment.
        kind as "type": required choice(PaymentInstructionType);
        /// Reference of the instruction at the vendor.
        reference: required text(512) personal;
        /// The card; absent if the vendor described none.
        card: optional object(VerifiedCard) personal;
        /// The bank account; absent if the vendor described none.
        bank_account: optional object(VerifiedBankAccount) personal;
        /// Time at which the vendor confirmed it.
        verified_at: required datetime;
    }

    /// A card, as a vendor described it.
    VerifiedCard "verified card" {
        /// The network.
        card_payment_network: optional choice(CardPaymentNetwork) personal;
        /// Credit, debit or prepaid.
        card_type: optional choice(CardType) personal;
        /// The last digits of its number.
        last_digits: optional text personal;
        /// The month of its expiry.
        expiry_month: optional integer(1, 12) personal;
        /// The year of its expiry.
        expiry_year: optional integer(1000, 9999) personal;
    }

    /// A bank account, as a vendor described it.
    VerifiedBankAccount "verified bank account" {
        /// The holder.
        account_holder: optional text personal;
        /// The last digits of its number.
        account_number_last_digits: optional text personal;
        /// Bank, state and branch.
        bsb: optional text personal;
    }
}
