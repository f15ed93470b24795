//! The accounts that the demo sends, made from the fixtures: one of each variant, and any number of generated ones, some
//! with a known fault.

use serde_json::{Value, json};

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../../../fixtures/accounts/valid/", $name, ".json"))
    };
}

/// An account of each variant of meter point (contract 2.3).
const VARIANTS: [(&str, &str); 7] = [
    ("ELECTRICITY", fixture!("electricity")),
    ("UNMETERED_ELECTRICITY", fixture!("unmetered_electricity")),
    ("UNMETERED_GAS", fixture!("unmetered_gas")),
    ("GAS", fixture!("gas")),
    ("EMBEDDED_ELECTRICITY", fixture!("embedded_electricity")),
    ("EMBEDDED_GAS", fixture!("embedded_gas")),
    ("EMBEDDED_WATER", fixture!("embedded_water")),
];
/// The fixtures that generated accounts are made from.
const TEMPLATES: [&str; 2] = [fixture!("electricity"), fixture!("gas")];
/// Share of generated accounts with a fault.
const FAULTY_PERCENT: usize = 5;

/// An account to be sent.
#[derive(Debug, Clone)]
pub(super) struct Generated {
    pub(super) number: String,
    pub(super) payload: Value,
}

/// A fault: the path of a member, the code of the error that reports it, and the value that the member is set to; it is
/// removed if the value is empty.
type Fault = (&'static str, &'static str, &'static str);

const READING: &str = "supply_addresses.0.meter_points.0.meters.0.transfer_readings.0.reading_value";

/// The faults, the most frequent ones first.
const FAULTS: [Fault; 10] = [
    ("customers.0.mobile", "invalid_phone_number", "0612345678"),
    ("customers.0.email", "invalid_email", "no at sign"),
    ("customers.0.date_of_birth", "date_in_future", "2999-01-01"),
    ("supply_addresses.0.supply_address.postal_code", "invalid_postcode", "31A1"),
    ("supply_addresses.0.meter_points.0.supply_start_date", "required", ""),
    (READING, "invalid", "12,5"),
    ("transfer_balance", "ledger_balances_not_equal_to_transfer_balance", "999999.00"),
    ("ledgers.0.historical_statement_transactions.0.type", "invalid_choice", "BILL"),
    ("statements.0.statement_path", "invalid_document_path", "../../etc/passwd"),
    ("custmers", "unknown_field", "[]"),
];

fn apply((attr, _, value): Fault, payload: &mut Value) {
    let path = format!("/{}", attr.replace('.', "/"));
    let (parent, member) = path.rsplit_once('/').unwrap_or_default();
    let Some(Value::Object(object)) = payload.pointer_mut(parent) else { return };
    if value.is_empty() {
        object.remove(member);
    } else {
        object.insert(member.to_owned(), json!(value));
    }
}

/// Generates accounts of one supplier; the same seed generates the same accounts.
pub(super) struct Generator {
    random: u64,
    supplier: String,
    count: u32,
}

impl Generator {
    pub(super) fn new(seed: u64, supplier: &str) -> Self {
        // The state of an xorshift generator must not be 0.
        let random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        Self { random, supplier: supplier.to_owned(), count: 0 }
    }

    /// Returns an account of each variant, with the variant's name.
    pub(super) fn variants(&self) -> impl Iterator<Item = (&'static str, Generated)> {
        let number = (1..).map(|n| format!("V-{n}"));
        VARIANTS.iter().zip(number).map(|((name, text), number)| (*name, self.account(text, number)))
    }

    /// Returns the next account; about one in twenty has a fault.
    pub(super) fn next(&mut self) -> Generated {
        let mut account = self.valid();
        if self.below(100) < FAULTY_PERCENT {
            let limit = self.below(FAULTS.len()) + 1;
            apply(FAULTS[self.below(limit)], &mut account.payload);
        }
        account
    }

    /// Returns the next account, without a fault.
    pub(super) fn valid(&mut self) -> Generated {
        self.count += 1;
        let template = TEMPLATES[self.below(TEMPLATES.len())];
        let mut account = self.account(template, format!("C-{:06}", self.count));
        // Some fixtures have notes with documents, which the demo does not store.
        account.payload["notes"] = json!([]);
        account.payload["customers"][0]["email"] = json!(format!("customer{}@inbox.test", self.count));
        account
    }

    fn account(&self, template: &str, number: String) -> Generated {
        let mut payload: Value = serde_json::from_str(template).unwrap_or_default();
        payload["import_supplier"] = json!(self.supplier);
        payload["external_account_number"] = json!(number);
        Generated { number, payload }
    }

    fn below(&mut self, limit: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 16) as usize % limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_core::{Now, Zone};
    use cutover_model::{MeterPoint, decode_account};
    use cutover_rules::{Facts, Profile, check_account};

    /// The errors of a payload, as `attr: code`.
    fn errors(payload: &Value) -> Vec<String> {
        let body = payload.to_string();
        let now = Now::new("2026-11-30T02:00:00Z".parse().unwrap(), Zone::UTC);
        let decoded = decode_account(body.as_bytes(), Zone::UTC).unwrap();
        let facts = Facts { supplier_known: Some(true), ..Facts::at(now) };
        let report = check_account(&decoded, facts, &Profile::default());
        report.errors.iter().map(|i| format!("{}: {}", i.attr, i.code)).collect()
    }

    #[test]
    fn generated_accounts_are_valid_and_the_same_for_a_seed() {
        let accounts = || {
            let mut generator = Generator::new(3, "DEMO-1");
            (0..50).map(|_| generator.valid()).collect::<Vec<_>>()
        };
        for (one, other) in accounts().iter().zip(accounts()) {
            assert_eq!(errors(&one.payload), Vec::<String>::new(), "{}", one.number);
            assert_eq!((&one.number, &one.payload), (&other.number, &other.payload));
        }
        let numbers: std::collections::BTreeSet<_> = accounts().into_iter().map(|a| a.number).collect();
        assert_eq!(numbers.len(), 50);
    }

    #[test]
    fn a_faulty_account_has_the_one_error_of_its_fault() {
        let mut generator = Generator::new(7, "DEMO-1");
        for fault in FAULTS.into_iter().cycle().take(10 * FAULTS.len()) {
            let mut account = generator.valid();
            apply(fault, &mut account.payload);
            assert_eq!(errors(&account.payload), [format!("{}: {}", fault.0, fault.1)]);
        }
    }

    #[test]
    fn about_one_in_twenty_is_faulty() {
        let mut generator = Generator::new(7, "DEMO-1");
        let faulty = (0..400).filter(|_| !errors(&generator.next().payload).is_empty()).count();
        assert!((8..=40).contains(&faulty), "{faulty}");
    }

    #[test]
    fn every_variant_has_a_meter_point_of_its_name() {
        let generator = Generator::new(1, "DEMO-1");
        for (name, account) in generator.variants() {
            let body = account.payload.to_string();
            let decoded = decode_account(body.as_bytes(), Zone::UTC).unwrap();
            let (decoded, _) = decoded.draft.unwrap().into_valid().unwrap();
            let addresses = decoded.supply_addresses.as_deref().unwrap_or_default();
            let is_named = |point: &MeterPoint<'_>| point.variant.supply_type().as_str() == name;
            assert!(addresses.iter().flat_map(|entry| &entry.meter_points).any(is_named), "{name}");
            assert_eq!(decoded.import_supplier.as_sent(), "DEMO-1");
            assert_eq!(decoded.external_account_number.as_sent(), account.number);
        }
        assert_eq!(generator.variants().count(), 7);
    }
}
