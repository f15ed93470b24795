objects! {
    /// Meter point, common fields.
    MeterPointCommon "meter point, common fields" {
        /// The identifier of the supply point.
        mpxn: required text(64);
        /// Supply type.
        supply_type: optional choice(SupplyType);
        /// Supply start date.
        supply_start_date: required date;
        /// Supply end date.
        supply_end_date: nullable date;
        /// Agreements.
        agreements: optional list(object(Agreement));
    }
}
