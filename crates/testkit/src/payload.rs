//! Generates payloads from the declarations: every documented member of every object occurs.

use cutover_model::choices::SupplyType;
use cutover_model::{
    Account, FieldSpec, HistoricalStatement, Kind, MeterPointCommon, ObjectSpec, Transaction, Variant,
};

/// A deterministic source of choices (an xorshift generator).
#[derive(Debug, Clone)]
pub struct Dice {
    state: u64,
    /// True if every value is as large as its field allows.
    is_widest: bool,
}

impl Dice {
    /// Returns the generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1, is_widest: false }
    }

    /// Returns a number below `bound`, which must not be 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 16) % bound
    }

    /// Returns true with a probability of 1/n.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }
}

/// Returns an account payload that passes every field check, as JSON text. Rules may find faults: its
/// values are valid alone, but not together.
pub fn account_json(seed: u64) -> String {
    object_json(&Account::SPEC, seed)
}

/// Returns an account payload with every member, each as large as its field allows: texts of
/// four-byte characters, decimals with all their digits, the latest times.
pub fn widest_account_json(seed: u64) -> String {
    let mut out = String::new();
    object(&Account::SPEC, &mut Dice { is_widest: true, ..Dice::new(seed) }, &mut out);
    out
}

/// Returns a transaction, made like [`account_json`].
pub fn transaction_json(seed: u64) -> String {
    object_json(&Transaction::SPEC, seed)
}

/// Returns a statement to add after the import, made like [`account_json`].
pub fn historical_statement_json(seed: u64) -> String {
    object_json(&HistoricalStatement::SPEC, seed)
}

/// Returns any object of the contract, whole requests included, made like [`account_json`].
pub fn object_json(spec: &ObjectSpec, seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let mut out = String::new();
    object(spec, &mut dice, &mut out);
    out
}

fn object(spec: &ObjectSpec, dice: &mut Dice, out: &mut String) {
    out.push('{');
    members(spec.fields, dice, out);
    close(out, '}');
}

fn members(fields: &[FieldSpec], dice: &mut Dice, out: &mut String) {
    for field in fields.iter().filter(|f| f.name != "supply_type") {
        if !field.required && !dice.is_widest && dice.one_in(3) {
            continue;
        }
        out.push_str(&format!("\"{}\":", field.name));
        if field.nullable && !dice.is_widest && dice.one_in(5) {
            out.push_str("null");
        } else {
            value(field, dice, out);
        }
        out.push(',');
    }
}

fn close(out: &mut String, bracket: char) {
    if out.ends_with(',') {
        out.pop();
    }
    out.push(bracket);
}

