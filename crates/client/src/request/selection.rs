use super::Kind;
use clap::ValueEnum;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

/// The requests that a run of `send` or of `documents upload` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Selection {
    /// Businesses with all their contracts: to send before the accounts that refer to the contracts
    Businesses,
    /// Notes of imported accounts
    Notes,
    /// Transactions of imported accounts
    Transactions,
    /// Earlier statements of imported accounts
    HistoricalStatements,
    /// Payment instructions of imported accounts and of businesses
    PaymentInstructions,
    /// Documents that accounts name, of `documents upload`
    #[value(skip)]
    Documents,
}

/// The members that only requests about businesses have.
#[derive(Deserialize)]
struct OfBusiness {
    import_supplier_code: Option<IgnoredAny>,
    external_business_identifier: Option<IgnoredAny>,
    accounts: Option<IgnoredAny>,
}

impl Selection {
    /// The kind of a request. Payment instructions are told apart by their members.
    pub(crate) fn kind_of(self, body: &[u8]) -> Kind {
        match self {
            Self::Businesses => Kind::Business,
            Self::Notes => Kind::Notes,
            Self::Transactions => Kind::Transactions,
            Self::HistoricalStatements => Kind::HistoricalStatements,
            Self::PaymentInstructions if is_of_business(body) => Kind::BusinessPaymentInstruction,
            Self::PaymentInstructions => Kind::PaymentInstruction,
            Self::Documents => Kind::Document,
        }
    }

    /// Its name in texts for people.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Businesses => "businesses",
            Self::Notes => "notes",
            Self::Transactions => "transactions",
            Self::HistoricalStatements => "historical statements",
            Self::PaymentInstructions => "payment instructions",
            Self::Documents => "documents",
        }
    }
}

fn is_of_business(body: &[u8]) -> bool {
    serde_json::from_slice::<OfBusiness>(body).is_ok_and(|members| {
        members.import_supplier_code.is_some()
            || members.external_business_identifier.is_some()
            || members.accounts.is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payment_instructions_are_told_apart_by_their_members() {
        let kind = |body: &str| Selection::PaymentInstructions.kind_of(body.as_bytes());
        for body in [
            r#"{"import_supplier_code": 7}"#,
            r#"{"external_business_identifier": "B"}"#,
            r#"{"accounts": []}"#,
        ] {
            assert_eq!(kind(body), Kind::BusinessPaymentInstruction, "{body}");
        }
        for body in [r#"{"external_account_number": "A"}"#, "{}", "{", "[]"] {
            assert_eq!(kind(body), Kind::PaymentInstruction, "{body}");
        }
    }
}
