//! Normal forms of words.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A word by which an account is found, in its normal form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Word {
    /// A word of a name of a person or of a business.
    Name(String),
    /// Two words of one name, sorted.
    NamePair(String, String),
    /// An e-mail address.
    Email(String),
    /// The last digits of a telephone number.
    Phone(String),
    /// A postcode and a word of a street, or a house number.
    Address(String, String),
    /// A meter point.
    MeterPoint(String),
    /// A serial number of a meter.
    MeterSerial(String),
    /// A contract of a business.
    Contract(String),
    /// A word of the name of a business.
    Company(String),
    /// Two words of the name of a business, sorted.
    CompanyPair(String, String),
    /// The kind of a number that a business shares with no other one, and its digits.
    CompanyNumber(&'static str, String),
}

/// Maximum number of words of a name that are combined to pairs.
const NAME_WORDS: usize = 4;
/// Number of digits at the end of a telephone number that are compared: without the prefix of a country or 0.
const PHONE_DIGITS: usize = 9;
/// The fewest digits of a telephone number.
const FEWEST_PHONE_DIGITS: usize = 8;

/// Words of addresses that people write or leave out: kinds of streets and of flats, and states.
const ADDRESS_NOISE: &[&str] = &[
    "act",
    "apartment",
    "apt",
    "ave",
    "avenue",
    "boulevard",
    "bvd",
    "cct",
    "circuit",
    "cl",
    "close",
    "court",
    "cres",
    "crescent",
    "ct",
    "dr",
    "drive",
    "flat",
    "highway",
    "hwy",
    "lane",
    "nsw",
    "nt",
    "parade",
    "pde",
    "pl",
    "place",
    "qld",
    "rd",
    "road",
    "sa",
    "st",
    "street",
    "tas",
    "tce",
    "terrace",
    "u",
    "unit",
    "vic",
    "wa",
    "way",
];

/// Words of names of businesses that nearly all of them have.
const COMPANY_NOISE: &[&str] = &["limited", "ltd", "proprietary", "pty"];

/// Returns a text in lower case and without accents.
fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).collect()
}

/// Returns the words of a text, in their order.
pub(super) fn words_of(text: &str) -> Vec<String> {
    let folded = folded(text);
    // An apostrophe belongs to its word: O'Brien.
    let kept = folded.chars().filter(|c| !matches!(c, '\'' | '’')).collect::<String>();
    kept.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Returns the letters and digits of an identifier in upper case; `None` if there are none.
pub(super) fn identifier(text: &str) -> Option<String> {
    let kept: String = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_uppercase).collect();
    Some(kept).filter(|kept| !kept.is_empty())
}

/// Returns an e-mail address as it is compared.
pub(super) fn email(text: &str) -> String {
    folded(text.trim())
}

/// Returns the last digits of a telephone number; `None` if the text is none.
pub(super) fn phone(text: &str) -> Option<String> {
    let is_phone = text.chars().all(|c| c.is_ascii_digit() || " +-()./".contains(c));
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let last = digits.len().saturating_sub(PHONE_DIGITS);
    (is_phone && digits.len() >= FEWEST_PHONE_DIGITS).then(|| digits[last..].to_owned())
}

/// Returns the pairs of the words of a name.
pub(super) fn pairs(words: &[String]) -> impl Iterator<Item = Word> {
    let words = &words[..words.len().min(NAME_WORDS)];
    let following = move |i: usize| words[i + 1..].iter().map(move |second| pair(&words[i], second));
    (0..words.len()).flat_map(following)
}

/// Two words of a name.
pub(super) fn pair(first: &str, second: &str) -> Word {
    Word::NamePair(first.min(second).to_owned(), first.max(second).to_owned())
}

/// Returns the words of the name of a business that are compared.
pub(super) fn company_words(name: &str) -> Vec<String> {
    let is_kept = |word: &String| COMPANY_NOISE.binary_search(&word.as_str()).is_err();
    words_of(name).into_iter().filter(is_kept).collect()
}

/// Two words of the name of a business.
pub(super) fn company_pair(first: &str, second: &str) -> Word {
    Word::CompanyPair(first.min(second).to_owned(), first.max(second).to_owned())
}

/// Returns the words of an address that are compared.
pub(super) fn address_words(text: &str) -> impl Iterator<Item = String> {
    words_of(text).into_iter().filter(|word| ADDRESS_NOISE.binary_search(&word.as_str()).is_err())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_compared_without_case_accents_and_apostrophes() {
        assert_eq!(words_of("  Zoë  O’BRIEN-Müller "), ["zoe", "obrien", "muller"]);
        assert_eq!(words_of("Ⅻ"), ["xii"]);
    }

    #[test]
    fn telephone_numbers_are_compared_by_their_last_digits() {
        let same = ["0412 345 678", "+61 412 345 678", "(04) 12-345-678"].map(phone);
        assert_eq!(same, [const { Some("412345678") }; 3].map(|digits| digits.map(str::to_owned)));
        for other in ["1234567", "0412 345 678 ext. 9", "A-12345678"] {
            assert_eq!(phone(other), None, "{other}");
        }
    }

    #[test]
    fn words_that_say_nothing_are_left_out() {
        assert_eq!(company_words("Halloran Cold-Storage Pty. Ltd."), ["halloran", "cold", "storage"]);
        assert!(ADDRESS_NOISE.is_sorted() && COMPANY_NOISE.is_sorted(), "binary_search needs it");
        assert_eq!(address_words("Unit 3/12 High St VIC").collect::<Vec<_>>(), ["3", "12", "high"]);
    }

    #[test]
    fn pairs_of_a_name_do_not_depend_on_the_order() {
        let pairs_of = |name| pairs(&words_of(name)).collect::<Vec<_>>();
        assert_eq!(pairs_of("John Paul Smith").len(), 3);
        assert_eq!(pairs_of("Smith John"), pairs_of("John Smith"));
    }
}
