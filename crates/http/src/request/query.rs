use crate::refusal::Refusal;
use crate::request::path::decode;
use cutover_core::Code;
use std::collections::HashSet;

/// A query, read parameter by parameter. Collects faulty parameters.
pub(crate) struct Query<'q> {
    text: &'q str,
    faulty: Vec<&'static str>,
}

impl<'q> Query<'q> {
    /// Creates a query from the raw text after the `?`.
    pub(crate) fn new(text: &'q str) -> Self {
        Self { text, faulty: Vec::new() }
    }

    /// Returns the value of a parameter; `None` if it is missing or faulty: repeated, or not accepted by
    /// `parse`.
    pub(crate) fn read<T>(&mut self, name: &'static str, parse: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let mut given = self.values(name);
        let first = given.next()?;
        let value = if given.next().is_some() { None } else { first.and_then(|value| parse(&value)) };
        drop(given);
        if value.is_none() {
            self.faulty.push(name);
        }
        value
    }

    /// Checks that no parameter was faulty.
    ///
    /// # Errors
    /// [`Refusal::Parameters`] with the faulty ones, in the order they were read.
    pub(crate) fn finish(self) -> Result<(), Refusal> {
        if self.faulty.is_empty() { Ok(()) } else { Err(Refusal::Parameters(self.faulty)) }
    }

    /// Returns the names of the faulty parameters, in the order they were read.
    pub(crate) fn into_faulty(self) -> Vec<&'static str> {
        self.faulty
    }

    /// Returns the decoded values of a parameter; `None` for one that is not UTF-8.
    fn values(&self, name: &'static str) -> impl Iterator<Item = Option<String>> + use<'q> {
        let pairs = self.text.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        let named = pairs.filter(move |(given, _)| decoded(given).as_deref() == Some(name));
        named.map(|(_, value)| decoded(value))
    }
}

/// Returns the parameters of a query that are not among the declared ones, or that are given twice, each once.
pub(crate) fn unexpected(text: &str, is_declared: impl Fn(&str) -> bool) -> Vec<(String, Code)> {
    let mut faults: Vec<(String, Code)> = Vec::new();
    let mut given = HashSet::new();
    for pair in text.split('&').filter(|pair| !pair.is_empty()) {
        let name = pair.split_once('=').map_or(pair, |(name, _)| name);
        let name = decoded(name).unwrap_or_else(|| char::REPLACEMENT_CHARACTER.to_string());
        let is_repeated = !given.insert(name.clone());
        let code = match (is_declared(&name), is_repeated) {
            (true, false) => continue,
            (true, true) => Code::Invalid,
            (false, _) => Code::UnknownParameter,
        };
        if faults.iter().all(|(known, _)| *known != name) {
            faults.push((name, code));
        }
    }
    faults
}

/// Decodes a value as in forms: a plus sign is a space.
fn decoded(text: &str) -> Option<String> {
    decode(&text.replace('+', " ")).map(|decoded| decoded.into_owned())
}

/// Parses a boolean (contract D8): `true` or `false` in any case, `1` or `0`.
pub(crate) fn boolean(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Option<String>, Result<(), Vec<&'static str>>) {
        let mut query = Query::new(text);
        let value = query.read("a", |value| (!value.is_empty()).then(|| value.to_owned()));
        let finished = query.finish().map_err(|refusal| match refusal {
            Refusal::Parameters(names) => names,
            other => panic!("{other:?}"),
        });
        (value, finished)
    }

    #[test]
    fn a_parameter_is_decoded_once() {
        for (text, value) in [
            ("a=1", "1"),
            ("b=&a=x%20y", "x y"),
            ("%61=x+y&&", "x y"),
            ("a=%2B%2526", "+%26"),
            ("a=b=c", "b=c"),
        ] {
            assert_eq!(read(text), (Some(value.to_owned()), Ok(())), "{text}");
        }
    }

    #[test]
    fn unknown_and_repeated_parameters_are_named_once() {
        let named = |text| {
            let faults = unexpected(text, |name| name == "a" || name == "b");
            faults.into_iter().map(|(name, code)| format!("{name}: {code}")).collect::<Vec<_>>().join(", ")
        };
        for (text, faults) in [
            ("", ""),
            ("&&", ""),
            ("a=1&b=2", ""),
            ("a=1&A=2", "A: unknown_parameter"),
            ("x&x=1&y+y=2", "x: unknown_parameter, y y: unknown_parameter"),
            ("a=1&%61=1&a", "a: invalid"),
            ("=1", ": unknown_parameter"),
            ("%ff=1&b&b", "\u{fffd}: unknown_parameter, b: invalid"),
        ] {
            assert_eq!(named(text), faults, "{text}");
        }
    }

    #[test]
    fn missing_parameters_are_not_faults() {
        for text in ["", "&", "b=1", "A=1", "=a", "aa=1&b=a"] {
            assert_eq!(read(text), (None, Ok(())), "{text}");
        }
    }

    #[test]
    fn empty_broken_and_repeated_values_are_faults() {
        for text in ["a", "a=", "a=%ff", "a=1&a=1", "a=&a=1", "%61=1&a=2"] {
            assert_eq!(read(text), (None, Err(vec!["a"])), "{text}");
        }
    }

    #[test]
    fn booleans_are_words_or_digits() {
        for (text, value) in [("true", true), ("TRUE", true), ("tRue", true), ("1", true)] {
            assert_eq!(boolean(text), Some(value), "{text}");
        }
        for text in ["false", "False", "FALSE", "0"] {
            assert_eq!(boolean(text), Some(false), "{text}");
        }
        for text in ["", " ", "yes", "no", "t", "2", "01", "true ", "on", "null", "tru\u{131}e"] {
            assert_eq!(boolean(text), None, "{text:?}");
        }
    }
}
