//! The manual of the fields, made from the declarations of the payloads.

use super::REQUESTS;
use crate::choices::{EstimationSubstitutionReasonCode, GasMeterPosition, PaymentType};
use crate::decode::{FieldSpec, Kind, Known, Meanings, ObjectSpec};
use crate::{AccountEnvelope, MeterPointCommon, Variant, known};

/// The sections of the manual. `{ledger}` stands for the table of that object, `{A.1}` for a list of the
/// appendix.
const TEMPLATE: &str = include_str!("fields.template");

/// Lists that are too long for a table: section, title, values, meanings of codes.
const APPENDIX: &[(&str, &str, Known, Meanings)] = &[
    ("A.1", "flat-or-unit-types", known::FLAT_OR_UNIT_TYPES, &[]),
    ("A.2", "floor-or-level-types", known::FLOOR_OR_LEVEL_TYPES, &[]),
    ("A.3", "street-types", known::STREET_TYPES, &[]),
    ("A.4", "meter-locations", known::METER_LOCATIONS, &[]),
    ("A.5", "sales-channels", known::SALES_CHANNELS, &[]),
    ("A.6", "street-suffixes", known::STREET_SUFFIXES, &[]),
    ("A.7", "reasons-of-transactions", known::TRANSACTION_REASONS, &[]),
    ("B.1", "payment-types", PaymentType::WORDS, PaymentType::MEANINGS),
    ("B.2", "positions-of-gas-meters", GasMeterPosition::WORDS, GasMeterPosition::MEANINGS),
    (
        "B.3",
        "reasons-for-an-estimate-or-a-substitute",
        EstimationSubstitutionReasonCode::WORDS,
        EstimationSubstitutionReasonCode::MEANINGS,
    ),
];

/// What stands for a value that is the empty string.
const EMPTY: &str = "the empty string";

/// Width of the appendix's lines.
const WIDTH: usize = 118;

/// The text of `docs/fields.md`. Citations in meanings are plain text, such as `rule PST-12`; they can be
/// made links.
pub fn fields_markdown() -> String {
    let objects = objects();
    let line = |line: &str| match line.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        None => format!("{line}\n"),
        Some(name) => match objects.iter().find(|spec| spec.name == name) {
            Some(spec) => object(spec),
            None => APPENDIX
                .iter()
                .find(|(section, ..)| *section == name)
                .map_or_else(|| format!("{line}\n"), |(.., words, meanings)| wrapped(words, meanings)),
        },
    };
    TEMPLATE.lines().map(line).collect()
}

/// Every object of a request, in the order of first mention.
fn objects() -> Vec<&'static ObjectSpec> {
    let mut found = Vec::new();
    add(&AccountEnvelope::SPEC, &mut found);
    REQUESTS.iter().for_each(|request| add(request.object, &mut found));
    found
}

fn add(spec: &'static ObjectSpec, found: &mut Vec<&'static ObjectSpec>) {
    if found.iter().any(|known| known.name == spec.name) {
        return;
    }
    found.push(spec);
    spec.fields.iter().for_each(|field| add_kind(&field.kind, found));
}

fn add_kind(kind: &Kind, found: &mut Vec<&'static ObjectSpec>) {
    match kind {
        Kind::Object(spec) => add(spec(), found),
        Kind::List { item, .. } => add_kind(&item.kind, found),
        Kind::MeterPoint => {
            add(&MeterPointCommon::SPEC, found);
            Variant::SUPPLY_TYPES.iter().for_each(|supply_type| add(Variant::spec(*supply_type), found));
        }
        _ => {}
    }
}

/// Heading, sentence and table of an object.
fn object(spec: &ObjectSpec) -> String {
    let doc = tidy(spec.doc);
    // The contract's section of an object adds nothing to its table.
    let sentence = doc.rsplit_once(" (contract ").map_or(doc.clone(), |(sentence, _)| format!("{sentence}."));
    let rows: String = spec.fields.iter().map(row).collect();
    format!(
        "#### {}\n\n{sentence}\n\n| member | type | required | limits, values | meaning |\n|---|---|---|---|---|\n{rows}",
        spec.name
    )
}

fn row(field: &FieldSpec) -> String {
    let presence = match (field.required, field.nullable) {
        (true, false) => "yes",
        (true, true) => "yes, nullable",
        (false, false) => "no",
        (false, true) => "no, nullable",
    };
    let limits = limits(&field.kind).unwrap_or_else(|| "–".to_owned());
    let cells =
        [format!("`{}`", field.name), type_of(&field.kind), presence.to_owned(), limits, meaning(field)];
    format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).join(" | "))
}

