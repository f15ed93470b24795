use crate::at::At;
use crate::check::Checker;
use crate::view::{Address, Meter, MeterPoint, Reading, Statement, Transaction, Transactions};
use cutover_core::{AttrPath, Code, Issue, Level, RuleId};
use cutover_model::{AccountRequest, Check, List, draft};

/// What a rule needs to be decided (rules 1.9).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// The request and the clock alone.
    Payload,
    /// Stored state or configuration.
    Service,
}

/// A rule of the catalogue: its manual page and its code.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// The id, such as `CUS-01`.
    pub id: RuleId,
    /// The codes it gives.
    pub codes: &'static [Code],
    /// Which members it looks at.
    pub place: &'static str,
    /// When it fires.
    pub condition: &'static str,
    /// Its level by default.
    pub level: Level,
    /// Whether the level is fixed (rules 1.5).
    pub fixed: bool,
    /// What it needs.
    pub needs: Needs,
    /// The code, and which objects it is run on.
    pub(crate) on: On,
}

impl Rule {
    /// The members that most rules share: an error by default, whose level can be set. A rule adds the rest.
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

    /// The same of rules that need stored state: their level is fixed.
    pub(crate) const OF_SERVICE: Self = Self { fixed: true, needs: Needs::Service, ..Self::OF_PAYLOAD };

    /// The row of a field check. Only remarks of the decoder can be set otherwise (rules 1.5).
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

    /// Its level by default in the requests after the import; for nearly every rule the same.
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

    /// A finding of this rule; for those of [`crate::service`], which use cases run. The code is one that
    /// the rule declares.
    pub fn issue(&self, attr: AttrPath, code: Code) -> Issue {
        self.issue_at(self.level, attr, code)
    }

    /// A finding of this rule, at the level that counts.
    pub(crate) fn issue_at(&self, level: Level, attr: AttrPath, code: Code) -> Issue {
        debug_assert!(self.codes.contains(&code), "{} gives {code}, which it does not declare", self.id);
        Issue { attr, code, rule: self.id, level, detail: code.detail().into() }
    }
}

/// Which objects a rule is run on; the walk gives it each of them with its path.
#[derive(Debug, Clone, Copy)]
pub(crate) enum On {
    /// The decoder runs it.
    Decoding,
    /// A use case runs it, where it meets what is stored: see [`crate::service`].
    UseCase,
    /// Objects of several kinds.
    Several(&'static [On]),
    /// Objects of a request after the import, where the rule has another level by default.
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
    /// Every meter of whatever kind.
    Meter(fn(&Meter<'_, '_>, &At<'_>, &mut Checker<'_>)),
    /// Every transfer and historical reading of whatever kind, with its meter.
    Reading(fn(&Reading<'_, '_>, &Meter<'_, '_>, &At<'_>, &mut Checker<'_>)),
    /// Every transfer reading of whatever kind, with its meter.
    TransferReading(fn(&Reading<'_, '_>, &Meter<'_, '_>, &At<'_>, &mut Checker<'_>)),
    /// Every historical reading of whatever kind, with its meter.
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
