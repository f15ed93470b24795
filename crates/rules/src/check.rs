use crate::at::At;
use crate::report::Collector;
use crate::{Facts, Profile, Report, Rule};
use chrono::NaiveDate;
use cutover_core::{Code, Issue, Level};
use cutover_model::{AccountRequest, Decoded, draft};
use std::fmt;

/// Checks a decoded account request and returns the findings of the decoder and of every rule.
pub fn check_account(decoded: &Decoded<AccountRequest<'_>>, facts: Facts<'_>, profile: &Profile) -> Report {
    check(decoded, facts, profile, crate::walk::account_request)
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
                check(decoded, facts, profile, crate::walk::$walk)
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
}

fn check<T>(
    decoded: &Decoded<T>,
    facts: Facts<'_>,
    profile: &Profile,
    walk: impl FnOnce(&T, &mut Checker<'_>),
) -> Report {
    let mut collector = Collector::default();
    collector.take_findings(&decoded.findings, profile);
    if let Some(request) = &decoded.draft {
        let today = facts.now.today();
        walk(request, &mut Checker { facts, today, profile, collector: &mut collector, running: None });
    }
    collector.finish()
}

/// The context of a rule: the facts, and a function to report issues.
pub(crate) struct Checker<'c> {
    /// The inputs other than the payload.
    pub(crate) facts: Facts<'c>,
    /// The current day in the zone of the supplier.
    pub(crate) today: NaiveDate,
    profile: &'c Profile,
    collector: &'c mut Collector,
    running: Option<(&'static Rule, Level)>,
}

impl Checker<'_> {
    /// Runs one rule unless it is off. Its level is that of the profile, or else `default`.
    #[inline]
    pub(crate) fn run(
        &mut self,
        index: usize,
        rule: &'static Rule,
        default: Level,
        f: impl FnOnce(&mut Self),
    ) {
        let level = self.profile.level_set(index).unwrap_or(default);
        if level != Level::Off {
            self.running = Some((rule, level));
            f(self);
        }
    }

    /// Reports an issue of the running rule.
    #[cold]
    #[inline(never)]
    pub(crate) fn report(&mut self, at: At<'_>, code: Code) {
        let Some((rule, level)) = self.running else { return };
        self.collector.add(rule.issue_at(level, at.to_path(), code));
    }

    /// Reports an issue of the running rule with a text of its own, followed by the advice of the code. Of the
    /// payload the text may hold lengths and sums only.
    #[cold]
    #[inline(never)]
    pub(crate) fn report_as(&mut self, at: At<'_>, code: Code, text: fmt::Arguments<'_>) {
        let Some((rule, level)) = self.running else { return };
        let detail = format!("{text} {}", code.advice()).into();
        self.collector.add(Issue { detail, ..rule.issue_at(level, at.to_path(), code) });
    }
}
