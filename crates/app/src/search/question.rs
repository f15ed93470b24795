//! The words of a text that somebody searches for.

use super::account::is_part;
use super::key::Terms;
use super::words::{
    Word, address_words, company_pair, company_words, email, identifier, pair, phone, words_of,
};
use crate::port::SearchTerm;

/// What an account was found by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FoundBy {
    /// Its number at its previous supplier, or a part of it.
    Number,
    /// Its number at this service.
    ServiceNumber,
    /// A name of a person or of a business.
    Name,
    /// An e-mail address.
    Email,
    /// A telephone number.
    Phone,
    /// A postcode and words of the street.
    Address,
    /// A meter point.
    MeterPoint,
    /// The serial number of a meter.
    MeterSerial,
    /// The business that it belongs to, by identifier or name, or its contract.
    Business,
}

impl FoundBy {
    /// Returns the word of the API for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::ServiceNumber => "service_number",
            Self::Name => "name",
            Self::Email => "email",
            Self::Phone => "phone",
            Self::Address => "address",
            Self::MeterPoint => "meter_point",
            Self::MeterSerial => "meter_serial",
            Self::Business => "business",
        }
    }

    /// Returns what people call it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::ServiceNumber => "number here",
            Self::Name => "name",
            Self::Email => "e-mail address",
            Self::Phone => "telephone number",
            Self::Address => "address",
            Self::MeterPoint => "meter point",
            Self::MeterSerial => "meter serial number",
            Self::Business => "business",
        }
    }
}

/// One reading of a text: accounts that have all of its words.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Question {
    /// What the words are.
    pub(crate) by: FoundBy,
    words: Vec<Word>,
}

/// Maximum number of words of a question.
const WORDS: usize = 8;
/// Number of digits of a postcode.
const POSTCODE: usize = 4;

impl Question {
    /// Returns the readings of a text.
    pub(crate) fn all(text: &str) -> Vec<Self> {
        let question = |by, words: Vec<Word>| (!words.is_empty()).then_some(Self { by, words });
        let is_email = text.contains('@') && !text.contains(char::is_whitespace);
        let identified = |word: fn(String) -> Word| identifier(text).map(word).into_iter().collect();
        let questions = [
            question(FoundBy::Email, is_email.then(|| Word::Email(email(text))).into_iter().collect()),
            question(FoundBy::Phone, phone(text).map(Word::Phone).into_iter().collect()),
            question(FoundBy::MeterPoint, identified(Word::MeterPoint)),
            question(FoundBy::MeterSerial, identified(Word::MeterSerial)),
            question(FoundBy::Business, identified(Word::Contract)),
            question(FoundBy::Name, of_name(text)),
            question(FoundBy::Address, of_address(text)),
        ];
        questions.into_iter().flatten().collect()
    }

    /// Returns a text as the name of a business.
    pub(crate) fn of_business(text: &str) -> Option<Self> {
        let words = match company_words(text).as_slice() {
            [] => return None,
            [name] => vec![Word::Company(name.clone())],
            words if words.len() <= WORDS => {
                words.windows(2).map(|two| company_pair(&two[0], &two[1])).collect()
            }
            _ => return None,
        };
        Some(Self { by: FoundBy::Business, words })
    }

    /// Returns the contract of a business as a question.
    pub(crate) fn of_contract(contract: &str) -> Option<Self> {
        let words = identifier(contract).map(|contract| vec![Word::Contract(contract)]);
        words.map(|words| Self { by: FoundBy::Business, words })
    }

    /// Returns the terms of its words at a supplier; none without a key.
    pub(crate) fn terms(&self, terms: &Terms) -> Vec<SearchTerm> {
        self.words.iter().filter_map(|word| terms.of(word)).collect()
    }
}

impl Terms {
    /// Returns the term of a part of an account number; `None` if the text is too short.
    pub(crate) fn of_number_part(&self, part: &str) -> Option<SearchTerm> {
        is_part(part).then(|| self.of_number(part))
    }
}

/// A single word, or neighbouring words of a name: pairs of words are rarer than words. Digits alone are no name.
fn of_name(text: &str) -> Vec<Word> {
    let words = words_of(text);
    if words.iter().flat_map(|word| word.chars()).all(char::is_numeric) {
        return Vec::new();
    }
    match words.as_slice() {
        [name] => vec![Word::Name(name.clone())],
        words if words.len() <= WORDS => words.windows(2).map(|two| pair(&two[0], &two[1])).collect(),
        _ => Vec::new(),
    }
}

/// A postcode, the last word of its form, and other words.
fn of_address(text: &str) -> Vec<Word> {
    let mut words: Vec<String> = address_words(text).collect();
    let is_postcode =
        |word: &String| word.len() == POSTCODE && word.bytes().all(|byte| byte.is_ascii_digit());
    let Some(place) = words.iter().rposition(is_postcode) else { return Vec::new() };
    let postcode = words.remove(place);
    words.truncate(WORDS);
    words.into_iter().map(|word| Word::Address(postcode.clone(), word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readings(text: &str) -> String {
        Question::all(text).iter().map(|question| format!("{question:?}\n")).collect()
    }

    #[test]
    fn a_text_has_several_readings() {
        let texts = [
            "Smith",
            "John Smith",
            "ada@example.com",
            "0412 345 678",
            "12 High Street, Richmond VIC 3121",
            "3121",
            " - ",
        ];
        let shown = texts.map(|text| format!("{text}\n{}", readings(text)));
        insta::assert_snapshot!(shown.join("\n"));
    }
}
