objects! {
    /// A metered gas point, without the common members (contract 2.3).
    GasMeterPoint "meter point, GAS" {
        /// Address of the meter point.
        address: required object(GasAddress) personal;
        /// Instructions for access to the meter.
        access_details: optional text(160) personal;
        /// Hazards at the meter, an item each; one that says none, or none known, must be alone
        /// (rules MPT-06, MPT-07).
        hazard_details: optional list(text(255)) personal;
        /// Dogs on the premises, if known.
        dog_code: nullable choice(GasDogCode);
        /// Standing data of the meter point in the gas market.
        master_data: required object(GasMasterData);
        /// Location of the meter, as a two-letter code.
        meter_position: nullable choice(GasMeterPosition);
        /// Parties to the meter point with their roles, exactly two.
        role_assignments: required list(object(GasRoleAssignment); 2..=2);
        /// Meters of the meter point, expected while it is supplied (rules MPT-13, MPT-14).
        meters: optional list(object(GasMeter));
    }

    /// Standing data of a metered gas point (contract 2.3).
    GasMasterData "gas master data" {
        /// Characterisation of the customer: metropolitan or not, and business or residential.
        customer_characterisation: optional choice(CustomerCharacterisation);
        /// Class of the customer: business, residential or unknown.
        customer_classification_code: required choice(GasCustomerClassification);
        /// Class of the distribution tariff, for example `Volume`; an open list (rule STR-19).
        distribution_tariff: optional open(64, GAS_TARIFFS) reference;
        /// Status of the MIRN, for example `Commissioned`.
        mirn_status: required choice(MirnStatus);
        /// Identifier of the gas network.
        network_id: optional text(12) shown;
        /// Zone that the heating value is taken from; must be sent, if only as `null`.
        heating_value_zone: required_nullable text(3) shown;
        /// Gas market of the meter point, for example `VICGAS`.
        market: required choice(GasMarket);
        /// Number of the transmission zone, 0 to 99.
        transmission_zone: nullable integer(0, 99);
        /// Threshold that classifies the customer: low, medium or high.
        customer_classification_threshold: nullable choice(CustomerClassificationThreshold);
        /// Base load of the meter point; the contract gives no unit.
        baseload: nullable decimal(8, 1);
        /// Dependence of consumption on temperature; the contract gives no unit.
        temperature_sensitivity_factor: nullable decimal(7, 2);
    }

    /// A party to a metered gas point and its role (contract 2.3).
    GasRoleAssignment "gas role assignment" in role_assignments {
        /// Identifier of the party.
        party: required text(64) shown;
        /// Role of the party.
        role: required choice(GasRole);
    }

    /// A meter of a metered gas point (contract 2.3).
    GasMeter "gas meter" in meters by meter_serial_number {
        /// Serial number of the meter, expected once in the meter point (rule MTR-03).
        meter_serial_number: required text(32) shown;
        /// Day the meter was installed; absent or `null` = not known (rule RDG-02).
        installed_on: nullable date;
        /// Day the meter was removed, not before its installation; absent or `null` = still there
        /// (rules MTR-01, RDG-02).
        removed_on: nullable date;
        /// Method of billing.
        billing_method: nullable choice(GasBillingMethod);
        /// Pressure at the meter, in kilopascals.
        kpa_value: nullable decimal(5, 4);
        /// Kind of installation.
        meter_installation_type: nullable choice(GasMeterInstallationType);
        /// Factor to multiply values read with.
        meter_multiplier: nullable decimal(3, 2);
        /// Units of the meter.
        meter_measurement_unit: nullable choice(GasMeasurementUnit);
        /// Location of the meter, as a two-letter code.
        meter_position: nullable choice(GasMeterPosition);
        /// Frequency of readings.
        meter_read_frequency: nullable choice(MeterReadFrequency);
        /// State of the meter, for example `Turned on`; expected while it is in place (rule MTR-19).
        meter_status: nullable choice(MeterStatus);
        /// Kind of meter; default `G`.
        meter_type: nullable choice(MeterType);
        /// Code for type and size of the meter.
        meter_type_size_code: nullable text(3) shown;
        /// Kind of supply point: basic, interval or transmission.
        supply_point_code: nullable choice(SupplyPointCode);
        /// Identifier of the supply point.
        supply_point_id: nullable text(13) shown;
        /// Day of the next planned reading, expected not to be in the past (rule MTR-20).
        next_scheduled_read_date: nullable date;
        /// Number of dials on the meter, 0 to 20 (rule RDG-07).
        number_of_dials_on_device: nullable integer(0, 20);
        /// Readings at the transfer, expected to be exactly one for a meter in place (rule MTR-13).
        transfer_readings: optional list(object(GasTransferReading));
        /// Earlier readings, each billed or not (rules MTR-11, RDG-04).
        reading_history: optional list(object(GasHistoricalReading));
    }

    /// A reading of a gas meter at the transfer (contract 2.3).
    GasTransferReading "gas transfer reading" in readings {
        /// Day of the reading, not in the future (rules RDG-01, RDG-02, RDG-05).
        reading_date: required date;
        /// Value read, expected not to fall and to fit the dials (rules RDG-06, RDG-07).
        reading_value: required decimal(7, 3);
        /// Source of the value, for example `CUSTOMER` or `ESTIMATE`.
        reading_type: required choice(ReadingType);
        /// Day of the reading before, not after this one (rule RDG-03).
        prev_reading_date: nullable date;
        /// Units of the value.
        gas_meter_units: nullable choice(GasMeasurementUnit);
        /// Volume that flowed since the reading before; the contract gives no unit.
        volume_flow: nullable decimal(9, 2);
        /// Average heating value of the gas since the reading before; the contract gives no unit.
        average_heating_value: nullable decimal(2, 2);
        /// Factor that corrects the volume for pressure.
        pressure_correction_factor: nullable decimal(2, 4);
        /// Energy used since the reading before, without decimal places; the contract gives no unit.
        consumed_energy: nullable decimal(11, 0);
        /// Method of estimation or substitution.
        estimation_substitution_type: nullable choice(EstimationSubstitutionType);
        /// Why the value was estimated or substituted, as a two-digit code.
        estimation_substitution_reason_code: nullable choice(EstimationSubstitutionReasonCode);
    }

    /// An earlier reading of a gas meter (contract 2.3).
    GasHistoricalReading "gas historical reading" in readings {
        /// Day of the reading, not in the future (rules RDG-01, RDG-02, RDG-04).
        reading_date: required date;
        /// Value read, expected not to fall and to fit the dials (rules RDG-06, RDG-07).
        reading_value: required decimal(7, 3);
        /// Source of the value, for example `CUSTOMER` or `ESTIMATE`.
        reading_type: required choice(ReadingType);
        /// Day of the reading before, not after this one (rule RDG-03).
        prev_reading_date: nullable date;
        /// Units of the value.
        gas_meter_units: nullable choice(GasMeasurementUnit);
        /// Volume that flowed since the reading before; the contract gives no unit.
        volume_flow: nullable decimal(9, 2);
        /// Average heating value of the gas since the reading before; the contract gives no unit.
        average_heating_value: nullable decimal(2, 2);
        /// Factor that corrects the volume for pressure.
        pressure_correction_factor: nullable decimal(2, 4);
        /// Energy used since the reading before, without decimal places; the contract gives no unit.
        consumed_energy: nullable decimal(11, 0);
        /// Method of estimation or substitution.
        estimation_substitution_type: nullable choice(EstimationSubstitutionType);
        /// Why the value was estimated or substituted, as a two-digit code.
        estimation_substitution_reason_code: nullable choice(EstimationSubstitutionReasonCode);
        /// True if the reading has been billed (rules 8.4, RDG-04).
        billed: required boolean;
    }
}
