/// The origin of a code; it groups the reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Domain {
    /// A check of one field, or of the structure.
    Field,
    /// A condition on several fields, decided by payload and clock.
    Rule,
    /// A condition that needs stored state or configuration.
    Service,
    /// The cause of a process that ended without an account.
    Process,
    /// A response as a whole.
    General,
    /// The reason why the import of an account is not undone.
    Undo,
    /// An entry that only `cutover-client` adds to its reports.
    Client,
}

/// Two fragments of JSON that show a code: one that is reported with it, and the same one corrected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    /// The fragment that is reported.
    pub wrong: &'static str,
    /// The corrected fragment.
    pub right: &'static str,
}

/// Declares the codes: name, word, the fault, advice, and perhaps a fragment of JSON with the fault and without it.
macro_rules! codes {
    ($($domain:ident { $(
        $name:ident = $text:literal, $detail:literal, $advice:literal $(, $wrong:literal => $right:literal)?;
    )* })*) => {
        crate::string_enum! {
            "an error code";
            /// An error or warning code of the service: stable, machine-readable (contract 7).
            ///
            /// `docs/error-codes.md` is generated from this table. A code is never renamed or removed within
            /// a version of the API; its `detail` may change.
            pub enum Code {
                $($(#[doc = $detail] $name = $text,)*)*
            }
        }

        impl Code {
            /// The description for people. Its wording may change: no logic may depend on it.
            pub fn detail(self) -> &'static str {
                match self { $($(Self::$name => $detail,)*)* }
            }

            /// Returns one or two sentences in ASCII that state the expected value or the remedy. Its wording may
            /// change.
            pub fn advice(self) -> &'static str {
                match self { $($(Self::$name => $advice,)*)* }
            }

            /// A fragment of JSON with the fault and without it, for codes about members of a payload.
            pub fn example(self) -> Option<Example> {
                match self { $($($(Self::$name => Some(Example { wrong: $wrong, right: $right }),)?)*)* _ => None }
            }

            /// The origin of the code.
            pub fn domain(self) -> Domain {
                match self { $($(Self::$name => Domain::$domain,)*)* }
            }
        }
    };
}

