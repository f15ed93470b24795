use super::Selection;
use cutover_model::tables::Tables;
use cutover_model::{
    BusinessPaymentInstructionRequest, BusinessRequest, HistoricalStatementsRequest, NotesRequest,
    ObjectSpec, PaymentInstructionRequest, TransactionsRequest,
};

impl Selection {
    /// The selections whose requests tables can make.
    const OF_TABLES: [Self; 5] = [
        Self::Businesses,
        Self::Notes,
        Self::Transactions,
        Self::HistoricalStatements,
        Self::PaymentInstructions,
    ];

    /// The selections whose requests add something to accounts.
    pub(crate) const ADDITIONS: [Self; 4] =
        [Self::Notes, Self::Transactions, Self::HistoricalStatements, Self::PaymentInstructions];

    /// The tables of the requests, those of each kind apart.
    pub(crate) fn tables(self) -> Vec<Tables> {
        let specs: &[&'static ObjectSpec] = match self {
            Self::Businesses => &[&BusinessRequest::SPEC],
            Self::Notes => &[&NotesRequest::SPEC],
            Self::Transactions => &[&TransactionsRequest::SPEC],
            Self::HistoricalStatements => &[&HistoricalStatementsRequest::SPEC],
            Self::PaymentInstructions => {
                &[&PaymentInstructionRequest::SPEC, &BusinessPaymentInstructionRequest::SPEC]
            }
            Self::Documents => &[],
        };
        specs.iter().map(|spec| Tables::request(spec)).collect()
    }
}

/// The tables of accounts and of all requests.
pub(crate) fn all_tables() -> Vec<Tables> {
    let requests = Selection::OF_TABLES.into_iter().flat_map(Selection::tables);
    std::iter::once(Tables::payload()).chain(requests).collect()
}
