//! Knowledge about a run from outside: what was sent and answered, and what has to be stored at the end.

use crate::answer::Answer;
use crate::bounds::Bounds;
use crate::businesses::Businesses;
use crate::history::submission;
use crate::model::{Model, Prediction};
use crate::payloads::{
    business_body, business_instruction_body, create_body, faulty_body, list_request, request,
};
use crate::plan::Action;
use crate::quiet::accounts;
use crate::running_op::RunningOp;
use crate::simulation::Simulation;
use crate::specs::{AccountRef, CreateSpec};
use chrono::{DateTime, Utc};
use cutover_app::port::read;
use cutover_process::{EventKind, HistoryEntry, State};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A create that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Submission {
    pub(crate) spec: CreateSpec,
    /// Body as sent; contents are equal exactly if the bodies are.
    pub(crate) body: String,
}

/// Expected state at the end.
#[derive(Debug, Default)]
pub(crate) struct Oracle {
    /// Requests in order, to be repeated.
    log: Vec<(Action, String)>,
    submissions: HashMap<String, Submission>,
    /// Creates that were refused without a commit.
    pub(crate) refused: HashSet<String>,
    /// Accounts whose create was answered with 201.
    pub(crate) acknowledged: BTreeSet<AccountRef>,
    /// Models of imported accounts to which something was added.
    models: BTreeMap<AccountRef, Model>,
    /// Numbers of imported accounts that callers were told.
    pub(crate) numbers: BTreeMap<AccountRef, String>,
    /// Accounts that were reported as billed.
    billed: BTreeSet<AccountRef>,
    /// Numbers of accounts whose import was undone, as far as callers were told them.
    retired: BTreeSet<String>,
    /// Number of times that the import of an account was undone.
    undone: BTreeMap<AccountRef, usize>,
    /// Suppliers that were set to dry runs at some time.
    pub(crate) rehearsing: BTreeSet<u8>,
    /// True if claims were released regardless of their leases, or clocks disagreed.
    pub(crate) takes_over: bool,
    /// Archived history, by process and version.
    pub(crate) archived: HashMap<i64, BTreeMap<i64, HistoryEntry>>,
    pub(crate) bounds: Bounds,
    pub(crate) businesses: Businesses,
    violations: Vec<String>,
}

impl Oracle {
    pub(crate) fn violate(&mut self, what: impl Into<String>) {
        self.violations.push(what.into());
    }

    pub(crate) fn violations(&self) -> &[String] {
        &self.violations
    }

    /// Request to send for an operation. A repetition sends the same bytes.
    pub(crate) fn to_send(&self, act: &Action, now: DateTime<Utc>) -> Option<(Action, String)> {
        match act {
            Action::Again(back) => self.log.iter().rev().nth(*back).cloned(),
            _ => Some((act.clone(), body(act, now))),
        }
    }

    pub(crate) fn sent(&mut self, request: &str, act: &Action, body: &str) {
        if let Action::Create(spec) = act {
            let submission = Submission { spec: *spec, body: body.to_owned() };
            self.submissions.insert(request.to_owned(), submission);
        }
        self.takes_over |= matches!(act, Action::TakeOver | Action::Skew(_));
        if let Action::SetDryRun(supplier, true) = act {
            self.rehearsing.insert(*supplier);
        }
        if !body.is_empty() && !matches!(act, Action::Intrude(_)) {
            self.log.push((act.clone(), body.to_owned()));
        }
    }

    pub(crate) fn submission(&self, request: &str) -> Option<Submission> {
        self.submissions.get(request).cloned()
    }

    pub(crate) fn keep(&mut self, process_id: i64, history: &[HistoryEntry]) {
        let kept = self.archived.entry(process_id).or_default();
        kept.extend(history.iter().map(|entry| (entry.version, entry.clone())));
    }

    /// Checks a number that a caller was told: it never changes.
    pub(crate) fn saw_number(&mut self, account: AccountRef, number: &str) {
        // An answer may be older than an undo.
        if self.retired.contains(number) {
            return;
        }
        let first = self.numbers.entry(account).or_insert_with(|| number.to_owned());
        if first != number {
            let was = first.clone();
            self.violate(format!("I4: {account:?} had the number {was}, and has {number}"));
        }
    }
}

