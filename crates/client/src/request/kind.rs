use serde::{Deserialize, Serialize};

/// What a request creates or adds at the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    #[default]
    Account,
    Business,
    Notes,
    Transactions,
    HistoricalStatements,
    PaymentInstruction,
    BusinessPaymentInstruction,
    Document,
}

impl Kind {
    /// True for accounts, which are identified by supplier and number. Other requests are identified by their bytes,
    /// because an account may get any number of them.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
    pub(crate) fn is_account(&self) -> bool {
        *self == Self::Account
    }

    /// Its name in journals.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::Business => "business",
            Self::Notes => "notes",
            Self::Transactions => "transactions",
            Self::HistoricalStatements => "historical_statements",
            Self::PaymentInstruction => "payment_instruction",
            Self::BusinessPaymentInstruction => "business_payment_instruction",
            Self::Document => "document",
        }
    }

    /// Segments of the path of its endpoint (contract 4); of a document those before the supplier.
    pub(crate) fn path(self) -> &'static [&'static str] {
        match self {
            Self::Account => &["v2", "data-import", "accounts"],
            Self::Business => &["v1", "data-import", "business"],
            Self::Notes => &["v1", "data-import", "notes", "create"],
            Self::Transactions => &["v1", "data-import", "transactions", "create"],
            Self::HistoricalStatements => &["v1", "data-import", "historical-statements", "create"],
            Self::PaymentInstruction => &["v1", "data-import", "payment-instruction", "create"],
            Self::BusinessPaymentInstruction => {
                &["v1", "data-import", "business-payment-instruction", "create"]
            }
            Self::Document => &["v2", "data-import", "import-suppliers"],
        }
    }

    /// Name of one in texts for people.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::Business => "business",
            Self::Document => "document",
            _ => "request",
        }
    }

    /// The member at which a copy is reported.
    pub(crate) fn identity_attr(self) -> &'static str {
        match self {
            Self::Account => "external_account_number",
            Self::Business => "external_business_identifier",
            _ => cutover_core::NON_FIELD_ERRORS,
        }
    }
}
