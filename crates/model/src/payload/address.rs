objects! {
    /// Address.
    Address "address" {
        /// Administrative area: in Australia: ACT, NSW, NT, QLD, SA, TAS, VIC, WA (ADR-05).
        administrative_area: required text(64);
        /// Country: two-letter code, `AU` seen.
        country: required text(2);
        /// Delivery point identifier.
        delivery_point_identifier: optional text(11);
        /// Locality.
        locality: required text(46);
        /// Postal code: in Australia: (ADR-01).
        postal_code: required text(16);
        /// Structured street address.
        structured_street_address: required object(StructuredStreetAddress);
    }

    /// Structured street address.
    StructuredStreetAddress "structured street address" {
        /// Flat or unit type.
        flat_or_unit_type: optional open(16, FLAT_OR_UNIT_TYPES);
        /// House number 1.
        house_number_1: optional text_or_integer(16);
        /// Street name.
        street_name: optional text(45);
        /// Street type.
        street_type: optional open(16, STREET_TYPES);
    }

    /// Gas address.
    GasAddress "gas address" {
        /// Flat or unit type.
        flat_or_unit_type: optional open(16, FLAT_OR_UNIT_TYPES);
        /// Flat or unit number.
        flat_or_unit_number: optional text(16);
        /// Floor or level type.
        floor_or_level_type: optional open(16, FLOOR_OR_LEVEL_TYPES);
        /// Floor or level number.
        floor_or_level_number: optional text(16);
        /// Building or property name.
        building_or_property_name: optional text(60);
        /// Location descriptor.
        location_descriptor: optional text(255);
        /// House.
        house: optional list(object(GasHouse); 0..=2);
        /// Lot number.
        lot_number: optional text(6);
        /// Street.
        street: optional list(object(GasStreet); 0..=2);
        /// Suburb or place or locality.
        suburb_or_place_or_locality: optional text(64);
        /// State or territory.
        state_or_territory: optional text(3);
        /// Postcode.
        postcode: required text(10);
        /// Delivery point identifier.
        delivery_point_identifier: optional text(11);
        /// Melway grid reference.
        melway_grid_reference: optional text(9);
    }

    /// Gas house.
    GasHouse "gas house" {
        /// House number.
        house_number: optional text_or_integer(16);
        /// House number suffix.
        house_number_suffix: optional text(16);
    }

    /// Gas street.
    GasStreet "gas street" {
        /// Street name.
        street_name: optional text(64);
        /// Street type.
        street_type: optional open(16, STREET_TYPES);
        /// Street suffix.
        street_suffix: optional open(16, STREET_SUFFIXES);
    }
}
