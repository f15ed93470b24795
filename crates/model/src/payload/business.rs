objects! {
    /// A business to create, with all its contracts (contract 2.7, 4.4).
    BusinessRequest "business request" in businesses by external_business_identifier {
        /// Code of the configured import supplier that sends the business (rule PST-01).
        import_supplier_code: required text(128) shown;
        /// The business's identifier in the supplier's system, unique in the organisation
        /// (contract D9, rule PST-13).
        external_business_identifier: required text(128) shown;
        /// The business itself.
        business: required object(Business);
    }

    /// A business and its contracts (contract 2.7).
    Business "business" {
        /// Kind of business, for example `PTY_LTD`.
        business_type: optional choice(BusinessType);
        /// Registration number, expected to be an ACN or ABN; spaces do not count (rules 10.6, BUS-06).
        company_number: optional text(100) personal;
        /// Name of the business.
        company_name: optional text(255) personal;
        /// Further facts about the business, each key once (rule BUS-05).
        details: optional list(object(BusinessDetail));
        /// All contracts of the business, sent in one request; absent = none (contract 4.4, rule BUS-02).
        business_contracts: optional list(object(Contract));
    }

    /// A fact about a business, as key and value (contract 2.7).
    BusinessDetail "business detail" in business_details {
        /// Name of the fact, for example `abn`; once in a business; an open list (rules BUS-05, STR-19).
        key: required open(64, BUSINESS_DETAIL_KEYS) shown;
        /// The fact, always as a string; some keys have a form (rule BUS-08).
        value: required text(255) personal;
    }

    /// A contract of a business, which accounts refer to (contract 2.7).
    Contract "contract" in business_contracts by identifier {
        /// First day of the contract (rule BUS-03).
        valid_from_date: required date;
        /// Day of the signature, expected not to be after `valid_from_date` (rule BUS-07).
        signed_at_date: required date;
        /// Identifier that accounts name, unique in the organisation (rules BUS-02, PST-09).
        identifier: required text(255) shown;
        /// Terms over time; if there are any, the earliest applies at `valid_from_date` (rule BUS-03).
        versions: optional list(object(ContractVersion));
    }

    /// The terms of a contract from a day on (contract 2.7).
    ContractVersion "contract version" in business_contract_versions {
        /// Day from which the terms apply, once in a contract (rules BUS-03, BUS-04).
        applicable_at_date: required date;
        /// The terms, any JSON values, kept exactly as sent; may be empty.
        terms: required free_array personal;
    }
}
