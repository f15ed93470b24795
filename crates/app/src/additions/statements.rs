use super::AddRefused;
use super::request::{check, contents, known, number, request, target_to_change, valid};
use crate::App;
use crate::auth::Caller;
use crate::codec;
use crate::documents::{FoundDocuments, Step};
use crate::port::{NewHistoricalStatement, StoredIssue, Tx, write_with_retry};
use chrono::{DateTime, Utc};
use cutover_core::{AttrPath, Code, ExternalAccountNumber, FeedEventType, IssueSource};
use cutover_model::certificate::Addition;
use cutover_model::service::{historical_statements, names_document};
use cutover_model::{
    ContentHash, HistoricalStatement, IntoOwned, RowCounts, Totals, decode_historical_statements, draft,
};
use cutover_rules::service::PST_08;
use cutover_rules::{check_historical_statements, documents_of_statements};

request!(
    HistoricalStatementsRequest:
    decode_historical_statements, check_historical_statements, import_supplier, documents_of_statements
);

impl App {
    /// Adds historical statements to an imported account (contract 4.2, D8), all of them or none, and returns
    /// the JSON of the answer. Statements that the account has remain unchanged.
    ///
    /// # Errors
    /// [`AddRefused`]; nothing is stored then.
    pub fn add_historical_statements(
        &self,
        caller: &Caller,
        body: &[u8],
        found: Option<&FoundDocuments>,
    ) -> Result<Step<String>, AddRefused> {
        let checked = match check::<draft::HistoricalStatementsRequest<'_>>(self, caller, body, found)? {
            Step::Done(checked) => checked,
            Step::Documents(wanted) => return Ok(Step::Documents(wanted)),
        };
        let warnings = checked.warnings(IssueSource::HistoricalStatements);
        let (request, supplier, now) = checked.accepted()?;
        let request = valid(request.into_valid())?.into_owned();
        let supplier = known(supplier)?;
        let number = number(&request.external_account_number)?;
        let answer = historical_statements(&request);
        let new = |statement| new_statement(statement, now.instant);
        let contents = contents(Addition::HistoricalStatement, body)?;
        let statements: Vec<_> = request.statements.into_iter().map(new).zip(contents).collect();
        write_with_retry(&*self.store, move |tx| {
            add(tx, supplier.id, &number, &statements, &warnings, now.instant)
        })?;
        Ok(Step::Done(answer))
    }
}

fn new_statement(
    mut statement: HistoricalStatement<'static>,
    added_at: DateTime<Utc>,
) -> NewHistoricalStatement {
    // A statement copied from our answer must have the same fingerprint.
    statement.normalise();
    let fingerprint = codec::content(&statement);
    NewHistoricalStatement { statement, fingerprint, added_at }
}

fn add(
    tx: &mut dyn Tx,
    supplier_id: i64,
    number: &ExternalAccountNumber,
    statements: &[(NewHistoricalStatement, ContentHash)],
    warnings: &[StoredIssue],
    at: DateTime<Utc>,
) -> Result<(), AddRefused> {
    let account = target_to_change(tx, supplier_id, number)?.map_err(AddRefused::NotFound)?;
    let (mut faults, mut added, mut documents) = (Vec::new(), Vec::new(), 0);
    for (index, (new, content)) in (0..).zip(statements) {
        match tx.historical_statement(account.id, new.statement.statement_id.trimmed())? {
            None => {
                tx.add_historical_statement(account.id, new)?;
                added.push(*content);
                documents += u64::from(names_document(new.statement.statement_path.as_ref()));
            }
            Some(stored) if stored == new.fingerprint => {}
            Some(_) => {
                let attr = AttrPath::root().name("statements").index(index).name("statement_id");
                faults.push(PST_08.issue(attr, Code::HistoricalStatementAlreadyExists));
            }
        }
    }
    if !faults.is_empty() {
        return Err(AddRefused::faults(faults));
    }
    account.add_warnings(tx, warnings)?;
    let rows = RowCounts::of([("statements", added.len() as u64)]);
    account.count(tx, &added, &Totals { documents, rows, ..Totals::default() })?;
    Ok(account.note_added(tx, FeedEventType::HistoricalStatementsAdded, added.len(), at)?)
}
