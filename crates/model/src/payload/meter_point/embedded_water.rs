objects! {
    /// A water point in an embedded network, without the common members (contract 2.3).
    EmbeddedWaterMeterPoint "meter point, EMBEDDED_WATER" {
        /// Identifier of the installation: ten digits, not all 0 (rules MPT-10, MPT-20).
        installation_id: required text(10, 10) reference;
        /// Identifier of the parent installation.
        parent_installation_id: nullable text(64) reference;
        /// MIRN of the parent, required for natural gas (rules 10.3, MPT-01, MPT-02, MPT-16, MPT-17).
        parent_mirn: nullable text(256) reference;
        /// Kind of installation.
        installation_type: required choice(EmbeddedWaterInstallationType);
        /// Temperature of the plant, in degrees Celsius; absent or empty = not given.
        plant_temperature: optional choice(EmbeddedWaterPlantTemperature);
        /// Fuel of the plant.
        plant_fuel_type: required choice(EmbeddedWaterPlantFuelType);
        /// Route on which the meters are read.
        reading_route: required text(64) shown;
        /// Pricing zone, in the operator's words.
        pricing_zone: required text(64) shown;
        /// Meters of the meter point; may be empty.
        meters: required list(object(EmbeddedWaterMeter));
    }

    /// A meter of an embedded water point (contract 2.3).
    EmbeddedWaterMeter "embedded water meter" in meters by meter_serial_number {
        /// Serial number of the meter, expected once in the meter point (rule MTR-03).
        meter_serial_number: required text(64) shown;
        /// Maker and model of the meter.
        make_and_model: optional text(255) shown;
        /// Unit of volume that the meter counts in.
        meter_measurement_unit: required choice(WaterMeasurementUnit);
        /// Day the meter was built.
        construction_date: nullable date;
        /// Day the meter was installed (rule RDG-02).
        installed_on: required date;
        /// Number of dials on the meter, 0 to 20 (rule RDG-07).
        number_of_dials_on_device: required integer(0, 20);
        /// Method of reading the meter: remotely or on site.
        read_method: required choice(ReadMethod);
        /// Place of the meter on the reading route, 0 to 1,000,000.
        reading_route_sequence: nullable integer(0, 1000000);
        /// Location of the meter, for example `BASEMENT`; an open list (rule STR-19).
        location: required open(64, METER_LOCATIONS) personal;
        /// Instructions for access to the meter.
        access_details: optional text(256) personal;
        /// Keys that are needed to reach the meter.
        key_details: optional text(256) personal;
        /// Periods in which the meter was connected or disconnected.
        connection_periods: optional list(object(EmbeddedWaterConnectionPeriod));
        /// Earlier readings, each billed or not (rules 8.4, RDG-04).
        reading_history: optional list(object(EmbeddedHistoricalReading));
        /// Readings at the transfer (rule RDG-05).
        transfer_readings: optional list(object(EmbeddedTransferReading));
    }

    /// A time in which an embedded water meter was connected or not (contract 2.3).
    EmbeddedWaterConnectionPeriod "embedded water connection period" in connection_periods {
        /// Start of the period.
        start_at: required datetime;
        /// End of the period, not before its start; absent or `null` = still running (rule MTR-10).
        end_at: nullable datetime;
        /// Status of the meter: connected or disconnected.
        status: required choice(EmbeddedWaterConnectionPeriodStatus);
    }
}