codes! {
    Field {
        Required = "required", "The member is missing.",
            "Send the member whenever its object is sent.",
            r#"{"import_supplier": "ACME"}"# => r#"{"import_supplier": "ACME", "external_account_number": "A-100"}"#;
        Null = "null", "The member is null.",
            "Leave the member out if there is no value; null is allowed only where the fields say nullable.",
            r#"{"tariff_code": null}"# => r#"{"tariff_code": "RES-1"}"#;
        Blank = "blank", "The text is blank.",
            "Send at least one character that is not white space.",
            r#"{"given_name": " "}"# => r#"{"given_name": "Ada"}"#;
        Invalid = "invalid", "The value has the wrong type or form.",
            "Send the JSON type and the form that the fields document: dates as YYYY-MM-DD, booleans as true or false without quotes, decimals with a point.",
            r#"{"date_of_sale": "29/02/2024"}"# => r#"{"date_of_sale": "2024-02-29"}"#;
        InvalidChoice = "invalid_choice", "The value is not one of the allowed ones.",
            "Send one of the listed words, spelled as listed.",
            r#"{"supply_type": "electricity"}"# => r#"{"supply_type": "ELECTRICITY"}"#;
        MaxLength = "max_length", "The text is too long.",
            "Shorten the text; lengths are counted in characters.",
            r#"{"country": "Australia"}"# => r#"{"country": "AU"}"#;
        MinLength = "min_length", "The text is too short.",
            "Send the whole text; lengths are counted in characters.",
            r#"{"last_digits": "42"}"# => r#"{"last_digits": "4242"}"#;
        MaxDigits = "max_digits", "Too many digits before the decimal point.",
            "Check the unit of the number, and that no digits were joined.",
            r#"{"amount": 12345678901234567890}"# => r#"{"amount": 123.45}"#;
        MaxDecimalPlaces = "max_decimal_places", "Too many digits after the decimal point.",
            "Round the number to the documented digits; zeros at the end do not count.",
            r#"{"amount": "10.12345678901"}"# => r#"{"amount": "10.12"}"#;
        MinValue = "min_value", "The number is too small.",
            "Send a number that is not below the minimum.",
            r#"{"day_of_month": -1}"# => r#"{"day_of_month": 1}"#;
        MaxValue = "max_value", "The number is too large.",
            "Send a number that is not above the maximum.",
            r#"{"expiry_month": 13}"# => r#"{"expiry_month": 12}"#;
        NotAList = "not_a_list", "The value is not an array.",
            "Send an array, also for a single item.",
            r#"{"customers": {"given_name": "Ada"}}"# => r#"{"customers": [{"given_name": "Ada"}]}"#;
        TooFewItems = "too_few_items", "The array has too few items.",
            "Send at least the minimum of items, or leave the array out if it is optional.",
            r#"{"notes": []}"# => r#"{"notes": [{"body": "Moved in."}]}"#;
        TooManyItems = "too_many_items", "The array has too many items.",
            "Send at most the maximum of items; requests after the import can be split.";
        UnknownField = "unknown_field", "This member is not documented here.",
            "Check the spelling of the name, and the object that it is in; leave it out if it is not documented.",
            r#"{"postcode": "3000"}"# => r#"{"postal_code": "3000"}"#;
        DuplicateField = "duplicate_field", "This member is given more than once in its object.",
            "Send each member once; the others are not read.",
            r#"{"title": "Mr", "title": "Dr"}"# => r#"{"title": "Dr"}"#;
        NullCharactersNotAllowed = "null_characters_not_allowed", "The text contains the character U+0000.",
            "Remove the character; it often comes from fields of a fixed length.",
            r#"{"body": "Moved in.\u0000"}"# => r#"{"body": "Moved in."}"#;
        UnrecognisedValue = "unrecognised_value", "The value is not among the known ones.",
            "It is accepted as sent; check its spelling against the known values.",
            r#"{"title": "Mister"}"# => r#"{"title": "Mr"}"#;
        SupplyTypeMismatch = "supply_type_mismatch", "The supply type and the prefix of mpxn name different kinds of meter point.",
            "Correct one of the two, or leave supply_type out.";
        FieldNotAllowedForSupplyType = "field_not_allowed_for_supply_type", "This member belongs to another kind of meter point.",
            "Check supply_type and the prefix of mpxn; if they are right, leave the member out.";
        SupplyTypeAssumed = "supply_type_assumed", "The kind of this meter point is not given; metered electricity is assumed.",
            "Send supply_type if it is another kind.",
            r#"{"mpxn": "6102000001"}"# => r#"{"mpxn": "6102000001", "supply_type": "ELECTRICITY"}"#;
        TooManyErrors = "too_many_errors", "There are more errors than these; the first 1,000 are given.",
            "Correct these and validate again.";
    }
    Rule {
        CustomerWithUnknownOccupier = "customer_with_unknown_occupier", "The occupier is unknown, but the account has customers.",
            "Send no customers, or unknown_occupier as false.",
            r#"{"unknown_occupier": true, "customers": [{"given_name": "Ada"}]}"# => r#"{"unknown_occupier": true}"#;
        OccupierAccountWithMultipleSupplyAddresses = "occupier_account_with_multiple_supply_addresses", "The occupier is unknown, but the account has several supply addresses.",
            "Send one supply address for each account of an unknown occupier.";
        LastPaymentReviewDateIsFutureDated = "last_payment_review_date_is_future_dated", "The last payment review lies in the future.",
            "Send a date that is not after today in the supplier's time zone.";
        AccountWithoutCustomers = "account_without_customers", "The account has no customers and its occupier is not unknown.",
            "Send at least one customer, or unknown_occupier as true.";
        OnlinePreferenceWithoutEmail = "online_preference_without_email", "Online communication is preferred, but no customer has a usable e-mail address.",
            "Send an e-mail address for a customer, or the preference PRINT.";
        DateInFuture = "date_in_future", "The date lies in the future.",
            "Send a date that is not after today in the supplier's time zone.",
            r#"{"date_of_birth": "2108-01-09"}"# => r#"{"date_of_birth": "1980-01-09"}"#;
        NoSupplyPointOnSupply = "no_supply_point_on_supply", "No meter point of the account is on supply.",
            "At least one meter point without supply_end_date, or with a later one, is expected.";
        LastBilledToDateNotFound = "last_billed_to_date_not_found", "Neither the account nor a register says up to which day was billed.",
            "Send last_billed_to_date for the account or for its registers.";
        ExternalAccountNumberNotUrlSafe = "external_account_number_not_url_safe", "The number contains a character that is unsafe in a URL, where it is a segment of the path.",
            "Percent-encode the number in paths, or leave out /, ?, #, % and control characters.";
        InvalidPhoneNumber = "invalid_phone_number", "This is not a phone number.",
            "Expected for example 03 9123 4567, 0412 345 678, 1300 123 456, or + and a country code; no letters or extensions.",
            r#"{"mobile": "n/a"}"# => r#"{"mobile": "+61 412 345 678"}"#;
        PhoneNumberWrongKind = "phone_number_wrong_kind", "The number is mobile but given as landline, or the other way round.",
            "Numbers that begin with 04 or +614 belong in mobile, others in landline.",
            r#"{"landline": "0412 345 678"}"# => r#"{"mobile": "0412 345 678"}"#;
        InvalidEmail = "invalid_email", "This is not an e-mail address.",
            "Expected one address in the form name@domain.tld, without spaces or a display name.",
            r#"{"email": "ada(at)mail.com"}"# => r#"{"email": "ada@mail.com"}"#;
        PossibleTestEmailAddress = "possible_test_email_address", "This looks like an e-mail address made for tests.",
            "Send the customer's own address, or leave the member out.";
        CustomerMayNotBeNamedTheOccupier = "customer_may_not_be_named_the_occupier", "The customer is named the occupier.",
            "Send unknown_occupier as true and no customers if nobody is known.",
            r#"{"customers": [{"given_name": "The", "family_name": "Occupier"}]}"# => r#"{"unknown_occupier": true}"#;
        ImplausibleDateOfBirth = "implausible_date_of_birth", "This date of birth is implausible for a customer.",
            "Expected a day from 1900 on and at least 16 years ago.";
        CustomerFamilyNameRequired = "customer_family_name_required", "The customer has no family name.",
            "Send family_name.";
        RequiredUserRole = "required_user_role", "The customer has no role.",
            "Send role.";
        InvalidPostcode = "invalid_postcode", "This is not a postcode of four digits.",
            "Expected four digits; check that a leading 0 was not lost.",
            r#"{"postal_code": "800"}"# => r#"{"postal_code": "0800"}"#;
        InvalidDeliveryPointIdentifier = "invalid_delivery_point_identifier", "The delivery point identifier contains other characters than A to Z and 0 to 9.",
            "Expected capital letters and digits without spaces.";
        InvalidSupplyPointIdentifier = "invalid_supply_point_identifier", "This does not have the form of a supply point identifier.",
            "Expected for an NMI ten letters or digits without I and O, for a MIRN ten digits that begin with 5, each optionally with the check digit.";
        InvalidCheckDigit = "invalid_check_digit", "The check digit of the supply point identifier is wrong.",
            "Check the identifier for swapped or wrong characters.";
        StartDateLaterThanEndDate = "start_date_later_than_end_date", "The end lies before the start.",
            "Expected an end on or after the start; check that the two are not swapped.",
            r#"{"effective_from": "2024-07-01", "effective_to": "2024-06-30"}"# => r#"{"effective_from": "2024-06-30", "effective_to": "2024-07-01"}"#;
        DuplicateMeterPointsOnDifferentSupplyAddressesProvided = "duplicate_meter_points_on_different_supply_addresses_provided", "The meter point is also given under another supply address.",
            "Send each meter point once, under its own supply address.";
        DuplicateMeterPoints = "duplicate_meter_points", "The meter point is given twice under this supply address.",
            "Send each meter point once.";
        NoHazardCannotCombineWithOtherHazards = "no_hazard_cannot_combine_with_other_hazards", "The list has hazards in addition to the statement that there is none.",
            "Send the statement alone, or only the hazards.";
        NotKnownCannotCombineWithOtherHazards = "not_known_cannot_combine_with_other_hazards", "The list has hazards in addition to the statement that hazards are not known.",
            "Send the statement alone, or only the hazards.";
        OneCurrentData = "one_current_data", "None or several of the items have no end.",
            "Expected exactly one item without an end: the current one.";
        InstallationIdShouldBeInteger = "installation_id_should_be_integer", "The installation id is not ten digits.",
            "Expected ten digits, leading zeros included.";
        LossInProgress = "loss_in_progress", "The supply ends in the future.",
            "Check that the account is still to be taken over.";
        OverlappingAgreements = "overlapping_agreements", "The agreement overlaps an earlier one.",
            "Expected effective_from on or after the effective_to of the agreements before it.";
        GapBetweenAgreements = "gap_between_agreements", "There is a gap before the agreement.",
            "Expected effective_from on the effective_to of the agreement before it.";
        AgreementStartDateBeforeSupplyStartDate = "agreement_start_date_before_supply_start_date", "The agreement starts before the supply.",
            "Expected effective_from on or after supply_start_date.";
        AgreementBusinessContractIdentifierNotDeclared = "agreement_business_contract_identifier_not_declared", "The contract is not the one that the account is linked to.",
            "Expected the business_contract_identifier of the account's business.";
        MeterPointWithNoAgreement = "meter_point_with_no_agreement", "The meter point is on supply without an agreement.",
            "Send the agreement that is in force.";
        DuplicateMeterSerialNumbers = "duplicate_meter_serial_numbers", "The serial number is given twice at this meter point.",
            "Send each meter of a meter point once.";
        MeterWithDuplicateRegisterIds = "meter_with_duplicate_register_ids", "The register is given twice at this meter.",
            "Send each register of a meter once.";
        ReadingRegisterIdNotRecognised = "reading_register_id_not_recognised", "The meter has no such register.",
            "Expected the register_id of one of the meter's registers.";
        ReadingWithoutRegisterId = "reading_without_register_id", "The meter has registers, the reading names none.",
            "Send the register_id of one of the meter's registers.";
        HistoricalReadingRegisterIdNotRecognised = "historical_reading_register_id_not_recognised", "The meter has no such register.",
            "Expected the register_id of one of the meter's registers.";
        NoRegisterIdForReading = "no_register_id_for_reading", "The meter has registers, the reading names none.",
            "Send the register_id of one of the meter's registers.";
        RequiredTransferReadings = "required_transfer_readings", "The current basic meter has no transfer readings.",
            "Send at least one transfer reading.";
        NoReadingOnRemovedOn = "no_reading_on_removed_on", "The meter was removed without a reading on that day.",
            "Send a reading whose day is removed_on.";
        MissingTransferReadingForRegister = "missing_transfer_reading_for_register", "A register of the meter has no transfer reading.",
            "Send a transfer reading for each register of the meter.";
        ActiveGasMeterWithoutTransferReading = "active_gas_meter_without_transfer_reading", "The gas meter is in place and has no transfer reading.",
            "Send exactly one transfer reading.";
        ActiveGasMeterWithMultipleTransferReadings = "active_gas_meter_with_multiple_transfer_readings", "The gas meter has more than one transfer reading.",
            "Send exactly one transfer reading.";
        ReadingInFuture = "reading_in_future", "The reading lies in the future.",
            "Send a day that is not after today in the supplier's time zone.";
        ReadingOutsideMeterLife = "reading_outside_meter_life", "The reading lies outside the life of its meter.",
            "Expected a day on which the meter was installed; check both.";
        PreviousReadingAfterReading = "previous_reading_after_reading", "The previous reading lies after this one.",
            "Expected prev_reading_date on or before reading_date.";
        BilledReadingAfterLastBilledToDate = "billed_reading_after_last_billed_to_date", "The billed reading lies after the last billed day.",
            "Expected a day up to the last billed one, or billed as false.";
        TransferReadingDatesMustMatchLastBilledToDate = "transfer_reading_dates_must_match_last_billed_to_date", "The transfer reading is not of the last billed day.",
            "Expected the last billed day.";
        ReadingDecreased = "reading_decreased", "The reading is lower than the one before.",
            "Check the order of the readings, the register, and whether the dials began again at 0.";
        ReadingValueExceedsDials = "reading_value_exceeds_dials", "The reading has more digits than the meter has dials.",
            "Check the number of dials and the unit of the reading.";
        BalanceMismatchOnLedgerBalance = "balance_mismatch_on_ledger_balance", "The ledger balance is not the sum of the last statement balance and the current transactions.",
            "PAYMENT and CREDIT are added, CHARGE, SUPPLY_CHARGE and REPAYMENT subtracted; a balance above 0 is a credit.",
            r#"{"last_statement_balance": 0, "current_statement_transactions": [{"type": "CHARGE", "amount": 10}], "ledger_balance": 10}"# => r#"{"last_statement_balance": 0, "current_statement_transactions": [{"type": "CHARGE", "amount": 10}], "ledger_balance": -10}"#;
        HistoricalStatementTransactionsBalanceMismatch = "historical_statement_transactions_balance_mismatch", "The last statement balance is not the sum of the historical transactions.",
            "PAYMENT and CREDIT are added, CHARGE, SUPPLY_CHARGE and REPAYMENT subtracted; a balance above 0 is a credit.",
            r#"{"historical_statement_transactions": [{"type": "PAYMENT", "amount": 10}], "last_statement_balance": -10}"# => r#"{"historical_statement_transactions": [{"type": "PAYMENT", "amount": 10}], "last_statement_balance": 10}"#;
        LedgerBalancesNotEqualToTransferBalance = "ledger_balances_not_equal_to_transfer_balance", "The transfer balance is not the sum of the ledger balances.",
            "Correct transfer_balance, or send the missing ledger.",
            r#"{"transfer_balance": 5, "ledgers": [{"ledger_balance": 3}]}"# => r#"{"transfer_balance": 3, "ledgers": [{"ledger_balance": 3}]}"#;
        CurrentStatementTransactionBeforeLastStatementClosingDate = "current_statement_transaction_before_last_statement_closing_date", "A current transaction lies on or before the closing date of the last statement.",
            "Expected a later day; earlier transactions belong in historical_statement_transactions.";
        HistoricalStatementTransactionAfterLastStatementClosingDate = "historical_statement_transaction_after_last_statement_closing_date", "A historical transaction lies after the closing date of the last statement.",
            "Expected a day up to the closing date; later transactions belong in current_statement_transactions.";
        HistoricalStatementTransactionAfterCurrentStatementTransaction = "historical_statement_transaction_after_current_statement_transaction", "A historical transaction lies after this current one.",
            "Expected historical transactions before current ones; send last_statement_closing_date.";
        LastStatementIssuedBeforeClosingDate = "last_statement_issued_before_closing_date", "The last statement was issued before it was closed.",
            "Expected last_statement_issue_date on or after last_statement_closing_date.";
        HistoricalStatementTransactionsRequireLastStatementClosingDate = "historical_statement_transactions_require_last_statement_closing_date", "There are historical transactions, but the closing date of the last statement is missing.",
            "Send last_statement_closing_date.";
        HistoricalStatementWithoutLastStatementClosingDate = "historical_statement_without_last_statement_closing_date", "There is a balance of the last statement, but its closing date is missing.",
            "Send last_statement_closing_date.";
        HistoricalStatementPeriodEndInFuture = "historical_statement_period_end_in_future", "The last statement closes in the future.",
            "Send a date that is not after today in the supplier's time zone.";
        DuplicateTransactionIds = "duplicate_transaction_ids", "The transaction id is given twice.",
            "Give each transaction an id of its own, across all ledgers.";
        CurrentStatementTransactionBeforeLastBilledToDate = "current_statement_transaction_before_last_billed_to_date", "A current transaction lies before the last billed day.",
            "Check that the transaction is not billed already.";
        AmountHasFractionOfCent = "amount_has_fraction_of_cent", "The amount has a fraction of a cent.",
            "Expected at most two digits after the point; the digits are kept as sent.";
        TransactionInFuture = "transaction_in_future", "The transaction lies in the future.",
            "Send a date that is not after today in the supplier's time zone.";
        NegativeAmount = "negative_amount", "The amount is negative, but the type determines the sign.",
            "Expected an amount of 0 or more, and the type that has its sign.",
            r#"{"type": "CHARGE", "amount": -5}"# => r#"{"type": "CREDIT", "amount": 5}"#;
        LedgerTransactionAmountDoesNotMatchWithLineItemNetAmountAndTaxAmount = "ledger_transaction_amount_does_not_match_with_line_item_net_amount_and_tax_amount", "The amount is not the sum of line items and taxes.",
            "A difference of up to 0.01 is accepted.";
        IncorrectLineItemNetAmount = "incorrect_line_item_net_amount", "The net amount is not price times units.",
            "Expected price_per_unit times number_of_units; a difference of up to 0.01 is accepted.";
        LineItemUnitsMustBeTwoValues = "line_item_units_must_be_two_values", "The units are not two values, the start and the end.",
            "Expected [start, end].";
        PaymentTypeNotForTransactionType = "payment_type_not_for_transaction_type", "The payment type does not apply to this type of transaction.",
            "Send payment_type only with the types PAYMENT and REPAYMENT.";
        UnitsDoNotMatchNumberOfUnits = "units_do_not_match_number_of_units", "The two units do not differ by the number of units.",
            "Expected the second minus the first to be number_of_units.";
        TaxAmountMismatch = "tax_amount_mismatch", "The tax is not the taxed value times the rate.",
            "Expected value_taxed times rate; a difference of up to 0.01 is accepted.";
        InvalidPaymentInstruction = "invalid_payment_instruction", "There is an earlier instruction of this type, and none has an end.",
            "Expected at most one instruction of a type without an end.";
        PaymentInstructionDetailsDoNotMatchType = "payment_instruction_details_do_not_match_type", "The details belong to another type of instruction.",
            "Expected card with CARD, and bank_account with DIRECT_DEBIT.";
        InvalidSortCode = "invalid_sort_code", "This is not a BSB: three digits, a hyphen or a space or nothing, three digits.",
            "Check that a leading 0 was not lost.",
            r#"{"bsb": "62-000"}"# => r#"{"bsb": "062-000"}"#;
        CardDetailsNotProvidedForCardPaymentInstruction = "card_details_not_provided_for_card_payment_instruction", "A card instruction comes without details of its card.",
            "Send card.";
        BankDetailsNotProvided = "bank_details_not_provided", "A direct debit comes without its bank account.",
            "Send bank_account.";
        CardExpired = "card_expired", "The card has expired.",
            "Ask the customer for a new card, or leave the instruction out.";
        PossibleCardNumber = "possible_card_number", "The text may hold a whole card number.",
            "Send the last digits only; whole card numbers must not be sent.";
        ChildrenWithDuplicateValues = "children_with_duplicate_values", "The value is given twice.",
            "Send each value once.";
        ZeroPaymentScheduleAmount = "zero_payment_schedule_amount", "The amount of the payment schedule is 0.",
            "Expected an amount other than 0.";
        InvalidPaymentDayForPaymentSchedule = "invalid_payment_day_for_payment_schedule", "The day of the month is not 1 to 31.",
            "Expected a whole number from 1 to 31.";
        MultipleOpenEndedPaymentSchedules = "multiple_open_ended_payment_schedules", "There is an earlier schedule that is no debt repayment plan.",
            "Expected at most one; mark others with is_debt_repayment_plan.";
        FixedPaymentScheduleMissingFrequency = "fixed_payment_schedule_missing_frequency", "The schedule has no frequency.",
            "Send frequency.";
        FixedPaymentScheduleMissingDayOfMonth = "fixed_payment_schedule_missing_day_of_month", "The schedule has no day of the month, which its frequency needs.",
            "Send day_of_month.";
        ScheduleMeansWithoutInstruction = "schedule_means_without_instruction", "The account has no payment instruction for these means.",
            "Send the payment instruction, or other means.";
        InvalidDocumentPath = "invalid_document_path", "This is not a safe path relative to the supplier's root.",
            "Expected a path like folder/file.pdf: relative, with / between its parts, without . or .. parts.",
            r#"{"document_path": "../letters/1.pdf"}"# => r#"{"document_path": "letters/1.pdf"}"#;
        PathDoesNotExistInFileStore = "path_does_not_exist_in_file_store", "There is no such document.",
            "Put the document below the supplier's document root, under exactly this path, or correct the path.";
        DocumentNotPdf = "document_not_pdf", "The document is not a PDF.",
            "Expected a file that begins with %PDF.";
        DuplicateStatementIds = "duplicate_statement_ids", "The statement id is given twice.",
            "Give each statement an id of its own.";
        StatementIssuedBeforePeriodEnd = "statement_issued_before_period_end", "The statement was issued before its period ended.",
            "Expected an issue date on or after the end of the period.";
        NoteBodyOrDocumentPathNotFound = "note_body_or_document_path_not_found", "The note has neither a body nor documents.",
            "Send body, document_paths, or both.",
            r#"{"is_pinned": true}"# => r#"{"body": "Has a key safe.", "is_pinned": true}"#;
        NoteUnpinAtEarlierThanCreationDate = "note_unpin_at_earlier_than_creation_date", "The pin ends before the note was created.",
            "Expected unpin_at after created_at.";
        UnpinAtInPast = "unpin_at_in_past", "The pin ended in the past.",
            "Send a later unpin_at, or leave is_pinned and unpin_at out.";
        DuplicateNote = "duplicate_note", "The same note is given earlier; this one will not be created.",
            "Send the note once.";
        MissingContractIdentifier = "missing_contract_identifier", "The link to a business names no contract.",
            "Send business_contract_identifier.";
        DuplicateContractIdentifiers = "duplicate_contract_identifiers", "The contract identifier is given twice.",
            "Give each contract an identifier of its own.";
        ContractVersionsDoesNotIncludeCurrent = "contract_versions_does_not_include_current", "The earliest version does not apply from the contract's first day.",
            "Expected a version whose applicable_at_date is valid_from_date.";
        DuplicateContractVersions = "duplicate_contract_versions", "A version of this day is given twice.",
            "Send one version for each day.";
        InvalidCompanyNumber = "invalid_company_number", "This is neither an ACN nor an ABN.",
            "Expected an ACN of nine or an ABN of eleven digits, with valid check digits.";
        SignedAfterValidFrom = "signed_after_valid_from", "The contract was signed after its first day.",
            "Expected signed_at_date on or before valid_from_date.";
        ScheduleWindowStartInPast = "schedule_window_start_in_past", "The window starts in the past.",
            "Expected a time that is not more than 5 minutes ago; check the offset.";
        ScheduleWindowEndInPast = "schedule_window_end_in_past", "The window ends in the past.",
            "Expected a time that is not more than 5 minutes ago; check the offset.";
        ScheduleWindowEndTooFarInFuture = "schedule_window_end_too_far_in_future", "The window ends more than 4 days from now.",
            "Expected an end within 96 hours from now.";
        ScheduleWindowStartAfterEnd = "schedule_window_start__after_end", "The window starts after its end.",
            "Expected a start on or before the end.";
    }
    Service {
        ImportSupplierNotFound = "import_supplier_not_found", "There is no such import supplier.",
            "Check the code and the API key; while it is unknown, dates are checked in UTC and rules at their default levels.";
        ImportSupplierMigrationNotOngoing = "import_supplier_migration_not_ongoing", "The import supplier takes no accounts now.",
            "Wait until the operator sets its status to Ongoing.";
        ImportProcessDoesNotExist = "import_process_does_not_exist", "There is no import process for this supplier and account number.",
            "Check both, and create the account first.";
        AccountNotFound = "account_not_found", "There is no imported account with this number.",
            "Send it again once the account is imported.";
        AccountImportProcessAlreadyImported = "account_import_process_already_imported", "The account has been imported already.",
            "Nothing more is to be done; later changes are sent as additions.";
        AccountImportProcessInProgress = "account_import_process_in_progress", "The account is being imported.",
            "Ask for its status.";
        TransactionOutsideOpenStatementPeriod = "transaction_outside_open_statement_period", "The transaction lies outside the open statement period.",
            "Send another date, or let force_add_to_current_statement move it.";
        TransactionIdReusedWithDifferentContent = "transaction_id_reused_with_different_content", "The account has a transaction with this id and other content.",
            "Give the transaction an id of its own.";
        HistoricalStatementAlreadyExists = "historical_statement_already_exists", "The account has a statement with this id and other content.",
            "Give the statement an id of its own, or send it unchanged.";
        ContractWithIdentifierExists = "contract_with_identifier_exists", "Another business has a contract with this identifier.",
            "Identifiers of contracts are unique within the organisation: send another one.";
        BusinessContractNotFound = "business_contract_not_found", "There is no such business contract.",
            "Create the business with this contract before its accounts, and check the identifier.";
        ContractInUse = "contract_in_use", "An account that is imported or waits refers to a contract that this would remove.",
            "Keep the contract in the list, or cancel and correct the accounts that name it first.";
        MeterPointOfAnotherAccount = "meter_point_of_another_account", "Another imported account has this meter point.",
            "Check which of the two accounts is supplied, and the supply_end_date of the other.";
        BusinessAlreadyExists = "business_already_exists", "The business exists with other content.",
            "Send it unchanged, or correct the stored one.";
        BusinessNotFound = "business_not_found", "There is no such business.",
            "Create the business first, and check the identifier.";
        PaymentVendorUnknown = "payment_vendor_unknown", "No such payment vendor is configured.",
            "Check the name; the operator configures vendors.";
        PaymentInstructionNotFound = "payment_instruction_not_found", "The payment vendor has no such instruction.",
            "Check the reference with the vendor.";
        PaymentInstructionTypeMismatch = "payment_instruction_type_mismatch", "The payment vendor has the instruction with another type.",
            "Send the type that the vendor has.";
        PaymentVendorRejected = "payment_vendor_rejected", "The payment vendor refused the instruction.",
            "Do not repeat it unchanged; check the instruction with the vendor.";
        PaymentVendorUnavailable = "payment_vendor_unavailable", "The payment vendor cannot be reached now; try again unchanged.",
            "Repeat the request later.";
    }
    Process {
        ImportProcessFailedValidation = "import_process_failed_validation", "The account failed validation; the validate endpoint gives the details.",
            "Call validate with the account, correct what it reports, and create it again.";
        ImportProcessRetriesExhausted = "import_process_retries_exhausted", "The import failed after the last retry.",
            "Tell the operator, who finds the cause in the log; then send the account again.";
        ScheduleWindowMissed = "schedule_window_missed", "The window closed before the import began.",
            "Send the account again with a later window, or without one.";
    }
    General {
        AccountFailedValidation = "account_failed_validation", "The account failed validation.",
            "Correct every item of errors and send it again.";
        ValidationError = "validation_error", "The request failed validation.",
            "Correct every item of errors and send it again.";
        BadRequest = "bad_request", "The text is not an HTTP request, or an ambiguous one.",
            "Check the client, or the proxy in front of the service.";
        HeadTooLarge = "head_too_large", "The request line and the headers are too large.",
            "Send fewer or shorter headers, and a shorter path.";
        UnknownParameter = "unknown_parameter", "The request has no such parameter.",
            "Check the spelling of the parameter; the route's documentation lists those it has.";
        ParseError = "parse_error", "The body is not JSON.",
            "Check the text at the line and column of the answer: UTF-8 without a byte order mark, no comments, no NaN.";
        NotAuthenticated = "not_authenticated", "Authentication credentials were not provided.",
            "Send the header Authorization: Token ACCESS_TOKEN.";
        AuthenticationFailed = "authentication_failed", "The token is not valid.",
            "Obtain a new token with the API key.";
        PermissionDenied = "permission_denied", "The role of this API key does not permit this.",
            "Use a key of a role that may do it.";
        NotFound = "not_found", "Not found.",
            "Check the path, the code of the supplier, and the API key's organisation.";
        ManifestNotDeclared = "manifest_not_declared", "No manifest has been declared.",
            "Declare one with PUT.";
        CertificateNotIssued = "certificate_not_issued", "No certificate has been issued.",
            "Issue one with POST.";
        CertificateLeavesRemoved = "certificate_leaves_removed", "The leaves of this certificate are not kept any more; issue another one.",
            "Issue another certificate; the leaves of the latest ten are kept.";
        AccountImportProcessNotPending = "account_import_process_not_pending", "The account is not waiting to be imported, so it cannot be cancelled.",
            "Only PENDING accounts can be cancelled; send the account again to replace it.";
        MethodNotAllowed = "method_not_allowed", "This method is not allowed here.",
            "Use a method of the header Allow.";
        EventsExpired = "events_expired", "Events after this position have been removed already; begin again from the oldest.",
            "Read the imported accounts anew, then follow the feed from there.";
        RequestTimeout = "request_timeout", "The request took too long.",
            "Send the request again, over a faster connection or in smaller parts.";
        PayloadTooLarge = "payload_too_large", "The body is too large.",
            "Send it in smaller parts; limits count unpacked bytes.";
        UnsupportedMediaType = "unsupported_media_type", "The body must be JSON.",
            "Send Content-Type: application/json, for bulk application/x-ndjson.";
        Throttled = "throttled", "Too many requests; try again later.",
            "Wait as long as the header Retry-After says.";
        ServiceUnavailable = "service_unavailable", "A part of the service is down; try again later.",
            "Wait as long as the header Retry-After says, then repeat the request unchanged.";
        EncryptionKeyMissing = "encryption_key_missing", "This server lacks an encryption key that the answer needs; try again later, for another one may have it.",
            "Repeat the request; the operator finds the missing key with cutover doctor.";
        Error = "error", "Something unexpected happened; try again unchanged.",
            "Repeat the request unchanged; tell the operator the header X-Request-Id if it stays.";
    }
    Undo {
        AccountAlreadyBilled = "account_already_billed", "Another system has billed the account.",
            "Its import stays: correct the account with additions, or in the system that billed it.";
        AccountChanged = "account_changed", "Something was added to the account since its import.",
            "Its import stays: correct the account with further additions.";
        AccountArchived = "account_archived", "Payload and history of the import are in an archive.",
            "Its import stays: correct the account with additions.";
    }
    Client {
        RepeatedInInput = "repeated_in_input", "The same account is given earlier in the inputs.",
            "Remove one of the two, unless they are equal.";
        UnreadableInput = "unreadable_input", "The input cannot be read, or not to its end.",
            "Check the file; accounts after this place were neither checked nor sent.";
        RunInterrupted = "run_interrupted", "The run was interrupted before the end of the inputs.",
            "Run the command again: it goes on where it stopped.";
        RefusedInAnEarlierRun = "refused_in_an_earlier_run", "An earlier run was refused this account, which has not changed since.",
            "Correct it, or send it again with --retry-refused.";
        AlreadyImportedWithOtherContent = "already_imported_with_other_content", "The account was imported before it was changed.",
            "Send what has changed as additions, or ask the operator to undo the import.";
        TotalsDiffer = "totals_differ", "What was imported of the account does not come to what was sent.",
            "Compare both figures, and tell the operator.";
        StatusErrored = "errored", "The import of the account ended in an error.",
            "Read its issues, correct the account and send it again.";
        StatusDryRunErrored = "dry_run_errored", "The dry run of the account ended in an error.",
            "Read its issues, correct the account and send it again.";
        StatusCancelled = "cancelled", "The import of the account was cancelled.",
            "Send it again if it is to be imported.";
        StatusPending = "pending", "The account waits for its import.",
            "Nothing is to be done; ask again later.";
        StatusInProgress = "in_progress", "The account is being imported.",
            "Nothing is to be done; ask again later.";
        StatusDryRunSucceeded = "dry_run_succeeded", "The account passed a dry run, which imports nothing.",
            "Send it again as a real import.";
        StatusImported = "imported", "The account is imported.",
            "Nothing is to be done.";
    }
}

impl Code {
    /// Iterates over the codes that the service sends.
    pub fn of_service() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|code| code.domain() != Domain::Client)
    }

    /// Returns the default text of an issue: the fault, then the advice.
    pub fn message(self) -> String {
        format!("{} {}", self.detail(), self.advice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_sentences_in_ascii() {
        for code in Code::ALL {
            let message = code.message();
            assert!(message.is_ascii() && message.ends_with('.'), "{code}: {message}");
        }
    }
}
