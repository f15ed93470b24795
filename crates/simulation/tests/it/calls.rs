//! Operations as calls of use cases, in the order in which the HTTP layer calls them.

use crate::answer::Answer;
use crate::plan::Action;
use crate::simulation::Simulation;
use crate::specs::{AccountRef, code};
use chrono::Days;
use cutover_app::account::CreateRefused;
use cutover_app::additions::{AddRefused, AddTransactions, InstructionStep};
use cutover_app::auth::{AuthError, Caller, Credential};
use cutover_app::job::JobRunner;
use cutover_app::operator::{
    Archive, ArchiveScope, ArchivedProcess, JobOwner, SupplierChange, UndoRequest, UndoScope,
};
use cutover_app::port::{AccountList, StoreError};
use cutover_app::{App, FoundDocuments, Step};
use cutover_testkit::create_account;
use std::io;
use std::sync::Arc;

impl Simulation {
    /// Performs an action and returns the answer.
    pub(crate) fn act(&self, node: usize, act: &Action, body: &str, request: &str) -> Answer {
        let app = &*self.app(node);
        let change = |supplier: &u8, change| result(app.as_command().set_supplier(&code(*supplier), change));
        match act {
            Action::Create(spec) => self.create(app, spec.account, body, request),
            Action::CreateFaulty(account, _) => self.create(app, *account, body, request),
            Action::Notes(account, _) => {
                let add = |found: Option<&_>| app.add_notes(self.caller(*account), body.as_bytes(), found);
                let added = |results: Vec<cutover_model::NoteResult>| {
                    results.iter().map(|r| r.status == cutover_model::NoteStatus::Created).collect()
                };
                with_documents(app, add).map_or_else(|answer| answer, |r| Answer::Done(added(r)))
            }
            Action::Transactions(account, spec) => {
                let query = AddTransactions {
                    check_previously_added: spec.check,
                    force_add_to_current_statement: spec.force,
                };
                let added = app.add_transactions(self.caller(*account), body.as_bytes(), Ok(query));
                added.map_or_else(Answer::from, |results| {
                    Answer::Done(
                        results.iter().map(|r| r.status == cutover_model::TransactionStatus::Added).collect(),
                    )
                })
            }
            Action::Statements(account, _) => {
                let caller = self.caller(*account);
                let add = |found: Option<&_>| app.add_historical_statements(caller, body.as_bytes(), found);
                with_documents(app, add).map_or_else(|answer| answer, |_| Answer::done())
            }
            Action::Instruct(account, _) => {
                let begun = app.begin_payment_instruction(self.caller(*account), body.as_bytes());
                instruct(app, begun).map_or_else(|answer| answer, |()| Answer::done())
            }
            Action::Business(business, _) => {
                let created = app.create_business(&self.database.credentials.callers[0], body.as_bytes());
                created.map_or_else(Answer::from, |created| {
                    self.oracle().businesses.saw(*business, created.service_business_id);
                    Answer::done()
                })
            }
            Action::ReplaceBusiness(business, _) => {
                let caller = &self.database.credentials.callers[0];
                let replaced = app.replace_business(caller, &format!("B-{business}"), body.as_bytes());
                replaced.map_or_else(Answer::from, |replaced| {
                    self.oracle().businesses.saw(*business, replaced.service_business_id);
                    Answer::done()
                })
            }
            Action::InstructBusiness(..) => {
                let caller = &self.database.credentials.callers[0];
                let begun = app.begin_business_payment_instruction(caller, body.as_bytes());
                instruct(app, begun).map_or_else(|answer| answer, |()| Answer::done())
            }
            Action::Intrude(account) => self.intrude(app, *account, body, request),
            Action::Look(account) => self.look(app, *account).map_or_else(Answer::from, |()| Answer::done()),
            Action::SetStatus(supplier, status) => {
                change(supplier, SupplierChange { status: Some(*status), ..SupplierChange::default() })
            }
            Action::SetDryRun(supplier, is) => {
                change(supplier, SupplierChange { dry_run: Some(*is), ..SupplierChange::default() })
            }
            Action::SetLimit(supplier, limit) => {
                let limit =
                    SupplierChange { max_concurrent_imports: Some(*limit), ..SupplierChange::default() };
                change(supplier, limit)
            }
            Action::Cancel(account) => {
                result(app.as_command().cancel_process(&account.code(), &account.external()))
            }
            Action::Retry(account) => {
                result(app.as_command().retry_process(&account.code(), &account.external()))
            }
            Action::Undo(account) => undo(&self.app(node), self.caller(*account), *account),
            Action::Bill(account) => {
                result(app.report_billed(self.caller(*account), &account.code(), &account.external()))
            }
            Action::Turn(worker) => self.turn(node, *worker),
            Action::Sweep => result(app.sweep()),
            Action::Fold => result(app.fold_figures()),
            Action::TakeOver => result(app.release_all()),
            Action::Archive => self.archive(app, node),
            Action::Token(rotates) => self.token(app, *rotates),
            _ => self.happen(node, act),
        }
    }

    /// Performs what is not a request.
    fn happen(&self, node: usize, act: &Action) -> Answer {
        match act {
            Action::Stop => self.stop(node),
            Action::Pass(seconds) => self.clock.advance(chrono::Duration::seconds(*seconds)),
            Action::Skew(seconds) => self.skew(node, *seconds),
            Action::Away(part) => self.set_away(*part),
            Action::Back => self.set_back(),
            Action::Sever => self.database.sever(),
            Action::Documents(are_there) => self.set_documents(*are_there),
            _ => return Answer::Wrong("nothing does this".into()),
        }
        Answer::done()
    }

