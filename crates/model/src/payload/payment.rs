objects! {
    /// Account payment instruction.
    AccountPaymentInstruction "account payment instruction" {
        /// Vendor.
        vendor: required text(128);
        /// Type.
        kind as "type": required choice(PaymentInstructionType);
        /// Reference.
        reference: required text(512);
        /// Valid from.
        valid_from: required date;
        /// Card.
        card: optional object(Card);
        /// Bank account.
        bank_account: optional object(BankAccount);
    }

    /// Card.
    Card "card" {
        /// Card payment network.
        card_payment_network: required choice(CardPaymentNetwork);
        /// Card type.
        card_type: required choice(CardType);
        /// Last digits: 3 or 4 digits, else `invalid`; not blank.
        last_digits: optional digits(3, 4);
        /// Expiry month.
        expiry_month: optional integer(1, 12);
        /// Expiry year.
        expiry_year: optional integer(1000, 9999);
    }

    /// Bank account.
    BankAccount "bank account" {
        /// Account holder.
        account_holder: required text(255);
        /// Account number.
        account_number: required text(64);
        /// Bsb.
        bsb: required text(16);
    }

    /// Payment schedule.
    PaymentSchedule "payment schedule" {
        /// Amount.
        amount: optional positive_decimal(8, 2);
        /// Day of month: range is (SCH-02).
        day_of_month: nullable integer;
        /// Frequency.
        frequency: optional choice(ScheduleFrequency);
        /// Means.
        means: required choice(PaymentMeans);
        /// Start date.
        start_date: required date;
        /// Whether debt repayment plan: default false.
        is_debt_repayment_plan: optional boolean;
    }
}
