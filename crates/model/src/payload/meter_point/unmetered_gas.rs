objects! {
    /// Meter point, UNMETERED_GAS.
    UnmeteredGasMeterPoint "meter point, UNMETERED_GAS" {
        /// Parent mirn.
        parent_mirn: nullable text(256);
        /// Appliance type.
        appliance_type: nullable open(64, GAS_APPLIANCES);
        /// Pricing zone.
        pricing_zone: required text(64);
        /// Multiplier.
        multiplier: nullable decimal(3, 2);
    }
}
