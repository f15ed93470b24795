objects! {
    /// An electricity point in an embedded network, without the common members (contract 2.3).
    EmbeddedElectricityMeterPoint "meter point, EMBEDDED_ELECTRICITY" {
        /// Jurisdiction of the meter point, for example `VIC`.
        jurisdiction: nullable choice(EmbeddedElectricityJurisdiction);
        /// Class of the NMI, for example `SMALL`.
        nmi_classification: required choice(EmbeddedElectricityNmiClassification);
        /// Class of the customer: business or residential.
        customer_classification: required choice(EmbeddedElectricityCustomerClassification);
        /// Threshold that classifies the customer: low, medium or high.
        customer_threshold: required choice(CustomerClassificationThreshold);
        /// Shared isolation of the point.
        shared_isolation_flag: nullable choice(EmbeddedElectricitySharedIsolationFlag);
        /// National metering identifier (NMI) of the parent (rules 10.3, MPT-01, MPT-02).
        parent_nmi: required text(256) reference;
        /// Instructions for access to the meter.
        access_details: optional text(160) personal;
        /// Hazards at the meter, an item each; one that says none, or none known, must be alone
        /// (rules MPT-06, MPT-07).
        hazard_details: optional list(text(255)) personal;
        /// E-mail address for notices of outages (rules 10.2, CUS-03).
        outage_contact_email: nullable text(254) personal;
        /// Status of the NMI over time, in periods, exactly one of them without end (rules MPT-08, MPT-09).
        nmi_status_periods: required list(object(EmbeddedElectricityStatusPeriod));
        /// Meter data providers over time, exactly one of them without end (rules MPT-08, MPT-09).
        meter_data_providers: required list(object(EmbeddedElectricityDataProvider));
        /// Distributors over time, exactly one of them without end (rules MPT-08, MPT-09).
        distributors: required list(object(EmbeddedElectricityDistributor));
        /// Meters of the meter point, at least one.
        meters: required list(object(EmbeddedElectricityMeter); 1..);
    }

    /// The status of an embedded electricity point over a time (contract 2.3).
    EmbeddedElectricityStatusPeriod "embedded electricity status period" in nmi_status_periods {
        /// Status of the NMI.
        status: required choice(EmbeddedElectricityStatusPeriodStatus);
        /// Start of the period.
        active_from: required datetime;
        /// End of the period, not before its start; absent or `null` = still running (rules MPT-08, MPT-09).
        active_to: nullable datetime;
    }

    /// The meter data provider of an embedded electricity point over a time (contract 2.3).
    EmbeddedElectricityDataProvider "embedded electricity data provider" in meter_data_providers {
        /// Start of the period.
        from_date: required datetime;
        /// End of the period, not before its start; absent or `null` = still running (rules MPT-08, MPT-09).
        to_date: nullable datetime;
        /// Identifier of the meter data provider (MDP), as the operator names it.
        mdp_id: required text(64) shown;
    }

    /// The distributor of an embedded electricity point over a time (contract 2.3).
    EmbeddedElectricityDistributor "embedded electricity distributor" in distributors {
        /// Start of the period.
        from_date: required datetime;
        /// End of the period, not before its start; absent or `null` = still running (rules MPT-08, MPT-09).
        to_date: nullable datetime;
        /// Identifier of the distributor (LNSP, local network service provider), as the operator names it.
        lnsp_id: required text(64) shown;
    }

    /// A meter of an embedded electricity point (contract 2.3).
    EmbeddedElectricityMeter "embedded electricity meter" in meters by meter_serial_number {
        /// Serial number of the meter, expected once in the meter point (rule MTR-03).
        meter_serial_number: required text(12) shown;
        /// Time at which the meter went into use (rules MTR-01, RDG-02).
        active_from: required datetime;
        /// Time at which the meter went out of use, not before its start; absent or `null` = in use
        /// (rules MTR-01, RDG-02).
        active_to: nullable datetime;
        /// Maker of the meter.
        manufacturer: nullable text(15) shown;
        /// Model of the meter.
        model: nullable text(12) shown;
        /// Location of the meter, in free words.
        location: nullable text(50) personal;
        /// Status of the meter (rule MTR-09).
        status: required choice(EmbeddedElectricityMeterStatus);
        /// Kind of metering installation, for example `BASIC` (rule MTR-09).
        meter_installation_type: required choice(EmbeddedMeterInstallationType);
        /// Method of reading the meter.
        read_type_method: required choice(ReadTypeMethod);
        /// By which medium the meter is read.
        read_type_mode: nullable choice(ReadTypeMode);
        /// Frequency of readings.
        read_type_frequency: nullable choice(ReadTypeFrequency);
        /// Registers of the meter, at least one; its readings name them (rules MTR-04, MTR-05, MTR-07).
        registers: required list(object(EmbeddedElectricityRegister); 1..);
        /// Readings at the transfer, required of basic meters in use (rules MTR-09, MTR-12).
        transfer_readings: optional list(object(EmbeddedElectricityTransferReading));
        /// Earlier readings, each billed or not (rules MTR-11, RDG-04).
        reading_history: optional list(object(EmbeddedElectricityHistoricalReading));
    }

    /// A register of an embedded electricity meter (contract 2.3).
    EmbeddedElectricityRegister "embedded electricity register" in registers {
        /// Identifier of the register, once in the meter (rule MTR-04).
        register_id: required text(10) shown;
        /// Unit that the register counts in, in lower case, for example `kwh`.
        unit_of_measure: required choice(UnitOfMeasure);
        /// Time of day that the register counts for, as a code.
        time_of_day: required text(10) shown;
        /// Factor to multiply values read with.
        multiplier: required decimal(8, 5);
        /// Status of the register.
        status: required choice(EmbeddedElectricityRegisterStatus);
        /// Time at which the register went into use.
        active_from: required datetime;
        /// Time at which the register went out of use, not before its start; absent or `null` = in use (rule MTR-02).
        active_to: nullable datetime;
        /// Digits of the dial before the point, 0 to 20 (rule RDG-07).
        dial_format_digits: required integer(0, 20);
        /// Digits of the dial after the point, 0 to 20.
        dial_format_decimals: required integer(0, 20);
        /// Suffix of the NMI that identifies the register.
        suffix: required text(10) shown;
        /// True if the register measures a controlled load; absent = not given.
        controlled_load: optional boolean;
    }

    /// A reading of an embedded electricity meter at the transfer (contract 2.3).
    EmbeddedElectricityTransferReading "embedded electricity transfer reading" in readings {
        /// Register that was read, one of the meter's (rule MTR-05).
        register_id: required text(10) shown;
        /// Day of the reading, not in the future (rules RDG-01, RDG-02, RDG-05).
        reading_date: required date;
        /// Value read, expected not to fall and to fit the dials (rules RDG-06, RDG-07).
        reading_value: required decimal(10, 5);
        /// Quality of the value, as a one-letter code.
        reading_quality: required choice(MeteringQuality);
    }

    /// An earlier reading of an embedded electricity meter (contract 2.3).
    EmbeddedElectricityHistoricalReading "embedded electricity historical reading" in readings {
        /// Register that was read, one of the meter's (rule MTR-07).
        register_id: required text(10) shown;
        /// Day of the reading, not in the future (rules RDG-01, RDG-02, RDG-04).
        reading_date: required date;
        /// Value read, expected not to fall and to fit the dials (rules RDG-06, RDG-07).
        reading_value: required decimal(10, 5);
        /// Quality of the value, as a one-letter code.
        reading_quality: required choice(MeteringQuality);
        /// True if the reading has been billed (rules 8.4, RDG-04).
        billed: required boolean;
    }
}
