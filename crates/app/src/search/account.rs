//! The words of an account.

use super::key::Terms;
use super::words::{Word, address_words, email, identifier, pairs, phone, words_of};
use crate::port::SearchTerm;
use cutover_model::{
    Account, Address, Customer, MeterPoint, PropertyAdministrator, StructuredStreetAddress,
    SupplyAddressEntry, Text, Variant,
};

/// Maximum number of terms of an account, so that a payload does not fill the index. The rest is left out.
const MOST: usize = 2_000;
/// Fewest characters of a part of an account number.
const FEWEST: usize = 4;
/// Maximum number of parts of an account number.
const NUMBER_PARTS: usize = 32;

impl Terms {
    /// Returns the terms of an account, each once.
    pub(crate) fn of_account(&self, account: &Account<'_>) -> Vec<SearchTerm> {
        let mut words = Words::default();
        words.account(account);
        let number = account.external_account_number.trimmed();
        let numbers = ends(number).map(|end| self.of_number(end));
        let mut terms: Vec<SearchTerm> = words.0.iter().filter_map(|word| self.of(word)).collect();
        terms.sort_unstable();
        terms.dedup();
        terms.truncate(MOST);
        terms.extend(numbers);
        terms
    }
}

/// Returns true if accounts are found by a text as any part of their numbers.
pub(crate) fn is_part(text: &str) -> bool {
    text.chars().nth(FEWEST - 1).is_some()
}

/// Returns the ends of a number that are found: all but the number itself, which is found by its own index.
fn ends(number: &str) -> impl Iterator<Item = &str> {
    let starts = number.char_indices().map(|(start, _)| start).skip(1).take(NUMBER_PARTS);
    starts.map(|start| &number[start..]).filter(|end| is_part(end))
}

/// The words of an account, some of them more than once.
#[derive(Default)]
struct Words(Vec<Word>);

impl Words {
    fn account(&mut self, account: &Account<'_>) {
        account.customers.iter().flatten().for_each(|customer| self.customer(customer));
        for name in [&account.billing_name, &account.billing_sub_name, &account.billing_attention_of]
            .into_iter()
            .flatten()
        {
            self.name(name.as_sent());
        }
        if let Some(postcode) = &account.billing_postcode {
            let lines = [
                &account.billing_address1,
                &account.billing_address2,
                &account.billing_address3,
                &account.billing_address4,
                &account.billing_address5,
            ];
            lines
                .into_iter()
                .flatten()
                .for_each(|line| self.address_line(postcode.as_sent(), line.as_sent()));
        }
        account.supply_addresses.iter().flatten().for_each(|entry| self.supply_address(entry));
        let link = account.business.as_ref().and_then(|link| link.business_contract_identifier.as_ref());
        self.identifier(link, Word::Contract);
    }

    fn customer(&mut self, customer: &Customer<'_>) {
        self.full_name(customer.given_name.as_ref(), customer.family_name.as_ref());
        self.contact(customer.email.value(), [customer.mobile.value(), customer.landline.value()]);
        if let Some(address) = &customer.address {
            self.address(address);
        }
    }

    fn administrator(&mut self, person: &PropertyAdministrator<'_>) {
        self.full_name(person.given_name.value(), person.family_name.as_ref());
        self.contact(person.email.value(), [person.mobile.value(), person.landline.value()]);
    }

    fn full_name(&mut self, given: Option<&Text<'_>>, family: Option<&Text<'_>>) {
        let parts: Vec<&str> = [given, family].into_iter().flatten().map(Text::as_sent).collect();
        self.name(&parts.join(" "));
    }

    fn name(&mut self, name: &str) {
        let words = words_of(name);
        self.0.extend(pairs(&words));
        self.0.extend(words.into_iter().map(Word::Name));
    }

    fn contact(&mut self, address: Option<&Text<'_>>, phones: [Option<&Text<'_>>; 2]) {
        self.0.extend(address.map(|address| Word::Email(email(address.as_sent()))));
        self.0.extend(
            phones.into_iter().flatten().filter_map(|number| phone(number.as_sent())).map(Word::Phone),
        );
    }

    fn supply_address(&mut self, entry: &SupplyAddressEntry<'_>) {
        self.address(&entry.supply_address);
        entry.property_administrators.iter().flatten().for_each(|person| self.administrator(person));
        entry.meter_points.iter().for_each(|point| self.meter_point(point));
    }

    fn address(&mut self, address: &Address<'_>) {
        let StructuredStreetAddress { house_number_1, street_name, .. } = &address.structured_street_address;
        let lines = [
            house_number_1.as_ref().map(|number| number.text.as_sent()),
            street_name.as_ref().map(Text::as_sent),
        ];
        for line in lines.into_iter().flatten().chain([address.locality.as_sent()]) {
            self.address_line(address.postal_code.as_sent(), line);
        }
    }

    fn address_line(&mut self, postcode: &str, line: &str) {
        let Some(postcode) = identifier(postcode) else { return };
        self.0.extend(address_words(line).map(|word| Word::Address(postcode.clone(), word)));
    }

    fn meter_point(&mut self, point: &MeterPoint<'_>) {
        self.identifier(Some(&point.common.mpxn), Word::MeterPoint);
        match &point.variant {
            Variant::Electricity(own) => {
                self.serials(own.meters.iter().flatten().map(|meter| &meter.meter_serial_number))
            }
            Variant::Gas(own) => {
                self.serials(own.meters.iter().flatten().map(|meter| &meter.meter_serial_number))
            }
            Variant::EmbeddedElectricity(own) => {
                self.serials(own.meters.iter().map(|meter| &meter.meter_serial_number))
            }
            Variant::EmbeddedGas(own) => {
                self.serials(own.meters.iter().map(|meter| &meter.meter_serial_number))
            }
            Variant::EmbeddedWater(own) => {
                self.serials(own.meters.iter().map(|meter| &meter.meter_serial_number))
            }
            Variant::UnmeteredElectricity(_) | Variant::UnmeteredGas(_) => {}
        }
    }

    fn serials<'t>(&mut self, serials: impl Iterator<Item = &'t Text<'t>>) {
        serials.for_each(|serial| self.identifier(Some(serial), Word::MeterSerial));
    }

    fn identifier(&mut self, text: Option<&Text<'_>>, word: fn(String) -> Word) {
        self.0.extend(text.and_then(|text| identifier(text.as_sent())).map(word));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_found_by_its_ends() {
        assert_eq!(ends("A-12345").collect::<Vec<_>>(), ["-12345", "12345", "2345"]);
        assert_eq!(ends("äöüß").count() + ends("ABCD").count() + ends("").count(), 0);
        assert_eq!(ends(&"9".repeat(128)).count(), NUMBER_PARTS);
    }
}
