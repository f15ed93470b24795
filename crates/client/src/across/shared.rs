use super::firsts::{Firsts, Seen};
use crate::input::Location;
use cutover_core::Code;
use cutover_model::draft::{Account, MeterPoint, SupplyAddressEntry, Variant};
use cutover_model::{Field, List, Text};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Maximum number of keys of each kind that are kept, in about 75 MB.
const MAX_KEYS: usize = 3_600_000;

/// The kinds of values that only one account should have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum SharedKind {
    MeterPoint,
    SerialNumber,
    PaymentReference,
    StatementPath,
}

impl SharedKind {
    const ALL: [Self; 4] =
        [Self::MeterPoint, Self::SerialNumber, Self::PaymentReference, Self::StatementPath];
}

/// A value of an account that no other account should have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OwnValue {
    kind: SharedKind,
    /// A hash, because the values of a million accounts would fill the memory.
    key: u64,
    /// The indexes of its path.
    indexes: [u32; 3],
}

impl OwnValue {
    fn new(kind: SharedKind, indexes: [u32; 3], value: impl Hash) -> Self {
        let mut hasher = DefaultHasher::new();
        value.hash(&mut hasher);
        Self { kind, key: hasher.finish(), indexes }
    }

    /// The values of an account of this supplier.
    pub(super) fn all(supplier: &str, account: &Account<'_>) -> Vec<Self> {
        let mut values = Vec::new();
        for (i, address) in items(&account.supply_addresses) {
            address_values(i, address, &mut values);
        }
        for (i, instruction) in items(&account.payment_instructions) {
            let (vendor, reference) = (text(&instruction.vendor), text(&instruction.reference));
            values.extend(reference.map(|reference| {
                Self::new(SharedKind::PaymentReference, [i, 0, 0], (supplier, vendor, reference))
            }));
        }
        for (i, statement) in items(&account.statements) {
            // Rules 10.5: one slash in front is ignored.
            let path = text(&statement.statement_path).map(|path| path.strip_prefix('/').unwrap_or(path));
            values.extend(path.map(|path| Self::new(SharedKind::StatementPath, [i, 0, 0], (supplier, path))));
        }
        values
    }

    /// The code of the warning if another account has it.
    pub(super) fn code(self) -> Code {
        match self.kind {
            SharedKind::MeterPoint => Code::SharedMeterPointInInput,
            SharedKind::SerialNumber => Code::SharedSerialNumberInInput,
            SharedKind::PaymentReference => Code::SharedPaymentReferenceInInput,
            SharedKind::StatementPath => Code::SharedStatementPathInInput,
        }
    }

    /// Its path in the account.
    pub(super) fn attr(self) -> String {
        let [i, j, k] = self.indexes;
        match self.kind {
            SharedKind::MeterPoint => format!("supply_addresses.{i}.meter_points.{j}.mpxn"),
            SharedKind::SerialNumber => {
                format!("supply_addresses.{i}.meter_points.{j}.meters.{k}.meter_serial_number")
            }
            SharedKind::PaymentReference => format!("payment_instructions.{i}.reference"),
            SharedKind::StatementPath => format!("statements.{i}.statement_path"),
        }
    }
}

fn address_values(i: u32, address: &SupplyAddressEntry<'_>, values: &mut Vec<OwnValue>) {
    for (j, point) in items(&address.meter_points) {
        // The account that follows at the premises has the meter point and its meters too.
        if point.common.supply_end_date.usable().is_some() {
            continue;
        }
        let mpxn = text(&point.common.mpxn).map(|mpxn| folded_mpxn(point, mpxn));
        values.extend(mpxn.map(|mpxn| OwnValue::new(SharedKind::MeterPoint, [i, j, 0], mpxn)));
        let kind = point.variant.supply_type();
        each_serial_number(&point.variant, |k, serial| {
            let value = (kind, serial.to_ascii_uppercase());
            values.push(OwnValue::new(SharedKind::SerialNumber, [i, j, k], value));
        });
    }
}

