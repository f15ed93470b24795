use crate::at::At;
use crate::report::Collector;
use crate::{Facts, Profile, Report, Rule};
use chrono::NaiveDate;
use cutover_core::{AttrPath, Code, Level};
use cutover_model::{AccountRequest, Decoded, draft};

/// Checks a decoded account request: the findings of the decoder and of every rule (rules 1).
pub fn check_account(decoded: &Decoded<AccountRequest<'_>>, facts: Facts<'_>, profile: &Profile) -> Report {
    check(decoded, facts, profile, crate::walk::account_request)
}

/// The checks of the requests that come bare only.
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
    /// Checks a decoded notes request, as far as the request, the clock and the documents decide (rules 1).
    /// Its supplier and account are the use case's to find (rules PST-03, PST-04).
    check_notes(NotesRequest) => notes_request;
    /// Checks a decoded transactions request, as far as the request and the clock decide (rules 1). Its
    /// supplier and account are the use case's to find (rules PST-03, PST-04), and so is what is stored of
    /// them (rules PST-06, PST-07).
    check_transactions(TransactionsRequest) => transactions_request;
    /// Checks a decoded historical statements request, as far as the request, the clock and the documents
    /// decide (rules 1). Its supplier and account are the use case's to find (rules PST-03, PST-04), and so
    /// are the statements stored (rules PST-08).
    check_historical_statements(HistoricalStatementsRequest) => statements_request;
    /// Checks a decoded payment instruction request, its supplier included (rules 1). Its account and its
    /// vendor are the use case's to ask for (rules PST-04, PST-11).
    check_payment_instruction(PaymentInstructionRequest) => instruction_request;
    /// Checks a decoded business request, its supplier included (rules 1). Businesses and contracts that are
    /// stored are the use case's to compare with (rules PST-09, PST-13).
    check_business(BusinessRequest) => business_request;
    /// Checks a decoded business payment instruction request, its supplier included (rules 1). The business,
    /// the accounts and the vendor are the use case's to ask for (rules PST-04, PST-11, PST-14).
    check_business_payment_instruction(BusinessPaymentInstructionRequest) => business_instruction_request;
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

/// What a rule is given besides the object: the facts, and where to report.
pub(crate) struct Checker<'c> {
    /// What is known besides the payload.
    pub(crate) facts: Facts<'c>,
    /// The current day in the zone of the supplier, worked out once.
    pub(crate) today: NaiveDate,
    profile: &'c Profile,
    collector: &'c mut Collector,
    running: Option<(&'static Rule, Level)>,
}

impl Checker<'_> {
    /// Runs one rule, unless it is off: at this level, or at the one that the profile sets.
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

    /// The rule that runs found something here.
    #[cold]
    #[inline(never)]
    pub(crate) fn report(&mut self, at: At<'_>, code: Code) {
        self.report_path(at.to_path(), code);
    }

    fn report_path(&mut self, attr: AttrPath, code: Code) {
        let Some((rule, level)) = self.running else { return };
        self.collector.add(rule.issue_at(level, attr, code));
    }
}