    /// Caller of the organisation that owns the account's supplier.
    fn caller(&self, account: AccountRef) -> &Caller {
        &self.database.credentials.callers[usize::from(crate::payloads::is_foreign(account))]
    }

    fn create(&self, app: &App, account: AccountRef, body: &str, request: &str) -> Answer {
        match create_account(app, self.caller(account), Some(request.to_owned()), body.as_bytes()) {
            Ok(()) => Answer::done(),
            Err(CreateRefused::AlreadyImported(number)) => {
                self.oracle().saw_number(account, &number.to_string());
                Answer::Refused("already imported")
            }
            Err(refused) => refused.into(),
        }
    }

    /// Checks that another organisation can neither see nor change anything.
    fn intrude(&self, app: &App, account: AccountRef, body: &str, request: &str) -> Answer {
        let stranger = &self.database.credentials.callers[usize::from(!crate::payloads::is_foreign(account))];
        let created = create_account(app, stranger, Some(request.to_owned()), body.as_bytes());
        match created.map_err(Answer::from) {
            Ok(()) => return Answer::Wrong("a stranger created an account".into()),
            Err(Answer::Refused("faults")) => {}
            Err(other) => return other,
        }
        let seen = app.account_status(stranger, &account.code(), &account.external());
        let progress = app.progress(stranger, &account.code());
        match (seen, progress) {
            (Ok(None), Ok(None)) => Answer::Refused("strange"),
            (Err(error), _) | (_, Err(error)) => error.into(),
            _ => Answer::Wrong("a stranger saw an account".into()),
        }
    }

    /// Reads everything about an account and its supplier.
    fn look(&self, app: &App, account: AccountRef) -> Result<(), StoreError> {
        let (caller, code, number) = (self.caller(account), account.code(), account.external());
        let status = app.account_status(caller, &code, &number)?;
        if let Some(found) = status.and_then(|status| status.service_identifier) {
            self.oracle().saw_number(account, &found.to_string());
        }
        app.transfer_status(caller, &code, &number)?;
        app.progress(caller, &code)?;
        if let Some(list) = app.open_list(caller, &code, AccountList::All)? {
            app.list_page(&list, None, 100, |_| {})?;
        }
        Ok(())
    }

    fn archive(&self, app: &App, node: usize) -> Answer {
        let before = self.now(node).date_naive() + Days::new(1);
        let scope = ArchiveScope { before, supplier: None, limit: None };
        result(app.as_command().archive_processes(&scope, &mut Kept(self)))
    }

    /// Obtains a token, uses it, and renews it.
    fn token(&self, app: &App, rotates: bool) -> Answer {
        if rotates && let Err(error) = app.rotate_signing_key() {
            return error.into();
        }
        match self.signed_in(app) {
            Ok(()) => Answer::done(),
            Err(AuthError::Store(error)) => error.into(),
            // The answer to the first use may have been lost, and a second use is refused.
            Err(AuthError::Invalid(_)) => Answer::Failed("a token is refused".into()),
        }
    }

    fn signed_in(&self, app: &App) -> Result<(), AuthError> {
        let first = app.obtain_token(&Credential::ApiKey(self.database.credentials.key.clone()))?;
        let second = app.obtain_token(&Credential::RefreshToken(first.refresh_token))?;
        for token in [first.token, second.token] {
            app.authenticate(&token)?;
        }
        Ok(())
    }
}

fn result<T, E: Into<Answer>>(result: Result<T, E>) -> Answer {
    result.map_or_else(Into::into, |_| Answer::done())
}

/// Begins to undo the import of an account, and works on every job that is due, as a process with workers does.
fn undo(app: &Arc<App>, caller: &Caller, account: AccountRef) -> Answer {
    let which = UndoScope::Numbers(vec![account.external()]);
    if let Err(refused) = app.as_caller(caller).begin_undo(
        &UndoRequest { supplier: account.code(), which },
        "wrong tariffs",
        JobOwner::Workers,
    ) {
        return refused.into();
    }
    let runner = JobRunner::new(app.clone(), Arc::default());
    loop {
        match runner.run_once() {
            Ok(true) => {}
            Ok(false) => return Answer::done(),
            Err(error) => return error.into(),
        }
    }
}

fn instruct(app: &App, begun: Result<InstructionStep, AddRefused>) -> Result<(), Answer> {
    let pending = match begun? {
        InstructionStep::Stored(_) => return Ok(()),
        InstructionStep::Ask(pending) => pending,
    };
    let verified = pollster::block_on(app.ask_vendor(&pending))?;
    app.store_instruction(*pending, verified)?;
    Ok(())
}

/// Calls a use case, and again with the documents that it asks for.
fn with_documents<T, E: Into<Answer>>(
    app: &App,
    mut call: impl FnMut(Option<&FoundDocuments>) -> Result<Step<T>, E>,
) -> Result<T, Answer> {
    let mut found = None;
    loop {
        match call(found.as_ref()).map_err(Into::into)? {
            Step::Done(done) => return Ok(done),
            Step::Documents(wanted) => {
                let looked_up = pollster::block_on(app.look_up(&wanted));
                found = Some(looked_up.map_err(|_| Answer::Unavailable)?);
            }
        }
    }
}

/// Archive that keeps the history for the final checks.
struct Kept<'w>(&'w Simulation);

impl Archive for Kept<'_> {
    fn append(&mut self, process: &ArchivedProcess) -> io::Result<()> {
        self.0.oracle().keep(process.process.id(), &process.history);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}
