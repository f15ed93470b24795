use super::people::Place;
use super::{Calendar, Dice, after, ago};
use chrono::NaiveDate;
use serde_json::{Value, json};

/// How many readings lie before the last one.
const HISTORY: i64 = 6;

/// A supply address with electricity, gas, or both.
pub(super) fn entry(dice: &mut Dice, days: &Calendar, place: &Place, address: &Value) -> Value {
    let points = match dice.number(1, 100) {
        1..=55 => vec![electricity(dice, days, place)],
        56..=80 => vec![gas(dice, days, place, address)],
        _ => vec![electricity(dice, days, place), gas(dice, days, place, address)],
    };
    json!({
        "supply_address": address,
        "is_landlord": dice.percent(5),
        "customer_at_supply_address_from_date": days.supply_start,
        "meter_points": points,
    })
}

fn electricity(dice: &mut Dice, days: &Calendar, place: &Place) -> Value {
    let registers: &[&str] = if dice.percent(30) { &["E1", "B1"] } else { &["E1"] };
    let (mut transfer, mut history) = (Vec::new(), Vec::new());
    for register in registers {
        let mut readings = readings(dice, days, 3);
        readings.iter_mut().for_each(|reading| reading["register_id"] = json!(register));
        transfer.extend(readings.pop());
        history.extend(readings.into_iter().map(billed));
    }
    let register = |id: &&str| json!({"register_id": id, "last_billed_to_date": days.last_billed});
    json!({
        "mpxn": supply_point(dice, place.nmi),
        "supply_type": "ELECTRICITY",
        "supply_start_date": days.supply_start,
        "agreements": [agreement(dice, days.supply_start, "ELEC")],
        "access_details": dice.pick(&["Meter box on left side of house", "Locked gate, call ahead"]),
        "meters": [{
            "meter_serial_number": format!("LG{}", dice.digits(8)),
            "installed_on": ago(days.supply_start, dice.number(30, 900)),
            "registers": registers.iter().map(register).collect::<Vec<_>>(),
            "transfer_readings": transfer,
            "reading_history": history,
        }],
    })
}

fn gas(dice: &mut Dice, days: &Calendar, place: &Place, address: &Value) -> Value {
    let mut readings = readings(dice, days, 1);
    let transfer = readings.pop();
    json!({
        "mpxn": supply_point(dice, place.mirn),
        "supply_type": "GAS",
        "supply_start_date": days.supply_start,
        "agreements": [agreement(dice, days.supply_start, "GAS")],
        "address": {
            "house": [{"house_number": address["structured_street_address"]["house_number_1"]}],
            "street": [{"street_name": address["structured_street_address"]["street_name"], "street_type": "ST"}],
            "suburb_or_place_or_locality": place.locality.to_uppercase(),
            "state_or_territory": place.state,
            "postcode": place.postcode,
        },
        "dog_code": dice.pick(&["No Dog", "Friendly", "Dog OK"]),
        "master_data": {
            "customer_characterisation": "Metropolitan Residential",
            "customer_classification_code": "RES",
            "distribution_tariff": "Volume",
            "mirn_status": "Commissioned",
            "heating_value_zone": "400",
            "market": place.gas_market,
            "transmission_zone": dice.number(1, 30),
        },
        "role_assignments": [{"party": "ACMEGAS", "role": "FRO"}, {"party": "MULTINET", "role": "DB"}],
        "meters": [{
            "meter_serial_number": format!("AG{}", dice.digits(8)),
            "installed_on": ago(days.supply_start, dice.number(30, 900)),
            "billing_method": "O",
            "meter_multiplier": "1.0",
            "meter_measurement_unit": "M",
            "meter_position": dice.pick(&["LS", "RS", "FR"]),
            "meter_read_frequency": "Bi Monthly",
            "meter_status": "Turned on",
            "number_of_dials_on_device": 5,
            "next_scheduled_read_date": after(days.last_billed, 60),
            "transfer_readings": transfer.into_iter().collect::<Vec<_>>(),
            "reading_history": readings.into_iter().map(billed).collect::<Vec<_>>(),
        }],
    })
}

fn agreement(dice: &mut Dice, start: NaiveDate, fuel: &str) -> Value {
    let tariff = format!("{fuel}-{}-RES", dice.pick(&["FLEX", "FIX", "TOU"]));
    json!({
        "tariff_code": tariff,
        "effective_from": start,
        "agreed_at": format!("{}T10:15:00+10:00", ago(start, dice.number(1, 14))),
    })
}

/// Readings that grow; the last one is of the last billed day.
fn readings(dice: &mut Dice, days: &Calendar, places: u32) -> Vec<Value> {
    let step = (days.last_billed - days.supply_start).num_days() / (HISTORY + 1);
    let unit = 10_i64.pow(places);
    let mut value = dice.number(100, 9_000) * unit;
    (0..=HISTORY)
        .map(|i| {
            value += dice.number(unit, 14 * unit) * step;
            json!({
                "reading_date": ago(days.last_billed, step * (HISTORY - i)),
                "reading_value": format!("{}.{:0width$}", value / unit, value % unit, width = places as usize),
                "reading_type": dice.pick(&["ROUTINE", "ROUTINE", "ESTIMATE", "CUSTOMER"]),
            })
        })
        .collect()
}

fn billed(mut reading: Value) -> Value {
    reading["billed"] = json!(true);
    reading
}

/// An NMI or MIRN that begins so, with its check digit (rules 10.3).
fn supply_point(dice: &mut Dice, prefix: &str) -> String {
    let ten = format!("{prefix}{}", dice.digits(10 - prefix.len()));
    let sum: u32 = ten.bytes().rev().enumerate().map(|(i, byte)| weigh(byte, i % 2 == 0)).sum();
    format!("{ten}{}", (10 - sum % 10) % 10)
}

/// The decimal digits of a character's code, doubled or not, added up.
fn weigh(byte: u8, doubled: bool) -> u32 {
    let value = u32::from(byte) * if doubled { 2 } else { 1 };
    value / 100 + value / 10 % 10 + value % 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_digits_are_those_of_the_examples() {
        let check = |ten: &str| {
            let sum: u32 = ten.bytes().rev().enumerate().map(|(i, byte)| weigh(byte, i % 2 == 0)).sum();
            (10 - sum % 10) % 10
        };
        assert_eq!(["2001985732", "QAAAVZZZZZ", "5310923708"].map(check), [8, 3, 4]);
    }
}
