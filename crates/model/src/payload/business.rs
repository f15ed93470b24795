objects! {
    /// Business request.
    BusinessRequest "business request" {
        /// Import supplier code.
        import_supplier_code: required text(128);
        /// External business identifier.
        external_business_identifier: required text(128);
        /// Business.
        business: required object(Business);
    }

    /// Business.
    Business "business" {
        /// Business type.
        business_type: optional choice(BusinessType);
        /// Company number.
        company_number: optional text(100);
        /// Company name.
        company_name: optional text(255);
        /// Details.
        details: optional list(object(BusinessDetail));
        /// Business contracts: absent = none.
        business_contracts: optional list(object(Contract));
    }

    /// Business detail.
    BusinessDetail "business detail" {
        /// Key.
        key: required open(64, BUSINESS_DETAIL_KEYS);
        /// Value.
        value: required text(255);
    }

    /// Contract.
    Contract "contract" {
        /// Valid from date.
        valid_from_date: required date;
        /// Signed at date.
        signed_at_date: required date;
        /// Identifier.
        identifier: required text(255);
        /// Versions.
        versions: optional list(object(ContractVersion));
    }

    /// Contract version.
    ContractVersion "contract version" {
        /// Applicable at date.
        applicable_at_date: required date;
        /// Terms: may be empty; elements are any JSON, kept as sent.
        terms: required free_array;
    }
}
