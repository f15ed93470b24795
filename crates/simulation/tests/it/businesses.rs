//! Expected businesses and their payment instructions.

use crate::oracle::Submission;
use crate::payloads::{OTHER_CONTRACT, WITH_CONTRACT};
use crate::quiet::accounts;
use crate::simulation::Simulation;
use crate::specs::{AccountRef, InstructionSpec};
use cutover_app::port::{InstructionKey, read};
use cutover_process::State;
use std::collections::{BTreeMap, BTreeSet};

/// State expected of the businesses.
#[derive(Debug, Default)]
pub(crate) struct Businesses {
    /// Content of each stored business.
    stored: BTreeMap<u8, u8>,
    /// Contents that it has or had.
    had: BTreeSet<(u8, u8)>,
    numbers: BTreeMap<u8, i64>,
    /// Accounts to which each instruction applies.
    instructions: BTreeMap<(u8, InstructionSpec), BTreeSet<AccountRef>>,
    /// A wrong answer.
    fault: Option<String>,
}

impl Businesses {
    /// Records that a business was committed.
    pub(crate) fn store(&mut self, business: u8, content: u8) -> Result<Vec<bool>, &'static str> {
        let first = *self.stored.entry(business).or_insert(content);
        self.had.insert((business, first));
        if first == content { Ok(Vec::new()) } else { Err("it has other content") }
    }

    /// Records that a business was replaced.
    pub(crate) fn replace(&mut self, business: u8, content: u8) -> Result<Vec<bool>, &'static str> {
        let Some(stored) = self.stored.get_mut(&business) else { return Err("there is no such business") };
        *stored = content;
        self.had.insert((business, content));
        Ok(Vec::new())
    }

    /// True if this content is or was stored.
    pub(crate) fn had(&self, business: u8, content: u8) -> bool {
        self.had.contains(&(business, content))
    }

    /// True if other content is stored.
    pub(crate) fn has_other(&self, business: u8, content: u8) -> bool {
        self.stored.get(&business).is_some_and(|stored| *stored != content)
    }

    /// Checks a number that a caller was told: it is unique and never changes.
    pub(crate) fn saw(&mut self, business: u8, number: i64) {
        let first = *self.numbers.entry(business).or_insert(number);
        let owners = self.numbers.values().filter(|of| **of == number).count();
        if first != number || owners != 1 {
            self.fault = Some(format!("the number of business {business} is {number}: {:?}", self.numbers));
        }
    }

    /// Records that an instruction was committed.
    pub(crate) fn instruct(
        &mut self,
        business: u8,
        spec: InstructionSpec,
        account: Option<AccountRef>,
    ) -> Result<Vec<bool>, &'static str> {
        if !self.stored.contains_key(&business) || !spec.is_confirmed() {
            return Err("there is no such business, or its vendor did not confirm it");
        }
        self.instructions.entry((business, spec)).or_default().extend(account);
        Ok(Vec::new())
    }

    /// True if an instruction applies to an account.
    pub(crate) fn is_named(&self, account: AccountRef) -> bool {
        self.instructions.values().any(|accounts| accounts.contains(&account))
    }

    /// True if it is stored, also for this account if one is given.
    pub(crate) fn is_instructed(
        &self,
        business: u8,
        spec: InstructionSpec,
        account: Option<AccountRef>,
    ) -> bool {
        let applies = self.instructions.get(&(business, spec));
        applies.is_some_and(|accounts| account.is_none_or(|account| accounts.contains(&account)))
    }
}

impl Simulation {
    /// True if a request for an instruction of a business has to be refused.
    pub(crate) fn must_refuse(
        &self,
        business: u8,
        spec: InstructionSpec,
        account: Option<AccountRef>,
    ) -> bool {
        let is_imported =
            |account| self.process(account).is_some_and(|stored| stored.process.state() == State::Processed);
        let is_known = self.oracle().businesses.stored.contains_key(&business);
        !is_known || !spec.is_confirmed() || account.is_some_and(|account| !is_imported(account))
    }

    /// True if a business must not get this content: there is none, or an account names a contract that it would
    /// lose.
    pub(crate) fn must_keep(&self, business: u8, content: u8) -> bool {
        let is_known = self.oracle().businesses.stored.contains_key(&business);
        !is_known || self.loses_contract(business, content)
    }

    /// True if a business with this content lacks a contract that an account names.
    pub(crate) fn loses_contract(&self, business: u8, content: u8) -> bool {
        business == 0 && content == OTHER_CONTRACT && self.with_contract().next().is_some()
    }

    /// Accounts that wait or are imported and name the contract of the first business.
    fn with_contract(&self) -> impl Iterator<Item = AccountRef> {
        accounts().filter(|account| {
            let refers = |state| matches!(state, State::Pending | State::InProgress | State::Processed);
            let names = |last: Submission| last.spec.payload.shape == WITH_CONTRACT;
            let state = self.process(*account).map(|stored| stored.process.state());
            state.is_some_and(refers) && self.last_submission(*account).is_some_and(names)
        })
    }

    /// Checks that every business is stored once, with its instructions and their accounts.
    pub(crate) fn check_businesses(&self) {
        let organisation = self.database.credentials.callers[0].organisation_id;
        let key = |spec: InstructionSpec| InstructionKey {
            vendor: "pay".into(),
            kind: spec.kind().parse().unwrap(),
            reference: spec.reference(),
        };
        let named: Vec<AccountRef> = self.with_contract().collect();
        let exists = read(&*self.truth, |tx| tx.contract_exists(organisation, "C-0")).unwrap();
        let mut oracle = self.oracle();
        if !named.is_empty() && !exists {
            oracle.violate(format!("{named:?} name a contract that is gone"));
        }
        let mut faults: Vec<String> = oracle.businesses.fault.clone().into_iter().collect();
        for business in oracle.businesses.stored.keys() {
            let found = read(&*self.truth, |tx| tx.business(organisation, &format!("B-{business}"))).unwrap();
            let Some(found) = found else {
                faults.push(format!("business {business} is gone"));
                continue;
            };
            if oracle.businesses.numbers.get(business).is_some_and(|told| *told != found.number) {
                faults.push(format!("business {business} has the number {}", found.number));
            }
            for n in 0..InstructionSpec::ALL {
                let spec = InstructionSpec(n);
                let is = read(&*self.truth, |tx| tx.business_instruction(found.id, &key(spec))).unwrap();
                let expected = oracle.businesses.instructions.get(&(*business, spec));
                if is.as_ref().map(Vec::len) != expected.map(BTreeSet::len) {
                    faults.push(format!("B-{business} {spec:?} applies to {is:?}, not {expected:?}"));
                }
            }
        }
        faults.into_iter().for_each(|fault| oracle.violate(fault));
    }
}
