objects! {
    /// Supplied premises with their meter points (contract 2.3).
    SupplyAddressEntry "supply address entry" in supply_addresses {
        /// Address of the premises, another one for each entry (rule ADR-06).
        supply_address: required object(Address) personal;
        /// True if the customer is the landlord; default false.
        is_landlord: optional boolean;
        /// People who look after the premises; expected to be one at most (rule ADR-07).
        property_administrators: optional list(object(PropertyAdministrator)) personal;
        /// Day from which the customer occupies the premises.
        customer_at_supply_address_from_date: required date;
        /// Meter points of the premises, each once in the account; may be empty (rules MPT-04, MPT-05).
        meter_points: required list(meter_point(MeterPoint));
    }

    /// A tariff agreed for a meter point over a time (contract 2.3).
    Agreement "agreement" in agreements {
        /// Code of the tariff; supply charges name it as their product (rule TXN-11).
        tariff_code: required text(255) reference;
        /// First day of the agreement; no other may be in force then (rules 8.3, AGR-02 to AGR-04).
        effective_from: required date;
        /// Day after the last of the agreement, not before its start; absent or `null` = open
        /// (rules 8.3, AGR-01, AGR-08).
        effective_to: nullable date;
        /// Time of the agreement.
        agreed_at: nullable datetime;
        /// The account's business contract, if the agreement is part of it (rule AGR-05).
        business_contract_identifier: nullable text(255) reference;
    }
}
