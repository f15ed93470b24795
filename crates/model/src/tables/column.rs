use crate::choices::SupplyType;
use crate::decode::{FieldSpec, Kind};

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name: of the member, after the names of the objects around it, separated by dots.
    pub name: String,
    /// Its use.
    pub role: ColumnRole,
    /// The form of its values.
    pub column_type: ColumnType,
    /// If set, every row has a value, or every row of its [`supply_types`](Self::supply_types).
    pub required: bool,
    /// If set, the member may be `null`, which means absent (fields 1.3).
    pub nullable: bool,
    /// If set, its values are about a person.
    pub is_personal: bool,
    /// The description of the member.
    pub doc: String,
    /// The limits of its values, in words; empty if there are none.
    pub limits: String,
    /// The values of a closed list, or the known ones of an open list; empty for other columns.
    pub values: Vec<&'static str>,
    /// The kinds of meter points whose rows have it; empty means that each row may have it.
    pub supply_types: Vec<SupplyType>,
}

/// Names of columns whose texts identify something.
const IDENTIFIERS: [&str; 8] =
    ["mpxn", "mobile", "landline", "postal_code", "reference", "bsb", "last_digits", "identifier"];
/// Endings of the names of other columns that identify something.
const PARTS: [&str; 9] = [
    "_id",
    "_nmi",
    "_mirn",
    "_code",
    "_identifier",
    "_reference",
    "account_number",
    "serial_number",
    "postcode",
];

/// The use of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnRole {
    /// Leads to the row of the parent, or gives the place in it. It is no member of the object.
    Key,
    /// A member of the object.
    Member,
    /// Tells an empty list (`[]`) or object (`{}`) from an absent one.
    Empty,
}

/// The form of a column's values (fields 1.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// Any text.
    Text,
    /// A whole number.
    Integer,
    /// A decimal with at most so many digits before and after the point.
    Decimal {
        /// Digits before the point.
        before: u32,
        /// Digits after the point.
        after: u32,
    },
    /// `true` or `false`.
    Boolean,
    /// A day `YYYY-MM-DD`.
    Date,
    /// A day with a time, with or without offset.
    DateTime,
    /// JSON text: a list of values, or a member of any JSON.
    Json,
}

impl ColumnType {
    /// The type's name in the dictionary.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Integer => "integer",
            Self::Decimal { .. } => "decimal",
            Self::Boolean => "boolean",
            Self::Date => "date",
            Self::DateTime => "datetime",
            Self::Json => "json",
        }
    }

    /// The type of the values of either; text if they have nothing in common.
    fn union(self, other: Self) -> Self {
        match (self, other) {
            (Self::Decimal { before, after }, Self::Decimal { before: b, after: a }) => {
                Self::Decimal { before: before.max(b), after: after.max(a) }
            }
            (one, other) if one == other => one,
            _ => Self::Text,
        }
    }
}

impl Column {
    /// True if its texts identify something, so that each character counts: identifiers, codes, phone numbers and
    /// postcodes.
    pub fn is_identifier(&self) -> bool {
        let name = self.name.rsplit('.').next().unwrap_or_default();
        let is_one = IDENTIFIERS.contains(&name) || PARTS.iter().any(|part| name.ends_with(part));
        self.column_type == ColumnType::Text && self.values.is_empty() && is_one
    }

