//! Checks of the invariants, from the database alone and compared with what was acknowledged.

use crate::history::{fault, previous_attempt, stolen, submission, wrong_end_of_retries};
use crate::model::{Model, current, note_spec, transaction_spec};
use crate::quiet::accounts;
use crate::simulation::Simulation;
use crate::specs::{AccountRef, SUPPLIERS, zone};
use chrono::{DurationRound, TimeDelta};
use cutover_app::port::{
    AccountList, Cause, ImportedAccount, PageLimit, ProcessFilter, StateCount, StoredIssue, StoredProcess,
    Supplier, read,
};
use cutover_core::{Code, Level, Word, Zone};
use cutover_model::{DateTime, Encode, HistoricalStatement, RowCounts, Totals};
use cutover_process::{EventKind, Process, State};
use cutover_testkit::store_suite::kept::{comparable, difference};
use std::collections::{BTreeMap, BTreeSet};

impl Simulation {
    /// Checks everything at the end of a run.
    pub(crate) fn check(&self) {
        let mut totals = BTreeMap::<u8, Totals>::new();
        for account in accounts() {
            match self.process(account) {
                Some(stored) => {
                    let imported = self.check_process(account, &stored);
                    let all = totals.entry(account.supplier).or_default();
                    *all = all.checked_add(imported.unwrap_or_default()).unwrap();
                }
                None if self.oracle().acknowledged.contains(&account) => {
                    self.violate(account, "I1: it was acknowledged, but there is no process");
                }
                None => {}
            }
        }
        self.check_businesses();
        self.check_feed();
        self.check_causes();
        for supplier in 0..SUPPLIERS {
            self.check_supplier(supplier, totals.remove(&supplier).unwrap_or_default());
        }
    }

    fn violate(&self, account: AccountRef, what: impl std::fmt::Display) {
        self.oracle().violate(format!("{account:?}: {what}"));
    }

    /// Checks a process and its account. Returns the account's totals if it is imported.
    fn check_process(&self, account: AccountRef, stored: &StoredProcess) -> Option<Totals> {
        self.check_history(account, stored);
        self.check_previous_attempt(account, stored);
        let process = &stored.process;
        let number = process.service_account_number();
        let imported = read(&*self.truth, |tx| tx.imported_account(process.id())).unwrap();
        let told = self.oracle().numbers.get(&account).cloned();
        if told.is_some() && told != number.map(ToString::to_string) {
            self.violate(account, format!("I4: its number was {told:?}, and is {number:?}"));
        }
        match imported {
            Some(imported) if number == Some(&imported.number) && process.state() == State::Processed => {
                self.check_account(account, stored, &imported);
                let rows = self.rows(account).unwrap_or_default();
                Some(Totals { rows, ..totals(&imported, zone(account.supplier)) })
            }
            None if number.is_none() && process.state() != State::Processed => None,
            imported => {
                let has = imported.map(|account| account.number);
                self.violate(account, format!("I3: {} with {number:?}, account {has:?}", process.state()));
                None
            }
        }
    }

    /// Compares the previous attempt that is kept with the one that the history tells of.
    fn check_previous_attempt(&self, account: AccountRef, stored: &StoredProcess) {
        let id = stored.process.id();
        let (kept, here) = read(&*self.truth, |tx| Ok((tx.previous_attempt(id)?, tx.history(id)?))).unwrap();
        let kept = kept.map(|kept| (kept.attempt, kept.ended_at));
        let told = (stored.process.state() != State::Processed).then(|| previous_attempt(&here)).flatten();
        // An archive takes it out.
        let was_archived = self.history(id).len() > here.len();
        if kept != told && !(kept.is_none() && was_archived) {
            self.violate(account, format!("its previous attempt is {told:?}, and {kept:?} is kept"));
        }
    }

