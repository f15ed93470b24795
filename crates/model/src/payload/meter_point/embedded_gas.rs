objects! {
    /// A gas point in an embedded network, without the common members (contract 2.3).
    EmbeddedGasMeterPoint "meter point, EMBEDDED_GAS" {
        /// Identifier of the parent installation.
        parent_installation_id: nullable text(64) reference;
        /// MIRN of the parent (rules 10.3, MPT-01, MPT-02).
        parent_mirn: required text(256) reference;
        /// Factor that corrects volumes for pressure.
        pressure_correction_factor: required decimal(3, 3);
        /// Heating value of the gas; the contract gives no unit.
        heating_value: required decimal(3, 3);
        /// Base load of the meter point; the contract gives no unit.
        baseload: required decimal(3, 3);
        /// Class of the customer: business, residential or unknown.
        customer_classification: required choice(GasCustomerClassification);
        /// Characterisation of the customer: metropolitan or not, and business or residential.
        customer_characterisation: required choice(CustomerCharacterisation);
        /// Class of the distribution tariff, for example `Volume`; an open list (rule STR-19).
        distribution_tariff: required open(64, EMBEDDED_GAS_TARIFFS) reference;
        /// Zone that the heating value is taken from.
        heating_value_zone: required text(64) shown;
        /// Status of the meter point, for example `Commissioned`.
        status: required choice(MirnStatus);
        /// Pricing zone, in the operator's words.
        pricing_zone: required text(64) shown;
        /// Meters of the meter point; may be empty.
        meters: required list(object(EmbeddedGasMeter));
    }

    /// A meter of an embedded gas point (contract 2.3).
    EmbeddedGasMeter "embedded gas meter" in meters by meter_serial_number {
        /// Serial number of the meter, expected once in the meter point (rule MTR-03).
        meter_serial_number: required text(12) shown;
        /// Route on which the meter is read.
        reading_route: required text(64) shown;
        /// Number of the meter's model.
        model_number: nullable text(255) shown;
        /// Units of the meter.
        measurement_type: required choice(GasMeasurementUnit);
        /// Number of dials on the meter, 0 to 20 (rule RDG-07).
        number_of_dials: required integer(0, 20);
        /// Pressure at the meter, in kilopascals.
        kpa_value: required decimal(5, 4);
        /// Factor to multiply values read with.
        multiplier: required decimal(3, 4);
        /// State of the meter, for example `Turned on`.
        status: required choice(MeterStatus);
        /// Location of the meter, for example `BASEMENT`; an open list (rule STR-19).
        location: required open(64, METER_LOCATIONS) personal;
        /// Time at which the meter went into use (rule RDG-02).
        active_from: required datetime;
        /// Readings at the transfer; may be empty (rule RDG-05).
        transfer_readings: required list(object(EmbeddedTransferReading));
        /// Earlier readings, each billed or not; may be empty (rules 8.4, RDG-04).
        reading_history: required list(object(EmbeddedHistoricalReading));
    }

    /// A reading of an embedded gas or water meter at the transfer (contract 2.3).
    EmbeddedTransferReading "embedded gas or water transfer reading" in readings {
        /// Day of the reading, not in the future (rules RDG-01, RDG-02, RDG-05).
        reading_date: required date;
        /// Value read, expected not to fall and to fit the dials (rules RDG-06, RDG-07).
        reading_value: required decimal(10, 5);
        /// Source of the value, for example `ACTUAL` or `ESTIMATED`.
        reading_quality: required choice(ReadingQuality);
    }

    /// An earlier reading of an embedded gas or water meter (contract 2.3, D7).
    EmbeddedHistoricalReading "embedded gas or water historical reading" in readings {
        /// Day of the reading, not in the future (rules RDG-01, RDG-02, RDG-04).
        reading_date: required date;
        /// Value read, expected not to fall and to fit the dials (rules RDG-06, RDG-07).
        reading_value: required decimal(10, 5);
        /// Source of the value, for example `ACTUAL` or `ESTIMATED`.
        reading_quality: required choice(ReadingQuality);
        /// True if the reading has been billed; default true (rules 8.4, RDG-04).
        billed: optional boolean;
    }
}
