//! The rules that use cases run themselves, where they meet what is stored: their rows of the catalogue.
//!
//! A use case reports one with [`Rule::issue`], or answers with its code where the body is another.

use crate::rule::{Needs, On, Rule};
use cutover_core::{Code, Level, RuleId};

const fn row(id: &'static str, codes: &'static [Code], place: &'static str, condition: &'static str) -> Rule {
    let (level, fixed, needs, on) = (Level::Error, true, Needs::Service, On::UseCase);
    Rule { id: RuleId(id), codes, place, condition, level, fixed, needs, on }
}

/// A supplier that takes no accounts now (contract D4).
pub const PST_02: Rule = row(
    "PST-02",
    &[Code::ImportSupplierMigrationNotOngoing],
    "the body of account creation",
    "the supplier is Paused or Complete",
);

/// An addition to an account that nothing is known of (contract D8).
pub const PST_03: Rule = row(
    "PST-03",
    &[Code::ImportProcessDoesNotExist],
    "the 404 body of notes, transactions and statements",
    "nothing is known for supplier and external account number, the supplier included",
);

/// An addition to an account that is not imported (contract D8, D9).
pub const PST_04: Rule = row(
    "PST-04",
    &[Code::AccountNotFound],
    "the 404 body of notes, transactions and statements; `external_account_number` and \
        `accounts.#.external_account_number` of payment instructions",
    "staged, but there is no account yet; for payment instructions: no account, for whatever cause",
);

/// An account that exists (contract D5).
pub const PST_05: Rule = row(
    "PST-05",
    &[Code::AccountImportProcessAlreadyImported],
    "the body of account creation",
    "there is an account for supplier and external account number",
);

/// A transaction of another period than the open one (contract D8).
pub const PST_06: Rule = row(
    "PST-06",
    &[Code::TransactionOutsideOpenStatementPeriod],
    "`transactions.#.transaction_date`",
    "outside the open statement period, and `force_add_to_current_statement` is false",
);

/// A transaction that would change one that is stored (contract D8).
pub const PST_07: Rule = row(
    "PST-07",
    &[Code::TransactionIdReusedWithDifferentContent],
    "`transactions.#.transaction_id`",
    "the account has it, and it was sent with another date, amount or type",
);

/// A statement that would change one that is stored (contract D8).
pub const PST_08: Rule = row(
    "PST-08",
    &[Code::HistoricalStatementAlreadyExists],
    "`statements.#.statement_id`",
    "the account has it from an earlier statements request with other content",
);

/// A contract that another business has (contract D9).
pub const PST_09: Rule = row(
    "PST-09",
    &[Code::ContractWithIdentifierExists],
    "`business.business_contracts.#.identifier`",
    "another business of the organisation has a contract with it",
);

/// What the payment vendor says of an instruction (contract D8).
pub const PST_11: Rule = row(
    "PST-11",
    &[
        Code::PaymentVendorUnknown,
        Code::PaymentInstructionNotFound,
        Code::PaymentInstructionTypeMismatch,
        Code::PaymentVendorRejected,
        Code::PaymentVendorUnavailable,
    ],
    "`vendor`, `reference`, `type` of payment instructions; the 500 body",
    "no such vendor is configured; it has no such instruction; it has it with another type; it refuses it; \
        it cannot be reached (500)",
);

/// A business that would change one that is stored (contract D9).
pub const PST_13: Rule = row(
    "PST-13",
    &[Code::BusinessAlreadyExists],
    "`external_business_identifier`",
    "the organisation has the business with other content",
);

/// A payment instruction for a business that is not there (contract D9).
pub const PST_14: Rule = row(
    "PST-14",
    &[Code::BusinessNotFound],
    "`external_business_identifier` of business payment instructions",
    "the organisation has no such business",
);

/// An account that is being imported (contract D5).
pub const PST_15: Rule = row(
    "PST-15",
    &[Code::AccountImportProcessInProgress],
    "the body of account creation",
    "its import process is IN_PROGRESS",
);

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_core::AttrPath;

    #[test]
    fn an_issue_says_which_rule_found_what() {
        let attr = AttrPath::root().name("transactions").index(3).name("transaction_date");
        let issue = PST_06.issue(attr.clone(), Code::TransactionOutsideOpenStatementPeriod);
        assert_eq!((issue.attr, issue.rule, issue.level), (attr, RuleId("PST-06"), Level::Error));
        assert_eq!(issue.detail, Code::TransactionOutsideOpenStatementPeriod.detail());
    }
}