fn type_of(kind: &Kind) -> String {
    match kind {
        Kind::Object(spec) => format!("object: {}", link(spec())),
        Kind::List { item, .. } => match item.kind {
            Kind::Object(spec) => format!("array of {}", link(spec())),
            Kind::MeterPoint => "array of [meter point](#3-meter-points)".to_owned(),
            _ => format!("array of {}", type_of(&item.kind)),
        },
        Kind::Text { .. } | Kind::Digits { .. } => "string".to_owned(),
        Kind::Choice { .. } => "closed list".to_owned(),
        Kind::Open { .. } => "open list".to_owned(),
        Kind::TextOrInteger { .. } => "string or integer".to_owned(),
        Kind::Date => "date".to_owned(),
        Kind::DateTime => "datetime".to_owned(),
        Kind::Decimal { .. } => "decimal".to_owned(),
        Kind::Integer { .. } => "integer".to_owned(),
        Kind::Boolean => "boolean".to_owned(),
        Kind::MeterPoint => "[meter point](#3-meter-points)".to_owned(),
        Kind::FreeObject => "free object".to_owned(),
        Kind::FreeArray => "free array".to_owned(),
    }
}

/// A link to the table of an object.
fn link(spec: &ObjectSpec) -> String {
    let kept = spec.name.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    let anchor: String = kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect();
    format!("[{}](#{anchor})", spec.name)
}

fn limits(kind: &Kind) -> Option<String> {
    Some(match *kind {
        Kind::Text { min, max, filled } => text(min, max, filled)?,
        Kind::Digits { min, max } => format!("{min} to {max} digits, not blank"),
        Kind::Choice { words, meanings } => values(words, meanings),
        Kind::Open { max, known } => {
            let length = max.map(|max| format!("≤ {max} chars; ")).unwrap_or_default();
            format!("{length}known: {}", values(known, &[]))
        }
        Kind::TextOrInteger { max } => format!("≤ {max} chars"),
        Kind::Decimal { before, after, positive } => {
            format!("({before}, {after}){}", if positive { ", ≥ 0" } else { "" })
        }
        Kind::Integer { min, max } => match (min, max) {
            (Some(min), Some(max)) => format!("{min}–{max}"),
            (Some(min), None) => format!("≥ {min}"),
            (None, Some(max)) => format!("≤ {max}"),
            (None, None) => return None,
        },
        Kind::List { item, min, max, batch } => {
            let of_item = of_item(item).map(|limits| format!("item {limits}"));
            let of_batch = batch.then(|| "batch limit".to_owned());
            let parts: Vec<String> = [count(min, max), of_item, of_batch].into_iter().flatten().collect();
            (!parts.is_empty()).then(|| parts.join("; "))?
        }
        Kind::Date
        | Kind::DateTime
        | Kind::Boolean
        | Kind::Object(_)
        | Kind::MeterPoint
        | Kind::FreeObject
        | Kind::FreeArray => return None,
    })
}

/// The limits of an item: a text may never be blank.
fn of_item(item: &FieldSpec) -> Option<String> {
    match item.kind {
        Kind::Text { min, max, .. } => text(min, max, item.refuses_blank()),
        _ => limits(&item.kind),
    }
}