/// An `mpxn` in capitals, without the prefix that may name the kind (rules 4.1).
fn folded_mpxn(point: &MeterPoint<'_>, mpxn: &str) -> String {
    let folded = mpxn.to_ascii_uppercase();
    let kind = point.variant.supply_type();
    let rest = kind.and_then(|kind| folded.strip_prefix(kind.as_str())?.strip_prefix('_'));
    rest.map(str::to_owned).unwrap_or(folded)
}

fn each_serial_number(variant: &Variant<'_>, mut found: impl FnMut(u32, &str)) {
    macro_rules! each {
        ($own:ident) => {
            for (k, meter) in items(&$own.meters) {
                if let Some(serial) = text(&meter.meter_serial_number) {
                    found(k, serial);
                }
            }
        };
    }
    match variant {
        Variant::Electricity(own) => each!(own),
        Variant::Gas(own) => each!(own),
        Variant::EmbeddedElectricity(own) => each!(own),
        Variant::EmbeddedGas(own) => each!(own),
        Variant::EmbeddedWater(own) => each!(own),
        Variant::UnmeteredElectricity(_) | Variant::UnmeteredGas(_) | Variant::Undecided => {}
    }
}

fn items<T>(list: &Field<List<T>>) -> impl Iterator<Item = (u32, &T)> {
    list.usable().into_iter().flat_map(List::usable)
}

fn text<'a>(text: &'a Field<Text<'_>>) -> Option<&'a str> {
    text.usable().map(Text::trimmed)
}

/// Finds values that an earlier account has too.
#[derive(Debug)]
pub(super) struct SharedValues([Firsts; SharedKind::ALL.len()]);

impl Default for SharedValues {
    fn default() -> Self {
        Self(SharedKind::ALL.map(|_| Firsts::with_room_for(MAX_KEYS)))
    }
}

