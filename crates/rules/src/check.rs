use crate::at::At;
use crate::report::Collector;
use crate::{Facts, Profile, Report, Rule};
use chrono::NaiveDate;
use cutover_core::{AttrPath, Code, Issue, Level};
use cutover_model::{AccountRequest, Decoded, draft};

/// Checks a decoded account request: the findings of the decoder and of every rule (rules 1).
pub fn check_account(decoded: &Decoded<AccountRequest<'_>>, facts: Facts, profile: &Profile) -> Report {
    check(decoded, facts, profile, crate::walk::request)
}

/// Checks a decoded transactions request, as far as the request and the clock decide (rules 1).
pub fn check_transactions(
    decoded: &Decoded<draft::TransactionsRequest<'_>>,
    facts: Facts,
    profile: &Profile,
) -> Report {
    check(decoded, facts, profile, crate::walk::transactions)
}

fn check<T>(
    decoded: &Decoded<T>,
    facts: Facts,
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
    pub(crate) facts: Facts,
    /// The current day in the zone of the supplier, worked out once.
    pub(crate) today: NaiveDate,
    profile: &'c Profile,
    collector: &'c mut Collector,
    running: Option<(&'static Rule, Level)>,
}

impl Checker<'_> {
    /// Runs one rule, unless it is off.
    #[inline]
    pub(crate) fn run(&mut self, index: usize, rule: &'static Rule, f: impl FnOnce(&mut Self)) {
        let level = self.profile.level_at(index);
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
        debug_assert!(rule.codes.contains(&code), "{} gives {code}, which it does not declare", rule.id);
        self.collector.add(Issue { attr, code, rule: rule.id, level, detail: code.detail().into() });
    }
}
