objects! {
    /// Meter point, EMBEDDED_GAS.
    EmbeddedGasMeterPoint "meter point, EMBEDDED_GAS" {
        /// Parent installation id.
        parent_installation_id: nullable text(64);
        /// Parent mirn.
        parent_mirn: required text(256);
        /// Pressure correction factor.
        pressure_correction_factor: required decimal(3, 3);
        /// Heating value.
        heating_value: required decimal(3, 3);
        /// Baseload.
        baseload: required decimal(3, 3);
        /// Customer classification.
        customer_classification: required choice(GasCustomerClassification);
        /// Customer characterisation.
        customer_characterisation: required choice(CustomerCharacterisation);
        /// Distribution tariff.
        distribution_tariff: required open(64, EMBEDDED_GAS_TARIFFS);
        /// Heating value zone.
        heating_value_zone: required text(64);
        /// Status.
        status: required choice(MirnStatus);
        /// Pricing zone.
        pricing_zone: required text(64);
        /// Meters.
        meters: required list(object(EmbeddedGasMeter));
    }

    /// Embedded gas meter.
    EmbeddedGasMeter "embedded gas meter" {
        /// Meter serial number.
        meter_serial_number: required text(12);
        /// Reading route.
        reading_route: required text(64);
        /// Model number.
        model_number: nullable text(255);
        /// Measurement type.
        measurement_type: required choice(GasMeasurementUnit);
        /// Number of dials.
        number_of_dials: required integer(0, 20);
        /// Kpa value.
        kpa_value: required decimal(5, 4);
        /// Multiplier.
        multiplier: required decimal(3, 4);
        /// Status.
        status: required choice(MeterStatus);
        /// Location.
        location: required open(64, METER_LOCATIONS);
        /// Active from.
        active_from: required datetime;
        /// Transfer readings.
        transfer_readings: required list(object(EmbeddedReading));
        /// Reading history.
        reading_history: required list(object(EmbeddedReading));
    }

    /// Embedded gas or water reading.
    EmbeddedReading "embedded gas or water reading" {
        /// Reading date.
        reading_date: required date;
        /// Reading value.
        reading_value: required decimal(10, 5);
        /// Reading quality.
        reading_quality: required choice(ReadingQuality);
    }
}
