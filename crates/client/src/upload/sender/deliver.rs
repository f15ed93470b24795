use super::super::prepare::Prepared;
use super::answer::{Answer, Meaning};
use super::pace::Pace;
use super::{Batch, Event, bulk, one};
use crate::journal::Outcome;
use crate::service::{Fault, Patience, Service};
use crossbeam_channel::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Brings batches to the service.
pub(super) struct Courier {
    pub(super) service: Service,
    pub(super) one_by_one: bool,
    pub(super) pace: Pace,
    pub(super) patience: Duration,
    /// When a line was answered last, of whichever batch.
    pub(super) last_answer: Mutex<Instant>,
    pub(super) events: Sender<Event>,
}

/// How lines are sent.
#[derive(Clone, Copy)]
struct Way {
    /// Whether they are only checked.
    validates: bool,
    /// Whether they are sent for the first time.
    is_first: bool,
}

/// A line that the service failed at is sent so often before it is given up.
const TRIES: usize = 3;
/// The service is left alone so long before such a line is sent again.
const AFTER_500: Duration = Duration::from_millis(500);

/// What is told of answers.
trait Each: FnMut(Arc<Prepared>, Answer) + Send {}

impl<F: FnMut(Arc<Prepared>, Answer) + Send> Each for F {}

/// A line that may be answered otherwise later, and what is told if it never is.
type Stumbled = (Arc<Prepared>, Answer);

/// A request under way: what was said about its first lines.
struct Round<'r, E> {
    lines: &'r Batch,
    /// Is told of an answer as soon as it is there.
    each: &'r mut E,
    /// So many lines were looked at.
    done: usize,
    /// Those that may be answered otherwise later, with what is told if they never are.
    stumbled: Vec<Stumbled>,
    /// What ends the run after this round.
    lasting: Option<Fault>,
}

impl<E: Each> Round<'_, E> {
    /// Takes up what comes of the next line; what follows a fault that passes was not looked at.
    fn take(&mut self, meaning: Meaning) -> Result<(), Fault> {
        let line = self.lines[self.done].clone();
        match meaning {
            Meaning::Said(answer) => (self.each)(line, answer),
            Meaning::Stumbled(answer) => self.stumbled.push((line, answer)),
            Meaning::Fault(fault @ Fault::Passing { .. }) => return Err(fault),
            Meaning::Fault(fault) => {
                self.lasting.get_or_insert(fault);
            }
            Meaning::Stale => return Err(Fault::passing("the token is good no more")),
        }
        self.done += 1;
        Ok(())
    }

    /// Whether the service failed at every line: then it is not the lines that are to blame.
    fn is_down(&self) -> bool {
        let failed = self.stumbled.iter().filter(|(_, answer)| answer.outcome == Outcome::Failed).count();
        failed > 1 && failed == self.lines.len()
    }
}

impl Courier {
    /// Sends a batch until every line is answered, or the service does not do it.
    pub(super) async fn deliver(&self, batch: Batch) {
        if let Err(fault) = self.all(batch).await {
            self.tell(Event::Failed(fault));
        }
    }

    /// # Errors
    /// The fault that ended it.
    async fn all(&self, batch: Batch) -> Result<(), Fault> {
        let mut short = Vec::new();
        let (mut left, mut stumbled) = (batch, Vec::new());
        for n in 0..TRIES {
            if n > 0 && !left.is_empty() {
                tokio::time::sleep(AFTER_500).await;
            }
            // What is sent again has failed while others did not: it may well fail together.
            let way = Way { validates: false, is_first: n == 0 };
            stumbled = self
                .rounds(left, way, &mut |line, answer| match answer.is_short() {
                    true => short.push((line, answer)),
                    false => self.tell(Event::Answered(line, answer)),
                })
                .await?;
            left = stumbled.iter().map(|(line, _)| line.clone()).collect();
        }
        stumbled.into_iter().for_each(|(line, answer)| self.tell(Event::Answered(line, answer)));
        self.explain(short).await
    }

    /// Asks why lines were refused. What cannot be found out is told as it was said.
    async fn explain(&self, mut short: Vec<(Arc<Prepared>, Answer)>) -> Result<(), Fault> {
        let lines = short.iter().map(|(line, _)| line.clone()).collect();
        let end = self
            .rounds(lines, Way { validates: true, is_first: false }, &mut |line, said| {
                let Some((_, first)) = short.iter_mut().find(|(of, _)| Arc::ptr_eq(of, &line)) else {
                    return;
                };
                if !said.findings.is_empty() {
                    first.findings = said.findings;
                }
            })
            .await;
        short.into_iter().for_each(|(line, answer)| self.tell(Event::Answered(line, answer)));
        end.map(drop)
    }

    /// Sends lines round after round until each was looked at, or nobody wants them sent any more; those that
    /// may be answered otherwise later.
    async fn rounds(&self, lines: Batch, way: Way, each: &mut impl Each) -> Result<Vec<Stumbled>, Fault> {
        let mut patience = Patience::new(self.patience);
        let (mut left, mut stumbled) = (lines, Vec::new());
        while !left.is_empty() {
            let Some(turn) = self.pace.turn().await else { return Ok(Vec::new()) };
            let behind = left.split_off(turn.lines.min(left.len()));
            let mut round = Round { lines: &left, each, done: 0, stumbled: Vec::new(), lasting: None };
            let mut end = self.round(&mut round, way.validates).await;
            drop(turn);
            if way.is_first && round.is_down() {
                (round.done, round.stumbled) = (0, Vec::new());
                end = end.and(Err(Fault::passing("the service fails at every account")));
            }
            stumbled.append(&mut round.stumbled);
            let done = round.done;
            if done > 0 {
                patience.restore();
                *self.last_answer() = Instant::now();
            }
            left.drain(..done);
            left.extend(behind);
            match end {
                Ok(()) => self.pace.faster(),
                Err(fault) => self.slow_down(&mut patience, fault)?,
            }
        }
        Ok(stumbled)
    }

    fn last_answer(&self) -> MutexGuard<'_, Instant> {
        self.last_answer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn slow_down(&self, patience: &mut Patience, fault: Fault) -> Result<(), Fault> {
        patience.heard(*self.last_answer());
        let wait = patience.bear(fault.clone())?;
        self.pace.slower(wait);
        self.tell(Event::Waiting(fault, wait));
        Ok(())
    }

    /// One request, or one line in requests of their own.
    async fn round(&self, round: &mut Round<'_, impl Each>, validates: bool) -> Result<(), Fault> {
        let lines = round.lines;
        let end = if self.one_by_one {
            self.each_alone(round, validates).await
        } else {
            bulk::send(&self.service, lines, validates, |said| round.take(said)).await
        };
        round.lasting.take().map_or(end, Err)
    }

    async fn each_alone(&self, round: &mut Round<'_, impl Each>, validates: bool) -> Result<(), Fault> {
        for line in round.lines {
            let said = one::send(&self.service, line, validates).await?;
            round.take(said)?;
        }
        Ok(())
    }

    pub(super) fn tell(&self, event: Event) {
        // The listener may be gone.
        let _ = self.events.send(event);
    }
}