    fn check_history(&self, account: AccountRef, stored: &StoredProcess) {
        let history = self.history(stored.process.id());
        let stolen = stolen(&history).filter(|_| !self.oracle().takes_over);
        let faults = [fault(&history, stored), stolen, wrong_end_of_retries(&history)];
        faults.into_iter().flatten().for_each(|fault| self.violate(account, fault));
        for entry in &history {
            self.coverage().step(entry);
            if submission(entry).is_some_and(|request| self.oracle().refused.contains(request)) {
                self.violate(account, format!("a refused request was stored: {entry:?}"));
            }
        }
        let count = |of| history.iter().filter(|entry| entry.event == of).count();
        let imported = count(EventKind::Imported) - count(EventKind::Undone);
        let is_imported = stored.process.state() == State::Processed;
        if imported != usize::from(is_imported) {
            self.violate(account, format!("it was imported {imported} times: {}", stored.process.state()));
        }
    }

    /// Compares an account with the payload that was accepted last and with what was added since.
    fn check_account(&self, account: AccountRef, stored: &StoredProcess, imported: &ImportedAccount) {
        let Some(last) = self.last_submission(account) else {
            return self.violate(account, "nobody sent it");
        };
        if last.spec.dry_run {
            self.violate(account, "its submission is a dry run");
        }
        let Some(model) = self.with_model(account, |model| model.clone()) else { return };
        let at = stored.process.snapshot().modified_at;
        let faults = [self.fault_of_payload(account, &model, imported, at), fault_of_added(&model, imported)];
        faults.into_iter().flatten().for_each(|fault| self.violate(account, fault));
    }

    /// Compares an account without its additions with what was sent.
    fn fault_of_payload(
        &self,
        account: AccountRef,
        model: &Model,
        imported: &ImportedAccount,
        imported_at: chrono::DateTime<chrono::Utc>,
    ) -> Option<String> {
        let (mut kept, mut sent) = (imported.account.clone(), model.base.clone());
        let notes = sent.notes.as_ref().map_or(0, Vec::len);
        if let Some(all) = &mut kept.notes {
            all.truncate(notes);
        }
        for note in sent.notes.iter_mut().flatten() {
            note.created_at.get_or_insert(DateTime::at(imported_at, Zone::UTC));
        }
        for entry in sent.supply_addresses.iter_mut().flatten() {
            for point in &mut entry.meter_points {
                point.common.supply_type = Some(point.variant.supply_type());
            }
        }
        let (ledger, before) = (&mut kept.ledgers.as_mut()?[0], &sent.ledgers.as_ref()?[0]);
        if let Some(all) = &mut ledger.current_statement_transactions {
            all.truncate(current(before).count());
        }
        if let Some(balance) = model.balance {
            let is = ledger.ledger_balance.as_ref().map(|balance| balance.value());
            if is != Some(balance) {
                return Some(format!("its balance is {is:?}, not {balance}"));
            }
            ledger.ledger_balance = before.ledger_balance.clone();
        }
        let (kept, sent) = (comparable(&kept, Zone::UTC), comparable(&sent, zone(account.supplier)));
        difference(&kept, &sent).map(|difference| format!("I3: it is not as sent: {difference}"))
    }

    /// Checks the lists and figures of a supplier.
    fn check_supplier(&self, number: u8, totals: Totals) {
        let code = crate::specs::code(number).parse().unwrap();
        let supplier = read(&*self.truth, |tx| tx.supplier(&code)).unwrap().unwrap();
        let here = accounts().filter(|account| account.supplier == number);
        let all: Vec<_> = here.filter_map(|account| Some((account, self.process(account)?))).collect();
        let faults = [
            self.fault_of_lists(&supplier, &all),
            self.fault_of_counts(&supplier, &all),
            self.fault_of_totals(&supplier, totals),
            self.fault_of_sent(&supplier, &all),
            self.fault_of_certificate(&supplier, &all, totals),
        ];
        faults.into_iter().flatten().for_each(|fault| {
            self.oracle().violate(format!("{code}: {fault}"));
        });
    }

