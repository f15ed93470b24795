//! What is known of a run from outside: what was sent, what was answered, and what has to be there in the end.

use crate::answer::Answer;
use crate::bounds::Bounds;
use crate::businesses::Businesses;
use crate::frame::Frame;
use crate::history::submission;
use crate::model::{Foreseen, Model};
use crate::payloads::{
    business_body, business_instruction_body, create_body, faulty_body, list_request, request,
};
use crate::plan::Act;
use crate::specs::{AccountRef, CreateSpec};
use crate::world::World;
use chrono::{DateTime, Utc};
use cutover_process::{HistoryEntry, State};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A create that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Submission {
    pub(crate) spec: CreateSpec,
    /// As it was sent: of equal content exactly if it is equal.
    pub(crate) body: String,
}

/// What has to be there in the end.
#[derive(Debug, Default)]
pub(crate) struct Oracle {
    /// Requests in their order, to be sent again.
    log: Vec<(Act, String)>,
    submissions: HashMap<String, Submission>,
    /// Creates that were refused and committed nothing.
    pub(crate) refused: HashSet<String>,
    /// Accounts of which a create was answered with 201.
    pub(crate) acknowledged: BTreeSet<AccountRef>,
    /// Imported accounts to which something was added.
    models: BTreeMap<AccountRef, Model>,
    /// Numbers of imported accounts that somebody was told.
    pub(crate) numbers: BTreeMap<AccountRef, String>,
    /// Suppliers whose imports were to be dry runs at some time.
    pub(crate) rehearsing: BTreeSet<u8>,
    /// Whether claims were taken up whatever their leases, or clocks did not agree.
    pub(crate) takes_over: bool,
    /// What left the database, by process and version.
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

    /// What is sent for an operation: one that repeats another sends the same bytes.
    pub(crate) fn to_send(&self, act: &Act, now: DateTime<Utc>) -> Option<(Act, String)> {
        match act {
            Act::Again(back) => self.log.iter().rev().nth(*back).cloned(),
            _ => Some((act.clone(), body(act, now))),
        }
    }

