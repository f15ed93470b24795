//! Rules that need stored state. Most of them are run by use cases.
//!
//! A use case reports an issue with [`Rule::issue`], or answers with the code where the body has no list of
//! errors.

mod another_account;
mod another_business;
mod contract_known;
mod erased_account;
mod import_supplier;
mod similar_number;
mod unknown_vendor;

pub(crate) use another_account::PST_12;
pub(crate) use another_business::BUS_10;
pub(crate) use erased_account::PST_17;
pub(crate) use similar_number::PST_20;
pub(crate) use unknown_vendor::PST_18;

use crate::prelude::*;

/// In the order of the catalogue.
pub(crate) const RULES: &[Rule] = &[
    import_supplier::PST_01,
    PST_02,
    PST_03,
    PST_04,
    PST_05,
    PST_06,
    PST_07,
    PST_08,
    PST_09,
    contract_known::PST_10,
    PST_11,
    PST_12,
    PST_13,
    PST_14,
    PST_15,
    PST_16,
    PST_17,
    PST_18,
    PST_19,
    PST_20,
];

/// Creation of an account whose supplier is paused or complete (contract D4).
pub const PST_02: Rule = Rule {
    id: RuleId("PST-02"),
    codes: &[Code::ImportSupplierMigrationNotOngoing],
    place: "the body of account creation",
    condition: "the supplier is Paused or Complete",
    ..Rule::OF_SERVICE
};

/// An addition to an unknown account (contract D8).
pub const PST_03: Rule = Rule {
    id: RuleId("PST-03"),
    codes: &[Code::ImportProcessDoesNotExist],
    place: "the 404 body of notes, transactions and statements",
    condition: "nothing is known for supplier and external account number, the supplier included",
    ..Rule::OF_SERVICE
};

/// An addition to an account that is not imported yet (contract D8, D9).
pub const PST_04: Rule = Rule {
    id: RuleId("PST-04"),
    codes: &[Code::AccountNotFound],
    place: "the 404 body of notes, transactions and statements; `external_account_number` and \
        `accounts.#.external_account_number` of payment instructions",
    condition: "staged, but there is no account yet; for payment instructions: no account, for whatever cause",
    ..Rule::OF_SERVICE
};

/// Creation of an account that exists (contract D5).
pub const PST_05: Rule = Rule {
    id: RuleId("PST-05"),
    codes: &[Code::AccountImportProcessAlreadyImported],
    place: "the body of account creation",
    condition: "there is an account for supplier and external account number",
    ..Rule::OF_SERVICE
};

/// A transaction outside the open statement period (contract D8).
pub const PST_06: Rule = Rule {
    id: RuleId("PST-06"),
    codes: &[Code::TransactionOutsideOpenStatementPeriod],
    place: "`transactions.#.transaction_date`",
    condition: "outside the open statement period, and `force_add_to_current_statement` is false",
    ..Rule::OF_SERVICE
};

/// A transaction id that is stored with different content (contract D8).
pub const PST_07: Rule = Rule {
    id: RuleId("PST-07"),
    codes: &[Code::TransactionIdReusedWithDifferentContent],
    place: "`transactions.#.transaction_id`",
    condition: "the account has it, and it was sent with another date, amount or type",
    ..Rule::OF_SERVICE
};

/// A statement id that is stored with different content (contract D8).
pub const PST_08: Rule = Rule {
    id: RuleId("PST-08"),
    codes: &[Code::HistoricalStatementAlreadyExists],
    place: "`statements.#.statement_id`",
    condition: "the account has it from an earlier statements request with other content",
    ..Rule::OF_SERVICE
};

/// A contract identifier that belongs to another business (contract D9).
pub const PST_09: Rule = Rule {
    id: RuleId("PST-09"),
    codes: &[Code::ContractWithIdentifierExists],
    place: "`business.business_contracts.#.identifier`",
    condition: "another business of the organisation has a contract with it",
    ..Rule::OF_SERVICE
};

/// A payment instruction that its vendor does not confirm (contract D8).
pub const PST_11: Rule = Rule {
    id: RuleId("PST-11"),
    codes: &[
        Code::PaymentVendorUnknown,
        Code::PaymentInstructionNotFound,
        Code::PaymentInstructionTypeMismatch,
        Code::PaymentVendorRejected,
        Code::PaymentVendorUnavailable,
    ],
    place: "`vendor`, `reference`, `type` of payment instructions; the 500 body",
    condition: "no such vendor is configured; it has no such instruction; it has it with another type; it refuses it; \
        it cannot be reached (500)",
    ..Rule::OF_SERVICE
};

/// A charge of a period that the account was charged for already (contract D8).
pub const PST_19: Rule = Rule {
    id: RuleId("PST-19"),
    codes: &[Code::LineItemsOverlapAlreadyChargedPeriod],
    place: "`transactions.#.line_items.#.start_date` of the transactions request",
    condition: "SUPPLY_CHARGE of at least 0: overlaps a line item, both ends included, of another such transaction of the account \
        with the same `product_code` and `rate_band`",
    level: Level::Warning,
    fixed: false,
    ..Rule::OF_SERVICE
};

/// A business that is stored with different content (contract D9).
pub const PST_13: Rule = Rule {
    id: RuleId("PST-13"),
    codes: &[Code::BusinessAlreadyExists],
    place: "`external_business_identifier`",
    condition: "the organisation has the business with other content",
    ..Rule::OF_SERVICE
};

/// A payment instruction for an unknown business (contract D9).
pub const PST_14: Rule = Rule {
    id: RuleId("PST-14"),
    codes: &[Code::BusinessNotFound],
    place: "`external_business_identifier` of business payment instructions",
    condition: "the organisation has no such business",
    ..Rule::OF_SERVICE
};

/// Creation of an account that is being imported (contract D5).
pub const PST_15: Rule = Rule {
    id: RuleId("PST-15"),
    codes: &[Code::AccountImportProcessInProgress],
    place: "the body of account creation",
    condition: "its import process is IN_PROGRESS",
    ..Rule::OF_SERVICE
};

/// A replacement of a business without a contract that an account refers to (contract D13).
pub const PST_16: Rule = Rule {
    id: RuleId("PST-16"),
    codes: &[Code::ContractInUse],
    place: "`business.business_contracts` of a business that is replaced",
    condition: "an account that is imported, or waits to be, refers to a contract that the business has no longer",
    ..Rule::OF_SERVICE
};

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_core::AttrPath;

    #[test]
    fn an_issue_has_path_rule_level_and_text() {
        let attr = AttrPath::root().name("transactions").index(3).name("transaction_date");
        let issue = PST_06.issue(attr.clone(), Code::TransactionOutsideOpenStatementPeriod);
        assert_eq!((issue.attr, issue.rule, issue.level), (attr, RuleId("PST-06"), Level::Error));
        assert_eq!(issue.detail, Code::TransactionOutsideOpenStatementPeriod.message());
    }
}