    /// The column of a member that is neither an object nor a list of objects.
    pub(super) fn member(name: String, field: &FieldSpec) -> Self {
        let (column_type, values): (_, &[&'static str]) = match field.kind {
            Kind::Text { .. } | Kind::Digits { .. } | Kind::TextOrInteger { .. } => (ColumnType::Text, &[]),
            Kind::Choice { words, .. } | Kind::Open { known: words, .. } => (ColumnType::Text, words),
            Kind::Integer { .. } => (ColumnType::Integer, &[]),
            Kind::Decimal { before, after, .. } => (ColumnType::Decimal { before, after }, &[]),
            Kind::Boolean => (ColumnType::Boolean, &[]),
            Kind::Date => (ColumnType::Date, &[]),
            Kind::DateTime => (ColumnType::DateTime, &[]),
            Kind::List { .. } | Kind::FreeObject | Kind::FreeArray | Kind::Object(_) | Kind::MeterPoint => {
                (ColumnType::Json, &[])
            }
        };
        Self {
            name,
            role: ColumnRole::Member,
            column_type,
            required: field.required,
            nullable: field.nullable,
            is_personal: field.is_personal,
            doc: field.described(),
            limits: limits(&field.kind),
            values: values.to_vec(),
            supply_types: Vec::new(),
        }
    }

    /// A key column.
    pub(super) fn key(name: String, column_type: ColumnType, doc: impl Into<String>) -> Self {
        Self {
            name,
            role: ColumnRole::Key,
            column_type,
            required: true,
            nullable: false,
            is_personal: false,
            doc: doc.into(),
            limits: String::new(),
            values: Vec::new(),
            supply_types: Vec::new(),
        }
    }

    /// The column that has `value` if a list or an object is there and empty.
    pub(super) fn empty(name: String, value: &'static str) -> Self {
        let doc = format!("`{value}` if it is there and empty; otherwise absent.");
        let key = Self::key(name, ColumnType::Json, doc);
        Self { role: ColumnRole::Empty, required: false, values: vec![value], ..key }
    }

    /// Adds a column of the same name, of another object that shares the table.
    pub(super) fn merge(&mut self, other: Self) {
        self.column_type = self.column_type.union(other.column_type);
        self.required &= other.required;
        self.nullable |= other.nullable;
        self.is_personal |= other.is_personal;
        add_text(&mut self.doc, &other.doc, " ");
        add_text(&mut self.limits, &other.limits, " or ");
        other.values.iter().for_each(|value| add(&mut self.values, *value));
        other.supply_types.iter().for_each(|kind| add(&mut self.supply_types, *kind));
    }
}

/// Adds a value that is not there yet.
pub(super) fn add<T: PartialEq>(list: &mut Vec<T>, value: T) {
    if !list.contains(&value) {
        list.push(value);
    }
}

fn add_text(text: &mut String, other: &str, between: &str) {
    if text.is_empty() {
        other.clone_into(text);
    } else if !other.is_empty() && !text.split(between).any(|part| part == other) && !text.contains(other) {
        text.push_str(between);
        text.push_str(other);
    }
}

/// The limits of a member, without its values.
fn limits(kind: &Kind) -> String {
    match *kind {
        Kind::Text { min, max: Some(max), .. } if min > 0 => format!("{min} to {max} characters"),
        Kind::Text { max: Some(max), .. }
        | Kind::Open { max: Some(max), .. }
        | Kind::TextOrInteger { max } => {
            format!("at most {max} characters")
        }
        Kind::Digits { min, max } => format!("{min} to {max} digits"),
        Kind::Decimal { before, after, positive } => {
            let sign = if positive { ", not below 0" } else { "" };
            format!("at most {before} digits before and {after} after the point{sign}")
        }
        Kind::Integer { min, max } => match (min, max) {
            (Some(min), Some(max)) => format!("{min} to {max}"),
            (Some(min), None) => format!("at least {min}"),
            (None, Some(max)) => format!("at most {max}"),
            (None, None) => String::new(),
        },
        Kind::Choice { .. } => "one of the values".to_owned(),
        Kind::List { item, .. } => {
            let of_item = limits(&item.kind);
            if of_item.is_empty() { String::new() } else { format!("each {of_item}") }
        }
        Kind::Text { .. }
        | Kind::Open { .. }
        | Kind::Date
        | Kind::DateTime
        | Kind::Boolean
        | Kind::Object(_)
        | Kind::MeterPoint
        | Kind::FreeObject
        | Kind::FreeArray => String::new(),
    }
}