    /// Checks that each account is listed once (I2).
    fn fault_of_lists(&self, supplier: &Supplier, all: &[(AccountRef, StoredProcess)]) -> Option<String> {
        for list in [AccountList::Imported, AccountList::Pending, AccountList::All] {
            let mut listed = Vec::new();
            let until = self.now(0);
            read(&*self.truth, |tx| {
                listed.clear();
                let mut each = |item: cutover_app::port::ListedAccount<'_>| {
                    listed.push((
                        item.external_account_number.to_owned(),
                        item.account.map(|(n, _)| n.to_owned()),
                    ));
                };
                tx.each_account(supplier.id, list, None, until, PageLimit::of(100), &mut each)
            })
            .unwrap();
            listed.sort();
            let belongs = |state: State| match list {
                AccountList::Imported => state.is_imported_entry(),
                AccountList::Pending => state.is_pending_entry(),
                AccountList::All => state.is_imported_entry() || state.is_pending_entry(),
            };
            let expected = all.iter().filter(|(_, stored)| belongs(stored.process.state()));
            let expected: Vec<_> = expected
                .map(|(account, stored)| {
                    (account.external(), stored.process.service_account_number().map(ToString::to_string))
                })
                .collect();
            if listed != expected {
                return Some(format!("I2: the list {list:?} holds {listed:?}, not {expected:?}"));
            }
        }
        None
    }

    /// Compares the kept counts with a recount.
    fn fault_of_counts(&self, supplier: &Supplier, all: &[(AccountRef, StoredProcess)]) -> Option<String> {
        let mut states = BTreeMap::<_, u64>::new();
        let mut minutes = BTreeMap::<_, u64>::new();
        for (_, stored) in all {
            let (state, error) = (stored.process.state(), stored.process.latest_error());
            *states.entry((state.as_str(), error.map(|error| error.code.to_string()))).or_default() += 1;
            if state.is_outcome() {
                let at = stored.process.snapshot().modified_at;
                let minute = at.duration_trunc(TimeDelta::minutes(1)).unwrap();
                *minutes.entry((minute, state.as_str())).or_default() += 1;
            }
        }
        let (kept_states, kept_minutes) = read(&*self.truth, |tx| {
            Ok((tx.state_counts(supplier.id)?, tx.minute_counts(supplier.id, Default::default())?))
        })
        .unwrap();
        let known = |state: &Word<State>| state.known().map_or("unknown", |state| state.as_str());
        let state = |c: StateCount| ((known(&c.state), c.error.map(|error| error.to_string())), c.processes);
        let kept_states: BTreeMap<_, _> = kept_states.into_iter().map(state).collect();
        let kept_minutes: BTreeMap<_, _> =
            kept_minutes.into_iter().map(|c| ((c.minute, known(&c.state)), c.processes)).collect();
        if kept_states != states {
            return Some(format!("its counts are {kept_states:?}, not {states:?}"));
        }
        (kept_minutes != minutes).then(|| format!("its minutes are {kept_minutes:?}, not {minutes:?}"))
    }

    /// Checks by what accounts are counted, at any moment.
    pub(crate) fn check_causes(&self) {
        for number in 0..SUPPLIERS {
            let code = crate::specs::code(number).parse().unwrap();
            let supplier = read(&*self.truth, |tx| tx.supplier(&code)).unwrap().unwrap();
            let here = accounts().filter(|account| account.supplier == number);
            let all: Vec<_> = here.filter_map(|account| Some((account, self.process(account)?))).collect();
            for level in [Level::Error, Level::Warning] {
                if let Some(fault) = self.fault_of_causes(&supplier, &all, level) {
                    self.oracle().violate(format!("{code}: {fault}"));
                }
            }
        }
    }

    /// Compares the kept counts and lists of causes with a recount. Patterns are computed from paths, which is
    /// possible because the payloads have no undocumented members.
    fn fault_of_causes(
        &self,
        supplier: &Supplier,
        all: &[(AccountRef, StoredProcess)],
        level: Level,
    ) -> Option<String> {
        let mut counts = BTreeMap::<Cause, u64>::new();
        let mut listed = BTreeMap::<String, Vec<String>>::new();
        for (account, stored) in all {
            let issues = read(&*self.truth, |tx| tx.issues(stored.process.id())).unwrap();
            let of_items = |items: &[StoredIssue]| -> BTreeSet<Cause> {
                let cause =
                    |item: &StoredIssue| Cause { code: item.code.clone(), attr: Some(pattern(&item.attr)) };
                items.iter().map(cause).collect()
            };
            let error = stored.process.latest_error().map(|error| error.code.to_string());
            let causes = match (level, error) {
                (Level::Warning, _) => of_items(&issues.warnings),
                (_, None) => BTreeSet::new(),
                (_, Some(code)) if code == Code::ImportProcessFailedValidation.as_str() => {
                    of_items(&issues.errors)
                }
                (_, Some(code)) => [Cause { code, attr: None }].into(),
            };
            let codes: BTreeSet<_> = causes.iter().map(|cause| cause.code.clone()).collect();
            codes.into_iter().for_each(|code| listed.entry(code).or_default().push(account.external()));
            if !causes.is_empty() {
                self.coverage()
                    .add(if level == Level::Error { "causes: errors" } else { "causes: warnings" }, 1);
            }
            causes.into_iter().for_each(|cause| *counts.entry(cause).or_default() += 1);
        }
        let kept = read(&*self.truth, |tx| tx.top_causes(supplier.id, level, u32::MAX)).unwrap();
        let kept: BTreeMap<_, _> = kept.into_iter().map(|count| (count.cause, count.accounts)).collect();
        if kept != counts {
            return Some(format!("its causes are kept as {kept:?}, not {counts:?}"));
        }
        for (code, mut numbers) in listed {
            let code = Some(code.as_str());
            let filter = match level {
                Level::Warning => ProcessFilter { warning_code: code, ..ProcessFilter::default() },
                _ => ProcessFilter { error_code: code, ..ProcessFilter::default() },
            };
            let limit = PageLimit::of(1_000);
            let page = read(&*self.truth, |tx| tx.list_processes(supplier.id, filter, None, limit)).unwrap();
            let number = |process: &Process| process.snapshot().external_account_number.to_string();
            let mut found: Vec<_> = page.processes.iter().map(|listed| number(&listed.process)).collect();
            found.sort();
            numbers.sort();
            if found != numbers {
                return Some(format!("its accounts with {code:?} are listed as {found:?}, not {numbers:?}"));
            }
        }
        None
    }

    /// The rows of an imported account: those of its payload as it was sent, and those that were added and acknowledged.
    fn rows(&self, account: AccountRef) -> Option<RowCounts> {
        let payload = self.last_submission(account)?.spec.payload;
        let sent = Totals::of(&crate::payloads::sent_account(account, payload), zone(account.supplier)).rows;
        let added = self.with_model(account, |model| {
            RowCounts::of([
                ("notes", model.added_notes().len() as u64),
                ("transactions", model.added_transactions().len() as u64),
                ("statements", model.statements.len() as u64),
                ("payment_instructions", model.instructions.len() as u64),
            ])
        });
        sent.checked_add(added.unwrap_or_default())
    }

    /// Compares the kept totals with a recount.
    fn fault_of_totals(&self, supplier: &Supplier, totals: Totals) -> Option<String> {
        let kept = read(&*self.truth, |tx| tx.totals(supplier.id)).unwrap();
        (kept != totals).then(|| format!("its totals are {kept:?}, not {totals:?}"))
    }
}