fn body(act: &Action, now: DateTime<Utc>) -> String {
    let list = |account: &AccountRef, member, items: Vec<String>| list_request(*account, member, &items);
    match act {
        Action::Create(spec) => create_body(spec, now),
        Action::CreateFaulty(account, kind) => faulty_body(*account, *kind),
        Action::Intrude(account) => faulty_body(*account, 0).replace("V-0", "V-1") + "}]}",
        Action::Notes(account, specs) => list(account, "notes", specs.iter().map(|s| s.json()).collect()),
        Action::Transactions(account, spec) => {
            list(account, "transactions", spec.items.iter().map(|s| s.json()).collect())
        }
        Action::Statements(account, specs) => {
            list(account, "statements", specs.iter().map(|s| s.json()).collect())
        }
        Action::Instruct(account, spec) => {
            let (reference, kind) = (spec.reference(), spec.kind());
            request(*account, &format!(r#""vendor":"pay","reference":"{reference}","type":"{kind}""#))
        }
        Action::Business(business, content) | Action::ReplaceBusiness(business, content) => {
            business_body(*business, *content)
        }
        Action::InstructBusiness(business, spec, account) => {
            business_instruction_body(*business, *spec, *account)
        }
        _ => String::new(),
    }
}

impl Simulation {
    /// Applies a function to the model of an imported account.
    pub(crate) fn with_model<T>(&self, account: AccountRef, work: impl FnOnce(&mut Model) -> T) -> Option<T> {
        let is_new = !self.oracle().models.contains_key(&account);
        if is_new {
            let payload = self.last_submission(account)?.spec.payload;
            self.oracle().models.insert(account, Model::new(account, payload));
        }
        self.oracle().models.get_mut(&account).map(work)
    }

    /// Records a commit. Returns the expected answer, and the submission from which the account is imported
    /// now.
    pub(crate) fn note_commit(
        &self,
        act: &Action,
        request: &str,
    ) -> (Option<Prediction>, Option<Submission>) {
        let (account, expected) = match act {
            Action::Create(spec) => return (None, self.note_submission(spec.account, request)),
            Action::Turn(_) => {
                self.check_claims();
                return (None, None);
            }
            Action::SetStatus(..) | Action::SetLimit(..) => {
                self.note_claims();
                self.oracle().bounds.set(act);
                return (None, None);
            }
            Action::Intrude(account) => {
                self.oracle().violate(format!("a stranger changed {account:?}"));
                return (None, None);
            }
            Action::Undo(_) => {
                self.note_undone();
                return (None, None);
            }
            Action::Bill(account) => {
                self.oracle().billed.insert(*account);
                return (None, None);
            }
            Action::Notes(account, specs) => (account, self.with_model(*account, |m| m.add_notes(specs))),
            Action::Transactions(account, spec) => {
                (account, self.with_model(*account, |m| m.add_transactions(spec)))
            }
            Action::Statements(account, specs) => {
                (account, self.with_model(*account, |m| m.add_statements(specs)))
            }
            Action::Instruct(account, spec) => {
                (account, self.with_model(*account, |m| m.add_instruction(*spec)))
            }
            Action::Business(business, content) => return self.note(act, |b| b.store(*business, *content)),
            Action::ReplaceBusiness(business, content) => {
                let loses = self.loses_contract(*business, *content);
                return self.note(act, |b| {
                    if loses { Err("an account names its contract") } else { b.replace(*business, *content) }
                });
            }
            Action::InstructBusiness(business, spec, account) => {
                return self.note(act, |b| b.instruct(*business, *spec, *account));
            }
            _ => return (None, None),
        };
        match &expected {
            None => self.oracle().violate(format!("{act:?} was stored, but {account:?} has no submission")),
            Some(Err(why)) => self.oracle().violate(format!("{act:?} was stored although: {why}")),
            Some(Ok(_)) => {}
        }
        (expected, None)
    }

    /// Records the imports that a commit has undone: of accounts that were as they were imported, and not billed.
    fn note_undone(&self) {
        for account in accounts() {
            let Some(stored) = self.process(account) else { continue };
            let history = self.history(stored.process.id());
            let count = history.iter().filter(|entry| entry.event == EventKind::Undone).count();
            if count == self.oracle().undone.insert(account, count).unwrap_or_default() {
                continue;
            }
            let is_changed = self.is_changed(account);
            let mut oracle = self.oracle();
            if is_changed {
                oracle.violate(format!(
                    "{account:?} was undone although something was added, or it was billed"
                ));
            }
            if let Some(number) = oracle.numbers.remove(&account) {
                oracle.retired.insert(number);
            }
            oracle.models.remove(&account);
        }
    }

    /// True if something was added to an imported account, or it was billed.
    pub(crate) fn is_changed(&self, account: AccountRef) -> bool {
        let is_unchanged = self.with_model(account, |model| model.is_unchanged()) != Some(false);
        let oracle = self.oracle();
        !is_unchanged || oracle.billed.contains(&account) || oracle.businesses.is_named(account)
    }

    /// Records a commit that concerns a business.
    fn note(
        &self,
        act: &Action,
        change: impl FnOnce(&mut Businesses) -> Prediction,
    ) -> (Option<Prediction>, Option<Submission>) {
        let mut oracle = self.oracle();
        let predicted = change(&mut oracle.businesses);
        if let Err(why) = predicted {
            oracle.violate(format!("{act:?} was stored although: {why}"));
        }
        (Some(predicted), None)
    }

    /// Records a committed create. Returns the submission from which the account is imported now.
    fn note_submission(&self, account: AccountRef, request: &str) -> Option<Submission> {
        let last = self.last_request(account)?;
        if last == request && self.oracle().bounds.is_stopped(account.supplier) {
            self.oracle().violate(format!("{account:?} was accepted although its supplier is stopped"));
        }
        self.oracle().submission(&last)
    }

    /// Checks the answer of an operation.
    pub(crate) fn settle(&self, frame: &RunningOp, answer: Answer) {
        if let Some(fault) = self.fault(frame, &answer) {
            let RunningOp { act, request, .. } = frame;
            self.oracle().violate(format!("{act:?} ({request}) was answered {answer:?}: {fault}"));
        }
    }

    /// Returns what is wrong with an answer.
    fn fault(&self, frame: &RunningOp, answer: &Answer) -> Option<String> {
        let RunningOp { act, commits, .. } = frame;
        match (act, answer) {
            (_, Answer::Wrong(what)) => Some(what.clone()),
            // The token may have expired meanwhile.
            (Action::Token(_), Answer::Failed(_)) if frame.is_interrupted => None,
            // The account was undone while the vendor was asked.
            (Action::Instruct(..) | Action::InstructBusiness(..), Answer::Unavailable)
                if frame.is_interrupted && *commits == 0 =>
            {
                None
            }
            (_, Answer::Failed(_) | Answer::Unavailable | Answer::Silence) if !frame.is_disturbed => {
                Some("nothing was disturbed".into())
            }
            (Action::Create(spec), Answer::Done(_)) => self.fault_of_created(frame, spec.account),
            (Action::Create(spec), Answer::Refused(why)) => {
                self.fault_of_not_created(frame, spec.account, why)
            }
            (Action::CreateFaulty(..), Answer::Done(_)) => Some("it is faulty".into()),
            (
                Action::Notes(account, _)
                | Action::Transactions(account, _)
                | Action::Statements(account, _)
                | Action::Instruct(account, _),
                _,
            ) => match answer {
                Answer::Done(added) => self.fault_of_added(frame, *account, added),
                Answer::Refused(_) if *commits > 0 => Some("something was stored".into()),
                Answer::Refused(why) if !frame.is_interrupted => self.fault_of_refused(act, *account, why),
                _ => None,
            },
            (Action::Undo(account), Answer::Done(_)) if !frame.is_interrupted && !frame.is_disturbed => {
                self.fault_of_not_undone(*account)
            }
            (
                Action::Business(business, content) | Action::ReplaceBusiness(business, content),
                Answer::Done(_),
            ) => {
                let had = self.oracle().businesses.had(*business, *content);
                (!had).then(|| "it was not stored".into())
            }
            (Action::Business(business, content), Answer::Refused(_)) if !frame.is_interrupted => {
                let other = self.oracle().businesses.has_other(*business, *content);
                (!other).then(|| "an equal business was refused, or a new one".into())
            }
            (Action::ReplaceBusiness(business, content), Answer::Refused(_)) if !frame.is_interrupted => {
                (!self.must_keep(*business, *content)).then(|| "it is valid".into())
            }
            (Action::InstructBusiness(business, spec, account), Answer::Done(_)) => {
                let has = self.oracle().businesses.is_instructed(*business, *spec, *account);
                (!has).then(|| "it is not stored".into())
            }
            (Action::InstructBusiness(business, spec, account), Answer::Refused(_))
                if !frame.is_interrupted =>
            {
                (!self.must_refuse(*business, *spec, *account)).then(|| "it is valid".into())
            }
            _ => None,
        }
    }

    fn state(&self, account: AccountRef) -> Option<State> {
        self.process(account).map(|stored| stored.process.state())
    }

    /// Checks that a 201 has a process with this content, or had it when the answer was decided.
    fn fault_of_created(&self, frame: &RunningOp, account: AccountRef) -> Option<String> {
        self.oracle().acknowledged.insert(account);
        let Some(stored) = self.process(account) else { return Some("I1: there is no process".into()) };
        let history = self.history(stored.process.id());
        if history.iter().any(|entry| submission(entry) == Some(&frame.request)) {
            return None;
        }
        let sent = self.oracle().submission(&frame.request);
        let is_known =
            sent.is_some() && sent.map(|s| s.body) == frame.submitted.as_ref().map(|s| s.body.clone());
        (!is_known).then(|| format!("other content is staged: {:?}", frame.submitted))
    }

    /// Checks that a refused create is not stored.
    fn fault_of_not_created(&self, frame: &RunningOp, account: AccountRef, why: &str) -> Option<String> {
        if frame.commits == 0 {
            self.oracle().refused.insert(frame.request.clone());
        } else if self.last_request(account).as_ref() == Some(&frame.request) {
            return Some("it is stored".into());
        }
        // Unless it was undone or imported meanwhile.
        let is = |state| self.state(account) == Some(state) || frame.is_interrupted;
        match why {
            "already imported" if !is(State::Processed) => Some("it is not imported".into()),
            "in progress" if !is(State::InProgress) => Some("it is not being imported".into()),
            _ => None,
        }
    }

    /// Checks that an undo has left no account that is as it was imported.
    fn fault_of_not_undone(&self, account: AccountRef) -> Option<String> {
        let process = self.process(account)?.process;
        let is_archived = read(&*self.truth, |tx| tx.archived_at(process.id())).unwrap().is_some();
        let is_left = process.state() == State::Processed && !is_archived && !self.is_changed(account);
        // An import may be dated later by a clock that is set off.
        (is_left && !self.oracle().takes_over).then(|| "it is there, and unchanged".into())
    }

    fn fault_of_added(&self, frame: &RunningOp, account: AccountRef, added: &[bool]) -> Option<String> {
        match (&frame.act, &frame.expected) {
            (_, Some(Ok(expected))) => (expected != added).then(|| format!("not {expected:?}")),
            (Action::Instruct(_, spec), None) => {
                let has = self.with_model(account, |model| model.has_instruction(*spec));
                (has != Some(true)).then(|| "it is not stored".into())
            }
            (_, expected) => Some(format!("nothing of it is stored: {expected:?}")),
        }
    }

    fn fault_of_refused(&self, act: &Action, account: AccountRef, why: &str) -> Option<String> {
        if self.state(account) != Some(State::Processed) {
            return None;
        }
        if why == "not found" {
            return Some("it is imported".into());
        }
        let predicted = self.with_model(account, |model| match act {
            Action::Transactions(_, spec) => model.predict_transactions(spec).is_err(),
            Action::Statements(_, specs) => model.predict_statements(specs).is_err(),
            Action::Instruct(_, spec) => !spec.is_confirmed(),
            _ => false,
        });
        (predicted != Some(true)).then(|| "it is valid".into())
    }
}
