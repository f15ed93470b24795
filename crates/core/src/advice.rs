use crate::Code;
use std::borrow::Cow;

/// Two fragments of JSON that show a code: one that is reported with it, and the same one corrected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    /// The fragment that is reported.
    pub wrong: &'static str,
    /// The corrected fragment.
    pub right: &'static str,
}

/// A row of the table: the code, its advice, and its example.
type Row = (Code, &'static str, Option<Example>);

macro_rules! advice {
    ($($name:ident: $text:literal $(, $wrong:literal => $right:literal)?;)*) => {
        /// In the order of the codes. A row is found by search: only texts for people need it.
        const ADVICE: &[Row] = &[$((Code::$name, $text, example!($($wrong, $right)?)),)*];
    };
}

macro_rules! example {
    () => {
        None
    };
    ($wrong:literal, $right:literal) => {
        Some(Example { wrong: $wrong, right: $right })
    };
}

impl Code {
    fn row(self) -> Option<&'static Row> {
        ADVICE.iter().find(|(code, ..)| *code == self)
    }

    /// Returns one or two sentences in ASCII that state the expected value or the remedy. Its wording may change.
    pub fn advice(self) -> &'static str {
        self.row().map_or("", |(_, text, _)| text)
    }

    /// A fragment of JSON with the fault and without it, for codes about members of a payload.
    pub fn example(self) -> Option<Example> {
        self.row().and_then(|(.., example)| *example)
    }

    /// Returns the default text of an issue: the fault, then the advice.
    pub fn message(self) -> Cow<'static, str> {
        match self.advice() {
            "" => Cow::Borrowed(self.detail()),
            advice => Cow::Owned(format!("{} {advice}", self.detail())),
        }
    }
}

