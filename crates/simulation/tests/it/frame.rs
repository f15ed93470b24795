//! What is under way: one operation, and those that happen meanwhile, on top of one another.

use crate::oracle::Submission;
use crate::plan::{Act, Disturbance, Op, What};

/// An operation under way.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) node: usize,
    pub(crate) act: Act,
    /// The id of its request.
    pub(crate) request: String,
    moment: u32,
    pending: Vec<Disturbance>,
    /// Whether its process has died: whatever it still does comes to nothing.
    pub(crate) is_dead: bool,
    /// Whether something went wrong, so that it may fail.
    pub(crate) is_disturbed: bool,
    /// Whether other things happened meanwhile.
    pub(crate) is_interrupted: bool,
    /// What is to happen within its next transaction.
    pub(crate) within: Vec<Op>,
    /// How often it committed.
    pub(crate) commits: u32,
    /// What its last commit was to answer: for each item whether it was added, or why it had to be refused.
    pub(crate) expected: Option<Result<Vec<bool>, &'static str>>,
    /// What the account was to be imported from after its last commit.
    pub(crate) submitted: Option<Submission>,
}

impl Frame {
    pub(crate) fn new(node: usize, act: Act, request: String, disturbances: &[Disturbance]) -> Self {
        Self {
            node,
            act,
            request,
            moment: 0,
            pending: disturbances.to_vec(),
            is_dead: false,
            is_disturbed: false,
            is_interrupted: false,
            within: Vec::new(),
            commits: 0,
            expected: None,
            submitted: None,
        }
    }

    /// What goes wrong at the moment that has come.
    pub(crate) fn next(&mut self) -> Vec<What> {
        let now = self.moment;
        self.moment += 1;
        let (due, later): (Vec<_>, Vec<_>) = self.pending.drain(..).partition(|d| d.moment <= now);
        self.pending = later;
        let due: Vec<What> = due.into_iter().map(|disturbance| disturbance.what).collect();
        for what in &due {
            match what {
                What::Meanwhile(_) => self.is_interrupted = true,
                // They may have to wait for its locks for longer than a transaction may last.
                What::Within(_) => (self.is_disturbed, self.is_interrupted) = (true, true),
                What::Fail | What::Conflict | What::Panic => self.is_disturbed = true,
                What::Die => (self.is_disturbed, self.is_dead) = (true, true),
            }
        }
        due
    }
}