impl Simulation {
    /// Compares the kept totals of what was sent with the payloads that were accepted last.
    fn fault_of_sent(&self, supplier: &Supplier, all: &[(AccountRef, StoredProcess)]) -> Option<String> {
        // A rehearsed account is still to be sent.
        let is_none = [State::Cancelled, State::DryRunSucceeded, State::DryRunErrored];
        let counts =
            all.iter().filter(|(_, stored)| !is_none.contains(&stored.process.known_state().unwrap()));
        let sent = counts.map(|(account, _)| {
            let payload = self.last_submission(*account).map(|last| last.spec.payload)?;
            Some(Totals::of(&crate::payloads::sent_account(*account, payload), zone(account.supplier)))
        });
        // Those that nobody has sent are reported elsewhere.
        let add = |sum: Totals, one: Totals| sum.checked_add(one).unwrap();
        let sent = sent.flatten().fold(Totals::default(), add);
        let kept = read(&*self.truth, |tx| tx.sent(supplier.id)).unwrap();
        (kept != sent).then(|| format!("it has sent {sent:?}, and {kept:?} is kept"))
    }
}

/// Returns a path with `#` for its indexes.
fn pattern(attr: &str) -> String {
    let part = |part| if str::parse::<u32>(part).is_ok() { "#" } else { part };
    attr.split('.').map(part).collect::<Vec<_>>().join(".")
}