advice! {
    Required: "Send the member whenever its object is sent.",
        r#"{"import_supplier": "ACME"}"# => r#"{"import_supplier": "ACME", "external_account_number": "A-100"}"#;
    Null: "Leave the member out if there is no value; null is allowed only where the fields say nullable.",
        r#"{"tariff_code": null}"# => r#"{"tariff_code": "RES-1"}"#;
    Blank: "Send at least one character that is not white space.",
        r#"{"given_name": " "}"# => r#"{"given_name": "Ada"}"#;
    Invalid: "Send the JSON type and the form that the fields document: dates as YYYY-MM-DD, booleans as true or false without quotes, decimals with a point.",
        r#"{"date_of_sale": "29/02/2024"}"# => r#"{"date_of_sale": "2024-02-29"}"#;
    InvalidChoice: "Send one of the listed words, spelled as listed.",
        r#"{"supply_type": "electricity"}"# => r#"{"supply_type": "ELECTRICITY"}"#;
    MaxLength: "Shorten the text; lengths are counted in characters.",
        r#"{"country": "Australia"}"# => r#"{"country": "AU"}"#;
    MinLength: "Send the whole text; lengths are counted in characters.",
        r#"{"last_digits": "42"}"# => r#"{"last_digits": "4242"}"#;
    MaxDigits: "Check the unit of the number, and that no digits were joined.",
        r#"{"amount": 12345678901234567890}"# => r#"{"amount": 123.45}"#;
    MaxDecimalPlaces: "Round the number to the documented digits; zeros at the end do not count.",
        r#"{"amount": "10.12345678901"}"# => r#"{"amount": "10.12"}"#;
    MinValue: "Send a number that is not below the minimum.",
        r#"{"day_of_month": -1}"# => r#"{"day_of_month": 1}"#;
    MaxValue: "Send a number that is not above the maximum.",
        r#"{"expiry_month": 13}"# => r#"{"expiry_month": 12}"#;
    NotAList: "Send an array, also for a single item.",
        r#"{"customers": {"given_name": "Ada"}}"# => r#"{"customers": [{"given_name": "Ada"}]}"#;
    TooFewItems: "Send at least the minimum of items, or leave the array out if it is optional.",
        r#"{"notes": []}"# => r#"{"notes": [{"body": "Moved in."}]}"#;
    TooManyItems: "Send at most the maximum of items; requests after the import can be split.";
    UnknownField: "Check the spelling of the name, and the object that it is in; leave it out if it is not documented.",
        r#"{"postcode": "3000"}"# => r#"{"postal_code": "3000"}"#;
    DuplicateField: "Send each member once; the others are not read.",
        r#"{"title": "Mr", "title": "Dr"}"# => r#"{"title": "Dr"}"#;
    NullCharactersNotAllowed: "Remove the character; it often comes from fields of a fixed length.",
        r#"{"body": "Moved in.\u0000"}"# => r#"{"body": "Moved in."}"#;
    UnrecognisedValue: "It is accepted as sent; check its spelling against the known values.",
        r#"{"title": "Mister"}"# => r#"{"title": "Mr"}"#;
    SupplyTypeMismatch: "Correct one of the two, or leave supply_type out.";
    FieldNotAllowedForSupplyType: "Check supply_type and the prefix of mpxn; if they are right, leave the member out.";
    SupplyTypeAssumed: "Send supply_type if it is another kind.",
        r#"{"mpxn": "6102000001"}"# => r#"{"mpxn": "6102000001", "supply_type": "ELECTRICITY"}"#;
    TooManyErrors: "Correct these and validate again.";

    CustomerWithUnknownOccupier: "Send no customers, or unknown_occupier as false.",
        r#"{"unknown_occupier": true, "customers": [{"given_name": "Ada"}]}"# => r#"{"unknown_occupier": true}"#;
    OccupierAccountWithMultipleSupplyAddresses: "Send one supply address for each account of an unknown occupier.";
    LastPaymentReviewDateIsFutureDated: "Send a date that is not after today in the supplier's time zone.";
    AccountWithoutCustomers: "Send at least one customer, or unknown_occupier as true.";
    OnlinePreferenceWithoutEmail: "Send an e-mail address for a customer, or the preference PRINT.";
    DateInFuture: "Send a date that is not after today in the supplier's time zone.",
        r#"{"date_of_birth": "2108-01-09"}"# => r#"{"date_of_birth": "1980-01-09"}"#;
    NoSupplyPointOnSupply: "At least one meter point without supply_end_date, or with a later one, is expected.";
    LastBilledToDateNotFound: "Send last_billed_to_date for the account or for its registers.";
    ExternalAccountNumberNotUrlSafe: "Percent-encode the number in paths, or leave out /, ?, #, % and control characters.";
    InvalidPhoneNumber: "Expected for example 03 9123 4567, 0412 345 678, 1300 123 456, or + and a country code; no letters or extensions.",
        r#"{"mobile": "n/a"}"# => r#"{"mobile": "+61 412 345 678"}"#;
    PhoneNumberWrongKind: "Numbers that begin with 04 or +614 belong in mobile, others in landline.",
        r#"{"landline": "0412 345 678"}"# => r#"{"mobile": "0412 345 678"}"#;
    InvalidEmail: "Expected one address in the form name@domain.tld, without spaces or a display name.",
        r#"{"email": "ada(at)mail.com"}"# => r#"{"email": "ada@mail.com"}"#;
    PossibleTestEmailAddress: "Send the customer's own address, or leave the member out.";
    CustomerMayNotBeNamedTheOccupier: "Send unknown_occupier as true and no customers if nobody is known.",
        r#"{"customers": [{"given_name": "The", "family_name": "Occupier"}]}"# => r#"{"unknown_occupier": true}"#;
    ImplausibleDateOfBirth: "Expected a day from 1900 on and at least 16 years ago.";
    CustomerFamilyNameRequired: "Send family_name.";
    RequiredUserRole: "Send role.";
    InvalidPostcode: "Expected four digits; check that a leading 0 was not lost.",
        r#"{"postal_code": "800"}"# => r#"{"postal_code": "0800"}"#;
    InvalidDeliveryPointIdentifier: "Expected capital letters and digits without spaces.";
    InvalidSupplyPointIdentifier: "Expected for an NMI ten letters or digits without I and O, for a MIRN ten digits that begin with 5, each optionally with the check digit.";
    InvalidCheckDigit: "Check the identifier for swapped or wrong characters.";
    StartDateLaterThanEndDate: "Expected an end on or after the start; check that the two are not swapped.",
        r#"{"effective_from": "2024-07-01", "effective_to": "2024-06-30"}"# => r#"{"effective_from": "2024-06-30", "effective_to": "2024-07-01"}"#;
    DuplicateMeterPointsOnDifferentSupplyAddressesProvided: "Send each meter point once, under its own supply address.";
    DuplicateMeterPoints: "Send each meter point once.";
    NoHazardCannotCombineWithOtherHazards: "Send the statement alone, or only the hazards.";
    NotKnownCannotCombineWithOtherHazards: "Send the statement alone, or only the hazards.";
    OneCurrentData: "Expected exactly one item without an end: the current one.";
    InstallationIdShouldBeInteger: "Expected ten digits, leading zeros included.";
    LossInProgress: "Check that the account is still to be taken over.";
    OverlappingAgreements: "Expected effective_from on or after the effective_to of the agreements before it.";
    GapBetweenAgreements: "Expected effective_from on the effective_to of the agreement before it.";
    AgreementStartDateBeforeSupplyStartDate: "Expected effective_from on or after supply_start_date.";
    AgreementBusinessContractIdentifierNotDeclared: "Expected the business_contract_identifier of the account's business.";
    MeterPointWithNoAgreement: "Send the agreement that is in force.";
    DuplicateMeterSerialNumbers: "Send each meter of a meter point once.";
    MeterWithDuplicateRegisterIds: "Send each register of a meter once.";
    ReadingRegisterIdNotRecognised: "Expected the register_id of one of the meter's registers.";
    ReadingWithoutRegisterId: "Send the register_id of one of the meter's registers.";
    HistoricalReadingRegisterIdNotRecognised: "Expected the register_id of one of the meter's registers.";
    NoRegisterIdForReading: "Send the register_id of one of the meter's registers.";
    RequiredTransferReadings: "Send at least one transfer reading.";
    NoReadingOnRemovedOn: "Send a reading whose day is removed_on.";
    MissingTransferReadingForRegister: "Send a transfer reading for each register of the meter.";
    ActiveGasMeterWithoutTransferReading: "Send exactly one transfer reading.";
    ActiveGasMeterWithMultipleTransferReadings: "Send exactly one transfer reading.";
    ReadingInFuture: "Send a day that is not after today in the supplier's time zone.";
    ReadingOutsideMeterLife: "Expected a day on which the meter was installed; check both.";
    PreviousReadingAfterReading: "Expected prev_reading_date on or before reading_date.";
    BilledReadingAfterLastBilledToDate: "Expected a day up to the last billed one, or billed as false.";
    TransferReadingDatesMustMatchLastBilledToDate: "Expected the last billed day.";
    ReadingDecreased: "Check the order of the readings, the register, and whether the dials began again at 0.";
    ReadingValueExceedsDials: "Check the number of dials and the unit of the reading.";
    BalanceMismatchOnLedgerBalance: "PAYMENT and CREDIT are added, CHARGE, SUPPLY_CHARGE and REPAYMENT subtracted; a balance above 0 is a credit.",
        r#"{"last_statement_balance": 0, "current_statement_transactions": [{"type": "CHARGE", "amount": 10}], "ledger_balance": 10}"#
            => r#"{"last_statement_balance": 0, "current_statement_transactions": [{"type": "CHARGE", "amount": 10}], "ledger_balance": -10}"#;
    HistoricalStatementTransactionsBalanceMismatch: "PAYMENT and CREDIT are added, CHARGE, SUPPLY_CHARGE and REPAYMENT subtracted; a balance above 0 is a credit.",
        r#"{"historical_statement_transactions": [{"type": "PAYMENT", "amount": 10}], "last_statement_balance": -10}"#
            => r#"{"historical_statement_transactions": [{"type": "PAYMENT", "amount": 10}], "last_statement_balance": 10}"#;
    LedgerBalancesNotEqualToTransferBalance: "Correct transfer_balance, or send the missing ledger.",
        r#"{"transfer_balance": 5, "ledgers": [{"ledger_balance": 3}]}"# => r#"{"transfer_balance": 3, "ledgers": [{"ledger_balance": 3}]}"#;
    CurrentStatementTransactionBeforeLastStatementClosingDate: "Expected a later day; earlier transactions belong in historical_statement_transactions.";
    HistoricalStatementTransactionAfterLastStatementClosingDate: "Expected a day up to the closing date; later transactions belong in current_statement_transactions.";
    HistoricalStatementTransactionAfterCurrentStatementTransaction: "Expected historical transactions before current ones; send last_statement_closing_date.";
    LastStatementIssuedBeforeClosingDate: "Expected last_statement_issue_date on or after last_statement_closing_date.";
    HistoricalStatementTransactionsRequireLastStatementClosingDate: "Send last_statement_closing_date.";
    HistoricalStatementWithoutLastStatementClosingDate: "Send last_statement_closing_date.";
    HistoricalStatementPeriodEndInFuture: "Send a date that is not after today in the supplier's time zone.";
    DuplicateTransactionIds: "Give each transaction an id of its own, across all ledgers.";
    CurrentStatementTransactionBeforeLastBilledToDate: "Check that the transaction is not billed already.";
    AmountHasFractionOfCent: "Expected at most two digits after the point; the digits are kept as sent.";
    TransactionInFuture: "Send a date that is not after today in the supplier's time zone.";
    NegativeAmount: "Expected an amount of 0 or more, and the type that has its sign.",
        r#"{"type": "CHARGE", "amount": -5}"# => r#"{"type": "CREDIT", "amount": 5}"#;
    LedgerTransactionAmountDoesNotMatchWithLineItemNetAmountAndTaxAmount: "A difference of up to 0.01 is accepted.";
    IncorrectLineItemNetAmount: "Expected price_per_unit times number_of_units; a difference of up to 0.01 is accepted.";
    LineItemUnitsMustBeTwoValues: "Expected [start, end].";
    PaymentTypeNotForTransactionType: "Send payment_type only with the types PAYMENT and REPAYMENT.";
    UnitsDoNotMatchNumberOfUnits: "Expected the second minus the first to be number_of_units.";
    TaxAmountMismatch: "Expected value_taxed times rate; a difference of up to 0.01 is accepted.";
    InvalidPaymentInstruction: "Expected at most one instruction of a type without an end.";
    PaymentInstructionDetailsDoNotMatchType: "Expected card with CARD, and bank_account with DIRECT_DEBIT.";
    InvalidSortCode: "Check that a leading 0 was not lost.",
        r#"{"bsb": "62-000"}"# => r#"{"bsb": "062-000"}"#;
    CardDetailsNotProvidedForCardPaymentInstruction: "Send card.";
    BankDetailsNotProvided: "Send bank_account.";
    CardExpired: "Ask the customer for a new card, or leave the instruction out.";
    PossibleCardNumber: "Send the last digits only; whole card numbers must not be sent.";
    ChildrenWithDuplicateValues: "Send each value once.";
    ZeroPaymentScheduleAmount: "Expected an amount other than 0.";
    InvalidPaymentDayForPaymentSchedule: "Expected a whole number from 1 to 31.";
    MultipleOpenEndedPaymentSchedules: "Expected at most one; mark others with is_debt_repayment_plan.";
    FixedPaymentScheduleMissingFrequency: "Send frequency.";
    FixedPaymentScheduleMissingDayOfMonth: "Send day_of_month.";
    ScheduleMeansWithoutInstruction: "Send the payment instruction, or other means.";
    InvalidDocumentPath: "Expected a path like folder/file.pdf: relative, with / between its parts, without . or .. parts.",
        r#"{"document_path": "../letters/1.pdf"}"# => r#"{"document_path": "letters/1.pdf"}"#;
    PathDoesNotExistInFileStore: "Put the document below the supplier's document root, under exactly this path, or correct the path.";
    DocumentNotPdf: "Expected a file that begins with %PDF.";
    DuplicateStatementIds: "Give each statement an id of its own.";
    StatementIssuedBeforePeriodEnd: "Expected an issue date on or after the end of the period.";
    NoteBodyOrDocumentPathNotFound: "Send body, document_paths, or both.",
        r#"{"is_pinned": true}"# => r#"{"body": "Has a key safe.", "is_pinned": true}"#;
    NoteUnpinAtEarlierThanCreationDate: "Expected unpin_at after created_at.";
    UnpinAtInPast: "Send a later unpin_at, or leave is_pinned and unpin_at out.";
    DuplicateNote: "Send the note once.";
    MissingContractIdentifier: "Send business_contract_identifier.";
    DuplicateContractIdentifiers: "Give each contract an identifier of its own.";
    ContractVersionsDoesNotIncludeCurrent: "Expected a version whose applicable_at_date is valid_from_date.";
    DuplicateContractVersions: "Send one version for each day.";
    InvalidCompanyNumber: "Expected an ACN of nine or an ABN of eleven digits, with valid check digits.";
    SignedAfterValidFrom: "Expected signed_at_date on or before valid_from_date.";
    ScheduleWindowStartInPast: "Expected a time that is not more than 5 minutes ago; check the offset.";
    ScheduleWindowEndInPast: "Expected a time that is not more than 5 minutes ago; check the offset.";
    ScheduleWindowEndTooFarInFuture: "Expected an end within 96 hours from now.";
    ScheduleWindowStartAfterEnd: "Expected a start on or before the end.";

    ImportSupplierNotFound: "Check the code and the API key; while it is unknown, dates are checked in UTC and rules at their default levels.";
    ImportSupplierMigrationNotOngoing: "Wait until the operator sets its status to Ongoing.";
    ImportProcessDoesNotExist: "Check both, and create the account first.";
    AccountNotFound: "Send it again once the account is imported.";
    AccountImportProcessAlreadyImported: "Nothing more is to be done; later changes are sent as additions.";
    AccountImportProcessInProgress: "Ask for its status.";
    TransactionOutsideOpenStatementPeriod: "Send another date, or let force_add_to_current_statement move it.";
    TransactionIdReusedWithDifferentContent: "Give the transaction an id of its own.";
    HistoricalStatementAlreadyExists: "Give the statement an id of its own, or send it unchanged.";
    ContractWithIdentifierExists: "Identifiers of contracts are unique within the organisation: send another one.";
    BusinessContractNotFound: "Create the business with this contract before its accounts, and check the identifier.";
    MeterPointOfAnotherAccount: "Check which of the two accounts is supplied, and the supply_end_date of the other.";
    BusinessAlreadyExists: "Send it unchanged, or correct the stored one.";
    BusinessNotFound: "Create the business first, and check the identifier.";
    PaymentVendorUnknown: "Check the name; the operator configures vendors.";
    PaymentInstructionNotFound: "Check the reference with the vendor.";
    PaymentInstructionTypeMismatch: "Send the type that the vendor has.";
    PaymentVendorRejected: "Do not repeat it unchanged; check the instruction with the vendor.";
    PaymentVendorUnavailable: "Repeat the request later.";

    ImportProcessFailedValidation: "Call validate with the account, correct what it reports, and create it again.";
    ImportProcessRetriesExhausted: "Tell the operator, who finds the cause in the log; then send the account again.";
    ScheduleWindowMissed: "Send the account again with a later window, or without one.";

    AccountFailedValidation: "Correct every item of errors and send it again.";
    ValidationError: "Correct every item of errors and send it again.";
    BadRequest: "Check the client, or the proxy in front of the service.";
    HeadTooLarge: "Send fewer or shorter headers, and a shorter path.";
    UnknownParameter: "Check the spelling of the parameter; the route's documentation lists those it has.";
    ParseError: "Check the text at the line and column of the answer: UTF-8 without a byte order mark, no comments, no NaN.";
    NotAuthenticated: "Send the header Authorization: Token ACCESS_TOKEN.";
    AuthenticationFailed: "Obtain a new token with the API key.";
    PermissionDenied: "Use a key of a role that may do it.";
    NotFound: "Check the path, the code of the supplier, and the API key's organisation.";
    MethodNotAllowed: "Use a method of the header Allow.";
    ManifestNotDeclared: "Declare one with PUT.";
    EventsExpired: "Read the imported accounts anew, then follow the feed from there.";
    CertificateNotIssued: "Issue one with POST.";
    CertificateLeavesRemoved: "Issue another certificate; the leaves of the latest ten are kept.";
    RequestTimeout: "Send the request again, over a faster connection or in smaller parts.";
    PayloadTooLarge: "Send it in smaller parts; limits count unpacked bytes.";
    UnsupportedMediaType: "Send Content-Type: application/json, for bulk application/x-ndjson.";
    Throttled: "Wait as long as the header Retry-After says.";
    ServiceUnavailable: "Wait as long as the header Retry-After says, then repeat the request unchanged.";
    EncryptionKeyMissing: "Repeat the request; the operator finds the missing key with cutover doctor.";
    Error: "Repeat the request unchanged; tell the operator the header X-Request-Id if it stays.";
    ContractInUse: "Keep the contract in the list, or cancel and correct the accounts that name it first.";
    AccountImportProcessNotPending: "Only PENDING accounts can be cancelled; send the account again to replace it.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_advice() {
        let without: Vec<&str> =
            Code::ALL.iter().filter(|code| code.advice().is_empty()).map(|code| code.as_str()).collect();
        assert_eq!(without, [""; 0], "add them to crates/core/src/advice.rs");
    }

    #[test]
    fn texts_are_sentences_in_ascii() {
        for code in Code::ALL {
            let message = code.message();
            assert!(message.is_ascii() && message.ends_with('.'), "{code}: {message}");
        }
    }
}
