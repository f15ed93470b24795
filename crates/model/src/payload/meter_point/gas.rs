objects! {
    /// Meter point, GAS.
    GasMeterPoint "meter point, GAS" {
        /// Address.
        address: required object(GasAddress);
        /// Access details.
        access_details: optional text(160);
        /// Hazard details.
        hazard_details: optional list(text(255));
        /// Dog code.
        dog_code: nullable choice(GasDogCode);
        /// Master data.
        master_data: required object(GasMasterData);
        /// Meter position.
        meter_position: nullable choice(GasMeterPosition);
        /// Role assignments.
        role_assignments: required list(object(GasRoleAssignment); 2..=2);
        /// Meters.
        meters: optional list(object(GasMeter));
    }

    /// Gas master data.
    GasMasterData "gas master data" {
        /// Customer characterisation.
        customer_characterisation: optional choice(CustomerCharacterisation);
        /// Customer classification code.
        customer_classification_code: required choice(GasCustomerClassification);
        /// Distribution tariff.
        distribution_tariff: optional open(64, GAS_TARIFFS);
        /// Mirn status.
        mirn_status: required choice(MirnStatus);
        /// Network id.
        network_id: optional text(12);
        /// Heating value zone.
        heating_value_zone: required_nullable text(3);
        /// Market.
        market: required choice(GasMarket);
        /// Transmission zone.
        transmission_zone: nullable integer(0, 99);
        /// Customer classification threshold.
        customer_classification_threshold: nullable choice(CustomerClassificationThreshold);
        /// Baseload.
        baseload: nullable decimal(8, 1);
        /// Temperature sensitivity factor.
        temperature_sensitivity_factor: nullable decimal(7, 2);
    }

    /// Gas role assignment.
    GasRoleAssignment "gas role assignment" {
        /// Party.
        party: required text(64);
        /// Role.
        role: required choice(GasRole);
    }

    /// Gas meter.
    GasMeter "gas meter" {
        /// Meter serial number.
        meter_serial_number: required text(32);
        /// Installed on.
        installed_on: nullable date;
        /// Removed on.
        removed_on: nullable date;
        /// Billing method.
        billing_method: nullable choice(GasBillingMethod);
        /// Kpa value.
        kpa_value: nullable decimal(5, 4);
        /// Meter installation type.
        meter_installation_type: nullable choice(GasMeterInstallationType);
        /// Meter multiplier.
        meter_multiplier: nullable decimal(3, 2);
        /// Meter measurement unit.
        meter_measurement_unit: nullable choice(GasMeasurementUnit);
        /// Meter position.
        meter_position: nullable choice(GasMeterPosition);
        /// Meter read frequency.
        meter_read_frequency: nullable choice(MeterReadFrequency);
        /// Meter status.
        meter_status: nullable choice(MeterStatus);
        /// Meter type.
        meter_type: nullable choice(MeterType);
        /// Meter type size code.
        meter_type_size_code: nullable text(3);
        /// Supply point code.
        supply_point_code: nullable choice(SupplyPointCode);
        /// Supply point id.
        supply_point_id: nullable text(13);
        /// Next scheduled read date.
        next_scheduled_read_date: nullable date;
        /// Number of dials on device.
        number_of_dials_on_device: nullable integer(0, 20);
        /// Transfer readings.
        transfer_readings: optional list(object(GasTransferReading));
        /// Reading history.
        reading_history: optional list(object(GasHistoricalReading));
    }

    /// Gas transfer reading.
    GasTransferReading "gas transfer reading" {
        /// Reading date.
        reading_date: required date;
        /// Reading value.
        reading_value: required decimal(7, 3);
        /// Reading type.
        reading_type: required choice(ReadingType);
        /// Prev reading date.
        prev_reading_date: nullable date;
        /// Gas meter units.
        gas_meter_units: nullable choice(GasMeasurementUnit);
        /// Volume flow.
        volume_flow: nullable decimal(9, 2);
        /// Average heating value.
        average_heating_value: nullable decimal(2, 2);
        /// Pressure correction factor.
        pressure_correction_factor: nullable decimal(2, 4);
        /// Consumed energy.
        consumed_energy: nullable decimal(11, 0);
        /// Estimation substitution type.
        estimation_substitution_type: nullable choice(EstimationSubstitutionType);
        /// Estimation substitution reason code.
        estimation_substitution_reason_code: nullable choice(EstimationSubstitutionReasonCode);
    }

    /// Gas historical reading.
    GasHistoricalReading "gas historical reading" {
        /// Reading date.
        reading_date: required date;
        /// Reading value.
        reading_value: required decimal(7, 3);
        /// Reading type.
        reading_type: required choice(ReadingType);
        /// Prev reading date.
        prev_reading_date: nullable date;
        /// Gas meter units.
        gas_meter_units: nullable choice(GasMeasurementUnit);
        /// Volume flow.
        volume_flow: nullable decimal(9, 2);
        /// Average heating value.
        average_heating_value: nullable decimal(2, 2);
        /// Pressure correction factor.
        pressure_correction_factor: nullable decimal(2, 4);
        /// Consumed energy.
        consumed_energy: nullable decimal(11, 0);
        /// Estimation substitution type.
        estimation_substitution_type: nullable choice(EstimationSubstitutionType);
        /// Estimation substitution reason code.
        estimation_substitution_reason_code: nullable choice(EstimationSubstitutionReasonCode);
        /// Whether: billed.
        billed: required boolean;
    }
}
