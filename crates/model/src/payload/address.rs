objects! {
    /// The address of a customer or of supplied premises (contract 2.3).
    Address "address" {
        /// State or territory; in Australia ACT, NSW, NT, QLD, SA, TAS, VIC or WA (rule ADR-05).
        administrative_area: required text(64) personal;
        /// Two-letter country code; `AU`, in any case, brings in the Australian rules (rules ADR-01, ADR-05).
        country: required text(2) personal;
        /// Identifier of the postal delivery point: capital letters and digits only (rule ADR-04).
        delivery_point_identifier: optional text(11) personal;
        /// Suburb, town or other place.
        locality: required text(46) personal;
        /// Postcode; in Australia four digits (rule ADR-01).
        postal_code: required text(16) personal;
        /// Street, house and unit; the object must be there, its members need not.
        structured_street_address: required object(StructuredStreetAddress) personal;
    }

    /// The part of an address below the locality (contract 2.3).
    StructuredStreetAddress "structured street address" {
        /// Kind of flat or unit, abbreviated, for example `APT`; an open list (rule STR-19).
        flat_or_unit_type: optional open(16, FLAT_OR_UNIT_TYPES) personal;
        /// House number, as a string or as a whole number.
        house_number_1: optional text_or_integer(16) personal;
        /// Name of the street, without its type.
        street_name: optional text(45) personal;
        /// Kind of street, abbreviated, for example `AVE`; an open list (rule STR-19).
        street_type: optional open(16, STREET_TYPES) personal;
    }

    /// The address of a metered gas point, which has its own members (contract 2.3).
    GasAddress "gas address" {
        /// Kind of flat or unit, abbreviated, for example `APT`; an open list (rule STR-19).
        flat_or_unit_type: optional open(16, FLAT_OR_UNIT_TYPES) personal;
        /// Number of the flat or unit.
        flat_or_unit_number: optional text(16) personal;
        /// Kind of floor or level, abbreviated, for example `FL`; an open list (rule STR-19).
        floor_or_level_type: optional open(16, FLOOR_OR_LEVEL_TYPES) personal;
        /// Number of the floor or level.
        floor_or_level_number: optional text(16) personal;
        /// Name of the building or property: two lines of 30 characters at most are expected (rule ADR-09).
        building_or_property_name: optional text(60) personal;
        /// Free words that help to find the place.
        location_descriptor: optional text(255) personal;
        /// House numbers, at most two.
        house: optional list(object(GasHouse); 0..=2) personal;
        /// Number of the lot.
        lot_number: optional text(6) personal;
        /// Streets, at most two.
        street: optional list(object(GasStreet); 0..=2) personal;
        /// Suburb, town or other place.
        suburb_or_place_or_locality: optional text(64) personal;
        /// State or territory, abbreviated.
        state_or_territory: optional text(3) personal;
        /// Postcode: four digits (rule ADR-02).
        postcode: required text(10) personal;
        /// Identifier of the postal delivery point: capital letters and digits only (rule ADR-04).
        delivery_point_identifier: optional text(11) personal;
        /// Grid reference in the Melway street directory.
        melway_grid_reference: optional text(9) personal;
    }

    /// A house number in the address of a metered gas point (contract 2.3).
    GasHouse "gas house" in gas_address_houses {
        /// House number, as a string or as a whole number.
        house_number: optional text_or_integer(16) personal;
        /// Suffix of the house number.
        house_number_suffix: optional text(16) personal;
    }

    /// A street in the address of a metered gas point (contract 2.3).
    GasStreet "gas street" in gas_address_streets {
        /// Name of the street, without its type and suffix.
        street_name: optional text(64) personal;
        /// Kind of street, abbreviated, for example `AVE`; an open list (rule STR-19).
        street_type: optional open(16, STREET_TYPES) personal;
        /// Suffix of the street, abbreviated, for example `N`; an open list (rule STR-19).
        street_suffix: optional open(16, STREET_SUFFIXES) personal;
    }
}