/// Totals of an account with everything that was added, without rows.
fn totals(imported: &ImportedAccount, zone: Zone) -> Totals {
    let named =
        |s: &&HistoricalStatement<'_>| cutover_model::service::names_document(s.statement_path.as_ref());
    let documents = imported.historical_statements.iter().filter(named).count() as u64;
    let added = Totals { documents, ..Totals::default() };
    Totals::of(&imported.account, zone).checked_add(added).unwrap()
}

/// Checks that each added note, transaction, statement and instruction is stored as often as it was added.
fn fault_of_added(model: &Model, imported: &ImportedAccount) -> Option<String> {
    let sent = model.base.notes.as_ref().map_or(0, Vec::len);
    let notes: Vec<_> = imported.account.notes.iter().flatten().skip(sent).collect();
    let mut specs: Vec<_> = notes.iter().filter_map(|note| note_spec(note)).collect();
    specs.sort();
    if specs != model.added_notes() || notes.len() != specs.len() + model.moving_calls {
        return Some(format!("added notes are {specs:?} of {}, not {:?}", notes.len(), model.added_notes()));
    }
    let ledger = &imported.account.ledgers.as_ref()?[0];
    let before = current(&model.base.ledgers.as_ref()?[0]).count();
    let specs: Vec<_> = current(ledger).skip(before).map(transaction_spec).collect();
    let expected: Vec<_> = model.added_transactions().iter().copied().map(Some).collect();
    if specs != expected {
        return Some(format!("added transactions are {specs:?}, not {expected:?}"));
    }
    let statement = |s: &HistoricalStatement<'_>| String::from_utf8(s.to_json()).unwrap();
    let statements: Vec<String> = imported.historical_statements.iter().map(statement).collect();
    let has = |(id, version): (&u8, &u8)| {
        let (id, amount) = (format!("\"H-{id}\""), format!("\"{version}.00\""));
        statements.iter().filter(|s| s.contains(&id) && s.contains(&amount)).count() == 1
    };
    if statements.len() != model.statements.len() || !model.statements.iter().all(has) {
        return Some(format!("added statements are {statements:?}, not {:?}", model.statements));
    }
    let references: Vec<&str> =
        imported.verified_instructions.iter().map(|i| i.key.reference.as_str()).collect();
    let expected: BTreeSet<String> = model.instructions.iter().map(|spec| spec.reference()).collect();
    let is: BTreeSet<String> = references.iter().map(|r| (*r).to_owned()).collect();
    (is != expected || references.len() != expected.len())
        .then(|| format!("added instructions are {references:?}, not {expected:?}"))
}
