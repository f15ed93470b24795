//! Meanings of the codes in closed lists, by the paths of an account.

use crate::Kind;
use crate::patterns::{each_value, pattern};
use std::collections::HashMap;
use std::sync::LazyLock;

/// The codes at each pattern of a path, with their meanings. Kinds of meter points share patterns, but no code there.
static MEANINGS: LazyLock<HashMap<String, Vec<(&str, &str)>>> = LazyLock::new(|| {
    let mut found: HashMap<String, Vec<(&str, &str)>> = HashMap::new();
    each_value(&mut |pattern, _, kind| {
        if let Kind::Choice { meanings, .. } = kind
            && !meanings.is_empty()
        {
            found.entry(pattern).or_default().extend(meanings);
        }
    });
    found
});

/// Returns what a code means at the path of a member of an account; `None` if it is no code of a closed list there, or one
/// whose meaning is not known.
///
/// ```
/// use cutover_model::meaning;
/// let path = "supply_addresses.0.meter_points.2.meters.0.status";
/// assert_eq!(meaning(path, "D"), Some("remotely disconnected"));
/// assert_eq!(meaning(path, "Turned on"), None);
/// ```
pub fn meaning(path: &str, code: &str) -> Option<&'static str> {
    let codes = MEANINGS.get(&pattern(path))?;
    codes.iter().find(|(known, _)| *known == code).map(|(_, meaning)| *meaning)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Calls a function with the path, the words and the meanings of each closed list of an account.
    fn each_list(mut visit: impl FnMut(&str, &[&str], &[(&str, &str)])) {
        each_value(&mut |pattern, _, kind| {
            if let Kind::Choice { words, meanings } = kind {
                visit(&pattern, words, meanings);
            }
        });
    }

    #[test]
    fn a_meaning_is_that_of_a_code_of_its_list() {
        let mut count = 0;
        each_list(|pattern, words, meanings| {
            for (code, meaning) in meanings {
                assert!(words.contains(code), "{pattern}: {code}");
                // Meanings are shown one after the other, separated by commas, also in tables.
                let is_plain = |c: char| !matches!(c, ',' | '.' | '|' | '=');
                let is_bare = meaning.trim() == *meaning && !meaning.is_empty();
                assert!(is_bare && meaning.chars().all(is_plain), "{pattern}: {meaning}");
                count += 1;
            }
        });
        assert!(count > 60, "{count}");
    }

    /// A list may have codes without a meaning only if it is named here.
    #[test]
    fn short_codes_have_a_meaning() {
        let mut without = BTreeSet::new();
        each_list(|pattern, words, meanings| {
            if words.iter().all(|word| word.len() <= 2) && meanings.len() < words.len() {
                without.insert(pattern.rsplit_once('.').unwrap_or_default().1.to_owned());
            }
        });
        let known = ["estimation_substitution_reason_code", "meter_position", "reading_quality"];
        assert_eq!(without.into_iter().collect::<Vec<_>>(), known);
    }

    #[test]
    fn kinds_of_meter_points_agree_on_what_a_code_means() {
        for (pattern, codes) in MEANINGS.iter() {
            let names: BTreeSet<_> = codes.iter().map(|(code, _)| code).collect();
            let both: BTreeSet<_> = codes.iter().collect();
            assert_eq!(names.len(), both.len(), "{pattern}");
        }
    }

    #[test]
    fn a_code_means_something_at_its_own_path() {
        let point =
            |member: &str, code: &str| meaning(&format!("supply_addresses.3.meter_points.12.{member}"), code);
        assert_eq!(point("nmi_status_periods.0.status", "D"), Some("de-energised"));
        assert_eq!(point("meters.0.registers.1.status", "D"), None);
        assert_eq!(point("meters.0.meter_installation_type", "BASIC"), None);
        assert_eq!(meaning("status", "D"), None);
    }
}
