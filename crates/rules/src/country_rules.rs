use crate::Rule;
use cutover_core::Level;

/// What is particular to a country.
pub(crate) struct CountryRules {
    /// Its two letters.
    pub(crate) code: &'static str,
    /// The rules that only it has, off by default.
    pub(crate) rules: &'static [Rule],
    /// The levels that it sets, by the id of the rule: of its own rules, and of those about the forms of other countries.
    pub(crate) levels: &'static [(&'static str, Level)],
}
