//! The check of the manifest: what a supplier has sent is what it has declared (contract D17).

use super::Finding;
use super::facts::Facts;
use cutover_model::TotalsDifference;

pub(super) fn manifest(facts: &Facts) -> Finding {
    let Some(manifest) = facts.reconciliation.manifest else {
        return Finding::warn(
            "The supplier has not declared what its files come to.",
            "Send a manifest: `cutover-client manifest FILES…` computes it.",
        );
    };
    let difference = TotalsDifference::of(facts.reconciliation.sent, manifest.declared);
    let [missing, unexpected] = &facts.differing;
    let has_same_numbers = missing.is_empty() && unexpected.is_empty();
    if !facts.reconciliation.differs() && has_same_numbers {
        return Finding::ok("What was sent is what the supplier has declared.");
    }
    let mut figures = vec![
        (difference.accounts.to_string(), "accounts".to_owned()),
        (difference.ledger_balance, "of the ledger balance".to_owned()),
        (difference.readings.to_string(), "readings".to_owned()),
        (difference.transactions.to_string(), "transactions".to_owned()),
        (difference.documents.to_string(), "documents".to_owned()),
    ];
    let of_table = |(table, rows): (&str, i64)| (rows.to_string(), format!("rows of {table}"));
    figures.extend(difference.counts.iter().map(of_table));
    let differing = figures.iter().filter(|(figure, _)| !is_zero(figure));
    let differing: Vec<String> = differing.map(|(figure, of)| format!("{} {of}", signed(figure))).collect();
    let named = |what: &str, numbers: &[String]| {
        (!numbers.is_empty()).then(|| format!("{what}: {}", numbers.join(", ")))
    };
    let named = [named("missing for example", missing), named("not declared for example", unexpected)];
    let said: Vec<String> = differing.into_iter().chain(named.into_iter().flatten()).collect();
    Finding::stop(
        format!("What was sent differs from what is declared: {}.", said.join(", ")),
        "Send what is missing, or cancel what is too much; if the declaration is wrong, send a manifest again.",
    )
}

fn is_zero(figure: &str) -> bool {
    !figure.contains(|c: char| c.is_ascii_digit() && c != '0')
}

fn signed(figure: &str) -> String {
    let figure = cutover_core::grouped(figure);
    if figure.starts_with('-') { figure } else { format!("+{figure}") }
}
