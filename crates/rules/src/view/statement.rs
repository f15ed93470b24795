use chrono::NaiveDate;
use cutover_model::{Field, Text, draft};

/// The members that statements of the two requests have in common.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Statement<'a, 'j> {
    pub(crate) bill_period_from_date: &'a Field<NaiveDate>,
    pub(crate) bill_period_to_date: &'a Field<NaiveDate>,
    pub(crate) statement_path: &'a Field<Text<'j>>,
    /// Set only in a historical statements request.
    pub(crate) issued_date: Option<&'a Field<NaiveDate>>,
}

impl<'a, 'j> Statement<'a, 'j> {
    /// Creates the view of a statement in an account payload.
    pub(crate) fn account(statement: &'a draft::AccountStatement<'j>) -> Self {
        Self {
            bill_period_from_date: &statement.bill_period_from_date,
            bill_period_to_date: &statement.bill_period_to_date,
            statement_path: &statement.statement_path,
            issued_date: None,
        }
    }

    /// Creates the view of a statement in a historical statements request.
    pub(crate) fn historical(statement: &'a draft::HistoricalStatement<'j>) -> Self {
        Self {
            bill_period_from_date: &statement.bill_period_from_date,
            bill_period_to_date: &statement.bill_period_to_date,
            statement_path: &statement.statement_path,
            issued_date: Some(&statement.issued_date),
        }
    }
}
