//! Compares what certificates say of accounts with the requests that were acknowledged.

use crate::model::Model;
use crate::payloads::request;
use crate::simulation::Simulation;
use crate::specs::{AccountRef, StatementSpec};
use cutover_app::certificate::certified_accounts;
use cutover_app::port::{CertifiedAccount, StoredProcess, Supplier, read};
use cutover_model::certificate::{Addition, account_content, addition_contents, certified_content};
use cutover_model::{ContentHash, Totals};
use cutover_process::State;

/// Number of accounts that are read at a time: few, so that there are several pages.
const PAGE: u32 = 2;

impl Simulation {
    /// Compares the leaves of a certificate with the accounts of a supplier; `totals` are those of all that are imported.
    pub(crate) fn fault_of_certificate(
        &self,
        supplier: &Supplier,
        all: &[(AccountRef, StoredProcess)],
        totals: Totals,
    ) -> Option<String> {
        let mut leaves: Vec<CertifiedAccount> = Vec::new();
        loop {
            let after = leaves.last().map(|leaf| leaf.number.to_string()).unwrap_or_default();
            let page = read(&*self.truth, |tx| certified_accounts(tx, supplier.id, &after, PAGE)).unwrap();
            if page.is_empty() {
                break;
            }
            leaves.extend(page);
        }
        let mut expected: Vec<_> = all
            .iter()
            .map(|(account, stored)| {
                (account.external(), stored.process.state(), self.content(*account, stored))
            })
            .collect();
        expected.sort_by(|a, b| a.0.cmp(&b.0));
        let certified: Vec<_> =
            leaves.iter().map(|leaf| (leaf.number.to_string(), leaf.state, leaf.content)).collect();
        if certified != expected {
            return Some(format!("a certificate covers {certified:?}, not {expected:?}"));
        }
        let sum = leaves.iter().filter_map(|leaf| leaf.totals);
        let sum = sum.fold(Totals::default(), |sum, one| sum.checked_add(one).unwrap());
        (sum != totals).then(|| format!("the totals of a certificate are {sum:?}, not {totals:?}"))
    }

    /// The hash of everything that was sent of an account and acknowledged.
    fn content(&self, account: AccountRef, stored: &StoredProcess) -> Option<ContentHash> {
        let last = self.last_submission(account)?;
        let payload = account_content(last.body.as_bytes()).unwrap();
        let is_imported = stored.process.state() == State::Processed;
        let added = self.with_model(account, |model| added(account, model)).filter(|_| is_imported);
        Some(certified_content(payload, added.unwrap_or_default()))
    }
}

/// The hashes of what was added to an account.
fn added(account: AccountRef, model: &Model) -> Vec<ContentHash> {
    let list = |member: &str, json: String| format!("{{\"{member}\":[{json}]}}");
    let notes = model.added_notes().into_iter().map(|spec| (Addition::Note, list("notes", spec.json())));
    let transactions = model.added_transactions().iter();
    let transactions = transactions.map(|spec| (Addition::Transaction, list("transactions", spec.json())));
    let statements = model.statements.iter().map(|(id, version)| {
        let spec = StatementSpec { id: *id, version: *version };
        (Addition::HistoricalStatement, list("statements", spec.json()))
    });
    let instructions = model.instructions.iter();
    let instructions = instructions.map(|spec| {
        let (reference, kind) = (spec.reference(), spec.kind());
        let members = format!(r#""vendor":"pay","reference":"{reference}","type":"{kind}""#);
        (Addition::PaymentInstruction, request(account, &members))
    });
    notes
        .chain(transactions)
        .chain(statements)
        .chain(instructions)
        .flat_map(|(kind, body)| addition_contents(kind, body.as_bytes()).unwrap())
        .collect()
}