fn value(field: &FieldSpec, dice: &mut Dice, out: &mut String) {
    match field.kind {
        Kind::Text { max, .. } if dice.is_widest => widest_text(max.unwrap_or(5_000), out),
        Kind::TextOrInteger { max } if dice.is_widest => widest_text(max, out),
        Kind::Open { max, .. } if dice.is_widest => widest_text(max.unwrap_or(5_000), out),
        Kind::Digits { max, .. } if dice.is_widest => {
            out.push_str(&format!("\"{}\"", "7".repeat(max as usize)))
        }
        Kind::Date if dice.is_widest => out.push_str("\"9999-12-31\""),
        Kind::DateTime if dice.is_widest => out.push_str("\"9999-12-31T23:59:59.999999Z\""),
        Kind::Decimal { before, after, .. } if dice.is_widest => {
            out.push_str(&format!("\"{}.{}\"", "9".repeat(before as usize), "9".repeat(after as usize)));
        }
        Kind::Text { min, max, .. } => text(min.max(1), max.unwrap_or(40).min(40), dice, out),
        Kind::Digits { min, max } => {
            let len = min + dice.below(u64::from(max - min + 1)) as u32;
            out.push_str(&format!("\"{}\"", "7".repeat(len as usize)));
        }
        Kind::Choice { words: values, .. } => out.push_str(&format!("\"{}\"", dice.pick(values))),
        Kind::Open { known, .. } => out.push_str(&format!("\"{}\"", dice.pick(known))),
        Kind::TextOrInteger { max } if dice.one_in(2) => text(1, max, dice, out),
        Kind::TextOrInteger { .. } => out.push_str(&dice.below(10_000).to_string()),
        Kind::Date => out.push_str(&format!("\"{}\"", day(dice))),
        Kind::DateTime => datetime(dice, out),
        Kind::Decimal { before, after, positive } => decimal(before, after, positive, dice, out),
        Kind::Integer { min, max } => {
            let (min, max) = (min.unwrap_or(-50), max.unwrap_or(50));
            out.push_str(&(min + dice.below((max - min + 1) as u64) as i64).to_string());
        }
        Kind::Boolean => out.push_str(dice.pick(&["true", "false"])),
        Kind::Object(spec) => object(spec(), dice, out),
        Kind::MeterPoint => meter_point(dice, out),
        Kind::List { item, min, max, .. } => {
            let most = max.unwrap_or(min + 2);
            let len = min + dice.below(u64::from(most - min + 1)) as u32;
            out.push('[');
            for _ in 0..len {
                value(item, dice, out);
                out.push(',');
            }
            close(out, ']');
        }
        Kind::FreeObject => out.push_str(r#"{"b":[1.50,{"a":null}],"a":"x"}"#),
        Kind::FreeArray => out.push_str(r#"[{"term_type":"BILL_DUE_DATE","days":14},7,"é"]"#),
    }
}

fn widest_text(max: u32, out: &mut String) {
    out.push_str(&format!("\"{}\"", "\u{1d54f}".repeat(max as usize)));
}

fn text(min: u32, max: u32, dice: &mut Dice, out: &mut String) {
    const CHARACTERS: [&str; 14] =
        ["a", "Z", "5", "é", "漢", "\\n", "\\\"", "\\\\", "\\u00e9", "\\ud83d\\ude00", "/", " ", "x", "-"];
    let len = min + dice.below(u64::from(max.saturating_sub(min).min(12) + 1)) as u32;
    out.push('"');
    // The first character is no white space, so that the text is not blank.
    out.push('k');
    (1..len).for_each(|_| out.push_str(dice.pick(&CHARACTERS)));
    out.push('"');
}

fn day(dice: &mut Dice) -> String {
    format!("20{:02}-{:02}-{:02}", dice.below(26), 1 + dice.below(12), 1 + dice.below(28))
}

fn datetime(dice: &mut Dice, out: &mut String) {
    let separator = dice.pick(&["T", " ", ":"]);
    let seconds = dice.pick(&["", ":07", ":59.5", ":00.000001"]);
    let offset = dice.pick(&["", "Z", "+10:00", "-14:00", "+05:30"]);
    let time = format!("{:02}:{:02}", dice.below(24), dice.below(60));
    out.push_str(&format!("\"{}{separator}{time}{seconds}{offset}\"", day(dice)));
}

fn decimal(before: u32, after: u32, positive: bool, dice: &mut Dice, out: &mut String) {
    let digits = |n: u32, dice: &mut Dice| -> String {
        (0..n).map(|_| char::from(b'0' + dice.below(10) as u8)).collect()
    };
    let sign = if positive || dice.one_in(2) { "" } else { "-" };
    let (whole, places) = (1 + dice.below(u64::from(before)) as u32, dice.below(u64::from(after) + 1) as u32);
    let whole = format!("{}{}", 1 + dice.below(9), digits(whole - 1, dice));
    let fraction = if places == 0 { String::new() } else { format!(".{}", digits(places, dice)) };
    let zero = if places == 0 { "" } else { "0" };
    match dice.below(3) {
        0 => out.push_str(&format!("\"{sign}00{whole}{fraction}{zero}\"")),
        1 => out.push_str(&format!("{sign}{whole}{fraction}")),
        _ => out.push_str(&format!("{sign}{whole}{fraction}{zero}e0")),
    }
}

fn meter_point(dice: &mut Dice, out: &mut String) {
    let kind = dice.pick(&SupplyType::ALL);
    let supply_type = format!("\"supply_type\":\"{}\",", kind.as_str());
    let first = dice.one_in(2);
    out.push('{');
    if first {
        out.push_str(&supply_type);
    }
    members(MeterPointCommon::SPEC.fields, dice, out);
    members(Variant::spec(kind).fields, dice, out);
    if !first {
        out.push_str(&supply_type);
    }
    close(out, '}');
}
