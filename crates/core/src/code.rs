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
}

macro_rules! codes {
    ($($domain:ident { $($name:ident = $text:literal, $detail:literal;)* })*) => {
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

            /// The origin of the code.
            pub fn domain(self) -> Domain {
                match self { $($(Self::$name => Domain::$domain,)*)* }
            }
        }
    };
}

codes! {
    Field {
        Required = "required", "The member is missing.";
        Null = "null", "The member is null.";
        Blank = "blank", "The text is blank.";
        Invalid = "invalid", "The value has the wrong type or form.";
        InvalidChoice = "invalid_choice", "The value is not one of the allowed ones.";
        MaxLength = "max_length", "The text is too long.";
        MinLength = "min_length", "The text is too short.";
        MaxDigits = "max_digits", "Too many digits before the decimal point.";
        MaxDecimalPlaces = "max_decimal_places", "Too many digits after the decimal point.";
        MinValue = "min_value", "The number is too small.";
        MaxValue = "max_value", "The number is too large.";
        NotAList = "not_a_list", "The value is not an array.";
        TooFewItems = "too_few_items", "The array has too few items.";
        TooManyItems = "too_many_items", "The array has too many items.";
        UnknownField = "unknown_field", "This member is not documented here.";
        DuplicateField = "duplicate_field", "This member is given more than once in its object.";
        NullCharactersNotAllowed = "null_characters_not_allowed", "The text contains the character U+0000.";
        UnrecognisedValue = "unrecognised_value", "The value is not among the known ones.";
        SupplyTypeMismatch = "supply_type_mismatch", "The supply type and the prefix of mpxn name different kinds of meter point.";
        FieldNotAllowedForSupplyType = "field_not_allowed_for_supply_type", "This member belongs to another kind of meter point.";
        SupplyTypeAssumed = "supply_type_assumed", "The kind of this meter point is not given; metered electricity is assumed.";
        TooManyErrors = "too_many_errors", "There are more errors than these; the first 1,000 are given.";
    }
    Rule {
        CustomerWithUnknownOccupier = "customer_with_unknown_occupier", "The occupier is unknown, but the account has customers.";
        OccupierAccountWithMultipleSupplyAddresses = "occupier_account_with_multiple_supply_addresses", "The occupier is unknown, but the account has several supply addresses.";
        LastPaymentReviewDateIsFutureDated = "last_payment_review_date_is_future_dated", "The last payment review lies in the future.";
        AccountWithoutCustomers = "account_without_customers", "The account has no customers and its occupier is not unknown.";
        OnlinePreferenceWithoutEmail = "online_preference_without_email", "Online communication is preferred, but no customer has a usable e-mail address.";
        DateInFuture = "date_in_future", "The date lies in the future.";
        NoSupplyPointOnSupply = "no_supply_point_on_supply", "No meter point of the account is on supply.";
        LastBilledToDateNotFound = "last_billed_to_date_not_found", "Neither the account nor a register says up to which day was billed.";
        ExternalAccountNumberNotUrlSafe = "external_account_number_not_url_safe", "The number contains a character that is unsafe in a URL, where it is a segment of the path.";
        InvalidPhoneNumber = "invalid_phone_number", "This is not a phone number.";
        PhoneNumberWrongKind = "phone_number_wrong_kind", "The number is mobile but given as landline, or the other way round.";
        InvalidEmail = "invalid_email", "This is not an e-mail address.";
        PossibleTestEmailAddress = "possible_test_email_address", "This looks like an e-mail address made for tests.";
        CustomerMayNotBeNamedTheOccupier = "customer_may_not_be_named_the_occupier", "The customer is named the occupier.";
        ImplausibleDateOfBirth = "implausible_date_of_birth", "This date of birth is implausible for a customer.";
        CustomerFamilyNameRequired = "customer_family_name_required", "The customer has no family name.";
        RequiredUserRole = "required_user_role", "The customer has no role.";
        InvalidPostcode = "invalid_postcode", "This is not a postcode of four digits.";
        InvalidDeliveryPointIdentifier = "invalid_delivery_point_identifier", "The delivery point identifier contains other characters than A to Z and 0 to 9.";
        InvalidSupplyPointIdentifier = "invalid_supply_point_identifier", "This does not have the form of a supply point identifier.";
        InvalidCheckDigit = "invalid_check_digit", "The check digit of the supply point identifier is wrong.";
        StartDateLaterThanEndDate = "start_date_later_than_end_date", "The end lies before the start.";
        DuplicateMeterPointsOnDifferentSupplyAddressesProvided = "duplicate_meter_points_on_different_supply_addresses_provided", "The meter point is also given under another supply address.";
        DuplicateMeterPoints = "duplicate_meter_points", "The meter point is given twice under this supply address.";
        NoHazardCannotCombineWithOtherHazards = "no_hazard_cannot_combine_with_other_hazards", "The list has hazards in addition to the statement that there is none.";
        NotKnownCannotCombineWithOtherHazards = "not_known_cannot_combine_with_other_hazards", "The list has hazards in addition to the statement that hazards are not known.";
        OneCurrentData = "one_current_data", "None or several of the items have no end.";
        InstallationIdShouldBeInteger = "installation_id_should_be_integer", "The installation id is not ten digits.";
        LossInProgress = "loss_in_progress", "The supply ends in the future.";
        OverlappingAgreements = "overlapping_agreements", "The agreement overlaps an earlier one.";
        GapBetweenAgreements = "gap_between_agreements", "There is a gap before the agreement.";
        AgreementStartDateBeforeSupplyStartDate = "agreement_start_date_before_supply_start_date", "The agreement starts before the supply.";
        AgreementBusinessContractIdentifierNotDeclared = "agreement_business_contract_identifier_not_declared", "The contract is not the one that the account is linked to.";
        MeterPointWithNoAgreement = "meter_point_with_no_agreement", "The meter point is on supply without an agreement.";
        DuplicateMeterSerialNumbers = "duplicate_meter_serial_numbers", "The serial number is given twice at this meter point.";
        MeterWithDuplicateRegisterIds = "meter_with_duplicate_register_ids", "The register is given twice at this meter.";
        ReadingRegisterIdNotRecognised = "reading_register_id_not_recognised", "The meter has no such register.";
        ReadingWithoutRegisterId = "reading_without_register_id", "The meter has registers, the reading names none.";
        HistoricalReadingRegisterIdNotRecognised = "historical_reading_register_id_not_recognised", "The meter has no such register.";
        NoRegisterIdForReading = "no_register_id_for_reading", "The meter has registers, the reading names none.";
        RequiredTransferReadings = "required_transfer_readings", "The current basic meter has no transfer readings.";
        NoReadingOnRemovedOn = "no_reading_on_removed_on", "The meter was removed without a reading on that day.";
        MissingTransferReadingForRegister = "missing_transfer_reading_for_register", "A register of the meter has no transfer reading.";
        ActiveGasMeterWithoutTransferReading = "active_gas_meter_without_transfer_reading", "The gas meter is in place and has no transfer reading.";
        ActiveGasMeterWithMultipleTransferReadings = "active_gas_meter_with_multiple_transfer_readings", "The gas meter has more than one transfer reading.";
        ReadingInFuture = "reading_in_future", "The reading lies in the future.";
        ReadingOutsideMeterLife = "reading_outside_meter_life", "The reading lies outside the life of its meter.";
        PreviousReadingAfterReading = "previous_reading_after_reading", "The previous reading lies after this one.";
        BilledReadingAfterLastBilledToDate = "billed_reading_after_last_billed_to_date", "The billed reading lies after the last billed day.";
        TransferReadingDatesMustMatchLastBilledToDate = "transfer_reading_dates_must_match_last_billed_to_date", "The transfer reading is not of the last billed day.";
        ReadingDecreased = "reading_decreased", "The reading is lower than the one before.";
        ReadingValueExceedsDials = "reading_value_exceeds_dials", "The reading has more digits than the meter has dials.";
        BalanceMismatchOnLedgerBalance = "balance_mismatch_on_ledger_balance", "The ledger balance is not the sum of the last statement balance and the current transactions.";
        HistoricalStatementTransactionsBalanceMismatch = "historical_statement_transactions_balance_mismatch", "The last statement balance is not the sum of the historical transactions.";
        LedgerBalancesNotEqualToTransferBalance = "ledger_balances_not_equal_to_transfer_balance", "The transfer balance is not the sum of the ledger balances.";
        CurrentStatementTransactionBeforeLastStatementClosingDate = "current_statement_transaction_before_last_statement_closing_date", "A current transaction lies on or before the closing date of the last statement.";
        HistoricalStatementTransactionAfterLastStatementClosingDate = "historical_statement_transaction_after_last_statement_closing_date", "A historical transaction lies after the closing date of the last statement.";
        HistoricalStatementTransactionAfterCurrentStatementTransaction = "historical_statement_transaction_after_current_statement_transaction", "A historical transaction lies after this current one.";
        LastStatementIssuedBeforeClosingDate = "last_statement_issued_before_closing_date", "The last statement was issued before it was closed.";
        HistoricalStatementTransactionsRequireLastStatementClosingDate = "historical_statement_transactions_require_last_statement_closing_date", "There are historical transactions, but the closing date of the last statement is missing.";
        HistoricalStatementWithoutLastStatementClosingDate = "historical_statement_without_last_statement_closing_date", "There is a balance of the last statement, but its closing date is missing.";
        HistoricalStatementPeriodEndInFuture = "historical_statement_period_end_in_future", "The last statement closes in the future.";
        DuplicateTransactionIds = "duplicate_transaction_ids", "The transaction id is given twice.";
        CurrentStatementTransactionBeforeLastBilledToDate = "current_statement_transaction_before_last_billed_to_date", "A current transaction lies before the last billed day.";
        AmountHasFractionOfCent = "amount_has_fraction_of_cent", "The amount has a fraction of a cent.";
        TransactionInFuture = "transaction_in_future", "The transaction lies in the future.";
        NegativeAmount = "negative_amount", "The amount is negative, but the type determines the sign.";
        LedgerTransactionAmountDoesNotMatchWithLineItemNetAmountAndTaxAmount = "ledger_transaction_amount_does_not_match_with_line_item_net_amount_and_tax_amount", "The amount is not the sum of line items and taxes.";
        IncorrectLineItemNetAmount = "incorrect_line_item_net_amount", "The net amount is not price times units.";
        LineItemUnitsMustBeTwoValues = "line_item_units_must_be_two_values", "The units are not two values, the start and the end.";
        PaymentTypeNotForTransactionType = "payment_type_not_for_transaction_type", "The payment type does not apply to this type of transaction.";
        UnitsDoNotMatchNumberOfUnits = "units_do_not_match_number_of_units", "The two units do not differ by the number of units.";
        TaxAmountMismatch = "tax_amount_mismatch", "The tax is not the taxed value times the rate.";
        InvalidPaymentInstruction = "invalid_payment_instruction", "There is an earlier instruction of this type, and none has an end.";
        PaymentInstructionDetailsDoNotMatchType = "payment_instruction_details_do_not_match_type", "The details belong to another type of instruction.";
        InvalidSortCode = "invalid_sort_code", "This is not a BSB: three digits, a hyphen or a space or nothing, three digits.";
        CardDetailsNotProvidedForCardPaymentInstruction = "card_details_not_provided_for_card_payment_instruction", "A card instruction comes without details of its card.";
        BankDetailsNotProvided = "bank_details_not_provided", "A direct debit comes without its bank account.";
        CardExpired = "card_expired", "The card has expired.";
        PossibleCardNumber = "possible_card_number", "The text may hold a whole card number.";
        ChildrenWithDuplicateValues = "children_with_duplicate_values", "The value is given twice.";
        ZeroPaymentScheduleAmount = "zero_payment_schedule_amount", "The amount of the payment schedule is 0.";
        InvalidPaymentDayForPaymentSchedule = "invalid_payment_day_for_payment_schedule", "The day of the month is not 1 to 31.";
        MultipleOpenEndedPaymentSchedules = "multiple_open_ended_payment_schedules", "There is an earlier schedule that is no debt repayment plan.";
        FixedPaymentScheduleMissingFrequency = "fixed_payment_schedule_missing_frequency", "The schedule has no frequency.";
        FixedPaymentScheduleMissingDayOfMonth = "fixed_payment_schedule_missing_day_of_month", "The schedule has no day of the month, which its frequency needs.";
        ScheduleMeansWithoutInstruction = "schedule_means_without_instruction", "The account has no payment instruction for these means.";
        InvalidDocumentPath = "invalid_document_path", "This is not a safe path relative to the supplier's root.";
        PathDoesNotExistInFileStore = "path_does_not_exist_in_file_store", "There is no such document.";
        DocumentNotPdf = "document_not_pdf", "The document is not a PDF.";
        DuplicateStatementIds = "duplicate_statement_ids", "The statement id is given twice.";
        StatementIssuedBeforePeriodEnd = "statement_issued_before_period_end", "The statement was issued before its period ended.";
        NoteBodyOrDocumentPathNotFound = "note_body_or_document_path_not_found", "The note has neither a body nor documents.";
        NoteUnpinAtEarlierThanCreationDate = "note_unpin_at_earlier_than_creation_date", "The pin ends before the note was created.";
        UnpinAtInPast = "unpin_at_in_past", "The pin ended in the past.";
        DuplicateNote = "duplicate_note", "The same note is given earlier; this one will not be created.";
        MissingContractIdentifier = "missing_contract_identifier", "The link to a business names no contract.";
        DuplicateContractIdentifiers = "duplicate_contract_identifiers", "The contract identifier is given twice.";
        ContractVersionsDoesNotIncludeCurrent = "contract_versions_does_not_include_current", "The earliest version does not apply from the contract's first day.";
        DuplicateContractVersions = "duplicate_contract_versions", "A version of this day is given twice.";
        InvalidCompanyNumber = "invalid_company_number", "This is neither an ACN nor an ABN.";
        SignedAfterValidFrom = "signed_after_valid_from", "The contract was signed after its first day.";
        ScheduleWindowStartInPast = "schedule_window_start_in_past", "The window starts in the past.";
        ScheduleWindowEndInPast = "schedule_window_end_in_past", "The window ends in the past.";
        ScheduleWindowEndTooFarInFuture = "schedule_window_end_too_far_in_future", "The window ends more than 4 days from now.";
        ScheduleWindowStartAfterEnd = "schedule_window_start__after_end", "The window starts after its end.";
    }
    Service {
        ImportSupplierNotFound = "import_supplier_not_found", "There is no such import supplier.";
        ImportSupplierMigrationNotOngoing = "import_supplier_migration_not_ongoing", "The import supplier takes no accounts now.";
        ImportProcessDoesNotExist = "import_process_does_not_exist", "There is no import process for this supplier and account number.";
        AccountNotFound = "account_not_found", "There is no imported account with this number.";
        AccountImportProcessAlreadyImported = "account_import_process_already_imported", "The account has been imported already.";
        AccountImportProcessInProgress = "account_import_process_in_progress", "The account is being imported.";
        TransactionOutsideOpenStatementPeriod = "transaction_outside_open_statement_period", "The transaction lies outside the open statement period.";
        TransactionIdReusedWithDifferentContent = "transaction_id_reused_with_different_content", "The account has a transaction with this id and other content.";
        HistoricalStatementAlreadyExists = "historical_statement_already_exists", "The account has a statement with this id and other content.";
        ContractWithIdentifierExists = "contract_with_identifier_exists", "Another business has a contract with this identifier.";
        BusinessContractNotFound = "business_contract_not_found", "There is no such business contract.";
        ContractInUse = "contract_in_use", "An account that is imported or waits refers to a contract that this would remove.";
        MeterPointOfAnotherAccount = "meter_point_of_another_account", "Another imported account has this meter point.";
        BusinessAlreadyExists = "business_already_exists", "The business exists with other content.";
        BusinessNotFound = "business_not_found", "There is no such business.";
        PaymentVendorUnknown = "payment_vendor_unknown", "No such payment vendor is configured.";
        PaymentInstructionNotFound = "payment_instruction_not_found", "The payment vendor has no such instruction.";
        PaymentInstructionTypeMismatch = "payment_instruction_type_mismatch", "The payment vendor has the instruction with another type.";
        PaymentVendorRejected = "payment_vendor_rejected", "The payment vendor refused the instruction.";
        PaymentVendorUnavailable = "payment_vendor_unavailable", "The payment vendor cannot be reached now; try again unchanged.";
    }
    Process {
        ImportProcessFailedValidation = "import_process_failed_validation", "The account failed validation; the validate endpoint gives the details.";
        ImportProcessRetriesExhausted = "import_process_retries_exhausted", "The import failed after the last retry.";
        ScheduleWindowMissed = "schedule_window_missed", "The window closed before the import began.";
    }
    General {
        AccountFailedValidation = "account_failed_validation", "The account failed validation.";
        ValidationError = "validation_error", "The request failed validation.";
        BadRequest = "bad_request", "The text is not an HTTP request, or an ambiguous one.";
        HeadTooLarge = "head_too_large", "The request line and the headers are too large.";
        UnknownParameter = "unknown_parameter", "The request has no such parameter.";
        ParseError = "parse_error", "The body is not JSON.";
        NotAuthenticated = "not_authenticated", "Authentication credentials were not provided.";
        AuthenticationFailed = "authentication_failed", "The token is not valid.";
        PermissionDenied = "permission_denied", "The role of this API key does not permit this.";
        NotFound = "not_found", "Not found.";
        ManifestNotDeclared = "manifest_not_declared", "No manifest has been declared.";
        CertificateNotIssued = "certificate_not_issued", "No certificate has been issued.";
        CertificateLeavesRemoved = "certificate_leaves_removed", "The leaves of this certificate are not kept any more; issue another one.";
        AccountImportProcessNotPending = "account_import_process_not_pending", "The account is not waiting to be imported, so it cannot be cancelled.";
        MethodNotAllowed = "method_not_allowed", "This method is not allowed here.";
        EventsExpired = "events_expired", "Events after this position have been removed already; begin again from the oldest.";
        RequestTimeout = "request_timeout", "The request took too long.";
        PayloadTooLarge = "payload_too_large", "The body is too large.";
        UnsupportedMediaType = "unsupported_media_type", "The body must be JSON.";
        Throttled = "throttled", "Too many requests; try again later.";
        ServiceUnavailable = "service_unavailable", "A part of the service is down; try again later.";
        EncryptionKeyMissing = "encryption_key_missing", "This server lacks an encryption key that the answer needs; try again later, for another one may have it.";
        Error = "error", "Something unexpected happened; try again unchanged.";
    }
}
