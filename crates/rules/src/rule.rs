use crate::at::At;
use crate::checker::{Checker, Running};
use crate::view::{Address, Meter, MeterPoint, Reading, Statement, Transaction, Transactions};
use cutover_core::{AttrPath, Code, Issue, Level, RuleId};
use cutover_model::{AccountRequest, Check, List, draft};

/// The inputs that decide a rule (rules 1.9).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// The request and the clock alone.
    Payload,
    /// Values that the supplier's settings have (contract D1) as well.
    Settings,
    /// Stored state or configuration.
    Service,
}

/// A rule of the catalogue: its documentation and its code.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// The id, for example `CUS-01`.
    pub id: RuleId,
    /// The codes of its issues.
    pub codes: &'static [Code],
    /// The members at which it reports issues.
    pub place: &'static str,
    /// The condition under which it reports an issue.
    pub condition: &'static str,
    /// The default level.
    pub level: Level,
    /// If set, the level cannot be changed (rules 1.5).
    pub fixed: bool,
    /// The inputs that it needs.
    pub needs: Needs,
    /// The objects that it checks, with its code.
    pub(crate) on: On,
}

impl Rule {
    /// The base of a rule that payload and clock decide: an error whose level can be changed.
    pub(crate) const OF_PAYLOAD: Self = Self {
        id: RuleId(""),
        codes: &[],
        place: "",
        condition: "",
        level: Level::Error,
        fixed: false,
        needs: Needs::Payload,
        on: On::UseCase,
    };

    /// The base of a rule that the payload and settings of the supplier decide: an error whose level can be changed.
    pub(crate) const OF_SETTINGS: Self = Self { needs: Needs::Settings, ..Self::OF_PAYLOAD };

    /// The base of a rule that needs stored state: an error with a fixed level.
    pub(crate) const OF_SERVICE: Self = Self { fixed: true, needs: Needs::Service, ..Self::OF_PAYLOAD };

    /// Creates the rule of a field check. Only the levels of its warnings can be changed (rules 1.5).
    pub(crate) const fn decoding(check: &'static Check) -> Self {
        Self {
            id: check.rule,
            codes: std::slice::from_ref(&check.code),
            place: check.place,
            condition: check.condition,
            level: check.level,
            fixed: matches!(check.level, Level::Error),
            needs: Needs::Payload,
            on: On::Decoding,
        }
    }

    /// Returns the default level in the requests after the import. It differs from `level` for few rules.
    pub fn level_after_import(&self) -> Level {
        let own = |on: &On| match on {
            On::AtLevel(level, _) => Some(*level),
            _ => None,
        };
        match self.on {
            On::Several(kinds) => kinds.iter().find_map(own).unwrap_or(self.level),
            on => own(&on).unwrap_or(self.level),
        }
    }

    /// Returns the condition without its links, which lead to headings of `docs/rules.md`.
    pub fn plain_condition(&self) -> String {
        without_links(self.condition)
    }

    /// Creates an issue of this rule at its default level, for the rules of [`crate::service`], which use
    /// cases run. The rule must declare the code.
    pub fn issue(&self, attr: AttrPath, code: Code) -> Issue {
        self.issue_at(self.level, attr, code)
    }

    /// Creates an issue of this rule at another level, which the supplier's profile has. The rule must declare the code.
    pub fn issue_at(&self, level: Level, attr: AttrPath, code: Code) -> Issue {
        self.at_level(level).issue(level, attr, code)
    }

    /// Returns the parts that the checker runs it with, at this default level.
    pub(crate) fn at_level(&self, level: Level) -> Running {
        Running { id: self.id, codes: self.codes, level }
    }
}

