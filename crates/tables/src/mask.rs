use chrono::{Datelike, Days, NaiveDate};
use cutover_model::tables::{Cell, Column, ColumnType, Table};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;
use std::borrow::Cow;

/// Replaces personal values: the same value always by the same replacement, as long as the key is the same.
///
/// A replacement has the type and the rough shape of its value: letters become letters and digits become digits, an
/// e-mail address becomes one of `example.com`, a day another day, a value of a list another one of that list. Without
/// the key nobody can compute replacements of guessed values. That two values are equal, and their lengths, remain
/// visible.
pub struct Mask {
    key: [u8; 32],
}

/// First day of replacements of days.
const FIRST_YEAR: i32 = 1930;
/// Number of days from which replacements of days are drawn: 70 years.
const DAYS: u64 = 25_567;

impl Mask {
    /// Returns a mask with this key, which must be random and kept secret.
    pub fn new(key: [u8; 32]) -> Self {
        Self { key }
    }

    /// The row with its personal values replaced.
    pub fn row<'c>(&self, table: &Table, cells: &[Cell<'c>]) -> Vec<Cell<'c>> {
        let masked = |(column, cell): (&Column, &Cell<'c>)| match cell {
            Cell::Value(value) if column.is_personal => Cell::Value(Cow::Owned(self.value(column, value))),
            cell => cell.clone(),
        };
        table.columns.iter().zip(cells).map(masked).collect()
    }

    fn value(&self, column: &Column, value: &str) -> String {
        let mut random = Stream::new(&self.key, value);
        match column.column_type {
            _ if value.is_empty() => String::new(),
            ColumnType::Boolean => "false".to_owned(),
            ColumnType::Date => random.day(),
            ColumnType::DateTime => format!("{}T00:00:00Z", random.day()),
            ColumnType::Integer => random.integer(value),
            ColumnType::Decimal { .. } => random.shape(value),
            ColumnType::Json => self.json(value),
            ColumnType::Text => match &*column.values {
                [] if value.contains('@') => random.email(value),
                [] => random.shape(value),
                values => random.word(values).to_owned(),
            },
        }
    }

    fn json(&self, text: &str) -> String {
        // The text is from JSON that was decoded before.
        serde_json::from_str(text).map_or_else(|_| "null".to_owned(), |value| self.inside(value).to_string())
    }

    fn inside(&self, value: Value) -> Value {
        let text = |text: &str| Stream::new(&self.key, text).shape(text);
        match value {
            Value::String(value) => Value::String(text(&value)),
            Value::Number(_) => Value::from(0),
            Value::Array(items) => items.into_iter().map(|item| self.inside(item)).collect(),
            Value::Object(members) => Value::Object(
                members.into_iter().map(|(name, value)| (text(&name), self.inside(value))).collect(),
            ),
            Value::Bool(_) => Value::Bool(false),
            Value::Null => Value::Null,
        }
    }
}

/// Bytes that depend on a value and the key.
struct Stream {
    mac: Hmac<Sha256>,
    block: Vec<u8>,
    used: usize,
    blocks: u64,
}

impl Stream {
    fn new(key: &[u8; 32], value: &str) -> Self {
        #[expect(clippy::expect_used, reason = "HMAC takes keys of any length")]
        let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key of any length");
        mac.update(value.as_bytes());
        Self { mac, block: Vec::new(), used: 0, blocks: 0 }
    }

    fn byte(&mut self) -> u8 {
        if self.used == self.block.len() {
            let mut mac = self.mac.clone();
            mac.update(&[0]);
            mac.update(&self.blocks.to_be_bytes());
            self.block = mac.finalize().into_bytes().to_vec();
            (self.used, self.blocks) = (0, self.blocks + 1);
        }
        self.used += 1;
        self.block[self.used - 1]
    }

    /// A number below a limit. It need not be exactly uniform.
    fn below(&mut self, limit: u64) -> u64 {
        (0..6).fold(0_u64, |number, _| number << 8 | u64::from(self.byte())) % limit.max(1)
    }