impl SharedValues {
    /// Takes the next account. Returns of each kind its first value that an earlier account has, with that account, and
    /// whether later accounts are compared with all of its values.
    pub(super) fn see(
        &mut self,
        values: &[OwnValue],
        location: Location,
    ) -> (Vec<(OwnValue, Location)>, bool) {
        let (mut shared, mut is_kept): (Vec<(OwnValue, Location)>, _) = (Vec::new(), true);
        for value in values {
            match self.0[value.kind as usize].see(value.key, location) {
                Seen::Earlier(earlier) if earlier != location => {
                    if shared.iter().all(|(known, _)| known.kind != value.kind) {
                        shared.push((*value, earlier));
                    }
                }
                Seen::First | Seen::Earlier(_) => {}
                Seen::NoRoom => is_kept = false,
            }
        }
        (shared, is_kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_model::{Zone, decode_account};
    use serde_json::{Value, json};

    fn values(supplier: &str, account: Value) -> Vec<OwnValue> {
        let json = account.to_string();
        let decoded = decode_account(json.as_bytes(), Zone::UTC).unwrap();
        OwnValue::all(supplier, decoded.draft.unwrap().account.usable().unwrap())
    }

    fn of_point(point: Value) -> Value {
        json!({"supply_addresses": [{"meter_points": [point]}]})
    }

    /// The paths of the values of the second account that the first one has too.
    fn shared(one: Value, other: Value) -> Vec<String> {
        let (mut seen, at) = (SharedValues::default(), |line| Location { source: 0, line });
        assert_eq!(seen.see(&values("A", one), at(1)), (Vec::new(), true));
        let (found, _) = seen.see(&values("A", other), at(2));
        assert!(found.iter().all(|(_, earlier)| *earlier == at(1)));
        found.into_iter().map(|(value, _)| value.attr()).collect()
    }

    #[test]
    fn values_of_two_accounts_are_found_once_for_each_kind() {
        let account = json!({
            "supply_addresses": [{"meter_points": [
                {"mpxn": "6001", "supply_type": "ELECTRICITY", "meters": [
                    {"meter_serial_number": "m1"}, {"meter_serial_number": "m2"}]},
                {"mpxn": "6002", "supply_type": "GAS", "meters": [{"meter_serial_number": "m1"}]},
            ]}],
            "payment_instructions": [{"vendor": "V", "reference": "r1"}],
            "statements": [{"statement_path": "a.pdf"}, {"statement_path": "b.pdf"}],
        });
        let expected = [
            "supply_addresses.0.meter_points.0.mpxn",
            "supply_addresses.0.meter_points.0.meters.0.meter_serial_number",
            "payment_instructions.0.reference",
            "statements.0.statement_path",
        ];
        assert_eq!(shared(account.clone(), account), expected);
    }

    #[test]
    fn spellings_of_one_value_are_one() {
        let water = |mpxn| of_point(json!({"mpxn": mpxn, "supply_type": "EMBEDDED_WATER"}));
        let mpxn = ["supply_addresses.0.meter_points.0.mpxn"];
        assert_eq!(shared(water("HT-1"), water("embedded_water_ht-1")), mpxn);
        assert_eq!(shared(water("HT-1"), water(" HT-1 ")), mpxn);
        let path = |path| json!({"statements": [{"statement_path": path}]});
        assert_eq!(shared(path("/a.pdf"), path("a.pdf")), ["statements.0.statement_path"]);
    }

    #[test]
    fn other_values_are_not_shared() {
        let point = |kind, end: Option<&str>| {
            let meters = json!([{"meter_serial_number": "m1"}]);
            json!({"supply_type": kind, "supply_end_date": end, "meters": meters})
        };
        let reference = |vendor| json!({"payment_instructions": [{"vendor": vendor, "reference": "r1"}]});
        for (one, other) in [
            // A serial number of another kind.
            (of_point(point("GAS", None)), of_point(point("ELECTRICITY", None))),
            // The account before it at the premises.
            (of_point(point("GAS", Some("2020-01-01"))), of_point(point("GAS", None))),
            (reference("V"), reference("W")),
            // Capitals matter in paths.
            (
                json!({"statements": [{"statement_path": "a.pdf"}]}),
                json!({"statements": [{"statement_path": "A.pdf"}]}),
            ),
            (of_point(json!({"mpxn": " "})), of_point(json!({"mpxn": " "}))),
        ] {
            assert_eq!(shared(one.clone(), other), [""; 0], "{one}");
        }
    }

    #[test]
    fn a_value_that_an_account_has_twice_is_not_shared() {
        let mut seen = SharedValues::default();
        let twice = json!({"statements": [{"statement_path": "a.pdf"}, {"statement_path": "a.pdf"}]});
        let found = seen.see(&values("A", twice), Location { source: 0, line: 1 });
        assert_eq!(found, (Vec::new(), true));
    }

    #[test]
    fn suppliers_have_folders_and_vendors_of_their_own_but_not_meter_points() {
        let account = json!({
            "supply_addresses": [{"meter_points": [{"mpxn": "6001"}]}],
            "payment_instructions": [{"vendor": "V", "reference": "r1"}],
            "statements": [{"statement_path": "a.pdf"}],
        });
        let mut seen = SharedValues::default();
        seen.see(&values("A", account.clone()), Location { source: 0, line: 1 });
        let (found, _) = seen.see(&values("B", account), Location { source: 0, line: 2 });
        let kinds: Vec<_> = found.iter().map(|(value, _)| value.kind).collect();
        assert_eq!(kinds, [SharedKind::MeterPoint]);
    }

    #[test]
    fn an_account_without_room_is_not_compared_with_later_ones() {
        let mut seen = SharedValues(SharedKind::ALL.map(|_| Firsts::with_room_for(1)));
        let path = |path: &str| values("A", json!({"statements": [{"statement_path": path}]}));
        let kept = [("a", true), ("b", false), ("a", true)]
            .map(|(name, expected)| (seen.see(&path(name), Location { source: 0, line: 1 }).1, expected));
        assert!(kept.iter().all(|(kept, expected)| kept == expected), "{kept:?}");
    }
}
