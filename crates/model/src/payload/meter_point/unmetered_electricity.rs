objects! {
    /// Meter point, UNMETERED_ELECTRICITY.
    UnmeteredElectricityMeterPoint "meter point, UNMETERED_ELECTRICITY" {
        /// Parent nmi.
        parent_nmi: required text(256);
        /// Appliance type.
        appliance_type: nullable open(64, ELECTRIC_APPLIANCES);
        /// Multiplier.
        multiplier: nullable decimal(3, 4);
    }
}
