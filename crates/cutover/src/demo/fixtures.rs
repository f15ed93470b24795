use crate::error::Error;
use cutover_core::Zone;
use cutover_model::{Account, Encode, decode_account};

/// The variants of meter points with an account of each (contract 2.3).
const VARIANTS: [(&str, &str); 7] = [
    ("ELECTRICITY", include_str!("../../../../fixtures/accounts/valid/electricity.json")),
    ("UNMETERED_ELECTRICITY", include_str!("../../../../fixtures/accounts/valid/unmetered_electricity.json")),
    ("UNMETERED_GAS", include_str!("../../../../fixtures/accounts/valid/unmetered_gas.json")),
    ("GAS", include_str!("../../../../fixtures/accounts/valid/gas.json")),
    ("EMBEDDED_ELECTRICITY", include_str!("../../../../fixtures/accounts/valid/embedded_electricity.json")),
    ("EMBEDDED_GAS", include_str!("../../../../fixtures/accounts/valid/embedded_gas.json")),
    ("EMBEDDED_WATER", include_str!("../../../../fixtures/accounts/valid/embedded_water.json")),
];

/// An account of one variant.
pub(super) struct Fixture {
    pub(super) variant: &'static str,
    pub(super) number: String,
    pub(super) body: String,
}

/// An account of each variant, of the supplier, with numbers of the demo.
///
/// # Errors
/// [`Error`] if a fixture is not what this build reads.
pub(super) fn all(supplier: &str) -> Result<Vec<Fixture>, Error> {
    let fixture = |(i, (variant, text)): (usize, &(&'static str, &'static str))| {
        let number = format!("V-{}", i + 1);
        let wrong = || Error::refused(format!("the fixture of {variant} cannot be read"));
        let mut account = account(text).ok_or_else(wrong)?;
        account.import_supplier = supplier.to_owned().into();
        account.external_account_number = number.clone().into();
        let body = String::from_utf8(account.to_json()).map_err(|_| wrong())?;
        Ok(Fixture { variant, number, body })
    };
    VARIANTS.iter().enumerate().map(fixture).collect()
}

fn account(text: &'static str) -> Option<Account<'static>> {
    let decoded = decode_account(text.as_bytes(), Zone::UTC).ok()?;
    decoded.draft?.into_valid().map(|(account, _)| account)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fixture_is_of_the_variant_it_stands_for() {
        let fixtures = all("DEMO-1").unwrap();
        for fixture in &fixtures {
            let decoded = decode_account(fixture.body.as_bytes(), Zone::UTC).unwrap();
            let (account, _) = decoded.draft.unwrap().into_valid().unwrap();
            let addresses = account.supply_addresses.as_deref().unwrap_or_default();
            let mut points = addresses.iter().flat_map(|entry| &entry.meter_points);
            let named =
                |p: &cutover_model::MeterPoint<'_>| p.variant.supply_type().as_str() == fixture.variant;
            assert!(points.any(named), "{}", fixture.variant);
            assert_eq!(account.import_supplier.as_sent(), "DEMO-1");
            assert_eq!(account.external_account_number.as_sent(), fixture.number);
        }
        assert_eq!(fixtures.len(), 7);
    }
}