    fn letter(&mut self, first: u8) -> char {
        char::from(first + self.byte() % 26)
    }

    fn shape(&mut self, value: &str) -> String {
        let replaced = |c: char| match c {
            '0'..='9' => char::from(b'0' + self.byte() % 10),
            c if c.is_uppercase() => self.letter(b'A'),
            c if c.is_alphabetic() => self.letter(b'a'),
            c => c,
        };
        value.chars().map(replaced).collect()
    }

    /// Its local part has the length of the original, as far as the limit of an address allows.
    fn email(&mut self, value: &str) -> String {
        let length = value.split('@').next().unwrap_or_default().chars().count().clamp(1, 64);
        let local: String = (0..length).map(|_| self.letter(b'a')).collect();
        format!("{local}@example.com")
    }

    fn day(&mut self) -> String {
        let first = NaiveDate::default().with_year(FIRST_YEAR).unwrap_or_default();
        (first + Days::new(self.below(DAYS))).to_string()
    }

    /// A number of as many digits: months stay months, years are those to come.
    fn integer(&mut self, value: &str) -> String {
        match value.len() {
            0..=2 => (1 + self.below(9)).to_string(),
            4 => (2030 + self.below(10)).to_string(),
            _ => format!("1{}", self.shape(value.get(1..).unwrap_or_default())),
        }
    }

    fn word<'w>(&mut self, words: &[&'w str]) -> &'w str {
        let words: Vec<&str> = words.iter().copied().filter(|word| !word.is_empty()).collect();
        let index = usize::try_from(self.below(words.len() as u64)).unwrap_or_default();
        words.get(index).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_model::tables::Tables;

    fn masked(key: u8, table: &str, column: &str, value: &str) -> String {
        let tables = Tables::imported();
        let (_, table) = tables.find(table).unwrap();
        let column = &table.columns[table.column(column).unwrap()];
        assert!(column.is_personal);
        Mask::new([key; 32]).value(column, value)
    }

    #[test]
    fn replacements_keep_type_and_shape() {
        let of = |column: &str, value: &str| masked(1, "customers", column, value);
        let shape = |text: &str| {
            let shape = |c: char| match c {
                '0'..='9' => '9',
                c if c.is_uppercase() => 'A',
                c if c.is_alphabetic() => 'a',
                c => c,
            };
            text.chars().map(shape).collect::<String>()
        };
        for (column, value) in
            [("given_name", "Zoë Anne-Marie"), ("mobile", "+61 491 570 006"), ("address.postal_code", "3056")]
        {
            assert_ne!(of(column, value), value);
            assert_eq!(shape(&of(column, value)), shape(value));
        }
        assert!(of("email", "jo@bluegum.test").ends_with("@example.com"));
        assert!(of("date_of_birth", "1984-02-29").parse::<NaiveDate>().is_ok());
        assert!(["Reported", "Confirmed"].contains(&&*of("deceased", "Reported")));
        assert_eq!(
            (of("deceased", ""), of("unable_to_read_meters", "true")),
            (String::new(), "false".into())
        );
        let hazards = masked(1, "meter_points", "hazard_details", r#"["Dog","Low \"branch\""]"#);
        let hazards: Vec<String> = serde_json::from_str(&hazards).unwrap();
        assert_eq!(hazards.iter().map(|text| shape(text)).collect::<Vec<_>>(), ["Aaa", "Aaa \"aaaaaa\""]);
        let month: u32 = masked(1, "payment_instructions", "card.expiry_month", "12").parse().unwrap();
        assert!((1..=12).contains(&month));
    }

    #[test]
    fn the_same_value_has_the_same_replacement_under_a_key() {
        let name = |key, table, column| masked(key, table, column, "Okafor the Elder");
        assert_eq!(name(1, "customers", "family_name"), name(1, "accounts", "billing_name"));
        assert_ne!(name(1, "customers", "family_name"), name(2, "customers", "family_name"));
    }
}
