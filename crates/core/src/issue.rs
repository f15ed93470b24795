use crate::{AttrPath, Code};
use std::borrow::Cow;
use std::fmt;

/// The id of a rule in the catalogue, for example `PIN-01`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(pub &'static str);

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

crate::string_enum! {
    "a level";
    /// The severity of the findings of a rule (rules 1.5). Ordered: the higher level counts.
    #[derive(PartialOrd, Ord)]
    pub enum Level {
        /// The rule is not run.
        Off = "off",
        /// Recorded and shown; never changes an answer's status.
        Warning = "warning",
        /// The request is refused.
        Error = "error",
    }
}

crate::string_enum! {
    "a source of issues";
    /// The request that an issue is about (contract D13).
    #[derive(Default)]
    pub enum IssueSource {
        /// The account, as it was sent or imported.
        #[default]
        Account = "account",
        /// Notes that were added after the import.
        Notes = "notes",
        /// Transactions that were added after the import.
        Transactions = "transactions",
        /// Historical statements that were added after the import.
        HistoricalStatements = "historical_statements",
        /// A payment instruction that was added after the import.
        PaymentInstruction = "payment_instruction",
    }
}

/// One finding of a rule about a payload (contract 7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// The offending input.
    pub attr: AttrPath,
    /// The stable code of the kind of error.
    pub code: Code,
    /// The rule that found it.
    pub rule: RuleId,
    /// Error or warning, as the supplier's profile has it.
    pub level: Level,
    /// Text for people: what is wrong and what was expected. Of the payload it holds lengths and sums only.
    pub detail: Cow<'static, str>,
}

impl Issue {
    /// The sort key of issues in an answer: by attr, then by code (rules 1.4).
    pub fn key(&self) -> (&AttrPath, &'static str) {
        (&self.attr, self.code.as_str())
    }
}
