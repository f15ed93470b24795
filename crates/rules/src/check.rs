use crate::checker::Checker;
use crate::report::Collector;
use crate::{Facts, Profile, Report};
use cutover_core::{Code, Issue, Level};
use cutover_model::{AccountRequest, Decoded, Finding, draft};

/// Checks a decoded account request and returns the findings of the decoder and of every rule.
pub fn check_account(decoded: &Decoded<AccountRequest<'_>>, facts: Facts<'_>, profile: &Profile) -> Report {
    check_account_from(Level::Warning, decoded, facts, profile)
}

/// Like [`check_account`], but returns only the findings of this level and above, and runs no rule below it: for answers
/// that show errors alone.
pub fn check_account_from(
    least: Level,
    decoded: &Decoded<AccountRequest<'_>>,
    facts: Facts<'_>,
    profile: &Profile,
) -> Report {
    check(least, decoded, facts, profile, crate::walk::account_request)
}

/// Defines the checks of the other requests.
macro_rules! checks {
    ($($(#[doc = $doc:literal])+ $function:ident($request:ident) => $walk:ident;)*) => {
        $(
            $(#[doc = $doc])+
            pub fn $function(
                decoded: &Decoded<draft::$request<'_>>,
                facts: Facts<'_>,
                profile: &Profile,
            ) -> Report {
                check(Level::Warning, decoded, facts, profile, crate::walk::$walk)
            }
        )*
    };
}

checks! {
    /// Checks a decoded notes request. The use case finds its supplier and account (rules PST-03, PST-04).
    check_notes(NotesRequest) => notes_request;
    /// Checks a decoded transactions request. The use case finds its supplier and account (rules PST-03,
    /// PST-04) and compares it with the stored ledger (rules PST-06, PST-07).
    check_transactions(TransactionsRequest) => transactions_request;
    /// Checks a decoded historical statements request. The use case finds its supplier and account (rules
    /// PST-03, PST-04) and compares it with the stored statements (rule PST-08).
    check_historical_statements(HistoricalStatementsRequest) => statements_request;
    /// Checks a decoded payment instruction request, including its supplier. The use case finds the account
    /// and asks the vendor (rules PST-04, PST-11).
    check_payment_instruction(PaymentInstructionRequest) => instruction_request;
    /// Checks a decoded business request, including its supplier. The use case compares it with the stored
    /// businesses and contracts (rules PST-09, PST-13).
    check_business(BusinessRequest) => business_request;
    /// Checks a decoded business payment instruction request, including its supplier. The use case finds the
    /// business and the accounts, and asks the vendor (rules PST-04, PST-11, PST-14).
    check_business_payment_instruction(BusinessPaymentInstructionRequest) => business_instruction_request;
    /// Checks a decoded manifest (contract D17), which has no rules but those of its members.
    check_manifest(ManifestRequest) => manifest_request;
    /// Checks a decoded part of account numbers (contract D17), which has no rules but those of its members.
    check_manifest_numbers(ManifestNumbersRequest) => manifest_numbers_request;
    /// Checks a decoded run (contract D23), which has no rules but those of its members.
    check_run(RunRequest) => run_request;
    /// Checks a decoded search for accounts (contract D12), which has no rules but those of its members.
    check_account_search(AccountSearchRequest) => account_search_request;
}

fn check<T>(
    least: Level,
    decoded: &Decoded<T>,
    facts: Facts<'_>,
    profile: &Profile,
    walk: impl FnOnce(&T, &mut Checker<'_>),
) -> Report {
    let mut collector = Collector::new(least);
    decoded.findings.iter().for_each(|finding| collector.add(issue_of(finding, profile)));
    if let Some(request) = &decoded.draft {
        walk(request, &mut Checker::new(facts, profile.values(), profile.levels(), &mut collector));
    }
    collector.finish()
}

/// The issue of a finding of the decoder, at the level of the profile.
fn issue_of(finding: &Finding, profile: &Profile) -> Issue {
    let Finding { attr, check, detail } = finding;
    let level = match check.code {
        Code::UnknownField => profile.undocumented().level(attr),
        _ => profile.level_of(check.rule).unwrap_or(check.level),
    };
    Issue { attr: attr.clone(), code: check.code, rule: check.rule, level, detail: detail.clone() }
}