fn text(min: u32, max: Option<u32>, filled: bool) -> Option<String> {
    let length = match max {
        Some(max) if max == min => Some(format!("{max} chars")),
        Some(max) if min > 0 => Some(format!("{min} to {max} chars")),
        Some(max) => Some(format!("≤ {max} chars")),
        None => (min > 0).then(|| format!("≥ {min} chars")),
    };
    let parts: Vec<String> = length.into_iter().chain(filled.then(|| "not blank".to_owned())).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// The number of items of an array.
fn count(min: u32, max: Option<u32>) -> Option<String> {
    let items = |n: u32| if n == 1 { "1 item".to_owned() } else { format!("{n} items") };
    match (min, max) {
        (0, None) => None,
        (0, Some(max)) => Some(format!("≤ {}", items(max))),
        (min, None) => Some(format!("≥ {}", items(min))),
        (min, Some(max)) if min == max => Some(format!("exactly {}", items(min))),
        (min, Some(max)) => Some(format!("{min} to {}", items(max))),
    }
}

/// The values of a list, or a link to them.
fn values(words: Known, meanings: Meanings) -> String {
    match APPENDIX.iter().find(|(.., listed, _)| *listed == words) {
        Some((section, title, ..)) => {
            format!("[{section}](#{}-{title})", section.replace('.', "").to_lowercase())
        }
        None => {
            let value = |word: &&str| with_meaning(&quoted(word), word, meanings);
            words.iter().map(value).collect::<Vec<_>>().join(", ")
        }
    }
}

fn quoted(word: &str) -> String {
    if word.is_empty() { EMPTY.to_owned() } else { format!("`{word}`") }
}

/// A word as it is shown, with its meaning if it is a code.
fn with_meaning(shown: &str, word: &str, meanings: Meanings) -> String {
    match meanings.iter().find(|(code, _)| *code == word) {
        Some((_, meaning)) => format!("{shown} = {meaning}"),
        None => shown.to_owned(),
    }
}

/// The doc comment of a member. That a list is open, and the rule about it, is in the columns before.
fn meaning(field: &FieldSpec) -> String {
    let doc = tidy(field.doc);
    if !matches!(field.kind, Kind::Open { .. }) {
        return doc;
    }
    ["; an open list", " (rule STR-19)", " (rules STR-19)", ", rule STR-19", ", rules STR-19", ", STR-19"]
        .iter()
        .fold(doc, |doc, words| doc.replace(words, ""))
}

/// The lines of a comment as one.
fn tidy(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Values separated by commas, over several lines.
fn wrapped(words: Known, meanings: Meanings) -> String {
    let (mut text, mut width) = (String::new(), 0);
    for (i, word) in words.iter().enumerate() {
        let end = if i + 1 == words.len() { "." } else { "," };
        let shown = if word.is_empty() { EMPTY } else { word };
        let shown = with_meaning(shown, word, meanings);
        let len = shown.len() + end.len();
        if width > 0 && width + 1 + len > WIDTH {
            text.push('\n');
            width = 0;
        } else if width > 0 {
            text.push(' ');
            width += 1;
        }
        text.push_str(&shown);
        text.push_str(end);
        width += len;
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_object_and_every_long_list_has_its_place() {
        let objects = objects();
        let names = objects.iter().map(|spec| spec.name).chain(APPENDIX.iter().map(|(section, ..)| *section));
        for name in names {
            assert_eq!(TEMPLATE.matches(&format!("\n{{{name}}}\n")).count(), 1, "{name}");
        }
        assert!(!fields_markdown().contains("\n{"), "the template names what there is not");
    }

    #[test]
    fn a_row_shows_type_presence_limits_and_meaning() {
        let text = fields_markdown();
        for row in [
            "| `payload` | object: [account](#account) | yes | – | The account. |\n",
            "| `unpin_at` | datetime | no | – | ",
            "| `notes` | array of [note](#note) | yes | ≥ 1 item; batch limit | ",
            "| `role_assignments` | array of [gas role assignment](#gas-role-assignment) | yes | exactly 2 items | ",
            "| `meter_points` | array of [meter point](#3-meter-points) | yes | – | ",
            "| `sales_channel` | open list | no | ≤ 128 chars; known: [A.5](#a5-sales-channels) | ",
            "| `last_digits` | string | no | 3 to 4 digits, not blank | ",
            "| `heating_value_zone` | string | yes, nullable | ≤ 3 chars | ",
            " | closed list | no | `LARGE_PRINT`, `BRAILLE`, `SPOKEN`, the empty string | ",
            " | array of string | no | item ≤ 255 chars, not blank | ",
            "| `billing_method` | closed list | no, nullable | `O` = ordinary, `C` = hot water system, \
             `D` = deduct billing | Method of billing. |\n",
            " | closed list | yes | `NG` = natural gas, `LP` = liquefied petroleum, `ELECTRICITY` | ",
        ] {
            assert!(text.contains(row), "{row}");
        }
    }

    #[test]
    fn an_open_list_is_not_said_twice() {
        let text = fields_markdown();
        assert!(!text.contains("an open list"));
        assert!(!text.lines().any(|line| line.starts_with("| `") && line.contains("STR-19")));
    }

    #[test]
    fn long_lists_are_wrapped() {
        let lines = wrapped(known::STREET_TYPES, &[]);
        assert!(lines.lines().count() > 5 && lines.lines().all(|line| line.len() <= WIDTH), "{lines}");
        assert!(lines.starts_with("ACCS, ACRE, ") && lines.ends_with(", YARD.\n"));
        assert!(fields_markdown().contains("\n00 = other, 01 = meter removed, 02, 03, "));
    }
}
