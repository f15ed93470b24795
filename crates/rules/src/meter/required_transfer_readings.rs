use crate::prelude::*;
use cutover_model::choices::{EmbeddedElectricityMeterStatus, EmbeddedMeterInstallationType};

/// A current basic meter without transfer readings.
pub(super) const MTR_09: Rule = Rule {
    id: RuleId("MTR-09"),
    codes: &[Code::RequiredTransferReadings],
    place: "`MP.meters.#.transfer_readings`",
    condition: "embedded electricity: `status` C, `meter_installation_type` BASIC, `active_to` absent, and transfer readings absent or empty",
    on: On::Meter(check),
    ..Rule::OF_PAYLOAD
};

fn check(meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let MeterObject::EmbeddedElectricity(meter) = meter.object else { return };
    let is_basic = meter.meter_installation_type.usable() == Some(&EmbeddedMeterInstallationType::Basic);
    let is_current = meter.status.usable() == Some(&EmbeddedElectricityMeterStatus::C);
    if is_basic && is_current && meter.active_to.is_absent() && is_absent_or_empty(&meter.transfer_readings) {
        checker.report(at.member("transfer_readings"), Code::RequiredTransferReadings);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn a_current_basic_meter_has_transfer_readings() {
        let base = json!({"status": "C", "meter_installation_type": "BASIC"});
        let required = ["transfer_readings required_transfer_readings (error)"];
        for (member, value, expected) in [
            ("active_to", json!(null), &required[..]),
            ("transfer_readings", json!([]), &required),
            ("transfer_readings", json!([{}]), &[]),
            ("transfer_readings", json!([7]), &[]),
            ("transfer_readings", json!(7), &[]),
            ("active_to", json!("2026-01-01T00:00:00Z"), &[]),
            ("active_to", json!("2026-01-01"), &[]),
            ("status", json!("R"), &[]),
            ("status", json!("X"), &[]),
            ("meter_installation_type", json!("COMMS4"), &[]),
        ] {
            let mut body = base.clone();
            body[member] = value;
            assert_eq!(found("MTR-09", meter("EMBEDDED_ELECTRICITY", body.clone())), expected, "{body}");
        }
        assert!(found("MTR-09", meter("ELECTRICITY", base)).is_empty());
    }
}
