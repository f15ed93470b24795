use super::Target;
use super::assemble::json;
use cutover_client::{Assembly, Made, MappingSource};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

/// A mapping and the file that it is for.
pub(crate) const TARGET: Target = Target {
    name: "mapping",
    description: "a mapping and a table in CSV: a mapping that is refused says why, and no text is made up",
    run,
    seeds,
    words: &[
        "\"null\":",
        "\"date\":",
        "\"datetime\":",
        "\"decimal_mark\":",
        "\"thousands_mark\":",
        "\"guarded_formulas\":true",
        "\"encoding\":\"windows-1252\"",
        "\"delimiter\":\";\"",
        "\"columns\":{",
        "\"constants\":{",
        "\"codes\":{",
        "\"ignored\":[",
        "external_account_number",
        "transfer_balance",
        "date_of_sale",
        "DD/MM/YYYY",
        "1.234,50",
        "31/12/2026",
        "'=1",
    ],
    max: 4 << 10,
    executions: 1_500,
};

/// What separates the mapping from the file.
const BREAK: &[u8] = b"\n\n";

fn run(input: &[u8]) {
    let Some(at) = input.windows(BREAK.len()).position(|window| window == BREAK) else { return };
    let Ok(mapping) = std::str::from_utf8(&input[..at]) else { return };
    let file = &input[at + BREAK.len()..];
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("accounts.csv"), file).expect("a file");
    let accounts = match Assembly::new(&[folder.path().to_owned()], Some(MappingSource::Json(mapping))) {
        Ok(assembly) => accounts(&assembly),
        Err(error) => return assert!(!error.to_string().is_empty(), "it does not say why"),
    };
    let allowed = Allowed::of(mapping, file);
    accounts.iter().for_each(|account| allowed.check(account));
}

fn accounts(assembly: &Assembly) -> Vec<Value> {
    let accounts = Rc::new(RefCell::new(Vec::new()));
    let to = accounts.clone();
    let run = assembly.run(move |made| {
        if let Made::Account(account) = made {
            to.borrow_mut().extend(json(account.json()));
        }
        Ok(())
    });
    assert!(run.is_ok(), "{run:?}");
    accounts.take()
}

/// The texts of which those of accounts may consist.
struct Allowed {
    /// The texts of the mapping.
    mapping: HashSet<String>,
    /// The file without quotes, marks and apostrophes; `None` if it is not in UTF-8.
    file: Option<String>,
    /// The digits of the file.
    digits: String,
}

impl Allowed {
    fn of(mapping: &str, file: &[u8]) -> Self {
        let mut texts = HashSet::new();
        collect(&serde_json::from_str(mapping).unwrap_or_default(), &mut texts);
        let text = std::str::from_utf8(file).ok().filter(|_| !mapping.contains("encoding"));
        let digits = file.iter().filter(|byte| byte.is_ascii_digit()).map(|byte| char::from(*byte)).collect();
        Self { mapping: texts, file: text.map(bare), digits }
    }

    fn check(&self, member: &Value) {
        match member {
            Value::Object(members) => members.values().for_each(|member| self.check(member)),
            Value::Array(items) => items.iter().for_each(|item| self.check(item)),
            Value::String(text) => assert!(self.has(text), "{text:?} is made up"),
            _ => {}
        }
    }

    fn has(&self, text: &str) -> bool {
        self.mapping.contains(text)
            || self.file.as_ref().is_none_or(|file| file.contains(&bare(text)))
            || self.is_converted(text)
    }

    /// Days and decimals have the digits of their cells, in another order and with other marks.
    fn is_converted(&self, text: &str) -> bool {
        let is_of_digits = text.bytes().all(|byte| byte.is_ascii_digit() || b"-+.:TZ ".contains(&byte));
        let mut missing = text.chars().filter(char::is_ascii_digit);
        is_of_digits && missing.all(|digit| digit == '0' || self.digits.contains(digit))
    }
}

/// A text without the characters that reading takes off.
fn bare(text: &str) -> String {
    text.replace(['"', '\'', '\r', '\u{feff}'], "")
}

fn collect(json: &Value, texts: &mut HashSet<String>) {
    match json {
        Value::String(text) => drop(texts.insert(text.clone())),
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(members) => members.iter().for_each(|(_, member)| collect(member, texts)),
        _ => {}
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let seeds = [
        ("{}", "external_account_number,transfer_balance\nA-1,1.50\n"),
        (
            r#"{"delimiter":";","decimal_mark":",","thousands_mark":".","date":"DD/MM/YYYY","null":["-"],"tables":{"accounts":{"columns":{"external_account_number":"KUNDE"},"constants":{"import_supplier":"ACME"},"codes":{"billing_name":{"1":"One"}},"ignored":["x"]}}}"#,
            "KUNDE;transfer_balance;date_of_sale;billing_name;x\n007;-1.234,50;31/12/2026;1;?\n8;-;-;2;\n",
        ),
        (
            r#"{"guarded_formulas":true,"datetime":"YYYY-MM-DD hh:mm"}"#,
            "external_account_number,billing_name\nB,'=1+1\n\"C\",''+2\n",
        ),
        (r#"{"encoding":"windows-1252"}"#, "external_account_number,billing_name\nA,Mu\n"),
        (r#"{"tables":{"accounts":{"files":["kunden"]}}}"#, "external_account_number\nA\n"),
    ];
    seeds.iter().map(|(mapping, file)| [mapping.as_bytes(), BREAK, file.as_bytes()].concat()).collect()
}
