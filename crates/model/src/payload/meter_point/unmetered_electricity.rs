objects! {
    /// An unmetered electricity point, without the common members (contract 2.3).
    UnmeteredElectricityMeterPoint "meter point, UNMETERED_ELECTRICITY" {
        /// National metering identifier (NMI) of the parent (rules 10.3, MPT-01, MPT-02).
        parent_nmi: required text(256) reference;
        /// Kind of appliance supplied, for example `AIR_CONDITIONING`; an open list (rule STR-19).
        appliance_type: nullable open(64, ELECTRIC_APPLIANCES) shown;
        /// Multiplier of the meter point.
        multiplier: nullable decimal(3, 4);
    }
}
