use super::client::wait;
use super::supplier::{Supplier, is_done};
use crate::error::Error;
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Instant;

/// Number of accounts in a request. Its results are read afterwards, so they have to fit in the buffers between.
const CHUNK: usize = 50;
/// Maximum number of errors that are shown.
const TOP: usize = 6;

/// Sends generated accounts in bulk, each chunk validated first, and waits until all are imported.
pub(super) fn send(supplier: &mut Supplier<'_>, count: usize) -> Result<Refusals, Error> {
    let out = supplier.out;
    out.chapter(&format!("11. {count} accounts in bulk, imported as they come"));
    // Their documents are not written: there would be thousands of files.
    supplier.verify_documents(false)?;
    let (begin, mut refusals) = (Instant::now(), Refusals::default());
    for from in (0..count).step_by(CHUNK) {
        let sent = (from + CHUNK).min(count);
        let lines: String = (from..sent).map(|_| format!("{}\n", supplier.accounts.next().payload)).collect();
        for (number, validated) in supplier.client.bulk("?validate_only=true", lines.clone())? {
            if validated.status == 400 {
                refusals.add(&number, validated.errors());
            }
        }
        let created = supplier.client.bulk("", lines)?;
        let refused = created.iter().filter(|(_, reply)| reply.status != 201).count();
        let text = format!("{sent} of {count} sent, {refused} of the last refused");
        out.progress(sent, count, &text, false);
    }
    wait("the end of the import", || supplier.progress(), is_done)?;
    let text = format!("all in {:.1?}, {} refused", begin.elapsed(), refusals.accounts);
    out.progress(count, count, &text, true);
    Ok(refusals)
}

/// The refused accounts and their errors.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    pub(super) accounts: usize,
    errors: BTreeMap<(String, String), (usize, String)>,
}

impl Refusals {
    /// Adds an account with its errors.
    pub(super) fn add<'e>(&mut self, number: &str, errors: impl Iterator<Item = (&'e str, &'e str)>) {
        self.accounts += 1;
        for (attr, code) in errors {
            let part = |part| if str::parse::<usize>(part).is_ok() { "#" } else { part };
            let attr = attr.split('.').map(part).collect::<Vec<_>>().join(".");
            self.errors.entry((attr, code.to_owned())).or_insert_with(|| (0, number.to_owned())).0 += 1;
        }
    }

    /// The most frequent errors, each with its path, with `#` for every index, and an account that has it.
    pub(super) fn top(&self) -> Vec<Value> {
        let mut errors: Vec<_> = self.errors.iter().collect();
        errors.sort_by_key(|(_, (count, _))| Reverse(*count));
        let error = |(key, value): (&(String, String), &(usize, String))| {
            let ((attr, code), (count, example)) = (key, value);
            json!({"attr": attr, "code": code, "count": count, "example": example})
        };
        errors.into_iter().take(TOP).map(error).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_counted_by_path_and_code_the_most_frequent_first() {
        let mut refusals = Refusals::default();
        refusals.add("C-1", [("customers.0.email", "invalid_email")].into_iter());
        let errors = [("custmers", "unknown_field"), ("customers.3.email", "invalid_email")];
        refusals.add("C-2", errors.into_iter());
        assert_eq!(
            refusals.top(),
            [
                json!({"attr": "customers.#.email", "code": "invalid_email", "count": 2, "example": "C-1"}),
                json!({"attr": "custmers", "code": "unknown_field", "count": 1, "example": "C-2"}),
            ]
        );
        assert_eq!(refusals.accounts, 2);
    }
}
