objects! {
    /// A payment instruction in an account payload, with its details (contract 2.3).
    AccountPaymentInstruction "account payment instruction" in payment_instructions {
        /// The payment vendor, as the operator names it.
        vendor: required text(128) shown;
        /// Kind of payment; each kind at most once in an account (rule PIN-01).
        kind as "type": required choice(PaymentInstructionType);
        /// Reference of the instruction at the vendor; never a card number (rule PIN-07).
        reference: required text(512) personal;
        /// Day from which the instruction applies (rule PIN-06).
        valid_from: required date;
        /// The card; expected for `CARD`, out of place for `DIRECT_DEBIT` (rules PIN-02, PIN-04).
        card: optional object(Card) personal;
        /// The bank account; expected for `DIRECT_DEBIT`, out of place for `CARD` (rules PIN-02, PIN-05).
        bank_account: optional object(BankAccount) personal;
    }

    /// A payment card, without its full number (contract 2.3).
    Card "card" {
        /// Network of the card, for example `VISA`.
        card_payment_network: required choice(CardPaymentNetwork) personal;
        /// Kind of card: credit, debit or prepaid.
        card_type: required choice(CardType) personal;
        /// Last three or four digits of the card's number; not blank if given.
        last_digits: optional digits(3, 4) personal;
        /// Month in which the card expires, 1 to 12 (rule PIN-06).
        expiry_month: optional integer(1, 12) personal;
        /// Year in which the card expires, in four digits (rule PIN-06).
        expiry_year: optional integer(1000, 9999) personal;
    }

    /// A bank account to pay from (contract 2.3).
    BankAccount "bank account" {
        /// Name of the account's holder.
        account_holder: required text(255) personal;
        /// Number of the account.
        account_number: required text(64) personal;
        /// Bank, state and branch number: six digits, a hyphen or space after the third allowed
        /// (rules 10.4, PIN-03).
        bsb: required text(16) personal;
    }

    /// A plan of regular payments (contract 2.3).
    PaymentSchedule "payment schedule" in payment_schedules {
        /// Amount of each payment, in the main currency unit; not 0; expected to be given
        /// (rules SCH-01, SCH-06).
        amount: optional positive_decimal(8, 2);
        /// Day of the month on which to pay, 1 to 31 (rules SCH-02, SCH-04).
        day_of_month: nullable integer;
        /// Frequency of payments; expected to be given (rule SCH-04).
        frequency: optional choice(ScheduleFrequency);
        /// By what means to pay (rule SCH-05).
        means: required choice(PaymentMeans);
        /// Day on which the plan starts.
        start_date: required date;
        /// True if the plan pays off a debt; default false (rule SCH-03).
        is_debt_repayment_plan: optional boolean;
    }
}
