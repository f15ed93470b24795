objects! {
    /// Meter point, EMBEDDED_ELECTRICITY.
    EmbeddedElectricityMeterPoint "meter point, EMBEDDED_ELECTRICITY" {
        /// Jurisdiction.
        jurisdiction: nullable choice(EmbeddedElectricityJurisdiction);
        /// Nmi classification.
        nmi_classification: required choice(EmbeddedElectricityNmiClassification);
        /// Customer classification.
        customer_classification: required choice(EmbeddedElectricityCustomerClassification);
        /// Customer threshold.
        customer_threshold: required choice(CustomerClassificationThreshold);
        /// Shared isolation flag.
        shared_isolation_flag: nullable choice(EmbeddedElectricitySharedIsolationFlag);
        /// Parent nmi.
        parent_nmi: required text(256);
        /// Access details.
        access_details: optional text(160);
        /// Hazard details.
        hazard_details: optional list(text(255));
        /// Outage contact email.
        outage_contact_email: nullable text(254);
        /// Nmi status periods.
        nmi_status_periods: required list(object(EmbeddedElectricityStatusPeriod));
        /// Meter data providers.
        meter_data_providers: required list(object(EmbeddedElectricityDataProvider));
        /// Distributors.
        distributors: required list(object(EmbeddedElectricityDistributor));
        /// Meters.
        meters: required list(object(EmbeddedElectricityMeter); 1..);
    }

    /// Embedded electricity status period.
    EmbeddedElectricityStatusPeriod "embedded electricity status period" {
        /// Status.
        status: required choice(EmbeddedElectricityStatusPeriodStatus);
        /// Active from.
        active_from: required datetime;
        /// Active to.
        active_to: nullable datetime;
    }

    /// Embedded electricity data provider.
    EmbeddedElectricityDataProvider "embedded electricity data provider" {
        /// From date.
        from_date: required datetime;
        /// To date.
        to_date: nullable datetime;
        /// Mdp id.
        mdp_id: required text(64);
    }

    /// Embedded electricity distributor.
    EmbeddedElectricityDistributor "embedded electricity distributor" {
        /// From date.
        from_date: required datetime;
        /// To date.
        to_date: nullable datetime;
        /// Lnsp id.
        lnsp_id: required text(64);
    }

    /// Embedded electricity meter.
    EmbeddedElectricityMeter "embedded electricity meter" {
        /// Meter serial number.
        meter_serial_number: required text(12);
        /// Active from.
        active_from: required datetime;
        /// Active to.
        active_to: nullable datetime;
        /// Manufacturer.
        manufacturer: nullable text(15);
        /// Model.
        model: nullable text(12);
        /// Location.
        location: nullable text(50);
        /// Status.
        status: required choice(EmbeddedElectricityMeterStatus);
        /// Meter installation type.
        meter_installation_type: required choice(EmbeddedMeterInstallationType);
        /// Read type method.
        read_type_method: required choice(ReadTypeMethod);
        /// Read type mode.
        read_type_mode: nullable choice(ReadTypeMode);
        /// Read type frequency.
        read_type_frequency: nullable choice(ReadTypeFrequency);
        /// Registers.
        registers: required list(object(EmbeddedElectricityRegister); 1..);
        /// Transfer readings.
        transfer_readings: optional list(object(EmbeddedElectricityTransferReading));
        /// Reading history.
        reading_history: optional list(object(EmbeddedElectricityHistoricalReading));
    }

    /// Embedded electricity register.
    EmbeddedElectricityRegister "embedded electricity register" {
        /// Register id.
        register_id: required text(10);
        /// Unit of measure.
        unit_of_measure: required choice(UnitOfMeasure);
        /// Time of day.
        time_of_day: required text(10);
        /// Multiplier.
        multiplier: required decimal(8, 5);
        /// Status.
        status: required choice(EmbeddedElectricityRegisterStatus);
        /// Active from.
        active_from: required datetime;
        /// Active to.
        active_to: nullable datetime;
        /// Dial format digits.
        dial_format_digits: required integer(0, 20);
        /// Dial format decimals.
        dial_format_decimals: required integer(0, 20);
        /// Suffix.
        suffix: required text(10);
        /// Whether: controlled load.
        controlled_load: optional boolean;
    }

    /// Embedded electricity transfer reading.
    EmbeddedElectricityTransferReading "embedded electricity transfer reading" {
        /// Register id.
        register_id: required text(10);
        /// Reading date.
        reading_date: required date;
        /// Reading value.
        reading_value: required decimal(10, 5);
        /// Reading quality.
        reading_quality: required choice(MeteringQuality);
    }

    /// Embedded electricity historical reading.
    EmbeddedElectricityHistoricalReading "embedded electricity historical reading" {
        /// Register id.
        register_id: required text(10);
        /// Reading date.
        reading_date: required date;
        /// Reading value.
        reading_value: required decimal(10, 5);
        /// Reading quality.
        reading_quality: required choice(MeteringQuality);
        /// Whether: billed.
        billed: required boolean;
    }
}
