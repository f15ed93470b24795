objects! {
    /// Meter point, EMBEDDED_WATER.
    EmbeddedWaterMeterPoint "meter point, EMBEDDED_WATER" {
        /// Installation id.
        installation_id: required text(10, 10);
        /// Parent installation id.
        parent_installation_id: nullable text(64);
        /// Parent mirn.
        parent_mirn: nullable text(256);
        /// Installation type.
        installation_type: required choice(EmbeddedWaterInstallationType);
        /// Plant temperature.
        plant_temperature: optional choice(EmbeddedWaterPlantTemperature);
        /// Plant fuel type.
        plant_fuel_type: required choice(EmbeddedWaterPlantFuelType);
        /// Reading route.
        reading_route: required text(64);
        /// Pricing zone.
        pricing_zone: required text(64);
        /// Meters.
        meters: required list(object(EmbeddedWaterMeter));
    }

    /// Embedded water meter.
    EmbeddedWaterMeter "embedded water meter" {
        /// Meter serial number.
        meter_serial_number: required text(64);
        /// Make and model.
        make_and_model: optional text(255);
        /// Meter measurement unit.
        meter_measurement_unit: required choice(WaterMeasurementUnit);
        /// Construction date.
        construction_date: nullable date;
        /// Installed on.
        installed_on: required date;
        /// Number of dials on device.
        number_of_dials_on_device: required integer(0, 20);
        /// Read method.
        read_method: required choice(ReadMethod);
        /// Reading route sequence.
        reading_route_sequence: nullable integer(0, 1000000);
        /// Location.
        location: required open(64, METER_LOCATIONS);
        /// Access details.
        access_details: optional text(256);
        /// Key details.
        key_details: optional text(256);
        /// Connection periods.
        connection_periods: optional list(object(EmbeddedWaterConnectionPeriod));
        /// Reading history.
        reading_history: optional list(object(EmbeddedReading));
        /// Transfer readings.
        transfer_readings: optional list(object(EmbeddedReading));
    }

    /// Embedded water connection period.
    EmbeddedWaterConnectionPeriod "embedded water connection period" {
        /// Start at.
        start_at: required datetime;
        /// End at.
        end_at: nullable datetime;
        /// Status.
        status: required choice(EmbeddedWaterConnectionPeriodStatus);
    }
}
