use super::{Check, FieldSpec, Kind, Part};
use crate::json::Next;
use cutover_core::{Code, nearest};
use std::borrow::Cow;

/// The longest list of words that a text names in full.
const MAX_LISTED: usize = 12;

/// The facts about a finding from which its text is written: the declaration of the member, and what was sent
/// instead. It is small, because a payload can have many findings, and holds nothing of the payload but its
/// lengths.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cause {
    /// The declaration of the member.
    pub(crate) spec: Option<&'static FieldSpec>,
    /// Describes the value in the payload.
    pub(crate) sent: Sent,
}

/// Describes the value that was sent in place of a usable one, without its content.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Sent {
    /// Nothing more is known.
    #[default]
    Other,
    /// A value of this JSON type.
    Type(Next),
    /// A value with this number of characters, digits or items.
    Count(u32),
    /// A text of the form of a date that is no day of the calendar.
    NoSuchDay,
    /// A datetime outside the years 1 to 9999.
    OutOfRange,
    /// A text that resembles this known one.
    Near(&'static str),
    /// An undocumented member of an object with these documented ones.
    Among(&'static [FieldSpec]),
    /// A member that other kinds of this object document: the function returns their names, by that of the member.
    OfOtherKinds(fn(&str) -> Vec<&'static str>),
}

impl Cause {
    pub(crate) fn of(spec: &'static FieldSpec, sent: Sent) -> Self {
        Self { spec: Some(spec), sent }
    }

    /// Writes the text of a finding. `leaf` is the last part of its path.
    pub(crate) fn detail(self, check: &Check, leaf: Option<&Part<'_>>) -> Cow<'static, str> {
        match self.text(check, leaf) {
            Some(text) => {
                let consequence = self.consequence(check);
                Cow::Owned(format!("{text}{consequence}"))
            }
            None => Cow::Owned(check.code.message()),
        }
    }

    fn text(self, check: &Check, leaf: Option<&Part<'_>>) -> Option<String> {
        if check.code == Code::UnknownField
            && let Sent::Among(fields) = self.sent
        {
            return nearest_member(leaf?, fields);
        }
        if let Sent::OfOtherKinds(kinds) = self.sent {
            return other_kinds(leaf?, kinds);
        }
        if let Sent::Type(next) = self.sent
            && *check == Check::NO_OBJECT
        {
            return Some(format!("The body is {}; expected an object.", type_name(next)));
        }
        let spec = self.spec?;
        let expected = || expected(&spec.kind);
        Some(match (check.code, self.sent) {
            (Code::Required, _) => format!("The member is missing; expected {}.", expected()),
            (Code::Null, _) if spec.required => format!("The value is null; expected {}.", expected()),
            (Code::Null, _) => {
                format!(
                    "The value is null, which is not allowed here; leave the member out or send {}.",
                    expected()
                )
            }
            (Code::Blank, _) => format!("The text is blank; expected {}, not only white space.", expected()),
            (Code::Invalid | Code::NotAList, Sent::Type(next)) => {
                format!("The value is {}; expected {}.", type_name(next), expected())
            }
            (Code::Invalid, Sent::NoSuchDay) => format!("There is no such day; expected {}.", expected()),
            (Code::Invalid, Sent::OutOfRange) => {
                "The instant lies outside the years 1 to 9999 in UTC.".to_owned()
            }
            (Code::Invalid, _) => format!("The value has the wrong form; expected {}.", expected()),
            (Code::InvalidChoice, Sent::Near(word)) => {
                format!(
                    "The value is not one of the allowed ones; the nearest is `{word}`. Expected {}.",
                    expected()
                )
            }
            (Code::InvalidChoice, _) => {
                format!("The value is not one of the allowed ones; expected {}.", expected())
            }
            (Code::UnrecognisedValue, Sent::Near(word)) => {
                format!("The value is not among the known ones; the nearest is `{word}`. It is kept as sent.")
            }
            (Code::UnrecognisedValue, _) => {
                let Kind::Open { known, .. } = spec.kind else { return None };
                format!(
                    "The value is not among the known ones; expected {}. It is kept as sent.",
                    one_of(known)
                )
            }
            (Code::MaxLength, Sent::Count(n)) => {
                format!("The text has {n} characters; the maximum is {}.", length(&spec.kind)?.1?)
            }
            (Code::MinLength, Sent::Count(n)) => {
                format!("The text has {}; the minimum is {}.", plural(n, "character"), length(&spec.kind)?.0)
            }
            (Code::MaxDigits, Sent::Count(n)) => {
                let Kind::Decimal { before, .. } = spec.kind else { return None };
                format!("The number has {n} digits before the decimal point; the maximum is {before}.")
            }
            (Code::MaxDecimalPlaces, Sent::Count(n)) => {
                let Kind::Decimal { after, .. } = spec.kind else { return None };
                format!(
                    "The number has {n} digits after the decimal point; the maximum is {after} (zeros at the \
                     end do not count)."
                )
            }
            (Code::MinValue | Code::MaxValue, _) => {
                format!("{} Expected {}.", check.code.detail(), expected())
            }
            (Code::TooFewItems | Code::TooManyItems, Sent::Count(n)) => {
                let Kind::List { min, max, .. } = spec.kind else { return None };
                let (word, limit) = match (check.code, max) {
                    (Code::TooFewItems, _) => ("minimum", min),
                    (_, Some(max)) if n <= super::MAX_ITEMS => ("maximum", max),
                    _ => {
                        return Some(format!(
                            "The array has {}; that is more than is allowed.",
                            plural(n, "item")
                        ));
                    }
                };
                format!("The array has {}; the {word} is {limit}.", plural(n, "item"))
            }
            _ => return None,
        })
    }

    /// A sentence about checks that cannot run while the member is faulty.
    fn consequence(self, check: &Check) -> &'static str {
        match self.spec.map(|spec| (spec.name, &spec.kind)) {
            Some(("supply_type", Kind::Choice { .. })) => {
                " Until it is corrected, only the common members of this meter point are checked."
            }
            Some(("country", Kind::Text { .. })) if check.code != Code::UnrecognisedValue => {
                " Until it is corrected, postal_code and administrative_area are not checked against the country."
            }
            _ => "",
        }
    }
}

fn nearest_member(leaf: &Part<'_>, fields: &'static [FieldSpec]) -> Option<String> {
    let name = leaf.name()?;
    let near = nearest(name, fields.iter().map(|field| field.name))?;
    Some(format!("This member is not documented here; the nearest documented one is `{near}`."))
}

fn other_kinds(leaf: &Part<'_>, kinds: fn(&str) -> Vec<&'static str>) -> Option<String> {
    let name = leaf.name()?;
    Some(format!(
        "This member belongs to another kind of meter point: {}. {}",
        kinds(name).join(", "),
        Code::FieldNotAllowedForSupplyType.advice()
    ))
}

fn plural(count: u32, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn type_name(next: Next) -> &'static str {
    match next {
        Next::String => "a string",
        Next::Number => "a number",
        Next::True | Next::False => "a boolean",
        Next::Null => "null",
        Next::Object => "an object",
        Next::Array => "an array",
    }
}

/// The least and the greatest length of a text.
fn length(kind: &Kind) -> Option<(u32, Option<u32>)> {
    match *kind {
        Kind::Text { min, max, .. } => Some((min, max)),
        Kind::Open { max, .. } => Some((0, max)),
        Kind::TextOrInteger { max } => Some((0, Some(max))),
        _ => None,
    }
}

impl FieldSpec {
    /// Returns its form and limits, as the object of "expected".
    pub(crate) fn expected(&self) -> String {
        expected(&self.kind)
    }
}

/// Describes the values of a kind, as the object of "expected".
pub(crate) fn expected(kind: &Kind) -> String {
    match *kind {
        Kind::Text { min: 0, max: None, .. } | Kind::Open { max: None, .. } => "a string".to_owned(),
        Kind::Text { min: 0, max: Some(max), .. } => format!("a string of at most {max} characters"),
        Kind::Text { min, max: None, .. } => format!("a string of at least {min} characters"),
        Kind::Text { min, max: Some(max), .. } if min == max => format!("a string of {max} characters"),
        Kind::Text { min, max: Some(max), .. } => format!("a string of {min} to {max} characters"),
        Kind::Digits { min, max } if min == max => format!("a string of {max} digits"),
        Kind::Digits { min, max } => format!("a string of {min} to {max} digits"),
        Kind::Choice { words, .. } => one_of(words),
        Kind::Open { max: Some(max), known } => {
            format!("{}, or another string of at most {max} characters", one_of(known))
        }
        Kind::TextOrInteger { max } => format!("a string of at most {max} characters, or a whole number"),
        Kind::Date => "a date as a string YYYY-MM-DD".to_owned(),
        Kind::DateTime => {
            "a datetime as a string YYYY-MM-DDThh:mm:ss with an offset such as +10:00 or Z".to_owned()
        }
        Kind::Decimal { before, after, positive } => {
            let sign = if positive { " of 0 or more" } else { "" };
            format!(
                "a decimal number{sign} with at most {before} digits before and {after} after the point, as a \
                 number or as a string such as \"12.50\""
            )
        }
        Kind::Integer { min, max } => match (min, max) {
            (Some(min), Some(max)) => format!("a whole number from {min} to {max}"),
            (Some(min), None) => format!("a whole number of at least {min}"),
            (None, Some(max)) => format!("a whole number of at most {max}"),
            (None, None) => "a whole number".to_owned(),
        },
        Kind::Boolean => "true or false, without quotes".to_owned(),
        Kind::Object(_) | Kind::MeterPoint | Kind::FreeObject => "an object".to_owned(),
        Kind::List { .. } | Kind::FreeArray => "an array, also for a single item".to_owned(),
    }
}

fn one_of(words: &[&str]) -> String {
    let words: Vec<&str> = words.iter().copied().filter(|word| !word.is_empty()).collect();
    match words.as_slice() {
        [word] => format!("`{word}`"),
        words if words.len() <= MAX_LISTED => {
            let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            format!("one of {}", words.join(", "))
        }
        words => format!("one of the {} words that the fields list", words.len()),
    }
}
