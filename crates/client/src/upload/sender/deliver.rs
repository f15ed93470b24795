use super::super::prepare::Prepared;
use super::answer::{Answer, Meaning};
use super::pace::Pace;
use super::{Batch, Event, bulk, one};
use crate::service::{Fault, Patience, Service};
use crossbeam_channel::Sender;
use std::sync::Arc;
use std::time::Duration;

/// Brings batches to the service.
pub(super) struct Courier {
    pub(super) service: Service,
    pub(super) one_by_one: bool,
    pub(super) pace: Pace,
    pub(super) patience: Duration,
    pub(super) events: Sender<Event>,
}

/// A line that the service failed at is sent so often before it is given up.
const TRIES: usize = 3;

/// What was said about the first lines of a round.
#[derive(Default)]
struct Round {
    /// Nothing if the service failed at a line, or takes none of its supplier now.
    said: Vec<Option<Answer>>,
    is_stale: bool,
    /// What ends the run after this round.
    lasting: Option<Fault>,
}

impl Round {
    /// Takes up what comes of the next line; what follows a fault that passes was not looked at.
    fn take(&mut self, meaning: Meaning) -> Result<(), Fault> {
        match meaning {
            Meaning::Said(answer) => self.said.push(Some(answer)),
            Meaning::Stumbled => self.said.push(None),
            Meaning::Fault(fault @ Fault::Passing { .. }) => return Err(fault),
            Meaning::Fault(fault) => {
                self.said.push(None);
                self.lasting.get_or_insert(fault);
            }
            Meaning::Stale => {
                self.is_stale = true;
                return Err(Fault::passing("the token is good no more"));
            }
        }
        Ok(())
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
        let mut left = batch;
        for _ in 0..TRIES {
            left = self
                .rounds(left, false, &mut |line, answer| match answer.is_short() {
                    true => short.push((line, answer)),
                    false => self.tell(Event::Answered(line, answer)),
                })
                .await?;
        }
        left.into_iter().for_each(|line| self.tell(Event::Answered(line, Answer::failed())));
        self.explain(short).await
    }

    /// Asks why lines were refused. What cannot be found out is told as it was said.
    async fn explain(&self, mut short: Vec<(Arc<Prepared>, Answer)>) -> Result<(), Fault> {
        let lines = short.iter().map(|(line, _)| line.clone()).collect();
        let end = self
            .rounds(lines, true, &mut |line, said| {
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

    /// Sends lines round after round; those that the service failed at, or that nobody wants sent any more.
    async fn rounds(
        &self,
        lines: Batch,
        validates: bool,
        each: &mut impl FnMut(Arc<Prepared>, Answer),
    ) -> Result<Batch, Fault> {
        let mut patience = Patience::new(self.patience);
        let (mut left, mut stumbled) = (lines, Vec::new());
        while !left.is_empty() {
            let Some(turn) = self.pace.turn().await else { return Ok(Vec::new()) };
            let behind = left.split_off(turn.lines.min(left.len()));
            let mut round = Round::default();
            let end = self.round(&left, validates, &mut round).await;
            drop(turn);
            let unanswered = left.split_off(round.said.len());
            if !left.is_empty() {
                patience.restore();
            }
            for (line, said) in left.into_iter().zip(round.said) {
                match said {
                    Some(answer) => each(line, answer),
                    None => stumbled.push(line),
                }
            }
            left = unanswered;
            left.extend(behind);
            match end {
                Ok(()) => self.pace.faster(),
                Err(fault) => self.slow_down(&mut patience, fault)?,
            }
        }
        Ok(stumbled)
    }

    fn slow_down(&self, patience: &mut Patience, fault: Fault) -> Result<(), Fault> {
        let wait = patience.bear(fault.clone())?;
        self.pace.slower(wait);
        self.tell(Event::Waiting(fault, wait));
        Ok(())
    }

    /// One request, or one line in requests of their own.
    async fn round(&self, lines: &Batch, validates: bool, round: &mut Round) -> Result<(), Fault> {
        let end = if self.one_by_one {
            let mut end = Ok(());
            for line in lines {
                end = one::send(&self.service, line, validates).await.and_then(|said| round.take(said));
                if end.is_err() {
                    break;
                }
            }
            end
        } else {
            bulk::send(&self.service, lines, validates, |said| round.take(said)).await
        };
        if round.is_stale {
            self.service.renew().await;
        }
        round.lasting.take().map_or(end, Err)
    }

    pub(super) fn tell(&self, event: Event) {
        // The listener may be gone.
        let _ = self.events.send(event);
    }
}
