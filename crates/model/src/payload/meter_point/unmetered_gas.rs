objects! {
    /// An unmetered gas point, without the common members (contract 2.3).
    UnmeteredGasMeterPoint "meter point, UNMETERED_GAS" {
        /// MIRN of the parent (rules 10.3, MPT-01, MPT-02).
        parent_mirn: nullable text(256) reference;
        /// Kind of appliance supplied, for example `HEATER`; an open list (rule STR-19).
        appliance_type: nullable open(64, GAS_APPLIANCES) shown;
        /// Pricing zone, in the operator's words.
        pricing_zone: required text(64) shown;
        /// Multiplier of the meter point.
        multiplier: nullable decimal(3, 2);
    }
}
