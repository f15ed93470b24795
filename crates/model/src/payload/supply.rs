objects! {
    /// Supply address entry.
    SupplyAddressEntry "supply address entry" {
        /// Supply address.
        supply_address: required object(Address);
        /// Whether the customer is the landlord: default false.
        is_landlord: optional boolean;
        /// Property administrators.
        property_administrators: optional list(object(PropertyAdministrator));
        /// Customer at supply address from date.
        customer_at_supply_address_from_date: required date;
        /// Meter points.
        meter_points: required list(meter_point);
    }

    /// Agreement.
    Agreement "agreement" {
        /// Tariff code.
        tariff_code: required text(255);
        /// Effective from.
        effective_from: required date;
        /// Effective to.
        effective_to: nullable date;
        /// Agreed at.
        agreed_at: nullable datetime;
        /// Business contract identifier.
        business_contract_identifier: nullable text(255);
    }
}
