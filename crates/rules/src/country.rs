//! Countries whose forms of identifiers, addresses and numbers rules know (rules 1.11).

use crate::country_rules::CountryRules;
use cutover_core::{Level, RuleId, UnknownWord};
use std::fmt;
use std::str::FromStr;

/// A country, written as its two letters of ISO 3166.
#[derive(Clone, Copy)]
pub struct Country(&'static CountryRules);

/// Every country, the default one first.
pub(crate) const COUNTRIES: &[CountryRules] = &[
    // Its rules are on by default.
    CountryRules { code: "AU", rules: &[], levels: &[] },
    crate::great_britain::COUNTRY,
];

static ALL: &[CountryRules] = COUNTRIES;
/// The codes of the countries.
const CODES: [&str; COUNTRIES.len()] = {
    let mut codes = [""; COUNTRIES.len()];
    let mut next = 0;
    while next < codes.len() {
        codes[next] = COUNTRIES[next].code;
        next += 1;
    }
    codes
};

impl Country {
    /// Returns every country, the default one first.
    pub fn all() -> impl Iterator<Item = Self> {
        ALL.iter().map(Self)
    }

    /// Returns its two letters.
    pub fn as_str(self) -> &'static str {
        self.0.code
    }

    /// Returns the level that it sets for a rule.
    pub(crate) fn level(self, id: RuleId) -> Option<Level> {
        self.0.levels.iter().find(|(other, _)| *other == id.0).map(|(_, level)| *level)
    }
}

impl Default for Country {
    fn default() -> Self {
        Self(&ALL[0])
    }
}

impl PartialEq for Country {
    fn eq(&self, other: &Self) -> bool {
        self.0.code == other.0.code
    }
}

impl Eq for Country {}

impl AsRef<str> for Country {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Debug for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Country {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let country = Self::all().find(|country| country.as_str().eq_ignore_ascii_case(word));
        country.ok_or_else(|| UnknownWord::new("a country", &CODES, word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn countries_are_read_in_any_case() {
        for country in Country::all() {
            assert_eq!(country.as_str().to_lowercase().parse(), Ok(country));
        }
        assert_eq!(Country::default().to_string(), "AU");
        assert!(
            "".parse::<Country>()
                .unwrap_err()
                .to_string()
                .starts_with("\"\" is not a country: expected one of AU")
        );
    }

    #[test]
    fn levels_of_a_country_are_of_rules_that_can_be_set() {
        for country in Country::all() {
            for (id, _) in country.0.levels {
                assert!(crate::rule(id).is_some_and(|rule| !rule.fixed), "{country}: {id}");
            }
            for rule in country.0.rules {
                assert_eq!(rule.level, Level::Off, "{}", rule.id);
                assert!(country.level(rule.id).is_some(), "{}", rule.id);
            }
        }
    }
}
