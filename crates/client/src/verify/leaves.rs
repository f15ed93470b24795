use super::accounts::Accounts;
use super::outcome::{Differing, Outcome};
use cutover_model::Totals;
use cutover_model::certificate::{Certificate, Leaf, LeafTotals, MerkleRoot, hash_of_line};
use cutover_model::rust_decimal::Decimal;
use std::collections::BTreeMap;
use std::io::{self, BufRead};

/// Reads all leaves of a certificate, compares their tree, their counts and their sums with it, and each with the account
/// of the files.
pub(super) fn compare(
    mut lines: impl BufRead,
    certificate: &Certificate,
    accounts: &mut Accounts,
    outcome: &mut Outcome,
) -> io::Result<()> {
    let (mut root, mut last) = (MerkleRoot::default(), None::<String>);
    let (mut counts, mut imported) = (BTreeMap::<String, u64>::new(), Some(Totals::default()));
    let mut line = Vec::new();
    loop {
        line.clear();
        if lines.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        let text = line.trim_ascii();
        if text.is_empty() {
            continue;
        }
        let (hash, leaf) = match hash_of_line(text) {
            Ok(read) => read,
            Err(error) => {
                outcome.problem(format!("line {} of the leaves: {error}", root.leaves() + 1));
                return Ok(());
            }
        };
        root.push(hash);
        let Some(leaf) = leaf else {
            outcome.erased += 1;
            continue;
        };
        *counts.entry(leaf.status.clone()).or_default() += 1;
        if let Some(totals) = &leaf.totals {
            imported = imported.and_then(|sum| sum.checked_add(totals_of(totals)?));
        }
        if leaf.import_supplier != certificate.import_supplier {
            outcome.problem(format!("a leaf is of the supplier {}", leaf.import_supplier));
        }
        if last.as_deref().is_some_and(|last| last >= leaf.external_account_number.as_str()) {
            outcome.problem("the leaves are not in the order of the account numbers");
        }
        compare_leaf(&leaf, accounts, outcome);
        last = Some(leaf.external_account_number);
    }
    outcome.leaves = root.leaves();
    if root.leaves() != certificate.accounts {
        outcome.problem(format!(
            "there are {} leaves, and the certificate is about {} accounts",
            root.leaves(),
            certificate.accounts
        ));
    }
    outcome.root = certificate.root() == Some(root.root());
    if !outcome.root {
        outcome.problem("the leaves do not come to the root of the certificate");
    }
    if outcome.erased == 0 {
        compare_figures(certificate, &counts, imported, outcome);
    }
    Ok(())
}

/// Compares counts and sums with those of the certificate. Those of erased accounts are gone, so this needs all leaves.
fn compare_figures(
    certificate: &Certificate,
    counts: &BTreeMap<String, u64>,
    imported: Option<Totals>,
    outcome: &mut Outcome,
) {
    let stated: BTreeMap<String, u64> =
        serde_json::to_value(&certificate.counts).and_then(serde_json::from_value).unwrap_or_default();
    let words = stated.keys().chain(counts.keys());
    let of = |counts: &BTreeMap<String, u64>, word: &String| counts.get(word).copied().unwrap_or_default();
    if words.into_iter().any(|word| of(&stated, word) != of(counts, word)) {
        outcome.problem("the statuses of the leaves are not as the certificate counts them");
    }
    let sums = imported.map(cutover_model::ControlTotals::from);
    if sums.as_ref() != Some(&certificate.manifest.imported) {
        outcome.problem("the totals of the leaves do not come to those of the certificate");
    }
}

/// Compares a leaf with the account of the files.
pub(super) fn compare_leaf(leaf: &Leaf, accounts: &mut Accounts, outcome: &mut Outcome) {
    let number = &leaf.external_account_number;
    let Some(sent) = accounts.take(number) else {
        return outcome.extra.push(number.as_str().into());
    };
    let Some(content) = &leaf.content else {
        return outcome.without_content.push(number.as_str().into());
    };
    if *content != sent.content.to_string() {
        return outcome.differing.push(Differing { number: number.as_str().into(), what: "content" });
    }
    if let (Some(stated), Some(own)) = (&leaf.totals, sent.totals)
        && !own.is_stated_by(stated)
    {
        outcome.differing.push(Differing { number: number.as_str().into(), what: "totals" });
    }
}

fn totals_of(totals: &LeafTotals) -> Option<Totals> {
    Some(Totals {
        accounts: 1,
        ledger_balance: Decimal::from_str_exact(&totals.ledger_balance).ok()?,
        readings: totals.readings,
        transactions: totals.transactions,
        documents: totals.documents,
        rows: totals.counts,
    })
}
