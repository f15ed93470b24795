objects! {
    /// A metered electricity point, without the common members (contract 2.3).
    ElectricityMeterPoint "meter point, ELECTRICITY" {
        /// Instructions for access to the meter.
        access_details: optional text(160) personal;
        /// Hazards at the meter, an item each; one that says none, or none known, must be alone
        /// (rules MPT-06, MPT-07).
        hazard_details: optional list(text(255)) personal;
        /// Meters of the meter point, expected while it is supplied (rules MPT-13, MPT-14).
        meters: optional list(object(ElectricityMeter));
    }

    /// A meter of a metered electricity point (contract 2.3).
    ElectricityMeter "electricity meter" in meters by meter_serial_number {
        /// Serial number of the meter, expected once in the meter point (rule MTR-03).
        meter_serial_number: required text(32) shown;
        /// Day the meter was installed; absent or `null` = not known (rule RDG-02).
        installed_on: nullable date;
        /// Day the meter was removed, not before its installation; absent or `null` = still there
        /// (rules MTR-01, RDG-02).
        removed_on: nullable date;
        /// Registers of the meter, which its readings name (rules MTR-04 to MTR-08, MTR-15).
        registers: optional list(object(ElectricityRegister));
        /// Readings at the transfer, expected for each register of a meter in place (rule MTR-12).
        transfer_readings: optional list(object(ElectricityTransferReading));
        /// Earlier readings, each billed or not (rules MTR-11, RDG-04).
        reading_history: optional list(object(ElectricityHistoricalReading));
    }

    /// A register of an electricity meter (contract 2.3).
    ElectricityRegister "electricity register" in registers {
        /// Identifier of the register, once in the meter (rule MTR-04).
        register_id: required text(32) shown;
        /// Day up to which the register has been billed; absent = the account's date holds
        /// (rules 8.4, ACC-08, MTR-18).
        last_billed_to_date: optional date;
    }

    /// A reading of an electricity meter at the transfer (contract 2.3).
    ElectricityTransferReading "electricity transfer reading" in readings {
        /// Register that was read; needed where the meter lists registers (rules MTR-05, MTR-06).
        register_id: optional text(32) shown;
        /// Day of the reading, not in the future (rules RDG-01, RDG-02, RDG-05).
        reading_date: required date;
        /// Value read, expected not to fall from one reading to the next (rule RDG-06).
        reading_value: required decimal(11, 4);
        /// Source of the value, for example `CUSTOMER` or `ESTIMATE`.
        reading_type: required choice(ReadingType);
    }

    /// An earlier reading of an electricity meter (contract 2.3).
    ElectricityHistoricalReading "electricity historical reading" in readings {
        /// Register that was read; needed where the meter lists registers (rules MTR-07, MTR-08).
        register_id: optional text(32) shown;
        /// Day of the reading, not in the future (rules RDG-01, RDG-02, RDG-04).
        reading_date: required date;
        /// Value read, expected not to fall from one reading to the next (rule RDG-06).
        reading_value: required decimal(11, 4);
        /// Source of the value, for example `CUSTOMER` or `ESTIMATE`.
        reading_type: required choice(ReadingType);
        /// True if the reading has been billed (rules 8.4, RDG-04).
        billed: required boolean;
    }
}