    pub(crate) fn sent(&mut self, request: &str, act: &Act, body: &str) {
        if let Act::Create(spec) = act {
            let submission = Submission { spec: *spec, body: body.to_owned() };
            self.submissions.insert(request.to_owned(), submission);
        }
        self.takes_over |= matches!(act, Act::TakeOver | Act::Skew(_));
        if let Act::SetDryRun(supplier, true) = act {
            self.rehearsing.insert(*supplier);
        }
        if !body.is_empty() && !matches!(act, Act::Intrude(_)) {
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

    /// Somebody was told the number of an account: it is that for ever.
    pub(crate) fn saw_number(&mut self, account: AccountRef, number: &str) {
        let first = self.numbers.entry(account).or_insert_with(|| number.to_owned());
        if first != number {
            let was = first.clone();
            self.violate(format!("I4: {account:?} had the number {was}, and has {number}"));
        }
    }
}

fn body(act: &Act, now: DateTime<Utc>) -> String {
    let list = |account: &AccountRef, member, items: Vec<String>| list_request(*account, member, &items);
    match act {
        Act::Create(spec) => create_body(spec, now),
        Act::CreateFaulty(account, kind) => faulty_body(*account, *kind),
        Act::Intrude(account) => faulty_body(*account, 0).replace("V-0", "V-1") + "}]}",
        Act::Notes(account, specs) => list(account, "notes", specs.iter().map(|s| s.json()).collect()),
        Act::Transactions(account, spec) => {
            list(account, "transactions", spec.items.iter().map(|s| s.json()).collect())
        }
        Act::Statements(account, specs) => {
            list(account, "statements", specs.iter().map(|s| s.json()).collect())
        }
        Act::Instruct(account, spec) => {
            let (reference, kind) = (spec.reference(), spec.kind());
            request(*account, &format!(r#""vendor":"pay","reference":"{reference}","type":"{kind}""#))
        }
        Act::Business(business, content) => business_body(*business, *content),
        Act::InstructBusiness(business, spec, account) => {
            business_instruction_body(*business, *spec, *account)
        }
        _ => String::new(),
    }
}

impl World {
    /// Works with what an imported account is to hold.
    pub(crate) fn with_model<T>(&self, account: AccountRef, work: impl FnOnce(&mut Model) -> T) -> Option<T> {
        let is_new = !self.oracle().models.contains_key(&account);
        if is_new {
            let payload = self.last_submission(account)?.spec.payload;
            self.oracle().models.insert(account, Model::new(account, payload));
        }
        self.oracle().models.get_mut(&account).map(work)
    }

    /// An operation has committed: what it was to answer, and what the account is to be imported from now.
    pub(crate) fn note_commit(&self, act: &Act, request: &str) -> (Option<Foreseen>, Option<Submission>) {
        let (account, expected) = match act {
            Act::Create(spec) => return (None, self.note_submission(spec.account, request)),
            Act::Turn(_) => {
                self.check_claims();
                return (None, None);
            }
            Act::SetStatus(..) | Act::SetLimit(..) => {
                self.note_claims();
                self.oracle().bounds.set(act);
                return (None, None);
            }
            Act::Intrude(account) => {
                self.oracle().violate(format!("a stranger changed {account:?}"));
                return (None, None);
            }
            Act::Notes(account, specs) => (account, self.with_model(*account, |m| m.add_notes(specs))),
            Act::Transactions(account, spec) => {
                (account, self.with_model(*account, |m| m.add_transactions(spec)))
            }
            Act::Statements(account, specs) => {
                (account, self.with_model(*account, |m| m.add_statements(specs)))
            }
            Act::Instruct(account, spec) => {
                (account, self.with_model(*account, |m| m.add_instruction(*spec)))
            }
            Act::Business(business, content) => return self.note(act, |b| b.store(*business, *content)),
            Act::InstructBusiness(business, spec, account) => {
                return self.note(act, |b| b.instruct(*business, *spec, *account));
            }
            _ => return (None, None),
        };
        match &expected {
            None => self.oracle().violate(format!("{act:?} was stored, and {account:?} is not known")),
            Some(Err(why)) => self.oracle().violate(format!("{act:?} was stored, in spite of: {why}")),
            Some(Ok(_)) => {}
        }
        (expected, None)
    }

    /// Something of a business has committed.
    fn note(
        &self,
        act: &Act,
        change: impl FnOnce(&mut Businesses) -> Foreseen,
    ) -> (Option<Foreseen>, Option<Submission>) {
        let mut oracle = self.oracle();
        let foreseen = change(&mut oracle.businesses);
        if let Err(why) = foreseen {
            oracle.violate(format!("{act:?} was stored, in spite of: {why}"));
        }
        (Some(foreseen), None)
    }

    /// A create has committed: what its account is to be imported from now.
    fn note_submission(&self, account: AccountRef, request: &str) -> Option<Submission> {
        let last = self.last_request(account)?;
        if last == request && self.oracle().bounds.is_stopped(account.supplier) {
            self.oracle().violate(format!("{account:?} was accepted, and its supplier takes none"));
        }
        self.oracle().submission(&last)
    }

    /// An operation has ended with an answer.
    pub(crate) fn settle(&self, frame: &Frame, answer: Answer) {
        if let Some(fault) = self.fault(frame, &answer) {
            let Frame { act, request, .. } = frame;
            self.oracle().violate(format!("{act:?} ({request}) was answered {answer:?}: {fault}"));
        }
    }

    /// What is wrong with an answer.
    fn fault(&self, frame: &Frame, answer: &Answer) -> Option<String> {
        let Frame { act, commits, .. } = frame;
        match (act, answer) {
            (_, Answer::Wrong(what)) => Some(what.clone()),
            // It may have run out meanwhile.
            (Act::Token(_), Answer::Failed(_)) if frame.is_interrupted => None,
            (_, Answer::Failed(_) | Answer::Unavailable | Answer::Silence) if !frame.is_disturbed => {
                Some("nothing had gone wrong".into())
            }
            (Act::Create(spec), Answer::Done(_)) => self.fault_of_created(frame, spec.account),
            (Act::Create(spec), Answer::Refused(why)) => self.fault_of_not_created(frame, spec.account, why),
            (Act::CreateFaulty(..), Answer::Done(_)) => Some("it is faulty".into()),
            (
                Act::Notes(account, _)
                | Act::Transactions(account, _)
                | Act::Statements(account, _)
                | Act::Instruct(account, _),
                _,
            ) => match answer {
                Answer::Done(added) => self.fault_of_added(frame, *account, added),
                Answer::Refused(_) if *commits > 0 => Some("something was stored".into()),
                Answer::Refused(why) if !frame.is_interrupted => self.fault_of_refused(act, *account, why),
                _ => None,
            },
            (Act::Business(business, content), Answer::Done(_)) => {
                let has = self.oracle().businesses.has(*business, *content);
                (!has).then(|| "it is not stored".into())
            }
            (Act::Business(business, content), Answer::Refused(_)) if !frame.is_interrupted => {
                let other = self.oracle().businesses.has(*business, 1 - *content);
                (!other).then(|| "nothing is wrong with it".into())
            }
            (Act::InstructBusiness(business, spec, account), Answer::Done(_)) => {
                let has = self.oracle().businesses.is_instructed(*business, *spec, *account);
                (!has).then(|| "it is not stored".into())
            }
            (Act::InstructBusiness(business, spec, account), Answer::Refused(_)) if !frame.is_interrupted => {
                (!self.must_refuse(*business, *spec, *account)).then(|| "nothing is wrong with it".into())
            }
            _ => None,
        }
    }

    fn state(&self, account: AccountRef) -> Option<State> {
        self.process(account).map(|stored| stored.process.state())
    }

    /// A 201 has its process, and that has this content, or had it when the answer was found.
    fn fault_of_created(&self, frame: &Frame, account: AccountRef) -> Option<String> {
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

    /// What is refused is not stored.
    fn fault_of_not_created(&self, frame: &Frame, account: AccountRef, why: &str) -> Option<String> {
        if frame.commits == 0 {
            self.oracle().refused.insert(frame.request.clone());
        } else if self.last_request(account).as_ref() == Some(&frame.request) {
            return Some("it is stored".into());
        }
        let is_imported = self.state(account) == Some(State::Processed);
        (why == "already imported" && !is_imported).then(|| "it is not imported".into())
    }

    fn fault_of_added(&self, frame: &Frame, account: AccountRef, added: &[bool]) -> Option<String> {
        match (&frame.act, &frame.expected) {
            (_, Some(Ok(expected))) => (expected != added).then(|| format!("not {expected:?}")),
            (Act::Instruct(_, spec), None) => {
                let has = self.with_model(account, |model| model.has_instruction(*spec));
                (has != Some(true)).then(|| "it is not stored".into())
            }
            (_, expected) => Some(format!("nothing of it is stored: {expected:?}")),
        }
    }

    fn fault_of_refused(&self, act: &Act, account: AccountRef, why: &str) -> Option<String> {
        if self.state(account) != Some(State::Processed) {
            return None;
        }
        if why == "not found" {
            return Some("it is imported".into());
        }
        let foreseen = self.with_model(account, |model| match act {
            Act::Transactions(_, spec) => model.foresee(spec).is_err(),
            Act::Statements(_, specs) => model.foresee_statements(specs).is_err(),
            Act::Instruct(_, spec) => !spec.is_confirmed(),
            _ => false,
        });
        (foreseen != Some(true)).then(|| "nothing is wrong with it".into())
    }
}