/// The objects that a rule checks. The walk calls it with each of them and its path.
#[derive(Debug, Clone, Copy)]
pub(crate) enum On {
    /// The decoder runs it.
    Decoding,
    /// A use case runs it, where it has the stored state: see [`crate::service`].
    UseCase,
    /// Objects of several kinds.
    Several(&'static [On]),
    /// Objects of a request after the import, with the default level of the rule there.
    AtLevel(Level, &'static On),
    /// Every account request, its task parameters included.
    Request(fn(&AccountRequest<'_>, &mut Checker<'_>)),
    /// Every account.
    Account(fn(&draft::Account<'_>, &mut Checker<'_>)),
    /// Every customer.
    Customer(fn(&draft::Customer<'_>, &At<'_>, &mut Checker<'_>)),
    /// Every property administrator.
    Administrator(fn(&draft::PropertyAdministrator<'_>, &At<'_>, &mut Checker<'_>)),
    /// Every address of a customer or a supply address entry, and of a gas meter point.
    Address(fn(Address<'_, '_>, &At<'_>, &mut Checker<'_>)),
    /// Every meter point.
    MeterPoint(fn(&MeterPoint<'_, '_>, &At<'_>, &mut Checker<'_>)),
    /// Every agreement, with its meter point.
    Agreement(fn(&draft::Agreement<'_>, &MeterPoint<'_, '_>, &At<'_>, &mut Checker<'_>)),
    /// Every meter, of all kinds.
    Meter(fn(&Meter<'_, '_>, &At<'_>, &mut Checker<'_>)),
    /// Every transfer and historical reading, of all kinds, with its meter.
    Reading(fn(&Reading<'_, '_>, &Meter<'_, '_>, &At<'_>, &mut Checker<'_>)),
    /// Every transfer reading, of all kinds, with its meter.
    TransferReading(fn(&Reading<'_, '_>, &Meter<'_, '_>, &At<'_>, &mut Checker<'_>)),
    /// Every historical reading, of all kinds, with its meter.
    HistoricalReading(fn(&Reading<'_, '_>, &Meter<'_, '_>, &At<'_>, &mut Checker<'_>)),
    /// Every ledger.
    Ledger(fn(&draft::Ledger<'_>, &At<'_>, &mut Checker<'_>)),
    /// All transactions of a payload together: of an account, or of a transactions request.
    Transactions(fn(Transactions<'_, '_>, &mut Checker<'_>)),
    /// Every transaction, of a ledger or of a request.
    Transaction(fn(&Transaction<'_, '_>, &At<'_>, &mut Checker<'_>)),
    /// Every line item.
    LineItem(fn(&draft::LineItem<'_>, &At<'_>, &mut Checker<'_>)),
    /// Every payment instruction of an account.
    Instruction(fn(&draft::AccountPaymentInstruction<'_>, &At<'_>, &mut Checker<'_>)),
    /// Every payment schedule.
    Schedule(fn(&draft::PaymentSchedule<'_>, &At<'_>, &mut Checker<'_>)),
    /// Every statement.
    Statement(fn(&Statement<'_, '_>, &At<'_>, &mut Checker<'_>)),
    /// Every event of the imported history.
    Event(fn(&draft::AccountEvent<'_>, &At<'_>, &mut Checker<'_>)),
    /// All notes of a payload together; the member is `notes`.
    Notes(fn(&List<draft::Note<'_>>, &mut Checker<'_>)),
    /// Every note.
    Note(fn(&draft::Note<'_>, &At<'_>, &mut Checker<'_>)),
    /// Every historical statements request.
    StatementsRequest(fn(&draft::HistoricalStatementsRequest<'_>, &mut Checker<'_>)),
    /// Every payment instruction request.
    InstructionRequest(fn(&draft::PaymentInstructionRequest<'_>, &mut Checker<'_>)),
    /// Every business payment instruction request.
    BusinessInstructionRequest(fn(&draft::BusinessPaymentInstructionRequest<'_>, &mut Checker<'_>)),
    /// Every business request.
    BusinessRequest(fn(&draft::BusinessRequest<'_>, &mut Checker<'_>)),
    /// Every business.
    Business(fn(&draft::Business<'_>, &At<'_>, &mut Checker<'_>)),
    /// Every contract of a business.
    Contract(fn(&draft::Contract<'_>, &At<'_>, &mut Checker<'_>)),
}

/// Returns the words of a text without the targets of its links.
fn without_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once('[') {
        plain.push_str(before);
        match link.split_once("](").and_then(|(words, target)| Some((words, target.split_once(')')?.1))) {
            Some((words, after)) => {
                plain.push_str(words);
                rest = after;
            }
            None => {
                plain.push('[');
                rest = link;
            }
        }
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::without_links;

    #[test]
    fn links_become_words() {
        assert_eq!(without_links("not [a sum](#82-sums) of [x"), "not a sum of [x");
        assert_eq!(without_links("a [b]"), "a [b]");
    }
}
