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
    /// A finding of `cutover-client` about a file, a row or a cell of which accounts are made.
    Table,
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

/// Declares the codes: the word that is sent, the fault, the advice, and perhaps a fragment of JSON with the fault and
/// without it.
macro_rules! codes {
    ($($domain:ident { $(
        $name:ident {
            code: $text:literal,
            fault: $detail:literal,
            advice: $advice:literal,
            $(wrong: $wrong:literal, right: $right:literal,)?
        }
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
        Required {
            code: "required",
            fault: "The member is missing.",
            advice: "Send the member whenever its object is sent.",
            wrong: r#"{"import_supplier": "ACME"}"#,
            right: r#"{"import_supplier": "ACME", "external_account_number": "A-100"}"#,
        }
        Null {
            code: "null",
            fault: "The member is null.",
            advice: "Leave the member out if there is no value; null is allowed only where the fields say nullable.",
            wrong: r#"{"tariff_code": null}"#,
            right: r#"{"tariff_code": "RES-1"}"#,
        }
        Blank {
            code: "blank",
            fault: "The text is blank.",
            advice: "Send at least one character that is not white space.",
            wrong: r#"{"given_name": " "}"#,
            right: r#"{"given_name": "Ada"}"#,
        }
        Invalid {
            code: "invalid",
            fault: "The value has the wrong type or form.",
            advice: "Send the JSON type and the form that the fields document: dates as YYYY-MM-DD, booleans as true or false without quotes, decimals with a point.",
            wrong: r#"{"date_of_sale": "29/02/2024"}"#,
            right: r#"{"date_of_sale": "2024-02-29"}"#,
        }
        InvalidChoice {
            code: "invalid_choice",
            fault: "The value is not one of the allowed ones.",
            advice: "Send one of the listed words, spelled as listed.",
            wrong: r#"{"supply_type": "electricity"}"#,
            right: r#"{"supply_type": "ELECTRICITY"}"#,
        }
        MaxLength {
            code: "max_length",
            fault: "The text is too long.",
            advice: "Shorten the text; lengths are counted in characters.",
            wrong: r#"{"country": "Australia"}"#,
            right: r#"{"country": "AU"}"#,
        }
        MinLength {
            code: "min_length",
            fault: "The text is too short.",
            advice: "Send the whole text; lengths are counted in characters.",
            wrong: r#"{"last_digits": "42"}"#,
            right: r#"{"last_digits": "4242"}"#,
        }
        MaxDigits {
            code: "max_digits",
            fault: "Too many digits before the decimal point.",
            advice: "Check the unit of the number, and that no digits were joined.",
            wrong: r#"{"amount": 12345678901234567890}"#,
            right: r#"{"amount": 123.45}"#,
        }
        MaxDecimalPlaces {
            code: "max_decimal_places",
            fault: "Too many digits after the decimal point.",
            advice: "Round the number to the documented digits; zeros at the end do not count.",
            wrong: r#"{"amount": "10.12345678901"}"#,
            right: r#"{"amount": "10.12"}"#,
        }
        MinValue {
            code: "min_value",
            fault: "The number is too small.",
            advice: "Send a number that is not below the minimum.",
            wrong: r#"{"day_of_month": -1}"#,
            right: r#"{"day_of_month": 1}"#,
        }
        MaxValue {
            code: "max_value",
            fault: "The number is too large.",
            advice: "Send a number that is not above the maximum.",
            wrong: r#"{"expiry_month": 13}"#,
            right: r#"{"expiry_month": 12}"#,
        }
        NotAList {
            code: "not_a_list",
            fault: "The value is not an array.",
            advice: "Send an array, also for a single item.",
            wrong: r#"{"customers": {"given_name": "Ada"}}"#,
            right: r#"{"customers": [{"given_name": "Ada"}]}"#,
        }
        TooFewItems {
            code: "too_few_items",
            fault: "The array has too few items.",
            advice: "Send at least the minimum of items, or leave the array out if it is optional.",
            wrong: r#"{"notes": []}"#,
            right: r#"{"notes": [{"body": "Moved in."}]}"#,
        }
        TooManyItems {
            code: "too_many_items",
            fault: "The array has too many items.",
            advice: "Send at most the maximum of items; requests after the import can be split.",
        }
        UnknownField {
            code: "unknown_field",
            fault: "This member is not documented here.",
            advice: "Check the spelling of the name, and the object that it is in; leave it out if it is not documented.",
            wrong: r#"{"postcode": "3000"}"#,
            right: r#"{"postal_code": "3000"}"#,
        }
        DuplicateField {
            code: "duplicate_field",
            fault: "This member is given more than once in its object.",
            advice: "Send each member once; the others are not read.",
            wrong: r#"{"title": "Mr", "title": "Dr"}"#,
            right: r#"{"title": "Dr"}"#,
        }
        NullCharactersNotAllowed {
            code: "null_characters_not_allowed",
            fault: "The text contains the character U+0000.",
            advice: "Remove the character; it often comes from fields of a fixed length.",
            wrong: r#"{"body": "Moved in.\u0000"}"#,
            right: r#"{"body": "Moved in."}"#,
        }
        UnrecognisedValue {
            code: "unrecognised_value",
            fault: "The value is not among the known ones.",
            advice: "It is accepted as sent; check its spelling against the known values.",
            wrong: r#"{"title": "Mister"}"#,
            right: r#"{"title": "Mr"}"#,
        }
        SupplyTypeMismatch {
            code: "supply_type_mismatch",
            fault: "The supply type and the prefix of mpxn name different kinds of meter point.",
            advice: "Correct one of the two, or leave supply_type out.",
        }
        FieldNotAllowedForSupplyType {
            code: "field_not_allowed_for_supply_type",
            fault: "This member belongs to another kind of meter point.",
            advice: "Check supply_type and the prefix of mpxn; if they are right, leave the member out.",
        }
        SupplyTypeAssumed {
            code: "supply_type_assumed",
            fault: "The kind of this meter point is not given; metered electricity is assumed.",
            advice: "Send supply_type if it is another kind.",
            wrong: r#"{"mpxn": "6102000001"}"#,
            right: r#"{"mpxn": "6102000001", "supply_type": "ELECTRICITY"}"#,
        }
        TooManyErrors {
            code: "too_many_errors",
            fault: "There are more errors than these; the first 1,000 are given.",
            advice: "Correct these and validate again.",
        }
    }
    Rule {
        CustomerWithUnknownOccupier {
            code: "customer_with_unknown_occupier",
            fault: "The occupier is unknown, but the account has customers.",
            advice: "Send no customers, or unknown_occupier as false.",
            wrong: r#"{"unknown_occupier": true, "customers": [{"given_name": "Ada"}]}"#,
            right: r#"{"unknown_occupier": true}"#,
        }
        OccupierAccountWithMultipleSupplyAddresses {
            code: "occupier_account_with_multiple_supply_addresses",
            fault: "The occupier is unknown, but the account has several supply addresses.",
            advice: "Send one supply address for each account of an unknown occupier.",
        }
        LastPaymentReviewDateIsFutureDated {
            code: "last_payment_review_date_is_future_dated",
            fault: "The last payment review lies in the future.",
            advice: "Send a date that is not after today in the supplier's time zone.",
        }
        AccountWithoutCustomers {
            code: "account_without_customers",
            fault: "The account has no customers and its occupier is not unknown.",
            advice: "Send at least one customer, or unknown_occupier as true.",
        }
        OnlinePreferenceWithoutEmail {
            code: "online_preference_without_email",
            fault: "Online communication is preferred, but no customer has a usable e-mail address.",
            advice: "Send an e-mail address for a customer, or the preference PRINT.",
        }
        DateInFuture {
            code: "date_in_future",
            fault: "The date lies in the future.",
            advice: "Send a date that is not after today in the supplier's time zone.",
            wrong: r#"{"date_of_birth": "2108-01-09"}"#,
            right: r#"{"date_of_birth": "1980-01-09"}"#,
        }
        NoSupplyPointOnSupply {
            code: "no_supply_point_on_supply",
            fault: "No meter point of the account is on supply.",
            advice: "At least one meter point without supply_end_date, or with a later one, is expected.",
        }
        LastBilledToDateNotFound {
            code: "last_billed_to_date_not_found",
            fault: "Neither the account nor this register says up to which day was billed.",
            advice: "Send last_billed_to_date for the account, or for each of its registers.",
        }
        CannotDetermineResponsibleForBillingFromDate {
            code: "cannot_determine_responsible_for_billing_from_date",
            fault: "Nothing says from which day on the account is to be billed.",
            advice: "Send last_billed_to_date, the last_statement_closing_date of a ledger, or the agreements of the meter points.",
            wrong: r#"{"supply_addresses": [{"meter_points": [{"mpxn": "6102000001", "supply_start_date": "2024-07-01"}]}]}"#,
            right: r#"{"last_billed_to_date": "2026-09-30", "supply_addresses": [{"meter_points": [{"mpxn": "6102000001", "supply_start_date": "2024-07-01"}]}]}"#,
        }
        BillingAddressNotProvided {
            code: "billing_address_not_provided",
            fault: "The account has customers, but this part of their billing address is missing.",
            advice: "Send billing_address1 and billing_postcode.",
            wrong: r#"{"customers": [{"family_name": "Lovelace"}], "billing_address1": ""}"#,
            right: r#"{"customers": [{"family_name": "Lovelace"}], "billing_address1": "PO Box 12", "billing_postcode": "3000"}"#,
        }
        ExternalAccountNumberNotUrlSafe {
            code: "external_account_number_not_url_safe",
            fault: "The number contains a character that is unsafe in a URL, where it is a segment of the path.",
            advice: "Percent-encode the number in paths, or leave out /, ?, #, % and control characters.",
        }
        InvalidPhoneNumber {
            code: "invalid_phone_number",
            fault: "This is not a phone number.",
            advice: "Expected for example 03 9123 4567, 0412 345 678, 1300 123 456, or + and a country code; no letters or extensions.",
            wrong: r#"{"mobile": "n/a"}"#,
            right: r#"{"mobile": "+61 412 345 678"}"#,
        }
        PhoneNumberWrongKind {
            code: "phone_number_wrong_kind",
            fault: "The number is mobile but given as landline, or the other way round.",
            advice: "Numbers that begin with 04 or +614 belong in mobile, others in landline.",
            wrong: r#"{"landline": "0412 345 678"}"#,
            right: r#"{"mobile": "0412 345 678"}"#,
        }
        InvalidEmail {
            code: "invalid_email",
            fault: "This is not an e-mail address.",
            advice: "Expected one address in the form name@domain.tld, without spaces or a display name.",
            wrong: r#"{"email": "ada(at)mail.com"}"#,
            right: r#"{"email": "ada@mail.com"}"#,
        }
        PossibleTestEmailAddress {
            code: "possible_test_email_address",
            fault: "This looks like an e-mail address made for tests.",
            advice: "Send the customer's own address, or leave the member out.",
        }
        CustomerMayNotBeNamedTheOccupier {
            code: "customer_may_not_be_named_the_occupier",
            fault: "The customer is named the occupier.",
            advice: "Send unknown_occupier as true and no customers if nobody is known.",
            wrong: r#"{"customers": [{"given_name": "The", "family_name": "Occupier"}]}"#,
            right: r#"{"unknown_occupier": true}"#,
        }
        ImplausibleDateOfBirth {
            code: "implausible_date_of_birth",
            fault: "This date of birth is implausible for a customer.",
            advice: "Expected a day from 1900 on and at least 16 years ago.",
        }
        CustomerFamilyNameRequired {
            code: "customer_family_name_required",
            fault: "The customer has no family name.",
            advice: "Send family_name.",
        }
        CustomerGivenNameRequired {
            code: "customer_given_name_required",
            fault: "The customer of a business account has no given name.",
            advice: "Send given_name.",
        }
        RequiredUserRole {
            code: "required_user_role",
            fault: "The customer has no role.",
            advice: "Send role.",
        }
        InvalidPostcode {
            code: "invalid_postcode",
            fault: "This is not a postcode of four digits.",
            advice: "Expected four digits; check that a leading 0 was not lost.",
            wrong: r#"{"postal_code": "800"}"#,
            right: r#"{"postal_code": "0800"}"#,
        }
        InvalidDeliveryPointIdentifier {
            code: "invalid_delivery_point_identifier",
            fault: "The delivery point identifier contains other characters than A to Z and 0 to 9.",
            advice: "Expected capital letters and digits without spaces.",
        }
        DuplicateSupplyAddressesFound {
            code: "duplicate_supply_addresses_found",
            fault: "An earlier entry has the same supply address.",
            advice: "Send one entry for each premises, with all of its meter points.",
        }
        MultiplePropertyAdministrators {
            code: "multiple_property_administrators",
            fault: "The premises have more than one property administrator.",
            advice: "Send the one that is to be contacted.",
        }
        InvalidAddress {
            code: "invalid_address",
            fault: "The address has a number or a type, but not the name or the type that it belongs to.",
            advice: "A house number, street type or street suffix needs a street_name; the number of a flat or floor needs its type.",
            wrong: r#"{"structured_street_address": {"house_number_1": "12", "street_type": "ST"}}"#,
            right: r#"{"structured_street_address": {"house_number_1": "12", "street_name": "Banksia", "street_type": "ST"}}"#,
        }
        MultilineMaxLengthExceeded {
            code: "multiline_max_length_exceeded",
            fault: "The text has more than two lines, or a line of more than 30 characters.",
            advice: "Expected at most two lines of at most 30 characters each; break a longer name into two lines.",
            wrong: r#"{"building_or_property_name": "Wattle Court Retirement Village, North Wing"}"#,
            right: r#"{"building_or_property_name": "Wattle Court\nRetirement Village, North Wing"}"#,
        }
        InvalidSupplyPointIdentifier {
            code: "invalid_supply_point_identifier",
            fault: "This does not have the form of a supply point identifier.",
            advice: "Expected for an NMI ten letters or digits without I and O, for a MIRN ten digits that begin with 5, each optionally with the check digit.",
        }
        InvalidCheckDigit {
            code: "invalid_check_digit",
            fault: "The check digit of the supply point identifier is wrong.",
            advice: "Check the identifier for swapped or wrong characters.",
        }
        StartDateLaterThanEndDate {
            code: "start_date_later_than_end_date",
            fault: "The end lies before the start.",
            advice: "Expected an end on or after the start; check that the two are not swapped.",
            wrong: r#"{"effective_from": "2024-07-01", "effective_to": "2024-06-30"}"#,
            right: r#"{"effective_from": "2024-06-30", "effective_to": "2024-07-01"}"#,
        }
        DuplicateMeterPointsOnDifferentSupplyAddressesProvided {
            code: "duplicate_meter_points_on_different_supply_addresses_provided",
            fault: "The meter point is also given under another supply address.",
            advice: "Send each meter point once, under its own supply address.",
        }
        DuplicateMeterPoints {
            code: "duplicate_meter_points",
            fault: "The meter point is given twice under this supply address.",
            advice: "Send each meter point once.",
        }
        NoHazardCannotCombineWithOtherHazards {
            code: "no_hazard_cannot_combine_with_other_hazards",
            fault: "The list has hazards in addition to the statement that there is none.",
            advice: "Send the statement alone, or only the hazards.",
        }
        NotKnownCannotCombineWithOtherHazards {
            code: "not_known_cannot_combine_with_other_hazards",
            fault: "The list has hazards in addition to the statement that hazards are not known.",
            advice: "Send the statement alone, or only the hazards.",
        }
        OneCurrentData {
            code: "one_current_data",
            fault: "None or several of the items have no end.",
            advice: "Expected exactly one item without an end: the current one.",
        }
        InstallationIdShouldBeInteger {
            code: "installation_id_should_be_integer",
            fault: "The installation id is not ten digits.",
            advice: "Expected ten digits, leading zeros included.",
        }
        InstallationIdOutOfRange {
            code: "installation_id_out_of_range",
            fault: "The installation id is zero.",
            advice: "Send the number of the installation.",
            wrong: r#"{"installation_id": "0000000000"}"#,
            right: r#"{"installation_id": "4100200714"}"#,
        }
        LossInProgress {
            code: "loss_in_progress",
            fault: "The supply ends in the future.",
            advice: "Check that the account is still to be taken over.",
        }
        FutureSupplyStartDate {
            code: "future_supply_start_date",
            fault: "The supply starts in the future.",
            advice: "Check that the meter point is the account's already; expected a day that is not after today.",
        }
        UnbilledFormerSupplyAddress {
            code: "unbilled_former_supply_address",
            fault: "The supply has ended, but it is billed only up to an earlier day.",
            advice: "Bill the customer up to supply_end_date first, or check the two dates.",
            wrong: r#"{"last_billed_to_date": "2026-09-30", "supply_end_date": "2026-11-15"}"#,
            right: r#"{"last_billed_to_date": "2026-11-15", "supply_end_date": "2026-11-15"}"#,
        }
        MeterPointWithNoMeters {
            code: "meter_point_with_no_meters",
            fault: "The meter point is on supply and has no meter in place.",
            advice: "Send the meter that is in place: without one nothing can be read or billed.",
        }
        NoReadingOnSupplyEndDate {
            code: "no_reading_on_supply_end_date",
            fault: "The supply has ended without a reading on that day.",
            advice: "Send a reading whose day is supply_end_date.",
        }
        FieldRequiredForFuelType {
            code: "field_required_for_fuel_type",
            fault: "The fuel of the plant needs this member.",
            advice: "Send the parent_mirn of a plant that burns natural gas.",
            wrong: r#"{"plant_fuel_type": "NG"}"#,
            right: r#"{"plant_fuel_type": "NG", "parent_mirn": "52401122342"}"#,
        }
        FieldNotAllowedForFuelType {
            code: "field_not_allowed_for_fuel_type",
            fault: "The fuel of the plant does not go with this member.",
            advice: "Leave parent_mirn out for a plant that runs on electricity, or correct plant_fuel_type.",
        }
        TooManySupplyAddressesForUnmeteredApplianceType {
            code: "too_many_supply_addresses_for_unmetered_appliance_type",
            fault: "The account has an earlier unmetered point for this kind of appliance.",
            advice: "Expected one unmetered point for each kind of appliance of an account.",
        }
        ReadingRouteValuesShouldMatch {
            code: "reading_route_values_should_match",
            fault: "The account has another reading route.",
            advice: "Expected the same reading_route for all meters of the account.",
        }
        OverlappingAgreements {
            code: "overlapping_agreements",
            fault: "The agreement overlaps an earlier one.",
            advice: "Expected effective_from on or after the effective_to of the agreements before it.",
        }
        GapBetweenAgreements {
            code: "gap_between_agreements",
            fault: "There is a gap before the agreement.",
            advice: "Expected effective_from on the effective_to of the agreement before it.",
        }
        AgreementStartDateBeforeSupplyStartDate {
            code: "agreement_start_date_before_supply_start_date",
            fault: "The agreement starts before the supply.",
            advice: "Expected effective_from on or after supply_start_date.",
        }
        AgreementBusinessContractIdentifierNotDeclared {
            code: "agreement_business_contract_identifier_not_declared",
            fault: "The contract is not the one that the account is linked to.",
            advice: "Expected the business_contract_identifier of the account's business.",
        }
        MeterPointWithNoAgreement {
            code: "meter_point_with_no_agreement",
            fault: "The meter point is on supply without an agreement in force.",
            advice: "Send the agreement that is in force.",
        }
        NoAgreementCoveringLastBilledToDate {
            code: "no_agreement_covering_last_billed_to_date",
            fault: "No agreement is in force on the last billed day.",
            advice: "Send the agreement under which that day was billed, or correct the dates.",
            wrong: r#"{"last_billed_to_date": "2026-09-30", "agreements": [{"tariff_code": "T", "effective_from": "2026-10-15"}]}"#,
            right: r#"{"last_billed_to_date": "2026-09-30", "agreements": [{"tariff_code": "T", "effective_from": "2026-07-01"}]}"#,
        }
        MeterpointWithAgreementNotOnSupply {
            code: "meterpoint_with_agreement_not_on_supply",
            fault: "The agreement lasts longer than the supply.",
            advice: "End the agreement with the supply: expected effective_to at most one day after supply_end_date.",
            wrong: r#"{"supply_end_date": "2026-08-31", "agreements": [{"tariff_code": "T", "effective_from": "2024-07-01"}]}"#,
            right: r#"{"supply_end_date": "2026-08-31", "agreements": [{"tariff_code": "T", "effective_from": "2024-07-01", "effective_to": "2026-09-01"}]}"#,
        }
        DuplicateMeterSerialNumbers {
            code: "duplicate_meter_serial_numbers",
            fault: "The serial number is given twice at this meter point.",
            advice: "Send each meter of a meter point once.",
        }
        MeterWithDuplicateRegisterIds {
            code: "meter_with_duplicate_register_ids",
            fault: "The register is given twice at this meter.",
            advice: "Send each register of a meter once.",
        }
        ReadingRegisterIdNotRecognised {
            code: "reading_register_id_not_recognised",
            fault: "The meter has no such register.",
            advice: "Expected the register_id of one of the meter's registers.",
        }
        ReadingWithoutRegisterId {
            code: "reading_without_register_id",
            fault: "The meter has registers, the reading names none.",
            advice: "Send the register_id of one of the meter's registers.",
        }
        HistoricalReadingRegisterIdNotRecognised {
            code: "historical_reading_register_id_not_recognised",
            fault: "The meter has no such register.",
            advice: "Expected the register_id of one of the meter's registers.",
        }
        NoRegisterIdForReading {
            code: "no_register_id_for_reading",
            fault: "The meter has registers, the reading names none.",
            advice: "Send the register_id of one of the meter's registers.",
        }
        RequiredTransferReadings {
            code: "required_transfer_readings",
            fault: "The current basic meter has no transfer readings.",
            advice: "Send at least one transfer reading.",
        }
        NoReadingOnRemovedOn {
            code: "no_reading_on_removed_on",
            fault: "The meter was removed without a reading on that day.",
            advice: "Send a reading whose day is removed_on.",
        }
        NoTransferReadingOnExchangedMeter {
            code: "no_transfer_reading_on_exchanged_meter",
            fault: "The meter was removed after the last billed day and has no transfer reading.",
            advice: "Send the transfer reading from which the removed meter is still to be billed.",
        }
        ReadingMeterFullyBilled {
            code: "reading_meter_fully_billed",
            fault: "The meter was removed before the last billed day and is billed already, but has transfer readings.",
            advice: "Leave the transfer readings of this meter out; its readings belong in reading_history.",
        }
        LastBilledToDateOnNewMeter {
            code: "last_billed_to_date_on_new_meter",
            fault: "The last billed day lies outside the life of the meter.",
            advice: "Expected a day on which the meter was installed, or no date.",
        }
        RegistersMissingForActiveElectricityMeter {
            code: "registers_missing_for_active_electricity_meter",
            fault: "The meter is in place and on supply, but has no registers.",
            advice: "Send the registers of the meter; its readings name them.",
            wrong: r#"{"meter_serial_number": "A1"}"#,
            right: r#"{"meter_serial_number": "A1", "registers": [{"register_id": "E1"}]}"#,
        }
        MissingTransferReadingForRegister {
            code: "missing_transfer_reading_for_register",
            fault: "A register of the meter has no transfer reading.",
            advice: "Send a transfer reading for each register of the meter.",
        }
        MultipleTransferReadingsForRegister {
            code: "multiple_transfer_readings_for_register",
            fault: "An earlier transfer reading is of the same register.",
            advice: "Send exactly one transfer reading for each register: the one from which it is billed.",
        }
        ActiveGasMeterWithoutTransferReading {
            code: "active_gas_meter_without_transfer_reading",
            fault: "The gas meter is in place and has no transfer reading.",
            advice: "Send exactly one transfer reading.",
        }
        ActiveGasMeterWithMultipleTransferReadings {
            code: "active_gas_meter_with_multiple_transfer_readings",
            fault: "The gas meter has more than one transfer reading.",
            advice: "Send exactly one transfer reading.",
        }
        DateInPast {
            code: "date_in_past",
            fault: "The date lies in the past.",
            advice: "Send a date that is not before today in the supplier's time zone, or leave the member out.",
        }
        ReadingInFuture {
            code: "reading_in_future",
            fault: "The reading lies in the future.",
            advice: "Send a day that is not after today in the supplier's time zone.",
        }
        ReadingOutsideMeterLife {
            code: "reading_outside_meter_life",
            fault: "The reading lies outside the life of its meter.",
            advice: "Expected a day on which the meter was installed; check both.",
        }
        PreviousReadingAfterReading {
            code: "previous_reading_after_reading",
            fault: "The previous reading lies after this one.",
            advice: "Expected prev_reading_date on or before reading_date.",
        }
        BilledReadingAfterLastBilledToDate {
            code: "billed_reading_after_last_billed_to_date",
            fault: "The billed reading lies after the last billed day.",
            advice: "Expected a day up to the last billed one, or billed as false.",
        }
        TransferReadingDatesMustMatchLastBilledToDate {
            code: "transfer_reading_dates_must_match_last_billed_to_date",
            fault: "The transfer reading is not of the last billed day.",
            advice: "Expected the last billed day.",
        }
        ReadingDecreased {
            code: "reading_decreased",
            fault: "The reading is lower than the one before.",
            advice: "Check the order of the readings, the register, and whether the dials began again at 0.",
        }
        ReadingJumped {
            code: "reading_jumped",
            fault: "The reading is far higher than the others of its register suggest.",
            advice: "Check the decimal point, the unit, and whether the reading is of another meter.",
        }
        ReadingValueExceedsDials {
            code: "reading_value_exceeds_dials",
            fault: "The reading has more digits than the meter has dials.",
            advice: "Check the number of dials and the unit of the reading.",
        }
        BalanceMismatchOnLedgerBalance {
            code: "balance_mismatch_on_ledger_balance",
            fault: "The ledger balance is not the sum of the last statement balance and the current transactions.",
            advice: "PAYMENT and CREDIT are added, CHARGE, SUPPLY_CHARGE and REPAYMENT subtracted; a balance above 0 is a credit.",
            wrong: r#"{"last_statement_balance": 0, "current_statement_transactions": [{"type": "CHARGE", "amount": 10}], "ledger_balance": 10}"#,
            right: r#"{"last_statement_balance": 0, "current_statement_transactions": [{"type": "CHARGE", "amount": 10}], "ledger_balance": -10}"#,
        }
        HistoricalStatementTransactionsBalanceMismatch {
            code: "historical_statement_transactions_balance_mismatch",
            fault: "The last statement balance is not the sum of the historical transactions.",
            advice: "PAYMENT and CREDIT are added, CHARGE, SUPPLY_CHARGE and REPAYMENT subtracted; a balance above 0 is a credit.",
            wrong: r#"{"historical_statement_transactions": [{"type": "PAYMENT", "amount": 10}], "last_statement_balance": -10}"#,
            right: r#"{"historical_statement_transactions": [{"type": "PAYMENT", "amount": 10}], "last_statement_balance": 10}"#,
        }
        LedgerBalancesNotEqualToTransferBalance {
            code: "ledger_balances_not_equal_to_transfer_balance",
            fault: "The transfer balance is not the sum of the ledger balances.",
            advice: "Correct transfer_balance, or send the missing ledger.",
            wrong: r#"{"transfer_balance": 5, "ledgers": [{"ledger_balance": 3}]}"#,
            right: r#"{"transfer_balance": 3, "ledgers": [{"ledger_balance": 3}]}"#,
        }
        CurrentStatementTransactionBeforeLastStatementClosingDate {
            code: "current_statement_transaction_before_last_statement_closing_date",
            fault: "A current transaction lies on or before the closing date of the last statement.",
            advice: "Expected a later day; earlier transactions belong in historical_statement_transactions.",
        }
        HistoricalStatementTransactionAfterLastStatementClosingDate {
            code: "historical_statement_transaction_after_last_statement_closing_date",
            fault: "A historical transaction lies after the closing date of the last statement.",
            advice: "Expected a day up to the closing date; later transactions belong in current_statement_transactions.",
        }
        HistoricalStatementTransactionAfterCurrentStatementTransaction {
            code: "historical_statement_transaction_after_current_statement_transaction",
            fault: "A historical transaction lies after this current one.",
            advice: "Expected historical transactions before current ones; send last_statement_closing_date.",
        }
        LastStatementIssuedBeforeClosingDate {
            code: "last_statement_issued_before_closing_date",
            fault: "The last statement was issued before it was closed.",
            advice: "Expected last_statement_issue_date on or after last_statement_closing_date.",
        }
        HistoricalStatementTransactionsRequireLastStatementClosingDate {
            code: "historical_statement_transactions_require_last_statement_closing_date",
            fault: "There are historical transactions, but the closing date of the last statement is missing.",
            advice: "Send last_statement_closing_date.",
        }
        HistoricalStatementWithoutLastStatementClosingDate {
            code: "historical_statement_without_last_statement_closing_date",
            fault: "There is a balance of the last statement, but its closing date is missing.",
            advice: "Send last_statement_closing_date.",
        }
        HistoricalStatementPeriodEndInFuture {
            code: "historical_statement_period_end_in_future",
            fault: "The last statement closes in the future.",
            advice: "Send a date that is not after today in the supplier's time zone.",
        }
        DuplicateTransactionIds {
            code: "duplicate_transaction_ids",
            fault: "The transaction id is given twice.",
            advice: "Give each transaction an id of its own, across all ledgers.",
        }
        CurrentStatementTransactionBeforeLastBilledToDate {
            code: "current_statement_transaction_before_last_billed_to_date",
            fault: "A current transaction lies before the last billed day.",
            advice: "Check that the transaction is not billed already.",
        }
        AmountHasFractionOfCent {
            code: "amount_has_fraction_of_cent",
            fault: "The amount has a fraction of a cent.",
            advice: "Expected at most two digits after the point; the digits are kept as sent.",
        }
        TransactionInFuture {
            code: "transaction_in_future",
            fault: "The transaction lies in the future.",
            advice: "Send a date that is not after today in the supplier's time zone.",
        }
        NegativeAmount {
            code: "negative_amount",
            fault: "The amount is negative, but the type determines the sign.",
            advice: "Expected an amount of 0 or more; money paid back is a REPAYMENT, a payment that failed a CHARGE.",
            wrong: r#"{"type": "PAYMENT", "amount": -5}"#,
            right: r#"{"type": "REPAYMENT", "amount": 5}"#,
        }
        LedgerTransactionAmountDoesNotMatchWithLineItemNetAmountAndTaxAmount {
            code: "ledger_transaction_amount_does_not_match_with_line_item_net_amount_and_tax_amount",
            fault: "The amount is not the sum of line items and taxes.",
            advice: "A difference of up to 0.01 is accepted.",
        }
        IncorrectLineItemNetAmount {
            code: "incorrect_line_item_net_amount",
            fault: "The net amount is not price times units.",
            advice: "Expected price_per_unit times number_of_units; a difference of up to 0.01 is accepted.",
        }
        SupplyChargeLineItemsNotCoveredBySingleAgreement {
            code: "supply_charge_line_items_not_covered_by_single_agreement",
            fault: "No agreement with the tariff of this product lasts over all line items.",
            advice: "Expected an agreement whose tariff_code is the product_code, in force from the first day to the last; split a charge over two tariffs.",
            wrong: r#"{"agreements": [{"tariff_code": "PEAK-2024", "effective_from": "2024-07-01"}], "product_code": "PEAK"}"#,
            right: r#"{"agreements": [{"tariff_code": "PEAK-2024", "effective_from": "2024-07-01"}], "product_code": "PEAK-2024"}"#,
        }
        GapsOrOverlapsInPeriods {
            code: "gaps_or_overlaps_in_periods",
            fault: "The period of the line item overlaps another one, or leaves a gap after it.",
            advice: "Expected that a period starts on the day after the one before it ends; both ends are included.",
            wrong: r#"{"line_items": [{"start_date": "2026-10-01", "end_date": "2026-10-31"}, {"start_date": "2026-10-20", "end_date": "2026-11-19"}]}"#,
            right: r#"{"line_items": [{"start_date": "2026-10-01", "end_date": "2026-10-31"}, {"start_date": "2026-11-01", "end_date": "2026-11-30"}]}"#,
        }
        LineItemUnitsNotDaysOfPeriod {
            code: "line_item_units_not_days_of_period",
            fault: "The units of a standing charge are not the days of its period.",
            advice: "Expected number_of_units to be the days from start_date to end_date, both included.",
            wrong: r#"{"rate_band": "STANDING_CHARGE", "start_date": "2026-10-01", "end_date": "2026-10-31", "number_of_units": 25}"#,
            right: r#"{"rate_band": "STANDING_CHARGE", "start_date": "2026-10-01", "end_date": "2026-10-31", "number_of_units": 31}"#,
        }
        ConflictingRateBandSpecification {
            code: "conflicting_rate_band_specification",
            fault: "The line item does not say at which rate it is charged.",
            advice: "Send rate_band.",
            wrong: r#"{"number_of_units": 31, "net_amount": "30.54"}"#,
            right: r#"{"rate_band": "STANDING_CHARGE", "number_of_units": 31, "net_amount": "30.54"}"#,
        }
        LineItemUnitsMustBeTwoValues {
            code: "line_item_units_must_be_two_values",
            fault: "The units are not two values, the start and the end.",
            advice: "Expected [start, end].",
        }
        PaymentTypeNotForTransactionType {
            code: "payment_type_not_for_transaction_type",
            fault: "The payment type does not apply to this type of transaction.",
            advice: "Send payment_type only with the types PAYMENT and REPAYMENT.",
        }
        UnitsDoNotMatchNumberOfUnits {
            code: "units_do_not_match_number_of_units",
            fault: "The two units do not differ by the number of units.",
            advice: "Expected the second minus the first to be number_of_units.",
        }
        TaxAmountMismatch {
            code: "tax_amount_mismatch",
            fault: "The tax is not the taxed value times the rate.",
            advice: "Expected value_taxed times rate; a difference of up to 0.01 is accepted.",
        }
        InvalidPaymentInstruction {
            code: "invalid_payment_instruction",
            fault: "There is an earlier instruction of this type, and none has an end.",
            advice: "Expected at most one instruction of a type without an end.",
        }
        PaymentInstructionDetailsDoNotMatchType {
            code: "payment_instruction_details_do_not_match_type",
            fault: "The details belong to another type of instruction.",
            advice: "Expected card with CARD, and bank_account with DIRECT_DEBIT.",
        }
        InvalidSortCode {
            code: "invalid_sort_code",
            fault: "This is not a BSB: three digits, a hyphen or a space or nothing, three digits.",
            advice: "Check that a leading 0 was not lost.",
            wrong: r#"{"bsb": "62-000"}"#,
            right: r#"{"bsb": "062-000"}"#,
        }
        CardDetailsNotProvidedForCardPaymentInstruction {
            code: "card_details_not_provided_for_card_payment_instruction",
            fault: "A card instruction comes without details of its card.",
            advice: "Send card.",
        }
        BankDetailsNotProvided {
            code: "bank_details_not_provided",
            fault: "A direct debit comes without its bank account.",
            advice: "Send bank_account.",
        }
        CardExpired {
            code: "card_expired",
            fault: "The card has expired.",
            advice: "Ask the customer for a new card, or leave the instruction out.",
        }
        PossibleCardNumber {
            code: "possible_card_number",
            fault: "The text may hold a whole card number.",
            advice: "Send the last digits only; whole card numbers must not be sent.",
        }
        ChildrenWithDuplicateValues {
            code: "children_with_duplicate_values",
            fault: "The value is given twice.",
            advice: "Send each value once.",
        }
        ZeroPaymentScheduleAmount {
            code: "zero_payment_schedule_amount",
            fault: "The amount of the payment schedule is 0 or missing.",
            advice: "Expected an amount other than 0.",
        }
        InvalidPaymentDayForPaymentSchedule {
            code: "invalid_payment_day_for_payment_schedule",
            fault: "The day of the month is not 1 to 31.",
            advice: "Expected a whole number from 1 to 31.",
        }
        MultipleOpenEndedPaymentSchedules {
            code: "multiple_open_ended_payment_schedules",
            fault: "There is an earlier schedule that is no debt repayment plan.",
            advice: "Expected at most one; mark others with is_debt_repayment_plan.",
        }
        FixedPaymentScheduleMissingFrequency {
            code: "fixed_payment_schedule_missing_frequency",
            fault: "The schedule has no frequency.",
            advice: "Send frequency.",
        }
        FixedPaymentScheduleMissingDayOfMonth {
            code: "fixed_payment_schedule_missing_day_of_month",
            fault: "The schedule has no day of the month, which its frequency needs.",
            advice: "Send day_of_month.",
        }
        ScheduleMeansWithoutInstruction {
            code: "schedule_means_without_instruction",
            fault: "The account has no payment instruction for these means.",
            advice: "Send the payment instruction, or other means.",
        }
        InvalidDocumentPath {
            code: "invalid_document_path",
            fault: "This is not a safe path relative to the supplier's root.",
            advice: "Expected a path like folder/file.pdf: relative, with / between its parts, without . or .. parts.",
            wrong: r#"{"document_path": "../letters/1.pdf"}"#,
            right: r#"{"document_path": "letters/1.pdf"}"#,
        }
        PathDoesNotExistInFileStore {
            code: "path_does_not_exist_in_file_store",
            fault: "There is no such document.",
            advice: "Put the document below the supplier's document root, under exactly this path, or correct the path.",
        }
        DocumentNotPdf {
            code: "document_not_pdf",
            fault: "The document is not a PDF.",
            advice: "Expected a file that begins with %PDF.",
        }
        DuplicateStatementIds {
            code: "duplicate_statement_ids",
            fault: "The statement id is given twice.",
            advice: "Give each statement an id of its own.",
        }
        StatementIssuedBeforePeriodEnd {
            code: "statement_issued_before_period_end",
            fault: "The statement was issued before its period ended.",
            advice: "Expected an issue date on or after the end of the period.",
        }
        MissingStatementPathOrPdfContext {
            code: "missing_statement_path_or_pdf_context",
            fault: "The statement has no document.",
            advice: "Send statement_path, the path of its PDF.",
        }
        InvalidEventCategoryCombination {
            code: "invalid_event_category_combination",
            fault: "The category does not belong to this type of event.",
            advice: "Expected the category communications.",
        }
        InvalidEventSubcategoryCombination {
            code: "invalid_event_subcategory_combination",
            fault: "The subcategory does not belong to this type of event.",
            advice: "Expected the subcategory of the event_type: each type has one of its own.",
            wrong: r#"{"event_type": "BEST_OFFER_CHECKED_IN_SAP", "subcategory": "price_change"}"#,
            right: r#"{"event_type": "BEST_OFFER_CHECKED_IN_SAP", "subcategory": "best_offer"}"#,
        }
        NoteBodyOrDocumentPathNotFound {
            code: "note_body_or_document_path_not_found",
            fault: "The note has neither a body nor documents.",
            advice: "Send body, document_paths, or both.",
            wrong: r#"{"is_pinned": true}"#,
            right: r#"{"body": "Has a key safe.", "is_pinned": true}"#,
        }
        NoteUnpinAtEarlierThanCreationDate {
            code: "note_unpin_at_earlier_than_creation_date",
            fault: "The pin ends before the note was created.",
            advice: "Expected unpin_at after created_at.",
        }
        UnpinAtInPast {
            code: "unpin_at_in_past",
            fault: "The pin ended in the past.",
            advice: "Send a later unpin_at, or leave is_pinned and unpin_at out.",
        }
        DuplicateNote {
            code: "duplicate_note",
            fault: "The same note is given earlier; this one will not be created.",
            advice: "Send the note once.",
        }
        MissingContractIdentifier {
            code: "missing_contract_identifier",
            fault: "The link to a business names no contract.",
            advice: "Send business_contract_identifier.",
        }
        DuplicateContractIdentifiers {
            code: "duplicate_contract_identifiers",
            fault: "The contract identifier is given twice.",
            advice: "Give each contract an identifier of its own.",
        }
        ContractVersionsDoesNotIncludeCurrent {
            code: "contract_versions_does_not_include_current",
            fault: "The earliest version does not apply from the contract's first day.",
            advice: "Expected a version whose applicable_at_date is valid_from_date.",
        }
        DuplicateContractVersions {
            code: "duplicate_contract_versions",
            fault: "A version of this day is given twice.",
            advice: "Send one version for each day.",
        }
        InvalidCompanyNumber {
            code: "invalid_company_number",
            fault: "This is neither an ACN nor an ABN.",
            advice: "Expected an ACN of nine or an ABN of eleven digits, with valid check digits.",
        }
        BusinessDetailFailedValidation {
            code: "business_detail_failed_validation",
            fault: "The value does not have the form of this fact.",
            advice: "Expected for abn an ABN and for acn an ACN with valid check digits, for anzsic four digits.",
            wrong: r#"{"key": "abn", "value": "12345678901"}"#,
            right: r#"{"key": "abn", "value": "51 824 753 556"}"#,
        }
        SignedAfterValidFrom {
            code: "signed_after_valid_from",
            fault: "The contract was signed after its first day.",
            advice: "Expected signed_at_date on or before valid_from_date.",
        }
        ScheduleWindowStartInPast {
            code: "schedule_window_start_in_past",
            fault: "The window starts in the past.",
            advice: "Expected a time that is not more than 5 minutes ago; check the offset.",
        }
        ScheduleWindowEndInPast {
            code: "schedule_window_end_in_past",
            fault: "The window ends in the past.",
            advice: "Expected a time that is not more than 5 minutes ago; check the offset.",
        }
        ScheduleWindowEndTooFarInFuture {
            code: "schedule_window_end_too_far_in_future",
            fault: "The window ends more than 4 days from now.",
            advice: "Expected an end within 96 hours from now.",
        }
        ScheduleWindowStartAfterEnd {
            code: "schedule_window_start__after_end",
            fault: "The window does not start before its end.",
            advice: "Expected a start before the end: nothing can be imported in an empty window.",
        }
        PlaceholderValue {
            code: "placeholder_value",
            fault: "The text stands for a missing value, or is what a spreadsheet made of one.",
            advice: "Send the value itself, or leave the member out; store long numbers as texts before exporting them.",
            wrong: r#"{"family_name": "NULL"}"#,
            right: r#"{"family_name": "Lovelace"}"#,
        }
        TextInWrongEncoding {
            code: "text_in_wrong_encoding",
            fault: "The text was read in another encoding than it was written in.",
            advice: "Read the export as UTF-8, and write it as UTF-8 once.",
        }
        StateContradictsPostcode {
            code: "state_contradicts_postcode",
            fault: "The postcode lies in another state or territory.",
            advice: "Correct one of the two.",
            wrong: r#"{"administrative_area": "VIC", "postal_code": "2150"}"#,
            right: r#"{"administrative_area": "NSW", "postal_code": "2150"}"#,
        }
        FillerDate {
            code: "filler_date",
            fault: "Systems write this day where a date is missing.",
            advice: "Send the true date, or leave the member out if it is optional.",
            wrong: r#"{"date_of_birth": "1900-01-01"}"#,
            right: r#"{"date_of_birth": "1980-01-09"}"#,
        }
        InvisibleCharacterInIdentifier {
            code: "invisible_character_in_identifier",
            fault: "The identifier contains a character that cannot be seen.",
            advice: "Remove spaces other than U+0020, control characters and marks of direction: the identifier equals no other that looks the same.",
            wrong: r#"{"mpxn": "6102\u200b000001"}"#,
            right: r#"{"mpxn": "6102000001"}"#,
        }
        InvalidMpan {
            code: "invalid_mpan",
            fault: "This is not an MPAN.",
            advice: "Expected the thirteen digits of the core, from the distributor to the check digit; spaces do not count.",
            wrong: r#"{"mpxn": "00 111 222 13 1234 5678 907"}"#,
            right: r#"{"mpxn": "13 1234 5678 907"}"#,
        }
        InvalidMprn {
            code: "invalid_mprn",
            fault: "This is not an MPRN.",
            advice: "Expected six to ten digits, the last two of them check digits.",
            wrong: r#"{"mpxn": "M3938424403", "supply_type": "GAS"}"#,
            right: r#"{"mpxn": "3938424403", "supply_type": "GAS"}"#,
        }
        InvalidBritishPostcode {
            code: "invalid_british_postcode",
            fault: "This is not a British postcode.",
            advice: "Expected for example M1 1AE or EC1A 1BB; check that O and 0, I and 1 are not mixed up.",
            wrong: r#"{"country": "GB", "postal_code": "EC1A"}"#,
            right: r#"{"country": "GB", "postal_code": "EC1A 1BB"}"#,
        }
        InvalidBritishPhoneNumber {
            code: "invalid_british_phone_number",
            fault: "This is not a phone number.",
            advice: "Expected for example 020 7946 0958, 07700 900123, 0800 123 4567, or + and a country code; no letters or extensions.",
            wrong: r#"{"mobile": "7700 900123"}"#,
            right: r#"{"mobile": "07700 900123"}"#,
        }
        BritishPhoneNumberWrongKind {
            code: "british_phone_number_wrong_kind",
            fault: "The number is mobile but given as landline, or the other way round.",
            advice: "Numbers that begin with 07 or +447 belong in mobile, others in landline.",
            wrong: r#"{"landline": "07700 900123"}"#,
            right: r#"{"mobile": "07700 900123"}"#,
        }
        InvalidBritishCompanyNumber {
            code: "invalid_british_company_number",
            fault: "This is not the number of a British company.",
            advice: "Expected eight characters: two letters or digits, then six digits; check that a leading 0 was not lost.",
            wrong: r#"{"company_number": "445790"}"#,
            right: r#"{"company_number": "00445790"}"#,
        }
    }
    Service {
        ImportSupplierNotFound {
            code: "import_supplier_not_found",
            fault: "There is no such import supplier.",
            advice: "Check the code and the API key; while it is unknown, dates are checked in UTC and rules at their default levels.",
        }
        ImportSupplierMigrationNotOngoing {
            code: "import_supplier_migration_not_ongoing",
            fault: "The import supplier takes no accounts now.",
            advice: "Wait until the operator sets its status to Ongoing.",
        }
        ImportProcessDoesNotExist {
            code: "import_process_does_not_exist",
            fault: "There is no import process for this supplier and account number.",
            advice: "Check both, and create the account first.",
        }
        AccountNotFound {
            code: "account_not_found",
            fault: "There is no imported account with this number.",
            advice: "Send it again once the account is imported.",
        }
        AccountImportProcessAlreadyImported {
            code: "account_import_process_already_imported",
            fault: "The account has been imported already.",
            advice: "Nothing more is to be done; later changes are sent as additions.",
        }
        AccountImportProcessInProgress {
            code: "account_import_process_in_progress",
            fault: "The account is being imported.",
            advice: "Ask for its status.",
        }
        InvalidVendor {
            code: "invalid_vendor",
            fault: "No payment vendor of this name is configured.",
            advice: "Send the name of a configured vendor, or have it added.",
        }
        SimilarAccountNumber {
            code: "similar_account_number",
            fault: "The account number looks like that of an earlier account of the supplier.",
            advice: "If both are one account, cancel the wrong one, or undo its import.",
        }
        LineItemsOverlapAlreadyChargedPeriod {
            code: "line_items_overlap_already_charged_period",
            fault: "The account was charged for days of this period already.",
            advice: "Send only what was not charged yet.",
        }
        ProductCodeDoesNotExist {
            code: "product_code_does_not_exist",
            fault: "The supplier's list of tariffs has no such code.",
            advice: "Send a code of the list, or have the tariff added to it.",
        }
        OpenEndedAgreementForEndDatedProduct {
            code: "open_ended_agreement_for_end_dated_product",
            fault: "The agreement lasts longer than its tariff.",
            advice: "End it not later than the day after the last day of the tariff, and add an agreement on another tariff.",
        }
        InternalEmailAddress {
            code: "internal_email_address",
            fault: "This is an e-mail address of the retailer itself.",
            advice: "Send the customer's own address, or none.",
        }
        BusinessFieldRequired {
            code: "business_field_required",
            fault: "The account belongs to no business.",
            advice: "Send the business with its contract.",
        }
        TransactionOutsideOpenStatementPeriod {
            code: "transaction_outside_open_statement_period",
            fault: "The transaction lies outside the open statement period.",
            advice: "Send another date, or let force_add_to_current_statement move it.",
        }
        TransactionIdReusedWithDifferentContent {
            code: "transaction_id_reused_with_different_content",
            fault: "The account has a transaction with this id and other content.",
            advice: "Give the transaction an id of its own.",
        }
        HistoricalStatementAlreadyExists {
            code: "historical_statement_already_exists",
            fault: "The account has a statement with this id and other content.",
            advice: "Give the statement an id of its own, or send it unchanged.",
        }
        ContractWithIdentifierExists {
            code: "contract_with_identifier_exists",
            fault: "Another business has a contract with this identifier.",
            advice: "Identifiers of contracts are unique within the organisation: send another one.",
        }
        BusinessContractNotFound {
            code: "business_contract_not_found",
            fault: "There is no such business contract.",
            advice: "Create the business with this contract before its accounts, and check the identifier.",
        }
        ContractInUse {
            code: "contract_in_use",
            fault: "An account that is imported or waits refers to a contract that this would remove.",
            advice: "Keep the contract in the list, or cancel and correct the accounts that name it first.",
        }
        MeterPointOfAnotherAccount {
            code: "meter_point_of_another_account",
            fault: "Another imported account has this meter point.",
            advice: "Check which of the two accounts is supplied, and the supply_end_date of the other.",
        }
        AccountErased {
            code: "account_erased",
            fault: "The account was erased at the service, for good.",
            advice: "Leave it out of what is sent; if it is to be taken again, the operator has to allow it.",
        }
        BusinessAlreadyExists {
            code: "business_already_exists",
            fault: "The business exists with other content.",
            advice: "Send it unchanged, or correct the stored one.",
        }
        BusinessDetailValueExistsForUniqueKey {
            code: "business_detail_value_exists_for_unique_key",
            fault: "Another business has this number.",
            advice: "Check which of the two has it; if they are one business, send its contracts with the other one.",
        }
        BusinessNotFound {
            code: "business_not_found",
            fault: "There is no such business.",
            advice: "Create the business first, and check the identifier.",
        }
        PaymentVendorUnknown {
            code: "payment_vendor_unknown",
            fault: "No such payment vendor is configured.",
            advice: "Check the name; the operator configures vendors.",
        }
        PaymentInstructionNotFound {
            code: "payment_instruction_not_found",
            fault: "The payment vendor has no such instruction.",
            advice: "Check the reference with the vendor.",
        }
        PaymentInstructionTypeMismatch {
            code: "payment_instruction_type_mismatch",
            fault: "The payment vendor has the instruction with another type.",
            advice: "Send the type that the vendor has.",
        }
        PaymentVendorRejected {
            code: "payment_vendor_rejected",
            fault: "The payment vendor refused the instruction.",
            advice: "Do not repeat it unchanged; check the instruction with the vendor.",
        }
        PaymentVendorUnavailable {
            code: "payment_vendor_unavailable",
            fault: "The payment vendor cannot be reached now; try again unchanged.",
            advice: "Repeat the request later.",
        }
    }
    Process {
        ImportProcessFailedValidation {
            code: "import_process_failed_validation",
            fault: "The account failed validation. Validate names the faults; those of an accepted account are in its issues.",
            advice: "Read the issues of an account that was accepted, or call validate with it; correct what they name, and create it again.",
        }
        ImportProcessRetriesExhausted {
            code: "import_process_retries_exhausted",
            fault: "The import failed after the last retry.",
            advice: "Tell the operator, who finds the cause in the log; then send the account again.",
        }
        ScheduleWindowMissed {
            code: "schedule_window_missed",
            fault: "The window closed before the import began.",
            advice: "Send the account again with a later window, or without one.",
        }
    }
    General {
        AccountFailedValidation {
            code: "account_failed_validation",
            fault: "The account failed validation.",
            advice: "Correct every item of errors and send it again.",
        }
        ValidationError {
            code: "validation_error",
            fault: "The request failed validation.",
            advice: "Correct every item of errors and send it again.",
        }
        BadRequest {
            code: "bad_request",
            fault: "The text is not an HTTP request, or an ambiguous one.",
            advice: "Check the client, or the proxy in front of the service.",
        }
        HeadTooLarge {
            code: "head_too_large",
            fault: "The request line and the headers are too large.",
            advice: "Send fewer or shorter headers, and a shorter path.",
        }
        UnknownParameter {
            code: "unknown_parameter",
            fault: "The request has no such parameter.",
            advice: "Check the spelling of the parameter; the route's documentation lists those it has.",
        }
        ParseError {
            code: "parse_error",
            fault: "The body is not JSON.",
            advice: "Check the text at the line and column of the answer: UTF-8 without a byte order mark, no comments, no NaN.",
        }
        NotAuthenticated {
            code: "not_authenticated",
            fault: "Authentication credentials were not provided.",
            advice: "Send the header Authorization: Token ACCESS_TOKEN.",
        }
        AuthenticationFailed {
            code: "authentication_failed",
            fault: "The token is not valid.",
            advice: "Obtain a new token with the API key.",
        }
        PermissionDenied {
            code: "permission_denied",
            fault: "The role of this API key does not permit this.",
            advice: "Use a key of a role that may do it.",
        }
        NotFound {
            code: "not_found",
            fault: "Not found.",
            advice: "Check the path, the code of the supplier, and the API key's organisation.",
        }
        ManifestNotDeclared {
            code: "manifest_not_declared",
            fault: "No manifest has been declared.",
            advice: "Declare one with PUT.",
        }
        RunAlreadyOpen {
            code: "run_already_open",
            fault: "A run of the supplier is open.",
            advice: "End it first.",
        }
        RunAlreadyExists {
            code: "run_already_exists",
            fault: "The supplier has a run of this name.",
            advice: "Choose another name; each is used once.",
        }
        RunNotOpen {
            code: "run_not_open",
            fault: "The run has ended already.",
            advice: "Nothing is left to do: it does not change any more.",
        }
        HoldChanged {
            code: "hold_changed",
            fault: "The supplier has held its imports again since the hold that was shown.",
            advice: "Look at the hold again, and release it with its time.",
        }
        CertificateNotIssued {
            code: "certificate_not_issued",
            fault: "No certificate has been issued.",
            advice: "Issue one with POST.",
        }
        CertificateLeavesRemoved {
            code: "certificate_leaves_removed",
            fault: "The leaves of this certificate are not kept any more; issue another one.",
            advice: "Issue another certificate; the leaves of the latest ten are kept.",
        }
        DocumentAlreadyExists {
            code: "document_already_exists",
            fault: "Another document is stored under this path.",
            advice: "Choose another path: a document is never replaced. The operator can remove it from the storage.",
        }
        ContentDigestMismatch {
            code: "content_digest_mismatch",
            fault: "The body has another SHA-256 than its digest says.",
            advice: "Send it again: it was damaged on its way.",
        }
        DocumentUploadsRefused {
            code: "document_uploads_refused",
            fault: "This service takes no documents.",
            advice: "Bring documents into the storage with its own tools, or ask the operator for document-limit and the right to write there.",
        }
        AccountImportProcessNotPending {
            code: "account_import_process_not_pending",
            fault: "The account is not waiting to be imported, so it cannot be cancelled.",
            advice: "Only PENDING accounts can be cancelled; send the account again to replace it.",
        }
        MethodNotAllowed {
            code: "method_not_allowed",
            fault: "This method is not allowed here.",
            advice: "Use a method of the header Allow.",
        }
        EventsExpired {
            code: "events_expired",
            fault: "Events after this position have been removed already; begin again from the oldest.",
            advice: "Read the imported accounts anew, then follow the feed from there.",
        }
        RequestTimeout {
            code: "request_timeout",
            fault: "The request took too long.",
            advice: "Send the request again, over a faster connection or in smaller parts.",
        }
        PayloadTooLarge {
            code: "payload_too_large",
            fault: "The body is too large.",
            advice: "Send it in smaller parts; limits count unpacked bytes.",
        }
        UnsupportedMediaType {
            code: "unsupported_media_type",
            fault: "The body must be JSON.",
            advice: "Send Content-Type: application/json, for bulk application/x-ndjson.",
        }
        Throttled {
            code: "throttled",
            fault: "Too many requests; try again later.",
            advice: "Wait as long as the header Retry-After says.",
        }
        ServiceUnavailable {
            code: "service_unavailable",
            fault: "A part of the service is down; try again later.",
            advice: "Wait as long as the header Retry-After says, then repeat the request unchanged.",
        }
        EncryptionKeyMissing {
            code: "encryption_key_missing",
            fault: "This server lacks an encryption key that the answer needs; try again later, for another one may have it.",
            advice: "Repeat the request; the operator finds the missing key with cutover doctor.",
        }
        Error {
            code: "error",
            fault: "Something unexpected happened; try again unchanged.",
            advice: "Repeat the request unchanged; tell the operator the header X-Request-Id if it stays.",
        }
    }
    Undo {
        AccountAlreadyBilled {
            code: "account_already_billed",
            fault: "Another system has billed the account.",
            advice: "Its import stays: correct the account with additions, or in the system that billed it.",
        }
        AccountChanged {
            code: "account_changed",
            fault: "Something was added to the account since its import.",
            advice: "Its import stays: correct the account with further additions.",
        }
        AccountArchived {
            code: "account_archived",
            fault: "Payload and history of the import are in an archive.",
            advice: "Its import stays: correct the account with additions.",
        }
    }
    Table {
        UnreadFile {
            code: "unread_file",
            fault: "The file belongs to no table.",
            advice: "Begin its name with that of a table, or name it in the mapping.",
        }
        UnreadableRow {
            code: "unreadable_row",
            fault: "The row is not well-formed.",
            advice: "Correct it in the file; the row is left out.",
        }
        UnreadColumn {
            code: "unread_column",
            fault: "The table has no such column.",
            advice: "Rename it in the mapping, or list it there as left out on purpose.",
        }
        MissingKey {
            code: "missing_key",
            fault: "The row does not say to which account it belongs.",
            advice: "Fill its key columns; the row is left out.",
        }
        OrphanRow {
            code: "orphan_row",
            fault: "No row of the table above has the keys of the row.",
            advice: "Compare the keys with those of the table above; the row is left out.",
        }
        AmbiguousParent {
            code: "ambiguous_parent",
            fault: "Several rows of the table above have the keys of the row.",
            advice: "Give the rows above different keys; the row is left out.",
        }
        DuplicateKey {
            code: "duplicate_key",
            fault: "An earlier row has the same key.",
            advice: "Keep the one that is right; this one is left out.",
        }
        UnknownList {
            code: "unknown_list",
            fault: "The row names no list of the row above.",
            advice: "Write one of the lists that the dictionary names for the table.",
        }
        InvalidPosition {
            code: "invalid_position",
            fault: "The position of a row in its list is not a whole number from 1 on.",
            advice: "Number the rows of each list from 1 on, or leave the column out.",
        }
        NotEmpty {
            code: "not_empty",
            fault: "A cell says that a list or an object is empty, and there are rows or members.",
            advice: "Clear the cell, or remove the rows.",
        }
        AccountTooLarge {
            code: "account_too_large",
            fault: "The account has more rows or bytes than an account may have.",
            advice: "Check whether rows of several accounts have one number.",
        }
        NotRestorable {
            code: "not_restorable",
            fault: "The rows of the account would not give the same account again.",
            advice: "The text says what is lost; another format may keep it.",
        }
        UnexpectedForm {
            code: "unexpected_form",
            fault: "The value does not have the form that the mapping names for its column.",
            advice: "Correct the form in the mapping, or the value in the extract.",
        }
        ExponentInIdentifier {
            code: "exponent_in_identifier",
            fault: "An identifier is written as a number with an exponent, so digits are lost.",
            advice: "Export the column as text.",
        }
        FractionInIdentifier {
            code: "fraction_in_identifier",
            fault: "An identifier is written as a number with a fraction.",
            advice: "Export the column as text.",
        }
        DayNumber {
            code: "day_number",
            fault: "A day is written as a spreadsheet counts it.",
            advice: "Export the column as text in the form 2026-11-30, or name the form in the mapping.",
        }
        DayOrder {
            code: "day_order",
            fault: "A day is written in the order of a country, so that day and month may be confused.",
            advice: "Name the form in the mapping.",
        }
        ErrorValue {
            code: "error_value",
            fault: "The cell has the error of a formula, or a word for no value.",
            advice: "Correct the extract, or name the word in the mapping if it stands for no value.",
        }
        LostZeros {
            code: "lost_zeros",
            fault: "The number is shorter than all of its column that begin with a zero.",
            advice: "Check whether leading zeros were lost, and export the column as text.",
        }
    }
    Client {
        RepeatedInInput {
            code: "repeated_in_input",
            fault: "The same account or business is given earlier in the inputs.",
            advice: "Nothing is lost: both are equal, and one is sent. Remove one of the two.",
        }
        DiffersInInput {
            code: "differs_in_input",
            fault: "The same account or business is given earlier in the inputs, with other content.",
            advice: "Keep the one that is right. While both are there, the last one counts.",
        }
        SimilarNumberInInput {
            code: "similar_number_in_input",
            fault: "The account number looks like that of an earlier account in the inputs.",
            advice: "If both are one account, send it once. If they are two, nothing is to be done.",
        }
        SharedMeterPointInInput {
            code: "shared_meter_point_in_input",
            fault: "An earlier account in the inputs has the same meter point.",
            advice: "Send it with one account. If its supply has ended in the other, send supply_end_date there.",
        }
        SharedSerialNumberInInput {
            code: "shared_serial_number_in_input",
            fault: "A meter of an earlier account in the inputs, of the same kind, has the same serial number.",
            advice: "Send the meter with one account. If its supply has ended in the other, send supply_end_date there.",
        }
        SharedPaymentReferenceInInput {
            code: "shared_payment_reference_in_input",
            fault: "An earlier account in the inputs has the same payment reference with the same vendor.",
            advice: "Check both: with one reference, one customer pays for the other.",
        }
        SharedStatementPathInInput {
            code: "shared_statement_path_in_input",
            fault: "An earlier account in the inputs names the same document of a statement.",
            advice: "Check both: the customer of one sees the statement of the other.",
        }
        SharedDateOfBirthInInput {
            code: "shared_date_of_birth_in_input",
            fault: "More than 1 % of the accounts share a date of birth.",
            advice: "If the date stands for an unknown one, leave date_of_birth out.",
        }
        NotAsExpected {
            code: "not_as_expected",
            fault: "The inputs do not have what the source system counted.",
            advice: "Compare the extract with the source system: rows are missing, or there are too many.",
        }
        NotSent {
            code: "not_sent",
            fault: "The account is in the files, and no run has sent it as it is there.",
            advice: "Run upload.",
        }
        ChangedSinceSent {
            code: "changed_since_sent",
            fault: "The account in the files is not the one that was sent.",
            advice: "Run upload: it sends what has changed, or says that the account was imported before.",
        }
        UnreadableInput {
            code: "unreadable_input",
            fault: "The input cannot be read, or not to its end.",
            advice: "Check the file; accounts after this place were neither checked nor sent.",
        }
        RunInterrupted {
            code: "run_interrupted",
            fault: "The run was interrupted before the end of the inputs.",
            advice: "Run the command again: it goes on where it stopped.",
        }
        RefusedInAnEarlierRun {
            code: "refused_in_an_earlier_run",
            fault: "An earlier run was refused this account, which has not changed since.",
            advice: "Correct it, or send it again with --retry-refused.",
        }
        AlreadyImportedWithOtherContent {
            code: "already_imported_with_other_content",
            fault: "The account was imported before it was changed.",
            advice: "Send what has changed as additions, or ask the operator to undo the import.",
        }
        TotalsDiffer {
            code: "totals_differ",
            fault: "What was imported of the account does not come to what was sent.",
            advice: "Compare both figures, and tell the operator.",
        }
        StatusErrored {
            code: "errored",
            fault: "The import of the account ended in an error.",
            advice: "Read its issues, correct the account and send it again.",
        }
        StatusDryRunErrored {
            code: "dry_run_errored",
            fault: "The dry run of the account ended in an error.",
            advice: "Read its issues, correct the account and send it again.",
        }
        StatusCancelled {
            code: "cancelled",
            fault: "The import of the account was cancelled.",
            advice: "Send it again if it is to be imported.",
        }
        StatusPending {
            code: "pending",
            fault: "The account waits for its import.",
            advice: "Nothing is to be done; ask again later.",
        }
        StatusInProgress {
            code: "in_progress",
            fault: "The account is being imported.",
            advice: "Nothing is to be done; ask again later.",
        }
        StatusDryRunSucceeded {
            code: "dry_run_succeeded",
            fault: "The account passed a dry run, which imports nothing.",
            advice: "Send it again as a real import.",
        }
        StatusImported {
            code: "imported",
            fault: "The account is imported.",
            advice: "Nothing is to be done.",
        }
    }
}

impl Code {
    /// Iterates over the codes that the service sends.
    pub fn of_service() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|code| !matches!(code.domain(), Domain::Table | Domain::Client))
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
