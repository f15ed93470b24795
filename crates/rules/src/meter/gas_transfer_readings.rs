use crate::prelude::*;
use cutover_model::choices::SupplyType;

/// A gas meter in place with no transfer reading or several.
pub(super) const MTR_13: Rule = Rule {
    id: RuleId("MTR-13"),
    codes: &[Code::ActiveGasMeterWithoutTransferReading, Code::ActiveGasMeterWithMultipleTransferReadings],
    place: "`MP.meters.#.transfer_readings`",
    condition: "gas meter [in place](#5-meters-registers-readings), of an embedded point if that is \
        [on supply](#4-meter-points-and-agreements), with none / more than one",
    level: Level::Warning,
    on: On::Meter(check),
    ..Rule::OF_PAYLOAD
};

fn check(meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let is_active = match meter.kind {
        SupplyType::Gas => meter.is_in_place(),
        // The removal of these meters cannot be told.
        SupplyType::EmbeddedGas => meter.point.is_on_supply(checker.today),
        _ => false,
    };
    if !is_active || !meter.transfer_readings.is_free_of_faults() {
        return;
    }
    let code = match meter.transfer_readings.count() {
        Presence::Absent | Presence::Usable(0) => Code::ActiveGasMeterWithoutTransferReading,
        Presence::Usable(2..) => Code::ActiveGasMeterWithMultipleTransferReadings,
        Presence::Usable(_) | Presence::Faulty => return,
    };
    checker.report(at.member("transfer_readings"), code);
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn a_gas_meter_in_place_has_one_transfer_reading() {
        let none = ["transfer_readings active_gas_meter_without_transfer_reading (warning)"];
        let several = ["transfer_readings active_gas_meter_with_multiple_transfer_readings (warning)"];
        for (body, expected) in [
            (json!({}), &none[..]),
            (json!({"transfer_readings": []}), &none),
            (json!({"transfer_readings": [{}]}), &[]),
            (json!({"transfer_readings": [{}, {}]}), &several),
            (json!({"transfer_readings": [{}, 7]}), &[]),
            (json!({"transfer_readings": 7}), &[]),
            (json!({"transfer_readings": [], "removed_on": "2026-01-01"}), &[]),
            (json!({"transfer_readings": [], "removed_on": "2026-01"}), &[]),
        ] {
            assert_eq!(found("MTR-13", meter("GAS", body.clone())), expected, "{body}");
        }
        assert_eq!(found("MTR-13", meter("EMBEDDED_GAS", json!({"transfer_readings": []}))), none);
        assert_eq!(found("MTR-13", meter("EMBEDDED_GAS", json!({"transfer_readings": [{}, {}]}))), several);
        assert!(found("MTR-13", meter("EMBEDDED_GAS", json!({"transfer_readings": [{}]}))).is_empty());
        assert!(found("MTR-13", meter("EMBEDDED_WATER", json!({"transfer_readings": []}))).is_empty());
        let ended = json!({"supply_type": "EMBEDDED_GAS", "supply_end_date": "2026-11-21", "meters": [{}]});
        assert!(found("MTR-13", point(ended)).is_empty());
    }
}
