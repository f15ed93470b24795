objects! {
    /// The members that every variant of a meter point has (contract 2.3).
    MeterPointCommon "meter point, common fields" in meter_points by mpxn {
        /// Identifier of the meter point, for example an NMI or a MIRN; a prefix can determine the variant
        /// (rules 10.3, MPT-01, MPT-02).
        mpxn: required text(64) reference;
        /// Variant of the meter point; absent = determined by `mpxn` or by the members sent
        /// (rules SUP-01 to SUP-03).
        supply_type: optional choice(SupplyType);
        /// Day on which the supply starts, expected not to be in the future (rule MPT-15).
        supply_start_date: required date;
        /// Day on which the supply ends, not before its start; absent or `null` = none
        /// (rules MPT-03, MPT-11, MPT-12, MPT-14).
        supply_end_date: nullable date;
        /// Tariffs agreed for the meter point, expected while it is supplied (rules AGR-06, AGR-07).
        agreements: optional list(object(Agreement));
    }
}
