objects! {
    /// Meter point, ELECTRICITY.
    ElectricityMeterPoint "meter point, ELECTRICITY" {
        /// Access details.
        access_details: optional text(160);
        /// Hazard details.
        hazard_details: optional list(text(255));
        /// Meters.
        meters: optional list(object(ElectricityMeter));
    }

    /// Electricity meter.
    ElectricityMeter "electricity meter" {
        /// Meter serial number.
        meter_serial_number: required text(32);
        /// Installed on.
        installed_on: nullable date;
        /// Removed on.
        removed_on: nullable date;
        /// Registers.
        registers: optional list(object(ElectricityRegister));
        /// Transfer readings.
        transfer_readings: optional list(object(ElectricityTransferReading));
        /// Reading history.
        reading_history: optional list(object(ElectricityHistoricalReading));
    }

    /// Electricity register.
    ElectricityRegister "electricity register" {
        /// Register id.
        register_id: required text(32);
        /// Last billed to date.
        last_billed_to_date: optional date;
    }

    /// Electricity transfer reading.
    ElectricityTransferReading "electricity transfer reading" {
        /// Register id.
        register_id: optional text(32);
        /// Reading date.
        reading_date: required date;
        /// Reading value.
        reading_value: required decimal(11, 4);
        /// Reading type.
        reading_type: required choice(ReadingType);
    }

    /// Electricity historical reading.
    ElectricityHistoricalReading "electricity historical reading" {
        /// Register id.
        register_id: optional text(32);
        /// Reading date.
        reading_date: required date;
        /// Reading value.
        reading_value: required decimal(11, 4);
        /// Reading type.
        reading_type: required choice(ReadingType);
        /// Whether: billed.
        billed: required boolean;
    }
}
